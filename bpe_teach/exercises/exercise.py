"""What an exercise is: a question, a check that names the misconception, hints, a solution.

The learner hands over an answer, a value or a function: ``ask.count_pairs.check(count_pairs)``.
The check looks at nothing else. A function is called in a child process, see `runner`; cases,
solutions, comparing and the verdict stay here.
"""

import ast
import builtins
import copy
import dis
import inspect
import linecache
import math
import random
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from html import escape
from numbers import Real
from operator import itemgetter
from textwrap import dedent

from bpe_teach.exercises.doubts import find_doubtful
from bpe_teach.exercises.raised import explain
from bpe_teach.exercises.reading import (
    find_changing,
    find_endless,
    find_none,
    find_shadow,
    find_yield,
    has_code,
)
from bpe_teach.exercises.repair import ONE_CHANGE, find_repair
from bpe_teach.exercises.results import find_in_results
from bpe_teach.exercises.runner import child, parent
from bpe_teach.exercises.runner.child import (
    OutOfTime,
    TooManySteps,
    is_unwritten,
    run_bounded,
)
from bpe_teach.exercises.runner.parent import Asking, Outcome, OutOfTimeInside, Raised
from bpe_teach.exercises.runner.values import is_data, is_plain, make_object, pack, unpack

RANDOM_INPUTS = 200
MOST = 0.8  # a slip is named if it does the same on this share of the inputs where one fails
SECONDS_OF_WORKSHOP = 4  # of the processor, for changed functions that are tried
LEAST_OF_WORKSHOP = 1  # of these, for a changed function on a long input
FEWER = 3  # one of so many further random inputs is tried there
SLIP_STEPS = 30_000  # of a slip that is compared with an answer
KEEPS = (
    "called again, this gives something else: does a list outside the function, or a default such "
    "as [], keep what was put into it?"
)
DRAWS_LOTS = (
    "called again, this gives something else, because it draws lots with random: the result must "
    "follow from the input alone."
)
KEEPS_FOR_OTHERS = (
    "called first, it gives the right result here, but not after other calls: does something "
    "outside the function keep a result that isn't for this input?"
)
AS_A_LIST = "The course gives a tuple; a list of these results does as well."
TIMES_SLOWER = 20  # than the course's own; Python's ways of doing the same work differ by less
LEAST_SECONDS = 1  # of the processor, on a long input, before anything is called slow
MOST_SECONDS = 2.5
SPARE = 1.3  # times as many seconds, since the computer may be busy
# a piece of a word that was split: what is left between separators
PIECE = re.compile(r"""[^\s,|·+()\[\]'"-]+""")
LONGEST_SHOWN = 120  # characters of an input or a result
LONGEST_PRINTED = 500  # characters of what a learner's function prints

LOOKS = {  # kind of a verdict -> sign, colour
    "right": ("✓", "#009e73"),
    "right, but slow": ("✓", "#009e73"),
    "right on short inputs only": ("…", "#b07c00"),
    "wrong": ("✗", "#d55e00"),
    "open": ("…", "#767676"),
}
SHORT_ONLY = "right on short inputs only"
UNJUDGED = ("open", SHORT_ONLY)  # neither right nor wrong, so no record has it
LOG: list[tuple["Exercise", "Verdict"]] = []  # of this session; only `record` writes it down
BOX = "padding:4px 10px;margin:4px 0;font:15px/1.4 system-ui,sans-serif"
OURS = ("bpe_teach.", "bpe_further.")  # how the names of the course's modules begin


@dataclass(frozen=True, repr=False)
class Verdict:
    """What a check says about an answer. ``kind`` is one of those in `LOOKS`.

    >>> Verdict("open", "how many bytes does é have?")
    … open: how many bytes does é have?
    """

    kind: str
    text: str

    def __repr__(self) -> str:
        sign, _ = LOOKS[self.kind]
        return f"{sign} {self.kind}: {self.text}"

    def _repr_html_(self) -> str:
        sign, colour = LOOKS[self.kind]
        tint = f"{colour}26"  # lets the page through, light or dark
        style = f"{BOX};background:{tint};border-left:5px solid {colour};white-space:pre-wrap"
        return (
            f'<div role="status" style="{style}"><b>{sign} {self.kind}:</b> '
            f"{escape(self.text)}</div>"
        )


@dataclass(frozen=True, repr=False)
class Exercise:
    """What every kind of exercise has: a question, and hints that lead to its answer step by step.

    At the end of a cell an exercise shows its question, and nothing of the answer.

    >>> Value("how many bytes does é have?", 2, hints=["more than one"])
    … open: how many bytes does é have?
    """

    ask: str
    hints: Sequence[str] = field(default=(), kw_only=True)
    place: str = field(default="", kw_only=True)  # module and name, if it is one of the course's

    def __repr__(self) -> str:
        return repr(self.check())

    def _repr_html_(self) -> str:
        return self.check()._repr_html_()

    def check(self, *answer) -> Verdict:
        """Return whether an answer is right, and if it is a known slip, the misconception.

        An answer of several parts may come as one or as several: check((3, 2)), check(3, 2).
        """
        verdict = self._verdict(*answer)
        is_ours = bool(answer) and answer[0] is getattr(self, "solve", None)  # lent by `use`
        if verdict.kind not in UNJUDGED and not is_ours:
            LOG.append((self, verdict))
        return verdict

    def _verdict(self, *answer) -> Verdict:
        if all(part is None for part in answer) or any(part is ... for part in answer):
            return Verdict("open", self._question())
        try:
            return self._judge(*answer)
        except OutOfTime as fault:
            return Verdict("open", str(fault))
        except ChildProcessError as fault:
            return Verdict("wrong", str(fault))
        except Exception as error:  # whatever a learner made may raise anything
            return Verdict(
                "wrong", f"this answer cannot be compared: that raises {type(error).__name__}"
            )

    def _question(self) -> str:
        return self.ask

    def hint(self, number: int = 1) -> Verdict:
        """Return a hint; each says more than the one before.

        >>> Value("how many bytes does é have?", 2, hints=["more than one"]).hint()
        … open: hint 1 of 1: more than one
        """
        if not 1 <= number <= len(self.hints):
            return Verdict("open", f"there are {len(self.hints)} hints: hint(1) is the first")
        return Verdict("open", f"hint {number} of {len(self.hints)}: {self.hints[number - 1]}")


