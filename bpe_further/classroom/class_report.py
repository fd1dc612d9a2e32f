"""Report: a page for the teacher about the answers of a class, without rows for single learners.

The template ``class_report.html`` holds the words of the page. This module makes the tables and
figures.
"""

from __future__ import annotations

import base64
from io import BytesIO
from typing import TYPE_CHECKING

from bpe_further.classroom import learning
from bpe_further.classroom.questions import read_template
from bpe_further.classroom.records import Class
from bpe_further.exercises.concept_inventory import FORMS, SEEN, TWICE
from bpe_teach.exercises.record import WHEN, reason_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

FEWEST = 10  # learners whose totals may be passed on: among fewer, a learner could be recognized


def write_page(found: Class) -> str:
    """Return the report as a page of HTML that needs no other file."""
    answers, verdicts = found.answers, found.verdicts
    gains = learning.gains(answers)
    before, after = (set(answers.learner[answers["when"] == when]) for when in WHEN)
    swapped = answers[(answers["when"] == "before") & (answers.form == "B")]
    beliefs = learning.belief_table(answers, TWICE)
    programs = [SEEN.get(belief, ("", ""))[1] for belief in beliefs.index]
    exercises = learning.exercise_table(verdicts)
    slips = _slips(verdicts)
    return read_template("class_report.html", table=_table, picture=_picture).render(
        account=found.account.set_index("what"),
        notes=found.notes,
        gains=gains,
        gains_plot=_plot_gains,
        learners=int(gains.learners.max()),
        fewest=FEWEST,
        only_before=len(before - after),
        only_after=len(after - before),
        swapped=swapped.learner.nunique(),
        questions=_questions(answers),
        beliefs=beliefs.assign(programs=programs),
        exercises=exercises,
        everybody=", ".join(exercises.index[exercises.at_once == exercises.learners]),
        nobody=", ".join(exercises.index[exercises.right == 0]),
        slips=slips,
    )


def _plot_gains(gains: DataFrame) -> Axes:
    """Draw each gain with its interval, on an axis from 0 to 1; a loss makes the axis longer."""
    from bpe_teach.pictures.plots import plot_dots

    ax = plot_dots(gains[["gain"]], "gain: share of wrong answers put right")
    start = min(0, gains.gain.min())
    ax.hlines(range(len(gains)), gains.low.clip(lower=start), gains.high, color="#0072b2")
    for place, low in enumerate(gains.low):
        if low < start:
            end = "no lower end" if low == float("-inf") else f"from {low:.2f}"
            ax.text(start, place, end, va="bottom")
    ax.set_xlim(start - 0.02, 1.02)
    return ax


def _questions(answers: DataFrame) -> DataFrame:
    """Return the difficulty of each question, with its text."""
    table = learning.question_table(answers)
    numbers = zip(table.form, table.question, strict=True)
    table["asked"] = [FORMS[form][number].ask for form, number in numbers]
    table.index = table.form + table.question.map(str)
    return table.drop(columns=["form", "question"])


def _slips(verdicts: DataFrame) -> DataFrame:
    """Return how often each slip was made and overcome, with what a check says about the slip."""
    table = learning.slip_table(verdicts)
    table.index = table.exercise.str.replace(".", ": ") + " " + table.slip.map(str)
    table["what the check says"] = list(map(reason_of, table.exercise, table.slip))
    return table.drop(columns=["exercise", "slip"])


def _table(table: DataFrame):
    """Return a table as escaped HTML, with a dash for a missing or infinite value."""
    from markupsafe import Markup

    table = table.rename(columns=lambda name: name.replace("_", " ")).rename_axis(None)
    table = table.replace(float("-inf"), float("nan")).convert_dtypes().astype(object)
    return Markup(table.where(table.notna(), "–").to_html(border=0, float_format="{:.2f}".format))


def _picture(ax: Axes) -> str:
    """Return a figure as the address of a picture; the address itself holds the whole picture."""
    from matplotlib.pyplot import close

    file = BytesIO()
    ax.figure.savefig(file, format="png", dpi=200)
    close(ax.figure)
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
