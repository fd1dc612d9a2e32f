"""Grades: a row for each learner, with a column for each question that the course asks.

The programs that were handed in run in sandboxes (see `box`), with a fresh sandbox for each answer,
and only values come out of a sandbox. The cases, the correct answers, the comparison and the
verdict stay outside. Each file is judged in a process of its own, in which only code of the course
runs, so no file can cost another file its points.
"""

import json
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bpe_further.classroom import learners
from bpe_further.classroom.box import Box, find_box, lend_to
from bpe_further.classroom.handed_in import BY_SYSTEM, Handed, find_handed
from bpe_further.classroom.learners import Origin
from bpe_further.classroom.work import (
    WITH_CORE,
    Part,
    Work,
    lent_text,
    module_of,
    parts_of,
    read_work,
)
from bpe_further.classroom.work import why_not_graded as why_not
from bpe_teach.exercises.answer import Answer
from bpe_teach.exercises.exercise import Function, Verdict
from bpe_teach.exercises.runner.child import OutOfTime
from bpe_teach.exercises.runner.job import Job, Limits, TooLong
from bpe_teach.exercises.runner.parent import Child, printable

LIMITS = Limits(seconds=60, wait=None, memory=2 * 2**30, line=4_000_000)  # to judge a file
MOST_OUT_OF_TIME = 3  # if so many answers of a file run out of time, no further answers are run
MOST_FILES = 20  # of a learner
MOST_SAID = 30  # reasons in a row of the table that say why something was not run
SECONDS_OF_A_LEARNER = 300  # by the clock, for all files of a learner
SHARE = 60  # seconds that each learner adds to the time of the whole run
LEAST_SECONDS = 30  # that a learner has even if others have used up the time of the run
LONGEST_REASON = 500  # characters
RIGHT = ("right", "right, but slow")
NOT_RUN = "not run"
TOO_MUCH = "it takes too much time or memory, or ends Python itself"
NOT_HANDED_IN = "0-"  # a round begins with this if Teams keeps its files as not handed in
KINDS = {  # end of a name -> why such a file has no points
    ".pdf": "a PDF can't be run: ask for the notebook, .ipynb",
    ".html": "a web page can't be run: ask for the notebook, .ipynb",
    ".htm": "a web page can't be run: ask for the notebook, .ipynb",
    ".docx": "a document can't be run: ask for my_bpe.py or the notebook",
}


class Table(NamedTuple):
    """The grades of a class."""

    header: list[str]
    rows: list[dict[str, object]]
    notes: list[str]


class _Kept(NamedTuple):
    """A file to be judged, copied to a place where nobody else writes."""

    name: str
    origin: Origin
    path: Path


def grade_class(
    paths: Sequence[str],
    output: str,
    *,
    seed: int | None = None,
    tell: Callable[[str], None] = lambda _text: None,
) -> Table:
    """Return the grades of everything that was handed in at the given paths.

    ``output`` is the file to which the table will be written, which is not judged. ``seed`` chooses
    the random inputs, and ``tell`` is called with one line for each learner. Raises `NoBox` if this
    computer has no sandbox that holds, and OSError if a path doesn't exist.
    """
    seed = secrets.randbelow(10**9) if seed is None else seed
    places = [Path(path) if Path(path).is_dir() else Path(path).parent for path in paths]
    if output != "-":
        places.append(Path(output).parent)
    box = find_box(places)
    with TemporaryDirectory(prefix="grades-") as folder:
        files = list(_keep(find_handed(paths, output, _why_not_read), Path(folder, "files")))
        of_teacher = [Path(path).name for path in paths if not Path(path).is_dir()]
        table = _Grader(box, seed, Path(folder)).grade(files, of_teacher, tell)
    notes = [f"{box}.", f"Random inputs: --seed {seed} gives the same ones again."]
    return table._replace(notes=notes + table.notes)


def _why_not_read(name: str) -> str:
    low = name.lower()
    if low.endswith((".py", ".ipynb", ".ipynb.txt", ".ipynb.json", ".py.txt")):
        return ""
    kinds = [why for end, why in KINDS.items() if low.endswith(end)]
    return kinds[0] if kinds else "it is neither a program, .py, nor a notebook, .ipynb"


def _keep(files: Iterable[Handed], folder: Path) -> Iterator[tuple[Handed, Path | None]]:
    """Yield each file without its content, which may be large, but with the path to the content."""
    folder.mkdir(mode=0o700)
    for number, file in enumerate(files):
        path = None
        if not file.fault:
            path = folder / str(number)
            path.write_bytes(file.content)
        yield file._replace(content=b""), path


