"""Pages of exercises: each snippet is code, laid out as code; a slip is one change that shows."""

import inspect
from importlib import import_module
from importlib.util import find_spec

import pytest
from common import ROOT, rows

import bpe_teach.exercises
from bpe_teach.exercises.page import Page

PAGES = sorted(path for path in ROOT.glob("bpe_*/exercises/*.md") if path.name != "README.md")

PAGE = """\
# Exercises of notebook 99: an example

[TWICE]: that is twice too much.

## double
write double(number): twice a number.

    def double(number):
        return number * 2

    double(3) == 6
    double(0) == 0

draw: (chance.randint(0, 9),)
? add it to itself.
✗ double_once: [TWICE]
    * 2 → * 4
✗ double_squared: that is the square: 3 becomes 9,
  not 6.
    return number**2

## bytes_of_e
how many bytes does é have?

✓ 2: it is beyond ASCII.
✗ 1: a byte is not a character.
"""


def write(tmp_path, text=PAGE) -> Page:
    path = tmp_path / "example.md"
    path.write_text(text, "utf-8")
    return Page(path)


def test_a_page_becomes_exercises(tmp_path):
    made = write(tmp_path).made
    assert str(made["double"].check(lambda n: n + n)) == "✓ right: on 202 inputs"
    wrong = made["double"].check(lambda n: n * n)
    assert wrong.text == "double(3) gives 9, not 6 – that is the square: 3 becomes 9, not 6."
    assert made["double"].slips[0][0](5) == 20
    assert made["double"].slips[0][1] == "that is twice too much."
    assert made["double"].source() == "def double(number):\n    return number * 2"
    assert made["bytes_of_e"].check(1).text == "1 – a byte is not a character."


@pytest.mark.parametrize(("old", "new", "fault"), rows("pages/faults"))
def test_an_error_names_page_and_line(tmp_path, old, new, fault):
    with pytest.raises(ValueError, match=fault):
        write(tmp_path, PAGE.replace(old, new))


def test_python_names_the_line_of_a_page_too(tmp_path):
    with pytest.raises(SyntaxError) as raised:
        write(tmp_path, PAGE.replace("return number * 2", "return number *"))
    assert (raised.value.filename, raised.value.lineno) == (str(tmp_path / "example.md"), 9)


def test_a_page_is_imported_as_a_module_is_and_a_file_of_python_comes_first():
    for name, path in bpe_teach.exercises.PAGES.items():
        found = find_spec(bpe_teach.exercises.FULL_NAMES[name]).origin
        assert found in (str(path), str(path.with_name(f"{name}.py")))
    with pytest.raises(ModuleNotFoundError, match="no_such_page"):
        import_module("bpe_teach.exercises.no_such_page")


def test_a_solution_is_shown_as_it_is_on_its_page():
    from bpe_teach.exercises import char_bpe

    assert "    " not in char_bpe.merge.source().splitlines()[0]
    assert inspect.getsource(char_bpe.merge.solve).startswith("    def merge(word, pair):")
    assert bpe_teach.exercises.__doc__
