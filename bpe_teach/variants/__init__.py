"""Variants: other ways to choose tokens and to cut words into tokens, each in about a page."""

from bpe_teach.variants import encoders, mixture, parity, superwords, unigram, wordpiece

__all__ = ["encoders", "mixture", "parity", "superwords", "unigram", "wordpiece"]
