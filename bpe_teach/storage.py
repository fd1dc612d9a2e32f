"""Storage: the file of a tokenizer, readable by people, and nothing in it is ever executed.

The file is JSON. A merge is written as [id of left, id of right, count, spelling]: the ids make
it exact even where two symbols are spelled alike, the spelling is for the reader's eye.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from bpe_teach.files import naming_file, write_whole
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import SCHEMES, Scheme, check_text
from bpe_teach.symbols import spell

FORMAT, VERSION = "bpe_teach tokenizer", 1


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
    ids = {}  # symbol -> id; of two ids of one symbol the lower
    for i, symbol in enumerate([*alphabet, *(merge.token for merge in merges)]):
        ids.setdefault(symbol, i)
    if scheme.units is bytes:
        alphabet = [symbol[0] for symbol in alphabet]
    fields = {
        "format": FORMAT,
        "version": VERSION,
        "scheme": scheme.name,
        "stopped": stopped,
        "special_tokens": list(special_tokens),
        "unk_token": unk_token,
        "alphabet": alphabet,
    }
    lines = [f"{_json(name)}: {_json(value)}" for name, value in fields.items()]
    rows = []
    for merge in merges:
        row = [ids[merge.left], ids[merge.right], merge.count, spell(merge.token)]
        rows.append(f"\n  {_json(row)}")
    lines.append(f'"merges": [{",".join(rows)}\n ]')
    content = "{\n " + ",\n ".join(lines) + "\n}\n"
    write_whole(path, content.encode("utf-8"))


def _json(value) -> str:
    return json.dumps(value, ensure_ascii=False)


def read_tokenizer(path: str | os.PathLike) -> dict:
    """Read what `write_tokenizer` wrote: the parts by name, as `Tokenizer` takes them.

    Raises ValueError, with the file and the fault, if it is something else. Whether the parts fit
    each other is for `Tokenizer` to say.
    """
    with naming_file(path):
        data = json.loads(Path(path).read_text("utf-8"))
        require(isinstance(data, dict) and data.get("format") == FORMAT, f"no format {FORMAT!r}")
        version = data.get("version")
        known = type(version) is int and version == VERSION
        require(known, f"version {version!r:.80} is not {VERSION}")
        name = data.get("scheme")
        require(isinstance(name, str) and name in SCHEMES, f"unknown scheme {name!r:.80}")
        scheme = SCHEMES[name]
        alphabet = [_first_symbol(item, scheme) for item in field(data, "alphabet", list)]
        stopped = data.get("stopped", "")
        check_text(stopped)
        return {
            "scheme": scheme,
            "alphabet": alphabet,
            "merges": _merges(field(data, "merges", list), alphabet),
            "special_tokens": field(data, "special_tokens", list),
            "unk_token": data.get("unk_token"),
            "stopped": stopped,
        }


def _first_symbol(item, scheme: Scheme) -> Symbol:
    """Turn one entry of the alphabet into a symbol."""
    if scheme.units is bytes:
        require(type(item) is int and 0 <= item < 256, f"the alphabet holds {item!r:.80}: no byte")
        return bytes([item])
    if scheme.marker and item == str(scheme.marker):
        return scheme.marker  # which is not plain text
    if scheme.marks_last and isinstance(item, str) and len(item) == 1 + len(scheme.marker):
        character = item.removesuffix(scheme.marker)
        require(len(character) == 1, f"the alphabet holds {item!r:.80}: not a character")
        return character + scheme.marker
    is_character = isinstance(item, str) and len(item) == 1
    require(is_character, f"the alphabet holds {item!r:.80}: not a character")
    return item


def _merges(rows: list, alphabet: list[Symbol]) -> list[Merge]:
    """Turn rows of ids into merges of the symbols made so far."""
    symbols = list(alphabet)  # id -> symbol
    merges = []
    for rank, row in enumerate(rows):
        is_row = isinstance(row, list) and [type(item) for item in row] == [int, int, int, str]
        require(is_row, f"merge {rank} is not [id, id, count, spelling]: {row!r:.80}")
        left, right, count, spelling = row
        for i in (left, right):
            is_made = 0 <= i < len(symbols)
            require(is_made, f"merge {rank} names id {i}: only {len(symbols)} are made yet")
        require(count >= 0, f"merge {rank} has the count {count}")
        merge = Merge(symbols[left], symbols[right], count)
        token = merge.token
        require(spell(token) == spelling, f"merge {rank} makes {token!r:.80}, not {spelling!r:.80}")
        symbols.append(token)
        merges.append(merge)
    return merges


def field(data, name: str, kind: type):
    """Return a field of a JSON object; ValueError if it is missing or of another kind.

    >>> field({"merges": []}, "merges", list)
    []
    """
    value = data.get(name) if isinstance(data, dict) else None
    require(isinstance(value, kind), f"{name!r} is missing or not a {kind.__name__}")
    return value


def require(condition: bool, fault: str) -> None:
    """Raise ValueError with the fault unless the condition holds."""
    if not condition:
        raise ValueError(fault)
