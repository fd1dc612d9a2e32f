"""Suggest: an adapter for a program whose names or calls the kit can't make out.

An adapter is a class with the three methods that the kit knows. What can be guessed is filled in; a
line to look at ends with an arrow.
"""

import inspect
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from bpe_further.conform.calls import (
    PLAIN_NAMES,
    find_method,
    is_called,
    is_needed,
    parameters_of,
    plainly,
    takes_nothing,
    takes_text_and_number,
)

LOOK = "  # <- look at this line"
FILE = '"text.txt"'  # in which a text is given
SIZE = "256 + num_merges"  # of a vocabulary, where a number of merges is given as well
ADAPTED = "Adapted"  # how the class of an adapter is called
UNWRITTEN = "raise NotImplementedError"  # what the kit takes for what isn't offered
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
    """Return the classes, with their methods, and the functions that modules define."""
    told = []
    for home in _homes(modules):
        calls = [f"{name}({', '.join(parameters_of(one))})" for name, one in home.functions.items()]
        if home.name is not None:
            told.append(f"class {home.name}: {', '.join(calls) or 'no methods'}")
        else:
            told += calls
    return told


def write_adapter(modules: Iterable[ModuleType]) -> str | None:
    """Return the text of an adapter for what is in modules; None if there is nothing to adapt.

    An adapter is mended, not adapted once more.
    """
    homes = [home for home in _homes(modules) if home.functions]
    if not homes or any(home.name == ADAPTED for home in homes):
        return None
    home = max(homes, key=lambda one: _how_likely(one, homes))
    of_class = home.name is not None
    lines = [
        "import sys",
        "",
        f"sys.path.insert(0, {str(_folder_of(home.module))!r})",
        f"from {home.module} import {home.name}" if of_class else f"import {home.module}",
        "",
        "",
        f"class {ADAPTED}:",
        "    def train(self, text, num_merges):",
    ]
    place = "self.tok" if of_class else home.module
    training = "\n".join(_training(home, place))
    if SIZE in training and "num_merges" not in training.replace(SIZE, ""):
        # Which tokens a size counts is the program's own matter: the kit finds it out by trying.
        training = training.replace(SIZE, "vocab_size")
        lines[-1] = lines[-1].replace("num_merges", "vocab_size")
    lines.append(training)
    encode, decode = (guess(home.functions, what) for what in ("encode", "decode"))
    lines += ["", "    def encode(self, text):"]
    if encode:
        call = f"{place}.{encode}({_arguments(home.functions[encode], 'self.learned', 'text')})"
        lines.append(f"        return list({call}){LOOK}: it gives ids")
    else:
        lines.append(f"        {UNWRITTEN}{LOOK}: return the ids of the text")
    lines += ["", "    def decode(self, ids):"]
    if decode:
        call = f"{place}.{decode}({_arguments(home.functions[decode], 'self.learned', 'ids')})"
        lines.append(f"        return {call}{LOOK}: it gives a text, or bytes")
    else:
        lines.append(f"        {UNWRITTEN}{LOOK}: return the text of the ids, or leave it so")
    if of_class:
        lines += _saving(home)
    return "\n".join(lines) + "\n"


def _training(home: Home, place: str) -> list[str]:
    """Return the lines in which an adapter learns."""
    functions = home.functions
    train = guess(functions, "train")
    makes = next(filter(None, (_maker(home, name) for name in functions)), None)
    if makes:
        made = f"{home.name}.{makes}({_arguments(functions[makes], 'num_merges', is_made=True)})"
    elif home.name is not None:
        given = _arguments(functions.get("__init__"), "num_merges", is_made=True)
        made = f"{home.name}({given})"
    lines = [f"{place} = {made}{LOOK}"] if home.name is not None else []
    if train and not makes:
        given = _arguments(functions[train], "num_merges", "text")
        before = [name for name in functions if name != train and _may_come_before(functions[name])]
        if before and "text" not in given:
            lines.append(f"...{LOOK}: is any of these called first? {', '.join(before)}")
        lines.append(f"self.learned = {place}.{train}({given}){LOOK}")
    elif not makes:
        how_many = "" if any(SIZE in line for line in lines) else " num_merges merges"
        lines.append(f"...{LOOK}: learn{how_many} from the text")
    if any(FILE in line for line in lines):
        opened = f'with open({FILE}, "w", encoding="utf-8", newline="") as file:'
        lines = [opened, "    file.write(text)", *lines]
    return ["        " + line for line in lines]


def _saving(home: Home) -> list[str]:
    """Return the lines in which an adapter saves and loads, if an object of the class can."""
    save, load = (find_method(home.of_class, what) for what in ("save", "load"))
    if not save or not load or inspect.ismethod(home.functions.get(load)):
        return []
    given = _arguments(home.functions.get("__init__"), "None", is_made=True)
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


def _may_come_before(function: Callable) -> bool:
    """Return whether a method is given nothing, as one that prepares the training is."""
    return takes_nothing(function) and function.__name__ != "__init__"


def _how_likely(home: Home, homes: Iterable[Home]) -> tuple:
    """Return the key that chooses a home: it does all, isn't a base of others, and is a class."""
    others = [one.of_class for one in homes if one is not home and one.of_class]
    is_base = home.of_class is not None and any(issubclass(one, home.of_class) for one in others)
    does = [guess(home.functions, what) or (what == "train" and _maker_in(home)) for what in WORDS]
    return sum(map(bool, does)), not is_base


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
            if inspect.isclass(one):
                methods = inspect.getmembers(one, inspect.isroutine)
                methods = [(key, item) for key, item in methods if not inspect.isbuiltin(item)]
                methods = {key: item for key, item in methods if key[0] != "_" or key == "__init__"}
                homes.append(Home(module.__name__, name, methods, one))
        functions = {name: one for name, one in own.items() if inspect.isfunction(one)}
        homes.append(Home(module.__name__, None, functions))
    return homes


def guess(names: Iterable[str], what: str) -> str | None:
    """Return the function whose name sounds most like what it should do."""
    names = list(names)
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
    """Return arguments as they may be meant: the first one, then a number or what was learned."""
    if function is None:
        return ""
    chosen = []
    for name, parameter in parameters_of(function).items():
        says_how_many = is_called(name, "size") or is_called(name, "merges")
        learns = number == "num_merges"
        if learns and is_called(name, "path") and not chosen:
            chosen.append(FILE)
        elif first is not None and not chosen and not (learns and says_how_many):
            is_words = learns and is_called(name, "words")
            chosen.append(f"{first}.split()" if is_words else first)
        elif is_called(name, "path") and is_needed(parameter):
            chosen.append(f"{name}={FILE}")
        elif is_called(name, "text") or is_called(name, "texts"):
            chosen.append(f"{name}=[text]" if is_called(name, "texts") else f"{name}=text")
        elif is_needed(parameter) and ("path" in plainly(name) or "file" in plainly(name)):
            chosen.append(f'{name}="{name}.txt"')
        elif is_needed(parameter) or (learns and says_how_many):
            is_known = says_how_many or not is_made
            chosen.append(f"{name}={_value_of(name, number) if is_known else None}")
    return ", ".join(chosen)


def _value_of(name: str, number: str) -> str:
    """Return what an argument is likely to be: a number, what was learned, or who knows what."""
    if number == "num_merges":
        return SIZE if "size" in name else number
    is_learned = any(is_called(name, kind) for kind in ("kept", "vocab", "learned"))
    return number if is_learned else "None"
