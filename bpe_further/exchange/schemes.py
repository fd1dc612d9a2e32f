r"""Published schemes: schemes that change a text before they split it; patterns from files.

A pattern from a file is checked before it is compiled, and it has a limited time to find its words.
One risk remains: a hostile pattern can still use up that time, and a few hundred megabytes.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import accumulate, chain, pairwise

import regex

from bpe_further.exchange.normalize import FORMS, Step, check_step, normalize
from bpe_further.exchange.shared import KNOWN, print_token, require, seconds_left, time_limit
from bpe_further.offsets import Span, follow_change, spans_of_symbols
from bpe_teach.fast.patterns import match_fast
from bpe_teach.pairs import Symbol, Word
from bpe_teach.patterns import PUBLISHED
from bpe_teach.schemes import BYTES, SCHEMES, Scheme, check_text

LONGEST_PATTERN = 2000  # characters
PATTERN_SHOWN = "the pattern '"  # beginning of a message that shows a pattern
LONGEST_SHOWN = 400  # characters of a pattern in a message
MOST_REPEATED = 100_000  # product of the larger numbers in all braces
ONE_CHARACTER = re.compile(r"\\[pP]\{[^}]*\}|\\.|\[\^?\]?(?:\\.|[^\\\]])*\]", re.DOTALL)
# Compiling a repeated capturing group can take hours; nothing here reads what a group captures.
OTHER_GROUP = re.compile(r"\((?!\?(?:[:=!>]|<[=!]|[ism]:))")
BRACES = re.compile(r"\{(.*?)\}")
IN_PRINT = "bytes in print"  # as a cut: later patterns see bytes as `print_token` writes them
# Patterns that find words in every part of a text, so that nothing is left between -> their effect.
COMPLETE = {pattern: about for about, pattern in KNOWN["complete"].items()}
# The steps of a normalization that the playground's program can take
IN_BROWSER = {*FORMS, "Prepend", "Replace", "OneSpace", "Table"}

NUMBERED = re.compile(r"\\(?:u(?P<four>[0-9A-Fa-f]{4})|x(?P<two>[0-9A-Fa-f]{2})|.)", re.DOTALL)
# A class without the characters of a second class, as in [\p{L}&&[^\p{Han}]]
IN_BRACKETS = r"(?:\\[pP]\{[^}]*\}|\\.|[^\\\[\]&])+"
LEFT_OUT = re.compile(rf"\[({IN_BRACKETS})&&\[\^({IN_BRACKETS})\]\]")
CLASS = re.compile(r"\[\^?\]?(?:\\.|\[:\w+:\]|[^\\\]])*\]", re.DOTALL)
SET_SIGN = re.compile(r"&&|--|~~|\|\|")
# A group that captures, or a bracket that closes no class, unless a class or an escape comes first
TO_RESPELL = re.compile(rf"\\.|{CLASS.pattern}|\((?!\?)|\]", re.DOTALL)
SPELLED = {"(": "(?:", "]": r"\]"}


class Normalized(str):
    """A part of a normalized text, which may still need its prefix, or ▁ for its spaces.

    The part begins at ``start`` in the normalized form of ``source``, a text that was at
    ``position``.
    """

    source: str
    position: int
    start: int


@dataclass(frozen=True)
class PublishedScheme(Scheme):
    """A checked scheme that isn't a row of ``SCHEMES``; it may change a text before splitting it.

    It may also split a text in several steps: each pattern in ``cuts`` splits the words that the
    pattern before it has found, and ``pattern`` comes last.

    >>> scheme = PublishedScheme("mine", "", None, bytes, normalizations=("NFC",), prefix=" ")
    >>> scheme.split("e\u0301")
    [' é']
    """

    normalizations: tuple[Step, ...] = ()  # applied before the prefix is put on
    prefix: str = ""  # put before a text that does not begin with it
    first_prefixed: bool = False  # if so, no prefix is put after a special token
    cuts: tuple[str, ...] = ()  # patterns, or IN_PRINT
    spaces_last: bool = False  # whether spaces become ▁ last even if there is no prefix

    def __post_init__(self):
        for step in self.normalizations:
            if isinstance(step, tuple) and step[:1] == ("ReplaceAll",):
                check_pattern(*step[1:2] or [None])
            check_step(step)
        for pattern in self.patterns:
            if pattern != IN_PRINT and pattern not in PUBLISHED:
                check_pattern(pattern)
        if self.pattern in COMPLETE and not self.cuts:
            object.__setattr__(self, "elsewhere", ("javascript",))

    def in_browser(self) -> dict | None:
        """Return the additional data for `playground`, or None if `playground` can't use them."""
        steps = {step if isinstance(step, str) else step[0] for step in self.normalizations}
        if self.cuts or steps - IN_BROWSER:
            return None
        fields = {"steps": self.normalizations, "prefix": self.prefix}
        return fields | {"first": self.first_prefixed}

    @property
    def patterns(self) -> tuple[str, ...]:
        """The patterns that split a text, in order."""
        return self.cuts if self.pattern is None else (*self.cuts, self.pattern)

    @cached_property
    def space(self) -> str:
        """The character that stands for a space, or "" if there is no such character."""
        return space_of(self.normalizations)

    @cached_property
    def before(self) -> tuple[Step, ...]:
        """The steps before added tokens are found: all steps but a last step that writes ▁."""
        steps = self.normalizations
        last = steps[-1] if steps else ()
        is_later = self.spaces_last and last[:2] == ("Replace", " ")
        is_later = is_later or (self.prefix and last == ("Replace", " ", self.prefix))
        return steps[:-1] if is_later else steps

    @property
    def put_before(self) -> str:
        """The prefix of a text, or the text that a step of the normalization puts before it."""
        steps = [step[1] for step in self.normalizations if step[0] == "Prepend"]
        return self.prefix or "".join(steps)

    def change(self, text: str, position: int = 0) -> str:
        """Return a text as the scheme changes it before splitting it."""
        if isinstance(text, Normalized):
            changed = normalize(text, self.normalizations[len(self.before) :])
        else:
            changed = normalize(super().change(text), self.normalizations)
        if self.first_prefixed:  # as in Hugging Face's library: no prefix after text that vanishes
            source = getattr(text, "source", text)
            position = position or loses_first(source, self.before)
        is_later = position and self.first_prefixed
        if is_later or not changed or changed.startswith(self.prefix):
            return changed
        return self.prefix + changed

    def split(self, text: str, position: int = 0) -> list[str]:
        """Return the words of a text; a pattern from outside has a limited time to find them."""
        check_text(text)
        text = self.change(text, position)
        if not self.cuts and self.pattern in PUBLISHED:
            return list(match_fast(self.pattern, text))  # a known pattern needs no time limit
        spans = self.find_spans(text)
        content = text.encode("utf-8") if IN_PRINT in self.cuts else text
        if self.lossless and sum(end - start for start, end in spans) < len(content):
            raise ValueError(
                f"scheme {self.name!r} leaves out some of {text!r:.80}: say what it loses "
                "(loses='…'), or let its pattern match every character"
            )
        words = [content[start:end] for start, end in spans]
        if IN_PRINT in self.cuts:  # a word may end within a character: its bytes are escaped
            words = [word.decode("utf-8", "surrogateescape") for word in words]
        return words

    def find_spans(self, text: str) -> list[Span]:
        """Return the spans of the words of a changed text, in bytes if a cut is `IN_PRINT`."""
        spans = [(0, len(text))] if text else []
        with time_limit(len(text)):
            for pattern in self.patterns:
                if pattern == IN_PRINT:
                    place = [0, *accumulate(len(one.encode("utf-8")) for one in text)]
                    spans = [(place[start], place[end]) for start, end in spans]
                    text = print_token(text.encode("utf-8"))
                else:
                    spans = [span for part in spans for span in _find_all(pattern, text, *part)]
        return spans

    def symbols(self, word: str) -> Word:
        """Return the first symbols of a word; escapes stand for bytes that aren't characters."""
        if self.units is str:
            return super().symbols(word)
        symbols = [BYTES[byte] for byte in word.encode("utf-8", "surrogateescape")]
        if self.marker:  # as in CLIP, the last byte carries it
            symbols[-1] += self.marker.encode("utf-8")
        return tuple(symbols)

    def place_words(self, text: str, position: int = 0) -> Iterator[tuple[str, Word, list[Span]]]:
        """Yield each word with its symbols and their spans in the original text."""
        changed = self.change(text, position)
        spans = self.changed_spans(text)
        spans = [(0, 0)] * (len(changed) - len(spans)) + spans  # of the prefix
        starts, spans = spans_of_symbols(self, changed, spans)
        words = self.split(text, position)
        for word, (start, end) in zip(words, self.find_spans(changed), strict=True):
            if IN_PRINT not in self.cuts:  # otherwise they are positions of bytes already
                start, end = starts[start], starts[end]
            yield word, self.symbols(word), spans[start:end]

    def changed_spans(self, part: str) -> list[Span]:
        """Return the span in the original text from which each character of the changed text comes.

        The changed text is the text after all changes except the prefix.
        """
        text = getattr(part, "source", part)
        spans = [(i, i + 1) for i in range(len(text))]
        for step in (None, *self.normalizations):  # the first is the scheme's own function
            change = partial(normalize, steps=(step,)) if step else super().change
            new = change(text)
            if step and step[0] == "Prepend":
                spans = [(0, 0)] * (len(new) - len(text)) + spans
            else:
                spans = follow_change(change, text, new, spans)
            text = new
        if isinstance(part, Normalized):
            return spans[part.start : part.start + len(part)]
        return spans

    def find_character(self, symbol: Symbol, text: str) -> int:
        """Return the position in the original text of the first character that became a symbol."""
        for _, symbols, spans in self.place_words(text):
            if symbol in symbols:
                return spans[symbols.index(symbol)][0]
        return 0

    def plain(self, symbol: str) -> str:
        """Write one symbol of a character scheme as text."""
        if not self.space:
            return super().plain(symbol)
        return symbol.removesuffix(self.marker).replace(self.space, " ")


