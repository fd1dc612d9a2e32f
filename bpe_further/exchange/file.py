"""File: read and write version 2 of the files that `save` writes.

This version is for tokenizers that training could not have given. A file of this version holds a
scheme as an object, a table of tokens with their ids, and the ids of special tokens. If several
tokens share a rank, the file holds the ranks of tokens instead of merges.
"""

from bpe_further.exchange.ranks import check_ranks
from bpe_further.exchange.schemes import PublishedScheme, as_published
from bpe_further.exchange.shared import require
from bpe_teach import storage
from bpe_teach.display import is_fragment
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import Scheme, check_text, find_scheme
from bpe_teach.storage import field
from bpe_teach.symbols import WordEnd, spell

OF_SCHEME = {  # field of a scheme in a file -> its kind
    **dict.fromkeys(["name", "about", "loses", "source"], str),
    "normalization": list,
    "prefix": str,
    "pattern": str | None,
    "units": str,
    "marker": str | list,
    "marks_last": bool,
    "first_prefixed": bool,
    "cuts": list,
    "spaces_last": bool,
}
MORE_OF_SCHEME = {"first_prefixed": False, "cuts": [], "spaces_last": False}  # defaults
FLAGS = ["lstrip", "rstrip", "single_word"]  # lists of names of special and added tokens
MORE_OF_TOKENIZER = {"added_tokens": {}, "normalized": {}} | {flag: [] for flag in FLAGS}
MORE_OF_TOKENIZER |= dict.fromkeys(
    ["whole_words", "byte_fallback", "fuse_unk", "drops_unknown"], False
)
MORE_OF_TOKENIZER |= {"around": [], "roles": {}}


def write_fields(tok: Tokenizer) -> tuple[dict, dict]:
    """Return the short fields of a file, and separately the fields that are long lists."""
    is_own = isinstance(tok.scheme, PublishedScheme)
    fields = {
        "version": 2,
        "scheme": _write_scheme(tok.scheme) if is_own else tok.scheme.name,
        "stopped": tok.stopped,
        "special_tokens": tok.special_tokens,
        "unk_token": tok.unk_token,
    }
    for name in MORE_OF_TOKENIZER:
        if getattr(tok, name):  # a missing field has its default
            fields[name] = getattr(tok, name)
    if not tok._marks_bytes:  # otherwise the alphabet follows from the tokens
        is_text = tok.scheme.units is str
        fields["alphabet"] = tok.alphabet if is_text else list(b"".join(tok.alphabet))
    rows = {}
    if tok.own_ids:
        rows["tokens"] = [[i, _write_token(token)] for token, i in tok.ids.items()]
    if tok.shares_ranks:  # in this case the merges don't say everything
        rows["ranks"] = [[tok.ids[token], rank] for token, rank in tok.token_ranks.items()]
    else:
        rows["merges"] = storage.merge_rows(tok.merges, tok.ids)
    return fields, rows


def read_version_2(data: dict) -> dict:
    """Turn the fields of a file into the arguments of a `PublishedTokenizer`.

    Fields that stand in ``MORE_OF_TOKENIZER`` may be missing: the table has their defaults.
    """
    scheme = data.get("scheme")
    scheme = _read_scheme(scheme) if isinstance(scheme, dict) else find_scheme(scheme)
    alphabet = ids = None
    if "alphabet" in data or "tokens" not in data:
        alphabet = [storage.read_symbol(item, scheme) for item in field(data, "alphabet", list)]
        symbols = dict(enumerate(alphabet))  # id -> symbol
    if "tokens" in data:
        ids = _read_ids(field(data, "tokens", list), scheme)
        symbols = {i: symbol for symbol, i in ids.items()}
    ranks, merges = None, []
    if ids is not None and "ranks" in data:
        ranks, merges = _read_ranks(field(data, "ranks", list), symbols), None
    for rank, row in enumerate(field(data, "merges", list) if ranks is None else ()):
        merges.append(storage.read_merge(rank, row, symbols))
        if ids is None:
            symbols[len(symbols)] = merges[-1].token
    data = MORE_OF_TOKENIZER | data
    more = {name: field(data, name, type(MORE_OF_TOKENIZER[name])) for name in MORE_OF_TOKENIZER}
    return {
        "scheme": scheme,
        "alphabet": alphabet,
        "merges": merges,
        "special_tokens": field(data, "special_tokens", list | dict),
        "ids": ids,
        "token_ranks": ranks,
        "unk_token": data.get("unk_token"),
        "stopped": data.get("stopped", ""),
    } | more


