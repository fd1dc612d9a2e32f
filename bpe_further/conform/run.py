"""Run: each program at a path is probed, then asked what applies to it, and gets its own report."""

import shutil
import time
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from bpe_further.conform.cases import GROUPS, USED, Case, load_cases
from bpe_further.conform.find_order import TIES
from bpe_further.conform.found import Found
from bpe_further.conform.javascript import IN_JAVASCRIPT, IN_TYPESCRIPT, adapter_in_javascript
from bpe_further.conform.judge import Result, says_the_same
from bpe_further.conform.probe import probe
from bpe_further.conform.program import Interview, find_command, is_python
from bpe_further.conform.results import Report
from bpe_further.conform.slips import settle_conventions
from bpe_further.conform.use import run_use, run_whole
from bpe_further.exercises.whole_programs import answer

MOST_NAMED = 12  # files of a folder


def examine(
    program: Sequence[str],
    groups: Collection[str] = (),
    *,
    chosen: str | None = None,
    names: Collection[str] = (),
    known: Collection[str] = (),
    by_numbers: bool = False,
) -> list[Report]:
    """Return a report on each program that is named by a command, a Python file or a folder.

    ``chosen`` is one of several classes; ``names`` are the only cases to ask, and ``known`` are
    cases that are known to fail. Raises OSError if the program can't be started, and ValueError
    for a group or a class that doesn't exist.
    """
    groups = list(groups or [*GROUPS, *USED])
    load_cases([group for group in groups if group not in USED])  # ValueError for an unknown one
    if len(program) == 1 and program[0].endswith(IN_JAVASCRIPT):
        language = "TypeScript" if program[0].endswith(IN_TYPESCRIPT) else "JavaScript"
        why = f"a file of {language} is asked by way of a command that answers line by line"
        report = Report(program[0], why=why, is_error=True)
        report.defined, report.adapter = adapter_in_javascript(program[0])
        return [report]
    if len(program) == 1 and (why := _no_command(program[0]) or _no_python(Path(program[0]))):
        return [Report(program[0], why=why, is_error=True)]
    if not is_python(program):
        return [_examine_one(list(program), groups, names, known, by_numbers, program[-1])]
    with closing(Interview(find_command(program))) as interview:
        listed = interview.answer({"do": "list"})
    if "programs" not in listed:
        said = next(str(value) for value in listed.values())
        return [Report(program[0], why=f"it can't be imported: {said}", is_error=True)]
    return _examine_python(program, listed, groups, chosen, names, known)


def _no_command(name: str) -> str | None:
    """Return why a file can't be run as a command; None if it can, or if it is a Python file."""
    if is_python([name]) or not Path(name).is_file() or shutil.which(name):
        return None
    if name.endswith(".ipynb"):
        return "a notebook: save its code as a file that ends with .py first"
    return "a file that can't be run: compile it if need be, and ask the command: -- COMMAND"


def _no_python(folder: Path) -> str | None:
    """Return why a folder that holds no Python can't be asked, and which of its files can."""
    if not folder.is_dir():
        return None
    files = [file for file in sorted(folder.rglob("*")) if "node_modules" not in file.parts]
    if any(file.suffix == ".py" for file in files):
        return None
    theirs = [file for file in files if file.suffix in IN_JAVASCRIPT]
    if not theirs:
        return "it holds no Python files; name the folder in which they are"
    named = [str(file.relative_to(folder)) for file in theirs[:MOST_NAMED]]
    return f"it holds no Python files, but JavaScript: name one of its files: {', '.join(named)}"


