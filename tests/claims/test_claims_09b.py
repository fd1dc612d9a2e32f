"""Claims of notebook 09b."""

import re
from collections import Counter

import pytest

from bpe_teach import Tokenizer, encode_by_rank, learn_merges, load_corpus, merge_pair
from bpe_teach.exercises import misconception_lab as lab

HIDDEN = {"best_pair_1", "merge_2", "first_ids_1", "decode_1", "cut_lines_1"}  # beside merge_1
OPEN = {"learn_1", "encode_1", "encode_2", "encode_3", "ranks_1", "encode_text_1"}


def lines_of(name: str) -> list[str]:
    return [line for line in load_corpus(name).split("\n") if len(line) > 1]


@pytest.mark.parametrize(
    ("training", "lines"),
    [("story", lines_of("second_story")[:30]), ("second_story", lines_of("story")[::6])],
)
def test_five_faults_never_show_on_english_lines_one_hardly_ever_and_six_on_most(training, lines):
    """09b, "Do tests on ordinary texts find such faults?"."""
    mistakes = lab.count_mistakes(lines, load_corpus(training))
    assert all(mistakes[name] == 0 for name in HIDDEN)
    assert mistakes["merge_1"] < 0.05 * len(lines)
    assert all(mistakes[name] > 0.6 * len(lines) for name in OPEN)


def test_lines_in_many_scripts_find_more_of_them_but_not_all():
    """09b, "Do tests on ordinary texts find such faults?"."""
    mistakes = lab.count_mistakes(lines_of("mixed"), load_corpus("second_story"))
    assert all(mistakes[name] > 0 for name in HIDDEN - {"merge_2"})
    assert mistakes["merge_2"] == 0


@pytest.mark.parametrize("text", ["story", "second_story"])
def test_a_round_trip_does_not_see_wrong_merges(text):
    """09b, "Do tests on ordinary texts find such faults?"."""
    text = load_corpus(text)[:5000]
    words = Counter(re.findall(lab.PATTERN, text))
    merges = [merge.pair for merge in learn_merges({tuple(w): n for w, n in words.items()}, 200)]
    ranks = lab.solve_ranks_of(merges)
    for word in words:
        for encode in (lab._encode_1, lab._encode_2, lab._encode_3):
            assert "".join(encode(word, ranks)) == word
        assert "".join(encode_by_rank(tuple(word), lab._ranks_1(merges))) == word
    assert "".join(lab._encode_text_1(text)) == text


def test_both_orders_of_wikipedias_merges_end_in_the_same_tokens():
    """09b, "Count"."""
    ends = []
    for pairs in ([("a", "a"), ("aa", "a"), ("aaa", "b")], [("a", "a"), ("a", "b"), ("aa", "ab")]):
        word = tuple(lab.WIKIPEDIA)
        for pair in pairs:
            word = merge_pair(word, pair)
        ends.append(word)
    assert ends[0] == ends[1] == ("aaab", "d", "aaab", "a", "c")
    assert lab.solve_learn(lab.WIKIPEDIA, 3) == [("a", "a"), ("aa", "a"), ("aaa", "b")]


def test_the_mended_functions_learn_and_encode_as_the_package_does():
    """09b, "Mended"."""
    for name in ("story", "second_story"):
        sample = load_corpus(name)[:2000]
        tokens = lab.solve_encode(sample, lab.solve_ranks_of(lab.solve_learn(sample, 30)))
        tok = Tokenizer.train(sample, scheme="chars", num_merges=30)
        assert list(tokens) == tok.tokens(sample)
