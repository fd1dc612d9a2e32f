"""What is typed is bound: numbers in prose and in the texts of figures, and points of summaries.

A number that is typed must be shown near it, rounded or as a percentage: in an output or in code of
its section; if it has four digits, anywhere in the notebook. What is known from
elsewhere (a paper, a longer run, mental arithmetic) is in ``numbers.txt`` with the reason. The
points of summaries are in ``summaries.txt``, each with the tests that hold it.
"""

import json
import re
from pathlib import Path

import pytest
from common import NOTEBOOKS, ROOT

HERE = Path(__file__).parent
PAGES = [ROOT / "README.md", ROOT / "bpe_teach" / "exercises" / "votes.md"]
PAGES += [ROOT / "site" / "votes.md", *sorted((ROOT / "site" / "lessons").glob("lesson?.md"))]
PAGES += [ROOT / "site" / "paper" / "paper.md"]
ALT = re.compile(r'alt=((?:\s*f?"[^"]*")+)')
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
    """Return the numbers of an output or of code."""
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


def read_sections(path: Path):
    """Return of each section of a notebook: what is typed, as (cell, text), and what is shown."""
    sections = [([], set())]
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            if re.search(r"^##+ ", source, re.MULTILINE):
                sections.append(([], set()))
            sections[-1][0].append((cell["id"], source.partition("## References")[0]))
            sections[-1][1].update(shown(" ".join(re.findall("`[^`]*`", source))))
            continue
        sections[-1][0].extend((cell["id"], text) for text in ALT.findall(source))
        sections[-1][1].update(shown(ALT.sub("", source)))
        for output in cell["outputs"]:
            told = "".join([*output.get("text", []), *output.get("data", {}).get("text/plain", [])])
            if not told.startswith("Figure:"):
                sections[-1][1].update(shown(told))
    return sections


def loose_numbers(path: Path):
    """Yield (cell, number) of what is typed and shown nowhere near."""
    sections = read_sections(path)
    everywhere = set().union(*(values for _, values in sections))
    for texts, near in sections:
        for cell, text in texts:
            for number in typed(text):
                values = everywhere if digits(number) >= 4 else near
                if not is_bound(number, values):
                    yield cell, number.strip()


def read_list(name: str) -> list[list[str]]:
    """Read a list: fields are divided by bars, and # begins a comment."""
    lines = (HERE / name).read_text("utf-8").splitlines()
    return [line.split(" | ") for line in lines if line and not line.startswith("#")]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_number_on_a_page_is_shown_in_a_notebook_or_listed(path):
    values = set().union(*(shown for one in NOTEBOOKS for _, shown in read_sections(one)))
    page = path.relative_to(ROOT).as_posix()
    loose = {n.strip() for n in typed(path.read_text("utf-8")) if not is_bound(n, values)}
    listed = [
        set(numbers.split()) for name, _, numbers, _ in read_list("numbers.txt") if name == page
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
    assert sorted(loose_numbers(path)) == listed


def sentences(path: Path) -> list[str]:
    """Return the points of a notebook's summary."""
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and "## Summary" in source:
            return re.findall(r"^- (.+)$", source, re.MULTILINE)
    return []


def test_every_point_of_a_summary_is_in_the_list_with_the_tests_that_hold_it():
    stored = [(path.stem, point) for path in NOTEBOOKS for point in sentences(path)]
    listed = read_list("summaries.txt")
    assert [(notebook, point) for notebook, point, _ in listed] == stored
    tests = "".join(path.read_text("utf-8") for path in HERE.rglob("test_*.py"))
    for notebook, point, holders in listed:
        for name in holders.split():
            assert f"def {name}(" in tests or name == "-", (notebook, point)


@pytest.mark.parametrize(
    ("plant", "values"),
    [("600", {921.0, 161.0}), ("0.8", {0.4}), ("0.1 ", {0.01, 1.3}), ("24", {0.24})],
)
def test_a_number_that_is_altered_is_not_bound(plant, values):
    assert not is_bound(plant, values)
