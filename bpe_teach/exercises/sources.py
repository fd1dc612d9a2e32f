"""Sources: a function as text that runs on its own, or the reason why there can't be such a text.

Other functions of this module put such a text into a program, or take it out; the rest of the
program stays as it is.
"""

import ast
import builtins
import inspect
import re
import sys
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from itertools import takewhile
from symtable import symtable
from textwrap import dedent
from typing import NamedTuple

FIT = {*sys.stdlib_module_names, "regex"}  # what a program may import
MARK = re.compile(r"# (\d\d \w+), (mine|the course's): *")
IMPORTS = (ast.Import, ast.ImportFrom)
APART = "\n\n\n"  # two empty lines between functions


class Unfit(ValueError):
    """A function can't be part of a program; the text says why, and what to do."""


def write_out(function: Callable, name: str, is_there: Callable[[str, object], bool]) -> str:
    """Return a function as text, after the imports that it needs.

    The function may use what can be imported, and what the file has: ``is_there(name, value)`` says
    whether the file has a value under a name. Everything else must be written into the function.

    >>> from textwrap import shorten
    >>> write_out(shorten, "shorten", lambda name, value: False).splitlines()[0]
    'from textwrap import TextWrapper'

    Raises Unfit, with the reason.
    """
    source = read_source(function, name)
    names = vars(builtins) | inspect.unwrap(function).__globals__  # @cache, for example, wraps
    imports = set()
    for used in names_used(source) - {name}:
        value = names.get(used)
        is_builtin = used in vars(builtins) and value is vars(builtins)[used]
        if is_builtin and "IPython" not in str(getattr(value, "__module__", "")):
            continue
        if not is_there(used, value):
            imports.add(import_line(used, value, name))
    return "\n".join([*sorted(imports), "\n", source]).strip()


def read_source(function: Callable, name: str) -> str:
    """Return the text of a learner's function; raise Unfit if a file can't hold it."""
    try:
        function = inspect.unwrap(function)
        code = getattr(function, "__code__", None)
        if code and code.co_filename == "<string>":
            raise OSError  # made by exec: Python 3.13 would give the text of python -c instead
        source = dedent(inspect.getsource(function)).strip()
        body = ast.parse(source).body
    except (OSError, TypeError):
        raise Unfit(f"the text of {name} can't be found. Is it in a cell of its own?") from None
    except SyntaxError:
        body = []  # a lambda in the middle of a line
    if [*map(type, body)] != [ast.FunctionDef] or body[0].name != name:
        raise Unfit(f"write it as one function, def {name}(…).")
    for module in modules_of(source):
        if module.split(".")[0] not in FIT:
            raise Unfit(f"{name} imports {module}; the file needs only Python and regex.")
    return source


def names_used(text: str) -> set[str]:
    """Return the names that the functions of a text take from outside, and the functions' names.

    >>> sorted(names_used("def f(x): return [len(y) for y in g(x)]"))
    ['f', 'g', 'len']
    """
    pending, found = [symtable(text, "cell", "exec")], set()
    while pending:
        table = pending.pop()
        found |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
        pending += table.get_children()
    return found


def names_defined(text: str) -> set[str]:
    """Return the names that a text defines or imports outside functions.

    >>> sorted(names_defined("import os\\nx = 1\\ndef f(y): return len(y)"))
    ['f', 'os', 'x']
    """
    symbols = symtable(text, "file", "exec").get_symbols()
    return {name.get_name() for name in symbols if name.is_assigned() or name.is_imported()}


def modules_of(text: str) -> list[str]:
    """List the modules that a text imports, also inside its functions."""
    modules = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules.append(node.module or ".")
    return modules


def import_line(used: str, value, name: str) -> str:
    """Return the line that imports a value under a name; raise Unfit if there is none."""
    module = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)
    first = getattr(value, "__name__", used)
    renamed = f" as {used}" if used != first else ""
    top = (module or "").split(".")[0]
    homes = [top.lstrip("_"), module] if module else ["math", "string"]  # constants
    for home in homes:
        if home.split(".")[0] not in FIT:
            continue
        if inspect.ismodule(value):
            return f"import {first}{renamed}"
        if getattr(import_module(home), first, Unfit) is value:
            return f"from {home} import {first}{renamed}"
    if top == "my_bpe":
        raise Unfit(f"{name} uses {used}: begin with merge = my_bpe.merge, say, and call merge.")
    if top and top != "__main__":
        raise Unfit(f"{name} uses {used} of {top}; the file needs only Python and regex.")
    raise Unfit(f"{name} uses {used}, which is not in the file: write it into {name}.")


class Written(NamedTuple):
    """A function in a program's text: its lines, and the comment that says who wrote it."""

    start: int  # from its mark or decorator on
    stop: int
    mark: str
    code: str


@lru_cache(50)  # the same text is asked about many times
def find_functions(text: str) -> dict[str, Written]:
    """Return the functions of a program, by name.

    >>> find_functions("import os\\n# 01 low, mine:\\ndef low(): pass\\n# a comment")["low"]
    Written(start=1, stop=3, mark='# 01 low, mine:', code='def low(): pass')
    """
    lines = text.split("\n")
    found = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef):
            first = min(part.lineno for part in [node, *node.decorator_list]) - 1
            code = "\n".join(lines[first : node.end_lineno])
            mark = lines[first - 1] if first and MARK.fullmatch(lines[first - 1]) else ""
            found[node.name] = Written(first - bool(mark), node.end_lineno, mark, code)
    return found


def lines_of(text: str, name: str) -> str:
    r"""Return the source of one function of a program, at its line numbers, after empty lines.

    >>> lines_of("import os\ndef low(): pass\n", "low")
    '\ndef low(): pass'
    """
    function = find_functions(text)[name]
    first = function.stop - len(function.code.splitlines())
    return "\n" * first + function.code


def imports_of(text: str) -> list[str]:
    """List the imports of a program, except for those inside functions."""
    body = ast.parse(text).body
    return [ast.unparse(node) for node in body if isinstance(node, IMPORTS)]


def remove(text: str, name: str) -> str:
    """Return a program without one of its functions."""
    lines = text.split("\n")
    place = find_functions(text)[name]
    return _join(lines[: place.start], "", lines[place.stop :])


def put(text: str, name: str, function: str, order: list[str]) -> str:
    """Return a program in which a function replaces one of its name, or is added in ``order``.

    >>> print(put("x = 1  # mine\\ndef b(): pass\\n# end", "b", "def b(): ...", []))
    x = 1  # mine
    def b(): ...
    # end
    """
    lines = text.split("\n")
    places = find_functions(text)
    if name in places:
        lines[places[name].start : places[name].stop] = function.split("\n")
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
    """Return a program with imports added below its own, its docstring, or its first comment."""
    known = imports_of(text)
    new = [line for line in imports if line not in known]
    if not new:
        return text
    lines = text.split("\n")
    comment = takewhile(lambda line: line.startswith("#") and not MARK.fullmatch(line), lines)
    at = len(list(comment))
    for node in ast.parse(text).body:
        is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (is_docstring or isinstance(node, IMPORTS)):
            break
        at = node.end_lineno
    if at and not lines[at - 1].startswith(("import ", "from ")):
        new.insert(0, "")
    return "\n".join([*lines[:at], *new, *lines[at:]])


def _join(above: list[str], function: str, below: list[str]) -> str:
    parts = ["\n".join(above).rstrip("\n"), function, "\n".join(below).strip("\n")]
    return APART.join(filter(None, parts)) + "\n"
