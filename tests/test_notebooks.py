"""The stored notebooks: run from top to bottom, free of what changes from run to run, in shape.

nbval compares outputs, but it passes a notebook whose outputs were cleared and looks at no picture.
The checks here close these gaps. A check is a function that yields the faults of a notebook, and a
row of the table of faults, which shows it a notebook with each one.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from common import NOTEBOOKS, ROOT, rows
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output, reads

from bpe_teach.corpora import CORPORA

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
REPOSITORY = PYPROJECT["project"]["urls"]["Repository"]
REF = PYPROJECT["tool"]["bpe-teach"]["ref"]
COLAB = REPOSITORY.replace("https://github.com", "https://colab.research.google.com/github")
BADGE = "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({})"

TEMPLATE = ROOT / "tests" / "template.ipynb"  # pytest runs it, as it runs all of this folder
MAY_IGNORE = {
    "06_language_model.ipynb": 4,
    "08d_ranks_without_merges.ipynb": 2,
}  # notebook -> cells tagged nbval-ignore-output
MAX_LINES = 20  # of a code cell
MAX_WIDTH = 80  # of its lines, so that they fit on paper
MIN_EXERCISES = 4  # of a numbered notebook

SETUP = f"""\
import sys

if "google.colab" in sys.modules:
    %pip install -q git+{REPOSITORY}@{REF}

"""
FOLDERS = r"(?<![\w.])/(?:home|tmp|Users|private|var|usr|opt|mnt|content)/"
UNSTABLE = dict(rows("notebooks/unstable", globals()))


@cache
def read(path: Path) -> dict:
    """Return a notebook as it is stored, with its name and its place in the repository."""
    notebook = reads(path.read_text("utf-8"))
    if path == TEMPLATE:  # it is written for the place where its copies go
        path = ROOT / "notebooks" / "further" / "NN_your_question.ipynb"
    return {**notebook, "name": path.name, "place": path.relative_to(ROOT).as_posix()}


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs(notebook):
    """List what the code cells show, each with the first line of its cell."""
    return [(title(cell), output) for cell in code_cells(notebook) for output in cell["outputs"]]


def title(cell):
    return repr(cell["source"].strip().partition("\n")[0])


def tags(cell):
    return cell["metadata"].get("tags", [])


def data(output, mime):
    return output.get("data", {}).get(mime, "")


# The checks.


def all_cells_have_been_run_in_order(notebook):
    counts = [cell["execution_count"] for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        yield f"execution counts are {counts}: run the whole notebook from a fresh kernel"


def nothing_stands_on_stderr(notebook):
    for cell, output in outputs(notebook):
        if output.get("name") == "stderr":
            yield f"{cell} writes to stderr: {output['text']!r}"


def errors_are_announced(notebook):
    for cell in code_cells(notebook):
        failed = any(output["output_type"] == "error" for output in cell["outputs"])
        if failed != ("raises-exception" in tags(cell)):
            yield f"{title(cell)}: a tag raises-exception and an error go together, or neither"


def every_figure_has_its_picture(notebook):
    for cell in code_cells(notebook):
        draws = re.search(r"plt\.show\(|display\(fig|show_figure\(", cell["source"])
        if draws and not any(data(output, "image/png") for output in cell["outputs"]):
            yield f"{title(cell)} draws, and stores no picture"


def outputs_are_compared(notebook):
    ignored = 0
    for cell in code_cells(notebook):
        comments = re.findall(r"#\s*((?:NBVAL|PYTEST_VALIDATE)_\w+)", cell["source"])
        for tag in [*tags(cell), *comments]:
            if tag == "nbval-ignore-output":
                ignored += 1
            elif re.match("nbval|pytest_validate", tag, re.IGNORECASE):
                yield f"{title(cell)} escapes comparison by {tag}"
    if ignored != MAY_IGNORE.get(notebook["name"], 0):
        yield f"{ignored} cells are tagged nbval-ignore-output: MAY_IGNORE says otherwise"


def outputs_are_stable(notebook):
    for cell, output in outputs(notebook):
        shown = [text for mime, text in output.get("data", {}).items() if "text/" in mime]
        shown = "\n".join([*shown, output.get("text", ""), *output.get("traceback", [])])
        for what, pattern in UNSTABLE.items():
            if found := re.search(pattern, shown):
                yield f"{cell} shows {what}: {found[0]!r}"


def counters_are_printed(notebook):
    """IPython 7 shows a Counter in the order of counting, later ones the most common first."""
    for cell, output in outputs(notebook):
        if "Counter({" in data(output, "text/plain"):
            yield f"{cell} shows a Counter: print it, the order then is always the same"


def no_times_are_stored(notebook):
    for cell in code_cells(notebook):
        if "execution" in cell["metadata"]:
            yield f"{title(cell)} stores when it was run"


class HtmlFaults(HTMLParser):
    """Collect what an untrusted notebook would lose, and what it would have to fetch."""

    def __init__(self, html: str):
        super().__init__()
        self.frame = 'class="dataframe"' in html  # pandas adds a <style scoped>, and can lose it
        self.figure = (
            'class="bpe-figure"' in html
        )  # without <style> it only stays white in the dark
        self.faults = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        is_table = self.frame and "scoped" in attributes
        wakes = "onload" in attributes  # without it a box waits for the first key, as it says
        if tag == "script" or (tag == "style" and not (is_table or self.figure or wakes)):
            self.faults.append(f"<{tag}>")
        if "id" in attributes:
            self.faults.append(f"id={attributes['id']!r}")
        if re.match(r"(?:https?:)?//", attributes.get("src") or ""):
            self.faults.append(f"src={attributes['src']!r}")


def html_stands_alone(notebook):
    for cell, output in outputs(notebook):
        for fault in HtmlFaults(data(output, "text/html")).faults:
            yield f"{cell} puts {fault} into HTML"


def code_cells_are_short(notebook):
    for cell in code_cells(notebook):
        if cell["source"].startswith(SETUP):  # it is collapsed
            continue
        lines = cell["source"].strip().splitlines()
        if not 1 <= len(lines) <= MAX_LINES:
            yield f"{title(cell)} has {len(lines)} lines, not 1 to {MAX_LINES}"
        elif lines[-1].rstrip().endswith(";"):
            yield f"{title(cell)} hides its result with a semicolon"


def code_fits_on_paper(notebook):
    for cell in code_cells(notebook):
        for line in cell["source"].splitlines():
            if len(line) > MAX_WIDTH:
                yield f"{line!r} has {len(line)} characters, more than {MAX_WIDTH}"


def there_are_exercises(notebook):
    code = "\n".join(cell["source"] for cell in code_cells(notebook))
    exercises = set(re.findall(r"\bask\.(\w+)\.", code))
    if re.match(r"\d\d_", notebook["name"]) and len(exercises) < MIN_EXERCISES:
        yield f"it has {len(exercises)} exercises, not {MIN_EXERCISES}"


def sources_are_named_at_the_end(notebook):
    last = notebook["cells"][-1]["source"]
    if notebook["name"] and not (last.startswith("## References") and "](https://" in last):
        yield "the last cell is not a list of references with links"


def links_lead_to_files(notebook):
    """A link to another notebook or to the package is relative, so a notebook can't just move."""
    folder = (ROOT / notebook["place"]).parent
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            for link in re.findall(r"\]\(([^)\s#]+)", cell["source"]):
                if "://" not in link and not (folder / link).exists():
                    yield f"{title(cell)} links to {link}, which does not exist"


