"""Results: what the wrong results of a function have in common, and the inputs that give them.

The sentences of this module are for an answer that is wrong for an unknown reason. Each sentence is
true of all inputs that were tried, whatever the reason is.
"""

import math
import re
from collections.abc import Callable, Mapping
from itertools import pairwise

LEAST_WRONG = 3  # with fewer wrong results, there is no sentence on their inputs
LEAST_RIGHT = 10
LONGEST_SHOWN = 40
EMPTY = "the result is empty."

OF_ROWS = {  # what may be true of a text, a list, a tuple, a set or a dictionary
    "{} is empty": lambda row: not row,
    "{} has exactly one part": lambda row: len(row) == 1,
}
OF_ORDERED = {  # of a text, a list or a tuple
    "{} has two equal parts side by side": lambda row: any(a == b for a, b in pairwise(row)),
    "some part of {} occurs more than once": lambda row: len({*map(repr, row)}) < len(row),
}
OF_TEXTS = {
    "{} begins with white space": lambda text: text[:1].isspace(),
    "{} ends with white space": lambda text: text[-1:].isspace(),
}
OF_LETTERS = {  # of all the letters in a value
    "{} has white space": lambda text: re.search(r"\s", text),
    "{} has white space other than a plain space": lambda text: re.search(r"[^\S ]", text),
    "{} has a line end": lambda text: re.search(r"[\r\n]", text),
    "{} has two white-space characters in a row": lambda text: re.search(r"\s\s", text),
    "{} has a character beyond ASCII": lambda text: not text.isascii(),
    "{} has a capital letter": lambda text: text.lower() != text,
    "{} has a digit": lambda text: re.search(r"\d", text),
    "{} has a punctuation mark": lambda text: re.search(r"[^\w\s]|_", text),
}
OF_PARTS = {  # of a list or a tuple of texts
    "{} has a part of several characters": lambda parts: any(len(part) > 1 for part in parts),
}
OF_NUMBERS = {
    "{} is 0": lambda number: number == 0,
    "{} is 1": lambda number: number == 1,
    "{} is above 1": lambda number: number > 1,
}


def find_in_results(rows: list[tuple], arguments: tuple[str, ...], only_one: bool = True) -> str:
    """Return what wrong results, and their inputs, have in common, "" if nothing is seen.

    ``rows`` holds, for each input: its arguments, the right result, the outcome, and what is wrong
    with the outcome. ``arguments`` are the names of the arguments. If ``only_one`` is true, no
    result but the right one would do.
    """
    wrong = [(outcome, right) for _, right, outcome, fault in rows if fault]
    said = ""
    if only_one and not wrong[0][0].error:
        said = find_difference([(got.value, right) for got, right in wrong if not got.error])
        if said != EMPTY and _is_always_the_same([outcome for _, _, outcome, _ in rows]):
            said = "the result is the same for all inputs that were tried."
    return f"{said} {_find_inputs(rows, arguments)}".strip()


def _is_always_the_same(outcomes: list) -> bool:
    """Return whether many calls all gave the same result."""
    given = {repr(outcome.value) for outcome in outcomes if not outcome.error}
    is_any_wrong = any(outcome.error for outcome in outcomes)
    return len(outcomes) > LEAST_RIGHT and len(given) == 1 and not is_any_wrong


def find_difference(pairs: list[tuple]) -> str:
    """Return a sentence on how wrong results differ from right results, "" if that isn't seen.

    The sentence describes the first of the pairs, (wrong result, right result). But a difference
    that all pairs have is described before any other.

    >>> find_difference([(("est",), ("es", "t"))])
    "the text is right, but 'est' should be split: 'es', 't'."
    >>> find_difference([([1, 3], [1, 2, 3])])
    'a part is missing, 2, and the rest is right.'
    >>> find_difference([({"a": 1}, {"a": 2})])
    "the keys are right, but the value of 'a' is too low."
    >>> find_difference([(3, 4), (5, 2)])
    ''
    """
    looks = (_nothing, _size_of_parts, _split_elsewhere, _missing, _moved)
    looks += (_cut_off, _in_one_part, _in_entries, _of_keys, _of_values)
    of_first = []  # sentences on the first pair
    for look in looks:
        said = _same_way(look, pairs)
        if said:
            return said
        _, sentence = look(*pairs[0])
        of_first.append(sentence)
    if len(pairs) > 1:  # one pair of numbers tells nothing
        of_first.insert(0, _same_way(_number, pairs))
    return next(filter(None, of_first), "")


