"""Exercises of notebook 10: claims put to the test, functions for the tests, a game."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
