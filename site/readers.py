"""Readers: what static/readers.js has to know to read the tokenizers that visitors open."""

import json

from bpe_teach import SCHEMES
from bpe_teach.exchange.pipeline import SPELLINGS
from bpe_teach.exchange.schemes import COMPLETE
from bpe_teach.fast.dialects import in_javascript
from bpe_teach.pictures.playground import SAME, STEPS

# Hugging Face's Whitespace: words and signs, in the classes of Unicode that Rust's engine has.
LETTERS = r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}"
WHITESPACE = rf"[{LETTERS}]+|[^{LETTERS}\p{{White_Space}}]+"

# .tiktoken files do not say how a text is split; those that are published are told by their length.
RANKS = {
    50256: SCHEMES["gpt2"].javascript,
    50257: SCHEMES["gpt2"].javascript,  # Whisper
    50280: SCHEMES["gpt2"].javascript,  # p50k_base
    100256: SCHEMES["cl100k"].javascript,
    128000: in_javascript(next(iter(COMPLETE))),  # Llama 3
    199998: SCHEMES["o200k"].javascript,
}


def known() -> str:
    """Return the constant KNOWN of readers.js, as a line of a script."""
    patterns = {pattern: scheme.javascript for pattern, scheme in SPELLINGS.items()}
    patterns |= {row.pattern: row.javascript for row in SCHEMES.values() if row.javascript}
    patterns |= {pattern: in_javascript(pattern) for pattern in COMPLETE}
    table = {"patterns": patterns, "same": SAME.pattern, "steps": sorted(STEPS)}
    table |= {"ranks": RANKS, "whitespace": WHITESPACE}
    return f"const KNOWN = {json.dumps(table)};".replace("</", "<\\/")
