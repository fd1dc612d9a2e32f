"""Exercises of notebook 08: GPT-2's files, prices, ranks without merges, code, digits."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
