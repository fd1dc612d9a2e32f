"""Fast encode: the tokens of `encode_by_rank`, found with a small part of the work.

Six ideas. Every symbol has a number, and pairs of numbers are quicker to look up than pairs of
symbols. After a merge only the two pairs beside the new symbol are looked up again. Most words of a
text come again and again: what a word became is remembered. Pieces of words come again still more
often: beyond ASCII there are many characters from which no token runs on into the next one, and
behind them a word can be cut. A word that is itself a token is looked up as a whole. And a long
word is not merged at all, but cut into tokens from left to right.

The last two need a list of merges as training makes it, in which every token is made by one merge
and encodes to itself: see `Borders`. With other lists every word is merged.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from itertools import chain, pairwise

from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import BYTES, Scheme

SHORT = 50  # symbols; up to here reading all ranks is quicker than a queue, or than cutting
NO_RANK = 1 << 60  # higher than any rank
REMEMBERED_WORDS = 100_000
REMEMBERED_LENGTH = 100  # characters; a longer word is not remembered
# All bytes of a character beyond ASCII, or the last of them, where another one follows.
RUN_ON = re.compile(rb"[\x80-\xf4][\x80-\xbf]{0,3}(?=[\x00-\x7f\xc2-\xf4])")
CUT = "\ud800"  # stands in no text: half of a character in UTF-16
MAX_STEPS = 5_000_000  # what checking a list of merges may cost; GPT-2's takes 130,000


class UnseenSymbol(ValueError):
    """A symbol that has no id, in ``symbol``."""

    def __init__(self, symbol: Symbol):
        super().__init__(f"{symbol!r} has no id")
        self.symbol = symbol


class FastEncoder:
    """Encodes words (as text) into ids. Ids number the alphabet, then the merges.

    ``unknown`` is the id of symbols that have none; without it they raise `UnseenSymbol`. ``ids``
    gives all tokens other ids: they go by their numbers in here, and only what a word has become
    is written in ids. With ``whole_words`` a word that is a token of these is not merged at all.

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
        # Symbol -> number. A list that was not learned may make a symbol twice: the lower counts.
        self._made = {}  # for the alphabet and what merges make
        tokens = [merge.token for merge in merges]
        for number, symbol in enumerate(chain(alphabet, tokens)):
            self._made.setdefault(symbol, number)
        self._numbers = numbers = self._made  # for those of ``ids`` as well
        if ids is not None:
            self._numbers = numbers = dict(self._made)
            for number, symbol in enumerate(ids, len(alphabet) + len(merges)):
                numbers.setdefault(symbol, number)
        self._ranks = {}  # (number of left, number of right) -> rank
        for rank, (left, right, _) in enumerate(merges):
            self._ranks[numbers[left], numbers[right]] = rank
        self._number_of_rank = [numbers[token] for token in tokens]
        self._unknown = unknown  # the number of symbols that have none
        self._ids = None  # number -> id; None: a number is an id
        if ids is not None:
            self._ids = {number: ids[symbol] for symbol, number in self._numbers.items()}
            if unknown is not None:
                self._unknown = -1  # which is not the number of another symbol
                self._ids[-1] = unknown
        self._borders = None  # None: the merges are not such as training makes
        if all(len(symbol) == 1 and type(symbol) in (str, bytes) for symbol in alphabet):
            self._borders = find_borders(len(alphabet), self._ranks, self._number_of_rank)
        self._can_cut = scheme.units is bytes and not whole_words
        self._whole = {}  # word, spelled -> its number, if it is not merged
        if whole_words:
            self._whole = self._numbers
        elif self._borders:
            self._whole = self._made
        if scheme.units is bytes:
            # The numbers of the bytes are below 256, so bytes can be translated into bytes.
            self._number_of_byte = bytes(self._made.get(byte, 0) for byte in BYTES)
            self._unseen_bytes = b"".join(byte for byte in BYTES if byte not in self._made)

    def encode_words(self, words: Iterable[str]) -> list[int]:
        """Encode words, one after the other, into one list of ids."""
        return encode_each(words, self._encode, self._known_words)

    def encode_word(self, word: str) -> tuple[int, ...]:
        """Encode one word."""
        return tuple(self.encode_words([word]))

    def _encode(self, word: str) -> tuple[int, ...]:
        """Encode a word that is not known yet, piece by piece."""
        pieces = [word] if word.isascii() else self._cut(word)
        if len(pieces) == 1:
            return self._encode_piece(word)
        return tuple(encode_each(pieces, self._encode_piece, self._known_pieces))

    def _encode_piece(self, piece: str) -> tuple[int, ...]:
        """Encode a word or a piece of one."""
        numbers = self._find_tokens(piece)
        if self._ids is not None:
            numbers = [self._ids[number] for number in numbers]
        return tuple(numbers)

    def _find_tokens(self, word: str) -> Sequence[int]:
        """Return the numbers of the tokens of a word."""
        spelled = self._spell(word)
        whole = self._whole.get(spelled)
        if whole is not None:
            return (whole,)
        numbers = self._first_numbers(word)
        if len(numbers) > SHORT and self._borders and self._unknown not in numbers:
            return cut_into_tokens(spelled, self._made, self._longest, self._borders)
        merge_by_rank(numbers, self._ranks, self._number_of_rank)
        return numbers

    def _cut(self, word: str) -> list[str]:
        """Cut a word behind every character from which no token runs on: nothing is merged there.

        If a vocabulary hardly knows a script, as GPT-2's hardly knows Chinese, that is behind
        nearly every character. Then a word may be new, but its pieces have been met before.
        """
        if not self._can_cut:
            return [word]
        return word.translate(self._cuts).removesuffix(CUT).split(CUT)

    @cached_property
    def _cuts(self) -> "Cuts":
        return Cuts(self._made)

    def _spell(self, word: str) -> Symbol:
        """Spell a word as a token is spelled, if its symbols are plain."""
        return word.encode("utf-8") if self._scheme.units is bytes else word + self._scheme.marker

    @cached_property
    def _longest(self) -> dict[Symbol, int]:
        """The first two symbols of tokens -> the length of the longest that begins so."""
        longest = {}
        for token in self._made:
            beginning = token[:2]
            longest[beginning] = max(len(token), longest.get(beginning, 0))
        return longest

    def merges_used(self, word: str) -> list[int]:
        """List the ranks of the merges that encode a word, in the order in which they are made.

        They are those of the merges alone: a word that is taken whole is merged here, too.
        """
        return merge_by_rank(self._first_numbers(word), self._ranks, self._number_of_rank)

    def count_symbols(self, word: str) -> int:
        """Count the first symbols of a word; `UnseenSymbol` if one of them has no id."""
        return len(self._first_numbers(word))

    def _first_numbers(self, word: str) -> list[int]:
        """Spell a word in the numbers of its first symbols."""
        if self._scheme.units is bytes:
            content = word.encode("utf-8")
            if self._unseen_bytes:
                for byte in content:
                    if byte in self._unseen_bytes:
                        raise UnseenSymbol(BYTES[byte])
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
    """Encode words one after the other; those that are known are looked up, new ones remembered.

    Long words are not remembered; and if there are too many, all are forgotten.

    >>> known = {"low": (3,)}
    >>> encode_each(["low", " o"], lambda word: (4, 1), known), known
    ([3, 4, 1], {'low': (3,), ' o': (4, 1)})
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


class Cuts(dict):
    """Code point -> its character, and `CUT` behind it if no token runs from it into another one.

    A token runs on if it holds a character, or only its last bytes, and goes on behind it. With the
    characters of ASCII that is taken for granted. The others are looked at when first asked for.

    >>> cuts = Cuts(["éo".encode(), b"\\xa8o"])  # the last byte of è
    >>> "céèà".translate(cuts).split(CUT)
    ['céèà', '']
    >>> "àçè".translate(cuts).split(CUT)
    ['à', 'ç', 'è']
    """

    def __init__(self, tokens: Iterable[bytes]):
        # Where tokens run on: what they hold of the character. The byte between them is in no text.
        self.ends = set(RUN_ON.findall(b"\xff".join(tokens)))

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        spelled = character.encode("utf-8")
        ends = {spelled[i:] for i in range(len(spelled))}
        if not character.isascii() and self.ends.isdisjoint(ends):
            character += CUT
        if len(self) >= REMEMBERED_WORDS:
            self.clear()
        self[code_point] = character
        return character


class Borders:
    """Says of two tokens whether they stay two where they stand side by side.

    A token goes by its number: ``first`` symbols have the lowest, then come those that are made by
    merges, lowest rank first.

    >>> borders = Borders(first=3, tokens=5)  # l o w, lo, low
    >>> borders.add(3, 0, 1)  # lo is made of l o
    >>> borders.add(4, 3, 2)
    >>> borders.hold(4, 3), borders.hold(1, 2), borders.hold(0, 1)  # low lo, o w, l o
    (True, True, False)
    """

    def __init__(self, first: int, tokens: int):
        self.first = first
        self.parts = [None] * tokens  # number of a token -> numbers of the two merged into it
        self.made = {}  # numbers of the two -> number of the token
        self.steps = 0  # merges undone so far

    def add(self, number: int, left: int, right: int) -> None:
        """Note which two tokens are merged into a token."""
        self.parts[number] = (left, right)
        self.made[left, right] = number

    def hold(self, left: int, right: int, end: int = NO_RANK) -> bool:
        """Say whether encoding makes both tokens, and no merge below ``end`` across their border.

        To see what stood at the border before, undo the merges beside it, the latest first. Two
        symbols that stood there up to a merge of number ``end`` were left alone if their own merge
        comes later, or if they have none.
        """
        first, parts, made = self.first, self.parts, self.made.get
        steps = 0
        holds = made((left, right), end) >= end
        while holds and (left >= first or right >= first):
            steps += 1
            if left > right:
                end = left
                left = parts[left][1]
            else:
                end = right + 1  # at the same rank the pair across comes first: it is further left
                right = parts[right][0]
            holds = made((left, right), end) >= end
        self.steps += steps
        return holds


def find_borders(
    first: int, ranks: Mapping[tuple[int, int], int], number_of_rank: Sequence[int]
) -> Borders | None:
    """Put the merges into `Borders`; None if a token does not encode to itself or is made twice.

    >>> find_borders(3, {(0, 1): 0, (3, 2): 1}, [3, 4]).parts
    [None, None, None, (0, 1), (3, 2)]
    >>> find_borders(3, {(1, 2): 0, (0, 1): 1, (4, 2): 2}, [3, 4, 5])  # o w comes before lo w
    """
    borders = Borders(first, first + len(ranks))
    for number, (left, right) in enumerate(ranks, first):
        is_next = number_of_rank[number - first] == number and max(left, right) < number
        if not is_next or not borders.hold(left, right) or borders.steps > MAX_STEPS:
            return None
        borders.add(number, left, right)
    return borders


def cut_into_tokens(
    word: Symbol, numbers: Mapping[Symbol, int], longest: Mapping[Symbol, int], borders: Borders
) -> list[int]:
    """Cut a word into the tokens of encoding by rank, from left to right.

    Tokens are the encoding of a word if and only if every two neighbours are the encoding of what
    they spell together. So the longest token that goes with the one before it is taken first. Where
    none does, the one before was too long, and the next shorter one is tried in its place. From the
    same place the same tokens follow, so a place that led nowhere is not tried again: the work
    grows with the length of the word. ``longest`` tells, for two symbols, how long a token can be
    that begins with them.

    >>> numbers = {"l": 0, "o": 1, "w": 2, "ow": 3, "lo": 4, "wl": 5}
    >>> borders = find_borders(3, {(1, 2): 0, (0, 1): 1, (2, 0): 2}, [3, 4, 5])
    >>> cut_into_tokens("lowl", numbers, {"lo": 2, "ow": 2, "wl": 2}, borders)
    [0, 3, 0]
    """
    tokens = []  # numbers of the tokens so far
    starts = []  # where each of them begins
    dead_ends = set()  # places from which nothing led on
    start = 0
    end = longest.get(word[:2], 1)
    while start < len(word):
        number = numbers.get(word[start:end])
        fits = number is not None and end not in dead_ends
        if fits and tokens:
            fits = borders.hold(tokens[-1], number)
        if fits:
            tokens.append(number)
            starts.append(start)
            start = end
            end += longest.get(word[start : start + 2], 1)
            end = min(end, len(word))
        elif end > start + 1:
            end -= 1
        else:  # nothing fits here: the token before was too long
            dead_ends.add(start)
            end = start - 1
            start = starts.pop()
            tokens.pop()
    return tokens


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
