"""Description lengths, compared with sums by hand and with a code really sent."""

from fractions import Fraction
from math import log2, prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_teach import Tokenizer, compression_curve, description_length

LOW = Tokenizer.train("low low low low", scheme="chars", num_merges=3)


def chance_of(ids, vocab_size):
    """Multiply the shares of the tokens, sent in the order of the text."""
    shares = []
    for sent, i in enumerate(ids):
        shares.append(Fraction(ids[:sent].count(i) + 1, sent + vocab_size))
    return prod(shares)


def test_the_bits_by_hand():
    # ab: two tokens out of two entries, then one token out of three
    tok = Tokenizer("chars", "ab", [("a", "b", 1)])
    table = description_length(tok, "ab", [0, 1])
    assert table.columns.tolist() == ["merges", "for_merges", "for_text", "total"]
    assert table.for_merges.tolist() == [0, pytest.approx(2 * log2(3))]
    assert table.for_text.tolist() == [pytest.approx(log2(2 * 3)), pytest.approx(log2(3))]
    assert table.total.tolist() == pytest.approx((table.for_merges + table.for_text).tolist())


@given(text=st.text("ab c.é", min_size=1, max_size=40))
def test_the_bits_are_those_of_the_tokens_in_the_order_of_the_text(text):
    tok = Tokenizer.train(text, scheme="gpt2", num_merges=5, min_count=1)
    last = len(tok.merges)
    bits = description_length(tok, text, [last]).for_text[0]
    assert bits == pytest.approx(-log2(chance_of(tok.encode(text), 256 + last)))


def test_each_row_is_as_if_training_had_ended_there(story):
    text = story[:5000]
    tok = Tokenizer.train(text, scheme="gpt2", num_merges=100)
    rows = description_length(tok, text, [100, 40])
    fewer = Tokenizer.train(text, scheme="gpt2", num_merges=40)
    assert rows.merges.tolist() == [100, 40]
    assert rows.iloc[1].tolist() == description_length(fewer, text, [40]).iloc[0].tolist()


def test_there_is_a_minimum_where_the_curve_of_tokens_has_none(story):
    tok = Tokenizer.train(story, scheme="gpt2", num_merges=5000)
    sizes = [0, 500, 1000, 2001]
    total = description_length(tok, story, sizes).total / 8
    assert total.round().tolist() == [30482, 22266, 21261, 21977]
    assert compression_curve(tok, story, sizes).tokens.is_monotonic_decreasing


def test_several_texts_and_special_tokens():
    tok = Tokenizer.train("low lower", scheme="chars", num_merges=2, special_tokens=["<end>"])
    assert description_length(tok, iter(["low ", "low"]), [0]).equals(
        description_length(tok, "low low", [0])
    )
    assert description_length(tok, "low", [0]).for_text[0] == pytest.approx(log2(6 * 7 * 8))
