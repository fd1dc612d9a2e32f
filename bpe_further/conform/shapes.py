"""Shapes: the functions and classes that people write, asked by their names.

Each class here has a method for each request that it can answer, and skips what isn't offered.
"""

import inspect
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType, SimpleNamespace

from bpe_further.conform.cases import KIT
from bpe_further.conform.replay import make_vocab, pair_tokens
from bpe_further.exercises.whole_programs import Slip, answer
from bpe_teach.exercises.runner.child import is_unwritten
from bpe_teach.patterns import GPT2
from bpe_teach.schemes import BYTES

FUNCTIONS = ("count_pairs", "merge", "encode", "train", "encode_text", "decode")
WHOLE_TEXT = "(?s:.+)"  # a pattern that doesn't split

NAMES = KIT["names"]  # what people call what they are given, what they do, what they keep
NO_MERGES = "merges: after learning one, no list or dict of the object holds it"


class Skip(Exception):
    """The file doesn't offer what is asked for."""


class Fault(Exception):
    """What the file does is wrong, whatever was asked for."""


def refuse(condition, what: str) -> None:
    """Raise `Skip`, with what isn't offered, if the condition is true."""
    if condition:
        raise Skip(f"not offered: {what}")


def pair_ids(pairs: Iterable) -> list[list[int]]:
    """Return pairs of bytes, or rows that begin with them, as pairs of ids; ids stay ids.

    >>> pair_ids([(b"l", b"o", 3), (b"lo", b"w", 2)]), pair_ids([(108, 111)])
    ([[108, 111], [256, 119]], [[108, 111]])
    """
    ids = {token: i for i, token in enumerate(BYTES)}
    found = []
    for left, right, *_ in pairs:
        refuse(isinstance(left, str), "merges of bytes, as in notebook 04")
        if isinstance(left, bytes):
            found.append([ids[left], ids[right]])
            ids.setdefault(left + right, 255 + len(found))
        else:
            found.append([left, right])
    return found


