"""Save and load: whole or not at all, readable, and nothing but a tokenizer is ever accepted."""

import json
import os
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_teach import SCHEMES, Merge, Tokenizer
from bpe_teach.corpora import load_corpus
from bpe_teach.symbols import WordEnd

NAMES = list(SCHEMES)
BYTE_SCHEMES = [name for name in NAMES if SCHEMES[name].units is bytes]
END, UNKNOWN = "<|end of text|>", "[?]"
EVIL = "__import__('os').abort()"


def trained(scheme, text="low lower é </w> low lower é </w>"):
    """Train a tokenizer with special tokens, and an unknown token where there can be one."""
    unknown = None if scheme in BYTE_SCHEMES else UNKNOWN
    return Tokenizer.train(
        text, scheme=scheme, num_merges=8, special_tokens=[END, "हि\n"], unk_token=unknown
    )


def saved(folder, scheme="end_of_word"):
    """Save a small tokenizer; return the file and what it says."""
    file = folder / "tok.json"
    trained(scheme).save(file)
    return file, json.loads(file.read_text("utf-8"))


def refused(file, content):
    """Write content to a file and return the ValueError that loading it raises."""
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(ValueError) as error:
        Tokenizer.load(file)
    assert str(file) in str(error.value), "the error does not name the file"
    return str(error.value)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("damage")


# the way there and back


@pytest.mark.parametrize("name", NAMES)
def test_every_scheme_makes_the_round_trip(name, tmp_path):
    tok, file = trained(name), tmp_path / "tok.json"
    tok.save(file)
    again = Tokenizer.load(file)
    assert again == tok
    assert again.vocab == tok.vocab
    assert [type(symbol) for symbol in again.vocab.values()] == [*map(type, tok.vocab.values())]
    assert (again.stopped, again.unk_token) == (tok.stopped, tok.unk_token)
    text = f"low {END} lowest? </w>é हि\n"
    for allowed in ((), "all"):
        ids = tok.encode(text, allowed_special=allowed)
        assert again.encode(text, allowed_special=allowed) == ids
        assert again.decode(ids) == tok.decode(ids)


@pytest.mark.parametrize("name", NAMES)
def test_a_trained_tokenizer_encodes_a_whole_text_alike_after_the_round_trip(
    name, small_tokenizers, tmp_path
):
    tok, text = small_tokenizers[name], load_corpus("story")[:20_000]
    tok.save(tmp_path / "tok.json")
    again = Tokenizer.load(tmp_path / "tok.json")
    assert again == tok
    assert again.encode(text) == tok.encode(text)


@settings(max_examples=50)
@given(
    name=st.sampled_from(NAMES),
    text=st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    specials=st.sets(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), max_size=3),
)
def test_any_text_and_special_tokens_make_the_round_trip(folder, name, text, specials):
    names = sorted(specials)
    options = {"scheme": name, "num_merges": 9, "min_count": 1, "special_tokens": names}
    tok = Tokenizer.train([text, "</w>_ </w>_"], **options)
    tok.save(folder / "any.json")
    again = Tokenizer.load(folder / "any.json")
    assert again == tok
    assert again.encode(text, allowed_special="all") == tok.encode(text, allowed_special="all")


def test_an_empty_tokenizer_makes_the_round_trip(tmp_path):
    tok = Tokenizer.train("", scheme="chars", num_merges=3)
    tok.save(tmp_path / "tok.json")
    assert Tokenizer.load(tmp_path / "tok.json") == tok


def test_the_same_tokenizer_makes_the_same_file(tmp_path):
    for file in ("a.json", "b.json"):
        trained("end_of_word").save(tmp_path / file)
    Tokenizer.load(tmp_path / "a.json").save(tmp_path / "c.json")
    contents = {file.read_bytes() for file in tmp_path.iterdir()}
    assert len(contents) == 1


def test_a_path_may_be_a_str(tmp_path):
    tok, path = trained("gpt2"), str(tmp_path / "tok.json")
    tok.save(path)
    assert Tokenizer.load(path) == tok


