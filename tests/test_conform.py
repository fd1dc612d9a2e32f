"""The conformance kit: its cases are right, it finds slips, and no program can stop it."""

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from contextlib import suppress
from functools import cache
from pathlib import Path
from textwrap import indent
from types import SimpleNamespace

import pytest
from common import ALL_EXAMPLES, ROOT, rows, sections, some_of
from hypothesis import settings

from bpe_further.conform import program, slips, use
from bpe_further.conform.cases import GROUPS, USED, Case, hash_of_cases, load_cases
from bpe_further.conform.judge import judge
from bpe_further.conform.program import run_cases
from bpe_further.conform.results import Report, to_json
from bpe_further.conform.run import examine
from bpe_further.conform.slips import CONVENTIONS
from bpe_further.conform.tokens import make_vocab, pair_tokens
from bpe_further.exchange.openai import from_gpt2
from bpe_further.exercises.whole_programs import PAGE, SLIPS, answer
from bpe_further.shell.commands import main
from bpe_teach.exercises.program import program as learners_program

FOLDER = ROOT / "data" / "conformance"
EXAMPLES = FOLDER / "examples"
CASES = load_cases()
NAMED = {case.name: case for case in CASES}
FIRST = load_cases(["encode_word"])[0].name


def ask_all(*command, groups=(), **options) -> list[Report]:
    return examine([str(part) for part in command], groups, **options)


def ask(*command, **options) -> Report:
    (report,) = ask_all(*command, **options)
    return report


def failing(report: Report) -> set[str]:
    results = [result for group in report.groups.values() for result in group]
    return {result.case.name for result in results if result.result not in ("passed", "skipped")}


@pytest.fixture
def some_texts(monkeypatch):
    """Ask about fewer texts, and try slips on fewer cases, as there are fewer examples."""
    for module, name in ((use, "TEXTS"), (slips, "MOST")):
        number = getattr(module, name) * settings.default.max_examples // ALL_EXAMPLES
        monkeypatch.setattr(module, name, number)


@pytest.fixture
def ask_file(tmp_path):
    """Return a function that writes a file of Python and asks it."""

    def ask_it(source, **options):
        path = tmp_path / "mine.py"
        path.write_text(source, "utf-8")
        return ask(path, **options)

    return ask_it


# The cases.


def test_cases_are_many_small_and_named():
    assert len(NAMED) == len(CASES) >= 60
    assert sum(path.stat().st_size for path in FOLDER.glob("*.json")) < 400_000
    assert {path.stem for path in FOLDER.glob("*.json")} == {*GROUPS, *USED}
    assert all(case.about for case in CASES)
    for page, noun in rows("conform/pages"):
        (told,) = re.findall(rf"[Mm]ore than (\d+) {noun}", (ROOT / page).read_text("utf-8"))
        assert int(told) < len(CASES)
    with pytest.raises(ValueError, match="there is no group 'trian'; choose one of train_words, "):
        load_cases(["trian"])


@pytest.mark.parametrize("merges", [{}, "", None, [[97]], [[97, 98, 99]]])
def test_what_is_no_list_of_pairs_is_wrong_where_ties_are_free(merges):
    for name in ("low-low-lower-any", "empty-text-any"):
        assert judge(NAMED[name], {"merges": merges}) == "failed"
    assert judge(NAMED["empty-text-any"], {"merges": []}) == "passed"


@pytest.mark.parametrize("group", GROUPS)
def test_an_answer_is_that_of_the_program_in_which_slips_are_planted(group):
    for case in load_cases([group]):
        by_first = {"ties": "first"} if case.request.get("ties") == "any" else {}
        judged = judge(case, answer(case.request | by_first))
        assert judged == "passed" or "error" in case.answer, case


def test_gpt2_cuts_these_words_so_with_all_its_merges(corpus):
    for name in ("gpt2_merges", "gpt2_vocab"):
        corpus(name)  # or skip
    whole = from_gpt2()
    published_pairs = {merge.pair: rank for rank, merge in enumerate(whole.merges)}
    for case in load_cases(["gpt2"]):
        chosen = [published_pairs[pair] for pair in pair_tokens(case.request["merges"])]
        assert chosen == sorted(chosen)
        vocab = make_vocab(case.request["merges"], {})
        tokens = [vocab[i] for i in case.answer["ids"]]
        assert tokens == whole.tokens(case.request["text"])


