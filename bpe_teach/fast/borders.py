"""Borders: where two tokens stay two, so that a word can be cut there without merging anything.

Two ideas, both for merges such as training makes. Two tokens side by side stay two, or they don't:
that shows when the merges beside their border are undone. So a long word is cut into its tokens
from left to right. And no merge crosses the end of a character that no token continues past: there
any word can be cut, whatever stands beside it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import inf

from bpe_teach.pairs import Symbol

MAX_STEPS = 5_000_000  # merges undone to check a list of merges; GPT-2's takes 130,000
REMEMBERED_CHARACTERS = 100_000
# All bytes of a character beyond ASCII, or the last of them, where another one follows.
CONTINUED = re.compile(rb"[\x80-\xf4][\x80-\xbf]{0,3}(?=[\x00-\x7f\xc2-\xf4])")
CUT = "\ud800"  # a mark that no text holds: it is half of a character in UTF-16


class Borders:
    """Tells of two tokens whether they stay two where they stand side by side.

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

    def hold(self, left: int, right: int) -> bool:
        """Return whether encoding makes both tokens, and merges nothing across their border.

        To see what stood at the border before, undo the merges beside it, the latest first. Two
        symbols that stood there up to a merge of number ``end`` were left alone if their own merge
        comes later, or if they have none.
        """
        first, parts, made = self.first, self.parts, self.made.get
        steps = 0
        end = inf
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


def find_used(alphabet: Iterable[Symbol], merges: Sequence[tuple]) -> list[tuple]:
    """Leave out the merges that are never made, of those where several make one token.

    What stands beside a token does nothing to the merges within it: so they are the same wherever
    it is made, and the last of them is the one that makes the token of its own spelling.

    >>> find_used("abc", [("a", "b", 0), ("b", "c", 0), ("ab", "c", 0), ("a", "bc", 0)])
    [('a', 'b', 0), ('b', 'c', 0), ('ab', 'c', 0)]

    A merge that comes before those of its parts is never made if its token has another one. If it
    has no other, the list is returned as it is.
    """
    numbers = {symbol: number for number, symbol in enumerate(alphabet)}
    borders = Borders(len(numbers), len(numbers) + len(merges))
    waiting = set()  # what merges make whose parts were not there
    used = []
    for merge in merges:
        left, right, _ = merge
        one, two = numbers.get(left), numbers.get(right)
        if one is None or two is None:
            waiting.add(left + right)
        elif left + right not in numbers and borders.hold(one, two):
            number = len(numbers)
            borders.add(number, one, two)
            numbers[left + right] = number
            used.append(merge)
        if borders.steps > MAX_STEPS:
            return list(merges)
    return used if waiting <= numbers.keys() else list(merges)


def find_longest(tokens: Iterable[Symbol]) -> dict[Symbol, int]:
    """Return for the first two symbols of tokens how long the longest is that begins so.

    >>> find_longest(["l", "lo", "low", "owe"])
    {'l': 1, 'lo': 3, 'ow': 3}
    """
    longest = {}
    for token in tokens:
        beginning = token[:2]
        longest[beginning] = max(len(token), longest.get(beginning, 0))
    return longest


def cut_into_tokens(
    word: Symbol,
    numbers: Mapping[Symbol, int],
    longest: Mapping[Symbol, int],
    borders: Borders,
    most: float = inf,
) -> list[int] | None:
    """Cut a word into the tokens of encoding by rank, from left to right.

    Tokens are the encoding of a word if and only if every two neighbours are the encoding of what
    they spell together. So the longest token that goes with the one before it is taken first. If
    none does, the one before was too long, and the next shorter one is tried in its place. A place
    that led nowhere is not tried again, since the same tokens would follow. ``longest`` is what
    `find_longest` returns.

    A word may begin like a very long token again and again, and every try reads what it tries. So
    None comes back when more than ``most`` symbols have been read, or as many merges undone.

    >>> numbers = {"l": 0, "o": 1, "w": 2, "ow": 3, "lo": 4, "wl": 5}
    >>> borders = find_borders(3, {(1, 2): 0, (0, 1): 1, (2, 0): 2}, [3, 4, 5])
    >>> cut_into_tokens("lowl", numbers, find_longest(numbers), borders)
    [0, 3, 0]
    """
    tokens = []  # numbers of the tokens so far
    starts = []  # where each of them begins
    dead_ends = set()  # places from which nothing led on
    most_steps = borders.steps + most
    start = 0
    end = min(longest.get(word[:2], 1), len(word))
    while start < len(word):
        most -= end - start
        if most < 0:
            return None
        number = numbers.get(word[start:end])
        fits = number is not None and end not in dead_ends
        if fits and tokens:
            fits = borders.hold(tokens[-1], number)
            if borders.steps > most_steps:
                return None
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


class Cuts(dict):
    """Code point -> its character, and `CUT` after it if no token continues past it.

    A token continues past a character if it holds all of it, or only its last bytes, and goes on.
    If a vocabulary hardly knows a script, as GPT-2's hardly knows Chinese, few tokens do: a word
    may be new, but its pieces have been met before. The characters of ASCII are never marked; the
    others are looked at when first asked for.

    >>> cuts = Cuts(["éo".encode(), b"\\xa8o"])  # the last byte of è
    >>> cuts.pieces("céèà"), cuts.pieces("àçè")
    (['céèà'], ['à', 'ç', 'è'])
    """

    def __init__(self, tokens: Iterable[bytes]):
        beyond_ascii = [token for token in tokens if not token.isascii()]
        # What tokens hold of a character that they continue past. No text holds the byte between.
        self.continued = set(CONTINUED.findall(b"\xff".join(beyond_ascii)))

    def pieces(self, word: str) -> list[str]:
        """Cut a word after every character that no token continues past."""
        return word.translate(self).removesuffix(CUT).split(CUT)

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        spelled = character.encode("utf-8")
        ends = {spelled[i:] for i in range(len(spelled))}
        if not character.isascii() and self.continued.isdisjoint(ends):
            character += CUT
        if len(self) >= REMEMBERED_CHARACTERS:
            self.clear()
        self[code_point] = character
        return character
