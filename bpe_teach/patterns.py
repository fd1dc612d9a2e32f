r"""Patterns: the regular expressions that split a text into words. A match is a word.

The patterns published with OpenAI's models name classes of characters, such as ``\p{L}`` for all
letters. Python's own `re` does not know these; the package `regex` does. `find_words` says what a
pattern finds; `Scheme.split` uses `fast/patterns.py`, which must give the same answer.
"""

import re
from functools import cache

import regex

NO_SPACES = r"[^ ]+"
WORDS = r"\w+|[^\s\w]+"
NO_WHITE_SPACE = r"\S+"

# GPT-2 (Radford et al. 2019). Of several alternatives, the first that fits is taken.
GPT2 = (
    r"'(?:[sdmt]|ll|ve|re)"  # an ending such as 's or 'll
    r"| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+"  # letters, digits, or signs, after at most a space
    r"|\s+(?!\S)"  # of white space before a word, all but the last, which goes with the word …
    r"|\s+"  # … unless it is no plain space: then it is a word, too
)

# GPT-4, as in OpenAI's package tiktoken. A plus after another sign, as in ++ or ?+, means: never
# give back any of what was taken. The words are the same without it; the search is quicker.
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)"  # an ending, in capitals, too
    r"|[^\r\n\p{L}\p{N}]?+\p{L}++"  # letters, after at most one sign or white space
    r"|\p{N}{1,3}+"  # up to three digits
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+"  # signs, with the line ends that follow
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"  # white space: up to its last line end, or all but the last
)

# GPT-4o, as in tiktoken. p{Lu} are capitals, p{Ll} small letters, p{M} marks such as accents; the
# other letters (Lm, Lo) have no case and count as either; the few of Lt count as capitals.
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K = (
    # Letters, split before a capital that follows a small one, with the ending that follows. Two
    # branches, because the capitals may be missing, or the small letters. Then much as in CL100K.
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def find_words(pattern: str, text: str) -> list[str]:
    """Return all matches of a pattern, from left to right.

    >>> find_words(GPT2, "We'll pay 12p")
    ['We', "'ll", ' pay', ' 12', 'p']
    """
    # Not findall: from a pattern with a group, it would return what is in the group.
    return [match.group() for match in compile_pattern(pattern).finditer(text)]


@cache  # a pattern is compiled once, when it is first used
def compile_pattern(pattern: str) -> re.Pattern | regex.Pattern:
    r"""Compile a pattern: with `regex` if it names a class such as ``\p{L}``, else with `re`."""
    # The choice matters: to `re`, marks as in हिन्दी are no part of \w; to `regex` they are. The
    # published results of the scheme `words` are those of `re`. (lower: \P{L} is a class, too.)
    engine = regex if r"\p" in pattern.lower() else re
    return engine.compile(pattern)


@cache  # which is why names are a tuple: a list cannot be looked up
def name_pattern(names: tuple[str, ...]) -> re.Pattern:
    """Compile a pattern that finds names in a text; where two begin at one place, the longest.

    >>> name_pattern(("<|", "<|end|>")).findall("a<|end|>b")
    ['<|end|>']
    """
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))
