"""Exercises of notebook 07b: counts that are added in order, places where no word crosses."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
