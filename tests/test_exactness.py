"""Exactness, to the last tie: `learn_merges` against other libraries and against slow loops."""

import json
import random
import sysconfig
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from bpe_teach import SCHEMES, Tokenizer, learn_merges, learn_merges_naive, merge_pair
from bpe_teach.exchange.shared import read_merge

MERGES = 10_000
CODE_CHARACTERS = 5_000_000
SPECIAL = ["<|endoftext|>", "<|pad|>"]


def pairs(merges):
    return [merge.pair for merge in merges]


# lowest_id, against Hugging Face


def huggingface_merges(lines, number):
    """Train Hugging Face's tokenizer; return its merges, in bytes."""
    tokenizers = pytest.importorskip("tokenizers")
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    tok = tokenizers.Tokenizer(tokenizers.models.BPE())
    tok.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=256 + number, min_frequency=2, show_progress=False, initial_alphabet=alphabet
    )
    tok.train_from_iterator(lines, trainer)
    return [read_merge(merge).pair for merge in json.loads(tok.to_str())["model"]["merges"]]


def python_source(characters):
    """Join files of the standard library, in the order of their paths, to a size."""
    library, text = Path(sysconfig.get_path("stdlib")), ""
    files = (file for file in library.rglob("*.py") if "site-packages" not in file.parts)
    for file in sorted(files):
        text += file.read_bytes().decode("utf-8", errors="ignore")
        if len(text) >= characters:
            return text[:characters]
    pytest.skip(f"the standard library has only {len(text):,} characters of source")


def check_against_huggingface(text):
    lines = text.splitlines(keepends=True)
    words = SCHEMES["gpt2"].word_counts(lines)
    expected = huggingface_merges(lines, MERGES)
    assert len(expected) == MERGES
    assert pairs(learn_merges(words, MERGES, min_count=2, tie_break="lowest_id")) == expected
    # the text has ties that another rule settles differently
    assert pairs(learn_merges(words, MERGES, min_count=2, tie_break="first")) != expected


def test_lowest_id_gives_the_merges_of_hugging_face_on_shakespeare(corpus):
    check_against_huggingface(corpus("tinyshakespeare"))


def test_lowest_id_gives_the_merges_of_hugging_face_on_code():
    check_against_huggingface(python_source(CODE_CHARACTERS))


# greatest, against Stanford's rule written down as it is stated


def learn_greatest_slowly(word_counts, num_merges):
    """Recount after each merge; take the greatest of (count, (left bytes, right bytes))."""
    merges = []
    for _ in range(num_merges):
        counts = Counter()
        for word, count in word_counts:
            for pair in pairwise(word):
                counts[pair] += count
        count, pair = max((count, pair) for pair, count in counts.items())
        merges.append((*pair, count))
        word_counts = [(merge_pair(word, pair), count) for word, count in word_counts]
    return merges


def test_greatest_takes_the_greatest_pair_of_byte_strings(story):
    words = SCHEMES["gpt2"].word_counts(story[:4000])
    expected = learn_greatest_slowly(words.items(), 200)
    assert learn_merges(words, 200, tie_break="greatest") == expected
    assert learn_merges(words, 200, tie_break="first") != expected
    assert learn_merges(words, 200, tie_break="lowest_id") != expected


# one corpus, three rules, three answers, found by hand

MET = [(b"m", b"n"), (b" ", b"z"), (b"\xc3", b"\xa9"), (b"a", b"b"), (b"x", b"y")]
ORDERS = {
    "first": [0, 1, 2, 3, 4],
    "lowest_id": [3, 0, 4, 2, 1],  # Hugging Face numbers printable bytes first; a space is none
    "greatest": [2, 4, 0, 3, 1],  # by value, the highest first: a space is lowest
}


@pytest.mark.parametrize("rule", ORDERS)
def test_each_rule_settles_ties_in_its_own_way(rule):
    merges = learn_merges(dict.fromkeys(MET, 2), 5, tie_break=rule)
    assert merges == [(*MET[i], 2) for i in ORDERS[rule]]


# After a merge: (c, d) is met first; the new token "ab" has the highest id; "d" is above "c".
AFTER = {tuple("abab"): 3, tuple("cd"): 3, tuple("de"): 3}
AFTERS = {
    "first": [("a", "b", 6), ("ab", "ab", 3), ("c", "d", 3), ("d", "e", 3)],
    "lowest_id": [("a", "b", 6), ("c", "d", 3), ("d", "e", 3), ("ab", "ab", 3)],
    "greatest": [("a", "b", 6), ("d", "e", 3), ("c", "d", 3), ("ab", "ab", 3)],
}


@pytest.mark.parametrize("rule", AFTERS)
def test_each_rule_settles_ties_with_new_tokens_in_its_own_way(rule):
    assert learn_merges(AFTER, 4, tie_break=rule) == AFTERS[rule]


# special tokens bound words


@pytest.fixture(scope="module")
def pieces(story):
    """The beginning of the story, cut at random places: within words, at spaces, twice at one."""
    choose = random.Random(3)
    text = story[:12_000]
    assert not set("<|>") & set(text)
    cuts = sorted(choose.choices(range(len(text)), k=400))
    return [text[i:k] for i, k in pairwise([0, *cuts, len(text)])]


@pytest.fixture(scope="module")
def with_specials(pieces):
    """The same with a special token at every cut."""
    choose = random.Random(7)
    return pieces[0] + "".join(choose.choice(SPECIAL) + piece for piece in pieces[1:])


@pytest.mark.parametrize("scheme", ["gpt2", "chars", "end_of_word"])
def test_nothing_is_learned_across_or_from_special_tokens(scheme, pieces, with_specials):
    size = {"scheme": scheme, "num_merges": 300}
    merges = Tokenizer.train(with_specials, special_tokens=SPECIAL, **size).merges
    assert len(merges) == 300
    assert merges == Tokenizer.train(pieces, **size).merges
    assert merges != Tokenizer.train("".join(pieces), **size).merges  # the cuts matter
    tokens = "".join(merge.token if scheme != "gpt2" else str(merge.token) for merge in merges)
    assert not set("<|>") & set(tokens.replace("</w>", ""))


@pytest.mark.parametrize("scheme", ["gpt2", "chars"])
def test_the_same_text_without_special_tokens_learns_pieces_of_their_names(scheme, with_specials):
    merges = Tokenizer.train(with_specials, scheme=scheme, num_merges=300).merges
    names = [name if scheme == "chars" else name.encode() for name in SPECIAL]
    assert any(merge.token in name for merge in merges for name in names if "|" in str(merge.token))


# the naive loop, until no pair occurs twice

# Characters of the story: end_of_word needs half a minute for all of it, chars and bytes more.
TO_EXHAUSTION = {
    "gpt2": None,
    "underscore": None,
    "words": None,
    "end_of_word": 15_000,
    "chars": 5_000,
    "bytes": 5_000,
}


@pytest.mark.parametrize("scheme", TO_EXHAUSTION)
def test_fast_and_naive_agree_on_the_story_until_no_pair_occurs_twice(scheme, story):
    words = SCHEMES[scheme].word_counts(story[: TO_EXHAUSTION[scheme]])
    merges = learn_merges(words, 10**6, min_count=2)
    assert merges == learn_merges_naive(words, 10**6, min_count=2)
    assert len(merges) < 10**6
    assert merges[-1].count >= 2
