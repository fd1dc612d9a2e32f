"""Interop: what comes in is what was published, what cannot be carried over is refused, by name."""

import base64
import json
import os
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_teach import SCHEMES, Merge, Tokenizer
from bpe_teach.formats import (
    MAX_FILE,
    MAX_TOKEN,
    SPELLINGS,
    print_token,
    printable_bytes,
    read_json,
    recover_merges,
)
from bpe_teach.interop import (
    from_gpt2,
    from_huggingface,
    from_tiktoken,
    to_huggingface,
    to_tiktoken,
)

BYTE_SCHEMES = [name for name, scheme in SCHEMES.items() if scheme.units is bytes]
CHARACTER_SCHEMES = [name for name in SCHEMES if name not in BYTE_SCHEMES]
END = "<|endoftext|>"
BYTES = [bytes([byte]) for byte in range(256)]
SOME = [(b"l", b"o"), (b"lo", b"w"), (b" ", b"low"), (b"\xc3", b"\xa9")]  # é is two bytes


def tokenizer(scheme="gpt2", pairs=SOME, special_tokens=(END,)):
    """Make a small tokenizer, its alphabet in the order of GPT-2's."""
    alphabet = [bytes([byte]) for byte in printable_bytes()]
    return Tokenizer(scheme, alphabet, [Merge(*pair, 0) for pair in pairs], special_tokens)


def ranks_of(pairs):
    """Number the bytes by value, then the tokens that pairs make."""
    tokens = [*BYTES, *(left + right for left, right in pairs)]
    return {token: rank for rank, token in enumerate(tokens)}


# the same small tokenizer, as the others write it


def gpt2_files(folder, tok):
    """Write vocab.bpe and encoder.json."""
    lines = [f"{print_token(left)} {print_token(right)}\n" for left, right, _ in tok.merges]
    (folder / "vocab.bpe").write_text("#version: 0.2\n" + "".join(lines), "utf-8")
    (folder / "encoder.json").write_text(json.dumps(printed_ids(tok)), "utf-8")
    return folder / "vocab.bpe", folder / "encoder.json"


def printed_ids(tok):
    special = tok.special_tokens
    ids = {print_token(token): i for i, token in tok.vocab.items() if i not in special.values()}
    return ids | special


def tiktoken_file(folder, ranks):
    """Write a file of ranks."""
    rows = [f"{base64.b64encode(token).decode()} {rank}\n" for token, rank in ranks.items()]
    (folder / "some.tiktoken").write_text("".join(rows), "ascii")
    return folder / "some.tiktoken"


def huggingface_data(tok, pre_tokenizer=None):
    """Say what a tokenizer.json says."""
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    added = [
        {"id": i, "content": name, "special": True} | flags
        for name, i in tok.special_tokens.items()
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": None,
        "pre_tokenizer": pre_tokenizer or byte_level | {"use_regex": True},
        "post_processor": byte_level,
        "decoder": byte_level,
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": "",
            "end_of_word_suffix": "",
            "fuse_unk": False,
            "byte_fallback": False,
            "vocab": printed_ids(tok),
            "merges": [[print_token(merge.left), print_token(merge.right)] for merge in tok.merges],
        },
    }


def huggingface_file(folder, data):
    (folder / "tokenizer.json").write_text(json.dumps(data), "utf-8")
    return folder / "tokenizer.json"


def read(file):
    """Read a file of any of the three, with the reader for its name."""
    if file.name == "vocab.bpe":
        return from_gpt2(file, file.with_name("encoder.json"))
    if file.name == "encoder.json":
        return from_gpt2(file.with_name("vocab.bpe"), file)
    return from_tiktoken(file, "gpt2") if file.suffix == ".tiktoken" else from_huggingface(file)


def write_all(folder):
    """Write the small tokenizer in every way; return the files by name."""
    tok = tokenizer()
    gpt2_files(folder, tok)
    tiktoken_file(folder, ranks_of(SOME))
    huggingface_file(folder, huggingface_data(tok))
    return {file.name: file for file in folder.iterdir()}


FILES = ["vocab.bpe", "encoder.json", "some.tiktoken", "tokenizer.json"]


def refused(file, content):
    """Write content to a file and return the ValueError that reading it raises."""
    file.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    with pytest.raises(ValueError) as error:
        read(file)
    assert str(file) in str(error.value), "the error does not name the file"
    return str(error.value)


