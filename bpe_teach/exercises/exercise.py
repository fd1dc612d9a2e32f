"""What an exercise is: a question, a check that names the misconception, hints, a solution.

The learner hands over an answer, a value or a function: ``ask.count_pairs.check(count_pairs)``.
The check looks at nothing else, and runs nothing but the function that was handed over.
"""

import copy
import dis
import inspect
import math
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from html import escape
from io import StringIO
from numbers import Number, Real
from operator import itemgetter
from textwrap import dedent
from traceback import walk_tb

from bpe_teach.exercises import bounds
from bpe_teach.exercises.bounds import OutOfTime, TooManySteps, run_bounded
from bpe_teach.exercises.repair import find_repair

RANDOM_INPUTS = 200
MOST_SECONDS_OF_REPAIR = 1
MOST = 0.8  # a slip is named if it does the same on this share of the inputs where one fails
SLIP_STEPS = 30_000  # of a slip that is compared with an answer
KEEPS = (
    "called again, this gives something else: does a list outside the function, or a default such "
    "as [], keep what was put into it?"
)
TIMES_SLOWER = 20  # than the course's own; Python's ways of doing the same work differ by less
# a piece of a word that was split: what is left between separators
PIECE = re.compile(r"""[^\s,|·+()\[\]'"-]+""")
LONGEST_SHOWN = 120  # characters of an input or a result
LONGEST_PRINTED = 500  # characters of what a learner's function prints

LOOKS = {  # kind of a verdict -> sign, colour
    "right": ("✓", "#009e73"),
    "right, but slow": ("✓", "#009e73"),
    "wrong": ("✗", "#d55e00"),
    "open": ("…", "#767676"),
}
LOG: list[tuple["Exercise", "Verdict"]] = []  # of this session; only `record` writes it down
BOX = "padding:4px 10px;margin:4px 0;font:15px/1.4 system-ui,sans-serif"
OURS = ("bpe_teach.", "bpe_further.")  # how the names of the course's modules begin