@contextmanager
def _file_of(text: str) -> Iterator[str]:
    """Yield the path of a file that holds a text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "text.txt")
        path.write_bytes(text.encode("utf-8"))
        yield str(path)


def find_program(modules: Iterable[ModuleType]):
    """Return what answers by the names in modules: a method for each request.

    Raises ValueError if none of the names is known.
    """
    space = {}  # name -> what has it
    for module in modules:
        space.update(vars(module))
    own = {module.__name__ for module in modules}
    classes = [item for item in space.values() if inspect.isclass(item)]
    classes = [item for item in classes if item.__module__ in own] or classes
    classes = [item for item in classes if hasattr(item, "encode")]
    classes = [item for item in classes if not set(NAMES["train"]).isdisjoint(dir(item))]
    is_stanfords = {"train_bpe", "run_train_bpe", "get_tokenizer"} & space.keys()
    if is_stanfords or hasattr(space.get("Tokenizer"), "encode_iterable"):
        return _Stanford(space)
    if classes:
        return _Classes(classes)
    encode = space.get("encode")
    if inspect.isfunction(encode) and "split" in inspect.signature(encode).parameters:
        return SimpleNamespace(**space)  # its functions take requests as they are
    if any(callable(space.get(name)) for name in FUNCTIONS):
        return _Functions(space)
    raise ValueError(f"there is no class with train, no train_bpe, no {' or '.join(FUNCTIONS)}")


class _Functions:
    """The functions of ``my_bpe.py``, the file that grows in notebooks 01 to 04."""

    def __init__(self, space: Mapping):
        self.space = space

    def _find(self, name: str) -> Callable:
        refuse(not callable(self.space.get(name)), f"a function {name}")
        code = getattr(self.space[name], "__code__", None)
        refuse(is_unwritten(code), f"{name}, which is not written yet")
        return self.space[name]

    def train_words(self, **given):
        parts = {"count": self._find("count_pairs"), "merge": self._find("merge")}
        given["ties"] = "first" if given["ties"] == "any" else given["ties"]
        return answer({"do": "train_words", **given}, Slip("none", "", "", parts))  # our loop

    def encode_word(self, word, merges):
        encode = self._find("encode")
        refuse("merges" in inspect.signature(encode).parameters, "encode(word, ranks)")
        ranks = {tuple(pair): rank for rank, pair in enumerate(merges)}
        return {"tokens": list(encode(tuple(word), ranks))}

    def train(self, text, split, merges, ties, special=()):
        refuse(ties not in ("first", "any"), f"ties {ties}")
        refuse(split != "gpt2" or special, "split none, or special tokens")
        train = self._find("train")
        takes_least = "min_count" in inspect.signature(train).parameters
        options = {"min_count": 1} if takes_least else {}
        learned = train(text, merges, **options)
        return {"merges": pair_ids(learned)}

    def encode(self, text, split, merges, special=None, allow=()):
        refuse(split != "gpt2" or special, "split none, or special tokens")
        tokens = self._find("encode_text")(text, pair_tokens(merges))
        ids = {token: i for i, token in make_vocab(merges, {}).items()}
        ids = [ids[token] if isinstance(token, bytes) else token for token in tokens]
        return {"ids": ids}

    def decode(self, ids, merges, special=None):
        return {"text": self._find("decode")(ids, make_vocab(merges, special or {}))}


class _Classes:
    """Classes that train, encode and decode, as in minbpe, whatever their merges are called.

    How a class keeps its merges and its vocabulary is seen after it has learned one merge.
    """

    def __init__(self, classes: Iterable[type]):
        self.made = {}  # split -> class
        for made in classes:
            names = inspect.signature(made).parameters
            splits = any(_is_called(name, "pattern") for name in names)
            self.made["gpt2" if splits else "none"] = made
        if "gpt2" in self.made:
            self.made.setdefault("none", self.made["gpt2"])
        self.kept = {}  # split -> how it keeps merges, and its vocabularies
        self.has_encoded = self.is_stale = False

    def _make(self, split, merges, special=()):
        refuse(split not in self.made, f"split {split}")
        made = self.made[split]
        pattern = GPT2 if split == "gpt2" else WHOLE_TEXT
        offers = {"pattern": pattern, "size": 256 + merges, "how_many": merges, "special": special}
        return made(**_arguments(made, offers, everything=("pattern", "size")))

    def _train(self, tok, text, merges):
        train = next(getattr(tok, name) for name in NAMES["train"] if hasattr(tok, name))
        with _file_of(text) as path:
            offers = {"path": path, "texts": [text], "text": text, "special": []}
            offers |= {"size": 256 + merges, "to_learn": merges}
            return train(**_arguments(train, offers, everything=("size", "to_learn")))

    def train(self, text, split, merges, ties, special=()):
        refuse(ties not in ("first", "any"), f"ties {ties}")
        refuse(special, "special tokens in training")
        tok = self._make(split, merges)
        learned = self._learn(tok, text, split, merges)
        if ties == "any" and self.has_encoded and not self.is_stale:  # told once is enough
            self._use_again(tok, learned, text, split, merges)
        return {"merges": learned}

    def _use_again(self, tok, learned, text, split, merges) -> None:
        """Raise `Fault` if an object that has learned before answers otherwise than a new one."""
        used = self._make(split, merges)
        with suppress(Exception):  # it may learn only once
            self._learn(used, text[::-1], split, merges)
            used.encode(text)
            again = self._learn(used, text, split, merges)
            ids = list(used.encode(text))
            self.is_stale = again != learned or ids != list(tok.encode(text))
        if self.is_stale:
            raise Fault("trained again on another text, an object doesn't answer as a new one")

    def _learn(self, tok, text, split, merges):
        given = self._train(tok, text, merges)
        kept, _ = self._form(split)
        name = next(iter(kept), None)
        refuse(name is None and not given, NO_MERGES)
        learned = getattr(tok, name) if name else given
        return pair_ids(_pairs_in(learned))

    def _form(self, split):
        """Return what holds merges, by name, after one was learned, and the vocabularies."""
        if split not in self.kept:
            sample = self._make(split, 1)
            with suppress(Exception):  # then it keeps them as minbpe does, if they have a name
                self._train(sample, "abab", 1)
            self.kept[split] = _kept(sample), _tables(sample)
        return self.kept[split]

    def _load(self, split, merges, special):
        kept, tables = self._form(split)
        refuse(not kept, NO_MERGES)
        tok = self._make(split, len(merges), [*special])
        for name, sample in kept.items():
            setattr(tok, name, _merges_like(sample, merges))
        by_id = make_vocab(merges, {})
        by_token = {token: i for i, token in by_id.items()}
        for table, is_by_id in tables.items():
            setattr(tok, table, by_id if is_by_id else by_token)
        if special:
            refuse(not hasattr(tok, "register_special_tokens"), "special tokens")
            tok.register_special_tokens(special)
        return tok

    def encode(self, text, split, merges, special=None, allow=()):
        tok = self._load(split, merges, special or {})
        options = {"allowed_special": set(allow) or "none"} if special else {}
        ids = tok.encode(text, **options)
        self.has_encoded = True
        return {"ids": ids if isinstance(ids, str) else list(ids)}

    def decode(self, ids, merges, special=None):
        tok = self._load(max(self.made), merges, special or {})
        refuse(not self._form(max(self.made))[1], "a vocabulary from ids to bytes")
        given = tok.decode(ids)
        return {"bytes": list(given)} if isinstance(given, bytes) else {"text": given}


def _is_called(name: str, what: str) -> bool:
    """Return whether this is a name that people give to something, such as a "pattern"."""
    return name.lower().strip("_") in NAMES[what]


def _arguments(function: Callable, offers: Mapping, everything: Iterable[str]) -> dict:
    """Return arguments for a function: those it needs, and those of some kinds that it takes."""
    chosen = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        is_needed = parameter.default is parameter.empty
        for what, value in offers.items():
            if _is_called(name, what) and (is_needed or what in everything):
                chosen[name] = value
        refuse(is_needed and name not in chosen, f"{function.__name__} needs {name}")
    return chosen


def _own(item) -> dict[str, dict | list]:
    """Return the lists and dictionaries of an object, by name: first those with a usual name."""
    own = getattr(item, "__dict__", {})
    usual_first = sorted(own, key=lambda name: name.strip("_") not in NAMES["kept"])
    return {name: own[name] for name in usual_first if isinstance(own[name], dict | list)}


def _kept(sample) -> dict[str, dict | list]:
    """Return what holds the merge of a and b, which was learned; or else what has a usual name."""
    own = _own(sample)
    named = {name: kept for name, kept in own.items() if name.strip("_") in NAMES["kept"]}
    learned = [(97, 98)], [[97, 98]], [(b"a", b"b")], [("a", "b")]
    return {name: kept for name, kept in own.items() if _pairs_in(kept) in learned} or named


def _pairs_in(kept) -> list:
    """Return pairs in the order of their merges: they are a list, or keys or values of a dict."""
    if not isinstance(kept, dict):
        return [*kept]
    if all(isinstance(key, tuple) for key in kept):
        try:
            return sorted(kept, key=kept.get)
        except TypeError:  # the values are tokens
            return [*kept]
    in_order = sorted(kept, key=lambda key: (str(type(key)), key))
    return [kept[key] for key in in_order]


def _merges_like(sample, merges: Iterable):
    """Return merges in the form in which a class keeps one: ids or bytes, a list or a dict."""
    pair = next(iter(_pairs_in(sample)), (0, 0))
    by_bytes = isinstance(pair[0], bytes)
    refuse(isinstance(pair[0], str), "merges of bytes, as in notebook 04")
    pairs = pair_tokens(merges) if by_bytes else [tuple(pair) for pair in merges]
    if isinstance(sample, list):
        return pairs
    key, value = next(iter(sample.items()), (pair, 256))
    if not isinstance(key, tuple):  # a dict from ids or ranks to pairs
        return {key + rank: pair for rank, pair in enumerate(pairs)}
    if isinstance(value, bytes):
        return dict(zip(pairs, map(b"".join, pair_tokens(merges)), strict=True))
    refuse(not isinstance(value, int), "ids or ranks of merges")
    return {pair: value + rank for rank, pair in enumerate(pairs)}


def _tables(sample) -> dict[str, bool]:
    """Return the names of vocabularies, each with whether it goes from ids to bytes."""
    tables = {}
    for name, table in _own(sample).items():
        if table == {} and name.strip("_") == "vocab":  # to be filled when merges are
            tables[name] = True
        elif isinstance(table, dict) and len(table) > 255:
            key, value = next(iter(table.items()))
            kinds = (type(key), type(value))
            if kinds in ((int, bytes), (bytes, int)):
                tables[name] = kinds == (int, bytes)
    return tables


class _Stanford:
    """``train_bpe(path, vocab_size, special_tokens)``, ``Tokenizer(vocab, merges, special)``.

    The course's own ``tests/adapters.py`` calls them ``run_train_bpe`` and ``get_tokenizer``.
    """

    def __init__(self, space: Mapping):
        self.space = space

    def train(self, text, split, merges, ties, special=()):
        train = self.space.get("train_bpe") or self.space.get("run_train_bpe")
        refuse(train is None, "a function train_bpe")
        refuse(ties not in ("greatest", "any"), f"ties {ties}")
        refuse(split != "gpt2", f"split {split}")
        with _file_of(text) as path:
            size = 256 + len(special) + merges
            _, learned = train(path, size, list(special))
        return {"merges": pair_ids(learned)}

    def _make(self, merges, special, allow, split="gpt2"):
        make = self.space.get("get_tokenizer") or self.space.get("Tokenizer")
        refuse(make is None, "a class Tokenizer")
        refuse(split != "gpt2", f"split {split}")
        vocab = make_vocab(merges, special or {})
        return make(vocab, pair_tokens(merges), list(allow) or None)

    def encode(self, text, split, merges, special=None, allow=()):
        return {"ids": self._make(merges, special, allow, split).encode(text)}

    def encode_stream(self, pieces, split, merges, special=None, allow=()):
        tok = self._make(merges, special, allow, split)
        ids = list(tok.encode_iterable(pieces))
        apart = [i for piece in pieces for i in tok.encode(piece)]
        # The tests of CS336 give it lines, of which each may be encoded by itself.
        refuse(ids == apart != tok.encode("".join(pieces)), "words across the pieces of a stream")
        return {"ids": ids}

    def decode(self, ids, merges, special=None):
        return {"text": self._make(merges, special, special or ()).decode(ids)}
