"""Encode: apply learned merges to a new word, and show why it was split so.

Two ways lead to the same tokens for every trained list of merges. *Replay* walks the whole list
(Sennrich, Haddow and Birch 2016); *by rank* looks only at the pairs that are there and takes the
one of lowest rank (Radford et al. 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from itertools import pairwise, repeat
from typing import TYPE_CHECKING, NamedTuple

from bpe_teach.pairs import Pair, Word, merge_pair
from bpe_teach.symbols import spaced

if TYPE_CHECKING:
    from pandas import DataFrame

SHORT = 50  # symbols; up to here reading through is quicker than a queue
NO_RANK = 1 << 60  # higher than any rank


def encode_by_replay(word: Word, merges: Iterable[tuple]) -> Word:
    """Apply every merge in the order in which it was learned.

    ``merges`` holds `Merge` objects or plain (left, right) pairs.

    >>> encode_by_replay(tuple("lower"), [("l", "o"), ("lo", "w"), ("e", "r")])
    ('low', 'er')
    """
    for left, right, *_ in merges:
        word = merge_pair(word, (left, right))
    return word


def encode_by_rank(word: Word, ranks: Mapping[Pair, int]) -> Word:
    """Join the pair of lowest rank, the leftmost of equals, until no pair has a rank.

    Short words are read through after every join; for a long one a queue keeps the work at
    n log n steps, however many symbols n it has.

    >>> encode_by_rank(tuple("lower"), {("l", "o"): 0, ("lo", "w"): 1, ("e", "r"): 2})
    ('low', 'er')
    """
    return tuple(join_by_rank(list(word), ranks, lambda rank, left, right: left + right))


def join_by_rank(symbols: list, ranks: Mapping[tuple, int], join: Callable) -> list:
    """Do the work of `encode_by_rank`, on symbols or ids: ``join(rank, left, right)`` makes one."""
    return (_by_reading if len(symbols) <= SHORT else _by_queue)(symbols, ranks, join)


def _by_reading(symbols: list, ranks: Mapping[tuple, int], join: Callable) -> list:
    """Encode by rank, reading the list of ranks through for each join."""
    rank_of = ranks.get
    found = list(map(rank_of, pairwise(symbols), repeat(NO_RANK)))  # position -> rank of its pair
    while found and (lowest := min(found)) != NO_RANK:
        i = found.index(lowest)
        new = symbols[i] = join(lowest, symbols[i], symbols.pop(i + 1))
        del found[i]
        if i < len(found):
            found[i] = rank_of((new, symbols[i + 1]), NO_RANK)
        if i:
            found[i - 1] = rank_of((symbols[i - 1], new), NO_RANK)
    return symbols


def _by_queue(symbols: list, ranks: Mapping[tuple, int], join: Callable) -> list:
    """Encode by rank with a queue of the pairs that can be joined, lowest rank first."""
    end = len(symbols)
    before = list(range(-1, end - 1))  # position -> position of the neighbour on the left
    after = list(range(1, end + 1))  # position -> position of the neighbour on the right
    pairs = enumerate(pairwise(symbols))
    queue = [(rank, i) for i, pair in pairs if (rank := ranks.get(pair)) is not None]
    heapify(queue)
    while queue:
        rank, i = heappop(queue)
        j = after[i]
        if j == end or ranks.get((symbols[i], symbols[j])) != rank:
            continue  # one of the two has been joined to another symbol meanwhile
        symbols[i] = join(rank, symbols[i], symbols[j])
        symbols[j] = None  # joined to the one before it
        after[i] = after[j]
        if after[i] < end:
            before[after[i]] = i
        for left, right in ((i, after[i]), (before[i], i)):
            if left >= 0 and right < end:
                rank = ranks.get((symbols[left], symbols[right]))
                if rank is not None:
                    heappush(queue, (rank, left))
    return [symbol for symbol in symbols if symbol is not None]


class Step(NamedTuple):
    """One step of encoding: the word as it is, the pairs that have a rank, the one that wins."""

    word: Word
    candidates: dict[Pair, int]  # pair -> rank
    winner: Pair | None  # None: no pair has a rank, the word is done


def trace_by_rank(word: Word, ranks: Mapping[Pair, int]) -> Iterator[Step]:
    """Yield every step of encoding by rank, the last one with no winner.

    All occurrences of the winner are joined in one step, from left to right.

    >>> for step in trace_by_rank(tuple("lowly"), {("l", "o"): 0, ("lo", "w"): 1}):
    ...     print(step.word, step.candidates, step.winner)
    ('l', 'o', 'w', 'l', 'y') {('l', 'o'): 0} ('l', 'o')
    ('lo', 'w', 'l', 'y') {('lo', 'w'): 1} ('lo', 'w')
    ('low', 'l', 'y') {} None
    """
    while True:
        candidates = {pair: ranks[pair] for pair in pairwise(word) if pair in ranks}
        winner = min(candidates, key=candidates.get, default=None)
        yield Step(word, candidates, winner)
        if winner is None:
            return
        word = merge_pair(word, winner)


def trace_table(word: Word, ranks: Mapping[Pair, int]) -> DataFrame:
    """Lay the steps of encoding by rank out as a table, one row a step.

    >>> trace_table(tuple("low"), {("l", "o"): 0, ("lo", "w"): 1}).winner.tolist()
    ['l o', 'lo w', '']
    """
    import pandas as pd

    rows = []
    for step in trace_by_rank(word, ranks):
        pairs = sorted(step.candidates, key=step.candidates.get)
        candidates = ", ".join(f"{step.candidates[pair]}: {spaced(pair)}" for pair in pairs)
        rows.append((spaced(step.word), candidates, spaced(step.winner or ())))
    return pd.DataFrame(rows, columns=["word", "candidates", "winner"]).rename_axis("step")
