"""The worst habits of our English stay unlearned: what is written here, and what to write."""

import json
import re

import pytest
from common import NOTEBOOKS, ROOT

HABITS = {  # pattern -> what to write
    r"\bwhoever\b": "anyone who, or the person meant",
    r"\bonce more\b": "again",
    r"\bstands? (?:at|behind|beside|in (?!for)|on)\b": "is, occurs, comes",
    r"\bbehind (?:a|an|each|it|them) (?:word|letter|character|space|sign|line|token)": "after",
    r"\bis that so\b": "is that true",
    r"\balike\b": "the same, equally",
    r"\bsaid of\b": "describes",
    r"\bthat of [^.]{1,60} and that of\b": "name both things",
    r"\bhang(?:s)? on\b": "depends on",
}
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "data/README.md")]
PAGES += [ROOT / "notebooks" / "README.md", *sorted((ROOT / "site").rglob("*.md"))]


def prose(path) -> str:
    """Return what people read of a page or a notebook; code apart."""
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
        text = "\n\n".join("".join(cell["source"]) for cell in cells)
    text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    return " ".join(text.split())


@pytest.mark.parametrize("path", [*NOTEBOOKS, *PAGES], ids=lambda path: path.stem)
def test_no_page_falls_back_into_a_habit(path):
    text = prose(path)
    found = {
        text[max(0, match.start() - 40) : match.end() + 20]: advice
        for habit, advice in HABITS.items()
        for match in re.finditer(habit, text, re.IGNORECASE)
    }
    assert found == {}