@pytest.mark.parametrize("name", NAMES)
def test_the_file_is_json_in_utf_8_with_one_merge_a_line(name, tmp_path):
    file, data = saved(tmp_path, name)
    text = file.read_bytes().decode("utf-8")
    assert "é" in text and "\\u" not in text
    assert text.endswith("}\n")
    lines = [line.strip().rstrip(",") for line in text.splitlines()]
    assert all(json.dumps(row, ensure_ascii=False) in lines for row in data["merges"])
    assert data["version"] == 1
    assert data["scheme"] == name
    assert len(data["merges"]) > 3


def test_a_scheme_that_no_file_could_name_is_not_saved(tmp_path):
    own = replace(SCHEMES["words"], name="mine")
    tok = Tokenizer.train("low low", scheme=own, num_merges=1)
    assert tok.tokens("low") == ["lo", "w"]
    with pytest.raises(ValueError, match="mine"):
        tok.save(tmp_path / "tok.json")
    assert list(tmp_path.iterdir()) == []


# whole or not at all


@pytest.mark.parametrize("step", ["fsync", "replace"])
@pytest.mark.parametrize("fault", [OSError("disk full"), KeyboardInterrupt()], ids=repr)
def test_an_error_while_writing_leaves_the_old_file_and_no_other(
    step, fault, tmp_path, monkeypatch
):
    file, _ = saved(tmp_path)
    before = file.read_bytes()

    def fail(*args, **kwargs):
        raise fault

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(type(fault)):
        trained("gpt2").save(file)
    assert file.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file]


def test_saving_again_replaces_the_old_file(tmp_path):
    file, _ = saved(tmp_path)
    trained("gpt2").save(file)
    assert Tokenizer.load(file) == trained("gpt2")
    assert list(tmp_path.iterdir()) == [file]


def test_a_missing_file_or_folder_is_the_usual_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        Tokenizer.load(tmp_path / "none.json")
    with pytest.raises(FileNotFoundError):
        trained("gpt2").save(tmp_path / "none" / "tok.json")


# damaged files


def test_a_file_cut_off_at_any_byte_is_refused(tmp_path):
    file, _ = saved(tmp_path)
    content = file.read_bytes()
    for length in range(len(content) - 1):  # without its last byte, a newline, it is still whole
        refused(file, content[:length])
    file.write_bytes(content[:-1])
    assert Tokenizer.load(file) == trained("end_of_word")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"{}",
        b"[]",
        b"null",
        b'"text"',
        b"7",
        b"NaN",
        b"\xff\xfe{}",
        b"\x80\x04K\x01.",
        b"<html>404</html>",
        EVIL.encode(),
        b"[" * 200_000,
        b'{"a":' * 200_000,
        b"9" * 10_000,
    ],
    ids=lambda content: repr(content[:20]),
)
def test_what_is_no_tokenizer_at_all_is_refused(content, tmp_path):
    refused(tmp_path / "tok.json", content)


def test_deep_nesting_inside_a_tokenizer_is_refused(tmp_path):
    file, _ = saved(tmp_path)
    deep = "[" * 100_000 + "]" * 100_000
    content = file.read_text("utf-8").replace('"special_tokens": [', f'"special_tokens": [{deep}, ')
    refused(file, content.encode())


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1", "utf-8-sig"])
def test_another_encoding_is_refused(encoding, tmp_path):
    file = tmp_path / "tok.json"
    Tokenizer.train("né né", scheme="words", num_merges=1).save(file)
    refused(file, file.read_text("utf-8").encode(encoding))


ODD = [None, True, 0, -1, 1.0, 2**70, "", "x", [], ["x"], [[]], [None], {}, {"x": 1}]
FITTING = {
    "format": [],
    "version": [],
    "scheme": [],
    "stopped": ["", "x"],
    "special_tokens": [[], ["x"]],
    "unk_token": [None, "x"],
    "alphabet": [],
    "merges": [[]],
}


UNFIT = [
    (field, odd)
    for field, fitting in FITTING.items()
    for odd in ODD
    if not any(odd == fit and type(odd) is type(fit) for fit in fitting)
]


