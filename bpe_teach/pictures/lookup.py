"""Lookup: a picture of a model that takes from its table the row that belongs to an id."""

import random
from html import escape

from bpe_teach.display import label
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.pictures import boxes, colours

NEIGHBOURS = 2  # rows shown on each side
COLUMNS = 4  # numbers of each row that are shown
TABLE = "of the model's table (whose numbers are invented here):"


def show_lookup(tok: Tokenizer, token_id: int) -> boxes.Picture:
    """Show the row of a model's table that belongs to an id, and the rows above and below it.

    The numbers in the rows are invented, but they are always the same for the same id.

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
    tokens = {i: label(tok.vocab[i]) for i in near if i in tok.vocab}
    token = boxes.token_html(tok.vocab[token_id], str(token_id), colours.tint(1))
    rows = [row_html(i, tokens[i], i == token_id) for i in tokens]
    table = f'<div style="{boxes.STYLES["part"]}">{"".join(rows)}</div>'
    html = f"<div>{token} takes this row {TABLE}</div>\n{table}"
    said = f"{tokens[token_id]} ({token_id}) takes row {token_id} {TABLE}"
    return boxes.picture(html, "\n".join([said, *lines_of_table(tokens, token_id)]))


def lines_of_table(tokens: dict[int, str], taken: int) -> list[str]:
    """Return rows of the table as lines of text, with a sign before the row that is taken."""
    widest_id = max(len(str(i)) for i in tokens)
    widest_token = max(map(len, tokens.values()))
    lines = []
    for i, token in tokens.items():
        sign = ">" if i == taken else " "
        numbers = " ".join(f"{number:>5}" for number in invented_numbers(i))
        lines.append(f"{sign} {i:>{widest_id}} {token:<{widest_token}}  {numbers} …")
    return lines


def invented_numbers(token_id: int) -> list[str]:
    """Return invented numbers that could stand in a row of a model's table."""
    chance = random.Random(token_id)
    return [f"{chance.uniform(-1, 1):.2f}" for _ in range(COLUMNS)]


def row_html(token_id: int, token: str, is_taken: bool) -> str:
    """Draw a row of the table; the row that is taken gets a frame."""
    numbers = [*invented_numbers(token_id), "…"]
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
