"""Twelve questions for before and after the course; each wrong answer is a likely misconception.

There are two forms, so that the questions after the course aren't those before it: form A is here,
form B in `second_form`. `questions` returns a form without its answers, `score` marks a set of
answers, concept by concept. Every concept has two questions in each form. The right answers are
spread evenly over a, b, c and d.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from bpe_teach.exercises import second_form
from bpe_teach.exercises.exercise import Value
from bpe_teach.exercises.record import ANSWERS, WHEN
from bpe_teach.exercises.record import record as record

if TYPE_CHECKING:
    from pandas import DataFrame

overlaps = Value(
    "A pair is two letters that stand side by side. How often does the pair a a occur in the text "
    "a a a a?",
    "b",
    [
        ("a", "overlapping places count too: the second a ends one pair and begins the next."),
        ("c", "the last letter has nothing on its right, so it begins no pair."),
        ("d", "it is one kind of pair; its count says how often that kind occurs."),
    ],
    choices={
        "a": "twice: each a can belong to one pair only",
        "b": "three times: neighbouring pairs share a letter",
        "c": "four times: each a begins a pair of its own",
        "d": "once: it is the same pair everywhere",
    },
    because="there are three places where an a has an a on its right.",
    hints=["notebook 01 counts pairs by hand."],
)

recount = Value(
    "Training merges the most frequent pair of neighbours into one symbol, again and again. Which "
    "pair is merged second?",
    "d",
    [
        (
            "a",
            "each merge changes the counts of its neighbours, so the old ranking is out of date.",
        ),
        ("b", "the place in the text decides only between pairs that are equally frequent."),
        ("c", "length plays no part: what counts is how often a pair occurs."),
    ],
    choices={
        "a": "the pair that came second in the first count",
        "b": "the pair that comes second in the text",
        "c": "the pair that makes the longest new symbol",
        "d": "the pair that comes first in a new count",
    },
    because="after each merge there are new symbols and new pairs, so counting starts again.",
    hints=["notebook 01 writes the training loop."],
)

ties = Value(
    "Two pairs are equally frequent, and more frequent than all others. Which is merged first?",
    "a",
    [
        ("b", "one merge may take away symbols that the other needs, so they go one by one."),
        ("c", "a different order of merges is a different tokenizer: its tokens may differ."),
        ("d", "training stops when it has enough merges, or no pair is left."),
    ],
    choices={
        "a": "the one that a rule, fixed beforehand, prefers",
        "b": "both at once, since neither is more frequent",
        "c": "either of them: the tokens are the same in the end",
        "d": "neither: training stops when counts are equal",
    },
    because="some rule is needed, and programs with different rules learn different merges.",
    hints=["notebooks 01 and 07 compare rules for ties."],
)

ranks = Value(
    "Four merges were learned, in this order: o w, then ow e, then t o, then t ow. How does "
    "byte pair encoding cut the new word tower?",
    "b",
    [
        ("a", "that goes from left to right. The merge that was learned first comes first: o w."),
        ("c", "that takes the longest token from the left. The order of learning decides instead."),
        ("d", "towe was never learned: there is no merge of t and owe."),
    ],
    choices={"a": "to w e r", "b": "t owe r", "c": "tow e r", "d": "towe r"},
    because="o w comes first, then ow e; the t finds no partner any more.",
    hints=["notebook 03 cuts words by rank."],
)

learned_or_applied = Value(
    "A tokenizer has been trained. What does it do with a new text?",
    "b",
    [
        ("a", "that would be training. What is frequent in the new text plays no part."),
        ("c", "a word never seen before is put together from its letters, not left out."),
        ("d", "after training the merges stay as they are, or ids would change their meaning."),
    ],
    choices={
        "a": "it counts the pairs of the text and merges the most frequent",
        "b": "it applies the merges it has learned, and counts nothing",
        "c": "it looks up each word in its list and leaves out the others",
        "d": "it learns the merges of the text and adds them to its own",
    },
    because="counting belongs to training; using a tokenizer is applying its list of merges.",
    hints=["notebook 01 has a section for each: learning merges, and encoding."],
)

boundaries = Value(
    "A text is split into words before any merges are learned. What does this change?",
    "a",
    [
        ("b", "rare words are still several tokens; the split is a limit, not a goal."),
        ("c", "without the split, frequent pairs of words grow together: the tokens differ."),
        ("d", "across a split no pair is counted at all, neither early nor late."),
    ],
    choices={
        "a": "no token can reach from one word into the next",
        "b": "every word becomes one token from the start",
        "c": "only the time that it takes, but not the tokens",
        "d": "merges across words are learned after all others",
    },
    because="pairs are counted inside words only, so nothing is merged across a split.",
    hints=["notebook 02 splits first and compares."],
)

highest_id = Value(
    "A tokenizer begins with an alphabet of 72 characters and learns 1,000 merges. Its ids are "
    "counted from 0. Which is the highest?",
    "c",
    [
        ("a", "the characters of the alphabet have ids too, not only the merges."),
        ("b", "the alphabet has ids too; and from 0, a thousand ids end at 999."),
        ("d", "that is how many ids there are; counted from 0, the last is one less."),
    ],
    choices={"a": "999", "b": "1,000", "c": "1,071", "d": "1,072"},
    because="72 characters and 1,000 merges are 1,072 tokens, numbered from 0 to 1,071.",
    hints=["first find how many tokens there are in all."],
)

special = Value(
    "<|end|> is the special token that ends a document. A user types these seven signs into a "
    "chat. What should the tokenizer make of them, unless it is told otherwise?",
    "d",
    [
        ("a", "then anybody could end a document, or give orders to the program, by typing."),
        ("b", "the vocabulary is fixed after training; a text cannot add to it."),
        ("c", "decoding should return what was written, and people do write about such tokens."),
    ],
    choices={
        "a": "the special token, since the signs are the same",
        "b": "a second special token, new in the vocabulary",
        "c": "nothing: the signs are taken out of the text",
        "d": "ordinary tokens, as of any other seven signs",
    },
    because="only the program may say that a document ends, not what a user types.",
    hints=["notebook 04 has a section on special tokens."],
)

bytes_of_characters = Value(
    "How many bytes does UTF-8, the usual way to store text, take for each of the four characters "
    "T, é, ह and 😀?",
    "c",
    [
        ("a", "a byte has only 256 values, and there are far more characters than that."),
        ("b", "two bytes are enough for é, but not for ह, and not for 😀."),
        ("d", "that is another way to store text, UTF-32; UTF-8 saves space on common letters."),
    ],
    choices={
        "a": "1, 1, 1, 1: a character is a byte",
        "b": "1, 2, 2, 2: one in English, else two",
        "c": "1, 2, 3, 4: it grows with its number",
        "d": "4, 4, 4, 4: the same for each of them",
    },
    because="the higher the number of a character, the more bytes it takes.",
    hints=["notebook 04 looks at the bytes of each."],
)

decoding = Value(
    "A tokenizer that works on bytes gives 😀 four tokens, one for each byte. Each of them is "
    "turned into text by itself, and the four texts are joined. What appears?",
    "c",
    [
        ("a", "they are complete only together: the bytes must be joined before they are read."),
        ("b", "a byte that is no character is not dropped; a mark shows that something was there."),
        ("d", "a byte above 127 is not a letter in UTF-8, but part of a longer character."),
    ],
    choices={
        "a": "the emoji, as all its four tokens are there",
        "b": "nothing, since a part of an emoji has no text",
        "c": "the mark � four times, one for each token",
        "d": "four letters, one for the number of each byte",
    },
    because="none of the four bytes is a character, so each becomes the replacement mark.",
    hints=["notebook 04 decodes token by token, once."],
)

quality = Value(
    "Tokenizer A cuts a text into fewer tokens than tokenizer B. With which of them will a "
    "language model predict text better?",
    "d",
    [
        ("a", "fewer tokens save work, but each is rarer, and harder to learn and predict."),
        ("b", "very short tokens make a text long, and a model sees only so many tokens of it."),
        ("c", "both can give the text back; but a model learns other things from other pieces."),
    ],
    choices={
        "a": "with A, as fewer tokens hold the same text",
        "b": "with B, as shorter tokens are easier to learn",
        "c": "equally well, as neither loses any of the text",
        "d": "with A or with B: only a test can find this out",
    },
    because="compression is one number, quality another; notebook 06 measures both.",
    hints=["notebooks 05 and 06 measure the two."],
)

premium = Value(
    "The same page, in English and in Hindi, goes through a byte-level tokenizer that was trained "
    "on English. Why does the Hindi page take several times as many tokens?",
    "a",
    [
        ("b", "both pages say the same in about as many characters; it is the tokens that differ."),
        ("c", "bytes leave nothing unknown: every word is cut into pieces that exist."),
        ("d", "a space is one token at most; most of the tokens are inside the words."),
    ],
    choices={
        "a": "its letters take more bytes, and hardly any merge fits them",
        "b": "Hindi takes many more letters than English for the same page",
        "c": "its words are unknown, and unknown words get tokens of their own",
        "d": "Hindi takes many more spaces than English for the same page",
    },
    because="a Hindi letter has three bytes, and the merges were learned from English pairs.",
    hints=["notebook 05 compares sixteen languages."],
)

CONCEPTS = [  # of questions 1 to 6; those of 7 to 12 are the same
    *("counting", "ties and ranks", "training and use"),
    *("vocabulary", "bytes", "what tokens buy"),
]
QUESTIONS = [
    *(overlaps, ties, learned_or_applied, highest_id, bytes_of_characters, quality),
    *(recount, ranks, boundaries, special, decoding, premium),
]
FORMS = {  # form -> number -> question
    "A": dict(enumerate(QUESTIONS, start=1)),
    "B": dict(enumerate(second_form.QUESTIONS, start=1)),
}

# What a wrong answer says -> the answers of both forms that say it.
BELIEFS = {
    "a letter belongs to one pair only": "A1a B1c",
    "a pair counts once, however often it occurs": "A1d B1d",
    "the last letter begins a pair too": "A1c B1b",
    "the first count holds for all merges": "A7a B7b",
    "the place in the text decides what is merged": "A7b",
    "the longest symbol is merged": "A7c",
    "a new symbol has no pairs of its own": "B7c",
    "one merge takes one place": "B7d",
    "equally frequent pairs are merged at once": "A2b B2b",
    "the order of equals changes nothing": "A2c B2a",
    "a tie ends the training": "A2d",
    "there is only one right rule for ties": "B2d",
    "merges go from left to right": "A8a B8b",
    "the longest token is taken": "A8c B8a",
    "tokens join although no merge joins them": "A8d B8d",
    "encoding counts the new text": "A3a B3a",
    "a new word is unknown": "A3c B3b",
    "encoding adds to the vocabulary": "A3d B3c",
    "each word is one token": "A9b B9d",
    "splitting into words saves only time": "A9c",
    "merges across words come last": "A9d B9c",
    "frequent neighbours join across words": "B9a",
    "only merges have ids": "A4a A4b B4a B4b",
    "the highest id is the number of ids": "A4d",
    "only tokens left at the end have ids": "B4c",
    "what looks special is special": "A10a B10b",
    "a text can add a special token": "A10b",
    "special tokens are deleted from texts": "A10c B10c",
    "special tokens in a text are unknown": "B10d",
    "a character is a byte": "A5a B5a",
    "what isn't English takes two bytes": "A5b B5b",
    "every character takes four bytes": "A5d B5d",
    "half a character can be shown later": "A11a B11a",
    "half a character is left out": "A11b B11c",
    "a byte is a letter": "A11d B11b",
    "fewer tokens predict better": "A6a B6a",
    "shorter tokens predict better": "A6b B6c",
    "what is lossless predicts equally well": "A6c B6d",
    "other languages take more letters": "A12b",
    "unknown words or letters get tokens of their own": "A12c B12a",
    "other languages take more spaces": "A12d",
    "tokens follow grammar": "B12c",
    "other letters are written in English ones first": "B12d",
}
TWICE = [belief for belief, options in BELIEFS.items() if {"A", "B"} <= set(options)]  # both forms

# Beliefs on which public programs act that were written from scratch: the slip of an exercise
# that does the same, if there is one, and how many of 168 that learn merges, or of 146 that encode,
# do so. They were read in November 2026; they are finished programs, not those of learners.
SEEN = {
    "a letter belongs to one pair only": ("char_bpe._count_every_second", "1 of 168"),
    "a pair counts once, however often it occurs": ("char_bpe._count_as_sets", "1 of 168"),
    "the first count holds for all merges": ("misconception_lab._learn_1", "3 of 168"),
    "equally frequent pairs are merged at once": ("misconception_lab._learn_1", "3 of 168"),
    "merges go from left to right": (
        "rank_based_encoding._encode_in_one_pass",
        "7 of 146",
    ),
    "the longest token is taken": ("rank_based_encoding._encode_longest_first", "9 of 146"),
    "encoding counts the new text": ("char_bpe._encode_by_learning", "2 of 146"),
    "encoding adds to the vocabulary": ("", "1 of 146"),
    "only tokens left at the end have ids": ("", "8 of 168"),
    "what looks special is special": (
        "tokenizers_in_use._encode_one_string",
        "30 of 146",
    ),
    "half a character is left out": ("byte_level._decode_dropping", "2 of 146"),
    "a byte is a letter": ("byte_level._decode_as_code_points", "1 of 146"),
}


class Sheet:
    """The questions as they are handed out: print it, or let a notebook show it."""

    def __init__(self, numbered: Mapping[int, Value]):
        self.numbered = dict(numbered)

    def __repr__(self) -> str:
        blocks = []
        for number, question in self.numbered.items():
            lines = [f"{number}. {question.ask}"]
            lines += [f"   {letter}) {text}" for letter, text in question.choices.items()]
            blocks.append("\n".join(lines))
        return "\n\n".join(blocks)

    def _repr_html_(self) -> str:
        blocks = []
        for number, question in self.numbered.items():
            choices = "".join(
                f'<div style="margin-left:1.5em">{letter}) {escape(text)}</div>'
                for letter, text in question.choices.items()
            )
            blocks.append(
                '<div style="margin:0 0 14px 0;break-inside:avoid">'
                f"<b>{number}.</b> {escape(question.ask)}{choices}</div>"
            )
        look = "color:#222;background:#fff;padding:6px 10px;font:15px/1.5 system-ui,sans-serif"
        return f'<div style="{look};text-align:left">{"".join(blocks)}</div>'


def questions(form: str = "A") -> Sheet:
    """Return the twelve questions of a form without their answers.

    >>> print(str(questions())[:52])
    1. A pair is two letters that stand side by side. Ho
    """
    return Sheet(FORMS[form])


def score(answers: Mapping[int, object], form: str = "A", when: str = "") -> DataFrame:
    """Return per concept how many answers, number -> letter, are right, and what the others show.

    A question that is left out, or answered with ``...``, is open. If ``when`` is "before" or
    "after", the answers are remembered until the session ends; only `record` writes them down.

    >>> table = score({1: "b", 7: "a"})
    >>> list(map(int, table.loc["counting", ["right", "of"]]))
    [1, 2]
    >>> table.loc["counting", "what the wrong answers show"]
    '7a: each merge changes the counts of its neighbours, so the old ranking is out of date.'

    Raises ValueError for a question, an answer or a form that does not exist.
    """
    import pandas as pd

    marked = mark(answers, form)
    if when in WHEN:
        given = marked[marked.answer != ""]
        letters = dict(zip(given.question.map(str), given.answer, strict=True))
        ANSWERS[when] = {"form": form, "answers": letters}
    marked["shows"] = [
        f"{row.question}{row.answer}: {row.why}" if row.why else "" for row in marked.itertuples()
    ]
    by_concept = marked.groupby("concept", sort=False)
    columns = {
        "right": by_concept.right.sum(),
        "of": by_concept.right.size(),
        "what the wrong answers show": by_concept.shows.agg(lambda shows: " ".join(shows).strip()),
    }
    return pd.DataFrame(columns)


def mark(answers: Mapping[int, object], form: str = "A") -> DataFrame:
    """Return a row for each question: what was answered, number -> letter, and if it is right.

    A row has the ``question``, its ``concept``, the ``answer`` ("" if it is open), whether it is
    ``right``, and, if it is wrong, the ``belief`` that it shows and ``why`` that is wrong.

    >>> row = mark({1: "a"}).iloc[0]
    >>> row.concept, bool(row.right), row.belief
    ('counting', False, 'a letter belongs to one pair only')

    Raises ValueError for a question, an answer or a form that does not exist.
    """
    import pandas as pd

    _check_answers(answers, form)
    beliefs = {option: belief for belief, options in BELIEFS.items() for option in options.split()}
    rows = []
    for number, question in FORMS[form].items():
        answer = answers.get(number)
        if answer is None or answer is ...:
            answer = ""
        rows.append(
            {
                "question": number,
                "concept": CONCEPTS[(number - 1) % len(CONCEPTS)],
                "answer": answer,
                "right": answer == question.right,
                "belief": beliefs.get(f"{form}{number}{answer}", ""),
                "why": dict(question.slips).get(answer, ""),
            }
        )
    return pd.DataFrame(rows)


def _check_answers(answers: Mapping[int, object], form: str) -> None:
    if form not in FORMS:
        raise ValueError(f"there is no form {form!r}; form A is for before the course, B for after")
    for number, answer in answers.items():
        if number not in FORMS[form]:
            raise ValueError(f"there is no question {number!r}; they are numbered 1 to 12")
        if answer is not ... and answer is not None and answer not in FORMS[form][number].choices:
            raise ValueError(f"question {number}: answer a, b, c or d, not {answer!r}")
