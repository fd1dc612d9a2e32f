"""What notebook 00 says in words, recomputed."""

from collections import Counter

import pytest
from common import elsewhere, held_out, trained

from bpe_teach import load_corpus


def share_unknown(words, known) -> float:
    """Return which share of the words is not known."""
    return sum(word not in known for word in words) / len(words)


@pytest.mark.parametrize("name", ["manual", "forum", "tinyshakespeare", "little_prince"])
def test_words_leave_many_words_of_another_text_unknown(story, corpus, name, says):
    """00, Summary: more in what others wrote than in the second story."""
    text = corpus(name)[:12_000]
    words = text.split()
    says("characters make long lists" if len(text) > 4 * len(words) else "short lists")
    says("words make short lists")
    assert share_unknown(words, set(story.split())) > 0.25
    says("many words of a new text unknown", "can't be said without", "the unknown words")


@pytest.mark.parametrize("name", ["story", "second_story", "manual", "forum"])
def test_an_early_merge_makes_the_most_frequent_word(name, says):
    """00, Three: subwords. The fourth merge of the story makes the word."""
    text = load_corpus(name)
    first = trained(text, 10).merges
    ((word, _),) = Counter(text.split()).most_common(1)
    rank = [merge.token for merge in first].index(f" {word}".encode())
    assert rank < 10 and (name != "story" or (word, rank) == ("the", 3))
    says("byte pair encoding learns subwords", "frequent words whole")


def test_the_most_frequent_words_are_whole_in_english_and_in_hindi_few_are(story, says):
    """00, Summary: of twenty words. The pattern cuts Hindi words at vowel signs; see 05."""
    whole = {}
    for name, text in {"story": story, **held_out(), "hindi": elsewhere()["hindi"]}.items():
        tok = trained(text)
        frequent = [word for word, _ in Counter(text.split()).most_common(20)]
        whole[name] = sum(len(tok.tokens(f" {word}")) == 1 for word in frequent)
    assert whole.pop("hindi") < 8 < 15 < min(whole.values())
    says("in English it keeps frequent words whole")


def test_more_words_are_unknown_when_they_have_no_more_entries_than_bpe(story, says):
    """00, The three side by side."""
    tok, second_story = trained(story), load_corpus("second_story")
    frequent = {word for word, _ in Counter(story.split()).most_common(len(tok))}
    assert 0.28 < share_unknown(second_story.split(), frequent) < 0.34
    assert tok.decode(tok.encode(second_story)) == second_story
    says("words", "leave many words of a new text unknown")


def test_a_subword_carries_almost_three_characters_of_the_second_story(story, says):
    """00, The three side by side."""
    tok, second_story = trained(story), load_corpus("second_story")
    assert 2.65 < len(second_story) / len(tok.encode(second_story)) < 2.95
    assert 4.9 < len(second_story) / len(second_story.split()) < 5.3
    assert {bytes([number]) for number in range(256)} <= set(tok.vocab.values())
    says("builds other words from parts")
    says("if necessary, these parts are single bytes, so nothing is unknown")
