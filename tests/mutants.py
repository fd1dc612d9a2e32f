"""Mutants: functions that do nearly what a solution does, as a learner might write them.

A wrapped mutant normalizes what goes in or what comes out: it takes the text in lower case, or
leaves out a line end. A mutated one has one small change in its code: < for <=, a 1 for a 0.
"""

import ast
import copy
import inspect
import re  # noqa: F401
import unicodedata  # noqa: F401
from collections.abc import Callable, Iterator
from textwrap import dedent

from common import TABLES

CHANGES = {  # what they are called in tables/mutants.txt -> types, of what is in them
    "text": ((str,), ()),
    "token": ((bytes,), ()),
    "parts": ((list, tuple), ()),
    "texts": ((list, tuple), (str, bytes)),
    "number": ((int,), ()),
}
TABLE = {name: {} for name in (*CHANGES, "operators")}
for line in (TABLES / "mutants.txt").read_text("utf-8").splitlines():
    if line.startswith("["):
        kind = line.strip("[]")
    elif ": " in line and not line.startswith("#"):
        name, change = line.split(": ", 1)
        is_operator = kind == "operators"
        TABLE[kind][name] = change if is_operator else eval(f"lambda {kind}: {change}")
MISTAKEN = {  # an operator -> what it is mistaken for
    getattr(ast, name): [getattr(ast, other) for other in others.split()]
    for name, others in TABLE["operators"].items()
}


def apply(change: Callable, kinds: tuple, parts: tuple, value):
    """Return a value with a change in all that is of some kinds, the innermost first."""
    if type(value) in (list, tuple, set):
        value = type(value)([apply(change, kinds, parts, part) for part in value])
    elif isinstance(value, dict):
        rows = [[apply(change, kinds, parts, part) for part in row] for row in value.items()]
        value = dict(rows)
    if not is_of(value, kinds, parts):
        return value
    made = change(value)
    return type(value)(made) if isinstance(value, list | tuple) else made


def is_of(value, kinds: tuple, parts: tuple) -> bool:
    """Return whether a value is of some kinds, and all its parts are."""
    if not parts:
        return type(value) in kinds
    return type(value) in kinds and value and all(type(part) in parts for part in value)


def holds(value, kinds: tuple, parts: tuple = ()) -> bool:
    """Return whether there is something of some kinds in a value."""
    inside = value if isinstance(value, list | tuple | set) else ()
    if isinstance(value, dict):
        inside = [*value, *value.values()]
    return is_of(value, kinds, parts) or any(holds(part, kinds, parts) for part in inside)


class Folded(str):
    """A text that equals another one in other capitals."""

    __slots__ = ()

    def __eq__(self, other):
        return str(self).casefold() == str(other).casefold()

    def __hash__(self):
        return hash(str(self).casefold())

    def __add__(self, other):
        return Folded(str(self) + str(other))


# Of a function that has no names of its own no steps are counted: wrapped mutants come to an end.
UNCOUNTED = eval("lambda function: lambda *given: function(*given)", {})
CUT = (str, bytes, list, tuple)


def first_hundred(value):
    return value[:100] if isinstance(value, CUT) else value


def wrapped(solve: Callable, cases: list) -> Iterator[tuple[str, Callable]]:
    """Yield the mutants of a function that change what goes in or what comes out."""
    firsts = [given[0] for given, _ in cases]
    others = [part for given, _ in cases for part in given[1:]]
    results = [result for _, result in cases]
    for called, (kinds, parts) in CHANGES.items():
        in_first, in_others, in_result = [
            any(holds(value, kinds, parts) for value in values)
            for values in (firsts, others, results)
        ]
        for name, change in TABLE[called].items():

            def do(value, how=(change, kinds, parts)):
                return apply(*how, value)

            if in_first:
                yield f"first: {name}", lambda *given, do=do: solve(do(given[0]), *given[1:])
            if in_others and kinds != (int,):
                yield f"all: {name}", lambda *given, do=do: solve(*map(do, given))
            if in_result:
                yield f"result: {name}", lambda *given, do=do: do(solve(*given))
    if any(isinstance(value, CUT) for value in firsts):
        yield "first: 100", lambda *given: solve(first_hundred(given[0]), *given[1:])
    if any(isinstance(value, CUT) for value in results):
        yield "result: 100", lambda *given: first_hundred(solve(*given))
    if any(not isinstance(first, str) and holds(first, (str,)) for first in firsts):
        yield (
            "all: ignoring case",
            lambda *given: apply(
                str, (Folded,), (), solve(*[apply(Folded, (str,), (), part) for part in given])
            ),
        )


def changed(node: ast.AST, **fields) -> ast.AST:
    new = copy.copy(node)
    for name, value in fields.items():
        setattr(new, name, value)
    return new


