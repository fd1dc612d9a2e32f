"""Repair: find a small change that makes a learner's function right, and say where it is.

What is said is true by construction: with this change, the function passes all cases. `rules` has
changes of code in place; here, parts are left out, moved, repeated, or taken for each other.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from textwrap import dedent
from typing import NamedTuple
from warnings import catch_warnings

from bpe_teach.exercises.bounds import OutOfTime, TooManySteps
from bpe_teach.exercises.rules import apply, read_rules

MOST_STEPS = 10_000  # of a changed function, on the input that is tried first
MOST_CHANGES = 2  # that are needed together
SHORT = 7  # characters of code that are shown with what is around
LONGEST_SHOWN = 60  # characters of the learner's code
# a branch of a pattern; a | in brackets ends none
BRANCH = re.compile(r"(?:\\.|\[(?:\\.|[^\]\\])*\]|\((?:\\.|[^()\\])*\)|[^|])+")
NOT_THERE = "it should not be there."
ONE = "all is right but {}"
TWO = "two small changes make this right. The first: {} The second: {}"


class Edit(NamedTuple):
    """A change: which fields get new values, which part of the code is shown, what is said."""

    fields: list[tuple[ast.AST, str, object]]
    shown: ast.AST
    why: str


class Search(NamedTuple):
    """What a search needs: the learner's function as a tree, and how to judge a changed one."""

    source: str
    tree: ast.Module
    space: dict
    first_line: int
    fault: Callable  # (function, given, right, steps) -> what is wrong in a case
    ours: list  # texts and numbers of the solution

    def run(self, cases: list[tuple], depth: int = 1) -> list[str]:
        """Return what is said of each change that is needed, [] if none is found."""
        partly = []
        for edit in edits(self.tree, self.ours, *cases[0]):
            said = self._say(edit)
            with _changed(edit):
                passed = self._passed(cases)
            if passed == len(cases):
                return [said]
            if passed:
                partly.append((passed, said, edit))
        if depth == MOST_CHANGES:
            return []
        for passed, said, edit in sorted(partly, key=lambda row: -row[0]):
            with _changed(edit):
                others = self.run(cases[passed:] + cases[:passed], depth + 1)
            if others:
                return [said, *others]
        return []

    def _passed(self, cases: list[tuple]) -> int:
        """Return how many cases the function passes, as it is now, until it fails."""
        name = self.tree.body[0].name
        try:
            exec(compile(ast.fix_missing_locations(self.tree), "<repair>", "exec"), self.space)
            for number, case in enumerate(cases):
                if self.fault(self.space[name], *case, MOST_STEPS if number == 0 else 0):
                    return number
        except (Exception, TooManySteps):  # no Python, such as a break outside a loop
            return 0
        return len(cases)

    def _say(self, edit: Edit) -> str:
        code = ast.get_source_segment(self.source, edit.shown) or ast.unparse(edit.shown)
        shown = code.partition("\n")[0].rstrip(":")
        if len(shown) > LONGEST_SHOWN:
            shown = shown[: LONGEST_SHOWN - 2] + " …"
        line = self.first_line + edit.shown.lineno - 1
        return f"`{shown}` in line {line} of your cell: {edit.why}"


def find_repair(answer: Callable, solve: Callable, cases: list[tuple], fault: Callable) -> str:
    """Return what is said of the small change that makes a function right, "" if none is found.

    ``fault(function, given, right, steps)`` says what is wrong in one of the ``cases``, which are
    pairs of arguments and the right result. The answer fails in the first of them.
    """
    function = inspect.unwrap(answer)
    try:
        source = dedent(inspect.getsource(function))
        tree = ast.parse(source)
        (head,) = tree.body
        space, name, first = function.__globals__, head.name, function.__code__.co_firstlineno
        ours = [node.value for node in ast.walk(ast.parse(dedent(inspect.getsource(solve))))
                if isinstance(node, ast.Constant)]
    except (OSError, TypeError, SyntaxError, ValueError, AttributeError):
        return ""  # a lambda in the middle of a line, something that is not written in Python
    if function.__closure__:
        return ""
    before = space.get(name)
    try:
        with catch_warnings(action="ignore"):  # of a changed function
            said = Search(source, tree, space, first, fault, ours).run(cases)
    except OutOfTime:
        return ""
    finally:
        space[name] = before
    return (ONE if len(said) == 1 else TWO).format(*said) if said else ""


