"""Report: a card for a tokenizer, or for several side by side, on the same texts.

The texts are bundled and short: six kinds of text, and a page in sixteen languages. A tokenizer
looks better on texts on which it was trained, so the prose is the story that the course keeps out
of training.

A card shows how few tokens the texts take, not how well a model learns from the tokens. A larger
vocabulary nearly always makes texts shorter, but a model pays for it with more rows in its
embedding table. So look at the number of entries first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan, prod
from random import Random
from typing import TYPE_CHECKING

import pandas as pd

from bpe_further.exchange.spelling import BYTE_TOKENS
from bpe_further.measure.quality import borders
from bpe_further.offsets import token_offsets
from bpe_teach.compression import check_names, check_tokenizers
from bpe_teach.corpora import load_corpus, load_languages
from bpe_teach.display import is_fragment
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.pictures.boxes import caption_html
from bpe_teach.pictures.plots import plot_dots
from bpe_teach.schemes import check_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NOTES = [  # lines below the summary
    "premium: the tokens of a page for each token of the same page in English",
    "bytes × pattern × text: more bytes × shorter words × more tokens a word make the highest",
    "used here: the part of the vocabulary that occurs in these texts",
    "fragments: tokens whose bytes are not whole characters",
    "sums aligned: all numbers of a random sum are cut at the same places from the right",
]
KINDS = {  # kind of text -> the corpus that represents it
    "prose": "second_story",
    "code": "program",
    "mathematics": "mathematics",
    "chat": "chat",
    "names": "names",
    "numbers": "numbers",
}
LANGUAGES = "sixteen languages"
ENGLISH = "English"  # premiums are measured against this page

DIGITS = (4, 5)  # of the numbers that are added
SUMS = 1000  # number of sums for each number of digits
SEED = 1

MISSING = "–"  # signs in a summary: a text can't be encoded, decoding doesn't give it back
CHANGED = "*"

COUNTS = dict.fromkeys(["tokens", "used", "fragments"], "Int64")  # whole numbers, with gaps


@dataclass(frozen=True, repr=False, eq=False)
class ReportCard:
    """The results of `report_card`, in tables; a notebook or a shell shows its `summary`."""

    table: pd.DataFrame
    languages: pd.DataFrame
    digits: pd.DataFrame
    vocabulary: pd.DataFrame
    against: str | None = None

    @property
    def summary(self) -> pd.DataFrame:
        """The card on one page: a row for each measure, a column for each tokenizer, as text."""
        return pd.DataFrame({name: self._column(name) for name in self.vocabulary.tokenizer})

    def plot(self) -> Axes:
        """Draw a row for each text, with a dot for each tokenizer.

        A dot is at ``bytes_per_token``, or at ``relative`` if the card was made ``against`` one of
        the tokenizers.
        """
        column, across = self._measure_of_texts()
        wide = self.table.pivot(index="text", columns="tokenizer", values=column)
        wide = wide.loc[self.table.text.unique(), self.table.tokenizer.unique()]  # as in the table
        title = "Farther right, a token holds more of a text"
        if self.against is not None:
            title = f"Left of 1, a text takes fewer tokens than with {self.against}"
        return plot_dots(wide, across, line=1, title=title)

    def __repr__(self) -> str:
        return "\n".join([self.summary.to_string(), *self._notes()])

    def _repr_html_(self) -> str:
        return self.summary.to_html() + "".join(map(caption_html, self._notes()))

    def _measure_of_texts(self) -> tuple[str, str]:
        """Return the column that is shown for texts, and its name for people."""
        if self.against is None:
            return "bytes_per_token", "bytes per token"
        return "relative", f"tokens, {self.against} = 1"

    def _column(self, name: str) -> dict[tuple[str, str], str]:
        """Return a tokenizer's column in the summary: the two names of a row -> the cell."""
        tables = (self.vocabulary, self.table, self.languages, self.digits)
        vocabulary, texts, pages, sums = (table[table.tokenizer == name] for table in tables)
        cells = {
            ("vocabulary", "entries"): f"{vocabulary.entries.item():,}",
            ("vocabulary", "used here (%)"): f"{vocabulary.used_percent.item():.0f}",
        }
        column, measure = self._measure_of_texts()
        for _, row in texts.iterrows():
            mark = "" if row.exact or isnan(row.bytes_per_token) else CHANGED
            cells[measure, row.text] = _number(row[column], 2) + mark

        languages = pages[pages.language != ENGLISH].set_index("language")
        premiums = languages.premium
        median = highest = factors = MISSING
        if premiums.notna().all():
            mark = "" if pages.exact.all() else CHANGED
            median = f"{premiums.median():.2f}{mark}"
            highest = f"{premiums.max():.2f} {premiums.idxmax()}{mark}"
            parts = languages.loc[premiums.idxmax(), ["more_bytes", "shorter_words"]].tolist()
            factors = " × ".join(f"{part:.2f}" for part in [*parts, premiums.max() / prod(parts)])
        cells["premium", "median"] = median
        cells["premium", "highest"] = highest
        cells["premium", "= bytes × pattern × text"] = factors

        share = 100 * texts.fragments.sum() / max(texts.tokens.sum(), 1)
        cells["all texts", "fragments (%)"] = _number(share, 1)
        cells["all texts", "given back exactly"] = f"{texts.exact.sum()} of {len(texts)}"
        for row in sums.itertuples():
            cells["sums aligned (%)", f"{row.digits} digits"] = _number(row.aligned_percent, 0)
        return cells

    def _notes(self) -> list[str]:
        """Return lines that explain the words of the summary, and any signs in it."""
        notes = list(NOTES)
        if self.table.tokens.isna().any():
            notes.append(f"{MISSING} has characters that the tokenizer cannot encode")
        if (self.table.tokens.notna() & ~self.table.exact).any():
            notes.append(f"{CHANGED} is not given back exactly, and what is lost costs no tokens")
        return notes


