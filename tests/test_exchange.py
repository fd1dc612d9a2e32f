"""Exchange: what comes in is what was published; what cannot be carried over is refused by name.

A vocabulary is one row of a table: in `READ` and `REFUSED` something is changed in a small
tokenizer as others write it, and the row says what is read then, or which fault is named; in
`OUT` stand tokenizers of ours, and why a partner does not get them.
"""

import base64
import json
import random
import re
import sys
from copy import deepcopy
from dataclasses import replace
from itertools import product

import hostile
import pytest
from common import CHARACTER_SCHEMES, rows
from hypothesis import given, settings
from hypothesis import strategies as st
from partners import SEND, check_alike

from bpe_further import load_tokenizer
from bpe_further.exchange import kinds, openai, shared
from bpe_further.exchange.check import check_against
from bpe_further.exchange.huggingface import from_huggingface
from bpe_further.exchange.openai import from_tiktoken, to_tiktoken
from bpe_further.exchange.pipeline import SPELLINGS, Pipeline
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.schemes import COMPLETE, PublishedScheme, row_with_pattern
from bpe_further.exchange.shared import print_token, printable_bytes
from bpe_further.shell.commands import main
from bpe_teach import SCHEMES, Merge

END = "<|endoftext|>"
ALPHABET = [bytes([byte]) for byte in printable_bytes()]  # in the order of GPT-2
PAIRS = [(b"l", b"o"), (b"lo", b"w"), (b" ", b"low"), (b"\xc3", b"\xa9")]  # é is two bytes


def small(pairs=PAIRS, special_tokens=(END,), scheme="gpt2", alphabet=ALPHABET, **more):
    merges = [Merge(*pair, 0) for pair in pairs]
    return PublishedTokenizer(scheme, alphabet, merges, special_tokens, **more)


# a small tokenizer, as others write it


def ordinary_ranks(tok):
    return {token: i for i, token in tok.vocab.items() if i not in tok.special_tokens.values()}


def printed_ids(tok):
    return {print_token(token): i for token, i in ordinary_ranks(tok).items()} | tok.special_tokens


def printed_merges(pairs):
    return [[print_token(left), print_token(right)] for left, right in pairs]


def lines_of_merges(pairs):
    return dict(enumerate(map(" ".join, printed_merges(pairs)), 2))


def lines_of_ranks(tokens, first):
    """Write tokens with ranks from ``first`` on, by the number of the line in a whole file."""
    rows = [f"{base64.b64encode(token).decode()} {i}" for i, token in enumerate(tokens, first)]
    return dict(enumerate(rows, first + 1))


def in_sequence(*steps):
    return {"type": "Sequence", "pretokenizers": [*steps]}


def split_by(expression, **changes):
    split = {"type": "Split", "behavior": "Isolated", "invert": False}
    split["pattern"] = {"Regex": expression}
    return in_sequence(split | changes, ONLY_BYTES)


BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
METASPACE = {"type": "Metaspace", "replacement": "▁"}
ONLY_BYTES = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
SMALL = small()
TOKENS = list(ordinary_ranks(SMALL))
PARTS = {  # what the readers read; lines by their numbers
    "vocab.bpe": {1: "#version: 0.2"} | lines_of_merges(PAIRS),
    "encoder.json": printed_ids(SMALL),
    "ranks": ordinary_ranks(SMALL),
    "some.tiktoken": lines_of_ranks(TOKENS, first=0),
    "special_tokens": {END: 260},
    "tokenizer.json": {
        "added_tokens": [{"id": 260, "content": END, "special": True, "normalized": False}],
        **dict.fromkeys(["truncation", "padding", "normalizer"]),
        "pre_tokenizer": BYTE_LEVEL | {"use_regex": True},
        **dict.fromkeys(["post_processor", "decoder"], BYTE_LEVEL),
        "model": {
            "type": "BPE",
            **dict.fromkeys(["dropout", "unk_token"]),
            **dict.fromkeys(["continuing_subword_prefix", "end_of_word_suffix"], ""),
            **dict.fromkeys(["fuse_unk", "byte_fallback", "ignore_merges"], False),
            "vocab": printed_ids(SMALL),
            "merges": printed_merges(PAIRS),
        },
    },
}
FILES = [name for name in PARTS if "." in name]
IDS_IN = {"encoder.json": "", "tokenizer.json": "model/vocab/"}  # file of JSON -> where its ids are
WHOLE, GONE = object(), object()


