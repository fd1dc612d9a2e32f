"""Exchange: what comes in is what was published; what cannot be carried over is refused by name."""

import base64
import json
import os
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import hostile
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_teach import (
    SCHEMES,
    Merge,
    Tokenizer,
    encode_by_rank,
    from_gpt2,
    from_huggingface,
    from_tiktoken,
    to_huggingface,
    to_tiktoken,
)
from bpe_teach.exchange import openai
from bpe_teach.exchange.huggingface import SPELLINGS
from bpe_teach.exchange.openai import MAX_STEPS, _MergeFinder
from bpe_teach.exchange.shared import (
    BYTE_SCHEMES,
    MAX_FILE,
    MAX_TOKENS,
    print_token,
    printable_bytes,
    raise_faults,
    read_json,
)

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


def with_many_faults(data):
    """Do to the data of a tokenizer.json what should not be done, in many places."""
    data["normalizer"] = {"type": "NFC"}
    data["padding"] = {"strategy": "BatchLongest"}
    data["pre_tokenizer"] = {"type": "Whitespace"}
    data["decoder"] = {"type": "WordPiece"}
    data["model"]["ignore_merges"] = True
    data["model"]["merges"][1:1] = ["lo", ["l"], "l €"]
    data["model"]["vocab"]["low"] = 257.0
    for character in "aĠ":
        del data["model"]["vocab"][character]
    data["added_tokens"] += [{"content": END, "id": 7, "lstrip": True, "normalized": True}, 7]


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


def parts_by_encoding(tokens):
    """Say what each token after the bytes falls into, as it is defined: by encoding its bytes."""
    ranks = {}
    found = []
    for token in tokens[256:]:
        parts = encode_by_rank([token[i : i + 1] for i in range(len(token))], ranks)
        if len(parts) == 2:
            ranks[parts] = len(ranks)
        found.append(parts)
    return found


def check_against_encoding(tokens):
    """Check the merges found, and for the others the number of parts, against the definition."""
    finder = _MergeFinder(tokens)
    found = [finder.find(number) for number in range(256, len(tokens))]
    expected = parts_by_encoding(tokens)
    assert found == [len(parts) == 2 for parts in expected]
    for number, parts in enumerate(expected, 256):
        if len(parts) == 2:
            assert tuple(tokens[part] for part in finder.parts[number]) == parts
        else:
            assert finder.count_parts(number) == len(parts)


@settings(max_examples=500)
@given(st.lists(st.text("ab", min_size=2, max_size=9), unique=True, max_size=40))
def test_the_quick_way_to_find_merges_is_the_definition_for_any_list_of_tokens(words):
    check_against_encoding([*BYTES, *map(str.encode, words)])


@settings(max_examples=200)
@given(data=st.data(), text=st.text("ab", max_size=200) | st.text("abc ", max_size=200))
def test_the_quick_way_to_find_merges_is_the_definition_for_training_gone_wrong(data, text):
    tok = Tokenizer.train(text, scheme="bytes", num_merges=40, min_count=1)
    tokens = list(tok.vocab.values())
    assert parts_by_encoding(tokens) == [merge.pair for merge in tok.merges]
    check_against_encoding(tokens)
    others = data.draw(st.permutations(tokens[256:]))
    check_against_encoding([*BYTES, *others[data.draw(st.integers(0, 3)) :]])


@pytest.mark.parametrize(
    ("words", "pairs"),
    [
        ("ab bc abc", "a|b b|c ab|c"),
        ("bc ab abc", "b|c a|b a|bc"),
        ("aa aaa aaaa", "a|a aa|a aa|aa"),  # not a|aaa, nor aaa|a
        ("aa aaa aaaa aaaaa", "a|a aa|a aa|aa aa|aaa"),
        ("aa aaaa aaa aaaaa", "a|a aa|aa aa|a aaaa|a"),
        ("ab aba abab", "a|b ab|a ab|ab"),  # not aba|b
        ("ba aba bab abab", "b|a a|ba ba|b aba|b"),  # not a|bab
        ("ab cd bc abcd", "a|b c|d b|c ab|cd"),
        ("bc ab cd abc bcd abcd", "b|c a|b c|d a|bc bc|d abc|d"),
        ("bc ab cd bcd abc abcd", "b|c a|b c|d bc|d a|bc a|bcd"),
    ],
)
def test_of_several_ways_to_cut_a_token_the_one_that_encoding_leaves_is_found(words, pairs):
    ranks = {token: i for i, token in enumerate([*BYTES, *words.encode().split()])}
    merges = from_tiktoken(ranks, "bytes").merges
    assert b" ".join(left + b"|" + right for left, right, _ in merges) == pairs.encode()


