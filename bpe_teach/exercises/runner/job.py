"""Job: a process with which lines are exchanged, and which ends with all that it has started.

There are three processes: the parent, which asks; the worker, which answers; and between the two a
warden, whose only work is to end processes. The warden waits at a pipe that nobody but the parent
holds. When the parent closes the pipe, or ends for any reason (Ctrl-C, SIGTERM, SIGKILL, a crash),
the warden wakes, and ends the worker and the worker's group. On Linux it also ends processes that
have left the group, since a process that loses its parent becomes a child of the warden there.

Where no process can be forked (Windows, a browser), `Job` raises OSError.
"""

import ctypes
import errno
import os
import selectors
import signal
import time
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

try:
    import resource
except ImportError:  # Windows, a browser
    resource = None

NO_FORK = not hasattr(os, "fork")
CHUNK = 65_536  # bytes to read at once
LONGEST_COMPLAINT = 4000  # bytes to keep from the end of standard error
SET_PARENT_DEATH_SIGNAL, SET_CHILD_SUBREAPER = 1, 36  # Linux: options of `prctl`


class Limits(NamedTuple):
    """What a worker, and each process that it starts, may use. None means no limit."""

    seconds: int | None = None  # of the processor
    wait: float | None = None  # seconds of the clock, for all answers together
    memory: int | None = None  # bytes beyond those at the beginning; Linux only
    line: int = 32_000_000  # bytes of an answer


class TooLong(ValueError):
    """An answer is longer than the limit ``line`` allows."""


