"""Probe: find out what a program's conventions are, before any case is asked.

The program learns from a few tiny texts and encodes others. What it answers is compared with the
plain program under each split and each rule for ties that we know.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bpe_further.conform.replay import are_learned
from bpe_further.conform.splits import SPLITS
from bpe_further.exercises.whole_programs import SLIPS, answer

Ask = Callable[[dict], dict]  # a request -> the answer, or what happened instead

# Texts in which the splits that we know part: signs, digits, endings, capitals, runs of spaces.
SPLIT_TEXTS = [
    "we'll WE'LL pay 12345 now,  pay 12345 now: fooBar fooBar\n\n  pay; pay don't pay \n12345\n",
    "the cat sat. the cat sat!  The cat, the  cat\nsat\nthe cat sat 2024 2024 cat's cat's\n",
]
TIES_TEXTS = ["badcfehgbadcfehg", "hgfedcbahgfedcbaxyxy"]
STOP_TEXT = "abcabdeab"  # when ab is merged, no pair occurs twice
MERGES = 12
UNKNOWN = 999_999  # an id that no program has
TIES = {  # rule -> how a person would say it, and the slip that follows it, if it is not ours
    "first": ("the pair met first", None),
    "last": ("the pair met last", "learn_last_of_equals"),
    "greatest": ("the greatest pair", "learn_greatest_of_equals"),
    "smallest": ("the smallest pair", "learn_smallest_of_equals"),
    "lowest_id": ("the pair with the lowest ids", None),
}
LOST = ("silent", "stopped", "garbage")  # what happens instead of an answer
TWO_LOST = [[one, other] for one in LOST for other in LOST]


@dataclass
class Found:
    """What is known of a program: by its own adapter (``told``), and by asking."""

    told: Mapping = field(default_factory=dict)
    keeps: bool = False  # it encodes with what it has learned, without being given merges
    split: str | None = None  # the one that it has; None: not one that we know
    splits: list[str] = field(default_factory=list)  # those that can be asked for
    ties: str = "not found out"
    stop: str = "not found out"
    unknown: str = "not found out"
    why: str | None = None  # it can't be asked

    @property
    def by_characters(self) -> bool:
        """Whether its symbols are characters, not bytes."""
        return self.told.get("alphabet") == "characters"

    # ---- requests for the judge, which say what the program was asked in terms of the cases

    def symbols(self, word: str) -> list[str]:
        """Return the symbols of a word, with the marks that the program puts around it."""
        symbols = [*self.told.get("before", ""), *word]
        after = self.told.get("after", "")
        if after and self.told.get("is_joined"):
            symbols[-1] += after
        elif after:
            symbols.append(after)
        return symbols

    def words(self, text: str, split: str | None) -> list[str]:
        """Return the words of a text; with an unknown split, a word of letters is one word."""
        return [word for word in SPLITS[split or "none"].cut(text) if word]

    def training(self, text: str, split: str | None, merges: int) -> dict:
        """Return the request that a training is judged by."""
        if self.by_characters:
            words = [[self.symbols(word), 1] for word in self.words(text, split)]
            return {"do": "train_words", "words": words, "merges": merges, "ties": "any"}
        return {
            "do": "train",
            "text": text,
            "split": split or "none",
            "merges": merges,
            "ties": "any",
        }

    def encoding(self, text: str, split: str | None, merges: list) -> dict:
        """Return the request that an encoding is judged by."""
        if self.by_characters:
            words = [self.symbols(word) for word in self.words(text, split)]
            return {"do": "encode_words", "words": words, "merges": merges}
        return {"do": "encode", "text": text, "split": split or "none", "merges": merges}

    # ---- the report's first lines

    def lines(self) -> list[str]:
        """Return what was found in four lines."""
        if not self.told:
            offered = ", ".join(self.splits) or "none that we know"
            return [
                f"found    speaks the protocol; splits: {offered}",
                f"         ties: {self.ties}; stops {self.stop}; unknown ids: {self.unknown}",
            ]
        told = self.told
        symbols = "bytes" if not self.by_characters else "characters"
        if told["moved"]:
            symbols += " (whose ids are not their values)"
        if told["shown_as"]:
            symbols += f", shown as {told['shown_as']}"
        if self.by_characters and (told["before"] or told["after"]):
            symbols += f", a word is marked: {told['before']}word{told['after']}"
        split = SPLITS[self.split].about if self.split else "in no way that we know"
        if len(self.splits) > 1:
            split = f"by the pattern that it is given ({' and '.join(self.splits)} are asked)"
        number = told["number"] if told["number_name"] else "not given"
        return [
            f"found    symbols: {symbols}; merges in {told['merges_in']}",
            f"         split: {split}",
            f"         {told['train']} takes {told['text']}, {told['number_name']} is {number}; "
            f"decoding gives {told['gives']}",
            f"         ties: {self.ties}; stops {self.stop}; unknown ids: {self.unknown}",
        ]


def probe(ask: Ask) -> Found:
    """Return what is found out about a program by asking it."""
    found = Found()
    told = ask({"do": "probe"})
    if "alphabet" in told:
        found.told = told
        found.keeps = True
        found.splits = list(told["splits"])
        found.split = found.splits[-1] if found.splits else _find_split(ask, found)
    elif told.get("skip", "").startswith("not offered: ") and told["skip"] != "not offered: probe":
        found.why = told["skip"].removeprefix("not offered: ")
        return found
    else:
        first = ask({"do": "train", "text": "ab ab", "split": "none", "merges": 1, "ties": "any"})
        if [*told] + [*first] in TWO_LOST:
            return found  # the cases will show what it does
        found.splits = [split for split in ("none", "gpt2") if _offers(ask, split)]
        found.split = found.splits[0] if found.splits else None
        if found.splits:
            got = ask({"do": "encode_own", "text": "ab", "split": found.split})
            found.keeps = bool(got.get("ids"))
    found.ties = _find_ties(ask, found)
    found.stop = _find_stop(ask, found)
    found.unknown = _find_unknown(ask, found)
    return found


def _train(ask: Ask, found: Found, text: str, merges: int, split: str | None = None) -> dict:
    split = split or found.split
    return ask({"do": "train", "text": text, "split": split, "merges": merges, "ties": "any"})


def _offers(ask: Ask, split: str) -> bool:
    got = ask({"do": "train", "text": "ab ab", "split": split, "merges": 1, "ties": "any"})
    return "merges" in got


def _find_split(ask: Ask, found: Found) -> str | None:
    """Return the split that explains most of what a program learns, and how it encodes then."""
    points = dict.fromkeys(SPLITS, 0)
    most = 0
    for text in SPLIT_TEXTS:
        got = _train(ask, found, text, MERGES)
        merges = got.get("merges")
        if not isinstance(merges, list):
            continue
        encoded = ask({"do": "encode_own", "text": text, "split": None})
        given = encoded.get("ids", encoded.get("tokens"))
        most += 3
        for split in SPLITS:
            points[split] += are_learned(found.training(text, split, MERGES), merges)
            right = answer(found.encoding(text, split, merges))
            points[split] += 2 * (given is not None and given in right.values())
    # Where a split and none encode alike, no merge crosses a border of the split. Without the
    # split, one of a dozen merges would.
    best = max(points, key=lambda split: (points[split], split != "none"))
    return best if points[best] >= max(2, most / 3) else None


def _find_ties(ask: Ask, found: Found) -> str:
    """Return the rule by which a program settles ties."""
    fitting = list(TIES)
    for text in TIES_TEXTS:
        got = _train(ask, found, text, 6).get("merges")
        if not isinstance(got, list):
            return "not found out"
        asked = found.training(text, found.split, 6)
        left = []
        for rule in fitting:
            ours = {**asked, "ties": rule if TIES[rule][1] is None else "first"}
            if ours["do"] == "train_words" and rule == "lowest_id":
                continue
            slip = SLIPS.get(TIES[rule][1])
            if _starts_like(answer(ours, slip).get("merges"), got):
                left.append(rule)
        fitting = left
    return TIES[fitting[0]][0] if fitting else "none of the rules that we know (a hash?)"


def _starts_like(ours, got: list) -> bool:
    """Return whether the merges are the same, as far as the program went."""
    return isinstance(ours, list) and len(got) > 0 and ours[: len(got)] == got


def _find_stop(ask: Ask, found: Found) -> str:
    """Return when a program stops that is asked for more merges than there are."""
    got = _train(ask, found, STOP_TEXT, 40)
    merges = got.get("merges")
    if not isinstance(merges, list):
        return "with an error when no pair is left"
    if len(merges) <= 1:
        return "when no pair occurs twice"
    return "when no pair is left"


def _find_unknown(ask: Ask, found: Found) -> str:
    """Return what a program makes of an id that it doesn't have."""
    got = _train(ask, found, "abab", 1)
    if found.by_characters or "merges" not in got:
        return "not found out"
    if found.keeps:
        got = ask({"do": "decode_own", "ids": [97, UNKNOWN]})
    else:
        got = ask({"do": "decode", "ids": [97, UNKNOWN], "merges": []})
    if "error" in got:
        return "an error"
    text = got.get("text")
    if text is None and isinstance(got.get("bytes"), list):
        text = bytes(byte % 256 for byte in got["bytes"] if isinstance(byte, int)).decode(
            "utf-8", "replace"
        )
    if text is None:
        return "not found out"
    return "skipped" if text == "a" else f"become {json.dumps(text[1:], ensure_ascii=False)}"
