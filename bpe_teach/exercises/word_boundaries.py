"""Exercises of notebook 02: a splitter, a bag of words, twins, a bug to find and to mend."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