def changed(part, changes):
    """Return a part of the small tokenizer after changes, given as path -> what to put there."""
    if WHOLE in changes:
        return changes[WHOLE]
    data = deepcopy(PARTS[part])
    for path, value in changes.items():
        *way, last = path.split("/") if part == "tokenizer.json" else [path]
        place = data
        for name in way:
            place = place[int(name) if isinstance(place, list) else name]
        if isinstance(place, list):
            place[int(last) : int(last) + 1] = [value]  # past the end it is put there
        elif value is GONE:
            del place[last]
        else:
            place[last] = value
    return data


def written(file, data):
    if isinstance(data, str | bytes):
        return data.encode() if isinstance(data, str) else data
    if file in IDS_IN:
        return json.dumps(data).encode()
    lines = [line if isinstance(line, bytes) else line.encode() for line in data.values()]
    return b"\n".join([*lines, b""])


def write(part, data, folder):
    """Write all files, with this in place of one part; return what the readers are given."""
    parts = PARTS | {part: data}
    for name in FILES:
        path = folder / name
        path.write_bytes(written(name, parts[name]))
        parts[name] = path
    return parts


def read_given(part, parts):
    """Read one part, with whatever it needs of the others."""
    if part == "tokenizer.json":
        return from_huggingface(parts[part])
    if part in ("vocab.bpe", "encoder.json"):
        return from_huggingface(parts["encoder.json"], parts["vocab.bpe"])
    ranks = parts["some.tiktoken" if part == "some.tiktoken" else "ranks"]
    return from_tiktoken(ranks, "gpt2", parts["special_tokens"])


def read(part, data, folder):
    """Read the small tokenizer with this in place of one part."""
    return read_given(part, write(part, data, folder))


def refused(part, data, folder):
    """Return the message with which something in place of a part is refused."""
    with pytest.raises(ValueError) as error:
        read(part, data, folder)
    message = str(error.value)
    assert part in message, "the message does not name what it is about"
    return message


def check_faults(message, faults):
    """Check that a message holds these faults, between bars, in their order, and no others."""
    faults = faults.split(" | ")
    first, *lines = message.splitlines()
    if lines:
        assert first.endswith(f"{len(faults)} faults")
    if len(faults) > 5:
        faults[5:] = [f"and {len(faults) - 5} more"]
    for line, fault in zip(lines or [first], faults, strict=True):
        assert fault in line


# what is read

FILE = "tokenizer.json"
TWO = small(special_tokens=["<|b|>", "<|a|>"])
ADDED = [{"id": i, "content": name, "special": True} for name, i in TWO.special_tokens.items()]
LEFT_OUT = ["truncation", "padding", "normalizer", "post_processor", "decoder"]
LEFT_OUT += ["pre_tokenizer/use_regex", "model/type", "model/dropout", "model/byte_fallback"]
LINES = PARTS["some.tiktoken"]
# what others published: ids of their own, whole words, added tokens, other cuts
HOLES = {token: i + 5 + 300 * (i > 200) for i, token in enumerate(TOKENS)}
PRINTED = {print_token(token): i for token, i in HOLES.items()}
RANKS = ordinary_ranks(SMALL)
MORE = RANKS | {b"slower": 300, b"abc": 301}
NEVER = shared.NEVER_IN_UTF8
NEVER_IDS = {token: i for token, i in RANKS.items() if token not in NEVER}
NO_NEVER = {f"model/vocab/{print_token(token)}": GONE for token in NEVER}
OLDER, _, QWEN, *_ = COMPLETE
REMOVED = {"behavior": "Removed", "invert": True}


