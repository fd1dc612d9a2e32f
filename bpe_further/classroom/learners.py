"""Learners: find a file's owner, and the attempt, from the name that a learning platform gave it.

| platform | a name |
| --- | --- |
| Moodle | ``Ada Lovelace_123_assignsubmission_file_/my_bpe.py`` |
| Canvas | ``lovelaceada_LATE_123_456_my_bpe-1.py`` |
| Blackboard | ``HW1_s123_attempt_2026-01-31-12-00-00_my_bpe.py`` |
| Teams | ``Submitted files/Lovelace, Ada/HW 1/Version 2/my_bpe.py`` |
| Google Classroom | ``Ada Lovelace - my_bpe (1).py`` |

If none of these forms fits, each folder stands for a learner. If there is no folder, each file
stands for a learner.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

ARCHIVES = (".zip", ".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz")
MOODLE = re.compile(r"(?P<learner>.+)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(.*)")
BLACKBOARD = re.compile(r"(.+_[^_]+)_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(.+)|\.txt)")
CANVAS = re.compile(r"(?P<learner>[^_]+)_(?:LATE_)?(?P<id>\d+)_(?P<file_id>\d+)_(.+)")
CLASSROOM = re.compile(r"(?P<learner>[^\d]+?) - (.+\.(?:py|ipynb|zip|t).*)", re.IGNORECASE)
VERSION = re.compile(r"Version (\d+)")
COPY = re.compile(r" ?\((\d+)\)$|-(\d+)$| - Copy$")  # at the end of a name
TEAMS = ("Submitted files", "Working files")  # files that were handed in, and files that weren't
OF_COURSE = re.compile(r"(?:Copy of )?(?:my_bpe|\d\d[a-z]?(?![0-9a-z])).*", re.IGNORECASE)


class Origin(NamedTuple):
    """Where a file comes from."""

    learner: str  # the name that is shown
    key: str  # tells learners apart, because two learners may have the same name
    round: str  # an attempt; it replaces all files of the attempt before
    order: tuple  # within a round, tells which of two files with the same name is later
    name: str  # of the file, without the part that tells copies apart


def origins(paths: Iterable[str], of_teacher: Collection[str] = ()) -> dict[str, Origin]:
    """Return the owner of each path.

    In an archive that a learner handed in, the learner chose the names, so these names say nothing
    about the owner. ``of_teacher`` holds the names of archives that come from the teacher. If there
    is only one archive, it also counts as the teacher's.

    >>> found = origins(["hw.zip/Ada/my_bpe.py", "hw.zip/Bo/my_bpe.py", "hw.zip/Bo/01.ipynb"])
    >>> [origin.learner for origin in found.values()]
    ['Ada', 'Bo', 'Bo']
    """
    paths = list(dict.fromkeys(paths))
    outermost = {path.partition("/")[0] for path in paths}
    archives = {name for name in outermost if name.lower().endswith(ARCHIVES)}
    of_teacher = set(of_teacher)
    if len(outermost) == 1:  # an archive with nothing beside it holds the whole class
        of_teacher |= archives
    every = {}  # path -> what is known about its owner, and the name of the file
    for path in paths:
        parts = path.split("/")
        if len(parts) > 1 and parts[0] in of_teacher:
            parts = parts[1:]
        every[path] = (_up_to_archive(parts), parts[-1])
    # A platform chooses the names on its own level; in a learner's folder, the learner chose them.
    top = _shared(every)
    named = chain.from_iterable(known[: top + 1] for known, _ in every.values())
    assignment = _assignment_of(named)
    found, others = {}, {}
    for path, (known, name) in every.items():
        if origin := _of_platform(known, name, top, assignment):
            found[path] = origin
        else:
            others[path] = (known, name)
    found |= _by_folders(others)
    return {path: found[path] for path in paths}


def _up_to_archive(parts: list[str]) -> list[str]:
    """Return the parts of a path down to the archive; the learner chose at most the last part."""
    for at, part in enumerate(parts[:-1], 1):
        if part.lower().endswith(ARCHIVES):
            return parts[:at]
    return parts


def _assignment_of(names: Iterable[str]) -> str:
    """Return the name of an assignment in Blackboard: the common beginning of all names.

    This beginning ends with a ``_``. Both the assignment's name and a learner's name may hold a
    ``_``, too.

    >>> after = "_attempt_2026-01-31-12-00-00.txt"
    >>> _assignment_of([f"HW_1_john_doe{after}", f"HW_1_jane_doe{after}"])
    'HW_1_'
    """
    matches = filter(None, map(BLACKBOARD.fullmatch, names))
    shared = _alike(match[1].split("_")[:-1] for match in matches)
    return "".join(f"{part}_" for part in shared)


def _of_platform(known: list[str], name: str, top: int, assignment: str) -> Origin | None:
    """Return the origin that a platform has written into a path, or None if there is none.

    ``top`` is the place in the path where the platform's name may stand. ``assignment`` is the
    beginning of Blackboard's names.
    """
    is_in_archive = known[-1] != name
    for at, part in enumerate(known[: top + 1]):
        if match := MOODLE.fullmatch(part):
            named = match[3] if match[3] and not is_in_archive else name
            return _origin(match["learner"], named, number=match["id"])
        if match := BLACKBOARD.fullmatch(part):
            named = match[3] if match[3] and not is_in_archive else name
            learner = match[1].removeprefix(assignment)
            return _origin(learner, named, turn=match["when"])
        if match := CANVAS.fullmatch(part):
            named = name if is_in_archive else match[4]
            order = int(match["file_id"])
            return _origin(match["learner"], named, number=match["id"], order=order)
        if part in TEAMS and at + 2 < len(known):
            return _origin(known[at + 1], name, turn=_round_in_teams(part, known))
    if len(known) <= top + 1 and (match := CLASSROOM.fullmatch(known[-1])):
        return _origin(match["learner"], name if is_in_archive else match[2])
    return None


def _round_in_teams(folder: str, known: list[str]) -> str:
    """Return the round of a version; files that weren't handed in come before handed-in files."""
    is_handed_in = folder == TEAMS[0]
    versions = [1]
    for part in known:
        if match := VERSION.fullmatch(part):
            versions.append(int(match[1]))
    return f"{is_handed_in:d}-{max(versions):06}"


