"""Learning merges: the slow loop by hand, the fast one against the slow one."""

import json
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_teach import SCHEMES, Merge, count_pairs, learn_merges, learn_merges_naive, merge_pair
from bpe_teach.symbols import WordEnd

BOTH = pytest.mark.parametrize("learn", [learn_merges_naive, learn_merges], ids=["naive", "fast"])

ALPHABETS = [
    ("a",),
    ("a", "b"),
    ("a", "b", "c"),
    (b"a", b" ", b"\xc3", b"\xad"),
    ("a", "b", "ab"),
    ("a", "b", "ab", "aa"),  # tokens will be spelled alike
    ("a", "aa", "aaa"),
    (b"a", b"b", b"ab", b"ba"),
]


def words_of(alphabet):
    """Generate words over an alphabet."""
    return st.lists(st.sampled_from(alphabet), max_size=12).map(tuple)


def counted(words):
    """Generate word counts."""
    return st.dictionaries(words, st.integers(1, 4), max_size=6)


WORD_COUNTS = st.sampled_from(ALPHABETS).flatmap(lambda alphabet: counted(words_of(alphabet)))


def learn_slowly(word_counts, num_merges, min_count, preference):
    """Recount everything each time; among pairs of equal count take the most preferred."""
    words, merges = list(word_counts.items()), []
    ids = {symbol: i for i, symbol in enumerate(sorted_alphabet(word_counts))}
    while len(merges) < num_merges:
        counts = {}
        for word, count in words:
            for pair in zip(word, word[1:], strict=False):
                counts[pair] = counts.get(pair, 0) + count
        if not counts:
            break
        left, right = max(counts, key=lambda pair: (counts[pair], preference(pair, ids)))
        if counts[left, right] < max(min_count, 1):
            break
        merges.append(Merge(left, right, counts[left, right]))
        words = [(merge_pair(word, (left, right)), count) for word, count in words]
        ids.setdefault(left + right, len(ids))
    return merges


