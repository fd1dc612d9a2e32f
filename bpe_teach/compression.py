"""Compression: what merges buy and what they cost, in tables.

Encoding by rank takes the pair of lowest rank, then the next. So it is enough to encode once with
all merges and to note the rank of every join: with only the first n merges, encoding would have
stopped before the first join of rank n or higher.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate, product
from numbers import Integral
from typing import TYPE_CHECKING

from bpe_teach.encode import join_by_rank
from bpe_teach.symbols import label
from bpe_teach.tokenizer import Tokenizer

if TYPE_CHECKING:
    from pandas import DataFrame

Text = str | Iterable[str]  # one text, or several (lines, documents) read one at a time


def token_counts(tok: Tokenizer, text: Text) -> list[int]:
    """Count the tokens of a text for every number of merges: 0, 1, … all.

    Several texts (lines, documents) are read one at a time, and no token crosses from one to the
    next. Special tokens are ordinary text here.

    >>> token_counts(Tokenizer.train("low lower", scheme="chars", num_merges=2), "low low")
    [7, 5, 3]

    Raises ValueError for a character that was not in the training text (see `Tokenizer.encode`).
    """
    return _token_counts(tok, _read(tok, text)[0])


def compression_curve(tok: Tokenizer, text: Text, merges: Iterable[int] | None = None) -> DataFrame:
    """Tabulate how a text shrinks as merges are added, one row per number of merges.

    ``merges`` chooses the numbers (default: all from 0). The column ``vocab_size`` is what they
    cost, the rows of a model's embedding table. What they buy: ``tokens``, ``chars_per_token``,
    ``bytes_per_token``, ``tokens_per_word`` (words between white space, so of no use for Thai or
    Chinese), ``saved_percent`` (of the characters). Several texts are read as in `token_counts`.

    >>> tok = Tokenizer.train("low lower", scheme="chars", num_merges=2)
    >>> compression_curve(tok, "low low", [0, 2]).tokens.tolist()
    [7, 3]

    Raises ValueError for an empty text or a number of merges that the tokenizer does not have.
    """
    import pandas as pd

    last = len(tok.merges)
    chosen = list(range(last + 1) if merges is None else merges)
    if wrong := [n for n in chosen if not isinstance(n, Integral) or not 0 <= n <= last]:
        raise ValueError(f"the tokenizer has 0 to {last} merges, not {wrong[0]}")
    words, sizes = _read(tok, text)
    counts = _token_counts(tok, words)
    frame = pd.DataFrame({"merges": chosen, "tokens": [counts[n] for n in chosen]})
    frame.insert(1, "vocab_size", len(tok) - last + frame.merges)
    return frame.assign(**_ratios(sizes, frame.tokens))


def compare(tokenizers: dict[str, Tokenizer], texts: dict[str, Text]) -> DataFrame:
    """Measure every tokenizer on every text, one row for each two.

    Columns: those of `compression_curve`, ``characters`` and ``bytes`` of the text, ``used`` (how
    many entries of the vocabulary the text uses) and ``once`` (how many of those only once).

    >>> tok = Tokenizer.train("low lower", scheme="chars", num_merges=2)
    >>> compare({"two merges": tok}, {"short": "low low"})[["tokens", "used", "once"]]
       tokens  used  once
    0       3     2     1
    """
    import pandas as pd

    for what, named in ("tokenizers", tokenizers), ("texts", texts):
        if not isinstance(named, Mapping) or not named:
            raise ValueError(f"{what} must be a dict from names to {what}, not {named!r:.60}")
    rows = []
    for (tokenizer, tok), (name, text) in product(tokenizers.items(), texts.items()):
        try:
            words, sizes = _read(tok, text)
            ids = _id_counts(tok, words)
            ratios = _ratios(sizes, ids.total())
        except ValueError as error:
            raise ValueError(f"text {name!r}, scheme {tok.scheme.name!r}: {error}") from None
        row = {"tokenizer": tokenizer, "text": name, "vocab_size": len(tok)}
        row |= {"characters": sizes["characters"], "bytes": sizes["bytes"], "tokens": ids.total()}
        rows.append(row | ratios | {"used": len(ids), "once": [*ids.values()].count(1)})
    return pd.DataFrame(rows)


def fertility(tok: Tokenizer, texts: dict[str, Text], relative_to: str | None = None) -> DataFrame:
    """Measure what texts of different languages cost, one row per text.

    Fertility usually means tokens per word (Rust et al. 2021). Where no spaces set words apart
    only ``tokens_per_char``, ``bytes_per_token`` and ``bytes_per_char`` can be compared, and fairly
    only ``relative``: for translations of one text, the tokens divided by those of the text
    ``relative_to`` (default: the first), called premium by Petrov et al. 2023.

    >>> tok = Tokenizer.train("low low", scheme="gpt2", num_merges=2)
    >>> fertility(tok, {"English": "low", "Greek": "χαμηλά"}).relative.tolist()
    [1.0, 12.0]

    Raises ValueError if ``relative_to`` names no text.
    """
    frame = compare({"": tok}, texts).set_index("text")[["characters", "bytes", "tokens"]]
    base = frame.index[0] if relative_to is None else relative_to
    if base not in frame.index:
        raise ValueError(f"relative_to must be one of {', '.join(map(str, texts))}, not {base!r}")
    return frame.assign(
        tokens_per_char=frame.tokens / frame.characters,
        bytes_per_token=frame.bytes / frame.tokens,
        bytes_per_char=frame.bytes / frame.characters,
        relative=frame.tokens / frame.tokens[base],
    )


def token_lengths(tok: Tokenizer, text: Text | None = None) -> DataFrame:
    """Count the entries of the vocabulary, and the tokens of a text, by their length.

    The length is the number of first symbols: characters (an end mark is one of them) or bytes.
    Special tokens are left out, but for ``unk_token``, which stands for one character.

    >>> tok = Tokenizer.train("low lower", scheme="chars", num_merges=2)
    >>> token_lengths(tok, "low low").to_dict("list")
    {'length': [1, 2, 3], 'vocabulary': [6, 1, 1], 'text': [1, 0, 2]}
    """
    import pandas as pd

    lengths = dict.fromkeys(tok.alphabet, 1)  # symbol -> length
    for merge in tok.merges:
        lengths[merge.token] = lengths[merge.left] + lengths[merge.right]
    length_of = {i: lengths[tok.vocab[i]] for i in range(len(tok.alphabet) + len(tok.merges))}
    if tok.unk_token is not None:
        length_of[tok.special_tokens[tok.unk_token]] = 1
    columns = {"length": length_of.values(), "vocabulary": 1}
    if text is not None:
        counts = _id_counts(tok, _read(tok, text)[0])
        columns["text"] = [counts[i] for i in length_of]
    return pd.DataFrame(columns).groupby("length", as_index=False).sum()


def rank_frequency(tok: Tokenizer, text: Text) -> DataFrame:
    """List the tokens of a text, the most frequent first; of equals, the lowest id first.

    Columns: ``rank`` (from 1), ``id``, ``token`` (spelled so that all of it can be seen),
    ``count``. In words, the count falls roughly as one divided by the rank (Zipf 1949).

    >>> tok = Tokenizer.train("low lower", scheme="chars", num_merges=2)
    >>> rank_frequency(tok, "low low").values.tolist()
    [[1, 7, 'low', 2], [2, 0, '·', 1]]
    """
    import pandas as pd

    counts = _id_counts(tok, _read(tok, text)[0])
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rows = [(rank, i, label(tok.vocab[i]), n) for rank, (i, n) in enumerate(ranked, 1)]
    return pd.DataFrame(rows, columns=["rank", "id", "token", "count"])


def _read(tok: Tokenizer, text: Text) -> tuple[Counter[str], Counter[str]]:
    """Count the words of a text as the scheme cuts them; and characters, bytes, spaced words."""
    counts, sizes = Counter(), Counter(characters=0, bytes=0, words=0)
    for part in [text] if isinstance(text, str) else text:
        found = Counter(tok.scheme.split(part))
        try:
            for word in found:
                if word not in counts:
                    tok.words.first_ids(word)
        except KeyError as error:
            raise tok.scheme.unseen(error.args[0], part, sizes["characters"]) from None
        counts.update(found)
        sizes.update(characters=len(part), bytes=len(part.encode()), words=len(part.split()))
    return counts, sizes


def _ratios(sizes: Mapping[str, int], tokens) -> dict:
    """Relate a number of tokens, or a column of numbers, to the sizes of a text."""
    if not sizes["words"]:
        raise ValueError("this needs a text with words in it, not an empty one")
    return {
        "chars_per_token": sizes["characters"] / tokens,
        "bytes_per_token": sizes["bytes"] / tokens,
        "tokens_per_word": tokens / sizes["words"],
        "saved_percent": 100 * (1 - tokens / sizes["characters"]),
    }


def _token_counts(tok: Tokenizer, words: Mapping[str, int]) -> list[int]:
    """Do the work of `token_counts` on the words of a text."""
    joins, symbols, ranks = Counter(), 0, []  # joins: rank -> how many that merge allows

    def join(rank: int, left: int, right: int) -> int:
        ranks.append(rank)
        return tok.words.made[rank]

    for word, count in words.items():
        ids = tok.words.first_ids(word)
        symbols += len(ids) * count
        ranks.clear()
        join_by_rank(ids, tok.words.ranks, join)
        # subtle: where two merges spell one token, a join can make way for one of lower rank
        for rank in accumulate(ranks, max):
            joins[rank] += count
    saved = accumulate((joins[rank] for rank in range(len(tok.merges))), initial=0)
    return [symbols - n for n in saved]


def _id_counts(tok: Tokenizer, words: Mapping[str, int]) -> Counter[int]:
    """Count the tokens of words: id -> number of occurrences."""
    counts = Counter()
    for word, count in words.items():
        for i in tok.words[word]:
            counts[i] += count
    return counts
