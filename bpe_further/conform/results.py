"""Report: the results as a page, as JSON or for JUnit, and the slip behind the failures."""

import json
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cached_property
from xml.etree import ElementTree

import regex

from bpe_further.conform.cases import KIT, VERSION, hash_of_cases
from bpe_further.conform.found import Found
from bpe_further.conform.judge import Result, expected
from bpe_further.conform.slips import CONVENTIONS, Finding, find_slips, is_answer, slips_giving
from bpe_further.conform.texts import MARK
from bpe_further.conform.traits import trait_of
from bpe_further.exercises.whole_programs import Slip

FORMAT = 2  # of the results as JSON
LONGEST = 300  # characters to show of a request or an answer
UNSEEN = regex.compile(r"(?! )[\p{M}\p{C}\p{Z}]")  # marks, controls, other spaces
MOST_NAMES = 8  # of skipped cases to list
MOST_OTHERS = 2  # kinds of failure to show beside the first
FEW, SHARE = 5, 0.1  # of failures without an explanation, which cast no doubt on the habits
KINDS_OF_ERROR = ("error", "fault", "stopped", "silent", "garbage")
MOST_DEFINED = 12  # classes and functions to list
TAGS = {  # result -> what it is for JUnit
    "passed": "",
    "failed": "failure",
    "convention": "skipped",
    "known": "skipped",
    "skipped": "skipped",
    "not run": "error",
}
ALWAYS = ("passed", "failed", "skipped", "not run")  # counts that are said even if they are 0
ADVICE = KIT["advice"]  # what a program did instead of answering -> what to do
PROVEN = ("on_top", "shared", "otherwise", "lowest_ids")  # advice that names what is wrong
HOW_TO_TELL = (
    "  to tell which: do the smallest failing case by hand, as the program is meant "
    "to work. If the program is as it should be, the kit doesn't know one of its habits"
)
IF_MEANT = ", if the kit uses it as it is meant (see the first lines)"
BY_ADAPTER = "; an adapter can take the habit out: --adapter FILE writes one to start from"
NOT_WHOLE = regex.compile(r'\d\.0\b|"\d+"|\bnull\b')  # what a number may have become in JSON
OF_JSON = ' (104.0, "104" and null are not 104)'
WHAT_IS_NEEDED = (
    "looked for: a class, or functions, that learn (train, fit …), encode and decode; or train_bpe "
    "and Tokenizer, as in CS336; or the functions of notebooks 01 to 04"
)


