"""Responses: the answers to the twelve questions that a learning platform exports, as records."""

import csv
import html
from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import PurePath

from bpe_further.exercises.concept_inventory import FORMS
from bpe_teach.exercises.record import WHEN, hash_of

IDS = ["code word", "id number", "email address", "username", "email", "id"]  # of a learner
HASH = cache(hash_of)  # which takes its time
OPTIONS = {  # form -> what a choice says, or its name in a package of QTI -> number, letter
    form: {
        said: (str(number), letter)
        for number, question in asked.items()
        for letter, text in question.choices.items()
        for said in (text, f"{form}{number:02} {letter}")
    }
    for form, asked in FORMS.items()
}


def read_responses(name: str, content: bytes, column: str = "", word: str = "") -> Iterator[dict]:
    """Yield a record for each row of a CSV file; ``column`` says who a learner is.

    Who it is, is hashed as `record` does it, with the ``word`` of the class.

    Raises ValueError for any other file, and if its name doesn't say "before" or "after".
    """
    told = [when for when in WHEN if when in PurePath(name).name.lower()]
    if len(told) != 1:
        raise ValueError("name it before.csv or after.csv: it doesn't say when it was answered")
    text = content.decode("utf-8-sig")
    delimiter = max(",;\t", key=text.partition("\n")[0].count)
    rows = [row for row in csv.reader(StringIO(text, ""), delimiter=delimiter) if any(row)]
    if not rows:
        raise ValueError("it is empty")
    heads = [head.strip().casefold() for head in rows[0]]
    names = [column.casefold()] if column else IDS
    places = [heads.index(name) for name in names if name in heads]
    if not places:  # the first line may hold a learner's name: don't print it
        raise ValueError(f"--id names the column of learners; it has no {' or '.join(names)}")
    for row in rows[1:]:
        cells = [" ".join(html.unescape(cell).split()) for cell in row]  # as choices are written
        cells += [f"{head[:3]} {cell}" for head, cell in zip(rows[0], cells, strict=False)]
        by_form = {
            form: [known[cell] for cell in cells if cell in known]
            for form, known in OPTIONS.items()
        }
        form = max(by_form, key=lambda form: len(by_form[form]))
        answers = dict(by_form[form])
        if len(answers) < len(by_form[form]):
            raise ValueError("a row answers a question twice: export it without the right answers")
        if answers and len(row) > places[0] and row[places[0]].strip():
            sheet = {"form": form, "answers": answers}
            learner = HASH(row[places[0]], word)
            yield {"learner": learner, "session": name, "verdicts": [], told[0]: sheet}
