"""Files: read texts in pieces, write files whole, name the file in errors, show progress bars.

A file may be compressed (.gz). A text that is not in a file, or that is compressed in another way,
can be read through a pipe.
"""

import gzip
import os
import re
import shutil
import zlib
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, nullcontext
from errno import EINVAL
from pathlib import Path
from typing import BinaryIO
from unicodedata import normalize
from uuid import uuid4

import regex

from bpe_teach.schemes import Scheme

READ = 1 << 16  # bytes to read from a file at a time
PIECE = 1_000_000  # bytes to read before looking for a place to cut

ENDS_IN_LETTER_OR_DIGIT = regex.compile(r"[\p{L}\p{N}]\Z")  # \Z: the end of the text
LONGEST_CHARACTER = 4  # bytes in UTF-8


def write_whole(path: str | os.PathLike, content: bytes) -> None:
    """Write a file as a whole or not at all.

    A draft is written beside the file, and then replaces it. An existing file keeps its
    permissions, and a link still points to the same file.

    Raises OSError, with the path, if the file cannot be written.
    """
    target = Path(os.path.realpath(path))  # where a link leads
    if target.exists() and not (target.is_file() or target.is_dir()):
        # Such as /dev/null: what is written there should vanish; no file should take its place.
        what = "it is a device or a pipe, which a file would replace"
        raise OSError(EINVAL, what, os.fspath(path))  # EINVAL: invalid argument
    # Two programs that write to one path need two drafts, and the name of the file may be long.
    draft = target.with_name(f".draft-{uuid4().hex}")
    try:
        with open(draft, "xb") as file:
            if target.exists():
                # We do this now, while the draft is empty: so if only the owner may read the file,
                # nobody else can read it at any moment.
                shutil.copymode(target, draft)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # otherwise a crash could keep the name and lose the bytes
        os.replace(draft, target)
    except OSError as error:
        error.filename = os.fspath(path)  # the name that the user knows, not the draft's
        raise
    finally:
        if draft.exists():  # something went wrong
            draft.unlink()


def open_source(path: str | os.PathLike | int) -> BinaryIO:
    """Open a file for reading, without unpacking it.

    A number is the descriptor of an open file, which stays open.
    """
    is_open_already = isinstance(path, int)
    return open(path, "rb", closefd=not is_open_already)  # whether closing closes the descriptor


def is_seekable(path: str | os.PathLike | int) -> bool:
    """Return whether a file can be read from any byte on; pipes and packed files cannot."""
    return not isinstance(path, int) and not _is_packed(path) and os.path.isfile(path)


def _is_packed(path: str | os.PathLike | int) -> bool:
    return str(path).endswith(".gz")


