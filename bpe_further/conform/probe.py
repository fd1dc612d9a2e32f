"""Probe: find out what a program's conventions are, before any case is asked.

The program learns from a few tiny texts and encodes others. What it answers is compared with the
plain program under each split and each rule for ties that we know.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from bpe_further.conform.replay import are_learned, highest_left
from bpe_further.conform.splits import PUBLISHED, SPLITS, without_doubt
from bpe_further.conform.texts import (
    ALONE,
    CHANGES,
    MARKED,
    REPEATED,
    marks_in,
    marks_in_merges,
)
from bpe_further.exercises.whole_programs import SLIPS, Slip, answer

Ask = Callable[[dict], dict]  # a request -> the answer, or what happened instead

# Texts in which the splits that we know part: signs, digits, endings, capitals, runs of spaces.
SPLIT_TEXTS = [
    "b\na\nb\na\nb\na\nb\nb\n a b\n a b\n a b\n",
    "it's he's I'll it's he's I'll x's y's !'s !'s .'s .'s",
    "été été café cafés ab1ab1 ab1ab1 ab1 a_ba_b a_ba_b 1212 _1_1 a_b\n",
    "WE'D he'd WE'D he'd 12345 12345 12345 a.\n a.\n b.\n b.\nfooBar fooBar fooBar dooBar",
    "we'll WE'LL pay 12345 now,  pay 12345 now: fooBar fooBar\n\n  pay; pay don't pay \n12345\n",
    "the cat sat. the cat sat!  The cat, the  cat\nsat\nthe cat sat 2024 2024 cat's cat's\n",
]
TIES_TEXTS = ["badcfehgbadcfehg", "hgfedcbahgfedcbaxyxy"]
STOP_TEXT = "abcabdeab"  # when ab is merged, no pair occurs twice
# ab occurs five times, cd four times, ef three times, gh twice, and every other pair once.
RARER_TEXT = "abiabjabkablabm" + "cdncdocdpcdq" + "efrefseft" + "ghughv"
# Capitals, a ligature and letters of Hangul, of which some programs make others first.
CHANGED_TEXTS = ["ABABAB", "\ufb01" * 5, "\u1100\u1161\u11a8" * 4]
LOWERED_TEXTS = ["IxIxIx", "ÉxÉxÉx"]  # in Turkish, I becomes another letter; in C, É stays
CONDITIONAL = "İΣ"  # capitals that become two characters, or one or the other
SPACED_TEXT = "ab ab x{0}y x{0}y x{0}y x{0}y"
WHITE_SPACE, A_SIGN = "\u2003\xa0", "†"  # beyond ASCII
MERGES = 12
ONLY_LETTERS = ", so only words of letters are asked"
NOT_MOST_FREQUENT = "not found out: from a single word it learns other pairs than the most frequent"
UNSPLIT = "training doesn't split, and encoding splits in no way that we know"
UNKNOWN = 999_999  # an id that no program has
TIES = {  # rule -> how a person would say it, and the slip that follows it, if it is not ours
    "first": ("the pair met first", None),
    "last": ("the pair met last", "learn_last_of_equals"),
    "greatest": ("the greatest pair", "learn_greatest_of_equals"),
    "smallest": ("the smallest pair", "learn_smallest_of_equals"),
    "lowest_id": ("the pair with the lowest ids", None),
}
OFFERED = {  # by a program that speaks the protocol, unless it says otherwise
    "moved": False,
    "shown_as": "",
    "splits": [],
    "train": "training",
    "text": "a text",
    "takes_words": False,
    "number": "the number of merges",
    "number_name": "merges",
    "merges_in": "its answers",
    "gives": "text",
    "frame": "",
    "encodes": True,
    "decodes": True,
    "saves": False,
}
UNSEEN = "low", "lowz"  # what is learned from, and what is encoded then
BEYOND = "low語"  # with a character that is no letter of one byte
TWO_WORDS = "ab cd"
CUT_NAMES = "<e>", "<e>qq"  # of special tokens
LOST = ("silent", "stopped", "garbage")  # what happens instead of an answer
TWO_LOST = [[one, other] for one in LOST for other in LOST]


@dataclass
class Found:
    """What is known of a program: by its own adapter (``told``), and by asking."""

    told: Mapping = field(default_factory=dict)
    keeps: bool = False  # it encodes with what it has learned, without being given merges
    split: str | None = None  # the one that it has; None: not one that we know
    splits: list[str] = field(default_factory=list)  # those that can be asked for
    cut: str | None = None  # the split by which the kit makes words for a program that wants words
    twice: bool = False  # words that occur once aren't counted, so each text is given twice
    change: str = ""  # one of `CHANGES`, that is made to each text first
    learns: bool = True  # it offers training
    ties: str = "not found out"
    stop: str = "not found out"
    why_no_split: str = "in no way that we know"  # that is said if there is no split
    split_fits: bool = True  # it explains each training of the probe, not only most of them
    lowers_otherwise: bool = False  # it makes other letters of capitals than we do
    spaces_otherwise: bool = False  # it treats white space beyond ASCII otherwise than we do
    encodes_otherwise: str = ""  # what it does to a text to encode, but not to one to learn from
    least: int = 1  # how often a pair must occur
    unknown: str = "not found out"
    notes: list[str] = field(default_factory=list)  # what no case asks, and readers should know
    why: str | None = None  # it can't be asked

    @property
    def by_characters(self) -> bool:
        """Whether its symbols are characters, not bytes."""
        return self.told.get("alphabet") == "characters"

    # ---- requests for the judge, which say what the program was asked in terms of the cases

    def symbols(self, word: str) -> list[str]:
        """Return the symbols of a word, with the marks that the program puts around it."""
        before, after = self.told.get("before", ""), self.told.get("after", "")
        symbols = list(word)
        if self.told.get("is_joined"):
            symbols[0] = before + symbols[0]
            symbols[-1] += after
            return symbols
        return [one for one in [before, *symbols, after] if one]

    def words(self, text: str, split: str | None, to_learn: bool = False) -> list[str]:
        """Return the words of a text; with an unknown split, a word of letters is one word."""
        return SPLITS[self.known(split)].words(self.changed(text), to_learn)

    def training(self, text: str, split: str | None, merges: int, got: Mapping | None = None):
        """Return the request that a training is judged by.

        A program that learns as many merges as it likes, or no rare ones, was asked for those
        that it ``got``.
        """
        text = self.given(text)
        asked = {"do": "train", "text": self.changed(text), "split": self.known(split)}
        if self.by_characters:
            words = [[self.symbols(word), 1] for word in self.words(text, split, to_learn=True)]
            asked = {"do": "train_words", "words": words}
        asked |= {"merges": merges, "ties": "any"}
        given = (got or {}).get("merges")
        least = self.least if self.least > 2 else 1  # of two, there is a convention
        if isinstance(given, list) and self.may_stop_after(asked, given, least):
            asked["merges"] = len(given)
        return asked

    def may_stop_after(self, asked: Mapping, given: list, least: int) -> bool:
        """Return whether a program that has its own rule may stop with these merges.

        ``least`` is how often a pair must occur so that it goes on.
        """
        if self.told and self.told["number_name"] is None:
            return True
        if least < 2 or len(given) >= asked["merges"]:
            return False
        try:
            return highest_left(asked, given) < least
        except (TypeError, ValueError, IndexError):  # these are no merges
            return False

    def encoding(self, text: str, split: str | None, merges: list) -> dict:
        """Return the request that an encoding is judged by."""
        if self.by_characters:
            words = [self.symbols(word) for word in self.words(text, split)]
            return {"do": "encode_words", "words": words, "merges": merges}
        text = self.changed(text)
        return {"do": "encode", "text": text, "split": self.known(split), "merges": merges}

    def known(self, split: str | None) -> str:
        """Return a split that does the same as an unknown one on the texts that are asked."""
        return split or ("white space" if self.twice else "none")

    def given(self, text: str) -> str:
        """Return the text that a program is given to learn from."""
        return f"{text} {text}" if self.twice else text

    def asking(self, text: str, split: str | None, merges: int) -> dict:
        """Return the request that asks a program to learn from a text."""
        request = {"do": "train", "text": self.given(text), "split": split, "merges": merges}
        request["ties"] = "any"
        return request | ({"cut": self.cut} if self.cut else {})

    def changed(self, text: str) -> str:
        """Return what a program makes of a text before all else."""
        return CHANGES[self.change](text)

    def without_doubt(self, text: str, split: str | None) -> str:
        """Return a text without the characters of which we don't know what a program makes."""
        return "".join(one for one in text if not self._is_doubtful(one, split or "none"))

    def _is_doubtful(self, character: str, split: str) -> bool:
        if self.spaces_otherwise and character.isspace() and not character.isascii():
            return True
        if self.lowers_otherwise and character != character.lower():
            return True
        if "lower case" in self.change and character in CONDITIONAL:
            return True
        both = character + self.changed(character)
        return without_doubt(both, split) != both

    # ---- the report's first lines

    def lines(self) -> list[str]:
        """Return what was found in four lines, and a line for each note."""
        notes = [f"         {note}" for note in self.notes]
        if not self.told:
            offered = ", ".join(self.splits) or "none that we know"
            return [f"found    speaks the protocol; splits: {offered}", self._habits(), *notes]
        told = self.told
        symbols = "bytes" if not self.by_characters else "characters"
        if told["moved"]:
            symbols += " (whose ids are not their values)"
        if told["shown_as"]:
            symbols += f", shown as {told['shown_as']}"
        if self.by_characters and (told["before"] or told["after"]):
            symbols += f", a word is marked: {told['before']}word{told['after']}"
        split = SPLITS[self.split].about if self.split else self.why_no_split
        if not self.split_fits:
            split = f"most like this, but not always: {split}"
        if self.twice:
            split += "; words that occur once aren't counted, so each text is given twice"
        if self.change:
            split += f"; texts are changed first: {self.change}"
        if self.lowers_otherwise:
            split += ", in a way of its own, so only texts without capitals are asked"
        if self.spaces_otherwise:
            split += "; white space beyond ASCII is treated otherwise, and isn't asked"
        if len(self.splits) > 1:
            split = f"by the pattern that it is given ({' and '.join(self.splits)} are asked)"
        takes = f"takes {told['text']}"
        if self.cut:
            split += f"; {told['train']} takes words, which the kit makes in this way"
            takes = "takes a list of words"
        if told["number_name"] is None:
            takes += ", and learns as many merges as it likes"
        else:
            takes += f", {told['number_name']} is {told['number']}"
        if told.get("number_guessed"):
            takes += " (a guess)"
        gives = f"decoding gives {told['gives']}"
        for what, offered in (("decodes", told["decodes"]), ("encodes", told["encodes"])):
            gives = gives if offered else f"there is nothing that {what}"
        if told["frame"]:
            gives += f"; each text is framed: {told['frame']}, which is left out here"
        return [
            f"found    symbols: {symbols}; merges in {told['merges_in']}",
            f"         split: {split}",
            f"         {told['train']} {takes}; {gives}",
            self._habits(),
            *self._otherwise(),
            *notes,
        ]

    def _habits(self) -> str:
        """Return a line on how a program learns, and what it makes of ids that it doesn't have."""
        learns = f"ties: {self.ties}; stops {self.stop}" if self.learns else "it offers no training"
        return f"         {learns}; unknown ids: {self.unknown}"

    def _otherwise(self) -> list[str]:
        """Return a line on a text to encode that isn't treated as one to learn from."""
        if not self.encodes_otherwise:
            return []
        return [f"         but what it encodes is treated otherwise: {self.encodes_otherwise}"]


