"""The learner's program: right answers of 01 to 04 grow into my_bpe.py, which needs no bpe_teach.

Only a right answer is written, and only a file that is handed over is run. As long as nothing is
answered, a notebook gives the same outputs, whatever files lie beside it.
"""

import ast
import linecache
import re
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from io import StringIO
from itertools import filterfalse
from pathlib import Path
from types import ModuleType

from bpe_teach.corpora import load_corpus
from bpe_teach.exercises.exercise import Exercise, Function, Verdict
from bpe_teach.exercises.glue import GLUE
from bpe_teach.exercises.standalone import Unfit, may_import, modules_of, write_out
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.files import write_whole

PLACE = "my_bpe.py"
HEAD = """\
# My tokenizer: byte pair encoding, grown in the notebooks 01 to 04.
# What is marked "mine" stays; what is marked "the course's" may be replaced.
# check("my_bpe.py"), near the end of each notebook, adds the "glue" that joins the functions.
# The encode of 03 takes the place of the encode of 01.
"""
MODULES = {
    "01": "char_bpe",
    "02": "word_boundaries",
    "03": "rank_based_encoding",
    "04": "byte_level",
}
PARTS = {  # notebook and name -> the last notebook whose program has it, in the order of the file
    "01 count_pairs": "04",
    "01 merge": "04",
    "01 learn": "01",
    "01 encode": "02",
    "02 split_words": "03",
    "02 bag_of_words": "04",
    "03 encode": "04",
    "04 split_text": "04",
    "04 decode": "04",
}
ORDER = [*PARTS, *(f"{notebook} glue" for notebook in GLUE)]
MARK = re.compile(r"^# (\d\d \w+), (mine|the course's): *$", re.MULTILINE)
SAMPLE = 2000  # characters of the story, on which a program is compared with the course's


@dataclass(frozen=True, repr=False)
class Part(Function):
    """A question whose answer is written into the program once it is right and used."""

    def use(self, answer=...) -> Callable:
        """Do what `Function.use` does, and write a right answer of the learner's into the file."""
        function = super().use(answer)
        if function is not self.solve and getattr(function, "__module__", "") != "my_bpe":
            try:
                print(f"{PLACE} holds your {', '.join(self._write(function))}.")
            except (Unfit, OSError) as error:
                print(f"It is not written into {PLACE}: {error}")
        return function

    def _write(self, function: Callable) -> list[str]:
        """Write a function into the file; return the names of all that are the learner's."""
        (key,) = [key for key in PARTS if find_part(key) is self]
        parts = read(PLACE)
        text = write_out(function, self.name, lambda used, value: is_part(used, value, key))
        if parts and key[:2] > max(parts)[:2]:
            parts = own(parts)  # the rest belongs to the program of an older notebook
        parts = settle(parts | {key: ("mine", text)})
        if key not in parts:
            raise Unfit(f"the {self.name} of a later notebook has taken its place.")
        write_whole(PLACE, join(parts).encode("utf-8"))
        return [key[3:] for key in PARTS if key in own(parts)]