@pytest.fixture
def files(tmp_path):
    return write_all(tmp_path)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return write_all(tmp_path_factory.mktemp("shared"))


@pytest.mark.parametrize("name", FILES)
def test_the_small_tokenizer_is_read_from_every_format(name, files):
    tok = read(files[name])
    assert [merge.pair for merge in tok.merges] == SOME
    assert tok.tokens(" lowé") == [b" low", "é".encode()]
    if name == "some.tiktoken":
        assert tok.encode(" low") == [258]
    else:
        assert tok == tokenizer()
        assert tok.encode(f"low{END}", allowed_special="all") == [257, 260]


# the printable alphabet


def test_every_byte_has_a_printable_character_of_its_own():
    table = printable_bytes()
    assert sorted(table) == list(range(256))
    assert len(set(table.values())) == 256
    assert all(character.isprintable() and not character.isspace() for character in table.values())
    assert sum(ord(character) == byte for byte, character in table.items()) == 188
    known = {"a": "a", "~": "~", " ": "Ġ", "\n": "Ċ", "\t": "ĉ", "\0": "Ā", "\x7f": "ġ"}
    assert {chr(byte): table[byte] for byte in map(ord, known)} == known
    assert (table[0xA0], table[0xA1], table[0xAD], table[0xFF]) == ("ł", "¡", "Ń", "ÿ")


def test_the_printable_alphabet_is_that_of_hugging_face():
    tokenizers = pytest.importorskip("tokenizers")
    assert sorted(printable_bytes().values()) == sorted(
        tokenizers.pre_tokenizers.ByteLevel.alphabet()
    )
    split = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    for text in map(chr, range(0x250)):
        [(printed, _)] = split.pre_tokenize_str(text)
        assert print_token(text.encode()) == printed


# GPT-2, as published


@pytest.fixture(scope="module")
def gpt2(corpus):
    for name in ("gpt2_merges", "gpt2_vocab"):
        corpus(name)  # skips if it cannot be had
    return from_gpt2()


def test_gpt2_has_exactly_the_published_ids(gpt2, corpus):
    published = json.loads(corpus("gpt2_vocab"))
    assert len(gpt2) == len(published) == 50_257
    assert printed_ids(gpt2) == published
    assert [published[character] for character in printable_bytes().values()] == [*range(256)]


def test_gpt2_gives_ids_that_are_well_known(gpt2):
    assert gpt2.encode("Hello world") == [15496, 995]
    assert gpt2.encode(f" \n{END}", allowed_special="all") == [220, 198, 50256]
    assert gpt2.vocab[0] == b"!"
    assert gpt2.decode([15496, 11, 995, 0]) == "Hello, world!"
    assert gpt2.tokens("Hello, world!") == [b"Hello", b",", b" world", b"!"]


def test_the_merges_of_gpt2_can_be_recovered_from_its_ranks(gpt2, tmp_path):
    special = gpt2.special_tokens
    ranks = {token: i for i, token in gpt2.vocab.items() if i not in special.values()}
    assert from_tiktoken(ranks, "gpt2", special) == gpt2
    assert from_tiktoken(tiktoken_file(tmp_path, ranks), "gpt2", special) == gpt2


def test_gpt2_can_be_saved_and_loaded(gpt2, tmp_path):
    gpt2.save(tmp_path / "gpt2.json")
    assert Tokenizer.load(tmp_path / "gpt2.json") == gpt2


