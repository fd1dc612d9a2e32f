"""Run a learner's answer within bounds: it may not run for ever, and may not end Python.

The bounds are counted in steps and in the processor's time, so that a verdict is the same on a
busy machine. What can't be decided within them raises `OutOfTime`.
"""

import builtins
import dis
import inspect
import json
import math
import os
import select
import signal
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import redirect_stdout, suppress
from contextvars import ContextVar
from functools import cache
from io import StringIO

try:
    import resource
except ImportError:  # Windows, a browser
    resource = None

MOST_STEPS = 1_000_000  # of the interpreter, in the learner's own code, on one input
STEPS_OF_A_LINE = 4  # or more: counting each one would take several times as long
ON_THE_SPOT = bytes([dis.opmap["JUMP_BACKWARD"], 1])  # `while True: pass`: no round is a line
MOST_SECONDS = 10  # of the processor, for a whole check, all inputs together
LONGEST_WAIT = 60  # seconds of the clock, for an answer that sleeps
MOST_BYTES = 2 * 2**30  # of memory that an answer may take
END = ContextVar("END", default=math.inf)  # when the running check has used its processor time
CLOCK = getattr(time, "thread_time", time.process_time)  # fine even where a limit is set
OUT_OF_TIME = 75  # how a process of ours says so when it ends
UNBOUNDED = """\
This kernel can't start processes, so here a check limits steps and time only while it runs Python
code that you wrote, and memory not at all. If it hangs, restart the kernel."""


class TooManySteps(BaseException):
    """A function takes too many steps. Not an Exception, so that ``except Exception`` misses it."""


class OutOfTime(BaseException):
    """A check takes too long to be decided."""

    def __str__(self) -> str:
        return "not decided, it takes too long. Does all of it come to an end? Then try again."


def run_bounded(function: Callable, arguments: tuple, printed: StringIO | None = None, most=0):
    """Return what a function gives; raise `TooManySteps` or `OutOfTime` if it does not end.

    What it prints goes to ``printed``, or is not shown. Only steps in the learner's own code count,
    not those in libraries; an endless loop ends after the same number on every computer.

    >>> run_bounded(max, (3, 4))
    4
    """
    steps = events = 0
    limit = most or MOST_STEPS
    end = END.get()
    own = getattr(inspect.unwrap(function), "__globals__", None)  # all cells share these names

    def watch(frame, event, argument):
        nonlocal steps, events
        if steps > limit or events % 32 == 0:  # to ask for the time takes longer than many a call
            # What is raised while a generator is closed is lost, and tracing ends with it.
            may_be_lost = frame.f_code.co_flags & inspect.CO_GENERATOR
            if not may_be_lost and time.process_time() > end:
                raise OutOfTime
            if steps > (2 * limit if may_be_lost else limit):
                raise TooManySteps(f"{MOST_STEPS:,} steps")
        events += 1
        if own is not None and frame.f_globals is not own:
            return None
        if event == "call":
            frame.f_trace_opcodes = ON_THE_SPOT in frame.f_code.co_code
        steps += STEPS_OF_A_LINE
        return watch

    before = sys.gettrace()
    sys.settrace(watch)
    try:
        with redirect_stdout(printed or StringIO()):
            return function(*arguments)
    finally:
        sys.settrace(before)


def measure_seconds(function: Callable, arguments: tuple, most: float = math.inf) -> float:
    """Return the seconds of the processor that a call takes: inf if it fails, or takes ``most``.

    >>> measure_seconds(max, (3, 4)) < measure_seconds(max, ()) == math.inf
    True
    """
    begin = CLOCK()  # so that other programs don't count
    end = begin + most
    has_timer = hasattr(signal, "setitimer")

    def stop(*_event):
        if CLOCK() > end:
            raise OutOfTime
        return stop

    if not has_timer:
        sys.settrace(stop)  # the course's function is slowed down by this as well
    elif most < math.inf:
        signal.signal(signal.SIGPROF, stop)
        # Again and again, since one may be lost, but late enough that the first is dealt with.
        signal.setitimer(signal.ITIMER_PROF, most, max(most, 0.25))
    try:
        try:
            with redirect_stdout(StringIO()):
                function(*arguments)
        finally:
            seconds, end = CLOCK() - begin, math.inf  # an alarm that comes late stops nothing
    except RecursionError:  # not slow, but too deep
        raise
    except (Exception, SystemExit, OutOfTime):
        return math.inf
    finally:
        if has_timer:
            signal.setitimer(signal.ITIMER_PROF, 0)
        else:
            sys.settrace(None)
    return seconds


def run_apart(function: Callable, arguments: tuple, seconds: float = 0):
    """Return what a function gives, something that JSON can hold, within bounds.

    Where a process can be forked (Linux, macOS), the function runs in one of its own, which is
    killed at the end, with all that it has started. There, a library with threads, such as PyTorch,
    may wait for them in vain. Elsewhere (Windows, a browser), `UNBOUNDED` is said once.

    >>> run_apart(divmod, (7, 2))
    [3, 1]

    Raises `OutOfTime`, and ChildProcessError if Python itself is ended.
    """
    reading, writing = os.pipe()
    try:
        with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
            child = os.fork()  # Python 3.12 warns because of threads; the child needs none
    except (OSError, AttributeError):  # found out by trying: a browser has the name alone
        os.close(reading)
        os.close(writing)
        _say_once(UNBOUNDED)
        return _run_here(function, arguments, seconds)
    if child == 0:
        try:
            os.setsid()  # a group of its own, which ends with it
            _limit(seconds or MOST_SECONDS)
            with open(writing, "w") as pipe:
                pipe.write(json.dumps(_run_here(function, arguments, seconds)) + "\n")
        except (OutOfTime, MemoryError):
            os._exit(OUT_OF_TIME)
        finally:
            os._exit(0)  # everything else that is open belongs to the parent
    os.close(writing)
    line = b""
    end = time.monotonic() + LONGEST_WAIT  # also for a line that never ends
    with open(reading, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], max(0, end - time.monotonic()))[0]:
            part = pipe.read(65_536)
            line += part
            if not part or part.endswith(b"\n"):
                break
    status = end_group(child)
    if line.endswith(b"\n"):
        return json.loads(line)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != OUT_OF_TIME:
        raise ChildProcessError("your function ended Python itself")
    raise OutOfTime


@cache
def _say_once(text: str) -> None:
    print(text)


def _run_here(function: Callable, arguments: tuple, seconds: float = 0):
    """Return what a function gives; its time is limited where it is traced."""
    before = END.set(time.process_time() + (seconds or MOST_SECONDS))
    ask, builtins.input = builtins.input, _ask_nobody
    try:
        return function(*arguments)
    finally:
        builtins.input = ask
        END.reset(before)


def _limit(most: float) -> None:
    """Limit the time and memory of this process, and of each that it starts."""
    seconds = math.ceil(most) + 1  # what is traced ends before
    with suppress(OSError, ValueError):  # a stricter limit is set already
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
        with open("/proc/self/statm") as file:  # Linux: how much it has now, in pages
            held = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + MOST_BYTES,) * 2)


def end_group(leader: int) -> int:
    """End a process and all those of its group; return its status."""
    with suppress(OSError):  # it has ended already, or has no group yet
        os.killpg(leader, signal.SIGKILL)
    with suppress(OSError):
        os.kill(leader, signal.SIGKILL)
    return os.waitpid(leader, 0)[1]


def _ask_nobody(*prompt):
    raise EOFError("nobody answers input() in a check")
