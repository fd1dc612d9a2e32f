"""Measure: further ways to compare tokenizers."""
