"""Newer ideas: their measures, and each idea compared with a slow and plain oracle."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bpe_further.measure.quality import border_score, gini, renyi_efficiency
from bpe_further.variants.mixture import all_mixtures, infer_mixture, misfits
from bpe_further.variants.parity import learn_parity_merges
from bpe_further.variants.superwords import find_superwords, train_superwords
from bpe_teach import SCHEMES, count_pairs, encode_by_replay, load_corpus
from bpe_teach.learn import learn_merges_naive, merge_words

PIECES = st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=5)
WORD_COUNTS = st.dictionaries(
    st.lists(st.sampled_from("ab"), min_size=1, max_size=8).map(tuple),
    st.integers(1, 9),
    min_size=1,
)
TEXTS = st.lists(st.sampled_from(["a", "ab", "abb", "bab"]), max_size=12).map(" ".join)
COSTS = st.lists(st.integers(1, 50), min_size=1, max_size=12)

# Measures.


@given(st.lists(st.sampled_from("abcd"), min_size=1))
def test_renyi_efficiency_is_that_of_the_formula(tokens):
    shares = np.array([tokens.count(token) / len(tokens) for token in set(tokens)])
    renyi = np.log2((shares**2.5).sum()) / (1 - 2.5) / math.log2(4)
    assert renyi_efficiency(tokens, 4) == pytest.approx(renyi, abs=1e-12)
    assert -1e-9 < renyi_efficiency(tokens, 4) <= 1 + 1e-9


@given(COSTS)
def test_gini_is_the_area_between_the_lorenz_curve_and_equality(costs):
    owned = np.concatenate([[0], np.cumsum(sorted(costs)) / sum(costs)])
    below = (owned[1:] + owned[:-1]).sum() / 2 / len(costs)
    assert gini(costs) == pytest.approx(1 - 2 * below, abs=1e-12)


@given(st.lists(st.tuples(PIECES, st.randoms()), min_size=1, max_size=6))
def test_borders_are_scored_as_places_counted_one_by_one(drawn):
    words, cuts = {}, {}
    for parts, chance in drawn:
        word = "".join(parts)
        places = [i for i in range(1, len(word)) if chance.random() < 0.5]
        words[word] = parts
        cuts[word] = [word[a:b] for a, b in zip([0, *places], [*places, len(word)], strict=True)]
    judged = []  # (is it cut?, should it be?) of every place between two letters
    for word, parts in words.items():
        for place in range(1, len(word)):
            judged.append([any(len("".join(p[:n])) == place for n in range(len(p)))
                           for p in (cuts[word], parts)])  # fmt: skip
    both, made, right = (sum(map(f, judged)) for f in (all, lambda j: j[0], lambda j: j[1]))
    score = border_score(cuts.get, words)
    assert score.precision == (both / made if made else 1)
    assert score.recall == (both / right if right else 1)
    assert score.f1 == pytest.approx(2 * both / (made + right) if both else 0)


# Superwords.


@given(TEXTS, st.integers(0, 4), st.integers(0, 5))
def test_superwords_are_learned_within_words_first_and_then_in_the_text_as_one_word(text, k, more):
    scheme = SCHEMES["gpt2"]
    inside = learn_merges_naive(scheme.word_counts(text), k, min_count=2)
    whole = encode_by_replay(scheme.symbols(text), inside)  # without walls, as it will be encoded
    across = learn_merges_naive({whole: 1}, more, min_count=2)
    tok = train_superwords(text, k + more, k)
    if len(inside) == k:  # else the first stage ended early, and the second has more to do
        assert list(tok.merges) == inside + across
    assert tok.decode(tok.encode(text)) == text


def test_newlines_that_a_wall_parts_are_merged_by_the_merge_that_there_is():
    text = "a\n\n\nb\n\nc\n\n\nd\n\ne"  # within words \n\n is merged only before another newline
    tok = train_superwords(text, 6, 1)
    assert tok.merges[0].pair == (b"\n", b"\n")
    assert tok.decode(tok.encode(text)) == text


def test_without_a_second_stage_there_are_no_superwords_and_with_it_there_are():
    story = load_corpus("story")
    assert find_superwords(train_superwords(story, 400, 400)) == []
    assert " of the" in find_superwords(train_superwords(story, 400, 300))


# Parity.


@given(st.lists(WORD_COUNTS, min_size=1, max_size=3), st.integers(0, 6))
@example([{("a",): 9}, {("a", "b"): 1}], 1)  # the longest page has no pair
def test_each_parity_merge_is_the_best_pair_of_the_longest_page(counts, num_merges):
    pages = dict(enumerate(counts))
    merges, served = learn_parity_merges(pages, num_merges)
    for step, (merge, who) in enumerate(zip(merges, served, strict=True)):
        tokens, pairs = {}, {}  # encoded from scratch, all merges so far
        for name, words in pages.items():
            encoded = [(encode_by_replay(w, merges[:step]), n) for w, n in words.items()]
            tokens[name] = sum(len(w) * n for w, n in encoded)
            pairs[name] = Counter()
            for word, n in encoded:
                pairs[name].update({pair: 0 for pair in zip(word, word[1:], strict=False)})
                for pair in zip(word, word[1:], strict=False):
                    pairs[name][pair] += n
        able = [name for name in pages if max(pairs[name].values(), default=0) > 1]
        assert who == max(able, key=tokens.get)
        assert merge.count == pairs[who][merge.pair] == max(pairs[who].values())
    if len(merges) < num_merges:  # then no pair is left that occurs twice in a page
        for words in pages.values():
            encoded = {encode_by_replay(word, merges): 0 for word in words}
            for word, n in words.items():
                encoded[encode_by_replay(word, merges)] += n
            assert max(count_pairs(encoded).values(), default=0) < 2
    if len(pages) == 1:
        assert merges == learn_merges_naive(pages[0], num_merges, min_count=2)


# The mixture.


@given(WORD_COUNTS, WORD_COUNTS, st.integers(0, 4), st.integers(0, 5))
def test_a_mixture_fits_exactly_if_every_merge_is_a_most_frequent_pair_of_it(
    one, other, portions, num_merges
):
    mixtures = all_mixtures(2, steps=4)

    def mixed(shares):  # exact: fractions of the words of both
        counts = Counter()
        for source, share in zip((one, other), shares, strict=True):
            symbols = sum(len(word) * n for word, n in source.items())
            for word, n in source.items():
                counts[word] += Fraction(share) * n / symbols
        return counts

    merges = learn_merges_naive(mixed(mixtures[portions]), num_merges, min_count=Fraction(1, 10**9))
    for shares, misfit in zip(mixtures, misfits(merges, [one, other], mixtures), strict=True):
        words, worst = mixed(shares), Counter()
        for merge in merges:
            pairs = count_pairs(words)
            for pair, count in pairs.items():
                worst[pair] = max(worst[pair], count - pairs[merge.pair])
            words = merge_words(words, merge.pair)
        assert misfit == pytest.approx(float(sum(worst.values())), abs=1e-12)
    assert misfits(merges, [one, other], mixtures)[portions] < 1e-12


def test_mixtures_that_explain_the_merges_equally_well_give_their_mean():
    sources = {"one": {("a", "a", "b"): 1}, "other": {("b", "b", "a"): 1}}
    assert infer_mixture([], sources, steps=4) == {"one": 0.5, "other": 0.5}
    assert infer_mixture([("a", "a")], sources, steps=4) == {"one": 0.75, "other": 0.25}
    one, other = ("a", "b"), ("c", "d")  # the mixture on the other side explains almost as much
    sources = {"one": {one: 1000, other: 999}, "other": {one: 999, other: 1000}}
    assert infer_mixture([one], sources, steps=4) == {"one": 0.75, "other": 0.25}
    assert len(all_mixtures(3, steps=4)) == 15
    assert all(sum(shares) == 1 for shares in all_mixtures(3, steps=4))
