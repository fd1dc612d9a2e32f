"""Shared: what the modules for all partners need.

A file from elsewhere is data: its size is limited, nothing in it is executed, and one error lists
all that is wrong with it. Other libraries write bytes as printable characters.
"""

import gc
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module

from bpe_teach.schemes import BYTES

MAX_FILE = 100_000_000  # bytes; Gemma 3 has 33 million
MAX_TOKENS = 300_000  # the largest vocabularies in use have 262,144
MAX_ENTRIES = 5_000_000  # brackets and commas of a JSON file; each entry can take 200 bytes
MAX_ID = (1 << 32) - 1  # other libraries keep ids in 32 bits
MAX_SHOWN = 5  # faults that an error spells out


# bytes as printable characters


def printable_bytes() -> dict[int, str]:
    """Return byte -> printable character, in the order in which GPT-2 numbers the bytes.

    The 188 bytes that are visible characters of Latin-1 stand for themselves; the other 68, white
    space and controls, get characters 256, 257, … in order (Radford et al. 2019).

    >>> [printable_bytes()[byte] for byte in b"A \\n"]
    ['A', 'Ġ', 'Ċ']
    """
    visible = [byte for byte in range(256) if chr(byte).isprintable() and chr(byte) != " "]
    characters = {byte: chr(byte) for byte in visible}
    others = sorted(set(range(256)) - set(visible))
    for number, byte in enumerate(others, 256):
        characters[byte] = chr(number)
    return characters


PRINTABLE = printable_bytes()  # byte -> character
BYTE_OF = {character: BYTES[byte] for byte, character in PRINTABLE.items()}
NEVER_IN_UTF8 = {BYTES[byte] for byte in (0xC0, 0xC1, *range(0xF5, 0x100))}  # no text has these


def print_token(token: bytes) -> str:
    """Write a token in printable characters, one for each byte.

    >>> print_token(b" low")
    'Ġlow'
    """
    return "".join([PRINTABLE[byte] for byte in token])


def read_token(token: str) -> bytes:
    """Read what `print_token` writes; ValueError for anything else.

    >>> read_token("Ġlow")
    b' low'
    """
    try:
        return b"".join([BYTE_OF[character] for character in token])
    except KeyError:
        fault = f"{token!r:.80} is not a token in the printable characters of bytes"
        raise ValueError(fault) from None


# files that are not trusted


def require(condition: bool, fault: str) -> None:
    """Raise ValueError with the fault unless the condition holds."""
    if not condition:
        raise ValueError(fault)


def check_path(source, wanted: str) -> None:
    """Raise ValueError, saying what is wanted, unless the source is a path."""
    is_path = isinstance(source, str | os.PathLike)
    require(is_path, f"give {wanted}, not {type(source).__name__} {source!r:.80}")


def read_file(path: str | os.PathLike) -> bytes:
    """Return the content of a file; ValueError, before the rest is read, if it is too large."""
    with open(path, "rb") as file:
        content = file.read(MAX_FILE + 1)
    require(len(content) <= MAX_FILE, f"it is larger than {MAX_FILE:,} bytes")
    return content


@contextmanager
def without_collecting() -> Iterator[None]:
    """Pause garbage collection while very many objects are made: an eighth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def read_lines(content: bytes) -> list[str]:
    """Return the lines of a file of merges; ValueError if there are more than any tokenizer has."""
    lines = content.decode("utf-8-sig").replace("\r\n", "\n").removesuffix("\n").split("\n")
    require(len(lines) <= MAX_TOKENS, f"it has {len(lines):,} lines, more than {MAX_TOKENS:,}")
    return lines


def read_json(content: bytes):
    """Read JSON as the standard defines it: UTF-8, no NaN, and no name twice in an object.

    >>> read_json(b'{"low": 1, "low": 2}')
    Traceback (most recent call last):
    ValueError: the name 'low' occurs twice

    Raises ValueError for anything else, and for very many entries.
    """
    entries = content.count(b"{") + content.count(b"[") + content.count(b",")
    require(entries <= MAX_ENTRIES, f"it has {entries:,} entries, more than {MAX_ENTRIES:,}")
    text = content.decode("utf-8-sig")  # which leaves out a byte order mark
    return json.loads(text, object_pairs_hook=_read_object, parse_constant=_refuse_constant)


def _read_object(pairs: list[tuple]) -> dict:
    """Make a dict of the names and values of an object, each name once."""
    values = dict(pairs)
    if len(values) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise_faults(f"the name {name!r:.80} occurs twice" for name in counts if counts[name] > 1)
    return values


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number in JSON")


# faults: each is a sentence; all are raised as one error


def raise_faults(faults: Iterable[str], about: str = "") -> None:
    """Raise one ValueError that lists the faults, if there are any, after their common subject.

    >>> raise_faults([])
    >>> raise_faults(["line 3: the token b'low' occurs twice", "rank 260 is missing"])
    Traceback (most recent call last):
    ValueError: 2 faults
      line 3: the token b'low' occurs twice
      rank 260 is missing

    Each fault is shown once; those after the first 5 are only counted.
    """
    faults = list(dict.fromkeys(faults))
    about = f"{about}: " if about else ""
    if len(faults) == 1:
        raise ValueError(about + faults[0])
    lines = faults[:MAX_SHOWN]
    if len(faults) > MAX_SHOWN:
        lines.append(f"and {len(faults) - MAX_SHOWN:,} more")
    if faults:
        raise ValueError(f"{about}{len(faults):,} faults\n  " + "\n  ".join(lines))


def id_faults(ids: Mapping, kind: type, *, shared: bool = False) -> Iterator[str]:
    """Yield what is wrong with ids: tokens must be of one kind, each with its own whole number.

    With ``shared`` several tokens may have one id, as special tokens do.
    """
    if len(ids) > MAX_TOKENS:
        yield f"there are {len(ids):,} tokens, more than {MAX_TOKENS:,}"
        return
    holders = {}  # id -> token
    for token, i in ids.items():
        if not isinstance(token, kind):
            yield f"{token!r:.80} is not a token of {kind.__name__}"
        elif type(i) is not int or not 0 <= i <= MAX_ID:
            yield f"the id of {token!r:.80} is {i!r:.80}, not a whole number from 0 to {MAX_ID:,}"
        elif holders.setdefault(i, token) != token and not shared:
            yield f"{holders[i]!r:.80} and {token!r:.80} have the same id, {i}"


def import_library(name: str):
    """Return a library that is optional; ValueError, with what to install, if it is missing."""
    try:
        return import_module(name)
    except ImportError as error:
        install = "python -m pip install tiktoken tokenizers sentencepiece"
        raise ValueError(f"this needs the package {name}, which is missing: {install}") from error
