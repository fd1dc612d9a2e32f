"""What the project says of itself in several places is the same in all of them, and true."""

import hashlib
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import bpe_teach
from bpe_teach.corpora import CORPORA

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REPOSITORY = PROJECT["urls"]["Repository"]
PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "notebooks/README.md", "data/README.md"]
START = (
    'python -m pip install -e ".[notebooks]" && '
    "python -m jupyter lab --notebook-dir=. notebooks/00_start_here.ipynb"
)
TEST = 'python -m pip install -e ".[test]" && python -m pytest'


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    """Return the code blocks of a page that are in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def table(text: str, heading: str) -> list[list[str]]:
    """Return the rows of the table whose first column has this heading."""
    _, _, rest = text.partition(f"| {heading} |")
    rows = rest.partition("\n\n")[0].splitlines()[2:]
    return [[field.strip(" `<>") for field in row.strip("| ").split(" | ")] for row in rows]


def bounds(requirements: list[str]) -> dict[str, str]:
    """Return package -> lowest version, for requirements like numpy>=2.0."""
    return dict(requirement.split(">=") for requirement in requirements)


def needed(*extras: str) -> dict[str, str]:
    """Return what pyproject.toml asks for: package -> lowest version."""
    optional = PROJECT["optional-dependencies"]
    return bounds(PROJECT["dependencies"] + [line for extra in extras for line in optional[extra]])


def test_environment_asks_for_what_pyproject_asks_for():
    lines = re.findall(r"^ +- (\S+)$", page("environment.yml"), re.MULTILINE)
    conda = bounds([line for line in lines if ">=" in line])
    assert conda == needed("notebooks", "test")
    assert "python=3.12" in lines
    assert "- pip:\n      - -e .\n" in page("environment.yml")


def test_oldest_versions_are_the_lowest_that_pyproject_allows():
    pinned = dict(re.findall(r"^([\w-]+)==(\S+)$", page(".ci/oldest.txt"), re.MULTILINE))
    for package, lowest in needed("test").items():
        assert f"{pinned[package]}.".startswith(f"{lowest}."), package


def test_readme_has_the_two_commands():
    commands = [block.strip() for block in blocks(page("README.md"), "bash")]
    assert commands == [START, TEST]


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_ci_runs_the_test_command_of_the_readme():
    script = page(".ci/run")
    (extract,) = re.findall(r"^test_command=.*$", script, re.MULTILINE)
    run = ["bash", "-c", f'{extract}; printf %s "$test_command"']
    assert subprocess.run(run, cwd=ROOT, capture_output=True, text=True).stdout == TEST
    assert 'bash -c "$test_command"' in script


def test_the_workflow_runs_the_checks_and_the_test_command_on_the_versions_we_name():
    workflow = page(".github/workflows/check.yml")
    assert "- run: bash .ci/run\n" in workflow
    assert f"run: {TEST}\n" in workflow
    versions = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert f"python: {versions}".replace("'", '"') in workflow
    assert PROJECT["requires-python"] == f">={versions[0]}"


def test_ruff_has_one_version():
    (version,) = re.findall(r"ruff==(\S+)", page(".ci/run"))
    assert f"rev: v{version}\n" in page(".pre-commit-config.yaml")


def test_readme_example_prints_what_it_says(tmp_path):
    (example,) = blocks(page("README.md"), "python")
    (printed,) = blocks(page("README.md"), "text")
    assert len(example.splitlines()) <= 10
    run = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", example], cwd=tmp_path, capture_output=True
    )
    assert run.stdout.decode().splitlines() == printed.splitlines(), run.stderr.decode()


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    links = re.findall(r"\]\(([^)\s]+)\)", page(name))
    lost = [
        link
        for link in links
        if "://" not in link and not (ROOT / name).parent.joinpath(link.partition("#")[0]).exists()
    ]
    assert not lost


def test_badges_lead_to_the_repository():
    colab = REPOSITORY.replace("https://github.com", "https://colab.research.google.com/github")
    rows = table(page("README.md"), "notebook")
    assert rows
    for notebook, _, _, badge in rows:
        name = re.search(r"\((notebooks/\w+\.ipynb)\)", notebook)[1]
        assert badge.endswith(f"]({colab}/blob/main/{name})")
    binder = REPOSITORY.replace("https://github.com", "https://mybinder.org/v2/gh")
    assert f"]({binder}/main?labpath=notebooks%2F00_start_here.ipynb)" in page("README.md")


def test_minutes_are_those_that_teachers_are_told():
    told = {row[0]: row[1] for row in table(page("notebooks/README.md"), "notebook")}
    for notebook, _, minutes, _ in table(page("README.md"), "notebook"):
        (row,) = (row for row in told if notebook.split("]")[0] in row)
        assert told[row].partition(",")[0] == minutes, notebook


@pytest.mark.parametrize("name", PAGES)
def test_no_page_names_another_address(name):
    _, repository = REPOSITORY.split("github.com/")
    project = repository.partition("/")[2]
    named = re.findall(rf"github(?:\.com)?/([\w.-]+/{project}[\w-]*)", page(name))
    assert set(named) <= {repository}


def test_version_is_that_of_pyproject():
    assert bpe_teach.__version__ == PROJECT["version"]
    assert f"\nversion: {PROJECT['version']}\n" in page("CITATION.cff")
    assert f"\n## [{PROJECT['version']}] – " in page("CHANGELOG.md")


def test_authors_and_address_are_those_of_pyproject():
    (author,) = PROJECT["authors"]
    assert f"authors:\n  - name: {author['name']}\n" in page("CITATION.cff")
    assert f"\nrepository-code: {REPOSITORY}\n" in page("CITATION.cff")


def test_licence_is_that_of_pyproject():
    assert PROJECT["license"] == "MIT"
    assert page("LICENSE").startswith("MIT License\n")


def test_data_card_describes_the_files():
    card = {row[0]: row for row in table(page("data/README.md"), "file")}
    assert {path.name for path in (ROOT / "data").iterdir()} == {*card, "README.md"}
    assert set(card) == {corpus.file for corpus in CORPORA.values() if not corpus.url}
    for name, (_, _, size, digest, _) in card.items():
        content = (ROOT / "data" / name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (int(size), digest), name


def test_data_card_lists_the_downloads():
    downloads = [corpus for corpus in CORPORA.values() if corpus.url]
    rows = [[corpus.name, corpus.file, corpus.url, corpus.sha256] for corpus in downloads]
    assert table(page("data/README.md"), "name for `load_corpus`") == rows


SKIPPING = """
import pytest

