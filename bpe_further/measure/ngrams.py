"""Counters of n-grams: the simplest language models, which every other model has to beat.

A counter of order n looks at the last n - 1 tokens, the *context*, and expects the tokens that have
followed this context before. A counter of order 1 looks at no context and knows only which tokens
are frequent. If a token has never followed a context, the next shorter context decides. To give
such a token a probability is called *smoothing*; the method of this module is interpolated modified
Kneser-Ney (Chen and Goodman 1999, section 3).
"""

import math
from collections import Counter
from collections.abc import Iterable
from functools import reduce

from bpe_teach.fast.tokenizer import Tokenizer

Counts = dict[tuple, dict[int, int]]  # context -> {token: number}

DISCOUNTS = [0, 0.75, 0.75, 0.75]  # for texts that are too short to estimate discounts


class NgramCounter:
    """Counts of the tokens that follow each context in a text, and probabilities of the next token.

    A part of every count, the discount, is taken away and shared among all tokens. These shares are
    proportional to the tokens' probabilities after the next shorter context. If no shorter context
    is left, the shares are equal. For the longest context, we count how often a token has followed
    the context. For a shorter context, we count how many distinct tokens came before the context
    and the token (Kneser and Ney 1995). For example, *Francisco* may be frequent, but if it only
    ever followed *San*, nobody expects it anywhere else.

    >>> counter = NgramCounter([0, 1, 0, 1, 0, 2], vocab_size=3, order=2)
    >>> counter.followers[(0,)], counter.continuations[()]
    ({1: 2, 2: 1}, {1: 1, 0: 1, 2: 1})
    >>> round(counter.probability((0,), 1), 4)  # 1.25 of 3, and a third of the 1.5 given away
    0.5833
    >>> round(sum(counter.probability((0,), token) for token in range(3)), 4)
    1.0

    Raises ValueError if there are no ids, for ids that are not in the vocabulary, and for an order
    that is not from 1 to 500.
    """

    def __init__(self, ids: list[int], vocab_size: int, order: int):
        check_ids(ids, vocab_size)
        if not 1 <= order <= 500:  # more would be too deep: each context asks for the next shorter
            raise ValueError(f"order must be 1 (without context) to 500, not {order}")
        self.vocab_size = vocab_size
        self.order = order
        self.followers = {}  # context -> {token: how often it followed}
        self.continuations = {}  # context -> {token: how many distinct tokens came before the two}
        self._of_longest = _Shares(self.followers)
        self._of_shorter = _Shares(self.continuations)
        self._known = {}  # n-gram that was asked for -> its probability, from continuations
        for n in range(1, order + 1):
            grams = Counter(zip(*(ids[i:] for i in range(n)), strict=False))  # each with its count
            self._of_longest.add(grams, n)
            if n > 1:
                self._of_shorter.add(Counter(gram[1:] for gram in grams), n - 1)

    def probability(self, context: tuple[int, ...], token: int) -> float:
        """Return a token's probability after the last order - 1 ids of a context."""
        start = max(len(context) - self.order + 1, 0)
        return self._mix(self._of_longest, context[start:], token)

    def _mix(self, shares: "_Shares", context: tuple[int, ...], token: int) -> float:
        """Return a token's probability, from the shares after its context and shorter contexts."""
        shorter = 1 / self.vocab_size  # the guess of somebody who knows nothing
        if context:
            gram = (*context[1:], token)
            if gram not in self._known:
                self._known[gram] = self._mix(self._of_shorter, context[1:], token)
            shorter = self._known[gram]
        return shares.mix(context, token, shorter) if context in shares.followers else shorter

    def bits(self, ids: list[int], order: int | None = None) -> float:
        """Return how many bits a text of ids takes, including its first token.

        ``order`` may be lower than the order of the counter; nothing has to be counted again.

        >>> counter = NgramCounter([0, 1, 0, 1, 0, 2], vocab_size=3, order=2)
        >>> round(counter.bits([0, 1]), 3), round(counter.bits([0, 1], order=1), 3)
        (1.778, 2.585)

        Raises ValueError for ids outside the vocabulary, and for an order that wasn't counted.
        """
        check_ids(ids, self.vocab_size)
        reach = self._reach(order)
        bits = 0.0
        for place, token in enumerate(ids):
            start = max(place - reach, 0)
            context = tuple(ids[start:place])
            bits -= math.log2(self.probability(context, token))
        return bits

    def _reach(self, order: int | None) -> int:
        """Return how many tokens a counter of this order looks back."""
        if order is None:
            order = self.order
        if not 1 <= order <= self.order:
            raise ValueError(f"order must be one that was counted, 1 to {self.order}, not {order}")
        return order - 1