def first_cell_has_the_badge(notebook):
    first = notebook["cells"][0]
    badge = BADGE.format(f"{COLAB}/blob/{REF}/{notebook['place']}")
    if first["cell_type"] != "markdown" or badge not in first["source"]:
        yield f"the first cell does not hold {badge}"


def first_code_cell_sets_up(notebook):
    """One cell, collapsed in Lab and in Colab, gets the package and imports all that is needed."""
    first = code_cells(notebook)[0]
    metadata = first["metadata"]
    hidden = metadata.get("jupyter", {}).get("source_hidden") and metadata.get("cellView") == "form"
    if not (first["source"].startswith(SETUP) and hidden):
        yield f"the first code cell is not collapsed, or does not begin with\n{SETUP}"
    if deeper := re.findall(r"\bbpe_\w+\.(?!exercises import)\w+", first["source"]):
        yield f"it imports what nobody can guess: {deeper}"


def the_kernel_is_python(notebook):
    if notebook["metadata"].get("kernelspec", {}).get("name") != "python3":
        yield "the kernel is not python3"


def downloads_are_declared(notebook):
    code = "\n".join(cell["source"] for cell in code_cells(notebook))
    used = set(re.findall(r"(?:load_corpus|corpus_path)\(\s*[\"'](\w+)", code))
    used |= {"gpt2_merges", "gpt2_vocab"} if "from_gpt2()" in code else set()
    used = {corpus for corpus in used if corpus in CORPORA and CORPORA[corpus].url}
    declared = set(notebook["metadata"].get("bpe_teach", {}).get("corpora", []))
    if used != declared:
        yield f"downloads used: {sorted(used)}; declared in the metadata: {sorted(declared)}"


# Each check with the smallest notebooks that have its fault.


def code(source: str, *outputs: dict, count: int | None = 1, **metadata) -> dict:
    return new_code_cell(
        source, execution_count=count, outputs=[*outputs], metadata=metadata, id=f"code-{count}"
    )


def prose(source: str) -> dict:
    return new_markdown_cell(source, id="prose")


def shown(mime: str, text: str) -> dict:
    return new_output("display_data", {mime: text})


