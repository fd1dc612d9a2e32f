"""Learning: what the answers of a class say, and how far the results can be trusted.

The functions take tables of pandas, the answers and the verdicts of a class that `read_class`
returns, and return tables. All intervals are 95 % confidence intervals.
"""

from collections.abc import Collection, Sequence
from math import inf, nan, sqrt
from statistics import NormalDist

import numpy as np
import pandas as pd

Z = NormalDist().inv_cdf(0.975)
ALL = "all together"


def gains(answers: pd.DataFrame) -> pd.DataFrame:
    """Return the normalized gain of a class, by concept and for all questions together.

    The gain is the part of the wrong answers that became correct: (after - before) / (1 - before),
    where ``before`` and ``after`` are the shares of correct answers in the class (Hake 1998,
    https://doi.org/10.1119/1.18809). Only learners who answered both times count. The interval
    comes from `gain_interval`.
    """
    rows = []
    for concept in [*answers.concept.unique(), ALL]:
        part = answers
        if concept != ALL:
            part = answers[answers.concept == concept]
        sheets = part.groupby(["learner", "when"]).right
        shares = sheets.mean().unstack("when")  # a row for each learner
        shares = shares.reindex(columns=["before", "after"])
        shares = shares.dropna()  # keep the learners who answered both times
        before, after = shares.before, shares.after
        interval = gain_interval(before.tolist(), after.tolist())
        rows.append((concept, len(shares), before.mean(), after.mean(), *interval))
    columns = ["concept", "learners", "before", "after", "gain", "low", "high"]
    table = pd.DataFrame(rows, columns=columns)
    return table.set_index("concept")


def gain_interval(before: Sequence[float], after: Sequence[float]) -> tuple[float, float, float]:
    """Return the normalized gain of a class, from the shares of its learners, and an interval.

    The gain is 1 minus a ratio of two means: the mean share of wrong answers after the course,
    divided by the mean share before the course. The interval is Fieller's for such a ratio (Journal
    of the Royal Statistical Society B 16, 1954). We add one imaginary learner who has half of the
    answers correct both times; otherwise the interval would have no width in a class whose answers
    are all equal. If too few answers were wrong before the course, the interval has no lower end.

    >>> gain, low, high = gain_interval([0, 0.5, 0.5, 0, 0.5], [0.5, 1, 1, 0.5, 0.5])
    >>> round(gain, 2), round(low, 2), round(high, 2)
    (0.57, 0.12, 0.88)
    >>> gain_interval([1, 1, 1], [1, 1, 1])
    (nan, -inf, 1.0)
    """
    wrong_before = 1 - np.array(before)
    wrong_after = 1 - np.array(after)
    gain = nan  # if nothing was wrong, nothing could be gained
    if wrong_before.any():
        ratio = wrong_after.sum() / wrong_before.sum()
        gain = 1 - float(ratio)
    if len(before) < 2:
        return gain, -inf, 1.0

    x = np.append(wrong_before, 0.5)  # 0.5 is the imaginary learner
    y = np.append(wrong_after, 0.5)
    mean_before = x.mean()
    mean_after = y.mean()
    covariances = np.cov(x, y) / len(x)  # of the two means
    t = student_t(len(x) - 1)
    margins = t**2 * covariances
    a = mean_before**2 - margins[0, 0]
    b = mean_before * mean_after - margins[0, 1]
    c = mean_after**2 - margins[1, 1]
    if a <= 0:  # the true share of wrong answers before may be zero
        return gain, -inf, 1.0
    # The ratios at the two ends solve a r² - 2 b r + c = 0.
    square = b * b - a * c
    root = sqrt(max(square, 0))
    highest_ratio = (b + root) / a
    lowest_ratio = max((b - root) / a, 0)
    low = float(1 - highest_ratio)
    high = float(1 - lowest_ratio)
    return gain, min(low, gain), max(high, gain)


def student_t(freedom: int) -> float:
    """Return the 97.5 % point of Student's t distribution (Abramowitz and Stegun 26.7.5).

    >>> round(student_t(5), 2), round(student_t(30), 2)
    (2.57, 2.04)
    """
    # The terms of the series for this point; its limit is the point of the normal distribution.
    return Z + 2.372271 / freedom + 2.822499 / freedom**2 + 2.555850 / freedom**3