def report_card(
    tokenizers: Tokenizer | Mapping[str, Tokenizer],
    texts: Mapping[str, str] | None = None,
    *,
    against: str | None = None,
) -> ReportCard:
    """Measure one tokenizer, or several by name, and show the results on one page.

    ``texts`` are your own texts, by name; if you give none, the texts of the course are used.
    ``against`` names the tokenizer with which the others are to be compared. The card has four
    tables:

    - ``table`` has a row for each tokenizer and text: ``characters``, ``bytes``, ``tokens``,
      ``chars_per_token``, ``bytes_per_token``, ``relative`` (the number of tokens divided by the
      number for the tokenizer ``against``, or for the first tokenizer), ``used`` (how many entries
      of the vocabulary occur), ``fragments`` (how many tokens have bytes that don't form whole
      characters), ``words`` (merging inside words never leads to fewer tokens than this number),
      ``exact`` (whether decoding gives the text back), ``problem`` (the reason if it doesn't).
    - ``languages`` has a row for each tokenizer and language. ``premium`` is the number of tokens
      of a page divided by the number of tokens of the English page (Petrov et al. 2023,
      https://arxiv.org/abs/2305.15425). A premium is the product of ``more_bytes``, which no
      tokenizer can change, and ``shorter_tokens``. ``shorter_words`` is the factor of
      ``shorter_tokens`` that comes from the split pattern; no training text can change this factor.
    - ``digits`` has a row for each tokenizer and each number of digits (4 and 5).
      ``aligned_percent`` says how many of 1,000 random sums are aligned. In an aligned sum, such as
      12|34 + 56|78 = 69|12, all numbers are cut into tokens after the same digits, counted from the
      right (see Singh and Strouse 2024, https://arxiv.org/abs/2402.14903).
    - ``vocabulary`` has a row for each tokenizer: ``entries``, how many of these entries the texts
      ``used``, and ``used_percent``. Longer texts would use more entries.

    If a tokenizer cannot encode a text, the row of this tokenizer and text has no numbers, and the
    other texts are still measured.

    >>> merges = Tokenizer.train(load_corpus("parallel"), num_merges=500)
    >>> card = report_card({"500 merges": merges, "bytes": Tokenizer.train("", num_merges=0)})
    >>> card.summary.loc["premium"]
                                      500 merges               bytes
    median                                  1.30                1.23
    highest                           1.72 Hindi          2.57 Hindi
    = bytes × pattern × text  2.57 × 1.08 × 0.62  2.57 × 1.08 × 0.93

    Raises ValueError if the tokenizers or texts are of the wrong kind, if a text has no words, or
    if ``against`` is not the name of one of the tokenizers.
    """
    if isinstance(tokenizers, Tokenizer):
        tokenizers = {"tokenizer": tokenizers}
    check_tokenizers(tokenizers)
    named = {str(name): tok for name, tok in tokenizers.items()}
    if against is not None and against not in named:
        raise ValueError(f"against must be one of {', '.join(named)}, not {against!r:.60}")
    if texts is None:
        texts = {kind: load_corpus(corpus) for kind, corpus in KINDS.items()}
        texts[LANGUAGES] = "\n\n".join(_pages().values())
    check_names("texts", texts)
    for name, text in texts.items():
        check_text(text)
        if not text.strip():
            raise ValueError(f"text {name!r:.60} has no words in it")
    table, used = _measure_texts(named, texts, "text")
    base = next(iter(named)) if against is None else against
    tokens_of_base = table[table.tokenizer == base].set_index("text").tokens
    relative = (table.tokens / table.text.map(tokens_of_base)).astype(float)
    table.insert(table.columns.get_loc("used"), "relative", relative)
    pages, _ = _measure_texts(named, _pages(), "language")
    entries = [len(tok) for tok in named.values()]
    vocabulary = pd.DataFrame({"tokenizer": list(named), "entries": entries, "used": used})
    vocabulary["used_percent"] = 100 * vocabulary.used / vocabulary.entries
    return ReportCard(table, _premiums(pages), _measure_sums(named), vocabulary, against)


