"""Sphinx: the course as a site, from the repository as it is. No notebook is run.

Five pages are templates that stand alone, so that they are small: the first one; the playground of
a tokenizer that is trained here on the story of the course; the one with GPT-2 beside it; what a
language pays; the puzzles. All other pages are files of the repository, listed in ``contents.md``.
The worksheets and decks of the lessons are made by ``kit.py``.
"""

import ast
import gc
import json
import re
import sys
import tomllib
from collections import defaultdict
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from inspect import getsource, ismodule
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten

from docutils import nodes
from markupsafe import Markup, escape
from sphinx import addnodes
from sphinx.search.en import SearchEnglish

import bpe_further
import bpe_teach
from bpe_further import from_gpt2
from bpe_further.classroom.exam import blocks_of, draw_exam
from bpe_further.classroom.handout import find_exercises
from bpe_further.exercises.concept_inventory import FORMS
from bpe_teach import Tokenizer, load_corpus, playground
from bpe_teach.corpora import CorpusUnavailable
from bpe_teach.exercises.exercise import Exercise, Function, Value
from bpe_teach.exercises.page import load
from bpe_teach.pictures.playground import program, tokenizer_data

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

from build import NOTEBOOKS, notebooks_for_the_browser  # noqa: E402 - it lies beside this file
from factors import factors  # noqa: E402
from front import MODELS, WOODCHUCK, first_boxes, front, pack, tokens_of_the_rule  # noqa: E402
from kit import write_kit  # noqa: E402
from languages import languages  # noqa: E402
from readers import known  # noqa: E402
from slides import write_slides  # noqa: E402

gc.disable()  # a build soon ends, and would look for garbage for a fifth of its time

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
REF = PYPROJECT["tool"]["bpe-teach"]["ref"]
REPOSITORY = PROJECT["urls"]["Repository"]
OWNER, NAME = REPOSITORY.split("/")[-2:]
ADDRESS = f"https://{OWNER.lower()}.github.io/{NAME}"

project = "Byte pair encoding, step by step"
author = PROJECT["authors"][0]["name"].replace("The ", "the ")  # pages say "by the …"
html_title = project
html_show_copyright = False
html_show_sphinx = False
language = "en"

# What is read. The source folder is the repository itself.
extensions = ["myst_nb", "sphinx.ext.autodoc"]
root_doc = "site/contents"
include_patterns = [
    "*.md",
    "data/README.md",
    "data/conformance/README.md",
    "notebooks/**.ipynb",
    "notebooks/README.md",
    "site/*.md",
    "site/lessons/*.md",
    "site/reference/*.md",
]
exclude_patterns = [
    "**/.ipynb_checkpoints",
    "site/lessons/*_deck.md",  # of these kit.py makes pages of its own
    "site/lessons/*_sheet.md",
]
nb_execution_mode = "off"
nb_merge_streams = True
myst_enable_extensions = ["html_image", "substitution"]  # README has a picture with a width
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # some pages begin with a heading of the second level

# The reference. In docstrings `name` is a name of this package.
autodoc_member_order = "bysource"
autodoc_mock_imports = ["torch"]
autodoc_preserve_defaults = True
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": False}
default_role = "py:obj"
add_module_names = False
toc_object_entries = False

# How it looks.
html_theme = "sphinx_book_theme"
html_static_path = ["static"]
html_favicon = "static/favicon.svg"
html_extra_path = ["../notebooks/images/film.png"]  # shown where a page is shared
html_css_files = ["site.css"]
html_js_files = [("site.js", {"defer": "defer"})]
templates_path = ["."]
ALONE = ("index", "playground", "factors", "puzzles")
html_additional_pages = {name: f"{name}.html" for name in ALONE}
html_use_index = False
html_domain_indices = False
html_theme_options = {
    "repository_url": REPOSITORY,
    "repository_branch": REF,
    "use_repository_button": True,
    "use_fullscreen_button": False,
    "launch_buttons": {
        "colab_url": "https://colab.research.google.com",
        "binderhub_url": "https://mybinder.org",
        "notebook_interface": "jupyterlab",
    },
    "logo": {"text": project},
    "navbar_persistent": [],
    "show_navbar_depth": 1,
    "show_toc_level": 2,
}


# What is made at build time: the playground, the reference, links to JupyterLite.

