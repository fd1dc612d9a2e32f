"""Symbols: the one symbol that is no plain text, and how to write any symbol for people."""

import unicodedata
from collections.abc import Iterable

from bpe_teach.pairs import Symbol

SIGNS = {" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍", "\u00a0": "⍽"}  # white space, made visible


class WordEnd(str):
    """A symbol that ends its word. It is spelled with ``</w>`` but never equals plain text.

    So a literal ``</w>`` in a text, rebuilt by merges, stays a symbol of its own.

    >>> "e" + WordEnd("</w>")
    'e</w>'
    >>> "e" + WordEnd("</w>") == WordEnd("e</w>"), WordEnd("e</w>") == "e</w>"
    (True, False)
    """

    def __eq__(self, other):
        return isinstance(other, WordEnd) and str.__eq__(self, other)

    def __ne__(self, other):
        return not self == other

    def __hash__(self):
        return hash((WordEnd, str(self)))

    def __radd__(self, left):
        return WordEnd(str.__add__(left, self))


def spell(symbol: Symbol) -> str:
    """Write a symbol as text; bytes that are no whole character stay as escapes.

    >>> spell("low"), spell("é".encode()), spell("é".encode()[:1])
    ('low', 'é', '\\\\xc3')
    """
    return str(symbol) if isinstance(symbol, str) else symbol.decode("utf-8", "backslashreplace")


def label(symbol: Symbol) -> str:
    """Write a symbol so that all of it can be seen: white space, controls, lone combining marks.

    >>> label(b" low\\n"), label("\\x00"), label("\u0301")
    ('·low⏎', '\\\\x00', '◌́')
    """
    text = "".join(
        SIGNS.get(ch) or (ch if ch.isprintable() else escape(ch)) for ch in spell(symbol)
    )
    return "◌" + text if text and unicodedata.category(text[0]) in ("Mn", "Me", "Mc") else text


def escape(character: str) -> str:
    """Write a character as its escape in a Python string."""
    return character.encode("unicode_escape").decode("ascii")


def spaced(symbols: Iterable[Symbol]) -> str:
    """Write symbols side by side, with a space between two and all white space visible.

    >>> spaced([b" low", b"er", b"\\n"])
    '·low er ⏎'
    """
    return " ".join(map(label, symbols))