def loses_first(text: str, steps: tuple[Step, ...]) -> bool:
    """Return whether a normalization leaves out the first character of a text, or joins it.

    To join a character means to replace it together with the next character.

    >>> loses_first(" a", (("Strip", True, False),)), loses_first(" a", (("Strip", False, True),))
    (True, False)
    >>> loses_first("aab", (("Replace", "aa", "x"),)), loses_first("ab", (("Replace", "aa", "x"),))
    (True, False)
    """
    for number, step in enumerate(steps):
        if step[0] in ("Replace", "ReplaceAll"):
            pattern = step[1] if step[0] == "ReplaceAll" else regex.escape(step[1])
            before = normalize(text, steps[:number])
            with time_limit(len(text)):
                match = regex.match(pattern, before, timeout=seconds_left())
            if match and len(match[0]) > 1:
                return True
    return not normalize(text[:1], steps) and normalize(text, steps) == normalize(text[1:], steps)


def space_of(steps: Iterable[Step]) -> str:
    """Return the text that steps of a normalization write for a space, or "" if they write none."""
    return next((step[2] for step in steps if step[:2] == ("Replace", " ")), "")


def complete(pattern: str) -> str:
    r"""Return a pattern that finds the words of a given pattern, and also the texts between them.

    >>> complete("[a-z]+")
    '[a-z]+|(?:(?![a-z]+)[\\s\\S])+'
    """
    return rf"{pattern}|(?:(?!{pattern})[\s\S])+"


