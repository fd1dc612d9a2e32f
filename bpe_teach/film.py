"""Film: watch a text being merged step by step, and see how a token was built.

The film is one piece of HTML. Where a notebook is not trusted, its buttons go dead; the first step
and the table of all steps can still be read.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import NamedTuple

from bpe_teach.pairs import Pair, Symbol, Word, merge_pair
from bpe_teach.show import PLAIN, ROW, SMALL, TINTS, Picture, box, name, page
from bpe_teach.tokenizer import Tokenizer

LONGEST = 120  # first symbols in a film or a tree: more would be neither seen nor small

PAIR = (
    "display:inline-flex;gap:2px;border-radius:4px;box-shadow:0 0 0 2px #d55e00;"
    "background:#d55e00;color:#fff"
)
BUTTON = (
    "font:13px/1.4 system-ui,sans-serif;padding:2px 10px;border:1px solid #999;border-radius:4px;"
    "background:#f4f4f4;color:#222;cursor:pointer"
)
CELL = "padding:2px 10px 2px 0;text-align:left;vertical-align:top;white-space:normal"

STOP = 'onkeydown="event.stopPropagation()"'  # or the notebook would take the arrow keys
TURN = (  # by the slider: show the frame of its value, hide the others
    "const frames=[...this.parentNode.nextElementSibling.children];"
    "frames.forEach((f,i)=>f.style.display=i==this.value?'block':'none')"
)
MOVE = "const s=this.parentNode.querySelector('input');s.value={};s.oninput()"  # by a button
BUTTONS = {"first": "0", "back": "+s.value-1", "next": "+s.value+1", "last": "s.max"}


def merge_film(tok: Tokenizer, text: str) -> Picture:
    """Show how a short text is merged, step by step, with a slider and buttons.

    >>> merge_film(Tokenizer.train("low low", scheme="chars", num_merges=2), "low")
      0  l o w  join l + o (rank 0)
      1  lo w  join lo + w (rank 1)
      2  low  done
    """
    steps = film_steps(tok, text)
    last = len(steps) - 1
    first = {symbol for word in steps[0][0] for symbol in word}
    frames = "".join(
        f'<div style="display:{"none" if n else "block"}">{frame(step, n, last, first)}</div>'
        for n, step in enumerate(steps)
    )
    slider = (
        f'<input type="range" min="0" max="{last}" value="0" aria-label="step of the film" '
        f'style="width:45%;vertical-align:middle" oninput="{TURN}" {STOP}>'
    )
    buttons = "".join(
        f'<button type="button" style="{BUTTON}" onclick="{MOVE.format(value)}">{what}</button> '
        for what, value in BUTTONS.items()
    )
    rows = [(str(n), *said(step)) for n, step in enumerate(steps)]
    html = f'<div style="margin:0 0 8px">{buttons}{slider}</div><div>{frames}</div>'
    html += (
        f'<details style="{SMALL}"><summary>all steps as a table</summary>{table(rows)}</details>'
    )
    return page(
        html, "\n".join(f"{n:>3}  {symbols}  {joined}".rstrip() for n, symbols, joined in rows)
    )


def film_steps(tok: Tokenizer, text: str) -> list[tuple[list[Word], Pair | None, int]]:
    """List the steps: the words as they are, the pair that is joined next, its rank."""
    tok.encode(text)  # raises the error for unseen characters
    words = [tok.scheme.symbols(word) for word in tok.scheme.split(text)]
    if not 0 < sum(map(len, words)) <= LONGEST:
        raise ValueError(f"a film needs a text of 1 to {LONGEST} symbols")
    ranks = {merge.pair: rank for rank, merge in enumerate(tok.merges)}
    steps = []
    while True:
        found = {ranks[pair]: pair for word in words for pair in pairwise(word) if pair in ranks}
        rank = min(found, default=-1)
        steps.append((words, found.get(rank), rank))
        if not found:
            return steps
        words = [merge_pair(word, found[rank]) for word in words]


def said(step: tuple[list[Word], Pair | None, int]) -> tuple[str, str]:
    """Say a step in plain text: the symbols, and what is joined next."""
    words, pair, rank = step
    joined = f"join {name(pair[0])} + {name(pair[1])} (rank {rank})" if pair else "done"
    return " | ".join(" ".join(map(name, word)) for word in words), joined


def frame(step: tuple[list[Word], Pair | None, int], n: int, last: int, first: set[Symbol]) -> str:
    """Draw one step, the pair that is joined next in a frame, what was joined in colour."""
    words, pair, _ = step
    boxes = []
    for word in words:
        symbols = iter(enumerate(word))
        for i, symbol in symbols:
            if word[i : i + 2] == pair:
                _, right = next(symbols)
                boxes.append(f'<span style="{PAIR}">{box(symbol)}{box(right)}</span>')
            else:
                boxes.append(box(symbol, look=PLAIN if symbol in first else TINTS[0]))
        boxes.append('<span style="width:8px"></span>')
    caption = escape(f"step {n} of {last}: {said(step)[1]}")
    return f'<div style="{ROW}">{"".join(boxes)}</div><div style="{SMALL}">{caption}</div>'


def table(rows: list[tuple[str, str, str]]) -> str:
    """Draw the steps as a table."""
    body = "".join(
        "<tr>" + "".join(f'<td style="{CELL}">{escape(cell)}</td>' for cell in row) + "</tr>"
        for row in [("step", "symbols", "next"), *rows]
    )
    return f'<table style="border-collapse:collapse">{body}</table>'


class Node(NamedTuple):
    """A symbol in a merge tree, with the rank of the merge that made it."""

    symbol: Symbol
    rank: int | None = None  # None: a first symbol
    parts: tuple[Node, ...] = ()


def merge_tree(tok: Tokenizer, word: str) -> Picture:
    """Show how the tokens of one word were built: tokens above, their parts below.

    >>> merge_tree(Tokenizer.train("low low", scheme="chars", num_merges=2), "low")
    low (rank 1)
    ├─ lo (rank 0)
    │  ├─ l
    │  └─ o
    └─ w
    """
    trees = grow(tok, word)
    html = "".join(
        f'<div style="flex:none;max-width:100%;overflow-x:auto">{icicle(tree)}</div>'
        for tree in trees
    )
    text = "\n".join(line for tree in trees for line in branches(tree))
    return page(
        f'<div style="display:flex;flex-wrap:wrap;gap:8px;align-items:flex-start">{html}</div>',
        text,
    )


def grow(tok: Tokenizer, word: str) -> list[Node]:
    """Encode one word by rank, keeping for each token what it was joined from."""
    words = list(tok.scheme.split(word))
    if len(words) != 1 or len(tok.scheme.symbols(words[0])) > LONGEST:
        raise ValueError(f"a tree shows one word of up to {LONGEST} symbols, not {word!r}")
    tok.encode(word)  # raises the error for unseen characters
    ranks = {merge.pair: rank for rank, merge in enumerate(tok.merges)}
    nodes = [Node(symbol) for symbol in tok.scheme.symbols(words[0])]
    while True:
        pairs = [(left.symbol, right.symbol) for left, right in pairwise(nodes)]
        known = [(ranks[pair], i) for i, pair in enumerate(pairs) if pair in ranks]
        if not known:
            return nodes
        rank, i = min(known)
        nodes[i : i + 2] = [Node(nodes[i].symbol + nodes[i + 1].symbol, rank, (*nodes[i : i + 2],))]


def icicle(node: Node) -> str:
    """Draw a node as a bar as wide as its parts, which hang below it."""
    note = "" if node.rank is None else f"rank {node.rank}"
    look = PLAIN if node.rank is None else TINTS[len(node.symbol) % len(TINTS)]
    parts = "".join(map(icicle, node.parts))
    hanging = f'<div style="display:flex;gap:3px;margin-top:3px">{parts}</div>' if parts else ""
    style = "display:flex;flex-direction:column;flex:1 0 auto"
    return f'<div style="{style}">{box(node.symbol, note, look)}{hanging}</div>'


def branches(node: Node) -> list[str]:
    """Write a node and what is below it as lines of text."""
    lines = [name(node.symbol) if node.rank is None else f"{name(node.symbol)} (rank {node.rank})"]
    for part in node.parts:
        first, *rest = branches(part)
        is_last = part is node.parts[-1]
        lines.append(("└─ " if is_last else "├─ ") + first)
        lines += [("   " if is_last else "│  ") + line for line in rest]
    return lines
