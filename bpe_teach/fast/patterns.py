r"""Patterns: the same words as in `bpe_teach.patterns`, found sooner where a text is plain.

The package `regex` knows all letters of the world, and is slow. In long stretches of most texts
there are only some: ``A-Za-z``, in western languages ``À-ÿ``, in Russian ``А-я``, or Chinese
characters. There Python's own `re` finds the words of the published patterns in half the time.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

import regex

from bpe_teach import patterns
from bpe_teach.patterns import CL100K, GPT2, O200K

# Plain characters: ASCII, Latin-1 without its control characters and its space, dashes, quotes, …,
# Cyrillic letters, Chinese characters and their punctuation.
CHINESE = "\u4e00-\u9fa5"
SIGNS = "\u2010-\u2027\u3001-\u3003\u3008-\u3011！（），：；？"
NOT_PLAIN = re.compile(f"[^\0-\x7f\xa1-\xffЁА-яё{SIGNS}{CHINESE}]")
# As in `patterns`, letters without case, such as ª, are both.
UPPER, LOWER = f"A-ZªºÀ-ÖØ-ÞЁА-Я{CHINESE}", f"a-zªµºß-öø-ÿёа-я{CHINESE}"
LETTER, NUMBER = UPPER + LOWER, "0-9²³¹¼-¾"

# What the published patterns find in plain texts. Tests hold each of them to what it stands for.
IN_PLAIN_TEXT = {
    GPT2: (
        rf"'(?:[sdmt]|ll|ve|re)| ?[{LETTER}]+| ?[{NUMBER}]+"
        rf"| ?[^\s{LETTER}{NUMBER}]+|\s+(?!\S)|\s+"
    ),
    CL100K: (
        rf"'(?i:[sdmt]|ll|ve|re)|[^\r\n{LETTER}{NUMBER}]?+[{LETTER}]++|[{NUMBER}]{{1,3}}+"
        rf"| ?[^\s{LETTER}{NUMBER}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
    ),
    O200K: (
        rf"[^\r\n{LETTER}{NUMBER}]?[{UPPER}]*[{LOWER}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        rf"|[^\r\n{LETTER}{NUMBER}]?[{UPPER}]+[{LOWER}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
        rf"|[{NUMBER}]{{1,3}}| ?[^\s{LETTER}{NUMBER}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
    ),
}

CHUNK = 1_000  # characters; a longer text is split chunk by chunk, so that most of them are plain
# After a letter or digit, before white space or punctuation that is no part of 's or 'll: no match
# of the published patterns crosses that.
BETWEEN_WORDS = re.compile(r"(?<=[^\W_])(?=[\s,.，。])")


def find_words(pattern: str, text: str) -> Iterable[str]:
    """Find all matches of a pattern, from left to right; no list holds all those of a long text.

    >>> list(find_words(GPT2, "We'll pay 12p"))
    ['We', "'ll", ' pay', ' 12', 'p']
    """
    if pattern not in IN_PLAIN_TEXT:
        return patterns.find_words(pattern, text)
    if len(text) <= CHUNK:
        return _find_in_chunk(pattern, text)
    return chain.from_iterable(_find_in_chunk(pattern, chunk) for chunk in cut_chunks(text))


def _find_in_chunk(pattern: str, chunk: str) -> list[str]:
    plain = chunk.isascii() or not NOT_PLAIN.search(chunk)
    return compile_pattern(pattern, plain).findall(chunk)


def cut_chunks(text: str) -> Iterator[str]:
    r"""Yield the chunks of a long text, cut where two characters show that a word ends.

    >>> [len(chunk) for chunk in cut_chunks("a line\n" * 300)]
    [1000, 1001, 99]
    """
    start = 0
    while start < len(text):
        found = BETWEEN_WORDS.search(text, start + CHUNK)
        end = found.start() if found else len(text)
        yield text[start:end]
        start = end


@cache
def compile_pattern(pattern: str, plain: bool) -> re.Pattern | regex.Pattern:
    """Compile a published pattern, for plain texts or for all.

    >>> compile_pattern(GPT2, plain=True).findall("low größer")
    ['low', ' größer']
    """
    if plain:
        # With re.ASCII, \s holds the same plain characters as in `regex`; without it, four more.
        return re.compile(IN_PLAIN_TEXT[pattern], re.ASCII)
    return patterns.compile_pattern(pattern)
