"""Parent: ask a child process for calls. The caller keeps the cases, and judges what comes back.

    with start({}, {"double": double}) as child:
        child.call("double", (3,)).value

The child process gets a notebook's functions through a fork, so the functions are unchanged, with
all that they use. A stranger's program is sent as text instead, to a bare child process, which has
nothing of the course (`start_bare`). If no process can be started, `Here` answers, in this process.
"""

import ast
import builtins
import inspect
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import cache, update_wrapper
from pathlib import Path
from textwrap import dedent
from types import FunctionType
from typing import NamedTuple

from bpe_teach.exercises.runner import child
from bpe_teach.exercises.runner.child import OUT_OF_MEMORY, Answering, OutOfTime
from bpe_teach.exercises.runner.job import Job, Limits, TooLong
from bpe_teach.exercises.runner.values import pack, unpack

SECONDS = 10  # of the processor, for all calls of a child process
LIMITS = Limits(seconds=SECONDS, wait=60, memory=2 * 2**30)
OVER_ITS_TIME = (child.OUT_OF_TIME, -24, -9)  # SIGXCPU, and SIGKILL if it is ignored
IN_ONE_CALL = -26  # SIGVTALRM
FOLDER = Path(__file__).parent
UNBOUNDED = """\
This kernel can't start processes, so here a check limits steps and time only while it runs Python
code that you wrote, and memory not at all. If it hangs, restart the kernel."""


class OutOfMemory(OutOfTime):
    """A check takes more memory than it may, so nothing is known about the answer."""

    def __str__(self) -> str:
        most = LIMITS.memory // 2**30
        return f"not decided, it takes more memory than a check gives ({most} GB)."


class OutOfTimeInside(OutOfTime):
    """A single call takes too long in library code, whose steps aren't counted."""

    def __str__(self) -> str:
        most = child.MOST_OF_A_CALL
        return (
            f"not decided, one call takes more than {most} seconds. Most of them are spent in "
            "something that it calls: is that given too much, or what is endless, such as count()?"
        )


class Seen(NamedTuple):
    """The value of a name when an error was raised, as far as it is known."""

    name: str
    type: str
    text: str = ""  # of a number, a text or None
    length: int = -1  # -1: the value has no length
    key: str = ""  # the first key of a dictionary
    key_type: str = ""


