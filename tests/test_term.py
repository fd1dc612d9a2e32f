"""What a term needs: classes that aren't too long, projects that run, pages that are found."""

import json
import re

import pytest
from common import NOTEBOOKS, PROJECTS, ROOT

from bpe_further.classroom.exam import draw_exam

SITE = ROOT / "site"
SYLLABUS = (SITE / "syllabus.md").read_text("utf-8")
COURSES = dict(re.findall(r"^## (.+)\n\n((?:\|.*\n?)+)", SYLLABUS, re.MULTILINE))
LONGEST_CLASS = 90  # minutes


def weeks_of(course):
    """Return the weeks of a course, each with its number, class, preparation, due and home."""
    rows = [line.strip("| ").split(" | ") for line in COURSES[course].splitlines()]
    assert rows[0] == ["week", "in class, with minutes", "before it", "due", "afterwards"]
    return rows[2:]


@pytest.mark.parametrize("course", COURSES)
def test_a_course_has_its_weeks_and_each_class_fits(course):
    weeks = weeks_of(course)
    assert len(weeks) == {"Eight": 8, "Fourteen": 14}[course.split()[0]]
    for number, week in enumerate(weeks, 1):
        assert [week[0], len(week)] == [str(number), 5]
        items = week[1].split(" · ")
        minutes = [int(re.search(r" \((\d+)\)$", item)[1]) for item in items]
        assert 60 <= sum(minutes) <= LONGEST_CLASS, week
        for item in items:
            if "[lesson" in item:
                assert item.endswith("(45)")


def test_a_whole_notebook_takes_as_long_as_the_page_for_teachers_says():
    teachers = (ROOT / "notebooks" / "README.md").read_text("utf-8")
    told = dict(re.findall(r"^\| \[(\w+?)_\w+\.ipynb\]\(\S+\) \| (\d+)", teachers, re.MULTILINE))
    whole = re.findall(r"(?:\| |· )\[(\w+)\]\(\.\./notebooks/\S+\) \((\d+)\)", SYLLABUS)
    assert whole
    assert {(number, minutes) for number, minutes in whole if told[number] != minutes} == set()


@pytest.mark.parametrize("course", COURSES)
def test_an_exam_asks_only_what_the_course_has_done_and_lasts_as_long_as_it_says(course):
    done = set()
    for week in weeks_of(course):
        for until, minutes in re.findall(r"\[exam\]\(exam.md\) until (\w+) \((\d+)\)", week[1]):
            asked = draw_exam("not a secret", until)["A"]
            assert sum(question.points for question in asked) == int(minutes)
            assert {question.notebook for question in asked} <= done, (week[0], until)
            assert until == "05c" or f"--until {until}" in week[2]
        done |= set(re.findall(r"notebooks/(?:further/)?(\w+?)_", week[1] + week[4]))
        lessons = re.findall(r"lessons/lesson(\d)", week[1])
        done |= {f"0{number}" for number in lessons}  # lesson 3 is about notebook 03


@pytest.mark.parametrize("course", COURSES)
def test_what_is_prepared_is_what_the_class_needs(course):
    for _, in_class, before, _, _ in weeks_of(course):
        for lesson in re.findall(r"lessons/lesson(\d)", in_class):
            assert f"worksheet {lesson}" in before or f"slides of lesson {lesson}" in before
        assert ("twelve questions" in in_class) == ("--to paper" in before)
        if "projects, five minutes" in in_class:
            assert "rubric" in before


def test_the_sections_that_a_syllabus_names_exist():
    headings = set()
    for path in NOTEBOOKS:
        for cell in cells_of(path, "markdown"):
            headings |= set(re.findall(r"^#+ (.+)$", "".join(cell["source"]), re.MULTILINE))
    headings = {heading.casefold() for heading in headings}
    for course in COURSES:
        for week in weeks_of(course):
            for name in re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", " ".join(week)):
                if name != "lamplighter":
                    found = [h for h in headings if h.startswith(name.casefold().rstrip(","))]
                    assert found, (course, week[0], name)


@pytest.mark.parametrize("page", ["syllabus", "projects", "exam"])
def test_links_lead_somewhere(page):
    text = (SITE / f"{page}.md").read_text("utf-8")
    links = re.findall(r"\]\((?!http)([^)#]+)", text)
    assert links
    for link in links:
        assert (SITE / link).resolve().exists(), link
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= anchors


