"""What notebook 08 says, recomputed: other texts, other halves, random merge lists."""

import colorsys
import inspect
import random
import shlex
from pathlib import Path

import pytest
from common import pages

from bpe_teach import (
    Merge,
    PublishedTokenizer,
    Tokenizer,
    encode_by_rank,
    fertility,
    learn_merges,
    load_corpus,
)
from bpe_teach.exercises import byte_level
from bpe_teach.exercises import real_tokenizers as ask
from bpe_teach.schemes import BYTES, SCHEMES


def flat(code):
    """Take the indentation away."""
    return "\n".join(line.strip() for line in code.splitlines())


def code_tokenizer(half, scheme="gpt2"):
    """Train on the story and one half of the program."""
    return Tokenizer.train([load_corpus("story"), half], scheme=scheme, num_merges=1500)


def test_the_learners_program_gives_gpt2s_tokens_with_its_merges(gpt2):
    """08, Your tokenizer, with GPT-2's merges, on five bundled texts."""
    program = byte_level.my_bpe.use(...)
    pairs = [merge.pair for merge in gpt2.merges]
    vocab = program.make_vocab(pairs)
    their_id = {token: i for i, token in gpt2.vocab.items()}
    for name in ("story", "mixed", "program", "manual", "chat"):
        text = load_corpus(name)[:10_000]
        ids = [their_id[vocab[i]] for i in program.encode_text(text, pairs)]
        assert ids == gpt2.encode(text)


def test_four_digits_in_one_token_are_mostly_a_year(gpt2):
    """08, Arithmetic."""
    for space in ("", " "):
        single = [n for n in range(1000, 10_000) if len(gpt2.encode(f"{space}{n}")) == 1]
        years = [n for n in single if 1900 <= n < 2030]
        assert len(years) > 0.65 * len(single)  # by chance it would be 130 of 9,000


def test_thai_pays_six_times_the_price_of_english_and_takes_two_and_a_half_times_the_bytes(gpt2):
    """08, What makes a language expensive?"""
    table = fertility(gpt2, pages())
    assert 5.8 < table.relative["Thai"] < 6.8
    assert 2.3 < table.bytes["Thai"] / table.bytes["English"] < 2.5


def encode_alike(ranks, pairs, words):
    """Return whether ranks of tokens and ranks of pairs encode all words in the same way."""
    by_pair = {pair: rank for rank, pair in enumerate(pairs)}
    return all(
        ask.encode_by_token.solve(word, ranks) == tuple(encode_by_rank(word, by_pair))
        for word in words
    )


def test_every_trained_list_fulfils_the_condition_and_both_ways_encode_alike():
    """08, The condition, on random texts; repeats such as aaa included."""
    for seed in range(60):
        chance = random.Random(seed)
        letters = "abcd"[: 2 + seed % 3]
        merges = learn_merges({tuple(chance.choices(letters, k=60)): 1}, 20, min_count=1)
        pairs = [merge.pair for merge in merges]
        tokens = [*letters, *[merge.token for merge in merges]]
        ranks = {token: rank for rank, token in enumerate(tokens)}
        assert len(ranks) == len(tokens)
        assert ask.merges_from_ranks.solve(ranks) == pairs
        words = [tuple(chance.choices(letters, k=15)) for _ in range(10)]
        assert encode_alike(ranks, pairs, words)


def test_lists_that_fulfil_the_condition_encode_alike_and_most_shuffled_ones_do_not():
    """08, The condition, where it could fail: merge lists put together at random."""
    alike = {True: 0, False: 0}  # condition -> lists for which both ways agree on all words
    lists = {True: 0, False: 0}
    for seed in range(400):
        chance = random.Random(seed)
        tokens, pairs = ["a", "b", "c"], []
        while len(pairs) < 4:
            left, right = chance.choices(tokens, k=2)
            if left + right not in tokens:
                tokens.append(left + right)
                pairs.append((left, right))
        ranks = {token: rank for rank, token in enumerate(tokens)}
        condition = ask.merges_from_ranks.solve(ranks) == pairs
        words = [tuple(chance.choices("abc", k=8)) for _ in range(40)]
        words += [tuple(token) for token in tokens]
        lists[condition] += 1
        alike[condition] += encode_alike(ranks, pairs, words)
    assert alike[True] == lists[True] > 100
    assert lists[False] > 20
    assert alike[False] < lists[False]


def test_a_token_that_no_merge_makes_is_out_of_reach_unless_whole_words_are_looked_up():
    """08, When ranks are not enough; tiktoken agrees."""
    listed = {bytes([byte]): byte for byte in range(256)}
    listed |= {b"lo": 256, b"we": 257, b"lowest": 258}
    merges = [Merge(b"l", b"o", 0), Merge(b"w", b"e", 0)]
    assert len(ask.merges_from_ranks.solve(listed)[-1]) == 4
    ids = {}
    for whole in (False, True):
        tok = PublishedTokenizer("gpt2", BYTES, merges, ids=listed, whole_words=whole)
        ids[whole] = [tok.encode(text) for text in ("lowest", "lowests", "lowest west")]
        assert len(ids[whole][1]) == ask.whole_words_first.right
    assert [258] not in ids[False]
    assert ids[True][0] == [258]
    assert ids[True][2][0] == 258
    tiktoken = pytest.importorskip("tiktoken")
    theirs = tiktoken.Encoding(
        "toy", pat_str=SCHEMES["gpt2"].pattern, mergeable_ranks=listed, special_tokens={}
    )
    texts = ("lowest", "lowests", "lowest west")
    assert [theirs.encode_ordinary(text) for text in texts] == ids[True]


def test_without_indentation_gpt2_wins_on_all_code(gpt2):
    """08, A claim that we took back: two halves, two modules."""
    program = load_corpus("program")
    first, second = program[:2600], program[2600:]
    one, two = code_tokenizer(first), code_tokenizer(second)
    ratios = {}
    for name, tok, code in [
        ("second", one, second),
        ("first", two, first),
        ("colorsys", one, inspect.getsource(colorsys)),
        ("shlex", one, inspect.getsource(shlex)),
    ]:
        as_is = len(tok.encode(code)) / len(gpt2.encode(code))
        without = len(tok.encode(flat(code))) / len(gpt2.encode(flat(code)))
        assert without > 1.25
        assert without > as_is + 0.1
        ratios[name] = as_is
    assert ratios["second"] < 0.97  # the win that was reported …
    assert ratios["first"] > 1.15  # … and the halves swapped


def test_what_a_new_pattern_gains_on_code_depends_on_the_size_of_the_vocabulary():
    """08, A claim that we took back: more tokens with 1,500 merges, fewer with 8,000."""
    folder = Path(inspect.getsourcefile(inspect)).parent
    files = [path for path in sorted(folder.glob("[a-z]*.py")) if path.stat().st_size > 5000]
    texts = [path.read_text("utf-8", "replace")[:10_000] for path in files]
    read, unread = texts[::2][:40], texts[1::2][:40]
    signs = []
    for num_merges in (1500, 8000):
        counts = {}
        for scheme in ("gpt2", "cl100k"):
            tok = Tokenizer.train(read, scheme=scheme, num_merges=num_merges)
            counts[scheme] = sum(len(tok.encode(text)) for text in unread)
        signs.append(counts["cl100k"] > counts["gpt2"])
    assert signs == [True, False]
