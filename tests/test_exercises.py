"""Every exercise knows its answer, its slips by name, and what is not an answer at all."""

import ast
import itertools
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
import tokenize
from collections import Counter
from html import unescape
from importlib import import_module
from io import StringIO
from itertools import pairwise
from pkgutil import iter_modules

import numpy as np
import pandas as pd
import pytest

import bpe_teach.exercises
from bpe_teach import fold
from bpe_teach.exercises import bounds
from bpe_teach.exercises.char_bpe import solve_merge
from bpe_teach.exercises.exercise import LOG, Exercise, Function, Hunt, Value, Verdict
from bpe_teach.exercises.exercise import _find_meant as find_meant
from bpe_teach.exercises.program import Program

EXERCISES = {}  # name -> exercise
for module in iter_modules(bpe_teach.exercises.__path__):
    space = vars(import_module(f"bpe_teach.exercises.{module.name}"))
    for name, item in space.items():
        if isinstance(item, Exercise) and not isinstance(item, Program):
            EXERCISES[f"{module.name}.{name}"] = item
SLIPS = [(name, n) for name, q in EXERCISES.items() for n in range(len(getattr(q, "slips", ())))]
FUNCTIONS = [name for name, q in EXERCISES.items() if isinstance(q, Function)]


def solution_of(exercise):
    if isinstance(exercise, Value):
        return (exercise.right,)
    if isinstance(exercise, Hunt):
        return exercise.smallest
    return (exercise.solve,)


@pytest.mark.parametrize("name", EXERCISES)
def test_the_solution_is_right_and_nothing_at_all_is_open(name):
    exercise = EXERCISES[name]
    assert exercise.check(*solution_of(exercise)).kind == "right"
    assert exercise.check().kind == exercise.check(...).kind == "open"
    assert exercise.ask in exercise.check().text


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n"), SLIPS)
def test_every_slip_is_caught_and_named(name, n):
    slip, why = EXERCISES[name].slips[n]
    verdict = EXERCISES[name].check(slip)
    assert verdict.kind == "wrong"
    assert why[1:] in verdict.text
    others = [other for _, other in EXERCISES[name].slips if other != why]
    assert not any(other[1:] in verdict.text for other in others)


@pytest.mark.parametrize("name", [name for name in EXERCISES if hasattr(EXERCISES[name], "faulty")])
def test_a_hunt_names_the_faulty_program(name):
    assert "<lambda>" not in EXERCISES[name].solution().text


# Votes are asked of a class, which has no hints.
@pytest.mark.parametrize("name", [name for name in EXERCISES if not name.startswith("votes.")])
def test_hints_help_without_giving_the_answer_away(name, capsys):
    exercise = EXERCISES[name]
    assert exercise.hints
    shown = exercise.solution()
    answer = capsys.readouterr().out if shown is None else ""
    for number in range(1, len(exercise.hints) + 1):
        hint = exercise.hint(number)
        assert (hint.kind, hint.text.startswith(f"hint {number} of ")) == ("open", True)
        assert len(exercise.hints[number - 1]) < max(len(answer), 200)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_solution_is_shown_with_the_names_of_the_question(name):
    exercise = EXERCISES[name]
    (shown,) = ast.parse(exercise.source()).body
    assert shown.name == exercise.name
    assert f"{exercise.name}(" in exercise.ask
    assert not re.search(r"\b(solve)?_[a-z]\w*\(", exercise.source())


@pytest.mark.parametrize("name", EXERCISES)
def test_an_exercise_shows_its_question_and_not_its_answer_hints_or_slips(name):
    exercise = EXERCISES[name]
    choices = getattr(exercise, "choices", {})
    question = exercise.ask + "".join(f"\n  {name!r}: {text}" for name, text in choices.items())
    html = unescape(re.sub("<[^>]+>", "", exercise._repr_html_()))
    assert repr(exercise) == html == f"… open: {question}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_unwritten_function_is_open_and_the_course_goes_on_with_its_own(name, capsys):
    def unwritten(*arguments):
        """As found in the notebook."""
        ...

    exercise = EXERCISES[name]
    assert exercise.check(unwritten).kind == "open"
    assert exercise.use(unwritten) is exercise.solve
    assert capsys.readouterr().out == (
        f"{exercise.name} is not written yet: the course's version is used here.\n"
    )
    solve = exercise.solve
    assert exercise.use(solve) is solve
    assert capsys.readouterr().out == f"Your {exercise.name} is used from here on.\n"


