"""One small change that makes a wrong function right is found and named."""

import ast
import re
from dataclasses import replace
from importlib import import_module

import pytest
from common import run_cell, sections

from bpe_teach.exercises import repair
from bpe_teach.exercises.exercise import Function
from bpe_teach.exercises.rules import fill, fits, read_rules
from bpe_teach.exercises.runner import child


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


# What is said is obeyed.

OBEYED = {said: code.split("# →\n") for said, code in sections("obeyed.md")}


@pytest.mark.parametrize("said", OBEYED)
def test_what_is_said_makes_the_function_right_when_somebody_does_just_that(said, monkeypatch):
    """The right results are written down by hand, and what was told to do was done by hand."""
    monkeypatch.setattr(repair, "MOST_SECONDS", 10)  # a busy computer changes no advice
    wrong, obeyed = OBEYED[said]
    cases = []
    for line in obeyed.splitlines():
        if line.startswith("f("):
            case = ast.parse(line, mode="eval").body
            given = tuple(ast.literal_eval(part) for part in case.left.args)
            cases.append((given, ast.literal_eval(case.comparators[0])))
    code = obeyed[: obeyed.index("\nf(") + 1]
    solve = in_cell(code, "f")
    asked = Function("", solve, cases)
    assert asked.check(solve).kind == "right"
    verdict = asked.check(in_cell(wrong, "f"))
    assert verdict.kind == "wrong"
    assert said in verdict.text


def test_every_reason_is_obeyed_once():
    told = " ".join(OBEYED)
    for reason in {why for _, _, why in read_rules()}:
        parts = re.split(r"\{\w+\}", reason)
        assert re.search(".*".join(map(re.escape, parts)), told), reason


def test_nothing_is_said_where_no_small_change_helps_or_no_text_is_known():
    far = in_cell("def total(numbers):\n    return len(numbers) ** 2 + 7\n", "total")
    assert "right" not in TOTAL.check(far).text
    assert "right" not in TOTAL.check(lambda numbers: sum(numbers) + 1).text
    assert "right" not in TOTAL.check(max).text


def test_no_change_is_said_by_which_things_only_cancel():
    """Instead of two lengths by which each sum is divided, one would be taken twice."""

    def ratio(ours, theirs):
        return sum(ours) / sum(theirs)

    cases = [(([2, 4], [3]), 2.0), (([1], [2, 2]), 0.25), (([6], [3]), 2.0)]
    wrong = """def ratio(ours, theirs):
    return (sum(ours) / len(ours)) / (sum(theirs) / len(theirs))
"""
    verdict = Function("", ratio, cases).check(in_cell(wrong, "ratio"))
    assert verdict.kind == "wrong"
    assert "wrong variable" not in verdict.text


def test_several_wrong_names_in_one_line_are_told_by_what_the_line_should_be():
    def ratio(a, b, c, d):
        return a / b

    asked = Function("", ratio, [((4, 2, 6, 2), 2.0), ((4, 1, 4, 8), 4.0), ((2, 4, 3, 6), 0.5)])
    wrong = "def ratio(a, b, c, d):\n    return c / d\n"
    said = asked.check(in_cell(wrong, "ratio")).text
    assert said.endswith("`return c / d` in line 2 of your cell: it should be `return a / b`.")


def test_no_change_is_made_in_a_line_that_another_change_puts_there():
    asked = import_module("bpe_further.exercises.many_machines").find_cut
    wrong = """def find_cut(data, at):
    for i in range(at, len(data)):
        if data[i - 1].isalnum() and data[i].isspace():
            return i
    return len(data)
"""
    verdict = replace(asked, slips=()).check(in_cell(wrong, "find_cut"))
    assert verdict.kind == "wrong"
    assert "break" not in verdict.text


def test_the_search_leaves_the_learners_function_as_it_was():
    wrong = in_cell("def total(numbers):\n    return sum(numbers) + 1\n", "total")
    assert "`sum(numbers) + 1` in line 2" in TOTAL.check(wrong).text
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