def _origin(learner: str, name: str, *, number: str = "", turn: str = "", order: int = 0) -> Origin:
    name = name.rpartition("/")[2]
    stem, dot, end = name.partition(".")
    which = 0
    if stem and end:
        stem = stem.removeprefix("Copy of ")
        if copy := COPY.search(stem, 1):
            which = int((copy[1] or copy[2] or "0")[:18])
            stem = stem[: copy.start()]
        name = stem + dot + end
    return Origin(learner, f"{learner} {number}".strip(), turn, (order, which), name.lower())


def _folders_of(known: list[str], name: str) -> list[str]:
    return known[:-1] if known[-1] == name else known


def _shared(paths: dict[str, tuple[list[str], str]]) -> int:
    """Return how many folders all paths have in common, counted from the outermost folder."""
    return len(_alike(_folders_of(*parts) for parts in paths.values()))


def _alike(every: Iterable[Sequence[str]]) -> list[str]:
    """Return the parts with which all the given names begin."""
    found = []
    for parts in zip(*every, strict=False):
        if len(set(parts)) > 1:
            break
        found.append(parts[0])
    return found


def _by_folders(paths: dict[str, tuple[list[str], str]]) -> dict[str, Origin]:
    """Return origins by the first folder in which paths differ; an archive counts as a folder."""
    folders = {path: _folders_of(*parts) for path, parts in paths.items()}
    shared = _shared(paths)
    is_one_folder = len(set(map(tuple, folders.values()))) == 1
    found = {}
    for path, (_, name) in paths.items():
        if len(folders[path]) > shared:
            learner = folders[path][shared]
        elif shared and OF_COURSE.fullmatch(name) and is_one_folder:
            learner = folders[path][-1]  # a single folder with the course's names is one learner
        else:
            learner = name
        found[path] = _origin(learner, name)
    return found


def shown_names(found: Iterable[Origin]) -> dict[str, str]:
    """Return key -> name, with the platform's number if two learners have the same name."""
    names = {origin.key: origin.learner for origin in found}
    numbers = Counter(names.values())
    return {key: name if numbers[name] == 1 else key for key, name in names.items()}
