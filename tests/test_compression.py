"""The whole curve from one encoding pass, against encoding again with fewer merges."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_teach import SCHEMES, Tokenizer, compression_curve, load_corpus
from bpe_teach.compression import token_counts


def recount(tok, text):
    """Count the tokens by encoding anew with the first 0, 1, 2 … merges."""
    shorter = (
        Tokenizer(tok.scheme, tok.alphabet, tok.merges[:n]) for n in range(len(tok.merges) + 1)
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