@dataclass(frozen=True, repr=False)
class Verdict:
    """What a check says about an answer. ``kind`` is "right", "right, but slow", "wrong" or "open".

    >>> Verdict("open", "how many bytes has é?")
    … open: how many bytes has é?
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
    """What every kind of exercise has: a question, and hints that give it away step by step.

    At the end of a cell an exercise shows its question, and nothing of the answer.

    >>> Value("how many bytes has é?", 2, hints=["more than one"])
    … open: how many bytes has é?
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
        if verdict.kind != "open" and not is_ours:
            LOG.append((self, verdict))
        return verdict

    def _verdict(self, *answer) -> Verdict:
        if all(part is None for part in answer) or any(part is ... for part in answer):
            return Verdict("open", self._question())
        try:
            return Verdict(*bounds.run_apart(self._kind_and_text, answer))
        except OutOfTime as fault:
            return Verdict("open", str(fault))
        except ChildProcessError as fault:
            return Verdict("wrong", str(fault))

    def _kind_and_text(self, *answer) -> tuple[str, str]:
        try:
            verdict = self._judge(*answer)
        except Exception as error:  # whatever a learner made may raise anything
            return "wrong", f"this cannot be compared: it raises {type(error).__name__}"
        return verdict.kind, verdict.text

    def _question(self) -> str:
        return self.ask

    def hint(self, number: int = 1) -> Verdict:
        """Return a hint; each says more than the one before.

        >>> Value("how many bytes has é?", 2, hints=["more than one"]).hint()
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

    >>> bytes_of_e = Value("how many bytes has é?", 2, [(1, "a byte is not a character.")])
    >>> bytes_of_e.check(1)
    ✗ wrong: 1 – a byte is not a character.
    >>> bytes_of_e.check(2), bytes_of_e.check(...)
    (✓ right: 2., … open: how many bytes has é?)
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
        answer = parts[0] if len(parts) == 1 else parts
        if self.names and isinstance(answer, str | list | tuple | set):
            answer = self._select(answer)
        answer = _as_written(_plain(answer), self.right)
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
        """Return the names that an answer selects, in our order, or the answer if it has others."""
        text = answer if isinstance(answer, str) else " ".join(map(str, answer))
        pattern = "|".join(self.names)
        if re.search(r"\w", re.sub(pattern, "", text, flags=re.IGNORECASE)):
            return answer
        found = re.findall(pattern, text.lower(), re.IGNORECASE)
        chosen = [name for name in self.names if name.lower() in found]
        return "".join(chosen) if isinstance(self.right, str) else chosen

    def _is_slip(self, answer, slip) -> bool:
        """Return whether an answer is a slip: a value, or a name that it wrongly has or lacks."""
        if slip in list(self.names) and isinstance(answer, str | list):
            return set(answer) <= set(self.names) and (slip in answer) != (slip in self.right)
        return _same(_as_written(answer, slip), slip)

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
        if self.within and isinstance(answer, int | float) and not isinstance(answer, bool):
            within = self.within + 1e-9  # 0.28 - 0.25 is above 0.03
            return self.right - within <= answer <= self.right + within
        return _same(answer, self.right)

    def _list_choices(self) -> str:
        return "".join(f"\n  {name!r}: {text}" for name, text in self.choices.items())


@dataclass(frozen=True, repr=False)
class Function(Exercise):
    """A question whose answer is a function.

    ``cases`` are chosen by hand: (arguments, right result). ``draw`` makes random arguments from a
    fixed seed; for these the right result is that of ``solve``, the solution. ``slips`` are
    functions with a typical mistake, each with its misconception; README.md says what else there
    is. samples.md has ``habits``, which any function may have, and what ``errors`` mean.

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
    in_order: bool = field(default=False, kw_only=True)  # the order of a dict counts too
    within: float = field(default=0, kw_only=True)  # how far a float may be off
    long: tuple = field(default=(), kw_only=True)
    slow: str = field(default="", kw_only=True)
    habits: Sequence[tuple[Callable, str]] = field(default=(), kw_only=True)
    errors: Mapping[str, str] = field(default_factory=dict, kw_only=True)  # name -> what it means

    @property
    def name(self) -> str:
        """Return the name of the function to write."""
        return _name(self.solve)

    def _judge(self, answer, *others) -> Verdict:
        """Return whether a function is right; if not, on which input, and the slip if known."""
        if _is_unwritten(answer):
            return Verdict("open", self.ask)
        if others or not callable(answer):
            fault = f"hand over the function itself, check({self.name}), not what it returns"
            return Verdict("wrong", fault)
        cases = self._all_cases()
        passed, failed, fault = [], [], ""  # cases, cases, what is wrong in the first
        for given, right in cases:
            try:
                here = self._fault(answer, given, right)
            except TooManySteps as most:
                if failed:
                    break
                said = f"{_call(self.solve, given)} takes more than {most}: does it come to an end?"
                said = _sentences(said, self._mend(answer, [(given, right), *cases]))
                return Verdict("wrong", said + _show_printed(answer, given))
            (failed if here else passed).append((given, right))
            fault = fault or here  # of the first input chosen by hand, else of the shortest
        if not failed and self.long and (why := self._why_slow(answer)):
            ours = f"the notebook goes on with the course's {self.name}."
            return Verdict("right, but slow", _sentences(ours, why))
        if not failed:
            return Verdict("right", f"on {len(cases)} input{'s' if len(cases) > 1 else ''}")
        said = _sentences(fault, self._why(answer, passed, failed, [*failed, *cases]))
        return Verdict("wrong", said + _show_printed(answer, failed[0][0]))

    def use(self, answer=...) -> Callable:
        """Return the learner's function if it is right, else the solution; print which."""
        verdict = self.check(answer)
        if verdict.kind == "right":
            print(f"Your {self.name} is used from here on.")
            return answer
        states = {"open": "not written yet", "wrong": "not right yet"}
        state = states.get(verdict.kind, verdict.kind)
        if verdict.text == str(OutOfTime()):
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
        """List inputs and right results: those chosen by hand, then random ones by length."""
        chance = random.Random(0)
        drawn = [self.draw(chance) for _ in range(RANDOM_INPUTS if self.draw else 0)]
        cases = list(self.cases)
        for given in sorted(drawn, key=lambda given: len(repr(given))):
            cases.append((given, self.solve(*copy.deepcopy(given))))
        return cases

    def _fault(self, answer: Callable, given: tuple, right, most: int = 0) -> str:
        """Return what is wrong on one input, or "" if nothing is; it may take so many steps."""
        arguments = copy.deepcopy(given)
        call = _call(self.solve, given)
        try:
            got = _plain(run_bounded(answer, arguments, most=most))
        except (Exception, SystemExit) as error:  # a learner's code may raise anything
            where = _own_line(error, answer)
            return f"{call} raises {type(error).__name__}: {error}{where}"
        is_several = type(right) is tuple and right and not isinstance(right[0], str | bytes)
        if type(got) is list and is_several:  # results, not symbols: a list can hold them, too
            got = tuple(got)
        if self.judge:
            if fault := _type_fault(got, right) or self.judge(got, *given):
                return _sentences(f"{call} gives {_show(got)}.", fault)
        elif got is None and right is not None:
            return f"{call} gives None: is there a return for this case?"
        elif not _same(got, right, self.in_order, self.within):
            fault = f"{call} gives {_show(got)}, not {_show(right)}."
            if _same(got, right):
                return _sentences(fault, "The order is wrong: what is met first should come first.")
            return _sentences(fault, _type_fault(got, right) or _part_fault(got, right))
        if arguments != given:
            return f"{call} gives the right result, but changes its input"
        return ""

    def _why_slow(self, answer: Callable) -> str:
        """Return why a function is of no use for a long input, "" if it takes about our time."""
        for _ in range(3):  # now and then a computer is busy with something else
            ours = min(bounds.measure_seconds(self.solve, self.long) for _ in range(3))
            most = TIMES_SLOWER * ours
            try:
                if bounds.measure_seconds(answer, self.long, most) <= most:
                    return ""
            except RecursionError as error:
                return self.errors[type(error).__name__]
        return self.slow

    def _why(self, answer: Callable, passed: list, failed: list, cases: list) -> str:
        """Return the misconception: that of the slip which does the same as the answer.

        A slip must do the same on the first input on which the answer fails, which is shown, and
        on all but a few of those on which one of the two fails. The most similar one is named.
        """
        given, right = failed[0]
        shown = _try(answer, given)
        if _same_outcome(shown, right, self.in_order, self.within):
            return ""  # right, but it changed its input: no slip does that
        said = _show(shown, math.inf)  # before the next call, which may change it
        if not isinstance(shown, Iterator) and said != _show(_try(answer, given), math.inf):
            return KEEPS
        got = [(given, _try(answer, given), True) for given, _ in failed]
        got += [(given, _try(answer, given), False) for given, _ in passed]
        outcomes = {repr(outcome) for _, outcome, has_failed in got if has_failed}
        says_much = len(outcomes) > 1 and not isinstance(shown, BaseException)
        share, why = self._most_alike(self.slips, got)
        if share < 1 and says_much:
            habit = self._most_alike(self.habits, got)
            share, why = max((share, why), habit, key=itemgetter(0))
        # what is only similar may be something else, and a question is a guess; a repair is not
        if share < 1 or why.endswith("?"):
            why = self._mend(answer, cases) or why
        return why or self._meaning(answer, shown)

    def _most_alike(self, slips: Sequence[tuple[Callable, str]], got: list) -> tuple[float, str]:
        """Return how much the most similar slip does the same, and its reason."""
        rows = [(self._share_alike(slip, got), why) for slip, why in slips]
        return max([(0, ""), *rows], key=itemgetter(0))

    def _mend(self, answer: Callable, cases: list[tuple[tuple, object]]) -> str:
        """Return a sentence on the small change that makes an answer right, or ""."""
        with suppress(OutOfTime, ChildProcessError):
            return bounds.run_apart(
                find_repair, (answer, self.solve, cases, self._fault), MOST_SECONDS_OF_REPAIR
            )
        return ""

    def _share_alike(self, slip: Callable, got: list[tuple]) -> float:
        """Return how often a slip does the same, of the inputs where one fails; 0 if not mostly."""
        alike = unlike = undecided = 0
        for given, outcome, has_failed in got:
            other = _try(slip, given, SLIP_STEPS)
            is_alike = _same_outcome(outcome, other, self.in_order, self.within)
            alike += is_alike and has_failed
            undecided += isinstance(other, TooManySteps)
            unlike += not is_alike and not isinstance(other, TooManySteps)
            if not alike + undecided or unlike + undecided > (1 - MOST) * len(got):
                return 0
        share = alike / (alike + unlike) if alike else 0
        return share if share >= MOST else 0

    def _meaning(self, answer: Callable, outcome) -> str:
        """Return why an answer that is no known slip is wrong, or ""."""
        if isinstance(outcome, BaseException):
            said = f"{type(outcome).__name__}: {outcome}"
            return next((why for text, why in self.errors.items() if re.search(text, said)), "")
        answer = inspect.unwrap(answer)
        for called, function in {"this": answer, **_globals_of(answer)}.items():
            if getattr(function, "__module__", "").startswith(OURS):
                continue
            for name, value in _globals_of(function).items():
                if isinstance(value, str | list | tuple | dict | set) and not name.isupper():
                    where = f"{name}, a variable of the notebook"
                    return f"{called} reads {where}: use only what is given."
        return ""


