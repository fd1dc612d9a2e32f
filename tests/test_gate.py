"""What is green is right: no function that does nearly what a solution does passes a check."""

import copy
from collections import defaultdict
from dataclasses import replace
from fnmatch import filter as matching
from fnmatch import fnmatchcase
from functools import cache, wraps
from pathlib import Path

import pytest
from common import some_of
from mutants import UNCOUNTED, mutated, wrapped
from test_exercises import EXERCISES, FUNCTIONS

from bpe_teach.exercises import exercise as ex
from bpe_teach.exercises.runner import child
from bpe_teach.exercises.runner.values import is_plain, pack, unpack

EQUAL = defaultdict(list)  # exercise -> patterns of mutants that are right for every valid input
for line in Path(__file__).with_name("gate_equal.txt").read_text("utf-8").splitlines()[2:]:
    exercise, mutant, reason = line.split(" | ")
    EQUAL[exercise].append(mutant)
WHAT_TO_DO = """These functions do nearly what the solution does, and all cases find them right:
  {name}
tests/tables/mutants.txt says what each of them does. Add a case to the page that shows it wrong; if
it is right for every valid input, add a line to tests/gate_equal.txt."""


@cache
def mutants_of(name):
    exercise = EXERCISES[name]
    made = {name: UNCOUNTED(one) for name, one in wrapped(exercise.solve, cases_of(name))}
    return made | dict(mutated(exercise.solve))


@cache
def cases_of(name):
    return EXERCISES[name]._all_cases()


def is_green(name, mutant):
    exercise, function = EXERCISES[name], mutants_of(name)[mutant]
    for given, right in cases_of(name):
        if exercise._fault(called(function, given), given, right):
            return False
    return True


def called(function, given):
    """Return what comes of a function, as a child would say it: as data."""
    arguments = copy.deepcopy(given)

    @wraps(function)  # so that its steps are counted: those of another module's code are not
    def call():
        return function(*arguments)

    outcome = ex._try(call, ())
    value = outcome.value if is_plain(outcome.value) else unpack(pack(outcome.value))
    return replace(outcome, value=value, changed=arguments != given)


def is_equal(name, mutant):
    return any(fnmatchcase(mutant, pattern) for pattern in EQUAL[name])


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    monkeypatch.setattr(child, "MOST_STEPS", 30_000)  # of a mutant that does not come to an end


@pytest.mark.parametrize("name", some_of(FUNCTIONS))
def test_no_function_that_is_nearly_right_is_green(name, every):
    """By default, one of thirteen mutants is tried."""
    some = list(mutants_of(name))[:: 1 if every == 1 else 13]
    known = list(mutants_of(name))
    unused = [pattern for pattern in EQUAL[name] if not matching(known, pattern)]
    assert unused == [], "tests/gate_equal.txt: this is like no mutant; write ? for a bracket"
    green = [mutant for mutant in some if is_green(name, mutant) and not is_equal(name, mutant)]
    if green:
        pytest.fail(WHAT_TO_DO.format(name="\n  ".join([name, *green])), pytrace=False)
