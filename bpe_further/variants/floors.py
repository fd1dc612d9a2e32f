"""Floors: how much of the gain or cost of a method is decided by the split pattern.

No merge crosses the end of a word. So a text never takes fewer tokens than it has words: the number
of its words is its *floor* under a pattern. The premium of a language is the number of tokens that
it takes for each token of English. So the premium is a product: the ratio of the two floors times
the ratio of the two numbers of tokens per word. A method that keeps the pattern (parity, sampled
splits, WordPiece, Unigram) changes only the second factor. The first factor changes only with a
different pattern, or with tokens that cross words.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np

from bpe_further.measure.quality import gini
from bpe_further.variants.parity import learn_parity_merges
from bpe_further.variants.superwords import train_superwords
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.schemes import Scheme, check_text, find_scheme

if TYPE_CHECKING:  # loaded where they are needed, to keep the import of the package quick
    from pandas import DataFrame, Series

METHODS = ("plain", "parity", "superwords")
RESAMPLED = 200  # how often the new paragraphs of a sample are sampled again to find an interval


def split_premium(tok: Tokenizer, pages: Mapping[str, str]) -> "DataFrame":
    """Return each page's premium over the first page, as the product of its two factors.

    The factors are ``floors``, the ratio of the numbers of words under the tokenizer's pattern, and
    ``tokens_per_word``, the ratio of the numbers of tokens per word.

    >>> tok = Tokenizer.train("low", num_merges=0)
    >>> table = split_premium(tok, {"English": "low owl", "other": "lo wo wl"})
    >>> table.loc["other"].round(2).to_dict()
    {'words': 3.0, 'tokens': 8.0, 'floors': 1.5, 'tokens_per_word': 0.76, 'premium': 1.14}

    Raises ValueError for a page without a word, and whatever `Tokenizer.encode` raises.
    """
    import pandas as pd

    rows = {}
    for language, page in pages.items():
        words = len(tok.scheme.split(page))
        if not words:
            raise ValueError(f"the page {language!r} has no words under {tok.scheme.name!r}")
        rows[language] = (words, len(tok.encode(page)))
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["words", "tokens"])
    per_word = table["tokens"] / table["words"]
    table["floors"] = table["words"] / table["words"].iloc[0]
    table["tokens_per_word"] = per_word / per_word.iloc[0]
    table["premium"] = table["tokens"] / table["tokens"].iloc[0]
    return table


def cross_methods(
    paragraphs: Mapping[str, Sequence[str]],
    schemes: Iterable[str | Scheme] = ("gpt2", "o200k"),
    *,
    methods: Sequence[str] = METHODS,
    num_merges: int = 1000,
    samples: int = 3,
) -> "DataFrame":
    """Return the results of methods under several split patterns, on paragraphs they have not read.

    ``paragraphs`` holds the same paragraphs in each language; all languages are compared with the
    first language. For each sample, half of the paragraphs, chosen at random, are used for
    training, and the other half are encoded. ``methods`` may hold "plain" (pairs are counted over
    all languages), "parity" (see `learn_parity_merges`) and "superwords" (half of the merges are
    within words, half across words). All methods have ``num_merges`` merges, or fewer if fewer can
    be learned.

    The table has a row for each scheme and method, and these columns:

    - ``price``: how many per cent more tokens the method takes in all languages than "plain" under
      the same scheme.
    - ``price_with_pattern``: how many per cent more tokens the method takes than "plain" takes
      under the first scheme.
    - ``first_pays``: the price in the first language.
    - ``gini``: how unequal the languages' numbers of tokens are (see the function `gini`).
    - ``highest``: the highest premium; ``whose``: the language that pays it.
    - ``floor``: the highest ratio of words; ``floor_whose``: the language that has it.
    - ``merges``: the fewest merges that a sample had.
    - ``served``: the languages that most merges of the first sample served (parity only).

    All other numbers are means over the samples. The columns that end in ``_low`` and ``_high``
    hold the ends of a 95 % interval; to find it, the new paragraphs are sampled again with
    replacement.

    >>> pages = {"one": ["low lower", "slow", "owl low", "low"], "other": ["ab", "ba", "a", "b"]}
    >>> table = cross_methods(pages, ["gpt2"], num_merges=4, samples=1)
    >>> table.index.tolist()
    [('gpt2', 'plain'), ('gpt2', 'parity'), ('gpt2', 'superwords')]
    >>> float(table.loc[("gpt2", "plain"), "price"]), table.loc[("gpt2", "plain"), "whose"]
    (0.0, 'one')
    >>> bool((table["price"] == table["price_with_pattern"]).all())  # there is one scheme only
    True

    Raises ValueError if there are fewer than two languages, if a language has fewer than 4
    paragraphs, or if the languages don't all have the same number of paragraphs. Also raises
    ValueError for an unknown method, and for a scheme that loses a part of a text or doesn't work
    on bytes.
    """
    import pandas as pd

    _check(paragraphs, methods)
    schemes = [find_scheme(scheme) for scheme in schemes]
    for scheme in schemes:
        if scheme.units is not bytes or not scheme.lossless:
            raise ValueError(f"a scheme must keep all bytes of a text, not {scheme.name!r}")
    counted = {}  # (scheme, method) -> for each sample, the tokens of each new paragraph
    words = {}  # scheme -> for each sample, the words of each new paragraph
    served = {}  # (scheme, method) -> for each sample, the language of each merge
    learned = {}  # (scheme, method) -> for each sample, the number of merges
    for seed in range(samples):
        read, new = _halves(paragraphs, seed)
        for scheme in schemes:
            words.setdefault(scheme.name, []).append(_lengths(scheme.split, new).sum())
            for method in methods:
                tok, merges_of = _train(method, scheme, read, num_merges)
                key = (scheme.name, method)
                counted.setdefault(key, []).append(_lengths(tok.encode, new))
                served.setdefault(key, []).append(merges_of)
                learned.setdefault(key, []).append(len(tok.merges))
    first_plain = counted[schemes[0].name, "plain"]
    rows = {}
    for (scheme, method), found in counted.items():
        row = _summarize(found, counted[scheme, "plain"])
        row["price_with_pattern"] = fmean(map(_price, found, first_plain))
        floors = [sample / sample.iloc[0] for sample in words[scheme]]
        row["floor"] = fmean(sample.max() for sample in floors)
        row["floor_whose"] = _most_common(sample.idxmax() for sample in floors)
        row["merges"] = min(learned[scheme, method])
        row["served"] = _most_served(served[scheme, method])
        rows[scheme, method] = row
    return pd.DataFrame.from_dict(rows, orient="index")


def _check(paragraphs: Mapping[str, Sequence[str]], methods: Sequence[str]) -> None:
    lengths = {language: len(texts) for language, texts in paragraphs.items()}
    if len(lengths) < 2 or len(set(lengths.values())) != 1 or min(lengths.values()) < 4:
        raise ValueError(
            "give two languages or more, with the same number of paragraphs, at least 4, not "
            f"{', '.join(f'{language}: {n}' for language, n in lengths.items()):.200}"
        )
    for texts in paragraphs.values():
        for text in texts:
            check_text(text)
    unknown = [method for method in methods if method not in METHODS]
    if unknown or "plain" not in methods:
        raise ValueError(
            f"methods must be among {', '.join(METHODS)}, and include plain, "
            f"not {list(methods)!r:.80}"
        )


def _halves(
    paragraphs: Mapping[str, Sequence[str]], seed: int
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the paragraphs to train on and those to encode, the same in every language."""
    how_many = len(next(iter(paragraphs.values())))
    order = list(range(how_many))
    random.Random(seed).shuffle(order)
    half = how_many // 2
    read = {name: [texts[i] for i in order[:half]] for name, texts in paragraphs.items()}
    new = {name: [texts[i] for i in order[half:]] for name, texts in paragraphs.items()}
    return read, new


