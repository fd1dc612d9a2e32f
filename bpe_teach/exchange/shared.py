"""Shared: what all ways to other tokenizers need.

A file from elsewhere is data: its size is limited, nothing in it is executed, and all that is wrong
with it is said in one error. Others write the bytes of a token in print, and want one id a token.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from importlib import import_module

import regex

from bpe_teach.exchange.published import PublishedTokenizer
from bpe_teach.exchange.schemes import check_pattern, row_with_pattern
from bpe_teach.learn import Merge
from bpe_teach.schemes import BYTES, SCHEMES, Scheme

BYTE_SCHEMES = [name for name, scheme in SCHEMES.items() if scheme.units is bytes]

MAX_FILE = 30_000_000  # bytes
MAX_TOKENS = 300_000  # the largest vocabularies in use have 262,144
MAX_ID = (1 << 32) - 1  # others keep ids in 32 bits
MAX_SHOWN = 20  # faults that an error spells out


# bytes in print


def printable_bytes() -> dict[int, str]:
    """Give every byte a printable character, in the order in which GPT-2 numbers the bytes.

    The 188 bytes that are visible characters of Latin-1 stand for themselves; the other 68, white
    space and controls, get the characters number 256, 257, … in order (Radford et al. 2019).

    >>> [printable_bytes()[byte] for byte in b"A \\n"]
    ['A', 'Ġ', 'Ċ']
    """
    characters = {}  # byte -> character
    others = []
    for byte in range(256):
        character = chr(byte)
        if character.isprintable() and character != " ":
            characters[byte] = character
        else:
            others.append(byte)
    for number, byte in enumerate(others, 256):
        characters[byte] = chr(number)
    return characters


PRINTABLE = printable_bytes()  # byte -> character
BYTE_OF = {character: BYTES[byte] for byte, character in PRINTABLE.items()}


def never_in_utf8() -> set[bytes]:
    """Return the bytes that no text has: C0, C1 and F5 to FF.

    >>> len(never_in_utf8()), b"\\xff" in never_in_utf8()
    (13, True)
    """
    return {BYTES[byte] for byte in (0xC0, 0xC1, *range(0xF5, 0x100))}


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
    if isinstance(token, str) and token:
        try:
            return b"".join([BYTE_OF[character] for character in token])
        except KeyError:
            pass
    raise ValueError(f"{token!r:.80} is not a token in the printable characters of bytes")


def read_merge(merge: str | list) -> Merge:
    """Read a merge, written as "left right" or as [left, right]; no count comes with it.

    >>> read_merge("l ow"), read_merge(["Ġ", "low"])
    (Merge(left=b'l', right=b'ow', count=0), Merge(left=b' ', right=b'low', count=0))

    Raises ValueError for anything else.
    """
    parts = merge.split(" ") if isinstance(merge, str) else merge
    if not isinstance(parts, list) or len(parts) != 2:
        raise ValueError(f"{merge!r:.80} is not a merge of two tokens")
    left, right = parts
    return Merge(read_token(left), read_token(right), 0)


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
    """Read a file; ValueError, before the rest is read, if it is larger than any tokenizer's."""
    with open(path, "rb") as file:
        content = file.read(MAX_FILE + 1)
    require(len(content) <= MAX_FILE, f"it is larger than {MAX_FILE:,} bytes")
    return content


def read_json(content: bytes):
    """Read JSON as the standard has it: UTF-8, no NaN, and no name twice in an object.

    >>> read_json(b'{"low": 1, "low": 2}')
    Traceback (most recent call last):
    ValueError: the name 'low' is there twice

    Raises ValueError for anything else, and where there are very many objects and lists.
    """
    brackets = content.count(b"{") + content.count(b"[")  # empty ones take 30 times their room
    require(brackets <= 2 * MAX_TOKENS, f"it has more than {2 * MAX_TOKENS:,} objects and lists")
    text = content.decode("utf-8")
    return json.loads(text, object_pairs_hook=_read_object, parse_constant=_refuse_constant)


def _read_object(pairs: list[tuple]) -> dict:
    """Make a dict of the names and values of an object, each name once."""
    values = dict(pairs)
    if len(values) < len(pairs):
        raise_faults(_name_faults(pairs))
    return values


