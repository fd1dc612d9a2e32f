"""Repair: find a small change that makes a learner's function right, and say where it is.

What the sentence says is true by construction: after the change, the function passes all cases. The
module `rules` has changes that replace code; the changes of this module leave out, move or exchange
parts of the code.

Changed functions run in a separate child process, which may do nothing but compute: a function that
was written to print a list may remove the list once the function is changed.
"""

import ast
import copy
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from textwrap import dedent
from typing import NamedTuple
from warnings import catch_warnings

from bpe_teach.exercises.branches import (
    branches_changed,
    is_another,
    is_pattern,
    text_fault,
    value_fault,
    would_fit_nothing,
)
from bpe_teach.exercises.rules import fill, fits, read_rules
from bpe_teach.exercises.runner.child import OutOfTime
from bpe_teach.exercises.runner.parent import Asking

MOST_STEPS = 5_000  # of a changed function, on the input that is tried first
MOST_SECONDS = 1.5  # of the processor, in this process and the child process together
LATER_STEPS = 200_000  # of a changed function, on each later input
STAGES = (1, 12)  # numbers of cases; if one of these cases fails, no more cases are tried
MOST_CHANGES = 2  # that are needed together
SHORT = 7  # characters; shorter code is shown with the code around it
LONGEST_SHOWN = 60
REPEATED = (ast.Assign, ast.AugAssign, ast.Expr)
NOT_THERE = "{old} should not be there."
NO_BLOCK = "this and the lines in it should not be there."
NO_PART = "leave {{old}} out, with its {}."
OTHER_NAME = "is the wrong variable."
IN_NO_INPUT = "\ue000in no input\ue001"
IDENTICAL = (
    "is asks whether the two are the same object, but == compares values: "
    "use == here and in each other place."
)
ORDINALS = ("first", "second", "third", "fourth", "fifth")
NO_OBJECT = (None, True, False, ...)  # of which there is only one
TOO_SMALL = "some numbers are higher: use float('inf') in each place of {}."
ALONE = "`{}` alone is needed in its place."
LATER = "symbols may be bytes"  # matters only from notebook 04 on, so it is said last
BY_LENGTH = "the longest should come first."
ONE_CHANGE = "all is right but "
SAID = [
    "",
    ONE_CHANGE + "{}",
    "two small changes make this right. The first: {} The second: {}",
]


class Edit(NamedTuple):
    """A change: the fields that get new values, the code that is shown, and what is wrong there."""

    fields: list[tuple[ast.AST, str, object]]
    shown: ast.AST
    why: str  # {old} stands for the changed node, as the source writes it
    copy: ast.stmt | None = None  # a statement that the change puts in a second time
    place: str = ""  # of the copy
    node: ast.AST | None = None
    text: ast.Constant | None = None  # a text that the change puts in


class Block(NamedTuple):
    """Statements that are run one after the other: a field of the node that owns them."""

    owner: ast.AST
    field: str
    statements: list[ast.stmt]


