"""Taking: what a child process does with a handed-in program before it calls the program's answers.

The program runs statement by statement, as in a notebook. A module, a file, the network or the
course's exercises may be missing. Such a missing thing is replaced by a harmless stand-in that
keeps its name. If an answer uses the stand-in later, the error says what was missing. `check` and
`use` judge nothing here: they only note what they are given. A value that was computed from a
stand-in is noted as missing.

This module needs nothing but Python and the runner's `child`, because it is copied into the sandbox
(see `box`).
"""

import __future__

import ast
import builtins
import dis
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import CodeType, FunctionType, ModuleType
from typing import NamedTuple

from bpe_teach.exercises.runner.child import Printed, is_unwritten, run_for

SECONDS_OF_A_STATEMENT = 1  # of processor time
SECONDS_OF_ALL = 4
PAGES = ("bpe_teach.exercises", "bpe_further.exercises")
QUICK = (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)  # run in any case
PROGRAMS = ("my_bpe", "brought")  # questions that hand out the course's functions
# These names only show the progress of a program, so they may stand in an answer.
HARMLESS = {"tqdm": lambda items=(), *_, **__: items, "trange": lambda *ends, **_: range(*ends)}
HARMLESS |= dict.fromkeys(["display", "clear_output"], lambda *_, **__: None)
# Calls that end Python; some notebooks restart themselves with such calls. In an answer they work.
ENDING = [(os, "kill"), (os, "killpg"), (os, "_exit"), (os, "abort"), (signal, "raise_signal")]
_setting_up = [True]  # while a program is set up, missing things are harmless
_given_away: list[str] = []  # the reason for each plain value that came from a missing thing


class NotHereError(Exception):
    """An answer needs something that is not available where answers are judged."""


class Missing:
    """Stands for a module, a file or a value that isn't there, or for a part of such a thing."""

    def __init__(self, name: str, why: str):
        self.__dict__.update(_name=name, _why=why)

    def __repr__(self):
        return f"<{self._name}: {self._why}>"

    def __getattr__(self, part: str):
        if part.startswith("__"):  # Python asks for such names to find out what an object can do
            raise AttributeError(part)
        return self._give(Missing(f"{self._name}.{part}", self._why))

    def __call__(self, *given, **_):
        """Return the function if one is being decorated, otherwise a stand-in for a result."""
        is_decorator = len(given) == 1 and callable(given[0]) and not isinstance(given[0], Missing)
        return self._give(given[0] if is_decorator else self)

    def __mro_entries__(self, _bases):
        return ()

    def __enter__(self):
        return self._give(self)

    def __exit__(self, *_):
        return False

    def __iter__(self):
        return self._give_plain(iter(()))

    def __len__(self):
        return self._give_plain(0)

    def __bool__(self):
        return self._give_plain(False)

    def __hash__(self):
        return id(self)

    def __setattr__(self, *_):
        self._give(None)

    def __setitem__(self, *_):
        self._give(None)

    def _give(self, value):
        if not _setting_up[0]:
            raise NotHereError(self._why)
        return value

    def _give_plain(self, value):
        """Return a plain value, and note the reason, because the value can't show its origin."""
        _given_away.append(self._why)
        return self._give(value)


def _same_missing(self, *_):
    return self._give(self)


_OPERATIONS = ["add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv"]
_OPERATIONS += ["mod", "pow", "and", "or", "neg", "matmul", "getitem", "lt", "le", "gt", "ge"]
_OPERATIONS += ["eq", "ne"]
for _operation in _OPERATIONS:
    setattr(Missing, f"__{_operation}__", _same_missing)


class Noted(NamedTuple):
    """Stands for a verdict: a program that looks at the verdict goes on as if all were right."""

    kind: str = "right"
    text: str = ""


