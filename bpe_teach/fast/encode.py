"""Fast encode: the tokens of `encode_by_rank`, found with a fraction of the work.

Every symbol has a number, because pairs of numbers are faster to look up than pairs of symbols.
After a merge, only the two pairs beside the new symbol are looked up again. Most words of a text
occur many times, and pieces of words even more often, so their ids are remembered. A word that is
itself a token is looked up as a whole. And a long word is cut into tokens without merging.

The last two need merges such as training makes: every token is made by one merge and encodes to
itself (see `bpe_teach.fast.borders`). With other merges, every word is merged.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from heapq import heappop, heappush
from itertools import chain, pairwise

from bpe_teach.fast.borders import Cuts, cut_into_tokens, find_borders, find_longest
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import BYTES, Scheme

SHORT = 50  # symbols; in shorter words, reading all ranks is faster than a queue, or than cutting
NO_RANK = 1 << 60  # higher than any rank
REMEMBERED_WORDS = 100_000
REMEMBERED_LENGTH = 100  # characters; a longer word is not remembered
# How many symbols cutting may read per symbol of a word, before the word is merged after all.
# English needs 7 to 43. With 100, a place is tried 14 times: no two tries have the same length.
MOST_READ = 100
ESCAPE = re.compile("[\udc80-\udcff]")  # each replaces a byte that isn't part of a character


class UnseenSymbol(ValueError):
    """A symbol has no id; the attribute ``symbol`` says which."""

    def __init__(self, symbol: Symbol):
        super().__init__(f"{symbol!r} has no id")
        self.symbol = symbol


class FastEncoder:
    """Encodes words (as text) into ids. Ids number the alphabet, then the merges.

    ``unknown`` is the id of symbols that have none; without it they raise `UnseenSymbol`. ``ids``
    gives other ids to all tokens. Inside, tokens have numbers, and only the result is translated
    into ids. With ``whole_words``, a word that is a key of ``ids`` isn't merged at all.

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
        *,
        ids: Mapping[Symbol, int] | None = None,
        whole_words: bool = False,
    ):
        self._scheme = scheme
        self._known_words = {}  # word -> its ids, for the words that are remembered
        self._known_pieces = {}  # piece of a word -> its ids
        # Symbol -> number. A list made by hand may make a symbol twice: the lower number counts.
        self._made = {}  # for the alphabet and the results of merges
        tokens = [merge.token for merge in merges]
        for number, symbol in enumerate(chain(alphabet, tokens)):
            self._made.setdefault(symbol, number)
        numbers = self._made
        self._unknown = unknown  # the number of symbols that have none
        self._ids = None  # number -> id; None: a number is an id
        if ids is not None:
            numbers = dict(self._made)  # and those of tokens that no merge makes
            for number, symbol in enumerate(ids, len(alphabet) + len(merges)):
                numbers.setdefault(symbol, number)
            self._ids = {number: ids[symbol] for symbol, number in numbers.items()}
            if unknown is not None:
                self._unknown = -1  # no other symbol has this number
                self._ids[-1] = unknown
        self._numbers = numbers
        self._ranks = {}  # (number of left, number of right) -> rank
        for rank, (left, right, _) in enumerate(merges):
            self._ranks[numbers[left], numbers[right]] = rank
        self._number_of_rank = [numbers[token] for token in tokens]
        self._first = len(alphabet)  # the number of the first merge
        self._borders = None  # None: training would not have made these merges
        is_plain = all(len(one) == 1 and type(one) in (str, bytes) for one in alphabet)
        if is_plain and not (whole_words and scheme.marker):
            self._borders = find_borders(len(alphabet), self._ranks, self._number_of_rank)
        self._whole = {}  # spelling of a word that isn't merged -> its number
        if whole_words:
            self._whole = numbers
            if scheme.units is str and scheme.marker:  # a word may be spelled like the end of one
                self._whole = {str(symbol): number for symbol, number in numbers.items()}
        elif self._borders:
            self._whole = self._made
        # A word that isn't merged is looked up as it is, and a token with the end of its word.
        self._ending = "" if whole_words else scheme.marker
        self._translates = scheme.symbols("aa") == (b"a", b"a")  # no byte carries more
        self._cuts = None
        if self._translates:
            if not whole_words:
                self._cuts = Cuts(self._made)
            # All bytes have numbers below 256, so bytes.translate can look them up.
            self._number_of_byte = bytes(self._made.get(byte, 0) for byte in BYTES)
            self._unseen_bytes = any(byte not in self._made for byte in BYTES)

    def encode_words(self, words: Iterable[str]) -> list[int]:
        """Return the ids of words, one after the other, in one list."""
        return encode_each(words, self._encode, self._known_words)

    def encode_word(self, word: str) -> tuple[int, ...]:
        """Return the ids of one word."""
        return tuple(self.encode_words([word]))

    def _encode(self, word: str) -> tuple[int, ...]:
        """Return the ids of a word that isn't remembered, piece by piece if it can be cut."""
        if self._cuts is not None and not word.isascii() and not ESCAPE.search(word):
            pieces = self._cuts.pieces(word)
            if len(pieces) > 1:
                return tuple(encode_each(pieces, self._encode_piece, self._known_pieces))
        return self._encode_piece(word)

    def _encode_piece(self, piece: str) -> tuple[int, ...]:
        """Return the ids of a word or of a piece of one."""
        spelled = piece + self._ending
        if self._scheme.units is bytes:
            spelled = spelled.encode("utf-8", "surrogateescape")
        number = self._whole.get(spelled)
        numbers = self._find_tokens(piece, spelled) if number is None else [number]
        if self._ids is not None:
            numbers = [self._ids[number] for number in numbers]
        return tuple(numbers)

    def _find_tokens(self, piece: str, spelled: Symbol) -> list[int]:
        """Return the numbers of the tokens of a piece that isn't a token itself."""
        numbers = self._first_numbers(piece)
        is_known = len(numbers) > SHORT and min(numbers) >= 0 and max(numbers) < self._first
        if is_known and self._borders:
            most = MOST_READ * len(numbers)
            tokens = cut_into_tokens(spelled, self._made, self._longest, self._borders, most)
            if tokens is not None:
                return tokens
        merge_by_rank(numbers, self._ranks, self._number_of_rank)
        return numbers

    @cached_property
    def _longest(self) -> dict[Symbol, int]:
        return find_longest(self._made)

    def merges_used(self, word: str) -> list[int]:
        """Return the ranks of the merges that encode a word, in the order in which they are made.

        A word that encoding would look up as a whole is merged as well.
        """
        return merge_by_rank(self._first_numbers(word), self._ranks, self._number_of_rank)

    def count_symbols(self, word: str) -> int:
        """Return the number of first symbols of a word; `UnseenSymbol` if one of them has no id."""
        return len(self._first_numbers(word))

    def _first_numbers(self, word: str) -> list[int]:
        """Return the numbers of the first symbols of a word."""
        if self._translates and not self._unseen_bytes:
            content = word.encode("utf-8", "surrogateescape")
            return list(content.translate(self._number_of_byte))
        numbers = []
        for symbol in self._scheme.symbols(word):
            number = self._made.get(symbol, self._unknown)
            if number is None:
                raise UnseenSymbol(symbol)
            numbers.append(number)
        return numbers