def probe(ask: Ask) -> Found:
    """Return what is found out about a program by asking it."""
    found = Found()
    told = ask({"do": "probe"})
    if "alphabet" in told:
        found.told = OFFERED | told
        if found.by_characters and "before" not in told:
            found.told |= _find_marks(ask)
        found.keeps = True
        found.splits = list(found.told["splits"])
        found.split = found.splits[-1] if found.splits else None
        found.stop = _find_stop(ask, found)  # of letters, which no split parts
        found.change = _find_change(ask, found)
        found.lowers_otherwise = _lowers_otherwise(ask, found)
        if found.told["takes_words"]:
            found.cut = found.split = _find_cut(ask, found)
        found.split = found.split or _find_split(ask, found)
        found.spaces_otherwise = _spaces_otherwise(ask, found)
        if "gives" not in told and found.told["decodes"] and not found.by_characters:
            _train(ask, found, "abab", 1)
            found.told["gives"] = _what_decoding_gives(ask)
        if found.change and _encodes_unchanged(ask, found):
            found.encodes_otherwise = f"it isn't changed ({found.change})"
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
        else:
            found.splits = [split for split in ("none", "gpt2") if _encodes_with(ask, split)]
            found.learns = not _skips_training(ask)
        found.stop = _find_stop(ask, found)
    if found.learns:
        found.ties = _find_ties(ask, found)
    found.unknown = _find_unknown(ask, found)
    if found.by_characters and found.told["encodes"]:
        found.notes.append(f"characters that training hasn't seen: {_find_unseen(ask, found)}")
        found.notes += _find_own_mark(ask, found)
    if found.told and found.split:
        found.notes += _find_joined(ask, found)
    if not found.told:
        found.notes += _find_names_cut(ask)
    return found


