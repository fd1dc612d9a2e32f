"""Exercises of notebook 02b, and what was published: five hundred merges and eight counts."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