def encode_each(
    words: Iterable[str], encode: Callable[[str], tuple[int, ...]], known: dict[str, tuple]
) -> list[int]:
    """Return the ids of words, one after the other, and remember those of each word in ``known``.

    Long words aren't remembered, and if there are too many words, all are forgotten.
    """
    ids = []
    for word in words:
        encoded = known.get(word)
        if encoded is None:
            encoded = encode(word)
            if len(word) <= REMEMBERED_LENGTH:
                if len(known) >= REMEMBERED_WORDS:
                    known.clear()
                known[word] = encoded
        ids += encoded
    return ids


def merge_by_rank(
    ids: list[int], ranks: Mapping[tuple[int, int], int], id_of_rank: Sequence[int]
) -> list[int]:
    """Encode ids by rank, in place; return the ranks of the merges made, in order.

    >>> ids = [0, 1, 2, 0, 1]
    >>> merge_by_rank(ids, {(0, 1): 0, (3, 2): 1}, [3, 4]), ids
    ([0, 0, 1], [4, 3])
    """
    if len(ids) <= SHORT:
        return _merge_by_reading(ids, ranks, id_of_rank)
    return _merge_by_queue(ids, ranks, id_of_rank)


def _merge_by_reading(ids: list[int], ranks: Mapping, id_of_rank: Sequence[int]) -> list[int]:
    """Before each merge, look for the lowest rank among the pairs of the word."""
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
        del found[i]  # … so the two pairs beside bc are looked up again
        if i < len(found):
            found[i] = rank_of((new, ids[i + 1]), NO_RANK)
        if i > 0:
            found[i - 1] = rank_of((ids[i - 1], new), NO_RANK)
    return used


def _merge_by_queue(ids: list[int], ranks: Mapping, id_of_rank: Sequence[int]) -> list[int]:
    """Keep the pairs that can be merged in queues, lowest rank first: n log n steps for n ids.

    A queue is a heap, from which `heappop` takes the least. One has the ranks, and for each rank
    one has the positions. Those that are out of date are skipped when their turn comes.
    """
    used = []
    end = len(ids)
    before = list(range(-1, end - 1))  # position -> position of the neighbour on the left
    after = list(range(1, end + 1))  # position -> position of the neighbour on the right
    places = {}  # rank -> queue of positions of the left one
    for i, pair in enumerate(pairwise(ids)):
        rank = ranks.get(pair)
        if rank is not None:
            places.setdefault(rank, []).append(i)  # in order, so it is a heap
    queue = sorted(places)  # of ranks
    while queue:
        rank = queue[0]
        if not places[rank]:
            del places[heappop(queue)]
            continue
        i = heappop(places[rank])
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
                    if rank not in places:
                        heappush(queue, rank)
                    heappush(places.setdefault(rank, []), left)
    ids[:] = [i for i in ids if i is not None]
    return used
