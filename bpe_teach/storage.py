"""Storage: the file of a tokenizer, readable by people. Nothing in it is ever executed.

The file is JSON. A merge is written as [id of left, id of right, count, spelling]: the ids make
it exact even where two symbols are spelled alike; the spelling is for the reader's eye.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import Scheme, check_text, find_scheme
from bpe_teach.symbols import spell

FORMAT = "bpe_teach tokenizer"


def write_whole(path: str | os.PathLike, content: bytes) -> None:
    """Write a file as a whole or not at all: beside its place first, then moved there."""
    path = Path(path)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with open(draft, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as error:
        error.filename = os.fspath(path)  # the name that the user knows
        raise
    finally:
        draft.unlink(missing_ok=True)


def write_tokenizer(path: str | os.PathLike, fields: Mapping, rows: Mapping[str, list]) -> None:
    """Write fields to a JSON file, each on a line, and after them ``rows``, each row on a line.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "low.json")
    >>> write_tokenizer(path, {"version": 1}, {"merges": [[0, 1, 2, "lo"]]})
    >>> print(path.read_text(), end="")
    {
     "format": "bpe_teach tokenizer",
     "version": 1,
     "merges": [
      [0, 1, 2, "lo"]
     ]
    }
    """
    lines = [
        f"{_json(name)}: {_json(value)}" for name, value in ({"format": FORMAT} | fields).items()
    ]
    for name, items in rows.items():
        inside = ",".join(f"\n  {_json(item)}" for item in items)
        lines.append(f"{_json(name)}: [{inside}\n ]")
    content = "{\n " + ",\n ".join(lines) + "\n}\n"
    write_whole(path, content.encode("utf-8"))


def _json(value) -> str:
    return json.dumps(value, ensure_ascii=False)


def merge_rows(merges: list[Merge], ids: Mapping[Symbol, int]) -> list[list]:
    """Return a row of the file for each merge: the ids of its two symbols, count, spelling."""
    return [[ids[m.left], ids[m.right], m.count, spell(m.token)] for m in merges]


def read_fields(path: str | os.PathLike) -> dict:
    """Read the fields of a tokenizer's file; ValueError if it is a file of another kind."""
    try:
        data = json.loads(Path(path).read_text("utf-8"))
    except (ValueError, RecursionError) as error:  # RecursionError: brackets nested too deep
        raise ValueError(f"this is no tokenizer; Tokenizer.save writes one: {error}") from None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ValueError(f"its format is not {FORMAT!r}; Tokenizer.save writes that")
    return data


def read_version_1(data: dict) -> dict:
    """Turn the fields of a file into the parts that a `Tokenizer` is put together from."""
    if data.get("version") == 2:
        raise ValueError(
            "this tokenizer has ids or a scheme of its own; read it with "
            "PublishedTokenizer.load or bpe_teach.load_tokenizer"
        )
    if data.get("version") != 1:
        raise ValueError(f"version {data.get('version')!r:.80} is neither 1 nor 2")
    scheme = find_scheme(field(data, "scheme", str))
    alphabet = [read_symbol(item, scheme) for item in field(data, "alphabet", list)]
    return {
        "scheme": scheme,
        "alphabet": alphabet,
        "merges": read_merges(field(data, "merges", list), dict(enumerate(alphabet))),
        "special_tokens": field(data, "special_tokens", list),
        **read_options(data),
    }


def read_options(data: dict) -> dict:
    """Read the two fields that early files do not have."""
    unk_token, stopped = data.get("unk_token"), data.get("stopped", "")
    check_text(stopped)
    return {"unk_token": unk_token, "stopped": stopped}


def read_symbol(item: int | str, scheme: Scheme) -> Symbol:
    """Read an entry of the alphabet: a number stands for a byte, a text for a character.

    >>> from bpe_teach.schemes import SCHEMES
    >>> read_symbol(108, SCHEMES["gpt2"]), read_symbol("</w>", SCHEMES["end_of_word"])
    (b'l', '</w>')
    """
    if scheme.units is bytes and type(item) is int and 0 <= item < 256:
        return bytes([item])
    if scheme.units is str and isinstance(item, str) and item:
        # A word of two such characters shows every symbol that one can become.
        for symbol in scheme.symbols(2 * item[0]):
            if item == str(symbol):
                return symbol
    raise ValueError(f"the alphabet holds {item!r:.80}, with which no word of the scheme begins")


def read_merges(rows: list, symbols: dict[int, Symbol], *, grow: bool = True) -> Iterator[Merge]:
    """Yield the merges of a file; ``symbols`` says which symbol has which id.

    Each merge makes the symbol of the next id, unless ``grow`` is false: then all have one.

    >>> list(read_merges([[0, 1, 5, "lo"], [2, 0, 3, "lol"]], {0: "l", 1: "o"}))
    [Merge(left='l', right='o', count=5), Merge(left='lo', right='l', count=3)]

    Raises ValueError for a row that is something else.
    """
    for rank, row in enumerate(rows):
        if not isinstance(row, list) or [type(item) for item in row] != [int, int, int, str]:
            raise ValueError(f"merge {rank} is not [id, id, count, spelling]: {row!r:.80}")
        left, right, count, spelling = row
        for i in (left, right):
            if i not in symbols:
                raise ValueError(f"merge {rank} names id {i}, which no token has before it")
        merge = Merge(symbols[left], symbols[right], count)
        if count < 0 or spell(merge.token) != spelling:
            raise ValueError(f"merge {rank} makes {merge.token!r:.80}, not {spelling!r:.80}")
        yield merge
        if grow:
            symbols[len(symbols)] = merge.token


def field(data: dict, name: str, kind: type):
    """Return a field of a JSON object; ValueError if it is missing or of another kind.

    >>> field({"merges": []}, "merges", list)
    []
    """
    value = data.get(name)
    if not isinstance(value, kind):
        raise ValueError(f"{name!r} is missing or not a {kind.__name__}")
    return value
