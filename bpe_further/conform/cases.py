"""Cases: what a program is asked, the right answer, and the mistakes that each case catches.

Cases are data, read from ``conformance/*.json`` beside the texts of the course. The README there
describes the format and the protocol.
"""

import hashlib
import json
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bpe_teach.corpora import corpus_path

KIT = tomllib.loads(Path(__file__).with_name("kit.toml").read_text("utf-8"))
FORMAT = 1
WORK = "BPE_TEACH_WORK"  # variable: the folder in which a Python file's program writes
FOLDER = corpus_path("story").parent / "conformance"
# In the order in which one writes a tokenizer.
GROUPS = ["train_words", "encode_word", "train", "encode", "decode", "special", "stream", "gpt2"]


VERSION = 6  # of the cases: it grows when one is added, changed or taken away
USED = ["use", "whole"]  # groups in which a program is asked on what it has learned itself


@cache
def hash_of_cases() -> str:
    """Return eight hexadecimal digits that change whenever a case does."""
    content = hashlib.sha256()
    for name in sorted([*GROUPS, *USED]):
        content.update((FOLDER / f"{name}.json").read_bytes().replace(b"\r\n", b"\n"))
    return content.hexdigest()[:8]


@dataclass(frozen=True, eq=False)
class Case:
    """One question. Each key of ``answer`` is one way to give the right answer."""

    group: str
    name: str
    about: str
    request: Mapping
    answer: Mapping
    text: str | None = None  # that was given, where the request holds its words or ids


def load_cases(groups: Collection[str] = GROUPS) -> list[Case]:
    """Return the cases of some groups, in the order of `GROUPS`.

    Raises ValueError for a group that does not exist.
    """
    unknown = [name for name in groups if name not in GROUPS]
    if unknown:
        known = ", ".join([*GROUPS, *USED])
        raise ValueError(f"there is no group {unknown[0]!r}; choose one of {known}")
    cases = []
    for group in GROUPS:
        if group in groups:
            data = json.loads((FOLDER / f"{group}.json").read_text("utf-8"))
            cases.extend(Case(group, **fields) for fields in data["cases"])
    return cases
