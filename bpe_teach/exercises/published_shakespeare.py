"""Exercises of notebook 01b: how many merges, how many characters, how large a vocabulary."""

from bpe_teach.exercises.exercise import Value
from bpe_teach.exercises.record import record as record

merges_to_learn = Value(
    "the text has 65 different characters, and the vocabulary is to have 300 tokens. How many "
    "merges are learned?",
    235,
    [
        (300, "the alphabet is part of the vocabulary."),
        (365, "the alphabet is part of the vocabulary: it is taken off, not added."),
        (234, "from 65 tokens to 66 is one merge, so to 300 it is 300 − 65."),
    ],
    because="each merge adds one token: 65 + 235 = 300.",
    hints=["how many tokens are there before the first merge?"],
)

characters_per_token = Value(
    "how many characters does one token carry, on average over the whole text? It may be off by "
    "0.15.",
    1.93,
    [
        (3, "that is the promise; measure it."),
        (3.0, "that is the promise; measure it."),
        (3.5, "that is the promise; measure it."),
        (4, "that is the promise; measure it."),
        (0.52, "that is tokens for each character; the other way round it is more than 1."),
    ],
    because="1,115,394 characters in 578,590 tokens.",
    within=0.15,
    hints=[
        "with no merge at all it is 1, and each merge makes it a little larger.",
        "to be 2, half of all characters must have been merged away.",
    ],
)

smallest_size = Value(
    "what is the smallest vocabulary with which a token carries three characters?",
    1636,
    [
        (1571, "that is the number of merges; the alphabet of 65 is part of the vocabulary."),
        (1635, "with 1,635 tokens it is 2.99985: close, but not three."),
        (2000, "2,000 is enough, but there is a smaller one."),
        (300, "that is the size of the published run, and it does not reach two."),
    ],
    because="3.0003 characters for a token; with one entry less it is 2.99985.",
    hints=[
        "the table has a row for each number of merges, and the column grows from row to row.",
        "table[table.chars_per_token >= 3] keeps the rows that reach it; take the first.",
    ],
)
