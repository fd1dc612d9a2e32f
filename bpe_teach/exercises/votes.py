"""Questions to vote on, after each notebook of the spine."""

from bpe_teach.exercises.page import load

globals().update(load(__name__))
