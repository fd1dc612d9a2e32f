"""The site: built from the repository, its links, alt texts, width; the address of the repository.

What looks at the built site needs the extra "site"; what looks at it in a browser needs playwright
and chromium, or firefox, too; what checks it for accessibility needs axe-core, whose file
BPE_TEACH_AXE names.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from inspect import ismodule
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

import firefox
import pytest
from common import JAVASCRIPT, NOTEBOOKS, ROOT, rows

import bpe_further
import bpe_teach
from bpe_teach import Tokenizer, corpus_path, load_corpus, load_languages

NEEDED = ["sphinx", "myst_nb", "sphinx_book_theme", "jupyterlite_core", "hatchling"]
SMALL, LARGE = (360, 740), (1400, 900)  # width and height of a window
SERIOUS = ("serious", "critical")
BUT_CONTRAST = "{reporter: 'no-passes', rules: {'color-contrast': {enabled: false}}}"
CONTRAST = "faults in the contrast of texts that look like none before them, and their looks"


def text_of(path: Path) -> str:
    return path.read_text("utf-8")


# The pages as they are written. These tests need nothing.


def test_the_reference_has_a_page_for_every_room():
    rooms = {path.parent.name for path in ROOT.glob("bpe_*/*/__init__.py")}
    pages = {path.stem: text_of(path) for path in (ROOT / "site" / "reference").glob("*.md")}
    shown = {name for name, page in pages.items() if f"{{{{ {name} }}}}" in page}
    assert shown == rooms - {"exercises"} | {"core", "beside_the_core", "compression"}
    assert "automodule:: bpe_teach.exercises.exercise" in pages["exercises"]


# The built site.


class Page(HTMLParser):
    """Collect what a page links to, its anchors and its pictures."""

    def __init__(self, html: str):
        super().__init__()
        self.links = []
        self.anchors = set()
        self.pictures = []  # (src, alt)
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.anchors.add(attributes.get("id", ""))
        if tag == "img":
            self.pictures.append((attributes["src"], attributes.get("alt")))
        for name in ("href", "src"):
            if attributes.get(name):
                self.links.append(attributes[name])


def build(*command):
    """Run a program of Python that builds pages, without a warning; skip without what it needs."""
    for package in NEEDED:
        if not find_spec(package):
            pytest.skip(f'the site needs {package} – python -m pip install ".[site]"')
    command = [sys.executable, "-X", "utf8", *command]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build the site."""
    folder = tmp_path_factory.mktemp("site")
    build(ROOT / "site" / "build.py", folder)
    return folder


@pytest.fixture(scope="module")
def pages(site):
    """Return path -> page, of all pages but those of JupyterLite."""
    found = sorted(site.rglob("*.html"))
    ours = [path for path in found if path.relative_to(site).parts[0] not in ("lite", "_static")]
    return {path: Page(text_of(path)) for path in ours}


def broken_links(pages: dict[Path, Page]) -> list[str]:
    """List the links inside the site that lead nowhere."""
    broken = []
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:|//", link):
                continue
            file, _, anchor = link.partition("#")
            target = (path.parent / unquote(file.partition("?")[0])).resolve() if file else path
            missing_anchor = anchor and target in pages and anchor not in pages[target].anchors
            if not target.is_file() or missing_anchor:
                broken.append(f"{path.name}: {link}")
    return broken


@pytest.mark.parametrize("link", ["nowhere.html", "#nothing", "here.html#nothing"])
def test_a_broken_link_is_found(tmp_path, link):
    path = tmp_path / "here.html"
    path.write_text("")
    sound = (
        '<a id="a" href="#a">a</a> <a href="here.html?x=1#a">b</a> <a href="https://x.org">c</a>'
    )
    assert broken_links({path: Page(sound)}) == []
    assert broken_links({path: Page(f'<a href="{link}">d</a>')}) == [f"here.html: {link}"]


def test_links_inside_the_site_lead_somewhere(pages):
    assert len(pages) > len(NOTEBOOKS) + 10
    assert broken_links(pages) == []


