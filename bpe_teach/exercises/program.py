"""The learner's program: right answers of 01 to 04 grow into my_bpe.py, which needs no bpe_teach.

Only a right answer is written into the file, and only a file that is handed over is run. As long as
nothing is answered, a notebook gives the same outputs, whatever files lie beside it.
"""

import ast
import linecache
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from warnings import catch_warnings

from bpe_teach.corpora import load_corpus
from bpe_teach.exercises import PAGES, sources
from bpe_teach.exercises.answer import Answer
from bpe_teach.exercises.exercise import OURS, SHORT_ONLY, Exercise, Function, Verdict
from bpe_teach.exercises.runner import parent
from bpe_teach.exercises.runner.child import code_of, is_unwritten
from bpe_teach.exercises.runner.parent import Asking
from bpe_teach.exercises.sections import read_sections
from bpe_teach.exercises.sources import Unfit, find_functions, names_used, write_out
from bpe_teach.files import write_whole

PLACE = "my_bpe.py"
DRIVE = Path("drive", "MyDrive")  # on Colab, once Drive is mounted: files there are kept
MODULES = {path.stem[:2]: name for name, path in PAGES.items() if re.match("0[1-4]_", path.stem)}
PAGE = Path(__file__).with_name("glue.md").read_text("utf-8")
# notebook and name of a function -> the last notebook whose program has it, in the file's order
FUNCTIONS = dict(re.findall(r"^\| (\d\d \w+) \| (\d\d) \|", PAGE, re.MULTILINE))
# notebook and name of a function that nobody has to write -> its text
GLUE = {section.name: section.code.strip() for section in read_sections(PAGE.splitlines())}
HEAD = GLUE.pop("") + "\n"
PARTS = [key for key in FUNCTIONS if key not in GLUE]  # what the learner is asked to write
ORDER = [key[3:] for key in FUNCTIONS]
SAMPLE = 2000  # characters of the story, for comparing a program with the course's program


class Held(NamedTuple):
    """A function in a file: its key in `FUNCTIONS`, and whether the learner wrote the function."""

    key: str
    is_mine: bool


@dataclass(frozen=True, repr=False)
class Part(Function):
    """A question whose answer is written into the program once it is right and used."""

    def use(self, answer=...) -> Callable:
        """Do what `Function.use` does, and write the learner's answer into the file if right."""
        function = super().use(answer)
        if function is not self.solve and getattr(function, "__module__", "") != "my_bpe":
            try:
                print(self._write(function))
            except (Unfit, OSError) as error:
                print(f"It is not written into {PLACE}: {error}")
        return function

    def _write(self, function: Callable) -> str:
        """Write a function into the file; return a sentence about what the file holds now."""
        (key,) = [key for key in PARTS if find_part(key) is self]
        place = find(PLACE, is_here=True)
        text, taken_over = read(place), ""
        elsewhere = None if place.exists() else find_elsewhere(FUNCTIONS[key])
        if elsewhere:  # a copied notebook goes on with the same program
            text = read(elsewhere)
            taken_over = f" It begins with what {elsewhere} holds; if that isn't yours, delete "
            taken_over += f"{place}, put an empty file of that name here, and run this again."
        own = sources.names_defined(text) - set(ORDER)  # the file's own functions, imports, values

        def is_there(used: str, value) -> bool:  # in the file as long as this function
            keys = [part for part, last in FUNCTIONS.items() if last >= FUNCTIONS[key]]
            same = [part for part in keys if part[3:] == used]
            return used in own or any(
                part in GLUE or find_part(part)._verdict(value).kind == "right" for part in same
            )

        code = write_out(function, self.name, is_there)
        before = "" if taken_over else text  # the content of the file that is written
        path = place
        if newest(text) > FUNCTIONS[key]:  # the program has gone beyond this notebook
            path = beside(place, "earlier")
            text = before = read(path)
        full = add(text, key, "mine", code)
        said = write(path, full, before) + taken_over
        with suppress(OSError, ImportError):  # the home is read-only, or this is a browser
            write_whole(note(), str(place.resolve().parent).encode("utf-8"))
        mine = [part[3:] for part in PARTS if Held(part, True) in held(full).values()]
        return f"{path} holds your {', '.join(mine)}.{said}"


