"""Measure: what merges buy, counters, a small network, the report card."""

from bpe_teach.measure import quality

__all__ = ["quality"]
