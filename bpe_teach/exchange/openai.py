"""OpenAI: GPT-2's two files come in; the ranks of tiktoken come in and go out.

A .tiktoken file holds tokens and ranks but no merges: those are found again, see `from_tiktoken`.
"""

import binascii
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, pairwise
from typing import NamedTuple

from bpe_teach.corpora import corpus_path
from bpe_teach.exchange.shared import (
    BYTE_SCHEMES,
    MAX_SHOWN,
    alphabet_faults,
    check_path,
    id_faults,
    import_library,
    numbering_faults,
    order_faults,
    ordinary_ids,
    put_together,
    raise_faults,
    read_file,
    read_json,
    read_merge,
    size_faults,
    spelling_faults,
)
from bpe_teach.fast_encode import merge_by_rank
from bpe_teach.files import naming_file
from bpe_teach.learn import Merge
from bpe_teach.schemes import BYTES, Scheme, find_scheme
from bpe_teach.storage import require
from bpe_teach.tokenizer import Tokenizer

__all__ = ["from_gpt2", "from_tiktoken", "to_tiktoken"]

END = "<|endoftext|>"

# What finding the merges behind ranks may cost. o200k_base costs 13 million and 0.7 million.
MAX_SQUARES = 150_000_000  # sum of (bytes of a token) squared
MAX_STEPS = 5_000_000  # merges undone


# GPT-2's two files


def from_gpt2(
    vocab_bpe: str | os.PathLike | None = None, encoder_json: str | os.PathLike | None = None
) -> Tokenizer:
    """Read GPT-2's tokenizer, with GPT-2's own ids, from the two files in which it was published.

    Without paths the files are the corpora ``gpt2_merges`` and ``gpt2_vocab``, downloaded once.
    ``from_gpt2().encode("low lower")`` is ``[9319, 2793]``.

    Raises ValueError, with all faults, if a file is broken or the two do not fit each other.
    """
    if vocab_bpe is None:
        vocab_bpe = corpus_path("gpt2_merges")
    if encoder_json is None:
        encoder_json = corpus_path("gpt2_vocab")
    check_path(vocab_bpe, "the path of a vocab.bpe")
    check_path(encoder_json, "the path of an encoder.json")
    with naming_file(vocab_bpe):
        merges = read_merges(read_file(vocab_bpe))
    with naming_file(encoder_json):
        ids = read_json(read_file(encoder_json))
        require(isinstance(ids, dict), "it is not an object of tokens and their ids")
        raise_faults(size_faults({"tokens": ids}))
        raise_faults(chain(id_faults(ids, str), alphabet_faults(ids)))
    with naming_file(f"{os.fspath(vocab_bpe)} with {os.fspath(encoder_json)}"):
        raise_faults(numbering_faults(ids, merges, [END]))
        return put_together("gpt2", ids, merges, [END])


def read_merges(content: bytes) -> list[Merge]:
    """Read the merges of a vocab.bpe, one a line; a first line that tells a version is left out.

    >>> read_merges("#version: 0.2\\nl o\\nĠ lo\\n".encode())
    [Merge(left=b'l', right=b'o', count=0), Merge(left=b' ', right=b'lo', count=0)]

    Raises ValueError that lists every line that is not a merge of what is made before it.
    """
    text = content.decode("utf-8")
    lines = text.removesuffix("\n").split("\n")
    first = 1  # the number of the line that holds the first merge
    if lines[0].startswith("#version"):
        del lines[0]
        first = 2
    raise_faults(size_faults({"lines": lines}))
    raise_faults(spelling_faults(lines, "line", first))
    merges = [read_merge(line) for line in lines]
    raise_faults(order_faults(merges, "line", first))
    return merges


# tiktoken's ranks


class Row(NamedTuple):
    """A token and its rank; ``place`` says where they stand: "line 7: ", or nothing."""

    place: str
    token: bytes
    rank: int


def from_tiktoken(
    ranks: Mapping[bytes, int] | str | os.PathLike,
    scheme: str | Scheme,
    special_tokens: Mapping[str, int] | None = None,
) -> Tokenizer:
    """Turn a vocabulary of tiktoken, tokens with ranks but no merges, into a `Tokenizer`.

    ``ranks`` maps tokens to ranks, or is a .tiktoken file: in each line a token in base64, a space,
    its rank. The first 256 are the single bytes. Ids of special tokens must follow without a hole.

    Why ranks are enough, if they come from training: think of the moment when training merged x
    and y into the token of rank r. All that lower ranks can merge had been merged by then, and
    nothing across the ends of xy. So these merges had made of the bytes of xy just what they make
    of them when xy stands alone: x and y. To find them again, encode the token with the tokens of
    lower rank: two parts are left, and they are its merge.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ow": 256, b"low": 257}
    >>> [merge.pair for merge in from_tiktoken(ranks, "gpt2").merges]
    [(b'o', b'w'), (b'l', b'ow')]

    Raises ValueError, with all faults, if a line is something else, if ranks or ids leave holes, or
    if a token is not left in two parts. So it does for tokens so long that this would take minutes.
    """
    scheme = find_scheme(scheme)
    require(
        scheme.units is bytes, f"scheme {scheme.name!r} has no bytes; take one of {BYTE_SCHEMES}"
    )
    specials = {} if special_tokens is None else special_tokens
    with naming_file("special_tokens"):
        is_mapping = isinstance(specials, Mapping)
        require(is_mapping, f"give names with their ids, not {type(specials).__name__}")
        raise_faults(id_faults(specials, str))
    if isinstance(ranks, Mapping):
        with naming_file("ranks"):
            raise_faults(id_faults(ranks, bytes))
            rows = [Row("", token, rank) for token, rank in ranks.items()]
            alphabet, merges = recover_merges(rows)
    else:
        wanted = "tokens with their ranks (an Encoding has them in _mergeable_ranks) or a path"
        check_path(ranks, wanted)
        with naming_file(ranks):
            alphabet, merges = recover_merges(read_rows(read_file(ranks)))
    names = sorted(specials, key=specials.get)
    with naming_file("special_tokens"):
        tok = Tokenizer(scheme, alphabet, merges, names)
        raise_faults(_special_faults(specials, tok.special_tokens))
    return tok


