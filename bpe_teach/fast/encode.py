"""Fast encode: the tokens of `encode_by_rank`, found with a fraction of the work.

Four ideas save work. Symbols are ids, because pairs of numbers are faster to look up than pairs of
symbols. After a merge, only the two pairs beside the new symbol are looked up again. Most words of
a text occur many times, and pieces of words even more often, so the ids of words and pieces are
remembered. And a long word is cut into tokens without merging.

Cutting needs tokens that encode to themselves, as all tokens do after training. Whether a token
encodes to itself is checked only when a word contains it (see `bpe_teach.fast.borders`).
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property
from heapq import heappop, heappush
from itertools import pairwise, repeat
from operator import add
from typing import NamedTuple

from bpe_teach.fast.borders import Borders, Cuts, cut_into_tokens, find_longest
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import BYTES, Scheme

SHORT = 50  # symbols; in shorter words, reading all ranks is faster than a queue, or than cutting
NO_RANK = 1 << 60  # higher than any rank
UNKNOWN = -1  # stands for a symbol without an id while a word is merged: no merge uses it
REMEMBERED_WORDS = 100_000
REMEMBERED_LENGTH = 100  # characters; a longer word is not remembered
# How many symbols cutting may read per symbol of a word, before we give up and merge the word.
# English needs about 25 with GPT-2's merges, and fewer with fewer merges. At one place, each length
# is tried once at most. So if no token has more than 13 symbols, 1 + 2 + … + 13 = 91 symbols are
# enough for any word. If tokens are longer, a word may need more.
MOST_READ = 100
# With "surrogateescape", Python decodes a byte that isn't part of a character, such as c3 alone, as
# the code point dcc3, and encodes that as the same byte again. No text holds such a code point
# (`check_text`), but words that published tokenizers make of bytes may.
ESCAPE = re.compile("[\udc80-\udcff]")


class UnseenSymbol(ValueError):
    """A symbol has no id; the attribute ``symbol`` holds this symbol."""

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
        """Return merges, or pairs, with each symbol replaced by its id."""
        lefts, rights = [merge[0] for merge in merges], [merge[1] for merge in merges]
        made = list(map(ids.__getitem__, map(add, lefts, rights)))  # the id of each left + right
        return cls.of_columns(lefts, rights, made, ids)

    @classmethod
    def of_columns(
        cls,
        lefts: Iterable[Symbol],
        rights: Iterable[Symbol],
        made: Sequence[int],
        ids: Mapping[Symbol, int],
    ) -> "NumberedMerges":
        """Return the merges of left parts with right parts; raise KeyError if a part has no id.

        The ids of the tokens that the merges make are passed in, because they are often known.
        """
        # A published vocabulary has 200,000 tokens: `map`, `zip` and `dict` number them in a third
        # of the time that a loop takes.
        find = ids.__getitem__
        pairs = zip(map(find, lefts), map(find, rights), strict=True)
        return cls(dict(zip(pairs, range(len(made)), strict=True)), made)


class RanksOfTokens:
    """Ranks of pairs, from a table of tokens: a pair has the rank of the token that it makes.

    So tokens with ranks are enough to encode: nobody has to know from which two symbols each token
    was merged (notebook 08d). The method `get` is all that merging needs of a table of ranks.

    >>> ranks = RanksOfTokens({0: "l", 1: "o", 2: "w", 3: "ow", 4: "low"}, {"ow": 0, "low": 1})
    >>> ranks.get((1, 2)), ranks.get((0, 3)), ranks.get((0, 1))  # o w, l ow, l o
    (0, 1, None)
    """

    def __init__(self, symbols: Mapping[int, Symbol], ranks: Mapping[Symbol, int]):
        self.symbols = symbols  # id -> symbol
        self.ranks = ranks  # token -> rank

    def get(self, pair: tuple[int, int], default: int | None = None) -> int | None:
        """Return the rank of a pair of ids, or the default if the two make no token."""
        left, right = pair
        try:
            made = self.symbols[left] + self.symbols[right]
        except KeyError:  # one of the two is not a symbol, such as `UNKNOWN`
            return default
        return self.ranks.get(made, default)


class FastEncoder:
    """Encodes words (as text) into ids, given the id of each token and numbered merges.

    ``unknown`` is the id for symbols that have no id of their own; if ``unknown`` is not given,
    such a symbol raises `UnseenSymbol`. If ``whole_words`` is true, a word that is a key of ``ids``
    isn't merged at all: some published tokenizers need this option, because they have tokens that
    no merge makes (notebook 08d). The function ``merge`` replaces `merge_by_rank`.

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
        merge: Callable | None = None,
    ):
        self._scheme = scheme
        self._known_words = {}  # word -> its ids, for the words that are remembered
        self._known_pieces = {}  # piece of a word -> its ids
        self._first = {symbol: ids[symbol] for symbol in alphabet}
        self._ids = ids
        self._ranks, self._made = merges
        self._merge = merge or merge_by_rank
        self._unknown = unknown
        self._whole = {}  # spelling of a word that isn't merged -> its id
        if whole_words:
            self._whole = ids
            if scheme.units is str and scheme.marker:
                # A vocabulary of Hugging Face's holds texts only. So if a word is spelled "low</w>"
                # in the text, their library finds the token with the marker, and so do we.
                self._whole = {str(symbol): i for symbol, i in ids.items()}
        self._id_of_byte = None  # a function, where words are bytes that all have ids
        # Is each byte a symbol, wherever it stands? A subclass of Scheme may add something to the
        # first or the last byte, as CLIP's adds to the last. So we try the scheme on a word.
        is_bytes = scheme.symbols("aa") == (b"a", b"a")
        if is_bytes and all(byte in self._first for byte in BYTES):
            self._id_of_byte = [self._first[byte] for byte in BYTES].__getitem__

    def encode_words(self, words: Iterable[str]) -> list[int]:
        """Return the ids of all words, one word after the other, in one list."""
        return encode_each(words, self._encode, self._known_words)

    def encode_word(self, word: str) -> tuple[int, ...]:
        """Return the ids of one word."""
        return tuple(self.encode_words([word]))

    def _encode(self, word: str) -> tuple[int, ...]:
        """Return the ids of a word that isn't remembered; encode it in pieces if it can be cut."""
        whole = self.find_whole(word)
        if whole is not None:
            return (whole,)
        if self._id_of_byte and not word.isascii() and not ESCAPE.search(word):
            pieces = self._cuts.pieces(word)
            if len(pieces) > 1:
                return tuple(encode_each(pieces, self._encode_piece, self._known_pieces))
        return self._encode_piece(word)

    def find_whole(self, word: str) -> int | None:
        """Return the id of a word that is taken whole, or None for a word that is merged."""
        if not self._whole:
            return None
        # We look for the word as it stands in the text: Hugging Face's library, which has this
        # option (`ignore_merges`; notebook 08d), looks for "low", not for "low</w>".
        return self._whole.get(self._as_symbol(word))

    def _as_symbol(self, text: str) -> Symbol:
        """Return a text as a symbol: as bytes, if the scheme's symbols are bytes."""
        return text if self._scheme.units is str else text.encode("utf-8", "surrogateescape")

    def _encode_piece(self, piece: str) -> tuple[int, ...]:
        """Return the ids of a word or of a piece of a word."""
        ids = self._first_ids(piece)
        borders = self._borders if len(ids) > SHORT else None
        if borders and borders.first.issuperset(ids):
            spelled, most = self._as_symbol(piece), MOST_READ * len(ids)
            if self._scheme.units is str:
                spelled += self._scheme.marker  # the last of the word's symbols
            tokens = cut_into_tokens(spelled, self._ids, self._longest, borders, most)
            if tokens is not None:
                return tuple(tokens)
        self._merge(ids, self._ranks, self._made)
        if self._unknown is not None:
            ids = [self._unknown if i == UNKNOWN else i for i in ids]
        return tuple(ids)

    @cached_property
    def _borders(self) -> Borders | None:
        """The borders between tokens, or None if they can't tell which tokens a word has."""
        if not isinstance(self._ranks, Mapping):  # there are only the ranks of tokens
            return None
        # Cutting finds tokens by their spelling. So the spelling must tell which symbols a token is
        # made of. It doesn't if "ab" may be either a and b, or a first symbol of its own.
        is_plain = all(len(one) == 1 and type(one) in (str, bytes) for one in self._first)
        if not is_plain:
            return None
        return Borders(self._first.values(), self._ranks, self._made)

    @cached_property
    def _longest(self) -> dict[Symbol, int]:
        return find_longest(self._ids)

    @cached_property
    def _cuts(self) -> Cuts:
        return Cuts(self._ids)

    def merges_used(self, word: str) -> list[int]:
        """Return the ranks of the merges that encode a word, in the order in which they are made.

        The word is merged even if encoding would look it up as a whole.
        """
        return self._merge(self._first_ids(word), self._ranks, self._made)

    def count_symbols(self, word: str) -> int:
        """Return the number of first symbols of a word; raise `UnseenSymbol` if one has no id."""
        return len(self._first_ids(word))

    def _first_ids(self, word: str) -> list[int]:
        """Return the ids of the first symbols of a word, with `UNKNOWN` for a missing id."""
        if self._id_of_byte:
            content = word.encode("utf-8", "surrogateescape")
            return list(map(self._id_of_byte, content))
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
    """Return the ids of all words in one list, and remember the ids of each word in ``known``.

    Long words aren't remembered. If too many words have been remembered, all are forgotten.
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
    """Encode ids by rank, in place; return the ranks of the merges, in the order of merging.

    >>> ids = [0, 1, 2, 0, 1]
    >>> merge_by_rank(ids, {(0, 1): 0, (3, 2): 1}, [3, 4]), ids
    ([0, 0, 1], [4, 3])
    """
    if len(ids) <= SHORT:
        return _merge_by_reading(ids, ranks, id_of_rank)
    return _merge_by_queue(ids, ranks, id_of_rank)


def _merge_by_reading(ids: list[int], ranks: Mapping, id_of_rank: Sequence[int]) -> list[int]:
    """Do what `merge_by_rank` does; before each merge, read all pairs to find the lowest rank."""
    used = []
    rank_of = ranks.get
    found = list(map(rank_of, pairwise(ids), repeat(NO_RANK)))  # position -> rank of its pair
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
    """Do what `merge_by_rank` does, with pairs in queues: n log n steps for n ids.

    Each queue is a heap, from which `heappop` takes the least entry. One queue holds the ranks. In
    addition, each rank has a queue of its own, which holds the positions of its pair. Positions
    that are out of date are skipped when their turn comes.
    """
    used = []
    end = len(ids)
    before = list(range(-1, end - 1))  # position -> position of the neighbour on the left
    after = list(range(1, end + 1))  # position -> position of the neighbour on the right
    places = {}  # rank -> queue of positions of the pair's left symbol
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
        ids[j] = None  # merged with the symbol before it
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