@contextmanager
def _changed(edit: Edit) -> Iterator[None]:
    """Change a tree for a while."""
    before = [getattr(node, field) for node, field, _ in edit.fields]
    for node, field, new in edit.fields:
        setattr(node, field, new)
    try:
        yield
    finally:
        for (node, field, _), old in zip(edit.fields, before, strict=True):
            setattr(node, field, old)


def edits(tree: ast.Module, ours: list, given: tuple, right) -> Iterator[Edit]:
    """Yield the changes of a tree that are tried, the most likely ones first."""
    yield from _left_out(tree)
    yield from _guarded(tree.body[0], given, right)
    places = list(_places(tree))
    for old, new, why in read_rules():
        for node, owner, put in places:
            for made in apply(old, new, node):
                if isinstance(made, list) <= isinstance(node, ast.stmt):
                    yield _edit(put(made), node, owner, why)
    yield from _taken_for_another(tree, places, ours)
    yield from _rearranged(places, ours)
    yield from _moved(tree.body[0])


def _edit(field: tuple, node: ast.AST, owner: ast.AST, why: str) -> Edit:
    is_small = len(ast.unparse(node)) < SHORT and isinstance(owner, ast.expr)
    return Edit([field], owner if is_small else node, why.replace("{old}", ast.unparse(node)))


def _places(tree: ast.AST) -> Iterator[tuple]:
    """Yield each node with its owner, and a function: what the owner's field is with another."""
    for owner in ast.walk(tree):
        for field, value in ast.iter_fields(owner):
            for i, node in enumerate(value if isinstance(value, list) else [value]):

                def put(new, owner=owner, field=field, value=value, i=i):
                    if isinstance(value, list):
                        new = value[:i] + (new if isinstance(new, list) else [new]) + value[i + 1 :]
                    return owner, field, new

                if isinstance(node, ast.AST):
                    yield node, owner, put


def _left_out(tree: ast.Module) -> Iterator[Edit]:
    """Yield changes that leave out a statement, an argument, a condition, a part."""
    for node, owner, put in _places(tree.body[0]):
        if isinstance(node, ast.If):
            yield Edit([put(node.body)], node, "this holds in any case.")
            yield Edit([put(node.orelse)], node, "this needs no treatment of its own.")
        if isinstance(node, ast.stmt):
            yield Edit([put(ast.Pass())], node, NOT_THERE)
        elif isinstance(put([])[2], list) and isinstance(node, ast.expr | ast.keyword):
            shown = node.value if isinstance(node, ast.keyword) else node
            yield Edit([put([])], shown, NOT_THERE)


def _taken_for_another(tree: ast.Module, places: list, ours: list) -> Iterator[Edit]:
    """Yield changes that put another of the function's names, or a text of ours, at a place."""
    names = _names(tree)
    for node, owner, put in places:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in names:
            for name in sorted(names - {node.id}):
                why = f"{node.id} is not what belongs there."
                yield _edit(put(ast.Name(name, ast.Load())), node, owner, why)
        elif isinstance(node, ast.List) and not node.elts:
            for name in sorted(names):
                new = ast.List([ast.Name(name, ast.Load())], ast.Load())
                yield Edit([put(new)], owner, "something is in this list from the beginning.")
        elif isinstance(node, ast.Constant):
            for value in ours:
                if type(value) is type(node.value):
                    why = "{old} is not what belongs there."
                    yield _edit(put(ast.Constant(value)), node, owner, why)


def _names(tree: ast.Module) -> set[str]:
    """Return the function's own names."""
    own = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            own.add(node.id)
    return own