def test_finding_merges_takes_few_steps(gpt2):
    finder = _MergeFinder([gpt2.vocab[i] for i in range(50_256)])
    for number in range(256, 50_256):
        finder.find(number)
    assert finder.steps < 4 * 50_256 < MAX_STEPS / 20


def test_tokens_may_be_long():
    doubled = [b"a" * 2**k for k in range(1, 14)]
    assert len(doubled[-1]) > 8000
    ranks = {token: i for i, token in enumerate([*BYTES, *doubled])}
    assert from_tiktoken(ranks, "bytes").encode("a" * 12_288) == [268, 267]


def test_tokens_that_can_be_cut_in_too_many_ways_are_refused(monkeypatch):
    ranks = {token: i for i, token in enumerate([*BYTES, *(b"a" * n for n in range(2, 99))])}
    assert len(from_tiktoken(ranks, "bytes")) == 353
    monkeypatch.setattr(openai, "MAX_STEPS", 5000)
    with pytest.raises(ValueError, match="too many ways to cut its tokens in two"):
        from_tiktoken(ranks, "bytes")


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
        ({7: 260}, "7 is not a token"),
        ({b"end": 260}, "end"),
        ({"": 260}, "empty"),
        ([END], "list"),
        (END, "str"),
        (0, "int"),
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
        (lambda ranks: ranks.update({b"lo": 257}), "'low' has the rank 257, which another"),
        (lambda ranks: ranks.update({b"lo": 257}), "rank 256 is missing"),
        (lambda ranks: ranks.update({b"\x00": 256, b"lo": 0}), "single bytes"),
        (lambda ranks: ranks.update({b"zz": 999}), "ranks 260 to 998 are missing"),
        (lambda ranks: ranks.update({b"zz": -1}), "-1, less than 0"),
        (lambda ranks: ranks.update({b"zz": True}), "True"),
        (lambda ranks: ranks.update({b"zz": 260.0}), "260.0"),
        (lambda ranks: ranks.update({b"zz": float("nan")}), "nan"),
        (lambda ranks: ranks.update({b"zz": None}), "None"),
        (lambda ranks: ranks.update({"zz": 260}), "'zz'"),
        (lambda ranks: ranks.update({260: b"zz"}), "260"),
        (
            lambda ranks: ranks.update({b"z" * 50_000: 260}),
            "50,000 bytes.* more than 150,000,000",
        ),
        (lambda ranks: ranks.clear(), "single bytes"),
    ],
    ids=range(15),
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
    assert "line 261: " in refused(file, file.read_bytes() + row + b"\n")


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
    for odd in hostile.JSON_VALUES:
        if not odd and odd not in fitting and name not in ("vocab", "merges", "model"):
            continue
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


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", hostile.NO_TOKENIZER, ids=lambda content: repr(content[:16]))
def test_what_is_nothing_of_the_kind_is_refused(name, content, files):
    refused(files[name], content)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("content", hostile.TOO_MUCH, ids=lambda content: repr(content[:16]))
def test_what_holds_too_much_is_refused(name, content, files):
    refused(files[name], content)


@pytest.mark.parametrize("part", ["vocab", "merges", "added_tokens"])
def test_a_part_that_is_too_large_is_named(part, files):
    data = huggingface_data(tokenizer())
    data["model"]["vocab"] |= {str(i): i for i in range(MAX_TOKENS)} if part == "vocab" else {}
    data["model"]["merges"] += ["l o"] * MAX_TOKENS if part == "merges" else []
    data["added_tokens"] += [7] * MAX_TOKENS if part == "added_tokens" else []
    assert f"more than {MAX_TOKENS:,}" in refused(files["tokenizer.json"], data)


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


BAD_IDS = [*hostile.IDS, 65, 999]


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


