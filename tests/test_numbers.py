"""What is typed is bound: numbers, in prose, in figures and on pages.

- A number must be shown near it, rounded or as a percentage: in an output or in code of its
  section; if it has four digits, anywhere in the notebook. What is known from elsewhere (a paper,
  a longer run, mental arithmetic) is in ``numbers.txt`` with the reason.
"""

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest
from common import NOTEBOOKS, ROOT, parse_cell

HERE = Path(__file__).parent
PAGES = [ROOT / "README.md", ROOT / "bpe_further" / "exercises" / "votes.md"]
PAGES += [ROOT / "site" / "votes.md", *sorted((ROOT / "site" / "lessons").glob("*.md"))]
PAGES += [ROOT / "site" / "students_ask.md", ROOT / "site" / "paper" / "paper.md"]
NO_NUMBERS = re.compile(  # code, addresses, works by year, names of notebooks and of tasks
    r"`[^`]*`|\]\([^)]*\)|https?://\S+|\[[^\]]*(?:19|20)\d\d[^\]]*\]|\[\d\d[^\]]*\]"
    r"|[Nn]otebooks? \d\d\w?|^\**\d+\.\**|\((?:19|20)\d\d\)|(?<![\d.,])0\d\w?\b"
    r"|(?:Program|Hunt|BPE) \d+|exercise \d",
    re.MULTILINE,
)
TYPED = re.compile(r"(?<![\w.,§/-])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)(?: (?=%|per cent))?")
SHOWN = re.compile(r"(?<![\d.])\d+(?:[,_]\d{3})*(?:\.\d+)?")


def value(number: str) -> float:
    """Return what is written: "1,500" or "1_500" is 1500."""
    return float(re.sub("[,_]", "", number))


def typed(text: str) -> list[str]:
    """List the numbers in prose, without those of code, addresses and works."""
    return TYPED.findall(NO_NUMBERS.sub(" ", text))


def shown(text: str) -> set[float]:
    return set(map(value, SHOWN.findall(text)))


def digits(number: str) -> int:
    """Count the digits that matter: 3 in 1,150, one in 0.05."""
    bare = number.strip().replace(",", "").replace(".", "").lstrip("0")
    return len(bare if "." in number else bare.rstrip("0"))


def is_bound(number: str, values: set[float]) -> bool:
    """Return whether a number is one of those shown, rounded; "24 %" may also be a share."""
    here, decimals = value(number.split()[0]), len(number.split()[0].partition(".")[2])
    if here >= 100 and digits(number) <= 2:  # about 1,100
        decimals = 2 - len(str(int(here)))
    for one in values:
        shares = (100 * one, 100 - one, 100 - 100 * one, 100 * one - 100)
        for same in (one, *(shares if " " in number else ())):
            if round(same, decimals) == here:
                return True
    return False


def strings(node: ast.AST) -> list[str]:
    parts = [part.value for part in ast.walk(node) if isinstance(part, ast.Constant)]
    return [part for part in parts if isinstance(part, str)]


def figure_texts(code: ast.AST) -> list[str]:
    """List what a cell writes for a figure: the text that is read out, the title, the labels."""
    found = []
    for node in ast.walk(code):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if re.match("show_figure|plot_|text$|annotate|set_", name):
                found += strings(node)
    return [text for text in dict.fromkeys(found) if " " in text]


def read_cell(cell: dict) -> tuple[list[str], set[float]]:
    """Return what is typed in a cell, and the numbers that it shows."""
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        prose = source.partition("## References")[0]
        return [prose], shown(" ".join(re.findall("`[^`]*`", source)))
    code = parse_cell(source)
    texts = figure_texts(code)
    values = shown(" ".join(text for text in strings(code) if text not in texts))
    for part in ast.walk(code):
        if isinstance(part, ast.Constant) and isinstance(part.value, int | float):
            values.add(float(part.value))
    for output in cell["outputs"]:
        shown_as = output.get("data", {})
        told = "".join([*output.get("text", []), *shown_as.get("text/plain", [])])
        is_written_by_hand = told.startswith("Figure:") and any(text in told for text in texts)
        if not is_written_by_hand:  # the text of a figure comes from what was drawn
            values |= shown(told)
    return list(dict.fromkeys(texts)) + re.findall(r"(?<!\S)# .+", source), values


def read_sections(notebook: str):
    """Return of each section of a notebook: what is typed, as (cell, text), and what is shown."""
    sections = [([], set())]
    for cell in json.loads(notebook)["cells"]:
        if cell["cell_type"] == "markdown" and re.search("^##+ ", "".join(cell["source"]), re.M):
            sections.append(([], set()))
        texts, values = read_cell(cell)
        sections[-1][0].extend((cell["id"], text) for text in texts)
        sections[-1][1].update(values)
    return sections


def loose_numbers(notebook: str):
    """Yield (cell, number) of what is typed and shown nowhere near."""
    sections = read_sections(notebook)
    everywhere = set().union(*(values for _, values in sections))
    for texts, near in sections:
        for cell, text in texts:
            for number in typed(text):
                values = everywhere if digits(number) >= 4 else near
                if not is_bound(number, values):
                    yield cell, number.strip()


@cache
def shown_anywhere() -> set[float]:
    sections = [read_sections(path.read_text("utf-8")) for path in NOTEBOOKS]
    return set().union(*(values for notebook in sections for _, values in notebook))


def name_of(path: Path) -> str:
    """Return what the lists call a notebook or a page."""
    return path.stem if path in NOTEBOOKS else path.relative_to(ROOT).as_posix()


def read_list(name: str) -> list[list[str]]:
    """Read a list: fields are divided by bars, and # begins a comment."""
    lines = (HERE / name).read_text("utf-8").splitlines()
    return [line.split(" | ") for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_a_number_on_a_page_is_shown_in_a_notebook_or_listed(path):
    values = shown_anywhere()
    loose = {n.strip() for n in typed(path.read_text("utf-8")) if not is_bound(n, values)}
    listed = [
        set(numbers.split())
        for name, _, numbers, _ in read_list("numbers.txt")
        if name == name_of(path)
    ]
    assert loose == set().union(*listed)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_number_in_prose_or_in_the_text_of_a_figure_is_shown_near_it_or_listed(path):
    listed = sorted(
        (cell, number)
        for notebook, cell, numbers, _ in read_list("numbers.txt")
        for number in numbers.split()
        if notebook == path.stem
    )
    assert sorted(loose_numbers(path.read_text("utf-8"))) == listed
