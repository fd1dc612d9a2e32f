"""The learner's program: what is written into my_bpe.py, and what is read from it."""

import ast  # noqa: F401 (a table names it)
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from common import NOTEBOOKS, cells_of, rows, run_cell, sections, some_of

from bpe_teach import SCHEMES, Merge, Tokenizer, load_corpus
from bpe_teach.exercises import byte_level, exercise, program
from bpe_teach.exercises.exercise import Hunt, Value
from bpe_teach.exercises.program import (
    FUNCTIONS,
    GLUE,
    MODULES,
    ORDER,
    PARTS,
    PLACE,
    LearnersProgram,
    find_part,
    import_module,
)
from bpe_teach.exercises.runner import parent
from bpe_teach.exercises.sources import write_out

SPINE = {path.name.split("_")[0]: path for path in NOTEBOOKS}
START = parent.start  # most of what is here is judged in the tests' own process


def is_any_part(name, _value=None):
    return name in ORDER


def right_answer(key):
    """Return the course's own function as a learner would have written it."""
    part = find_part(key)
    source = write_out(part.solve, part.name, is_any_part)
    module = import_module(f"bpe_teach.exercises.{MODULES[key[:2]]}")
    others = {name: value for name, value in vars(module).items() if is_any_part(name)}
    own = [name for name in PARTS if name < "02" or name[:2] == key[:2]]
    others |= {name[3:]: find_part(name).solve for name in own}
    return run_cell(source, **others)[part.name]


def program_of(notebook) -> LearnersProgram:
    return import_module(f"bpe_teach.exercises.{MODULES[notebook]}").my_bpe


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch, judged_here):
    (tmp_path / "notebooks").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))  # no program written before
    monkeypatch.setattr(exercise, "RANDOM_INPUTS", 10)  # what is judged is tested elsewhere
    monkeypatch.setattr(program, "SAMPLE", 300)
    monkeypatch.chdir(tmp_path / "notebooks")
    return tmp_path / "notebooks"


ALL_ANSWERED = {}  # the files when all is answered, name -> content; made once


@pytest.fixture
def answered(folder):
    """Answer everything; return what is then in the file."""
    if not ALL_ANSWERED:
        for key in PARTS:
            find_part(key).use(right_answer(key))
        assert program_of("04").check(PLACE).kind == "right"
        ALL_ANSWERED.update({path.name: path.read_bytes() for path in folder.iterdir()})
    for name, content in ALL_ANSWERED.items():
        (folder / name).write_bytes(content)
    program.note().write_text(str(folder), "utf-8")
    return (folder / PLACE).read_bytes()


def marks(text):
    return re.findall(r"^# (\d\d \w+), (\w+)", text, re.MULTILINE)


PROGRAM_OF_04 = [
    (key, "mine" if key in PARTS else "the") for key in FUNCTIONS if FUNCTIONS[key] == "04"
]


# The ways of a learner.


def test_nothing_answered_reads_and_writes_nothing(folder, capsys):
    (folder / PLACE).write_text("def broken(:", "utf-8")
    for notebook in MODULES:
        module = program_of(notebook).use(...)
        said = f"The course's program from {notebook} is used here: no file was given.\n"
        assert capsys.readouterr().out == said
        assert module.merge(("l", "o", "w"), ("l", "o")) == ("lo", "w")
        for key in PARTS:
            find_part(key).use(...)
        capsys.readouterr()
    assert [path.name for path in folder.iterdir()] == [PLACE]
    assert (folder / PLACE).read_text("utf-8") == "def broken(:"


