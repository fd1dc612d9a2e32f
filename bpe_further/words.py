"""Words: count the words of many files, in several processes or on a cluster.

The merges are the same as after a single pass over all the files, because of three facts. First, a
file can be cut between a letter or digit and white space, because no word crosses such a place.
Second, counts hold their words in the order in which the words were first met. Third, adding counts
keeps this order if new words go to the end. So if the parts are added in the order of the text,
equally frequent pairs come in the same order as in a single pass, no matter which process counted
which part.
"""

import json
import logging
import os
import re
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from itertools import islice
from signal import SIG_DFL, SIGINT, SIGTERM, signal
from threading import Thread
from typing import NamedTuple

from bpe_teach import files
from bpe_teach.fast.patterns import split_fast
from bpe_teach.pairs import Word
from bpe_teach.schemes import Scheme, find_scheme
from bpe_teach.tokenizer import ordinary_parts

BLOCK = 32_000_000  # bytes in a part
WINDOW = 1 << 16  # bytes to read at a time when looking for a place to cut
MOST_TASKS = 256  # if there are more parts, successive parts are counted and added as one task
AT_FIRST = 32  # threads to assume for a cluster that has no worker yet
BETWEEN_LOOKS = 1  # seconds between checks whether a cluster still answers
LONGEST_SILENCE = 30  # seconds without a scheduler until we give up
DEATHS = 3  # deaths of workers in a row, without a result between, until we give up


class FilePart(NamedTuple):
    """The bytes of a file from ``start`` to ``end``; None means the end of the file."""

    path: str | os.PathLike
    start: int
    end: int | None
    size: int  # bytes to read from disk


