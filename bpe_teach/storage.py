"""Storage: what a tokenizer is made of, checked; written to one readable file and read back.

The file is JSON. A merge is written as [id of left, id of right, count, spelling]: the ids make
it exact even where two symbols are spelled alike, the spelling is for the reader's eye.
"""

import json
import os
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import SCHEMES, Scheme, check_text
from bpe_teach.symbols import spell

FORMAT, VERSION = "bpe_teach tokenizer", 1


def check_special(special_tokens: Collection[str], unk_token: str | None = None) -> list[str]:
    """Return the special tokens as a list, the unknown token among them; ValueError if unfit."""
    if isinstance(special_tokens, str):
        raise ValueError(f"special_tokens must be a list of texts, not the text {special_tokens!r}")
    names = list(special_tokens)
    if unk_token is not None and unk_token not in names:
        names.append(unk_token)
    for name in names:
        check_text(name)
    if "" in names or len(set(names)) < len(names):
        raise ValueError(f"special tokens must be different and not empty: {names}")
    return names


def check_parts(scheme: Scheme, alphabet: list[Symbol], merges: list[Merge]) -> None:
    """Raise ValueError unless every merge joins two symbols that are there before it."""
    known = set(alphabet)
    if len(known) < len(alphabet):
        raise ValueError("the alphabet names a symbol twice")
    if wrong := [symbol for symbol in alphabet if not isinstance(symbol, scheme.units)]:
        raise ValueError(f"the alphabet of {scheme.name!r} cannot hold {wrong[0]!r}")
    if scheme.units is str:
        check_text("".join(alphabet))
    elif known != set(scheme.alphabet([])):
        raise ValueError(f"the alphabet of {scheme.name!r} must be the 256 bytes")
    seen = set()
    for rank, merge in enumerate(merges):
        pair = merge.pair
        for part in pair:
            if part not in known:
                raise ValueError(f"merge {rank} joins {part!r}, which no earlier merge makes")
        if pair in seen:
            raise ValueError(f"merge {rank} joins {pair!r}, which an earlier one joined")
        seen.add(pair)
        known.add(merge.token)


def write_tokenizer(
    path: str | os.PathLike,
    scheme: Scheme,
    alphabet: list[Symbol],
    merges: list[Merge],
    special_tokens: Iterable[str],
    unk_token: str | None,
    stopped: str,
) -> None:
    """Write the parts of a tokenizer to a file, one merge a line."""
    if SCHEMES.get(scheme.name) != scheme:
        raise ValueError(f"scheme {scheme.name!r} is not in SCHEMES, so no file could name it")
    ids = {}  # symbol -> id, the lowest where two are the same
    for i, symbol in enumerate([*alphabet, *(merge.token for merge in merges)]):
        ids.setdefault(symbol, i)
    whole_bytes = scheme.units is bytes
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "scheme": scheme.name,
        "stopped": stopped,
        "special_tokens": list(special_tokens),
        "unk_token": unk_token,
        "alphabet": [symbol[0] if whole_bytes else symbol for symbol in alphabet],
    }
    lines = [f"{_json(name)}: {_json(value)}" for name, value in fields.items()]
    rows = [_json([ids[m.left], ids[m.right], m.count, spell(m.token)]) for m in merges]
    lines.append('"merges": [' + ",".join(f"\n  {row}" for row in rows) + "\n ]")
    write_whole(Path(path), ("{\n " + ",\n ".join(lines) + "\n}\n").encode("utf-8"))


def _json(value) -> str:
    return json.dumps(value, ensure_ascii=False)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file as a whole or not at all: beside its place first, then moved there."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(draft, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def read_tokenizer(path: str | os.PathLike, build: Callable):
    """Read the parts of a tokenizer and build it from them; nothing is executed.

    Raises ValueError, with the file and the fault, if it is not what `write_tokenizer` writes.
    """
    try:
        return build(**_parts(json.loads(Path(path).read_text("utf-8"))))
    except (ValueError, RecursionError) as error:  # broken JSON and broken UTF-8 are ValueErrors
        raise ValueError(f"{os.fspath(path)} is no tokenizer file: {error}") from error


def _parts(data) -> dict:
    """Turn what the file says into symbols and merges."""
    need(isinstance(data, dict) and data.get("format") == FORMAT, f"no format {FORMAT!r}")
    version = data.get("version")
    need(type(version) is int and version == VERSION, f"version {version!r} is not {VERSION}")
    name = data.get("scheme")
    need(isinstance(name, str) and name in SCHEMES, f"unknown scheme {name!r}")
    scheme = SCHEMES[name]
    alphabet = _list(data, "alphabet")
    for item in alphabet:
        need(_is_first_symbol(item, scheme), f"the alphabet holds {item!r}")
    alphabet = [_first_symbol(item, scheme) for item in alphabet]
    symbols, merges = alphabet.copy(), []
    for rank, row in enumerate(_list(data, "merges")):
        merges.append(_merge(rank, row, symbols))
        symbols.append(merges[-1].token)
    stopped, unk_token = data.get("stopped", ""), data.get("unk_token")
    check_text(stopped)
    need(unk_token is None or isinstance(unk_token, str), "unk_token is no text")
    return {
        "scheme": scheme,
        "alphabet": alphabet,
        "merges": merges,
        "special_tokens": _list(data, "special_tokens"),
        "unk_token": unk_token,
        "stopped": stopped,
    }


def _is_first_symbol(item, scheme: Scheme) -> bool:
    if scheme.units is bytes:
        return type(item) is int and 0 <= item < 256
    return isinstance(item, str) and (len(item) == 1 or item == str(scheme.marker) != "")


def _first_symbol(item: int | str, scheme: Scheme) -> Symbol:
    if scheme.units is bytes:
        return bytes([item])
    return scheme.marker if item == str(scheme.marker) else item  # the marker is no plain text


def _merge(rank: int, row, symbols: list[Symbol]) -> Merge:
    """Turn one row of the file into a merge of the symbols made so far."""
    whole = isinstance(row, list) and [type(item) for item in row] == [int, int, int, str]
    need(whole, f"merge {rank} is not [id, id, count, spelling]: {row!r:.80}")
    left, right, count, spelling = row
    for i in (left, right):
        need(0 <= i < len(symbols), f"merge {rank} names id {i}: only {len(symbols)} are made yet")
    need(count >= 0, f"merge {rank} has the count {count}")
    merge = Merge(symbols[left], symbols[right], count)
    need(spell(merge.token) == spelling, f"merge {rank} makes {merge.token!r}, not {spelling!r}")
    return merge


def _list(data: dict, name: str) -> list:
    need(isinstance(data.get(name), list), f"{name} is missing or no list")
    return data[name]


def need(condition: bool, fault: str) -> None:
    """Raise ValueError with the fault unless the condition holds."""
    if not condition:
        raise ValueError(fault)
