r"""Schemes of others: texts changed before they are split, and patterns from files.

A pattern from a file is checked before it is compiled, and it has a limited time to find its words.
What remains: a hostile pattern can still use up that time, and some hundred megabytes.
"""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, fields

import regex

from bpe_teach.schemes import SCHEMES, Scheme, check_text

LONGEST_PATTERN = 2000  # characters
MOST_REPEATED = 100_000  # product of the greater numbers in all its braces
ONE_CHARACTER = re.compile(r"\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\\\]])*\]", re.DOTALL)
# Compiling a capturing group that is repeated can take hours; nothing here reads what one captures.
OTHER_GROUP = re.compile(r"\((?!\?(?:[:=!>]|<[=!]|[ism]:))")
BRACES = re.compile(r"\{(.*?)\}")
PATIENCE = 5  # seconds, and one more for each 100,000 characters


@dataclass(frozen=True)
class PublishedScheme(Scheme):
    """A scheme that is not a row of ``SCHEMES``: it may change the text first, and is checked.

    >>> scheme = PublishedScheme("mine", "", None, bytes, normalizations=("NFC",), prefix=" ")
    >>> scheme.split("e\u0301")
    [' é']
    """

    normalizations: tuple[str, ...] = ()  # ("NFC",) or none; done before the prefix
    prefix: str = ""  # put before a text that does not begin with it

    def __post_init__(self):
        for form in self.normalizations:
            if form != "NFC":
                raise ValueError(f"normalization must be 'NFC', not {form!r:.80}")
        if self.pattern is not None:
            check_pattern(self.pattern)

    def change(self, text: str) -> str:
        """Do to a text what the scheme does before it splits it."""
        text = super().change(text)
        for form in self.normalizations:
            text = unicodedata.normalize(form, text)
        if self.prefix and text and not text.startswith(self.prefix):
            text = self.prefix + text
        return text

    def find_words(self, text: str) -> Iterable[str]:
        """Find the words of a text; one's own pattern has a limited time to do it."""
        if row_with_pattern(self.pattern):
            return super().find_words(text)  # a pattern that is known needs no patience
        check_text(text)
        text = self.change(text)
        patience = PATIENCE + len(text) / 100_000
        try:
            return regex.compile(self.pattern).findall(text, timeout=patience)
        except (TimeoutError, MemoryError):
            raise ValueError(
                f"the pattern {self.pattern!r:.80} does not find the words of {len(text):,} "
                f"characters in {patience:.0f} seconds, or not in memory"
            ) from None


def row_with_pattern(pattern: str | None) -> Scheme | None:
    """Return the row of ``SCHEMES`` that splits texts by this pattern, if there is one.

    >>> row_with_pattern(SCHEMES["gpt2"].pattern).name
    'gpt2'
    """
    return next((scheme for scheme in SCHEMES.values() if scheme.pattern == pattern), None)


def as_published(scheme: Scheme) -> Scheme:
    """Return a row of ``SCHEMES`` as it is, and any other scheme as a `PublishedScheme`."""
    if SCHEMES.get(scheme.name) == scheme:
        return scheme
    return published_scheme(scheme)


def published_scheme(scheme: Scheme, **changes) -> PublishedScheme:
    """Return a `PublishedScheme` with the fields of another scheme, but for some changes.

    >>> scheme = published_scheme(SCHEMES["gpt2"], name="mine", prefix=" ")
    >>> scheme.split("low"), scheme.ends_words
    ([' low'], '')
    """
    values = {item.name: getattr(scheme, item.name) for item in fields(scheme)} | changes
    row = row_with_pattern(values["pattern"])
    if row:  # what others need to know of a pattern is known
        for name in ("javascript", "oniguruma", "ends_words"):
            values[name] = getattr(row, name)
    if values.get("prefix"):
        values["ends_words"] = ""  # each piece of a file would begin with it
    return PublishedScheme(**values)


