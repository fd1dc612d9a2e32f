"""Storage: the file of a tokenizer, readable by people. Nothing in it is ever executed.

The file is JSON. A merge is written as [id of left, id of right, count, spelling]: ids,
because two symbols can have the same spelling; the spelling is for people who read the file.

A file may come from a stranger, so every field is checked, here or by `Tokenizer`. `Tokenizer.save`
chooses the fields. The file of a published tokenizer has more fields, and version 2: see
exchange/published.py.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from bpe_teach.fast.files import write_whole
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import Scheme, find_scheme
from bpe_teach.symbols import spell

FORMAT = "bpe_teach tokenizer"


def write_fields(path: str | os.PathLike, fields: Mapping, tables: Mapping[str, list]) -> None:
    """Write a JSON file: each field on a line, then each row of each table on a line."""
    lines = []  # by hand: json.dumps writes all on one line, or a line per number
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
    """Return the fields of a tokenizer's file; ValueError if it is a file of another kind."""
    try:
        data = json.loads(Path(path).read_text("utf-8"))
    except (ValueError, RecursionError) as error:  # brackets nested too deep raise the second
        raise ValueError(f"not a tokenizer file ({error}); Tokenizer.save writes one") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}; bpe_teach.load_tokenizer reads others")
    return data


def read_version_1(data: dict) -> dict:
    """Return the parts of a `Tokenizer`, by name, from the fields of its file."""
    if data.get("version") == 2:
        raise ValueError(
            "this tokenizer has ids or a scheme of its own; read it with "
            "bpe_teach.PublishedTokenizer.load or bpe_teach.load_tokenizer"
        )
    if data.get("version") != 1:
        raise ValueError(f"version must be 1 or 2, not {data.get('version')!r:.80}")
    scheme = find_scheme(field(data, "scheme", str))
    alphabet = [read_symbol(item, scheme) for item in field(data, "alphabet", list)]
    return {
        "scheme": scheme,
        "alphabet": alphabet,
        "merges": read_merges(field(data, "merges", list), dict(enumerate(alphabet))),
        "special_tokens": field(data, "special_tokens", list),
        "unk_token": data.get("unk_token"),  # the first files had neither this …
        "stopped": data.get("stopped", ""),  # … nor this
    }


def read_symbol(item: int | str, scheme: Scheme) -> Symbol:
    """Return the symbol of an entry of the alphabet: a number is a byte, a text a character.

    >>> from bpe_teach.schemes import SCHEMES
    >>> read_symbol(108, SCHEMES["gpt2"]), read_symbol("</w>", SCHEMES["end_of_word"])
    (b'l', '</w>')
    """
    if scheme.units is bytes and type(item) is int and 0 <= item < 256:  # True is no int here
        return bytes([item])
    if scheme.units is str and isinstance(item, str) and item:
        # The symbols of this character doubled are all that it can become: "ww" has w and </w>,
        # or w and w</w> if the last character carries the marker.
        for symbol in scheme.symbols(2 * item[0]):
            if item == str(symbol):  # str: a word end never equals plain text
                return symbol
    raise ValueError(f"the alphabet holds {item!r:.80}, which is no symbol of {scheme.name!r}")


def read_merges(rows: list, symbols: dict[int, Symbol], *, grow: bool = True) -> Iterator[Merge]:
    """Yield the merge of each row of a file; ``symbols`` maps each id to its symbol.

    The symbol that a merge makes gets the next id in ``symbols``, unless ``grow`` is false:
    published tokenizers come with all their ids.

    >>> list(read_merges([[0, 1, 5, "lo"], [2, 0, 3, "lol"]], {0: "l", 1: "o"}))
    [Merge(left='l', right='o', count=5), Merge(left='lo', right='l', count=3)]
    """
    for rank, row in enumerate(rows):
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
        yield merge
        if grow:
            symbols[len(symbols)] = merge.token


def field(data: dict, name: str, kind: type):
    """Return a field of a JSON object; ValueError if it is missing or of another kind."""
    if not isinstance(data.get(name), kind):
        raise ValueError(f"{name!r} is missing or not a {kind.__name__}")
    return data[name]
