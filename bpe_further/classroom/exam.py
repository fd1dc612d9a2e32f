"""Exam: sixty minutes on paper, drawn from a teacher's seed; two forms, and a separate key.

An exam that is public is only a worksheet. So only *families* of questions are public, on the page
exam.md. From each family, a seed draws one question for form A and a different question for form B.
The correct values, and the values that misconceptions lead to, are computed when a question is
drawn.
"""

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from io import BytesIO
from pathlib import Path
from random import Random, SystemRandom

from bpe_further.classroom import INSTALL
from bpe_further.classroom.questions import read_template
from bpe_teach.exercises.sections import Section, read_sections

PAGE = Path(__file__).with_suffix(".md")
FORMS = ("A", "B")
SHORTEST_SEED = 8  # characters; a shorter seed could be found by trying
SEED_LETTERS = "abcdefghijkmnpqrstuvwxyz23456789"  # no two of these look alike
MOST_DRAWS = 1000  # attempts to draw a question whose values all differ
LAST = "05c"  # the notebook that the latest family needs
CODE = re.compile(r"`([^`]+)`")
ALLOWED = (
    "The first number of points at a question is for the value, the second for the sentence. "
    "A calculator is allowed."
)


@dataclass(frozen=True)
class Wrong:
    """A wrong value, the belief behind it, and a question for learners who give this value."""

    value: str
    belief: str
    ask_back: str


@dataclass(frozen=True)
class Question:
    """A question that was drawn: its text, one line for each block, and its answers."""

    family: str
    notebook: str
    value_points: int
    sentence_points: int
    ask: str
    right: str
    because: str  # the sentence that the learner is asked for
    wrong: tuple[Wrong, ...]

    @property
    def points(self) -> int:
        """Return the points for value and sentence together; a point stands for a minute."""
        return self.value_points + self.sentence_points


class Family:
    """A heading of the page: how a question is drawn, and its texts."""

    def __init__(self, section: Section, space: Mapping[str, object]):
        self.name, points, self.notebook = section.name.split(" · ")
        value, sentence = re.findall(r"\d+", points)
        self.value_points, self.sentence_points = int(value), int(sentence)
        self.ask = section.ask
        (right,) = section.all("right")
        self.texts = [item.text for item in (right, *section.all("slip"))]
        self.values = space[self.name]

    def draw(self, chance: Random, taken: str = "") -> Question:
        """Return a question whose values all differ, and whose correct value isn't ``taken``."""
        for _ in range(MOST_DRAWS):
            fields = self.values(chance)
            filled = [text.format(**fields).partition(" → ") for text in self.texts]
            values = [value for value, _, _ in filled]
            if len({*values, taken, ""}) == len(values) + (2 if taken else 1):
                break
        else:
            raise ValueError(f"exam.md: {self.name} draws no question whose values all differ")
        wrong = []
        for value, _, told in filled[1:]:
            belief, _, ask_back = told.partition(": ")
            wrong.append(Wrong(value, belief, ask_back))
        points = self.value_points, self.sentence_points
        ask = self.ask.format(**fields).strip()
        because = filled[0][2]
        return Question(self.name, self.notebook, *points, ask, values[0], because, tuple(wrong))


@cache
def read_families() -> list[Family]:
    """Return the families of the page, in its order."""
    space = {"__name__": __name__}
    families = []
    for section in read_sections(PAGE.read_text("utf-8").splitlines()):
        exec(compile(section.code, str(PAGE), "exec"), space)
        if section.name:
            families.append(Family(section, space))
    return families


def draw_seed() -> str:
    """Return a seed that nobody can guess."""
    return "".join(SystemRandom().choices(SEED_LETTERS, k=20))


def draw_exam(seed: str, until: str = LAST) -> dict[str, list[Question]]:
    """Return the questions of forms A and B, about the notebooks up to ``until``.

    In the same version of the course, the same seed always gives the same questions.

    >>> exam = draw_exam("not a secret", until="03")
    >>> [(question.family, question.points) for question in exam["A"]][:2]
    [('overlaps', 4), ('second_merge', 5)]
    >>> exam["A"][0].right, exam["B"][0].right
    ('9 times, 11 symbols', '5 times, 9 symbols')

    Raises ValueError for a seed that could be guessed, and for a notebook that has no questions.
    """
    if len(seed) < SHORTEST_SEED:
        raise ValueError(
            f"the seed {seed!r} could be guessed, and with it the exam: take at least "
            f"{SHORTEST_SEED} characters, or leave it out, and one is drawn"
        )
    known = sorted({family.notebook for family in read_families()})
    if until not in known:
        raise ValueError(f"an exam can end with notebook {', '.join(known)}, not with {until!r}")
    chosen = [family for family in read_families() if family.notebook <= until]
    exam = {form: [] for form in FORMS}
    for family in chosen:
        taken = ""
        for form in FORMS:
            question = family.draw(Random(f"{seed} {family.name} {form}"), taken)
            exam[form].append(question)
            taken = question.right
    return exam