def _special_faults(given: Mapping[str, int], expected: Mapping[str, int]) -> Iterator[str]:
    """Check that special tokens have the ids that follow those of all other tokens."""
    for name, i in expected.items():
        if given[name] != i:
            order = "special tokens follow the other tokens without holes"
            yield f"{name!r:.80} has the id {given[name]!r:.80}, not {i}: {order}"


def read_rows(content: bytes) -> list[Row]:
    """Read lines of tiktoken: a token in base64, a space, its rank.

    >>> read_rows(b"bG93 257\\n")
    [Row(place='line 1: ', token=b'low', rank=257)]

    Raises ValueError that lists every line that is something else.
    """
    lines = content.splitlines()
    raise_faults(size_faults({"lines": lines}))
    rows = []
    known = set()
    faults = []
    for number, line in enumerate(lines, 1):
        if not line:
            continue
        place = f"line {number}: "
        try:
            token, rank = _read_line(line)
        except ValueError as fault:
            faults.append(f"{place}{fault}")
            continue
        if token in known:
            faults.append(f"{place}the token {token!r:.80} is there twice")
        known.add(token)
        rows.append(Row(place, token, rank))
    raise_faults(faults)
    return rows


def _read_line(line: bytes) -> tuple[bytes, int]:
    """Read a token and its rank; ten digits are enough for a rank."""
    token, _, rank = line.partition(b" ")
    wanted = f"{line!r:.80} is not a token in base64, a space and a rank"
    require(rank.isdigit() and len(rank) <= 10, wanted)
    try:
        return binascii.a2b_base64(token, strict_mode=True), int(rank)
    except ValueError as error:
        raise ValueError(f"{wanted} ({error})") from error


def to_tiktoken(tok: Tokenizer):
    """Turn a tokenizer of bytes into a `tiktoken.Encoding` with the same ids.

    Its ``encode_ordinary(text)`` is ``tok.encode(text)``, and ``allowed_special`` means the same.

    >>> to_tiktoken(Tokenizer.train("low", scheme="words", num_merges=0))
    Traceback (most recent call last):
    ValueError: scheme 'words' cannot be carried over; ['bytes', 'gpt2', 'cl100k', 'o200k'] can

    Raises ValueError for schemes of characters, for merges that ranks alone cannot express, and for
    a special token that begins with another one, because tiktoken takes either.
    """
    ranks = ordinary_ids(tok)
    rows = [Row("", token, rank) for token, rank in ranks.items()]
    _, recovered = recover_merges(rows)
    raise_faults(_expression_faults(tok.merges, recovered))
    raise_faults(_prefix_faults(tok.special_tokens))
    return import_library("tiktoken").Encoding(
        tok.scheme.name,
        pat_str=tok.scheme.pattern or r"(?s:.+)",
        mergeable_ranks=ranks,
        special_tokens=tok.special_tokens,
    )


def _expression_faults(merges: Iterable[Merge], recovered: Iterable[Merge]) -> Iterator[str]:
    """Check that merges are those that follow from the ranks."""
    for merge, found in zip(merges, recovered, strict=True):
        if merge.pair != found.pair:
            yield f"{merge.token!r:.80} is made of {merge.pair}; by ranks it would be {found.pair}"


def _prefix_faults(special_tokens: Iterable[str]) -> Iterator[str]:
    """Check that no special token begins with another one."""
    for one, two in pairwise(sorted(special_tokens)):
        if two.startswith(one):
            yield f"special token {two!r} begins with special token {one!r}"


# the merges behind the ranks