def _train(
    method: str, scheme: Scheme, read: Mapping[str, list[str]], num_merges: int
) -> tuple[Tokenizer, list[str]]:
    """Return a tokenizer and, for parity, the language that each merge serves."""
    texts = [text for page in read.values() for text in page]
    if method == "superwords":
        return train_superwords(texts, num_merges, num_merges // 2, scheme), []
    if method == "plain":
        return Tokenizer.train(texts, scheme=scheme, num_merges=num_merges), []
    counts = {language: scheme.word_counts(page) for language, page in read.items()}
    merges, served = learn_parity_merges(counts, num_merges)
    return Tokenizer(scheme, scheme.alphabet([]), merges), served


def _lengths(cut: Callable[[str], list], pages: Mapping[str, list[str]]) -> "DataFrame":
    """Return a table of how many parts ``cut`` makes of each paragraph: a column per language."""
    import pandas as pd

    parts = {name: [len(cut(text)) for text in page] for name, page in pages.items()}
    return pd.DataFrame(parts)


def _summarize(samples: "list[DataFrame]", plain: "list[DataFrame]") -> dict[str, object]:
    """Return a row of the table of `cross_methods`."""
    chance = np.random.default_rng(0)
    points = []
    resampled = []
    for sample, other in zip(samples, plain, strict=True):
        points.append(_measure(sample.sum(), other.sum()))
        for _ in range(RESAMPLED):
            chosen = chance.integers(0, len(sample), len(sample))
            resampled.append(_measure(sample.iloc[chosen].sum(), other.iloc[chosen].sum()))
    row = {}
    for name in ("price", "first_pays", "gini", "highest"):
        row[name] = fmean(point[name] for point in points)
        low, high = np.percentile([point[name] for point in resampled], [2.5, 97.5])
        row[f"{name}_low"] = float(low)
        row[f"{name}_high"] = float(high)
    row["whose"] = _most_common(point["whose"] for point in points)
    return row


def _most_common(names: Iterable[str]) -> str:
    return Counter(names).most_common(1)[0][0]


def _price(tokens, plain) -> float:
    """Return how many per cent more tokens there are in total in ``tokens`` than in ``plain``."""
    return 100 * (tokens.to_numpy().sum() / plain.to_numpy().sum() - 1)


def _measure(tokens: "Series", plain: "Series") -> dict[str, object]:
    """Return the measurements of one sample; languages are compared with the first language."""
    premiums = tokens / tokens.iloc[0]
    return {
        "price": _price(tokens, plain),
        "first_pays": 100 * (tokens.iloc[0] / plain.iloc[0] - 1),
        "gini": gini(tokens),
        "highest": premiums.max(),
        "whose": premiums.idxmax(),
    }


def _most_served(samples: list[list[str]]) -> str:
    """Return the languages that most merges served, with the numbers of the first sample."""
    counts = Counter(samples[0]).most_common(4)
    return ", ".join(f"{language} {count}" for language, count in counts)
