"""Daily use of a tokenizer: look-ups, offsets, special text refused, decoding as ids come in."""

import copy
import pickle
import re

import pytest
from common import ANY_TEXT, BYTE_SCHEMES, END, LOSSLESS, NAMES, examples, rows
from hypothesis import example, given
from hypothesis import strategies as st

from bpe_further import to_huggingface, to_tiktoken, token_offsets
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.schemes import PublishedScheme
from bpe_teach import SCHEMES, Merge, Scheme, Tokenizer  # noqa: F401 (a table names Scheme)

PAD = "<|pad|>"
SPECIAL = [END, PAD]
UNKNOWN = "[?]"
SOME_TEXT = st.text("low er.é🐢\n\u3000<|end>", max_size=30)


def trained(name, text="low lower lowest é 🐢", **options):
    unk_token = None if name in BYTE_SCHEMES else UNKNOWN
    options = {"num_merges": 12, "min_count": 1, "special_tokens": SPECIAL, **options}
    return PublishedTokenizer.train(text, scheme=name, unk_token=unk_token, **options)


@pytest.fixture(scope="module")
def toks():
    return {name: trained(name) for name in NAMES}


# token and id


@pytest.mark.parametrize("name", NAMES)
def test_every_id_has_a_token_and_every_token_its_id(name, toks):
    read = toks[name]
    own = Tokenizer(name, read.alphabet, read.merges, SPECIAL, unk_token=read.unk_token)
    for tok in (read, own):
        for i, token in read.vocab.items():
            spelled = token if name in BYTE_SCHEMES else str(token)
            assert tok.token_of(i) == token
            assert tok.id_of(token) == tok.id_of(spelled) == i
    assert token_offsets(own, "low é low") == token_offsets(read, "low é low")


def test_a_token_is_found_by_its_text():
    merges = [Merge(b"<", b"|", 0), Merge("é".encode()[:1], "é".encode()[1:], 0)]
    tok = PublishedTokenizer("gpt2", SCHEMES["gpt2"].alphabet([]), merges, ["<|"])
    assert tok.id_of("é") == tok.id_of("é".encode()) == 257
    assert tok.id_of("<|") == 258  # the special token, and not the merge
    assert tok.id_of(b"<|") == 256
    assert trained("end_of_word").id_of("low</w>") != trained("end_of_word").id_of("low")


# trained tokenizers do as much


@pytest.mark.parametrize("scheme", SCHEMES)
@given(text=SOME_TEXT, most=st.integers(0, 30))
def test_a_text_is_cut_at_a_token_and_in_no_character(scheme, text, most):
    unknown = None if SCHEMES[scheme].units is bytes else UNKNOWN
    options = {"num_merges": 9, "special_tokens": [END], "unk_token": unknown}
    tok = Tokenizer.train("low lower é🐢 é🐢 lowest", scheme=scheme, **options)
    ids = tok.encode(text)
    kept = tok.truncate(ids, most)
    assert kept == ids[: len(kept)]
    assert len(ids) <= most or most - 3 <= len(kept) <= most  # a character has four bytes at most
    spans = token_offsets(tok, text)
    after = spans[len(kept)][0] if len(kept) < len(ids) else len(text)
    assert all(end <= after for _, end in spans[: len(kept)])  # found without decoding
    assert tok.encode_batch([text, "low"]) == [ids, tok.encode("low")]


CUT = [  # ids, at most so many -> those that are kept
    ([255, 97, 97, 97], 3, [255, 97, 97]),  # an odd byte is no reason to leave anything out
    ([97, 195, 169], 2, [97]),
    ([97, 195, 98], 2, [97, 195]),  # no character goes on here
    ([240, 159, 153, 130], 3, []),
    ([97, 240, 159, 153, 130, 97], 4, [97]),
    ([97, 240, 159, 153, 130, 97], 5, [97, 240, 159, 153, 130]),
    ([195, 195, 169], 2, [195]),
    ([97, 195], 2, [97, 195]),  # nothing is cut off
    ([169, 169, 169], 2, [169, 169]),
    ([97, 224, 160], 2, [97]),  # it may go on after the third
    ([97, 224, 128, 128], 2, [97, 224]),  # these three are no character
]