@dataclass
class Search:
    """A search: the learner's function as text and tree, and how a changed function is judged."""

    source: str  # of the learner's function, at the line numbers of its cell
    tree: ast.Module
    runner: Asking  # where changed functions are run
    ours: list  # texts and numbers of the solution
    fault: Callable  # (outcome, given, right) -> what is wrong in a case
    holds: Callable[[Asking, str], bool]  # whether a function is also right on long inputs
    end: float  # when the search must end, in seconds of processor time
    read: frozenset[str] = frozenset()  # names that the function gives a value and reads

    def find(self, cases: list[tuple]) -> list[str]:
        """Return a sentence on each change that is needed, [] if none is found."""
        self.read = frozenset(_names_of(self.tree, ast.Store) & _names_of(self.tree, ast.Load))
        found = self._find(cases, MOST_CHANGES)
        if len(found) < 2:
            return [self.say(edit, self.source) for edit in found]
        first, second = found
        are_variables = all(edit.why.endswith(OTHER_NAME) for edit in found)
        in_one_line = first.shown.lineno == second.shown.lineno
        if (are_variables and in_one_line) or not self._is_quoted(second, first):
            return self._say_as_one(first, second)
        if first.copy and any(node in set(ast.walk(first.copy)) for node, _, _ in second.fields):
            # If two lines are alike, the sentence must say which line is meant.
            before = _swap([*first.fields, *second.fields])
            said = [f"a line is missing {first.place}: `{_head(first.copy)}`."]
            _swap(before)
            return said
        said = [self.say(first, self.source)]
        before = _swap(first.fields)
        said.append(self.say(second, self.source))  # as it is after the first change
        _swap(before)
        return said

    def _is_quoted(self, second: Edit, first: Edit) -> bool:
        """Return whether the source, before the first change, has what the second change shows."""
        if any(map(_is_of_lines, (first, second))):
            return True
        before = _swap(first.fields)
        is_quoted = _is_written_as(ast.get_source_segment(self.source, second.shown), second.shown)
        _swap(before)
        return is_quoted

    def _say_as_one(self, *together: Edit) -> list[str]:
        """Return, in a list, a sentence on a line that both changes are in, [] if there is none."""
        lines = [node for node in ast.walk(self.tree) if isinstance(node, ast.stmt)]
        lines = [node for node in lines if node.lineno == together[0].shown.lineno]
        was = [_head(node) for node in lines]
        before = _swap([field for edit in together for field in edit.fields])
        said = [
            f"`{old}` in line {node.lineno} of your cell: it should be `{_head(node)}`."
            for node, old in zip(lines, was, strict=True)
        ]
        _swap(before)
        return said if len(said) == 1 else []

    def _find(self, cases: list[tuple], most: int) -> list[Edit]:
        """Return the changes that are needed together, [] if none are found."""
        partly = []
        senseless = _count_senseless(self.tree)
        for edit in edits(self.tree, self.ours, *cases[0]):
            before = _swap(edit.fields)
            passed = self.count_passed(cases)
            is_sensible = passed < len(cases) or _count_senseless(self.tree) <= senseless
            is_right = passed == len(cases) and is_sensible and self._holds()
            is_right = is_right and not (edit.text and self._does_nothing(edit.text, cases))
            _swap(before)
            if is_right:
                return [edit]
            if passed < len(cases):
                partly.append((passed, edit))
        for passed, edit in sorted(partly, key=lambda row: -row[0]):
            if passed == 0 or most == 1:
                break
            before = _swap(edit.fields)
            others = self._find(cases[passed:] + cases[:passed], most - 1)
            if others and self._is_read_no_more(others[0]):
                others = []
            _swap(before)
            if others and not _is_in_a_new_line(others[0], edit, self.tree):
                return [edit, *others]
        return []

    def _does_nothing(self, text: ast.Constant, cases: list[tuple]) -> bool:
        """Return whether any other text would do as well, since no input holds this text.

        So the code around the text does nothing, and to put this text there would be no advice.
        """
        before = text.value
        text.value = IN_NO_INPUT if isinstance(before, str) else IN_NO_INPUT.encode()
        passed = self.count_passed(cases)
        text.value = before
        return passed == len(cases)

    def _is_read_no_more(self, edit: Edit) -> bool:
        """Return whether a change leaves a name that gets a value, but is no longer read.

        A loop that never uses its own variable is no answer.
        """
        before = _swap(edit.fields)
        unread = _names_of(self.tree, ast.Store) - _names_of(self.tree, ast.Load)
        _swap(before)
        return bool(self.read & unread)

    def _holds(self) -> bool:
        """Return whether the function, as it is now, is right on long inputs, fast or slow."""
        begin = time.process_time() + self.runner.seconds
        try:
            return self.holds(self.runner, self.tree.body[0].name)
        finally:
            self.end += time.process_time() + self.runner.seconds - begin

    def count_passed(self, cases: list[tuple]) -> int:
        """Return how many cases the function, as it is now, passes before one fails."""
        if time.process_time() + self.runner.seconds > self.end:
            raise OutOfTime
        name = self.tree.body[0].name
        try:
            text = ast.unparse(ast.fix_missing_locations(self.tree))
        except Exception:  # the tree is no Python, which `unparse` notices in many ways
            return 0
        if self.runner.load(text, "<repair>"):
            return 0  # the text is no Python either, such as a break outside a loop
        passed = 0
        for stop in (*STAGES, len(cases)):
            some = cases[passed:stop]
            steps = LATER_STEPS if passed else MOST_STEPS
            outcomes = self.runner.call_each(name, [given for given, _ in some], steps=steps)
            for (given, right), outcome in zip(some, outcomes, strict=False):
                if outcome.too_long or self.fault(outcome, given, right):
                    return passed
                passed += 1
        return passed

    def say(self, edit: Edit, source: str) -> str:
        """Return where a change is, as a source shows it, and what is wrong there."""
        if edit.shown is self.tree.body[0]:
            return edit.why
        why = _reason(edit, source)
        shown, line = _shown_line(edit, source)
        return f"`{_shorten(shown, why)}` in line {line} of your cell: {why}"


