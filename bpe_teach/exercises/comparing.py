"""Comparing: whether a value is the right one, and what is wrong with it if not."""

import math
import re
from collections.abc import Iterable, Mapping
from numbers import Real

from bpe_teach.exercises.runner.parent import Outcome
from bpe_teach.exercises.showing import show, with_article

AS_A_LIST = "The course gives a tuple; a list of these results does as well."
# a piece of a word that was split: what is left between separators
PIECE = re.compile(r"""[^\s,|·+()\[\]'"-]+""")


def is_among(value, others: Iterable) -> bool:
    """Return whether an equal value of the same type is among others."""
    return any(type(other) is type(value) and other == value for other in others)


def same_outcome(one: Outcome, other: Outcome, in_order: bool, within: float = 0) -> bool:
    """Return whether two results, or errors, are the same; of some errors, the text counts too."""
    if one.too_long or other.too_long:
        return one.too_long and other.too_long
    if one.error and other.error:
        by_text = one.error.name in ("TypeError", "ValueError", "KeyError")  # have many reasons
        is_same_text = one.error.why == other.error.why
        return one.error.name == other.error.name and (not by_text or is_same_text)
    if one.error or other.error:
        return False
    return are_same(one.value, other.value, in_order, within)


def equal_at_size(outcome: Outcome, right, in_order: bool) -> bool:
    """Return quickly whether a long result is right; False if it must be looked at more closely."""
    got = outcome.value
    if outcome.error or outcome.changed or type(got) is not type(right) or got != right:
        return False
    return not in_order or list(got) == list(right)


def is_list_of_results(got, right) -> bool:
    """Return whether ``got`` is a list where a tuple of results, not of symbols, is right."""
    is_several = type(right) is tuple and right and not isinstance(right[0], str | bytes)
    return bool(is_several) and type(got) is list


def tell_difference(got, right) -> str:
    """Return where a long result differs from the right one.

    >>> tell_difference(("l", "o"), ("l", "o", "w")), tell_difference([1, 2, 3], [1, 5, 3])
    ('gives a tuple of 2, not of 3', 'gives a list whose part [1] is 2, not 5')
    >>> tell_difference(([0], ["l" * 200]), ([0], ["l" * 200, "o"]))
    'gives a tuple whose part [1] is a list of 1, not of 2'
    >>> tell_difference({"l": 1}, {"l": 2}), tell_difference(3, 4)
    ("gives a dict with 1 for 'l', not 2", 'gives 3, not 4')
    """
    kind = with_article(type(got))
    if type(got) is not type(right):
        return f"gives {kind}, not {with_article(type(right))}"
    if not hasattr(right, "__len__"):
        return f"gives {show(got)}, not {show(right)}"
    if len(got) != len(right):
        return f"gives {kind} of {len(got):,}, not of {len(right):,}"
    if isinstance(right, Mapping):
        for key, value in right.items():
            if key not in got:
                return f"gives {kind} without {show(key)}"
            if got[key] != value:
                return f"gives {kind} with {show(got[key])} for {show(key)}, not {show(value)}"
        return f"gives {kind} whose keys are in another order"
    for i, (one, other) in enumerate(zip(got, right, strict=True)):
        if one != other:
            part = f"gives {kind} whose part [{i}]"
            if show(one) == show(other):  # both are cut off before the place where they differ
                return f"{part} {tell_difference(one, other).replace('gives', 'is', 1)}"
            return f"{part} is {show(one)}, not {show(other)}"
    return f"gives {show(got)}, not {show(right)}"


def tell_running_over(got, right) -> str:
    """Return a sentence if numbers are too low because their few bits can't hold the right ones.

    >>> tell_running_over({"a": 6}, {"a": 774}), tell_running_over([1], [2])
    ('numbers of 8 bits, such as np.uint8, begin again after 255.', '')
    """
    if isinstance(right, Mapping) and isinstance(got, Mapping):
        got, right = list(got.values()), list(right.values())
    if not (isinstance(got, list | tuple) and isinstance(right, list | tuple)):
        return ""
    pairs = [pair for pair in zip(got, right, strict=False) if all(map(is_number, pair))]
    missing = [other - one for one, other in pairs if other != one]
    for bits in (32, 16, 8):
        if missing and all(number > 0 and number % 2**bits == 0 for number in missing):
            return (
                f"numbers of {bits} bits, such as np.uint{bits}, begin again after {2**bits - 1:,}."
            )
    return ""


def are_same(got, right, in_order: bool = False, within: float = 0) -> bool:
    """Return whether two values and their types are the same; a Counter is a dict.

    If the right number is a float, equal numbers of other types are right as well.

    >>> are_same([1, (2,)], [1, (2,)]), are_same(True, 1), are_same([1], (1,)), are_same(2.0, 2)
    (True, False, False, False)
    >>> are_same(2, 2.0), are_same(0.1 + 0.2, 0.3)
    (True, True)
    """
    if type_fault(got, right):
        return False
    if isinstance(right, Mapping):
        if in_order and list(got) != list(right):
            return False
        is_alike = all(are_same(got.get(key), right[key], within=within) for key in right)
        return is_alike and got.keys() == right.keys()
    if isinstance(right, float):
        return math.isclose(got, right, abs_tol=within)
    if isinstance(right, list | tuple):
        if len(got) != len(right):
            return False
        return all(are_same(*pair, within=within) for pair in zip(got, right, strict=True))
    return type(right).__eq__(right, got) is True  # even if a class of the learner's says otherwise


