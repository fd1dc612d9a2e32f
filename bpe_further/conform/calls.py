"""Calls: how somebody else's function wants to be called, guessed from its names and types.

Nobody has agreed on names. A guess is only a *way* to try: `kept` calls the function, and looks
whether it has learned anything.
"""

import inspect
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bpe_further.conform.cases import KIT

NAMES = KIT["names"]
PLAIN_NAMES = {what: [name.replace("_", "") for name in names] for what, names in NAMES.items()}
LISTS = ("list", "iterable", "iterator", "sequence")  # in the names of types
NOT_NAMED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class Skip(Exception):
    """The program doesn't offer what is asked for."""


class Fault(Exception):
    """What the program does is wrong, whatever was asked for."""


def refuse(condition, what: str) -> None:
    """Raise `Skip`, with what isn't offered, if the condition is true."""
    if condition:
        raise Skip(f"not offered: {what}")


class Way(NamedTuple):
    """How a text and a number are given: which parameter takes them, and in which form."""

    text: str | None  # names of parameters
    text_as: str  # one of `FORMS`
    number: str | None
    number_is: str  # "size", of the vocabulary, or "merges"

    def arguments(self, texts: list[str], number: int, path: str) -> dict:
        """Return what to call the function with; there is one text, or its words."""
        chosen = {}
        if self.text is not None:
            chosen[self.text] = FORMS[self.text_as](texts, path)
        if self.number is not None:
            chosen[self.number] = number
        return chosen


OF_WORDS = ["a list of texts", "a list of texts as bytes", "a list of lists of characters"]
FORMS = {  # how a text may be handed over
    "a text": lambda texts, path: texts[0],
    "a list of texts": lambda texts, path: texts,
    "a list of texts as bytes": lambda texts, path: [text.encode("utf-8") for text in texts],
    "a list of lists of characters": lambda texts, path: [list(text) for text in texts],
    "a path": lambda texts, path: path,
    "bytes": lambda texts, path: texts[0].encode("utf-8"),
    "a list of bytes": lambda texts, path: list(texts[0].encode("utf-8")),
    "a list of paths": lambda texts, path: [path],
    "a list with the text twice": lambda texts, path: texts * 2,  # since it leaves out rare ones
}


def is_called(name: str, what: str) -> bool:
    """Return whether this is a name that people give to something, such as a "pattern"."""
    return plainly(name) in PLAIN_NAMES[what]


def plainly(name: str) -> str:
    """Return a name as it is compared: `vocabSize` and `vocab_size` are one."""
    return name.lower().replace("_", "")


def find_method(item, what: str) -> str | None:
    """Return the name of the method that does something, such as "train"; None if none does."""
    names = {plainly(name): name for name in reversed(dir(item)) if name[:2] != "__"}
    for usual in PLAIN_NAMES[what]:
        function = getattr(item, names[usual], None) if usual in names else None
        # What is given no text can't encode one; some call their training "tokenize".
        if callable(function) and not (what == "encode" and takes_nothing(function)):
            return names[usual]
    return None


def find_function(space: Mapping, what: str) -> str | None:
    """Return the name of the function that does something; None if there is none."""
    names = {plainly(name): name for name in reversed(space) if inspect.isfunction(space[name])}
    return next((names[usual] for usual in PLAIN_NAMES[what] if usual in names), None)


def find_learner(space: Mapping) -> str | None:
    """Return the name of the function that learns; some names say so only of one that can."""
    learns = find_function(space, "train")
    if learns is None and (name := find_function(space, "learn")):
        learns = name if takes_text_and_number(space[name]) else None
    return learns


def takes_nothing(function: Callable) -> bool:
    """Return whether a function, or a method of a class or of an object, is given nothing."""
    try:
        return set(inspect.signature(function).parameters) <= {"self"}
    except (TypeError, ValueError):  # Python can't tell
        return False


def parameters_of(function: Callable) -> dict[str, inspect.Parameter]:
    """Return the parameters of a function that have names; none where Python can't tell."""
    try:
        found = inspect.signature(_decorated(function)).parameters
    except (TypeError, ValueError):  # it is written in another language
        return {}
    return {
        name: one for name, one in found.items() if name != "self" and one.kind not in NOT_NAMED
    }


def _decorated(function: Callable) -> Callable:
    """Return the function inside one that hands on whatever it is given, such as a timer."""
    parts = inspect.signature(function).parameters.values()
    hands_on = {one.kind for one in parts if one.name != "self"} == set(NOT_NAMED)
    function_of = getattr(function, "__func__", function)
    cells = getattr(function_of, "__closure__", None) or ()
    inside = [cell.cell_contents for cell in cells if inspect.isfunction(cell.cell_contents)]
    return inside[0] if hands_on and len(inside) == 1 else function


