"""What a learner's file may hold, and the page that `bpe-teach class` makes of many."""

import csv
import hashlib
import io
import json
import pickle
import re
from html import escape
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from common import ROOT, rows
from pandas import DataFrame

from bpe_further.classroom.class_report import _plot_gains
from bpe_further.classroom.handed_in import Handed
from bpe_further.classroom.records import read_class
from bpe_further.classroom.responses import read_export
from bpe_further.exercises.concept_inventory import FORMS, score
from bpe_further.shell.commands import main
from bpe_teach.exercises import FULL_NAMES, MOVED, char_bpe, record
from bpe_teach.exercises.exercise import LOG
from bpe_teach.exercises.record import (
    FORMAT,
    KEYS,
    find_exercise,
    hash_of,
    list_verdicts,
    read_record,
)

SECRET = "three green herons"
CONTENT = {
    "format": FORMAT,
    "version": "0.2.0",
    "session": "0" * 16,
    "learner": "1" * 32,
    "verdicts": [["char_bpe.merge", "wrong", ""], ["char_bpe.merge", "right", ""]],
    "before": {"form": "A", "answers": {"1": "a"}},
}


@pytest.fixture(autouse=True)
def session(tmp_path, monkeypatch):
    """Return an empty folder, the current one, and begin a session in which nothing was asked."""
    monkeypatch.chdir(tmp_path)
    LOG.clear()
    record.ANSWERS.clear()
    record.WRITTEN.clear()
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
    assert found["verdicts"] == [
        ["char_bpe.count_pairs", "wrong", "count_as_sets"],
        ["char_bpe.count_pairs", "wrong", ""],
        ["char_bpe.longest_symbol", "wrong", ""],
        ["char_bpe.longest_symbol", "wrong", "10"],
        ["char_bpe.longest_symbol", "right", ""],
    ]
    assert found["before"] == {"form": "A", "answers": {"1": "a"}}
    assert found["after"] == {"form": "B", "answers": {"1": "a"}}
    for private in ("name", "Ada", *SECRET.split(), str(session), Path.home().name):
        assert private not in text.replace("count_pairs", "")
    assert path.name in capsys.readouterr().out


def test_the_code_word_is_salted_and_hashed():
    hashed = hash_of(SECRET)
    assert re.fullmatch("[0-9a-f]{32}", hashed)
    assert hash_of(f" {SECRET.upper()} ") == hashed and hash_of("FÜSSE") == hash_of("Füße")
    assert len({hashed, hash_of(SECRET, "room 12"), hash_of("three grey herons")}) == 3
    for name in ("md5", "blake2s"):  # nor can a table of plain hashes have it
        assert hashlib.new(name, SECRET.encode()).hexdigest()[:32] != hashed
    for bad in ("", "abc", "  a  ", None, 1234):
        with pytest.raises(ValueError, match="code word"):
            char_bpe.record(bad)


def test_every_module_of_a_notebook_can_record():
    folder = ROOT / "notebooks"
    pattern = re.compile(r"from bpe_teach\.exercises import (\w+)")
    for notebook in folder.rglob("[0-9]*.ipynb"):
        for name in pattern.findall(notebook.read_text("utf-8")):
            module = import_module(FULL_NAMES[name])
            assert module.record is record.record, name


def test_looking_at_solutions_and_taking_names_apart_is_no_answer_of_the_learner():
    char_bpe.count_bug.solution()
    assert list_verdicts() == []
    char_bpe.count_bug.check(*char_bpe.count_bug.smallest)
    assert list_verdicts() == [["char_bpe.count_bug", "right", ""]]


