"""Calls: how somebody else's function wants to be called, guessed from its names and types.

Nobody has agreed on names. A guess is only a *way* to try: `kept` calls the function, and
checks whether it has learned anything.
"""

import inspect
import os
import shutil
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from bpe_further.conform.cases import KIT

NAMES = KIT["names"]
PLAIN_NAMES = {what: [name.replace("_", "") for name in names] for what, names in NAMES.items()}
LISTS = ("list", "iterable", "iterator", "sequence")  # in the names of types
AFTERWARDS = ("get", "show", "print", "save")  # how methods begin that prepare nothing
LONGEST_SHOWN = 40  # characters of an argument
NOT_NAMED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class Skip(Exception):
    """The program doesn't offer what is asked for."""


class Fault(Exception):
    """What the program does is wrong, whatever was asked for."""


def is_deliberate(error: Exception) -> bool:
    """Return whether an error was raised by a statement that checks, not by what went wrong."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return (last.line or "").startswith(("raise ", "assert "))


def in_words(error: BaseException) -> str:
    """Return an error as Python writes it; one that says nothing is told by its line.

    >>> in_words(KeyError(257)), in_words(AssertionError())
    ('KeyError: 257', 'AssertionError: ')
    """
    told = f"{type(error).__name__}: {error}"
    places = traceback.extract_tb(error.__traceback__)
    return told if str(error) or not places else f"{told}in the line: {places[-1].line}"


def shorten(value) -> str:
    """Return how Python writes a value; of what is long, only the beginning.

    >>> shorten("ab"), shorten("ab" * 40)
    ("'ab'", "'ababababababababababababababababab…'")
    """
    told = repr(value)
    if len(told) <= LONGEST_SHOWN:
        return told
    return repr(f"{value[:34]}…") if isinstance(value, str) else f"{told[:LONGEST_SHOWN]}…"


def refuse(condition, what: str) -> None:
    """Raise `Skip`, which says what isn't offered, if the condition is true."""
    if condition:
        raise Skip(f"not offered: {what}")


def text_or_bytes(given):
    """Return what a decoder has given; whole numbers from 0 to 255 are the bytes of a text.

    >>> text_or_bytes([104, 105]), text_or_bytes("hi"), text_or_bytes(["h", "i"])
    (b'hi', 'hi', ['h', 'i'])
    """
    given = given.tolist() if hasattr(given, "tolist") else given
    if isinstance(given, bytearray):
        return bytes(given)
    is_list = isinstance(given, list | tuple)
    are_bytes = is_list and all(type(one) is int and 0 <= one < 256 for one in given)
    return bytes(given) if are_bytes else given


class Way(NamedTuple):
    """How a text and a number are given: which parameter takes them, and in which form."""

    text: str | None  # names of parameters
    text_as: str  # one of `FORMS`
    number: str | None
    number_is: str  # "size", of the vocabulary, or "merges"

    def arguments(self, texts: list[str], number: int, path: str) -> dict:
        """Return the arguments for the function; there is one text, or its words."""
        chosen = {}
        if self.text is not None:
            chosen[self.text] = FORMS[self.text_as](texts, path)
        if self.number is not None:
            chosen[self.number] = number
        return chosen

    def shown(self, name: str, number: int) -> str:
        """Return a call of a function in this way, for people.

        >>> Way("text", "a text", "vocab_size", "size").shown("train", 257)
        'train(text=<a text>, vocab_size=257)'
        """
        given = [f"{self.text}=<{self.text_as}>"] if self.text is not None else []
        given += [f"{self.number}={number}"] if self.number is not None else []
        return f"{name}({', '.join(given)})"


