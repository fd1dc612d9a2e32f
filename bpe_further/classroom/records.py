"""Records: the files of `record`, from many learners, as two frames."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from csv import Error as CSVError
from typing import TYPE_CHECKING, NamedTuple

from bpe_further.classroom.handed_in import Handed
from bpe_further.classroom.responses import read_responses
from bpe_further.exercises.concept_inventory import mark
from bpe_teach.exercises.record import WHEN, find_exercise, read_record

if TYPE_CHECKING:
    from pandas import DataFrame


class Class(NamedTuple):
    """What a class answered; files have numbers, from 1, because a name may be a learner's."""

    answers: DataFrame  # of `mark`, with learner, when, form: a row for each question on a sheet
    verdicts: DataFrame  # learner, session, exercise, kind, slip: a row for each answer
    notes: list[str]  # on what was left out
    faults: dict[int, str]  # number of a file -> why it can't be used


def read_class(files: Iterable[Handed], column: str = "", word: str = "") -> Class:
    """Return what the records of a class hold; what is no record is left out, and said.

    A CSV file is an export of a platform: see `read_responses` for the other parameters.

    Raises ValueError if there is no record at all.
    """
    import pandas as pd

    sheets = {}  # (learner, when) -> form and answers
    differ = set()  # keys of sheets that contradict each other
    sessions = {}  # (learner, session) -> verdicts
    faults = {}
    number = copies = 0
    for number, file in enumerate(files, 1):
        try:
            if file.fault:
                raise ValueError(file.fault)
            if file.name.lower().endswith(".csv"):
                records = list(read_responses(file.name, file.content, column, word))
            else:
                records = [read_record(file.content)]
            if not records:
                raise ValueError("it holds no answer to the twelve questions")
        except (ValueError, CSVError) as error:
            faults[number] = str(error)
            continue
        for found in records:
            key = found["learner"], found["session"]
            copies += key in sessions
            sessions[key] = max(sessions.get(key, []), found["verdicts"], key=len)
            for when in WHEN:
                if when in found and found[when]["answers"]:
                    key = found["learner"], when
                    sheets[key], is_consistent = _join(sheets.get(key, found[when]), found[when])
                    if not is_consistent:
                        differ.add(key)
    if not sessions:
        raise ValueError(f"none of {number} files is a record. {faults.get(1, '')}".strip())

    columns = ["learner", "session", "exercise", "kind", "slip"]
    given = [(*key, *verdict) for key, verdicts in sessions.items() for verdict in verdicts]
    known = [row for row in given if find_exercise(row[2])]
    marked = [mark({}).head(0).assign(learner="", when="", form="")]  # the columns, if none is left
    for (learner, when), sheet in sheets.items():
        if (learner, when) not in differ:
            answers = {int(number): letter for number, letter in sheet["answers"].items()}
            rows = mark(answers, sheet["form"])
            marked.append(rows.assign(learner=learner, when=when, form=sheet["form"]))

    notes = [f"{number} files were read."]
    if faults:
        numbers = ", ".join(map(str, faults))
        notes.append(f"{len(faults)} of them can't be used: number {numbers}.")
    if copies:
        notes.append(f"Counted once, because another file holds the same session: {copies}.")
    for when, count in Counter(when for _, when in differ).items():
        notes.append(f"{count} of the sheets {when} differ from file to file: left out.")
    if len(known) < len(given):
        lost = len(given) - len(known)
        notes.append(f"{lost} verdicts are on exercises that this version doesn't have.")
    answers = pd.concat(marked[1:] or marked, ignore_index=True)
    return Class(answers, pd.DataFrame(known, columns=columns), notes, faults)


def _join(one: dict, other: dict) -> tuple[dict, bool]:
    """Return the fuller one of two sheets, and whether it holds all that the other does."""
    less, more = sorted([other, one], key=lambda sheet: len(sheet["answers"]))
    holds_all = less["answers"].items() <= more["answers"].items()
    return more, holds_all and less["form"] == more["form"]
