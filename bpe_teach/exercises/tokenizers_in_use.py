"""Exercises of notebook 08b: sizes, chats, streams, tokens that nobody met."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