def _train(ask: Ask, found: Found, text: str, merges: int, split: str | None = None) -> dict:
    return ask(found.asking(text, split or found.split, merges))


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


def _find_marks(ask: Ask) -> dict:
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
        learned.append(_pairs_of_texts(got.get("merges")))
    return {"before": "", "after": ""} | marks_in_merges(*learned)


def _pairs_of_texts(merges) -> list:
    """Return merges that are pairs of texts, as those of a program of characters should be."""
    if not isinstance(merges, list):
        return []
    return [pair for pair in merges if isinstance(pair, list) and all(map(_is_text, pair))]


def _is_text(value) -> bool:
    return isinstance(value, str)


def _find_change(ask: Ask, found: Found) -> str:
    """Return the change to texts that explains what a program learns."""
    fitting = list(CHANGES)
    for text in CHANGED_TEXTS:
        got = _train(ask, found, text, 1)
        if got.get("merges") == []:  # it learns nothing of such characters, changed or not
            continue
        asked = {name: replace(found, change=name).training(text, None, 1, got) for name in fitting}
        fitting = [name for name in fitting if are_learned(asked[name], got.get("merges"))]
    return fitting[0] if fitting else ""


def _lowers_otherwise(ask: Ask, found: Found) -> bool:
    """Return whether other letters are learned from capitals than their small letters."""
    if "lower case" not in found.change:
        return False
    for text in LOWERED_TEXTS:
        small = _is_as_ours(ask, found, text.lower(), 2)
        if small and _is_as_ours(ask, found, text, 2) is False:
            return True
    return False