def count_words(
    paths: Iterable[str | os.PathLike],
    scheme: str | Scheme = "gpt2",
    *,
    map: Callable[[Callable, Iterable], Iterable] = map,
    block: int = BLOCK,
    special_tokens: Collection[str] = (),
    prune: int = 1,
    progress: bool = False,
) -> dict[Word, int]:
    """Return the word counts of files, as `Scheme.word_counts` gives them, counted in parts.

    ``map`` applies a function to all items of a list and keeps the order. It may be the built-in
    ``map``, the method of an executor of `concurrent.futures`, `map_in_processes`, or the ``map``
    of a cluster (see `dask_map`). A part has about ``block`` bytes, and never ends inside a word or
    a special token. A packed file (.gz) is a single part. In the schemes ``chars`` and ``bytes``, a
    text is one word, so every file is a single part. If ``progress`` is true, a progress bar is
    shown on stderr.

    This process adds all counts, which is an eighth of the work for blocks of the default size. If
    you have more than seven workers, use larger blocks, which have fewer distinct words to add.

    If the words don't fit into memory, give a higher ``prune``: all words that a task has met fewer
    than ``prune`` times are left out. The merges may then differ from the merges for all words.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "low.txt")
    >>> _ = path.write_text("low low lower low")
    >>> count_words([path], "end_of_word", block=4)
    {('l', 'o', 'w', WordEnd('</w>')): 3, ('l', 'o', 'w', 'e', 'r', WordEnd('</w>')): 1}

    Raises OSError for a missing file, and ValueError for a file that is damaged or not UTF-8; the
    message names the file and the byte.
    """
    scheme = find_scheme(scheme)
    if isinstance(paths, str | os.PathLike):
        paths = [paths]
    if isinstance(special_tokens, str):
        raise ValueError(f"special_tokens must be a list of texts, not {special_tokens!r:.80}")
    parts = list_parts(paths, scheme, block=block, special_tokens=special_tokens)
    together = max(-(-len(parts) // MOST_TASKS), 1)  # parts per task; fewer tasks leave less to add
    tasks = [parts[i : i + together] for i in range(0, len(parts), together)]
    count = partial(count_parts, scheme=scheme, special_tokens=special_tokens, prune=prune)
    totals: dict[str, int] = {}
    size = sum(part.size for part in parts)
    options = {"desc": "counting words", "total": size, "unit": "B", "unit_scale": True}
    with files.progress_bar(progress, **options) as bar:
        for task, packed in zip(tasks, map(count, tasks), strict=True):
            for word, times in json.loads(packed).items():  # new words go to the end
                totals[word] = totals.get(word, 0) + times
            if bar is not None:
                bar.update(sum(part.size for part in task))
    counts = {}
    for word in list(totals):
        counts[scheme.symbols(word)] = totals.pop(word)  # so both are never whole at once
    return counts


# Parts: where files are cut.


def list_parts(
    paths: Iterable[str | os.PathLike],
    scheme: Scheme,
    *,
    block: int = BLOCK,
    special_tokens: Collection[str] = (),
) -> list[FilePart]:
    """Return the parts of files in order; only the bytes around the cuts are read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "low.txt")
    >>> _ = path.write_text("low lower lowest")
    >>> [part[1:] for part in list_parts([path], find_scheme("gpt2"), block=5)]
    [(0, 9, 9), (9, 16, 7)]
    """
    if not isinstance(block, int) or block < 1:
        raise ValueError(f"block must be a number of bytes, 1 or more, not {block!r:.80}")
    border = files.word_border(scheme)
    names = [name.encode("utf-8") for name in special_tokens]
    parts = []
    for path in paths:
        size = os.path.getsize(path)  # OSError for a missing file, before any work
        if border is None or not files.is_seekable(path):
            parts.append(FilePart(path, 0, None, size))
            continue
        start = 0
        while start < size:
            end = _next_cut(path, start + block, size, border, names)
            parts.append(FilePart(path, start, end, end - start))
            start = end
    return parts


def _next_cut(
    path: str | os.PathLike, place: int, size: int, border: re.Pattern[bytes], names: list[bytes]
) -> int:
    """Return the first place, from ``place`` on, where a file can be cut, or the file's size."""
    around = 4 + max(map(len, names), default=0)  # bytes at this distance can forbid a cut
    with open(path, "rb") as file:
        while place < size:
            start = max(place - around, 0)
            file.seek(start)
            data = file.read(place - start + WINDOW + around)
            cut = files.find_cut(data, place - start, border, names)
            if cut is not None:
                return start + cut
            place += WINDOW
    return size


# Tasks: the work of a worker.


def count_parts(
    parts: list[FilePart], scheme: Scheme, special_tokens: Collection[str] = (), prune: int = 1
) -> bytes:
    """Return the word counts of some parts, which are read one megabyte at a time.

    The counts are returned as JSON, because many counts may have to wait until they are added, and
    dictionaries need ten times as much memory.
    """
    border = files.word_border(scheme)
    counts = Counter()  # word as a str -> number of occurrences
    for part in parts:
        with files.errors_name(part.path):
            blocks = files.read_blocks(part.path, part.start, part.end)
            for text in files.cut_blocks(blocks, border, special_tokens, part.start):
                for ordinary in ordinary_parts(text, special_tokens):
                    counts.update(split_fast(scheme, ordinary))
    if prune > 1:
        counts = {word: count for word, count in counts.items() if count >= prune}
    return json.dumps(counts, ensure_ascii=False).encode("utf-8")


# Workers: the processes that do the tasks.


def map_in_processes(
    function: Callable, tasks: Iterable, *, workers: int | None = None
) -> Iterator:
    """Yield the results of a function for tasks, in order, computed in several processes.

    Only two tasks per worker are under way at any time, so results can't pile up. If a worker dies,
    new workers redo the tasks that have no results yet. When this process ends for any reason, its
    workers also end.

    >>> from functools import partial
    >>> list(partial(map_in_processes, workers=1)(abs, [-2, 1, -3]))
    [2, 1, 3]

    Raises ValueError if workers keep dying, and whatever the function raises.
    """
    # Not at the top: Python in a browser has no processes, and lacks these modules.
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import Pipe

    tasks = list(tasks)
    workers = workers or os.cpu_count() or 1
    done = 0  # tasks whose results have been yielded
    deaths = 0  # since the last result
    while done < len(tasks):
        theirs, ours = Pipe(duplex=False)
        pool = ProcessPoolExecutor(workers, initializer=_start_worker, initargs=(theirs, ours))
        try:
            for result in _map_in_window(pool, 2 * workers, function, tasks[done:]):
                done += 1
                deaths = 0
                yield result
        except BrokenProcessPool:
            deaths += 1
            if deaths == DEATHS:
                raise ValueError(
                    f"a worker died {DEATHS} times in a row: if memory ran out, use fewer workers "
                    "or smaller blocks"
                ) from None
        finally:
            ours.close()  # this ends the workers, even in the middle of a task
            pool.shutdown(cancel_futures=True)
            theirs.close()


def _start_worker(theirs, ours) -> None:
    """Prepare a worker that has just started; it holds both ends of its pool's pipe."""
    signal(SIGINT, SIG_DFL)  # workers don't handle signals as their parent does
    signal(SIGTERM, SIG_DFL)
    ours.close()  # so that only the parent process has this end
    Thread(target=_end_with_parent, args=[theirs], daemon=True).start()


def _end_with_parent(theirs) -> None:
    """End this worker as soon as its parent closes the pipe or is killed."""
    with suppress(EOFError, OSError):
        theirs.recv()  # nothing is ever sent, so this call waits for the end
    os._exit(1)


def _map_in_window(
    pool, width: int, function: Callable, tasks: Iterable, *, wait: Callable | None = None
) -> Iterator:
    """Yield results like the map of the pool, but with at most ``width`` tasks under way.

    ``wait`` returns the result of a future, or raises an error.
    """
    tasks = iter(tasks)
    waiting = deque(pool.submit(function, task) for task in islice(tasks, width))
    while waiting:
        future = waiting.popleft()
        result = future.result() if wait is None else wait(future)
        for task in islice(tasks, 1):
            waiting.append(pool.submit(function, task))
        yield result


@contextmanager
def dask_map(address: str | None = None, workers: int | None = None) -> Iterator[Callable]:
    """Connect to a Dask cluster and yield its ``map``, for use in `count_words`.

    ``address`` is the address of the scheduler, such as "tcp://10.0.0.1:8786". If it is None, a
    cluster with ``workers`` is started on this computer. All workers must be able to open the files
    by their names. If a worker dies, Dask lets other workers redo its work
    (https://distributed.dask.org).

    ::

        with dask_map("tcp://10.0.0.1:8786") as cluster:
            counts = count_words(["low.txt", "lower.txt"], "gpt2", map=cluster)

    Raises ValueError if the packages of Dask are missing, if there is no scheduler at the address,
    or if the scheduler stops answering.
    """
    try:
        from distributed import Client, KilledWorker, LocalCluster
    except ImportError:
        raise ValueError("Dask is missing: python -m pip install dask distributed") from None
    with ExitStack() as opened:
        if address is None:
            # All errors are raised here. Dask's log would only add that a worker is slow.
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=":0",
                silence_logs=logging.CRITICAL,
            )
            address = opened.enter_context(cluster)
        try:
            client = opened.enter_context(Client(address))
        except (OSError, ValueError) as error:
            raise ValueError(f"no Dask cluster answers at {address}: {error}") from error
        threads = sum(client.nthreads().values()) or AT_FIRST
        try:
            # We don't use the executor's own map, in which workers keep all results to the end.
            wait = partial(_wait_on_dask, client)
            yield partial(_map_in_window, client.get_executor(), 2 * threads, wait=wait)
        except KilledWorker as error:
            raise ValueError(f"workers of the cluster died again and again: {error}") from error


def _wait_on_dask(client, future):
    """Return a future's result; raise ValueError if the scheduler is gone for half a minute."""
    from concurrent.futures import CancelledError

    silent = 0  # seconds
    try:
        while silent < LONGEST_SILENCE:
            try:
                return future.result(timeout=BETWEEN_LOOKS)
            except TimeoutError:
                if future.done():  # the task itself ran out of time, for example while reading
                    raise
                silent = 0 if client.status == "running" else silent + BETWEEN_LOOKS
    except CancelledError:  # Dask has given up
        pass
    raise ValueError("the scheduler of the cluster has gone away; start it and count again")
