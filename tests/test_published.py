"""Published results of five other teaching implementations, reproduced exactly (published.json)."""

import csv
import io
import json
import os
from functools import cache
from pathlib import Path

import pytest
from common import NUMBERS

from bpe_teach import SCHEMES, Tokenizer, compression_curve, learn_merges_naive
from bpe_teach.corpora import CORPORA
from bpe_teach.encode import encode_by_rank, encode_by_replay
from bpe_teach.symbols import WordEnd

PUBLISHED = json.loads(Path(__file__).with_name("published.json").read_text("utf-8"))
CORPUS_OF_FILE = {corpus.file: name for name, corpus in CORPORA.items()}
# Two of the programs have published two results each.
PROGRAM = {"chars_names": "chars", "end_of_word_b": "end_of_word_a"}
HOW_MANY = NUMBERS[len({PROGRAM.get(name, name) for name in PUBLISHED})]
SIZES = ("vocab_size", "num_merges", "min_count")


@pytest.fixture(scope="module")
def developers_text():
    """Return a function that reads a file that is not the project's to ship, or skips."""

    def read(name: str) -> str:
        folder = os.environ.get("BPE_TEACH_DATA", "")
        file = Path(folder).resolve().parent / "expected" / name
        if not folder or not file.is_file():
            where = f"../expected/{name} beside the folder that BPE_TEACH_DATA names"
            pytest.skip(f"developers only: {where}")
        return file.read_text("utf-8")

    return read


@pytest.fixture(scope="module")
def text_of(corpus, developers_text):
    """Return a function that gives the training text of a published result, by name."""

    def get(name: str) -> str | list[str]:
        if name == "end_of_word_c":
            return json.loads(developers_text("systems.json"))[name]["training_corpus"]
        source = PUBLISHED[name]["corpus"]
        text = source if isinstance(source, list) else corpus(CORPUS_OF_FILE[source])
        return names_in(text) if name == "chars_names" else text

    return get


def names_in(table):
    """Choose names as published: lower-cased, stripped, 3 to 9 letters long; one a line."""
    rows = csv.DictReader(io.StringIO(table, newline=""))
    found = [row["Name"].lower().strip() for row in rows]
    kept = [name for name in found if 3 <= len(name) <= 9 and name.isalpha()]
    kept.remove("nan")  # read with pandas, as published, this name becomes a missing value
    assert len(kept) == PUBLISHED["chars_names"]["names"]
    return "\n".join(kept)


@pytest.fixture(scope="module")
def trained(text_of):
    """Return a function that trains a tokenizer as published, by name; each once."""

    @cache
    def get(name: str) -> Tokenizer:
        expected = PUBLISHED[name]
        options = {size: expected[size] for size in SIZES if size in expected}
        return Tokenizer.train(text_of(name), scheme=expected["scheme"], **options)

    return get


SHAKESPEARE = pytest.param("chars", marks=pytest.mark.slow)
SLOW_NAMES = pytest.param("chars_names", marks=pytest.mark.slow)
SMALL = [name for name in PUBLISHED if not name.startswith("chars")]


@pytest.mark.parametrize("name", [*SMALL, "chars_names", SHAKESPEARE])
def test_training_gives_what_was_published(name, trained, text_of, says):
    tok, expected, text = trained(name), PUBLISHED[name], text_of(name)
    words = SCHEMES[expected["scheme"]].word_counts(text)
    counts = [merge.count for merge in tok.merges]
    found = {
        "merges": [[str(merge.left), str(merge.right)] for merge in tok.merges],
        "counts": counts,
        "first_counts": counts[:5],
        "last_counts": counts[-3:],
        "vocab": sorted(tok.vocab.values(), key=str),
        "vocab_size": len(tok),
        "alphabet": len(tok.alphabet),
        "words": sum(words.values()),
        "unique": len(words),
        "chars": len(text),
    }
    facts = found.keys() & expected.keys()
    assert {fact: found[fact] for fact in facts} == {fact: expected[fact] for fact in facts}
    says(f"the published results of {HOW_MANY} other teaching implementations exactly")
    number = len(PUBLISHED["underscore"]["merges"])  # which is one of them
    says("can be repeated exactly", f"find all {number} merges, and every published count")


@pytest.mark.parametrize("name", [*SMALL, SLOW_NAMES])  # of Shakespeare it takes minutes
def test_the_naive_loop_learns_the_same(name, trained, text_of, says):
    expected, merges = PUBLISHED[name], trained(name).merges
    words = SCHEMES[expected["scheme"]].word_counts(text_of(name))
    assert learn_merges_naive(words, len(merges), min_count=expected["min_count"]) == merges
    says("the slow loop and the fast trainer both find all")


def typed(symbol):
    """Read a published symbol: one that ends in </w> ends a word."""
    return WordEnd(symbol) if symbol.endswith("</w>") else symbol


@pytest.mark.parametrize("name", [name for name in PUBLISHED if "encodings" in PUBLISHED[name]])
def test_the_published_merges_encode_as_published(name, says):
    """This needs no text, only the merges."""
    scheme = SCHEMES[PUBLISHED[name]["scheme"]]
    merges = [tuple(map(typed, pair)) for pair in PUBLISHED[name]["merges"]]
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    for text, tokens in PUBLISHED[name]["encodings"].items():
        (word,) = map(scheme.symbols, scheme.split(text))
        encoded = encode_by_rank(word, ranks)
        assert encode_by_replay(word, merges) == encoded
        if name == "end_of_word_c" and encoded[-1] == typed("</w>"):
            encoded = encoded[:-1]  # published without a lone marker at the end of a word
        assert [str(token) for token in encoded] == tokens
    says("reproduces the published results", "exactly")


@pytest.mark.parametrize("name", ["chars_names", SHAKESPEARE])
def test_a_whole_text_has_the_published_number_of_tokens(name, trained, text_of):
    tok, expected, text = trained(name), PUBLISHED[name], text_of(name)
    ids = tok.encode(text)
    assert len(ids) == expected["tokens"]
    assert tok.decode(ids) == text
    if "ratio" in expected:  # characters per token; the source promises "3–4"
        assert round(len(text) / len(ids), 4) == expected["ratio"]


def test_underscore_saves_the_published_share_of_a_text_it_has_not_seen(trained, developers_text):
    tok, expected = trained("underscore"), PUBLISHED["underscore"]
    text = developers_text("underscore_test_text.txt")
    assert (len(text), len(text.split())) == (expected["test_chars"], expected["test_words"])
    assert len(tok.encode(text)) == expected["test_tokens"] == 800
    saved = compression_curve(tok, text, [500]).saved_percent[0]
    assert round(saved, 1) == expected["saved_percent"] == 65.2
