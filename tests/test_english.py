"""Our English: words are spelled right."""

import ast
import io
import json
import re
import tokenize
from functools import cache
from pathlib import Path

import pytest
from common import NOTEBOOKS, PROJECTS, ROOT

from bpe_teach.exercises.sections import OPTIONS, TEXTS

PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "data/README.md")]
PAGES.append(ROOT / "data" / "conformance" / "README.md")
PAGES += [ROOT / "notebooks" / "README.md", *sorted((ROOT / "site").rglob("*.md"))]
PAGES += [ROOT / "bpe_teach" / "README.md", ROOT / "bpe_further" / "README.md"]
EXERCISES = sorted(path for path in ROOT.glob("bpe_*/exercises/*.md"))
EXERCISES.append(ROOT / "bpe_further" / "classroom" / "exam.md")
FOLDERS = ("bpe_teach", "bpe_further", "tests", "site", ".ci")
CODE = [ROOT / "conftest.py", *(path for name in FOLDERS for path in (ROOT / name).rglob("*.py"))]
FILES = [*NOTEBOOKS, *PROJECTS, *PAGES, *EXERCISES]
FILES += sorted(path for path in CODE if path != Path(__file__))
EXAMPLE = re.compile(r"^ *>>> .*\n(?: *\S.*\n?)*", re.MULTILINE)  # up to an empty line
NOT_PROSE = re.compile(  # code, addresses, formulas, fields of f-strings, quotations
    r"```.*?```|``.*?``|`[^`\n]*`|</?\w[^>]*>|&\w+;|https?://\S+|\]\([^)]*\)|\$[^$\n]+\$|\{[^{}]*\}"
    r"|\"[^\"\n]*\"|“[^”]*”|'[^'\s]+'",
    re.DOTALL,
)
# On a page of exercises, besides: code, changes of code, names of slips, options that hold code.
HOLD_CODE = set(OPTIONS) - set(TEXTS)
NOT_TEXT = re.compile(
    rf"^(?:(?:> )?    .*|✗ [a-z]\w*(?= *[:=])|## .*|(?:{'|'.join(HOLD_CODE)}): .*)$", re.MULTILINE
)
WORD = re.compile(r"(?<![\w\\./·▁_@#|-])[A-Za-zÀ-ÿ]{3,}(?:['’][a-z]+)?(?![\w/_=(·▁|-])")


def texts_of_code(path: Path):
    """Yield the comments and docstrings of a program, and the messages of the package."""
    source = path.read_text("utf-8")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and "noqa" not in token.string:
            yield token.string.lstrip("#! ")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield EXAMPLE.sub("", ast.get_docstring(node) or "")
        elif isinstance(node, ast.Constant) and {ROOT / "bpe_teach", ROOT / "bpe_further"} & {
            *path.parents
        }:
            is_text = isinstance(node.value, str) and node.value.count(" ") >= 4
            is_code = is_text and re.search(r">>>|\S  +\S", node.value)  # or a table
            if is_text and not is_code:
                yield node.value


@cache
def prose(path: Path) -> str:
    """Return what people read of a page, a notebook or a program, apart from code."""
    if path.suffix == ".py":
        parts = texts_of_code(path)
    elif path.suffix == ".ipynb":
        cells = json.loads(path.read_text("utf-8"))["cells"]
        parts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    else:
        text = path.read_text("utf-8")
        parts = [NOT_TEXT.sub("", text) if path in EXERCISES else text]
    return "\n\n".join(" ".join(NOT_PROSE.sub(" ", part).split()) for part in parts)


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@pytest.mark.slow
def test_every_word_is_in_the_dictionary_or_in_the_list_of_the_project():
    """Add a word to tests/words.txt only if it is right. We write colour, but normalize."""
    from spellchecker import SpellChecker

    ours = (ROOT / "tests" / "words.txt").read_text("utf-8").split()
    assert ours == sorted(set(ours))
    dictionary = SpellChecker()
    unknown = {}  # word -> a file that has it
    for path in FILES:
        for word in set(WORD.findall(prose(path))):
            plain = word.replace("’", "'")
            stem = plain.removesuffix("'s")
            is_known = {plain, stem, stem.lower()} & set(ours) or plain in dictionary
            is_name = word.isupper() or re.search("[a-z][A-Z]", word)  # HTML, JupyterLab
            if not (is_known or is_name or stem in dictionary):
                unknown[word] = name_of(path)
    assert unknown == {}