def test_an_answer_after_the_other_becomes_a_program_from_notebook_to_notebook(folder, capsys):
    for notebook in MODULES:
        keys = [key for key in PARTS if key[:2] == notebook]
        for key in keys:
            find_part(key).use(right_answer(key))
        assert re.search(rf"{PLACE} holds your .*{keys[-1][3:]}\.", capsys.readouterr().out)
        verdict = program_of(notebook).check(PLACE)
        assert verdict.kind == "right"
        given = [key[3:] for key in GLUE if key[:2] <= notebook <= FUNCTIONS[key]]
        said = f"the course's are {', '.join(given)}." if given else "all of them yours."
        assert verdict.text.endswith(said)
        lines = len((folder / PLACE).read_text("utf-8").splitlines())
        assert verdict.text.startswith(f"{lines} lines, ")
    text = (folder / PLACE).read_text("utf-8")
    assert sorted(marks(text)) == sorted(PROGRAM_OF_04)
    assert "bpe_teach" not in text
    earlier = [(key, "mine") for key in ("01 learn", "01 encode", "02 split_words")]
    assert marks((folder / "my_bpe_earlier.py").read_text("utf-8")) == earlier


def test_gaps_are_filled_and_the_verdict_says_with_what(folder, capsys):
    find_part("01 merge").use(right_answer("01 merge"))
    find_part("02 bag_of_words").use(right_answer("02 bag_of_words"))
    said = "{} lines, 7 functions, 2 of them yours; the course's are "
    said += "count_pairs, encode, split_words, train, tokenize."
    text = program_of("02").check(PLACE).text
    lines = (folder / PLACE).read_text("utf-8").splitlines()
    assert text == said.format(len(lines))
    assert ("01 count_pairs", "the") in marks("\n".join(lines))
    before = (folder / PLACE).read_bytes()
    assert program_of("02").check(PLACE).text == text
    assert (folder / PLACE).read_bytes() == before
    # The next answer does not fit that program: the learner's functions stay.
    find_part("03 encode").use(right_answer("03 encode"))
    text = (folder / PLACE).read_text("utf-8")
    mine = [key for key, whose in marks(text) if whose == "mine"]
    assert sorted(mine) == ["01 merge", "02 bag_of_words", "03 encode"]


def test_a_gap_that_was_filled_and_changed_is_compared_with_the_courses(folder, capsys):
    find_part("01 merge").use(right_answer("01 merge"))
    assert program_of("02").check(PLACE).kind == "right"
    text = (folder / PLACE).read_text("utf-8")
    (folder / PLACE).write_text(text.replace("max(totals", "min(totals"), "utf-8")
    assert program_of("02").check(PLACE).text == "train gives different merges from the course's."


def test_going_back_takes_nothing_away(answered, folder, capsys):
    assert program_of("01").check(PLACE).text.endswith(" 4 functions; all of them yours.")
    for notebook in MODULES:
        assert program_of(notebook).check(PLACE).kind == "right"
    assert (folder / PLACE).read_bytes() == answered
    find_part("01 encode").use(right_answer("01 encode"))
    assert "my_bpe_earlier.py holds your learn, encode, split_words." in capsys.readouterr().out
    module = program_of("02").use(PLACE)
    merges = module.train("low lower lowest low", 2)
    assert merges == [("l", "o"), ("lo", "w")]
    assert module.tokenize("slow lower", merges) == list("s") + ["low", " ", "low", "e", "r"]
    capsys.readouterr()
    for key in ("04 decode", "01 learn"):
        find_part(key).use(right_answer(key))
    assert (folder / PLACE).read_bytes() == answered


def test_a_wrong_second_attempt_leaves_what_was_right(answered, folder, capsys):
    for wrong in ("def merge(word, pair):\n    return word", "def merge(word, pair): ..."):
        find_part("01 merge").use(run_cell(wrong)["merge"])
    assert (folder / PLACE).read_bytes() == answered
    better = "def merge(word, pair):\n    # mine\n" + find_part("01 merge").source()[23:]
    find_part("01 merge").use(run_cell(better)["merge"])
    assert b"    # mine\n" in (folder / PLACE).read_bytes()


def test_the_program_runs_without_the_course(answered, folder):
    code = (
        "import sys; sys.path.append('.'); import my_bpe\n"
        "merges = my_bpe.train('low lower lowest', 9)\n"
        "ids = my_bpe.encode_text('slow 😀', merges)\n"
        "print(my_bpe.decode(ids, my_bpe.make_vocab(merges)) == 'slow 😀')\n"
        "print([name for name in sys.modules if name.startswith('bpe_teach')])"
    )
    for command, said in [(["-c", code], "True\n[]\n"), ([PLACE], "")]:
        run = subprocess.run(
            [sys.executable, "-I", *command], capture_output=True, text=True, cwd=folder
        )
        assert (run.stdout, run.stderr) == (said, "")


