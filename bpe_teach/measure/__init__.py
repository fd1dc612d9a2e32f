"""Measure: what merges buy, counters, a small network, the report card."""