def stored_alt_texts(notebook: Path) -> list[str]:
    """List the texts that follow the figures of a notebook as it is stored."""
    texts = []
    for cell in json.loads(text_of(notebook))["cells"]:
        for output in cell.get("outputs", []):
            plain = "".join(output.get("data", {}).get("text/plain", ""))
            if plain.startswith("Figure: "):
                texts.append(plain.removeprefix("Figure: "))
    return texts


def test_every_picture_has_an_alt_text_and_figures_have_their_own(site, pages):
    for path, page in pages.items():
        for source, alt in page.pictures:
            assert alt, f"{path.name}: {source} has no alt text"
    for notebook in NOTEBOOKS:
        page = pages[site / notebook.relative_to(ROOT).with_suffix(".html")]
        shown = [alt for source, alt in page.pictures if "_images/" in source]
        assert shown == stored_alt_texts(notebook), notebook.name
    told = sum(len(stored_alt_texts(notebook)) for notebook in NOTEBOOKS)
    assert told >= 10


class Shown(HTMLParser):
    """Reads what a page shows as text: not what is code, a formula, a drawing or a program."""

    def __init__(self, html):
        super().__init__()
        self.open = []  # elements that are open, with their classes
        self.text = ""
        self.unlinked = ""  # the text outside links
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag not in ("img", "br", "hr", "input", "meta", "link", "wbr"):  # these have no end
            self.open.append((tag, dict(attrs).get("class") or ""))
        if tag in ("p", "div", "li", "td", "th", "tr", "dt", "dd", "h1", "h2", "h3"):
            self.text += "\n"

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if not any(tag in NO_TEXT or "math" in names for tag, names in self.open):
            self.text += data
            if not any(tag == "a" for tag, _ in self.open):
                self.unlinked += data


NO_TEXT = {"pre", "code", "script", "style", "svg", "textarea", "title"}
# A mark of Markdown, MyST or a template that should have become something else; a table's row.
RAW = re.compile(
    r"Alias for field|`|\{\{ ?\w|:::|\]\(|\|\s*-{3}|^[ \t]*\|.*\|[ \t]*$|^#{1,6} ", re.MULTILINE
)


def raw_marks(html: str) -> list[str]:
    """List where a page shows the marks of its source, with what is around them.

    An address that no link leads to is such a mark as well.
    """
    shown = Shown(html)
    marks = [(shown.text, mark) for mark in RAW.finditer(shown.text)]
    marks += [(shown.unlinked, mark) for mark in re.finditer("https?://", shown.unlinked)]
    return [text[max(0, mark.start() - 40) : mark.end() + 40] for text, mark in marks]


@pytest.mark.parametrize(
    "mark",
    [
        "`tok`",
        "Alias for field number 0",
        "{{ votes }}",
        "::: note",
        "[a](b)",
        "| a | b |",
        "## a",
        "cited: https://example.org",
    ],
)
def test_a_mark_of_the_source_that_a_page_shows_is_found(mark):
    assert raw_marks(f"<h2>a</h2><p>{mark}</p>")
    assert not raw_marks("<p><a href='https://example.org'>https://example.org</a></p>")
    assert not raw_marks(f"<p>a | b # {{7: {{8: 1}}}}</p><pre>{mark}</pre>")


def test_no_page_shows_the_marks_of_its_source(pages):
    found = {path.name: raw_marks(text_of(path)) for path in pages}
    assert {name: marks for name, marks in found.items() if marks} == {}


def test_every_public_name_is_described(site, pages):
    anchors = set()
    for path, page in pages.items():
        if path.parent == site / "site" / "reference":
            anchors |= page.anchors
    for name in [*bpe_teach.__all__, *bpe_further.__all__]:
        item = getattr(bpe_teach if name in bpe_teach.__all__ else bpe_further, name)
        module = getattr(item, "__module__", "bpe_teach.schemes")
        full_name = item.__name__ if ismodule(item) else f"{module}.{name}"
        assert any(anchor.startswith(full_name) for anchor in anchors), name