@pytest.mark.parametrize(("field", "odd"), UNFIT, ids=repr)
def test_a_field_of_the_wrong_type_or_value_is_refused(field, odd, tmp_path):
    file, data = saved(tmp_path)
    refused(file, data | {field: odd})


def test_the_table_of_fields_is_complete(tmp_path):
    assert set(saved(tmp_path)[1]) == set(FITTING)


@pytest.mark.parametrize(
    "field", ["format", "version", "scheme", "special_tokens", "alphabet", "merges"]
)
def test_a_missing_field_is_refused(field, tmp_path):
    file, data = saved(tmp_path)
    del data[field]
    assert field in refused(file, data)


@pytest.mark.parametrize("odd", [*ODD, [0, 1, 2], [0, 1, 2, "x", 3]], ids=repr)
@pytest.mark.parametrize("rank", [0, -1])
def test_a_merge_that_is_no_row_is_refused(rank, odd, tmp_path):
    file, data = saved(tmp_path)
    data["merges"][rank] = odd
    assert "merge" in refused(file, data)


@pytest.mark.parametrize(
    ("column", "odd"),
    [
        (column, odd)
        for column in range(4)
        for odd in (None, True, -1, 1.0, 2**70, "", "x", [], [0], {})
        if (column, odd) != (2, 2**70)  # a count may be large
    ],
    ids=repr,
)
def test_a_wrong_entry_of_a_merge_is_refused(column, odd, tmp_path):
    file, data = saved(tmp_path)
    data["merges"][0][column] = odd
    assert "merge 0" in refused(file, data)


@pytest.mark.parametrize("name", ["end_of_word", "gpt2"])
def test_a_merge_cannot_use_its_own_id_or_a_later_one(name, tmp_path):
    file, data = saved(tmp_path, name)
    for i in range(len(data["alphabet"]), len(data["alphabet"]) + 3):
        data["merges"][0][0] = i
        assert f"id {i}" in refused(file, data)


def test_a_merge_that_is_there_twice_is_refused(tmp_path):
    file, data = saved(tmp_path)
    data["merges"].append(data["merges"][0])
    assert "merge" in refused(file, data)


def test_a_merge_that_makes_something_else_is_refused(tmp_path):
    file, data = saved(tmp_path)
    data["merges"][0][3] += "x"
    assert "merge 0" in refused(file, data)


def test_merges_in_another_order_are_refused_if_a_part_is_not_made_yet(tmp_path):
    file, data = saved(tmp_path)
    data["merges"].reverse()
    refused(file, data)


@pytest.mark.parametrize(
    ("name", "odd"),
    [
        *[("end_of_word", odd) for odd in (None, 7, True, 1.5, "", "ab", ["a"], {}, "l", "</w>")],
        *[("chars", odd) for odd in (None, 7, "", "ab", "</w>", "l")],
        *[("gpt2", odd) for odd in (None, True, 1.0, -1, 256, 2**70, "a", [0], 108)],
    ],
    ids=ascii,
)
def test_an_alphabet_with_something_odd_or_twice_is_refused(name, odd, tmp_path):
    file, data = saved(tmp_path, name)
    data["alphabet"].append(odd)
    data["merges"] = []
    assert "alphabet" in refused(file, data)


@pytest.mark.parametrize(
    ("field", "odd"), [("alphabet", ["\ud800"]), ("stopped", "\ud800")], ids=ascii
)
def test_half_a_surrogate_pair_in_a_file_is_refused(field, odd, tmp_path):
    file, data = saved(tmp_path)
    refused(file, data | {"merges": [], field: odd})


def test_an_alphabet_that_lacks_a_byte_is_refused(tmp_path):
    file, data = saved(tmp_path, "gpt2")
    data["alphabet"].remove(255)
    data["merges"] = []
    assert "256 bytes" in refused(file, data)


