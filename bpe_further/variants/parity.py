"""Parity: each merge serves the language that takes the most tokens at that moment.

Ordinary training favours the language with the most text: most merges shorten its words.
Parity-aware BPE (Foroutan et al. 2025, https://arxiv.org/abs/2508.04796) uses translations of one
text. The language whose page has the most tokens has been helped least, so the next merge is the
most frequent pair of that page. The paper finds this language on one set of translations and counts
pairs in larger texts; here the same pages serve both purposes. In the paper's base variant,
training ends when the language that pays most has no pair left that occurs twice; here training
goes on with the other languages. (A second variant in the paper limits each language's share of the
merges.)
"""

from collections.abc import Mapping

from bpe_teach.fast.learn import Queue, Row
from bpe_teach.learn import Merge
from bpe_teach.pairs import Word


def learn_parity_merges(
    pages: Mapping[str, Mapping[Word, int]], num_merges: int
) -> tuple[list[Merge], list[str]]:
    """Return merges, each for the page with the most tokens, and the language each merge serves.

    ``pages`` holds the word counts of each language. If several pages have equally many tokens, the
    first of these pages is served. A page without a pair that occurs twice is left out; when all
    pages are left out, learning ends.

    >>> pages = {"one": {tuple("aab"): 2}, "other": {tuple("abcabc"): 2}}
    >>> merges, served = learn_parity_merges(pages, 3)
    >>> [merge.token for merge in merges], served
    (['ab', 'abc', 'aab'], ['other', 'other', 'one'])
    """
    waiting = {language: _Page(counts) for language, counts in pages.items()}  # for more merges
    every = list(waiting.values())
    merges = []
    served = []
    while waiting and len(merges) < num_merges:
        worst = max(waiting, key=lambda language: waiting[language].tokens)
        merge = waiting[worst].best_pair()
        if merge is None:
            del waiting[worst]
            continue
        merges.append(merge)
        served.append(worst)
        for page in every:
            page.apply(merge)
    return merges, served


class _Page:
    """The words of one language, with their number of tokens so far and a queue of their pairs."""

    def __init__(self, word_counts: Mapping[Word, int]):
        self.tokens = sum(len(word) * count for word, count in word_counts.items())
        self.row = Row(word_counts)
        self.queue = Queue(self.row.counts, self.row.first_position, least=2)
        for pair in self.row.counts:
            self.queue.put(pair)

    def best_pair(self) -> Merge | None:
        """Return the merge that would serve this page best, or None if no pair occurs twice."""
        pair = self.queue.draw()
        if pair is None:
            return None
        self.queue.put(pair)  # it is taken out when the merge is applied, here and on other pages
        left, right = pair
        return Merge(self.row.names[left], self.row.names[right], self.row.counts[pair])

    def apply(self, merge: Merge) -> None:
        """Merge a pair in this page, even if the pair was chosen for a different page."""
        pair = (self.row.ids.get(merge.left), self.row.ids.get(merge.right))
        if pair not in self.row.counts:
            return
        positions = [i for i in self.row.where[pair] if self._holds(pair, i)]
        for new in self.row.merge(pair):
            self.queue.put(new)
        token = self.row.ids[merge.token]
        for i in positions:  # of the three pairs in aaaa, two are merged
            if self.row.symbols[i] == token:
                self.tokens -= self.row.weight[i]

    def _holds(self, pair: tuple[int, int], i: int) -> bool:
        """Return whether a pair still stands at the position ``i``, where it was once met."""
        left, right = pair
        symbols = self.row.symbols
        return symbols[i] == left and symbols[i + self.row.width[i]] == right
