"""Responses: turn the answers to the twelve questions, exported by a platform, into records.

An export is a table with a row for each attempt. Some of its columns hold answers, some say who
answered, and most are of no use to us. If a platform has headings of its own, the headings decide
what each column holds; otherwise the contents of most cells in a column decide. If a column is not
a column of answers, no cell in it is taken for an answer, even if the cell looks like an answer.
"""

import csv
import html
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from io import StringIO
from pathlib import Path, PurePath

from bpe_further.exercises.concept_inventory import FORMS
from bpe_teach.exercises.record import WHEN, hash_of

# Headings of platforms, and where they were read: section -> kind -> headings.
HEADINGS = tomllib.loads(Path(__file__).with_name("headings.toml").read_text("utf-8"))


def _headings(kind: str) -> list[str]:
    """Return all platforms' headings of one kind, in the order of the file."""
    return [heading for platform in HEADINGS.values() for heading in platform.get(kind, ())]


WHO = _headings("who")
OF_NO_USE = re.compile("|".join(_headings("no_use")))
# Headings of answers that have numbers: "Response 3" in Moodle, "Answer 3" in Blackboard.
NUMBERED = re.compile("|".join(heading.replace("{}", r"\d+") for heading in _headings("answers")))
OF_QTI = re.compile(r"[ab]\d\d(\W(?!score).*)?")  # how our QTI package names a question
NOBODY = {"", "-", "–", "anonymous", "anonym", "anonyme", "anónimo", "anonimo"}
NO_ANSWER = {"", "-", "–", "no answer", "keine antwort", "<no answer>", "unanswered"}
SIMILAR = 0.7  # two spellings of a word are at least so similar: neighbouring, neighboring: 0.96
HASH = cache(hash_of)  # remembered, because `hash_of` is slow


@dataclass
class Export:
    """A table of answers, for which it isn't known yet which column names the learners."""

    name: str
    when: str  # "before" or "after"
    rows: list[tuple[dict[str, str], str, dict[str, str]]]  # (heading -> learner), form, answers
    blank: int  # rows without an answer
    notes: list[str] = field(default_factory=list)  # on cells that were not read as they stand
    unknown: Counter[tuple[str, str]] = field(default_factory=Counter)  # (heading, cell)
    edited: Counter[tuple[str, str]] = field(default_factory=Counter)  # (cell, the choice it was)


def read_export(name: str, content: bytes) -> Export:
    """Return the answers in a CSV file of a platform.

    Raises ValueError if the file is not a table of answers, or if its name doesn't say "before" or
    "after".
    """
    told = [when for when in WHEN if when in PurePath(name).name.lower()]
    if len(told) != 1:
        raise ValueError("name it before.csv or after.csv: it doesn't say when it was answered")
    text, notes = _decode(content)
    heads, *rows = _read_table(text)
    titles = [_plain(head) for head in heads]
    if len(set(titles)) < 2:
        raise ValueError("its first line doesn't hold headings, separated by commas")
    columns = _find_answers(titles, rows)
    if not columns:
        raise ValueError("it holds no answer to the twelve questions")
    who = [i for i, title in enumerate(titles) if i not in columns and not _is_no_use(title)]
    if {"start time", "completion time"} <= set(titles):  # Microsoft Forms: a number for each row
        who = [i for i in who if titles[i] != "id"]
    export = Export(name, told[0], [], 0, notes)
    for row in rows:
        form, answers = _read_answers(row, columns, titles, export)
        if not answers:
            export.blank += 1
            continue
        named = {titles[i]: row[i].strip() for i in who if i < len(row)}
        export.rows.append((named, form, answers))
    if not export.rows:
        raise ValueError("it holds no answer to the twelve questions")
    return export


