"""Class records: the files of `record`, from many learners, as two frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from bpe_teach.exercises.concept_inventory import mark
from bpe_teach.exercises.record import WHEN, find_exercise, read_record
from bpe_teach.files import errors_name

if TYPE_CHECKING:
    from pandas import DataFrame


def read_class(contents: Mapping[str, bytes]) -> tuple[DataFrame, DataFrame, list[str]]:
    """Return the answers and the verdicts of a class, and notes on what was left out.

    ``contents`` are files by name. Answers have a row for each question on a sheet: what `mark`
    says of it, and ``learner``, ``when`` and ``form``. Verdicts have a row for each answer to an
    exercise: ``learner``, ``session``, ``exercise``, ``kind``, and the number of its ``slip``.

    Raises ValueError, with the name of the file, for what is not a record.
    """
    import pandas as pd

    sheets = {}  # (learner, when) -> form and answers
    twofold = set()  # keys of sheets that differ from file to file
    sessions = set()
    verdicts, notes = [], []
    for name, content in contents.items():
        with errors_name(name):
            found = read_record(content)
        if found["session"] in sessions:
            notes.append(f"{name} is a second file of one session: left out.")
            continue
        sessions.add(found["session"])
        for when in WHEN:
            sheet, key = found.get(when), (found["learner"], when)
            if sheet and sheet["answers"] and sheets.setdefault(key, sheet) != sheet:
                twofold.add(key)
        for exercise, kind, slip in found["verdicts"]:
            if find_exercise(exercise):
                verdicts.append((found["learner"], found["session"], exercise, kind, slip))
    for when, number in Counter(when for _, when in twofold).items():
        notes.append(f"{number} of the sheets {when} differ from file to file: left out.")
    marked = [mark({}).head(0).assign(learner="", when="", form="")]  # the columns, if none is left
    for (learner, when), sheet in sheets.items():
        if (learner, when) not in twofold:
            answers = {int(number): letter for number, letter in sheet["answers"].items()}
            rows = mark(answers, sheet["form"])
            marked.append(rows.assign(learner=learner, when=when, form=sheet["form"]))
    columns = ["learner", "session", "exercise", "kind", "slip"]
    answers = pd.concat(marked[1:] or marked, ignore_index=True)
    return answers, pd.DataFrame(verdicts, columns=columns), notes