def code_of(questions: Sequence[Question]) -> str:
    """Return a short code that stands on a form and on its key, and doesn't reveal the seed."""
    return f"{zlib.crc32(chr(10).join(question.ask for question in questions).encode()):08x}"[:5]


def write_exam(seed: str, until: str = LAST, kind: str = "html") -> dict[str, bytes]:
    """Return the files of an exam by name: a paper for each form, and a separate key for both.

    ``kind`` is "html" for printing or "docx" for editing. Raises ValueError if python-docx is
    needed but missing.
    """
    exam = draw_exam(seed, until)
    write = {"html": _write_html, "docx": _write_docx}[kind]
    papers = {f"exam_{form}.{kind}": write({form: exam[form]}, "") for form in FORMS}
    return papers | {f"exam_key.{kind}": write(exam, seed)}


def blocks_of(ask: str) -> list[tuple[str, object]]:
    """Return the blocks of a question: a text, an example line, or the rows of a table.

    >>> blocks_of("Merge `o`:\\n    l o w\\n| word | low |\\n| count | 3 |")
    [('text', 'Merge `o`:'), ('shown', 'l o w'), ('table', [['word', 'low'], ['count', '3']])]
    """
    blocks = []
    for line in ask.splitlines():
        if line.startswith("| "):
            row = [cell.strip() for cell in line.strip("|").split("|")]
            if blocks and blocks[-1][0] == "table":
                blocks[-1][1].append(row)
            else:
                blocks.append(("table", [row]))
        elif line.startswith("    "):
            blocks.append(("shown", line.strip()))
        else:
            blocks.append(("text", line))
    return blocks


def _write_html(exam: Mapping[str, Sequence[Question]], seed: str) -> bytes:
    template = read_template("exam.html", code=_in_html, blocks=blocks_of, code_of=code_of)
    return template.render(exam=exam, seed=seed, allowed=ALLOWED).encode("utf-8")


def _in_html(text: str):
    """Return a text as HTML, with everything between backticks as code."""
    from markupsafe import Markup

    return Markup(CODE.sub(r"<code>\1</code>", escape(text)))


def _write_docx(exam: Mapping[str, Sequence[Question]], seed: str) -> bytes:
    """Return a document for Word or LibreOffice; if a seed is given, the document is the key."""
    try:
        from docx import Document
        from docx.shared import Mm, Pt
    except ImportError as error:
        raise ValueError(f"documents are written by python-docx: {INSTALL}") from error
    document = Document()
    page = document.sections[0]
    page.page_width, page.page_height = Mm(210), Mm(297)
    page.left_margin = page.right_margin = page.top_margin = page.bottom_margin = Mm(20)
    document.styles["Normal"].font.size = Pt(11)
    if seed:
        document.add_heading("Key. Don't hand this out", 1)
        _add_text(document, f"Drawn with the seed `{seed}`, which is as secret as this page.")
    for form, questions in exam.items():
        if seed:
            document.add_heading(f"Form {form}, code {code_of(questions)}", 2)
            for number, question in enumerate(questions, 1):
                _add_answers(document, number, question)
            continue
        total = sum(question.points for question in questions)
        document.add_heading(f"Byte pair encoding: exam, form {form}", 1)
        _add_text(document, f"{total} minutes, {total} points. {ALLOWED}")
        _add_text(document, f"Name: {'_' * 30}   Code: {code_of(questions)}")
        for number, question in enumerate(questions, 1):
            _add_question(document, number, question)
    file = BytesIO()
    document.save(file)
    return file.getvalue()


def _add_question(document, number: int, question: Question) -> None:
    before = len(document.paragraphs)
    begin = f"{number}. "
    for kind, content in blocks_of(question.ask):
        if kind == "table":
            grid = document.add_table(len(content), len(content[0]), "Table Grid")
            for i, row in enumerate(content):
                for j, cell in enumerate(row):
                    grid.cell(i, j).text = cell
        elif kind == "shown":
            _add_text(document, f"`{content}`")
        else:
            _add_text(document, begin + content)
            begin = ""
    document.add_paragraph(f"({question.value_points} + {question.sentence_points} points)")
    for _ in range(1 + question.sentence_points):
        document.add_paragraph("_" * 70)
    for paragraph in document.paragraphs[before:-1]:  # a question stays on one page
        paragraph.paragraph_format.keep_with_next = True


def _add_answers(document, number: int, question: Question) -> None:
    _add_text(document, f"{number}. `{question.right}` ({question.value_points} points)")
    _add_text(document, f"{question.because} ({question.sentence_points} points)")
    for wrong in question.wrong:
        told = f"`{wrong.value}`: {wrong.belief}; {wrong.ask_back}"
        _add_text(document, told, style="List Bullet")


def _add_text(document, text: str, style: str | None = None) -> None:
    """Add a paragraph, with everything between backticks in a font of equal widths."""
    paragraph = document.add_paragraph(style=style)
    for place, part in enumerate(CODE.split(text)):
        run = paragraph.add_run(part)
        if place % 2:
            run.font.name = "Courier New"
