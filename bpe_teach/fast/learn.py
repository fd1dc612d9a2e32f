"""Fast learn: the merges of `learn_merges_naive`, found with only the work that each merge needs.

There are three ideas. First, all words are laid out in one long `Row`. So every symbol has a
position, and "met first" means "lowest position"; a merged symbol covers the positions of both its
parts. Second, a merge visits only the positions of its pair, and corrects the counts of the pairs
beside them. Third, a `Queue` gives the best pair. Pairs with lower counts wait in groups, one group
for each count, until their turn comes.
"""

from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from heapq import heappop, heappush
from itertools import pairwise, repeat
from math import inf

from bpe_teach.files import progress_bar
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol, Word
from bpe_teach.symbols import WordEnd

TIE_BREAKS = ("first", "lowest_id", "lowest_byte", "greatest")
GAP = -1  # between two words
GONE = -2  # in the place of a symbol that was merged with the one before it
Positions = partial(array, "i")  # makes a list with four bytes for each position


def learn_merges(
    word_counts: Mapping[Word, int],
    num_merges: int,
    *,
    min_count: int = 1,
    tie_break: str = "first",
    progress: bool = False,
) -> list[Merge]:
    """Return the same merges as `learn_merges_naive`, in a small part of the time.

    ``tie_break`` says how to choose among pairs of equal count:

    - "first" takes the pair that is met first.
    - "lowest_id" takes the pair with the lowest ids. This is the rule of Hugging Face's library
      tokenizers, whose alphabet has an order of its own.
    - "lowest_byte" also takes the pair with the lowest ids, but bytes are numbered by their value.
      This is the rule of rustbpe and nanochat.
    - "greatest" takes the lexicographically greatest pair, as in Stanford's course CS336.

    If ``progress`` is true, a progress bar is shown on stderr. A ``min_count`` below 1 counts as 1.

    >>> learn_merges({tuple("low"): 3, tuple("slow"): 1}, 9, min_count=2)
    [Merge(left='l', right='o', count=4), Merge(left='lo', right='w', count=4)]

    Raises ValueError for an unknown tie rule or an empty symbol.
    """
    needed = max(min_count, 1)
    row = Row(word_counts, needed)
    queue = Queue(row.counts, tie_key(tie_break, row), needed)
    for pair in row.counts:
        queue.put(pair)
    merges = []
    with progress_bar(progress, total=num_merges, desc="merges") as bar:
        while len(merges) < num_merges:
            pair = queue.draw()
            if pair is None:
                break
            left, right = pair
            merges.append(Merge(row.names[left], row.names[right], row.counts[pair]))
            for new in row.merge(pair):
                queue.put(new)
            if bar:
                bar.update()
    return merges


def tie_key(tie_break: str, row: "Row"):
    """Return the function that orders pairs of equal count, lowest first."""
    if tie_break == "first":
        return row.first_position
    if tie_break == "lowest_id":
        return lambda pair: pair
    if tie_break == "lowest_byte":
        # No merge is made yet, so these are the first symbols. Later symbols keep their ids.
        by_value = {row.ids[name]: i for i, name in enumerate(sorted(row.names))}  # id -> number
        return lambda pair: (by_value.get(pair[0], pair[0]), by_value.get(pair[1], pair[1]))
    if tie_break == "greatest":
        return lambda pair: Greatest((row.names[pair[0]], row.names[pair[1]]))
    raise ValueError(f"tie_break must be one of {', '.join(TIE_BREAKS)}, not {tie_break!r:.80}")


class Greatest(tuple):
    """A tuple that sorts in reverse order; the queue compares keys only by ``<``."""

    __lt__ = tuple.__gt__


