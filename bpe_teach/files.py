"""Files: texts read in pieces, files written whole, errors that name the file, a bar if wanted."""

import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import regex

from bpe_teach.patterns import ASCII_TWINS
from bpe_teach.schemes import Scheme

PIECE = 1_000_000  # bytes that are read before a place to cut is looked for
# Where a line ends in a letter or a digit no match of the published patterns runs on.
END_OF_PIECE = regex.compile(r"(?<=[\p{L}\p{N}])\r?\n\Z")


def write_whole(path: str | os.PathLike, content: bytes) -> None:
    """Write a file as a whole or not at all: beside its place first, then moved there.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "low.txt")
    >>> write_whole(path, b"low")
    >>> path.read_bytes()
    b'low'
    """
    path = Path(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(draft, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as error:
        error.filename = os.fspath(path)  # the name that the user knows
        raise
    finally:
        draft.unlink(missing_ok=True)


def can_be_cut(scheme: Scheme, special_tokens: Collection[str] = ()) -> bool:
    r"""Say whether a text may be read in pieces, so that the words found are those of the whole.

    With ``chars`` and ``bytes`` a text is one word, and the other schemes of characters tell where
    in the whole text an unseen one stands: only the published patterns qualify. A special token
    with a line end in it could lie across a cut.

    >>> from bpe_teach.schemes import SCHEMES
    >>> can_be_cut(SCHEMES["gpt2"]), can_be_cut(SCHEMES["gpt2"], ["<|\n|>"])
    (True, False)
    """
    if scheme.pattern not in ASCII_TWINS or scheme.prefix:  # a prefix begins each text
        return False
    return not re.search(r"[\r\n]", "".join(special_tokens))


def read_pieces(
    lines: Iterable[bytes], scheme: Scheme, special_tokens: Collection[str] = ()
) -> Iterator[str]:
    r"""Join the lines of a file into texts: one piece after the other, cut where no word crosses.

    Where a scheme does not allow that (see `can_be_cut`) there is one piece, the whole text. A
    piece is about a megabyte; a line is never cut, so a text in one line is one piece as well.

    >>> from bpe_teach.schemes import SCHEMES
    >>> pieces = list(read_pieces([b"one line\n"] * 200_000, SCHEMES["gpt2"]))
    >>> len(pieces), pieces[0][-8:], pieces[1][:9]
    (2, 'one line', '\none line')

    Raises ValueError, with the place in bytes, where the file is not UTF-8.
    """
    in_pieces = can_be_cut(scheme, special_tokens)
    held = []  # the lines of the piece
    size = 0  # of these lines, in bytes
    at = 0  # the byte at which the next line begins
    for line in lines:
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError(f"not UTF-8 at byte {at + error.start}") from None
        held.append(text)
        size += len(line)
        at += len(line)
        if in_pieces and size >= PIECE:
            found = END_OF_PIECE.search(text)
            if found:
                held[-1] = text[: found.start()]
                yield "".join(held)
                held = [found.group()]  # the line end belongs to the next piece
                size = len(held[0])
    if held:
        yield "".join(held)


@contextmanager
def naming_file(source: str | os.PathLike) -> Iterator[None]:
    """Put the name of a file before the fault that is found in it.

    >>> with naming_file("low.txt"):
    ...     raise ValueError("not UTF-8 at byte 3")
    Traceback (most recent call last):
    ValueError: low.txt: not UTF-8 at byte 3
    """
    try:
        yield
    except (ValueError, RecursionError) as error:  # deep nesting is a RecursionError
        raise ValueError(f"{os.fspath(source)}: {error}") from error


def progress_bar(shown: bool, **options):
    """Open a bar of tqdm with these options, or nothing, which is None.

    >>> with progress_bar(False, total=3) as bar:
    ...     print(bar)
    None
    """
    if not shown:
        return nullcontext()  # even a bar that is switched off would start a thread
    from tqdm import tqdm

    return tqdm(**options)