class Report:
    """All results of a program, with the slips found in each group, and how long it took.

    ``why`` says why a program was asked nothing; then there are no results. If this shouldn't have
    happened, ``is_error`` is true.
    """

    def __init__(
        self,
        name: str = "",
        results: Sequence[Result] = (),
        seconds: float = 0.0,
        *,
        found: Found | None = None,
        known: Collection[str] = (),
        why: str | None = None,
        is_error: bool = False,
    ):
        self.name = name
        self.results = results
        self.seconds = seconds
        self.found = found
        self.why = why
        self.is_error = is_error
        self.defined = []  # classes and functions that there are, where nothing could be asked
        self.adapter = None  # a file that would help then
        self.groups = {}  # group -> its results
        for result in results:
            self.groups.setdefault(result.case.group, []).append(result)
        passed = {one.case.name for one in results if one.result == "passed"}
        self.mended = sorted(passed & {*known})  # known to fail, but they pass

    @cached_property
    def findings(self) -> dict[str, list[Finding]]:
        """The slips that failures show, in each group; finding them takes time: ask if need be."""
        if self.why_never:
            return {group: [] for group in self.groups}
        rest = {}  # group -> the results whose reason isn't known yet
        for group, results in self.groups.items():
            rest[group] = [one for one in results if one.advice is None]
        findings = find_slips(rest)
        if self.found is not None and self.found.told.get("number_guessed"):
            for group, found in findings.items():
                findings[group] = [_in_doubt(one) for one in found]
        return findings

    def count(self, kind: str, group: str | None = None) -> int:
        """Return how many cases "passed", "failed", were "skipped" or "not run"."""
        results = self.results if group is None else self.groups[group]
        return sum(result.result == kind for result in results)

    @property
    def is_good(self) -> bool:
        """Return whether a case passed, none failed, all were run; or nothing was to be asked."""
        bad = self.count("failed") + self.count("not run") + len(self.mended)
        if self.why is not None:
            return not self.is_error
        return self.count("passed") > 0 and bad == 0 and not self.says_nothing

    @property
    def says_nothing(self) -> bool:
        """Return whether all that passed is that nothing was learned, and more was skipped."""
        passed = [one for one in self.results if one.result == "passed"]
        return self.count("skipped") > 0 and all(one.got.get("merges") == [] for one in passed)

    def slip_of(self, result: Result) -> Slip | None:
        """Return the slip that a failed case reveals."""
        if result.result != "failed":
            return None
        found = self.findings[result.case.group]
        sure = (one.slip for one in found if one.is_sure and result.case.name in one.cases)
        return next(sure, None)

    @cached_property
    def unexplained(self) -> list[Result]:
        """The failures that neither a sure slip nor the answer itself explains.

        The kit has guessed the habits of the program, on which the right answers rest. A program
        that speaks the protocol is told all of them in each request: there is nothing to guess.
        """
        if self.found is None or not self.found.told or self.why_never:
            return []
        failed = [one for one in self.results if one.result == "failed"]
        others = [one for one in failed if not self.slip_of(one) and not self._may_show_slip(one)]
        return [one for one in others if self._kind_of(one) == "unknown"]

    def _may_show_slip(self, result: Result) -> bool:
        """Return whether a failure wasn't compared with a slip that is sure in its group."""
        found = self.findings[result.case.group]
        return any(one.is_sure and result.case.name in one.not_compared for one in found)

    @cached_property
    def may_be_habits(self) -> bool:
        """Whether there are so many failures without an explanation that a habit may be the reason.

        They are compared with all that was asked of their kind, such as training.
        """
        asked = [one for one in self.results if one.result not in ("skipped", "not run")]
        counts = Counter(map(_stage, asked))
        many = Counter(map(_stage, self.unexplained))
        return any(many[stage] > max(FEW, SHARE * counts[stage]) for stage in many)

    @property
    def is_proven(self) -> bool:
        """Whether a failure shows a slip for certain, or none of the habits were guessed."""
        if self.found is None or not self.found.told:
            return True
        failed = [one for one in self.results if one.result == "failed"]
        return any(self.slip_of(one) or self._kind_of(one) in PROVEN for one in failed)

    @property
    def is_undecided(self) -> bool:
        """Whether failures may show a habit that we don't know, and no other shows a slip."""
        return self.may_be_habits and not self.is_proven

    @cached_property
    def why_never(self) -> str | None:
        """What a program that has never answered did instead; None if it has answered once."""
        asked = [one for one in self.results if one.result not in ("not run", "skipped")]
        if not asked or any(one.result != "failed" or is_answer(one.got) for one in asked):
            return None
        return next(str(said) for said in asked[0].got.values())

    @property
    def may_be_adapter(self) -> bool:
        """Whether a program has never answered: then what calls it may be wrong, not the program.

        A fault is an answer, though not one in the form that was asked for.
        """
        return bool(self.why_never) and not any("fault" in one.got for one in self.results)

    def __str__(self) -> str:
        if self.why is not None:
            return "\n".join(self._nothing_asked())
        lines = [f"{self.name} · cases {VERSION} ({hash_of_cases()})"] if self.name else []
        if self.found is not None:
            lines += self.found.lines()
        if self.why_never:
            lines.append(f"it has never answered: {_show(self.why_never):.{LONGEST}}")
        for group in self.groups:
            counts = {kind: self.count(kind, group) for kind in TAGS}
            said = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
            lines += [f"{group:12} {said}", *self._failure(group), *self._skipped(group)]
        lines += self._conventions()
        for name in self.mended:
            lines.append(f"{name} passes: take it off the list of known failures")
        lines += self._undecided()
        counts = {kind: self.count(kind) for kind in TAGS}
        said = ", ".join(
            f"{count} {kind}" for kind, count in counts.items() if count or kind in ALWAYS
        )
        lines.append(f"{said}, {self.seconds:.1f} s: {self.verdict}")
        return "\n".join(lines)

    @property
    def verdict(self) -> str:
        """The verdict on all results; a program that was asked nothing gets no bad one."""
        if self.is_good:
            return "conforms, as far as it was asked"
        if self.may_be_adapter:
            return "not judged: it has never answered"
        if self.is_undecided:
            return "not judged, since failures are not explained"
        if self.count("failed"):
            return "does not conform" + ("" if self.is_proven else IF_MEANT)
        if self.count("passed") + self.count("known") == 0 and not self.count("not run"):
            return "nothing could be asked"
        if self.count("not run"):
            return "not decided"
        if self.says_nothing and not self.count("known"):
            return "not judged: it has learned nothing, and hardly anything could be asked"
        return "conforms, but the list of known failures is out of date"

    def _nothing_asked(self) -> list[str]:
        """Return lines about a program that was asked nothing: what is missing, what would help."""
        lines = [f"{self.name}: {self.why}"]
        if self.defined or self.adapter:
            lines.append(WHAT_IS_NEEDED)
            listed = self.defined[:MOST_DEFINED]
            lines.append("found: " + ("; ".join(listed) or "neither classes nor functions"))
        if self.adapter:
            lines.append("an adapter to start from: save it with --adapter FILE, and ask that file")
            lines += [f"    {line}".rstrip() for line in self.adapter.splitlines()]
        return lines

    def _conventions(self) -> list[str]:
        """Return lines on what is done differently from GPT-2, and isn't wrong."""
        named = {}  # convention -> the results that show it
        for one in self.results:
            if one.result == "convention":
                named.setdefault(one.convention, []).append(one)
        lines = []
        for name, results in named.items():
            lines.append(
                f"a convention other than GPT-2's ({len(results)} cases): {CONVENTIONS[name]}"
            )
        return lines

    def _undecided(self) -> list[str]:
        """Return lines on failures that may as well show a habit that we don't know."""
        if not self.may_be_habits:
            return []
        how = HOW_TO_TELL + (BY_ADAPTER if self.adapter else "")
        many = f"{len(self.unexplained)} failures are not explained"
        habits = "the habits that the kit found, and on which it rests, stand in the first lines"
        return [f"{many}: a bug, or a habit that the kit doesn't know; {habits}", how]

    def _failure(self, group: str) -> list[str]:
        """Return lines on the slip, and the smallest failing case that reveals it.

        Failures of other kinds follow, so that one fault doesn't hide the next.
        """
        failed = [result for result in self.groups[group] if result.result == "failed"]
        if not failed:
            return []
        finding = next(iter(self.findings[group]), None)
        names = finding.cases if finding else set()
        shown = [result for result in failed if result.case.name in names] or failed
        smallest = min(shown, key=_how_telling)
        lines = _show_case("smallest failing case", smallest) + self._explain(smallest, finding)
        others = {}  # kind of failure -> the failures that the slip doesn't explain
        for result in failed:
            if result.case.name not in names and _kind(result) != _kind(smallest):
                others.setdefault(_kind(result), []).append(result)
        told_first = sorted(others.values(), key=lambda results: not _is_told(results[0]))
        for results in told_first[:MOST_OTHERS]:
            result = min(results, key=_how_telling)
            finding = next((one for one in self.findings[group] if _shows(result, one)), None)
            lines += _show_case(f"also failing ({len(results)})", result)
            lines += self._explain(result, finding)
        left = [one.case.name for results in told_first[MOST_OTHERS:] for one in results]
        if left:
            more = f", … ({len(left)} in all)" if len(left) > MOST_NAMES else ""
            lines.append(f"  failing in other ways, too: {', '.join(left[:MOST_NAMES])}{more}")
        return lines

    def _explain(self, result: Result, finding: Finding | None) -> list[str]:
        """Return lines on the reason of a failure: the slip that was found, or what to do."""
        kind = self._kind_of(result)
        fitting = []  # slips that give this one answer, and perhaps no other
        if kind == "unknown" and (finding is None or finding.looked_at == 1):
            fitting = [slip.name for slip in slips_giving(result)]
        advice = [f"  {ADVICE['unsure' if kind == 'unknown' and (finding or fitting) else kind]}"]
        if kind == "otherwise":
            advice[0] += f" {self.found.encodes_otherwise}"
        by_characters = self.found is not None and self.found.by_characters
        is_unknown = kind == "unknown" and not by_characters
        if is_unknown and NOT_WHOLE.search(json.dumps(result.got)):
            advice[0] += OF_JSON
        if result in self.unexplained:
            advice += self._what_is_known(result)
        if fitting and (finding is None or len(fitting) > 1):
            advice.append(f"    slips that give this answer: {', '.join(fitting[:MOST_NAMES])}")
        if finding is None:
            return advice
        slip = finding.slip
        agree = f"{len(finding.cases)} of {finding.looked_at} failing cases agree"
        if finding.not_compared:
            agree += f"; {len(finding.not_compared)} more are not compared"
        why = f"{slip.name} – {slip.why} ({agree})"
        if finding.is_sure:
            next_step = f"  try next: mend that; the notebook {slip.notebook} explains it"
            return [f"  the slip: {why}", next_step]
        return [*advice, f"  one possible reason: {why}"]

    def _what_is_known(self, result: Result) -> list[str]:
        """Return lines on what is known of a failure without an explanation.

        These are the habits on which the expected answer rests, and what the texts have in common.
        """
        do = result.case.request["do"]
        here = [one for one in self.groups[result.case.group] if one.case.request["do"] == do]
        failing = [_text_of(one) for one in here if one in self.unexplained]
        passing = [_text_of(one) for one in here if one.result == "passed"]
        lines = [f"    the expected answer rests on these habits: {self.found.basis(do)}"]
        if None not in [*failing, *passing] and (trait := trait_of(failing, passing)):
            lines.append(f"    {trait}")
        return lines

    def _kind_of(self, result: Result) -> str:
        """Return which advice fits a failure if no slip is known for certain."""
        if result.advice is not None:
            return result.advice
        for kind in ADVICE:
            if kind in result.got:
                return kind
        return "missing" if _misses_some(result) else "unknown"

    def _skipped(self, group: str) -> list[str]:
        """Return lines that name the skipped cases, by reason."""
        reasons = {}  # reason -> names
        for one in self.groups[group]:
            if one.result == "skipped":
                why = _show(one.got["skip"] or "no reason is given")
                reasons.setdefault(why, []).append(one.case.name)
        lines = []
        for why, names in reasons.items():
            named = ", ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} cases"
            if len(names) == len(self.groups[group]):
                named = "all"
            lines.append(f"  skipped, {why:.{LONGEST}}: {named}")
        return lines

    def to_rows(self) -> dict:
        """Return all results as data."""
        cases = []
        for result in self.results:
            slip = self.slip_of(result)
            request = result.case.request
            row = {"name": result.case.name, "do": request["do"], "request": request}
            row |= {"result": result.result, "slip": slip.name if slip else result.convention}
            cases.append(row | {"expected": expected(result.case, result.got), "got": result.got})
        found = self.found.lines() if self.found else []
        verdict = self.why if self.why is not None else self.verdict
        return {"name": self.name, "verdict": verdict, "found": found, "cases": cases}


