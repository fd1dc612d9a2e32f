"""The claims of the notebooks: each is held by a test, and the teachers' page says by which.

The tests stand in ``claims/``, a file for each notebook. The docstring of each begins with the
notebook and the section, its name is the claim.
"""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
NOTEBOOKS = TESTS.parent / "notebooks"
FILES = sorted((TESTS / "claims").glob("test_claims_*.py"))


def read_claims():
    """Yield (notebook, claim, file) of every test of a claim."""
    for file in FILES:
        for node in ast.parse(file.read_text("utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                notebook = re.match(r"\d\db?", ast.get_docstring(node))[0]
                yield notebook, node.name.removeprefix("test_").replace("_", " "), file.name


def test_the_teachers_page_lists_every_claim_and_its_test():
    page = (NOTEBOOKS / "README.md").read_text("utf-8")
    rows = re.findall(r"^\| (\d\db?) \| .* \| (.*) \| \[.*\]\(.*/(.*)\) \|$", page, re.MULTILINE)
    assert sorted(rows) == sorted(read_claims())


@pytest.mark.parametrize(
    "path", sorted(NOTEBOOKS.glob("[01][0-9]_*.ipynb")), ids=lambda path: path.stem
)
def test_every_numbered_notebook_has_claims_that_are_held(path):
    assert len([claim for claim in read_claims() if claim[0] == path.stem[:2]]) >= 5
