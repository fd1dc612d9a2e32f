"""Claims of notebooks 05 and 05b, recomputed from the package."""

import re
from collections import Counter
from functools import cache
from math import log2

import numpy as np
import pytest

from bpe_teach import (
    Tokenizer,
    compare,
    compression_curve,
    description_length,
    fertility,
    knee,
    learn_merges,
    load_corpus,
)
from bpe_teach.ngrams import NgramCounter


@cache
def trained(min_count=2):
    story = load_corpus("story")
    return Tokenizer.train(story, scheme="gpt2", num_merges=5000, min_count=min_count)


@cache
def first_merges(n):
    tok = trained()
    return Tokenizer(tok.scheme, tok.alphabet, tok.merges[:n])


def stretches(text, size, step=None):
    starts = range(0, len(text) - size + 1, step or size)
    return [text[start : start + size] for start in starts]


def used_share(text, start):
    """How many per cent of 500 merges from rank ``start`` on a text uses."""
    used = set(trained().encode(text))
    return len(used & set(range(256 + start, 256 + start + 500))) / 5


def test_most_of_the_gap_in_used_tokens_is_length_and_some_is_not():
    """05, Our first mistake: unequal lengths."""
    story, second = load_corpus("story"), load_corpus("second_story")
    pieces = stretches(story, len(second))
    for start in (1000, 1500):
        equal = [used_share(piece, start) for piece in pieces]
        gap = used_share(story, start) - used_share(second, start)
        assert max(equal) - used_share(second, start) < 0.4 * gap
        assert min(equal) > 1.3 * used_share(second, start)
    early = [used_share(piece, 0) for piece in pieces]
    assert min(early) - 2 < used_share(second, 0) < max(early) + 2


def test_merges_of_single_pairs_save_two_thirds_as_much_in_another_story():
    """05, The same mistake once more."""
    story, second = load_corpus("story"), load_corpus("second_story")
    tok, to_the_end = trained(), trained(min_count=1)

    def gain(text):
        return len(tok.encode(text)) - len(to_the_end.encode(text))

    gains = [gain(piece) for piece in stretches(story, len(second))]
    assert gain(story) == len(to_the_end.merges) - len(tok.merges)
    assert 0.55 < gain(second) / np.mean(gains) < 0.8
    assert gain(second) < min(gains)


def slope(counts, first, last):
    return log2(counts[last - 1] / counts[first - 1]) / log2(last / first)


@pytest.mark.parametrize("name", ["story", "second_story"])
def test_the_top_of_the_ranks_is_flatter_with_punctuation_and_without(name):
    """05, How often is a token used?"""
    text = load_corpus(name)
    tokens = trained().tokens(text)
    letters = [token for token in tokens if token.strip().isalpha()]
    for items in (tokens, letters, text.split()):
        counts = sorted(Counter(items).values(), reverse=True)
        assert slope(counts, 1, 10) > slope(counts, 10, 100) + 0.1


def misfit(counts, b):
    ranks = np.unique(np.geomspace(1, len(counts), 40).astype(int))
    across, up = np.log2(ranks + b), np.log2(np.array(counts)[ranks - 1])
    line = np.polyval(np.polyfit(across, up, 1), across)
    return np.sqrt(np.mean((up - line) ** 2))


def test_mandelbrots_constant_helps_tokens_and_hardly_words():
    """05, How often is a token used?"""
    gain = {}
    for name in ("story", "second_story"):
        text = load_corpus(name)
        for kind, items in {"tokens": trained().encode(text), "words": text.split()}.items():
            counts = sorted(Counter(items).values(), reverse=True)
            best = min(misfit(counts, b) for b in np.arange(0, 5.1, 0.1))
            gain[name, kind] = 1 - best / misfit(counts, 0)
    assert gain["story", "tokens"] > 0.08
    assert gain["second_story", "tokens"] > 0.2
    assert max(gain["story", "words"], gain["second_story", "words"]) < 0.07