OF_WORDS = [
    "a list of texts",
    "a list of texts as bytes",
    "a list of lists of characters",
    "a table of words and counts",
    "a table of lists of characters and counts",
    "a table of lists of bytes and counts",
]
FORMS = {  # how a text may be handed over
    "a text": lambda texts, path: texts[0],
    "a list of texts": lambda texts, path: texts,
    "a list of texts as bytes": lambda texts, path: [text.encode("utf-8") for text in texts],
    "a list of lists of characters": lambda texts, path: [list(text) for text in texts],
    "a table of words and counts": lambda texts, path: dict(Counter(texts)),
    "a table of lists of characters and counts": lambda texts, path: dict(
        Counter(map(tuple, texts))
    ),
    "a table of lists of bytes and counts": lambda texts, path: dict(
        Counter(tuple(text.encode("utf-8")) for text in texts)
    ),
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
    """Return a name in a form for comparing: `vocabSize` and `vocab_size` become equal."""
    return name.lower().replace("_", "")


def is_public(name: str) -> bool:
    """Return whether a function of this name is for others, not a helper of the program's own."""
    return not name.startswith("_")


def find_method(item, what: str) -> str | None:
    """Return the name of the method that does something, such as "train"; None if none does."""
    names = {plainly(name): name for name in reversed(dir(item)) if is_public(name)}
    for usual in PLAIN_NAMES[what]:
        function = getattr(item, names[usual], None) if usual in names else None
        # What is given no text can't encode one; some call their training "tokenize".
        if callable(function) and not (what == "encode" and takes_nothing(function)):
            return names[usual]
    return None


def find_function(space: Mapping, what: str) -> str | None:
    """Return the name of the function that does something; None if there is none."""
    named = [name for name in reversed(space) if inspect.isfunction(space[name])]
    names = {plainly(name): name for name in named if is_public(name)}
    return next((names[usual] for usual in PLAIN_NAMES[what] if usual in names), None)


def find_learner(space: Mapping) -> str | None:
    """Return the function that learns, by name; a `learn` must take a text and a number."""
    learns = find_function(space, "train")
    if learns is None and (name := find_function(space, "learn")):
        learns = name if takes_text_and_number(space[name]) else None
    return learns or _sounds_like_a_learner(space)


def _sounds_like_a_learner(space: Mapping) -> str | None:
    """Return a function such as `learn_bpe_algo`, which takes a text and a number."""
    for name, one in space.items():
        sounds = plainly(name)
        is_named = "bpe" in sounds and ("train" in sounds or "learn" in sounds)
        if is_named and is_public(name) and inspect.isfunction(one) and takes_text_and_number(one):
            return name
    return None


def takes_nothing(function: Callable) -> bool:
    """Return whether a function, or a method of a class or of an object, is given nothing."""
    try:
        return set(inspect.signature(function).parameters) <= {"self"}
    except (TypeError, ValueError):  # Python can't tell
        return False


def may_come_before(functions: Mapping[str, Callable], known: Iterable[str | None]) -> list[str]:
    """Return functions without arguments that may prepare the training, in their source's order.

    Those whose use is ``known``, and those that only get, show or save something, are left out.
    """
    found = {}  # name -> the line
    for name, one in functions.items():
        is_other = not name.startswith(("_", *AFTERWARDS)) and name not in known
        if is_other and inspect.isfunction(one) and takes_nothing(one):
            found[name] = one.__code__.co_firstlineno
    return sorted(found, key=found.get)


def parameters_of(function: Callable) -> dict[str, inspect.Parameter]:
    """Return the named parameters of a function; none if Python can't tell them."""
    try:
        found = inspect.signature(_decorated(function)).parameters
    except (TypeError, ValueError):  # it is written in another language
        return {}
    return {
        name: one for name, one in found.items() if name != "self" and one.kind not in NOT_NAMED
    }


def _decorated(function: Callable) -> Callable:
    """Return the function inside a wrapper that hands on all its arguments, such as a timer."""
    parts = inspect.signature(function).parameters.values()
    hands_on = {one.kind for one in parts if one.name != "self"} == set(NOT_NAMED)
    function_of = getattr(function, "__func__", function)
    cells = getattr(function_of, "__closure__", None) or ()
    inside = [cell.cell_contents for cell in cells if inspect.isfunction(cell.cell_contents)]
    return inside[0] if hands_on and len(inside) == 1 else function


def is_needed(parameter: inspect.Parameter) -> bool:
    """Return whether a call must give this parameter."""
    return parameter.default is parameter.empty


def allowing(encode: Callable, allowed) -> dict | None:
    """Return how special tokens are allowed in a text, and others are not; None if none can be.

    Some raise at a name that isn't allowed, unless they are told otherwise.

    >>> allowing(lambda text, allowed_special: [], "none"), allowing(lambda text: [], "none")
    ({'allowed_special': 'none'}, None)
    """
    parameters = parameters_of(encode)
    if parameters and "allowed_special" not in parameters:
        return None
    more = {"disallowed_special": ()} if "disallowed_special" in parameters else {}
    return {"allowed_special": allowed} | more


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
    return takes_text(function) and ways_to_train(function)[0].number is not None


def takes_text(function: Callable) -> bool:
    """Return whether the name of a function's parameter says that it takes a text, or a file."""
    name = ways_to_train(function)[0].text
    return name is not None and any(is_called(name, what) for what in FORMS_BY_NAME)


OF_A_TEXT = ["a text", "a list of texts", "a path", "a list of bytes"]
FORMS_BY_NAME = {  # what a parameter is called -> the forms in which it may want a text
    "path": ["a path", "a list of paths"],
    "words": [*OF_WORDS, "a text"],
    "texts": ["a list of texts", "a text", "a list with the text twice"],
    "text": OF_A_TEXT,
}


def _find_text(parameters: Mapping[str, inspect.Parameter]) -> tuple[str | None, list[str]]:
    """Return the parameter that takes a text, and the forms in which it may want it.

    What a call must give comes first: `file=None` may be where a program prints.
    """
    needed = {name: one for name, one in parameters.items() if is_needed(one)}
    unknown = [name for name in needed if not any(is_called(name, what) for what in NAMES)]
    unknown = [name for name in unknown if _type(needed[name]) != "int"]
    if found := _named_as_text(needed):
        return found
    if unknown:
        return unknown[0], _by_type(needed[unknown[0]], OF_A_TEXT)
    if found := _named_as_text(parameters):
        return found
    for name, parameter in needed.items():
        is_number = is_called(name, "size") or is_called(name, "merges")
        if not is_number and _type(parameter) != "int":
            return name, _by_type(parameter, OF_A_TEXT)
    for name, parameter in parameters.items():  # what may be left out, and nothing else is known of
        is_other = any(is_called(name, what) for what in NAMES)
        if parameter.default is None and not is_other and _type(parameter) in ("", "str"):
            return name, OF_A_TEXT
    return None, ["a text"]


def _named_as_text(
    parameters: Mapping[str, inspect.Parameter],
) -> tuple[str, list[str]] | None:
    """Return the parameter whose name says that it takes a text, and its forms; None if none."""
    for what, forms in FORMS_BY_NAME.items():
        for name, parameter in parameters.items():
            if is_called(name, what):
                return name, _by_type(parameter, forms)
    return None


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
    """Return the arguments of a call: the chosen ones, and whatever else the function needs.

    ``offers`` are by kind: "special", "pattern" … Raises `Skip` if nobody can guess an argument.
    """
    given = dict(chosen)
    for name, parameter in parameters_of(function).items():
        if name in given or not is_needed(parameter):
            continue
        kinds = [kind for kind in offers if is_called(name, kind)]
        called = getattr(function, "__name__", function)
        refuse(not kinds, f"{called} isn't called: the kit doesn't know what {name} is")
        given[name] = offers[kinds[0]]
    return given


def call(function: Callable, given: Mapping):
    """Call a function with named arguments, or with arguments in order if it takes no names."""
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
