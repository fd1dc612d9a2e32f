"""Compression: what merges buy, for any number of merges, from one pass over the text.

Encoding by rank takes the merges of a trained tokenizer in the order in which they were learned.
So it is enough to encode once with all of them and to note the rank of every join: with only the
first n merges, the joins of rank n and above would not have happened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING

from bpe_teach.encode import join_by_rank
from bpe_teach.tokenizer import Tokenizer

if TYPE_CHECKING:
    from pandas import DataFrame


def token_counts(tok: Tokenizer, text: str) -> list[int]:
    """Count the tokens of a text for every number of merges: 0, 1, … all.

    >>> token_counts(Tokenizer.train("low lower", scheme="chars", num_merges=2), "low low")
    [7, 5, 3]

    Raises ValueError for a character that was not in the training text.
    """
    tok.encode(text)  # raises the error for unseen characters
    joins = Counter()  # rank -> how often a merge of that rank happens in the text
    symbols = 0
    words = tok.words
    for word, count in Counter(tok.scheme.split(text)).items():
        ids = words.first_ids(word)
        symbols += len(ids) * count
        ranks = []
        join_by_rank(ids, words.ranks, lambda rank, *_: ranks.append(rank) or words.made[rank])  # noqa: B023
        for rank in ranks:
            joins[rank] += count
    saved = accumulate((joins[rank] for rank in range(len(tok.merges))), initial=0)
    return [symbols - n for n in saved]


def compression_curve(tok: Tokenizer, text: str, merges: Iterable[int] | None = None) -> DataFrame:
    """Tabulate how a text shrinks as merges are added, one row per number of merges.

    ``merges`` chooses the numbers (default: all from 0). Columns: ``merges``, ``vocab_size``,
    ``tokens``, ``chars_per_token``, ``bytes_per_token``, ``tokens_per_word`` (words between white
    space), ``saved_percent`` (of the characters).

    >>> tok = Tokenizer.train("low lower", scheme="chars", num_merges=2)
    >>> compression_curve(tok, "low low", [0, 2]).tokens.tolist()
    [7, 3]

    Raises ValueError for an empty text or a number of merges that the tokenizer does not have.
    """
    import pandas as pd

    chosen = list(range(len(tok.merges) + 1) if merges is None else merges)
    if not text or not text.strip():
        raise ValueError("a compression curve needs a text with words in it")
    if wrong := [n for n in chosen if n not in range(len(tok.merges) + 1)]:
        raise ValueError(f"the tokenizer has 0 to {len(tok.merges)} merges, not {wrong[0]}")
    counts = token_counts(tok, text)
    frame = pd.DataFrame({"merges": chosen, "tokens": [counts[n] for n in chosen]})
    frame.insert(1, "vocab_size", len(tok) - len(tok.merges) + frame.merges)
    frame["chars_per_token"] = len(text) / frame.tokens
    frame["bytes_per_token"] = len(text.encode("utf-8")) / frame.tokens
    frame["tokens_per_word"] = frame.tokens / len(text.split())
    frame["saved_percent"] = 100 * (1 - frame.tokens / len(text))
    return frame
