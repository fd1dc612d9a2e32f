r"""Pipeline: what a tokenizer.json does to a text before any merge, read as a scheme.

Hugging Face has parts to put together: normalizers change a text, pre-tokenizers cut it, each what
the one before has left. Each kind of part is read by one function; to carry more over, add one.
"""

from collections.abc import Callable

import regex

from bpe_teach.exchange.normalize import Step
from bpe_teach.exchange.schemes import (
    COMPLETE,
    IN_PRINT,
    LEFT_OUT,
    PublishedScheme,
    check_portable,
    complete,
    completed,
    published_scheme,
    row_with_pattern,
)
from bpe_teach.exchange.shared import require
from bpe_teach.schemes import SCHEMES, Scheme
from bpe_teach.symbols import WordEnd

SPELLINGS = {scheme.oniguruma: scheme for scheme in SCHEMES.values() if scheme.oniguruma}
for _spelling in (  # two more ways to write the cuts of GPT-2: its first code's, and tiktoken's
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
):
    SPELLINGS[_spelling] = SCHEMES["gpt2"]
SPLIT = {"type", "pattern", "behavior", "invert"}  # the fields it has
# Written in these ways, no row of SCHEMES has them: Python's `re` would read \w otherwise.
RUNS = r"[\w]+|[^\w\s]+"
NO_WHITE_SPACE = r"[^\s]+"
SIGN = r"[!-/:-@\[-`{-~\p{P}]"


class Pipeline:
    """The parts that have been read, and the faults of those that can't be."""

    def __init__(self):
        self.normalizations: list[Step] = []
        self.before_added: list[str] = []  # names of those that added tokens may wait for
        self.prefix = ""
        self.always_prefixed = False
        self.first_prefixed = False
        self.patterns: list[str] = []
        self.units = str  # bytes, once they are written in print
        self.drops = False  # is anything between words left out?
        self.faults: list[str] = []

    def read(self, readers: dict[str, Callable], part, what: str) -> None:
        """Read one part of a file; what can't be read is a fault."""
        if part is None:
            return
        kind = part.get("type") if isinstance(part, dict) else None
        try:
            require(isinstance(kind, str) and kind in readers, "")
            readers[kind](self, part)
        except (ValueError, KeyError, TypeError) as error:
            fault = f"{what} is not read here: {part!r:.400}"
            reason = str(error) if isinstance(error, ValueError) else f"{error} is missing"
            self.faults.append(f"{fault} ({reason})" if reason else fault)

    def put_before(self, first: "Pipeline") -> None:
        """Put what another pipeline does before what this one does, as far as both are read."""
        self.before_added = [
            step if isinstance(step, str) else step[0] for step in first.normalizations
        ]
        self.before_added += ["Prepend"] if first.prefix else []
        if self.prefix and first.prefix:
            self.faults.append("Prepend puts something before a text, and so does pre_tokenizer")
        self.normalizations = first.normalizations + self.normalizations
        if first.prefix:
            self.prefix, self.always_prefixed = first.prefix, True
        self.faults += first.faults

    @property
    def space(self) -> str:
        """The character that is written for a space, if there is one."""
        steps = [step for step in self.normalizations if step[:2] == ("Replace", " ")]
        return steps[0][2] if steps else ""

    def cut(self, pattern: str, *, drops: bool = False) -> None:
        """Make words of the matches of a pattern; does it drop what lies between them?"""
        if self.units is bytes and IN_PRINT not in self.patterns:
            self.patterns.append(IN_PRINT)
        self.patterns.append(pattern)
        self.drops = self.drops or drops

    def scheme(self, suffix: str) -> Scheme:
        """Return the scheme that does all this."""
        *cuts, pattern = self.patterns or [None]
        row = row_with_pattern(pattern) if pattern else SCHEMES["bytes"]
        if row is None or cuts or row.units is not self.units:
            about = COMPLETE.get(pattern, "as its pattern says" if pattern else "in one piece")
            loses = LEFT_OUT if self.drops else "nothing"
            row = PublishedScheme("own", about, pattern, self.units, cuts=tuple(cuts), loses=loses)
        if self.units is str and not suffix and row.pattern is None:
            row = SCHEMES["chars"]
        changes = {}
        if suffix:
            kinds = "the kind and amount of white space"
            changes = {"marker": WordEnd(suffix), "marks_last": True, "loses": kinds}
        if self.prefix:
            changes["prefix"] = self.prefix
            changes["always_prefixed"] = self.always_prefixed
            changes["first_prefixed"] = self.first_prefixed
            changes["name"] = f"{row.name}_prefixed"
            changes["about"] = f"{row.about}, with a space before the text"
            if row.lossless and not self.always_prefixed:
                changes["loses"] = "whether a text begins with a space"
        if self.normalizations:
            names = [step if isinstance(step, str) else step[0] for step in self.normalizations]
            form = ", ".join(names)
            changes["normalizations"] = tuple(self.normalizations)
            changes["name"] = "_".join([changes.get("name", row.name), *names]).lower()
            changes["about"] = f"{form}, {changes.get('about', row.about)}"
            changes.setdefault("loses", f"what {form} makes one" if row.lossless else row.loses)
        return published_scheme(row, **changes) if changes else row