def _reason(edit: Edit, source: str) -> str:
    """Return what is wrong; the sentence quotes the code as the source writes it."""
    why = edit.why
    if edit.node:
        why = why.replace("{old}", _which(edit.node, edit.shown, source))
    if isinstance(edit.shown, ast.Call):
        called = edit.shown.func
        why = why.replace(ast.unparse(called), _code_of(called, source))
    return why


def _shown_line(edit: Edit, source: str) -> tuple[str, int]:
    """Return the first line of the code that is shown, and the number of that line.

    If a method is called on a long expression, only the call is shown.
    """
    code = _code_of(edit.shown, source)
    line = edit.shown.lineno
    called = _called_before(edit, source)
    if len(called) > LONGEST_SHOWN // 2 and code.startswith(called):
        code = "… " + code[len(called) :].lstrip()
        line = edit.shown.func.end_lineno
    return code.partition("\n")[0].rstrip(":"), line


def _shorten(shown: str, why: str) -> str:
    """Return ``shown``, cut if it is too long, but with the code that the reason ``why`` names."""
    if len(shown) <= LONGEST_SHOWN:
        return shown
    most = LONGEST_SHOWN - 2  # beside the mark for what is missing
    if _end_of(why, shown) > most:
        return f"… {shown[-most:]}"
    return f"{shown[:most]} …"


def _called_before(edit: Edit, source: str) -> str:
    """Return the code before a method, if a change is in the method's arguments, else ""."""
    call = edit.shown
    is_method = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)
    return _code_of(call.func.value, source) if is_method and edit.node in call.args else ""


def _code_of(node: ast.AST, source: str) -> str:
    """Return the code of a node as the source writes it; as Python does if the node was changed."""
    code = ast.get_source_segment(source, node) if source and hasattr(node, "lineno") else None
    return code if code and _is_written_as(code, node) else ast.unparse(node)


def _is_written_as(code: str | None, node: ast.AST) -> bool:
    """Return whether some code is that of a node, whatever its quotes and spaces are."""
    shown = ast.unparse(node)
    mode = "eval" if isinstance(node, ast.expr) else "exec"
    try:
        return ast.unparse(ast.parse(dedent(code or ""), mode=mode)) == shown
    except SyntaxError:  # the code is a keyword, or a part of a larger statement
        return code == shown


def _end_of(why: str, shown: str) -> int:
    """Return where the code that a reason names ends in ``shown``; 0 if the reason names none."""
    named = re.split(" is | should ", why)[0]  # as in "1 is one too high"
    is_code = named.isalnum() or named[:1] in "'\""
    return shown.rfind(named) + len(named) if is_code else 0


def _is_of_lines(edit: Edit) -> bool:
    """Return whether a change adds, moves or leaves out whole lines."""
    new = [value for _, _, value in edit.fields if isinstance(value, list)]
    return any(isinstance(part, ast.stmt) for value in new for part in value)


