"""Fast encode: the tokens of `encode_by_rank`, found with a fraction of the work.

Symbols are ids, because pairs of numbers are faster to look up than pairs of symbols.
After a merge, only the two pairs beside the new symbol are looked up again. Most words of a text
occur many times, and pieces of words even more often, so their ids are remembered. A word that is
itself a token is looked up as a whole. And a long word is cut into tokens without merging.

The last two need merges such as training makes: every token is made by one merge and encodes to
itself (see `bpe_teach.fast.borders`). With other merges, every word is merged. To find out takes
as long as merging thousands of words, so it waits until there have been as many.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from heapq import heappop, heappush
from itertools import pairwise
from operator import add
from typing import NamedTuple

from bpe_teach.fast.borders import Borders, Cuts, cut_into_tokens, find_borders, find_longest
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import BYTES, Scheme

SHORT = 50  # symbols; in shorter words, reading all ranks is faster than a queue, or than cutting
NO_RANK = 1 << 60  # higher than any rank
UNKNOWN = -1  # stands for a symbol without an id until a word is merged: nothing is made of it
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


class NumberedMerges(NamedTuple):
    """Merges in which each symbol is an id.

    >>> ids = {"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}
    >>> NumberedMerges.of([("l", "o"), ("lo", "w")], ids)
    NumberedMerges(ranks={(0, 1): 0, (3, 2): 1}, made=[3, 4])
    """

    ranks: "Mapping[tuple[int, int], int] | RanksOfTokens"  # (id of left, id of right) -> rank
    made: Sequence[int] | Mapping[int, int]  # rank -> id of the token that is made

    @classmethod
    def of(cls, merges: Collection[tuple], ids: Mapping[Symbol, int]) -> "NumberedMerges":
        """Return merges, or pairs, in which symbols have become ids."""
        return cls.of_columns([merge[0] for merge in merges], [merge[1] for merge in merges], ids)

    @classmethod
    def of_columns(
        cls, lefts: Sequence[Symbol], rights: Sequence[Symbol], ids: Mapping[Symbol, int]
    ) -> "NumberedMerges":
        """Return the merges of what stands left with what stands right; KeyError without an id."""
        # A published vocabulary has 200,000 tokens: `map`, `zip` and `dict` number them in a third
        # of the time that a loop takes.
        find = ids.__getitem__
        pairs = zip(map(find, lefts), map(find, rights), strict=True)
        made = list(map(find, map(add, lefts, rights)))
        return cls(dict(zip(pairs, range(len(made)))), made)


class RanksOfTokens:
    """Ranks of pairs, from a table of tokens: a pair has the rank of the token that it makes.

    So tokens with ranks are enough to encode: nobody has to know which two symbols each of them was
    merged from. `get` is all that merging asks of a table of ranks.

    >>> ranks = RanksOfTokens({0: "l", 1: "o", 2: "w", 3: "ow", 4: "low"}, {"ow": 0, "low": 1})
    >>> ranks.get((1, 2)), ranks.get((0, 3)), ranks.get((0, 1))  # o w, l ow, l o
    (0, 1, None)
    """

    def __init__(self, symbols: Mapping[int, Symbol], ranks: Mapping[Symbol, int]):
        self.symbols = symbols  # id -> symbol
        self.ranks = ranks  # token -> rank

    def get(self, pair: tuple[int, int], default: int | None = None) -> int | None:
        """Return the rank of a pair of ids, or the default if nothing is made of the two."""
        left, right = pair
        try:
            made = self.symbols[left] + self.symbols[right]
        except KeyError:  # one of them is no symbol, such as `UNKNOWN`
            return default
        return self.ranks.get(made, default)


class FastEncoder:
    """Encodes words (as text) into ids, given the id of each token and numbered merges.

    ``unknown`` is the id of symbols that have none; without it they raise `UnseenSymbol`. With
    ``whole_words``, a word that is a key of ``ids`` isn't merged at all.

    >>> from bpe_teach.schemes import SCHEMES
    >>> ids = {"l": 0, "o": 1, "lo": 2}
    >>> merges = NumberedMerges.of([("l", "o")], ids)
    >>> encoder = FastEncoder(SCHEMES["chars"], ["l", "o"], ids, merges)
    >>> encoder.encode_word("loo"), encoder.merges_used("loo")
    ((2, 1), [0])
    """

    def __init__(
        self,
        scheme: Scheme,
        alphabet: Sequence[Symbol],
        ids: Mapping[Symbol, int],
        merges: NumberedMerges,
        unknown: int | None = None,
        *,
        whole_words: bool = False,
    ):
        self._scheme = scheme
        self._known_words = {}  # word -> its ids, for the words that are remembered
        self._known_pieces = {}  # piece of a word -> its ids
        self._first = {symbol: ids[symbol] for symbol in alphabet}
        self._ids = ids
        self._ranks, self._made = merges
        self._unknown = unknown
        self._whole = {}  # spelling of a word that isn't merged -> its id
        if whole_words:
            self._whole = ids
            if scheme.units is str and scheme.marker:  # a word may be spelled like the end of one
                self._whole = {str(symbol): i for symbol, i in ids.items()}
        # A word that isn't merged is looked up as it is, and a token with the end of its word.
        self._ending = "" if whole_words else scheme.marker
        self._translates = scheme.symbols("aa") == (b"a", b"a")  # no byte carries more
        self._translates = self._translates and all(byte in self._first for byte in BYTES)
        if self._translates:
            self._id_of_byte = [self._first[byte] for byte in BYTES]
        is_plain = all(len(one) == 1 and type(one) in (str, bytes) for one in alphabet)
        self._may_have_borders = is_plain and not (whole_words and scheme.marker)
        self._may_have_borders = self._may_have_borders and isinstance(self._ranks, Mapping)
        self._merged = 0  # symbols of words that were merged
        self._uses_borders = False  # not before this is more than there are merges

    def encode_words(self, words: Iterable[str]) -> list[int]:
        """Return the ids of words, one after the other, in one list."""
        return encode_each(words, self._encode, self._known_words)

    def encode_word(self, word: str) -> tuple[int, ...]:
        """Return the ids of one word."""
        return tuple(self.encode_words([word]))

    def _encode(self, word: str) -> tuple[int, ...]:
        """Return the ids of a word that isn't remembered, piece by piece if it can be cut."""
        if self._whole:
            whole = self._whole.get(self._spell(word))
            if whole is not None:
                return (whole,)
        if self._translates and not word.isascii() and not ESCAPE.search(word):
            pieces = self._cuts.pieces(word)
            if len(pieces) > 1:
                return tuple(encode_each(pieces, self._encode_piece, self._known_pieces))
        return self._encode_piece(word)

    def _spell(self, piece: str) -> Symbol:
        """Return the token that a word or a piece of one would be."""
        spelled = piece + self._ending
        return spelled if self._scheme.units is str else spelled.encode("utf-8", "surrogateescape")

    def _encode_piece(self, piece: str) -> tuple[int, ...]:
        """Return the ids of a word or of a piece of one."""
        number = self._numbers.get(self._spell(piece)) if self._uses_borders else None
        if number is not None:
            return (self._in_order[number],)
        ids = self._first_ids(piece)
        self._merged += len(ids)
        # To look through all merges takes about as long as merging words of as many symbols.
        if self._may_have_borders and self._merged > len(self._made):
            self._uses_borders = self._borders is not None
        if self._uses_borders and len(ids) > SHORT and self._alphabet_ids.issuperset(ids):
            most = MOST_READ * len(ids)
            spelled = self._spell(piece)
            tokens = cut_into_tokens(spelled, self._numbers, self._longest, self._borders, most)
            if tokens is not None:
                return tuple(self._in_order[number] for number in tokens)
        merge_by_rank(ids, self._ranks, self._made)
        if self._unknown is not None:
            ids = [self._unknown if i == UNKNOWN else i for i in ids]
        return tuple(ids)

    # What the borders between tokens need: numbers in the order in which training makes them

    @cached_property
    def _in_order(self) -> list[int]:
        """The ids of the alphabet, then those of the merged tokens, lowest rank first."""
        return [*self._first.values(), *self._made]

    @cached_property
    def _number_of_id(self) -> dict[int, int]:
        return {i: number for number, i in enumerate(self._in_order)}

    @cached_property
    def _numbers(self) -> dict[Symbol, int]:
        numbers = self._number_of_id
        return {symbol: numbers[i] for symbol, i in self._ids.items() if i in numbers}

    @cached_property
    def _borders(self) -> Borders | None:
        """The borders between tokens; None if training would not have made these merges."""
        first, tokens = len(self._first), len(self._in_order)
        if not self._may_have_borders or len(self._number_of_id) < tokens:
            return None  # the second: a token is made twice
        number = self._number_of_id.get
        ranks = {(number(a, tokens), number(b, tokens)): rank for (a, b), rank in self._ranks.items()}
        return find_borders(first, ranks, range(first, tokens))

    @cached_property
    def _alphabet_ids(self) -> set[int]:
        return set(self._first.values())

    @cached_property
    def _longest(self) -> dict[Symbol, int]:
        return find_longest(self._numbers)

    @cached_property
    def _cuts(self) -> Cuts:
        return Cuts(self._ids)

    def merges_used(self, word: str) -> list[int]:
        """Return the ranks of the merges that encode a word, in the order in which they are made.

        A word that encoding would look up as a whole is merged as well.
        """
        return merge_by_rank(self._first_ids(word), self._ranks, self._made)

    def count_symbols(self, word: str) -> int:
        """Return the number of first symbols of a word; `UnseenSymbol` if one of them has no id."""
        return len(self._first_ids(word))

    def _first_ids(self, word: str) -> list[int]:
        """Return the ids of the first symbols of a word, `UNKNOWN` for those that have none."""
        if self._translates:
            content = word.encode("utf-8", "surrogateescape")
            return list(map(self._id_of_byte.__getitem__, content))
        ids = []
        for symbol in self._scheme.symbols(word):
            i = self._first.get(symbol)
            if i is None and self._unknown is None:
                raise UnseenSymbol(symbol)
            ids.append(UNKNOWN if i is None else i)
        return ids


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
