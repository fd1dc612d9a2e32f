"""Reading: what can be seen in the text of a learner's function, without running it."""

import ast
import builtins
import re
from collections.abc import Iterator


def find_shadow(text: str, also: str = "") -> str:
    """Return a sentence if a text calls a name that it has reused for something else, else "".

    The names that are looked for are those of built-in functions, those of the functions that the
    text defines, and ``also``.

    >>> find_shadow("def low(x):\\n    list = [x]\\n    return list(x)")
    'line 2 gives the name list to something else, so list(…) no longer works: take another name.'
    """
    nodes = _nodes(text)
    called = {node.func.id for node in nodes if is_call_of_name(node)}
    functions = {*dir(builtins), also, *(node.name for node in nodes if _is_function(node))}
    for node in nodes:
        name, line = "", getattr(node, "lineno", 0)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.arg):
            name = node.arg
        if name in called & functions:
            given = f"line {line} gives the name {name} to something else"
            return f"{given}, so {name}(…) no longer works: take another name."
    return ""


def find_other_order(text: str, asked: tuple[str, ...]) -> str:
    """Return a sentence if a function has the arguments in ``asked``, but in a different order.

    >>> find_other_order("def low(pair, word):\\n    return word", ("word", "pair"))
    'you are given word and pair, in this order, but your def line has another order.'
    >>> find_other_order("def low(word, pair):\\n    return word", ("word", "pair"))
    ''
    """
    head = find_head(text)
    if head is None:
        return ""
    own = tuple(argument.arg for argument in head.args.posonlyargs + head.args.args)
    if own == asked or sorted(own) != sorted(asked):
        return ""
    named = f"{', '.join(asked[:-1])} and {asked[-1]}"
    return f"you are given {named}, in this order, but your def line has another order."


def has_code(text: str, code: str) -> bool:
    """Return whether a text has some code, whatever its spaces, quotes and comments are.

    In ``code``, … stands for anything within a line, and " or " stands between alternatives.

    >>> has_code("def low(x):\\n    return x//2  # strip", "//"), has_code("# //", "//")
    (True, False)
    >>> has_code("low(word, ranks)", "low(…ranks) or strip"), has_code("low(word)", "low(…ranks)")
    (True, False)
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    for node in ast.walk(tree):
        if _is_function(node) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    written = ast.unparse(tree)
    patterns = [".*".join(map(re.escape, one.split("…"))) for one in code.split(" or ")]
    return any(re.search(pattern, written) for pattern in patterns)


def find_none(text: str) -> str:
    """Return a sentence on why the function in a text returns None, "" if the reason isn't known.

    >>> find_none("def low(x):\\n    x.sort()")
    'it has no return.'
    >>> find_none("def low(x):\\n    return print(x)")
    'what line 2 returns, `print(x)`, is None.'
    """
    head = find_head(text)
    if head is None:
        return ""
    returns = [node for node in _own(head) if isinstance(node, ast.Return)]
    if not returns:
        return "it has no return."
    if _comes_to_its_end(head.body):
        return "is there a return for this case?"
    if nothing := find_return_of_nothing(text):
        return nothing
    if len(returns) == 1:
        (value,) = [node.value for node in returns]
        return f"what line {value.lineno} returns, `{ast.unparse(value)}`, is None."
    return ""


def find_return_of_nothing(text: str) -> str:
    """Return a sentence on a return without a value in a text's function, "" if there is none.

    >>> find_return_of_nothing("def low(x):\\n    if not x:\\n        return\\n    return x")
    'the return in line 3 has no value, so it gives None.'
    """
    head = find_head(text)
    for node in _own(head) if head else ():
        if isinstance(node, ast.Return):
            if node.value is None:
                return f"the return in line {node.lineno} has no value, so it gives None."
            if isinstance(node.value, ast.Constant) and node.value.value is None:
                return f"line {node.lineno} returns None."
    return ""


CHANGING = {  # methods that change what they are called on
    *("add", "append", "clear", "discard", "extend", "insert", "pop", "popitem"),
    *("remove", "reverse", "setdefault", "sort", "subtract", "update"),
}


def find_changing(text: str, given: tuple) -> str:
    """Return a sentence on a line that changes an argument of its function, "" if none is seen.

    >>> find_changing("def low(x):\\n    x.sort()\\n    return x", ([3, 1],))
    'line 2, `x.sort()`, changes x. Change a copy of it, or make something new.'
    >>> find_changing("def low(x, y):\\n    z = x\\n    z += [y]", ([3], 1)).partition(".")[0]
    'line 3, `z += [y]`, changes x, which z is another name of'
    """
    head = find_head(text)
    if head is None:
        return ""
    names = [argument.arg for argument in head.args.args]
    pairs = zip(names, given, strict=False)
    held = {name: name for name, value in pairs if isinstance(value, list | dict | set)}
    for node in sorted(_own(head), key=lambda node: getattr(node, "lineno", 0)):
        if name := held.get(_changed_by(node), ""):
            other = _changed_by(node)
            also = f", which {other} is another name of" if other != name else ""
            said = f"line {node.lineno}, `{ast.unparse(node)}`, changes {name}{also}"
            return f"{said}. Change a copy of it, or make something new."
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            # from here on, the name stands for something else
            held[node.targets[0].id] = held.get(getattr(node.value, "id", ""), "")
    return ""


def _changed_by(node: ast.AST) -> str:
    """Return the name whose value a node changes, as in word.sort() or word[i] = x, else ""."""
    held = None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        held = node.func.value if node.func.attr in CHANGING else None
    elif isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
        held = node.value
    elif isinstance(node, ast.AugAssign):
        held = node.target
    return held.id if isinstance(held, ast.Name) else ""


def find_yield(text: str, wanted: str) -> str:
    """Return a sentence if a text's function has a yield, and so can't return the type ``wanted``.

    >>> find_yield("def low(x):\\n    yield x", "tuple")
    'with yield in line 2, the function gives a generator, and no tuple: write return there.'
    >>> find_yield("def low(x):\\n    for y in x:\\n        yield y", "tuple").partition(": ")[2]
    'collect in a list what it yields, and return tuple(…) of that at the end.'
    """
    head = find_head(text)
    own = list(_own(head)) if head else []
    yields = [node for node in own if isinstance(node, ast.Yield | ast.YieldFrom)]
    if not yields:
        return ""
    loops = [node for node in own if isinstance(node, ast.For | ast.While)]
    inside = {node for loop in loops for node in ast.walk(loop)}
    line = yields[0].lineno
    said = f"with yield in line {line}, the function gives a generator, and no {wanted}"
    if len(yields) == 1 and isinstance(yields[0], ast.Yield) and yields[0] not in inside:
        return f"{said}: write return there."
    if wanted in ("list", "tuple"):
        made = "that list" if wanted == "list" else "tuple(…) of that"
        return f"{said}: collect in a list what it yields, and return {made} at the end."
    return f"{said}."


def find_head(text: str) -> ast.FunctionDef | None:
    """Return the function of a text; None if the text is something else."""
    heads = [node for node in _nodes(text) if isinstance(node, ast.FunctionDef)]
    return heads[0] if heads else None


def _own(head: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a function, except for those of functions that are defined in it."""
    for node in ast.iter_child_nodes(head):
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            yield node
            yield from _own(node)


