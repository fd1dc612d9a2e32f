"""Normalize: what others do to a text before they split it, one step after the other.

A step is the name of a function in `STEPS`, or a tuple of its name and what else it takes. Most
names are those of Hugging Face.
"""

import re
import unicodedata
from functools import partial
from unicodedata import category

# Unicode's property White_Space; Python's `str.isspace` holds four control characters more.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
WHITE_SPACE += "".join(map(chr, range(0x2000, 0x200B)))
# Chinese characters as BERT has them: without the kana and the hangul
CHINESE = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ceaf\U0002f800-\U0002fa1f]"

Step = str | tuple


def _lowercase(text: str) -> str:
    """Write each character in lower case by itself: a final sigma is not told from another one."""
    return text.lower() if text.isascii() else "".join(map(str.lower, text))


def _strip_accents(text: str, kinds: str = "M") -> str:
    """Leave out the marks, which letters have as characters of their own only after NFD."""
    return "".join(one for one in text if not category(one).startswith(kinds))


def _strip(text: str, left: bool, right: bool) -> str:
    text = text.lstrip(WHITE_SPACE) if left else text
    return text.rstrip(WHITE_SPACE) if right else text


def _clean(text: str) -> str:
    """Leave out controls and write white space as spaces, as BERT does."""
    kept = (" " if one in "\t\n\r" or category(one)[0] == "Z" else one for one in text)
    return "".join(one for one in kept if one != "\ufffd" and category(one)[0] != "C")


FORMS = ("NFC", "NFD", "NFKC", "NFKD")
STEPS = {
    **{form: partial(unicodedata.normalize, form) for form in FORMS},
    "Lowercase": _lowercase,
    "StripAccents": _strip_accents,
    "Strip": _strip,
    "Replace": str.replace,
    "OneSpace": lambda text: re.sub(" +", " ", text).strip(" "),  # SentencePiece has it
    "Clean": _clean,
    "SpaceChinese": lambda text: re.sub(f"({CHINESE})", r" \1 ", text),
}


def normalize(text: str, steps: tuple[Step, ...]) -> str:
    r"""Take all steps, one after the other.

    >>> normalize("Gro\u00df UND klein", ("NFC", "Lowercase", ("Replace", " ", "_")))
    'groß_und_klein'
    >>> normalize("ΑΣ", ("Lowercase",)), normalize("e\u0301\x00", ("StripAccents", "Clean"))
    ('ασ', 'e')
    """
    for step in steps:
        name, *more = (step,) if isinstance(step, str) else step
        text = STEPS[name](text, *more)
    return text


def check_step(step: Step) -> None:
    """Raise ValueError for what is no step of a normalization.

    >>> check_step("NFD")
    >>> check_step(("Replace", " "))
    Traceback (most recent call last):
    ValueError: no normalization is ('Replace', ' ')
    """
    try:
        normalize("a", (step,))
        is_step = step[:2] != ("Replace", "")  # which would be everywhere
    except (KeyError, TypeError, ValueError):
        is_step = False
    if not is_step:
        raise ValueError(f"no normalization is {step!r:.80}")
