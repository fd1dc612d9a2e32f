"""Names: what a package offers, as its stub, which editors read, lists it; loaded on first use."""

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path


def offer(package: str, file: str) -> tuple[list[str], Callable, Callable]:
    """Return ``__all__``, ``__getattr__`` and ``__dir__`` of a package with a stub beside it.

    >>> names, get, _ = offer("bpe_teach", import_module("bpe_teach").__file__)
    >>> "Tokenizer" in names, get("count_pairs").__module__
    (True, 'bpe_teach.pairs')
    """
    stub = Path(file).with_suffix(".pyi").read_text("utf-8")
    homes = {name: module for module, name in re.findall(r"from (\S+) import (\w+)", stub)}

    def get(name: str):
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(homes[name])
        value = getattr(module, name, None) or import_module(f"{homes[name]}.{name}")  # a module
        setattr(sys.modules[package], name, value)  # from now on it is found without this function
        return value

    return list(homes), get, lambda: sorted(homes)
