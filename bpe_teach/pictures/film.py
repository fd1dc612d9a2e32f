"""Film: watch a text being merged step by step.

The film is one piece of HTML with a few words of JavaScript in its buttons. Where a notebook is
not trusted they are dead: the first step and the table of all steps can still be read.
"""

from __future__ import annotations

from html import escape
from itertools import chain

from bpe_teach.encode import Step, trace_by_rank
from bpe_teach.pairs import Symbol, Word
from bpe_teach.pictures.boxes import (
    CAPTION,
    LONGEST,
    PLAIN,
    WIDE_SPACE,
    Picture,
    caption_html,
    hidden,
    picture,
    row_html,
    tint,
    token_html,
)
from bpe_teach.symbols import label, spaced
from bpe_teach.tokenizer import Tokenizer

PAIR = (
    "display:inline-block;vertical-align:top;padding:0 2px;border-radius:6px;"
    "background:#d55e00;color:#fff"
)
BETWEEN_WORDS = WIDE_SPACE + hidden("| ")
BUTTON = (
    "font:13px/1.4 system-ui,sans-serif;padding:2px 10px;border:1px solid #999;border-radius:4px;"
    "background:#f4f4f4;color:#222;cursor:pointer"
)
SLIDER = "width:45%;vertical-align:middle"
CELL = "padding:2px 10px 2px 0;text-align:left;vertical-align:top;white-space:normal"

# What runs. The parts of a film are: controls, frames, table, advice.
STOP_KEYS = "event.stopPropagation()"  # or the notebook would take the arrow keys
SHOW_FRAME = (  # by the slider
    "const [controls, frames, table, advice] = this.parentNode.parentNode.children;"
    "for (const frame of frames.children) frame.style.display = 'none';"
    "frames.children[this.value].style.display = 'block';"
    "advice.style.visibility = 'hidden'"
)
MOVE_SLIDER = "const slider = this.parentNode.lastElementChild; {}; slider.oninput()"
BUTTONS = {
    "first": "slider.value = 0",
    "back": "slider.stepDown()",
    "next": "slider.stepUp()",
    "last": "slider.value = slider.max",
}
ADVICE = "If the buttons do nothing, run this cell."


def merge_film(tok: Tokenizer, text: str) -> Picture:
    """Show how a short text is merged, step by step, with a slider and buttons.

    >>> merge_film(Tokenizer.train("low low", scheme="chars", num_merges=2), "low")
      0  l o w  merge l + o (rank 0)
      1  lo w  merge lo + w (rank 1)
      2  low  done

    Raises ValueError for a text without symbols, or with more than 120, and for an unseen
    character.
    """
    words = [tok.scheme.symbols(word) for word in tok.split(text)]
    length = sum(map(len, words))
    if not 1 <= length <= LONGEST:
        raise ValueError(f"a film needs a text of 1 to {LONGEST} symbols; this one has {length}")
    steps = list(trace_by_rank(words, tok.ranks))
    parts = _controls_html(len(steps) - 1) + _frames_html(steps) + _table_html(steps)
    html = f'<div onkeydown="{STOP_KEYS}">{parts}{caption_html(ADVICE)}</div>'
    lines = [f"{number:>3}  {_words(step)}  {_next(step)}" for number, step in enumerate(steps)]
    return picture(html, "\n".join(lines))


def _words(step: Step) -> str:
    """Write the words as they are."""
    return " | ".join(map(spaced, step.words))


def _next(step: Step) -> str:
    """Say what comes next."""
    if step.winner is None:
        return "done"
    left, right = map(label, step.winner)
    return f"merge {left} + {right} (rank {step.candidates[step.winner]})"


def _controls_html(last: int) -> str:
    """Draw the buttons and the slider for steps 0 to ``last``."""
    buttons = "".join(map(_button_html, BUTTONS))
    slider = (
        f'<input type="range" min="0" max="{last}" value="0" aria-label="step of the film" '
        f'style="{SLIDER}" oninput="{SHOW_FRAME}">'
    )
    return f'<div style="margin:0 0 8px">{buttons}{slider}</div>'


def _button_html(name: str) -> str:
    """Draw a button that moves the slider."""
    action = MOVE_SLIDER.format(BUTTONS[name])
    return f'<button type="button" style="{BUTTON}" onclick="{action}">{name}</button> '


def _frames_html(steps: list[Step]) -> str:
    """Draw all steps as frames, of which the first is seen."""
    first_symbols = set(chain(*steps[0].words))
    frames = ""
    for number, step in enumerate(steps):
        display = "block" if number == 0 else "none"
        following = steps[min(number + 1, len(steps) - 1)]
        row = _words_html(step.words, following.words, first_symbols)
        caption = caption_html(f"step {number} of {len(steps) - 1}: {_next(step)}")
        frames += f'<div style="display:{display}">{row}{caption}</div>'
    return f"<div>{frames}</div>"


def _words_html(words: tuple[Word, ...], following: tuple[Word, ...], first: set[Symbol]) -> str:
    """Draw words before a step; ``following`` are the same words after it."""
    drawn = []
    for word, merged in zip(words, following, strict=True):
        drawn.append(_word_html(word, merged, first))
    return row_html(drawn, BETWEEN_WORDS)


def _word_html(word: Word, merged: Word, first: set[Symbol]) -> str:
    """Draw one word: what is merged next in an orange frame, what was merged before in colour."""
    boxes = [token_html(symbol, look=PLAIN if symbol in first else tint(0)) for symbol in word]
    drawn = []
    i = 0  # of a symbol in the word
    for symbol in merged:
        if symbol == word[i]:
            drawn.append(boxes[i])
            i += 1
        else:  # it is made of two
            drawn.append(f'<span style="{PAIR}">{boxes[i]} {boxes[i + 1]}</span>')
            i += 2
    return " ".join(drawn)


def _table_html(steps: list[Step]) -> str:
    """Draw all steps as a table, which opens on a click; no script is needed."""
    rows = _table_row_html("step", "symbols", "next")
    for number, step in enumerate(steps):
        rows += _table_row_html(str(number), _words(step), _next(step))
    table = f'<table style="border-collapse:collapse">{rows}</table>'
    summary = "<summary>all steps as a table</summary>"
    return f'<details style="{CAPTION}">{summary}{table}</details>'


def _table_row_html(*cells: str) -> str:
    """Draw one row of the table."""
    drawn = [f'<td style="{CELL}">{escape(cell)}</td>' for cell in cells]
    return f"<tr>{''.join(drawn)}</tr>"