def question_table(answers: pd.DataFrame) -> pd.DataFrame:
    """Return how difficult each question is: its share of correct answers, with Wilson's interval.

    The nearer the share is to 1, the easier the question is (Ding and Beichner 2009,
    https://doi.org/10.1103/PhysRevSTPER.5.020103).
    """
    answers = answers.assign(is_after=answers["when"] == "after")  # sorts "after" last
    sheets = answers.groupby(["is_after", "form", "when", "question"]).right
    table = sheets.agg(learners="size", difficulty="mean").reset_index()
    intervals = list(map(share_interval, table.difficulty, table.learners))
    ends = pd.DataFrame(intervals, columns=["low", "high"])
    table = table.join(ends)
    return table[["when", "form", "question", "learners", "difficulty", "low", "high"]]


def share_interval(share: float, of: int) -> tuple[float, float]:
    """Return Wilson's interval for a share (J. American Statistical Association 22, 1927)."""
    weight = Z**2 / of
    middle = share + weight / 2
    variance = share * (1 - share) / of
    spread = variance + weight / (4 * of)
    half = Z * sqrt(spread)
    whole = 1 + weight
    low = (middle - half) / whole
    high = (middle + half) / whole
    return max(low, 0.0), min(high, 1.0)


def belief_table(answers: pd.DataFrame, asked_twice: Collection[str]) -> pd.DataFrame:
    """Return how many learners showed each belief before and after, and how many gave it up.

    A learner gave a belief up if the learner showed it before the course but not after. If a belief
    is not in ``asked_twice``, because one of the two forms doesn't offer it, the number of those
    who gave it up is missing.
    """
    sheets = answers.groupby("learner")["when"].transform("nunique")
    answered_twice = sheets == 2
    is_belief = answers.belief != ""
    shown = answers[answered_twice & is_belief]
    rows = []
    for belief, part in shown.groupby("belief", sort=False):
        is_before = part["when"] == "before"
        before = set(part.learner[is_before])
        after = set(part.learner[~is_before])
        gave_way = nan
        if belief in asked_twice:
            gave_way = len(before - after)
        rows.append((belief, len(before), len(after), gave_way))
    table = pd.DataFrame(rows, columns=["belief", "before", "after", "gave_way"])
    table = table.sort_values(["before", "after"], ascending=False, kind="stable")
    return table.set_index("belief")


def slip_table(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return how many learners made each slip, and how many of them got over it.

    Learners got over a slip if they later solved the exercise in the same session. They also got
    over the slip if they solved the exercise in a different session that doesn't show the slip.
    Sessions have no dates, so the other session may have been earlier.
    """
    rows = []
    slips = verdicts[verdicts.slip != ""]
    for (exercise, slip), made in slips.groupby(["exercise", "slip"]):
        came = set(made.learner)
        of_exercise = verdicts[verdicts.exercise == exercise]
        tried = of_exercise[of_exercise.learner.isin(came)]
        gave_way = set()
        for (learner, _), session in tried.groupby(["learner", "session"]):
            shown = np.flatnonzero(session.slip == slip)
            last = max(shown, default=-1)
            later = session.kind[last + 1 :]
            if later.str.startswith("right").any():
                gave_way.add(learner)
        rows.append((exercise, slip, len(came), len(gave_way)))
    table = pd.DataFrame(rows, columns=["exercise", "slip", "came", "gave_way"])
    return table.sort_values("came", ascending=False, kind="stable", ignore_index=True)


def exercise_table(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Return, for each exercise, how many learners tried it, solved it, and solved it at once."""
    is_right = verdicts.kind.str.startswith("right")
    verdicts = verdicts.assign(right=is_right)
    by_learner = verdicts.groupby(["exercise", "learner"]).right
    answered = by_learner.agg(learners="size", right="any", at_once="all")
    totals = {"learners": "count", "right": "sum", "at_once": "sum"}
    return answered.groupby("exercise").agg(totals)
