"""Exercises of notebook 05: a curve from one pass, new texts, what merges cost, languages."""

import random
from collections import Counter
from math import log2

from bpe_teach.exercises.exercise import Function, Value
from bpe_teach.exercises.record import record as record

# From a number to a curve.

four_characters = Value(
    "a token carries four characters on average. What percentage is saved, compared "
    "with characters?",
    75,
    [
        (25, "a quarter is what is left; the rest is saved."),
        (4, "that is the ratio itself; what share of the characters is saved?"),
        (400, "nothing can save more than all there is."),
    ],
    because="one token for four characters leaves a quarter, so three quarters are saved.",
    hints=["how many tokens does a text of 100 characters have?"],
)

telegraph = Value(
    "how many tokens does ` telegraph` have with the first 100 merges?",
    8,
    [
        (2, "two merges are made; what is left of the ten bytes?"),
        (7, "the merge of rank 206 is not among the first hundred."),
        (9, "two of the ranks are below 100, and each merge makes the word one token shorter."),
        (10, "that is the word before any merge; two of the ranks are below 100."),
    ],
    because="ten bytes, and two merges with a rank below 100: 1 and 38.",
    hints=["which of the ranks are below 100? Each of them makes the word one token shorter."],
)


def solve_token_curve(length, ranks, num_merges):
    made = Counter(ranks)
    tokens = [length]
    for rank in range(num_merges):
        tokens.append(tokens[-1] - made[rank])
    return tokens


def _curve_without_the_start(length, ranks, num_merges):
    return solve_token_curve(length, ranks, num_merges)[1:]


def _curve_without_the_end(length, ranks, num_merges):
    return solve_token_curve(length, ranks, num_merges)[:-1]


def _curve_shifted(length, ranks, num_merges):
    return [length - sum(rank <= n for rank in ranks) for n in range(num_merges + 1)]


def _curve_each_rank_once(length, ranks, num_merges):
    return solve_token_curve(length, set(ranks), num_merges)


def _curve_not_added_up(length, ranks, num_merges):
    made = Counter(ranks)
    return [length] + [length - made[rank] for rank in range(num_merges)]


def _curve_of_what_is_saved(length, ranks, num_merges):
    return [length - tokens for tokens in solve_token_curve(length, ranks, num_merges)]


def _curve_rising(length, ranks, num_merges):
    return [2 * length - tokens for tokens in solve_token_curve(length, ranks, num_merges)]


def _draw_curve(chance: random.Random) -> tuple:
    num_merges = chance.randint(1, 5)
    ranks = sorted(chance.choices(range(num_merges), k=chance.randint(0, 6)))
    return len(ranks) + chance.randint(1, 4), ranks, num_merges


token_curve = Function(
    "write token_curve(length, ranks, num_merges): how many tokens are there with 0, 1, 2 … "
    "num_merges merges? Without merges there are `length`; `ranks` holds the rank of every merge "
    "that is made. The answer is a list.",
    solve_token_curve,
    cases=[
        ((5, [0, 2], 3), [5, 4, 4, 3]),
        ((5, [0, 0, 1], 2), [5, 3, 2]),
        ((3, [], 2), [3, 3, 3]),
        ((10, [1, 3, 4], 5), [10, 10, 9, 9, 8, 7]),
    ],
    slips=[
        (_curve_without_the_start, "the first number is for no merges at all: `length` tokens."),
        (
            _curve_without_the_end,
            "the last number is missing: from 0 to num_merges there are num_merges + 1 numbers.",
        ),
        (_curve_shifted, "with n merges, ranks are 0 to n - 1: the merge of rank n is not made."),
        (_curve_each_rank_once, "a rank can be in the list several times; each saves a token."),
        (_curve_not_added_up, "what earlier merges saved stays saved: go on from the last number."),
        (_curve_of_what_is_saved, "those are the tokens saved; how many are left?"),
        (_curve_rising, "a merge makes one token of two, so there are fewer tokens, not more."),
    ],
    draw=_draw_curve,
    hints=[
        "Counter(ranks) says how many merges of each rank are made.",
        "begin the list with `length`. For each rank in turn, subtract the merges of that rank "
        "from the last number, and append the result.",
    ],
)

# New texts.

