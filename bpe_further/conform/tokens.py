"""Tokens: what ids stand for, if merges are given as pairs of ids."""

from collections.abc import Iterable, Mapping, Sequence

from bpe_teach.schemes import BYTES


def pair_tokens(merges: Iterable, tokens: Sequence = BYTES) -> list[tuple]:
    """Return pairs of ids as pairs of bytes; the first ids stand for the given tokens."""
    tokens = list(tokens)
    pairs = []
    for left, right in merges:
        pairs.append((tokens[left], tokens[right]))
        tokens.append(tokens[left] + tokens[right])
    return pairs


def make_vocab(merges: Iterable, special: Mapping[str, int]) -> dict[int, bytes]:
    """Return the vocabulary of merges and special tokens: id -> bytes."""
    tokens = BYTES + [left + right for left, right in pair_tokens(merges)]
    return dict(enumerate(tokens)) | {i: name.encode("utf-8") for name, i in special.items()}


def count_distinct(merges: Iterable) -> int:
    """Return how many merges come before the first one that spells an existing token again.

    From there on two right programs may differ: to one of them it is the same token, to the other
    a new token.

    >>> count_distinct([[97, 97], [97, 256], [256, 97], [97, 98]])
    2
    """
    known = set()
    merges = list(merges)
    are_ids = all(type(i) is int for pair in merges for i in pair)
    for left, right in pair_tokens(merges) if are_ids else merges:
        if left + right in known:
            break
        known.add(left + right)
    return len(known)
