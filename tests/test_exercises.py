"""Every exercise knows its answer, its slips by name, and what is not an answer at all."""

import ast
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from html import unescape
from importlib import import_module
from itertools import pairwise

import numpy as np
import pytest
from common import ROOT, rows, run_cell, sections, some_of

from bpe_teach import Tokenizer, fold
from bpe_teach.exercises import FULL_NAMES, PAGES, repair
from bpe_teach.exercises import answer as answers
from bpe_teach.exercises import exercise as ex
from bpe_teach.exercises.char_bpe import solve_merge
from bpe_teach.exercises.comparing import AS_A_LIST, find_meant
from bpe_teach.exercises.exercise import LOG, Exercise, Function, Hunt, Value, Verdict
from bpe_teach.exercises.program import LearnersProgram
from bpe_teach.exercises.runner import child, job, parent

EXERCISES = {}  # name -> exercise
for module in sorted(PAGES):
    for name, item in vars(import_module(FULL_NAMES[module])).items():
        if isinstance(item, Exercise) and not isinstance(item, LearnersProgram):
            EXERCISES[f"{module}.{name}"] = item
SLIPS = [(name, n) for name, q in EXERCISES.items() for n in range(len(getattr(q, "slips", ())))]
FUNCTIONS = [name for name, q in EXERCISES.items() if isinstance(q, Function)]


def solution_of(exercise):
    if isinstance(exercise, Value):
        return (exercise.right,)
    if isinstance(exercise, Hunt):
        return exercise.smallest
    return (exercise.solve,)


def with_slip(exercise, slip):
    """Return a wrong answer: the slip, or the right names with a slip's name added or left out."""
    names = list(getattr(exercise, "names", ()))
    if slip not in names:
        return slip
    return [name for name in names if (name in exercise.right) != (name == slip)]


@pytest.mark.parametrize("name", EXERCISES)
def test_the_solution_is_right_and_nothing_at_all_is_open(name, some_inputs, judged_here, says):
    exercise = EXERCISES[name]
    assert exercise.check(*solution_of(exercise)).kind == "right"
    assert exercise.check().kind == exercise.check(...).kind == "open"
    assert exercise.ask in exercise.check().text
    says("a check says at once whether a function is right")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "n"), SLIPS)
def test_every_slip_is_caught_and_named(name, n, judged_here, says):
    slip, why = EXERCISES[name].slips[n]
    verdict = EXERCISES[name].check(with_slip(EXERCISES[name], slip))
    assert verdict.kind == "wrong"
    is_mended = "all is right but `" in verdict.text  # a question is a guess, a repair is not
    assert why[1:] in verdict.text or (why.endswith("?") and is_mended)
    others = [other for _, other in EXERCISES[name].slips if other != why]
    assert not any(other[1:] in verdict.text for other in others)
    says("if not, usually which misconception is behind it")


# Votes are asked of a class, which has no hints.
@pytest.mark.parametrize("name", [name for name in EXERCISES if not name.startswith("votes.")])
def test_hints_help_without_giving_the_answer_away(name, capsys):
    exercise = EXERCISES[name]
    assert exercise.hints
    shown = exercise.solution()
    assert "<lambda>" not in str(shown)  # the faulty program of a hunt has a name
    answer = capsys.readouterr().out if shown is None else ""
    for number in range(1, len(exercise.hints) + 1):
        hint = exercise.hint(number)
        assert (hint.kind, hint.text.startswith(f"hint {number} of ")) == ("open", True)
        assert len(exercise.hints[number - 1]) < max(len(answer), 200)


def test_a_solution_is_shown_with_the_names_of_the_question():
    for exercise in map(EXERCISES.get, FUNCTIONS):
        (shown,) = ast.parse(exercise.source()).body
        assert shown.name == exercise.name
        assert f"{exercise.name}(" in exercise.ask
        assert not re.search(r"\b(solve)?_[a-z]\w*\(", exercise.source())


def test_an_exercise_shows_its_question_and_not_its_answer_hints_or_slips():
    for exercise in EXERCISES.values():
        choices = getattr(exercise, "choices", {})
        listed = [f"\n  {name!r}: {text}" for name, text in choices.items()]
        html = unescape(re.sub("<[^>]+>", "", exercise._repr_html_()))
        assert repr(exercise) == html == f"… open: {exercise.ask}{''.join(listed)}"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_unwritten_function_is_open_and_the_course_goes_on_with_its_own(
    name, judged_here, capsys, monkeypatch
):
    monkeypatch.setattr(ex, "RANDOM_INPUTS", 0)  # what is right is tested above

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
    assert exercise.use(solve) is solve  # as if the cell were run again
    assert capsys.readouterr().out == f"{exercise.name}: the course's version is used here.\n"