@dataclass(frozen=True, repr=False)
class Value(Exercise):
    """A question whose answer is a value.

    ``slips`` holds known wrong answers, each with its misconception. ``because`` explains the right
    answer, and ``otherwise`` says what is wrong with any other text. If there are ``choices``
    (name -> what it says), the answer is one of the names; if there are ``names``, it is one or
    more of them, in any order, as a list or a text, and a slip may be a name that such an answer
    wrongly has or lacks. A number may be off by ``within``.

    >>> bytes_of_e = Value("how many bytes does é have?", 2, [(1, "a byte is not a character.")])
    >>> bytes_of_e.check(1)
    ✗ wrong: 1 – a byte is not a character.
    >>> bytes_of_e.check(2), bytes_of_e.check(...)
    (✓ right: 2., … open: how many bytes does é have?)
    >>> asked = Value("which are vowels?", "AE", names="ABCDE")
    >>> [asked.check(answer).kind for answer in ("AE", "e, a", ["E", "A"], "AB")]
    ['right', 'right', 'right', 'wrong']
    """

    right: object
    slips: Sequence[tuple[object, str]] = ()
    otherwise: str = field(default="", kw_only=True)
    because: str = field(default="", kw_only=True)
    choices: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    within: float = field(default=0, kw_only=True)
    names: Sequence[str] = field(default=(), kw_only=True)

    def _judge(self, *parts) -> Verdict:
        parts = as_data(parts)
        answer = parts[0] if len(parts) == 1 else parts
        if self.names and isinstance(answer, str | list | tuple | set):
            answer = self._select(answer)
        answer = _as_written(answer, self.right)
        if self.choices and not (isinstance(answer, str) and answer in self.choices):
            if len(meant := _find_meant(answer, self.choices)) != 1:
                fault = f"{_show(answer)} is not among the answers."
                return Verdict("open", fault + self._list_choices())
            (answer,) = meant
        if self._is_right(answer):
            return Verdict("right", _sentences(f"{_show(answer)}.", self.because))
        for slip, why in self.slips:
            if self._is_slip(answer, slip):
                return Verdict("wrong", _sentences(f"{_show(answer)}.", why))
        return Verdict("wrong", _sentences(f"{_show(answer)}.", self._how_wrong(answer)))

    def _select(self, answer):
        """Return the names that an answer selects, in our order; the answer if it has others."""
        text = answer if isinstance(answer, str) else " ".join(map(str, answer))
        pattern = "|".join(self.names)
        if re.search(r"\w", re.sub(pattern, "", text, flags=re.IGNORECASE)):
            return answer
        found = re.findall(pattern, text.lower(), re.IGNORECASE)
        chosen = [name for name in self.names if name.lower() in found]
        return "".join(chosen) if isinstance(self.right, str) else chosen

    def _is_slip(self, answer, slip) -> bool:
        """Return whether an answer shows a slip: a wrong value, or a name too many or too few."""
        if slip in list(self.names) and isinstance(answer, str | list):
            return set(answer) <= set(self.names) and (slip in answer) != (slip in self.right)
        written = _as_written(answer, slip)
        if self.within and is_number(slip) and is_number(written):
            return abs(written - slip) <= self.within / 2
        return _same(written, slip)

    def solution(self) -> Verdict:
        """Return the answer, with the reason."""
        return Verdict("right", _sentences(f"{_show(self.right)}.", self.because))

    def _question(self) -> str:
        return self.ask + self._list_choices()

    def _how_wrong(self, answer) -> str:
        """Return what is wrong with a value that is not a known slip."""
        fault = _type_fault(answer, self.right)
        if fault or not isinstance(self.right, int | float) or isinstance(self.right, bool):
            return fault or self.otherwise
        return "that is too high." if answer > self.right else "that is too low."

    def _is_right(self, answer) -> bool:
        if self.within and is_number(answer):
            within = self.within + 1e-9  # 0.28 - 0.25 is above 0.03
            return self.right - within <= answer <= self.right + within
        return _same(answer, self.right)

    def _list_choices(self) -> str:
        return "".join(f"\n  {name!r}: {text}" for name, text in self.choices.items())


