"""Grades: nobody earns points without work, nobody stops a class, and nothing honest is lost."""

import bz2
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from hashlib import sha256
from pathlib import Path
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZipFile

import pytest
from common import archive, rows, sections

import bpe_teach
from bpe_further.classroom import box, grades, handed_in, learners, work
from bpe_further.classroom.grades import grade_class
from bpe_further.classroom.handed_in import find_handed
from bpe_further.classroom.learners import origins
from bpe_further.shell.commands import main
from bpe_further.shell.sheet import as_csv
from bpe_teach.exercises import char_bpe
from bpe_teach.exercises.exercise import Function, Hunt

ROOT = Path(bpe_teach.__file__).parent.parent


def why_no_box(name):
    """Return why a box can't be made here, or ""."""
    try:
        box.find_box([], name)
    except box.NoBox as error:
        return str(error)
    return ""


BOXES = ["bubblewrap", "namespaces", "another user"]
NO_BOX = {name: why_no_box(name) for name in BOXES}
needs_a_box = pytest.mark.skipif(all(NO_BOX.values()), reason=str(NO_BOX))
SLOW = [pytest.mark.slow]
IN_BOXES = [
    pytest.param(name, marks=[pytest.mark.skipif(bool(why), reason=why), *SLOW[: number > 0]])
    for number, (name, why) in enumerate(NO_BOX.items())
]
HONEST = """\
from bpe_teach.exercises import char_bpe as ask
def merge(word, pair):
    done = []
    for symbol in word:
        if done and (done[-1], symbol) == pair:
            done[-1] = "".join(pair) if isinstance(symbol, str) else b"".join(pair)
            done.append(None)
        else:
            done.append(symbol)
    return tuple(symbol for symbol in done if symbol is not None)
ask.merge.check(merge)
ask.aaaa.check(3, 2)
"""


def notebook(*sources):
    """Return a notebook with these cells of code."""
    return json.dumps({"cells": [{"cell_type": "code", "source": code} for code in sources]})


def hand_in(folder, page, grades):
    """Write what a page of the tables holds into a folder; return the names, and which read."""
    names, reading = [], []
    cases = {given: right for given, right in char_bpe.merge._all_cases()}
    places = {"CLASS": folder, "GRADES": grades, "PACKAGE": ROOT, "PARENT": os.getpid()}
    for name, *kinds, code in sections(page):
        for place, path in places.items():
            code = code.replace(f"@{place}@", str(path))
        code = code.replace("@CASES@", repr(cases))
        is_program = "my_bpe.py" in kinds
        path = folder / name / ("my_bpe.py" if is_program else "01.ipynb")
        path.parent.mkdir()
        path.write_text(code if is_program else notebook(code), "utf-8")
        names.append(name)
        if "reads" in kinds:
            reading.append(name)
    (folder / "honest").mkdir()
    (folder / "honest" / "01.ipynb").write_text(notebook(HONEST), "utf-8")
    return names, reading


def graded_by_a_command(folder, grades, only):
    """Run the command as a teacher does; return the rows by learner, and what it says."""
    program = "import resource, sys\nfrom functools import partial\n"
    program += "from bpe_further.classroom import box, grades\n"
    program += "from bpe_further.shell.commands import main\n"
    program += f"grades.find_box = partial(box.find_box, only={only!r})\n"
    program += "status = main(['grade', *sys.argv[1:]])\n"
    # Kilobytes of the largest process. `resource` would count the process that started it, too.
    program += "[own] = [line for line in open('/proc/self/status') if 'VmHWM' in line]\n"
    program += (
        "most = max(int(own.split()[1]), resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)\n"
    )
    program += "print(most, file=sys.stderr)\n"
    program += "sys.exit(status)\n"
    command = [sys.executable, "-c", program, str(folder), "-o", str(grades)]
    done = subprocess.run(command, capture_output=True, cwd=ROOT, timeout=600)
    assert done.returncode == 0, done.stderr
    return read(grades), done.stderr.decode()


def read(path):
    """Return the rows of a table of grades by learner."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        return {row["learner"]: row for row in csv.DictReader(file)}


def fingerprints(folder):
    """Return what the files below a folder hold, by path."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return {path: sha256(path.read_bytes()).digest() for path in files}


@pytest.mark.parametrize("only", IN_BOXES)
def test_cheats_earn_no_point_and_change_nothing(tmp_path, only):
    folder, grades = tmp_path / "class", tmp_path / "grades.csv"
    folder.mkdir()
    folder.chmod(0o755)
    names, reading = hand_in(folder, "cheats.md", grades)
    before = fingerprints(folder) | fingerprints(ROOT / "bpe_teach")
    found, said = graded_by_a_command(folder, grades, only)
    written = grades.read_bytes()
    assert set(found) == {*names, "honest"}
    assert found["honest"]["points"] == "2", found["honest"]
    for name in names:
        if name not in reading or only != "another user":  # which hides nothing, and says so
            assert found[name]["points"] == "0", found[name]
        is_program = (folder / name / "my_bpe.py").exists()
        assert found[name]["of"] in (["4"] if is_program else ["11", "12", "13"])
    assert before == fingerprints(folder) | fingerprints(ROOT / "bpe_teach")
    assert "stays" not in processes()
    assert grades.read_bytes() == written
    for text in (written.decode("utf-8-sig"), said):
        assert all(char.isprintable() or char == "\n" for char in text)
    assert f"({only})" in said
    if only == "another user":
        assert "lets a program" in said and "read hand-ins" in said


