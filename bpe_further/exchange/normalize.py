"""Normalize: change a text, step by step, as other tokenizers do before they split it.

A step is the name of a function in `STEPS`, or a tuple of this name and further arguments. Most
names are Hugging Face's.
"""

import re
import struct
import unicodedata
from base64 import b64decode
from functools import lru_cache, partial
from unicodedata import category

import regex

from bpe_further.exchange.shared import KNOWN, require, seconds_left, time_limit

# Unicode's property White_Space; Python's `str.isspace` accepts four control characters as well.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
WHITE_SPACE += "".join(map(chr, range(0x2000, 0x200B)))
# The meaning of \w in the engine of Hugging Face's library
IN_WORD = r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u200c\u200d]"
# Chinese characters as Hugging Face's library defines them for BERT: without kana and hangul
CHINESE = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f"
CHINESE += "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
# Hugging Face's library has older tables of Unicode, so it doesn't know newer marks and controls.
NEWER_CONTROLS = re.compile(f"[{KNOWN['signs']['newer_controls']}]")
ACCENTS = {  # beginning of Unicode categories -> the marks that are left out
    kind: regex.compile(rf"(?![{newer}])\p{{{kind}}}|[{KNOWN['signs']['former_marks'][kind]}]")
    for kind, newer in KNOWN["signs"]["newer_marks"].items()
}

LONGEST_TEXT = 1000  # bytes of a replacement
TOO_LONG = "normalization makes more than {:,} characters of a text"
MOST_GROWTH = 100  # a text may become so many times longer; NFKC turns one character into up to 18

Step = str | tuple


def _lowercase(text: str) -> str:
    """Write each character in lower case without regard to its neighbours.

    So a sigma at the end of a word gets no special form.
    """
    return text.lower() if text.isascii() else "".join(map(str.lower, text))


def _strip_accents(text: str, kinds: str = "M") -> str:
    """Leave out the marks on letters, which are separate characters only after NFD.

    ``kinds`` is the beginning of the Unicode categories to leave out.
    """
    return ACCENTS[kinds].sub("", text)


def _strip(text: str, left: bool, right: bool) -> str:
    text = text.lstrip(WHITE_SPACE) if left else text
    return text.rstrip(WHITE_SPACE) if right else text


def _clean(text: str) -> str:
    """Leave out control characters and write white space as spaces, as BERT does.

    Characters that Unicode doesn't define yet are kept, because newer versions may define them.
    """
    kept = (" " if one in "\t\n\r" or category(one)[0] == "Z" else one for one in text)
    return "".join(one for one in kept if one != "\ufffd" and not _is_control(one))


def _is_control(one: str) -> bool:
    return category(one) in ("Cc", "Cf", "Co") and not NEWER_CONTROLS.match(one)


def _replace(text: str, old: str, new: str) -> str:
    _check_length(text, text.count(old) * len(new))
    return text.replace(old, new)


def _replace_all(text: str, pattern: str, new: str) -> str:
    made = 0

    def replaced(_) -> str:
        nonlocal made
        made += len(new)
        _check_length(text, made)
        return new

    return regex.sub(pattern, replaced, text, timeout=seconds_left())


def _check_length(text: str, made: int) -> None:
    """Raise ValueError if replacements would write too many characters for the length of a text.

    ``made`` is the number of these characters.
    """
    longest = MOST_GROWTH * (len(text) + 10)
    require(made <= longest, TOO_LONG.format(longest))


# SentencePiece has a table of replacements. It holds the length of a trie, then the trie, then
# texts that each end in a zero. The trie is made of numbers that each hold several fields (a
# *double array*, as darts-clone writes it).


@lru_cache(8)
def _read_table(table: str) -> tuple[tuple[int, ...], bytes]:
    """Return the numbers and the texts of a table that is written in base64."""
    content = b64decode(table, validate=True)
    end = 4 + int.from_bytes(content[:4], "little")
    return struct.unpack(f"<{(end - 4) // 4}I", content[4:end]), content[end:]


def _children(number: int) -> int:
    """Return the offset of the children of a node, from the node's number in the trie.

    A child's place is the node's place ^ the offset ^ the child's byte.
    """
    return number >> 10 << (8 if number & 512 else 0)


