"""Facts: how a program wants to be used, and what its ids are, found out by trying."""

import random
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cached_property
from typing import NamedTuple

from bpe_further.conform import learned
from bpe_further.conform.calls import (
    OF_WORDS,
    Skip,
    Way,
    in_words,
    is_called,
    may_come_before,
    parameters_of,
    refuse,
    shorten,
    takes_nothing,
    ways_to_train,
)
from bpe_further.conform.handling import Handler, State
from bpe_further.conform.texts import ALONE, MARKED, REPEATED, marks_in, marks_in_merges
from bpe_further.exchange.shared import BYTE_OF  # GPT-2's character <-> the byte

PROBE = "ab" * 20 + "c"  # the first merge is that of a and b, whatever the ties and the split
UNLIKE = "kmkmkm", "wvwvwv"  # in which other pairs are learned
# A word of letters from which many merges can be learned, and a word in which none of them is.
_chance = random.Random(5)
RICH = "".join(_chance.choice("abcdefghij") for _ in range(700))
SEVERAL = 8  # merges
SIZES = (256 + SEVERAL, 160, 48)  # to learn with: the next one if pairs run out before this one
BUILDERS = ("build", "make", "create", "update", "init", "finalize", "compute", "set", "prepare")
MOST_ERRORS = 4  # to tell
# The merge was seen, so no other way is better, such as one that learns from the name of a file.
SCORE_IF_ENCODING_RAISES = 1
MOST_TRIES = 20  # of sizes, to learn as many merges as are asked for
FAR = 1024  # how much larger a size is tried if a few more tokens give no more merges
# How bytes are shown.
GPT2S_CHARACTERS, LATIN_1, IN_HEXADECIMAL = "GPT-2's characters", "Latin-1", "<0x61>"
SHOWN = {("Ã", "ł"): GPT2S_CHARACTERS, ("Ã", "\xa0"): LATIN_1}  # the bytes of à
SPELLED = re.compile(r"(?:<0x[0-9a-fA-F]{2}>)+")  # bytes in hexadecimal
MOST_TABLES = 8
NO_MERGES_YET = "is empty after"
NO_MERGES = "merges were not found in the object, nor in what its training returned"


class Facts(NamedTuple):
    """How a program wants to be used, and what its ids are."""

    way: Way
    alphabet: str  # "bytes" or "characters"
    shown_as: str  # how a byte is shown in its tokens: "" as it is, or one of the three above
    base: int  # of a size: how many tokens are there before the first merge
    base_grows: bool  # with the characters of the text
    always: frozenset  # characters that are tokens, whether they are in the text or not
    fixed: bool  # it learns as many merges as it likes
    is_guessed: bool  # what a number means was guessed: what comes back doesn't tell
    before: str  # what a word begins with, if its characters are marked
    after: str  # what it ends with
    is_joined: bool  # the mark is part of the last character's symbol
    splits: tuple  # that can be asked for: those of a pattern that it is given
    counted: int = 0  # what a number of merges counts beside them: tokens such as <s>


class Trial(NamedTuple):
    """What came of training in one way, and of encoding after it."""

    score: int | None  # 1 for merges that were found, 1 for encoding with them; None: unusable
    where: str | None  # what holds the merges
    raised: str = ""  # what went wrong
    told: str = ""  # the same, with the call