def bits_of_all_cuts(
    counter: NgramCounter, tok: Tokenizer, text: str, order: int | None = None
) -> float:
    """Return how many bits a text takes if every way to cut it into tokens counts.

    The tokenizer cuts a text in one way, but different tokens may spell the same text. For a model,
    the probability of the *text* is the sum over all ways to cut the text (Cao and Rimell 2021).
    The sum is exact, and is computed from left to right: all cuts that end in the same context
    share one number.

    >>> tok = Tokenizer("chars", "ab", [("a", "b", 1)])  # the ids of a, b, ab are 0, 1, 2
    >>> counter = NgramCounter([2, 0, 1], vocab_size=3, order=1)  # each has one chance in three
    >>> one = counter.bits(tok.encode("ab"))
    >>> both = bits_of_all_cuts(counter, tok, "ab")  # ab or a b: 1/3 + 1/9
    >>> round(2**-one, 4), round(2**-both, 4)
    (0.3333, 0.4444)

    Raises ValueError for any scheme but "chars", because all other schemes split a text into words
    or lose a part of it.
    """
    if tok.scheme.name != "chars":
        raise ValueError(f"the scheme of the tokenizer must be 'chars', not {tok.scheme.name!r}")
    check_fit(counter, tok)
    reach = counter._reach(order)
    ids = {token: i for i, token in tok.vocab.items()}
    longest = max(map(len, ids))
    sums = [{} for _ in range(len(text) + 1)]  # place -> {context there: log of the sum so far}
    sums[0][()] = 0.0
    for start, here in enumerate(sums):  # where no token ends, `here` is empty
        last = min(start + longest, len(text))
        for end in range(start + 1, last + 1):
            token = ids.get(text[start:end])
            if token is None:
                continue
            there = sums[end]
            for context, so_far in here.items():
                with_token = so_far + math.log(counter.probability(context, token))
                after = (*context, token)[-reach:] if reach else ()
                others = there.get(after, -math.inf)
                there[after] = add_logs(others, with_token)
    at_the_end = list(sums[-1].values())
    if not at_the_end:
        raise ValueError("the text has characters that are not in the vocabulary")
    nats = -reduce(add_logs, at_the_end)
    return nats / math.log(2)


def add_logs(one: float, other: float) -> float:
    """Return the logarithm of a sum of two numbers, given their logarithms.

    The numbers themselves may be so small that they round to 0.
    """
    if one < other:
        one, other = other, one
    return one + math.log1p(math.exp(other - one)) if other > -math.inf else one


def check_ids(ids: list[int], vocab_size: int) -> None:
    """Raise ValueError unless there are ids, and all ids are in the vocabulary."""
    if not ids or not 0 <= min(ids) <= max(ids) < vocab_size:
        raise ValueError(f"ids must be one or more numbers from 0 to {vocab_size - 1}")


def check_fit(model, tok: Tokenizer) -> None:
    """Raise ValueError unless the vocabularies of model and tokenizer have the same size."""
    if model.vocab_size != len(tok):
        raise ValueError(f"the model has {model.vocab_size} tokens, the tokenizer {len(tok)}")


class _Shares:
    """Counts of the tokens that follow a context, and the part that is shared among all tokens."""

    def __init__(self, followers: Counts):
        self.followers = followers
        self.discounts = {}  # length of context -> discounts
        self.totals = {}  # context that was asked for -> sum of its counts, sum of the discounts

    def add(self, grams: Counter, n: int) -> None:
        """Add all n-grams of one length, each with its count."""
        self.discounts[n - 1] = _estimate_discounts(grams.values())
        for gram, number in grams.items():
            self.followers.setdefault(gram[:-1], {})[gram[-1]] = number

    def mix(self, context: tuple[int, ...], token: int, shorter: float) -> float:
        """Return a token's probability; ``shorter`` is the one after the shorter context."""
        counts = self.followers[context]
        discounts = self.discounts[len(context)]
        if context not in self.totals:
            given_away = sum(discounts[min(count, 3)] for count in counts.values())
            self.totals[context] = sum(counts.values()), given_away
        total, given_away = self.totals[context]
        count = counts.get(token, 0)
        kept = count - discounts[min(count, 3)]
        shared = given_away * shorter
        return (kept + shared) / total


def _estimate_discounts(counts: Iterable[int]) -> list[float]:
    """Return discounts for counts of 0, 1, 2, and 3 or more (Chen and Goodman's formula)."""
    how_many = Counter(counts)
    n1, n2, n3, n4 = (how_many[count] for count in (1, 2, 3, 4))
    if not (n1 and n2 and n3 and n4):
        return DISCOUNTS
    base = n1 / (n1 + 2 * n2)
    of_one = 1 - 2 * base * n2 / n1
    of_two = 2 - 3 * base * n3 / n2
    of_more = 3 - 4 * base * n4 / n3
    if min(of_two, of_more) <= 0:
        return DISCOUNTS
    return [0, of_one, of_two, of_more]
