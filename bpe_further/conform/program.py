"""Program: ask another program, which reads requests from standard input and answers line by line.

The program runs in a process of its own, as an answer of a notebook does. If it crashes, hangs,
prints something else or closes its pipes, the case fails, and the program is started again for the
next.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from queue import Empty, Queue
from threading import Thread

from bpe_further.conform import numbers
from bpe_further.conform.cases import WORK, Case
from bpe_further.conform.judge import Result, judge
from bpe_teach.exercises.runner.job import LONGEST_COMPLAINT, Job, Limits, TooLong

SECONDS = 8  # for an answer
SECONDS_TO_START = 30  # for the first answer
SECONDS_IN_ALL = 120
STARTS = 100  # at most
IN_VAIN = 8  # crashes one after the other, without an answer in between
SILENCES = 3  # to tolerate where the same is asked for
LONGEST_LINE = 1_000_000  # bytes of an answer
UNTELLING = ("note: run with", "Node.js v")  # how lines begin that say nothing of a crash
NAMED = re.compile(r"[\w.]*(Error|Exception)\b")  # what happened, as Python and JavaScript say it
HALF = "it holds half of a surrogate pair: are symbols parts of characters beyond 16 bits?"
RULES = ["any", "first", "greatest", "lowest_id"]  # to try where ties may fall in any way


def is_python(program: Sequence[str]) -> bool:
    """Return whether the name is that of a Python file or a folder, which needs our adapter."""
    return len(program) == 1 and (program[0].endswith(".py") or Path(program[0]).is_dir())


def find_command(program: Sequence[str], name: str | None = None) -> list[str]:
    """Return the command that runs a program; ``name`` chooses a class of a file or a folder."""
    if not is_python(program):
        return list(program)
    os.stat(program[0])  # OSError if there is no such file
    names = [] if name is None else [name]
    # With -P, no file of theirs, such as regex.py, takes the place of a library of ours.
    return [sys.executable, "-P", "-m", "bpe_further.conform.adapter", program[0], *names]


class TestedProgram:
    """A program that has been started; it answers JSON, or lines of numbers."""

    def __init__(self, command: Sequence[str], by_numbers: bool, seconds_to_start: float):
        self.by_numbers = by_numbers
        path = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours = {"PYTHONUTF8": "1", "PYTHONPATH": os.pathsep.join(filter(None, path))}
        ours[WORK] = self.folder.name
        self.job = start_job(command, os.environ | ours)
        self.seconds = seconds_to_start

    def ask(self, request: dict, left: float) -> dict:
        """Return the answer to a request, or one of "garbage", "fault", "silent", "stopped".

        After the last two, the program can't be asked any more.
        """
        is_early = self.by_numbers and self.job.has_answer()
        seconds = min(self.seconds, left)
        end = time.monotonic() + seconds
        if self.by_numbers:
            line = numbers.to_line(request)
        else:
            line = json.dumps(request, ensure_ascii=False)
        if not is_early:
            self.job.send(f"{line}\n".encode())
        while True:
            try:
                line = self.job.read_line(max(0, end - time.monotonic()))
            except TimeoutError:
                return {"silent": f"no answer within {seconds:.0f} seconds"}
            except TooLong as error:
                return {"garbage": f"not a line of JSON: {error}"}
            if line is None:
                return {"stopped": self._how_it_ended()}
            if is_early:
                return {"garbage": f"a second line for the request before this one: {_show(line)}"}
            self.seconds = SECONDS
            if self.by_numbers:
                time.sleep(0.002)  # for a second line, which would be taken for the next answer
                return numbers.read_line(line, request["do"])
            answer = read_answer(line, request["id"])
            if answer is not None:
                return answer

    def _how_it_ended(self) -> str:
        status = self.job.finish(seconds=1)
        ended = f"the program ended with status {status}"
        if status is None:
            ended = "the program closed its standard output"
        said = most_telling(self.job.complaint.decode("utf-8", "backslashreplace"))
        return f"{ended}: {said}" if said else ended

    def end(self) -> None:
        """End the program, and all processes it has started."""
        self.job.close()
        self.folder.cleanup()


def most_telling(complaint: str) -> str:
    """Return the line that says most about a crash: the last that names an error, or the last.

    >>> most_telling("ReferenceError: x is not defined\\n    at main.js:1\\nNode.js v20.20.2")
    'ReferenceError: x is not defined'
    """
    lines = [line.strip() for line in complaint.splitlines()]
    lines = [line for line in lines if line and not line.startswith(UNTELLING)]
    named = [line for line in lines if NAMED.match(line)]
    return (named or lines or [""])[-1]


def start_job(command: Sequence[str], environment: Mapping[str, str]):
    """Start a program; what it starts is ended with it. Raises OSError if it can't be started."""
    limits = Limits(line=LONGEST_LINE)
    if hasattr(os, "fork"):
        return Job(command, limits, env=environment, listens=True)
    return ThreadedJob(command, limits, env=environment)


