"""Report: a page for the teacher on what a class answered, with no row for a learner."""

from __future__ import annotations

import base64
from html import escape
from io import BytesIO
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from bpe_teach.classroom.records import Class
from bpe_teach.exercises.concept_inventory import FORMS, SEEN, TWICE
from bpe_teach.exercises.record import WHEN, reason_of
from bpe_teach.measure import learning

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

PAGE = Path(__file__).with_suffix(".html")  # the same for any class; the functions fill it in
FEWEST = 10  # learners whose totals may be passed on: among fewer, one could be recognized
BARS = 12  # in a figure, at most


def write_page(found: Class) -> str:
    """Return the report as a page of HTML that loads nothing."""
    answers, verdicts = found.answers, found.verdicts
    return Template(PAGE.read_text("utf-8")).substitute(
        notes="\n".join(map(_paragraph, found.notes)),
        gains=_write_gains(answers),
        questions=_write_questions(answers),
        beliefs=_write_beliefs(answers),
        exercises=_write_exercises(verdicts),
        slips=_write_slips(verdicts),
    )


def _write_gains(answers: DataFrame) -> str:
    gains = learning.gains(answers)
    learners = int(gains.learners.max())
    before, after = (set(answers.learner[answers["when"] == when]) for when in WHEN)
    swapped = answers[(answers["when"] == "before") & (answers.form == "B")].learner.nunique()
    counts = (
        f"{learners} learners have both sheets. {len(before - after)} have only one before the"
        f" course, {len(after - before)} only one after it; {swapped} began with form B."
    )
    parts = [_paragraph(counts)]
    if learners == 0:
        return "\n".join(parts)
    parts.append(_table(gains.rename(columns={"low": "from", "high": "to"})))
    parts.append(_picture(_plot_gains(gains), "The gains and their intervals, as in the table."))
    if learners < FEWEST:
        parts.append(_paragraph(f"Fewer than {FEWEST} learners: don't pass these numbers on."))
    else:
        totals = f"{counts}\n{gains.drop(columns='learners').round(2).to_string()}"
        parts.append(f"<h3>Totals, to pass on</h3>\n<pre>{escape(totals)}</pre>")
    return "\n".join(parts)


def _plot_gains(gains: DataFrame) -> Axes:
    """Draw each gain, on an axis from 0 to 1, with its interval; a loss makes the axis longer."""
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


def _write_questions(answers: DataFrame) -> str:
    table = learning.question_table(answers)
    table["asked"] = [
        FORMS[form][n].ask for form, n in zip(table.form, table.question, strict=True)
    ]
    table.index = table.form + table.question.map(str)
    return _table(table.drop(columns=["form", "question"]))


def _write_beliefs(answers: DataFrame) -> str:
    beliefs = learning.belief_table(answers, TWICE)
    programs = [SEEN.get(belief, ("", ""))[1] for belief in beliefs.index]
    return _table(beliefs.assign(programs=programs))


def _write_exercises(verdicts: DataFrame) -> str:
    table = learning.exercise_table(verdicts)
    everybody = ", ".join(table.index[table.at_once == table.learners]) or "none"
    nobody = ", ".join(table.index[table.right == 0]) or "none"
    text = f"Everybody was right at once: {everybody}. Nobody was right: {nobody}."
    return _paragraph(text) + _table(table)


def _write_slips(verdicts: DataFrame) -> str:
    from bpe_teach.pictures.plots import plot_stacks

    table = learning.slip_table(verdicts)
    if table.empty:
        return _paragraph("No slip was found.")
    table.index = table.exercise.str.replace(".", ": ") + " " + table.slip.map(str)
    table["what the check says"] = list(map(reason_of, table.exercise, table.slip))
    top = table.head(BARS)
    stacks = {"gave way": top.gave_way, "stayed": top.came - top.gave_way}
    ax = plot_stacks(top.assign(**stacks)[list(stacks)], "learners")
    picture = _picture(ax, "The most frequent slips, as in the table.")
    return picture + _table(table.drop(columns=["exercise", "slip"]))


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _table(table: DataFrame) -> str:
    """Return a table as HTML, escaped; a missing or infinite value is a dash."""
    table = table.rename(columns=lambda name: name.replace("_", " ")).rename_axis(None)
    table = table.replace(float("-inf"), float("nan")).convert_dtypes().astype(object)
    return table.where(table.notna(), "–").to_html(border=0, float_format="{:.2f}".format)


def _picture(ax: Axes, alt: str) -> str:
    from matplotlib.pyplot import close

    file = BytesIO()
    ax.figure.savefig(file, format="png", dpi=200)
    close(ax.figure)
    data = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
    return f'<p><img alt="{escape(alt)}" width="576" src="{data}"></p>'
