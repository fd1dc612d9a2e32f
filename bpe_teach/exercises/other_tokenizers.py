"""Exercises of notebook 09: the longest match, a score, the best cut, expected counts."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