class Queue:
    """Draws the pair with the highest count; among equal counts, the pair with the lowest key.

    While a pair waits, its count may fall and its key may rise: merges take places from it, so its
    first position moves to the right. (A pair that gains places is put into the queue once more.)
    So an entry that is out of date stands too far in front, never too far behind. If the first
    entry is still true, no entry behind it can be better.

    Most pairs are never drawn. So only the pairs with the highest counts are sorted, in a heap. The
    others wait in lists, one list for each count; these need neither keys nor sorting.

    >>> counts = {"lo": 3, "ow": 3, "we": 2, "er": 1}
    >>> queue = Queue(counts, {"lo": 7, "ow": 5, "we": 1}.get, least=2)
    >>> for pair in counts:
    ...     queue.put(pair)
    >>> counts["ow"] = 2
    >>> queue.draw(), queue.draw(), queue.draw(), queue.draw()
    ('lo', 'we', 'ow', None)
    """

    def __init__(self, counts: Mapping[Hashable, int], key: Callable, least: int):
        self.counts = counts
        self.key = key
        self.least = least  # pairs that occur less often are not drawn
        self.level = inf  # pairs with this count or a higher one go into the heap, others in groups
        # A heap gives its least entry. So counts are negative in it, and the highest comes first.
        self.ordered = []  # a heap of these: (-count, key, pair)
        self.groups = defaultdict(list)  # count -> pairs that had it
        self.levels = []  # a heap: -count of each group

    def put(self, pair: Hashable) -> None:
        """Add a pair to the queue if it occurs often enough."""
        count = self.counts.get(pair, 0)
        if count >= self.level:
            heappush(self.ordered, (-count, self.key(pair), pair))
        elif count >= self.least:
            if count not in self.groups:
                heappush(self.levels, -count)
            self.groups[count].append(pair)

    def draw(self) -> Hashable | None:
        """Remove and return the best pair, or return None if no pair is left."""
        while self.ordered or self.levels:
            if not self.ordered:  # it is the turn of the group with the highest count
                self.level = -heappop(self.levels)
                for pair in self.groups.pop(self.level):
                    self.put(pair)
                continue
            negated, key, pair = heappop(self.ordered)
            if self.counts.get(pair) == -negated and self.key(pair) == key:
                return pair
            self.put(pair)  # out of date: put it back in its new place
        return None


