"""Answer: a learner's function, called in a child process and read in this process."""

import ast
import dis
import inspect
import linecache
import re
from collections.abc import Callable
from contextlib import suppress
from textwrap import dedent

from bpe_teach.exercises.runner import child, parent
from bpe_teach.exercises.runner.child import (
    OutOfTime,
)
from bpe_teach.exercises.runner.parent import Asking, Outcome, OutOfTimeInside
from bpe_teach.exercises.runner.values import is_data, is_plain, make_object, pack, unpack
from bpe_teach.exercises.showing import show_outcome

SECONDS_OF_WORKSHOP = 4  # of the processor, for trying changed functions
SPARE = 1.3  # times as many seconds, since the computer may be busy
LEAST_LIMIT = 3  # smaller numbers are usually positions and steps
LIMIT_IN_PATTERN = re.compile(r"\{\d*,?\d+\}")  # as in "a{1,30}"


class Answer:
    """A function that is judged: it is called in a child process, and this process only reads it.

    ``name`` is its name in the child process, and ``text`` its source, at the line numbers of its
    cell or file ("" if the source isn't known). ``function`` is the function itself if this process
    has it. ``workshop`` starts a child process that tries changed functions and may do nothing but
    compute.
    """

    def __init__(
        self,
        runner: Asking,
        name: str,
        *,
        text: str = "",
        function: Callable | None = None,
        workshop: Callable[[], Asking] | None = None,
    ):
        self.runner, self.name, self.text = runner, name, text
        self.function, self.workshop = function, workshop

    @classmethod
    def of_notebook(cls, function: Callable, lent: dict[str, Callable]) -> "Answer":
        """Return the answer for a function of this process; its child process ends when it does."""
        inner = inspect.unwrap(function)
        space = getattr(inner, "__globals__", {})
        functions = {**lent, "answer": function}

        def workshop() -> Asking:
            limits = parent.LIMITS._replace(seconds=SECONDS_OF_WORKSHOP)
            return parent.start(space, functions, limits=limits, may_act=False)

        runner = parent.start(space, functions)
        text = _lines_of(inner)
        return cls(runner, "answer", text=text, function=function, workshop=workshop)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.runner.close()

    def call(self, given: tuple, **limits) -> Outcome:
        """Return the outcome of a call; raise `OutOfMemory` if a limit on memory ended the call."""
        return _within_memory([self.runner.call(self.name, given, **limits)])[0]

    def call_at_size(self, given: tuple, seconds: float, times: int = 1) -> Outcome:
        """Return the outcome of ``times`` calls, limited in ``seconds`` of processor time."""
        try:
            return self.call(given, seconds=SPARE * seconds, times=times)
        except OutOfTimeInside:  # in one step that nothing could stop, such as a long sort
            return Outcome(too_long=True)

    def call_each(self, inputs: list[tuple]) -> list[Outcome]:
        """Return the outcomes of calls, up to the first call that takes too many steps."""
        return _within_memory(self.runner.call_each(self.name, inputs))

    def has_number(self) -> bool:
        """Return whether a number in the function, or in its cell, may limit the function."""
        with suppress(SyntaxError, ValueError):
            nodes = list(ast.walk(ast.parse(self.text)))
            values = [node.value for node in nodes if isinstance(node, ast.Constant)]
            values += globals_of(self.function and inspect.unwrap(self.function)).values()
            if any(type(value) is str and LIMIT_IN_PATTERN.search(value) for value in values):
                return True
            return any(type(value) is int and value >= LEAST_LIMIT for value in values)
        return False

    def differs(self, text: str, given: tuple, outcome: Outcome) -> bool:
        """Return whether a changed text of the function gives another outcome; False if unknown."""
        if not self.workshop:
            return False
        with suppress(OutOfTime, ChildProcessError), self.workshop() as runner:
            name = ast.parse(text).body[0].name
            return not runner.load(text, "<changed>") and show_outcome(outcome) != show_outcome(
                runner.call(name, given)
            )
        return False

    def is_first_right(self, given: tuple, is_right: Callable[[Outcome], bool]) -> bool:
        """Return whether the first call in a new child process is right; False if unknown."""
        if not self.workshop:
            return False
        with suppress(OutOfTime, ChildProcessError), self.workshop() as fresh:
            if fresh.is_apart:
                return is_right(fresh.call(self.name, given))
        return False


def _within_memory(outcomes: list[Outcome]) -> list[Outcome]:
    """Return ``outcomes`` as they are; raise `OutOfMemory` if one of them is a MemoryError."""
    if any(outcome.error and outcome.error.name == "MemoryError" for outcome in outcomes):
        raise parent.OutOfMemory
    return outcomes


def _lines_of(function: Callable) -> str:
    """Return a function's source at the line numbers of its cell, "" if unknown or not a def."""
    try:
        source = dedent(inspect.getsource(function))
        if function.__closure__ or not source.startswith(("def ", "@")):
            return ""  # a function made from this text would be a different one
        return "\n" * (function.__code__.co_firstlineno - 1) + source
    except (OSError, TypeError, AttributeError):
        return ""


def source_of(solve: Callable) -> str:
    """Return a solution as text."""
    return dedent(inspect.getsource(solve)).strip()


def globals_of(function: Callable | None) -> dict[str, object]:
    """Return the global names that a function uses, also in comprehensions: name -> value."""
    codes = [function.__code__] if inspect.isfunction(function) else []
    for code in codes:
        codes += filter(inspect.iscode, code.co_consts)
    read = ("LOAD_GLOBAL", "LOAD_NAME")  # names of attributes stand beside them
    steps = [step for code in codes for step in dis.get_instructions(code)]
    names = [step.argval for step in steps if step.opname in read]
    return {name: function.__globals__[name] for name in names if name in function.__globals__}


def arguments_of(function: Callable) -> tuple[str, ...]:
    """Return the names of the arguments of a function; none if it isn't written in Python."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_varnames[: code.co_argcount] if code else ()


def set_beside(function: Callable) -> set[str]:
    """Return the names in the assignments of a function's cell, those in functions aside."""
    lines = linecache.getlines(function.__code__.co_filename)
    names = set()
    with suppress(SyntaxError):
        for statement in ast.parse("".join(lines)).body:
            if isinstance(statement, ast.Assign):
                names |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return names


def as_data(parts: tuple) -> tuple:
    """Return the parts of an answer as plain data, in which no code of a learner can run.

    >>> import numpy
    >>> as_data((numpy.int64(3), range(2)))
    (3, range(0, 2))
    """
    if is_plain(parts):
        return parts
    with parent.start({}, {"hand_over": lambda: parts}) as runner:
        outcome = runner.call("hand_over", ())
    if outcome.too_long:
        raise OutOfTime
    if outcome.error:  # a class may fail to show its content
        return tuple(make_object(type(part).__name__, "…", False) for part in parts)
    return outcome.value


def copy_of(given: tuple) -> tuple:
    """Return a copy of a function's arguments, exactly as a child process would receive them.

    So a set has the same order for a slip, which runs in this process, and for an answer.
    """
    others = {f"lent {i}": part for i, part in enumerate(given) if not is_data(part)}
    return unpack(pack(given, child.names_of(others)), others)
