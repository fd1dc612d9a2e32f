"""The slides that teachers can edit: they hold what the decks hold, and LibreOffice opens them."""

import re
import subprocess
import sys
from shutil import which

import pytest
from common import ROOT

pptx = pytest.importorskip("pptx")
pytest.importorskip("mistune")

DECKS = sorted((ROOT / "site" / "lessons").glob("*_deck.md"))


def name(path):
    return path.stem


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    sys.path.insert(0, str(ROOT / "site"))
    from slides import write_slides

    folder = tmp_path_factory.mktemp("slides")
    write_slides(folder)
    return folder


@pytest.fixture(params=DECKS, ids=name)
def deck(request, folder):
    """Return the source of a deck, slide by slide, and the slides that were written."""
    source = re.split(r"^---\n", request.param.read_text("utf-8"), flags=re.MULTILINE)
    return source, pptx.Presentation(folder / f"{request.param.stem}.pptx")


def texts_of(slide):
    for shape in slide.shapes:
        if shape.has_text_frame:
            yield shape.text_frame.text
        elif shape.has_table:
            yield from (cell.text for cell in shape.table.iter_cells())


def test_each_slide_has_its_heading_words_and_symbols(deck):
    source, written = deck
    assert len(written.slides) == len(source)
    for text, slide in zip(source, written.slides, strict=True):
        told = " ".join(texts_of(slide))
        plain = re.sub(r"!\[.*?\]\(.*?\)|^```.*$|&e\w+;|<br>|[|\\]", " ", text, flags=re.MULTILINE)
        wanted = re.findall(r"[^\W\d_]{3,}", plain.replace("_blank", ""))
        told_words = set(re.findall(r"[^\W\d_]{3,}", told.replace("|", " ")))
        assert set(wanted) - told_words == set(), text
        for cards in re.findall(r"```cards\n(.*?)```", text, re.DOTALL):
            boxes = [shape.text_frame.text for shape in slide.shapes if shape.shape_type == 1]
            assert boxes == cards.replace("_blank", "").split()


def test_what_a_notebook_has_stored_is_on_the_slide(deck):
    source, written = deck
    for text, slide in zip(source, written.slides, strict=True):
        if "![" in text:
            kinds = {shape.shape_type for shape in slide.shapes}
            has_code = any(
                run.font.name == "Courier New"
                for shape in slide.shapes
                if shape.has_text_frame
                for paragraph in shape.text_frame.paragraphs
                for run in paragraph.runs
            )
            # A picture, a table, boxes, or the text of an output.
            assert kinds & {1, 13, 19} or has_code, text


def test_nothing_is_beyond_the_edge_of_a_slide_and_nothing_covers_anything(deck):
    _, written = deck
    for number, slide in enumerate(written.slides, 1):
        places = []
        for shape in slide.shapes:
            right, bottom = shape.left + shape.width, shape.top + shape.height
            assert shape.left >= 0, number
            assert right <= written.slide_width, number
            assert bottom <= written.slide_height, number
            for left, top, other_right, other_bottom in places:
                beside = right <= left or shape.left >= other_right
                assert beside or bottom <= top or shape.top >= other_bottom, number
            places.append((shape.left, shape.top, right, bottom))


@pytest.mark.slow
@pytest.mark.skipif(not which("loimpress"), reason="needs LibreOffice Impress")
def test_libreoffice_opens_them_and_prints_each_slide(folder, tmp_path):
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    to_pdf = ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", tmp_path]
    subprocess.run([*to_pdf, *folder.glob("*.pptx")], check=True, timeout=300)
    for source in DECKS:
        printed = (tmp_path / f"{source.stem}.pdf").read_bytes()
        slides = len(re.split(r"^---\n", source.read_text("utf-8"), flags=re.MULTILINE))
        assert len(re.findall(rb"/Type ?/Page\b", printed)) == slides
