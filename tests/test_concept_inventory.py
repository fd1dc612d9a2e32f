"""The concept inventory: marked by concept, and not to be guessed by the look of the answers."""

from collections import Counter

import pytest

from bpe_teach.exercises.concept_inventory import CONCEPTS, QUESTIONS, questions, score

RIGHT = {number: question.right for number, question in QUESTIONS.items()}


def test_there_are_twelve_questions_of_four_answers_and_every_wrong_one_is_explained():
    assert list(QUESTIONS) == list(range(1, 13))
    for question in QUESTIONS.values():
        assert list(question.choices) == list("abcd")
        assert {slip for slip, _ in question.slips} | {question.right} == set("abcd")
        reasons = [why for _, why in question.slips]
        assert len({question.because, *reasons}) == 4


def test_right_answers_are_spread_evenly_and_never_run_in_a_row():
    assert set(Counter(RIGHT.values()).values()) == {3}
    letters = list(RIGHT.values())
    assert not any(letters[i] == letters[i + 1] == letters[i + 2] for i in range(10))


def test_right_answers_do_not_stand_out_by_their_length():
    places = Counter()  # place of the right answer among the four, the shortest first
    for number, question in QUESTIONS.items():
        lengths = sorted(map(len, question.choices.values()))
        assert lengths[-1] <= max(1.35 * lengths[0], lengths[0] + 3), number
        places[lengths.index(len(question.choices[question.right]))] += 1
    assert max(places.values()) <= 5


def test_the_sheet_holds_questions_and_choices_but_no_answer():
    text, html = str(questions()), questions()._repr_html_()
    for question in QUESTIONS.values():
        assert question.ask in text
        assert all(choice in text for choice in question.choices.values())
        for secret in [question.because, *question.hints, *(why for _, why in question.slips)]:
            assert secret not in text
            assert secret not in html
    assert "&lt;|end|&gt;" in html


def test_answers_are_scored_by_concept():
    assert score(RIGHT)["right"].tolist() == score(RIGHT)["of"].tolist() == [2] * len(CONCEPTS)
    for nothing in ({}, dict.fromkeys(RIGHT, ...), dict.fromkeys(RIGHT)):
        assert score(nothing)["right"].sum() == 0
        assert "".join(score(nothing)["what the wrong answers show"]) == ""


@pytest.mark.parametrize("number", QUESTIONS)
def test_a_wrong_answer_costs_its_own_concept_and_shows_its_misconception(number):
    question = QUESTIONS[number]
    for letter, why in question.slips:
        table = score(RIGHT | {number: letter})
        assert table["right"].sum() == 11
        (hit,) = table.index[table["right"] == 1]
        assert question in CONCEPTS[hit]
        assert table.loc[hit, "what the wrong answers show"] == f"{number}{letter}: {why}"


@pytest.mark.parametrize("answers", [{13: "a"}, {0: "a"}, {1: "e"}, {1: 2}, {1: "B"}])
def test_what_is_not_an_answer_is_refused(answers):
    with pytest.raises(ValueError, match="question"):
        score(answers)
