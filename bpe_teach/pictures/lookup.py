"""Lookup: what a model does with an id, as a picture: it takes one row of a table."""

import random
from html import escape

from bpe_teach.display import label
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.pictures import boxes, colours

NEIGHBOURS = 2  # rows shown on each side
COLUMNS = 4  # numbers shown of each row
TABLE = "of the model's table (whose numbers are invented here):"


def show_lookup(tok: Tokenizer, token_id: int) -> boxes.Picture:
    """Show the row of a model's table that belongs to an id, between its neighbours.

    The numbers in the rows are invented, always the same for an id.

    >>> tok = Tokenizer.train("low low lower", scheme="chars", num_merges=3)
    >>> show_lookup(tok, 8)
    low· (8) takes row 8 of the model's table (whose numbers are invented here):
      6 lo     0.59  0.64 -0.03 -0.48 …
      7 low   -0.35 -0.70  0.30 -0.86 …
    > 8 low·  -0.55  0.92 -0.75  0.41 …

    Raises ValueError for an id that the tokenizer doesn't have.
    """
    if token_id not in tok.vocab:
        raise ValueError(f"there is no token with the id {token_id!r}; ids end at {max(tok.vocab)}")
    near = range(token_id - NEIGHBOURS, token_id + NEIGHBOURS + 1)
    rows = [(i, label(tok.vocab[i]), invented_numbers(i)) for i in near if i in tok.vocab]
    widest_id = max(len(str(i)) for i, _, _ in rows)
    widest_token = max(len(token) for _, token, _ in rows)
    table = []
    lines = []
    for i, token, numbers in rows:
        is_taken = i == token_id
        table.append(row_html(i, token, [*numbers, "…"], is_taken))
        sign = ">" if is_taken else " "
        shown = " ".join(f"{number:>5}" for number in numbers)
        lines.append(f"{sign} {i:>{widest_id}} {token:<{widest_token}}  {shown} …")
    token = boxes.token_html(tok.vocab[token_id], str(token_id), colours.tint(1))
    html = [f"<div>{token} takes this row {TABLE}</div>"]
    html.append(f'<div style="{boxes.STYLES["part"]}">{"".join(table)}</div>')
    lines.insert(0, f"{label(tok.vocab[token_id])} ({token_id}) takes row {token_id} {TABLE}")
    return boxes.picture("\n".join(html), "\n".join(lines))


def invented_numbers(token_id: int) -> list[str]:
    """Return numbers as they might stand in a row of a model's table."""
    chance = random.Random(token_id)
    return [f"{chance.uniform(-1, 1):.2f}" for _ in range(COLUMNS)]


def row_html(token_id: int, token: str, numbers: list[str], is_taken: bool) -> str:
    """Draw a row of the table; the one that is taken in a frame."""
    cells = [cell_html(str(token_id), "lookup_number"), cell_html(token, "lookup_token")]
    cells += [cell_html(number, "lookup_number") for number in numbers]
    style = boxes.STYLES["lookup_row"]
    if is_taken:
        look = colours.tint(1)
        style += f";background:{look.ground};color:{look.ink};border-color:{look.edge}"
    return f'<div style="{style}">{"".join(cells)}</div>'


def cell_html(text: str, name: str) -> str:
    """Draw one cell of a row, in a style of styles.css."""
    return f'<span style="{boxes.STYLES[name]}">{escape(text)}</span>'
