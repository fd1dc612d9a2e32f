"""Counters of n-grams: what follows what, discounts, and the sum over all cuts."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_variants_pieces import every_cut

from bpe_further.measure.ngrams import (
    DISCOUNTS,
    NgramCounter,
    _estimate_discounts,
    bits_of_all_cuts,
)
from bpe_teach import Tokenizer

SIZE = 4  # of the vocabulary
IDS = st.lists(st.integers(0, SIZE - 1), min_size=1, max_size=30)
ORDERS = st.integers(1, 4)
TOK = Tokenizer.train("abababbabaabb", scheme="chars", num_merges=4, min_count=1)


def count(text, order=1):
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


def test_shorter_contexts_count_after_how_many_tokens_and_not_how_often():
    counter = NgramCounter([0, 3, 0, 3, 0, 3, 1, 2, 0, 2], SIZE, order=3)
    assert counter.continuations == {
        (): {3: 1, 0: 2, 1: 1, 2: 2},  # 3 came three times, each time after 0
        (3,): {0: 1, 1: 1},
        (0,): {3: 1, 2: 1},
        (1,): {2: 1},
        (2,): {0: 1},
    }


def test_a_discount_is_taken_from_each_count_and_shared_out_by_the_shorter_context():
    counter = NgramCounter([0, 1, 0, 1, 0, 2], vocab_size=4, order=2)  # too short: 0.75 of each
    after = [(1 - 0.75 + 2.25 / 4) / 3] * 3 + [2.25 / 4 / 3]  # each came after one other token
    after_0 = [1.5 * after[0] / 3, (1.25 + 1.5 * after[1]) / 3, (0.25 + 1.5 * after[2]) / 3]
    assert [counter.probability((0,), i) for i in range(3)] == pytest.approx(after_0)
    assert counter.probability((1, 2, 0), 1) == counter.probability((0,), 1)
    assert counter.probability((3,), 1) == pytest.approx(after[1])  # 3 has never been met
    at_the_start = [(count - 0.75 + 2.25 / 4) / 6 for count in (3, 2, 1)] + [2.25 / 24]
    assert [counter.probability((), i) for i in range(4)] == pytest.approx(at_the_start)


def test_the_discounts_are_those_of_chen_and_goodman_where_they_can_be_estimated():
    counts = 60 * [1] + 20 * [2] + 10 * [3] + 5 * [4] + [9]
    # Y = 60 / 100; 1 - 2 Y 20 / 60, 2 - 3 Y 10 / 20, 3 - 4 Y 5 / 10
    assert _estimate_discounts(counts) == pytest.approx([0, 0.6, 1.1, 1.8])
    assert _estimate_discounts([1, 2, 4]) == DISCOUNTS  # no 3
    assert _estimate_discounts([1, 2, 3, 3, 3, 3, 3, 4]) == DISCOUNTS  # one would be negative


@given(IDS, ORDERS, st.lists(st.integers(0, SIZE - 1), max_size=5))
def test_the_probabilities_of_all_tokens_add_up_to_one(ids, order, context):
    counter = NgramCounter(ids, SIZE, order)
    chances = [counter.probability(tuple(context), token) for token in range(SIZE)]
    assert min(chances) > 0
    assert sum(chances) == pytest.approx(1)


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_after_every_context_of_a_text_the_probabilities_add_up_to_one(story, order):
    ids = list(story[:20_000].encode())
    counter = NgramCounter(ids, 128, order)
    assert len(counter._of_longest.discounts) == order
    assert order == 1 or counter._of_longest.discounts[order - 1] != DISCOUNTS
    for place in range(0, len(ids), 1000):
        context = tuple(ids[place : place + order - 1])
        chances = [counter.probability(context, token) for token in range(128)]
        assert sum(chances) == pytest.approx(1)


@given(IDS, IDS, ORDERS)
def test_a_lower_order_is_the_counter_of_that_order(ids, text, order):
    of_all_orders = NgramCounter(ids, SIZE, 4)
    alone = NgramCounter(ids, SIZE, order)
    assert of_all_orders.bits(text, order) == pytest.approx(alone.bits(text))


@given(IDS, IDS, ORDERS)
def test_what_was_asked_before_changes_no_answer(ids, text, order):
    counter = NgramCounter(ids, SIZE, order)
    for place, token in enumerate(text):
        alone = NgramCounter(ids, SIZE, order).probability(tuple(text[:place]), token)
        assert counter.probability(tuple(text[:place]), token) == alone


def test_a_text_takes_the_bits_of_each_of_its_tokens():
    counter = NgramCounter([0, 1, 0, 1, 0, 2], vocab_size=3, order=3)
    contexts = {(): 0, (0,): 1, (0, 1): 0, (1, 0): 2}
    chances = [counter.probability(context, token) for context, token in contexts.items()]
    assert counter.bits([0, 1, 0, 2]) == pytest.approx(-math.log2(math.prod(chances)))


@given(st.text("ab", min_size=1, max_size=7), ORDERS)
def test_the_sum_over_all_cuts_is_that_of_the_cuts_one_by_one(text, order):
    counter = count("abababbabaabb", 4)
    cuts = [[TOK.ids[token] for token in cut] for cut in every_cut(text, TOK.ids)]
    chances = [2 ** -counter.bits(cut, order) for cut in cuts]
    assert 2 ** -bits_of_all_cuts(counter, TOK, text, order) == pytest.approx(sum(chances))


def test_a_long_text_has_a_sum_that_is_too_small_for_a_number_but_not_for_its_logarithm():
    counter = count("abababbabaabb")
    text = "abbaba" * 1000
    bits = bits_of_all_cuts(counter, TOK, text)
    assert 1100 < bits < counter.bits(TOK.encode(text)) - 100
    assert 2**-bits == 0
