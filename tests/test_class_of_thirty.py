"""A class of thirty, from print to report, with all that goes wrong in a real one.

Ten learners answer the twelve questions on paper, ten on a platform, ten in notebooks. What was
answered is drawn by lot; what the report must say is computed here, from the printed key.
"""

import csv
import json
import random
import re
import secrets
from html import unescape
from statistics import mean, stdev
from xml.etree import ElementTree

import pytest
from common import archive

from bpe_further.exercises.concept_inventory import score
from bpe_further.shell.commands import main
from bpe_teach.exercises import char_bpe, record
from bpe_teach.exercises.exercise import LOG

pytestmark = pytest.mark.slow

LEARNERS = range(30)  # by turns on paper, on the platform, in a notebook
WORD = "room 12"  # of the class
FORGOT, ABSENT, LATE = 0, 1, 2  # the code word; after the course; before it
CHANGED, UPLOADED_TWICE, MENDED, STAYED = 5, 8, 11, 14  # all in a notebook
T_26 = 2.0555  # Student's t for 26 degrees of freedom, 97.5 %


def folder_of(learner, kind="file"):
    """Name a folder as Moodle does, which hands over a folder for each learner."""
    return f"Ada Lovelace {learner}_{1000 + learner}_assignsubmission_{kind}_"


def draw_sheets():
    """Return (learner, when) -> form and letters by number; every second begins with form B."""
    chance = random.Random(38)
    sheets = {}
    for learner in LEARNERS:
        for place, (when, knows) in enumerate([("before", 0.35), ("after", 0.65)]):
            form = "AB"[(learner + place) % 2]
            letters = {}
            for number in range(1, 13):
                if chance.random() < 0.95:  # else it is left open
                    is_known = chance.random() < knows
                    letters[number] = KEY[form][number] if is_known else chance.choice("abcd")
            sheets[learner, when] = form, letters
    del sheets[ABSENT, "after"], sheets[LATE, "before"]
    return sheets


KEY = {"A": {}, "B": {}}  # form -> number -> letter, read from the page to print


def answer_in_a_notebook(sheets, learner, whens, answers):
    """Answer in a new session; return the name and the content of the file."""
    record.SESSION = secrets.token_hex(8)
    record.WRITTEN.clear()
    for when in whens:
        if (learner, when) in sheets:
            score(sheets[learner, when][1], sheets[learner, when][0], when)
    for answer in answers:
        char_bpe.count_pairs.check(answer)
    char_bpe.record(f"green heron {learner}", WORD)


COUNTRIES = {"A": (",", "7.50", "utf-8"), "B": (";", "7,50", "utf-8-sig")}


def write_responses(sheets, choices, folder):
    """Write what a platform exports: a file for each form and day, with the chosen texts.

    Form B is exported as in Germany: semicolons, decimal commas, a byte order mark.
    """
    for when in ("before", "after"):
        for form in "AB":
            heads = ["Last name", "Email address", "Grade/12"]
            heads += [f"Response {n}" for n in range(1, 13)]
            separator, grade, encoding = COUNTRIES[form]
            rows = []
            for learner in LEARNERS[1::3]:
                if sheets.get((learner, when), ("",))[0] == form:
                    letters = sheets[learner, when][1]
                    texts = [
                        choices[f"{form}{n:02}"]["abcd".index(letters[n])] if n in letters else "-"
                        for n in range(1, 13)
                    ]
                    rows.append(["Lovelace", f"ada{learner}@school.example", grade, *texts])
            path = folder / f"Quiz {form} {when}.csv"
            with open(path, "w", newline="", encoding=encoding) as file:
                csv.writer(file, delimiter=separator).writerows([heads, *rows])


def last_inside(inside, outside, is_outside):
    """Return where values begin to be outside an interval, of which two sides are known."""
    for _ in range(50):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if is_outside(middle) else (middle, outside)
    return inside


def fieller(before, after):
    """Return the ends of the gain's interval by its definition: where the mean is not told from 0.

    A learner with half right both times is made up, as the docstring of `gain_interval` says.
    """
    x = [1 - share for share in before] + [0.5]
    y = [1 - share for share in after] + [0.5]

    def is_outside(ratio):
        differences = [b - ratio * a for a, b in zip(x, y, strict=True)]
        return abs(mean(differences)) > T_26 * stdev(differences) / len(x) ** 0.5

    return [1 - last_inside(mean(y) / mean(x), outside, is_outside) for outside in (10.0, 0.0)]


def wilson(share, count):
    """Return the ends of the interval of a share by their definition: just not told from it."""

    def is_outside(other):
        return abs(other - share) > 1.96 * (other * (1 - other) / count) ** 0.5

    return [last_inside(share, outside, is_outside) for outside in (0.0, 1.0)]


def rows_of(page, heading):
    """Return the rows of the first table below a heading of the report, as lists of texts."""
    table = page.partition(f"<h2>{heading}</h2>")[2].partition("</table>")[0]
    rows = re.findall(r"<tr.*?</tr>", table, re.DOTALL)[1:]
    return [[unescape(cell) for cell in re.findall(r"<t[hd]>(.*?)</t[hd]>", row)] for row in rows]


