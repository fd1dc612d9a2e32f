"""Learning merges: count, choose, merge, repeat by hand; fast as naive; ties as in libraries."""

import random

import pytest
from common import rows
from hypothesis import example, given
from hypothesis import strategies as st
from partners import merges_of, train_theirs

from bpe_teach import SCHEMES, Merge, learn_merges, learn_merges_naive
from bpe_teach.display import label
from bpe_teach.fast.learn import alphabet_order
from bpe_teach.learn import merge_words
from bpe_teach.pairs import count_pairs, merge_pair
from bpe_teach.schemes import BYTES
from bpe_teach.symbols import WordEnd, spell


def symbols(text, kind=str):
    """Return the symbols of a text in which spaces separate them."""
    return tuple(symbol if kind is str else symbol.encode() for symbol in text.split())


def counted(words, kind=str):
    """Return words, or pairs, with their counts, from "3 l o w, 1 s l y"."""
    rows = [row.split() for row in words.split(",")] if words else []
    return {symbols(" ".join(word), kind): int(count) for count, *word in rows}


BOTH_KINDS = pytest.mark.parametrize("kind", [str, bytes])
BOTH = pytest.mark.parametrize("learn", [learn_merges_naive, learn_merges], ids=["naive", "fast"])


# pairs


@BOTH_KINDS
@pytest.mark.parametrize(("words", "pairs"), rows("learn/pairs"))
def test_overlapping_pairs_are_counted_in_the_order_in_which_they_are_met(kind, words, pairs):
    counts = count_pairs(counted(words, kind))
    assert list(counts.items()) == list(counted(pairs, kind).items())


@BOTH_KINDS
@pytest.mark.parametrize(("word", "pair", "merged"), rows("learn/merged"))
def test_a_pair_is_merged_from_the_left_without_overlap(kind, word, pair, merged):
    assert merge_pair(symbols(word, kind), symbols(pair, kind)) == symbols(merged, kind)


# symbols


def test_the_end_of_a_word_is_no_plain_text_however_it_is_spelled():
    end = WordEnd("</w>")
    assert spell(end) == "</w>"
    assert not end == "</w>"  # noqa: SIM201
    assert end != "</w>"
    assert len({end, "</w>", "e" + end, "e</w>"}) == 4
    assert isinstance("e" + end, WordEnd)
    assert merge_pair(("e", "</w>", "e", end), ("e", end)) == ("e", "</w>", "e" + end)


@pytest.mark.parametrize(("symbol", "text"), rows("learn/labels"))
def test_every_symbol_can_be_written_for_people(symbol, text):
    assert label(symbol) == text


# learning, by hand


HAND_MADE = rows("learn/hand_made")


@BOTH
@pytest.mark.parametrize(("words", "number", "least", "merges"), HAND_MADE)
def test_what_is_learned_by_hand_is_learned(learn, words, number, least, merges):
    words = counted(words)
    before = list(words.items())
    learned = learn(words, number, **({"min_count": least} if least else {}))
    assert ", ".join(f"{count} {left} {right}" for left, right, count in learned) == merges
    assert list(words.items()) == before


# fast as naive

ALPHABETS = rows("learn/alphabets")
MARKED = ("b", WordEnd("b"))  # marks of the end inside a word


def word_counts(alphabet):
    words = st.lists(st.sampled_from(alphabet), max_size=12).map(tuple)
    return st.dictionaries(words, st.integers(1, 4) | st.just(10**30), max_size=6)


WORD_COUNTS = st.sampled_from(ALPHABETS).flatmap(word_counts)
SIZES = {"num_merges": st.integers(0, 20), "min_count": st.integers(0, 6)}


@given(words=WORD_COUNTS | word_counts(MARKED), **SIZES)
@example({tuple("aaabaaabaaabaaabbbb"): 1}, 100, 1)  # a place forgotten at the end of the row
@example({tuple("bc \nbaa=bbabaa=bbb"): 1}, 100, 1)  # is no way out of it
@example({(*MARKED[::-1] * 2, *MARKED[1:] * 3): 1}, 9, 2)
def test_fast_and_naive_learn_the_same_merges_counts_and_order(words, num_merges, min_count):
    naive = learn_merges_naive(words, num_merges, min_count=min_count)
    assert learn_merges(words, num_merges, min_count=min_count) == naive