@pytest.mark.parametrize(("ids", "most", "kept"), CUT)
def test_only_a_character_that_is_cut_in_two_is_left_out(ids, most, kept):
    assert PublishedTokenizer.train("", num_merges=0).truncate(ids, most) == kept


def test_characters_spelled_in_bytes_are_not_cut_either():
    ids = {"a": 0, "<0xC3>": 1, "<0xA9>": 2}
    tok = PublishedTokenizer("chars", ["a"], [], ids=ids, byte_fallback=True)
    assert tok.encode("aé") == [0, 1, 2]
    assert tok.truncate([0, 1, 2], 2) == [0]
    assert tok.truncate([0, 1, 0], 2) == [0, 1]


@pytest.mark.parametrize(
    ("ids", "text"), [([1, 0], "�a"), ([1, 0, 2], "�a�"), ([1, 2, 0], "éa"), ([1, 1, 2], "�é")]
)
def test_a_byte_waits_only_for_the_byte_beside_it(ids, text):
    names = {"a": 0, "<0xC3>": 1, "<0xA9>": 2}
    tok = PublishedTokenizer("chars", ["a"], [], ids=names, byte_fallback=True)
    assert tok.decode(ids) == text
    assert "".join(tok.decode_stream(ids)) == text


def test_to_truncate_only_the_end_is_looked_at(monkeypatch):
    asked = []
    token_of = Tokenizer.token_of
    monkeypatch.setattr(Tokenizer, "token_of", lambda tok, i: asked.append(i) or token_of(tok, i))
    tok = Tokenizer.train("", num_merges=0)
    assert tok.truncate([255] * 16_000, 15_000) == [255] * 15_000
    assert len(asked) < 20


# offsets


def spaced_scheme(**fields):
    return PublishedScheme("mine", "", SCHEMES["gpt2"].pattern, bytes, **fields)


def one_space(text):
    return re.sub(" +", " ", text)


@pytest.mark.parametrize(("scheme", "text", "offsets"), rows("tokenizer_use/offsets", globals()))
def test_offsets_of_small_texts_as_found_by_hand(scheme, text, offsets):
    units = SCHEMES[scheme].units if isinstance(scheme, str) else bytes
    options = {} if units is bytes else {"unk_token": UNKNOWN}
    tok = PublishedTokenizer.train(
        "ow ow", scheme=scheme, num_merges=1, special_tokens=[END], **options
    )
    found = token_offsets(tok, text, allowed_special="all")
    assert len(found) == len(tok.encode(text, allowed_special="all"))
    assert " ".join(f"{start}-{end}" for start, end in found) == offsets


@pytest.mark.parametrize("name", NAMES)
@given(text=SOME_TEXT)
@example(f"low\n {END} é🐢{PAD}")
def test_a_token_is_what_stands_at_its_offsets(name, toks, text):
    tok = toks[name]
    ids = tok.encode(text, allowed_special="all")
    offsets = token_offsets(tok, text, allowed_special="all")
    assert len(offsets) == len(ids)
    assert offsets == sorted(offsets)
    for i, (start, end) in zip(ids, offsets, strict=True):
        if name in BYTE_SCHEMES:
            assert tok.vocab[i] in text[start:end].encode()
        elif tok.vocab[i] == UNKNOWN and i in tok.special_tokens.values():
            assert end == start + 1
        else:
            marker = "" if i in tok.special_tokens.values() else tok.scheme.marker
            assert tok.vocab[i].removesuffix(marker) == text[start:end].lower().replace("\n", " ")
    if name in LOSSLESS:
        assert {i for start, end in offsets for i in range(start, end)} == {*range(len(text))}


def test_offsets_are_refused_where_characters_have_no_place_and_unseen_ones_are_named():
    tok = PublishedTokenizer.train(
        "ow", scheme=spaced_scheme(prepare=lambda text: text[::-1]), num_merges=1
    )
    assert token_offsets(tok, "oo") == [(0, 1), (1, 2)]
    with pytest.raises(ValueError, match="the text 'ow' is changed before it is split, and not "):
        token_offsets(tok, "ow")
    with pytest.raises(ValueError, match="'x' at position 10 was not"):
        PublishedTokenizer.train("low", scheme="words", num_merges=1, special_tokens=[END]).offsets(
            f"low{END}x", allowed_special=[END]
        )


