"""Facts about the project that are in several places are the same in all of them, and true."""

import hashlib
import re
import shutil
import subprocess
import sys
import tomllib

import pytest
from common import NOTEBOOKS, ROOT, rows

import bpe_teach
from bpe_further.__main__ import main  # noqa: F401 - a row of the table uses it
from bpe_teach.corpora import CORPORA

START = (
    'python -m pip install -e ".[notebooks]" && '
    "python -m jupyter lab --notebook-dir=. notebooks/00_start_here.ipynb"
)
TEST = 'python -m pip install -e ".[test]" && python -m pytest -n auto'


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


PYPROJECT = tomllib.loads(page("pyproject.toml"))
PROJECT = PYPROJECT["project"]
REF = PYPROJECT["tool"]["bpe-teach"]["ref"]
REPOSITORY = PROJECT["urls"]["Repository"]
COLAB = REPOSITORY.replace("https://github.com", "https://colab.research.google.com/github")
BINDER = REPOSITORY.replace("https://github.com", "https://mybinder.org/v2/gh")
(AUTHOR,) = PROJECT["authors"]
PYTHONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
RUFF = re.findall(r"ruff==(\S+)", page(".ci/run"))

SAID = rows("project/said", globals())


@pytest.mark.parametrize(("name", "part"), SAID)
def test_a_page_says_what_other_places_say(name, part):
    assert part in page(name)


def test_versions_are_the_same_everywhere():
    assert bpe_teach.__version__ == PROJECT["version"]
    assert PROJECT["requires-python"] == f">={PYTHONS[0]}"
    assert len(RUFF) == 1


def test_every_licence_has_its_text():
    first, *others = PROJECT["license"].split(" AND ")
    assert page("LICENSE").startswith(f"{first} License\n")
    files = {path.name for path in ROOT.glob("LICENSE*")}
    assert files == {"LICENSE", *(f"LICENSE-{name}" for name in others)}


# Requirements.


def bounds(requirements: list[str]) -> dict[str, str]:
    """Return package -> lowest version, for requirements like numpy>=2.0."""
    return dict(requirement.split(">=") for requirement in requirements)


def needed(*extras: str) -> dict[str, str]:
    """Return the requirements in pyproject.toml: package -> lowest version."""
    optional = PROJECT["optional-dependencies"]
    return bounds(PROJECT["dependencies"] + [line for extra in extras for line in optional[extra]])


def test_environment_asks_for_what_pyproject_asks_for():
    lines = re.findall(r"^ +- (\S+>=\S+)$", page("environment.yml"), re.MULTILINE)
    assert bounds(lines) == needed("notebooks", "test")


def test_oldest_versions_are_the_lowest_that_pyproject_allows():
    pinned = dict(re.findall(r"^([\w-]+)==(\S+)$", page(".ci/oldest.txt"), re.MULTILINE))
    for package, lowest in needed("test").items():
        assert f"{pinned[package]}.".startswith(f"{lowest}."), package


# The pages.


