"""Notebooks as on Colab: each file arrives alone, in a folder that goes with the session.

What Colab has is imitated: a module google.colab, a Drive mounted below the folder, and pip.
"""

import shutil

import pytest
from common import NOTEBOOKS
from test_notebooks import REF, REPOSITORY
from test_program import MODULES, answer_cell, import_module

from bpe_teach.exercises import program

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")

SPINE = {path.name.partition("_")[0]: path for path in NOTEBOOKS if path.parent.name == "notebooks"}
GOOGLE = {
    "__init__.py": "",
    "drive.py": "import os\ndef mount(path): os.makedirs('drive/MyDrive', exist_ok=True)",
}
STARTUP = """\
import google.colab
get_ipython().register_magic_function(lambda line: print("pip", line), "line", "pip")
"""
MOUNT = 'from google.colab import drive\ndrive.mount("/content/drive")'


@pytest.fixture
def content(tmp_path, monkeypatch):
    """Make the folder of a session, and what a kernel finds on Colab."""
    package = tmp_path / "lib" / "google" / "colab"
    package.mkdir(parents=True)
    for name, text in GOOGLE.items():
        (package / name).write_text(text, "utf-8")
    startup = tmp_path / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "00.py").write_text(STARTUP, "utf-8")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))  # where it was written last
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "lib"), prepend=":")
    (tmp_path / "content").mkdir()
    return tmp_path / "content"


def run(number, content, *, most=None, before=()):
    """Run a notebook with right answers, or its first cells; return what its cells print."""
    path = shutil.copy(SPINE[number], content)
    notebook = nbformat.read(path, 4)
    exercises = vars(import_module(f"bpe_teach.exercises.{MODULES[number]}"))
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"][:most]
    for cell in cells:  # with a text of one's own: to learn from a whole story takes seconds
        source = cell.source.replace("text = story  # or your own:", "text =")
        cell.source = answer_cell(source.replace("learn(story, 300)", "learn(story, 3)"), exercises)
    notebook.cells = [*map(nbformat.v4.new_code_cell, before), *cells]
    resources = {"metadata": {"path": str(content)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()
    return "".join(out.get("text", "") for cell in notebook.cells for out in cell.outputs)


@pytest.mark.slow
@pytest.mark.parametrize("kept", ["in Drive", "uploaded"])
def test_a_learner_on_colab_keeps_the_file_from_one_session_to_the_next(kept, content):
    before = [MOUNT] if kept == "in Drive" else []
    said = run("01", content, before=before)
    assert f"pip install -q git+{REPOSITORY}@{REF}\n" in said
    assert "can't start processes" not in said
    assert "4 functions; all of them yours." in said
    place = (program.DRIVE if before else program.Path()) / program.PLACE
    assert f"{place} holds your count_pairs, merge, learn, encode." in said
    text = (content / place).read_text("utf-8")

    shutil.rmtree(content.parent / "cache")  # the next day
    if not before:
        shutil.rmtree(content)
        content.mkdir()
        (content / program.PLACE).write_text(text, "utf-8")
    said = run("02", content, most=6, before=before)
    assert "Your program from 01 is used from here on: " in said


@pytest.mark.slow
def test_the_notebook_with_a_door_of_its_own_needs_nothing_but_its_file(content):
    path = shutil.copy(SPINE["05c"], content)
    notebook = nbformat.read(path, 4)
    for cell in notebook.cells:
        cell.source = cell.source.replace('language = "Hindi"', 'language = "Yoruba"')
    resources = {"metadata": {"path": str(content)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()
    outputs = [out for cell in notebook.cells for out in cell.get("outputs", ())]
    said = "".join(out.get("text", "") for out in outputs)
    assert f"pip install -q git+{REPOSITORY}@{REF}\n" in said
    assert "Gbogbo ènìyàn ni a bí ní òmìnira" in said
    assert [out for out in outputs if out.get("name") == "stderr"] == []


def test_drive_that_is_mounted_is_found_first_and_no_other_folder_is_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(program, "note", lambda: tmp_path / "note.txt")
    assert program.find(program.PLACE, is_here=True) == program.Path(program.PLACE)
    assert [*tmp_path.iterdir()] == []
    (tmp_path / program.DRIVE).mkdir(parents=True)
    assert program.find(program.PLACE, is_here=True) == program.DRIVE / program.PLACE
    (tmp_path / program.DRIVE / program.PLACE).write_text("", "utf-8")
    assert program.find(program.PLACE) == program.DRIVE / program.PLACE
    (tmp_path / program.PLACE).write_text("", "utf-8")
    assert program.find(program.PLACE) == program.Path(program.PLACE)
