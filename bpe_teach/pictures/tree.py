"""Tree: how the tokens of a word were built, merge by merge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from bpe_teach.display import label
from bpe_teach.encode import encode_steps
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.pairs import Pair, Symbol
from bpe_teach.pictures import boxes, colours


class Node(NamedTuple):
    """A symbol in a merge tree, with the rank of the merge that made it."""

    symbol: Symbol
    rank: int | None = None  # None for a first symbol
    parts: tuple[Node, ...] = ()


def merge_tree(tok: Tokenizer, word: str) -> boxes.Picture:
    """Show how the tokens of one word were built, with the tokens above and their parts below.

    >>> merge_tree(Tokenizer.train("low low", scheme="chars", num_merges=2), "low")
    low (rank 1)
    ├─ lo (rank 0)
    │  ├─ l
    │  └─ o
    └─ w

    Raises ValueError for a text that is not exactly one word, for a word of more than 120 symbols,
    and for an unseen character.
    """
    tok.encode(word)  # raises for an unseen character
    words = [tok.scheme.symbols(part) for part in tok.scheme.split(word)]
    if len(words) != 1 or len(words[0]) > boxes.MOST_SYMBOLS:
        length = sum(map(len, words))
        raise ValueError(
            f"a tree shows one word of up to {boxes.MOST_SYMBOLS} symbols; {word!r:.80} is "
            f"{boxes.pluralize(len(words), 'word')} with {boxes.pluralize(length, 'symbol')}"
        )
    return _draw(build_trees(words[0], tok.ranks))


def _draw(trees: Iterable[Node]) -> boxes.Picture:
    drawn = []
    lines = []
    for tree in trees:
        drawn.append(f'<div style="{boxes.STYLES["tree"]}">{_node_html(tree)}</div>')
        lines += _branches(tree)
    return boxes.picture(boxes.row_html(drawn, boxes.WIDE_SPACE), "\n".join(lines))


def build_trees(word: Iterable[Symbol], ranks: Mapping[Pair, int]) -> list[Node]:
    """Return a tree for each token of a word, encoded by rank, in the order of the tokens."""
    nodes = [Node(symbol) for symbol in word]
    for step in encode_steps(word, ranks):
        if step.winner is not None:
            rank = step.candidates[step.winner]
            i = step.place
            left, right = nodes[i : i + 2]
            nodes[i : i + 2] = [Node(left.symbol + right.symbol, rank, (left, right))]
    return nodes


def _node_html(node: Node) -> str:
    """Draw a node as a bar, with its parts below; the bar is as wide as the parts together."""
    look = colours.tint(len(node.symbol)) if node.parts else colours.PLAIN
    note = f"rank {node.rank}" if node.parts else ""
    bar = boxes.token_html(node.symbol, note, look, style=boxes.STYLES["node_box"])
    if node.parts:
        parts = "".join(map(_node_html, node.parts))
        bar += f'<div style="{boxes.STYLES["node_parts"]}">{parts}</div>'
    return f'<div style="{boxes.STYLES["node"]}">{bar}</div>'


def _branches(node: Node) -> list[str]:
    """Return a node and the nodes below it as lines of text."""
    lines = [f"{label(node.symbol)} (rank {node.rank})" if node.parts else label(node.symbol)]
    for part in node.parts:
        first, *rest = _branches(part)
        is_last = part is node.parts[-1]
        lines.append(("└─ " if is_last else "├─ ") + first)
        for line in rest:
            lines.append(("   " if is_last else "│  ") + line)
    return lines