@dataclass(frozen=True, repr=False)
class LearnersProgram(Exercise):
    """The question whether a file is a notebook's program; gaps in the file are filled first."""

    notebook: str

    def _verdict(self, path=..., *others) -> Verdict:
        """Write what the file lacks; return whether it now does what the course's program does."""
        if path is ... or path is None:
            return super()._verdict(path)
        if others or not isinstance(path, str | Path):
            return Verdict("wrong", f'hand over the name of the file: check("{PLACE}").')
        try:
            place = find(path)
            if place != Path(path):
                print(f"{path} is the one in {place.resolve().parent}.")
            text, full = read(place), self._fill(place)
            is_later = newest(text) > self.notebook  # if so, nothing is filled in
            if said := "" if is_later else write(place, full, text).strip():
                print(said)
        except (Unfit, OSError) as error:
            return Verdict("wrong", str(error))
        return super()._verdict(full, str(place))

    def _judge(self, text: str, path: str) -> Verdict:
        """Return whether a program without gaps does what the course's program does."""
        try:
            if any(f"{name}.".startswith(OURS) for name in sources.modules_of(text)):
                raise Unfit("{path} imports bpe_teach; the file needs only Python and regex.")
            with start_program(text) as runner:
                if fault := self._compare(text, runner):
                    return fault
        except Unfit as error:
            return Verdict("wrong", str(error).replace("{path}", path))
        keys = keys_of(self.notebook)
        lent = [key[3:] for key in keys if not held(text)[key[3:]].is_mine]
        said = f"{len(text.splitlines())} lines, {len(keys)} functions"
        if not lent:
            return Verdict("right", f"{said}; all of them yours.")
        yours = f"{len(keys) - len(lent)} of them yours"
        return Verdict("right", f"{said}, {yours}; the course's are {', '.join(lent)}.")

    def use(self, path=...) -> ModuleType:
        """Return the learner's program as a module if it is right, else the course's program."""
        verdict = self.check(path)
        if verdict.kind == "right":
            print(f"Your program from {self.notebook} is used from here on: {verdict.text}")
            return run(self._fill(find(path)), self.notebook, "yours")
        why = "no file was given." if verdict.text == self._question() else verdict.text
        print(f"The course's program from {self.notebook} is used here: {why}")
        return run(self._fill(), self.notebook, "the course's")

    def _fill(self, path=None) -> str:
        """Return the text of a file, its gaps filled, without functions that are no longer used."""
        text, earlier = "", ""
        if path is not None:
            text, earlier = read(path), read(beside(path, "earlier"))
        keys = keys_of(self.notebook)
        for key in keys:
            name = key[3:]
            if held(text).get(name) == Held(key, True):
                continue
            if held(earlier).get(name) == Held(key, True):
                text = add(text, key, "mine", earlier)
            else:
                text = add(text, key, "the course's", of_course(key))
        for name, function in held(text).items():
            rest = sources.remove(text, name)
            if function.key not in keys and name not in names_used(rest):
                text = rest
        return text

    def _compare(self, text: str, runner: Asking) -> Verdict | None:
        """Return a verdict if a function, or the whole, differs from the course's, else None."""
        for key in keys_of(self.notebook):
            if key not in PARTS:
                continue
            name = key[3:]
            if is_unwritten(code_of(text, name)):
                return Verdict("wrong", f"{name} of {key[:2]} is open: it is not written yet.")
            lines = sources.lines_of(text, name)
            answer = Answer(runner, name, text=lines, workshop=lambda: start_program(text, False))
            verdict = find_part(key).verdict_on(answer)
            if verdict.kind != "right":
                fault = verdict.text.replace("your cell", PLACE)
                kind = SHORT_ONLY if verdict.kind == SHORT_ONLY else "wrong"
                return Verdict(kind, f"{name} of {key[:2]} is {verdict.kind}: {fault}")
        for name, given, right, made in self._whole():
            outcome = runner.call(name, given)
            if outcome.error:
                return Verdict("wrong", f"{{path}}: {outcome.error}")
            if outcome.value != right:
                return Verdict("wrong", f"{name} gives different {made} from the course's.")
        return None

    def _whole(self) -> Iterator[tuple[str, tuple, object, str]]:
        """Yield what the whole program should give: function, arguments, result, kind of result."""
        text = load_corpus("story")[:SAMPLE]
        ours = run(self._fill(), self.notebook)
        train, tokenize = ("learn", "encode") if self.notebook == "01" else ("train", "tokenize")
        merges = getattr(ours, train)(text, 30)
        yield train, (text, 30), merges, "merges"
        for name, made in ((tokenize, "tokens"), ("encode_text", "ids")):
            if hasattr(ours, name):
                yield name, (text, merges), getattr(ours, name)(text, merges), made


def program(notebook: str, place: str = "") -> LearnersProgram:
    """Return the question about the program with which a notebook ends."""
    ask = f'is {PLACE} the program of notebook {notebook}? Hand over its name, check("{PLACE}").'
    return LearnersProgram(ask, notebook, place=place)


def start_program(text: str, may_act: bool = True) -> Asking:
    """Return a child process that has run a program. Raises Unfit, with {path}, if that fails."""
    runner = parent.start({"__name__": "my_bpe"}, {}, may_act=may_act)
    error = runner.load(text, f"<{PLACE}>")
    if error:
        runner.close()
        raise Unfit(f"{{path}}: {error}")
    return runner


def find_part(key: str) -> Part:
    """Return the exercise of a part; find it by name, because the exercises import this module."""
    return getattr(import_module(f"bpe_teach.exercises.{MODULES[key[:2]]}"), key[3:])


def keys_of(notebook: str) -> list[str]:
    """List the functions of a notebook's program, by their keys in `FUNCTIONS`."""
    return [key for key, last in FUNCTIONS.items() if key[:2] <= notebook <= last]


