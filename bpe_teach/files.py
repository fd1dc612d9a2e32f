"""Files: what a user of the shell names, opened as it is and read a piece at a time."""

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from tqdm import tqdm

from bpe_teach.corpora import corpus_path
from bpe_teach.patterns import CUT, PUBLISHED
from bpe_teach.schemes import Scheme


def read(
    names: Iterable[str], scheme: Scheme | None = None, special: Collection[str] = ()
) -> Iterator[str]:
    """Yield the texts of files, long ones in pieces if the scheme finds the same words in them."""
    # With chars and bytes a text is one word, and errors of the others give positions in it: all
    # schemes but those of the published patterns need it as a whole.
    in_pieces = scheme and scheme.pattern in PUBLISHED and "\n" not in "".join(special)
    for name in names:
        held, at = [], 0  # lines, and the byte at which the next one begins
        with open_input(name) as file:
            for line in tqdm(file, name, unit=" lines", delay=1, leave=False, disable=None):
                try:
                    held.append(line.decode("utf-8"))
                except UnicodeDecodeError as error:
                    raise ValueError(f"{name} is not UTF-8 at byte {at + error.start}") from None
                at += len(line)
                if in_pieces and len(held) > 20_000 and CUT.search(held[-1]):
                    yield "".join(held)[:-1]
                    held = ["\n"]
        if held:
            yield "".join(held)


def open_input(name: str) -> BinaryIO:
    """Open what a FILE argument names; the bytes are those of the file."""
    path = corpus_path(name.removeprefix("corpus:")) if name.startswith("corpus:") else name
    return open(0 if name == "-" else path, "rb", closefd=name != "-")


def output(name: str) -> Path:
    """Return the path of a file to write; OSError, before any work is done, if it cannot be."""
    path = Path(os.path.realpath(name))
    if not os.access(f"{path.parent}/.", os.W_OK) or path.exists() != path.is_file():
        raise OSError(0, "cannot be written: no folder for it, or it is no ordinary file", name)
    return path
