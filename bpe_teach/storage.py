"""Storage: the file of a tokenizer, readable by people, and nothing in it is ever executed.

The file is JSON. A merge is written as [id of left, id of right, count, spelling]: the ids make
it exact even where two symbols are spelled alike, the spelling is for the reader's eye.

What others published, and schemes of one's own, need more: a scheme as an object, a table of
tokens with their ids, ids of special tokens. A file that has some of these has the version 2.
"""

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from bpe_teach.files import naming_file, write_whole
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.patterns import check_pattern
from bpe_teach.schemes import SCHEMES, Scheme, check_text
from bpe_teach.symbols import WordEnd, is_fragment, spell

FORMAT, VERSION, LATER_VERSION = "bpe_teach tokenizer", 1, 2
TEXTS_OF_SCHEME = ["name", "about", "loses", "source", "normalization", "prefix"]


def write_tokenizer(
    path: str | os.PathLike,
    scheme: Scheme,
    alphabet: list[Symbol],
    merges: list[Merge],
    special_tokens: Iterable[str] | Mapping[str, int],
    unk_token: str | None,
    stopped: str,
    ids: Mapping[Symbol, int] | None = None,
    added_tokens: Mapping[str, int] | None = None,
    whole_words: bool = False,
) -> None:
    """Write the parts of a tokenizer to a file, one merge a line.

    ``ids`` is None for a tokenizer whose ids number alphabet and merges, and ``special_tokens`` a
    list if theirs follow.
    """
    more = {}  # what a file of version 1 cannot have
    if added_tokens:
        more["added_tokens"] = added_tokens
    if whole_words:
        more["whole_words"] = True
    is_later = more or ids is not None or isinstance(special_tokens, Mapping)
    if scheme.units is bytes:
        is_later = is_later or len(alphabet) < 256
    name = scheme.name
    if SCHEMES.get(name) != scheme:
        name = _scheme_object(scheme)
        is_later = True
    fields = {
        "format": FORMAT,
        "version": LATER_VERSION if is_later else VERSION,
        "scheme": name,
        "stopped": stopped,
        "special_tokens": special_tokens,
        "unk_token": unk_token,
        **more,
        "alphabet": [symbol[0] for symbol in alphabet] if scheme.units is bytes else alphabet,
    }
    lines = [f"{_json(name)}: {_json(value)}" for name, value in fields.items()]
    if ids is not None:
        rows = [[i, _write_symbol(symbol)] for symbol, i in ids.items()]
        lines.append(f'"tokens": {_json_rows(rows)}')
    else:
        ids = {}  # symbol -> id; of two ids of one symbol the lower
        for i, symbol in enumerate([*alphabet, *(merge.token for merge in merges)]):
            ids.setdefault(symbol, i)
    rows = []
    for merge in merges:
        rows.append([ids[merge.left], ids[merge.right], merge.count, spell(merge.token)])
    lines.append(f'"merges": {_json_rows(rows)}')
    content = "{\n " + ",\n ".join(lines) + "\n}\n"
    write_whole(path, content.encode("utf-8"))


def _scheme_object(scheme: Scheme) -> dict:
    """Write a scheme of one's own as its fields."""
    fault = "it is not in SCHEMES, and no file can hold its function prepare"
    require(scheme.prepare is None, f"scheme {scheme.name!r} cannot be saved: {fault}")
    fields = {name: getattr(scheme, name) for name in TEXTS_OF_SCHEME}
    units, marker = scheme.units.__name__, _write_symbol(scheme.marker)
    how = {"pattern": scheme.pattern, "units": units, "marker": marker}
    return fields | how | {"marks_last": scheme.marks_last}


def _read_scheme(data) -> Scheme:
    """Read what `_scheme_object` wrote; a pattern is looked at before it is compiled."""
    texts = {name: field(data, name, str) for name in TEXTS_OF_SCHEME}
    for text in texts.values():
        check_text(text)
    marks_last = field(data, "marks_last", bool)
    known = [*texts, "pattern", "units", "marker", "marks_last"]
    require(set(data) == set(known), f"a scheme has the fields {known}, not {list(data)!r:.400}")
    pattern = data["pattern"]
    if pattern is not None:
        check_pattern(pattern)
    units = {"str": str, "bytes": bytes}.get(str(data["units"]))
    require(units is not None, f"units must be 'str' or 'bytes', not {data['units']!r:.80}")
    require(texts["normalization"] in ("", "NFC"), "normalization must be '' or 'NFC'")
    marker = _read_symbol(data["marker"], str) if data["marker"] else ""
    require(not marker or units is str, "a scheme of bytes has no marker")
    require(not marks_last or isinstance(marker, WordEnd), "the last character needs a marker")
    return Scheme(units=units, pattern=pattern, marker=marker, marks_last=marks_last, **texts)


def _write_symbol(symbol: Symbol) -> str | list:
    r"""Write a symbol so that it can be read: one that ends a word as [text], a fragment in bytes.

    >>> _write_symbol(b" low"), _write_symbol(b"\xc3"), _write_symbol(WordEnd("w</w>"))
    (' low', [195], ['w</w>'])
    """
    if isinstance(symbol, WordEnd):
        return [str(symbol)]
    return list(symbol) if is_fragment(symbol) else spell(symbol)