@dataclass(frozen=True, repr=False)
class Function(Exercise):
    """A question whose answer is a function.

    ``cases`` are chosen by hand: (arguments, right result). ``draw`` makes random arguments from a
    ``seed``; for these the right result is that of ``solve``, the solution. ``slips`` are
    functions with a typical mistake, each with its misconception, which is said only if the answer
    has the code that ``only_with`` gives for the slip. README.md says what else there is.
    samples.md has ``habits``, which any function may have, and what ``errors`` mean.

    >>> def double(number): return number * 2
    >>> q = Function("write double(number)", double, [((3,), 6)], [(lambda n: n**2, "that is n².")])
    >>> q.check(lambda number: number + number)
    ✓ right: on 1 input
    >>> q.check(lambda number: number ** 2)
    ✗ wrong: double(3) gives 9, not 6 – that is n².
    """

    solve: Callable
    cases: Sequence[tuple[tuple, object]]
    slips: Sequence[tuple[Callable, str]] = ()
    draw: Callable[[random.Random], tuple] | None = field(default=None, kw_only=True)
    judge: Callable[..., str] | None = field(default=None, kw_only=True)
    bare: Callable | None = field(default=None, kw_only=True)  # leaves out what doesn't count
    in_order: bool = field(default=False, kw_only=True)  # the order of a dict counts too
    within: float = field(default=0, kw_only=True)  # how far a float may be off
    long: Sequence[Callable[[], tuple]] = field(default=(), kw_only=True)  # as the next cell's
    slow: str = field(default="", kw_only=True)
    no_use: bool = field(default=False, kw_only=True)  # by later cells of the notebook
    habits: Sequence[tuple[Callable, str]] = field(default=(), kw_only=True)
    errors: Mapping[str, str] = field(default_factory=dict, kw_only=True)  # name -> what it means
    only_with: Mapping[Callable, str] = field(default_factory=dict, kw_only=True)  # slip -> code
    seed: int = field(default=0, kw_only=True)  # of the random inputs; a grade takes another one
    kept: dict = field(default_factory=dict, init=False, compare=False)  # what is worked out once

    @property
    def name(self) -> str:
        """Return the name of the function to write."""
        return _name(self.solve)

    def with_seed(self, seed: int) -> "Function":
        """Return the same question with other random inputs.

        >>> import bpe_teach.exercises.char_bpe as ask
        >>> other = ask.merge.with_seed(7)
        >>> other.name, other._all_cases() == ask.merge._all_cases()
        ('merge', False)
        """
        return replace(self, seed=seed)

    def prepare(self) -> None:
        """Work out the right results of all inputs now, and keep them, because that takes time."""
        self.lent()
        list(self._long_cases())

    def _judge(self, answer, *others) -> Verdict:
        """Return whether a function is right; if not, on which input, and the slip if known."""
        if is_unwritten(getattr(answer, "__code__", None)):
            return Verdict("open", self.ask)
        if others or not callable(answer):
            fault = f"hand over the function itself, check({self.name}), not what it returns"
            return Verdict("wrong", fault)
        with Answer.of_notebook(answer, self.lent()) as remote:
            return self.verdict_on(remote)

    def verdict_on(self, answer: "Answer") -> Verdict:
        """Return the verdict on a function that is called elsewhere."""
        cases = self._all_cases()
        outcomes = answer.call_each([given for given, _ in cases])
        got = []  # input, right result, outcome, what is wrong with it
        for (given, right), outcome in zip(cases, outcomes, strict=False):
            if not outcome.too_long:
                got.append((given, right, outcome, self._fault(outcome, given, right)))
            elif not any(fault for *_, fault in got):
                most = f"{child.MOST_STEPS:,} steps"
                said = f"{_call(self.solve, given)} takes more than {most}: does it come to an end?"
                why = self._mend(answer, [(given, right), *cases]) or find_endless(answer.text)
                said = _sentences(said, why)
                return Verdict("wrong", said + _show_printed(outcome))
        if not any(fault for *_, fault in got):
            verdict = self._judge_at_size(answer, len(cases))
            is_list = any(_is_list_of_results(row[2].value, row[1]) for row in got)
            if is_list and verdict.kind == "right":
                return Verdict("right", f"{verdict.text}. {AS_A_LIST}")
            return verdict
        got.sort(key=_is_long)  # the first input chosen by hand is shown, unless it is long
        _, _, outcome, fault = next(row for row in got if row[-1])
        said = _sentences(fault, self._why(answer, got, cases))
        return Verdict("wrong", said + _show_printed(outcome))

    def _judge_at_size(self, answer: "Answer", number: int) -> Verdict:
        """Return the verdict on a function that is right on a number of short inputs."""
        right = Verdict("right", f"on {number} input{'s' if number > 1 else ''}")
        for given, result, ours in self._long_cases():
            outcome = answer.call_at_size(given, _most_seconds(ours))
            if outcome.too_long:
                said = f"the notebook goes on with the course's {self.name}."
                if self.no_use:
                    said = f"it takes far longer than the course's {self.name}."
                slow = self.slow or "Does it do the same work again and again?"
                return Verdict("right, but slow", _sentences(said, slow))
            if fault := self._fault_at_size(outcome, given, result):
                said = self._say_at_size(answer, outcome, given, result, fault)
                return Verdict(SHORT_ONLY, f"{right.text} it is. But on a long input, {said}")
        return right

    def _fault_at_size(self, outcome: Outcome, given: tuple, right) -> str:
        """Return what is wrong with the outcome on a long input, or "" if nothing is."""
        if _equal_at_size(outcome, right, self.in_order):
            return ""
        return self._fault(outcome, given, right)

    def _say_at_size(
        self, answer: "Answer", outcome: Outcome, given: tuple, right, fault: str
    ) -> str:
        """Return what is wrong with the outcome on a long input, shown as far as there is room."""
        if outcome.error:
            fault = f"raises {outcome.error.name}: {self._meaning_at_size(outcome.error)}"
        elif outcome.changed or self.judge:
            fault = fault.removeprefix(_call(self.solve, given)).strip()
        else:
            why = self._limit_at_size(answer, outcome.value, right)
            fault = _sentences(f"{_difference(outcome.value, right)}.", why)
        return f"{_call(self.solve, given, LONGEST_OF_LONG)} {fault}"

    def _limit_at_size(self, answer: "Answer", got, right) -> str:
        """Return what may limit an answer that is right on short inputs, "" if nothing is seen."""
        if has_code(answer.text, WITH_FEW_BITS) and (why := _running_over(got, right)):
            return why
        if type(right) is float and has_code(answer.text, "round("):
            return ROUNDED
        return LIMITED if answer.has_number() else ""

    def _long_cases(self) -> Iterator[tuple[tuple, object, float]]:
        """Yield each long input, its right result, and the seconds that the solution takes."""
        for number, make in enumerate(self.long):
            key = number, child.has_alarm()  # without an alarm, answer and solution are traced
            if key not in self.kept:
                given = make()
                result, seconds = child.measure(self.solve, copy.deepcopy(given))
                self.kept[key] = given, result, seconds
            yield self.kept[key]

    def _meaning_at_size(self, error: Raised) -> str:
        """Return what an error says about a function that is right on short inputs."""
        if error.name == "RecursionError":
            depth = f"Python stops at a depth of {sys.getrecursionlimit():,} calls"
            return f"{depth}, and here your function needs a greater depth: use a loop."
        return _sentences(f"{error.why}.", self._meaning_of_error(error))

    def lent(self) -> dict[str, object]:
        """Return, by name, the arguments that aren't data, such as functions."""
        if "lent" not in self.kept:
            given = [part for arguments, _ in self._all_cases() for part in arguments]
            others = {id(part): part for part in given if not is_data(part)}
            self.kept["lent"] = {f"lent {n}": part for n, part in enumerate(others.values())}
        return self.kept["lent"]

    def use(self, answer=...) -> Callable:
        """Return the learner's function if it is right, else the solution; print which."""
        if answer is self.solve:  # the cell is run again after the name was given to the course's
            print(f"{self.name}: the course's version is used here.")
            return answer
        verdict = self.check(answer)
        if verdict.kind == "right":
            print(f"Your {self.name} is used from here on.")
            return answer
        states = {"open": "not written yet", "wrong": "not right yet"}
        state = states.get(verdict.kind, verdict.kind)
        if verdict.text.startswith("not decided"):
            state = verdict.text.removesuffix(".")
        print(f"{self.name} is {state}: the course's version is used here.")
        return self.solve

    def source(self) -> str:
        """Return the solution as text."""
        return source_of(self.solve)

    def solution(self) -> None:
        """Print the solution."""
        print(self.source())

    def _all_cases(self) -> list[tuple[tuple, object]]:
        """List inputs and right results: those chosen by hand, then random ones, easy ones first.

        The first case that an answer fails is shown.
        """
        if RANDOM_INPUTS not in self.kept:
            chance = random.Random(self.seed)
            drawn = [self.draw(chance) for _ in range(RANDOM_INPUTS if self.draw else 0)]
            cases = list(self.cases)
            for given in sorted(drawn, key=_by_length):
                cases.append((given, self.solve(*copy.deepcopy(given))))
            self.kept[RANDOM_INPUTS] = cases
        return self.kept[RANDOM_INPUTS]

    def first_fault(self, function: Callable) -> str:
        """Return what is wrong with a function of the course on the first case that it fails.

        The site shows slips in this way.

        >>> from bpe_teach.exercises import char_bpe
        >>> slip, _ = char_bpe.merge.slips[0]
        >>> char_bpe.merge.first_fault(slip) != "", char_bpe.merge.first_fault(char_bpe.merge.solve)
        (True, '')
        """
        for given, right in self._all_cases():
            if fault := self._fault(_try(function, given, SLIP_STEPS), given, right):
                return fault
        return ""

    def _fault(self, outcome: Outcome, given: tuple, right) -> str:
        """Return what is wrong with the outcome on one input, or "" if nothing is."""
        call = _call(self.solve, given)
        if outcome.too_long:
            return f"{call} does not come to an end"
        if error := outcome.error:
            where = f" (line {error.line} of your cell)" if error.line else ""
            return f"{call} raises {error}{where}"
        shown, wanted = _show(outcome.value), _show(right)
        got = tuple(outcome.value) if _is_list_of_results(outcome.value, right) else outcome.value
        if self.judge:
            fault = _type_fault(got, right) or _part_fault(got, right)
            if fault := fault or self.judge(got, *given):
                return _sentences(f"{call} gives {shown}.", fault)
        elif got is None and right is not None:
            return f"{call} gives None, not {_show(right)}."
        elif not _same(self._without(got), right, self.in_order, self.within):
            about = "about " if self.within else ""
            fault = f"{call} gives {shown}, not {about}{wanted}."
            if shown == wanted:  # both are cut before they differ
                fault = f"{call} {_difference(got, right)}."
            if _same(got, right):
                return _sentences(fault, "The order is wrong: what is met first should come first.")
            return _sentences(fault, _type_fault(got, right) or _part_fault(got, right))
        if outcome.changed:
            return f"{call} gives the right result, but changes its input"
        return ""

    def _why(self, answer: "Answer", got: list[tuple], cases: list) -> str:
        """Return the misconception: that of the slip which does the same as the answer.

        A slip must do the same on the first input on which the answer fails, which is shown, and on
        all but a few of those on which the slip or the answer fails. The most similar slip is
        named.
        """
        failed = [row for row in got if row[-1]]
        given, right, shown, _ = failed[0]
        if self._same_outcome(shown, Outcome(right)):
            return find_changing(answer.text, given)  # right, but for its input: no slip does that
        if isinstance(shown.value, Iterator):  # a generator, map, filter: it can be read only once
            return _read_once(answer.text, right)
        if _told(shown) != _told(answer.call(given)):
            return DRAWS_LOTS if has_code(answer.text, "random") else KEEPS
        if answer.is_first_right(given, lambda first: not self._fault(first, given, right)):
            return KEEPS_FOR_OTHERS
        if shown.error and (shadow := self._given_away(shown.error, answer)):
            return shadow
        ordered = [*failed, *[row for row in got if not row[-1]]]
        rows = [(given, outcome, bool(fault)) for given, _, outcome, fault in ordered]
        says_much = len({_told(row[2]) for row in failed}) > 1 and not shown.error
        slips = [slip for slip in self.slips if self._may_be(slip[0], answer.text)]
        share, why = self._most_alike(slips, rows)
        if share < 1 and says_much:
            habits = [habit for habit in self.habits if self._may_be(habit[0], answer.text)]
            habit = self._most_alike(habits, rows)
            share, why = max((share, why), habit, key=itemgetter(0))
        # what is only similar may be something else, and a question is a guess; a repair is not
        if share < 1 or why.endswith("?"):
            first = [(given, right) for given, right, _, _ in failed]
            mended = self._mend(answer, [*first, *cases])
            if share < 1 or mended.startswith(ONE_CHANGE):
                why = mended or why
        why = why or self._meaning(answer, given, shown) or _order_fault(shown.value, right)
        if why:
            return why
        if all(map(_is_long, failed)) and answer.has_number():
            return LIMITED
        rows = [
            (given, right, replace(outcome, value=self._without(outcome.value)), fault)
            for given, right, outcome, fault in ordered
        ]
        return find_in_results(rows, _arguments_of(self.solve), only_one=not self.judge)

    def _may_be(self, slip: Callable, text: str) -> bool:
        """Return whether an answer has the code that the reason of a slip speaks of, if any."""
        code = self.only_with.get(slip, "")
        return not code or has_code(text, code)

    def _most_alike(self, slips: Sequence[tuple[Callable, str]], got: list) -> tuple[float, str]:
        """Return how often the most similar slip agrees with an answer, and the slip's reason."""
        rows = [(self._share_alike(slip, got), why) for slip, why in slips]
        return max([(0, ""), *rows], key=itemgetter(0))

    def _mend(self, answer: "Answer", cases: list[tuple[tuple, object]]) -> str:
        """Return a sentence on the small change that makes an answer right, or ""."""
        if not answer.text:
            return ""
        with suppress(OutOfTime, ChildProcessError):
            return find_repair(answer, source_of(self.solve), cases, self._fault, self._holds)
        return ""

    def _holds(self, runner: Asking, name: str) -> bool:
        """Return whether a function that passes all cases is right on further and long inputs."""
        others = self.with_seed(self.seed + 1)._all_cases()[len(self.cases) :: FEWER]
        outcomes = runner.call_each(name, [given for given, _ in others])
        for (given, right), outcome in zip(others, outcomes, strict=False):
            if self._fault(outcome, given, right):
                return False
        for given, right, ours in self._long_cases():
            outcome = runner.call(name, given, seconds=max(LEAST_OF_WORKSHOP, 2 * ours))
            # what takes long is slow, and may be right
            if not outcome.too_long and self._fault_at_size(outcome, given, right):
                return False
        return True

    def _same_outcome(self, one: Outcome, other: Outcome) -> bool:
        """Return whether two outcomes are the same, but for what doesn't count."""
        if self.bare:
            one, other = (replace(item, value=self._without(item.value)) for item in (one, other))
        return _same_outcome(one, other, self.in_order, self.within)

    def _without(self, value):
        """Return a result without what doesn't count, such as a change of 0."""
        return self.bare(value) if self.bare and isinstance(value, Mapping) else value

    def _share_alike(self, slip: Callable, got: list[tuple]) -> float:
        """Return how often slip and answer agree, of the inputs where either fails; 0 if seldom."""
        alike = unlike = undecided = 0
        for given, outcome, has_failed in got:
            other = _try(slip, given, SLIP_STEPS)
            is_alike = self._same_outcome(outcome, other)
            alike += is_alike and has_failed
            undecided += other.too_long
            unlike += not is_alike and not other.too_long
            if not alike + undecided or unlike + undecided > (1 - MOST) * len(got):
                return 0
        share = alike / (alike + unlike) if alike else 0
        return share if share >= MOST else 0

    def _meaning(self, answer: "Answer", given: tuple, outcome: Outcome) -> str:
        """Return why an answer that is no known slip is wrong, or ""."""
        function = inspect.unwrap(answer.function) if answer.function else None
        arguments = _arguments_of(self.solve)
        for called, used in {"this": function, **_globals_of(function)}.items():
            if str(getattr(used, "__module__", "")).startswith(OURS):
                continue
            for name, value in _globals_of(used).items():
                is_argument = used is not function and name in arguments and not callable(value)
                if is_argument or self._is_of_the_notebook(value, name, used):
                    where = f"{name}, a variable of the notebook"
                    return f"{called} reads {where}: use only what is given."
        if outcome.error:
            return self._meaning_of_error(outcome.error, answer.text)
        if outcome.value is None:
            return find_none(answer.text) or "is there a return for this case?"
        return find_doubtful(answer.text, lambda text: answer.differs(text, given, outcome))

    def _is_of_the_notebook(self, value, name: str, used: Callable) -> bool:
        """Return whether what a function reads is a variable, and none that its own cell sets."""
        is_ours = type(value).__module__.startswith(OURS)  # such as a tokenizer
        is_tool = callable(value) or type(value).__module__.startswith(__package__)
        if is_tool or not (is_ours or isinstance(value, str | list | tuple | dict | set)):
            return False
        page = self.solve.__globals__
        is_lent = page.get(name) is value  # such as SCHEMES
        is_of_page = not is_ours and _is_among(value, page.values())  # by whatever name
        return not (is_lent or is_of_page) and name not in _set_beside(used)

    def _given_away(self, error: Raised, answer: "Answer") -> str:
        """Return a sentence if an error comes from a name that was given to something else."""
        if error.name == "UnboundLocalError":
            name = re.search(r"variable '(\w+)'", error.why)
            return find_shadow(answer.text, name[1] if name else "")
        if "not callable" not in error.why:
            return ""
        name = error.code.partition("(")[0].strip()
        spaces = [getattr(answer.function, "__globals__", {}), self.solve.__globals__]
        is_function = any(callable(space.get(name)) for space in spaces)
        if said := find_shadow(answer.text, name if is_function else ""):
            return said
        held = next((one.text for one in error.values if one.name == name), "")
        if held and hasattr(builtins, name):
            is_now = f"{name} is {held} in this notebook, and no longer Python's {name}(…)"
            return f"{is_now}: give that value another name, and run del {name}."
        return ""

    def _meaning_of_error(self, error: Raised, text: str = "") -> str:
        """Return what an error of Python's means, or ""."""
        matches = (why for pattern, why in self.errors.items() if re.search(pattern, str(error)))
        return explain(error, text) or next(matches, "")