class Raised(NamedTuple):
    """An error that a call has raised: the names of its class and base classes, text, and place."""

    kinds: tuple[str, ...]
    why: str
    line: int = 0  # of the cell, 0 if the error was raised elsewhere
    code: str = ""  # the code in this line that failed
    values: tuple["Seen", ...] = ()  # of the names in this line

    @property
    def name(self) -> str:
        """Return the name of the error's class."""
        return self.kinds[0]

    def __str__(self) -> str:
        return f"{self.name}: {self.why}"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a call. Nothing in it can run: it holds numbers, texts, and lists of these."""

    value: object = None
    error: Raised | None = None
    too_long: bool = False  # the call took too many steps, or too many seconds
    changed: bool = False  # the call changed its arguments
    printed: str = ""
    seconds: float = 0  # of the processor


def outcome_of(row: dict) -> Outcome:
    """Return the outcome in a row of an answer. Raises ValueError if the row holds no outcome."""
    error = None
    if "error" in row:
        kinds = tuple(printable(str(name))[:60] for name in row["error"])
        error = Raised(
            kinds or ("Exception",),
            printable(str(row["why"])),
            int(row["line"]),
            printable(str(row.get("code", ""))),
            tuple(_seen(name, seen) for name, seen in row.get("values", {}).items()),
        )
    return Outcome(
        value=unpack(row.get("value")),
        error=error,
        too_long=bool(row.get("too_long")),
        changed=bool(row.get("changed")),
        printed=printable(str(row.get("printed", ""))),
        seconds=float(row.get("seconds", 0)),
    )


def _seen(name: str, seen: dict) -> Seen:
    """Return what a child process has told about a name."""
    texts = {key: printable(str(seen.get(key, ""))) for key in ("type", "text", "key", "key_type")}
    return Seen(printable(str(name)), length=int(seen.get("length", -1)), **texts)


def printable(text: str) -> str:
    r"""Return a text whose control characters are spelled out, so that no terminal obeys them.

    >>> print(printable("low\n\x1b[2J"))
    low
    \x1b[2J
    """
    return "".join(c if c.isprintable() or c in "\n\t" else repr(c)[1:-1] for c in text)


class Asking:
    """What a child process and its stand-in have in common: how calls are asked for."""

    is_apart = True  # from this process: no call in this process has left anything there

    def __init__(self, functions: dict[str, object]):
        self.names = child.names_of(functions)
        self.seconds = 0.0  # of the processor, for all that was asked

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self) -> None:
        """End the child process, or its stand-in."""

    def call(
        self, name: str, arguments: tuple, *, steps: int = 0, seconds: float = 0, times: int = 1
    ) -> Outcome:
        """Return the outcome of a call, limited in steps, or in seconds of processor time.

        If ``seconds`` is given, the call is made ``times`` times.
        """
        (outcome,) = self.call_each(name, [arguments], steps=steps, seconds=seconds, times=times)
        return outcome

    def call_each(
        self,
        name: str,
        inputs: Iterable[tuple],
        *,
        steps: int = 0,
        seconds: float = 0,
        times: int = 1,
    ) -> list[Outcome]:
        """Return the outcomes of calls, up to the first call that takes too long.

        Raises `OutOfTime` if all calls together take too long, and ChildProcessError if a call ends
        Python.
        """
        sent = [pack(arguments, self.names) for arguments in inputs]
        request = {"do": "call", "name": name, "inputs": sent, "steps": steps, "seconds": seconds}
        request["times"] = times
        outcomes = self._ask(request)
        is_cut_short = bool(outcomes) and outcomes[-1].too_long
        if len(outcomes) > len(sent) or (len(outcomes) < len(sent) and not is_cut_short):
            raise ChildProcessError("what came back isn't an answer")
        return outcomes

    def load(self, text: str, file: str) -> Raised | None:
        """Run a text in the child process, so that its functions can be called; return its error.

        If the text raises no error, None is returned.
        """
        (outcome,) = self._ask({"do": "load", "text": text, "file": file})
        return outcome.error

    def _ask(self, request: dict) -> list[Outcome]:
        answered = self._answer(request)
        try:
            self.seconds += float(answered["seconds"])
            return [outcome_of(row) for row in answered.get("rows", [answered])]
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise ChildProcessError("what came back isn't an answer") from None

    def _answer(self, request: dict) -> dict:
        raise NotImplementedError


class Child(Asking):
    """A process of its own that answers calls."""

    def __init__(self, job: Job, functions: dict[str, Callable]):
        super().__init__(functions)
        self.job = job

    def close(self) -> None:
        """End the process, and all that it has started."""
        self.job.close()

    def _answer(self, request: dict) -> dict:
        self.job.send(json.dumps(request).encode() + b"\n")
        try:
            line = self.job.read_line()
        except TimeoutError:
            raise OutOfTime from None
        except TooLong as error:
            raise ChildProcessError(f"your function gives too much: {error}") from None
        if line is None:
            raise self._how_it_ended()
        with suppress(ValueError, RecursionError):
            if isinstance(answered := json.loads(line), dict):
                return answered
        raise ChildProcessError("what came back isn't an answer")

    def _how_it_ended(self) -> BaseException:
        """Return the error for a child process that will answer no more."""
        status = self.job.close()
        if status > 128:  # if another program started the process, this says which signal ended it
            status = 128 - status
        if status == OUT_OF_MEMORY:
            return OutOfMemory()
        if status == IN_ONE_CALL:
            return OutOfTimeInside()
        if status in OVER_ITS_TIME:
            return OutOfTime()
        return ChildProcessError("your function ended Python itself")


class Here(Asking):
    """Answers calls in this process if no other can be started; restores the names it changed."""

    is_apart = False

    def __init__(self, space: dict, functions: dict[str, Callable], seconds: float, may_act: bool):
        super().__init__(functions)
        self.space, self.before = space, dict(space)
        self.may_act = may_act
        own = {name: catching_less(function) for name, function in functions.items()}
        self.answering = Answering(space, own, seconds)

    def close(self) -> None:
        """Give each name of the space its old value again."""
        for name in [*self.space]:
            if name not in self.before:
                del self.space[name]
            elif self.space[name] is not self.before[name]:
                self.space[name] = self.before[name]

    def _answer(self, request: dict) -> dict:
        ask, builtins.input = builtins.input, child.ask_nobody
        try:
            with nullcontext() if self.may_act else child.nothing_done():
                # use the same format, so that a verdict is the same everywhere
                answered = self.answering.answer(json.loads(json.dumps(request)))
                return json.loads(json.dumps(answered))
        except MemoryError:
            raise OutOfMemory from None
        except SystemExit:
            raise ChildProcessError("your function ended Python itself") from None
        finally:
            builtins.input = ask


def catching_less(function):
    """Return a function in which ``except:`` stands for ``except Exception:``.

    Otherwise the function would catch the error that should end it, and go on for ever. A function
    that has no text of its own, or no such ``except:``, is returned as it is.
    """
    try:
        tree = ast.parse(dedent(inspect.getsource(function)))
        inner = function.__code__
    except (OSError, TypeError, SyntaxError, ValueError, AttributeError):
        return function
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)]
    found = [node for node in nodes if not node.type or ast.unparse(node.type) == "BaseException"]
    head = tree.body[0]
    is_plain = isinstance(head, ast.FunctionDef) and not head.decorator_list
    if not found or not is_plain or inner.co_freevars:
        return function
    for node in found:
        node.type = ast.copy_location(ast.Name("Exception", ast.Load()), node)
    ast.increment_lineno(tree, inner.co_firstlineno - 1)
    made = compile(tree, inner.co_filename, "exec").co_consts
    code = next(part for part in made if inspect.iscode(part) and part.co_name == inner.co_name)
    changed = FunctionType(code, function.__globals__, argdefs=function.__defaults__)
    changed.__kwdefaults__ = function.__kwdefaults__
    return update_wrapper(changed, function)


def start(
    space: dict,
    functions: dict[str, Callable],
    *,
    limits: Limits | None = None,
    may_act: bool = True,
) -> Asking:
    """Return a child process that has ``functions``, by name, and runs texts in ``space``.

    ``space`` maps the names that these texts can use to their values. If ``may_act`` is false, no
    call may write a file, start a process or open a connection.

    >>> with start({}, {"divide": divmod}) as child:
    ...     child.call("divide", (7, 2)).value, str(child.call("divide", (7, 0)).error)
    ((3, 1), 'ZeroDivisionError: integer division or modulo by zero')
    """
    limits = limits or LIMITS

    def work() -> None:
        requests, answers = child.take_the_pipes()
        answering = Answering(space, functions)
        with nullcontext() if may_act else child.nothing_done():
            child.end_by(child.serve, requests, answers, answering)

    try:
        return Child(Job(work, limits), functions)
    except OSError:
        _say_once(UNBOUNDED)
        return Here(space, functions, limits.seconds, may_act)


def start_bare(command: Sequence[str], *, limits: Limits = LIMITS) -> Child:
    """Return a child process that knows nothing: its functions come as texts, by `load`.

    Raises OSError if the process can't be started.

    >>> import tempfile
    >>> lent = lend(tempfile.mkdtemp())
    >>> with start_bare(bare_command(lent)) as child:
    ...     child.load("def double(n): return 2 * n", "<handed in>")
    ...     child.call("double", (3,)).value
    6
    """
    environment = {"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8"}
    return Child(Job(command, limits, env=environment), {})


def bare_command(lent: str | Path, python: str = sys.executable) -> list[str]:
    """Return the command of a bare child process; ``lent`` is a folder that `lend` has filled.

    Python looks for modules only in this folder and in its own library.
    """
    statements = ["import sys", "sys.path.insert(0, sys.argv[1])"]
    statements += [f"from {child.__name__} import main", "main()"]
    code = "; ".join(statements)
    return [python, "-I", "-S", "-c", code, str(lent)]


def lend(folder: str | Path) -> Path:
    """Copy the modules of a bare child process, and no others, into a folder; return the folder."""
    lent = Path(folder, *child.__name__.split(".")[:-1])
    lent.mkdir(parents=True, exist_ok=True)
    for part in ("child.py", "values.py"):
        shutil.copyfile(FOLDER / part, lent / part)
    return Path(folder)


@cache
def _say_once(text: str) -> None:
    print(text)
