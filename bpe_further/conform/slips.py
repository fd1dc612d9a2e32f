"""Slips: which slip of the exercises the answers of somebody else's program show."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

from bpe_further.conform.cases import KIT
from bpe_further.conform.judge import answer_like, expected, judge, says_the_same
from bpe_further.exercises.whole_programs import SLIPS, Slip

LEAST = 1 / 3  # a slip that is named must explain this share of the failing cases of a group
LEAST_OF_ALL = 0.4  # and of the wrong answers in all groups
MOST_OF_THEM = 0.9  # one that is sure, or against which much speaks, must explain this share
NEARLY = 0.97  # one slip can hardly be told from another that explains this share of its failures
FIRST = 10  # failing cases to try on all slips, for each thing that can be asked
LIKELY = 10  # slips to try on other cases as well
MOST = 120  # cases of a group to try these on
PARTS = {do: set(parts) for do, parts in KIT["parts"].items()}  # what is asked -> what matters
CONVENTIONS = KIT["conventions"]  # slip that is a convention elsewhere -> what it means
KIND = re.compile(r"\b\w+Error\b")  # of an error, as Python calls it


class Finding(NamedTuple):
    """A slip that explains failures in a group of cases."""

    slip: Slip
    cases: set[str]  # their names
    looked_at: int  # failing cases that could show the slip
    is_sure: bool
    not_compared: frozenset = frozenset()  # names of the failing cases beyond those


def find_slips(groups: Mapping[str, Sequence]) -> dict[str, list[Finding]]:
    """Return, for each group of results, the slips that its failures show, the likeliest first.

    A case speaks for a slip if the slip gives the same wrong answer, and against it if it passed,
    but would fail with the slip. A slip is sure in a group if four things hold: it gives nearly all
    wrong answers of the group; at least two of its answers, in all groups together, are no errors;
    no case speaks against it; and no other slip explains nearly as many of the wrong answers.
    """
    evidence = []
    asked = _sort_by_request(groups)
    for stage in KIT["stages"]:
        here = {do: results for do, results in asked.items() if do[1] in stage}
        if not any(is_answer(one.got) for both in here.values() for one in chain(*both)):
            continue  # nothing but errors: whatever breaks down would be a reason
        evidence += [_gather(slip, here) for slip in _likely(here)]
    evidence = [one for one in evidence if one.is_possible and one.explains_enough]
    weights = Counter()  # slip -> what speaks for it, in all stages
    for one in evidence:
        weights[one.slip] += one.weight
    for one in evidence:  # of equals, more evidence makes a slip likelier, and fewer changed parts
        one.plainness = weights[one.slip], -len(one.slip.parts)
    for one in evidence:
        rivals = [other for other in evidence if other.rivals(one)]
        is_plainest = all(rival.plainness < one.plainness for rival in rivals)
        one.is_first = is_plainest and not any(one.is_nearly(other) for other in evidence)
    compared = set(chain(*(failed for failed, _ in asked.values())))
    found = {}
    for group, results in groups.items():
        others = [one for one in results if one.result == "failed" and one not in compared]
        found[group] = [
            one._replace(not_compared=_names_of(others, one.slip))
            for one in _find_in_group(evidence, set(results))
        ]
    return found


def _names_of(results: Sequence, slip: Slip) -> frozenset[str]:
    """Return the names of those cases in which a slip could be the reason."""
    return frozenset(one.case.name for one in results if _concerns(slip, one.case.request["do"]))


def _concerns(slip: Slip, do: str) -> bool:
    """Return whether a slip is in a part of a program that matters for what is asked."""
    return not PARTS.get(do, set()).isdisjoint(slip.parts)


def slips_giving(result) -> list[Slip]:
    """Return the slips that give the wrong answer of a single failing case."""
    possible = [one for one in SLIPS.values() if _concerns(one, result.case.request["do"])]
    return [one for one in possible if _agrees(one, result) and not _may_be_right(one, result)]


def settle_conventions(results: Sequence) -> list:
    """Return the results; a failure that only shows a different convention is called "convention".

    The failing answers must be exactly those of the convention, and no other answer may contradict
    it.
    """
    settled = {}  # a failed result -> the result that takes its place
    for name in CONVENTIONS:
        slip = SLIPS[name]
        asked = [one for one in results if _concerns(slip, one.case.request["do"])]
        following = [one for one in asked if one.result == "failed" and _agrees(slip, one)]
        if not following:
            continue
        passed = (one for one in asked if one.result == "passed")
        if not any(_judge_slip(slip, one, one.got) == "failed" for one in passed):
            for one in following:
                settled.setdefault(one, replace(one, result="convention", convention=name))
    return [settled.get(one, one) for one in results]


def _find_in_group(evidence: Sequence["_Evidence"], results: set) -> list[Finding]:
    """Return the slips that the failures of a group show, the likeliest first."""
    rows = []
    for one in evidence:
        here = one.within(results)
        is_doubtful = len(one.against) > LEAST * len(one.explained)
        if here.weight > 0 and here.explains(MOST_OF_THEM if is_doubtful else LEAST):
            is_clear = bool(here.answers) and here.explains(MOST_OF_THEM)
            is_sure = len(one.answers) > 1 and not one.against and is_clear and one.is_first
            names = {result.case.name for result in here.explained}
            finding = Finding(one.slip, names, len(here.failed), is_sure)
            order = (is_sure, not one.against, here.weight, one.plainness, len(one.explained))
            rows.append((order, finding))
    rows.sort(key=lambda row: row[0], reverse=True)
    return [finding for _, finding in rows]


def _sort_by_request(groups: Mapping[str, Sequence]) -> dict[tuple, tuple[list, list]]:
    """Return (group, what is asked) -> the failed and the passed results, the shortest first."""
    asked = {}
    shortest_first = sorted(chain(*groups.values()), key=lambda one: len(str(one.case.request)))
    for result in shortest_first:
        key = (result.case.group, result.case.request["do"])
        failed, passed = asked.setdefault(key, ([], []))
        results = {"failed": failed, "passed": passed}.get(result.result)
        if results is not None and len(results) < MOST:
            results.append(result)
    return asked


def _likely(asked: Mapping) -> list[Slip]:
    """Return slips that agree with some of the shortest failures."""
    likely = {}  # as a set in order
    for (_, do), (failed, _) in asked.items():
        agreement = Counter()  # slip -> the failures that it explains
        for slip in SLIPS.values():
            if _concerns(slip, do):
                agreement[slip] = sum(_agrees(slip, one) for one in failed[:FIRST])
        for slip, count in agreement.most_common(LIKELY):
            if count:
                likely[slip] = None
    return list(likely)


def _gather(slip: Slip, asked: Mapping) -> "_Evidence":
    """Return what speaks for a slip and against it."""
    looked_at, explained, against = set(), set(), set()
    for (_, do), (failed, passed) in asked.items():
        if _concerns(slip, do):
            agreeing = {one for one in failed if _agrees(slip, one)}
            lucky = {one for one in agreeing if _may_be_right(slip, one)}
            looked_at |= set(failed) - lucky
            explained |= agreeing - lucky
            against |= {one for one in passed if _judge_slip(slip, one, one.got) == "failed"}
    return _Evidence(slip, looked_at, explained, against)


class _Evidence:
    """What speaks for a slip and against it, in all results or in those of a group."""

    def __init__(self, slip: Slip, failed: set, explained: set, against: set):
        self.slip = slip
        self.failed = failed  # the failures that were looked at
        self.explained = explained  # those that would be the same with the slip
        self.against = against  # the results that passed, but would fail with the slip
        self.weight = len(explained) - len(against)
        self.answers = [one for one in explained if is_answer(one.got)]

    def within(self, results: set) -> "_Evidence":
        """Return the part of this evidence that is in a group of results."""
        parts = (self.failed, self.explained, self.against)
        return _Evidence(self.slip, *(part & results for part in parts))

    def explains(self, share: float) -> bool:
        """Return whether the slip explains at least this share of the failures."""
        return len(self.explained) >= share * len(self.failed)

    @property
    def is_possible(self) -> bool:
        """Return whether more cases speak for the slip than against it, and not all are errors."""
        errors = {one for one in self.failed if "error" in one.got}
        same_places = not self.against and errors <= self.explained
        return self.weight > 0 and bool(self.answers or same_places)

    @property
    def explains_enough(self) -> bool:
        """Return whether the slip explains a good part of all wrong answers that it could."""
        answered = {one for one in self.failed if is_answer(one.got)}
        return len(self.explained) >= LEAST_OF_ALL * len(answered | self.explained)

    def rivals(self, other: "_Evidence") -> bool:
        """Return whether this slip is at least as likely as another slip."""
        is_no_weaker = len(self.against) <= len(other.against)
        return self is not other and is_no_weaker and self.explained >= other.explained

    def is_nearly(self, other: "_Evidence") -> bool:
        """Return whether a slip with another reason explains nearly all that this slip does."""
        if self.slip.why == other.slip.why or len(other.against) > len(self.against):
            return False
        return len(self.explained & other.explained) >= NEARLY * len(self.explained)


def is_answer(got: Mapping) -> bool:
    """Return whether a program has answered: it neither failed nor said anything else instead."""
    return not any(key in got for key in ("error", "stopped", "silent", "garbage", "fault"))


def _judge_slip(slip: Slip, result, like: Mapping) -> str:
    """Judge a slip's answer to the request of a result, with ties settled as in a given answer."""
    return judge(result.case, answer_like(result.case, like, slip))


def _may_be_right(slip: Slip, result) -> bool:
    """Return whether ties can fall so that a slip is right: then it explains no failure."""
    return _judge_slip(slip, result, expected(result.case, result.got)) == "passed"


def _agrees(slip: Slip, result) -> bool:
    """Return whether a failing answer is the slip's, or both are errors of the same kind."""
    given = answer_like(result.case, result.got, slip)
    got = result.got
    if judge(result.case, given) == "passed":
        return False
    if "error" in given:
        ours = KIND.search(given["error"])
        theirs = KIND.search(str(got))
        is_error = "error" in got or "stopped" in got
        return is_error and (not ours or not theirs or ours[0] == theirs[0])
    if "bytes" in got and "text" in given:
        try:
            got = {"text": bytes(got["bytes"]).decode("utf-8", "replace")}
        except (TypeError, ValueError):  # that are no bytes
            return False
    return says_the_same(given, got)