def _measure_texts(
    named: Mapping[str, Tokenizer], texts: Mapping[str, str], what: str
) -> tuple[pd.DataFrame, list[int]]:
    """Return the measures of tokenizers on texts, and how many entries of each the texts use."""
    rows = []  # one for each tokenizer and text
    used = []
    for name, tok in named.items():
        seen = set()  # ids in any of the texts
        for title, text in texts.items():
            row = {"tokenizer": name, what: title, "characters": len(text)}
            row |= {"bytes": len(text.encode("utf-8")), "words": len(tok.scheme.split(text))}
            try:
                ids = tok.encode(text)
                if not ids:
                    raise ValueError("no token is left of this text")
                row |= _measure_ids(tok, text, ids)
                seen.update(ids)
            except ValueError as error:
                row |= {"exact": False, "problem": str(error)}
            rows.append(row)
        used.append(len(seen))
    measures = ["tokens", "chars_per_token", "bytes_per_token", "used", "fragments"]
    columns = ["tokenizer", what, "characters", "bytes", *measures, "words", "exact", "problem"]
    return pd.DataFrame(rows, columns=columns).astype(COUNTS), used


def _measure_ids(tok: Tokenizer, text: str, ids: list[int]) -> dict:
    """Return the measures of a text that has been encoded: name -> number."""
    is_exact = tok.decode(ids) == text
    tokens = [tok.vocab[i] for i in ids]
    if getattr(tok, "byte_fallback", False):
        tokens = [BYTE_TOKENS.get(token, token) for token in tokens]  # <0xC3> is a byte
    return {
        "tokens": len(ids),
        "chars_per_token": len(text) / len(ids),
        "bytes_per_token": len(text.encode("utf-8")) / len(ids),
        "used": len(set(ids)),
        "fragments": sum(map(is_fragment, tokens)),
        "exact": is_exact,
        "problem": "" if is_exact else "decoding gives another text",
    }


def _premiums(pages: pd.DataFrame) -> pd.DataFrame:
    """Return a table that compares each page with the English page, which says the same."""
    english = pages[pages.language == ENGLISH].set_index("tokenizer")
    frame = pages[["tokenizer", "language", "bytes", "tokens"]].copy()
    frame["more_bytes"] = pages.bytes / pages.tokenizer.map(english.bytes)
    frame["shorter_tokens"] = pages.tokenizer.map(english.bytes_per_token) / pages.bytes_per_token
    frame["shorter_words"] = pages.words / pages.tokenizer.map(english.words) / frame.more_bytes
    frame["premium"] = (pages.tokens / pages.tokenizer.map(english.tokens)).astype(float)
    return frame.join(pages[["exact", "problem"]])


def _measure_sums(named: Mapping[str, Tokenizer]) -> pd.DataFrame:
    """Return a table of how many sums have all their numbers cut at the same places."""
    rows = []
    for name, tok in named.items():
        for digits in DIGITS:
            try:
                aligned = [_is_aligned(numbers, tok) for numbers in _random_sums(digits)]
            except ValueError as error:
                rows.append((name, digits, nan, str(error)))
            else:
                rows.append((name, digits, 100 * sum(aligned) / SUMS, ""))
    return pd.DataFrame(rows, columns=["tokenizer", "digits", "aligned_percent", "problem"])


def _random_sums(digits: int) -> list[tuple[int, int, int]]:
    """Return triples: two random numbers with the given number of digits, and their sum."""
    chance = Random(SEED)
    smallest, largest = 10 ** (digits - 1), 10**digits - 1
    sums = []
    for _ in range(SUMS):
        first = chance.randint(smallest, largest)
        second = chance.randint(smallest, largest)
        sums.append((first, second, first + second))
    return sums


def _is_aligned(numbers: Sequence[int], tok: Tokenizer) -> bool:
    """Return whether numbers, written one under the other, are cut at the same places.

    A cut counts only where all numbers have digits on both sides.
    """
    shortest = min(len(str(number)) for number in numbers)
    found = []
    for number in numbers:
        from_the_right = borders(reversed(_cut_number(tok, str(number))))
        found.append({place for place in from_the_right if place < shortest})
    return all(places == found[0] for places in found)


def _cut_number(tok: Tokenizer, number: str) -> list[str]:
    """Return the digits of a number, cut like the tokens of the number after a space."""
    text = f" {number}"
    if tok.decode(tok.encode(text)).strip() != number:
        raise ValueError(f"the tokens of {number} do not hold all its digits")
    pieces = [text[max(start, 1) : end] for start, end in token_offsets(tok, text)]
    return [piece for piece in pieces if piece]


def _pages() -> dict[str, str]:
    """Return the page in sixteen languages: language -> page."""
    return load_languages("parallel")


def _number(value: float, decimals: int) -> str:
    """Write a number for the summary."""
    return MISSING if isnan(value) else f"{value:.{decimals}f}"