def _same_way(look: Callable, pairs: list[tuple]) -> str:
    """Return the sentence of ``look`` on the first pair if it fits all the pairs, else ""."""
    found = [look(got, right) for got, right in pairs]
    ways = {way for way, _ in found}
    return found[0][1] if len(ways) == 1 else ""


NOTHING = ("", "")  # no kind of difference, and no sentence


def _nothing(got, right) -> tuple[str, str]:
    """Return whether a result is empty, and a sentence on it."""
    is_empty = type(got) in (str, list, tuple, dict, set) and not got
    return ("empty", EMPTY) if is_empty and right else NOTHING


def _size_of_parts(got, right) -> tuple[str, str]:
    """Return whether parts, or keys, are tuples of a wrong size, and a sentence on the first."""
    if isinstance(got, Mapping) and isinstance(right, Mapping):
        kind = "key"
    elif isinstance(got, list) and isinstance(right, list):
        kind = "entry"
    else:
        return NOTHING
    sizes = {len(part) if isinstance(part, tuple) else 0 for part in right}
    wrong = [part for part in got if isinstance(part, tuple) and {len(part)} != sizes]
    if len(sizes) != 1 or sizes == {0} or not wrong:
        return NOTHING
    (size,) = sizes
    said = f"each {kind} should be a tuple of {size} parts, and {_show(wrong[0])} has"
    return "size", f"{said} {len(wrong[0])}."


def _split_elsewhere(got, right) -> tuple[str, str]:
    """Return how a right text is split wrongly, and a sentence on the first wrong split."""
    kind = _kind_of_texts(got)
    if not kind or kind != _kind_of_texts(right):
        return NOTHING
    nothing = kind()
    ours, theirs = _ends(right), _ends(got)
    if nothing.join(got) != nothing.join(right) or nothing in (*got, *right) or ours == theirs:
        return NOTHING
    place = min(ours ^ theirs)
    begin = max(end for end in {0} | (ours & theirs) if end < place)
    end = min(end for end in ours & theirs if end > place)
    had, needed = _between(got, begin, end), _between(right, begin, end)
    if theirs < ours:
        return "whole", f"the text is right, but {had} should be split: {needed}."
    if ours < theirs:
        return "split", f"the text is right, but {had} should be one part: {needed}."
    return "elsewhere", f"the text is right, but split in other places: {had} should be {needed}."


def _kind_of_texts(value) -> type | None:
    """Return the type of the texts in a list or a tuple, str or bytes; None for anything else."""
    kinds = {type(part) for part in value} if isinstance(value, list | tuple) else set()
    return kinds.pop() if kinds in ({str}, {bytes}) else None


def _ends(parts) -> set[int]:
    """Return the places where parts end in their text."""
    place = 0
    ends = set()
    for part in parts:
        place += len(part)
        ends.add(place)
    return ends


def _between(parts, begin: int, end: int) -> str:
    """Return the parts between two places of their text, as a program writes them."""
    place = 0
    found = []
    for part in parts:
        if begin <= place < end:
            found.append(part)
        place += len(part)
    return _show(found)[1:-1]


def _missing(got, right) -> tuple[str, str]:
    """Return whether parts are missing or too many, and a sentence on the first such part."""
    if type(got) is not type(right) or not isinstance(got, list | tuple):
        return NOTHING
    if (lost := _first_left_out(right, got)) is not None:
        some = "a part is" if len(right) == len(got) + 1 else "parts are"
        said = "" if some == "a part is" else "such as "
        return "missing", f"{some} missing, {said}{_show(right[lost])}, and the rest is right."
    if (more := _first_left_out(got, right)) is not None:
        return "too many", f"part [{more}], {_show(got[more])}, should not be there."
    return NOTHING


