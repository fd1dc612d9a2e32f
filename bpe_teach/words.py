"""Words: a number for every symbol, and every word encoded in numbers, once.

Most words of a text come again and again. A dictionary that encodes a word when it is first asked
for turns the rest of the work into looking up. Inside it pairs are pairs of ids, which are quicker
to look up than pairs of symbols; the answer is that of `encode_by_rank`.
"""

from collections.abc import Sequence

from bpe_teach.encode import join_by_rank
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import BYTES, Scheme

CACHED_WORDS = 50_000  # so many words are remembered …
CACHED_LENGTH = 100  # … and none that is longer, in characters


class WordEncoder(dict):
    """A dictionary from words (as text) to lists of ids, not to be changed. Its memory is bounded.

    Ids number the alphabet, then the merges. ``unknown`` is the id of symbols that have none;
    without it they raise KeyError.

    >>> from bpe_teach.schemes import SCHEMES
    >>> words = WordEncoder(SCHEMES["chars"], ["l", "o"], [Merge("l", "o", 1)])
    >>> words["loo"], words
    ([2, 1], {'loo': [2, 1]})
    """

    def __init__(
        self,
        scheme: Scheme,
        alphabet: Sequence[Symbol],
        merges: Sequence[Merge],
        unknown: int | None = None,
    ):
        tokens = [*alphabet, *(merge.token for merge in merges)]
        self.ids = {token: i for i, token in reversed([*enumerate(tokens)])}  # the lowest id wins
        number = self.ids.__getitem__
        self.ranks = {(number(m.left), number(m.right)): rank for rank, m in enumerate(merges)}
        self.made = [number(merge.token) for merge in merges]  # rank -> id
        self.scheme, self.unknown = scheme, unknown
        if scheme.units is bytes:
            self.table = bytes(map(number, BYTES))  # byte -> id

    def first_ids(self, word: str) -> list[int]:
        """Spell a word in the ids of its first symbols."""
        if self.scheme.units is bytes:
            return list(word.encode("utf-8").translate(self.table))
        symbols = self.scheme.symbols(word)
        if self.unknown is None:
            return [self.ids[symbol] for symbol in symbols]
        return [self.ids.get(symbol, self.unknown) for symbol in symbols]

    def __missing__(self, word: str) -> list[int]:
        made = self.made
        ids = join_by_rank(self.first_ids(word), self.ranks, lambda rank, left, right: made[rank])
        if len(word) <= CACHED_LENGTH:
            if len(self) >= CACHED_WORDS:
                self.clear()
            self[word] = ids
        return ids
