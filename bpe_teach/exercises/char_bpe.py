"""Exercises of notebook 01: count pairs, merge from left to right, learn, encode."""

import random
import re
from collections import Counter
from itertools import pairwise
from operator import add

from bpe_teach.exercises.exercise import Hunt, Value
from bpe_teach.exercises.program import Part, program
from bpe_teach.exercises.record import record as record

ENDS_TOO_EARLY = "return is inside the loop, so the loop ends too early: indent it less."
NOT_A_TUPLE = (
    "the first merge finds nothing: word[i : i + 2] of a string or a list never equals a pair, "
    "which is a tuple. Begin with tuple(text)."
)
BEYOND_THE_END = (
    "the last symbol has no neighbour, so there is no word[i + 1]. A slice such as word[i : i + "
    "2] may go past the end."
)
COUNTED_ANEW = (
    "nothing is counted in the new text: use the merges of the training text, in their order."
)
NONE_LEFT = "no pair is left here, so there is no most frequent one: stop when no pair is left."
FIRST_LEARNED = "the merge learned first wins, not the longest token and not the leftmost pair."
JOINED_AS_TEXT = (
    "in notebook 04 symbols are bytes, such as b'l'. Use +, which works for both; an f-string or "
    '"".join doesn\'t.'
)


def _random_word(chance: random.Random) -> tuple:
    length = chance.randint(0, 12)
    return tuple(chance.choices(["a", "b", "c", "ab"], k=length))


# How often does each pair of neighbours occur in a word?


def solve_count_pairs(word):
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


def _count_in_the_order_of_a_set(word):
    pairs = list(pairwise(word))
    return {pair: pairs.count(pair) for pair in set(pairs)}


def _count_most_frequent_first(word):
    return dict(Counter(pairwise(word)).most_common())


def _count_from_zero(word):
    return {pair: count - 1 for pair, count in solve_count_pairs(word).items()}


def _count_the_first(word):
    return {word[:2]: 1} if len(word) > 1 else None


def _count_joined(word):
    return dict(Counter(left + right for left, right in pairwise(word)))


count_pairs = Part(
    "write count_pairs(word): how often does each pair of neighbours occur in the word? "
    "The answer is a dictionary {(left, right): count}.",
    solve_count_pairs,
    cases=[
        ((tuple("abab"),), {("a", "b"): 2, ("b", "a"): 1}),
        ((tuple("aaa"),), {("a", "a"): 2}),
        ((tuple("cbaba"),), {("c", "b"): 1, ("b", "a"): 2, ("a", "b"): 1}),
        ((("es", "t"),), {("es", "t"): 1}),
        ((("a",),), {}),
        (((),), {}),
        (((b"l", b"o", b"l"),), {(b"l", b"o"): 1, (b"o", b"l"): 1}),
    ],
    slips=[
        (
            _count_without_overlaps,
            "overlapping places count too: aaa holds the pair (a, a) twice, and its middle a "
            "belongs to both.",
        ),
        (_count_every_second, "every symbol but the last begins a pair, not every second one."),
        (_count_around_the_end, "the last symbol has no neighbour on its right."),
        (_count_as_sets, "each pair counts only once here, however often it occurs in the word."),
        (_count_from_zero, "the first time counts too: a new pair begins with 1, not with 0."),
        (
            _count_joined,
            "a pair is two symbols, not their letters in one string: (es, t) and (e, st) are "
            "different pairs.",
        ),
        (_count_the_first, ENDS_TOO_EARLY),
        (
            _count_in_the_order_of_a_set,
            "a set has no order. On a tie the pair met first wins, so the dictionary must keep "
            "the order in which pairs are met.",
        ),
        (
            _count_most_frequent_first,
            "the counts are right, but the dictionary has the frequent pairs first. Keep the "
            "order in which pairs are met: it decides ties.",
        ),
    ],
    draw=lambda chance: (_random_word(chance),),
    in_order=True,
    long=(tuple(random.Random(0).choices("abcdefghijklmnopqrstuvwxyz", k=2000)),),
    slow="Does it read the whole word again for each pair? A story has 50,000 symbols.",
    hints=[
        "pairwise(word) gives the neighbours: (word[0], word[1]), (word[1], word[2]), …",
        "begin with an empty dictionary and add 1 for each pair: counts.get(pair, 0) is its count "
        "so far, or 0.",
        "Counter(pairwise(word)) does both at once.",
    ],
)


