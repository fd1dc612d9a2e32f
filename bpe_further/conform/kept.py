"""Kept: a class, or functions, used as their user does. It is made, trained once, and kept.

Then it encodes other texts, decodes, saves, loads and learns again. Nothing of what it holds is
changed by us. What it calls its ids is found out first (`Kept.probe`): each id is told by the bytes
or characters that it stands for, and is passed on as the id that the kit's cases would give it.
"""

import random
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from bpe_further.conform import learned
from bpe_further.conform.calls import (
    Fault,
    Skip,
    Way,
    call,
    file_of,
    fill,
    find_method,
    is_called,
    is_needed,
    parameters_of,
    refuse,
    ways_to_train,
)
from bpe_further.exchange.shared import BYTE_OF  # GPT-2's character for a byte -> the byte
from bpe_teach.patterns import GPT2
from bpe_teach.schemes import BYTES

WHOLE_TEXT = "(?s:.+)"  # a pattern that doesn't split
PROBE = "ababababc"  # the first merge is that of a and b, whatever the ties and the split
# A word of letters from which many merges can be learned, and a word in which none of them is.
_chance = random.Random(5)
RICH = "".join(_chance.choice("abcdefghij") for _ in range(700))
MARKED = "xyxyxyxyxyxy", "abba"
SEVERAL = 8  # merges
MOST_ERRORS = 3  # to tell
GPT2S_CHARACTERS, LATIN_1 = "GPT-2's characters", "Latin-1"  # in which bytes are shown
NO_MERGES = "merges: no list or dictionary of the object holds them"


class State(NamedTuple):
    """What an object has learned, read from it."""

    pairs: list | None  # of ids, bytes or texts, as it keeps them
    vocab: dict | None  # id -> bytes or text
    where: str | None  # what holds the pairs


class Facts(NamedTuple):
    """How a program wants to be used, and what its ids are."""

    way: Way
    alphabet: str  # "bytes" or "characters"
    shown_as: str  # how a byte is shown in its tokens: "" as it is, or one of the two above
    base: int  # of a size: how many tokens are there before the first merge
    base_grows: bool  # with the characters of the text
    before: str  # what a word begins with, if its characters are marked
    after: str  # what it ends with
    is_joined: bool  # the mark is part of the last character's symbol
    splits: tuple  # that can be asked for: those of a pattern that it is given


