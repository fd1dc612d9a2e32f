"""Skip a notebook, by name, when a text or a package that it needs cannot be had.

A notebook names what it needs in its metadata:
``{"bpe_teach": {"corpora": ["tinyshakespeare"], "packages": ["torch"]}}``.
"""

from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

import pytest

from bpe_teach import corpora

collect_ignore = [] if find_spec("torch") else ["bpe_teach/lm.py"]  # it needs PyTorch at once


@cache
def why_unavailable(name: str) -> str:
    """Return why a text cannot be had; "" if it can. Each text is tried once."""
    try:
        corpora.corpus_path(name)
    except corpora.CorpusUnavailable as error:
        return str(error)
    return ""


def missing(needs: dict) -> Iterator[str]:
    """Say of each thing that a notebook needs and that is not here what it is."""
    yield from filter(None, map(why_unavailable, needs.get("corpora", [])))
    for name in needs.get("packages", []):
        if not find_spec(name):
            yield f"the package {name}, which is not installed"


def pytest_collection_modifyitems(items):
    """Mark the cells of every notebook that lacks something as skipped."""
    for item in items:
        notebook = getattr(item.parent, "nb", None)  # set for the cells that nbval collects
        needs = notebook.metadata.get("bpe_teach", {}) if notebook else {}
        if reason := next(missing(needs), ""):
            item.add_marker(pytest.mark.skip(reason=f"{item.path.name} needs {reason}"))