def test_lines_of_the_program_are_shown_where_it_fails(answered):
    module = program_of("04").use(PLACE)
    with pytest.raises(KeyError) as caught:
        module.decode([999], {})
    assert "vocab[i] for i in ids" in str(caught.traceback[-1].statement)


# What may be part of it.

MERGE = find_part("01 merge").source()
ANSWERS = {how: row for how, *row in sections("my_bpe.md")}
KEPT = [how for how, row in ANSWERS.items() if row[1:] and row[1].startswith("kept")]


@pytest.mark.parametrize("how", KEPT)
def test_what_stands_on_its_own_is_kept(how, folder, capsys):
    key, said, source = ANSWERS[how]
    above = said.removeprefix("kept").removeprefix(": ").replace(" ⏎ ", "\n")
    function = run_cell(source)[key[3:]]
    assert find_part(key).use(function) is function
    assert f"{PLACE} holds your {key[3:]}.\n" in capsys.readouterr().out
    text = (folder / PLACE).read_text("utf-8")
    assert above in text.partition(f"\n\n\n# {key}, mine:\n")[0]
    assert program_of(key[:2]).check(PLACE).kind == "right"


@pytest.mark.parametrize("how", [how for how in ANSWERS if how not in KEPT])
def test_what_does_not_is_refused_with_the_reason_and_the_notebook_goes_on(how, folder, capsys):
    key, why, source = ANSWERS[how]
    function = run_cell(source)[key[3:]]
    assert find_part(key).use(function) is function
    assert capsys.readouterr().out.endswith(f"It is not written into {PLACE}: {why}\n")
    assert not (folder / PLACE).exists()


# What is theirs in the file.

(THEIRS,) = (code for _, code in sections("theirs.md"))


def lines_lost(before, after):
    """Return the lines of a text that another lacks."""
    return [line for line in before.splitlines() if line not in after.splitlines()]


def test_what_is_no_part_of_ours_stays_as_it_stands(folder, capsys):
    (folder / PLACE).write_text(THEIRS, "utf-8")
    for key in ("03 encode", "01 merge", "04 split_text"):
        find_part(key).use(right_answer(key))
    said = capsys.readouterr().out
    assert (
        "holds your merge, encode. The merge that the file held before is in my_bpe_before.py.\n"
        in said
    )
    text = (folder / PLACE).read_text("utf-8")
    gone = ['    """Old."""', "    return shout(word)  # goes"]
    assert lines_lost(THEIRS, text) == gone
    verdict = program_of("04").check(PLACE)
    assert verdict.text.endswith("train, tokenize, make_vocab, encode_text, decode.")
    text = (folder / PLACE).read_text("utf-8")
    assert lines_lost(THEIRS, text) == gone
    order = ["import os, random", "import regex", "SEED = 7  # of mine", "# 01 merge, mine:"]
    order += ["# what I think of it", "class Tokens(list):", 'if __name__ == "__main__":']
    assert [line for line in text.splitlines() if line in order] == order
    run = subprocess.run([sys.executable, PLACE], capture_output=True, text=True, cwd=folder)
    assert (run.stdout, run.stderr) == ("RUN 7\n", "")


TIDIED = dict(rows("program/tidied", globals()))


@pytest.mark.parametrize("how", TIDIED)
def test_a_program_that_was_tidied_up_is_still_theirs(how, answered, folder):
    text = TIDIED[how](answered.decode())
    (folder / PLACE).write_text(text, "utf-8")
    assert program_of("04").check(PLACE).kind == "right"
    assert lines_lost(text, (folder / PLACE).read_text("utf-8")) == []
    find_part("04 decode").use(right_answer("04 decode"))
    assert program_of("04").use(PLACE).merge(tuple("aaa"), ("a", "a")) == ("aa", "a")


