"""Print how fast this package trains and encodes, beside compiled libraries and the bars to pass.

Run from the root of the repository, on a quiet machine: ``python -m tests.benchmarks``. The extra
``compare`` brings the libraries; a row whose library or text is missing is skipped by name.
"""

import argparse
import os
import sys
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bpe_further import from_gpt2, load_tokenizer
from bpe_teach.corpora import CorpusUnavailable, load_corpus
from tests.benchmarks import contenders as who
from tests.benchmarks import measure, opening

PLAIN = "the plain way"  # one pass of `regex`; the queue for every new word
NOT_SLOWER = 1.1  # the error to allow for in a measurement
AS_LIBRARIES = 2.5  # times as long as its own library takes to open a published vocabulary
# SentencePiece opens a model of 32,000 pieces in 5 to 6 ms. Python takes over twice as long to find
# them, to read their texts and to number these in two tables, before anything has been checked.
WITHIN_PYTHON = 7
GROSS = 2  # a ratio this much worse than its bar is a gross regression


class Sizes(NamedTuple):
    """Sizes of what is measured: characters, ids."""

    rounds: int
    code: int = 20_000_000
    code_ids: int = 32_768
    english: int = 1_000_000
    encoded_code: int = 5_000_000


FULL = Sizes(rounds=7)
SHORT = Sizes(3, 1_000_000, 4_096, 200_000, 500_000)


class Row(NamedTuple):
    """One line of the table: what was measured, against which yardstick, and the bars to pass."""

    work: str
    yardstick: str
    ours: str
    theirs: str
    ratio: float
    must: float
    more_is_better: bool = False

    def passes(self, slack: float = 1) -> bool:
        """Return whether the ratio is as good as the bar, or worse by no more than ``slack``."""
        if self.more_is_better:
            return self.ratio * slack >= self.must
        return self.ratio <= self.must * slack


class Skipped(NamedTuple):
    """A line that could not be measured, and why."""

    work: str
    why: str


