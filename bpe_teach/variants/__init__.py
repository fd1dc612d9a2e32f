"""Variants: other ways to choose tokens and to cut words into tokens, each in about a page."""

from bpe_teach.variants import (
    digits,
    encoders,
    measures,
    mixture,
    parity,
    superwords,
    unigram,
    wordpiece,
)

__all__ = ["digits", "encoders", "measures", "mixture"]
__all__ += ["parity", "superwords", "unigram", "wordpiece"]