def recover_merges(rows: Iterable[Row]) -> tuple[list[bytes], list[Merge]]:
    """Find the alphabet and the merges of a vocabulary that gives only ranks.

    >>> tokens = [*BYTES, b"ow", b"low"]
    >>> alphabet, merges = recover_merges(Row("", token, i) for i, token in enumerate(tokens))
    >>> [merge.pair for merge in merges]
    [(b'o', b'w'), (b'l', b'ow')]

    Raises ValueError, with all faults, if the ranks leave holes or a token is not made by a merge.
    """
    rows = sorted(rows, key=lambda row: row.rank)
    raise_faults(chain(size_faults({"tokens": rows}), _length_faults(rows)))
    tokens = [row.token for row in rows]
    alphabet = tokens[:256]
    faults = [*_rank_faults(rows), *_byte_faults(alphabet)]
    if set(alphabet) != set(BYTES):
        raise_faults(faults)
    finder = _MergeFinder(tokens)
    merges = []
    for number in range(256, len(tokens)):
        if finder.find(number):
            left, right = finder.parts[number]
            merges.append(Merge(tokens[left], tokens[right], 0))
    raise_faults(chain(faults, _unreachable_faults(rows, finder)))
    return alphabet, merges


def _length_faults(rows: list[Row]) -> Iterator[str]:
    """Check that the tokens are not so long that finding their merges would take minutes."""
    squares = sum(len(row.token) ** 2 for row in rows)
    if squares > MAX_SQUARES:
        place, token, _ = max(rows, key=lambda row: len(row.token))
        yield (
            f"{place}token {token[:20]!r}… has {len(token):,} bytes: with such tokens the squares "
            f"of all lengths come to {squares:,}, more than {MAX_SQUARES:,}"
        )


def _rank_faults(rows: Iterable[Row]) -> Iterator[str]:
    """Check that ranks, which come in order, are 0, 1, 2, …"""
    expected = 0
    for place, token, rank in rows:
        if rank == expected - 1:
            yield f"{place}token {token!r:.80} has the rank {rank}, which another token has"
            continue
        if rank == expected + 1:
            yield f"rank {expected} is missing"
        elif rank > expected:
            yield f"ranks {expected} to {rank - 1} are missing"
        expected = rank + 1


def _byte_faults(alphabet: list[bytes]) -> Iterator[str]:
    """Check that the tokens of lowest rank are the single bytes."""
    missing = sorted(set(BYTES) - set(alphabet))
    if missing:
        some = ", ".join(map(repr, missing[:3]))
        yield f"the ranks 0 to 255 are not those of the single bytes: {some} … are not among them"


def _unreachable_faults(rows: list[Row], finder: "_MergeFinder") -> Iterator[str]:
    """Check that every token but the single bytes is made by a merge."""
    shown = 0
    for number in range(256, len(rows)):
        if finder.parts[number] is None:
            place, token, rank = rows[number]
            fault = f"{place}token {token!r:.80} cannot be reached"
            if shown < MAX_SHOWN:  # the others are only counted, so no work is spent on them
                parts = finder.count_parts(number)
                fault += f": the ranks below {rank} leave it in {parts} parts, not 2"
            shown += 1
            yield fault


class _MergeFinder:
    """Finds the two tokens of lower rank that were merged into a token.

    Encoding each token from its bytes would do, but slowly. Quicker: cut it where both parts are
    known tokens. How these are made is known, too: only the border between them is left to check.

    A token goes by its number: the 256 bytes come first, then the others, lowest rank first. In
    this order, too, they are to be found.
    """

    def __init__(self, tokens: list[bytes]):
        self.tokens = tokens
        self.numbers = {}  # token -> number, for tokens that are known
        for number, token in enumerate(tokens[:256]):
            self.numbers[token] = number
        self.parts = [None] * len(tokens)  # number of a token -> numbers of the two merged into it
        self.made = {}  # numbers of the two -> number of the token
        self.steps = 0

    def find(self, number: int) -> bool:
        """Find the parts of a token; False if lower ranks do not leave it in two."""
        token = self.tokens[number]
        for cut in range(1, len(token)):
            left = self.numbers.get(token[:cut])
            if left is None:
                continue
            right = self.numbers.get(token[cut:])
            if right is not None and self._border_holds(left, right):
                self.numbers[token] = number
                self.parts[number] = (left, right)
                self.made[left, right] = number
                return True
            if self.steps > MAX_STEPS:
                fault = "there are too many ways to cut its tokens in two"
                raise ValueError(f"{fault}: {MAX_STEPS:,} steps do not settle them")
        return False

    def _border_holds(self, left: int, right: int) -> bool:
        """Say whether encoding makes both tokens whole, with no merge across their border before.

        To see what stood at the border before, undo the merges beside it, the latest first. Two
        symbols that stood there up to a merge of rank ``end`` were left alone if their own merge
        comes later, or if they have none.
        """
        steps = 0
        holds = True
        while holds and (left > 255 or right > 255):
            steps += 1
            if left > right:
                end = left
                left = self.parts[left][1]
            else:
                end = right + 1  # at the same rank the pair across comes first: it is further left
                right = self.parts[right][0]
            holds = self.made.get((left, right), end) >= end
        self.steps += steps
        return holds

    def count_parts(self, number: int) -> int:
        """Encode a token with the tokens of lower rank; count the parts it is left in."""
        ranks = {pair: rank for pair, rank in self.made.items() if rank < number}
        ids = [self.numbers[BYTES[byte]] for byte in self.tokens[number]]
        merge_by_rank(ids, ranks, range(number))
        return len(ids)
