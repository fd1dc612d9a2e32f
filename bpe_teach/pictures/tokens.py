"""Tokens: a text as coloured boxes, one a token, and a vocabulary searched for a text."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

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
from bpe_teach.schemes import check_text
from bpe_teach.symbols import WordEnd, label
from bpe_teach.tokenizer import Tokenizer

if TYPE_CHECKING:
    from pandas import DataFrame


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
    r"""Show any list of symbols, characters or bytes or words, as tokens without ids.

    >>> show_pieces(["a low", b"\xe0\xa4"], "two pieces")
    a·low | ⟨E0 A4⟩
    two pieces
    """
    without_ids = [_Piece(symbol, "", tint(place)) for place, symbol in enumerate(pieces)]
    return _draw(without_ids, caption)


def find_tokens(tok: Tokenizer, text: str) -> DataFrame:
    """List the entries of a vocabulary that contain a text, in the order of their ids.

    Columns: ``token`` (spelled so that all of it can be seen), ``length`` (in characters, an end
    mark is one of them; in bytes in byte schemes); the index is the ``id``.

    >>> tok = Tokenizer.train("low lower", scheme="chars", num_merges=3)
    >>> find_tokens(tok, "lo").token.to_dict()
    {6: 'lo', 7: 'low'}

    Raises ValueError for what is not a text.
    """
    import pandas as pd

    check_text(text)
    sought = text if tok.scheme.units is str else text.encode("utf-8")
    rows = []
    for i, token in tok.vocab.items():
        if _contains(token, sought, tok.scheme.marker):
            rows.append((i, label(token), _length(token, tok.scheme.marker)))
    return pd.DataFrame(rows, columns=["id", "token", "length"]).set_index("id")


def _contains(token: Symbol, sought: Symbol, marker: str) -> bool:
    """Say whether a token contains what is sought. A "w" is not found in the end mark </w>."""
    if isinstance(token, WordEnd) and not sought.endswith(marker):
        token = token.removesuffix(marker)
    return sought in token


def _length(token: Symbol, marker: str) -> int:
    """Count the characters or bytes of a token; the end mark counts 1, however it is spelled."""
    if isinstance(token, WordEnd):
        return len(token) - len(marker) + 1
    return len(token)


def _draw(pieces: list[_Piece], caption: str) -> Picture:
    """Draw pieces in rows, with a caption below them."""
    html = []
    lines = []
    for row in break_rows(pieces, last_symbol=lambda piece: piece.symbol):
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