class Kept:
    """A program that learns, made by ``made``; one method for each request."""

    def __init__(self, made: Callable):
        self.made = made
        self.tok = None
        self.state = State(None, None, None)
        self.names = {what: find_method(made, what) for what in ("train", "encode", "decode")}
        self.names |= {what: find_method(made, what) for what in ("save", "load")}
        self.pattern_of = None  # the split whose pattern it is made with, unless another is asked
        self.least_vocab = 2  # fewer texts in a list may be anything
        self.gave_bytes = False  # where a list of ids should be
        self.seen = {}  # token -> the id that it was given in encoding
        self.returned = {}  # id of an object -> what its train returned

    # ---- how it is used

    def _create(self, way: Way | None, text: str, number: int, path: str, split: str | None):
        """Return a new object."""
        chosen = way.arguments(text, number, path) if way else {}
        parameters = parameters_of(self.made)
        chosen = {name: value for name, value in chosen.items() if name in parameters}
        for name in parameters:
            if way and is_called(name, way.number_is):  # some want it here as well
                chosen.setdefault(name, number)
            if is_called(name, "pattern") and split is not None:
                chosen[name] = GPT2 if split == "gpt2" else WHOLE_TEXT
        offers = {"pattern": GPT2, "size": number, "merges": number, "special": []}
        return call(self.made, fill(self.made, chosen, offers))

    def _teach(self, tok, way: Way, text: str, number: int, path: str):
        """Let an object learn from a text; return what it returns."""
        if self.names["train"] is None:
            return None  # it has learned while it was made
        train = getattr(tok, self.names["train"])
        chosen = way.arguments(text, number, path)
        parameters = parameters_of(train)
        if parameters:
            chosen = {name: value for name, value in chosen.items() if name in parameters}
        return call(train, fill(train, chosen, {"special": [], "pattern": GPT2}))

    def _learn(self, way: Way, text: str, number: int, split: str | None = None):
        """Return a new object that has learned from a text, and what `train` returned."""
        with file_of(text) as path:
            tok = self._create(way, text, number, path, split or self.pattern_of)
            given = self._teach(tok, way, text, number, path)
        self.returned = {id(tok): given}
        return tok, given

    def _ids(self, tok, text: str, **options) -> list:
        """Return what an object makes of a text: ids, or tokens."""
        given = self._call(tok, "encode", text, options)
        if isinstance(given, tuple) and given and isinstance(given[0], list):
            given = given[0]
        if isinstance(given, Mapping):
            given = given.get("input_ids", given.get("ids"))
        given = getattr(given, "ids", given)
        if hasattr(given, "tolist"):
            given = given.tolist()
        if isinstance(given, bytes):
            self.gave_bytes = True
        if given is None or isinstance(given, str):
            raise Fault(f"{self.names['encode']} gives no list of ids, but {given!r:.60}")
        ids = []
        for i in given:
            if isinstance(i, list | tuple):  # a list for each word
                ids.extend(i)
            else:
                ids.append(i if isinstance(i, str | bytes) else int(i))
        return ids

    def _call(self, tok, what: str, first, options: Mapping = {}):
        """Call the method that encodes or decodes; what `train` returned is handed on to it."""
        function = getattr(tok, self.names[what])
        given = dict(options)
        for name, parameter in list(parameters_of(function).items())[1:]:
            if is_needed(parameter) and name not in given:
                kinds = [kind for kind in ("kept", "vocab") if is_called(name, kind)]
                refuse(not kinds, f"{self.names[what]} needs {name}")
                table = learned.table_for(kinds[0], learned.tables_in(self.returned.get(id(tok))))
                refuse(
                    table is None, f"{self.names[what]} needs {name}, which train doesn't return"
                )
                given[name] = table.value
        return function(first, **given)

    # ---- what it has learned

    def _read(self, tok, given, where: str | None = None) -> State:
        """Return what an object has learned; ``where`` says what holds its merges, if known."""
        tables = [*learned.tables_in(given), *learned.tables_of(tok)]
        pairs = name = None
        for table in tables:
            if where in (None, table.name):
                found = learned.read_pairs(table.value)
                if found and (pairs is None or where):
                    pairs, name = found, table.name
        vocab = learned.find_vocab(tables, self.least_vocab)
        return State(pairs, vocab, name)

    def _spell(self, tok, state: State, i) -> str | bytes:
        """Return the token of an id, as the program writes it."""
        if isinstance(i, str | bytes):
            return i
        if state.vocab and i in state.vocab:
            return state.vocab[i]
        if 0 <= i < 256 and not state.vocab:
            return BYTES[i]
        pairs = state.pairs or []
        if 256 <= i < 256 + len(pairs) and all(isinstance(part, int) for part in pairs[i - 256]):
            left, right = pairs[i - 256]
            if max(left, right) < i:
                return self._spell(tok, state, left) + self._spell(tok, state, right)
        if self.names["decode"]:
            with suppress(Exception):
                token = self._call(tok, "decode", [i])
                if isinstance(token, str | bytes) and token and "\ufffd" not in str(token):
                    return token
        return f"id {i}"

    def _token_pairs(self, tok, state: State) -> list[tuple] | None:
        """Return the merges as pairs of tokens; None if none can be seen."""
        if state.pairs is not None:
            tokens = []
            for pair in state.pairs:
                tokens.append(tuple(self._spell(tok, state, part) for part in pair))
            return tokens
        return None

    # ---- the probe

    @cached_property
    def facts(self) -> Facts:
        """How the program wants to be used, found out by trying.

        Raises `Skip` if no way to use it works.
        """
        way, where = self._find_way()
        self.where = where
        number = 256 + SEVERAL if way.number_is == "size" else SEVERAL
        tok, given = self._learn(way, RICH, number)
        state = self._read(tok, given, where)
        learned_now = len(state.pairs or ())
        if way.number_is == "size" and self._is_number_of_merges(tok, state, number):
            way = way._replace(number_is="merges")
        alphabet, shown_as = self._alphabet(way, tok, state)
        if alphabet == "characters" and state.vocab:
            self.least_vocab = 1  # a text of one character
        base, base_grows = 256, False
        if alphabet == "characters":
            letters = len(set(RICH))
            if state.vocab and state.pairs is not None:
                base = len(state.vocab) - learned_now
            elif state.vocab or state.pairs is None:
                base = letters
            base_grows = base < 256
            base -= letters if base_grows else 0
        elif state.vocab:
            base = 256 + max(0, len(state.vocab) - 256 - learned_now)
            others = [t for t in state.vocab.values() if self._is_special(t)]
            base = 256 + min(base - 256, len(others))
        facts = Facts(way, alphabet, shown_as, base, base_grows, "", "", False, ())
        facts = facts._replace(**self._marks(facts))
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
        for way in self._ways():
            numbers = [257, 4] if way.number_is == "size" else [1]
            for number in numbers:
                try:
                    tok, given = self._learn(way, PROBE, number)
                    ids = self._ids(tok, "ab")
                except NotImplementedError:
                    raise Skip(
                        f"not offered: {self.names['train']}, which is not written yet"
                    ) from None
                except Skip as skip:
                    errors.append(str(skip))
                    continue
                except Exception as error:
                    errors.append(f"{type(error).__name__}: {error}")
                    continue
                where = self._holder(tok, given)
                score = (where is not None) + (len(ids) == 1 and len(self._ids(tok, "a")) == 1)
                if score == 2:
                    return way, where
                possible.append((score, way, where))
        if not possible:
            told = "; ".join(dict.fromkeys(errors[:MOST_ERRORS]))
            name = self.names["train"] or "the class"
            raise Skip(f"not offered: no call of {name} that was tried works: {told}")
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
        for table in [*learned.tables_in(given), *learned.tables_of(tok)]:
            pairs = learned.read_pairs(table.value)
            if pairs:
                state = self._read(tok, given, table.name)
                first = [self._spell(tok, state, part) for part in pairs[0]]
                if first in (["a", "b"], [b"a", b"b"]):
                    return table.name
        return None

    def _is_number_of_merges(self, tok, state: State, number: int) -> bool:
        """Return whether what is called a size was taken for a number of merges."""
        letters = {i for i in self._ids(tok, "a") if isinstance(i, int)}
        return state.pairs is not None and len(state.pairs) >= number and letters == {97}

    def _alphabet(self, way: Way, tok, state: State) -> tuple[str, str]:
        """Return whether symbols are bytes or characters, and how a byte is shown."""
        tokens = set((state.vocab or {}).values())
        if state.pairs and isinstance(state.pairs[0][0], bytes):
            return "bytes", ""
        if any(isinstance(token, bytes) for token in tokens):
            return "bytes", self._bytes_in_pairs(way, state)
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
        try:
            ids = self._ids(tok, "é")
        except Exception:  # a character that it has not seen
            return "characters", ""
        if ids == [195, 169]:
            return "bytes", ""
        if len(ids) == 2 and ids != [*ids[:1]] * 2 and self._ids(tok, "a") == [97]:
            return "bytes", ""
        return "characters", ""

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

    def _is_special(self, token: str | bytes) -> bool:
        text = token.decode("utf-8", "replace") if isinstance(token, bytes) else token
        return len(text) > 2 and text[0] in "<[" and text[-1] in ">]"

    def _marks(self, facts: Facts) -> dict:
        """Return what is put before and after the characters of a word."""
        if facts.alphabet == "bytes":
            return {}
        repeated, word = MARKED
        try:
            text = repeated + word
            tok, given = self._learn(facts.way, text, self._number(facts, text, 1))
            state = self._read(tok, given, self.where)
            tokens = [self._spell(tok, state, i) for i in self._ids(tok, word)]
            told = "".join(tokens)
        except Exception:
            return {}
        if word not in told:
            return {}
        before, _, after = told.partition(word)
        is_joined = bool(after) and tokens[-1] != after
        return {"before": before, "after": after, "is_joined": is_joined}

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
        if facts.alphabet == "characters" and facts.base_grows:
            return facts.base + len(set(text)) + merges
        if facts.alphabet == "characters":
            return facts.base + len({c for c in text if ord(c) > 255}) + merges
        return facts.base + merges

    def probe(self) -> dict:
        """Answer what was found out, for people and for the parent."""
        try:
            return self._probe()
        except (Skip, NotImplementedError):
            raise
        except Exception as error:
            raise Skip(f"not offered: a probe ends with {type(error).__name__}: {error}") from None

    def _probe(self) -> dict:
        facts = self.facts
        self.train("abcabd", facts.splits[-1] if facts.splits else None, 2)
        way = facts.way
        number = {"size": "the size of the vocabulary", "merges": "the number of merges"}
        moved = facts.alphabet == "bytes" and self._own_id(b"a") not in (None, 97)
        gives = "nothing, since there is no such method"
        if self.names["decode"]:
            gives = "an error"
        with suppress(Exception):
            decoded = self._call(self.tok, "decode", self._ids(self.tok, "ab"))
            gives = {str: "text", bytes: "bytes"}.get(type(decoded), f"{type(decoded).__name__}")
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
            "number": number[way.number_is],
            "number_name": way.number,
            "others": facts.base - 256 if facts.alphabet == "bytes" else 0,
            "merges_in": self.where or "what its ids decode to",
            "gives": gives,
            "decodes": self.names["decode"] is not None,
            "saves": bool(self.names["save"] and self.names["load"]),
            "special": hasattr(self.made, "register_special_tokens"),
        }
        return told

    # ---- what can be asked

    def train(self, text, split, merges, ties="any", special=()):
        """Make a new object, let it learn, and keep it."""
        refuse(ties not in ("any", "first"), f"ties {ties}")
        refuse(special, "special tokens in training")
        facts = self.facts
        wanted = split if split in facts.splits else None
        tok, given = self._learn(facts.way, text, self._number(facts, text, merges), wanted)
        self._keep(tok, given)
        return {"merges": self._told_merges(merges)}

    def train_again(self, text, merges, split=None):
        """Let the object that is kept learn from another text."""
        facts = self.facts
        refuse(self.tok is None, "an object that has learned")
        train = getattr(self.tok, self.names["train"] or "", None)
        is_given = train is not None and facts.way.text in parameters_of(train)
        refuse(not is_given, "learning again: its text is given when it is made")
        number = self._number(facts, text, merges)
        try:
            with file_of(text) as path:
                given = self._teach(self.tok, facts.way, text, number, path)
                self.returned = {id(self.tok): given}
        except Exception as error:
            refuse("already" in str(error).lower(), f"learning again: {error}")
            raise
        self._keep(self.tok, given)
        return {"merges": self._told_merges(merges)}

    def _keep(self, tok, given) -> None:
        self.tok = tok
        self.state = self._read(tok, given, self.where)
        self.seen = {}

    def _told_merges(self, wanted: int) -> list:
        """Return the merges that are kept, as pairs of ids of the cases, or of texts."""
        facts = self.facts
        pairs = self._token_pairs(self.tok, self.state)
        if self.where is None and not self._can_be_read(pairs):
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
            if len(candidates) > wanted:  # a text may hold, and a program learn, what looks special
                candidates = [one for one in candidates if not self._is_special(one)]
            tokens = [self._canonical(one) for one in candidates]
        else:
            refuse(not self.names["decode"], NO_MERGES)
            for i in range(256, 256 + wanted):
                token = self._spell(self.tok, self.state, i)
                if token == f"id {i}":
                    refuse(self._is_half(i), f"{NO_MERGES}, and some tokens are half characters")
                    break
                tokens.append(self._canonical(token))
        refuse(not tokens and wanted, NO_MERGES)
        pairs = learned.pairs_from_tokens(tokens)
        refuse(len(pairs) < len(tokens), f"{NO_MERGES}, and its tokens don't tell them")
        return pairs

    def _is_half(self, i: int) -> bool:
        """Return whether an id decodes to marks: its bytes can't be seen."""
        with suppress(Exception):
            return "\ufffd" in self._call(self.tok, "decode", [i])
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
        options = {}
        if special:
            refuse(not hasattr(self.tok, "register_special_tokens"), "special tokens")
            self.tok.register_special_tokens(special)
            options = {"allowed_special": set(allow) or "none"}
        told = []
        self.gave_bytes = False
        ids = self._ids(self.tok, text, **options)
        if self.gave_bytes:
            raise Fault(f"{self.names['encode']} gives bytes here, not a list of ids")
        for i in ids:
            if special and i in special.values():
                told.append(i)
                continue
            token = self._canonical(self._spell(self.tok, self.state, i))
            self.seen.setdefault(token, i)
            told.append(token)
        if self.facts.alphabet == "characters":
            return {"tokens": told}
        return {"ids": [one if type(one) is int else self.ids.get(one, _odd(one)) for one in told]}

    def decode_own(self, ids=None, tokens=None):
        """Decode with the object that is kept; ids or tokens are those that the cases use."""
        refuse(self.tok is None, "an object that has learned")
        refuse(not self.names["decode"], "a method that decodes")
        if tokens is None:
            names = {i: token for token, i in self.ids.items()}
            own = []
            for i in ids:
                known = self._own_id(names[i]) if i in names else None
                own.append(i if known is None else known)
        else:
            own = [self._own_id(token) for token in tokens]
            refuse(None in own, "an id for each token")
        given = self._call(self.tok, "decode", own)
        return {"bytes": list(given)} if isinstance(given, bytes) else {"text": given}

    def round_trip(self, text):
        """Encode a text and decode its ids."""
        refuse(self.tok is None, "an object that has learned")
        refuse(not self.names["decode"], "a method that decodes")
        given = self._call(self.tok, "decode", self._ids(self.tok, text))
        return {"text": given.decode("utf-8", "replace") if isinstance(given, bytes) else given}

    def save_own(self, path):
        """Save the object that is kept, in an empty folder."""
        refuse(self.tok is None, "an object that has learned")
        refuse(not self.names["save"], "a method that saves")
        save = getattr(self.tok, self.names["save"])
        call(save, _places(save, Path(path, "saved")))
        refuse(not any(Path(path).iterdir()), f"{self.names['save']} that writes to the given path")
        return {"saved": sorted(one.name for one in Path(path).iterdir())}

    def load_own(self, path, text, merges):
        """Load in this process what another has saved; the text is the one that was learned."""
        refuse(not self.names["load"], "a method that loads")
        facts = self.facts
        made = ExitStack()
        with made:
            number = self._number(facts, text, merges)
            file = made.enter_context(file_of(text))
            errors = []
            for place in [Path(path, "saved"), *sorted(Path(path).iterdir())]:
                try:
                    tok = self._load_from(place, facts, text, number, file)
                    self._keep(tok, None)
                    self._ids(tok, text[:1] or "a")
                    return {"merges": self._told_merges(merges)}
                except Exception as error:  # not the file that it wants
                    errors.append(error)
            raise errors[0]

    def _load_from(self, place: Path, facts: Facts, text, number, file):
        split = facts.splits[-1] if facts.splits else None
        unbound = getattr(self.made, self.names["load"])
        is_of_class = getattr(unbound, "__self__", None) is self.made
        if is_of_class or _is_static(self.made, self.names["load"]):
            return call(unbound, fill(unbound, _places(unbound, place), {}))  # returns an object
        tok = self._create(facts.way, text, number, file, split)
        load = getattr(tok, self.names["load"])
        given = call(load, fill(load, _places(load, place), {}))
        return given if hasattr(given, self.names["encode"]) else tok


def _odd(token) -> str:
    return token if isinstance(token, str) else token.decode("utf-8", "backslashreplace")


def _is_static(made, name: str) -> bool:
    return isinstance(getattr(made, "__dict__", {}).get(name), staticmethod)


def _places(function: Callable, path: Path) -> dict:
    """Return where to save or what to load: a path for each parameter that must be given."""
    needed = [name for name, one in parameters_of(function).items() if is_needed(one)]
    needed = needed or list(parameters_of(function))[:1]
    if len(needed) < 2:
        return dict.fromkeys(needed, str(path))
    # Several files: the same place of the list for saving and for loading.
    return {name: f"{path}_{number}" for number, name in enumerate(needed)}