def test_the_file_before_the_last_change_is_kept(answered, folder, capsys):
    mine = answered.replace(b"    i = 0\n", b"    i = 0  # by hand\n")
    (folder / PLACE).write_bytes(mine)
    find_part("01 merge").use(right_answer("01 merge"))
    assert "The merge that the file held before is in my_bpe_before.py." in capsys.readouterr().out
    assert (folder / PLACE).read_bytes() == answered
    assert (folder / "my_bpe_before.py").read_bytes() == mine
    find_part("01 merge").use(right_answer("01 merge"))  # changes nothing
    assert (folder / "my_bpe_before.py").read_bytes() == mine


def test_a_function_of_ours_that_they_changed_is_theirs(answered, folder):
    text = answered.decode().replace("tokens = [bytes", "tokens = 1 * [bytes")
    (folder / PLACE).write_text(text, "utf-8")
    assert "make_vocab" not in program_of("04").check(PLACE).text
    assert "tokens = 1 * [bytes" in (folder / PLACE).read_text("utf-8")


def test_an_answer_may_use_a_helper_that_the_file_has(folder, capsys):
    helper = "def glue(a, b):\n    return a + b\n"
    (folder / PLACE).write_text(helper, "utf-8")
    merge = MERGE.replace("word[i] + word[i + 1]", "glue(*pair)")
    find_part("01 merge").use(run_cell(helper + "\n" + merge)["merge"])
    assert (folder / PLACE).read_text("utf-8").startswith(helper)
    assert "holds your merge." in capsys.readouterr().out
    assert program_of("01").check(PLACE).kind == "right"


# Where the file is.


@pytest.mark.parametrize("where", ["here", "above", "written last"])
def test_a_file_is_found_from_every_folder_of_the_course(where, answered, folder, capsys):
    other = {"here": folder, "above": folder / "further", "written last": folder.parent / "away"}
    other[where].mkdir(exist_ok=True)
    os.chdir(other[where])
    module = program_of("04").use(PLACE)
    said = capsys.readouterr().out
    assert module.owner == "yours"
    assert (f"{PLACE} is the one in {folder}." in said) == (where != "here")
    find_part("04 decode").use(right_answer("04 decode"))
    assert Path(PLACE).exists() == (where != "above")  # one file for the notebooks of both folders
    (folder / PLACE).unlink()
    Path(PLACE).unlink(missing_ok=True)
    module = program_of("04").use(PLACE)
    assert module.owner == "the course's"
    assert f"there is no {PLACE} in this folder, the one above," in capsys.readouterr().out


def test_a_copied_notebook_goes_on_with_the_program_that_was_written_last(answered, folder, capsys):
    away = folder.parent / "copy"
    away.mkdir()
    os.chdir(away)
    find_part("04 decode").use(right_answer("04 decode"))
    said = capsys.readouterr().out
    assert f"It begins with what {folder / PLACE} holds; if that isn't yours, delete" in said
    assert marks(Path(PLACE).read_text("utf-8")) == marks(answered.decode())
    assert program_of("04").check(PLACE).text.endswith("all of them yours.") is False
    Path(PLACE).write_text("", "utf-8")  # as the sentence says
    find_part("04 decode").use(right_answer("04 decode"))
    assert marks(Path(PLACE).read_text("utf-8")) == [("04 decode", "mine")]
    assert (folder / PLACE).read_bytes() == answered


def test_what_is_right_on_short_inputs_only_is_not_written_and_the_program_says_so(
    answered, folder, capsys
):
    text = answered.decode()
    limited = text.replace("for i in ids", "for i in ids[:1000]")
    assert limited != text
    (folder / PLACE).write_text(limited, "utf-8")
    verdict = program_of("04").check(PLACE)
    assert verdict.kind == exercise.SHORT_ONLY
    assert "decode of 04 is right on short inputs only: " in verdict.text
    (folder / PLACE).unlink()
    code = "def split_words(text):\n    words = find(text[:1000])\n    return words"
    limited = run_cell(code, find=find_part("02 split_words").solve)["split_words"]
    logged = len(exercise.LOG)
    used = find_part("02 split_words").use(limited)
    assert used is find_part("02 split_words").solve
    assert "split_words is right on short inputs only: the course's" in capsys.readouterr().out
    assert not (folder / PLACE).exists()
    assert len(exercise.LOG) == logged  # neither right nor wrong


