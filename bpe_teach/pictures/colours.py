"""Colours: the colours of tokens; `plots` has the colours of figures, and styles.css of pages."""

from typing import NamedTuple


class Look(NamedTuple):
    """The colours of a box."""

    ground: str  # behind the token, as CSS writes a colour
    ink: str  # of the letters
    edge: str  # of the border


PLAIN = Look("#fff", "#222", "#999")  # a first symbol
DARK = Look("#333", "#fff", "#999")  # a special token
TINTS = (  # light forms of the colours of Okabe and Ito
    Look("#dcf0fb", "#222", "#56b4e9"),  # sky blue
    Look("#fbeccb", "#222", "#e69f00"),  # orange
    Look("#d3efe5", "#222", "#009e73"),  # green
    Look("#f7e3ed", "#222", "#cc79a7"),  # purple
    Look("#fcf8c8", "#222", "#c9bb00"),  # yellow
)


def tint(number: int) -> Look:
    """Return one of five tints; two successive numbers have different tints."""
    return TINTS[number % len(TINTS)]
