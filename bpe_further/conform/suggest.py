"""Suggest: an adapter for a program whose names or calls the kit can't make out.

An adapter is a class with the three methods that the kit knows. What can be guessed is filled in; a
line to look at ends with an arrow. What can't be guessed, and a call that has failed, is left open:
the line raises NotImplementedError, and says what belongs there.
"""

import inspect
import re
import sys
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from bpe_further.conform.calls import (
    PLAIN_NAMES,
    find_method,
    is_called,
    is_needed,
    is_public,
    may_come_before,
    parameters_of,
    plainly,
    takes_text_and_number,
    ways_to_train,
)
from bpe_further.conform.shapes import takes_what_is_learned

LOOK = "  # <- look at this line"
FILE = '"text.txt"'  # in which a text is given
SIZE = "256 + num_merges"  # of a vocabulary, where a number of merges is given as well
MOST_OF_A_DEFAULT = 12  # characters to show
ADAPTED = "Adapted"  # how the class of an adapter is called
OPEN = "..."  # an argument of which nothing is known
THE_MERGES = "self.merges = the merges that were learned, as a list of pairs, the first one first"
WORDS = {  # parts of names, the likelier ones first
    "train": ("train", "fit", "learn", "build", "bpe"),
    "encode": ("encode", "tokenize", "tokenise", "segment", "apply", "ids"),
    "decode": ("decode", "detoken", "ids_to"),
}


class Home(NamedTuple):
    """Where functions are: a class with its methods, or a module."""

    module: str
    name: str | None  # of the class
    functions: dict[str, Callable]
    of_class: type | None = None


def describe(modules: Iterable[ModuleType]) -> list[str]:
    """Return the classes, with their methods, and the functions that modules define.

    What a class has from elsewhere, such as a library, isn't listed.
    """
    told = []
    modules = list(modules)
    own = {module.__name__ for module in modules}
    for home in _homes(modules):
        theirs = {
            name: one
            for name, one in home.functions.items()
            if getattr(one, "__module__", None) in own
        }
        calls = [f"{name}({_signature(one)})" for name, one in theirs.items()]
        if home.name is not None:
            told.append(f"class {home.name}: {', '.join(calls) or 'no methods'}")
        else:
            told += calls
    return told


def _signature(function: Callable) -> str:
    """Return the parameters of a function, with the defaults that they have."""
    told = []
    for name, parameter in parameters_of(function).items():
        is_short = not is_needed(parameter) and len(repr(parameter.default)) <= MOST_OF_A_DEFAULT
        told.append(f"{name}={parameter.default!r}" if is_short else name)
    return ", ".join(told)


def write_adapter(
    modules: Iterable[ModuleType], name: str | None = None, failing: Collection[str] = ()
) -> str | None:
    """Return the text of an adapter for what is in modules; None if there is nothing to adapt.

    With a ``name``, the class of that name is adapted, if there is one. If a module is an adapter
    already, it should be mended: it gets no adapter of its own. What is ``failing`` is left open:
    "train" or "encode", of which no call has worked, or the "merges", which weren't found; if they
    are "empty", something else may have to be called first.
    """
    homes = [home for home in _homes(modules) if home.functions]
    if not homes or any(home.name == ADAPTED for home in homes):
        return None
    of_name = [home for home in homes if name is not None and home.name == name]
    home = max(of_name or homes, key=lambda one: _how_likely(one, homes))
    of_class = home.name is not None
    has_name = all(part.isidentifier() for part in home.module.split("."))  # and no space in it
    imported = f"from {home.module} import {home.name}" if of_class else f"import {home.module}"
    if not has_name:
        made = f'importlib.import_module("{home.module}")'
        imported = f"{home.name} = {made}.{home.name}" if of_class else f"theirs = {made}"
    lines = [
        *([] if has_name else ["import importlib"]),
        "import sys",
        "",
        f"sys.path.insert(0, {str(_folder_of(home.module))!r})",
        imported,
        "",
        "",
        f"class {ADAPTED}:",
        "    def train(self, text, num_merges):",
    ]
    place = home.module if has_name else "theirs"
    place = "self.tok" if of_class else place
    training = "\n".join(_training(home, place, failing))
    if SIZE in training and "num_merges" not in training.replace(SIZE, ""):
        # Which tokens a size counts is the program's own matter: the kit finds it out by trying.
        training = training.replace(SIZE, "vocab_size")
        lines[-1] = lines[-1].replace("num_merges", "vocab_size")
    lines.append(training)
    encode, decode = (guess(home.functions, what) for what in ("encode", "decode"))
    lines += ["", "    def encode(self, text):"]
    if encode:
        call = f"{place}.{encode}({_arguments(home.functions[encode], 'self.learned', 'text')})"
        line = f"return list({call}){LOOK}: it gives ids"
        lines += _unless_open(line, encode, "the ids of the text", "encode" in failing)
    else:
        lines.append(f"        {_open('return the ids of the text')}")
    lines += ["", "    def decode(self, ids):"]
    if decode:
        call = f"{place}.{decode}({_arguments(home.functions[decode], 'self.learned', 'ids')})"
        line = f"return {call}{LOOK}: it gives a text, or bytes"
        lines += _unless_open(line, decode, "the text of the ids")
    else:
        lines.append(f"        {_open('return the text of the ids, or leave this line')}")
    if of_class:
        lines += _saving(home)
    return "\n".join(lines) + "\n"


