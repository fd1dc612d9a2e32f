"""The rules of the house: order of imports, quick start, short modules, a docstring everywhere."""

import ast
import hashlib
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import bpe_teach

ORDER = [
    *(
        "pairs",
        "symbols",
        "patterns",
        "schemes",
        "learn",
        "encode",
        "fast",
        "storage",
        "words",
        "tokenizer",
    ),
    *(
        "compression",
        "corpora",
        "plots",
        "show",
        "aligned",
        "film",
        "formats",
        "interop",
        "lm",
        "files",
        "cli",
    ),
]
SLOW = ["pandas", "matplotlib", "torch"]
MAX_LINES = 220
PACKAGE = Path(bpe_teach.__file__).parent
FILES = sorted(PACKAGE.glob("*.py"))
MODULES = [file for file in FILES if not file.stem.startswith("__")]
DATA = PACKAGE.parent / "data"


def imported(tree):
    """Yield the modules of this package that a module imports, "" for the package itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), "bpe_teach")
            names = [f"{base}.{alias.name}" for alias in node.names]
            yield from names if base == "bpe_teach" else [base]


def house_imports(source):
    """Return the names of the modules of this package that a source text imports."""
    parts = [name.split(".") for name in imported(ast.parse(source))]
    return {(*part, "")[1] for part in parts if part[0] == "bpe_teach"}


def parsed(file):
    return ast.parse(file.read_text("utf-8"))


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import bpe_teach.show", {"show"}),
        ("import bpe_teach", {""}),
        ("from bpe_teach import pairs, Tokenizer", {"pairs", "Tokenizer"}),
        ("def f():\n    from bpe_teach.fast import Row", {"fast"}),
        ("from .learn import Merge", {"learn"}),
        ("import regex, os", set()),
    ],
)
def test_the_check_of_imports_sees_every_way_to_write_one(source, names):
    assert house_imports(source) == names


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.stem)
def test_imports_run_strictly_downward(file):
    assert file.stem in ORDER, "a new module needs a place in the order"
    above = set(ORDER[: ORDER.index(file.stem)])
    assert house_imports(file.read_text("utf-8")) <= above


def test_importing_the_package_loads_nothing_slow():
    code = f"import sys, bpe_teach; print([name for name in {SLOW} if name in sys.modules])"
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent, check=True
    )
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("name", bpe_teach.__all__)
def test_every_public_name_can_be_had_or_waits_for_its_module(name):
    module = bpe_teach.LAZY.get(name)
    if module and not (PACKAGE / f"{module}.py").exists():
        pytest.skip(f"module {module} does not exist yet")
    assert getattr(bpe_teach, name) is not None
    assert name in dir(bpe_teach)


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        bpe_teach.no_such_name  # noqa: B018


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_module_is_long(file):
    assert len(file.read_text("utf-8").splitlines()) <= MAX_LINES


def undocumented(tree):
    """Name the public functions, classes and methods without a docstring; the module too."""
    missing = [] if ast.get_docstring(tree) else ["the module"]
    for parent in [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]:
        for node in parent.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                missing += [] if ast.get_docstring(node) else [node.name]
    return missing


def test_the_check_of_docstrings_finds_what_has_none():
    source = "def f(): ...\nclass A:\n    def g(self): ...\n    def _h(self): ...\n"
    assert undocumented(ast.parse(source)) == ["the module", "f", "A", "g"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_everything_public_has_a_docstring(file):
    assert undocumented(parsed(file)) == []


@pytest.mark.parametrize(
    "file",
    [f for f in sorted(DATA.glob("*")) if f.is_file() and f.name != "README.md"],
    ids=lambda file: file.name,
)
def test_the_data_card_gives_the_size_and_hash_of_every_text(file):
    card = (DATA / "README.md").read_text("utf-8")
    rows = [[cell.strip(" `") for cell in line.split("|")] for line in card.splitlines()]
    (row,) = (row for row in rows if file.name in row)
    content = file.read_bytes()
    assert str(len(content)) in row
    assert hashlib.sha256(content).hexdigest() in row
