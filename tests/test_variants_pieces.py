"""WordPiece, Unigram, and encoders of one vocabulary, compared with other ways to the answer."""

import math
import random
from collections import Counter
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_further.variants.encoders import count_cuts, encode_with_dropout, fewest_tokens
from bpe_further.variants.unigram import (
    LEAST,
    expected_counts,
    learn_unigram,
    prune,
    reestimate,
    sample,
    seed_scores,
    viterbi,
)
from bpe_further.variants.wordpiece import (
    attraction,
    learn_wordpiece,
    likelihood_gain,
    longest_match,
    mark_inner,
    merge_pieces,
)
from bpe_teach import Tokenizer, encode_by_rank, learn_merges

WORDS = st.text("abc", min_size=1, max_size=7)
BAGS = st.dictionaries(WORDS.map(tuple), st.integers(1, 9), min_size=1, max_size=6)
LONGER = st.text("abc", min_size=2, max_size=4)
SCORES = st.dictionaries(LONGER, st.floats(-9, -1), max_size=12)
LETTERS = {"a": -3.0, "b": -3.5, "c": -4.0}


def every_cut(word, vocab):
    """Return every way to cut a word, by trying every way to put gaps into it."""
    cuts = []
    for gaps in product(["", " "], repeat=len(word) - 1):
        cut = tuple("".join(map("".join, zip(word, [*gaps, ""], strict=True))).split(" "))
        if all(piece in vocab for piece in cut):
            cuts.append(cut)
    return cuts


def total(cut, scores):
    return sum(scores[piece] for piece in cut)


# WordPiece.

HUGS = {tuple("hug"): 10, tuple("pug"): 5, tuple("pun"): 12, tuple("bun"): 4, tuple("hugs"): 5}


def test_the_first_merge_is_that_of_the_course_of_hugging_face():
    assert learn_wordpiece(HUGS, 15, score=attraction)[14:] == ["##gs"]


def test_every_character_is_there_in_both_forms_and_pieces_follow_as_merged():
    vocab = learn_wordpiece({tuple("aab"): 2}, 99)
    assert vocab[:4] == ["a", "b", "##a", "##b"]
    assert vocab[4:] in (["aa", "aab"], ["##ab", "aab"])
    assert learn_wordpiece({tuple("aab"): 2}, 99, min_count=3) == vocab[:4]


def learn_again(word_counts, vocab_size, score, min_count):
    """Learn as `learn_wordpiece` does, but count everything again after each merge."""
    letters = sorted(set().union(*word_counts))
    vocab = [*letters, *("##" + letter for letter in letters)]
    words = [(mark_inner(word), count) for word, count in word_counts.items()]
    while len(vocab) < vocab_size:
        symbols, pairs = Counter(), Counter()
        for word, count in words:
            for symbol in word:
                symbols[symbol] += count
            for pair in pairwise(word):
                pairs[pair] += count
        ranked = [
            (score(n, symbols[a], symbols[b], symbols.total()), n, (a, b))
            for (a, b), n in pairs.items()
            if n >= min_count
        ]
        if not ranked:
            break
        best = max(ranked)[2]
        new = merge_pieces(*best)
        vocab += [] if new in vocab else [new]
        merged = []
        for word, count in words:
            text = " " + "  ".join(word) + " "  # two spaces between, so that none is shared
            text = text.replace(f" {best[0]}  {best[1]} ", f" {new} ")
            merged.append((tuple(text.split()), count))
        words = merged
    return vocab


@given(BAGS, st.integers(6, 20), st.sampled_from([attraction, likelihood_gain]), st.integers(1, 4))
def test_counts_that_are_kept_up_to_date_choose_as_fresh_ones_do(bag, size, score, min_count):
    expected = learn_again(bag, size, score, min_count)
    assert learn_wordpiece(bag, size, score=score, min_count=min_count) == expected


@given(st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=8), WORDS)
def test_the_longest_match_is_that_of_the_tokenizers_library(first, inner, word):
    models = pytest.importorskip("tokenizers").models
    vocab = ["[UNK]", *first, *("##" + piece for piece in inner)]
    ids = {piece: i for i, piece in enumerate(dict.fromkeys(vocab))}
    theirs = models.WordPiece(ids, unk_token="[UNK]").tokenize(word)
    ours = longest_match(tuple(word), ids, unknown="[UNK]")
    assert ours == tuple(token.value for token in theirs)


# Unigram.


@given(WORDS, SCORES)
def test_expected_counts_are_those_of_all_cuts_listed(word, scores):
    scores = scores | LETTERS
    chances = {cut: math.exp(total(cut, scores)) for cut in every_cut(word, scores)}
    whole = sum(chances.values())
    listed = Counter()
    for cut, chance in chances.items():
        for piece in cut:
            listed[piece] += 3 * chance / whole
    counts, likelihood = expected_counts({tuple(word): 3}, scores)
    assert dict(counts) == pytest.approx(dict(listed))
    assert likelihood == pytest.approx(3 * math.log(whole))


@given(BAGS)
def test_no_round_of_em_makes_the_text_less_probable(bag):
    scores = seed_scores(bag, 30)
    for _ in range(4):
        counts, before = expected_counts(bag, scores)
        scores = reestimate(bag, scores)
        assert sum(map(math.exp, scores.values())) == pytest.approx(1)
        if min(counts.values()) >= LEAST:  # else a piece is dropped, or gets more than its share
            assert expected_counts(bag, scores)[1] >= before - 1e-9


