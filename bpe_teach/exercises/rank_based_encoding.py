"""Exercises of notebook 03: encode by rank, predict a split, cure a bad one, break a rule."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
