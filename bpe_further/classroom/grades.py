"""Grades: which exercises a learner's notebook or my_bpe.py answers, each judged by itself.

Nothing is run as a whole. Of a file, only functions, imports and plain values are taken. An answer
runs in a child of its own, as in a notebook's check, beside the course's answers to the other
exercises: a slip in one function costs one point. The verdict is made here.
"""

import ast
import json
import re
from contextlib import chdir
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bpe_further.classroom.handed_in import Handed
from bpe_further.classroom.handout import find_exercises
from bpe_teach.display import printable
from bpe_teach.exercises import program
from bpe_teach.exercises.exercise import Answer, Exercise, Function, Verdict, is_unwritten
from bpe_teach.exercises.runner import parent
from bpe_teach.exercises.runner.child import OutOfTime, code_of

LONGEST = 1_000_000  # characters of a program
MOST_OUT_OF_TIME = 3  # answers of a file, before the rest is not run
UNREADABLE = (ValueError, LookupError, TypeError, SyntaxError, RecursionError, MemoryError)
TAKEN = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)
FORMULA = re.compile(r"[=+\-@\t]")  # how a cell begins that a spreadsheet computes


class Answers(NamedTuple):
    """What a file answers."""

    exercises: dict[str, Exercise]  # by name: those that the file could answer
    given: dict[str, list[ast.expr]]  # name -> what its last check was given
    program: ast.Module  # whose functions, imports and plain values answers may need


def read_answers(file: Handed) -> Answers:
    """Return what a file answers. Raises ValueError if it can't be read, or answers no exercise."""
    if file.fault:
        raise ValueError(file.fault)
    read = _read_notebook if file.name.endswith(".ipynb") else _read_program
    answers = read(file.content.decode("utf-8-sig"))
    if not answers.exercises:
        raise ValueError("it has no exercise of the course")
    return answers


def _read_notebook(text: str) -> Answers:
    """Return the answers of a notebook: the arguments of ``check`` and ``use``."""
    notebook = json.loads(text)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    tree = _parse("\n".join(_without_magics("".join(cell["source"])) for cell in cells))
    exercises = find_exercises(notebook)
    given = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            asked = getattr(node.func.value, "attr", "")
            if asked in exercises and node.func.attr in ("check", "use"):
                given[asked] = node.args
    return Answers(exercises, given, tree)


def _read_program(text: str) -> Answers:
    """Return the answers of a ``my_bpe.py``: the functions that are the learner's own."""
    tree = _parse(text)
    keys = [key for key in program.keys_of(program.newest(text)) if key in program.PARTS]
    exercises = {key[3:]: program.find_part(key) for key in keys}
    mine = [name for name, function in program.held(text).items() if function.is_mine]
    given = {name: [ast.Name(name, ast.Load())] for name in mine}
    return Answers(exercises, given, tree)


def _parse(program: str) -> ast.Module:
    if len(program) > LONGEST:
        raise ValueError(f"it has more than {LONGEST:,} characters of code")
    return ast.parse(program)


def judge(answers: Answers, name: str) -> Verdict:
    """Return the verdict on one answer. Its code runs in a child, and only values come back.

    Raises OutOfTime, and ChildProcessError if there is nothing to judge.
    """
    exercise = answers.exercises[name]
    parts = answers.given.get(name, [ast.Constant(...)])
    if any(isinstance(part, ast.Constant) and part.value is ... for part in parts):
        return Verdict("open", "")
    taken = [node for node in answers.program.body if isinstance(node, TAKEN) or _is_plain(node)]
    text = ast.unparse(ast.Module(taken, []))
    beside = {}
    for other, question in answers.exercises.items():
        if other != name and isinstance(question, Function):
            beside[other] = question.solve
    function = exercise.lent() if isinstance(exercise, Function) else {}
    with parent.start(dict(beside), function) as runner:
        # what stands beside the answer is the course's, also where the file has one of that name
        handed = f"_beside = {{name: globals()[name] for name in {list(beside)}}}\n{text}\n"
        handed += "globals().update(_beside)\n"
        handed += f"def _hand_over(): return ({ast.unparse(ast.Tuple(parts, ast.Load()))})\n"
        is_one_function = isinstance(exercise, Function) and len(parts) == 1
        if is_one_function:
            handed += f"_answer = ({ast.unparse(parts[0])})\n"
        if error := runner.load(handed, "<handed in>"):
            raise ChildProcessError(str(error))
        if not is_one_function:
            outcome = runner.call("_hand_over", ())
            if outcome.error:
                raise ChildProcessError(str(outcome.error))
            return exercise._verdict(*outcome.value)
        if isinstance(parts[0], ast.Name) and is_unwritten(code_of(text, parts[0].id)):
            return Verdict("open", "")
        return exercise.verdict_on(Answer(runner, "_answer"))


def _is_plain(node: ast.stmt) -> bool:
    """Return whether a statement gives a name to a value that is written out."""
    if not isinstance(node, ast.Assign):
        return False
    try:
        ast.literal_eval(node.value)
    except UNREADABLE:
        return False
    return True


def _without_magics(cell: str) -> str:
    """Return a cell without commands of IPython; nothing of one that Python can't read.

    >>> _without_magics("if low:\\n    %pip install x"), _without_magics("for (")
    ('if low:\\n    pass', '')
    """
    cell = re.sub(r"^([ \t]*)[%!].*", r"\1pass", cell, flags=re.MULTILINE)
    try:
        ast.parse(cell)
    except UNREADABLE:
        return ""
    return cell


def grade(file: Handed) -> dict[str, object]:
    """Return a row: the file, its points, those of each exercise, reasons, what couldn't be run."""
    name = printable(file.name)
    row = {"file": f"'{name}" if FORMULA.match(name) else name, "points": 0, "of": 0}
    row |= {"what was wrong": "", "not run": ""}
    try:
        answers = read_answers(file)
    except UNREADABLE as error:
        return row | {"not run": printable(f"{type(error).__name__}: {error}")}
    reasons, not_run = [], []
    row["of"] = len(answers.exercises)
    for asked in answers.exercises:
        if len(not_run) == MOST_OUT_OF_TIME:
            break
        try:
            with TemporaryDirectory() as folder, chdir(folder):
                verdict = judge(answers, asked)
        except (OutOfTime, ChildProcessError, Exception) as error:
            not_run.append(f"{asked}: {error}")
            continue
        is_right = verdict.kind in ("right", "right, but slow")
        row[asked] = int(is_right) if verdict.kind != "open" else None
        row["points"] += row[asked] or 0
        if not is_right and verdict.kind != "open":
            reasons.append(f"{asked}: {verdict.text}")
    row["what was wrong"] = printable(" | ".join(reasons))
    row["not run"] = printable(" | ".join(not_run))
    return row
