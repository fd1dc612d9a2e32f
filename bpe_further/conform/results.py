"""Report: the results as a page, as JSON or for JUnit, and the slip behind the failures."""

import json
from collections.abc import Sequence
from functools import cached_property
from xml.etree import ElementTree

import regex

from bpe_further.conform.cases import FORMAT, KIT
from bpe_further.conform.judge import Result, expected
from bpe_further.conform.slips import Finding, find_slips, is_answer
from bpe_further.exercises.whole_programs import Slip

LONGEST = 300  # characters to show of a request or an answer
UNSEEN = regex.compile(r"(?! )[\p{M}\p{C}\p{Z}]")  # marks, controls, other spaces
MOST_NAMES = 8  # of skipped cases to list
TAGS = {"passed": "", "failed": "failure", "skipped": "skipped", "not run": "error"}  # of JUnit
ADVICE = KIT["advice"]  # what a program did instead of answering -> what to do


class Report:
    """All results of a program, with the slips found in each group, and how long it took."""

    def __init__(self, results: Sequence[Result], seconds: float = 0.0):
        self.results = results
        self.seconds = seconds
        self.groups = {}  # group -> its results
        for result in results:
            self.groups.setdefault(result.case.group, []).append(result)

    @cached_property
    def findings(self) -> dict[str, list[Finding]]:
        """The slips that failures show, in each group; they take time: ask only if need be."""
        none = {group: [] for group in self.groups}
        return none if self.why_never else find_slips(self.groups)

    def count(self, kind: str, group: str | None = None) -> int:
        """Return how many cases "passed", "failed", were "skipped" or "not run"."""
        results = self.results if group is None else self.groups[group]
        return sum(result.result == kind for result in results)

    @property
    def is_good(self) -> bool:
        """Return whether a case passed, none failed, and all were run."""
        bad = self.count("failed") + self.count("not run")
        return self.count("passed") > 0 and bad == 0

    def slip_of(self, result: Result) -> Slip | None:
        """Return the slip that a failed case reveals."""
        if result.result != "failed":
            return None
        found = self.findings[result.case.group]
        sure = (one.slip for one in found if one.is_sure and result.case.name in one.cases)
        return next(sure, None)

    @cached_property
    def why_never(self) -> str | None:
        """What a program did instead that has never answered; None if it has answered once."""
        asked = [one for one in self.results if one.result != "not run"]
        if not asked or any(one.result != "failed" or is_answer(one.got) for one in asked):
            return None
        return next(str(said) for said in asked[0].got.values())

    def __str__(self) -> str:
        lines = []
        if self.why_never:
            lines.append(f"it has never answered: {_show(self.why_never):.{LONGEST}}")
        for group in self.groups:
            counts = {kind: self.count(kind, group) for kind in TAGS}
            said = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
            lines += [f"{group:12} {said}", *self._failure(group), *self._skipped(group)]
        counts = ", ".join(f"{self.count(kind)} {kind}" for kind in TAGS)
        verdict = "conforms, as far as it was asked" if self.is_good else "does not conform"
        lines.append(f"{counts}, {self.seconds:.1f} s: {verdict}")
        return "\n".join(lines)

    def _failure(self, group: str) -> list[str]:
        """Return lines on the slip, with the smallest failing case that reveals it."""
        failed = [result for result in self.groups[group] if result.result == "failed"]
        if not failed:
            return []
        slip, names, looked_at, is_sure = (self.findings[group] or [(None, (), 0, False)])[0]
        shown = [result for result in failed if result.case.name in names] or failed
        smallest = min(shown, key=lambda result: len(_show(result.case.request)))
        case = smallest.case
        lines = [
            f"  smallest failing case: {case.name} – {case.about}",
            f"    asked     {_show(case.request):.{LONGEST}}",
            f"    expected  {_show(expected(case, smallest.got)):.{LONGEST}}",
            f"    got       {_show(smallest.got):.{LONGEST}}",
        ]
        agree = f"{len(names)} of {looked_at} failing cases agree"
        if is_sure:
            lines.append(f"  the slip: {slip.name} – {slip.why} ({agree})")
            lines.append(f"  try next: mend that; the notebook {slip.notebook} explains it")
            return lines
        advice = [said for kind, said in ADVICE.items() if kind in smallest.got]
        lines.append(f"  {[*advice, ADVICE['unknown']][0]}")
        if slip is not None:
            lines.append(f"  one possible reason: {slip.name} – {slip.why} ({agree})")
        return lines

    def _skipped(self, group: str) -> list[str]:
        """Return lines that name the skipped cases, by reason."""
        reasons = {}  # reason -> names
        for one in self.groups[group]:
            if one.result == "skipped":
                reasons.setdefault(_show(one.got["skip"]), []).append(one.case.name)
        lines = []
        for why, names in reasons.items():
            named = ", ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} cases"
            if len(names) == len(self.groups[group]):
                named = "all"
            lines.append(f"  skipped, {why:.{LONGEST}}: {named}")
        return lines

    def to_json(self) -> bytes:
        """Return all results as JSON."""
        cases = []
        for result in self.results:
            slip = self.slip_of(result)
            request = result.case.request
            row = {"name": result.case.name, "do": request["do"], "request": request}
            row |= {"result": result.result, "slip": slip.name if slip else None}
            cases.append(row | {"expected": expected(result.case, result.got), "got": result.got})
        return json.dumps({"format": FORMAT, "cases": cases}, indent=1).encode("ascii")

    def to_junit(self) -> bytes:
        """Return all results as XML for JUnit."""
        root = ElementTree.Element("testsuites")
        for group, results in self.groups.items():
            suite = ElementTree.SubElement(root, "testsuite", name=group, tests=str(len(results)))
            for result in results:
                name = result.case.name
                test = ElementTree.SubElement(suite, "testcase", classname=group, name=name)
                if TAGS[result.result]:
                    slip = self.slip_of(result)
                    right = _show(expected(result.case, result.got))
                    asked = _show(result.case.request)
                    said = f"asked {asked}, expected {right}, got {_show(result.got)}"
                    said = f"{slip.name}: {said}" if slip else said
                    ElementTree.SubElement(test, TAGS[result.result], message=said)
        return ElementTree.tostring(root)


def _show(value) -> str:
    """Return a value as JSON, in which what can't be seen alone is escaped."""
    shown = json.dumps(value, ensure_ascii=False)
    return UNSEEN.sub(lambda found: json.dumps(found[0])[1:-1], shown)
