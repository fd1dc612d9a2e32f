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

from bpe_teach.fast.files import naming_file, write_whole
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.parts import number_tokens
from bpe_teach.patterns import check_pattern
from bpe_teach.schemes import SCHEMES, Scheme, check_text
from bpe_teach.symbols import WordEnd, is_fragment, spell

FORMAT, VERSION, LATER_VERSION = "bpe_teach tokenizer", 1, 2
TEXTS_OF_SCHEME = ["name", "about", "loses", "source", "normalization", "prefix"]
OPTIONAL = {  # what may be missing -> what it is then
    "stopped": "",
    "unk_token": None,
    "added_tokens": {},
    "lstrip": [],
    "whole_words": False,
}


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
    lstrip: Iterable[str] = (),
    whole_words: bool = False,
) -> None:
    """Write the parts of a tokenizer to a file, one merge a line.

    ``ids`` is None for a tokenizer whose ids number alphabet and merges, and ``special_tokens`` a
    list if theirs follow.
    """
    is_known = SCHEMES.get(scheme.name) == scheme
    # Version 1 holds only what training makes.
    is_plain = is_known and ids is None and not isinstance(special_tokens, Mapping)
    is_plain = is_plain and not added_tokens and not lstrip and not whole_words
    if scheme.units is bytes:
        is_plain = is_plain and len(alphabet) == 256

    fields = {
        "format": FORMAT,
        "version": VERSION if is_plain else LATER_VERSION,
        "scheme": scheme.name if is_known else _write_scheme(scheme),
        "stopped": stopped,
        "special_tokens": special_tokens,
        "unk_token": unk_token,
    }
    if added_tokens:
        fields["added_tokens"] = added_tokens
    if lstrip:
        fields["lstrip"] = lstrip
    if whole_words:
        fields["whole_words"] = True
    fields["alphabet"] = alphabet
    if scheme.units is bytes:
        fields["alphabet"] = [byte[0] for byte in alphabet]
    lines = [f"{_json(name)}: {_json(value)}" for name, value in fields.items()]

    if ids is None:
        ids = number_tokens([*alphabet, *(merge.token for merge in merges)])
    else:
        rows = [[i, _write_symbol(symbol)] for symbol, i in ids.items()]
        lines.append(f'"tokens": {_json_rows(rows)}')
    rows = []
    for merge in merges:
        rows.append([ids[merge.left], ids[merge.right], merge.count, spell(merge.token)])
    lines.append(f'"merges": {_json_rows(rows)}')
    content = "{\n " + ",\n ".join(lines) + "\n}\n"
    write_whole(path, content.encode("utf-8"))


def _write_scheme(scheme: Scheme) -> dict:
    """Write a scheme of one's own as its fields."""
    if scheme.prepare is not None:
        fault = "it is not in SCHEMES, and no file can hold its function prepare"
        raise ValueError(f"scheme {scheme.name!r} cannot be saved: {fault}")
    fields = {name: getattr(scheme, name) for name in TEXTS_OF_SCHEME}
    fields["pattern"] = scheme.pattern
    fields["units"] = scheme.units.__name__
    fields["marker"] = _write_symbol(scheme.marker)
    fields["marks_last"] = scheme.marks_last
    return fields


def _read_scheme(data) -> Scheme:
    """Read the name of a scheme, or what `_write_scheme` wrote."""
    if isinstance(data, dict):
        return _read_own_scheme(data)
    if not isinstance(data, str) or data not in SCHEMES:
        raise ValueError(f"unknown scheme {data!r:.80}")
    return SCHEMES[data]


def _read_own_scheme(data: dict) -> Scheme:
    """Read a scheme from its fields; a pattern is looked at before it is compiled."""
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
    marker = ""
    if data["marker"]:
        marker = _read_symbol(data["marker"], str)
        require(units is str, "a scheme of bytes has no marker")
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
        return _read_parts(json.loads(Path(path).read_text("utf-8")))


