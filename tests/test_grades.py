"""What learners hand in: archives in archives, hostile ones, and a row of points for each file."""

import json

import pandas as pd
import pytest
from common import archive, rows, sections

from bpe_further.classroom import handed_in
from bpe_further.classroom.grades import grade
from bpe_further.classroom.handed_in import Handed, find_handed
from bpe_further.shell.commands import main
from bpe_teach.exercises import char_bpe

COUNTS = "# 01 count_pairs, mine:\n" + char_bpe.count_pairs.source() + "\n"
SLIP = "# 01 merge, mine:\ndef merge(word, pair):\n    return word\n"
ENDLESS = "\n\ndef learn(text, num_merges):\n    while True:\n        pass\n"
IMPORT = "from itertools import pairwise\n\n\n"


def notebook(*sources):
    """Return a notebook of 01 with these cells of code."""
    setup = "if colab:\n    %pip install x\nfrom itertools import pairwise\n"
    setup += "from bpe_teach.exercises import char_bpe as ask"
    cells = [{"cell_type": "code", "source": source} for source in (setup, *sources)]
    return Handed("01.ipynb", json.dumps({"cells": cells}).encode())


def test_a_program_gets_a_point_for_each_function_of_the_learner_that_is_right():
    row = grade(Handed("=my_bpe.py", (IMPORT + COUNTS + "\n\n" + SLIP + ENDLESS).encode()))
    assert (row["file"], row["points"], row["of"]) == ("'=my_bpe.py", 1, 4)  # no formula
    assert all(grade(Handed(f"{sign}.py", b""))["file"].startswith("'") for sign in "+-@\t")
    assert (row["count_pairs"], row["merge"], row["learn"], row["encode"]) == (1, 0, 0, None)
    assert "merge: merge(('l', 'o', 'w'), ('l', 'o')) gives" in row["what was wrong"]
    assert "learn: " in row["what was wrong"] and "come to an end" in row["what was wrong"]
    assert row["not run"] == ""
    lent = COUNTS.replace("mine", "the course's")
    assert grade(Handed("my_bpe.py", (IMPORT + lent).encode()))["points"] == 0


def test_a_function_loses_no_point_for_another_one_that_it_calls():
    (encode,) = [code for *asked, code in sections("handed_in.md") if asked == ["encode", "right"]]
    text = f"{SLIP}\n\n# 01 encode, mine:\n{encode}"
    row = grade(Handed("my_bpe.py", text.encode()))
    assert (row["merge"], row["encode"]) == (0, 1)


def test_a_notebook_gets_points_for_its_answers_and_no_other_cell_is_run(tmp_path):
    there = tmp_path / "there"
    row = grade(
        notebook(
            f"open({str(there)!r}, 'w')",
            "for (",  # a cell that can't be read
            "name = 'encode'",
            "def mine(word):\n    return __import__('collections').Counter(pairwise(word))",
            "ask.count_pairs.check(mine)",
            "ask.pairs_in_text.check(2)",
            "ask.aaaa.check(3, 2)",
            "ask.symbols_left.check(...)",
            "ask.second_merge.check(quit())",
        )
    )
    assert not there.exists()
    assert (row["count_pairs"], row["pairs_in_text"], row["aaaa"]) == (1, 0, 1)
    assert row["symbols_left"] is None
    assert "pairs_in_text: 2 – overlapping" in row["what was wrong"]
    assert row["not run"].startswith("second_merge: ")
    assert row["points"] == 2


@pytest.mark.parametrize(("name", "content"), rows("handed_in/unreadable"))
def test_what_cannot_be_graded_has_a_row_that_says_why(name, content):
    row = grade(Handed(name, content))
    assert row["of"] == row["points"] == 0
    assert row["not run"]


def test_archives_in_archives_are_read_and_each_file_has_a_row(tmp_path):
    inner = archive({"course/my_bpe.py": IMPORT + COUNTS, "__MACOSX/._my_bpe.py": "x"})
    (tmp_path / "all.zip").write_bytes(
        archive({"Ada_1_file_/inner.zip": inner, "Bo/my_bpe.py": SLIP})
    )
    assert main(["grade", str(tmp_path), "-o", str(tmp_path / "grades.csv")]) == 0
    table = pd.read_csv(tmp_path / "grades.csv")
    assert table.file.tolist() == [
        "all.zip/Ada_1_file_/inner.zip/course/my_bpe.py",
        "all.zip/Bo/my_bpe.py",
    ]
    assert table.points.tolist() == [1, 0]
    assert len(list(find_handed([str(tmp_path)], str(tmp_path / "grades.csv")))) == 2


def test_bombs_links_and_names_that_lead_elsewhere_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(handed_in, "MOST_BYTES", [1000, 100, 10])
    files = {
        "bomb.zip": archive({"big.py": "#" * 1001}),
        "nested.zip": archive({"in.zip": archive({"big.py": "#" * 101}), "small.py": "1"}),
        "russian.zip": archive({"1.zip": archive({"2.zip": archive({"3.zip": archive({})})})}),
        "slip.zip": archive({"../../evil.py": "x"}),
        "broken.zip": archive({"a.py": "x"})[:-9],
    }
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "link.py").symlink_to("/etc/hostname")
    found = list(find_handed([str(tmp_path)], "-"))
    assert [file.name for file in found if not file.fault] == ["nested.zip/small.py"]
    assert len(found) == 7
    assert {path.name for path in tmp_path.iterdir()} == {*files, "link.py"}
