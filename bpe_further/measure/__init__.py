"""Measure: further ways to compare tokenizers, such as language models and report cards."""
