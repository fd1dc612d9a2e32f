"""Variants: other ways to choose tokens and to cut words into tokens, and to change tokenizers."""