def _is_among(value, others: Iterable) -> bool:
    """Return whether an equal value of the same type is among others."""
    return any(type(other) is type(value) and other == value for other in others)


LEAST_LIMIT = 3  # smaller numbers are places and steps
LIMIT_IN_PATTERN = re.compile(r"\{\d*,?\d+\}")  # as in "a{1,30}"
LIMITED = "Is there a number in your function that limits it?"
ROUNDED = "Is something rounded on the way? What is lost there adds up."
WITH_FEW_BITS = "int8 or int16 or int32 or array or np. or numpy"  # code that may set a type
LONGEST_OF_LONG = 40  # characters of each argument of a long input
LONGEST_ENDLESS = 200  # characters of an input on which a faulty program is believed to never end


class Answer:
    """A function that is judged: it is called in a child, and only read here.

    ``name`` is what the child calls it, ``text`` its source in the lines of its cell or file ("" if
    that isn't known), and ``function`` the function itself if this process has it. ``workshop``
    starts a child in which changed functions are tried, which may do nothing but compute.
    """

    def __init__(
        self,
        runner: Asking,
        name: str,
        *,
        text: str = "",
        function: Callable | None = None,
        workshop: Callable[[], Asking] | None = None,
    ):
        self.runner, self.name, self.text = runner, name, text
        self.function, self.workshop = function, workshop

    @classmethod
    def of_notebook(cls, function: Callable, lent: dict[str, Callable]) -> "Answer":
        """Return the answer that a function of this process is; its child is ended with it."""
        inner = inspect.unwrap(function)
        space = getattr(inner, "__globals__", {})
        functions = {**lent, "answer": function}

        def workshop() -> Asking:
            limits = parent.LIMITS._replace(seconds=SECONDS_OF_WORKSHOP)
            return parent.start(space, functions, limits=limits, may_act=False)

        runner = parent.start(space, functions)
        text = _lines_of(inner)
        return cls(runner, "answer", text=text, function=function, workshop=workshop)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.runner.close()

    def call(self, given: tuple, **limits) -> Outcome:
        """Return the outcome of a call; raise `OutOfMemory` if the limit on memory ended it."""
        return _within_memory([self.runner.call(self.name, given, **limits)])[0]

    def call_at_size(self, given: tuple, seconds: float) -> Outcome:
        """Return the outcome on a long input, which may take so many seconds of the processor."""
        try:
            return self.call(given, seconds=SPARE * seconds)
        except OutOfTimeInside:  # in one step that nothing could stop, such as a long sort
            return Outcome(too_long=True)

    def call_each(self, inputs: list[tuple]) -> list[Outcome]:
        """Return the outcomes of calls; none follows one that takes too many steps."""
        return _within_memory(self.runner.call_each(self.name, inputs))

    def has_number(self) -> bool:
        """Return whether a number may limit the function: it stands there, or in its cell."""
        with suppress(SyntaxError, ValueError):
            nodes = list(ast.walk(ast.parse(self.text)))
            values = [node.value for node in nodes if isinstance(node, ast.Constant)]
            values += _globals_of(self.function and inspect.unwrap(self.function)).values()
            if any(type(value) is str and LIMIT_IN_PATTERN.search(value) for value in values):
                return True
            return any(type(value) is int and value >= LEAST_LIMIT for value in values)
        return False

    def differs(self, text: str, given: tuple, outcome: Outcome) -> bool:
        """Return whether a changed text of the function gives something else; False if unknown."""
        if not self.workshop:
            return False
        with suppress(OutOfTime, ChildProcessError), self.workshop() as runner:
            name = ast.parse(text).body[0].name
            return not runner.load(text, "<changed>") and _told(outcome) != _told(
                runner.call(name, given)
            )
        return False

    def is_first_right(self, given: tuple, is_right: Callable[[Outcome], bool]) -> bool:
        """Return whether a call is right where nothing was called before; False if unknown."""
        if not self.workshop:
            return False
        with suppress(OutOfTime, ChildProcessError), self.workshop() as fresh:
            if fresh.is_apart:
                return is_right(fresh.call(self.name, given))
        return False