# normalizers


def _read_form(pipeline: Pipeline, part: dict) -> None:
    if part["type"] not in pipeline.normalizations[-1:]:  # done twice it changes nothing
        pipeline.normalizations.append(part["type"])


def _read_strip(pipeline: Pipeline, part: dict) -> None:
    sides = (part["strip_left"], part["strip_right"])
    require(all(type(side) is bool for side in sides), "its sides are neither true nor false")
    pipeline.normalizations.append(("Strip", *sides))


def _read_replace(pipeline: Pipeline, part: dict) -> None:
    kind, pattern = _read_pattern(part["pattern"])
    require(isinstance(part["content"], str), "its content is no text")
    if pipeline.prefix:  # which was put before the text already
        same = kind == "String" and (pattern, part["content"]) == (" ", pipeline.prefix)
        require(same, "it comes after Prepend")
    name = "Replace"
    if kind == "Regex":
        name = "ReplacePattern"
        check_portable(pattern)
    pipeline.normalizations.append((name, pattern, part["content"]))


def _read_prepend(pipeline: Pipeline, part: dict) -> None:
    require(isinstance(part["prepend"], str) and not pipeline.prefix, "its text is none")
    pipeline.prefix = part["prepend"]
    pipeline.always_prefixed = True


def _read_bert(pipeline: Pipeline, part: dict) -> None:
    strips = part["strip_accents"]
    strips = part["lowercase"] if strips is None else strips
    steps = pipeline.normalizations
    steps += ["Clean"] if part["clean_text"] else []
    steps += ["SpaceChinese"] if part["handle_chinese_chars"] else []
    steps += ["NFD", ("StripAccents", "Mn")] if strips else []
    steps += ["Lowercase"] if part["lowercase"] else []


def _read_normalizers(pipeline: Pipeline, part: dict) -> None:
    for one in part["normalizers"]:
        pipeline.read(NORMALIZERS, one, "normalizer")


NORMALIZERS = dict.fromkeys(["NFC", "NFD", "NFKC", "NFKD", "Lowercase", "StripAccents"], _read_form)
NORMALIZERS |= {"Strip": _read_strip, "Replace": _read_replace, "Prepend": _read_prepend}
NORMALIZERS |= {"BertNormalizer": _read_bert, "Sequence": _read_normalizers}


# pre-tokenizers


def _read_byte_level(pipeline: Pipeline, part: dict) -> None:
    prefixes, splits_words = part["add_prefix_space"], part.get("use_regex", True)
    is_known = type(prefixes) is bool and type(splits_words) is bool
    require(is_known, "add_prefix_space and use_regex are true or false")
    require(pipeline.units is str, "it writes bytes in print for the second time")
    if prefixes:
        is_first = not (pipeline.patterns or pipeline.prefix)
        require(is_first, "it puts a space before each piece of what was cut before")
        pipeline.prefix = " "
    if splits_words:
        pipeline.patterns.append(SCHEMES["gpt2"].pattern)
    pipeline.units = bytes