def completed(pattern: str) -> str:
    """Return the pattern from which `complete` made this pattern, or "" if it did not."""
    length = (len(pattern) - len(complete(""))) // 2
    inner = pattern[: max(length, 0)]
    return inner if pattern == complete(inner) else ""


def between(pattern: str) -> str:
    r"""Return a pattern for the texts between the matches of a given pattern.

    If it is used alone, it also finds the rest of a match, such as the "b" if "ab" is to be left
    out. So use `_find_all`.

    >>> between("[a-z]")
    '(?:(?![a-z])[\\s\\S])+'
    """
    return rf"(?:(?!{pattern})[\s\S])+"


def left_out(pattern: str) -> str:
    """Return the pattern from which `between` made this pattern, or "" if it did not."""
    length = len(pattern) - len(between(""))
    start = len("(?:(?!")
    inner = pattern[start : start + max(length, 0)]
    is_whole = pattern == between(inner) and NOT_FOLLOWED_BY.fullmatch(f"(?!{inner})")
    return inner if is_whole else ""


def _find_all(pattern: str, text: str, start: int, end: int) -> list[Span]:
    """Return the spans of all matches in a part of a text."""
    inner = completed(pattern)
    outer = left_out(pattern)
    matches = regex.compile(inner or outer or pattern).finditer(
        text, start, end, timeout=seconds_left()
    )
    spans = []
    for match in matches:  # each match may take the seconds that were left at first
        spans.append(match.span())
        seconds_left()
    if not inner and not outer:
        return spans
    borders = [start, *chain.from_iterable(spans), end]  # this finds what lies between faster
    places = pairwise(borders) if inner else zip(borders[::2], borders[1::2], strict=True)
    return [(one, two) for one, two in places if one < two]


