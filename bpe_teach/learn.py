"""Learn: the training loop of byte pair encoding, exactly as it is explained.

Gage (1994) replaced the most frequent pair of bytes to compress data; Sennrich, Haddow and Birch
(2016) kept the list of replacements and used it to cut words into subwords. This loop is theirs.
It recounts everything after each merge, which makes it slow and easy to trust: `fast.py` must
give the same answer.
"""

from collections.abc import Mapping
from typing import NamedTuple

from bpe_teach.pairs import Pair, Symbol, Word, count_pairs, merge_pair, most_frequent_pair


class Merge(NamedTuple):
    """One learned merge. Its position in the list of merges is its rank.

    ``count`` is how often the pair occurred when it was merged, overlaps included.

    >>> Merge("l", "ow", 3).pair, Merge("l", "ow", 3).token
    (('l', 'ow'), 'low')
    """

    left: Symbol
    right: Symbol
    count: int

    @property
    def pair(self) -> Pair:
        """The two symbols that are joined."""
        return (self.left, self.right)

    @property
    def token(self) -> Symbol:
        """The symbol that the merge makes."""
        return self.left + self.right


def learn_merges_naive(
    word_counts: Mapping[Word, int], num_merges: int, *, min_count: int = 1
) -> list[Merge]:
    """Learn up to ``num_merges`` merges, the most frequent pair first.

    Ties go to the pair met first. Learning ends early, with fewer merges, when no pair is left
    that occurs at least ``min_count`` times.

    >>> learn_merges_naive({tuple("low"): 3, tuple("slow"): 1}, 9, min_count=2)
    [Merge(left='l', right='o', count=4), Merge(left='lo', right='w', count=4)]
    """
    merges = []
    while len(merges) < num_merges:
        pair_counts = count_pairs(word_counts)
        if not pair_counts:
            break
        pair = most_frequent_pair(pair_counts)
        if pair_counts[pair] < min_count:
            break
        merges.append(Merge(*pair, pair_counts[pair]))
        word_counts = merge_words(word_counts, pair)
    return merges


def merge_words(word_counts: Mapping[Word, int], pair: Pair) -> dict[Word, int]:
    """Merge one pair in every word, keeping the order and the counts.

    >>> merge_words({("l", "o", "w"): 3, ("n", "o"): 1}, ("l", "o"))
    {('lo', 'w'): 3, ('n', 'o'): 1}
    """
    merged = {}
    for word, count in word_counts.items():
        word = merge_pair(word, pair)
        merged[word] = merged.get(word, 0) + count
    return merged
