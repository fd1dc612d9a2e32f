"""What notebooks 01 and 01b say in words, recomputed."""

from collections import Counter
from itertools import pairwise

import pytest
from common import in_halves, trained

from bpe_teach import Tokenizer, learn_merges, load_corpus, load_languages
from bpe_teach.pairs import count_pairs, merge_pair


def test_the_second_merge_is_not_the_second_pair_of_the_first_count(story, says):
    """01, A real text."""
    first_count = count_pairs({tuple(story): 1})
    ranked = [pair for pair, _ in first_count.most_common(4)]
    assert ranked == [("e", " "), ("h", "e"), (" ", "t"), ("t", "h")]
    assert [merge.pair for merge in trained(story, 1000, "chars").merges[:2]] == [
        ("e", " "),
        ("t", "h"),
    ]
    says("repeats three steps: count pairs, choose the most frequent pair, merge it")


@pytest.mark.parametrize("name", ["story", "second_story", "Hindi", "Finnish", "Chinese"])
def test_later_merges_never_find_more_places(name, says):
    """01, What has the tokenizer learned?: also in other texts and scripts, in and across words."""
    pages = load_languages("declaration")
    text = pages[name] if name in pages else load_corpus(name)
    for scheme in ("chars", "gpt2"):
        places = [merge.count for merge in trained(text, 1000, scheme).merges]
        assert all(later <= earlier for earlier, later in pairwise(places))
        assert places[99] < 0.12 * places[0] and places[-1] < places[99]
    says("the later a merge, the fewer places it finds")


def test_after_ten_rounds_a_merge_makes_the(story, says):
    """01, A real text: what else is among the first thirty."""
    merges = trained(story, 1000, "chars").merges
    assert [merge.token for merge in merges].index("the ") == 10
    assert merges[10].pair == ("th", "e ")
    assert {"and ", "ing", "\n\n"} <= {merge.token for merge in merges[:30]}
    says("byte pair encoding repeats")


def test_of_equals_another_choice_learns_other_merges(says):
    """01, A tie: on the eleven characters, where the second merge is the first tie."""
    counts = {tuple("aaabcaabbd_"): 1}
    rules = [learn_merges(counts, 3, tie_break=rule) for rule in ("first", "greatest")]
    pairs = [[merge.pair for merge in merges] for merges in rules]
    assert pairs[0][0] == pairs[1][0] == ("a", "a")
    assert pairs[0][1:] != pairs[1][1:]
    by_hand = ["aa", "a", "b", "c", "aa", "b", "b", "d", "_"]  # after the first merge
    counted = Counter(zip(by_hand, by_hand[1:], strict=False))  # in the order in which they are met
    assert set(counted.values()) == {1}
    says("ties go to the pair met first" if pairs[0][1] == next(iter(counted)) else "another pair")


def test_overlapping_pairs_count_and_a_merge_uses_no_symbol_twice(says):
    """01, Summary: on the smallest words that show it, counted and merged by hand."""
    says(
        "overlapping places of a pair are all counted"
        if count_pairs({("a",) * 4: 1})["a", "a"] == 3
        else "once"
    )
    assert merge_pair(tuple("aaaaa"), ("a", "a")) == ("aa", "aa", "a")
    says("from left to right", "uses no symbol twice")


def test_decoding_joins_tokens_and_encoding_follows_the_order_of_learning(story, says):
    """01, Summary: on a part of another text, by a loop over the merges."""
    tok = trained(story, 300, "chars")
    text = load_corpus("second_story")[:2000]
    tokens = tuple(text)
    for merge in tok.merges:
        tokens = merge_pair(tokens, merge.pair)
    assert [str(token) for token in tok.tokens(text)] == list(tokens)
    assert tok.decode(tok.encode(text)) == "".join(tokens) == text
    says("encoding applies the merges in the order in which they were learned")
    says("decoding only joins the tokens")


TEXTS = ["story", "manual", "forum", "tinyshakespeare"]  # the last is cut to the story's length


def test_three_characters_a_token_take_more_than_the_published_vocabulary(corpus, says):
    """01b, How well is other text compressed? Of 300 entries and 2,000; either half may be the one
    that is read.
    """
    for read, new in in_halves(corpus("tinyshakespeare")):
        reach = {}
        for size in (300, 2000):
            tok = Tokenizer.train(read, scheme="chars", vocab_size=size, min_count=1, unk_token="?")
            reach[size] = [len(text) / len(tok.encode(text)) for text in (read, new)]
        assert max(reach[300]) < 2 < 2.85 < min(reach[2000]) < 3 < max(reach[2000]) < 4
    says("three to four characters take a larger vocabulary")


@pytest.mark.parametrize("name", TEXTS)
def test_the_longest_tokens_hold_parts_of_several_words(corpus, name):
    """01, What has the tokenizer learned? Of the manual's, one is a word, high-temperature."""
    merges = trained(corpus(name)[:53_000], 1000, "chars").merges
    longest = sorted((merge.token for merge in merges), key=len)[-6:]
    assert sum(len(token.split()) > 1 for token in longest) > 4


def without_lines_that_end_in_a_colon(text):
    return "\n".join(line for line in text.split("\n") if not line.endswith(":"))


def test_most_of_the_gap_between_the_halves_of_the_plays_is_the_names_of_speakers(corpus):
    """01b, How well is other text compressed? In both directions."""

    def gap(read, new, bare):
        if bare:
            read, new = map(without_lines_that_end_in_a_colon, (read, new))
        tok = Tokenizer.train(read, scheme="chars", vocab_size=2000, unk_token="<unk>")
        reach = [len(text) / len(tok.encode(text)) for text in (read, new)]
        assert (reach[1] > 3.05) == bare
        return reach[0] - reach[1]

    for read, new in in_halves(corpus("tinyshakespeare")):
        assert gap(read, new, bare=True) < 0.5 * gap(read, new, bare=False)


@pytest.mark.parametrize("name", TEXTS)
def test_without_walls_a_frequent_word_becomes_many_tokens_and_these_texts_get_shorter(
    corpus, name, says
):
    """01, Break it: of the text that was read, if it is one of these. New ones: see 05b and 10."""
    text = corpus(name)[:53_000]
    free, walled = trained(text, 1000, "chars"), trained(text)
    for word, many in [("the", 20), ("and", 5), ("to", 3)]:
        assert sum(word in merge.token.split() for merge in free.merges) > many
        assert sum(word.encode() in merge.token.split() for merge in walled.merges) <= 2
    assert len(free.encode(text)) < 0.95 * len(walled.encode(text))
    says("merges cross spaces, so one and the same word is in many different tokens")
