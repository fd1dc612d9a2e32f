"""Display: show symbols, and the steps in which a word is encoded, so that people can read them.

The playground writes symbols in the same way (see ``drawFace`` in pictures/playground.js).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from bpe_teach.encode import encode_steps
from bpe_teach.pairs import Pair, Symbol, Word
from bpe_teach.symbols import spell
from bpe_teach.tokenizer import PlainTokenizer

if TYPE_CHECKING:
    from pandas import DataFrame

VISIBLE = {" ": "·", "\n": "⏎", "\t": "⇥", "\r": "␍", "\u00a0": "⍽"}  # white space -> sign
# control character -> how it is spelled out
CONTROLS = {i: f"\\x{i:02x}" for i in (*range(32), *range(127, 160)) if chr(i) not in "\t\n"}


def is_fragment(symbol: Symbol) -> bool:
    """Return whether a symbol holds bytes that do not form whole characters.

    >>> is_fragment("é".encode()), is_fragment("é".encode()[:1]), is_fragment("é")
    (False, True, False)
    """
    if isinstance(symbol, str):
        return False
    return symbol.decode("utf-8", "ignore").encode("utf-8") != symbol  # was anything ignored?


def label(symbol: Symbol) -> str:
    """Return a symbol as text that shows white space, control characters and fragments.

    >>> label(b" low\\n"), label("\\x00"), label("\u0301"), label("é".encode()[:1])
    ('·low⏎', '\\\\x00', '◌́', '⟨C3⟩')
    """
    if is_fragment(symbol):
        return f"⟨{symbol.hex(' ').upper()}⟩"
    text = "".join(map(_visible, spell(symbol)))
    if text and unicodedata.category(text[0]).startswith("M"):  # M: a mark, which needs a letter
        return "◌" + text
    return text


def _visible(character: str) -> str:
    if character in VISIBLE:
        return VISIBLE[character]
    if character.isprintable():
        return character
    return character.encode("unicode_escape").decode("ascii")


def printable(text: object) -> str:
    """Return a text with its control characters spelled out, because a terminal would obey them.

    >>> printable("a\x1b[2J.txt")
    'a\\\\x1b[2J.txt'
    """
    return str(text).translate(CONTROLS)


def spaced(symbols: Iterable[Symbol]) -> str:
    """Return symbols side by side, separated by spaces, with the white space in them made visible.

    >>> spaced([b" low", b"er", b"\\n"])
    '·low er ⏎'
    """
    return " ".join(map(label, symbols))


def trace_table(word: Word, ranks: Mapping[Pair, int]) -> DataFrame:
    """Return a table of the steps in which a word is encoded.

    Successive merges of the same pair share a row.
    """
    import pandas as pd  # here, because it loads slowly and nothing else in this module needs it

    rows = []
    # groupby puts successive steps with the same winner together; the first of them is shown.
    for _, steps in groupby(encode_steps(word, ranks), key=lambda step: step.winner):
        step = next(steps)
        lowest_first = sorted(step.candidates, key=step.candidates.get)
        candidates = [f"{step.candidates[pair]}: {spaced(pair)}" for pair in lowest_first]
        rows.append((spaced(step.word), ", ".join(candidates), spaced(step.winner or ())))
    return pd.DataFrame(rows, columns=["word", "candidates", "winner"]).rename_axis("step")


def trace(tok: PlainTokenizer, word: str) -> DataFrame:
    """Return a table of how a word is encoded (see `trace_table`).

    The table shows, for each step, the pairs that have a rank. The column ``winner`` holds the pair
    that is merged next; it is empty in the last row, when the word is done.

    >>> tok = PlainTokenizer.train("low lower", scheme="chars", num_merges=2)
    >>> trace(tok, "lowl")[["word", "winner"]].values.tolist()
    [['l o w l', 'l o'], ['lo w l', 'lo w'], ['low l', '']]

    Raises ValueError if the scheme finds no word in the text, or more than one word.
    """
    tok.encode(word)  # raises for an unseen character
    words = tok.scheme.split(word)
    if len(words) != 1:  # merges never cross words, so a trace of two would mislead
        raise ValueError(
            f"scheme {tok.scheme.name!r} sees {len(words)} words in {word!r:.80}, not one"
        )
    return trace_table(tok.scheme.symbols(words[0]), tok.ranks)
