"""Arguments: the files named in a shell, found before any work begins and read with a bar.

A FILE is a path, an address (s3://…, https://…), ``-`` for standard input, or ``corpus:NAME`` for a
text of the course. One that ends in .gz or .zst is unpacked.
"""

import os
import shutil
import stat
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import BinaryIO, NamedTuple

from bpe_teach.corpora import corpus_path
from bpe_teach.fast.files import (
    PACKED,
    cut_blocks,
    errors_name,
    is_address,
    open_source,
    progress_bar,
    read_blocks,
    read_pieces,
    word_border,
)
from bpe_teach.schemes import Scheme

STANDARD_INPUT = 0  # what `open` takes for it
BAR_DELAY = 1  # seconds; what is done sooner shows no bar


class Input(NamedTuple):
    """A file to read: its name as it was typed, and what `open` takes for it."""

    name: str
    path: str | Path | int


def find_inputs(names: Iterable[str]) -> list[Input]:
    """Find the files to read; OSError or ValueError, before any work, for one that is not there.

    >>> [item.name for item in find_inputs(["corpus:story", "-"])]
    ['corpus:story', '-']
    """
    inputs = []
    for name in names:
        item = Input(name, _find_path(name))
        if not is_stream(item):
            open_input(item).close()  # is it there, may it be read, is it a folder?
        inputs.append(item)
    return inputs


def _find_path(name: str) -> str | Path | int:
    """Return what `open` takes for a FILE."""
    if name == "-":
        if sys.stdin is None:
            raise ValueError("- is standard input, and that is closed")
        return STANDARD_INPUT
    if name.startswith("corpus:"):
        return corpus_path(name.removeprefix("corpus:"))
    return name


def is_stream(item: Input) -> bool:
    """Return whether an input can be read only once, as what comes through a pipe.

    >>> is_stream(Input("-", STANDARD_INPUT)), is_stream(Input(".", "."))
    (True, False)
    """
    if item.path == STANDARD_INPUT:
        return True
    if is_address(item.path):
        return False
    mode = os.stat(item.path).st_mode
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def spool(inputs: Iterable[Input], folder: str | Path) -> list[Input]:
    """Copy what comes through a pipe into a folder, so that everything can be read again.

    >>> story = Input("corpus:story", corpus_path("story"))
    >>> spool([story], "copies") == [story]
    True
    """
    copies = {}  # name of a stream -> its copy
    kept = []
    for item in inputs:
        if item.name in copies:
            item = copies[item.name]
        elif is_stream(item):
            # Errors name the copy, and its ending says how it is packed.
            name = "standard input" if item.name == "-" else Path(item.name).name
            copy = Input(item.name, Path(mkdtemp(dir=folder), name))
            with open_input(item) as stream, open(copy.path, "wb") as file:
                shutil.copyfileobj(stream, file)
            item = copies[item.name] = copy
        kept.append(item)
    return kept


def open_input(item: Input) -> BinaryIO:
    r"""Open an input; the bytes are those of the file, packed as they are.

    >>> open_input(Input("corpus:story", corpus_path("story"))).readline()
    b'A Penny a Sign\n'
    """
    return open_source(item.path)


def input_size(item: Input) -> int | None:
    """Return the size of an input in bytes; None if nobody can know it before it has been read.

    >>> input_size(Input("corpus:story", corpus_path("story")))
    52994
    """
    if is_address(item.path) or str(item.path).endswith(PACKED):
        return None
    status = os.stat(item.path)
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def reading_bar(inputs: Sequence[Input], title: str, *, shown: bool = True):
    """Open a bar that goes by the bytes read; None if standard error is not a terminal.

    It gives the percentage and the time that remains, unless the size of an input is not known.
    """
    sizes = [input_size(item) for item in inputs]
    return progress_bar(
        shown and sys.stderr.isatty(),
        desc=title,
        total=None if None in sizes else sum(sizes),
        unit="B",
        unit_scale=True,
        delay=BAR_DELAY,
        leave=False,
    )


def read_lines(item: Input, bar=None) -> Iterator[bytes]:
    """Yield the lines of an input; a bar moves as they are taken."""
    with open_input(item) as file:
        for line in file:
            yield line
            if bar is not None:
                bar.update(len(line))


def _read_item(item: Input, bar=None) -> Iterator[bytes]:
    """Yield the bytes of an input in blocks, unpacked; a bar moves as they are taken."""
    for block in read_blocks(item.path):
        yield block
        if bar is not None:
            bar.update(len(block))


def read_input(
    item: Input, scheme: Scheme, special_tokens: Collection[str] = (), bar=None
) -> Iterator[str]:
    """Read an input in pieces, or as a whole if the scheme needs that (see `read_pieces`).

    >>> from bpe_teach.schemes import SCHEMES
    >>> (story,) = read_input(Input("corpus:story", corpus_path("story")), SCHEMES["gpt2"])
    >>> story[:14]
    'A Penny a Sign'
    """
    return read_pieces(_read_item(item, bar), scheme, special_tokens)


def read_inputs(
    inputs: Sequence[Input], scheme: Scheme, special_tokens: Collection[str], title: str
) -> Iterator[str]:
    """Read one input after the other, to count words, with one bar for all of them.

    Raises ValueError, with the name of the input, where it is not UTF-8.
    """
    with reading_bar(inputs, title) as bar:
        for item in inputs:
            with errors_name(item.name):
                blocks = _read_item(item, bar)
                yield from cut_blocks(blocks, word_border(scheme), special_tokens)


def find_outputs(names: Iterable[str | None], taken: Iterable) -> list[Path | None]:
    """Find the files to write, through links; None stays None.

    ``taken`` holds what is read: paths, or 0 for standard input.

    Raises ValueError, before any work, for one that cannot be written or is named a second time.

    >>> find_outputs([None, "low.json"], ["low.txt"])[1].name
    'low.json'
    >>> find_outputs(["low.txt"], ["low.txt"])
    Traceback (most recent call last):
    ValueError: low.txt is named twice; name another file to write
    """
    named = {os.path.realpath(path) for path in taken if path != STANDARD_INPUT}
    paths = []
    for name in names:
        path = None
        if name is not None:
            path = Path(os.path.realpath(name))
            _check_output(path, name)
            if str(path) in named:
                raise ValueError(f"{name} is named twice; name another file to write")
            named.add(str(path))
        paths.append(path)
    return paths


def _check_output(path: Path, name: str) -> None:
    """Raise ValueError if a file cannot be written."""
    fault = None
    if path.is_dir():
        fault = "it is a folder"
    elif not path.parent.is_dir():
        fault = f"there is no folder {os.path.dirname(name)}"
    elif path.exists() and not path.is_file():
        fault = "it is not an ordinary file"
    elif not os.access(path.parent, os.W_OK):
        fault = f"nothing may be written in the folder {path.parent}"
    if fault:
        raise ValueError(f"{name} cannot be written: {fault}")