class _Grader:
    def __init__(self, box: Box, seed: int, folder: Path):
        self.box = box
        self.judge = Judge(box, seed, folder)
        self.left = 0.0  # seconds by the clock, for all learners that are still to come

    def grade(
        self, files: list[tuple[Handed, Path | None]], of_teacher: list[str], tell: Callable
    ) -> Table:
        """Return the grades of the kept files."""
        mentioned = [(file, path) for file, path in files if file.fault != BY_SYSTEM]
        origins = learners.origins([file.name for file, _ in mentioned], of_teacher)
        names = learners.shown_names(origins.values())
        of_learner = {key: [] for key in names}
        self.left = SECONDS_OF_A_LEARNER + SHARE * len(names)
        for file, path in mentioned:
            of_learner[origins[file.name].key].append((file, path))
        rows, columns = [], {}
        for key in sorted(of_learner, key=lambda key: names[key].casefold()):
            row, parts = self._row(names[key], of_learner[key], origins)
            rows.append(row)
            columns |= parts
            tell(f"{names[key]}: {row['points']} of {row['of']}")
        in_order = sorted(columns.values(), key=_place)
        first = ["learner", "points", "of", "attempts", "files", "what was wrong", NOT_RUN]
        notes = []
        by_system = len(files) - len(mentioned)
        if by_system:
            why = "because systems wrote them and nobody handed them in"
            notes.append(f"Left out, {why}: {by_system} files.")
        return Table([*first, *(part.column for part in in_order)], rows, notes)

    def _row(self, name: str, files: list, origins: dict[str, Origin]) -> tuple[dict, dict]:
        """Return the row of a learner, and the questions that the columns of the row stand for."""
        kept = [_Kept(file.name, origins[file.name], path) for file, path in files if path]
        latest, attempts = _latest(kept)
        not_run = [f"{file.name}: {file.fault}" for file, path in files if not path]
        for one in kept:
            if one.origin.round.startswith(NOT_HANDED_IN):
                not_run.append(f"{one.name}: it was not handed in")
            elif one not in latest:
                not_run.append(f"{one.name}: a later one takes its place")
        begin = time.monotonic()
        judged, read = self._judge_files(latest[:MOST_FILES])
        self.left -= time.monotonic() - begin
        not_run += judged.notes
        not_run += [f"{one.name}: only {MOST_FILES} files are run" for one in latest[MOST_FILES:]]
        columns = {part.column: part for part in judged.parts}
        row = {"learner": name, "points": 0, "of": len(columns), "attempts": attempts}
        row |= {"files": " | ".join(read), "what was wrong": "", NOT_RUN: ""}
        reasons = []
        for column, part in sorted(columns.items(), key=lambda item: _place(item[1])):
            verdict = judged.verdicts.get(column, Verdict("open", ""))
            if verdict.kind == NOT_RUN:
                not_run.append(f"{column}: {verdict.text}")
            if ungraded := why_not(part):
                row[column] = ungraded
                row["of"] -= 1
            elif verdict.kind in ("open", NOT_RUN):
                row[column] = NOT_RUN if verdict.kind == NOT_RUN else ""
            else:
                row[column] = int(verdict.kind in RIGHT)
                row["points"] += row[column]
                if not row[column]:
                    reasons.append(f"{column}: {_short(verdict.text)}")
        row["what was wrong"] = " | ".join(reasons)
        row[NOT_RUN] = " | ".join(map(_short, not_run[:MOST_SAID]))
        if len(not_run) > MOST_SAID:
            row[NOT_RUN] += f" | and {len(not_run) - MOST_SAID:,} more"
        return row, columns

    def _judge_files(self, files: list[_Kept]) -> tuple["Judged", list[str]]:
        """Return the result of judging a learner's files, and the names of those that were read.

        If several files answer a question, a right function counts, wherever it is. Of other
        answers, only the last one counts: a choice could be guessed in several files.
        """
        together, read = Judged([], {}, []), []
        end = time.monotonic() + max(LEAST_SECONDS, min(SECONDS_OF_A_LEARNER, self.left))
        for one in files:
            beside = [(other.origin.name, other.path) for other in files if other != one]
            seconds = max(1, end - time.monotonic())
            judged = self.judge.judge_apart(one.name, one.path, seconds, beside)
            if judged.parts:
                read.append(one.name)
            together.parts.extend(judged.parts)
            together.notes.extend(f"{one.name}: {note}" for note in judged.notes)
            functions = {
                part.column for part in judged.parts if isinstance(part.exercise, Function)
            }
            for column, verdict in judged.verdicts.items():
                before = together.verdicts.get(column)
                if not (before and before.kind in RIGHT and column in functions):
                    together.verdicts[column] = verdict
        return together, read