def source_of(solve: Callable) -> str:
    """Return a solution as text."""
    return dedent(inspect.getsource(solve)).strip()


def _globals_of(function: Callable) -> dict[str, object]:
    """Return what a function uses of the names outside it, comprehensions included."""
    codes = [function.__code__] if inspect.isfunction(function) else []
    for code in codes:
        codes += filter(inspect.iscode, code.co_consts)
    names = [name for code in codes for name in code.co_names]
    return {name: function.__globals__[name] for name in names if name in function.__globals__}


def _try(function: Callable, given: tuple, most: int = 0):
    """Return what a function gives, or what it raises; it may take so many steps."""
    try:
        return _plain(run_bounded(function, copy.deepcopy(given), most=most))
    except (Exception, SystemExit, TooManySteps) as error:
        return error


def _show_printed(answer: Callable, given: tuple) -> str:
    """Return what a learner's function prints on an input, or "" if it prints nothing."""
    printed = StringIO()
    with suppress(Exception, SystemExit, TooManySteps):  # the verdict names them already
        run_bounded(answer, copy.deepcopy(given), printed)
    text = printed.getvalue().rstrip()
    if len(text) > LONGEST_PRINTED:
        text = text[: LONGEST_PRINTED - 2] + " …"
    return f"\nThere it prints:\n{text}" if text else ""


