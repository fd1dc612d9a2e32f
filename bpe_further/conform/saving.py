"""Saving: where somebody else's object is saved, and loaded from.

One program wants a path, another wants a folder that exists, a third wants a folder and a name in
it, and a fourth wants a path for each of its files. The ways are tried one after the other.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from bpe_further.conform.calls import call, fill, is_needed, parameters_of, refuse

NAME = "saved"  # of what is saved, in an empty folder
ENDINGS = ("", ".json", ".pkl", ".model", ".txt", ".bpe", ".vocab", ".pickle")  # some insist on one


def save(function: Callable, folder: Path) -> list[str]:
    """Save in an empty folder; return the names of the files.

    Raises `Skip` if nothing is written there.
    """
    errors = []
    for place in _places(folder):
        for names in _names(function, place):
            try:
                call(function, names)
            except Exception as error:  # not what it wants, perhaps
                errors.append((names, error))
                continue
            files = sorted(one.name for one in folder.rglob("*") if one.is_file())
            refuse(not files, f"{function.__name__} that writes to the given path")
            return files
    names, error = errors[0]
    is_of_place = isinstance(error, OSError) and len(names) > 1
    refuse(is_of_place, f"{function.__name__} to one of the places that were tried: {error}")
    raise error


def _places(folder: Path) -> Iterator[Path]:
    """Yield where something may be saved: a file with or without an ending, then a folder."""
    for ending in ENDINGS:
        yield folder / f"{NAME}{ending}"
    place = folder / NAME
    if not place.exists():
        place.mkdir()
        yield place


def ways_to_load(function: Callable, folder: Path) -> Iterator[dict]:
    """Yield arguments with which a function may load what is in a folder, the likeliest first."""
    for place in [folder / NAME, *sorted(folder.iterdir())]:
        for names in _names(function, place):
            yield fill(function, names, {})


def _names(function: Callable, place: Path) -> list[dict]:
    """Return ways to name a place to a function: a path for each parameter that must be given.

    >>> def save(self, folder, name): ...
    >>> _names(save, Path("a/b"))
    [{'folder': 'a/b_0', 'name': 'a/b_1'}, {'folder': 'a', 'name': 'b'}]
    """
    needed = [name for name, one in parameters_of(function).items() if is_needed(one)]
    needed = needed or list(parameters_of(function))[:1]
    if len(needed) < 2:
        return [dict.fromkeys(needed, str(place))]
    # Several files: the same place of the list for saving and for loading.
    apart = {name: f"{place}_{number}" for number, name in enumerate(needed)}
    folder, *rest = needed
    return [apart, {folder: str(place.parent)} | dict.fromkeys(rest, place.name)]
