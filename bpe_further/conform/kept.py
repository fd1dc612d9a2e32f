"""Kept: a class, or functions, used as a user would: an object is made, trained once, and kept.

Then it encodes other texts, decodes, saves, loads and learns again. Nothing of what it holds is
changed by us. What its ids mean is found out first (`Kept.probe`): each id is recognized by the
bytes or characters that it stands for, and is passed on as the id that the kit's cases would give
it.
"""

import random
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from bpe_further.conform import learned, saving
from bpe_further.conform.calls import (
    Fault,
    Skip,
    Way,
    call,
    file_of,
    is_called,
    is_needed,
    parameters_of,
    refuse,
    ways_to_train,
)
from bpe_further.conform.handling import Handler, State
from bpe_further.conform.texts import ALONE, CHANGES, MARKED, REPEATED, marks_in, marks_in_merges
from bpe_further.exchange.shared import BYTE_OF, PRINTABLE  # GPT-2's character <-> the byte
from bpe_teach.schemes import BYTES

PROBE = "ab" * 20 + "c"  # the first merge is that of a and b, whatever the ties and the split
UNLIKE = "kmkmkm", "wvwvwv"  # in which other pairs are learned
# A word of letters from which many merges can be learned, and a word in which none of them is.
_chance = random.Random(5)
RICH = "".join(_chance.choice("abcdefghij") for _ in range(700))
SEVERAL = 8  # merges
SIZES = (256 + SEVERAL, 160, 48)  # to learn with: the next one if pairs run out before this one
MOST_ERRORS = 3  # to tell
# The merge was seen, so no other way is better, such as one that learns from the name of a file.
SCORE_IF_ENCODING_RAISES = 1
MOST_TRIES = 10  # to find the size that gives so many merges
# How bytes are shown.
GPT2S_CHARACTERS, LATIN_1, IN_HEXADECIMAL = "GPT-2's characters", "Latin-1", "<0x61>"
SHOWN = {("Ã", "ł"): GPT2S_CHARACTERS, ("Ã", "\xa0"): LATIN_1}  # the bytes of à
SPELLED = re.compile(r"(?:<0x[0-9a-fA-F]{2}>)+")  # bytes in hexadecimal
NO_MERGES = "merges: no list or dictionary of the object holds them"


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