@pytest.mark.parametrize("name", BYTE_SCHEMES)
def test_offsets_are_those_of_tokenizers_and_tiktoken(name, story):
    for package in ("tokenizers", "tiktoken"):
        pytest.importorskip(package)
    tok = PublishedTokenizer.train(story[:5000], scheme=name, num_merges=99, special_tokens=[END])
    texts = ["", "low 🙂 é lower\n\n x", "हिन्दी", f"a{END}\n\n é{END}", story[5000:7000]]
    theirs = to_huggingface(tok)
    for text in texts:
        offsets = token_offsets(tok, text, allowed_special="all")
        assert offsets == theirs.encode(text).offsets
        ids = tok.encode(text, allowed_special="all")
        _, starts = to_tiktoken(tok).decode_with_offsets(ids)
        assert [start for start, _ in offsets] == starts


# special text that must not be there


REFUSED = rows("tokenizer_use/refused", globals())


@pytest.mark.parametrize(("text", "allowed", "disallowed", "position"), REFUSED)
def test_special_text_that_must_not_be_there_is_refused_as_by_tiktoken(
    text, allowed, disallowed, position
):
    pytest.importorskip("tiktoken")
    tok = PublishedTokenizer.train("low", num_merges=1, special_tokens=SPECIAL)
    options = {"allowed_special": allowed, "disallowed_special": disallowed}
    theirs = {key: names if names == "all" else {*names} for key, names in options.items()}
    if position is None:
        assert tok.encode(text, **options) == to_tiktoken(tok).encode(text, **theirs)
        return
    with pytest.raises(ValueError, match=f"at position {position} must not be in this text; name"):
        tok.encode(text, **options)
    with pytest.raises(ValueError, match="disallowed special token"):
        to_tiktoken(tok).encode(text, **theirs)


# decoding as ids come in


@pytest.mark.parametrize("name", NAMES)
@examples(60)
@given(data=st.data())
def test_the_pieces_of_a_stream_are_the_text(name, toks, data):
    tok = toks[name]
    ids = data.draw(st.lists(st.sampled_from(sorted(tok.vocab)), max_size=12))
    for errors in ("replace", "ignore"):
        pieces = list(tok.decode_stream(iter(ids), errors))
        assert "".join(pieces) == tok.decode(ids, errors)
        assert "" not in pieces


@pytest.mark.parametrize("name", ["bytes", "gpt2"])
@given(text=ANY_TEXT)
def test_no_piece_of_a_stream_ends_within_a_character(name, toks, text):
    ids = toks[name].encode(text)
    assert "".join(toks[name].decode_stream(ids, errors="strict")) == text
    pieces = toks[name].decode_stream(text.encode())  # a byte at a time
    assert list(pieces) == list(text)


@pytest.mark.parametrize(("name", "text", "pieces"), rows("tokenizer_use/stream", globals()))
def test_a_piece_is_shown_as_soon_as_it_is_whole(name, text, pieces):
    tok = trained(name, text.replace(END, ""), num_merges=0)
    given = []

    def one_by_one():
        for i in tok.encode(text, allowed_special="all"):
            given.append(i)
            yield i

    shown = [""] * len(pieces)
    for piece in tok.decode_stream(one_by_one()):
        shown[len(given) - 1] += piece
    assert shown == pieces


def test_an_unknown_id_in_a_stream_is_refused_when_its_turn_comes():
    stream = PublishedTokenizer.train("low", num_merges=0).decode_stream([108, 999])
    assert next(stream) == "l"
    with pytest.raises(ValueError, match="999 is not a token id"):
        next(stream)


# other processes


@pytest.mark.parametrize("kind", [Tokenizer, PublishedTokenizer])
def test_a_copy_holds_no_words_that_were_encoded_and_equal_ones_have_one_hash(kind):
    tok = Tokenizer.train("low lower lowest", num_merges=5, special_tokens=["<|end|>"])
    tok = tok if kind is Tokenizer else PublishedTokenizer.of(tok)
    before = pickle.dumps(tok)
    tok.encode("a secret word")
    assert tok.ranks
    assert pickle.dumps(tok) == before
    copied = copy.deepcopy(tok)
    assert copied == tok == pickle.loads(before)
    assert copied.encode("lowest") == tok.encode("lowest")
    assert len({tok, copied}) == 1