@pytest.mark.parametrize("name", ["vocab.bpe", "encoder.json"])
def test_gpt2_cut_off_is_refused(name, corpus, tmp_path):
    texts = {"vocab.bpe": corpus("gpt2_merges"), "encoder.json": corpus("gpt2_vocab")}
    for file, text in texts.items():
        (tmp_path / file).write_text(text[: len(text) // 2] if file == name else text, "utf-8")
    with pytest.raises(ValueError, match=name):
        from_gpt2(tmp_path / "vocab.bpe", tmp_path / "encoder.json")


# ranks, and the merges behind them


def encode_by_joined_rank(word, ranks, below):
    """Encode as tiktoken does: a pair has the rank of what it would be when joined."""
    parts = [word[i : i + 1] for i in range(len(word))]
    while True:
        found = [(ranks.get(a + b, below), i) for i, (a, b) in enumerate(pairwise(parts))]
        rank, i = min(found, default=(below, 0))
        if rank >= below:
            return parts
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


@pytest.mark.parametrize("name", BYTE_SCHEMES)
def test_trained_merges_can_be_recovered_from_their_ranks(name, small_tokenizers):
    tok = small_tokenizers[name]
    again = from_tiktoken({token: i for i, token in tok.vocab.items()}, name)
    assert [merge.pair for merge in again.merges] == [merge.pair for merge in tok.merges]
    assert again.vocab == tok.vocab


@settings(max_examples=200)
@given(
    text=st.text("ab", min_size=2, max_size=60) | st.text("abc ", max_size=60),
    others=st.lists(st.text("abc ", max_size=20), max_size=5),
    rule=st.sampled_from(["first", "lowest_id", "greatest"]),
)
def test_ranks_are_enough_for_any_trained_tokenizer(text, others, rule):
    tok = Tokenizer.train(text, scheme="bytes", num_merges=20, min_count=1, tie_break=rule)
    ranks = {token: i for i, token in tok.vocab.items()}
    assert len(ranks) == len(tok)
    again = from_tiktoken(ranks, "bytes")
    assert [merge.pair for merge in again.merges] == [merge.pair for merge in tok.merges]
    for word in [text, *others]:
        assert encode_by_joined_rank(word.encode(), ranks, len(ranks)) == again.tokens(word)


@settings(max_examples=300)
@given(
    tokens=st.lists(st.text("ab", min_size=2, max_size=5), unique=True, max_size=8),
    words=st.lists(st.text("ab", max_size=12), max_size=5),
)
def test_ranks_are_enough_for_whatever_is_accepted(tokens, words):
    ranks = {token: i for i, token in enumerate([*BYTES, *map(str.encode, tokens)])}
    expected = [encode_by_joined_rank(token, ranks, rank) for token, rank in ranks.items()][256:]
    if any(len(parts) != 2 for parts in expected):
        with pytest.raises(ValueError, match="cannot be reached"):
            from_tiktoken(ranks, "bytes")
        return
    tok = from_tiktoken(ranks, "bytes")
    assert [list(merge.pair) for merge in tok.merges] == expected
    for word in words:
        assert encode_by_joined_rank(word.encode(), ranks, len(ranks)) == tok.tokens(word)


def test_the_order_of_the_bytes_is_that_of_the_ranks():
    tokens = [*reversed(BYTES), b"lo"]
    tok = from_tiktoken({token: rank for rank, token in enumerate(tokens)}, "bytes")
    assert tok.alphabet == tokens[:256]
    assert tok.encode("lo l") == [256, 255 - ord(" "), 255 - ord("l")]


@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_of_ranks_reads_like_the_ranks(kind, tmp_path):
    ranks = ranks_of(SOME)
    path = kind(tiktoken_file(tmp_path, ranks))
    special = {"<|b|>": 261, "<|a|>": 260}
    tok = from_tiktoken(path, "o200k", special)
    assert tok == from_tiktoken(ranks, "o200k", special)
    assert tok.special_tokens == special
    assert list(tok.special_tokens) == ["<|a|>", "<|b|>"]
    assert tok.scheme.name == "o200k"


def test_a_scheme_of_its_own_may_be_given():
    own = replace(SCHEMES["gpt2"], name="letters", pattern="[a-z]+")
    assert from_tiktoken(ranks_of(SOME), own).tokens("lowlow low") == [b"low"] * 3


@pytest.mark.parametrize(
    ("tokens", "named", "parts"),
    [
        ([b"xyz"], "xyz", 3),
        ([b"lo", b"low", b"slower"], "slower", 4),
        ([b"ab", b"bc", b"abcx", b"abc"], "abcx", 3),  # its parts come after it
        ([b"abc", b"ab"], "abc", 3),
        ([b""], "b''", 0),
    ],
)
def test_a_token_that_cannot_be_reached_is_named(tokens, named, parts):
    ranks = {token: rank for rank, token in enumerate([*BYTES, *tokens])}
    with pytest.raises(ValueError, match=f"{named}.* {parts} parts"):
        from_tiktoken(ranks, "bytes")


@pytest.mark.parametrize(
    ("special", "fault"),
    [
        ({END: 261}, "has the id 261"),  # a hole
        ({END: 259}, "has the id 259"),  # taken
        ({END: 260, "<|pad|>": 262}, "pad.* has the id 262"),
        ({END: 260, "<|pad|>": 260}, "has the id 260"),
        ({END: True}, "True"),
        ({END: 260.0}, "260.0"),
        ({END: "260"}, "'260'"),
        ({END: None}, "None"),
        ({END: -1}, "-1"),
        ({7: 260}, "7 is no token"),
        ({b"end": 260}, "end"),
        ({"": 260}, "empty"),
        ([END], "list"),
    ],
    ids=repr,
)
def test_special_tokens_with_other_ids_are_refused(special, fault):
    assert from_tiktoken(ranks_of(SOME), "gpt2", {END: 260}).special_tokens == {END: 260}
    with pytest.raises(ValueError, match=fault):
        from_tiktoken(ranks_of(SOME), "gpt2", special)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda ranks: ranks.pop(b"l"), "108 is missing"),
        (lambda ranks: ranks.pop(b"lo"), "256 is missing"),
        (lambda ranks: ranks.update({b"lo": 257}), "256 is missing or there twice"),
        (lambda ranks: ranks.update({b"\x00": 256, b"lo": 0}), "single bytes"),
        (lambda ranks: ranks.update({b"zz": 999}), "260 is missing"),
        (lambda ranks: ranks.update({b"zz": -1}), "0 is missing"),
        (lambda ranks: ranks.update({b"zz": True}), "True"),
        (lambda ranks: ranks.update({b"zz": 260.0}), "260.0"),
        (lambda ranks: ranks.update({b"zz": float("nan")}), "nan"),
        (lambda ranks: ranks.update({b"zz": None}), "None"),
        (lambda ranks: ranks.update({"zz": 260}), "'zz'"),
        (lambda ranks: ranks.update({260: b"zz"}), "260"),
        (lambda ranks: ranks.update({b"z" * (MAX_TOKEN + 1): 260}), "more than 10,000 bytes"),
        (lambda ranks: ranks.clear(), "single bytes"),
    ],
    ids=range(14),
)
def test_ranks_that_are_no_vocabulary_are_refused(change, fault):
    ranks = ranks_of(SOME)
    change(ranks)
    with pytest.raises(ValueError, match=fault):
        from_tiktoken(ranks, "gpt2")


