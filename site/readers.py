"""Readers: what static/readers.js has to know to read the tokenizers that visitors open."""

import json

from bpe_further.exchange.pipeline import SPELLINGS
from bpe_further.exchange.schemes import COMPLETE
from bpe_further.exchange.schemes import IN_BROWSER as STEPS
from bpe_teach import SCHEMES
from bpe_teach.pictures.javascript import SAME, in_javascript, pattern_in_javascript

# Hugging Face's Whitespace: words and signs, in the classes of Unicode that Rust's engine has.
LETTERS = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}"
WHITESPACE = rf"[{LETTERS}]+|[^{LETTERS}\p{{White_Space}}]+"

IN_JAVASCRIPT = {name: pattern_in_javascript(row) for name, row in SCHEMES.items()}
# .tiktoken files do not say how a text is split; those that are published are told by their length.
RANKS = {
    50256: IN_JAVASCRIPT["gpt2"],
    50257: IN_JAVASCRIPT["gpt2"],  # Whisper
    50280: IN_JAVASCRIPT["gpt2"],  # p50k_base
    100256: IN_JAVASCRIPT["cl100k"],
    128000: in_javascript(next(iter(COMPLETE))),  # Llama 3
    199998: IN_JAVASCRIPT["o200k"],
}


def known() -> str:
    """Return the constant KNOWN of readers.js, as a line of a script."""
    patterns = {spelling: IN_JAVASCRIPT[row.name] for spelling, row in SPELLINGS.items()}
    patterns |= {
        row.pattern: IN_JAVASCRIPT[row.name] for row in SCHEMES.values() if IN_JAVASCRIPT[row.name]
    }
    patterns |= {pattern: in_javascript(pattern) for pattern in COMPLETE}
    table = {"patterns": patterns, "same": SAME.pattern, "steps": sorted(STEPS)}
    table |= {"ranks": RANKS, "whitespace": WHITESPACE}
    return f"const KNOWN = {json.dumps(table)};".replace("</", "<\\/")