def _within_memory(outcomes: list[Outcome]) -> list[Outcome]:
    """Return outcomes; raise `OutOfMemory` if a limit, and not the function, is behind one."""
    if any(outcome.error and outcome.error.name == "MemoryError" for outcome in outcomes):
        raise parent.OutOfMemory
    return outcomes


def _lines_of(function: Callable) -> str:
    """Return the source of a function in the lines of its cell, "" if it isn't known, or no def."""
    try:
        source = dedent(inspect.getsource(function))
        if function.__closure__ or not source.startswith(("def ", "@")):
            return ""  # changed, it would not be the same function
        return "\n" * (function.__code__.co_firstlineno - 1) + source
    except (OSError, TypeError, AttributeError):
        return ""


def source_of(solve: Callable) -> str:
    """Return a solution as text."""
    return dedent(inspect.getsource(solve)).strip()


def _globals_of(function: Callable | None) -> dict[str, object]:
    """Return what a function uses of the names outside it, comprehensions included."""
    codes = [function.__code__] if inspect.isfunction(function) else []
    for code in codes:
        codes += filter(inspect.iscode, code.co_consts)
    read = ("LOAD_GLOBAL", "LOAD_NAME")  # names of attributes stand beside them
    steps = [step for code in codes for step in dis.get_instructions(code)]
    names = [step.argval for step in steps if step.opname in read]
    return {name: function.__globals__[name] for name in names if name in function.__globals__}


