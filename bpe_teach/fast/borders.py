"""Borders: which two tokens stay separate side by side, so that words can be cut without merging.

A border is the place where two tokens meet, such as *low* and *er* in *lower*. The module has two
ideas. First, the merges that made the two tokens tell whether anything is merged across their
border, and `Borders.hold` undoes these merges to find out. So a long word can be cut into its
tokens from left to right, if each of these tokens encodes to itself; the function `cut_into_tokens`
does this. Second, suppose that no token holds the end of, say, 字 together with something after it.
Then nothing is ever merged across that place, and any word can be cut after 字, whatever follows
(`Cuts`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import inf

from bpe_teach.pairs import Symbol

MAX_STEPS = 5_000_000  # merges to undo when tokens are looked into; GPT-2's tokens need 130,000
# In UTF-8 the bytes up to 7f and from c2 to f4 begin a character, and the bytes from 80 to bf
# continue one. The pattern finds the bytes of a character beyond ASCII that stand in a token before
# the next character begins: c3 a9 in the token c3 a9 6f, which is éo, but only a9 in a9 6f. So the
# first byte of a match may be of either kind.
CONTINUED = re.compile(rb"[\x80-\xf4][\x80-\xbf]{0,3}(?=[\x00-\x7f\xc2-\xf4])")
CUT = "\ud800"  # half of a surrogate pair, which no text holds


class Borders:
    """Tells which tokens encode to themselves, and whether two tokens stay separate side by side.

    Symbols are given by their ids: ``first`` holds the symbols that no merge makes, ``ranks`` the
    rank of each pair that is merged, and ``made`` the id of the symbol that the merge of each rank
    makes. Answers are worked out only when they are asked for, because a vocabulary has many more
    tokens than most texts use.

    >>> borders = Borders([0, 1, 2], {(0, 1): 0, (3, 2): 1}, [3, 4])  # l o w, lo, low
    >>> borders.hold(4, 3), borders.hold(1, 2), borders.hold(0, 1)  # low lo, o w, l o
    (True, True, False)
    >>> borders.is_whole(4)
    True
    """

    def __init__(
        self, first: Iterable[int], ranks: Mapping[tuple[int, int], int], made: Sequence[int]
    ):
        self.ranks = ranks
        self.parts = list(ranks)  # rank -> the two that are merged; `ranks` counts from 0 on
        self.rank_of = dict(zip(made, range(len(made)), strict=True))  # id -> rank of its merge
        self.first = set(first)
        self.whole = dict.fromkeys(self.first, True)  # id -> whether it encodes to itself, if known
        if len(self.rank_of) < len(made) or self.rank_of.keys() & self.first:  # an id occurs twice
            twice = list_twice([*self.first, *made])  # we don't know by which merge they are made
            self.whole |= dict.fromkeys(twice, False)
        self.steps = 0  # merges undone so far
        self.looked = 0  # those of them that were undone to look into tokens

    def is_whole(self, token: int) -> bool:
        """Return whether a token is known to encode to itself, as it does after training.

        A token encodes to itself if both its parts encode to themselves, if both are made before
        it, and if nothing is merged across their border before the two parts are merged.
        """
        known = self.whole.get(token)
        return self._look_into(token) if known is None else known

    def _look_into(self, token: int) -> bool:
        """Return whether a token encodes to itself; look into its parts first."""
        whole, rank_of = self.whole, self.rank_of.get
        asked = [token]  # later also those parts for which the answer isn't known yet
        while asked:
            one = asked[-1]
            rank = rank_of(one)
            if rank is None or self.looked > MAX_STEPS:
                whole[asked.pop()] = False
                continue
            left, right = self.parts[rank]
            if rank_of(left, -1) >= rank or rank_of(right, -1) >= rank:
                whole[asked.pop()] = False
            elif left not in whole:
                asked.append(left)
            elif right not in whole:
                asked.append(right)
            else:
                before = self.steps
                whole[asked.pop()] = whole[left] and whole[right] and self.hold(left, right, rank)
                self.looked += self.steps - before
        return whole[token]

    def hold(self, left: int, right: int, end: float = inf) -> bool:
        """Return whether encoding makes both tokens and merges nothing across their border.

        The method undoes the merges beside the border, beginning with the latest, to see which two
        symbols stood there earlier. Suppose that two symbols stood there until the merge of rank
        ``end``. They stayed separate if the merge of these two comes later, or if no merge joins
        them. Take the border of *low* and *er*, and the merges l o (0), e r (1) and lo w (2). The
        two symbols beside this border are w e until merge 1, w er until merge 2, and low er at the
        end. So the border holds if w e isn't merged before merge 1, w er isn't merged before merge
        2, and low er isn't merged at all.
        """
        rank_of, merged, parts = self.rank_of.get, self.ranks.get, self.parts
        steps = 0
        # Is the pair merged at `end` or later? If it is never merged, `merged` returns `end`, too.
        holds = merged((left, right), end) >= end
        left_rank, right_rank = rank_of(left, -1), rank_of(right, -1)  # -1: a first symbol
        while holds and (left_rank >= 0 or right_rank >= 0):
            steps += 1
            if left_rank > right_rank:
                end = left_rank
                left = parts[left_rank][1]
                left_rank = rank_of(left, -1)
            else:
                # At equal rank the leftmost pair is merged first. The pair across the border is
                # further left than the one that made the right symbol, so its rank must be higher.
                # With the merge a a, *aaa* becomes aa a: a border of a and aa doesn't hold.
                end = right_rank + 1
                right = parts[right_rank][0]
                right_rank = rank_of(right, -1)
            holds = merged((left, right), end) >= end
        self.steps += steps
        return holds


def list_twice(ids: Iterable[int]) -> list[int]:
    """Return the ids that occur more than once.

    >>> list_twice([3, 4, 3])
    [3]
    """
    return [i for i, number in Counter(ids).items() if number > 1]


def find_longest(tokens: Iterable[Symbol]) -> dict[Symbol, int]:
    """Return, for every two symbols, the length of the longest token that begins with these two.

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
    ids: Mapping[Symbol, int],
    longest: Mapping[Symbol, int],
    borders: Borders,
    most: float = inf,
) -> list[int] | None:
    """Return the ids of the tokens that encoding by rank makes, found from left to right.

    Tokens are the encoding of a word if each token encodes to itself and all borders hold. Why?
    Suppose that something is merged across a border, and think of the first time that this happens.
    Until that moment each token was merged as if it stood alone. So the two symbols beside the
    border are two symbols that `hold` looked at when it undid merges, and it found that these two
    aren't merged at that moment. This is a contradiction.

    So it is enough to look at tokens that stand side by side. We take the longest token that can
    follow the token before. If no token can, then the token before was too long, and we replace it
    by the next shorter token. The tokens before a place are the encoding of the text before it, and
    a text has only one encoding. So if no token led on from a place, a second try there would also
    fail, and we don't try again. ``longest`` comes from `find_longest`.

    A word may look like the beginning of a very long token in many places, and every try reads the
    whole token. So we give up and return None after reading ``most`` symbols, or after undoing as
    many merges. We also return None if a token is needed that may not encode to itself.

    >>> ids = {"l": 0, "o": 1, "w": 2, "ow": 3, "lo": 4, "wl": 5}
    >>> borders = Borders([0, 1, 2], {(1, 2): 0, (0, 1): 1, (2, 0): 2}, [3, 4, 5])
    >>> cut_into_tokens("lowl", ids, find_longest(ids), borders)
    [0, 3, 0]
    """
    tokens = []  # ids of the tokens so far
    starts = []  # where each of them begins
    dead_ends = set()  # places from which no token leads on
    most_steps = borders.steps + most
    start = 0
    end = min(longest.get(word[:2], 1), len(word))
    while start < len(word):
        most -= end - start
        if most < 0:
            return None
        token = ids.get(word[start:end])
        fits = token is not None and end not in dead_ends and borders.is_whole(token)
        if fits and tokens:
            fits = borders.hold(tokens[-1], token)
        if borders.steps > most_steps:
            return None
        if fits:
            tokens.append(token)
            starts.append(start)
            start = end
            end += longest.get(word[start : start + 2], 1)
            end = min(end, len(word))
        elif end > start + 1:
            end -= 1
        elif not tokens:
            return None
        else:  # nothing fits here: the token before was too long
            dead_ends.add(start)
            # The token before ended at this start; the next try is one symbol shorter. (If it had
            # only one symbol, no shorter token is left to try, so the loop goes back further.)
            end = start - 1
            start = starts.pop()
            tokens.pop()
    return tokens