def test_teachers_find_everything_within_two_clicks_of_readme():
    def links(path):
        found = re.findall(r"\]\((?!http)([^)#]+)", path.read_text("utf-8"))
        return {(path.parent / link).resolve() for link in found}

    one_click = links(ROOT / "README.md")
    two_clicks = set().union(*(links(path) for path in one_click if path.suffix == ".md"))
    for page in ("syllabus", "exam", "projects", "grading", "lessons/lesson1", "lessons/lesson4"):
        assert SITE / f"{page}.md" in one_click | two_clicks, page
    teachers = (ROOT / "notebooks" / "README.md").read_text("utf-8")
    assert "site/lessons/ten_minutes_sheet.html" in teachers
    assert (SITE / "lessons" / "ten_minutes_sheet.md").exists()


# Projects.


def cells_of(path, kind="code"):
    cells = json.loads(path.read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == kind]


@pytest.mark.parametrize("path", PROJECTS, ids=lambda path: path.stem)
def test_a_project_begins_with_five_cells_that_have_been_run(path):
    cells = cells_of(path)
    assert len(cells) == 5
    assert [cell["execution_count"] for cell in cells] == [1, 2, 3, 4, 5]
    assert all(cell["outputs"] for cell in cells[1:])
    assert not any(output["output_type"] == "error" for c in cells for output in c["outputs"])
    widths = [len(line) for c in cells for line in "".join(c["source"]).splitlines()]
    assert max(widths) <= 80  # what is wider is cut off on paper
    assert "google.colab" in "".join(cells[0]["source"])
    assert f"notebooks/projects/{path.name}" in "".join(cells_of(path, "markdown")[0]["source"])


def test_the_page_of_projects_says_what_their_notebooks_show():
    page = (SITE / "projects.md").read_text("utf-8")
    told = page.split("\n## ")
    for path in PROJECTS:
        assert f"notebooks/projects/{path.name}" in page
    for heading, path in [("A tokenizer for", "own_language"), ("What the", "merges_as_evidence")]:
        (part,) = [part for part in told if part.startswith(heading)]
        outcome = re.sub(r"\]\(.*?\)", "]", part.partition("**What may come out.**")[2])
        shown = ""
        for cell in cells_of(ROOT / "notebooks" / "projects" / f"{path}.ipynb"):
            for output in cell["outputs"]:
                text = output.get("text") or output["data"].get("text/plain", "")
                shown += "".join(text) + "\n"
        # Two digits where the table has one.
        numbers = set(re.findall(r"\d+\.\d+", shown)) | set(re.findall(r"\b\d\d+\b", shown))
        numbers |= {f"{float(number):.2f}" for number in numbers}
        for number in re.findall(r"\d+\.\d+|\b\d\d,\d{3}\b|\b\d\d(?= characters)", outcome):
            assert number.replace(",", "") in numbers, (heading, number)
        for name in re.findall(r"`(raw\w+|ÃÂ)`", outcome):
            assert name in shown


# The page for tomorrow.


def test_ten_minutes_are_ten_and_have_five_pictures_and_three_questions():
    page = (SITE / "lessons" / "ten_minutes_sheet.md").read_text("utf-8")
    assert sum(map(int, re.findall(r"\((\d+) minutes\)", page))) == 10
    assert page.count("\n![") + page.count("```tokens") == 5
    _, asked = page.split("## The three questions that will come")
    assert len(re.findall(r"\*\*[^*]*(?:\*[^*]+\*[^*]*)*\?\*\*", asked)) == 3


def test_the_merges_on_the_page_are_those_of_the_program():
    page = (SITE / "lessons" / "ten_minutes_sheet.md").read_text("utf-8")
    rows = re.search(r"```tokens\n(.*?)```", page, re.DOTALL)[1].splitlines()
    word = rows[0].split()
    for row in rows[1:]:  # plain code: count, take the first of the most frequent
        pairs = list(zip(word, word[1:], strict=False))
        left, right = max(dict.fromkeys(pairs), key=pairs.count)
        merged = []
        for symbol in word:
            if merged and (merged[-1], symbol) == (left, right):
                merged[-1] = left + right
            else:
                merged.append(symbol)
        word = merged
        assert word == row.split()
