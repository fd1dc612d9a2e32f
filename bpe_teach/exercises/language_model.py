"""Exercises of notebook 06: count what follows, share out chances, sum over cuts, heal a prompt."""

import random
from itertools import pairwise

from bpe_teach.exercises.exercise import Function, Value
from bpe_teach.exercises.record import record as record

PER_TOKEN = "that is the surprise of a token; here a token holds three characters."
WHOLE_TEXT = "that is the surprise of the whole text; divide it by its characters."
VOCABULARIES = {
    "characters": "65 tokens",
    "BPE 300": "300 tokens",
    "BPE 1000": "1,000 tokens",
    "BPE 4000": "4,000 tokens",
}

# Surprise.

bits_per_character = Value(
    "a text of 12 characters is cut into 4 tokens, and a model gives each of them one chance in "
    "eight. How many bits does it need per character?",
    1.0,
    [
        (3, PER_TOKEN),
        (3.0, PER_TOKEN),
        (12, WHOLE_TEXT),
        (12.0, WHOLE_TEXT),
        (0.25, "one chance in eight is three halvings, so each token takes three bits, not one."),
        (0.125, "that is the chance; its surprise is the number of halvings, three."),
        (9, "the characters share the bits of their token: divide, don't multiply."),
    ],
    because="4 tokens of 3 bits make 12 bits, for 12 characters.",
    hints=[
        "how many halvings lead from 1 to one eighth?",
        "add up the bits of the text, then divide.",
    ],
    within=1e-9,
)

ignorant = Value(
    "four models that know nothing read the same held-out text. Which needs the fewest bits for a "
    "character?",
    "BPE 4000",
    [
        ("characters", "its surprise is the lowest for a *token*, but it must guess most often."),
        ("BPE 300", "it guesses about half as often as characters, but another one even less."),
        ("BPE 1000", "it guesses less often than the first two, but another one even less."),
    ],
    choices=VOCABULARIES,
    because="each doubling of the vocabulary costs one more bit per guess; BPE 4000 guesses "
    "least often by far.",
    hints=[
        "the surprise of a guess grows only with the logarithm of the vocabulary. How many "
        "guesses are there?"
    ],
)

# What follows each token?


def _random_ids(chance: random.Random) -> list[int]:
    return chance.choices(range(4), k=chance.randint(0, 12))


def solve_followers(ids):
    followers = {}
    for place in range(len(ids) - 1):
        token, after = ids[place], ids[place + 1]
        if token not in followers:
            followers[token] = {}
        counts = followers[token]
        counts[after] = counts.get(after, 0) + 1
    return followers


def _followers_once(ids):
    followers = {}
    for token, after in pairwise(ids):
        followers.setdefault(token, {})[after] = 1
    return followers


def _what_came_before(ids):
    return solve_followers(ids[::-1])


def _followers_by_pair(ids):
    counts = {}
    for pair in pairwise(ids):
        counts[pair] = counts.get(pair, 0) + 1
    return counts


def _last_one_too(ids):
    followers = {token: {} for token in ids}
    followers.update(solve_followers(ids))
    return followers


def _followers_of_every_second(ids):
    followers = {}
    for token, after in zip(ids[::2], ids[1::2], strict=False):
        counts = followers.setdefault(token, {})
        counts[after] = counts.get(after, 0) + 1
    return followers


def _a_dictionary_lost(ids):
    followers = {}
    for token, after in pairwise(ids):
        followers[token] = {after: followers.get(token, {}).get(after, 0) + 1}
    return followers


