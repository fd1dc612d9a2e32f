"""Names: editors know what each one is, and names of other libraries lead to ours."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bpe_teach
from bpe_further import load_tokenizer
from bpe_teach import Tokenizer
from bpe_teach.hints import ELSEWHERE

SCRIPT = Path(__file__).with_name("typed_use.py")


FALSE = """
import bpe_teach as bpe

number: int = bpe.Tokenizer.train("low", num_merges=1).encode("low")
"""


@pytest.mark.slow
def test_a_script_is_clean_in_the_strict_mode_of_pyright(tmp_path):
    """A false script beside it shows that pyright reads both, and knows the types."""
    pytest.importorskip("pyright")
    shutil.copy(SCRIPT, tmp_path)
    (tmp_path / "false.py").write_text(FALSE, "utf-8")
    paths = [str(SCRIPT.parents[1])]
    options = {"typeCheckingMode": "strict", "include": ["."], "extraPaths": paths}
    config = tmp_path / "pyrightconfig.json"
    config.write_text(json.dumps(options), "utf-8")
    command = [sys.executable, "-m", "pyright", "--outputjson", "-p", str(config)]
    command += ["--pythonpath", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True)
    report = json.loads(done.stdout)
    assert report["summary"]["filesAnalyzed"] == 2, done.stderr
    faults = [
        f"{Path(fault['file']).name}, line {fault['range']['start']['line'] + 1}: {fault['rule']}"
        for fault in report["generalDiagnostics"]
    ]
    assert faults == ["false.py, line 4: reportAssignmentType"]


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("from bpe_teach import SCHEMES, load_tokenizer", "from bpe_further import load_tokenizer"),
        (
            "from bpe_teach.exercises import real_tokenizers as ask",
            "from bpe_further.exercises import real_tokenizers",
        ),
        ("from bpe_further import Tokenizer", "from bpe_teach import Tokenizer"),
    ],
)
def test_a_name_of_the_other_package_is_told_with_its_import(statement, told):
    with pytest.raises(ImportError, match=f": {told}$"):
        exec(statement, {})
    exec(told, {})


def test_a_name_of_neither_package_is_an_error_as_of_any_package():
    assert not hasattr(bpe_teach, "nonsense")
    with pytest.raises(ImportError, match="cannot import name 'nonsense' from 'bpe_teach'"):
        exec("from bpe_teach import nonsense", {})


@pytest.mark.parametrize("name", ELSEWHERE)
def test_a_name_of_another_library_is_not_there_and_leads_to_ours(name, tmp_path):
    tok = Tokenizer.train("low", num_merges=0)
    for owner in (Tokenizer, tok):
        assert not hasattr(owner, name)
        with pytest.raises(AttributeError, match=f"no {name} here: use "):
            getattr(owner, name)


def test_an_option_of_another_library_leads_to_ours(tmp_path):
    with pytest.raises(TypeError, match="no option min_frequency here: give min_count"):
        Tokenizer.train("low", num_merges=0, min_frequency=2)
    Tokenizer.train("low", num_merges=0).save(tmp_path / "low.json")
    with pytest.raises(TypeError, match="no option skip_special_tokens here: leave out"):
        load_tokenizer(tmp_path / "low.json").decode([1], skip_special_tokens=True)