@dataclass(frozen=True, repr=False)
class Program(Exercise):
    """The question whether a file is the program of a notebook; its gaps are filled first."""

    notebook: str

    def _judge(self, path, *others) -> Verdict:
        """Return whether the program does what the course's does; write what was missing."""
        if others or not isinstance(path, str | Path):
            return Verdict("wrong", f'hand over the name of the file: check("{PLACE}").')
        try:
            parts = read(path)
            if not parts:
                begins = "Your first right answer makes it; Colab deletes it when you leave."
                raise Unfit(f"there is no {path} here. {begins}")
            text = self._fill(parts)
            if max(parts)[:2] <= self.notebook:  # else the file belongs to a later one
                write_whole(path, text.encode("utf-8"))
            with redirect_stdout(StringIO()):  # a function may print
                self._compare(run(text, self.notebook))
        except (Unfit, OSError) as error:
            return Verdict("wrong", str(error))
        except Exception as error:  # whatever the file holds
            return Verdict("wrong", f"{path}: {type(error).__name__}: {error}")
        lent = [key[3:] for key in keys_of(self.notebook) if key not in own(parts)]
        said = f"{len(text.splitlines())} lines, {len(keys_of(self.notebook))} functions"
        ours = f"the course's are {', '.join(lent)}" if lent else "all of them yours"
        return Verdict("right", f"{said}; {ours}.")

    def use(self, path=...) -> ModuleType:
        """Return the learner's program as a module if it is right, else the course's."""
        verdict = self.check(path)
        if verdict.kind == "right":
            print(f"Your program of {self.notebook} is used from here on: {verdict.text}")
            return run(self._fill(read(path)), self.notebook)
        why = verdict.text if verdict.kind == "wrong" else "no file was given."
        print(f"The course's program of {self.notebook} is used here: {why}")
        return run(self._fill({}), self.notebook)

    def _fill(self, parts: dict[str, tuple[str, str]]) -> str:
        """Return the program with these parts, and the course's where one is missing."""
        full = {}
        for key in keys_of(self.notebook):
            part = find_part(key)
            text = write_out(part.solve, part.name, is_any_part, part.source())
            full[key] = ("the course's", text)
        full[f"{self.notebook} glue"] = ("the course's", GLUE[self.notebook])
        mine = {key: part for key, part in own(parts).items() if key[:2] <= self.notebook}
        return join(settle(full | mine))

    def _compare(self, program: ModuleType) -> None:
        """Raise Unfit if a function, or the whole program, differs from the course's."""
        for key in keys_of(self.notebook):
            verdict = find_part(key)._judge(getattr(program, key[3:]))
            if verdict.kind != "right":
                fault = verdict.text.replace("your cell", PLACE)
                raise Unfit(f"{key[3:]} of {key[:2]} is {verdict.kind}: {fault}")
        text = load_corpus("story")[:SAMPLE]
        ours = run(self._fill({}), self.notebook)
        train, tokenize = ("learn", "encode") if self.notebook == "01" else ("train", "tokenize")
        merges = getattr(ours, train)(text, 30)
        if self.notebook == "04":
            tok = Tokenizer.train(text, scheme="gpt2", num_merges=30)
            merges = [merge.pair for merge in tok.merges]
            if program.encode_text(text, merges) != tok.encode(text):
                raise Unfit("encode_text gives different ids from Tokenizer.")
        if getattr(program, train)(text, 30) != merges:
            raise Unfit(f"{train} gives different merges from the course's.")
        if getattr(program, tokenize)(text, merges) != getattr(ours, tokenize)(text, merges):
            raise Unfit(f"{tokenize} gives different tokens from the course's.")


def program(notebook: str) -> Program:
    """Return the question about the program with which a notebook ends."""
    ask = f'is {PLACE} the program of notebook {notebook}? Hand over its name, check("{PLACE}").'
    return Program(ask, notebook)


def is_any_part(name: str, _value=None) -> bool:
    """Return whether a function of this name is a part of some program."""
    return name in {key[3:] for key in PARTS}


def find_part(key: str) -> Part:
    """Return the exercise of a part, found by name because the exercises import this module."""
    return getattr(import_module(f"bpe_teach.exercises.{MODULES[key[:2]]}"), key[3:])


def keys_of(notebook: str) -> list[str]:
    """List the parts of the program of a notebook."""
    return [key for key, last in PARTS.items() if key[:2] <= notebook <= last]


def own(parts: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return the parts that are the learner's."""
    return {key: part for key, part in parts.items() if part[0] == "mine"}


def is_part(used: str, value, key: str) -> bool:
    """Return whether a name is another part, which the program keeps as long as this one."""
    others = [other for other in PARTS if other[3:] == used and PARTS[other] >= PARTS[key]]
    return any(find_part(other)._verdict(value).kind == "right" for other in others)


def read(path) -> dict[str, tuple[str, str]]:
    """Return the parts of a file, key -> (whose, text), or none if there is no file."""
    try:
        text = Path(path).read_text("utf-8-sig") if Path(path).exists() else ""
        body = ast.parse(text).body
        head, *pieces = MARK.split(text)
        stray = ast.parse(head).body
    except (SyntaxError, ValueError) as error:
        raise Unfit(f"{path} is broken: {error}. Mend it, or give it another name.") from None
    kinds = {*map(type, body)} - {ast.Import, ast.ImportFrom, ast.FunctionDef}
    strangers = [*filterfalse(may_import, modules_of(body))]
    if stray or kinds or strangers or not {*ORDER}.issuperset(pieces[::3]):
        raise Unfit(f"{path} holds more than this course has written: give it another name.")
    return dict(zip(pieces[::3], zip(pieces[1::3], pieces[2::3], strict=True), strict=True))


def settle(parts: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return parts in the order of the file; of two with one name, such as encode, the later."""
    latest = {key[3:]: key for key in ORDER if key in parts}.values()
    return {key: parts[key] for key in ORDER if key in latest}


def join(parts: dict[str, tuple[str, str]]) -> str:
    """Return a program as text."""
    pieces = [HEAD]
    for key, (whose, text) in parts.items():
        if text:
            pieces.append(f"# {key}, {whose}:\n{text.strip()}\n")
    return "\n\n".join(pieces)


def run(text: str, notebook: str) -> ModuleType:
    """Return a program as a module, after running it; errors and ?? show its lines."""
    name = f"<{PLACE} of {notebook}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    module = ModuleType("my_bpe")
    exec(compile(text, name, "exec"), vars(module))
    return module
