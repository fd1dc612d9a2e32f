"""Pruning: remove the tokens that were only needed to build longer ones.

A token such as ` telegra` is scaffolding: once ` telegraph` is there, it hardly ever occurs alone,
but keeps its row in the vocabulary. Picky BPE (Chizhov et al. 2024,
https://arxiv.org/abs/2409.04599) removes it at once, and goes on until the vocabulary is full.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from bpe_teach.learn import Merge, merge_words
from bpe_teach.pairs import Pair, Symbol, Word, count_pairs, merge_pair, most_frequent_pair


class Removal(NamedTuple):
    """A token that was removed, with those that take its place where it stood alone."""

    token: Symbol
    parts: tuple[Symbol, ...]


Event = Merge | Removal


def learn_picky(
    word_counts: Mapping[Word, int], num_tokens: int, *, threshold: float = 0.9, min_count: int = 2
) -> list[Event]:
    """Learn merges and removals, until ``num_tokens`` merged tokens are in the vocabulary.

    After each merge both parts are looked at. A part that has lost at least the share ``threshold``
    of its occurrences to this merge is removed. First symbols always stay.

    >>> for event in learn_picky({tuple("low"): 9, tuple("lot"): 1, tuple("so"): 2}, 2):
    ...     print(event)
    Merge(left='l', right='o', count=10)
    Merge(left='lo', right='w', count=9)
    Removal(token='lo', parts=('l', 'o'))
    Merge(left='s', right='o', count=2)

    Raises ValueError for a ``threshold`` that is not above 0.5: removals could then undo what
    merges do, without end.
    """
    if threshold <= 0.5:
        raise ValueError(f"threshold is {threshold}; it must be above 0.5, so that learning ends")
    built_from = {}  # token -> the pair that it was last merged from
    kept = set()  # the merged tokens in the vocabulary
    events = []
    while len(kept) < num_tokens:
        pair_counts = count_pairs(word_counts)
        if not pair_counts:
            break
        pair = most_frequent_pair(pair_counts)
        if pair_counts[pair] < min_count:
            break
        merge = Merge(*pair, pair_counts[pair])
        before = word_counts
        word_counts = merge_words(before, pair)
        events.append(merge)
        kept.add(merge.token)
        built_from[merge.token] = pair
        for part in sorted(kept.intersection(pair)):
            left_over = _count(part, word_counts) / _count(part, before)
            if 1 - left_over >= threshold:
                kept.remove(part)
                removal = Removal(part, _take_apart(part, kept, built_from))
                events.append(removal)
                word_counts = _split_words(word_counts, removal)
    return events


def encode_picky(word: Word, events: Iterable[Event]) -> Word:
    """Do to a word all that was done to the words of the training text, in the same order.

    >>> events = [Merge("l", "o", 10), Merge("lo", "w", 9), Removal("lo", ("l", "o"))]
    >>> encode_picky(tuple("slow"), events), encode_picky(tuple("lot"), events)
    (('s', 'low'), ('l', 'o', 't'))
    """
    for event in events:
        if isinstance(event, Merge):
            word = merge_pair(word, event.pair)
        else:
            word = _split_word(word, event)
    return word


def _count(symbol: Symbol, word_counts: Mapping[Word, int]) -> int:
    """Count a symbol, each word as often as it occurs."""
    return sum(word.count(symbol) * count for word, count in word_counts.items())


def _take_apart(
    token: Symbol, kept: Collection[Symbol], built_from: Mapping[Symbol, Pair]
) -> tuple[Symbol, ...]:
    """Return the tokens that spell a removed one; what has been removed before is taken apart."""
    parts = ()
    for part in built_from[token]:
        if part in built_from and part not in kept:
            parts += _take_apart(part, kept, built_from)
        else:
            parts += (part,)
    return parts


def _split_words(word_counts: Mapping[Word, int], removal: Removal) -> dict[Word, int]:
    """Put the parts of a removed token in its place in every word."""
    split = {}
    for word, count in word_counts.items():
        word = _split_word(word, removal)
        split[word] = split.get(word, 0) + count
    return split


def _split_word(word: Word, removal: Removal) -> Word:
    split = ()
    for symbol in word:
        split += removal.parts if symbol == removal.token else (symbol,)
    return split
