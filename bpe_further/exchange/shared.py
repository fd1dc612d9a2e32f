"""Shared: functions that the modules for all other programs need.

These functions write and read bytes as printable characters, as other libraries do, and they
collect all faults of a file in a single error. The file known.toml holds facts about other
libraries, such as patterns that they spell differently.
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
from itertools import islice
from pathlib import Path

from bpe_teach.schemes import BYTES

KNOWN = tomllib.loads(Path(__file__).with_name("known.toml").read_text("utf-8"))
MAX_TOKENS = 300_000  # the largest vocabularies in use have 262,144
MAX_ID = (1 << 32) - 1  # other libraries keep ids in 32 bits
GUESSED = "which is guessed from its tokens"  # end of the first sentence of a note
SAME_ID = "have the same id"
MOST_NAMED = 3  # names of several, in a message
MAX_SHOWN = 5  # faults that an error spells out
PATIENCE = 5  # seconds of a processor for all patterns, and one more for each 100,000 characters
_seconds_used = getattr(time, "thread_time", time.process_time)  # a browser may lack the first
_DEADLINE = ContextVar("deadline", default=None)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause Python's search for garbage: a vocabulary is large, and all of it is kept."""
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

    The 188 bytes that are visible characters of Latin-1 stand for themselves. The other 68 bytes,
    white space and control characters, get the characters 256, 257, … in order (Radford et al.
    2019).

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
# The same as a table, which is ten times as fast. Python makes a table only if the first character
# is character 0.
CODE_TABLE = charmap_build("\0" + "".join(PRINTABLE[byte] for byte in range(1, 256)))
NEVER_IN_UTF8 = {BYTES[byte] for byte in (0xC0, 0xC1, *range(0xF5, 0x100))}  # no text has these


def print_token(token: bytes) -> str:
    """Write a token in printable characters, one for each byte: ``b" low"`` as ``Ġlow``."""
    return "".join([PRINTABLE[byte] for byte in token])


def is_printed(text: str) -> bool:
    """Return whether `print_token` may have written a text."""
    return BYTE_OF.keys() >= set(text)


def read_printed(names: Collection[str]) -> dict[str, bytes]:
    """Return name -> token for the names that `print_token` may have written.

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
    """A note on something that changes ids or their number; the shell shows it when encoding."""


class OnText(str):
    """A note on the text that ids are decoded to; the shell shows it when decoding."""


def require(condition: bool, fault: str) -> None:
    """Raise ValueError with the fault unless the condition holds."""
    if not condition:
        raise ValueError(fault)


@contextmanager
def time_limit(length: int) -> Iterator[None]:
    """Limit the time that patterns from outside take for a text.

    ``length`` is the number of characters of the text; a longer text may take more time. If there
    is already a limit around this one, the outer limit holds. Only processor time counts, so it
    makes no difference if the computer is busy or the process was stopped for a while.
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
    """Return how many seconds the limit leaves; raise TimeoutError if the time is over."""
    left = _DEADLINE.get() - _seconds_used()
    if left <= 0:
        raise TimeoutError
    return left


# faults: each is a sentence; all are raised as one error


def name_some(names: Collection) -> str:
    """Return the first names of several for a message, with … after them if there are more.

    >>> name_some(["a", "b", "c", "d"])
    "'a', 'b', 'c' …"
    """
    first = [f"{name!r:.40}" for name in islice(names, MOST_NAMED)]
    return ", ".join(first) + (" …" if len(names) > len(first) else "")


def raise_faults(faults: Iterable[str], about: str = "") -> None:
    """Raise a single ValueError that lists the faults, if there are any.

    The message begins with ``about``, the subject of the faults. Each fault is shown only once.
    Faults after the first 5 are only counted.
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
    """Yield the faults of ids: all tokens must be of one kind, each with its own whole number.

    If ``shared`` is true, several tokens may have the same id, as some special tokens do.
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
            return  # this is nearly always the case; the loop below only looks for the faults
    holders = {}  # id -> token
    for token, i in ids.items():
        if not isinstance(token, kind):
            yield f"{token!r:.80} is not a token of {kind.__name__}"
        elif type(i) is not int or not 0 <= i <= MAX_ID:
            yield f"the id of {token!r:.80} is {i!r:.80}, not a whole number from 0 to {MAX_ID:,}"
        elif holders.setdefault(i, token) != token and not shared:
            yield f"{holders[i]!r:.80} and {token!r:.80} {SAME_ID}, {i}"


def import_library(name: str):
    """Return an optional library; if it is missing, raise ValueError that says what to install."""
    try:
        return import_module(name)
    except ImportError as error:
        install = "python -m pip install tiktoken tokenizers sentencepiece"
        raise ValueError(f"this needs the package {name}, which is missing: {install}") from error