TYPED = "She counted the lower lights, and then she counted them again. 🐢"
STORY = Tokenizer.train(load_corpus("story"), scheme="gpt2", num_merges=2000)
STORY_PLAYGROUND = playground(STORY, TYPED).html


def published() -> dict[str, str]:
    """Return the scripts with GPT-2's and GPT-4o's vocabularies, as far as their files are had."""
    scripts = {}
    for name in MODELS:
        try:
            scripts[name] = pack(name)
        except CorpusUnavailable as error:
            print(f"The vocabulary of {name} is left out: {error}")
    return scripts


PUBLISHED = published()  # name -> what its script holds
SCRIPTS = {
    name: {"file": f"_static/{MODELS[name]}.js", "kilobytes": round(len(script.encode()) / 1000)}
    for name, script in PUBLISHED.items()
}


def gpt2_playground() -> str:
    """Return the playground of GPT-2 and ours; nothing if GPT-2's files are not to be had."""
    try:
        both = {"GPT-2": from_gpt2(), "ours": STORY}
    except CorpusUnavailable as error:
        print(f"The page about GPT-2 is left out: {error}")
        return ""
    return playground(both, TYPED).html


def shipped() -> str:
    """Return the vocabularies in the menu beside GPT-2: other texts, another scheme."""
    languages = [line for i, line in enumerate(load_corpus("sentences").splitlines()) if i % 4]
    trained = {
        "a gardeners’ forum": Tokenizer.train(load_corpus("forum"), num_merges=1000),
        "a program": Tokenizer.train(load_corpus("program"), scheme="cl100k", num_merges=1000),
        "twelve languages": Tokenizer.train(languages, scheme="o200k", num_merges=2000),
        "our story, merges across words": Tokenizer.train(
            load_corpus("story"), scheme="bytes", num_merges=1000
        ),
    }
    data = {}
    with TemporaryDirectory() as folder:
        for name, tok in trained.items():
            tok.save(f"{folder}/saved.json")
            data[name] = json.loads(Path(folder, "saved.json").read_text("utf-8"))
            data[name]["merges"] = [[left, right] for left, right, *_ in data[name]["merges"]]
    return json.dumps(data, separators=(",", ":")).replace("</", "<\\/")


def share(title: str, description: str) -> Markup:
    """Write what is shown of a page where it is shared or found."""
    lines = [f'<meta name="description" content="{escape(description)}">']
    picture = f"{ADDRESS}/film.png"
    for name, value in {"title": title, "description": description, "image": picture}.items():
        lines.append(f'<meta property="og:{name}" content="{escape(value)}">')
    return Markup("\n".join(lines))


def public_names() -> str:
    """List what can be imported from the package itself, each with the first line of its help."""
    lines = ["| name | package | what it does |", "| --- | --- | --- |"]
    homes = {name: package for package in (bpe_teach, bpe_further) for name in package.__all__}
    for name in sorted(homes, key=str.lower):
        package = homes[name].__name__
        value = getattr(homes[name], name)
        if name == "SCHEMES":
            about = "The table of all schemes."
            lines.append(f"| {{py:obj}}`~bpe_teach.schemes.SCHEMES` | {package} | {about} |")
            continue
        first = value.__doc__.strip().partition("\n")[0].replace("|", "\\|")
        if ismodule(value):
            lines.append(f"| {{py:mod}}`~{value.__name__}` | {package} | {first} |")
            continue
        lines.append(f"| {{py:obj}}`~{value.__module__}.{name}` | {package} | {first} |")
    return "\n".join(lines)


def describe_modules() -> dict[str, str]:
    """Return what the pages of the reference show: room -> its modules, in reading order.

    A page shows its room by {{ name of the room }}, which is a heading in the README of a package.
    """
    rooms = defaultdict(str)
    for package in ("bpe_teach", "bpe_further"):
        listed = (ROOT / package / "README.md").read_text("utf-8")
        for part in listed.split("\n## ")[1:]:
            heading = re.match(r"(?:The )?([\w ]+)", part)[1]
            room = heading.replace(" ", "_").lower()
            for name in re.findall(r"^\| \[([\w.]+)\]", part, re.MULTILINE):
                directive = f".. automodule:: {package}.{name}\n"
                if name == "fast.tokenizer":  # all methods of what everybody imports, on one page
                    directive += "   :inherited-members:\n"
                rooms[room] += f"## {name}\n\n```{{eval-rst}}\n{directive}```\n\n"
    return rooms


