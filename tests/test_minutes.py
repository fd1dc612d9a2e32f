"""Estimates of minutes: the spine is an afternoon, and pages say how long each notebook may take.

An estimate is a formula for a first reading, not an observation: reading speed, and so many minutes
for each thing to do. Exercises after "Your turn" are homework, and what is there isn't counted.
"""

import json
import re
from functools import cache
from importlib import import_module
from itertools import groupby

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


def number_of_outputs(cell) -> int:
    """Return how many outputs a reader sees: a kernel may send what is printed in several parts."""
    return len(list(groupby(cell["outputs"], key=printed_on)))


def printed_on(output):
    return output["name"] if output["output_type"] == "stream" else id(output)


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
        outputs += number_of_outputs(cell)
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


def test_what_is_printed_in_parts_is_one_output():
    part = {"output_type": "stream", "name": "stdout", "text": ["a\n"]}
    shown = {"output_type": "display_data", "data": {}}
    assert number_of_outputs({"outputs": [part, part, shown, dict(shown), part]}) == 4


def is_of_the_afternoon(path) -> bool:
    return re.match("0[0-4]_", path.name) is not None


AFTERNOON = 330  # minutes: from one o'clock to half past six


def minutes_of_the_afternoon() -> int:
    return sum(map(estimate, filter(is_of_the_afternoon, NOTEBOOKS)))


def test_the_spine_is_an_afternoon(says):
    minutes = minutes_of_the_afternoon()
    assert minutes <= AFTERNOON, (
        f"00 to 04 would take {minutes} minutes, more than an afternoon has: is there something "
        f"that nobody needs, or that may be homework, below {HOMEWORK!r}?"
    )
    says("in about five hours")


def test_pages_say_how_long_each_takes_and_their_sums():
    readme = (ROOT / "README.md").read_text("utf-8")
    routes = (ROOT / "site" / "routes.md").read_text("utf-8")
    told = {name: int(minutes) for name, minutes in TABLE.findall(readme + routes)}
    assert set(told) == {path.stem for path in NOTEBOOKS}
    # Told are multiples of five. An exercise more or a sentence less need not change any page.
    wrong = []
    for path in NOTEBOOKS:
        if is_of_the_afternoon(path) and minutes_of_the_afternoon() > AFTERNOON:
            continue  # the test above says what to do first
        if abs(estimate(path) - told[path.stem]) > 7:
            told[path.stem] = 5 * round(estimate(path) / 5)
            wrong.append(f"{path.stem}: say {told[path.stem]} in {WHERE}")
    spine = sum(minutes for name, minutes in told.items() if re.match("0[0-4]_", name))
    if f"00 to 04 take {spine} minutes" not in routes:
        wrong.append(f"site/routes.md: say 00 to 04 take {spine} minutes")
    hours = round(sum(told.values()) / 60)
    if f"everything takes {hours} hours" not in routes:
        wrong.append(f"site/routes.md: say everything takes {hours} hours")
    assert wrong == []
