"""Parity: each merge serves the language that pays most at that moment.

Ordinary merges serve the language with the most text. Parity-aware BPE (Foroutan et al. 2025,
https://arxiv.org/abs/2508.04796) uses translations of one text. The language whose page has the
most tokens is served worst, so the next merge is the most frequent pair of that page. The paper
finds this language on one set of translations and counts pairs in other, larger texts; here the
same pages do both.
"""

from collections.abc import Mapping

from bpe_teach.learn import Merge, merge_words
from bpe_teach.pairs import Word, count_pairs, most_frequent_pair


def learn_parity_merges(
    pages: Mapping[str, Mapping[Word, int]], num_merges: int
) -> tuple[list[Merge], list[str]]:
    """Return merges, each for the page with the most tokens, and the language each one served.

    ``pages`` holds the word counts of each language. Among equal pages, the first is served. A page
    without a pair that occurs twice is left out; when all are, learning ends.

    >>> pages = {"one": {tuple("aab"): 2}, "other": {tuple("abcabc"): 2}}
    >>> merges, served = learn_parity_merges(pages, 3)
    >>> [merge.token for merge in merges], served
    (['ab', 'abc', 'aab'], ['other', 'other', 'one'])
    """
    pages = dict(pages)  # language -> word counts, merged so far
    merges = []
    served = []
    waiting = set(pages)  # languages that may have a pair left
    while waiting and len(merges) < num_merges:
        tokens = {}  # language -> tokens of its page
        for language, word_counts in pages.items():
            if language in waiting:
                tokens[language] = sum(len(word) * n for word, n in word_counts.items())
        worst = max(tokens, key=tokens.get)
        pair_counts = count_pairs(pages[worst])
        pair = most_frequent_pair(pair_counts) if pair_counts else None
        if pair is None or pair_counts[pair] < 2:
            waiting.remove(worst)
            continue
        merges.append(Merge(*pair, pair_counts[pair]))
        served.append(worst)
        for language, word_counts in pages.items():
            pages[language] = merge_words(word_counts, pair)
    return merges, served