def test_the_first_line_of_gpt2s_merges_may_be_missing(files):
    content = files["vocab.bpe"].read_bytes()
    files["vocab.bpe"].write_bytes(content.split(b"\n", 1)[1])
    assert read(files["vocab.bpe"]) == tokenizer()
    assert "line 1: " in refused(files["vocab.bpe"], b"lo\n" + content)
    assert "line 2: " in refused(files["vocab.bpe"], content.replace(b"l o\n", b"lo\n"))


def test_a_cycle_in_a_vocabulary_of_ranks_is_refused():
    ranks = {token: rank for rank, token in enumerate([*BYTES, b"aba", b"ab" * 3, b"ab"])}
    with pytest.raises(ValueError, match="b'aba'.* 3 parts"):
        from_tiktoken(ranks, "bytes")


# all faults in one error


SMALL = b"".join(base64.b64encode(token) + b" %d\n" % i for i, token in enumerate(BYTES))


def encoded(*tokens):
    """Write lines of ranks for tokens that follow the bytes."""
    return b"".join(base64.b64encode(t) + b" %d\n" % i for i, t in enumerate(tokens, 256))


ALL_FAULTS = {
    "lines of ranks": (
        "some.tiktoken",
        SMALL + b"bG9$ 256\n\nbG8= x\n= 258\nbA== 259\nbG93\n",
        [
            "line 257: b'bG9$ 256' is not a token in base64, a space and a rank",
            "line 259: b'bG8= x' is not",
            "line 260: b'= 258' is not",
            "line 261: the token b'l' is there twice",
            "line 262: b'bG93' is not",
        ],
    ),
    "what ranks make": (
        "some.tiktoken",
        SMALL + b"\n" + encoded(b"xyz", b"lo", b"slow") + b"bG93 258\neno= 999\n",
        [
            "token b'low' has the rank 258, which another token has",
            "ranks 259 to 998 are missing",
            "line 258: token b'xyz' cannot be reached: the ranks below 256 leave it in 3 parts",
            "line 260: token b'slow' cannot be reached: the ranks below 258 leave it in 3 parts",
        ],
    ),
    "tokens that are too long": (
        "some.tiktoken",
        SMALL + encoded(b"a" * 30_000, b"b" * 40_000) + b"bG93 9999\n",
        ["line 258: token b'bbbbbbbbbbbbbbbbbbbb'… has 40,000 bytes"],
    ),
    "lines of merges": (
        "vocab.bpe",
        "#version: 0.2\nl o\nlo\nl o w\nl €\n".encode(),
        [
            "line 3: 'lo' is not a merge of two tokens",
            "line 4: 'l o w' is not",
            "line 5: '€' is not a token in the printable characters of bytes",
        ],
    ),
    "the order of merges": (
        "vocab.bpe",
        b"l o\nlow er\nl o\n",
        [
            "line 2: no earlier merge makes b'low'",
            "line 2: no earlier merge makes b'er'",
            "line 3: an earlier merge makes b'lo'",
        ],
    ),
    "ids": (
        "encoder.json",
        {"a": 1.0, "b": None, "c": -1, "d": True},
        [
            "the id of 'a' is 1.0, not a whole number",
            "the id of 'b' is None",
            "the id of 'c' is -1, less than 0",
            "the id of 'd' is True",
            "there are no ids for 252 of the 256 bytes",
        ],
    ),
    "the numbering": (
        "encoder.json",
        printed_ids(tokenizer()) | {"lo": 300, "low": 256, "zz": 9, END: 257},
        [
            "token 'lo' has the id 300, not 256: bytes, merges and special tokens are numbered",
            "token 'low' has the id 256, not 257",
            f"token '{END}' has the id 257, not 260",
            "token 'zz' is neither a byte nor special, and no merge makes it",
        ],
    ),
    "names": (
        "encoder.json",
        b'{"a": 1, "b": 2, "a": 3, "b": 4}',
        ["the name 'a' is there twice", "the name 'b' is there twice"],
    ),
    "all that a tokenizer.json says": (
        "tokenizer.json",
        changed(with_many_faults),
        [
            "normalizer changes the text first, which a Tokenizer does not do: {'type': 'NFC'}",
            "padding fills short texts up",
            "ignore_merges looks for whole words before it merges",
            "decoder is not ByteLevel: {'type': 'WordPiece'}",
            "no scheme cuts like its pre_tokenizer: {'type': 'Whitespace'}",
            "some added tokens are normalized and some are not",
            "there are no ids for 2 of the 256 bytes: b'a', b' ' …",
            "added token 2 has no content that is a text: 7",
            f"added token 1 ('{END}') has the id 7, but 260 in the vocabulary",
            f"added token 1 ('{END}') is there twice",
            "merge 1: 'lo' is not a merge of two tokens",
            "merge 2: ['l'] is not a merge of two tokens",
            "merge 3: '€' is not a token in the printable characters of bytes",
            "the id of 'low' is 257.0, not a whole number",
            f"added token 1 ('{END}') is not special",
            f"added token 1 ('{END}') has lstrip",
        ],
    ),
    "what it does and how it numbers": (
        "tokenizer.json",
        changed(lambda data: data.update(normalizer=7, added_tokens=[])),
        ["normalizer changes the text first", f"token '{END}' is neither a byte nor special"],
    ),
    "missing parts": (
        "tokenizer.json",
        {"model": {"type": "WordPiece"}},
        [
            "its model is not BPE: 'WordPiece'",
            "'pre_tokenizer' is missing",
            "'added_tokens' is missing",
            "'vocab' is missing",
            "'merges' is missing",
        ],
    ),
    "the merges of a tokenizer.json": (
        "tokenizer.json",
        changed(lambda data: data["model"]["merges"].reverse()),
        ["merge 1: no earlier merge makes b'low'", "merge 2: no earlier merge makes b'lo'"],
    ),
}


