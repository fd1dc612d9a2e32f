"""Patterns: the regular expressions that cut a text into words, and how they are run.

A match is a word. The patterns published with OpenAI's models name classes of characters that only
the package `regex` knows (``\\p{L}``: all letters); patterns without such classes run on `re`.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from itertools import chain

import regex

# GPT-2 (Radford et al. 2019); cl100k_base and o200k_base as in OpenAI's package tiktoken.
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

PUBLISHED = (GPT2, CL100K, O200K)

CHUNK = 50_000  # characters; a longer text is cut, so that most of it can count as ASCII
CUT = re.compile(r"(?<=[A-Za-z])(?=\n)")  # no match of the published patterns crosses it

ASCII_CLASSES = {  # what is left of a class where the text is ASCII
    r"\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}": "A-Z",
    r"\p{Ll}\p{Lm}\p{Lo}\p{M}": "a-z",
    r"\p{L}": "A-Za-z",
    r"\p{N}": "0-9",
}


def find_words(pattern: str, text: str) -> Iterable[str]:
    """Find all matches of a pattern, from left to right; of a long text a chunk at a time.

    >>> list(find_words(GPT2, "We'll pay 12p"))
    ['We', "'ll", ' pay', ' 12', 'p']
    """
    chunks = cut_chunks(text) if pattern in PUBLISHED and len(text) > CHUNK else [text]
    return chain.from_iterable(find_in_chunk(pattern, chunk) for chunk in chunks)


def find_in_chunk(pattern: str, text: str) -> Iterable[str]:
    """Find all matches in one piece, on `re` if the piece is ASCII."""
    compiled = compile_pattern(pattern, text.isascii())
    if compiled.groups or len(text) > 2 * CHUNK:  # findall would give groups, or a very long list
        return (match.group() for match in compiled.finditer(text))
    return compiled.findall(text)


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
    """Compile a pattern, for `re` if that will do: for ASCII text it nearly always will.

    >>> compile_pattern(r" ?\\p{L}+", True).pattern, compile_pattern(r" ?\\p{L}+", False).pattern
    (' ?[A-Za-z]+', ' ?\\\\p{L}+')
    """
    if r"\p" not in pattern.lower():
        return re.compile(pattern)
    plain = pattern
    for name, letters in ASCII_CLASSES.items():
        plain = re.sub(r"\[[^]]*\]", lambda m: m[0].replace(name, letters), plain)  # noqa: B023
        plain = plain.replace(name, f"[{letters}]")
    if not is_ascii or r"\p" in plain.lower():
        return regex.compile(pattern)
    return re.compile(plain, re.ASCII)  # ASCII: as in `regex`, \s leaves out the separators 28-31


def split_at(names: Collection[str], text: str) -> list[str]:
    """Split a text at names and keep them: text and name take turns. The longest name wins.

    >>> split_at(["<|", "<|end|>"], "a<|end|>b")
    ['a', '<|end|>', 'b']
    """
    longest_first = sorted(names, key=len, reverse=True)
    return re.split("(" + "|".join(map(re.escape, longest_first)) + ")", text)
