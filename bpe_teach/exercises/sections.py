"""Sections: the content below each heading of a page of Markdown, line by line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

SIGNS = {"✓": "right", "✗": "slip", "?": "hint"}
TEXTS = ("slow", "call", "otherwise")  # these options are texts; the others are code
OPTIONS = (*TEXTS, "draw", "long", "in_order", "judge", "bare", "within", "names", "cases")
OPTIONS += ("faulty", "solve", "smallest", "no_use", "often")
ITEM = re.compile(rf"([{''.join(SIGNS)}]) ?(.*)|({'|'.join(OPTIONS)}): (.*)|\[([A-Z]\w*)\]: (.*)")
CODE = "    "  # the indentation of code


@dataclass
class Item:
    """A line that begins with a sign or an option, and the code below it."""

    kind: str  # a sign in words, an option, or the name of a text
    text: str
    line: int
    code: list[str] = field(default_factory=list)


@dataclass
class Section:
    """The content below a heading; code keeps its place, so that errors name the right line."""

    name: str
    ask: str = ""
    code: str = ""
    items: list[Item] = field(default_factory=list)

    def all(self, kind: str) -> list[Item]:
        """Return the items of one kind."""
        return [item for item in self.items if item.kind == kind]


def read_sections(lines: list[str]) -> Iterator[Section]:
    """Yield the part before the first heading, with the name "", then each section.

    >>> page = ["# Exercises", "## low", "how long?", "✓ 3: count them.", "? count", "  twice"]
    >>> [(section.name, section.ask, len(section.items)) for section in read_sections(page)]
    [('', '', 0), ('low', 'how long?', 2)]
    """
    section = Section("")
    below = None  # the item to which code and indented text belong
    code = []  # of the section, with empty lines in place of other lines
    for number, line in enumerate([*lines, "## "], 1):
        found = ITEM.fullmatch(line)
        in_code = line.startswith(CODE) and not below
        code.append(line.removeprefix(CODE) if in_code else "")
        if line.startswith("## "):
            section.code = "\n".join(code)
            yield section
            section, below, code = Section(line[3:].strip()), None, [""] * number
        elif found:
            kind, text = (part for part in found.groups() if part is not None)
            below = Item(SIGNS.get(kind, kind), text, number)
            section.items.append(below)
        elif line.startswith(CODE) and below:
            below.code.append(line.removeprefix(CODE))
        elif line.startswith("  ") and below:
            below.text += f" {line.strip()}"
        elif not line.strip() and below and below.code:
            below.code.append("")  # within a function
        elif not line.strip():
            below = None
        elif line.startswith("> "):  # shown as it stands
            section.ask += f"\n{line[2:]}"
        elif not in_code and section.name:
            section.ask = f"{section.ask} {line}".strip()
