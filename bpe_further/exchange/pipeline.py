r"""Pipeline: what a tokenizer.json does to a text before any merge, read as a scheme.

Hugging Face combines parts: normalizers change a text, pre-tokenizers split it, and each part works
on the result of the part before. For each kind of part there is a function that reads it; to
support a new kind, add a function.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence

import regex

from bpe_further.exchange import schemes
from bpe_further.exchange.kinds import OTHERWISE
from bpe_further.exchange.normalize import FORMS, Step, check_step
from bpe_further.exchange.schemes import PublishedScheme
from bpe_further.exchange.shared import KNOWN, require, time_limit
from bpe_teach import patterns
from bpe_teach.schemes import SCHEMES, Scheme
from bpe_teach.symbols import WordEnd

SPELLINGS = {schemes.in_oniguruma(row): row for row in SCHEMES.values()}  # pattern -> its row
del SPELLINGS[""]  # of the patterns that Oniguruma can't read
SPELLINGS |= dict.fromkeys(KNOWN["spellings"].values(), SCHEMES["gpt2"])
REPLACES = {"String": "Replace", "Regex": "ReplaceAll"}
FIELDS = dict.fromkeys([*FORMS, "Lowercase", "StripAccents"], ())  # step -> fields of its values
FIELDS |= {"Strip": ("strip_left", "strip_right"), "Prepend": ("prepend",)}
FIELDS |= {"Precompiled": ("precompiled_charsmap",)}
BERT = {"Clean": "clean_text", "SpaceChinese": "handle_chinese_chars"}  # step -> its field
STRIPS = ("StripAccents", "Mn")
# A single step of SentencePiece, as it is written for Hugging Face's library
ONE_SPACE = [("ReplaceAll", " +", " "), ("ReplaceAll", r"\A +", ""), ("ReplaceAll", r"[ ▁]+\z", "")]
TABLE_THERE = (
    "where a character is written as several, such as a letter and its accents, the normalization "
    "of SentencePiece isn't done wholly by Hugging Face's library"
)
NMT = [tuple(step) for step in KNOWN["signs"]["nmt"]]
BERT |= {STRIPS: "strip_accents"}
BERT_ORDER = ["Clean", "SpaceChinese", "NFD", STRIPS, "Lowercase"]
SPLIT = {"type", "pattern", "behavior", "invert"}  # the fields of a Split
# No row of SCHEMES has these spellings, because Python's `re` would read \w differently.
RUNS = r"[\w]+|[^\w\s]+"
NO_WHITE_SPACE = r"[^\s]+"
RESPELLED = {patterns.WORDS: RUNS, patterns.NO_WHITE_SPACE: NO_WHITE_SPACE}
# Hugging Face's library has the punctuation of Unicode 8, two more signs, and no newer signs.
SIGNS = r"!-/:-@\[\\\]\^_`{|}\~\p{P}" + "\u166d\U000111c9"
SIGN = f"(?:(?![{KNOWN['signs']['newer']}])[{SIGNS}])"
SIGNS_APART = rf"{SIGN}|(?:(?!{SIGN})[^\s])+"
NAMED_CUTS = {
    RUNS: "Whitespace",
    NO_WHITE_SPACE: "WhitespaceSplit",
    SIGNS_APART: "BertPreTokenizer",
}


LONGEST_SHOWN = 400  # characters of a part in a message


class Pipeline:
    """The effect of all parts that have been read so far."""

    def __init__(self):
        self.normalizations: list[Step] = []
        self.before: tuple[Step, ...] = ()  # steps of the normalizers
        self.prefix = ""
        self.first_prefixed = False  # as in `PublishedScheme`
        self.spaces_last = False
        self.patterns: list[str] = []
        self.units = str  # becomes bytes once a part writes bytes as characters
        self.drops = False  # is anything between words left out?

    @classmethod
    def of(cls, data: dict) -> Pipeline:
        """Read the normalizers of a tokenizer.json, and then its pre-tokenizers."""
        pipeline = cls()
        with time_limit(0):
            pipeline.read(NORMALIZERS, data.get("normalizer") or None, "normalizer")
            pipeline.before = tuple(pipeline.normalizations)
            pipeline.read(PRE_TOKENIZERS, data.get("pre_tokenizer"), "pre_tokenizer")
        return pipeline

    def read(self, readers: dict[str, Callable], part, what: str) -> None:
        """Read one part of a file; raise ValueError, which shows the part, if it can't be read.

        ``readers`` maps types of parts to functions that read them, and ``what`` is the name of the
        part in the file.
        """
        kind = part.get("type") if isinstance(part, dict) else None
        if part is None:
            return
        if kind == "Sequence":
            parts = part.get(what.replace("_", "") + "s")
            is_list = isinstance(parts, list)
            require(is_list, f"{what} can't be read: its parts are not a list: {_shorten(part)}")
            for one in parts:
                self.read(readers, {} if one is None else one, what)
            return
        try:
            is_known = isinstance(kind, str) and kind in readers
            require(is_known, f"it is not known: {OTHERWISE}")
            readers[kind](self, part)
        except KeyError as error:
            raise ValueError(f"{what} has no {error}: {_shorten(part)}") from None
        except (AttributeError, TypeError, ValueError) as error:
            if str(error).startswith(schemes.PATTERN_SHOWN):  # it needn't be shown twice
                raise ValueError(f"{what} can't be read: {error}") from None
            raise ValueError(f"{what} can't be read ({error}): {_shorten(part)}") from None

    def change(self, *steps: Step) -> None:
        """Add steps to the normalization."""
        for step in steps:
            check_step(step)
            self.normalizations.append(step)

    def cut(self, pattern: str, *, drops: bool = False) -> None:
        """Turn the matches of a pattern into words.

        ``drops`` tells whether the pattern leaves out a part of the text.
        """
        if self.units is bytes and schemes.IN_PRINT not in self.patterns:
            self.patterns.append(schemes.IN_PRINT)
        self.patterns.append(pattern)
        self.drops = self.drops or drops

    def scheme(self, suffix: str = "") -> Scheme:
        """Return the scheme that does what the parts do.

        If there is a ``suffix``, the last character of each word carries it.
        """
        *cuts, pattern = self.patterns or [None]
        row = SCHEMES["bytes" if self.units is bytes else "chars"]
        if pattern:
            row = schemes.row_with_pattern(pattern)
        is_row = row is not None and row.units is self.units
        # A row that does more than split a text is a different scheme, whatever its pattern is.
        is_row = is_row and not (cuts or row.marker or row.prepare)
        if pattern and not is_row:
            about = schemes.COMPLETE.get(pattern, "as its pattern says")
            loses = "what its pattern leaves out" if self.drops else "nothing"
            row = PublishedScheme("own", about, pattern, self.units, cuts=tuple(cuts), loses=loses)
        steps = [step if isinstance(step, str) else step[0] for step in self.normalizations]
        names = ["prefixed", *steps] if self.prefix else steps
        changes = {"normalizations": tuple(self.normalizations)}
        changes |= {"prefix": self.prefix, "first_prefixed": self.first_prefixed}
        changes |= {"spaces_last": self.spaces_last}
        if names:
            changes["name"] = "_".join([row.name, *names]).lower()
            changes["about"] = f"{', '.join(names)}, {row.about}"
        if suffix:
            changes |= {"marker": WordEnd(suffix), "marks_last": True, "loses": "white space"}
        elif names and row.lossless:
            changes["loses"] = f"what {', '.join(names)} makes one"
        return schemes.published_scheme(row, **changes) if names or suffix else row


def _shorten(part) -> str:
    """Return a part as text, with long texts in it, such as a table in base64, cut short.

    >>> _shorten({"type": "Precompiled", "precompiled_charsmap": "A" * 1000})
    "{'type': 'Precompiled', 'precompiled_charsmap': 'AAAAAAAAAAAAAAAAAAAA…'}"
    """
    if isinstance(part, dict):
        part = {name: _cut_off(value) for name, value in part.items()}
    shown = repr(part)
    return shown if len(shown) <= LONGEST_SHOWN else f"{shown[:LONGEST_SHOWN]} …"


def _cut_off(value):
    is_long = isinstance(value, str) and len(value) > LONGEST_SHOWN
    return f"{value[:20]}…" if is_long else value


def _respell(pattern: str) -> str:
    """Return a pattern of a file in a spelling that more engines read, with the same meaning."""
    return schemes.without_captures(schemes.without_escapes(schemes.without_sets(pattern)))


# normalizers: each function reads one kind of part into a pipeline


def _read_replace(pipeline: Pipeline, part: dict) -> None:
    [(kind, old)] = part["pattern"].items()
    new = part["content"]
    is_known = kind in REPLACES and isinstance(old, str) and old and isinstance(new, str)
    require(is_known, "its pattern or its content")
    written = old
    if kind == "Regex":
        old = _respell(written)
    step = (REPLACES[kind], old, new)
    steps = pipeline.normalizations
    if [*steps[-2:], step] == ONE_SPACE:
        steps[-2:] = ["OneSpace"]
        return
    if kind == "Regex" and step != ONE_SPACE[1]:
        schemes.check_portable(old, written)
    is_later = old == " " and steps[-1:] == [("Prepend", new)]
    if is_later and (new == " " or " " not in new):  # the order makes no difference
        steps.insert(-1, step)
    else:
        pipeline.change(step)


def _read_bert(pipeline: Pipeline, part: dict) -> None:
    strips = part["lowercase"] if part["strip_accents"] is None else part["strip_accents"]
    does = {"Clean": part["clean_text"], "SpaceChinese": part["handle_chinese_chars"]}
    does |= {"NFD": strips, STRIPS: strips, "Lowercase": part["lowercase"]}
    pipeline.change(*[step for step in does if does[step]])


def _read_step(pipeline: Pipeline, part: dict) -> None:
    name = part["type"]
    values = [part[field] for field in FIELDS[name]]
    pipeline.change((name, *values) if values else name)


NORMALIZERS = dict.fromkeys(FIELDS, _read_step)
NORMALIZERS |= {"Replace": _read_replace, "BertNormalizer": _read_bert}
NORMALIZERS["Nmt"] = lambda pipeline, part: pipeline.change(*NMT)


def read_one_by_one(part: dict | None) -> tuple[Step, ...]:
    """Return the steps of a normalizer, each part of which is read separately."""
    if not part or part == "OneSpace":
        return (part,) if part else ()
    if part["type"] == "Sequence":
        parts = list(part["normalizers"])
        one_space = write_steps(ONE_SPACE)
        for i in range(len(parts)):
            if parts[i : i + 3] == one_space:  # these three patterns are read only together
                parts[i : i + 3] = ["OneSpace"]
        return tuple(step for one in parts for step in read_one_by_one(one))
    pipeline = Pipeline()
    pipeline.read(NORMALIZERS, part, "normalizer")
    return tuple(pipeline.normalizations)


def _bert_at_the_front(steps: Sequence[Step]) -> list[Step]:
    """Return the first steps that a single BertNormalizer can take; there may be none.

    Several BertNormalizers would do the same to a text. But if one of these steps also applies to a
    part of an added token, Hugging Face's library may find the token in a different place.
    """
    found = []
    for step in BERT_ORDER:
        if steps[len(found) : len(found) + 1] == [step]:
            found.append(step)
    if "NFD" in found and STRIPS not in found:
        del found[found.index("NFD") :]
    return found if any(step in BERT for step in found) else []


def write_steps(steps: Iterable[Step]) -> list[dict]:
    """Return normalizers that carry out some steps, in the form of a tokenizer.json.

    Warns if there is a table of SentencePiece, because with such a table Hugging Face's library
    does nearly the same, but not quite.

    Raises ValueError for a step that no normalizer carries out.
    """
    written, left = [], list(steps)
    while left:
        if of_bert := _bert_at_the_front(left):
            del left[: len(of_bert)]
            does = {BERT[step]: step in of_bert for step in BERT}
            written.append({"type": "BertNormalizer", **does, "lowercase": "Lowercase" in of_bert})
            continue
        step = left.pop(0)
        name, *values = (step,) if isinstance(step, str) else step
        if name in FIELDS:
            written.append({"type": name} | dict(zip(FIELDS[name], values, strict=True)))
        elif name in REPLACES.values():
            kind = "String" if name == "Replace" else "Regex"
            written.append({"type": "Replace", "pattern": {kind: values[0]}, "content": values[1]})
        elif name == "OneSpace":
            written += write_steps(ONE_SPACE)
        elif name == "Table":
            warnings.warn(TABLE_THERE, stacklevel=3)
            written += write_steps([("Precompiled", *values)])
        else:
            is_table = name == "TableBesideNames"
            what = "user_defined_symbols that a table leaves alone" if is_table else repr(step)
            raise ValueError(f"the normalization cannot be carried over: {what:.80}")
    return written


# pre-tokenizers: each function reads one kind of part into a pipeline


def _read_byte_level(pipeline: Pipeline, part: dict) -> None:
    prefixes, splits_words = part["add_prefix_space"], part.get("use_regex", True)
    is_known = type(prefixes) is bool and type(splits_words) is bool
    require(is_known and pipeline.units is str, "its fields, or a second of its kind")
    if prefixes:
        is_first = not (pipeline.patterns or pipeline.prefix)
        require(is_first, "the space before each piece of a text split earlier")
        pipeline.prefix = " "
    if splits_words:
        pipeline.patterns.append(SCHEMES["gpt2"].pattern)
    pipeline.units = bytes


def _read_metaspace(pipeline: Pipeline, part: dict) -> None:
    sign = part["replacement"]
    older = "always" if part.get("add_prefix_space", True) else "never"
    prefixes = part.get("prepend_scheme", older)
    is_first = not (pipeline.patterns or pipeline.prefix or pipeline.units is bytes)
    require(is_first and prefixes in ("always", "first", "never"), "its place or prepend_scheme")
    require(isinstance(sign, str) and len(sign) == 1, "its replacement")
    pipeline.change(("Replace", " ", sign))
    pipeline.prefix = "" if prefixes == "never" else sign
    pipeline.first_prefixed = prefixes == "first"
    if part.get("split", True):
        one = regex.escape(sign)
        pipeline.patterns.append(f"{one}[^{one}]*|[^{one}]+")


def _read_split(pipeline: Pipeline, part: dict) -> None:
    lacking = sorted(SPLIT - set(part))
    require(not lacking, f"it lacks {', '.join(lacking)}")
    require(set(part) == SPLIT and len(part["pattern"]) == 1, "its fields")
    [(kind, pattern)] = part["pattern"].items()
    require(kind in ("String", "Regex") and isinstance(pattern, str) and pattern, "its pattern")
    behavior, inverted = part["behavior"], part["invert"]
    written = pattern
    if kind == "Regex":
        pattern = _respell(written)
    if kind == "String":
        pattern = schemes.escape(pattern)
    elif pattern in SPELLINGS or pattern in schemes.COMPLETE:
        row = SPELLINGS.get(pattern)
        pattern = row.pattern if row else pattern
        if (behavior, inverted) in (("Isolated", False), ("Removed", True)):
            return pipeline.cut(pattern)
    else:
        # Oniguruma reads cl100k's pattern, in tiktoken's spelling, in a different way.
        require(schemes.row_with_pattern(pattern) is not SCHEMES["cl100k"], "its pattern")
        schemes.check_portable(pattern, written)
        pattern = RESPELLED.get(pattern, pattern)
    return _cut_as(pipeline, pattern, behavior, inverted)


def _cut_as(pipeline: Pipeline, pattern: str, behavior: str, invert: bool = False) -> None:
    """Split at the matches of a pattern: each becomes a word, joins a neighbour, or is dropped.

    ``behavior`` and ``invert`` are fields of a Split in a tokenizer.json.
    """
    between = schemes.between(pattern)[:-1]  # one character where no match begins
    if behavior == "Isolated":
        pipeline.cut(pattern if schemes.completed(pattern) else schemes.complete(pattern))
    elif behavior == "Removed":
        pipeline.cut(
            pattern if invert else schemes.between(pattern), drops=not schemes.completed(pattern)
        )
    elif behavior == "Contiguous":
        pipeline.cut(schemes.complete(f"(?:{pattern})+"))
    elif behavior == ("MergedWithNext" if invert else "MergedWithPrevious"):
        pipeline.cut(f"{between}*(?:{pattern})|{between}+")
    elif behavior == ("MergedWithPrevious" if invert else "MergedWithNext"):
        pipeline.cut(f"(?:{pattern}){between}*|{between}+")
    else:
        raise ValueError("its behavior")


def _cut_by(pattern: str) -> Callable:
    """Return a function that turns the matches of a pattern into words."""
    return lambda pipeline, part: pipeline.cut(pattern, drops=True)


PRE_TOKENIZERS = {
    "ByteLevel": _read_byte_level,
    "Metaspace": _read_metaspace,
    "Split": _read_split,
    "Digits": lambda pipeline, part: pipeline.cut(
        schemes.complete(r"\p{N}" if part["individual_digits"] is True else r"\p{N}+")
    ),
    "Punctuation": lambda pipeline, part: _cut_as(pipeline, SIGN, part["behavior"]),
    "CharDelimiterSplit": lambda pipeline, part: _cut_as(
        pipeline, schemes.escape(part["delimiter"]), "Removed"
    ),
    "FixedLength": lambda pipeline, part: pipeline.cut(rf"[\s\S]{{1,{part['length']}}}"),
    **{name: _cut_by(pattern) for pattern, name in NAMED_CUTS.items()},
}