# Merge a pair, from left to right.


def solve_merge(word, pair):
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
    backwards = solve_merge(tuple(symbol[::-1] for symbol in word[::-1]), (right[::-1], left[::-1]))
    return tuple(symbol[::-1] for symbol in backwards[::-1])


def _merge_in_a_string(word, pair):
    return tuple(" ".join(word).replace(" ".join(pair), "".join(pair)).split())


def _merge_whole_symbols_in_a_string(word, pair):
    pattern = rf"(?<!\S){re.escape(' '.join(pair))}(?!\S)"
    return tuple(re.sub(pattern, lambda match: "".join(pair), " ".join(word)).split())


def _merge_where(is_there, word, end=0, join=add):
    """Merge as above, wherever ``is_there(place)``, up to ``end`` symbols before the end."""
    merged = []
    i = 0
    while i < len(word) - end:
        if is_there(i):
            merged.append(join(word[i], word[i + 1]))
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


def _merge_by_token(word, pair):
    def is_there(i):
        return "".join(word[i : i + 2]) == "".join(pair) and i + 1 < len(word)

    return _merge_where(is_there, word)


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


def _merge_and_keep_without_the_last(word, pair):
    return _merge_and_keep(word, pair)[: max(0, len(word) - 1)]


def _merge_beyond_the_end(word, pair):
    return _merge_where(lambda i: (word[i], word[i + 1]) == pair, word)


def _merge_and_keep_beyond_the_end(word, pair):
    merged = []
    for i, symbol in enumerate(word):
        merged.append(symbol + word[i + 1] if (symbol, word[i + 1]) == pair else symbol)
    return tuple(merged)


def _merge_without_the_last(word, pair):
    return _merge_where(lambda i: word[i : i + 2] == pair, word, end=1)


def _merge_the_first_symbols(word, pair):
    if word:
        return (word[0] + word[1],) if word[:2] == pair else word[:1]


def _merge_with(join):
    """Make a function that puts two symbols together in another way than by +."""

    def merge_with_join(word, pair):
        return _merge_where(lambda i: word[i : i + 2] == pair, word, join=join)

    return merge_with_join


merge = Part(
    "write merge(word, pair): the word with every occurrence of the pair replaced by one symbol, "
    "from left to right. The answer is a tuple.",
    solve_merge,
    cases=[
        ((tuple("low"), ("l", "o")), ("lo", "w")),
        ((tuple("aaa"), ("a", "a")), ("aa", "a")),
        ((("es", "t"), ("s", "t")), ("es", "t")),
        ((tuple("low"), ("o", "l")), ("l", "o", "w")),
        (((), ("a", "b")), ()),
        ((tuple("abab"), ("a", "b")), ("ab", "ab")),
        ((("es", "t"), ("e", "st")), ("es", "t")),
        (((" ", "a", "-"), ("a", "b")), (" ", "a", "-")),
        (((b"l", b"o", b"w"), (b"l", b"o")), (b"lo", b"w")),
    ],
    slips=[
        (_merge_from_the_right, "that reads from the right; from the left, aaa becomes (aa, a)."),
        (
            _merge_in_a_string,
            "merging in a string looks inside symbols: es t holds the text s t, but its symbols "
            "are es and t.",
        ),
        (
            _merge_whole_symbols_in_a_string,
            "this puts spaces between the symbols. But a space can be a symbol too, and then it "
            "is lost.",
        ),
        (
            _merge_by_token,
            "joined, the texts are the same, but (e, st) is not the pair (es, t): compare the two "
            "symbols one by one.",
        ),
        (_merge_once, "only the first place is merged: go on to the end of the word."),
        (_merge_twice_used, "a symbol is used twice: after a merge, go on after both symbols."),
        (
            _merge_and_keep,
            "the right symbol of a merged pair is still there: skip it. (In a for loop, i += 2 "
            "doesn't change the next i; use while.)",
        ),
        (
            _merge_and_keep_without_the_last,
            "range(len(word) - 1) stops before the last symbol. And in a for loop, i += 2 doesn't "
            "change the next i: use while i < len(word).",
        ),
        (_merge_beyond_the_end, BEYOND_THE_END),
        (_merge_and_keep_beyond_the_end, BEYOND_THE_END),
        (_merge_without_the_last, "the last symbol is lost. Keep every symbol that isn't merged."),
        (_merge_the_first_symbols, ENDS_TOO_EARLY),
        (_merge_with(lambda left, right: "".join([left, right])), JOINED_AS_TEXT),
        (_merge_with(lambda left, right: f"{left}{right}"), JOINED_AS_TEXT),
    ],
    draw=lambda chance: (_random_word(chance), tuple(chance.choices(["a", "b", "ab"], k=2))),
    long=(tuple(random.Random(0).choices("abc", k=20_000)), ("a", "b")),
    slow="Does each step copy the rest of the word, or the result so far? Appending to a list "
    "copies nothing.",
    hints=[
        "go through the word with a position i, and keep a list of the symbols so far.",
        "if word[i : i + 2] == pair, add word[i] + word[i + 1] to the list and go on by 2; if not, "
        "add word[i] and go on by 1.",
    ],
)