@pytest.mark.parametrize(
    ("count", "said"),
    [
        (lambda word: {p: list(pairwise(word)).count(p) for p in set(pairwise(word))}, "a set has"),
        (lambda word: dict(Counter(pairwise(word)).most_common()), "frequent pairs first"),
    ],
)
def test_counted_pairs_are_in_the_order_in_which_they_are_met(count, said):
    verdict = EXERCISES["char_bpe.count_pairs"].check(count)
    assert verdict.kind == "wrong"
    assert said in verdict.text


def test_what_is_right_but_too_slow_for_the_notebook_is_said_and_not_used(capsys):
    def count_each(word):
        pairs = list(pairwise(word))
        return {pair: pairs.count(pair) for pair in pairs}

    def count_by_recursion(word):
        counts = count_by_recursion(word[:-1]) if len(word) > 2 else {}
        for pair in pairwise(word[-2:]):
            counts[pair] = counts.get(pair, 0) + 1
        return counts

    exercise = EXERCISES["char_bpe.count_pairs"]
    for slow in (count_each, count_by_recursion):
        verdict = exercise.check(slow)
        assert verdict.kind == "right, but slow"
        assert verdict.text.startswith("the notebook goes on with the course's count_pairs.")
        assert exercise.use(slow) is exercise.solve
        ours = "the course's version is used here.\n"
        assert capsys.readouterr().out == f"count_pairs is right, but slow: {ours}"
    assert exercise.check(lambda word: Counter(pairwise(word))).kind == "right"


def merge_and_copy(word, pair):
    merged = ()
    while word:
        step = 2 if word[:2] == pair else 1
        merged += (pair[0] + pair[1],) if step == 2 else word[:1]
        word = word[step:]
    return merged


def learn_counting_each(text, num_merges):
    word, merges = tuple(text), []
    while len(merges) < num_merges and len(word) > 1:
        pairs = list(pairwise(word))
        pair = max(pairs, key=pairs.count)
        merges.append((*pair, pairs.count(pair)))
        word = solve_merge(word, pair)
    return merges


def count_in_two_loops(word):
    counts = {}
    for i in range(len(word) - 1):
        counts[word[i : i + 2]] = 0
        for j in range(len(word) - 1):
            counts[word[i : i + 2]] += word[j : j + 2] == word[i : i + 2]
    return counts


def count_each_word(words):
    return {word: words.count(word) for word in words}


@pytest.mark.parametrize(
    ("name", "slow"),
    [
        ("char_bpe.count_pairs", count_in_two_loops),
        ("char_bpe.merge", merge_and_copy),
        ("char_bpe.learn", learn_counting_each),
        ("word_boundaries.bag_of_words", count_each_word),
    ],
)
def test_what_would_freeze_a_notebook_is_slow(name, slow):
    assert EXERCISES[name].check(slow).kind == "right, but slow"


def learn_to_the_end(text, num_merges):
    word, merges = tuple(text), []
    for _ in range(num_merges):
        counts = Counter(pairwise(word))
        pair = max(counts, key=lambda pair: counts[pair])
        merges.append((*pair, counts[pair]))
        word = solve_merge(word, pair)
    return merges


def test_a_search_in_no_pairs_is_named_beside_what_python_says_of_it():
    said = EXERCISES["char_bpe.learn"].check(learn_to_the_end).text
    assert said.startswith("learn('aaa', 5) raises ValueError: ")
    assert said.endswith(
        "of your cell) – no pair is left here, so there is no most frequent one: "
        "stop when no pair is left."
    )


def encode_highest_first(word, ranks):
    while known := [pair for pair in pairwise(word) if pair in ranks]:
        word = solve_merge(word, max(known, key=ranks.get))
    return word