class Row:
    """All words in one row, with a gap before and after each word, and an index of their pairs.

    >>> row = Row({("l", "o", "w"): 3, ("l", "o"): 1})
    >>> row.symbols, row.where[0, 1].tolist(), row.counts[0, 1]
    ([-1, 0, 1, 2, -1, 0, 1, -1], [1, 5], 4)
    >>> row.merge((0, 1)), row.symbols, row.width
    ([(3, 2)], [-1, 3, -2, 2, -1, 3, -2, -1], [1, 2, 2, 1, 1, 2, 2, 1])
    """

    def __init__(self, word_counts: Mapping[Word, int], least: int = 1):
        alphabet = set().union(*word_counts)
        if not all(alphabet):
            raise ValueError("a symbol must have at least one character or byte; one is empty")
        self.names: list[Symbol] = sorted(alphabet, key=alphabet_order)  # id -> symbol
        self.ids = {symbol: i for i, symbol in enumerate(self.names)}
        self.symbols = [GAP]  # position -> id, GAP or GONE
        self.weight = [0]  # position -> how often its word occurs
        for word, count in word_counts.items():
            self.symbols += map(self.ids.__getitem__, word)
            self.symbols.append(GAP)
            self.weight += repeat(count, len(word) + 1)
        self.width = [1] * len(self.symbols)  # first and last position of a symbol -> its length
        self.single = len(word_counts) == 1
        # A new pair that occurs less often than this is not kept, since its count can only fall.
        # Subtle: this is true only if no two merges make the same symbol. That is certain if all
        # first symbols are single, as the section on notebook 03 in notebooks/README.md proves. But
        # with the first symbols a, b, c and ab, merging a and b makes ab again, and then the pair
        # (ab, c) may occur more often than before. In such a case all pairs are kept. They are also
        # kept if there is a WordEnd: </w> and o make the text </w>o, and other merges may make the
        # same text of its five characters.
        plain = all(len(s) == 1 and type(s) in (str, bytes) for s in self.names)
        self.least = least if plain else 0
        self.where = defaultdict(Positions)  # pair of ids -> its positions, some out of date
        for i, pair in enumerate(pairwise(self.symbols)):
            self.where[pair].append(i)
        for pair in [pair for pair in self.where if GAP in pair]:
            del self.where[pair]
        self.counts = {pair: self.total(positions) for pair, positions in self.where.items()}

    def total(self, positions: array) -> int:
        """Return how often the words at these positions occur in total."""
        if self.single:  # all weights are equal: multiply instead of adding
            return len(positions) * self.weight[1]
        return sum(map(self.weight.__getitem__, positions))

    def first_position(self, pair: tuple[int, int]) -> int:
        """Return the first position of the pair; forget positions where it no longer stands."""
        symbols, width, positions = self.symbols, self.width, self.where[pair]
        stale = 0  # how many positions are out of date
        i = positions[0]
        # A pair that is counted stands somewhere, so this loop ends. Subtle: the left symbol is
        # tested first, and if it is gone, `or` stops there. This matters because the width at its
        # position may be that of a symbol that ends there: in a b c d, when abc is merged, the 3 at
        # the c leads out of the row.
        while symbols[i] != pair[0] or symbols[i + width[i]] != pair[1]:
            stale += 1
            i = positions[stale]
        if stale:
            del positions[:stale]
        return i

    def merge(self, pair: tuple[int, int]) -> list[tuple[int, int]]:
        """Merge the pair wherever it occurs; return the new pairs."""
        left, right = pair
        symbol = self.names[left] + self.names[right]
        if symbol not in self.ids:  # if it is spelled like an older symbol, it is that symbol
            self.ids[symbol] = len(self.names)
            self.names.append(symbol)
        new = self.ids[symbol]
        befores, afters = self._write(pair, new)
        del self.counts[pair]
        made = []
        for neighbour, positions in afters.items():
            made += self._move((right, neighbour), (new, neighbour), positions)
        # Subtle: these come last, because a neighbour on the left may be the new symbol itself. In
        # a b a b, the first merge makes ab a b, so (ab, a) was counted above. The second makes
        # ab ab: here (ab, a) becomes (ab, ab).
        for neighbour, positions in befores.items():
            made += self._move((neighbour, left), (neighbour, new), positions)
        return made

    def _move(self, old: tuple, now: tuple, positions: list) -> list:
        """Correct the counts where an old pair became a new pair.

        The new pair is returned in a list, which is empty if the pair is not kept.
        """
        total = self.total(positions)
        if old in self.counts:  # otherwise it was too rare to be kept, or is the merged pair
            self.counts[old] -= total
        if total < self.least:
            return []  # it will never be frequent enough
        self.counts[now] = self.counts.get(now, 0) + total
        if now in self.where:  # only if the new symbol is an older one
            positions = sorted([*self.where[now], *positions])
        self.where[now] = Positions(positions)
        return [now]

    def _write(self, pair: tuple[int, int], new: int) -> tuple[dict, dict]:
        """Write the new symbol into the row; return the positions of the new pairs.

        The first dictionary maps each left neighbour to the positions where a new pair begins. The
        second dictionary does the same for each right neighbour. A pair begins at its left symbol.
        """
        symbols, width = self.symbols, self.width
        left, right = pair
        befores, afters = defaultdict(list), defaultdict(list)  # neighbour -> positions
        for i in self.where.pop(pair):
            j = i + width[i]  # the position of the right symbol, if the left one is still there
            if symbols[i] != left or symbols[j] != right:
                continue
            before = i - width[i - 1]
            after = j + width[j]
            befores[symbols[before]].append(before)
            afters[symbols[after]].append(i)
            symbols[i] = new
            symbols[j] = GONE
            # The width is written at the first position, to find the neighbour on the right, and at
            # the last, so that this neighbour can find where its neighbour on the left begins.
            width[i] = width[after - 1] = after - i
        befores.pop(GAP, None)
        afters.pop(GAP, None)
        return befores, afters


def alphabet_order(symbol: Symbol) -> tuple:
    """Return a sort key: characters by code point, bytes in Hugging Face's order.

    GPT-2's files write each byte as a character (notebook 08). A byte that is a printable character
    in Latin-1 is written as this character. The other bytes (control characters, spaces, the soft
    hyphen 173) are written as characters that sort after the printable ones.

    >>> sorted([b" ", b"a", b"A", bytes([173]), bytes([174])], key=alphabet_order)
    [b'A', b'a', b'\\xae', b' ', b'\\xad']
    """
    if isinstance(symbol, str):
        return (str(symbol), isinstance(symbol, WordEnd))  # the text "e</w>" before the word end
    return (symbol[0] <= 32 or 127 <= symbol[0] <= 160 or symbol[0] == 173, symbol)