def to_json(reports: Sequence[Report]) -> bytes:
    """Return all results of programs as JSON."""
    programs = [report.to_rows() for report in reports]
    told = {"format": FORMAT, "version": VERSION, "hash": hash_of_cases(), "programs": programs}
    return json.dumps(told, indent=1).encode("ascii")


def to_junit(reports: Sequence[Report]) -> bytes:
    """Return all results of programs as XML for JUnit."""
    root = ElementTree.Element("testsuites", name=f"cases {VERSION} ({hash_of_cases()})")
    for report in reports:
        if report.why is not None:
            suite = ElementTree.SubElement(root, "testsuite", name=report.name, tests="1")
            test = ElementTree.SubElement(suite, "testcase", classname=report.name, name="asked")
            kind = "error" if report.is_error else "skipped"
            ElementTree.SubElement(test, kind, message=report.why)
        for group, results in report.groups.items():
            name = ".".join(filter(None, [report.name, group]))
            suite = ElementTree.SubElement(root, "testsuite", name=name, tests=str(len(results)))
            for result in results:
                _add_test(suite, name, result, report.slip_of(result))
    return ElementTree.tostring(root)


def _add_test(suite: ElementTree.Element, classname: str, result: Result, slip: Slip | None):
    name = result.case.name
    test = ElementTree.SubElement(suite, "testcase", classname=classname, name=name)
    if TAGS[result.result]:
        right = _show(expected(result.case, result.got))
        asked = _show(result.case.request)
        said = f"asked {asked}, expected {right}, got {_show(result.got)}"
        said = f"{slip.name}: {said}" if slip else said
        if result.convention:
            said = f"{result.convention}: {said}"
        ElementTree.SubElement(test, TAGS[result.result], message=said)


