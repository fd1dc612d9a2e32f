"""Raised: what a Python error says about a line of the learner's, if that can be told.

Python names the error; the sentences of this module say which value was there, and where the value
comes from. Nothing is guessed: everything follows from the line and the values of its names.
"""

import ast
import re
from collections.abc import Iterator

from bpe_teach.exercises.reading import find_return_of_nothing
from bpe_teach.exercises.runner.parent import Raised, Seen

LONGEST_CODE = 60
DICTIONARIES = ("dict", "Counter", "defaultdict")
NO_NONE = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.JoinedStr, ast.BinOp, ast.Compare)
IN_PLACE = ("append", "extend", "insert", "sort", "reverse", "remove", "clear", "add", "update")
IMPORTS = {  # names that learners take for known -> where they come from
    **dict.fromkeys(
        ("Counter", "defaultdict", "deque", "OrderedDict", "namedtuple"), "collections"
    ),
    **dict.fromkeys(("accumulate", "chain", "count", "groupby", "islice", "pairwise"), "itertools"),
    **dict.fromkeys(("cache", "lru_cache", "partial", "reduce"), "functools"),
    **dict.fromkeys(("heapify", "heappop", "heappush"), "heapq"),
    **dict.fromkeys(("ceil", "floor", "inf", "log", "log2", "prod", "sqrt"), "math"),
    **dict.fromkeys(("itemgetter", "attrgetter"), "operator"),
}
MODULES = {"collections", "functools", "heapq", "itertools", "math", "operator", "random", "re"}
MODULES |= {"bisect", "codecs", "copy", "json", "regex", "statistics", "string", "unicodedata"}
OF_A_TYPE = r"not (?:an? )?'?(\w+)'?$|'(\w+)' object (?:is not|has no len)|type '(\w+)' has no len"


