"""What a learner's file may hold, and the page that `bpe-teach class` makes of many."""

import hashlib
import json
import pickle
import re
import secrets
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from test_learning import draw_class

from bpe_teach.exercises import char_bpe, record
from bpe_teach.exercises.concept_inventory import FORMS, score
from bpe_teach.exercises.exercise import LOG
from bpe_teach.exercises.record import FORMAT, KEYS, hash_of, list_verdicts, read_record
from bpe_teach.shell.class_records import read_class
from bpe_teach.shell.commands import main

SECRET = "three green herons"
CONTENT = {
    "format": FORMAT,
    "version": "0.2.0",
    "session": "0" * 16,
    "learner": "1" * 32,
    "verdicts": [["char_bpe.merge", "wrong", 2], ["char_bpe.merge", "right", 0]],
    "before": {"form": "A", "answers": {"1": "a"}},
}


@pytest.fixture(autouse=True)
def session(tmp_path, monkeypatch):
    """Return an empty folder, the current one, and begin a session in which nothing was asked."""
    monkeypatch.chdir(tmp_path)
    LOG.clear()
    record.ANSWERS.clear()
    return tmp_path


def records(folder):
    return list(folder.glob("bpe_teach_record_*.json"))


def test_nothing_is_written_before_it_is_asked_for_and_then_only_what_the_list_of_keys_says(
    session, capsys
):
    char_bpe.count_pairs.check(char_bpe._count_as_sets)
    char_bpe.count_pairs.check(lambda word: f"my name is {word}")
    char_bpe.count_pairs.check(char_bpe.solve_count_pairs)  # the course's own, lent by use
    char_bpe.count_pairs.check(...)
    char_bpe.longest_symbol.check("Ada Lovelace")
    char_bpe.longest_symbol.check(10)
    char_bpe.longest_symbol.check(10)
    char_bpe.longest_symbol.check(32)
    score({1: "a", 2: ...}, "A", "before")
    score({1: "a"}, "B", "after")
    score({3: "a"}, "B")  # to look only
    assert list(session.iterdir()) == []
    char_bpe.record(SECRET)
    char_bpe.record(SECRET)  # again: the same file
    (path,) = records(session)
    text = path.read_text("utf-8")
    found = read_record(text.encode())
    assert list(found) == KEYS
    assert found["learner"] == hash_of(SECRET)
    slips = [slip for slip, _ in char_bpe.count_pairs.slips]
    assert found["verdicts"] == [
        ["char_bpe.count_pairs", "wrong", 1 + slips.index(char_bpe._count_as_sets)],
        ["char_bpe.count_pairs", "wrong", 0],
        ["char_bpe.longest_symbol", "wrong", 0],
        ["char_bpe.longest_symbol", "wrong", 1],
        ["char_bpe.longest_symbol", "right", 0],
    ]
    assert found["before"] == {"form": "A", "answers": {"1": "a"}}
    assert found["after"] == {"form": "B", "answers": {"1": "a"}}
    for private in ("name", "Ada", *SECRET.split(), str(session), Path.home().name):
        assert private not in text.replace("count_pairs", "")
    assert path.name in capsys.readouterr().out


def test_the_code_word_is_salted_and_hashed():
    hashed = hash_of(SECRET)
    assert re.fullmatch("[0-9a-f]{32}", hashed)
    assert hash_of(f" {SECRET.upper()} ") == hashed
    assert len({hashed, hash_of(SECRET, "room 12"), hash_of("three grey herons")}) == 3
    for name in ("md5", "blake2s"):  # nor can a table of plain hashes have it
        assert hashlib.new(name, SECRET.encode()).hexdigest()[:32] != hashed
    for bad in ("", "abc", "  a  ", None, 1234):
        with pytest.raises(ValueError, match="code word"):
            char_bpe.record(bad)


def test_every_module_of_a_notebook_can_record():
    folder = Path(char_bpe.__file__).parents[2] / "notebooks"
    pattern = re.compile(r"from bpe_teach\.exercises import (\w+)")
    for notebook in folder.rglob("[0-9]*.ipynb"):
        for name in pattern.findall(notebook.read_text("utf-8")):
            module = import_module(f"bpe_teach.exercises.{name}")
            assert module.record is record.record, name


def test_looking_at_solutions_and_taking_names_apart_is_no_answer_of_the_learner():
    char_bpe.count_bug.solution()
    assert list_verdicts() == []
    char_bpe.count_bug.check(*char_bpe.count_bug.smallest)
    assert list_verdicts() == [["char_bpe.count_bug", "right", 0]]


