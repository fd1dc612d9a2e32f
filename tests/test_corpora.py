"""Texts: the bundled ones are there, the downloads arrive whole or not at all.

Downloads are tried against a server on this machine; no test here needs the network.
"""

import hashlib
import logging
import os
import re
import socket
import subprocess
import sys
import threading
import unicodedata
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pandas as pd
import pooch
import pytest
import requests

from bpe_teach import corpora
from bpe_teach.corpora import CORPORA, CorpusUnavailable, corpus_path, list_corpora, load_corpus

BODY = "Low, lower, lowest.\r\nनमस्ते 🙂\n".encode()
NAME, FILE = "tinyshakespeare", "tinyshakespeare.txt"
BUNDLED = [name for name, corpus in CORPORA.items() if not corpus.url]
DOWNLOADED = [name for name, corpus in CORPORA.items() if corpus.url]


def send(handler, status=200, body=BODY, length=None):
    """Answer a request, if asked to with a length that is not the body's."""
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(body) if length is None else length))
    handler.end_headers()
    handler.wfile.write(body)


def not_found(handler):
    send(handler, 404, b"<html>Not here</html>")


def server_error(handler):
    send(handler, 500, b"<html>Oh dear</html>")


def error_page_as_success(handler):
    send(handler, 200, b"<html>Please log in</html>")


def truncated(handler):
    send(handler, body=BODY[:10], length=len(BODY))


def silent(handler):
    handler.server.stopping.wait(5)


def stalled(handler):
    send(handler, body=BODY[:10], length=len(BODY))
    handler.wfile.flush()
    handler.server.stopping.wait(5)


