"""Find order: in what order a program learns merges, and when it stops."""

import sys
from collections.abc import Mapping

from bpe_further.conform.found import Ask, Found, train
from bpe_further.conform.replay import are_learned
from bpe_further.exercises.whole_programs import SLIPS, Slip, answer

TIES_TEXTS = ["badcfehgbadcfehg", "hgfedcbahgfedcbaxyxy"]
STOP_TEXT = "abcabdeab"  # when ab is merged, no pair occurs twice
# ab occurs five times, cd four times, ef three times, gh twice, and every other pair once.
RARER_TEXT = "abiabjabkablabm" + "cdncdocdpcdq" + "efrefseft" + "ghughv"
NOT_MOST_FREQUENT = "not found out: from a single word it learns other pairs than the most frequent"
TOO_FEW = "not found out: from a single word it learns fewer merges than it is asked for"
TIES = {  # rule -> how a person would say it, and the slip that follows it, if it is not ours
    "first": ("the pair met first", None),
    "last": ("the pair met last", "learn_last_of_equals"),
    "greatest": ("the greatest pair", "learn_greatest_of_equals"),
    "smallest": ("the smallest pair", "learn_smallest_of_equals"),
    "lowest_id": ("the pair with the lowest ids", None),
}


def not_found_out(got: Mapping) -> str:
    """Return what the report says if a program gave no merges."""
    instead = [str(value) for key, value in got.items() if key != "merges"]
    said = instead[0] if instead else "no merges came back"
    return f"not found out: {said.removeprefix('not offered: ')}"


def learn_from_a_word(ask: Ask, found: Found) -> str | None:
    """Return why learning from single words tells nothing; None if a program learns them well."""
    for text in TIES_TEXTS:
        text = text * (found.least // 2 + 1)
        got = train(ask, found, text, 6)
        if not isinstance(got.get("merges"), list):
            return not_found_out(got)
        asked = found.training(text, found.split, 6, got)
        if not are_learned(asked, got["merges"]):
            asked["merges"] = len(got["merges"])
            return TOO_FEW if are_learned(asked, got["merges"]) else NOT_MOST_FREQUENT
    return None


def find_ties(ask: Ask, found: Found) -> str:
    """Return the rule by which a program settles ties."""
    fitting = list(TIES)
    for text in TIES_TEXTS:
        text = text * (found.least // 2 + 1)  # often enough
        answered = train(ask, found, text, 6)
        got = answered.get("merges")
        if not isinstance(got, list):
            return not_found_out(answered)
        asked = found.training(text, found.split, 6)
        left = []
        for rule in fitting:
            ours = {**asked, "ties": rule if TIES[rule][1] is None else "first"}
            slip = SLIPS.get(TIES[rule][1])
            if ours["do"] == "train_words" and rule == "lowest_id":
                slip = _by_ids_of_characters()
                ours["ties"] = "first"
            if _starts_alike(answer(ours, slip).get("merges"), got):
                left.append(rule)
        fitting = left
    if fitting:
        return TIES[fitting[0]][0]
    return learn_from_a_word(ask, found) or "none of the rules that we know (a hash?)"


def _by_ids_of_characters() -> Slip:
    """Return a program that takes the pair of lowest ids; characters are numbered in their order.

    Learned tokens are numbered after all characters.
    """
    ids = {}

    def id_of(symbol: str) -> int:
        return ord(symbol) if len(symbol) == 1 else ids[symbol]

    def choose(counts: Mapping) -> tuple:
        pair = min(counts, key=lambda pair: (-counts[pair], *map(id_of, pair)))
        ids.setdefault("".join(pair), sys.maxunicode + len(ids) + 1)
        return pair

    return Slip("", "", "", {"first": choose})


def _starts_alike(ours, got: list) -> bool:
    """Return whether two lists of merges are the same as far as both of them go."""
    both = min(len(ours or ()), len(got))
    return both > 0 and ours[:both] == got[:both]


def find_stop(ask: Ask, found: Found) -> str:
    """Return when a program stops if it is asked for more merges than the text has."""
    got = train(ask, found, STOP_TEXT, 40)
    merges = got.get("merges")
    if not isinstance(merges, list) and "skip" not in got:
        learns = train(ask, found, STOP_TEXT, 1).get("merges")
        return "with an error when no pair is left" if learns else "not found out"
    if merges == [] and not found.twice:
        found.twice = True
        if train(ask, found, STOP_TEXT, 40).get("merges"):
            return find_stop(ask, found)
        found.twice = False
    rarer = len(train(ask, found, RARER_TEXT, 40).get("merges") or "")
    if found.told.get("number_name", "merges") is not None:  # it learns as many as it is asked
        found.least = {1: 5, 2: 4, 3: 3, 4: 2}.get(rarer, 1)
    if found.least > 2:
        return f"when no pair occurs {found.least} times"
    if merges is None and rarer <= 4:
        return "not found out"
    if merges is not None and len(merges) <= 1:
        return "when no pair occurs twice"
    return "when no pair is left"
