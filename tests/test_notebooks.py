"""The stored notebooks: run from top to bottom, free of what changes from run to run, in shape.

nbval compares outputs, but it passes a notebook whose outputs were cleared and looks at no picture.
The checks here close these gaps. Each is a function from a notebook to the faults it finds, and
each is shown a notebook with its fault.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from copy import deepcopy
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bpe_teach.corpora import CORPORA

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
REPOSITORY = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]["Repository"]
COLAB = REPOSITORY.replace("https://github.com", "https://colab.research.google.com/github")
BADGE = "[![Open in Colab](https://colab.research.google.com/assets/colab-badge.svg)]({})"

MAY_IGNORE = {
    "06_language_model.ipynb": 6,
    "07_fast_bpe.ipynb": 4,
    "08_real_tokenizers.ipynb": 2,
}  # notebook -> cells tagged nbval-ignore-output
MAX_LINES = 20  # of a code cell
WORDS = (25, 110)  # of prose for each code cell, at least and at most
CHECKS = {}  # name -> function from (notebook, file name) to a list of faults

UNSTABLE = {  # what it is -> how it looks in an output
    "a dtype": r"\bdtype[:=]",
    "a folder of one machine": r"(?<![\w.])/(?:home|tmp|Users|private|var|usr|opt|mnt|content)/"
    r"|[A-Z]:\\Users\\|site-packages",
    "the address of an object": r"\b0x[0-9a-fA-F]{6,}\b",
}


def text_of(value) -> str:
    """Join a text that notebooks store as one string or as a list of lines."""
    return value if isinstance(value, str) else "".join(value)


def read(path: Path) -> dict:
    """Return a notebook as it is stored, with all its texts joined."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        cell["source"] = text_of(cell["source"])
    return notebook


def code_cells(notebook: dict) -> list[dict]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs(notebook: dict) -> list[tuple[dict, dict]]:
    return [(cell, output) for cell in code_cells(notebook) for output in cell["outputs"]]


def tags(cell: dict) -> list[str]:
    return cell["metadata"].get("tags", [])


def first_line(cell: dict) -> str:
    return cell["source"].strip().partition("\n")[0]


def texts(output: dict) -> list[str]:
    """Return everything in an output that is read as text, pictures excepted."""
    data = [text_of(value) for mime, value in output.get("data", {}).items() if "text/" in mime]
    return [*data, text_of(output.get("text", "")), *output.get("traceback", [])]


def check(function):
    """Enter a check in the table."""
    CHECKS[function.__name__] = function
    return function


@check
def all_cells_have_been_run_in_order(notebook, name):
    counts = [cell["execution_count"] for cell in code_cells(notebook)]
    if counts != list(range(1, len(counts) + 1)):
        return [f"execution counts are {counts}: run the whole notebook from a fresh kernel"]
    return []


@check
def nothing_stands_on_stderr(notebook, name):
    return [
        f"{first_line(cell)!r} writes to stderr: {text_of(output['text'])!r}"
        for cell, output in outputs(notebook)
        if output.get("name") == "stderr"
    ]


@check
def errors_are_announced(notebook, name):
    failed = {id(cell) for cell, output in outputs(notebook) if output["output_type"] == "error"}
    return [
        f"{first_line(cell)!r}: a tag raises-exception and an error go together, or neither"
        for cell in code_cells(notebook)
        if (id(cell) in failed) != ("raises-exception" in tags(cell))
    ]


@check
def every_figure_has_its_picture(notebook, name):
    drawing = [
        cell
        for cell in code_cells(notebook)
        if re.search(r"plt\.show\(|display\(fig", cell["source"])
    ]
    return [
        f"{first_line(cell)!r} draws, and stores no picture"
        for cell in drawing
        if not any("image/png" in output.get("data", {}) for output in cell["outputs"])
    ]


@check
def outputs_are_compared(notebook, name):
    cells = code_cells(notebook)
    ignored = sum("nbval-ignore-output" in tags(cell) for cell in cells)
    faults = [
        f"{first_line(cell)!r} escapes comparison by {tag}"
        for cell in cells
        for tag in [
            *tags(cell),
            *re.findall(r"#\s*((?:NBVAL|PYTEST_VALIDATE)_\w+)", cell["source"]),
        ]
        if re.match("nbval|pytest_validate", tag, re.IGNORECASE) and tag != "nbval-ignore-output"
    ]
    if ignored != MAY_IGNORE.get(name, 0):
        faults.append(f"{ignored} cells are tagged nbval-ignore-output: MAY_IGNORE says otherwise")
    return faults