def _name_faults(pairs: list[tuple]) -> Iterator[str]:
    """Check that each name is there once."""
    counts = Counter(name for name, _ in pairs)
    for name, count in counts.items():
        if count > 1:
            yield f"the name {name!r:.80} is there twice"


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not a number of JSON")


# faults: a check yields a sentence for each; all are raised as one error


def raise_faults(faults: Iterable[str]) -> None:
    """Raise one ValueError that lists the faults, if there are any.

    >>> raise_faults([])
    >>> raise_faults(["line 3: the token b'low' is there twice", "rank 260 is missing"])
    Traceback (most recent call last):
    ValueError: 2 faults
      line 3: the token b'low' is there twice
      rank 260 is missing

    A fault that is shown already is left out, and after the first 20 the others are counted only.
    """
    shown = {}  # fault -> None, in order
    more = 0
    for fault in faults:
        if len(shown) < MAX_SHOWN:
            shown[fault] = None
        elif fault not in shown:
            more += 1
    lines = list(shown)
    if more:
        lines.append(f"and {more:,} more")
    if len(lines) == 1:
        raise ValueError(lines[0])
    if lines:
        raise ValueError(f"{len(shown) + more:,} faults\n  " + "\n  ".join(lines))


def size_faults(parts: Mapping[str, Collection], times: int = 1) -> Iterator[str]:
    """Check that each part of a file, named by what it holds, is no larger than in any tokenizer.

    >>> list(size_faults({"merges": range(300_001), "added tokens": []}))
    ['it has 300,001 merges, more than 300,000']
    """
    for what, part in parts.items():
        if len(part) > times * MAX_TOKENS:
            yield f"it has {len(part):,} {what}, more than {times * MAX_TOKENS:,}"


def id_faults(ids: Mapping, kind: type) -> Iterator[str]:
    """Check that tokens of one kind have whole numbers for ids.

    >>> list(id_faults({"low": 7, "er": 7.5}, str))
    ["the id of 'er' is 7.5, not a whole number"]
    """
    for token, i in ids.items():
        if not isinstance(token, kind):
            yield f"{token!r:.80} is not a token: it must be {kind.__name__}"
        elif type(i) is not int:
            yield f"the id of {token!r:.80} is {i!r:.80}, not a whole number"
        elif i < 0:
            yield f"the id of {token!r:.80} is {i!r:.80}, less than 0"
        elif i > MAX_ID:
            yield f"the id of {token!r:.80} is {i!r:.80}, more than {MAX_ID:,}"


def alphabet_faults(ids: Mapping[str, int]) -> Iterator[str]:
    """Check that every byte, as it is written in print, has an id."""
    missing = []
    for character, byte in BYTE_OF.items():
        if character not in ids:
            missing.append(byte)
    if missing:
        some = ", ".join(map(repr, missing[:3]))
        yield f"there are no ids for {len(missing)} of the 256 bytes: {some} …"


def spelling_faults(merges: Iterable, place: str, first: int = 0) -> Iterator[str]:
    """Check that merges can be read; ``place`` and a number from ``first`` on say where each is.

    >>> list(spelling_faults(["l o", "low"], "line", first=2))
    ["line 3: 'low' is not a merge of two tokens"]
    """
    for number, merge in enumerate(merges, first):
        try:
            read_merge(merge)
        except ValueError as fault:
            yield f"{place} {number}: {fault}"


def order_faults(merges: Iterable[Merge], place: str, first: int = 0) -> Iterator[str]:
    """Check that merges are of bytes and of what earlier merges make, and make each token once.

    >>> list(order_faults([Merge(b"l", b"o", 0), Merge(b"lo", b"we", 0)], "merge"))
    ["merge 1: no earlier merge makes b'we'"]
    """
    known = set(BYTES)
    for number, merge in enumerate(merges, first):
        for part in merge.pair:
            if part not in known:
                yield f"{place} {number}: no earlier merge makes {part!r:.80}"
        if merge.token in known:
            yield f"{place} {number}: an earlier merge makes {merge.token!r:.80}"
        known.add(merge.token)


