"""Exercises that check a learner's answers; the module `exercise` says how.

A page of this folder is imported as if it were a module:
``from bpe_teach.exercises import char_bpe`` reads 01_char_bpe.md. Another package can offer
pages of its own with `serve`, as bpe_further does.
"""

import re
import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.util import spec_from_loader
from pathlib import Path

from bpe_teach.names import say_where

PAGES: dict[str, Path] = {}  # short name -> page; the file name begins with the notebook's number
FULL_NAMES: dict[str, str] = {}  # short name -> the module that is made from the page
MOVED: dict[str, str] = {}  # old name of an exercise, "page.exercise" -> its present name


def serve(package: str, folder: Path, moved: Mapping[str, str] | None = None) -> None:
    """Let each page of a folder be imported as a module of a package.

    ``moved`` maps the old name of an exercise, "page.exercise", to its present name. Records, and
    notebooks that somebody has kept, may still hold the old name.
    """
    MOVED.update(moved or {})
    for page in sorted(folder.glob("*.md")):
        if page.stem not in ("README", "glue", "repairs"):  # these hold no exercises
            name = re.sub(r"^\d\d\w?_", "", page.stem)
            PAGES[name], FULL_NAMES[name] = page, f"{package}.{name}"


def current_name(name: str) -> str:
    """Return the name that an exercise has now.

    >>> current_name("compression.last_premium"), current_name("char_bpe.merge")
    ('language_price.last_premium', 'char_bpe.merge')
    """
    return MOVED.get(name, name)


class _PageImporter(MetaPathFinder, Loader):
    """Makes a module from a page if there is no Python file with the module's name."""

    def find_spec(self, name, path=None, target=None):
        page = name.rpartition(".")[2]
        if FULL_NAMES.get(page) == name:
            return spec_from_loader(name, self, origin=str(PAGES[page]))
        return None

    def exec_module(self, module):
        from bpe_teach.exercises.page import load

        vars(module).update(load(module.__name__))
        page = module.__name__.rpartition(".")[2]

        def find_moved(name: str):
            """Return an exercise that used to be on this page."""
            if f"{page}.{name}" not in MOVED:
                raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
            new_page, _, new_name = MOVED[f"{page}.{name}"].partition(".")
            return getattr(import_module(FULL_NAMES[new_page]), new_name)

        module.__getattr__ = find_moved


def __getattr__(name: str):
    if FULL_NAMES.get(name) != f"{__name__}.{name}":  # else it is just being imported
        say_where(__name__, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


IN_05C = ("most_expensive", "premium_parts", "why_not_chinese", "last_premium", "more_merges")
serve(
    __name__,
    Path(__file__).parent,
    moved={f"compression.{name}": f"language_price.{name}" for name in (*IN_05C, "left_out")},
)
sys.meta_path.append(_PageImporter())