# The loop.


def solve_learn(text, num_merges):
    word = tuple(text)
    merges = []
    while len(merges) < num_merges and len(word) > 1:
        counts = solve_count_pairs(word)
        pair = max(counts, key=counts.get)
        merges.append((pair[0], pair[1], counts[pair]))
        word = solve_merge(word, pair)
    return merges


def _learn_counting_once(text, num_merges):
    counts = Counter(pairwise(text))
    return [(*pair, count) for pair, count in counts.most_common(num_merges)]


def _learn_from(word, num_merges, choose=None, is_endless=False):
    """Learn as above, from what is taken for a word; ``choose(counts)`` returns the pair."""
    merges = []
    while len(merges) < num_merges and (is_endless or len(word) > 1):
        counts = solve_count_pairs(word)
        pair = choose(counts) if choose else max(counts, key=counts.get)
        merges.append((*pair, counts[pair]))
        word = solve_merge(word, pair)
    return merges


def _last_of_equals(counts):
    return max(reversed(counts), key=counts.get)


def _greatest_of_equals(counts):
    return max(counts, key=lambda pair: (counts[pair], pair))


def _smallest_of_equals(counts):
    return min(counts, key=lambda pair: (-counts[pair], pair))


def _learn_choosing(choose):
    """Make a function that learns with another rule for ties, and name it after the rule."""

    def learn(text, num_merges):
        return _learn_from(tuple(text), num_merges, choose)

    learn.__name__ = f"_learn{choose.__name__}"
    return learn


_learn_last_of_equals = _learn_choosing(_last_of_equals)
_learn_greatest_of_equals = _learn_choosing(_greatest_of_equals)
_learn_smallest_of_equals = _learn_choosing(_smallest_of_equals)


def _learn_keeping_counts(text, num_merges):
    word = tuple(text)
    merges = []
    counts = Counter()  # of all rounds so far
    while len(merges) < num_merges and len(word) > 1:
        counts.update(pairwise(word))
        pair = max(counts, key=counts.get)
        merges.append((pair[0], pair[1], counts[pair]))
        word = solve_merge(word, pair)
    return merges


def _learn_counting_afterwards(text, num_merges):
    word = tuple(text)
    merges = []
    for left, right, _ in solve_learn(text, num_merges):
        before = len(word)
        word = solve_merge(word, (left, right))
        merges.append((left, right, before - len(word)))
    return merges


def _learn_from_a_text(text, num_merges):
    return _learn_from(text, num_merges)


def _learn_in_a_string(text, num_merges):
    held = "\0".join(text)
    merges = []
    while len(merges) < num_merges and "\0" in held:
        counts = solve_count_pairs(held.split("\0"))
        pair = max(counts, key=counts.get)
        merges.append((pair[0], pair[1], counts[pair]))
        held = held.replace("\0".join(pair), "".join(pair))
    return merges


def _learn_without_an_end(text, num_merges):
    return _learn_from(tuple(text), num_merges, is_endless=True)


def _learn_the_most_common_without_an_end(text, num_merges):
    def choose(counts):
        return Counter(counts).most_common(1)[0][0]

    return _learn_from(tuple(text), num_merges, choose, is_endless=True)


def _learn_once_too_often(text, num_merges, learn=solve_learn):
    return learn(text, num_merges + 1)


def _learn_one_merge(text, num_merges, learn=solve_learn):
    return learn(text, min(num_merges, 1)) or None


def _learn_to_the_end(text, num_merges, learn=solve_learn):
    return learn(text, 10**6)


