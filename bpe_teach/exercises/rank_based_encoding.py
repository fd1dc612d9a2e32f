"""Exercises of notebook 03: encode by rank, predict a split, cure a bad one, break a rule."""

import random
from itertools import pairwise, product
from math import inf
from operator import add

from bpe_teach.exercises.char_bpe import JOINED_AS_TEXT
from bpe_teach.exercises.exercise import Hunt, Value
from bpe_teach.exercises.program import Part, program
from bpe_teach.exercises.record import record as record
from bpe_teach.learn import learn_merges_naive
from bpe_teach.pairs import merge_pair

# By hand.

next_winner = Value(
    "the word is now s lo w e r. Which pair is merged next? Answer with a pair, as in ('l', 'o').",
    ("lo", "w"),
    [
        (
            ("e", "r"),
            "a moment ago it was the second candidate. But the new symbol lo has a neighbour, and "
            "their pair has a lower rank.",
        ),
        (("s", "lo"), "it is in the word, but it was never learned: it has no rank."),
        (("l", "o"), "it has just been merged, so it is no longer in the word."),
        (("w", "e"), "it is in the word, but it was never learned: it has no rank."),
    ],
    because="lo is a new symbol, so (lo, w) is a new candidate: its rank 1 is lower than 2.",
    hints=["go through the four pairs of the word: which of them are in the dictionary?"],
)

TOWER = {("o", "w"): 0, ("ow", "e"): 1, ("t", "o"): 2, ("t", "ow"): 3}
TOWER_CUTS = {
    "to w e r": "that takes the leftmost pair first. (o, w) has a lower rank than (t, o).",
    "tow e r": "that takes the longest piece from the left. BPE goes by rank.",
    "t ow e r": "(ow, e) has a rank too. Go on until no pair of the word is in the list.",
    "tower": "there is no merge for (t, owe), nor for (owe, r).",
    "t o w e r": "(o, w) is in the list and in the word: merge it.",
}


def _wrong_cuts(word: str, right: str, ranks: dict, reasons: dict[str, str]) -> dict[str, str]:
    """Return every wrong cut of a word, with its reason: a given one, or an impossible piece."""
    pieces = {left + right for left, right in ranks}
    cuts = {}
    for gaps in product(["", " "], repeat=len(word) - 1):
        cut = "".join(map("".join, zip(word, [*gaps, ""], strict=True)))
        strange = [piece for piece in cut.split() if len(piece) > 1 and piece not in pieces]
        if strange:
            cuts[cut] = f"no merge in the list makes {strange[0]}."
    return {cut: why for cut, why in (cuts | reasons).items() if cut != right}


tower = Value(
    "the merges are (o, w), (ow, e), (t, o), (t, ow), in this order. How is tower split? Write "
    "the pieces with spaces between them.",
    "t owe r",
    list(_wrong_cuts("tower", "t owe r", TOWER, TOWER_CUTS).items()),
    because="(o, w) has rank 0, then (ow, e) has rank 1; after that no pair has a rank.",
    hints=[
        "write down the four pairs of t o w e r, and the rank of each that has one.",
        "after the first merge, look at all pairs again: some are new.",
    ],
)


# The function.


def solve_encode(word, ranks):
    while True:
        best = None  # the candidate of lowest rank so far: (rank, place)
        for i, pair in enumerate(pairwise(word)):
            if pair in ranks and (best is None or ranks[pair] < best[0]):
                best = (ranks[pair], i)
        if best is None:
            return tuple(word)
        i = best[1]
        word = (*word[:i], word[i] + word[i + 1], *word[i + 2 :])


def _encode_choosing(choose, word, ranks, join=add):
    """Encode as above, but merge at the place that ``choose([(rank, place), …])`` returns."""
    while True:
        candidates = [(ranks[pair], i) for i, pair in enumerate(pairwise(word)) if pair in ranks]
        if not candidates:
            return tuple(word)
        i = choose(candidates)
        word = (*word[:i], join(word[i], word[i + 1]), *word[i + 2 :])


def _encode_leftmost_first(word, ranks):
    return _encode_choosing(lambda candidates: candidates[0][1], word, ranks)


def _encode_in_one_pass(word, ranks):
    candidates = {pair for pair in pairwise(word) if pair in ranks}
    for pair in sorted(candidates, key=ranks.get):
        word = merge_pair(word, pair)
    return tuple(word)


