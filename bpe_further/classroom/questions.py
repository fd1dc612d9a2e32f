"""Questions for a learning platform or on paper: the two forms, the notebooks' questions, votes.

For each kind of file, there is a template such as ``questions_moodle.xml``.
"""

from collections.abc import Callable
from html import escape
from importlib import import_module
from io import BytesIO
from pathlib import Path
from string import ascii_lowercase
from zipfile import ZipFile, ZipInfo

from bpe_further.classroom import INSTALL
from bpe_further.exercises.concept_inventory import FORMS
from bpe_teach.exercises import FULL_NAMES, PAGES
from bpe_teach.exercises.exercise import Value

SPINE = {  # number of a notebook -> its page of exercises
    page.stem.partition("_")[0]: name
    for name, page in PAGES.items()
    if page.stem[0].isdigit() and FULL_NAMES[name].startswith("bpe_teach.")
}
MOST_CHOICES = 5  # of a question that has no choices of its own


def read_template(file: str, **filters: Callable):
    """Return a template of this folder that knows the given filters.

    Raises ValueError if Jinja2 is missing.
    """
    try:
        from jinja2 import Environment
    except ImportError as error:
        raise ValueError(f"templates need jinja2: {INSTALL}") from error
    environment = Environment(autoescape=True, keep_trailing_newline=True)
    environment.filters |= filters
    return environment.from_string(Path(__file__).with_name(file).read_text("utf-8"))


def write_questions(kind: str) -> bytes:
    """Return a file for "moodle", a package of "qti" 2.1, or both forms on "paper" as HTML."""
    template = read_template(f"questions_{kind}.xml", lines=_in_html)
    groups = find_questions()
    whole = template.render(groups=groups).encode("utf-8")
    if kind != "qti":
        return whole
    packed = BytesIO()
    with ZipFile(packed, "w") as package:
        package.writestr(ZipInfo("imsmanifest.xml"), whole)  # without a date: always the same bytes
        for group in groups:
            for question in group["questions"]:
                item = template.render(question=question)
                package.writestr(ZipInfo(f"{question['name']}.xml"), item)
    return packed.getvalue()


def _in_html(text: str):
    """Return a text as HTML that is also XML and keeps the text's lines and runs of spaces."""
    from markupsafe import Markup

    return Markup(escape(text).replace("  ", "\u00a0 ").replace("\n", "<br/>"))


def find_questions() -> list[dict]:
    """Return groups of questions; the two forms come first."""
    groups = {}  # name -> questions by name
    for form, numbered in FORMS.items():
        named = {f"{form}{number:02}": question for number, question in numbered.items()}
        groups[f"Twelve questions, form {form}"] = named
    for number, module in SPINE.items():
        named = {f"q{number}_{name}": value for name, value in _values_of(module).items()}
        groups[f"Questions of notebook {number}"] = named
    groups["Questions to vote on"] = _values_of("votes")
    return [
        {"name": group, "questions": [_describe(*item) for item in named.items()]}
        for group, named in groups.items()
    ]


def _values_of(module: str) -> dict[str, Value]:
    found = vars(import_module(FULL_NAMES[module]))
    return {name: value for name, value in found.items() if isinstance(value, Value)}


def _describe(name: str, question: Value) -> dict:
    """Return a question as fields for templates; without choices, wrong answers become choices.

    >>> described = _describe("bytes", Value("how many bytes is é?", 2, [(1, "not a character.")]))
    >>> [(choice["letter"], choice["text"], choice["is_right"]) for choice in described["choices"]]
    [('a', '1', False), ('b', '2', True)]
    """
    right = str(question.right)
    reasons = {right: question.because}
    for slip, why in question.slips:
        if slip not in list(question.names):  # a single name is no whole answer
            reasons.setdefault(str(slip), why)
    known = [answer for answer in reasons if answer][:MOST_CHOICES]
    choices = []
    for letter, answer in zip(ascii_lowercase, question.choices or sorted(known), strict=False):
        text = question.choices.get(answer, answer)
        if answer.lower() != letter and answer != text:  # otherwise the text says nothing new
            text = f"{answer}: {text}"
        reason = reasons.get(answer) or question.otherwise
        choice = {"letter": letter, "text": text, "reason": reason, "is_right": answer == right}
        choices.append(choice)
    in_order = bool(question.choices)  # if choices have letters, don't shuffle them
    return {"name": name, "ask": question.ask, "choices": choices, "in_order": in_order}
