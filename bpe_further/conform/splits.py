"""Splits: the ways to cut a text into words that programs are known to have."""

from collections.abc import Callable
from typing import NamedTuple

import regex

from bpe_teach.schemes import SCHEMES

WHOLE_TEXT = "(?s:.+)"  # a pattern that doesn't split
OTHERS = "|(?s:.)"  # each other character


class Split(NamedTuple):
    """A way to cut a text into words: what it does, in a few words, and the functions."""

    about: str
    cut: Callable[[str], list[str]]
    cut_to_learn: Callable[[str], list[str]] | None = None  # if it isn't the same

    def words(self, text: str, to_learn: bool = False) -> list[str]:
        """Return the words of a text to encode, or of a text to learn from."""
        cut = self.cut_to_learn if to_learn and self.cut_to_learn else self.cut
        return [word for word in cut(text) if word]


def _by(pattern: str) -> Callable[[str], list[str]]:
    return regex.compile(pattern).findall


def _of_words(name: str, about: str, pattern: str) -> dict[str, Split]:
    """Return splits by a pattern of words; the rest is dropped, or kept, in one of four ways.

    Nothing can be learned from one character: if symbols are characters, only encoding tells.
    """
    kept = _by(pattern + OTHERS)
    unlearned = "nothing is learned of the rest, which stays when a text is encoded"
    return {
        name: Split(f"{about}; the rest is dropped", _by(pattern)),
        f"{name} and signs": Split(
            f"{about}, and single signs; white space is dropped", _by(pattern + r"|\S")
        ),
        f"{name} and others": Split(f"{about}; each other character is a word of its own", kept),
        f"{name} alone learned": Split(f"{about}; {unlearned}", kept, _by(pattern)),
    }


# Controls, marks, joiners, fractions and U+FEFF: in one language's patterns they are white space,
# or parts of words, in another's not.
DOUBTFUL = regex.compile(r"[\x1c-\x1f\x85\u200c\u200d\ufeff\p{M}\p{No}]")
# Some split at each of them, others at "\n" alone.
OTHER_LINE_ENDS = regex.compile(r"[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
PUBLISHED = ("none", "gpt2", "cl100k", "o200k")  # splits that leave no doubt


def without_doubt(text: str, split: str) -> str:
    """Return a text without the characters on which programs with this split may differ."""
    if split in PUBLISHED:
        return text
    doubtful = [DOUBTFUL, OTHER_LINE_ENDS] if split.startswith("lines") else [DOUBTFUL]
    for characters in doubtful:
        text = characters.sub("", text)
    return text


SPLITS = {  # the likelier ones first: where two fit, the first is meant
    "none": Split("the whole text is one word", lambda text: [text]),
    "gpt2": Split("GPT-2's pattern", SCHEMES["gpt2"].split),
    "gpt2 without contractions": Split(
        "GPT-2's pattern without its contractions",
        _by(r" ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"),
    ),
    "gpt2 without classes": Split(
        "like GPT-2's pattern, but letters, digits and _ are of one kind",
        _by(r"'(?:[sdmt]|ll|ve|re)| ?\w+| ?[^\s\w]+|\s+(?!\S)|\s+"),
    ),
    "cl100k": Split("GPT-4's pattern", SCHEMES["cl100k"].split),
    "o200k": Split("GPT-4o's pattern", SCHEMES["o200k"].split),
    "white space": Split("at white space, which is dropped", str.split),
    "spaces before": Split(
        "at white space; a space belongs to the word after it", _by(r" ?\S+|\s+")
    ),
    "spaces apart": Split("at white space, which is a word of its own", _by(r"\S+|\s+")),
    "white space unlearned": Split(
        "at white space, of which nothing is learned; it stays when a text is encoded",
        _by(r"\S+|\s"),
        str.split,
    ),
    "spaces behind": Split(
        "at white space, which belongs to the word before it", _by(r"\S+\s*|\s+")
    ),
    **_of_words("words", "words of letters and digits", r"\w+"),
    "words, signs, spaces": Split(
        "words of letters and digits, single signs, and runs of white space",
        _by(r"\w+|[^\w\s]|\s+"),
    ),
    "words and runs": Split(
        "runs of letters and digits, of signs, and of white space", _by(r"\w+|[^\w\s]+|\s+")
    ),
    **_of_words("letters", "words of letters", r"\p{L}+"),
    **_of_words("A to Z", "words of the letters A to Z", "[A-Za-z]+"),
    "A to Z apart": Split(
        "words of the letters A to Z, between signs or white space; the rest is dropped",
        _by(r"\b[A-Za-z]+\b"),
    ),
    **_of_words("ASCII", "words of the letters A to Z, digits and _", "[A-Za-z0-9_]+"),
    **_of_words("A to Z, 0 to 9", "words of the letters A to Z and digits", "[A-Za-z0-9]+"),
    "lines": Split("at the ends of lines, which are dropped; only \\n is asked", _by(r"[^\n]+")),
    "lines unlearned": Split(
        "at the ends of lines, of which nothing is learned; they stay when a text is encoded; "
        "only \\n is asked",
        _by(r"[^\n]+|\n"),
        _by(r"[^\n]+"),
    ),
    "lines behind": Split(
        "at the ends of lines, which belong to the line before them; only \\n is asked",
        _by(r"[^\n]*\n|[^\n]+"),
    ),
}