@check
def outputs_are_stable(notebook, name):
    return [
        f"{first_line(cell)!r} shows {what}: {found[0]!r}"
        for cell, output in outputs(notebook)
        for what, pattern in UNSTABLE.items()
        for text in texts(output)
        if (found := re.search(pattern, text))
    ]


@check
def counters_are_printed(notebook, name):
    """IPython 7 shows a Counter in the order of counting, later ones the most common first."""
    return [
        f"{first_line(cell)!r} shows a Counter: print it, the order then is always the same"
        for cell, output in outputs(notebook)
        if "Counter({" in text_of(output.get("data", {}).get("text/plain", ""))
    ]


@check
def no_times_are_stored(notebook, name):
    timed = [cell for cell in code_cells(notebook) if "execution" in cell["metadata"]]
    return [f"{first_line(cell)!r} stores when it was run" for cell in timed]


class HtmlFaults(HTMLParser):
    """Collect what an untrusted notebook would lose, and what it would have to fetch."""

    def __init__(self, html: str):
        super().__init__()
        self.frame = 'class="dataframe"' in html  # pandas adds a <style scoped>, and can lose it
        self.faults = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "script" or (tag == "style" and not (self.frame and "scoped" in attributes)):
            self.faults.append(f"<{tag}>")
        if "id" in attributes:
            self.faults.append(f"id={attributes['id']!r}")
        if re.match(r"(?:https?:)?//", attributes.get("src") or ""):
            self.faults.append(f"src={attributes['src']!r}")


@check
def html_stands_alone(notebook, name):
    return [
        f"{first_line(cell)!r} puts {fault} into HTML"
        for cell, output in outputs(notebook)
        for fault in HtmlFaults(text_of(output.get("data", {}).get("text/html", ""))).faults
    ]


@check
def code_cells_are_short(notebook, name):
    faults = []
    for cell in code_cells(notebook):
        lines = cell["source"].strip().splitlines()
        if not 1 <= len(lines) <= MAX_LINES:
            faults.append(f"{first_line(cell)!r} has {len(lines)} lines, not 1 to {MAX_LINES}")
        elif lines[-1].rstrip().endswith(";"):
            faults.append(f"{first_line(cell)!r} hides its result with a semicolon")
    return faults


