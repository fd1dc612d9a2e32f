"""Splits: the ways to cut a text into words that programs are known to have."""

from collections.abc import Callable
from typing import NamedTuple

import regex

from bpe_teach.schemes import SCHEMES


class Split(NamedTuple):
    """A way to cut a text into words: what it does, in a few words, and the function."""

    about: str
    cut: Callable[[str], list[str]]


def _by(pattern: str) -> Callable[[str], list[str]]:
    return regex.compile(pattern).findall


SPLITS = {  # the likelier ones first: where two fit, the first is meant
    "none": Split("the whole text is one word", lambda text: [text]),
    "gpt2": Split("GPT-2's pattern", SCHEMES["gpt2"].split),
    "cl100k": Split("GPT-4's pattern", SCHEMES["cl100k"].split),
    "o200k": Split("GPT-4o's pattern", SCHEMES["o200k"].split),
    "white space": Split("at white space, which is dropped", str.split),
    "spaces before": Split(
        "at white space; a space belongs to the word after it", _by(r" ?\S+|\s+")
    ),
    "spaces apart": Split("at white space, which is a word of its own", _by(r"\S+|\s+")),
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
    "lines": Split("at the ends of lines, which are dropped", str.splitlines),
}
