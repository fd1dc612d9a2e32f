"""OpenAI: GPT-2's two files come in; the ranks of tiktoken come in and go out.

A .tiktoken file holds tokens and ranks but no merges: those are found again, see `from_tiktoken`.
"""

from __future__ import annotations

import binascii
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import chain, pairwise
from typing import NamedTuple

from bpe_teach.corpora import corpus_path
from bpe_teach.exchange.published import PublishedTokenizer
from bpe_teach.exchange.schemes import published_scheme
from bpe_teach.exchange.shared import (
    BYTE_OF,
    BYTE_SCHEMES,
    alphabet_faults,
    check_path,
    id_faults,
    import_library,
    numbering_faults,
    order_faults,
    ordinary_ids,
    pattern_faults,
    raise_faults,
    read_file,
    read_json,
    read_merge,
    require,
    size_faults,
    spelling_faults,
)
from bpe_teach.fast.borders import Borders
from bpe_teach.fast.files import errors_name
from bpe_teach.learn import Merge
from bpe_teach.schemes import BYTES, Scheme, find_scheme  # noqa: F401 BYTES is for examples
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
    with errors_name(vocab_bpe):
        merges = read_merges(read_file(vocab_bpe))
    with errors_name(encoder_json):
        ids = read_json(read_file(encoder_json))
        require(isinstance(ids, dict), "it is not an object of tokens and their ids")
        raise_faults(size_faults({"tokens": ids}))
        raise_faults(chain(id_faults(ids, str), alphabet_faults(ids)))
    with errors_name(f"{os.fspath(vocab_bpe)} with {os.fspath(encoder_json)}"):
        raise_faults(numbering_faults(ids, merges, [END]))
        alphabet = [BYTE_OF[character] for character in sorted(BYTE_OF, key=ids.get)]
        return PublishedTokenizer("gpt2", alphabet, merges, [END])


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
    try:
        merges = [read_merge(line) for line in lines]
    except ValueError:
        raise_faults(spelling_faults(lines, "line", first))  # all of them
        raise
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
    its rank. The rank of a token is its id; there may be holes. So may the ids of special tokens
    be any, and two may share one.

    Why ranks are enough, if they come from training: think of the moment when training merged x
    and y into the token of rank r. All that lower ranks can merge had been merged by then, and
    nothing across the ends of xy. So these merges had made of the bytes of xy just what they make
    of them when xy stands alone: x and y. To find them again, encode the token with the tokens of
    lower rank: two parts are left, and they are its merge.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ow": 256, b"low": 257}
    >>> [merge.pair for merge in from_tiktoken(ranks, "gpt2").merges]
    [(b'o', b'w'), (b'l', b'ow')]

    When they are not enough: some published tokens do not come from this training. tiktoken looks
    for whole words first, so it finds them where a word is one of them, and nowhere else. Then
    ``whole_words`` is true, and ``notes`` says how many there are.

    >>> tok = from_tiktoken(ranks | {b"slower": 258}, "gpt2")
    >>> tok.encode("slower"), tok.encode("slowers")
    ([258], [115, 257, 101, 114, 115])
    >>> tok.notes
    ["1 token is found only as a whole word, because no merge makes it: b'slower'"]

    Raises ValueError, with all faults, if a line is something else or two tokens have one rank. So
    it does for tokens so long that this would take minutes.
    """
    scheme = find_scheme(scheme)
    require(
        scheme.units is bytes, f"scheme {scheme.name!r} has no bytes; take one of {BYTE_SCHEMES}"
    )
    specials = {} if special_tokens is None else special_tokens
    with errors_name("special_tokens"):
        is_mapping = isinstance(specials, Mapping)
        require(is_mapping, f"give names with their ids, not {type(specials).__name__}")
        raise_faults(id_faults(specials, str))
    if isinstance(ranks, Mapping):
        source = "ranks"
        with errors_name(source):
            raise_faults(id_faults(ranks, bytes))
            rows = [Row("", token, rank) for token, rank in ranks.items()]
            found = recover_merges(rows)
    else:
        wanted = "tokens with their ranks (an Encoding has them in _mergeable_ranks) or a path"
        check_path(ranks, wanted)
        source = ranks
        with errors_name(source):
            rows = read_rows(read_file(source))
            found = recover_merges(rows)
    ids = {row.token: row.rank for row in rows}
    names = dict(sorted(specials.items(), key=lambda item: item[1]))
    with errors_name("special_tokens"):
        tok = PublishedTokenizer(
            scheme, found.alphabet, found.merges, names, ids=ids, whole_words=any(found.extra)
        )
    tok.notes += _extra_notes([token for token in found.extra if token])
    return tok


def _extra_notes(extra: list[bytes]) -> Iterator[str]:
    """Say which tokens no merge makes."""
    some = ", ".join(f"{token!r:.40}" for token in extra[:3])
    if len(extra) == 1:
        yield f"1 token is found only as a whole word, because no merge makes it: {some}"
    elif extra:
        more = " …" * (len(extra) > 3)
        yield (
            f"{len(extra):,} tokens are found only as whole words, because no merge makes them: "
            f"{some}{more}"
        )


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
    if token == b"=":
        token = b""  # as Whisper's file has the empty token
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

    Raises ValueError for schemes of characters, for added tokens and other things that tiktoken
    does not do, for merges that ranks alone cannot express, and for a special token that begins
    with another one, because tiktoken takes either.
    """
    tok = PublishedTokenizer.of(tok)
    ranks = ordinary_ids(tok)
    found = recover_merges([Row("", token, rank) for token, rank in ranks.items()])
    raise_faults(
        chain(
            _text_faults(tok),
            _expression_faults(tok, found),
            _prefix_faults(tok.special_tokens),
        )
    )
    return import_library("tiktoken").Encoding(
        tok.scheme.name,
        pat_str=tok.scheme.pattern or r"(?s:.+)",
        mergeable_ranks=ranks,
        special_tokens=tok.special_tokens,
    )


