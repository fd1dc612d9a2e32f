"""Answers as learners write them: the right ones pass, the wrong ones get a true reason."""

from collections import Counter
from importlib import import_module
from itertools import pairwise

import pytest
from common import ROOT

from bpe_teach.exercises import PAGES

NUMBERS = {path.name.partition("_")[0]: name for name, path in PAGES.items()}  # of notebooks


def answers(name: str) -> list[tuple[str, str, str]]:
    """List the answers of a file: exercise, as in "01 merge", the reason below it, and its code."""
    found = []
    for section in (ROOT / "tests" / name).read_text("utf-8").split("\n## ")[1:]:
        exercise, _, rest = section.partition("\n")
        for block in rest.strip().split("\n\n"):
            code, _, reason = block.partition("\n> ")
            found.append((exercise, reason, code))
    return found


def judge(exercise: str, code: str):
    """Return what a check says of an answer, without a process of its own."""
    number, name = exercise.split()
    page = vars(import_module(f"bpe_teach.exercises.{NUMBERS[number]}"))
    solutions = {key.removeprefix("solve_"): page[key] for key in page if key.startswith("solve_")}
    space = {"Counter": Counter, "pairwise": pairwise, **page, **solutions, "__name__": "__main__"}
    exec(code, space)
    return page[name]._judge(space[name])


RIGHT = answers("right_answers.md")


def test_there_are_right_answers_enough_for_every_function_of_01_to_08c():
    functions = Counter(exercise for exercise, _, _ in RIGHT)
    assert functions.total() >= 120
    assert min(functions.values()) >= 2


@pytest.mark.parametrize("exercise", sorted({exercise for exercise, _, _ in RIGHT}))
def test_what_is_right_is_never_refused_whatever_its_shape(exercise, some_inputs, judged_here):
    codes = [code for asked, _, code in RIGHT if asked == exercise]
    refused = {}
    for code in codes:
        verdict = judge(exercise, code)
        if not verdict.kind.startswith("right"):
            refused[code] = verdict.text
    assert refused == {}
