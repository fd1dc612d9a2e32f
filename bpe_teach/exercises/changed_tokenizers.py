"""Exercises of notebook 08c: token in, token out; trimmed, extended and joined vocabularies."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
