"""Exercises of notebook 10: claims put to the test, functions for the tests, a game."""

import random
from collections import Counter

from bpe_teach.corpora import load_corpus
from bpe_teach.exercises.exercise import Function, Hunt, Value
from bpe_teach.exercises.record import record as record
from bpe_teach.learn import Merge, learn_merges_naive
from bpe_teach.pairs import merge_pair
from bpe_teach.tokenizer import Tokenizer

# Superwords.

which_stage = Value(
    "let 1,000 merges cross words from the beginning, instead of keeping them within words. What "
    "does the second story take then? (Bits for a counter with two tokens of context.)",
    "fewer",
    [
        (
            "better",
            "there are fewer tokens. But the first merges are now `e·` and `d·`: ends of words "
            "with the space after them. Do they help to predict what follows?",
        ),
        ("worse", "on a text like the training text, frequent pairs across words save tokens."),
        ("bits", "it is the other way round. What do the first merges across words look like?"),
    ],
    choices={
        "better": "fewer tokens and fewer bits",
        "fewer": "fewer tokens, but more bits",
        "bits": "more tokens, but fewer bits",
        "worse": "more tokens and more bits",
    },
    because="the frequent pairs across words are ends of words with a space. On a text like the "
    "training text they save tokens, but they tell little about what follows.",
    hints=[
        "which pair is the most frequent of all, if a space counts as a letter? What happens to "
        "the words then?"
    ],
)

# Fairness.

what_english_pays = Value(
    "each merge now serves the page with the most tokens. Do the English lines need more or fewer "
    "tokens than with merges from all pages together?",
    "more",
    [
        ("same", "a merge spent on Greek is not spent on English."),
        (
            "fewer",
            "English gains only from merges that other languages share with it. Most of the "
            "merges that it would have got now go elsewhere.",
        ),
    ],
    choices={
        "fewer": "fewer tokens than before",
        "same": "about the same",
        "more": "more tokens than before",
    },
    because="there are 500 merges in all, and English gets fewer of them.",
    hints=[
        "the number of merges is the same as before. Which pages got most of them then, and which "
        "get them now?"
    ],
)

# Dropout.

dropout_where = Value(
    "one counter reads the story split in the usual way, another reads it split with a dropout of "
    "0.05. Where does the second one need fewer bits?",
    "strange",
    [
        (
            "misspelled",
            "a misspelled word falls into small pieces. But so do the words of a manual, however "
            "well they are spelled.",
        ),
        ("everywhere", "the second story is split much like the first: usual splits suit it best."),
        ("nowhere", "a misspelled word falls into small pieces. Which counter has met them?"),
    ],
    choices={
        "misspelled": "on misspelled text only",
        "strange": "on misspelled text, and on clean text of another kind, such as a manual",
        "everywhere": "on all of these, and on the clean second story too",
        "nowhere": "nowhere",
    },
    because="it has read more small pieces. They help wherever words fall into such pieces, and "
    "cost a little where they don't.",
    hints=[
        "into which pieces does BPE split `lgihthouse`? And `thermocouple`, if the story has none?"
    ],
)

# A game: the mixture behind merges.

SECRETS = {1: 0.65, 2: 0.4}  # round -> the share of the story; the rest is the program
SECRET_LENGTH = 2500  # characters
SAMPLE = 250  # characters of a text that go into the same sample


def two_samples(name: str) -> tuple[str, str]:
    """Return two samples of a text, dealt out like cards, piece by piece.

    >>> [len(sample) for sample in two_samples("program")]
    [2687, 2500]
    """
    text = load_corpus(name)
    pieces = [text[start : start + SAMPLE] for start in range(0, len(text), SAMPLE)]
    return "".join(pieces[::2]), "".join(pieces[1::2])


def secret_merges(number: int) -> list[Merge]:
    """Return merges learned from a mixture of two samples, of story and program.

    >>> len(secret_merges(1))
    50
    """
    share = SECRETS[number]
    from_story = round(share * SECRET_LENGTH)
    story, _ = two_samples("story")
    program, _ = two_samples("program")
    mixed = story[:from_story] + program[: SECRET_LENGTH - from_story]
    return Tokenizer.train(mixed, scheme="gpt2", num_merges=50).merges