SLOW = "right, but slow"
SHORT = {  # functions that have no long input: of numbers, or of which a long one takes for ever
    *(
        "byte_level.utf8_length",
        "language_price.premium_parts",
        "pattern_and_method.two_factors",
        "language_model.discounted",
    ),
    *("published_curves.bits_per_character", "tokenizers_in_use.embedding_share"),
    "open_questions.fewest_tokens",
    *("other_tokenizers.best_pair", "other_tokenizers.expect"),  # they get what others counted
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_a_long_input_if_it_can(name):
    assert bool(EXERCISES[name].long) == (name not in SHORT)


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if EXERCISES[name].long])
def test_a_slow_answer_is_told_that_the_notebook_goes_on_only_if_it_does(name):
    module, _, asked = name.partition(".")
    (notebook,) = ROOT.glob(f"notebooks/**/{PAGES[module].stem}.ipynb")
    is_used = re.search(rf"\.{asked}\.use\(", notebook.read_text(encoding="utf-8"))
    assert EXERCISES[name].no_use == (not is_used)


def test_what_finds_the_first_of_equals_is_doubted_only_where_the_last_would_differ():
    def places(numbers):
        return [i for i, _ in enumerate(numbers)]

    asked = Function("", places, [(([4, 4],), [0, 1]), (([4],), [0])])
    code = "def places(numbers):\n    return [{} for number in numbers]"
    said = [
        asked.check(run_cell(code.format(place))["places"]).text
        for place in ("numbers.index(number)", "sorted(set(numbers)).index(number)")
    ]
    assert ["is it always the right one?" in text for text in said] == [True, False]


def test_what_is_right_on_short_inputs_only_is_not_green_and_says_why():
    total = Function("", sum, [(([1, 2],), 3)], long=[lambda: (list(range(5000)),)])

    def limited(numbers):
        return sum(numbers[:1000])

    def recursive(numbers):
        return numbers[0] + recursive(numbers[1:]) if numbers else 0

    verdict = total.check(limited)
    assert verdict.kind == ex.SHORT_ONLY
    assert "gives 499500, not 12497500. Is there a number" in verdict.text
    verdict = total.check(recursive)
    assert verdict.kind == ex.SHORT_ONLY
    assert "and here your function needs a greater depth: use a loop." in verdict.text
    assert total.check(sum).kind == "right"


def test_a_share_that_is_nearly_a_slip_gets_its_reason():
    share = Value("?", 0.25, [(0.5, "those are distinct words.")], within=0.03)
    assert share.check(0.4972).text.endswith("those are distinct words.")


def test_what_is_read_from_the_notebook_is_told_but_no_tool_and_no_constant_of_the_cell():
    """A tokenizer and a name in capitals are variables too, also where the call fails."""
    given = {"tok": TOK, "END": "<|end|>", "words": [1]}
    reads = [
        ("tok", "return len(tok.vocab)"),
        ("END", "return END"),
        ("words", "return words[number]"),
    ]
    for name, line in reads:
        answer = run_cell(f"def double(number):\n    {line}", **given)["double"]
        said = f"this reads {name}, a variable of the notebook: use only what is given."
        assert said in DOUBLE.check(answer).text
    own = run_cell("END = '<|end|>'\ndef double(number):\n    return END", **given)["double"]
    assert "of the notebook" not in DOUBLE.check(own).text
    tool = run_cell("def double(number):\n    return np.abs(number)", np=np)["double"]
    assert "of the notebook" not in DOUBLE.check(tool).text