class ThreadedJob:
    """Does what `Job` does where no process can be forked (Windows), with threads that wait."""

    def __init__(self, command: Sequence[str], limits: Limits, env: Mapping[str, str]):
        pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen(command, **pipes, env=env)
        self.limits = limits
        self.requests = Queue()  # lines; None after the last
        self.answers = Queue(maxsize=100)
        self.complaint = b""
        self.listener = Thread(target=self._listen, daemon=True)
        self.listener.start()
        Thread(target=self._read, daemon=True).start()
        Thread(target=self._write, daemon=True).start()

    def _read(self) -> None:
        with suppress(ValueError, OSError):  # closed
            while line := self.process.stdout.readline(self.limits.line):
                self.answers.put(line)
        self.answers.put(None)

    def _listen(self) -> None:
        with suppress(ValueError, OSError):
            while written := self.process.stderr.read1():
                self.complaint = (self.complaint + written)[-LONGEST_COMPLAINT:]

    def _write(self) -> None:
        # An error says that the program has closed its standard input, or ended.
        with suppress(ValueError, OSError), self.process.stdin as stdin:
            while line := self.requests.get():
                stdin.write(line)
                stdin.flush()

    def send(self, line: bytes) -> None:
        """Send a line, without waiting until it is read."""
        self.requests.put(line)

    def has_answer(self) -> bool:
        """Return whether a line has come that nobody has read yet."""
        return not self.answers.empty()

    def read_line(self, seconds: float) -> bytes | None:
        """Return the next line, None if there will be none; raise TimeoutError if it is late."""
        try:
            return self.answers.get(timeout=seconds)
        except Empty:
            raise TimeoutError from None

    def finish(self, seconds: float) -> int | None:
        """Return the program's status if it ends unaided within ``seconds``, else None."""
        try:
            status = self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return None
        self.listener.join(timeout=seconds)
        return status

    def close(self) -> None:
        """End the program."""
        self.requests.put(None)
        with suppress(OSError):  # it has ended already
            self.process.kill()
        self.process.wait()


def read_answer(line: bytes, number: int) -> dict | None:
    """Return the answer in a line; None if it is a late answer to an earlier request.

    >>> read_answer(b'{"id": 2, "ids": [256]}', 2), read_answer(b'{"id": 1, "ids": []}', 2)
    ({'ids': [256]}, None)
    >>> read_answer(b'loading ...', 2)
    {'garbage': 'not a line of JSON: loading ...'}
    >>> read_answer(b'{"id": 2, "merges": [["a", "b", "c"]]}', 2)
    {'fault': 'a merge is not a pair: ["a", "b", "c"]'}
    """
    try:
        answer = json.loads(line)
        json.dumps(answer, ensure_ascii=False, allow_nan=False).encode("utf-8")
    except (json.JSONDecodeError, UnicodeDecodeError):
        return {"garbage": f"not a line of JSON: {_show(line)}"}
    except UnicodeEncodeError:
        return {"fault": f"{HALF}: {_show(line)}"}
    except (ValueError, RecursionError) as error:  # NaN, depth, size
        return {"fault": f"{error}: {_show(line)}"}
    if not isinstance(answer, dict) or type(answer.get("id")) is not int:
        return {"garbage": f"not an object with an id: {_show(line)}"}
    if answer["id"] > number:
        return {"garbage": f"the id is not {number}: {_show(line)}"}
    if answer.pop("id") != number:
        return None
    if others := _no_pairs_in(answer.get("merges")):
        return {"fault": f"a merge is not a pair: {json.dumps(others[0], ensure_ascii=False):.80}"}
    return answer


def _no_pairs_in(merges) -> list:
    """Return those of a list of merges that don't have two parts."""
    merges = merges if isinstance(merges, list) else []
    return [one for one in merges if not isinstance(one, list) or len(one) != 2]


def _show(line: bytes) -> str:
    return line[:80].decode("utf-8", "backslashreplace").strip()


