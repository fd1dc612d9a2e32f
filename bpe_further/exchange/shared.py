"""Shared: what the modules for all partners need.

Other libraries write bytes as printable characters. One error lists all that is wrong with a file.
known.toml holds what is known beforehand, such as patterns that others spell differently.
"""

import gc
import time
import tomllib
from codecs import charmap_build, charmap_encode
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from importlib import import_module
from io import BytesIO
from pathlib import Path

from bpe_teach.schemes import BYTES

KNOWN = tomllib.loads(Path(__file__).with_name("known.toml").read_text("utf-8"))
MAX_TOKENS = 300_000  # the largest vocabularies in use have 262,144
MAX_ID = (1 << 32) - 1  # other libraries keep ids in 32 bits
MAX_SHOWN = 5  # faults that an error spells out
PATIENCE = 5  # seconds of a processor for all patterns, and one more for each 100,000 characters
_seconds_used = getattr(time, "thread_time", time.process_time)  # a browser may lack the first
_DEADLINE = ContextVar("deadline", default=None)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Let Python look for garbage only afterwards: a vocabulary is large, and all of it is kept."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


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
BYTE_OF_CODE = {ord(character): byte for byte, character in PRINTABLE.items()}
# The same as a table, which is ten times as fast. Python makes it if the first is character 0.
CODE_TABLE = charmap_build("\0" + "".join(PRINTABLE[byte] for byte in range(1, 256)))
NEVER_IN_UTF8 = {BYTES[byte] for byte in (0xC0, 0xC1, *range(0xF5, 0x100))}  # no text has these


def print_token(token: bytes) -> str:
    """Write a token in printable characters, one for each byte: ``b" low"`` as ``Ġlow``."""
    return "".join([PRINTABLE[byte] for byte in token])


def is_printed(text: str) -> bool:
    """Return whether a text may be what `print_token` wrote."""
    return BYTE_OF.keys() >= set(text)


def read_printed(names: Collection[str]) -> dict[str, bytes]:
    """Return name -> token, of the names that `print_token` may have written.

    >>> read_printed(["Ġlow", "a b"])
    {'Ġlow': b' low'}
    """
    text = "".join(names)
    if "\0" not in text:
        with suppress(UnicodeEncodeError):
            content, _ = charmap_encode(text.replace(PRINTABLE[0], "\0"), "strict", CODE_TABLE)
            read = BytesIO(content).read  # a token has as many bytes as its name has characters
            return dict(zip(names, map(read, map(len, names)), strict=True))
    tokens = {}
    for name in names:
        try:
            tokens[name], _ = charmap_encode(name, "strict", BYTE_OF_CODE)
        except UnicodeEncodeError:
            continue  # some character stands for no byte
    return tokens


class OnIds(str):
    """A note on what changes ids, or how many there are: the shell tells it when it encodes."""


def require(condition: bool, fault: str) -> None:
    """Raise ValueError with the fault unless the condition holds."""
    if not condition:
        raise ValueError(fault)


@contextmanager
def time_limit(length: int) -> Iterator[None]:
    """Limit the time that patterns from outside take for a text; a limit around this one holds.

    Processor time is limited: a computer that is busy, or a process that was stopped, changes
    nothing.
    """
    if _DEADLINE.get() is not None:
        yield
        return
    seconds = PATIENCE + length / 100_000
    before = _DEADLINE.set(_seconds_used() + seconds)
    try:
        yield
    except (TimeoutError, MemoryError):
        what = f"its patterns take more than {seconds:.0f} seconds, or run out of memory"
        raise ValueError(f"for {length:,} characters {what}") from None
    finally:
        _DEADLINE.reset(before)


def seconds_left() -> float:
    """Return how many seconds the limit leaves; TimeoutError if it has passed."""
    left = _DEADLINE.get() - _seconds_used()
    if left <= 0:
        raise TimeoutError
    return left


# faults: each is a sentence; all are raised as one error


def raise_faults(faults: Iterable[str], about: str = "") -> None:
    """Raise one ValueError that lists the faults, if there are any, after their common subject.

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
    if not isinstance(ids, Mapping):
        yield f"tokens with their ids are needed, not {ids!r:.80}"
        return
    if len(ids) > MAX_TOKENS:
        yield f"there are {len(ids):,} tokens, more than {MAX_TOKENS:,}"
        return
    numbers = ids.values()
    kinds = set(map(type, ids))
    if all(issubclass(one, kind) for one in kinds) and set(map(type, numbers)) <= {int}:
        is_in_range = min(numbers, default=0) >= 0 and max(numbers, default=0) <= MAX_ID
        if is_in_range and (shared or len(set(numbers)) == len(ids)):
            return  # nearly always: so the loop is only for what is wrong
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
