"""Child: the process that answers calls, and knows no case, no solution and no verdict.

A request is a line of JSON, and so is the answer. These are two requests:

    {"do": "load", "text": "def merge(word, pair): ...", "file": "<cell>"}
    {"do": "call", "name": "merge", "inputs": [...], "steps": 1000, "seconds": 0, "times": 1}

`serve` answers requests until there are no more. A call is limited in steps, whose number is the
same on a busy computer, or, if counting steps would slow the call down too much, in seconds of
processor time.
"""

import builtins
import dis
import inspect
import io
import json
import linecache
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from itertools import islice
from types import CodeType, TracebackType
from warnings import catch_warnings

from bpe_teach.exercises.runner.values import pack, unpack

MOST_STEPS = 1_000_000  # of the interpreter, in the learner's own code, on one input
STEPS_OF_A_LINE = 4  # or more: counting each step would take several times as long
ON_THE_SPOT = bytes([dis.opmap["JUMP_BACKWARD"], 1])  # `while True: pass`: no line ever begins
MOST_OF_A_CALL = 3  # seconds of the processor: far more than MOST_STEPS take
MOST_OF_A_SHORT_CALL = 1  # the same, if fewer steps are allowed
LONGEST_PRINTED = 2_000  # characters of what a call prints
LONGEST_WHY = 500  # characters of what an error says
MOST_NAMES, LONGEST_SEEN = 20, 60  # names in the failing line, and characters of each value
SIMPLE = (int, float, bool, str, bytes, type(None))  # types whose values can be shown
HOLDING = (str, bytes, tuple, list, dict, set, range)  # types whose values have a length
OUT_OF_TIME, OUT_OF_MEMORY = 75, 76  # statuses with which this process ends


class TooManySteps(BaseException):
    """A function takes too many steps. Not an Exception, so that ``except Exception`` misses it."""


class OutOfTime(BaseException):
    """A check takes too long to be decided."""

    def __str__(self) -> str:
        return "not decided, it takes too long. Does all of it come to an end? Then try again."


class Printed(io.StringIO):
    """What a call prints: the beginning is kept, however much is printed."""

    def write(self, text: str) -> int:
        """Keep as much of ``text`` as there is room for, and say that all of it was written."""
        left = LONGEST_PRINTED - self.tell()
        if left > 0:
            super().write(text[:left])
        return len(text)


# ---- one call, within bounds -----------------------------------------------------------


def run_bounded(function: Callable, arguments: tuple, printed=None, most: int = 0, end: float = 0):
    """Return what a function gives; raise `TooManySteps` if the function does not end.

    Only steps in the learner's own code count, not those in libraries: an endless loop ends after
    the same number of steps on every computer. If ``end`` is given, the function may run until this
    process has used ``end`` seconds of processor time; then `OutOfTime` is raised. All that the
    function prints goes to ``printed``.

    >>> run_bounded(max, (3, 4))
    4
    """
    steps = events = 0
    limit = most or MOST_STEPS
    own = getattr(inspect.unwrap(function), "__globals__", None)  # all cells share these names

    def watch(frame, event, _argument):
        nonlocal steps, events
        # An error that is raised while a generator is closed is lost, and it ends the tracing.
        may_be_lost = frame.f_code.co_flags & inspect.CO_GENERATOR
        if steps > (2 * limit if may_be_lost else limit):
            raise TooManySteps(f"{MOST_STEPS:,} steps")
        if end and events % 32 == 0 and not may_be_lost and time.process_time() > end:
            raise OutOfTime
        events += 1
        if own is not None and frame.f_globals is not own:
            return None
        if event == "call":
            frame.f_trace_opcodes = ON_THE_SPOT in frame.f_code.co_code
        steps += STEPS_OF_A_LINE
        return watch

    printed = printed or Printed()
    before = sys.gettrace()
    sys.settrace(watch)
    try:
        with redirect_stdout(printed), redirect_stderr(printed):
            return function(*arguments)
    finally:
        sys.settrace(before)


def run_for(function: Callable, arguments: tuple, printed, seconds: float, times: int = 1):
    """Return what a function gives; raise `OutOfTime` after ``seconds`` of processor time.

    Nothing is traced, so long inputs, and many calls, take as long as they do in the notebook.
    """
    end = time.process_time() + seconds

    def stop(*_event):
        if time.process_time() > end:
            raise OutOfTime
        return stop

    with redirect_stdout(printed), redirect_stderr(printed), _stopped_by(stop, seconds):
        for _ in range(times - 1):
            function(*arguments)
        return function(*arguments)


def has_alarm() -> bool:
    """Return whether a timer can interrupt what this process is doing."""
    is_main = threading.current_thread() is threading.main_thread()
    return is_main and hasattr(signal, "setitimer")


