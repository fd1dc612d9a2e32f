"""What is missing is skipped, and the end of a run says in one line for each thing what to do.

A notebook names what it needs in its metadata:
``{"bpe_teach": {"corpora": ["tinyshakespeare"], "packages": ["torch"]}}``.
"""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec

import pytest

from bpe_teach import corpora

INSTALL = {  # package -> what pip is to install
    "tiktoken": '".[compare]"',
    "tokenizers": '".[compare]"',
    "torch": '".[lm]"',
    "distributed": '".[scale]"',
    "fsspec": '".[scale]"',
    "zstandard": '".[scale]"',
    "nbconvert": '".[notebooks]"',
    "nbformat": '".[notebooks]"',
    "mistune": '".[notebooks]"',
    "playwright": "playwright",
    "sphinx": '".[site]"',
}
PACKAGE = re.compile(rf"(?:could not import '|needs |package )({'|'.join(INSTALL)})\b")
CORPUS = re.compile(rf"corpus '({'|'.join(corpora.CORPORA)})'")

# It needs PyTorch as soon as it is imported.
collect_ignore = [] if find_spec("torch") else ["bpe_teach/measure/lm.py"]
# A learner's program may lie beside the notebooks, whole or broken.
collect_ignore_glob = ["**/my_bpe.py"]


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


def pytest_terminal_summary(terminalreporter):
    """Say how many tests were skipped for want of what, and what to do."""
    skipped = terminalreporter.stats.get("skipped", [])
    counts = Counter(what_to_do(report.longrepr[2]) for report in skipped)
    for line, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        terminalreporter.write_line(f"skipped {number}: {line}")


def what_to_do(reason: str) -> str:
    """Turn the reason of a skip, which may be long, into a line with a remedy."""
    if found := CORPUS.search(reason):
        file = corpora.CORPORA[found[1]].file
        remedy = f"set BPE_TEACH_DATA to a folder that holds {file}"
        return f"corpus {found[1]!r} cannot be fetched (no network?) – {remedy}"
    if found := PACKAGE.search(reason):
        return f"{found[1]} is not installed – python -m pip install {INSTALL[found[1]]}"
    return reason.removeprefix("Skipped: ")