@pytest.mark.parametrize("reason", [
    "corpus 'little_prince' is not available: a long story of five hundred characters",
    "01b.ipynb needs corpus 'little_prince' cannot be fetched from https://nowhere: a long story",
    "could not import 'tiktoken': No module named 'tiktoken'",
    "06.ipynb needs the package torch, which is not installed",
    "there is no bash",
])
def test_skips(reason):
    pytest.skip(reason)

def test_runs():
    pass
"""
SUMMARY = """\
skipped 2: corpus 'little_prince' cannot be fetched (no network?) – set BPE_TEACH_DATA to a folder \
that holds en-the-little-prince.txt
skipped 1: tiktoken is not installed – python -m pip install ".[compare]"
skipped 1: torch is not installed – python -m pip install ".[lm]"
skipped 1: there is no bash
"""


@pytest.mark.slow
def test_each_missing_thing_has_one_line_at_the_end_and_what_was_skipped_can_be_run(tmp_path):
    (tmp_path / "test_it.py").write_text(SKIPPING, encoding="utf-8")
    shutil.copy(ROOT / "conftest.py", tmp_path)
    configured = [sys.executable, "-X", "utf8", "-m", "pytest", "-c", ROOT / "pyproject.toml"]
    here = ["--rootdir", tmp_path, "--confcutdir", tmp_path, "-o", "cache_dir=cache", tmp_path]

    def run(*options):
        command = [*configured, *here, *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
        return done.stdout

    everything, again = run(), run("--last-skipped")
    assert SUMMARY in everything
    assert "1 passed, 5 skipped" in everything
    assert SUMMARY in again
    assert "5 skipped, 1 deselected" in again
    extras = set(re.findall(r"\.\[(\w+)\]", page("conftest.py")))
    assert extras <= set(PROJECT["optional-dependencies"])
