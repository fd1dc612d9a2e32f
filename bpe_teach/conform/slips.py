"""Slips: which slip of the exercises the answers of somebody else's program show."""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain
from typing import NamedTuple

from bpe_teach.exercises.whole_programs import SLIPS, Slip, answer

LEAST = 1 / 3  # a slip that is named must explain this share of the failing cases of a group


class Finding(NamedTuple):
    """A slip that explains failures in a group of cases."""

    slip: Slip
    cases: set[str]  # their names
    is_sure: bool  # a wrong answer is the slip's; a program may crash for any reason


def find_slips(groups: Mapping[str, Sequence]) -> dict[str, list[Finding]]:
    """Return, for each group of results, the slips that its failures show, the likeliest first.

    A result has a ``case``, its outcome, ``result``, and the answer, ``got``. A case speaks for a
    slip if the slip gives the same wrong answer. It speaks against the slip if it passed, but would
    fail with the slip. Only cases with the same request count; on a tie, all cases do.
    """
    found = {group: [] for group in groups}  # group -> (weight here, weight in all groups, slip)
    for slip in SLIPS.values():
        weights = {one: _weigh(slip, one) for one in chain(*groups.values())}
        in_all = sum(weights.values())
        for group, results in groups.items():
            explained = [one for one in results if weights[one] > 0]
            asked = {one.case.request["do"] for one in explained}
            here = sum(weights[one] for one in results if one.case.request["do"] in asked)
            failed = sum(one.result == "failed" for one in results)
            if here > 0 and len(explained) >= LEAST * failed:
                is_sure = any(_says_the_same(_answer(slip, one.case), one.got) for one in explained)
                finding = Finding(slip, {one.case.name for one in explained}, is_sure)
                found[group].append((here, in_all, finding))
    for rows in found.values():
        rows.sort(key=lambda row: row[:2], reverse=True)
    return {group: [finding for *_, finding in rows] for group, rows in found.items()}


def _weigh(slip: Slip, result) -> int:
    """Return 1 if a result speaks for a slip, -1 if it speaks against it, else 0."""
    given = _answer(slip, result.case)
    if result.result not in ("passed", "failed") or result.case.judge(given) == "passed":
        return 0
    if result.result == "passed":
        return -1
    if "error" in given:  # which may also end a program
        return int("error" in result.got or "stopped" in result.got)
    return int(_says_the_same(given, result.got))


def _says_the_same(given: Mapping, got: Mapping) -> bool:
    """Return whether an answer is the slip's; for errors, whether the names are the same."""
    if "error" in given:
        name, _, _ = given["error"].partition(":")
        return name in str(got.get("error", ""))
    return any(got.get(key, ...) == value for key, value in given.items())


@cache
def _answer(slip: Slip, case) -> dict:
    return answer(case.request, slip)
