"""Write the decks of the lessons as slides to edit: python site/slides.py FOLDER

Needs the extra "site" or "classroom". A deck, ``lesson1_deck.md``, becomes ``lesson1_deck.pptx``,
which PowerPoint, Keynote, Google Slides and LibreOffice open. Everything on a slide is of their own
kind, so that it can be changed: texts, tables, and a box for each token. What moves on the screen
is left as its text, or as a picture.
"""

import re
import sys
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from math import ceil
from pathlib import Path

import mistune
from kit import LESSONS, read_cells
from pptx import Presentation
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_LINE
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, PP_ALIGN
from pptx.util import Pt

from bpe_teach.pictures.boxes import STYLES
from bpe_teach.pictures.colours import tint

PLAYGROUND = LESSONS.parents[1] / "notebooks" / "images" / "playground.png"
WIDTH, HEIGHT = 960, 540  # of a slide, in points: 16 to 9
MARGIN, TOP, BOTTOM = 54, 118, 24  # beside everything, above the first block, below the last one
GAP = 12  # between two blocks
LARGEST, SMALLEST = 32.0, 10.0  # size of texts
SHOWN = 0.42  # upper part of the picture of the playground
INK, ACCENT, PALE = RGBColor(0x11, 0x11, 0x11), RGBColor(0xB3, 0x47, 0x00), RGBColor(244, 244, 244)


@dataclass
class Box:
    """A token in a box, with the small note below it."""

    text: str
    note: str = ""
    ground: str = "#ffffff"
    edge: str = "#333333"
    dashed: bool = False


@dataclass
class Block:
    """What stands on a slide, one below the other."""

    kind: str  # text, code, boxes, table, picture
    lines: list = field(default_factory=list)  # of runs, of text, of boxes, of cells, or paths

    def height(self, size: float) -> float:
        """Return how high it is, in points, if plain text has this size."""
        room = WIDTH - 2 * MARGIN
        if self.kind == "text":
            rows = [max(1, ceil(width_of(runs) * size / room)) for runs in self.lines]
            return sum(rows) * size * 1.25 + 4
        if self.kind == "code":
            rows = [
                max(1, ceil(len(line) * size * 0.75 * 0.61 / (room - 20))) for line in self.lines
            ]
            return sum(rows) * size * 0.75 * 1.2 + 14
        if self.kind == "boxes":
            return sum(len(wrap(row, size)) * box_height(row, size) for row in self.lines)
        if self.kind == "table":
            return sum(row_heights(self.lines, size))
        return 355 * size / LARGEST


def width_of(runs: list[tuple[str, str]]) -> float:
    """Return how wide a line of runs is, for letters of size 1; code is wider than text."""
    return sum(len(text) * (0.63 if look == "code" else 0.54) for text, look in runs)


def column_widths(rows: list[list[str]]) -> list[float]:
    """Return how wide the columns of a table are, in points: more for longer texts."""
    longest = [max(3, *(len(cell) for cell in column)) for column in zip(*rows, strict=True)]
    parts = [min(length, 40) + 4 for length in longest]
    return [(WIDTH - 2 * MARGIN) * part / sum(parts) for part in parts]


def row_heights(rows: list[list[str]], size: float) -> list[float]:
    """Return how high the rows of a table are, in points; long cells take several lines."""
    heights = []
    for row in rows:
        lines = 1
        for cell, width in zip(row, column_widths(rows), strict=True):
            lines = max(lines, ceil(len(cell) * size * 0.8 * 0.6 / (width - 16)))
        heights.append(lines * size * 0.8 * 1.25 + 10)
    return heights


class Stored(HTMLParser):
    """Read what a cell has stored: tokens in boxes, or the rows of a table."""

    def __init__(self, html: str):
        super().__init__()
        self.boxes: list[Box] = []
        self.rows: list[list[str]] = []
        self.open: list[str] = []  # what each open <span> is
        self.in_cell = False
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        """Begin a box, its note, or a cell."""
        style = dict(attrs).get("style", "")
        if tag == "tr":
            self.rows.append([])
        elif tag in ("th", "td"):
            self.rows[-1].append("")
            self.in_cell = True
        elif tag == "span":
            self.open.append("other")
            for name in ("box", "note", "hidden"):
                if style.startswith(STYLES[name]):
                    self.open[-1] = name
            if self.open[-1] == "box":
                look = re.search(r"background:(#\w+);.*border:1.5px (\w+) (#\w+)", style)
                ground, line, edge = look.groups()
                self.boxes.append(Box("", "", ground, edge, line == "dashed"))

    def handle_endtag(self, tag):
        """End what was begun."""
        if tag == "span":
            self.open.pop()
        elif tag in ("th", "td"):
            self.in_cell = False

    def handle_data(self, data):
        """Add a text to the box, the note or the cell that is open."""
        if self.in_cell:
            self.rows[-1][-1] += data
        elif "hidden" in self.open or "box" not in self.open:
            return
        elif "note" in self.open:
            self.boxes[-1].note += data
        else:
            self.boxes[-1].text += data


