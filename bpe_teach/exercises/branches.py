"""Branches: what is wrong with a text, or with a branch of a pattern, that isn't the solution's."""

import re
from collections.abc import Iterator
from contextlib import suppress

OTHER_VALUE = "{old} is the wrong one here, {new} the right one."


def branches_changed(text: str, ours: list[str]) -> Iterator[tuple[str, str]]:
    r"""Yield patterns with one branch changed, left out, added or moved, each with what was wrong.

    >>> dict(branches_changed(" ?[a-z]+|\\d+", [r" ?\p{L}+", r"\s"]))[r" ?\p{L}+|\d+"]
    'its branch ` ?[a-z]+` needs `\\p{L}` where it has `[a-z]`.'
    >>> dict(branches_changed("a|b", ["a", "b"]))["b|a"]
    'its branch `b` must come before `a`.'
    >>> list(branches_changed("|", ["a", "b"]))
    []
    """
    branches = _branches(text)
    if len(branches) < 2 or not all(branches):
        return  # "|", which joins branches, has no branches of its own
    is_one_missing = len(branches) < len(ours)
    for i, branch in enumerate(branches):
        before, after = branches[:i], branches[i + 1 :]
        yield "|".join(before + after), f"its branch `{branch}` should not be there."
        for our in ours:
            if our not in branches:
                why = text_fault(branch, our)
                if not (is_one_missing and is_another(why)):
                    why = why.replace("{old}", f"its branch `{branch}`")
                    yield "|".join([*before, our, *after]), why.replace(repr(our), f"`{our}`")
    for i in range(len(branches) + 1):
        for our in ours:
            if our not in branches:
                where = f"before `{branches[i]}`" if i < len(branches) else "at its end"
                made = [*branches[:i], our, *branches[i:]]
                yield "|".join(made), f"a branch is missing {where}: `{our}`."
    for i, branch in enumerate(branches):
        for j in range(i):
            made = [*branches[:j], branch, *branches[j:i], *branches[i + 1 :]]
            yield "|".join(made), f"its branch `{branch}` must come before `{branches[j]}`."


def is_another(why: str) -> bool:
    """Return whether a reason says that a whole text is wrong, and not only a part of the text."""
    return why.startswith(OTHER_VALUE.partition(",")[0])


def would_fit_nothing(value, our) -> bool:
    r"""Return whether ``our``, which is no pattern, would replace a pattern and match the text "".

    Whatever is done with an empty match changes nothing.

    >>> would_fit_nothing(r"\s+", "|"), would_fit_nothing(", ", "|"), would_fit_nothing("[a]", "a")
    (True, False, False)
    """
    if not (is_pattern(value) and isinstance(our, str)) or is_pattern(our):
        return False
    with suppress(re.error):
        return bool(re.fullmatch(our, ""))
    return False


def is_pattern(value) -> bool:
    """Return whether a value is a text that holds a backslash or a bracket, as patterns do."""
    return isinstance(value, str) and any(sign in value for sign in "\\[(")


def _branches(text: str) -> list[str]:
    r"""Return the branches of a pattern, which is cut at each | outside brackets.

    >>> _branches(r"'(?:s|ll)| ?[|\]]+|\|")
    ["'(?:s|ll)", ' ?[|\\]]+', '\\|']
    """
    branches = [""]
    depth, is_class, is_escaped = 0, False, False
    for sign in text:
        if sign == "|" and not (depth or is_class or is_escaped):
            branches.append("")
            continue
        branches[-1] += sign
        if is_escaped:
            is_escaped = False
        elif sign == "\\":
            is_escaped = True
        elif is_class:
            is_class = sign != "]"
        elif sign == "[":
            is_class = True
        else:
            depth += {"(": 1, ")": -1}.get(sign, 0)
    return branches


def value_fault(value, our) -> str:
    """Return what is wrong with a value if the solution has the value ``our`` instead."""
    if isinstance(our, str):
        return text_fault(value, our)
    return OTHER_VALUE.replace("{new}", repr(our))


def text_fault(text: str, our: str) -> str:
    r"""Return what must change in a text to turn it into ``our``, the solution's text.

    >>> text_fault("[a-z]+", r"\p{L}+"), text_fault("(?:[st]|ll)", "(?:[sdmt]|ll)")
    ('{old} needs `\\p{L}` where it has `[a-z]`.', '{old} needs `sdmt` where it has `st`.')
    >>> text_fault(r"[^\s']+", r"[^\s]+"), text_fault("s|ll", "s|ll|re")
    ("{old} needs no `'` after `[^\\s`.", '{old} lacks `|re` after `s|ll`.')
    >>> text_fault("ignore", "replace")
    "{old} is the wrong one here, 'replace' the right one."
    """
    begin = _alike_from_the_left(text, our)
    end = _alike_from_the_left(text[begin:][::-1], our[begin:][::-1])
    while begin and _is_torn(text, begin) and _is_torn(our, begin):
        begin -= 1
    while end and _is_torn(text, len(text) - end) and _is_torn(our, len(our) - end):
        end -= 1
    had, needed = text[begin : len(text) - end], our[begin : len(our) - end]
    where = f"after `{our[:begin]}`" if begin else "at the beginning"
    if len(text) <= len(r"\d+") or (had == text and needed == our):
        return OTHER_VALUE.replace("{new}", _written(our))
    if not had:
        return f"{{old}} lacks `{needed}` {where}."
    if not needed:
        return f"{{old}} needs no `{had}` {where}."
    return f"{{old}} needs `{needed}` where it has `{had}`."


def _written(text: str) -> str:
    r"""Return a text in backticks, as it is, if it has a backslash; else in quotes.

    >>> _written(r"\p{N}"), _written("replace")
    ('`\\p{N}`', "'replace'")
    """
    return f"`{text}`" if "\\" in text else repr(text)


def _alike_from_the_left(one: str, other: str) -> int:
    """Return how many characters two texts share at their beginning."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _is_torn(text: str, place: int) -> bool:
    r"""Return whether a word, or a mark such as \d, would be cut in two at a place."""
    before, after = text[place - 1 : place], text[place : place + 1]
    return bool(after) and after.isalnum() and (before.isalnum() or before == "\\")