def _arguments_of(function: Callable) -> tuple[str, ...]:
    """Return the names of the arguments of a function; none if it isn't written in Python."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_varnames[: code.co_argcount] if code else ()


def _set_beside(function: Callable) -> set[str]:
    """Return the names that the cell of a function sets outside of it: constants of its own."""
    lines = linecache.getlines(function.__code__.co_filename)
    names = set()
    with suppress(SyntaxError):
        for statement in ast.parse("".join(lines)).body:
            if isinstance(statement, ast.Assign):
                names |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
    return names


def _read_once(text: str, right) -> str:
    """Return what to do about a result that can be read only once, such as a generator."""
    wanted = "dict" if isinstance(right, Mapping) else type(right).__name__
    return find_yield(text, wanted) or f"Put {wanted}(…) around it."


def as_data(parts: tuple) -> tuple:
    """Return what was handed over as plain data, in which nothing of a learner's can run.

    >>> import numpy
    >>> as_data((numpy.int64(3), range(2)))
    (3, range(0, 2))
    """
    if is_plain(parts):
        return parts
    with parent.start({}, {"hand_over": lambda: parts}) as runner:
        outcome = runner.call("hand_over", ())
    if outcome.too_long:
        raise OutOfTime
    if outcome.error:  # its type may fail to show what is in it
        return tuple(make_object(type(part).__name__, "…", False) for part in parts)
    return outcome.value


def copy_of(given: tuple) -> tuple:
    """Return a copy of what a function is given, just like that which a child makes of it.

    So a set has the same order for a slip, which runs here, and for an answer, which runs there.
    """
    others = {f"lent {i}": part for i, part in enumerate(given) if not is_data(part)}
    return unpack(pack(given, child.names_of(others)), others)


def _try(function: Callable, given: tuple, most: int = 0) -> Outcome:
    """Return what comes of a function of the course; it may take so many steps."""
    try:
        return Outcome(run_bounded(function, copy_of(given), most=most))
    except TooManySteps:
        return Outcome(too_long=True)
    except (Exception, SystemExit) as error:
        kinds = tuple(kind.__name__ for kind in type(error).__mro__)
        return Outcome(error=Raised(kinds, str(error)))


def _told(outcome: Outcome) -> str:
    """Return an outcome as a text, by which two outcomes can be told apart."""
    return str(outcome.error or _show(outcome.value, math.inf))


def _show_printed(outcome: Outcome) -> str:
    """Return what a learner's function has printed, or "" if that is nothing."""
    text = outcome.printed.rstrip()
    if len(text) > LONGEST_PRINTED:
        text = text[: LONGEST_PRINTED - 2] + " …"
    return f"\nThere it prints:\n{text}" if text else ""


def _same_outcome(one: Outcome, other: Outcome, in_order: bool, within: float = 0) -> bool:
    """Return whether results are the same, or errors: these by type, and some by their text."""
    if one.too_long or other.too_long:
        return one.too_long and other.too_long
    if one.error and other.error:
        by_text = one.error.name in ("TypeError", "ValueError", "KeyError")  # of many reasons
        is_same_text = one.error.why == other.error.why
        return one.error.name == other.error.name and (not by_text or is_same_text)
    if one.error or other.error:
        return False
    return _same(one.value, other.value, in_order, within)


def _most_seconds(ours: float) -> float:
    """Return how long an answer may take on a long input, where the solution takes ``ours``."""
    spread = 2 if child.has_alarm() else 4  # the time of what is traced varies more
    return max(LEAST_SECONDS, min(TIMES_SLOWER * ours, max(MOST_SECONDS, spread * ours)))


def _equal_at_size(outcome: Outcome, right, in_order: bool) -> bool:
    """Return whether a long result is right, quickly; False if that takes a closer look."""
    got = outcome.value
    if outcome.error or outcome.changed or type(got) is not type(right) or got != right:
        return False
    return not in_order or list(got) == list(right)


def _is_list_of_results(got, right) -> bool:
    """Return whether results that should be in a tuple, and aren't symbols, come in a list."""
    is_several = type(right) is tuple and right and not isinstance(right[0], str | bytes)
    return bool(is_several) and type(got) is list


def _is_long(row: tuple) -> bool:
    """Return whether the arguments with which a row begins are too long to be read."""
    return len(repr(row[0])) > LONGEST_SHOWN


def _by_length(given: tuple) -> tuple[bool, int]:
    """Return a key by which inputs that are easy to read come first, then short ones."""
    text = repr(given)
    return not text.isascii(), len(text)


