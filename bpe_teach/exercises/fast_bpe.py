"""Exercises of notebook 07: update counts, keep an index, draw from a queue, settle ties."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