def _match(table: str, content: bytes, start: int = 0, *, shortest: bool) -> tuple[int, bytes]:
    """Return the end of a match that begins at ``start``, and the text that replaces the match.

    If ``shortest`` is true, the match is the shortest one, otherwise the longest. If nothing
    matches, the end is ``start``.
    """
    numbers, texts = _read_table(table)
    end, new = start, b""
    place = 0
    try:
        for i in range(start, len(content)):
            place ^= _children(numbers[place]) ^ content[i]
            if numbers[place] & 0x8000_00FF != content[i] or (shortest and end > start):
                break
            if numbers[place] & 256:  # a match ends here
                at = numbers[place ^ _children(numbers[place])] & 0x7FFF_FFFF
                end, new = i + 1, texts[at : texts.index(b"\0", at, at + LONGEST_TEXT)]
    except (LookupError, ValueError):
        raise ValueError("its normalization table is broken") from None
    return end, new


def _replace_longest(text: str, table: str, *names: str) -> str:
    """Replace, at each place, the longest match of a table, as SentencePiece does.

    If one of the ``names`` begins at a place, this name is left unchanged. If several names begin
    there, the longest of these names is left unchanged.
    """
    content = text.encode("utf-8")
    made = []
    kept = [name.encode("utf-8") for name in sorted(names, key=len, reverse=True)]
    find_name = re.compile(b"|".join(map(re.escape, kept))).match if kept else None
    start = 0
    while start < len(content):
        if find_name and (name := find_name(content, start)):
            made.append(name[0])
            start = name.end()
            continue
        end, new = _match(table, content, start, shortest=False)
        if end == start:  # nothing replaces this character
            end += 1
            while end < len(content) and content[end] & 0xC0 == 0x80:
                end += 1
            new = content[start:end]
        made.append(new)
        start = end
    return b"".join(made).decode("utf-8", "replace")


def _replace_letters(text: str, table: str) -> str:
    """Replace characters by a table, as Hugging Face's library does.

    If the table has a match for a short letter with its marks, the letter is replaced together with
    the marks. Otherwise each character is replaced alone.
    """
    made = []
    for letter in regex.findall(r"\X", text):
        whole = letter.encode("utf-8")
        is_replaced = len(whole) < 6 and _match(table, whole, shortest=True)[0]
        for part in [whole] if is_replaced else map(str.encode, letter):
            end, new = _match(table, part, shortest=True)
            made.append(new if end else part)
    return b"".join(made).decode("utf-8", "replace")


FORMS = ("NFC", "NFD", "NFKC", "NFKD")
STEPS = {
    **{form: partial(unicodedata.normalize, form) for form in FORMS},
    "Lowercase": _lowercase,
    "StripAccents": _strip_accents,
    "Strip": _strip,
    "Replace": _replace,
    "Prepend": lambda text, new: new + text if text else text,
    "ReplaceAll": _replace_all,
    # SentencePiece does the same: it also removes its own sign for a space from the end.
    "OneSpace": lambda text: re.sub(" +", " ", text).lstrip(" ").rstrip(" ▁"),
    "Clean": _clean,
    "Table": _replace_longest,
    "TableBesideNames": _replace_longest,
    "Precompiled": _replace_letters,
    "SpaceChinese": lambda text: re.sub(f"({CHINESE})", r" \1 ", text),
}


def normalize(text: str, steps: tuple[Step, ...]) -> str:
    r"""Return a text after all steps have been taken, one after the other.

    >>> normalize("Gro\u00df UND klein", ("NFC", "Lowercase", ("Replace", " ", "_")))
    'groß_und_klein'
    >>> normalize("ΑΣ", ("Lowercase",)), normalize("e\u0301\x00", ("StripAccents", "Clean"))
    ('ασ', 'e')
    """
    longest = MOST_GROWTH * (len(text) + 10)
    with time_limit(len(text)):
        for step in steps:
            name, *more = (step,) if isinstance(step, str) else step
            text = STEPS[name](text, *more)
            seconds_left()
            require(len(text) <= longest, TOO_LONG.format(longest))
    return text


def check_step(step: Step) -> None:
    """Raise ValueError unless ``step`` is a step of a normalization."""
    try:
        normalize("a", (step,))
        is_step = step[:2] != ("Replace", "")  # an empty pattern matches everywhere
        if step[0] in ("Replace", "ReplaceAll"):
            is_step = is_step and len(step[2]) <= MOST_GROWTH
    except (LookupError, TypeError, ValueError, struct.error):
        is_step = False
    require(is_step, f"not a normalization: {step!r:.80}")