def _difference(got, right) -> str:
    """Return where a long result differs from the right one.

    >>> _difference(("l", "o"), ("l", "o", "w")), _difference([1, 2, 3], [1, 5, 3])
    ('gives a tuple of 2, not of 3', 'gives a list whose part [1] is 2, not 5')
    >>> _difference(([0], ["l" * 200]), ([0], ["l" * 200, "o"]))
    'gives a tuple whose part [1] is a list of 1, not of 2'
    >>> _difference({"l": 1}, {"l": 2}), _difference(3, 4)
    ("gives a dict with 1 for 'l', not 2", 'gives 3, not 4')
    """
    kind = _a(type(got))
    if type(got) is not type(right):
        return f"gives {kind}, not {_a(type(right))}"
    if not hasattr(right, "__len__"):
        return f"gives {_show(got)}, not {_show(right)}"
    if len(got) != len(right):
        return f"gives {kind} of {len(got):,}, not of {len(right):,}"
    if isinstance(right, Mapping):
        for key, value in right.items():
            if key not in got:
                return f"gives {kind} without {_show(key)}"
            if got[key] != value:
                return f"gives {kind} with {_show(got[key])} for {_show(key)}, not {_show(value)}"
        return f"gives {kind} whose keys are in another order"
    for i, (one, other) in enumerate(zip(got, right, strict=True)):
        if one != other:
            part = f"gives {kind} whose part [{i}]"
            if _show(one) == _show(other):  # both are cut before they differ
                return f"{part} {_difference(one, other).replace('gives', 'is', 1)}"
            return f"{part} is {_show(one)}, not {_show(other)}"
    return f"gives {_show(got)}, not {_show(right)}"


def _running_over(got, right) -> str:
    """Return a sentence if numbers are too low because their few bits can't hold the right ones.

    >>> _running_over({"a": 6}, {"a": 774}), _running_over([1], [2])
    ('numbers of 8 bits, such as np.uint8, begin again after 255.', '')
    """
    if isinstance(right, Mapping) and isinstance(got, Mapping):
        got, right = list(got.values()), list(right.values())
    if not (isinstance(got, list | tuple) and isinstance(right, list | tuple)):
        return ""
    pairs = [pair for pair in zip(got, right, strict=False) if all(map(is_number, pair))]
    missing = [other - one for one, other in pairs if other != one]
    for bits in (32, 16, 8):
        if missing and all(number > 0 and number % 2**bits == 0 for number in missing):
            return (
                f"numbers of {bits} bits, such as np.uint{bits}, begin again after {2**bits - 1:,}."
            )
    return ""


def _same(got, right, in_order: bool = False, within: float = 0) -> bool:
    """Return whether two values and their types are the same; a Counter is a dict.

    Where the right number is a float, equal numbers of other types are right, too.

    >>> _same([1, (2,)], [1, (2,)]), _same(True, 1), _same([1], (1,)), _same(2.0, 2)
    (True, False, False, False)
    >>> _same(2, 2.0), _same(0.1 + 0.2, 0.3)
    (True, True)
    """
    if _type_fault(got, right):
        return False
    if isinstance(right, Mapping):
        if in_order and list(got) != list(right):
            return False
        is_alike = all(_same(got.get(key), right[key], within=within) for key in right)
        return is_alike and got.keys() == right.keys()
    if isinstance(right, float):
        return math.isclose(got, right, abs_tol=within)
    if isinstance(right, list | tuple):
        if len(got) != len(right):
            return False
        return all(_same(*pair, within=within) for pair in zip(got, right, strict=True))
    return type(right).__eq__(right, got) is True  # even if a class of the learner's says otherwise


