"""The faulty programs of notebook 09b: as the notebook shows them, and no smaller input breaks one.

`smallest` is held by trying every smaller input, over an alphabet that has all that matters to the
program: letters that its merges use, or a backslash, or what counts as no sign at all.
"""

import ast
import inspect
from itertools import product
from textwrap import dedent

import pytest
from common import NOTEBOOKS, rows
from nbformat.v4 import reads

from bpe_further.exercises import misconception_lab as lab
from bpe_teach.exercises.comparing import same_outcome
from bpe_teach.exercises.exercise import Hunt, _try
from bpe_teach.exercises.showing import measure_input

(NOTEBOOK,) = [path for path in NOTEBOOKS if path.stem == "09b_misconception_lab"]
HUNTS = {name: hunt for name, hunt in vars(lab).items() if isinstance(hunt, Hunt)}
FREE = " '\"(),[]{}"  # characters that count as no sign


def fails(hunt, given):
    right = _try(hunt.solve, given)
    if right.error:  # not an input for it
        return False
    return not same_outcome(_try(hunt.faulty, given), right, False)


def texts(alphabet, longest):
    for length in range(longest + 1):
        for characters in product(alphabet, repeat=length):
            yield "".join(characters)


def words(alphabet, longest):
    """Return all words over a small alphabet."""
    return ((word,) for word in texts(alphabet, longest))


def words_and_pairs():
    """Return all words of up to two symbols with all pairs; a symbol has one or two characters."""
    symbols = [symbol for symbol in texts("ab\\", 2) if symbol]
    few = [word for length in range(3) for word in product(symbols, repeat=length)]
    return product(few, product(symbols, repeat=2))


def texts_and_numbers(alphabet, longest):
    return product(texts(alphabet, longest), range(10))


def cut_texts_and_numbers():
    """Yield all texts of up to four letters, split in all ways, with all small numbers."""
    for letters in texts("abc", 4):
        for gaps in product(["", " "], repeat=max(len(letters) - 1, 0)):
            text = "".join(letter + gap for letter, gap in zip(letters, (*gaps, ""), strict=False))
            yield from ((text, number) for number in range(10))


def short_lines():
    """Yield each character by itself, and each text that counts as no sign, with a line end."""
    for code_point in range(0x3000):
        yield (chr(code_point) + "\n",)
    for text in texts(FREE, 3):
        yield (text + "\n",)


LETTERS = "".join(sorted(set("".join(lab.LINE.split()))))
SMALLER = dict(rows("misconception_lab/smaller", globals()))


@pytest.mark.slow
@pytest.mark.parametrize("name", HUNTS)
def test_the_smallest_input_fails_and_no_smaller_one_does(name):
    hunt = HUNTS[name]
    assert fails(hunt, hunt.smallest)
    size, _ = measure_input(hunt.smallest)
    smaller = [given for given in SMALLER[name]() if measure_input(given)[0] < size]
    assert smaller
    assert not [given for given in smaller if fails(hunt, given)]


@pytest.mark.parametrize("name", ["encode_1", "encode_2", "encode_3", "ranks_1", "best_pair_1"])
def test_a_smaller_input_would_have_been_found(name):
    hunt = HUNTS[name]
    (word,) = hunt.smallest
    found = [given for given in words(set(word), len(word)) if fails(hunt, given)]
    assert hunt.smallest in found


def functions(source: str) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


def test_the_notebook_shows_the_programs_as_they_are():
    cells = reads(NOTEBOOK.read_text("utf-8"))["cells"]
    code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
    shown = functions("\n".join(source for source in code if "%pip" not in source))
    for name in HUNTS:
        source = dedent(inspect.getsource(getattr(lab, f"_{name}")))
        (own,) = functions(source.replace("TEXT_RANKS", "text_ranks")).values()
        own.name = name
        assert ast.unparse(shown[name]) == ast.unparse(own)


AUTHORS = dict(rows("misconception_lab/authors", globals()))


@pytest.mark.parametrize("name", AUTHORS)
def test_the_authors_own_tests_pass(name):
    hunt = HUNTS[name]
    for given in AUTHORS[name]:
        assert hunt.check(*given).text.endswith("which is right: try another.")


def test_what_is_not_an_input_is_told_apart_from_a_fault():
    for name, given in rows("misconception_lab/no_inputs"):
        assert "is not allowed: " in HUNTS[name].check(*given).text
