"""Measure: what merges buy, counters, a small network, the report card."""

from bpe_teach.measure import digits, quality

__all__ = ["digits", "quality"]
