"""Showing: values, calls and results as short texts, for a learner to read."""

import math
import re
from collections.abc import Callable

from bpe_teach.exercises.runner.parent import Outcome

LONGEST_SHOWN = 120  # characters of an input or a result
LONGEST_PRINTED = 500  # characters of what a learner's function prints
LONGEST_OF_LONG = 40  # characters of each argument of a long input


def show_outcome(outcome: Outcome) -> str:
    """Return an outcome as a text, by which two outcomes can be told apart."""
    return str(outcome.error or show(outcome.value, math.inf))


def show_printed(outcome: Outcome) -> str:
    """Return what a learner's function has printed, or "" if that is nothing."""
    text = outcome.printed.rstrip()
    if len(text) > LONGEST_PRINTED:
        text = text[: LONGEST_PRINTED - 2] + " …"
    return f"\nThere it prints:\n{text}" if text else ""


def with_article(kind: type) -> str:
    """Return the name of a type with its article."""
    article = "" if kind is bytes else "an " if kind.__name__[0] in "aeiou" else "a "
    return f"{article}{kind.__name__}"


def shown_name(function: Callable) -> str:
    """Return the name that the learner sees, such as merge for _merge_faulty."""
    return function.__name__.removeprefix("_").removesuffix("_faulty")


def show_call(function: Callable, given: tuple, longest: int = LONGEST_SHOWN) -> str:
    """Return a call as a program would write it."""
    return f"{shown_name(function)}({', '.join(show(part, longest) for part in given)})"


def show(value, longest=LONGEST_SHOWN) -> str:
    """Return a value as a short text, the same in every run."""
    try:
        text = repr(value)
        if type(value) is set and value:  # whose order varies from run to run
            text = f"{{{', '.join(sorted(map(repr, value)))}}}"
        text = re.sub(r" at 0x[0-9a-fA-F]+", "", text).replace("\n", " ")
    except Exception:  # nested too deeply, too many digits, or its own __repr__ fails
        return f"{with_article(type(value))} that cannot be shown"
    if len(text) <= longest:
        return text
    if type(value) is dict and len(value) > 2:
        return _show_ends(value, longest)
    return text[: longest - 2] + " …"


def _show_ends(value: dict, longest: int) -> str:
    """Return a dictionary with its first key and as many of its last keys as there is room for.

    In a dictionary of ranks, the bytes come first, and the learned tokens come last.

    >>> _show_ends({"a": 0, "b": 1, "c": 2, "ab": 3}, 24)
    "{'a': 0, …, 'ab': 3}"
    """
    items = [f"{key!r}: {part!r}" for key, part in value.items()]
    shown = ""
    for item in reversed(items[1:]):
        longer = f", {item}{shown}"
        if len(items[0]) + len(longer) + len("{, …}") > longest:
            break
        shown = longer
    text = f"{{{items[0]}, …{shown}}}"
    return text if len(text) <= longest else text[: longest - 2] + " …"


def join_sentences(first: str, *others: str) -> str:
    """Return sentences as one text, with a dash before a sentence that begins in lower case."""
    text = first.strip()
    for other in filter(None, map(str.strip, others)):
        if other[0].islower():
            text = text.removesuffix(".") + " –"
        text += f" {other}"
    return text


def measure_input(given: tuple) -> tuple[int, str]:
    """Return the number of characters of an input, and a sentence that says this number.

    Brackets, quotes, commas and spaces don't count, unless the input is a text.

    >>> measure_input(("Low", "low")), measure_input((("lo", "w"), 12))[0]
    ((6, 'Your texts have 6 characters together'), 5)
    """
    if not all(type(part) is str for part in given):
        size = len(re.sub(r"""[\s"'(),\[\]{}]""", "", repr(given)))
        aside = "(brackets, quotes, commas and spaces aside)"
        return size, f"Written down, your input takes {size} characters {aside}"
    size = len("".join(given))
    if len(given) == 1:
        return size, f"Your text has {size} characters"
    return size, f"Your texts have {size} characters together"