def explain(error: Raised, text: str) -> str:
    """Return a sentence on the value that caused an error in a text, "" if it can't be told.

    >>> words = Seen("words", "list", length=0)
    >>> explain(Raised(("IndexError",), "list index out of range", 3, "words[-1]", (words,)), "")
    'words is empty here, so there is no `words[-1]`.'
    """
    tell = TOLD.get(error.name)
    seen = {one.name: one for one in error.values}
    if tell is None or not error.line:
        return ""
    try:
        node = ast.parse(error.code.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        node = ast.Constant(None)  # the code goes over several lines, or is the target of a loop
    return tell(error, node, seen, text)


def _tell_key(error: Raised, node: ast.expr, seen: dict[str, Seen], text: str) -> str:
    key = error.why
    if not isinstance(node, ast.Subscript):
        return f"{key} isn't there."
    if isinstance(node.slice, ast.Constant) and node.slice.value in _arguments(text):
        return f"in quotes, {key} is only a text: without quotes it is what is given."
    holder = ast.unparse(node.value)
    said = f"here `{_cut(error.code)}` looks up {key}, and {holder} has no such key"
    held = seen.get(holder)
    if held and held.length == 0:
        return f"{said}: it is empty."
    if held and held.key:
        return (
            f"{said}: the first of its {held.length:,} keys is {held.key}, of type {held.key_type}."
        )
    return f"{said}."


def _tell_place(error: Raised, node: ast.expr, seen: dict[str, Seen], text: str) -> str:
    if not isinstance(node, ast.Subscript):
        return ""
    holder, code = ast.unparse(node.value), _cut(error.code)
    held = seen.get(holder)
    if not held or held.length < 0:
        return f"there is no `{code}`: places go from 0 to len({holder}) - 1."
    if held.length == 0:
        return f"{holder} is empty here, so there is no `{code}`."
    place = _number(node.slice, seen)
    last = f"the last place of {holder} is {held.length - 1:,}"
    if place is None:
        return f"there is no `{code}`: {last}."
    return f"here `{code}` asks for place {place:,}, but {last}."


def _tell_attribute(error: Raised, node: ast.expr, seen: dict[str, Seen], text: str) -> str:
    match = re.search(r"'(\w+)' object has no attribute '(\w+)'", error.why)
    if not match or not isinstance(node, ast.Attribute):
        return ""
    kind, attribute = match.groups()
    holder = _cut(ast.unparse(node.value))
    if kind == "NoneType":
        return _sentence(f"{holder} is None here", holder, error, text)
    return _sentence(f"{holder} is {_a(kind)}, which has no {attribute}", holder, error, text)


def _tell_type(error: Raised, node: ast.expr, seen: dict[str, Seen], text: str) -> str:
    if "NoneType" in error.why:
        return _tell_none(error, seen, text)
    match = re.search(OF_A_TYPE, error.why)
    kind = next(filter(None, match.groups()), "") if match else ""
    if "callable" in error.why or not kind:
        return ""
    if not error.code:  # the head of a loop
        node = next((taken for _, taken in _loops(text, error.line)), node)
    elif isinstance(node, ast.Subscript) and "indices" in error.why:
        node = node.slice
    elif isinstance(node, ast.Subscript):
        node = node.value
    names = _whole_names(node)
    such = [one for one in seen.values() if one.type == kind and one.name in names]
    if len(such) != 1:
        return ""
    (one,) = such
    said = f"{one.name} is {_a(kind)}"
    if one.text:
        said = f"{one.name} is {one.text} here, {_a(kind)}"
    return _sentence(said, one.name, error, text)


def _tell_none(error: Raised, seen: dict[str, Seen], text: str) -> str:
    """Return a sentence on what is None: a variable, or what get gives for a missing key."""
    nothing = [one.name for one in seen.values() if one.type == "NoneType"]
    if len(nothing) == 1:
        return _sentence(f"{nothing[0]} is None here", nothing[0], error, text)
    if got := re.search(r"key=(\w+)\.get\b", error.code):
        of = f"{got[1]}.get gives None for a key that isn't in {got[1]}"
        return f"{of}, and None is neither less nor more than a number."
    return ""


def _whole_names(node: ast.AST) -> set[str]:
    """Return the names whose value an expression uses as a whole: not x in x[i] or x.y.

    >>> sorted(_whole_names(ast.parse("max(low, key=high[place])", mode="eval").body))
    ['low', 'max']
    """
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.Subscript | ast.Attribute | ast.Lambda | ast.GeneratorExp):
        return set()
    return set().union(*map(_whole_names, ast.iter_child_nodes(node)))


def _tell_value(error: Raised, node: ast.expr, seen: dict[str, Seen], text: str) -> str:
    if "unpack" not in error.why:
        return ""
    for target, taken in _loops(text, error.line):
        name = taken.id if isinstance(taken, ast.Name) else ""
        is_pair = isinstance(target, ast.Tuple) and len(target.elts) == 2
        if is_pair and name in seen and seen[name].type in DICTIONARIES:
            of = f"a loop over a dictionary gives its keys: {name}.items()"
            return f"{of} gives each with its value."
    more = "more" if "too many" in error.why else "fewer"
    return f"here {more} parts come than there are names for them."


def _tell_name(error: Raised, node: ast.expr, seen: dict[str, Seen], text: str) -> str:
    match = re.search(r"name '(\w+)' is not defined", error.why)
    name = match[1] if match else ""
    if name in MODULES:
        return f"nothing imports {name}: write import {name}."
    if name in IMPORTS:
        return f"nothing imports {name}: write from {IMPORTS[name]} import {name}."
    return ""


def _tell_division(error: Raised, node: ast.expr, seen: dict[str, Seen], text: str) -> str:
    if not isinstance(node, ast.BinOp):
        return ""
    divisor = ast.unparse(node.right)
    if divisor in seen and seen[divisor].text:
        return f"{divisor} is {seen[divisor].text} here, and nothing can be divided by that."
    return f"here `{_cut(divisor)}` is 0, and nothing can be divided by that."


TOLD = {
    "KeyError": _tell_key,
    "IndexError": _tell_place,
    "AttributeError": _tell_attribute,
    "TypeError": _tell_type,
    "ValueError": _tell_value,
    "ZeroDivisionError": _tell_division,
    "NameError": _tell_name,
}