def is_number(value) -> bool:
    """Return whether a value is a number; True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_written(answer, right):
    """Return an answer in the types of the right one, if it says the same.

    >>> _as_written(75.0, 75), _as_written(3, 3.0), _as_written([3, 2.0], (3, 1))
    (75, 3.0, (3, 2))
    >>> _as_written(["t", "owe", "r"], "t owe r"), _as_written("t|owe|r", "t owe r")
    ('t owe r', 't owe r')
    >>> _as_written(True, 1), _as_written("3", 3)
    (True, '3')
    """
    if type(right) is int and type(answer) is float and answer.is_integer():
        return int(answer)
    if type(right) is float and type(answer) is int and answer == right:
        return right
    if isinstance(right, str) and " " in right and right == " ".join(PIECE.findall(right)):
        if type(answer) in (list, tuple) and all(type(part) is str for part in answer):
            answer = " ".join(answer)
        return " ".join(PIECE.findall(answer)) if type(answer) is str else answer
    if type(answer) not in (list, tuple) or type(right) not in (list, tuple):
        return answer
    return type(right)(map(_as_written, answer, right) if len(answer) == len(right) else answer)


def _find_meant(answer, choices: Mapping[str, str]) -> list[str]:
    """List the choices that an answer can mean: by name, by text, or by the beginning of a text.

    Capitals and spaces are first read as they are, since they may tell the choices apart.

    >>> lights = {"A": "light", "B": "·light, with a space", "C": "·Light, with a capital"}
    >>> [_find_meant(answer, lights) for answer in ("light", " light", "·Light", "b")]
    [['A'], ['B'], ['C'], ['B']]
    >>> _find_meant("LIGHT", lights)
    ['A', 'B', 'C']
    """
    begins = {name: text.split(",")[0] for name, text in choices.items()}
    if isinstance(answer, str):
        spaced = answer.replace("·", " ")
        for written in (choices, begins):
            same = [name for name, text in written.items() if spaced == text.replace("·", " ")]
            if len(same) == 1:
                return same
    bare = _bare(answer)
    named = [name for name in choices if bare == _bare(name)]
    return named or [name for name in choices if bare in map(_bare, (choices[name], begins[name]))]


def _bare(answer) -> str:
    """Return an answer without what people type differently: case, spaces, brackets."""
    text = "".join(map(str, answer)) if isinstance(answer, tuple | list) else str(answer)
    return re.sub(r"[\s·'+,()\[\]]", "", text).lower()


def _type_fault(got, right) -> str:
    """Return a sentence if a value has the wrong type, else ""."""
    wanted = dict if isinstance(right, Mapping) else type(right)
    if wanted is float and isinstance(got, Real):
        wanted = type(got)
    if isinstance(got, wanted) and isinstance(got, bool) == isinstance(right, bool):
        return ""
    return f"It should be {_a(wanted)}, not {_a(type(got))}."


def _part_fault(got, right) -> str:
    """Return a sentence if a part has another type than all parts of the right value, else "".

    >>> _part_fault([("a", 1), 7], [("b", 2)]), _part_fault([("a",)], [("b",), ("c",)])
    ('7 in it should be a tuple, not an int.', '')
    >>> _part_fault({"a": frozenset({0})}, {"a": {0}})
    'frozenset({0}) in it should be a set, not a frozenset.'
    """
    if isinstance(right, Mapping) and isinstance(got, Mapping):
        of_keys = _part_fault(list(got), list(right))
        return of_keys or _part_fault(list(got.values()), list(right.values()))
    kinds = {type(part) for part in right} if isinstance(right, list | tuple | Mapping) else ()
    if len(kinds) != 1:
        return ""
    sample = next(iter(right))
    for part in got:
        if fault := _type_fault(part, sample):
            return fault.replace("It", f"{_show(part)} in it", 1)
    return next(filter(None, map(_part_fault, got, right)), "")


def _order_fault(got, right) -> str:
    """Return a sentence if a list or a tuple has the right parts in another order, else "".

    >>> _order_fault([1, 2], [2, 1]), _order_fault([1, 1], [2, 1]), _order_fault(3, 3)
    ('these are the right parts, but in another order.', '', '')
    """
    if type(got) is not type(right) or type(got) not in (list, tuple) or len(got) != len(right):
        return ""
    is_same = sorted(map(repr, got)) == sorted(map(repr, right))
    return "these are the right parts, but in another order." if is_same and got != right else ""


def _a(kind: type) -> str:
    """Return the name of a type with its article."""
    article = "" if kind is bytes else "an " if kind.__name__[0] in "aeiou" else "a "
    return f"{article}{kind.__name__}"


def _name(function: Callable) -> str:
    """Return the name that the learner sees, such as merge for _merge_faulty."""
    return function.__name__.removeprefix("_").removesuffix("_faulty")


def _call(function: Callable, given: tuple, longest: int = LONGEST_SHOWN) -> str:
    """Return a call as a program would write it."""
    return f"{_name(function)}({', '.join(_show(part, longest) for part in given)})"


def _show(value, longest=LONGEST_SHOWN) -> str:
    """Return a value as a short text, the same in every run."""
    try:
        text = repr(value)
        if type(value) is set and value:  # which has another order in each run
            text = f"{{{', '.join(sorted(map(repr, value)))}}}"
        text = re.sub(r" at 0x[0-9a-fA-F]+", "", text).replace("\n", " ")
    except Exception:  # nested too deeply, too many digits, or its own __repr__ fails
        return f"{_a(type(value))} that cannot be shown"
    if len(text) <= longest:
        return text
    if type(value) is dict and len(value) > 2:
        return _show_ends(value, longest)
    return text[: longest - 2] + " …"


def _show_ends(value: dict, longest: int) -> str:
    """Return a dictionary with its first key and as many of its last ones as there is room for.

    In ranks, the bytes come first, and what was learned comes last.

    >>> _show_ends({"a": 0, "b": 1, "c": 2, "ab": 3}, 24)
    "{'a': 0, …, 'ab': 3}"
    """
    items = [f"{key!r}: {part!r}" for key, part in value.items()]
    shown = ""
    for item in reversed(items[1:]):
        longer = f", {item}{shown}"
        if len(items[0]) + len(longer) + len("{, …}") > longest:
            break
        shown = longer
    text = f"{{{items[0]}, …{shown}}}"
    return text if len(text) <= longest else text[: longest - 2] + " …"


def _sentences(first: str, *others: str) -> str:
    """Return sentences as one text; one that begins with a small letter follows a dash."""
    text = first.strip()
    for other in filter(None, map(str.strip, others)):
        if other[0].islower():
            text = text.removesuffix(".") + " –"
        text += f" {other}"
    return text


@dataclass(frozen=True, repr=False)
class Hunt(Exercise):
    """A program with a fault. The answer is an input on which it differs from the right one.

    ``smallest`` is the smallest known input of that kind. If the notebook shows no function,
    ``call`` is a call, with {} for the input.

    >>> def faulty(word): return word[0]
    >>> def head(word): return word[:1]
    >>> hunt = Hunt("for which word does it fail?", faulty, head, ("",))
    >>> hunt.check("low")
    ✗ wrong: faulty('low') gives 'l', which is right: try another.
    >>> hunt.check("")
    ✓ right: faulty('') raises IndexError; it should be ''. No smaller input is known.
    """

    faulty: Callable
    solve: Callable
    smallest: tuple
    call: str = field(default="", kw_only=True)

    def _judge(self, *given) -> Verdict:
        """Return whether an input shows the fault, and whether a smaller one is known."""
        given = as_data(given)
        if not (is_plain(given) and _equals_itself(given)):
            said = "an input is made of texts, numbers, and lists or tuples of them"
            return Verdict("wrong", f"{said}, each equal to itself, which NaN isn't.")
        functions = {"faulty": self.faulty, "solve": self.solve}
        with parent.start({}, functions) as runner:  # what they are given may take long
            right, got = runner.call("solve", given), runner.call("faulty", given)
        call = (self.call or f"{_name(self.faulty)}({{}})").format(", ".join(map(_show, given)))
        if right.error or right.too_long:  # the solution says which inputs it takes
            why = right.error.why if right.error else "the course's program takes too long for it"
            return Verdict("wrong", f"{call} is not allowed: {why}")
        (size, said), (least, _) = _size(given), _size(self.smallest)
        if got.too_long and size > LONGEST_ENDLESS:  # it may only be slow
            return Verdict("wrong", f"{call} takes too long to tell: try a shorter input.")
        is_same_number = all(map(is_number, (got.value, right.value))) and got.value == right.value
        if is_same_number or _same_outcome(got, right, False):
            shown = _show(right.value)
            return Verdict("wrong", f"{call} gives {shown}, which is right: try another.")
        shown = f"gives {_show(got.value)}"
        if got.too_long:
            shown = "does not come to an end"
        elif got.error:
            shown = f"raises {got.error.name}"
        praise = f"{said}; {least} are enough." if size > least else "No smaller input is known."
        return Verdict("right", f"{call} {shown}; it should be {_show(right.value)}. {praise}")

    def solution(self) -> Verdict:
        """Return the smallest known input."""
        return self._verdict(*self.smallest)


def _equals_itself(value) -> bool:
    """Return whether plain data equals itself, which float("nan") doesn't.

    >>> _equals_itself(("a", [1.5])), _equals_itself([float("nan")])
    (True, False)
    """
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(_equals_itself, value))
    return value == value


def _size(given: tuple) -> tuple[int, str]:
    """Return the number of characters of an input, and the same in words.

    Brackets, quotes, commas and spaces don't count, unless the input is a text.

    >>> _size(("Low", "low")), _size((("lo", "w"), 12))[0]
    ((6, 'Your texts have 6 characters together'), 5)
    """
    if not all(type(part) is str for part in given):
        size = len(re.sub(r"""[\s"'(),\[\]{}]""", "", repr(given)))
        aside = "(brackets, quotes, commas and spaces aside)"
        return size, f"Written down, your input takes {size} characters {aside}"
    size = len("".join(given))
    if len(given) == 1:
        return size, f"Your text has {size} characters"
    return size, f"Your texts have {size} characters together"
