"""Handout: a notebook for a class, without outputs, and its solutions in a separate file.

No notebook is run. Exercises are found by their names, and their texts come from the package.
"""

import os
import re
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

from bpe_further.classroom import INSTALL
from bpe_further.exercises import concept_inventory
from bpe_teach.exercises.exercise import Function, Hunt, Value

IMPORT = re.compile(r"from (bpe_(?:teach|further)\.exercises) import (\w+) as (\w+)")
# A line that only asks a question, with a comment that may say something about the answer:
# display(ask.aaaa.check(...))  # …
QUESTION = re.compile(
    r"^(?:display\()?\w+\.(\w+)\.check\(\.\.\.\)\)?(?:  # (.+))?$\n*", re.MULTILINE
)
SHOWS = re.compile(r"\b(?:fold|show_figure)\(")  # an answer or a figure: on paper there is neither
ON_SCREEN = "*On paper, go on with the next paragraph: what this shows moves only on a screen.*"
# The next text for the learner: a heading, or a paragraph that asks for something or helps.
TASK = re.compile(
    r"^(?:#+ |If you are stuck|(?:.+\n)*?.*\*\*(?:Predict|Write|Find|Choose|Vote)\b)", re.MULTILINE
)
DEFINES = re.compile(r"^(?:def|class) ", re.MULTILINE)
STYLE = Path(__file__).with_suffix(".css").read_text("utf-8")
TAGS = re.findall(  # tags that texts of a notebook may hold
    r"\w+",
    "a b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img li ol p pre span"
    " strong sub summary sup table tbody td th thead tr ul",
)
METADATA = {"language_info": {"name": "python", "pygments_lexer": "ipython3"}}  # no widgets


def render(path: str | os.PathLike) -> dict[str, bytes]:
    """Return a notebook's files to hand out, by name: a copy, the solutions, and their web pages.

    Raises ValueError for a file that is not a notebook, and if nbconvert is missing.
    """
    try:
        from nbconvert.preprocessors import ClearOutputPreprocessor
        from nbformat import reads, validate, writes
    except ImportError as error:
        raise ValueError(f"notebooks are read and printed by nbconvert: {INSTALL}") from error

    path = Path(path)
    content = path.read_bytes()
    try:
        notebook = reads(content.decode("utf-8"), as_version=4)
        validate(notebook)
    except Exception as error:  # of any kind: nbformat upgrades old notebooks without a check
        raise ValueError("it is not a Jupyter notebook") from error
    notebook, _ = ClearOutputPreprocessor(enabled=True)(notebook, {})
    notebooks = {path.stem: notebook}
    solved = solutions(notebook, path.stem)
    if solved:
        notebooks[f"{path.stem}_solutions"] = solved
    contents = {}
    for name, made in notebooks.items():
        contents[f"{name}.ipynb"] = (writes(made) + "\n").encode("utf-8")
        page = for_paper(made)
        contents[f"{name}.html"] = _web_page(page, name, path.parent).encode("utf-8")
    return contents


def for_paper(notebook: Mapping) -> Mapping:
    """Return a notebook as it is printed: each question with its choices, or with room to answer.

    The printed copy leaves out the set-up, the references, and code that only shows an answer or a
    figure. The text after a question may give its answer away, so this text is printed at the end,
    on a page of its own.
    """
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    exercises = find_exercises(notebook)
    cells = []
    afterwards = {}  # heading of a section -> what may tell answers
    forms = iter(concept_inventory.FORMS)  # of the twelve questions: A first
    heading, is_asked = "", False  # of the section; whether it has asked a question yet
    for cell in notebook["cells"]:
        source = re.sub(r"^\[!\[Open in Colab\].*\n*", "", cell["source"])
        if source.startswith("## References"):  # only links to click follow
            break
        if cell["cell_type"] != "code":
            told, source = _before_next_task(source) if is_asked else ("", source)
            if told:
                afterwards.setdefault(heading, [f"**{heading}**"]).append(told)
            headings = re.findall(r"^#+ (.+)$", source, re.MULTILINE)
            if headings:
                heading, is_asked = headings[-1], False
            cells.append(new_markdown_cell(source))
            continue
        if cell["metadata"].get("jupyter", {}).get("source_hidden"):
            continue
        if "concept_inventory.questions(" in source:
            cells.append(new_markdown_cell(_sheet(next(forms))))
            continue
        if re.search(r"\b(?:playground|training_film)\(", source):
            cells.append(new_markdown_cell(ON_SCREEN))
            continue
        program = QUESTION.sub("", source).strip()
        if DEFINES.search(program) or not SHOWS.search(program):
            cells.append(new_code_cell(program))
        is_asked = is_asked or ".check(" in source
        for name, comment in QUESTION.findall(source):
            choices = getattr(exercises.get(name), "choices", {})
            boxes = [f"☐\xa0`{choice}`: {_text(text)}" for choice, text in choices.items()]
            room = boxes or [_text(f"{'_' * 30} {comment}")]
            cells.append(new_markdown_cell(" &emsp; ".join([f"`{name}`:", *room])))
    if afterwards:
        texts = ["# Afterwards", *chain.from_iterable(afterwards.values())]
        cells.append(new_markdown_cell("\n\n".join(texts)))
    cells = [cell for cell in cells if cell["source"]]
    for number, cell in enumerate(cells):
        cell["id"] = f"paper-{number}"  # otherwise ids are random
    return new_notebook(cells=cells, metadata=METADATA)


