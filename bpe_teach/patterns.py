"""Patterns: the regular expressions that cut a text into words, and how they are run.

A match is a word. How others write the same patterns stands with them: JavaScript's form in
`pictures/playground.py`, that of tokenizer.json in `exchange/huggingface.py`.

The patterns published with OpenAI's models name classes of characters that only the package
`regex` knows (``\\p{L}``: all letters). For ASCII text each has a twin that the standard library's
`re` can run, which is quicker; a test holds the two together.

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

ASCII_TWINS = {  # published pattern -> one that finds the same in ASCII text, for `re`
    GPT2: r"'(?:[sdmt]|ll|ve|re)| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+",
    CL100K: (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\nA-Za-z0-9]?+[A-Za-z]++|[0-9]{1,3}+"
        r"| ?[^\sA-Za-z0-9]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    O200K: (
        r"[^\r\nA-Za-z0-9]?[A-Z]*[a-z]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[^\r\nA-Za-z0-9]?[A-Z]+[a-z]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        r"|[0-9]{1,3}| ?[^\sA-Za-z0-9]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}

FOR_RE = {NO_SPACES, WORDS, NO_WHITE_SPACE}
KNOWN = FOR_RE | ASCII_TWINS.keys()

CHUNK = 50_000  # characters; a longer text is cut, so that most of it can count as ASCII
CUT = re.compile(r"(?<=[A-Za-z])(?=\n)")  # no match of the published patterns crosses it

LONGEST = 2000  # characters of a pattern of one's own
MOST_REPEATED = 10_000  # product of the numbers in its braces: {1,3} may repeat what {9} repeats
ONE_CHARACTER = re.compile(r"\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\\\]])*\]", re.DOTALL)
OTHER_GROUP = re.compile(r"\((?!\?(?:[:=!>]|<[=!]|[ism]:)|[^?])")
BRACES = re.compile(r"\{(.*?)\}")
PATIENCE = 5  # seconds, and one more for each 100,000 characters


def find_words(pattern: str, text: str) -> Iterable[str]:
    """Find all matches of a pattern, from left to right; of a long text a chunk at a time.

    >>> list(find_words(GPT2, "We'll pay 12p"))
    ['We', "'ll", ' pay', ' 12', 'p']
    """
    if pattern in ASCII_TWINS and len(text) > CHUNK:
        return chain.from_iterable(_find_in_chunk(pattern, chunk) for chunk in cut_chunks(text))
    return _find_in_chunk(pattern, text)


def _find_in_chunk(pattern: str, text: str) -> Iterable[str]:
    if pattern not in KNOWN:
        return _find_with_patience(pattern, text)
    compiled = compile_pattern(pattern, text.isascii())
    if len(text) <= 2 * CHUNK:
        return compiled.findall(text)
    return (match.group() for match in compiled.finditer(text))  # a list of all takes much room


def _find_with_patience(pattern: str, text: str) -> list[str]:
    """Find all matches of a pattern of one's own; ValueError if that takes very long."""
    compiled = compile_pattern(pattern, False)
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
    """Cut a long text where a line ends in a letter, if one does.

    >>> [len(chunk) for chunk in cut_chunks("a line\\n" * 10_000)]
    [50000, 20000]
    """
    start = 0
    while start < len(text):
        found = CUT.search(text, start + CHUNK)
        end = found.start() if found else len(text)
        yield text[start:end]
        start = end


@cache
def compile_pattern(pattern: str, is_ascii: bool) -> re.Pattern | regex.Pattern:
    """Compile a pattern, for `re` if that will do.

    >>> compile_pattern(GPT2, True).pattern == ASCII_TWINS[GPT2]
    True
    >>> compile_pattern(GPT2, False).pattern == GPT2
    True
    """
    if is_ascii and pattern in ASCII_TWINS:
        # ASCII: as in `regex`, \s then leaves out the separators 28 to 31
        return re.compile(ASCII_TWINS[pattern], re.ASCII)
    if pattern in FOR_RE:
        return re.compile(pattern)
    check_pattern(pattern)
    return regex.compile(pattern)


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
        numbers += [max(int(number), 1) for number in braces.split(",") if number]
    if prod(numbers) > MOST_REPEATED:
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