@pytest.mark.parametrize("only", IN_BOXES[:2])
def test_no_installed_package_is_seen_in_a_box_by_any_of_its_names(tmp_path, only):
    patterns = ["python3*/*-packages", "pypy*/*-packages"]
    shown = [
        str(path) for place in box.SYSTEM for one in patterns for path in Path(place).glob(one)
    ]
    found = box.find_box([], only)
    with found.start(box.lend_to(tmp_path)) as child:
        child.load("import os\ndef seen(place):\n    return os.listdir(place)", "<look>")
        for place in shown:  # /usr/lib/python3/dist-packages, and the same below /lib, a link
            assert child.call("seen", (place,)).value == [], place
    if shown:
        names = box._names_of(shown[0], box.SYSTEM)
        assert {os.path.realpath(name) for name in names} == {os.path.realpath(shown[0])}
        assert {name for name in shown if os.path.samefile(name, shown[0])} <= set(names)


def processes():
    """Return the commands of all processes, where they can be seen."""
    told = b""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            told += path.read_bytes()
        except OSError:
            continue
    return told.decode("utf-8", "replace").replace("\0", " ")


@pytest.mark.slow
@pytest.mark.parametrize("only", IN_BOXES)
def test_what_would_stop_a_class_costs_nobody_else_a_point(tmp_path, only):
    folder, grades = tmp_path / "class", tmp_path / "grades.csv"
    folder.mkdir()
    names, _ = hand_in(folder, "class_stoppers.md", grades)
    if only == "another user":  # it would fill the disk
        shutil.rmtree(folder / "files in memory")
        names.remove("files in memory")
    found, told = graded_by_a_command(folder, grades, only)
    assert found["honest"]["points"] == "2", found["honest"]
    assert [found[name]["points"] for name in names] == ["0"] * len(names)
    assert "not decided" in found["never stops"]["not run"]
    assert "not decided" in found["memory of three processes"]["not run"]
    assert int(told.split()[-1]) < 2_300_000
    if only != "another user":  # who can write wherever everybody can
        said = found["files in memory"]["what was wrong"]
        assert "memfd" not in said
        if said:  # a slow computer doesn't write as much in the time that it has
            assert int(said.split("gives ")[1].split(",")[0]) <= box.SCRATCH


@needs_a_box
def test_bombs_are_not_unpacked_and_every_other_row_is_written(tmp_path):
    bomb, flat = io.BytesIO(), tmp_path / "class.zip"
    with ZipFile(bomb, "w", ZIP_DEFLATED) as made, made.open("my_bpe.py", "w") as file:
        for _ in range(400):
            file.write(b"#" * 1_000_000)
    nested = archive({f"{n}.zip": archive({"a.py": "1"}) for n in range(3000)})
    deep = archive({"a.py": "1"})
    for n in range(30):
        deep = archive({f"{n}.zip": deep})
    packer = bz2.BZ2Compressor()
    tar = b"".join([*(packer.compress(bytes(1_000_000)) for _ in range(300)), packer.flush()])
    handed = {"tar/t.tar.bz2": tar}
    handed |= {"bomb/b.zip": bomb.getvalue(), "nested/n.zip": nested, "deep/d.zip": deep}
    handed |= {"flat/my_bpe.py": b"#" * 21_000_000, "up/../../evil.py": "x"}
    handed |= {"honest/01.ipynb": notebook(HONEST)}
    flat.write_bytes(archive(handed))
    found, said = graded_by_a_command(flat, tmp_path / "grades.csv", "")
    assert (
        int(said.split()[-1]) < 800_000
    )  # kilobytes: what is in the archive, and a copy, would take as much
    assert found["honest"]["points"] == "2"
    for name, why in {
        "bomb": "more than 20,000,000 bytes",
        "nested": "more than 2,000 files",
        "tar": "more in it than is read",
        "deep": "in 3 other archives",
        "flat": "more than 20,000,000 bytes",
        "up": "leads elsewhere",
    }.items():
        assert why in found[name]["not run"], found[name]
    assert not (tmp_path.parent / "evil.py").exists()


