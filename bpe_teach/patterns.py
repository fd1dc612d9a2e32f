r"""Patterns: the regular expressions that split a text into words. A match is a word.

The patterns published with OpenAI's models name classes of characters, such as ``\p{L}`` for all
letters. Python's own `re` does not know these; the package `regex` does.

Others run the same patterns on other engines. Where an engine needs another spelling, that spelling
stands here, too: JavaScript's for the playground, and Oniguruma's for tokenizer.json.
"""

import re
from functools import cache

import regex

NO_SPACES = r"[^ ]+"
WORDS = r"\w+|[^\s\w]+"
NO_WHITE_SPACE = r"\S+"

# GPT-2 (Radford et al. 2019): the endings 's, 'll …; then letters, digits or other signs, each run
# with the space before it. Of several spaces, the last one goes with the word that follows.
GPT2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

# GPT-4, as in OpenAI's package tiktoken. A plus after a number or another plus means: take all
# that is there and never give any of it back, which saves the engine time.
CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+"
    r"| ?[^\s\p{L}\p{N}]++[\r\n]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)

# GPT-4o, as in tiktoken. Letters without case, and marks such as accents, count as both.
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    rf"|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)

# As `re` sees white space; JavaScript's \s and \w hold fewer characters.
SPACE = r"\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
WORDS_IN_JAVASCRIPT = rf"[\p{{L}}\p{{N}}_]+|[^{SPACE}\p{{L}}\p{{N}}_]+"
NO_WHITE_SPACE_IN_JAVASCRIPT = f"[^{SPACE}]+"
SUFFIXES = "[sS\u017fdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE]"  # in any case; ſ is an s, too


def in_javascript(pattern: str) -> str:
    """Spell one of the published patterns for JavaScript."""
    for ours, theirs in [
        (r"\s", r"\p{White_Space}"),
        (r"\S", r"\P{White_Space}"),
        ("(?i:'s|'t|'re|'ve|'m|'ll|'d)", f"(?:'(?:{SUFFIXES}))"),
        ("(?i:[sdmt]|ll|ve|re)", f"(?:{SUFFIXES})"),
        # It always gives back; in these patterns, nothing asks for it.
        ("++", "+"), ("*+", "*"), ("?+", "?"), ("{1,3}+", "{1,3}"),
    ]:  # fmt: skip
        pattern = pattern.replace(ours, theirs)
    return pattern


# Oniguruma reads {1,3}+ as {1,3} repeated. Nothing follows that could ask for a digit back.
CL100K_IN_ONIGURUMA = CL100K.replace("{1,3}+", "{1,3}")


def find_words(pattern: str, text: str) -> list[str]:
    """Return all matches of a pattern, from left to right.

    >>> find_words(GPT2, "We'll pay 12p")
    ['We', "'ll", ' pay', ' 12', 'p']
    """
    return [match.group() for match in compile_pattern(pattern).finditer(text)]


@cache
def compile_pattern(pattern: str) -> re.Pattern | regex.Pattern:
    r"""Compile a pattern: with `regex` if it names a class such as ``\p{L}``, else with `re`."""
    engine = regex if r"\p" in pattern.lower() else re
    return engine.compile(pattern)


@cache
def name_pattern(names: tuple[str, ...]) -> re.Pattern:
    """Compile a pattern that finds names in a text; where two begin at one place, the longest.

    >>> name_pattern(("<|", "<|end|>")).findall("a<|end|>b")
    ['<|end|>']
    """
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))