def _first_left_out(whole, some) -> int | None:
    """Return the first place of ``whole`` that ``some`` leaves out, None if more is different."""
    left = []
    place = 0
    for i, part in enumerate(whole):
        if place < len(some) and _equal(some[place], part):
            place += 1
        else:
            left.append(i)
    return left[0] if left and place == len(some) else None


def _equal(one, other) -> bool:
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other)
    return type(one) is type(other) and one == other


def _are_like_rows(got, right) -> bool:
    """Return whether two values are both lists, or both tuples, of the same length."""
    is_same_type = type(got) is type(right)
    return is_same_type and isinstance(got, list | tuple) and len(got) == len(right)


def _moved(got, right) -> tuple[str, str]:
    """Return whether all parts stand one place too late or too early, and a sentence on it."""
    if not _are_like_rows(got, right) or len(got) < 3:
        return NOTHING
    if got[1:] == right[:-1]:
        return "late", "each part comes one place too late."
    if got[:-1] == right[1:]:
        return "early", "each part comes one place too early."
    return NOTHING


def _cut_off(got, right) -> tuple[str, str]:
    """Return whether texts lack their beginning or their end, and a sentence on the first text."""
    kind = _kind_of_texts(right)
    if type(got) is not type(right) or kind is None or kind != _kind_of_texts(got):
        return NOTHING
    if len(got) != len(right):
        return NOTHING
    wrong = [i for i, part in enumerate(right) if got[i] != part]
    for way, begins in {"end": kind.startswith, "beginning": kind.endswith}.items():
        if wrong and all(begins(right[i], got[i]) for i in wrong):
            had, needed = got[wrong[0]], right[wrong[0]]
            missing = len(needed) - len(had)
            lost = needed[-missing:] if way == "end" else needed[:missing]
            return way, f"part [{wrong[0]}] lacks its {way}, {_show(lost)}."
    return NOTHING


def _in_one_part(got, right) -> tuple[str, str]:
    """Return whether only one part is wrong, and a sentence on this part."""
    if not _are_like_rows(got, right):
        return NOTHING
    wrong = [i for i, part in enumerate(right) if not _equal(got[i], part)]
    if len(wrong) != 1 or len(right) < 2:
        return NOTHING
    (place,) = wrong
    inner = find_difference([(got[place], right[place])]) if _is_row(right[place]) else ""
    told = f" In it, {inner}" if inner else ""
    return f"part {place - len(right)}", f"only part [{place}] is wrong.{told}"


def _is_row(value) -> bool:
    return isinstance(value, list | tuple | Mapping)


def _in_entries(got, right) -> tuple[str, str]:
    """Return whether entries are wrong in one place only, and a sentence on the first of them."""
    if not _are_like_rows(got, right):
        return NOTHING
    wrong = [(one, other) for one, other in zip(got, right, strict=True) if one != other]
    if not all(isinstance(one, tuple) and isinstance(other, tuple) for one, other in wrong):
        return NOTHING
    if not wrong or any(len(one) != len(other) for one, other in wrong):
        return NOTHING
    places = set()
    for entry, needed_entry in wrong:
        parts = zip(entry, needed_entry, strict=True)
        places |= {place for place, (part, needed) in enumerate(parts) if part != needed}
    if len(places) != 1 or len(wrong[0][1]) < 2:
        return NOTHING
    (place,) = places
    had, needed = (_show(entry[place]) for entry in wrong[0])
    return (
        f"[{place}]",
        f"entries are wrong only in their part [{place}]: {had} should be {needed}.",
    )


def _of_keys(got, right) -> tuple[str, str]:
    """Return whether the only fault is that keys are missing or too many, and a sentence on it."""
    if not isinstance(got, Mapping) or not isinstance(right, Mapping):
        return NOTHING
    if any(not _equal(got[key], right[key]) for key in right if key in got):
        return NOTHING
    lost = [key for key in right if key not in got]
    more = [key for key in got if key not in right]
    if lost and not more:
        return "lost", f"the key {_show(lost[0])} is missing, and the rest is right."
    if more and not lost:
        return "more", f"the key {_show(more[0])} should not be there, and the rest is right."
    if more and lost:
        said = f"the key {_show(more[0])} should not be there, and {_show(lost[0])} is missing."
        return "other", said
    return NOTHING


