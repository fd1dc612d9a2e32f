"""Foreign: tokenizers of each kind that others make, read and held against their own library.

Each is trained here as its library's documentation does it, or as a published one was. What the
package itself has for that, `check_against`, compares some hundred texts.
"""

import base64
import json
import struct
import sys
import unicodedata
from functools import partial
from types import SimpleNamespace

import hostile
import pytest
from common import rows
from hostile import changed, places
from hypothesis import given
from hypothesis import strategies as st
from partners import MADE, TRAINED, check_equal, make, train_sentencepiece

from bpe_further import load_tokenizer, token_offsets
from bpe_further.exchange import shared
from bpe_further.exchange.check import JOINS_OTHERWISE, check_against, sample_texts
from bpe_further.exchange.huggingface import from_huggingface
from bpe_further.exchange.huggingface_write import to_huggingface
from bpe_further.exchange.normalize import normalize
from bpe_further.exchange.openai import from_tiktoken, write_ranks
from bpe_further.exchange.pipeline import Pipeline
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.schemes import PublishedScheme
from bpe_further.exchange.sentencepiece import from_sentencepiece
from bpe_further.exchange.shared import print_token
from bpe_further.exchange.subword_nmt import from_subword_nmt  # noqa: F401 (a table names it)
from bpe_further.variants.change import trim
from bpe_teach import Scheme, Tokenizer, compression_curve, load_corpus
from bpe_teach.pictures.playground import playground

NAMES_OF_BYTES = [print_token(bytes([byte])) for byte in range(256)]
LINES = [line for name in ("story", "mixed") for line in load_corpus(name).splitlines()]
tokenizers = pytest.importorskip("tokenizers")


@pytest.mark.parametrize("name", MADE)
def test_each_kind_has_the_ids_of_its_own_library_also_when_saved(name, tmp_path):
    theirs = make(name, LINES)
    ours = from_huggingface(theirs, check=True)
    ours.save(tmp_path / "tok.json")
    again = load_tokenizer(tmp_path / "tok.json")
    assert again == ours
    drops = [
        any("without a token are left out" in note for note in tok.notes) for tok in (ours, again)
    ]
    assert drops[0] == drops[1]
    if ours.scheme.marker and ours.scheme.units is str:  # its own decoder loses the ends of words
        ours.notes.append(JOINS_OTHERWISE)
    assert check_against(ours, to_huggingface(ours)) > 300
    for text in sample_texts([]):
        ids = ours.encode(text)
        assert again.encode(text) == ids
        assert "".join(again.decode_stream(ids)) == ours.decode(ids)
        if name not in ("no cuts", "ends beside ▁"):  # where the ends of a text are stripped
            assert len(token_offsets(ours, text)) == len(ids)
        if ours.scheme.lossless:
            assert ours.decode(ids) == text


def test_punctuation_is_what_it_is_in_the_library_in_every_script():
    split = tokenizers.pre_tokenizers
    for theirs in (split.Punctuation(), split.BertPreTokenizer()):
        pipeline = Pipeline.of({"pre_tokenizer": json.loads(theirs.__getstate__())})
        text = "a".join(map(chr, [*range(0x21, 0xD800), *range(0xE000, 0x1F000)]))
        words = [word for word, _ in theirs.pre_tokenize_str(text)]
        assert pipeline.scheme().split(text) == words


def test_offsets_of_what_is_put_before_spelled_fused_or_cut_within_a_character():
    spelled = from_huggingface(make("spelled", LINES))
    assert spelled.tokens("\u4e01")[-3:] == ["<0xE4>", "<0xB8>", "<0x81>"]
    assert spelled.offsets("\u4e01 x")[:4] == [(0, 0), (0, 1), (0, 1), (0, 1)]
    assert spelled.decode(spelled.encode("a \u4e01\u4e03")) == "a \u4e01\u4e03"
    assert spelled.decode(spelled.encode("\u4e01")[:2]) == "\ufffd"
    fused = from_huggingface(make("pipeline", LINES))
    assert fused.offsets("\u4e01\u4e03 \u4e01") == [(0, 2), (3, 4)]
    falcon = from_huggingface(make("Falcon", LINES))
    assert falcon.scheme.split("é²") == ["é", "\udcc2", "\udcb2"]  # its last byte in print: a digit
    assert falcon.offsets("é²1") == [(0, 1), (0, 1), (1, 2), (1, 2), (2, 3)]
    assert from_huggingface(make("Metaspace", LINES)).offsets(" é") == [(0, 1), (1, 2)]


# what a file is, and how a tokenizer may come

END = "<|endoftext|>"
TOK = Tokenizer.train("low lower lowest", num_merges=4, special_tokens=[END])
VOCAB = {print_token(token): i for i, token in TOK.vocab.items() if i < 260} | {END: 260}
MERGES = [f"{print_token(left)} {print_token(right)}" for left, right, _ in TOK.merges]
WHOLE = {
    "added_tokens": [{"id": 260, "content": END, "special": True}],
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
    "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": VOCAB, "merges": MERGES},
}


def write(folder, name, content):
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    (folder / name).write_bytes(content)
    return folder / name


