"""Corpora: the texts of the course, bundled or downloaded.

The table `CORPORA` has a row for each text; a new text is a new row. A download is used only if its
SHA-256 is the one in its row: an error page must never pass for a text.
"""

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:  # loaded where they are needed, to keep `import bpe_teach` quick
    from pandas import DataFrame

RETRIES = 2
SLACK = 1_000_000  # bytes
TIMEOUT = 10  # seconds to wait for a connection, and then for each part of the answer


class CorpusUnavailable(ValueError):
    """A text of the course is not on this machine and cannot be downloaded."""


@dataclass(frozen=True)
class Corpus:
    """One text. Without a ``url`` it is bundled: it comes with the package."""

    name: str
    file: str  # its name in the folder of bundled texts, or in the cache
    about: str
    url: str = ""
    size: int = 0  # bytes; size and hash are given for downloads only
    sha256: str = ""


GITHUB = "https://raw.githubusercontent.com/"
YANRAN_ZHAO = GITHUB + "yanranzhao/n-gram-language-identification/master/"
OPENAI = "https://openaipublic.blob.core.windows.net/"

# fmt: off
_ROWS = [
    Corpus("story", "story.txt", "an English story, to train on"),
    Corpus("second_story", "second_story.txt", "another one, held out to test on"),
    Corpus("manual", "manual.txt", "how to run a coffee roaster, held out too"),
    Corpus("forum", "forum.txt", "gardeners argue about tomatoes, held out too"),
    Corpus("mixed", "mixed.txt", "many scripts, emoji, code, odd white space"),
    Corpus("parallel", "parallel.txt", "one page in sixteen languages"),
    Corpus("sentences", "sentences.txt", "a hundred simple ones, in twelve languages"),
    Corpus("names", "names.txt", "1,535 given names from many parts of the world"),
    Corpus("program", "program.py", "a Python program that plans train journeys"),
    Corpus("chat", "chat.txt", "a group chat with emoji and abbreviations"),
    Corpus("vocabularies", "vocabularies.csv", "16 published vocabularies of models (CSV)"),
    Corpus("morphemes", "morphemes.txt", "273 English words cut into morphemes by hand"),
    Corpus("mathematics", "mathematics.txt", "six solved exercises, with formulas"),
    Corpus("numbers", "numbers.txt", "prices, dates, sums and tables of a café"),
    Corpus("tinyshakespeare", "tinyshakespeare.txt", "40,000 lines of Shakespeare's plays",
           url=GITHUB + "karpathy/char-rnn/master/data/tinyshakespeare/input.txt", size=1_115_394,
           sha256="86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"),
    Corpus("little_prince", "en-the-little-prince.txt",
           "the opening of The Little Prince, in English",
           url=YANRAN_ZHAO + "en-the-little-prince.txt", size=7_594,
           sha256="f47cedfe7f06267f0d256c52104ef397e229c4ec29884aa1660165c690dd82ba"),
    Corpus("indian_names", "Indian_Names.csv", "6,486 Indian first names, numbered (CSV)",
           url=GITHUB + "balasahebgulave/Dataset-Indian-Names/master/Indian_Names.csv", size=85_538,
           sha256="f7b2bd2a8ad89a0c865296f81aff9df7a8ab360f6c6b0a0bde996b5172b9c47a"),
    Corpus("gpt2_merges", "vocab.bpe", "GPT-2's 50,000 merges, in order of rank",
           url=OPENAI + "gpt-2/models/124M/vocab.bpe", size=456_318,
           sha256="1ce1664773c50f3e0cc8842619a93edc4624525b728b188a9e0be33b7726adc5"),
    Corpus("gpt2_vocab", "encoder.json", "GPT-2's 50,257 tokens with their ids (JSON)",
           url=OPENAI + "gpt-2/models/124M/encoder.json", size=1_042_301,
           sha256="196139668be63f3b5d6574427317ae82f612a97c5d1cdaf36ed2256dbf636783"),
    Corpus("gpt4_ranks", "cl100k_base.tiktoken",
           "GPT-4's 100,256 tokens with their ranks (tiktoken)",
           url=OPENAI + "encodings/cl100k_base.tiktoken", size=1_681_126,
           sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"),
    Corpus("gpt4o_ranks", "o200k_base.tiktoken",
           "GPT-4o's 199,998 tokens with their ranks (tiktoken)",
           url=OPENAI + "encodings/o200k_base.tiktoken", size=3_613_922,
           sha256="446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"),
]
# fmt: on
CORPORA: dict[str, Corpus] = {corpus.name: corpus for corpus in _ROWS}


def load_corpus(name: str) -> str:
    r"""Return a whole text exactly as it was published, line ends and all.

    >>> load_corpus("story")[:14]
    'A Penny a Sign'
    >>> "\r\n" in load_corpus("mixed")
    True

    Raises ValueError for an unknown name, and CorpusUnavailable, which is a ValueError, for a text
    that cannot be downloaded.
    """
    content = corpus_path(name).read_bytes()  # read as text, "\r\n" would become "\n"
    return content.decode("utf-8")


def list_corpora() -> "DataFrame":
    """Return a table of all texts: contents, size in bytes, source. Needs no network.

    >>> list_corpora().loc["gpt2_merges", "about"]
    "GPT-2's 50,000 merges, in order of rank"
    """
    import pandas as pd

    rows = {}  # name -> what the columns hold
    for name, corpus in CORPORA.items():
        size = corpus.size if corpus.url else corpus_path(name).stat().st_size
        source = urlsplit(corpus.url).hostname or "bundled"
        rows[name] = (corpus.about, size, source)
    return pd.DataFrame.from_dict(rows, orient="index", columns=["about", "bytes", "source"])


def corpus_path(name: str) -> Path:
    """Return the path of the file that holds a text; a missing file is downloaded first.

    >>> corpus_path("story").name
    'story.txt'

    Downloads are kept in the folder that ``BPE_TEACH_DATA`` names, or else in the user's cache. In
    the folders directly below it, a file is found only if its hash is right.

    Raises the errors of `load_corpus`.
    """
    if name not in CORPORA:
        raise ValueError(f"there is no corpus {name!r}; choose one of {', '.join(CORPORA)}")
    corpus = CORPORA[name]
    if corpus.url:
        return _download(corpus)
    package = Path(__file__).resolve().parent
    installed = package / "data" / corpus.file
    if installed.is_file():
        return installed
    return package.parent / "data" / corpus.file  # in a checkout


def _download(corpus: Corpus) -> Path:
    """Return the cached file if its hash is right; otherwise fetch it, whole or not at all."""
    pooch = _import_pooch()
    cache = pooch.create(
        pooch.os_cache("bpe_teach"),
        base_url="",
        env="BPE_TEACH_DATA",  # a folder named there is used instead
        registry={corpus.file: corpus.sha256},
        urls={corpus.file: corpus.url},
        retry_if_failed=RETRIES,
    )
    copy = cache.abspath / corpus.file
    try:
        if not os.path.lexists(copy):
            for path in sorted(cache.abspath.glob(f"*/{corpus.file}")):
                if path.is_file() and pooch.file_hash(str(path)) == corpus.sha256:
                    return path
        elif "BPE_TEACH_DATA" in os.environ and pooch.file_hash(str(copy)) != corpus.sha256:
            # never replace a file in the user's own folder
            raise ValueError("there is another file already, or a damaged copy; move it away")
        downloader = pooch.HTTPDownloader(timeout=TIMEOUT, progressbar=_Limit(corpus.size))
        return Path(cache.fetch(corpus.file, downloader=downloader))
    except (OSError, ValueError) as error:  # every error of requests is an OSError
        # the chain of errors is long and of no use to readers of a notebook
        raise CorpusUnavailable(
            f"corpus {corpus.name!r} cannot be downloaded from {corpus.url} to {copy}: {error}. "
            "Try again later, or set the environment variable BPE_TEACH_DATA to a folder that "
            f"holds {corpus.file}, or to one where it can be stored."
        ) from None


class _Limit:
    """Ends a download that is much too large; pooch takes it for a progress bar."""

    def __init__(self, size: int):
        self.total = size  # pooch stores here what the server says
        self.most = 2 * size + SLACK  # pooch counts a small chunk as a full one
        self.reset()

    def reset(self) -> None:
        """Start counting at zero; pooch does so again at the end of a download."""
        self.size = 0

    def update(self, size: int) -> None:
        """Count the bytes that have arrived; ValueError if there are too many."""
        self.size += size
        if self.size > self.most:
            raise ValueError("the download is larger than the published file")

    def close(self) -> None:
        """Do nothing: there is no bar to close."""


def _import_pooch():
    """Import pooch, without its warnings. It checks hashes, retries and leaves no half files."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # in notebooks tqdm complains about missing ipywidgets
        import pooch
    pooch.get_logger().setLevel("WARNING")
    return pooch
