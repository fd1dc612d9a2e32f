"""Skip a notebook, by name, when a text that it downloads can be had neither here nor there.

A notebook names such texts in its metadata: ``{"bpe_teach": {"corpora": ["tinyshakespeare"]}}``.
"""

from functools import cache

import pytest

from bpe_teach import corpora


@cache
def why_unavailable(name: str) -> str:
    """Return why a text cannot be had; "" if it can. Each text is tried once."""
    try:
        corpora.corpus_path(name)
    except corpora.CorpusUnavailable as error:
        return str(error)
    return ""


def pytest_collection_modifyitems(items):
    """Mark the cells of every notebook that lacks a text as skipped."""
    for item in items:
        notebook = getattr(item.parent, "nb", None)  # set for the cells that nbval collects
        for name in notebook.metadata.get("bpe_teach", {}).get("corpora", []) if notebook else []:
            if reason := why_unavailable(name):
                item.add_marker(pytest.mark.skip(reason=f"{item.path.name} needs {reason}"))
                break
