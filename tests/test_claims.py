"""The claims of the course, in a table, each with what would refute it: ``claims.txt``.

Claims are the points of summaries, the titles of figures, the keys of votes, and what README and
the first page assert; nothing else. What a number says is bound elsewhere: see test_numbers.py.

Most are held by a test in ``claims/``, a file for each notebook. The name of such a test says what
is claimed; its docstring begins with the notebook and the section.
"""

import ast
import csv
import json
import re
from functools import cache
from pathlib import Path

import pytest
from common import NOTEBOOKS, NUMBERS, ROOT, read_claims

from bpe_further.conform.cases import load_cases
from bpe_teach import load_corpus, load_languages

FILES = sorted((Path(__file__).parent / "claims").glob("test_claims_*.py"))
NUMBERED = [path for path in NOTEBOOKS if re.match(r"\d\d_", path.name)]


@cache
def held_claims():
    """Return (notebook, claim, file) of every test of a claim."""
    claims = []
    for file in FILES:
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                notebook = re.match(r"\d\d[b-d]?", ast.get_docstring(node))[0]
                claim = node.name.removeprefix("test_").replace("_", " ")
                claims.append((notebook, claim, file.name))
    return claims


def test_every_claim_says_in_which_notebook_it_is_made():
    for notebook, claim, file in held_claims():
        assert file[:14] == f"test_claims_{notebook[:2]}", claim


@pytest.mark.parametrize("path", NUMBERED, ids=lambda path: path.stem)
def test_every_numbered_notebook_has_claims_that_are_held(path):
    assert len([claim for claim in held_claims() if claim[0] == path.stem[:2]]) >= 5


# By what a test takes: texts by other hands, halves of a text, pages in other languages, or seeds.
OTHER = re.compile(
    r"parametrize|HALVES|held_out|elsewhere|strangers|halves|quarters|pages|plays_and_pile|chance"
)


def test_most_conclusions_are_checked_on_other_texts_or_with_other_seeds(says):
    sources = []
    for file in FILES:
        text = file.read_text("utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                parts = [*node.decorator_list, node]
                sources.append("\n".join(ast.get_source_segment(text, part) for part in parts))
    assert len(sources) > 150
    others = sum(bool(OTHER.search(source)) for source in sources)
    says("tests check the conclusions again")
    most = "most of them on different texts or with different seeds"
    says(most if others > len(sources) / 2 else "some")


# The table.

HERE = Path(__file__).parent
# A question between asterisks, its choices, and the paragraph of the key, which begins in bold.
VOTE = re.compile(r"(?m)^(?:\d\. )?\*([^*]+)\*(.*(?:\n(?!\d\. ).+)*(?:\n\n(?:   )?\*\*.*)?)")
KEY = re.compile(r"\*\*\(?([a-d])\b")
ANSWER = re.compile(r"\*\*(.+?)\*\*")
OPTION = re.compile(r"\(([a-d])\) (.+?)[.,;:]?(?= \**\([a-d]\)| – | \*\*|\*\*|\n\n|$)", re.DOTALL)
CITED = re.compile(r"cited: https?://\S+, opened \d{4}-\d\d-\d\d")


def claims_of(path: Path):
    """Yield the points of a notebook's summary, and the titles of its figures."""
    titles = []
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            titles += re.findall(r'title="([^"]*)"', source)
        elif "## Summary" in source:
            yield from re.findall(r"^- (.+)$", source, re.MULTILINE)
    for title in titles:
        yield f"Figure: {title}"


def votes():
    """Yield place and claim of each vote: the question, and the option that counts as right."""
    page = (ROOT / "bpe_further/exercises/votes.md").read_text("utf-8")
    for part in re.split("(?m)^## ", page)[1:]:
        name, *lines = part.split("\n")
        for line in lines:
            if line.startswith("✓ "):
                yield "bpe_further/exercises/votes.md", f"{name}: {line[2:].split(' → ')[0]}"
    page = (ROOT / "site/votes.md").read_text("utf-8")
    for question, rest in VOTE.findall(page):
        options = dict(reversed(OPTION.findall(rest)))  # the first (a) is the option
        key, answer = KEY.search(rest), ANSWER.search(rest)
        if key:
            claim = f"{question} – {key[1]}: {options[key[1]]}"
        elif answer:  # without options
            claim = f"{question} – {answer[1]}"
        else:
            continue
        yield "site/votes.md", " ".join(claim.split())


def test_the_table_has_every_claim_and_no_other():
    found = [(path.stem, claim) for path in NOTEBOOKS for claim in claims_of(path)]
    found += votes()
    pages = ("README.md", "site/index.html")
    listed = [(place, claim) for place, claim, _ in read_claims()]
    assert sorted(pair for pair in listed if pair[0] not in pages) == sorted(found)
    for place, claim in listed:
        if place in pages:  # what these pages assert is listed by hand
            text = re.sub(r"<[^>]*>", " ", (ROOT / place).read_text("utf-8"))
            assert claim in " ".join(text.split()), claim


def test_a_test_that_holds_a_claim_compares_its_words():
    named = {name for _, _, holder in read_claims() for name in holder.split()}
    silent = []
    for path in HERE.rglob("test_*.py"):
        for node in ast.parse(path.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name in named:
                asked = {part.arg for part in node.args.args}
                silent += [] if "says" in asked else [node.name]
    assert not silent


def test_what_holds_a_claim_is_there():
    tests = "".join(path.read_text("utf-8") for path in HERE.rglob("test_*.py"))
    notebooks = {path.stem: path.read_text("utf-8") for path in NOTEBOOKS}
    for place, claim, holder in read_claims():
        holder = CITED.sub("", holder).strip()
        if holder in ("definition", ""):
            continue
        kind, *rest = holder.split()
        if kind == "output":
            assert f'"id": "{rest[0]}"' in notebooks[place], claim
            continue
        for name in holder.split():
            assert f"def {name}(" in tests, (claim, name)


def test_the_kit_has_more_than_350_questions(says):
    says(f"more than {len(load_cases()) // 50 * 50} questions")


def test_the_declaration_is_counted_in_58_languages_by_eleven_tokenizers(says):
    rows = list(csv.DictReader(load_corpus("declaration_tokens").splitlines()))
    assert len({row["language"] for row in rows}) == 58
    says(f"with {NUMBERS[len({row['vocabulary'] for row in rows})]} tokenizers")
    sentences = json.loads((ROOT / "site/front.json").read_text("utf-8"))["languages"]
    declaration = load_languages("declaration")
    assert len(declaration["English"]) > 20 * max(len(text) for text, _ in sentences.values())
    says("on a longer text")
