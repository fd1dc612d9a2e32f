"""Aligned: cut one text with several tokenizers, so that their cuts can be compared."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from bpe_further.offsets import Span, token_offsets
from bpe_teach.display import label
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.pairs import Symbol
from bpe_teach.pictures import boxes, colours


class Stretch(NamedTuple):
    """A piece of the text, and the tokens into which each tokenizer cuts the piece."""

    span: Span
    rows: list[list[Symbol]]


def compare_tokens(tokenizers: Mapping[str, Tokenizer], text: str) -> boxes.Picture:
    """Show the tokens of a text from several tokenizers, in rows aligned where all tokenizers cut.

    >>> texts = {"one": "low low", "two": "lower lower"}
    >>> toks = {n: Tokenizer.train(t, scheme="bytes", num_merges=3) for n, t in texts.items()}
    >>> compare_tokens(toks, "low lower")
    one  low · low|e r  5 tokens
    two  low · lowe  r  4 tokens

    Tokens are shown as they are in the vocabulary, even if the text is spelled differently: for
    example ▁ for a space, or the token for unknown characters.

    Raises ValueError if there is no tokenizer, and in the same cases as `token_offsets`.
    """
    if not tokenizers:
        raise ValueError("there is no tokenizer to compare; give a dict from names to tokenizers")
    rows = []
    sums = []
    legend = []  # the name of each tokenizer in its colours, with the number of its tokens
    for place, (name, tok) in enumerate(tokenizers.items()):
        tokens = tok.tokens(text)
        spans = token_offsets(tok, text)
        rows.append(list(zip(tokens, spans, strict=True)))
        number = boxes.pluralize(len(tokens), "token")
        sums.append(number)
        named = escape(f"{name}: {number}")
        legend.append(boxes.box_html(named, colours.tint(place)))
    html = boxes.row_html(legend)
    parts = align(rows)
    for row in boxes.break_rows(parts, text_of=lambda part: text[slice(*part.span)]):
        drawn = [_part_html(part.rows) for part in row]
        html += boxes.row_html(drawn, between=" ")
    names = list(map(str, tokenizers))
    return boxes.picture(html, _write(parts, names, sums))


def align(rows: Sequence[Sequence[tuple[Symbol, Span]]]) -> list[Stretch]:
    """Cut rows of tokens with their offsets into parts, at each place that no token crosses.

    >>> one = [("lo", (0, 2)), ("w", (2, 3)), ("er", (3, 5))]
    >>> [part.rows for part in align([one, [("low", (0, 3)), ("er", (3, 5))]])]
    [[['lo', 'w'], ['low']], [['er'], ['er']]]
    """
    ends = set()  # places where tokens end or begin
    inside = set()  # places that lie within a token
    for row in rows:
        for _, (start, end) in row:
            ends |= {start, end}
            inside.update(range(start + 1, end))
    borders = sorted(ends - inside)
    parts = []
    for span in pairwise(borders):
        parts.append(Stretch(span, [[] for _ in rows]))
    for number, row in enumerate(rows):
        for token, (start, end) in row:
            # An end marker takes no room: it belongs to the token before it.
            last = max(end - 1, 0)
            place = bisect_right(borders, min(start, last)) - 1
            parts[place].rows[number].append(token)
    return [part for part in parts if any(part.rows)]  # leave out parts without any token


def _write(parts: list[Stretch], names: list[str], sums: list[str]) -> str:
    """Return a text with a line for each tokenizer, and the same parts below each other."""
    lines = [[] for _ in names]  # the parts of each tokenizer, padded to the same widths
    for part in parts:
        cells = ["|".join(map(label, symbols)) for symbols in part.rows]
        width = max(map(len, cells))
        for line, cell in zip(lines, cells, strict=True):
            line.append(cell.ljust(width))
    width = max(map(len, names))
    written = []
    for name, line, number in zip(names, lines, sums, strict=True):
        shown = " ".join(line)
        written.append(f"{name:{width}}  {shown}  {number}")
    return "\n".join(written)


def _part_html(rows_of_part: list[list[Symbol]]) -> str:
    """Draw one part: a row of boxes for each tokenizer, with all rows equally wide."""
    rows = ""
    for place, symbols in enumerate(rows_of_part):
        rows += f'<div style="{boxes.STYLES["part_row"]}">'
        look = colours.tint(place)
        style = boxes.STYLES["part_token"]
        for symbol in symbols:
            rows += boxes.token_html(symbol, look=look, style=style)
        rows += "</div>"
    return f'<div style="{boxes.STYLES["part"]}">{rows}</div>'
