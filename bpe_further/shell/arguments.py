"""Arguments: the files and tokenizers named in a shell, found before any work begins.

A FILE is a path, ``-`` for standard input, or ``corpus:NAME`` for a text of the course. A file
whose name ends in .gz is unpacked. As an output, ``-`` stands for standard output.
"""

import codecs
import os
import shutil
import sys
from argparse import Namespace
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import NamedTuple

from bpe_further.exchange.folder import ADDED, CONFIG, SPECIAL
from bpe_further.exchange.huggingface_pair import PAIRS
from bpe_further.exchange.load import load_tokenizer, options_of
from bpe_further.shell.wording import tell
from bpe_teach import files
from bpe_teach.corpora import corpus_path
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.schemes import SCHEMES, Scheme

BEGINNING = 4000  # bytes, which show whether a file is a text
MOST_NAMED = 3  # files of a folder that a note names
STANDARD_INPUT = 0  # its number for `open`
STANDARD_OUTPUT = "-"  # the name that users type
OF_TOKENIZERS = {CONFIG, ADDED, SPECIAL, "tokenizer.json", "vocab.txt", *chain.from_iterable(PAIRS)}


def find_tokenizer(
    args: Namespace, name: str, *, others: Collection[str] = (), check: bool = False
) -> Tokenizer:
    """Return a tokenizer, read according to the options --scheme, --pattern and --characters.

    ``others`` are the names of all tokenizers of the same command. An option that the tokenizer
    doesn't need is refused, unless one of ``others`` needs the option.
    """
    scheme, pattern = args.scheme, args.pattern
    if pattern is not None:
        if scheme is not None:
            raise ValueError("give either --scheme or --pattern, not both")
        scheme = Scheme("pattern", "as the pattern says that was given", pattern, bytes)
    given = {"scheme": scheme, "characters": args.characters}
    given = {option: value for option, value in given.items() if value}
    if given and others:
        needed = set().union(*map(options_of, others)) - {*options_of(name)}
        given = {option: value for option, value in given.items() if option not in needed}
    return load_tokenizer(name, **given, check=check)


class Input(NamedTuple):
    """A file to read: its name as it was typed, and the path or number for `open`."""

    name: str
    path: str | Path | int

    def texts(
        self, scheme: Scheme, special_tokens: Collection[str] = (), *, prints: bool = False
    ) -> Iterator[str]:
        """Yield the file's text in pieces, or whole if the scheme needs that (`files.read_pieces`).

        On a terminal, a bar shows how much has been read, unless ``prints`` is true: the command
        then prints on the terminal at the same time.
        """
        with self.bar(prints) as bar:
            blocks = _watched(files.read_blocks(self.path), bar)
            yield from files.read_pieces(blocks, scheme, special_tokens)

    def lines(self) -> Iterator[str]:
        """Yield the lines of the file without their line ends."""
        rest = ""  # the beginning of a line whose end hasn't been read yet
        for text in self.texts(SCHEMES["gpt2"], prints=True):
            *lines, rest = (rest + text).split("\n")
            yield from lines
        if rest:
            yield rest

    def bar(self, prints: bool = False):
        """Return a progress bar for the bytes read, which is shown only on a terminal."""
        shown = sys.stderr.isatty() and not (prints and sys.stdout.isatty())
        size = os.path.getsize(self.path) if files.is_seekable(self.path) else None
        return files.progress_bar(shown, desc=self.name, total=size, unit="B", unit_scale=True)


def _watched(blocks: Iterable[bytes], bar) -> Iterator[bytes]:
    """Yield blocks and, if there is a bar, move it by the size of each block."""
    for block in blocks:
        yield block
        if bar is not None:
            bar.update(len(block))


def find_inputs(names: Iterable[str]) -> list[Input]:
    """Return the files to read; if one is missing, raise OSError or ValueError before any work."""
    inputs = []
    for name in names:
        path = name
        if name == "-":
            path = STANDARD_INPUT
            if sys.stdin is None:
                raise ValueError("- is standard input, which is closed")
        elif name.startswith("corpus:"):
            path = corpus_path(name.removeprefix("corpus:"))
        if not _is_stream(path):
            with files.errors_name(name):
                if os.path.isdir(path):
                    inputs += _in_folder(path)
                    continue
                files.open_source(path).close()  # raises if the file is missing or can't be read
        inputs.append(Input(name, path))
    return inputs


