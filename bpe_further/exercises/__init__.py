"""Exercises of the further notebooks, and votes: pages, as in bpe_teach.exercises."""

from pathlib import Path

from bpe_teach.exercises import serve

serve(__name__, Path(__file__).parent)
