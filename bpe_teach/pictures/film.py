"""Film: watch merges being learned from a text, step by step.

A film is one piece of HTML with a few words of JavaScript in its buttons (``film.html``). If a
notebook is not trusted, the buttons do nothing, but the first step and the table of all steps can
still be read.
"""

from collections.abc import Iterator, Mapping
from html import escape

from bpe_teach.display import label, spaced
from bpe_teach.pairs import Pair, Word, count_pairs, merge_pair, most_frequent_pair
from bpe_teach.pictures import boxes, colours
from bpe_teach.schemes import check_text

MOST_TIES = 3  # pairs that are named beside the pair that is merged
Frame = tuple[Word, str]  # the symbols as they are now, and a description of the next merge


def training_film(text: str, num_merges: int) -> boxes.Picture:
    """Show how merges are learned from a short text, step by step, with a slider and buttons.

    Each step names the most frequent pair, its count, and any pairs that are equally frequent but
    are met later. The text is treated as one word, as in notebook 01.

    >>> training_film("low slow", num_merges=2)
      0  l o w · s l o w  merge l + o (2 times; equally frequent but met later: o + w)
      1  lo w · s lo w  merge lo + w (2 times)
      2  low · s low  done

    Raises ValueError for a text with no characters or more than 120, and for a number of merges
    below 0.
    """
    if num_merges < 0:
        raise ValueError(f"num_merges must be 0 or more, not {num_merges}")
    check_text(text)
    if not 1 <= len(text) <= boxes.MOST_SYMBOLS:
        raise ValueError(
            f"a film needs a text of 1 to {boxes.MOST_SYMBOLS} symbols; this one has {len(text)}"
        )
    frames = list(_training_frames(tuple(text), num_merges))
    rows = _table_row_html("step", "symbols", "next")
    lines = []
    for number, (word, caption) in enumerate(frames):
        rows += _table_row_html(str(number), spaced(word), caption)
        lines.append(f"{number:>3}  {spaced(word)}  {caption}")
    drawn = _frames_html(frames)
    html = boxes.fill("film.html", last=len(frames) - 1, frames=drawn, rows=rows)
    return boxes.picture(html, "\n".join(lines))


def _training_frames(word: Word, num_merges: int) -> Iterator[Frame]:
    """Count, choose and merge; yield the symbols before each merge and after the last merge."""
    for _ in range(num_merges):
        pair_counts = count_pairs({word: 1})
        if not pair_counts:
            break
        pair = most_frequent_pair(pair_counts)
        yield word, _describe_choice(pair, pair_counts)
        word = merge_pair(word, pair)
    yield word, "done"


def _describe_choice(pair: Pair, pair_counts: Mapping[Pair, int]) -> str:
    """Describe the choice of a pair: its count, and which other pairs are equally frequent."""
    count = pair_counts[pair]
    others = [_plus(other) for other in pair_counts if pair_counts[other] == count]
    others.remove(_plus(pair))
    shown = ", ".join(others[:MOST_TIES])
    if len(others) > MOST_TIES:
        shown += f" and {len(others) - MOST_TIES} more"
    ties = f"; equally frequent but met later: {shown}" if others else ""
    return f"merge {_plus(pair)} ({boxes.pluralize(count, 'time')}{ties})"


def _plus(pair: Pair) -> str:
    return " + ".join(map(label, pair))


def _frames_html(frames: list[Frame]) -> str:
    """Draw all frames, with only the first frame visible."""
    drawn = ""
    for number, (word, caption) in enumerate(frames):
        display = "block" if number == 0 else "none"
        following, _ = frames[min(number + 1, len(frames) - 1)]
        row = boxes.row_html([_word_html(word, following)])
        below = boxes.caption_html(f"step {number} of {len(frames) - 1}: {caption}")
        drawn += f'<div style="display:{display}">{row}{below}</div>'
    return drawn


def _word_html(word: Word, merged: Word) -> str:
    """Draw the symbols: those to be merged next in an orange frame, merged symbols in colour."""
    tokens = []
    for symbol in word:
        look = colours.PLAIN if len(symbol) == 1 else colours.tint(0)
        tokens.append(boxes.token_html(symbol, look=look))
    drawn = []
    i = 0  # position of a symbol in the word
    for symbol in merged:
        if symbol == word[i]:
            drawn.append(tokens[i])
            i += 1
        else:  # the symbol is merged from two symbols
            drawn.append(f'<span style="{boxes.STYLES["pair"]}">{tokens[i]} {tokens[i + 1]}</span>')
            i += 2
    return " ".join(drawn)


def _table_row_html(*cells: str) -> str:
    style = boxes.STYLES["film_cell"]
    drawn = [f'<td style="{style}">{escape(cell)}</td>' for cell in cells]
    return f"<tr>{''.join(drawn)}</tr>"
