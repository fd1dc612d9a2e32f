"""Estimates of minutes: the spine is an afternoon, and pages say how long each notebook may take.

An estimate is a formula for a first reading, not an observation: reading speed, and so many minutes
for each thing to do. Exercises after "Your turn" are homework, and what is there isn't counted.
"""

import json
import re
from functools import cache
from importlib import import_module

from common import NOTEBOOKS, ROOT

from bpe_teach.exercises import FULL_NAMES
from bpe_teach.exercises.exercise import Function, Hunt, Value

WORDS_A_MINUTE = 150
SECONDS = {"code lines": 5, "outputs": 15}
MINUTES = {Function: 8, Hunt: 5, Value: 1.5}  # to find an answer
HOMEWORK = "## Your turn"
WHERE = "the table of README.md or site/routes.md, and in notebooks/README.md"
TABLE = re.compile(r"^\| \[(\w+)\]\([^)]*\) \| [^|]+ \| (\d+) \|", re.MULTILINE)


def minutes_for(module, name: str) -> float:
    """Return how long an exercise takes; nothing for anything else."""
    exercise = getattr(module, name, None)
    return next((MINUTES[kind] for kind in MINUTES if isinstance(exercise, kind)), 0)


@cache
def estimate(path) -> int:
    """Return in how many minutes a notebook may be read and done, without its references."""
    prose, code, outputs, asked, homework = [], 0, 0, set(), False
    modules = {}  # the name by which a notebook calls a module of exercises -> the module
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            homework = homework or source.startswith(HOMEWORK)
            prose += source.partition("## References")[0].split()
            continue
        code += len([line for line in source.splitlines() if line.strip()])
        outputs += len(cell["outputs"])
        found = re.findall(r"^from bpe_\w+\.exercises import (\w+)(?: as (\w+))?", source, re.M)
        for name, short in found:
            modules[short or name] = import_module(FULL_NAMES[name])
        for short, name in re.findall(r"\b(\w+)\.(\w+)\.(?:check|use)\(", source):
            if short in modules and not homework:
                asked.add((modules[short], name))
    minutes = len(prose) / WORDS_A_MINUTE + sum(minutes_for(*exercise) for exercise in asked)
    minutes += (code * SECONDS["code lines"] + outputs * SECONDS["outputs"]) / 60
    for module in modules.values():  # the questionnaire is answered as a whole
        minutes += MINUTES[Value] * len(getattr(module, "FORMS", {}).get("A", ()))
    return round(minutes)


def test_the_spine_is_an_afternoon():
    assert sum(estimate(path) for path in NOTEBOOKS if re.match("0[0-4]_", path.name)) <= 300


def test_pages_say_how_long_each_takes_and_their_sums():
    readme = (ROOT / "README.md").read_text("utf-8")
    routes = (ROOT / "site" / "routes.md").read_text("utf-8")
    told = {name: int(minutes) for name, minutes in TABLE.findall(readme + routes)}
    assert set(told) == {path.stem for path in NOTEBOOKS}
    # Told are multiples of five. An exercise more or a sentence less need not change any page.
    far_off = {
        path.stem: f"say {5 * round(estimate(path) / 5)} in {WHERE}, not {told[path.stem]}"
        for path in NOTEBOOKS
        if abs(estimate(path) - told[path.stem]) > 7
    }
    assert far_off == {}
    spine = sum(minutes for name, minutes in told.items() if re.match("0[0-4]_", name))
    (minutes,) = re.findall(r"00 to 04 take (\d+) minutes", routes)
    assert int(minutes) == spine, "the sum of 00 to 04, in site/routes.md"
    (hours,) = re.findall(r"everything takes (\d+) hours", routes)
    assert int(hours) == round(sum(told.values()) / 60), "the sum of all, in site/routes.md"