def test_without_a_box_nothing_is_run_and_the_reason_says_what_to_use(
    tmp_path, monkeypatch, capsys
):
    (tmp_path / "my_bpe.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    monkeypatch.setattr(box, "_boxes", lambda: iter(()))
    assert main(["grade", str(tmp_path), "-o", str(tmp_path / "grades.csv")]) == 1
    said = capsys.readouterr().err
    assert "apt install bubblewrap" in said
    assert "Colab" in said
    assert {path.name for path in tmp_path.iterdir()} == {"my_bpe.py"}


def test_a_box_that_leaks_is_not_taken(monkeypatch):
    monkeypatch.setattr(box, "_boxes", lambda: iter([("a sieve", lambda command, *_: command)]))
    with pytest.raises(box.NoBox, match="a sieve: it lets a program change hand-ins"):
        box.find_box([])


# What counts.


GRADED = [*sorted(ROOT.glob("notebooks/0[0-5]*.ipynb"))]
GRADED += [ROOT / "notebooks/further/08_real_tokenizers.ipynb"]


def filled_in(path):
    """Return a notebook in which everything is answered, and how much that is."""
    made = json.loads(path.read_text("utf-8"))
    parts = work.read_work(path.name, path.read_bytes()).parts
    for cell in made["cells"]:
        text = "".join(cell["source"])
        for part in parts if cell["cell_type"] == "code" else ():
            exercise = part.exercise
            if isinstance(exercise, Function):
                head = rf"^def {part.name}\([\s\S]*?(?=^\S|\Z)"
                if f"ask.{part.name}.check({part.name})" in text:
                    before, _, after = re.split(f"({head})", text, maxsplit=1, flags=re.MULTILINE)
                    text = f"{before}{exercise.source()}\n{after}"
                continue
            right = (
                f"*{exercise.smallest!r}" if isinstance(exercise, Hunt) else repr(exercise.right)
            )
            text = text.replace(f"ask.{part.name}.check(...)", f"ask.{part.name}.check({right})")
        cell["source"] = text
    return json.dumps(made), len(parts)


@needs_a_box
@pytest.mark.slow
def test_every_question_of_the_spine_and_of_08_can_be_graded(tmp_path):
    expected = {}
    for path in GRADED:
        text, expected[path.name] = filled_in(path)
        (tmp_path / path.name).write_text(text, "utf-8")
    table = grade_class([str(tmp_path)], "-")
    assert {row["learner"]: row["points"] for row in table.rows} == expected
    assert {row["learner"]: row["of"] for row in table.rows} == expected


@needs_a_box
@pytest.mark.slow
def test_a_notebook_as_it_is_handed_out_is_open_and_not_wrong(tmp_path):
    for path in GRADED:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for row in grade_class([str(tmp_path)], "-").rows:
        assert row["points"] == 0
        assert row["what was wrong"] == row["not run"] == "", row
        assert {row[column] for column in row if column[:2].isdigit()} == {""}


def test_a_page_asks_what_its_notebook_asks():
    assert len(GRADED) == 8
    for path in GRADED:
        parts = work.read_work(path.name, path.read_bytes()).parts
        text = path.read_text("utf-8")
        assert {part.number for part in parts} == {path.stem.partition("_")[0]}
        assert [part.name for part in parts if f"ask.{part.name}.check(" not in text] == []


@needs_a_box
def test_hard_cells_that_were_deleted_count_all_the_same(tmp_path):
    cells = ["from bpe_teach.exercises import char_bpe as ask", "ask.aaaa.check(3, 2)"]
    (tmp_path / "01.ipynb").write_text(notebook(*cells))
    (row,) = grade_class([str(tmp_path)], "-").rows
    assert (row["points"], row["of"], row["01_aaaa"], row["01_merge"]) == (1, 12, 1, "")


@needs_a_box
def test_with_the_same_seed_the_reasons_are_the_same(tmp_path):
    code = "def merge(word, pair):\n    return word if len(word) < 9 else word[:-1]\n"
    (tmp_path / "my_bpe.py").write_text(code)
    one, other = (grade_class([str(tmp_path)], "-", seed=5).rows for _ in range(2))
    assert one == other
    assert one[0]["points"] == 0


@pytest.mark.parametrize(("name", "content"), rows("handed_in/unreadable"))
def test_what_cannot_be_read_is_refused_with_a_reason(name, content):
    with pytest.raises(ValueError, match="."):
        work.read_work(name, content)


# Files, and whose they are.

NAMES = {  # path -> learner, attempt or copy, name
    "hw.zip/Zoë Miller_17_assignsubmission_file_/my_bpe.py": "Zoë Miller",
    "hw.zip/Ada Lovelace_18_assignsubmission_file_my_bpe.py": "Ada Lovelace",
    "hw.zip/lovelaceada_LATE_12_345_my_bpe-2.py": "lovelaceada",
    "HW1_s123_attempt_2026-01-31-12-00-00_my_bpe.py": "s123",
    "HW1_s123_attempt_2026-01-31-12-00-00.txt": "s123",
    "Submitted files/Lovelace, Ada/HW 1/Version 2/my_bpe.py": "Lovelace, Ada",
    "Working files/Lovelace, Ada/HW 1/my_bpe.py": "Lovelace, Ada",
    "Ada Lovelace - my_bpe (1).py": "Ada Lovelace",
}


def test_learners_whose_names_hold_a_line_below_are_told_apart_in_blackboard():
    after = "attempt_2026-01-31-12-00-00_my_bpe.py"
    paths = [f"HW_1_{name}_{after}" for name in ("john_doe", "jane_doe", "s12")]
    assert [origin.learner for origin in origins(paths).values()] == ["john_doe", "jane_doe", "s12"]


def test_learners_are_found_by_the_names_that_platforms_give():
    found = origins(NAMES, ["hw.zip"])
    assert {path: origin.learner for path, origin in found.items()} == NAMES
    assert {origin.name for path, origin in found.items() if path.endswith(".py")} == {"my_bpe.py"}
    assert learners.shown_names(found.values())["Ada Lovelace 18"] == "Ada Lovelace 18"
    alone = origins(["hw/bo.py", "hw/ada.py"])
    assert [origin.learner for origin in alone.values()] == ["bo.py", "ada.py"]
    (one,) = origins(["Ada/my_bpe.py"]).values()
    assert one.learner == "Ada"


def test_a_name_within_an_archive_of_a_learner_s_is_nobody_else_s():
    evil = ["Ada_1_assignsubmission_file_/my_bpe.py", "Ada - my_bpe.py", "Ada/my_bpe.py"]
    evil += ["Submitted files/Ada/HW/Version 99/my_bpe.py", "ada_1_2_my_bpe.py"]
    evil += ["HW_Ada_attempt_2026-01-31-12-00-00_my_bpe.py", "Ada.zip/Ada/my_bpe.py"]
    for place in (
        "hw.zip/Mallory/x.zip",
        "hw.zip/Mallory/x.tar.gz",
        "hw.zip/Mallory_2_assignsubmission_file_/x.zip",
    ):
        found = origins(["hw.zip/Ada/my_bpe.py", *(f"{place}/{path}" for path in evil)])
        assert [origin.learner for origin in found.values()] == ["Ada"] + ["Mallory"] * len(evil)
    found = origins(["Ada.zip/my_bpe.py", *(f"Mallory.zip/{path}" for path in evil)])
    assert [origin.learner for origin in found.values()][1:] == ["Mallory.zip"] * len(evil)
    two = origins(["1.zip/Ada/01.ipynb", "2.zip/Ada - 03.ipynb"], ["1.zip", "2.zip"])
    assert [origin.learner for origin in two.values()] == ["Ada", "Ada"]


def test_a_name_in_the_folder_of_a_learner_is_nobody_else_s():
    names = ["Ada - 01.ipynb", "Ada_1_assignsubmission_file_/01.ipynb", "ada_1_2_01.ipynb"]
    names += ["HW_Ada_attempt_2099-01-31-12-00-00_01.ipynb", "my_bpe - Copy.py"]
    names += ["Submitted files/Ada/HW/Version 99/01.ipynb"]
    for top in ("", "class.zip/", "class/week 1/"):
        paths = [f"{top}Ada/01.ipynb", *(f"{top}Mallory/{name}" for name in names)]
        learner = [origin.learner for origin in origins(paths).values()]
        assert learner == ["Ada"] + ["Mallory"] * len(names)
    found = origins(["ada_1_2_01.ipynb", "bo_3_4_hw.zip/ada_1_9_01.ipynb"])  # the only archive
    assert [origin.learner for origin in found.values()] == ["ada", "bo"]


def test_an_archive_that_would_fill_the_memory_or_be_read_forever_is_refused(tmp_path):
    with ZipFile(tmp_path / "a.zip", "w", ZIP_BZIP2) as made:  # Python unpacks it all at once
        made.writestr("my_bpe.py", bytes(10_000))
    heads = [tarfile.TarInfo(name).tobuf(tarfile.GNU_FORMAT) for name in ("a.txt", "b.txt", "c.py")]
    back = bytearray(heads.pop())
    back[124:136] = b"\xff" + (2**88 - 1024).to_bytes(11, "big")  # its size: -1024
    back[148:156] = b" " * 8
    back[148:156] = b"%06o\0 " % sum(back)
    (tmp_path / "b.tar").write_bytes(b"".join([*heads, back, bytes(1024)]))
    found = list(find_handed([str(tmp_path)], "-"))
    assert "unusual way" in found[0].fault
    assert [file.name for file in found] == ["a.zip/my_bpe.py", "b.tar"]
    assert all(file.fault for file in found)


@needs_a_box
def test_a_star_and_a_function_that_is_not_there_end_nothing(tmp_path):
    star = "from bpe_teach.exercises import *\n"
    (tmp_path / "01.ipynb").write_text(notebook(star, HONEST))
    (tmp_path / "my_bpe.py").write_text("def merge(word: Sequence, pair):\n    return word\n")
    one, other = grade_class([str(tmp_path)], "-").rows
    assert one["points"] == 2
    assert "Sequence" in other["what was wrong"]


@pytest.mark.parametrize("end", ["tar", "tar.gz", "tgz", "tar.xz", "tar.bz2"])
def test_other_archives_are_read_too(tmp_path, end):
    kind = {"tar": "", "tgz": "gz"}.get(end, end.partition(".")[2])
    with tarfile.open(tmp_path / f"a.{end}", f"w:{kind}") as made:
        info = tarfile.TarInfo("./Ada/my_bpe.py")
        info.size = 4
        made.addfile(info, io.BytesIO(b"x = "))
        link = tarfile.TarInfo("Ada/link.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        made.addfile(link)
    (file,) = find_handed([str(tmp_path)], "-")
    assert (file.name, file.content) == (f"a.{end}/Ada/my_bpe.py", b"x = ")


def test_what_is_in_archives_is_bounded_for_each_learner_and_for_all(tmp_path, monkeypatch):
    monkeypatch.setattr(handed_in, "LARGEST", 1000)
    monkeypatch.setattr(handed_in, "MOST_INSIDE", 2100)
    inner = archive({f"{n}.py": "#" * 600 for n in range(4)})
    files = {
        "nested.zip": archive({"in.zip": inner, "small.py": "1"}),
        "russian.zip": archive({"1.zip": archive({"2.zip": archive({"3.zip": archive({})})})}),
        "slip.zip": archive({"../../evil.py": "x", "/evil.py": "x"}),
        "broken.zip": archive({"a.py": "x"})[:-9],
        "huge.py": b"#" * 1001,
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "link.py").symlink_to("/etc/hostname")
    found = list(find_handed([str(tmp_path)], "-"))
    readable = [file.name for file in found if not file.fault]
    assert readable == ["nested.zip/small.py", "nested.zip/in.zip/0.py", "nested.zip/in.zip/1.py"]
    assert len(found) == 11
    assert {path.name for path in tmp_path.iterdir()} == {*files, "link.py"}


def test_nobody_s_archives_use_up_the_room_of_others(tmp_path, monkeypatch):
    monkeypatch.setattr(handed_in, "MOST_BYTES", 300_000)
    monkeypatch.setattr(handed_in, "MOST_NAMES", 300)
    monkeypatch.setattr(handed_in, "LEAST_BYTES", 1000)
    monkeypatch.setattr(handed_in, "LEAST_NAMES", 1)
    large = archive({"a.py": "#" * 20_000, "b.py": "#" * 19_000})
    many = archive({f"{n}.py": "" for n in range(40)})
    handed = {f"Anna_7_assignsubmission_file_/{n:02}.zip": large for n in range(21)}
    handed |= {f"Art_8_assignsubmission_file_/{n:02}.zip": many for n in range(9)}
    honest = {
        "Zoe_9_assignsubmission_file_/hw.zip": archive({"01.py": "#" * 30_000}),
        "Zac_5_assignsubmission_file_/01.py": "#" * 30_000,
    }
    for name, content in (handed | honest).items():
        path = tmp_path / "class" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (tmp_path / "class.zip").write_bytes(archive(handed | honest))
    for path in (tmp_path / "class", tmp_path / "class.zip"):
        found = list(find_handed([str(path)], "-"))
        read = [file for file in found if not file.fault]
        assert [len(file.content) for file in read if "/Z" in f"/{file.name}"] == [30_000] * 2
        of_anna = [file for file in read if "Anna" in file.name]
        assert 0 < sum(len(file.content) for file in of_anna) <= 75_000
        assert 0 < sum("Art" in file.name for file in read) <= 75
        faults = {file.fault for file in found if file.fault}
        assert all(handed_in.MORE in fault or "more than" in fault for fault in faults)


def test_what_may_not_be_read_is_named_and_ends_nothing(tmp_path):
    for name in ("Ada", "Bo", "Cy"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "01.py").write_text("x")
    (tmp_path / "Ada" / "01.py").chmod(0)
    (tmp_path / "Bo").chmod(0)
    program = "import sys\nfrom bpe_further.classroom.handed_in import find_handed\n"
    program += "for file in find_handed(sys.argv[1:], '-'):\n    print(file.name, file.fault)"
    command = [sys.executable, "-c", program, str(tmp_path)]
    if os.geteuid() == 0:  # who may read all, unless this right is taken away
        if not shutil.which("setpriv"):
            pytest.skip("run by root, and there is no setpriv")
        command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *command]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    (tmp_path / "Bo").chmod(0o700)
    why = "it can't be read here: Permission denied"
    assert done.stdout.splitlines() == [f"Ada/01.py {why}", f"Bo {why}", "Cy/01.py "], done.stderr


def test_an_archive_of_a_learner_s_holds_less_than_that_of_a_class(tmp_path, monkeypatch):
    monkeypatch.setattr(handed_in, "MOST_INSIDE", 20_000)
    monkeypatch.setattr(handed_in, "MOST_NAMES_INSIDE", 3)
    names = archive({f"{n}.py": "" for n in range(4)})
    (tmp_path / "many.zip").write_bytes(names)
    with tarfile.open(tmp_path / "large.tar.bz2", "w:bz2") as made:  # its size is known at its end
        for n in range(3):
            info = tarfile.TarInfo(f"{n}.py")
            info.size = 10_000
            made.addfile(info, io.BytesIO(bytes(10_000)))
    of_class = find_handed([str(tmp_path / name) for name in ("many.zip", "large.tar.bz2")], "-")
    assert [file.fault for file in of_class] == [""] * 7
    large, many = find_handed([str(tmp_path)], "-")
    assert "there is more in it than is read" in large.fault
    assert "more than 3 files" in many.fault


def test_an_archive_that_is_broken_or_keeps_its_reader_busy_costs_nobody_else(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(handed_in, "UNPACKING", handed_in.UNPACKING._replace(seconds=1))
    nameless = archive({"q": "x"})
    for before, size in ((b"PK\3\4", 26), (b"PK\1\2", 28)):  # where a head has a name's length
        at = nameless.index(before) + size
        nameless = nameless[:at] + b"\0" + nameless[at + 1 :]
    huge = tarfile.TarInfo("a.py")
    huge.size = 2**80
    pax = tarfile.TarInfo("header")
    pax.type, pax.size = tarfile.XHDTYPE, 300_032
    digits = pax.tobuf() + b"1" * 300_032 + bytes(1024)
    handed = {
        "nameless.zip": nameless,
        "huge.zip": archive({"a.tar": huge.tobuf(tarfile.GNU_FORMAT)}),
        "busy.tar": digits,
        "many.zip": archive(
            {f"{n}.zip": archive({f"{m}.pdf": "" for m in range(999)}) for n in "abcde"}
        ),
        "fine.zip": archive({"01.py": "x"}),
    }
    for name, content in handed.items():
        (tmp_path / name).write_bytes(content)
    found = list(
        find_handed([str(tmp_path)], "-", lambda name: "" if name.endswith("py") else "no")
    )
    assert [file.name for file in found if not file.fault] == ["fine.zip/01.py"]
    faults = {file.name.partition("/")[0]: file.fault for file in found if file.fault}
    assert "can't be unpacked" in faults["huge.zip"]
    assert faults["busy.tar"] in (handed_in.TOO_LONG, "it can't be unpacked: invalid header")
    assert len(found) < 2_100


def test_a_name_that_no_system_has_is_refused(tmp_path):
    content = archive({"-1" * 200 + ".py": "", "ok.py": ""})
    (tmp_path / "a.zip").write_bytes(content)
    faults = [file.fault for file in find_handed([str(tmp_path)], "-")]
    assert sorted(faults) == ["", "its name is too long"]


@needs_a_box
def test_what_follows_an_import_from_the_future_or_waits_for_main_is_run(tmp_path):
    code = "from __future__ import annotations\n"
    code += HONEST.replace("def merge(word, pair):", "def merge(word: Word, pair: Pair) -> Word:")
    code = code.replace("ask.merge.check", 'if __name__ == "__main__":\n    ask.merge.check')
    assert code.count("Word") == 2
    (tmp_path / "01.py").write_text(code)
    (row,) = grade_class([str(tmp_path)], "-").rows
    assert (row["01_merge"], row["what was wrong"]) == (1, "")


@needs_a_box
def test_votes_and_tests_of_what_one_knows_have_no_points(tmp_path):
    code = "from bpe_further.exercises import votes, concept_inventory as ask\n"
    code += "votes.v01_overlap.check('a')\nask.ties.check('a')\n"
    (tmp_path / "01.ipynb").write_text(notebook(code, HONEST))
    (tmp_path / "00b.ipynb").write_text(notebook(code))
    of_01, of_00b = sorted(grade_class([str(tmp_path)], "-").rows, key=lambda row: -row["of"])
    assert (of_01["points"], of_01["of"], of_00b["of"]) == (2, 12, 0)
    assert "has points" in of_00b["not run"]


@needs_a_box
def test_what_a_notebook_does_besides_costs_no_point(tmp_path):
    install = "!pip install -q \\\n    git+https://example.org/bpe\n"
    code = HONEST.replace("def merge(word, pair):", "def merge(word, pair):\n    clear_output()")
    code = code.replace("in word", "in tqdm(word)", 1)
    shown = "from tqdm.notebook import tqdm\nfrom IPython.display import clear_output\n"
    slow = ["for i in range(10**9):\n    i"] * 6
    asks, *rest = code.partition("\n")
    assert asks.startswith("from bpe_teach.exercises import")
    for name, first in (("01a", install + asks), ("01b", f"{asks}\nprint 'x'")):
        (tmp_path / f"{name}.ipynb").write_text(notebook(first, shown, *slow, "".join(rest)))
    for row in grade_class([str(tmp_path)], "-").rows:
        assert (row["points"], row["of"]) == (2, 12), row


@needs_a_box
def test_a_name_that_is_given_away_after_the_check_costs_no_point(tmp_path):
    asks, *rest = HONEST.partition("\n")
    after = "tuple = (1, 2)\nmerge = helper = None\n"
    helper = "def helper(symbols):\n    return tuple(symbols)\n"
    code = "".join(rest).replace("return tuple(", "return helper(")
    (tmp_path / "01.ipynb").write_text(notebook(asks, helper, code, after))
    (row,) = grade_class([str(tmp_path)], "-").rows
    assert (row["points"], row["what was wrong"]) == (2, "")


@needs_a_box
def test_a_value_that_comes_from_what_is_not_here_is_not_run_and_all_others_count(tmp_path):
    asks, *rest = HONEST.partition("\n")
    cells = [
        asks,
        "import pandas as pd\ntable = pd.read_csv('counts.csv')\ntotal = 0\nrows = []\nnumber = 3",
        "for row in table:\n    total += 1",
        "rows.append(len(table))\nrows.append(7)",
        "ask.symbols_left.check(total)",
        "ask.pairs_in_text.check(sum(rows))",
        "def count():\n    return total\nask.longest_symbol.check(count())",
        "ask.second_merge.check((table.left, 'w'))",
        "total = 2\nask.aaaa.check(number, total)",
        "".join(rest).replace("ask.aaaa.check(3, 2)", "print(len(table))"),
    ]
    (tmp_path / "01.ipynb").write_text(notebook(*cells))
    (row,) = grade_class([str(tmp_path)], "-").rows
    missing = ["symbols_left", "pairs_in_text", "longest_symbol", "second_merge"]
    assert {row[f"01_{name}"] for name in missing} == {"not run"}
    assert row["not run"].count("no module pandas here") == 4
    assert (row["points"], row["01_merge"], row["01_aaaa"], row["what was wrong"]) == (2, 1, 1, "")


@needs_a_box
def test_an_answer_that_cannot_be_computed_is_not_run_and_says_why(tmp_path):
    asks, *rest = HONEST.partition("\n")
    cells = [asks, "ask.count_pairs.check(count_pairs)\nask.pairs_in_text.check(3 / 0)"]
    cells += ["ask.symbols_left.check(undefined)", "ask.longest_symbol.check(no)", *rest]
    cells += ["if ask.longest_symbol.check(5).kind == 'right':\n    ask.second_merge.check(5)"]
    cells += ["def count_pairs(word):\n    return {}"]
    (tmp_path / "01.ipynb").write_text(notebook(*cells))
    (row,) = grade_class([str(tmp_path)], "-").rows
    assert row["not run"].split(" | ") == [
        "01_count_pairs: NameError: name 'count_pairs' is not defined",
        "01_pairs_in_text: ZeroDivisionError: division by zero",
        "01_symbols_left: NameError: name 'undefined' is not defined",
    ]
    assert (row["points"], row["01_longest_symbol"], row["01_second_merge"]) == (2, 0, 0)


@needs_a_box
def test_a_notebook_that_ends_python_to_start_it_anew_is_graded(tmp_path):
    first = "import os, signal\nos.kill(os.getpid(), 9)\nsignal.raise_signal(9)\nos.abort()\n"
    asks, *rest = HONEST.partition("\n")
    ends = "def count_pairs(word):\n    os._exit(0)\nask.count_pairs.check(count_pairs)"
    (tmp_path / "01.ipynb").write_text(notebook(first, asks, *rest, ends, "os._exit(0)"))
    (row,) = grade_class([str(tmp_path)], "-").rows
    assert (row["points"], row["01_count_pairs"]) == (2, 0)
    assert "ended Python" in row["what was wrong"]


@needs_a_box
def test_what_takes_no_time_is_run_after_all_that_takes_too_long(tmp_path):
    asks, *rest = HONEST.partition("\n")
    slow = ["while True:\n    pass"] * 5
    after = "ZERO, NAMES = -0, {'first': [asks]}\nmerge = None\ndef written(word, pair):\n"
    code = "".join(rest).partition("def merge(word, pair):\n")[2]
    code = code.replace("done = []", "done, _ = [], ZERO + len(NAMES)")
    code = code.replace("ask.merge.check", "merge = written\nask.merge.check")
    cells = [f"{asks}\nasks = 1", *slow, after + code]
    (tmp_path / "01.ipynb").write_text(notebook(*cells))
    (row,) = grade_class([str(tmp_path)], "-").rows
    assert (row["points"], row["what was wrong"]) == (2, ""), row


IMPORTS = {  # how a page is imported -> how a question of it is called
    "import bpe_teach.exercises as ex": "ex.char_bpe.",
    "from bpe_teach import exercises": "exercises.char_bpe.",
    "import bpe_teach.exercises": "bpe_teach.exercises.char_bpe.",
    "import bpe_teach.exercises.char_bpe": "bpe_teach.exercises.char_bpe.",
    "import bpe_teach.exercises.char_bpe as page": "page.",
    "from bpe_teach.exercises.char_bpe import aaaa, merge as ask_merge": "",
}


@needs_a_box
def test_a_question_counts_however_its_page_is_imported(tmp_path):
    _, *rest = HONEST.partition("\n")
    for number, (statement, place) in enumerate(IMPORTS.items()):
        code = "".join(rest).replace("ask.", place)
        if not place:
            code = code.replace("merge.check", "ask_merge.check")
        (tmp_path / f"Learner{number}_01.ipynb").write_text(notebook(statement, code))
    graded = grade_class([str(tmp_path)], "-").rows
    assert len(graded) == len(IMPORTS)
    for row in graded:
        assert (row["points"], row["of"]) == (2, 12), row


@needs_a_box
def test_what_is_judged_before_the_judge_is_ended_counts(tmp_path, monkeypatch):
    judge = grades.Judge._verdict
    monkeypatch.setattr(
        grades.Judge,
        "_verdict",
        lambda self, work, part, given: (
            os._exit(1) if part.name == "aaaa" else judge(self, work, part, given)
        ),
    )
    (tmp_path / "01.ipynb").write_text(notebook(HONEST))
    (row,) = grade_class([str(tmp_path)], "-").rows
    assert (row["01_merge"], row["01_aaaa"], row["01_encode"]) == (1, "not run", "")


@needs_a_box
def test_a_function_that_is_asked_for_once_more_is_not_lent(tmp_path):
    code = "from bpe_further.exercises import misconception_lab as ask\n"
    code += "from bpe_teach.exercises import byte_level\nmy_bpe = byte_level.my_bpe.use(...)\n"
    code += "def merge(word, pair):\n    return my_bpe.encode(word, {pair: 0})\n"
    code += "ask.merge.check(merge)\n"
    (tmp_path / "09b.ipynb").write_text(notebook(code))
    (row,) = grade_class([str(tmp_path)], "-").rows
    assert row["points"] == 0


@needs_a_box
def test_files_of_one_name_in_different_folders_are_all_judged(tmp_path):
    solved = notebook(HONEST)
    asks, _ = HONEST.split("\n", 1)
    unsolved = notebook(asks, "def merge(word, pair):\n    ...", "ask.merge.check(merge)")
    places = {"01.ipynb": solved, "original/01.ipynb": unsolved, "my/my_bpe.py": "def learn(): 1"}
    for name, content in places.items():
        (tmp_path / "Ada" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "Ada" / name).write_text(content)
    (tmp_path / "Bo").mkdir()
    (tmp_path / "Bo" / "hw.zip").write_bytes(archive(places))
    for row in grade_class([str(tmp_path)], "-").rows:
        assert (row["points"], row["attempts"]) == (2, 1)
        assert "later one" not in row["not run"]
        assert row["files"].count("01.ipynb") == 2


def test_a_file_that_a_platform_numbers_replaces_those_before_it(tmp_path):
    names = ["ada_1_5_hw.zip/my_bpe.py", "ada_1_9_hw-1.zip/my_bpe.py", "bo_2_3_01.ipynb"]
    names += ["cy_3_7_my_bpe.py", "cy_3_8_my_bpe-1.py"]
    found = origins(names)
    kept = [grades._Kept(name, found[name], tmp_path) for name in names]
    for learner, last in (("ada 1", names[1]), ("bo 2", names[2]), ("cy 3", names[4])):
        latest, _ = grades._latest([one for one in kept if one.origin.key == learner])
        assert [one.name for one in latest] == [last]


@needs_a_box
def test_what_is_handed_in_beside_a_notebook_can_be_imported(tmp_path):
    asks, *rest = HONEST.partition("\n")
    helper = "import nltk\nfrom Steps import last\ndef plain(symbols):\n    return tuple(symbols)\n"
    code = "".join(rest).replace("return tuple(", "return my_helper.plain(")
    code = code.replace("done[-1], symbol", "last(done), symbol")
    cells = [asks, "import my_helper\nfrom my_helper import last, nltk\nimport json", code]
    for name, text in {
        "01.ipynb": notebook(*cells),
        "my_helper.py": helper,
        "Steps.py": "def last(items):\n    return items[-1]\n",
        "json.py": "1 / 0",
        "broken.py": "print 1",
    }.items():
        (tmp_path / "Ada" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "Ada" / name).write_text(text)
    (tmp_path / "Bo").mkdir()
    (tmp_path / "Bo" / "01.ipynb").write_text(notebook(*cells))
    ada, bo = grade_class([str(tmp_path)], "-").rows
    assert (ada["points"], ada["what was wrong"]) == (2, "")
    assert "no module my_helper here" in bo["what was wrong"]  # it is Ada's


@needs_a_box
def test_a_program_without_the_functions_that_are_asked_for_says_which(tmp_path):
    code = "def countPairs(word):\n    return {}\ndef merge(word, pair):\n    return word\n"
    (tmp_path / "my_bpe.py").write_text(code)
    (row,) = grade_class([str(tmp_path)], "-").rows
    assert row["not run"] == "my_bpe.py: no function count_pairs or learn or encode in it"


@needs_a_box
def test_an_earlier_copy_is_named(tmp_path):
    for name in ("my_bpe.py", "my_bpe (1).py"):
        (tmp_path / "Ada" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "Ada" / name).write_text("def merge(word, pair):\n    return word\n")
    (row,) = grade_class([str(tmp_path)], "-").rows
    assert "Ada/my_bpe.py: a later one takes its place" in row["not run"]


# The table.


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=t", "'=t"),
        ("a;=1+1", "a;'=1+1"),
        ("a; +1|-1", "a; '+1|'-1"),
        ("＝1", "'＝1"),
        ('"=1"', '"\'=1"'),
        ("Zoë", "Zoë"),
        ("a-b=c", "a-b=c"),
        ("x\x1b[2J\r\ny\tz", r"x\x1b[2J\r y z"),
        (" @x", " '@x"),
    ],
)
def test_a_spreadsheet_computes_no_cell_whatever_separates_them(text, cell):
    content = as_csv(["text"], [{"text": text}], for_spreadsheets=True)
    assert content.startswith(b"\xef\xbb\xbf")
    (row,) = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
    assert row["text"] == cell
    for separator in ",;\t|":
        for line in csv.reader(io.StringIO(content.decode("utf-8-sig")), delimiter=separator):
            for part in line:
                assert not part.lstrip(" \"'") or part.lstrip(' "')[0] not in "=+-@＝"