followers = Function(
    "write followers(ids): a dictionary that gives, for each token with something after it, "
    "another dictionary: what comes next, and how often. [7, 8, 7, 8] gives {7: {8: 2}, 8: {7: "
    "1}}.",
    solve_followers,
    cases=[
        (([7, 8, 7, 8],), {7: {8: 2}, 8: {7: 1}}),
        (([1, 1, 1],), {1: {1: 2}}),
        (([1, 2, 1, 3],), {1: {2: 1, 3: 1}, 2: {1: 1}}),
        (([5],), {}),
        (([],), {}),
    ],
    slips=[
        (_followers_once, "this notes each follower, but not how often it came."),
        (_what_came_before, "that is what came before each token, not what came after it."),
        (_followers_by_pair, "these are counts of pairs; give each token a dictionary of its own."),
        (_last_one_too, "nothing follows the last token of a text: it needs no entry for that."),
        (_followers_of_every_second, "every token but the last is followed by another."),
        (_a_dictionary_lost, "a token may have several followers; here each replaces the last."),
    ],
    draw=lambda chance: (_random_ids(chance),),
    hints=[
        "go through the places: ids[place] is a token, ids[place + 1] the one after it.",
        "if the token has no dictionary yet, give it an empty one. Then add 1 to what this "
        "dictionary has for the one after: counts.get(after, 0) + 1.",
    ],
)

# From counts to probabilities.


def solve_discounted(count, total, kinds, shorter):
    kept = max(count - 0.75, 0)
    given_away = 0.75 * kinds
    return (kept + given_away * shorter) / total


def _share_only(count, total, kinds, shorter):
    return count / total


def _kept_only(count, total, kinds, shorter):
    return max(count - 0.75, 0) / total


def _below_zero(count, total, kinds, shorter):
    return (count - 0.75 + 0.75 * kinds * shorter) / total


def _one_discount(count, total, kinds, shorter):
    return (max(count - 0.75, 0) + 0.75 * shorter) / total


def _not_taken_away(count, total, kinds, shorter):
    return (count + 0.75 * kinds * shorter) / total


def _only_to_the_unseen(count, total, kinds, shorter):
    if count:
        return (count - 0.75) / total
    return 0.75 * kinds * shorter / total


def _rest_not_divided(count, total, kinds, shorter):
    return max(count - 0.75, 0) / total + 0.75 * kinds * shorter


discounted = Function(
    "write discounted(count, total, kinds, shorter). After this context, `total` tokens were "
    "seen: `kinds` different ones, and the token in question `count` times. Take 0.75 from the "
    "count of each kind, and share all that out by `shorter`, the probability that the shorter "
    "context gives the token. Return the probability of the token.",
    solve_discounted,
    cases=[
        ((3, 4, 2, 0.5), 0.75),
        ((0, 4, 2, 0.5), 0.1875),
        ((1, 1, 1, 0.25), 0.4375),
        ((0, 1, 1, 0.25), 0.1875),
        ((8, 8, 1, 1.0), 1.0),
    ],
    slips=[
        (_share_only, "a token that was never seen here gets no chance, and yet it may come."),
        (_kept_only, "what was taken away is lost: over all tokens this does not add up to 1."),
        (_below_zero, "from a count of 0 nothing can be taken: use max(count - 0.75, 0)."),
        (_one_discount, "0.75 is taken from every kind of token, so 0.75 * kinds is shared out."),
        (_not_taken_away, "what is shared out must first be taken from the count."),
        (_only_to_the_unseen, "what was taken away is shared by all tokens, seen or not."),
        (_rest_not_divided, "the part that is shared out must be divided by total too."),
    ],
    draw=lambda chance: (
        chance.randint(0, 4),
        chance.choice([8, 16]),
        chance.randint(2, 4),
        chance.choice([0.125, 0.25, 0.5]),
    ),
    hints=[
        "add two parts: what the token keeps of its own count, and its share of what was taken "
        "away.",
        "0.75 * kinds was taken away in all, and the token gets `shorter` of that. Divide both "
        "parts by total.",
    ],
)

best_at_order_4 = Value(
    "the counters of order 4 see three tokens, whatever the vocabulary. Which needs the fewest "
    "bits per character of the held-out text?",
    "BPE 300",
    [
        (
            "BPE 4000",
            "it sees the most characters, about ten. But a context of three tokens out of 4,000 "
            "seldom occurs again.",
        ),
        ("BPE 1000", "it is close, within 0.1 bits, and closer still when all cuts are counted."),
        ("characters", "it gains most from each order, but three letters are still a short view."),
    ],
    choices=VOCABULARIES,
    because="three of its tokens are about six characters, and it has met most such contexts.",
    hints=["what does a counter need besides a long view? It must have met the context before."],
)