# Libraries, examples.


@pytest.mark.parametrize(
    ("library", "at_least", "faults"),
    [("tokenizers", 60, {"decode-unknown", "decode-one-too-high"}), ("tiktoken", 58, set())],
)
def test_a_library_passes_where_it_does_the_same(library, at_least, faults, some_texts):
    """tokenizers leaves out ids that do not exist, and says nothing."""
    pytest.importorskip(library)
    report = ask(sys.executable, EXAMPLES / "library.py", library)
    assert report.count("passed") >= at_least
    assert report.count("passed", "whole") > use.TEXTS
    assert failing(report) == faults


def test_the_example_in_python_passes_all_as_a_program_and_by_its_names(some_texts):
    for command in ([sys.executable, EXAMPLES / "bpe.py"], [EXAMPLES / "bpe.py"]):
        report = ask(*command)
        assert report.is_good and report.count("skipped", "whole") == 0
        assert report.count("passed") >= len(CASES)


BUILT = {tool: built for tool, *built in rows("conform/built", globals())}


@pytest.mark.parametrize(
    "tool", ["node", "cc", "go", pytest.param("rustc", marks=pytest.mark.slow)]
)
def test_the_example_in_another_language_passes_what_it_is_asked(tool, tmp_path, some_texts, says):
    if shutil.which(tool) is None:
        pytest.skip(f"there is no {tool}")
    arguments, options = BUILT[tool]
    command = [tool, *arguments]
    if tool != "node":
        ours = {"GOCACHE": str(tmp_path / "cache"), "GOFLAGS": "-mod=mod"}
        subprocess.run(command, cwd=tmp_path, env=os.environ | ours, check=True)
        command = [tmp_path / "bpe"]
    report = ask(*command, **options)
    assert report.is_good
    assert report.count("passed", "decode") == len(load_cases(["decode"]))
    if tool == "rustc":  # what needs Unicode's classes is skipped
        skipped = [one.case for one in report.results if "skip" in one.got]
        assert {case.group for case in skipped if case.request.get("split") != "gpt2"} <= {
            "stream",
            "whole",
        }
    else:
        assert report.count("passed", "whole") > use.TEXTS
    if tool == "node":
        assert report.count("skipped") == 0
        assert report.count("passed", "use") > 200
    says("in any programming language")


PLANTS = tomllib.loads((ROOT / "tests" / "plants.toml").read_text("utf-8"))
FAULTS = PLANTS["slips"]  # slip -> the changes that plant it in the example
UNNAMED = PLANTS["unnamed"]


def plant(source: str, changes: list[dict]) -> str:
    for change in changes:
        assert change["old"] in source, change["old"]
        source = source.replace(change["old"], change["new"])
    return source


# Python files.

PROGRAMS = {name: (code, *got) for name, *got, code in sections("conform.md")}
MINBPE, REGEX, PACKAGE, STANFORD, ADAPTERS = (code for code, *got in PROGRAMS.values() if not got)
STANFORD = STANFORD.replace("EXAMPLES", repr(str(EXAMPLES)))


def course_file(notebook: str) -> str:
    """Return the file that a learner has after a notebook, with the course's functions."""
    return learners_program(notebook)._fill()


def _passed(report, group):
    return report.count("passed", group) if group in report.groups else 0


FILES = {name: row for name, *row in rows("conform/files", globals())}


@pytest.mark.parametrize("name", FILES)
def test_functions_and_classes_of_a_file_are_found_by_their_names(name, ask_file):
    source, groups, least, said = FILES[name]
    report = ask_file(source, groups=groups or [*GROUPS, "use"])
    assert failing(report) == set()
    assert {group: n for group, n in least.items() if _passed(report, group) < n} == {}
    assert said in str(report)


@pytest.mark.parametrize("name", some_of([*PLANTS["shapes"]]))
def test_a_class_may_keep_and_take_what_it_needs_in_many_ways(name, ask_file, some_texts):
    report = ask_file(plant(MINBPE, PLANTS["shapes"][name]))
    assert failing(report) == set()
    least = {"train": 30, "use": 200, "whole": use.TEXTS}
    assert {group: n for group, n in least.items() if report.count("passed", group) < n} == {}


