"""Change: what a changed tokenizer keeps, on random tokenizers and on the kinds of others."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_further import PublishedTokenizer, add_tokens, extend, join, load_tokenizer, trim
from bpe_further.variants.change import needed_merges
from bpe_teach import Merge, Tokenizer

TEXTS = st.text("lowe é", min_size=1, max_size=30)
SCHEMES = st.sampled_from(["gpt2", "chars", "underscore", "last_character", "bytes"])
ALL = "lowe é "  # every character, in every place


def train(text, scheme, number=8):
    words = f"{text} {' '.join(ALL)} {ALL}"
    names = ["<|end|>"]
    return Tokenizer.train(
        words, scheme=scheme, num_merges=number, min_count=1, special_tokens=names
    )


def test_all_ways_to_make_a_token_are_needed():
    pairs = [("a", "b"), ("b", "c"), ("c", "d"), ("ab", "c"), ("a", "bc")]
    merges = [Merge(*pair, 1) for pair in pairs]
    kept = [merge.pair for merge in needed_merges(merges, {"abc"})]
    assert kept == [pair for pair in pairs if pair != ("c", "d")]


@given(TEXTS, TEXTS, TEXTS, SCHEMES)
def test_a_word_keeps_its_tokens_exactly_if_no_new_merge_joins_two_of_them(old, new, text, scheme):
    tok = train(old, scheme)
    more = extend(tok, new, 5)
    assert more.vocab | tok.vocab == more.vocab
    pairs = {merge.pair for merge in more.merges[len(tok.merges) :]}
    for word in tok.scheme.split(text):
        tokens = tok.encoder.encode_word(word)
        is_joined = any((tok.vocab[a], tok.vocab[b]) in pairs for a, b in pairwise(tokens))
        assert (more.encoder.encode_word(word) != tokens) == is_joined


@given(TEXTS, TEXTS, TEXTS, SCHEMES)
def test_joined_it_has_all_tokens_and_words_stay_unless_a_further_merge_joins(
    old, new, text, scheme
):
    tok, other = train(old, scheme), train(new, scheme)
    both = join(tok, other)
    assert both.vocab | tok.vocab == both.vocab
    assert {*both.vocab.values()} == {*tok.vocab.values(), *other.vocab.values()}
    assert len(both) == len(both.ids) + 1  # each token once, and the special token
    pairs = {merge.pair for merge in both.merges[len(tok.merges) :]}
    for word in tok.scheme.split(text):
        tokens = tok.encoder.encode_word(word)
        is_joined = any((tok.vocab[a], tok.vocab[b]) in pairs for a, b in pairwise(tokens))
        assert (both.encoder.encode_word(word) != tokens) == is_joined
    assert join(both, other) == both


def test_only_what_belongs_together_is_joined():
    tok = train("low", "gpt2")
    more = join(tok, Tokenizer.train("é", num_merges=1, min_count=1, special_tokens=["<s>"]))
    assert more.special_tokens == tok.special_tokens | {"<s>": len(more) - 1}
    with pytest.raises(ValueError, match="schemes differ: gpt2, chars"):
        join(tok, train("low", "chars"))
    with pytest.raises(ValueError, match="only the second has added_tokens="):
        join(tok, add_tokens(tok, ["slow"]))


@given(TEXTS, TEXTS, SCHEMES, st.integers(0, 8))
def test_trimmed_to_a_number_or_to_a_text(text, other, scheme, number):
    tok = train(text, scheme)
    shorter = trim(tok, number)
    for one in (text, other):
        assert shorter.tokens(one) == train(text, scheme, number).tokens(one)
    small = trim(tok, texts=other)
    assert small.encode(other) == tok.encode(other)
    assert small.vocab.items() <= tok.vocab.items()
    for merge in small.merges:  # each is needed
        rest = [one for one in small.merges if one != merge]
        ids = {token: i for token, i in small.ids.items() if token != merge.token}
        made = {left + right for left, right, _ in rest}
        if all({*one.pair} <= {*small.alphabet, *made} for one in rest) and merge.token not in made:
            less = PublishedTokenizer(tok.scheme, tok.alphabet, rest, tok.special_tokens, ids=ids)
            assert less.encode(other) != tok.encode(other)


def test_what_is_spelled_in_bytes_unknown_or_special_is_not_merged(tmp_path):
    ids = {"<unk>": 0, "a": 1, "▁": 2, "<0xC3>": 3, "<0xA9>": 4, "aa": 9}
    scheme = Tokenizer.train("a", scheme="chars", num_merges=0).scheme
    options = {"ids": ids, "byte_fallback": True, "unk_token": "<unk>"}
    tok = PublishedTokenizer(scheme, ["a", "▁"], [("a", "a", 1)], {"<s>": 5}, **options)
    more = extend(add_tokens(tok, ["▁▁", "aa"]), "éé xx <s><s> ▁▁▁▁ ▁a▁a", 9)
    assert more.added_tokens == {"▁▁": 10, "aa": 9}
    assert [merge.token for merge in more.merges] == ["aa", "▁a", "▁a▁a"]
    assert more.encode("<s>▁a▁▁é", allowed_special="all") == [5, 11, 10, 3, 4]
    more.save(tmp_path / "more.json")
    assert load_tokenizer(tmp_path / "more.json") == more
    assert trim(more, 0).ids.keys() == {*ids, "aa"}
    with pytest.raises(ValueError, match="'<s>' is a special or added token already"):
        add_tokens(more, ["<s>"])
    for options in ({}, {"number": 1, "texts": "a"}, {"number": -1}, {"number": "a"}):
        with pytest.raises(ValueError, match="number"):
            trim(more, **options)
