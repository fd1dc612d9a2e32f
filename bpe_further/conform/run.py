"""Run: each program at a path is probed, then asked what applies to it, and gets its own report."""

import shutil
import time
from collections.abc import Collection, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from bpe_further.conform.cases import GROUPS, USED, Case, load_cases
from bpe_further.conform.javascript import IN_JAVASCRIPT, IN_TYPESCRIPT, adapter_in_javascript
from bpe_further.conform.judge import Result
from bpe_further.conform.probe import Found, probe
from bpe_further.conform.program import Interview, find_command, is_python
from bpe_further.conform.results import Report
from bpe_further.conform.slips import settle_conventions
from bpe_further.conform.use import run_use, run_whole

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

    ``chosen`` is one of several classes; ``names`` are the only cases to ask; ``known`` are cases
    that are known to fail. Raises OSError if the program can't be started, and ValueError for a
    group or a class that doesn't exist.
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
    """Return why a file can't be run as a command; None if it can, or is one of Python."""
    if is_python([name]) or not Path(name).is_file() or shutil.which(name):
        return None
    if name.endswith(".ipynb"):
        return "a notebook: save its code as a file that ends with .py first"
    return "a file that can't be run: compile it if need be, and ask the command: -- COMMAND"


def _no_python(folder: Path) -> str | None:
    """Return why a folder can't be asked that holds no Python, and which files can."""
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
        programs = [one for one in programs if one["name"] == chosen]
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
            reports.append(Report(one["name"], why=one["why"], is_error=not one["is_base"]))
            continue
        command = find_command(program, one["name"])
        reports.append(_examine_one(command, groups, names, known, False, one["name"]))
    if chosen is None:
        for failed in listed["failed"]:
            why = f"it can't be imported: {failed['why']}"
            reports.append(Report(failed["file"], why=why, is_error=True))
    if not reports:
        why = "no class or function in it looks like a BPE"
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
                    results += [interview.ask(case) for case in cases]
    if names:
        results = [one for one in results if one.case.name in names]
    results = settle_conventions(results)
    results = [_known(one, known) for one in results]
    return Report(name, results, time.perf_counter() - begin, found=found, known=known)


def _ask_suited(interview: Interview, cases: list[Case], found: Found) -> list[Result]:
    """Ask a program that learns with its own split and symbols what applies to it: training.

    What is right is found out by replaying the merges.
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
            judged = replace(case, request=asked, answer={})
            results.append(interview.judge(judged, got))
    return results


def _known(result: Result, known: Collection[str]) -> Result:
    """Return the result, which is called known if it is a failure that was expected."""
    is_known = result.result in ("failed", "not run") and result.case.name in known
    return replace(result, result="known") if is_known else result