def _learn_without_merging(text, num_merges, learn=solve_learn):
    return learn(text, 1) * num_merges


def _learn_only_repeated(text, num_merges, learn=solve_learn):
    merges = learn(text, num_merges)
    return [merge for merge in merges if merge[2] > 1]


def _learn_nested(text, num_merges):
    return [((left, right), count) for left, right, count in solve_learn(text, num_merges)]


def _learn_without_counts(text, num_merges):
    return [(left, right) for left, right, _ in solve_learn(text, num_merges)]


learn = Part(
    "write learn(text, num_merges): count the pairs, take the most frequent one (on a tie, the "
    "pair met first), merge it, and begin again. The answer is a list of (left, right, count).",
    solve_learn,
    cases=[
        (("low low lower", 3), [("l", "o", 3), ("lo", "w", 3), ("low", " ", 2)]),
        (("aaa", 5), [("a", "a", 2), ("aa", "a", 1)]),
        (("ab", 0), []),
        (("", 3), []),
        (("abaaaab", 4), [("a", "a", 3), ("a", "b", 1), ("ab", "aa", 1), ("abaa", "aa", 1)]),
    ],
    slips=[
        (_learn_counting_once, "count the pairs again after each merge."),
        (
            _learn_last_of_equals,
            "among equal counts the pair met first wins; this takes the one met last.",
        ),
        (
            _learn_greatest_of_equals,
            "among equal counts the pair met first wins; this takes the one that sorts last.",
        ),
        (
            _learn_smallest_of_equals,
            "among equal counts the pair met first wins; this takes the one that sorts first, as "
            "a heap of (-count, pair) does.",
        ),
        (
            _learn_keeping_counts,
            "the counts of earlier rounds are still in there: begin each round with an empty "
            "dictionary.",
        ),
        (
            _learn_counting_afterwards,
            "the count is how often the pair occurred, overlaps included, not how many merges "
            "were made.",
        ),
        (_learn_from_a_text, f"a pair is learned twice, because {NOT_A_TUPLE}"),
        (
            _learn_in_a_string,
            "replacing in a string also finds places where the end of one symbol and the "
            "beginning of the next only look like the pair: compare whole symbols.",
        ),
        (_learn_without_an_end, NONE_LEFT),
        (_learn_the_most_common_without_an_end, NONE_LEFT),
        (_learn_once_too_often, "that is one merge too many."),
        (_learn_one_merge, ENDS_TOO_EARLY),
        (_learn_to_the_end, "the number of merges is ignored: this goes on until no pair is left."),
        (
            _learn_without_merging,
            "the same pair wins again and again: merge it in the word before the next count.",
        ),
        (_learn_only_repeated, "a pair that occurs once is merged too: stop at a single symbol."),
        (_learn_nested, "each entry has three parts, left, right and count, without a pair in it."),
        (_learn_without_counts, "the count of the pair is missing: (left, right, count)."),
    ],
    draw=lambda chance: ("".join(chance.choices("ab c", k=chance.randint(0, 15))), 4),
    long=("".join(random.Random(0).choices("abcdefgh", k=1500)), 1),
    slow="Does it read the whole text again for each pair? Count all pairs in one pass.",
    hints=[
        "the loop has four lines: count, choose, write down, merge.",
        "max(counts, key=counts.get) takes the pair met first on a tie, because a dictionary "
        "keeps the order in which its keys were added.",
        "when the word is a single symbol, there is nothing left to merge.",
    ],
)


# The merges, applied to another text.


def solve_encode(text, merges):
    word = tuple(text)
    for left, right, _ in merges:
        word = solve_merge(word, (left, right))
    return word


def _encode_backwards(text, merges):
    return solve_encode(text, merges[::-1])


def _apply(merges, word, merge=solve_merge):
    for left, right, _ in merges:
        word = merge(word, (left, right))
    return word


def _encode_the_first_place(text, merges):
    return _apply(merges, tuple(text), _merge_once)


def _encode_longest_first(text, merges):
    tokens = {left + right for left, right, _ in merges}
    word = []
    while text:
        size = max([n for n in range(1, len(text) + 1) if text[:n] in tokens], default=1)
        word.append(text[:size])
        text = text[size:]
    return tuple(word)


def _encode_leftmost_first(text, merges):
    pairs = {(left, right) for left, right, _ in merges}
    word = tuple(text)
    while known := [pair for pair in pairwise(word) if pair in pairs]:
        word = _merge_once(word, known[0])
    return word