def lite_links(folder: Path) -> str:
    """List the notebooks of a folder that run in the browser, as links to JupyterLite."""
    lines = []
    for path in notebooks_for_the_browser():
        if path.parent != folder:
            continue
        title = json.loads(path.read_text("utf-8"))["cells"][0]["source"]
        heading = next(line for line in "".join(title).splitlines() if line.startswith("# "))
        link = f"../lite/lab/index.html?path={path.relative_to(NOTEBOOKS).as_posix()}"
        lines.append(f'- <a href="{link}">{path.stem}</a>: {heading.removeprefix("# ")}')
    return "\n".join(lines)


def glossary() -> str:
    """List the words that the notebooks introduce, in alphabetical order, as the search finds them.

    Those of the spine stand in glossary.txt, those of the further notebooks in their tables "Words
    used here": word, meaning, name elsewhere.
    """
    entries = {}
    for path, word, meaning, elsewhere in [*words_of_the_spine(), *words_of_tables()]:
        where = f"[{path.stem[:3].strip('_')}](../{path.relative_to(ROOT).as_posix()})"
        terms = word.split(", ")  # some have two names
        lines = [*terms, f"  {meaning} ({where})"]
        names = re.findall(r"[*`](.+?)[*`]", elsewhere)
        found = ", ".join(f"! {name}" for name in names)  # by the search, near its top
        if found:
            lines += ["", f"  ```{{index}} {found}", "  ```"]
        if elsewhere:
            lines += ["", f"  Elsewhere: {elsewhere}"]
        entries.setdefault(terms[0].lower(), "\n".join(lines))
    listed = "\n\n".join(entries[word] for word in sorted(entries))
    return f"````{{glossary}}\n{listed}\n````"


