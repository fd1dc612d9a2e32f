"""The rules of the house: imports one way, public names, a quick start, docstrings, examples."""

import ast
import importlib.util
import inspect
import json
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest
from common import NOTEBOOKS, rows

import bpe_further
import bpe_teach

# The second imports the first, never the other way round.
PACKAGES = [Path(package.__file__).parent for package in (bpe_teach, bpe_further)]
PACKAGE, FURTHER = PACKAGES
FILES = [file for package in PACKAGES for file in sorted(package.rglob("*.py"))]
SLOW = ["pandas", "matplotlib", "torch", "tqdm", "requests", "pooch"]
# module -> the number of the notebook that introduces it, "–" for none; in reading order
ORDER = {}
for package in PACKAGES:
    rows_of = (package / "README.md").read_text("utf-8")
    for name, number in re.findall(r"(?m)^\| \[([\w.]+)\]\(\S+\) \| (\d\w+|–) \| \w", rows_of):
        ORDER[f"{package.name}.{name}"] = number


def module_name(file: Path) -> str:
    """Name a module: "bpe_teach.pairs", "bpe_further.variants.unigram"."""
    (package,) = [package for package in PACKAGES if file.is_relative_to(package)]
    return ".".join(file.relative_to(package.parent).with_suffix("").parts)


MODULES = {module_name(file): file for file in FILES if not file.stem.startswith("__")}


def house_imports(source: str) -> set[str]:
    """Return the modules of the packages that a source text imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), "bpe_teach")
            names = [f"{base}.{alias.name}" for alias in node.names]
            if base.partition(".")[0] not in ("bpe_teach", "bpe_further"):
                continue
            is_folder = importlib.util.find_spec(base).submodule_search_locations is not None
            found.update(names if is_folder else [base])
    return {name for name in found if name.split(".")[0] in ("bpe_teach", "bpe_further")}


@pytest.mark.parametrize(("source", "names"), rows("house/imports", globals()))
def test_the_check_of_imports_sees_every_way_to_write_one(source, names):
    assert house_imports(source) == names


def room_of(name: str) -> str:
    """Return the room of a module."""
    return name.rpartition(".")[0]


def test_the_reading_order_names_every_module_once_and_each_room_in_one_piece():
    assert sorted(ORDER) == sorted(MODULES)
    rooms = [room for room, _ in groupby(ORDER, room_of) if "." in room]
    assert len(rooms) == len(set(rooms))


def test_the_core_comes_first_and_imports_no_room():
    headings = re.split(r"(?m)^## ", (PACKAGE / "README.md").read_text("utf-8"))[1:]
    core = re.findall(r"(?m)^\| \[([\w.]+)\]", headings[0])
    assert headings[0].startswith("The core\n") and not any("." in name for name in core)
    names = {f"bpe_teach.{name}" for name in core}
    for name in names:
        assert house_imports(MODULES[name].read_text("utf-8")) <= names


def test_the_first_package_imports_nothing_from_the_second():
    for name, file in MODULES.items():
        if name.startswith("bpe_teach."):
            imported = house_imports(file.read_text("utf-8"))
            assert not [other for other in imported if other.startswith("bpe_further")], name


def test_no_class_is_made_from_one_that_stands_below_it():
    """So the classes go round in no circle either, whatever was set on them later."""
    place = {name: number for number, name in enumerate(ORDER)}
    for name in ORDER:
        if name != "bpe_further.measure.lm":  # needs PyTorch
            for _, kind in inspect.getmembers(importlib.import_module(name), inspect.isclass):
                for base in kind.__mro__[1:]:
                    if kind.__module__ in place and base.__module__ in place:
                        assert place[base.__module__] <= place[kind.__module__], (kind, base)


CORE = ["pairs", "symbols", "patterns", "schemes", "learn", "encode", "storage", "tokenizer"]
CORE = [f"bpe_teach.{name}" for name in CORE]


def test_a_module_imports_only_what_is_above_it():
    """So no modules import each other in a circle."""
    above = set()
    for name in ORDER:
        imported = house_imports(MODULES[name].read_text("utf-8"))
        assert imported & set(MODULES) <= above, name  # a page of exercises is no module in a file
        above.add(name)


WITHOUT_ROOMS = """
import json, sys

