r"""Patterns: the same words as in `bpe_teach.patterns`, found faster where a text is plain.

The package `regex` knows all letters of the world, and is slow. Long stretches of most texts use
only a few: ``A-Za-z``, in western languages ``À-ÿ``, in Russian ``А-я``, or Chinese characters.
There Python's own `re` finds the words of the published patterns in half the time.
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
# As in `patterns`, letters without case, such as ª, count as both.
UPPER, LOWER = f"A-ZªºÀ-ÖØ-ÞЁА-Я{CHINESE}", f"a-zªµºß-öø-ÿёа-я{CHINESE}"
LETTER, NUMBER = UPPER + LOWER, "0-9²³¹¼-¾"

# The published patterns, written for plain texts. Tests check that they find the same words.
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

PIECE = 1_000  # characters; longer texts are split in pieces, so that most pieces are plain
# No match of the published patterns has a letter or digit right before white space or one of these
# signs. (An apostrophe isn't among them, because 's is a match.)
BETWEEN_WORDS = re.compile(r"(?<=[^\W_])(?=[\s,.，。])")


def find_words(pattern: str, text: str) -> Iterable[str]:
    """Return all matches of a pattern, from left to right; those of a long text come one by one.

    >>> list(find_words(GPT2, "We'll pay 12p"))
    ['We', "'ll", ' pay', ' 12', 'p']
    """
    if pattern not in IN_PLAIN_TEXT:
        return patterns.find_words(pattern, text)
    if len(text) <= PIECE:
        return _find_in_piece(pattern, text)
    return chain.from_iterable(_find_in_piece(pattern, piece) for piece in cut_pieces(text))


def _find_in_piece(pattern: str, piece: str) -> list[str]:
    plain = piece.isascii() or not NOT_PLAIN.search(piece)
    return compile_pattern(pattern, plain).findall(piece)


def cut_pieces(text: str) -> Iterator[str]:
    r"""Yield the pieces of a long text, each of which ends where a word ends.

    >>> [len(piece) for piece in cut_pieces("a line\n" * 300)]
    [1000, 1001, 99]
    """
    start = 0
    while start < len(text):
        found = BETWEEN_WORDS.search(text, start + PIECE)
        end = found.start() if found else len(text)
        yield text[start:end]
        start = end


@cache
def compile_pattern(pattern: str, plain: bool) -> re.Pattern | regex.Pattern:
    """Return a published pattern, compiled for plain texts or for all texts.

    >>> compile_pattern(GPT2, plain=True).findall("low größer")
    ['low', ' größer']
    """
    if plain:
        # With re.ASCII, \s matches the same plain characters as in `regex`; else four more.
        return re.compile(IN_PLAIN_TEXT[pattern], re.ASCII)
    return patterns.compile_pattern(pattern)


# What can be wrong with a pattern that isn't published:

CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\\\]])*\]", re.DOTALL)
SET_SIGN = re.compile(r"&&|--|~~|\|\|")
OF_EACH_KIND = "\u02b0\u01c5\u0416\u05d0\u4e2d\u0301\u0903\u0663"  # letters, marks, a digit
OF_EACH_KIND += "\u2167\u203f\u2028\u3000\u200d\u20ac\ue000\U0001f642"
PATIENCE = 2  # seconds


def check_pattern(pattern: str | None, lossless: bool) -> None:
    r"""Raise ValueError for a pattern that can't be compiled, is ambiguous, or loses text.

    >>> check_pattern("[a-z]+|[^a-z]+", lossless=True)
    >>> check_pattern("[a-z&&[^aeiou]]+", lossless=False)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: the pattern '[a-z&&[^aeiou]]+' has && in a class, which others read as ...

    In a lossless scheme every character of a sample must be in a word.
    """
    if pattern is None or pattern in IN_PLAIN_TEXT:
        return
    signs = [sign for found in CLASS.findall(pattern) for sign in SET_SIGN.findall(found)]
    if signs:
        raise ValueError(
            f"the pattern {pattern!r:.80} has {signs[0]} in a class, which others read as an "
            f"operation on sets; write \\{signs[0][0]} for the sign, (?!…) for the operation"
        )
    try:
        patterns.compile_pattern(pattern)
        left_out = _first_left_out(pattern) if lossless else ""
    except (re.error, regex.error, OverflowError) as error:
        raise ValueError(f"the pattern {pattern!r:.80} cannot be compiled: {error}") from None
    except TimeoutError:
        raise ValueError(f"the pattern {pattern!r:.80} takes too long for a short text") from None
    if left_out:
        raise ValueError(
            f"the pattern {pattern!r:.80} leaves out {left_out!r}, so a text is not given "
            "back: say what the scheme loses (loses='…'), or let the pattern match all"
        )


def _first_left_out(pattern: str) -> str:
    """Return the first character of a sample that is in no match, or ""."""
    end = 0
    characters = [*map(chr, range(33, 256)), *OF_EACH_KIND, *map(chr, range(33))]
    sample = "".join(f"a{one}1 {one}{one}\n{one}b" for one in characters)
    for match in regex.finditer(pattern, sample, timeout=PATIENCE):  # `re` has no time limit
        if match.start() > end:
            break
        end = match.end()
    return sample[end : end + 1]
