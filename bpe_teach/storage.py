"""Storage: the file of a tokenizer, readable by people. Nothing in it is ever executed.

The file is JSON. A merge is written as [id of left, id of right, count, spelling]. The ids are
needed because two symbols can have the same spelling; the spelling is for people who read the file.

A file may come from a stranger, so every field is checked, by this module or by `Tokenizer`.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from bpe_teach.files import write_whole
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import Scheme, find_scheme
from bpe_teach.symbols import WordEnd, spell

FORMAT = "bpe_teach tokenizer"


def write_fields(path: str | os.PathLike, fields: Mapping, tables: Mapping[str, list]) -> None:
    """Write a JSON file: each field on a line of its own, then each row of each table."""
    lines = []  # made by hand: json.dumps writes one line, or a line for each number
    for name, value in ({"format": FORMAT} | fields).items():
        lines.append(f"{_json(name)}: {_json(value)}")
    for name, table in tables.items():
        rows = ",".join(f"\n  {_json(row)}" for row in table)
        lines.append(f"{_json(name)}: [{rows}\n ]")
    content = "{\n " + ",\n ".join(lines) + "\n}\n"
    write_whole(path, content.encode("utf-8"))


def _json(value) -> str:
    return json.dumps(value, ensure_ascii=False)  # é stays é, for people who read the file


def merge_rows(merges: Iterable[Merge], ids: Mapping[Symbol, int]) -> list[list]:
    """Return a row of the file for each merge."""
    return [[ids[m.left], ids[m.right], m.count, spell(m.token)] for m in merges]


def read_fields(path: str | os.PathLike) -> dict:
    """Return the fields of a tokenizer's file; raise ValueError for any other kind of file."""
    try:
        data = json.loads(Path(path).read_text("utf-8"))
    except (ValueError, RecursionError) as error:  # brackets nested too deep raise the second
        raise ValueError(f"not a tokenizer file ({error}); Tokenizer.save writes one") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}; bpe_further.load_tokenizer reads others")
    return data


def read_parts(data: dict) -> dict:
    """Return the parts of a `Tokenizer`, by name, from the fields of its file."""
    if data.get("version") != 1:
        raise ValueError("its version is not 1; bpe_further.PublishedTokenizer.load reads others")
    scheme = find_scheme(field(data, "scheme", str))
    alphabet = [read_symbol(item, scheme) for item in field(data, "alphabet", list)]
    symbols = dict(enumerate(alphabet))  # id -> symbol
    merges = []
    for rank, row in enumerate(field(data, "merges", list)):
        merges.append(read_merge(rank, row, symbols))
        symbols[len(symbols)] = merges[-1].token  # the new token gets the next id
    return {
        "scheme": scheme,
        "alphabet": alphabet,
        "merges": merges,
        "special_tokens": field(data, "special_tokens", list),
        "unk_token": data.get("unk_token"),
        "stopped": data.get("stopped", ""),
    }


def read_symbol(item: int | str, scheme: Scheme) -> Symbol:
    """Return the symbol for an entry of the alphabet: a number means a byte, a text means itself.

    >>> from bpe_teach.schemes import SCHEMES
    >>> read_symbol(108, SCHEMES["gpt2"]), read_symbol("</w>", SCHEMES["end_of_word"])
    (b'l', WordEnd('</w>'))
    """
    is_number = type(item) is int  # True is a kind of int, but not of this type
    if scheme.units is bytes and is_number and 0 <= item < 256:
        return bytes([item])
    if scheme.units is str and isinstance(item, str):
        if len(item) == 1:
            return item
        before = 1 if scheme.marks_last else 0  # number of characters before the marker
        if scheme.marker and item[before:] == str(scheme.marker):
            return WordEnd(item)
    raise ValueError(f"the alphabet holds {item!r:.80}, which isn't a symbol of {scheme.name!r}")


def read_merge(rank: int, row: list, symbols: Mapping[int, Symbol]) -> Merge:
    """Return the merge that a row of the file describes.

    ``symbols`` maps each id that has been read so far to its symbol.

    >>> read_merge(0, [0, 1, 5, "lo"], {0: "l", 1: "o"})
    Merge(left='l', right='o', count=5)
    """
    if not isinstance(row, list) or [type(item) for item in row] != [int, int, int, str]:
        raise ValueError(f"merge {rank} must be [id, id, count, spelling], not {row!r:.80}")
    left, right, count, spelling = row  # left and right are ids
    for i in (left, right):
        if i not in symbols:  # a merge can use only earlier symbols
            raise ValueError(f"merge {rank} uses id {i}, which no earlier token has")
    merge = Merge(symbols[left], symbols[right], count)
    if count < 0:  # 0 is allowed: other programs store no counts
        raise ValueError(f"the count of merge {rank} must be 0 or more, not {count}")
    if spelling != spell(merge.token):  # somebody has edited the row
        raise ValueError(f"merge {rank} makes {merge.token!r:.80}, not {spelling!r:.80}")
    return merge


def field(data: dict, name: str, kind):  # a type, or several, as in list | dict
    """Return a field of a JSON object; raise ValueError if it is missing or of a different kind."""
    if not isinstance(data.get(name), kind):
        raise ValueError(f"{name!r} is missing or not a {getattr(kind, '__name__', kind)}")
    return data[name]