def _place(part: Part) -> tuple:
    return part.number, [one.name for one in parts_of(part.page)].index(part.name)


def _short(text: str) -> str:
    text = " ".join(printable(text).split()).replace("|", "¦")  # | separates reasons
    return text if len(text) <= LONGEST_REASON else text[: LONGEST_REASON - 2] + " …"


def _latest(files: list[_Kept]) -> tuple[list[_Kept], int]:
    """Return the files of the latest attempt, in order, and how many attempts there were.

    Each attempt replaces all files of the attempt before. If several files have the same name, only
    the last file counts, provided that the platform numbers them or that they are copies in the
    same folder.
    """
    every = {one.origin.round for one in files}
    rounds = sorted(one for one in every if not one.startswith(NOT_HANDED_IN))
    of_round = [one for one in files if rounds and one.origin.round == rounds[-1]]
    by_name = {}
    for one in sorted(of_round, key=lambda one: (one.origin.order, one.name)):
        number, _ = one.origin.order
        place = "" if number else one.name.rpartition("/")[0]
        by_name.setdefault((place, one.origin.name), []).append(one)
    latest = sorted((same[-1] for same in by_name.values()), key=lambda one: one.origin.order)
    copies = max(map(len, by_name.values()), default=0)
    return latest, max(len(rounds), copies)


# ---- a file ----------------------------------------------------------------------------


class Judged(NamedTuple):
    """The result of judging a file."""

    parts: list[Part]
    verdicts: dict[str, Verdict]  # by column, for each question that was answered
    notes: list[str]  # on everything that couldn't be read or run


class Given(NamedTuple):
    """The answer that was given to a question."""

    kind: str  # "function", "value", or "missing" if the answer needs a thing that isn't here
    values: tuple  # for "missing", the reason


