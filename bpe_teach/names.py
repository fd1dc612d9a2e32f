"""Names: what a package offers, loaded on first use, so that importing the package is quick.

The file ``__init__.pyi`` in a package is its *stub*: only import lines, such as ``from
bpe_teach.learn import Merge``, and no other code. Editors read the stub. So does this module, to
learn which module holds which name.
"""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

OTHER = {"bpe_teach": "bpe_further", "bpe_further": "bpe_teach"}  # each package -> the other


def offer(package: str, file: str) -> tuple[list[str], Callable, Callable]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package with a stub in it.

    For a name that a package doesn't have, even in ``from … import``, Python calls the package's
    own ``__getattr__``. This function then imports the module that has the name.

    >>> names, get, _ = offer("bpe_teach", import_module("bpe_teach").__file__)
    >>> "Tokenizer" in names, get("count_pairs").__module__
    (True, 'bpe_teach.pairs')
    """
    homes = _read_stub(Path(file).with_suffix(".pyi"))

    def get(name: str):
        if name not in homes:
            say_where(package, name)
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(homes[name])
        value = getattr(module, name, None)
        if value is None:  # the name is a module's, as in `from bpe_further import unigram`
            value = import_module(f"{homes[name]}.{name}")
        setattr(sys.modules[package], name, value)  # next time, Python doesn't call this function
        return value

    return list(homes), get, lambda: sorted(homes)


def say_where(package: str, name: str) -> None:
    """Raise ImportError if the other package has a name that is missing in ``package``.

    An AttributeError would not do, because the statement ``from … import`` would replace its
    message.

    >>> say_where("bpe_teach", "load_tokenizer")
    Traceback (most recent call last):
    ImportError: load_tokenizer is in bpe_further: from bpe_further import load_tokenizer
    """
    ours, *room = package.split(".")  # bpe_teach.exercises, say
    other = OTHER[ours]
    found = find_spec(other)
    if found is None:  # bpe_teach works without bpe_further
        return
    stub = Path(found.origin).with_suffix(".pyi")  # origin: the path of its __init__.py
    if room == ["exercises"]:  # a name is that of a page, such as 02_word_boundaries.md
        is_there = any(stub.parent.glob(f"exercises/[0-9]*_{name}.md"))
    else:
        is_there = stub.is_file() and name in _read_stub(stub)
    if is_there:
        home = ".".join([other, *room])
        raise ImportError(f"{name} is in {other}: from {home} import {name}")


def _read_stub(path: Path) -> dict[str, str]:
    """Return the names in a stub, each with the module where it is defined."""
    lines = re.findall(r"from (\S+) import (\w+)", path.read_text("utf-8"))
    return {name: module for module, name in lines}
