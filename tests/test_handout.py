"""Handouts: copies without answers, the solutions apart, and nothing cut off."""

import base64
import json
import re
from itertools import chain

import pytest
from common import JAVASCRIPT, NOTEBOOKS, cells_of, count_sheets, rows, sections

from bpe_further.classroom.handout import _text, find_exercises, for_paper, render
from bpe_further.exercises.concept_inventory import FORMS
from bpe_further.shell.commands import main

nbconvert = pytest.importorskip("nbconvert")
from nbformat import read, validate  # noqa: E402
from nbformat.v4 import (  # noqa: E402
    new_code_cell,
    new_markdown_cell,
    new_notebook,
    new_output,
    writes,
)

NEW_CELL = {"code": new_code_cell, "markdown": new_markdown_cell}
CELLS = rows("handout/cells")
SETUP = CELLS[0]


def lines_of_source(path) -> int:
    """Return how many lines the cells of a notebook have."""
    return sum(len(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"])


@pytest.fixture
def handed_out(tmp_path):
    """Write a notebook with outputs, hand it out; return the files."""
    cells = [new_code_cell(source, execution_count=7) for source in CELLS]
    cells[1]["outputs"] = [new_output("stream", text="the answer is 3")]
    (tmp_path / "01_low.ipynb").write_text(writes(new_notebook(cells=cells)), "utf-8")
    out = tmp_path / "out"
    assert main(["handout", str(tmp_path / "01_low.ipynb"), "-o", str(out)]) == 0
    return {path.name: path for path in out.iterdir()}


@pytest.mark.slow
def test_a_notebook_becomes_a_copy_and_solutions_to_use_and_to_print(handed_out):
    assert sorted(handed_out) == rows("handout/files")
    copy = read(handed_out["01_low.ipynb"], 4)
    validate(copy)
    assert [cell["source"] for cell in copy["cells"]] == CELLS
    assert all(cell["outputs"] == [] for cell in copy["cells"])
    assert "the answer is" not in handed_out["01_low.html"].read_text("utf-8")
    solved = read(handed_out["01_low_solutions.ipynb"], 4)
    validate(solved)
    text = "\n".join(cell["source"] for cell in solved["cells"])
    assert "## aaaa" in text
    assert "three overlapping places" in text
    assert re.search(r"^def merge\(word, pair\):$", text, re.MULTILINE)


@pytest.mark.slow
def test_the_same_comes_out_each_time_and_nothing_is_overwritten(handed_out, tmp_path, capsys):
    before = {name: path.read_bytes() for name, path in handed_out.items() if "ipynb" in name}
    source = tmp_path / "01_low.ipynb"
    assert main(["handout", str(source), "-o", str(tmp_path / "out")]) == 0
    assert {name: handed_out[name].read_bytes() for name in before} == before
    content = source.read_bytes()
    assert main(["handout", str(source), "-o", str(tmp_path)]) == 1
    assert "01_low.ipynb is named twice" in capsys.readouterr().err
    assert source.read_bytes() == content


@pytest.mark.parametrize("content", rows("handout/no_notebooks"))
def test_what_is_not_a_notebook_is_refused_by_name(content, tmp_path, capsys):
    path = tmp_path / "x.ipynb"
    path.write_text(content, "latin-1")
    assert main(["handout", str(path), "-o", str(tmp_path / "out")]) == 1
    assert re.search(r"x\.ipynb: it is not a Jupyter notebook", capsys.readouterr().err)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_all_exercises_of_the_course_are_found(path):
    source = "\n".join(cells_of(path))
    asked = set(re.findall(r"\bask\.(\w+)\.(?:check|use)", source)) - {"brought", "my_bpe"}
    assert set(find_exercises(json.loads(path.read_text("utf-8")))) == asked


def test_on_paper_a_question_says_what_it_offers_and_its_answer_is_on_a_page_of_its_own():
    cells = [NEW_CELL[kind](code.strip()) for kind, code in sections("on_paper.md")]
    cells[0]["metadata"] = {"jupyter": {"source_hidden": True}}
    found = [cell["source"] for cell in for_paper(new_notebook(cells=cells))["cells"]]
    setup, title, light, heading, number, text, program, afterwards = found
    assert (setup, title) == (SETUP, "# Low")
    assert "☐\N{NO-BREAK SPACE}`daylight`: letters before it" in light
    assert heading == "## Next\n\n**Predict:** how many?"
    assert re.fullmatch(r"`aaaa`: &emsp; (\\_){30} a number", number)
    assert text == "You know *this*:\nso **Write** it."
    assert program == cells[7]["source"]
    told = ["# Afterwards", "**Low**", "It was the *t*.", "**Next**", "Three.", "Not four."]
    assert afterwards == "\n\n".join(told)


def test_what_moves_is_left_out_on_paper_and_a_number_begins_no_list():
    cells = [new_code_cell("training_film(toy, 6)"), new_code_cell("box = playground(tok)\nbox")]
    for cell in for_paper(new_notebook(cells=cells))["cells"]:
        assert "moves only on a screen" in cell["source"]
    render_text = nbconvert.filters.markdown2html
    for text in ("32. 2, 4", "3) one", "1.5 and 2."):
        assert render_text(_text(text)).strip() == f"<p>{text}</p>"


def test_the_twelve_questions_are_printed_both_forms_and_no_answer():
    (path,) = [path for path in NOTEBOOKS if path.name.startswith("00b")]
    printed = "\n".join(cell["source"] for cell in for_paper(read(path, 4))["cells"])
    assert printed.index("### Form A") < printed.index("### Form B")
    for question in chain(*(form.values() for form in FORMS.values())):
        assert all(_text(text) in printed for text in (question.ask, *question.choices.values()))
        assert _text(question.because) not in printed


HOSTILE = rows("handout/hostile")


@pytest.mark.slow
def test_nothing_in_a_notebook_runs_or_loads_or_tells_other_files_in_its_page(tmp_path, open_page):
    (tmp_path / "secret.txt").write_text("secret")
    path = tmp_path / "folder" / "x.ipynb"
    path.parent.mkdir()
    cells = [new_markdown_cell("# Low\n\n`a<b`"), *map(new_markdown_cell, HOSTILE)]
    widgets = {"application/vnd.jupyter.widget-state+json": {"state": {}, "x": HOSTILE[0]}}
    path.write_text(writes(new_notebook(cells=cells, metadata={"widgets": widgets})), "utf-8")
    text = render(path)["x.html"].decode()
    assert base64.b64encode(b"secret").decode() not in text
    assert "<code>a&lt;b</code>" in text
    assert not re.search("onerror|onload|srcdoc|javascript:|<script|127.0.0.1:9/[fpb]", text)
    (tmp_path / "x.html").write_text(text, "utf-8")
    page = open_page(tmp_path / "x.html", quiet=False)
    page.wait_for_timeout(300)
    assert page.title() == "x"


@pytest.mark.slow
@pytest.mark.parametrize(
    "longest", sorted(NOTEBOOKS, key=lines_of_source)[-4:], ids=lambda path: path.name
)
def test_a_notebook_is_handed_out_on_nine_pages_that_load_nothing(longest, tmp_path, open_page):
    assert main(["handout", str(longest), "-o", str(tmp_path)]) == 0
    page = open_page(tmp_path / f"{longest.stem}.html", quiet=False)
    assert count_sheets(page.pdf(prefer_css_page_size=True)) <= 9


@pytest.mark.slow
@pytest.mark.parametrize("width", [400, 794])  # a telephone, A4
def test_no_line_is_cut_off(width, handed_out, open_page):
    page = open_page(handed_out["01_low.html"], (width, 1000), quiet=False)
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate(JAVASCRIPT["lines that are cut off"]) == 0