def is_number(value) -> bool:
    """Return whether a value is a number; True and False don't count as numbers."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def as_written(answer, right):
    """Return an answer with the types of the right answer, where both mean the same.

    >>> as_written(75.0, 75), as_written(3, 3.0), as_written([3, 2.0], (3, 1))
    (75, 3.0, (3, 2))
    >>> as_written(["t", "owe", "r"], "t owe r"), as_written("t|owe|r", "t owe r")
    ('t owe r', 't owe r')
    >>> as_written(True, 1), as_written("3", 3)
    (True, '3')
    """
    if type(right) is int and type(answer) is float and answer.is_integer():
        return int(answer)
    if type(right) is float and type(answer) is int and answer == right:
        return right
    if isinstance(right, str) and " " in right and right == " ".join(PIECE.findall(right)):
        if type(answer) in (list, tuple) and all(type(part) is str for part in answer):
            answer = " ".join(answer)
        return " ".join(PIECE.findall(answer)) if type(answer) is str else answer
    if type(answer) not in (list, tuple) or type(right) not in (list, tuple):
        return answer
    return type(right)(map(as_written, answer, right) if len(answer) == len(right) else answer)


def find_meant(answer, choices: Mapping[str, str]) -> list[str]:
    """List the choices that an answer can mean: by name, by text, or by the beginning of a text.

    Capitals and spaces count at first, since the choices may differ in nothing else.

    >>> lights = {"A": "light", "B": "·light, with a space", "C": "·Light, with a capital"}
    >>> [find_meant(answer, lights) for answer in ("light", " light", "·Light", "b")]
    [['A'], ['B'], ['C'], ['B']]
    >>> find_meant("LIGHT", lights)
    ['A', 'B', 'C']
    """
    begins = {name: text.split(",")[0] for name, text in choices.items()}
    if isinstance(answer, str):
        spaced = answer.replace("·", " ")
        for written in (choices, begins):
            same = [name for name, text in written.items() if spaced == text.replace("·", " ")]
            if len(same) == 1:
                return same
    bare = _bare(answer)
    named = [name for name in choices if bare == _bare(name)]
    return named or [name for name in choices if bare in map(_bare, (choices[name], begins[name]))]


def _bare(answer) -> str:
    """Return an answer without what people type differently: case, spaces, brackets."""
    text = "".join(map(str, answer)) if isinstance(answer, tuple | list) else str(answer)
    return re.sub(r"[\s·'+,()\[\]]", "", text).lower()


def type_fault(got, right) -> str:
    """Return a sentence if a value has the wrong type, else ""."""
    wanted = dict if isinstance(right, Mapping) else type(right)
    if wanted is float and isinstance(got, Real):
        wanted = type(got)
    if isinstance(got, wanted) and isinstance(got, bool) == isinstance(right, bool):
        return ""
    return f"It should be {with_article(wanted)}, not {with_article(type(got))}."


def part_fault(got, right) -> str:
    """Return a sentence if a part has a type that no part of the right value has, else "".

    >>> part_fault([("a", 1), 7], [("b", 2)]), part_fault([("a",)], [("b",), ("c",)])
    ('7 in it should be a tuple, not an int.', '')
    >>> part_fault([("a", 1)], [("b",)])  # it is the number of parts that is wrong
    ''
    >>> part_fault({"a": frozenset({0})}, {"a": {0}})
    'frozenset({0}) in it should be a set, not a frozenset.'
    """
    if isinstance(right, Mapping) and isinstance(got, Mapping):
        of_keys = part_fault(list(got), list(right))
        return of_keys or part_fault(list(got.values()), list(right.values()))
    kinds = {type(part) for part in right} if isinstance(right, list | tuple | Mapping) else ()
    if len(kinds) != 1:
        return ""
    sample = next(iter(right))
    for part in got:
        if fault := type_fault(part, sample):
            return fault.replace("It", f"{show(part)} in it", 1)
    pairs = zip(got, right, strict=False)
    pairs = [pair for pair in pairs if type(pair[1]) is not tuple or len(pair[0]) == len(pair[1])]
    return next(filter(None, (part_fault(*pair) for pair in pairs)), "")


def order_fault(got, right) -> str:
    """Return a sentence if a list or a tuple has the right parts in the wrong order, else "".

    >>> order_fault([1, 2], [2, 1]), order_fault([1, 1], [2, 1]), order_fault(3, 3)
    ('these are the right parts, but in another order.', '', '')
    """
    if type(got) is not type(right) or type(got) not in (list, tuple) or len(got) != len(right):
        return ""
    is_same = sorted(map(repr, got)) == sorted(map(repr, right))
    return "these are the right parts, but in another order." if is_same and got != right else ""


def equals_itself(value) -> bool:
    """Return whether plain data equals itself, which float("nan") doesn't.

    >>> equals_itself(("a", [1.5])), equals_itself([float("nan")])
    (True, False)
    """
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(equals_itself, value))
    return value == value