def test_notebooks_for_the_browser_are_there_with_the_package(site):
    stored = {path.name for path in (site / "lite" / "files").rglob("*.ipynb")}
    assert stored >= {"00_start_here.ipynb", "05_compression.ipynb", "07_fast_bpe.ipynb"}
    assert not stored & {"06_language_model.ipynb", "08_real_tokenizers.ipynb"}
    notebook = json.loads(text_of(site / "lite" / "files" / "01_char_bpe.ipynb"))
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    assert "".join(first["source"]).startswith("%pip install -q bpe-teach\n")
    assert "".join(notebook["cells"][0]["source"]).startswith("[Open in Colab](https:")
    stored = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    shown = [value for output in stored for value in output.get("data", {}).values()]
    assert shown and not any(isinstance(value, list) for value in shown)
    assert "Python can’t be loaded" in text_of(site / "lite" / "lab" / "index.html")
    wheels = [path.name for path in (site / "lite" / "pypi").glob("*.whl")]
    assert any(name.startswith(f"bpe_teach-{bpe_teach.__version__}-") for name in wheels)


# The site in a browser, without a network.

DRAWN = JAVASCRIPT["ids in boxes, as Python writes a list"]


@pytest.fixture
def open_page(open_page):
    """Return a function that opens a page of the site, in a window of a size, light or dark."""

    def open_it(path, size=LARGE, theme="light", hash=""):
        options = {"alone": False, "quiet": False, "hash": hash}
        return open_page(path, size, **options, color_scheme=theme)

    return open_it


DARK = "invert(0.93) hue-rotate(180deg)"


def test_no_page_is_too_wide_and_nothing_serious_stands_in_the_way_of_anybody(
    open_page, site, pages
):
    """Each page is opened once: narrow, in the dark; then as axe-core looks at it, wide."""
    axe = os.environ.get("BPE_TEACH_AXE")
    page = open_page(site / "puzzles.html")
    page.set_default_timeout(120_000)
    found, known = [], []
    for path in pages:
        resize(page, SMALL)
        page.emulate_media(color_scheme="dark")
        page.goto(path.as_uri())
        assert page.evaluate(JAVASCRIPT["pictures without anything in them"]) == [], path.name
        assert page.evaluate(JAVASCRIPT["tables without a row"]) == 0, path.name
        assert page.locator("link[rel~=icon]").count() == 1, path.name
        if not path.stem.endswith(("_deck", "_plan", "_sheet")):  # test_lessons.py looks at them
            assert page.evaluate("document.documentElement.dataset.theme") == "dark"
            assert page.evaluate(JAVASCRIPT["filters of figures"]) in ([], [DARK]), path.name
            page.evaluate("document.documentElement.dataset.theme = 'light'")
            assert page.evaluate(JAVASCRIPT["filters of figures"]) in ([], ["none"]), path.name
            assert page.evaluate("document.documentElement.scrollWidth") <= SMALL[0], path.name
            widths = page.evaluate(JAVASCRIPT["widths of cells that hold more than a few words"])
            assert all(width > 100 for width in widths), path.name
        for fault in faults_of(page, Path(axe).read_text("utf-8"), known) if axe else []:
            places = [node["html"][:100] for node in fault["nodes"][:3]]
            if fault["impact"] in SERIOUS:
                found.append(f"{path.name}: {fault['help']}: {places}")
    assert found == []
    if not axe:
        pytest.skip("set BPE_TEACH_AXE to the file axe.min.js of the npm package axe-core")


def resize(page, size: tuple[int, int]) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})


def faults_of(page, axe: str, known: list[str]) -> list[dict]:
    """Return the faults that axe-core finds; ``known`` are the looks of texts on other pages."""
    resize(page, LARGE)
    page.add_style_tag(content="* { transition: none !important }")  # colours change at once
    page.evaluate(JAVASCRIPT["parts of code that look like one before them are taken away"])
    page.evaluate(axe)
    faults = page.evaluate(f"axe.run({BUT_CONTRAST})")["violations"]
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        looks, more = page.evaluate(JAVASCRIPT[CONTRAST], known)
        known += looks
        faults += more
    return faults