def encode_without_an_end(word, ranks):
    while True:
        pairs = {pair: ranks.get(pair, float("inf")) for pair in pairwise(word)}
        word = solve_merge(word, min(pairs, key=pairs.get))


def encode_one_merge(text, merges):
    word = tuple(text)
    for left, right, _ in merges:
        word = solve_merge(word, (left, right))
        return word
    return word


def encode_from_a_text(text, merges):
    for left, right, _ in merges:
        text = solve_merge(text, (left, right))
    return tuple(text)


def count_one_pair(word):
    counts = {}
    for i in range(len(word) - 1):
        pair = word[i : i + 2]
        counts[pair] = counts.get(pair, 0) + 1
        return counts
    return counts


def merge_in_a_for_loop(word, pair):
    merged = []
    for i in range(len(word)):
        if (word[i], word[i + 1]) == pair:
            merged.append(word[i] + word[i + 1])
            i += 2
        else:
            merged.append(word[i])
    return tuple(merged)


def learn_from_a_list(text, num_merges):
    word, merges = list(text), []
    while len(merges) < num_merges and len(word) > 1:
        ((pair, count),) = Counter(pairwise(word)).most_common(1)
        merges.append((*pair, count))
        word = solve_merge(word, pair)
    return merges


def encode_by_the_pair(word, ranks):
    while known := [(pair, ranks[pair]) for pair in pairwise(word) if pair in ranks]:
        word = solve_merge(word, min(known)[0])
    return word


def encode_by_the_whole_candidate(word, ranks):
    while known := [(ranks[pair], i) for i, pair in enumerate(pairwise(word)) if pair in ranks]:
        i = min(known)
        word = word[:i] + (word[i] + word[i + 1],) + word[i + 2 :]
    return word


def split_at_a_plain_pattern(text, names):
    return [piece for piece in re.split("(" + "|".join(names) + ")", text) if piece]


def remove_known(words, known):
    left = list(words)
    for word in left:
        if word in known:
            left.remove(word)
    return left


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        ("char_bpe.count_pairs", count_one_pair, "end the loop too early"),
        ("start_here.unknown_words", remove_known, "the loop steps over it"),
        ("rank_based_encoding.encode", encode_highest_first, "takes the highest rank first"),
        ("rank_based_encoding.encode", encode_without_an_end, "until no pair is left at all"),
        ("char_bpe.encode", encode_one_merge, "return is inside the loop"),
        ("char_bpe.encode", encode_from_a_text, "Begin with tuple(text)."),
        ("char_bpe.merge", merge_in_a_for_loop, "there is no word[i + 1]"),
        ("char_bpe.learn", learn_from_a_list, "a pair is learned twice"),
        ("rank_based_encoding.encode", encode_by_the_pair, "the first in the alphabet"),
        ("rank_based_encoding.encode", encode_by_the_whole_candidate, "take it apart"),
        ("byte_level.split_at", split_at_a_plain_pattern, "use regex.escape."),
    ],
)
def test_a_slip_is_named_where_it_is_made_a_little_otherwise(name, answer, said):
    assert said in EXERCISES[name].check(answer).text


@pytest.mark.parametrize(
    ("name", "answer", "said"),
    [
        (
            "char_bpe.count_pairs",
            lambda word: dict(sorted(Counter(pairwise(word)).items())),
            "The order is wrong: what is met first should come first",
        ),
        ("rank_based_encoding.encode", lambda word, ranks: int("no"), "(line "),
        ("rank_based_encoding.encode", lambda word, ranks: len(5), "raises TypeError"),
    ],
)
def test_what_only_looks_like_a_slip_gets_no_reason(name, answer, said):
    text = EXERCISES[name].check(answer).text
    assert said in text
    assert not any(why[1:] in text for _, why in EXERCISES[name].slips)


# The mechanism, on an exercise of its own.


def double(number):
    """Double a number."""
    return number * 2


DOUBLE = Function("write double(number)", double, [((0,), 0), ((3,), 6)], hints=["add it up"])


