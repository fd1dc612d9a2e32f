"""What notebooks 01 and 01b say in words, recomputed."""

from collections import Counter

import pytest

from bpe_teach import Tokenizer, compression_curve, learn_merges, load_corpus
from bpe_teach.pairs import count_pairs


@pytest.fixture(scope="module")
def second_story():
    """Return the other story."""
    return load_corpus("second_story")


@pytest.fixture(scope="module")
def tok(story):
    """Return the tokenizer of notebook 01."""
    return Tokenizer.train(story, scheme="chars", num_merges=1000)


def test_the_second_merge_is_not_the_second_pair_of_the_first_count(story, tok):
    """01, A real text."""
    first_count = count_pairs({tuple(story): 1})
    ranked = [pair for pair, _ in first_count.most_common(4)]
    assert ranked == [("e", " "), ("h", "e"), (" ", "t"), ("t", "h")]
    assert [merge.pair for merge in tok.merges[:2]] == [("e", " "), ("t", "h")]


def test_light_is_torn_only_where_a_space_follows(tok):
    """01, What has it learned? and Break it."""
    assert tok.merges[3].pair == ("t", " ")
    phrases = ["her light", "light the lamp", "daylight", "a light!"]
    assert ["light" in tok.tokens(phrase) for phrase in phrases] == [True, False, True, True]


def without_lines_that_end_in_a_colon(text):
    return "\n".join(line for line in text.split("\n") if not line.endswith(":"))


def test_most_of_the_gap_between_the_halves_of_the_plays_is_the_names_of_speakers(corpus):
    """01b, And on other text? In both directions."""
    plays = corpus("tinyshakespeare")
    half = len(plays) // 2

    def gap(read, new, bare):
        if bare:
            read, new = map(without_lines_that_end_in_a_colon, (read, new))
        tok = Tokenizer.train(read, scheme="chars", vocab_size=2000, unk_token="<unk>")
        reach = [len(text) / len(tok.encode(text)) for text in (read, new)]
        assert (reach[1] > 3.05) == bare
        return reach[0] - reach[1]

    halves = [plays[:half], plays[half:]]
    for read, new in [halves, halves[::-1]]:
        assert gap(read, new, bare=True) < 0.5 * gap(read, new, bare=False)


@pytest.mark.parametrize("part", [slice(None), slice(0, 26_000), slice(26_000, None)])
def test_the_first_hundred_merges_save_more_than_the_next_nine_hundred(story, second_story, part):
    """01, What do the merges save? Trained on the story and on its halves, on two texts each."""
    tok = Tokenizer.train(
        story[part], scheme="chars", num_merges=1000, min_count=1, unk_token="<unk>"
    )
    for text in [story[part], second_story]:
        curve = compression_curve(tok, text, [0, 100, 1000]).tokens
        early, late = curve[0] - curve[1], curve[1] - curve[2]
        assert early > 1.3 * late > 0


def test_up_to_a_hundred_merges_a_new_text_keeps_up_and_then_it_falls_behind(
    tok, story, second_story
):
    """01, What do the merges save?"""
    known = compression_curve(tok, story, [100, 1000]).saved_percent
    new = compression_curve(tok, second_story, [100, 1000]).saved_percent
    assert abs(known[0] - new[0]) < 1
    assert known[1] - new[1] > 3


@pytest.mark.parametrize("start", [0, 20_000, 40_000])
@pytest.mark.parametrize("num_merges", [200, 300])
def test_each_of_two_texts_is_shorter_in_its_own_merges(story, second_story, start, num_merges):
    """01, What do the merges save? Equal length, both directions, three places of the story."""
    size = len(second_story)
    texts = [story[start : start + size], second_story]
    table = []  # characters per token: a row for each training text
    for text in texts:
        tok = Tokenizer.train(text, scheme="chars", num_merges=num_merges, unk_token="<unk>")
        table.append([size / len(tok.encode(other)) for other in texts])
    for own in (0, 1):
        other = 1 - own
        assert table[own][own] > 1.05 * table[other][own]  # the same text, other merges
    assert abs(table[0][0] - table[1][1]) < 0.1  # neither text is the harder one


