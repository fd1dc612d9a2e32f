"""Variants: other ways to choose tokens and to cut words into them, each in about a page."""