def test_answers_that_are_not_right_are_told_in_one_line():
    def endless(number):
        while True:
            pass

    def falls(number):
        digits = []
        return digits[number]

    def changes(numbers):
        numbers.append(1)
        return []

    said = {
        "double(0) takes more than 1,000,000 steps: does it come to an end?": endless,
        "double(0) raises IndexError: list index out of range (line ": falls,
        "double(0) gives 0.0, not 0. It should be an int, not a float.": lambda n: n * 2.0,
        "double(0) gives False, not 0. It should be an int, not a bool.": lambda n: bool(n),
        "hand over the function itself, check(double), not what it returns": 6,
        "double(0) raises TypeError: ": lambda: 6,
    }
    for text, answer in said.items():
        verdict = DOUBLE.check(answer)
        assert verdict.kind == "wrong"
        assert text in verdict.text
        assert "\n" not in verdict.text
    empty = Function("", changes, [(([],), [])], [(lambda given: [], "another misconception")])
    assert empty.check(changes).text == "changes([]) gives the right result, but changes its input"


def test_what_a_learner_prints_is_shown_for_the_input_that_is_told():
    def prints(number):
        print("number is", number)
        return number + number % 2

    assert DOUBLE.check(prints).text == ("double(3) gives 4, not 6.\nThere it prints:\nnumber is 3")

    def prints_without_end(number):
        while True:
            print("again")

    said = DOUBLE.check(prints_without_end).text
    assert "does it come to an end?\nThere it prints:\nagain\nagain\n" in said
    assert said.endswith(" …")


@pytest.mark.parametrize(
    ("name", "given", "called"),
    [
        ("char_bpe.count_bug", ("aaa", "aa"), "symbols_left('aaa', 'aa') is not allowed: a word"),
        ("char_bpe.count_bug", (("ab",), ("a", "b")), "symbols_left(('ab',), ('a', 'b')) gives"),
        ("word_boundaries.twins_of_words", (" ", ""), "same_under_words(' ', '') is not allowed"),
        ("fast_bpe.broken_tie", (["ab"],), "with the updated counter, ['ab'] gives"),
    ],
)
def test_a_hunt_calls_the_program_by_the_name_in_the_notebook(name, given, called):
    assert EXERCISES[name].check(*given).text.startswith(called)


def test_the_line_of_an_error_is_that_of_the_learners_cell():
    space = {}
    exec(compile("\n\ndef double(number):\n    x = 1\n    return x[0]", "<cell>", "exec"), space)
    assert DOUBLE.check(space["double"]).text.endswith("(line 5 of your cell)")


def test_the_first_failing_input_is_told_then_the_shortest_and_addresses_are_not():
    numbers = Function("", double, [((n,), n * 2) for n in (1000, 7)], draw=lambda c: (c.random(),))
    assert numbers.check(lambda n: object()).text.startswith("double(1000) gives <object object>,")
    assert numbers.check(lambda n: n * 2 if n > 7 else object()).text.startswith("double(7) gives")
    assert numbers.check(lambda n: n * 2 if n > 1 else None).text == (
        "double(0.2878779148564) gives None: is there a return?"
    )


def test_a_value_is_right_however_it_is_written():
    assert Value("?", 75).check(75.0) == Verdict("right", "75.")
    assert Value("?", 75).check(np.float64(75)) == Verdict("right", "75.")
    assert Value("?", 22.0).check(22) == Verdict("right", "22.0.")
    ending = Value("?", "ed", choices={"ed": "-ed", "ly": "-ly"})
    assert ending.check("-ed") == Verdict("right", "'ed'.")
    assert Value("?", (3, 2)).check([3, 2]) == Verdict("right", "(3, 2).")
    assert Value("?", ("lo", "w")).check(["lo", "w"]) == Verdict("right", "('lo', 'w').")
    assert Value("?", [1, 2]).check((1, np.int64(2))) == Verdict("right", "[1, 2].")
    for pieces in (["t", "owe", "r"], "t,owe,r", " t  owe  r ", "t|owe|r", "t · owe · r"):
        assert Value("?", "t owe r").check(pieces) == Verdict("right", "'t owe r'.")
    slip = Value("?", (3, 2), [((2, 2), "no overlaps.")])
    assert slip.check([2, 2.0]) == Verdict("wrong", "(2, 2) – no overlaps.")
    assert Value("?", 22.3).check(22) == Verdict("wrong", "22 – that is too low.")