def _stage(result: Result) -> str:
    """Return "train", "encode", "decode" or "round", of what was asked."""
    return result.case.request["do"].partition("_")[0]


def _shows(result: Result, finding: Finding) -> bool:
    return result.case.name in finding.cases


def _in_doubt(finding: Finding) -> Finding:
    """Return a finding that is no longer sure if it is about what a program learns.

    That is for a program whose number of merges we may have got wrong.
    """
    return finding._replace(is_sure=finding.is_sure and "learn" not in finding.slip.parts)


def _show_case(what: str, result: Result) -> list[str]:
    case = result.case
    return [
        f"  {what}: {case.name} – {case.about}",
        f"    asked     {_show(case.request):.{LONGEST}}",
        f"    expected  {_show(expected(case, result.got)):.{LONGEST}}",
        f"    got       {_show(result.got):.{LONGEST}}",
    ]


def _kind(result: Result) -> tuple:
    """Return what was asked, what kind of error came instead of an answer, and the advice on it."""
    said = next((str(value) for key, value in result.got.items() if key in KINDS_OF_ERROR), "")
    error = regex.search(r"\w+Error|\w+Exception|StopIteration", said)
    return result.case.request["do"], error[0] if error else said[:20], result.advice


def _how_telling(result: Result) -> tuple:
    """Return the key that chooses the failure to show: answers before errors, small texts first.

    A crash on the empty text is the smallest failure of many programs, but says little about them.
    """
    request = result.case.request
    text = next((request[key] for key in ("text", "words", "word", "ids") if key in request), "")
    is_empty = not text or text == [[]]
    return is_empty, not is_answer(result.got), len(_show(request))


