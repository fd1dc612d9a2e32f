"""Suggest: the adapter that a program needs whose names or calls the kit can't make out.

It is a class with the three methods that the kit knows. What can be guessed is filled in; a line to
look at ends with an arrow.
"""

import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from bpe_further.conform.calls import is_called, is_needed, parameters_of

LOOK = "  # <- look at this line"
WORDS = {  # parts of names, the likelier ones first
    "train": ("train", "fit", "learn", "build", "bpe"),
    "encode": ("encode", "tokenize", "tokenise", "segment", "apply", "ids"),
    "decode": ("decode", "detoken", "ids_to"),
}


DEFINED = re.compile(  # in JavaScript and TypeScript
    r"^\s*(?:(?:var|let|const)\s+(\w+)\s*=\s*class\b"
    r"|(?:export\s+)?(?:default\s+)?(?:abstract\s+)?(?:async\s+)?(?:(class|function)\s+(\w+)"
    r"|(?:static\s+)?(\w+)\s*\([^()]*\)[^;{}=]*\{))",
    re.MULTILINE,
)
NO_NAMES = {"if", "for", "while", "switch", "catch", "function", "constructor"}


class Home(NamedTuple):
    """Where functions are: a class with its methods, or a module."""

    module: str
    name: str | None  # of the class
    functions: dict[str, Callable]


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
    """Return the text of an adapter for what is in modules; None if there is nothing to adapt."""
    homes = [home for home in _homes(modules) if home.functions]
    if not homes:
        return None
    home = max(homes, key=lambda one: sum(bool(_guess(one, what)) for what in WORDS))
    of_class = home.name is not None
    lines = [
        f"from {home.module} import {home.name}" if of_class else f"import {home.module}",
        "",
        "",
        "class Adapted:",
        "    def train(self, text, num_merges):",
    ]
    place = home.module
    if of_class:
        place = "self.tok"
        made = home.functions.get("__init__")
        lines.append(f"        self.tok = {home.name}({_arguments(made, 'num_merges')}){LOOK}")
    train, encode, decode = (_guess(home, what) for what in ("train", "encode", "decode"))
    if train:
        call = f"{place}.{train}({_arguments(home.functions[train], 'num_merges', 'text')})"
        lines.append(f"        self.learned = {call}{LOOK}")
    else:
        lines.append(f"        ...{LOOK}: learn num_merges merges from the text")
    lines += ["", "    def encode(self, text):"]
    if encode:
        call = f"{place}.{encode}({_arguments(home.functions[encode], 'self.learned', 'text')})"
        lines.append(f"        return list({call}){LOOK}: it gives ids")
    else:
        lines.append(f"        return ...{LOOK}: the ids of the text")
    lines += ["", "    def decode(self, ids):"]
    if decode:
        call = f"{place}.{decode}({_arguments(home.functions[decode], 'self.learned', 'ids')})"
        lines.append(f"        return {call}{LOOK}: it gives a text, or bytes")
    else:
        lines.append(f"        return ...{LOOK}: the text of the ids")
    return "\n".join(lines) + "\n"


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
                methods = inspect.getmembers(one, inspect.isfunction)
                methods = {key: item for key, item in methods if key[0] != "_" or key == "__init__"}
                homes.append(Home(module.__name__, name, methods))
        functions = {name: one for name, one in own.items() if inspect.isfunction(one)}
        homes.append(Home(module.__name__, None, functions))
    return homes


def _guess(home: Home, what: str) -> str | None:
    """Return the function whose name sounds most like what it should do."""
    for word in WORDS[what]:
        for name in home.functions:
            sounds = name.lower()
            is_back = any(part in sounds for part in ("decode", "detok", "ids_to"))
            if word in sounds and is_back == (what == "decode"):
                return name
    return None


def _arguments(function: Callable | None, number: str, first: str | None = None) -> str:
    """Return arguments as they may be meant: the first one, then a number or what was learned."""
    if function is None:
        return ""
    chosen = []
    for name, parameter in parameters_of(function).items():
        if first is not None and not chosen:
            chosen.append(first)
        elif is_called(name, "text") or is_called(name, "texts"):
            chosen.append(f"{name}=[text]" if is_called(name, "texts") else f"{name}=text")
        elif is_needed(parameter):
            value = f"256 + {number}" if number == "num_merges" and "size" in name else number
            chosen.append(f"{name}={value}")
    return ", ".join(chosen)


def adapter_in_javascript(path: str) -> tuple[list[str], str]:
    """Return what a file of JavaScript or TypeScript defines, and an adapter to put beside it.

    The file is read, not run.
    """
    file = Path(path)
    names = []
    made = None  # the last class: bases come before
    for expression, kind, name, method in DEFINED.findall(file.read_text("utf-8", "replace")):
        if kind == "class" or expression:
            made = expression or name
        if (name or method or expression) not in NO_NAMES:
            names.append(name or method or expression)
    home = Home("theirs", made, dict.fromkeys(names))
    place = "theirs" if made is None else "tok"
    calls = {what: f"{place}.{_guess(home, what) or '...'}" for what in WORDS}
    train = f"tok = {calls['train']}(text, 256 + merges)"
    if made is not None:
        train = f"tok = new theirs.{made}();\n    {calls['train']}(text, 256 + merges)"
    more = ", tok" if made is None else ""
    text = Path(__file__).with_name("adapter.mjs").read_text("utf-8")
    text = text.replace("./FILE", f"./{file.name}").replace("TRAIN", train)
    text = text.replace("ENCODE", f"{calls['encode']}(text{more})")
    return names, text.replace("DECODE", f"{calls['decode']}(ids{more})")
