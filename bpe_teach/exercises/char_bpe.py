"""Exercises of notebook 01: count pairs, merge from left to right, learn, encode."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
