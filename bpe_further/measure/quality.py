"""Quality: how evenly tokens are used, how fairly they are shared, and where they are cut.

Compression is one way to decide which of two vocabularies is better. This module has other ways
to compare vocabularies.
"""

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import product
from statistics import fmean
from typing import NamedTuple

from bpe_teach.corpora import load_corpus

ORDER = 2.5  # of the entropy; a higher order gives frequent tokens more weight; 1 means Shannon's


def renyi_efficiency(tokens: Iterable[Hashable], vocab_size: int) -> float:
    """Return how evenly the entries of a vocabulary are used.

    The result is 1 if all entries are used equally often, and 0 if only one entry is used. It is
    Rényi's entropy of order 2.5, divided by its maximum (Zouhar et al. 2023,
    https://arxiv.org/abs/2306.16842). But this number can rise without any benefit to a model
    (Cognetta et al. 2024, https://arxiv.org/abs/2402.14614).

    >>> renyi_efficiency("abab", vocab_size=2), round(renyi_efficiency("aaab", vocab_size=2), 3)
    (1.0, 0.632)

    Raises ValueError for a text without tokens, and for a vocabulary too small for the tokens.
    """
    counts = Counter(tokens)
    if not counts or vocab_size < max(len(counts), 2):
        needed = "tokens must not be empty, and vocab_size at least 2 and enough for all of them"
        raise ValueError(f"{needed}, not {vocab_size} for {len(counts)} distinct tokens")
    total = counts.total()
    power_sum = sum((count / total) ** ORDER for count in counts.values())
    entropy = math.log2(power_sum) / (1 - ORDER)
    return entropy / math.log2(vocab_size)


def gini(costs: Iterable[float]) -> float:
    """Return how unequal costs are: 0 if all pay the same, almost 1 if one of many pays everything.

    The Gini coefficient is half the mean difference between two costs, divided by the mean of the
    costs (Gini 1912). Foroutan et al. 2025 (https://arxiv.org/abs/2508.04796) apply it to the
    numbers of tokens in different languages.

    >>> gini([3, 3, 3]), gini([0, 0, 0, 12]), gini([1, 3])
    (0.0, 0.75, 0.25)

    Raises ValueError if there are no costs, if a cost is negative, or if all costs are zero.
    """
    costs = list(costs)
    if not costs or min(costs) < 0 or sum(costs) == 0:
        raise ValueError(f"costs must be numbers, none negative, not all zero, not {costs!r:.80}")
    mean_difference = fmean(abs(one - other) for one, other in product(costs, repeat=2))
    return mean_difference / (2 * fmean(costs))


class BorderScore(NamedTuple):
    """How well the cuts of words match the borders of their morphemes, in numbers from 0 to 1."""

    precision: float  # the share of the cuts that are borders
    recall: float  # the share of the borders that are cut
    f1: float  # the harmonic mean of the two


def load_morphemes() -> dict[str, list[str]]:
    """Return English words with their morphemes, the smallest parts of words with a meaning.

    >>> words = load_morphemes()
    >>> words["unkindness"], words["butter"], words["butterfly"]
    (['un', 'kind', 'ness'], ['butter'], ['butter', 'fly'])
    """
    words = {}  # word -> its parts
    for line in load_corpus("morphemes").split():
        words[line.replace("|", "")] = line.split("|")
    return words


def borders(pieces: Iterable[str]) -> set[int]:
    """Return the places where the pieces of a word meet, in characters from its beginning.

    >>> sorted(borders(["un", "kind", "ness"])), borders(["butter"])
    ([2, 6], set())
    """
    places = set()
    length = 0
    for piece in pieces:
        length += len(piece)
        places.add(length)
    places.discard(length)  # the end of the word is not a border between two pieces
    return places


def border_score(
    cut: Callable[[str], Sequence[str]], words: Mapping[str, list[str]]
) -> BorderScore:
    """Compare the cuts that a tokenizer makes with the borders of morphemes, in all words together.

    ``cut(word)`` returns the pieces of a word; ``words`` maps each word to its morphemes. If
    nothing is cut, precision is 1; if there is no border to find, recall is 1.

    >>> right = {"unkind": ["un", "kind"], "butter": ["butter"]}
    >>> border_score(lambda word: [word[:2], word[2:]], right)
    BorderScore(precision=0.5, recall=1.0, f1=0.6666666666666666)

    Raises ValueError if the pieces of a word do not spell the word.
    """
    hits = made = wanted = 0
    for word, parts in words.items():
        pieces = cut(word)
        if "".join(pieces) != word:
            raise ValueError(f"the pieces {pieces!r:.80} do not spell the word {word!r:.80}")
        cuts = borders(pieces)
        right = borders(parts)
        hits += len(cuts & right)
        made += len(cuts)
        wanted += len(right)
    precision = hits / made if made else 1.0
    recall = hits / wanted if wanted else 1.0
    f1 = 2 * precision * recall / (precision + recall) if hits else 0.0
    return BorderScore(precision, recall, f1)