def is_needed(parameter: inspect.Parameter) -> bool:
    """Return whether a call must give this parameter."""
    return parameter.default is parameter.empty


def ways_to_train(function: Callable) -> list[Way]:
    """Return ways to call a function that learns from a text, the likeliest first.

    >>> def train(self, text, vocab_size): ...
    >>> ways_to_train(train)[0]
    Way(text='text', text_as='a text', number='vocab_size', number_is='size')
    """
    parameters = parameters_of(function)
    text, forms = _find_text(parameters)
    number = _find_number(parameters, text)
    meant = ["size", "merges"]
    if number is not None and is_called(number, "merges"):
        meant = ["merges", "size"]
    return [Way(text, form, number, kind) for form in forms for kind in meant]


def takes_text_and_number(function: Callable) -> bool:
    """Return whether a function is given a text, or a file, and how much to learn from it.

    >>> def from_file(path, vocab_size): ...
    >>> takes_text_and_number(from_file), takes_text_and_number(open)
    (True, False)
    """
    way = ways_to_train(function)[0]
    kinds = ("text", "texts", "path", "words")
    is_text = way.text is not None and any(is_called(way.text, what) for what in kinds)
    return is_text and way.number is not None


def _find_text(parameters: Mapping[str, inspect.Parameter]) -> tuple[str | None, list[str]]:
    """Return the parameter that takes a text, and the forms in which it may want it."""
    for what, forms in (
        ("path", ["a path", "a list of paths"]),
        ("words", [*OF_WORDS, "a text"]),
        ("texts", ["a list of texts", "a text", "a list with the text twice"]),
        ("text", ["a text", "a list of texts", "a path", "a list of bytes"]),
    ):
        for name, parameter in parameters.items():
            if is_called(name, what):
                return name, _by_type(parameter, forms)
    for name, parameter in parameters.items():
        is_number = (
            is_called(name, "size") or is_called(name, "merges") or _type(parameter) == "int"
        )
        if is_needed(parameter) and not is_number:
            return name, _by_type(
                parameter, ["a text", "a list of texts", "a path", "a list of bytes"]
            )
    return None, ["a text"]


def _type(parameter: inspect.Parameter) -> str:
    if parameter.annotation is parameter.empty:
        return ""
    named = getattr(parameter.annotation, "__name__", None)
    return str(parameter.annotation if named is None or "[" in str(parameter.annotation) else named)


def _by_type(parameter: inspect.Parameter, forms: list[str]) -> list[str]:
    """Return the forms, beginning with those that the type of a parameter asks for."""
    kind = _type(parameter).lower()
    if kind == "bytes":
        return ["bytes", *forms]
    if any(word in kind for word in LISTS):
        first = "a list of bytes" if "int" in kind else "a list of texts"
        if "path" in kind or is_called(parameter.name, "path"):
            first = "a list of paths"
        return [first, *[form for form in forms if form != first]]
    if "path" in kind:
        return ["a path", *forms]
    return forms


def _find_number(parameters: Mapping[str, inspect.Parameter], text: str | None) -> str | None:
    """Return the parameter that takes the size of a vocabulary, or a number of merges."""
    for what in ("size", "merges"):
        for name in parameters:
            if is_called(name, what):
                return name
    for name, parameter in parameters.items():
        if name != text and is_needed(parameter) and _type(parameter) in ("", "int"):
            return name
    return None


def fill(function: Callable, chosen: Mapping, offers: Mapping) -> dict:
    """Return the arguments of a call: what is chosen, and what else the function needs.

    ``offers`` are by kind: "special", "pattern" … Raises `Skip` for what nobody can guess.
    """
    given = dict(chosen)
    for name, parameter in parameters_of(function).items():
        if name in given or not is_needed(parameter):
            continue
        kinds = [kind for kind in offers if is_called(name, kind)]
        refuse(not kinds, f"{getattr(function, '__name__', function)} needs {name}")
        given[name] = offers[kinds[0]]
    return given


def call(function: Callable, given: Mapping):
    """Call a function by names, or in order where it takes no names."""
    parameters = parameters_of(function)
    by_place = [
        name
        for name, one in parameters.items()
        if one.kind is one.POSITIONAL_ONLY and name in given
    ]
    rest = {name: value for name, value in given.items() if name not in by_place}
    return function(*[given[name] for name in by_place], **rest)


@contextmanager
def file_of(text: str) -> Iterator[str]:
    """Yield the path of a file that holds a text.

    The random part of the path has no "a": a program that takes the path for a text would learn
    its letters, and then seem to know those that the probe asks for.
    """
    folder = tempfile.mkdtemp()
    while "a" in Path(folder).name:
        os.rmdir(folder)
        folder = tempfile.mkdtemp()
    try:
        path = Path(folder, "text.txt")
        path.write_bytes(text.encode("utf-8"))
        yield str(path)
    finally:
        shutil.rmtree(folder)
