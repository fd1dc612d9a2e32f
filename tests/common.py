"""Shared by several test files: notebooks, schemes, a special token, texts, numbers of examples."""

import ast
import calendar
import inspect
import io
import json
import linecache
import os
import re
import sched
import shlex
import textwrap
import zipfile
from contextlib import suppress
from functools import cache, lru_cache
from itertools import count
from pathlib import Path
from pydoc_data.topics import topics  # Python's reference manual: English that comes with it

import pytest
from hypothesis import settings
from hypothesis import strategies as st

import bpe_further.exercises  # noqa: F401  (so that tests find its pages by their names)
from bpe_further import NgramCounter
from bpe_further.variants.superwords import train_superwords
from bpe_teach import SCHEMES, Tokenizer, load_corpus, load_languages
from bpe_teach.corpora import CorpusUnavailable

ROOT = Path(__file__).parents[1]
TEXTS = Path(__file__).parent / "texts"
TABLES = Path(__file__).parent / "tables"
STORED = [
    path
    for path in (ROOT / "notebooks").rglob("*.ipynb")
    if path.parent.name not in (".ipynb_checkpoints", "projects")  # JupyterLab's copies
]
PROJECTS = sorted((ROOT / "notebooks" / "projects").glob("*.ipynb"))
NOTEBOOKS = sorted(STORED, key=lambda path: path.name)  # in the order of the course
NAMES = list(SCHEMES)
LOSSLESS = [name for name in NAMES if SCHEMES[name].lossless]
BYTE_SCHEMES = [name for name in NAMES if SCHEMES[name].units is bytes]
CHARACTER_SCHEMES = [name for name in NAMES if SCHEMES[name].units is str]
PATTERN_SCHEMES = ["gpt2", "cl100k", "o200k"]  # published with OpenAI's models
END = "<|end|>"
NUMBERS = ["zero", "one", "two", "three", "four", "five", "six"]  # 4 -> "four"
NUMBERS += ["seven", "eight", "nine", "ten", "eleven"]
ALL_EXAMPLES = 100  # of a property, unless it says how many
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))  # no halves of surrogate pairs

OURS = ["manual", "forum"]  # held-out texts that are unlike the stories


@cache
def read_claims():
    """Return place, claim and holder of each row of ``claims.txt``."""
    lines = (Path(__file__).parent / "claims.txt").read_text("utf-8").splitlines()
    return [tuple(line.split(" | ")) for line in lines if line and not line.startswith("#")]


class Counted(dict):
    """A table that counts how often it is asked for something."""

    looks = 0

    def __getitem__(self, key):
        self.looks += 1
        return super().__getitem__(key)

    def __contains__(self, key):
        self.looks += 1
        return super().__contains__(key)

    def get(self, key, default=None):
        self.looks += 1
        return super().get(key, default)


def parse_cell(source):
    """Parse the code of a cell; commands of the notebook count as nothing."""
    return ast.parse(re.sub("(^ *|= )[%!].*", r"\1None", source, flags=re.MULTILINE))


DEFINING = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)


@cache
def written_in(number):
    """Return the functions, classes and CONSTANTS that a notebook defines, with what it imports.

    So claims are tested with the notebook's own functions.
    """
    (path,) = [path for path in NOTEBOOKS if path.name.startswith(f"{number}_")]
    space = {}
    cells = json.loads(path.read_text("utf-8"))["cells"]
    for cell in (cell for cell in cells if cell["cell_type"] == "code"):
        for node in parse_cell("".join(cell["source"])).body:
            is_constant = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).isupper()
            if is_constant or isinstance(node, DEFINING):
                exec(ast.unparse(node), space)
    return space


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


JAVASCRIPT = dict(sections("javascript.md"))  # what is asked of a page -> the program


def cells_of(notebook, kind="code"):
    """Return the texts of the cells of a notebook that are code, or another kind."""
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == kind]


@cache
def output_of(stem, cell_id):
    """Return what a notebook has stored as the output of a cell, as plain text."""
    (path,) = [path for path in NOTEBOOKS if path.stem == stem]
    cells = json.loads(path.read_text("utf-8"))["cells"]
    (cell,) = [cell for cell in cells if cell["id"] == cell_id]
    shown = [part.get("text") or part["data"]["text/plain"] for part in cell["outputs"]]
    return "\n".join("".join(part) for part in shown)


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


@cache
def elsewhere():
    """Return texts of other scripts and kinds by name, for tokenizers of bytes.

    They are long words, vowel signs, no spaces, a program, a log. All but the program were written
    for these tests. A conclusion about text in general holds on them, trained and tested, or says
    on which.
    """
    texts = {path.stem: path.read_text("utf-8") for path in sorted(TEXTS.glob("*.txt"))}
    code = "\n".join(map(inspect.getsource, PROGRAMS))
    return texts | {"code": code[: len(load_corpus("second_story"))]}


def pages(corpus="parallel"):
    """Return the same text in many languages: name -> text."""
    return load_languages(corpus)


def lines(page, start, stop):
    """Return some lines of a page."""
    return "\n".join(page.splitlines()[start:stop])


def halves(language):
    """Return the first five lines of a page in a language and the rest, in both orders."""
    page = pages()[language].strip()
    first, rest = lines(page, 0, 5), lines(page, 5, None)
    return [(first, rest), (rest, first)]


def in_halves(text):
    """Return the first half of a text and the second, in both orders."""
    half = len(text) // 2
    return [(text[:half], text[half:]), (text[half:], text[:half])]


def quarters(page):
    """Yield the lines of a page without each fourth one, and those left out, in four ways."""
    parts = page.strip().split("\n")
    for left_out in range(4):
        read = [line for i, line in enumerate(parts) if i % 4 != left_out]
        yield "\n".join(read), "\n".join(parts[left_out::4])


@cache
def trained(text, num_merges=1000, scheme="gpt2", **options):
    """Train a tokenizer, once for all tests of a process."""
    return Tokenizer.train(text, scheme=scheme, num_merges=num_merges, **options)


# The last few only, because counters are large.
@lru_cache(maxsize=6)
def superwords(text, num_merges, inside, scheme="gpt2"):
    """Return a tokenizer of two stages, and a counter of order 3 that has read its text."""
    tok = train_superwords(text, num_merges, inside, scheme=scheme)
    return tok, NgramCounter(tok.encode(text), len(tok), order=3)


def tokens_taken(read, new, num_merges, inside, scheme="gpt2"):
    """Return the number of tokens of a new text, with so many merges inside words."""
    return len(superwords(read, num_merges, inside, scheme)[0].encode(new))


def bits_needed(read, new, num_merges, inside, order, scheme="gpt2"):
    """Return the bits per character that a counter takes for a new text."""
    tok, counter = superwords(read, num_merges, inside, scheme)
    return counter.bits(tok.encode(new), order) / len(new)


def published(name):
    """Return the path of a published vocabulary among the downloaded texts; skip without it."""
    folder = Path(os.environ.get("BPE_TEACH_DATA", "."))
    for path in (folder / "vocabularies" / name, folder / name):
        if path.is_file():
            return path
    pytest.skip(f"{name} is not in the folder that BPE_TEACH_DATA names")