class Job:
    """A worker that reads lines from its standard input and answers on its standard output.

    ``work`` is a command, or a function that is called in a fork of this process. If ``listens`` is
    true, the last part of what ``work`` writes to standard error is kept in ``complaint``.

    Raises OSError if the worker can't be started.
    """

    def __init__(self, work: Sequence[str] | Callable, limits: Limits, *, env=None, listens=False):
        self.limits = limits
        self.status: int | None = None  # how the worker ended; below 0: a signal's number
        self.complaint = b""
        self.outgoing = b""
        self.incoming = b""
        self.is_over = False  # whether the worker has closed its standard output
        self.end = time.monotonic() + limits.wait if limits.wait else None
        if NO_FORK:
            raise OSError(errno.ENOSYS, "no process can be forked")
        # Each pipe has two ends: one to read from, and one to write to.
        pipes = {name: os.pipe() for name in ("ask", "answer", "complain", "life", "start", "fate")}
        theirs = Ends(
            ask=pipes["ask"][0],
            answer=pipes["answer"][1],
            complain=pipes["complain"][1] if listens else None,
            life=pipes["life"][0],
            start=pipes["start"][1],
            fate=pipes["fate"][1],
        )
        try:
            with warnings.catch_warnings(action="ignore", category=DeprecationWarning):
                self.warden = os.fork()  # Python 3.12 warns because of threads; the fork has none
        except OSError:  # found out by trying: a browser has os.fork, but can't fork
            for pipe in pipes.values():
                _close(*pipe)
            raise
        if self.warden == 0:
            try:
                watch(work, theirs, limits, env)
            finally:
                os._exit(1)  # never return to the parent's own code
        _close(*[end for pipe in pipes.values() for end in pipe if end in theirs])
        self.ask, self.life = pipes["ask"][1], pipes["life"][1]
        self.answer, self.fate = pipes["answer"][0], pipes["fate"][0]
        self.complain = pipes["complain"][0]
        if not listens:
            _close(pipes["complain"][1])
        os.set_blocking(self.ask, False)
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.answer, selectors.EVENT_READ)
        if listens:
            self.selector.register(self.complain, selectors.EVENT_READ)
        self._await_start(pipes["start"][0], None if callable(work) else work[0])

    def _await_start(self, start: int, name: str | None) -> None:
        """Wait until the worker runs; if it can't be started, raise the OSError that says why."""
        try:
            said = os.read(start, 20)  # nothing, once the command has taken over
        finally:
            _close(start)
        if said:
            self.close()
            raise OSError(int(said), os.strerror(int(said)), name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, line: bytes) -> None:
        """Send a line, without waiting until the worker reads the line."""
        if self.status is None:
            self.outgoing += line

    def has_answer(self) -> bool:
        """Return whether a line from the worker has come that nobody has read yet."""
        self._exchange(0)
        return b"\n" in self.incoming

    def read_line(self, seconds: float | None = None) -> bytes | None:
        """Return the next line of the worker, None if no line will come.

        Raises TimeoutError if no line comes in time, and `TooLong` if the line is too long.
        """
        end = self.end
        if seconds is not None:
            end = time.monotonic() + seconds
        while b"\n" not in self.incoming:
            if len(self.incoming) > self.limits.line:
                raise TooLong(f"an answer has more than {self.limits.line:,} bytes")
            if self.is_over:
                line, self.incoming = self.incoming, b""
                return line or None
            left = None if end is None else end - time.monotonic()
            if left is not None and left <= 0:
                raise TimeoutError
            self._exchange(left)
        line, newline, self.incoming = self.incoming.partition(b"\n")
        return line + newline

    def _exchange(self, seconds: float | None) -> None:
        """Wait until writing or reading is possible; write and read as much as possible."""
        if self.status is not None:
            return
        if self.outgoing:
            self.selector.register(self.ask, selectors.EVENT_WRITE)
        try:
            ready = [key.fd for key, _ in self.selector.select(seconds)]
        finally:
            if self.outgoing:
                self.selector.unregister(self.ask)
        for end in ready:
            if end == self.ask:
                self._write()
            else:
                self._read(end)

    def _write(self) -> None:
        try:
            self.outgoing = self.outgoing[os.write(self.ask, self.outgoing[:CHUNK]) :]
        except OSError:  # the worker has closed its standard input, or ended
            self.outgoing = b""

    def _read(self, end: int) -> None:
        part = os.read(end, CHUNK)
        if not part:
            self.selector.unregister(end)
        if end == self.complain:
            self.complaint = (self.complaint + part)[-LONGEST_COMPLAINT:]
        else:
            self.incoming += part
            self.is_over = not part

    def close(self) -> int:
        """End the worker and all that it has started; return its status."""
        if self.status is None:
            self.selector.close()
            _close(self.life, self.ask)  # now the warden wakes
            os.waitpid(self.warden, 0)
            self.status = int(os.read(self.fate, 20) or -signal.SIGKILL)
            _close(self.answer, self.complain, self.fate)
        return self.status

    def finish(self, seconds: float) -> int | None:
        """Return the worker's status if it ends without help within ``seconds``, else None."""
        end = time.monotonic() + seconds
        with suppress(OSError, ValueError, KeyError):
            while self.status is None and time.monotonic() < end:
                with selectors.DefaultSelector() as selector:
                    selector.register(self.fate, selectors.EVENT_READ)
                    if selector.select(0.01):
                        self._exchange(0)  # the worker's last words
                        return self.close()
                self._exchange(0)
        return self.status


class Ends(NamedTuple):
    """The ends of the pipes, as file descriptors, that the warden and the worker hold."""

    ask: int
    answer: int
    complain: int | None
    life: int
    start: int
    fate: int


def _close(*ends: int) -> None:
    for end in ends:
        with suppress(OSError):
            os.close(end)


# ---- the warden ------------------------------------------------------------------------


def watch(work: Sequence[str] | Callable, ends: Ends, limits: Limits, env) -> None:
    """Be the warden: start the worker, wait for the parent to let go, end all; never return."""
    os.setsid()  # Ctrl-C is for the parent
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    _lead_to_nowhere([end for end in ends if end is not None])
    _prctl(SET_CHILD_SUBREAPER, 1)
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)  # a byte comes there when a child of ours ends
    worker = os.fork()
    if worker == 0:
        signal.set_wakeup_fd(-1)
        _close(woken, wake, ends.life, ends.fate)
        be_the_worker(work, ends, limits, env)
    _close(*[end for end in (ends.ask, ends.answer, ends.complain, ends.start) if end is not None])
    status = None
    with selectors.DefaultSelector() as selector:
        selector.register(ends.life, selectors.EVENT_READ)
        selector.register(woken, selectors.EVENT_READ)
        is_wanted = True
        while is_wanted and status is None:
            for key, _ in selector.select():
                if key.fd == ends.life:
                    is_wanted = False
                else:
                    os.read(woken, CHUNK)
                    status = _bury(worker, os.WNOHANG)
    status = _end_all(worker, status)
    os.write(ends.fate, str(status).encode())
    os._exit(0)