def _encode_by_replay(word, ranks):
    for pair in sorted(ranks, key=ranks.get):
        word = merge_pair(word, pair)
    return tuple(word)


def _encode_highest_first(word, ranks):
    def choose(candidates):
        return max(candidates, key=lambda candidate: candidate[0])[1]  # the leftmost of equals

    return _encode_choosing(choose, word, ranks)


def _encode_one_merge(word, ranks):
    candidates = [(ranks[pair], i) for i, pair in enumerate(pairwise(word)) if pair in ranks]
    if not candidates:
        return tuple(word)
    i = min(candidates)[1]
    return (*word[:i], word[i] + word[i + 1], *word[i + 2 :])


def _encode_without_an_end(word, ranks):
    while True:
        pair = min(pairwise(word), key=lambda pair: ranks.get(pair, inf))
        word = merge_pair(word, pair)


def _encode_in_alphabetical_order(word, ranks):
    while candidates := [pair for pair in pairwise(word) if pair in ranks]:
        word = merge_pair(word, min(candidates))
    return tuple(word)


def _encode_with_rank_for_place(word, ranks):
    return _encode_choosing(lambda candidates: min(candidates)[0], word, ranks)


def _encode_without_unpacking(use):
    """Make a function that uses (rank, place) where it should use only the place."""

    def encode_without_unpacking(word, ranks):
        candidates = [(ranks[pair], i) for i, pair in enumerate(pairwise(word)) if pair in ranks]
        return use(tuple(word), min(candidates)) if candidates else tuple(word)

    return encode_without_unpacking


def _encode_until_min_has_no_rank(word, ranks):
    while True:
        pair = min(pairwise(word), key=lambda pair: ranks.get(pair, inf))
        if pair not in ranks:
            return tuple(word)
        word = merge_pair(word, pair)


def _encode_down_to_one_symbol(word, ranks):
    while len(word) > 1:
        pair = min(pairwise(word), key=lambda pair: ranks.get(pair, inf))
        word = merge_pair(word, pair)
    return tuple(word)


def _encode_rightmost_of_equals(word, ranks):
    def choose(candidates):
        return min(candidates, key=lambda candidate: (candidate[0], -candidate[1]))[1]

    return _encode_choosing(choose, word, ranks)


def _encode_longest_first(word, ranks):
    tokens = {left + right for left, right in ranks}
    pieces = []
    while word:
        end = len(word)
        while end > 1 and "".join(word[:end]) not in tokens:
            end -= 1
        pieces.append("".join(word[:end]))
        word = word[end:]
    return tuple(pieces)


def _encode_whole_if_known(word, ranks):
    token = "".join(word)
    if token in {left + right for left, right in ranks}:
        return (token,)
    return solve_encode(word, ranks)


def _encode_with(join):
    """Make a function that puts two symbols together in another way than by +."""

    def encode_with_join(word, ranks):
        return _encode_choosing(lambda candidates: min(candidates)[1], word, ranks, join)

    return encode_with_join


NOT_UNPACKED = (
    "min gives the whole candidate, (rank, place): take it apart with rank, i = min(candidates)."
)
SLOWER = {("l", "o"): 0, ("lo", "w"): 1, ("e", "r"): 2, ("s", "low"): 3, ("slow", "er"): 4}


def _random_task(chance: random.Random) -> tuple:
    """Return a word and learned ranks, so that each merge comes after its parts."""
    texts = ["".join(chance.choices("low", k=chance.randint(4, 14))) for _ in range(3)]
    merges = learn_merges_naive({tuple(text): 1 for text in texts}, 6, min_count=1)
    ranks = {merge.pair: rank for rank, merge in enumerate(merges)}
    return tuple(chance.choice(texts)[: chance.randint(0, 12)]), ranks


