r"""Dialects: the split patterns as other programs spell them, for the table of schemes.

The playground runs in JavaScript. Hugging Face's tokenizer.json is written for Oniguruma, a library
in C.
"""

from bpe_teach.patterns import CL100K

# White space as in Python's `re`; JavaScript's \s is a different set.
SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
WORDS_IN_JAVASCRIPT = rf"[\p{{L}}\p{{N}}_]+|[^{SPACE}\p{{L}}\p{{N}}_]+"
NO_WHITE_SPACE_IN_JAVASCRIPT = f"[^{SPACE}]+"
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


# Oniguruma takes {1,3}+ for a group of digits that is repeated.
CL100K_IN_ONIGURUMA = CL100K.replace("{1,3}+", "{1,3}")