@cache
def of_course(key: str) -> str:
    """Return the course's own version of a function as text, after the imports that it needs."""
    if key in GLUE:
        return GLUE[key]
    part = find_part(key)
    return write_out(part.solve, part.name, lambda name, _value: name in ORDER)


def find(path, is_here: bool = False) -> Path:
    """Return where a program is: here, in the folder above, in Drive, or where it was written last.

    If ``is_here`` is true, the last of these places doesn't count; if the program is in none of the
    others, the path of a new file in Drive, or here, is returned.

    Raises Unfit if the program is nowhere.
    """
    places = [Path(path)]
    if Path(path).name == str(path):  # without a folder
        places += [Path("..", path), DRIVE / path]
        with suppress(OSError, ImportError, ValueError):
            if not is_here:
                places.append(Path(note().read_text("utf-8"), path))
    for place in places:
        if place.is_file():
            return place
    if is_here:
        return DRIVE / path if DRIVE.is_dir() else Path(path)
    where = "in this folder, the one above, or where it was written last"
    kept = "Colab deletes it when you leave, unless it is in Drive"
    raise Unfit(f"there is no {path} {where}. Your first right answer makes it; {kept}.")


def find_elsewhere(last: str) -> Path | None:
    """Return the path of the program that was written last, None if there is none.

    The answer is also None if that program has functions of notebooks after ``last``.
    """
    with suppress(Unfit):
        path = find(PLACE)
        if newest(read(path)) <= last:
            return path
    return None


def note() -> Path:
    """Return the path of the file, in the user's cache, that names the last program's folder."""
    with catch_warnings(action="ignore"):  # pooch loads tqdm, which may miss ipywidgets
        folder = Path(import_module("pooch").os_cache("bpe_teach"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "my_bpe_is_in.txt"


def read(path) -> str:
    """Return the text of a program, or "" if there is no file."""
    try:
        text = Path(path).read_text("utf-8-sig") if Path(path).exists() else ""
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise Unfit(f"{path} is broken: {error}. Mend it, or give it another name.") from None
    return text


def beside(path, what: str) -> Path:
    """Return the path of a file beside the program, such as my_bpe_before.py."""
    return Path(path).with_stem(f"{Path(path).stem}_{what}")


def write(path, text: str, before: str) -> str:
    """Write a program; return sentences on the learner's functions that it no longer holds.

    The file as it was before the change is kept beside it. A function for which a later program has
    no use goes to a file of its own.
    """
    if text == before:
        return ""
    if before:
        write_whole(beside(path, "before"), Path(path).read_bytes())
    write_whole(path, text.encode("utf-8"))
    said = ""
    for name, was in held(before).items():
        if not was.is_mine or find_functions(before)[name].code in text:
            continue
        if held(text).get(name) == was:
            said += f" The {name} that the file held before is in {beside(path, 'before')}."
        else:
            earlier = beside(path, "earlier")
            kept = read(earlier)
            said += f" Your {name} of notebook {was.key[:2]} is now in {earlier}."
            said += write(earlier, add(kept, was.key, "mine", before), kept)
    return said


def held(text: str) -> dict[str, Held]:
    """Return which of the functions in `FUNCTIONS` a program has, by name."""
    found = {}
    for name, function in find_functions(text).items():
        keys = [key for key in FUNCTIONS if key[3:] == name]
        ours = [key for key in keys if of_course(key).endswith(function.code)]
        mark = sources.MARK.fullmatch(function.mark)
        if mark and mark[1] in keys:
            found[name] = Held(mark[1], mark[2] == "mine" or not ours)
        elif ours:  # the course's own function, without its mark
            found[name] = Held(ours[0], False)
        elif keys:  # the learner took the mark away, or there never was one
            found[name] = Held(_meant_by(keys, function.code), True)
    return found


def _meant_by(keys: list[str], code: str) -> str:
    """Return which of several functions with the same name a function without a mark is.

    The encode of notebook 01 takes merges, and the encode of notebook 03 takes ranks; of other
    functions, the last one counts.
    """
    head = code.partition(":")[0]
    if keys[0] == "01 encode" and "merges" in head:
        return keys[0]
    return keys[-1]


def newest(text: str) -> str:
    """Return the latest notebook of which a file has a function, "" if there is none."""
    return max((function.key[:2] for function in held(text).values()), default="")


def add(text: str, key: str, whose: str, code: str) -> str:
    """Return a program with a function taken from ``code``, and with all imports of ``code``."""
    name = key[3:]
    text = sources.put_imports(text or HEAD, sources.imports_of(code))
    return sources.put(text, name, f"# {key}, {whose}:\n{find_functions(code)[name].code}", ORDER)


def run(text: str, notebook: str, owner: str = "") -> ModuleType:
    """Return a program as a module, after running it; errors and ?? show its lines.

    ``owner`` says whose program it is.
    """
    name = f"<{PLACE} of {notebook}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    module = ModuleType("my_bpe")
    module.owner = owner
    exec(compile(text, name, "exec"), vars(module))
    return module