@pytest.mark.parametrize("scheme", [*CHARACTER_SCHEMES, "gpt5"])
def test_ranks_need_a_scheme_of_bytes(scheme):
    with pytest.raises(ValueError, match=scheme):
        from_tiktoken(ranks_of(SOME), scheme)


@pytest.mark.parametrize(
    "row",
    [b"bG8=", b"bG8= ", b" 260", b"bG8= x", b"bG8= -1", b"bG8= 260 7", b"bG8=  260", b"bG8=\t260"]
    + [b"bG8= 2_60", b"bG8= 260.0", b"bG8= \xd9\xa3", b"bG8 260", b"b!8= 260", b"\xff 260"]
    + [b"bG93 257", b"eno= " + b"9" * 5000, b"eno= 99999999999999999999"],
)
def test_a_line_of_ranks_that_is_something_else_is_refused(row, files):
    file = files["some.tiktoken"]
    assert from_tiktoken(file, "gpt2").vocab[256] == b"lo"
    refused(file, file.read_bytes() + row + b"\n")


# Hugging Face's file


def changed(change):
    """Return the data of a tokenizer.json after a change."""
    data = huggingface_data(tokenizer())
    change(data)
    return data


def test_merges_may_be_texts_or_lists(files):
    data = changed(lambda data: None)
    data["model"]["merges"] = [" ".join(merge) for merge in data["model"]["merges"]]
    assert from_huggingface(huggingface_file(files["vocab.bpe"].parent, data)) == tokenizer()


def test_what_older_files_leave_out_is_not_needed(files):
    def older(data):
        for name in ("type", "dropout", "unk_token", "byte_fallback"):
            del data["model"][name]
        for name in ("truncation", "padding", "normalizer", "post_processor", "decoder"):
            del data[name]
        del data["pre_tokenizer"]["use_regex"]
        data["added_tokens"][0]["normalized"] = True

    assert (
        from_huggingface(huggingface_file(files["vocab.bpe"].parent, changed(older))) == tokenizer()
    )


@pytest.mark.parametrize("in_vocab", [True, False])
def test_special_tokens_may_be_in_the_vocabulary_or_beside_it(in_vocab, files):
    data = huggingface_data(tok := tokenizer(special_tokens=["<|b|>", "<|a|>"]))
    if not in_vocab:
        for name in tok.special_tokens:
            del data["model"]["vocab"][name]
    data["added_tokens"].reverse()
    assert from_huggingface(huggingface_file(files["vocab.bpe"].parent, data)) == tok


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}


