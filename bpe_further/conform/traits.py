"""Traits: what all texts of failing cases have, and no text, or hardly one, of the passing cases.

A trait is a fact about the texts. It isn't the reason of the failures, but tells where to look.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

LEAST = 3  # failing texts of which something is said
MOST_CHARACTERS = 4  # that are listed
MOST_THAT_PASS = 0.1  # of the passing texts may have a trait as well

Trait = tuple[str, Callable[[str], bool]]  # what is said of a text, and whether it is true

TRAITS: list[Trait] = [  # the narrower ones first
    ("is empty", lambda text: not text),
    ("holds \\n", lambda text: "\n" in text),
    ("holds two spaces in a row", lambda text: "  " in text),
    ("begins or ends with white space", lambda text: text != text.strip()),
    ("holds white space", lambda text: any(map(str.isspace, text))),
    ("holds a capital letter", lambda text: any(map(str.isupper, text))),
    ("holds a digit", lambda text: any(map(str.isdigit, text))),
    ("holds a character beyond ASCII", lambda text: not text.isascii()),
    ("holds a sign", lambda text: any(one.isprintable() and _is_sign(one) for one in text)),
]


def trait_of(failing: Sequence[str], passing: Sequence[str]) -> str | None:
    """Return what is true of all texts that fail, and of hardly one that passes; None if nothing.

    >>> trait_of(["A b", "Cd", "E"], ["a b", "cd", "e"])
    'in each of these 3 cases the text holds a capital letter; in none of the 3 that pass it does'
    """
    if len(failing) < LEAST or not passing:
        return None
    counts = {}  # trait -> how many of the passing texts have it
    for said, has in _traits_of_all(failing, passing):
        counts[said] = sum(map(has, passing))
    said = min(counts, key=counts.get, default=None)
    if said is None or counts[said] > MOST_THAT_PASS * len(passing):
        return None
    others = f"in {counts[said] or 'none'} of the {len(passing)} that pass it does"
    return f"in each of these {len(failing)} cases the text {said}; {others}"


def _traits_of_all(failing: Sequence[str], passing: Sequence[str]) -> Iterator[Trait]:
    """Yield the traits that all failing texts have, with the functions that find them."""
    for said, has in TRAITS:
        if all(map(has, failing)):
            yield said, has
    shared = set(failing[0]).intersection(*failing)
    for character in sorted(shared):
        yield f"holds {json.dumps(character)}", partial(_holds_one, {character})
    if characters := _characters_of(failing, passing):
        listed = ", ".join(map(json.dumps, characters))
        yield f"holds one of {listed}", partial(_holds_one, characters)


def _characters_of(failing: Sequence[str], passing: Sequence[str]) -> list[str]:
    """Return a few characters of which each failing text holds one, and no passing text does.

    The list is empty if more characters would be needed, or one that few failing texts hold.
    """
    known = set().union(*passing)
    left = list(failing)
    chosen = []
    while left and len(chosen) < MOST_CHARACTERS:
        counts = Counter()
        for text in left:
            counts.update(sorted(set(text) - known))
        [(best, count)] = counts.most_common(1) or [("", 0)]
        if count < LEAST:
            return []
        chosen.append(best)
        left = [text for text in left if best not in text]
    return [] if left else chosen


def _holds_one(characters: Iterable[str], text: str) -> bool:
    return any(character in text for character in characters)


def _is_sign(character: str) -> bool:
    return not character.isalnum() and not character.isspace()
