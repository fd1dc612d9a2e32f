"""Kept: a class, or functions, used as a user would: an object is made, trained once, and kept.

Then it encodes other texts, decodes, saves, loads and learns again. The kit
changes nothing that the object holds. What its ids mean is found out first (`Kept.probe`): each id
is recognized by the bytes or characters that it stands for, and is passed on as the id that the
kit's cases would give it.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from bpe_further.conform import learned, saving
from bpe_further.conform.calls import (
    Fault,
    Skip,
    allowing,
    call,
    file_of,
    in_words,
    is_called,
    is_deliberate,
    is_needed,
    parameters_of,
    refuse,
)
from bpe_further.conform.facts import (
    GPT2S_CHARACTERS,
    IN_HEXADECIMAL,
    LATIN_1,
    NO_MERGES,
    NO_MERGES_YET,
    RICH,
    SHOWN,
    SPELLED,
    Facts,
    Tried,
)
from bpe_further.conform.handling import State
from bpe_further.conform.texts import CHANGES
from bpe_further.exchange.shared import BYTE_OF, PRINTABLE  # GPT-2's character <-> the byte
from bpe_teach.schemes import BYTES

WITH_SPECIAL = ("add_special", "register_special", "set_special")  # how such methods begin


class Kept(Tried):
    """A program that learns, made by ``made``; one method for each request."""

    def __init__(self, made: Callable):
        super().__init__(made)
        self.tok = None
        self.state = State(None, None, None)
        self.kept_in = None  # what holds the merges of the object that is kept
        self.read_in = None  # what held the merges that were told; None: their ids were decoded
        self.seen = {}  # token -> the id that it was given in encoding
        self.kinds = set()  # of what encoding gives: int for ids, bytes or str for tokens
        self.text = None  # that was learned from
        self.number = None  # that was given to learn it

    def probe(self) -> dict:
        """Answer what was found out, for people and for the parent."""
        try:
            return self._probe()
        except Skip as skip:
            if NO_MERGES in str(skip):
                self.failing = ["merges"]
            elif NO_MERGES_YET in str(skip):
                self.failing = ["empty"]
            raise
        except NotImplementedError:
            raise
        except Exception as error:
            name = self.called.partition("(")[0]
            self.failing = [what for what, called in self.names.items() if called == name]
            others = [f"{many} for {number}" for number, many in self.counts.items() if many]
            other = f"; merges from a word of {len(RICH)} letters: {', '.join(others)}"
            is_training = self.failing == ["train"] and others
            raised = f"{self.called} raises {in_words(error)}".rstrip(": ")
            raise Skip(f"not offered: {raised}{other if is_training else ''}") from None

    def _probe(self) -> dict:
        facts = self.facts
        self.train("abcabd", facts.splits[-1] if facts.splits else None, 2)
        way = facts.way
        number = {"size": "the size of the vocabulary", "merges": "the number of merges"}
        beside = f" and {facts.counted} other tokens, but no characters" if facts.counted else ""
        moved = facts.alphabet == "bytes" and self._own_id(b"a") not in (None, 97)
        gives = "an error"
        try:
            decoded = self._there_and_back(self.tok, "ab")
            gives = {str: "text", bytes: "bytes"}.get(type(decoded), f"{type(decoded).__name__}")
            gives = "a list of texts, which isn't asked" if _are_texts(decoded) else gives
        except NotImplementedError:
            self.names["decode"] = None
        except Exception:  # the cases will show it
            if self.called.partition("(")[0] != self.names["decode"]:
                gives = "what isn't known, since encoding fails"
        told = {
            "alphabet": facts.alphabet,
            "moved": moved,
            "only_met": facts.alphabet == "bytes" and facts.base_grows,
            "shown_as": facts.shown_as,
            "before": facts.before,
            "after": facts.after,
            "is_joined": facts.is_joined,
            "splits": list(facts.splits),
            "train": self.names["train"] or "making one",
            "asked": [self.names[what] for what in ("encode", "decode") if self.names[what]],
            "then": self.finisher or "",
            "text": way.text_as,
            "takes_words": way.text is not None and is_called(way.text, "words"),
            "number": number[way.number_is] + beside,
            "number_name": None if facts.fixed else way.number,
            "number_guessed": facts.is_guessed,
            "others": facts.base - 256 if facts.alphabet == "bytes" else 0,
            "merges_in": self.where or self.read_in or "what its ids decode to",
            "gives": gives,
            "frame": self._shown_frame(),
            "has_ids": self._gives_ids(),
            "encodes": self.names["encode"] is not None,
            "decodes": self.names["decode"] is not None,
            "saves": bool(self.names["save"] and self.names["load"]),
            "special": self._takes_special(),
            "several": not getattr(self.made, "has_one_state", False),
            "notes": self._grows_slowly(facts) + self._not_asked(),
        }
        return told

    def _not_asked(self) -> list[str]:
        """Return a note on special tokens, if they are given in a way that isn't asked."""
        if self._takes_special():
            return []
        takers = {"__init__": self.made}
        for what in ("train", "encode"):
            takers[self.names[what]] = getattr(self.made, self.names[what] or "", None)
        named = []
        for name, taker in takers.items():
            given = parameters_of(taker) if callable(taker) else ()
            named += [f"{one} of {name}" for one in given if is_called(one, "special")]
        named += [name for name in dir(self.made) if name.startswith(WITH_SPECIAL)]
        return [f"special tokens: not asked ({', '.join(named)})"] if named else []

    def _gives_ids(self) -> bool:
        """Return whether encoding gives ids, which are numbers, and not tokens."""
        with suppress(Exception):
            self.kinds |= {type(one) for one in self._ids(self.tok, "ab")}
        return self.kinds == {int}

    def _takes_special(self) -> bool:
        """Return whether special tokens can be given, and allowed in a text."""
        encode = getattr(self.made, self.names["encode"] or "", None)
        if encode is None or not hasattr(self.made, "register_special_tokens"):
            return False
        return allowing(encode, "none") is not None

    def _shown_frame(self) -> str:
        """Return what is put around each text, as a person would write it."""
        if self.frame == ([], []):
            return ""
        before, after = ("".join(map(self._shown, part)) for part in self.frame)
        return f"{before}…{after}"

    def _shown(self, i) -> str:
        token = self._spell(self.tok, self.state, i)
        return token.decode("utf-8", "replace") if isinstance(token, bytes) else f"{token}"

    def train(self, text, split, merges, ties="any", special=(), cut=None):
        """Make a new object, let it learn, and keep it; `cut` is the split that makes words."""
        refuse(ties not in ("any", "first"), f"ties {ties}")
        refuse(special, "special tokens in training")
        facts = self.facts
        self.cut_by = cut
        wanted = split if split in facts.splits else None
        try:
            tok, given = self._learn_so_many(facts, text, merges, wanted)
        except Exception as error:
            what = "a text without words" if not text.strip() else "no merges"
            may_refuse = not text.strip() or merges == 0
            why = f"learning from {what}: {error}".strip(": ")
            refuse(may_refuse and is_deliberate(error), why)
            raise
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
        self.read_in = self.state.where
        if self.kept_in is None and not self._can_be_read(pairs):
            self.read_in = None
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
        why_not = self._why_no_merges(self.tok)
        vocab = self.state.vocab
        if vocab:
            candidates = [vocab[i] for i in sorted(vocab) if len(self._canonical(vocab[i])) > 1]
            candidates = [token for token in candidates if token not in self.never_learned]
            if len(candidates) > wanted:  # a text may hold, and a program learn, what looks special
                candidates = [one for one in candidates if not self._is_special(one)]
            tokens = [self._canonical(one) for one in candidates]
        else:
            refuse(not self.names["decode"], why_not)
            for i in range(256, 256 + wanted):
                token = self._spell(self.tok, self.state, i)
                if token == f"id {i}":
                    refuse(
                        self._is_half(i),
                        f"{why_not}; some tokens are half characters",
                    )
                    break
                if not self._may_be_learned(self._canonical(token)):
                    break
                tokens.append(self._canonical(token))
        refuse(not tokens and wanted, why_not)
        pairs = learned.pairs_from_tokens(tokens)
        refuse(len(pairs) < len(tokens), f"{why_not}; its tokens don't tell them")
        return pairs

    def _may_be_learned(self, token: str | bytes) -> bool:
        """Return whether a token is in the text; if not, it is left from an earlier training."""
        if self.text is None or isinstance(token, str):
            return True
        return any(token in change(self.text).encode("utf-8") for change in CHANGES.values())

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
        """Return the program's id of a token; None if it has none that we know.

        If it encodes to tokens, these are its ids: bytes, or texts as its vocabulary writes them.
        """
        if token in self.seen:
            return self.seen[token]
        if self.kinds == {bytes}:
            return token
        for i, one in (self.state.vocab or {}).items():
            if self._canonical(one) == token:
                return one if self.kinds == {str} else i
        return None

    def encode_own(self, text, split=None, special=None, allow=()):
        """Encode a text with the object that is kept."""
        refuse(self.tok is None, "an object that has learned")
        refuse(not self.names["encode"], "a method that encodes")
        options, own = {}, {}
        if special:
            refuse(not hasattr(self.tok, "register_special_tokens"), "special tokens")
            self.tok.register_special_tokens(special)
            encode = getattr(self.tok, self.names["encode"])
            options = allowing(encode, set(allow) or self._none_allowed())
            refuse(options is None, "special tokens")
            known = getattr(self.tok, "special_tokens", None)
            own = known if isinstance(known, dict) else special  # it may give them ids of its own
            own = {own[name]: i for name, i in special.items() if name in own}
        told = []
        self.gave_bytes = False
        try:
            ids = self._ids(self.tok, text, **options)
        except Exception as error:
            is_other = special and "allowed_special" in str(error) and is_deliberate(error)
            refuse(is_other, f"special tokens by their names: {error}")
            raise
        if self.gave_bytes:
            raise Fault(f"{self.names['encode']} gives bytes here, not a list of ids")
        for i in ids:
            if i in own:
                told.append(own[i])
                continue
            token = self._canonical(self._spell(self.tok, self.state, i))
            is_unnamed = token == f"id {i}" and not self._names_what_it_learns()
            refuse(is_unnamed, "the tokens of its ids: nothing tells them")
            self.seen.setdefault(token, i)
            self.kinds.add(type(i))
            told.append(token)
        if self.facts.alphabet == "characters":
            return {"tokens": told}
        return {"ids": [one if type(one) is int else self.ids.get(one, _odd(one)) for one in told]}

    def _names_what_it_learns(self) -> bool:
        """Return whether decoding, or a vocabulary that holds merges, tells what ids mean."""
        named = {self._canonical(token) for token in (self.state.vocab or {}).values()}
        merged = (left + right for left, right in self.merges)
        return self.names["decode"] is not None or any(token in named for token in merged)

    def encode_beside(self, text, other, merges, split=None, cut=None):
        """Encode with the object that is kept, after a new object has learned from another text."""
        refuse(self.tok is None, "an object that has learned")
        kept = self.returned, self.frame
        self.cut_by = cut
        wanted = split if split in self.facts.splits else None
        try:
            self._learn_so_many(self.facts, other, merges, wanted)
        except Exception as error:
            raise Skip(f"not offered: {self.called} for a new object: {error}") from None
        self.returned, self.frame = kept
        return self.encode_own(text, split)

    def _none_allowed(self) -> str | set:
        """Return the argument that allows no special token: "none" if a name can be given."""
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
                if self.facts.alphabet == "characters" and i < 128:
                    known = self._own_id(chr(i))
                if known is None and i in names and self._gives_tokens:
                    known = self._as_shown(names[i])
                if known is None:
                    known = i if i < 256 else i - 256 + self.first_id
                own.append(known)
        else:
            own = [self._own_id(token) for token in tokens]
            refuse(None in own, "an id for each token")
        given = self._decode(self.tok, own)
        refuse(_are_texts(given), f"a text: {self.names['decode']} gives a list of texts")
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
        refuse(_are_texts(given), f"a text: {self.names['decode']} gives a list of texts")
        return {"text": given.decode("utf-8", "replace") if isinstance(given, bytes) else given}

    def save_own(self, path):
        """Save the object that is kept, in an empty folder."""
        refuse(self.tok is None, "an object that has learned")
        refuse(not self.names["save"], "a method that saves")
        return {"saved": saving.save(getattr(self.tok, self.names["save"]), Path(path))}

    def load_own(self, path, text, merges, cut=None):
        """Load in this process what another process has saved; the text is what it learned from."""
        refuse(not self.names["load"], "a method that loads")
        facts = self.facts
        self.cut_by, self.text = cut, text
        number = self._number(facts, text, merges)
        errors = []  # with the arguments
        with file_of(text) as file:
            for names in saving.ways_to_load(getattr(self.made, self.names["load"]), Path(path)):
                try:
                    tok = self._load_from(names, facts, text, number, file)
                    self._keep(tok, None, self._holder_in_loaded(tok))
                    self._ids(tok, text[:1] or "a")
                    return {"merges": self._told_merges(merges)}
                except Exception as error:  # not the file that it wants
                    errors.append((names, error))
        names, error = max(errors, key=lambda one: _how_far(one[1]))
        if isinstance(error, Skip | Fault):
            raise error
        places = ", ".join(repr(Path(place).name) for place in names.values())
        return {"error": f"{self.names['load']}({places}): {in_words(error)}"}

    def _holder_in_loaded(self, tok) -> str | None:
        """Return the name of what holds the merges of an object that was loaded.

        What held them at first may belong to training alone, such as what training has returned.
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


class KeptInParts(Kept):
    """A program of classes of which one learns, and the others are given what it has learned.

    Nobody knows in which form they want it. If what they are given isn't merged, or no object of
    theirs can be made, only the class that learns, the ``trainer``, is asked.
    """

    def __init__(self, made: Callable, trainer: Callable):
        super().__init__(made)
        self.trainer = trainer

    def probe(self) -> dict:
        """Answer what was found out, for people and for the parent."""
        if self._merges_what_it_learned():
            return super().probe()
        super().__init__(self.trainer)
        why = "what it learns can't be given to the other classes as it is"
        told = super().probe()
        told["notes"].insert(0, f"only {self.made.__name__} is asked: {why}")
        return told


def _how_far(error: Exception) -> int:
    """Return how far a call got before its error: to a place, past its checks, or further."""
    if isinstance(error, OSError):
        return 0
    return 1 if is_deliberate(error) and not isinstance(error, Skip | Fault) else 2


def _are_texts(given) -> bool:
    """Return whether this is a list of texts: tokens to be shown."""
    return isinstance(given, list) and all(isinstance(one, str) for one in given)


def _odd(token) -> str:
    return token if isinstance(token, str) else token.decode("utf-8", "backslashreplace")


def _is_static(made, name: str) -> bool:
    return isinstance(getattr(made, "__dict__", {}).get(name), staticmethod)