@pytest.mark.parametrize(
    "change",
    [
        {"format": "another"},
        {"name": "Ada"},
        {"session": "../up"},
        {"learner": 7},
        {"verdicts": [["<script>", "right", 0]]},
        {"verdicts": [["a.b", "open", 0]]},
        {"verdicts": [["a.b", "right", True]]},
        {"verdicts": "none"},
        {"before": {"form": "C", "answers": {}}},
        {"after": {"form": "A", "answers": {"13": "a"}}},
        {"after": {"form": "A", "answers": {"1": "<b>"}}},
        {"after": {"form": "A", "answers": {"1": ["a"]}, "name": "Ada"}},
    ],
)
def test_what_record_would_not_write_is_refused_when_it_is_read(change):
    read_record(json.dumps(CONTENT).encode())
    with pytest.raises(ValueError):
        read_record(json.dumps(CONTENT | change).encode())


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b"[" * 100_000, pickle.dumps([])])
def test_what_is_no_record_is_refused(content):
    with pytest.raises(ValueError, match="ask.record"):
        read_record(content)


def test_a_class_is_read_once_each_and_sheets_that_differ_are_left_out():
    other = {"session": "2" * 16, "before": {"form": "A", "answers": {"1": "b"}}}
    files = {
        "one": CONTENT,
        "copy": CONTENT,
        "other": CONTENT | other,
        "third": CONTENT | {"session": "3" * 16, "learner": "4" * 32},
    }
    contents = {name: json.dumps(content).encode() for name, content in files.items()}
    answers, verdicts, notes = read_class(contents)
    assert answers.learner.unique().tolist() == ["4" * 32]
    assert verdicts.session.nunique() == 3
    assert len(notes) == 2
    with pytest.raises(ValueError, match="fourth: "):
        read_class(contents | {"fourth": b"{}"})


def simulate(folder, size):
    """Write the records of a class that was drawn by lot; return their names."""
    chance = np.random.default_rng(size)
    sheets = dict(zip(("before", "after"), draw_class(size, 1.0, size), strict=True))
    names = []
    for learner in range(size):
        content = CONTENT | {"session": secrets.token_hex(8), "learner": f"{learner:032x}"}
        slip = int(chance.integers(1, 4))
        content["verdicts"] = [["char_bpe.merge", "wrong", slip]]
        content["verdicts"] += [["char_bpe.merge", "right", 0]] * (learner % 2)
        for (when, sheet), form in zip(sheets.items(), "AB", strict=True):
            answers = {}
            for number, question in FORMS[form].items():
                wrong = question.slips[chance.integers(3)][0]
                answers[str(number)] = question.right if sheet[learner, number - 1] else wrong
            content[when] = {"form": form, "answers": answers}
        names.append(f"{learner}.json")
        Path(folder, names[-1]).write_text(json.dumps(content), "utf-8")
    return names


@pytest.mark.slow
@pytest.mark.parametrize("size", [5, 30, 300])
def test_the_page_of_a_class_loads_nothing_and_has_no_row_for_a_learner(session, size, capsys):
    names = simulate(session, size)
    assert main(["class", *names, "-o", "report.html"]) == 0
    assert f"{size} learners, from {size} files" in capsys.readouterr().out
    page = Path("report.html").read_text("utf-8")
    assert f"{size} learners have both sheets" in page
    assert ("Totals, to pass on" in page) == (size >= 10)
    assert not re.search(r"(src|href)=\"(?!data:)", page)
    assert page.count("<img") == 2
    assert f"{size - 1:032x}" not in page


@pytest.mark.parametrize("verdicts", [CONTENT["verdicts"], [["char_bpe.merge", "right", 0]], []])
def test_a_page_is_made_of_whatever_there_is(session, verdicts):
    Path("one.json").write_text(json.dumps(CONTENT | {"verdicts": verdicts}), "utf-8")
    content = {key: value for key, value in CONTENT.items() if key != "before"}
    Path("two.json").write_text(json.dumps(content), "utf-8")
    for name in ("one.json", "two.json"):
        assert main(["class", name, "-o", "report.html"]) == 0
        assert "What this does not say" in Path("report.html").read_text("utf-8")


def test_what_a_file_says_is_escaped_and_what_is_no_exercise_is_left_out(session):
    content = CONTENT | {"verdicts": [["os.system", "right", 0], ["char_bpe.merge", "wrong", 99]]}
    Path("<b>.json").write_text(json.dumps(content), "utf-8")
    assert main(["class", "<b>.json", "<b>.json", "-o", "report.html"]) == 0
    page = Path("report.html").read_text("utf-8")
    assert "os.system" not in page
    assert "merge 99" in page
