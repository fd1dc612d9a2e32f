"""The film of training: what is counted, what is merged, and how ties are shown."""

from itertools import chain

import pytest
from common import examples, rows
from hypothesis import given
from hypothesis import strategies as st
from test_pictures import (
    EVERY_SCHEME,
    EVIL,
    assert_harmless,
    boxes,
    faces,
    film_parts,
    handlers,
    merged,
    read,
    style,
)

from bpe_teach import SCHEMES, learn_merges_naive, training_film
from bpe_teach.display import label
from bpe_teach.encode import encode_by_replay


@pytest.mark.parametrize(("text", "num_merges", "scheme", "lines"), rows("training_film/films"))
def test_the_film_tells_the_pair_its_count_and_the_ties(text, num_merges, scheme, lines):
    assert training_film(text, num_merges, scheme).text.splitlines() == lines


@EVERY_SCHEME
@examples(30)
@given(st.text("aab \n", max_size=20))
def test_the_film_takes_the_steps_of_the_training_loop(scheme, text):
    text += "ab"
    word_counts = SCHEMES[scheme].word_counts(text)
    merges = learn_merges_naive(word_counts, 6)
    film = training_film(text, 6, scheme)
    _, frames, _, _ = film_parts(read(film))
    assert len(frames) == len(merges) + 1
    for number, frame in enumerate(frames):
        words = [encode_by_replay(word, merges[:number]) for word in word_counts]
        assert faces(frame) == [*map(label, chain(*words))]
    assert [merged(frame) for frame in frames[:-1]] == [faces(frame) for frame in frames[1:]]
    for merge, line in zip(merges, film.text.splitlines(), strict=False):
        left, right = map(label, merge.pair)
        times = "1 time" if merge.count == 1 else f"{merge.count} times"
        assert f"  merge {left} + {right} ({times}" in line


def test_what_is_merged_next_stands_out_and_a_repeated_word_says_how_often():
    _, (first, last), _, _ = film_parts(read(training_film("lo lo owl", 1, "words")))
    assert (merged(first), merged(last)) == (["lo", "o", "w", "l"],) * 2
    assert "".join(first.itertext()).count("×2") == 1
    assert first[-1].text == "step 0 of 1: merge l + o (2 times)"


def test_the_film_has_controls_a_frame_for_each_step_and_all_of_them_in_a_table():
    film = training_film("low low <b>", 3)
    steps = [line.split("  ")[1:] for line in film.text.splitlines()]
    controls, frames, details, advice = film_parts(read(film))
    captions = [f"step {number} of 3: {what}" for number, _, what in steps]
    assert [frame[-1].text for frame in frames] == captions
    assert [style(frame)["display"] for frame in frames] == ["block", "none", "none", "none"]
    assert details.find("summary").text and details.get("open") is None
    assert [[cell.text for cell in row] for row in details.iter("tr")][1:] == steps
    slider = controls.find("input")
    assert [slider.get(name) for name in ("min", "value", "max")] == ["0", "0", "3"]
    assert slider.get("aria-label")
    assert [button.text for button in controls.iter("button")] == ["first", "back", "next", "last"]
    assert "run this cell" in advice.text


@pytest.mark.parametrize("text", EVIL)
def test_no_text_becomes_html_or_comes_into_what_runs(text):
    film = training_film(text * 2, 120)
    assert_harmless(film)
    assert handlers(film) == handlers(training_film("ab", 1))
    assert len(handlers(film)) == 6


def test_a_film_may_have_120_symbols_and_more_if_words_repeat():
    assert len(boxes(read(training_film("e" * 120, 0)))) == 120
    assert len(boxes(read(training_film("low " * 200, 0, "words")))) == 3