class Interview:
    """Ask a program, and start it again after a hang or a crash.

    A crash costs a start, not the run: only a program that crashes eight times without an answer in
    between isn't started again. A request that was met with silence three times is not made again,
    and a program that never answers is asked only three times. Cases that are left then, or when
    the time is up, are "not run". Raises OSError if the program can't be started at all.
    """

    def __init__(self, command: Sequence[str], by_numbers: bool = False):
        self.command = command
        self.by_numbers = by_numbers
        self.end = time.monotonic() + SECONDS_IN_ALL
        self.program = None
        self.asked = self.starts = 0
        self.in_vain = 0  # starts after which it has not answered
        self.silences = Counter()  # what is asked -> how often there was no answer
        self.crashes = Counter()  # what is asked -> how often it crashed
        self.rules = {}  # what is asked -> the tie rule that stands for "any", once it is known
        self.is_lost = False  # whether it ended, or was silent, since it was started last
        self.has_habits = False  # whether its adapter finds habits when it is asked to "probe"

    def close(self) -> None:
        """End the program, if it is running."""
        if self.program is not None:
            self.program.end()
        self.program = None

    def forget(self) -> None:
        """Forget what the program didn't answer, so that it is asked as a new one would be."""
        self.in_vain = self.starts = 0
        self.silences.clear()
        self.crashes.clear()

    def used(self) -> float:
        """Return what part of the time has been used."""
        return 1 - (self.end - time.monotonic()) / SECONDS_IN_ALL

    def ask(self, case: Case) -> Result:
        """Return the result of a case."""
        is_free = case.request.get("ties") == "any"
        got = self._by_any_rule(case.request) if is_free else self.answer(case.request)
        return self.judge(case, got)

    def judge(self, case: Case, got: Mapping | None) -> Result:
        """Return the result of a case with this answer; None means that it could not be asked."""
        if got is None:
            return Result(case, "not run", {})
        as_text = case.answer.get("text")
        if self.by_numbers and as_text is not None:
            # A program that gives back a text has put marks where bytes are no characters.
            is_text = got.get("bytes") == list(as_text.encode("utf-8"))
            got = {"text": as_text} if is_text else got
        rule = case.request.get("ties", "first")
        if rule != "first" and rule in str(got.get("error")):  # which a program doesn't offer
            got = {"skip": got["error"]}
        return Result(case, judge(case, got), got)

    def _by_any_rule(self, request: Mapping) -> dict | None:
        """Return the answer to a request with ties "any"; older programs know only other rules."""
        faults = []
        for rule in self.rules.get(request["do"], RULES):
            got = self.answer({**request, "ties": rule})
            if got is None or "merges" in got or (rule == "any" and "error" not in got):
                if got and got.get("merges"):
                    self.rules[request["do"]] = [rule]
                return got
            faults.append(got)
        return faults[0]

    def _start(self) -> None:
        """Start the program; after a crash, its adapter doesn't know the habits any more."""
        self.program = TestedProgram(self.command, self.by_numbers, SECONDS_TO_START)
        self.starts += 1
        self.in_vain += 1
        if self.is_lost and self.has_habits:
            in_vain = self.in_vain
            self.is_lost = False
            self.answer({"do": "probe"})
            self.in_vain = in_vain

    def answer(self, request: dict) -> dict | None:
        """Return an answer, or what happened instead; None if the program can't be asked."""
        why = numbers.cannot_ask(request) if self.by_numbers else None
        if why:
            return {"skip": why}
        left = self.end - time.monotonic()
        has_answered = self.asked > self.silences.total()
        silences = self.silences[request.get("do")] if has_answered else self.silences.total()
        is_mute = silences == SILENCES
        is_hopeless = self.in_vain == IN_VAIN or self.starts == STARTS
        if left <= 0 or is_mute or (self.program is None and is_hopeless):
            return None
        if self.program is None:
            self._start()
        if self.program is None:  # it has crashed at once
            return None
        self.asked += 1
        got = self.program.ask({"id": self.asked, **request}, self.end - time.monotonic())
        self.has_habits |= "alphabet" in got
        if [*got] in (["silent"], ["stopped"]):
            self.close()
            self.is_lost = True
            self.silences[request.get("do")] += "silent" in got
            self.crashes[request.get("do")] += "stopped" in got
        else:
            self.in_vain = 0
        return got


def run_cases(
    command: Sequence[str], cases: Iterable[Case], *, by_numbers: bool = False
) -> list[Result]:
    """Give a program all cases."""
    with closing(Interview(command, by_numbers)) as interview:
        return [interview.ask(case) for case in cases]
