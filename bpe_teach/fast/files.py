"""Files: texts read in pieces, files written whole, errors that name the file, a bar if wanted.

A file may be packed (.gz, .zst) or lie elsewhere (https://, s3:// and whatever fsspec opens).
"""

import gzip
import os
import re
import shutil
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from pathlib import Path
from typing import BinaryIO
from unicodedata import normalize
from uuid import uuid4

import regex

from bpe_teach.schemes import Scheme

READ = 1 << 16  # bytes that are read from a file at a time
PACKED_READ = 256  # bytes of .zst, of which three can unpack to 128 kB
PIECE = 1_000_000  # bytes that are read before a place to cut is looked for
URL = re.compile(r"[a-z][a-z0-9+.-]*://")
PACKED = (".gz", ".zst")

LETTER_OR_DIGIT = regex.compile(r"[\p{L}\p{N}]\Z")
LONGEST_CHARACTER = 4  # bytes in UTF-8


def write_whole(path: str | os.PathLike, content: bytes) -> None:
    """Write a file as a whole or not at all: a draft beside it first, which then takes its place.

    A file that is there keeps its permissions, and where the path is a link, what it leads to is
    written.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "low.txt")
    >>> write_whole(path, b"low")
    >>> path.read_bytes()
    b'low'

    Raises OSError, with the path, if it cannot be written.
    """
    target = Path(os.path.realpath(path))
    # Two who write to one path need two drafts, and any name that a file can have must do.
    draft = target.with_name(f".draft-{uuid4().hex}")
    try:
        with open(draft, "xb") as file:
            if target.exists():
                shutil.copymode(target, draft)  # before there is anything to read in it
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # else the new name could outlive a crash, and the bytes not
        os.replace(draft, target)
    except OSError as error:
        error.filename = os.fspath(path)  # the name that the user knows, not that of the draft
        raise
    finally:
        if os.path.exists(draft):  # something went wrong
            os.unlink(draft)


def open_source(path: str | os.PathLike | int) -> BinaryIO:
    """Open a file for reading, as it lies there: here, or where its address says.

    An address (``s3://…``, ``https://…``) needs the package fsspec. A number is that of an open
    file, and stays open.

    Raises OSError for a file that is not there, ValueError for an address that leads nowhere.
    """
    if not is_address(path):
        return open(path, "rb", closefd=not isinstance(path, int))
    fsspec = _import_extra("fsspec")
    try:
        return fsspec.open(path, "rb").open()
    except (OSError, ImportError, ValueError) as error:
        raise ValueError(f"cannot be opened: {error}") from error


def is_address(path: str | os.PathLike | int) -> bool:
    """Return whether a file is named by an address, not by a path.

    >>> is_address("s3://bucket/low.txt"), is_address("low.txt")
    (True, False)
    """
    return isinstance(path, str) and URL.match(path) is not None


def is_seekable(path: str | os.PathLike | int) -> bool:
    """Return whether a file can be read from any byte on: not one packed, elsewhere, or a pipe.

    >>> is_seekable(__file__), is_seekable("low.txt.gz"), is_seekable("s3://b/low.txt")
    (True, False, False)
    """
    if isinstance(path, int) or is_address(path) or os.fspath(path).endswith(PACKED):
        return False
    return os.path.isfile(path)


