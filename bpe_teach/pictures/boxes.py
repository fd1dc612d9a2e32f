"""Boxes: what all pictures share: a symbol in a box, boxes in a row, the frame of a picture.

A picture is self-contained: inline styles, nothing to load, no script. Signs that nobody sees keep
its tokens apart when they are copied or read aloud: "low (7) | er (9)", as a terminal shows them.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from string import Template
from typing import NamedTuple, TypeVar

from bpe_teach.display import is_fragment, label
from bpe_teach.pairs import Symbol

Item = TypeVar("Item")

MOST_SYMBOLS = 120  # in a film or a tree: more would be too large to take in


class Look(NamedTuple):
    """The colours of a box."""

    ground: str
    ink: str
    edge: str


PLAIN = Look("#fff", "#222", "#999")  # a first symbol
DARK = Look("#333", "#fff", "#999")  # a special token
TINTS = (  # light forms of the colours of Okabe and Ito
    Look("#dcf0fb", "#222", "#56b4e9"),  # sky blue
    Look("#fbeccb", "#222", "#e69f00"),  # orange
    Look("#d3efe5", "#222", "#009e73"),  # green
    Look("#f7e3ed", "#222", "#cc79a7"),  # purple
    Look("#fcf8c8", "#222", "#c9bb00"),  # yellow
)

FRAME = (
    "position:relative;margin:4px 0;padding-right:1px;font:15px/1.3 system-ui,sans-serif;"
    "text-align:left;white-space:normal"
)
BOX = (
    "display:inline-block;box-sizing:border-box;vertical-align:top;min-width:22px;max-width:100%;"
    "margin:2px 0;padding:1px 5px;border-radius:4px;text-align:center;overflow-wrap:anywhere;"
    "unicode-bidi:isolate"
)
NOTE = "font-size:10px"
CAPTION = "margin:4px 0 0;font-size:13px;overflow-wrap:break-word"

# Hidden signs are one pixel wide, for which the frame has room, and scroll with the frame, because
# its position is relative. "opacity" hides them: JupyterLab drops "clip-path" from notebooks that
# it does not trust.
HIDDEN = "position:absolute;width:1px;overflow:hidden;opacity:0;white-space:pre"
LINE_BREAK = '<br style="user-select:none">'  # seen, but not copied
WIDE_SPACE = '<span style="word-spacing:8px"> </span>'


@dataclass(frozen=True, repr=False)
class Picture:
    """What a notebook shows as HTML and a terminal as text.

    >>> Picture("<b>low</b>", "low")
    low
    """

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text


def picture(html: str, text: str) -> Picture:
    """Put a piece of HTML into the frame that all pictures have.

    >>> picture("<b>low</b>", "low").html.endswith('white-space:normal"><b>low</b></div>')
    True
    """
    return Picture(f'<div style="{FRAME}">{html}</div>', text)


def tint(number: int) -> Look:
    """Return one of five tints; neighbouring numbers have different ones."""
    return TINTS[number % len(TINTS)]


def token_html(symbol: Symbol, note: str = "", look: Look = PLAIN, style: str = "") -> str:
    """Draw one symbol in a box, with a small note under it; a fragment in a dashed box.

    A copy has the note after the symbol, between brackets.

    >>> token_html(b" low").endswith(">·low</span>")
    True
    """
    content = escape(label(symbol))
    if note:
        small = f'<span style="{NOTE}">{escape(note)}</span>'
        content += hidden(" (") + LINE_BREAK + small + hidden(")")
    if not is_fragment(symbol):
        return box_html(content, look, style)
    title = f"bytes {symbol.hex(' ').upper()}: not whole characters"
    return box_html(content, look, style, line="dashed", title=title)


def box_html(
    content: str, look: Look, style: str = "", *, line: str = "solid", title: str = ""
) -> str:
    """Draw a box around a piece of HTML; ``style`` is added to the style that all boxes have.

    >>> box_html("low", PLAIN, "margin:0", title="three letters")[-66:]
    'border:1.5px solid #999;margin:0" title="three letters">low</span>'
    """
    colours = f"background:{look.ground};color:{look.ink};border:1.5px {line} {look.edge}"
    named = f' title="{escape(title)}"' if title else ""
    return f'<span style="{BOX};{colours};{style}"{named}>{content}</span>'


def hidden(text: str) -> str:
    """Write text that is copied and read aloud, but not seen."""
    return f'<span style="{HIDDEN}">{escape(text)}</span>'


BETWEEN_TOKENS = " " + hidden("| ")  # a space is seen


def row_html(boxes: Iterable[str], between: str = BETWEEN_TOKENS) -> str:
    """Draw boxes in a row, which continues on the next line where the page is narrow."""
    return f"<div>{between.join(boxes)}</div>"


def caption_html(caption: str) -> str:
    """Draw the line of small text below a picture, if there is one."""
    return f'<div style="{CAPTION}">{escape(caption)}</div>' if caption else ""


def fill(file: str, **values: object) -> str:
    """Fill a template of this folder in; a line that ends in a backslash goes on in the next."""
    template = Path(__file__).with_name(file).read_text("utf-8")
    return Template(template.replace("\\\n", "").removesuffix("\n")).substitute(values)


def break_rows(items: Iterable[Item], text_of: Callable[[Item], str]) -> list[list[Item]]:
    r"""Cut items into rows, so that code keeps its shape.

    A new row begins after an item that ends in a newline, and with one that goes on after it.

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
    """Write a number with its noun."""
    if number == 1:
        return f"1 {noun}"
    return f"{number:,} {noun}s"
