"""One small change that makes a wrong function right is found and named."""

import ast
import re
from importlib import import_module

import pytest
from common import run_cell, sections

from bpe_teach.exercises.runner import child
from bpe_teach.exercises.exercise import Function
from bpe_teach.exercises.repair import find_repair
from bpe_teach.exercises.rules import fill, fits, read_rules


def in_cell(code, name):
    """Return a function as a cell of a notebook makes it, whose text is known."""
    return run_cell(code)[name]


def total(numbers):
    result = 0
    for number in numbers:
        result += number
    return result


TOTAL = Function("", total, [(([],), 0), (([3],), 3), (([1, 2, 2],), 5), (([4, -1, 1],), 4)])
WRONG = list(sections("repair.md"))  # what is said, a function


@pytest.mark.parametrize(("said", "code"), WRONG)
def test_it_is_said_where_the_change_is_and_what_is_wrong_there(said, code):
    assert said in TOTAL.check(in_cell("\n\n" + code, "total")).text


def test_nothing_is_said_where_no_small_change_helps_or_no_text_is_known():
    far = in_cell("def total(numbers):\n    return len(numbers) ** 2 + 7\n", "total")
    assert "right" not in TOTAL.check(far).text
    assert "right" not in TOTAL.check(lambda numbers: sum(numbers) + 1).text
    assert find_repair(max, total, [(([],), 0)], TOTAL._fault) == ""


def test_the_search_leaves_the_learners_function_as_it_was():
    wrong = in_cell("def total(numbers):\n    return sum(numbers) + 1\n", "total")
    cases = [(given, right) for given, right in TOTAL.cases]
    assert "`sum(numbers) + 1` in line 2" in find_repair(wrong, total, cases, TOTAL._fault)
    assert wrong.__globals__["total"] is wrong
    assert wrong([1]) == 2


def test_a_search_ends_in_time_wherever_it_runs(no_process, monkeypatch):
    endless = "def total(numbers):\n    while True:\n        numbers = numbers[:1]\n"
    monkeypatch.setattr(child, "MOST_STEPS", 1000)
    assert "does it come to an end?" in TOTAL.check(in_cell(endless, "total")).text


@pytest.mark.parametrize("rule", read_rules(), ids=lambda rule: ast.unparse(rule[0])[:30])
def test_each_rule_can_be_read_and_makes_something_that_is_python(rule):
    old, new, why = rule
    (example,) = ast.parse(re.sub(r"\bN\b", "7", ast.unparse(old))).body
    found = {}
    assert fits(old, example if isinstance(old, ast.stmt) else example.value, found)
    made = fill(new, found)
    body = made if isinstance(made, list) else [made]
    assert "".join(map(ast.unparse, map(ast.fix_missing_locations, body)))
    assert why.endswith((".", "?"))


def test_a_rule_takes_the_learners_own_parts():
    old, new = (ast.parse(side, mode="eval").body for side in ("max(X)", "max(X, key=X.get)"))
    found = {}
    assert fits(old, ast.parse("max(counts)", mode="eval").body, found)
    assert ast.unparse(fill(new, found)) == "max(counts, key=counts.get)"
    assert not fits(old, ast.parse("max(a, b)", mode="eval").body, {})


def test_right_answers_are_never_searched(monkeypatch):
    ask = import_module("bpe_teach.exercises.char_bpe")
    monkeypatch.setattr(Function, "_mend", None)
    assert ask.merge._judge(ask.merge.solve).kind == "right"