def published(**parts):
    return small(**{"special_tokens": {END: 260}, **parts})


def own(pattern, loses="nothing"):
    if row := row_with_pattern(pattern):  # by now, it is a scheme of ours
        return published(scheme=row)
    about = COMPLETE.get(pattern, "as its pattern says")
    return published(scheme=PublishedScheme("own", about, pattern, bytes, loses=loses))


def added(i, name, **more):
    return {"id": i, "content": name, "special": True, "normalized": False, **more}


def as_gpt2(**changes):
    """Return a scheme that cuts as GPT-2 does after the changes of a pipeline."""
    pipeline = Pipeline()
    vars(pipeline).update(patterns=[SCHEMES["gpt2"].pattern], units=bytes, **changes)
    return pipeline.scheme("")


READ = {part: (part, {}, SMALL) for part in PARTS}
READ |= {name: row for name, *row in rows("exchange/read", globals())}


@pytest.mark.parametrize(("field", "value", "note"), rows("exchange/notes"))
def test_what_changes_no_id_of_a_text_is_left_out_and_told(field, value, note, tmp_path):
    tok = read(FILE, changed(FILE, {field: value}), tmp_path)
    assert (tok, tok.notes) == (SMALL, [note])


def test_the_numbers_of_tokens_that_are_shown_add_up():
    merges = [("a", "b", 0), ("b", "c", 0), ("a", "bc", 0), ("ab", "c", 0)]  # two ways to abc
    ids = {name: i for i, name in enumerate(["a", "b", "c", "ab", "bc", "abc", "x y"])}
    special, added = {"<s>": 7, "<t>": 7, "x y": 6}, {"<u>": 8}
    tok = PublishedTokenizer("chars", [*"abc"], merges, special, ids=ids, added_tokens=added)
    numbers = "tokens=9: 3 symbols + 3 merged + 1 other + 1 special + 1 added; 4 merges)"
    assert repr(tok) == f"Tokenizer(scheme='chars', {numbers}"
    plain = PublishedTokenizer("chars", [*"abc"], merges[:1], added_tokens={"<u>": 8})
    numbers = "tokens=5: 3 symbols + 1 merges + 0 special + 1 added)"
    assert repr(plain) == f"Tokenizer(scheme='chars', {numbers}"


def test_tokens_that_no_merge_makes_are_told():
    (note,) = from_tiktoken(MORE, "gpt2").notes
    assert note.startswith("no merge makes 2 of the tokens, so they are found only as whole words")
    assert note.endswith(": b'slower', b'abc'")


SPLITS = [(ONLY_BYTES, "bytes"), (in_sequence(ONLY_BYTES), "bytes")]
SPLITS += [(split_by(one), scheme.name) for one, scheme in SPELLINGS.items()]
for number, (split, scheme) in enumerate(SPLITS):
    READ[f"{scheme}, split {number}"] = (FILE, {"pre_tokenizer": split}, small(scheme=scheme))


@pytest.mark.parametrize("name", READ)
def test_what_is_read_is_what_was_published(name, tmp_path):
    part, changes, expected, *_ = READ[name]
    assert read(part, changed(part, changes), tmp_path) == expected


def test_the_small_tokenizer_has_the_ids_of_its_files():
    assert SMALL.tokens(" lowé") == [b" low", "é".encode()]
    assert SMALL.encode(f" lowl{END}", allowed_special="all") == [258, PARTS["ranks"][b"l"], 260]


def test_ranks_may_come_with_a_scheme_of_bytes_and_no_other():
    own = replace(SCHEMES["gpt2"], name="letters", pattern="[a-z]+", loses="the rest")
    assert from_tiktoken(PARTS["ranks"], own).tokens("lowlow low") == [b"low"] * 3
    for scheme in [*CHARACTER_SCHEMES, "gpt5"]:
        with pytest.raises(ValueError, match=scheme):
            from_tiktoken(PARTS["ranks"], scheme)


