"""Reading: what can be seen in the text of a learner's function, without running it."""

import ast
import builtins


def find_shadow(text: str) -> str:
    """Return a sentence if a text calls a built-in function whose name it has given away, else "".

    >>> find_shadow("def low(x):\\n    list = [x]\\n    return list(x)")
    'line 2 gives the name list to something else, so list(…) no longer works: take another name.'
    """
    nodes = _nodes(text)
    called = {node.func.id for node in nodes if _is_call_of_name(node)}
    for node in nodes:
        name, line = "", getattr(node, "lineno", 0)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            name = node.id
        elif isinstance(node, ast.arg):
            name = node.arg
        if name in called and hasattr(builtins, name):
            given = f"line {line} gives the name {name} to something else"
            return f"{given}, so {name}(…) no longer works: take another name."
    return ""


def find_endless(text: str) -> str:
    """Return a sentence on a loop of a text that nothing in it can end, "" if there is none.

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
        called = {node.func.id for node in ast.walk(loop.test) if _is_call_of_name(node)}
        asked = [name for name in dict.fromkeys(asked) if name not in called]
        if isinstance(loop.test, ast.Constant) and loop.test.value:
            return f"the loop of line {loop.lineno} has no break and no return."
        if asked and not any(_may_change(node, asked) for node in [*inside, *ast.walk(loop.test)]):
            names = " or ".join(asked)
            at = f"the loop of line {loop.lineno}"
            return f"nothing in {at} changes {names}, so its condition stays as it is."
    return ""


def _may_change(node: ast.AST, names: list[str]) -> bool:
    """Return whether a node may change what one of some names stands for."""
    if isinstance(node, ast.Name):
        return node.id in names and not isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Subscript | ast.Attribute) and not isinstance(node.ctx, ast.Load):
        return _begins_with(node, names)
    if isinstance(node, ast.Call):  # word.pop(), or a function that is given the word
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


def _is_call_of_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name)


def _nodes(text: str) -> list[ast.AST]:
    try:
        return list(ast.walk(ast.parse(text)))
    except SyntaxError:
        return []
