"""What became of the cases: a page to read, JSON, JUnit, and the slip behind the failures."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from bpe_teach.conform.cases import FORMAT, Case
from bpe_teach.conform.program import Result
from bpe_teach.exercises.whole_programs import SLIPS, Slip, answer

LEAST = 1 / 3  # of the failing cases of a group that a slip must explain to be named
LONGEST = 300  # characters of a request or an answer that are shown
TAGS = {"passed": "", "failed": "failure", "skipped": "skipped", "not run": "error"}  # of JUnit


class Finding(NamedTuple):
    """A slip that explains failing cases of a group."""

    slip: Slip
    cases: set[str]  # their names


def find_slips(groups: Mapping[str, Sequence[Result]]) -> dict[str, list[Finding]]:
    """Return for each group the slips that its failing cases show, the likeliest first.

    A case speaks for a slip if the slip gives the same wrong answer, and against it if the case
    passed, but would fail with the slip. Only what asks the same counts; of equals, everything.
    """
    found = {group: [] for group in groups}  # group -> (what speaks for it, here and in all, slip)
    for slip in SLIPS.values():
        weights = {one: _weigh(slip, one) for one in chain(*groups.values())}
        in_all = sum(weights.values())
        for group, results in groups.items():
            explained = [one for one in results if weights[one] > 0]
            asked = {one.case.request["do"] for one in explained}
            here = sum(weights[one] for one in results if one.case.request["do"] in asked)
            failed = sum(one.result == "failed" for one in results)
            if here > 0 and len(explained) >= LEAST * failed:
                finding = Finding(slip, {one.case.name for one in explained})
                found[group].append((here, in_all, finding))
    for rows in found.values():
        rows.sort(key=lambda row: row[:2], reverse=True)
    return {group: [finding for *_, finding in rows] for group, rows in found.items()}


def _weigh(slip: Slip, result: Result) -> int:
    """Return 1 if a result speaks for a slip, -1 if against it, else 0."""
    given = _answer(slip, result.case)
    if result.result not in ("passed", "failed") or result.case.judge(given) == "passed":
        return 0
    if result.result == "passed":
        return -1
    if "error" in given:  # which may well have ended the program
        return int("error" in result.got or "stopped" in result.got)
    return int(any(result.got.get(key, ...) == value for key, value in given.items()))


@cache
def _answer(slip: Slip, case: Case) -> dict:
    return answer(case.request, slip)


class Report:
    """All results of a program, with the slips found in each group."""

    def __init__(self, results: Sequence[Result]):
        self.groups = {}  # group -> its results
        for result in results:
            self.groups.setdefault(result.case.group, []).append(result)
        self.findings = find_slips(self.groups)

    def count(self, kind: str, group: str | None = None) -> int:
        """Return how many cases "passed", "failed", were "skipped" or "not run"."""
        groups = self.groups if group is None else [group]
        return sum(result.result == kind for name in groups for result in self.groups[name])

    @property
    def is_good(self) -> bool:
        """Return whether something passed, nothing failed, and all was run."""
        return self.count("passed") > 0 == self.count("failed") + self.count("not run")

    def slip_of(self, result: Result) -> Slip | None:
        """Return the slip that a failing case shows."""
        for slip, names in self.findings[result.case.group]:
            if result.result == "failed" and result.case.name in names:
                return slip
        return None

    def __str__(self) -> str:
        lines = []
        for group in self.groups:
            counts = {kind: self.count(kind, group) for kind in TAGS}
            said = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
            lines += [f"{group:12} {said}", *self._failure(group), *self._skipped(group)]
        verdict = "conforms" if self.is_good else "does not conform"
        lines.append(f"{self.count('passed')} cases passed: the program {verdict}")
        return "\n".join(lines)

    def _failure(self, group: str) -> list[str]:
        """Show the slip, and the smallest failing case that shows it."""
        failed = [result for result in self.groups[group] if result.result == "failed"]
        if not failed:
            return []
        slip, names = self.findings[group][0] if self.findings[group] else (None, ())
        shown = [result for result in failed if result.case.name in names] or failed
        smallest = min(shown, key=lambda result: len(_show(result.case.request)))
        case = smallest.case
        lines = [
            f"  smallest failing case: {case.name} – {case.about}",
            f"    asked     {_show(case.request):.{LONGEST}}",
            f"    expected  {_show(case.answer):.{LONGEST}}",
            f"    got       {_show(smallest.got):.{LONGEST}}",
            "  the slip: none that we know; do this case on paper, step by step",
        ]
        if slip is not None:
            agree = f"{len(names)} of {len(failed)} failing cases agree"
            lines[-1] = f"  the slip: {slip.name} – {slip.why} ({agree})"
            lines.append(f"  try next: mend that; the notebook {slip.notebook} explains it")
        return lines

    def _skipped(self, group: str) -> list[str]:
        """Name the skipped cases, by reason."""
        results = self.groups[group]
        reasons = {}  # reason -> names
        for result in results:
            if result.result == "skipped":
                reasons.setdefault(_show(result.got["skip"]), []).append(result.case.name)
        lines = []
        for why, names in reasons.items():
            named = "all" if len(names) == len(results) else ", ".join(names)
            lines.append(f"  skipped, {why:.{LONGEST}}: {named}")
        return lines

    def to_json(self) -> bytes:
        """Return all results as JSON."""
        cases = []
        for result in [one for group in self.groups.values() for one in group]:
            slip = self.slip_of(result)
            row = {"name": result.case.name, "do": result.case.request["do"]}
            row |= {"result": result.result, "slip": slip.name if slip else None}
            cases.append(row | {"expected": result.case.answer, "got": result.got})
        return json.dumps({"format": FORMAT, "cases": cases}, indent=1).encode("ascii")

    def to_junit(self) -> bytes:
        """Return all results as XML in the form of JUnit."""
        lines = ["<testsuites>"]
        for group, results in self.groups.items():
            lines.append(f'<testsuite name="{group}" tests="{len(results)}">')
            for result in results:
                slip = self.slip_of(result)
                named = f"{slip.name}: " if slip else ""
                said = f"{named}expected {_show(result.case.answer)}, got {_show(result.got)}"
                tag = TAGS[result.result]
                said = f"<{tag} message={quoteattr(said)}/>" if tag else ""
                case = f'classname="{group}" name="{result.case.name}"'
                lines.append(f"<testcase {case}>{said}</testcase>")
            lines.append("</testsuite>")
        return "\n".join([*lines, "</testsuites>"]).encode("ascii", "xmlcharrefreplace")


def _show(value) -> str:
    """Write a value as JSON, without the signs that move a cursor."""
    return json.dumps(value, ensure_ascii=False)