def _spaces_otherwise(ask: Ask, found: Found) -> bool:
    """Return whether white space beyond ASCII is treated neither as in ASCII nor as by us."""
    if found.split is None or found.split in PUBLISHED:
        return False
    others = [_is_as_ours(ask, found, SPACED_TEXT.format(one), 1) for one in (" ", A_SIGN)]
    beyond = [_is_as_ours(ask, found, SPACED_TEXT.format(one), 1) for one in WHITE_SPACE]
    return all(others) and False in beyond


def _is_as_ours(ask: Ask, found: Found, text: str, merges: int) -> bool | None:
    """Return whether a program learns from a text what we do; None if it learns nothing."""
    got = _train(ask, found, text, merges)
    if not isinstance(got.get("merges"), list) or not got["merges"]:
        return None
    return are_learned(found.training(text, found.split, merges, got), got["merges"])


def _find_split(ask: Ask, found: Found) -> str | None:
    """Return the split that explains most of what a program learns, and how it encodes then.

    Where one split explains all that it learns, and only another one all that it encodes, the
    first is meant.
    """
    learns, encodes = dict.fromkeys(SPLITS, 0), dict.fromkeys(SPLITS, 0)
    texts = 0  # from which it learned
    got = {}
    for text in _texts_to_split(found):
        got = _train(ask, found, text, MERGES)
        merges = got.get("merges")
        if not isinstance(merges, list):
            continue
        encoded = ask({"do": "encode_own", "text": text, "split": None})
        given = encoded.get("ids", encoded.get("tokens"))
        texts += 1
        for split in SPLITS:
            asked = found.training(text, split, MERGES, got)
            if found.may_stop_after(asked, merges, found.least):
                asked["merges"] = len(merges)
            learns[split] += are_learned(asked, merges)
            right = answer(found.encoding(text, split, merges))
            encodes[split] += given is not None and given in right.values()
    # Where a split and none encode alike, no merge crosses a border of the split. Without the
    # split, one of a dozen merges would.
    best = max(SPLITS, key=lambda split: (learns[split] + 2 * encodes[split], split != "none"))
    to_learn, to_encode = (max(SPLITS, key=points.get) for points in (learns, encodes))
    if _may_take_words(found) and texts > 1 and learns["none"] == texts > encodes["none"]:
        found.cut = _find_cut(ask, found)
        if found.cut:
            return found.cut
        if _encodes_as_cut(ask, found, TIES_TEXTS[0], "none"):
            found.why_no_split = f"{UNSPLIT}{ONLY_LETTERS}"
            return None
    if texts > 1 and learns[best] < learns[to_learn] == texts == encodes[to_encode]:
        found.encodes_otherwise = f"it is split {_in_words(to_encode)}"
        return to_learn
    if learns[best] + 2 * encodes[best] >= max(2, texts):
        if learns[best] < texts > encodes[best]:  # neither learning nor encoding is as we know
            words, _, _ = SPLITS[best].about.partition(";")  # of the rest, nothing is known
            found.why_no_split = f"{words}{ONLY_LETTERS}"
            found.split_fits = False
            return None
        is_told_by_encoding = encodes[best] == texts and (best == "none" or encodes["none"] < texts)
        found.split_fits = learns[best] == texts or is_told_by_encoding
        return best
    if texts == 0:
        found.why_no_split = _not_found_out(got)
    elif (faulty := _learn_from_a_word(ask, found)) is not None:
        found.why_no_split = faulty
    return None