best_for_the_manual = Value(
    "three tokenizers read the second half of the manual. Which of them needs the fewest tokens?",
    "own",
    [
        (
            "story",
            "it has read nine times as much, but another kind of text. Many pairs of a manual "
            "aren't frequent in a story.",
        ),
        ("part", "it has read as little as the manual's own tokenizer, and another kind of text."),
    ],
    choices={
        "story": "the one trained on the whole story, 53,000 characters",
        "part": "the one trained on 6,000 characters of the story",
        "own": "the one trained on the manual's first half, 6,000 characters",
    },
    because="a little text of the same kind teaches more about what repeats than a lot of another "
    "kind.",
    hints=["which words does a manual use again and again that a story doesn't have?"],
)

used_at_equal_length = Value(
    "the whole story uses 84 % of the tokens of ranks 1000 to 1499, the second story 24 %. Take a "
    "stretch of the first story that is as long as the second: how many of these tokens does it "
    "use?",
    "40",
    [
        ("84", "a quarter of a text does not use as many different tokens as the whole."),
        ("65", "a quarter of the length loses more than that: most of these tokens are rare."),
        (
            "24",
            "then it would make no difference that the tokenizer has read this story. It "
            "does matter, but much less than the table says.",
        ),
    ],
    choices={
        "84": "about 84 %, like all of it",
        "65": "about 65 %",
        "40": "about 40 %",
        "24": "about 24 %, like the second",
    },
    because="most of the difference was length.",
    hints=[
        "in a whole story, a rare token has four times as many places to occur as in a quarter of "
        "it."
    ],
)

# What is in a vocabulary, and choosing its size.

typical_token = Value(
    "which is longer on average, a token of the vocabulary or a token of a text?",
    "vocabulary",
    [
        ("text", "texts use the short tokens again and again: a comma, `·a`, `·the`."),
        ("same", "a vocabulary lists each token once, however often a text uses it."),
    ],
    choices={
        "vocabulary": "a token of the vocabulary",
        "text": "a token of a text",
        "same": "the same, since the text is made of these tokens",
    },
    because="the vocabulary counts each token once; a text uses the short ones again and again.",
    hints=["how often does a text use a comma, and how often `·grandmother`?"],
)

worth_a_row = Value(
    "a row of the vocabulary must save three tokens of the second story. After how many merges of "
    "the table do you stop?",
    500,
    [
        (250, "the rows from 250 to 500 save a little more than three tokens each: take them too."),
        (1000, "the rows from 500 to 1,000 save only 1.2 tokens each."),
        (2001, "the last five hundred rows save less than half a token each."),
    ],
    because="up to there a new row saves 3.2 tokens, after that 1.2.",
    hints=["the number in a line says what each row since the line above saves."],
)

knee_moves = Value(
    "the knee of the whole curve is at 506 merges. Where is it if training stops at 1,000?",
    "earlier",
    [
        (
            "same",
            "the points of the curve stay where they are. But the distance is measured from a "
            "straight line, and that line ends elsewhere now.",
        ),
        ("later", "a line to an earlier end is steeper. Draw it: which point is farthest from it?"),
        ("none", "a curve that bends has a knee wherever it ends."),
    ],
    choices={
        "same": "at 506 again",
        "earlier": "at fewer merges",
        "later": "at more merges",
        "none": "then there is no knee",
    },
    because="the straight line ends earlier and is steeper, so the farthest point moves left.",
    hints=["draw the curve, and the line between its ends; cut the curve and draw it again."],
)

bits_of_a_merge = Value(
    "a merge names two of 2,257 entries. How many bits is that, to one decimal?",
    22.3,
    [
        (11.1, "that is for one entry; a merge names two."),
        (2257, "a bit halves what is possible: how often must you halve 2,257?"),
        (4514, "a bit halves what is possible: how often must you halve 2,257?"),
        (12.1, "add the bits of the two entries: log2(2 * 2257) is not 2 * log2(2257)."),
    ],
    because="2 * log2(2257): eleven bits for each of the two, and a little more.",
    within=0.1,
    hints=["log2(n) bits name one of n things.", "import it first: from math import log2"],
)


def solve_code_length(ids, vocab_size):
    counts = Counter()
    bits = 0
    for sent, token in enumerate(ids):
        share = (counts[token] + 1) / (sent + vocab_size)
        bits += log2(1 / share)
        counts[token] += 1
    return round(bits, 1)


def _length_with_final_counts(ids, vocab_size):
    counts = Counter(ids)
    shares = [(counts[token] + 1) / (len(ids) + vocab_size) for token in ids]
    return round(sum(log2(1 / share) for share in shares), 1)


