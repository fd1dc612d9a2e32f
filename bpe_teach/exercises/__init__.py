"""Exercises that answer: `exercise` says how. A page of this folder is imported as a module is.

So ``from bpe_teach.exercises import char_bpe`` reads 01_char_bpe.md. Another package can offer
pages of its own with `serve`, as bpe_further does.
"""

import re
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.util import spec_from_loader
from pathlib import Path

from bpe_teach.names import say_where

PAGES: dict[str, Path] = {}  # short name -> page; a notebook's begins with the notebook's number
FULL_NAMES: dict[str, str] = {}  # short name -> the module that is made of the page


def serve(package: str, folder: Path) -> None:
    """Let each page of a folder be imported as a module of a package."""
    for page in sorted(folder.glob("*.md")):
        if page.stem not in ("README", "glue", "repairs"):  # these hold no exercises
            name = re.sub(r"^\d\d\w?_", "", page.stem)
            PAGES[name], FULL_NAMES[name] = page, f"{package}.{name}"


class _PageImporter(MetaPathFinder, Loader):
    """Makes a module of a page, where there is no file of Python with that name."""

    def find_spec(self, name, path=None, target=None):
        page = name.rpartition(".")[2]
        if FULL_NAMES.get(page) == name:
            return spec_from_loader(name, self, origin=str(PAGES[page]))
        return None

    def exec_module(self, module):
        from bpe_teach.exercises.page import load

        vars(module).update(load(module.__name__))


def __getattr__(name: str):
    if FULL_NAMES.get(name) != f"{__name__}.{name}":  # else it is a page, about to be imported
        say_where(__name__, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


serve(__name__, Path(__file__).parent)
sys.meta_path.append(_PageImporter())
