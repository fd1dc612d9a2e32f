r"""Dialects: the split patterns of the schemes as other engines spell them.

The playground runs in JavaScript. Hugging Face's tokenizer.json is written for Oniguruma, a library
in C. A scheme names the engines that can read its pattern in its field ``elsewhere``.
"""

from bpe_teach.patterns import CL100K, NO_SPACES, NO_WHITE_SPACE, WORDS
from bpe_teach.schemes import Scheme

# White space as in Python's `re`; JavaScript's \s is a different set.
SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
SPELLED = {  # (engine, pattern) -> the same pattern in that engine, where no rule gives it
    ("javascript", NO_SPACES): NO_SPACES,
    ("javascript", WORDS): rf"[\p{{L}}\p{{N}}_]+|[^{SPACE}\p{{L}}\p{{N}}_]+",
    ("javascript", NO_WHITE_SPACE): f"[^{SPACE}]+",
    # Oniguruma takes {1,3}+ for a group of digits that is repeated.
    ("oniguruma", CL100K): CL100K.replace("{1,3}+", "{1,3}"),
}
# Not all browsers know (?i:…). With it, ſ (a long s) counts as an s.
ENDINGS = "[sS\u017fdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE]"


def in_javascript(pattern: str) -> str:
    r"""Return one of the published patterns as JavaScript spells it.

    >>> in_javascript(r"\p{N}{1,3}+|\s*+")
    '\\p{N}{1,3}|\\p{White_Space}*'
    """
    for ours, theirs in [
        (r"\s", r"\p{White_Space}"),
        (r"\S", r"\P{White_Space}"),
        ("(?i:'s|'t|'re|'ve|'m|'ll|'d)", f"(?:'(?:{ENDINGS}))"),
        ("(?i:[sdmt]|ll|ve|re)", f"(?:{ENDINGS})"),
        # JavaScript has no possessive ++, *+ and ?+, which never give back what they have taken.
        # These patterns never need it back, so they find the same words without the plus.
        ("++", "+"),
        ("*+", "*"),
        ("?+", "?"),
        ("{1,3}+", "{1,3}"),
    ]:
        pattern = pattern.replace(ours, theirs)
    return pattern


def pattern_for(engine: str, scheme: Scheme) -> str:
    """Return the pattern of a scheme as an engine spells it; "" if it can't read it.

    >>> from bpe_teach.schemes import SCHEMES
    >>> pattern_for("javascript", SCHEMES["underscore"]), pattern_for("oniguruma", SCHEMES["words"])
    ('[^ ]+', '')
    """
    if engine not in scheme.elsewhere or scheme.pattern is None:
        return ""
    if (engine, scheme.pattern) in SPELLED:
        return SPELLED[engine, scheme.pattern]
    return in_javascript(scheme.pattern) if engine == "javascript" else scheme.pattern
