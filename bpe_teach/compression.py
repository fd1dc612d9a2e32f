"""Compression: tables that show what merges buy and what they cost.

Encoding by rank always merges the pair of lowest rank. So it is enough to encode a text once, with
all merges, and to note the rank of each merge that is made: with only the first n merges, encoding
would have stopped before the first merge whose rank is n or more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from math import lgamma, log, log2
from numbers import Integral
from typing import TYPE_CHECKING, NamedTuple

from bpe_teach.display import label
from bpe_teach.fast.encode import UnseenSymbol
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.files import errors_name
from bpe_teach.schemes import as_texts

if TYPE_CHECKING:
    from pandas import DataFrame

Text = str | Iterable[str]  # one text, or several (lines, documents) read one at a time


class _Words(NamedTuple):
    """The words of a text, as the scheme splits them, and the sizes of the text."""

    counts: Counter[str]  # word -> number of occurrences
    added: Counter[int]  # id of an added token -> number of occurrences
    characters: int
    bytes: int
    spaced: int  # words between white space


def compression_curve(tok: Tokenizer, text: Text, merges: Iterable[int] | None = None) -> DataFrame:
    """Return a table of how a text shrinks as merges are added, one row per number of merges.

    ``merges`` says which numbers of merges to show (default: all numbers from 0 on). The column
    ``vocab_size`` shows what the merges cost: it is the number of rows of a model's embedding
    table. The other columns show what the merges buy: ``tokens``, ``chars_per_token``,
    ``bytes_per_token``, ``tokens_per_word`` (a word ends at white space, so this column is of no
    use for Thai or Chinese) and ``saved_percent`` (the share of the characters that is saved).
    Several texts (lines, documents) are read one at a time, and no token crosses from one text to
    the next. Special tokens are treated as ordinary text here; each added token counts as one
    token.

    >>> tok = Tokenizer.train("low lower", scheme="chars", num_merges=2)
    >>> compression_curve(tok, "low low", [0, 2]).tokens.tolist()
    [7, 3]

    Raises ValueError for an empty text, for a character that was not in the training text (see
    `Tokenizer.encode`) and for a number of merges that the tokenizer does not have.
    """
    import pandas as pd

    _check_tokenizer(tok)
    last = len(tok.merges)
    chosen = _check_merges(tok, range(last + 1) if merges is None else merges)
    words = _read(tok, text)
    counts = _token_counts(tok, words)
    frame = pd.DataFrame({"merges": chosen})
    frame["vocab_size"] = len(tok) - last + frame.merges
    frame["tokens"] = [counts[n] for n in chosen]
    return frame.assign(**_ratios(words, frame.tokens))


def description_length(tok: Tokenizer, text: Text, merges: Iterable[int]) -> DataFrame:
    """Return a table: for each number of merges, the bits needed to send the merges and the text.

    More merges make the text shorter, but the list of merges longer. So the sum of the two, the
    column ``total``, can have a minimum in between: the shortest description of the text (Rissanen
    1978). ``merges`` says which numbers of merges to try. The other columns count bits:

    - ``for_merges``: each merge names two of the V entries, and each name takes log2(V) bits.
    - ``for_text``: the tokens are sent one by one, in a code that adapts to them. If n tokens have
      been sent and k of them are the same as the next token, then the next token takes
      log2((n + V) / (k + 1)) bits (Laplace's rule).

    The bits for the alphabet and the scheme are not counted, because they are the same in every
    row. The bits that say how many merges and tokens there are aren't counted either.

    >>> tok = Tokenizer.train("low low low low", scheme="chars", num_merges=3)
    >>> description_length(tok, "low low low low", [0, 3]).round(1)
       merges  for_merges  for_text  total
    0       0         0.0      33.6   33.6
    1       3        16.8       9.7   26.6

    Raises ValueError for a character that was not in the training text.
    """
    import pandas as pd

    _check_tokenizer(tok)
    rows = []
    for n in _check_merges(tok, merges):
        # no special tokens: unk_token would lose a part of the text
        shorter = Tokenizer(tok.scheme, tok.alphabet, tok.merges[:n])
        counts = _id_counts(shorter, _read(shorter, text))
        entries = len(shorter)
        for_merges = n * 2 * log2(entries)
        # The product of all (n + V) / (k + 1), in any order, is (N + V - 1)! / (V - 1)!, divided by
        # the k! of each token.
        nats = lgamma(counts.total() + entries) - lgamma(entries)
        nats -= sum(lgamma(count + 1) for count in counts.values())
        for_text = nats / log(2)
        rows.append((n, for_merges, for_text, for_merges + for_text))
    return pd.DataFrame(rows, columns=["merges", "for_merges", "for_text", "total"])


def compare(tokenizers: dict[str, Tokenizer], texts: dict[str, Text]) -> DataFrame:
    """Return a table of every tokenizer on every text, one row for each combination.

    The table has the columns of `compression_curve`, the sizes of the text (``characters`` and
    ``bytes``), ``used`` (how many entries of the vocabulary occur in the text) and ``once`` (how
    many entries occur in it only once).

    >>> tok = Tokenizer.train("low lower", scheme="chars", num_merges=2)
    >>> compare({"two merges": tok}, {"short": "low low"})[["tokens", "used", "once"]]
       tokens  used  once
    0       3     2     1
    """
    import pandas as pd

    check_tokenizers(tokenizers)
    check_names("texts", texts)
    rows = []
    for tokenizer, tok in tokenizers.items():
        for name, text in texts.items():
            row = {"tokenizer": tokenizer, "text": name, "vocab_size": len(tok)}
            with errors_name(f"text {name!r}, scheme {tok.scheme.name!r}"):
                words = _read(tok, text)
                counts = _id_counts(tok, words)
                tokens = counts.total()
                row |= {"characters": words.characters, "bytes": words.bytes, "tokens": tokens}
                row |= _ratios(words, tokens)
            rows.append(row | {"used": len(counts), "once": list(counts.values()).count(1)})
    return pd.DataFrame(rows)


def check_tokenizers(named: dict) -> None:
    """Raise ValueError unless ``named`` is a dict of tokenizers by name."""
    check_names("tokenizers", named)
    for tok in named.values():
        _check_tokenizer(tok)


def check_names(what: str, named: dict) -> None:
    """Raise ValueError unless ``named`` is a dict of tokenizers, or of texts, by name."""
    if not isinstance(named, Mapping) or not named:
        raise ValueError(f"{what} must be a dict from names to {what}, not {named!r:.60}")


def _check_tokenizer(tok: Tokenizer) -> None:
    """Raise ValueError unless ``tok`` is a tokenizer, and not, say, a name or the text."""
    if not isinstance(tok, Tokenizer):
        raise ValueError(
            f"a Tokenizer is needed, not {tok!r:.60}; Tokenizer.train, Tokenizer.load or "
            "from_gpt2 returns one"
        )


def _check_merges(tok: Tokenizer, merges: Iterable[int]) -> list[int]:
    """Return numbers of merges as a list; raise ValueError if the tokenizer has fewer merges."""
    last = len(tok.merges)
    chosen = list(merges)
    for n in chosen:
        if not isinstance(n, Integral) or not 0 <= n <= last:
            raise ValueError(f"the tokenizer has 0 to {last} merges, not {n!r:.80}")
    return chosen


def fertility(tok: Tokenizer, texts: dict[str, Text]) -> DataFrame:
    """Return a table of what texts in different languages cost, one row per text.

    Fertility usually means the number of tokens per word (Rust et al. 2021). For languages that
    write no spaces between words, only ``tokens_per_char``, ``bytes_per_token`` and
    ``bytes_per_char`` can be compared. If the texts are translations of one text, the fair column
    is ``relative``: the number of tokens divided by the number of tokens of the first text (Petrov
    et al. 2023 call this the premium).

    >>> tok = Tokenizer.train("low low", scheme="gpt2", num_merges=2)
    >>> fertility(tok, {"English": "low", "Greek": "χαμηλά"}).relative.tolist()
    [1.0, 12.0]
    """
    frame = compare({"": tok}, texts).set_index("text")[["characters", "bytes", "tokens"]]
    return frame.assign(
        tokens_per_char=frame.tokens / frame.characters,
        bytes_per_token=frame.bytes / frame.tokens,
        bytes_per_char=frame.bytes / frame.characters,
        relative=frame.tokens / frame.tokens.iloc[0],
    )


def token_lengths(tok: Tokenizer, text: Text | None = None) -> DataFrame:
    """Return how many entries of the vocabulary and how many tokens of a text have each length.

    The length of a token is the number of its first symbols: its characters (an end marker counts
    as one character) or its bytes. Special tokens are left out, except for ``unk_token``, which
    replaces one character.

    >>> tok = Tokenizer.train("low lower", scheme="chars", num_merges=2)
    >>> token_lengths(tok, "low low").to_dict("list")
    {'length': [1, 2, 3], 'vocabulary': [6, 1, 1], 'text': [1, 0, 2]}
    """
    import pandas as pd

    _check_tokenizer(tok)
    length_of = dict.fromkeys(tok.alphabet, 1)  # symbol -> length
    for merge in tok.merges:
        length_of[merge.token] = length_of[merge.left] + length_of[merge.right]
    lengths = {}  # id -> length
    for i, token in tok.vocab.items():
        lengths[i] = length_of.get(token, len(token))  # some published tokens: no merge makes them
    for name, i in tok._id_of_name.items():  # special tokens, and published ones that were added
        if name == tok.unk_token:
            lengths[i] = 1
        else:
            del lengths[i]
    frame = pd.DataFrame({"length": lengths.values(), "vocabulary": 1})
    if text is not None:
        counts = _id_counts(tok, _read(tok, text))
        frame["text"] = [counts[i] for i in lengths]
    return frame.groupby("length", as_index=False).sum()


def rank_frequency(tok: Tokenizer, text: Text) -> DataFrame:
    """Return a table of the tokens of a text, from the most frequent to the least frequent.

    Equally frequent tokens are in the order of their ids. The columns are ``rank`` (from 1 on),
    ``id``, ``token`` (spelled by `label`) and ``count``. If the tokens are words, the count is
    roughly proportional to one divided by the rank (Zipf 1949).

    >>> tok = Tokenizer.train("low lower", scheme="chars", num_merges=2)
    >>> rank_frequency(tok, "low low").values.tolist()
    [[1, 7, 'low', 2], [2, 0, '·', 1]]
    """
    import pandas as pd

    counts = _id_counts(tok, _read(tok, text))
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    rows = [(rank, i, label(tok.vocab[i]), n) for rank, (i, n) in enumerate(ranked, 1)]
    return pd.DataFrame(rows, columns=["rank", "id", "token", "count"])


def _read(tok: Tokenizer, text: Text) -> _Words:
    """Return the word counts and the sizes of a text; raise ValueError for an unseen character."""
    _check_tokenizer(tok)
    counts = Counter()
    added = Counter()
    characters = size = spaced = 0
    for whole in as_texts(text):
        for part, special, _ in tok.parts(whole):
            if special is not None:
                added[special] += 1
                continue
            words = tok.scheme.split(part)
            try:
                for word in set(words):
                    tok.encoder.count_symbols(word)
            except UnseenSymbol:
                tok.encode(whole)  # raises, with the position of the character
            counts.update(words)
        characters += len(whole)
        size += len(whole.encode("utf-8"))
        spaced += len(whole.split())
    return _Words(counts, added, characters, size, spaced)


def _ratios(words: _Words, tokens) -> dict:
    """Return the ratios of numbers of tokens (one number or a column) to the sizes of a text."""
    if words.spaced == 0:
        raise ValueError("the text must have words; it is empty, or only white space")
    return {
        "chars_per_token": words.characters / tokens,
        "bytes_per_token": words.bytes / tokens,
        "tokens_per_word": tokens / words.spaced,
        "saved_percent": 100 * (1 - tokens / words.characters),
    }


def _token_counts(tok: Tokenizer, words: _Words) -> list[int]:
    """Return the number of tokens of a text for each number of merges, from 0 to all merges."""
    symbols = words.added.total()
    made = Counter()  # rank -> how many merges become possible with it
    for word, count in words.counts.items():
        symbols += count * tok.encoder.count_symbols(word)
        # subtle: if two merges spell the same token, a merge can enable a merge of lower rank
        for rank in accumulate(tok.encoder.merges_used(word), max):
            made[rank] += count
    counts = [symbols]
    for rank in range(len(tok.merges)):
        counts.append(counts[-1] - made[rank])
    return counts


def _id_counts(tok: Tokenizer, words: _Words) -> Counter[int]:
    """Return how often each token occurs in the words of a text: id -> number of occurrences."""
    counts = Counter(words.added)
    for word, count in words.counts.items():
        for i in tok.encoder.encode_word(word):
            counts[i] += count
    return counts