def read_blocks(
    path: str | os.PathLike | int, start: int = 0, end: int | None = None
) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks; a file whose name ends in .gz is unpacked.

    For a packed file, ``start`` counts packed bytes, so only 0 makes sense.

    Raises ValueError, with the position, if a packed file is damaged, or if a file ends before
    ``end``.
    """
    at = start
    with open_source(path) as file:
        if start:
            file.seek(start)
        source = gzip.GzipFile(fileobj=file) if _is_packed(path) else file
        try:
            while at != end and (block := source.read(READ)):
                if end is not None:
                    block = block[: end - at]
                yield block
                at += len(block)
            if _is_packed(path) and source.mtime is None:  # `mtime` is set when a header is read
                raise EOFError(
                    "the file has no bytes, though even an empty text is packed into some"
                )
        except (EOFError, gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"broken after byte {at} of what it unpacks to: {error}") from None
    if end is not None and at < end:
        raise ValueError(f"ends at byte {at}, though it had {end} bytes a moment ago")


def word_border(scheme: Scheme) -> re.Pattern[bytes] | None:
    """Return a pattern for the white space that always ends a word after a letter or digit.

    The pattern also finds some white space after signs beyond ASCII, such as ”; `find_cut` is more
    exact. In the schemes ``chars`` and ``bytes``, a text is one word, so the function returns None.
    """
    if not scheme.ends_words:
        return None
    # (?<=…): … must stand before. A letter or digit of ASCII is one byte; any other letter or digit
    # ends in a byte from 80 to bf (notebook 04). So a long run of spaces has only one place to try.
    return re.compile(rb"(?<=[0-9A-Za-z\x80-\xbf])[%b]" % scheme.ends_words.encode("ascii"))


def find_cut(
    data: bytes, start: int, border: re.Pattern[bytes], names: Collection[bytes] = ()
) -> int | None:
    r"""Return the first place from ``start`` on that is inside no word and no special token.

    The place has a letter or digit of any script before it and white space after it. If there is no
    such place, the function returns None. ``names`` are the special tokens. One of these tokens may
    begin at the end of the data, so the data is never cut there.

    >>> from bpe_teach.schemes import SCHEMES
    >>> border = word_border(SCHEMES["gpt2"])
    >>> find_cut(b"so, low so", 2, border), find_cut("é!\nsí\r\n".encode(), 1, border)
    (7, 7)
    >>> find_cut(b"so the end of this line", 3, border, [b"the end"])
    10
    """
    longest = max(map(len, names), default=0)
    for found in border.finditer(data, start, max(len(data) - longest, 0)):
        place = found.start()
        # The character before the place. Some bytes of earlier characters may precede it: we ignore
        # these bytes.
        before = data[max(place - LONGEST_CHARACTER, 0) : place].decode("utf-8", "ignore")
        if not ENDS_IN_LETTER_OR_DIGIT.search(before):
            continue
        # Subtle: a published scheme may change a text before it splits it, for instance to NFC, one
        # of Unicode's standard spellings. In NFC most letters with a mark are one code point, but a
        # few, such as U+0958, come apart, and then the mark stands before the place. A mark doesn't
        # end a word as a letter does: cl100k keeps the line end after a mark in the same word.
        if not ENDS_IN_LETTER_OR_DIGIT.search(normalize("NFC", before)):
            continue
        if not any(_lies_across(name, place, data) for name in names):
            return place
    return None


def _lies_across(name: bytes, place: int, data: bytes) -> bool:
    """Return whether a name occurs partly before a place and partly after it."""
    # Neither side of this window has room for the whole name. So if the window holds the name, the
    # name lies across the place.
    room = len(name) - 1
    return name in data[max(place - room, 0) : place + room]


def can_be_cut(scheme: Scheme) -> bool:
    """Return whether a text can be encoded in pieces and still have the same words.

    Character schemes must report where in the whole text an unseen character is. So only the
    published patterns qualify.
    """
    return scheme.units is bytes and word_border(scheme) is not None


def read_pieces(
    blocks: Iterable[bytes], scheme: Scheme, special_tokens: Collection[str] = ()
) -> Iterator[str]:
    r"""Yield the text of a file, given its bytes, in pieces of about a megabyte.

    Each piece ends where a word ends. If the scheme doesn't allow a text to be cut (see
    `can_be_cut`), the whole text is one piece.

    >>> from bpe_teach.schemes import SCHEMES
    >>> pieces = list(read_pieces([b"one line\n"] * 200_000, SCHEMES["gpt2"]))
    >>> len(pieces), pieces[0][-8:], pieces[1][:9]
    (2, 'line\none', ' line\none')

    Raises ValueError, with the position in bytes, if the file is not UTF-8.
    """
    border = word_border(scheme) if can_be_cut(scheme) else None
    return cut_blocks(blocks, border, special_tokens)


def cut_blocks(
    blocks: Iterable[bytes],
    border: re.Pattern[bytes] | None,
    special_tokens: Collection[str] = (),
    start: int = 0,
) -> Iterator[str]:
    """Yield blocks joined into texts of about a megabyte, cut at borders (see `find_cut`).

    ``start`` is the position of the first byte in its file. If ``border`` is None, nothing is cut.
    """
    names = [name.encode("utf-8") for name in special_tokens]
    longest = max(map(len, names), default=0)
    held = bytearray()  # bytes read but not yet yielded
    search_from = PIECE  # where to look for the next cut: no piece should be shorter
    for block in blocks:
        held += block
        while border and len(held) > search_from:
            cut = find_cut(held, search_from, border, names)
            if cut is None:
                # Go on from here with the next block. `find_cut` hasn't looked at the very end of
                # this block, because a name there may continue in the next block.
                search_from = max(len(held) - longest, search_from)
                break
            yield _decode(held[:cut], start)
            del held[:cut]
            start += cut
            search_from = PIECE
    if held:
        yield _decode(held, start)


def _decode(data: bytes, start: int) -> str:
    """Return the text of a part of a file; errors give the position in the whole file."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 at byte {start + error.start}") from None


@contextmanager
def errors_name(source: str | os.PathLike) -> Iterator[None]:
    """Put the name of a file before the message of a ValueError."""
    try:
        yield
    except (ValueError, RecursionError) as error:  # the second: JSON nested too deep
        raise ValueError(f"{os.fspath(source)}: {error}") from error


def progress_bar(shown: bool, **options):
    """Return a progress bar of tqdm, or, if ``shown`` is false, a context that gives None."""
    if not shown:
        return nullcontext()  # even a disabled bar would start a thread
    from tqdm import tqdm

    return tqdm(leave=False, **options)
