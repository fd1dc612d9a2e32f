"""The scope of bpe_teach: what the spine needs, and nothing else.

The spine is the notebooks directly in ``notebooks/``. They run without bpe_further, and together
they need every module of bpe_teach. There is no limit on lines: a module that no notebook of the
spine needs belongs in bpe_further, or nowhere.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from common import NOTEBOOKS, ROOT, parse_cell
from test_house import MODULES, PACKAGE, house_imports

SPINE = [path for path in NOTEBOOKS if path.parent == ROOT / "notebooks"]
OURS = {name: file for name, file in MODULES.items() if name.startswith("bpe_teach.")}
STUB = (PACKAGE / "__init__.pyi").read_text("utf-8")
HOMES = {name: module for module, name in re.findall(r"from (\S+) import (\w+)", STUB)}


def imported_by_notebook(path: Path) -> set[str]:
    """Return the modules that a notebook's imports need, those of public names included."""
    found = set()
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        for node in ast.walk(parse_cell("".join(cell["source"]))):
            if isinstance(node, ast.ImportFrom) and node.module == "bpe_teach":
                found.update(HOMES[alias.name] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module == "bpe_teach.exercises":
                found.add("bpe_teach.exercises.page")  # which makes a module of a page
                page = next(PACKAGE.glob(f"exercises/[0-9]*_{node.names[0].name}.md"))
                found |= imported_by_page(page)
    return found


def imported_by_page(page: Path) -> set[str]:
    """Return the modules that the code of a page of exercises imports."""
    statements = re.findall(r"(?m)^ +(from bpe_teach\S* import .+)", page.read_text("utf-8"))
    found = set()
    for statement in statements:
        (node,) = ast.parse(statement).body
        if node.module == "bpe_teach":
            found.update(HOMES[alias.name] for alias in node.names)
        elif (PACKAGE / "exercises" / f"{node.module.rpartition('.')[2]}.md").exists():
            continue  # samples.md, a page itself
        else:
            found |= house_imports(statement)
    return found


def needed(modules: dict[str, str], first: set[str]) -> set[str]:
    """Return all that is imported from the first modules on, in any number of steps.

    ``modules`` maps the name of each module to its source text.
    """
    found, waiting = set(), set(first)
    while waiting:
        name = waiting.pop()
        if name in found or name not in modules:  # a package, or a page
            continue
        found.add(name)
        waiting |= house_imports(modules[name])
    return found


def unused_imports(source: str) -> list[str]:
    """Return the names that a module imports and never uses: imported only to be loaded."""
    tree = ast.parse(source)
    bound = {}  # name -> how it was imported
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            if getattr(node, "module", "") == "__future__":
                continue
            for alias in node.names:
                bound[(alias.asname or alias.name).partition(".")[0]] = alias.name
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    quoted = " ".join(  # annotations may be texts
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return [name for name in bound if name not in used and not re.search(rf"\b{name}\b", quoted)]


SOURCES = {name: file.read_text("utf-8") for name, file in OURS.items()}
# What the package's own machinery loads: public names, and how a page becomes a module.
MACHINERY = {"bpe_teach.names", "bpe_teach.exercises.page"}


def unneeded(sources: dict[str, str]) -> set[str]:
    """Return the modules that no notebook of the spine needs."""
    first = set().union(MACHINERY, *map(imported_by_notebook, SPINE))
    return set(sources) - needed(sources, first)


def test_the_spine_needs_every_module(says):
    assert unneeded(SOURCES) == set()
    first, *_, last = [path.name.partition("_")[0] for path in SPINE]
    says(f"holds what notebooks {first} to {last} need and nothing else")


def test_a_planted_module_that_nothing_imports_is_seen():
    planted = SOURCES | {"bpe_teach.pictures.spare": "from bpe_teach.pairs import count_pairs\n"}
    assert unneeded(planted) == {"bpe_teach.pictures.spare"}


@pytest.mark.parametrize("name", OURS)
def test_no_module_is_imported_only_to_be_loaded(name):
    assert unused_imports(SOURCES[name]) == []


@pytest.mark.parametrize(
    "planted",
    [
        "from bpe_teach.pictures import spare",
        "import bpe_teach.pictures.spare as spare",
        "from bpe_teach.pictures.spare import nothing  # noqa: F401",
    ],
)
def test_an_import_that_exists_only_to_be_loaded_is_seen(planted):
    assert unused_imports(f"{planted}\n{SOURCES['bpe_teach.pairs']}")


TRACE = '''
import os, sys, threading

known = set()

def watch(frame, event, _):
    """Write down each file of the package in which a function runs, but not while it's imported."""
    code = frame.f_code
    if event != "call" or code.co_filename in known or not code.co_flags & 1:  # 1: a function
        return
    if not code.co_filename.startswith(os.environ["WATCHED"]):
        known.add(code.co_filename)
        return
    above = frame.f_back
    while above is not None:
        if above.f_code.co_name == "<module>" and above.f_code.co_filename == code.co_filename:
            return
        above = above.f_back
    known.add(code.co_filename)
    with open(os.environ["WATCHED_IN"], "a") as file:
        file.write(code.co_filename + "\\n")

threading.setprofile(watch)
sys.setprofile(watch)
'''


# What learners do that no stored notebook shows: wrong answers, a loop without an end, a record,
# a tokenizer on disk.
LEARNER = """
from bpe_teach import Tokenizer
from bpe_teach.exercises import char_bpe as ask

def count_pairs(word):
    counts = {}
    for pair in zip(word, word[1:]):
        counts[pair] = counts.get(pair, 0) + 2
    return counts

ask.count_pairs.check(count_pairs)

def merge(word, pair):
    i = 0
    while i < len(word):
        word[i]  # and i stays 0
    return word

ask.merge.check(merge)

def count_pairs(word):
    counts = {}
    for pair in zip(word, word[1:]):
        counts[pair] += 1  # a KeyError
    return counts

ask.count_pairs.check(count_pairs)

def count_pairs(word):
    return {"no": "pairs"}

ask.count_pairs.check(count_pairs)

def count_pairs(word):
    return {pair: 3 for pair in zip(word, word[1:])}  # for a reason that nobody knows

ask.count_pairs.check(count_pairs)
ask.record("three green herons")
Tokenizer.train("low low", num_merges=2).save("low.json")
Tokenizer.load("low.json")
"""


@pytest.mark.slow
def test_without_the_second_package_the_spine_gives_its_outputs_and_runs_code_of_every_module(
    tmp_path,
):
    """Each notebook is run as a reader runs it, in a kernel in which bpe_further can't be found."""
    beside = tmp_path / "path"
    (beside / "bpe_further").mkdir(parents=True)
    (beside / "bpe_further" / "__init__.py").write_text("raise ImportError('it is not here')\n")
    (beside / "sitecustomize.py").write_text(TRACE)
    folder = tmp_path / "notebooks"
    folder.mkdir()
    for path in SPINE:
        shutil.copy(path, folder)
    cell = {"cell_type": "code", "metadata": {"tags": ["nbval-ignore-output"]}, "outputs": []}
    cell |= {"source": LEARNER, "execution_count": None}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    learner = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}
    (folder / "learner.ipynb").write_text(json.dumps(learner))
    seen = tmp_path / "seen.txt"
    seen.touch()
    paths = [str(beside), str(ROOT), os.environ.get("PYTHONPATH", "")]
    more = {"PYTHONPATH": os.pathsep.join(paths), "WATCHED": str(PACKAGE), "WATCHED_IN": str(seen)}
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(folder)]
    command += ["--nbval", "--nbval-current-env", "--nbval-cell-timeout=600", str(folder)]
    run = subprocess.run(command, env=os.environ | more, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:]
    executed = set(seen.read_text().split("\n"))
    assert {name for name, file in OURS.items() if str(file) not in executed} == set()