def test_one_tokenizer_comes_in_many_ways(tmp_path):
    marked = b"\xef\xbb\xbf" + json.dumps(WHOLE).encode()
    merges = "\r\n".join(["#version: 0.2", *MERGES, ""]).encode()
    pair = tmp_path / "pair"
    pair.mkdir()
    write(pair, "vocab.json", VOCAB)
    write(pair, "merges.txt", merges)
    file = write(tmp_path, "tokenizer.json", marked)
    TOK.save(tmp_path / "own.json")
    inner = SimpleNamespace(to_str=lambda: json.dumps(WHOLE))
    sources = [file, tmp_path, pair, SimpleNamespace(backend_tokenizer=inner)]
    read = [from_huggingface(source) for source in sources]
    read += [from_huggingface(pair / "vocab.json", pair / "merges.txt")]
    read += [load_tokenizer(path) for path in (file, tmp_path, pair, tmp_path / "own.json")]
    read[-1].merges[:] = [merge._replace(count=0) for merge in read[-1].merges]
    assert [tok for tok in read if tok != read[0]] == []
    assert read[0].encode(f"lower {END}", allowed_special="all") == TOK.encode(
        f"lower {END}", allowed_special="all"
    )
    with pytest.raises(
        ValueError, match="it has no tokenizer.json, and no vocab.json with a merges.txt"
    ):
        from_huggingface(write(tmp_path / "pair", "x", b"x").parent.parent / "..")


def test_what_says_itself_how_a_text_is_split_takes_no_scheme(tmp_path):
    TOK.save(tmp_path / "own.json")
    write(tmp_path, "pieces.model", model(PIECES))
    write(tmp_path, "codes", b"#version: 0.2\nl o\nlo w</w>\n")
    write(tmp_path, "tokenizer.json", WHOLE)
    for name in ("own.json", "pieces.model", "codes", "tokenizer.json", ""):
        load_tokenizer(tmp_path / name)
        with pytest.raises(ValueError, match="says itself how a text is split: give no scheme"):
            load_tokenizer(tmp_path / name, "no such scheme")
        if name != "codes":
            with pytest.raises(ValueError, match="subword-nmt's codes: give no characters"):
                load_tokenizer(tmp_path / name, characters="x")