def read_blocks(
    path: str | os.PathLike | int, start: int = 0, end: int | None = None
) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks, unpacked if it ends in .gz or .zst.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "low.txt")
    >>> _ = path.write_bytes(b"low lower")
    >>> list(read_blocks(path)), list(read_blocks(path, 2, 5))
    ([b'low lower'], [b'w l'])

    Raises ValueError, with the place, if what is packed is broken, or if there is no byte ``end``.
    """
    at = start
    with open_source(path) as file:
        if start:
            file.seek(start)
        try:
            for block in _unpack(file, path):
                if end is not None:
                    block = block[: end - at]
                yield block
                at += len(block)
                if at == end:
                    return
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"broken after byte {at} of what it unpacks to: {error}") from None
    if end is not None:
        raise ValueError(f"ends at byte {at}, though it had {end} bytes a moment ago")


def _unpack(file: BinaryIO, path: str | os.PathLike | int) -> Iterator[bytes]:
    """Yield the contents of an open file in blocks; its name says how they are packed."""
    if str(path).endswith(".zst"):
        yield from _unpack_zst(file)
        return
    if str(path).endswith(".gz"):
        file = gzip.GzipFile(fileobj=file)
    while block := file.read(READ):
        yield block


def _unpack_zst(file: BinaryIO) -> Iterator[bytes]:
    """Yield what Zstandard has packed, in one frame or in several."""
    zstandard = _import_extra("zstandard")
    frame = None
    # The package's own readers would take a file that is cut off for a whole one.
    while packed := file.read(PACKED_READ):
        while packed:
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            try:
                yield frame.decompress(packed)
            except zstandard.ZstdError as error:
                raise EOFError(str(error)) from None
            packed = frame.unused_data
            if frame.eof:
                frame = None
    if frame:
        raise EOFError("the last frame has no end")


def _import_extra(package: str):
    """Import a package that only some files need; ValueError, with what to do, without it."""
    try:
        return import_module(package)
    except ImportError:
        raise ValueError(f"needs the package {package}: python -m pip install {package}") from None


def word_border(scheme: Scheme) -> re.Pattern[bytes] | None:
    """Return a pattern of the white space that ends a word for sure, after a letter or a digit.

    None for a scheme that has none: with ``chars`` and ``bytes`` a text is one word.
    """
    if not scheme.ends_words:
        return None
    return re.compile(b"[%b]" % scheme.ends_words.encode("ascii"))


def find_cut(
    data: bytes, start: int, border: re.Pattern[bytes], names: Collection[bytes] = ()
) -> int | None:
    r"""Find the first place, from ``start`` on, where no word crosses and no special token lies.

    That is between a letter or a digit, of any script, and white space. None if there is none.
    Special tokens, ``names``, can begin as late as the data ends, so its end is left alone.

    >>> from bpe_teach.schemes import SCHEMES
    >>> border = word_border(SCHEMES["gpt2"])
    >>> find_cut(b"so, low so", 2, border), find_cut("é!\nsí\r\n".encode(), 1, border)
    (7, 7)
    >>> find_cut(b"so the end of this line", 3, border, [b"the end"])
    10
    """
    longest = max(map(len, names), default=0)
    for found in border.finditer(data, max(start, 1), max(len(data) - longest, 0)):
        place = found.start()
        before = data[max(place - LONGEST_CHARACTER, 0) : place].decode("utf-8", "ignore")
        # subtle: there are letters that NFC writes as a letter and a mark
        if not all(map(LETTER_OR_DIGIT.search, (before, normalize("NFC", before)))):
            continue
        if not any(_lies_across(name, place, data) for name in names):
            return place
    return None


def _lies_across(name: bytes, place: int, data: bytes) -> bool:
    """Return whether a name stands partly before a place and partly after it."""
    return name in data[max(place - len(name) + 1, 0) : place + len(name) - 1]


def can_be_cut(scheme: Scheme) -> bool:
    """Return whether a text may be encoded in pieces, so that the words are those of the whole.

    With ``chars`` and ``bytes`` a text is one word, and the other schemes of characters tell where
    in the whole text an unseen one stands: only the published patterns qualify.

    >>> from bpe_teach.schemes import SCHEMES
    >>> can_be_cut(SCHEMES["gpt2"]), can_be_cut(SCHEMES["words"])
    (True, False)
    """
    return scheme.units is bytes and word_border(scheme) is not None


def read_pieces(
    blocks: Iterable[bytes], scheme: Scheme, special_tokens: Collection[str] = ()
) -> Iterator[str]:
    r"""Join the blocks of a file into texts: one piece after the other, cut where no word crosses.

    Where a scheme does not allow that (see `can_be_cut`) there is one piece, the whole text. A
    piece is about a megabyte.

    >>> from bpe_teach.schemes import SCHEMES
    >>> pieces = list(read_pieces([b"one line\n"] * 200_000, SCHEMES["gpt2"]))
    >>> len(pieces), pieces[0][-8:], pieces[1][:9]
    (2, 'line\none', ' line\none')

    Raises ValueError, with the place in bytes, where the file is not UTF-8.
    """
    border = word_border(scheme) if can_be_cut(scheme) else None
    return cut_blocks(blocks, border, special_tokens)


def cut_blocks(
    blocks: Iterable[bytes],
    border: re.Pattern[bytes] | None,
    special_tokens: Collection[str] = (),
    start: int = 0,
) -> Iterator[str]:
    """Join blocks into texts of about a megabyte, cut at borders (see `find_cut`) if any are given.

    ``start`` is the place in its file of the first byte. A text without a border is not cut.

    Raises ValueError as `read_pieces` does.
    """
    names = [name.encode("utf-8") for name in special_tokens]
    longest = max(map(len, names), default=0)
    held = bytearray()  # what has been read, but not handed on
    looked = PIECE  # before this place in it a cut is not wanted, or not to be had
    for block in blocks:
        held += block
        while border and len(held) > looked:
            cut = find_cut(held, looked, border, names)
            if cut is None:
                looked = max(len(held) - longest, looked)
                break
            yield _decode(held[:cut], start)
            del held[:cut]
            start += cut
            looked = PIECE
    if held:
        yield _decode(held, start)


def _decode(data: bytes, start: int) -> str:
    """Decode a part of a file; ValueError with the place in the file, of which it is a part."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {start + error.start}") from None


@contextmanager
def errors_name(source: str | os.PathLike) -> Iterator[None]:
    """Put the name of a file before the fault found in it.

    >>> with errors_name("low.txt"):
    ...     raise ValueError("not UTF-8 at byte 3")
    Traceback (most recent call last):
    ValueError: low.txt: not UTF-8 at byte 3
    """
    try:
        yield
    except (ValueError, RecursionError) as error:  # deep nesting is a RecursionError
        raise ValueError(f"{os.fspath(source)}: {error}") from error


def progress_bar(shown: bool, **options):
    """Open a bar of tqdm with these options, or nothing, which is None."""
    if not shown:
        return nullcontext()  # even a bar that is switched off would start a thread
    from tqdm import tqdm

    return tqdm(**options)