def measure(function: Callable, arguments: tuple) -> tuple[object, float]:
    """Return what a function gives, and the processor seconds that `run_for` would need for it.

    >>> measure(max, (3, 4))[0]
    4
    """
    before = sys.gettrace()
    if not has_alarm():  # without an alarm, calls in a child process are traced as well
        sys.settrace(_look_on)
    begin = time.process_time()
    try:
        return function(*arguments), time.process_time() - begin
    finally:
        sys.settrace(before)


def _look_on(*_event):
    time.process_time()  # asked at every line, as in `_stopped_by`
    return _look_on


@contextmanager
def _stopped_by(stop: Callable, seconds: float):
    """Call ``stop`` once this process has used ``seconds``; if it has no alarm, at every line."""
    if has_alarm():
        before = signal.signal(signal.SIGPROF, stop)
        # The alarm is repeated, since one may be lost, but not before the first is dealt with.
        signal.setitimer(signal.ITIMER_PROF, seconds, 0.25)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)
    else:
        sys.settrace(stop)
        try:
            yield
        finally:
            sys.settrace(None)


# ---- answers to requests ---------------------------------------------------------------


class Answering:
    """What a child process has: functions by name, and the space in which texts are run.

    ``left`` is for a child process that nobody else can stop: the seconds of processor time for all
    calls together, except for calls that have a limit of their own.
    """

    def __init__(self, space: dict, functions: dict[str, Callable], left: float | None = None):
        self.space = space
        self.functions = functions
        self.left = left

    def answer(self, request: dict) -> dict:
        """Return the answer to a request: "rows", one for each call, or "error" and "why"."""
        begin = time.process_time()
        if request["do"] == "load":
            answered = self._load(request["text"], request["file"])
        else:
            answered = {"rows": self._call_each(request)}
        return answered | {"seconds": time.process_time() - begin}

    def _load(self, text: str, file: str) -> dict:
        """Run a text, and keep the functions that it defines."""
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        printed = Printed()
        try:
            with (
                redirect_stdout(printed),
                redirect_stderr(printed),
                catch_warnings(action="ignore"),
            ):
                exec(compile(text, file, "exec"), self.space)
        except OutOfTime:
            raise
        except BaseException as error:
            return describe(error, None)
        return {}

    def _call_each(self, request: dict) -> list[dict]:
        """Call a function with one input after another, until a call takes too many steps."""
        name = request["name"]
        function = self.functions.get(name) or self.space.get(name)
        rows = []
        for sent in request["inputs"]:
            row = self._call(function, sent, request)
            rows.append(row)
            if "too_long" in row:
                break
        return rows

    def _call(self, function: Callable, sent, request: dict) -> dict:
        printed = Printed()
        arguments = unpack(sent, self.functions)
        begin = time.process_time()
        is_apart = self.left is None
        if is_apart:
            most = MOST_OF_A_SHORT_CALL if request["steps"] else MOST_OF_A_CALL
            _end_after(request["seconds"] + 1 if request["seconds"] else most)
        try:
            if request["seconds"]:
                value = run_for(function, arguments, printed, request["seconds"], request["times"])
            else:
                end = 0 if is_apart else begin + self.left
                value = run_bounded(function, arguments, printed, request["steps"], end)
            row = {"value": pack(value)}
            if pack(arguments, names_of(self.functions)) != sent:
                row["changed"] = True
        except TooManySteps:
            row = {"too_long": True}
        except OutOfTime:
            if not request["seconds"]:
                raise
            row = {"too_long": True}
        except BaseException as error:  # a learner's code may raise anything
            if isinstance(error, KeyboardInterrupt) and not is_apart:
                raise  # somebody is interrupting the notebook itself
            row = describe(error, function)
        finally:
            if is_apart:
                _end_after(0)
        row["seconds"] = time.process_time() - begin
        if not is_apart and not request["seconds"]:
            self.left -= row["seconds"]
        if text := printed.getvalue():
            row["printed"] = text
        return row


def _end_after(seconds: float) -> None:
    """End this process when it has used ``seconds`` of processor time; never if ``seconds`` is 0.

    An endless loop inside Python itself, such as sum(itertools.count()), can't be told to stop.
    """
    if has_alarm():
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def _is_simple(key) -> bool:
    parts = key if type(key) is tuple else (key,)
    return all(type(part) in SIMPLE for part in parts)


def names_of(functions: dict[str, Callable]) -> dict[int, str]:
    """Return the names of functions by their ids (id -> name), as `pack` wants them."""
    return {id(function): name for name, function in functions.items()}


def describe(error: BaseException, function: Callable | None) -> dict:
    """Return an error as data: the names of its class and base classes, its text, its place."""
    code = None
    if function is not None:  # `if function` could run a learner's code, and raise
        code = getattr(inspect.unwrap(function), "__code__", None)
    place, trace = None, error.__traceback__
    while code and trace:
        if trace.tb_frame.f_code.co_filename == code.co_filename:
            place = trace
        trace = trace.tb_next
    try:
        why = str(error)[:LONGEST_WHY]
    except Exception:  # its own __str__ fails
        why = ""
    row = {"error": [kind.__name__ for kind in type(error).__mro__], "why": why, "line": 0}
    return row | (_look_at(place) if place else {})


