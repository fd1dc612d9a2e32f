"""Choose which tests run; skip those that lack a package or a text, and say what to install.

What is slow – the further notebooks and the tests with the mark `slow` – runs with ``--all``, or if
its file is named: ``python -m pytest notebooks/further/06_language_model.ipynb``. What is ``quick``
takes twenty seconds on two cores: ``python -m pytest bpe_teach tests -m quick -n auto``.

A notebook names what it needs in its metadata:
``{"bpe_teach": {"corpora": ["tinyshakespeare"], "packages": ["torch"]}}``.
"""

import os
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from bpe_teach import corpora

INSTALL = {  # package -> what to install with pip
    "tiktoken": '".[compare]"',
    "tokenizers": '".[compare]"',
    "torch": '".[lm]"',
    "distributed": '".[scale]"',
    "nbconvert": '".[classroom]"',
    "nbformat": '".[classroom]"',
    "docx": '".[classroom]"',
    "pptx": '".[classroom]"',
    "mistune": '".[notebooks]"',
    "playwright": "playwright",
    "pyright": "pyright",
    "moodle_xml_parser": "moodle-xml-parser",
    "onyx2moodle": "onyx2moodle",
    "sphinx": '".[site]"',
}
LONG = {  # files that start programs, try every exercise, or compare with other libraries
    *("test_conform", "test_exercises", "test_gate", "test_program", "test_record", "test_shell"),
    *("test_exchange", "test_foreign", "test_vocabularies", "test_lm", "test_report", "test_scale"),
    *("test_answers", "test_corpora", "test_grades", "test_class_graded", "test_misconception_lab"),
}
PACKAGE = re.compile(rf"(?:could not import '|needs |package )({'|'.join(INSTALL)})\b")
CORPUS = re.compile(rf"corpus '({'|'.join(corpora.CORPORA)})'")

# What has no tests, if the whole folder is named: `python -m pytest some/where/bpe-teach`.
collect_ignore = ["conftest.py", "data", "site"]
if not find_spec("torch"):  # this module needs it as soon as it is imported
    collect_ignore.append("bpe_further/measure/lm.py")
# A learner's program may be beside the notebooks, whole or broken.
collect_ignore_glob = ["**/my_bpe*.py"]


@cache
def why_unavailable(name: str) -> str:
    """Return why a text is unavailable, or "". Each text is tried only once."""
    try:
        corpora.corpus_path(name)
    except corpora.CorpusUnavailable as error:
        corpora.RETRIES = 0  # others won't be waited for
        return str(error)
    return ""


def missing(needs: dict) -> Iterator[str]:
    """Yield a description of each thing that a notebook needs and that isn't here."""
    yield from filter(None, map(why_unavailable, needs.get("corpora", [])))
    for name in needs.get("packages", []):
        if not find_spec(name):
            yield f"the package {name}, which is not installed"


def pytest_addoption(parser):
    """Add the options that run everything, and choose what another run could not run."""
    parser.addoption("--all", action="store_true", help="run what is slow, too")
    number = {"type": int, "default": 300, "metavar": "N"}
    parser.addoption("--generated", help="try N generated tokenizer.json (300)", **number)
    parser.addoption("--again", metavar="FILE", help="mark tests whose names, or files, are listed")


def pytest_collection_modifyitems(config, items):
    """Mark what is slow, quick or can't run here; leave out what is slow unless it is wanted."""
    items.sort(key=place_of)
    again = {*Path(config.getoption("again") or os.devnull).read_text("utf-8").splitlines()}
    for item in items:
        if again & {item.nodeid, item.nodeid.partition("::")[0]}:
            item.add_marker("again")
        notebook = getattr(item.parent, "nb", None)  # set for the cells that nbval collects
        if notebook and item.path.parent.name != "notebooks":  # further ones, the template
            item.add_marker("slow")
        elif not notebook and not is_slow(item) and item.path.stem not in LONG:
            item.add_marker("quick")
        needs = notebook.metadata.get("bpe_teach", {}) if notebook else {}
        if reason := next(missing(needs), ""):
            item.add_marker(pytest.mark.skip(reason=f"{item.path.name} needs {reason}"))
    if config.getoption("all") or config.getoption("markexpr"):
        return
    folder = config.invocation_params.dir
    named = {folder.joinpath(argument.partition("::")[0]).resolve() for argument in config.args}
    left_out = {item for item in items if is_slow(item) and item.path not in named}
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = [item for item in items if item not in left_out]


def place_of(item: pytest.Item) -> tuple[str, int]:
    """Return a key that sorts cells in their order, whatever order a plugin chose.

    They come first, after the site, which takes longest: no worker is left with a long file when
    the others have finished.
    """
    if item.path.name == "test_site.py":
        return "", 0
    if hasattr(item, "cell_num"):
        return str(item.path), item.cell_num
    return "~", 0


def is_slow(item: pytest.Item) -> bool:
    """Return whether a test runs only with ``--all`` or if its file is named."""
    return item.get_closest_marker("slow") is not None


def pytest_terminal_summary(terminalreporter):
    """Write how many tests were left out or skipped, why, and what to do about it."""
    left_out = terminalreporter.stats.get("deselected", [])
    if slow := sum(map(is_slow, left_out)):
        terminalreporter.write_line(f"left out {slow}: slow – python -m pytest -n auto --all")
    skipped = terminalreporter.stats.get("skipped", [])
    counts = Counter(what_to_do(report.longrepr[2]) for report in skipped)
    for line, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        terminalreporter.write_line(f"skipped {number}: {line}")


def what_to_do(reason: str) -> str:
    """Return the reason of a skip as one line with a remedy."""
    if found := CORPUS.search(reason):
        file = corpora.CORPORA[found[1]].file
        remedy = f"set BPE_TEACH_DATA to a folder that holds {file}"
        return f"corpus {found[1]!r} cannot be fetched (no network?) – {remedy}"
    if found := PACKAGE.search(reason):
        return f"{found[1]} is not installed – python -m pip install {INSTALL[found[1]]}"
    return reason.removeprefix("Skipped: ")
