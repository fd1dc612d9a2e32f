"""What notebook 00 says in words, recomputed."""

from collections import Counter

import pytest

from bpe_teach import Tokenizer, load_corpus


@pytest.fixture(scope="module")
def second_story():
    """Return the other story."""
    return load_corpus("second_story")


@pytest.fixture(scope="module")
def pages():
    """Return the page in each language."""
    pages = {}
    for section in load_corpus("parallel").split("\n## ")[1:]:
        language, _, page = section.partition("\n")
        pages[language] = page
    return pages


@pytest.fixture(scope="module")
def tok(story):
    """Return the tokenizer of notebook 00."""
    return Tokenizer.train(story, scheme="gpt2", num_merges=1000)


def share_unknown(units, known) -> float:
    """Say which share of characters or words is not known."""
    units = list(units)
    return sum(unit not in known for unit in units) / len(units)


def test_characters_of_one_book_are_most_unknown_in_other_scripts(story, pages):
    """00, One: characters."""
    shares = {language: share_unknown(page, set(story)) for language, page in pages.items()}
    assert 0 < shares["English"] < 0.04
    assert 0 < shares["German"] < 0.06
    for language in ["Greek", "Hindi", "Russian", "Arabic", "Hebrew"]:
        assert 0.7 < shares[language] < 0.85


def test_a_page_in_hindi_has_two_and_a_half_times_as_many_bytes_as_characters(pages):
    """00, Two: bytes."""
    longer = {language: len(page.encode()) / len(page) for language, page in pages.items()}
    assert 2.5 < longer["Hindi"] < 2.7
    assert longer["English"] < 1.1 and longer["German"] < 1.1


def test_a_quarter_of_the_words_of_a_new_story_is_unknown(story, second_story):
    """00, Three: words. The same the other way round, and on two parts of one story."""
    half = len(story) // 2
    assert 0.23 < share_unknown(second_story.split(), set(story.split())) < 0.28
    for known, new in [
        (second_story, story),
        (story[:half], story[half:]),
        (story[half:], story[:half]),
    ]:
        assert share_unknown(new.split(), set(known.split())) > 0.15


def test_words_leave_more_holes_when_they_have_no_more_entries_than_bpe(story, second_story, tok):
    """00, The four side by side."""
    frequent = {word for word, _ in Counter(story.split()).most_common(len(tok))}
    assert 0.28 < share_unknown(second_story.split(), frequent) < 0.34
    assert tok.decode(tok.encode(second_story)) == second_story


def test_a_window_of_bpe_tokens_reaches_almost_three_times_as_far(second_story, tok):
    """00, Why a model cares."""
    assert 2.65 < len(second_story) / len(tok.encode(second_story)) < 2.95
    assert 4.9 < len(second_story) / len(second_story.split()) < 5.3


def test_each_further_merge_buys_less_than_the_one_before(story, second_story):
    """00, Why a model cares: the figure, on a new text and on the training text."""
    for text in [second_story, story]:
        reach = []
        for merges in [0, 500, 1000, 2000]:
            tok = Tokenizer.train(story, scheme="gpt2", num_merges=merges)
            reach.append(len(text) / len(tok.encode(text)))
        gains = [
            reach[1] - reach[0],
            reach[2] - reach[1],
            (reach[3] - reach[2]) / 2,
        ]  # for each five hundred
        assert gains[0] > 2 * gains[1] > 2 * gains[2] > 0


def test_one_word_in_four_surroundings_is_cut_in_four_ways(story, tok):
    """00, Break it."""
    texts = ["lighthouse", " lighthouse", " Lighthouse", " LIGHTHOUSE"]
    cuts = [tok.tokens(text) for text in texts]
    assert len({tuple(cut) for cut in cuts}) == 4
    assert [len(cut) == 1 for cut in cuts] == [False, True, False, False]
