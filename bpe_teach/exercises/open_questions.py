"""Exercises of notebook 10: claims tried out, functions that try them, a game with merges."""

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
    "1,000 merges that may run across words from the beginning, in place of 1,000 within words. "
    "What does the second story take then? (Bits for a counter with two tokens of context.)",
    "fewer",
    [
        (
            "better",
            "the tokens get fewer. But the first merges are now `e·` and `d·`: ends of words with "
            "the space behind them. Do they help to foresee what follows?",
        ),
        (
            "worse",
            "a pair that crosses a space is only merged where it is more frequent than all within "
            "words. That saves tokens.",
        ),
        ("bits", "it is the other way round. What do the first merges across words look like?"),
    ],
    choices={
        "better": "fewer tokens and fewer bits",
        "fewer": "fewer tokens, but more bits",
        "bits": "more tokens, but fewer bits",
        "worse": "more tokens and more bits",
    },
    because="what is frequent across words are ends of words with a space: they save tokens, but "
    "tell little about what follows.",
    hints=[
        "which pair is the most frequent of all, if a space counts as a letter? What becomes of "
        "the words then?"
    ],
)

# Fairness.


def solve_gini(costs):
    differences = 0
    for one in costs:
        for other in costs:
            differences += abs(one - other)
    mean_difference = differences / len(costs) ** 2
    mean = sum(costs) / len(costs)
    return round(mean_difference / (2 * mean), 3)


def _gini_not_halved(costs):
    return round(2 * _gini_exact(costs), 3)


def _gini_exact(costs):
    pairs = [abs(one - other) for one in costs for other in costs]
    return sum(pairs) / len(costs) / (2 * sum(costs))


def _gini_with_signs(costs):
    return round(sum(one - other for one in costs for other in costs) / len(costs), 3)


def _gini_of_the_extremes(costs):
    return round((max(costs) - min(costs)) / (2 * sum(costs) / len(costs)), 3)


def _gini_not_divided_by_the_mean(costs):
    return round(_gini_exact(costs) * sum(costs) / len(costs), 3)


def _gini_each_two_once(costs):
    return round(_gini_exact(costs) / 2, 3)


def _gini_without_itself(costs):
    n = len(costs)
    return round(_gini_exact(costs) * n / (n - 1), 3)


def _gini_from_the_mean(costs):
    mean = sum(costs) / len(costs)
    return round(sum(abs(cost - mean) for cost in costs) / len(costs) / (2 * mean), 3)


gini = Function(
    "write gini(costs): take the difference, without its sign, of each cost and each other (and "
    "itself): all n times n of them. Divide their mean by twice the mean cost. Return it rounded, "
    "round(…, 3).",
    solve_gini,
    cases=[
        (([3, 3, 3],), 0.0),
        (([1, 2],), 0.167),
        (([0, 0, 0, 12],), 0.75),
        (([1, 3, 8],), 0.389),
    ],
    slips=[
        (
            _gini_without_itself,
            "the mean is over n * n differences: each cost has one from itself, too, which is 0.",
        ),
        (_gini_not_halved, "that is twice as much: the mean difference is divided by 2 * mean."),
        (_gini_exact, "so far right, but not rounded: round(…, 3)."),
        (_gini_with_signs, "differences with their signs cancel each other: abs() drops a sign."),
        (_gini_of_the_extremes, "those are only the two at the ends; all n * n count."),
        (
            _gini_not_divided_by_the_mean,
            "the costs of two cities with other prices could not be compared: divide by the mean.",
        ),
        (
            _gini_each_two_once,
            "each two are counted once, but divided by n * n: the mean is over both orders.",
        ),
        (
            _gini_from_the_mean,
            "those are the differences from the mean, not those of each two from each other.",
        ),
    ],
    draw=lambda chance: ([chance.randint(1, 20) for _ in range(chance.randint(1, 6))],),
    hints=[
        "two loops, one inside the other, add up abs(one - other).",
        "the mean difference is that sum divided by len(costs) ** 2; the mean cost is sum(costs) / "
        "len(costs).",
    ],
)

what_english_pays = Value(
    "each merge now serves the page with most tokens. What happens to the tokens of the English "
    "lines, compared with the merges from all pages together?",
    "more",
    [
        ("same", "a merge spent on Greek is not spent on English."),
        (
            "fewer",
            "only merges that other languages share with English help it; most of those that it "
            "would have got have gone elsewhere.",
        ),
    ],
    choices={
        "fewer": "fewer tokens than before",
        "same": "about the same",
        "more": "more tokens than before",
    },
    because="there are 500 merges in all, and English gets fewer of them.",
    hints=["the number of merges is the same as before. Who got most of them, who gets them now?"],
)

# Digits.


