"""Storage: the file of a tokenizer, readable by people. Nothing in it is ever executed.

The file is JSON. A merge is written as [id of left, id of right, count, spelling]: the ids make
it exact even where two symbols are spelled alike; the spelling is for the reader's eye.

A file may come from a stranger, so every field is checked, here or by `Tokenizer`. `Tokenizer.save`
chooses the fields. The file of a tokenizer that others published has more of them, and version 2:
see exchange/published.py.
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
    """Write fields to a JSON file, each on a line; then tables, each of their rows on a line."""
    lines = []  # put together by hand: json.dumps writes one line in all, or one per number
    for name, value in ({"format": FORMAT} | fields).items():
        lines.append(f"{_json(name)}: {_json(value)}")
    for name, table in tables.items():
        rows = ",".join(f"\n  {_json(row)}" for row in table)
        lines.append(f"{_json(name)}: [{rows}\n ]")
    content = "{\n " + ",\n ".join(lines) + "\n}\n"
    write_whole(path, content.encode("utf-8"))


def _json(value) -> str:
    return json.dumps(value, ensure_ascii=False)  # é stays é, for whoever reads the file


def merge_rows(merges: Iterable[Merge], ids: Mapping[Symbol, int]) -> list[list]:
    """Return the row of each merge."""
    return [[ids[m.left], ids[m.right], m.count, spell(m.token)] for m in merges]


def read_fields(path: str | os.PathLike) -> dict:
    """Return the fields of a tokenizer's file; ValueError if it is a file of another kind."""
    try:
        data = json.loads(Path(path).read_text("utf-8"))
    except (ValueError, RecursionError) as error:  # brackets nested too deep are a RecursionError
        raise ValueError(f"this is no tokenizer; Tokenizer.save writes one ({error})") from None
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
        raise ValueError(f"its version is neither 1 nor 2 but {data.get('version')!r:.80}")
    scheme = find_scheme(field(data, "scheme", str))
    alphabet = [read_symbol(item, scheme) for item in field(data, "alphabet", list)]
    return {
        "scheme": scheme,
        "alphabet": alphabet,
        "merges": read_merges(field(data, "merges", list), dict(enumerate(alphabet))),
        "special_tokens": field(data, "special_tokens", list),
        "unk_token": data.get("unk_token"),  # the first files had neither this
        "stopped": data.get("stopped", ""),  # nor this
    }


def read_symbol(item: int | str, scheme: Scheme) -> Symbol:
    """Read an entry of the alphabet: a number stands for a byte, a text for a character.

    >>> from bpe_teach.schemes import SCHEMES
    >>> read_symbol(108, SCHEMES["gpt2"]), read_symbol("</w>", SCHEMES["end_of_word"])
    (b'l', '</w>')
    """
    if scheme.units is bytes and type(item) is int and 0 <= item < 256:  # True is no int here
        return bytes([item])
    if scheme.units is str and isinstance(item, str) and item:
        # A word of two such characters has every symbol that one can become: of "ww" these are
        # w, w and </w>, or w and w</w> if the last character carries the marker.
        for symbol in scheme.symbols(2 * item[0]):
            if item == str(symbol):  # str: a word end never equals plain text
                return symbol
    raise ValueError(f"the alphabet holds {item!r:.80}, which no word of the scheme is made of")


def read_merges(rows: list, symbols: dict[int, Symbol], *, grow: bool = True) -> Iterator[Merge]:
    """Yield the merges of a file, one for each row; ``symbols`` says which id is which.

    The symbol that a merge makes gets the next id in ``symbols``, unless ``grow`` is false: the ids
    of published tokenizers are known before.

    >>> list(read_merges([[0, 1, 5, "lo"], [2, 0, 3, "lol"]], {0: "l", 1: "o"}))
    [Merge(left='l', right='o', count=5), Merge(left='lo', right='l', count=3)]
    """
    for rank, row in enumerate(rows):
        if not isinstance(row, list) or [type(item) for item in row] != [int, int, int, str]:
            raise ValueError(f"merge {rank} is not [id, id, count, spelling]: {row!r:.80}")
        left, right, count, spelling = row  # left and right are ids
        for i in (left, right):
            if i not in symbols:  # a merge can only use what is there before it
                raise ValueError(f"merge {rank} names id {i}, which no token has before it")
        merge = Merge(symbols[left], symbols[right], count)
        if count < 0:  # 0 is right: the lists of other programs have no counts
            raise ValueError(f"merge {rank} has the count {count}")
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
