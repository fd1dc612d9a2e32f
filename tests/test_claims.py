"""The claims of the notebooks: each is held by a test in ``claims/``, a file for each number.

The name of a test is the claim; its docstring begins with the notebook and the section, which is
what the site lists.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from common import NOTEBOOKS

FILES = sorted((Path(__file__).parent / "claims").glob("test_claims_*.py"))
NUMBERED = [path for path in NOTEBOOKS if re.match(r"\d\d_", path.name)]


@cache
def read_claims():
    """Return (notebook, claim, file) of every test of a claim."""
    claims = []
    for file in FILES:
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                notebook = re.match(r"\d\d[b-d]?", ast.get_docstring(node))[0]
                claim = node.name.removeprefix("test_").replace("_", " ")
                claims.append((notebook, claim, file.name))
    return claims


def test_every_claim_says_in_which_notebook_it_is_made():
    for notebook, claim, file in read_claims():
        assert file[:14] == f"test_claims_{notebook[:2]}", claim


@pytest.mark.parametrize("path", NUMBERED, ids=lambda path: path.stem)
def test_every_numbered_notebook_has_claims_that_are_held(path):
    assert len([claim for claim in read_claims() if claim[0] == path.stem[:2]]) >= 5
