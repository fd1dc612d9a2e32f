"""Merges recovered from ranks encode as tiktoken does, from any ranks at all."""

from itertools import pairwise

from common import examples
from hypothesis import given
from hypothesis import strategies as st

from bpe_further import from_tiktoken
from bpe_teach import Tokenizer, encode_by_rank
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
    assert [merge.pair for merge in again.merges] == [merge.pair for merge in tok.merges]
    for word in [text, *others]:
        assert encode_by_joined_rank(word.encode(), ranks) == again.tokens(word)


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