def test_a_folder_is_asked_by_its_files_or_by_stanfords_adapters(tmp_path):
    (tmp_path / "mine.py").write_text(STANFORD, "utf-8")
    (tmp_path / "broken.py").write_text("import nothing_of_this_name")
    by_files = ask(tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "adapters.py").write_text(ADAPTERS, "utf-8")
    by_adapters = ask(tmp_path)
    for report in (by_files, by_adapters):
        assert failing(report) == set()
        assert report.count("passed", "train") > 25
    assert by_files.count("passed") == by_adapters.count("passed")


def test_an_object_is_trained_again_and_told_once_that_it_keeps_what_it_had(ask_file, some_texts):
    source = plant(MINBPE, [{"old": "self.merges.clear()\n", "new": "pass\n"}])
    report = ask_file(source)
    assert failing(report) == {"again-again"}
    assert "an object that learns again answers as a new one" in str(report)
    assert "the merges of the earlier training are still there" in str(report)


def test_a_module_of_a_package_is_asked_too_and_its_special_tokens_are_not_sorted(tmp_path):
    package = tmp_path / "theirs"
    package.mkdir()
    for name, source in {"__init__": "", "basic": MINBPE, "regex": REGEX}.items():
        (package / f"{name}.py").write_text(source, "utf-8")
    report = ask(package / "regex.py")
    assert failing(report) == {"special-encode-4"}
    assert report.findings["use"][0].slip is SLIPS["split_in_given_order"]


@pytest.mark.parametrize(("source", "got"), rows("conform/does"))
def test_whatever_a_file_does_is_an_answer(source, got, ask_file):
    if "MemoryError" in got and not sys.platform.startswith("linux"):
        pytest.skip("memory is limited on Linux only")
    report = ask_file(source, groups=["encode_word"])
    assert not report.is_good
    assert got in str(report)


# Slips.


class Watched(SimpleNamespace):
    """The parts of a program; ``taken`` are those that it has looked at."""

    def __getattribute__(self, name):
        super().__getattribute__("taken").add(name)
        return super().__getattribute__(name)


@cache
def plainly(request):
    """Return the plain program's answer, and the parts it takes: it is so with slips in others."""
    given = json.loads(request)
    got = json.loads(json.dumps(answer(given)))
    program = PAGE.space["Answers"]({})
    program.parts = Watched(**vars(program.parts), taken=set())
    with suppress(Exception):
        getattr(program, given.pop("do"))(**given)
    return got, program.parts.taken


class Planted:
    """The plain program with a slip, in place of a process; other tests start processes."""

    def __init__(self, command, by_numbers, seconds_to_start):
        (name,) = command
        self.slip = SLIPS[name]

    def ask(self, request, left):
        given = {key: value for key, value in request.items() if key != "id"}
        plain, taken = plainly(json.dumps(given))
        if not taken & {*self.slip.parts}:
            return plain
        return json.loads(json.dumps(answer(given, self.slip)))

    def end(self):
        pass


@pytest.mark.slow
@pytest.mark.parametrize("name", SLIPS)
def test_every_slip_is_found_in_a_program_and_named_in_each_group_where_it_shows(name, monkeypatch):
    monkeypatch.setattr(program, "TestedProgram", Planted)
    report = ask(name, groups=GROUPS)
    if name in CONVENTIONS:
        assert report.is_good
        assert {one.convention for one in report.results} == {None, name}
        return
    assert report.count("failed") > 0
    for group in report.groups:
        if report.count("failed", group):
            assert report.findings[group][0].slip is SLIPS[name], group
    assert SLIPS[name].why in str(report)


def example_with(tmp_path: Path, *faults: str) -> Path:
    """Write the example in Python with planted faults; it is independent of the kit."""
    source = (EXAMPLES / "bpe.py").read_text("utf-8")
    for fault in faults:
        source = plant(source, (FAULTS | UNNAMED)[fault])
    path = tmp_path / "faulty.py"
    path.write_text(source, "utf-8")
    return path


@pytest.mark.parametrize("name", some_of(FAULTS))
def test_a_fault_in_somebody_elses_program_is_named(tmp_path, name, some_texts):
    report = ask(sys.executable, example_with(tmp_path, name), groups=GROUPS)
    if name in CONVENTIONS:
        assert report.is_good
        assert {one.convention for one in report.results} == {None, name}
        return
    first = next(iter(group for group in report.groups if report.count("failed", group)))
    assert report.findings[first][0].slip.name == name


