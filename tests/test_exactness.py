"""The three tie rules, each against the library or course that it comes from; special tokens."""

import json
import sysconfig
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_teach import SCHEMES, Merge, Tokenizer, learn_merges, learn_merges_naive, merge_pair
from bpe_teach.pairs import count_pairs

CODE_SIZE = 5_000_000  # characters of Python source


@pytest.fixture(scope="module")
def code():
    """Python source of the standard library, in the order of its file names."""
    files = sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py"))
    texts = [
        file.read_text("utf-8", "ignore") for file in files if "site-packages" not in str(file)
    ]
    sizes = accumulate(map(len, texts))
    kept = [text for text, size in zip(texts, sizes, strict=True) if size <= CODE_SIZE]
    return "".join(kept)


def merges_of_tokenizers(text, num_merges):
    """Train Hugging Face's trainer on a text; its merges as pairs of bytes."""
    tokenizers = pytest.importorskip("tokenizers")
    letters = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    other = tokenizers.Tokenizer(tokenizers.models.BPE())
    other.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=256 + num_merges,
        min_frequency=2,
        show_progress=False,
        initial_alphabet=letters,
    )
    other.train_from_iterator([text], trainer)
    own = sorted(range(256), key=lambda byte: (not printable(byte), byte))
    to_byte = {letter: bytes([byte]) for letter, byte in zip(sorted(letters), own, strict=True)}
    model = json.loads(other.to_str())["model"]
    return [tuple(b"".join(map(to_byte.get, part)) for part in pair) for pair in model["merges"]]


def printable(byte):
    """Say whether Hugging Face writes a byte as its own Latin-1 character."""
    return chr(byte).isprintable() and byte not in (32, 173)


@pytest.mark.parametrize("name", ["tinyshakespeare", "code"])
def test_the_lowest_ids_give_ten_thousand_merges_of_tokenizers(name, request, corpus):
    pytest.importorskip("tokenizers")
    text = request.getfixturevalue("code") if name == "code" else corpus(name)
    word_counts = SCHEMES["gpt2"].word_counts(text)
    ours = learn_merges(word_counts, 10_000, min_count=2, tie_break="lowest_id")
    assert len(ours) == 10_000
    assert [merge.pair for merge in ours] == merges_of_tokenizers(text, 10_000)


def greatest_slowly(words, num_merges):
    """Recount each time; the highest count, then the greatest pair, as Stanford's CS336 asks."""
    merges = []
    for _ in range(num_merges):
        counts = count_pairs(words)
        pair = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append(Merge(*pair, counts[pair]))
        words = {merge_pair(word, pair): count for word, count in words.items()}
    return merges


def test_the_greatest_pair_is_that_of_a_slow_reference(story):
    word_counts = SCHEMES["gpt2"].word_counts(story[:8000])
    assert learn_merges(word_counts, 200, tie_break="greatest") == greatest_slowly(word_counts, 200)


@pytest.mark.parametrize(
    ("rule", "pair"),
    [("first", (b"m", b"n")), ("lowest_id", (b"a", b"z")), ("greatest", (b"y", b"b"))],
)
def test_each_rule_takes_another_of_three_equal_pairs(rule, pair):
    word_counts = {(b"m", b"n"): 2, (b"y", b"b"): 2, (b"a", b"z"): 2}
    assert learn_merges(word_counts, 1, tie_break=rule) == [Merge(*pair, 2)]


@pytest.mark.parametrize("scheme", ["gpt2", "end_of_word", "underscore", "words"])
def test_fast_and_naive_agree_on_the_story_until_no_pair_is_left(scheme, story):
    word_counts = SCHEMES[scheme].word_counts(story[:15_000])
    ours = learn_merges(word_counts, 10_000, min_count=2)
    assert len(ours) > 500
    assert ours == learn_merges_naive(word_counts, 10_000, min_count=2)


@pytest.mark.parametrize("scheme", ["chars", "bytes"])
def test_fast_and_naive_agree_on_one_long_word_until_no_pair_is_left(scheme, story):
    word_counts = SCHEMES[scheme].word_counts(story[:2500])
    assert learn_merges(word_counts, 10_000) == learn_merges_naive(word_counts, 10_000)


@given(st.lists(st.text("ab c", max_size=12), min_size=1, max_size=6))
def test_special_tokens_are_walls(parts):
    joined = "<|end|>".join(parts)
    walled = Tokenizer.train(joined, scheme="chars", num_merges=20, special_tokens=["<|end|>"])
    assert walled.merges == Tokenizer.train(parts, scheme="chars", num_merges=20).merges
    assert not any("|" in merge.token for merge in walled.merges)