def _length_counting_too_early(ids, vocab_size):
    counts = Counter()
    bits = 0
    for sent, token in enumerate(ids):
        counts[token] += 1
        bits += log2((sent + vocab_size) / (counts[token] + 1))
    return round(bits, 1)


def _length_never_counting(ids, vocab_size):
    return round(sum(log2(sent + vocab_size) for sent in range(len(ids))), 1)


def _length_of_equals(ids, vocab_size):
    return round(len(ids) * log2(vocab_size), 1)


def _length_with_the_sign_lost(ids, vocab_size):
    return -solve_code_length(ids, vocab_size)


code_length = Function(
    "write code_length(ids, vocab_size): the bits of the ids, sent one after the other. If n ids "
    "were sent before, and k of them were this id, its share is (k + 1) / (n + vocab_size), and "
    "it takes log2(1 / share) bits. The answer is the sum: return round(bits, 1).",
    solve_code_length,
    cases=[(([0], 4), 2.0), (([0, 0], 2), 1.6), (([0, 1], 2), 2.6), (([3, 3, 3, 1], 4), 7.1)],
    slips=[
        (
            _length_with_final_counts,
            "the reader has seen only the ids before this one: count as you go, not beforehand.",
        ),
        (
            _length_counting_too_early,
            "this counts an id before it is sent, so the reader would have to know it already.",
        ),
        (_length_never_counting, "the counts never change: add 1 for an id once it is sent."),
        (_length_of_equals, "that would be right if all ids stayed equally likely."),
        (
            _length_with_the_sign_lost,
            "bits can't be negative: log2(share) is below zero, log2(1 / share) is not.",
        ),
    ],
    draw=lambda chance: (chance.choices(range(5), k=chance.randint(1, 12)), 5),
    hints=[
        "Counter() begins empty, and counts[token] of a new token is 0.",
        "for sent, token in enumerate(ids): first compute the share and its bits, then "
        "counts[token] += 1.",
    ],
)

half_a_story = Value(
    "the description of the story is shortest with about 1,150 merges. Now learn merges from its "
    "first half: with how many is the description of that half shortest?",
    "fewer",
    [
        (
            "same",
            "the language is the same. But a merge is paid for once and earns wherever its pair "
            "occurs: in half a text, half as often.",
        ),
        ("more", "a merge costs about as much as before, and earns less in a shorter text."),
    ],
    choices={
        "fewer": "with fewer merges",
        "same": "with the same number: it is the same language",
        "more": "with more merges",
    },
    because="a merge has to earn its own cost, and half a text gives it half the chances. So the "
    "best number grows with the text, and there is a reason; the knee moved without one.",
    hints=["what does a merge cost, and at how many places does it earn something?"],
)

# Languages.

most_expensive = Value(
    "which of these languages pays the most tokens for the same lines?",
    "Hindi",
    [
        ("Chinese", "it has three bytes a character, but a third as many characters as English."),
        ("Greek", "it has two bytes a letter and no merges, but one language needs three bytes."),
        ("Swahili", "it has the letters of English, and pays about double."),
        ("German", "it has nearly the letters of English, and pays less than double."),
    ],
    choices={
        "Chinese": "thousands of characters",
        "German": "long words",
        "Greek": "an alphabet of its own",
        "Hindi": "an alphabet of its own, with vowel signs",
        "Swahili": "Latin letters, far from English",
    },
    because="it has as many characters as English, most of them with three bytes, and no merge "
    "helps.",
    hints=["where no merge applies, there are as many tokens as bytes."],
)


def solve_premium_parts(page_bytes, page_tokens, english_bytes, english_tokens):
    more_bytes = page_bytes / english_bytes
    shorter_tokens = (english_bytes / english_tokens) / (page_bytes / page_tokens)
    return more_bytes, shorter_tokens


def _parts_upside_down(page_bytes, page_tokens, english_bytes, english_tokens):
    more_bytes, shorter_tokens = solve_premium_parts(
        page_bytes, page_tokens, english_bytes, english_tokens
    )
    return more_bytes, 1 / shorter_tokens


def _parts_of_tokens(page_bytes, page_tokens, english_bytes, english_tokens):
    return page_bytes / english_bytes, page_tokens / english_tokens


