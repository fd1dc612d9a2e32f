r"""Patterns: the words of the published split patterns, found faster in plain text.

The package `regex` knows all letters of the world, but it is slow. Long stretches of most texts use
only a few letters: ``A-Za-z`` (in western languages also ``À-ÿ``), ``А-я`` in Russian, or Chinese
characters. In such a stretch, Python's own `re` finds the words of the published patterns in half
the time.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import chain

from bpe_teach.patterns import CL100K, GPT2, O200K, PUBLISHED, compile_pattern
from bpe_teach.schemes import Scheme, check_text

# Plain characters: ASCII; the characters up to U+00FF without control characters and the no-break
# space (in `regex`, \s finds U+0085 and U+00A0, but not with re.ASCII); dashes, quotes, …; Cyrillic
# letters; the Chinese characters of Unicode 1.1 (later versions have more; a text with one of the
# later characters is left to `regex`), and Chinese punctuation.
CHINESE = "\u4e00-\u9fa5"
SIGNS = "\u2010-\u2027\u3001-\u3003\u3008-\u3011！（），：；？"
NOT_PLAIN = re.compile(f"[^\0-\x7f\xa1-\xffЁА-яё{SIGNS}{CHINESE}]")
# As in `patterns`, letters without case, such as ª, count as both upper and lower case. × and ÷ lie
# between the letters.
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
# The pattern finds places with a letter or digit before them, and white space or one of these signs
# after them. Such a place is inside no word: in each branch of the published patterns, a letter or
# digit is followed by a letter or digit, a mark or an ending such as 's, or it is the word's last
# character. (This is why no apostrophe is among the signs.)
BETWEEN_WORDS = re.compile(r"(?<=[^\W_])(?=[\s,.，。])")  # [^\W_] is \w without the _


def split_fast(scheme: Scheme, text: str) -> Iterable[str]:
    """Return the words of `Scheme.split`, found faster; those of a long text come one by one."""
    # A subclass of Scheme, as bpe_further has, may use more than its pattern to split a text.
    if type(scheme) is not Scheme or scheme.pattern not in PUBLISHED:
        return scheme.split(text)
    check_text(text)
    return match_fast(scheme.pattern, scheme.change(text))


def match_fast(pattern: str, text: str) -> Iterable[str]:
    """Return the matches of one of the published patterns, from left to right."""
    if len(text) <= PIECE:
        return _find_in_piece(pattern, text)
    return chain.from_iterable(_find_in_piece(pattern, piece) for piece in cut_pieces(text))


def _find_in_piece(pattern: str, piece: str) -> list[str]:
    # These patterns have no groups, so findall returns whole matches, and nothing is faster.
    if piece.isascii() or not NOT_PLAIN.search(piece):
        return _compile_for_plain_text(pattern).findall(piece)
    return compile_pattern(pattern).findall(piece)


@cache
def _compile_for_plain_text(pattern: str) -> re.Pattern:
    # With re.ASCII, \s finds the same plain characters as in `regex`; without it, \s would also
    # find \x1c to \x1f.
    return re.compile(IN_PLAIN_TEXT[pattern], re.ASCII)


def cut_pieces(text: str) -> Iterator[str]:
    """Yield the pieces of a long text; each piece ends where a word ends."""
    start = 0
    while start < len(text):
        found = BETWEEN_WORDS.search(text, start + PIECE)
        end = found.start() if found else len(text)
        yield text[start:end]
        start = end
