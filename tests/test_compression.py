"""The tables, compared with encoding again and with counts made by hand."""

from collections import Counter
from fractions import Fraction
from math import log2, prod

import numpy as np
import pytest
from common import NAMES, rows
from hypothesis import given
from hypothesis import strategies as st

from bpe_further.exchange.published import PublishedTokenizer
from bpe_teach import Tokenizer, compare, compression_curve, description_length, fertility
from bpe_teach.compression import rank_frequency, token_lengths

LOW = Tokenizer.train("low lower", scheme="chars", num_merges=2)  # lo, low
GREEK = {"English": "low", "Greek": "χαμηλά"}  # of 3 and 12 bytes


def recount(tok, text):
    """Count the tokens by encoding with only the first 0, 1, 2 … merges."""
    shorter = (
        Tokenizer(tok.scheme, tok.alphabet, tok.merges[:n], unk_token=tok.unk_token)
        for n in range(len(tok.merges) + 1)
    )
    return [len(short.encode(text)) for short in shorter]


@pytest.mark.slow
@pytest.mark.parametrize("scheme", NAMES)
@given(text=st.text("ab c.é", max_size=60).filter(str.strip))
def test_one_pass_gives_every_point_of_the_curve(scheme, text):
    tok = Tokenizer.train(text, scheme=scheme, num_merges=30, min_count=1)
    assert compression_curve(tok, text).tokens.tolist() == recount(tok, text)


def test_a_merge_is_not_counted_where_only_a_later_one_lets_it_happen():
    # abcd: bc, then a+bc (rank 4) spells abc, and only now abc+d (rank 3) can happen
    merges = [("b", "c", 1), ("a", "b", 1), ("ab", "c", 1), ("abc", "d", 1), ("a", "bc", 1)]
    tok = Tokenizer("chars", "abcd", merges)
    curve = compression_curve(tok, "abcd")
    assert curve.tokens.tolist() == recount(tok, "abcd") == [4, 3, 3, 3, 3, 1]


def test_the_columns_of_the_curve_by_hand():
    tok = Tokenizer.train("é low low", scheme="gpt2", num_merges=3, special_tokens=["<end>"])
    assert tok.tokens("low é") == [b"l", b"o", b"w", b" ", b"\xc3", b"\xa9"]
    last = compression_curve(tok, "low é").iloc[-1].to_dict()
    assert last == dict(rows("compression/curve", {"approx": pytest.approx}))


@pytest.mark.parametrize("merges", [np.array([2, 0]), range(2, -1, -2), iter([2, 0])])
def test_numbers_of_merges_may_come_in_any_order_and_kind(merges):
    assert compression_curve(LOW, "low low", merges).tokens.tolist() == [3, 7]


def test_unseen_characters_count_as_unknown_tokens():
    tok = Tokenizer.train("low lower", scheme="words", num_merges=2, unk_token="<unk>")
    assert compression_curve(tok, "lowé éé").tokens.tolist() == [6, 5, 4] == recount(tok, "lowé éé")
    assert token_lengths(tok, "lowé éé").to_dict("list") == {
        "length": [1, 2, 3],
        "vocabulary": [5 + 1, 1, 1],  # e, l, o, r, w and <unk>; lo; low
        "text": [3, 0, 1],
    }


BYTES = [bytes([byte]) for byte in range(256)]
PUBLISHED = {  # features that only published tokenizers have
    "added tokens": {"added_tokens": {"    ": 300, "é": 301}},
    "whole words": {"ids": {byte: byte[0] for byte in BYTES} | {b"low": 257}, "whole_words": True},
}


@pytest.mark.parametrize("parts", PUBLISHED.values(), ids=PUBLISHED)
def test_published_tokens_count_as_encode_counts_them(parts):
    tok = PublishedTokenizer("gpt2", BYTES, [], **parts)
    texts = ["low     low é", "é", "    "]
    ids = list(tok.encode_iterable(texts))
    assert len(ids) < sum(len(text.encode()) for text in texts)
    ranked = rank_frequency(tok, texts)
    assert dict(zip(ranked.id, ranked["count"], strict=True)) == Counter(ids)
    row = compare({"": tok}, {"": texts}).iloc[0]
    assert (row.tokens, row.used, row.bytes) == (len(ids), len(set(ids)), 20)
    if tok.added_tokens:
        assert compression_curve(tok, texts).tokens.tolist() == [len(ids)]