def test_the_page_of_the_site_shows_what_the_command_prints(tmp_path):
    path = example_with(tmp_path, "learn_last_of_equals")
    report = ask(sys.executable, path, groups=["train_words"])
    page = (ROOT / "site" / "test_your_own.md").read_text("utf-8")
    (shown,) = re.findall(r"^\$ bpe-teach .*?\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    report.seconds = 0.4
    report.name = "bpe.js"
    version = re.compile(r"cases \d+ \([0-9a-f]{8}\)")  # the page shows one of its time
    assert version.sub("", shown).splitlines() == version.sub("", str(report)).splitlines()


@pytest.mark.parametrize("name", some_of(UNNAMED))
def test_a_bug_without_a_name_fails_and_gets_no_name_for_certain(tmp_path, name, some_texts):
    report = ask(sys.executable, example_with(tmp_path, name))
    found = [finding for findings in report.findings.values() for finding in findings]
    assert report.count("failed") > 0
    assert {finding.slip.name for finding in found if finding.is_sure} == set()


def test_what_fails_is_made_as_small_as_it_can_be(tmp_path):
    report = ask(sys.executable, example_with(tmp_path, "text_lowered"), groups=["whole"])
    failed = [one for one in report.groups["whole"] if one.result == "failed"]
    smallest = min((one.case.request for one in failed), key=lambda request: len(str(request)))
    assert len(smallest.get("text") or "".join(smallest["pieces"])) == 1
    assert smallest["merges"] == []


@pytest.mark.parametrize("names", some_of(PLANTS["two"]), ids=" and ".join)
def test_of_two_faults_the_first_answer_is_one(tmp_path, names):
    report = ask(sys.executable, example_with(tmp_path, *names), groups=GROUPS)
    failed = [group for group in report.groups if report.count("failed", group)]
    found = [report.findings[group][0].slip.name for group in failed if report.findings[group]]
    assert report.findings[failed[0]]
    assert set(found) <= set(names)


# Programs that don't answer, or do other things as well.

HEAD = """
import json, os, sys, time
def answer(r):
    print(json.dumps({"id": r["id"], "tokens": r["word"]}), flush=True)
"""
LOOP = HEAD + "for line in iter(sys.stdin.readline, ''):\n    r = json.loads(line)\n"
ODD = {}  # name -> what the first case got, the program
for name, (code, *got) in PROGRAMS.items():
    if got:
        in_loop = LOOP + indent(code, "    ")
        ODD[name] = got[0], in_loop if got[1:] else HEAD + code


@pytest.fixture
def impatient(request, monkeypatch):
    """Wait a second only, unless the program does something, for which a machine may be busy."""
    if ODD[request.node.callspec.params["name"]][0].startswith("no answer"):
        monkeypatch.setattr(program, "SECONDS", 1)
        monkeypatch.setattr(program, "SECONDS_TO_START", 1)


@pytest.mark.parametrize("name", ODD)
def test_whatever_a_program_does_fails_its_case_and_nothing_else(name, impatient, monkeypatch):
    monkeypatch.setattr(program, "STARTS", 2)
    got, source = ODD[name]
    results = run_cases([sys.executable, "-c", source], load_cases(["encode_word"])[:3])
    assert got in str(results[0].got)
    assert results[0].result == results[1].result == "failed"
    assert results[2].result in ("failed", "not run")
    assert not Report("", results).is_good


def cases_of(asked):
    """Return cases in which a program is to give back the letters of a word."""
    pairs = [one.split() for one in asked.split(", ")]
    return [
        Case(do, word, "", {"do": do, "word": [*word]}, {"tokens": [*word]}) for do, word in pairs
    ]


@pytest.mark.parametrize(
    ("source", "seconds", "asked", "kinds"), rows("conform/results", globals())
)
def test_a_program_is_started_again_and_asked_on_as_long_as_there_is_hope(
    source, seconds, asked, kinds, monkeypatch
):
    if seconds:
        monkeypatch.setattr(program, "SECONDS", seconds)
        monkeypatch.setattr(program, "SECONDS_TO_START", seconds)
    results = run_cases([sys.executable, "-c", source], cases_of(asked))
    assert ", ".join(result.result for result in results) == kinds


@pytest.mark.parametrize(("name", "advice"), rows("conform/advice"))
def test_the_advice_is_for_what_the_program_did(name, advice, impatient):
    report = ask(sys.executable, "-c", ODD[name][1], groups=["encode_word"], names=[FIRST])
    assert f"\n  {advice}" in str(report)


def test_a_program_that_has_never_answered_is_told_that_and_no_misconception():
    report = ask(sys.executable, "-c", LOOP + "    os.abort()\n", names=["bytes-only"])
    assert '\nit has never answered: "the program ended with status -6"' in str(report)
    assert "reason" not in str(report)
    assert '"slip": null' in to_json([report]).decode()


def test_a_late_answer_is_not_taken_for_the_next_one():
    source = LOOP + "    print('so', flush=True)\n    answer(r)\n"
    cases = cases_of("encode_word a, encode_word b")
    first, second = run_cases([sys.executable, "-c", source], cases)
    assert first.got == second.got == {"garbage": "not a line of JSON: so"}


def test_a_second_line_of_numbers_is_not_taken_for_the_next_answer():
    source = LOOP.replace("json.loads(line)", "line") + "    print('1\\n2', flush=True)\n"
    command = [sys.executable, "-c", source]
    first, *others = run_cases(command, load_cases(["decode"])[:9], by_numbers=True)
    assert first.got == {"bytes": [1]}
    told = {"garbage": "a second line for the request before this one: 2"}
    assert any(one.got == told for one in others)  # at once, if it has come by then


def test_a_program_that_only_writes_costs_no_thread_a_request():
    before = threading.active_count()
    run_cases([sys.executable, "-c", ODD["endless"][1]], CASES)
    assert threading.active_count() < before + 5


def test_all_of_it_takes_two_minutes_at_most(monkeypatch):
    monkeypatch.setattr(program, "SECONDS_IN_ALL", 0.5)
    results = run_cases([sys.executable, "-c", LOOP + "    time.sleep(60)\n"], CASES)
    assert [result.result for result in results] == ["failed"] + ["not run"] * (len(CASES) - 1)


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="there are no groups of processes")
def test_what_a_program_started_ends_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(program, "SECONDS_TO_START", 2)
    source = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open({str(tmp_path / "pid")!r}, "w").write(str(child.pid))
