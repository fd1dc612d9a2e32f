"""Folder: read what the files beside a vocabulary say about it.

A vocab.json with its merges.txt, or a file of ranks, says neither how a text is split nor which
tokens are special. But the files beside the vocabulary may say so. ``tokenizer_config.json`` or
``config.json`` names a class, and ``known.toml`` lists the parts of this class.
``added_tokens.json`` and ``special_tokens_map.json`` name tokens and their roles; one role, for
example, is to begin a text.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bpe_further.exchange import kinds
from bpe_further.exchange.file import FLAGS
from bpe_further.exchange.schemes import PublishedScheme, in_oniguruma
from bpe_further.exchange.shared import KNOWN, OnIds, require
from bpe_teach.files import errors_name
from bpe_teach.schemes import SCHEMES, Scheme

CONFIG, MODEL_CONFIG = "tokenizer_config.json", "config.json"
ADDED, SPECIAL = "added_tokens.json", "special_tokens_map.json"
ROLES = [f"{role}_token" for role in ("bos", "eos", "unk", "sep", "pad", "cls", "mask")]
LISTS = ("additional_special_tokens", "extra_special_tokens")  # of special tokens without a role
IN_BYTES = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
CLASSES = {name: row for row in KNOWN["classes"] for name in row["names"]}
PATTERNS = KNOWN["complete"] | KNOWN["patterns"]


@dataclass
class Beside:
    """The information that a folder's files give in addition to the vocabulary."""

    folder: Path
    kind: str = ""  # the class of the tokenizer, or the type of the model
    adds: dict[str, bool] = field(default_factory=dict)  # option of the class -> its value
    roles: dict[str, str] = field(default_factory=dict)  # bos_token, … -> name of the token
    special: list[str] = field(default_factory=list)  # names of all special tokens
    told: set[str] = field(default_factory=set)  # names that stand in a file of the folder
    tokens: dict[str, dict] = field(
        default_factory=dict
    )  # name -> token as a tokenizer.json has it

    @property
    def row(self) -> dict | None:
        """The row of `known.toml` for the class, or None if there is no row or no class."""
        return CLASSES.get(_stem(self.kind))

    def require_row(self) -> dict | None:
        """Return the row of the class, or None if no class is named.

        Raises ValueError if a class is named but isn't known.
        """
        if not self.kind:
            return None
        if self.row is None:
            raise ValueError(
                f"{self.folder}: its tokenizer is a {self.kind!r:.80}, and how that splits a text "
                f"isn't known here; {HOW_TO_SPLIT}"
            )
        return self.row

    def scheme(self) -> Scheme | None:
        """Return the class's scheme for ranks, or None if the folder names no class."""
        row = self.require_row()
        if row is None:
            return None
        require(
            "normalizer" not in row and "pre_tokenizer" not in row,
            f"{self.folder}: its class {self.kind} does more to a text than split it by a pattern, "
            f"which isn't known for ranks; {HOW_TO_SPLIT}",
        )
        pattern = row.get("pattern", "gpt2")
        if pattern in SCHEMES:
            return SCHEMES[pattern]
        return PublishedScheme(_stem(self.kind), pattern, PATTERNS[pattern], bytes)

    def parts(self) -> dict:
        """Return the parts of a tokenizer.json that the class stands for."""
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

    def notes(self, pre_tokenizer: dict) -> list[str]:
        """Return notes on what the class does, or does if asked, and what we don't do."""
        notes = []
        if self.adds.get("add_prefix_space") and pre_tokenizer["type"] != "ByteLevel":
            what = f"{CONFIG} has add_prefix_space, which isn't known of its class"
            notes.append(OnIds(f"{what}: no space is put before a text"))
        if "puts" in (self.row or {}):
            notes.append(OnIds(f"its class puts {self.row['puts']}: left out"))
        return notes

    def around(self) -> tuple[str | None, str | None]:
        """Return the names of the tokens that begin and end a text."""
        row = self.row or {}
        first, last = row.get("around", (None, None))
        first = "bos_token" if self.adds.get("add_bos_token") else first
        last = "eos_token" if self.adds.get("add_eos_token") else last
        return self.roles.get(first), self.roles.get(last)


