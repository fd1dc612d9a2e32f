"""Shared by several test files: notebooks, schemes, a special token, texts, numbers of examples."""

import calendar
import inspect
import io
import json
import linecache
import os
import random
import re
import sched
import shlex
import textwrap
import zipfile
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from pydoc_data.topics import topics  # Python's reference manual: English that comes with it

import pytest
from hypothesis import settings
from hypothesis import strategies as st

from bpe_teach import SCHEMES, load_corpus
from bpe_teach.corpora import CorpusUnavailable

ROOT = Path(__file__).parents[1]
TEXTS = Path(__file__).parent / "texts"
TABLES = Path(__file__).parent / "tables"
STORED = [
    path
    for path in (ROOT / "notebooks").rglob("*.ipynb")
    if path.parent.name != ".ipynb_checkpoints"  # copies that JupyterLab keeps
]
NOTEBOOKS = sorted(STORED, key=lambda path: path.name)  # in the order of the course
NAMES = list(SCHEMES)
LOSSLESS = [name for name in NAMES if SCHEMES[name].lossless]
BYTE_SCHEMES = [name for name in NAMES if SCHEMES[name].units is bytes]
CHARACTER_SCHEMES = [name for name in NAMES if SCHEMES[name].units is str]
PATTERN_SCHEMES = ["gpt2", "cl100k", "o200k"]  # published with OpenAI's models
END = "<|end|>"
ALL_EXAMPLES = 100  # of a property, unless it says how many
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))  # no halves of surrogate pairs

OURS = ["manual", "forum"]  # held-out texts that are unlike the stories


def examples(number):
    """Return settings of a property: as many examples with ``--all``, a fifth of them without."""
    return settings(max_examples=number * settings.default.max_examples // ALL_EXAMPLES)


def some_of(names):
    """Return parameters of a test: each third one runs by default, the others are slow."""
    marks = [[pytest.mark.slow] if i % 3 else [] for i in range(len(names))]
    return [pytest.param(name, marks=mark) for name, mark in zip(names, marks, strict=True)]


def sections(name):
    """Yield of each section of a page in tests/tables the parts of its heading, and its code."""
    for section in (TABLES / name).read_text("utf-8").split("\n## ")[1:]:
        heading, code = section.split("\n", 1)
        yield *heading.split(" → "), textwrap.dedent(code).strip("\n") + "\n"


def cells_of(notebook, kind="code"):
    """Return the texts of the cells of a notebook that are code, or another kind."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


CELLS = count(1)


def run_cell(source, **space):
    """Run a cell as a notebook does: its text can be found again. Return the names it defines."""
    name = f"<cell {next(CELLS)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    space["__name__"] = "__main__"
    exec(compile(source, name, "exec"), space)
    return space


def archive(files):
    """Return a zip archive of contents by name."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return file.getvalue()


def count_sheets(pdf):
    """Return how many sheets of paper a PDF has."""
    return len(re.findall(rb"/Type\s*/Page\b", pdf))


def pieces(name):
    """Return odd pieces of text, of which a test makes strings."""
    return json.loads((TABLES / "pieces.json").read_text("utf-8"))[name]


def rows(table, space=None):
    """Return the rows of a table, "encode/by_hand", of tests/tables: each as Python writes it.

    ``space`` has the names that the rows use.
    """
    file, name = table.split("/")
    text = (TABLES / f"{file}.txt").read_text("utf-8")
    _, *parts = re.split(r"^\[(\w+)\].*\n", text, flags=re.MULTILINE)
    lines = parts[parts.index(name) + 1].splitlines()
    return [eval(line, dict(space or {})) for line in lines if line and line[0] != "#"]


@cache
def strangers():
    """Return texts by other authors, each as long as the second story: Python's, Shakespeare's.

    Conclusions about new text must hold on them. They have only characters of the story, so that
    any tokenizer can read them. Python's text changes a little from version to version.
    """
    story, second = load_corpus("story"), load_corpus("second_story")
    lines = re.sub(r"(?<!\n)\n(?!\n)", " ", "\n\n".join(topics.values()))  # one a paragraph
    texts = {"python": re.sub(" +", " ", lines)[100_000:]}
    with suppress(CorpusUnavailable):  # texts that need the network may be missing
        texts["shakespeare"] = load_corpus("tinyshakespeare")[500_000:]
    known = set(story)
    return {
        name: "".join(c for c in text[: 2 * len(second)] if c in known)[: len(second)]
        for name, text in texts.items()
    }


@cache
def held_out():
    """Return new texts of equal length by name: the second story, ours, and strangers'."""
    size = len(load_corpus("second_story"))
    bundled = {name: load_corpus(name)[:size] for name in ["second_story", *OURS]}
    return bundled | strangers()


PROGRAMS = [calendar, shlex, textwrap, sched]  # of Python's library, so by other authors
ROUTES = ["/", "/about", "/login", "/api/items", "/api/items/17", "/static/site.css"]
ROUTES += ["/search?q=tea"]


def log_lines(number):
    """Return lines as a web server writes them; always the same."""
    chance, second, lines = random.Random(1), 0, []
    for _ in range(number):
        second += chance.randint(0, 40)
        clock = f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"
        visitor = f"192.0.2.{chance.randint(1, 60)}"
        status = chance.choices([200, 304, 404, 500], [80, 12, 7, 1])[0]
        asked = chance.choice(ROUTES)
        lines.append(
            f'{visitor} [2024-03-05T{clock}Z] "GET {asked}" {status} {chance.randint(90, 9999)}'
        )
    return "\n".join(lines)


@cache
def elsewhere():
    """Return texts of other scripts and kinds by name, for tokenizers of bytes.

    They are long words, vowel signs, no spaces, a program, a log. The prose was written for these
    tests. A conclusion about text in general holds on them, trained and tested, or says on which.
    """
    prose = [(path.stem, path.read_text("utf-8")) for path in sorted(TEXTS.glob("*.txt"))]
    size = len(load_corpus("second_story"))
    code = "\n".join(map(inspect.getsource, PROGRAMS))
    return dict(prose) | {"code": code[:size], "log": log_lines(200)[:size]}


def pages(corpus="parallel"):
    """Return the same text in many languages: name -> text."""
    parts = load_corpus(corpus).split("\n\n## ")[1:]
    return dict(part.split("\n", 1) for part in parts)


def halves(language):
    """Return the first five lines of a page in a language and the rest, in both orders."""
    lines = pages()[language].strip().split("\n")
    first, rest = "\n".join(lines[:5]), "\n".join(lines[5:])
    return [(first, rest), (rest, first)]


def published(name):
    """Return the path of a published vocabulary among the downloaded texts; skip without it."""
    folder = Path(os.environ.get("BPE_TEACH_DATA", "."))
    for path in (folder / "vocabularies" / name, folder / name):
        if path.is_file():
            return path
    pytest.skip(f"{name} is not in the folder that BPE_TEACH_DATA names")
