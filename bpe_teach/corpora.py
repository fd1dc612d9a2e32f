"""Corpora: the texts of the course, those that come with it and those that are downloaded.

Everything known of them stands in the table `CORPORA`, one row each; a new text is a new row. A
download counts only if its SHA-256 is the one in its row: an error page must never become a corpus.
"""

import os
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:  # loaded where they are needed, to keep `import bpe_teach` quick
    from pandas import DataFrame
    from pooch import Pooch

RETRIES = 2
TIMEOUT = 10  # seconds to wait for a connection, and then for each next piece of the answer


class CorpusUnavailable(ValueError):
    """A known corpus can be had neither from disk nor from the network; the message says why."""


@dataclass(frozen=True)
class Corpus:
    """One text. Without a ``url`` it is bundled: it comes with the package."""

    name: str
    file: str  # its name in the folder of bundled texts, or in the cache
    about: str
    url: str = ""
    size: int = 0  # in bytes; size and hash are given for downloads only
    sha256: str = ""

    @property
    def source(self) -> str:
        """Where the text comes from: "bundled", or the host it is downloaded from."""
        return urlsplit(self.url).hostname if self.url else "bundled"


GITHUB = "https://raw.githubusercontent.com/"
OPENAI = "https://openaipublic.blob.core.windows.net/gpt-2/models/124M/"

CORPORA: dict[str, Corpus] = {
    corpus.name: corpus
    for corpus in [
        Corpus("story", "story.txt", "an English story, to train on"),
        Corpus("second_story", "second_story.txt", "another one, held out to test on"),
        Corpus("mixed", "mixed.txt", "many scripts, emoji, code, odd white space"),
        Corpus("parallel", "parallel.txt", "one page in sixteen languages"),
        Corpus("names", "names.txt", "1,535 given names from many parts of the world"),
        Corpus("program", "program.py", "a Python program that plans train journeys"),
        Corpus("chat", "chat.txt", "a group chat with emoji and abbreviations"),
        Corpus(
            "tinyshakespeare",
            "tinyshakespeare.txt",
            "40,000 lines of Shakespeare's plays",
            GITHUB + "karpathy/char-rnn/master/data/tinyshakespeare/input.txt",
            1_115_394,
            "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed",
        ),
        Corpus(
            "little_prince",
            "en-the-little-prince.txt",
            "the opening of The Little Prince, in English",
            GITHUB + "yanranzhao/n-gram-language-identification/master/en-the-little-prince.txt",
            7_594,
            "f47cedfe7f06267f0d256c52104ef397e229c4ec29884aa1660165c690dd82ba",
        ),
        Corpus(
            "indian_names",
            "Indian_Names.csv",
            "6,486 Indian first names, numbered (CSV)",
            GITHUB + "balasahebgulave/Dataset-Indian-Names/master/Indian_Names.csv",
            85_538,
            "f7b2bd2a8ad89a0c865296f81aff9df7a8ab360f6c6b0a0bde996b5172b9c47a",
        ),
        Corpus(
            "gpt2_merges",
            "vocab.bpe",
            "GPT-2's 50,000 merges, in order of rank",
            OPENAI + "vocab.bpe",
            456_318,
            "1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5",
        ),
        Corpus(
            "gpt2_vocab",
            "encoder.json",
            "GPT-2's 50,257 tokens with their ids (JSON)",
            OPENAI + "encoder.json",
            1_042_301,
            "196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783",
        ),
    ]
}


def load_corpus(name: str) -> str:
    r"""Return a whole text exactly as it was published, line ends and all.

    >>> "\r\n" in load_corpus("mixed")
    True

    Raises ValueError if the name is not known, and CorpusUnavailable (a ValueError) if the text
    cannot be had.
    """
    return corpus_path(name).read_bytes().decode("utf-8")  # as bytes: "\r\n" stays "\r\n"


def list_corpora() -> "DataFrame":
    """Return a table of all texts: what each is, its size in bytes, its source. Needs no network.

    >>> list_corpora().loc["gpt2_merges", "about"]
    "GPT-2's 50,000 merges, in order of rank"
    """
    import pandas as pd

    rows = {
        name: (corpus.about, corpus.size or bundled_path(corpus).stat().st_size, corpus.source)
        for name, corpus in CORPORA.items()
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=["about", "bytes", "source"])


def corpus_path(name: str) -> Path:
    """Return the file that holds a text, downloading it first if need be.

    >>> corpus_path("story").name
    'story.txt'
    """
    if name not in CORPORA:
        raise ValueError(f"there is no corpus {name!r}; the known ones are {', '.join(CORPORA)}")
    corpus = CORPORA[name]
    return download_path(corpus) if corpus.url else bundled_path(corpus)


def bundled_path(corpus: Corpus) -> Path:
    """Find a bundled text: inside the package if installed, beside it in a checkout."""
    package = Path(__file__).resolve().parent
    for folder in (package / "data", package.parent / "data"):
        if (folder / corpus.file).is_file():
            return folder / corpus.file
    raise CorpusUnavailable(
        f"corpus {corpus.name!r}: {corpus.file}, which comes with the package, is neither in "
        f"{package / 'data'} nor in {package.parent / 'data'}; install the package again"
    )


def download_path(corpus: Corpus) -> Path:
    """Return the cached file if its hash is right; otherwise fetch it, whole or not at all."""
    cache = open_cache()
    try:
        return Path(cache.fetch(corpus.file, downloader=http_downloader()))
    except (OSError, ValueError) as error:  # every error of requests is an OSError
        raise CorpusUnavailable(explain(error, corpus, cache.abspath)) from error


def open_cache() -> "Pooch":
    """Set up pooch, which checks hashes, tries again and never leaves half a file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # in a notebook tqdm would complain of missing ipywidgets
        import pooch
    pooch.get_logger().setLevel("WARNING")
    downloads = [corpus for corpus in CORPORA.values() if corpus.url]
    return pooch.create(
        pooch.os_cache("bpe_teach"),
        base_url="",
        env="BPE_TEACH_DATA",
        registry={corpus.file: corpus.sha256 for corpus in downloads},
        urls={corpus.file: corpus.url for corpus in downloads},
        retry_if_failed=RETRIES,
    )


def http_downloader():
    """Return pooch's downloader with our time-out, and a progress bar only for a terminal."""
    import pooch

    watched = sys.stderr is not None and sys.stderr.isatty()
    return pooch.HTTPDownloader(progressbar=watched, timeout=TIMEOUT)


def explain(error: Exception, corpus: Corpus, folder: Path) -> str:
    """Say which corpus failed, where, why, and what to do about it."""
    from requests import exceptions as http

    reasons = {  # the first kind that fits, so special kinds stand before general ones
        http.HTTPError: "the server sent an error page",
        http.Timeout: f"no answer within {TIMEOUT} seconds",
        http.ChunkedEncodingError: "the download broke off",
        http.RequestException: "the connection failed",
        OSError: f"the folder {folder} cannot be used",
        ValueError: "what arrived is not the published file",
    }
    reason = next(reason for kind, reason in reasons.items() if isinstance(error, kind))
    if os.path.exists(folder / corpus.file):  # subtle: Path.exists would raise if not permitted
        reason += f", and the copy {folder / corpus.file} is damaged or unreadable"
    return (
        f"corpus {corpus.name!r} cannot be fetched from {corpus.url}: {reason} ({error}). Try "
        "again later, or set the environment variable BPE_TEACH_DATA to a folder that holds "
        f"{corpus.file}, or in which it may be stored."
    )
