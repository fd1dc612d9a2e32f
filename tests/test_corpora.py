"""Texts: the bundled ones are complete, and downloads arrive whole or not at all.

Downloads are tried against a server on this machine; no test here needs the network.
"""

import hashlib
import logging
import re
import sys
import threading
import unicodedata
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pooch
import pytest
from common import OURS, held_out, rows, strangers, trained
from requests import exceptions as http  # noqa: F401 (the table of failures names one)

from bpe_further import NgramCounter
from bpe_teach import corpora
from bpe_teach.corpora import CORPORA, CorpusUnavailable, corpus_path, list_corpora, load_corpus

BODY = "Low, lower, lowest.\r\nनमस्ते 🙂\n".encode()
NAME, FILE = "tinyshakespeare", "tinyshakespeare.txt"
BUNDLED = [name for name, corpus in CORPORA.items() if not corpus.url]
DOWNLOADED = [name for name, corpus in CORPORA.items() if corpus.url]

# A server's answer: status, content, length that it announces, whether it then falls silent
GOOD = (200, BODY, len(BODY), False)
SERVER_ERROR = (500, b"<html>Oh dear</html>", 20, False)
ERROR_PAGE = (200, b"<html>Please log in</html>", 26, False)
TRUNCATED = (200, BODY[:10], len(BODY), False)