HOW_TO_SPLIT = (
    "give a tokenizer.json (tokenizer.save writes one), or how a text is split, if you know: a "
    "scheme such as 'cl100k' or bpe_teach.Scheme('mine', '', pattern, bytes), in a shell --scheme "
    "cl100k or --pattern PATTERN"
)


def _pattern_of(row: dict) -> str:
    """Return the pattern of a class as Hugging Face's engine reads it."""
    name = row["pattern"]
    return in_oniguruma(SCHEMES[name]) if name in SCHEMES else PATTERNS[name]


def _stem(kind: str) -> str:
    """Return the part of a class's name by which `known.toml` knows it."""
    return kind.removesuffix("Fast").removesuffix("Tokenizer").lower()


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
    kind = config.get("tokenizer_class") or model.get("tokenizer_class") or model.get("model_type")
    generic = ("PreTrainedTokenizer", "PreTrainedTokenizerFast", "TokenizersBackend")
    if kind in generic:  # such a class says nothing about how a text is split
        kind = model.get("model_type")
    beside.kind = str(kind or "")
    for option in ("add_bos_token", "add_eos_token", "add_prefix_space"):
        if isinstance(config.get(option), bool):
            beside.adds[option] = config[option]
    beside.roles = dict((beside.row or {}).get("roles", {}))
    described = {}  # name -> its description, where a file has one
    for source in (_read(folder, SPECIAL), config):
        for role, value in source.items():
            if role in ROLES:
                name = _name_of(value)
                if name:
                    beside.roles[role] = name
                    beside.told.add(name)
                    described |= {name: value} if isinstance(value, dict) else {}
            elif role in LISTS:
                values = value.values() if isinstance(value, dict) else value or []
                beside.special += [name for name in map(_name_of, values) if name]
                beside.told.update(beside.special)
    beside.special += beside.roles.values()
    with errors_name(Path(folder, ADDED)):
        for name, i in _read(folder, ADDED).items():
            is_special = name in beside.special
            given = described.get(name, {})
            beside.tokens[name] = describe_token(name, i, given, special=is_special)
    with errors_name(Path(folder, CONFIG)):
        table = config.get("added_tokens_decoder") or {}
        require(isinstance(table, Mapping), "added_tokens_decoder is not an object")
        for i, given in table.items():
            name = _name_of(given)
            is_row = str(i).isdecimal() and name and isinstance(given, Mapping)
            require(is_row, f"added_tokens_decoder: {given!r:.80} is not an added token")
            is_special = given.get("special", name in beside.special)
            beside.tokens[name] = describe_token(name, int(i), given, special=is_special)
    for name in beside.special:
        if name in described and name not in beside.tokens:
            beside.tokens[name] = describe_token(name, None, described[name], special=True)
    beside.special = list(dict.fromkeys(beside.special))
    return beside


def _read(folder: str | os.PathLike[str], name: str) -> dict:
    """Return the contents of a file in a folder; they are empty if there is no such file."""
    path = Path(folder, name)
    if not path.is_file():
        return {}
    with errors_name(path):
        data = kinds.read_json_file(kinds.read_file(path))
        require(isinstance(data, dict), f"it is a {type(data).__name__}, not an object")
    return data


def _name_of(value: Any) -> str:
    """Return the name of a token that is written as a text or as an object."""
    name = value.get("content") if isinstance(value, Mapping) else value
    return name if isinstance(name, str) else ""


def describe_token(name: str, i: int | None, given: Mapping, *, special: bool) -> dict:
    """Return an added token in the form of a tokenizer.json."""
    flags = {flag: given.get(flag) is True for flag in FLAGS}
    normalized = given.get("normalized", not special)
    return {"content": name, "id": i, "special": special, "normalized": normalized is True} | flags