def numbering_faults(
    ids: Mapping[str, int], merges: Iterable[Merge], special_tokens: Sequence[str]
) -> Iterator[str]:
    """Check that ids number the bytes, in any order, then the merges, then the special tokens."""
    ordinary = sorted(BYTE_OF, key=ids.get)
    ordinary += [print_token(merge.token) for merge in merges]
    expected = {name: i for i, name in enumerate(ordinary)}
    for i, name in enumerate(special_tokens, len(ordinary)):
        if name in expected:
            yield f"special token {name!r:.80} is spelled like another token"
        expected[name] = i
    for name, i in expected.items():
        if name not in ids:
            yield f"token {name!r:.80} has no id; it must be {i}"
        elif ids[name] != i:
            order = "bytes, merges and special tokens are numbered in this order without holes"
            yield f"token {name!r:.80} has the id {ids[name]!r:.80}, not {i}: {order}"
    for name in ids:
        if name not in expected:
            yield f"token {name!r:.80} is neither a byte nor special, and no merge makes it"


# tokenizers


def ordinary_ids(tok: PublishedTokenizer) -> dict[bytes, int]:
    """Return the ids of ordinary tokens; ValueError if others cannot have them.

    >>> ordinary_ids(PublishedTokenizer.train("low low", num_merges=2))[b"low"]
    257
    """
    name = tok.scheme.name
    is_plain = tok.scheme.units is bytes and tok.scheme.prepare is None
    require(is_plain, f"scheme {name!r} cannot be carried over; {BYTE_SCHEMES} can")
    made = set(tok.alphabet)
    for merge in tok.merges:
        twice = f"two merges make {merge.token!r:.80}; elsewhere a token has one id"
        require(tok.own_ids or merge.token not in made, twice)
        made.add(merge.token)
    return tok.ids


# patterns

CONTRACTIONS = ["(?i:'s|'t|'re|'ve|'m|'ll|'d)", "(?i:[sdmt]|ll|ve|re)"]
ONE = r"\\[pP]\{[A-Z][a-z]?\}|\\[rnt]|\\[^\w\s]"  # what stands for one character, or several
PLAIN = r"[^\\^$.*+?(){}\[\]|]"
IN_CLASS = rf"(?:{ONE}|\\[sS]|[^\\\[\]&^~-](?:-[^\\\[\]&^~-])?)"
PORTABLE = re.compile(
    rf"(?:{'|'.join(map(re.escape, CONTRACTIONS))}|\(\?:|\(\?!|\||\)[?*+]?"
    rf"|(?:{ONE}|\\[sS]|{PLAIN}|\[\^?{IN_CLASS}+\])(?:[?*+][?+]?|\{{\d+(?:,\d*)?\}}(?![?*+]))?)*"
)


# a group "(?!", with all that is within its parentheses
NOT_FOLLOWED_BY = regex.compile(
    r"\(\?!((?:\\.|\[(?:\\.|[^\\\]])*\]|[^()\[\\]|\((?1)\))*+)\)", regex.DOTALL
)


def pattern_faults(scheme: Scheme) -> Iterator[str]:
    """Check that a pattern means to others what it means here.

    Each partner runs patterns on an engine of its own, tiktoken on one of Rust, Hugging Face on
    Oniguruma. They read a class of words or the end of a line in other ways than `regex` does, so
    only what is read alike is let through: classes of characters, repetition, choice, "not followed
    by", and the two ways in use to write endings like 's. And no match may be empty.

    >>> list(pattern_faults(Scheme("mine", "", "[a-z]+|\\\\s", bytes)))
    []
    >>> list(pattern_faults(Scheme("mine", "", "a*", bytes)))
    ["the pattern 'a*' finds nothing at all between characters, which engines do differently"]
    """
    pattern = scheme.pattern
    if pattern is None or row_with_pattern(pattern):
        return
    if not PORTABLE.fullmatch(pattern):
        yield f"the pattern {pattern!r:.400} holds what other engines read in other ways"
        return
    try:
        check_pattern(pattern)
    except ValueError as fault:
        yield str(fault)
        return
    without_looking = NOT_FOLLOWED_BY.sub("(?:)", pattern)
    if regex.compile(without_looking).fullmatch("", timeout=1):
        what = "finds nothing at all between characters, which engines do differently"
        yield f"the pattern {pattern!r:.400} {what}"


def import_library(name: str):
    """Import a library that is not required; ValueError, with what to install, without it."""
    try:
        return import_module(name)
    except ImportError as error:
        install = "python -m pip install tiktoken tokenizers"
        raise ValueError(f"this needs the package {name}, which is missing: {install}") from error
