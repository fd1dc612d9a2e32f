"""Samples: letters and texts as real ones are, and habits that go wrong on them."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