def test_many_tokens_are_never_used_on_their_own_training_text():
    """05, Entries that are never used."""
    story = load_corpus("story")
    shares = []
    for n in (250, 1000, 2001):
        counts = Counter(first_merges(n).encode(story))
        shares.append(sum(not counts[256 + rank] for rank in range(n)) / n)
    assert shares == sorted(shares)
    assert 0.14 < shares[-1] < 0.18


@pytest.mark.parametrize("name", ["story", "second_story"])
def test_the_knee_moves_with_the_end_of_the_curve_and_with_its_axis(name):
    """05, Is it the knee?"""
    curve = compression_curve(trained(), load_corpus(name))
    for y in ("chars_per_token", "saved_percent"):
        ends = (250, 500, 1000, 2001)
        knees = [knee(curve[curve.merges <= end], y=y) for end in ends]
        assert knees == sorted(knees)
        assert knees[-1] > 3 * knees[0]
    assert knee(curve) > 1.2 * knee(curve, y="saved_percent")


def shortest(text):
    """Number of merges with the shortest description, and how much longer the two ends are."""
    tok = Tokenizer.train(text, scheme="gpt2", num_merges=5000)
    sizes = [*range(0, len(tok.merges), 100), len(tok.merges)]
    total = description_length(tok, text, sizes).set_index("merges").total
    return total.idxmin(), total.iloc[0] / total.min(), total.iloc[-1] / total.min()


def test_the_description_has_a_minimum_inside_and_it_grows_with_the_text():
    """05, The shortest description."""
    story = load_corpus("story")
    half = len(story) // 2
    whole, *ends = shortest(story)
    assert 1000 <= whole <= 1300
    assert min(ends) > 1.02
    for part in (story[:half], story[half:]):
        best, *ends = shortest(part)
        assert 500 <= best <= 0.8 * whole
        assert min(ends) > 1.02


def test_each_tokenizer_is_best_on_its_own_kind_of_text_and_names_are_worst_for_the_others():
    """05, Other texts, other tokenizers."""
    kinds = {name: load_corpus(name) for name in ("story", "program", "chat")}
    kinds["names"] = " ".join(load_corpus("names").split()[::4])
    for first in (0, 1):
        toks, test = {}, {}
        for name, text in kinds.items():
            parts = stretches(text[:2800], 100)
            training = "".join(parts[first::2])
            toks[name] = Tokenizer.train(training, scheme="gpt2", num_merges=100)
            test[name] = "".join(parts[1 - first :: 2])
        table = compare(toks, test).pivot(
            index="tokenizer", columns="text", values="chars_per_token"
        )
        others = {}
        for name in kinds:
            others[name] = table.drop(index=name)[name]
            assert table.loc[name, name] > 1.05 * others[name].max()
        means = {name: column.mean() for name, column in others.items()}
        assert min(means, key=means.get) == "names"
        flat = re.sub("(?m)^ +", "", test["program"])
        lead = len(toks["story"].encode(flat)) / len(toks["program"].encode(flat))
        indented = table.loc["program", "program"] / table.loc["story", "program"]
        assert 1.1 < lead < indented
        assert lead - 1 > 0.5 * (indented - 1)


def test_names_take_more_tokens_than_new_words_but_not_three_times_as_many():
    """05, Are names so hard?"""
    tok = trained()

    def mean_tokens(words):
        return np.mean([len(tok.encode(" " + word)) for word in words])

    names = load_corpus("names").split()
    running = re.findall("[A-Za-z]+", load_corpus("second_story"))
    new = set(running) - set(re.findall("[A-Za-z]+", load_corpus("story")))
    for part in (names[::2], names[1::2]):
        assert mean_tokens(part) > 3 * mean_tokens(running)
        assert 1.6 < mean_tokens(part) / mean_tokens(new) < 1.85
        for length in (4, 5, 6, 7):
            ours = mean_tokens([name for name in part if name.isascii() and len(name) == length])
            theirs = mean_tokens([word for word in new if len(word) == length])
            assert 1.3 < ours / theirs < 1.65