def _text_faults(tok: PublishedTokenizer) -> Iterator[str]:
    """Check that nothing is done to a text but to split it."""
    scheme = published_scheme(tok.scheme)
    for form in scheme.normalizations:
        yield f"tiktoken has no normalization, which is {form!r} here"
    if scheme.prefix:
        yield f"tiktoken has no prefix, which is {scheme.prefix!r} here"
    if tok.added_tokens:
        some = list(tok.added_tokens)
        yield f"tiktoken has no added tokens, which are recognised in every text: {some!r:.80}"
    if tok.lstrip:
        yield f"tiktoken has no tokens that take the white space before them: {tok.lstrip!r:.80}"
    yield from pattern_faults(tok.scheme)


def _expression_faults(tok: PublishedTokenizer, found: Recovered) -> Iterator[str]:
    """Check that merges are those that follow from the ranks, and whole words taken if they are."""
    if any(found.extra) and not tok.whole_words:
        some = next(filter(None, found.extra))
        yield f"whole_words is false: tiktoken would take {some!r:.80} whole, which no merge makes"
    expected = {merge.token: merge.pair for merge in found.merges}
    for merge in tok.merges:
        pair = expected.get(merge.token)
        if merge.pair != pair:
            yield f"{merge.token!r:.80} is made of {merge.pair}; by ranks it would be {pair}"
    order = [tok.ids[merge.token] for merge in tok.merges]
    for before, after in pairwise(order):
        if before > after:
            yield f"the merge of token {after} comes after that of token {before}; ids are ranks"


def _prefix_faults(special_tokens: Iterable[str]) -> Iterator[str]:
    """Check that no special token begins with another one."""
    for one, two in pairwise(sorted(special_tokens)):
        if two.startswith(one):
            yield f"special token {two!r} begins with special token {one!r}"


# the merges behind the ranks


class Recovered(NamedTuple):
    """What stands behind ranks."""

    alphabet: list[bytes]
    merges: list[Merge]
    extra: list[bytes]  # tokens that no merge makes


def recover_merges(rows: Iterable[Row]) -> Recovered:
    """Find the alphabet and the merges of a vocabulary that gives only ranks.

    >>> tokens = [*BYTES, b"ow", b"low", b"slower"]
    >>> found = recover_merges(Row("", token, i) for i, token in enumerate(tokens))
    >>> [merge.pair for merge in found.merges], found.extra
    ([(b'o', b'w'), (b'l', b'ow')], [b'slower'])

    Raises ValueError, with all faults, if two tokens have one rank or there are no single bytes.
    """
    rows = sorted(rows, key=lambda row: row.rank)
    raise_faults(chain(size_faults({"tokens": rows}), _length_faults(rows), _rank_faults(rows)))
    alphabet = [row.token for row in rows if len(row.token) == 1]
    longer = [row.token for row in rows if len(row.token) > 1]
    require(alphabet, "none of its tokens is a single byte")
    finder = _MergeFinder([*alphabet, *longer], len(alphabet))
    odd = []  # tokens that lower ranks do not leave in two parts
    pairs = {}  # token -> the two that are merged into it
    for number, token in enumerate(longer, len(alphabet)):
        parts = finder.find(number)
        if parts:
            left, right = parts
            pairs[token] = (finder.tokens[left], finder.tokens[right])
        else:
            odd.append(token)
    if odd:
        ranks = {row.token: row.rank for row in rows}
        _settle_odd_tokens(odd, pairs, ranks)
        raise_faults(_lacking_faults(pairs, ranks))
    merges = [Merge(*pairs[token], 0) for token in longer if token in pairs]
    extra = [row.token for row in rows if len(row.token) != 1 and row.token not in pairs]
    return Recovered(alphabet, merges, extra)