def choose_column(exports: Sequence[Export], column: str = "") -> str:
    """Return the heading whose cells tell most learners apart, in all exports together.

    The result is "" if there is no such heading. If ``column`` is given, it is the result; raises
    ValueError if no export has this column.
    """
    if column:
        asked = _plain(column)
        if not any(asked in named for export in exports for named, _, _ in export.rows):
            raise ValueError(f"--id names the column of learners; none is called {column!r:.80}")
        return asked
    found = {}  # heading -> how many learners it tells apart
    for title in WHO:
        found[title] = 0
        for export in exports:
            found[title] += len({_who(named, title) for named, _, _ in export.rows} - {""})
    best = max(found, key=found.get)  # among equals, the first in the list
    return best if found[best] else ""


def records_of(export: Export, column: str, word: str = "") -> Iterator[dict]:
    """Yield a record for each row; learners are hashed with ``word``, as in `record`.

    ``word`` is the code word of the class. A row that names nobody counts as a separate learner,
    whose two sheets can't be paired.
    """
    for number, (named, form, answers) in enumerate(export.rows):
        who = _who(named, column)
        learner = HASH(who, word) if who else f"nobody {export.name} {number}"
        sheet = {"form": form, "answers": answers}
        yield {"learner": learner, "session": export.name, "verdicts": [], export.when: sheet}


def count_nameless(export: Export, column: str) -> int:
    """Return how many rows of an export have answers but name nobody."""
    return sum(not _who(named, column) for named, _, _ in export.rows)


def _who(named: dict[str, str], column: str) -> str:
    who = named.get(column, "").casefold()
    return "" if who in NOBODY else who


# reading a table


def _decode(content: bytes) -> tuple[str, list[str]]:
    """Return the text of a file, and a note if its encoding had to be guessed."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content.decode("utf-16"), ["read as UTF-16"]
    if content[1:2] == b"\0":
        return content.decode("utf-16-le"), ["read as UTF-16"]
    try:
        return content.decode("utf-8-sig"), []
    except UnicodeDecodeError:
        return content.decode("cp1252", "replace"), ["not UTF-8, so read as Windows-1252"]


def _read_table(text: str) -> list[list[str]]:
    """Return the rows of a table, beginning with the headings.

    The columns may be separated by commas, semicolons or tabs, or by the sign that Excel names.
    """
    separator = re.match(r"sep=(.)\r?\n", text)  # a line that Excel writes and reads
    if separator:
        text = text[separator.end() :]
    found = {}  # delimiter -> rows
    for delimiter in separator[1] if separator else ",;\t":
        rows = csv.reader(StringIO(text, ""), delimiter=delimiter)
        found[delimiter] = [row for row in rows if any(row)]
    best = max(found, key=lambda delimiter: _regularity(found[delimiter]))
    if not found[best]:
        raise ValueError("it is empty")
    return found[best]


def _regularity(rows: Sequence[Sequence[str]]) -> tuple[float, int]:
    """Return the share of rows that are as long as the first row, and the length of that row.

    If the first row has only one column, the share is 0.
    """
    columns = len(rows[0]) if rows else 0
    if columns < 2:
        return 0.0, columns
    return sum(len(row) == columns for row in rows) / len(rows), columns


def _as_shown(cell: str) -> str:
    """Return a cell as people see it, without markup and with single spaces."""
    return " ".join(html.unescape(re.sub(r"</?[a-zA-Z][^>]*>", " ", cell)).split())


def _plain(text: str) -> str:
    """Return a text in lower case, without markup, and with plain spaces and apostrophes."""
    return _as_shown(text).casefold().replace("’", "'")


def _bare(text: str) -> str:
    """Return a text as words of letters and digits, which edits of punctuation don't change."""
    return " ".join(re.findall(r"\w+", _plain(text)))


def _is_no_use(title: str) -> bool:
    return OF_NO_USE.fullmatch(title) is not None


# answers

