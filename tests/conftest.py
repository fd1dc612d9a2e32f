"""Fixtures for all tests: settings of hypothesis, texts, a small tokenizer for every scheme."""

import gc
import os
import re
import shutil
import signal
import subprocess
import threading
from functools import cache
from pathlib import Path

import pytest
from common import ALL_EXAMPLES, read_claims
from hypothesis import settings

from bpe_further import from_gpt2
from bpe_teach import SCHEMES, Tokenizer
from bpe_teach.corpora import CorpusUnavailable, load_corpus
from bpe_teach.exercises import exercise
from bpe_teach.exercises.runner import parent

TRAINING_CHARACTERS = 20_000
NUM_MERGES = 200
BROWSER_FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-quic"),
]


CLAIMS = Path(__file__).parent / "claims"
SLOW = {"browser", "site"}  # fixtures
FEWER = {"some_inputs", "some_texts", "every"}  # with these, a test tries more if all tests run


def pytest_configure(config):
    """Choose how many examples hypothesis tries, always the same ones and without a clock."""
    for name, number in {"all": ALL_EXAMPLES, "some": ALL_EXAMPLES // 5}.items():
        settings.register_profile(name, max_examples=number, derandomize=True, deadline=None)
    settings.load_profile("all" if config.getoption("all") else "some")


def pytest_collection_modifyitems(items):
    """Mark as slow all claims, which train tokenizers, and what needs a browser or the site.

    What tries more with ``--all``, as a property does, gets the mark of hypothesis, too.
    """
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & SLOW or CLAIMS in item.path.parents:
            item.add_marker(pytest.mark.slow)
        if fixtures & FEWER:
            item.add_marker(pytest.mark.hypothesis)


PASSED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Note whether a test has passed: one that was skipped or has failed needn't say anything."""
    report = yield
    if report.when == "call":
        item.stash[PASSED] = report.passed
    return report


@pytest.fixture
def says(request):
    """Compare the words of the claims that a test holds with what it has found.

    ``says("longer" if … else "shorter")``: each of the words must stand in one of these claims, in
    the table and so on the page. A test says something of each of its claims, as a sentence whose
    words nobody compares could be turned into its opposite.
    """
    name = request.function.__name__
    unsaid = {claim for _, claim, holder in read_claims() if name in holder.split()}
    claims = sorted(unsaid)
    assert claims, f"no claim in claims.txt is held by {name}"

    def say(*words):
        for part in words:
            whole = re.compile(rf"(?i)(?<!\w){re.escape(part)}(?!\w)")
            found = [claim for claim in claims if whole.search(claim)]
            assert found, f"it was found that {part!r}, but it is claimed: {' / '.join(claims)}"
            unsaid.difference_update(found)

    yield say
    if request.node.stash.get(PASSED, False):
        assert not unsaid, f"of this the test says nothing: {' / '.join(unsaid)}"


def refuse(*_given, **_options):
    """Do what Pyodide does where it is asked for a process or a thread."""
    raise OSError(52, "Function not implemented")


@pytest.fixture
def no_process(monkeypatch):
    """Let no process and no thread start, and no signal come, as in a browser."""
    monkeypatch.setattr(os, "fork", refuse, raising=False)
    monkeypatch.setattr(subprocess, "Popen", refuse)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.delattr(signal, "setitimer", raising=False)
    parent._say_once.cache_clear()
    return monkeypatch


TRIED = {}  # slip, input -> what came of it


@pytest.fixture
def judged_here(monkeypatch):
    """Judge in this process, and try each slip once on each input; other tests are of processes."""
    try_slip = exercise._try

    def try_once(function, given, most=0):
        key = function, repr(given)
        if key not in TRIED:
            TRIED[key] = try_slip(function, given, most)
        return TRIED[key]

    def start_here(space, functions, *, limits=None, may_act=True):
        limits = limits or parent.LIMITS
        return parent.Here(space, functions, limits.seconds, may_act)

    monkeypatch.setattr(exercise, "_try", try_once)
    monkeypatch.setattr(parent, "start", start_here)
    callbacks = gc.callbacks[:]  # Hypothesis has one; what an alarm raises in it would be lost
    gc.callbacks.clear()
    yield
    gc.callbacks[:] = callbacks


@pytest.fixture
def every() -> int:
    """Return 1 if all tests run; otherwise only every fifth thing is tried."""
    return ALL_EXAMPLES // settings.default.max_examples


@pytest.fixture
def some_inputs(monkeypatch):
    """Draw fewer inputs, unless all tests run: as many as there are examples of a property."""
    number = exercise.RANDOM_INPUTS * settings.default.max_examples // ALL_EXAMPLES
    monkeypatch.setattr(exercise, "RANDOM_INPUTS", number)


@pytest.fixture(scope="session")
def story() -> str:
    """The bundled training text."""
    return load_corpus("story")


@pytest.fixture(scope="session")
def small_tokenizers(story) -> dict[str, Tokenizer]:
    """One small tokenizer per scheme, by the scheme's name."""
    text = story[:TRAINING_CHARACTERS]
    return {
        name: Tokenizer.train(text, scheme=name, num_merges=NUM_MERGES, tie_break="first")
        for name in SCHEMES
    }


@pytest.fixture(scope="session")
def corpus():
    """Return a function that loads a text by name, once, or skips the test with the reason."""

    @cache
    def load(name: str) -> tuple[str, str]:  # text, why there is none
        try:
            return load_corpus(name), ""
        except CorpusUnavailable as error:
            return "", str(error)

    def get(name: str) -> str:
        text, reason = load(name)
        if reason:
            pytest.skip(f"corpus {name!r} is not available: {reason}")
        return text

    return get


@pytest.fixture(scope="session")
def gpt2(corpus):
    """Read GPT-2's tokenizer from the published files."""
    for name in ("gpt2_merges", "gpt2_vocab"):
        corpus(name)  # skips if it is unavailable
    return from_gpt2()


@pytest.fixture(scope="session")
def published_pattern():
    """Return a function that returns tiktoken's split patterns without loading vocabularies."""
    pytest.importorskip("tiktoken")
    from tiktoken_ext import openai_public

    def get(name: str) -> str:
        constructor = {"gpt2": "gpt2", "cl100k": "cl100k_base", "o200k": "o200k_base"}[name]
        with pytest.MonkeyPatch.context() as patch:
            for fetch in ("load_tiktoken_bpe", "data_gym_to_mergeable_bpe_ranks"):
                patch.setattr(openai_public, fetch, lambda *args, **kwargs: {})
            return getattr(openai_public, constructor)()["pat_str"]

    return get


@pytest.fixture(scope="session")
def browser():
    """Start a browser, which is closed after the last test."""
    playwright = pytest.importorskip("playwright.sync_api", reason="a browser needs playwright")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("there is no chromium on the path")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=BROWSER_FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser):
    """Return a function that opens a file in a browser, without a network.

    No page may have an error. It asks for nothing but itself if it stands ``alone``, and its
    console says nothing if it is ``quiet``.
    """
    contexts, faults = [], []

    def open_it(path, size=(1400, 900), *, alone=True, quiet=True, hash="", **options):
        viewport = dict(zip(("width", "height"), size, strict=True))
        contexts.append(browser.new_context(offline=True, viewport=viewport, **options))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        if quiet:
            page.on("console", lambda message: faults.append(message.text))
        if alone:
            page.on("request", lambda request: faults.append(request.url))
        page.goto(path.as_uri() + hash)
        faults[:] = [fault for fault in faults if fault != path.as_uri()]
        return page

    yield open_it
    for context in contexts:
        context.close()
    expected = ("data:", "Failed to fetch")  # the site's search looks for files: there is no server
    assert [fault for fault in faults if not fault.startswith(expected)] == []
