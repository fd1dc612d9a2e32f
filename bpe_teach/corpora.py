"""Corpora: the texts of the course, bundled or downloaded.

The file ``corpora.toml`` has one table for each text, so to add a text is to add a table. A
download is used only if its SHA-256 hash is the one in its table, because an error page must never
pass for a text.
"""

import os
import tomllib
import warnings
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:  # loaded where they are needed, to keep `import bpe_teach` quick
    from pandas import DataFrame

RETRIES = 2
TIMEOUT = 10  # seconds to wait for a connection, and then for each part of the answer
BLOCK = 2**16  # bytes that are written at a time


class CorpusUnavailable(ValueError):
    """A text of the course is not on this computer and cannot be downloaded."""


@dataclass(frozen=True)
class Corpus:
    """One text of the course. If it has no ``url``, it is bundled: it comes with the package."""

    name: str
    file: str  # name of the file in the folder of bundled texts, or in the cache
    about: str
    languages: int = 1  # the text is the same in each language, line by line
    url: str = ""
    size: int = 0  # bytes; size and hash are given for downloads only
    sha256: str = ""


with Path(__file__).with_suffix(".toml").open("rb") as file:
    CORPORA = {name: Corpus(name, **row) for name, row in tomllib.load(file).items()}


def load_corpus(name: str) -> str:
    r"""Return a whole text exactly as it was published, including its line ends.

    >>> load_corpus("story")[:14]
    'A Penny a Sign'
    >>> "\r\n" in load_corpus("mixed")
    True

    Raises ValueError for an unknown name, and CorpusUnavailable, which is a ValueError, for a text
    that cannot be downloaded.
    """
    content = corpus_path(name).read_bytes()  # read as text, "\r\n" would become "\n"
    return content.decode("utf-8")


def load_languages(name: str) -> dict[str, str]:
    """Return a text that exists in many languages: language -> page, with matching lines.

    >>> pages = load_languages("declaration")
    >>> len(pages), pages["German"][:38]
    (58, 'Alle Menschen sind frei und gleich an ')

    English comes first. Raises ValueError for a text that exists in one language only, and the
    errors of `load_corpus`.
    """
    corpus_path(name)  # raises for an unknown name
    if CORPORA[name].languages == 1:
        several = ", ".join(other.name for other in CORPORA.values() if other.languages > 1)
        raise ValueError(f"{name!r} is in one language only; choose one of {several}")
    _, *sections = load_corpus(name).split("\n\n## ")  # each page has a heading
    pages = (section.removesuffix("\n").split("\n", 1) for section in sections)
    return dict(pages)


def list_corpora() -> "DataFrame":
    """Return a table of all texts, with their contents, size in bytes and source.

    No network is needed.

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

    Downloads are kept in the folder that the environment variable ``BPE_TEACH_DATA`` names. If this
    variable is not set, downloads are kept in the user's cache. A file is also found in a folder
    directly below, provided that the file's hash is correct. Raises the errors of `load_corpus`.
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
    """Return the cached file if its hash is correct; otherwise download it, whole or not at all."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pooch loads tqdm, which complains without ipywidgets
        import pooch  # checks hashes, tries again and leaves no half-written files
    pooch.get_logger().setLevel("WARNING")
    # pooch looks after a folder of files. We tell it the hash and the address of each: here of one.
    cache = pooch.create(
        pooch.os_cache("bpe_teach"),
        base_url="",  # only for files that have no address of their own
        env="BPE_TEACH_DATA",  # a folder named there is used instead
        registry={corpus.file: corpus.sha256},
        urls={corpus.file: corpus.url},
        retry_if_failed=RETRIES,
    )
    copy = cache.abspath / corpus.file
    try:
        is_there = os.path.lexists(copy)  # also if it is a link that leads nowhere
        if not is_there:  # somebody may have sorted the texts into folders
            for path in sorted(cache.abspath.glob(f"*/{corpus.file}")):
                if path.is_file() and pooch.file_hash(str(path)) == corpus.sha256:
                    return path
        # In its own folder, pooch replaces a wrong file. In the user's folder, nothing is replaced.
        is_users = "BPE_TEACH_DATA" in os.environ
        if is_there and is_users and pooch.file_hash(str(copy)) != corpus.sha256:
            raise ValueError("a different or damaged file is already there: move or delete it")
        return Path(cache.fetch(corpus.file, downloader=partial(_fetch, most=corpus.size)))
    except (OSError, ValueError) as error:  # every error of requests is an OSError
        # The chain of errors is long, and of no use to readers of a notebook.
        raise CorpusUnavailable(
            f"corpus {corpus.name!r} cannot be downloaded from {corpus.url} to {copy}: {error}. "
            "Try again later, or set the environment variable BPE_TEACH_DATA to a folder that "
            f"holds {corpus.file}, or to one where it can be stored."
        ) from None


def _fetch(url: str, path: str, _cache: object, most: int) -> None:
    """Download from a web address into a file, but stop soon after ``most`` bytes.

    pooch calls this function with itself as the third argument, and compares the hash afterwards.
    So an answer that never ends is refused before it can fill the disk.
    """
    import requests

    with requests.get(url, timeout=TIMEOUT, stream=True) as answer, open(path, "wb") as file:
        answer.raise_for_status()
        for block in answer.iter_content(BLOCK):
            file.write(block)
            if file.tell() > most:
                return
