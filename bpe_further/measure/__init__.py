"""Measure: other ways to compare tokenizers."""
