"""How long the notebooks are: the spine is an afternoon, and pages say how long each takes."""

import re
from functools import cache

import pytest
from common import NOTEBOOKS, ROOT
from lengths import measure

measure = cache(measure)
TABLE = re.compile(r"^\| \[(\w+)\]\([^)]*\) \| [^|]+ \| (\d+) \|", re.MULTILINE)


def rounded(minutes: float) -> int:
    """Round minutes to the next five."""
    return 5 * round(minutes / 5)


def test_the_spine_is_an_afternoon():
    total = dict.fromkeys(("words", "code lines", "minutes"), 0)
    for path in NOTEBOOKS:
        if re.match("0[0-4]_", path.name):
            total = {name: total[name] + measure(path)[name] for name in total}
    assert total["words"] <= 8500
    assert total["code lines"] <= 560
    assert total["minutes"] <= 300


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_one_question(path):
    assert measure(path)["words"] <= 2500


def test_readme_is_a_front_page_and_the_changelog_a_list():
    assert len((ROOT / "README.md").read_text("utf-8").split()) <= 1000
    assert len((ROOT / "CHANGELOG.md").read_text("utf-8").split()) <= 1500


def test_pages_say_how_long_each_takes_and_their_sums():
    readme = (ROOT / "README.md").read_text("utf-8")
    routes = (ROOT / "site" / "routes.md").read_text("utf-8")
    told = {name: int(minutes) for name, minutes in TABLE.findall(readme + routes)}
    assert told == {path.stem: rounded(measure(path)["minutes"]) for path in NOTEBOOKS}
    spine = sum(minutes for name, minutes in told.items() if re.match("0[0-4]_", name))
    (minutes,) = re.findall(r"00 to 04 take (\d+) minutes", routes)
    assert int(minutes) == spine
    (hours,) = re.findall(r"everything takes (\d+) hours", routes)
    assert int(hours) == round(sum(told.values()) / 60)