def check_pattern(pattern: str) -> None:
    """Raise ValueError unless a pattern can be compiled, and without much time and memory.

    >>> check_pattern(r"[^\\W\\d_]+|\\p{N}{1,3}")
    >>> check_pattern("(?:low")
    Traceback (most recent call last):
    ValueError: the pattern '(?:low' cannot be compiled: missing ) at position 6
    """
    if not isinstance(pattern, str) or len(pattern) > LONGEST_PATTERN:
        raise ValueError(f"a pattern has up to {LONGEST_PATTERN:,} characters, not {pattern!r:.80}")
    try:
        _check_cost(pattern)
        regex.compile(pattern)
    except (ValueError, regex.error, RecursionError, MemoryError) as error:
        raise ValueError(f"the pattern {pattern!r:.80} cannot be compiled: {error}") from None


def _check_cost(pattern: str) -> None:
    """Raise ValueError for what could take hours or gigabytes to compile.

    >>> _check_cost("(?:a{999}){999}")
    Traceback (most recent call last):
    ValueError: it repeats something more than 100,000 times
    """
    frame = ONE_CHARACTER.sub("x", pattern)  # what is left are plain characters, groups, numbers
    if OTHER_GROUP.search(frame):
        raise ValueError("its groups must be (?:, (?=, (?!, (?<=, (?<!, (?>, (?i:, (?s: or (?m:")
    times = 1  # the engine may write out what is repeated, groups within groups
    for braces in BRACES.findall(frame):
        if not re.fullmatch(r"[0-9]{1,5}(,[0-9]{0,5})?|,[0-9]{1,5}", braces):
            raise ValueError(f"{{{braces}}} is not a number of times")
        times *= max(1, *(int(number or 1) for number in braces.split(",")))
    if times > MOST_REPEATED:
        raise ValueError(f"it repeats something more than {MOST_REPEATED:,} times")


# patterns on the engines of others

# What all engines read in one way: classes of characters, repetition, choice, "not followed by",
# and the two ways in use to write endings like 's. Oniguruma reads {2}+ as repeating twice over.
CONTRACTIONS = ["(?i:'s|'t|'re|'ve|'m|'ll|'d)", "(?i:[sdmt]|ll|ve|re)"]
ONE = r"\\[pP]\{[A-Z][a-z]?\}|\\[rnt]|\\[^\w\s]"  # what stands for one character, or several
PLAIN = r"[^\\^$.*+?(){}\[\]|]"
IN_CLASS = rf"(?:{ONE}|\\[sS]|[^\\\[\]&^~-](?:-[^\\\[\]&^~-])?)"
PORTABLE = re.compile(
    rf"(?:{'|'.join(map(re.escape, CONTRACTIONS))}|\(\?:|\(\?!|\||\)[?*+]?"
    rf"|(?:{ONE}|\\[sS]|{PLAIN}|\[\^?{IN_CLASS}+\])(?:[?*+][?+]?|\{{\d+(?:,\d*)?\}}(?![?*+]))?)*"
)
# a group "(?!", with all that is within its parentheses
NOT_FOLLOWED_BY = regex.compile(
    r"\(\?!((?:\\.|\[(?:\\.|[^\\\]])*\]|[^()\[\\]|\((?1)\))*+)\)", regex.DOTALL
)


def check_portable(pattern: str | None) -> None:
    """Raise ValueError unless a pattern, if it is no row's, means to others what it means here.

    Each partner runs patterns on an engine of its own, tiktoken on one of Rust, Hugging Face on
    Oniguruma. These read a class of words or the end of a line in other ways than `regex` does, and
    go on differently after a match that is empty.

    >>> check_portable("[a-z]+|\\\\s")
    >>> check_portable("a*")
    Traceback (most recent call last):
    ValueError: the pattern 'a*' may match nothing at all, which engines do in different ways
    """
    if pattern is None or row_with_pattern(pattern):
        return
    if not PORTABLE.fullmatch(pattern):
        raise ValueError(f"the pattern {pattern!r:.400} holds what other engines read differently")
    check_pattern(pattern)
    without_looking = NOT_FOLLOWED_BY.sub("(?:)", pattern)
    if regex.compile(without_looking).fullmatch("", timeout=1):
        what = "may match nothing at all, which engines do in different ways"
        raise ValueError(f"the pattern {pattern!r:.400} {what}")