def _encode_by_learning(text, merges):
    return solve_encode(text, solve_learn(text, len(merges)))


def _encode_by_learning_without_an_end(text, merges):
    learned = _learn_without_an_end(text, len(merges))
    return solve_encode(text, learned)


def _encode_most_frequent_first(text, merges):
    known = {(left, right) for left, right, _ in merges}
    word = tuple(text)
    while counts := {pair: n for pair, n in solve_count_pairs(word).items() if pair in known}:
        word = solve_merge(word, max(counts, key=counts.get))
    return word


def _encode_with_whole_merges(text, merges):
    return tuple(text)  # merge never finds (left, right, count)


def _encode_unpacking_whole_merges(text, merges):
    word = tuple(text)
    for left, right in merges:
        word = solve_merge(word, (left, right))
    return word


def _encode_one_merge(text, merges):
    return _apply(merges[:1], tuple(text)) if merges else None


def _encode_from_a_text(text, merges):
    return _apply(merges, text)


def _encode_to_one_text(text, merges):
    return "".join(solve_encode(text, merges))


def _random_text_and_merges(chance):
    training = "".join(chance.choices("abc", k=12))
    text = "".join(chance.choices("abc", k=chance.randint(0, 10)))
    return text, solve_learn(training, 4)


encode = Part(
    "write encode(text, merges): apply the merges (left, right, count) to a new text, in the "
    "order in which they were learned. The answer is a tuple of symbols.",
    solve_encode,
    cases=[
        (("slow low", [("l", "o", 2), ("lo", "w", 2)]), ("s", "low", " ", "low")),
        (("low", [("o", "w", 3), ("l", "o", 2)]), ("l", "ow")),
        (("abc", [("b", "c", 3), ("a", "b", 2), ("ab", "c", 1)]), ("a", "bc")),
        (("low", []), ("l", "o", "w")),
        (("", [("l", "o", 2)]), ()),
        (("abcbc", [("a", "b", 3), ("b", "c", 3)]), ("ab", "c", "bc")),
    ],
    slips=[
        (_encode_backwards, "the merge learned first is applied first; this begins with the last."),
        (_encode_the_first_place, "each merge is made everywhere, not only at the first place."),
        (_encode_longest_first, FIRST_LEARNED),
        (_encode_leftmost_first, FIRST_LEARNED),
        (_encode_by_learning, COUNTED_ANEW),
        (_encode_by_learning_without_an_end, COUNTED_ANEW),
        (_encode_most_frequent_first, COUNTED_ANEW),
        (
            _encode_with_whole_merges,
            "nothing is merged. A merge has three parts, (left, right, count), but the function "
            "merge wants a pair: the first two. And do you keep its result?",
        ),
        (
            _encode_unpacking_whole_merges,
            "each merge has three parts, (left, right, count); merge wants (left, right).",
        ),
        (_encode_one_merge, ENDS_TOO_EARLY),
        (_encode_from_a_text, f"a text is not a word, so {NOT_A_TUPLE}"),
        (_encode_to_one_text, "this joins the tokens again; return them as they are."),
    ],
    draw=_random_text_and_merges,
    hints=[
        "begin with the characters: tuple(text).",
        "go through the merges once, in their order; for each, word = merge(word, (left, right)).",
    ],
)


# A program that trusts the counts.


def check_word_and_pair(word, pair):
    """Raise ValueError unless these are a tuple of symbols and a tuple of two."""
    if not isinstance(word, tuple) or not isinstance(pair, tuple) or len(pair) != 2:
        raise ValueError(
            "a word is a tuple of symbols, and a pair is a tuple of two: tuple('low'), ('l', 'o')"
        )
    if not all(isinstance(symbol, str) and symbol for symbol in (*word, *pair)):
        raise ValueError("a symbol must be a text of at least one character")


def _symbols_left(word, pair):
    check_word_and_pair(word, pair)
    return len(solve_merge(word, pair))


def _symbols_left_faulty(word, pair):
    return len(word) - solve_count_pairs(word).get(pair, 0)


count_bug = Hunt(
    "symbols_left(word, pair) should say how many symbols are left after a pair is merged. It "
    "subtracts the count of the pair from the length. Find a word and a pair for which that is "
    "wrong.",
    _symbols_left_faulty,
    _symbols_left,
    (("a", "a", "a"), ("a", "a")),
    hints=[
        "can a pair count at a place where it can't be merged?",
        "try a pair of two equal symbols.",
    ],
)


