"""Record: what a learner did in a session, in a file that is written only when they ask for it.

It holds verdicts and slips, and how the twelve questions were answered before and after the course:
no name, no text that somebody typed, no code, date or place. ``bpe-teach class`` reports on many.
"""

import json
import re
import secrets
import sys
from collections.abc import Iterable
from hashlib import blake2b
from importlib import import_module

from bpe_teach.exercises import FULL_NAMES, current_name
from bpe_teach.exercises.exercise import LOG, Exercise
from bpe_teach.files import write_whole

FORMAT = "bpe_teach record 2"
NUMBERED = "bpe_teach record 1"  # in which a slip has a number, from 1; 0 is none
WHEN = ["before", "after"]
KEYS = ["format", "version", "session", "learner", "verdicts", *WHEN]
VERDICT = r'\["\w+\.\w+", "(right|right, but slow|wrong)", (\d{1,3}|"[^"\\]{0,60}")\]'
ANSWER = r'"([1-9]|1[0-2])": "[abcd]"'
SHEET = rf'{{"answers": {{({ANSWER}(, |(?=}})))*}}, "form": "[AB]"}}'
SHEET_IS = "a form, A or B, and letters by number"
SHAPES = {  # key -> a pattern for its value, written as JSON, and what that says
    "session": ('"[0-9a-f]{16}"', "one that record(...) writes"),
    "learner": ('"[0-9a-f]{32}"', "one that record(...) writes"),
    "verdicts": (rf"\[({VERDICT}(, |(?=\])))*\]", "lists of an exercise, a kind and a slip"),
    "before": (SHEET, SHEET_IS),
    "after": (SHEET, SHEET_IS),
}
SESSION = secrets.token_hex(8)  # random, and kept, so that a second call writes the same file
ROUNDS = 100_000  # of hashing, so that trying all words of a dictionary takes hours
ANSWERS: dict[str, dict] = {}  # "before" or "after" -> form and answers, as `score` was given them
WRITTEN: dict[str, dict] = {}  # learner -> what this session's file of theirs holds


def record(code_word: str, class_word: str = "") -> None:
    """Write what this session has seen to a file in the current folder, and say what it holds.

    What was answered since the last call belongs to this code word, so learners can share a
    session; a second call with a word adds to its file. The word tells a teacher's report which
    files belong together: choose one that nobody would guess, and not your name. Only a hash of it
    is kept, salted with the ``class_word``, which is the same for a whole class.

    >>> import contextlib, tempfile
    >>> with contextlib.chdir(tempfile.mkdtemp()):  # doctest: +ELLIPSIS
    ...     record("three green herons")
    bpe_teach_record_...json holds ... verdicts, 0 answers before, 0 answers after.
    It doesn't say who you are. Nothing was sent; delete the file, and nothing is left.

    Raises ValueError if the code word is not a text of at least four characters, and if another
    word has already taken all that was answered.
    """
    if not isinstance(code_word, str) or len(code_word.strip()) < 4:
        raise ValueError("give a code word of at least four characters, and not your name")
    learner = hash_of(code_word, class_word)
    held = WRITTEN.get(learner, {"verdicts": []})
    verdicts = list_verdicts(held["verdicts"])
    if WRITTEN and learner not in WRITTEN and not (verdicts or ANSWERS):
        advice = "if that word was mistyped, delete its file and run the cells with answers again"
        raise ValueError(f"nothing was answered since another code word was recorded; {advice}")
    held = {**held, "verdicts": held["verdicts"] + verdicts, **ANSWERS}
    version = sys.modules["bpe_teach"].__version__
    header = {"format": FORMAT, "version": version, "session": SESSION, "learner": learner}
    name = f"bpe_teach_record_{SESSION}_{learner[:8]}.json"
    write_whole(name, (json.dumps(header | held, indent=1) + "\n").encode("utf-8"))
    WRITTEN[learner] = held
    LOG.clear()
    ANSWERS.clear()
    before, after = (len(held.get(when, {"answers": ()})["answers"]) for when in WHEN)
    said = f"{len(held['verdicts'])} verdicts, {before} answers before, {after} answers after"
    print(f"{name} holds {said}.")
    print("It doesn't say who you are. Nothing was sent; delete the file, and nothing is left.")


