"""Patterns: the regular expressions that cut a text into words, and how they are run.

A match is a word. How others write the same patterns stands with them: JavaScript's form in
`pictures/playground.py`, that of tokenizer.json in `exchange/huggingface.py`.

The patterns published with OpenAI's models name classes of characters that only the package
`regex` knows (``\\p{L}``: all letters). For ASCII text each has a twin that the standard library's
`re` can run, which is quicker; a test holds the two together.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

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

CHUNK = 50_000  # characters; a longer text is cut, so that most of it can count as ASCII
CUT = re.compile(r"(?<=[A-Za-z])(?=\n)")  # no match of the published patterns crosses it


def find_words(pattern: str, text: str) -> Iterable[str]:
    """Find all matches of a pattern, from left to right; of a long text a chunk at a time.

    >>> list(find_words(GPT2, "We'll pay 12p"))
    ['We', "'ll", ' pay', ' 12', 'p']
    """
    if pattern in ASCII_TWINS and len(text) > CHUNK:
        return chain.from_iterable(_find_in_chunk(pattern, chunk) for chunk in cut_chunks(text))
    return _find_in_chunk(pattern, text)


def _find_in_chunk(pattern: str, text: str) -> Iterable[str]:
    compiled = compile_pattern(pattern, text.isascii())
    if compiled.groups == 0 and len(text) <= 2 * CHUNK:
        return compiled.findall(text)
    # With groups findall would give those, and of a very long text a very long list.
    return (match.group() for match in compiled.finditer(text))


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
    if r"\p" in pattern.lower():
        return regex.compile(pattern)
    return re.compile(pattern)


@cache
def name_pattern(names: tuple[str, ...]) -> re.Pattern:
    """Compile a pattern that finds names in a text; where two begin alike, the longest.

    >>> name_pattern(("<|", "<|end|>")).findall("a<|end|>b")
    ['<|end|>']
    """
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))
