"""Aligned: what is shown under each other spells the same, and nothing is lost or escapes."""

import re
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_teach import Tokenizer, compare_tokens, load_corpus
from bpe_teach.pictures.aligned import align
from bpe_teach.symbols import label

STORY = load_corpus("story")
TOKS = {
    name: Tokenizer.train(STORY, scheme=name, num_merges=merges)
    for name, merges in {"bytes": 300, "gpt2": 300, "cl100k": 50}.items()
}


@given(text=st.text(max_size=30))
def test_every_part_spells_the_same_in_all_rows_and_together_they_are_the_text(text):
    rows = [tok.tokens(text) for tok in TOKS.values()]
    parts = align(rows)
    for part in parts:
        assert len({b"".join(symbols) for symbols in part}) == 1
    for row, column in zip(rows, zip(*parts, strict=True), strict=False):
        assert [symbol for symbols in column for symbol in symbols] == row
    assert b"".join(b"".join(part[0]) for part in parts) == text.encode()


def test_parts_are_as_short_as_they_can_be():
    rows = [["lo", "w", " ", "l", "ow"], ["low", " l", "ow"], ["l", "o", "w", " ", "lo", "w"]]
    assert align(rows) == [
        (["lo", "w"], ["low"], ["l", "o", "w"]),
        ([" ", "l", "ow"], [" l", "ow"], [" ", "lo", "w"]),
    ]


def test_characters_and_bytes_are_aligned_by_bytes():
    toks = {
        "characters": Tokenizer.train("é!", scheme="chars", num_merges=0),
        "bytes": Tokenizer.train("é!", scheme="bytes", num_merges=0),
    }
    shown = str(compare_tokens(toks, "é!"))
    assert shown.splitlines() == [
        "characters  é         !  2 tokens",
        "bytes       ⟨C3⟩|⟨A9⟩ !  3 tokens",
    ]


def test_every_token_stands_in_the_html_once_for_each_tokenizer():
    text = "She counted.\nThe light\n"
    html = compare_tokens(TOKS, text).html
    texts = [unescape(found) for found in re.findall(r'border:[^"]*"[^>]*>([^<>]+)<', html)]
    sums = {name: len(tok.encode(text)) for name, tok in TOKS.items()}
    assert texts[: len(TOKS)] == [f"{name}: {number} tokens" for name, number in sums.items()]
    tokens = [label(token) for tok in TOKS.values() for token in tok.tokens(text)]
    assert sorted(texts[len(TOKS) :]) == sorted(tokens)


def test_a_new_row_begins_after_a_newline():
    html = compare_tokens({"one": TOKS["gpt2"]}, "a\nb").html
    assert html.count("<div>") == 3  # the legend and two rows


def test_names_and_texts_are_escaped():
    html = compare_tokens({"<b>": TOKS["gpt2"]}, "<script>alert(1)</script>").html
    assert "<b>" not in html and "<script" not in html


def test_an_empty_text_has_no_parts():
    assert str(compare_tokens(TOKS, "")).splitlines()[0].split() == ["bytes", "0", "tokens"]


def test_tokens_that_lose_something_cannot_be_aligned():
    words = Tokenizer.train("low", scheme="words", num_merges=0)
    assert compare_tokens({"w": words}, "low")
    with pytest.raises(ValueError, match="'w' cannot be aligned: its tokens do not spell the text"):
        compare_tokens({"w": words}, "low low")


def test_no_tokenizer_is_an_error():
    with pytest.raises(ValueError, match="no tokenizer"):
        compare_tokens({}, "low")


def test_a_tokenizer_that_hides_characters_cannot_be_aligned():
    hides = Tokenizer.train("low", scheme="chars", num_merges=0, unk_token="<unk>")
    assert compare_tokens({"a": hides}, "low")
    with pytest.raises(ValueError, match="'a' cannot be aligned: its tokens do not"):
        compare_tokens({"a": hides, "b": TOKS["gpt2"]}, "low zow")