def _comes_to_its_end(body: list[ast.stmt]) -> bool:
    """Return whether a program may get past the last of the statements in ``body``."""
    last = body[-1]
    if isinstance(last, ast.Return | ast.Raise):
        return False
    if isinstance(last, ast.If):
        return _comes_to_its_end(last.body) or not last.orelse or _comes_to_its_end(last.orelse)
    if isinstance(last, ast.While) and isinstance(last.test, ast.Constant) and last.test.value:
        return any(isinstance(node, ast.Break) for node in ast.walk(last))
    if isinstance(last, ast.With):
        return _comes_to_its_end(last.body)
    return True


def find_endless(text: str) -> str:
    """Return a sentence on a loop that nothing in the loop can end, "" if a text has none.

    >>> find_endless("def low(word):\\n    i = 0\\n    while i < len(word):\\n        word[i]")
    'nothing in the loop of line 3 changes i or word, so its condition stays as it is.'
    """
    for loop in _nodes(text):
        if not isinstance(loop, ast.While):
            continue
        inside = [node for statement in loop.body for node in ast.walk(statement)]
        if any(isinstance(node, ast.Break | ast.Return | ast.Raise) for node in inside):
            continue
        asked = [node.id for node in ast.walk(loop.test) if isinstance(node, ast.Name)]
        called = {node.func.id for node in ast.walk(loop.test) if is_call_of_name(node)}
        asked = [name for name in dict.fromkeys(asked) if name not in called]
        if isinstance(loop.test, ast.Constant) and loop.test.value:
            return f"the loop of line {loop.lineno} has no break and no return."
        if asked and not any(_may_change(node, asked) for node in [*inside, *ast.walk(loop.test)]):
            names = " or ".join(asked)
            at = f"the loop of line {loop.lineno}"
            return f"nothing in {at} changes {names}, so its condition stays as it is."
    return ""


def _may_change(node: ast.AST, names: list[str]) -> bool:
    """Return whether a node may change the value of one of some names."""
    if isinstance(node, ast.Name):
        return node.id in names and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        return _begins_with(node, names)
    if isinstance(node, ast.Call):  # word.pop(), or a function that gets the word as argument
        given = [*node.args, *[keyword.value for keyword in node.keywords]]
        is_known = isinstance(node.func, ast.Name) and node.func.id in ("len", "range", "print")
        is_given = any(isinstance(part, ast.Name) and part.id in names for part in given)
        return _begins_with(node.func, names) or (is_given and not is_known)
    return False


def _begins_with(node: ast.AST, names: list[str]) -> bool:
    """Return whether an expression such as word[i].left begins with one of some names."""
    if isinstance(node, ast.Name):
        return False  # the name itself is called
    while isinstance(node, ast.Subscript | ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name) and node.id in names


def _is_function(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef)


def is_call_of_name(node: ast.AST) -> bool:
    """Return whether a node is a call such as list(word), and not one such as word.split()."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def _nodes(text: str) -> list[ast.AST]:
    try:
        return list(ast.walk(ast.parse(text)))
    except SyntaxError:
        return []