@pytest.mark.parametrize("case", ALL_FAULTS)
def test_all_faults_of_a_file_are_told_in_one_error(case, files):
    name, content, sentences = ALL_FAULTS[case]
    first, *lines = refused(files[name], content).splitlines()
    if len(sentences) == 1:
        assert sentences[0] in first
        return
    assert first.endswith(f": {len(sentences)} faults")
    for line, sentence in zip(lines, sentences, strict=True):
        assert sentence in line


def test_of_very_many_faults_the_first_twenty_are_shown_and_the_others_counted():
    with pytest.raises(ValueError) as error:
        raise_faults(f"fault {i}" for i in range(1234))
    first, *shown, last = str(error.value).splitlines()
    assert first == "1,234 faults"
    assert shown == [f"  fault {i}" for i in range(20)]
    assert last == "  and 1,214 more"


def test_a_list_of_very_many_unreachable_tokens_is_told_like_any_other(files):
    words = [f"{i:05}".encode() for i in range(30_000)]
    error = refused(files["some.tiktoken"], SMALL + encoded(*words))
    assert "30,000 faults" in error
    assert "line 276: token b'00019' cannot be reached" in error
    assert "and 29,980 more" in error


# values that are something else altogether


@pytest.mark.parametrize("odd", hostile.NO_PATHS, ids=repr)
def test_what_is_no_file_is_refused(odd, files):
    calls = [from_huggingface, lambda odd: from_tiktoken(odd, "gpt2")]
    if odd is not None:  # which stands for the published file
        calls += [lambda odd: from_gpt2(odd, files["encoder.json"])]
        calls += [lambda odd: from_gpt2(files["vocab.bpe"], odd)]
    for call in calls:
        with pytest.raises(ValueError, match=f"give .*, not {type(odd).__name__}"):
            call(odd)


@pytest.mark.parametrize("odd", [None, 7, "gpt2", {b"l": 0}], ids=repr)
@pytest.mark.parametrize("send", [to_tiktoken, to_huggingface])
def test_only_a_tokenizer_is_sent(send, odd):
    with pytest.raises(ValueError, match=f"give a Tokenizer, not {type(odd).__name__}"):
        send(odd)


def test_an_encoding_in_place_of_its_ranks_is_refused_with_advice():
    pytest.importorskip("tiktoken")
    theirs = to_tiktoken(tok := tokenizer())
    with pytest.raises(ValueError, match="_mergeable_ranks.*not Encoding"):
        from_tiktoken(theirs, "gpt2")
    assert from_tiktoken(theirs._mergeable_ranks, "gpt2", theirs._special_tokens) == tok


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