def _sentence(said: str, name: str, error: Raised, text: str) -> str:
    """Return ``said`` as a sentence, with the line that gave ``name`` its value if only one can."""
    given = [node for node in _walk(text) if _may_have_given(node, name, error)]
    is_none = "is None" in said
    if is_none and (methods := _methods_in_place(given)):
        of = " or ".join(methods)
        return f"{said}, as {of} gives it: what comes before the dot is what changes."
    if len(given) != 1 or not _sets_one_name(given[0]):
        return f"{said}."
    (node,) = given
    if isinstance(node.value, ast.Constant):
        return f"{said}, as line {node.lineno} has set it."
    said = f"{said}: it comes from `{_cut(ast.unparse(node.value))}` in line {node.lineno}."
    if is_none and _calls_itself(node.value, text):
        nothing = find_return_of_nothing(text)
        return f"{said} There, {nothing}" if nothing else said
    return said


def _methods_in_place(given: list[ast.AST]) -> list[str]:
    """Return the methods, such as append, that gave a value, if every one always gives None."""
    values = [getattr(node, "value", None) for node in given]
    if not all(map(_is_of_a_method, values)):
        return []
    methods = {value.func.attr for value in values}
    return sorted(methods) if methods <= {*IN_PLACE} else []


def _sets_one_name(node: ast.AST) -> bool:
    """Return whether a statement is of the form ``name = …``."""
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return False
    return isinstance(node.targets[0], ast.Name)


def _may_have_given(node: ast.AST, name: str, error: Raised) -> bool:
    """Return whether a statement may have given a name the value that an error is about."""
    if isinstance(node, ast.For | ast.AugAssign | ast.comprehension | ast.NamedExpr):
        return name in {part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)}
    if not isinstance(node, ast.Assign):
        return False
    names = {part.id for target in node.targets for part in ast.walk(target) if _is_set(part)}
    is_none = "NoneType" in error.why
    return name in names and not (is_none and isinstance(node.value, NO_NONE))


def _is_set(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


def _is_of_a_method(value: ast.AST) -> bool:
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)


def _walk(text: str) -> Iterator[ast.AST]:
    """Yield the nodes of a text in the order of their lines."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except (SyntaxError, ValueError):
        return
    yield from sorted(nodes, key=lambda node: getattr(node, "lineno", 0))


def _calls_itself(value: ast.expr, text: str) -> bool:
    heads = [node.name for node in _walk(text) if isinstance(node, ast.FunctionDef)]
    called = [part.func for part in ast.walk(value) if isinstance(part, ast.Call)]
    return any(isinstance(func, ast.Name) and func.id in heads[:1] for func in called)


def _arguments(text: str) -> list[str]:
    return [node.arg for node in _walk(text) if isinstance(node, ast.arg)]


def _loops(text: str, line: int) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield target and source of each loop, or comprehension, that begins in a line."""
    for node in _walk(text):
        if isinstance(node, ast.For | ast.comprehension) and node.target.lineno == line:
            yield node.target, node.iter


def _number(node: ast.expr, seen: dict[str, Seen]) -> int | None:
    """Return the value of a node if it is a whole number, such as i + 1, else None."""
    match node:
        case ast.Constant(int(number)):
            return number
        case ast.Name(name) if name in seen and seen[name].type == "int" and seen[name].text:
            return int(seen[name].text)
        case ast.BinOp(left, ast.Add() | ast.Sub() as sign, right):
            one, other = _number(left, seen), _number(right, seen)
            if one is None or other is None:
                return None
            return one + other if isinstance(sign, ast.Add) else one - other
    return None


def _a(kind: str) -> str:
    article = "" if kind == "bytes" else "an " if kind[0] in "aeiou" else "a "
    return f"{article}{kind}"


def _cut(code: str) -> str:
    code = code.strip().partition("\n")[0]
    return code if len(code) <= LONGEST_CODE else code[: LONGEST_CODE - 2] + " …"
