"""Check what is in a wheel, and use it once installed: python -I .ci/check_wheel.py WHEEL

The Python that runs this has the wheel installed. ``-I`` keeps the clone off the path.
"""

import sys
import zipfile
from pathlib import Path
from tempfile import TemporaryDirectory

import bpe_teach
from bpe_teach import Tokenizer, list_corpora, load_corpus
from bpe_teach.corpora import CORPORA

CLONE = Path(__file__).resolve().parents[1]


def check_contents(names: list[str], bundled: list[str]) -> None:
    """Check that the wheel holds the package, its texts, and nothing else."""
    folders = {name.split("/")[0] for name in names}
    info = f"bpe_teach-{bpe_teach.__version__}.dist-info"
    assert folders == {"bpe_teach", "bpe_further", info}, folders
    for needed in ("bpe_teach/py.typed", "bpe_teach/__init__.pyi", "bpe_further/__init__.pyi"):
        assert needed in names, "type checkers would not read the package"
    data = {name.partition("bpe_teach/data/")[2] for name in names} - {""}
    cases = {name for name in data if name.startswith("conformance/")}
    in_clone = {path.relative_to(CLONE / "data").as_posix() for path in CLONE.glob("data/*/**/*")}
    assert cases == {name for name in in_clone if (CLONE / "data" / name).is_file()}, cases
    files = data - cases
    assert files == {"README.md", *(CORPORA[name].file for name in bundled)}, files


def check_use(bundled: list[str]) -> None:
    """Check that the installed package trains, saves, loads and uses a tokenizer."""
    tok = Tokenizer.train(load_corpus("story"), vocab_size=1000)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "story.json"
        tok.save(path)
        again = Tokenizer.load(path)
    for name in bundled:
        text = load_corpus(name)
        ids = again.encode(text)
        assert ids == tok.encode(text), name
        assert again.decode(ids) == text, name
        print(f"{name}: {len(text)} characters, {len(ids)} tokens, and back")


if __name__ == "__main__":
    installed = Path(bpe_teach.__file__).resolve()
    assert not installed.is_relative_to(CLONE), installed
    bundled = list(list_corpora().query("source == 'bundled'").index)
    check_contents(zipfile.ZipFile(sys.argv[1]).namelist(), bundled)
    check_use(bundled)
