"""Sources: put functions into the text of a program, or take them out; all else stays as it is."""

import ast
import re
from functools import lru_cache

MARK = re.compile(r"# (\d\d \w+), (mine|the course's): *")
IMPORTS = (ast.Import, ast.ImportFrom)
APART = "\n\n\n"  # two empty lines between functions


@lru_cache(50)  # the same text is asked about many times
def find_functions(text: str) -> dict[str, slice]:
    """Return the lines of each function of a program, by name, from its mark or decorator on.

    >>> find_functions("import os\\n# 01 low, mine:\\ndef low(): pass\\n# a comment")
    {'low': slice(1, 3, None)}
    """
    lines = text.split("\n")
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            decorated = [node, *node.decorator_list]
            first = min(part.lineno for part in decorated) - 1
            if first > 0 and MARK.fullmatch(lines[first - 1]):
                first -= 1
            found[node.name] = slice(first, node.end_lineno)
    return found


def take(text: str, name: str) -> str:
    """Return the text of a function, without its mark."""
    lines = text.split("\n")[find_functions(text)[name]]
    if MARK.fullmatch(lines[0]):
        del lines[0]
    return "\n".join(lines)


def mark_of(text: str, name: str) -> re.Match | None:
    """Return the mark of a function: the comment above it that says whose it is."""
    first = find_functions(text)[name].start
    return MARK.fullmatch(text.split("\n")[first])


def imports_of(text: str) -> list[str]:
    """List the imports of a program, those within functions aside."""
    body = ast.parse(text).body
    return [ast.unparse(node) for node in body if isinstance(node, IMPORTS)]


def remove(text: str, name: str) -> str:
    """Return a program without one of its functions."""
    lines = text.split("\n")
    place = find_functions(text)[name]
    return _join(lines[: place.start], "", lines[place.stop :])


def put(text: str, name: str, function: str, order: list[str]) -> str:
    """Return a program with a function: where one of this name was, or else in the given order.

    >>> print(put("x = 1  # mine\\ndef b(): pass\\n# end", "b", "def b(): ...", []))
    x = 1  # mine
    def b(): ...
    # end
    """
    lines = text.split("\n")
    places = find_functions(text)
    if name in places:
        lines[places[name]] = function.split("\n")
        return "\n".join(lines)
    place = order.index(name)
    before = [places[other].stop for other in order[:place] if other in places]
    after = [places[other].start for other in order[place:] if other in places]
    for node in ast.parse(text).body:
        if isinstance(node, ast.If):  # if __name__ == "__main__" comes after all functions
            after.append(node.lineno - 1)
    if before:
        at = max(before)
    else:
        at = min(after, default=len(lines))
        while at > 0 and lines[at - 1].startswith("#"):
            at -= 1  # a comment belongs to what follows it
    return _join(lines[:at], function, lines[at:])


def put_imports(text: str, imports: list[str]) -> str:
    """Return a program with imports below those at its top, its docstring or its first comment."""
    tree = ast.parse(text)
    known = imports_of(text)
    new = [line for line in imports if line not in known]
    if not new:
        return text
    lines = text.split("\n")
    at = 0
    while at < len(lines) and lines[at].startswith("#") and not MARK.fullmatch(lines[at]):
        at += 1
    for node in tree.body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not is_docstring and not isinstance(node, IMPORTS):
            break
        at = node.end_lineno
    if at and not lines[at - 1].startswith(("import ", "from ")):
        new.insert(0, "")
    return "\n".join([*lines[:at], *new, *lines[at:]])


def _join(above: list[str], function: str, below: list[str]) -> str:
    parts = ["\n".join(above).rstrip("\n"), function, "\n".join(below).strip("\n")]
    return APART.join(filter(None, parts)) + "\n"
