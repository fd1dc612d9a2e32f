"""Exercises of notebook 05b: where a published number belongs, and losses that can be compared."""

import random

from bpe_teach.exercises.exercise import Function, Value
from bpe_teach.exercises.record import record as record

known_or_not = Value(
    "a tokenizer saves 65.2 % on a test text. On stretches of its training text, of the same "
    "length, it saves 66 to 73 %, on stretches of another story 55 to 60 %. What kind of text is "
    "the test text?",
    "cannot tell",
    [
        ("part of the book", "then it should be between 66 and 73 %, but it is below all of them."),
        (
            "like the book",
            "we once concluded that too, and the text is indeed a summary of the book. But can "
            "the number prove it? A text made of the commonest words of another story saves as "
            "much.",
        ),
        ("any English", "then it should be between 55 and 60 %, but it is above all of them."),
    ],
    choices={
        "part of the book": "a part of the training text",
        "like the book": "a text very much like the training text",
        "any English": "English of any kind",
        "cannot tell": "the number alone does not say",
    },
    because="what matters is which words a text has: common ones are known from any book.",
    hints=["imagine a text made of `the`, `and`, `he`, `was` and the like. What would it save?"],
)


def solve_bits_per_character(bits_per_token, num_tokens, num_characters):
    return bits_per_token * num_tokens / num_characters


def _bits_per_token(bits_per_token, num_tokens, num_characters):
    return float(bits_per_token)


def _bits_upside_down(bits_per_token, num_tokens, num_characters):
    return bits_per_token * num_characters / num_tokens


def _bits_of_the_text(bits_per_token, num_tokens, num_characters):
    return float(bits_per_token * num_tokens)


def _draw_loss(chance: random.Random) -> tuple:
    tokens = 2 ** chance.randint(2, 5)  # powers of two, so that nothing is rounded
    return chance.randint(1, 9), tokens, tokens * 2 ** chance.randint(1, 3)


bits_per_character = Function(
    "write bits_per_character(bits_per_token, num_tokens, num_characters): a model needs "
    "bits_per_token bits for a token. How many bits does it need for a character of a text with "
    "so many tokens and characters?",
    solve_bits_per_character,
    cases=[((8, 100, 400), 2.0), ((8, 100, 200), 4.0), ((3, 50, 50), 3.0)],
    slips=[
        (
            _bits_per_token,
            "that is for a token. Tokenizers make tokens of different lengths, so you can't "
            "compare their bits per token.",
        ),
        (_bits_upside_down, "a token holds several characters, which share its bits."),
        (_bits_of_the_text, "those are the bits of the whole text."),
    ],
    draw=_draw_loss,
    hints=["how many bits does the whole text take, and how many characters share them?"],
)

across_or_inside = Value(
    "2,000 entries are learned from 180,000 characters. Which tokens need the fewest bits per "
    "character on held-out text, if the model sees only the last token (order 2)?",
    "inside words",
    [
        (
            "across words",
            "its frequent phrases are single tokens, but the same word comes in many forms, each "
            "of them rarer.",
        ),
        (
            "two stages",
            "it compresses best, and with order 1 it needs the fewest bits. But a model that sees "
            "the last token can put words together by itself.",
        ),
    ],
    choices={
        "across words": "merges anywhere, from the beginning",
        "two stages": "merges inside words first, then across",
        "inside words": "merges inside words only",
    },
    because="that holds on both parts of the text; with order 1, two stages need fewer bits. Here "
    "the first of the two stages ends at 1,000 entries; see what a later end does.",
    hints=["what does a model know if it sees the last token? And if it sees nothing?"],
)

left_alone = Value(
    "hold out the first tenth of Shakespeare instead of the last. With the tokenizer `gpt2` and "
    "2,000 entries, how many characters does a token of it carry (two decimals)?",
    2.67,
    [(2.55, "that is the last tenth; train on text[len(text) // 10 :] and test on the rest.")],
    because="more than the 2.55 of the last tenth: the two tenths are different plays.",
    within=0.006,
    hints=["cut = len(shakespeare) // 10; train on what comes after it."],
)

drawn_eighth = Value(
    "learn 2,000 entries from the first eighth of Shakespeare only, and the held-out tenth costs "
    "7 % more tokens. What if the lines of the eighth are drawn from all of the text?",
    "about 1",
    [
        ("about 7", "that would be right if only the amount counted; but the plays differ."),
        ("more", "the lines have lost the lines around them, but each word is counted by itself."),
        ("about 50", "an eighth of the text still holds most of the frequent pairs."),
    ],
    choices={
        "about 1": "about 1 % more tokens",
        "about 7": "about 7 %, as much as the first eighth",
        "more": "more than 7 %, because the text is torn to pieces",
        "about 50": "about 50 %, because seven eighths are missing",
    },
    because="the sample has the frequent words of all plays, in nearly the right proportions.",
    hints=["is the first eighth only shorter, or is it also unlike the last tenth?"],
)

another_part = Value(
    "judge(shakespeare[900_000:1_100_000]): which tokens need fewer bits with order 3?",
    "inside words",
    [
        ("two stages", "that is true with order 1."),
        ("a tie", "look at the second decimal: the lead is small here, but it is there."),
    ],
    choices={
        "two stages": "two stages",
        "inside words": "inside words",
        "a tie": "neither, to two decimals",
    },
    because="2.94 against 2.97: a lead of some hundredths; on the other two parts it was a tenth.",
    hints=["judge(shakespeare[900_000:1_100_000]) shows the table, folded or not."],
)

larger_vocabulary = Value(
    "draw an eighth of `train` as above, but learn 8,000 entries. How many per cent more tokens "
    "does the held-out tenth take than with a tokenizer that read all of `train`?",
    13,
    [
        (1, "that is for 2,000 entries; see how many entries the sample gives."),
        (7, "that is for the first eighth and 2,000 entries."),
        (25, "that is for the first eighth; here the lines are drawn from everywhere."),
    ],
    because="its pairs run out after some 4,200 entries: a larger vocabulary needs more text.",
    within=0.6,
    hints=["len(Tokenizer.train(draw_lines(train, 1 / 8, 0), vocab_size=8000)) is not 8,000."],
)