telltale = Value(
    "some of these merges would never come from prose alone. Which?",
    "spaces",
    [
        ("letter", "every list learned from English prose begins like that."),
        ("in", "that is frequent in English prose, and also in programs written in English."),
        ("the", "that is English prose above all."),
    ],
    choices={
        "letter": "a letter with the space before it, such as ·t",
        "in": "the letters i and n",
        "the": "the word ·the",
        "spaces": "two or more spaces in a row",
    },
    because="prose has no runs of spaces; programs are full of them.",
    hints=["look for white space in the list: a space is written ·, a line end ⏎."],
)

first_secret = Value(
    "round 1: what share of the training text was the story? Give a number from 0 to 1.",
    0.65,
    [
        (1, "then no merge would come from the program. Is there none that prose never gives?"),
        (0, "then no merge would come from the story. Is there none that a program never gives?"),
        (0.35, "that is the share of the program."),
        (0.5, "equal shares are only the simplest guess: try other mixtures as well."),
    ],
    because="the text was mixed with 0.65, and a guess can be only as good as the samples.",
    within=0.11,
    hints=[
        "misfits(merges, sources, mixtures) gives a number for each mixture. Which is the "
        "smallest?",
        "found.index(min(found)) is the place of the smallest; the mixture at that place is a "
        "pair of shares.",
    ],
)

second_secret = Value(
    "round 2: what share of the training text was the story?",
    0.4,
    [
        (0.6, "that is the share of the program."),
        (0.5, "equal shares are only the simplest guess: try other mixtures as well."),
        (0.65, "that is the answer to round 1: did you take the merges of round 2?"),
    ],
    because="the text was mixed with 0.4, and a guess can be only as good as the samples.",
    within=0.07,
    hints=["only the list changes: ask.secret_merges(2)."],
)

# Greedy is not optimal.


def solve_fewest_tokens(text, num_merges):
    shortest = len(text)
    states = [tuple(text)]
    for _ in range(num_merges):
        merged = []
        for word in states:
            for pair in set(zip(word, word[1:], strict=False)):
                merged.append(merge_pair(word, pair))
        states = merged
        shortest = min([shortest, *map(len, states)])
    return shortest


def _greedy_tokens(text, num_merges):
    word = tuple(text)
    for merge in learn_merges_naive({word: 1}, num_merges):
        word = merge_pair(word, merge.pair)
    return len(word)


def _fewest_one_merge_short(text, num_merges):
    return solve_fewest_tokens(text, max(num_merges - 1, 0))


def _fewest_best_first_step(text, num_merges):
    word = tuple(text)
    for _ in range(num_merges):
        pairs = list(zip(word, word[1:], strict=False))
        word = min([merge_pair(word, pair) for pair in pairs] or [word], key=len)
    return len(word)


def _fewest_of_first_pairs(text, num_merges):
    letters = list(zip(text, text[1:], strict=False))
    states = [tuple(text)]
    for _ in range(num_merges):
        states = [merge_pair(word, pair) for word in states for pair in letters] or states
    return min(map(len, states))


def _fewest_all_merges_that_there_are(text, num_merges):
    return 1


def _fewest_tokens_saved(text, num_merges):
    return len(text) - solve_fewest_tokens(text, num_merges)


fewest_tokens = Function(
    "write fewest_tokens(text, num_merges): the smallest number of tokens that a text can have "
    "after so many merges, whichever they are. Try all: merge each pair of the text, and go on in "
    "the same way from each of the results. You can use merge_pair(word, pair).",
    solve_fewest_tokens,
    cases=[
        (("abab", 1), 2),
        (("aaabaab", 2), 3),
        (("aaaabaaaba", 2), 5),
        (("a", 2), 1),
        (("abc", 0), 3),
    ],
    slips=[
        (
            _fewest_best_first_step,
            "each step takes the merge that is best at that step. But the best two merges need "
            "not begin with the best one.",
        ),
        (_fewest_of_first_pairs, "this tries only pairs of letters, but merges make new pairs."),
        (_fewest_one_merge_short, "this makes one merge too few."),
        (
            _fewest_all_merges_that_there_are,
            "the number of merges is limited: everything becomes one token only with enough of "
            "them.",
        ),
        (_fewest_tokens_saved, "those are the tokens saved; how many are left?"),
    ],
    draw=lambda chance: (
        "".join(chance.choice("ab") for _ in range(chance.randint(1, 7))),
        chance.randint(0, 2),
    ),
    hints=[
        "keep a list of words, at first only tuple(text). In each round, make a new list: every "
        "word with every one of its pairs merged.",
        "a text that has become one token has no pairs: remember the shortest word so far.",
    ],
)