def solve_cut_from_the_right(number, size):
    first = len(number) % size
    groups = [number[:first]] if first else []
    for start in range(first, len(number), size):
        groups.append(number[start : start + size])
    return groups


def _cut_from_the_left(number, size):
    return [number[start : start + size] for start in range(0, len(number), size)]


def _cut_with_an_empty_group(number, size):
    first = len(number) % size
    return [number[:first]] + _cut_from_the_left(number[first:], size)


def _cut_groups_backwards(number, size):
    return solve_cut_from_the_right(number, size)[::-1]


def _cut_digits_backwards(number, size):
    return _cut_from_the_left(number[::-1], size)


def _cut_without_the_first(number, size):
    return _cut_from_the_left(number[len(number) % size :], size)


cut_from_the_right = Function(
    "write cut_from_the_right(number, size): the digits of a number, given as text, in groups of "
    "`size`, such that only the first group may be shorter. The answer is a list of texts that "
    "together spell the number.",
    solve_cut_from_the_right,
    cases=[
        (("12345", 3), ["12", "345"]),
        (("123456", 3), ["123", "456"]),
        (("7", 3), ["7"]),
        (("1234567", 2), ["1", "23", "45", "67"]),
    ],
    slips=[
        (_cut_from_the_left, "that is cut from the left: the last group is the short one."),
        (
            _cut_with_an_empty_group,
            "if the digits come out even, an empty group stands in front.",
        ),
        (_cut_groups_backwards, "the groups are right, but they stand in the wrong order."),
        (
            _cut_digits_backwards,
            "the digits have been turned round, and not been turned back.",
        ),
        (_cut_without_the_first, "the digits left over in front are lost."),
    ],
    draw=lambda chance: (str(chance.randint(0, 10 ** chance.randint(1, 9))), chance.randint(1, 4)),
    hints=[
        "len(number) % size digits are left over in front: number[:first].",
        "then go on in steps of size: range(first, len(number), size). If nothing is left over, "
        "there is no short group.",
    ],
)

share_aligned = Value(
    "two random numbers of four digits are added, and all three are cut by threes from the left. "
    "In how many of a hundred sums do the cuts stand at the same places, counted from the right?",
    40,
    [
        (0.4, "the question is how many of a hundred."),
        (100, "9999 + 1111 = 11110: 999|9 and 111|1, but 111|10."),
        (0, "1234 + 1234 = 2468 is cut alike: 123|4, 123|4, 246|8."),
        (
            50,
            "sums above 9999 are somewhat more frequent, since no number is smaller than 1000.",
        ),
    ],
    because="the cuts agree exactly if the sum has four digits, too. Of 9,000 times 9,000 sums "
    "32,004,000 do, which is 39.5 in a hundred.",
    within=5,
    hints=["how many digits must the sum have for its cut to stand where the others' do?"],
)

# Dropout.

dropout_where = Value(
    "one counter reads the story cut in the usual way, the other cut with a dropout of 0.05. On "
    "which text is the second one better?",
    "noisy",
    [
        ("both", "on clean text it meets only the usual cuts, and it has seen fewer of those."),
        ("clean", "clean text is cut in the usual way: who has read nothing else knows it best."),
        ("neither", "a misspelled word falls into small pieces. Who has met them before?"),
    ],
    choices={
        "clean": "on clean text only",
        "noisy": "on misspelled text only",
        "both": "on both",
        "neither": "on neither",
    },
    because="what is lost on clean text is small, what is won on misspelled text is not.",
    hints=["into which pieces does BPE cut `lgihthouse`? How often does a text hold them?"],
)

# A game: the mixture behind merges.

SECRETS = {1: 0.65, 2: 0.4}  # round -> the share of the story; the rest is the program
SECRET_LENGTH = 2500  # characters
SAMPLE = 250  # characters of a text that go into the same hand


def two_samples(name: str) -> tuple[str, str]:
    """Deal out a text in two samples, one piece to the one, the next to the other.

    >>> [len(sample) for sample in two_samples("program")]
    [2687, 2500]
    """
    text = load_corpus(name)
    pieces = [text[start : start + SAMPLE] for start in range(0, len(text), SAMPLE)]
    return "".join(pieces[::2]), "".join(pieces[1::2])