encode = Part(
    "write encode(word, ranks): of all pairs in the word that have a rank, merge the one of "
    "lowest rank, at its leftmost place. Then look again, until no pair has a rank. The answer is "
    "a tuple of symbols.",
    solve_encode,
    cases=[
        ((tuple("slower"), SLOWER), ("slower",)),
        ((tuple("lowest"), SLOWER), ("low", "e", "s", "t")),
        ((tuple("tower"), TOWER), ("t", "owe", "r")),
        ((tuple("aaa"), {("a", "a"): 0}), ("aa", "a")),
        ((tuple("slo"), {("s", "l"): 0, ("l", "o"): 1}), ("sl", "o")),
        ((tuple("abc"), {("ab", "c"): 0, ("a", "b"): 1}), ("abc",)),
        ((tuple("slow"), {("s", "l"): 0, ("o", "w"): 1}), ("sl", "ow")),
        ((tuple("xyz"), SLOWER), ("x", "y", "z")),
        ((("a",), SLOWER), ("a",)),
        (((), SLOWER), ()),
        ((tuple("abc"), {("b", "c"): 0, ("a", "b"): 1, ("ab", "c"): 2}), ("a", "bc")),
        (((b"l", b"o", b"w"), {(b"l", b"o"): 0, (b"lo", b"w"): 1}), (b"low",)),
    ],
    slips=[
        (
            _encode_leftmost_first,
            "that merges the leftmost candidate. The one of lowest rank comes first, wherever it "
            "is.",
        ),
        (
            _encode_in_one_pass,
            "this looks for candidates only once, at the beginning. A merge makes a new symbol, "
            "and so new pairs: look again after each merge.",
        ),
        (
            _encode_by_replay,
            "that is replay. It goes through the list once, so it has passed (ab, c) before there "
            "is an ab. After each merge, look for the lowest rank in the word again.",
        ),
        (_encode_highest_first, "that takes the highest rank first; early merges have low ranks."),
        (
            _encode_without_an_end,
            "this calls min again and again, until no pair is left at all: stop when the best "
            "pair has no rank, or when the word is a single symbol.",
        ),
        (
            _encode_until_min_has_no_rank,
            "a word of a single symbol has no pair, so min has nothing to choose from: stop "
            "before you call min.",
        ),
        (
            _encode_down_to_one_symbol,
            "min returns a pair even if no pair has a rank, and that pair is merged: stop when "
            "the best pair is not in ranks.",
        ),
        (
            _encode_in_alphabetical_order,
            "min of pairs, or of (pair, rank), takes the first in the alphabet: put the rank "
            "first, (rank, place), or use key=ranks.get.",
        ),
        (
            _encode_with_rank_for_place,
            "this uses a rank as a place in the word: in (rank, place), the place is the second "
            "part.",
        ),
        (_encode_without_unpacking(lambda word, best: word[:best]), NOT_UNPACKED),
        (_encode_without_unpacking(lambda word, best: word[best]), NOT_UNPACKED),
        (_encode_without_unpacking(lambda word, best: best + 1), NOT_UNPACKED),
        (_encode_one_merge, "that is only one merge. Begin again, until no pair has a rank."),
        (
            _encode_rightmost_of_equals,
            "where the same pair occurs several times, the leftmost is merged first: aaa becomes "
            "(aa, a).",
        ),
        (
            _encode_longest_first,
            "that looks for the longest known piece. Here you merge only pairs, in the order of "
            "their ranks.",
        ),
        (
            _encode_whole_if_known,
            "this keeps a word whole if it is a token. But merges of lower rank may split it "
            "differently: (b, c) takes the b before (a, b) can.",
        ),
        (_encode_with(lambda left, right: "".join([left, right])), JOINED_AS_TEXT),
        (_encode_with(lambda left, right: f"{left}{right}"), JOINED_AS_TEXT),
    ],
    draw=_random_task,
    hints=[
        "use a loop without an end, while True, and return when there is no candidate.",
        "enumerate(pairwise(word)) gives places and pairs. For each pair that has a rank, keep "
        "(ranks[pair], place).",
        "min of that list is the lowest rank, at its leftmost place. Then word[:i], word[i] + "
        "word[i + 1] and word[i + 2 :] make the new word.",
    ],
)


# A program with a fault.


def _check_task(word, ranks):
    """Raise ValueError unless these are a word and ranks."""
    if not isinstance(word, tuple) or not all(isinstance(s, str) and s for s in word):
        raise ValueError("a word must be a tuple of symbols")
    if not isinstance(ranks, dict) or not all(len(pair) == 2 for pair in ranks):
        raise ValueError("ranks must be a dictionary {pair: number}")


