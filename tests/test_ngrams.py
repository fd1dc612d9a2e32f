"""Counters of n-grams: what follows what, discounting, and the sum over all cuts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_teach import Tokenizer
from bpe_teach.measure.ngrams import NgramCounter, bits_of_all_cuts

SIZE = 4  # of the vocabulary
IDS = st.lists(st.integers(0, SIZE - 1), min_size=1, max_size=30)
ORDERS = st.integers(1, 4)
TOK = Tokenizer.train("abababbabaabb", scheme="chars", num_merges=4, min_count=1)


def count(text, order=1):
    """Return a counter of the tokens of a text."""
    return NgramCounter(TOK.encode(text), len(TOK), order)


def test_followers_are_counted_for_contexts_of_every_length_below_the_order():
    assert NgramCounter([1, 2, 1, 2, 2], SIZE, order=3).followers == {
        (): {1: 2, 2: 3},
        (1,): {2: 2},
        (2,): {1: 1, 2: 1},
        (1, 2): {1: 1, 2: 1},
        (2, 1): {2: 1},
    }
    assert NgramCounter([1, 2], SIZE, order=1).followers == {(): {1: 1, 2: 1}}


def test_a_discount_is_taken_from_each_count_and_shared_out_by_the_shorter_context():
    counter = NgramCounter([0, 1, 0, 1, 0, 2], vocab_size=4, order=2, discount=0.5)
    alone = [(3 - 0.5 + 1.5 / 4) / 6, (2 - 0.5 + 1.5 / 4) / 6, (1 - 0.5 + 1.5 / 4) / 6, 1.5 / 24]
    after_0 = [
        alone[0] / 3,
        (1.5 + alone[1]) / 3,
        (0.5 + alone[2]) / 3,
        alone[3] / 3,
    ]
    assert [counter.probability((), i) for i in range(4)] == pytest.approx(alone)
    assert [counter.probability((0,), i) for i in range(4)] == pytest.approx(after_0)
    assert counter.probability((1, 2, 0), 1) == counter.probability((0,), 1)
    assert counter.probability((3,), 1) == counter.probability((), 1)  # 3 has never been met


@given(IDS, ORDERS, st.lists(st.integers(0, SIZE - 1), max_size=5), st.floats(0.01, 0.99))
def test_the_probabilities_of_all_tokens_add_up_to_one(ids, order, context, discount):
    counter = NgramCounter(ids, SIZE, order, discount)
    chances = [counter.probability(tuple(context), token) for token in range(SIZE)]
    assert min(chances) > 0
    assert sum(chances) == pytest.approx(1)


@given(IDS, IDS, ORDERS)
def test_a_lower_order_is_the_counter_of_that_order(ids, text, order):
    of_all_orders = NgramCounter(ids, SIZE, 4)
    alone = NgramCounter(ids, SIZE, order)
    assert of_all_orders.bits(text, order) == pytest.approx(alone.bits(text))


def test_a_text_takes_the_bits_of_each_of_its_tokens():
    counter = NgramCounter([0, 1, 0, 1, 0, 2], vocab_size=3, order=3)
    contexts = {(): 0, (0,): 1, (0, 1): 0, (1, 0): 2}
    chances = [counter.probability(context, token) for context, token in contexts.items()]
    assert counter.bits([0, 1, 0, 2]) == pytest.approx(-math.log2(math.prod(chances)))


def every_cut(text):
    """List every way to write a text as tokens."""
    if not text:
        return [[]]
    cuts = []
    for i, token in TOK.vocab.items():
        if text.startswith(token):
            cuts += [[i, *rest] for rest in every_cut(text[len(token) :])]
    return cuts


@given(st.text("ab", min_size=1, max_size=7), ORDERS)
def test_the_sum_over_all_cuts_is_that_of_the_cuts_one_by_one(text, order):
    counter = count("abababbabaabb", 4)
    chances = [2 ** -counter.bits(cut, order) for cut in every_cut(text)]
    assert 2 ** -bits_of_all_cuts(counter, TOK, text, order) == pytest.approx(sum(chances))


def test_a_long_text_has_a_sum_that_is_too_small_for_a_number_but_not_for_its_logarithm():
    counter = count("abababbabaabb")
    text = "abbaba" * 1000
    bits = bits_of_all_cuts(counter, TOK, text)
    assert 1100 < bits < counter.bits(TOK.encode(text)) - 100
    assert 2**-bits == 0


WORDS = Tokenizer.train("ab ab", scheme="gpt2", num_merges=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: NgramCounter([], 3, 2), "ids, one or more, from 0 to 2"),
        (lambda: NgramCounter([3], 3, 2), "ids, one or more, from 0 to 2"),
        (lambda: NgramCounter([0], 3, 0), "order is 0; it must be at least 1"),
        (lambda: NgramCounter([0], 3, 2, discount=1), "discount is 1; it must be between 0 and 1"),
        (lambda: NgramCounter([0], 3, 2, discount=0), "discount is 0; it must be between 0 and 1"),
        (lambda: NgramCounter([0], 3, 2).bits([0], 3), "order is 3; this counter has counted"),
        (lambda: NgramCounter([0], 3, 2).bits([0], 0), "order is 0; this counter has counted"),
        (lambda: NgramCounter([0], 3, 2).bits([3]), "ids, one or more, from 0 to 2"),
        (lambda: bits_of_all_cuts(count("ab"), WORDS, "ab"), "the scheme is 'gpt2'"),
        (lambda: bits_of_all_cuts(NgramCounter([0], 3, 1), TOK, "ab"), "the counter has 3 tokens"),
        (lambda: bits_of_all_cuts(count("ab"), TOK, "axb"), "characters that are not in"),
    ],
)
def test_what_is_not_allowed_is_said(call, message):
    with pytest.raises(ValueError, match=message):
        call()