@pytest.mark.parametrize("change", rows("record/changes"))
def test_what_record_would_not_write_is_refused_when_it_is_read(change):
    read_record(json.dumps(CONTENT).encode())
    with pytest.raises(ValueError):
        read_record(json.dumps(CONTENT | change).encode())


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff", b"[" * 100_000, pickle.dumps([])])
def test_what_is_no_record_is_refused(content):
    with pytest.raises(ValueError, match="ask.record"):
        read_record(content)


def test_learners_who_share_a_session_leave_a_record_each_and_none_holds_anothers_answers(session):
    for learner, letter in enumerate("abc"):
        score({1: letter}, "A", "before")
        char_bpe.longest_symbol.check(learner)
        char_bpe.record(f"learner {learner}")
    score({2: "d"}, "B", "after")
    char_bpe.longest_symbol.check(2)  # as before
    char_bpe.record("learner 2")  # adds to the file
    contents = [path.read_bytes() for path in records(session)]
    found = {one["learner"]: one for one in map(read_record, contents)}
    assert [found[hash_of(f"learner {n}")]["before"]["answers"]["1"] for n in range(3)] == [*"abc"]
    assert [len(one["verdicts"]) for one in found.values()] == [1, 1, 1]
    assert found[hash_of("learner 2")]["after"] == {"form": "B", "answers": {"2": "d"}}
    with pytest.raises(ValueError, match="mistyped"):
        char_bpe.record("nothing new")
    assert len(records(session)) == 3


def handed(*contents):
    """Hand in records, or whatever else is given."""
    return [
        Handed("a name", one if isinstance(one, bytes) else json.dumps(one).encode())
        for one in contents
    ]


def test_a_class_is_read_once_each_and_sheets_that_differ_are_left_out():
    given = rows("record/handed_in")
    files = [one if isinstance(one, bytes) else CONTENT | one for one in given]
    found = read_class(handed(*files))
    assert found.answers.learner.unique().tolist() == ["4" * 32]
    assert found.answers.answer[:3].tolist() == ["a", "b", ""]  # the fuller sheet
    assert found.verdicts.session.value_counts().tolist() == [4, 2, 2]
    assert list(found.faults) == [1, 5, 9]
    assert found.notes == rows("record/notes")
    for files in ([], handed(b"", b"{}")):
        with pytest.raises(ValueError, match="none of"):
            read_class(files)


def test_a_sheet_that_names_another_form_is_another_sheet():
    other = {"session": "2" * 16, "before": CONTENT["before"] | {"form": "B"}}
    found = read_class(handed(CONTENT, CONTENT | other))
    assert "1 learners have sheets before that contradict each other: left out." in found.notes


HEADS = ["Last name", "First name", "Email address", "Status", "Grade/12.00", "Response 1"]


def export(*rows, heads=HEADS):
    """Write what a platform exports: a row for each attempt, with the texts that were chosen."""
    file = io.StringIO()
    csv.writer(file).writerows([heads, *rows, ["Overall average", "", "", "", "7.0"]])
    return ("\ufeff" + file.getvalue()).encode()


def test_the_export_of_a_platform_counts_beside_records_and_who_answered_is_hashed():
    said = {form: asked[1].choices for form, asked in FORMS.items()}
    ada = ["Lovelace", "Ada", "ada@example.org", "Finished", "1.00"]
    before = Handed("quiz before.csv", export([*ada, said["B"]["a"]], ["no", "attempt", "x@y"]))
    heads = [*HEADS, "Response 2"]
    after = export([*ada, "-", f"{FORMS['A'][2].choices['c']}\n"], heads=heads)
    kept = CONTENT | {"learner": hash_of("ada@example.org", "room 12"), "verdicts": []}
    kept["before"] = {"form": "B", "answers": {"1": "a", "2": "b"}}  # in a notebook, too
    files = [before, Handed("quiz AFTER.csv", after), *handed(kept)]
    found = read_class(files, "", "room 12")
    sheets = found.answers[found.answers.answer != ""]
    rows = sheets[["when", "form", "question", "answer"]].values.tolist()
    assert rows == [["before", "B", 1, "a"], ["before", "B", 2, "b"], ["after", "A", 2, "c"]]
    assert set(sheets.learner) == {kept["learner"]}
    assert found.faults == {}


@pytest.mark.parametrize(
    ("name", "content", "column", "fault"), rows("record/responses", globals())
)
def test_what_a_platform_does_not_export_like_this_is_left_out_and_said(
    name, content, column, fault
):
    with pytest.raises(ValueError, match=fault):
        read_class([Handed(name, content)], column)


def test_an_export_that_names_choices_as_the_package_of_qti_does_is_read():
    heads = ["Test taker ID", "A01-RESPONSE", "A01-SCORE", "A12-RESPONSE", "B02-RESPONSE"]
    content = export(["Ada", "c", "1", "a", ""], heads=heads)
    found = read_export("after.csv", content)
    assert [(form, answers) for _, form, answers in found.rows] == [("A", {"1": "c", "12": "a"})]


def test_right_answers_in_an_export_are_nobodys_and_refused_where_no_heading_tells_them():
    right, wrong = (FORMS["A"][1].choices[letter] for letter in "ba")
    content = export(["", "", "me", "", "", wrong, right], heads=[*HEADS, "Right answer 1"])
    (row,) = read_export("before.csv", content).rows
    assert row[1:] == ("A", {"1": "a"})
    unknown = [*HEADS[:-1], "given", "key"]
    with pytest.raises(ValueError, match="without the right answers"):
        read_export("before.csv", export(["", "", "me", "", "", wrong, right], heads=unknown))


def test_the_page_of_a_small_class_loads_nothing_and_says_not_to_pass_it_on(session):
    sheets = {"before": {"form": "A", "answers": {}}, "after": {"form": "B", "answers": {}}}
    for learner in range(5):
        answers = {str(n): "abcd"[(n + learner) % 4] for n in FORMS["A"]}
        marked = {when: sheet | {"answers": answers} for when, sheet in sheets.items()}
        marked |= {"session": f"{learner:016x}", "learner": f"{learner:032x}"}
        Path(f"{learner}.json").write_text(json.dumps(CONTENT | marked), "utf-8")
    assert main(["class", ".", "-o", "report.html"]) == 0
    page = Path("report.html").read_text("utf-8")
    assert "Totals, to pass on" not in page
    assert "pass these numbers on" in page
    assert not re.search(r"(src|href)=\"(?!data:)", page)
    assert page.count("<img") == 1
    rows = re.findall(r"<th>([AB]\d+)</th>\s*<td>(\w+)", page)
    assert rows == [(f"A{n}", "before") for n in FORMS["A"]] + [
        (f"B{n}", "after") for n in FORMS["B"]
    ]
    assert escape(FORMS["B"][12].ask, quote=False) in page


def test_a_figure_of_gains_goes_from_0_to_1_and_shows_the_intervals():
    gains = DataFrame({"gain": [0.4, 1.0], "low": [-np.inf, 0.5], "high": [0.7, 1.0]}, ["a", "b"])
    ax = _plot_gains(gains)
    assert ax.get_xlim() == pytest.approx((-0.02, 1.02))
    assert [line[:, 0].tolist() for line in ax.collections[-1].get_segments()] == [
        [0, 0.7],
        [0.5, 1],
    ]
    assert [text.get_text() for text in ax.texts] == ["no lower end"]
    gains.gain, gains.low = -0.3, [-0.3, -0.75]
    ax = _plot_gains(gains)
    assert ax.get_xlim()[0] < -0.3
    assert [text.get_text() for text in ax.texts] == ["from -0.75"]


@pytest.mark.parametrize("verdicts", [CONTENT["verdicts"], [["char_bpe.merge", "right", 0]], []])
def test_a_page_is_made_of_whatever_there_is(session, verdicts):
    Path("one.json").write_text(json.dumps(CONTENT | {"verdicts": verdicts}), "utf-8")
    content = {key: value for key, value in CONTENT.items() if key != "before"}
    Path("two.json").write_text(json.dumps(content), "utf-8")
    for name in ("one.json", "two.json"):
        assert main(["class", name, "-o", "report.html"]) == 0
        assert "What this does not say" in Path("report.html").read_text("utf-8")


def test_what_a_file_says_is_escaped_and_what_is_no_exercise_is_left_out(session):
    content = CONTENT | {
        "verdicts": [["os.system", "right", 0], ["char_bpe.merge", "wrong", "<b>"]]
    }
    Path("<b>.json").write_text(json.dumps(content), "utf-8")
    assert main(["class", "<b>.json", "-o", "report.html"]) == 0
    page = Path("report.html").read_text("utf-8")
    assert "os.system" not in page
    assert "<b>" not in page.replace("<b>.json", "")


def test_a_slip_of_an_older_record_has_a_number_and_means_the_same_today():
    """Numbers are those of the time when records had them, whatever was added since."""
    old = CONTENT | {"format": "bpe_teach record 1"}
    old["verdicts"] = [["char_bpe.count_pairs", "wrong", 2], ["char_bpe.merge", "wrong", 99]]
    verdicts = read_class(handed(old)).verdicts
    assert verdicts.slip.tolist() == ["count_every_second", ""]
    new = CONTENT | {"session": "7" * 16, "learner": "8" * 32}
    new["verdicts"] = [["char_bpe.count_pairs", "wrong", "count_every_second"]]
    slips = read_class(handed(old, new)).verdicts.slip
    assert (slips == "count_every_second").sum() == 2


def test_an_exercise_that_went_to_another_page_is_found_by_its_old_name():
    import_module("bpe_further.exercises")  # which names those of the further notebooks
    assert set(MOVED) >= {"compression.last_premium", "real_tokenizers.odd_merges"}
    for old, new in MOVED.items():
        page, _, name = old.partition(".")
        new_page, _, new_name = new.partition(".")
        moved = getattr(import_module(FULL_NAMES[new_page]), new_name)
        assert find_exercise(old) is find_exercise(new) is moved
        assert getattr(import_module(FULL_NAMES[page]), name) is moved  # in a copy of a notebook
    with pytest.raises(AttributeError, match="has no attribute 'first_premium'"):
        import_module(FULL_NAMES["compression"]).first_premium  # noqa: B018


def test_what_is_recorded_under_an_old_name_counts_with_what_is_recorded_now():
    names = {"compression.last_premium": "0" * 16, "language_price.last_premium": "2" * 16}
    contents = [
        CONTENT | {"verdicts": [[name, "wrong", 1]], "session": number}
        for name, number in names.items()
    ]
    found = read_class(handed(*contents)).verdicts
    assert found.exercise.tolist() == 2 * ["language_price.last_premium"]
