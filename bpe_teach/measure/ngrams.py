"""Counters of n-grams: the simplest language models, which every other one has to beat.

A counter of order n looks at the last n - 1 tokens, the *context*, and expects what has followed
them before. A counter of order 1 looks at nothing and knows only which tokens are frequent.
"""

import math
from collections import defaultdict
from functools import reduce

from bpe_teach.tokenizer import Tokenizer
from bpe_teach.variants.unigram import add_logs

DISCOUNT = 0.75  # what is taken away from each count; Ney, Essen and Kneser (1994) estimate it


class NgramCounter:
    """What follows what in a text, and how probable it makes the next token.

    From every count a part is taken away, the discount, and given to the tokens that have not
    followed this context. It is shared out among them as the next shorter context says, and at the
    very end equally (absolute discounting: Ney, Essen and Kneser 1994).

    >>> counter = NgramCounter([0, 1, 0, 1, 0, 2], vocab_size=3, order=2)
    >>> counter.followers[(0,)]
    {1: 2, 2: 1}
    >>> round(counter.probability((0,), 1), 4)
    0.5833
    >>> round(sum(counter.probability((0,), token) for token in range(3)), 4)
    1.0

    Raises ValueError if there are no ids, or ids outside the vocabulary, or no order from 1 up, or
    a discount that is not between 0 and 1.
    """

    def __init__(self, ids: list[int], vocab_size: int, order: int, discount: float = DISCOUNT):
        _check_ids(ids, vocab_size)
        if order < 1:
            raise ValueError(f"order is {order}; it must be at least 1, which looks at no context")
        if not 0 < discount < 1:
            raise ValueError(f"discount is {discount}; it must be between 0 and 1")
        self.vocab_size = vocab_size
        self.order = order
        self.discount = discount
        followers = defaultdict(dict)  # context -> {token: how often it followed}
        for place, token in enumerate(ids):
            for length in range(min(order, place + 1)):
                counts = followers[tuple(ids[place - length : place])]
                counts[token] = counts.get(token, 0) + 1
        self.followers = dict(followers)
        self.totals = {  # context -> how often anything followed
            context: sum(counts.values()) for context, counts in self.followers.items()
        }

    def probability(self, context: tuple[int, ...], token: int) -> float:
        """Return the probability of a token after a context, whose last order - 1 ids are read.

        >>> counter = NgramCounter([0, 1, 0, 1, 0, 2], vocab_size=3, order=2)
        >>> counter.probability((), 0), counter.probability((2, 2, 2), 0)
        (0.5, 0.5)
        """
        probability = 1 / self.vocab_size  # what someone who knows nothing would say
        longest = min(len(context), self.order - 1)
        for length in range(longest + 1):
            shorter = context[len(context) - length :]
            if shorter not in self.followers:
                break  # then no longer one has been met either
            counts = self.followers[shorter]
            total = self.totals[shorter]
            kept = max(counts.get(token, 0) - self.discount, 0)
            given_away = self.discount * len(counts)
            probability = (kept + given_away * probability) / total
        return probability

    def bits(self, ids: list[int], order: int | None = None) -> float:
        """Return how many bits a text of ids takes, its first token included.

        A lower ``order`` than that of the counter may be tried without counting again.

        >>> counter = NgramCounter([0, 1, 0, 1, 0, 2], vocab_size=3, order=2)
        >>> round(counter.bits([0, 1]), 3), round(counter.bits([0, 1], order=1), 3)
        (1.778, 2.585)

        Raises ValueError for ids outside the vocabulary, or an order that was not counted.
        """
        _check_ids(ids, self.vocab_size)
        reach = self._reach(order)
        bits = 0.0
        for place, token in enumerate(ids):
            context = tuple(ids[max(place - reach, 0) : place])
            bits -= math.log2(self.probability(context, token))
        return bits

    def _reach(self, order: int | None) -> int:
        """Return how many tokens a counter of this order looks back."""
        if order is None:
            order = self.order
        if not 1 <= order <= self.order:
            raise ValueError(f"order is {order}; this counter has counted orders 1 to {self.order}")
        return order - 1


def bits_of_all_cuts(
    counter: NgramCounter, tok: Tokenizer, text: str, order: int | None = None
) -> float:
    """Return how many bits a text takes if every way to cut it into tokens counts.

    The tokenizer cuts a text in one way, but other tokens would spell it, too: what a model says of
    the *text* is the sum over all of them (Cao and Rimell 2021). The sum is exact. It grows from
    left to right: every cut of the first characters that ends in the same context is one number.

    >>> tok = Tokenizer("chars", "ab", [("a", "b", 1)])  # the ids of a, b, ab are 0, 1, 2
    >>> counter = NgramCounter([2, 0, 1], vocab_size=3, order=1)  # each has one chance in three
    >>> one = counter.bits(tok.encode("ab"))
    >>> both = bits_of_all_cuts(counter, tok, "ab")  # ab or a b: 1/3 + 1/9
    >>> round(2**-one, 4), round(2**-both, 4)
    (0.3333, 0.4444)

    Raises ValueError for a scheme that cuts into words or loses something: only "chars" will do.
    """
    if tok.scheme.name != "chars":
        raise ValueError(f"the scheme is {tok.scheme.name!r}; cuts are summed for 'chars' only")
    if counter.vocab_size != len(tok):
        sizes = f"the counter has {counter.vocab_size} tokens, the tokenizer {len(tok)}"
        raise ValueError(sizes)
    reach = counter._reach(order)
    ids = {token: i for i, token in tok.vocab.items()}
    longest = max(map(len, ids))
    sums = [{} for _ in range(len(text) + 1)]  # place -> {context there: log of the sum so far}
    sums[0][()] = 0.0
    for start, here in enumerate(sums):  # where no token ends, `here` is empty
        for end in range(start + 1, min(start + longest, len(text)) + 1):
            token = ids.get(text[start:end])
            if token is None:
                continue
            there = sums[end]
            for context, so_far in here.items():
                with_token = so_far + math.log(counter.probability(context, token))
                after = (*context, token)[-reach:] if reach else ()
                there[after] = add_logs(there.get(after, -math.inf), with_token)
    if not sums[-1]:
        raise ValueError("this text has characters that are not in the vocabulary")
    return -reduce(add_logs, sums[-1].values()) / math.log(2)


def _check_ids(ids: list[int], vocab_size: int) -> None:
    """Raise ValueError unless there are ids, all of them in the vocabulary."""
    if not ids or not 0 <= min(ids) <= max(ids) < vocab_size:
        raise ValueError(f"this needs ids, one or more, from 0 to {vocab_size - 1}")
