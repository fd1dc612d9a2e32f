"""The learner's program: right answers of 01 to 04 grow into my_bpe.py, which needs no bpe_teach.

Only a right answer is written, and only a file that is handed over is run. A notebook in which
nothing is answered gives the same outputs, whatever lies beside it.
"""

import ast
import builtins
import inspect
import linecache
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module
from itertools import filterfalse
from pathlib import Path
from symtable import symtable
from textwrap import dedent
from types import ModuleType

from bpe_teach.corpora import load_corpus
from bpe_teach.exercises.exercise import Exercise, Function, Verdict
from bpe_teach.exercises.glue import GLUE
from bpe_teach.fast.files import write_whole
from bpe_teach.tokenizer import Tokenizer

PLACE = "my_bpe.py"
HEAD = """\
# My tokenizer: byte pair encoding, grown in the notebooks 01 to 04.
# What is marked "mine" stays; what is marked "the course's" may be written anew.
"""
MODULES = {
    "01": "char_bpe",
    "02": "word_boundaries",
    "03": "rank_based_encoding",
    "04": "byte_level",
}
PARTS = {  # notebook and name -> the last notebook whose program has it; in the order of the file
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
MARK = re.compile(r"^# (\d\d \w+), (mine|the course's):$", re.MULTILINE)
SAMPLE = 5000  # characters of the story: on these a program is compared with the course's


class Unfit(ValueError):
    """Something cannot be part of the program; the text says why, and what to do."""


@dataclass(frozen=True, repr=False)
class Part(Function):
    """A question whose answer, once it is right and used, is written into the program."""

    def use(self, answer=...) -> Callable:
        """Do what `Function.use` does, and write a right answer of the learner's down."""
        function = super().use(answer)
        if function is not self.solve and getattr(function, "__module__", "") != "my_bpe":
            try:
                print(f"{PLACE} holds your {', '.join(self._write(function))}.")
            except (Unfit, OSError) as error:
                print(f"It is not written into {PLACE}: {error}")
        return function

    def _write(self, function: Callable) -> list[str]:
        """Put a function into the file; return the names of all there that are the learner's."""
        (key,) = [key for key in PARTS if find_part(key) is self]
        parts = read(PLACE)
        text = gather(function, key)
        if parts and key[:2] > newest(parts):
            parts = own(parts)  # the rest belongs to the program of an older notebook
        parts[key] = ("mine", text)
        write_whole(PLACE, join(parts).encode("utf-8"))
        return [key[3:] for key in PARTS if key in own(parts)]


@dataclass(frozen=True, repr=False)
class Program(Exercise):
    """The question whether a file holds the program of a notebook; its gaps are filled first."""

    notebook: str

    def _judge(self, path, *others) -> Verdict:
        """Say whether the program does what the course's does; write down what it lacked."""
        if others or not isinstance(path, str | Path):
            return Verdict("wrong", f'hand over the name of the file: check("{PLACE}").')
        try:
            parts = read(path)
            if not parts:
                raise Unfit(f"there is no {path} here. It begins with your first right answer.")
            text = self._fill(parts)
            if newest(parts) <= self.notebook:  # else the file belongs to a later one
                write_whole(path, text.encode("utf-8"))
            self._compare(run(text, self.notebook))
        except (Unfit, OSError) as error:
            return Verdict("wrong", str(error))
        except Exception as error:  # whatever stands in the file
            return Verdict("wrong", f"{path}: {type(error).__name__}: {error}")
        lent = [key[3:] for key in keys_of(self.notebook) if key not in own(parts)]
        said = f"{len(text.splitlines())} lines, {len(keys_of(self.notebook))} functions"
        ours = f"the course's are {', '.join(lent)}" if lent else "all of them yours"
        return Verdict("right", f"{said}; {ours}.")

    def use(self, path=...) -> ModuleType:
        """Return the learner's program as a module if it is right, the course's if not."""
        verdict = self.check(path)
        if verdict.kind == "right":
            print(f"Your program of {self.notebook} goes on from here: {verdict.text}")
            return run(self._fill(read(path)), self.notebook)
        why = verdict.text if verdict.kind == "wrong" else "no file is handed over."
        print(f"The course's program of {self.notebook} takes over here: {why}")
        return run(self._fill({}), self.notebook)

    def _fill(self, parts: dict[str, tuple[str, str]]) -> str:
        """Return the program with these parts; the course's stand in for what is missing."""
        full = {}
        for key in keys_of(self.notebook):
            full[key] = ("the course's", gather(find_part(key).solve, key))
        full[f"{self.notebook} glue"] = ("the course's", GLUE[self.notebook])
        mine = {key: part for key, part in own(parts).items() if key[:2] <= self.notebook}
        return join(full | mine)

    def _compare(self, program: ModuleType) -> None:
        """Raise Unfit if a function, or the whole, does not do what the course's does."""
        for key in keys_of(self.notebook):
            verdict = find_part(key)._judge(getattr(program, key[3:]))
            if verdict.kind != "right":
                fault = verdict.text.replace("your cell", PLACE)
                raise Unfit(f"{key[3:]} of {key[:2]} is {verdict.kind}: {fault}")
        text = load_corpus("story")[:SAMPLE]
        ours = run(self._fill({}), self.notebook)
        train, tokenize = ("learn", "encode") if self.notebook == "01" else ("train", "tokenize")
        merges = getattr(ours, train)(text, 50)
        if self.notebook == "04":
            tok = Tokenizer.train(text, scheme="gpt2", num_merges=50)
            merges = [merge.pair for merge in tok.merges]
            if program.encode_text(text, merges) != tok.encode(text):
                raise Unfit("encode_text does not give the ids that Tokenizer gives.")
        if getattr(program, train)(text, 50) != merges:
            raise Unfit(f"{train} does not give the merges that the course's gives.")
        if getattr(program, tokenize)(text, merges) != getattr(ours, tokenize)(text, merges):
            raise Unfit(f"{tokenize} does not give the tokens that the course's gives.")


def program(notebook: str) -> Program:
    """Return the question about the program with which a notebook ends."""
    return Program(
        f"is {PLACE}, where your right answers are kept, the program of notebook {notebook}? Hand "
        f'over its name, check("{PLACE}"): what you have not written is filled in.',
        notebook,
    )


def find_part(key: str) -> Part:
    """Return the exercise of a part; by its name, because the exercises import this module."""
    return getattr(import_module(f"bpe_teach.exercises.{MODULES[key[:2]]}"), key[3:])


def keys_of(notebook: str) -> list[str]:
    """List the parts of the program of a notebook."""
    return [key for key, last in PARTS.items() if key[:2] <= notebook <= last]


def own(parts: dict[str, tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """Return the parts that are the learner's."""
    return {key: part for key, part in parts.items() if part[0] == "mine"}


def newest(parts: dict) -> str:
    """Return the number of the notebook of the latest part."""
    return max(key[:2] for key in parts)


def gather(function: Callable, key: str) -> str:
    """Return a function as text, after the imports that it needs.

    It may use what can be imported, and other parts; all else has to be written into it.
    """
    part, imports = find_part(key), set()
    is_ours = function is part.solve
    source = part.source() if is_ours else read_source(function, part.name)
    names = vars(builtins) | inspect.unwrap(function).__globals__  # @cache and the like wrap
    for used in names_used(source) - {part.name}:
        value = names.get(used)
        in_python = used in vars(builtins) and value is vars(builtins)[used]
        if in_python and "IPython" not in str(getattr(value, "__module__", "")):
            continue
        others = [other for other in PARTS if other[3:] == used and PARTS[other] >= PARTS[key]]
        if others and (is_ours or any(find_part(o).check(value).kind == "right" for o in others)):
            continue
        imports.add(import_line(used, value, part.name))
    return "\n".join([*sorted(imports), "\n", source]).strip()


def read_source(function: Callable, name: str) -> str:
    """Return the text of a learner's function; raise Unfit if it cannot stand in a file."""
    try:
        source = dedent(inspect.getsource(inspect.unwrap(function))).strip()
        body = ast.parse(source).body
    except (OSError, TypeError):
        raise Unfit(f"the text of {name} can't be found. Is it in a cell of its own?") from None
    except SyntaxError:
        body = []  # a lambda in the middle of a line
    if [*map(type, body)] != [ast.FunctionDef] or body[0].name != name:
        raise Unfit(f"write it as one function, def {name}(…).")
    for module in filterfalse(may_import, modules_of(ast.walk(body[0]))):
        raise Unfit(f"{name} imports {module}; the file needs only Python and regex.")
    return source


def names_used(text: str) -> set[str]:
    """Return the names that a text takes from outside its functions, and theirs.

    >>> sorted(names_used("def f(x): return [len(y) for y in g(x)]"))
    ['f', 'g', 'len']
    """
    pending, found = [symtable(text, PLACE, "exec")], set()
    while pending:
        table = pending.pop()
        found |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global()}
        pending += table.get_children()
    return found


def modules_of(nodes: Iterable[ast.AST]) -> list[str]:
    """List the modules that statements import."""
    modules = []
    for node in nodes:
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            modules.append(node.module or ".")
    return modules


def may_import(module: str) -> bool:
    """Return whether the program may import a module."""
    return module.split(".")[0] in {*sys.stdlib_module_names, "regex"}


def import_line(used: str, value, name: str) -> str:
    """Return the line that imports a value under a name; raise Unfit if there is none."""
    module = value.__name__ if inspect.ismodule(value) else getattr(value, "__module__", None)
    first = getattr(value, "__name__", used)
    renamed = f" as {used}" if used != first else ""
    top = (module or "").split(".")[0]
    homes = [top.lstrip("_"), module] if module else ["math", "string"]  # these have constants
    for home in filter(may_import, homes):
        if inspect.ismodule(value):
            return f"import {first}{renamed}"
        if getattr(import_module(home), first, None) is value:
            return f"from {home} import {first}{renamed}"
    if top == "my_bpe":
        raise Unfit(f"{name} uses {used}: begin with merge = my_bpe.merge, say, and call merge.")
    if top and top != "__main__":
        raise Unfit(f"{name} uses {used} of {top}; the file needs only Python and regex.")
    raise Unfit(f"{name} uses {used}, which is not in the file: write it into {name}.")


def read(path) -> dict[str, tuple[str, str]]:
    """Return the parts of a file, key -> (whose, text); none if there is no file."""
    try:
        text = Path(path).read_text("utf-8-sig") if Path(path).exists() else ""
        body = ast.parse(text).body
        head, *pieces = MARK.split(text)
        stray = ast.parse(head).body
    except (SyntaxError, ValueError) as error:
        raise Unfit(f"{path} is broken: {error}. Mend it, or give it another name.") from None
    kinds = {*map(type, body)} - {ast.Import, ast.ImportFrom, ast.FunctionDef}
    strange = [*filterfalse(may_import, modules_of(body))] + [*({*pieces[::3]} - {*ORDER})]
    if stray or kinds or strange:
        raise Unfit(f"{path} holds more than this course has written: give it another name.")
    return dict(zip(pieces[::3], zip(pieces[1::3], pieces[2::3], strict=True), strict=True))


def join(parts: dict[str, tuple[str, str]]) -> str:
    """Return a program as text. Of two parts of one name, as encode, the later one stays."""
    latest = {key[3:]: key for key in ORDER if key in parts}.values()
    pieces = [HEAD]
    for key in ORDER:
        if key in latest and parts[key][1]:
            whose, text = parts[key]
            pieces.append(f"# {key}, {whose}:\n{text.strip()}\n")
    return "\n\n".join(pieces)


def run(text: str, notebook: str) -> ModuleType:
    """Run a program and return it as a module; errors and ?? show its lines."""
    name = f"<{PLACE} of {notebook}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    module = ModuleType("my_bpe")
    exec(compile(text, name, "exec"), vars(module))
    return module
