"""Exercises of notebook 05: a curve from one pass, new texts, what merges cost, languages."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