more_context = Value(
    "BPE 300 may look back at five tokens, or about ten characters. The model on characters may "
    "look back at seven. Which of the two needs fewer bits per character of the held-out text?",
    "characters",
    [
        ("BPE 300", "it has the longer view, but from order 4 on it has almost stopped gaining."),
        ("a tie", "at order 5 they are nearly level; after that, characters go on gaining."),
    ],
    choices={"BPE 300": "300 tokens", "characters": "65 tokens", "a tie": "both are equal"},
    because="once the counter sees enough characters, it finds by itself what the merges gave BPE "
    "300.",
    hints=["look at the last two columns of the table above: who is still gaining?"],
)

less_text = Value(
    "take a thirty-second of the text, and learn tokens and counts from it alone. Which vocabulary "
    "is now the best for the counter of order 2?",
    "BPE 300",
    [
        ("BPE 4000", "so little text does not hold 4,000 tokens that occur twice."),
        (
            "BPE 1000",
            "with eight times as much text it beats 300; here it meets its pairs too seldom.",
        ),
        ("characters", "it needs the least text, but one letter says little about the next."),
    ],
    choices=VOCABULARIES,
    because="with less text, only frequent contexts are met often enough, so the best "
    "vocabulary is smaller.",
    hints=["on all of the text the largest was best. Does less text favour more tokens or fewer?"],
)

# All cuts of a text.


def solve_all_cuts(text, chances):
    sums = [1.0] + [0.0] * len(text)
    for end in range(1, len(text) + 1):
        for start in range(end):
            sums[end] += sums[start] * chances.get(text[start:end], 0)
    return sums[-1]


def _best_cut(text, chances):
    best = [1.0] + [0.0] * len(text)
    for end in range(1, len(text) + 1):
        for start in range(end):
            best[end] = max(best[end], best[start] * chances.get(text[start:end], 0))
    return best[-1]


def _longest_first(text, chances):
    product = 1.0
    while text:
        length = len(text)
        while length and text[:length] not in chances:
            length -= 1
        if not length:
            return 0.0
        product *= chances[text[:length]]
        text = text[length:]
    return product


def _single_characters(text, chances):
    product = 1.0
    for character in text:
        product *= chances.get(character, 0)
    return product


def _number_of_cuts(text, chances):
    return float(solve_all_cuts(text, dict.fromkeys(chances, 1)))


def _whole_or_in_two(text, chances):
    total = chances.get(text, 0.0)
    for middle in range(1, len(text)):
        total += chances.get(text[:middle], 0) * chances.get(text[middle:], 0)
    return total


def _random_cuts(chance: random.Random) -> tuple:
    chances = {"a": 0.25, "b": 0.125}
    for token in ("ab", "ba", "aab", "bb"):
        if chance.random() < 0.5:
            chances[token] = chance.choice([0.125, 0.25])
    text = "".join(chance.choices("ab", k=chance.randint(1, 6)))
    return text, chances  # never empty, never without a cut: there 0 and 1 are right too


all_cuts = Function(
    "write all_cuts(text, chances): add up the chances of all ways to write the text as tokens. "
    "`chances` is {token: probability}, and the chance of one way is the product of the chances "
    "of its tokens. An empty text has one way, with chance 1.0.",
    solve_all_cuts,
    cases=[
        (("ab", {"a": 0.5, "b": 0.25, "ab": 0.25}), 0.375),
        (("aaa", {"a": 0.5, "aa": 0.5}), 0.625),
        (("abc", {"a": 0.5, "bc": 0.5}), 0.25),
    ],
    slips=[
        (_best_cut, "that is only the best way. The others spell the text too: add them."),
        (_longest_first, "that is one way, with the longest token first: add all the others."),
        (_single_characters, "that is one way, letter by letter. Tokens may be longer."),
        (_number_of_cuts, "that counts the ways. Each of them has its own chance."),
        (_whole_or_in_two, "a text may be cut into more than two tokens."),
    ],
    draw=_random_cuts,
    hints=[
        "let sums[end] be the answer for the first `end` characters; sums[0] is 1.0.",
        "the last token of text[:end] begins at some start. What comes before it is worth "
        "sums[start]. Add sums[start] times the chance of text[start:end], for every start.",
    ],
)