def _read_metaspace(pipeline: Pipeline, part: dict) -> None:
    sign = part["replacement"]
    require(isinstance(sign, str) and len(sign) == 1, "its replacement is no character")
    is_first = not (pipeline.patterns or pipeline.prefix or pipeline.units is bytes)
    require(is_first, "it is not the first to cut")
    older = "always" if part.get("add_prefix_space", True) else "never"
    prefixes = part.get("prepend_scheme", older)
    require(prefixes in ("always", "first", "never"), "its prepend_scheme is not known")
    pipeline.normalizations.append(("Replace", " ", sign))
    if prefixes != "never":
        pipeline.prefix = sign
        pipeline.first_prefixed = prefixes == "first"
    if part.get("split", True):
        one = regex.escape(sign)
        pipeline.patterns.append(f"{one}[^{one}]*|[^{one}]+")


def _read_pattern(pattern) -> tuple[str, str]:
    """Return what kind of pattern it is, and the pattern."""
    is_known = isinstance(pattern, dict) and len(pattern) == 1
    (kind, text), *_ = pattern.items() if is_known else [("", "")]
    is_text = kind in ("String", "Regex") and isinstance(text, str) and text
    require(is_text, "its pattern is no text")
    return kind, text


def _read_split(pipeline: Pipeline, part: dict) -> None:
    fault = "its fields are not those of a Split"
    require(set(part) == SPLIT and type(part["invert"]) is bool, fault)
    kind, pattern = _read_pattern(part["pattern"])
    isolated = part["behavior"] == "Isolated" and not part["invert"]
    removed = part["behavior"] == "Removed" and part["invert"]
    row = SPELLINGS.get(pattern) if kind == "Regex" else None
    if (row or pattern in COMPLETE) and (isolated or removed):
        pipeline.cut(row.pattern if row else pattern)
        return
    if kind == "String":
        pattern = regex.escape(pattern)
    else:
        # Oniguruma reads cl100k's pattern, spelled as in tiktoken, in another way.
        row = row_with_pattern(pattern)
        is_same = row is None or row.oniguruma in ("", pattern)
        require(is_same, "Oniguruma reads this pattern in another way")
        check_portable(pattern)
    _cut_as(pipeline, pattern, part["behavior"], part["invert"])


def _cut_as(pipeline: Pipeline, pattern: str, behavior: str, invert: bool = False) -> None:
    """Cut at the matches of a pattern: they are words themselves, or go with others, or go."""
    between = rf"(?:(?!{pattern})[\s\S])"  # one character where no match begins
    if behavior == "Isolated":
        pipeline.cut(pattern if completed(pattern) else complete(pattern))
    elif behavior == "Removed":
        pipeline.cut(pattern if invert else f"{between}+", drops=not completed(pattern))
    elif behavior == "Contiguous":
        pipeline.cut(complete(f"(?>{pattern})+"))
    elif behavior == "MergedWithPrevious" and not invert:
        pipeline.cut(f"{between}*+(?>{pattern})|{between}+")
    elif behavior == "MergedWithNext" and not invert:
        pipeline.cut(f"(?>{pattern}){between}*+|{between}+")
    else:
        raise ValueError("its behavior is not known")


def _read_digits(pipeline: Pipeline, part: dict) -> None:
    pipeline.cut(complete(r"\p{N}" if part["individual_digits"] else r"\p{N}+"))


def _read_delimiter(pipeline: Pipeline, part: dict) -> None:
    sign = part["delimiter"]
    require(isinstance(sign, str) and len(sign) == 1, "its delimiter is no character")
    _cut_as(pipeline, regex.escape(sign), "Removed")


def _read_pre_tokenizers(pipeline: Pipeline, part: dict) -> None:
    require(isinstance(part["pretokenizers"], list), "its parts are no list")
    for one in part["pretokenizers"]:
        pipeline.read(PRE_TOKENIZERS, one, "pre_tokenizer")


PRE_TOKENIZERS = {
    "ByteLevel": _read_byte_level,
    "Metaspace": _read_metaspace,
    "Split": _read_split,
    "Digits": _read_digits,
    "Punctuation": lambda pipeline, part: _cut_as(pipeline, SIGN, part["behavior"]),
    "CharDelimiterSplit": _read_delimiter,
    "Whitespace": lambda pipeline, part: pipeline.cut(RUNS, drops=True),
    "WhitespaceSplit": lambda pipeline, part: pipeline.cut(NO_WHITE_SPACE, drops=True),
    "BertPreTokenizer": lambda pipeline, part: pipeline.cut(
        rf"{SIGN}|[^\s!-/:-@\[-`{{-~\p{{P}}]+", drops=True
    ),
    "Sequence": _read_pre_tokenizers,
}
