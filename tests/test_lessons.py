"""The kit for a class: plans whose minutes add up, sheets of one page, decks without network."""

import re
import sys
from functools import cache
from itertools import pairwise

import pytest
from common import ROOT, cells_of, count_sheets, rows

from bpe_teach.exercises import byte_level, char_bpe, rank_based_encoding, word_boundaries  # noqa: F401 (a table names them)

LESSONS = ROOT / "site" / "lessons"
PLANS = [path for path in sorted(LESSONS.glob("*.md")) if not path.stem.endswith(("deck", "sheet"))]
DECKS = sorted(LESSONS.glob("*_deck.md"))
SHEETS = sorted(LESSONS.glob("*_sheet.md"))


def name(path):
    return path.stem


def ranges(text: str) -> list[tuple[int, int]]:
    """Return the first and the last number of each range: 6–10, or 11 by itself."""
    found = re.findall(r"^(\d+)(?:–(\d+))?$", text, re.MULTILINE)
    return [(int(first), int(last or first)) for first, last in found]


def columns(plan) -> list[list[str]]:
    """Return the columns of the table of a plan, without their headings."""
    lines = [line for line in plan.read_text("utf-8").splitlines() if line.startswith("| ")]
    fields = [[field.strip() for field in line.split("|")[1:-1]] for line in lines]
    return [list(column)[2:] for column in zip(*fields, strict=True)]


@pytest.mark.parametrize("plan", PLANS, ids=name)
def test_the_minutes_of_a_plan_follow_each_other_and_add_up(plan):
    promised = int(re.search(r"^(\d+) minutes with", plan.read_text("utf-8"), re.MULTILINE)[1])
    minutes = ranges("\n".join(columns(plan)[0]))
    assert len(minutes) == len(columns(plan)[0])
    assert [first for first, _ in minutes] == [0, *(last for _, last in minutes[:-1])]
    assert minutes[-1][1] == promised


def test_the_functions_that_a_plan_shows_are_right():
    space = {"pairwise": pairwise}
    shown = re.findall(
        r"^```python\n(.*?)^```", (LESSONS / "lesson1.md").read_text("utf-8"), re.M | re.S
    )
    exec("\n".join(shown), space)
    for exercise in (char_bpe.count_pairs, char_bpe.merge):
        assert exercise.check(space[exercise.name]).kind == "right"


@cache
def headings(notebook) -> set[str]:
    prose = "\n".join(cells_of(notebook, "markdown"))
    return set(re.findall(r"^#+ (.+)$", prose, re.MULTILINE))


@pytest.mark.parametrize("plan", PLANS, ids=name)
def test_a_plan_names_only_sections_that_exist(plan):
    links = re.findall(r"\[([^\]]+)\]\((\S+\.ipynb)#\S+?\)", plan.read_text("utf-8"))
    assert links
    for heading, place in links:
        assert heading in headings((LESSONS / place).resolve()), heading


@pytest.mark.parametrize("deck", DECKS, ids=name)
def test_a_lesson_shows_all_slides_of_its_deck_in_their_order(deck):
    slides = len(re.split(r"^---\n", deck.read_text("utf-8"), flags=re.MULTILINE))
    shown = ranges("\n".join(columns(LESSONS / deck.name.replace("_deck", ""))[-1]))
    assert [first for first, _ in shown] == [1, *(last + 1 for _, last in shown[:-1])]
    assert shown[-1][1] == slides


def test_the_answers_to_the_worksheets_are_those_of_the_exercises():
    learn = char_bpe.solve_learn("banana", 1)
    assert learn == [("a", "n", 2)]
    text = (LESSONS / "answers_sheet.md").read_text("utf-8")
    for answer in rows("lessons/answers", globals()):
        assert answer in text, answer


# What they look like.


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    """Write the sheets and decks."""
    pytest.importorskip("mistune")
    sys.path.insert(0, str(ROOT / "site"))
    from kit import write_kit

    folder = tmp_path_factory.mktemp("kit")
    write_kit(folder)
    return folder


@pytest.fixture
def open_page(open_page, kit):
    """Return a function that opens a page of the kit on a screen."""

    def open_one(source):
        name = f"{source.stem}_plan" if source in PLANS else source.stem
        return open_page(kit / f"{name}.html", (1280, 720))

    return open_one


@pytest.mark.slow
@pytest.mark.parametrize("sheet", SHEETS + PLANS, ids=name)
def test_a_sheet_or_a_plan_is_one_page_of_paper(sheet, open_page):
    printed = open_page(sheet).pdf(prefer_css_page_size=True)
    assert count_sheets(printed) == 1


@pytest.mark.slow
@pytest.mark.parametrize("sheet", SHEETS + PLANS, ids=name)
def test_a_sheet_or_a_plan_fits_a_phone(sheet, open_page):
    page = open_page(sheet)
    page.set_viewport_size({"width": 380, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") == 380


@pytest.mark.slow
@pytest.mark.parametrize("deck", DECKS, ids=name)
def test_slides_are_turned_by_keys_and_clicks_and_nothing_is_cut_off(deck, open_page):
    page = open_page(deck)
    slides = page.locator("section")
    cut_off = "s => s.filter(e => e.scrollHeight > 720 || e.scrollWidth > 1280).length"
    assert slides.evaluate_all(cut_off) == 0
    for key, number in [("ArrowRight", 2), ("End", slides.count()), ("ArrowLeft", None)]:
        page.keyboard.press(key)
        assert page.locator("section.shown").count() == 1
        shown = int(page.locator("section.shown").get_attribute("data-number"))
        assert shown == (number or slides.count() - 1)
    for x, number in [(1200, slides.count()), (20, slides.count() - 1)]:
        page.mouse.click(x, 710)
        assert page.locator("section.shown").get_attribute("data-number") == str(number)
    printed = page.pdf(prefer_css_page_size=True)
    assert count_sheets(printed) == slides.count()


@pytest.mark.slow
@pytest.mark.parametrize("deck", DECKS, ids=name)
def test_slides_are_read_on_a_phone_without_glasses(deck, open_page):
    page = open_page(deck)
    page.set_viewport_size({"width": 380, "height": 700})
    for number in range(page.locator("section").count()):
        page.evaluate(f"show({number})")
        slide = page.locator("section.shown").bounding_box()
        assert (slide["x"], slide["width"]) == (0, 380), number + 1  # neither shrunk nor cut off
        assert page.evaluate("document.documentElement.scrollWidth") == 380, number + 1
    page.set_viewport_size({"width": 1280, "height": 720})
    pictures = "s => s.filter(e => e.querySelector('.stored')).map(e => e.style.cssText)"
    assert all(page.locator("section").evaluate_all(pictures))


@pytest.mark.slow
def test_slides_go_on_after_somebody_typed(open_page):
    page = open_page(LESSONS / "lesson1_deck.md")
    number = page.locator("section", has=page.locator("textarea")).get_attribute("data-number")
    page.evaluate(f"show({number} - 1)")
    page.locator("section.shown textarea").click()
    page.keyboard.type(" lower")
    page.keyboard.press("ArrowRight")
    assert page.locator("section.shown").get_attribute("data-number") == number
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    assert page.locator("section.shown").get_attribute("data-number") == str(int(number) + 1)
