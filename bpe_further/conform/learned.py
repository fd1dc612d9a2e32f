"""Learned: the merges and the vocabulary of an object, in whatever form it keeps them.

Both are read, never written. Some people keep merges as a dictionary, from pairs to ids or ranks or
from ids to pairs. Others keep a list of pairs, of rows that begin with a pair, or of small objects.
A pair holds ids, bytes or texts.
"""

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from bpe_further.conform.cases import KIT
from bpe_further.exchange.shared import BYTE_OF
from bpe_teach.schemes import BYTES

DEEPEST = 3  # objects within an object: a model in a tokenizer in an adapter
MOST = 300_000  # entries of a table
KEPT_AS = KIT["names"]["kept"]
SIMPLE = (str, bytes, int)


class Table(NamedTuple):
    """Something that an object, or what `train` has returned, holds: its name and its value."""

    name: str
    value: dict | list | tuple


def tables_of(item, deepest: int = DEEPEST) -> Iterator[Table]:
    """Yield the dictionaries and lists of an object and of objects in it, the likeliest first."""
    own = dict(getattr(item, "__dict__", None) or {})
    for kind in type(item).__mro__[:-1]:
        own = {name: one for name, one in vars(kind).items() if name[:2] != "__"} | own
        slots = getattr(kind, "__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            if hasattr(item, name):
                own[name] = getattr(item, name)
    usual_first = sorted(own, key=lambda name: name.lower().strip("_") not in KEPT_AS)
    inside = []
    for name in usual_first:
        if "cache" in name.lower():
            continue
        value = own[name]
        if isinstance(value, tuple) and len(value) <= MOST:
            yield from _tables_in_tuple(name, value)
            yield Table(name, value)
        elif isinstance(value, dict | list) and len(value) <= MOST:
            yield from tables_in_part(name, value)
        elif (
            (hasattr(value, "__dict__") or hasattr(value, "__slots__"))
            and not isinstance(value, type)
            and not callable(value)
        ):
            inside.append(value)
    if deepest > 1:
        for value in inside:
            yield from tables_of(value, deepest - 1)


def tables_in(given) -> Iterator[Table]:
    """Yield the dictionaries and lists that a function has returned, alone or in a tuple."""
    if isinstance(given, tuple) and any(isinstance(part, dict | list) for part in given):
        yield from _tables_in_tuple("returned", given)
    else:
        yield from tables_in_part("returned", given)


def _tables_in_tuple(name: str, parts: tuple) -> Iterator[Table]:
    for number, part in enumerate(parts):
        yield from tables_in_part(f"{name} {number + 1}", part)


def tables_in_part(name: str, part) -> Iterator[Table]:
    """Yield the tables in a value: it may be a table, an object, or a dictionary of named tables.

    >>> [table.name for table in tables_in_part("model", {"merges": [("a", "b")], "size": 4})]
    ['model merges']
    """
    if _has_names(part):
        for key, value in part.items():
            if isinstance(value, dict | list):
                yield Table(f"{name} {key}", value)
    elif isinstance(part, dict | list):
        yield Table(name, part)
    elif hasattr(part, "__dict__"):
        yield from tables_of(part)


def _has_names(part) -> bool:
    """Return whether this is a dictionary that holds tables by their names."""
    if not isinstance(part, dict) or not all(isinstance(key, str) for key in part):
        return False
    tables = [key for key, value in part.items() if isinstance(value, dict | list)]
    return any(key.lower().strip("_") in KEPT_AS for key in tables)


def read_pairs(value) -> list[tuple] | None:
    """Return pairs in the order of their ranks; None if this holds no pairs.

    >>> read_pairs({(104, 105): 256, (256, 33): 257})
    [(104, 105), (256, 33)]
    >>> read_pairs([("l o", 3), ("lo w", 2)]), read_pairs({256: (104, 105)}), read_pairs([3, 4])
    ([('l', 'o'), ('lo', 'w')], [(104, 105)], None)
    """
    rows = _rows_of_dict(value) if isinstance(value, dict) else list(value)
    if not rows:
        return None
    pairs = []
    for row in rows:
        pair = _pair_in(row)
        if pair is None:
            return None
        pairs.append(pair)
    return pairs


def _rows_of_dict(value: Mapping) -> list:
    """Return what may be pairs: the keys in the order of their values, or the values."""
    if all(_pair_in(key) is not None for key in value):
        if all(isinstance(one, int | float) for one in value.values()):
            return sorted(value, key=value.get)  # ids or ranks
        return list(value)  # in the order in which they were learned
    if all(isinstance(key, int) for key in value):
        # Some keep the bytes in the same dictionary, each as its own id.
        return [value[key] for key in sorted(value) if not isinstance(value[key], int)]
    return list(value.values())


def _pair_in(row) -> tuple | None:
    """Return the pair that a row is, begins with, or holds; None if there is none."""
    if isinstance(row, str):
        left, space, right = row.partition(" ")
        return (left, right) if space and left and right and " " not in right else None
    if isinstance(getattr(row, "pair", None), tuple):
        return _pair_in(row.pair)
    if hasattr(row, "left") and hasattr(row, "right"):
        return _pair_in((row.left, row.right))
    if not isinstance(row, tuple | list) or not row:
        return None
    if isinstance(row[0], tuple | list) or (len(row) == 2 and _is_text_of_pair(row)):
        return _pair_in(row[0])  # a pair and its id, rank or count
    if not 2 <= len(row) <= 3:
        return None
    left, right = map(_plain, row[:2])
    if type(left) is not type(right) or not isinstance(left, SIMPLE):
        return None
    return left, right


def _plain(part):
    """Return a whole number of NumPy's, of whichever size, as one of Python's."""
    return operator.index(part) if hasattr(part, "__index__") else part


def _is_text_of_pair(row) -> bool:
    return isinstance(row[0], str) and isinstance(row[1], int)


def read_vocab(value) -> dict | None:
    """Return a vocabulary as id -> token; None if this is no vocabulary.

    >>> read_vocab({b"h": 104, b"i": 105}), read_vocab(["a", "b", "ab"])
    ({104: b'h', 105: b'i'}, {0: 'a', 1: 'b', 2: 'ab'})
    >>> read_vocab({0: [104, 105]}), read_vocab({(1, 2): 3})
    ({0: b'hi'}, None)
    """
    items = list(value.items() if isinstance(value, dict) else enumerate(value))
    if not items:
        return None
    if all(isinstance(key, str | bytes) and type(i) is int for key, i in items):
        items = [(i, key) for key, i in items]
        if len(items) > len({i for i, _ in items}):  # these are counts
            return None
    vocab = {}
    for i, token in items:
        if isinstance(token, list | tuple) and all(_is_byte(byte) for byte in token):
            token = bytes(token)
        if type(i) is not int or not isinstance(token, str | bytes):
            return None
        vocab[i] = token
    return vocab


def _is_byte(value) -> bool:
    return type(value) is int and 0 <= value < 256


def find_vocab(tables: Iterable[Table], at_least: int) -> dict | None:
    """Return the largest vocabulary with at least so many tokens; None if there is none.

    Of two that are equally large, the one with bytes is meant: the other only makes these
    readable.
    """
    found = [read_vocab(table.value) for table in tables if len(table.value) >= at_least]
    return max(filter(None, found), key=_how_likely, default=None)


def _how_likely(vocab: Mapping) -> tuple:
    shows_bytes = len(vocab) == 256 and set(vocab.values()) == set(BYTE_OF)  # a help to print them
    return not shows_bytes, len(vocab), all(isinstance(token, bytes) for token in vocab.values())


def table_for(kind: str, tables: Iterable[Table]) -> Table | None:
    """Return what was learned for a parameter that takes merges ("kept") or a vocabulary."""
    read = read_vocab if kind == "vocab" else read_pairs
    names = KIT["names"][kind]
    likely_first = sorted(
        tables, key=lambda one: (one.name.split()[-1].lower() not in names, not one.value)
    )
    for table in likely_first:
        if read(table.value) is not None or not table.value:
            return table
    return None


def pairs_from_tokens(tokens: Iterable, first: Iterable = BYTES) -> list[tuple]:
    """Return the pairs that learned tokens were made of, as far as their spelling tells.

    ``first`` are the tokens of the alphabet. If the pairs before a token leave it in two
    parts, it was made of these two.

    >>> pairs_from_tokens([b"lo", b"low"])
    [(b'l', b'o'), (b'lo', b'w')]
    """
    ranks = {}
    for token in tokens:
        parts = [token[i : i + 1] for i in range(len(token))]
        while len(parts) > 2:
            known = [pair for pair in zip(parts, parts[1:], strict=False) if pair in ranks]
            if not known:
                break
            best = min(known, key=ranks.get)
            at = list(zip(parts, parts[1:], strict=False)).index(best)
            parts[at : at + 2] = [best[0] + best[1]]
        if len(parts) != 2:
            return []
        ranks[tuple(parts)] = len(ranks)
    return list(ranks)
