"""Rules: changes of code, written as code, such as X < Y → X <= Y. repairs.md lists them."""

import ast
import re
from functools import cache
from pathlib import Path

from bpe_teach.exercises.sections import read_sections


@cache
def read_rules() -> list[tuple]:
    """Return what fits, what is put there, and why that is wrong, of each change of repairs.md."""
    page = Path(__file__).with_name("repairs.md").read_text("utf-8")
    rules = []
    for section in read_sections(page.splitlines()):
        for item in section.all("slip"):
            for line in filter(None, item.code):
                one, arrow, other = re.split("( [→↔] )", line)
                rules.append((*_read(one, other), item.text))
                if "↔" in arrow:
                    rules.append((*_read(other, one), item.text))
    return rules


def _read(old: str, new: str) -> tuple:
    """Return the pattern of one side, and what the other side puts there: a part, or statements."""
    (pattern,), made = ast.parse(old).body, ast.parse(new).body
    if isinstance(pattern, ast.Expr) and isinstance(made[0], ast.Expr):
        return pattern.value, made[0].value
    return pattern, made


def fits(old, node, found: dict) -> bool:
    """Return whether a pattern fits a node; note what its capitals stand for.

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
        return _letter_fits(old.id, node)
    if old == "M":
        found[old] = node
        return isinstance(node, str)
    if type(old) is not type(node):
        return False
    if not isinstance(old, ast.AST):
        return old == node
    return all(fits(getattr(old, name), getattr(node, name), found) for name in old._fields)


def _list_fits(old: list, nodes: list, found: dict) -> bool:
    """Return whether patterns fit nodes one by one; the last may stand for all that are left."""
    rest = _rest(old[-1]) if old else ""
    if rest:
        old = old[:-1]
        found[rest] = nodes[len(old) :]
        nodes = nodes[: len(old)]
    if len(old) != len(nodes):
        return False
    return all(fits(one, node, found) for one, node in zip(old, nodes, strict=True))


def _letter_fits(letter: str, node: ast.AST) -> bool:
    """Return whether a capital may stand for a node: N a number, F a function, others anything."""
    if letter == "N":
        return isinstance(node, ast.Constant) and type(node.value) is int
    if letter == "F":
        return isinstance(node, ast.Name | ast.Attribute)
    return isinstance(node, ast.expr)


def fill(new, found: dict):
    """Return a copy of a pattern, with what its capitals stand for in their place."""
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
