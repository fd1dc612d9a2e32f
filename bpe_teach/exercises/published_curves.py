"""Exercises of notebook 05b: where a published number lies, and losses that can be compared."""

import random

from bpe_teach.exercises.exercise import Function, Value
from bpe_teach.exercises.record import record as record

known_or_not = Value(
    "65.2 % were saved on a test text. Stretches of the training text, of the same length, save "
    "66 to 73 %, stretches of another story 55 to 60 %. What kind of text was the test text?",
    "cannot tell",
    [
        ("part of the book", "then it should lie between 66 and 73 %; it lies below all of them."),
        (
            "like the book",
            "so we once concluded, too, and the text is a summary of the book. But can the number "
            "prove it? A text of the commonest words of another story saves as much.",
        ),
        ("any English", "then it should lie between 55 and 60 %; it lies above all of them."),
    ],
    choices={
        "part of the book": "a part of the training text",
        "like the book": "a text very much like the training text",
        "any English": "English of any kind",
        "cannot tell": "the number alone does not say",
    },
    because="what counts is which words a text has: common ones are known from any book.",
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
    "write bits_per_character(bits_per_token, num_tokens, num_characters): a model takes so many "
    "bits for a token, and a text has so many tokens and characters. How many bits is that for a "
    "character?",
    solve_bits_per_character,
    cases=[((8, 100, 400), 2.0), ((8, 100, 200), 4.0), ((3, 50, 50), 3.0)],
    slips=[
        (
            _bits_per_token,
            "that is for a token; tokenizers make tokens of different lengths, so their bits per "
            "token cannot be compared.",
        ),
        (_bits_upside_down, "a token holds several characters, which share its bits."),
        (_bits_of_the_text, "those are the bits of the whole text."),
    ],
    draw=_draw_loss,
    hints=["how many bits does the whole text take, and how many characters share them?"],
)

across_or_inside = Value(
    "2,000 entries, 180,000 characters to learn from. Which tokens need the fewest bits per "
    "character on held-out text, if the model looks at the last token only (order 2)?",
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
    because="on both parts of the text; with order 1 two stages need fewer. The first of the two "
    "stages ends at 1,000 entries here; see what a later end does.",
    hints=["what does a model know that looks at the last token, and one that looks at nothing?"],
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
    "2,000 entries, and the first eighth of Shakespeare costs 7 % more tokens on the held-out "
    "tenth than all of the text. What does an eighth cost whose lines are drawn from all of it?",
    "about 1",
    [
        ("about 7", "so it would be if only the amount counted; but the plays differ."),
        ("more", "lines without the lines around them: yet a word is counted by itself."),
        ("about 50", "an eighth of the text still holds most of the frequent pairs."),
    ],
    choices={
        "about 1": "about 1 % more tokens",
        "about 7": "about 7 %, as much as the first eighth",
        "more": "more than 7 %, as the text is torn to pieces",
        "about 50": "about half more, as seven eighths are missing",
    },
    because="the frequent words of all plays are in the sample, in nearly the right proportions.",
    hints=["is the first eighth short, or is it another text than the last tenth?"],
)

another_part = Value(
    "judge(shakespeare[900_000:1_100_000]): which tokens need fewer bits with order 3?",
    "inside words",
    [
        ("two stages", "so it is with order 1."),
        ("a tie", "look at the second decimal: the lead is small here, but it is there."),
    ],
    choices={
        "two stages": "two stages",
        "inside words": "inside words",
        "a tie": "neither, to two decimals",
    },
    because="2.94 against 2.97: a lead of some hundredths, where it was a tenth on the other two.",
    hints=["fold or no fold: judge(shakespeare[900_000:1_100_000]) shows the table."],
)

larger_vocabulary = Value(
    "an eighth of `train`, drawn as above, but 8,000 entries: how many more tokens does the "
    "held-out tenth take, compared with a tokenizer that read all of `train`? (in per cent)",
    13,
    [
        (1, "that is for 2,000 entries; see how many entries the sample gives."),
        (7, "that is for the first eighth and 2,000 entries."),
        (25, "that is for the first eighth, from the front."),
    ],
    because="its pairs run out after some 4,200 entries: a larger vocabulary needs more text.",
    within=0.6,
    hints=["len(Tokenizer.train(draw_lines(train, 1 / 8, 0), vocab_size=8000)) is not 8,000."],
)