def _show(value) -> str:
    """Return a value as JSON; characters that can't be seen alone are escaped."""
    shown = json.dumps(value, ensure_ascii=False)
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], shown)


def _is_told(result: Result) -> bool:
    """Return whether the answer itself says what is wrong."""
    return result.advice is not None or _misses_some(result)


def _text_of(result: Result) -> str | None:
    """Return the text that a program was given; None if it was given something else."""
    case = result.case
    return case.request.get("text") if case.text is None else case.text


def _misses_some(result: Result) -> bool:
    """Return whether the right answer was given with some parts of it left out or marked."""
    right, given = expected(result.case, result.got), result.got
    for kind in ("tokens", "ids", "text"):
        if isinstance(right.get(kind), list | str) and isinstance(
            given.get(kind), type(right[kind])
        ):
            return _lacks_some(right[kind], given[kind], kind)
    return False


def _lacks_some(right: list | str, given: list | str, kind: str) -> bool:
    """Return whether parts are missing. Only of tokens may the mark be missing too."""
    if kind == "text":
        found = given if MARK.search(right) else MARK.sub("", given)
    else:
        found = [one for one in given if one in right or not MARK.fullmatch(f"{one}")]
    is_marked = len(found) < len(given)
    rest = iter(right)
    is_part = len(found) < len(right) and all(token in rest for token in found)
    return is_part and (is_marked or kind == "tokens")
