"""Variants: different ways to choose tokens and to cut words, and ways to change tokenizers."""
