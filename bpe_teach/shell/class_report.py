"""Class report: what a class answered, as a page for its teacher, with no row for a learner."""

from __future__ import annotations

import base64
from html import escape
from io import BytesIO
from typing import TYPE_CHECKING

from bpe_teach.exercises.concept_inventory import SEEN, TWICE
from bpe_teach.exercises.record import reason_of
from bpe_teach.measure import learning

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame

FEWEST = 10  # learners whose totals are to be passed on: among fewer, one could be recognized
BARS = 12  # of a figure at most
HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>A class, before and after</title>
<style>
body { font: 16px/1.5 system-ui; max-width: 62em; margin: 2em auto }
th, td { padding: 2px 10px; text-align: left } img { width: 36em; max-width: 100% }
</style></head><body><h1>A class, before and after</h1>"""
GAIN = """Only these count. The gain is the part of what was wrong before that is right after. The
interval holds 95 of 100 times; without a lower end, too little was wrong before to tell."""
QUESTIONS = """The difficulty is the share of right answers: 1 is easiest. The discrimination says
how well a question tells those who have many others right from those who have few."""
BELIEF = """A belief gave way with those who showed it before and not after; – if one form lacks it.
Programs: how many public ones act on it, of 168 that learn merges or 146 that encode."""
SLIP = "A slip gave way where its learner had the exercise right later in the same session."
LIMITS = """These numbers don't say what made a difference: nobody was taught otherwise for
comparison. The forms may differ in difficulty; if half of a class begins with form B, that balances
out. A right answer to an exercise may have been looked up."""


def write_page(answers: DataFrame, verdicts: DataFrame, notes: list[str]) -> str:
    """Return the report as a page of HTML that loads nothing; see `read_class` for the frames."""
    parts = [HEAD, *map(_paragraph, notes)]
    if len(answers):
        parts += [*_write_gains(answers), *_write_questions(answers)]
    if len(verdicts):
        parts += _write_exercises(verdicts)
    parts += ["<h2>What this does not say</h2>", _paragraph(LIMITS), "</body></html>\n"]
    return "\n".join(parts)


def _write_gains(answers: DataFrame) -> list[str]:
    from bpe_teach.pictures.plots import plot_dots

    gains = learning.gains(answers)
    learners = int(gains.learners.max())
    swapped = answers[(answers["when"] == "before") & (answers.form == "B")].learner.nunique()
    counts = f"{learners} learners have both sheets; {swapped} began with form B."
    parts = ["<h2>The twelve questions, by concept</h2>", _paragraph(f"{counts} {GAIN}")]
    if learners == 0:
        return parts
    parts.append(_table(gains.rename(columns={"low": "from", "high": "to"})))
    ax = plot_dots(gains[["before", "after"]], "share of right answers")
    parts.append(_picture(ax, "Shares of right answers before and after, as in the table."))
    if learners < FEWEST:
        return [*parts, _paragraph(f"Fewer than {FEWEST} learners: don't pass these numbers on.")]
    totals = f"{counts}\n{gains.drop(columns='learners').round(2).to_string()}"
    return [*parts, "<h3>Totals, to pass on</h3>", f"<pre>{escape(totals)}</pre>"]


def _write_questions(answers: DataFrame) -> list[str]:
    table = learning.question_table(answers)
    table.index = table.form + table.question.map(str)
    parts = ["<h2>The questions</h2>", _paragraph(QUESTIONS)]
    parts.append(_table(table.drop(columns=["form", "question"])))
    beliefs = learning.belief_table(answers, TWICE)
    beliefs["programs"] = [SEEN.get(belief, ("", ""))[1] for belief in beliefs.index]
    return [*parts, "<h2>What wrong answers say</h2>", _paragraph(BELIEF), _table(beliefs)]


def _write_exercises(verdicts: DataFrame) -> list[str]:
    from bpe_teach.pictures.plots import plot_stacks

    table = learning.exercise_table(verdicts)
    everybody = ", ".join(table.index[table.at_once == table.learners]) or "none"
    nobody = ", ".join(table.index[table.right == 0]) or "none"
    text = f"Right at once with everybody: {everybody}. Right with nobody: {nobody}."
    parts = ["<h2>The exercises</h2>", _paragraph(text), _table(table)]
    table = learning.slip_table(verdicts)
    if table.empty:
        return parts
    table.index = table.exercise.str.partition(".")[2] + " " + table.slip.map(str)
    table["what it is told"] = list(map(reason_of, table.exercise, table.slip))
    top = table.head(BARS)
    stacks = {"gave way": top.gave_way, "stayed": top.came - top.gave_way}
    ax = plot_stacks(top.assign(**stacks)[list(stacks)], "learners")
    parts += ["<h2>Slips</h2>", _paragraph(SLIP), _picture(ax, "The most frequent slips.")]
    return [*parts, _table(table.drop(columns="slip"))]


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>"


def _table(table: DataFrame) -> str:
    """Return a table as HTML, escaped; what is missing or without an end is a dash."""
    table = table.rename(columns=lambda name: name.replace("_", " ")).rename_axis(None)
    table = table.replace(float("-inf"), float("nan")).convert_dtypes().astype(object)
    return table.where(table.notna(), "–").to_html(border=0, float_format="{:.2f}".format)


def _picture(ax: Axes, alt: str) -> str:
    from matplotlib.pyplot import close

    file = BytesIO()
    ax.figure.savefig(file, format="png", dpi=200)
    close(ax.figure)
    data = f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"
    return f'<p><img alt="{escape(alt)}" src="{data}"></p>'