def test_the_playground_encodes_what_is_typed(open_page, site):
    tok = Tokenizer.train(load_corpus("story"), scheme="gpt2", num_merges=2000)
    page = open_page(site / "playground.html", SMALL)
    text = "Counting the lower lights, 3 times 🐢"
    page.locator("textarea").first.fill(text)
    page.wait_for_function(f"{DRAWN} == '{tok.encode(text)}'")  # when the page is next painted


@pytest.fixture(scope="module")
def served(site):
    """Serve the site on this machine, as a search needs that shows what it has found."""
    handler = partial(Quiet, directory=site)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    """Serve files and write nothing."""

    def log_message(self, *_):
        pass


@pytest.mark.parametrize(
    ("sought", "place", "said"),
    [
        ("strawberry", "00_start_here.html#the-tokenizer-you-use-every-day", "strawberry"),
        ("cost", "05c_language_price.html#", ""),
        ("Hugging Face", "exchange.html#other-people-s-tokenizers", "Hugging Face"),
        ("transformers", "exchange.html#other-people-s-tokenizers", "transformers"),
    ],
)
def test_the_search_leads_to_the_page_and_shows_a_sentence(sought, place, said, browser, served):
    page = browser.new_page()
    page.goto(f"{served}/search.html?q={sought}")
    page.get_by_text(re.compile("Search finished")).wait_for(timeout=60_000)
    found = page.locator("#search-results li")
    addresses = [one.get_attribute("href") for one in found.locator("a:first-child").all()]
    assert any(place in address for address in addresses[:2])
    shown = page.locator("#search-results p.context").all_inner_texts()
    assert said in shown[0]
    assert all(len(text.split()) > 2 for text in shown)
    page.close()


@pytest.mark.parametrize("word", ["knee", "pre-tokenization", "embedding matrix"])
def test_the_search_finds_the_words_of_the_glossary_first_also_by_other_names(
    word, open_page, site
):
    page = open_page(site / "search.html")
    page.goto(f"{(site / 'search.html').as_uri()}?q={word}")
    first = page.locator("#search-results li a").first
    first.wait_for()
    assert "site/glossary.html#" in first.get_attribute("href")


def test_the_same_in_firefox(site, tmp_path):
    pytest.importorskip("websocket", reason="Firefox needs websocket-client")
    found = shutil.which("firefox-esr") or shutil.which("firefox")
    if found is None:
        pytest.skip("there is no firefox on the path")
    tok = Tokenizer.train(load_corpus("story"), scheme="gpt2", num_merges=2000)
    with firefox.start(found, tmp_path) as page:
        for name in rows("site/in_firefox"):
            for width in (1280, 380):
                page.open((site / name).as_uri(), width)
                assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        page.evaluate("document.querySelector('[type=range]').focus()")
        page.press("\ue010")  # End
        assert "Hindi\n1.61" in page.evaluate("document.querySelector('main').innerText")
        page.open((site / "playground.html").as_uri(), 380)
        page.evaluate("document.querySelector('textarea').select()")
        page.press("lower 3🐢")
        drawn = f"{DRAWN} == '{tok.encode('lower 3🐢')}'"
        look = f"const look = () => {drawn} ? done() : requestAnimationFrame(look)"
        page.evaluate(f"new Promise(done => {{ {look}; look() }})")
        page.evaluate("document.querySelector('[data-id]').focus()")
        page.press("\ue007")  # Enter
        assert "rank" in page.evaluate("document.querySelector('main, body').innerText")
        assert page.faults == []