def _open(what: str) -> str:
    """Return a line that stands for one that nobody can guess, and says what belongs there."""
    return f'raise NotImplementedError("here: {what}"){LOOK}'


def _unless_open(line: str, name: str, wanted: str, is_failing: bool = False) -> list[str]:
    """Return a line of an adapter; what can't be called so is a comment above a line left open."""
    if not is_failing and OPEN not in line:
        return [f"        {line}"]
    places = re.findall(rf"(\w+)={re.escape(OPEN)}", line)
    why = f"what does {name} take for {', '.join(places)}?" if places else "this call has failed"
    call, _, _ = line.partition(LOOK)
    return [f"        # {call}", f"        {_open(f'{wanted}; {why}')}"]


def _training(home: Home, place: str, failing: Collection[str]) -> list[str]:
    """Return the lines in which an adapter learns."""
    functions = home.functions
    train = guess(functions, "train")
    makes = next(filter(None, (_maker(home, name) for name in functions)), None)
    made = ""
    if makes:
        made = f"{home.name}.{makes}({_arguments(functions[makes], 'num_merges', is_made=True)})"
    elif home.name is not None:
        is_given = not train and takes_what_is_learned(home.of_class)
        number = OPEN if is_given else "num_merges"  # or merges, not how many
        given = _arguments(functions.get("__init__"), number, is_made=True)
        made = f"{home.name}({given})"
    indent = " " * 8
    lines = []
    if home.name is not None:
        is_failing = "train" in failing and not (train and not makes)
        lines += _unless_open(f"{place} = {made}{LOOK}", home.name, "make an object", is_failing)
    if train and not makes:
        given = _arguments(functions[train], "num_merges", "text")
        before = may_come_before(functions, [train])
        first = f"does any of these come first? {', '.join(f'{one}()' for one in before)}"
        if "text" not in given + made:
            first = f"; {first}" if before else ""
            lines.append(f"{indent}{_open(f'where does the text go?{first}')}")
        elif "empty" in failing and before:
            lines.append(f"{indent}{_open(first)}")
        call = f"self.learned = {place}.{train}({given}){LOOK}"
        lines += _unless_open(call, train, "learn from the text", "train" in failing)
    elif not makes:
        how_many = "" if any(SIZE in line for line in lines) else " num_merges merges"
        lines.append(f"{indent}{_open(f'learn{how_many} from the text')}")
    if "merges" in failing:
        lines.append(f"{indent}{_open(THE_MERGES)}")
    if any(FILE in line for line in lines):
        opened = f'with open({FILE}, "w", encoding="utf-8", newline="") as file:'
        lines = [f"{indent}{opened}", f"{indent}    file.write(text)", *lines]
    return lines


def _saving(home: Home) -> list[str]:
    """Return the lines in which an adapter saves and loads, if an object of the class can."""
    save, load = (find_method(home.of_class, what) for what in ("save", "load"))
    if not save or not load or inspect.ismethod(home.functions.get(load)):
        return []
    given = _arguments(home.functions.get("__init__"), "None", is_made=True)
    if OPEN in given:
        return []
    return [
        "",
        "    def save(self, path):",
        f"        self.tok.{save}(path){LOOK}",
        "",
        "    def load(self, path):",
        f"        self.tok = {home.name}({given}){LOOK}",
        f"        self.tok.{load}(path){LOOK}",
    ]