class Handler(BaseHTTPRequestHandler):
    """Plays the server's list of answers, the last one again and again."""

    def do_GET(self):
        answers = self.server.answers
        answer = answers[min(self.server.requests, len(answers) - 1)]
        self.server.requests += 1
        answer(self)

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    """Run a server; `answers` says what it does, `requests` counts how often it was asked."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        server.answers, server.requests, server.stopping = [send], 0, threading.Event()
        server.url = f"http://127.0.0.1:{server.server_port}/{FILE}"
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        yield server
        server.stopping.set()
        server.shutdown()


def publish(monkeypatch, url):
    """Let the row of a corpus point to another address, with the hash of `BODY`."""
    sha256 = hashlib.sha256(BODY).hexdigest()
    monkeypatch.setitem(CORPORA, NAME, replace(CORPORA[NAME], url=url, sha256=sha256))


@pytest.fixture
def cache(server, monkeypatch, tmp_path):
    """Name an empty cache folder, and let the corpus come from the server, without waiting."""
    publish(monkeypatch, server.url)
    monkeypatch.setenv("BPE_TEACH_DATA", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    return tmp_path / "cache"


def files(folder):
    return sorted(path.name for path in folder.rglob("*"))


def check_message(error, server, *parts):
    """A message names the corpus, the address, what happened and what to do."""
    for part in (NAME, server.url, f"BPE_TEACH_DATA to a folder that holds {FILE}", *parts):
        assert part in str(error)
    assert isinstance(error, ValueError)
    assert (
        error.__cause__ is None and error.__suppress_context__
    )  # in a notebook the reasons behind it would fill pages


# Downloads that succeed


def test_download_is_stored_whole_and_used_again(server, cache):
    assert load_corpus(NAME).encode() == BODY
    assert corpus_path(NAME) == cache / FILE
    assert files(cache) == [FILE]
    assert server.requests == 1


def test_download_prints_nothing_where_nobody_watches(cache, monkeypatch, capsys):
    monkeypatch.setattr("pooch.downloaders.tqdm", None)  # even a hidden bar starts a thread
    logger = pooch.get_logger()
    monkeypatch.setattr(logger, "level", logging.NOTSET)
    monkeypatch.setattr(logger.handlers[0], "stream", sys.stderr)
    load_corpus(NAME)
    assert capsys.readouterr() == ("", "")


def test_progress_is_shown_in_a_terminal(cache, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    load_corpus(NAME)
    assert "100%" in capsys.readouterr().err


@pytest.mark.parametrize("failure", [server_error, truncated, error_page_as_success])
def test_one_failure_is_retried(server, cache, failure):
    server.answers = [failure, send]
    assert load_corpus(NAME).encode() == BODY
    assert files(cache) == [FILE]
    assert server.requests == 2


def test_damaged_copy_is_fetched_again(server, cache):
    cache.mkdir()
    (cache / FILE).write_bytes(BODY[:-1])
    assert load_corpus(NAME).encode() == BODY
    assert (cache / FILE).read_bytes() == BODY
    assert files(cache) == [FILE]


def test_cache_is_looked_up_at_each_call(server, cache, monkeypatch):
    load_corpus(NAME)
    monkeypatch.setenv("BPE_TEACH_DATA", str(cache.parent / "other"))
    assert corpus_path(NAME) == cache.parent / "other" / FILE


def test_without_the_variable_the_user_s_cache_is_used(cache, monkeypatch, tmp_path):
    monkeypatch.delenv("BPE_TEACH_DATA")
    monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / project)
    assert corpus_path(NAME) == tmp_path / "bpe_teach" / FILE


def test_filled_read_only_cache_needs_neither_network_nor_writing(server, cache, monkeypatch):
    cache.mkdir()
    (cache / FILE).write_bytes(BODY)
    (cache / FILE).chmod(0o400)
    cache.chmod(0o500)
    # root may write anywhere, so writing is made impossible in a second way
    monkeypatch.setattr("tempfile.NamedTemporaryFile", lambda *args, **kwargs: 1 / 0)
    before = cache.stat().st_mtime_ns, (cache / FILE).stat().st_mtime_ns
    assert load_corpus(NAME).encode() == BODY
    assert (cache.stat().st_mtime_ns, (cache / FILE).stat().st_mtime_ns) == before
    assert server.requests == 0
    cache.chmod(0o700)


# Downloads that fail


@pytest.mark.parametrize(
    ("failure", "reason", "cause"),
    [
        (not_found, "the server answered with error 404", requests.HTTPError),
        (server_error, "the server answered with error 500", requests.HTTPError),
        (error_page_as_success, "what arrived is not the published file", ValueError),
        (truncated, "the download broke off", requests.exceptions.ChunkedEncodingError),
        (silent, "no answer within 0.1 seconds", requests.Timeout),
        (stalled, "the connection failed", requests.ConnectionError),
    ],
)
def test_failed_download_is_explained_and_leaves_no_file(
    server, cache, monkeypatch, failure, reason, cause
):
    monkeypatch.setattr(corpora, "TIMEOUT", 0.1)
    server.answers = [failure]
    with pytest.raises(CorpusUnavailable) as caught:
        load_corpus(NAME)
    check_message(caught.value, server, reason)
    assert isinstance(caught.value.__context__, cause)
    assert server.requests == 1 + corpora.RETRIES
    assert files(cache) == []


def test_no_network(server, cache, monkeypatch):
    with socket.socket() as unused:  # bound, but nobody listens
        unused.bind(("127.0.0.1", 0))
        server.url = f"http://127.0.0.1:{unused.getsockname()[1]}/{FILE}"
        publish(monkeypatch, server.url)
        with pytest.raises(CorpusUnavailable) as caught:
            load_corpus(NAME)
    check_message(caught.value, server, "the connection failed")
    assert files(cache) == []


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (requests.exceptions.SSLError, "the server's certificate was not accepted"),
        (requests.exceptions.ProxyError, "the proxy did not let it through"),
    ],
)
def test_what_stands_between_is_named(server, cache, monkeypatch, error, reason):
    def downloader(*args):
        raise error

    monkeypatch.setattr("pooch.HTTPDownloader", lambda **options: downloader)
    with pytest.raises(CorpusUnavailable) as caught:
        load_corpus(NAME)
    check_message(caught.value, server, reason)


def test_damaged_copy_that_cannot_be_fetched_again_is_not_used(server, cache):
    server.answers = [not_found]
    cache.mkdir()
    (cache / FILE).write_bytes(b"<html>")
    with pytest.raises(CorpusUnavailable) as caught:
        load_corpus(NAME)
    check_message(caught.value, server, f"the copy {cache / FILE} is damaged", "404")
    assert files(cache) == [FILE]


@pytest.mark.parametrize("below", ["", "below"])
def test_cache_that_is_no_folder(server, cache, monkeypatch, below):
    cache.write_bytes(b"a file")
    monkeypatch.setenv("BPE_TEACH_DATA", str(cache / below))
    with pytest.raises(CorpusUnavailable) as caught:
        load_corpus(NAME)
    check_message(caught.value, server, f"the folder {cache / below} cannot be used")
    assert cache.read_bytes() == b"a file"
    assert server.requests == 0


def test_cache_that_is_read_only_and_empty(server, cache):
    cache.mkdir(mode=0o500)
    if os.access(cache, os.W_OK):
        pytest.skip("this user may write everywhere")
    with pytest.raises(CorpusUnavailable) as caught:
        load_corpus(NAME)
    check_message(caught.value, server, f"the folder {cache} cannot be used", "Permission denied")
    assert files(cache) == []
    cache.chmod(0o700)


# Names, the table, bundled texts


@pytest.mark.parametrize("function", [load_corpus, corpus_path])
def test_unknown_name_lists_the_known_ones(function):
    with pytest.raises(ValueError, match="no corpus 'moby_dick'") as caught:
        function("moby_dick")
    assert all(name in str(caught.value) for name in CORPORA)
    assert not isinstance(caught.value, CorpusUnavailable)


def test_table_of_corpora(monkeypatch, tmp_path):
    monkeypatch.setenv("BPE_TEACH_DATA", str(tmp_path / "cache"))
    table = list_corpora()
    assert isinstance(table, pd.DataFrame)
    assert list(table.index) == list(CORPORA)
    assert list(table.columns) == ["about", "bytes", "source"]
    assert list(table["source"][BUNDLED]) == ["bundled"] * len(BUNDLED)
    assert table.loc["little_prince", "source"] == "raw.githubusercontent.com"
    assert table.loc["gpt2_merges", "bytes"] == 456_318
    assert list(table["bytes"][BUNDLED]) == [len(load_corpus(name).encode()) for name in BUNDLED]
    assert not (tmp_path / "cache").exists()


def test_rows_are_complete():
    assert BUNDLED == ["story", "second_story", "mixed", "parallel", "names", "program", "chat"]
    assert len(DOWNLOADED) == 5
    for corpus in map(CORPORA.get, DOWNLOADED):
        assert corpus.url.startswith("https://")
        assert corpus.size > 0
        assert len(bytes.fromhex(corpus.sha256)) == 32
    assert len({corpus.file for corpus in CORPORA.values()}) == len(CORPORA)


@pytest.mark.parametrize("name", BUNDLED)
def test_a_bundled_text_is_loaded_byte_for_byte(name):
    assert load_corpus(name).encode("utf-8") == corpus_path(name).read_bytes()


def test_names_are_sorted_and_none_is_there_twice():
    names = load_corpus("names").removesuffix("\n").split("\n")
    assert len(names) >= 400
    assert names == sorted(set(names))
    assert f"{len(names):,} given names" in CORPORA["names"].about
    assert {"Zoë", "José", "Małgorzata", "Ngọc"} <= set(names)


@pytest.mark.parametrize("name", ["parallel", "names", "program", "chat"])
def test_letters_are_composed_and_no_line_ends_oddly(name):
    text = load_corpus(name)
    assert unicodedata.is_normalized("NFC", text)
    assert not re.search(r"\r|\s\Z|[^\S\n]$", text.removesuffix("\n"), re.MULTILINE)
    assert text.endswith("\n")


def test_parallel_says_the_same_in_every_language():
    _, *sections = load_corpus("parallel").split("\n## ")
    (language, *english), *others = (section.strip().splitlines() for section in sections)
    assert language == "English" and len(english) >= 8
    assert len(others) == 15 and len({other[0] for other in others}) == 15
    for other in others:
        assert len(other) == 1 + len(english), other[0]
        assert all(other) and not set(other) & set(english), other[0]


def test_program_prints_the_same_whatever_the_hashes():
    command = [sys.executable, str(corpus_path("program"))]
    outputs = {
        subprocess.check_output(command, env={**os.environ, "PYTHONHASHSEED": seed}, text=True)
        for seed in ["0", "1", "2"]
    }
    (output,) = outputs
    # R13 for 42 minutes at 0.12 crowns each, X7 for 46 at 0.25; the X5 would miss the X7
    assert "   96 minutes, 2 trains, 16.54 crowns\n" in output
    assert output.endswith("2 of 4 journeys are possible.\n")


def test_chat_has_messages_and_emoji_of_several_code_points():
    chat = load_corpus("chat")
    assert all(re.fullmatch(r"\w+: \S.*", line) for line in chat.splitlines())
    assert "\N{ZERO WIDTH JOINER}".join("👨👩👧👦") in chat
    for kind in ["[🏻-🏿]", "[🇦-🇿]{2}", "[0-9]\ufe0f\u20e3"]:  # skin tones, flags, keycaps
        assert re.search(kind, chat), kind


def test_bundled_text_is_found_in_the_package_first(monkeypatch, tmp_path):
    package = tmp_path / "bpe_teach"
    monkeypatch.setattr(corpora, "__file__", str(package / "corpora.py"))
    with pytest.raises(CorpusUnavailable, match=r"story\.txt, which comes with the package"):
        load_corpus("story")
    for folder, text in [(tmp_path / "data", "checkout"), (package / "data", "wheel")]:
        folder.mkdir(parents=True)
        (folder / "story.txt").write_text(text)
        assert load_corpus("story") == text


def test_import_and_bundled_texts_load_no_heavy_package():
    code = (
        "import sys; from bpe_teach.corpora import load_corpus; load_corpus('mixed'); "
        "print({'pandas', 'pooch', 'requests'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"
