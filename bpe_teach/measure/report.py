"""Report: a card for a tokenizer, or for several side by side, on the same texts.

The texts are bundled and short: six kinds of text and a page in sixteen languages. A tokenizer
looks better on what it was trained on, so the prose is the story that is held out.

A card shows how short tokens make texts, not how well a model learns from them. And a larger
vocabulary, for which a model pays with the rows of its embedding table, nearly always makes them
shorter: look at the number of entries first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan, nan
from typing import TYPE_CHECKING

from bpe_teach.corpora import load_corpus
from bpe_teach.measure.compression import compare
from bpe_teach.pictures.boxes import caption_html
from bpe_teach.pictures.plots import plot_dots
from bpe_teach.schemes import check_text
from bpe_teach.symbols import is_fragment, spell
from bpe_teach.tokenizer import Tokenizer
from bpe_teach.variants.digits import is_aligned, random_sums

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from pandas import DataFrame, Series

KINDS = {  # kind of text -> the corpus that stands for it
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
SUMS = 1000  # for each number of digits
SEED = 1

MISSING = "–"  # signs in a summary: what cannot be encoded, what is not given back
CHANGED = "*"


@dataclass(frozen=True, repr=False, eq=False)
class ReportCard:
    """What `report_card` found, in tables; a notebook or a shell shows its `summary`."""

    table: DataFrame
    languages: DataFrame
    digits: DataFrame
    vocabulary: DataFrame
    against: str | None = None

    @property
    def summary(self) -> DataFrame:
        """The card on one page: a row for each measure, a column for each tokenizer, as text.

        >>> card = report_card(Tokenizer.train("low lower", num_merges=2))
        >>> card.summary.loc[("bytes per token", "prose")].tolist()
        ['1.01']
        """
        import pandas as pd

        columns = {}
        for name in self.vocabulary.tokenizer:
            columns[name] = dict(self._cells(name))
        return pd.DataFrame(columns)

    @property
    def tables(self) -> DataFrame:
        """All that was measured in one long table, for a file: texts, languages, then sums.

        The column ``text`` names the text, the language or the sums of a row.

        >>> card = report_card(Tokenizer.train("low lower", num_merges=2))
        >>> card.tables.text.tolist()[5:8]
        ['numbers', 'sixteen languages', 'English']
        """
        import pandas as pd

        languages = self.languages.rename(columns={"language": "text"})
        sums = self.digits.assign(text=[f"sums of {n} digits" for n in self.digits.digits])
        tables = [self.table, languages, sums.drop(columns="digits")]
        whole = {"characters": "Int64", "bytes": "Int64"}
        return pd.concat(tables, ignore_index=True).astype(whole)

    def plot(self, part: str = "texts", ax: Axes | None = None) -> Axes:
        """Draw a row for each of the "texts", or "languages", with a dot for each tokenizer.

        Texts show ``bytes_per_token``, or ``relative`` if the card was made ``against`` one of
        the tokenizers. Languages show the ``premium``, the lowest of the first tokenizer on top.

        >>> card = report_card(Tokenizer.train("low lower", num_merges=2))
        >>> card.plot("languages").get_xlabel()
        'premium (tokens, English = 1)'

        Raises ValueError for another ``part``.
        """
        if part == "texts":
            column, across = self._measure_of_texts()
            return plot_dots(_side_by_side(self.table, "text", column), across, line=1, ax=ax)
        if part == "languages":
            frame = _side_by_side(self.languages, "language", "premium")
            frame = frame.sort_values(frame.columns[0], kind="stable")
            return plot_dots(frame, f"premium (tokens, {ENGLISH} = 1)", line=1, ax=ax)
        raise ValueError(f"part must be 'texts' or 'languages', not {part!r:.80}")

    def __repr__(self) -> str:
        return "\n".join([self.summary.to_string(), *self._notes()])

    def _repr_html_(self) -> str:
        return self.summary.to_html() + "".join(map(caption_html, self._notes()))

    def _measure_of_texts(self) -> tuple[str, str]:
        """Return the column that tells most about texts, and its name for people."""
        if self.against is None:
            return "bytes_per_token", "bytes per token"
        return "relative", f"tokens, {self.against} = 1"

    def _cells(self, name: str) -> Iterator[tuple[tuple[str, str], str]]:
        """Yield what the summary says of a tokenizer, each cell with the two names of its row."""
        (entries,) = _rows_of(self.vocabulary, name).itertuples()
        yield ("vocabulary", "entries"), f"{entries.entries:,}"
        yield ("vocabulary", "used here (%)"), f"{entries.used_percent:.0f}"

        texts = _rows_of(self.table, name)
        column, measure = self._measure_of_texts()
        for _, row in texts.iterrows():
            yield (measure, row.text), _number(row[column], 2) + _mark(row)

        languages = _rows_of(self.languages, name)
        premiums = languages[languages.language != ENGLISH].set_index("language").premium
        mark = "" if languages.exact.all() or premiums.isna().any() else CHANGED
        yield ("premium", "median"), _number(premiums.median(skipna=False), 2) + mark
        yield ("premium", "highest"), _highest(premiums) + mark

        share = 100 * texts.fragments.sum() / max(texts.tokens.sum(), 1)
        yield ("all texts", "fragments (%)"), _number(share, 1)
        yield ("all texts", "given back exactly"), f"{texts.exact.sum()} of {len(texts)}"

        for row in _rows_of(self.digits, name).itertuples():
            yield ("sums aligned (%)", f"{row.digits} digits"), _number(row.aligned_percent, 0)

    def _notes(self) -> list[str]:
        """Explain the signs in the summary, if there are any."""
        notes = []
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
    """Measure one tokenizer, or several by name, and show it on one page.

    ``texts`` are those of `report_texts` or your own, by name. ``against`` names the tokenizer
    that the others are to be compared with. The tables of the card have a row for each tokenizer
    and, in this order, for each

    - text, in ``table``: ``characters``, ``bytes``, ``tokens``, ``chars_per_token``,
      ``bytes_per_token``, ``relative`` (the tokens divided by those of ``against``, or of the first
      tokenizer), ``used`` (entries of the vocabulary), ``fragments`` (tokens whose bytes are not
      whole characters), ``exact`` (decoding gives the text back), ``problem`` (why not).
    - language, in ``languages``: ``premium``, the tokens of a page divided by those of the English
      page (Petrov et al. 2023, https://arxiv.org/abs/2305.15425). It is the product of
      ``more_bytes``, which no tokenizer can change, and ``shorter_tokens``.
    - number of digits, 4 and 5, in ``digits``: ``aligned_percent``, of 1,000 random sums. In a sum
      that is aligned, such as 12|34 + 56|78 = 69|12, all numbers are cut into tokens after the
      same digits, counted from the right (see Singh and Strouse 2024,
      https://arxiv.org/abs/2402.14903). ``tokens_per_number`` tells how many tokens a number has.
    - tokenizer, in ``vocabulary``: ``entries``, how many of them the texts ``used``, and
      ``used_percent``. Longer texts would use more.

    What a tokenizer cannot encode is missing in its rows, and the others are measured.

    >>> merges = Tokenizer.train(load_corpus("parallel"), num_merges=500)
    >>> report_card({"500 merges": merges, "bytes": Tokenizer.train("", num_merges=0)})
                                         500 merges       bytes
    vocabulary       entries                    756         256
                     used here (%)               90          74
    bytes per token  prose                     1.63        1.00
                     code                      1.30        1.00
                     mathematics               1.23        1.00
                     chat                      1.34        1.00
                     names                     1.24        1.00
                     numbers                   1.20        1.00
                     sixteen languages         2.01        1.00
    premium          median                    1.30        1.23
                     highest             1.72 Hindi  2.57 Hindi
    all texts        fragments (%)             11.3        25.3
                     given back exactly      7 of 7      7 of 7
    sums aligned (%) 4 digits                    93         100
                     5 digits                    88         100

    Raises ValueError for tokenizers or texts of another kind, for a text without words, and if
    ``against`` is not one of the tokenizers.
    """
    named = _by_name(tokenizers, against)
    if texts is None:
        texts = report_texts()
    _check_texts(texts)
    pages = _pages()
    table, languages, digits, vocabulary = [], [], [], []
    for tok in named.values():
        measured = _measure_all(tok, texts)
        table.append(measured.rename_axis("text").reset_index())
        languages.append(_premiums(_measure_all(tok, pages)))
        digits.append(_measure_sums(tok))
        vocabulary.append(_measure_vocabulary(tok, texts, measured))
    base = next(iter(named)) if against is None else against
    return ReportCard(
        _with_relative(_under(named, table), base),
        _under(named, languages),
        _under(named, digits),
        _under(named, vocabulary),
        against,
    )


def report_texts() -> dict[str, str]:
    """Return the texts of a report card by kind, to add your own or to leave some out.

    >>> list(report_texts())
    ['prose', 'code', 'mathematics', 'chat', 'names', 'numbers', 'sixteen languages']
    """
    texts = {}
    for kind, corpus in KINDS.items():
        texts[kind] = load_corpus(corpus)
    texts[LANGUAGES] = "\n\n".join(_pages().values())
    return texts


# What is measured.


def _measure_all(tok: Tokenizer, texts: Mapping[str, str]) -> DataFrame:
    """Measure a tokenizer on every text: a row for each, with gaps for what it cannot encode."""
    import pandas as pd

    columns = ["characters", "bytes", "tokens", "chars_per_token", "bytes_per_token"]
    columns += ["used", "fragments", "exact", "problem"]
    rows = {}
    for name, text in texts.items():
        rows[name] = _measure(tok, text)
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
    kinds = {"chars_per_token": float, "bytes_per_token": float}
    for column in ("tokens", "used", "fragments"):
        kinds[column] = "Int64"  # whole numbers, though there may be gaps between them
    return frame.astype(kinds)


def _measure(tok: Tokenizer, text: str) -> dict:
    """Make the row of one text."""
    row = {"characters": len(text), "bytes": len(text.encode("utf-8"))}
    try:
        ids = tok.encode(text)
    except ValueError as error:
        return row | {"exact": False, "problem": str(error)}
    measured = compare({"": tok}, {"": text}).to_dict("records")[0]
    for column in ("tokens", "chars_per_token", "bytes_per_token", "used"):
        row[column] = measured[column]
    row["fragments"] = sum(is_fragment(tok.vocab[i]) for i in ids)
    row["exact"] = tok.decode(ids) == text
    row["problem"] = "" if row["exact"] else "decoding gives another text"
    return row


def _premiums(pages: DataFrame) -> DataFrame:
    """Compare the pages, which say the same in many languages, with the English one."""
    english = pages.loc[ENGLISH]
    frame = pages[["bytes", "tokens"]].assign(
        more_bytes=pages.bytes / english.bytes,
        shorter_tokens=english.bytes_per_token / pages.bytes_per_token,
        premium=(pages.tokens / english.tokens).astype(float),
        exact=pages.exact,
        problem=pages.problem,
    )
    return frame.rename_axis("language").reset_index()


def _measure_sums(tok: Tokenizer) -> DataFrame:
    """Count the sums in which all numbers are cut at the same places."""
    import pandas as pd

    rows = []
    for digits in DIGITS:
        aligned = tokens = 0
        problem = ""
        try:
            for numbers in random_sums(digits, SUMS, SEED):
                cuts = {str(number): _cut_number(tok, number) for number in numbers}
                tokens += sum(len(cuts[str(number)]) for number in numbers)
                aligned += is_aligned(numbers, cuts.__getitem__)
        except ValueError as error:
            aligned = tokens = nan
            problem = str(error)
        rows.append((digits, 100 * aligned / SUMS, tokens / (3 * SUMS), problem))
    return pd.DataFrame(rows, columns=["digits", "aligned_percent", "tokens_per_number", "problem"])


def _cut_number(tok: Tokenizer, number: int) -> list[str]:
    """Return the digits of a number as its tokens hold them.

    The number stands after a space, as in the middle of a text.

    >>> _cut_number(Tokenizer.train("12 12", num_merges=1), 1234)
    ['12', '3', '4']
    """
    groups = []
    for token in tok.tokens(f" {number}"):
        digits = "".join(filter(str.isdigit, spell(token)))
        if digits:
            groups.append(digits)
    if "".join(groups) != str(number):
        raise ValueError(f"the tokens of {number} do not hold all its digits")
    return groups


def _measure_vocabulary(tok: Tokenizer, texts: Mapping[str, str], measured: DataFrame) -> DataFrame:
    """Count how many entries of the vocabulary all texts together use."""
    import pandas as pd

    readable = [text for name, text in texts.items() if pd.notna(measured.tokens[name])]
    used = 0
    if readable:
        used = compare({"": tok}, {"": readable}).used[0]
    row = {"entries": len(tok), "used": used, "used_percent": 100 * used / len(tok)}
    return pd.DataFrame([row])


def _pages() -> dict[str, str]:
    """Return the page in sixteen languages: language -> its page."""
    _, *sections = load_corpus("parallel").split("\n\n## ")
    pages = {}
    for section in sections:
        language, page = section.split("\n", 1)
        pages[language] = page
    return pages


# What is given.


def _by_name(
    tokenizers: Tokenizer | Mapping[str, Tokenizer], against: str | None
) -> dict[str, Tokenizer]:
    """Return tokenizers by name, checked; a single one is named "tokenizer"."""
    if isinstance(tokenizers, Tokenizer):
        tokenizers = {"tokenizer": tokenizers}
    if not isinstance(tokenizers, Mapping) or not tokenizers:
        raise ValueError(f"give a Tokenizer, or a dict of them by name, not {tokenizers!r:.60}")
    named = {}
    for name, tok in tokenizers.items():
        if not isinstance(tok, Tokenizer):
            raise ValueError(f"{name!r:.60} must be a Tokenizer, not {type(tok).__name__}")
        named[str(name)] = tok
    if against is not None and against not in named:
        raise ValueError(f"against must be one of {', '.join(named)}, not {against!r:.60}")
    return named


def _check_texts(texts: Mapping[str, str]) -> None:
    """Raise ValueError unless these are texts by name, with words in them."""
    if not isinstance(texts, Mapping) or not texts:
        raise ValueError(f"texts must be a dict from names to texts, not {texts!r:.60}")
    for name, text in texts.items():
        check_text(text)
        if not text.strip():
            raise ValueError(f"text {name!r:.60} has no words in it")


# Tables into one, and into the summary.


def _under(names: Mapping[str, Tokenizer], frames: list[DataFrame]) -> DataFrame:
    """Put the tables of several tokenizers under each other, with a first column of names."""
    import pandas as pd

    for name, frame in zip(names, frames, strict=True):
        frame.insert(0, "tokenizer", name)
    return pd.concat(frames, ignore_index=True)


def _with_relative(table: DataFrame, base: str) -> DataFrame:
    """Add the tokens divided by those of one of the tokenizers, after the other ratios."""
    tokens_of_base = _rows_of(table, base).set_index("text").tokens
    relative = table.tokens / table.text.map(tokens_of_base)
    table.insert(table.columns.get_loc("used"), "relative", relative.astype(float))
    return table


def _rows_of(frame: DataFrame, name: str) -> DataFrame:
    """Return the rows of one tokenizer."""
    return frame[frame.tokenizer == name]


def _side_by_side(frame: DataFrame, rows: str, column: str) -> DataFrame:
    """Turn one column of a table into a column for each tokenizer; the order stays."""
    wide = frame.pivot(index=rows, columns="tokenizer", values=column)
    return wide.loc[frame[rows].unique(), frame.tokenizer.unique()]


def _number(value: float, decimals: int) -> str:
    """Write a number for the summary.

    >>> _number(2.345, 1), _number(nan, 1)
    ('2.3', '–')
    """
    if isnan(value):
        return MISSING
    return f"{value:.{decimals}f}"


def _mark(row: Series) -> str:
    """Return the sign of a text that is encoded but not given back."""
    is_changed = not row.exact and not isnan(row.bytes_per_token)
    return CHANGED if is_changed else ""


def _highest(premiums: Series) -> str:
    """Write the highest premium, and of which language it is."""
    if premiums.isna().any():
        return MISSING
    return f"{premiums.max():.2f} {premiums.idxmax()}"