class NoRooms:
    def find_spec(self, name, path=None, target=None):
        if name.startswith("bpe_teach.") and name.split(".")[1] not in ALLOWED:
            raise ImportError(name)

ALLOWED, (texts, folder) = json.loads(sys.argv[1]), json.loads(sys.stdin.read())
sys.meta_path.insert(0, NoRooms())
package = type(sys)("bpe_teach")
package.__path__ = [sys.argv[2]]  # without the imports of its __init__
sys.modules["bpe_teach"] = package
from bpe_teach.tokenizer import PlainTokenizer
from bpe_teach.schemes import SCHEMES
for name, scheme in SCHEMES.items():
    options = {"scheme": name, "num_merges": 60, "special_tokens": ["<|end|>"]}
    options["unk_token"] = "<unk>" if scheme.units is str else None
    tok = PlainTokenizer.train(texts[0], **options)
    tok.save(f"{folder}/{name}.json")
    tok = PlainTokenizer.load(f"{folder}/{name}.json")
    ids = [tok.encode(text, allowed_special="all") for text in texts]
    print(json.dumps([name, ids, [tok.decode(one) for one in ids]]))
"""


def test_without_any_room_the_core_trains_encodes_decodes_saves_and_loads_the_same(tmp_path, story):
    texts = [story[:1500], "She saw<|end|> the low light, lower\n\tlight." + story[40:400]]
    allowed = [*(name.partition(".")[2] for name in CORE), "files"]
    command = [sys.executable, "-c", WITHOUT_ROOMS, json.dumps(allowed), str(PACKAGE)]
    sent = json.dumps([texts, str(tmp_path)])
    run = subprocess.run(command, input=sent, capture_output=True, text=True, check=True)
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    assert [name for name, _, _ in answers] == list(bpe_teach.SCHEMES)
    for name, ids, decoded in answers:
        options = {"scheme": name, "num_merges": 60, "special_tokens": ["<|end|>"]}
        options["unk_token"] = "<unk>" if bpe_teach.SCHEMES[name].units is str else None
        fast = bpe_teach.Tokenizer.train(texts[0], **options)
        assert [fast.encode(text, allowed_special="all") for text in texts] == ids
        assert list(map(fast.decode, ids)) == decoded
        fast.save(tmp_path / "fast.json")
        plain = (tmp_path / f"{name}.json").read_bytes()
        assert (tmp_path / "fast.json").read_bytes() == plain


@pytest.mark.parametrize("number", sorted({*ORDER.values()} - {"–"}))
def test_a_notebook_names_the_modules_that_it_introduces(number):
    (file,) = [path for path in NOTEBOOKS if path.name.startswith(f"{number}_")]
    cells = json.loads(file.read_text("utf-8"))["cells"]
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    named = re.findall(r"\b(bpe_(?:teach|further)/[\w/]+)\.py\b", text)
    introduced = [name for name, where in ORDER.items() if where == number]
    assert set(introduced) <= {name.replace("/", ".") for name in named}


def test_importing_the_package_loads_nothing_slow():
    code = f"import sys, bpe_teach; print([name for name in {SLOW} if name in sys.modules])"
    command = [sys.executable, "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, cwd=PACKAGE.parent, check=True)
    assert run.stdout.strip() == "[]"


def test_every_public_name_can_be_had():
    for package in (bpe_teach, bpe_further):
        assert all(getattr(package, name) is not None for name in package.__all__)
        assert set(package.__all__) <= set(dir(package))


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        bpe_teach.no_such_name  # noqa: B018


SHOWN_ELSEWHERE = rows("house/shown_elsewhere", globals())


def public_objects():
    """Yield name and object of everything public, with the methods of Tokenizer."""
    for package in (bpe_teach, bpe_further):
        for name in package.__all__:
            if not inspect.ismodule(getattr(package, name)):
                yield name, getattr(package, name)
    for name, method in inspect.getmembers(bpe_teach.Tokenizer):
        if not name.startswith("_"):
            yield f"Tokenizer.{name}", method


def test_everything_public_shows_a_worked_example():
    without = [name for name, item in public_objects() if ">>>" not in (item.__doc__ or "")]
    assert set(without) <= set(SHOWN_ELSEWHERE)
