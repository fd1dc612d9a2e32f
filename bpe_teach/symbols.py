"""Symbols: the one symbol that is not plain text, and how any symbol is written for people."""

import unicodedata
from collections.abc import Iterable

from bpe_teach.pairs import Symbol

VISIBLE = {" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍", "\u00a0": "⍽"}  # white space -> sign


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


def is_fragment(symbol: Symbol) -> bool:
    """Say whether a symbol holds bytes that are not whole characters.

    >>> is_fragment("é".encode()), is_fragment("é".encode()[:1]), is_fragment("é")
    (False, True, False)
    """
    if isinstance(symbol, str):
        return False
    return symbol.decode("utf-8", "ignore").encode("utf-8") != symbol


def spell(symbol: Symbol) -> str:
    """Write a symbol as text; bytes that are not whole characters become escapes.

    >>> spell("low"), spell("é".encode()), spell("é".encode()[:1])
    ('low', 'é', '\\\\xc3')
    """
    if isinstance(symbol, bytes):
        return symbol.decode("utf-8", "backslashreplace")
    return str(symbol)


def label(symbol: Symbol) -> str:
    """Write a symbol so that all of it can be seen: white space, controls, fragments in hex.

    >>> label(b" low\\n"), label("\\x00"), label("\u0301"), label("é".encode()[:1])
    ('·low⏎', '\\\\x00', '◌́', '⟨C3⟩')
    """
    if is_fragment(symbol):
        return f"⟨{symbol.hex(' ').upper()}⟩"
    text = "".join(map(_visible, spell(symbol)))
    if text and unicodedata.category(text[0]).startswith("M"):  # a mark that needs a letter
        return "◌" + text
    return text


def _visible(character: str) -> str:
    if character in VISIBLE:
        return VISIBLE[character]
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode("ascii")


def spaced(symbols: Iterable[Symbol]) -> str:
    """Write symbols side by side, with a space between two and all white space visible.

    >>> spaced([b" low", b"er", b"\\n"])
    '·low er ⏎'
    """
    return " ".join(map(label, symbols))
