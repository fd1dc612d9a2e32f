"""The rules of the house: order of imports, quick start, docstrings and examples everywhere."""

import ast
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from common import NOTEBOOKS

import bpe_teach

PACKAGE = Path(bpe_teach.__file__).parent
FILES = sorted(PACKAGE.rglob("*.py"))
SLOW = ["pandas", "matplotlib", "torch", "tqdm", "requests", "pooch"]
# module -> the number of the notebook that introduces it, "--" for none; in reading order
ORDER = dict(re.findall(r"^ {4}([\w.]+) +(\d\w+|--)  \w", bpe_teach.__doc__, re.MULTILINE))


def module_name(file: Path) -> str:
    """Name a module as the reading order does: "pairs", "pictures.tokens"."""
    return ".".join(file.relative_to(PACKAGE).with_suffix("").parts)


MODULES = {module_name(file): file for file in FILES if not file.stem.startswith("__")}


def house_imports(source: str) -> set[str]:
    """Return the modules of this package that a source text imports; "" is the package itself."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), "bpe_teach")
            names = [f"{base}.{alias.name}" for alias in node.names]
            if base.partition(".")[0] != "bpe_teach":
                continue
            is_folder = importlib.util.find_spec(base).submodule_search_locations is not None
            found.update(names if is_folder else [base])
    inside = [name.partition(".")[2] for name in found if name.split(".")[0] == "bpe_teach"]
    return set(inside)


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import bpe_teach.pictures.plots", {"pictures.plots"}),
        ("import bpe_teach", {""}),
        ("from bpe_teach import pairs, Tokenizer", {"pairs", "Tokenizer"}),
        ("from bpe_teach.pictures import tokens", {"pictures.tokens"}),
        ("def f():\n    from bpe_teach.pictures.film import training_film", {"pictures.film"}),
        ("from .learn import Merge", {"learn"}),
        ("import regex, os", set()),
    ],
)
def test_the_check_of_imports_sees_every_way_to_write_one(source, names):
    assert house_imports(source) == names


def test_the_reading_order_names_every_module_once():
    assert sorted(ORDER) == sorted(MODULES)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_only_what_stands_above_it_in_the_reading_order(name):
    order = list(ORDER)
    above = set(order[: order.index(name)])
    assert house_imports(MODULES[name].read_text("utf-8")) <= above


@pytest.mark.parametrize("number", sorted({*ORDER.values()} - {"--"}))
def test_a_notebook_names_the_modules_that_it_introduces(number):
    (file,) = [path for path in NOTEBOOKS if path.name.startswith(f"{number}_")]
    cells = json.loads(file.read_text("utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    named = re.findall(r"\bbpe_teach/([\w/]+)\.py\b", text)
    introduced = [name for name, where in ORDER.items() if where == number]
    assert set(introduced) <= {name.replace("/", ".") for name in named}


def test_importing_the_package_loads_nothing_slow():
    code = f"import sys, bpe_teach; print([name for name in {SLOW} if name in sys.modules])"
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE.parent, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("name", bpe_teach.__all__)
def test_every_public_name_can_be_had(name):
    assert getattr(bpe_teach, name) is not None
    assert name in dir(bpe_teach)


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        bpe_teach.no_such_name  # noqa: B018


def lacking(tree: ast.Module) -> list[str]:
    """Name the public functions, classes and methods without a docstring; the module too.

    What a solution does is said by its exercise, and it is shown to learners as it stands.
    """
    missing = [] if ast.get_docstring(tree) else ["the module"]
    for parent in [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]:
        for node in parent.body:
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            if not node.name.startswith(("_", "solve_")) and not ast.get_docstring(node):
                missing.append(node.name)
    return missing


def test_the_check_of_docstrings_finds_what_has_none():
    source = "def f(): ...\nclass A:\n    def g(self): ...\n    def _h(self): ...\n"
    assert lacking(ast.parse(source)) == ["the module", "f", "A", "g"]


@pytest.mark.parametrize("file", FILES, ids=module_name)
def test_everything_public_has_a_docstring(file):
    assert lacking(ast.parse(file.read_text("utf-8"))) == []


SHOWN_ELSEWHERE = {  # public, without an example of their own
    "Scheme",  # a table row: SCHEMES has nine examples
    "SCHEMES",
    "Tokenizer.load",  # in the example of save
    "from_gpt2",  # needs a download
}


def public_objects():
    """Yield the name and the object of all that can be imported, and the methods of Tokenizer."""
    for name in bpe_teach.__all__:
        yield name, getattr(bpe_teach, name)
    for name, method in vars(bpe_teach.Tokenizer).items():
        if not name.startswith("_"):
            yield f"Tokenizer.{name}", method


def test_everything_public_shows_a_worked_example():
    without = [name for name, item in public_objects() if ">>>" not in (item.__doc__ or "")]
    assert set(without) <= SHOWN_ELSEWHERE
