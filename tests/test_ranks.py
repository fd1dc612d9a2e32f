"""Merges recovered from ranks encode as tiktoken does, from any ranks at all."""

import binascii
from functools import cache
from importlib import import_module
from itertools import pairwise

import pytest
from common import examples
from hypothesis import given
from hypothesis import strategies as st

from bpe_further import from_tiktoken, load_tokenizer
from bpe_further.exchange import published
from bpe_further.exchange.ranks import recover_merges
from bpe_teach import Tokenizer, encode_by_rank
from bpe_teach.exercises import FULL_NAMES, PAGES
from bpe_teach.schemes import BYTES


def encode_by_joined_rank(word, ranks):
    """Encode as tiktoken does: the rank of a pair is the rank of the token it would make."""
    parts = [word[i : i + 1] for i in range(len(word))]
    while True:
        found = [(ranks.get(a + b, len(ranks)), i) for i, (a, b) in enumerate(pairwise(parts))]
        rank, i = min(found, default=(len(ranks), 0))
        if rank == len(ranks):
            return parts
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


@cache
def of_the_course(name):
    """Return the course's solution of an exercise, on whichever page it stands."""
    import_module("bpe_further.exercises")  # which adds its pages
    pages = [import_module(FULL_NAMES[page]) for page in PAGES]
    exercise, *_ = [getattr(page, name) for page in pages if hasattr(page, name)]
    return exercise.solve


def ranks_of(words):
    """Number the bytes by value, then other tokens."""
    return {token: rank for rank, token in enumerate([*BYTES, *words.encode().split()])}


TEXTS = st.text("ab", min_size=2, max_size=200) | st.text("abc ", max_size=200)


@examples(100)
@given(TEXTS, st.lists(TEXTS, max_size=5), st.sampled_from(["first", "lowest_id", "greatest"]))
def test_ranks_are_enough_for_any_trained_tokenizer(text, others, rule):
    tok = Tokenizer.train(text, scheme="bytes", num_merges=40, min_count=1, tie_break=rule)
    ranks = {token: i for i, token in tok.vocab.items()}
    again = from_tiktoken(ranks, "bytes")
    for word in [text, *others]:  # before anybody has asked for merges
        assert encode_by_joined_rank(word.encode(), ranks) == again.tokens(word)
    pairs = [merge.pair for merge in tok.merges]
    assert [merge.pair for merge in again.merges] == pairs
    assert of_the_course("merges_from_ranks")(ranks) == pairs


def any_tokens(length, number):
    words = st.text("ab", min_size=2, max_size=length).map(str.encode)
    return st.lists(words, unique=True, max_size=number)


@examples(300)
@given(
    tokens=any_tokens(5, 8) | any_tokens(9, 40),
    words=st.lists(st.text("ab", max_size=12), max_size=5),
)
def test_any_ranks_encode_as_tiktoken_does_and_training_made_none_of_the_extra_ones(tokens, words):
    ranks = {token: i for i, token in enumerate([*BYTES, *tokens])}
    tok = from_tiktoken(ranks, "bytes")
    for word in [*words, *(token.decode() for token in tokens)]:
        content = word.encode()
        whole = [content] if content in ranks else encode_by_joined_rank(content, ranks)
        assert tok.tokens(word) == whole
    rank_of_pair = {merge.pair: ranks[merge.token] for merge in tok.merges}
    made = {merge.token for merge in tok.merges}
    for token in tokens:
        parts = encode_by_rank([token[i : i + 1] for i in range(len(token))], rank_of_pair)
        assert (len(parts) == 1) == (token in made)
    assert tok.whole_words == (len(made) < len(tokens))


def test_tokens_may_be_long():
    doubled = " ".join("a" * 2**k for k in range(1, 14))
    assert from_tiktoken(ranks_of(doubled), "bytes").encode("a" * 12_288) == [268, 267]


