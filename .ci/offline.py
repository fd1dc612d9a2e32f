"""Run everything that asks for downloaded texts, without them or the network: python .ci/offline.py

Tests and notebooks that need a text must be skipped with a reason, and nothing may fail.
"""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
NOWHERE = "http://127.0.0.1:9"  # nothing listens there
DOWNLOADED = re.compile(
    "shakespeare|little_prince|indian_names|gpt2_(merges|vocab)|from_gpt2|gpt4o?_ranks"
    "|'vocabularies'"  # a folder
)
SHARED = ["conftest.py", "common.py", "partners.py"]  # in tests/


def definitions(path: Path) -> dict[str, ast.AST]:
    """Return what a file defines, by name: functions, classes and other values."""
    found = {}
    for node in ast.parse(path.read_text("utf-8")).body:
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] = node
            case ast.Assign(targets=targets):
                found |= dict.fromkeys(stored(*targets), node)
    return found


def stored(*nodes: ast.AST) -> set[str]:
    """Return the names to which something is assigned."""
    names = [one for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)]
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def words_of(node: ast.AST) -> Iterator[str]:
    """Yield the names of others in a definition: arguments, and what is got by its name."""
    own = stored(node)
    for one in ast.walk(node):
        match one:
            case ast.Name(id=name) if name not in own:
                yield name
            case ast.arg(arg=name):
                yield name
            case ast.Call(args=[ast.Constant(value=name)]):  # request.getfixturevalue("gpt2")
                yield name


def ask_for_texts(path: Path) -> set[str]:
    """Return the names in a test file that name a downloaded text, or use something that does."""
    parts = {}
    for file in [*(ROOT / "tests" / name for name in SHARED), path]:
        parts |= definitions(file)
    used = {name: {*words_of(node)} & {*parts} for name, node in parts.items()}
    asking = {name for name, node in parts.items() if DOWNLOADED.search(ast.unparse(node))}
    while more := {name for name in parts if used[name] & asking} - asking:
        asking |= more
    return asking


def find_tests() -> list[str]:
    """Return the tests that ask for a downloaded text, as pytest names them."""
    found = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        names = [name for name in definitions(path) if name.startswith("test_")]
        asking = ask_for_texts(path)
        found += [f"{path.relative_to(ROOT)}::{name}" for name in names if name in asking]
    return found


def run_pytest(tests: list[str]) -> str:
    """Return the output of pytest on tests, without texts or network; exit with it on failure."""
    with TemporaryDirectory() as empty:
        proxies = dict.fromkeys(["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"], NOWHERE)
        local = dict.fromkeys(["NO_PROXY", "no_proxy"], "localhost,127.0.0.1")
        environment = {**os.environ, **proxies, **local, "BPE_TEACH_DATA": empty}
        options = ["-m", "slow or not slow", "-rfEs"]  # with few examples of each
        command = [sys.executable, "-m", "pytest", *options, *tests]
        captured = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf-8"}
        done = subprocess.run(command, cwd=ROOT, env=environment, **captured)
    if done.returncode:
        sys.exit(done.stdout)
    return done.stdout


if __name__ == "__main__":
    paths = sorted((ROOT / "notebooks").rglob("[0-9]*.ipynb"))
    notebooks = [path for path in paths if '"corpora"' in path.read_text("utf-8")]
    output = run_pytest(find_tests() + list(map(str, notebooks)))
    print("\n".join(re.findall(r"^(?:skipped|\d+ passed).*", output, re.MULTILINE)))
    for notebook in notebooks:
        if not re.search(rf"SKIPPED.*{notebook.name} needs corpus", output):
            sys.exit(f"{notebook.name} was not skipped")
