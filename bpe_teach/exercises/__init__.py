"""Exercises that answer: `exercise` says how. A page of this folder is imported as a module is.

So ``from bpe_teach.exercises import char_bpe`` reads 01_char_bpe.md.
"""

import re
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.util import spec_from_loader
from pathlib import Path

PAGES = {}  # name of the module -> its page; a notebook's page begins with the notebook's number
for _page in sorted(Path(__file__).parent.glob("*.md")):
    if _page.stem not in ("README", "glue", "repairs"):  # these hold no exercises
        PAGES[re.sub(r"^\d\d\w?_", "", _page.stem)] = _page


class _PageImporter(MetaPathFinder, Loader):
    """Makes a module of a page, where there is no file of Python with that name."""

    def find_spec(self, name, path=None, target=None):
        package, _, page = name.rpartition(".")
        if package == __name__ and page in PAGES:
            return spec_from_loader(name, self, origin=str(PAGES[page]))
        return None

    def exec_module(self, module):
        from bpe_teach.exercises.page import load

        vars(module).update(load(module.__name__))


sys.meta_path.append(_PageImporter())