def _is_in_a_new_line(second: Edit, first: Edit, tree: ast.Module) -> bool:
    """Return whether the second change would be shown in a line that only the first change adds.

    If the first change only copies a line, that line can be shown.
    """
    return _is_of_lines(first) and not first.copy and second.shown not in set(ast.walk(tree))


def find_repair(answer, solution: str, cases: list[tuple], fault: Callable, holds: Callable) -> str:
    """Return a sentence on the small change that makes an answer right, "" if none is found.

    ``answer`` is an `exercise.Answer`, ``solution`` the source of the course's function, and
    ``fault(outcome, given, right)`` says what is wrong in one of the ``cases``, which are pairs of
    arguments and the right result. The answer fails in the first case. If a function passes all
    cases, ``holds(runner, name)`` says whether it is also right on long and on further inputs.

    Raises OutOfTime if the search takes too long, and ChildProcessError if a function ends the
    child process.
    """
    try:
        tree = ast.parse(answer.text)
    except (SyntaxError, ValueError):
        return ""
    if [type(node) for node in tree.body] != [ast.FunctionDef]:
        return ""
    constants = []
    for node in ast.walk(ast.parse(solution)):
        if isinstance(node, ast.Constant):
            constants.append(node.value)
    with answer.workshop() as runner, catch_warnings(action="ignore"):  # warnings on changed code
        end = time.process_time() + MOST_SECONDS
        said = Search(answer.text, tree, runner, constants, fault, holds, end).find(cases)
    now = [one for one in said if LATER not in one]
    if len(now) == 1 < len(said):
        return f"first of all, {now[0]}"
    return SAID[len(said)].format(*said)


def _head(statement: ast.stmt) -> str:
    """Return the first line of a statement, without its colon."""
    return ast.unparse(statement).partition("\n")[0].rstrip(":")


