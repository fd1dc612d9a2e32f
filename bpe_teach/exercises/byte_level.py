"""Exercises of notebook 04: bytes, split patterns, decoding, special tokens."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