def printed(text: str, stream: str = "stdout") -> dict:
    return new_output("stream", name=stream, text=text)


def failed(*traceback: str) -> dict:
    return new_output("error", ename="KeyError", evalue="", traceback=[*traceback])


def made(*cells: dict, name: str = "", **metadata) -> dict:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    content = {"cells": cells, "metadata": {"kernelspec": kernel} | metadata}
    version = {"nbformat": 4, "nbformat_minor": 5}
    return {**content, **version, "name": name, "place": f"notebooks/{name}"}


def html(text: str) -> dict:
    return made(code("x", shown("text/html", text)))


HIDDEN = {"jupyter": {"source_hidden": True}, "cellView": "form"}
IGNORE = code("x", tags=["nbval-ignore-output"])
SHAKESPEARE = {"corpora": ["tinyshakespeare"]}

FAULTS = rows("notebooks/faults", globals())
CHECKS = list(dict.fromkeys(check for check, _ in FAULTS))


@pytest.mark.parametrize(("check", "notebook"), FAULTS)
def test_a_check_finds_its_fault(check, notebook):
    assert len(list(check(notebook))) == 1


@pytest.mark.parametrize("path", [*NOTEBOOKS, TEMPLATE], ids=lambda path: path.stem)
def test_a_notebook_has_no_fault(path):
    assert [fault for check in CHECKS for fault in check(read(path))] == []


# What pytest does with notebooks, and with what it must skip.

SKIPPING = """
import pytest

@pytest.mark.parametrize("reason", [
    "corpus 'little_prince' is not available: a long story of five hundred characters",
    "could not import 'tiktoken': No module named 'tiktoken'",
    "06.ipynb needs the package torch, which is not installed",
    "there is no bash",
])
def test_skips(reason):
    pytest.skip(reason)
"""
SKIPPED = "import pytest\npytest.skip('there is no bash', allow_module_level=True)"


@pytest.mark.slow
def test_pytest_compares_outputs_and_says_what_it_skips_for_want_of_what(tmp_path):
    show = 'display({{"{}": "bmV3"}}, raw=True)'
    notebooks = {
        "compared": made(
            code("print(2 + 2)", printed("4\n")),
            code("print(2 + 2)", printed("5\n"), count=2),
            code(show.format("text/html"), shown("text/html", "old"), count=3),
            code(show.format("image/png"), shown("image/png", "b2xk"), count=4),
        ),
        "lacking": made(
            code("x"), code("y", count=2), bpe_teach={"corpora": ["story", "little_prince"]}
        ),
        "packageless": made(code("x"), bpe_teach={"packages": ["json", "no_such_package"]}),
    }
    for name, notebook in notebooks.items():
        del notebook["name"], notebook["place"]
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(notebook), "utf-8")
    (tmp_path / "test_it.py").write_text(SKIPPING, "utf-8")
    (tmp_path / "test_not.py").write_text(SKIPPED, "utf-8")
    shutil.copy(ROOT / "conftest.py", tmp_path)
    nowhere = tmp_path / "texts"
    nowhere.write_text("a file, so no text can be stored in it, and none is looked for elsewhere")

    configured = [sys.executable, "-X", "utf8", "-m", "pytest", "-c", ROOT / "pyproject.toml"]
    here = ["--rootdir", tmp_path, "--confcutdir", tmp_path, "-p", "no:cacheprovider", tmp_path]
    command = [*configured, *here, "--all", "-rA", "-n", "1"]
    environment = {**os.environ, "BPE_TEACH_DATA": str(nowhere)}
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8"
    )
    verdicts = re.findall(r"^(PASSED|FAILED) compared.ipynb::(Cell \d)", done.stdout, re.MULTILINE)
    assert {cell: verdict for verdict, cell in verdicts} == {
        "Cell 0": "PASSED",
        "Cell 1": "FAILED",
        "Cell 2": "FAILED",
        "Cell 3": "PASSED",
    }, done.stdout
    assert "\n".join([*rows("notebooks/skipped"), ""]) in done.stdout
    assert "2 failed, 2 passed, 8 skipped" in done.stdout
    extras = set(re.findall(r"\.\[(\w+)\]", (ROOT / "conftest.py").read_text("utf-8")))
    assert extras <= set(PYPROJECT["project"]["optional-dependencies"])


def test_each_word_of_the_glossary_is_bold_where_the_notebook_introduces_it():
    missing = []
    for line in (ROOT / "site" / "glossary.txt").read_text("utf-8").splitlines()[1:]:
        word, _, _, notebook = (part.strip() for part in line.split("|"))
        (path,) = [path for path in NOTEBOOKS if path.stem == notebook]
        cells = json.loads(path.read_text("utf-8"))["cells"]
        prose = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
        if not re.search(rf"\*\*[^*\n]*\b{word}", prose, re.IGNORECASE):
            missing.append(f"{word}: not bold in {notebook}")
    assert missing == []