def test_results_that_come_in_a_list_are_right_and_the_tuple_is_told():
    both = Function("", divmod, [((7, 2), (3, 1)), ((1, 3), (0, 1))])
    assert both.check(lambda a, b: [a // b, a % b]).text.endswith(AS_A_LIST)
    assert both.check(divmod).text == "on 2 inputs"
    assert both.check(lambda a, b: [a % b, a // b]).text.startswith(
        "divmod(7, 2) gives [1, 3], not"
    )


def test_a_name_of_pythons_that_was_given_away_is_told():
    code = "def double(number):\n    list = [number]\n    return 2 * list(list)[0]"
    assert "line 2 gives the name list to" in DOUBLE.check(run_cell(code)["double"]).text


def run_answer(asked, code):
    """Return a function as a learner writes it, who has what the notebook has by then."""
    module, _, name = asked.partition(".")
    page = vars(import_module(FULL_NAMES[module]))
    solutions = {key.removeprefix("solve_"): page[key] for key in page if key.startswith("solve_")}
    space = {**page, "Counter": Counter, "pairwise": pairwise, "re": re, "merge": solve_merge}
    return run_cell(code, **space | solutions)[name]


TOK = Tokenizer.train("low low lower", scheme="gpt2", num_merges=2)
ANSWERS = []  # of learners: (exercise, what is said, the function)
for asked, said, code in sections("answers.md"):
    answer = run_answer(asked, code)
    marks = [pytest.mark.slow] if len(ANSWERS) % 2 else []
    ANSWERS.append(pytest.param(asked, said, answer, marks=marks))


@pytest.mark.parametrize(("name", "said", "answer"), ANSWERS)
def test_an_answer_of_a_learner_gets_the_verdict_that_it_should(
    name, said, answer, monkeypatch, capsys
):
    if not said.startswith("no reason: "):  # what a slow processor would not find in time
        monkeypatch.setattr(repair, "MOST_SECONDS", 9)
        monkeypatch.setattr(answers, "SECONDS_OF_WORKSHOP", 20)
    # Far from what an answer takes: a processor that has much to do is slower.
    monkeypatch.setattr(ex, "LEAST_SECONDS", 0.3 if said == SLOW else 5)
    exercise = EXERCISES[name]
    verdict = exercise.check(answer)
    if said in ("right", SLOW, ex.SHORT_ONLY):
        assert verdict.kind == said
    else:
        assert verdict.kind == "wrong"
        assert said.removeprefix("no reason: ") in verdict.text
    if said.startswith("no reason: "):
        assert not any(why[1:] in verdict.text for _, why in exercise.slips)
    if said == SLOW:
        goes_on = "it takes far longer than" if exercise.no_use else "the notebook goes on with"
        assert verdict.text.startswith(f"{goes_on} the course's {exercise.name}")
        assert exercise.use(answer) is exercise.solve
        ours = "the course's version is used here.\n"
        assert capsys.readouterr().out == f"{exercise.name} is right, but slow: {ours}"


# The mechanism, on an exercise of its own.


def double(number):
    """Double a number."""
    return number * 2


DOUBLE = Function("write double(number)", double, [((0,), 0), ((3,), 6)], hints=["add it up"])
NUMBERS = Function("", double, [((n,), n * 2) for n in (1000, 7)], draw=lambda c: (c.random(),))
THREE = Value("1 + 2?", 3, [(12, "that is a text put beside a text.")], because="as counted.")
HUNT = Hunt("find it", lambda text: text.replace("ab", ""), lambda text: text + "", ("ab",))


ODD = defaultdict(dict)  # what is odd about an answer -> how -> the answer
for kind, how, code in sections("odd_answers.md"):
    ODD[kind][how] = run_cell(code)["answer"]


@pytest.mark.parametrize(("asked", "given", "kind", "said"), rows("exercises/verdicts", globals()))
def test_what_is_handed_over_gets_the_verdict_that_it_should(asked, given, kind, said):
    verdict = asked.check(*given)
    assert verdict.kind == kind or kind == "…"
    pattern = ".*".join(map(re.escape, said.split("…")))
    assert re.fullmatch(pattern, verdict.text, re.DOTALL), verdict
    assert verdict.text.count("\n") == said.count("\n") or verdict.kind == "open"


def test_the_solution_of_a_value_is_its_verdict():
    assert THREE.solution() == Verdict("right", "3 – as counted.")


def test_what_a_learner_prints_is_shown_for_the_input_that_is_told(monkeypatch):
    monkeypatch.setattr(child, "MOST_STEPS", 10_000)

    prints = ODD["prints"]
    said = DOUBLE.check(prints["on the way"]).text
    assert said == "double(3) gives 4, not 6.\nThere it prints:\nnumber is 3"
    said = DOUBLE.check(prints["without an end"]).text
    beginning, _, printed = said.partition("\nThere it prints:\n")
    endless = "double(0) takes more than 10,000 steps: does it come to an end? – "
    assert re.fullmatch(re.escape(endless) + r"the loop of line \d+ has no break .*", beginning)
    assert printed.startswith("again\nagain\n")
    assert said.endswith(" …")


def total(numbers):
    return sum(numbers)


def test_many_steps_are_no_fault_where_they_take_little_time(monkeypatch):
    monkeypatch.setattr(child, "MOST_STEPS", 2000)
    cases = [(([1, 2],), 3), (([1] * 900,), 900), (([4],), 4)]
    asked = Function("", total, cases)

    def one_by_one(numbers):
        found = 0
        for number in numbers:
            found += number
        return found

    def one_by_one_and_wrong(numbers):
        found = one_by_one(numbers)
        return 5 if found == 4 else found

    def without_an_end(numbers):
        while len(numbers) == 900:
            pass
        return sum(numbers)

    def without_an_end_at_once(numbers):
        while numbers:
            pass

    assert asked.check(one_by_one) == Verdict("right", "on 3 inputs")
    assert "total([4]) gives 5, not 4" in asked.check(one_by_one_and_wrong).text
    monkeypatch.setattr(ex, "LEAST_SECONDS", 0.2)
    assert asked.check(without_an_end).kind == SLOW
    assert "does it come to an end?" in asked.check(without_an_end_at_once).text


def test_a_product_that_no_float_can_hold_is_told():
    name = "compression.code_length"
    code = "def code_length(ids, vocab_size):\n    share, counts = 1, Counter()\n"
    code += "    for n, token in enumerate(ids):\n"
    code += "        share *= {}\n        counts[token] += 1\n    return {}"
    share = "(counts[token] + 1) / (n + vocab_size)"
    for changes, said in {
        (share, "log2(1 / share)"): "so small that Python rounds it to 0: take the logarithm",
        (share, "-log2(share)"): "so small that Python rounds it to 0: take the logarithm",
        (f"1 / ({share})", "log2(share)"): "beyond what a float can hold, and becomes inf: take",
    }.items():
        verdict = EXERCISES[name].check(run_answer(name, code.format(*changes)))
        assert verdict.kind == ex.SHORT_ONLY
        assert said in verdict.text


def test_a_wrong_result_is_told_before_a_changed_input():
    known = "def unknown_words(words, known):\n    {}return [w for w in words if w not in known]"
    for change, said in {
        "known.add('lamp')\n    ": "gives [], not ['lamp']",
        "known.add('lamb')\n    ": "gives the right result, but changes its input",
    }.items():
        answer = run_answer("start_here.unknown_words", known.format(change))
        assert said in EXERCISES["start_here.unknown_words"].check(answer).text


def test_the_line_of_an_error_is_that_of_the_learners_cell():
    space = {}
    exec(compile("\n\ndef double(number):\n    x = 1\n    return x[0]", "<cell>", "exec"), space)
    assert DOUBLE.check(space["double"]).text.endswith("(line 5 of your cell)")


@pytest.mark.parametrize("how", ODD["object"])
def test_whatever_is_handed_over_gets_a_verdict_in_one_line(how):
    answer = ODD["object"][how]
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


UNDECIDED = Verdict("open", str(child.OutOfTime()))
WITH_PROCESSES = pytest.mark.skipif(not hasattr(os, "setsid"), reason="no process can be forked")


@WITH_PROCESSES
@pytest.mark.parametrize("how", some_of(ODD["takes long"]))
def test_a_check_takes_bounded_time_whatever_it_runs_and_what_it_cant_decide_is_open(
    how, monkeypatch, capsys
):
    answer = ODD["takes long"][how]
    limits = parent.LIMITS._replace(seconds=1, wait=0.5)
    monkeypatch.setattr(parent, "LIMITS", limits)
    asked = Function("?", double, [((n,), None) for n in range(20)])
    logged = len(LOG)
    assert asked.check(answer) == UNDECIDED
    assert asked.use(answer) is double
    assert "double is not decided, it takes too long." in capsys.readouterr().out
    assert len(LOG) == logged  # so neither a record nor a class report has it


@WITH_PROCESSES
def test_a_busy_machine_changes_no_verdict(monkeypatch):
    """While a process is stopped, the clock goes on; its own time doesn't."""
    monkeypatch.setattr(parent, "LIMITS", parent.LIMITS._replace(seconds=1))

    def stopped(number):
        if number == 0:
            waker = f"import os, time; time.sleep(1); os.kill({os.getpid()}, {signal.SIGCONT})"
            subprocess.Popen([sys.executable, "-c", waker])
            os.kill(os.getpid(), signal.SIGSTOP)
        return number * 2

    assert DOUBLE.check(stopped).kind == "right"
    monkeypatch.setattr(job.time, "monotonic", lambda: 0.0)  # the clock has stopped
    assert DOUBLE.check(double).kind == "right"
    assert DOUBLE.check(ODD["takes long"]["bare except"]) == UNDECIDED


@WITH_PROCESSES
@pytest.mark.parametrize("what", ODD["leaves something running"])
def test_what_an_answer_leaves_running_holds_nothing_up_and_is_ended(what, tmp_path):
    answer = ODD["leaves something running"][what]
    note = tmp_path / "group"

    def noted(number):
        note.write_text(str(os.getpgid(0)))
        return answer(number)

    assert DOUBLE.check(noted).kind == "right"
    with pytest.raises(ProcessLookupError):
        os.killpg(int(note.read_text()), 0)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(parent, "LIMITS", parent.LIMITS._replace(memory=2**26))
    verdict = DOUBLE.check(lambda number: len("x" * 2**28))
    assert verdict.kind == "open"  # nothing is known of it
    assert "it takes more memory" in verdict.text


@WITH_PROCESSES
def test_what_ends_python_ends_a_process_of_its_own():
    ended = DOUBLE.check(lambda number: os._exit(0))
    assert ended == Verdict("wrong", "your function ended Python itself")
    assert "EOFError" in DOUBLE.check(lambda number: input("number? ")).text


def test_where_no_process_can_be_had_time_and_steps_are_bounded_as_well(no_process, capsys):
    no_process.setattr(parent, "LIMITS", parent.LIMITS._replace(seconds=0.2))
    many = Function("?", double, [((n,), 2 * n) for n in range(100)])

    def slow(number):
        end = time.process_time() + 0.02
        while time.process_time() < end:
            pass
        return number * 2

    assert many.check(slow) == UNDECIDED
    no_process.setattr(child, "MOST_STEPS", 1000)
    for answer in ODD["too many steps"].values():
        assert "double(0) takes more than 1,000 steps" in many.check(answer).text
    assert "double(0) takes more than" in many.check(ODD["takes long"]["bare except"]).text
    assert many.check(double).kind == "right"
    assert "EOFError" in DOUBLE.check(lambda number: input("number? ")).text
    said = capsys.readouterr().out
    assert said.startswith("This kernel can't start processes,")
    assert said.count("kernel can't") == 1  # it is said once
    no_process.undo()


def test_what_is_slow_is_stopped_without_an_alarm_as_well(no_process):
    name = "char_bpe.count_pairs"
    answers = [param.values for param in ANSWERS]
    *_, two_loops = [one for asked, said, one in answers if (asked, said) == (name, SLOW)]
    assert EXERCISES[name].check(two_loops).kind == SLOW


def test_only_steps_of_the_learners_own_count(monkeypatch):
    monkeypatch.setattr(child, "MOST_STEPS", 1000)

    assert DOUBLE.check(ODD["right"]["with much work in a library"]).kind == "right"


def test_a_choice_may_be_given_by_its_name_or_by_all_that_it_says():
    for exercise in EXERCISES.values():
        choices = getattr(exercise, "choices", {})
        for choice, text in choices.items():
            assert find_meant(choice, choices) == find_meant(text, choices) == [choice]


def test_what_is_folded_away_is_seen_after_a_click_and_escaped():
    html = fold("<b> & more")._repr_html_()
    assert html.startswith("<details><summary")
    assert "&lt;b&gt; &amp; more" in html
    assert "<b>" in fold(DOUBLE.check())._repr_html_()
    assert repr(fold([1])) == "[1]"
    assert "Why:" not in html
    assert html.count("&lt;") < fold("<b>", why="1 < 2")._repr_html_().count("&lt;") == 2


def test_a_verdict_says_what_it_is_in_words_sign_and_colour():
    for kind, sign in {"right": "✓", "wrong": "✗", "open": "…"}.items():
        verdict = Verdict(kind, "1 < 2")
        assert f"{sign} {kind}:" in verdict._repr_html_()
        assert "1 &lt; 2" in verdict._repr_html_()
        assert str(verdict) == f"{sign} {kind}: 1 < 2"
