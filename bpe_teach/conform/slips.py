"""Slips: which slip of the exercises the answers of somebody else's program show."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from bpe_teach.conform.cases import KIT
from bpe_teach.conform.judge import answer_like, expected, judge, says_the_same
from bpe_teach.exercises.whole_programs import SLIPS, Slip

LEAST = 1 / 3  # a slip that is named must explain this share of the failing cases of a group
MOST_OF_THEM = 0.9  # one that is sure, or against which much speaks, must explain this share
FIRST = 10  # failing cases to try on all slips, for each thing that can be asked
LIKELY = 10  # slips to try on other cases as well
MOST = 120  # cases of a group to try these on
PARTS = {do: set(parts) for do, parts in KIT["parts"].items()}  # what is asked -> what matters
KIND = re.compile(r"\b\w+Error\b")  # of an error, as Python calls it


class Finding(NamedTuple):
    """A slip that explains failures in a group of cases."""

    slip: Slip
    cases: set[str]  # their names
    looked_at: int  # failing cases that could show the slip
    is_sure: bool


def find_slips(groups: Mapping[str, Sequence]) -> dict[str, list[Finding]]:
    """Return, for each group of results, the slips that its failures show, the likeliest first.

    A case speaks for a slip if the slip gives the same wrong answer, and against it if it passed,
    but would fail with the slip. A slip is sure in a group if nearly all wrong answers there are
    its own, two or more in all that are no errors, no case speaks against it, and no other slip
    explains them as well.
    """
    evidence = []
    asked = _sort_by_request(groups)
    for stage in KIT["stages"]:
        here = {do: results for do, results in asked.items() if do[1] in stage}
        for slip in _likely(here):
            one = _Evidence(slip, here)
            if one.is_possible:
                evidence.append(one)
    weights = Counter()  # slip -> what speaks for it, in all stages
    for one in evidence:
        weights[one.slip] += one.weight

    found = {}
    for group, results in groups.items():
        rows = []
        for one in evidence:
            share = _Share(one, results)
            if share.is_enough:
                plainness = _plainness(one, weights)
                rivals = [other for other in evidence if other.rivals(one)]
                is_first = all(_plainness(other, weights) < plainness for other in rivals)
                is_sure = one.is_sure and share.is_clear and is_first
                names = {result.case.name for result in share.explained}
                finding = Finding(one.slip, names, share.failed, is_sure)
                order = (is_sure, not one.against, share.weight, plainness, len(one.explained))
                rows.append((order, finding))
        rows.sort(key=lambda row: row[0], reverse=True)
        found[group] = [finding for _, finding in rows]
    return found


def _sort_by_request(groups: Mapping[str, Sequence]) -> dict[tuple, tuple[list, list]]:
    """Return group and what is asked -> the failed and the passed results, the shortest first."""
    asked = {}
    shortest_first = sorted(chain(*groups.values()), key=lambda one: len(str(one.case.request)))
    for result in shortest_first:
        key = (result.case.group, result.case.request["do"])
        failed, passed = asked.setdefault(key, ([], []))
        results = {"failed": failed, "passed": passed}.get(result.result)
        if results is not None and len(results) < MOST:
            results.append(result)
    return asked


def _plainness(one: "_Evidence", weights: Counter) -> tuple[int, int]:
    """Return what makes a slip likelier than its equals: more evidence, fewer parts changed."""
    return weights[one.slip], -len(one.slip.parts)


def _likely(asked: Mapping) -> list[Slip]:
    """Return slips that agree with some of the shortest failures."""
    likely = {}  # as a set in order
    for (_, do), (failed, _) in asked.items():
        agreement = Counter()  # slip -> the failures that it explains
        for slip in SLIPS.values():
            if PARTS[do] & set(slip.parts):
                agreement[slip] = sum(_agrees(slip, one) for one in failed[:FIRST])
        for slip, count in agreement.most_common(LIKELY):
            if count:
                likely[slip] = None
    return list(likely)


class _Evidence:
    """What speaks for a slip and against it."""

    def __init__(self, slip: Slip, asked: Mapping):
        self.slip = slip
        self.asked = set()  # the results that were looked at
        self.explained = set()  # those that failed as they would with the slip
        self.against = set()  # those that passed, but would fail with the slip
        for (_, do), (failed, passed) in asked.items():
            if PARTS[do] & set(slip.parts):
                agreeing = {one for one in failed if _agrees(slip, one)}
                lucky = {one for one in agreeing if _may_be_right(slip, one)}
                self.asked.update(set(failed) - lucky, passed)
                self.explained.update(agreeing - lucky)
                self.against.update(one for one in passed if _would_fail(slip, one))
        self.weight = len(self.explained) - len(self.against)
        own = [one for one in self.explained if is_answer(one.got)]
        self.is_sure = len(own) > 1 and not self.against
        failed = {one for one in self.asked if one.result == "failed"}
        errors = {one for one in failed if "error" in one.got}
        same_places = not self.against and errors <= self.explained
        self.is_possible = self.weight > 0 and bool(own or same_places)

    def rivals(self, other: "_Evidence") -> bool:
        """Return whether this is as likely as another slip."""
        is_no_weaker = len(self.against) <= len(other.against)
        return self is not other and is_no_weaker and self.explained >= other.explained


class _Share:
    """What speaks for a slip and against it in one group of results."""

    def __init__(self, one: _Evidence, results: Sequence):
        self.explained = [result for result in results if result in one.explained]
        against = [result for result in results if result in one.against]
        self.weight = len(self.explained) - len(against)
        asked = [result for result in results if result in one.asked]
        self.failed = sum(result.result == "failed" for result in asked)
        is_doubtful = len(one.against) > LEAST * len(one.explained)
        least = MOST_OF_THEM if is_doubtful else LEAST
        self.is_enough = self.weight > 0 and len(self.explained) >= least * self.failed
        has_answer = any(is_answer(result.got) for result in self.explained)
        self.is_clear = has_answer and len(self.explained) >= MOST_OF_THEM * self.failed


def is_answer(got: Mapping) -> bool:
    """Return whether a program has answered, and neither failed nor said something else."""
    return not any(key in got for key in ("error", "stopped", "silent", "garbage", "fault"))


def _would_fail(slip: Slip, result) -> bool:
    given = answer_like(result.case.request, result.got, slip)
    return judge(result.case, given) == "failed"


def _may_be_right(slip: Slip, result) -> bool:
    """Return whether ties can fall so that the slip gives a right answer: then it explains none."""
    right = expected(result.case, result.got)
    given = answer_like(result.case.request, right, slip)
    return judge(result.case, given) == "passed"


def _agrees(slip: Slip, result) -> bool:
    """Return whether a failing answer is the slip's, or both are errors, of one kind."""
    given = answer_like(result.case.request, result.got, slip)
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
