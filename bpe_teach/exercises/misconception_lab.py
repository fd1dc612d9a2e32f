"""Exercises of notebook 09b: twelve programs with a fault to find and to mend, and one more."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
