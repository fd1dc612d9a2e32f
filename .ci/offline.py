"""Run everything that uses downloaded texts, without them or the network: python .ci/offline.py

Tests and notebooks that need a text must be skipped with a reason, and nothing may fail.
"""

import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]
NOWHERE = "http://127.0.0.1:9"  # nothing listens there
DOWNLOADED = re.compile(
    "shakespeare|little_prince|indian_names|gpt2_(merges|vocab)|from_gpt2|gpt4o?_ranks|vocabularies"
)


def find(folder: str, name: str, pattern: str | re.Pattern) -> list[Path]:
    """Return the files below a folder whose text has the pattern."""
    paths = sorted((ROOT / folder).rglob(name))
    return [path for path in paths if re.search(pattern, path.read_text("utf-8"))]


def run_pytest(files: list[Path]) -> str:
    """Return the output of pytest on files, without texts or network; exit with it on failure."""
    with TemporaryDirectory() as empty:
        proxies = dict.fromkeys(["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"], NOWHERE)
        local = dict.fromkeys(["NO_PROXY", "no_proxy"], "localhost,127.0.0.1")
        environment = {**os.environ, **proxies, **local, "BPE_TEACH_DATA": empty}
        command = [sys.executable, "-m", "pytest", "-n", "auto", "--all", "-rfEs", *files]
        captured = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "encoding": "utf-8"}
        done = subprocess.run(command, cwd=ROOT, env=environment, **captured)
    if done.returncode:
        sys.exit(done.stdout)
    return done.stdout


if __name__ == "__main__":
    tests = find("tests", "test_*.py", DOWNLOADED)
    notebooks = find("notebooks", "[0-9]*.ipynb", '"corpora"')
    output = run_pytest(tests + notebooks)
    print("\n".join(re.findall(r"^(?:skipped|\d+ passed).*", output, re.MULTILINE)))
    for notebook in notebooks:
        if not re.search(rf"SKIPPED.*{notebook.name} needs corpus", output):
            sys.exit(f"{notebook.name} was not skipped")