time.sleep(600)
"""
    run_cases([sys.executable, "-c", source], CASES[:1])
    pid = (tmp_path / "pid").read_text()
    state = Path("/proc", pid, "stat")
    for _ in range(50):  # a process that was killed takes a moment to end
        if not state.exists() or state.read_text().split()[2] == "Z":
            return
        time.sleep(0.1)
    pytest.fail("what the program started is still there")


# The command.


def test_the_command_writes_what_it_found_and_says_so_by_its_status(tmp_path, capsys):
    path = example_with(tmp_path, "decode_dropping")
    wrote = [str(tmp_path / name) for name in ("results.json", "results.xml")]
    options = ["--only", "decode,stream", "--json", wrote[0], "--junit", wrote[1]]
    assert main(["conform", *options, "--", sys.executable, str(path)]) == 1
    shown = capsys.readouterr().out
    assert "the slip: decode_dropping – you drop half a character silently" in shown
    assert "5 of 5 failing cases agree" in shown
    assert "notebook 04_byte_level explains it" in shown
    data = json.loads(Path(wrote[0]).read_text("utf-8"))
    assert (data["format"], data["hash"]) == (2, hash_of_cases())
    (asked,) = data["programs"]
    assert asked["cases"][0]["request"] == load_cases(["decode"])[0].request
    assert {row["result"] for row in asked["cases"]} == {"passed", "failed"}
    named = [row["slip"] for row in asked["cases"] if row["result"] == "failed"]
    assert named == ["decode_dropping"] * 5
    tree = ElementTree.parse(wrote[1])
    assert len(list(tree.iter("testcase"))) == len(asked["cases"])
    assert len(list(tree.iter("failure"))) == 5
    assert main(["conform", "--only", "stream", "--", sys.executable, str(path)]) == 0


@pytest.mark.parametrize(("arguments", "said"), rows("conform/not_asked"))
def test_what_cannot_be_asked_is_an_error_in_one_line(arguments, said, capsys):
    assert main(["conform", *arguments]) == 1
    assert said in capsys.readouterr().err