def _folder_of(module: str) -> Path:
    """Return the folder from which a module, or the package that it is in, is imported."""
    file = Path(sys.modules[module].__file__)
    levels = module.count(".") + (file.stem == "__init__")
    return file.parents[levels]


def _how_likely(home: Home, homes: Iterable[Home]) -> tuple:
    """Return the key that chooses a home: best is a class that does all, and is nobody's base.

    Of equals, one that learns is better.
    """
    others = [one.of_class for one in homes if one is not home and one.of_class]
    is_base = home.of_class is not None and any(issubclass(one, home.of_class) for one in others)
    does = [guess(home.functions, what) or (what == "train" and _maker_in(home)) for what in WORDS]
    return sum(map(bool, does)), bool(does[0]), not is_base


def _maker_in(home: Home) -> bool:
    return any(_maker(home, name) for name in home.functions)


def _maker(home: Home, name: str) -> str | None:
    """Return the name of a method of the class that makes an object of a text and a number."""
    one = home.functions[name]
    return name if inspect.ismethod(one) and takes_text_and_number(one) else None


def _homes(modules: Iterable[ModuleType]) -> list[Home]:
    homes = []
    for module in modules:
        own = {
            name: one
            for name, one in vars(module).items()
            if getattr(one, "__module__", None) == module.__name__
        }
        for name, one in own.items():
            if inspect.isclass(one) and not issubclass(one, BaseException):
                methods = inspect.getmembers(one, inspect.isroutine)
                methods = [(key, item) for key, item in methods if not inspect.isbuiltin(item)]
                methods = {key: item for key, item in methods if key[0] != "_" or key == "__init__"}
                homes.append(Home(module.__name__, name, methods, one))
        functions = {name: one for name, one in own.items() if inspect.isfunction(one)}
        homes.append(Home(module.__name__, None, functions))
    return homes


def guess(names: Iterable[str], what: str) -> str | None:
    """Return the function whose name sounds most like what it should do."""
    names = list(filter(is_public, names))
    for usual in PLAIN_NAMES[what]:
        for name in names:
            if plainly(name) == usual:
                return name
    for word in WORDS[what]:
        for name in names:
            sounds = name.lower()
            is_back = any(part in sounds for part in ("decode", "detok", "ids_to"))
            if word in sounds and is_back == (what == "decode"):
                return name
    return None


def _arguments(
    function: Callable | None, number: str, first: str | None = None, is_made: bool = False
) -> str:
    """Return a guess at the arguments: the first one, then a number or what was learned.

    What a call must give, and nobody can guess, is left open.
    """
    if function is None:
        return ""
    parameters = parameters_of(function)
    way = ways_to_train(function)[0]
    learns = number == "num_merges"
    takes_first = way.text if learns else next(iter(parameters), None)
    chosen = []
    for name, parameter in parameters.items():
        says_how_many = is_called(name, "size") or is_called(name, "merges")
        value = None
        if learns and is_called(name, "path") and not chosen:
            value = FILE
        elif first is not None and name == takes_first:
            value = f"{first}.split()" if learns and is_called(name, "words") else first
        elif is_called(name, "path") and is_needed(parameter):
            value = FILE
        elif is_called(name, "text") or is_called(name, "texts"):
            value = "[text]" if is_called(name, "texts") else "text"
        elif is_needed(parameter) and ("path" in plainly(name) or "file" in plainly(name)):
            value = f'"{name}.txt"'
        elif learns and (says_how_many or (name == way.number and not is_made)):
            value = SIZE if "size" in name or is_called(name, "size") else number
        elif is_needed(parameter):
            is_learned = any(is_called(name, kind) for kind in ("kept", "vocab", "learned"))
            is_known = says_how_many or (is_learned and not learns)
            value = number if is_known else OPEN
        if value is not None:
            is_first = name == next(iter(parameters)) and name == takes_first and value != OPEN
            chosen.append(value if is_first else f"{name}={value}")
    return ", ".join(chosen)
