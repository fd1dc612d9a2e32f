"""Taking: what a child does with a program that was handed in, before its answers are called.

Statement by statement it is run, as in a notebook. What isn't there – a module, a file, the
network, the course's exercises – is replaced by something harmless that keeps its name. If an
answer uses that later, the error says what was missing. `check` and `use` judge nothing here: they
note what they are given.

It needs nothing but Python and the runner's `child`, because it is copied into the box.
"""

import ast
import re
import time
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType

from bpe_teach.exercises.runner.child import Printed, is_unwritten, run_for

SECONDS_OF_A_STATEMENT = 1  # of the processor
SECONDS_OF_ALL = 4
PAGES = ("bpe_teach.exercises", "bpe_further.exercises")
PROGRAMS = ("my_bpe", "brought")  # questions that hand out the course's functions
_setting_up = [True]  # as long as a program is set up, what is missing is harmless


class NotHereError(Exception):
    """An answer needs what is not there where answers are judged."""


class Missing:
    """Stands for a module, a file or a value that isn't there, or for a part of one."""

    def __init__(self, name: str, why: str):
        self.__dict__.update(_name=name, _why=why)

    def __repr__(self):
        return f"<{self._name}: {self._why}>"

    def __getattr__(self, part: str):
        if part.startswith("__"):  # Python asks for these to find out what something can do
            raise AttributeError(part)
        return self._give(Missing(f"{self._name}.{part}", self._why))

    def __call__(self, *given, **_):
        """Return a function that is decorated, or else what stands for a result."""
        is_decorator = len(given) == 1 and callable(given[0]) and not isinstance(given[0], Missing)
        return self._give(given[0] if is_decorator else self)

    def __mro_entries__(self, _bases):
        return ()

    def __enter__(self):
        return self._give(self)

    def __exit__(self, *_):
        return False

    def __iter__(self):
        return self._give(iter(()))

    def __len__(self):
        return self._give(0)

    def __bool__(self):
        return self._give(False)

    def __setattr__(self, *_):
        self._give(None)

    def __setitem__(self, *_):
        self._give(None)

    def _give(self, value):
        if not _setting_up[0]:
            raise NotHereError(self._why)
        return value


def _same_missing(self, *_):
    return self._give(self)


_OPERATIONS = ["add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv"]
_OPERATIONS += ["mod", "pow", "and", "or", "neg", "matmul", "getitem", "lt", "le", "gt", "ge"]
for _operation in _OPERATIONS:
    setattr(Missing, f"__{_operation}__", _same_missing)


class Asked:
    """Stands for a question: what is handed over to it is noted."""

    def __init__(self, taken: "Taken", page: str, name: str):
        self._taken, self._key = taken, (page, name)

    def check(self, *given):
        """Note an answer."""
        self._taken.given.append((self._key, "check", given))

    def use(self, *given):
        """Note an answer and go on with it, right or not."""
        _, name = self._key
        if name in PROGRAMS:
            return self._taken.course
        self._taken.given.append((self._key, "use", given))
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


class Course(ModuleType):
    """Stands for my_bpe: those functions of the course that an answer may call."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return Missing(f"my_bpe.{name}", f"my_bpe.{name} is not lent to this answer")


class Taken:
    """A program that was taken: its names, what it handed over, and what failed."""

    def __init__(self, space: dict, course: str):
        self.space = space
        self.course = Course("my_bpe")
        exec(compile(course, "<the course's>", "exec"), vars(self.course))
        self.given: list[tuple] = []  # question, "check" or "use", what it was given
        self.notes: list[str] = []
        self.end = time.process_time() + SECONDS_OF_ALL

    def run(self, cells: Sequence[tuple[str, str]]) -> None:
        """Run cells, each a name and a text."""
        self.space |= {
            "display": lambda *_, **__: None,
            "get_ipython": lambda: Missing("get_ipython()", "there is no notebook here"),
            "_page": lambda page: Page(self, page),
            "_missing": Missing,
        }
        time.sleep = lambda _seconds: None
        for name, text in cells:
            for statement in ast.parse(text).body:
                self._run_statement(statement, name)

    def _run_statement(self, statement: ast.stmt, file: str) -> None:
        before = len(self.given)
        guarded = _GuardImports().visit(ast.Module([statement], []))
        try:
            if time.process_time() > self.end:
                raise TimeoutError("what comes before it takes too long")
            code = compile(ast.fix_missing_locations(guarded), file, "exec")
            run_for(exec, (code, self.space), Printed(), SECONDS_OF_A_STATEMENT)
        except BaseException as error:  # a stranger's program may raise anything
            said = _say(error)
            self.notes.append(f"line {statement.lineno} of {file}: {said}")
            for name in _names_given_by(statement):
                self.space.setdefault(name, Missing(name, f"{name} is not there, {said}"))
            if len(self.given) == before:
                self._hand_over_from(statement, file)

    def _hand_over_from(self, statement: ast.stmt, file: str) -> None:
        """Note what the calls of ``check`` in a statement that failed would have been given."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                call = ast.copy_location(ast.Expression(node), node)
                if node.func.attr in ("check", "use"):
                    try:
                        code = compile(call, file, "eval")
                        run_for(eval, (code, self.space), Printed(), SECONDS_OF_A_STATEMENT)
                    except BaseException:  # the statement's own failure is noted already
                        continue

    def answers(self) -> dict[tuple, list[tuple]]:
        """Return what each question was given, the last one first, and before all what is used."""
        found = {}
        for kind in ("use", "check"):
            for key, called, given in reversed(self.given):
                if called == kind and not is_open(given):
                    found.setdefault(key, []).append(given)
        return found

    def handed_over(self) -> list[tuple]:
        """List (page, question, what it is, values) of all answers; functions stay here."""
        rows = []
        for (page, name), [given, *_] in self.answers().items():
            missing = [part for part in given if isinstance(part, Missing)]
            if missing:
                rows.append((page, name, "missing", (missing[0]._why,)))
            elif len(given) == 1 and callable(given[0]):
                rows.append((page, name, "function", ()))
            else:
                rows.append((page, name, "value", given))
        return rows

    def functions(self, page: str, name: str) -> list[Callable]:
        """Return the functions that answer a question, each once, in the order of `answers`."""
        found = []
        for given in self.answers()[page, name]:
            function = given[0]
            if callable(function) and not any(function is other for other in found):
                found.append(function)
        return found


