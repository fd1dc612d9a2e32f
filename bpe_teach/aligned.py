"""Aligned: one text through several tokenizers, so that their cuts can be compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from itertools import accumulate

from bpe_teach.pairs import Symbol
from bpe_teach.show import BOX, ROW, TINTS, Picture, box, count, name, page
from bpe_teach.symbols import spell
from bpe_teach.tokenizer import Tokenizer

STACK = "display:flex;flex-direction:column;align-items:stretch;gap:2px"

Part = tuple[list[Symbol], ...]  # a piece of the text as each of the tokenizers cuts it


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
    rows = [tok.tokens(text) for tok in tokenizers.values()]
    for title, row in zip(tokenizers, rows, strict=True):
        if b"".join(map(as_bytes, row)) != text.encode("utf-8"):
            raise ValueError(f"{title!r} cannot be aligned: its tokens do not spell the text")
    sums = [count(row, "token") for row in rows]
    parts = align(rows)
    titles = [f"{title}: {tokens}" for title, tokens in zip(tokenizers, sums, strict=True)]
    return page(draw_parts(parts, titles), write(parts, tokenizers, sums))


def align(rows: Sequence[Sequence[Symbol]]) -> list[Part]:
    """Cut rows of symbols that spell one text into parts, wherever all of them have a border.

    >>> align([["lo", "w", " ", "er"], ["low", " er"]])
    [(['lo', 'w'], ['low']), ([' ', 'er'], [' er'])]
    """
    ends = [[*accumulate(len(as_bytes(symbol)) for symbol in row)] for row in rows]
    borders = set.intersection(*map(set, ends))
    cut = [[[]] for _ in rows]
    for parts, row, stops in zip(cut, rows, ends, strict=True):
        for symbol, stop in zip(row, stops, strict=True):
            parts[-1].append(symbol)
            if stop in borders:
                parts.append([])
    return list(zip(*(parts[:-1] for parts in cut), strict=True))


def as_bytes(symbol: Symbol) -> bytes:
    """Return a symbol in UTF-8."""
    return symbol if isinstance(symbol, bytes) else symbol.encode("utf-8")


def write(parts: list[Part], titles: Mapping, sums: list[str]) -> str:
    """Write a line for each tokenizer, parts under parts."""
    written = [["|".join(map(name, symbols)) for symbols in part] for part in parts]
    padded = [[cell.ljust(max(map(len, cells))) for cell in cells] for cells in written]
    lines = [" ".join(line) for line in zip(*padded, strict=True)] or [""] * len(sums)
    wide = max(len(str(title)) for title in titles)
    named = zip(titles, lines, sums, strict=True)
    return "\n".join(f"{title!s:{wide}}  {line}  {tokens}" for title, line, tokens in named)


def draw_parts(parts: list[Part], titles: list[str]) -> str:
    """Draw the names as a legend, then the parts in rows, a new row after each newline."""
    looks = [TINTS[i % len(TINTS)] for i in range(len(titles))]
    rows = [[legend(title, look) for title, look in zip(titles, looks, strict=True)], []]
    for part in parts:
        rows[-1].append(stack(part, looks))
        if spell(part[0][-1]).endswith("\n"):
            rows.append([])
    return "".join(f'<div style="{ROW}">{"".join(row)}</div>' for row in rows if row)


def stack(part: Part, looks: list[tuple[str, str, str]]) -> str:
    """Draw one part: a row of boxes for each tokenizer, all of them equally wide."""
    rows = ""
    for symbols, look in zip(part, looks, strict=True):
        boxes = (f'<div style="flex:1 1 auto;{STACK}">{box(s, look=look)}</div>' for s in symbols)
        rows += f'<div style="display:flex;gap:1px">{"".join(boxes)}</div>'
    return f'<div style="{STACK}">{rows}</div>'


def legend(title: str, look: tuple[str, str, str]) -> str:
    """Draw the name of a tokenizer in its colours."""
    ground, ink, edge = look
    style = f"{BOX}background:{ground};color:{ink};border:1.5px solid {edge}"
    return f'<span style="{style}">{escape(title)}</span>'