def _same_outcome(one, other, in_order: bool, within: float = 0) -> bool:
    """Return whether two results are the same, or two errors: by type, and some by their text."""
    if isinstance(one, BaseException) or isinstance(other, BaseException):
        by_text = type(one) in (TypeError, ValueError)  # Python raises them for many reasons
        return type(one) is type(other) and (not by_text or str(one) == str(other))
    return _same(one, other, in_order, within)


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
        return got.keys() == right.keys() and all(_same(got[key], right[key]) for key in right)
    if isinstance(right, float):
        return math.isclose(got, right, abs_tol=within)
    if isinstance(right, list | tuple):
        return len(got) == len(right) and all(map(_same, got, right))
    return type(right).__eq__(right, got) is True  # even if a class of the learner's says otherwise


def _plain(value):
    """Return a value with Python's own numbers in place of numpy's, which pandas uses.

    >>> import numpy
    >>> _plain([numpy.int64(3), {"a": numpy.float64(0.5)}])
    [3, {'a': 0.5}]
    """
    if type(value) in (list, tuple):
        return type(value)([_plain(part) for part in value])  # map fills a browser's stack
    if type(value) is dict:
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, Number) and hasattr(value, "item"):
        return value.item()
    return value


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
    fault = f"It should be {_a(wanted)}, not {_a(type(got))}."
    if isinstance(got, Iterator):  # a generator, map, filter: it can be read only once
        return f"{fault} Put {wanted.__name__}(…) around it."
    return fault