class Tried(Handler):
    """A program that learns, made by ``made``, of which `facts` says how it wants to be used."""

    def __init__(self, made: Callable):
        super().__init__(made)
        self.sizes = {}  # text, merges, how it is cut -> the size that gives them
        self.never_learned = set()  # tokens that are there whatever it learns from
        self.holders = []  # names of all that holds the merges, as far as it is known
        self.failing = []  # what can't be called as the kit calls it: "train", "encode", "merges"
        self.counts = {}  # number -> how many merges are learned with it, from the rich word

    @cached_property
    def facts(self) -> Facts:
        """How the program wants to be used, found out by trying.

        Raises `Skip` if no way to use it works.
        """
        way, where = self._find_way()
        self.where = where
        self.finisher = self._find_finisher(way)
        number = 256 + SEVERAL if way.number_is == "size" else SEVERAL
        fixed = self._ignores_numbers(way)
        measured = None if fixed else self._measure_base(way)
        is_guessed = way.number_is == "size" and measured is None and not fixed
        if way.number_is == "merges" and measured is not None:
            is_guessed = abs(measured) > 1  # more off than by one: is it a size of some other kind?
        tok, given = self._learn(way, RICH, number)
        self.may_frame = self.frame != ([], [])
        if self.names["encode"] and self.names["decode"]:
            with suppress(Exception):
                self._see_words(tok, RICH[:2])
        if where is None:
            self._leave_out_what_is_no_merge(tok, given)
        state = self._read(tok, given, where)
        learned_now = len(state.pairs or ())
        fixed = fixed and learned_now > 0
        # A size counts at least the letters of the word.
        counted = 0
        if way.number_is == "size" and measured is not None and measured < len(set(RICH)):
            way = way._replace(number_is="merges")
            counted = measured if measured > 1 else 0  # one is more likely a slip
        alphabet, shown_as = self._alphabet(way, tok, state)
        if alphabet == "characters" and state.vocab:
            self.least_vocab = 1  # a text of one character
        base, base_grows, always = self._base(way, tok, state, measured, alphabet, shown_as)
        use = way, alphabet, shown_as, base, base_grows, always, fixed, is_guessed
        facts = Facts(*use, before="", after="", is_joined=False, splits=(), counted=counted)
        facts = facts._replace(**self._marks(facts))
        if where is None and state.vocab:
            self.never_learned = self._find_never_learned(facts)
        return facts._replace(splits=self._splits(way))

    def _base(
        self, way: Way, tok, state: State, measured: int | None, alphabet: str, shown_as: str
    ) -> tuple[int, bool, frozenset]:
        """Return how many tokens a size counts before the first merge.

        Also return whether the characters of the text are counted in addition, and the characters
        that are always counted. ``measured`` is by how much a size exceeds the number of merges.
        """
        learned_now = len(state.pairs or ())
        base, base_grows, always = 256, False, frozenset()
        if alphabet == "characters":
            letters = len(set(RICH))
            if measured is not None:
                base = measured
            elif state.vocab and state.pairs is not None:
                base = len(state.vocab) - learned_now
            elif state.vocab or state.pairs is None:
                base = letters
            base_grows = base < 256
            if base_grows:
                tokens = map(str, (state.vocab or {}).values())
                always = frozenset(one for one in tokens if len(one) == 1) - set(RICH)
                base -= letters + len(always)
        elif way.number_is == "size" and shown_as and measured is not None and measured < 256:
            base_grows, base = True, measured - len(set(RICH))  # only the bytes that it met
        elif state.vocab:
            others = [token for token in state.vocab.values() if _is_beside(token)]
            more = len(state.vocab) - 256 - learned_now
            if state.pairs is not None:  # a size may hold them, or not
                more = SEVERAL - learned_now
            base = 256 + min(max(0, more), len(others))
        elif measured is not None and self._first_id(tok, state) == measured:
            base = self.first_id = measured
        return base, base_grows, always

    def _find_way(self) -> tuple[Way, str | None]:
        """Return the way to train that works best, and what holds the merges after it."""
        try:
            return self._try_ways()
        except Skip:
            if not any(is_called(name, "pattern") for name in parameters_of(self.made)):
                raise
        self.pattern_of = "gpt2"  # some can't do without
        return self._try_ways()

    def _try_ways(self) -> tuple[Way, str | None]:
        possible = []
        errors = {}  # what is raised -> when it was first
        self.failing = ["train"]
        for way in self._ways():
            numbers = [257, 261, 4] if way.number_is == "size" else [1]  # 261: beside other tokens
            for number in numbers:
                trial = self._try_way(way, number)
                if trial.raised:
                    errors.setdefault(trial.raised, trial.told)
                elif trial.score == (2 if self.names["encode"] else 1):
                    return way, trial.where
                if trial.score is not None:
                    possible.append((trial.score, way, trial.where))
        if not possible:
            raise Skip(f"not offered: {_why_none(errors)}")
        self.failing = []
        _, way, where = max(possible, key=lambda one: one[0])
        return way, where

    def _try_way(self, way: Way, number: int) -> Trial:
        """Let a new object learn one merge in this way, and encode; return what came of it.

        Raises `Skip` if no other way can work either.
        """
        encodes = self.names["encode"]
        train = getattr(self.made, self.names["train"] or "", None)
        training = way.shown(getattr(train, "__name__", "making one"), number)
        asked = training
        where, lengths = None, []
        try:
            tok, given = self._learn(way, PROBE, number)
            self.failing = ["encode"]
            where = self._holder(tok, given)
            for text in ("ab", "a") if encodes else ():
                asked = f"{encodes}({text!r}), after {training},"
                lengths.append(len(self._ids(tok, text)))
        except Skip as skip:
            why = str(skip).removeprefix("not offered: ")
            return Trial(None, None, why, why)
        except NotImplementedError as error:
            if asked == training:
                why = f"{asked} raises NotImplementedError: {str(error) or 'it is not written yet'}"
                raise Skip(f"not offered: {why}") from None
            # It learns, and isn't asked to encode.
            self.names["encode"] = self.names["decode"] = None
            lengths = []
        except Exception as error:
            raised = in_words(error)
            if self.is_made_alone and not self.is_made:
                raise Skip(f"not offered: it can't be made here: {raised}") from None
            # What it has learned can be judged, and each encoding fails by itself.
            score = None if where is None else SCORE_IF_ENCODING_RAISES
            return Trial(score, where, raised, f"{asked} raises {raised}")
        score = (where is not None) + (lengths == [1, 1])
        if where is None:
            where = self._likely_holder(tok, given)
            self.holders = [where] if where else []
        return Trial(score, where)

    def _find_finisher(self, way: Way) -> str | None:
        """Return the method to call after training: what lacks an attribute works after it.

        Only a method that is given nothing, and whose name says that it builds, is tried.
        """
        if not self._lacks_something(way):
            return None
        for name in dir(self.made):
            is_other = name[:2] != "__" and name != self.names["train"]
            is_builder = is_other and name.lower().strip("_").startswith(BUILDERS)
            if is_builder and takes_nothing(getattr(self.made, name)):
                self.finisher = name
                if not self._lacks_something(way, if_it_fails=True):
                    return name
        return None

    def _lacks_something(self, way: Way, if_it_fails: bool = False) -> bool:
        """Return whether encoding or decoding fails for an attribute that isn't there."""
        try:
            tok, _ = self._learn(way, PROBE, 260 if way.number_is == "size" else 1)
        except Exception:
            return if_it_fails
        for what in ("encode", "decode"):
            try:
                if self.names[what]:
                    self._call(tok, what, "ab" if what == "encode" else self._ids(tok, "ab"))
            except AttributeError:
                return True
            except Exception:
                continue
        return False

    def _ways(self) -> list[Way]:
        """Return ways to train an object; arguments that train lacks may go to its constructor."""
        made = ways_to_train(self.made)
        if self.names["train"] is None:
            return made
        ways = ways_to_train(getattr(self.made, self.names["train"]))
        if ways[0].text is None:
            ways = [
                one._replace(number=ways[0].number or one.number) for one in made if one.text
            ] or ways
        if ways[0].number is None:
            names = [
                (name, kind)
                for name in parameters_of(self.made)
                for kind in ("size", "merges")
                if is_called(name, kind)
            ]
            if names:
                name, kind = names[0]
                other = {"size": "merges", "merges": "size"}[kind]
                texts = [one for one in ways if one.number_is == "size"]
                ways = [
                    one._replace(number=name, number_is=meant)
                    for one in texts
                    for meant in (kind, other)
                ]
        return ways

    def _holder(self, tok, given) -> str | None:
        """Return the name of what holds the merge of a and b, which was learned first."""
        self.holders = self._holders(tok, given)
        return next(iter(self.holders), None)

    def _holders(self, tok, given) -> list[str]:
        """Return the names of all that holds this merge: some keep their merges twice."""
        names = []
        for table in [*learned.tables_in(given), *learned.tables_of(tok)]:
            pairs = learned.read_pairs(table.value)
            if pairs:
                state = self._read(tok, given, table.name)
                first = [self._spell(tok, state, part) for part in pairs[0]]
                if first in (["a", "b"], [b"a", b"b"], ["<0x61>", "<0x62>"]):
                    names.append(table.name)
        return names

    def _likely_holder(self, tok, given) -> str | None:
        """Return what is called as merges are, and holds pairs of the letters of the text.

        A program may learn another pair first, though it shouldn't.
        """
        for table in [*learned.tables_in(given), *learned.tables_of(tok)]:
            pairs = learned.read_pairs(table.value) or []
            texts = [part for part in pairs[0] if isinstance(part, str)] if pairs else []
            is_kept = any(is_called(name, "kept") for name in (table.name, table.name.split()[-1]))
            if is_kept and len(texts) == 2 and (texts[0] in PROBE or texts[1] in PROBE):
                return table.name
        return None

    def _leave_out_what_is_no_merge(self, tok, given) -> None:
        """Skip each table of pairs of texts from now on if no joined pair is in the rich word.

        Some keep pairs of other things, such as a word and how it is spelled.
        """
        state = self._read(tok, given)
        while state.pairs and isinstance(state.pairs[0][0], str):
            if any(left + right in RICH for left, right in state.pairs):
                return
            self.no_merges.add(state.where)
            state = self._read(tok, given)

    def _count_merges(self, way: Way, number: int) -> int:
        """Return how many merges are learned from the rich word with this number."""
        if number not in self.counts:
            self.counts[number] = 0
            with suppress(Exception):
                tok, given = self._learn(way, RICH, number)
                self.counts[number] = len(self._read(tok, given, self.where).pairs or ())
        return self.counts[number]

    def _numbers(self, way: Way) -> list[tuple[int, int]]:
        """Return pairs of numbers to learn with, each a larger number and a smaller one.

        The smaller size must not be smaller than what is there before the first merge, so it is
        tried only after that many merges.
        """
        if way.number_is == "merges":
            return [(SEVERAL, SEVERAL // 2)]
        pairs = []
        for size in SIZES:
            pairs.append((size, size - SEVERAL // 2))
            if self._count_merges(way, size) <= SEVERAL:
                break
        return pairs

    def _measure_base(self, way: Way) -> int | None:
        """Return by how much a number exceeds the number of merges; None if that can't be told."""
        for more, fewer in self._numbers(way):
            learned_now = self._count_merges(way, more)
            if learned_now - self._count_merges(way, fewer) == more - fewer:
                return more - learned_now
        return None

    def _grows_slowly(self, facts: Facts) -> list[str]:
        """Return a note if a larger size gives more merges, but not as many more."""
        way = facts.way
        if way.number_is != "size" or facts.fixed:
            return []
        for more in reversed(SIZES):  # with the smallest, pairs don't run out
            fewer = more - SEVERAL // 2
            many, few = (self._count_merges(way, size) for size in (more, fewer))
            if few > 0:
                told = f"{fewer} gives {few}, and {more} gives {many}"
                if few < many < few + more - fewer:
                    return [f"the merges grow more slowly than {way.number}: {told}"]
                return []
        return []

    def _ignores_numbers(self, way: Way) -> bool:
        """Return whether as many merges are learned, whatever number is given."""
        if way.number is None:
            return True
        numbers = [number for pair in self._numbers(way) for number in pair]
        learned_now = {self._count_merges(way, number) for number in numbers}
        return len(learned_now) == 1 and min(learned_now) > SEVERAL

    def _alphabet(self, way: Way, tok, state: State) -> tuple[str, str]:
        """Return whether symbols are bytes or characters, and how a byte is shown."""
        tokens = set((state.vocab or {}).values())
        if state.pairs and isinstance(state.pairs[0][0], bytes):
            return "bytes", ""
        if any(isinstance(token, bytes) for token in tokens):
            return "bytes", self._bytes_in_pairs(way, state)
        if self._are_spelled(tok, state):
            return "bytes", IN_HEXADECIMAL
        if tokens and BYTE_OF.keys() <= tokens:
            try:
                told = [self._spell(tok, state, i) for i in self._ids(tok, "é")]
            except Exception:
                told = []
            if told == ["Ã", "©"]:
                return "bytes", GPT2S_CHARACTERS
        if tokens:
            shown_as = self._bytes_in_pairs(way, state)
            return "bytes" if shown_as else "characters", shown_as
        if not self.names["encode"]:
            refuse(state.pairs is None, self._why_no_merges(tok))
            shown_as = self._bytes_in_pairs(way, state)
            is_text = isinstance(state.pairs[0][0], str) and not shown_as
            return ("characters" if is_text else "bytes"), shown_as
        with suppress(Exception):
            shown_as = SHOWN.get(tuple(self._ids(tok, "à")))
            if shown_as:
                return "bytes", shown_as
        try:
            ids = self._ids(tok, "é")
        except Exception:  # a character that it has not seen
            return "characters", ""
        if ids == [195, 169]:
            return "bytes", ""
        if len(ids) == 2 and ids != [*ids[:1]] * 2 and self._ids(tok, "a") == [97]:
            return "bytes", ""
        return "characters", ""

    def _are_spelled(self, tok, state: State) -> bool:
        """Return whether bytes are written in hexadecimal; some write only new characters so."""
        if state.pairs and SPELLED.fullmatch(str(self._spell(tok, state, state.pairs[0][0]))):
            return True
        with suppress(Exception):
            return [self._spell(tok, state, i) for i in self._ids(tok, "a")] == ["<0x61>"]
        return False

    def _bytes_in_pairs(self, way: Way, state: State) -> str:
        """Return how bytes are shown in merges that are texts, although tokens are bytes."""
        if not state.pairs or not isinstance(state.pairs[0][0], str):
            return ""
        number = 257 if way.number_is == "size" else 1
        with suppress(Exception):
            tok, given = self._learn(way, "à" * 9, number)  # of the bytes c3 and a0
            pair = self._read(tok, given, self.where).pairs[0]
            if "\xa0" in pair:
                return LATIN_1
            if "ł" in pair:
                return GPT2S_CHARACTERS
        return ""

    def _first_id(self, tok, state: State) -> int | None:
        """Return the id of the first merge; None if it can't be seen, or isn't a single id."""
        with suppress(Exception):
            left, right = self._token_pairs(tok, state)[0]
            text = left + right if isinstance(left, str) else (left + right).decode("utf-8")
            ids = self._ids(tok, text)
            return ids[0] if len(ids) == 1 else None
        return None

    def _is_special(self, token: str | bytes) -> bool:
        text = token.decode("utf-8", "replace") if isinstance(token, bytes) else token
        return len(text) > 2 and text[0] in "<[" and text[-1] in ">]"

    def _marks(self, facts: Facts) -> dict:
        """Return what is put before and after the characters of a word."""
        if facts.alphabet == "bytes":
            return {}
        if self.may_frame and self._learns_the_frame(facts):
            self.may_frame = False
            self.frame = [], []
        repeated, word = MARKED
        tokens = [word]
        with suppress(Exception):
            text = repeated + word
            tok, given = self._learn_so_many(facts, text, 1)
            state = self._read(tok, given, self.where)
            spelled = [self._spell(tok, state, i) for i in self._ids(tok, word)]
            tokens = [one if isinstance(one, str) else one.decode("utf-8") for one in spelled]
        # An encoder may lose the marks that were learned.
        return marks_in(tokens, word) or self._marks_in_merges(facts)

    def _learns_the_frame(self, facts: Facts) -> bool:
        """Return whether training puts the frame around a text as well: then it is a mark."""
        with suppress(Exception):
            tok, given = self._learn_so_many(facts, ALONE, 2)
            state = self._read(tok, given, self.where)
            around = {self._spell(tok, state, i) for part in self.frame for i in part}
            return any(around.intersection(pair) for pair in self._token_pairs(tok, state) or [])
        return False

    def _marks_in_merges(self, facts: Facts) -> dict:
        """Return what is put before and after a word when merges are learned."""
        is_words = is_called(facts.way.text or "", "words")
        if is_words or facts.way.text_as in OF_WORDS:  # each text of a list may be a word
            self.cut_by = "white space"
        with suppress(Exception):
            found = []
            for text in (REPEATED, ALONE):
                tok, given = self._learn_so_many(facts, text, 2)
                found.append(self._token_pairs(tok, self._read(tok, given, self.where)) or [])
            self.cut_by = None
            return marks_in_merges(*found)
        self.cut_by = None
        return {}

    def _splits(self, way: Way) -> tuple:
        """Return the splits that can be asked for by the pattern with which an object is made."""
        if not any(is_called(name, "pattern") for name in parameters_of(self.made)):
            return ()
        offered = []
        for split in ("none", "gpt2"):
            with suppress(Exception):
                # Undivided, "b " is the most frequent pair here; else no word holds it.
                number = 257 if way.number_is == "size" else 1
                tok, given = self._learn(way, "b b b b b b ", number, split)
                if self._has_merged_over_space(tok, given) == (split == "none"):
                    offered.append(split)
        return tuple(offered)

    def _has_merged_over_space(self, tok, given) -> bool:
        """Return whether b and the space after it were merged; merges tell it before encoding."""
        pairs = self._token_pairs(tok, self._read(tok, given, self.where))
        if not pairs:
            return len(self._ids(tok, "b ")) == 1
        return pairs[0][0] in ("b", b"b", "<0x62>")

    def _number(self, facts: Facts, text: str, merges: int) -> int:
        """Return the number to give for so many merges."""
        if facts.way.number_is == "merges":
            return merges + facts.counted
        if (text, merges, self.cut_by) in self.sizes:
            return self.sizes[text, merges, self.cut_by]
        if facts.base_grows:
            symbols = text if facts.alphabet == "characters" else text.encode("utf-8")
            return facts.base + len(facts.always.union(symbols)) + merges
        if facts.alphabet == "characters":
            return facts.base + len({c for c in text if ord(c) > 255}) + merges
        return facts.base + merges

    def _learn_so_many(self, facts: Facts, text: str, merges: int, split: str | None = None):
        """Return a new object that has learned so many merges, if the text has them.

        Each program decides which characters of a text a size counts: a space may not count, and a
        letter with a mark may count extra. So a size that gives more or fewer merges is mended.
        """
        number = self._number(facts, text, merges)
        tok, given = self._learn(facts.way, text, number, split)
        is_counted = facts.alphabet == "characters" or facts.base_grows
        is_of_characters = is_counted and facts.way.number_is == "size"
        if not is_of_characters or self.where is None or facts.fixed:
            return tok, given
        missing = merges - len(self._read(tok, given, self.where).pairs or ())
        nearest, best = abs(missing), number
        # It can be wrong by no more than the characters, or bytes, that were counted.
        least = max(1, number - len(set(text) | set(text.encode("utf-8"))))
        low, high = least - 1, None  # sizes with which it learns too few merges, and too many
        has_stalled = False
        for _ in range(MOST_TRIES):
            low, high = (number, high) if missing > 0 else (low, number)
            is_far = has_stalled and high is None
            number += FAR if is_far else missing
            if high is not None and (has_stalled or not low < number < high):
                number = (low + high) // 2
            if missing == 0 or number <= low:
                break
            try:
                again = self._learn(facts.way, text, number, split)
            except Exception:
                if is_far:  # an error where no pair is left
                    break
                raise
            missing_now = merges - len(self._read(*again, self.where).pairs or ())
            if abs(missing_now) < nearest:
                nearest, best = abs(missing_now), number
            has_stalled = missing_now == missing
            if has_stalled and is_far:  # the text has no more
                break
            missing = missing_now
        if best == self._number(facts, text, merges):
            self.returned = {id(tok): given}  # not of the last one that was tried
            return tok, given
        self.sizes[text, merges, self.cut_by] = best
        return self._learn(facts.way, text, best, split)

    def _why_no_merges(self, tok) -> str:
        """Return why no merges can be read: what should hold them is empty, or nothing does."""
        for table in learned.tables_of(tok):
            if is_called(table.name, "kept") and not table.value:
                return f"merges: self.{table.name} {NO_MERGES_YET} {self._taught_in_words(tok)}"
        tables = [*learned.tables_in(self.returned.get(id(tok))), *learned.tables_of(tok)]
        looked_at = [f"{one.name} ({type(one.value).__name__})" for one in tables[:MOST_TABLES]]
        return f"{NO_MERGES}; looked at: {', '.join(looked_at) or 'no list or dictionary'}"

    def _taught_in_words(self, tok) -> str:
        """Return the call after which nothing is learned, and what may be the reason."""
        told = self.taught
        if self.names["train"] and self.returned.get(id(tok)) is None:
            told += ", which returned None"
        learning = max(self.counts, key=self.counts.get, default=None)
        if learning is not None and self.counts[learning]:
            told += (
                f"; from a text of {len(RICH)} letters, with {learning}, it learns "
                f"{self.counts[learning]} merges: does it refuse short texts?"
            )
            return told
        methods = {name: getattr(self.made, name) for name in dir(self.made)}
        if before := may_come_before(methods, self.names.values()):
            told += f"; does any of these come first? {', '.join(f'{one}()' for one in before)}"
        return told

    def _find_never_learned(self, facts: Facts) -> set:
        """Return the tokens that are there whatever is learned, such as UNK."""
        found = []
        for text in UNLIKE:
            with suppress(Exception):
                tok, given = self._learn(facts.way, text, self._number(facts, text, 1))
                found.append(set((self._read(tok, given).vocab or {}).values()))
        return found[0].intersection(*found) if len(found) > 1 else set()

    def _merges_what_it_learned(self) -> bool:
        """Return whether a and b, which were learned as a pair, are encoded as one token."""
        with suppress(Exception):
            way, _ = self._find_way()
            tok, _ = self._learn(way, PROBE, 257 if way.number_is == "size" else 1)
            return len(self._ids(tok, "ab")) == len(self._ids(tok, "a")) == 1
        return False


def _why_none(errors: dict[str, str]) -> str:
    """Return why no way to train works; ``errors`` are what is raised, and with which call."""
    told = "; ".join([*errors.values()][:MOST_ERRORS])
    if "<a text>" in told:
        told += f"; the text is one word: {shorten(PROBE)}"
    has_called = any(why != said for why, said in errors.items())
    return f"none of these calls worked: {told}" if has_called else told


def _is_beside(token: str | bytes) -> bool:
    """Return whether a token is neither a byte nor merged: a special token, or the empty text."""
    text = token.decode("utf-8", "replace") if isinstance(token, bytes) else token
    if len(token) == 1 or SPELLED.fullmatch(text):
        return False
    return not text or text not in RICH