@pytest.mark.parametrize("once", [lambda parts: map(str, parts), iter, lambda p: (x for x in p)])
def test_what_can_be_read_only_once_is_no_list(once):
    """The next cell compares, prints and counts: that would go wrong with a generator."""
    listed = Function("", sorted, [(("ba",), ["a", "b"])])
    said = listed.check(lambda text: once(sorted(text))).text
    assert said.endswith(" Put list(…) around it.")
    assert listed.check(lambda text: list(once(sorted(text)))).kind == "right"


def test_a_function_may_give_numbers_of_numpy():
    assert DOUBLE.check(lambda number: np.int64(number * 2)).kind == "right"
    counts = Function("", lambda text: {"a": [text.count("a")]}, [(("aa",), {"a": [2]})])
    assert counts.check(lambda text: {"a": [np.int64(2)]}).kind == "right"


def test_a_value_is_compared_with_its_type():
    three = Value("1 + 2?", 3, [(12, "that is a text put beside a text.")], because="as counted.")
    assert three.check(3) == Verdict("right", "3 – as counted.")
    assert three.check(12) == Verdict("wrong", "12 – that is a text put beside a text.")
    assert three.check(9) == Verdict("wrong", "9 – that is too high.")
    assert three.check(True).kind == three.check("3").kind == three.check(3.5).kind == "wrong"
    assert three.solution() == Verdict("right", "3 – as counted.")
    share = Value("share?", 0.25, within=0.02)
    assert [share.check(x).kind for x in (0.24, 0.3, True)] == ["right", "wrong", "wrong"]


def test_an_answer_of_several_parts_may_be_given_part_by_part():
    pair, three = Value("a pair?", (3, 2)), Value("three numbers?", [1, 2, 3])
    assert pair.check((3, 2)) == pair.check(3, 2) == Verdict("right", "(3, 2).")
    assert three.check(1, 2, 3) == three.check([1, 2, 3]) == Verdict("right", "[1, 2, 3].")
    assert pair.check(3, ...).kind == pair.check(None, None).kind == "open"
    one = Value("a number?", 3).check(3, 2)
    assert one == Verdict("wrong", "(3, 2). It should be an int, not a tuple.")
    assert DOUBLE.check(double, double).kind == "wrong"


class AlwaysEqual(int):
    __hash__ = None

    def __eq__(self, other):
        return True


class Unruly:
    def fails(self, *others):
        raise AttributeError("no")

    __repr__ = __str__ = __eq__ = __len__ = fails


def deep_list():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    return nested


ODD = {
    "equal to all": AlwaysEqual(5),
    "unruly": Unruly(),
    "nested": deep_list(),
    "too many digits": 10**5000,
    "more than a float holds": 10**400,
    "array": np.arange(3),
    "series": pd.Series(["a", "b"]),
    "table": pd.DataFrame({"a": [1, 2]}),
    "missing": pd.NA,
}


@pytest.mark.parametrize("answer", ODD.values(), ids=ODD)
def test_whatever_is_handed_over_gets_a_verdict_in_one_line(answer):
    for asked in (
        Value("?", 3),
        Value("?", 0.25, within=0.02),
        Value("?", "a b"),
        Value("?", [3]),
        Value("?", {"a": 3}),
        Hunt("?", str.lower, str.upper, ("a",)),
    ):
        verdict = asked.check(answer)
        assert (verdict.kind, verdict.text.count("\n")) == ("wrong", 0)
        assert asked.check([answer]).kind == "wrong"
    assert Value("?", "a", choices={"a": "this", "b": "that"}).check(answer).kind != "right"
    returned = DOUBLE.check(lambda number: answer)
    assert (returned.kind, returned.text.count("\n")) == ("wrong", 0)


def test_a_function_that_ends_python_is_wrong_on_that_input():
    assert DOUBLE.check(lambda number: sys.exit()).text.startswith("double(0) raises SystemExit")


def catches_everything(number):
    while True:
        try:
            while True:
                number += 1
        except:  # noqa: E722 beginners write it
            number = 0