def splitting(pattern, **changes):
    split = {"type": "Split", "pattern": pattern, "behavior": "Isolated", "invert": False}
    return {"type": "Sequence", "pretokenizers": [split | changes, BYTE_LEVEL]}


@pytest.mark.parametrize("pattern", SPELLINGS)
def test_a_published_pattern_is_its_scheme(pattern, files):
    data = huggingface_data(tokenizer(), splitting({"Regex": pattern}))
    tok = from_huggingface(huggingface_file(files["vocab.bpe"].parent, data))
    assert tok.scheme.name == SPELLINGS[pattern]


def test_without_a_pattern_the_scheme_is_bytes(files):
    for steps in (BYTE_LEVEL, {"type": "Sequence", "pretokenizers": [BYTE_LEVEL]}):
        data = huggingface_data(tokenizer(), steps)
        tok = from_huggingface(huggingface_file(files["vocab.bpe"].parent, data))
        assert tok.scheme.name == "bytes"


GPT2, CL100K = SCHEMES["gpt2"].pattern, SCHEMES["cl100k"].pattern
OLD_CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


@pytest.mark.parametrize(
    "steps",
    [
        {"type": "Whitespace"},
        {"type": "ByteLevel", "add_prefix_space": True, "use_regex": True},
        {"type": "ByteLevel", "add_prefix_space": 0, "use_regex": True},
        {"type": "ByteLevel", "add_prefix_space": False, "use_regex": 1},
        {"type": "ByteLevel", "use_regex": True},
        splitting({"Regex": r"\w+"}),
        splitting({"Regex": CL100K}),  # Oniguruma reads it otherwise
        splitting({"Regex": OLD_CL100K}),  # cuts before white space that ends the text
        splitting({"String": GPT2}),
        splitting({"Regex": 7}),
        splitting(GPT2),
        splitting({"Regex": GPT2}, behavior="Removed"),
        splitting({"Regex": GPT2}, invert=True),
        {"type": "Sequence", "pretokenizers": []},
        {"type": "Sequence", "pretokenizers": [BYTE_LEVEL, BYTE_LEVEL]},
        {"type": "Sequence", "pretokenizers": splitting({"Regex": GPT2})["pretokenizers"][:1]},
        {"type": "Sequence", "pretokenizers": [7]},
        {"type": "Sequence", "pretokenizers": {}},
        {"type": "Sequence"},
        {"type": ["ByteLevel"]},
        {"type": None, "x": []},
    ],
    ids=range(21),
)
def test_any_other_way_to_cut_words_is_refused(steps, files):
    assert "pre" in refused(files["tokenizer.json"], huggingface_data(tokenizer(), steps))


def test_the_old_pattern_of_cl100k_cuts_otherwise():
    tokenizers = pytest.importorskip("tokenizers")
    old = tokenizers.pre_tokenizers.Split(tokenizers.Regex(OLD_CL100K), "isolated")
    assert [word for word, _ in old.pre_tokenize_str("x\n  ")] == ["x", "\n", "  "]
    assert list(SCHEMES["cl100k"].split("x\n  ")) == ["x", "\n  "]


ODD = [None, True, 7, 1.5, "", "x", [], [7], [[]], {}, {"x": 1}, {"type": "Other"}]


@pytest.mark.parametrize(
    ("place", "name", "fitting"),
    [
        ("", "truncation", [None, {}, []]),
        ("", "padding", [None, {}, []]),
        ("", "normalizer", [None, {}, []]),
        ("", "added_tokens", []),
        ("", "pre_tokenizer", []),
        ("", "post_processor", [None, {}, []]),
        ("", "decoder", [None, {}, []]),
        ("", "model", []),
        ("model", "type", []),
        ("model", "dropout", [None]),
        ("model", "unk_token", [None, ""]),
        ("model", "continuing_subword_prefix", [None, ""]),
        ("model", "end_of_word_suffix", [None, ""]),
        ("model", "byte_fallback", [None]),
        ("model", "ignore_merges", [None]),
        ("model", "vocab", []),
        ("model", "merges", []),
    ],
)
def test_a_field_that_is_odd_or_says_more_is_refused(place, name, fitting, files):
    for odd in [
        odd for odd in ODD if odd or odd in fitting or name in ("vocab", "merges", "model")
    ]:
        data = changed(lambda data: None)
        (data[place] if place else data)[name] = odd
        if odd in fitting:
            assert (
                from_huggingface(huggingface_file(files["vocab.bpe"].parent, data)) == tokenizer()
            )
        else:
            refused(files["tokenizer.json"], data)