# what is refused, all faults in one error

GPT2 = SCHEMES["gpt2"].pattern
ODD_MERGES = rows("exchange/merges")
REFUSED = rows("exchange/refused", globals())
for merge in ODD_MERGES:
    REFUSED.append((FILE, {"model/merges/0": merge}, "merge 0: "))
    if "\r" not in merge:
        is_pair = re.fullmatch("[^ ]+ [^ ]+", merge)
        REFUSED.append(("vocab.bpe", {2: merge}, "merge 0: " if is_pair else "line 2: "))
for line in rows("exchange/rank_lines"):
    REFUSED.append(("some.tiktoken", {261: line}, "line 261: b'"))
for split in rows("exchange/splits", globals()):
    REFUSED.append((FILE, {"pre_tokenizer": split}, "pre_tokenizer "))
for pattern in rows("exchange/patterns"):
    REFUSED.append((FILE, {"pre_tokenizer": split_by(pattern)}, f"the pattern '{pattern}'"))


@pytest.mark.parametrize(("part", "changes", "faults"), REFUSED)
def test_all_faults_are_told_in_one_error(part, changes, faults, tmp_path):
    check_faults(refused(part, changed(part, changes), tmp_path), faults)


def test_of_very_many_faults_the_first_five_are_shown_and_the_others_counted():
    ranks = {b"a": 0} | {f"{i:05}".encode(): 1 for i in range(30_000)}
    with pytest.raises(ValueError) as error:
        from_tiktoken(ranks, "gpt2")
    first, *shown, last = str(error.value).splitlines()
    assert (first, last) == ("ranks: 29,999 faults", "  and 29,994 more")
    assert len(shown) == 5
    assert shown[-1] == "  b'00000' and b'00005' have the same id, 1"
    with pytest.raises(ValueError, match="^once$"):
        shared.raise_faults(["once", "once"])


def test_a_part_of_a_merge_may_have_a_later_id_than_the_whole(tmp_path):
    ids = {token: i for i, token in enumerate([*ALPHABET, b"low", b"lo"])}
    tok = small([(b"lo", b"w"), (b"l", b"o")], ids=ids)
    tok.save(tmp_path / "tok.json")
    assert load_tokenizer(tmp_path / "tok.json") == tok
    assert tok.encode("low") == [256]


# hostile values and files

ODD = [*hostile.JSON_VALUES, *hostile.IDS, ["l", "o", "w"], ["l", 7], [None, "o"], ["l", ""]]
OTHERWISE = rows("exchange/otherwise")
PATHS = ["/".join(map(str, path)) for path in hostile.places(PARTS[FILE]) if path]
TWO_TOKENS = [f"model/vocab/{token}" for token in ("a", "low")]  # of 261, to be quick
PATHS = [path for path in PATHS if not path.startswith("model/vocab/") or path in TWO_TOKENS]


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_an_odd_value_is_refused_or_changes_nothing_wherever_it_stands(path, tmp_path):
    for odd in ODD:
        if (path, repr(odd)) in OTHERWISE:
            continue
        try:
            tok = read(FILE, changed(FILE, {path: odd}), tmp_path)
        except ValueError as error:
            assert FILE in str(error)
        else:
            assert tok == SMALL, odd


@pytest.mark.parametrize(
    ("part", "token"), [("encoder.json", "low"), ("special_tokens", END), ("ranks", b"low")]
)
def test_an_odd_id_is_refused(part, token, tmp_path):
    for odd in [*hostile.IDS, 65]:  # the last is taken
        refused(part, changed(part, {token: odd}), tmp_path)


