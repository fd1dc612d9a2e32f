"""Exercises of notebook 01b: how many merges, how many characters, how large a vocabulary."""

from bpe_teach.exercises.exercise import Value
from bpe_teach.exercises.record import record as record

merges_to_learn = Value(
    "the text has 65 different characters, and the vocabulary is to have 300 tokens. How many "
    "merges are learned?",
    235,
    [
        (300, "the alphabet is part of the vocabulary."),
        (365, "the alphabet is part of the vocabulary: subtract it, don't add it."),
        (234, "from 65 tokens to 66 takes one merge, so to 300 it takes 300 − 65."),
    ],
    because="each merge adds one token: 65 + 235 = 300.",
    hints=["how many tokens are there before the first merge?"],
)

characters_per_token = Value(
    "how many characters does one token carry, on average over the whole text? It may be off by "
    "0.15.",
    1.93,
    [
        (3, "that is what the claim promises; measure it."),
        (3.0, "that is what the claim promises; measure it."),
        (3.5, "that is what the claim promises; measure it."),
        (4, "that is what the claim promises; measure it."),
        (0.52, "that is tokens per character; characters per token are more than 1."),
    ],
    because="1,115,394 characters in 578,590 tokens.",
    within=0.15,
    hints=[
        "without any merge it is 1, and each merge makes it a little larger.",
        "it is 2 when half of all characters have been merged away.",
    ],
)

smallest_size = Value(
    "what is the smallest vocabulary with which a token carries three characters?",
    1636,
    [
        (1571, "that is the number of merges; the alphabet of 65 is part of the vocabulary."),
        (1635, "with 1,635 tokens it is 2.99985: close, but not three."),
        (2000, "2,000 is enough, but there is a smaller one."),
        (300, "that is the published size, with fewer than two characters per token."),
    ],
    because="a token carries 3.0003 characters; with one entry less it carries 2.99985.",
    hints=[
        "the table has a row for each number of merges, and chars_per_token grows from row to row.",
        "table[table.chars_per_token >= 3] keeps the rows that reach it; take the first.",
    ],
)
