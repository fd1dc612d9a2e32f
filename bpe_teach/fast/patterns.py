"""Patterns: words found sooner, where a text is plain.

The patterns published with OpenAI's models name classes of characters that only the package
`regex` knows (``\\p{L}``: all letters). The standard library's `re` is twice as quick, so each has
a twin for it, in which the classes are spelled out; a test holds the two together.
"""

import re
from collections.abc import Iterator
from functools import cache

import regex

from bpe_teach import patterns
from bpe_teach.patterns import CL100K, GPT2, O200K

PUBLISHED = {GPT2, CL100K, O200K}
# How far the code points of a text may reach. `re` tests classes up to the second in one step.
ASCII, BASIC_PLANE, ALL = 0x80, 0x10000, 0x110000
BEYOND_BASIC_PLANE = re.compile("[\U00010000-\U0010ffff]")  # emoji, rare and ancient scripts
CLASS = re.compile(r"\\p\{\w+\}|\\s")
BRACKETS_OR_CLASS = re.compile(rf"\[[^]]*\]|{CLASS.pattern}|\\S")

CHUNK = 10_000  # characters; a longer text is cut, so that most of it stays in the basic plane
# Behind a letter or digit, before white space or punctuation that is no part of 's or 'll: no match
# of the published patterns crosses that.
CUT = re.compile(r"(?<=[^\W_])(?=[\s,.，。])")


def find_words(pattern: str, text: str) -> list[str]:
    """Find all matches of a pattern, from left to right; of a long text a chunk at a time.

    >>> find_words(GPT2, "We'll pay 12p")
    ['We', "'ll", ' pay', ' 12', 'p']
    """
    if pattern not in PUBLISHED:
        return patterns.find_words(pattern, text)
    words = []
    for chunk in cut_chunks(text):
        words += compile_pattern(pattern, _reach(chunk)).findall(chunk)
    return words


def cut_chunks(text: str) -> Iterator[str]:
    """Cut a long text where a word ends, if that can be told from two characters.

    >>> [len(chunk) for chunk in cut_chunks("a line\\n" * 3_000)]
    [10002, 10003, 995]
    """
    start = 0
    while start < len(text):
        found = CUT.search(text, start + CHUNK)
        end = found.start() if found else len(text)
        yield text[start:end]
        start = end


def _reach(text: str) -> int:
    """Say below which of three code points all characters of a text lie."""
    if text.isascii():
        return ASCII
    return ALL if BEYOND_BASIC_PLANE.search(text) else BASIC_PLANE


@cache
def compile_pattern(pattern: str, reach: int = ALL) -> re.Pattern | regex.Pattern:
    """Compile a published pattern for texts of code points below ``reach``; for `re` if possible.

    >>> compile_pattern(GPT2, ASCII).findall("low lower")
    ['low', ' lower']
    """
    if reach > BASIC_PLANE:
        return patterns.compile_pattern(pattern)
    return re.compile(spell_out(pattern, reach))


def spell_out(pattern: str, reach: int) -> str:
    r"""Spell out the classes of a pattern as ranges, for texts of code points below ``reach``.

    >>> spell_out(r" ?\p{Lu}|[^\s']|\S", ASCII)
    " ?[\\u0041-\\u005a]|[^\\u0009-\\u000d\\u0020-\\u0020']|[^\\u0009-\\u000d\\u0020-\\u0020]"
    """

    def ranges(found: re.Match) -> str:
        return class_ranges(found.group(), reach)

    def in_brackets(found: re.Match) -> str:
        part = found.group()
        if part == r"\S":
            part = r"[^\s]"
        elif not part.startswith("["):
            part = f"[{part}]"
        return CLASS.sub(ranges, part)

    return BRACKETS_OR_CLASS.sub(in_brackets, pattern)


@cache
def class_ranges(name: str, reach: int) -> str:
    r"""Ask `regex` which characters a class holds; write them as ranges.

    >>> class_ranges(r"\p{L}", ASCII)
    '\\u0041-\\u005a\\u0061-\\u007a'
    """
    characters = "".join(map(chr, range(reach)))
    ranges = ""
    for run in regex.finditer(f"{name}+", characters):
        ranges += f"\\u{run.start():04x}-\\u{run.end() - 1:04x}"
    return ranges