@given(seed=st.integers(0, 10**9), size=st.integers(12, 60), min_count=st.integers(1, 2))
def test_fast_and_naive_agree_on_long_words_of_few_letters(seed, size, min_count):
    """Random words, because hypothesis seldom draws long words without a pattern."""
    chance = random.Random(seed)
    words = {tuple(chance.choices("ab", k=size)): 1, tuple(chance.choices("abc", k=size // 2)): 2}
    for some in (words, {max(words, key=len): 3}):  # a single word is counted in its own way
        fast = learn_merges(some, 100, min_count=min_count)
        assert fast == learn_merges_naive(some, 100, min_count=min_count)


# ties, as three libraries break them

BYTE_PAIRS = {pair: 2 for pair in [(b"m", b"n"), (b" ", b"z"), (b"\xc3", b"\xa9"), (b"x", b"y")]}
NEW_TOKEN = counted("3 a b a b, 3 c d, 3 d e")  # after a merge, ab has the highest id
TIES = rows("learn/ties", globals())


@pytest.mark.parametrize(("words", "rule", "tokens"), TIES)
def test_each_tie_rule_orders_equal_pairs_in_its_own_way(words, rule, tokens):
    merges = learn_merges(words, len(tokens), tie_break=rule)
    assert [merge.token for merge in merges] == tokens


def learn_slowly(words, num_merges, min_count, rule):
    """Recount everything each time; ties go to the most preferred pair."""
    alphabet = {symbol for word in words for symbol in word}
    order = None if rule == "lowest_byte" else as_hugging_face_sorts
    ids = {symbol: i for i, symbol in enumerate(sorted(alphabet, key=order))}
    merges = []
    while len(merges) < num_merges and (counts := count_pairs(words)):
        pair = max(counts, key=lambda pair: (counts[pair], PREFERENCES[rule](pair, ids)))
        if counts[pair] < max(min_count, 1):
            break
        merges.append(Merge(*pair, counts[pair]))
        words = merge_words(words, pair)
        ids.setdefault(merges[-1].token, len(ids))
    return merges


def as_hugging_face_sorts(symbol):
    """Sort by spelling; bytes by the characters that GPT-2's files write for them."""
    if isinstance(symbol, str):
        return symbol
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return (symbol[0] not in printable, symbol)


def test_bytes_are_numbered_as_hugging_face_numbers_them():
    assert sorted(BYTES, key=alphabet_order) == sorted(BYTES, key=as_hugging_face_sorts)


PREFERENCES = {
    "lowest_id": lambda pair, ids: (-ids[pair[0]], -ids[pair[1]]),
    "lowest_byte": lambda pair, ids: (-ids[pair[0]], -ids[pair[1]]),
    "greatest": lambda pair, ids: pair,  # Stanford CS336, in its own words: max of (count, pair)
}


@pytest.mark.parametrize("rule", PREFERENCES)
@given(words=WORD_COUNTS, **SIZES)
def test_the_other_tie_rules_agree_with_a_slow_reference(rule, words, num_merges, min_count):
    expected = learn_slowly(words, num_merges, min_count, rule)
    assert learn_merges(words, num_merges, min_count=min_count, tie_break=rule) == expected


LARGE = pytest.param("tinyshakespeare", 10_000, marks=pytest.mark.slow)


@pytest.mark.parametrize(("name", "number"), [("story", 1000), ("second_story", 300), LARGE])
def test_lowest_id_gives_the_merges_of_hugging_face(name, number, corpus):
    lines = corpus(name).splitlines(keepends=True)
    expected = merges_of(train_theirs(lines, 256 + number, min_frequency=2))
    assert len(expected) == number
    words = SCHEMES["gpt2"].word_counts(lines)
    for rule in ("lowest_id", "first", "greatest"):  # the text has ties, which tell rules apart
        found = learn_merges(words, number, min_count=2, tie_break=rule)
        assert ([merge.pair for merge in found] == expected) == (rule == "lowest_id")