# What a small network reads and predicts.

blanked = Value(
    "the model on BPE 4000 was trained with a window of 32. When we judge it, we leave its 28 "
    "farther places blank. The bits per character …",
    "fall",
    [
        ("rise", "that would be true if what it learned there also held for a new text."),
        ("stay", "that would be true if the far places were untrained, but they were trained too."),
    ],
    choices={
        "rise": "rise: it loses what it knew from there",
        "stay": "stay the same: it never looked there",
        "fall": "fall: what it learned there misleads it",
    },
    because="what it learned at its far places helps on the training text, but not on this one.",
    hints=["what the far places hold does not help this model."],
)

reading_or_writing = Value(
    "four models read characters or BPE 4000, and predict characters or BPE 4000. Where does a "
    "large vocabulary save bits?",
    "either",
    [
        ("reading", "it does; but a large vocabulary to predict saves nearly as much."),
        ("writing", "it does; but a large vocabulary to read saves somewhat more."),
        ("both", "they do; but each alone saves nearly as much."),
        ("none", "its tokens are rare, but they tell much: both save about a quarter of a bit."),
    ],
    choices={
        "reading": "only where it is read",
        "writing": "only where it is predicted",
        "both": "only where both are large",
        "either": "in either place; both together save hardly more than one",
        "none": "nowhere: it has too many rare tokens",
    },
    because="a token that is read or predicted as a whole needn't be put together from its "
    "letters.",
    hints=["is the next letter easier to guess after `t`, `h`, `e` or after the token `the`?"],
)

# A prompt that ends in the middle of a token.


def solve_heal(tokens, vocab):
    last = tokens[-1]
    candidates = [token for token in vocab if token.startswith(last)]
    return tokens[:-1], candidates


def _heal_and_keep(tokens, vocab):
    return tokens, solve_heal(tokens, vocab)[1]


def _heal_longer_only(tokens, vocab):
    kept, candidates = solve_heal(tokens, vocab)
    return kept, [token for token in candidates if token != tokens[-1]]


def _heal_anywhere(tokens, vocab):
    return tokens[:-1], [token for token in vocab if tokens[-1] in token]


def _heal_at_the_end(tokens, vocab):
    return tokens[:-1], [token for token in vocab if token.endswith(tokens[-1])]


def _heal_the_wrong_way_round(tokens, vocab):
    return tokens[:-1], [token for token in vocab if tokens[-1].startswith(token)]


def _random_prompt(chance: random.Random) -> tuple:
    vocab = ["a", "b", "ab", "ba", "aba", "bab", "bb"]
    return chance.choices(vocab, k=chance.randint(1, 3)), chance.sample(vocab, k=7)


heal = Function(
    "write heal(tokens, vocab): return the tokens of a prompt without the last one, and a list of "
    "the tokens of the vocabulary that begin with that last one, in the order of the vocabulary.",
    solve_heal,
    cases=[
        ((["the ", "k", "in"], ["in", "ing", "k", "thin"]), (["the ", "k"], ["in", "ing"])),
        ((["in"], ["ing ", "in", "thin"]), ([], ["ing ", "in"])),
        ((["a", "a"], ["b", "a"]), (["a"], ["a"])),
    ],
    slips=[
        (_heal_and_keep, "the last token must go, or its letters would be written twice."),
        (_heal_longer_only, "the last token itself is a candidate too: the word may end there."),
        (_heal_anywhere, "the candidate must *begin* with the letters taken away."),
        (_heal_at_the_end, "these end with the letters taken away; they must begin with them."),
        (
            _heal_the_wrong_way_round,
            "these are shorter than what was taken away. The candidate must begin with all of it.",
        ),
    ],
    draw=_random_prompt,
    hints=[
        "tokens[-1] is the last token, tokens[:-1] all the others.",
        "'ing'.startswith('in') is True.",
    ],
)