def _texts_to_split(found: Found) -> list[str]:
    return [found.without_doubt(text, None) for text in SPLIT_TEXTS]


def _may_take_words(found: Found) -> bool:
    """Return whether a list of texts, which training doesn't split, may be meant to hold words."""
    return found.told["text"].startswith("a list of") and found.told["encodes"]


def _find_cut(ask: Ask, found: Found) -> str | None:
    """Return the split by which a list of words is made as encoding makes them; None if none is.

    A program that doesn't encode is right with any: then words end at white space.
    """
    if not found.told["encodes"]:
        return "white space"
    fitting = list(SPLITS)
    for text in _texts_to_split(found):
        fitting = [cut for cut in fitting if _encodes_as_cut(ask, found, text, cut)]
    return fitting[0] if fitting else None


def _encodes_as_cut(ask: Ask, found: Found, text: str, cut: str) -> bool:
    """Return whether a text is encoded as if it were cut as the words that are learned from."""
    merges = _train(ask, replace(found, cut=cut), text, MERGES, cut).get("merges")
    if not isinstance(merges, list):
        return False
    encoded = ask({"do": "encode_own", "text": text, "split": None})
    given = encoded.get("ids", encoded.get("tokens"))
    return given is not None and given in answer(found.encoding(text, cut, merges)).values()


def _in_words(split: str) -> str:
    """Return how a text is split, as the end of a sentence."""
    about = SPLITS[split].about
    return about if about.startswith("at ") else f"otherwise: {about}"


def _encodes_unchanged(ask: Ask, found: Found) -> bool:
    """Return whether a program doesn't make of a text to encode what it makes of one to learn."""
    for text in CHANGED_TEXTS:
        changed = found.changed(text)
        if changed == text or not _train(ask, found, text, 1).get("merges"):
            continue
        own, other = (
            ask({"do": "encode_own", "text": one, "split": None}) for one in (text, changed)
        )
        told = [one.get("ids", one.get("tokens")) for one in (own, other)]
        if None not in told and told[0] != told[1]:
            return True
    return False


def _not_found_out(got: Mapping) -> str:
    """Return what is said where a program gave no merges."""
    instead = [str(value) for key, value in got.items() if key != "merges"]
    said = instead[0] if instead else "no merges came back"
    return f"not found out: {said.removeprefix('not offered: ')}"