def _rearranged(places: list, ours: list) -> Iterator[Edit]:
    """Yield changes of the branches of a pattern: other ones, or another order."""
    our_branches = [branch for text in ours if isinstance(text, str) for branch in BRANCH.findall(text)]
    for node, _, put in places:
        if isinstance(node, ast.List | ast.Tuple) and isinstance(node.ctx, ast.Load):
            for parts, part, way in _orders(node.elts):
                yield Edit([put(type(node)(parts, ast.Load()))], part, f"it should come {way}.")
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            continue
        mine = BRANCH.findall(node.value)
        for i, branch in enumerate(mine):
            for ours_here in our_branches:
                others = [*mine[:i], ours_here, *mine[i + 1 :]]
                why = f"its branch {branch} is not as it should be."
                yield Edit([put(ast.Constant("|".join(others)))], node, why)
        for i in range(len(mine)):
            others = [*mine[:i], *mine[i + 1 :]]
            yield Edit([put(ast.Constant("|".join(others)))], node, f"its branch {mine[i]} should not be there.")
        for i in range(len(mine) + 1):
            for branch in our_branches:
                others = [*mine[:i], branch, *mine[i:]]
                why = "a branch is missing at the " + ("end." if i else "beginning.")
                if 0 < i < len(mine):
                    why = f"a branch is missing before {mine[i]}."
                yield Edit([put(ast.Constant("|".join(others)))], node, why)
        for parts, part, way in _orders(mine):
            why = f"the first branch that fits wins: {part} should come {way}."
            yield Edit([put(ast.Constant("|".join(parts)))], node, why)


def _orders(parts: list) -> Iterator[tuple[list, object, str]]:
    """Yield a list in other orders, each with the part that is moved, and where."""
    for i, part in enumerate(parts):
        rest = parts[:i] + parts[i + 1 :]
        for j in range(len(parts)):
            if j != i:
                yield [*rest[:j], part, *rest[j:]], part, "earlier" if j < i else "later"


def _moved(head: ast.FunctionDef) -> Iterator[Edit]:
    """Yield changes that move a statement, or repeat it at another place."""
    blocks = [
        (owner, field)
        for owner in ast.walk(head)
        for field in ("body", "orelse")
        if isinstance(getattr(owner, field, None), list)
    ]
    for owner, field in blocks:
        block = getattr(owner, field)
        for i, moved in enumerate(block):
            inside = set(ast.walk(moved))
            rest = block[:i] + block[i + 1 :]
            for other, key in blocks:
                if other in inside:
                    continue
                is_same = (owner, field) == (other, key)
                target = rest if is_same else getattr(other, key)
                for j in range(len(target) + 1):
                    made = (other, key, [*target[:j], moved, *target[j:]])
                    fields = [made] if is_same else [(owner, field, rest or [ast.Pass()]), made]
                    yield Edit(fields, moved, _way(owner, other, j < i))


def _way(owner: ast.AST, other: ast.AST, is_up: bool) -> str:
    """Return where a statement belongs, from one block to another."""
    if owner is other:
        return "it should come " + ("earlier." if is_up else "later.")
    if other in set(ast.walk(owner)):
        what = "the loop" if isinstance(other, ast.For | ast.While) else "the block below"
        return f"it belongs inside {what}."
    what = "the loop" if isinstance(owner, ast.For | ast.While) else "this block"
    return f"it belongs outside {what}."


def _guarded(head: ast.FunctionDef, given: tuple, right) -> Iterator[Edit]:
    """Yield changes for cases that were forgotten, each in lines of their own."""
    arguments = head.args.posonlyargs + head.args.args
    for argument, value in zip(arguments, given, strict=False):
        if not value:
            body = ast.parse(f"if not {argument.arg}: return {right!r}").body + head.body
            why = f"what if {argument.arg} is {value!r}? Then the result is {right!r}."
            yield Edit([(head, "body", body)], head, why)
    defaults = head.args.defaults
    for argument, value in zip(arguments[-len(defaults) :] if defaults else (), defaults):
        if not isinstance(value, ast.Constant):
            body = ast.parse(f"{argument.arg} = {ast.unparse(value)}").body + head.body
            why = f"the default of {argument.arg} is made only once, and keeps what is put into it."
            yield Edit([(head, "body", body)], head, why)
    for node in ast.walk(head):
        if isinstance(node, ast.For | ast.While):
            for i in range(len(node.body)):
                for name in sorted(_names(head)):
                    for test in (f"not {name}", f"len({name}) < 2"):
                        stop = ast.parse(f"if {test}: break").body
                        made = [*node.body[:i], *stop, *node.body[i:]]
                        why = f"where {name} has nothing to go on with, the loop should end."
                        yield Edit([(node, "body", made)], node, why)