class Asked:
    """Stands for a question, and notes every answer that is handed over to it."""

    def __init__(self, taken: "Taken", page: str, name: str):
        self._taken, self._key = taken, (page, name)

    def check(self, *given):
        """Note an answer."""
        self._taken.note(self._key, "check", given)
        return Noted()

    def use(self, *given):
        """Note an answer and return it, whether it is right or wrong."""
        _, name = self._key
        if name in PROGRAMS:
            return self._taken.course
        self._taken.note(self._key, "use", given)
        return Missing(name, f"{name} is not written") if is_open(given) else given[0]

    def __getattr__(self, part: str):
        return Missing(".".join([*self._key, part]), "the course's answers are not here")


class Page:
    """Stands for a page of exercises."""

    def __init__(self, taken: "Taken", page: str):
        self._taken, self._page = taken, page

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return Asked(self._taken, self._page, name)


class Pages:
    """Stands for the package of the pages of exercises."""

    def __init__(self, taken: "Taken"):
        self._taken = taken

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return Page(self._taken, name)


class Course(ModuleType):
    """Stands for my_bpe: holds the functions of the course that an answer may call."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"my_bpe.{name}", f"my_bpe.{name} is not lent to this answer")


class Beside(MetaPathFinder, Loader):
    """Imports files that were handed in beside a program, unless a module has the same name."""

    def __init__(self, taken: "Taken", texts: Mapping[str, str]):
        self._taken, self._texts = taken, texts

    def find_spec(self, name: str, _path=None, _target=None):
        """Return how a module is loaded, or None if no such file was handed in."""
        return ModuleSpec(name, self) if name.lower() in self._texts else None

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's statements like those of the program, but with the module's own names."""
        space = vars(module)
        space |= {name: self._taken.space[name] for name in ("_pages", "_missing", "_harmless")}
        for statement in ast.parse(self._texts[module.__name__.lower()]).body:
            guarded = _GuardImports().visit(ast.Module([statement], []))
            exec(compile(ast.fix_missing_locations(guarded), module.__name__, "exec"), space)


class HandedOver(NamedTuple):
    """An answer that was handed over to a question."""

    key: tuple[str, str]  # page and name of the question
    called: str  # "check" or "use"
    values: tuple
    names: dict  # the values that the program's names had at that moment