def print_table(rows: list[Row]) -> None:
    print("| work | yardstick | bpe_teach | yardstick takes | ratio | must be | verdict |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for row in rows:
        must = f"{'≥' if row.more_is_better else '≤'} {fraction(row.must)}"
        verdict = "✓ passes" if row.passes() else "✗ worse" if row.passes(GROSS) else "✗ far worse"
        print("|", " | ".join([*row[:4], fraction(row.ratio), must, verdict]), "|")


def fraction(ratio: float) -> str:
    return f"{ratio:.2f}" if ratio > 0.05 else f"1/{1 / ratio:.0f}"


def compare(work: str, contenders: dict, bars: dict, rounds: int, more_is_better=False):
    """Race this package against the yardsticks that are installed; yield a row for each."""
    missing = [name for name in bars if name != PLAIN and not find_spec(name)]
    yield from (Skipped(f"{work}, {name}", f"{name} is not installed") for name in missing)
    present = {name: work for name, work in contenders.items() if name not in missing}
    if len(present) > 1:
        measured = measure.race(present, rounds)
        took = {name: f"{median(times):.3f} s" for name, times in measured.items()}
    for name in (name for name in bars if name in present):
        mine, theirs = ("bpe_teach", name)[:: -1 if more_is_better else 1]
        ratio = measure.median_ratio(measured, mine, theirs)
        yield Row(work, name, took["bpe_teach"], took[name], ratio, bars[name], more_is_better)


def size_of(characters: int, kind: str) -> str:
    """Return the name of a text, with its size; note if there is too little source code."""
    found = len(who.python_source(characters)) if kind != "English" else characters
    less = "" if found == characters else f" (only {found / 1e6:.1f} found)"
    return f"{characters / 1e6:g} MB{less} of {kind}"


def train_rows(sizes: Sizes) -> Iterator[Row | Skipped]:
    """Training: scheme gpt2 on two texts."""
    code = size_of(sizes.code, "Python source"), partial(who.python_source, sizes.code)
    texts = [
        ("tinyshakespeare", partial(load_corpus, "tinyshakespeare"), 10_256, 0.9),
        (*code, sizes.code_ids, 0.7),
    ]
    for name, load, ids, must in texts:
        work = f"train gpt2, {name}, {ids:,} ids"
        try:
            text = load()
        except CorpusUnavailable as error:
            yield Skipped(work, str(error))
            continue
        lines = text.splitlines(keepends=True)
        contenders = {
            "bpe_teach": partial(who.train_ours, text, ids),
            "tokenizers": partial(who.train_tokenizers, lines, ids),
            "rustbpe": partial(who.train_rustbpe, lines, ids),
        }
        yield from compare(work, contenders, {"tokenizers": must, "rustbpe": 4}, sizes.rounds)


def texts_to_encode(sizes: Sizes) -> Iterator[tuple]:
    """Yield for each text its name, how to load it, and the bar beside tiktoken, if any."""
    shakespeare = partial(load_corpus, "tinyshakespeare")
    english, code = sizes.english, sizes.encoded_code
    yield size_of(english, "English"), lambda: shakespeare()[:english], 0.45
    yield size_of(code, "code"), partial(who.python_source, code), 0.55
    typographic = "English set with ’ and —"
    yield typographic, lambda: who.typographic(shakespeare())[:english], 0.35
    yield "a page in sixteen languages, 10 ×", lambda: load_corpus("parallel") * 10, None


def encode_rows(sizes: Sizes) -> Iterator[Row | Skipped]:
    """Encoding with GPT-2's vocabulary; the ids are compared before the times."""
    for name, load, bar in texts_to_encode(sizes):
        work = f"encode with GPT-2's vocabulary, {name} (ratio of throughputs)"
        try:
            who.gpt2_merges()
            text = load()
        except CorpusUnavailable as error:
            yield Skipped(work, str(error))
            continue
        contenders = {
            "bpe_teach": partial(who.encode_ours, text),
            PLAIN: partial(who.encode_plain, text),
        }
        bars = {PLAIN: 1 / NOT_SLOWER}
        lines = []
        if bar:
            contenders["tiktoken"] = partial(who.encode_tiktoken, text)
            bars["tiktoken"] = bar
        if bar and bar > 0.4:  # it takes long, so two texts are enough
            lines = text.splitlines(keepends=True)
            contenders["tokenizers"] = partial(who.encode_tokenizers, lines)
            bars["tokenizers"] = 1.3
        check_ids(text, lines)
        yield from compare(work, contenders, bars, sizes.rounds, more_is_better=True)


def split_rows(sizes: Sizes) -> Iterator[Row | Skipped]:
    """Splitting texts into words, beside one pass of the published pattern."""
    for name, load, _ in texts_to_encode(sizes):
        for scheme in ("gpt2", "cl100k", "o200k"):
            work = f"split {scheme}, {name}"
            try:
                text = load()
            except CorpusUnavailable as error:
                yield Skipped(work, str(error))
                continue
            contenders = {
                "bpe_teach": partial(who.split_ours, scheme, text),
                PLAIN: partial(who.split_plain, scheme, text),
            }
            yield from compare(work, contenders, {PLAIN: NOT_SLOWER}, sizes.rounds)


def check_ids(text: str, lines: list[str]) -> None:
    """Raise ValueError unless the plain way and all installed libraries give the same ids."""
    encode = who.encode_ours(text).func  # which remembers words
    ids = encode(text)
    if ids != who.encode_plain(text)():
        raise ValueError("bpe_teach does not encode the text as the plain way does")
    if find_spec("tiktoken") and ids != who.encode_tiktoken(text)():
        raise ValueError("bpe_teach and tiktoken encode the text differently")
    if find_spec("tokenizers") and lines:
        theirs = [encoding.ids for encoding in who.encode_tokenizers(lines)()]
        if list(map(encode, lines)) != theirs:
            raise ValueError("bpe_teach and tokenizers encode the lines differently")


def load_rows(sizes: Sizes) -> Iterator[Row | Skipped]:
    """Loading GPT-2's vocabulary from the file that `Tokenizer.save` writes, in seconds."""
    try:
        tok = from_gpt2()
    except CorpusUnavailable as error:
        yield Skipped("load GPT-2's vocabulary", str(error))
        return
    with TemporaryDirectory() as folder:
        file = Path(folder, "gpt2.json")
        tok.save(file)
        works = {"load_tokenizer": partial(load_tokenizer, file)}
        measured = measure.race(
            {name: lambda w=work: w for name, work in works.items()}, sizes.rounds
        )
    for name, times in measured.items():
        taken = median(times)
        yield Row(f"{name}, 50,000 merges", "one second", f"{taken:.2f} s", "", taken, 0.5)


def open_rows(sizes: Sizes) -> Iterator[Row | Skipped]:
    """Opening published vocabularies, beside their own libraries: alone, and with ten words."""
    missing = [name for name in opening.OPEN if name != "bpe_teach" and not find_spec(name)]
    if missing or "BPE_TEACH_DATA" not in os.environ:
        why = f"{', '.join(missing)} missing" if missing else "BPE_TEACH_DATA names no folder"
        yield Skipped("open published vocabularies", why)
        return
    with TemporaryDirectory() as folder:
        for name, paths in opening.published_vocabularies(Path(folder)).items():
            library = opening.library_of(paths)
            must = WITHIN_PYTHON if library == "sentencepiece" else AS_LIBRARIES
            measured = {who: [] for who in ("bpe_teach", library)}
            for _ in range(sizes.rounds):
                for who, times in measured.items():
                    times.append(opening.times_to_open(who, paths))
            for number, work in enumerate([f"open {name}", f"open {name}, encode ten words"]):
                taken = {who: [pair[number] for pair in both] for who, both in measured.items()}
                ratio = measure.median_ratio(taken, "bpe_teach", library)
                ours, theirs = (f"{median(times):.3f} s" for times in taken.values())
                yield Row(work, library, ours, theirs, ratio, must)


def count_rows(sizes: Sizes) -> Iterator[Row | Skipped]:
    """Counting the tokens of a file in a shell, from the start on, beside tiktoken."""
    data = Path(os.environ.get("BPE_TEACH_DATA", "."), "vocabularies")
    for name in ("cl100k_base", "o200k_base"):
        ranks = data / f"{name}.tiktoken"
        if not ranks.is_file() or not find_spec("tiktoken"):
            yield Skipped(f"count with {name}", "its ranks or tiktoken are not there")
            continue
        for characters in (10_000, sizes.english):
            taken = {"bpe_teach": [], "tiktoken": []}
            with TemporaryDirectory() as folder:
                text = Path(folder, "text.txt")
                text.write_text(load_corpus("tinyshakespeare")[:characters], "utf-8")
                for _ in range(sizes.rounds):
                    for who, times in taken.items():
                        times.append(opening.seconds_to_count(who, text, str(ranks)))
            work = f"count {characters / 1e6:g} MB in a shell, {name}"
            ours, theirs = (f"{median(times):.3f} s" for times in taken.values())
            ratio = measure.median_ratio(taken, "bpe_teach", "tiktoken")
            yield Row(work, "tiktoken", ours, theirs, ratio, 2.5)


def memory_rows(sizes: Sizes) -> Iterator[Row | Skipped]:
    """Peak memory of training, without the text and the imports."""
    work = f"peak memory, train gpt2, {size_of(sizes.code, 'Python source')}"
    if not find_spec("tokenizers"):
        yield Skipped(work, "tokenizers is not installed")
        return
    if sys.platform != "linux":
        yield Skipped(work, "only Linux tells the peak memory of a process")
        return
    measured = measure.memory(who.python_source(sizes.code), sizes.code_ids, sizes.rounds)
    ours, theirs = (f"{median(measured[name]):.0f} MB" for name in ("bpe_teach", "tokenizers"))
    ratio = measure.median_ratio(measured, "bpe_teach", "tokenizers")
    yield Row(f"{work}, {sizes.code_ids:,} ids", "tokenizers", ours, theirs, ratio, 1.5)


def growth_rows(sizes: Sizes) -> Iterator[Row]:
    """Growth of the time to train where a text is one word, which is counted in its own way."""
    text = who.python_source(400_000)
    works = {n: partial(who.train_ours, text[: n * 10**5], 2000, "chars") for n in (1, 4)}
    one, four = (median(times) for times in measure.race(works, sizes.rounds).values())
    work = "train chars, four times the text"
    yield Row(work, "n log n: 4.5 times as long", f"{four:.2f} s", f"{one:.2f} s", four / one, 4.5)


def main() -> int:
    """Measure what is asked for, print the table, and return 1 if anything is far worse."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--short", action="store_true", help="smaller texts, fewer rounds")
    parts = {
        "train": train_rows,
        "split": split_rows,
        "encode": encode_rows,
        "load": load_rows,
        "open": open_rows,
        "count": count_rows,
        "memory": memory_rows,
        "growth": growth_rows,
    }
    parser.add_argument("--only", choices=parts)
    options = parser.parse_args()
    sizes = SHORT if options.short else FULL
    chosen = [options.only] if options.only else parts
    lines = list(chain.from_iterable(report(name, parts[name](sizes)) for name in chosen))
    rows = [line for line in lines if isinstance(line, Row)]
    print(f"\nMedian of {sizes.rounds} rounds in turn, {os.cpu_count()} processors\n")
    print_table(rows)
    for line in lines:
        if isinstance(line, Skipped):
            print(f"\nskipped: {line.work}: {line.why}")
    return int(not all(row.passes(slack=GROSS) for row in rows))


def report(name: str, lines: Iterator[Row | Skipped]) -> Iterator[Row | Skipped]:
    """Pass lines on, saying on stderr how far the measurements are."""
    for number, line in enumerate(lines, 1):
        print(f"{name}: {number} measured ({line.work})", file=sys.stderr)
        yield line


if __name__ == "__main__":
    sys.exit(main())