def words_of_the_spine():
    """Yield notebook, word, meaning and name elsewhere of each line of glossary.txt."""
    for line in (HERE / "glossary.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            word, meaning, elsewhere, notebook = (part.strip() for part in line.split("|"))
            (path,) = NOTEBOOKS.rglob(f"{notebook}.ipynb")
            yield path, word, meaning, elsewhere


def words_of_tables():
    """Yield the same of each row of a table "Words used here"."""
    for path in sorted(NOTEBOOKS.rglob("[0-9]*.ipynb"), key=lambda path: path.name):
        if path.parent.name == ".ipynb_checkpoints":
            continue
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            for row in re.findall(r"^\| \*\*\D.*$", "".join(cell["source"]), re.MULTILINE):
                word, meaning, *elsewhere = row.strip("| ").split(" | ")
                yield path, word.replace("**", ""), meaning, elsewhere[0] if elsewhere else ""


def claims() -> str:
    """List what the course claims and what holds it, place by place, as ``claims.txt`` has it."""
    places = {}  # name of a test -> its file and line
    for file in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef):
                places[node.name] = f"{file.relative_to(ROOT).as_posix()}#L{node.lineno}"
    tables = {}  # place -> rows of its table
    for line in (ROOT / "tests" / "claims.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        place, claim, holder = line.split(" | ")
        claim = claim.replace("](../", f"]({REPOSITORY}/blob/{REF}/notebooks/")
        claim = re.sub(r"\]\((?!http)", f"]({REPOSITORY}/blob/{REF}/notebooks/further/", claim)
        claim = claim.replace("|", "\\|")
        shown = show_holders(holder, places)
        tables.setdefault(place, []).append(f"| {claim} | {shown} |")
    lines = []
    for place, rows in tables.items():
        lines += ["", f"## {place}", "", "| claim | what holds it |", "| --- | --- |", *rows]
    return "\n".join(lines)


def show_holders(holder: str, places: dict[str, str]) -> str:
    """Write as Markdown what holds a claim: links to tests and sources, and the cells that show it.

    ``places`` gives the file and line of each test.
    """
    shown = []
    words = iter(holder.split())
    for word in words:
        if word in places:
            name = word.removeprefix("test_").replace("_", " ")
            shown.append(f"[{name}]({REPOSITORY}/blob/{REF}/{places[word]})")
        elif word == "output":
            shown.append(f"output of the cell `{next(words)}`")
        elif word == "cited:":
            source = next(words).removesuffix(",")
            day = " ".join(words)  # "opened 2026-11-29"
            shown.append(f"[the source]({source}), {day}")
        else:
            shown.append(word)
    return "; ".join(shown)


def wrong_answers() -> str:
    """List the exercises of all notebooks with their wrong answers, reasons and hints.

    The questions of 00b, which no cell checks one by one, stand there with their key.
    """
    parts = []
    for path in sorted(NOTEBOOKS.rglob("[0-9]*.ipynb"), key=lambda path: path.name):
        if path.parent.name == ".ipynb_checkpoints":
            continue
        asked = find_exercises(json.loads(path.read_text("utf-8")))
        if path.stem == "00b_what_do_you_know":
            for form, questions in FORMS.items():
                for number, question in questions.items():
                    asked[f"{form} {number}: {question.right}"] = question
        if asked:
            parts.append(f"## {path.stem}")
        for name, exercise in asked.items():
            parts += [f"### {name}", f"<p>{in_html(exercise.ask)}</p>"]
            rows = [f"<tr><td>{left}</td><td>{right}</td></tr>" for left, right in slips(exercise)]
            if rows:
                head = "<tr><th>wrong answer</th><th>what the check says</th></tr>"
                style = "white-space:pre-wrap; overflow-wrap:anywhere"
                table = f"<table class='table' style='{style}'>"
                parts.append("\n".join([table, head, *rows, "</table>"]))
            if exercise.hints:
                hints = "".join(f"<li>{in_html(hint)}</li>" for hint in exercise.hints)
                parts.append(f"<details><summary>Hints</summary><ol>{hints}</ol></details>")
    return "\n\n".join(parts)


def votes() -> str:
    """List the questions to vote on of 00 to 05c, with what makes each wrong answer tempting."""
    parts = []
    for name, question in load("bpe_further.exercises.votes").items():
        if isinstance(question, Value):
            parts += [f"### {name}", f"<p>{in_html(question.ask)}</p>"]
            rows = []
            for letter, text in question.choices.items():
                why = question.because if letter == question.right else dict(question.slips)[letter]
                text = f"<b>{in_html(text)}</b>" if letter == question.right else in_html(text)
                rows.append(f"<tr><td>{letter}</td><td>{text}</td><td>{in_html(why)}</td></tr>")
            parts.append("\n".join(["<table class='table'>", *rows, "</table>"]))
    return "\n\n".join(["## The spine", *parts])


def exam() -> str:
    """Show a question of each family of the exam, with its answers, from a seed that is public."""
    parts = []
    for question in draw_exam("not a secret")["A"]:
        points = f"{question.value_points} + {question.sentence_points} points"
        parts.append(f"### {question.family}")
        parts.append(f"<p>{points}, after notebook {question.notebook}</p>")
        for kind, content in blocks_of(question.ask):
            if kind == "table":
                rows = ["<tr><td>" + "</td><td>".join(map(in_html, row)) for row in content]
                rows = "</tr>".join(rows)
                table = f"<table class='table'>{rows}</tr></table>"
                parts.append(f"<div style='overflow-x:auto'>{table}</div>")
            elif kind == "shown":
                parts.append(f"<pre style='white-space:pre-wrap'>{in_html(content)}</pre>")
            else:
                parts.append(f"<p>{in_code(content)}</p>")
        rows = [f"<tr><td><b>{in_html(question.right)}</b></td><td>{in_code(question.because)}"]
        for wrong in question.wrong:
            told = in_code(f"{wrong.belief}; {wrong.ask_back}")
            rows.append(f"<tr><td>{in_html(wrong.value)}</td><td>{told}")
        rows = "</td></tr>".join(rows)
        style = "overflow-wrap:anywhere"
        table = f"<table class='table' style='{style}'>{rows}</td></tr></table>"
        parts.append(f"<details><summary>Answers</summary>{table}</details>")
    return "\n\n".join(parts)


def in_code(text: str) -> str:
    """Write a text as HTML on one line; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", in_html(text))


def slips(exercise: Exercise) -> list[tuple[str, str]]:
    """List the known wrong answers to a question, those of one reason together, and the reasons.

    A wrong function is shown by the first input on which it fails, a choice with what it says.
    """
    answers = defaultdict(list)  # reason -> wrong answers
    for slip, why in getattr(exercise, "slips", ()):
        shown = repr(slip)
        if isinstance(exercise, Function):
            shown = exercise.first_fault(slip)
            shown = re.sub(r" \(line \d+ of your cell\)", "", shown)
        choice = getattr(exercise, "choices", {}).get(slip) if isinstance(slip, str) else None
        answers[why].append(in_html(f"{slip}: {choice}" if choice else shown))
    return [("<br>".join(shown), in_html(why)) for why, shown in answers.items()]


def in_html(text: str) -> str:
    """Write a text as HTML on one line, since an empty line would end the HTML on a page."""
    return str(escape(text)).replace("\n", "<br>")


myst_substitutions = {
    "claims": claims(),
    "wrong_answers": wrong_answers(),
    "votes": votes(),
    "exam": exam(),
    "glossary": glossary(),
    **describe_modules(),
    "public_names": public_names(),
    "lite_spine": lite_links(NOTEBOOKS),
    "lite_further": lite_links(NOTEBOOKS / "further"),
    "install": f"```sh\npython -m pip install git+{REPOSITORY}@{REF}\n```",
}
html_context = {
    "default_mode": "auto",
    "author": author,
    "repository": REPOSITORY,
    "ref": REF,
    "colab": f"https://colab.research.google.com/github/{OWNER}/{NAME}/blob/{REF}",
    "front": front(STORY, SCRIPTS),
    "front_boxes": first_boxes(),
    "front_count": len(WOODCHUCK),
    "front_rule": tokens_of_the_rule(),
    "scripts": json.dumps({name: SCRIPTS[name] for name in SCRIPTS if name != "GPT-2"}),
    "playground": STORY_PLAYGROUND,
    "gpt2_playground": gpt2_playground(),
    "known": known(),
    "shipped": shipped(),
    "factors": factors(),
    "languages": languages(),
    "engine": program("engine"),
    "story": json.dumps(tokenizer_data(STORY)),
}
html_context["has_gpt2"] = bool(html_context["gpt2_playground"])
if html_context["has_gpt2"]:
    html_additional_pages["gpt2"] = "gpt2.html"


class Words(SearchEnglish):
    """Find the stem of each word once, however often it occurs: there are few different ones."""

    def __init__(self, options: dict):
        super().__init__(options)
        self.stem = cache(self.stem)


# What people look for, and the section that the search names first: page, id of the section.
SOUGHT = {
    "strawberry": ("notebooks/00_start_here", "the-tokenizer-you-use-every-day"),
    "cost": ("notebooks/05c_language_price", "what-a-token-is"),
    "price": ("notebooks/05c_language_price", "where-does-the-price-come-from"),
    "Hugging Face": ("site/reference/exchange", "other-people-s-tokenizers"),
    "transformers": ("site/reference/exchange", "other-people-s-tokenizers"),
}


def name_for_the_search(app, doctree):
    """Add what people look for to the index of pages, in which the search looks first."""
    for sought, (page, place) in SOUGHT.items():
        if app.env.docname != page:
            continue
        section = next((one for one in doctree.findall(nodes.section) if place in one["ids"]), None)
        if section is None:
            raise ValueError(f"{page} has no section {place}, to which the search leads")
        section.insert(1, addnodes.index(entries=[("single", sought, place, "main", None)]))


# Alt texts: `show_figure` has a hidden text follow each figure, which becomes the picture's own.

MARK = "Figure: "


class Text(HTMLParser):
    """Collect the text of a piece of HTML."""

    def __init__(self, html: str):
        super().__init__()
        self.text = ""
        self.feed(html)

    def handle_data(self, data: str):
        """Add a piece of text."""
        self.text += data


def move_alt_texts(app, doctree):
    """Give each figure of a notebook the hidden text that follows it as its alt text."""
    image = None
    for node in list(doctree.findall()):
        if isinstance(node, nodes.image):
            image = node
        elif isinstance(node, nodes.raw) and MARK in node.astext():
            html, _, _ = node.astext().partition("<style>")  # it is for notebooks alone
            text = Text(html).text.strip()
            if image is not None and text.startswith(MARK):
                image["alt"] = text.removeprefix(MARK)
                node.parent.remove(node)  # it would be read aloud twice
                image = None


PROPER = {"bpe": "BPE", "Rank based": "Rank-based", "Char ": "Character "}
PROPER |= {"shakespeare": "Shakespeare", "little prince": "Little Prince"}


def list_notebooks(app, docname, source):
    """Name notebooks in the side bar by number and topic, "05 Compression", not by question."""
    if docname != "site/contents":
        return
    for pattern in ("notebooks/[0-9]*_*", "notebooks/further/[0-9]*_*"):
        lines = []
        for path in sorted(ROOT.glob(f"{pattern}.ipynb"), key=lambda path: path.name):
            number, _, topic = path.stem.partition("_")
            title = f"{number} {topic.replace('_', ' ').capitalize()}"
            for plain, proper in PROPER.items():
                title = title.replace(plain, proper)
            lines.append(f"{title} <../{path.relative_to(ROOT).with_suffix('').as_posix()}>")
        source[0] = source[0].replace(f"../{pattern}", "\n".join(lines))


def spell_out_badges(app, doctree):
    """Put the text of a picture that lies elsewhere in its place: pages load nothing from there."""
    for node in list(doctree.findall(nodes.image)):
        if "://" in node["uri"]:
            node.replace_self(nodes.Text(node.get("alt", "")))


def link_to_repository(app, doctree):
    """Have links to what is no page of the site, files of code and folders, lead to GitHub."""
    for node in list(doctree.findall(addnodes.download_reference)):
        replace_link(app, node)
    for node in list(doctree.findall(addnodes.pending_xref)):
        if node.get("refdomain") == "doc" and node["reftarget"] not in app.env.found_docs:
            node["reftarget"] = f"/{node['reftarget']}.md"  # a page of exercises
            replace_link(app, node)
        elif node["reftype"] == "myst":
            replace_link(app, node)


def replace_link(app, node):
    """Replace a link by one to GitHub, if the repository has a file or a folder of that name."""
    path = Path(app.env.relfn2path(node["reftarget"])[1]).resolve()
    if node["reftarget"].startswith("#") or not path.is_relative_to(ROOT) or not path.exists():
        return
    kind = "tree" if path.is_dir() else "blob"
    address = f"{REPOSITORY}/{kind}/{REF}/{path.relative_to(ROOT).as_posix()}"
    link = nodes.reference("", "", *node.children, refuri=address)
    node.replace_self(link)


def complete_page(app, pagename, templatename, context, doctree):
    """Have the title in the sidebar lead to the first page; say what is shown of a shared page."""
    context["theme_logo_link"] = context["pathto"]("index")
    paragraphs = [node.astext() for node in doctree.findall(nodes.paragraph)] if doctree else []
    told = next((text for text in paragraphs if len(text) > 60), project)
    context["share"] = share  # for the templates
    context["metatags"] = share(context.get("title", project), shorten(told, 200, placeholder=" …"))


def describe_field(app, what, name, thing, options, lines):
    """Describe a field of a NamedTuple by the comment beside it, if there is one."""
    if lines and lines[0].startswith("Alias for field number"):
        module, kind, field = name.rsplit(".", 2)
        source = getsource(getattr(import_module(module), kind))
        comment = re.search(rf"^    {field}: [^#\n]*# (.+)$", source, re.MULTILINE)
        told = comment[1] if comment else ""
        lines[:] = [told[:1].upper() + told[1:]]


def write_vocabularies(app, exception):
    """Put the published vocabularies where pages load them when they are asked to."""
    if exception is None:
        for name, script in PUBLISHED.items():
            Path(app.outdir, SCRIPTS[name]["file"]).write_text(script, "utf-8")


def write_sheets_and_decks(app, exception):
    """Put the worksheets, decks and slides beside the lessons that link to them."""
    if exception is None:
        folder = Path(app.outdir) / "site" / "lessons"
        write_kit(folder)
        write_slides(folder)


def setup(app):
    """Register what is done to each page, and after all of them."""
    app.add_search_language(Words)
    app.connect("source-read", list_notebooks)
    app.connect("doctree-read", name_for_the_search)
    app.connect("doctree-read", move_alt_texts)
    app.connect("doctree-read", spell_out_badges, priority=100)  # before pictures are collected
    app.connect("doctree-read", link_to_repository, priority=100)  # before files are collected
    app.connect("autodoc-process-docstring", describe_field)
    app.connect("html-page-context", complete_page)
    app.connect("build-finished", write_sheets_and_decks)
    app.connect("build-finished", write_vocabularies)