@given(WORDS, SCORES)
def test_no_cut_has_a_higher_score_than_the_best(word, scores):
    scores = scores | LETTERS
    highest = max(total(cut, scores) for cut in every_cut(word, scores))
    assert total(viterbi(tuple(word), scores), scores) == pytest.approx(highest)


def test_of_cuts_with_equal_scores_the_one_with_the_longest_last_piece_is_taken():
    scores = dict.fromkeys(["l", "lo", "ow", "w"], -1)
    assert viterbi(tuple("low"), scores) == ("l", "ow")


@pytest.mark.parametrize("sharpness", [0, 0.5, 1])
def test_cuts_are_drawn_as_often_as_their_probability_says(sharpness):
    scores = LETTERS | {"ab": -4.0, "bc": -5.0, "abc": -9.0}
    chances = {cut: math.exp(sharpness * total(cut, scores)) for cut in every_cut("abc", scores)}
    chance = random.Random(0)
    drawn = Counter(sample(tuple("abc"), scores, chance, sharpness) for _ in range(3000))
    for cut, weight in chances.items():
        assert drawn[cut] / 3000 == pytest.approx(weight / sum(chances.values()), abs=0.03)


@given(BAGS, st.integers(3, 12))
def test_pruning_and_training_leave_all_characters_and_no_more_pieces_than_wanted(bag, size):
    scores = seed_scores(bag, 30)
    kept = prune(bag, scores, size)
    assert len(kept) == min(size, len(scores))
    learned = learn_unigram(bag, size)
    assert set().union(*bag) <= set(kept) & set(learned)
    assert len(learned) <= size


@given(BAGS, st.integers(3, 12))
def test_what_is_pruned_would_cost_less_than_what_is_kept(bag, size):
    """Losses by listing all cuts; SentencePiece and tokenizers estimate them in another way."""
    scores = reestimate(bag, seed_scores(bag, 30))
    counts, _ = expected_counts(bag, scores)
    losses = {}
    for piece in scores:
        if len(piece) > 1:
            others = [total(cut, scores) for cut in every_cut(piece, scores) if len(cut) > 1]
            losses[piece] = counts[piece] * (scores[piece] - max(others))
    kept = prune(bag, scores, size)
    least = min((losses[piece] for piece in losses if piece in kept), default=math.inf)
    assert all(losses[piece] <= least + 1e-6 for piece in losses if piece not in kept)


def test_a_long_word_has_a_probability_too_small_for_a_number_but_not_for_its_logarithm():
    word = tuple("abc" * 200)
    counts, likelihood = expected_counts({word: 1}, LETTERS)
    assert math.exp(likelihood) == 0
    assert counts["a"] == pytest.approx(200)


# Encoders.

TOK = Tokenizer.train("abababbabaabb", scheme="chars", num_merges=4)


@given(st.text("ab", min_size=1, max_size=7))
def test_cuts_are_counted_and_the_shortest_found_as_if_they_were_listed(word):
    vocab = set(TOK.vocab.values())
    cuts = every_cut(word, vocab)
    assert count_cuts(tuple(word), vocab) == len(cuts)
    assert len(fewest_tokens(tuple(word), vocab)) == min(map(len, cuts))
    assert len(longest_match(tuple(word), vocab, prefix="")) >= min(map(len, cuts))


def test_cuts_are_counted_with_tokens_of_any_length():
    word = "a" * 200
    assert count_cuts(word, {"a", word}) == 2
    assert fewest_tokens(word, {"a", word}) == (word,)


@given(BAGS, WORDS)
def test_dropout_of_nothing_is_by_rank_and_of_everything_no_merge(bag, word):
    ranks = {merge.pair: rank for rank, merge in enumerate(learn_merges(bag, 9))}
    chance = random.Random(0)
    assert encode_with_dropout(tuple(word), ranks, 0, chance) == encode_by_rank(tuple(word), ranks)
    assert encode_with_dropout(tuple(word), ranks, 1, chance) == tuple(word)


def chances_of_dropout(word, ranks, dropout):
    """Return {cut: its probability}, exactly: the first places of the queue may be overlooked."""
    queue = sorted((ranks[pair], i) for i, pair in enumerate(pairwise(word)) if pair in ranks)
    chances = Counter({word: dropout ** len(queue)})
    for overlooked, (_, i) in enumerate(queue):
        merged = (*word[:i], word[i] + word[i + 1], *word[i + 2 :])
        for cut, chance in chances_of_dropout(merged, ranks, dropout).items():
            chances[cut] += dropout**overlooked * (1 - dropout) * chance
    return chances


def test_dropout_draws_each_cut_as_often_as_it_should():
    ranks = {("l", "o"): 0, ("lo", "w"): 1, ("e", "r"): 2, ("low", "er"): 3}
    chances = chances_of_dropout(tuple("lower"), ranks, 0.4)
    assert sum(chances.values()) == pytest.approx(1)
    chance = random.Random(0)
    word = tuple("lower")
    drawn = Counter(encode_with_dropout(word, ranks, 0.4, chance) for _ in range(4000))
    for cut, share in chances.items():
        assert drawn[cut] / 4000 == pytest.approx(share, abs=0.03)
