"""Run a learner's answer within bounds: it may not run for ever, and may not end Python."""

import builtins
import inspect
import json
import math
import os
import signal
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout
from contextvars import ContextVar
from io import StringIO
from threading import Timer

MOST_STEPS = 1_000_000  # of the interpreter, in the learner's own code, on one input
MOST_SECONDS = 5  # for a whole check, all inputs together
END = ContextVar("END", default=math.inf)  # when the running check is out of time


class TooManySteps(BaseException):
    """A function takes too many steps. Not an Exception, so that ``except Exception`` misses it."""


class OutOfTime(BaseException):
    """A check takes too long."""

    def __str__(self) -> str:
        return f"the check takes more than {MOST_SECONDS} seconds: does all of it come to an end?"


def run_bounded(function: Callable, arguments: tuple, printed: StringIO | None = None):
    """Return what a function gives; raise `TooManySteps` or `OutOfTime` if it does not end.

    What the function prints goes to ``printed``, or is not shown at all.

    Steps are counted, so that an endless loop ends after the same number on every computer. Only
    steps in the learner's own code count, not those in the libraries that it calls.

    >>> run_bounded(max, (3, 4))
    4
    """
    steps = 0
    end = END.get()
    own = getattr(inspect.unwrap(function), "__globals__", None)  # all cells share these names

    def watch(frame, event, argument):
        nonlocal steps
        if (event == "call" or steps % 1000 == 0) and time.monotonic() > end:
            raise OutOfTime
        if own is not None and frame.f_globals is not own:
            return None
        frame.f_trace_opcodes = (
            True  # a loop on a single line need not cause an event in each round
        )
        steps += 1
        if steps > MOST_STEPS:
            raise TooManySteps(f"{MOST_STEPS:,} steps")
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        with redirect_stdout(printed or StringIO()):
            return function(*arguments)
    finally:
        sys.settrace(before)


def measure_seconds(function: Callable, arguments: tuple) -> float:
    """Return how long a call keeps the processor busy, without counting steps; inf if it fails.

    >>> measure_seconds(max, (3, 4)) < measure_seconds(max, ()) == math.inf
    True
    """
    begin = time.process_time()  # so that other programs don't count
    try:
        with redirect_stdout(StringIO()):
            function(*arguments)
    except (Exception, SystemExit):  # too deep a recursion, for instance
        return math.inf
    return time.process_time() - begin


def run_apart(function: Callable, arguments: tuple):
    """Return what a function gives, something that JSON can hold, in bounded time.

    Where a process can be forked (Linux, macOS), the function runs in a process of its own, which
    is killed when the time is over. Elsewhere (Windows, a browser) the time is checked only while
    `run_bounded` runs Python code. There a bare ``except`` in an endless loop, a long sleep, an
    endless ``__repr__`` and endless work in C still hang. In a forked process, a library with
    threads of its own, such as PyTorch, may wait for them in vain; no exercise needs one.

    >>> run_apart(divmod, (7, 2))
    [3, 1]

    Raises `OutOfTime`, and ChildProcessError if Python itself is ended.
    """
    end = time.monotonic() + MOST_SECONDS
    if not hasattr(os, "fork"):
        before = END.set(end)
        try:
            return function(*arguments)
        finally:
            END.reset(before)
    reading, writing = os.pipe()
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
        child = os.fork()  # Python 3.12 warns because of threads; the child needs none
    if child == 0:
        try:
            END.set(end)
            builtins.input = _ask_nobody
            with open(writing, "w") as pipe:
                json.dump(function(*arguments), pipe)
        finally:
            os._exit(0)  # everything else that is open belongs to the parent
    os.close(writing)
    killer = Timer(MOST_SECONDS + 1, os.kill, (child, signal.SIGKILL))
    killer.start()
    try:
        with open(reading) as pipe:
            result = pipe.read()
    finally:
        killer.cancel()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    if result:
        return json.loads(result)
    if time.monotonic() > end:
        raise OutOfTime
    raise ChildProcessError("your function ended Python itself")


def _ask_nobody(*prompt):
    raise EOFError("nobody answers input() in a check")
