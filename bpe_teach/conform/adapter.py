"""Adapter: answers for a Python file or a library, whose functions and classes it knows by name.

``python -m bpe_teach.conform.adapter my_bpe.py`` executes the file and speaks the protocol. It
skips requests that no function of the file can answer.
"""

import importlib.util
import inspect
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path

from bpe_teach.exchange.huggingface import to_huggingface
from bpe_teach.exchange.openai import to_tiktoken
from bpe_teach.exercises.exercise import _is_unwritten
from bpe_teach.exercises.whole_programs import Slip, answer
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.patterns import GPT2

FUNCTIONS = ("count_pairs", "merge", "encode", "train", "encode_text", "decode")
MOST_BYTES = 4 * 2**30  # of memory for the file
WHOLE_TEXT = "(?s:.+)"  # a pattern that doesn't split
BYTES = [bytes([byte]) for byte in range(256)]


class Skip(Exception):
    """The file or library doesn't offer what is asked for."""


def serve(make: Callable) -> None:
    """Answer all requests by the methods of the object that ``make`` returns.

    Whatever the object prints goes to standard error, and its standard input is empty.
    """
    requests = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    program = make()
    for line in requests:
        request = json.loads(line)
        number = request.pop("id")
        do = request.pop("do")
        try:
            refuse(not hasattr(program, do), do)
            given = getattr(program, do)(**request)
            said = json.dumps({"id": number, **given}, default=int)  # int: NumPy's numbers
        except Skip as skip:
            said = json.dumps({"id": number, "skip": str(skip)})
        except BaseException as error:  # somebody else's code may raise anything
            said = json.dumps({"id": number, "error": f"{type(error).__name__}: {error}"})
        print(said, file=answers, flush=True)


def pair_tokens(merges: Iterable) -> list[tuple[bytes, bytes]]:
    """Return pairs of ids as pairs of bytes.

    >>> pair_tokens([[108, 111], [256, 119]])
    [(b'l', b'o'), (b'lo', b'w')]
    """
    tokens = list(BYTES)
    pairs = []
    for left, right in merges:
        pairs.append((tokens[left], tokens[right]))
        tokens.append(tokens[left] + tokens[right])
    return pairs


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


def make_vocab(merges: Iterable, special: Mapping[str, int]) -> dict[int, bytes]:
    """Return the vocabulary of merges and special tokens: id -> bytes."""
    tokens = BYTES + [left + right for left, right in pair_tokens(merges)]
    return dict(enumerate(tokens)) | {i: name.encode("utf-8") for name, i in special.items()}


def refuse(condition, what: str) -> None:
    """Raise `Skip`, with what isn't offered, if the condition is true."""
    if condition:
        raise Skip(f"not offered: {what}")


class _Functions:
    """The functions of ``my_bpe.py``, the file that grows in notebooks 01 to 04."""

    def __init__(self, space: Mapping):
        self.space = space

    def _find(self, name: str) -> Callable:
        refuse(not callable(self.space.get(name)), f"a function {name}")
        refuse(_is_unwritten(self.space[name]), f"{name}, which is not written yet")
        return self.space[name]

    def train_words(self, **given):
        parts = {"count": self._find("count_pairs"), "merge": self._find("merge")}
        return answer({"do": "train_words", **given}, Slip("none", "", "", parts))  # our loop

    def encode_word(self, word, merges):
        encode = self._find("encode")
        refuse("merges" in inspect.signature(encode).parameters, "encode(word, ranks)")
        ranks = {tuple(pair): rank for rank, pair in enumerate(merges)}
        return {"tokens": list(encode(tuple(word), ranks))}

    def train(self, text, split, merges, ties, special=()):
        refuse(ties != "first", f"ties {ties}")
        refuse(split != "gpt2" or special, "split none, or special tokens")
        train = self._find("train")
        options = {"min_count": 1} if "min_count" in inspect.signature(train).parameters else {}
        return {"merges": pair_ids(train(text, merges, **options))}

    def encode(self, text, split, merges, special=None, allow=()):
        refuse(split != "gpt2" or special, "split none, or special tokens")
        tokens = self._find("encode_text")(text, pair_tokens(merges))
        ids = {token: i for i, token in make_vocab(merges, {}).items()}
        return {"ids": [ids[token] if isinstance(token, bytes) else token for token in tokens]}

    def decode(self, ids, merges, special=None):
        return {"text": self._find("decode")(ids, make_vocab(merges, special or {}))}