@check
def prose_goes_with_code(notebook, name):
    prose = [cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    ratio = sum(len(text.split()) for text in prose) / len(code_cells(notebook))
    if not WORDS[0] <= ratio <= WORDS[1]:
        return [f"{ratio:.0f} words of prose for each code cell, not {WORDS[0]} to {WORDS[1]}"]
    return []


@check
def first_cell_has_the_badge(notebook, name):
    first = notebook["cells"][0]
    badge = BADGE.format(f"{COLAB}/blob/main/notebooks/{name}")
    if first["cell_type"] != "markdown" or badge not in first["source"]:
        return [f"the first cell does not hold {badge}"]
    return []


@check
def first_code_cell_sets_up(notebook, name):
    source = code_cells(notebook)[0]["source"]
    wanted = ('if "google.colab" in sys.modules:', f"%pip install -q git+{REPOSITORY}\n")
    return [f"the first code cell lacks {line!r}" for line in wanted if line not in source + "\n"]


@check
def metadata_is_in_shape(notebook, name):
    faults = []
    if notebook["metadata"].get("kernelspec", {}).get("name") != "python3":
        faults.append("the kernel is not python3")
    ids = [cell.get("id") for cell in notebook["cells"]]
    if None in ids or len(set(ids)) < len(ids):
        faults.append("a cell has no id, or two have the same")
    return faults


@check
def downloads_are_declared(notebook, name):
    code = "\n".join(cell["source"] for cell in code_cells(notebook))
    used = set(re.findall(r"(?:load_corpus|corpus_path)\(\s*[\"'](\w+)", code))
    used |= {"gpt2_merges", "gpt2_vocab"} if "from_gpt2()" in code else set()
    used = {corpus for corpus in used if corpus in CORPORA and CORPORA[corpus].url}
    declared = set(notebook["metadata"].get("bpe_teach", {}).get("corpora", []))
    if used != declared:
        return [f"downloads used: {sorted(used)}; declared in the metadata: {sorted(declared)}"]
    return []


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook(path, name):
    faults = CHECKS[name](read(path), path.name)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_is_listed_for_readers_and_teachers(path):
    assert f"[{path.stem}](notebooks/{path.name})" in (ROOT / "README.md").read_text("utf-8")
    teachers = (ROOT / "notebooks" / "README.md").read_text("utf-8")
    assert f"[{path.name}]({path.name})" in teachers
    assert f"### {path.stem} " in teachers


# The checks themselves: one sound notebook, and for every check ways to spoil it.

SETUP = f'import sys\n\nif "google.colab" in sys.modules:\n    %pip install -q git+{REPOSITORY}'
FRAME = '<div>\n<style scoped>\n.dataframe {}\n</style>\n<table class="dataframe"></table></div>'


def code(source: str, count: int | None, *outputs: dict) -> dict:
    return {
        "cell_type": "code",
        "id": f"code-{count}",
        "metadata": {},
        "source": source,
        "execution_count": count,
        "outputs": list(outputs),
    }


def markdown(source: str, name: str) -> dict:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": source}


def result(**data: str) -> dict:
    data = {mime.replace("_", "/"): text for mime, text in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": data}


def stream(name: str, text: str) -> dict:
    return {"output_type": "stream", "name": name, "text": text}


def sound() -> dict:
    """Return a notebook in which no check finds a fault."""
    cells = [
        markdown(BADGE.format(f"{COLAB}/blob/main/notebooks/sound.ipynb") + "\n# Sound", "title"),
        code(SETUP, 1),
        markdown("word " * 120, "prose"),
        code("print(2 + 2)", 2, stream("stdout", ["4\n"])),
        code("frame", 3, result(text_html=FRAME, text_plain="0xFF and/or home/a")),
        code("plt.show()", 4, result(image_png="iVBORw0", text_plain="<Figure>")),
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def spoil(cell: int, **changes):
    """Return a function that changes one cell of a notebook."""
    return lambda notebook: notebook["cells"][cell].update(deepcopy(changes))


def show(**data: str):
    """Return a function that replaces the output of one cell."""
    return spoil(4, outputs=[result(**data)])


ERROR = {"output_type": "error", "ename": "KeyError", "evalue": "", "traceback": []}
SPOILED = [
    ("all_cells_have_been_run_in_order", spoil(3, execution_count=None, outputs=[])),
    ("all_cells_have_been_run_in_order", spoil(3, execution_count=3)),
    ("nothing_stands_on_stderr", spoil(3, outputs=[stream("stderr", "Warning!")])),
    ("errors_are_announced", spoil(3, outputs=[ERROR])),
    ("errors_are_announced", spoil(3, metadata={"tags": ["raises-exception"]})),
    ("every_figure_has_its_picture", spoil(5, outputs=[result(text_plain="<Figure>")])),
    ("every_figure_has_its_picture", spoil(3, source='display(fig, metadata={"a": 1})')),
    ("outputs_are_compared", spoil(3, metadata={"tags": ["nbval-skip"]})),
    ("outputs_are_compared", spoil(3, metadata={"tags": ["nbval-ignore-output"]})),
    ("outputs_are_compared", spoil(3, source="# NBVAL_IGNORE_OUTPUT\nprint(2 + 2)")),
    ("outputs_are_stable", show(text_plain="a    int64\ndtype: object")),
    ("outputs_are_stable", show(text_plain="<function f at 0x7f3b2c1d9e40>")),
    ("outputs_are_stable", show(text_html="in <code>/home/someone/course</code>")),
    ("outputs_are_stable", spoil(3, outputs=[stream("stdout", ["/content/", "data\n"])])),
    ("counters_are_printed", show(text_plain="Counter({'a': 3, 'n': 2, 'b': 1})")),
    ("no_times_are_stored", spoil(3, metadata={"execution": {"iopub.status.busy": "now"}})),
    ("html_stands_alone", show(text_html="<script>alert(1)</script>")),
    ("html_stands_alone", show(text_html="<style>p {}</style>")),
    ("html_stands_alone", show(text_html="<style scoped>p {}</style>")),
    ("html_stands_alone", show(text_html='<p title="id=1" id="x">')),
    ("html_stands_alone", show(text_html='<img src="https://example.org/a.png">')),
    ("code_cells_are_short", spoil(3, source="x = 1\n" * 21)),
    ("code_cells_are_short", spoil(3, source="print(2 + 2);")),
    ("code_cells_are_short", spoil(3, source="")),
    ("prose_goes_with_code", spoil(2, source="few words")),
    ("prose_goes_with_code", spoil(2, source="word " * 900)),
    ("first_cell_has_the_badge", spoil(0, source=BADGE.format(f"{COLAB}/blob/main/other.ipynb"))),
    ("first_code_cell_sets_up", spoil(1, source="import sys")),
    ("first_code_cell_sets_up", spoil(1, source=SETUP + "-elsewhere")),
    ("metadata_is_in_shape", spoil(3, id="title")),
    ("metadata_is_in_shape", lambda notebook: notebook["metadata"].clear()),
    ("downloads_are_declared", spoil(3, source='load_corpus("tinyshakespeare")')),
    (
        "downloads_are_declared",
        lambda notebook: notebook["metadata"].update(bpe_teach={"corpora": ["tinyshakespeare"]}),
    ),
]


@pytest.mark.parametrize("name", CHECKS)
def test_check_passes_a_sound_notebook(name):
    assert CHECKS[name](sound(), "sound.ipynb") == []


@pytest.mark.parametrize(("name", "change"), SPOILED)
def test_check_finds_its_fault(name, change):
    notebook = sound()
    change(notebook)
    assert CHECKS[name](notebook, "sound.ipynb")


def test_every_check_is_shown_its_fault():
    assert {name for name, _ in SPOILED} == set(CHECKS)


def test_pytest_compares_outputs_and_skips_by_name_what_lacks_something(tmp_path):
    """Run pytest, as configured, on a notebook with wrong outputs and two that lack something."""
    html = 'from IPython.display import HTML\nHTML("<b>new</b>")'
    picture = 'display({"image/png": "iVBORw0"}, raw=True)'
    compared, lacking, packageless = sound(), sound(), sound()
    compared["cells"] = [
        code("print(2 + 2)", 1, stream("stdout", "4\n")),
        code("print(2 + 2)", 2, stream("stdout", "5\n")),
        code(html, 3, result(text_plain="<IPython.core.display.HTML object>", text_html="old")),
        code(picture, 4, result(image_png="c3R1ZmY=")),
    ]
    lacking["metadata"]["bpe_teach"] = {"corpora": ["story", "tinyshakespeare"]}
    packageless["metadata"]["bpe_teach"] = {"packages": ["json", "no_such_package"]}
    notebooks = {"compared": compared, "lacking": lacking, "packageless": packageless}
    for name, notebook in notebooks.items():
        (tmp_path / f"{name}.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    shutil.copy(ROOT / "conftest.py", tmp_path)
    cache = tmp_path / "cache"
    cache.write_text("a file, so no text can be stored in it, and none is looked for elsewhere")
    configured = [sys.executable, "-m", "pytest", "-c", ROOT / "pyproject.toml"]
    here = ["--rootdir", tmp_path, "--confcutdir", tmp_path, "-p", "no:cacheprovider"]
    run = subprocess.run(
        [*configured, *here, "-rA", tmp_path],
        env={**os.environ, "BPE_TEACH_DATA": str(cache)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    verdicts = re.findall(r"^(PASSED|FAILED) compared.ipynb::Cell (\d)", run.stdout, re.MULTILINE)
    expected = [("PASSED", "0"), ("FAILED", "1"), ("FAILED", "2"), ("PASSED", "3")]
    assert sorted(verdicts, key=lambda verdict: verdict[1]) == expected, run.stdout
    skipped = r"^SKIPPED \[4\] .*lacking.ipynb needs corpus 'tinyshakespeare'"
    assert re.search(skipped, run.stdout, re.MULTILINE), run.stdout
    skipped = r"^SKIPPED \[4\] .*packageless.ipynb needs the package no_such_package"
    assert re.search(skipped, run.stdout, re.MULTILINE), run.stdout
