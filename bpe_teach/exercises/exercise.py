"""What an exercise is: a question, a check that names the misconception, hints, a solution.

The learner hands over an answer, a value or a function: ``ask.count_pairs.check(count_pairs)``.
The check looks at nothing else. A function is called in a child process (see `runner`). The cases,
the solutions, the comparison and the verdict stay in this process.
"""

import builtins
import copy
import inspect
import math
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from html import escape
from operator import itemgetter

from bpe_teach.exercises.answer import (
    Answer,
    arguments_of,
    as_data,
    copy_of,
    globals_of,
    set_beside,
    source_of,
)
from bpe_teach.exercises.comparing import (
    AS_A_LIST,
    are_same,
    as_written,
    equal_at_size,
    equals_itself,
    find_meant,
    is_among,
    is_list_of_results,
    is_number,
    order_fault,
    part_fault,
    same_outcome,
    tell_difference,
    tell_running_over,
    type_fault,
)
from bpe_teach.exercises.doubts import find_doubtful
from bpe_teach.exercises.raised import explain
from bpe_teach.exercises.reading import (
    find_changing,
    find_endless,
    find_none,
    find_other_order,
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
from bpe_teach.exercises.runner.parent import Asking, Outcome, Raised
from bpe_teach.exercises.runner.values import is_data, is_plain
from bpe_teach.exercises.showing import (
    LONGEST_OF_LONG,
    LONGEST_SHOWN,
    join_sentences,
    measure_input,
    show,
    show_call,
    show_outcome,
    show_printed,
    shown_name,
)

RANDOM_INPUTS = 200
MOST = 0.8  # a slip is named if it agrees with the answer on this share of the inputs that count
LEAST_OF_WORKSHOP = 1  # second of the processor, for a changed function on a long input
FEWER = 3  # a changed function is tried on one in so many further random inputs
SLIP_STEPS = 30_000  # that a slip may take while it is compared with an answer
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
CALLS_OF_LOTS = 9
TIMES_SLOWER = 20  # than the solution; Python's ways of doing the same work differ by less
LEAST_SECONDS = 1  # of the processor, on a long input: a faster answer is never called slow
MOST_SECONDS = 2.5
MOST_TOGETHER = 300  # seconds for all calls of a cell that makes very many calls
LIMITED = "Is there a number in your function that limits it?"
ROUNDED = "Is something rounded on the way? What is lost there adds up."
A_PRODUCT = "*= or prod("  # code that multiplies many numbers
OF_ZERO = "ZeroDivisionError|math domain error|expected a positive input"
TOO_SMALL = (
    "A product of many small numbers gets so small that Python rounds it to 0: take the logarithm "
    "of each number, and add up the logarithms."
)
TOO_LARGE = (
    "A product of many numbers grows beyond what a float can hold, and becomes inf: take the "
    "logarithm of each number, and add up the logarithms."
)
WITH_FEW_BITS = "int8 or int16 or int32 or array or np. or numpy"  # code that may set a type
LONGEST_ENDLESS = 200  # characters; on a longer input a faulty program may only be slow

LOOKS = {  # kind of a verdict -> sign, colour
    "right": ("✓", "#009e73"),
    "right, but slow": ("✓", "#009e73"),
    "right on short inputs only": ("…", "#b07c00"),
    "wrong": ("✗", "#d55e00"),
    "open": ("…", "#767676"),
}
SHORT_ONLY = "right on short inputs only"
ERRORS_OF_SIZE = ("RecursionError", "OverflowError", "MemoryError")
SHORT_PART = 40  # parts of a long input that a person can read
UNJUDGED = ("open", SHORT_ONLY)  # neither right nor wrong, so no record has these kinds
LOG: list[tuple["Exercise", "Verdict"]] = []  # of this session; only `record` writes it down
BOX = "padding:4px 10px;margin:4px 0;font:15px/1.4 system-ui,sans-serif"
OURS = ("bpe_teach.", "bpe_further.")  # how the names of the course's modules begin


@dataclass(frozen=True, repr=False)
class Verdict:
    """What a check says about an answer. ``kind`` is a key of `LOOKS`.

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
    place: str = field(default="", kw_only=True)  # module and name of an exercise of the course

    def __repr__(self) -> str:
        return repr(self.check())

    def _repr_html_(self) -> str:
        return self.check()._repr_html_()

    def check(self, *answer) -> Verdict:
        """Return whether an answer is right; for a known slip, also name the misconception.

        An answer of several parts may be one tuple or several arguments: check((3, 2)),
        check(3, 2).
        """
        verdict = self._verdict(*answer)
        is_ours = bool(answer) and answer[0] is getattr(self, "solve", None)  # `use` lent it
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
        """Return a hint; each hint says more than the hint before.

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
    (name -> text of the choice), the answer is one of the names. If there are ``names``, the answer
    is one or more of these names, in any order, as a list or a text; then a slip may also be a
    single name that an answer wrongly has or lacks. A number may be off by ``within``.

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
        answer = as_written(answer, self.right)
        if self.choices and not (isinstance(answer, str) and answer in self.choices):
            if len(meant := find_meant(answer, self.choices)) != 1:
                fault = f"{show(answer)} is not among the answers."
                return Verdict("open", fault + self._list_choices())
            (answer,) = meant
        if self._is_right(answer):
            return Verdict("right", join_sentences(f"{show(answer)}.", self.because))
        for slip, why in self.slips:
            if self._is_slip(answer, slip):
                return Verdict("wrong", join_sentences(f"{show(answer)}.", why))
        return Verdict("wrong", join_sentences(f"{show(answer)}.", self._how_wrong(answer)))

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
        written = as_written(answer, slip)
        if self.within and is_number(slip) and is_number(written):
            return abs(written - slip) <= self.within / 2
        return are_same(written, slip)

    def solution(self) -> Verdict:
        """Return the answer, with the reason."""
        return Verdict("right", join_sentences(f"{show(self.right)}.", self.because))

    def _question(self) -> str:
        return self.ask + self._list_choices()

    def _how_wrong(self, answer) -> str:
        """Return what is wrong with a value that is not a known slip."""
        fault = type_fault(answer, self.right)
        if fault or not isinstance(self.right, int | float) or isinstance(self.right, bool):
            return fault or self.otherwise
        return "that is too high." if answer > self.right else "that is too low."

    def _is_right(self, answer) -> bool:
        if self.within and is_number(answer):
            within = self.within + 1e-9  # 0.28 - 0.25 is above 0.03
            return self.right - within <= answer <= self.right + within
        return are_same(answer, self.right)

    def _list_choices(self) -> str:
        return "".join(f"\n  {name!r}: {text}" for name, text in self.choices.items())


@dataclass(frozen=True, repr=False)
class Function(Exercise):
    """A question whose answer is a function.

    ``cases`` are chosen by hand: (arguments, right result). ``draw`` makes random arguments from a
    ``seed``, for which ``solve``, the solution, gives the right results. ``slips`` are functions
    with a typical mistake, each with its misconception. If ``only_with`` gives some code for a
    slip, the slip is named only if the answer has this code. README.md explains the other
    parameters. samples.md has ``habits``, slips that any function may have, and says what
    ``errors`` mean.

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
    bare: Callable | None = field(default=None, kw_only=True)  # takes out what doesn't count
    in_order: bool = field(default=False, kw_only=True)  # the order of a dict counts too
    within: float = field(default=0, kw_only=True)  # how far a float may be off
    long: Sequence[Callable[[], tuple]] = field(default=(), kw_only=True)  # long inputs
    slow: str = field(default="", kw_only=True)
    often: int = field(default=0, kw_only=True)  # calls in the next cell, if there are very many
    no_use: bool = field(default=False, kw_only=True)  # no later cell of the notebook calls it
    habits: Sequence[tuple[Callable, str]] = field(default=(), kw_only=True)
    errors: Mapping[str, str] = field(default_factory=dict, kw_only=True)  # name -> what it means
    only_with: Mapping[Callable, str] = field(default_factory=dict, kw_only=True)  # slip -> code
    seed: int = field(default=0, kw_only=True)  # of the random inputs; grading takes another seed
    kept: dict = field(default_factory=dict, init=False, compare=False)  # worked out once

    @property
    def name(self) -> str:
        """Return the name of the function to write."""
        return shown_name(self.solve)

    def with_seed(self, seed: int) -> "Function":
        """Return the same question with different random inputs.

        >>> import bpe_teach.exercises.char_bpe as ask
        >>> other = ask.merge.with_seed(7)
        >>> other.name, other._all_cases() == ask.merge._all_cases()
        ('merge', False)
        """
        return replace(self, seed=seed)

    def prepare(self) -> None:
        """Work out the right results for all inputs now, because that takes time; keep them."""
        self.lent()
        list(self._long_cases())

    def _judge(self, answer, *others) -> Verdict:
        """Return whether a function is right; if not, say where it fails, and name a known slip."""
        if is_unwritten(getattr(answer, "__code__", None)):
            return Verdict("open", self.ask)
        if others or not callable(answer):
            fault = f"hand over the function itself, check({self.name}), not what it returns"
            return Verdict("wrong", fault)
        with Answer.of_notebook(answer, self.lent()) as remote:
            return self.verdict_on(remote)

    def verdict_on(self, answer: "Answer") -> Verdict:
        """Return the verdict on a function that is called in another process."""
        cases = self._all_cases()
        outcomes = self._outcomes(answer, cases)
        got = []  # input, right result, outcome, what is wrong with it
        for (given, right), outcome in zip(cases, outcomes, strict=False):
            if not outcome.too_long:
                got.append((given, right, outcome, self._fault(outcome, given, right)))
            elif not (got and _is_long((given,))) and not any(fault for *_, fault in got):
                most = f"{child.MOST_STEPS:,} steps"
                call = show_call(self.solve, given)
                said = f"{call} takes more than {most}: does it come to an end?"
                why = self._mend(answer, [(given, right), *cases]) or find_endless(answer.text)
                said = join_sentences(said, why)
                return Verdict("wrong", said + show_printed(outcome))
        if not any(fault for *_, fault in got):
            if len(got) < len(cases):
                return self._say_slow()
            verdict = self._judge_at_size(answer, len(cases))
            is_list = any(is_list_of_results(row[2].value, row[1]) for row in got)
            if is_list and verdict.kind == "right":
                return Verdict("right", f"{verdict.text}. {AS_A_LIST}")
            return verdict
        # The first failure is shown. Short inputs come before long ones, and wrong results before
        # right results of calls that changed their input.
        got.sort(key=lambda row: (_is_long(row), self._is_changed_only(row)))
        _, _, outcome, fault = next(row for row in got if row[-1])
        said = join_sentences(fault, self._why(answer, got, cases))
        return Verdict("wrong", said + show_printed(outcome))

    def _outcomes(self, answer: "Answer", cases: list) -> list[Outcome]:
        """Return the outcomes of all cases, or of those up to a short case that takes too long.

        Many steps may take little time. So if a call takes too many steps, but all cases before it
        were right, its processor time decides. One long input may take too long; after a second
        long input that does, no further case is tried.
        """
        outcomes = []
        while len(outcomes) < len(cases):
            outcomes += answer.call_each([given for given, _ in cases[len(outcomes) :]])
            *before, last = zip(cases, outcomes, strict=False)
            (given, _), outcome = last
            has_failed = any(one.too_long or self._fault(one, *case) for case, one in before)
            if not outcome.too_long or not before or has_failed:
                break
            outcomes[-1] = outcome = answer.call_at_size(given, LEAST_SECONDS)
            if outcome.too_long and not _is_long((given,)):
                break
        return outcomes

    def _judge_at_size(self, answer: "Answer", number: int) -> Verdict:
        """Return the verdict on a function that is right on ``number`` short inputs."""
        right = Verdict("right", f"on {number} input{'s' if number > 1 else ''}")
        for given, result, ours in self._long_cases():
            outcome = answer.call_at_size(given, _most_seconds(ours))
            if outcome.too_long:
                return self._say_slow()
            if fault := self._fault_at_size(outcome, given, result):
                is_of_size = outcome.error and outcome.error.name in ERRORS_OF_SIZE
                short = None if is_of_size else self._short_part(answer, given)
                if short:
                    said = join_sentences(short[-1], self._why(answer, [short], self._all_cases()))
                    return Verdict("wrong", said)
                said = self._say_at_size(answer, outcome, given, result, fault)
                return Verdict(SHORT_ONLY, f"{right.text} it is. But on a long input, {said}")
        times = int(self.often * LEAST_SECONDS / MOST_TOGETHER)  # as many as there is time for
        for given, _ in self.cases if times else ():
            if answer.call_at_size(given, LEAST_SECONDS, times).too_long:
                return self._say_slow()
        return right

    def _short_part(self, answer: "Answer", given: tuple) -> tuple | None:
        """Return a short part of a long input on which the answer is wrong as well, or None.

        Each text and each list is cut as long as the answer stays wrong. Return the part with its
        right result, the outcome, and what is wrong with that.
        """
        row = (given,)
        for place, value in enumerate(given):
            if isinstance(value, str | bytes | list | tuple):
                row = self._cut_short(answer, row, place)
                if row is None:
                    return None
        return row if len(row) > 1 else None

    def _cut_short(self, answer: "Answer", row: tuple, place: int) -> tuple | None:
        """Return the row of an input that is short at one place, and still answered wrongly.

        The argument at this place is halved again and again. Return None if the answer is right on
        each half of it.
        """
        given = row[0]
        part = given[place]
        while len(part) > SHORT_PART:
            length = (len(part) + 1) // 2
            for start in (0, len(part) - length, length // 2):  # the fault may lie in the middle
                half = part[start : start + length]
                short = (*given[:place], half, *given[place + 1 :])
                right = _try(self.solve, short)
                outcome = answer.call_at_size(short, LEAST_SECONDS)
                fault = not right.error and self._fault(outcome, short, right.value)
                if fault and not outcome.too_long:
                    part, row = half, (short, right.value, outcome, fault)
                    break
            else:
                return None
        return row

    def _say_slow(self) -> Verdict:
        """Return the verdict on a function that is right, but takes far too long."""
        said = f"the notebook goes on with the course's {self.name}."
        if self.no_use:
            said = f"it takes far longer than the course's {self.name}."
        slow = self.slow or "Does it do the same work again and again?"
        return Verdict("right, but slow", join_sentences(said, slow))

    def _fault_at_size(self, outcome: Outcome, given: tuple, right) -> str:
        """Return what is wrong with the outcome on a long input, or "" if nothing is."""
        if equal_at_size(outcome, right, self.in_order):
            return ""
        return self._fault(outcome, given, right)

    def _say_at_size(
        self, answer: "Answer", outcome: Outcome, given: tuple, right, fault: str
    ) -> str:
        """Return what is wrong with the outcome on a long input, shown as far as there is room."""
        if outcome.error:
            fault = (
                f"raises {outcome.error.name}: {self._meaning_at_size(outcome.error, answer.text)}"
            )
        elif outcome.changed or self.judge:
            fault = fault.removeprefix(show_call(self.solve, given)).strip()
        else:
            why = self._limit_at_size(answer, outcome.value, right)
            fault = join_sentences(f"{tell_difference(outcome.value, right)}.", why)
        return f"{show_call(self.solve, given, LONGEST_OF_LONG)} {fault}"

    def _limit_at_size(self, answer: "Answer", got, right) -> str:
        """Return what may limit an answer that is right on short inputs, "" if nothing is seen."""
        if has_code(answer.text, WITH_FEW_BITS) and (why := tell_running_over(got, right)):
            return why
        if got == math.inf and has_code(answer.text, A_PRODUCT):
            return TOO_LARGE
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

    def _meaning_at_size(self, error: Raised, text: str) -> str:
        """Return what an error on a long input says about a function that is right otherwise."""
        if error.name == "RecursionError":
            depth = f"Python stops at a depth of {sys.getrecursionlimit():,} calls"
            return f"{depth}, and here your function needs a greater depth: use a loop."
        if re.search(OF_ZERO, str(error)) and has_code(text, A_PRODUCT):
            return join_sentences(f"{error.why}.", TOO_SMALL)
        return join_sentences(f"{error.why}.", self._meaning_of_error(error))

    def lent(self) -> dict[str, object]:
        """Return, by name, the arguments that aren't data, such as functions."""
        if "lent" not in self.kept:
            given = [part for arguments, _ in self._all_cases() for part in arguments]
            others = {id(part): part for part in given if not is_data(part)}
            self.kept["lent"] = {f"lent {n}": part for n, part in enumerate(others.values())}
        return self.kept["lent"]

    def use(self, answer=...) -> Callable:
        """Return the learner's function if it is right, else the solution; print which."""
        if answer is self.solve:  # the cell is run again, and its name stands for the solution
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
        call = show_call(self.solve, given)
        if outcome.too_long:
            return f"{call} does not come to an end"
        if error := outcome.error:
            where = f" (line {error.line} of your cell)" if error.line else ""
            return f"{call} raises {error}{where}"
        shown, wanted = show(outcome.value), show(right)
        got = tuple(outcome.value) if is_list_of_results(outcome.value, right) else outcome.value
        if self.judge:
            fault = type_fault(got, right) or part_fault(got, right)
            if fault := fault or self.judge(got, *given):
                return join_sentences(f"{call} gives {shown}.", fault)
        elif got is None and right is not None:
            return f"{call} gives None, not {show(right)}."
        elif not are_same(self._without(got), right, self.in_order, self.within):
            about = "about " if self.within else ""
            fault = f"{call} gives {shown}, not {about}{wanted}."
            if shown == wanted:  # both are cut off before the place where they differ
                fault = f"{call} {tell_difference(got, right)}."
            if are_same(got, right):
                return join_sentences(
                    fault, "The order is wrong: what is met first should come first."
                )
            return join_sentences(fault, type_fault(got, right) or part_fault(got, right))
        if outcome.changed:
            return f"{call} gives the right result, but changes its input"
        return ""

    def _is_changed_only(self, row: tuple) -> bool:
        """Return whether the result of a row is right, but the input was changed."""
        _, right, outcome, fault = row
        return bool(fault) and outcome.changed and self._same_outcome(outcome, Outcome(right))

    def _why(self, answer: "Answer", got: list[tuple], cases: list) -> str:
        """Return the misconception of the slip that does the same as the answer.

        A slip must agree with the answer on the first input on which the answer fails, which the
        learner is shown, and on all but a few of the inputs on which the slip or the answer fails.
        If there are several such slips, the most similar one is named.
        """
        failed = [row for row in got if row[-1]]
        given, right, shown, _ = failed[0]
        if self._same_outcome(shown, Outcome(right)):
            return find_changing(answer.text, given)  # only the input is wrong: no slip does that
        if isinstance(shown.value, Iterator):  # a generator, map, filter: it can be read only once
            return _read_once(answer.text, right)
        draws_lots = has_code(answer.text, "random")
        calls = CALLS_OF_LOTS if draws_lots else 1  # two lots may be equal by chance
        if any(show_outcome(shown) != show_outcome(answer.call(given)) for _ in range(calls)):
            return DRAWS_LOTS if draws_lots else KEEPS
        if not draws_lots and answer.is_first_right(
            given, lambda first: not self._fault(first, given, right)
        ):
            return KEEPS_FOR_OTHERS
        if shown.error and (shadow := self._given_away(shown.error, answer)):
            return shadow
        if moved := find_other_order(answer.text, arguments_of(self.solve)):
            return moved
        ordered = [*failed, *[row for row in got if not row[-1]]]
        rows = [(given, outcome, bool(fault)) for given, _, outcome, fault in ordered]
        says_much = len({show_outcome(row[2]) for row in failed}) > 1 and not shown.error
        slips = [slip for slip in self.slips if self._may_be(slip[0], answer.text)]
        share, why = self._most_alike(slips, rows)
        if share < 1 and says_much:
            habits = [habit for habit in self.habits if self._may_be(habit[0], answer.text)]
            habit = self._most_alike(habits, rows)
            share, why = max((share, why), habit, key=itemgetter(0))
        # a slip that is only similar, or a question, is a guess; a repair isn't
        if share < 1 or why.endswith("?"):
            first = [(given, right) for given, right, _, _ in failed]
            mended = self._mend(answer, [*first, *cases])
            if share < 1 or mended.startswith(ONE_CHANGE):
                why = mended or why
        why = why or self._meaning(answer, given, shown) or order_fault(shown.value, right)
        if why:
            return why
        if all(map(_is_long, failed)) and answer.has_number():
            return LIMITED
        rows = [
            (given, right, replace(outcome, value=self._without(outcome.value)), fault)
            for given, right, outcome, fault in ordered
        ]
        return find_in_results(rows, arguments_of(self.solve), only_one=not self.judge)

    def _may_be(self, slip: Callable, text: str) -> bool:
        """Return whether an answer has the code that a slip asks for; True if it asks for none."""
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
            # a function that takes long is slow, but may be right
            if not outcome.too_long and self._fault_at_size(outcome, given, right):
                return False
        return True

    def _same_outcome(self, one: Outcome, other: Outcome) -> bool:
        """Return whether two outcomes are the same, apart from what doesn't count."""
        if self.bare:
            one, other = (replace(item, value=self._without(item.value)) for item in (one, other))
        return same_outcome(one, other, self.in_order, self.within)

    def _without(self, value):
        """Return a result without what doesn't count, such as a change of 0."""
        return self.bare(value) if self.bare and isinstance(value, Mapping) else value

    def _share_alike(self, slip: Callable, got: list[tuple]) -> float:
        """Return how often slip and answer agree on inputs where one of them fails; 0 if seldom.

        The share is also 0 if the slip alone fails on an input chosen by hand, such as the input
        that the slip's reason speaks of: an answer that is right there doesn't have this mistake.
        """
        chosen = {id(given) for given, _ in self.cases}
        alike = unlike = undecided = 0
        for given, outcome, has_failed in got:
            other = _try(slip, given, SLIP_STEPS)
            is_alike = self._same_outcome(outcome, other)
            alike += is_alike and has_failed
            undecided += other.too_long
            unlike += not is_alike and not other.too_long
            if not (is_alike or has_failed or other.too_long) and id(given) in chosen:
                return 0
            if not alike + undecided or unlike + undecided > (1 - MOST) * len(got):
                return 0
        share = alike / (alike + unlike) if alike else 0
        return share if share >= MOST else 0

    def _meaning(self, answer: "Answer", given: tuple, outcome: Outcome) -> str:
        """Return why an answer that is no known slip is wrong, or ""."""
        function = inspect.unwrap(answer.function) if answer.function else None
        arguments = arguments_of(self.solve)
        for called, used in {"this": function, **globals_of(function)}.items():
            if str(getattr(used, "__module__", "")).startswith(OURS):
                continue
            for name, value in globals_of(used).items():
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
        """Return whether the ``value`` that ``used`` reads as ``name`` was set in another cell."""
        is_ours = type(value).__module__.startswith(OURS)  # such as a tokenizer
        is_tool = callable(value) or type(value).__module__.startswith(__package__)
        if is_tool or not (is_ours or isinstance(value, str | list | tuple | dict | set)):
            return False
        page = self.solve.__globals__
        is_lent = page.get(name) is value  # such as SCHEMES
        is_of_page = not is_ours and is_among(value, page.values())  # by whatever name
        return not (is_lent or is_of_page) and name not in set_beside(used)

    def _given_away(self, error: Raised, answer: "Answer") -> str:
        """Return a sentence if an error comes from a name reused for something else, or ""."""
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
        """Return what one of Python's errors means, or ""."""
        matches = (why for pattern, why in self.errors.items() if re.search(pattern, str(error)))
        return explain(error, text) or next(matches, "")


def _read_once(text: str, right) -> str:
    """Return what to do about a result that can be read only once, such as a generator."""
    wanted = "dict" if isinstance(right, Mapping) else type(right).__name__
    return find_yield(text, wanted) or f"Put {wanted}(…) around it."


def _try(function: Callable, given: tuple, most: int = 0) -> Outcome:
    """Return the outcome of a function of the course, limited to ``most`` steps."""
    try:
        return Outcome(run_bounded(function, copy_of(given), most=most))
    except TooManySteps:
        return Outcome(too_long=True)
    except (Exception, SystemExit) as error:
        kinds = tuple(kind.__name__ for kind in type(error).__mro__)
        return Outcome(error=Raised(kinds, str(error)))


def _most_seconds(ours: float) -> float:
    """Return how many seconds an answer may take if the solution takes ``ours`` seconds."""
    spread = 2 if child.has_alarm() else 4  # the time of traced calls varies more
    return max(LEAST_SECONDS, min(TIMES_SLOWER * ours, max(MOST_SECONDS, spread * ours)))


def _is_long(row: tuple) -> bool:
    """Return whether the arguments with which a row begins are too long to be read."""
    return len(repr(row[0])) > LONGEST_SHOWN


def _by_length(given: tuple) -> tuple[bool, int]:
    """Return a key by which inputs that are easy to read come first, then short ones."""
    text = repr(given)
    return not text.isascii(), len(text)


@dataclass(frozen=True, repr=False)
class Hunt(Exercise):
    """A program with a fault; the answer is an input on which it differs from the right program.

    ``smallest`` is the smallest known input of that kind. If the notebook shows no function,
    ``call`` is the text of a call, with {} for the input.

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
        if not (is_plain(given) and equals_itself(given)):
            said = "an input is made of texts, numbers, and lists or tuples of them"
            return Verdict("wrong", f"{said}, each equal to itself, which NaN isn't.")
        functions = {"faulty": self.faulty, "solve": self.solve}
        with parent.start({}, functions) as runner:  # an input may take long
            right, got = runner.call("solve", given), runner.call("faulty", given)
        call = (self.call or f"{shown_name(self.faulty)}({{}})").format(", ".join(map(show, given)))
        if right.error or right.too_long:  # the solution says which inputs it takes
            why = right.error.why if right.error else "the course's program takes too long for it"
            return Verdict("wrong", f"{call} is not allowed: {why}")
        (size, said), (least, _) = measure_input(given), measure_input(self.smallest)
        if got.too_long and size > LONGEST_ENDLESS:  # it may only be slow
            return Verdict("wrong", f"{call} takes too long to tell: try a shorter input.")
        is_same_number = all(map(is_number, (got.value, right.value))) and got.value == right.value
        if is_same_number or same_outcome(got, right, False):
            shown = show(right.value)
            return Verdict("wrong", f"{call} gives {shown}, which is right: try another.")
        shown = f"gives {show(got.value)}"
        if got.too_long:
            shown = "does not come to an end"
        elif got.error:
            shown = f"raises {got.error.name}"
        praise = f"{said}; {least} are enough." if size > least else "No smaller input is known."
        return Verdict("right", f"{call} {shown}; it should be {show(right.value)}. {praise}")

    def solution(self) -> Verdict:
        """Return the smallest known input."""
        return self._verdict(*self.smallest)
