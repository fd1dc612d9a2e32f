"""Claims of notebook 03, recomputed."""

import random

import pytest
from common import trained

from bpe_teach import (
    encode_by_rank,
    encode_by_replay,
    encode_steps,
    learn_merges_naive,
    load_corpus,
    merge_pair,
    spaced,
)
from bpe_teach.exercises import rank_based_encoding
from bpe_teach.exercises.word_boundaries import solve_bag_of_words as bag_of_words
from bpe_teach.exercises.word_boundaries import solve_split_words as split_words


def words_of(name, tok):
    known = set(map(str, tok.alphabet))
    words = sorted(set(load_corpus(name).split()))
    return [tok.scheme.symbols(word) for word in words if set(word) <= known]


OTHER = [("story", "second_story"), ("second_story", "story")]


def test_the_t_of_lamplighter_goes_to_er_because_of_one_merge():
    """03, "Whose fault is it?": each explanation tried by itself, with 300 merges of the story."""
    bag = bag_of_words(map(tuple, split_words(load_corpus("story"))))
    merges = [merge.pair for merge in learn_merges_naive(bag, 300, min_count=2)]
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    last, first = {("l", "ight"): 300}, {("l", "ight"): -1}
    without = {pair: rank for pair, rank in ranks.items() if pair != ("t", "er")}
    word = tuple("lamplighter")
    assert (ranks["t", "er"], ranks["h", "t"]) == (61, 68)
    for changed in [ranks, ranks | last, ranks | first]:
        assert spaced(encode_by_rank(word, changed)) == rank_based_encoding.lamplighter.right
    assert spaced(encode_by_rank(word, without)) == "l am p l ight er"
    assert spaced(encode_by_rank(word, without | last)) == "l am p light er"


@pytest.mark.parametrize(("read", "met"), OTHER)
def test_merges_that_are_made_backwards_give_other_and_more_tokens(read, met):
    """03, "Where the last notebook broke": every word of a text that was not read."""
    tok = trained(load_corpus(read), 1000, "end_of_word")
    words = words_of(met, tok)
    forwards = backwards = 0
    for word in words:
        text = "".join(word)
        merges = [merge for merge in tok.merges if merge.token in text]  # the others do nothing
        forwards += len(encode_by_replay(word, merges))
        backwards += len(encode_by_replay(word, merges[::-1]))
    assert backwards > 1.2 * forwards


@pytest.mark.parametrize(("read", "met"), OTHER)
def test_with_learned_merges_replay_and_rank_agree_and_winners_never_go_down(read, met):
    """03, "Do replay and rank always agree?": every word of a text that was not read."""
    tok = trained(load_corpus(read), 1000, "end_of_word")
    for word in words_of(met, tok)[:400]:
        assert encode_by_replay(word, tok.merges) == encode_by_rank(word, tok.ranks)
        steps = encode_steps(word, tok.ranks)
        winners = [tok.ranks[step.winner] for step in steps if step.winner]
        assert winners == sorted(winners)


@pytest.mark.parametrize("seed", range(3))
def test_no_learned_list_can_be_found_on_which_replay_and_rank_differ(seed):
    """03, the same: random small texts, where a token might come about in two ways."""
    chance = random.Random(seed)
    for _ in range(150):
        words = {tuple(chance.choices("abc", k=chance.randint(1, 15))): 1 for _ in range(4)}
        merges = learn_merges_naive(words, 15)
        assert len({merge.token for merge in merges}) == len(merges)  # none made in two ways
        ranks = {merge.pair: rank for rank, merge in enumerate(merges)}
        for _ in range(10):
            word = tuple(chance.choices("abc", k=12))
            assert encode_by_replay(word, merges) == encode_by_rank(word, ranks)


@pytest.mark.parametrize(("read", "met"), OTHER)
def test_the_work_of_replay_grows_with_the_list_and_that_of_rank_hardly(read, met):
    """03, "Summary": pairs looked at, with 50 and with 1,000 merges."""
    tok = trained(load_corpus(read), 1000, "end_of_word")
    words = words_of(met, tok)[:150]
    replay, by_rank = [], []
    for size in (50, len(tok.merges)):
        ranks = {merge.pair: rank for rank, merge in enumerate(tok.merges[:size])}
        looked_at = 0
        for word in words:
            for merge in tok.merges[:size]:
                looked_at += len(word) - 1
                word = merge_pair(word, merge.pair)
        replay.append(looked_at)
        steps = [step.word for w in words for step in encode_steps(w, ranks)]
        by_rank.append(sum(len(word) - 1 for word in steps))
    assert replay[1] > 5 * replay[0]
    assert by_rank[1] < 2 * by_rank[0]
