"""Normalize: what others do to a text before they split it, one step after the other.

A step is the name of a function in `STEPS`, or a tuple of its name and what else it takes. Most
names are those of Hugging Face.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial

import regex

# Unicode's property White_Space; Python's `str.isspace` holds four control characters more.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
WHITE_SPACE += "".join(map(chr, range(0x2000, 0x200B)))
# A pattern of Chinese characters, as BERT has them: without the kana and the hangul
CHINESE = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ceaf\U0002f800-\U0002fa1f]"
PATIENCE = 5  # seconds, and one more for each 100,000 characters

Step = str | tuple


def lowercase(text: str) -> str:
    """Write each character in lower case by itself: a final sigma is not told from another one.

    >>> lowercase("ΑΣ"), "ΑΣ".lower()
    ('ασ', 'ας')
    """
    return text.lower() if text.isascii() else "".join(map(str.lower, text))


def strip_accents(text: str, kinds: str = "M") -> str:
    """Leave out the marks, which letters have as characters of their own only after NFD.

    >>> strip_accents("e\u0301"), strip_accents("\u00e9")
    ('e', 'é')
    """
    return "".join(one for one in text if not unicodedata.category(one).startswith(kinds))


def strip(text: str, left: bool, right: bool) -> str:
    """Leave out white space at the ends."""
    text = text.lstrip(WHITE_SPACE) if left else text
    return text.rstrip(WHITE_SPACE) if right else text


def replace_pattern(text: str, pattern: str, new: str) -> str:
    """Replace all matches of a pattern, in limited time."""
    return regex.sub(pattern, lambda match: new, text, timeout=patience(text))


def replace_all(text: str, table: str) -> str:
    r"""Replace texts by others, which follow each in the table, a zero between: the longest first.

    >>> replace_all("\u00bd\u00bc", "\u00bc\0001/4\0\u00bd\0001/2")
    '1/21/4'
    """
    news, _ = _read_table(table)
    return "".join(news.get(part, part) for part in cut_at_names(text, table))


def cut_at_names(text: str, table: str) -> Iterator[str]:
    """Cut a text into the longest texts of a table, and single characters."""
    news, longest = _read_table(table)
    start = 0
    while start < len(text):
        end = start + longest.get(text[start], 1)
        while end > start + 1 and text[start:end] not in news:
            end -= 1
        yield text[start:end]
        start = end


@cache
def _read_table(table: str) -> tuple[dict[str, str], dict[str, int]]:
    """Return what is replaced by what, and how long the longest are, by their first character."""
    texts = table.split("\0")
    news = dict(zip(texts[::2], texts[1::2], strict=True))
    longest = {}
    for name in news:
        longest[name[:1]] = max(len(name), longest.get(name[:1], 0))
    return news, longest


def clean(text: str) -> str:
    r"""Leave out controls and write white space as spaces, as BERT does.

    >>> clean("low\x00\tlow")
    'low low'
    """
    kept = []
    for one in text:
        if one in "\t\n\r" or unicodedata.category(one) in ("Zs", "Zl", "Zp"):
            kept.append(" ")
        elif one != "\ufffd" and not unicodedata.category(one).startswith("C"):
            kept.append(one)
    return "".join(kept)


STEPS: dict[str, Callable[..., str]] = {
    **{form: partial(unicodedata.normalize, form) for form in ("NFC", "NFD", "NFKC", "NFKD")},
    "Lowercase": lowercase,
    "StripAccents": strip_accents,
    "Strip": strip,
    "Replace": str.replace,
    "ReplaceAll": replace_all,
    "ReplacePattern": replace_pattern,
    "Clean": clean,
    "SpaceChinese": lambda text: regex.sub(CHINESE, lambda match: f" {match.group()} ", text),
}


def normalize(text: str, steps: tuple[Step, ...]) -> str:
    """Take all steps, one after the other.

    >>> normalize("Gro\u00df UND klein", ("NFC", "Lowercase", ("Replace", " ", "_")))
    'groß_und_klein'
    """
    for step in steps:
        name, *more = (step,) if isinstance(step, str) else step
        text = STEPS[name](text, *more)
    return text


def find_parts(text: str, step: Step) -> Iterable[str]:
    """Cut a text into parts that a step changes each by itself; it must not be Strip."""
    name, *more = (step,) if isinstance(step, str) else step
    if name.startswith("NF"):
        return regex.findall(r"\X", text)  # a letter is changed together with its marks
    if name == "ReplaceAll":
        return cut_at_names(text, *more)
    if name.startswith("Replace"):
        pattern = more[0] if name == "ReplacePattern" else regex.escape(more[0])
        return regex.findall(rf"(?:{pattern})|[\s\S]", text, timeout=patience(text))
    return text  # its characters


def patience(text: str) -> float:
    """Return the seconds that a pattern of one's own may take to go through a text."""
    return PATIENCE + len(text) / 100_000
