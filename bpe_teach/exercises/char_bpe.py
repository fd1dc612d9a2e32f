"""Exercises of notebook 01: count pairs, merge from left to right, learn."""

import random
from collections import Counter
from itertools import pairwise

from bpe_teach.exercises.exercise import Function, Value


def _random_word(chance: random.Random) -> tuple:
    length = chance.randint(0, 12)
    return tuple(chance.choices(["a", "b", "c", "ab"], k=length))


# How often does each pair of neighbours stand in a word?


def _count_pairs(word):
    counts = {}
    for pair in pairwise(word):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def _count_without_overlaps(word):
    counts = {}
    last = None  # the pair that ended at this symbol, if it was counted
    for pair in pairwise(word):
        if pair == last and pair[0] == pair[1]:
            last = None
            continue
        counts[pair] = counts.get(pair, 0) + 1
        last = pair
    return counts


def _count_every_second(word):
    return dict(Counter(zip(word[::2], word[1::2], strict=False)))


def _count_around_the_end(word):
    return dict(Counter(zip(word, word[1:] + word[:1], strict=True)))


def _count_as_sets(word):
    return dict.fromkeys(pairwise(word), 1)


def _count_joined(word):
    return dict(Counter(left + right for left, right in pairwise(word)))


count_pairs = Function(
    "write count_pairs(word): how often does each pair of neighbours stand in the word? "
    "The answer is a dictionary {(left, right): count}.",
    _count_pairs,
    cases=[
        ((tuple("abab"),), {("a", "b"): 2, ("b", "a"): 1}),
        ((tuple("aaa"),), {("a", "a"): 2}),
        ((("es", "t"),), {("es", "t"): 1}),
        ((("a",),), {}),
        (((),), {}),
    ],
    slips=[
        (
            _count_without_overlaps,
            "overlapping places count, too: aaa holds the pair (a, a) twice, and its middle a "
            "belongs to both.",
        ),
        (_count_every_second, "every symbol but the last begins a pair, not every second one."),
        (_count_around_the_end, "the last symbol has no neighbour on its right."),
        (_count_as_sets, "each pair is counted once here, however often it stands in the word."),
        (
            _count_joined,
            "a pair is two symbols, not their letters in one string: (es, t) and (e, st) are "
            "different pairs.",
        ),
    ],
    draw=lambda chance: (_random_word(chance),),
    hints=[
        "pairwise(word) gives the neighbours: (word[0], word[1]), (word[1], word[2]), …",
        "begin with an empty dictionary and add 1 for each pair: counts.get(pair, 0) is what it "
        "has so far, or 0.",
        "Counter(pairwise(word)) does both at once.",
    ],
)


# Merge a pair, from left to right.


def _merge(word, pair):
    merged = []
    i = 0
    while i < len(word):
        if word[i : i + 2] == pair:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


def _merge_from_the_right(word, pair):
    left, right = pair
    backwards = _merge(tuple(symbol[::-1] for symbol in word[::-1]), (right[::-1], left[::-1]))
    return tuple(symbol[::-1] for symbol in backwards[::-1])


def _merge_in_a_string(word, pair):
    return tuple(" ".join(word).replace(" ".join(pair), "".join(pair)).split())


def _merge_once(word, pair):
    for i, neighbours in enumerate(pairwise(word)):
        if neighbours == pair:
            return (*word[:i], word[i] + word[i + 1], *word[i + 2 :])
    return word


def _merge_twice_used(word, pair):
    merged = []
    for i, symbol in enumerate(word):
        if word[i : i + 2] == pair:
            merged.append(symbol + word[i + 1])
        elif i == 0 or word[i - 1 : i + 1] != pair:
            merged.append(symbol)
    return tuple(merged)


def _merge_and_keep(word, pair):
    merged = []
    for i, symbol in enumerate(word):
        merged.append(symbol + word[i + 1] if word[i : i + 2] == pair else symbol)
    return tuple(merged)


def _merge_without_the_last(word, pair):
    merged = []
    i = 0
    while i < len(word) - 1:
        if word[i : i + 2] == pair:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