def _read_parts(data) -> dict:
    """Turn the content of a file into the parts of a tokenizer."""
    require(isinstance(data, dict) and data.get("format") == FORMAT, f"no format {FORMAT!r}")
    version = data.get("version")
    if type(version) is not int or version not in (VERSION, LATER_VERSION):
        fault = f"version {version!r:.80} is neither {VERSION} nor {LATER_VERSION}"
        raise ValueError(fault)
    data = OPTIONAL | data
    scheme = _read_scheme(data.get("scheme"))
    alphabet = [_first_symbol(item, scheme) for item in field(data, "alphabet", list)]
    ids = None
    if "tokens" in data:
        ids = _read_ids(field(data, "tokens", list), scheme)
    special_tokens = data.get("special_tokens")
    if not isinstance(special_tokens, list | dict):
        raise ValueError("'special_tokens' is missing or neither a list nor an object")
    check_text(data["stopped"])
    merges = _read_merges(field(data, "merges", list), alphabet, ids)
    return {
        "scheme": scheme,
        "alphabet": alphabet,
        "merges": merges,
        "special_tokens": special_tokens,
        "unk_token": data["unk_token"],
        "stopped": data["stopped"],
        "ids": ids,
        "added_tokens": field(data, "added_tokens", dict),
        "lstrip": field(data, "lstrip", list),
        "whole_words": field(data, "whole_words", bool),
    }


def _first_symbol(item, scheme: Scheme) -> Symbol:
    """Turn one entry of the alphabet into a symbol."""
    if scheme.units is bytes:
        if type(item) is not int or not 0 <= item < 256:
            raise ValueError(f"the alphabet holds {item!r:.80}: no byte")
        return bytes([item])
    if scheme.marker and item == str(scheme.marker):
        return scheme.marker  # which is not plain text
    character = item
    ending = ""
    if scheme.marks_last and isinstance(item, str) and len(item) == 1 + len(scheme.marker):
        character = item.removesuffix(scheme.marker)
        ending = scheme.marker
    if not isinstance(character, str) or len(character) != 1:
        raise ValueError(f"the alphabet holds {item!r:.80}: not a character")
    return character + ending


def _read_ids(rows: list, scheme: Scheme) -> dict[Symbol, int]:
    """Turn rows of ids and tokens into a table, token -> id."""
    ids = {}
    for row in rows:
        if not isinstance(row, list) or len(row) != 2 or type(row[0]) is not int:
            raise ValueError(f"a token is not [id, token]: {row!r:.80}")
        i, item = row
        symbol = _read_symbol(item, scheme.units)
        if symbol in ids:
            raise ValueError(f"the token {symbol!r:.80} is there twice")
        ids[symbol] = i
    return ids


def _read_merges(
    rows: list, alphabet: list[Symbol], ids: Mapping[Symbol, int] | None
) -> list[Merge]:
    """Turn rows into merges; without a table of ids they name only what is made before them."""
    symbols = dict(enumerate(alphabet))  # id -> symbol
    if ids is not None:
        symbols = {i: symbol for symbol, i in ids.items()}
    merges = []
    for rank, row in enumerate(rows):
        if not isinstance(row, list) or [type(item) for item in row] != [int, int, int, str]:
            raise ValueError(f"merge {rank} is not [id, id, count, spelling]: {row!r:.80}")
        left, right, count, spelling = row
        for i in (left, right):
            if i not in symbols:
                why = f"only {len(symbols)} are made yet" if ids is None else "no token has it"
                raise ValueError(f"merge {rank} names id {i}: {why}")
        if count < 0:
            raise ValueError(f"merge {rank} has the count {count}")
        merge = Merge(symbols[left], symbols[right], count)
        token = merge.token
        if spell(token) != spelling:
            raise ValueError(f"merge {rank} makes {token!r:.80}, not {spelling!r:.80}")
        merges.append(merge)
        if ids is None:
            symbols[len(symbols)] = token
    return merges


def field(data, name: str, kind: type):
    """Return a field of a JSON object; ValueError if it is missing or of another kind.

    >>> field({"merges": []}, "merges", list)
    []
    """
    value = None
    if isinstance(data, dict):
        value = data.get(name)
    if not isinstance(value, kind):
        raise ValueError(f"{name!r} is missing or not a {kind.__name__}")
    return value


def require(condition: bool, fault: str) -> None:
    """Raise ValueError with the fault unless the condition holds."""
    if not condition:
        raise ValueError(fault)