def _look_at(place: TracebackType) -> dict:
    """Return the number of a line, the code in it that failed, and the values of its names."""
    frame = place.tb_frame
    positions = islice(frame.f_code.co_positions(), place.tb_lasti // 2, None)
    first, last, begin, end = next(positions, (None,) * 4)
    line = linecache.getline(frame.f_code.co_filename, place.tb_lineno)
    failed = line.encode()[begin:end].decode(errors="replace") if first == last else ""
    values = {}
    for name in re.findall(r"[^\W\d]\w*", line)[:MOST_NAMES]:
        for space in (frame.f_locals, frame.f_globals):
            if name in space:
                values[name] = _seen(space[name])
                break
    return {"line": place.tb_lineno, "code": failed[:LONGEST_WHY], "values": values}


def _seen(value) -> dict:
    """Return a value's type, and its text, length and first key if finding them runs no code."""
    kind = type(value)
    seen = {"type": kind.__name__}
    if kind in SIMPLE and not (kind is int and abs(value) >= 10**LONGEST_SEEN):
        seen["text"] = repr(value)[:LONGEST_SEEN]
    if kind in HOLDING:
        seen["length"] = len(value)
    if kind is dict and value and _is_simple(key := next(iter(value))):
        seen |= {"key": repr(key)[:LONGEST_SEEN], "key_type": type(key).__name__}
    return seen


def serve(requests: Iterable[str], answers, answering: Answering) -> None:
    """Answer requests, one line each, until there are no more."""
    builtins.input = ask_nobody
    for line in requests:
        answered = answering.answer(json.loads(line))
        answers.write(json.dumps(answered) + "\n")
        answers.flush()


def ask_nobody(*_prompt):
    """Take the place of `input`."""
    raise EOFError("nobody answers input() in a check")


# ---- a child process that may change nothing -------------------------------------------

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
LOOKING = {"os.listdir", "os.scandir", "os.walk", "os.fwalk"}  # an import does this, too
ACTING = ("os.", "subprocess.", "socket.", "shutil.", "ctypes.", "pty.", "signal.", "tempfile.")
ACTING += ("ftplib.", "http.", "imaplib.", "poplib.", "smtplib.", "urllib.", "webbrowser.")
ACTING += ("fcntl.", "msvcrt.", "winreg.", "_winapi.", "mmap.", "sqlite3.", "syslog.", "resource.")
_refusing = False


@contextmanager
def nothing_done():
    """Refuse all that acts on the world: writing or removing files, processes, sockets."""
    global _refusing
    if not _hooked:
        sys.addaudithook(_refuse)  # a hook stays for ever; it can only be told to let all pass
        _hooked.append(True)
    _refusing = True
    try:
        yield
    finally:
        _refusing = False


_hooked: list[bool] = []


def _refuse(event: str, arguments: tuple) -> None:
    if not _refusing:
        return
    if event == "open":
        acts = bool((arguments[2] or 0) & WRITING)
    else:
        acts = event.startswith(ACTING) and event not in LOOKING
    if acts:
        raise PermissionError(f"a changed function may not do this: {event}")


# ---- a bare child process --------------------------------------------------------------


def main() -> None:
    """Answer requests at the standard streams; the functions come as texts."""
    requests, answers = take_the_pipes()
    space = {"__name__": "handed_in", "__builtins__": builtins}
    end_by(serve, requests, answers, Answering(space, {}))


def take_the_pipes():
    """Return the streams of requests and answers; from now on the standard streams lead nowhere."""
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    return requests, answers


def end_by(work: Callable, *arguments) -> None:
    """Do some work and end this process, with a status that says why the work was cut short."""
    status = 1
    try:
        work(*arguments)
        status = 0
    except OutOfTime:
        status = OUT_OF_TIME
    except MemoryError:
        status = OUT_OF_MEMORY
    finally:
        with suppress(BaseException):
            sys.settrace(None)
        os._exit(status)  # everything else that is open belongs to the parent


def code_of(text: str, name: str) -> CodeType | None:
    """Return the code of a function in a text; the text is compiled, but not run.

    >>> code_of("def low(x):\\n    return x", "low").co_name
    'low'
    """
    for part in compile(text, "<text>", "exec").co_consts:
        if inspect.iscode(part) and part.co_name == name:
            return part
    return None


def is_unwritten(code) -> bool:
    """Return whether a function is still unwritten: its code does nothing but return None."""
    idle = {"NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}
    return inspect.iscode(code) and all(
        step.opname == "RESUME" or (step.opname in idle and step.argval is None)
        for step in dis.get_instructions(code)
    )
