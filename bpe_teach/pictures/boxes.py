"""Boxes: the parts that all pictures share: symbols in boxes, boxes in rows, and the frame.

A picture is self-contained: it has inline styles, holds no script, and needs no other file. Hidden
signs separate its tokens when they are copied or read aloud: "low (7) | er (9)", as in a terminal.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import TypeVar

from bpe_teach.display import is_fragment, label
from bpe_teach.pairs import Symbol
from bpe_teach.pictures.colours import PLAIN, Look

Item = TypeVar("Item")

MOST_SYMBOLS = 120  # in a film or a tree: a picture with more could not be taken in


def _read_styles(css: str) -> dict[str, str]:
    r"""Return the content of a style attribute for each class of a style sheet.

    >>> _read_styles(".box {\n  margin: 0;\n  color: red;\n}")
    {'box': 'margin:0;color:red'}
    """
    styles = {}
    for name, rules in re.findall(r"^\.(\w+) \{\n(.*?);\n\}", css, re.DOTALL | re.MULTILINE):
        lines = [line.strip() for line in rules.splitlines()]
        styles[name] = re.sub("([:,]) ", r"\1", "".join(lines))
    return styles


STYLES = _read_styles(Path(__file__).with_name("styles.css").read_text("utf-8"))
LINE_BREAK = '<br style="user-select:none">'  # seen, but not copied
WIDE_SPACE = '<span style="word-spacing:8px"> </span>'


@dataclass(frozen=True, repr=False)
class Picture:
    """A picture, which a notebook shows as HTML and a terminal as text."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def picture(html: str, text: str) -> Picture:
    """Return a picture: a piece of HTML in the frame that all pictures have, and its text."""
    return Picture(f'<div style="{STYLES["frame"]}">{html}</div>', text)


def token_html(symbol: Symbol, note: str = "", look: Look = PLAIN, style: str = "") -> str:
    """Draw one symbol in a box with a small note under it; a fragment gets a dashed box.

    When the box is copied, the note follows the symbol in brackets.
    """
    content = escape(label(symbol))
    if note:
        small = f'<span style="{STYLES["note"]}">{escape(note)}</span>'
        content += hidden(" (") + LINE_BREAK + small + hidden(")")
    if not is_fragment(symbol):
        return box_html(content, look, style)
    title = f"bytes {symbol.hex(' ').upper()}: not whole characters"
    return box_html(content, look, style, line="dashed", title=title)


def box_html(
    content: str, look: Look, style: str = "", *, line: str = "solid", title: str = ""
) -> str:
    """Draw a box around a piece of HTML; ``style`` is added to the style that all boxes have."""
    colours = f"background:{look.ground};color:{look.ink};border:1.5px {line} {look.edge}"
    named = f' title="{escape(title)}"' if title else ""
    return f'<span style="{STYLES["box"]};{colours};{style}"{named}>{content}</span>'


def hidden(text: str) -> str:
    """Return HTML for a text that is copied and read aloud, but not seen."""
    return f'<span style="{STYLES["hidden"]}">{escape(text)}</span>'


BETWEEN_TOKENS = " " + hidden("| ")  # a space is seen


def row_html(boxes: Iterable[str], between: str = BETWEEN_TOKENS) -> str:
    """Draw boxes in a row, which continues on the next line where the page is narrow."""
    return f"<div>{between.join(boxes)}</div>"


def caption_html(caption: str) -> str:
    """Draw the line of small text below a picture; an empty caption gives no line."""
    return f'<div style="{STYLES["caption"]}">{escape(caption)}</div>' if caption else ""


def fill(file: str, **values: object) -> str:
    """Return a template of this folder, filled in; a backslash at a line's end joins two lines."""
    template = Path(__file__).with_name(file).read_text("utf-8")
    return Template(template.replace("\\\n", "").removesuffix("\n")).substitute(STYLES, **values)


def break_rows(items: Iterable[Item], text_of: Callable[[Item], str]) -> list[list[Item]]:
    r"""Cut items into rows, so that code keeps its shape.

    A new row begins after an item that ends in a newline. If an item has a newline and more text
    after it, a new row begins with this item.

    >>> break_rows(["low", "\n", "er", "\n  ", "est"], text_of=str)
    [['low', '\n'], ['er'], ['\n  ', 'est']]
    """
    rows = []
    row_is_full = True
    for item in items:
        text = text_of(item)
        if row_is_full or re.search(r"\n[^\n]", text):
            rows.append([])
        rows[-1].append(item)
        row_is_full = text.endswith("\n")
    return rows


def pluralize(number: int, noun: str) -> str:
    """Return a number with its noun, in the singular or the plural."""
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"


def fold(value, summary: str = "Show the answer", why: str = "") -> Picture:
    """Return a value folded away: a click shows the value, with the reason ``why`` below it.

    So the reader doesn't see the answer together with the question.

    >>> fold("9 symbols").html.startswith("<details><summary")
    True
    """
    if hasattr(value, "_repr_html_"):
        inner = value._repr_html_()
    else:
        text = value if isinstance(value, str) else repr(value)
        inner = f'<pre style="{STYLES["folded"]}">{escape(text)}</pre>'
    head = f'<summary style="cursor:pointer">{escape(summary)}</summary>'
    reason = f'<p style="margin:4px 0"><b>Why:</b> {escape(why)}</p>' if why else ""
    return Picture(f"<details>{head}{inner}{reason}</details>", repr(value))
