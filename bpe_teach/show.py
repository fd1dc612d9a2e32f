"""Show: tokens as coloured boxes, for notebooks as HTML and for terminals as plain text.

A picture is self-contained: inline styles, nothing to load, nothing to run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from bpe_teach.pairs import Symbol
from bpe_teach.schemes import check_text
from bpe_teach.symbols import label, spell
from bpe_teach.tokenizer import Tokenizer

if TYPE_CHECKING:
    from pandas import DataFrame

# A look is (ground, ink, edge). The tints are light forms of the colours of Okabe and Ito.
TINTS = (
    ("#dcf0fb", "#222", "#56b4e9"),  # sky blue
    ("#fbeccb", "#222", "#e69f00"),  # orange
    ("#d3efe5", "#222", "#009e73"),  # green
    ("#f7e3ed", "#222", "#cc79a7"),  # purple
    ("#fcf8c8", "#222", "#c9bb00"),  # yellow
)
PLAIN = ("#fff", "#222", "#999")  # a first symbol
DARK = ("#333", "#fff", "#999")  # a special token

PAGE = "font:15px/1.4 system-ui,sans-serif;text-align:left;margin:4px 0"
ROW = "display:flex;flex-wrap:wrap;gap:4px 3px;margin:0 0 4px"
BOX = (
    "display:inline-block;box-sizing:border-box;min-width:22px;max-width:100%;padding:1px 5px;"
    "text-align:center;overflow-wrap:anywhere;unicode-bidi:isolate;border-radius:4px;"
)
NOTE = "display:block;position:static;font:10px/1.3 system-ui,sans-serif;white-space:nowrap"
SMALL = "font-size:13px;line-height:1.4;margin:6px 0 0"


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


def show_tokens(
    tok: Tokenizer, text: str, *, allowed_special: Collection[str] | str = ()
) -> Picture:
    """Show the tokens of a text, each with its id, and how many characters a token holds.

    >>> tok = Tokenizer.train("low low lower", scheme="chars", num_merges=3)
    >>> show_tokens(tok, "low lower")
    low· (8) | low (7) | e (1) | r (4)
    4 tokens, 9 characters, 2.25 characters per token
    """
    ids = tok.encode(text, allowed_special=allowed_special)
    specials = set(tok.special_tokens.values())
    caption = f"{count(ids, 'token')}, {count(text, 'character')}"
    if ids:
        caption += f", {len(text) / len(ids):.2f} characters per token"
    return draw([(tok.vocab[i], str(i), i in specials) for i in ids], caption)


def show_pieces(pieces: Iterable[Symbol], caption: str = "") -> Picture:
    r"""Show any list of symbols, characters or bytes or words, as tokens without ids.

    >>> show_pieces(["a low", b"\xe0\xa4"], "two pieces")
    a·low | ⟨E0 A4⟩
    two pieces
    """
    return draw([(piece, "", False) for piece in pieces], caption)


def find_tokens(tok: Tokenizer, text: str) -> DataFrame:
    """List the entries of a vocabulary that contain a text, in the order of their ids.

    Columns: ``token`` (spelled so that all of it can be seen), ``length`` (characters, or bytes in
    byte schemes); the index is the ``id``.

    >>> tok = Tokenizer.train("low lower", scheme="chars", num_merges=3)
    >>> find_tokens(tok, "lo").token.to_dict()
    {6: 'lo', 7: 'low'}
    """
    import pandas as pd

    check_text(text)
    sought = text if tok.scheme.units is str else text.encode()
    rows = [(i, label(token), len(token)) for i, token in tok.vocab.items() if sought in token]
    return pd.DataFrame(rows, columns=["id", "token", "length"]).set_index("id")


def draw(pieces: list[tuple[Symbol, str, bool]], caption: str) -> Picture:
    """Draw boxes in rows, a new row after each newline. A piece: symbol, note, is it special?"""
    rows, lines = [[]], [[]]
    for i, (symbol, note, special) in enumerate(pieces):
        rows[-1].append(box(symbol, note, DARK if special else TINTS[i % len(TINTS)]))
        lines[-1].append(f"{name(symbol)} ({note})" if note else name(symbol))
        if spell(symbol).endswith("\n") and i + 1 < len(pieces):
            rows.append([])
            lines.append([])
    html = "\n".join(f'<div style="{ROW}">{"".join(row)}</div>' for row in rows)
    html += f'<div style="{SMALL}">{escape(caption)}</div>' if caption else ""
    text = "\n".join([*map(" | ".join, lines), *([caption] if caption else [])])
    return page(html, text)


def face(symbol: Symbol) -> str:
    r"""Write what stands in the box of a symbol; the bytes of a fragment stand there in hex.

    >>> face(" low"), face(b"\xe0\xa4")
    ('·low', 'E0 A4')
    """
    return symbol.hex(" ").upper() if is_fragment(symbol) else label(symbol)


def name(symbol: Symbol) -> str:
    """Write a symbol in plain text, a fragment between brackets."""
    return f"⟨{face(symbol)}⟩" if is_fragment(symbol) else face(symbol)


def is_fragment(symbol: Symbol) -> bool:
    """Say whether a symbol holds bytes that are no whole characters."""
    return isinstance(symbol, bytes) and symbol.decode("utf-8", "ignore").encode() != symbol


def box(symbol: Symbol, note: str = "", look: tuple[str, str, str] = PLAIN) -> str:
    """Draw one symbol, with a small note under it."""
    ground, ink, edge = look
    line, title = "solid", ""
    if is_fragment(symbol):
        line, title = "dashed", f' title="bytes {face(symbol)}: no whole character"'
    style = f"{BOX}background:{ground};color:{ink};border:1.5px {line} {edge}"
    small = f'<span style="{NOTE};color:{ink}">{escape(note)}</span>' if note else ""
    return f'<span style="{style}"{title}>{escape(face(symbol))}{small}</span>'


def page(html: str, text: str) -> Picture:
    """Make a picture of a piece of HTML and its plain text."""
    return Picture(f'<div style="{PAGE}">{html}</div>', text)


def count(things: Collection, noun: str) -> str:
    """Say how many there are, in words.

    >>> count("a", "token"), count("ab", "token")
    ('1 token', '2 tokens')
    """
    return f"{len(things):,} {noun}{'' if len(things) == 1 else 's'}"