def _part_fault(got, right) -> str:
    """Return a sentence if a part has another type than all parts of the right value, else "".

    >>> _part_fault([("a", 1), 7], [("b", 2)]), _part_fault([("a",)], [("b",), ("c",)])
    ('7 in it should be a tuple, not an int.', '')
    """
    kinds = {type(part) for part in right} if isinstance(right, list | tuple | Mapping) else ()
    if len(kinds) != 1:
        return ""
    sample = next(iter(right))
    for part in got:
        if fault := _type_fault(part, sample):
            return fault.replace("It", f"{_show(part)} in it", 1)
    return next(filter(None, map(_part_fault, got, right)), "")


def _a(kind: type) -> str:
    """Return the name of a type with its article."""
    article = "" if kind is bytes else "an " if kind.__name__[0] in "aeiou" else "a "
    return f"{article}{kind.__name__}"


def _is_unwritten(answer) -> bool:
    """Return whether a function is still unwritten: it does nothing but return None."""
    idle = {"NOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}
    return hasattr(answer, "__code__") and all(
        step.opname == "RESUME" or (step.opname in idle and step.argval is None)
        for step in dis.get_instructions(answer)
    )


def _own_line(error: Exception, answer: Callable) -> str:
    """Return in which line of the learner's cell an error was raised, or ""."""
    code = getattr(answer, "__code__", None)
    steps = walk_tb(error.__traceback__)
    lines = [line for step, line in steps if code and step.f_code.co_filename == code.co_filename]
    return f" (line {lines[-1]} of your cell)" if lines else ""


def _name(function: Callable) -> str:
    """Return the name that the learner sees, such as merge for _merge_faulty."""
    return function.__name__.removeprefix("_").removesuffix("_faulty")


def _call(function: Callable, given: tuple) -> str:
    """Return a call as a program would write it."""
    return f"{_name(function)}({', '.join(map(_show, given))})"


def _show(value, longest=LONGEST_SHOWN) -> str:
    """Return a value as a short text, the same in every run."""
    try:
        text = repr(value)
        if type(value) is set and value:  # which has another order in each run
            text = f"{{{', '.join(sorted(map(repr, value)))}}}"
        text = re.sub(r" at 0x[0-9a-fA-F]+", "", text).replace("\n", " ")
    except Exception:  # nested too deeply, too many digits, or its own __repr__ fails
        return f"{_a(type(value))} that cannot be shown"
    if len(text) > longest:
        return text[: longest - 2] + " …"
    return text


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
        call = (self.call or f"{_name(self.faulty)}({{}})").format(", ".join(map(_show, given)))
        try:
            right = run_bounded(self.solve, copy.deepcopy(given))
        except (Exception, TooManySteps) as error:  # the solution says which inputs it takes
            return Verdict("wrong", f"{call} is not allowed: {error}")
        got = _try(self.faulty, given)
        if _same_outcome(got, right, False):
            return Verdict("wrong", f"{call} gives {_show(right)}, which is right: try another.")
        shown = f"gives {_show(got)}"
        if isinstance(got, TooManySteps):
            shown = "does not come to an end"
        elif isinstance(got, BaseException):
            shown = f"raises {type(got).__name__}"
        (size, said), (least, _) = _size(given), _size(self.smallest)
        praise = f"{said}; {least} are enough." if size > least else "No smaller input is known."
        return Verdict("right", f"{call} {shown}; it should be {_show(right)}. {praise}")

    def solution(self) -> Verdict:
        """Return the smallest known input."""
        return self._verdict(*self.smallest)


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