def _encode_by_rank(word, ranks):
    _check_task(word, ranks)
    return solve_encode(word, ranks)


def _hasty_encode(word, ranks):
    _check_task(word, ranks)
    return _encode_in_one_pass(word, ranks)


def _encode_all_at_once(word, ranks):
    _check_task(word, ranks)
    while True:
        candidates = [pair for pair in pairwise(word) if pair in ranks]
        if not candidates:
            return tuple(word)
        word = merge_pair(word, min(candidates, key=ranks.get))


hasty = Hunt(
    "find a word (a tuple) and ranks (a dictionary) for which hasty_encode goes wrong: "
    "check(word, ranks).",
    _hasty_encode,
    _encode_by_rank,
    (("a", "b", "c"), {("a", "b"): 0, ("ab", "c"): 1}),
    hints=[
        "when does it look up the candidates, and how often?",
        "which merge becomes possible only after another one?",
    ],
)


# Why this split?

lamplighter = Value(
    "how is lamplighter split, without a space before it? Write the pieces with spaces between "
    "them.",
    "l am p l ig h ter",
    [
        ("lamp light er", "a reader would do that. But is there a merge (l, ight) on the screen?"),
        ("l am p light er", "is there a merge (l, ight) on the screen? And what takes the t?"),
        ("l am p l ight er", "once there is an er, (t, er) is a candidate: is its rank below 68?"),
        ("l am p l ig ht er", "once there is an er, (t, er) is a candidate: is its rank below 68?"),
        ("l am p l ig h t er", "once there is an er, (t, er) is a candidate. Look up its rank."),
        ("la m p l ig h ter", "(a, m) has rank 52: it takes the a before (l, a), which has 184."),
        ("l am p l i g h ter", "(i, g) has a rank too. Go on until no pair is in the list."),
        ("l a m p l ig h ter", "(a, m) has a rank too. Go on until no pair is in the list."),
        ("lamplighter", "no merge on the screen joins am and what follows it."),
        ("la m p light er", "(a, m) takes the a before (l, a) can. And which merge makes light?"),
    ],
    otherwise="follow the ranks, one merge at a time: make the merge of lowest rank, then look "
    "again. A piece that no merge on the screen makes cannot occur.",
    because="(t, er) has rank 61, so it takes the t before (h, t), which has rank 68.",
    hints=[
        "the merge of rank 9 comes first: l a m p l i g h t er. Which is next?",
        "go down the list from rank 9 to rank 184. For each pair, ask whether the word has it now.",
    ],
)

cure = Value(
    "which of three changes stops er from taking the t of lamplighter?",
    "without",
    [
        ("last", "the new merge has the highest rank, and the t is already taken at rank 61."),
        (
            "first",
            "a low rank does not help as long as there is no ight. It begins with (h, t), which "
            "has rank 68, and the t is already taken at rank 61.",
        ),
    ],
    choices={
        "last": "add the merge (l, ight) at the end of the list",
        "first": "add the merge (l, ight) before all others",
        "without": "take the merge (t, er) out of the list",
    },
    because="then (h, t) gets the t. If you add (l, ight) as well, light stays whole.",
    hints=["what must happen, or must not happen, before rank 61?"],
)


# Replay and rank.

bad_order = Value(
    "what does replay make of a b c with the list (ab, c), (a, b)? Write the pieces with spaces.",
    "ab c",
    [
        ("abc", "that is encoding by rank. Replay has passed (ab, c) before ab exists."),
        ("a b c", "(a, b) is in the list and in the word: merge it."),
        ("a bc", "there is no merge (b, c)."),
    ],
    because="replay asks for (ab, c) while there is no ab yet, and never asks again.",
    hints=["go through the list once, from the beginning, and never go back."],
)

# All places of the winner at once.

all_at_once = Hunt(
    "find a word and badly ordered ranks for which it makes a difference whether the winner is "
    "merged at all its places at once, or at one place at a time: check(word, ranks).",
    _encode_all_at_once,
    _encode_by_rank,
    (("a", "b", "a", "b"), {("ab", "a"): 0, ("a", "b"): 1}),
    hints=[
        "the winner must occur at two places.",
        "what if the merge at the first place makes a candidate whose rank is even lower?",
    ],
)


# The learner's program.

brought = program("02")
my_bpe = program("03")
