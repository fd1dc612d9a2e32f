"""Learners: whose a file is, and which attempt, by the names that learning platforms give.

| platform | a name |
| --- | --- |
| Moodle | Ada Lovelace_123_assignsubmission_file_/my_bpe.py |
| Canvas | lovelaceada_LATE_123_456_my_bpe-1.py |
| Blackboard | HW1_s123_attempt_2026-01-31-12-00-00_my_bpe.py |
| Teams | Submitted files/Lovelace, Ada/HW 1/Version 2/my_bpe.py |
| Google Classroom | Ada Lovelace - my_bpe (1).py |

Where none of them fits, a folder is a learner, and where there is no folder, a file is.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

MOODLE = re.compile(r"(?P<learner>.+)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(.*)")
BLACKBOARD = re.compile(
    r".+?_(?P<learner>[^_]+)_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(.+)|\.txt)"
)
CANVAS = re.compile(r"(?P<learner>[^_]+)_(?:LATE_)?(?P<id>\d+)_(?P<file_id>\d+)_(.+)")
CLASSROOM = re.compile(r"(?P<learner>[^\d]+?) - (.+\.(?:py|ipynb).*)", re.IGNORECASE)
VERSION = re.compile(r"Version (\d+)")
COPY = re.compile(
    r"(?:Copy of )?(?P<stem>.+?)(?: ?\((?P<n>\d+)\)|-(?P<m>\d+)| - Copy)?(?P<end>\..+)"
)
TEAMS = ("Submitted files", "Working files")  # what was handed in, and what was not
OF_COURSE = re.compile(r"(?:Copy of )?(?:my_bpe|\d\d[a-z]?_[a-z_]+).*", re.IGNORECASE)


class Origin(NamedTuple):
    """Where a file comes from."""

    learner: str  # the name that is shown
    key: str  # what tells learners apart: two may have one name
    round: str  # an attempt that replaces all files of the one before
    order: tuple  # within a round, the later of two files of one name
    name: str  # of the file, without what tells copies apart


def origins(paths: Iterable[str]) -> dict[str, Origin]:
    """Return for each path whose it is.

    >>> found = origins(["hw.zip/Ada/my_bpe.py", "hw.zip/Bo/my_bpe.py", "hw.zip/Bo/01.ipynb"])
    >>> [origin.learner for origin in found.values()]
    ['Ada', 'Bo', 'Bo']
    """
    found, others = {}, {}
    for path in paths:
        origin = _of_platform(path.split("/"))
        if origin:
            found[path] = origin
        else:
            others[path] = path.split("/")
    found |= _by_folders(others)
    return {path: found[path] for path in dict.fromkeys(paths)}


def _of_platform(parts: list[str]) -> Origin | None:
    """Return the origin that a platform has written into a path, None if none has."""
    for at, part in enumerate(parts):
        last = parts[-1]
        if match := MOODLE.fullmatch(part):
            return _origin(match["learner"], match["id"], "", 0, match[3] or last)
        if match := BLACKBOARD.fullmatch(part):
            return _origin(match["learner"], "", match["when"], 0, match[3] or last)
        if match := CANVAS.fullmatch(part):
            return _origin(match["learner"], match["id"], "", int(match["file_id"]), match[4])
        if part in TEAMS and at + 2 < len(parts):
            versions = [int(n) for one in parts if (n := (VERSION.fullmatch(one) or "  ")[1]) > " "]
            is_handed_in = part == TEAMS[0]
            number = f"{is_handed_in:d}-{max(versions, default=1):06}"
            return _origin(parts[at + 1], "", number, 0, last)
    if match := CLASSROOM.fullmatch(parts[-1]):
        return _origin(match["learner"], "", "", 0, match[2])
    return None


def _origin(learner: str, number: str, turn: str, order: int, name: str) -> Origin:
    name = name.rpartition("/")[2]
    copy = COPY.fullmatch(name)
    which = 0
    if copy:
        which = int(copy["n"] or copy["m"] or 0)
        name = copy["stem"] + copy["end"]
    return Origin(learner, f"{learner} {number}".strip(), turn, (order, which), name.lower())


def _by_folders(paths: dict[str, list[str]]) -> dict[str, Origin]:
    """Return origins by the first folder in which paths differ."""
    folders = [parts[:-1] for parts in paths.values()]
    shared = 0
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        shared += 1
    found = {}
    for path, parts in paths.items():
        if len(parts) - 1 > shared:
            learner = parts[shared]
        elif shared and OF_COURSE.fullmatch(parts[-1]) and len(set(map(tuple, folders))) == 1:
            learner = parts[shared - 1]  # one folder, with the course's names: one learner
        else:
            learner = parts[-1]
        found[path] = _origin(learner, "", "", 0, parts[-1])
    return found


def shown_names(found: Iterable[Origin]) -> dict[str, str]:
    """Return key -> name; with the platform's number where two learners have one name."""
    names = {origin.key: origin.learner for origin in found}
    shown = list(names.values())
    return {key: name if shown.count(name) == 1 else key for key, name in names.items()}