def test_a_file_that_cannot_be_written_is_said_and_the_notebook_goes_on(
    folder, capsys, monkeypatch
):
    def refused(path, content):
        raise OSError(30, "Read-only file system", str(path))

    monkeypatch.setattr(program, "write_whole", refused)
    answer = right_answer("01 merge")
    assert find_part("01 merge").use(answer) is answer
    assert "not written into my_bpe.py: [Errno 30] Read-only" in capsys.readouterr().out


def test_the_cell_of_08_runs_the_learners_program_from_its_folder(answered, folder, capsys):
    (path,) = [path for path in NOTEBOOKS if path.name.startswith("08_")]
    (source,) = [cell for cell in cells_of(path) if "byte_level.my_bpe.use(" in cell]
    (folder / "further").mkdir()
    os.chdir(folder / "further")
    pairs = [(b"l", b"o"), (b"lo", b"w")]
    tok = Tokenizer("gpt2", SCHEMES["gpt2"].alphabet([]), [Merge(*pair, 0) for pair in pairs])
    space = {"pairs": pairs, "gpt2": tok, "text": "low", "story": "lower", "byte_level": byte_level}
    source = source.replace("use(...)", f'use("{PLACE}")')
    exec(source, space | {"load_corpus": load_corpus})
    said = capsys.readouterr().out
    assert "program: yours" in said
    assert said.count("the same as GPT-2's: True") == 3
    (folder / PLACE).unlink()
    exec(source, space | {"load_corpus": load_corpus})
    said = capsys.readouterr().out
    assert f"there is no {PLACE} in this folder" in said
    assert "program: the course's" in said


def test_the_cell_of_05_draws_the_curve_of_the_learners_program_or_says_why_not(
    answered, folder, capsys, monkeypatch
):
    setup, cell = [cell for cell in cells_of(SPINE["05"]) if "byte_level" in cell]
    cell = cell.replace("20_000", "2_000")
    drawn = []
    space = {}
    exec(setup.replace("%pip", "pass  #"), space)
    monkeypatch.setitem(space, "show_figure", lambda ax: drawn.append(ax))
    exec(cell.replace("use(...)", f'use("{PLACE}")'), space)
    assert space["my_bpe"].owner == "yours"
    assert "there is no" not in capsys.readouterr().out
    (folder / PLACE).unlink()
    for path in ("...", f'"{PLACE}"'):
        exec(cell.replace("use(...)", f"use({path})"), space)
        assert space["my_bpe"].owner == "the course's"
        assert "The course's program from 04 is used here: " in capsys.readouterr().out
    for ax in drawn:
        package, theirs = (dict(zip(*line.get_data(), strict=True)) for line in ax.lines[:2])
        assert len(theirs) > 5
        assert theirs == {x: package[x] for x in theirs}


# The states of the file.


@pytest.mark.parametrize(
    "content", [b"# 01 merge, mine:\ndef merge(word, pair:\n", b"\xff\xfe\x00"]
)
def test_what_is_not_understood_is_left_untouched_and_the_notebook_goes_on(content, folder, capsys):
    (folder / PLACE).write_bytes(content)
    module = program_of("01").use(PLACE)
    assert (
        f"The course's program from 01 is used here: {PLACE} is broken: " in capsys.readouterr().out
    )
    assert module.encode("low", [("l", "o", 2)]) == ("lo", "w")
    answer = right_answer("01 merge")
    assert find_part("01 merge").use(answer) is answer
    assert f"It is not written into {PLACE}: {PLACE} is broken: " in capsys.readouterr().out
    assert (folder / PLACE).read_bytes() == content