def test_the_report_on_a_class_says_what_was_answered_and_nobodys_name(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(record, "SESSION", record.SESSION)
    LOG.clear()
    record.ANSWERS.clear()
    # Out: the key from the page to print, the texts of the choices from Moodle's file.
    assert main(["questions", "--to", "paper", "-o", "forms.html"]) == 0
    assert main(["questions", "--to", "moodle", "-o", "questions.xml"]) == 0
    sections = (tmp_path / "forms.html").read_text("utf-8").split("<section>")
    for form, section in zip("AB", sections[4:], strict=True):
        found = re.findall(r"<td>(\d+)</td><td>([a-d])</td>", section)
        KEY[form].update({int(number): letter for number, letter in found})
    choices = {}
    for question in ElementTree.parse("questions.xml").iter("question"):
        texts = [
            re.sub("<.*?>", " ", answer.findtext("text")) for answer in question.iter("answer")
        ]
        choices[question.findtext("name/text")] = [unescape(text) for text in texts]

    # In: sheets typed in one session, exports, and records in a platform's archive.
    sheets = draw_sheets()
    for learner in LEARNERS[::3]:
        for when in ("before", "after"):
            score(sheets[learner, when][1], sheets[learner, when][0], when)
            if learner == FORGOT:
                char_bpe.record(f"forgotten {when}", WORD)
        if learner != FORGOT:
            char_bpe.record(f"green heron {learner}", WORD)
    wrong, right = char_bpe._count_as_sets, char_bpe.solve_count_pairs
    typed = {path.name for path in tmp_path.glob("bpe_teach_record_*")}
    submissions = {}
    for learner in LEARNERS[2::3]:
        answers = [wrong] if learner in (MENDED, STAYED) else [lambda word: dict.fromkeys(word)]
        answer_in_a_notebook(sheets, learner, ["before", "after"], answers)
        if learner == CHANGED:
            form, letters = sheets[learner, "before"]
            changed = {(learner, "before"): (form, letters | {1: "ab"[letters.get(1) == "a"]})}
            answer_in_a_notebook(changed, learner, ["before"], [])
        if learner == MENDED:
            answer_in_a_notebook({}, learner, [], [lambda word: right(word)])
        for path in sorted(tmp_path.glob("bpe_teach_record_*")):
            if path.name not in typed:
                submissions[f"{folder_of(learner)}/{path.name}"] = path.read_bytes()
                path.unlink()
    (twice,) = (name for name in submissions if name.startswith(folder_of(UPLOADED_TWICE)))
    submissions[f"{folder_of(UPLOADED_TWICE)}/Ada Lovelace.json"] = submissions[twice]
    newer = json.loads(submissions[twice]) | {"format": "bpe_teach record 3"}
    submissions[f"{folder_of(90)}/newer.json"] = json.dumps(newer)
    submissions[f"{folder_of(91)}/cut_off.json"] = submissions[twice][:99]
    submissions[f"{folder_of(92)}/empty.json"] = b""
    inside = {name: submissions.pop(name) for name in list(submissions)[:4]}
    submissions[f"{folder_of(93)}/together.zip"] = archive(inside)
    records = tmp_path / "handed in"
    records.mkdir()
    for name in typed:
        (tmp_path / name).rename(records / name)
    write_responses(sheets, choices, records)
    (records / "Ada Lovelace.zip").write_bytes(archive(submissions))
    capsys.readouterr()
    command = ["class", "handed in", "--id", "Email address", "--word", WORD]
    assert main([*command, "-o", "report.html"]) == 0

    # What must be said: of a sheet that contradicts another, nothing.
    page = (tmp_path / "report.html").read_text("utf-8")
    said = capsys.readouterr()
    begun_with_b = {learner for learner in LEARNERS if learner % 2 and learner != CHANGED}
    for line in ("files: 31", "  used: 28", "learners: 31", "  with a sheet before only: 2"):
        assert line in said.out.splitlines()
    assert "Counted once, because another file holds the same session: 1." in page
    assert "1 learners have sheets before that contradict each other: left out." in page
    assert "26 learners have both sheets. 2 have only one before the course, 3 only" in page
    assert f"one after it; {len(begun_with_b)} began with form B." in page
    assert "Totals, to pass on" in page
    for private in ("Lovelace", "school.example", "heron", "forgotten after"):
        assert private not in page + said.out + said.err

    marks = {
        key: {n: letters.get(n) == KEY[form][n] for n in range(1, 13)}
        for key, (form, letters) in sheets.items()
        if key != (CHANGED, "before")
    }
    paired = [n for n in LEARNERS if n not in (FORGOT, ABSENT, LATE, CHANGED)]
    found = rows_of(page, "The twelve questions, by concept")
    assert len(found) == 7
    for place, row in enumerate(found):
        of = [n for n in range(1, 13) if (n - 1) % 6 == place or place == 6]
        before, after = (
            [mean(marks[learner, when][n] for n in of) for learner in paired]
            for when in ("before", "after")
        )
        gain = (mean(after) - mean(before)) / (1 - mean(before))
        expected = [mean(before), mean(after), gain, *fieller(before, after)]
        assert int(row[1]) == len(paired) == 26
        assert [*map(float, row[2:])] == pytest.approx(expected, abs=0.0051), row

    by_question = {}  # form and number, when -> the marks of everybody who had the form then
    for (learner, when), marked in marks.items():
        for number, is_right in marked.items():
            by_question.setdefault((f"{sheets[learner, when][0]}{number}", when), []).append(
                is_right
            )
    found = {(row[0], row[1]): row for row in rows_of(page, "The questions")}
    assert set(found) == set(by_question)
    for key, marked in by_question.items():
        assert int(found[key][2]) == len(marked)
        expected = [mean(marked), *wilson(mean(marked), len(marked))]
        assert [*map(float, found[key][3:6])] == pytest.approx(expected, abs=0.0051), key
    (slip,) = (row for row in rows_of(page, "Slips") if row[0].startswith("char_bpe: count_pairs"))
    assert slip[1:3] == ["2", "1"]  # one was right at home
