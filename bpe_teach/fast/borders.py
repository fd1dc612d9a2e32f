"""Borders: which two tokens stay two side by side, so that words can be cut without merging.

Two ideas, both for merges such as training makes. First, undoing the merges beside a border shows
whether anything is merged across it. So a long word can be cut into its tokens from left to right.
Second, no merge crosses the end of a character that no token continues past. There any word can be
cut, whatever comes before and after.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from math import inf

from bpe_teach.pairs import Symbol

MAX_STEPS = 5_000_000  # merges to undo when a list is checked; GPT-2's needs 130,000
# All bytes of a character beyond ASCII, or only its last ones, before another character.
CONTINUED = re.compile(rb"[\x80-\xf4][\x80-\xbf]{0,3}(?=[\x00-\x7f\xc2-\xf4])")
CUT = "\ud800"  # half of a surrogate pair, which no text holds


class Borders:
    """Tells whether two tokens stay two when they are side by side.

    A token is given by its number: the ``first`` symbols have the lowest numbers, and then come
    those that merges make, lowest rank first.

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

        Undo the merges beside the border, the latest first, to see which two symbols were there
        earlier. Two symbols that were there until the merge of number ``end`` stayed two if the
        merge of the two comes later, or if there is none.
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
                end = right + 1  # at equal rank the pair across is further left: it is first
                right = parts[right][0]
            holds = made((left, right), end) >= end
        self.steps += steps
        return holds


def find_borders(
    first: int, ranks: Mapping[tuple[int, int], int], number_of_rank: Sequence[int]
) -> Borders | None:
    """Return the `Borders` of merges; None if a token doesn't encode to itself or is made twice.

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


def find_longest(tokens: Iterable[Symbol]) -> dict[Symbol, int]:
    """Return the length of the longest token for each two symbols with which tokens begin.

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
    they spell together. So we take the longest token that can follow the one before. If none can,
    the one before was too long, and we try the next shorter one in its place. A place from which
    no token led on isn't tried again, since the same would follow. ``longest`` comes from
    `find_longest`.

    A word may look like the beginning of a very long token in many places, and every try reads all
    of it. So we return None after reading ``most`` symbols, or undoing as many merges.

    >>> numbers = {"l": 0, "o": 1, "w": 2, "ow": 3, "lo": 4, "wl": 5}
    >>> borders = find_borders(3, {(1, 2): 0, (0, 1): 1, (2, 0): 2}, [3, 4, 5])
    >>> cut_into_tokens("lowl", numbers, find_longest(numbers), borders)
    [0, 3, 0]
    """
    tokens = []  # numbers of the tokens so far
    starts = []  # where each of them begins
    dead_ends = set()  # places from which no token leads on
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
    """Code point -> its character, followed by `CUT` if no token continues past it.

    A token continues past a character if it holds the character, or its last bytes, and more. If a
    vocabulary hardly knows a script, as GPT-2's hardly knows Chinese, few tokens do. Then a word
    may be new although its pieces have been met before. Characters of ASCII are never marked;
    others are added when they are first looked up.

    >>> cuts = Cuts(["éo".encode(), b"\\xa8o"])  # the last byte of è
    >>> cuts.pieces("céèà"), cuts.pieces("àçè")
    (['céèà'], ['à', 'ç', 'è'])
    """

    def __init__(self, tokens: Iterable[bytes]):
        beyond_ascii = [token for token in tokens if not token.isascii()]
        # The bytes of characters past which tokens continue. No text holds \xff, which separates.
        self.continued = set(CONTINUED.findall(b"\xff".join(beyond_ascii)))

    def pieces(self, word: str) -> list[str]:
        """Return a word cut after every character that no token continues past."""
        return word.translate(self).removesuffix(CUT).split(CUT)

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        spelled = character.encode("utf-8")
        ends = {spelled[i:] for i in range(len(spelled))}
        if not character.isascii() and self.continued.isdisjoint(ends):
            character += CUT
        self[code_point] = character
        return character
