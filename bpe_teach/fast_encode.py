"""Fast encode: the tokens of `encode_by_rank`, found with a small part of the work.

Three ideas. Every symbol has a number, and pairs of numbers are quicker to look up than pairs of
symbols. After a merge only the two pairs beside the new symbol are looked up again. And most words
of a text come again and again: what a word became is remembered.
"""

from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import chain, pairwise

from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import BYTES, Scheme

SHORT = 50  # symbols; up to here reading all ranks is quicker than a queue
NO_RANK = 1 << 60  # higher than any rank
REMEMBERED_WORDS = 50_000
REMEMBERED_LENGTH = 100  # characters; a longer word is not remembered


class UnseenSymbol(ValueError):
    """A symbol that has no id, in ``symbol``."""

    def __init__(self, symbol: Symbol):
        super().__init__(f"{symbol!r} has no id")
        self.symbol = symbol


class FastEncoder:
    """Encodes words (as text) into ids. Ids number the alphabet, then the merges.

    ``unknown`` is the id of symbols that have none; without it they raise `UnseenSymbol`.

    >>> from bpe_teach.schemes import SCHEMES
    >>> encoder = FastEncoder(SCHEMES["chars"], ["l", "o"], [Merge("l", "o", 1)])
    >>> encoder.encode_word("loo"), encoder.merges_used("loo")
    ((2, 1), [0])
    """

    def __init__(
        self,
        scheme: Scheme,
        alphabet: Sequence[Symbol],
        merges: Sequence[Merge],
        unknown: int | None = None,
    ):
        self._scheme = scheme
        self._unknown = unknown
        self._known = {}  # word -> its ids, for the words that are remembered
        # Symbol -> id. A list that was not learned may make a symbol twice: the lower id counts.
        self._ids = {}
        for i, symbol in enumerate(chain(alphabet, (merge.token for merge in merges))):
            self._ids.setdefault(symbol, i)
        self._ranks = {}  # (id of left, id of right) -> rank
        self._id_of_rank = []  # rank -> id of what the merge makes
        for rank, merge in enumerate(merges):
            self._ranks[self._ids[merge.left], self._ids[merge.right]] = rank
            self._id_of_rank.append(self._ids[merge.token])
        if scheme.units is bytes:
            self._id_of_byte = bytes(map(self._ids.__getitem__, BYTES))

    def encode_words(self, words: Iterable[str]) -> list[int]:
        """Encode words, one after the other, into one list of ids."""
        ids = []
        for word in words:
            encoded = self._known.get(word)
            if encoded is None:
                encoded = self._encode(word)
            ids += encoded
        return ids

    def encode_word(self, word: str) -> tuple[int, ...]:
        """Encode one word."""
        return tuple(self.encode_words([word]))

    def _encode(self, word: str) -> tuple[int, ...]:
        """Encode a word that is not known yet, and remember it unless it is long."""
        ids = self._first_ids(word)
        merge_by_rank(ids, self._ranks, self._id_of_rank)
        encoded = tuple(ids)
        if len(word) <= REMEMBERED_LENGTH:
            if len(self._known) >= REMEMBERED_WORDS:
                self._known.clear()
            self._known[word] = encoded
        return encoded

    def merges_used(self, word: str) -> list[int]:
        """List the ranks of the merges that encode a word, in the order in which they are made."""
        return merge_by_rank(self._first_ids(word), self._ranks, self._id_of_rank)

    def count_symbols(self, word: str) -> int:
        """Count the first symbols of a word; `UnseenSymbol` if one of them has no id."""
        return len(self._first_ids(word))

    def _first_ids(self, word: str) -> list[int]:
        """Spell a word in the ids of its first symbols."""
        if self._scheme.units is bytes:
            # The ids of the 256 bytes are below 256, so bytes can be translated into bytes.
            return list(word.encode("utf-8").translate(self._id_of_byte))
        ids = []
        for symbol in self._scheme.symbols(word):
            i = self._ids.get(symbol, self._unknown)
            if i is None:
                raise UnseenSymbol(symbol)
            ids.append(i)
        return ids


def merge_by_rank(
    ids: list[int], ranks: Mapping[tuple[int, int], int], id_of_rank: Sequence[int]
) -> list[int]:
    """Encode by rank, in place; return the ranks of the merges made, in order.

    >>> ids = [0, 1, 2, 0, 1]
    >>> merge_by_rank(ids, {(0, 1): 0, (3, 2): 1}, [3, 4]), ids
    ([0, 0, 1], [4, 3])
    """
    if len(ids) <= SHORT:
        return _merge_by_reading(ids, ranks, id_of_rank)
    return _merge_by_queue(ids, ranks, id_of_rank)


def _merge_by_reading(ids: list[int], ranks: Mapping, id_of_rank: Sequence[int]) -> list[int]:
    """Look for the lowest rank among the pairs of the word, again for each merge."""
    used = []
    rank_of = ranks.get
    found = [rank_of(pair, NO_RANK) for pair in pairwise(ids)]  # position -> rank of its pair
    while found:
        lowest = min(found)
        if lowest == NO_RANK:
            break
        used.append(lowest)
        i = found.index(lowest)
        new = ids[i] = id_of_rank[lowest]
        del ids[i + 1]  # a b c d with the pairs ab bc cd becomes a bc d with the pairs ab cd …
        del found[i]  # … and these two are looked up again, as a bc and bc d
        if i < len(found):
            found[i] = rank_of((new, ids[i + 1]), NO_RANK)
        if i > 0:
            found[i - 1] = rank_of((ids[i - 1], new), NO_RANK)
    return used


def _merge_by_queue(ids: list[int], ranks: Mapping, id_of_rank: Sequence[int]) -> list[int]:
    """Keep the pairs that can be merged in a queue, lowest rank first: n log n steps for n ids.

    The queue is a heap, of which `heappop` takes the least (rank, position): of equal ranks the
    leftmost. Entries that are out of date are left in it and skipped when their turn comes.
    """
    used = []
    end = len(ids)
    before = list(range(-1, end - 1))  # position -> position of the neighbour on the left
    after = list(range(1, end + 1))  # position -> position of the neighbour on the right
    queue = []  # (rank, position of the left one)
    for i, pair in enumerate(pairwise(ids)):
        rank = ranks.get(pair)
        if rank is not None:
            queue.append((rank, i))
    heapify(queue)
    while queue:
        rank, i = heappop(queue)
        j = after[i]
        if j == end or ranks.get((ids[i], ids[j])) != rank:
            continue  # out of date: one of the two has been merged, and may be None
        used.append(rank)
        ids[i] = id_of_rank[rank]
        ids[j] = None  # merged with the one before it
        after[i] = after[j]
        if after[i] < end:
            before[after[i]] = i
        for left, right in ((before[i], i), (i, after[i])):
            if left >= 0 and right < end:
                rank = ranks.get((ids[left], ids[right]))
                if rank is not None:
                    heappush(queue, (rank, left))
    ids[:] = [i for i in ids if i is not None]
    return used
