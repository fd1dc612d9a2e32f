"""The runner: what comes back is data, and nothing outlives the parent."""

import itertools
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_teach.exercises.runner import child, parent
from bpe_teach.exercises.runner.job import Job, Limits
from bpe_teach.exercises.runner.parent import bare_command, lend, printable, start, start_bare
from bpe_teach.exercises.runner.values import is_plain, pack, unpack

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no process can be forked")

KEYS = st.none() | st.booleans() | st.integers() | st.text() | st.binary()
KEYS |= st.floats(allow_nan=False) | st.fractions()
VALUES = st.recursive(
    KEYS,
    lambda part: (
        st.lists(part)
        | st.lists(part).map(tuple)
        | st.sets(KEYS)
        | st.frozensets(KEYS)
        | st.dictionaries(KEYS, part)
    ),
)


@given(VALUES)
def test_data_arrives_as_it_was(value):
    there = unpack(parent.json.loads(parent.json.dumps(pack(value))))
    assert there == value
    assert repr(there) == repr(value) or isinstance(value, set | frozenset) or "{" in repr(value)


@pytest.mark.parametrize(
    ("value", "arrives"),
    [
        (range(3), range(3)),
        (10**5000, 10**5000),
        (-(16**4999), -(16**4999)),
        (Fraction(1, 3), Fraction(1, 3)),
        (bytearray(b"\xff"), bytearray(b"\xff")),
        (np.int64(3), 3),
        (np.int64(0), 0),
        ({np.str_("a"): np.float64(0.5)}, {"a": 0.5}),
        ([np.bool_(True)], [True]),
        (type("Mine", (dict,), {"items": None})(a=1), {"a": 1}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_numbers_of_other_kinds_and_classes_of_a_learners_arrive_as_python_s_own(value, arrives):
    there = unpack(pack(value))
    assert there == arrives
    assert type(there) is type(arrives)


def test_an_array_arrives_as_one_and_what_is_no_data_as_its_name_and_looks():
    there = unpack(pack(np.arange(3, dtype="int16")))
    assert (there.tolist(), there.dtype.str) == ([0, 1, 2], "<i2")
    assert unpack(pack(np.array([{}], dtype=object))).__class__.__name__ == "ndarray"
    (name,) = [type(unpack(pack(x for x in "a"))).__name__]
    assert name == "generator"
    nested = []
    for _ in range(100_000):
        nested = [nested]
    assert "nested too deeply" in repr(unpack(pack(nested)))
    assert not is_plain(nested)
    cyclic = {}
    cyclic |= {"a": cyclic, "b": [cyclic, cyclic]}
    assert unpack(pack(cyclic))["b"][0].__class__.__name__ == "dict"
    assert not is_plain(cyclic)


@pytest.mark.parametrize(
    "sent",
    [{}, [], ["pickle", "x"], ["dict", 1], ["fraction", 1, 0], ["array", "O", []], ["bytes", 3]]
    + [["array", "<f8,(99999,99999)f8", [1]], ["array", 3, []]]
    + [
        ["function", "os.system"],
        ["int", "x"],
        ["range", "a"],
        ["set", [["list", []]]],
        ["dict", [1], []],
        ["object"],
    ],
    ids=str,
)
def test_what_pack_never_writes_is_refused(sent):
    with pytest.raises(ValueError, match="."):
        unpack(sent)


# What a child does, and what it can't.


def double(number):
    print("number is", number)
    return number * 2


def test_calls_are_answered_in_order_with_what_they_print_and_change():
    def put(numbers):
        numbers.append(1)

    with start({}, {"double": double, "put": put}) as child:
        rows = child.call_each("double", [(3,), ("ab",), (None,)])
        assert [row.value for row in rows] == [6, "abab", None]
        assert rows[2].error.name == "TypeError"
        assert rows[2].error.line == double.__code__.co_firstlineno + 2
        assert rows[0].printed == "number is 3\n"
        assert child.call("put", ([],)).changed


def test_a_text_is_run_among_the_names_that_it_is_given_and_nothing_stays_here():
    space = {"two": 2}
    with start(space, {}) as child:
        assert child.load("two = 3\ndef times(n): return two * n", "<cell>") is None
        assert child.call("times", (4,)).value == 12
        assert str(child.load("1 / 0", "<cell>")) == "ZeroDivisionError: division by zero"
    assert space == {"two": 2}


def test_control_characters_are_spelled_out_and_a_long_print_is_cut():
    def shout(_number):
        print("\x1b[2J\x07" + "x" * 10**7)
        raise ValueError("\x1b]0;title\x07")

    with start({}, {"shout": shout}) as child:
        row = child.call("shout", (1,))
    assert row.printed.startswith(r"\x1b[2J\x07xxx")
    assert len(row.printed) < 3000
    assert row.error.why == r"\x1b]0;title\x07"
    assert printable("a\u202eb") == r"a\u202eb"


FORGERIES = {
    "a line on each number": "for n in range(300):\n"
    "  try: os.write(n, b'[1]\\n')\n"
    "  except OSError: pass",
    "the runner changed": "from bpe_teach.exercises.runner import parent, values\n"
    "parent.Outcome = values.unpack = lambda *a, **k: 7",
    "an exercise changed": "from bpe_teach.exercises import exercise\n"
    "exercise.Function.verdict_on = lambda *a: exercise.Verdict('right', '')",
}


@pytest.mark.parametrize("how", FORGERIES)
def test_what_a_function_does_in_the_child_doesnt_reach_the_parent(how):
    from bpe_teach.exercises import char_bpe

    space = {}
    code = "\n".join("    " + line for line in FORGERIES[how].splitlines())
    exec(f"import os\ndef merge(word, pair):\n{code}\n    return word", space)
    assert char_bpe.merge.check(space["merge"]).kind == "wrong"


def test_what_comes_back_must_be_an_answer():
    code = "import os\nos.write(1, b'[1, 2]\\n')\nos.read(0, 1)"
    for text in (code, "print('{}')", "print('x' * 10**7)", "print('{\"rows\": 3}')"):
        expected = pytest.raises(ChildProcessError, match="isn't an answer|ended Python|too much")
        with start_bare([sys.executable, "-c", text]) as child, expected:
            child.call("merge", ())


def test_a_bare_child_knows_nothing_of_the_course(tmp_path):
    with start_bare(bare_command(lend(tmp_path))) as child:
        text = "def find(name): return __import__(name).__name__"
        assert child.load(text, "<handed in>") is None
        assert child.call("find", ("json",)).value == "json"
        for name in ("bpe_teach.exercises.exercise", "bpe_teach.pairs", "bpe_further", "numpy"):
            assert child.call("find", (name,)).error.name == "ModuleNotFoundError"


@pytest.mark.parametrize("seconds", [0, 0.2])
def test_a_loop_without_an_end_inside_of_python_ends_the_child_and_says_what_it_may_be(
    seconds, monkeypatch
):
    monkeypatch.setattr(child, "MOST_OF_A_CALL", 0.5)
    with (
        start({}, {"endless": lambda: sum(itertools.count())}) as asking,
        pytest.raises(parent.OutOfTimeInside, match="not decided, one call takes more than"),
    ):
        asking.call("endless", (), seconds=seconds)


def test_an_error_tells_the_code_that_failed_and_what_its_names_stand_for():
    text = "def low(word, ranks):\n    n = 7\n    return word[n - 1] + ranks\n"
    lent = {}
    with start(lent, {}) as asking:
        asking.load(text, "<low>")
        error = asking.call("low", (("l", "o"), {("l", "o"): 0})).error
    assert (error.name, error.line, error.code) == ("IndexError", 3, "word[n - 1]")
    seen = {one.name: one for one in error.values}
    assert seen["word"] == parent.Seen("word", "tuple", length=2)
    assert seen["n"] == parent.Seen("n", "int", "7")
    assert (seen["ranks"].key, seen["ranks"].key_type) == ("('l', 'o')", "tuple")


def test_no_command_is_an_error_at_once():
    with pytest.raises(FileNotFoundError):
        Job(["there-is-no-such-program"], Limits())


# Nothing outlives the parent.

LEAVES = """
import os, subprocess, sys, time
from bpe_teach.exercises import char_bpe as ask

def merge(word, pair):
    if os.fork() == 0:  # it leaves its group and its parent
        os.setsid()
        if os.fork() == 0:
            note()
            time.sleep(600)
        os._exit(0)
    note()
    time.sleep(600)

def note():
    with open({note!r}, "a") as file:
        file.write(f"{{os.getpid()}}\\n")

ask.merge.check(merge)
"""


def is_alive(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


@pytest.mark.skipif(sys.platform != "linux", reason="what has left the group is found on Linux")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_whatever_ends_the_parent_ends_the_child_and_all_it_started(how, tmp_path):
    note = tmp_path / "processes"
    code = LEAVES.format(note=str(note))
    run = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    processes = []
    while len(processes) < 2:
        assert run.poll() is None
        time.sleep(0.05)
        processes = note.read_text().split() if note.exists() else []
    run.send_signal(how)
    run.wait()
    for _ in range(600):
        if not any(map(is_alive, processes)):
            return
        time.sleep(0.05)
    pytest.fail("what the answer has started still runs")


# A changed function acts on nothing.

ACTS = {
    "a file": "open({there!r}, 'w').close()",
    "a folder": "os.mkdir({there!r})",
    "a process": "subprocess.run([sys.executable, '-c', {code!r}])",
    "a shell": "os.system({shell!r})",
    "a fork": "os.fork() or open({there!r}, 'w')",
    "a pathlib": "pathlib.Path({there!r}).touch()",
    "in spite of try": "try:\n        open({there!r}, 'w')\n    except Exception: pass",
}


@pytest.mark.parametrize("way", ["a child", "here"])
@pytest.mark.parametrize("how", ACTS)
def test_a_changed_function_may_do_nothing_but_compute(how, way, tmp_path, request):
    if way == "here":
        request.getfixturevalue("no_process")
    there = str(tmp_path / "there")
    act = ACTS[how].format(there=there, shell=f"touch {there}", code=f"open({there!r}, 'w')")
    with start({}, {}, may_act=False) as child:
        text = f"""if True:
    import os, pathlib, subprocess, sys
def act():
    {act}
def read():
    return open({__file__!r}).read(3)
"""
        assert child.load(text, "<cell>") is None
        child.call("act", ())
        assert child.call("read", ()).value == '"""'
    assert not Path(there).exists()
    Path(there).touch()  # and the rest of this process may
    assert Path(there).exists()


def test_what_has_a_limit_of_its_own_takes_nothing_from_the_time_for_all(no_process):
    def work(seconds):
        end = time.process_time() + seconds
        while time.process_time() < end:
            sum(range(20_000))  # so that few steps take long, and time alone is measured
        return True

    with start({}, {"work": work}, limits=parent.LIMITS._replace(seconds=0.3)) as here:
        assert here.call("work", (0.5,), seconds=2).value
        work(0.5)  # nor does what is done between the calls
        assert here.call("work", (0.1,)).value
        with pytest.raises(child.OutOfTime):
            here.call("work", (0.5,))


def test_a_call_may_be_made_many_times_within_its_seconds():
    def spend(number):
        return sum(range(number))

    with start({}, {"spend": spend}) as runner:
        once = runner.call("spend", (100_000,), seconds=0.5)
        often = runner.call("spend", (100_000,), seconds=0.5, times=10_000)
    assert (once.value, once.too_long, often.too_long) == (4999950000, False, True)