class Taken:
    """A program that has run: its names, the answers that it handed over, and what failed."""

    def __init__(self, space: dict, course: str):
        self.space = space
        self.course = Course("my_bpe")
        exec(compile(course, "<the course's>", "exec"), vars(self.course))
        self.given: list[HandedOver] = []
        self.notes: list[str] = []
        self.failed: dict[tuple[str, str], str] = {}  # question -> why nothing could be handed over
        self.unsure: dict[str, str] = {}  # name -> why its value may be wrong
        self.why_unsure = ""  # why values of the running statement may be wrong
        self.end = time.process_time() + SECONDS_OF_ALL
        self.flags = 0  # flags of the compiler for imports from __future__

    def note(self, key: tuple[str, str], called: str, values: tuple) -> None:
        """Note the values that a question is given."""
        why = self.why_unsure or "".join(_given_away[:1])
        if why and not is_open(values) and not callable(values[0]):
            values = (Missing("it", why),)
        self.given.append(HandedOver(key, called, values, dict(self.space)))

    def run(self, cells: Sequence[tuple[str, str]]) -> None:
        """Run the given cells; each is a name and a text."""
        self.space |= {
            "__name__": "__main__",  # as in a notebook, or in a file that is started
            "display": lambda *_, **__: None,
            "get_ipython": lambda: Missing("get_ipython()", "there is no notebook here"),
            "_pages": Pages(self),
            "_missing": Missing,
            "_harmless": HARMLESS,
        }
        time.sleep = lambda _seconds: None
        ending = [(module, name, getattr(module, name)) for module, name in ENDING]
        for module, name, _ in ending:
            setattr(module, name, lambda *_: None)
        for name, text in cells:
            for statement in ast.parse(text).body:
                self._run_statement(statement, name)
        for module, name, function in ending:
            setattr(module, name, function)

    def _run_statement(self, statement: ast.stmt, file: str) -> None:
        before = len(self.given)
        read = self._names_read(statement)
        self.why_unsure = next((why for name, why in self.unsure.items() if name in read), "")
        _given_away.clear()
        guarded = _GuardImports().visit(ast.Module([statement], []))
        try:
            if time.process_time() > self.end and not _is_quick(statement):
                raise TimeoutError("what comes before it takes too long")
            self.flags |= _flags_of(statement)
            whole = ast.fix_missing_locations(guarded)
            code = compile(whole, file, "exec", self.flags, dont_inherit=True)
            run_for(exec, (code, self.space), Printed(), SECONDS_OF_A_STATEMENT)
        except BaseException as error:  # a stranger's program may raise anything
            said = _say(error)
            self.notes.append(f"line {statement.lineno} of {file}: {said}")
            for name in _names_given_by(statement):
                self.space.setdefault(name, Missing(name, f"{name} is not there, {said}"))
            if len(self.given) == before:
                self._hand_over_from(statement, file)
        self._note_unsure(statement)

    def _names_read(self, statement: ast.stmt) -> set[str]:
        """Return the names that a statement reads, and those that its functions read."""
        if isinstance(statement, QUICK):
            return set()
        waiting, found = list(_names_read_by(statement)), set()
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                value = self.space.get(name)
                if isinstance(value, FunctionType) and value.__globals__ is self.space:
                    waiting += _names_in(value.__code__)
        return found

    def _note_unsure(self, statement: ast.stmt) -> None:
        """Note the names to which a statement gave values computed from missing things."""
        why = self.why_unsure or "".join(_given_away[:1])
        if isinstance(statement, (*QUICK, ast.Assign, ast.AnnAssign)):
            for name in _names_given_by(statement):
                self.unsure.pop(name, None)
        for name in _names_changed_by(statement):
            if why and not _stands_for_itself(self.space.get(name)):
                self.unsure[name] = why

    def _hand_over_from(self, statement: ast.stmt, file: str) -> None:
        """Note what ``check`` and ``use`` would have been given in a statement that failed."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                call = ast.copy_location(ast.Expression(node), node)
                if node.func.attr in ("check", "use"):
                    try:
                        self._run_expression(call, file)
                    except BaseException as error:
                        self._note_failure(node.func.value, file, error)

    def _run_expression(self, expression: ast.Expression, file: str):
        code = compile(expression, file, "eval", self.flags, dont_inherit=True)
        return run_for(eval, (code, self.space), Printed(), SECONDS_OF_A_STATEMENT)

    def _note_failure(self, asked: ast.expr, file: str, error: BaseException) -> None:
        """Note why nothing could be handed over to a question."""
        try:
            question = self._run_expression(ast.copy_location(ast.Expression(asked), asked), file)
        except BaseException:  # the expression is not a question
            return
        if isinstance(question, Asked):
            self.failed[question._key] = self.why_unsure or "".join(_given_away[:1]) or _say(error)

    def answers(self) -> dict[tuple, list[HandedOver]]:
        """Return the answers to each question: ``use`` before ``check``, the latest first."""
        found = {}
        for kind in ("use", "check"):
            for given in reversed(self.given):
                if given.called == kind and not is_open(given.values):
                    found.setdefault(given.key, []).append(given)
        return found

    def handed_over(self) -> list[tuple]:
        """List (page, question, kind, values) for all answers; functions stay in this process."""
        rows = []
        for (page, name), [last, *_] in self.answers().items():
            given = last.values
            missing = next(_missing_in(given), None)
            if missing is not None:
                rows.append((page, name, "missing", (missing._why,)))
            elif len(given) == 1 and callable(given[0]):
                rows.append((page, name, "function", ()))
            else:
                rows.append((page, name, "value", given))
        answered = {(page, name) for page, name, *_ in rows}
        for page, name in sorted(self.failed.keys() - answered):
            rows.append((page, name, "missing", (self.failed[page, name],)))
        return rows

    def function(self, page: str, name: str, which: int, as_then: bool) -> Callable:
        """Return the function number ``which`` that answers a question, in the order of `answers`.

        If ``as_then`` is true, the program's names have the values that they had when the function
        was handed over: a later cell may have reused the name `tuple`, say. Raises IndexError if
        there are fewer functions.
        """
        found = []
        for given in self.answers()[page, name]:
            (function, *_) = given.values
            if callable(function) and not any(function is other.values[0] for other in found):
                found.append(given)
        chosen = found[which]
        if as_then:
            for later in self.space.keys() - chosen.names.keys():
                if hasattr(builtins, later):
                    del self.space[later]
            self.space |= chosen.names
        return chosen.values[0]


class _GuardImports(ast.NodeTransformer):
    """Replaces imports that fail with harmless stand-ins, except inside `try` and `def`."""

    is_in_try = False  # in a `try`, a program itself says what to do if a module is missing

    def _leave(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_ClassDef = visit_Lambda = visit_AsyncFunctionDef = _leave

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """Inside ``try``, guard only imports from the course's exercises."""
        before, self.is_in_try = self.is_in_try, True
        self.generic_visit(node)
        self.is_in_try = before
        return node

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        """Guard each name in a statement such as ``import a.b as c``."""
        found = []
        for alias in node.names:
            bound = alias.asname or alias.name.partition(".")[0]
            page, _, name = alias.name.rpartition(".")
            if alias.name in PAGES and alias.asname:
                found += _statements(f"{bound} = _pages", node)
            elif page in PAGES and alias.asname:
                found += _statements(f"{bound} = _pages.{name}", node)
            elif page in PAGES or alias.name in PAGES:
                found += _statements(f"import {bound}\n{bound}.exercises = _pages", node)
            elif self.is_in_try:
                found.append(ast.copy_location(ast.Import([alias]), node))
            else:
                why = f"no module {alias.name} here"
                found.append(_guarded(ast.Import([alias]), bound, bound, why, node))
        return found

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        """Guard each name in a statement such as ``from a import b as c``."""
        found = []
        for alias in node.names:
            bound, home = alias.asname or alias.name, node.module or "."
            package, _, page = home.rpartition(".")
            if f"{home}.{alias.name}" in PAGES:
                found += _statements(f"{bound} = _pages", node)
                continue
            if home in PAGES and alias.name != "*":
                found += _statements(f"{bound} = _pages.{alias.name}", node)
                continue
            if package in PAGES and alias.name != "*":
                found += _statements(f"{bound} = _pages.{page}.{alias.name}", node)
                continue
            one = ast.copy_location(ast.ImportFrom(node.module, [alias], node.level), node)
            if self.is_in_try:
                found.append(one)
                continue
            why = f"no module {home} here"
            if home.startswith(("bpe_teach", "bpe_further")):
                why = f"{alias.name} of {home} is not lent to this answer"
            if alias.name in HARMLESS and home.partition(".")[0] in ("tqdm", "IPython"):
                found += _statements(f"{bound} = _harmless[{alias.name!r}]", node)
                continue
            found.append(_guarded(one, bound, f"{home}.{alias.name}", why, node))
        return found