@pytest.mark.parametrize(
    "odd", [[""], ["x", "x"], [1], [None], [["x"]], ["\ud800"], [{}], "x"], ids=ascii
)
def test_unfit_special_tokens_in_a_file_are_refused(odd, tmp_path):
    file, data = saved(tmp_path)
    refused(file, data | {"special_tokens": odd})


@pytest.mark.parametrize("unknown", ["", "\ud800"], ids=ascii)
def test_an_unfit_unknown_token_in_a_file_is_refused(unknown, tmp_path):
    file, data = saved(tmp_path)
    refused(file, data | {"unk_token": unknown})


def test_a_byte_scheme_with_an_unknown_token_in_the_file_is_refused(tmp_path):
    file, data = saved(tmp_path, "gpt2")
    assert "unk_token" in refused(file, data | {"unk_token": UNKNOWN})


@pytest.mark.parametrize("version", [0, 2, "1", 1.0, True, None])
def test_an_unknown_version_is_refused_and_named(version, tmp_path):
    file, data = saved(tmp_path)
    assert "version" in refused(file, data | {"version": version})


@pytest.mark.parametrize("scheme", ["gpt5", "", "GPT2", None, ["gpt2"], EVIL])
def test_an_unknown_scheme_is_refused_and_named(scheme, tmp_path):
    file, data = saved(tmp_path)
    message = refused(file, data | {"scheme": scheme})
    assert "scheme" in message and repr(scheme) in message


def test_the_alphabet_of_another_kind_of_scheme_is_refused(tmp_path):
    file, data = saved(tmp_path, "gpt2")
    refused(file, data | {"scheme": "chars"})
    refused(file, saved(tmp_path, "chars")[1] | {"scheme": "gpt2"})


def test_nothing_that_a_file_says_is_executed(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "abort", lambda: pytest.fail("the file was executed"))
    file, data = saved(tmp_path)
    file.write_text(json.dumps(data | {"stopped": EVIL, "special_tokens": [EVIL]}), "utf-8")
    tok = Tokenizer.load(file)
    assert tok.stopped == EVIL
    assert EVIL in tok.special_tokens


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


def loads_or_is_refused(file):
    """A damaged file is a tokenizer still, which can be saved, or a ValueError that names it."""
    try:
        tok = Tokenizer.load(file)
    except ValueError as error:
        assert str(file) in str(error)
    else:
        tok.save(file)
        assert Tokenizer.load(file) == tok


@given(field=st.sampled_from(list(FITTING)), value=JSON)
def test_any_value_in_any_field_loads_or_is_refused(folder, field, value):
    file, data = saved(folder)
    file.write_text(json.dumps(data | {field: value}), "utf-8")
    loads_or_is_refused(file)


@given(rank=st.integers(0, 3), column=st.integers(0, 3), value=JSON)
def test_any_entry_of_a_merge_loads_or_is_refused(folder, rank, column, value):
    file, data = saved(folder)
    data["merges"][rank][column] = value
    file.write_text(json.dumps(data), "utf-8")
    loads_or_is_refused(file)


@settings(max_examples=300)
@given(data=st.data())
def test_any_single_byte_changed_loads_or_is_refused(folder, data):
    file, _ = saved(folder)
    content = bytearray(file.read_bytes())
    position = data.draw(st.integers(0, len(content) - 1))
    content[position] = data.draw(st.integers(0, 255))
    file.write_bytes(content)
    loads_or_is_refused(file)


def test_a_file_keeps_apart_what_is_spelled_alike(tmp_path):
    end = WordEnd("</w>")
    merges = [Merge("a", "b", 2), Merge("ab", end, 2), Merge("<", "/", 1), Merge("</", "w", 1)]
    merges += [Merge("</w", ">", 1), Merge("ab", "</w>", 1)]
    tok = Tokenizer("end_of_word", ["/", "<", end, ">", "a", "b", "w"], merges)
    assert sorted(map(str, tok.vocab.values())).count("ab</w>") == 2
    tok.save(tmp_path / "tok.json")
    again = Tokenizer.load(tmp_path / "tok.json")
    assert again == tok
    assert again.decode(again.encode("ab ab</w>")) == "ab ab</w>"