def _parts_inverted(page_bytes, page_tokens, english_bytes, english_tokens):
    more_bytes, shorter_tokens = solve_premium_parts(
        page_bytes, page_tokens, english_bytes, english_tokens
    )
    return 1 / more_bytes, 1 / shorter_tokens


def _parts_as_differences(page_bytes, page_tokens, english_bytes, english_tokens):
    more_bytes = page_bytes / english_bytes
    return more_bytes, page_tokens / english_tokens - more_bytes


premium_parts = Function(
    "write premium_parts(page_bytes, page_tokens, english_bytes, english_tokens): two factors. "
    "How many times the bytes of the English page does the page have? And how many times shorter "
    "(in bytes) are its tokens? Multiplied, the two are the premium.",
    solve_premium_parts,
    cases=[
        ((400, 100, 200, 50), (2.0, 1.0)),
        ((200, 200, 200, 50), (1.0, 4.0)),
        ((800, 400, 200, 50), (4.0, 2.0)),
        ((100, 50, 200, 50), (0.5, 2.0)),
    ],
    slips=[
        (_parts_upside_down, "the second factor is upside down: shorter tokens raise the price."),
        (
            _parts_of_tokens,
            "the second number is already the whole premium; the product of the two should give "
            "it.",
        ),
        (_parts_inverted, "that compares English with the page; compare the page with English."),
        (_parts_as_differences, "the premium is the product of its factors, not the sum: divide."),
    ],
    draw=lambda chance: tuple(2 ** chance.randint(4, 9) for _ in range(4)),  # ratios are exact
    hints=[
        "the first factor does not depend on the tokenizer at all.",
        "the length of a token is bytes / tokens, for each page.",
    ],
)

why_not_chinese = Value(
    "a Chinese character takes three bytes, and so does a Thai one. Why does the Chinese page "
    "cost so much less than the Thai one?",
    "fewer",
    [
        (
            "merges",
            "look at the second part of each bar: for both pages hardly any merge applies, and a "
            "token is one byte.",
        ),
        ("utf8", "both take three bytes a character in UTF-8."),
    ],
    choices={
        "merges": "English merges help Chinese more than Thai",
        "utf8": "UTF-8 is kinder to Chinese characters",
        "fewer": "a Chinese character says more, so the page has fewer of them",
    },
    because="280 characters say what takes English 857. In bytes that is even less than English.",
    hints=["compare the column `characters`."],
)

whole_story = Value(
    "merges may cross words, and a pair may be merged even if it occurs only once. How many "
    "tokens does the story have in the end?",
    1,
    [
        (0, "something has to be left to stand for the story."),
        (72, "that is how many different characters it has; all of them get merged."),
    ],
    because="as long as there are two tokens, there is a pair that occurs at least once.",
    hints=["when is there no pair left?"],
)

# Your turn.

missing_half = Value(
    "learn 1,000 merges from the first half of the story only. How many characters does a token "
    "of the second story have then (two decimals)?",
    2.71,
    [
        (2.78, "that is with merges from the whole story."),
        (3.18, "that is the text it was trained on; encode the second story."),
    ],
    because="2.71 against 2.78: half the text costs two or three per cent.",
    within=0.006,
    hints=["Tokenizer.train(story[: len(story) // 2], scheme='gpt2', num_merges=1000)"],
)

left_out = Value(
    "leave Greek out of the mixture, then Finnish instead. Which of the two pays more for it, in "
    "per cent of its tokens?",
    "Greek",
    [
        (
            "Finnish",
            "its letters stay in the mixture, and pieces of its words are learned from other "
            "languages. Run it and compare.",
        ),
        ("alike", "one of them shares its letters with six other languages. Run it and compare."),
    ],
    choices={"Greek": "Greek", "Finnish": "Finnish", "alike": "about the same"},
    because="Greek more than doubles (by 119 %), since nobody else writes its letters; Finnish "
    "pays 10 % more.",
    hints=["who else in the mixture writes with the same letters?"],
)

scheme_for_code = Value(
    "train gpt2 and cl100k on `program` until no pair occurs twice. With which of them does the "
    "program have fewer tokens?",
    "cl100k",
    [("gpt2", "that is true at 300 merges, and by three tokens only; go on to the end.")],
    choices={"gpt2": "gpt2", "cl100k": "cl100k"},
    because="1,556 against 1,609, though on the text they were trained on: cl100k lets "
    "punctuation and the line end after it be one token.",
    hints=["num_merges=5000 lets both stop by themselves."],
)
