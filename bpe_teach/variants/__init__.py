"""Variants: other ways to choose tokens and to cut words into tokens, each in about a page."""