class Judge:
    """Judges files in a sandbox, with random inputs from a seed; works in the folder ``folder``."""

    def __init__(self, box: Box, seed: int, folder: Path):
        self.box, self.seed = box, seed
        self.exercises = {}  # part -> the question, with inputs of this seed
        self.lent = {}  # whether the core is lent -> folder
        for with_core in (False, True):
            place = folder / f"lent-{with_core:d}"
            place.mkdir()
            self.lent[with_core] = lend_to(place, with_core)
        folder.chmod(0o711)  # the files in it can be read by those who know their names

    def judge_apart(
        self, name: str, path: Path, seconds: float, beside: Sequence[tuple[str, Path]] = ()
    ) -> Judged:
        """Judge a file in a process of its own, which also has limits, and return the result.

        All answers that are judged within ``seconds`` count, even if the others take too much time.
        The program in the file may import the files ``beside`` it; each of them is given as a name
        and a path.
        """

        def work() -> None:
            sys.stdout = open(1, "w", encoding="ascii", closefd=False)  # noqa: SIM115
            try:
                modules = {}
                for other, place in beside:
                    modules |= module_of(other, place.read_bytes())
                for row in self._judge(name, path.read_bytes(), modules):
                    print(json.dumps(row), flush=True)
            except Exception as error:  # a fault of ours: the other files are still judged
                print(json.dumps(["note", f"it can't be judged: {type(error).__name__}: {error}"]))
            print(json.dumps(["end"]), flush=True)

        judged = Judged([], {}, [])
        kind = ""
        try:
            with Job(work, LIMITS._replace(wait=seconds)) as job:
                while kind != "end":
                    kind, *row = json.loads(job.read_line() or b"null")
                    if kind == "part":
                        judged.parts.append(Part(*row))
                    elif kind == "note":
                        judged.notes.extend(row)
                    elif kind == "verdict":
                        column, *verdict = row
                        judged.verdicts[column] = Verdict(*verdict)
        except (TimeoutError, TooLong, ValueError, TypeError):
            judged.notes.append(TOO_MUCH)
        for part in judged.parts:  # prepared once here, so that later forks have the results, too
            self._prepare(part)
        return judged

    def _prepare(self, part: Part):
        if part not in self.exercises:
            exercise = part.exercise
            if isinstance(exercise, Function) and not why_not(part):
                exercise = exercise.with_seed(self.seed)
                exercise.prepare()
            self.exercises[part] = exercise
        return self.exercises[part]

    def _judge(self, name: str, content: bytes, modules: Mapping[str, str]) -> Iterator[tuple]:
        """Yield the parts, notes and verdicts of a file; of two on one part, the last counts."""
        try:
            work = read_work(name, content)._replace(modules=modules)
        except (ValueError, RecursionError, MemoryError) as error:
            yield "note", str(error) or type(error).__name__
            return
        for part in work.parts:
            yield "part", *part
        for note in work.notes:
            yield "note", note
        try:
            given = self._handed_over(work)
        except (OutOfTime, ChildProcessError, OSError) as error:
            yield "note", str(error)
            return
        answered = [part for part in work.parts if part.column in given and not why_not(part)]
        for part in answered:
            yield "verdict", part.column, NOT_RUN, TOO_MUCH
        out_of_time = 0
        for part in answered:
            if out_of_time == MOST_OUT_OF_TIME:
                yield "verdict", part.column, NOT_RUN, "others took too long"
                continue
            try:
                verdict = self._verdict(work, part, given[part.column])
            except OutOfTime as error:
                out_of_time += 1
                verdict = Verdict(NOT_RUN, str(error))
            except ChildProcessError as error:
                out_of_time += 1
                verdict = Verdict("wrong", str(error))
            except Exception as error:  # comparing a stranger's object may raise anything
                said = f"this can't be compared: it raises {type(error).__name__}"
                verdict = Verdict("wrong", said)
            yield "verdict", part.column, verdict.kind, verdict.text

    def _handed_over(self, work: Work) -> dict[str, Given]:
        """Return the answers that a work gives, by column."""
        if work.given is not None:
            return dict.fromkeys(work.given, Given("function", ()))
        columns = {(part.page, part.name): part.column for part in work.parts}
        number = max(part.number for part in work.parts)
        with self._take(work, lent_text(number, ""), number in WITH_CORE, False) as child:
            outcome = child.call("_handed_over", ())
        if outcome.error or outcome.too_long or not isinstance(outcome.value, list):
            raise ChildProcessError(f"its answers can't be collected: {outcome.error}")
        given = {}
        for row in outcome.value:
            if not (isinstance(row, tuple) and len(row) == 4 and isinstance(row[3], tuple)):
                raise ChildProcessError("what came back isn't an answer")
            page, name, kind, values = row
            if (page, name) in columns:
                given[columns[page, name]] = Given(kind, values)
        return given

    def _take(self, work: Work, course: str, with_core: bool, beside: bool) -> Child:
        """Return a child process, in a sandbox, that has already run the handed-in program."""
        child = self.box.start(self.lent[with_core])
        text = "import taking as _taking\n"
        text += "_taken = _taking.take("
        text += f"globals(), {work.cells!r}, {work.modules!r}, {course!r}, {beside})\n"
        text += "_handed_over = _taken.handed_over\n"
        text += "def _is_open(): return _taking.is_open((_answer,))\n"
        try:
            if error := child.load(text, "<grade>"):
                raise ChildProcessError(str(error))
        except BaseException:
            child.close()
            raise
        return child

    def _verdict(self, work: Work, part: Part, given: Given) -> Verdict:
        """Return the verdict on an answer."""
        exercise = self._prepare(part)
        if given.kind == "missing":
            return Verdict(NOT_RUN, str(*given.values))
        if not isinstance(exercise, Function):
            if given.kind == "function":
                return Verdict("wrong", "hand over a value, not a function")
            return exercise.check(*given.values)
        if given.kind == "value":
            fault = f"hand over the function itself, check({exercise.name}), not what it returns"
            return Verdict("wrong", fault)
        course = lent_text(part.number, part.name)
        verdict = None
        # If the answer is wrong, we try it again with the values that names had when the answer was
        # handed over, and also with the course's functions, so that a slip in one function costs
        # only one point. We do the same with the function that was handed over before this answer.
        for which, beside, as_then in product((0, 1), (False, True), (False, True)):
            if (beside and not course) or (as_then and (beside or work.given)):
                continue
            another = self._verdict_on_function(work, part, course, which, beside, as_then)
            if another is None:
                break
            if another.kind in RIGHT:
                return another
            verdict = verdict or another
        return verdict

    def _verdict_on_function(
        self, work: Work, part: Part, course: str, which: int, beside: bool, as_then: bool
    ) -> Verdict | None:
        """Return the verdict on the function number ``which`` for a question.

        Return None if fewer functions were handed over.
        """
        if work.given is None:
            chosen = f"_taken.function({part.page!r}, {part.name!r}, {which}, {as_then})"
        else:
            chosen = f"[globals()[{work.given[part.column]!r}]][{which}]"
        with self._take(work, course, part.number in WITH_CORE, beside) as child:
            if child.load(f"_answer = {chosen}", "<grade>"):
                if which:
                    return None
                return Verdict(NOT_RUN, "it is not there once all has run")
            if child.call("_is_open", ()).value is True:
                return Verdict("open", "")
            return self._prepare(part).verdict_on(Answer(child, "_answer"))
