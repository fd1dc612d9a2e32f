"""Hugging Face's merges: read them as columns, and number their tokens.

Files hold up to hundreds of thousands of merges, so merges of the usual form are read all at once.
Unusual merges are read one by one, so that an error can say what is wrong.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import chain
from operator import add
from typing import NamedTuple

from bpe_further.exchange import kinds, shared
from bpe_further.exchange.shared import require
from bpe_teach.fast.encode import NumberedMerges
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol

MERGE = re.compile(r"([^ ]+) ([^ ]+)")
BROKEN = (
    "the file is broken, or its vocabulary and its merges are of two models: download or write it "
    "again"
)


class Columns(NamedTuple):
    """The merges of a file as three lists: the left parts, the right parts, and the merged tokens.

    Tokens are written as in the file. Three lists take less time and memory than a list of pairs.
    """

    lefts: list[str]
    rights: list[str]
    made: list[str]

    @classmethod
    def of(cls, lefts: list[str], rights: list[str]) -> "Columns":
        """Return columns: the given left and right parts, and the tokens that they make."""
        return cls(lefts, rights, list(map(add, lefts, rights)))


def id_faults(vocab: Mapping[str, int]) -> Iterator[str]:
    """Yield the faults of a vocabulary's ids, with advice if two tokens have the same id."""
    for fault in shared.id_faults(vocab, str):
        yield f"{fault}; {kinds.OTHERWISE}" if shared.SAME_ID in fault else fault


def read_merges(items) -> Columns:
    """Return merges in columns; raise ValueError for anything that is not a merge.

    ``items`` is the list of merges of a tokenizer.json. `Columns` are returned as they are.
    """
    if isinstance(items, Columns):
        return items
    if not isinstance(items, list):
        raise ValueError(f"merges is not a list: {items!r:.80}")
    most = 2 * shared.MAX_TOKENS  # some files list a merge for each way to cut a token in two
    require(len(items) <= most, f"there are {len(items):,} merges, more than {most:,}")
    usual = None
    kinds_of_items = set(map(type, items))
    if kinds_of_items == {str}:
        usual = split_usual_merges("\n".join(items), len(items))
    elif kinds_of_items == {list}:
        usual = _split_usual_pairs(items)
    if usual is not None:
        return usual
    lefts, rights = [], []
    for number, item in enumerate(items):
        pair = item
        if isinstance(item, str):
            found = MERGE.fullmatch(item)
            pair = found.groups() if found else ()
        is_pair = isinstance(pair, list | tuple) and [type(part) for part in pair] == [str, str]
        if not is_pair or not all(pair):
            raise ValueError(f"merge {number}: {item!r:.80} is not a merge of two tokens")
        left, right = pair
        lefts.append(left)
        rights.append(right)
    return Columns.of(lefts, rights)


def split_usual_merges(text: str, number: int | None = None) -> Columns | None:
    """Return the merges of a text with one merge on each line.

    Return None if a line isn't written as merges usually are, or if a ``number`` of merges is given
    and the number of lines is different.
    """
    parts = text.replace("\n", " \n ").split(" ")
    lefts, rights, ends = parts[::3], parts[1::3], parts[2::3]
    lines = text.count("\n") + 1
    if number not in (None, lines) or ends != ["\n"] * (lines - 1):
        return None
    is_usual = len(lefts) == len(rights) == lines and all(lefts) and all(rights)
    return Columns.of(lefts, rights) if is_usual else None


def _split_usual_pairs(items: list[list]) -> Columns | None:
    """Return pairs of texts as columns of merges, or None if an item isn't a pair of texts."""
    parts = list(chain.from_iterable(items))
    if set(map(len, items)) != {2} or set(map(type, parts)) != {str} or not all(parts):
        return None
    return Columns.of(parts[::2], parts[1::2])


def found_merges(
    columns: Columns, vocab: Mapping[str, int], tokens: Mapping[str, Symbol]
) -> Columns:
    """Return the merges that make one of ``tokens``, because no text has any other token.

    ``tokens`` are the tokens by name. Merges with a name that has no id in ``vocab`` are kept, too,
    so that an error can name them later.
    """
    found = [
        row
        for row in zip(*columns, strict=True)
        if row[2] in tokens or not all(name in vocab for name in row)  # a fault, named later
    ]
    return Columns(*map(list, zip(*found, strict=True))) if found else Columns([], [], [])


def number_merges(
    columns: Columns,
    vocab: Mapping[str, int],
    tokens: Mapping[str, Symbol],
    gone: Mapping[str, Symbol],
) -> NumberedMerges | list[Merge]:
    """Return merges for a `PublishedTokenizer`; raise ValueError if one of their names has no id.

    ``tokens`` are the ordinary tokens by name, and ``gone`` are the tokens that are only added
    tokens. The merges are usually numbered all at once. But if there are unusual merges, such as
    merges that use a token in ``gone``, the merges are returned one by one, so that
    `PublishedTokenizer` can tell what is wrong with them.
    """
    lefts, rights, made = columns
    dead = len(tokens) + len(gone) < len(vocab)  # whether some names are not tokens
    numbers = {name: vocab[name] for name in tokens} if dead else vocab
    with suppress(KeyError):
        merges = NumberedMerges.of_columns(lefts, rights, _ids_of_made(numbers, made), numbers)
        is_odd = len(merges.ranks) < len(lefts)
        if not is_odd and gone.keys().isdisjoint(lefts) and gone.keys().isdisjoint(rights):
            return merges
    tokens = tokens | gone
    merges = []
    for number, names in enumerate(zip(lefts, rights, made, strict=True)):
        for name in names:
            if name not in vocab:
                raise ValueError(f"merge {number}: token {name!r:.80} has no id; {BROKEN}")
        left, right, _ = names
        merges.append(Merge(tokens[left], tokens[right], 0))
    return merges


def ends_by_chance(columns: Columns, suffix: str) -> list[str]:
    """Return the tokens that are merged from plain tokens but spelled like the end of a word.

    The vocabulary of Hugging Face's library holds texts. So there, a plain token and a token that
    ends words are the same token if they are spelled alike.
    """
    found = []
    for right, made in zip(columns.rights, columns.made, strict=True) if suffix else ():
        is_end = right.endswith(suffix) and right != suffix
        if made.endswith(suffix) and made != suffix and not is_end:
            found.append(made)
    return found


def _place_of_made(vocab: Mapping[str, int], made: list[str]) -> slice | None:
    """Return where a vocabulary lists the merged tokens in the order of the merges, or None.

    After training, the vocabulary lists them in this order, one after the other. Comparing one
    slice of the vocabulary takes less time than looking up each token.
    """
    names = list(vocab)
    if not made or made[0] not in vocab:
        return None
    start = names.index(made[0])
    place = slice(start, start + len(made))
    return place if names[place] == made else None


def _ids_of_made(vocab: Mapping[str, int], made: list[str]) -> list[int]:
    """Return the ids of the tokens that merges make; raise KeyError if a token has no id."""
    place = _place_of_made(vocab, made)
    return list(map(vocab.__getitem__, made)) if place is None else list(vocab.values())[place]


def unmade_names(vocab: Mapping[str, int], made: list[str]) -> list[str]:
    """Return the names that no merge makes, in the order of the vocabulary."""
    names = list(vocab)
    place = _place_of_made(vocab, made)
    if place is not None:
        return names[: place.start] + names[place.stop :]
    unmade = set(names).difference(made)
    return [name for name in names if name in unmade]
