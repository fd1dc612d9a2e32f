"""Save and load: files are written whole, readable, and accepted only if they hold a tokenizer."""

import json
import os
import re
from dataclasses import replace
from pathlib import Path

import hostile
import pytest
from common import ANY_TEXT, BYTE_SCHEMES, NAMES, examples, rows
from hostile import changed
from hypothesis import given
from hypothesis import strategies as st

from bpe_further.exchange.load import load_tokenizer
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.schemes import PublishedScheme
from bpe_teach import SCHEMES, Tokenizer
from bpe_teach.schemes import BYTES  # noqa: F401 - rows of the tables use it

# One file a scheme, of version 1, and what published tokenizers have, of version 2
SAVED = json.loads(Path(__file__).with_name("saved.json").read_text("utf-8"))
MARK, UNKNOWN = "<|end of text|>", "[?]"
EVIL = hostile.EVIL.decode()


def trained(scheme, num_merges=8):
    """Train a tokenizer with special tokens, and an unknown token where there can be one."""
    return Tokenizer.train(
        "low lower é </w> low lower é </w>",
        scheme=scheme,
        num_merges=num_merges,
        special_tokens=[MARK, "हि\n"],
        unk_token=None if scheme in BYTE_SCHEMES else UNKNOWN,
    )


@pytest.fixture(scope="module")
def contents(tmp_path_factory):
    folder, contents = tmp_path_factory.mktemp("contents"), {}
    for scheme in ("end_of_word", "last_character", "chars", "gpt2"):
        trained(scheme).save(folder / scheme)
        contents[scheme] = (folder / scheme).read_bytes()
    return contents


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("damage") / "tok.json"


def refused(file, content):
    """Write content to a file and return the ValueError that loading it raises."""
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(ValueError) as error:
        load_tokenizer(file)
    assert str(file) in str(error.value), "the error does not name the file"
    return str(error.value)


# the way there and back


def check_round_trip(tok, file):
    """Check that a file gives a tokenizer that is equal in all, and the same file again."""
    tok.save(str(file))
    content = file.read_bytes()
    again = load_tokenizer(file)
    assert again == tok
    assert (again.vocab, again.special_tokens) == (tok.vocab, tok.special_tokens)
    assert [type(symbol) for symbol in again.vocab.values()] == [*map(type, tok.vocab.values())]
    assert (again.scheme, again.stopped, again.unk_token) == (
        tok.scheme,
        tok.stopped,
        tok.unk_token,
    )
    assert type(again.scheme.marker) is type(tok.scheme.marker)
    again.save(file)
    assert file.read_bytes() == content
    return again


@examples(60)
@given(
    name=st.sampled_from(NAMES),
    text=ANY_TEXT,
    more=st.sampled_from(["", "</w>_ </w>_", "a a</w>b a a</w>b"]),  # the last: with one spelling
    specials=st.sets(ANY_TEXT.filter(len), max_size=3),
)
def test_any_text_and_special_tokens_make_the_round_trip(file, name, text, more, specials):
    options = {"scheme": name, "num_merges": 9, "min_count": 1, "special_tokens": sorted(specials)}
    tok = Tokenizer.train([text, more], **options)
    again = check_round_trip(tok, file)
    assert again.encode(text, allowed_special="all") == tok.encode(text, allowed_special="all")


def test_a_scheme_whose_function_no_file_can_hold_is_not_saved(tmp_path):
    own = replace(SCHEMES["words"], name="mine", prepare=str.upper)
    tok = PublishedTokenizer.train("low low", scheme=own, num_merges=1)
    assert tok.tokens("low") == ["LO", "W"]
    with pytest.raises(ValueError, match="mine.*prepare"):
        tok.save(tmp_path / "tok.json")
    assert list(tmp_path.iterdir()) == []


OWN = PublishedScheme(
    "mine", "letters", "[a-zé]+", bytes, normalizations=("NFC",), prefix="a", loses="much"
)
LOW = [b"l", b"o", b"w", b" ", b"\xc3", b"\xa9"]
IDS = {b"o": 0, b"l": 9, b"w": 4, b" ": 5, b"\xc3": 7, b"\xa9": 6, b"low": 2, b"ow": 3, b"olo": 8}
MERGES = [(b"l", b"ow", 0), (b"o", b"w", 3)]  # the first waits for the second
SPECIAL = {MARK: 70, "<|also|>": 70, "<|pad|>": 1}
ADDED = {"  ": 500}
PUBLISHED = dict(rows("storage/published", globals()))


@pytest.mark.parametrize("name", PUBLISHED)
def test_what_others_have_is_saved_in_a_file_of_version_2(name, tmp_path):
    tok, more = PUBLISHED[name]
    check_round_trip(tok, tmp_path / "tok.json")
    data = json.loads((tmp_path / "tok.json").read_text("utf-8"))
    assert data["version"] == 2
    assert data.keys() == {where[0] for _, where, *_ in DAMAGE} | more


@pytest.mark.parametrize("name", SAVED)
def test_a_file_of_each_kind_loads_and_is_saved_as_it_was(name, tmp_path):
    saved = SAVED[name]
    (tmp_path / "tok.json").write_text(saved["file"], "utf-8")
    for load in (load_tokenizer, PublishedTokenizer.load, Tokenizer.load):
        if load == Tokenizer.load and name not in NAMES:
            with pytest.raises(ValueError, match=r"PublishedTokenizer\.load"):
                load(tmp_path / "tok.json")
            continue
        tok = load(tmp_path / "tok.json")
        assert tok.encode(saved["text"], allowed_special="all") == saved["ids"]
        tok.save(tmp_path / "again.json")
        assert load(tmp_path / "again.json") == tok
        assert (tmp_path / "again.json").read_text("utf-8") == saved["file"]