def blocks(text: str, language: str) -> list[str]:
    """Return the code blocks of a page that are in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def table(text: str, heading: str) -> list[list[str]]:
    """Return the rows of all tables whose first column has this heading."""
    rows = []
    for rest in text.split(f"\n| {heading} |")[1:]:
        rows += rest.partition("\n\n")[0].splitlines()[2:]
    return [[field.strip(" `<>") for field in row.strip("| ").split(" | ")] for row in rows]


def test_readme_has_the_two_commands():
    assert blocks(page("README.md"), "bash") == [f"{START}\n", f"{TEST}\n"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_ci_runs_the_test_command_of_the_readme():
    (extract,) = re.findall(r"^test_command=.*$", page(".ci/run"), re.MULTILINE)
    command = ["bash", "-c", f'{extract}; printf %s "$test_command"']
    assert subprocess.check_output(command, cwd=ROOT, text=True) == TEST


def test_on_an_older_python_an_installation_ends_at_once_and_says_what_it_needs(tmp_path):
    pytest.importorskip("hatchling", reason="a build needs hatchling")
    for name in ("README.md", "LICENSE", ".ci/needs_python.py"):
        copy = tmp_path / name
        copy.parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, copy)
    newer = page("pyproject.toml").replace(
        'requires-python = ">=3.11"', 'requires-python = ">=9.1"'
    )
    (tmp_path / "pyproject.toml").write_text(newer, "utf-8")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert done.returncode == 1
    assert "This package needs Python >=9.1; this is Python 3." in done.stderr


def test_readme_examples_print_what_they_say(tmp_path, says):
    for example, printed in zip(
        blocks(page("README.md"), "python"), blocks(page("README.md"), "text"), strict=True
    ):
        command = [sys.executable, "-X", "utf8", "-c", example]
        output = subprocess.check_output(command, cwd=tmp_path).decode()
        assert output.split() == printed.split()  # a page has shorter lines
    says("which misconception is behind it")


@pytest.mark.parametrize("name", rows("project/linking"))
def test_links_lead_somewhere_and_no_page_names_another_address(name):
    folder = (ROOT / name).parent
    for link in re.findall(r"\]\(([^)\s]+)\)", page(name)):
        assert "://" in link or folder.joinpath(link.partition("#")[0]).exists(), link
    _, _, repository = REPOSITORY.partition("github.com/")
    project = repository.partition("/")[2]
    named = re.findall(rf"github(?:\.com)?/([\w.-]+/{project}[\w-]*)", page(name))
    assert set(named) <= {repository}


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", ".pre-commit-config.yaml"])
def test_files_to_run_are_there(name):
    commands = re.findall(r"python -m pytest.*|^\| .*", page(name), re.MULTILINE)
    pattern = r"\b(?:tests|bpe_\w+)(?:/\w+)+\b(?:\.py)?"
    named = set(re.findall(pattern, "\n".join(commands)))
    assert len(named) > 2
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_readme_and_the_page_for_teachers_agree_on_the_notebooks():
    told = table(page("notebooks/README.md"), "notebook")
    rows = table(page("README.md"), "notebook")
    rows += table(page("site/routes.md").replace("](../", "]("), "notebook")
    assert len(rows) == len(NOTEBOOKS)
    for notebook, _, minutes, badge in rows:
        (long,) = (row[1] for row in told if notebook.partition("]")[0] in row[0])
        assert long.partition(",")[0] == minutes, notebook
        stem, name = re.search(r"\[(\w+)\]\((notebooks/[\w/]+\.ipynb)\)", notebook).groups()
        assert name.endswith(f"/{stem}.ipynb") and (ROOT / name).is_file()
        assert f"### {stem} " in page("notebooks/README.md")
        assert badge.endswith(f"]({COLAB}/blob/{REF}/{name})")


def test_the_ref_is_main_this_version_or_known_to_git():
    known = ["main", f"v{PROJECT['version']}"]  # whose tag is set on the commit that names it
    command = ["git", "for-each-ref", "--format=%(refname:lstrip=-1)"]
    if shutil.which("git"):
        known += subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.split()
    assert REF in known


def test_data_card_describes_the_files_and_lists_the_downloads():
    rows = table(page("data/README.md"), "file")
    card = {name: (int(size), digest) for name, _, _, size, digest in rows}
    files = [path for path in (ROOT / "data").glob("*.*") if path.name != "README.md"]
    contents = {path.name: path.read_bytes() for path in files}
    assert set(card) == {corpus.file for corpus in CORPORA.values() if not corpus.url}
    assert card == {
        name: (len(content), hashlib.sha256(content).hexdigest())
        for name, content in contents.items()
    }
    downloads = [corpus for corpus in CORPORA.values() if corpus.url]
    rows = [[corpus.name, corpus.file, corpus.url, corpus.sha256] for corpus in downloads]
    assert table(page("data/README.md"), "name for `load_corpus`") == rows