@pytest.mark.parametrize(("text", "pattern"), [("equal", "o200k"), ("English", "gpt2")])
def test_the_price_of_a_language_is_that_of_the_package_and_keys_move_it(
    text, pattern, open_page, site
):
    told = {name: page.split("\n") for name, page in load_languages("sentences").items()}
    read = [line for lines in told.values() for i, line in enumerate(lines) if i % 4]
    if text == "English":
        read = [load_corpus("story")[: len("\n".join(read).encode())]]
    tok = Tokenizer.train(read, scheme=pattern, num_merges=10)
    page = open_page(site / "factors.html", (320, 740), "dark")
    pressed = {
        "pattern": ["ArrowRight"] if pattern == "o200k" else [],
        "text": ["ArrowRight"] if text == "English" else [],
        "step": ["Home", "ArrowRight", "ArrowRight"],  # 10 merges
    }
    for name, keys in pressed.items():
        for _ in range(30):
            page.keyboard.press("Tab")
            if page.evaluate("document.activeElement.name") == name:
                break
        for key in keys:
            page.keyboard.press(key)
    assert page.locator("#factors output").inner_text() == "10"
    english = len(tok.encode("\n".join(told["English"][::4])))
    drawn_rows = page.locator("#prices tbody tr").all()
    assert len(drawn_rows) == len(told) == 12
    for row, (name, lines) in zip(drawn_rows, told.items(), strict=True):
        shown, price, boxes = row.locator("th, td").all()
        assert shown.inner_text() == name
        tokens = len(tok.encode("\n".join(lines[::4])))
        assert price.inner_text().strip() == f"{tokens / english:.2f}"
        sentence = lines[told["English"].index("The bus to the city comes every morning.")]
        expected = [token.hex(" ").upper() for token in tok.tokens(sentence)]
        assert int(boxes.locator("b").inner_text()) == len(expected)
        for drawn, token in zip(boxes.locator("span").all_inner_texts(), expected, strict=True):
            assert token in (drawn, drawn.replace("·", " ").encode().hex(" ").upper())
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


def test_a_language_and_a_tokenizer_are_picked_and_the_stored_counts_shown(open_page, site):
    with corpus_path("declaration_tokens").open(encoding="utf-8") as file:
        stored = {(row["vocabulary"], row["language"]): row for row in csv.DictReader(file)}

    def price(vocabulary, language):
        tokens = [int(stored[vocabulary, name]["tokens"]) for name in (language, "English")]
        return f"{tokens[0]:,}", f"{tokens[0] / tokens[1]:.2f}"

    page = open_page(site / "factors.html", (400, 740), "dark")
    assert " 1.57 times as many as in English." in page.locator("#told").inner_text()  # Hindi
    tokenizers = list(dict.fromkeys(vocabulary for vocabulary, _ in stored))
    models, others = page.locator(".paid").all()
    page.locator("summary").click()
    chosen = {"Arabic": "GPT-2", "Vietnamese": "Gemma 3", "English": "GPT-4"}
    for language, vocabulary in chosen.items():
        page.locator("#yours select[name=language]").select_option(language)
        name = page.locator("#yours select[name=tokenizer] option", has_text=f"{vocabulary} (")
        page.locator("#yours select[name=tokenizer]").select_option(name.inner_text())
        tokens, times = price(vocabulary, language)
        said = page.locator("#told").inner_text()
        assert f"takes {tokens} tokens in {language}" in said
        assert (f"{times} times as many as in English" in said) == (language != "English")
        assert ("If every word" in said) == (vocabulary == "GPT-2")
        article = page.locator("#article")
        assert article.inner_text() == load_languages("declaration")[language].split("\n")[0]
        assert article.get_attribute("dir") == ("rtl" if language == "Arabic" else "ltr")
        assert page.locator("#accents").is_visible() == (language == "Vietnamese")
        for row, each in zip(models.locator("tbody tr").all(), tokenizers, strict=True):
            name, *numbers = row.locator("th, td").all_inner_texts()
            assert name == f"{each}, {stored[each, language]['published']}"
            assert tuple(number.strip() for number in numbers) == price(each, language)
        prices = others.locator("tbody tr td:last-child span").all_inner_texts()
        assert len(prices) == 58
        assert prices == sorted(prices, key=float)
        assert others.locator("[aria-current] th").inner_text() == language
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


