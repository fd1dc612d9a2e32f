"""Mixture: what a list of merges reveals about the text from which it was learned.

At each step of training, the most frequent pair of the text was merged. Suppose that the text is a
mixture of known sources in unknown shares. Each merge limits what the shares can be, and many
merges leave little room. Hayase et al. (2024, https://arxiv.org/abs/2407.16607) find the shares
with a linear program; here we try all mixtures in steps of a few per cent.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product

import numpy as np

from bpe_teach.learn import merge_words
from bpe_teach.pairs import Pair, Word, count_pairs

Shares = tuple[float, ...]  # the share of each source; their sum is 1


def all_mixtures(sources: int, steps: int = 20) -> list[Shares]:
    """Return all ways to mix sources in shares that are multiples of 1 / steps.

    >>> all_mixtures(2, steps=4)
    [(0.0, 1.0), (0.25, 0.75), (0.5, 0.5), (0.75, 0.25), (1.0, 0.0)]
    """
    mixtures = []
    for portions in product(range(steps + 1), repeat=sources):
        if sum(portions) == steps:
            mixtures.append(tuple(portion / steps for portion in portions))
    return mixtures


def misfits(
    merges: Iterable[tuple], sources: Sequence[Mapping[Word, int]], mixtures: Sequence[Shares]
) -> list[float]:
    """Return how badly each mixture explains the merges; 0 if each merge is a most frequent pair.

    If a mixture were the training text, some pairs might be more frequent at some step than the
    pair that was merged. For each such pair, we take its excess at the step where the excess is
    greatest, in pairs per symbol, and add these numbers up. (A pair counts only once, even if it is
    too frequent at several steps.) The shares of a mixture are shares of its first symbols.

    >>> one, other = {("a", "a", "b"): 1}, {("b", "a", "a"): 1}
    >>> misfits([("a", "b")], [one, other], [(1, 0), (0.5, 0.5), (0, 1)])
    [0.0, 0.16666666666666666, 0.6666666666666666]
    """
    sources = list(sources)
    lengths = []  # symbols in each source
    for source in sources:
        lengths.append(sum(len(word) * count for word, count in source.items()))
    weights = np.array(mixtures) / lengths  # rows are mixtures, columns are sources
    worst = {}  # pair -> its greatest excess in each mixture
    for left, right, *_ in merges:
        ahead = _ahead_of((left, right), sources)
        table = np.array(list(ahead.values())).reshape(-1, len(sources))  # even if it has no rows
        too_frequent = table @ weights.T  # rows are pairs, columns are mixtures
        for pair, excess in zip(ahead, too_frequent, strict=True):
            worst[pair] = np.maximum(worst.get(pair, 0), excess)
        sources = [merge_words(source, (left, right)) for source in sources]
    return sum(worst.values(), np.zeros(len(mixtures))).tolist()


def _ahead_of(merged: Pair, sources: Sequence[Mapping[Word, int]]) -> dict[Pair, list[int]]:
    """Return how much more often each pair occurs than the merged pair, in each source."""
    pair_counts = [count_pairs(source) for source in sources]
    ahead = {}  # pair -> a number for each source
    for pair in sum(pair_counts, Counter()):  # all pairs, always in the same order
        ahead[pair] = [counts[pair] - counts[merged] for counts in pair_counts]
    return ahead


def infer_mixture(
    merges: Iterable[tuple], sources: Mapping[str, Mapping[Word, int]], steps: int = 20
) -> dict[str, float]:
    """Return the shares of the sources that best explain a list of merges.

    If several mixtures explain the merges equally well, the result is the mean of these mixtures.

    >>> sources = {"one": {("a", "a", "b"): 1}, "other": {("b", "b", "a"): 1}}
    >>> infer_mixture([("b", "b"), ("bb", "a")], sources, steps=4)
    {'one': 0.25, 'other': 0.75}
    """
    mixtures = all_mixtures(len(sources), steps)
    found = misfits(merges, list(sources.values()), mixtures)
    least = min(found) + 1e-12  # sums of fractions are not exact
    best = [shares for shares, misfit in zip(mixtures, found, strict=True) if misfit <= least]
    return dict(zip(sources, np.mean(best, axis=0).tolist(), strict=True))
