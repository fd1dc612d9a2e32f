"""Pairs: count the neighbours, choose the most frequent pair, merge it.

The whole of byte pair encoding rests on these three functions. They know nothing of characters
or bytes: a symbol is anything two of which can be joined with ``+``.
"""

from collections import Counter
from collections.abc import Mapping
from itertools import pairwise

Symbol = str | bytes
Word = tuple[Symbol, ...]
Pair = tuple[Symbol, Symbol]


def count_pairs(word_counts: Mapping[Word, int]) -> Counter[Pair]:
    """Count every pair of neighbouring symbols, each word as often as it occurs.

    Overlapping occurrences all count: ``aaa`` holds the pair (a, a) twice. The result lists the
    pairs in the order in which they are first met, which is what settles ties.

    >>> count_pairs({tuple("aaab"): 1, tuple("ab"): 5})
    Counter({('a', 'b'): 6, ('a', 'a'): 2})
    """
    counts = Counter()  # pair -> number of occurrences
    for word, count in word_counts.items():
        for pair in pairwise(word):
            counts[pair] += count
    return counts


def most_frequent_pair(pair_counts: Mapping[Pair, int]) -> Pair:
    """Return the pair with the highest count; among equals, the one met first.

    >>> most_frequent_pair({("l", "o"): 2, ("o", "w"): 3, ("w", "e"): 3})
    ('o', 'w')

    Raises ValueError if there is no pair to choose from.
    """
    if not pair_counts:
        raise ValueError("there is no pair to choose from: no word has two symbols left")
    return max(pair_counts, key=pair_counts.get)  # subtle: max keeps the first of equals


def merge_pair(word: Word, pair: Pair) -> Word:
    """Join every occurrence of the pair, from left to right and without overlap.

    >>> merge_pair(("a", "a", "a", "b"), ("a", "a"))
    ('aa', 'a', 'b')
    >>> merge_pair((b"l", b"o", b"w"), (b"l", b"o"))
    (b'lo', b'w')
    """
    merged = []
    i = 0
    while i < len(word):
        if word[i : i + 2] == pair:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)