def test_what_a_language_pays_can_be_sent_as_a_picture_and_as_a_link(open_page, site):
    image = pytest.importorskip("PIL.Image")
    page = open_page(site / "factors.html")
    page.locator("#yours select[name=language]").select_option("Dzongkha")
    with page.expect_download() as saved:
        page.click("#send")
    assert saved.value.suggested_filename == "Dzongkha.png"
    picture = image.open(saved.value.path()).convert("RGB")
    colours = dict((colour, number) for number, colour in picture.getcolors(100_000))
    chosen, others = colours[191, 82, 0], colours[0, 114, 178]  # the bars' areas
    with corpus_path("declaration_tokens").open(encoding="utf-8") as file:
        table = {
            (row["vocabulary"], row["language"]): int(row["tokens"]) for row in csv.DictReader(file)
        }
    prices = {
        name: tokens / table[name, "English"]
        for (name, language), tokens in table.items()
        if language == "Dzongkha"
    }
    share = prices["GPT-4o"] / sum(prices.values())
    assert chosen / (chosen + others) == pytest.approx(share, abs=0.01)
    page.click("#copy")
    assert page.url.endswith("#language=Dzongkha&tokenizer=GPT-4o")
    there = open_page(site / "factors.html", hash="#language=Thai&tokenizer=GPT-2")
    assert "tokens in Thai" in there.locator("#told").inner_text()
    assert "GPT-2 (" in there.locator("#told").inner_text()


PARS = rows("site/pars")


def test_every_puzzle_can_be_solved_at_par_and_is_open_at_first(open_page, site):
    page = open_page(site / "puzzles.html")
    puzzles = page.locator(".puzzle")
    assert puzzles.count() == len(PARS) == 20
    assert page.locator("#score").inner_text() == "0 of 20 solved, 0 at par."
    for puzzle, typed in zip(puzzles.all(), PARS, strict=True):
        for field, text in zip(puzzle.locator("textarea").all(), typed, strict=True):
            field.fill("q q\nqq q")  # for most of them no answer
            field.fill(text)
        assert "par." in puzzle.locator(".verdict").inner_text(), typed
    assert page.locator("#score").inner_text() == "20 of 20 solved, 20 at par."
    page.reload()  # what was written is kept
    assert page.locator("#score").inner_text() == "20 of 20 solved, 20 at par."
    assert len(page.locator("main").inner_text().split()) <= 900


@pytest.mark.parametrize("wrong", ["t o", "o w e", "o  ow", "low", "abab", " ", "é🐢", "a\n" * 50])
def test_a_wrong_answer_solves_nothing_it_should_not(open_page, site, wrong):
    page = open_page(site / "puzzles.html")
    for puzzle in page.locator(".puzzle").all()[:7]:
        for field in puzzle.locator("textarea").all():
            field.fill(wrong)
        assert "✓" not in puzzle.inner_text()


WEIGHTS = {name: limits for name, *limits in rows("site/weights")}


@pytest.mark.parametrize("name", WEIGHTS)
def test_a_page_is_light_soon_painted_and_asks_for_nothing_elsewhere(name, open_page, site):
    if not (site / name).exists():
        pytest.skip(f"{name} was not built")
    page = open_page(site / name, SMALL)
    loaded = page.evaluate(JAVASCRIPT["files that are loaded"])
    assert [address for address in loaded if not address.startswith("file:")] == []
    files = {Path(unquote(urlsplit(address).path)) for address in loaded}
    ours = {ROOT / "site" / "static" / file.name for file in files}
    weight = sum(file.stat().st_size for file in [site / name, *filter(Path.exists, ours)])
    kilobytes, awaited = WEIGHTS[name]
    assert weight <= 1000 * kilobytes
    assert page.evaluate(JAVASCRIPT["files without which nothing is painted"]) <= awaited


FEW = {  # pages, whose links to others lead nowhere
    "include_patterns": "site/*.md",
    "suppress_warnings": "toc,myst.header,myst.xref_missing",
}


