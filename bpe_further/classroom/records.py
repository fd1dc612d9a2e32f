"""Records: collect in two tables what the files of many learners hold, which `record` wrote."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from csv import Error as CSVError
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bpe_further.classroom.handed_in import Handed
from bpe_further.classroom.responses import (
    Export,
    choose_column,
    count_nameless,
    read_export,
    records_of,
)
from bpe_further.exercises.concept_inventory import mark
from bpe_teach.exercises.record import WHEN, find_exercise, read_record, slip_names

if TYPE_CHECKING:
    from pandas import DataFrame


# The names of slips in the order in which records of the format 1 number them
NUMBERED_SLIPS: dict[str, list[str]] = json.loads(
    Path(__file__).with_name("numbered_slips.json").read_text("utf-8")
)
MOST_NAMED = 20  # cells of an export that fit no choice and are named in a note


class Class(NamedTuple):
    """The answers of a class.

    Files are numbered from 1 on, because the name of a file may be the name of a learner.
    """

    answers: DataFrame  # from `mark`, with learner, when, form: a row for each question on a sheet
    verdicts: DataFrame  # learner, session, exercise, kind, slip: a row for each answer
    account: DataFrame  # numbers of files and answers handed in and used; they add up
    notes: list[str]  # on everything that was left out or was not read as it was written
    faults: dict[int, str]  # number of a file -> why it can't be used


def read_class(files: Iterable[Handed], column: str = "", word: str = "") -> Class:
    """Return the contents of a class's records; files that aren't records are left out and named.

    A CSV file is read as an export of a platform. One of its columns tells learners apart; if the
    function can't find this column, ``column`` must name it. ``word`` is the code word of the
    class, which is hashed together with each learner's identity.

    Raises ValueError if there is no record at all, or if no column has the given name.
    """
    import pandas as pd

    records, exports, faults = _read_files(files)
    number = len(records) + len(exports) + len(faults)
    if not records and not exports:
        raise ValueError(f"none of {number} files is a record. {faults.get(1, '')}".strip())
    chosen = choose_column(exports, column) if exports else ""
    for export in exports:
        records += records_of(export, chosen, word)

    sheets = {}  # (learner, when) -> form and answers
    again = 0  # sheets that only repeat an earlier sheet, or add to it
    differ = set()  # keys of sheets that contradict each other
    handed = 0  # sheets
    sessions = {}  # (learner, session) -> verdicts
    copies = 0
    for found in records:
        key = found["learner"], found["session"]
        copies += key in sessions
        sessions[key] = max(sessions.get(key, []), found["verdicts"], key=len)
        for when in WHEN:
            if when not in found or not found[when]["answers"]:
                continue
            handed += 1
            key = found["learner"], when
            again += key in sheets
            sheets[key], is_consistent = _join(sheets.get(key, found[when]), found[when])
            if not is_consistent:
                differ.add(key)
    kept = {key: sheet for key, sheet in sheets.items() if key not in differ}

    columns = ["learner", "session", "exercise", "kind", "slip"]
    given = [(*key, *verdict) for key, verdicts in sessions.items() for verdict in verdicts]
    known = [row for row in given if find_exercise(row[2])]
    marked = [mark({}).head(0).assign(learner="", when="", form="")]  # for its columns
    for (learner, when), sheet in kept.items():
        answers = {int(number): letter for number, letter in sheet["answers"].items()}
        rows = mark(answers, sheet["form"])
        marked.append(rows.assign(learner=learner, when=when, form=sheet["form"]))

    notes = _notes_on(exports, chosen)
    if faults:
        numbers = ", ".join(map(str, faults))
        notes.append(f"Files that can't be used: number {numbers}.")
    if copies:
        notes.append(f"Counted once, because another file holds the same session: {copies}.")
    for when, count in Counter(when for _, when in differ).items():
        notes.append(f"{count} learners have sheets {when} that contradict each other: left out.")
    if len(known) < len(given):
        lost = len(given) - len(known)
        notes.append(f"{lost} verdicts are on exercises that this version doesn't have.")
    account = _account(number, faults, exports, handed, again, sheets, differ, sessions)
    answers = pd.concat(marked[1:] or marked, ignore_index=True)
    return Class(answers, pd.DataFrame(known, columns=columns), account, notes, faults)


def _read_files(files: Iterable[Handed]) -> tuple[list[dict], list[Export], dict[int, str]]:
    """Return the records, the exports, and the numbers of all other files, with their faults."""
    records, exports, faults = [], [], {}
    for number, file in enumerate(files, 1):
        try:
            if file.fault:
                raise ValueError(file.fault)
            if file.name.lower().endswith((".csv", ".tsv", ".txt")):
                exports.append(read_export(file.name, file.content))
            else:
                records.append(_with_names(read_record(file.content)))
        except (ValueError, CSVError) as error:
            faults[number] = str(error)
    return records, exports, faults


def _with_names(record: dict) -> dict:
    """Return a record in which slips have names; in old records, slips have numbers."""
    verdicts = []
    for exercise, kind, slip in record["verdicts"]:
        if isinstance(slip, int):
            names = NUMBERED_SLIPS.get(exercise, [])
            slip = names[slip - 1] if 0 < slip <= len(names) else ""
        found = find_exercise(exercise)
        if found is None or slip not in slip_names(found):
            slip = ""  # this version of the course doesn't know the slip
        verdicts.append([exercise, kind, slip])
    return record | {"verdicts": verdicts}


def _notes_on(exports: list[Export], column: str) -> list[str]:
    """Return notes for the teacher: what was guessed in exports, and cells that fit no choice."""
    notes = []
    if exports:
        said = f'by the column "{column}"' if column else "by no column"
        notes.append(f"In exports, learners are told apart {said}; --id names another column.")
    for export in exports:
        where = f"In the export {export.when}"
        notes += [f"{where}: {note}." for note in export.notes]
        nameless = count_nameless(export, column)
        if nameless:
            notes.append(
                f"{where}: {nameless} of {len(export.rows)} rows with answers name nobody. "
                "These rows count for the questions, but not for the gains."
            )
        for (cell, choice), times in export.edited.most_common():
            notes.append(f'{where}: "{cell}" was read as "{choice}", {times} times.')
        for (heading, cell), times in export.unknown.most_common(MOST_NAMED):
            notes.append(
                f'{where}, column "{heading:.40}": "{cell:.80}" is no choice and is left out, '
                f"{times} times."
            )
        more = len(export.unknown) - MOST_NAMED
        if more > 0:
            notes.append(f"{where}: {more} other cells are no choices either; left out.")
    return notes


def _account(
    number: int,
    faults: dict[int, str],
    exports: list[Export],
    handed: int,
    again: int,
    sheets: dict[tuple, dict],
    differ: set[tuple],
    sessions: dict[tuple, list],
) -> DataFrame:
    """Return a table whose numbers add up: files, rows, sheets, learners."""
    import pandas as pd

    with_answers = sum(len(export.rows) for export in exports)
    blank = sum(export.blank for export in exports)
    kept = set(sheets) - differ
    before, after = ({who for who, when in kept if when == one} for one in WHEN)
    learners = {who for who, _ in sessions}
    rows = [
        ("files", number, ""),
        ("  used", number - len(faults), ""),
        ("  not used", len(faults), "see the list of files"),
        ("rows of exports", with_answers + blank, ""),
        ("  with answers", with_answers, ""),
        ("  without an answer", blank, "such as a row of averages"),
        ("sheets with answers", handed, "from records, and from rows of exports"),
        ("  used", len(kept), ""),
        ("  joined with another sheet of the same learner", again, ""),
        ("  left out", len(differ), "two sheets contradict each other"),
        ("learners", len(learners), ""),
        ("  with a sheet before and one after", len(before & after), "these count for the gains"),
        ("  with a sheet before only", len(before - after), ""),
        ("  with a sheet after only", len(after - before), ""),
        ("  without a sheet", len(learners - before - after), "exercises only, or left out"),
    ]
    return pd.DataFrame(rows, columns=["what", "how many", "remark"])


def _join(one: dict, other: dict) -> tuple[dict, bool]:
    """Return the fuller of two sheets, and whether it holds all answers of the other sheet."""
    less, more = sorted([other, one], key=lambda sheet: len(sheet["answers"]))
    holds_all = less["answers"].items() <= more["answers"].items()
    return more, holds_all and less["form"] == more["form"]
