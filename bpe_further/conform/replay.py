"""Replay: go through the merges that a program has learned, and see whether each was right.

If several pairs are equally frequent, any of them is right, so there is no single list to compare
with. Each merge must be a most frequent pair at its moment, and the list must be as long as it can
be.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from bpe_further.conform.tokens import pair_tokens
from bpe_further.exercises.whole_programs import PLAIN
from bpe_teach.learn import merge_words
from bpe_teach.pairs import count_pairs
from bpe_teach.schemes import BYTES


class _Tree(tuple):
    """A token that is recognized by the pair it was made of, not by its spelling."""

    def __add__(self, other):
        return _Tree((self, other))


TREES = [_Tree([byte]) for byte in range(256)]


def highest_left(request: Mapping, merges) -> int:
    """Return how often the most frequent pair occurs after the merges; 0 if there is none.

    >>> request = {"do": "train_words", "words": [["abc", 2], ["bc", 1]], "merges": 9}
    >>> highest_left(request, [["b", "c"]])
    2
    """
    pairs = [(left, right) for left, right in merges]
    words = request.get("words")
    if request["do"] == "train":
        counted = PLAIN.words(request["text"], request["split"], request.get("special", ()))
        words = [([BYTES[byte] for byte in word.encode("utf-8")], times) for word, times in counted]
        pairs = pair_tokens(pairs)
    bag = Counter()
    for word, times in words:
        bag[tuple(word)] += times
    for pair in pairs:
        bag = merge_words(bag, pair)
    return max(count_pairs(bag).values(), default=0)


def are_learned(request: Mapping, merges) -> bool:
    """Return whether a program may learn these merges when it is asked to train.

    >>> request = {"do": "train_words", "words": [["abc", 2], ["bc", 1]], "merges": 9}
    >>> are_learned(request, [["b", "c"], ["a", "bc"]])
    True
    >>> are_learned(request, [["a", "b"], ["ab", "c"]]), are_learned(request, [["b", "c"]])
    (False, False)
    """
    wanted = request["merges"]
    try:
        pairs = [(left, right) for left, right in merges]
        if request["do"] == "train_words":
            return _can_be_replayed(request["words"], wanted, pairs)
        if not all(type(i) is int and i >= 0 for pair in pairs for i in pair):
            return False
        counted = PLAIN.words(request["text"], request["split"], request.get("special", ()))
        # Pairs of the same spelling make one token in our functions, but two in many programs.
        for tokens in (BYTES, TREES):
            words = []
            for word, times in counted:
                words.append(([tokens[byte] for byte in word.encode("utf-8")], times))
            if _can_be_replayed(words, wanted, pair_tokens(pairs, tokens)):
                return True
    except (TypeError, ValueError, IndexError):  # not pairs, each of symbols that exist before it
        pass
    return False


def _can_be_replayed(words: Iterable, wanted: int, pairs: Sequence[tuple]) -> bool:
    """Return whether each pair is a most frequent one, and none is missing."""
    if len(pairs) > wanted:
        return False
    bag = Counter()  # word -> how often it occurs
    for word, times in words:
        bag[tuple(word)] += times
    for pair in pairs:
        counts = count_pairs(bag)
        if not counts or counts[pair] < max(counts.values()):
            return False
        bag = merge_words(bag, pair)
    return len(pairs) == wanted or not count_pairs(bag)