class _Minbpe:
    """Classes as in minbpe; only a class that takes a pattern can split."""

    def __init__(self, classes: Iterable[type]):
        self.make = {}  # split -> function that returns a tokenizer
        for made in classes:
            pattern = [name for name in inspect.signature(made).parameters if name[:3] == "pat"]
            if pattern:
                self.make["gpt2"] = partial(made, **{pattern[0]: GPT2})
                self.make.setdefault("none", partial(made, **{pattern[0]: WHOLE_TEXT}))
            else:
                self.make["none"] = made

    def train(self, text, split, merges, ties, special=()):
        refuse(ties != "first", f"ties {ties}")
        refuse(special, "special tokens in training")
        tok = self._make(split, [], {})
        tok.train(text, 256 + merges)
        return {"merges": list(tok.merges)}

    def _make(self, split, merges, special):
        refuse(split not in self.make, f"split {split}")
        tok = self.make[split]()
        tok.merges = {tuple(pair): 256 + rank for rank, pair in enumerate(merges)}
        tok.vocab = make_vocab(merges, {})
        if special:
            refuse(not hasattr(tok, "register_special_tokens"), "special tokens")
            tok.register_special_tokens(special)
        return tok

    def encode(self, text, split, merges, special=None, allow=()):
        options = {"allowed_special": set(allow) or "none"} if special else {}
        return {"ids": self._make(split, merges, special).encode(text, **options)}

    def decode(self, ids, merges, special=None):
        return {"text": self._make(max(self.make), merges, special).decode(ids)}


class _Stanford:
    """``train_bpe(path, vocab_size, special_tokens)``, ``Tokenizer(vocab, merges, special)``."""

    def __init__(self, space: Mapping):
        self.space = space

    def train(self, text, split, merges, ties, special=()):
        refuse("train_bpe" not in self.space, "a function train_bpe")
        refuse(ties != "greatest", f"ties {ties}")
        refuse(split != "gpt2", f"split {split}")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "text.txt")
            path.write_bytes(text.encode("utf-8"))
            size = 256 + len(special) + merges
            _, learned = self.space["train_bpe"](str(path), size, list(special))
        return {"merges": pair_ids(learned)}

    def _make(self, merges, special, allow, split="gpt2"):
        refuse("Tokenizer" not in self.space, "a class Tokenizer")
        refuse(split != "gpt2", f"split {split}")
        vocab = make_vocab(merges, special or {})
        return self.space["Tokenizer"](vocab, pair_tokens(merges), list(allow) or None)

    def encode(self, text, split, merges, special=None, allow=()):
        return {"ids": self._make(merges, special, allow, split).encode(text)}

    def encode_stream(self, pieces, split, merges, special=None, allow=()):
        tok = self._make(merges, special, allow, split)
        return {"ids": list(tok.encode_iterable(pieces))}

    def decode(self, ids, merges, special=None):
        return {"text": self._make(merges, special, special or ()).decode(ids)}


class _Library:
    """The library tokenizers or tiktoken, with the merges of the request."""

    def __init__(self, name: str):
        self.name = name

    def _make(self, split, merges, names):
        pairs = [(left, right, 0) for left, right in pair_tokens(merges)]
        carry = {"tokenizers": to_huggingface, "tiktoken": to_tiktoken}[self.name]
        try:
            tok = Tokenizer("gpt2" if split == "gpt2" else "bytes", BYTES, pairs, names)
            return tok.special_tokens, carry(tok)
        except ValueError as error:
            raise Skip(str(error)) from None

    def encode(self, text, split, merges, special=None, allow=()):
        names, theirs = self._make(split, merges, allow)
        if self.name == "tiktoken":
            ids = theirs.encode(text, allowed_special=set(allow), disallowed_special=())
        else:
            ids = theirs.encode(text, add_special_tokens=False).ids
        as_asked = {i: special[name] for name, i in names.items()}
        return {"ids": [as_asked.get(i, i) for i in ids]}

    def decode(self, ids, merges, special=None):
        names, theirs = self._make("none", merges, special or ())
        theirs_of = {special[name]: i for name, i in names.items()}
        ids = [theirs_of.get(i, i) for i in ids]
        options = {"skip_special_tokens": False} if self.name == "tokenizers" else {}
        return {"text": theirs.decode(ids, **options)}


def _find_program(space: Mapping):
    """Return an adapter for the names in a file; ValueError if none fits."""
    classes = [item for item in space.values() if inspect.isclass(item)]
    classes = [item for item in classes if item.__module__ == space["__name__"]] or classes
    trained = [c for c in classes if all(hasattr(c, name) for name in ("train", "encode"))]
    if "train_bpe" in space or hasattr(space.get("Tokenizer"), "encode_iterable"):
        return _Stanford(space)
    if trained:
        return _Minbpe(trained)
    if any(callable(space.get(name)) for name in FUNCTIONS):
        return _Functions(space)
    raise ValueError(f"there is no class with train, no train_bpe, no {' or '.join(FUNCTIONS)}")


def _load(path: str) -> dict:
    """Execute a Python file, inside its package if it has one, and return its names."""
    with suppress(ImportError, ValueError, OSError):  # Windows has no limits; others may be lower
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    file = Path(path).resolve()
    if (file.parent / "__init__.py").is_file():
        sys.path.insert(0, str(file.parents[1]))
        return vars(importlib.import_module(f"{file.parent.name}.{file.stem}"))
    sys.path.insert(0, str(file.parent))  # for modules beside it
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # as dataclasses and pickle expect
    spec.loader.exec_module(module)
    return vars(module)


def main() -> None:
    """Answer for a file, or for a library after ``--library``."""
    *options, name = sys.argv[1:]
    serve(lambda: _Library(name) if options else _find_program(_load(name)))


if __name__ == "__main__":
    main()