def two_greedy_merges(text: str) -> int:
    """Return how many tokens a text has after the two merges that BPE learns from it."""
    return _greedy_tokens(text, 2)


def two_best_merges(text: str) -> int:
    """Return how many tokens a text has after the best two merges, whichever they are."""
    if not isinstance(text, str) or len(text) > 16:
        raise ValueError(
            "the text must be a str of at most 16 characters, because all merges are tried"
        )
    return solve_fewest_tokens(text, 2)


greedy_loses = Hunt(
    "find a text on which two merges of BPE leave more tokens than the best two merges: "
    "ask.greedy_loses.check(text). The shorter, the better.",
    two_greedy_merges,
    two_best_merges,
    ("aaabaab",),
    hints=[
        "the letters a and b are enough. Overlapping places all count: aaa holds (a, a) twice, "
        "but only one of the two can be merged.",
        "try all texts of a and b: itertools.product('ab', repeat=7) makes them.",
    ],
)

# Evaluation.

smallest_vocabulary = Value(
    "each of three measures has its best number of merges. Which measure asks for the fewest?",
    "evenness",
    [
        ("description", "it wants all merges that earn their own cost, and there are many."),
        ("bits", "a counter that sees only one token gains from longer tokens for a long time."),
    ],
    choices={
        "evenness": "even use: are all tokens used equally often?",
        "description": "description: how long are merges and text together?",
        "bits": "bits: how well does a counter of order 2 predict the second story?",
    },
    because="a few hundred merges turn the most frequent pairs into tokens. The next ones are "
    "rarer and rarer, so tokens are used less and less evenly.",
    hints=["which of them does a rare token harm at once?"],
)


def solve_share_out(ids, new_id):
    counts = Counter(ids)
    most_frequent = max(counts, key=counts.get)
    shared = []
    met = 0
    for token in ids:
        if token == most_frequent:
            met += 1
        if token == most_frequent and met % 2 == 0:
            shared.append(new_id)
        else:
            shared.append(token)
    return shared


def _share_out_id(token, ids, new_id, first=1):
    """Replace every second occurrence of an id by the new one, from number ``first`` on."""
    places = [i for i, other in enumerate(ids) if other == token]
    return [new_id if i in places[first::2] else other for i, other in enumerate(ids)]


def _share_out_all(ids, new_id):
    most_frequent = Counter(ids).most_common(1)[0][0]
    return [new_id if token == most_frequent else token for token in ids]


def _share_out_the_odd_ones(ids, new_id):
    return _share_out_id(Counter(ids).most_common(1)[0][0], ids, new_id, first=0)


def _share_out_by_place(ids, new_id):
    most_frequent = Counter(ids).most_common(1)[0][0]
    return [new_id if i % 2 and t == most_frequent else t for i, t in enumerate(ids)]


def _share_out_the_rarest(ids, new_id):
    return _share_out_id(Counter(ids).most_common()[-1][0], ids, new_id)


def _share_out_of_equals_the_last(ids, new_id):
    counts = Counter(ids)
    return _share_out_id(max(reversed(counts), key=counts.get), ids, new_id)


def _share_out_of_equals_the_smallest(ids, new_id):
    counts = Counter(ids)
    return _share_out_id(max(sorted(counts), key=counts.get), ids, new_id)


def _share_out_the_largest(ids, new_id):
    return _share_out_id(max(ids), ids, new_id)


def _share_out_and_drop(ids, new_id):
    shared = solve_share_out(ids, new_id)
    return [token for token in shared if token != new_id]


def _draw_ids(chance: random.Random) -> tuple:
    ids = chance.choices(range(3), k=chance.randint(1, 9))
    return [*ids, 0, 0, 0], 9


