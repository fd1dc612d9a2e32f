"""Judge: whether an answer is right. Where ties may fall in any way, merges are replayed."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bpe_further.conform.cases import Case
from bpe_further.conform.replay import are_learned
from bpe_further.exercises.whole_programs import PAGE, Slip, answer

MOST_ANSWERS = 100_000  # of slips, to remember
PAIRS = PAGE.space["_pairs"]  # pairs of ids -> pairs of tokens
_asked = lru_cache(MOST_ANSWERS)(lambda case: json.dumps(case.request))  # once for each case


@dataclass(frozen=True, eq=False)
class Result:
    """The result of a case: "passed", "failed", "convention", "known", "skipped" or "not run"."""

    case: Case
    result: str
    got: dict
    convention: str | None = None  # the one that the program follows
    advice: str | None = None  # which of the kit's advices fits, if it is known


@lru_cache(MOST_ANSWERS)  # many programs, and slips, learn the same
def _are_learned(asked: str, merges: str) -> bool:
    return are_learned(json.loads(asked), json.loads(merges))


def judge(case: Case, got: Mapping) -> str:
    """Return "passed", "failed" or "skipped".

    >>> case = Case("decode", "half", "broken UTF-8", {"ids": [195]}, {"text": "�", "bytes": [195]})
    >>> judge(case, {"bytes": [195]}), judge(case, {"text": ""}), judge(case, {"skip": "no bytes"})
    ('passed', 'failed', 'skipped')
    >>> judge(case, {"text": "", "bytes": [195]}), judge(case, {"bytes": [195.0]})
    ('failed', 'failed')
    """
    if "skip" in got:
        return "skipped"
    if case.request.get("ties") == "any":
        said = json.dumps(got.get("merges"))
        is_right = isinstance(got.get("merges"), list) and _are_learned(_asked(case), said)
    elif "error" in case.answer:
        is_right = "error" in got
    else:
        is_right = says_the_same(case.answer, got)
    return "passed" if is_right else "failed"


def expected(case: Case, got: Mapping) -> Mapping:
    """Return the right answer; with ties "any", the ties are settled as the program did."""
    return answer_like(case, got) if case.request.get("ties") == "any" else case.answer


def answer_like(case: Case, got: Mapping, slip: Slip | None = None) -> dict:
    """Return what the plain program answers, or one with a slip.

    With ties "any", the program takes the pairs in ``got``, as long as each is most frequent.

    >>> request = {"do": "train_words", "words": [["abc", 1]], "merges": 2, "ties": "any"}
    >>> case = Case("train_words", "abc", "ties everywhere", request, {})
    >>> answer_like(case, {"merges": [["b", "c"], ["x", "y"]]})
    {'merges': [['b', 'c'], ['a', 'bc']]}
    """
    merges = got.get("merges") if case.request.get("ties") == "any" else None
    return _answer_like(_asked(case), json.dumps(merges), slip)


@lru_cache(MOST_ANSWERS)  # since slips are tried on the same requests again and again
def _answer_like(request: str, merges: str, slip: Slip | None) -> dict:
    """Return the answer of `answer_like`, for a request and merges that are written as JSON."""
    request = json.loads(request)
    parts = dict(slip.parts if slip else {})
    if request.get("ties") == "any":
        parts["any"] = _following(request, json.loads(merges))
    return answer(request, Slip("", "", "", parts))


def _following(request: Mapping, merges: Sequence) -> Callable:
    """Return a rule for ties that takes the pairs of an answer, if they are most frequent."""
    try:
        pairs = merges[: request["merges"] + 1]
        if request["do"] == "train":
            pairs = PAIRS(pairs)
        pairs = iter([(left, right) for left, right in pairs])
    except (KeyError, TypeError, ValueError, IndexError):  # that is no list of merges
        pairs = iter([])

    def choose(counts, ids):
        pair = next(pairs, None)
        first = max(counts, key=counts.get)
        try:
            return pair if counts.get(pair) == counts[first] else first
        except TypeError:  # symbols that aren't texts
            return first

    return choose


def says_the_same(one: Mapping, other: Mapping) -> bool:
    """Return whether two answers have keys in common, with the same values."""
    common = [key for key in one if key in other]
    # In JSON, unlike in Python, 104, 104.0 and true are three values.
    return bool(common) and all(json.dumps(one[k]) == json.dumps(other[k]) for k in common)
