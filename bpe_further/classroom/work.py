"""Work: the contents of a file that was handed in, read as a text. This module runs nothing."""

import ast
import codecs
import json
import re
import tokenize
from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from io import BytesIO
from typing import NamedTuple

import bpe_further.exercises  # noqa: F401  its pages count, too
from bpe_teach.exercises import FULL_NAMES, PAGES, program, sources
from bpe_teach.exercises.exercise import Exercise, Function, Hunt, Value

LONGEST = 1_000_000  # characters of code
MAGIC = re.compile(
    r"^([ \t]*)(?:(\w+[ \t]*=[ \t]*)?[%!](?:.*\\\n)*.*|(?:pip|conda)[ \t]+install\b.*"
    r"|\?{1,2}[\w.]+|[\w.]+\?{1,2})$",
    re.M,
)
IMPORT = re.compile(r"^(?:from|import)\b.*$", re.M)
TIMED = re.compile(r"([ \t]*)%time[ \t]+(\S.*)")  # the statement after %time is run
ASKS = ("check", "use")
PACKAGES = ("bpe_teach", "bpe_further")
# A vote is a guess, and the test of knowledge is taken before and after the course: neither has
# points.
WITHOUT_POINTS = {"votes", "concept_inventory", "second_form"}
WITH_CORE = ("05", "05c", "08", "08c")  # pages whose answers may call the core of the course


class Part(NamedTuple):
    """A question that counts: a column of the table of grades."""

    number: str  # of the notebook
    page: str
    name: str

    @property
    def column(self) -> str:
        """Return the name of the column."""
        return f"{self.number}_{self.name}"

    @property
    def exercise(self) -> Exercise:
        """Return the question."""
        return getattr(import_module(FULL_NAMES[self.page]), self.name)


class Work(NamedTuple):
    """The contents of a file that was handed in."""

    parts: list[Part]  # all that the course asks, even if it isn't in the file
    given: dict[str, str] | None  # for a my_bpe.py: column -> name of the function; otherwise None
    cells: list[tuple[str, str]]  # name and code
    notes: list[str]  # on parts that couldn't be read
    modules: Mapping[str, str] = {}  # files beside the file, by name in lower case


def read_work(name: str, content: bytes) -> Work:
    """Return the contents of a file. Raises ValueError if it can't be read or answers nothing.

    >>> text = b"from bpe_teach.exercises import start_here as ask\\nask.highest_id.check(999)"
    >>> [part.column for part in read_work("00.py", text).parts][-1]
    '00_single_token'
    """
    text = decode(content, is_python=not is_notebook(name, content))
    if is_notebook(name, content):
        cells, notes = _cells_of(text), []
    else:
        cells, notes = [("your file", text)], []
    if sum(len(code) for _, code in cells) > LONGEST:
        raise ValueError(f"it has more than {LONGEST:,} characters of code")
    read = []
    for label, code in cells:
        plain, fault = _as_python(code)
        if fault:
            notes.append(f"{label} can't be read by Python: {fault}")
        read.append((label, plain))
    if notes and not is_notebook(name, content):
        raise ValueError(notes[0].removeprefix("your file "))
    code = "\n".join(plain for _, plain in read)
    parts = _asked_in(ast.parse(code))
    given = None
    if not parts:
        parts, given = _parts_of_program(code)
        defined = sources.names_defined(code)
        absent = [part.name for part in parts if part.name not in defined]
        if absent:
            notes.append(f"no function {' or '.join(absent)} in it")
    if not parts:
        raise ValueError("it has no exercise of the course that has points")
    return Work(parts, given, read, notes)


def module_of(name: str, content: bytes) -> dict[str, str]:
    r"""Return {name: text} for a file that a program in the same folder may import, or {}.

    >>> module_of("Pairs.py", b"x = 1"), module_of("my notes.py", b""), module_of("01.ipynb", b"")
    ({'pairs': 'x = 1'}, {}, {})
    """
    stem, _, end = name.lower().rpartition(".")
    if end != "py" or not stem.isidentifier():
        return {}
    text = decode(content, is_python=True)
    return {stem: text} if len(text) <= LONGEST else {}