share_out = Function(
    "write share_out(ids, new_id). Every second occurrence of the most frequent id becomes "
    "new_id: the first stays, the second becomes new_id, the third stays, and so on. On a tie, "
    "take the id met first. The answer is a new list.",
    solve_share_out,
    cases=[
        (([1, 7, 2, 7, 3, 7], 9), [1, 7, 2, 9, 3, 7]),
        (([7, 7, 7, 7], 9), [7, 9, 7, 9]),
        (([5], 9), [5]),
        (([7, 2, 2, 7, 2, 7], 9), [7, 2, 2, 9, 2, 7]),
    ],
    slips=[
        (_share_out_all, "now all of them have the new id, and nothing is shared."),
        (_share_out_the_odd_ones, "the first one stays as it is; the second is replaced."),
        (_share_out_by_place, "every second *occurrence* of the id is meant, not every second id."),
        (_share_out_of_equals_the_last, "if two ids are equally frequent, take the one met first."),
        (_share_out_of_equals_the_smallest, "among equally frequent ids, take the one met first."),
        (_share_out_the_largest, "that is the largest id, not the one that occurs most often."),
        (_share_out_the_rarest, "that is the rarest id, not the most frequent."),
        (_share_out_and_drop, "the tokens should not be dropped: new_id takes their place."),
    ],
    draw=_draw_ids,
    hints=[
        "Counter(ids) counts them; max(counts, key=counts.get) is the most frequent, and on a tie "
        "the one met first.",
        "count how often you have met it. When that number is even, put new_id into the list.",
    ],
)

# Bytes and patches.


def solve_patches(text, entropies, threshold):
    found = []
    for character, entropy in zip(text, entropies, strict=True):
        if found and entropy <= threshold:
            found[-1] += character
        else:
            found.append(character)
    return found


def _patches_cut_after(text, entropies, threshold):
    found = [""]
    for character, entropy in zip(text, entropies, strict=True):
        found[-1] += character
        if entropy > threshold:
            found.append("")
    return [patch for patch in found if patch]


def _patches_cut_where_it_is_easy(text, entropies, threshold):
    return solve_patches(text, [-entropy for entropy in entropies], -threshold)


def _patches_also_at_the_threshold(text, entropies, threshold):
    return solve_patches(text, entropies, threshold - 0.5)


def _patches_with_an_empty_one(text, entropies, threshold):
    found = [""]
    for character, entropy in zip(text, entropies, strict=True):
        if entropy > threshold:
            found.append("")
        found[-1] += character
    return found


def _patches_without_the_first(text, entropies, threshold):
    found = solve_patches(text, entropies, threshold)
    return found if entropies[0] > threshold else found[1:]


def _patches_without_the_last(text, entropies, threshold):
    return solve_patches(text, entropies, threshold)[:-1]


def _draw_entropies(chance: random.Random) -> tuple:
    text = "abcdefgh"[: chance.randint(2, 8)]
    return text, [chance.randint(0, 5) for _ in text], 3


patches = Function(
    "write patches(text, entropies, threshold): cut a text before each character whose entropy is "
    "above the threshold. Each character has one entropy: how hard it was to predict. The answer "
    "is a list of texts; none of them is empty.",
    solve_patches,
    cases=[
        (("of the", [5, 1, 2, 4, 1, 1], 3), ["of ", "the"]),
        (("ab", [1, 1], 3), ["ab"]),
        (("abc", [4, 3, 4], 3), ["ab", "c"]),
        (("abc", [1, 5, 5], 3), ["a", "b", "c"]),
    ],
    slips=[
        (_patches_cut_after, "cut before the hard character, not after it: it begins a patch."),
        (_patches_cut_where_it_is_easy, "that cuts where the next character is easy to predict."),
        (_patches_also_at_the_threshold, "an entropy that equals the threshold is not above it."),
        (
            _patches_with_an_empty_one,
            "the first patch is empty: the first character always begins a patch, but needs no "
            "cut before it.",
        ),
        (_patches_without_the_first, "what comes before the first cut is lost."),
        (_patches_without_the_last, "the last patch is lost."),
    ],
    draw=_draw_entropies,
    hints=[
        "begin with an empty list; zip(text, entropies) gives each character with its entropy.",
        "if there is a patch and the entropy is not above the threshold, found[-1] += character; "
        "else found.append(character).",
    ],
)

what_patches_find = Value(
    "a counter that looks back at two bytes (order 3) says how unsure it is of each byte of the "
    "second story. A patch begins at the one byte in five where it is least sure. Where do most "
    "patches begin?",
    "words",
    [
        ("syllables", "inside a word, two letters narrow down the third. When don't they?"),
        ("anywhere", "spaces come about every fifth byte. What follows one is hard to predict."),
        ("rare", "a rare letter is a surprise, but what follows it often isn't: qu."),
    ],
    choices={
        "words": "after spaces, where words begin",
        "syllables": "inside words, between syllables",
        "rare": "around rare letters such as q and x",
        "anywhere": "anywhere: spaces have no special place",
    },
    because="if you see only two bytes, almost any letter can follow a space, but few letters can "
    "follow two letters of a word.",
    hints=["when do the last two bytes tell you least about the next one?"],
)
