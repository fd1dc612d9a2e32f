"""The tables: against encoding again, and against counts made by hand."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_teach import (
    SCHEMES,
    Tokenizer,
    compare,
    compression_curve,
    fertility,
    load_corpus,
    rank_frequency,
    token_lengths,
)
from bpe_teach.compression import token_counts

LOW = Tokenizer.train("low lower", scheme="chars", num_merges=2)  # lo, low
GREEK = {"English": "low", "Greek": "χαμηλά"}  # of 3 and 12 bytes


def recount(tok, text):
    """Count the tokens by encoding anew with the first 0, 1, 2 … merges."""
    shorter = (
        Tokenizer(tok.scheme, tok.alphabet, tok.merges[:n], unk_token=tok.unk_token)
        for n in range(len(tok.merges) + 1)
    )
    return [len(short.encode(text)) for short in shorter]


@pytest.mark.parametrize("scheme", SCHEMES)
@given(text=st.text("ab c.é", min_size=1, max_size=60))
def test_one_pass_gives_every_point_of_the_curve(scheme, text):
    tok = Tokenizer.train(text, scheme=scheme, num_merges=30, min_count=1)
    assert token_counts(tok, text) == recount(tok, text)


@pytest.mark.parametrize("scheme", ["gpt2", "underscore", "end_of_word"])
def test_the_curve_of_a_story_is_that_of_encoding_it_again(scheme, story):
    second_story = load_corpus("second_story")
    tok = Tokenizer.train(story + second_story, scheme=scheme, num_merges=400)
    chosen = [0, 1, 7, 50, 200, 399, 400]
    frame = compression_curve(tok, second_story, chosen)
    for n, tokens in zip(frame.merges, frame.tokens, strict=True):
        short = Tokenizer(tok.scheme, tok.alphabet, tok.merges[:n])
        assert len(short.encode(second_story)) == tokens


def test_the_columns_of_the_curve_by_hand():
    tok = Tokenizer.train("é low low", scheme="gpt2", num_merges=3, special_tokens=["<end>"])
    row = compression_curve(tok, "low é").iloc[-1]
    assert tok.tokens("low é") == [b"l", b"o", b"w", b" ", b"\xc3", b"\xa9"]
    assert row.merges == 3
    assert row.vocab_size == 260 == len(tok)
    assert row.tokens == 6
    assert row.chars_per_token == pytest.approx(5 / 6)
    assert row.bytes_per_token == 1
    assert row.tokens_per_word == 3
    assert row.saved_percent == pytest.approx(-20)


@pytest.mark.parametrize(
    ("text", "merges", "message"),
    [("", None, "needs a text"), (" \n", None, "needs a text"), ("a", [5], "merges, not 5")],
)
def test_what_has_no_curve_is_refused(text, merges, message):
    tok = Tokenizer.train("a a a", scheme="words", num_merges=1)
    with pytest.raises(ValueError, match=message):
        compression_curve(tok, text, merges)


def test_a_merge_is_not_counted_where_only_a_later_one_lets_it_happen():
    # abcd: bc, then a+bc (rank 4) spells abc, and only now abc+d (rank 3) can happen
    merges = [("b", "c", 1), ("a", "b", 1), ("ab", "c", 1), ("abc", "d", 1), ("a", "bc", 1)]
    tok = Tokenizer("chars", "abcd", merges)
    assert token_counts(tok, "abcd") == recount(tok, "abcd") == [4, 3, 3, 3, 3, 1]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_several_texts_are_read_one_at_a_time(scheme, small_tokenizers, story):
    tok, lines = small_tokenizers[scheme], story[:3000].splitlines(keepends=True)
    frame = compression_curve(tok, iter(lines), [0, 200])
    ids = list(tok.encode_iterable(lines))
    assert frame.tokens.iloc[-1] == len(ids)
    assert frame.chars_per_token.iloc[-1] == pytest.approx(3000 / len(ids))
    assert frame.tokens_per_word.iloc[-1] == pytest.approx(len(ids) / len(story[:3000].split()))
    assert rank_frequency(tok, iter(lines))["count"].sum() == len(ids)


@pytest.mark.parametrize("merges", [np.array([2, 0]), range(2, -1, -2), iter([2, 0])])
def test_numbers_of_merges_may_come_in_any_order_and_kind(merges):
    assert compression_curve(LOW, "low low", merges).tokens.tolist() == [3, 7]


@pytest.mark.parametrize("wrong", [-1, 3, 1.5, 2.0, "2"])
def test_a_number_of_merges_that_is_none_is_refused(wrong):
    with pytest.raises(ValueError, match=f"0 to 2 merges, not {wrong!r}"):
        compression_curve(LOW, "low", [wrong])


@pytest.mark.parametrize("measure", [token_counts, compression_curve, rank_frequency])
def test_an_unseen_character_is_named_with_its_place(measure):
    with pytest.raises(ValueError, match="character 'é' at position 5 was not in"):
        measure(LOW, "low wé é")
    with pytest.raises(ValueError, match="character 'é' at position 5 was not in"):
        measure(LOW, ["low ", "wé", "é"])


def test_an_unseen_character_is_named_with_its_text_too():
    with pytest.raises(ValueError, match="text 'b', scheme 'chars': character 'é' at position 1"):
        compare({"LOW": LOW}, {"a": "low", "b": "wé"})


def test_unseen_characters_count_as_unknown_tokens():
    tok = Tokenizer.train("low lower", scheme="words", num_merges=2, unk_token="<unk>")
    assert compression_curve(tok, "lowé éé").tokens.tolist() == [6, 5, 4] == recount(tok, "lowé éé")
    assert token_lengths(tok, "lowé éé").to_dict("list") == {
        "length": [1, 2, 3],
        "vocabulary": [5 + 1, 1, 1],  # e, l, o, r, w and <unk>; lo; low
        "text": [3, 0, 1],
    }


def test_special_tokens_are_ordinary_text():
    tok = Tokenizer.train("a<end>a<end>", scheme="chars", num_merges=1, special_tokens=["<end>"])
    with pytest.raises(ValueError, match="character '<'"):
        token_counts(tok, "a<end>")
    tok = Tokenizer.train("low", scheme="gpt2", num_merges=1, special_tokens=["<end>"])
    assert token_counts(tok, "a<end>")[-1] == 6


def test_scripts_without_spaces_are_one_word():
    tok = Tokenizer.train("low", scheme="gpt2", num_merges=1)
    row = compression_curve(tok, "人人生而自由").iloc[0]
    assert row.tokens == row.tokens_per_word == 18
    assert row.chars_per_token == pytest.approx(1 / 3)
    assert row.saved_percent == pytest.approx(-200)


def test_compare_by_hand():
    other = Tokenizer.train("low lower", scheme="end_of_word", num_merges=0)
    frame = compare({"a": LOW, "b": other}, {"x": "low low", "y": ["low", "we"]})
    assert [*zip(frame.tokenizer, frame.text, strict=True)] == [
        ("a", "x"),
        ("a", "y"),
        ("b", "x"),
        ("b", "y"),
    ]
    assert frame.vocab_size.tolist() == [8, 8, 6, 6]
    assert frame.tokens.tolist() == [3, 3, 8, 7]  # low, space, low; low, w, e; with two </w>
    assert frame.characters.tolist() == frame.bytes.tolist() == [7, 5, 7, 5]
    assert frame.used.tolist() == [2, 3, 4, 5]
    assert frame.once.tolist() == [1, 3, 0, 3]  # the space; all; none; l, o, e
    assert frame.tokens_per_word.tolist() == [1.5, 1.5, 4, 3.5]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_compare_agrees_with_encode(scheme, small_tokenizers, story):
    tok, text = small_tokenizers[scheme], story[:5000]
    ids = tok.encode(text)
    row = compare({scheme: tok}, {"story": text}).iloc[0]
    assert (row.tokens, row.used) == (len(ids), len(set(ids)))
    assert row.once == sum(count == 1 for count in Counter(ids).values())
    curve = compression_curve(tok, text).iloc[-1]
    shared = [name for name in curve.index if name in row.index]
    assert len(shared) == 6
    assert row[shared].tolist() == curve[shared].tolist()


def test_fertility_by_hand():
    tok = Tokenizer.train("low low", scheme="gpt2", num_merges=2)
    frame = fertility(tok, GREEK)
    assert frame.index.name == "text"
    assert frame.loc["English"].tolist() == [3, 3, 1, 1 / 3, 3, 1, 1]
    assert frame.loc["Greek"].tolist() == [6, 12, 12, 2, 1, 2, 12]
    assert fertility(tok, GREEK, "Greek").relative.tolist() == [1 / 12, 1]


@pytest.mark.parametrize(
    ("texts", "base", "message"),
    [
        (GREEK, "Latin", "one of English, Greek, not 'Latin'"),
        ({}, None, "texts must be a dict"),
        ("low", None, "texts must be a dict from names to texts, not 'low'"),
        ({"a": " "}, None, "text 'a', scheme 'gpt2': this needs a text with words"),
    ],
)
def test_what_has_no_fertility_is_refused(texts, base, message):
    with pytest.raises(ValueError, match=message):
        fertility(Tokenizer.train("low", num_merges=0), texts, base)


def test_compare_wants_names_for_tokenizers():
    with pytest.raises(ValueError, match="tokenizers must be a dict"):
        compare(LOW, {"a": "low"})


@pytest.mark.parametrize("scheme", SCHEMES)
def test_lengths_account_for_the_vocabulary_and_for_the_first_symbols_of_a_text(
    scheme, small_tokenizers, story
):
    tok, text = small_tokenizers[scheme], story[:5000]
    frame = token_lengths(tok, text)
    assert frame.length.is_monotonic_increasing
    assert frame.vocabulary.sum() == len(tok)
    assert frame.text.sum() == len(tok.encode(text))
    assert (frame.length * frame.text).sum() == token_counts(tok, text)[0]
    assert token_lengths(tok).equals(frame[["length", "vocabulary"]])


def test_an_end_mark_has_the_length_one_and_special_tokens_are_left_out():
    tok = Tokenizer.train(
        "low low", scheme="end_of_word", num_merges=3, special_tokens=["<a long one>"]
    )
    frame = token_lengths(tok, "low")
    assert frame.values.tolist() == [[1, 4, 0], [2, 1, 0], [3, 1, 0], [4, 1, 1]]


def test_rank_frequency_by_hand():
    frame = rank_frequency(LOW, "low  we")
    assert frame.columns.tolist() == ["rank", "id", "token", "count"]
    assert frame.values.tolist() == [
        [1, 0, "·", 2],
        [2, 1, "e", 1],  # of equals the lowest id comes first
        [3, 5, "w", 1],
        [4, 7, "low", 1],
    ]


@pytest.mark.parametrize("scheme", SCHEMES)
@given(text=st.text("ab c.é", min_size=1, max_size=60))
def test_rank_frequency_counts_every_token_once(scheme, text):
    tok = Tokenizer.train(text, scheme=scheme, num_merges=5)
    frame = rank_frequency(tok, text)
    assert dict(zip(frame.id, frame["count"], strict=True)) == Counter(tok.encode(text))
    assert frame["count"].is_monotonic_decreasing
    assert frame["rank"].tolist() == list(range(1, len(frame) + 1))
