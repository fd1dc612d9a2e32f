"""A scheme is one row: what happens when another one is added, as a contributor would add it."""

import pytest

import bpe_further as further
import bpe_teach as bpe

TEXT = "In 2026 it was 12345 and 67."


@pytest.fixture
def tok(monkeypatch):
    """A tokenizer of a scheme that is a new row: only its first fields are filled in."""
    scheme = bpe.Scheme(
        "digits3", "digits by three, all else in one piece", r"\p{N}{1,3}|\P{N}+", bytes
    )
    monkeypatch.setitem(bpe.SCHEMES, "digits3", scheme)
    return bpe.Tokenizer.train([TEXT, TEXT], scheme="digits3", num_merges=9)


def test_it_trains_encodes_counts_and_is_saved(tok, tmp_path):
    assert tok.scheme.split("In 2026, 67.") == ["In ", "202", "6", ", ", "67", "."]
    assert tok.decode(tok.encode(TEXT)) == TEXT
    assert bpe.compression_curve(tok, TEXT).tokens.iloc[-1] == len(tok.encode(TEXT))
    path = tmp_path / "text.txt"
    path.write_text(TEXT * 1000)
    assert list(tok.encode_file(path)) == tok.encode(TEXT * 1000)  # read whole: no cut is known
    assert further.count_words([path], "digits3") == tok.scheme.word_counts(TEXT * 1000)
    for made in (tok, further.PublishedTokenizer.of(tok)):
        made.save(tmp_path / "tok.json")
        assert further.load_tokenizer(tmp_path / "tok.json") == tok
    assert [TEXT[a:b].encode() for a, b in further.token_offsets(tok, TEXT)] == tok.tokens(TEXT)


def test_its_pictures_are_drawn_and_it_goes_out(tok):
    assert bpe.show_tokens(tok, TEXT).text and bpe.merge_tree(tok, "and").text
    assert len(further.report_card({"digits3": tok}).table)
    pytest.importorskip("tiktoken")
    pytest.importorskip("tokenizers")
    assert further.to_tiktoken(tok).encode(TEXT) == tok.encode(TEXT)
    assert further.to_huggingface(tok).encode(TEXT).ids == tok.encode(TEXT)


def test_the_browser_does_not_offer_it_and_others_are_not_disturbed(tok):
    with pytest.raises(ValueError, match="'digits3' is not offered in a playground; chars,"):
        bpe.playground(tok)
    other = bpe.Tokenizer.train(TEXT, num_merges=3)
    assert "digits3" not in bpe.playground(other, TEXT).html
