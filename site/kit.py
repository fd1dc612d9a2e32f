"""Build the plans, worksheets and decks of the lessons: python site/kit.py FOLDER

Needs the extra "site" or "notebooks". The site has them beside the pages of the lessons.

Their sources are Markdown files in the folder "lessons" beside this file. ``lesson1.md``, the plan
of a lesson, and ``lesson1_sheet.md``, its worksheet, become a sheet of A4 each, ``lesson1_deck.md``
a deck: one page with everything inside, which asks the network for nothing. A line ``---`` ends a
slide; the keys ← and →, or a click or tap on the right or left, turn slides, and each prints on a
page of its own.

Two things are more than Markdown. A picture whose address is a cell of a notebook,
``![tokens in boxes](../../notebooks/01_char_bpe.ipynb#c04)``, is what this cell has stored; no
notebook is run. And a block of code marked ``cards`` is drawn as rows of boxes, one for each
symbol; the box of ``_blank`` is empty. Marked ``tokens``, they are coloured on paper, too.
"""

import json
import re
import sys
from functools import cache
from html import escape
from pathlib import Path
from urllib.parse import quote

import mistune

from bpe_teach.pictures.boxes import row_html, token_html
from bpe_teach.pictures.colours import tint

LESSONS = Path(__file__).resolve().parent / "lessons"
# The site's icon, in the page itself: a sheet is also opened alone.
ICON = "data:image/svg+xml," + quote((LESSONS.parent / "static" / "favicon.svg").read_text("utf-8"))

PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="{icon}">
<style>{style}</style>
</head>
<body>
<main aria-live="polite">
{body}
</main>
</body>
</html>
"""

SHEET_STYLE = """
@page { size: A4; margin: 14mm 16mm; }
body { max-width: 178mm; margin: 6mm auto; padding: 0 4mm; font: 11pt/1.45 system-ui, sans-serif;
  color: #000; background: #fff; }
h1 { font-size: 15pt; margin: 0 0 2mm; }
h1 + p { margin: 0 0 4mm; color: #444; }
h2 { font-size: 11.5pt; margin: 4.5mm 0 1mm; }
p, ul, ol { margin: 1mm 0; }
table { border-collapse: collapse; width: 100%; margin: 2mm 0; }
th, td { border: 1px solid #777; padding: 0.8mm 2mm; text-align: left; min-width: 6mm;
  height: 5.2mm; }
code { font: 10.5pt monospace; white-space: pre-wrap; }
pre { margin: 1mm 0; white-space: pre-wrap; }
.cards { display: flex; flex-wrap: wrap; align-items: center; gap: 1mm; margin: 2mm 0; }
.cards b { box-sizing: border-box; min-width: 7.6mm; height: 8.5mm; padding: 0 1mm;
  text-align: center; font: 12pt/8mm monospace; border: 1px solid #333; border-radius: 1.5mm;
  white-space: pre; }
.cards b:empty { min-width: 10mm; height: 9.5mm; border-style: dashed; border-color: #555; }
hr { border: 0; border-bottom: 1px solid #999; margin: 7mm 0 0; }
.stored { margin: 1mm 0; max-width: 100%; overflow-x: auto; }
.stored.cards { height: auto; }
.stored [data-role=ids] { display: none; }
.stored:has(img) { display: inline-block; width: 49%; }
.stored img { max-width: 100%; }
* { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
@media screen and (max-width: 700px) {  /* a phone: lines to write on end where the screen ends */
  body { overflow-wrap: anywhere; }
  table { display: block; overflow-x: auto; }
  th, td { min-width: 12mm; overflow-wrap: normal; }
  .stored:has(img) { width: 100%; }
}
@media print { body { margin: 0; padding: 0; max-width: none; } }
"""

PLAN_STYLE = """
@page { margin: 10mm 12mm; }
body { font-size: 9.1pt; line-height: 1.25; max-width: 186mm; }
h1 + p { margin-bottom: 1mm; color: #000; }
h1 + p + p { display: none; }  /* the links to the worksheet and the slides */
h2 { margin: 2mm 0 0.5mm; }
td, th { vertical-align: top; height: auto; padding: 0.5mm 1.5mm; }
td:first-child { white-space: nowrap; }
code { font-size: 8.5pt; }
pre { display: inline-block; width: 48%; margin: 0; vertical-align: top; line-height: 1.1; }
pre code { font-size: 7.5pt; }
"""

PICTURES_STYLE = """
@page { margin: 11mm 14mm; }
body { font-size: 9.4pt; line-height: 1.3; max-width: 182mm; }
h2 { margin-top: 2.5mm; }
.stored { zoom: 0.75; }
@media print { .stored img { max-width: 84%; } }
"""

DECK_STYLE = """
@page { size: 1280px 720px; margin: 0; }
* { box-sizing: border-box; }
body { margin: 0; background: #222; overflow: hidden; }
section { position: absolute; top: 50%; left: 50%; width: 1280px; height: 720px; padding: 48px 72px;
  font: 40px/1.4 system-ui, sans-serif; color: #111; background: #fff; visibility: hidden;
  overflow: hidden; transform: translate(-50%, -50%) scale(var(--scale, 1)); }
section.shown { visibility: visible; }
section::after { content: attr(data-number); position: absolute; right: 24px; bottom: 14px;
  font-size: 18px; color: #666; }
h1 { font-size: 76px; line-height: 1.15; margin: 190px 0 24px; }
h2 { font-size: 58px; line-height: 1.2; margin: 0 0 36px; }
p, ul, ol, table { margin: 0 0 28px; }
code { font: 0.9em/1.4 monospace; background: #eee; padding: 0 8px; border-radius: 6px;
  white-space: pre-wrap; }
pre { margin: 0 0 24px; padding: 18px 24px; background: #f4f4f4; border-radius: 10px; }
pre code { background: none; padding: 0; }
strong { color: #b34700; }
.stored { margin: 0 0 12px; zoom: var(--zoom, 1); font: 16px/1.5 system-ui, sans-serif; }
.stored.cards * { white-space: nowrap !important; }
.stored.text pre { font: 16px/1.4 monospace; white-space: pre-wrap; padding: 10px 14px; margin: 0; }
.stored :is(summary, [data-role=ids], [data-role=curve], [data-role=picture]) {
  display: none; }
.stored details pre { font-size: 17px; }
.stored img { max-width: 100%; }
table { border-collapse: collapse; font-size: 34px; }
.stored table { font-size: 15px; }
th, td { border: 1px solid #bbb; padding: 4px 14px; text-align: left; }
@media screen and (max-width: 700px) {  /* a phone: as long as needed, never smaller */
  body { background: #fff; overflow: auto; }
  section { position: relative; top: 0; left: 0; display: none; width: auto; height: auto;
    min-height: 100vh; padding: 24px 16px 40px; font-size: 20px; transform: none; }
  section.shown { display: block; }
  h1 { font-size: 36px; margin: 25vh 0 16px; }
  h2 { font-size: 28px; margin: 0 0 20px; }
  p, ul, ol, table, pre { margin: 0 0 16px; }
  ul, ol { padding-left: 24px; }
  pre { padding: 10px; font-size: 18px; overflow-x: auto; }
  code { overflow-wrap: anywhere; }
  pre code { white-space: pre; }
  table { display: block; font-size: 17px; overflow-x: auto; }
  .stored { zoom: 1; overflow-x: auto; }
  .stored.cards * { white-space: normal !important; }
}
@media print {
  body { background: #fff; overflow: visible; }
  section { position: relative; top: 0; left: 0; visibility: visible; transform: none;
    break-after: page; }
  section:last-of-type { break-after: auto; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""

DECK_PROGRAM = """
<script>
const slides = [...document.querySelectorAll("section")];
let at = 0;
function show(number) {
  at = Math.min(Math.max(number, 0), slides.length - 1);
  slides.forEach((slide, i) => slide.classList.toggle("shown", i === at));
  scrollTo(0, 0);
  history.replaceState(null, "", "#" + (at + 1));
}
for (const box of document.querySelectorAll("[data-bpe]")) {  // playgrounds come to life
  box.oninput();
  box.nextElementSibling?.remove();  // advice that only a notebook needs
  box.closest("section").style.overflow = "auto";  // for what will be typed
}
function enlarge(slide) {  // pictures are as large as the slide allows
  const live = slide.querySelectorAll("[data-bpe]");
  const boxes = [...slide.querySelectorAll(".stored")];
  const tooLarge = () => slide.scrollHeight > 720 || slide.scrollWidth > 1280
    || boxes.some(box => box.scrollWidth > box.clientWidth);
  let zoom = slide.querySelector("input, pre") ? 2 : 2.8;
  do {
    slide.style.setProperty("--zoom", zoom);
    for (const box of live) box.bpe.redraw();
  } while (tooLarge() && (zoom -= 0.1) > 1);
}
const phone = matchMedia("(max-width: 700px)");
const enlargeAll = () => phone.matches || slides.forEach(enlarge);
phone.addEventListener("change", enlargeAll);  // it was turned
enlargeAll();
for (const slider of document.querySelectorAll("input[type=range]"))
  slider.oninput?.();  // takes away the advice that only a notebook needs
function fit() {
  const scale = Math.min(innerWidth / 1280, innerHeight / 720);
  document.body.style.setProperty("--scale", scale);
}
const TYPED = "input, textarea, select";
addEventListener("keydown", event => {  // Escape: what was typed in lets the keys go
  if (event.key === "Escape") document.activeElement.blur();
}, true);
addEventListener("keydown", event => {
  if (event.target.closest?.(TYPED)) return;
  if (["ArrowRight", "PageDown", " "].includes(event.key)) show(at + 1);
  else if (["ArrowLeft", "PageUp"].includes(event.key)) show(at - 1);
  else if (event.key === "Home") show(0);
  else if (event.key === "End") show(slides.length - 1);
});
addEventListener("click", event => {  // a tap is a click, too
  if (event.target.closest?.(`${TYPED}, button, a, summary, label, [tabindex], [data-bpe]`)) return;
  if (!getSelection().isCollapsed) return;  // somebody marks words
  show(event.clientX < innerWidth / 3 ? at - 1 : at + 1);
});
addEventListener("resize", fit);
fit();
show((parseInt(location.hash.slice(1)) || 1) - 1);
</script>
"""


@cache
def read_cells(path: Path) -> dict[str, dict]:
    """Return the cells of a notebook by their ids."""
    return {cell["id"]: cell for cell in json.loads(path.read_text("utf-8"))["cells"]}


def stored(path: Path, cell: str, alt: str) -> str:
    """Return as HTML what a cell of a notebook has stored, without what its exercises say.

    A folded answer is shown open: on slides it follows its question.
    """
    pieces = []
    for output in read_cells(path)[cell]["outputs"]:
        data = output.get("data", {"text/plain": output.get("text", "")})
        data = {kind: "".join(content) for kind, content in data.items()}
        lines = data.get("text/plain", "").splitlines()
        text = "\n".join(line for line in lines if "is used here" not in line)
        if not text or text.startswith(("… open", "Figure: ")):
            continue
        if "image/png" in data:
            address = f"data:image/png;base64,{data['image/png'].strip()}"
            pieces.append(f'<div class="stored"><img alt="{escape(alt)}" src="{address}"></div>')
        elif "text/html" in data:
            html = data["text/html"].replace("<details>", "<details open>")
            pieces.append(f'<div class="stored">{html}</div>')
        else:
            pieces.append(f'<div class="stored text"><pre>{escape(text)}</pre></div>')
    if not pieces:
        raise ValueError(f"{path.name} has stored nothing to show in the cell {cell}")
    return "\n".join(pieces)


class Renderer(mistune.HTMLRenderer):
    """Write HTML; pictures may be stored in notebooks, and symbols lie on cards."""

    def __init__(self, deck: bool):
        super().__init__(escape=False)
        self.deck = deck

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Write only the text of a link: what is printed or shown leads nowhere."""
        return f"<em>{text}</em>"

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Write what a cell has stored."""
        place, _, cell = url.partition("#")
        return stored((LESSONS / place).resolve(), cell, text)

    def paragraph(self, text: str) -> str:
        """Write a paragraph, but leave what a cell has stored as it is."""
        return f"{text}\n" if text.startswith('<div class="stored') else super().paragraph(text)

    def block_code(self, code: str, info: str | None = None) -> str:
        """Write code, or a row of cards for each line."""
        if info not in ("cards", "tokens"):
            return super().block_code(code, info)
        is_coloured = self.deck or info == "tokens"
        rows = []
        for line in code.splitlines():
            symbols = ["" if symbol == "_blank" else symbol for symbol in line.split()]
            if is_coloured:
                boxes = [token_html(symbol, look=tint(i)) for i, symbol in enumerate(symbols)]
                rows.append(f'<div class="stored cards">{row_html(boxes)}</div>')
            else:
                cards = "".join(f"<b>{escape(symbol)}</b>" for symbol in symbols)
                rows.append(f'<div class="cards">{cards}</div>')
        return "\n".join(rows)


def render(source: Path) -> str:
    """Return the page of a plan, a sheet or a deck."""
    text = source.read_text("utf-8")
    title = text.partition("\n")[0].removeprefix("# ")
    deck = source.stem.endswith("_deck")
    write = mistune.create_markdown(renderer=Renderer(deck), plugins=["table"])
    if not deck:
        body = write(text)
        style = SHEET_STYLE
        if not source.stem.endswith("_sheet"):
            style += PLAN_STYLE
        elif 'class="stored' in body:
            style += PICTURES_STYLE
        return PAGE.format(title=escape(title), icon=ICON, style=style, body=body)
    slides = []
    for number, slide in enumerate(re.split(r"^---\n", text, flags=re.MULTILINE), 1):
        slides.append(f'<section data-number="{number}">\n{write(slide)}</section>')
    body = "\n".join(slides) + DECK_PROGRAM
    return PAGE.format(title=escape(title), icon=ICON, style=DECK_STYLE, body=body)


def write_kit(folder: Path) -> None:
    """Write all plans, sheets and decks into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted(LESSONS.glob("*.md")):
        name = source.stem
        if not name.endswith(("_sheet", "_deck")):
            name += "_plan"  # the site has a lesson1.html of its own
        (folder / f"{name}.html").write_text(render(source), "utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.partition("\n")[0])
    write_kit(Path(sys.argv[1]))
    print(f"the plans, worksheets and decks are in {sys.argv[1]}")