def _examine_python(
    program: Sequence[str],
    listed: dict,
    groups: list[str],
    chosen: str | None,
    names: Collection[str],
    known: Collection[str],
) -> list[Report]:
    """Return a report on each class of a file or a folder, and on each file that fails."""
    programs = listed["programs"]
    if chosen is not None:
        # Several files may define a class of this name: then the file is named behind it.
        names_of = [(one, one["name"].partition(" (")[0].split(" and ")) for one in programs]
        programs = [one for one, parts in names_of if chosen in (one["name"], *parts)]
        if not programs:
            there = ", ".join(one["name"] for one in listed["programs"]) or "none"
            why = "; ".join(f"{one['file']}: {one['why']}" for one in listed["failed"])
            why = f" (not imported: {why})" if why else ""
            raise ValueError(
                f"there is no class {chosen!r} that can be asked; there are: {there}{why}"
            )
    reports = []
    for one in programs:
        if one["why"]:
            report = Report(one["name"], why=one["why"], is_error=not one["is_base"])
            if report.is_error:
                report.defined, report.adapter = listed["defined"], listed["adapter"]
            reports.append(report)
            continue
        command = find_command(program, one["name"])
        reports.append(_examine_one(command, groups, names, known, False, one["name"]))
    if chosen is None:
        files = {}  # reason -> the files that can't be imported for it
        for failed in listed["failed"]:
            files.setdefault(failed["why"], []).append(failed["file"])
        for why, names_of_files in files.items():
            why = f"it can't be imported: {why}"
            reports.append(Report(", ".join(names_of_files), why=why, is_error=True))
    if not reports:
        why = "nothing in it was called, since no name in it tells the kit what learns or encodes"
        report = Report(program[0], why=why, is_error=True)
        report.defined = listed["defined"]
        report.adapter = listed["adapter"]
        reports.append(report)
    return reports


def _examine_one(
    command: list[str],
    groups: list[str],
    names: Collection[str],
    known: Collection[str],
    by_numbers: bool,
    name: str,
) -> Report:
    """Return the report on one program."""
    begin = time.perf_counter()
    with closing(Interview(command, by_numbers)) as interview:
        found = probe(lambda request: interview.answer(request) or {})
        interview.forget()
        if found.why:
            report = Report(name, why=found.why, is_error=True)
            if found.why.startswith("it can't be made"):
                return report
            told = interview.answer({"do": "suggest"}) or {}
            report.defined = told.get("defined", [])
            report.adapter = told.get("adapter")
            return report
        results = []
        wanted = names or None
        for group in groups:
            if group == "use":
                if found.keeps:
                    results += run_use(interview, found, wanted)
            elif group == "whole":
                results += run_whole(interview, found, wanted)
            else:
                cases = [one for one in load_cases([group]) if not names or one.name in names]
                if found.told:
                    results += _ask_suited(interview, cases, found)
                else:
                    results += [_with_its_rule(interview.ask(case), found) for case in cases]
        if names:
            results = [one for one in results if one.case.name in names]
        results = settle_conventions(results)
        results = [_known(one, known) for one in results]
        took = time.perf_counter() - begin
        report = Report(name, results, took, found=found, known=known)
        if report.may_be_habits:
            report.adapter = (interview.answer({"do": "suggest"}) or {}).get("adapter")
        return report


def _ask_suited(interview: Interview, cases: list[Case], found: Found) -> list[Result]:
    """Ask a program that learns with its own split and symbols only the cases of training.

    Its merges are replayed to find out whether they are right.
    """
    results = []
    for case in cases:
        request = case.request
        if case.group != "train" or request["ties"] != "any" or request.get("special"):
            continue
        split = request["split"] if request["split"] in found.splits else found.split
        text, merges = request["text"], request["merges"]
        is_suited = split is not None or text.isalpha()
        if is_suited and text == found.without_doubt(text, split):
            got = interview.answer(found.asking(text, split, merges))
            asked = found.training(text, split, merges, got)
            judged = replace(case, request=asked, answer={}, text=text)
            results.append(interview.judge(judged, got))
    return results


def _with_its_rule(result: Result, found: Found) -> Result:
    """Return a result; it says so if the lowest ids were taken where the greatest pair was asked.

    This is no slip of the exercises, and such failures mustn't hide others.
    """
    request = result.case.request
    is_asked = result.result == "failed" and request.get("ties") == "greatest"
    if not is_asked or found.ties != TIES["lowest_id"][0]:
        return result
    is_so = says_the_same(answer({**request, "ties": "lowest_id"}), result.got)
    return replace(result, advice="lowest_ids" if is_so else None)


def _known(result: Result, known: Collection[str]) -> Result:
    """Return the result; a failure that was expected is marked as known."""
    is_known = result.result in ("failed", "not run") and result.case.name in known
    return replace(result, result="known") if is_known else result