def _names_of(tree: ast.AST, context: type) -> set[str]:
    """Return the names in a tree that are read or set: ``context`` is `ast.Load` or `ast.Store`."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    return {node.id for node in nodes if isinstance(node.ctx, context)}


def _count_senseless(tree: ast.AST) -> int:
    """Return how many expressions make no sense, though they may happen to give what is right.

    Their parts cancel, as in a / b / (c / b) or a == a, or they give a set an order.

    >>> [_count_senseless(ast.parse(code)) for code in ("a / b / (c / b)", "a - b + c", "a <= a")]
    [1, 0, 1]
    >>> _count_senseless(ast.parse("tuple({a, b}) == tuple(set(c))"))
    2
    """
    number = 0
    for node in ast.walk(tree):
        match node:
            case ast.BinOp(op=ast.Mult() | ast.Div()):
                number += _has_common(*_sides(node, ast.Mult, ast.Div))
            case ast.BinOp(op=ast.Add() | ast.Sub()):
                number += _has_common(*_sides(node, ast.Add, ast.Sub))
            case ast.Call(ast.Name("tuple" | "list"), [ast.Set() | ast.Call(ast.Name("set"))]):
                number += 1
            case ast.Compare(left, [_], [right]):
                number += ast.unparse(left) == ast.unparse(right)
    return number


def _sides(node: ast.AST, together: type, against: type) -> tuple[list[str], list[str]]:
    """Return the factors and the divisors of a product, or the parts added and subtracted."""
    if not (isinstance(node, ast.BinOp) and isinstance(node.op, together | against)):
        return [ast.unparse(node)], []
    left, right = (_sides(side, together, against) for side in (node.left, node.right))
    if isinstance(node.op, against):
        right = right[::-1]
    return left[0] + right[0], left[1] + right[1]


def _has_common(one: list[str], other: list[str]) -> bool:
    return not set(one).isdisjoint(other)


def _swap(fields: list[tuple[ast.AST, str, object]]) -> list[tuple[ast.AST, str, object]]:
    """Set fields of nodes; return their old values, with which a second call undoes the change."""
    before = [(node, field, getattr(node, field)) for node, field, _ in fields]
    for node, field, new in fields:
        setattr(node, field, new)
    return before


def edits(tree: ast.Module, ours: list, given: tuple, right) -> Iterator[Edit]:
    """Yield the changes that are tried, the most likely ones first."""
    head = tree.body[0]
    places = list(_places(tree))
    yield from _left_out(head, places)
    yield from _forgotten(head, given, right)
    yield from _identical(head)
    has_branches = sum(map(is_pattern, ours)) > 1  # none of these wins by its length
    for old, new, why in read_rules():
        if has_branches and why == BY_LENGTH:
            continue
        for node, owner, put in places:
            found = {}
            if not fits(old, node, found):
                continue
            made = _computed(fill(new, found))
            if isinstance(made, list) <= isinstance(node, ast.stmt) and not _adds_nothing(
                made, owner
            ):
                yield _edit(put(made), node, owner, _named(why, found, made))
    yield from _too_small_a_number(places)
    yield from _taken_for_another(head, places, ours)
    yield from _moved(head)


def _named(why: str, found: dict, made) -> str:
    """Return a reason with the learner's function, method and new code in place of {F}, {M}, {new}.

    If the new code is a loop, {new} stands only for the value that the loop goes through.
    """
    said = why.replace("{M}", str(found.get("M")))
    if "F" in found:
        said = said.replace("{F}", ast.unparse(found["F"]))
    if isinstance(made, list) and isinstance(made[0], ast.For):
        made = made[0].iter
    return said.replace("{new}", ast.unparse(made)) if isinstance(made, ast.expr) else said


def _computed(made):
    """Return a sum or difference of two whole numbers as one number: 1 for 2 - 1."""
    if isinstance(made, ast.BinOp) and isinstance(made.op, ast.Add | ast.Sub):
        sides = [getattr(side, "value", None) for side in (made.left, made.right)]
        if [type(side) for side in sides] == [int, int]:
            left, right = sides
            return ast.Constant(left + right if isinstance(made.op, ast.Add) else left - right)
    return made


def _adds_nothing(made, owner: ast.AST) -> bool:
    """Return whether a change would add or subtract 0, as in n - 0, or divide by 1, as in n / 1.

    A different kind of change leaves the number out, and says that it should not be there.
    """
    match made:
        case ast.BinOp(op=ast.Mult() | ast.Div() | ast.FloorDiv(), right=ast.Constant(1)):
            return True
    is_sum = isinstance(owner, ast.BinOp) and isinstance(owner.op, ast.Add | ast.Sub)
    return is_sum and isinstance(made, ast.Constant) and made.value == 0


def _edit(field: tuple, node: ast.AST, owner: ast.AST, why: str) -> Edit:
    """Return a change of one node; a short node is shown with the code around it.

    But if the operator of `a - b` in `(a - b) / b` is changed, only `a - b` is shown.
    """
    has_operator = isinstance(node, ast.BinOp) and isinstance(owner, ast.BinOp)
    if len(ast.unparse(node)) < SHORT and isinstance(owner, ast.expr) and not has_operator:
        return Edit([field], owner, why, node=node)
    return Edit([field], node, why.replace("{old}", "it"))


def _which(node: ast.AST, owner: ast.AST, source: str) -> str:
    """Return the code of a node, with "the second", say, if the code around has it several times.

    Only code that the learner is shown is counted. So pieces of an f-string don't count, and in a
    call of a method only the arguments count.
    """
    code = ast.unparse(node)
    written = _code_of(node, source)
    around = owner.args if isinstance(owner, ast.Call) and node in owner.args else [owner]
    inside = [part for one in around for part in ast.walk(one)]
    pieces = [part for one in inside if isinstance(one, ast.JoinedStr) for part in one.values]
    same = [part for part in inside if type(part) is type(node) and part not in pieces]
    same = [part for part in same if hasattr(part, "lineno") and ast.unparse(part) == code]
    same.sort(key=lambda part: (part.lineno, part.col_offset))
    if len(same) < 2 or node not in same[: len(ORDINALS)]:
        return written
    return f"the {ORDINALS[same.index(node)]} {written}"


def _places(tree: ast.AST) -> Iterator[tuple]:
    """Yield each node, its owner, and a function that puts another node in its place."""
    for owner in ast.walk(tree):
        for field, value in ast.iter_fields(owner):
            for i, node in enumerate(value if isinstance(value, list) else [value]):

                def put(new, owner=owner, field=field, value=value, i=i):
                    if isinstance(value, list):
                        new = new if isinstance(new, list) else [new]
                        new = value[:i] + new + value[i + 1 :]
                    return owner, field, new

                if isinstance(node, ast.AST):
                    yield node, owner, put


def _left_out(head: ast.FunctionDef, places: list) -> Iterator[Edit]:
    """Yield changes that leave out a condition, a statement, an argument or a part."""
    for node, owner, put in places:
        if isinstance(node, ast.If):
            yield Edit([put(node.orelse)], node, "leave this case out: the rest handles it, too.")
        if isinstance(node, ast.stmt) and node is not head:
            why = NO_BLOCK if hasattr(node, "body") else NOT_THERE
            yield _edit(put(ast.Pass()), node, owner, why)
        elif isinstance(node, ast.expr | ast.keyword) and _is_one_of_several(owner, put([])[1]):
            why = NOT_THERE
            if isinstance(owner, ast.BoolOp):
                why = NO_PART.format("and" if isinstance(owner.op, ast.And) else "or")
            yield _edit(put([]), node, owner, why)


def _is_one_of_several(owner: ast.AST, field: str) -> bool:
    """Return whether a field holds parts that can be left out one by one, such as arguments."""
    is_row = isinstance(getattr(owner, field), list) and field != "targets"
    return is_row and not isinstance(owner, ast.Compare | ast.Dict)


def _forgotten(head: ast.FunctionDef, given: tuple, right) -> Iterator[Edit]:
    """Yield changes that add a result, a special case or a way out of a loop that was forgotten."""
    for node in ast.walk(head):
        is_return = isinstance(node, ast.Return)
        if is_return and not any(isinstance(part, ast.Name) for part in ast.walk(node)):
            for name in _names(head):
                made = ast.Name(name, ast.Load())
                yield Edit([(node, "value", made)], node, "another result should be returned here.")
    arguments = head.args.posonlyargs + head.args.args
    for argument, value in zip(arguments, given, strict=False):
        if not value and (not right or len(given) == 1):  # else the result depends on the others
            body = ast.parse(f"if not {argument.arg}: return {right!r}").body + head.body
            why = f"one case: what if {argument.arg} is {value!r}? Then the result is {right!r}."
            yield Edit([(head, "body", body)], head, why)
    numbers = _numbers(head)
    names = [name for name in _names(head) if name not in numbers]  # a number is never empty
    answers = _answers(head)
    for node in ast.walk(head):
        if isinstance(node, ast.For | ast.While):
            for i, name in product(range(len(node.body)), names):
                tests = {f"not {name}": "is empty", f"len({name}) < 2": "has fewer than two parts"}
                if name in answers:
                    tests = {f"not {name}": "is False"}
                for test, state in tests.items():
                    stop = ast.parse(f"if {test}: break").body
                    body = [*node.body[:i], *stop, *node.body[i:]]
                    why = f"where {name} {state}, this should end."
                    yield Edit([(node, "body", body)], node, why)


def _names(head: ast.FunctionDef) -> list[str]:
    """List the names that a function gives values to, with its arguments at the end."""
    nodes = list(ast.walk(head))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own = [node.id for node in names if isinstance(node.ctx, ast.Store)]
    return list(dict.fromkeys(own + [node.arg for node in nodes if isinstance(node, ast.arg)]))


def _answers(head: ast.FunctionDef) -> set[str]:
    """Return the names whose value is always True or False."""
    given = {node.arg for node in ast.walk(head) if isinstance(node, ast.arg)}
    is_answer: dict[str, bool] = {}
    for node in ast.walk(head):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            is_answer.setdefault(node.id, node.id not in given)
    for node in ast.walk(head):
        match node:
            case ast.Assign([ast.Name(name)], value):
                is_answer[name] = is_answer[name] and _is_answer(value)
            case ast.AugAssign(ast.Name(name)) | ast.NamedExpr(ast.Name(name)):
                is_answer[name] = False
    return {name for name, yes in is_answer.items() if yes}


def _is_answer(value: ast.expr) -> bool:
    """Return whether an expression gives True or False."""
    match value:
        case ast.Compare() | ast.UnaryOp(ast.Not()) | ast.Constant(bool()):
            return True
        case ast.Call(ast.Name("all" | "any" | "bool" | "isinstance")):
            return True
        case ast.BoolOp():
            return all(map(_is_answer, value.values))
    return False


def _numbers(head: ast.FunctionDef) -> set[str]:
    """Return the names that stand for numbers: variables of loops over range, ends of slices."""
    numbers = set()
    for node in ast.walk(head):
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Call):
            if getattr(node.iter.func, "id", "") == "range":
                numbers |= {getattr(node.target, "id", "")}
        elif isinstance(node, ast.Slice):
            for end in (node.lower, node.upper):
                parts = (end, getattr(end, "left", None), getattr(end, "right", None))
                numbers |= {part.id for part in parts if isinstance(part, ast.Name)}
    return numbers


def _identical(head: ast.FunctionDef) -> Iterator[Edit]:
    """Yield a change of all ``is`` to == at once, if several ``is`` should compare values."""
    equal = {ast.Is: ast.Eq, ast.IsNot: ast.NotEq}
    found = []
    for node in ast.walk(head):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in equal:
            other = node.comparators[0]
            if not (isinstance(other, ast.Constant) and other.value in NO_OBJECT):
                compares_values = equal[type(node.ops[0])]()
                found.append((node, "ops", [compares_values, *node.ops[1:]]))
    if len(found) > 1:
        yield Edit(found, found[0][0], IDENTICAL)


def _too_small_a_number(places: list) -> Iterator[Edit]:
    """Yield changes of a number that stands, in several places, for one larger than any other."""
    fields = {}  # number -> the places where it stands
    for node, _, put in places:
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value > 9:
            endless = ast.parse('float("inf")', mode="eval").body
            fields.setdefault(node.value, []).append((node, put(endless)))
    for number, found in fields.items():
        if len(found) > 1:
            why = TOO_SMALL.format(number)
            yield Edit([field for _, field in found], found[0][0], why)


def _taken_for_another(head: ast.FunctionDef, places: list, ours: list) -> Iterator[Edit]:
    """Yield changes that put a different name, or a text of the solution, in place of a node."""
    names = _names(head)
    values = [node.value for node, _, _ in places if isinstance(node, ast.Constant)]
    values = list(filter(is_pattern, values))
    is_one_missing = len(values) < sum(map(is_pattern, ours))  # one branch, or more

    def is_elsewhere(made, node) -> bool:
        """Return whether a pattern of ours is missing, or resembles one that stands elsewhere."""
        others = [value for value in values if value != node.value and value not in ours]
        our = getattr(made, "value", None)
        return is_pattern(our) and (
            is_one_missing or not all(is_another(text_fault(value, our)) for value in others)
        )

    inner = {}  # node of a function within the function -> the names of the inner function
    for part in ast.walk(head):
        if isinstance(part, ast.FunctionDef) and part is not head:
            inner |= dict.fromkeys(ast.walk(part), _names(part))
    for node, owner, put in places:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
            for name in inner.get(node, names):
                made = ast.Name(name, ast.Load())
                yield _edit(put(made), node, owner, f"{{old}} {OTHER_NAME}")
        elif isinstance(node, ast.Constant):
            for made, why in _other_values(node.value, ours):
                if not (is_another(why) and is_pattern(node.value) and is_elsewhere(made, node)):
                    edit = _edit(put(made), node, owner, why)
                    has_text = isinstance(getattr(made, "value", None), str | bytes)
                    yield edit._replace(text=made) if has_text else edit


def _other_values(value, ours: list) -> Iterator[tuple[ast.expr | list[ast.expr], str]]:
    """Yield replacements for a constant, each with what is wrong with the constant."""
    for our in ours:
        if type(our) is type(value) and not would_fit_nothing(value, our):
            yield ast.Constant(our), value_fault(value, our)
    if not isinstance(value, str):
        return
    patterns = [our for our in ours if isinstance(our, str) and len(our) > 1]
    for made, why in branches_changed(value, patterns):
        yield ast.Constant(made), why
    for i in range(1, len(value)):
        halves = [value[:i], value[i:]]
        if halves[0] in ours and halves[1] in ours:  # Python joins texts that stand side by side
            yield [*map(ast.Constant, halves)], "a comma is missing."


def _moved(head: ast.FunctionDef) -> Iterator[Edit]:
    """Yield changes that move or copy a statement, or put the rest of a block into an else."""
    blocks = _blocks(head)
    for block in blocks:
        for i, moved in enumerate(block.statements):
            if isinstance(moved, ast.If) and not moved.orelse:
                yield _rest_in_else(moved, block, i)
            yield from _alone(moved, block, i)
            inside = set(ast.walk(moved))
            for target in blocks:
                if target.owner not in inside:
                    yield from _moved_to(target, block, i)


def _blocks(head: ast.FunctionDef) -> list[Block]:
    """List the blocks of a function: first all bodies, then every else, written or possible."""
    owners = [node for node in ast.walk(head) if isinstance(getattr(node, "body", None), list)]
    blocks = [Block(node, "body", node.body) for node in owners]
    for node in owners:
        if isinstance(node, ast.If):
            blocks.append(Block(node, "orelse", node.orelse))
    return blocks


def _alone(outer: ast.stmt, block: Block, i: int) -> Iterator[Edit]:
    """Yield changes that put a single statement in place of a loop that holds nothing else."""
    inner = outer
    while isinstance(inner, ast.For | ast.While | ast.If) and len(inner.body) == 1:
        if inner.orelse:
            return
        (inner,) = inner.body
    if inner is not outer and isinstance(outer, ast.For | ast.While):
        statements = [*block.statements[:i], inner, *block.statements[i + 1 :]]
        yield Edit([(block.owner, block.field, statements)], outer, ALONE.format(_head(inner)))


def _rest_in_else(condition: ast.If, block: Block, i: int) -> Edit:
    """Return the change that puts the statements after an if into the else of that if."""
    before, after = block.statements[: i + 1], block.statements[i + 1 :]
    fields = [(block.owner, block.field, before), (condition, "orelse", after)]
    return Edit(fields, condition, "what comes after it is for the other case: use else.")


def _moved_to(target: Block, block: Block, i: int) -> Iterator[Edit]:
    """Yield changes that move or copy a statement of a block to each place of another block."""
    moved = block.statements[i]
    rest = block.statements[:i] + block.statements[i + 1 :]
    left = [(block.owner, block.field, rest)]
    around = target.statements
    if target is block:
        left, around = [], rest
    elif not rest and block.field == "body":
        return  # without its only statement, the loop or if would be no Python
    for j in range(len(around) + 1):
        place = _place(moved, target.owner, around, j)
        there = [*around[:j], moved, *around[j:]]
        fields = [*left, (target.owner, target.field, there)]
        yield Edit(fields, moved, f"it belongs {place}.")
        if left and isinstance(moved, REPEATED):
            twin = copy.deepcopy(moved)
            fields = [(target.owner, target.field, [*around[:j], twin, *around[j:]])]
            why = f"write this line a second time, {place}."
            yield Edit(fields, moved, why, twin, place)


def _place(moved: ast.stmt, owner: ast.AST, block: list, place: int) -> str:
    """Return, in words, the place in a block to which a statement is moved."""
    if not block:
        return f"in an else of `{_head(owner)}`"
    near = block[place - 1] if place else block[0]
    where = f"{'after' if place else 'before'} `{_head(near)}`"
    if near.col_offset == moved.col_offset:
        return where
    indented = "less" if near.col_offset < moved.col_offset else "more"
    return f"{where}, {indented} indented"