def test_count_writes_no_formula_either(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("=1+1", "a;=1+1"):
        Path(name).write_text("low low", "utf-8")
    assert main(["train", "=1+1", "--merges", "2", "-o", "tok.json"]) == 0
    assert main(["count", "=1+1", "a;=1+1", "-t", "tok.json", "--csv", "out.csv"]) == 0
    with open("out.csv", encoding="utf-8", newline="") as file:
        assert [row["text"] for row in csv.DictReader(file)] == ["'=1+1", "a;'=1+1"]
    assert main(["curve", "=1+1", "--merges", "2", "--csv", "curve.csv"]) == 0
    with open("curve.csv", encoding="utf-8", newline="") as file:
        assert {row["text"] for row in csv.DictReader(file)} == {"'=1+1"}
    capsys.readouterr()


@needs_a_box
def test_nothing_that_lies_in_the_folder_of_the_class_is_imported(tmp_path):
    folder = tmp_path / "class"
    (folder / "Ada").mkdir(parents=True)
    (folder / "Ada" / "01.ipynb").write_text(notebook(HONEST), "utf-8")
    for name in ("regex", "numpy", "json"):
        (folder / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n", "utf-8")
    command = [sys.executable, "-m", "bpe_further", "grade", ".", "-o", tmp_path / "grades.csv"]
    places = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, cwd=folder, timeout=600, env=places)
    assert done.returncode == 0, done.stderr
    assert not (tmp_path / "ran").exists()


def test_a_folder_that_is_not_there_is_an_error(tmp_path, capsys):
    assert main(["grade", str(tmp_path / "clas"), "-o", str(tmp_path / "grades.csv")]) == 1
    assert "no such file or folder" in capsys.readouterr().err


@needs_a_box
def test_two_notebooks_in_one_are_graded_and_a_timed_check_is_one(tmp_path):
    other = "from bpe_teach.exercises import word_boundaries as ask\n"
    cells = [f"{HONEST}\n", "%time ask.merge.check(merge)", other + "ask.low_counts.check(1)"]
    (tmp_path / "Ada").mkdir()
    (tmp_path / "Ada" / "both.ipynb").write_text(notebook(*cells), "utf-8")
    found, _ = graded_by_a_command(tmp_path, tmp_path.parent / "grades.csv", "")
    (row,) = found.values()
    assert row["01_merge"] == "1"
    assert int(row["of"]) > 12
