"""Notebook 07b: what its prose concludes, recomputed from the package."""

from itertools import permutations

import numpy as np
import pytest
from common import elsewhere, held_out, written_in

from bpe_teach import SCHEMES, learn_merges, load_corpus
from bpe_teach.exercises import many_machines as ask

SCHEME = SCHEMES["gpt2"]
PROSE = ["story", "second_story"]
add_counts = ask.add_counts.solve
HERE = written_in("07b")
HERE |= {"scheme": SCHEME, "find_cut": ask.find_cut.solve}  # which its cells set
cut, different_words = HERE["cut"], HERE["different_words"]


def add(tables):
    total = {}
    for table in tables:
        total = add_counts(total, table)
    return total


def pairs(counts, n):
    return [merge.pair for merge in learn_merges(counts, n)]


@pytest.mark.parametrize("name", PROSE)
def test_only_the_order_of_the_text_gives_the_merges_of_one_pass(name):
    """07b, The first fact, and Where no word crosses: six orders, one of them right."""
    text = load_corpus(name)
    counts = SCHEME.word_counts(text)
    tables = [SCHEME.word_counts(part) for part in cut(text, len(text) // 3 + 1)]
    assert len(tables) == 3
    for order in permutations(range(3)):
        total = add(tables[number] for number in order)
        assert total == counts
        assert (pairs(total, 1000) == pairs(counts, 1000)) == (order == (0, 1, 2))


def share_of_wrong_cuts(text, scheme, is_a_cut):
    whole = [*scheme.split(text)]
    places = [i for i in range(1, len(text)) if is_a_cut(text[i - 1], text[i])]
    wrong = [[*scheme.split(text[:i]), *scheme.split(text[i:])] != whole for i in places]
    return sum(wrong) / len(wrong)


@pytest.mark.parametrize("name", ["story", "program", "mixed"])
@pytest.mark.parametrize("scheme", ["gpt2", "cl100k"])
def test_a_line_end_is_no_safe_place_to_cut_and_a_letter_before_white_space_is(name, scheme):
    """07b, Where no word crosses: a third to a half of the line ends, none of the other places."""
    text, scheme = load_corpus(name)[:1000], SCHEMES[scheme]
    assert 0.25 < share_of_wrong_cuts(text, scheme, lambda before, behind: before == "\n") < 0.6
    assert share_of_wrong_cuts(text, scheme, lambda a, b: a.isalnum() and b.isspace()) == 0


def test_a_space_is_a_safe_place_in_prose_and_not_in_a_program():
    """07b, Where no word crosses: lines of a program begin with several spaces."""
    shares = {
        name: share_of_wrong_cuts(load_corpus(name)[:1000], SCHEME, lambda _, behind: behind == " ")
        for name in ("story", "program")
    }
    assert shares["story"] == 0 < shares["program"]


def test_twice_the_text_has_half_to_three_quarters_more_different_words():
    """07b, How many different words are there?: 1,378 and 2,068, in English."""
    for text in (load_corpus("story"), *held_out().values()):
        *_, half, whole = different_words(text)
        assert 1.4 < whole / half < 1.75


def test_in_finnish_they_grow_faster_and_in_chinese_nearly_as_fast_as_the_text():
    """07b, Summary: a word of the pattern reaches from one Chinese comma to the next."""
    growth = {}
    for name in ("finnish", "chinese"):
        *_, half, whole = different_words(elsewhere()[name])
        growth[name] = whole / half
    assert 1.65 < growth["finnish"] < 1.8 < 1.9 < growth["chinese"] < 2.05


@pytest.mark.parametrize("name", [*PROSE, "program", "names"])
def test_a_power_law_fitted_to_the_beginning_guesses_too_high_for_running_text(name):
    """07b, How many different words are there?: 7 to 25 per cent; not for a list of names."""
    found = different_words(load_corpus(name))
    *sizes, size = found.index
    *found, whole = found
    slope, start = np.polyfit(np.log(sizes), np.log(found), 1)
    ratio = np.exp(start + slope * np.log(size)) / whole
    if name == "names":
        assert 0.98 < slope < 1.01
        assert 0.99 < ratio < 1.01
    else:
        assert 0.6 < slope < 0.8
        assert 1.03 < ratio < 1.35


def test_without_the_rare_words_of_each_part_the_first_merges_change_less_with_large_parts():
    """07b, When the table does not fit: two thirds of the words, a fifth of the text."""
    text = "".join(map(load_corpus, PROSE))
    full = SCHEME.word_counts(text)
    reference = set(pairs(full, 100))
    stay = []
    for size in (5_500, 11_000, 33_000):
        tables = [SCHEME.word_counts(part) for part in cut(text, size)]
        kept = add({word: n for word, n in table.items() if n > 1} for table in tables)
        if size == 11_000:
            assert 0.3 < len(kept) / len(full) < 0.4
            assert 0.78 < sum(kept.values()) / sum(full.values()) < 0.86
        stay.append(len(reference & set(pairs(kept, 100))))
    assert 65 < stay[0] < stay[1] < stay[2] < 95


def test_parts_of_any_size_give_the_counts_of_one_pass_in_its_order():
    """07b, Your turn: parts of 100 characters, and the merges part nowhere."""
    for name in PROSE:
        text = load_corpus(name)
        for size in (100, 3000):
            total = add(SCHEME.word_counts(part) for part in cut(text, size))
            assert [*total.items()] == [*SCHEME.word_counts(text).items()]
