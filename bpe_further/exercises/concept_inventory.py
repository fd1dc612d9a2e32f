"""Twelve questions for before and after the course; each wrong answer is a likely misconception.

Form A is in 00b_concept_inventory.md; form B, for use after the course, is in 00b_second_form.md.
Each form has two questions on every concept. The right answers are spread evenly over a, b, c, d.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import pandas as pd

from bpe_further.exercises import second_form
from bpe_teach.exercises.exercise import Value
from bpe_teach.exercises.page import load
from bpe_teach.exercises.record import ANSWERS, WHEN

PAGE = load(__name__)
globals().update(PAGE)
FORMS = {}  # form -> number -> question; in both forms, a number stands for the same concept
for form, page in {"A": PAGE, "B": vars(second_form)}.items():
    asked = [question for question in page.values() if isinstance(question, Value)]
    FORMS[form] = dict(enumerate(asked, start=1))
CONCEPTS, BELIEFS, TWICE, SEEN = (PAGE[name] for name in ("CONCEPTS", "BELIEFS", "TWICE", "SEEN"))


@dataclass(frozen=True, repr=False)
class Sheet:
    """The questions as they are handed out: print a sheet, or let a notebook show the sheet."""

    numbered: Mapping[int, Value]

    def __repr__(self) -> str:
        return "\n\n".join(
            "\n   ".join([f"{number}. {question.ask}", *_choices(question)])
            for number, question in self.numbered.items()
        )

    def _repr_html_(self) -> str:
        blocks = ""
        for number, question in self.numbered.items():
            blocks += '<div style="margin:0 0 14px 0;break-inside:avoid">'
            blocks += f"<b>{number}.</b> {escape(question.ask)}"
            for choice in _choices(question):
                blocks += f'<div style="margin-left:1.5em">{escape(choice)}</div>'
            blocks += "</div>"
        look = "color:#222;background:#fff;padding:6px 10px;font:15px/1.5 system-ui,sans-serif"
        return f'<div style="{look};text-align:left">{blocks}</div>'


def _choices(question: Value) -> list[str]:
    return [f"{letter}) {said}" for letter, said in question.choices.items()]


def questions(form: str = "A") -> Sheet:
    """Return the twelve questions of a form without their answers.

    >>> print(str(questions())[:52])
    1. A pair is two letters that stand side by side. Ho
    """
    return Sheet(FORMS[form])


def score(answers: Mapping[int, object], form: str = "A", when: str = "") -> pd.DataFrame:
    """Return how many answers are right per concept, and which beliefs the wrong answers show.

    ``answers`` maps the number of each question to a letter. A question that is left out, or
    answered with ``...``, is open. If ``when`` is "before" or "after", `record` writes the answers
    down.

    >>> table = score({1: "b", 7: "a"})
    >>> list(map(int, table.loc["counting", ["right", "of"]]))
    [1, 2]
    >>> table.loc["counting", "what the wrong answers show"]
    '7a: each merge changes the counts of neighbouring pairs, so the old order is out of date.'

    Raises ValueError for a question, an answer or a form that does not exist.
    """
    marked = mark(answers, form)
    if when in WHEN:
        given = marked[marked.answer != ""]
        letters = dict(zip(given.question.map(str), given.answer, strict=True))
        ANSWERS[when] = {"form": form, "answers": letters}
    marked["shows"] = [
        f"{row.question}{row.answer}: {row.why}" if row.why else "" for row in marked.itertuples()
    ]
    show = {"what the wrong answers show": ("shows", lambda shows: " ".join(shows).strip())}
    by_concept = marked.groupby("concept", sort=False)
    return by_concept.agg(right=("right", "sum"), of=("right", "size"), **show)


def mark(answers: Mapping[int, object], form: str = "A") -> pd.DataFrame:
    """Return a row for each question, with its answer, and whether the answer is right.

    ``answers`` maps the number of each question to a letter. A row has the ``question``, its
    ``concept``, the ``answer`` ("" if the question is open), and whether the answer is ``right``.
    If the answer is wrong, the row also has the ``belief`` that the answer shows, and ``why`` this
    belief is wrong.

    >>> row = mark({1: "a"}).iloc[0]
    >>> row.concept, bool(row.right), row.belief
    ('counting', False, 'a letter belongs to one pair only')

    Raises ValueError for a question, an answer or a form that does not exist.
    """
    if form not in FORMS:
        raise ValueError(f"there is no form {form!r}; form A is for before the course, B for after")
    for number, answer in answers.items():
        if number not in FORMS[form]:
            raise ValueError(f"there is no question {number!r}; they are numbered 1 to 12")
        if answer not in (..., None, *FORMS[form][number].choices):
            raise ValueError(f"question {number}: answer a, b, c or d, not {answer!r}")
    beliefs = {option: belief for belief, options in BELIEFS.items() for option in options.split()}
    rows = []
    for number, question in FORMS[form].items():
        answer = answers.get(number)
        letter = "" if answer in (None, ...) else answer
        concept = CONCEPTS[(number - 1) % len(CONCEPTS)]
        belief = beliefs.get(f"{form}{number}{letter}", "")
        why = dict(question.slips).get(letter, "")
        rows.append((number, concept, letter, letter == question.right, belief, why))
    columns = ["question", "concept", "answer", "right", "belief", "why"]
    return pd.DataFrame(rows, columns=columns)
