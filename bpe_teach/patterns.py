"""Patterns: the regular expressions that cut a text into words, and how they are run.

A match is a word. How others write the same patterns stands with them: JavaScript's form in
`pictures/playground.py`, that of tokenizer.json in `exchange/huggingface.py`.

The patterns published with OpenAI's models name classes of characters that only the package
`regex` knows (``\\p{L}``: all letters). The standard library's `re` is twice as quick, so each has
a twin for it, in which the classes are spelled out; a test holds the two together.

A pattern of one's own may come from a file, so it is checked before it is compiled, and what it
takes to find words with it is bounded. What remains: a hostile pattern can still use up that time,
and some hundred megabytes.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain
from math import prod

import regex

# GPT-2 (Radford et al. 2019); cl100k_base and o200k_base as in OpenAI's package tiktoken.
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

NO_SPACES, WORDS, NO_WHITE_SPACE = r"[^ ]+", r"\w+|[^\s\w]+", r"\S+"  # as `re` sees \w and \s

PUBLISHED = {GPT2, CL100K, O200K}
FOR_RE = {NO_SPACES, WORDS, NO_WHITE_SPACE}
KNOWN = FOR_RE | PUBLISHED

# How far the code points of a text may reach. `re` tests classes up to the second in one step.
ASCII, BASIC_PLANE, ALL = 0x80, 0x10000, 0x110000
BEYOND_BASIC_PLANE = re.compile("[\U00010000-\U0010ffff]")  # emoji, rare and ancient scripts
CLASS = re.compile(r"\\p\{\w+\}|\\s")
BRACKETS_OR_CLASS = re.compile(rf"\[[^]]*\]|{CLASS.pattern}|\\S")

CHUNK = 10_000  # characters; a longer text is cut, so that most of it stays in the basic plane
# Behind a letter or digit, before white space or punctuation that is no part of 's or 'll: no match
# of the published patterns crosses that.
CUT = re.compile(r"(?<=[^\W_])(?=[\s,.，。])")

LONGEST = 2000  # characters of a pattern of one's own
MOST_REPEATED = 100_000  # product of the greater numbers in all its braces
ONE_CHARACTER = re.compile(r"\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\\\]])*\]", re.DOTALL)
OTHER_GROUP = re.compile(r"\((?!\?(?:[:=!>]|<[=!]|[ism]:)|[^?])")
BRACES = re.compile(r"\{(.*?)\}")
PATIENCE = 5  # seconds, and one more for each 100,000 characters


def find_words(pattern: str, text: str) -> Iterable[str]:
    """Find all matches of a pattern, from left to right; of a long text a chunk at a time.

    >>> list(find_words(GPT2, "We'll pay 12p"))
    ['We', "'ll", ' pay', ' 12', 'p']
    """
    if pattern in PUBLISHED and len(text) > CHUNK:
        return chain.from_iterable(_find_in_chunk(pattern, chunk) for chunk in cut_chunks(text))
    return _find_in_chunk(pattern, text)


def _find_in_chunk(pattern: str, text: str) -> Iterable[str]:
    if pattern not in KNOWN:
        return _find_with_patience(pattern, text)
    compiled = compile_pattern(pattern, _reach(text))
    if len(text) <= 10 * CHUNK:
        return compiled.findall(text)
    return (match.group() for match in compiled.finditer(text))  # a list of all takes much room


def _find_with_patience(pattern: str, text: str) -> list[str]:
    """Find all matches of a pattern of one's own; ValueError if that takes very long."""
    compiled = compile_pattern(pattern)
    patience = PATIENCE + len(text) / 100_000
    try:
        if compiled.groups == 0:
            return compiled.findall(text, timeout=patience)
        # With groups findall would give those.
        return [match.group() for match in compiled.finditer(text, timeout=patience)]
    except (TimeoutError, MemoryError):
        raise ValueError(
            f"the pattern {pattern!r:.80} does not find the words of {len(text):,} characters "
            f"in {patience:.0f} seconds, or not in memory"
        ) from None


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
    """Compile a pattern for texts of code points below ``reach``; for `re` if that will do.

    >>> compile_pattern(GPT2, ASCII).findall("low lower")
    ['low', ' lower']
    >>> compile_pattern(GPT2).pattern == GPT2
    True
    """
    if pattern in PUBLISHED and reach <= BASIC_PLANE:
        return re.compile(spell_out(pattern, reach))
    if pattern in FOR_RE:
        return re.compile(pattern)
    check_pattern(pattern)
    return regex.compile(pattern)


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


def check_pattern(pattern: str) -> None:
    """Raise ValueError unless a pattern can be compiled, and without much time and room.

    >>> check_pattern(r"[^\\W\\d_]+|\\p{N}{1,3}")
    >>> check_pattern("(low")
    Traceback (most recent call last):
    ValueError: the pattern '(low' cannot be compiled: missing ) at position 4
    """
    if not isinstance(pattern, str) or len(pattern) > LONGEST:
        raise ValueError(f"a pattern has up to {LONGEST:,} characters, not {pattern!r:.80}")
    fault = ""
    frame = ONE_CHARACTER.sub("x", pattern)  # what is left are plain characters, groups, numbers
    if OTHER_GROUP.search(frame):
        fault = "its groups must be plain, (?:, (?=, (?!, (?<=, (?<!, (?>, (?i:, (?s: or (?m:"
    numbers = []
    for braces in BRACES.findall(frame):
        if not re.fullmatch(r"[0-9]{1,5}(,[0-9]{0,5})?|,[0-9]{1,5}", braces):
            fault = f"{{{braces}}} is not a number of times"
            break
        numbers.append(max(int(number or 1) for number in braces.split(",")))
    if prod(max(number, 1) for number in numbers) > MOST_REPEATED:
        fault = f"it repeats more than {MOST_REPEATED:,} times"
    try:
        if not fault:
            regex.compile(pattern)
    except (regex.error, RecursionError, MemoryError) as error:
        fault = str(error)
    if fault:
        raise ValueError(f"the pattern {pattern!r:.80} cannot be compiled: {fault}")


@cache
def name_pattern(names: tuple[str, ...]) -> re.Pattern:
    """Compile a pattern that finds names in a text; where two begin alike, the longest.

    >>> name_pattern(("<|", "<|end|>")).findall("a<|end|>b")
    ['<|end|>']
    """
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))
