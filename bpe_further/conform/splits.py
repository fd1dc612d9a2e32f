"""Splits: the ways to cut a text into words that programs are known to have."""

from collections.abc import Callable
from typing import NamedTuple

import regex

from bpe_teach.schemes import SCHEMES

WHOLE_TEXT = "(?s:.+)"  # a pattern that doesn't split


class Split(NamedTuple):
    """A way to cut a text into words: what it does, in a few words, and the functions."""

    about: str
    cut: Callable[[str], list[str]]
    cut_to_learn: Callable[[str], list[str]] | None = None  # if it isn't the same

    def words(self, text: str, to_learn: bool = False) -> list[str]:
        """Return the words of a text that is encoded, or of one that is learned from."""
        cut = self.cut_to_learn if to_learn and self.cut_to_learn else self.cut
        return [word for word in cut(text) if word]


def _by(pattern: str) -> Callable[[str], list[str]]:
    return regex.compile(pattern).findall


# Controls, marks, joiners, fractions and U+FEFF: in one language's patterns they are white space,
# or parts of words, in another's not.
DOUBTFUL = regex.compile(r"[\x1c-\x1f\x85\u200c\u200d\ufeff\p{M}\p{No}]")
PUBLISHED = ("none", "gpt2", "cl100k", "o200k")  # splits that leave no doubt


def without_doubt(text: str, split: str) -> str:
    """Return a text without the characters on which programs with this split may differ."""
    return text if split in PUBLISHED else DOUBTFUL.sub("", text)


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
    "spaces unlearned": Split(
        "at white space, of which nothing is learned; it stays when a text is encoded",
        _by(r"\S+|\s"),
        str.split,
    ),
    "spaces behind": Split(
        "at white space, which belongs to the word before it", _by(r"\S+\s*|\s+")
    ),
    "words": Split("words of letters and digits; the rest is dropped", _by(r"\w+")),
    "words and signs": Split(
        "words of letters and digits, and single signs; white space is dropped", _by(r"\w+|[^\w\s]")
    ),
    "words and runs": Split(
        "runs of letters and digits, of signs, and of white space", _by(r"\w+|[^\w\s]+|\s+")
    ),
    "letters": Split("words of letters; the rest is dropped", _by(r"\p{L}+")),
    "A to Z": Split("words of the letters A to Z; the rest is dropped", _by(r"[A-Za-z]+")),
    "lines": Split("at the ends of lines, which are dropped", str.splitlines),
}