def stored_blocks(path: Path, cell: str) -> list[Block]:
    """Return what a cell of a notebook has stored, without what its exercises say."""
    blocks = []
    for output in read_cells(path)[cell]["outputs"]:
        data = output.get("data", {"text/plain": output.get("text", "")})
        data = {kind: "".join(content) for kind, content in data.items()}
        html, text = data.get("text/html", ""), data.get("text/plain", "").strip("'\"")
        lines = [line for line in text.splitlines() if "is used here" not in line]
        if not lines or text.startswith(("… open", "Figure: ")):
            continue
        if "data-bpe=" in html:  # a playground; a film has the word in its style
            blocks.append(Block("picture", [PLAYGROUND]))
        elif "<table" in html:
            blocks.append(Block("table", Stored(html).rows))
        elif STYLES["box"] in html and "<button" not in html and "├" not in text:
            blocks.append(Block("boxes", [Stored(html).boxes]))
        elif "<details" in html:  # a value, shown after a click
            inside = re.search(r"<pre[^>]*>(.*?)</pre>", html, re.DOTALL)
            blocks.append(Block("code", unescape(inside[1]).splitlines() if inside else lines))
        else:
            blocks.append(Block("code", lines))
    return blocks


# From Markdown to blocks.


def runs_of(nodes: list[dict], look: str = "") -> list[tuple[str, str]]:
    """Return the runs of a paragraph: texts, each with how it looks: strong, emphasis, code."""
    runs = []
    for node in nodes:
        kind = node["type"]
        if kind in ("text", "inline_html"):
            if node["raw"] != "<br>":
                runs.append((unescape(node["raw"]), look))
        elif kind == "codespan":
            runs.append((unescape(node["raw"]), "code"))
        elif kind in ("softbreak", "linebreak"):
            runs.append((" ", look))
        elif "children" in node:
            inner = kind if kind in ("strong", "emphasis") else look
            runs += runs_of(node["children"], inner)
    return runs


def blocks_of(nodes: list[dict]) -> list[Block]:
    """Return the blocks of a slide, without its heading."""
    blocks = []
    for node in nodes:
        kind = node["type"]
        if kind == "paragraph" and node["children"][0]["type"] == "image":
            place, _, cell = node["children"][0]["attrs"]["url"].partition("#")
            blocks += stored_blocks((LESSONS / place).resolve(), cell)
        elif kind == "paragraph":
            blocks.append(Block("text", [runs_of(node["children"])]))
        elif kind == "list":
            lines = []
            for number, item in enumerate(node["children"], 1):
                sign = f"{number}. " if node["attrs"]["ordered"] else "• "
                lines.append([(sign, ""), *runs_of(item["children"][0]["children"])])
            blocks.append(Block("text", lines))
        elif kind == "block_code" and node.get("attrs", {}).get("info") == "cards":
            rows = []
            for line in node["raw"].splitlines():
                row = []
                for place, symbol in enumerate(line.split()):
                    look = tint(place)
                    row.append(Box(symbol.replace("_blank", ""), "", look.ground, look.edge))
                rows.append(row)
            blocks.append(Block("boxes", rows))
        elif kind == "block_code":
            blocks.append(Block("code", node["raw"].rstrip("\n").splitlines()))
        elif kind == "table":
            head, body = node["children"]
            rows = [head["children"], *(row["children"] for row in body["children"])]
            cells = [["".join(t for t, _ in runs_of(c["children"])) for c in row] for row in rows]
            blocks.append(Block("table", cells))
        elif kind not in ("blank_line", "heading"):
            raise ValueError(f"a slide has {kind}, which site/slides.py can't write yet")
    return blocks


# From blocks to shapes.


def box_width(box: Box, size: float) -> float:
    """Return how wide a box is, in points."""
    return max(len(box.text), len(box.note) * 0.6, 1) * size * 0.62 + 12


def box_height(row: list[Box], size: float) -> float:
    """Return how high a row of boxes is, with the gap below it."""
    return size * (2.3 if any(box.note for box in row) else 1.7) + 6


def wrap(row: list[Box], size: float) -> list[list[Box]]:
    """Return a row of boxes as several, each of which fits on the slide."""
    rows, used = [[]], 0.0
    for box in row:
        width = box_width(box, size) + 4
        if used + width > WIDTH - 2 * MARGIN and rows[-1]:
            rows.append([])
            used = 0.0
        rows[-1].append(box)
        used += width
    return rows


def write_runs(paragraph, runs: list[tuple[str, str]], size: float) -> None:
    """Write a paragraph."""
    for text, look in runs:
        run = paragraph.add_run()
        run.text = text
        run.font.size = Pt(size)
        run.font.color.rgb = ACCENT if look == "strong" else INK
        run.font.bold = look == "strong"
        run.font.italic = look == "emphasis"
        if look == "code":
            run.font.name = "Courier New"


def add_text(slide, top: float, height: float, lines: list, size: float):
    """Add a box with a paragraph for each line of runs; return it."""
    shape = slide.shapes.add_textbox(Pt(MARGIN), Pt(top), Pt(WIDTH - 2 * MARGIN), Pt(height))
    frame = shape.text_frame
    frame.word_wrap = True
    frame.margin_left = frame.margin_right = Pt(0)
    for number, runs in enumerate(lines):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        write_runs(paragraph, runs, size)
    return shape