def secret_merges(number: int) -> list[Merge]:
    """Return merges learned from a mixture of the first samples of story and program.

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
    "among these merges there are some that prose alone would never have given. Which?",
    "spaces",
    [
        ("letter", "they stand at the head of every list learned from English prose."),
        ("in", "that is frequent in English prose, and in programs written by English hands, too."),
        ("the", "that is English prose above all."),
    ],
    choices={
        "letter": "a letter with the space before it, such as ·t",
        "in": "the two letters in",
        "the": "the word ·the",
        "spaces": "two or more spaces, one behind the other",
    },
    because="prose has no runs of spaces; programs are full of them.",
    hints=["look for white space in the list: a space is written ·, a line end ⏎."],
)

first_secret = Value(
    "round 1: what share of the training text was the story? A number from 0 to 1.",
    0.65,
    [
        (1, "then no merge would need the program: is there none that prose would never give?"),
        (0, "then no merge would need the story: is there none that a program would never give?"),
        (0.35, "that is the share of the program."),
        (0.5, "nothing speaks for equal shares but that they are simple: try other mixtures, too."),
    ],
    because="the guess is as good as the samples: the text was mixed with 0.65.",
    within=0.11,
    hints=[
        "misfits(merges, sources, mixtures) has one number for each mixture. Which is the least?",
        "the place of the least is found.index(min(found)); the mixture at that place is a pair of "
        "shares.",
    ],
)

second_secret = Value(
    "round 2: what share of the training text was the story?",
    0.4,
    [
        (0.6, "that is the share of the program."),
        (0.5, "nothing speaks for equal shares but that they are simple: try other mixtures, too."),
        (0.65, "that is the answer to round 1: have you taken the merges of round 2?"),
    ],
    because="the guess is as good as the samples: the text was mixed with 0.4.",
    within=0.07,
    hints=["all that changes is the list: ask.secret_merges(2)."],
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
    "after so many merges, whichever they are. Try all: merge each pair that is there, and from "
    "each of the results go on in the same way. merge_pair(word, pair) is at hand.",
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
            "each step takes what is best at that step. The best two merges need not begin with "
            "the best one.",
        ),
        (
            _fewest_of_first_pairs,
            "only pairs of single letters are tried: each merge makes new pairs.",
        ),
        (_fewest_one_merge_short, "one merge too few is made."),
        (
            _fewest_all_merges_that_there_are,
            "the number of merges is limited: with enough of them everything is one token.",
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
        "a text that has become one token has no pairs: remember the shortest that you have met.",
    ],
)


def two_greedy_merges(text: str) -> int:
    """Return how many tokens a text has after the two merges that BPE learns from it."""
    return _greedy_tokens(text, 2)


def two_best_merges(text: str) -> int:
    """Return how many tokens a text has after the best two merges, whichever they are."""
    if not isinstance(text, str) or len(text) > 16:
        raise ValueError("the text must be a str of 16 characters at most: all merges are tried")
    return solve_fewest_tokens(text, 2)


greedy_loses = Hunt(
    "find a text on which two merges of BPE leave more tokens than the best two merges: "
    "ask.greedy_loses.check(text). The shorter, the better.",
    two_greedy_merges,
    two_best_merges,
    ("aaabaab",),
    hints=[
        "the letters a and b are enough. Overlapping pairs all count: aaa holds (a, a) twice, but "
        "only one of them can be merged.",
        "try all texts of the letters a and b: itertools.product('ab', repeat=7) makes them.",
    ],
)

# Evaluation.

smallest_vocabulary = Value(
    "four measures, each with its best number of merges. Which asks for the fewest merges?",
    "evenness",
    [
        ("description", "it wants the merges that earn their own cost: there are many of those."),
        (
            "bits",
            "a counter that looks back gains from longer tokens for a while: words, not pieces.",
        ),
        ("borders", "small pieces cut at every border, but also everywhere else."),
    ],
    choices={
        "evenness": "Rényi efficiency: are all tokens used alike?",
        "description": "description length: merges and text together",
        "bits": "bits per character of a held-out text, order 2",
        "borders": "F1: do tokens end where parts of words do?",
    },
    because="a few hundred merges turn the most frequent pairs into tokens; those that follow are "
    "rarer and rarer, so their use is less and less even.",
    hints=["in which of them does a rare token do harm at once?"],
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


def _share_out_all(ids, new_id):
    most_frequent = Counter(ids).most_common(1)[0][0]
    return [new_id if token == most_frequent else token for token in ids]


def _share_out_the_odd_ones(ids, new_id):
    most_frequent = Counter(ids).most_common(1)[0][0]
    places = [i for i, token in enumerate(ids) if token == most_frequent]
    return [new_id if i in places[::2] else token for i, token in enumerate(ids)]


def _share_out_by_place(ids, new_id):
    most_frequent = Counter(ids).most_common(1)[0][0]
    return [new_id if i % 2 and t == most_frequent else t for i, t in enumerate(ids)]


def _share_out_the_rarest(ids, new_id):
    rarest = Counter(ids).most_common()[-1][0]
    places = [i for i, token in enumerate(ids) if token == rarest]
    return [new_id if i in places[1::2] else token for i, token in enumerate(ids)]


def _share_out_of_equals_the_last(ids, new_id):
    counts = Counter(ids)
    most_frequent = max(reversed(counts), key=counts.get)
    places = [i for i, token in enumerate(ids) if token == most_frequent]
    return [new_id if i in places[1::2] else token for i, token in enumerate(ids)]


def _share_out_of_equals_the_smallest(ids, new_id):
    counts = Counter(ids)
    most_frequent = max(sorted(counts), key=counts.get)
    places = [i for i, token in enumerate(ids) if token == most_frequent]
    return [new_id if i in places[1::2] else token for i, token in enumerate(ids)]


def _share_out_the_largest(ids, new_id):
    places = [i for i, token in enumerate(ids) if token == max(ids)]
    return [new_id if i in places[1::2] else token for i, token in enumerate(ids)]


def _share_out_and_drop(ids, new_id):
    shared = solve_share_out(ids, new_id)
    return [token for token in shared if token != new_id]


def _draw_ids(chance: random.Random) -> tuple:
    ids = chance.choices(range(3), k=chance.randint(1, 9))
    return [*ids, 0, 0, 0], 9


share_out = Function(
    "write share_out(ids, new_id): the most frequent id (of equals the one met first) loses every "
    "second of its occurrences to a new id: the first stays, the second becomes new_id, the third "
    "stays … The answer is a new list.",
    solve_share_out,
    cases=[
        (([1, 7, 2, 7, 3, 7], 9), [1, 7, 2, 9, 3, 7]),
        (([7, 7, 7, 7], 9), [7, 9, 7, 9]),
        (([5], 9), [5]),
        (([7, 2, 2, 7, 2, 7], 9), [7, 2, 2, 9, 2, 7]),
    ],
    slips=[
        (_share_out_all, "now all of them are called otherwise, and nothing is shared."),
        (_share_out_the_odd_ones, "the first one stays as it is; the second is replaced."),
        (
            _share_out_by_place,
            "every second *occurrence* of the id is meant, not those at every second place.",
        ),
        (_share_out_of_equals_the_last, "of two that are equally frequent, take the first met."),
        (_share_out_of_equals_the_smallest, "of equally frequent ids take the one met first."),
        (_share_out_the_largest, "that is the largest id, not the one that occurs most often."),
        (_share_out_the_rarest, "that is the rarest id, not the most frequent."),
        (_share_out_and_drop, "the tokens are not dropped: new_id stands in their place."),
    ],
    draw=_draw_ids,
    hints=[
        "Counter(ids) counts them; max(counts, key=counts.get) is the most frequent, of equals the "
        "first.",
        "count how often you have met it; where that number is even, put new_id into the list.",
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


def _patches_cut_behind(text, entropies, threshold):
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
    "above the threshold. There is one entropy for each character: how hard it was to foresee. "
    "The answer is a list of texts; none of them is empty.",
    solve_patches,
    cases=[
        (("of the", [5, 1, 2, 4, 1, 1], 3), ["of ", "the"]),
        (("ab", [1, 1], 3), ["ab"]),
        (("abc", [4, 3, 4], 3), ["ab", "c"]),
        (("abc", [1, 5, 5], 3), ["a", "b", "c"]),
    ],
    slips=[
        (_patches_cut_behind, "the cut stands before the hard character, which begins a patch."),
        (_patches_cut_where_it_is_easy, "it is cut where the next character is easy to foresee."),
        (_patches_also_at_the_threshold, "an entropy equal to the threshold is not above it."),
        (
            _patches_with_an_empty_one,
            "an empty patch stands in front: the first character begins a patch in any case.",
        ),
        (_patches_without_the_first, "what stands before the first cut is lost."),
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
    "a counter that looks back at two bytes, and a cut wherever it is unsure about the next. It "
    "knows nothing of words. Where do most of the cuts stand?",
    "words",
    [
        ("syllables", "inside a word two letters narrow down the third. When do they not?"),
        ("anywhere", "spaces come about every fifth byte. What follows one is hard to foresee."),
        ("rare", "a rare letter is a surprise where it comes, but often what follows is not: qu."),
    ],
    choices={
        "words": "after spaces, so at the beginnings of words",
        "syllables": "inside words, between syllables",
        "rare": "around rare letters such as q and x",
        "anywhere": "anywhere: spaces have no special place",
    },
    because="after a space almost any letter can follow, inside a word few can.",
    hints=["when do the last two bytes tell you least about the next one?"],
)

# Your turn.

scaffolding = Value(
    "learn_picky on the second story until 200 tokens are in the vocabulary, with the threshold "
    "0.9. How many tokens were removed on the way?",
    6,
    [
        (206, "those are the merges, of which six were undone."),
        (200, "those are the tokens that were kept."),
        (212, "those are all events, merges and removals."),
    ],
    because="`ello` of a cello, ` tha` of ` that`: they had done their work.",
    hints=["count the events that are a Removal: isinstance(event, Removal)."],
)
