"""Record: what a learner did in a session, in a file that is written only if the learner asks.

The file holds verdicts and slips, and how the twelve questions were answered before and after the
course. It holds no name, no text that somebody typed, no code, date or place. The command
``bpe-teach class`` makes a report on many records.
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
NUMBERED = "bpe_teach record 1"  # the format in which a slip has a number, from 1; 0 is none
WHEN = ["before", "after"]
KEYS = ["format", "version", "session", "learner", "verdicts", *WHEN]
VERDICT = r'\["\w+\.\w+", "(right|right, but slow|wrong)", (\d{1,3}|"[^"\\]{0,60}")\]'
ANSWER = r'"([1-9]|1[0-2])": "[abcd]"'
SHEET = rf'{{"answers": {{({ANSWER}(, |(?=}})))*}}, "form": "[AB]"}}'
SHEET_IS = "a form, A or B, and letters by number"
SHAPES = {  # key -> a pattern for its value, written as JSON, and what the pattern says
    "session": ('"[0-9a-f]{16}"', "one that record(...) writes"),
    "learner": ('"[0-9a-f]{32}"', "one that record(...) writes"),
    "verdicts": (rf"\[({VERDICT}(, |(?=\])))*\]", "lists of an exercise, a kind and a slip"),
    "before": (SHEET, SHEET_IS),
    "after": (SHEET, SHEET_IS),
}
SESSION = secrets.token_hex(8)  # random, and kept, so that a second call writes the same file
ROUNDS = 100_000  # rounds of hashing: so many that trying all words of a dictionary takes hours
ANSWERS: dict[str, dict] = {}  # "before" or "after" -> form and answers, as given to `score`
WRITTEN: dict[str, dict] = {}  # learner -> what the learner's file from this session holds


def record(code_word: str, class_word: str = "") -> None:
    """Write a session's verdicts and answers to a file in this folder; say what the file holds.

    What was answered since the last call belongs to this code word, so learners can share a
    session. A second call with the same code word adds to the same file. The code word tells a
    teacher's report which files belong together: choose a word that nobody would guess, and not
    your name. Only a hash of the code word is kept, salted with the ``class_word``, which is the
    same for a whole class.

    >>> import contextlib, tempfile
    >>> with contextlib.chdir(tempfile.mkdtemp()):  # doctest: +ELLIPSIS
    ...     record("three green herons")
    bpe_teach_record_...json holds ... verdicts, 0 answers before, 0 answers after.
    It doesn't say who you are. Nothing was sent; delete the file, and nothing is left.

    Raises ValueError if the code word is not a text of at least four characters, and if all that
    was answered has already gone into the file of a different code word.
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
    """Return the hash of a code word; capitals, and spaces around the word, don't matter.

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
    """Return the verdicts since the last record: exercise, kind, and name of the slip, if any.

    A verdict that repeats the previous verdict on the same exercise is left out. The previous
    verdict may be among the ``earlier`` ones.
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
    """Return the exercise that a record calls ``name``; None if it no longer exists."""
    module, _, called = current_name(name).partition(".")
    if module not in FULL_NAMES:
        return None
    found = getattr(import_module(FULL_NAMES[module]), called, None)
    return found if isinstance(found, Exercise) else None


def slip_names(exercise: Exercise) -> list[str]:
    """Return the names of an exercise's slips: each is a function's name, or a wrong value.

    A record holds names, not numbers, so that it keeps its meaning when slips are added.

    >>> from bpe_teach.exercises import char_bpe
    >>> slip_names(char_bpe.count_pairs)[:2]
    ['count_without_overlaps', 'count_every_second']
    """
    names = []
    for slip, _ in getattr(exercise, "slips", ()):
        name = slip.__name__.lstrip("_") if callable(slip) else str(slip)
        name = "".join(sign for sign in name if sign.isprintable() and sign not in '"\\')[:50]
        again = sum(other.partition(" #")[0] == name for other in names)
        names.append(f"{name} #{again + 1}" if again else name)  # one function made several slips
    return names


def slip_in(exercise: Exercise, text: str) -> str:
    """Return the name of the slip whose reason stands in the text of a verdict; "" for none."""
    slips = getattr(exercise, "slips", ())
    for name, (_, why) in zip(slip_names(exercise), slips, strict=True):
        if why[1:] in text:  # the first letter may be a capital there
            return name
    return ""


def reason_of(name: str, slip: str) -> str:
    """Return what the check says about a slip of an exercise; "" if the exercise has changed.

    >>> reason_of("char_bpe.count_pairs", "count_without_overlaps")[:29]
    'overlapping places count too:'
    """
    exercise = find_exercise(name)
    slips = getattr(exercise, "slips", ())
    reasons = dict(zip(slip_names(exercise), (why for _, why in slips), strict=True))
    return reasons.get(slip, "")


def read_record(content: bytes) -> dict:
    """Return the content of a file of `record`, checked, because somebody may have changed it.

    If an exercise has moved to a different page, the content has the exercise's present name.

    Raises ValueError if a file isn't from `record`, or holds anything that `record` doesn't write.
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
