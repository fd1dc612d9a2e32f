"""Exercises of the further notebooks, and votes, on pages like those of bpe_teach.exercises."""

from pathlib import Path

from bpe_teach.exercises import FULL_NAMES, serve
from bpe_teach.names import say_where

IN_08D = ("encode_by_token", "merges_from_ranks", "odd_merges", "whole_words_first")
moved = {f"real_tokenizers.{name}": f"ranks_without_merges.{name}" for name in IN_08D}
moved |= {f"votes.v05_{name}": f"votes.v05c_{name}" for name in ("premium", "enough")}
serve(__name__, Path(__file__).parent, moved)


def __getattr__(name: str):
    if FULL_NAMES.get(name) != f"{__name__}.{name}":  # else it is just being imported
        say_where(__name__, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
