"""Rules: changes of code, written as code, such as X < Y → X <= Y. repairs.md lists them."""

import ast
import re
from functools import cache
from itertools import repeat
from pathlib import Path

from bpe_teach.exercises.sections import read_sections


@cache
def read_rules() -> list[tuple]:
    """Return the changes of repairs.md: the code that each fits, the new code, what was wrong."""
    page = Path(__file__).with_name("repairs.md").read_text("utf-8")
    rules = []
    for section in read_sections(page.splitlines()):
        for item in section.all("slip"):
            for line in filter(None, item.code):
                one, arrow, other = re.split("( [→↔] )", line)
                changes = _read(one, other) + (_read(other, one) if "↔" in arrow else [])
                rules += [(*change, item.text) for change in changes]
    return rules


def _read(old: str, new: str) -> list[tuple]:
    """List the pattern ``old`` with each replacement in ``new``: parts, or lists of statements."""
    (pattern,) = ast.parse(old).body
    changes = []
    for made in ast.parse(new).body:
        if isinstance(pattern, ast.Expr) and isinstance(made, ast.Expr):
            changes.append((pattern.value, made.value))
        else:
            changes.append((pattern, [made]))
    return changes


def fits(old, node, found: dict) -> bool:
    """Return whether a pattern fits a node; note in ``found`` what its capitals stand for.

    N stands for a number, F for a function, M for a method, and other capitals for anything.

    >>> old, new = (ast.parse(side, mode="eval").body for side in ("X - N", "N - X"))
    >>> found = {}
    >>> fits(old, ast.parse("a - 1", mode="eval").body, found), sorted(found)
    (True, ['N', 'X'])
    >>> ast.unparse(fill(new, found))
    '1 - a'
    """
    if isinstance(old, list):
        return _list_fits(old, node, found)
    if isinstance(old, ast.Name) and old.id in found:
        return ast.dump(found[old.id]) == ast.dump(node)
    if isinstance(old, ast.Name) and len(old.id) == 1 and old.id.isupper():
        found[old.id] = node
        if old.id == "N":
            return isinstance(node, ast.Constant) and type(node.value) is int
        return isinstance(node, ast.Name | ast.Attribute if old.id == "F" else ast.expr)
    if old == "M":
        found[old] = node
        return isinstance(node, str)
    if type(old) is not type(node):
        return False
    if not isinstance(old, ast.AST):
        return old == node
    return all(fits(getattr(old, name), getattr(node, name), found) for name in old._fields)


def _list_fits(old: list, nodes: list, found: dict) -> bool:
    """Return whether patterns fit nodes one by one; the last may stand for all remaining nodes."""
    rest = _rest(old[-1]) if old else ""
    if rest:
        old = old[:-1]
        found[rest] = nodes[len(old) :]
        nodes = nodes[: len(old)]
    return len(old) == len(nodes) and all(map(fits, old, nodes, repeat(found)))


def fill(new, found: dict):
    """Return a copy of a pattern in which ``found`` replaces the capitals."""
    if isinstance(new, list):
        parts = [found[_rest(part)] if _rest(part) else [fill(part, found)] for part in new]
        return [one for several in parts for one in several]
    if isinstance(new, ast.Name) and new.id in found:
        return found[new.id]
    if not isinstance(new, ast.AST):
        return found.get(new, new) if isinstance(new, str) else new
    parts = {field: fill(getattr(new, field, None), found) for field in new._fields}
    if isinstance(new, ast.Assign) and isinstance(parts["targets"][0], ast.Name):
        parts["targets"] = [ast.Name(parts["targets"][0].id, ast.Store())]
    return type(new)(**parts)


def _rest(part) -> str:
    """Return the letter that stands for all other parts of a list: *A, **K, or B; "" if none."""
    if isinstance(part, ast.Starred | ast.keyword | ast.Expr):
        letter = getattr(part.value, "id", "")
        return letter if letter in ("A", "K", "B") else ""
    return ""