def row_with_pattern(pattern: str | None) -> Scheme | None:
    """Return the row of ``SCHEMES`` that splits texts by this pattern, or None."""
    return next((scheme for scheme in SCHEMES.values() if scheme.pattern == pattern), None)


def as_published(scheme: Scheme) -> Scheme:
    """Return a scheme as a `PublishedScheme`; a row of ``SCHEMES`` is returned unchanged."""
    if SCHEMES.get(scheme.name) == scheme:
        return scheme
    return published_scheme(scheme)


def published_scheme(scheme: Scheme, **changes) -> PublishedScheme:
    """Return a `PublishedScheme` with the fields of a given scheme, except for some changes.

    >>> scheme = published_scheme(SCHEMES["gpt2"], name="mine", prefix=" ")
    >>> scheme.split("low"), scheme.ends_words
    ([' low'], '')
    """
    values = {item.name: getattr(scheme, item.name) for item in fields(scheme)} | changes
    row = row_with_pattern(values["pattern"])
    if row:  # its pattern is known in other spellings
        for name in ("elsewhere", "ends_words"):
            values[name] = getattr(row, name)
    if values.get("cuts"):
        values["elsewhere"] = ()
    made = PublishedScheme(**values)
    if made.ends_words and (made.put_before or made.cuts):
        return replace(made, ends_words="")  # each piece of a file would begin with the prefix
    return made


def cut_at_spaces(scheme: Scheme, tokens: Collection[str]) -> Scheme:
    """Return a scheme that also cuts a text before spaces, if the tokens stay the same.

    The cuts are made before each run of the sign for a space. If no token has a different character
    before this sign, no merge is ever made across such a place. So the tokens stay the same, but
    they are found faster. This is true if spaces have a single sign, and if the end of a word makes
    no difference. In all other cases, the scheme is returned unchanged.
    """
    space = scheme.space if isinstance(scheme, PublishedScheme) else ""
    if len(space) != 1 or scheme.patterns or scheme.marker or space not in tokens:
        return scheme
    if space in "".join([token.lstrip(space) for token in tokens]):
        return scheme
    return published_scheme(scheme, pattern=spaces_pattern(space))


def spaces_pattern(space: str) -> str:
    """Return a pattern for words that begin with runs of the sign for a space."""
    one = re.escape(space)
    return f"{one}*[^{one}]+|{one}+"


def check_pattern(pattern: str, written: str = "") -> None:
    """Raise ValueError unless a pattern can be compiled at little cost and has only one meaning.

    The error shows the pattern as it is ``written`` in a file, if that is given.
    """
    if not isinstance(pattern, str) or len(pattern) > LONGEST_PATTERN:
        raise ValueError(f"a pattern has up to {LONGEST_PATTERN:,} characters, not {pattern!r:.80}")
    try:
        _check_cost(pattern)
        regex.compile(pattern)
    except (ValueError, regex.error, RecursionError, MemoryError) as error:
        raise ValueError(f"{_shown(written or pattern)} cannot be compiled: {error}") from None
    for found in CLASS.findall(pattern):
        for sign in SET_SIGN.findall(found):
            raise ValueError(
                f"{_shown(written or pattern)} has {sign} in a class, which others read as an "
                f"operation on sets; write \\{sign[0]} for the sign, (?!…) for the operation"
            )