@pytest.mark.slow
def test_gpt2_stands_beside_ours_or_the_playground_says_that_it_is_missing(request, tmp_path):
    try:
        gpt2 = request.getfixturevalue("gpt2")
    except pytest.skip.Exception:  # then all is computed, but few pages are made
        options = [f"-D{name}={value}" for name, value in FEW.items()]
        build("-m", "sphinx", "-qW", *options, "-c", ROOT / "site", ROOT, tmp_path)
        assert not (tmp_path / "gpt2.html").exists()
        assert "could not be downloaded" in text_of(tmp_path / "playground.html")
        return
    site, open_page = map(request.getfixturevalue, ["site", "open_page"])
    assert 'href="gpt2.html"' in text_of(site / "index.html")
    page = open_page(site / "gpt2.html")
    text = "Strawberry 🐢 12345"
    page.locator("textarea").first.fill(text)
    drawn = page.locator("[data-which='0'] [data-id]").evaluate_all(
        "a => a.map(b => +b.dataset.id)"
    )
    assert drawn == gpt2.encode(text)
    page.locator("select:has(option[value='a program'])").select_option("a program")
    program = Tokenizer.train(load_corpus("program"), scheme="cl100k", num_merges=1000)
    third = page.locator("[data-which='2'] [data-id]")
    assert third.evaluate_all("a => a.map(b => +b.dataset.id)") == program.encode(text)
    third.first.click()
    assert "Why its word is split" in page.locator("[data-role='detail']").inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= LARGE[0]


# The address of the repository: in one place, and changed everywhere by one command.

CHECKED = ["tests/test_notebooks.py", "tests/test_project.py"]  # which compare addresses
WHICH = "badge or sets_up or a_page_says or links_lead"


def git_files() -> list[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is not a clone made with git")
    return [name for name in listed.decode("utf-8").split("\0") if (ROOT / name).is_file()]


@pytest.fixture
def fork(tmp_path):
    """Copy the repository as git knows it."""
    for name in git_files():
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, copy)
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def set_address(folder: Path, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-X", "utf8", folder / ".ci" / "address.py", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8")


@pytest.mark.slow
def test_a_fork_changes_its_address_everywhere_with_one_command(fork):
    project = tomllib.loads(text_of(fork / "pyproject.toml"))
    owner, name = project["project"]["urls"]["Repository"].split("/")[-2:]
    ref = project["tool"]["bpe-teach"]["ref"]
    old = [f"{owner}/{name}", f"{owner}.github.io/{name}", f"cd {name}\n"]
    old += [f"bytes_2027{sign}{ref}" for sign in ("@", "/", "/blob/", "/tree/")]
    before = {fork / name: (fork / name).read_bytes() for name in git_files()}

    done = set_address(fork, "/".join(("ada-school", "bytes_2027")), "autumn-2.0")
    assert done.returncode == 0, done.stderr
    for file, content in before.items():
        now = file.read_bytes()
        for address in old:
            assert address.encode() not in now, file.name
        if file.suffix == ".ipynb":
            assert now != content, file.name
    assert "cd bytes_2027\n" in text_of(fork / "README.md")
    options = ["-q", "-p", "no:cacheprovider", "-k", WHICH, *CHECKED]
    command = [sys.executable, "-X", "utf8", "-m", "pytest", *options]
    checked = subprocess.run(command, cwd=fork, capture_output=True, encoding="utf-8")
    assert checked.returncode == 0, checked.stdout

    assert set_address(fork, f"https://github.com/{owner}/{name}", ref).returncode == 0
    changed = [file.name for file, content in before.items() if file.read_bytes() != content]
    assert changed == []


@pytest.mark.parametrize("given", ["", "bpe", "a/b/c", "a b/c", "https://example.org/a/b"])
def test_what_is_no_address_changes_nothing(given):
    done = set_address(ROOT, given)
    assert done.returncode == 1
    assert "OWNER/NAME" in done.stderr