merge = Function(
    "write merge(word, pair): the word with every occurrence of the pair replaced by one symbol, "
    "from left to right. The answer is a tuple.",
    _merge,
    cases=[
        ((tuple("low"), ("l", "o")), ("lo", "w")),
        ((tuple("aaa"), ("a", "a")), ("aa", "a")),
        ((("es", "t"), ("s", "t")), ("es", "t")),
        ((tuple("low"), ("o", "l")), ("l", "o", "w")),
        (((), ("a", "b")), ()),
        ((tuple("abab"), ("a", "b")), ("ab", "ab")),
    ],
    slips=[
        (_merge_from_the_right, "that reads from right to left: aaa becomes (aa, a)."),
        (
            _merge_in_a_string,
            "merging in a string looks inside symbols: es t holds the text s t, but its symbols "
            "are es and t.",
        ),
        (_merge_once, "only the first place is merged; go on to the end of the word."),
        (_merge_twice_used, "a symbol is used twice: after a merge, go on behind both symbols."),
        (_merge_and_keep, "the right symbol of a merged pair is still there; step over it."),
        (_merge_without_the_last, "the last symbol is lost; what is left over must be kept."),
    ],
    draw=lambda chance: (_random_word(chance), tuple(chance.choices(["a", "b", "ab"], k=2))),
    hints=[
        "walk along the word with a position i, and a list of what has been done so far.",
        "if word[i : i + 2] == pair, add word[i] + word[i + 1] to the list and go on by 2; if not, "
        "add word[i] and go on by 1.",
    ],
)


# The loop.


def _learn(text, num_merges):
    word = tuple(text)
    merges = []
    while len(merges) < num_merges and len(word) > 1:
        counts = _count_pairs(word)
        pair = max(counts, key=counts.get)
        merges.append((*pair, counts[pair]))
        word = _merge(word, pair)
    return merges


def _learn_counting_once(text, num_merges):
    counts = Counter(pairwise(text))
    return [(*pair, count) for pair, count in counts.most_common(num_merges)]


def _learn_last_of_equals(text, num_merges):
    word = tuple(text)
    merges = []
    while len(merges) < num_merges and len(word) > 1:
        counts = _count_pairs(word)
        pair = max(reversed(counts), key=counts.get)
        merges.append((*pair, counts[pair]))
        word = _merge(word, pair)
    return merges


def _learn_greatest_of_equals(text, num_merges):
    word = tuple(text)
    merges = []
    while len(merges) < num_merges and len(word) > 1:
        counts = _count_pairs(word)
        pair = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append((*pair, counts[pair]))
        word = _merge(word, pair)
    return merges


def _learn_counting_afterwards(text, num_merges):
    word = tuple(text)
    merges = []
    while len(merges) < num_merges and len(word) > 1:
        counts = _count_pairs(word)
        pair = max(counts, key=counts.get)
        before = len(word)
        word = _merge(word, pair)
        merges.append((*pair, before - len(word)))
    return merges


def _learn_once_too_often(text, num_merges):
    return _learn(text, num_merges + 1)


learn = Function(
    "write learn(text, num_merges): count, take the most frequent pair (the first of equals), "
    "merge it, and begin again. The answer is a list of (left, right, count).",
    _learn,
    cases=[
        (("low low lower", 3), [("l", "o", 3), ("lo", "w", 3), ("low", " ", 2)]),
        (("aaa", 5), [("a", "a", 2), ("aa", "a", 1)]),
        (("ab", 0), []),
        (("", 3), []),
    ],
    slips=[
        (_learn_counting_once, "the pairs must be counted again after each merge."),
        (
            _learn_last_of_equals,
            "among equal counts the pair met first wins; this takes the one met last.",
        ),
        (
            _learn_greatest_of_equals,
            "among equal counts the pair met first wins; this takes the last of the alphabet.",
        ),
        (
            _learn_counting_afterwards,
            "the count is how often the pair stood there, overlaps included, not how many merges "
            "were made of it.",
        ),
        (_learn_once_too_often, "that is one merge too many."),
    ],
    draw=lambda chance: ("".join(chance.choices("ab c", k=chance.randint(0, 15))), 4),
    hints=[
        "the loop has four lines: count, choose, write down, merge.",
        "max(counts, key=counts.get) takes the first of equals, because a dictionary keeps the "
        "order in which its keys came.",
        "there is nothing left to merge when the word has a single symbol.",
    ],
)


# Values to predict.

pairs_in_aaab = Value(
    "how often does the pair (a, a) stand in aaaa?",
    3,
    [
        (2, "overlapping places count, too: the second a ends one pair and begins the next."),
        (4, "four letters have three neighbourhoods: the last a has nothing on its right."),
    ],
    because="three places, of which neighbouring ones overlap.",
    hints=["point at each a that has an a on its right."],
)
