"""Tokens: a text as coloured boxes, one per token."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from bpe_teach.display import label
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.pairs import Symbol
from bpe_teach.pictures.boxes import (
    DARK,
    Look,
    Picture,
    break_rows,
    caption_html,
    picture,
    pluralize,
    row_html,
    tint,
    token_html,
)
from bpe_teach.symbols import spell


class _Piece(NamedTuple):
    symbol: Symbol
    note: str
    look: Look


def show_tokens(
    tok: Tokenizer, text: str, *, allowed_special: Collection[str] | str = ()
) -> Picture:
    """Show the tokens of a text, each with its id, and how many characters a token holds.

    >>> tok = Tokenizer.train("low low lower", scheme="chars", num_merges=3)
    >>> show_tokens(tok, "low lower")
    low· (8) | low (7) | e (1) | r (4)
    4 tokens, 9 characters, 2.25 characters per token

    Raises ValueError as `Tokenizer.encode` does.
    """
    ids = tok.encode(text, allowed_special=allowed_special)
    special_ids = set(tok.special_tokens.values())
    pieces = []
    for place, i in enumerate(ids):
        look = DARK if i in special_ids else tint(place)
        pieces.append(_Piece(tok.vocab[i], str(i), look))
    caption = f"{pluralize(len(ids), 'token')}, {pluralize(len(text), 'character')}"
    if ids:
        caption += f", {len(text) / len(ids):.2f} characters per token"
    return _draw(pieces, caption)


def show_pieces(pieces: Iterable[Symbol], caption: str = "") -> Picture:
    r"""Show any list of symbols – characters, bytes or words – as boxes without ids.

    >>> show_pieces(["a low", b"\xe0\xa4"], "two pieces")
    a·low | ⟨E0 A4⟩
    two pieces
    """
    without_ids = [_Piece(symbol, "", tint(place)) for place, symbol in enumerate(pieces)]
    return _draw(without_ids, caption)


def _draw(pieces: list[_Piece], caption: str) -> Picture:
    """Draw pieces in rows, with a caption below them."""
    html = []
    lines = []
    for row in break_rows(pieces, text_of=lambda piece: spell(piece.symbol)):
        html.append(row_html(token_html(piece.symbol, piece.note, piece.look) for piece in row))
        lines.append(" | ".join(map(_in_text, row)))
    if caption:
        html.append(caption_html(caption))
        lines.append(caption)
    return picture("\n".join(html), "\n".join(lines))


def _in_text(piece: _Piece) -> str:
    """Write a piece as a terminal shows it."""
    shown = label(piece.symbol)
    return f"{shown} ({piece.note})" if piece.note else shown