@pytest.mark.parametrize(
    "change", [{"lstrip": True}, {"rstrip": True}, {"single_word": True}], ids=str
)
def test_special_tokens_that_take_more_than_their_text_are_refused(change, files):
    assert END in refused(
        files["tokenizer.json"], changed(lambda data: data["added_tokens"][0].update(change))
    )


@pytest.mark.parametrize(
    "change",
    [
        {"special": False},
        {"special": 1},
        {"content": ""},
        {"content": 7},
        {"content": None},
        {"content": "low"},
        {"content": "a"},
        {"id": 261},
        {"id": 0},
        {"id": -1},
        {"id": True},
        {"id": 260.0},
        {"id": "260"},
        {"id": None},
    ],
    ids=repr,
)
@pytest.mark.parametrize("in_vocab", [True, False])
def test_an_odd_added_token_is_refused(change, in_vocab, files):
    def apply(data):
        data["added_tokens"][0].update(change)
        if not in_vocab:
            del data["model"]["vocab"][END]

    refused(files["tokenizer.json"], changed(apply))


def test_added_tokens_that_are_there_twice_or_of_two_kinds_are_refused(files):
    def twice(data):
        data["added_tokens"] *= 2

    def two_kinds(data):
        data["added_tokens"].append(
            {"id": 261, "content": "x", "special": True, "normalized": True}
        )

    assert "twice" in refused(files["tokenizer.json"], changed(twice))
    assert "normalized" in refused(files["tokenizer.json"], changed(two_kinds))


# hostile files, of every format


NESTED = [
    b"[" * 200_000,
    b'{"a":' * 200_000,
    b'{"model": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
]


@pytest.mark.parametrize("name", FILES)
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
        b"true",
        b"\xff\xfe{}",
        b"9" * 10_000,
    ]
    + [b"<html>404</html>", b"\x80\x04K\x01.", b"\0" * 100, b"\xc3", b'{"model": NaN}', *NESTED],
    ids=lambda content: repr(content[:16]),
)
def test_what_is_nothing_of_the_kind_is_refused(name, content, files):
    refused(files[name], content)


@pytest.mark.parametrize("name", FILES)
def test_a_file_cut_off_is_refused(name, files):
    content = files[name].read_bytes()
    whole = {len(content) - 1} if content.endswith(b"\n") else set()  # only the last line end
    if name == "some.tiktoken":  # nothing in it says how many lines there should be
        ends = [i for i, byte in enumerate(content) if byte == ord("\n")]
        whole = {length for end in ends[255:] for length in (end, end + 1)}
    for length in {
        *range(0, len(content), 7),
        *range(max(len(content) - 99, 0), len(content)),
    } - whole:
        refused(files[name], content[:length])
    for length in whole:
        files[name].write_bytes(content[:length])
        assert read(files[name]).alphabet


@settings(max_examples=300)
@given(data=st.data())
@pytest.mark.parametrize("name", FILES)
def test_a_changed_byte_is_read_or_refused(name, shared, data):
    file = shared[name]
    content = bytearray(original := file.read_bytes())
    content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    file.write_bytes(content)
    try:
        assert len(read(file)) > 256
    except ValueError as error:
        assert str(file) in str(error)
    finally:
        file.write_bytes(original)


@pytest.mark.parametrize("name", FILES)
def test_a_huge_file_is_refused_before_it_is_read_through(name, files):
    os.truncate(files[name], 1000 * MAX_FILE)  # sparse: it takes no room
    with pytest.raises(ValueError, match=rf"{name}.*larger than {MAX_FILE:,} bytes"):
        read(files[name])


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_not_there_is_said_so(name, files):
    files[name].unlink()
    with pytest.raises(FileNotFoundError, match=name):
        read(files[name])


@pytest.mark.parametrize("name", ["encoder.json", "tokenizer.json"])
def test_a_name_that_is_there_twice_is_refused(name, files):
    content = files[name].read_bytes()
    for one in (b'"a": 64', b'"low": 257'):
        assert content.count(one) == 1
        assert "twice" in refused(files[name], content.replace(one, one + b", " + one))


def test_one_of_very_many_names_that_is_there_twice_is_named():
    names = [*range(200_000), 199_999, 7, 7]
    with pytest.raises(ValueError, match="'7'"):
        read_json(("{" + ",".join(f'"{name}":0' for name in names) + "}").encode())


