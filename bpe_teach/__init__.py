"""bpe_teach: byte pair encoding, from counting pairs to real tokenizers, in the order of a course.

All that a notebook needs, but for its exercises, is imported from here, and loaded on first use.

The modules are listed in reading order in the file README.md of this folder.
"""

import re
from importlib import import_module
from pathlib import Path

__version__ = "0.2.0"


STUB = Path(__file__).with_suffix(".pyi").read_text("utf-8")  # the file for editors
PUBLIC = {name: module for module, name in re.findall(r"from (\S+) import (\w+)", STUB)}
__all__ = [name for name in PUBLIC if PUBLIC[name] != "bpe_teach.measure.lm"]  # needs PyTorch


def __getattr__(name: str):
    if name not in PUBLIC:
        raise AttributeError(f"module 'bpe_teach' has no attribute {name!r}")
    module = import_module(PUBLIC[name])
    value = getattr(module, name, None) or import_module(f"{PUBLIC[name]}.{name}")  # a module
    globals()[name] = value  # from now on it is found without this function
    return value


def __dir__():
    return sorted(__all__)
