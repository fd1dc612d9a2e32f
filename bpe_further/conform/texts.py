"""Texts: what a program may do to a text first, and the marks that it puts around words."""

import re
import unicodedata
from functools import partial

CHANGES = {  # how a person would say it -> what is done to a text
    "": str,
    "lower case": str.lower,
    "lower case, by casefold": str.casefold,
    "NFC": partial(unicodedata.normalize, "NFC"),
    "NFC, lower case": lambda text: unicodedata.normalize("NFC", text).lower(),
    "NFKC": partial(unicodedata.normalize, "NFKC"),
    "NFKC, lower case": lambda text: unicodedata.normalize("NFKC", text).lower(),
}
MARK = re.compile(r"<\|?\w+\|?>|\[\w+\]|\bUNK\b")  # in the place of what has no id
MARKED = "xyxyxyxyxyxy", "abba"  # a text in which merges are learned, and one in which none is
REPEATED, ALONE = "ab ab ab ab", "ab"  # whose words are merged as wholes


def marks_in(tokens: list[str], word: str) -> dict:
    """Return the marks that the tokens of a word show; nothing if they show none.

    >>> marks_in(["a", "b", "</w>"], "ab"), marks_in(["▁a", "b"], "ab")["is_joined"]
    ({'before': '', 'after': '</w>', 'is_joined': False}, True)
    """
    before, middle, after = "".join(tokens).partition(word)
    if not middle or not before + after:
        return {}
    is_joined = before != tokens[0] if before else after != tokens[-1]
    return {"before": before, "after": after, "is_joined": is_joined}


def marks_in_merges(pairs: list, alone: list) -> dict:
    """Return the marks that merges learned from `REPEATED` show; nothing if they show none.

    A mark that isn't learned from a word that is `ALONE` stands for the space between words.

    >>> of_word = [["a", "b"], ["ab", "</w>"]]
    >>> marks_in_merges(of_word, of_word)["after"], marks_in_merges([["a", "b"]], [["a", "b"]])
    ('</w>', {})
    >>> marks_in_merges([["a", "b"], ["Ġ", "ab"]], [["a", "b"]])
    {}
    """
    before, middle, after = "".join(pairs[-1] if pairs else []).partition("ab")
    if not middle or (before + after).strip() == "" or set("ab") & set(before + after):
        return {}
    if alone and before + "ab" + after not in map("".join, alone):
        return {}
    is_joined = not any(before in pair or after in pair for pair in map(list, pairs))
    return {"before": before, "after": after, "is_joined": is_joined}