CHOICES: dict[str, dict[int, dict[str, str]]] = {}  # form -> question -> text -> letter
for _form, _asked in FORMS.items():
    CHOICES[_form] = {number: {} for number in _asked}
    for _number, _question in _asked.items():
        for _letter, _text in _question.choices.items():
            in_qti = f"{_form}{_number:02} {_letter}"  # below a heading that our package names
            for _said in (_text, f"{_letter}) {_text}", f"{_letter}. {_text}", in_qti):
                CHOICES[_form][_number][_said] = _letter


def _find_answers(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[int, int]:
    """Return the columns that hold answers: column -> number of its question, or 0 if unknown."""
    asked = {}  # text of a question -> its number
    for questions in FORMS.values():
        for number, question in questions.items():
            asked[_bare(question.ask)] = number
    found = {}
    for i, title in enumerate(titles):
        bare = _bare(re.sub(r"^\d+: ", "", title))  # Canvas writes the number of a question
        if bare in asked:
            found[i] = asked[bare]
        elif OF_QTI.fullmatch(title):
            found[i] = int(title[1:3])
        elif NUMBERED.fullmatch(title):  # in the order of a quiz, which may differ from ours
            found[i] = 0
    if found:
        return found
    known = {said for form in CHOICES.values() for says in form.values() for said in says}
    for i, title in enumerate(titles):
        cells = [_as_shown(row[i]) for row in rows if i < len(row)]
        given = [cell for cell in cells if cell.casefold() not in NO_ANSWER]
        hits = [cell for cell in given if cell in known]
        if title not in WHO and not _is_no_use(title) and len(hits) > len(given) / 2:
            found[i] = 0
    return found


def _read_answers(
    row: Sequence[str], columns: dict[int, int], titles: Sequence[str], export: Export
) -> tuple[str, dict[str, str]]:
    """Return the form of a row, and its letters by question; count cells that fit no choice."""
    given = []  # (heading, number of its question or 0, cell)
    for i, number in columns.items():
        cell = _as_shown(row[i]) if i < len(row) else ""
        if cell.casefold() not in NO_ANSWER:
            given.append((titles[i], number, cell))
    matched = {form: [_match(form, *one) for one in given] for form in FORMS}
    form = max(matched, key=lambda form: sum(found is not None for found in matched[form]))
    answers = {}
    for (title, number, cell), found in zip(given, matched[form], strict=True):
        if found is None:
            found = _match_edited(form, number, cell)
            if found is None:
                export.unknown[title, cell] += 1
                continue
            export.edited[cell, FORMS[form][found[0]].choices[found[1]]] += 1
        number, letter = found
        if answers.setdefault(str(number), letter) != letter:
            raise ValueError("a row answers a question twice: export it without the right answers")
    return form, answers


def _match(form: str, title: str, number: int, cell: str) -> tuple[int, str] | None:
    """Return the number and the letter of a question's choice that a cell holds word for word."""
    for possible in [number] if number else FORMS[form]:
        says = CHOICES[form][possible]
        letter = says.get(cell) or says.get(f"{title[:3].upper()} {cell.lower()}")
        if letter:
            return possible, letter
    return None


def _match_edited(form: str, number: int, cell: str) -> tuple[int, str] | None:
    """Return number and letter of the choice that a cell held before somebody edited the quiz.

    Punctuation and capitals are ignored, and a word may have a different spelling, such as
    *neighboring*. There must be exactly one such choice.
    """
    found = []
    for possible in [number] if number else FORMS[form]:
        for letter, text in FORMS[form][possible].choices.items():
            if _is_edited(_bare(cell).split(), _bare(text).split()):
                found.append((possible, letter))
    return found[0] if len(found) == 1 else None


def _is_edited(words: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether texts have the same words; a quarter of the words may have other spellings."""
    if len(words) != len(others) or not words:
        return False
    changed = [(one, other) for one, other in zip(words, others, strict=True) if one != other]
    if len(changed) > len(words) / 4:
        return False
    return all(
        not (one + other).isdigit() and SequenceMatcher(None, one, other).ratio() >= SIMILAR
        for one, other in changed
    )
