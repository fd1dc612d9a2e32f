"""Folder: read what the files beside a vocabulary say about it.

A vocab.json with its merges.txt, or a file of ranks, says neither how a text is split nor which
tokens are special. But the files beside the vocabulary may say both. ``tokenizer_config.json`` or
``config.json`` names a class, and ``known.toml`` lists the parts of this class.
``added_tokens.json`` and ``special_tokens_map.json`` name tokens and their roles, such as the role
of beginning a text.
"""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count
from pathlib import Path
from typing import Any

from bpe_further.exchange import kinds
from bpe_further.exchange.file import FLAGS
from bpe_further.exchange.pipeline import read_one_by_one
from bpe_further.exchange.schemes import PublishedScheme, in_oniguruma, published_scheme
from bpe_further.exchange.shared import KNOWN, OnIds, name_some, require
from bpe_teach.files import errors_name
from bpe_teach.schemes import SCHEMES, Scheme

CONFIG, MODEL_CONFIG = "tokenizer_config.json", "config.json"
ADDED, SPECIAL = "added_tokens.json", "special_tokens_map.json"
ROLES = [f"{role}_token" for role in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")]
LISTS = ("additional_special_tokens", "extra_special_tokens")  # of special tokens without a role
IN_BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
CLASSES = {name: row for row in KNOWN["classes"] for name in row["names"]}
BUILT = {name: row for row in KNOWN["built"] for name in row["names"]}
OF_PIECES = {name: does for does, names in KNOWN["of_pieces"].items() for name in names}
OTHERS = {name: kind for kind, names in KNOWN["others"].items() for name in names}
PATTERNS = KNOWN["complete"] | KNOWN["patterns"]
LEFT_OUT = "left out, even with add_special_tokens=True"
GENERIC = ("PreTrainedTokenizer", "PreTrainedTokenizerFast", "TokenizersBackend")
# transformers has no code for these classes: it reads a tokenizer.json of theirs as it is
WITHOUT_CODE = ("Cohere2Tokenizer", "Llama4Tokenizer", "OLMoTokenizer", "Qwen3Tokenizer", "llama4")
OF_SENTENCEPIECE = "a BPE of SentencePiece"  # a kind in OTHERS
READS = ("normalizer", "pre_tokenizer", "pattern", "suffix", "around")  # fields of a row


@dataclass
class Beside:
    """The information that a folder's files give in addition to the vocabulary."""

    folder: Path
    kind: str = ""  # the class of the tokenizer, or the type of the model
    model: str = ""  # the type of the model, if a file tells it
    is_generic: bool = False  # whether the class is one that does what a tokenizer.json says
    other: str = ""  # the class that the model's file names if it is a different class
    adds: dict[str, bool] = field(default_factory=dict)  # option of the class -> its value
    roles: dict[str, str] = field(default_factory=dict)  # bos_token, … -> name of the token
    special: list[str] = field(default_factory=list)  # names of all special tokens
    told: set[str] = field(default_factory=set)  # names that stand in a file of the folder
    added: list[str] = field(default_factory=list)  # names of tokens that transformers adds
    tokens: dict[str, dict] = field(
        default_factory=dict
    )  # name -> token as a tokenizer.json has it

    @property
    def row(self) -> dict | None:
        """The row of `known.toml` for the class, or None if there is no row or no class."""
        return CLASSES.get(_stem(self.kind))

    def require_row(self, how_to_split: str | None = None) -> dict | None:
        """Return the row of the class, or None if no class is named.

        Raises ValueError if a class is named but isn't known. The message then gives the advice in
        ``how_to_split`` or, if this is None, general advice.
        """
        if not self.kind:
            return None
        if self.row is None:
            raise ValueError(
                f"{self.folder}: its tokenizer is a {self.kind!r:.80}, and how that splits a text "
                f"isn't known here; {how_to_split or HOW_TO_SPLIT}"
            )
        return self.row

    def scheme(self) -> Scheme | None:
        """Return the scheme of the class for a file of ranks, or None if no class is named.

        Raises ValueError if the class isn't known, or if it does more than split a text.
        """
        row = self.require_row()
        if row is None:
            return None
        require(
            "pre_tokenizer" not in row,
            f"{self.folder}: its class {self.kind} does more to a text than split it by a pattern, "
            f"and isn't read beside ranks; {MORE_THAN_SPLIT}",
        )
        pattern = row.get("pattern", "gpt2")
        steps = read_one_by_one(row.get("normalizer"))
        if pattern in SCHEMES:
            scheme = SCHEMES[pattern]
        else:
            scheme = PublishedScheme(_stem(self.kind), pattern, PATTERNS[pattern], bytes)
        if not steps:
            return scheme
        changes = {"name": _stem(self.kind), "loses": f"what {', '.join(steps)} makes one"}
        return published_scheme(scheme, normalizations=steps, **changes)

    def own_tokens(self) -> dict[str, int]:
        """Return the special tokens that the class's own code adds to ranks, with their ids."""
        row = self.row or {}
        names = [*row.get("adds", ()), *(f"<|extra_{i}|>" for i in range(row.get("extras", 0)))]
        return dict(zip(names, count(row.get("adds_from", 0)), strict=False))

    def parts(self) -> dict:
        """Return the normalizer, pre-tokenizer and decoder of the class, as in a tokenizer.json."""
        row = self.require_row() or {}
        pre_tokenizer = row.get("pre_tokenizer")
        if pre_tokenizer is None:
            pre_tokenizer = IN_BYTES
            if "pattern" in row:
                cut = {"type": "Split", "pattern": {"Regex": _pattern_of(row)}}
                cut |= {"behavior": "Isolated", "invert": False}
                pieces = [cut, IN_BYTES | {"use_regex": False}]
                pre_tokenizer = {"type": "Sequence", "pretokenizers": pieces}
        if self.adds.get("add_prefix_space") is not None and pre_tokenizer["type"] == "ByteLevel":
            pre_tokenizer = pre_tokenizer | {"add_prefix_space": self.adds["add_prefix_space"]}
        return {
            "normalizer": row.get("normalizer"),
            "pre_tokenizer": pre_tokenizer,
            "decoder": row.get("decoder", IN_BYTES),
        }

    def built(self, *, in_bytes: bool) -> dict | None:
        """Return the parts that transformers builds instead of those in a tokenizer.json, or None.

        The parts are the normalizer and the pre-tokenizer. ``in_bytes`` tells whether the
        tokenizer.json works on bytes.
        """
        row = BUILT.get(_stem(self.kind))
        if row is None or self.is_generic:
            return None
        if self.model not in ("", *row.get("models", row["names"])):
            return None
        if in_bytes and row.get("keeps_bytes"):
            return None
        before = row.get("pre_tokenizer")
        if before and self.adds.get("add_prefix_space") is False:
            before = before | {"prepend_scheme": "never"}
        elif before and not self.adds.get("legacy"):
            before = before | {"prepend_scheme": "first"}
        return {"normalizer": row.get("normalizer"), "pre_tokenizer": before}

    def notes(self, pre_tokenizer: dict) -> list[str]:
        """Return notes on what the class can do to a text, but the tokenizer here can't."""
        notes = self.notes_on_names()
        if self.adds.get("add_prefix_space") and pre_tokenizer["type"] != "ByteLevel":
            what = f"{CONFIG} has add_prefix_space, which isn't known of its class"
            notes.append(OnIds(f"{what}: no space is put before a text"))
        if (self.row or {}).get("puts"):
            notes.append(OnIds(f"its class puts {self.row['puts']}: {LEFT_OUT}"))
        return notes

    def notes_on_names(self) -> list[str]:
        """Return a note if two files name different classes."""
        if not self.other:
            return []
        names = f"{CONFIG} names {self.kind:.80}, and {MODEL_CONFIG} {self.other:.80}"
        return [OnIds(f"{names}: the first is taken")]

    def notes_on_tokens(self, known: Collection[str]) -> list[str]:
        """Return a note if the files add tokens that the file of the tokenizer lacks.

        ``known`` are the names of the tokens in the file of the tokenizer.
        """
        more = sorted({*self.added} - {*known})
        if not more:
            return []
        number = f"{len(more)} token{'s' if len(more) > 1 else ''}"
        return [
            OnIds(
                f"the files beside it add {number}, left out: {name_some(more)}; AutoTokenizer "
                "finds them in texts"
            )
        ]

    def notes_on_roles(self, known: Collection[str]) -> list[str]:
        """Return a note if the class adds tokens with a role that the file of the tokenizer lacks.

        ``known`` are the names of all tokens in this file, and of those that other notes name.
        """
        if self.is_generic or self.row is None:
            return []
        more = sorted({*self.roles.values()} - {*known})
        if not more:
            return []
        adds = f"{self.kind:.80} adds {name_some(more)}, which the file lacks"
        return [OnIds(f"{adds}: AutoTokenizer may find such names in texts")]

    @property
    def other_kind(self) -> str:
        """The kind that the class builds if it is known as a different kind of tokenizer, or "".

        A different kind is WordPiece, for example.
        """
        return "" if self.is_generic else OTHERS.get(_stem(self.kind), "")

    def does_to_pieces(self, *, prefixes: bool) -> str:
        """Return what the class does otherwise than the .model of SentencePiece beside it, or "".

        ``prefixes`` tells whether the model puts a space before each text.
        """
        if self.is_generic:
            return ""
        kind = self.other_kind
        if kind and kind != OF_SENTENCEPIECE:
            return f"builds {kind}"
        if self.row:
            return "builds another kind of BPE"
        if _stem(self.kind) in OF_PIECES:
            return OF_PIECES[_stem(self.kind)]
        built = self.built(in_bytes=False)
        if built is None:
            return ""
        puts_space = bool(built["pre_tokenizer"])  # but not before a text that begins with a space
        text = " low" if prefixes and puts_space else "low"
        return f"reads a text such as {text!r} in another way" if prefixes or puts_space else ""

    def note_other(self, what: str) -> str:
        """Return a note that the class gives other ids than the file.

        ``what`` says what the class does, and begins with a verb.
        """
        return OnIds(
            f"the folder names {self.kind:.80}, which {what}: AutoTokenizer may give other ids; "
            "these are the file's"
        )

    def notes_on_around(self, around: Sequence = (), lacks: str = "the file doesn't") -> list[str]:
        """Return a note if the class puts other tokens around a text than `encode` does here.

        ``around`` are the tokens that the file puts there, as in `PublishedTokenizer`. If there are
        none, ``lacks`` is the reason, as a part of the note.
        """
        row = self.row or {}
        here = [[name for name, _ in side] for side in around]
        puts = row.get("puts")
        if "around" in row:
            theirs = [[name] if name else [] for name in self.around()]
            if here == theirs:
                return []
            names = " … ".join(chain(*theirs))
            puts = f"{names} around a text" if names else ""
        if puts is None:  # such a class puts what the file puts
            return []
        if here:
            puts = puts or "nothing around a text"
            put_here = " … ".join(" ".join(names) for names in here if names)
            lacks = f"the file puts {put_here} there"
        if not puts:
            return []
        differ = "may be others" if here else "are longer"
        so = f"so with add_special_tokens=True AutoTokenizer's ids {differ}"
        return [OnIds(f"{self.kind:.80} puts {puts}; {lacks}, {so}")]

    def notes_on_ranks(self) -> list[str]:
        """Return notes on what a known class does, but isn't done here with a file of ranks."""
        if self.row is None:
            return self.notes_on_names()
        notes = self.notes({"type": "Split"})
        around = [name for name in self.around() if name]
        if around:
            notes.append(OnIds(f"its class puts {' and '.join(around)} around a text: {LEFT_OUT}"))
        return notes

    def around(self) -> tuple[str | None, str | None]:
        """Return the names of the tokens that begin and end a text; None means no token."""
        row = self.row or {}
        first, last = row.get("around", (None, None))
        first = "bos_token" if self.adds.get("add_bos_token") else first
        last = "eos_token" if self.adds.get("add_eos_token") else last
        return self.roles.get(first), self.roles.get(last)


WRITES_ONE = "save_pretrained of transformers writes one"
HOW_TO_SPLIT = (
    f"give a tokenizer.json ({WRITES_ONE}), or how a text is split, if you know: a scheme such as "
    "'cl100k' or bpe_teach.Scheme('mine', '', pattern, bytes), in a shell --scheme cl100k or "
    "--pattern PATTERN"
)
MORE_THAN_SPLIT = (  # where a scheme would leave out a part of what the class does
    f"give a tokenizer.json ({WRITES_ONE}); a scheme that you give would only split a text"
)


def _pattern_of(row: dict) -> str:
    """Return the pattern of a class as Hugging Face's engine reads it."""
    name = row["pattern"]
    return in_oniguruma(SCHEMES[name]) if name in SCHEMES else PATTERNS[name]


def _stem(kind: str) -> str:
    """Return the part of a class's name by which `known.toml` knows it."""
    return kind.removesuffix("Fast").removesuffix("Tokenizer").lower()


def _differ(*kinds: Any) -> bool:
    """Return whether two classes are known to read a text in different ways."""
    one, two = (CLASSES.get(_stem(str(kind))) for kind in kinds)
    if one is None or two is None:
        return False
    return any(one.get(name) != two.get(name) for name in READS)


def read_beside(folder: str | os.PathLike[str]) -> Beside:
    """Read what the files of a folder say about its tokenizer; each file may be missing.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "Qwen2Tokenizer"}')
    >>> _ = (folder / "special_tokens_map.json").write_text('{"eos_token": "<|im_end|>"}')
    >>> beside = read_beside(folder)
    >>> beside.kind, beside.roles["eos_token"], beside.parts()["normalizer"]
    ('Qwen2Tokenizer', '<|im_end|>', {'type': 'NFC'})
    """
    beside = Beside(Path(folder))
    config, model = (_read(folder, name) for name in (CONFIG, MODEL_CONFIG))
    _read_class(beside, config, model)
    for option in ("add_bos_token", "add_eos_token", "add_prefix_space", "legacy"):
        if isinstance(config.get(option), bool):
            beside.adds[option] = config[option]
    described = _describe_roles(_read_roles(beside, config))
    _read_tokens(beside, config, described)
    for name in beside.special:
        if described.get(name) and name not in beside.tokens:
            beside.tokens[name] = describe_token(name, None, described[name], special=True)
    beside.special = list(dict.fromkeys(beside.special))
    return beside


def _read_class(beside: Beside, config: Mapping, model: Mapping) -> None:
    """Store in ``beside`` which class the files name: the tokenizer's, or else the model's.

    ``config`` and ``model`` are the contents of ``tokenizer_config.json`` and ``config.json``.
    """
    named = config.get("tokenizer_class")
    model_names = model.get("tokenizer_class") or model.get("model_type")
    kind = named or model_names
    beside.is_generic = kind in GENERIC
    beside.model = str(model.get("model_type") or "")
    if beside.is_generic:  # such a class says nothing about how a text is split
        kind = beside.model
        beside.is_generic = kind not in KNOWN["generic"]["models"]
    elif _differ(named, model_names):
        beside.other = str(model_names)
    beside.kind = str(kind or "")
    if beside.kind.removesuffix("Fast") in WITHOUT_CODE:
        beside.is_generic = True


def _read_roles(beside: Beside, config: Mapping) -> dict[str, Any]:
    """Store the special tokens and their roles in ``beside``.

    Return a table: role -> the name or the description of the token.
    """
    beside.roles = dict((beside.row or {}).get("roles", {}))
    values = dict(beside.roles)
    for file, source in ((SPECIAL, _read(beside.folder, SPECIAL)), (CONFIG, config)):
        for role, value in source.items():
            name = _name_of(value)
            if role in ROLES and name:
                if name != beside.roles.get(role) or not isinstance(value, str):
                    values[role] = value
                beside.roles[role] = name
                beside.told.add(name)
            elif role in LISTS:
                with errors_name(Path(beside.folder, file)):
                    names = _names_in(role, value)
                beside.special += names
                beside.told.update(names)
    beside.special += beside.roles.values()
    return values


def _read_tokens(beside: Beside, config: Mapping, described: Mapping[str, Mapping]) -> None:
    """Store the added tokens in ``beside``.

    ``described`` maps the name of each token that has a role to a description of the token.
    """
    for name, i in _read(beside.folder, ADDED).items():
        is_special = name in beside.special
        given = described.get(name, {})
        beside.tokens[name] = describe_token(name, i, given, special=is_special)
    beside.added = list(beside.tokens)
    with errors_name(Path(beside.folder, CONFIG)):
        table = config.get("added_tokens_decoder") or {}
        require(isinstance(table, Mapping), "added_tokens_decoder is not an object")
        if table:  # if so, the older file doesn't count
            beside.added = list(map(_name_of, table.values()))
        for i, given in table.items():
            name = _name_of(given)
            is_row = str(i).isdecimal() and name and isinstance(given, Mapping)
            require(is_row, f"added_tokens_decoder: {given!r:.80} is not an added token")
            is_special = given.get("special", name in beside.special)
            beside.tokens[name] = describe_token(name, int(i), given, special=is_special)


def _describe_roles(values: Mapping[str, Any]) -> dict[str, Mapping]:
    """Return name -> description for the tokens that have roles.

    If a token has several roles, the last one counts, as in transformers. A description that is
    only a name says that no flag is set: CLIP's files have such a pad_token, equal to eos_token.
    """
    described = {}
    for role in ROLES:
        value = values.get(role)
        if value is not None:
            described[_name_of(value)] = value if isinstance(value, Mapping) else {}
    return described


def _read(folder: str | os.PathLike[str], name: str) -> dict:
    """Return the contents of a file in a folder; they are empty if there is no such file."""
    path = Path(folder, name)
    if not path.is_file():
        return {}
    with errors_name(path):
        data = kinds.read_json_file(kinds.read_file(path))
        require(isinstance(data, dict), f"it is {kinds.name_value(data)}, not an object")
    return data


def _name_of(value: Any) -> str:
    """Return the name of a token that is written as a text or as an object, or ""."""
    name = value.get("content") if isinstance(value, Mapping) else value
    return name if isinstance(name, str) else ""


def _names_in(role: str, value: Any) -> list[str]:
    """Return the names of the special tokens without roles that a list or an object holds."""
    if isinstance(value, Mapping):
        value = list(value.values())
    require(isinstance(value, list | None), f"{role} is not a list of tokens: {value!r:.80}")
    return [name for name in map(_name_of, value or []) if name]


def describe_token(name: str, i: int | None, given: Mapping, *, special: bool) -> dict:
    """Return an added token in the form of a tokenizer.json.

    ``i`` is the id, or None if no file gives one. ``given`` holds the flags that a file sets.
    """
    flags = {flag: given.get(flag) is True for flag in FLAGS}
    normalized = given.get("normalized", not special)
    return {"content": name, "id": i, "special": special, "normalized": normalized is True} | flags
