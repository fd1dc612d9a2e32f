"""Write a function of a notebook as text that runs on its own, or say why it can't be done."""

import ast
import builtins
import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from itertools import filterfalse
from symtable import symtable
from textwrap import dedent


class Unfit(ValueError):
    """A function can't be part of a program; the text says why, and what to do."""


def write_out(
    function: Callable, name: str, is_there: Callable[[str, object], bool], source: str = ""
) -> str:
    """Return a function as text, after the imports that it needs.

    It may use what can be imported, and what the file has: ``is_there(name, value)``. Everything
    else must be written into it. Pass ``source``, its text, unless that should be looked up.

    >>> from textwrap import shorten
    >>> write_out(shorten, "shorten", lambda name, value: False).splitlines()[0]
    'from textwrap import TextWrapper'

    Raises Unfit, with the reason.
    """
    source = source or read_source(function, name)
    names = vars(builtins) | inspect.unwrap(function).__globals__  # @cache and the like wrap
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
        source = dedent(inspect.getsource(inspect.unwrap(function))).strip()
        body = ast.parse(source).body
    except (OSError, TypeError):
        raise Unfit(f"the text of {name} can't be found. Is it in a cell of its own?") from None
    except SyntaxError:
        body = []  # a lambda in the middle of a line
    if [*map(type, body)] != [ast.FunctionDef] or body[0].name != name:
        raise Unfit(f"write it as one function, def {name}(…).")
    for module in filterfalse(may_import, modules_of(source)):
        raise Unfit(f"{name} imports {module}; the file needs only Python and regex.")
    return source


def names_used(text: str) -> set[str]:
    """Return the names that the functions of a text take from outside, and their own names.

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
    """List the modules that a text imports, in functions too."""
    modules = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules.append(node.module or ".")
    return modules


def may_import(module: str) -> bool:
    """Return whether the program may import a module."""
    return module.split(".")[0] in {*sys.stdlib_module_names, "regex"}


def import_line(used: str, value, name: str) -> str:
    """Return the line that imports a value under a name; raise Unfit if there is none."""
    module = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)
    first = getattr(value, "__name__", used)
    renamed = f" as {used}" if used != first else ""
    top = (module or "").split(".")[0]
    homes = [top.lstrip("_"), module] if module else ["math", "string"]  # these have constants
    for home in filter(may_import, homes):
        if inspect.ismodule(value):
            return f"import {first}{renamed}"
        if getattr(import_module(home), first, Unfit) is value:
            return f"from {home} import {first}{renamed}"
    if top == "my_bpe":
        raise Unfit(f"{name} uses {used}: begin with merge = my_bpe.merge, say, and call merge.")
    if top and top != "__main__":
        raise Unfit(f"{name} uses {used} of {top}; the file needs only Python and regex.")
    raise Unfit(f"{name} uses {used}, which is not in the file: write it into {name}.")
