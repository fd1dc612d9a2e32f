r"""Patterns: the regular expressions that split a text into words. A match is a word.

The patterns published with OpenAI's models use classes of characters, such as ``\p{L}`` for all
letters. Python's own `re` doesn't know such classes; the package `regex` does.
"""

import re
from functools import cache

import regex

NO_SPACES = r"[^ ]+"
WORDS = r"\w+|[^\s\w]+"
NO_WHITE_SPACE = r"\S+"

# GPT-2 (Radford et al. 2019). The first alternative that matches is taken.
GPT2 = (
    r"'(?:[sdmt]|ll|ve|re)"  # an ending such as 's or 'll
    r"| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+"  # letters, digits or signs, after at most one space
    r"|\s+(?!\S)"  # white space: all at the end; before a word, all but the last …
    r"|\s+"  # … and the last alone, if it is not a plain space
)

# GPT-4, as in OpenAI's package tiktoken. The last + of ++, *+, ?+ and {1,3}+ repeats nothing: it
# means that no character that was matched is given back. The words would be the same without this
# +, but \s+$ instead of \s++$ would try every shorter run of a long white space. $ is the end of
# the text, and * means any number of times, or none.
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)"  # an ending, in lowercase or capitals
    r"|[^\r\n\p{L}\p{N}]?+\p{L}++"  # letters, after at most one sign or white space
    r"|\p{N}{1,3}+"  # up to three digits
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+"  # signs, with the line ends that follow
    r"|\s++$"  # white space: all that ends the text, as " \n " in "a \n "
    r"|\s*[\r\n]"  # … up to its last line end, as " \n" in "a \n  b"
    r"|\s+(?!\S)"  # … all but the last, as one of the two spaces before this b
    r"|\s"  # … and the last, if no word begins with it, as the tab in "\t7"
)

# GPT-4o, as in tiktoken; it has no branch with $, and no ++. Lu are capitals, Ll are lowercase
# letters, M are marks such as accents. Letters without case (Lm, Lo), as Hindi and Chinese have,
# count as either; the few of title case (Lt) count as capitals.
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K = (
    # Letters with an ending such as 's, split before a capital that follows a lowercase one. The
    # first branch wants a lowercase letter at the end, as in Story and story; the second finds
    # STORY. The rest is much as in CL100K.
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"  # signs may end in / too
)

PUBLISHED = (GPT2, CL100K, O200K)


def find_words(pattern: str, text: str) -> list[str]:
    """Return all matches of a pattern, from left to right.

    >>> find_words(GPT2, "We'll pay 12p")
    ['We', "'ll", ' pay', ' 12', 'p']
    """
    # Not findall: if the pattern has a group, it returns only what the group matches.
    return [match.group() for match in compile_pattern(pattern).finditer(text)]


@cache  # a pattern is compiled once, when it is first used
def compile_pattern(pattern: str) -> re.Pattern | regex.Pattern:
    r"""Return a pattern compiled by `regex` if it has a class such as ``\p{L}``, else by `re`."""
    # The choice matters: \w includes marks, as in हिन्दी, in `regex` but not in `re`, and the
    # published results of the scheme `words` come from `re`. (lower: \P{L} is a class as well.)
    engine = regex if r"\p" in pattern.lower() else re
    try:
        return engine.compile(pattern)
    except (re.error, regex.error, OverflowError) as error:  # the last: a{9999999999}
        raise ValueError(f"the pattern {pattern!r:.80} cannot be compiled: {error}") from None
