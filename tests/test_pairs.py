"""Count, choose, merge: by hand, on characters and on bytes."""

import pytest

from bpe_teach import count_pairs, merge_pair, most_frequent_pair
from bpe_teach.display import label
from bpe_teach.symbols import WordEnd, spell

HAND_EXAMPLE = "aaabcaabbd_"


def as_bytes(text):
    """Spell a text in single bytes."""
    return tuple(bytes([byte]) for byte in text.encode())


BOTH_KINDS = pytest.mark.parametrize("spell_out", [tuple, as_bytes], ids=["characters", "bytes"])


@BOTH_KINDS
def test_the_hand_example_has_eleven_symbols_and_counts_a_a_three_times(spell_out):
    word = spell_out(HAND_EXAMPLE)
    counts = count_pairs({word: 1})
    a, b, c, d, end = spell_out("abcd_")
    assert len(word) == 11
    assert counts == {
        (a, a): 3,
        (a, b): 2,
        (b, c): 1,
        (c, a): 1,
        (b, b): 1,
        (b, d): 1,
        (d, end): 1,
    }


@BOTH_KINDS
def test_merging_a_a_in_the_hand_example_leaves_nine_symbols(spell_out):
    a, b, c, d, end = spell_out("abcd_")
    merged = merge_pair(spell_out(HAND_EXAMPLE), (a, a))
    assert merged == (a + a, a, b, c, a + a, b, b, d, end)


def test_pairs_are_listed_in_the_order_in_which_they_are_met():
    counts = count_pairs({tuple("zy"): 1, tuple("abzy"): 1})
    assert list(counts) == [("z", "y"), ("a", "b"), ("b", "z")]


def test_overlapping_pairs_are_all_counted():
    assert count_pairs({tuple("aaaa"): 1}) == {("a", "a"): 3}


def test_a_word_counts_as_often_as_it_occurs():
    assert count_pairs({tuple("ab"): 5, tuple("cab"): 2})["a", "b"] == 7


def test_a_pair_never_spans_two_words():
    assert ("b", "c") not in count_pairs({tuple("ab"): 9, tuple("cd"): 9})


@pytest.mark.parametrize("word", [(), ("a",)])
def test_a_word_of_less_than_two_symbols_has_no_pairs(word):
    assert count_pairs({word: 3}) == {}
    assert merge_pair(word, ("a", "a")) == word


def test_the_highest_count_wins_wherever_it_stands():
    assert most_frequent_pair({("a", "b"): 1, ("c", "d"): 3, ("e", "f"): 2}) == ("c", "d")


def test_among_equal_counts_the_pair_met_first_wins():
    assert most_frequent_pair({("m", "n"): 2, ("a", "z"): 2, ("x", "y"): 2}) == ("m", "n")


def test_no_pair_to_choose_from_is_a_value_error():
    with pytest.raises(ValueError, match="no pair"):
        most_frequent_pair({})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("aa", ["aa"]),
        ("aaa", ["aa", "a"]),
        ("aaaa", ["aa", "aa"]),
        ("baaab", ["b", "aa", "a", "b"]),
    ],
)
def test_overlapping_occurrences_are_merged_from_the_left(text, expected):
    assert merge_pair(tuple(text), ("a", "a")) == tuple(expected)


def test_a_pair_that_is_absent_changes_nothing():
    assert merge_pair(tuple("abc"), ("a", "c")) == tuple("abc")


def test_merging_does_not_reach_across_the_border_of_a_symbol():
    assert merge_pair(("es", "t", "a"), ("s", "t")) == ("es", "t", "a")


def test_a_pair_is_more_than_its_spelling():
    assert merge_pair(("ab", "c", "a", "bc"), ("a", "bc")) == ("ab", "c", "abc")


def test_the_end_of_a_word_is_no_plain_text_however_it_is_spelled():
    end = WordEnd("</w>")
    assert spell(end) == "</w>"
    assert end != "</w>"
    assert len({end, "</w>", "e" + end, "e</w>"}) == 4
    assert {("e", "</w>"): 1}.get(("e", end)) is None
    assert isinstance("e" + end, WordEnd)
    assert merge_pair(("e", "</w>", "e", end), ("e", end)) == ("e", "</w>", "e" + end)


@pytest.mark.parametrize(
    ("symbol", "text"),
    [
        (" a", "·a"),
        ("\t\n", "⇥⏎"),
        (b"\xf0\x9f", "⟨F0 9F⟩"),
        ("\u093f", "◌\u093f"),
        ("\0", "\\x00"),
    ],
)
def test_every_symbol_can_be_written_for_people(symbol, text):
    assert label(symbol) == text