def test_special_tokens_are_ordinary_text():
    tok = Tokenizer.train("low", scheme="gpt2", num_merges=1, special_tokens=["<end>"])
    assert compression_curve(tok, "a<end>").tokens.tolist() == [6]


def test_compare_by_hand():
    other = Tokenizer.train("low lower", scheme="end_of_word", num_merges=0)
    frame = compare({"a": LOW, "b": other}, {"x": "low low", "y": ["low", "we"]})
    columns = ["tokenizer", "text", "vocab_size", "tokens", "used", "once", "tokens_per_word"]
    assert frame[columns].values.tolist() == rows("compression/compare")
    assert frame.characters.tolist() == frame.bytes.tolist() == [7, 5, 7, 5]


def test_fertility_by_hand():
    tok = Tokenizer.train("low low", scheme="gpt2", num_merges=2)
    frame = fertility(tok, GREEK)
    assert frame.index.name == "text"
    assert frame.loc["English"].tolist() == [3, 3, 1, 1 / 3, 3, 1, 1]
    assert frame.loc["Greek"].tolist() == [6, 12, 12, 2, 1, 2, 12]


def test_rank_frequency_by_hand():
    frame = rank_frequency(LOW, "low  we")
    assert frame.columns.tolist() == ["rank", "id", "token", "count"]
    assert frame.values.tolist() == rows("compression/ranks")


def test_an_end_mark_has_the_length_one_and_special_tokens_are_left_out():
    options = {"scheme": "end_of_word", "num_merges": 3, "special_tokens": ["<a long one>"]}
    frame = token_lengths(Tokenizer.train("low low", **options), "low")
    assert frame.values.tolist() == [[1, 4, 0], [2, 1, 0], [3, 1, 0], [4, 1, 1]]


@pytest.mark.parametrize("scheme", NAMES)
def test_all_tables_agree_with_encode_and_with_each_other(scheme, small_tokenizers, story):
    tok, text = small_tokenizers[scheme], story[:5000].splitlines(keepends=True)
    counts = Counter(tok.encode_iterable(text))
    row = compare({scheme: tok}, {"story": text}).iloc[0]
    assert (row.tokens, row.used) == (counts.total(), len(counts))
    assert row.once == list(counts.values()).count(1)
    curve = compression_curve(tok, iter(text))  # read one at a time
    shared = [name for name in curve.columns if name in row.index]
    assert len(shared) == 6
    assert row[shared].tolist() == curve.iloc[-1][shared].tolist()
    assert row.chars_per_token == pytest.approx(5000 / counts.total())
    assert row.tokens_per_word == pytest.approx(counts.total() / len("".join(text).split()))
    ranked = rank_frequency(tok, iter(text))
    assert dict(zip(ranked.id, ranked["count"], strict=True)) == counts
    lengths = token_lengths(tok, iter(text))
    assert lengths.length.is_monotonic_increasing
    assert lengths.vocabulary.sum() == len(tok)
    assert lengths.text.sum() == counts.total()
    assert (lengths.length * lengths.text).sum() == curve.tokens[0]
    assert token_lengths(tok).equals(lengths[["length", "vocabulary"]])


# description lengths, compared with sums by hand and with a code really sent


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
    table = description_length(tok, text, [100, 40])
    fewer = Tokenizer.train(text, scheme="gpt2", num_merges=40)
    assert table.merges.tolist() == [100, 40]
    assert table.iloc[1].tolist() == description_length(fewer, text, [40]).iloc[0].tolist()


def test_several_texts_are_described_as_one_and_special_tokens_are_ordinary():
    tok = Tokenizer.train("low lower", scheme="chars", num_merges=2, special_tokens=["<end>"])
    assert description_length(tok, iter(["low ", "low"]), [0]).equals(
        description_length(tok, "low low", [0])
    )
    assert description_length(tok, "low", [0]).for_text[0] == pytest.approx(log2(6 * 7 * 8))