def _before_next_task(text: str) -> tuple[str, str]:
    """Divide the text after a question: the part that may give the answer away, and the rest.

    >>> _before_next_task("Three.\\n\\n**Predict:** how many are left?")
    ('Three.', '**Predict:** how many are left?')
    """
    found = TASK.search(text)
    start = found.start() if found else len(text)
    return text[:start].strip(), text[start:]


def _sheet(form: str) -> str:
    """Return the questions of a form as Markdown."""
    lines = []
    for number, question in concept_inventory.FORMS[form].items():
        lines.append(_text(f"\n{number}. {question.ask}"))
        lines += [f"☐ {letter}) {_text(text)}" for letter, text in question.choices.items()]
    return "  \n".join([f"### Form {form}", *lines])


def find_exercises(notebook: Mapping) -> dict[str, Value | Function | Hunt]:
    """Return the exercises that a notebook uses, by name, in the order of their first use."""
    exercises = {}
    modules = {}  # name in the notebook -> module of the package
    for cell in notebook["cells"]:
        source = "".join(cell["source"])  # a text, or a list of lines
        if cell["cell_type"] != "code":
            continue
        for package, name, alias in IMPORT.findall(source):
            if find_spec(f"{package}.{name}"):
                modules[alias] = import_module(f"{package}.{name}")
        for alias, name in re.findall(r"\b(\w+)\.(\w+)\.(?:check|use)\b", source):
            found = getattr(modules.get(alias), name, None)
            if isinstance(found, Value | Function | Hunt):
                exercises[name] = found
    return exercises


def solutions(notebook: Mapping, title: str) -> dict | None:
    """Return the solutions for a notebook, as a notebook, or None if there are no exercises."""
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    exercises = find_exercises(notebook)
    if not exercises:
        return None
    cells = [new_markdown_cell(f"# Solutions of {title}")]
    for name, exercise in exercises.items():
        cells.append(new_markdown_cell(f"## {name}\n\n{_text(exercise.ask)}"))
        if isinstance(exercise, Function):
            cells.append(new_code_cell(exercise.source()))
        else:
            cells.append(new_markdown_cell(_text(exercise.solution().text)))
    for number, cell in enumerate(cells):
        cell["id"] = f"solution-{number}"  # otherwise ids are random
    return new_notebook(cells=cells)


def _text(text: str) -> str:
    """Return a text with escapes for all characters that Markdown would change, as in ``3.``."""
    return re.sub(r"([\\`*_{}\[\]<>#+|~$!-]|(?<=\d)[.)])", r"\\\1", text).replace("\n", "  \n")


def _web_page(notebook: Mapping, title: str, folder: Path) -> str:
    """Return a notebook as a web page to print, which needs no other file.

    The page's pictures come from ``folder``. Scripts are left out, and so is everything else that
    would have to be loaded.
    """
    from bleach import clean
    from jinja2 import pass_context
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(template_name="lab", embed_images=True)

    @pass_context
    def write_harmless(context, source: str) -> str:
        html = exporter.markdown2html(context, source)
        return clean(html, TAGS, _is_harmless, {"https", "http", "data"}, strip=True)

    exporter.register_filter("markdown2html", write_harmless)
    resources = {"metadata": {"name": title, "path": str(folder)}}
    page, _ = exporter.from_notebook_node(notebook, resources=resources)
    page = re.sub(r"<script\b.*?</script>", "", page, flags=re.DOTALL)  # the template's scripts
    return page.replace("</head>", f"<style>\n{STYLE}</style>\n</head>", 1)


def _is_harmless(tag: str, name: str, value: str) -> bool:
    """Return whether a notebook may set an attribute; a picture must be in the page itself."""
    if (tag, name) == ("img", "src"):
        return value.startswith("data:image/")
    if (tag, name) == ("a", "href"):
        return not value.startswith("data:")
    return name in ("alt", "class", "id", "title", "start", "align")