def hash_of(code_word: str, class_word: str = "") -> str:
    """Return the hash of a code word; capitals and spaces around it don't matter.

    >>> hash_of("Three green herons ") == hash_of("three green herons")
    True
    >>> hash_of("three green herons", "room 12") == hash_of("three green herons")
    False
    """
    salt = blake2b(class_word.strip().casefold().encode("utf-8"), person=b"bpe_teach").digest()
    hashed = code_word.strip().casefold().encode("utf-8")
    for _ in range(ROUNDS):
        hashed = blake2b(hashed, key=salt, digest_size=16).digest()
    return hashed.hex()


def list_verdicts(earlier: Iterable[list] = ()) -> list[list]:
    """Return the verdicts since the last record: exercise, kind, name of the slip, "" for none.

    A verdict that repeats the previous one on its exercise, which may be among the ``earlier``
    verdicts, is left out.
    """
    verdicts = []
    latest = {row[0]: row for row in earlier}  # exercise -> its latest verdict
    for exercise, verdict in LOG:
        row = [exercise.place, verdict.kind, slip_in(exercise, verdict.text)]
        if exercise.place and latest.get(exercise.place) != row:
            verdicts.append(row)
            latest[exercise.place] = row
    return verdicts


def find_exercise(name: str) -> Exercise | None:
    """Return the exercise of a name in a record; None if it no longer exists."""
    module, _, called = current_name(name).partition(".")
    if module not in FULL_NAMES:
        return None
    found = getattr(import_module(FULL_NAMES[module]), called, None)
    return found if isinstance(found, Exercise) else None


def slip_names(exercise: Exercise) -> list[str]:
    """Return the names of an exercise's slips: of the function that shows it, or the wrong value.

    A record holds names, not numbers, so that it means the same when slips are added.

    >>> from bpe_teach.exercises import char_bpe
    >>> slip_names(char_bpe.count_pairs)[:2]
    ['count_without_overlaps', 'count_every_second']
    """
    names = []
    for slip, _ in getattr(exercise, "slips", ()):
        name = slip.__name__.lstrip("_") if callable(slip) else str(slip)
        name = "".join(sign for sign in name if sign.isprintable() and sign not in '"\\')[:50]
        again = sum(other.partition(" #")[0] == name for other in names)
        names.append(f"{name} #{again + 1}" if again else name)  # several made by one function
    return names


def slip_in(exercise: Exercise, text: str) -> str:
    """Return the name of the slip that the text of a verdict names; "" for none."""
    slips = getattr(exercise, "slips", ())
    for name, (_, why) in zip(slip_names(exercise), slips, strict=True):
        if why[1:] in text:  # its first letter may be a capital there
            return name
    return ""


def reason_of(name: str, slip: str) -> str:
    """Return what the check says of a slip of an exercise; "" if the exercise has changed.

    >>> reason_of("char_bpe.count_pairs", "count_without_overlaps")[:29]
    'overlapping places count too:'
    """
    exercise = find_exercise(name)
    slips = getattr(exercise, "slips", ())
    reasons = dict(zip(slip_names(exercise), (why for _, why in slips), strict=True))
    return reasons.get(slip, "")


def read_record(content: bytes) -> dict:
    """Return what a file of `record` holds, checked, because others may have changed it.

    An exercise that has moved to another page since then has its present name.

    Raises ValueError if it is not such a file, or holds anything that `record` doesn't write.
    """
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or found.get("format") not in (FORMAT, NUMBERED):
        raise ValueError("ask.record(...) did not write it, or another version of the course did")
    if set(found) | {*WHEN} != set(KEYS):
        raise ValueError(f"its keys must be {', '.join(KEYS)}, not {', '.join(found)}")
    for key, (pattern, must) in SHAPES.items():
        written = json.dumps(found.get(key), sort_keys=True)
        if key in found and not re.fullmatch(pattern, written):
            raise ValueError(f"its {key} must be {must}")
    if "verdicts" in found:
        found["verdicts"] = [[current_name(name), *rest] for name, *rest in found["verdicts"]]
    return found
