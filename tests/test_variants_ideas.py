"""Newer ideas: what they are measured by, and each held to an oracle that is slow and plain."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_teach import SCHEMES, Tokenizer, load_corpus
from bpe_teach.variants.measures import (
    border_score,
    cut_word,
    gini,
    load_morphemes,
    renyi_efficiency,
)

PIECES = st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=5)
COSTS = st.lists(st.integers(1, 50), min_size=1, max_size=12)

# Measures.


@given(st.lists(st.sampled_from("abcd"), min_size=1), st.sampled_from([0.5, 1, 2, 2.5, 3]))
def test_renyi_efficiency_is_that_of_the_formula_and_its_limit_at_1_is_shannons(tokens, alpha):
    shares = np.array([tokens.count(token) / len(tokens) for token in set(tokens)])
    shannon = -(shares * np.log2(shares)).sum() / math.log2(4)
    renyi = np.log2((shares**alpha).sum()) / (1 - alpha) / math.log2(4) if alpha != 1 else shannon
    assert renyi_efficiency(tokens, 4, alpha) == pytest.approx(renyi, abs=1e-12)
    assert renyi_efficiency(tokens, 4, 1 + 1e-7) == pytest.approx(shannon, abs=1e-5)
    assert -1e-9 < renyi_efficiency(tokens, 4, alpha) <= 1 + 1e-9


def test_renyi_efficiency_of_the_story_is_highest_with_few_merges():
    story = load_corpus("story")
    found = {}
    for n in (0, 200, 2000):
        tok = Tokenizer.train(story, num_merges=n)
        found[n] = round(renyi_efficiency(tok.encode(story), len(tok)), 2)
    assert found == {0: 0.45, 200: 0.75, 2000: 0.53}


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


def test_a_word_is_cut_as_after_a_space_whatever_marks_its_end():
    for name, scheme in SCHEMES.items():
        tok = Tokenizer.train("a low slow lower slowest", scheme=name, num_merges=3, min_count=1)
        assert "".join(cut_word(tok, "lowest")) == "lowest", scheme
    whole = Tokenizer.train("low low", scheme="end_of_word", num_merges=3)
    assert cut_word(whole, "low") == ["low"]


def test_the_words_cut_by_hand_are_sorted_and_have_parts_or_one():
    words = load_morphemes()
    assert len(words) == 273 == len(load_corpus("morphemes").split())
    assert list(words) == sorted(words)
    assert sum(len(parts) == 1 for parts in words.values()) == 42
    assert all(part.isalpha() and part.islower() for parts in words.values() for part in parts)
    assert border_score(list, words).recall == border_score(lambda w: [w], words).precision == 1


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: renyi_efficiency("", 3), "0 different tokens do not fit into 3 entries"),
        (lambda: renyi_efficiency("abc", 2), "3 different tokens do not fit into 2 entries"),
        (lambda: renyi_efficiency("ab", 2, alpha=0), "alpha is 0; it must be positive"),
        (lambda: gini([]), "this needs costs"),
        (lambda: gini([0, 0]), "this needs costs"),
        (lambda: gini([3, -1]), "none of them negative"),
        (lambda: border_score(lambda w: ["x"], {"ab": ["ab"]}), "do not spell the word 'ab'"),
    ],
)
def test_what_cannot_be_measured_is_told(call, said):
    with pytest.raises(ValueError, match=said):
        call()
