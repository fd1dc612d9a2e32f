"""What several test files name: the notebooks, groups of schemes, a special token, any text."""

import os
from pathlib import Path

import pytest
from hypothesis import strategies as st

from bpe_teach import SCHEMES

ROOT = Path(__file__).parents[1]
STORED = [
    path
    for path in (ROOT / "notebooks").rglob("*.ipynb")
    if path.parent.name != ".ipynb_checkpoints"  # copies that JupyterLab keeps
]
NOTEBOOKS = sorted(STORED, key=lambda path: path.name)  # in the order of the course
NAMES = list(SCHEMES)
LOSSLESS = [name for name in NAMES if SCHEMES[name].lossless]
BYTE_SCHEMES = [name for name in NAMES if SCHEMES[name].units is bytes]
CHARACTER_SCHEMES = [name for name in NAMES if SCHEMES[name].units is str]
PATTERN_SCHEMES = ["gpt2", "cl100k", "o200k"]  # published with OpenAI's models
END = "<|end|>"
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))  # no halves of surrogate pairs


def published(name):
    """Find a file of a published vocabulary where the downloaded texts are, or below; or skip."""
    folder = Path(os.environ.get("BPE_TEACH_DATA", "."))
    for path in (folder / "vocabularies" / name, folder / name):
        if path.is_file():
            return path
    pytest.skip(f"{name} is not in the folder that BPE_TEACH_DATA names")
