"""JavaScript: the split patterns of the schemes in the form that a browser reads.

The field ``elsewhere`` of a scheme says whether its pattern can be written in this form.
"""

import re

from bpe_teach.patterns import NO_WHITE_SPACE, WORDS
from bpe_teach.schemes import Scheme

# White space as in Python's `re`; JavaScript's \s is a different set.
SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
SPELLED = {  # pattern -> the same pattern in JavaScript, if no rule below can spell it
    WORDS: rf"[\p{{L}}\p{{N}}_]+|[^{SPACE}\p{{L}}\p{{N}}_]+",
    NO_WHITE_SPACE: f"[^{SPACE}]+",
}
# Plain characters, negated classes of them, repetition: every engine reads these in the same way.
SAME = re.compile(r"(?:(?:[^\\^$.*+?(){}\[\]|]|\[\^[^\\^\]-]+\])[*+]?|\|)+")
# Not all browsers know (?i:…). With it, ſ (a long s) counts as an s.
ENDINGS = "[sS\u017fdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE]"


def in_javascript(pattern: str) -> str:
    """Return one of the published patterns as JavaScript spells it."""
    for ours, theirs in [
        (r"\s", r"\p{White_Space}"),
        (r"\S", r"\P{White_Space}"),
        ("(?i:'s|'t|'re|'ve|'m|'ll|'d)", f"(?:'(?:{ENDINGS}))"),
        ("(?i:[sdmt]|ll|ve|re)", f"(?:{ENDINGS})"),
        # JavaScript has no possessive ++, *+ and ?+, which never give back what they have taken. In
        # these patterns nothing ever has to be given back, so the words are the same without the +.
        ("++", "+"),
        ("*+", "*"),
        ("?+", "?"),
        ("{1,3}+", "{1,3}"),
    ]:
        pattern = pattern.replace(ours, theirs)
    return pattern


def pattern_in_javascript(scheme: Scheme) -> str:
    """Return the pattern of a scheme as JavaScript spells it, or "" if JavaScript can't read it."""
    pattern = scheme.pattern
    if pattern is None:
        return ""
    if SAME.fullmatch(pattern):
        return pattern
    if "javascript" in scheme.elsewhere:
        return SPELLED.get(pattern) or in_javascript(pattern)
    return ""
