"""Exercises of notebook 00: unknown words, ids, one word cut in several ways."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