def expressions_for(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        for other in MISTAKEN[type(node.ops[0])]:
            yield changed(node, ops=[other(), *node.ops[1:]])
    if isinstance(node, ast.BoolOp | ast.BinOp | ast.AugAssign):
        for other in MISTAKEN.get(type(node.op), []):
            yield changed(node, op=other())
    if isinstance(node, ast.AugAssign):
        yield ast.Assign([node.target], node.value)
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    if isinstance(node, ast.UnaryOp):  # not, -
        yield node.operand
    if isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    if isinstance(node, ast.Slice):
        yield from (changed(node, lower=None), changed(node, upper=None))
    if isinstance(node, ast.Call):
        yield from calls_for(node)
    if isinstance(node, ast.comprehension | ast.For):
        every_but = [ast.Slice(ast.Constant(1)), ast.Slice(None, ast.Constant(-1))]
        for part in every_but:
            parts = ast.Call(ast.Name("list", ast.Load()), [node.iter], [])
            yield changed(node, iter=ast.Subscript(parts, part, ast.Load()))
        if isinstance(node, ast.comprehension) and node.ifs:
            yield changed(node, ifs=[])
    if isinstance(node, ast.If):
        yield changed(node, test=ast.Constant(True))
        yield changed(node, test=ast.Constant(False))
    if isinstance(node, ast.While):
        yield ast.If(node.test, node.body, [])


def calls_for(call: ast.Call) -> Iterator[ast.AST]:
    module, name = "", getattr(call.func, "id", "")
    if isinstance(call.func, ast.Attribute):
        module, name = ast.unparse(call.func.value), call.func.attr
    for keyword in call.keywords:
        yield changed(call, keywords=[other for other in call.keywords if other is not keyword])
    if name in ("min", "max"):
        yield changed(call, func=ast.Name("max" if name == "min" else "min", ast.Load()))
    if name in ("sorted", "reversed", "list", "set", "tuple", "enumerate") and call.args:
        yield call.args[0]
    if name == "get":
        yield ast.Subscript(call.func.value, call.args[0], ast.Load())
    if module in ("re", "regex") and name in ("findall", "split", "sub"):
        for flag in ("I", "ASCII", "M", "S"):
            value = ast.parse(f"{module}.{flag}", mode="eval").body
            yield changed(call, keywords=[*call.keywords, ast.keyword("flags", value)])


def blocks_for(block: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    for i, statement in enumerate(block):
        before, after = block[:i], block[i + 1 :]
        if isinstance(statement, ast.FunctionDef):
            continue
        yield [*before, *after] or [ast.Pass()]
        if isinstance(statement, ast.Break):
            yield [*before, ast.Continue(), *after]
        if isinstance(statement, ast.Continue):
            yield [*before, ast.Break(), *after]
        if before and isinstance(before[-1], ast.For | ast.While | ast.If):  # indented too far
            yield [*before[:-1], changed(before[-1], body=[*before[-1].body, statement]), *after]
        if isinstance(statement, ast.For | ast.While):  # its first or last line moved out of it
            first, *rest = statement.body
            *most, last = statement.body
            if rest:
                yield [*before, first, changed(statement, body=rest), *after]
                yield [*before, changed(statement, body=most), last, *after]


def mutated(solve: Callable) -> Iterator[tuple[str, Callable]]:
    """Yield the mutants of a function with one change in its code."""
    source = dedent(inspect.getsource(solve))
    tree = ast.parse(source)
    (function,) = tree.body
    function.decorator_list = []
    plain = ast.unparse(tree)
    seen = {plain}
    for parent in list(ast.walk(function)):
        for field, old in list(ast.iter_fields(parent)):
            for new in replacements(field, old):
                setattr(parent, field, new)
                text = ast.unparse(ast.fix_missing_locations(tree))
                setattr(parent, field, old)
                if text not in seen:
                    seen.add(text)
                    yield from compiled(text, plain, solve)


def replacements(field: str, old) -> Iterator:
    """Yield replacements for what a field of a node holds."""
    if isinstance(old, ast.AST):
        yield from expressions_for(old)
    elif isinstance(old, list):
        for i, part in enumerate(old):
            for new in expressions_for(part) if isinstance(part, ast.AST) else ():
                yield [*old[:i], new, *old[i + 1 :]]
        if field in ("body", "orelse"):
            yield from blocks_for(old)


def compiled(text: str, plain: str, solve: Callable) -> Iterator[tuple[str, Callable]]:
    """Yield the function of a text under a name that says what has changed, if it can be run."""
    space = dict(solve.__globals__)
    try:
        exec(compile(text, "<mutant>", "exec"), space)
    except SyntaxError:  # a break outside a loop
        return
    lines = [line.strip() for line in text.splitlines() if line not in plain.splitlines()]
    gone = [line.strip() for line in plain.splitlines() if line not in text.splitlines()]
    yield f"code: {' ⏎ '.join(gone)} → {' ⏎ '.join(lines)}", space[solve.__name__]
