"""Statistics of a class, on simulated classes of known ability. They are no evidence of anything.

A class is drawn from a population: learners' abilities are normal, the difficulty of a question is
known, and what was learned between the two sheets. What the statistics should find is known from a
class as large as a city. Their intervals have to hold it in nearly as many classes as they promise.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from common import rows

from bpe_further.classroom import learning

CONCEPTS = ["counting", "ties and ranks", "training and use", "vocabulary", "bytes", "what"] * 2
DIFFICULTY = np.array([-0.5, 0, 0.5, 1, 1.5, 0.2, -0.2, 0.4, 0.8, 1.2, 0.6, 0.1])
LEARNED = {"nothing": 0.0, "some": 1.0, "much": 2.5}
MANY = 100_000


def draw_class(size, learned, seed):
    """Return two matrices, before and after: which learner (row) has which question right."""
    chance = np.random.default_rng(seed)
    ability = chance.normal(0, 1, (size, 1))
    later = ability + learned + chance.normal(0, 0.5, (size, 1))
    sheets = []
    for level in (ability, later):
        knows = 0.1 + 0.9 / (1 + np.exp(-1.3 * (level - DIFFICULTY)))
        sheets.append(chance.random((size, 12)) < knows)
    return sheets


def answers_of(before, after):
    """Return the answers of a class as a frame."""
    frames = []
    for when, form, sheet in (("before", "A", before), ("after", "B", after)):
        learners, questions = (places.ravel() for places in np.indices(sheet.shape))
        frame = pd.DataFrame({"learner": learners, "question": questions + 1})
        more = {"concept": np.array(CONCEPTS)[questions], "right": sheet.ravel()}
        frames.append(frame.assign(when=when, form=form, **more))
    return pd.concat(frames, ignore_index=True)


@cache
def truth(learned):
    """Return what a class as large as a city gains, by concept and in all."""
    before, after = draw_class(MANY, learned, 1)
    places = {name: [i for i, other in enumerate(CONCEPTS) if other == name] for name in CONCEPTS}
    places[learning.ALL] = list(range(12))
    gain = {}
    for name, columns in places.items():
        gain[name] = 1 - (~after[:, columns]).mean() / (~before[:, columns]).mean()
    return gain


@pytest.mark.slow
@pytest.mark.parametrize("size", [5, 30, 300])
@pytest.mark.parametrize("learned", LEARNED)
def test_the_interval_of_the_gain_holds_the_gain_of_the_population(size, learned):
    held = []
    for seed in range(100):
        before, after = draw_class(size, LEARNED[learned], seed)
        for concept, columns in (
            ("counting", [0, 6]),
            ("bytes", [4, 10]),
            (learning.ALL, range(12)),
        ):
            sheets = (sheet[:, list(columns)].mean(axis=1).tolist() for sheet in (before, after))
            _, low, high = learning.gain_interval(*sheets)
            held.append(low <= truth(LEARNED[learned])[concept] <= high)
    assert np.mean(held) >= 0.92


def test_gains_are_those_of_the_class_and_grow_sharper_with_it():
    widths = []
    for size in (5, 30, 300):
        before, after = draw_class(size, 1.0, seed=3)
        table = learning.gains(answers_of(before, after))
        assert table.index.tolist() == [*CONCEPTS[:6], learning.ALL]
        assert set(table.learners) == {size}
        row = table.loc[learning.ALL]
        assert row.gain == pytest.approx((row.after - row.before) / (1 - row.before))
        assert row.before == pytest.approx(before.mean())
        assert (table.low <= table.gain).all() and (table.gain <= table.high).all()
        widths.append(row.high - row.low)
    assert widths == sorted(widths, reverse=True)


def test_only_learners_with_both_sheets_count():
    before, after = draw_class(8, 1.0, seed=1)
    answers = answers_of(before, after)
    lost = answers[(answers.learner < 5) | (answers["when"] == "before")]
    assert (
        learning.gains(lost).loc[learning.ALL].to_dict()
        == learning.gains(answers[answers.learner < 5]).loc[learning.ALL].to_dict()
    )


def test_a_gain_that_cannot_be_told_has_no_lower_end():
    assert learning.gain_interval([1, 1, 0.5], [1, 1, 1]) == (1, -np.inf, 1)
    assert learning.gain_interval([0.5], [1]) == (1, -np.inf, 1)
    gain, low, high = learning.gain_interval([0] * 5, [1] * 5)
    assert low < 0.9 < gain == high == 1  # five who agree don't speak for all


@cache
def question_table_of_a_city():
    return learning.question_table(answers_of(*draw_class(MANY, 1.0, 1)))


@pytest.mark.slow
@pytest.mark.parametrize("size", [5, 30, 300])
def test_the_statistics_of_a_question_hold_those_of_the_population(size):
    city = question_table_of_a_city()
    held = []
    for seed in range(30):
        table = learning.question_table(answers_of(*draw_class(size, 1.0, seed)))
        held.append(table.low.le(city.difficulty) & table.high.ge(city.difficulty))
    assert np.mean(held) >= 0.92
    hardest = city[city["when"] == "before"].set_index("question").difficulty.idxmin()
    assert hardest == 1 + DIFFICULTY.argmax()


def test_a_question_that_all_have_right_or_none_has_an_interval_too():
    low, high = learning.share_interval(1.0, 30)
    assert 0.85 < low < high == 1
    assert learning.share_interval(0.0, 10)[0] == pytest.approx(0)


def test_beliefs_are_counted_by_learner_and_give_way_where_they_could_come_again():
    answers = pd.DataFrame(rows("learning/beliefs"), columns=["learner", "when", "belief"])
    table = learning.belief_table(answers, ["one walk"])
    assert table.loc["one walk"].tolist() == [2, 1, 1]
    assert table.loc["a tie ends it"].tolist()[:2] == [1, 0]
    assert np.isnan(table.loc["a tie ends it", "gave_way"])


def test_who_shows_a_slip_again_after_the_right_answer_is_not_over_it():
    shown = [("wrong", "slip 1"), ("right", ""), ("wrong", "slip 1")]
    verdicts = pd.DataFrame(shown, columns=["kind", "slip"])
    verdicts[["learner", "session", "exercise"]] = ("x", 1, "learn")
    assert learning.slip_table(verdicts).values.tolist() == [["learn", "slip 1", 1, 0]]
    again = pd.concat([verdicts, verdicts[1:2]], ignore_index=True)
    assert learning.slip_table(again).values.tolist() == [["learn", "slip 1", 1, 1]]


def test_slips_come_and_give_way_and_exercises_are_counted():
    columns = ["learner", "session", "exercise", "kind", "slip"]
    verdicts = pd.DataFrame(rows("learning/verdicts"), columns=columns)
    table = learning.slip_table(verdicts)
    assert table.values.tolist() == [["merge", "slip 2", 2, 2], ["learn", "slip 1", 1, 0]]
    assert learning.exercise_table(verdicts).loc["merge"].tolist() == [3, 3, 1]
    assert learning.exercise_table(verdicts).loc["learn"].tolist() == [1, 0, 0]
