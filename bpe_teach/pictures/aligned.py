"""Aligned: one text through several tokenizers, so that their cuts can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import accumulate

from bpe_teach.pairs import Symbol
from bpe_teach.pictures.boxes import (
    Picture,
    box_html,
    break_rows,
    picture,
    pluralize,
    row_html,
    tint,
    token_html,
)
from bpe_teach.symbols import label, spell
from bpe_teach.tokenizer import Tokenizer

Part = tuple[list[Symbol], ...]  # a piece of the text as each of the tokenizers cuts it

# Tables, because what is copied from one keeps a tokenizer's tokens on one line. What is left
# over of the width goes to the tokens, so that all tokenizers' rows in a part are equally wide.
PART = "display:inline-block;vertical-align:top;max-width:100%;margin:2px 0 4px;overflow-x:auto"
PART_ROW = "display:table;width:100%;border-spacing:1px"
TOKEN_CELL = "display:table-cell"


def compare_tokens(tokenizers: Mapping[str, Tokenizer], text: str) -> Picture:
    """Show a text through several tokenizers, a row for each, aligned where all of them cut.

    >>> texts = {"one": "low low", "two": "lower lower"}
    >>> toks = {n: Tokenizer.train(t, scheme="bytes", num_merges=3) for n, t in texts.items()}
    >>> compare_tokens(toks, "low lower")
    one  low · low|e r  5 tokens
    two  low · lowe  r  4 tokens

    Raises ValueError if there is no tokenizer, or if the tokens of one do not spell the text,
    because its scheme loses something or ``unk_token`` hides it.
    """
    if not tokenizers:
        raise ValueError("there is no tokenizer to compare; give a dict from names to tokenizers")
    rows = []
    for name, tok in tokenizers.items():
        row = tok.tokens(text)
        if b"".join(map(_as_bytes, row)) != text.encode("utf-8"):
            raise ValueError(
                f"{name!r} cannot be aligned: its tokens do not spell the text; "
                "leave it out, or give a tokenizer that loses nothing and hides nothing"
            )
        rows.append(row)
    names = list(map(str, tokenizers))
    sums = [pluralize(len(row), "token") for row in rows]
    parts = align(rows)
    html = _legend_html(names, sums)
    for row in break_rows(parts, text_of=lambda part: "".join(map(spell, part[0]))):
        html += row_html(map(_part_html, row), between=" ")
    return picture(html, _write(parts, names, sums))


def align(rows: Sequence[Sequence[Symbol]]) -> list[Part]:
    """Cut rows of symbols that spell one text into parts, wherever all of them have a border.

    >>> align([["lo", "w", " ", "er"], ["low", " er"]])
    [(['lo', 'w'], ['low']), ([' ', 'er'], [' er'])]
    """
    common = set.intersection(*map(_borders, rows))
    cut_rows = [_cut(row, common) for row in rows]
    return list(zip(*cut_rows, strict=True))


def _borders(row: Sequence[Symbol]) -> set[int]:
    """Return the places, in bytes, where a symbol of a row begins or ends."""
    lengths = [len(_as_bytes(symbol)) for symbol in row]
    return set(accumulate(lengths, initial=0))


def _cut(row: Sequence[Symbol], borders: set[int]) -> list[list[Symbol]]:
    """Cut a row of symbols at some of its borders."""
    parts = []
    position = 0  # in bytes
    for symbol in row:
        if position in borders:
            parts.append([])
        parts[-1].append(symbol)
        position += len(_as_bytes(symbol))
    return parts


def _as_bytes(symbol: Symbol) -> bytes:
    """Return a symbol in UTF-8."""
    return symbol if isinstance(symbol, bytes) else symbol.encode("utf-8")


def _write(parts: list[Part], names: list[str], sums: list[str]) -> str:
    """Write a line for each tokenizer, parts under parts."""
    lines = [[] for _ in names]  # for each tokenizer: its parts, as wide as those of the others
    for part in parts:
        cells = ["|".join(map(label, symbols)) for symbols in part]
        width = max(map(len, cells))
        for line, cell in zip(lines, cells, strict=True):
            line.append(cell.ljust(width))
    width = max(map(len, names))
    written = []
    for name, line, number in zip(names, lines, sums, strict=True):
        written.append(f"{name:{width}}  {' '.join(line)}  {number}")
    return "\n".join(written)


def _legend_html(names: list[str], sums: list[str]) -> str:
    """Draw the name of each tokenizer in its colours, with the number of its tokens."""
    boxes = []
    for place, (name, number) in enumerate(zip(names, sums, strict=True)):
        boxes.append(box_html(escape(f"{name}: {number}"), tint(place)))
    return row_html(boxes)


def _part_html(part: Part) -> str:
    """Draw one part: a row of boxes for each tokenizer, all of them equally wide."""
    rows = ""
    for place, symbols in enumerate(part):
        boxes = [token_html(symbol, look=tint(place), style=TOKEN_CELL) for symbol in symbols]
        rows += f'<div style="{PART_ROW}">{"".join(boxes)}</div>'
    return f'<div style="{PART}">{rows}</div>'
