"""Handling: an object of somebody else's class is made, taught and called, and its tables are read.

How to do this is not known beforehand: `kept` finds out, and describes it as a `Way`. Nothing that
an object holds is changed.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import NamedTuple

from bpe_further.conform import learned
from bpe_further.conform.calls import (
    NAMES,
    Fault,
    Way,
    call,
    file_of,
    fill,
    find_method,
    is_called,
    is_needed,
    is_public,
    parameters_of,
    plainly,
    refuse,
    shorten,
    takes_nothing,
    text_or_bytes,
)
from bpe_further.conform.splits import SPLITS, WHOLE_TEXT
from bpe_teach.exercises.runner.child import is_unwritten
from bpe_teach.patterns import GPT2
from bpe_teach.schemes import BYTES

LABEL = "tested"  # of a program that wants to be called something


class State(NamedTuple):
    """What an object has learned, read from it."""

    pairs: list | None  # of ids, bytes or texts, as it keeps them
    vocab: dict | None  # id -> bytes or text
    where: str | None  # what holds the pairs


class Handler:
    """Handles the objects of a program that learns; ``made`` makes such an object."""

    def __init__(self, made: Callable):
        self.made = made
        self.names = {what: find_method(made, what) for what in ("train", "save", "load")}
        self.names |= {what: _find_written(made, what) for what in ("encode", "decode")}
        self.names["train"] = self.names["train"] or _begins(made)
        self.cut_by = None  # the split by which texts are cut first: it learns from words
        self.pattern_of = None  # the split whose pattern it is made with, unless another is asked
        self.least_vocab = 2  # fewer texts in a list may be anything
        self.called = ""  # what was called last
        self.is_made = False  # whether the last object could be made
        self.is_made_alone = False  # whether it was given nothing then
        self.taught = ""  # how it was taught last
        self.gave_bytes = False  # where a list of ids should be
        self.first_id = 256  # of what is learned, if no vocabulary tells
        self.returned = {}  # id of an object -> what its train returned
        self.where = None  # what holds the merges, once it is known
        self.no_merges = set()  # names of what holds other pairs
        self.may_frame = True  # until it is known that nothing is put around a text
        self.frame = [], []  # ids before and after each text, such as those of <s> and </s>
        self.finisher = None  # a method without arguments that is called after training
        self.word_as = None  # what decoding wants for each word, a list or a tuple; None: no words

    # ---- how it is used

    def _cut(self, text: str) -> list[str]:
        """Return the texts to learn from: one text, or its words if a program wants words."""
        return SPLITS[self.cut_by].words(text, to_learn=True) if self.cut_by else [text]

    def _create(self, way: Way | None, text: str, number: int, path: str, split: str | None):
        """Return a new object."""
        chosen = way.arguments(self._cut(text), number, path) if way else {}
        parameters = parameters_of(self.made)
        chosen = {name: value for name, value in chosen.items() if name in parameters}
        for name in parameters:
            if way and is_called(name, way.number_is):  # some want it here as well
                chosen.setdefault(name, number)
            if is_called(name, "pattern") and split is not None:
                chosen[name] = GPT2 if split == "gpt2" else WHOLE_TEXT
        offers = {"pattern": GPT2, "size": number, "merges": number, "special": [], "label": LABEL}
        given = fill(self.made, chosen, offers)
        self.is_made_alone = not given
        return call(self.made, given)

    def _teach(self, tok, way: Way, text: str, number: int, path: str):
        """Let an object learn from a text; return what it returns."""
        if self.names["train"] is None:
            return None  # it has learned while it was made
        train = getattr(tok, self.names["train"])
        if takes_nothing(train):
            return train()
        chosen = way.arguments(self._cut(text), number, path)
        parameters = parameters_of(train)
        if parameters:
            chosen = {name: value for name, value in chosen.items() if name in parameters}
        return call(train, fill(train, chosen, {"special": [], "pattern": GPT2, "label": LABEL}))

    def _learn(self, way: Way, text: str, number: int, split: str | None = None):
        """Return a new object that has learned from a text, and what `train` returned."""
        self.called = f"{self.names['train'] or 'making one'}({shorten(text)}, {number})"
        self.taught = self.called
        self.is_made = False
        with file_of(text) as path:
            tok = self._create(way, text, number, path, split or self.pattern_of)
            self.is_made = True
            given = self._teach(tok, way, text, number, path)
            if self.finisher:
                getattr(tok, self.finisher)()
        self.returned = {id(tok): given}
        self._see_frame(tok)
        return tok, given

    def _see_frame(self, tok) -> None:
        """Find out what an object puts around each text, by encoding the empty text."""
        self.frame = [], []
        if not self.may_frame or not self.names["encode"]:
            return
        with suppress(Exception):
            around = self._ids(tok, "")
            others = [self._ids(tok, letter) for letter in "ab"]
            for cut in range(len(around) + 1):
                before, after = around[:cut], around[cut:]
                frames = [one[:cut] + one[len(one) - len(after) :] for one in others]
                is_frame = around and frames == [around] * 2 and min(map(len, others)) > len(around)
                if is_frame and self._stands_once(tok, before, after):
                    self.frame = before, after

    def _stands_once(self, tok, before: list, after: list) -> bool:
        """Return whether a text of two words is framed as a whole; marks stand at each word."""
        try:
            ids = self._ids(tok, "a b")
        except Exception:  # a space that it hasn't learned
            return True
        end = len(ids) - len(after)
        is_framed = ids[: len(before)] == before and ids[max(0, end) :] == after
        return is_framed and not any(one in ids[len(before) : end] for one in before + after)

    def _ids(self, tok, text: str, **options) -> list:
        """Return what an object makes of a text: ids, or tokens, without the frame of each text."""
        given = self._call(tok, "encode", text, options)
        if _are_several(given):
            given = next(filter(_are_ids, given), given[0])  # some give tokens, too
        if isinstance(given, Mapping):
            given = given.get("input_ids", given.get("ids", given))
        given = getattr(given, "ids", given)
        if hasattr(given, "tolist"):
            given = given.tolist()
        if isinstance(given, bytes):
            self.gave_bytes = True
        if given is None or isinstance(given, str | Mapping):
            raise Fault(f"{self.names['encode']} gives no list of ids, but {given!r:.60}")
        ids = []
        for i in given:
            if isinstance(i, list | tuple):  # a list for each word
                ids.extend(i)
            else:
                ids.append(i if isinstance(i, str | bytes) else int(i))
        before, after = self.frame
        end = len(ids) - len(after)
        is_framed = ids[: len(before)] == before and ids[max(0, end) :] == after
        return ids[len(before) : end] if is_framed else ids

    def _see_words(self, tok, text: str) -> None:
        """Find out whether decoding wants the words that encoding gives."""
        given = self._call(tok, "encode", text)
        if not isinstance(given, list) or not given or not isinstance(given[0], list | tuple):
            return
        with suppress(Exception):
            back = self._call(tok, "decode", given)
            self.word_as = type(given[0])
            with suppress(Exception):
                flat = self._call(tok, "decode", self._ids(tok, text))
                self.word_as = None if flat == back else self.word_as

    def _decode(self, tok, ids: list):
        """Return what an object makes of ids; if it wants words, they are the ids of one word."""
        given = self._call(tok, "decode", [self.word_as(ids)] if self.word_as else ids)
        return text_or_bytes(given)

    def _there_and_back(self, tok, text: str):
        """Encode a text, and return what decoding makes of the result."""
        if self.word_as:
            return text_or_bytes(self._call(tok, "decode", self._call(tok, "encode", text)))
        return self._decode(tok, self._ids(tok, text))

    def _call(self, tok, what: str, first, options: Mapping = {}):
        """Call the method that encodes or decodes; what `train` returned is handed on to it."""
        function = getattr(tok, self.names[what])
        given = dict(options)
        for name, parameter in list(parameters_of(function).items())[1:]:
            if is_needed(parameter) and is_called(name, "learned") and id(tok) in self.returned:
                given[name] = self.returned[id(tok)]
            elif is_needed(parameter) and name not in given:
                kinds = [kind for kind in ("kept", "vocab") if is_called(name, kind)]
                refuse(not kinds, f"{self.names[what]} needs {name}")
                tables = list(learned.tables_in(self.returned.get(id(tok))))
                tables.sort(key=lambda one: one.name != self.where)  # these hold the merges
                table = learned.table_for(kinds[0], tables)
                refuse(
                    table is None, f"{self.names[what]} needs {name}, which train doesn't return"
                )
                given[name] = table.value
        self.called = f"{self.names[what]}({shorten(first)})"
        return function(first, **given)

    # ---- what it has learned

    def _read(self, tok, given, where: str | None = None) -> State:
        """Return what an object has learned; ``where`` says what holds its merges, if known."""
        tables = [*learned.tables_in(given), *learned.tables_of(tok)]
        pairs = name = None
        for table in tables:
            if where in (None, table.name) and table.name not in self.no_merges:
                found = learned.read_pairs(table.value)
                if found and (pairs is None or where):
                    pairs, name = found, table.name
        # A few pairs of bytes might pass for tokens of two bytes; some keep them twice.
        others = []
        for table in tables:
            if table.name != where and (not pairs or learned.read_pairs(table.value) != pairs):
                others.append(table)
        vocab = learned.find_vocab(others, self.least_vocab)
        return State(pairs, vocab, name)

    def _spell(self, tok, state: State, i) -> str | bytes:
        """Return the token of an id, as the program writes it."""
        if isinstance(i, str | bytes):
            return i
        if state.vocab and i in state.vocab:
            return state.vocab[i]
        pairs = state.pairs or []
        has_no_bytes = not state.vocab or min(state.vocab) > 255  # but only what was learned
        if 0 <= i < 256 and has_no_bytes and not (pairs and isinstance(pairs[0][0], str)):
            return BYTES[i]
        rank = i - self.first_id
        if 0 <= rank < len(pairs) and all(isinstance(part, int) for part in pairs[rank]):
            left, right = pairs[rank]
            if max(left, right) < i:
                return self._spell(tok, state, left) + self._spell(tok, state, right)
        if self.names["decode"]:
            with suppress(Exception):
                token = self._decode(tok, [i])
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


def _find_written(made, what: str) -> str | None:
    """Return the name of the method that does something; None if it is only a stub."""
    name = find_method(made, what)
    code = getattr(getattr(made, name or "", None), "__code__", None)
    return None if is_unwritten(code) else name


def _are_several(given) -> bool:
    """Return whether an encoder gives several lists: in a tuple, or the tokens beside their ids."""
    if isinstance(given, tuple):
        return bool(given) and isinstance(given[0], list)
    if not isinstance(given, list) or len(given) != 2:
        return False
    tokens, ids = sorted(given, key=_are_ids)
    are_texts = isinstance(tokens, list) and all(isinstance(one, str) for one in tokens)
    return are_texts and _are_ids(ids) and len(tokens) == len(ids) > 0


def _are_ids(part) -> bool:
    return isinstance(part, list) and all(isinstance(one, int) for one in part)


def _begins(made) -> str | None:
    """Return the method without arguments that trains an object which was made with a text."""
    names = {plainly(name): name for name in dir(made) if is_public(name)}
    if isinstance(made, type) and not find_method(made, "encode"):
        usual = [names[name] for name in map(plainly, NAMES["encode"]) if name in names]
        return next((name for name in usual if callable(getattr(made, name))), None)
    return None