def test_what_nobody_can_check_asks_for_no_package(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    for scheme in ("end_of_word", "gpt2"):
        tok = Tokenizer.train("low low", scheme=scheme, num_merges=2)
        tok.save(tmp_path / "own.json")
        if scheme == "gpt2":
            with pytest.raises(ValueError, match="needs the package tokenizers"):
                load_tokenizer(tmp_path / "own.json", check=True)
        else:
            (note,) = load_tokenizer(tmp_path / "own.json", check=True).notes
            assert note.startswith("no other library can check it: ")


def test_our_own_files_are_checked_as_far_as_another_library_can(tmp_path, recwarn):
    path = tmp_path / "own.json"
    text, names = "low lower, slow", ["<s>"]
    for scheme in ("gpt2", "chars", "last_character", "end_of_word", "words"):
        tok = Tokenizer.train(text, scheme=scheme, num_merges=2, special_tokens=names)
        tok.save(path)
        notes = load_tokenizer(path, check=True).notes
        is_alone = scheme in ("end_of_word", "words")
        assert len(notes) == is_alone
        assert all(note.startswith("no other library can check it: ") for note in notes)
    steps = {"normalizations": (("Table", TABLE),), "loses": "accents"}
    scheme = PublishedScheme("own", "", None, str, **steps)
    PublishedTokenizer(scheme, [*"abc"], []).save(path)
    load_tokenizer(path, check=True)
    assert not recwarn.list  # that the table isn't carried over exactly


SPACED = {"type": "Metaspace", "replacement": "▁"}
ENDED = {"type": "BPEDecoder", "suffix": "</w>"}


@pytest.mark.parametrize(
    ("decoder", "splits", "more", "is_alike"),
    [
        (SPACED | {"add_prefix_space": True}, None, ["▁a"], True),
        (SPACED | {"prepend_scheme": "first"}, None, ["▁a"], True),
        (SPACED | {"prepend_scheme": "never"}, None, ["▁a", "▁▁"], True),
        (SPACED | {"prepend_scheme": "always"}, None, ["▁▁"], False),
        (SPACED | {"prepend_scheme": "always"}, None, ["a▁"], False),
        (ENDED, {"type": "Whitespace"}, ["ab"], True),
        (ENDED, {"type": "Whitespace"}, ["</", "w>", "</w>"], False),
        (ENDED | {"suffix": "b"}, {"type": "Whitespace"}, ["ab"], False),
    ],
)
def test_a_decoder_is_told_of_only_if_it_joins_these_tokens_otherwise(
    decoder, splits, more, is_alike, tmp_path
):
    characters = [*dict.fromkeys("ab▁" + "".join(more))]
    vocab = {token: i for i, token in enumerate([*characters, *more])}
    merges = [[token[: len(token) // 2], token[len(token) // 2 :]] for token in more]
    model = {"type": "BPE", "vocab": vocab, "merges": merges}
    data = {"model": model, "decoder": decoder, "pre_tokenizer": splits or decoder}
    tok = load_tokenizer(write(tmp_path, "tokenizer.json", data), check=True)
    assert any(JOINS_OTHERWISE in note for note in tok.notes) != is_alike


def test_what_no_text_has_is_left_out_and_told(tmp_path):
    data = json.loads(json.dumps(WHOLE))
    data["model"]["vocab"]["‼"] = 300
    tok = from_huggingface(write(tmp_path, "tokenizer.json", data))
    assert 300 not in tok.vocab
    assert tok.notes == [
        "1 token is not printable bytes, so no text has them: left out; decode refuses their ids"
    ]


@pytest.mark.parametrize("lefts", [(True, False), (False, True)])
def test_of_two_added_tokens_with_one_name_the_last_counts(lefts, tmp_path):
    twins = []
    for lstrip in lefts:
        token = {"id": 3, "content": "<a>", "special": True, "normalized": False}
        twins.append(token | {"lstrip": lstrip, "rstrip": False, "single_word": False})
    model = {"type": "BPE", "vocab": {"l": 0, "o": 1, " ": 2, "<a>": 3}, "merges": []}
    data = {"model": model, "added_tokens": twins}
    tok = load_tokenizer(write(tmp_path, "tokenizer.json", data), check=True)
    assert tok.encode("l <a>", allowed_special="all") == ([0, 3] if lefts[1] else [0, 2, 3])


def test_tekken_says_itself_how_texts_are_cut(tmp_path):
    rows = [
        {"rank": i, "token_bytes": base64.b64encode(token).decode()}
        for i, token in list(TOK.vocab.items())[:-1]
    ]
    config = {"default_num_special_tokens": 10, "default_vocab_size": 269}
    config["pattern"] = r"[^\s]+|\s+"
    data = {"config": config, "vocab": rows, "special_tokens": [{"rank": 1, "token_str": "<s>"}]}
    tok = load_tokenizer(write(tmp_path, "tekken.json", data))
    ids = tok.encode("<s>lower low", allowed_special="all")
    assert ids == [1, *(i + 10 for i in [*TOK.encode("lower"), 32, *TOK.encode("low")])]
    assert len(tok) == 269  # 259 of 260 ranks, and 10 special tokens, of which one has a name
    assert tok.decode([1, 9]) == "<s><SPECIAL_9>"
    other = from_tiktoken(tmp_path / "tekken.json", "gpt2")  # its own names are kept
    assert (other.scheme.name, other.special_tokens["<s>"]) == ("gpt2", 1)
    for path in ("config", "vocab/0/token_bytes", "special_tokens/0/rank"):
        way = [int(name) if name.isdigit() else name for name in path.split("/")]
        broken = changed(data, way, None)
        with pytest.raises(ValueError, match=r"tekken\.json|special_tokens"):
            from_tiktoken(write(tmp_path, "tekken.json", broken))


def test_an_older_tekken_has_special_tokens_though_it_names_none(tmp_path):
    rows = [
        {"rank": i, "token_bytes": base64.b64encode(token).decode()}
        for i, token in TOK.vocab.items()
    ]
    config = {"default_num_special_tokens": 25, "default_vocab_size": 25 + len(rows)}
    config |= {"pattern": r"[^\s]+|\s+", "version": "v3"}
    data = {"config": config, "vocab": rows}
    tok = load_tokenizer(write(tmp_path, "tekken.json", data))
    assert tok.decode([1, *tok.encode("low"), 2, 24]) == "<s>low</s><SPECIAL_24>"
    assert tok.encode("[INST]", allowed_special="all") == [3]


def test_ranks_alone_do_not_say_how_a_text_is_cut(tmp_path):
    path = write(tmp_path, "tokenizer.model", b"YQ== 0\nYg== 1\nYWI= 2\n")
    with pytest.raises(
        ValueError,
        match="not say how a text is split, .* give the one that these ranks were made with",
    ):
        load_tokenizer(path)
    assert from_tiktoken(path, "gpt2").tokens("ab") == [b"ab"]
    marked = write(tmp_path, "marked.tiktoken", b"\xef\xbb\xbf" + path.read_bytes())
    assert load_tokenizer(marked, "gpt2").tokens("ab") == [b"ab"]


# patterns, merges and bytes that would go wrong in silence


def test_ranks_need_a_pattern_that_reads_alike_everywhere():
    ranks = {bytes([byte]): byte for byte in range(256)}
    with pytest.raises(ValueError, match=r"something else .*; if it is written with \[.p{L}"):
        from_tiktoken(ranks, Scheme("w", "", r"\w+|\W+", bytes))


def test_a_file_of_ranks_is_written_as_it_was_read(tmp_path):
    write_ranks(TOK, tmp_path / "one.tiktoken")
    read = from_tiktoken(tmp_path / "one.tiktoken", "gpt2")
    assert {i: TOK.vocab[i] for i in range(260)} == read.vocab
    write_ranks(read, tmp_path / "two.tiktoken")
    assert (tmp_path / "one.tiktoken").read_bytes() == (tmp_path / "two.tiktoken").read_bytes()


NUMBERS = [0] * 256
NUMBERS[97] = ord("a") | 1 << 8 | 1 << 10  # a ends a match, and its leaf is at 97 ^ 1
TABLE = base64.b64encode(struct.pack("<257I", 256 * 4, *NUMBERS) + b"bc\0").decode()


def test_a_table_replaces_the_longest_match_or_a_short_letter_as_a_whole():
    assert normalize("xaé a\u0301", (("Table", TABLE),)) == "xbcé bc\u0301"
    assert normalize("a\u2028b\u2029c\u3000d\u200be", ("Clean",)) == "a b c de"
    assert normalize("xaé a\u0301", (("Precompiled", TABLE),)) == "xbcé bc"
    assert normalize("a" + "\u0301" * 3, (("Precompiled", TABLE),)) == "bc" + "\u0301" * 3


# SentencePiece


def message(*fields):
    """Write a message of protocol buffers: numbers, floats and bytes by the numbers of fields."""
    content = b""
    for number, value in fields:
        if isinstance(value, float):
            content += bytes([number << 3 | 5]) + struct.pack("<f", value)
        elif isinstance(value, bytes):
            content += bytes([number << 3 | 2, len(value)]) + value
        else:
            content += (bytes([number << 3]) if number < 16 else bytes([192, 1])) + bytes([value])
    return content


def model(pieces, *trainer, normalizer=((4, 0),), short=False):
    """Write a model; of the trainer 3 is the type, 2 a BPE. Short: normal pieces have no type."""
    rows = []
    for text, score, kind in pieces:
        kinds = [] if short and kind == 1 else [(3, kind)]
        rows.append(message((1, text.encode()), (2, score), *kinds))
    content = b"".join(message((1, row)) for row in rows)
    return content + message((2, message((3, 2), *trainer)), (3, message(*normalizer)))


PIECES = [("<unk>", 0.0, 2), ("<s>", 0.0, 3)]
PIECES += [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
PIECES += [("▁l", 0.0, 1), ("ow", -1.0, 1), ("▁low", -2.0, 1), ("[x]", 0.0, 4)]
PIECES += [(one, -9.0 - i, 1) for i, one in enumerate("▁lowab")]


LEAVES_OUT = "decoding writes '<s>', which SentencePiece leaves out"


def test_what_the_files_beside_a_model_add_is_told(tmp_path):
    path = write(tmp_path, "tokenizer.model", model(PIECES))
    assert load_tokenizer(path).notes == [LEAVES_OUT]
    added = {"<s>": 1, "<|im_end|>": 269, "<|im_start|>": 268}
    (tmp_path / "added_tokens.json").write_text(json.dumps(added))
    told = "the files beside it add 2 tokens, which a tokenizer.json has: "
    assert load_tokenizer(tmp_path).notes == [LEAVES_OUT, told + "'<|im_end|>', '<|im_start|>'"]


@pytest.mark.parametrize(("adds", "around"), [(True, [[["<s>", 1]], []]), (False, [])])
def test_what_a_model_of_llama_puts_around_a_text_is_read_beside_it(tmp_path, adds, around):
    write(tmp_path, "tokenizer.model", model(PIECES))
    config = {"tokenizer_class": "LlamaTokenizer", "add_bos_token": adds}
    write(tmp_path, "tokenizer_config.json", config)
    tok = load_tokenizer(tmp_path)
    assert tok.around == around
    assert tok.encode("low", add_special_tokens=True) == [1] * adds + tok.encode("low")


@pytest.mark.parametrize(
    "config",
    [
        {"tokenizer_class": "LlamaTokenizer"},  # versions of transformers differ
        {"tokenizer_class": "LlamaTokenizer", "add_bos_token": True, "add_eos_token": True},
        {"tokenizer_class": "RareTokenizer"},
    ],
)
def test_what_a_model_puts_around_a_text_is_said_to_be_unknown(tmp_path, config):
    write(tmp_path, "tokenizer.model", model(PIECES))  # which has no </s>
    write(tmp_path, "tokenizer_config.json", config)
    tok = load_tokenizer(tmp_path)
    assert tok.around == []
    told = f"what {config['tokenizer_class']} puts around a text, or else does to it, isn't known"
    assert tok.notes[-1].startswith(told)


@pytest.mark.parametrize(
    ("name", "does"),
    [
        ("GPT2Tokenizer", "builds another kind of BPE"),
        ("BertTokenizer", "builds WordPiece"),
        ("XLMRobertaTokenizer", "builds Unigram"),
        ("NllbTokenizer", "numbers the pieces anew"),
        ("M2M100Tokenizer", "numbers the pieces anew"),
        ("LlamaTokenizer", "reads a text such as ' low' in another way"),
    ],
)
def test_what_a_class_does_otherwise_than_the_model_beside_it_is_told(tmp_path, name, does):
    write(tmp_path, "tokenizer.model", model(PIECES))
    write(tmp_path, "tokenizer_config.json", {"tokenizer_class": name})
    _, note, *_ = load_tokenizer(tmp_path).notes
    expected = f"the folder names {name}, which {does}: AutoTokenizer may give other ids"
    assert note == f"{expected}; these are the file's"


def test_a_model_of_sentencepiece_is_read_piece_by_piece(tmp_path):
    path = write(tmp_path, "tokenizer.model", model(PIECES))
    tok = load_tokenizer(path)
    assert tok.tokens("low é[x]low?") == [
        *("▁low", "▁", "<0xC3>", "<0xA9>", "[x]", "l", "ow", "<0x3F>")
    ]
    assert tok.encode("<s>", allowed_special="all") == [1]
    assert tok.encode("") == []
    assert tok.tokens("[x]") == ["▁", "[x]"]  # the prefix is that of the whole text
    assert tok.decode(tok.encode("low  é")) == "low  é"
    tok.save(tmp_path / "tok.json")
    assert load_tokenizer(tmp_path / "tok.json") == tok


BETWEEN = "\x15----\n\x08\n\x01"  # looks like what stands between the texts of two pieces
NORMAL = [piece for piece in PIECES if piece[2] == 1]


@pytest.mark.parametrize(
    "pieces",
    [
        PIECES,
        [*PIECES, ("[y]", 0.0, 4), *((one, -20.0 - i, 1) for i, one in enumerate("cdef"))],
        PIECES[:2] + NORMAL[:3] + PIECES[2:258] + NORMAL[3:],
        [*PIECES[:2], *((text, -i / 8, 1) for i, (text, _, _) in enumerate(NORMAL))],
        [*PIECES[:2], *((text, i / 8, 1) for i, (text, _, _) in enumerate(NORMAL))],
        [*PIECES[:2], *((text, -1.0, 1) for text, _, _ in NORMAL)],
        [*PIECES, *((one, -30.0 - i, 1) for i, one in enumerate("\x15-\n\x08\x01\0k"))],
        [*PIECES, (BETWEEN, -3.0, 1), *((one, -30.0, 1) for one in "\x15-\n\x08\x01")],
        [*PIECES, ("\x15", -30.0, 1), ("w\x15o", -3.0, 1), ("w\x15", -2.5, 1), ("é", -40.0, 1)],
        [*PIECES, ("c" * 118, -30.0, 1), ("c", -31.0, 1), ("cc", -32.0, 1)],
    ],
)
def test_pieces_found_all_at_once_are_those_found_one_by_one(pieces, tmp_path):
    one_by_one = from_sentencepiece(write(tmp_path, "long.model", model(pieces)))
    at_once = from_sentencepiece(write(tmp_path, "short.model", model(pieces, short=True)))
    assert at_once == one_by_one
    assert [*at_once.ids.items()] == [*one_by_one.ids.items()]
    assert at_once.vocab == one_by_one.vocab
    for text in ("low low", f"lo{BETWEEN}w", "w\x15ow", "c" * 119, "abé"):
        assert at_once.encode(text) == one_by_one.encode(text)
    broken = model([*pieces, ("low", -50.0, 1)], short=True)
    for end in range(len(broken) - 60, len(broken) - 1):
        with pytest.raises(ValueError, match="incomplete or broken SentencePiece model"):
            from_sentencepiece(write(tmp_path, "short.model", broken[:end]))


@pytest.mark.parametrize("short", [True, False])
def test_pieces_are_ranked_by_scores_and_of_equal_ones_the_leftmost_is_merged_first(
    short, tmp_path
):
    letters = [(one, -9.0, 1) for one in "▁abc"]
    for scores, tokens in (
        ((-2.0, -1.0), ["▁", "a", "bc"]),
        ((-1.0, -2.0), ["▁", "ab", "c"]),
        ((-1.0, -1.0), ["▁", "ab", "c"]),
    ):
        pairs = [("ab", scores[0], 1), ("bc", scores[1], 1)]
        content = model([*PIECES[:2], *pairs, *letters], short=short)
        tok = load_tokenizer(write(tmp_path, "m.model", content))
        assert tok.tokens("abc") == tokens
        assert any("the leftmost" in note for note in tok.notes) == (scores[0] == scores[1])
    many = [("a" * length, -1.0, 1) for length in range(2, 9)]
    content = model([*PIECES[:2], *many, *letters], short=short)
    told, advice, *_ = load_tokenizer(write(tmp_path, "m.model", content)).notes
    assert advice.endswith("our own file can hold it: tok.save, in a shell convert --to bpe-teach")
    assert told.startswith("6 pieces have the score of another one ('aaa', 'aaaa', 'aaaaa' …): of")
    reverse = [("bc", -2.0, 1), ("ab", -2.0, 1), ("ca", -1.0, 1)]
    tok = load_tokenizer(write(tmp_path, "m.model", model([*PIECES[:2], *reverse, *letters])))
    assert tok.tokens("abc") == ["▁", "ab", "c"]
    assert any("the leftmost" in note for note in tok.notes)
    tok.save(tmp_path / "saved.json")
    again = load_tokenizer(tmp_path / "saved.json")
    assert again == tok
    assert again.encode("abc bca") == tok.encode("abc bca")
    for needs_merges in (
        lambda: tok.trace("abc"),
        lambda: to_huggingface(tok),
        lambda: trim(tok, 1),
        lambda: playground(tok),
        lambda: compression_curve(tok, "abc"),
    ):
        with pytest.raises(ValueError, match="some of its tokens share a score"):
            needs_merges()


@given(
    scores=st.lists(st.sampled_from([-1.0, -2.0, -3.0]), min_size=12, max_size=12),
    texts=st.lists(st.text("abc ", max_size=70), max_size=5),
)
def test_equal_scores_are_as_in_sentencepiece(scores, texts, tmp_path_factory):
    library = pytest.importorskip("sentencepiece")
    letters = [(one, -9.0, 1) for one in "▁abc"]
    names = ["ab", "bc", "ca", "aa", "▁a", "abc", "bca", "aab", "▁ab", "abca", "caab", "aabc"]
    pieces = [(name, score, 1) for name, score in zip(names, scores, strict=True)]
    folder = tmp_path_factory.mktemp("models")
    path = write(folder, "m.model", model([*PIECES[:2], *pieces, *letters]))
    tok = load_tokenizer(path)
    theirs = library.SentencePieceProcessor(model_file=str(path))
    for text in texts:
        assert tok.encode(text) == theirs.encode(text)
        assert len(tok.offsets(text)) == len(tok.encode(text))


def test_a_model_that_breaks_its_format_is_refused(tmp_path):
    for pieces, said in (
        ([*PIECES, PIECES[-1]], "'b' is empty or occurs twice"),
        ([*PIECES, ("", -20.0, 1)], "'' is empty or occurs twice"),
        ([row for row in PIECES if row[0] != "<0xC3>"], "1 of the 256 bytes have no piece"),
    ):
        for short in (False, True):
            with pytest.raises(ValueError, match=said):
                load_tokenizer(write(tmp_path, "tokenizer.model", model(pieces, short=short)))


@pytest.mark.parametrize(("read", "content", "said"), rows("foreign/refused", globals()))
def test_a_file_of_another_kind_or_a_broken_one_is_named_in_one_line(read, content, said, tmp_path):
    with pytest.raises(ValueError) as error:
        read(write(tmp_path, "file.json", content))
    message = str(error.value)
    assert said in message
    assert "\n" not in message and len(message) < 300


@pytest.mark.slow
@pytest.mark.parametrize("read", [load_tokenizer, from_huggingface, from_sentencepiece])
def test_hostile_files_are_refused_by_every_reader(read, tmp_path):
    rows = message((1, message((1, b"x"), (3, 1)))) * 100_000
    for content in [*hostile.NO_TOKENIZER, *hostile.TOO_MUCH, model(PIECES)[:50], rows]:
        with pytest.raises(ValueError, match="file"):
            read(write(tmp_path, "file", content))


def test_what_can_not_be_carried_over_can_be_kept_as_the_refusal_says(tmp_path):
    tok = load_tokenizer(write(tmp_path, "m.model", model(PIECES, normalizer=())))
    text = "low[x] low"
    with pytest.raises(
        ValueError, match=r"its own symbol '\[x\]' after it has put .*; our own file can hold"
    ):
        to_huggingface(tok)
    tok.save(tmp_path / "own.json")
    again = load_tokenizer(tmp_path / "own.json")
    assert (again, again.encode(text)) == (tok, tok.encode(text))


def test_offsets_differ_from_those_of_sentencepiece_only_at_spaces_that_are_left_out(tmp_path):
    library = pytest.importorskip("sentencepiece")
    pieces = [row for row in PIECES if row[2] in (1, 2)]
    path = write(tmp_path, "m.model", model(pieces, normalizer=()))
    ours, theirs = load_tokenizer(path), library.SentencePieceProcessor(model_file=str(path))
    if not hasattr(theirs, "encode_as_offset_mapping"):
        pytest.skip("this SentencePiece is too old to tell places")
    found = {}
    for text in ("low low", "  low", "a  b"):
        found[text] = ours.offsets(text), theirs.encode_as_offset_mapping(text)["offsets"]
    assert found == {
        "low low": ([(0, 3), (3, 7)], [(0, 3), (3, 7)]),
        "  low": ([(0, 5)], [(2, 5)]),
        "a  b": ([(0, 0), (0, 1), (1, 2), (3, 4)], [(0, 0), (0, 1), (1, 3), (3, 4)]),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", TRAINED)
def test_trained_models_have_the_ids_of_sentencepiece(name, tmp_path):
    options = TRAINED[name]
    prefix = tmp_path / "m"
    theirs = train_sentencepiece(prefix, LINES, 1200, options)
    if "model_type" in options:
        with pytest.raises(ValueError, match="not BPE but Unigram.*09_other_tokenizers"):
            from_sentencepiece(f"{prefix}.model")
        return
    ours = from_sentencepiece(f"{prefix}.model")
    told = ["decoding writes '<s>', '</s>', which SentencePiece leaves out"]
    if not ours.byte_fallback:
        told.append("what is unknown is decoded as <unk>, and by SentencePiece as ⁇")
    assert ours.notes == told
    assert check_against(ours, theirs) > 300
    normal = [i for token, i in ours.ids.items() if not token.startswith("<0x")]
    for i in normal:  # also one that begins with a space
        assert ours.decode([i, normal[7]]) == theirs.decode([i, normal[7]])
    assert ours.decode([1, *normal[7:9], 2]) == f"<s>{theirs.decode(normal[7:9])}</s>"
    for text in sample_texts([]):
        assert len(token_offsets(ours, text)) == len(ours.encode(text))
    if "user_defined_symbols" in options and "normalization_rule_name" in options:
        with pytest.raises(ValueError, match="cannot be carried over: "):
            to_huggingface(ours)
        return
    if "normalization_rule_name" not in options:
        assert check_against(ours, to_huggingface(ours)) > 300
        assert check_against(ours, from_huggingface(to_huggingface(ours))) > 300
        return
    with pytest.warns(UserWarning, match="isn't done wholly"):
        there = to_huggingface(ours)
    for text in [*sample_texts([]), "ﬁne Ａ① é\t x"]:
        if not any(map(unicodedata.combining, text)):  # else the warning tells
            expected = there.encode(text, add_special_tokens=False).ids
            assert ours.encode(text, allowed_special="all") == expected


# merges and tokens, read all at once where they are as usual


def test_names_of_bytes_are_read_also_where_some_are_none():
    tokens = [bytes([byte]) for byte in range(256)]
    tokens += [b"", b"\0\0", b" low", b"low\n", "é".encode()]
    names = {print_token(token): token for token in tokens}
    assert shared.read_printed(names) == names
    for odd in ("a b", "\0", "Ж"):
        assert shared.read_printed([odd, *names]) == names


def test_merges_make_the_same_tokens_in_whatever_order_the_vocabulary_is(tmp_path):
    lines = ["l o", "lo w", "e r", "low er"]
    names = [*NAMES_OF_BYTES, *(line.replace(" ", "") for line in lines), "<s>"]
    toks = []
    for order in (names, names[::-1], sorted(names)):
        vocab = json.dumps({name: i for i, name in enumerate(order)}).encode()
        paths = [write(tmp_path, "vocab.json", vocab)]
        paths.append(write(tmp_path, "merges.txt", "\n".join(lines).encode()))
        toks.append(from_huggingface(*paths))
    for tok in toks:
        assert tok.tokens("low lower") == [b"low", b" ", b"lower"]
        assert tok.merges == toks[0].merges
        assert list(tok.special_tokens) == ["<s>"]


def test_a_token_may_hold_the_end_of_a_line():
    for merges in (["a \n", "a\n b"], [["a", "\n"], ["a\n", "b"]]):
        data = {"model": {"type": "BPE", "merges": merges}}
        data["model"]["vocab"] = {"a": 0, "\n": 1, "b": 2, "a\n": 3, "a\nb": 4}
        tok = from_huggingface(SimpleNamespace(to_str=partial(json.dumps, data)))
        assert tok.encode("a\na\nb") == [3, 4]
    for merges in (["a b a", "b"], ["a b\nb a"]):  # with as many parts as two merges have
        data["model"]["merges"] = merges
        with pytest.raises(ValueError, match="merge 0: 'a b.* is not a merge"):
            from_huggingface(SimpleNamespace(to_str=partial(json.dumps, data)))


# what would go wrong in silence


def small(vocab, merges=(), added=(), **parts):
    """Return a small tokenizer of their library: its parts as a tokenizer.json has them."""
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized", "special"], False)
    ids = {token: i for i, token in enumerate(vocab.split())}
    data = {"model": {"type": "BPE", "vocab": ids, "merges": list(merges)}}
    data["added_tokens"] = [flags | {"id": ids[one["content"]]} | one for one in added]
    data["model"] |= parts.pop("model", {})
    return tokenizers.Tokenizer.from_str(json.dumps({"version": "1.0"} | data | parts))


SPACES = {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}
LLAMA = {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"}, SPACES]}
PRINTED = {"type": "Sequence", "decoders": [SPACES | {"pattern": {"String": "▁"}, "content": " "}]}
UNKNOWN = {"unk_token": "<unk>"}
CLEANS = dict.fromkeys(["handle_chinese_chars", "strip_accents", "lowercase"], False)
CLEANS |= {"type": "BertNormalizer", "clean_text": True}
SILENT = dict(rows("foreign/silent", globals()))
ODD_TEXTS = rows("foreign/odd_texts")


@pytest.mark.parametrize("name", SILENT)
def test_what_once_went_wrong_in_silence_is_as_in_the_library_in_and_out(name):
    theirs = SILENT[name]
    ours = from_huggingface(theirs)
    texts = [
        text for text in ODD_TEXTS if name != "one inside the other" or set(text) <= set("a<s>")
    ]
    check_equal(ours, theirs, texts)
    check_equal(ours, to_huggingface(ours), texts)
    if theirs.decoder is not None:
        for text in texts:
            ids = ours.encode(text, allowed_special="all")
            sent = to_huggingface(ours)
            assert sent.decode(ids, skip_special_tokens=False) == ours.decode(ids)
            assert len(ours.offsets(text, allowed_special="all")) == len(ids)


@pytest.mark.parametrize(
    "part",
    [
        {"type": "StripAccents"},
        CLEANS,
        CLEANS | {"clean_text": False, "handle_chinese_chars": True},
        CLEANS | {"clean_text": False, "strip_accents": True},
    ],
)
def test_each_character_is_kept_changed_or_left_out_as_in_the_library(part):
    steps = Pipeline.of({"normalizer": part}).before
    theirs = small("a", normalizer=part).normalizer.normalize_str
    characters = [chr(i) for i in range(sys.maxunicode + 1) if not 0xD800 <= i < 0xE000]
    # What NFD does depends on Python's version of Unicode.
    characters = [one for one in characters if unicodedata.is_normalized("NFD", one)]
    text = "".join(f"<{one}>\n" for one in characters)
    differing = set(normalize(text, steps).splitlines()) ^ set(theirs(text).splitlines())
    assert differing == set()


@pytest.mark.parametrize("prefixes", ["first", "always", "never"])
def test_a_token_found_in_normalized_text_takes_spaces_before_they_are_written_otherwise(
    prefixes, tmp_path
):
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": prefixes}
    added = [{"content": "<m>", "lstrip": True, "normalized": True}, {"content": "<s>"}]
    theirs = small("<unk> a ▁ ▁a <m> <s>", ["▁ a"], added, model=UNKNOWN, pre_tokenizer=metaspace)
    ours = from_huggingface(theirs)
    check_equal(ours, theirs, ["a  <m> a<s> a", "<m><s>", " <m>", "a <s>  <m>a"])
    check_equal(ours, to_huggingface(ours), ["a  <m> a<s> a", " <m>"])
    ours.save(tmp_path / "tok.json")
    assert load_tokenizer(tmp_path / "tok.json") == ours
    with pytest.raises(ValueError, match="a playground can't find such added tokens"):
        playground(ours, "a")


@pytest.mark.parametrize("pattern", [{"String": "aa"}, {"Regex": "a{2,}"}, {"Regex": "a+"}])
def test_no_first_space_where_the_beginning_of_a_text_is_replaced_as_one(pattern):
    replace = {"type": "Replace", "pattern": pattern, "content": "x"}
    metaspace = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first"}
    parts = {"normalizer": replace, "pre_tokenizer": metaspace}
    theirs = small("<unk> a b x ▁", [], [], model=UNKNOWN, **parts)
    check_equal(from_huggingface(theirs), theirs, ["a", "aa", "aab", "aaab", "b aa", " aa"])


@pytest.mark.parametrize("behavior", ["Isolated", "Removed", "Contiguous", "MergedWithPrevious"])
@pytest.mark.parametrize("pattern", ["(N|O)", r"\[[^\]]+]|N|O", "((C)(N|])?)+", r"([(]|\(N|O\))"])
def test_a_group_may_capture_and_a_bracket_may_close_no_class(pattern, behavior):
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": behavior, "invert": False}
    theirs = small("<unk> C N O [ ] ( ) [N] CN", ["C N"], model=UNKNOWN, pre_tokenizer=split)
    ours = from_huggingface(theirs, check=True)
    texts = ["CNO[N]C", "(N)(O)", "CC]CN]O", "[[N]]", "N]", "\\(C"]
    check_equal(ours, theirs, texts)
    check_equal(ours, to_huggingface(ours), texts)


def test_a_name_that_would_be_an_ordinary_token_is_not_written():
    tok = PublishedTokenizer("chars", ["a"], [], {"+": 7}, ids={"a": 1})
    with pytest.raises(ValueError, match="'.' would be an ordinary token there"):
        to_huggingface(tok)


def test_a_token_found_in_normalized_text_has_its_place_in_the_original():
    tok = from_huggingface(SILENT["looked for in normalized text"])
    assert tok.encode("a <s>a") == [3, 4, 1]
    assert tok.offsets("a <s>a") == [(0, 1), (1, 5), (5, 6)]


@pytest.mark.parametrize(("vocab", "merges", "suffix", "ids"), rows("foreign/suffixes"))
def test_what_is_spelled_like_the_end_of_a_word_is_text_where_no_word_ends(
    vocab, merges, suffix, ids, tmp_path
):
    splits = {"type": "WhitespaceSplit"}
    theirs = small(vocab, merges, model={"end_of_word_suffix": suffix}, pre_tokenizer=splits)
    ours = from_huggingface(theirs)
    for text in ids:
        assert ours.encode(text) == ids[text]
    check_equal(ours, theirs, list(ids))
    check_equal(ours, to_huggingface(ours), list(ids))
    if any("where no word ends" in note for note in ours.notes):
        with pytest.raises(ValueError, match="ends words, and is also merged inside"):
            ours.save(tmp_path / "tok.json")
    else:
        ours.save(tmp_path / "tok.json")
        assert load_tokenizer(tmp_path / "tok.json") == ours


@pytest.mark.parametrize(("theirs", "texts"), rows("foreign/exported", globals()))
def test_a_name_is_no_ordinary_token_of_what_is_written(theirs, texts):
    ours = from_huggingface(theirs)
    check_equal(ours, theirs, texts)
    check_equal(ours, to_huggingface(ours), texts)


def test_a_name_that_may_be_an_ordinary_token_there_is_told():
    scheme = PublishedScheme("s", "", None, str, normalizations=("NFD",), loses="x")
    ids = {"a": 0, "b": 2}
    tok = PublishedTokenizer(scheme, ["a", "b"], [], ids=ids, added_tokens={"A": 1})
    with pytest.warns(UserWarning, match="'A' may be an ordinary token there, where a norm"):
        to_huggingface(tok)


WHOLE_WORDS = {"ignore_merges": True, "merges": []}


@pytest.mark.parametrize(("vocab", "model", "text", "spans"), rows("foreign/whole_words"))
def test_a_word_that_is_taken_whole_is_one_token_also_where_its_symbols_have_no_ids(
    vocab, model, text, spans
):
    splits = {"type": "WhitespaceSplit"}
    theirs = small(vocab, model=WHOLE_WORDS | model, pre_tokenizer=splits)
    ours = from_huggingface(theirs)
    check_equal(ours, theirs, [text])
    assert ours.offsets(text) == spans


@pytest.mark.parametrize(("vocab", "model", "told"), rows("foreign/dropped"))
def test_it_is_told_what_is_left_out_of_a_text_and_what_its_library_does(vocab, model, told):
    theirs = small(vocab, model=model)
    (note,) = from_huggingface(theirs).notes[1:]
    assert told in note
    if "error" in told:
        with pytest.raises(Exception, match="not found in the vocabulary"):
            theirs.encode("ab")
    else:
        check_equal(from_huggingface(theirs), theirs, ["ab", "éa"])


# one limit of time and of characters for a text, however many parts it has


def test_normalizers_that_double_a_text_are_stopped(tmp_path):
    doubles = {"type": "Replace", "pattern": {"String": "a"}, "content": "aa"}
    data = WHOLE | {"normalizer": {"type": "Sequence", "normalizers": [doubles] * 40}}
    tok = from_huggingface(write(tmp_path, "tokenizer.json", data))
    assert tok.encode("b") == [98]
    with pytest.raises(ValueError, match="makes more than 1,100 characters of a text"):
        tok.encode("a")


@pytest.mark.parametrize(
    ("pattern", "cuts", "text"),
    [
        (r"(?:[\s\S]+)+x|[\s\S]", (), "ax" + "a1!\n" * 400),
        (r"(?:(?:a|aa)+b|a)|[^a]", (r"\S+",), " ".join(["a" * 27] * 40)),
    ],
)
def test_patterns_have_one_limit_for_all_parts_of_a_text(pattern, cuts, text, monkeypatch):
    monkeypatch.setattr(shared, "PATIENCE", 0.3)
    slow = PublishedScheme("s", "", pattern, str, loses="x", cuts=cuts)
    with pytest.raises(ValueError, match="more than 0 seconds"):
        slow.split(text)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["spaces that are added tokens", "looked for in normalized text"])
def test_a_field_of_another_type_is_refused_or_harmless(name, tmp_path):
    from_huggingface(SILENT[name]).save(tmp_path / "ours.json")
    contents = [json.loads((tmp_path / "ours.json").read_text()), json.loads(SILENT[name].to_str())]
    for data in contents:
        for path in places(data):
            for value in [*hostile.JSON_VALUES, -1, 2**70, ["a", 1]]:
                file = write(tmp_path, "changed.json", changed(data, path, value))
                try:
                    tok = load_tokenizer(file)
                    tok.decode(tok.encode("a <s>a", allowed_special="all"))
                except ValueError:
                    pass  # any other error is a fault of ours


def test_a_model_of_minbpe_is_read(tmp_path):
    lines = ["minbpe v1", r"\p{L}+|\P{L}+", "1", "<|end|>" + " 258", "108 111", "256 119", ""]
    tok = load_tokenizer(write(tmp_path, "m.model", "\n".join(lines).encode()))
    assert tok.encode("low lo<|end|>", allowed_special="all") == [257, 32, 256, 258]
    for odd in (b"x", b"999 1", b"1 2 3", b"1"):
        content = "\n".join([*lines[:4], ""]).encode() + odd * 2 + b"\n" + odd
        with pytest.raises(ValueError, match=r"m\.model: "):
            load_tokenizer(write(tmp_path, "m.model", content.replace(b"\n1", b"\n-x", 9)))