def _guarded(node: ast.stmt, bound: str, name: str, why: str, at: ast.stmt) -> ast.stmt:
    """Return a statement that does an import or, if the import fails, binds the name to a stand-in.

    ``bound`` is the name in the program, ``name`` the module's; ``at`` gives the line.
    """
    stand_in = f"{bound} = _missing({name!r}, {why!r})" if bound.isidentifier() else "pass"
    (guarded,) = _statements(f"try:\n pass\nexcept Exception:\n {stand_in}", at)
    guarded.body = [ast.copy_location(node, at)]
    return guarded


def _statements(text: str, at: ast.stmt) -> list[ast.stmt]:
    body = ast.parse(text).body
    for statement in body:
        for node in ast.walk(statement):
            ast.copy_location(node, at)
    return body


def _flags_of(statement: ast.stmt) -> int:
    """Return the flags of `compile` for a statement such as ``from __future__ import annotations``.

    Such an import holds for all later statements, but each statement is compiled separately.
    """
    flags = 0
    if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
        for alias in statement.names:
            if feature := getattr(__future__, alias.name, None):
                flags |= feature.compiler_flag
    return flags


def _names_given_by(statement: ast.stmt) -> Iterator[str]:
    """Yield the names to which a statement would have given values, except for functions."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _names_changed_by(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement may change, such as a in ``a[0] = 1`` and ``a.add(1)``."""
    yield from _names_given_by(statement)
    if isinstance(statement, QUICK):
        return
    for node in ast.walk(statement):
        changed = None
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            changed = node.value
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            changed = node.func.value
        while isinstance(changed, ast.Attribute | ast.Subscript):
            changed = changed.value
        if isinstance(changed, ast.Name):
            yield changed.id