def add_boxes(slide, top: float, row: list[Box], size: float) -> None:
    """Add a row of boxes, each a shape of its own."""
    for boxes in wrap(row, size):
        left, height = MARGIN, box_height(row, size)
        for box in boxes:
            width = box_width(box, size)
            place = Pt(left), Pt(top), Pt(width), Pt(height - 6)
            shape = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, *place)
            shape.fill.solid()
            shape.fill.fore_color.rgb = RGBColor.from_string(box.ground[1:].upper())
            shape.line.color.rgb = RGBColor.from_string(box.edge[1:].upper())
            if box.dashed:
                shape.line.dash_style = MSO_LINE.DASH
            shape.shadow.inherit = False
            frame = shape.text_frame
            frame.word_wrap = False
            frame.vertical_anchor = MSO_ANCHOR.MIDDLE
            frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = Pt(1)
            write_runs(frame.paragraphs[0], [(box.text, "")], size)
            frame.paragraphs[0].alignment = PP_ALIGN.CENTER
            if box.note:
                note = frame.add_paragraph()
                note.alignment = PP_ALIGN.CENTER
                write_runs(note, [(box.note, "")], size * 0.55)
            left += width + 4
        top += height


def add_block(slide, block: Block, top: float, size: float) -> None:
    """Add a block, whose upper edge is at ``top``."""
    height = block.height(size)
    if block.kind == "text":
        add_text(slide, top, height, block.lines, size)
    elif block.kind == "code":
        lines = [[(line, "code")] for line in block.lines]
        shape = add_text(slide, top, height, lines, size * 0.75)
        shape.text_frame.margin_left = Pt(10)
        shape.fill.solid()
        shape.fill.fore_color.rgb = PALE
    elif block.kind == "boxes":
        for row in block.lines:
            add_boxes(slide, top, row, size)
            top += len(wrap(row, size)) * box_height(row, size)
    elif block.kind == "table":
        place = Pt(MARGIN), Pt(top), Pt(WIDTH - 2 * MARGIN), Pt(height)
        grid = slide.shapes.add_table(len(block.lines), len(block.lines[0]), *place).table
        for column, width in zip(grid.columns, column_widths(block.lines), strict=True):
            column.width = Pt(width)
        for row, high in zip(grid.rows, row_heights(block.lines, size), strict=True):
            row.height = Pt(high)
        for row, cells in enumerate(block.lines):
            for column, text in enumerate(cells):
                frame = grid.cell(row, column).text_frame
                frame.text = text
                frame.paragraphs[0].font.size = Pt(size * 0.8)
    else:
        picture = slide.shapes.add_picture(
            str(block.lines[0]), Pt(MARGIN), Pt(top), None, Pt(height)
        )
        picture.crop_bottom = 1 - SHOWN
        picture.width = int(picture.width / SHOWN)


def fit(blocks: list[Block]) -> float:
    """Return the largest size of text at which all blocks are on the slide."""
    size = LARGEST
    while True:
        total = sum(block.height(size) + GAP for block in blocks)
        if TOP + total <= HEIGHT - BOTTOM or size <= SMALLEST:
            return size
        size -= 1


def write_deck(source: Path, path: Path) -> None:
    """Write a deck as a file of slides."""
    deck = Presentation()
    deck.slide_width, deck.slide_height = Pt(WIDTH), Pt(HEIGHT)
    only_title = deck.slide_layouts[5]
    read = mistune.create_markdown(renderer="ast", plugins=["table"])
    for text in re.split(r"^---\n", source.read_text("utf-8"), flags=re.MULTILINE):
        nodes = read(text)
        (heading,) = [node for node in nodes if node["type"] == "heading"]
        is_first = heading["attrs"]["level"] == 1
        slide = deck.slides.add_slide(only_title)
        title = slide.shapes.title
        title.left, title.width = Pt(MARGIN), Pt(WIDTH - 2 * MARGIN)
        title.top, title.height = (Pt(150), Pt(90)) if is_first else (Pt(28), Pt(76))
        title.text_frame.text = ""
        title.text_frame.margin_left = Pt(0)
        write_runs(
            title.text_frame.paragraphs[0], runs_of(heading["children"]), 48 if is_first else 38
        )
        title.text_frame.paragraphs[0].alignment = PP_ALIGN.LEFT
        blocks = blocks_of(nodes)
        top, size = (260 if is_first else TOP), fit(blocks)
        for block in blocks:
            add_block(slide, block, top, size)
            top += block.height(size) + GAP
    deck.core_properties.title = deck.slides[0].shapes.title.text_frame.text
    deck.core_properties.author = "bpe-teach, CC BY 4.0"
    deck.save(path)


def write_slides(folder: Path) -> None:
    """Write all decks into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted(LESSONS.glob("*_deck.md")):
        write_deck(source, folder / f"{source.stem}.pptx")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.partition("\n")[0])
    write_slides(Path(sys.argv[1]))
    print(f"the slides are in {sys.argv[1]}")