def test_no_merges_are_looked_for_where_a_folder_names_the_class_of_ranks(tmp_path, monkeypatch):
    monkeypatch.setattr(published, "recover_merges", None)
    lines = (binascii.b2a_base64(bytes([i]), newline=False) + b" %d\n" % i for i in range(256))
    (tmp_path / "a.tiktoken").write_bytes(b"".join(lines))
    (tmp_path / "tokenizer_config.json").write_text('{"tokenizer_class": "RobertaTokenizer"}')
    tok = load_tokenizer(tmp_path)
    assert tok.encode("low") == [*b"low"]
    split, names, around = tok.notes_at_hand()
    assert "split as by" in split and "special tokens" in names and "around a text" in around


ASKED = {  # what has to look for the merges -> how it is asked for
    "merges": lambda tok: tok.merges,
    "ranks": lambda tok: tok.ranks,
    "whole_words": lambda tok: tok.whole_words,
    "notes": lambda tok: tok.notes,
    "trace": lambda tok: tok.trace("low"),
    "equality": lambda tok: tok == from_tiktoken(ranks_of("ow low slower"), "gpt2"),
}


@pytest.mark.parametrize("asked", ASKED)
def test_merges_are_looked_for_once_and_only_when_somebody_asks(asked, monkeypatch):
    found = []

    def recover(ranks):
        found.append(ranks)
        return recover_merges(ranks)

    monkeypatch.setattr(published, "recover_merges", recover)
    tok = from_tiktoken(ranks_of("ow low slower"), "gpt2", {"<|end|>": 300})
    ids = tok.encode("slower low é<|end|>", allowed_special="all")
    assert ids == [258, 32, 257, 32, 195, 169, 300]
    assert tok.decode(ids) == "slower low é<|end|>"
    assert tok.offsets("low é") == [(0, 3), (3, 4), (4, 5), (4, 5)]
    assert len(tok) == 260
    assert tok.id_of("low") == 257
    assert found == []
    ASKED[asked](tok)
    assert len(found) == (2 if asked == "equality" else 1)
    ASKED["merges"](tok)
    assert len(found) == (2 if asked == "equality" else 1)


def test_what_no_merge_makes_is_told_when_it_is_asked_for():
    tok = from_tiktoken(ranks_of("ow low slower"), "gpt2")
    assert tok.tokens("slower slowers") == [b"slower", b" ", b"s", b"low", b"e", b"r", b"s"]
    assert tok.whole_words
    (note,) = tok.notes
    assert (
        note == "no merge makes 1 of the tokens, so they are found only as whole words: b'slower'"
    )
    ranks = ranks_of("ow low") | {b"<|end|>": 300}
    (note,) = from_tiktoken(ranks, "gpt2").notes
    assert "if '<|end|>' is a special token, say so: in Python, from_tiktoken(" in note
    assert "say so" not in from_tiktoken(ranks, "gpt2", {"<|end|>": 300}).notes[0]


def test_a_byte_without_a_rank_is_a_fault_only_where_a_merge_needs_it():
    ranks = {bytes([byte]): byte for byte in range(256) if byte != ord("w")}
    tok = from_tiktoken(ranks | {b"lowo": 256}, "bytes")  # no merge makes it
    assert tok.encode("lowo") == [256]
    with pytest.raises(ValueError, match="b'ow' is merged from b'w', which has no rank"):
        from_tiktoken(ranks | {b"ow": 256}, "bytes")


@examples(30)
@given(st.lists(st.text("aéö的 ", max_size=30), max_size=5), st.text("aéö的 ", max_size=40))
def test_characters_of_several_bytes_may_share_tokens(texts, text):
    tok = Tokenizer.train(texts, num_merges=20, min_count=1)
    ranks = {token: i for i, token in tok.vocab.items()}
    ranks |= {"é的".encode(): len(ranks)} if "é的".encode() not in ranks else {}  # a whole word
    again = from_tiktoken(ranks, "gpt2")
    for word in again.scheme.split(text):
        content = word.encode()
        whole = [content] if content in ranks else encode_by_joined_rank(content, ranks)
        assert again.tokens(word) == whole
