"""Encode: apply learned merges to a new word, and show why it was split so.

Two ways lead to the same tokens for every trained list of merges. *Replay* walks the whole list
(Sennrich, Haddow and Birch 2016); *by rank* looks only at the pairs that are there and takes the
one of lowest rank (Radford et al. 2019). Both are written here as they are explained; `Tokenizer`
encodes with `fast_encode.py`, which must give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, NamedTuple

from bpe_teach.pairs import Pair, Word, merge_pair
from bpe_teach.symbols import spaced

if TYPE_CHECKING:
    from pandas import DataFrame


def encode_by_replay(word: Word, merges: Iterable[tuple]) -> Word:
    """Apply every merge in the order in which it was learned.

    ``merges`` holds `Merge` objects or plain (left, right) pairs.

    >>> encode_by_replay(tuple("lower"), [("l", "o"), ("lo", "w"), ("e", "r")])
    ('low', 'er')
    """
    for left, right, *_ in merges:
        word = merge_pair(word, (left, right))
    return word


class Step(NamedTuple):
    """One step of encoding by rank: the words as they are, and the merge that comes next."""

    words: tuple[Word, ...]
    candidates: dict[Pair, int]  # pairs that have a rank -> that rank
    winner: Pair | None = None  # the candidate of lowest rank; None: the words are done
    place: tuple[int, int] | None = None  # where it stands first: which word, which symbol


def encode_steps(words: Iterable[Word], ranks: Mapping[Pair, int]) -> Iterator[Step]:
    """Merge the pair of lowest rank, the leftmost of equals, until no pair has a rank.

    Each step merges one pair in one place; the last one has no winner.

    >>> for step in encode_steps([tuple("lowlo")], {("l", "o"): 0, ("lo", "w"): 1}):
    ...     print(step.words, step.winner, step.place)
    (('l', 'o', 'w', 'l', 'o'),) ('l', 'o') (0, 0)
    (('lo', 'w', 'l', 'o'),) ('l', 'o') (0, 2)
    (('lo', 'w', 'lo'),) ('lo', 'w') (0, 0)
    (('low', 'lo'),) None None
    """
    words = [tuple(word) for word in words]
    while True:
        candidates = {}  # pair -> its rank
        places = {}  # pair -> where it stands first
        for w, word in enumerate(words):
            for i, pair in enumerate(pairwise(word)):
                if pair in ranks and pair not in candidates:
                    candidates[pair] = ranks[pair]
                    places[pair] = (w, i)
        if not candidates:
            yield Step(tuple(words), candidates)
            return
        winner = min(candidates, key=candidates.get)
        yield Step(tuple(words), candidates, winner, places[winner])
        w, i = places[winner]
        word = words[w]
        words[w] = (*word[:i], word[i] + word[i + 1], *word[i + 2 :])


def encode_by_rank(word: Word, ranks: Mapping[Pair, int]) -> Word:
    """Merge the pair of lowest rank, the leftmost of equals, until no pair has a rank.

    >>> encode_by_rank(tuple("lower"), {("l", "o"): 0, ("lo", "w"): 1, ("e", "r"): 2})
    ('low', 'er')
    """
    for step in encode_steps([word], ranks):
        (word,) = step.words
    return word


def trace_by_rank(words: Iterable[Word], ranks: Mapping[Pair, int]) -> Iterator[Step]:
    """Yield the steps of encoding by rank, merges of one pair taken together as one step.

    >>> for step in trace_by_rank([tuple("lowlo")], {("l", "o"): 0, ("lo", "w"): 1}):
    ...     print(step.words, step.winner)
    (('l', 'o', 'w', 'l', 'o'),) ('l', 'o')
    (('lo', 'w', 'lo'),) ('lo', 'w')
    (('low', 'lo'),) None
    """
    for _, steps in groupby(encode_steps(words, ranks), key=lambda step: step.winner):
        yield next(steps)


def trace_table(word: Word, ranks: Mapping[Pair, int]) -> DataFrame:
    """Lay the steps of encoding one word out as a table, one row a step.

    >>> trace_table(tuple("low"), {("l", "o"): 0, ("lo", "w"): 1}).winner.tolist()
    ['l o', 'lo w', '']
    """
    import pandas as pd

    rows = []
    for step in trace_by_rank([word], ranks):
        lowest_first = sorted(step.candidates, key=step.candidates.get)
        candidates = [f"{step.candidates[pair]}: {spaced(pair)}" for pair in lowest_first]
        rows.append((spaced(step.words[0]), ", ".join(candidates), spaced(step.winner or ())))
    return pd.DataFrame(rows, columns=["word", "candidates", "winner"]).rename_axis("step")
