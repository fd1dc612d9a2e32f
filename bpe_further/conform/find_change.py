"""Find change: what a program does to a text, or puts into it, besides splitting it."""

from dataclasses import replace

from bpe_further.conform.find_split import is_as_ours
from bpe_further.conform.found import Ask, Found, pairs_of_texts, train
from bpe_further.conform.replay import are_learned
from bpe_further.conform.texts import ALONE, CHANGES, MARKED, REPEATED, marks_in, marks_in_merges

# Capitals, a ligature and letters of Hangul, of which some programs make others first.
CHANGED_TEXTS = ["ABABAB", "\ufb01" * 5, "\u1100\u1161\u11a8" * 4]
LOWERED_TEXTS = ["IxIxIx", "ÉxÉxÉx"]  # in Turkish, I becomes another letter; in C, É stays
LOWERED = "it is changed (lower case)"  # what is encoded, and not what is learned from
BOTH_CASES = "AB", "ab"


def find_marks(ask: Ask) -> dict:
    """Return what is put before and after the characters of a word."""
    repeated, word = MARKED
    text = repeated + word
    ask({"do": "train", "text": text, "split": None, "merges": 1, "ties": "any"})
    got = ask({"do": "encode_own", "text": word, "split": None})
    if marks := marks_in(got.get("tokens") or [], word):
        return marks
    learned = []
    for text in (REPEATED, ALONE):
        got = ask({"do": "train", "text": text, "split": None, "merges": 2, "ties": "any"})
        learned.append(pairs_of_texts(got.get("merges")))
    return {"before": "", "after": ""} | marks_in_merges(*learned)


def find_change(ask: Ask, found: Found) -> str:
    """Return the change to texts that explains what a program learns."""
    fitting = list(CHANGES)
    for text in CHANGED_TEXTS:
        got = train(ask, found, text, 1)
        if got.get("merges") == []:  # it learns nothing of such characters, changed or not
            continue
        asked = {name: replace(found, change=name).training(text, None, 1, got) for name in fitting}
        fitting = [name for name in fitting if are_learned(asked[name], got.get("merges"))]
    return fitting[0] if fitting else ""


def lowers_otherwise(ask: Ask, found: Found) -> bool:
    """Return whether capitals become letters other than the usual small letters in learning."""
    if "lower case" not in found.change:
        return False
    for text in LOWERED_TEXTS:
        small = is_as_ours(ask, found, text.lower(), 2)
        if small and is_as_ours(ask, found, text, 2) is False:
            return True
    return False


def encodes_unchanged(ask: Ask, found: Found) -> bool:
    """Return whether a program doesn't change texts to encode as it changes texts to learn from."""
    for text in CHANGED_TEXTS:
        changed = found.changed(text)
        if changed == text or not train(ask, found, text, 1).get("merges"):
            continue
        own, other = (
            ask({"do": "encode_own", "text": one, "split": None}) for one in (text, changed)
        )
        told = [one.get("ids", one.get("tokens")) for one in (own, other)]
        if None not in told and told[0] != told[1]:
            return True
    return False


def lowers_to_encode(ask: Ask, found: Found) -> bool:
    """Return whether capitals that were learned are encoded as small letters."""
    capitals, small = BOTH_CASES
    if not train(ask, found, f"{capitals}{small} " * 3, 3).get("merges"):
        return False
    own, lowered = (
        ask({"do": "encode_own", "text": text, "split": None}).get("tokens") for text in BOTH_CASES
    )
    return own == lowered is not None and small in "".join(map(str, own))


def mark_of_spaces(ask: Ask, found: Found) -> str | None:
    """Return the token that encoding puts in the place of white space, which training drops."""
    if found.split is None or not found.drops_spaces:
        return None
    train(ask, found, "ab ab ab", 1)
    one, two = (
        ask({"do": "encode_own", "text": text, "split": None}).get("tokens") or []
        for text in ("ab", "ab ab")
    )
    between = two[len(one) : -len(one) or None]
    is_marked = one and two == [*one, *between, *one] and len(between) == 1
    return str(between[0]) if is_marked else None


def marks_empty_words(ask: Ask, found: Found) -> bool:
    """Return whether white space at the end of a text makes an empty word, which has the marks."""
    marks = [mark for mark in (found.told.get("before"), found.told.get("after")) if mark]
    if not marks or found.split is None or not found.drops_spaces:
        return False
    train(ask, found, "ab ab ab", 1)
    one, spaced = (
        ask({"do": "encode_own", "text": text, "split": None}).get("tokens") or []
        for text in ("ab", "ab ")
    )
    return bool(one) and spaced == [*one, *marks]


def find_space(ask: Ask, found: Found) -> str:
    """Return the character that stands for a space in what is learned; "" if none is seen."""
    merges = train(ask, found, "b b b b b b", 1).get("merges")
    others = [part for pair in pairs_of_texts(merges) for part in pair if part != "b"]
    return others[0] if len(others) == 1 and len(others[0]) == 1 and others != [" "] else ""