def never_leaves(number):
    try:
        while True:
            pass
    finally:
        while True:
            pass


class EndlessText:
    def __repr__(self):
        while True:
            pass


ENDLESS = {
    "bare except": catches_everything,
    "finally": never_leaves,
    "in C": lambda number: sum(itertools.count()),
    "asleep": lambda number: time.sleep(0.3),
    "repr": lambda number: EndlessText(),
}


WITH_PROCESSES = pytest.mark.skipif(not hasattr(os, "setsid"), reason="no process can be forked")


@WITH_PROCESSES
@pytest.mark.parametrize("answer", ENDLESS.values(), ids=ENDLESS)
def test_a_check_takes_bounded_time_whatever_it_runs_and_what_it_cant_decide_is_open(
    answer, monkeypatch, capsys
):
    monkeypatch.setattr(bounds, "MOST_SECONDS", 0.3)
    monkeypatch.setattr(bounds, "LONGEST_WAIT", 2)
    asked = Function("?", double, [((n,), None) for n in range(20)])
    logged = len(LOG)
    begin = time.monotonic()
    undecided = Verdict("open", str(bounds.OutOfTime()))
    assert asked.check(answer) == undecided
    assert time.monotonic() - begin < 10
    assert asked.use(answer) is double
    assert "double is not decided, it takes too long." in capsys.readouterr().out
    assert len(LOG) == logged  # so neither a record nor a class report has it


@WITH_PROCESSES
def test_a_busy_machine_changes_no_verdict(monkeypatch):
    """While a process is stopped, the clock goes on; its own time doesn't."""
    monkeypatch.setattr(bounds, "MOST_SECONDS", 0.3)

    def stopped(number):
        if number == 0:
            waker = f"import os, time; time.sleep(1); os.kill({os.getpid()}, {signal.SIGCONT})"
            subprocess.Popen([sys.executable, "-c", waker])
            os.kill(os.getpid(), signal.SIGSTOP)
        return number * 2

    begin = time.monotonic()
    assert DOUBLE.check(stopped).kind == "right"
    assert time.monotonic() - begin > 1
    monkeypatch.setattr(bounds.time, "monotonic", lambda: 0.0)  # the clock has stopped
    assert DOUBLE.check(double).kind == "right"
    assert DOUBLE.check(catches_everything) == Verdict("open", str(bounds.OutOfTime()))


def leaves_a_fork(number):
    if os.fork() == 0:
        time.sleep(30)
        os._exit(0)
    return number * 2


def leaves_a_process(number):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])
    return number * 2


def leaves_a_worker(number):
    multiprocessing.get_context("fork").Process(target=time.sleep, args=(30,)).start()
    return number * 2


@WITH_PROCESSES
@pytest.mark.parametrize("answer", [leaves_a_fork, leaves_a_process, leaves_a_worker])
def test_what_an_answer_leaves_running_holds_nothing_up_and_is_ended(answer, monkeypatch):
    groups = []
    end = bounds.end_group
    monkeypatch.setattr(bounds, "end_group", lambda group: groups.append(group) or end(group))
    begin = time.monotonic()
    assert DOUBLE.check(answer).kind == "right"
    assert time.monotonic() - begin < 20
    (group,) = groups
    for _ in range(100):  # until init has buried them
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("what the answer has started still runs")


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(bounds, "MOST_BYTES", 2**26)
    said = DOUBLE.check(lambda number: len("x" * 2**28)).text
    assert said.startswith("double(0) raises MemoryError")


@WITH_PROCESSES
def test_what_ends_python_ends_a_process_of_its_own():
    ended = DOUBLE.check(lambda number: os._exit(0))
    assert ended == Verdict("wrong", "your function ended Python itself")
    assert "EOFError" in DOUBLE.check(lambda number: input("number? ")).text