class Kept(Handler):
    """A program that learns, made by ``made``; one method for each request."""

    def __init__(self, made: Callable):
        super().__init__(made)
        self.tok = None
        self.state = State(None, None, None)
        self.kept_in = None  # what holds the merges of the object that is kept
        self.seen = {}  # token -> the id that it was given in encoding
        self.sizes = {}  # text, merges, how it is cut -> the size that gives them
        self.never_learned = set()  # tokens that are there whatever it learns from
        self.text = None  # that was learned from
        self.number = None  # that was given to learn it
        self.holders = []  # names of all that holds the merges, as far as it is known
        self.counts = {}  # number -> how many merges are learned with it, from the rich word

    # ---- the probe

    @cached_property
    def facts(self) -> Facts:
        """How the program wants to be used, found out by trying.

        Raises `Skip` if no way to use it works.
        """
        way, where = self._find_way()
        self.where = where
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
        if way.number_is == "size" and measured is not None and measured < len(set(RICH)):
            way = way._replace(number_is="merges")
        alphabet, shown_as = self._alphabet(way, tok, state)
        if alphabet == "characters" and state.vocab:
            self.least_vocab = 1  # a text of one character
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
        elif state.vocab:
            others = [token for token in state.vocab.values() if _is_beside(token)]
            more = len(state.vocab) - 256 - learned_now
            if state.pairs is not None:  # a size may hold them, or not
                more = SEVERAL - learned_now
            base = 256 + min(max(0, more), len(others))
        elif measured is not None and self._first_id(tok, state) == measured:
            base = self.first_id = measured
        use = way, alphabet, shown_as, base, base_grows, always, fixed, is_guessed
        facts = Facts(*use, before="", after="", is_joined=False, splits=())
        facts = facts._replace(**self._marks(facts))
        if where is None and state.vocab:
            self.never_learned = self._find_never_learned(facts)
        return facts._replace(splits=self._splits(way))

    def _find_way(self) -> tuple[Way, str | None]:
        """Return the way to train that works best, and what holds the merges then."""
        try:
            return self._try_ways()
        except Skip:
            if not any(is_called(name, "pattern") for name in parameters_of(self.made)):
                raise
        self.pattern_of = "gpt2"  # some can't do without
        return self._try_ways()

    def _try_ways(self) -> tuple[Way, str | None]:
        possible, errors = [], []
        encodes = self.names["encode"]
        for way in self._ways():
            numbers = [257, 261, 4] if way.number_is == "size" else [1]  # 261: beside other tokens
            for number in numbers:
                where, lengths = None, []
                asked = f"{self.names['train'] or 'making one'} with {number}"
                try:
                    tok, given = self._learn(way, PROBE, number)
                    where = self._holder(tok, given)
                    for text in ("ab", "a") if encodes else ():
                        asked = f"{encodes}({text!r}), after training,"
                        lengths.append(len(self._ids(tok, text)))
                except NotImplementedError:
                    if not asked.startswith(f"{encodes}("):
                        why = f"{asked} raises NotImplementedError: it is not written yet"
                        raise Skip(f"not offered: {why}") from None
                    # It learns, and isn't asked to encode.
                    self.names["encode"] = self.names["decode"] = encodes = None
                    if where is not None:
                        return way, where
                    lengths = []
                except Skip as skip:
                    errors.append(str(skip))
                    continue
                except Exception as error:
                    errors.append(f"{asked} raises {type(error).__name__}: {error}")
                    # What it has learned can be judged, and each encoding fails by itself.
                    if where is not None:
                        possible.append((SCORE_IF_ENCODING_RAISES, way, where))
                    continue
                score = (where is not None) + (lengths == [1, 1])
                if score == 2 or (where is not None and not encodes):
                    return way, where
                possible.append((score, way, where))
        if not possible:
            told = "; ".join(dict.fromkeys(errors[:MOST_ERRORS]))
            raise Skip(f"not offered: no way to use it that was tried works: {told}")
        _, way, where = max(possible, key=lambda one: one[0])
        return way, where

    def _ways(self) -> list[Way]:
        """Return ways to train an object; what its train doesn't take, its constructor may."""
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

    def _leave_out_what_is_no_merge(self, tok, given) -> None:
        """Read no table of pairs of texts from now on of which none, joined, is in the rich word.

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
        """Return numbers to learn with, in twos.

        A smaller size is tried only after so many merges that it isn't smaller than what is there
        before the first merge.
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
        """Return by how much a number is greater than that of the merges; None: it isn't told."""
        for more, fewer in self._numbers(way):
            learned_now = self._count_merges(way, more)
            if learned_now - self._count_merges(way, fewer) == more - fewer:
                return more - learned_now
        return None

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
            shown_as = self._bytes_in_pairs(way, state) if way.number_is == "merges" else ""
            return "bytes" if shown_as else "characters", shown_as
        if not self.names["encode"]:
            refuse(state.pairs is None, self._why_no_merges(tok))
            return ("characters" if isinstance(state.pairs[0][0], str) else "bytes"), ""
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
        """Return whether a letter is a byte in hexadecimal; for some, only a new character is."""
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
        """Return the id of the first merge; None if it can't be seen, or isn't one."""
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
        repeated, word = MARKED
        tokens = [word]
        with suppress(Exception):
            text = repeated + word
            tok, given = self._learn_so_many(facts, text, 1)
            state = self._read(tok, given, self.where)
            tokens = [self._spell(tok, state, i) for i in self._ids(tok, word)]
        # An encoder may lose the marks that were learned.
        return marks_in(tokens, word) or self._marks_in_merges(facts)

    def _marks_in_merges(self, facts: Facts) -> dict:
        """Return what is put before and after a word when merges are learned."""
        with suppress(Exception):
            found = []
            for text in (REPEATED, ALONE):
                tok, given = self._learn_so_many(facts, text, 2)
                found.append(self._token_pairs(tok, self._read(tok, given, self.where)) or [])
            return marks_in_merges(*found)
        return {}

    def _splits(self, way: Way) -> tuple:
        """Return the splits that can be asked for, by a pattern that it is made with."""
        if not any(is_called(name, "pattern") for name in parameters_of(self.made)):
            return ()
        offered = []
        for split in ("none", "gpt2"):
            with suppress(Exception):
                # Undivided, "b " is the most frequent pair here; else no word holds it.
                number = 257 if way.number_is == "size" else 1
                tok, _ = self._learn(way, "b b b b b b ", number, split)
                if (len(self._ids(tok, "b ")) == 1) == (split == "none"):
                    offered.append(split)
        return tuple(offered)

    def _number(self, facts: Facts, text: str, merges: int) -> int:
        """Return the number to give for so many merges."""
        if facts.way.number_is == "merges":
            return merges
        if (text, merges, self.cut_by) in self.sizes:
            return self.sizes[text, merges, self.cut_by]
        if facts.alphabet == "characters" and facts.base_grows:
            return facts.base + len(facts.always.union(text)) + merges
        if facts.alphabet == "characters":
            return facts.base + len({c for c in text if ord(c) > 255}) + merges
        return facts.base + merges

    def _learn_so_many(self, facts: Facts, text: str, merges: int, split: str | None = None):
        """Return a new object that has learned so many merges, if the text has them.

        Which characters of a text a size counts is a program's own matter: a space may be none, a
        letter with a mark another one. So a size that gives more or fewer merges is mended.
        """
        number = self._number(facts, text, merges)
        tok, given = self._learn(facts.way, text, number, split)
        is_of_characters = facts.alphabet == "characters" and facts.way.number_is == "size"
        if not is_of_characters or self.where is None or facts.fixed:
            return tok, given
        missing = merges - len(self._read(tok, given, self.where).pairs or ())
        nearest, best = abs(missing), number
        # It can be wrong by no more than the characters that were counted.
        least = max(1, number - len(set(text)))
        for _ in range(MOST_TRIES):
            number += missing
            if missing == 0 or number < least:
                break
            again = self._learn(facts.way, text, number, split)
            missing_now = merges - len(self._read(*again, self.where).pairs or ())
            if abs(missing_now) < nearest:
                nearest, best = abs(missing_now), number
            if missing_now == missing > 0:  # the text has no more
                break
            missing = missing_now
        if best == self._number(facts, text, merges):
            self.returned = {id(tok): given}  # not of the last one that was tried
            return tok, given
        self.sizes[text, merges, self.cut_by] = best
        return self._learn(facts.way, text, best, split)

    def probe(self) -> dict:
        """Answer what was found out, for people and for the parent."""
        try:
            return self._probe()
        except (Skip, NotImplementedError):
            raise
        except Exception as error:
            raise Skip(
                f"not offered: {self.called} raises {type(error).__name__}: {error}"
            ) from None

    def _probe(self) -> dict:
        facts = self.facts
        self.train("abcabd", facts.splits[-1] if facts.splits else None, 2)
        way = facts.way
        number = {"size": "the size of the vocabulary", "merges": "the number of merges"}
        moved = facts.alphabet == "bytes" and self._own_id(b"a") not in (None, 97)
        gives = "an error"
        try:
            decoded = self._there_and_back(self.tok, "ab")
            gives = {str: "text", bytes: "bytes"}.get(type(decoded), f"{type(decoded).__name__}")
        except NotImplementedError:
            self.names["decode"] = None
        except Exception:
            pass  # the cases will show it
        told = {
            "alphabet": facts.alphabet,
            "moved": moved,
            "shown_as": facts.shown_as,
            "before": facts.before,
            "after": facts.after,
            "is_joined": facts.is_joined,
            "splits": list(facts.splits),
            "train": self.names["train"] or "making one",
            "text": way.text_as,
            "takes_words": way.text is not None and is_called(way.text, "words"),
            "number": number[way.number_is],
            "number_name": None if facts.fixed else way.number,
            "number_guessed": facts.is_guessed,
            "others": facts.base - 256 if facts.alphabet == "bytes" else 0,
            "merges_in": self.where or "what its ids decode to",
            "gives": gives,
            "frame": self._shown_frame(),
            "encodes": self.names["encode"] is not None,
            "decodes": self.names["decode"] is not None,
            "saves": bool(self.names["save"] and self.names["load"]),
            "special": hasattr(self.made, "register_special_tokens"),
        }
        return told

    def _shown_frame(self) -> str:
        """Return what is put around each text, as a person would write it."""
        if self.frame == ([], []):
            return ""
        before, after = ("".join(map(self._shown, part)) for part in self.frame)
        return f"{before}…{after}"

    def _shown(self, i) -> str:
        token = self._spell(self.tok, self.state, i)
        return token.decode("utf-8", "replace") if isinstance(token, bytes) else f"{token}"

    # ---- what can be asked

    def train(self, text, split, merges, ties="any", special=(), cut=None):
        """Make a new object, let it learn, and keep it; `cut` is the split that makes words."""
        refuse(ties not in ("any", "first"), f"ties {ties}")
        refuse(special, "special tokens in training")
        facts = self.facts
        self.cut_by = cut
        wanted = split if split in facts.splits else None
        tok, given = self._learn_so_many(facts, text, merges, wanted)
        self._keep(tok, given, self.where)
        self.text, self.number = text, self._number(facts, text, merges)
        return {"merges": self._told_merges(merges)}

    def train_again(self, text, merges, split=None, cut=None):
        """Let the object that is kept learn from another text."""
        facts = self.facts
        refuse(self.tok is None, "an object that has learned")
        train = getattr(self.tok, self.names["train"] or "", None)
        is_given = train is not None and facts.way.text in parameters_of(train)
        refuse(not is_given, "learning again: its text is given when it is made")
        with suppress(Exception):
            self._learn_so_many(facts, text, merges)  # a new object tells which size is meant
        number = self._number(facts, text, merges)
        is_fixed = facts.way.number is not None and facts.way.number not in parameters_of(train)
        is_other = is_fixed and number != self.number
        refuse(is_other, "learning again: how much is learned is given when it is made")
        self.text = text
        try:
            with file_of(text) as path:
                given = self._teach(self.tok, facts.way, text, number, path)
                self.returned = {id(self.tok): given}
        except Exception as error:
            refuse("already" in str(error).lower(), f"learning again: {error}")
            raise
        self._keep(self.tok, given, self.kept_in)
        return {"merges": self._told_merges(merges)}

    def _keep(self, tok, given, where: str | None) -> None:
        self.tok = tok
        self.kept_in = where
        self.state = self._read(tok, given, where)
        self.seen = {}
        self._see_frame(tok)

    def _told_merges(self, wanted: int) -> list:
        """Return the merges that are kept, as pairs of ids of the cases, or of texts."""
        facts = self.facts
        pairs = self._token_pairs(self.tok, self.state)
        if self.kept_in is None and not self._can_be_read(pairs):
            pairs = self._pairs_by_decoding(wanted)
        pairs = [tuple(map(self._canonical, pair)) for pair in pairs or []]
        self.ids = {token: i for i, token in enumerate(BYTES)}
        self.merges = pairs
        if facts.alphabet == "characters":
            return [list(pair) for pair in pairs]
        told = []
        for rank, (left, right) in enumerate(pairs):
            told.append([self.ids.get(left, str(left)), self.ids.get(right, str(right))])
            if isinstance(left, bytes) and isinstance(right, bytes):
                self.ids.setdefault(left + right, 256 + rank)
        return told

    def _can_be_read(self, pairs: list[tuple] | None) -> bool:
        """Return whether merges are pairs of tokens, as far as the vocabulary tells."""
        if pairs is None:
            return False
        tokens = {self._canonical(token) for token in (self.state.vocab or {}).values()}
        return not tokens or all(self._canonical(one) in tokens for pair in pairs for one in pair)

    def _pairs_by_decoding(self, wanted: int) -> list[tuple]:
        """Return merges that are nowhere to be seen, from what their ids decode to."""
        tokens = []
        vocab = self.state.vocab
        if vocab:
            candidates = [vocab[i] for i in sorted(vocab) if len(self._canonical(vocab[i])) > 1]
            candidates = [token for token in candidates if token not in self.never_learned]
            if len(candidates) > wanted:  # a text may hold, and a program learn, what looks special
                candidates = [one for one in candidates if not self._is_special(one)]
            tokens = [self._canonical(one) for one in candidates]
        else:
            refuse(not self.names["decode"], self._why_no_merges(self.tok))
            for i in range(256, 256 + wanted):
                token = self._spell(self.tok, self.state, i)
                if token == f"id {i}":
                    refuse(self._is_half(i), f"{NO_MERGES}, and some tokens are half characters")
                    break
                if not self._may_be_learned(self._canonical(token)):
                    break
                tokens.append(self._canonical(token))
        refuse(not tokens and wanted, self._why_no_merges(self.tok))
        pairs = learned.pairs_from_tokens(tokens)
        refuse(len(pairs) < len(tokens), f"{NO_MERGES}, and its tokens don't tell them")
        return pairs

    def _may_be_learned(self, token: str | bytes) -> bool:
        """Return whether a token is in the text, so that none is left from an earlier training."""
        if self.text is None or isinstance(token, str):
            return True
        return any(token in change(self.text).encode("utf-8") for change in CHANGES.values())

    def _why_no_merges(self, tok) -> str:
        """Return why no merges can be read: what should hold them is empty, or nothing does."""
        for table in learned.tables_of(tok):
            if is_called(table.name, "kept") and not table.value:
                return f"merges: self.{table.name} is empty after training"
        return NO_MERGES

    def _find_never_learned(self, facts: Facts) -> set:
        """Return the tokens of several symbols that no training learns, such as UNK."""
        found = []
        for text in UNLIKE:
            with suppress(Exception):
                tok, given = self._learn(facts.way, text, self._number(facts, text, 1))
                found.append(set((self._read(tok, given).vocab or {}).values()))
        always = found[0].intersection(*found) if len(found) > 1 else set()
        return {token for token in always if len(token) > 1}

    def _is_half(self, i: int) -> bool:
        """Return whether an id decodes to marks: its bytes can't be seen."""
        with suppress(Exception):
            return "\ufffd" in self._decode(self.tok, [i])
        return False

    def _canonical(self, token: str | bytes) -> str | bytes:
        """Return a token as bytes or as characters, whatever the program shows for it."""
        facts = self.facts
        if facts.alphabet == "characters":
            return token if isinstance(token, str) else token.decode("utf-8", "replace")
        if isinstance(token, bytes):
            return token
        if facts.shown_as == GPT2S_CHARACTERS and all(character in BYTE_OF for character in token):
            return b"".join(BYTE_OF[character] for character in token)
        if facts.shown_as == IN_HEXADECIMAL and SPELLED.fullmatch(token):
            return bytes.fromhex(token.replace("<0x", "").replace(">", ""))
        if facts.shown_as == LATIN_1:
            with suppress(UnicodeEncodeError):
                return token.encode("latin-1")
        return token.encode("utf-8")

    def _own_id(self, token: str | bytes):
        """Return the program's id of a token; None if it has none that we know."""
        if token in self.seen:
            return self.seen[token]
        for i, one in (self.state.vocab or {}).items():
            if self._canonical(one) == token:
                return i
        return None

    def encode_own(self, text, split=None, special=None, allow=()):
        """Encode a text with the object that is kept."""
        refuse(self.tok is None, "an object that has learned")
        refuse(not self.names["encode"], "a method that encodes")
        options, own = {}, {}
        if special:
            refuse(not hasattr(self.tok, "register_special_tokens"), "special tokens")
            self.tok.register_special_tokens(special)
            options = {"allowed_special": set(allow) or self._none_allowed()}
            known = getattr(self.tok, "special_tokens", None)
            own = known if isinstance(known, dict) else special  # it may give them ids of its own
            own = {own[name]: i for name, i in special.items() if name in own}
        told = []
        self.gave_bytes = False
        ids = self._ids(self.tok, text, **options)
        if self.gave_bytes:
            raise Fault(f"{self.names['encode']} gives bytes here, not a list of ids")
        for i in ids:
            if i in own:
                told.append(own[i])
                continue
            token = self._canonical(self._spell(self.tok, self.state, i))
            self.seen.setdefault(token, i)
            told.append(token)
        if self.facts.alphabet == "characters":
            return {"tokens": told}
        return {"ids": [one if type(one) is int else self.ids.get(one, _odd(one)) for one in told]}

    def _none_allowed(self) -> str | set:
        """Return what says that no special token is allowed: "none", if a name can be given."""
        allowed = parameters_of(getattr(self.tok, self.names["encode"])).get("allowed_special")
        takes_name = allowed is None or isinstance(allowed.default, str) or is_needed(allowed)
        return "none" if takes_name else set()

    def decode_own(self, ids=None, tokens=None):
        """Decode with the object that is kept; ids or tokens are those that the cases use."""
        refuse(self.tok is None, "an object that has learned")
        refuse(not self.names["decode"], "a method that decodes")
        if tokens is None:
            names = {i: token for token, i in self.ids.items()}
            own = []
            for i in ids:
                known = self._own_id(names[i]) if i in names else None
                if known is None and i in names and self._gives_tokens:
                    known = self._as_shown(names[i])
                if known is None:
                    known = i if i < 256 else i - 256 + self.first_id
                own.append(known)
        else:
            own = [self._own_id(token) for token in tokens]
            refuse(None in own, "an id for each token")
        given = self._decode(self.tok, own)
        return {"bytes": list(given)} if isinstance(given, bytes) else {"text": given}

    @property
    def _gives_tokens(self) -> bool:
        """Whether it encodes to tokens that show bytes as characters, and has no vocabulary."""
        return self.state.vocab is None and self.facts.shown_as in SHOWN.values()

    def _as_shown(self, token: bytes) -> str:
        """Return a token as the program writes it, whether it was seen or not."""
        if self.facts.shown_as == GPT2S_CHARACTERS:
            return "".join(PRINTABLE[byte] for byte in token)
        return token.decode("latin-1")

    def round_trip(self, text):
        """Encode a text and decode its ids."""
        refuse(self.tok is None, "an object that has learned")
        refuse(not self.names["decode"], "a method that decodes")
        given = self._there_and_back(self.tok, text)
        return {"text": given.decode("utf-8", "replace") if isinstance(given, bytes) else given}

    def save_own(self, path):
        """Save the object that is kept, in an empty folder."""
        refuse(self.tok is None, "an object that has learned")
        refuse(not self.names["save"], "a method that saves")
        return {"saved": saving.save(getattr(self.tok, self.names["save"]), Path(path))}

    def load_own(self, path, text, merges, cut=None):
        """Load in this process what another has saved; the text is the one learned from."""
        refuse(not self.names["load"], "a method that loads")
        facts = self.facts
        self.cut_by, self.text = cut, text
        number = self._number(facts, text, merges)
        errors = []
        with file_of(text) as file:
            for names in saving.ways_to_load(getattr(self.made, self.names["load"]), Path(path)):
                try:
                    tok = self._load_from(names, facts, text, number, file)
                    self._keep(tok, None, self._holder_in_loaded(tok))
                    self._ids(tok, text[:1] or "a")
                    return {"merges": self._told_merges(merges)}
                except Exception as error:  # not the file that it wants
                    errors.append(error)
        raise errors[0]

    def _holder_in_loaded(self, tok) -> str | None:
        """Return the name of what holds the merges of an object that was loaded.

        What held them at first may be a thing of training alone, such as what it has returned.
        """
        if self.where is None:
            return None
        names = [table.name for table in learned.tables_of(tok)]
        found = next((name for name in [self.where, *self.holders] if name in names), None)
        if found is None:  # what its ids decode to tells the merges
            self.no_merges.update(names)
        return found

    def _load_from(self, names: Mapping, facts: Facts, text, number, file):
        split = facts.splits[-1] if facts.splits else None
        unbound = getattr(self.made, self.names["load"])
        is_of_class = getattr(unbound, "__self__", None) is self.made
        if is_of_class or _is_static(self.made, self.names["load"]):
            return call(unbound, names)  # returns an object
        tok = self._create(facts.way, text, number, file, split)
        given = call(getattr(tok, self.names["load"]), names)
        return given if hasattr(given, self.names["encode"]) else tok


def _is_beside(token: str | bytes) -> bool:
    """Return whether a token is there beside bytes and merges: a special one, or the empty text."""
    text = token.decode("utf-8", "replace") if isinstance(token, bytes) else token
    if len(token) == 1 or SPELLED.fullmatch(text):
        return False
    return not text or text not in RICH


def _odd(token) -> str:
    return token if isinstance(token, str) else token.decode("utf-8", "backslashreplace")


def _is_static(made, name: str) -> bool:
    return isinstance(getattr(made, "__dict__", {}).get(name), staticmethod)
