"""Program: ask another program, which reads requests from standard input and answers line by line.

It runs in a process of its own. If it crashes, hangs, prints something else or closes its pipes,
the case fails, and the program is started again for the next case.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

from bpe_teach.conform.cases import Case

SECONDS = 10  # for an answer
SECONDS_TO_START = 30  # for the first answer after a start
SECONDS_IN_ALL = 120
STARTS = 4  # the first one, and three more
SILENCES = 2  # to tolerate from a program that has never answered
LIBRARIES = ("tokenizers", "tiktoken")
LONGEST_LINE = 10_000_000  # bytes of an answer
LONGEST_COMPLAINT = 500  # bytes to keep of the end of standard error


@dataclass(frozen=True, eq=False)
class Result:
    """The result of a case: "passed", "failed", "skipped" or "not run"."""

    case: Case
    result: str
    got: dict


class Stopped(Exception):
    """The program can't be asked any more: it has ended, or doesn't answer."""


class Silent(Stopped):
    """The program doesn't answer."""


def find_command(program: Sequence[str], library: str | None = None) -> list[str]:
    """Return the command to run for a program; Python files and libraries need an adapter.

    >>> find_command(["node", "bpe.js"])
    ['node', 'bpe.js']
    """
    adapter = [sys.executable, "-m", "bpe_teach.conform.adapter"]
    if library is not None:
        return [*adapter, "--library", library]
    if len(program) == 1 and program[0].endswith(".py"):
        os.stat(program[0])  # OSError if there is no such file
        return [*adapter, program[0]]
    return list(program)


class Program:
    """A program that has been started."""

    def __init__(self, command: Sequence[str]):
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        path = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
        ours = {"PYTHONUTF8": "1", "PYTHONPATH": os.pathsep.join(filter(None, path))}
        settings = {"env": os.environ | ours, "start_new_session": True}
        self.process = subprocess.Popen(command, **pipes, **settings)
        self.answers = Queue(maxsize=100)  # lines; None after the last
        self.complaint = b""
        self.seconds = SECONDS_TO_START
        # Threads read and write, so that a program that does neither can't block us.
        self.listener = Thread(target=self._listen, daemon=True)
        self.listener.start()
        Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        with suppress(ValueError, OSError):  # closed
            while line := self.process.stdout.readline(LONGEST_LINE):
                self.answers.put(line)
        self.answers.put(None)

    def _listen(self) -> None:
        with suppress(ValueError, OSError):
            while written := self.process.stderr.read1():
                self.complaint = (self.complaint + written)[-LONGEST_COMPLAINT:]

    def _write(self, line: bytes) -> None:
        with suppress(ValueError, OSError):  # the program has closed its standard input, or ended
            self.process.stdin.write(line)
            self.process.stdin.flush()

    def ask(self, request: dict, seconds: float) -> dict:
        """Return the answer to a request, or {"garbage": …}; raise `Stopped` if there is none."""
        seconds = min(seconds, self.seconds)
        end = time.monotonic() + seconds
        line = json.dumps(request, ensure_ascii=False) + "\n"
        Thread(target=self._write, args=(line.encode("utf-8"),), daemon=True).start()
        while True:
            try:
                line = self.answers.get(timeout=max(0, end - time.monotonic()))
            except Empty:
                raise Silent(f"no answer within {seconds:.0f} seconds") from None
            if line is None:
                raise Stopped(self._how_it_ended())
            self.seconds = SECONDS
            answer = read_answer(line, request["id"])
            if answer is not None:
                return answer

    def _how_it_ended(self) -> str:
        try:
            status = f"the program ended with status {self.process.wait(timeout=1)}"
        except subprocess.TimeoutExpired:
            status = "the program closed its standard output"
        self.listener.join(timeout=1)
        *_, last = [b"", *self.complaint.splitlines()]
        said = last.decode("utf-8", "backslashreplace").strip()
        return f"{status}: {said}" if said else status

    def end(self) -> None:
        """End the program, and all processes it has started."""
        with suppress(OSError):  # it has ended already
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        self.process.wait()


def read_answer(line: bytes, number: int) -> dict | None:
    """Return the answer in a line; None if it is a late answer to an earlier request.

    >>> read_answer(b'{"id": 2, "ids": [256]}', 2), read_answer(b'{"id": 1, "ids": []}', 2)
    ({'ids': [256]}, None)
    >>> read_answer(b'loading ...', 2)
    {'garbage': 'not a line of JSON: loading ...'}
    """
    shown = line[:80].decode("utf-8", "backslashreplace").strip()
    try:
        answer = json.loads(line)
    except (ValueError, RecursionError):
        return {"garbage": f"not a line of JSON: {shown}"}
    if not isinstance(answer, dict) or type(answer.get("id")) is not int:
        return {"garbage": f"not an object with an id: {shown}"}
    if answer["id"] > number:
        return {"garbage": f"the id is not {number}: {shown}"}
    return answer if answer.pop("id") == number else None


def run_cases(
    command: Sequence[str], cases: Iterable[Case], seconds: float = SECONDS_TO_START
) -> list[Result]:
    """Give a program all cases and return the results; wait up to ``seconds`` for each.

    After a hang or a crash the program is started again, at most three times. A program that has
    never answered and is silent twice is not asked again. The remaining cases are "not run".

    Raises OSError if the program cannot be started at all.
    """
    end = time.monotonic() + SECONDS_IN_ALL
    results = []
    program = None
    starts = 0
    silences = 0
    has_answered = False
    try:
        for number, case in enumerate(cases, 1):
            left = end - time.monotonic()
            is_mute = silences == SILENCES and not has_answered
            if left <= 0 or is_mute or (program is None and starts == STARTS):
                results.append(Result(case, "not run", {}))
                continue
            if program is None:
                program = Program(command)
                starts += 1
            try:
                got = program.ask({"id": number, **case.request}, min(seconds, left))
                has_answered = True
            except Stopped as stopped:
                program.end()
                program = None
                silences += isinstance(stopped, Silent)
                got = {"silent" if isinstance(stopped, Silent) else "stopped": str(stopped)}
            results.append(Result(case, case.judge(got), got))
    finally:
        if program is not None:
            program.end()
    return results