def test_mixing_languages_into_training_lowers_the_premium_and_costs_english():
    """05, A mixed training text."""
    story = load_corpus("story")
    pages = dict(section.split("\n", 1) for section in load_corpus("parallel").split("\n\n## ")[1:])

    def lines(page, start, stop):
        return "\n".join(page.splitlines()[start:stop])

    for seen, tested in [((0, 6), (6, 10)), ((4, 10), (0, 4))]:
        english = [story[:17_500], lines(pages["English"], *seen)]
        mixture = [story[:6_000], *(lines(page, *seen) for page in pages.values())]
        tests = {name: lines(page, *tested) for name, page in pages.items()}
        before, after = (
            fertility(Tokenizer.train(text, scheme="gpt2", num_merges=1000), tests)
            for text in (english, mixture)
        )
        assert after.tokens["English"] > 1.08 * before.tokens["English"]
        assert (after.tokens < before.tokens).drop("English").all()
        assert before.relative.max() > 6.5
        assert after.relative.max() < 2.4
        assert after.relative.median() < 0.7 * before.relative.median()


def test_a_story_that_is_one_token_has_a_long_description():
    """05, Break it."""
    story = load_corpus("story")[:12_000]
    greedy = Tokenizer.train(story, scheme="chars", num_merges=50_000, min_count=1)
    last = len(greedy.merges)
    assert len(greedy.encode(story)) == 1
    total = description_length(greedy, story, [0, 400, last]).total
    assert total[1] < 0.9 * total[0] < 0.9 * total[2]


# Notebook 05b.


def test_few_different_words_raise_the_saving_of_an_unknown_text(corpus):
    """05b, We believed this, and were wrong."""
    tok = Tokenizer.train(corpus("little_prince"), scheme="underscore", num_merges=500)
    length = len(load_corpus("second_story"))
    for name in ("second_story", "story"):
        text = load_corpus(name).lower()[:length]
        words = "".join(c for c in text if c.isspace() or c in tok.alphabet).split()
        saved = []
        for keep in (10_000, 250, 100):
            common = {word for word, _ in Counter(words).most_common(keep)}
            pieces = stretches(" ".join(word for word in words if word in common), 2296, 100)
            saved.append(np.mean([1 - len(tok.encode(piece)) / 2296 for piece in pieces]))
        assert 0.55 < saved[0] < 0.585
        assert saved[1] > saved[0] + 0.03
        assert saved[2] > 0.645


def judged(text, vocab_size, stages):
    """Characters per token, then bits per character with orders 1 and 2, for each first stage."""
    cut = len(text) * 9 // 10
    train, held_out = text[:cut], text[cut:]
    rows = []
    for inside in stages:
        one = Tokenizer.train(train, scheme="gpt2", vocab_size=inside)
        across = learn_merges({tuple(one.tokens(train)): 1}, vocab_size - len(one))
        tok = Tokenizer("bytes", one.alphabet, one.merges + across)
        ids = tok.encode(held_out)
        counter = NgramCounter(tok.encode(train), vocab_size, order=2)
        bits = [counter.bits(ids, order) / len(held_out) for order in (1, 2)]
        rows.append([len(held_out) / len(ids), *bits])
    return rows


@pytest.mark.parametrize("start", [0, 500_000])
def test_tokens_across_words_win_without_context_and_lose_with_it(corpus, start):
    """05b, Tokens across words: tried, not dismissed."""
    text = corpus("tinyshakespeare")[start : start + 200_000]
    two_stages, inside = judged(text, 2000, (1000, 2000))
    assert two_stages[0] > 1.07 * inside[0]
    assert two_stages[1] < inside[1] - 0.02
    assert two_stages[2] > inside[2] + 0.015


@pytest.mark.parametrize("start", [0, 500_000])
def test_merging_across_words_from_the_beginning_is_worse_than_in_two_stages(corpus, start):
    """05b, Tokens across words: tried, not dismissed (there with twice as much text)."""
    text = corpus("tinyshakespeare")[start : start + 100_000]
    across, two_stages = judged(text, 1500, (256, 750))
    assert two_stages[0] > 1.02 * across[0]
    assert two_stages[1] < across[1] - 0.02
    assert two_stages[2] < across[2] - 0.02