BAD_IDS = [None, True, False, -1, 1.0, 64.0, "64", [], {}, 2**70, float("nan"), 65, 999]


@pytest.mark.parametrize("name", ["encoder.json", "tokenizer.json"])
@pytest.mark.parametrize("bad", BAD_IDS, ids=repr)
@pytest.mark.parametrize("token", ["a", "low", END])
def test_an_id_that_is_odd_or_taken_or_leaves_a_hole_is_refused(name, bad, token, files):
    data = json.loads(files[name].read_text("utf-8"))
    ids = data if name == "encoder.json" else data["model"]["vocab"]
    ids[token] = bad
    if name == "tokenizer.json":
        data["added_tokens"] = [] if token == END else data["added_tokens"]
    refused(files[name], data)


@pytest.mark.parametrize("name", ["encoder.json", "tokenizer.json"])
@pytest.mark.parametrize("token", ["a", "Ġ", "low", "Ġlow"])
def test_a_missing_token_is_refused(name, token, files):
    data = json.loads(files[name].read_text("utf-8"))
    del (data if name == "encoder.json" else data["model"]["vocab"])[token]
    refused(files[name], data)


@pytest.mark.parametrize("name", ["encoder.json", "tokenizer.json"])
@pytest.mark.parametrize("token", ["zz", "", " ", "\ud800"], ids=ascii)
def test_a_token_that_nothing_makes_is_refused(name, token, files):
    data = json.loads(files[name].read_text("utf-8"))
    (data if name == "encoder.json" else data["model"]["vocab"])[token] = 261
    refused(files[name], data)


@pytest.mark.parametrize("name", ["vocab.bpe", "tokenizer.json"])
@pytest.mark.parametrize(
    "pairs",
    [
        [*SOME, SOME[0]],  # twice
        [SOME[1], SOME[0], *SOME[2:]],  # before its part is made
        [(b"xy", b"z"), (b"x", b"yz"), (b"y", b"z"), (b"x", b"y")],  # not reachable
        [(b"a", b"ba"), (b"b", b"aba")],  # each needs the other
        SOME[:-1],
        [*SOME, (b"z", b"z")],
        [],
    ],
    ids=range(7),
)
def test_merges_that_do_not_fit_are_refused(name, pairs, files):
    printed = [[print_token(part) for part in pair] for pair in pairs]
    if name == "vocab.bpe":
        lines = ["#version: 0.2", *map(" ".join, printed), ""]
        refused(files[name], "\n".join(lines).encode())
    else:
        refused(files[name], changed(lambda data: data["model"].update(merges=printed)))


ODD_MERGES = ["", "lo", "l  o", "l o w", " l o", "l o ", "\u20ac o", "l\to", "l o\r", "l\u0000 o"]


@pytest.mark.parametrize("name", ["vocab.bpe", "tokenizer.json"])
@pytest.mark.parametrize("odd", ODD_MERGES, ids=ascii)
def test_a_merge_that_is_no_two_tokens_is_refused(name, odd, files):
    if name == "vocab.bpe":
        content = files[name].read_text("utf-8").replace("l o\n", odd + "\n")
        refused(files[name], content.encode())
    else:
        data = changed(lambda data: data["model"]["merges"].__setitem__(0, odd))
        refused(files[name], data)


@pytest.mark.parametrize(
    "odd",
    [None, True, 7, [], ["l"], ["l", "o", "w"], ["l", 7], [None, "o"], ["l", ""], [["l"], "o"], {}],
)
def test_a_merge_of_the_wrong_shape_is_refused(odd, files):
    refused(
        files["tokenizer.json"], changed(lambda data: data["model"]["merges"].__setitem__(0, odd))
    )


def test_the_first_line_of_gpt2s_merges_must_be_there(files):
    content = files["vocab.bpe"].read_bytes()
    assert "#version" in refused(files["vocab.bpe"], content.split(b"\n", 1)[1])


def test_a_cycle_in_a_vocabulary_of_ranks_is_refused():
    ranks = {token: rank for rank, token in enumerate([*BYTES, b"aba", b"ab" * 3, b"ab"])}
    with pytest.raises(ValueError, match="b'aba'.* 3 parts"):
        recover_merges(ranks)


# what cannot go out