def sorted_alphabet(word_counts):
    """Sort symbols by spelling; bytes by the characters that GPT-2's files write for them."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    place = {byte: i for i, byte in enumerate(printable + others)}
    symbols = {symbol for word in word_counts for symbol in word}
    return sorted(symbols, key=lambda s: s if isinstance(s, str) else (place[s[0]], s))


PREFERENCES = {
    "lowest_id": lambda pair, ids: (-ids[pair[0]], -ids[pair[1]]),
    "greatest": lambda pair, ids: pair,
}


@BOTH
def test_the_hand_example_is_learned_pair_by_pair(learn):
    merges = learn({tuple("aaabcaabbd_"): 1}, 3)
    assert merges == [("a", "a", 3), ("aa", "a", 1), ("aaa", "b", 1)]


@BOTH
def test_a_bag_of_words_is_learned_with_its_counts(learn):
    merges = learn({tuple("low"): 3, tuple("slow"): 1, tuple("sly"): 2}, 4)
    assert merges == [("l", "o", 4), ("lo", "w", 4), ("s", "l", 2), ("sl", "y", 2)]


@BOTH
def test_bytes_are_learned_like_characters(learn):
    words = {(b"\xc3", b"\xa9"): 2, (b"\xc3", b"\xa9", b"\xc3"): 1}
    assert learn(words, 2) == [(b"\xc3", b"\xa9", 3), (b"\xc3\xa9", b"\xc3", 1)]


@BOTH
def test_a_merge_knows_its_pair_and_the_token_it_makes(learn):
    (merge,) = learn({tuple("ab"): 2}, 1)
    assert (merge.pair, merge.token, merge.count) == (("a", "b"), "ab", 2)


@BOTH
def test_ties_go_to_the_pair_met_first_and_not_to_the_lowest_or_greatest(learn):
    words = {tuple("mn"): 2, tuple("az"): 2, tuple("xy"): 2}
    assert [merge.pair for merge in learn(words, 3)] == [("m", "n"), ("a", "z"), ("x", "y")]


@BOTH
def test_ties_are_settled_by_where_a_pair_stands_now(learn):
    # (b, c) was met before (x, y); once (a, b) is merged it stands after it.
    words = {tuple("abc"): 1, tuple("xy"): 2, tuple("bc"): 2, tuple("ab"): 3}
    assert learn(words, 3) == [("a", "b", 4), ("x", "y", 2), ("b", "c", 2)]


@BOTH
def test_overlaps_are_counted_and_merged_from_the_left(learn):
    assert learn({tuple("aaaaa"): 1}, 9) == [("a", "a", 4), ("aa", "aa", 1), ("aaaa", "a", 1)]


@BOTH
def test_words_that_become_alike_count_together(learn):
    assert learn({tuple("abc"): 3, ("ab", "c"): 2}, 2) == [("a", "b", 3), ("ab", "c", 5)]


@BOTH
@pytest.mark.parametrize(("min_count", "number"), [(1, 4), (2, 2), (3, 2), (4, 0)])
def test_learning_ends_before_a_pair_rarer_than_min_count(learn, min_count, number):
    words = {tuple("abc"): 3, tuple("xyz"): 1}
    assert len(learn(words, 99, min_count=min_count)) == number


@BOTH
@pytest.mark.parametrize("words", [{}, {(): 2}, {("a",): 5}])
def test_running_out_of_pairs_is_no_error(learn, words):
    assert learn(words, 3) == []


@BOTH
def test_no_merges_asked_for_none_learned(learn):
    assert learn({tuple("ab"): 2}, 0) == []


@BOTH
def test_the_input_is_left_as_it_was(learn):
    words = {tuple("abab"): 2}
    learn(words, 2)
    assert words == {tuple("abab"): 2}


@BOTH
def test_replacing_in_strings_would_have_merged_across_borders(learn):
    # With " ".join(word).replace("b a", "ba") the last merge would be ("ba", "ba</w>").
    merges = learn(SCHEMES["end_of_word"].word_counts(["aa", "baba"]), 4)
    pairs = [(str(merge.left), str(merge.right)) for merge in merges]
    assert pairs == [("a", "</w>"), ("a", "a</w>"), ("b", "a"), ("ba", "b")]


@BOTH
def test_a_backslash_is_a_symbol_like_any_other(learn):
    merges = learn(SCHEMES["end_of_word"].word_counts(r"\d \d \d"), 2)
    assert merges[0] == ("\\", "d", 3)
    assert str(merges[1].token) == r"\d</w>"


@given(words=WORD_COUNTS, num_merges=st.integers(0, 20), min_count=st.integers(0, 6))
def test_fast_and_naive_learn_the_same_merges_counts_and_order(words, num_merges, min_count):
    naive = learn_merges_naive(words, num_merges, min_count=min_count)
    assert learn_merges(words, num_merges, min_count=min_count) == naive


@given(word=words_of(("a", "b")).filter(len), count=st.integers(1, 3))
def test_fast_and_naive_agree_on_one_long_word(word, count):
    words = {word * 5: count}
    assert learn_merges(words, 50) == learn_merges_naive(words, 50)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
@given(text=st.text("ab A.1é_\n", max_size=60))
def test_fast_and_naive_agree_for_every_scheme(scheme, text):
    words = scheme.word_counts(text)
    assert learn_merges(words, 40) == learn_merges_naive(words, 40)


@pytest.mark.parametrize("scheme", SCHEMES.values(), ids=list(SCHEMES))
def test_fast_and_naive_agree_on_prose(scheme, story):
    words = scheme.word_counts(story[:3000])
    assert learn_merges(words, 60, min_count=2) == learn_merges_naive(words, 60, min_count=2)


@given(words=WORD_COUNTS)
def test_every_merge_has_the_count_its_pair_had_at_its_turn(words):
    for merge in learn_merges(words, 20):
        assert count_pairs(words)[merge.pair] == merge.count
        merged = Counter()
        for word, count in words.items():
            merged[merge_pair(word, merge.pair)] += count
        words = merged


@pytest.mark.parametrize("rule", ["lowest_id", "greatest"])
@given(words=WORD_COUNTS, num_merges=st.integers(0, 20), min_count=st.integers(0, 6))
def test_the_other_tie_rules_agree_with_a_slow_reference(rule, words, num_merges, min_count):
    expected = learn_slowly(words, num_merges, min_count, PREFERENCES[rule])
    assert learn_merges(words, num_merges, min_count=min_count, tie_break=rule) == expected


@pytest.mark.parametrize(
    ("rule", "order"),
    [
        ("first", [("m", "n"), ("a", "z"), ("x", "y")]),
        ("lowest_id", [("a", "z"), ("m", "n"), ("x", "y")]),
        ("greatest", [("x", "y"), ("m", "n"), ("a", "z")]),
    ],
)
def test_each_tie_rule_orders_three_equal_pairs_in_its_own_way(rule, order):
    words = {tuple("mn"): 2, tuple("az"): 2, tuple("xy"): 2}
    assert [merge.pair for merge in learn_merges(words, 3, tie_break=rule)] == order


def test_a_new_token_has_a_higher_id_than_every_older_one():
    words = {tuple("abq"): 2, tuple("ab"): 1, tuple("xy"): 2}
    pairs = [merge.pair for merge in learn_merges(words, 2, tie_break="lowest_id")]
    assert pairs == [("a", "b"), ("x", "y")]  # although "ab" < "x"


def test_ids_of_bytes_begin_with_the_printable_ones():
    words = {(b" ", b"t"): 2, (b"x", b"y"): 2}
    assert learn_merges(words, 1, tie_break="lowest_id") == [(b"x", b"y", 2)]
    assert learn_merges(words, 1, tie_break="greatest") == [(b"x", b"y", 2)]
    assert learn_merges(words, 1, tie_break="first") == [(b" ", b"t", 2)]


def test_greatest_compares_raw_bytes_and_the_left_symbol_first():
    words = {(b"z", b"a"): 2, (b"\xc3", b"\xa9"): 2, (b"a", b"\xff"): 2}
    lefts = [merge.left for merge in learn_merges(words, 3, tie_break="greatest")]
    assert lefts == [b"\xc3", b"z", b"a"]


def test_an_unknown_tie_rule_is_a_value_error_that_names_the_rules():
    with pytest.raises(ValueError, match="first.*lowest_id.*greatest"):
        learn_merges({tuple("ab"): 1}, 1, tie_break="last")


def test_the_tie_rule_of_hugging_face_gives_its_merges(story):
    tokenizers = pytest.importorskip("tokenizers")
    from tokenizers import models, pre_tokenizers, trainers

    theirs = tokenizers.Tokenizer(models.BPE())
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=len(alphabet) + 1000,
        min_frequency=2,
        initial_alphabet=alphabet,
        show_progress=False,
    )
    theirs.train_from_iterator([story], trainer)
    expected = [tuple(merge) for merge in hugging_face_merges(theirs)]
    words = SCHEMES["gpt2"].word_counts(story)
    merges = learn_merges(words, 1000, min_count=2, tie_break="lowest_id")
    assert len(expected) == 1000
    assert [(written(m.left), written(m.right)) for m in merges] == expected


def hugging_face_merges(tokenizer):
    """Return the merges of a Hugging Face tokenizer, as pairs of str."""
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [merge.split(" ") if isinstance(merge, str) else merge for merge in merges]


def written(symbol):
    """Write bytes in the characters that GPT-2's files use for them."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = [byte for byte in range(256) if byte not in printable]
    return "".join(chr(b if b in printable else 256 + others.index(b)) for b in symbol)


