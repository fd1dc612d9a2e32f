"""Whole programs with one slip each: if a stranger's program answers like one, its slip is known.

The page whole_programs.md says which parts the plain program has, and which parts a slip replaces.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from bpe_teach.exercises.page import Page
from bpe_teach.exercises.sections import Section


@dataclass(frozen=True, eq=False)
class Slip:
    """A misconception: its name, what is wrong, and the notebook that explains it."""

    name: str
    why: str
    notebook: str
    parts: Mapping[str, object]  # parts that replace those of the plain program


class _Programs(Page):
    """The page: each heading is a notebook, with the slips that the notebook explains below."""

    def add(self, section: Section) -> None:
        self.run(section.code)
        for item in section.all("slip"):
            name, _, why = item.text.partition(": ")
            parts = self.evaluate("\n".join(item.code), item.line + 1)
            self.made[name] = Slip(name, why, section.name, parts)


PAGE = _Programs(Path(__file__).with_suffix(".md"))
PLAIN = PAGE.space["Answers"]({})  # the program without a slip


def _of_exercises() -> Iterator[Slip]:
    for exercise, notebook, make_parts in PAGE.space["OF_EXERCISES"]:
        for wrong, why in exercise.slips:
            name = wrong.__name__.strip("_")
            parts = make_parts(wrong)
            if name not in PAGE.space["LEFT_OUT"] and parts:
                name = PAGE.space["NAMES"].get(name, name)
                yield Slip(name, PAGE.space["WHYS"].get(name, why), notebook, parts)


SLIPS = {slip.name: slip for slip in [*_of_exercises(), *PAGE.made.values()]}


def answer(request: Mapping, slip: Slip | None = None) -> dict:
    """Return the answer of the plain program, or of the program with a given slip.

    >>> answer({"do": "encode_word", "word": ["a", "b"], "merges": [["a", "b"]]})
    {'tokens': ['ab']}
    >>> answer({"do": "decode", "ids": [195], "merges": []}, SLIPS["decode_dropping"])
    {'text': ''}
    """
    program = PAGE.space["Answers"](slip.parts if slip else {})
    given = {key: value for key, value in request.items() if key not in ("id", "do")}
    try:
        return getattr(program, request["do"])(**given)
    except Exception as error:  # a slip may fail in any way
        return {"error": f"{type(error).__name__}: {error}"}
