"""Encode: apply learned merges to a new word, and show why it was split so.

Two ways lead to the same tokens for every trained list of merges. *Replay* walks the whole list
(Sennrich, Haddow and Birch 2016); *by rank* looks only at the pairs that are there and takes the
one of lowest rank (Radford et al. 2019).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from bpe_teach.pairs import Pair, Symbol, Word, merge_pair
from bpe_teach.symbols import spaced

if TYPE_CHECKING:
    from pandas import DataFrame

SHORT = 50  # symbols; up to here reading through is quicker than a queue
NO_RANK = 1 << 60  # higher than any rank
CACHED_WORDS = 50_000  # how many words an encoder remembers …
CACHED_LENGTH = 100  # … and how long, in characters, a word to be remembered may be


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
    return (_by_reading if len(word) <= SHORT else _by_queue)(word, ranks)


def _by_reading(word: Word, ranks: Mapping[Pair, int]) -> Word:
    """Encode by rank, reading the list of ranks through for each join."""
    symbols = list(word)
    found = [ranks.get(pair, NO_RANK) for pair in pairwise(word)]  # position -> rank of its pair
    while found and (lowest := min(found)) != NO_RANK:
        i = found.index(lowest)
        symbols[i] += symbols.pop(i + 1)
        del found[i]
        if i < len(found):
            found[i] = ranks.get((symbols[i], symbols[i + 1]), NO_RANK)
        if i:
            found[i - 1] = ranks.get((symbols[i - 1], symbols[i]), NO_RANK)
    return tuple(symbols)


def _by_queue(word: Word, ranks: Mapping[Pair, int]) -> Word:
    """Encode by rank with a queue of the pairs that can be joined, lowest rank first."""
    symbols = list(word)  # None where a symbol was joined to the one before it
    end = len(word)
    before = list(range(-1, end - 1))  # position -> position of the neighbour on the left
    after = list(range(1, end + 1))  # position -> position of the neighbour on the right
    queue = [(ranks[pair], i) for i, pair in enumerate(pairwise(word)) if pair in ranks]
    heapify(queue)
    while queue:
        rank, i = heappop(queue)
        j = after[i]
        if j == end or ranks.get((symbols[i], symbols[j])) != rank:
            continue  # one of the two has been joined to another symbol meanwhile
        symbols[i] += symbols[j]
        symbols[j] = None
        after[i] = after[j]
        if after[i] < end:
            before[after[i]] = i
        for left, right in ((i, after[i]), (before[i], i)):
            if left >= 0 and right < end and (symbols[left], symbols[right]) in ranks:
                heappush(queue, (ranks[symbols[left], symbols[right]], left))
    return tuple(symbol for symbol in symbols if symbol is not None)


class WordEncoder(dict):
    """A dictionary from words (as text) to ids, which encodes a word when it is first asked for.

    ``spell`` turns a word into its first symbols. KeyError for a symbol that has no id, unless
    there is an ``unknown`` id for it. Long words are not remembered, and no more than
    ``CACHED_WORDS`` of the others, so memory stays bounded.

    >>> words = WordEncoder(tuple, {("l", "o"): 0}, {"l": 0, "o": 1, "lo": 2})
    >>> words["loo"]
    [2, 1]
    """

    def __init__(
        self,
        spell: Callable[[str], Word],
        ranks: Mapping[Pair, int],
        ids: Mapping[Symbol, int],
        unknown: int | None = None,
    ):
        self.spell, self.ranks, self.ids, self.unknown = spell, ranks, ids, unknown

    def __missing__(self, word: str) -> list[int]:
        tokens = encode_by_rank(self.spell(word), self.ranks)
        if self.unknown is None:
            ids = [self.ids[token] for token in tokens]
        else:
            ids = [self.ids.get(token, self.unknown) for token in tokens]
        if len(word) <= CACHED_LENGTH:
            if len(self) >= CACHED_WORDS:
                self.clear()
            self[word] = ids
        return ids


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
