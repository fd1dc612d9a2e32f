"""What is green is right: no function that does nearly what a solution does passes a check."""

from collections import defaultdict
from fnmatch import filter as matching
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import pytest
from mutants import mutated, wrapped
from test_exercises import EXERCISES, FUNCTIONS

from bpe_teach.exercises import bounds

EVERY = 3  # functions, one is changed by default
EACH = 13  # mutants of it, one is tried
EQUAL = defaultdict(list)  # exercise -> patterns of mutants that are right for every valid input
for line in Path(__file__).with_name("gate_equal.txt").read_text("utf-8").splitlines()[2:]:
    exercise, mutant, reason = line.split(" | ")
    EQUAL[exercise].append(mutant)


@cache
def mutants_of(name):
    exercise = EXERCISES[name]
    return dict([*wrapped(exercise.solve, cases_of(name)), *mutated(exercise.solve)])


@cache
def cases_of(name):
    return EXERCISES[name]._all_cases()


def is_green(name, mutant):
    exercise, function = EXERCISES[name], mutants_of(name)[mutant]
    try:
        return not any(exercise._fault(function, *case) for case in cases_of(name))
    except bounds.TooManySteps:
        return False


def is_equal(name, mutant):
    return any(fnmatchcase(mutant, pattern) for pattern in EQUAL[name])


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    monkeypatch.setattr(bounds, "MOST_STEPS", 30_000)  # of a mutant that does not come to an end


def test_some_functions_that_are_nearly_right_are_wrong():
    some = FUNCTIONS[::EVERY]
    tried = [(name, mutant) for name in some for mutant in mutants_of(name)][::EACH]
    assert [one for one in tried if is_green(*one) and not is_equal(*one)] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_function_that_is_nearly_right_is_green(name):
    green = [mutant for mutant in mutants_of(name) if is_green(name, mutant)]
    assert [mutant for mutant in green if not is_equal(name, mutant)] == []
    known = list(mutants_of(name))
    assert [pattern for pattern in EQUAL[name] if not matching(known, pattern)] == []