def is_notebook(name: str, content: bytes) -> bool:
    """Return whether a file is a notebook, according to its name or its beginning."""
    return ".ipynb" in name.lower() or content[:200].lstrip(b"\xef\xbb\xbf \n").startswith(b"{")


def decode(content: bytes, is_python: bool) -> str:
    r"""Return the text of a file, whatever its encoding is.

    A file in UTF-16 has a mark at its beginning, and a Python file may name an encoding in its
    first lines. If neither is the case and the file isn't UTF-8, we assume the encoding that
    Windows uses in western Europe.

    >>> decode("Zoë".encode("cp1252"), False), decode("Zoë".encode("utf-16"), False)
    ('Zoë', 'Zoë')
    """
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = content.decode("utf-16")
    else:
        encoding = "utf-8-sig"
        if is_python:
            try:
                encoding, _ = tokenize.detect_encoding(BytesIO(content).readline)
            except SyntaxError:  # there is no such encoding, or the first lines name a wrong one
                encoding = "utf-8-sig"
        try:
            text = content.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            text = content.decode("cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _cells_of(text: str) -> list[tuple[str, str]]:
    """Return the code cells of a notebook, each with its number among all cells."""
    try:
        notebook = json.loads(text)
        cells = notebook.get("cells") or notebook["worksheets"][0]["cells"]  # in old notebooks
        found = []
        for number, cell in enumerate(cells, 1):
            if cell["cell_type"] == "code":
                source = cell.get("source", cell.get("input", ""))
                found.append((f"cell {number}", "".join(source)))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ValueError("it isn't a readable notebook") from None
    return found


def _as_python(code: str) -> tuple[str, str]:
    r"""Return code without IPython commands, and a description of any fault in the code.

    If the code can't be read, only imports on a single line are kept, because the imports tell
    where questions come from.

    >>> _as_python("if low:\n    %pip install x"), _as_python("import re\nfor (")[0]
    (('if low:\n    pass', ''), 'import re')
    """
    fault = ""
    for text in (code, MAGIC.sub(_without_magic, code)):
        try:
            ast.parse(text)
            return text, ""
        except SyntaxError as error:
            fault = f"line {error.lineno}: {error.msg}"
        except (ValueError, RecursionError, MemoryError) as error:
            fault = str(error) or type(error).__name__
    return "\n".join(filter(_is_python, IMPORT.findall(code))), fault


def _is_python(line: str) -> bool:
    try:
        ast.parse(line)
    except (SyntaxError, ValueError):
        return False
    return True


def _without_magic(match: re.Match) -> str:
    if timed := TIMED.match(match[0]):
        return f"{timed[1]}{timed[2]}"
    lines = "\n" * match[0].count("\n")
    return f"{match[1]}{match[2]}None{lines}" if match[2] else f"{match[1]}pass{lines}"


def _asked_in(tree: ast.Module) -> list[Part]:
    """Return all questions of each notebook to which a program hands something over."""
    pages = defaultdict(set)  # name in the program -> pages, if it joins several notebooks
    questions = defaultdict(set)  # name in the program -> (page, question)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            for alias in node.names:
                module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
                package, _, rest = f"{module}{alias.name}".partition(".exercises")
                if package not in PACKAGES:
                    continue
                called = alias.asname or alias.name
                match rest.split("."):  # "", or ".char_bpe", or ".char_bpe.merge"
                    case [""]:
                        for page in PAGES:
                            pages[f"{called}.{page}"].add(page)
                    case ["", page] if page in PAGES:
                        pages[called].add(page)
                    case ["", page, question] if page in PAGES:
                        questions[called].add((page, question))
    asked = set(pages["ask"])  # as the notebooks call it
    for node in ast.walk(tree):  # ask.merge.check(merge)
        if not (isinstance(node, ast.Attribute) and node.attr in ASKS):
            continue
        question = node.value
        handed = set(questions.get(ast.unparse(question), ()))
        if isinstance(question, ast.Attribute):
            handed |= {(page, question.attr) for page in pages[ast.unparse(question.value)]}
        for page, name in handed:
            if name in {part.name for part in parts_of(page)}:
                asked.add(page)
    return [part for page in sorted(asked, key=_place) for part in parts_of(page)]


def _place(page: str) -> str:
    return PAGES[page].stem


@cache
def parts_of(page: str) -> tuple[Part, ...]:
    """Return the questions of a page that have points; the answer is a value or a function.

    >>> len(parts_of("char_bpe")), parts_of("votes")
    (12, ())
    """
    if page in WITHOUT_POINTS:
        return ()
    number = PAGES[page].stem.partition("_")[0]
    names = vars(import_module(FULL_NAMES[page]))
    is_asked = [n for n, one in names.items() if isinstance(one, Value | Function | Hunt)]
    return tuple(Part(number, page, name) for name in is_asked)


def why_not_graded(part: Part) -> str:
    """Return why a question can't be graded in a sandbox, or "" if it can."""
    exercise = part.exercise
    if isinstance(exercise, Function) and exercise.lent():
        return "not graded: its answer is given an object of the course"
    return ""


def _parts_of_program(code: str) -> tuple[list[Part], dict[str, str]]:
    """Return the questions that a my_bpe.py could answer, and the learner's functions by column.

    A function counts as the course's only if the comment above the function says so.
    """
    held = program.held(code)
    defined = sources.names_defined(code)
    keys = {name: function.key for name, function in held.items()}
    for name in defined - held.keys():  # merge = my_merge, say
        known = [key for key in program.PARTS if key[3:] == name]
        if known:
            keys[name] = known[-1]
    is_of_01 = not any(key >= "02" for name, key in keys.items() if name != "encode")
    if is_of_01 and keys.get("encode") == "03 encode" and _has_no_mark(code, "encode"):
        keys["encode"] = "01 encode"
    newest = max((key[:2] for key in keys.values()), default="")
    wanted = [key for key in program.keys_of(newest) if key in program.PARTS] if newest else []
    parts = [_part_of(key) for key in wanted]
    given = {}
    for key, part in zip(wanted, parts, strict=True):
        if keys.get(part.name) == key and not _is_lent(code, part.name, held):
            given[part.column] = part.name
    return parts, given


def _part_of(key: str) -> Part:
    number, name = key.split()
    return Part(number, program.MODULES[number], name)


def _has_no_mark(code: str, name: str) -> bool:
    functions = sources.find_functions(code)
    return name not in functions or not functions[name].mark


def _is_lent(code: str, name: str, held: dict) -> bool:
    """Return whether a function is the course's according to its comment, and is unchanged."""
    if _has_no_mark(code, name):
        return False
    mark = sources.find_functions(code)[name].mark
    return "the course's" in mark and not held[name].is_mine


@cache
def lent_text(number: str, asked: str) -> str:
    """Return the text of the course's functions that come before an answer, which may call them.

    ``number`` is the number of the notebook, and ``asked`` is the name of the function that this
    notebook asks for.

    >>> re.findall(r"^def (\\w+)", lent_text("01", "learn"), re.MULTILINE)
    ['count_pairs', 'merge']
    """
    is_of_program = f"{number} {asked}" in program.PARTS
    if number <= "04" and asked and not is_of_program:
        return ""  # the function asked for isn't in the program, but may be a new version of one
    bare = re.sub(r"_\d+$", "", asked)  # a page may ask for one of these functions a second time
    at = min(max(number[:2], "01"), "04")
    before = f"{int(at) - 1:02}"
    parts = []
    for key, last in program.FUNCTIONS.items():
        if key == f"{number} {asked}" or (key[3:] == bare and not is_of_program):
            break
        if key[:2] <= at and last >= (before if number <= "04" else at) and key[3:] != asked:
            parts.append(program.of_course(key))
    return "\n\n\n".join(parts)
