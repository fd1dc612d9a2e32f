"""Exercises of notebook 05b: where a published number belongs, and losses that can be compared."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