def _shown(pattern: str) -> str:
    """Return the beginning of a message that shows a pattern in one line.

    Each backslash stands there once, as in the pattern.
    """
    pattern = pattern.replace("\n", r"\n")
    return f"{PATTERN_SHOWN}{pattern[:LONGEST_SHOWN]}'"


def without_sets(pattern: str) -> str:
    r"""Return a pattern without &&, which leaves the characters of one class out of another class.

    The new pattern has the same meaning, and all engines can read it.

    >>> without_sets(r"[\p{L}\p{M}&&[^\p{Han}]]+|\s+")
    '(?:(?![\\p{Han}])[\\p{L}\\p{M}])+|\\s+'
    """
    return LEFT_OUT.sub(r"(?:(?![\2])[\1])", pattern)


def without_captures(pattern: str) -> str:
    r"""Return a pattern whose groups capture nothing, and in which a literal ] is escaped.

    The new pattern finds the same in all engines, unless there is a back-reference, which
    `check_portable` refuses.

    >>> print(without_captures(r"(\[[^\]]+]|[(]|\()+"))
    (?:\[[^\]]+\]|[(]|\()+
    """
    return TO_RESPELL.sub(lambda found: SPELLED.get(found.group(), found.group()), pattern)


def without_escapes(pattern: str) -> str:
    r"""Return a pattern in which characters are written as such instead of by their numbers.

    Two-digit numbers above 7F are left as they are, because some engines take them for bytes.

    >>> print(without_escapes(r"[\x41-\x43]+\u002e"), without_escapes(r"\\u0041"))
    [A-C]+\. \\u0041
    """
    return NUMBERED.sub(_write_character, pattern)


def _write_character(found: re.Match) -> str:
    number = found["four"] or found["two"]
    if number is None or (found["two"] and int(number, 16) > 0x7F):
        return found.group()
    return escape(chr(int(number, 16)))


def escape(text: str) -> str:
    r"""Return a pattern that matches a text and that all engines can read.

    >>> print(escape("a.\n"))
    a\.\n
    """
    signs = {"\n": r"\n", "\t": r"\t", "\r": r"\r"}
    return "".join(signs.get(one) or _escape_one(one) for one in text)


def _escape_one(one: str) -> str:
    return one if one.isspace() else regex.escape(one, literal_spaces=True)


def _check_cost(pattern: str) -> None:
    """Raise ValueError for a pattern that could take hours or gigabytes to compile."""
    frame = ONE_CHARACTER.sub("x", pattern)  # this leaves plain characters, groups, numbers
    if OTHER_GROUP.search(frame):
        raise ValueError("its groups must be (?:, (?=, (?!, (?<=, (?<!, (?>, (?i:, (?s: or (?m:")
    times = 1  # the engine may write out what is repeated, groups within groups
    for braces in BRACES.findall(frame):
        is_number = re.fullmatch(r"[0-9]{1,5}(,[0-9]{0,5})?|,[0-9]{1,5}", braces)
        require(is_number, f"{{{braces}}} is not a number of repetitions")
        times *= max(1, *(int(number or 1) for number in braces.split(",")))
    require(times <= MOST_REPEATED, f"it repeats something more than {MOST_REPEATED:,} times")


# patterns on other engines


def in_oniguruma(scheme: Scheme) -> str:
    """Return a row's pattern as Hugging Face's engine spells it, or "" if that is impossible."""
    can_read = scheme.pattern and "oniguruma" in scheme.elsewhere
    # Oniguruma takes {1,3}+ for a group of digits that is repeated.
    return scheme.pattern.replace("{1,3}+", "{1,3}") if can_read else ""


