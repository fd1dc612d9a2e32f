"""Replay: go through the merges that a program has learned, and see whether each was right.

Where several pairs are equally frequent, any of them is right, so there is no one list to compare
with. Each merge must be a most frequent pair at its moment, and the list must be as long as it can.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import pairwise

from bpe_teach.exercises.whole_programs import words_of

BYTES = [bytes([byte]) for byte in range(256)]

Counted = list[tuple[Sequence, int]]  # words, each a sequence of symbols, with their counts


def pair_tokens(merges: Iterable) -> list[tuple[bytes, bytes]]:
    """Return pairs of ids as pairs of bytes.

    >>> pair_tokens([[108, 111], [256, 119]])
    [(b'l', b'o'), (b'lo', b'w')]
    """
    tokens = list(BYTES)
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
    """Return how many merges there are before the first that spells a token again.

    From there on two right programs part: for one it is the same token, for another a new one.

    >>> count_distinct([[97, 97], [97, 256], [256, 97], [97, 98]])
    2
    """
    known = set()
    for left, right in pair_tokens(merges):
        if left + right in known:
            break
        known.add(left + right)
    return len(known)


def training_fault(request: Mapping, merges) -> str | None:
    """Return what is wrong with the merges for a request to train; None if nothing is.

    >>> request = {"do": "train_words", "words": [["abc", 2], ["bc", 1]], "merges": 9}
    >>> print(training_fault(request, [["b", "c"], ["a", "bc"]]))
    None
    >>> training_fault(request, [["a", "b"], ["ab", "c"]])
    "merge 0, ['a', 'b'], occurs 2 times, but another pair 3 times"
    >>> training_fault(request, [["b", "c"]])
    'it stops after 1, though a pair is left'
    """
    wanted = request["merges"]
    try:
        pairs = [(left, right) for left, right in merges]
        if request["do"] == "train_words":
            return _replay(request["words"], wanted, pairs)
        if not all(type(i) is int and i >= 0 for pair in pairs for i in pair):
            return "ids are whole numbers from 0 up"
        spelled = pair_tokens(pairs)
    except (TypeError, ValueError, IndexError):
        return "that is no list of pairs, each of symbols that exist before it"
    words = [(word.encode("utf-8"), times) for word, times in words_of(request)]
    tokens = [([BYTES[byte] for byte in word], times) for word, times in words]
    fault = _replay(tokens, wanted, spelled)
    if fault is None:
        return None
    # Two pairs with the same spelling make one token in our functions, but two in many programs.
    return fault if _replay(words, wanted, pairs, range(256, 256 + len(pairs))) else None


def _replay(
    words: Counted, wanted: int, pairs: Sequence, ids: Sequence[int] | None = None
) -> str | None:
    """Return what is wrong. A merge makes the next of the ids, or else the pair's sum."""
    for rank, pair in enumerate(pairs):
        counts = _count(words)
        if rank == wanted:
            return f"{len(pairs)} merges, where {wanted} were asked for"
        if not counts:
            return f"it goes on after {rank}, though no pair is left"
        most = max(counts.values())
        if counts[pair] < most:
            shown = f"merge {rank}, {[*pair]}, occurs {counts[pair]} times"
            return f"{shown}, but another pair {most} times"
        new = pair[0] + pair[1] if ids is None else ids[rank]
        words = [(_merge(word, pair, new), times) for word, times in words]
    if len(pairs) < wanted and _count(words):
        return f"it stops after {len(pairs)}, though a pair is left"
    return None


def _count(words: Counted) -> Counter:
    counts = Counter()
    for word, times in words:
        for pair in pairwise(word):
            counts[pair] += times
    return counts


def _merge(word: Sequence, pair: tuple, new: Hashable) -> list:
    merged = []
    i = 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            merged.append(new)
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return merged