def _stands_for_itself(value) -> bool:
    """Return whether a value, such as a function, a module or a question, can't be a wrong result.

    A stand-in for a missing thing counts, too, because it says what is missing when it is used.
    """
    return callable(value) or isinstance(value, ModuleType | Missing | Page | Pages | Asked)


def _names_read_by(statement: ast.stmt) -> set[str]:
    """Return the names that a statement reads, except for the variables of its own loops."""
    read, of_loops = set(), set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            read.add(node.id)
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            read.add(node.target.id)
        elif isinstance(node, ast.For | ast.comprehension):
            names = [part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)]
            of_loops.update(names)
    return read - of_loops


def _names_in(code: CodeType) -> list[str]:
    """List the names of a program that the code of a function reads."""
    reading = ("LOAD_GLOBAL", "LOAD_NAME")
    names = [step.argval for step in dis.get_instructions(code) if step.opname in reading]
    for part in code.co_consts:
        if isinstance(part, CodeType):
            names += _names_in(part)
    return names


def _is_quick(statement: ast.stmt) -> bool:
    """Return whether a statement takes no time, because it only defines or names something."""
    if isinstance(statement, ast.Assign | ast.AnnAssign):
        return statement.value is None or _is_at_hand(statement.value)
    return isinstance(statement, QUICK)


def _is_at_hand(value: ast.expr) -> bool:
    """Return whether the value of an expression, such as ``(1, name)``, needs no computation."""
    if isinstance(value, ast.Constant | ast.Name | ast.Lambda):
        return True
    if isinstance(value, ast.Attribute | ast.UnaryOp):
        return _is_at_hand(value.value if isinstance(value, ast.Attribute) else value.operand)
    if isinstance(value, ast.Tuple | ast.List | ast.Set):
        return all(map(_is_at_hand, value.elts))
    if isinstance(value, ast.Dict):
        return all(map(_is_at_hand, filter(None, [*value.keys, *value.values])))
    return False


def _missing_in(values: Iterable, depth: int = 3) -> Iterator[Missing]:
    """Yield the stand-ins for missing things among values, and in tuples and lists of values."""
    for value in values:
        if type(value) is Missing:
            yield value
        elif type(value) in (tuple, list, set) and depth:
            yield from _missing_in(value, depth - 1)
        elif type(value) is dict and depth:
            yield from _missing_in([*value, *value.values()], depth - 1)


def is_open(given: tuple) -> bool:
    """Return whether nothing was given as answer, or only a function that is not written yet."""
    if all(part is None for part in given) or any(part is ... for part in given):
        return True  # also if nothing is given
    return is_unwritten(getattr(given[0], "__code__", None))


def _say(error: BaseException) -> str:
    try:
        why = re.sub(r"\s+", " ", str(error))[:200]
    except Exception:  # its own __str__ fails
        why = ""
    return f"{type(error).__name__}: {why}".removesuffix(": ")


def take(
    space: dict,
    cells: Sequence[tuple[str, str]],
    modules: Mapping[str, str],
    course: str,
    beside: bool,
) -> Taken:
    """Run a program whose names are kept in ``space``, and return all that was noted.

    ``cells`` are the program's cells (name, text). ``modules`` holds the texts of the files that
    were handed in with the program, by their names in lower case. ``course`` is the text of the
    functions that the course lends. If ``beside`` is true, these functions replace the program's
    own functions of the same names.
    """
    taken = Taken(space, course)
    sys.meta_path.append(Beside(taken, modules))
    taken.run(cells)
    if beside:
        names = {node.name for node in ast.parse(course).body if isinstance(node, ast.FunctionDef)}
        space |= {name: vars(taken.course)[name] for name in names}
    _setting_up[0] = False
    return taken
