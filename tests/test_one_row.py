"""A scheme is one row: what happens when another one is added, as a contributor would add it."""

import pytest

from bpe_teach import (
    SCHEMES,
    PublishedTokenizer,
    Scheme,
    Tokenizer,
    compression_curve,
    count_words,
    load_tokenizer,
    merge_tree,
    playground,
    report_card,
    show_tokens,
    to_huggingface,
    to_tiktoken,
    token_offsets,
)

TEXT = "In 2026 it was 12345 and 67."


@pytest.fixture
def tok(monkeypatch):
    """A tokenizer of a scheme that is a new row: only its first fields are filled in."""
    scheme = Scheme(
        "digits3", "digits by three, all else in one piece", r"\p{N}{1,3}|\P{N}+", bytes
    )
    monkeypatch.setitem(SCHEMES, "digits3", scheme)
    return Tokenizer.train([TEXT, TEXT], scheme="digits3", num_merges=9)


def test_it_trains_encodes_counts_and_is_saved(tok, tmp_path):
    assert tok.scheme.split("In 2026, 67.") == ["In ", "202", "6", ", ", "67", "."]
    assert tok.decode(tok.encode(TEXT)) == TEXT
    assert compression_curve(tok, TEXT).tokens.iloc[-1] == len(tok.encode(TEXT))
    path = tmp_path / "text.txt"
    path.write_text(TEXT * 1000)
    assert list(tok.encode_file(path)) == tok.encode(TEXT * 1000)  # read whole: no cut is known
    assert count_words([path], "digits3") == tok.scheme.word_counts(TEXT * 1000)
    for made in (tok, PublishedTokenizer.of(tok)):
        made.save(tmp_path / "tok.json")
        assert load_tokenizer(tmp_path / "tok.json") == tok
    assert [TEXT[a:b].encode() for a, b in token_offsets(tok, TEXT)] == tok.tokens(TEXT)


def test_its_pictures_are_drawn_and_it_goes_out(tok):
    assert show_tokens(tok, TEXT).text and merge_tree(tok, "and").text
    assert len(report_card({"digits3": tok}).table)
    pytest.importorskip("tiktoken")
    pytest.importorskip("tokenizers")
    assert to_tiktoken(tok).encode(TEXT) == tok.encode(TEXT)
    assert to_huggingface(tok).encode(TEXT).ids == tok.encode(TEXT)


def test_the_browser_does_not_offer_it_and_others_are_not_disturbed(tok):
    with pytest.raises(ValueError, match="'digits3' is not offered in a playground; chars,"):
        playground(tok)
    other = Tokenizer.train(TEXT, num_merges=3)
    assert "digits3" not in playground(other, TEXT).html