def test_no_file_a_folder_or_no_name_is_said(folder, capsys):
    program = program_of("01")
    assert program.check(PLACE).text.startswith(f"there is no {PLACE} in this folder, the one")
    (folder / PLACE).mkdir()
    assert program.check(PLACE).kind == "wrong"
    find_part("01 merge").use(right_answer("01 merge"))
    assert "It is not written into" in capsys.readouterr().out
    for odd in (program, 3, MERGE.encode()):
        assert program.check(odd).text == f'hand over the name of the file: check("{PLACE}").'
    assert repr(program) == repr(program.check()) == f"… open: {program.ask}"


def test_where_no_process_can_be_had_the_same_is_said_and_what_is_printed_is_not_shown(
    answered, folder, capsys, monkeypatch, request
):
    text = answered.decode().replace("    joined = ", "    print(ids)\n    joined = ", 1)
    (folder / PLACE).write_text(text, "utf-8")
    monkeypatch.setattr(parent, "start", START)
    before = program_of("04").check(PLACE)
    capsys.readouterr()
    request.getfixturevalue("no_process")
    assert program_of("04").check(PLACE) == before
    assert "kernel can't start processes" in capsys.readouterr().out


CHANGED = rows("program/changed", globals())


@pytest.mark.parametrize("row", some_of(CHANGED), ids=str)
def test_what_was_changed_by_hand_is_judged_and_named(row, answered, folder, capsys):
    change, said = row
    (folder / PLACE).write_bytes(answered.replace(*map(str.encode, change), 1))
    module = program_of("04").use(PLACE)
    shown = capsys.readouterr().out
    assert f"The course's program from 04 is used here: {said}" in shown
    assert "your cell" not in shown  # lines are those of the file
    assert module.merge(tuple("aaa"), ("a", "a")) == ("aa", "a")
    assert change[1] in (folder / PLACE).read_text("utf-8")  # theirs to mend


def test_a_misconception_in_the_file_is_named(answered, folder):
    earlier = folder / "my_bpe_earlier.py"
    text = earlier.read_text("utf-8").replace("max(counts, key", "max(reversed(counts), key")
    earlier.write_text(text, "utf-8")
    said = program_of("01").check(PLACE).text
    assert said.startswith("learn of 01 is wrong: ")
    assert said.endswith("among equal counts you take the pair met last. The pair met first wins.")


def test_what_an_editor_of_windows_does_to_a_file_does_no_harm(answered, folder):
    windows = answered.replace(b"\n", b"\r\n")
    for content in (windows, b"\xef\xbb\xbf" + windows):
        (folder / PLACE).write_bytes(content)
        assert program_of("04").check(PLACE).kind == "right"
        assert (folder / PLACE).read_bytes() == content


@pytest.mark.slow
def test_notebooks_that_write_at_the_same_time_leave_a_whole_file(folder):
    code = (
        "import sys; from bpe_teach.exercises import exercise, program\n"
        "sys.path.append({tests!r}); from common import run_cell\n"
        "exercise.RANDOM_INPUTS = 10  # soon judged\n"
        "part = program.find_part({key!r})\n"
        "head, _, rest = part.source().partition('\\n')\n"
        "print('ready', flush=True); input()\n"
        "for i in range(30): part.use(run_cell(f'{{head}}  # {{i}}\\n{{rest}}')[part.name])"
    )
    tests = str(SPINE["01"].parents[1] / "tests")
    keys = ["01 merge", "02 bag_of_words", "04 decode"]
    commands = [[sys.executable, "-c", code.format(tests=tests, key=key)] for key in keys]
    pipes = dict.fromkeys(["stdin", "stdout"], subprocess.PIPE)
    runs = [subprocess.Popen(each, text=True, **pipes) for each in commands]
    assert [run.stdout.readline() for run in runs] == ["ready\n"] * 3
    for run in runs:
        run.stdin.write("\n")
        run.stdin.flush()
    said = "".join(run.communicate()[0] for run in runs)
    assert "not written" not in said
    for key in keys:  # what one of them overwrote is written at the next answer
        find_part(key).use(right_answer(key))
    assert marks((folder / PLACE).read_text("utf-8")) == [(key, "mine") for key in keys]


# What it gives.