def _read_symbol(item, units: type) -> Symbol:
    """Read what `_write_symbol` writes; ValueError for anything else.

    >>> _read_symbol(" low", bytes), _read_symbol([195], bytes)
    (b' low', b'\xc3')
    """
    if isinstance(item, str):
        check_text(item)
        return item if units is str else item.encode("utf-8")
    if isinstance(item, list) and item:
        if units is str and len(item) == 1 and isinstance(item[0], str) and item[0]:
            check_text(item[0])
            return WordEnd(item[0])
        if units is bytes and all(type(byte) is int and 0 <= byte < 256 for byte in item):
            return bytes(item)
    raise ValueError(f"{item!r:.80} is not a token")


def _json(value) -> str:
    return json.dumps(value, ensure_ascii=False)


def _json_rows(rows: list) -> str:
    """Write a list with each of its rows in a line."""
    lines = ",".join(f"\n  {_json(row)}" for row in rows)
    return f"[{lines}\n ]"


def read_tokenizer(path: str | os.PathLike) -> dict:
    """Read what `write_tokenizer` wrote: the parts by name, as `Tokenizer` takes them.

    Raises ValueError, with the file and the fault, if it is something else. Whether the parts fit
    each other is for `Tokenizer` to say.
    """
    with naming_file(path):
        data = json.loads(Path(path).read_text("utf-8"))
        require(isinstance(data, dict) and data.get("format") == FORMAT, f"no format {FORMAT!r}")
        version = data.get("version")
        is_known = type(version) is int and version in (VERSION, LATER_VERSION)
        require(is_known, f"version {version!r:.80} is neither {VERSION} nor {LATER_VERSION}")
        name = data.get("scheme")
        if isinstance(name, dict):
            scheme = _read_scheme(name)
        else:
            require(isinstance(name, str) and name in SCHEMES, f"unknown scheme {name!r:.80}")
            scheme = SCHEMES[name]
        alphabet = [_first_symbol(item, scheme) for item in field(data, "alphabet", list)]
        ids = _read_ids(field(data, "tokens", list), scheme) if "tokens" in data else None
        rows = field(data, "merges", list)
        special_tokens = data.get("special_tokens")
        is_either = isinstance(special_tokens, list | dict)
        require(is_either, "'special_tokens' is missing or neither a list nor an object")
        stopped = data.get("stopped", "")
        check_text(stopped)
        return {
            "scheme": scheme,
            "alphabet": alphabet,
            "merges": _merges(rows, alphabet) if ids is None else _merges_of_tokens(rows, ids),
            "special_tokens": special_tokens,
            "unk_token": data.get("unk_token"),
            "stopped": stopped,
            "ids": ids,
            "added_tokens": field(data, "added_tokens", dict) if "added_tokens" in data else {},
            "whole_words": field(data, "whole_words", bool) if "whole_words" in data else False,
        }


def _read_ids(rows: list, scheme: Scheme) -> dict[Symbol, int]:
    """Turn rows of ids and tokens into a table, token -> id."""
    ids = {}
    for row in rows:
        is_row = isinstance(row, list) and len(row) == 2 and type(row[0]) is int
        require(is_row, f"a token is not [id, token]: {row!r:.80}")
        symbol = _read_symbol(row[1], scheme.units)
        require(symbol not in ids, f"the token {symbol!r:.80} is there twice")
        ids[symbol] = row[0]
    return ids


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
        for i in _check_row(rank, row):
            if not 0 <= i < len(symbols):
                raise ValueError(f"merge {rank} names id {i}: only {len(symbols)} are made yet")
        merges.append(_merge(rank, row, symbols))
        symbols.append(merges[-1].token)
    return merges


def _merges_of_tokens(rows: list, ids: Mapping[Symbol, int]) -> list[Merge]:
    """Turn rows of ids into merges of tokens, which need not be made in this order."""
    symbols = {i: symbol for symbol, i in ids.items()}
    merges = []
    for rank, row in enumerate(rows):
        for i in _check_row(rank, row):
            if i not in symbols:
                raise ValueError(f"merge {rank} names id {i}: no token has it")
        merges.append(_merge(rank, row, symbols))
    return merges


def _check_row(rank: int, row) -> list[int]:
    """Return the two ids of a row that is one of a merge."""
    if not isinstance(row, list) or list(map(type, row)) != [int, int, int, str]:
        raise ValueError(f"merge {rank} is not [id, id, count, spelling]: {row!r:.80}")
    return row[:2]


def _merge(rank: int, row: list, symbols: list | dict) -> Merge:
    """Make the merge of a row, and check what is said of it.

    Not by `require`: to spell out a fault for each merge takes as long as all the rest.
    """
    left, right, count, spelling = row
    if count < 0:
        raise ValueError(f"merge {rank} has the count {count}")
    merge = Merge(symbols[left], symbols[right], count)
    token = merge.token
    if spell(token) != spelling:
        raise ValueError(f"merge {rank} makes {token!r:.80}, not {spelling!r:.80}")
    return merge


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
