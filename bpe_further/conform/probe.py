"""Probe: find out what a program's conventions are, before any case is asked.

The program learns from a few tiny texts and encodes others. What it answers is compared with the
plain program under each split and each rule for ties that we know.
"""

from collections.abc import Mapping

from bpe_further.conform.find_change import (
    LOWERED,
    encodes_unchanged,
    find_change,
    find_marks,
    find_space,
    lowers_otherwise,
    lowers_to_encode,
    mark_of_spaces,
    marks_empty_words,
)
from bpe_further.conform.find_lost import (
    find_joined,
    find_lost,
    find_names_cut,
    find_names_needed,
    find_own_mark,
    find_unknown,
    find_unmet,
    find_unseen,
)
from bpe_further.conform.find_order import find_stop, find_ties
from bpe_further.conform.find_split import encodes_unsplit, find_cut, find_split, spaces_otherwise
from bpe_further.conform.found import OFFERED, SPACES_BECOME, Ask, Found, train

LOST = ("silent", "stopped", "garbage")  # what happens instead of an answer
TWO_LOST = [[one, other] for one in LOST for other in LOST]


def probe(ask: Ask) -> Found:
    """Return what is found out about a program by asking it."""
    found = Found()
    told = ask({"do": "probe"})
    if "alphabet" in told:
        _find_habits(ask, found, told)
    elif told.get("skip", "").startswith("not offered: ") and told["skip"] != "not offered: probe":
        found.why = told["skip"].removeprefix("not offered: ")
        return found
    else:
        first = ask({"do": "train", "text": "ab ab", "split": "none", "merges": 1, "ties": "any"})
        if [*told] + [*first] in TWO_LOST:
            return found  # the cases will show what it does
        _find_offers(ask, found)
    if found.learns:
        found.ties = find_ties(ask, found)
    found.unknown = find_unknown(ask, found)
    found.notes += _find_notes(ask, found)
    return found


def _find_habits(ask: Ask, found: Found, told: Mapping) -> None:
    """Find the habits of a program that is used as people use it: it learns and is kept."""
    found.told = OFFERED | told
    if found.by_characters and "before" not in told:
        found.told |= find_marks(ask)
    found.keeps = True
    found.notes += told.get("notes", [])
    found.splits = list(found.told["splits"])
    found.split = found.splits[-1] if found.splits else None
    found.stop = find_stop(ask, found)  # of letters, which no split parts
    found.change = find_change(ask, found)
    found.lowers_otherwise = lowers_otherwise(ask, found)
    if found.told["takes_words"]:
        found.cut = found.split = find_cut(ask, found)
    if "gpt2" in found.splits and encodes_unsplit(ask, found):
        found.encodes_otherwise = "it isn't split"
        found.in_encoding = {"split": "none"}
    found.split = found.split or find_split(ask, found)
    if found.split is None and found.by_characters and not found.is_marked:
        _find_shown_space(ask, found)
    found.spaces_otherwise = spaces_otherwise(ask, found)
    if "gives" not in told and found.told["decodes"] and not found.by_characters:
        train(ask, found, "abab", 1)
        found.told["gives"] = _what_decoding_gives(ask)
    if found.change and encodes_unchanged(ask, found):
        found.encodes_otherwise = f"it isn't changed ({found.change})"
        found.in_encoding = {"change": ""}
    if found.by_characters and found.told["encodes"] and not found.encodes_otherwise:
        found.marks_empty = marks_empty_words(ask, found)
        mark = mark_of_spaces(ask, found)
        if mark and "unk" in mark.lower():
            found.encodes_otherwise = f"{SPACES_BECOME} {mark}"
        elif mark:
            found.spaces_as = mark
        elif not found.change and lowers_to_encode(ask, found):
            found.encodes_otherwise = LOWERED
            found.in_encoding = {"change": "lower case"}


def _find_shown_space(ask: Ask, found: Found) -> None:
    """Find a split by which texts are split after spaces were replaced, and what replaces them."""
    why = found.why_no_split
    found.space = find_space(ask, found)
    found.split = find_split(ask, found) if found.space else None
    if found.split is None:
        found.space, found.why_no_split = "", why


def _find_offers(ask: Ask, found: Found) -> None:
    """Find what a program offers that speaks the protocol, and so says itself what it can do."""
    found.splits = [split for split in ("none", "gpt2") if _offers(ask, split)]
    found.split = found.splits[0] if found.splits else None
    if found.splits:
        got = ask({"do": "encode_own", "text": "ab", "split": found.split})
        found.keeps = bool(got.get("ids"))
    else:
        found.splits = [split for split in ("none", "gpt2") if _encodes_with(ask, split)]
        found.learns = not _skips_training(ask)
    found.stop = find_stop(ask, found)


def _find_notes(ask: Ask, found: Found) -> list[str]:
    """Return notes on what no case asks."""
    if not found.told:
        return [*find_names_cut(ask), *find_names_needed(ask, found)]
    notes = []
    if found.by_characters and found.told["encodes"]:
        notes.append(f"characters that training hasn't seen: {find_unseen(ask, found)}")
        notes += find_unmet(ask, found)
        notes += find_own_mark(ask, found)
    return notes + (find_joined(ask, found) if found.split else find_lost(ask, found))


def _offers(ask: Ask, split: str) -> bool:
    got = ask({"do": "train", "text": "ab ab", "split": split, "merges": 1, "ties": "any"})
    return "merges" in got


def _encodes_with(ask: Ask, split: str) -> bool:
    """Return whether a text is encoded with merges that are given."""
    got = ask({"do": "encode", "text": "ab ab", "split": split, "merges": [[97, 98]]})
    return "ids" in got


def _skips_training(ask: Ask) -> bool:
    """Return whether a program offers no training, whatever the split and the rule for ties."""
    asked = {"do": "train", "text": "ab ab", "merges": 1}
    return all(
        "skip" in ask({**asked, "split": split, "ties": ties})
        for split in ("none", "gpt2")
        for ties in ("any", "first", "greatest")
    )


def _what_decoding_gives(ask: Ask) -> str:
    """Return "bytes" if ids are answered with bytes alone, else "text"."""
    got = ask({"do": "decode_own", "ids": [97]})
    return "bytes" if "bytes" in got and "text" not in got else "text"