def test_the_course_does_what_tokenizer_does(story):
    module = program_of("04").use(...)
    text = story[:3000]
    tok = Tokenizer.train(text, scheme="gpt2", num_merges=10_000)  # to the end
    merges = module.train(text, 10_000)
    assert merges == [merge.pair for merge in tok.merges]
    assert module.make_vocab(merges) == tok.vocab
    ids = module.encode_text(story[:5000] + " 😀 é", merges)
    assert ids == tok.encode(story[:5000] + " 😀 é")
    assert module.decode(ids, tok.vocab) == story[:5000] + " 😀 é"
    assert module.train("", 3) == module.tokenize("", merges) == []


# The notebooks.


def functions(text) -> dict[str, str]:
    """Return the functions at the left margin of a text, by name."""
    whole = re.finditer(r"^def (\w+)\(.*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)
    return {match[1]: match[0].strip() for match in whole}


@pytest.mark.parametrize("key", GLUE)
def test_a_notebook_shows_what_joins_its_functions_word_for_word(key):
    shown = functions("\n".join(cells_of(SPINE[key[:2]])))
    assert shown[key[3:]] == GLUE[key]
    assert max(map(len, GLUE[key].splitlines())) < 80


QUESTION = re.compile(r"ask\.(\w+)\.(check|use)\(\.\.\.\)")
STUB = re.compile(r'^def (\w+)\(.*\n    """.*"""\n    \.\.\.\n', re.MULTILINE)


# Of the course's own answers, which notebooks run for most of their time, others take the place.
QUICK = {
    name: f"from collections import Counter\nfrom functools import cache\n\n\n{code}"
    for name, how, code in sections("handed_in.md")
    if how == "right" and name in ("count_pairs", "merge")
}


def answer_cell(source, exercises) -> str:
    """Put the right answers where the learner's belong."""

    def answer(match):
        asked = exercises[match[1]]
        if isinstance(asked, LearnersProgram):
            return f'ask.{match[1]}.{match[2]}("{PLACE}")'
        right = "right" if isinstance(asked, Value) else "smallest"
        return f"ask.{match[1]}.check({'*' * isinstance(asked, Hunt)}ask.{match[1]}.{right})"

    def write(match):
        asked = exercises.get(match[1])
        if asked is None:
            return match[0]
        return QUICK.get(match[1], write_out(asked.solve, asked.name, is_any_part)) + "\n"

    return STUB.sub(write, QUESTION.sub(answer, source))


def plain_outputs(cell) -> list[str]:
    """Return the lines that a cell shows: not verdicts, nor whose functions go on."""
    printed, shown = "", []
    for output in cell.get("outputs", []):
        printed += output.get("text", "")  # it may come in several pieces
        text = output.get("data", {}).get("text/plain", "")
        if not text.startswith(("✓", "…")):
            shown += text.splitlines()
    whose = re.compile(
        r"is used from here on|is used here|^my_bpe.py holds your |^Your \w+ of notebook "
    )
    return [line for line in printed.splitlines() + shown if not whose.search(line)]


@pytest.mark.slow
def test_with_all_right_answers_put_in_the_notebooks_show_what_they_show_without(
    folder, monkeypatch
):
    """Only verdicts differ, and messages on whose functions go on."""
    client = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    for notebook in MODULES:
        exercises = vars(import_module(f"bpe_teach.exercises.{MODULES[notebook]}"))
        made = nbformat.read(SPINE[notebook], 4)
        stored = [plain_outputs(cell) for cell in made.cells]
        cells = [cell for cell in made.cells if cell.cell_type == "code"]
        for cell in cells:
            cell.source = answer_cell(cell.source, exercises)
        resources = {"metadata": {"path": str(folder)}}
        client.NotebookClient(made, timeout=300, resources=resources).execute()  # raises on errors
        for cell, before in zip(made.cells, stored, strict=True):
            assert plain_outputs(cell) == before, f"{notebook}: {cell.source}"
            assert "is used here" not in str(cell.get("outputs"))
    assert sorted(marks((folder / PLACE).read_text("utf-8"))) == sorted(PROGRAM_OF_04)
