"""Claims of notebooks 02 and 02b, recomputed."""

from collections import Counter

import pytest
from common import OURS, held_out, trained, written_in

from bpe_teach import SCHEMES, count_pairs, load_corpus, merge_pair, most_frequent_pair
from bpe_teach.exercises import word_boundaries
from bpe_teach.exercises.word_boundaries import solve_split_words as split_words

sloppy_merge, adapt = written_in("02")["sloppy_merge"], written_in("02b")["adapt"]


@pytest.mark.parametrize("name", ["story", "second_story"])
def test_a_bag_gives_the_merges_of_the_whole_list(name):
    """02, "A bag of words": the same counts, met in the same order, to the last merge."""
    words = [*map(tuple, split_words(load_corpus(name)))][:1500]
    bag = Counter(words)
    for _ in range(12):
        listed = Counter()
        for word in words:
            listed.update(count_pairs({word: 1}))
        bagged = count_pairs(bag)
        assert list(listed.items()) == list(bagged.items())
        pair = most_frequent_pair(bagged)
        words = [merge_pair(word, pair) for word in words]
        bag = {merge_pair(word, pair): count for word, count in bag.items()}


def test_the_bag_of_the_story_has_less_than_half_of_the_symbols():
    """02, "A bag of words"."""
    words = split_words(load_corpus("story"))
    assert (len(words), len(set(words))) == (10_146, 2948)
    assert sum(map(len, words)) > 2.2 * sum(map(len, set(words)))


def test_under_two_of_four_schemes_light_is_written_alike_in_four_phrases():
    """02, "Four conventions"."""
    phrases = ["her light", "light the lamp", "daylight", "a light!"]
    cured = []
    for scheme in ["underscore", "words", "end_of_word", "gpt2"]:
        tok = trained(load_corpus("story"), 1000, scheme)
        tokens = [
            [t.decode() if isinstance(t, bytes) else t for t in tok.tokens(p)] for p in phrases
        ]
        whole = {"underscore": "light_", "words": "light"}.get(scheme, "light")
        if all(whole in pieces for pieces in tokens):
            cured.append(scheme)
    assert cured == ["underscore", "words"]
    assert word_boundaries.cured.right == len(cured)


def learn(word_counts, num_merges, merge):
    pairs = []
    for _ in range(num_merges):
        pair = most_frequent_pair(count_pairs(word_counts))
        pairs.append(pair)
        word_counts = {merge(word, pair): count for word, count in word_counts.items()}
    return pairs


@pytest.mark.parametrize("name", ["story", "second_story"])
def test_merging_in_a_string_changes_what_is_learned_from_a_real_text(name):
    """02, "A bug to find": the lists part within the first thirty merges."""
    word_counts = SCHEMES["words"].word_counts(load_corpus(name)[:30_000])
    sloppy, right = (learn(word_counts, 40, merge) for merge in (sloppy_merge, merge_pair))
    assert 5 < min(n for n in range(40) if sloppy[n] != right[n]) < 30


def test_merging_in_a_string_passes_the_four_words_of_its_book():
    """02, "A bug to find": the example of Dive into Deep Learning, ten merges."""
    four = {"fast_": 4, "faster_": 3, "tall_": 5, "taller_": 4}
    word_counts = {tuple(word): count for word, count in four.items()}
    assert learn(word_counts, 10, sloppy_merge) == learn(word_counts, 10, merge_pair)


# 02b


def saving(tok, other):
    return 1 - len(tok.encode(other)) / len(other)


@pytest.mark.parametrize("name", ["story", "second_story", *OURS, "python", "shakespeare"])
def test_the_first_merges_serve_another_text_and_of_the_last_less_than_two_thirds(corpus, name):
    """02b, "What are the last merges worth?": texts of equal length, of four hands.

    Other people's manuals and an old Bible use less, down to a sixth; jokes up to 0.61.
    """
    book = corpus("little_prince")
    tok = trained(book, 500, "underscore")

    def used(other, first):
        seen = set(tok.tokens(other))
        return sum(merge.token in seen for merge in tok.merges[first : first + 100])

    other = adapt(tok, (held_out() | {"story": load_corpus("story")})[name], len(book))
    assert used(other, 0) > 0.88 * used(book, 0)
    assert used(other, 400) < 2 / 3 * used(book, 400)


def test_most_of_the_flattery_is_having_read_the_very_text(corpus):
    """02b, "How much shorter does it get?": both halves; equal length; another story last."""
    book = corpus("little_prince")
    middle = book.index(" ", len(book) // 2)
    halves = book[:middle], book[middle:]
    for read, unread in [halves, halves[::-1]]:
        tok = trained(read, 500, "underscore")
        own = saving(tok, read[:3700])
        held_out = saving(tok, adapt(tok, unread, 3700))
        elsewhere = saving(tok, adapt(tok, load_corpus("second_story"), 3700))
        assert own - held_out > 0.1
        assert 0.02 < held_out - elsewhere < 0.06


def test_every_piece_of_the_book_saves_more_than_every_piece_of_the_stories(corpus):
    """02b, "The published 65.2 %": pieces of 2,296 characters; the published figure is between."""
    book = corpus("little_prince")
    tok = trained(book, 500, "underscore")

    def pieces(other):
        other = adapt(tok, other, 3 * 2296)
        return [saving(tok, other[n : n + 2296]) for n in range(0, 3 * 2296, 2296)]

    others = pieces(load_corpus("story")) + pieces(load_corpus("second_story"))
    assert min(pieces(book)) > 0.655
    assert max(others) < 0.6
