"""Answers as learners write them: what is right passes, whatever its shape."""

import pytest
from common import ROOT
from test_exercises import EXERCISES, run_answer

from bpe_teach.exercises import PAGES

NUMBERS = {path.name.partition("_")[0]: name for name, path in PAGES.items()}  # of notebooks
RIGHT = {}  # exercise -> the functions
for section in (ROOT / "tests" / "right_answers.md").read_text("utf-8").split("\n## ")[1:]:
    heading, _, blocks = section.partition("\n")
    number, function = heading.split()
    RIGHT[f"{NUMBERS[number]}.{function}"] = blocks.strip().split("\n\n")


def test_there_are_two_right_answers_or_more_for_each_function():
    assert min(map(len, RIGHT.values())) >= 2


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right_is_never_refused_whatever_its_shape(name, some_inputs, judged_here):
    refused = {}
    for code in RIGHT[name]:
        verdict = EXERCISES[name]._judge(run_answer(name, code))
        if not verdict.kind.startswith("right"):
            refused[code] = verdict.text
    assert refused == {}