def test_where_no_process_can_be_had_time_and_steps_are_bounded_as_well(no_process, capsys):
    no_process.setattr(bounds, "MOST_SECONDS", 0.2)
    many = Function("?", double, [((n,), 2 * n) for n in range(100)])

    def slow(number):
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass
        return number * 2

    def endless(number):
        while True:
            pass

    assert many.check(slow) == Verdict("open", str(bounds.OutOfTime()))
    no_process.setattr(bounds, "MOST_STEPS", 1000)
    assert "double(0) takes more than 1,000 steps" in many.check(endless).text
    assert many.check(double).kind == "right"
    assert "EOFError" in DOUBLE.check(lambda number: input("number? ")).text
    said = capsys.readouterr().out
    assert said.startswith("This kernel can't start processes,")
    assert said.count("kernel can't") == 1  # it is said once
    no_process.undo()


def test_what_is_slow_is_stopped_without_an_alarm_as_well(no_process):
    assert EXERCISES["char_bpe.count_pairs"].check(count_in_two_loops).kind == "right, but slow"


def test_only_steps_of_the_learners_own_count(monkeypatch):
    monkeypatch.setattr(bounds, "MOST_STEPS", 1000)

    def with_much_work_in_a_library(number):
        many_tokens = tokenize.generate_tokens(StringIO("1 + 1 " * 1000).readline)
        return number * min(2, len(list(many_tokens)))

    assert DOUBLE.check(with_much_work_in_a_library).kind == "right"


def test_a_choice_is_one_of_the_names():
    asked = Value("which?", "b", [("a", "no.")], choices={"a": "this", "b": "that"})
    assert asked.check(...).text == "which?\n  'a': this\n  'b': that"
    assert asked.check("c").kind == asked.check(3).kind == "open"
    assert (asked.check("a").kind, asked.check("b").kind) == ("wrong", "right")
    pair = Value("which pair?", "t h", choices={"t h": "two", "th": "one"} | {"h e": "two"})
    assert pair.check(("h", "e")).kind == pair.check(" H·e").kind == "wrong"


@pytest.mark.parametrize("name", [name for name, q in EXERCISES.items() if "choices" in vars(q)])
def test_a_choice_may_be_given_by_its_name_or_by_all_that_it_says(name):
    choices = EXERCISES[name].choices
    for choice, text in choices.items():
        assert find_meant(choice, choices) == find_meant(text, choices) == [choice]


def test_capitals_and_spaces_tell_choices_apart_where_they_differ_in_nothing_else():
    asked = EXERCISES["start_here.single_token"]
    for answer, name in {"lighthouse": "A", " lighthouse": "B", "·Lighthouse": "C"}.items():
        assert asked.check(answer).text.startswith(f"'{name}' – ")
    assert asked.check("Lighthouse").kind == "open"


def test_what_is_no_known_slip_gets_the_reason_for_all_others():
    asked = Value("?", "a b", [("ab", "cut it.")], otherwise="cut it where the merges do.")
    assert asked.check("ab").text == "'ab' – cut it."
    assert asked.check("a bc").text == "'a bc' – cut it where the merges do."


def test_a_hunt_compares_with_the_smallest_input():
    hunt = Hunt("find it", lambda text: text.replace("ab", ""), lambda text: text + "", ("ab",))
    assert hunt.check("xaby").text.endswith("Your text has 4 characters; 2 are enough.")
    assert (
        EXERCISES["word_boundaries.twins_of_words"]
        .check("a b", "ab")
        .text.endswith("Your texts have 5 characters together; 3 are enough.")
    )
    assert hunt.check("ab").text.endswith("No smaller input is known.")
    assert hunt.check("b").kind == hunt.check(5).kind == "wrong"


def test_what_is_folded_away_is_seen_after_a_click_and_escaped():
    html = fold("<b> & more", "Answer")._repr_html_()
    assert html.startswith("<details><summary")
    assert "&lt;b&gt; &amp; more" in html
    assert "<b>" in fold(DOUBLE.check())._repr_html_()
    assert repr(fold([1])) == "[1]"


def test_a_verdict_says_what_it_is_in_words_sign_and_colour():
    for kind, sign in {"right": "✓", "wrong": "✗", "open": "…"}.items():
        verdict = Verdict(kind, "1 < 2")
        assert f"{sign} {kind}:" in verdict._repr_html_()
        assert "1 &lt; 2" in verdict._repr_html_()
        assert str(verdict) == f"{sign} {kind}: 1 < 2"
