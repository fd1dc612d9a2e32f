"""Exercises of notebook 08c: token in, token out; trimmed, extended and joined vocabularies."""

import random
from itertools import pairwise

from bpe_teach.encode import encode_by_rank
from bpe_teach.exercises.exercise import Function, Value
from bpe_teach.exercises.record import record as record
from bpe_teach.fast.learn import learn_merges

# Token in, token out.

longest_first = Value(
    "cut each word from left to right, always taking the longest token that fits. For how many of "
    "the 739 different words does that give different tokens from encoding by rank?",
    "some",
    [
        ("none", "the longest match may be a token that merging by rank never makes there."),
        ("most", "most words are short, and many are one token: there the longest match is right."),
    ],
    choices={"none": "for none", "some": "for 50 to 300", "most": "for more than 500"},
    because="merging takes the most frequent pairs first, wherever they are in the word. What "
    "they have taken is lost to longer tokens.",
    hints=["in ' wet', e and t are merged before ' w' and e are. What is left for ' we'?"],
)


def solve_neighbours_stay(tokens, encode):
    return all(encode(left + right) == [left, right] for left, right in pairwise(tokens))


def _first_neighbours_stay(tokens, encode):
    return solve_neighbours_stay(tokens[:2], encode)


def _some_neighbours_stay(tokens, encode):
    return any(encode(left + right) == [left, right] for left, right in pairwise(tokens))


def _tokens_stay(tokens, encode):
    return all(encode(token) == [token] for token in tokens)


def _every_other_stays(tokens, encode):
    twos = [tokens[i : i + 2] for i in range(0, len(tokens) - 1, 2)]
    return all(encode(left + right) == [left, right] for left, right in twos)


def _joined_neighbours_are_two(tokens, encode):
    return all(len(encode(left + right)) == 2 for left, right in pairwise(tokens))


TOY = [("l", "o"), ("o", "w"), ("e", "r"), ("w", "er"), ("lo", "wer")]
TOY_TOKENS = ["l", "o", "w", "e", "r", "lo", "ow", "er", "wer", "lower"]


def encode_toy(text: str) -> list[str]:
    """Return the tokens of a word, by the merges l o, o w, e r, w er, lo wer.

    >>> encode_toy("slower")
    ['s', 'lower']
    """
    return list(encode_by_rank(tuple(text), {pair: rank for rank, pair in enumerate(TOY)}))


def _random_tokens(chance: random.Random) -> tuple:
    return [chance.choice(TOY_TOKENS) for _ in range(chance.randint(1, 4))], encode_toy


neighbours_stay = Function(
    "write neighbours_stay(tokens, encode): join every two neighbours in a list of tokens, and "
    "encode the result. Return True if that always gives the same two tokens, else False. encode "
    "takes a text and returns a list of tokens.",
    solve_neighbours_stay,
    cases=[
        ((["w", "er"], encode_toy), False),
        ((["r", "lo", "e"], encode_toy), True),
        ((["lo"], encode_toy), True),
        ((["r", "lo", "wer"], encode_toy), False),
        ((["e", "lo", "l", "o"], encode_toy), False),
        ((["l", "ow"], encode_toy), False),
    ],
    slips=[
        (_first_neighbours_stay, "that looks at the first two only: is return inside the loop?"),
        (_some_neighbours_stay, "one pair that stays is not enough: all pairs must stay."),
        (_tokens_stay, "a token alone always stays; what happens beside another token?"),
        (_every_other_stays, "the second and the third are neighbours too: step by one, not two."),
        (_joined_neighbours_are_two, "the two tokens may become two others: compare them."),
    ],
    draw=_random_tokens,
    hints=["pairwise gives the neighbours.", "compare encode(left + right) with [left, right]."],
)

# Trimming.


def solve_needed_merges(merges, tokens):
    needed, kept = set(tokens), []
    for left, right in reversed(merges):
        if left + right in needed:
            needed |= {left, right}
            kept.append((left, right))
    return kept[::-1]


def _needed_at_once(merges, tokens):
    return [(left, right) for left, right in merges if left + right in tokens]


def _needed_backwards(merges, tokens):
    return solve_needed_merges(merges, tokens)[::-1]


def _needed_by_parts(merges, tokens):
    return [(left, right) for left, right in merges if {left, right} & set(tokens)]


def _random_trim(chance: random.Random) -> tuple:
    return TOY, set(chance.sample(TOY_TOKENS, chance.randint(0, 3)))


needed_merges = Function(
    "write needed_merges(merges, tokens): keep only the merges that are needed to make these "
    "tokens, in the order in which they were learned. A merge is a pair.",
    solve_needed_merges,
    cases=[
        ((TOY, {"wer"}), [("e", "r"), ("w", "er")]),
        ((TOY, {"lower", "w"}), [("l", "o"), ("e", "r"), ("w", "er"), ("lo", "wer")]),
        ((TOY, {"ow", "e"}), [("o", "w")]),
        ((TOY, {"l", "o"}), []),
    ],
    slips=[
        (_needed_at_once, "a token is made from two tokens, and those must be made too."),
        (_needed_backwards, "these are the right merges; put them in the order of learning."),
        (_needed_by_parts, "that keeps what can be made *of* the tokens, not what makes them."),
    ],
    draw=_random_trim,
    hints=[
        "begin with the last merge. If its token is needed, so are its two parts.",
        "go through reversed(merges), and reverse your list at the end.",
    ],
)