class Cuts(dict):
    """Code point -> its character, followed by `CUT` if no token continues past the character.

    A token continues past a character if it holds the character, or the character's last bytes, and
    also something that comes after the character. If a vocabulary hardly knows a script, as GPT-2's
    hardly knows Chinese, few tokens continue past its characters. So even if a word is new, its
    pieces may have been met before. Characters of ASCII are never marked; all other characters are
    added when they are first looked up.

    >>> cuts = Cuts(["éo".encode(), b"\\xa8o"])  # the last byte of è
    >>> cuts.pieces("céèà"), cuts.pieces("àçè")
    (['céèà'], ['à', 'ç', 'è'])
    """

    def __init__(self, tokens: Iterable[bytes]):
        beyond_ascii = [token for token in tokens if not token.isascii()]
        # The bytes of characters past which tokens continue. No text holds \xff, which separates.
        self.continued = set(CONTINUED.findall(b"\xff".join(beyond_ascii)))

    def pieces(self, word: str) -> list[str]:
        """Return the pieces of a word, cut after every character that no token continues past.

        `str.translate` looks up each code point in this dictionary; `__missing__` adds new ones.
        """
        return word.translate(self).removesuffix(CUT).split(CUT)

    def __missing__(self, code_point: int) -> str:
        character = chr(code_point)
        spelled = character.encode("utf-8")
        ends = {spelled[i:] for i in range(len(spelled))}  # the parts that a token may hold
        if not character.isascii() and self.continued.isdisjoint(ends):
            character += CUT
        self[code_point] = character
        return character