@pytest.mark.parametrize("send", [to_tiktoken, to_huggingface])
@pytest.mark.parametrize("name", CHARACTER_SCHEMES)
def test_schemes_of_characters_are_not_sent(send, name, small_tokenizers):
    with pytest.raises(ValueError, match=f"scheme '{name}' cannot be carried over"):
        send(small_tokenizers[name])


@pytest.mark.parametrize("send", [to_tiktoken, to_huggingface])
def test_a_scheme_that_is_not_in_the_table_is_not_sent(send):
    own = replace(SCHEMES["gpt2"], pattern="[a-z]+")
    with pytest.raises(ValueError, match="gpt2"):
        send(tokenizer(own))


@pytest.mark.parametrize("send", [to_tiktoken, to_huggingface])
def test_two_merges_that_make_the_same_token_are_not_sent(send):
    pairs = [(b"a", b"b"), (b"b", b"c"), (b"ab", b"c"), (b"a", b"bc")]
    with pytest.raises(ValueError, match="two merges make b'abc'"):
        send(tokenizer(pairs=pairs))


@pytest.mark.parametrize(
    ("pairs", "fault"),
    [
        ([(b"a", b"b"), (b"b", b"c"), (b"a", b"bc")], r"abc.* is made of \(b'a', b'bc'\)"),
        (
            [(b"a", b"b"), (b"b", b"c"), (b"c", b"d"), (b"bc", b"d"), (b"a", b"bcd")],
            "abcd.* made of",
        ),
    ],
    ids=range(2),
)
def test_merges_that_ranks_cannot_express_do_not_go_to_tiktoken(pairs, fault):
    with pytest.raises(ValueError, match=fault):
        to_tiktoken(tokenizer(pairs=pairs))


def test_a_token_that_its_own_merges_never_make_does_not_go_to_tiktoken():
    tok = tokenizer(pairs=[(b"a", b"b"), (b"c", b"d"), (b"b", b"c"), (b"a", b"bc"), (b"abc", b"d")])
    assert tok.tokens("abcd") == [b"ab", b"cd"]
    with pytest.raises(ValueError, match="abc"):
        to_tiktoken(tok)


def test_hugging_face_keeps_merges_that_ranks_cannot_express():
    pytest.importorskip("tokenizers")
    tok = tokenizer(pairs=[(b"a", b"b"), (b"b", b"c"), (b"a", b"bc")])
    theirs = to_huggingface(tok)
    for text in ("abc", "bcabc", "aabbcc"):
        assert theirs.encode(text).ids == tok.encode(text)
    assert from_huggingface(theirs) == tok


def test_special_tokens_that_begin_alike_do_not_go_to_tiktoken():
    tok = tokenizer(special_tokens=["<|end|>", "<|e", "<|pad|>"])
    with pytest.raises(ValueError, match=r"'<\|end\|>' begins with special token '<\|e'"):
        to_tiktoken(tok)


def test_hugging_face_takes_the_longest_special_token_as_we_do():
    pytest.importorskip("tokenizers")
    tok = tokenizer(special_tokens=["<|", "<|end|>", "<|end", "€"])
    text = "a<|end|>b<|ende<|€"
    expected = tok.encode(text, allowed_special="all")
    assert expected == [*tok.encode("a"), 261, *tok.encode("b"), 262, *tok.encode("e"), 260, 263]
    assert to_huggingface(tok).encode(text).ids == expected
    assert from_huggingface(to_huggingface(tok)) == tok


@pytest.mark.parametrize("name", ["low", "a", "Ġlow", "é"])
def test_special_tokens_spelled_like_others_do_not_go_to_hugging_face(name):
    tok = tokenizer(pairs=[*SOME, (b"\xc3", b"\x83")], special_tokens=[name])
    with pytest.raises(ValueError, match=name):
        to_huggingface(tok)


@pytest.mark.parametrize(
    ("send", "library"), [(to_tiktoken, "tiktoken"), (to_huggingface, "tokenizers")]
)
def test_without_the_library_the_error_says_what_to_install(send, library, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(ValueError, match=f"{library}.*pip install tiktoken tokenizers"):
        send(tokenizer())


def test_a_special_token_that_is_ordinary_text_elsewhere_goes_to_tiktoken():
    pytest.importorskip("tiktoken")
    tok = tokenizer(special_tokens=["low", "Ġlow"])
    for text in ("low lowĠlow", " low"):
        assert to_tiktoken(tok).encode_ordinary(text) == tok.encode(text)
        expected = tok.encode(text, allowed_special="all")
        assert to_tiktoken(tok).encode(text, allowed_special="all") == expected