merges_needed_for_a_story = Value(
    "GPT-2 has 50,000 merges. How many of them does our story need to be encoded exactly as it is "
    "now?",
    "thousands",
    [
        ("hundreds", "the story alone has 2,214 different tokens."),
        ("half", "the story has 52,994 characters; most of GPT-2's tokens don't occur in it."),
        ("all", "a merge that makes nothing in the story is not needed for the story."),
    ],
    choices={
        "hundreds": "some hundreds",
        "thousands": "some thousands",
        "half": "about half of them",
        "all": "all: each merge builds on others",
    },
    hints=["how many different tokens can a text of ten thousand words have?"],
)

# Extending.


def solve_extend(merges, words, number):
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    counts = {}
    for word, count in words.items():
        tokens = tuple(encode_by_rank(word, ranks))
        counts[tokens] = counts.get(tokens, 0) + count
    more = learn_merges(counts, number)
    return merges + [merge.pair for merge in more]


def _extend_from_symbols(merges, words, number):
    return merges + [merge.pair for merge in learn_merges(words, number)]


def _extend_in_front(merges, words, number):
    return solve_extend(merges, words, number)[len(merges) :] + merges


def _extend_anew(merges, words, number):
    return [merge.pair for merge in learn_merges(words, len(merges) + number)]


def _extension_only(merges, words, number):
    return solve_extend(merges, words, number)[len(merges) :]


def _extend_without_counts(merges, words, number):
    return solve_extend(merges, {word: min(count, 2) for word, count in words.items()}, number)


LOW = [("l", "o"), ("lo", "w")]


def _random_extension(chance: random.Random) -> tuple:
    words = {}
    for _ in range(chance.randint(1, 4)):
        word = tuple(chance.choices("lowe", k=chance.randint(1, 6)))
        words[word] = chance.randint(1, 4)
    return LOW, words, chance.randint(0, 3)


extend = Function(
    "write extend(merges, words, number): the old merges, a list of pairs, and after them at most "
    "`number` new ones. Learn these from words, {word: count}, to which the old merges have been "
    "applied.",
    solve_extend,
    cases=[
        ((LOW, {tuple("lower"): 3}, 1), [*LOW, ("low", "e")]),
        ((LOW, {tuple("lows"): 2, tuple("newer"): 5}, 1), [*LOW, ("n", "e")]),
        ((LOW, {tuple("low"): 9}, 3), LOW),
        ((LOW, {tuple("slow"): 4, tuple("sl"): 3}, 2), [*LOW, ("s", "low"), ("s", "l")]),
    ],
    slips=[
        (
            _extend_from_symbols,
            "the old merges come first: encode each word with them, and learn from what is left.",
        ),
        (_extend_in_front, "the new merges go after the old ones, or all ranks and ids change."),
        (_extend_anew, "that learns all merges again; the old ones must stay as they are."),
        (_extension_only, "the old merges belong to the answer too."),
        (_extend_without_counts, "a word counts as often as it occurs."),
    ],
    draw=_random_extension,
    hints=[
        "encode_by_rank(word, ranks) applies the old merges; ranks is {pair: rank}.",
        "learn_merges(counts, number) takes {word: count}; words are tuples. A merge has a .pair.",
    ],
)

changed_at_home = Value(
    "a vocabulary of an English story is extended with merges from a Greek page. How many of the "
    "4,352 tokens of another English story change?",
    0,
    [(4352, "the old merges stay as they are, and so do their ids.")],
    because="the new merges find no pair in a text without Greek letters.",
    hints=["which pairs can the new merges find in an English text?"],
)

grafts = Value(
    "graft is added to the vocabulary of a story, as Hugging Face's library adds a token. Without "
    "it, 'engrafted' is en·g·ra·ft·ed. How many tokens is it now?",
    3,
    [
        (5, "the text is searched for added tokens, even in words, before it is split."),
        (1, "only graft was added; what comes before and after it is encoded by itself."),
    ],
    because="the text is cut at the added token, and the rest is encoded: en, graft, ed.",
    hints=["the added token is found first, wherever it is."],
)

# Joining.

left_behind = Value(
    "one list has the merge (a, b). After it come (b, c) and (a, bc), which another list has "
    "learned. What are the tokens of abc?",
    ["ab", "c"],
    [
        (["abc"], "(a, b) has the lowest rank, so it takes the a."),
        (["a", "bc"], "(a, b) has a lower rank than (b, c)."),
    ],
    because="(a, b) takes the a, so no text ever gives the token abc: it is in the vocabulary, "
    "but out of reach.",
    hints=["which of the three merges has the lowest rank?"],
)
