"""Learning: what the answers of a class say, and how sure one can be of it.

The functions take and return frames. Answers have a row for each question on a learner's sheet:
``learner``, ``when`` ("before" or "after" the course), ``form``, ``question``, ``concept``, whether
it is ``right``, and the ``belief`` that a wrong answer shows. Verdicts have a row for each answer
to an exercise, in the order in which they were given: ``learner``, ``session``, ``exercise``,
``kind``, and the number of its ``slip``, or 0. All intervals hold 95 of 100 times.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from math import atanh, inf, nan, sqrt, tanh
from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pandas import DataFrame

Z = NormalDist().inv_cdf(0.975)
ALL = "all together"


def gains(answers: DataFrame) -> DataFrame:
    """Return the normalized gain of a class, by concept and for all questions together.

    It is the part of what was wrong before that is right after, (after - before) / (1 - before), of
    the shares of the class (Hake 1998, https://doi.org/10.1119/1.18809). Only learners who answered
    both times count. The interval is that of `gain_interval`.
    """
    import pandas as pd

    answers = _with_both_sheets(answers)
    rows = {}
    for concept in [*answers.concept.unique(), ALL]:
        part = answers if concept == ALL else answers[answers.concept == concept]
        right = {when: rows.groupby("learner").right.mean() for when, rows in part.groupby("when")}
        before, after = (right.get(when, pd.Series(dtype=float)) for when in ("before", "after"))
        row = {"learners": len(before), "before": before.mean(), "after": after.mean()}
        row["gain"], row["low"], row["high"] = gain_interval(before.tolist(), after.tolist())
        rows[concept] = row
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("concept")


def gain_interval(before: Sequence[float], after: Sequence[float]) -> tuple[float, float, float]:
    """Return the normalized gain of a class, from the shares of its learners, and an interval.

    The gain is 1 minus the ratio of two means, the shares that are wrong after and before, and this
    is Fieller's interval for such a ratio (Journal of the Royal Statistical Society B 16, 1954).
    One learner is made up who has half of the answers right both times: without that, a class that
    agrees would have an interval of no width. Where too little was wrong before to tell, there is
    no lower end.

    >>> gain, low, high = gain_interval([0, 0.5, 0.5, 0, 0.5], [0.5, 1, 1, 0.5, 0.5])
    >>> round(gain, 2), round(low, 2), round(high, 2)
    (0.57, 0.12, 0.88)
    >>> gain_interval([1, 1, 1], [1, 1, 1])
    (nan, -inf, 1.0)
    """
    import numpy as np

    x, y = 1 - np.array([*before, 0.5]), 1 - np.array([*after, 0.5])
    gain = 1 - float(y[:-1].sum() / x[:-1].sum()) if x[:-1].any() else nan
    if len(before) < 2:
        return gain, -inf, 1.0
    freedom = len(before)
    spread = np.cov(x, y) * student_t(freedom) ** 2 / len(x)
    a = x.mean() ** 2 - spread[0, 0]
    b = x.mean() * y.mean() - spread[0, 1]
    c = y.mean() ** 2 - spread[1, 1]
    if a <= 0:  # the share that was wrong before may as well be nothing
        return gain, -inf, 1.0
    root = sqrt(max(b * b - a * c, 0))
    low, high = float(1 - (b + root) / a), float(1 - max((b - root) / a, 0))
    return gain, min(low, gain), max(high, gain)


def student_t(freedom: int) -> float:
    """Return where Student's t ends: 97.5 % of it is below (Abramowitz and Stegun 26.7.5).

    >>> round(student_t(5), 2), round(student_t(30), 2)
    (2.57, 2.04)
    """
    first = (Z**3 + Z) / (4 * freedom)
    second = (5 * Z**5 + 16 * Z**3 + 3 * Z) / (96 * freedom**2)
    third = (3 * Z**7 + 19 * Z**5 + 17 * Z**3 - 15 * Z) / (384 * freedom**3)
    return Z + first + second + third


def question_table(answers: DataFrame) -> DataFrame:
    """Return how difficult each question is, and how well it tells learners apart.

    The difficulty is the share of right answers: 1 is easiest. The discrimination is how being
    right correlates with the number of other questions on the sheet that are (for both, see Ding
    and Beichner 2009, https://doi.org/10.1103/PhysRevSTPER.5.020103); it is missing where all are
    right or all are wrong. The intervals are Wilson's and Fisher's.
    """
    import pandas as pd

    rows = []
    for (when, form), sheets in answers.groupby(["when", "form"], sort=False):
        right = sheets.pivot(index="learner", columns="question", values="right").astype(int)
        n = len(right)
        for question in right:
            others = right.drop(columns=question).sum(axis=1)
            differ = right[question].nunique() > 1 and others.nunique() > 1
            row = {"when": when, "form": form, "question": question, "learners": n}
            row["difficulty"] = share = right[question].mean()
            row["low"], row["high"] = share_interval(share, n)
            row["discrimination"] = r = right[question].corr(others) if differ else nan
            row["r_low"], row["r_high"] = correlation_interval(r, n)
            rows.append(row)
    return pd.DataFrame(rows)


def share_interval(share: float, of: int) -> tuple[float, float]:
    """Return Wilson's interval for a share (J. of the American Statistical Association 22, 1927).

    >>> low, high = share_interval(1.0, 5)
    >>> round(low, 2), high
    (0.57, 1.0)
    """
    middle = (share + Z**2 / (2 * of)) / (1 + Z**2 / of)
    half = Z / (1 + Z**2 / of) * sqrt(share * (1 - share) / of + (Z / (2 * of)) ** 2)
    return max(middle - half, 0.0), min(middle + half, 1.0)


def correlation_interval(r: float, n: int) -> tuple[float, float]:
    """Return Fisher's interval for a correlation in a sample of n; (-1, 1) if n says nothing.

    >>> low, high = correlation_interval(0.5, 30)
    >>> round(low, 2), round(high, 2)
    (0.17, 0.73)
    """
    if n < 4 or not abs(r) < 1:
        return -1.0, 1.0
    half = Z / sqrt(n - 3)
    return tanh(atanh(r) - half), tanh(atanh(r) + half)


def belief_table(answers: DataFrame, asked_twice: Collection[str]) -> DataFrame:
    """Return how many learners showed each belief before and after, and with how many it gave way.

    It gave way with those who showed it before and not after. Beliefs that are not among those
    ``asked_twice``, because one form doesn't offer them, have no such number.
    """
    import pandas as pd

    answers = _with_both_sheets(answers)
    rows = {}
    for belief, part in answers[answers.belief != ""].groupby("belief", sort=False):
        before, after = (set(part.learner[part["when"] == when]) for when in ("before", "after"))
        gave_way = len(before - after) if belief in asked_twice else nan
        rows[belief] = {"before": len(before), "after": len(after), "gave_way": gave_way}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["before", "after", "gave_way"])
    return table.sort_values(["before", "after"], ascending=False, kind="stable")


def _with_both_sheets(answers: DataFrame) -> DataFrame:
    return answers[answers.groupby("learner")["when"].transform("nunique") == 2]


def slip_table(verdicts: DataFrame) -> DataFrame:
    """Return which slips came, with how many learners, and with how many they gave way.

    A slip gave way where the same learner had the exercise right later in the same session.
    """
    import pandas as pd

    came, gave_way = defaultdict(set), defaultdict(set)  # (exercise, slip) -> learners
    for (learner, _, exercise), rows in verdicts.groupby(["learner", "session", "exercise"]):
        is_right = rows.kind.str.startswith("right").tolist()
        last = {slip: place for place, slip in enumerate(rows.slip) if slip}
        for slip, place in last.items():
            came[exercise, slip].add(learner)
            if any(is_right[place:]):
                gave_way[exercise, slip].add(learner)
    table = [(*key, len(came[key]), len(gave_way[key])) for key in sorted(came)]
    table = pd.DataFrame(table, columns=["exercise", "slip", "came", "gave_way"])
    return table.sort_values("came", ascending=False, kind="stable", ignore_index=True)


def exercise_table(verdicts: DataFrame) -> DataFrame:
    """Return for each exercise how many learners tried it, had it right, and right at once."""
    verdicts = verdicts.assign(right=verdicts.kind.str.startswith("right"))
    by_learner = verdicts.groupby(["exercise", "learner"]).right.agg(["size", "any", "all"])
    table = by_learner.groupby("exercise").agg({"size": "count", "any": "sum", "all": "sum"})
    return table.rename(columns={"size": "learners", "any": "right", "all": "at_once"})