def _in_folder(folder: str) -> list[Input]:
    """Return the texts in a folder and in the folders inside it, in the order of their names.

    The files of a tokenizer, and files that are not text, are left out, and the user is told. To
    read such a file, name the file itself.
    """
    found, left_out, others = [], [], []
    for path in sorted(Path(folder).rglob("*")):
        is_hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if not path.is_file() or is_hidden:
            continue
        if path.name in OF_TOKENIZERS:
            left_out.append(path.name)
        elif _is_text(path):
            found.append(Input(str(path), path))
        else:
            others.append(str(path.relative_to(folder)))
    if left_out:
        tell(f"{folder}: without {', '.join(left_out)}, which belong to a tokenizer")
    if others and found:
        some = ", ".join(others[:MOST_NAMED]) + (" …" if others[MOST_NAMED:] else "")
        tell(f"{folder}: without {some}: not UTF-8 text")
    if not found:
        raise ValueError(
            "there is no text in this folder: its files belong to a tokenizer, or are not UTF-8"
        )
    return found


def _is_text(path: Path) -> bool:
    """Return whether a file begins as a text in UTF-8; a .gz file is unpacked first."""
    try:
        start = next(files.read_blocks(path), b"")[:BEGINNING]
    except ValueError:  # a damaged packed file: the user is told when it is read
        return True
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        return "\0" not in decoder.decode(start)
    except UnicodeDecodeError:
        return False


def _is_stream(path: str | Path | int) -> bool:
    """Return whether a file can be read only once, such as a pipe."""
    if path == STANDARD_INPUT:
        return True
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


@contextmanager
def spool(inputs: Iterable[Input]) -> Iterator[list[Input]]:
    """Yield the inputs in a form that can be read again: for a pipe, a copy of its contents.

    The copies are files, so that other processes can open them; they are removed at the end.
    """
    copies = {}  # name of an input -> its copy
    kept = []
    with TemporaryDirectory() as folder:
        for item in inputs:
            if _is_stream(item.path) and item.name not in copies:
                # Errors name the copy; the ending of its name tells whether the copy is packed.
                name = "standard input" if item.name == "-" else Path(item.name).name
                path = Path(mkdtemp(dir=folder), name)
                with open(path, "wb") as file, files.open_source(item.path) as stream:
                    shutil.copyfileobj(stream, file)
                copies[item.name] = Input(item.name, path)
            kept.append(copies.get(item.name, item))
        yield kept


def check_outputs(names: Iterable[str | None], taken: Iterable[str | Path | int]) -> None:
    """Raise ValueError, before any work, for a file that cannot be written or is named twice.

    ``names`` may hold None, for an output that isn't wanted, and - for standard output. ``taken``
    holds the files that are read.
    """
    named = {os.path.realpath(path) for path in taken if path != STANDARD_INPUT}
    for name in filter(None, names):
        path = name if name == STANDARD_OUTPUT else os.path.realpath(name)
        if path in named:
            raise ValueError(f"{name} is named twice; name another file to write")
        named.add(path)
        if name == STANDARD_OUTPUT:
            continue
        folder = os.path.dirname(path)
        fault = None
        if os.path.exists(path) and not os.path.isfile(path):
            fault = "it is not an ordinary file"
        elif not os.path.isdir(folder):
            fault = f"there is no folder {os.path.dirname(name)}"
        elif not os.access(folder, os.W_OK):
            fault = f"the folder {folder} is not writable"
        if fault:
            raise ValueError(f"{name} cannot be written: {fault}")


@contextmanager
def writable(name: str, *, late: bool = False) -> Iterator[str]:
    """Yield the path to write to; if the name is -, the file is then copied to standard output.

    If ``late`` is true, every file is first written elsewhere, and copied only if there is no
    error.
    """
    if name != STANDARD_OUTPUT and not late:
        yield name
        return
    with TemporaryDirectory() as folder:
        path = Path(folder, "output")
        yield str(path)
        if name != STANDARD_OUTPUT:
            files.write_whole(name, path.read_bytes())
            return
        sys.stdout.flush()
        with open(path, "rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)