def _of_values(got, right) -> tuple[str, str]:
    """Return how values differ if all keys are right, and a sentence on the first wrong value."""
    if not isinstance(got, Mapping) or not isinstance(right, Mapping):
        return NOTHING
    if got.keys() != right.keys():
        return NOTHING
    wrong = [key for key in right if not _equal(got[key], right[key])]
    ways = {_way(got[key], right[key]) for key in wrong}
    if len(ways) != 1 or "" in ways:
        return NOTHING
    (way,) = ways
    return way, f"the keys are right, but the value of {_show(wrong[0])} {way}."


def _way(got, right) -> str:
    """Return how a value differs from the right one, "" if that isn't known."""
    if _are_numbers(got, right) and got != right:
        return "is too low" if got < right else "is too high"
    if type(got) is type(right) is set and (got < right or got > right):
        return "lacks some" if got < right else "has too many"
    return ""


def _are_numbers(*values) -> bool:
    return all(type(value) in (int, float) for value in values)


def _number(got, right) -> tuple[str, str]:
    """Return whether a number is too low or too high, and a sentence that says so."""
    if not _are_numbers(got, right) or got == right:
        return NOTHING
    way = "too low" if got < right else "too high"
    return way, f"each wrong result is {way}."


def _find_inputs(rows: list[tuple], arguments: tuple[str, ...]) -> str:
    """Return what is true of all inputs with wrong results but of few others, "" if nothing is."""
    wrong = [row for row in rows if row[-1]]
    right = [row for row in rows if not row[-1]]
    if len(wrong) < LEAST_WRONG or len(right) < LEAST_RIGHT:
        return ""
    found = []  # (how many inputs with right results have the sign, the sign)
    constant = f"the right result is {_show(wrong[0][1])}"
    signs = [(constant, lambda _, right: _equal(right, wrong[0][1])), *_signs(arguments)]
    for sign, holds in signs:
        if all(holds(*row[:2]) for row in wrong):
            others = sum(holds(*row[:2]) for row in right)
            found.append((others, sign))
    others, sign = min(found, key=lambda one: one[0], default=(len(right), ""))
    if others > len(wrong) / 2 or others > len(right) / 4:
        return ""
    said = f"Of {len(rows)} inputs, {len(wrong)} give a wrong result. In each of these, {sign}"
    return f"{said}{', and in none of the others' if others == 0 else ''}."


def _signs(arguments: tuple[str, ...]) -> list[tuple[str, Callable]]:
    """List what may be true of an input, in words and as a function of arguments and result."""
    signs = []
    for i, name in enumerate(arguments):
        signs += _signs_of(name, lambda given, _, i=i: given[i] if i < len(given) else None)
        stays = f"{name} should stay as it is"
        signs.append((stays, lambda given, right, i=i: given[i : i + 1] == (right,)))
    return signs + _signs_of(
        "the right result", lambda _, right: None if _letters(right) else right
    )


def _signs_of(name: str, pick: Callable) -> list[tuple[str, Callable]]:
    """List what may be true of a value, which ``pick`` takes from arguments and result."""
    tables = [
        (OF_ROWS, lambda value: value if isinstance(value, str | list | tuple | Mapping) else None),
        (OF_ORDERED, lambda value: value if isinstance(value, str | list | tuple) else None),
        (OF_TEXTS, lambda value: value if isinstance(value, str) else None),
        (OF_LETTERS, _letters),
        (OF_PARTS, lambda value: value if _kind_of_texts(value) else None),
        (OF_NUMBERS, lambda value: value if _are_numbers(value) else None),
    ]
    signs = []
    for table, fits in tables:
        for sign, test in table.items():

            def holds(given, right, fits=fits, test=test):
                value = fits(pick(given, right))
                return value is not None and bool(test(value))

            signs.append((sign.format(name), holds))
    return signs


def _letters(value) -> str:
    """Return all the letters in a text, a list, a tuple or a dictionary."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return _letters([*value, *value.values()])
    return "".join(map(_letters, value)) if isinstance(value, list | tuple) else ""


def _show(value) -> str:
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else text[: LONGEST_SHOWN - 2] + " …"
