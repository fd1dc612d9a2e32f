"""Exercises of notebook 01b: how many merges, how many characters, how large a vocabulary."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