def _end_all(worker: int, status: int | None) -> int:
    """End the worker, its group, and what has left the group; return the worker's status."""
    with suppress(OSError):  # the worker has already ended, or has no group yet
        os.killpg(worker, signal.SIGKILL)
    with suppress(ChildProcessError):  # until there are no children
        while True:
            for process in _children():
                with suppress(OSError):
                    os.kill(process, signal.SIGKILL)
            ended, code = os.waitpid(-1, 0)
            if ended == worker:
                status = os.waitstatus_to_exitcode(code)
    return -signal.SIGKILL if status is None else status


def _bury(worker: int, options: int) -> int | None:
    """Collect all children that have ended; return the worker's status if it is among them."""
    status = None
    with suppress(ChildProcessError):
        while True:
            ended, code = os.waitpid(-1, options)
            if ended == 0:
                break
            if ended == worker:
                status = os.waitstatus_to_exitcode(code)
    return status


def _children() -> list[int]:
    """List the children of this process (Linux); a process that loses its parent is among them."""
    me = os.getpid()
    with suppress(OSError):
        return [int(n) for n in Path(f"/proc/{me}/task/{me}/children").read_text().split()]
    found = []
    for folder in Path("/proc").glob("[0-9]*"):  # if the kernel has no such list
        with suppress(OSError, ValueError, IndexError):
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if int(parent) == me:
                found.append(int(folder.name))
    return found


def _lead_to_nowhere(keep: list[int]) -> None:
    """Lead to nowhere what was inherited, except ``keep``: sockets of a notebook, open files.

    The numbers of these files stay taken. If they were free, a pipe of ours could get the number of
    a learner's file, and a read of that file would be a read of our pipe.
    """
    nowhere = os.open(os.devnull, os.O_RDWR)
    with suppress(OSError):  # neither Linux nor macOS
        for number in map(int, os.listdir("/dev/fd")):
            if number > 2 and number not in (*keep, nowhere):
                with suppress(OSError):
                    os.fstat(number)  # fails for the descriptor of the list itself
                    os.dup2(nowhere, number, inheritable=False)


def _prctl(option: int, value: int) -> None:
    with suppress(OSError, AttributeError):  # not Linux
        ctypes.CDLL(None).prctl(option, int(value), 0, 0, 0)


# ---- the worker ------------------------------------------------------------------------


def be_the_worker(work: Sequence[str] | Callable, ends: Ends, limits: Limits, env) -> None:
    """Run a command, or a function, with the pipes as standard streams; never return."""
    try:
        _prctl(SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)  # if somebody ends the warden
        os.setsid()  # the worker gets a group of its own, which ends with it
        for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        _limit(limits)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(ends.ask, 0)
        os.dup2(ends.answer, 1)
        os.dup2(nowhere if ends.complain is None else ends.complain, 2)
        if callable(work):
            _close(*[end for end in ends if end is not None])
            work()
        else:
            signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # Python ignores it, others shouldn't
            os.execvpe(work[0], list(work), os.environ if env is None else env)
    except OSError as error:
        with suppress(OSError):
            os.write(ends.start, str(error.errno).encode())
    finally:
        os._exit(1)


def _limit(limits: Limits) -> None:
    """Limit the time and memory of this process, and of each process that it starts."""
    if resource is None:
        return
    with suppress(OSError, ValueError):  # a stricter limit is set already
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limits.seconds is not None:
            resource.setrlimit(resource.RLIMIT_CPU, (limits.seconds, limits.seconds + 1))
        if limits.memory is not None:
            with open("/proc/self/statm") as file:  # Linux: how much memory it has now, in pages
                held = int(file.read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (held + limits.memory,) * 2)
