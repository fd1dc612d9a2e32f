"""Ranks: the merges behind a table that has only tokens and their ranks.

Encoding doesn't need the merges, because a pair has the rank of the token that it makes. The merges
are recovered for people who want to see them, or to write them to a file.
"""

from collections.abc import Iterable, Mapping
from heapq import heappop, heappush

from bpe_further.exchange.shared import raise_faults, require
from bpe_teach.fast.encode import RanksOfTokens, merge_by_rank
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import BYTES

MAX_SQUARES = 150_000_000  # most that finding merges may cost: the sum of (bytes of a token)²


def check_ranks(ranks: Mapping[Symbol, int]) -> None:
    """Raise ValueError, with all faults, for ranks from which no merges can be recovered.

    This is the case if no token is a single byte, if a token has a part without a rank, or if
    finding the merges would take minutes.
    """
    singles = single_symbols(ranks)
    require(not singles.isdisjoint(ranks), "none of its tokens is a single byte")
    lengths = list(map(len, ranks))
    squares = max(lengths) * sum(lengths)  # an upper limit, which is nearly always low enough
    if squares > MAX_SQUARES:
        squares = sum(length**2 for length in lengths)
    if squares > MAX_SQUARES:
        longest = max(sorted(ranks, key=ranks.get), key=len)
        raise ValueError(
            f"token {longest[:20]!r}… has {len(longest):,} bytes: with such tokens the squares of "
            f"all lengths come to {squares:,}, more than {MAX_SQUARES:,}"
        )
    if not ranks.keys() >= singles:
        recover_merges(ranks)  # only the merges tell whether a token has a part without a rank


def merge_leftmost(ids: list[int], ranks: RanksOfTokens, id_of_pair: RanksOfTokens) -> list[int]:
    """Encode ids by rank, in place; if pairs share the lowest rank, merge the leftmost pair first.

    Return the ranks of the merges that were made, in order. If no two tokens share a rank, this
    function does the same as `merge_by_rank`. But here tokens may share a rank, so only the pair
    tells which token is made.

    >>> symbols = {0: "a", 1: "b", 2: "c", 3: "bc", 4: "ab"}
    >>> ids = [0, 1, 2]
    >>> ranks = RanksOfTokens(symbols, {"bc": 7, "ab": 7})
    >>> merge_leftmost(ids, ranks, RanksOfTokens(symbols, {"bc": 3, "ab": 4})), ids
    ([7], [4, 2])
    """
    used = []
    end = len(ids)
    before = list(range(-1, end - 1))  # position -> position of the neighbour on the left
    after = list(range(1, end + 1))  # position -> position of the neighbour on the right
    queue = []  # a heap of ranks, each with the position of the left symbol and the pair

    def look_at(left: int, right: int) -> None:
        if left >= 0 and right < end:
            pair = ids[left], ids[right]
            rank = ranks.get(pair)
            if rank is not None:
                heappush(queue, (rank, left, pair))

    for i in range(1, end):
        look_at(i - 1, i)
    while queue:
        rank, i, pair = heappop(queue)
        j = after[i]
        if j == end or (ids[i], ids[j]) != pair:
            continue  # out of date: one of the two symbols has been merged, and may be None
        used.append(rank)
        ids[i] = id_of_pair.get(pair)
        ids[j] = None
        after[i] = after[j]
        if after[i] < end:
            before[after[i]] = i
        look_at(before[i], i)
        look_at(i, after[i])
    ids[:] = [i for i in ids if i is not None]
    return used


def single_symbols(tokens: Iterable[Symbol]) -> set[Symbol]:
    """Return the single bytes or characters that occur in tokens.

    >>> sorted(single_symbols([b"lo", b"low"]))
    [b'l', b'o', b'w']
    """
    tokens = list(tokens)
    if tokens and isinstance(tokens[0], str):
        return set("".join(tokens))
    # To delete the bytes that occur from all bytes is ten times as fast as making a set.
    missing = bytes(range(256)).translate(None, delete=b"".join(tokens))
    return set(BYTES) - {BYTES[byte] for byte in missing}


def recover_merges(ranks: Mapping[Symbol, int]) -> tuple[list[Merge], list[Symbol]]:
    """Find the merges behind ranks, and the longer tokens that no merge makes.

    Each token is encoded without the help of the token itself. The two tokens that result are the
    parts of its merge. As in tiktoken, tokens of higher rank may be used, too; after training this
    makes no difference.

    >>> ranks = {b"l": 0, b"o": 1, b"w": 2, b"ow": 3, b"low": 4, b"slower": 5}
    >>> merges, unmerged = recover_merges(ranks | {b"s": 6, b"e": 7, b"r": 8})
    >>> [merge.pair for merge in merges], unmerged
    ([(b'o', b'w'), (b'l', b'ow')], [b'slower'])

    Raises ValueError, with all faults, for a token that is merged from a byte without a rank.
    """
    in_order = sorted(ranks, key=ranks.get)
    symbols = [*in_order, *(single_symbols(in_order) - ranks.keys())]
    numbers = {symbol: number for number, symbol in enumerate(symbols)}
    others = {token: numbers[token] for token in in_order}  # all but the token that is encoded
    ranks_of_pairs = RanksOfTokens(dict(enumerate(symbols)), others)
    merges = []
    unmerged = []
    faults = []
    for token in in_order:
        if len(token) < 2:
            continue  # a byte, or Whisper's empty token
        parts = [numbers[token[i : i + 1]] for i in range(len(token))]
        rank = others.pop(token)
        merge_by_rank(parts, ranks_of_pairs, range(len(symbols)))
        others[token] = rank
        if len(parts) != 2:
            unmerged.append(token)
            continue
        left, right = (symbols[part] for part in parts)
        merges.append(Merge(left, right, 0))
        for part in (left, right):
            if part not in ranks:  # tiktoken needs none for a single byte
                faults.append(f"token {token!r:.80} is merged from {part!r}, which has no rank")
    raise_faults(faults)
    return merges, unmerged