LATER_DAMAGE = rows("storage/later_damage", globals())


@pytest.mark.parametrize(("where", "values", "message"), LATER_DAMAGE)
def test_what_does_not_fit_in_a_file_of_version_2_is_refused(where, values, message, file):
    PUBLISHED["whole words"][0].save(file)
    data = json.loads(file.read_bytes())
    for value in values:
        assert re.search(message, refused(file, changed(data, where, value))), value


# whole or not at all


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("fault", [OSError(28, "full", "a copy"), KeyboardInterrupt()], ids=repr)
def test_an_error_while_writing_leaves_the_old_file(step, fault, contents, tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise fault

    file = tmp_path / "tok.json"
    file.write_bytes(contents["chars"])
    with monkeypatch.context() as patch, pytest.raises(type(fault)) as raised:
        patch.setattr(os, step, fail)
        trained("gpt2").save(file)
    assert getattr(raised.value, "filename", str(file)) == str(file)
    assert file.read_bytes() == contents["chars"]
    assert list(tmp_path.iterdir()) == [file]
    trained("gpt2").save(file)
    assert file.read_bytes() == contents["gpt2"]
    assert list(tmp_path.iterdir()) == [file]


def test_a_missing_file_or_folder_is_the_usual_error_and_names_it(tmp_path):
    for use, name in ((load_tokenizer, "none.json"), (trained("gpt2").save, "none/tok.json")):
        with pytest.raises(FileNotFoundError) as error:
            use(tmp_path / name)
        assert error.value.filename == str(tmp_path / name)


# damaged files


def test_a_file_cut_off_at_any_byte_is_refused(file):
    tok = trained("end_of_word", num_merges=2)
    tok.save(file)
    content = file.read_bytes()
    for length in range(len(content) - 1):  # without its last byte, a newline, it is still whole
        refused(file, content[:length])
    file.write_bytes(content[:-1])
    assert load_tokenizer(file) == tok


def test_what_is_no_tokenizer_at_all_is_refused(file):
    for content in hostile.NO_TOKENIZER:
        refused(file, content)


def test_a_tokenizer_too_deeply_nested_or_in_another_encoding_is_refused(file, contents):
    text = contents["end_of_word"].decode()
    deep = "[" * 100_000 + "]" * 100_000
    refused(file, text.replace('"special_tokens": [', f'"special_tokens": [{deep}, ').encode())
    refused(file, text.encode("utf-16"))
    refused(file, text.encode("utf-8-sig"))
    refused(file, text.replace("हि", "").encode("latin-1"))


ODD = [*hostile.JSON_VALUES, 0, -1, 1.0, 2**70, "\ud800"]
NO_TEXT = [odd for odd in ODD if not isinstance(odd, str)]
NO_COUNT = [odd for odd in ODD if type(odd) is not int or odd < 0]
NO_IDS = [*NO_COUNT, 2**70]
TOKEN = "special_tokens|must be a str|distinct and not empty|surrogate|already|whole"
DAMAGE = rows("storage/damage", globals())


@pytest.mark.parametrize(("scheme", "where", "values", "message"), DAMAGE)
def test_what_does_not_fit_in_its_place_is_refused(scheme, where, values, message, contents, file):
    data = json.loads(contents[scheme])
    for value in values:
        assert re.search(message, refused(file, changed(data, where, value))), value


@pytest.mark.parametrize(("name", "odds", "message"), rows("storage/alphabets", globals()))
def test_an_alphabet_with_something_odd_or_twice_is_refused(name, odds, message, contents, file):
    data = json.loads(contents[name]) | {"merges": []}
    for odd in odds:
        assert message in refused(file, data | {"alphabet": [*data["alphabet"], odd]}), odd


def test_a_missing_field_is_refused_and_named(contents, file):
    data = json.loads(contents["end_of_word"])
    assert set(data) == {where[0] for _, where, *_ in DAMAGE}, "the table of damage lacks a field"
    for field in set(data) - {"stopped", "unk_token"}:
        rest = {name: value for name, value in data.items() if name != field}
        assert field in refused(file, rest)


def loads_or_is_refused(file, content):
    """A damaged file still gives a tokenizer, which can be saved, or a ValueError that names it."""
    file.write_bytes(content)
    try:
        tok = load_tokenizer(file)
    except ValueError as error:
        assert str(file) in str(error)
    else:
        tok.save(file)
        assert load_tokenizer(file) == tok


TEXT = st.text(max_size=4)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
PLACES = [["special_tokens"], ["unk_token"], ["alphabet"], ["merges"], ["stopped"]]
PLACES += [["merges", rank, column] for rank in range(4) for column in range(4)]


@examples(200)
@given(where=st.sampled_from(PLACES), value=JSON)
def test_any_value_in_any_place_loads_or_is_refused(contents, file, where, value):
    data = changed(json.loads(contents["end_of_word"]), where, value)
    loads_or_is_refused(file, json.dumps(data).encode())


@examples(300)
@given(place=st.integers(0, 10**4), byte=st.integers(0, 255))
def test_any_single_byte_changed_loads_or_is_refused(contents, file, place, byte):
    content = bytearray(contents["end_of_word"])
    content[place % len(content)] = byte
    loads_or_is_refused(file, bytes(content))