class Handler(BaseHTTPRequestHandler):
    """Gives the server's answers in turn, then repeats the last one."""

    def do_GET(self):
        answers = self.server.answers
        status, content, length, falls_silent = answers[min(self.server.requests, len(answers) - 1)]
        self.server.requests += 1
        self.server.counted.release()
        if status:
            self.send_response(status)
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(content)
            self.wfile.flush()
        if falls_silent:
            self.server.stopping.wait(5)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    """Run a server that has a corpus; `requests` counts how often it was asked."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.answers, server.requests, server.stopping = [GOOD], 0, threading.Event()
        server.counted = threading.Semaphore(0)  # let through once for each request
        server.url = f"http://127.0.0.1:{server.server_port}/{FILE}"
        sha256 = hashlib.sha256(BODY).hexdigest()
        row = replace(CORPORA[NAME], url=server.url, sha256=sha256)
        monkeypatch.setitem(CORPORA, NAME, row)
        monkeypatch.setattr(corpora, "RETRIES", 2)  # without a network, tests make none
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.stopping.set()
        server.shutdown()


@pytest.fixture
def cache(server, monkeypatch, tmp_path):
    """Return a cache folder that doesn't exist yet; don't wait between two attempts."""
    monkeypatch.setenv("BPE_TEACH_DATA", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    return tmp_path / "cache"


def files(folder):
    return sorted(path.name for path in folder.rglob("*"))


def fails(server, *parts):
    """Ask for a corpus that is unavailable; the message says what, from where, why, what to do.

    It is the whole message: in a notebook the chain of reasons behind it would fill pages.
    """
    with pytest.raises(CorpusUnavailable) as caught:
        load_corpus(NAME)
    error = caught.value
    for part in (NAME, server.url, f"BPE_TEACH_DATA to a folder that holds {FILE}", *parts):
        assert part in str(error)
    assert isinstance(error, ValueError)
    assert error.__cause__ is None and error.__suppress_context__


# Downloads that succeed.


def test_a_download_is_stored_whole_and_used_again_from_the_cache_of_the_moment(
    server, cache, monkeypatch
):
    for _ in range(2):
        assert load_corpus(NAME).encode() == BODY
        assert corpus_path(NAME) == cache / FILE
    assert (files(cache), server.requests) == ([FILE], 1)
    monkeypatch.setenv("BPE_TEACH_DATA", str(cache.parent / "other"))
    assert corpus_path(NAME) == cache.parent / "other" / FILE


def test_without_the_variable_the_user_s_cache_is_used(cache, monkeypatch):
    monkeypatch.delenv("BPE_TEACH_DATA")
    monkeypatch.setattr("pooch.os_cache", lambda project: cache / project)
    assert corpus_path(NAME) == cache / "bpe_teach" / FILE


def test_a_download_prints_nothing_where_nobody_watches(cache, monkeypatch, capsys):
    logger = pooch.get_logger()
    monkeypatch.setattr(logger, "level", logging.NOTSET)
    monkeypatch.setattr(logger.handlers[0], "stream", sys.stderr)
    load_corpus(NAME)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("failure", [SERVER_ERROR, TRUNCATED, ERROR_PAGE])
def test_a_download_that_failed_is_tried_again_and_a_damaged_copy_replaced(
    server, cache, failure, monkeypatch
):
    monkeypatch.delenv("BPE_TEACH_DATA")
    monkeypatch.setattr("pooch.os_cache", lambda project: cache)
    server.answers = [failure, GOOD]
    cache.mkdir()
    (cache / FILE).write_bytes(BODY[:-1])
    assert load_corpus(NAME).encode() == BODY
    assert (files(cache), server.requests) == ([FILE], 2)


def test_a_filled_read_only_cache_needs_neither_network_nor_writing(server, cache, monkeypatch):
    cache.mkdir()
    (cache / FILE).write_bytes(BODY)
    (cache / FILE).chmod(0o400)
    cache.chmod(0o500)
    # root may write anywhere, so a second way prevents writing
    monkeypatch.setattr("tempfile.NamedTemporaryFile", lambda *args, **kwargs: 1 / 0)
    assert load_corpus(NAME).encode() == BODY
    assert (files(cache), server.requests) == ([FILE], 0)
    cache.chmod(0o700)


def test_a_file_in_a_subfolder_is_used_if_it_is_the_published_one(server, cache):
    other, right = cache / "other" / FILE, cache / "vocabularies" / FILE
    for path, content in [(other, b"another file of that name"), (right, BODY)]:
        path.parent.mkdir(parents=True)
        path.write_bytes(content)
    assert (corpus_path(NAME), server.requests) == (right, 0)
    right.unlink()
    assert (corpus_path(NAME), server.requests) == (cache / FILE, 1)
    assert other.read_bytes() == b"another file of that name"
    right.write_bytes(BODY)
    assert corpus_path(NAME) == cache / FILE


# Downloads that fail.


@pytest.mark.parametrize(("failure", "reason"), rows("corpora/failures", globals()))
def test_a_failed_download_is_explained_and_leaves_no_file(
    server, cache, monkeypatch, failure, reason
):
    attempts = []

    def download(*args, **options):
        attempts.append(args)
        raise failure

    if isinstance(failure, tuple):
        server.answers = [failure]
        monkeypatch.setattr(corpora, "TIMEOUT", 0.1 if reason == "Read timed out" else 60)
    else:
        monkeypatch.setattr("requests.get", download)
    fails(server, reason)
    for _ in range(1 + corpora.RETRIES - len(attempts)):
        assert server.counted.acquire(timeout=60)  # a busy server may count when we have given up
    assert server.requests + len(attempts) == 1 + corpora.RETRIES
    assert files(cache) == []


def test_of_an_answer_that_is_too_long_only_the_beginning_is_read(server, tmp_path, monkeypatch):
    monkeypatch.setattr(corpora, "BLOCK", 10)
    endless = BODY * 100
    server.answers = [(200, endless, len(endless), False)]
    corpora._fetch(server.url, str(tmp_path / "text"), None, most=len(BODY))
    assert len(BODY) < (tmp_path / "text").stat().st_size <= len(BODY) + 10  # its hash is wrong


def test_a_file_of_the_user_s_own_is_neither_used_nor_replaced(server, cache):
    cache.mkdir()
    (cache / FILE).write_bytes(b"<html>")
    fails(server, f"to {cache / FILE}: a different or damaged file is already there")
    assert ((cache / FILE).read_bytes(), server.requests) == (b"<html>", 0)


@pytest.mark.parametrize("below", ["", "below"])
def test_a_cache_that_is_no_folder_is_named(server, cache, monkeypatch, below):
    cache.write_bytes(b"a file")
    monkeypatch.setenv("BPE_TEACH_DATA", str(cache / below))
    fails(server, f"to {cache / below / FILE}: ")
    assert (cache.read_bytes(), server.requests) == (b"a file", 0)


# The table.


@pytest.mark.parametrize("function", [load_corpus, corpus_path])
def test_an_unknown_name_lists_the_known_ones(function):
    with pytest.raises(ValueError, match=f"no corpus 'moby_dick'.*{', '.join(CORPORA)}") as caught:
        function("moby_dick")
    assert not isinstance(caught.value, CorpusUnavailable)


def test_the_table_lists_every_text_and_needs_no_network(monkeypatch, tmp_path):
    monkeypatch.setenv("BPE_TEACH_DATA", str(tmp_path / "cache"))
    table = list_corpora()
    assert list(table.index) == list(CORPORA)
    assert list(table.columns) == ["about", "bytes", "source"]
    assert set(table["source"][BUNDLED]) == {"bundled"}
    assert [*table.loc["gpt2_merges", ["bytes", "source"]]] == [
        456_318,
        "openaipublic.blob.core.windows.net",
    ]
    assert list(table["bytes"][BUNDLED]) == [len(load_corpus(name).encode()) for name in BUNDLED]
    assert not (tmp_path / "cache").exists()


def test_the_rows_of_downloads_are_complete_and_no_two_texts_have_one_file():
    for corpus in map(CORPORA.get, DOWNLOADED):
        assert corpus.url.startswith("https://")
        assert corpus.size > 0
        assert len(bytes.fromhex(corpus.sha256)) == 32
    assert len({corpus.file for corpus in CORPORA.values()}) == len(CORPORA)


def test_a_bundled_text_is_found_in_the_package_first(monkeypatch, tmp_path):
    package = tmp_path / "bpe_teach"
    monkeypatch.setattr(corpora, "__file__", str(package / "corpora.py"))
    for folder, text in [(tmp_path / "data", "checkout"), (package / "data", "wheel")]:
        folder.mkdir(parents=True)
        (folder / "story.txt").write_text(text)
        assert load_corpus("story") == text


# The bundled texts.


def test_names_are_sorted_and_none_is_there_twice():
    names = load_corpus("names").removesuffix("\n").split("\n")
    assert names == sorted(set(names))
    assert f"{len(names):,} given names" in CORPORA["names"].about


@pytest.mark.parametrize(
    "name", ["parallel", "sentences", "names", "program", "chat", "mathematics", "numbers"]
)
def test_letters_are_composed_and_no_line_ends_oddly(name):
    text = load_corpus(name)
    assert unicodedata.is_normalized("NFC", text)
    assert not re.search(r"\r|\s\Z|[^\S\n]$", text.removesuffix("\n"), re.MULTILINE)
    assert text.endswith("\n")


@pytest.mark.parametrize("name", OURS)
def test_our_other_texts_are_as_far_from_the_story_as_strangers_are(name, story):
    """Far: the story's merges take many tokens, and who has read the story needs many bits."""
    assert set(load_corpus(name)) <= set(story)  # they aren't strange because of their characters
    alphabet = sorted(set(story))
    ids = {character: i for i, character in enumerate(alphabet)}
    counter = NgramCounter([ids[character] for character in story], len(ids), order=3)

    def distances(text):
        bits = counter.bits([ids[character] for character in text])
        return len(trained(story, 2000).encode(text)) / len(text), bits / len(text)

    assert {len(text) for text in held_out().values()} == {len(load_corpus("second_story"))}
    found = {other: distances(text) for other, text in held_out().items()}
    for i in (0, 1):  # tokens a character, bits a character
        ours, sister = found[name][i], found["second_story"][i]
        nearest = min(found[other][i] for other in strangers())
        assert ours - sister > 0.75 * (nearest - sister) > 0  # 0.81 (Python 3.12's text) to 1.28


@pytest.mark.parametrize(
    ("name", "languages", "size"), [("parallel", 16, 10), ("sentences", 12, 100)]
)
def test_it_says_the_same_in_many_languages(name, languages, size):
    _, *sections = load_corpus(name).split("\n## ")
    (language, *english), *others = (section.strip().splitlines() for section in sections)
    assert language == "English" and len(set(english)) == size
    assert len(others) == len({other[0] for other in others}) == languages - 1
    for other in others:
        assert len(other) == 1 + len(english), other[0]
        assert all(other) and not set(other) & set(english), other[0]