class _GuardImports(ast.NodeTransformer):
    """Puts something harmless in the place of what can't be imported, outside `try` and `def`."""

    is_in_try = False  # where a program itself says what to do if something isn't there

    def _leave(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_ClassDef = visit_Lambda = visit_AsyncFunctionDef = _leave

    def visit_Try(self, node: ast.Try) -> ast.AST:
        """Guard in ``try`` only what is imported from the course's exercises."""
        before, self.is_in_try = self.is_in_try, True
        self.generic_visit(node)
        self.is_in_try = before
        return node

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        """Guard ``import a.b as c``, one name after the other."""
        found = []
        for alias in node.names:
            bound = alias.asname or alias.name.partition(".")[0]
            page, _, name = alias.name.rpartition(".")
            if page in PAGES and alias.asname:
                found += _statements(f"{bound} = _page({name!r})", node)
            elif self.is_in_try:
                found.append(ast.copy_location(ast.Import([alias]), node))
            else:
                why = f"no module {alias.name} here"
                found.append(_guarded(ast.Import([alias]), bound, bound, why, node))
        return found

    def visit_ImportFrom(self, node: ast.ImportFrom) -> list[ast.stmt]:
        """Guard ``from a import b as c``, one name after the other."""
        found = []
        for alias in node.names:
            bound, home = alias.asname or alias.name, node.module or "."
            if home in PAGES and alias.name != "*":
                found += _statements(f"{bound} = _page({alias.name!r})", node)
                continue
            one = ast.copy_location(ast.ImportFrom(node.module, [alias], node.level), node)
            if self.is_in_try:
                found.append(one)
                continue
            why = f"no module {home} here"
            if home.startswith(("bpe_teach", "bpe_further")):
                why = f"{alias.name} of {home} is not lent to this answer"
            found.append(_guarded(one, bound, f"{home}.{alias.name}", why, node))
        return found


def _guarded(node: ast.stmt, bound: str, name: str, why: str, at: ast.stmt) -> ast.stmt:
    """Return a statement that imports, or else gives the name to what stands for it."""
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


def _names_given_by(statement: ast.stmt) -> Iterator[str]:
    """Yield the names that a statement would have given values, functions aside."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        yield statement.name
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def is_open(given: tuple) -> bool:
    """Return whether nothing was handed over, or a function that is not written yet."""
    if all(part is None for part in given) or any(part is ... for part in given):
        return True  # also if nothing is given
    return is_unwritten(getattr(given[0], "__code__", None))


def _say(error: BaseException) -> str:
    try:
        why = re.sub(r"\s+", " ", str(error))[:200]
    except Exception:  # its own __str__ fails
        why = ""
    return f"{type(error).__name__}: {why}".removesuffix(": ")


def take(space: dict, cells: Sequence[tuple[str, str]], course: str, beside: bool) -> Taken:
    """Run a program among the names of ``space``; return what was taken.

    ``course`` is the text of the functions that the course lends. With ``beside``, they then take
    the place of the program's own functions of the same names.
    """
    taken = Taken(space, course)
    taken.run(cells)
    if beside:
        names = {node.name for node in ast.parse(course).body if isinstance(node, ast.FunctionDef)}
        space |= {name: vars(taken.course)[name] for name in names}
    _setting_up[0] = False
    return taken