@pytest.mark.parametrize("path", rows("exchange/may"))
def test_what_a_tokenizer_does_not_do_may_be_named_and_empty(path, tmp_path):
    for empty in (None, {}, [], "", False):
        assert read(FILE, changed(FILE, {path: empty}), tmp_path) == SMALL


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("content", hostile.NO_TOKENIZER, ids=lambda content: repr(content[:16]))
def test_what_is_nothing_of_the_kind_is_refused(content, file, tmp_path):
    refused(file, content, tmp_path)


@pytest.mark.parametrize(
    ("part", "limit", "number", "faults"), rows("exchange/too_much", globals())
)
def test_what_holds_too_much_is_refused(part, limit, number, faults, monkeypatch, tmp_path):
    for module in (kinds, shared, openai):
        monkeypatch.setattr(module, limit, number, raising=False)
    check_faults(refused(part, PARTS[part], tmp_path), faults)


def test_very_many_merges_are_refused(tmp_path):
    message = refused(FILE, changed(FILE, {"model/merges": ["l o"] * 600_001}), tmp_path)
    check_faults(message, "there are 600,001 merges, more than 600,000")


def test_names_that_would_take_minutes_to_find_are_refused(tmp_path):
    token = {"id": 300, "content": "x" * 1001, "special": False}
    message = refused(FILE, changed(FILE, {"added_tokens/1": token}), tmp_path)
    check_faults(message, "the name 'xxxxxxxxxxxxxxxxxxx… has 1,001 characters, more than 1,000")
    names = [f"{i:01000}" for i in range(1001)]
    with pytest.raises(ValueError, match="all names together have 1,001,000 characters"):
        small(special_tokens=names)


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES)
def test_a_file_that_is_cut_off_or_not_there_is_refused(file, tmp_path):
    parts = write(file, PARTS[file], tmp_path)
    content = parts[file].read_bytes()
    size = len(content.rstrip(b"\n"))  # a last line end may be missing
    for length in [*range(0, size, size // 30), *range(size - 30, size)]:
        try:
            shorter = len(read(file, content[:length], tmp_path))
        except ValueError:
            continue
        is_shorter = shorter < len(SMALL) or length < size  # ranks and merges may lack lines
        assert file in ("some.tiktoken", "vocab.bpe") and is_shorter
    parts[file].unlink()
    with pytest.raises(FileNotFoundError, match=file):
        read_given(file, parts)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("changed")


@pytest.mark.slow
@settings(max_examples=200)
@given(file=st.sampled_from(FILES), data=st.data())
def test_a_file_with_a_changed_byte_is_read_or_refused(file, data, folder):
    content = bytearray(written(file, PARTS[file]))
    content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    try:
        assert len(read(file, bytes(content), folder)) > 256
    except ValueError as error:
        assert file in str(error)


@pytest.mark.parametrize("odd", hostile.NO_PATHS, ids=repr)
def test_what_is_not_a_path_is_refused_with_advice(odd):
    for part in FILES if odd is not None else ["some.tiktoken", FILE]:  # None: the published file
        wanted = f"{part}|merges.txt|vocab.json|_mergeable_ranks"
        fault = f"give .*({wanted}).*, not {type(odd).__name__}"
        with pytest.raises(ValueError, match=fault):
            read_given(part, dict.fromkeys(FILES, "path") | {"special_tokens": {}, part: odd})


# the printable alphabet


def test_the_printable_alphabet_is_that_of_hugging_face():
    tokenizers = pytest.importorskip("tokenizers")
    split = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    assert sorted(printable_bytes().values()) == sorted(split.alphabet())
    for text in map(chr, range(0x250)):
        assert split.pre_tokenize_str(text)[0][0] == print_token(text.encode())


# GPT-2, as published


@pytest.mark.slow
def test_gpt2_has_exactly_the_published_ids(gpt2, corpus):
    published = json.loads(corpus("gpt2_vocab"))
    assert printed_ids(gpt2) == published
    assert len(gpt2) == len(published) == 50_257
    ids = gpt2.encode(f"Hello world \n{END}", allowed_special="all")
    assert ids == [15496, 995, 220, 198, 50256]
    assert gpt2.notes == load_tokenizer("gpt2").notes == []  # nothing is guessed


# what goes out

A, B, C, D = b"a", b"b", b"c", b"d"
TWICE = "two merges make b'abc'; in other libraries a token has one id"
BEHIND = "b'abc' is made of (b'a', b'bc'); by ranks it would be (b'ab', b'c')"
OUT = [(tok, *(faults or ["", ""])) for _, _, tok, *faults in READ.values()]
OUT += rows("exchange/out", globals())
SAMPLES = rows("exchange/samples", globals())


def test_further_merges_of_a_token_go_out_to_tiktoken_because_no_text_needs_them():
    pytest.importorskip("tiktoken")
    chance = random.Random(7)
    sent = 0
    for _ in range(300):
        letters = ("".join(chance.choices("abc", k=length)) for length in (2, 2, 3, 3, 4, 5))
        tokens = list(dict.fromkeys(one.encode() for one in letters))
        ids = {bytes([byte]): byte for byte in range(256)}
        ids |= {token: 256 + number for number, token in enumerate(tokens)}
        cuts = [(one[:i], one[i:]) for one in tokens for i in range(1, len(one))]
        pairs = [pair for pair in cuts if {*pair} <= ids.keys() and chance.random() < 0.8]
        tok = small(pairs, ids=ids, special_tokens=(), whole_words=True)
        try:
            theirs = to_tiktoken(tok)
        except ValueError:
            continue
        sent += len(pairs) > len(set(map(b"".join, pairs)))  # with further merges
        for text in map("".join, product("abc", repeat=5)):
            assert theirs.encode(text) == tok.encode(text)
    assert sent > 10


@pytest.mark.parametrize("partner", SEND)
@pytest.mark.parametrize("row", OUT, ids=lambda row: row[1] or row[2] or repr(row[0]))
def test_what_goes_out_encodes_alike_and_comes_back(row, partner):
    tok, *faults = row
    faults = dict(zip(SEND, faults, strict=True))[partner]
    if faults:
        with pytest.raises(ValueError) as error:
            SEND[partner](tok)
        check_faults(str(error.value), faults)
    else:
        pytest.importorskip(partner)
        check_alike(tok, SEND[partner](tok), SAMPLES)


@pytest.mark.parametrize("partner", SEND)
def test_only_a_tokenizer_is_sent_and_only_where_the_library_is(partner, monkeypatch):
    for odd in (None, 7, "gpt2", {b"l": 0}):
        with pytest.raises(ValueError, match=f"give a Tokenizer, not {type(odd).__name__}"):
            SEND[partner](odd)
    monkeypatch.setitem(sys.modules, partner, None)
    with pytest.raises(ValueError, match=f"{partner}.*pip install tiktoken tokenizers"):
        SEND[partner](SMALL)


def test_a_difference_from_its_own_library_is_told_and_a_missing_library_named(
    monkeypatch, tmp_path
):
    pytest.importorskip("tokenizers")
    path = tmp_path / FILE
    SEND["tokenizers"](SMALL).save(str(path))
    assert load_tokenizer(path, check=True) == SMALL
    other = small(PAIRS[:1], ids=ordinary_ranks(SMALL))
    with pytest.raises(ValueError, match="its own library differs: .*faults\n  .* has the ids"):
        check_against(other, SEND["tokenizers"](SMALL))
    output = str(tmp_path / "out.json")
    assert main(["convert", str(path), "--check", "-o", output]) == 0
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ValueError, match="needs the package tokenizers, which is missing"):
        load_tokenizer(path, check=True)


def test_tiktoken_gets_no_vocabulary_that_lacks_bytes_of_a_text():
    with pytest.raises(ValueError, match="243 bytes that a text can have; missing here: 1"):
        SEND["tiktoken"](small(alphabet=ALPHABET[1:]))