@pytest.mark.parametrize("empty", ["", b""])
def test_an_empty_symbol_is_refused(empty):
    with pytest.raises(ValueError, match="at least one character or byte"):
        learn_merges({(empty, empty): 2}, 1)


def test_counts_may_be_as_large_as_they_like():
    words = {("a", "b", "a"): 10**30, ("b", "a"): 1}
    assert learn_merges(words, 5) == learn_merges_naive(words, 5)


@pytest.mark.parametrize("word", ["aaabaaabaaabaaabbbb", "bc \nbaa=bbabaa=bbb"])
def test_a_place_forgotten_at_the_end_of_the_row_is_no_way_out_of_it(word):
    words = {tuple(word): 1}
    assert learn_merges(words, 100, min_count=1) == learn_merges_naive(words, 100, min_count=1)


@settings(max_examples=300)
@given(seed=st.integers(0, 10**9), size=st.integers(12, 60), min_count=st.integers(1, 2))
def test_fast_and_naive_agree_on_long_words_of_few_letters(seed, size, min_count):
    """Random words, not those of hypothesis: it seldom draws long ones without a pattern."""
    chance = random.Random(seed)
    words = {tuple(chance.choices("ab", k=size)): 1, tuple(chance.choices("abc", k=size // 2)): 2}
    fast = learn_merges(words, 100, min_count=min_count)
    assert fast == learn_merges_naive(words, 100, min_count=min_count)


def test_marks_of_the_end_inside_a_word_are_learned_as_by_the_naive_loop():
    end = WordEnd("b")
    words = {(end, "b", end, "b", end, end, end): 1}
    assert learn_merges(words, 9, min_count=2) == learn_merges_naive(words, 9, min_count=2)