def test_the_rule_for_ties_changes_the_tokens_and_hardly_the_length(tok, story, second_story):
    """01, Does the rule for ties matter?"""
    learned = {merge.token for merge in tok.merges}
    for rule in ["lowest_id", "greatest"]:
        other = Tokenizer.train(story, scheme="chars", num_merges=1000, tie_break=rule)
        changed = len(learned - {merge.token for merge in other.merges})
        assert 50 < changed < 200
        for text in [story, second_story]:
            assert abs(len(other.encode(text)) / len(tok.encode(text)) - 1) < 0.002


def test_with_half_the_merges_another_rule_for_ties_is_ahead(story, second_story):
    """01, Does the rule for ties matter? The last column."""
    lengths = {}
    for rule in ["first", "lowest_id", "greatest"]:
        few = Tokenizer.train(story, scheme="chars", num_merges=500, tie_break=rule)
        lengths[rule] = len(few.encode(second_story))
    assert min(lengths, key=lengths.get) == "lowest_id"
    assert 1.004 < max(lengths.values()) / min(lengths.values()) < 1.006


def test_one_learned_token_in_six_holds_parts_of_several_words(tok):
    """01, What has it learned?"""
    crossing = [merge for merge in tok.merges if len(merge.token.split()) > 1]
    assert 150 < len(crossing) < 200


def test_at_equal_length_tokens_across_a_space_are_found_as_often_in_a_new_text(
    tok, story, second_story, corpus
):
    """01, Break it. On our stories, and on two pairs of places in Shakespeare's plays."""
    plays = corpus("tinyshakespeare")
    known, new = len(story), len(second_story)
    trials = [(tok.merges, second_story)]
    for start in (0, 200_000):
        merges = learn_merges({tuple(plays[start : start + known]): 1}, 1000)
        trials.append((merges, plays[start + 500_000 : start + 500_000 + new]))
    for merges, text in trials:
        for low, high in [(6, 7), (8, 9)]:
            found = {True: [], False: []}  # across a space? -> is each token found?
            for merge in merges:
                if low <= len(merge.token) <= high:
                    across = len(merge.token.split()) > 1
                    found[across].append(merge.token in text)
            share = {across: sum(all_) / len(all_) for across, all_ in found.items()}
            assert share[True] > share[False]


def test_without_walls_a_frequent_word_becomes_many_tokens_and_the_text_is_shorter(
    tok, story, second_story, corpus
):
    """01, Break it. On our stories, and on Shakespeare's plays."""

    def tokens_with(tok, text, word):
        used = {tok.decode([i]) for i in tok.encode(text)}
        return sum(word in token.split() for token in used)

    plays = corpus("tinyshakespeare")[: len(story)]
    new = corpus("tinyshakespeare")[500_000 : 500_000 + len(second_story)]
    for train, text in [(story, second_story), (plays, new)]:
        free = Tokenizer.train(train, scheme="chars", num_merges=1000, unk_token="<unk>")
        walled = Tokenizer.train(train, scheme="gpt2", num_merges=1000)
        assert tokens_with(free, text, "the") > 10
        for word in ["the", "and", "to"]:
            assert tokens_with(walled, text, word) <= 2 < tokens_with(free, text, word)
        assert len(free.encode(text)) < 0.97 * len(walled.encode(text))


def test_three_characters_for_a_token_take_five_times_the_published_vocabulary(corpus):
    """01b. On new text 2,000 tokens are not enough (trained on half the plays)."""
    plays = corpus("tinyshakespeare")
    half = len(plays) // 2
    tok = Tokenizer.train(plays[half:], scheme="chars", vocab_size=2000)
    sample = plays[: half // 4]
    assert 1.85 < compression_curve(tok, sample, [235]).chars_per_token[0] < 1.97
    assert 2.8 < compression_curve(tok, sample, [1935]).chars_per_token[0] < 3


def test_the_longest_tokens_of_the_plays_belong_to_one_half_of_them(corpus):
    """01b, And on other text?"""
    plays = corpus("tinyshakespeare")
    half = len(plays) // 2
    tok = Tokenizer.train(plays, scheme="chars", vocab_size=2000)
    longest = sorted((merge.token for merge in tok.merges), key=len)[-6:]
    for token in longest:
        assert 0 in (plays[:half].count(token), plays[half:].count(token))
    assert Counter(plays)["$"] == 1