# These parts of patterns are read by all engines in the same way: classes of characters,
# repetition, choice, "not followed by", and the two usual ways to write endings like 's. Oniguruma
# reads {2}+ as repeating twice over.
CONTRACTIONS = ["(?i:'s|'t|'re|'ve|'m|'ll|'d)", "(?i:[sdmt]|ll|ve|re)"]
# Parts of a pattern that stand for one or several characters
ONE = r"\\[pP]\{(?:[A-Z][a-z]?|Han)\}|\\[rntd]|\\[^\w\s]"
PLAIN = r"[^\\^$.*+?(){}\[\]|]"
IN_CLASS = rf"(?:{ONE}|\\[sS]|\[:space:\]|&(?!&)|~(?!~)|\^|[^\\\[\]&^~-](?:-[^\\\[\]&^~-])?)"
PORTABLE = re.compile(
    rf"(?:(?:{'|'.join(map(re.escape, CONTRACTIONS))})\??|\(\?:|\(\?!|\||\)[?*+]?"
    rf"|(?:{ONE}|\\[sS]|{PLAIN}|\[\^?+-?{IN_CLASS}+\])(?:[?*+][?+]?|\{{\d+(?:,\d*)?\}}(?![?*+]))?)*"
)
PORTABLE_IN_CLASS = re.compile(rf"\[\^?+-?{IN_CLASS}*")
# A part of a pattern, as it is named if engines differ in it
PART = re.compile(
    rf"\\[pP]\{{[^}}]*\}}|\\.|{CLASS.pattern}|\{{[\d,]+\}}[?*+]?|\(\?\w*<?[^\w\s]?|.", re.DOTALL
)
# Engines differ in whether ², ½ and the joiners of Persian and of emoji are word characters.
ANOTHER_WAY = (
    r"; if it is written with [\p{L}\p{M}\p{Nd}_] for \w, which is nearly the same (in a class "
    r"without the brackets), it means one thing: you can do so in a copy"
)
# a group "(?!", with all that is within its parentheses
NOT_FOLLOWED_BY = regex.compile(
    r"\(\?!((?:\\.|\[(?:\\.|[^\\\]])*\]|[^()\[\\]|\((?1)\))*+)\)", regex.DOTALL
)


def _odd_part(pattern: str) -> str:
    r"""Return the first part of a pattern that not all engines read in the same way.

    >>> print(_odd_part(r"\p{L}+|(?=a)"), _odd_part("a{2}+"), _odd_part("[a-z-]"))
    (?= {2}+ -
    """
    rest = pattern[PORTABLE.match(pattern).end() :]
    part = PART.match(rest).group()
    if part.startswith("[") and part.endswith("]"):  # a class, in which one sign is odd
        part = PART.match(rest, PORTABLE_IN_CLASS.match(rest).end()).group()
    return part


def _cure(part: str) -> str:
    """Return advice on how a part of a pattern is written so that all engines read it alike."""
    if part == r"\w":
        return ANOTHER_WAY
    if part == "(?=":
        return "; write (?!(?!…)) for (?=…), which means the same"
    if part.startswith("(?"):
        return "; groups that mean one thing are (?:…) and (?!…)"
    if len(part) > 1:
        return ""
    other = ""
    if part == ".":
        other = r", or [^\n] if any character but a line end is"
    elif part in "^$":
        other = ", but a beginning or an end isn't read here"
    return f"; write \\{part} if the sign itself is meant{other}"


def check_portable(pattern: str | None, written: str = "") -> None:
    """Raise ValueError unless a pattern is in ``SCHEMES`` or means the same in other libraries.

    The engines of tiktoken and Hugging Face (Oniguruma) read word classes and the end of a line
    differently from `regex`, and they continue differently after an empty match. The error shows
    the pattern as it is ``written`` in a file, if that is given.

    >>> check_portable("[-a-z]+|\\\\s|\\\\d")
    >>> check_portable("a*")
    Traceback (most recent call last):
    ValueError: the pattern 'a*' may match an empty text, which engines do in different ways
    """
    if pattern is None or row_with_pattern(pattern):
        return
    if not PORTABLE.fullmatch(pattern):
        part = _odd_part(pattern)
        what = f"has {part}, which may mean something else on other engines"
        raise ValueError(f"{_shown(written or pattern)} {what}{_cure(part)}")
    check_pattern(pattern, written)
    without_looking = NOT_FOLLOWED_BY.sub("(?:)", pattern)
    if regex.compile(without_looking).fullmatch("", timeout=1):
        what = "may match an empty text, which engines do in different ways"
        raise ValueError(f"{_shown(written or pattern)} {what}")