# Values to predict.

pairs_in_text = Value(
    "how often does the pair (a, a) occur in aaabcaabbd_?",
    3,
    [
        (2, "overlapping places count too: aaa holds the pair twice; its middle a is in both."),
        (5, "that is how often the letter occurs; a pair is two neighbours."),
        (4, "an a before a b has no second a beside it."),
    ],
    because="twice in aaa, where the places overlap, and once in aa.",
    hints=["point at each a that has an a on its right."],
)

symbols_left = Value(
    "the text has eleven symbols, and (a, a) occurs in three places. How many symbols are left "
    "after it is merged, from left to right?",
    9,
    [
        (8, "that uses a symbol twice: where two places overlap, only one can be merged."),
        (10, "the pair is merged wherever it occurs, not only in the first place."),
        (3, "that is the number of places; how many of the eleven symbols are left?"),
    ],
    because="aa a b c aa b b d _: the three places allow two merges.",
    hints=["write the text down, and draw a box around each pair that you merge."],
)

aaaa = Value(
    "how often does (a, a) occur in aaaa, and how many symbols are left after it is merged? The "
    "answer is two numbers, (places, symbols).",
    (3, 2),
    [
        ((2, 2), "that counts without overlaps: the pair occurs in three places."),
        ((3, 1), "that uses a symbol twice: the three places allow two merges."),
        ((3, 3), "go on after the first merge: there is another pair."),
        ((4, 2), "the last a has nothing on its right."),
    ],
    because="three overlapping places, two merges: aa aa.",
    hints=[
        "the two questions have different rules: count all places, but use each symbol only once."
    ],
)

second_merge = Value(
    "the words are low lower lowest, slow slower slowest, and the first merge is (l, o). Which "
    "pair is merged second?",
    ("lo", "w"),
    [
        (("o", "w"), "count again after the first merge: every o is part of a lo now."),
        (("w", "e"), "it occurs four times, but another pair occurs six times."),
        (("l", "ow"), "ow does not exist: only l and o were merged."),
        (("lo", "we"), "we does not exist: only l and o were merged."),
    ],
    because="w follows lo six times.",
    hints=["write all six words with lo as one symbol.", "what follows lo?"],
)

second_of_story = Value(
    "the first merge of the story is e and the space after it. Which pair is merged second?",
    "th",
    [
        (
            "he",
            "it was second before the first merge. But most of its places are gone now, because "
            "their e was merged with a space.",
        ),
        (" t", "at first it is more frequent than t h, but its spaces after an e are gone."),
    ],
    choices={
        "he": "h and e: 1,379 before the first merge",
        " t": "a space and t: 1,376 before the first merge",
        "th": "t and h: 1,277 before the first merge",
    },
    because="the first merge takes no place from it, so it still occurs 1,277 times.",
    hints=[
        "each e and the space after it are now one symbol. Which of the three pairs occur less "
        "often because of that?"
    ],
)

torn_light = Value(
    "in which of the four is light torn in two?",
    "light the lamp",
    [
        ("her light", "the space merges with the letters before it, her, and light stays whole."),
        ("daylight", "nobody said where words begin: light is also found inside a word."),
        ("a light!", "a punctuation mark is a neighbour too, but t and ! were never merged."),
    ],
    choices={
        "her light": "a space before it",
        "light the lamp": "a space after it",
        "daylight": "letters before it",
        "a light!": "a space before it, punctuation after it",
    },
    because="the merge of t and a space has rank 3, so it takes the t before light is built.",
    hints=[
        "which of the first thirty merges could take a letter away from light?",
        "the merge of rank 3 is t and the space after it.",
    ],
)

longest_symbol = Value(
    "a text ababab… is as long as you like. How long is its longest symbol after five merges?",
    32,
    [
        (10, "the second merge does not add two letters: it merges (ab, ab)."),
        (6, "the second merge does not add one letter: it merges (ab, ab)."),
        (64, "the first merge makes a symbol of two letters, and each later merge doubles it."),
        (16, "the first merge makes a symbol of two letters, and each later merge doubles it."),
    ],
    because="2, 4, 8, 16, 32.",
    hints=["after the first merge the text is ab ab ab …: which pair is left to merge?"],
)


# The learner's program.

my_bpe = program("01")
