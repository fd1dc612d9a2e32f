"""Hints: names that other libraries have, each with the one that has its place here."""

import tomllib
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TypeVar

from bpe_teach.tokenizer import PlainTokenizer

Kind = TypeVar("Kind", bound=PlainTokenizer)
TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
ELSEWHERE, OPTIONS = TABLES["names"], TABLES["options"]  # name elsewhere -> what it is here


class _Elsewhere:
    """An attribute that isn't there, and whose error says what has its place.

    >>> from bpe_teach import Tokenizer
    >>> Tokenizer.from_file
    Traceback (most recent call last):
    AttributeError: there is no from_file here: use load_tokenizer(path)
    """

    def __init__(self, name: str):
        self.name = name

    def __get__(self, tok: PlainTokenizer | None, kind: type) -> None:
        raise AttributeError(f"there is no {self.name} here: use {ELSEWHERE[self.name]}")


def with_hints(kind: type[Kind]) -> type[Kind]:
    """Return a class of tokenizers that knows names which other libraries have.

    They are set here, and not in the class, so that editors don't offer them.
    """
    for name in ELSEWHERE:
        setattr(kind, name, _Elsewhere(name))
    kind.train = classmethod(_told(kind.train.__func__))
    kind.decode = _told(kind.decode)
    return kind


def _told(method: Callable) -> Callable:
    """Return a method that knows the names which its options have in other libraries."""

    @wraps(method)
    def told(*args, **options):
        for name in OPTIONS.keys() & options.keys():
            raise TypeError(f"there is no option {name} here: {OPTIONS[name]}")
        return method(*args, **options)

    return told