def _write_scheme(scheme: PublishedScheme) -> dict:
    """Return the fields of a scheme that is not a row of ``SCHEMES``."""
    require(not scheme.prepare, f"scheme {scheme.name!r}: no file can hold its function prepare")
    data = {name: getattr(scheme, name) for name in OF_SCHEME if hasattr(scheme, name)}
    data |= {"units": scheme.units.__name__, "marker": _write_token(scheme.marker)}
    data["normalization"] = scheme.normalizations
    rare = [name for name in MORE_OF_SCHEME if not data.get(name)]
    return {name: data[name] for name in OF_SCHEME if name not in rare}


def _read_scheme(data: dict) -> Scheme:
    """Read a scheme that `_write_scheme` wrote, and check its pattern before compiling it."""
    parts = MORE_OF_SCHEME | data
    if set(parts) != set(OF_SCHEME):
        raise ValueError(f"a scheme has the fields {[*OF_SCHEME]}, not {list(data)!r:.400}")
    for name, kind in OF_SCHEME.items():
        if isinstance(field(parts, name, kind), str):
            check_text(parts[name])
    steps = parts.pop("normalization")
    parts["normalizations"] = tuple(tuple(s) if isinstance(s, list) else s for s in steps)
    parts["cuts"] = tuple(parts["cuts"])
    parts["units"] = units = {"str": str, "bytes": bytes}.get(data["units"])
    require(units is not None, f"units must be 'str' or 'bytes', not {data['units']!r:.80}")
    parts["marker"] = marker = _read_token(data["marker"], str) if data["marker"] else ""
    is_end = isinstance(marker, WordEnd)
    require(is_end or not data["marks_last"], "marks_last needs a marker that ends a word")
    is_carried = units is str or data["marks_last"] or not marker
    require(is_carried, "in a scheme of bytes, the last one carries the marker")
    return as_published(PublishedScheme(**parts))


def _write_token(token: Symbol) -> str | list:
    """Return a token in readable form.

    A token that ends a word becomes [text], and a fragment of a character becomes a list of bytes.
    Any other token becomes a text.
    """
    if isinstance(token, WordEnd):
        return [str(token)]
    return list(token) if is_fragment(token) else spell(token)


def _read_token(item, units: type) -> Symbol:
    """Read a token that `_write_token` wrote; raise ValueError for anything else."""
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


def _read_ranks(rows: list, symbols: dict[int, Symbol]) -> dict[Symbol, int]:
    """Turn rows of ids and ranks into a table: token -> rank; ``symbols`` maps ids to tokens."""
    ranks = {}
    for row in rows:
        is_pair = isinstance(row, list) and list(map(type, row)) == [int, int]
        require(is_pair and row[0] in symbols, f"a rank is not [id, rank]: {row!r:.80}")
        ranks[symbols[row[0]]] = row[1]
    check_ranks(ranks)
    return ranks


def _read_ids(rows: list, scheme: Scheme) -> dict[Symbol, int]:
    """Turn rows of ids and tokens into a table: token -> id."""
    ids = {}
    for row in rows:
        if not isinstance(row, list) or len(row) != 2 or type(row[0]) is not int:
            raise ValueError(f"a token is not [id, token]: {row!r:.80}")
        i, item = row
        token = _read_token(item, scheme.units)
        if token in ids:
            raise ValueError(f"the token {token!r:.80} occurs twice")
        ids[token] = i
    return ids
