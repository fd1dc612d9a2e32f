"""Measure: time contenders in turn, and the peak memory of training."""

import gc
import subprocess
import sys
from collections.abc import Callable
from ctypes import CDLL
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

from tests.benchmarks.contenders import Work, train_ours, train_tokenizers

Measured = dict[str, list[float]]  # contender -> a number for every round


def race(contenders: dict[str, Callable[[], Work]], rounds: int) -> Measured:
    """Time every contender once a round, in seconds; every other round runs backwards."""
    measured = {name: [] for name in contenders}
    for number in range(rounds):
        for name in list(contenders)[:: -1 if number % 2 else 1]:
            measured[name].append(seconds(contenders[name]()))
    return measured


def seconds(work: Work) -> float:
    """Time some work once, as for a user: no garbage is collected before the clock starts."""
    start = perf_counter()
    result = work()
    taken = perf_counter() - start
    del result  # its memory is freed after the clock has stopped
    return taken


def median_ratio(measured: Measured, name: str, other: str) -> float:
    """Divide one contender's numbers by another's, round by round; return the median."""
    pairs = zip(measured[name], measured[other], strict=True)
    return median(mine / theirs for mine, theirs in pairs)


# peak memory, in one process per training; only Linux reports it


def allocate(text: str, size: int) -> Work:
    """Take a known number of megabytes: what is measured must be that."""
    return lambda: b"x" * (KNOWN * 10**6)


KNOWN = 50
TRAINERS = {"bpe_teach": train_ours, "tokenizers": train_tokenizers, "known": allocate}


def memory(text: str, size: int, rounds: int) -> Measured:
    """Measure by how much training raises the peak memory of a process, in megabytes.

    The text or the lines are there before and do not count, nor does what a library is made of.

    Raises RuntimeError if an allocation of known size is not found to have that size.
    """
    measured = {name: [] for name in TRAINERS}
    with TemporaryDirectory() as folder:
        file = Path(folder, "text.txt")
        file.write_text(text, "utf-8", newline="")
        for _ in range(rounds):
            for name in TRAINERS:
                measured[name].append(memory_of(name, file, size))
    known = measured.pop("known")
    if not all(0.95 * KNOWN < found < 1.05 * KNOWN for found in known):
        raise RuntimeError(f"{KNOWN} MB were taken, and {known} measured")
    return measured


def memory_of(name: str, file: Path, size: int) -> float:
    """Run `print_rise` in a process of its own."""
    code = f"from tests.benchmarks.measure import print_rise; print_rise({name!r}, {str(file)!r}, "
    run = [sys.executable, "-c", f"{code}{size})"]
    root = Path(__file__).resolve().parents[2]
    return float(subprocess.run(run, cwd=root, capture_output=True, check=True, text=True).stdout)


def print_rise(name: str, file: str, size: int) -> None:
    """Train once; print the peak memory less what is in use before, in megabytes."""
    with open(file, encoding="utf-8", newline="") as opened:
        text = list(opened) if name == "tokenizers" else opened.read()
    work = TRAINERS[name](text, size)
    forget_peak()
    before = resident("VmRSS")
    tok = work()
    print(resident("VmHWM") - before)
    del tok


def forget_peak() -> None:
    """Return freed memory to the system, so that it can't be used unnoticed; reset the peak."""
    gc.collect()
    CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")


def resident(field: str) -> float:
    """Return the memory of this process, now (VmRSS) or at most (VmHWM), in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) * 1024 / 1e6
    raise ValueError(f"/proc/self/status has no {field}")