def _learn_from_a_word(ask: Ask, found: Found) -> str | None:
    """Return why learning from single words tells nothing; None if a program learns them well."""
    for text in TIES_TEXTS:
        text = text * (found.least // 2 + 1)
        got = _train(ask, found, text, 6)
        if not isinstance(got.get("merges"), list):
            return _not_found_out(got)
        if not are_learned(found.training(text, found.split, 6, got), got["merges"]):
            return NOT_MOST_FREQUENT
    return None


def _find_ties(ask: Ask, found: Found) -> str:
    """Return the rule by which a program settles ties."""
    fitting = list(TIES)
    for text in TIES_TEXTS:
        text = text * (found.least // 2 + 1)  # often enough
        answered = _train(ask, found, text, 6)
        got = answered.get("merges")
        if not isinstance(got, list):
            return _not_found_out(answered)
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
    return _learn_from_a_word(ask, found) or "none of the rules that we know (a hash?)"


def _by_ids_of_characters() -> Slip:
    """Return a program that takes the pair of lowest ids; characters are numbered in their order.

    What is learned is numbered after them.
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
    """Return whether the merges are the same, as far as both went."""
    both = min(len(ours or ()), len(got))
    return both > 0 and ours[:both] == got[:both]


def _find_stop(ask: Ask, found: Found) -> str:
    """Return when a program stops that is asked for more merges than there are."""
    got = _train(ask, found, STOP_TEXT, 40)
    merges = got.get("merges")
    if not isinstance(merges, list) and "skip" not in got:
        return "with an error when no pair is left"
    if merges == [] and not found.twice:
        found.twice = True
        if _train(ask, found, STOP_TEXT, 40).get("merges"):
            return _find_stop(ask, found)
        found.twice = False
    rarer = len(_train(ask, found, RARER_TEXT, 40).get("merges") or "")
    if found.told.get("number_name", "merges") is not None:  # it learns as many as it is asked
        found.least = {1: 5, 2: 4, 3: 3, 4: 2}.get(rarer, 1)
    if found.least > 2:
        return f"when no pair occurs {found.least} times"
    if merges is None and rarer <= 4:
        return "not found out"
    if merges is not None and len(merges) <= 1:
        return "when no pair occurs twice"
    return "when no pair is left"


def _what_decoding_gives(ask: Ask) -> str:
    """Return "bytes" if ids are answered with bytes alone, else "text"."""
    got = ask({"do": "decode_own", "ids": [97]})
    return "bytes" if "bytes" in got and "text" not in got else "text"


def _find_unknown(ask: Ask, found: Found) -> str:
    """Return what a program makes of an id that it doesn't have."""
    got = _train(ask, found, "abab", 1)
    if found.by_characters or (found.learns and "merges" not in got):
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


def _find_unseen(ask: Ask, found: Found) -> str:
    """Return what a program makes of a character that it hasn't learned from."""
    seen, text = UNSEEN
    got = _train(ask, found, seen, 1)
    if "merges" not in got:
        return "not found out"
    got = ask({"do": "round_trip", "text": text})
    if "error" in got:
        return "an error"
    if not isinstance(got.get("text"), str):
        return "not found out"
    back = got["text"]
    if back == text:
        got = ask({"do": "round_trip", "text": BEYOND})
        if not isinstance(got.get("text"), str) or got["text"] == BEYOND:
            return "come back"
        shown = json.dumps(got["text"], ensure_ascii=False)
        return f'come back, but not all beyond U+00FF: "{BEYOND}" comes back as {shown}'
    shown = f"{json.dumps(text)} comes back as {json.dumps(back, ensure_ascii=False)}"
    return f"left out in silence: {shown}" if back == seen else f"replaced: {shown}"


def _find_own_mark(ask: Ask, found: Found) -> list[str]:
    """Return a note on a text that holds the mark of a program's words, if it doesn't come back."""
    mark = found.told.get("before") or found.told.get("after")
    if not mark:
        return []
    text = f"a{mark}b"
    if found.words(text, found.split) != [text]:  # it is split there, or dropped
        return []
    _train(ask, found, f"{text} {text}", 1)
    back = ask({"do": "round_trip", "text": text}).get("text")
    if not isinstance(back, str) or back == found.changed(text):
        return []
    shown = f"{json.dumps(text, ensure_ascii=False)} comes back as {json.dumps(back)}"
    return [f"a text that holds the mark of words isn't given back, which no case asks: {shown}"]


def _find_joined(ask: Ask, found: Found) -> list[str]:
    """Return a note on white space that a program drops, if it doesn't come back."""
    if "".join(found.words(TWO_WORDS, found.split)) == TWO_WORDS:
        return []
    _train(ask, found, f"{TWO_WORDS} {TWO_WORDS}", 1)
    back = ask({"do": "round_trip", "text": TWO_WORDS}).get("text")
    if not isinstance(back, str) or back == TWO_WORDS:
        return []
    shown = f"{json.dumps(TWO_WORDS)} comes back as {json.dumps(back, ensure_ascii=False)}"
    return [f"white space isn't given back, which no case asks: {shown}"]


def _find_names_cut(ask: Ask) -> list[str]:
    """Return a note on special tokens of which one begins another, if training cuts the longer."""
    short, long = CUT_NAMES
    asked = {"do": "train", "text": long * 4, "split": "gpt2", "merges": 1, "ties": "any"}
    if ask({**asked, "special": [long]}).get("merges") != []:  # it cuts at no name
        return []
    # Nothing is left to learn from between the longer names; beside the shorter one, there is.
    left = [
        ask({**asked, "special": names}).get("merges") for names in ([short, long], [long, short])
    ]
    if left[0] and left[1] == []:
        return [
            "a special token that begins another: training takes the one that is listed first, "
            f"which no case asks ({short} and {long})"
        ]
    if left[0] and left[1]:
        return [f"training takes {short} where {long} is a special token, too; no case asks for it"]
    return []