def _lacking_faults(
    pairs: Mapping[bytes, tuple[bytes, bytes]], ranks: Mapping[bytes, int]
) -> Iterator[str]:
    """Check that tokens are merged from what has a rank: tiktoken needs none for a single byte."""
    for token, pair in pairs.items():
        for part in pair:
            if part not in ranks:
                yield f"token {token!r:.80} is merged from {part!r}, which has no rank of its own"


def _settle_odd_tokens(
    odd: list[bytes], pairs: dict[bytes, tuple[bytes, bytes]], ranks: Mapping[bytes, int]
) -> None:
    """Find the merges of tokens that lower ranks do not make, and of those that hold such a one.

    A merge of higher rank may make the parts of a token of lower rank. So these are encoded with
    all ranks, as tiktoken does it. That settles it: what happens within a token is the same in
    every text as long as nothing is merged across its ends, and then it is not made anyway.
    """
    budget = MAX_SQUARES // 10
    made = []  # odd tokens that merges of higher rank help to make
    for token in odd:
        budget -= len(token) ** 2
        require(budget >= 0, f"{len(odd):,} tokens, many of them long, come from no training")
        pair = _merge_alone(token, ranks)
        if pair:
            pairs[token] = pair
            made.append(token)
    if not made:
        return
    known, lengths = set(made), {len(token) for token in made}
    for token in list(pairs):
        if token not in known and _holds_one(token, known, lengths):
            budget -= len(token) ** 2
            require(budget >= 0, f"{len(odd):,} tokens, many of them long, come from no training")
            pair = _merge_alone(token, ranks)
            if pair:
                pairs[token] = pair
            else:
                del pairs[token]


def _holds_one(token: bytes, known: Collection[bytes], lengths: Collection[int]) -> bool:
    """Say whether one of some tokens is a part of a token."""
    for length in lengths:
        for start in range(len(token) - length + 1):
            if token[start : start + length] in known:
                return True
    return False


def _merge_alone(token: bytes, ranks: Mapping[bytes, int]) -> tuple[bytes, bytes] | None:
    """Encode a token by the ranks of what pairs become; return its own merge if it is made.

    >>> _merge_alone(b"abc", {b"abc": 5, b"bc": 6})
    (b'a', b'bc')
    """
    parts = [token[i : i + 1] for i in range(len(token))]
    none = float("inf")
    while len(parts) > 2:
        found = [ranks.get(left + right, none) for left, right in pairwise(parts)]
        lowest = min(found)
        if lowest == none:
            return None
        i = found.index(lowest)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return tuple(parts) if len(parts) == 2 else None


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
    """Check that no two tokens, which come in the order of their ranks, have one rank."""
    before = None
    for place, token, rank in rows:
        if rank == before:
            yield f"{place}token {token!r:.80} has the rank {rank}, which another token has"
        before = rank


class _MergeFinder:
    """Finds the two tokens of lower rank that were merged into a token.

    Encoding each token from its bytes would do, but slowly. Quicker: cut it where both parts are
    known tokens. How these are made is known, too: only the border between them is left to check.

    A token goes by its number: the single bytes come first, then the others, lowest rank first. In
    this order, too, they are to be found.
    """

    def __init__(self, tokens: list[bytes], first: int = 256):
        self.tokens = tokens
        self.numbers = {}  # token -> number, for tokens that are known
        for number, token in enumerate(tokens[:first]):
            self.numbers[token] = number
        self.borders = Borders(first, len(tokens))

    def find(self, number: int) -> tuple[int, int] | None:
        """Find the parts of a token; None if lower ranks do not leave it in two."""
        token = self.tokens[number]
        for cut in range(1, len(token)):
            left = self.numbers.get(token[:cut])
            if left is None:
                continue
            right = self.numbers.get(token[cut:])
            if right is not None and self.borders.hold(left, right):
                self.numbers[token] = number
                self.borders.add(number, left, right)
                return (left, right)
            if self.borders.steps > MAX_STEPS:
                fault = "there are too many ways to cut its tokens in two"
                raise ValueError(f"{fault}: {MAX_STEPS:,} steps do not settle them")
        return None
