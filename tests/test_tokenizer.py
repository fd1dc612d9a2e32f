"""The tokenizer: training, ids, special tokens, unseen characters, odd texts, files, the trace."""

import random
from itertools import pairwise

import pytest
from common import ANY_TEXT, BYTE_SCHEMES, CHARACTER_SCHEMES, END, LOSSLESS, NAMES, rows
from hypothesis import example, given
from hypothesis import strategies as st

from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.schemes import published_scheme
from bpe_teach import SCHEMES, Tokenizer, files
from bpe_teach.fast.learn import TIE_BREAKS
from bpe_teach.schemes import BYTES
from bpe_teach.symbols import WordEnd
from bpe_teach.tokenizer import PlainTokenizer

PAD = "<|pad|>"


# training


def test_a_vocabulary_is_the_alphabet_then_the_merges_then_the_special_tokens():
    tok = Tokenizer.train("low lower", scheme="words", num_merges=2, special_tokens=[END])
    assert tok.vocab == dict(enumerate([*"elorw", "lo", "low", END]))
    assert tok.special_tokens == {END: 7}
    tok = Tokenizer.train("low low", num_merges=1, special_tokens=[END])
    assert tok.scheme is SCHEMES["gpt2"]  # unless another is named
    alphabet = [bytes([byte]) for byte in range(256)]
    assert tok.vocab == dict(enumerate([*alphabet, b"lo", END.encode()]))


@pytest.mark.parametrize("name", NAMES)
def test_vocab_size_and_num_merges_are_two_ways_to_say_the_same(name, story):
    text = story[:2000]
    options = {"scheme": SCHEMES[name], "special_tokens": [END]}
    one = Tokenizer.train(text, num_merges=30, **options | {"scheme": name})
    fewest = len(one) - len(one.merges)
    assert one == Tokenizer.train(text, vocab_size=fewest + 30, **options)
    assert len(Tokenizer.train(text, vocab_size=fewest, **options)) == fewest
    with pytest.raises(ValueError, match=f"vocab_size={fewest - 1} is too small"):
        Tokenizer.train(text, vocab_size=fewest - 1, **options)


@pytest.mark.parametrize(
    ("rule", "token"), [*zip(TIE_BREAKS, ["mn", "az", "az", "xy"], strict=True)]
)
def test_the_tie_rule_reaches_the_trainer(rule, token):
    tok = Tokenizer.train("mn az xy mn az xy", scheme="words", num_merges=1, tie_break=rule)
    assert tok.tokens(token) == [token]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("nothing", ["", []])
def test_an_empty_corpus_gives_a_tokenizer_without_merges(name, nothing):
    tok = Tokenizer.train(nothing, scheme=name, num_merges=5, special_tokens=[END])
    assert tok.merges == []
    assert "0 of 5" in tok.stopped
    assert len(tok) == (257 if name in BYTE_SCHEMES else 1)
    assert tok.encode("") == tok.tokens("") == []
    assert tok.decode([]) == ""
    assert tok.decode_bytes([]) == b""
    assert tok.encode(END, allowed_special="all") == [len(tok) - 1]


def test_training_shows_no_progress_unless_asked(capsys):
    Tokenizer.train("low low", num_merges=2)
    assert capsys.readouterr() == ("", "")
    Tokenizer.train("low low", num_merges=2, progress=True)
    assert "merges" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["gpt2", "chars", "end_of_word"])
def test_nothing_is_learned_across_or_from_special_tokens(name, story):
    chance, text = random.Random(3), story[:12_000]
    cuts = sorted(chance.choices(range(len(text)), k=400))  # within words, twice at one place
    pieces = [text[i:k] for i, k in pairwise([0, *cuts, len(text)])]
    special = pieces[0] + "".join(chance.choice([END, PAD]) + piece for piece in pieces[1:])
    size = {"scheme": name, "num_merges": 300}
    tok = Tokenizer.train(special, special_tokens=[END, PAD], **size)
    assert tok == Tokenizer.train(iter(pieces), special_tokens=[END, PAD], **size)
    assert tok.merges != Tokenizer.train(text, **size).merges  # the cuts matter
    assert any("|" in str(merge) for merge in Tokenizer.train(special, **size).merges)


# encode and decode


@pytest.mark.parametrize("name", LOSSLESS)
@given(text=ANY_TEXT)
@example("\ufeffa\0b\r\n\t\x0b\x85\U0010ffffहिन्दी 🙂")
def test_lossless_schemes_give_back_every_text(name, small_tokenizers, text):
    tok = small_tokenizers[name]
    if name == "chars":
        tok = Tokenizer.train([text, "low lower"], scheme=name, num_merges=10)
    ids = tok.encode(text)
    assert tok.decode(ids) == tok.decode(ids, errors="strict") == text
    assert tok.decode_bytes(ids) == text.encode()


def test_a_list_of_ids_may_be_changed_by_who_gets_it(small_tokenizers):
    ids = small_tokenizers["gpt2"].encode("the")
    ids.append(-1)
    assert small_tokenizers["gpt2"].encode("the") == ids[:-1] != []


@pytest.mark.parametrize(("name", "text", "back"), rows("tokenizer/lossy"))
def test_lossy_schemes_give_back_what_they_can(name, text, back):
    tok = Tokenizer.train(text, scheme=name, num_merges=20)
    assert tok.decode(tok.encode(text)) == back


def test_a_fragment_of_a_character_is_replaced_or_refused_as_asked():
    tok = Tokenizer.train("", scheme="bytes", num_merges=0)
    fragment = tok.encode("a🙂")[:-1]
    assert tok.decode(fragment) == "a\ufffd"
    assert tok.decode(fragment, errors="ignore") == "a"
    assert tok.decode_bytes(fragment) == b"a\xf0\x9f\x99"
    with pytest.raises(UnicodeDecodeError):
        tok.decode(fragment, errors="strict")


# a stream of texts, a file


def test_a_stream_reads_no_further_than_it_must(small_tokenizers):
    tok, read = small_tokenizers["gpt2"], []
    ids = tok.encode_iterable(read.append(text) or text for text in ["low", "", "lower", "lowest"])
    assert read == []
    for _ in tok.encode("low"):
        next(ids)
    assert read == ["low"]
    next(ids)
    assert read == ["low", "", "lower"]


PARTS = ["\n", "\r\n", "\r", "\n\n", " \n", "\x0b", "\x85", "\u2028", "low", "Lo", " ", "é", "字"]
PARTS += ["1", "'", "ll", ".", "/", "\u0301", END]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@given(text=st.lists(st.sampled_from(PARTS), max_size=40).map("".join), piece=st.integers(1, 20))
def test_a_file_gives_the_ids_of_its_whole_text(name, text, piece, tmp_path_factory):
    specials = [END, "low\nlow"]
    tok = Tokenizer.train([*PARTS, "<|> end"], scheme=name, num_merges=9, special_tokens=specials)
    file = tmp_path_factory.getbasetemp() / "lines.txt"
    file.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "PIECE", piece)
        for allowed in ((), END, "all"):
            expected = tok.encode(text, allowed_special=allowed)
            assert list(tok.encode_file(file, allowed_special=allowed)) == expected


def test_a_file_is_read_no_further_than_it_must_and_named_where_it_is_broken(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PIECE", 1)
    file = tmp_path / "low.txt"
    file.write_bytes(b"low\nlower\n\xff")
    ids = Tokenizer.train("", num_merges=0).encode_file(file)
    assert bytes(next(ids) for _ in "low\nlower") == b"low\nlower"
    with pytest.raises(ValueError, match=r"low\.txt: not UTF-8 at byte 10$"):
        next(ids)


# special tokens


@pytest.mark.parametrize(("allowed", "ids"), rows("tokenizer/allowed", globals()))
def test_special_tokens_are_ordinary_text_unless_allowed(allowed, ids):
    tok = Tokenizer.train("low", num_merges=0, special_tokens=[END, PAD])
    assert tok.encode(END + PAD, allowed_special=allowed) == ids
    assert tok.tokens(END + PAD, allowed_special=allowed) == [tok.vocab[i] for i in ids]
    assert list(tok.encode_iterable([END, PAD], allowed_special=allowed)) == ids
    assert tok.decode(ids) == END + PAD


@pytest.mark.parametrize("order", [1, -1])
def test_overlapping_special_tokens_are_matched_longest_first(order):
    names = ["<|", "<|end|>", "<|end|>!", "end|>x"][::order]
    tok = Tokenizer.train("low", scheme="bytes", num_merges=0, special_tokens=names)
    tokens = tok.tokens("<|end|>!<|end|><|endl<|end|>x", allowed_special="all")
    assert tokens == [b"<|end|>!", b"<|end|>", b"<|", b"e", b"n", b"d", b"l", b"<|end|>", b"x"]
    # a longer one that is not allowed does not hide a shorter one
    tokens = tok.tokens("<|end|>", allowed_special=["<|"])
    assert tokens == [b"<|", b"e", b"n", b"d", b"|", b">"]


@pytest.mark.parametrize("name", NAMES)
def test_a_special_token_may_hold_spaces_and_signs_of_regular_expressions(name):
    for special in ["<|a b|>", ".*", "[UNK]", "(a|b)+?", "\\d", "^$", " ", "\n", "हि"]:
        text = f"low{special}lower"
        tok = Tokenizer.train(text, scheme=name, num_merges=2, special_tokens=[special])
        ids = tok.encode(text, allowed_special="all")
        assert ids == [*tok.encode("low"), tok.special_tokens[special], *tok.encode("lower")]
        assert tok.decode(ids) == text


# characters that were not in the training text


@pytest.mark.parametrize(
    ("names", "training", "text", "message"),
    rows("tokenizer/unseen", {"END": END, "CHARACTER_SCHEMES": CHARACTER_SCHEMES}),
)
def test_an_unseen_character_is_named_with_its_position(names, training, text, message):
    for name in names:
        tok = Tokenizer.train(training, scheme=name, num_merges=3, special_tokens=[END])
        with pytest.raises(ValueError, match=message):
            tok.encode(text, allowed_special="all")
        if END not in text:
            for use in (tok.tokens, tok.trace):
                with pytest.raises(ValueError, match=message):
                    use(text)


@pytest.mark.parametrize("specials", [[], ["[?]", END]])
def test_an_unknown_token_stands_for_each_unseen_character(specials):
    options = {"scheme": "words", "num_merges": 3, "special_tokens": specials, "unk_token": "[?]"}
    tok = Tokenizer.train("low lower", **options)
    assert tok.unk_token == "[?]"
    assert list(tok.special_tokens) == (specials or ["[?]"])
    assert tok.tokens("xlowyz") == ["[?]", "low", "[?]", "[?]"]
    assert tok.decode(tok.encode("xlow")) == "[?]low"


@pytest.mark.parametrize("name", ["underscore", "end_of_word"])
def test_the_spaces_around_an_unknown_character_come_back(name):
    tok = Tokenizer.train("the cat", scheme=name, num_merges=3, unk_token="<un_k>")
    assert tok.decode(tok.encode("the é the é")) == "the <un_k> the <un_k>"
    tok = Tokenizer.train("the cat", scheme=name, num_merges=0, unk_token="_")
    assert tok.decode(tok.encode("the é the")) == "the _ the"  # a marker is no unknown token


# tokens with the same spelling


@pytest.mark.parametrize("name", ["end_of_word", "last_character"])
@given(text=st.text("a</w> ", max_size=30))
@example("a a</w>b a a</w>b")
def test_a_literal_marker_in_the_text_never_becomes_the_marker(name, text):
    tok = Tokenizer.train([text, "a"], scheme=name, num_merges=30, min_count=1)
    assert tok.decode(tok.encode(text)) == " ".join(text.split())
    assert len(set(tok.vocab.values())) == len(tok)
    assert sum(isinstance(token, WordEnd) for token in tok.tokens(text)) == len(text.split())


def test_of_two_ids_for_the_same_token_the_lower_is_used_and_both_are_decoded():
    merges = [("a", "b", 1), ("b", "c", 1), ("ab", "c", 1), ("a", "bc", 1)]
    for kind in (Tokenizer, PlainTokenizer):
        tok = kind("chars", ["a", "b", "c"], merges)
        assert tok.encode("abc") == [tok.ids["abc"]] == [5]
        assert tok.decode([5]) == tok.decode([6]) == "abc"


# looking inside


def test_the_trace_shows_every_step_by_hand():
    tok = Tokenizer.train("low low lower lower newer s", scheme="words", num_merges=3)
    steps = tok.trace("slower")
    assert list(steps.columns) == ["word", "candidates", "winner"]
    assert steps.to_numpy().tolist() == [
        ["s l o w e r", "0: l o, 2: e r", "l o"],
        ["s lo w e r", "1: lo w, 2: e r", "lo w"],
        ["s low e r", "2: e r", "e r"],
        ["s low er", "", ""],
    ]
    assert Tokenizer.train("", num_merges=0).trace(" é")["word"].tolist() == ["· ⟨C3⟩ ⟨A9⟩"]


def test_equal_parts_make_equal_tokenizers():
    options = {"scheme": "words", "num_merges": 1, "special_tokens": [END]}
    tok = Tokenizer.train("low low", **options)
    assert tok == Tokenizer.train("low low", **options)
    assert tok == Tokenizer("words", tok.alphabet, tok.merges, [END])
    assert tok != "low"
    changes = {"scheme": "chars", "num_merges": 2, "special_tokens": [], "unk_token": END}
    for change in changes.items():
        assert tok != Tokenizer.train("low low", **(options | dict([change])))


# what others published: ids of their own, whole words, added tokens, alphabets that lack bytes

LOW_IDS = {b"l": 9, b"o": 0, b"w": 4, b" ": 5, b"\xc3": 7, b"ow": 3, b"low": 2, b"olo": 8}
LOW_MERGES = [(b"l", b"ow", 0), (b"o", b"w", 0)]  # the first waits for the second


@given(text=ANY_TEXT, ids=st.randoms(), name=st.sampled_from(["gpt2", "words"]))
def test_other_ids_change_nothing_but_the_numbers(text, ids, name):
    tok = Tokenizer.train([text, "low lower"], scheme=name, num_merges=20, min_count=1)
    tokens = PublishedTokenizer.of(tok).ids
    published = dict(zip(tokens, ids.sample(range(1000), len(tok)), strict=True))
    special = {END: 1001, PAD: 1001}
    other = PublishedTokenizer(name, tok.alphabet, tok.merges, special, ids=published)
    assert other.tokens(text) == tok.tokens(text)
    encoded = other.encode(text + PAD, allowed_special="all")
    assert encoded == [*(published[token] for token in tok.tokens(text)), 1001]
    assert other.decode(encoded) == tok.decode(tok.encode(text)) + END  # the first of two names
    assert list(other.vocab) == sorted([*published.values(), 1001])


def test_a_merge_may_wait_for_a_later_one_and_whole_words_come_before_all():
    parts = ["gpt2", [b"l", b"o", b"w", b" ", b"\xc3"], LOW_MERGES, {END: 1}]
    tok = PublishedTokenizer(*parts, ids=LOW_IDS)
    assert tok.encode("low olo") == [2, 5, 0, 9, 0]
    whole = PublishedTokenizer(*parts, ids=LOW_IDS, whole_words=True)
    assert whole.encode("olo olo low") == [8, 5, 0, 9, 0, 5, 2]
    assert tok != whole
    assert len(tok.trace("low")) == 3
    assert whole.trace("low")["word"].tolist() == ["low"]
    assert (len(tok), tok.decode([8, 1]), tok.ids[b"olo"]) == (9, f"olo{END}", 8)
    with pytest.raises(ValueError, match="6 is not a token id; there are 9 ids, the highest is 9"):
        tok.decode([6])


@pytest.mark.parametrize(
    ("text", "allowed", "tokens", "offsets"), rows("tokenizer/white_space", globals())
)
def test_a_token_may_take_the_white_space_before_it(text, allowed, tokens, offsets):
    names = {"<m>": 300, "<m>!": 301}
    tok = PublishedTokenizer("bytes", BYTES, [], names, added_tokens={"b ": 302}, lstrip=["<m>"])
    ids = tok.encode(text, allowed_special=allowed)
    assert [tok.decode([i]) for i in ids] == tokens
    assert tok.offsets(text, allowed_special=allowed) == offsets
    assert tok != PublishedTokenizer("bytes", BYTES, [], names, added_tokens={"b ": 302})


def test_added_tokens_are_recognized_in_every_text():
    tok = PublishedTokenizer(
        "gpt2", BYTES, [], {END: 300}, added_tokens={"  ": 299, "   ": 298, "<|x": 301}
    )
    assert tok.encode("a   b  ") == [97, 298, 98, 299]
    assert tok.encode(f"<|x{END}  ", allowed_special="all") == [301, 300, 299]
    assert tok.decode([301, 97, 298]) == "<|xa   "
    characters = PublishedTokenizer(
        "end_of_word", ["a", WordEnd("</w>")], [], added_tokens={"<x>": 7}
    )
    assert characters.decode(characters.encode("a a <x> a")) == "a a <x> a"
    assert characters.encode("a a<x>a") == characters.encode("a a <x> a")  # no id tells a space


def test_a_text_is_normalized_and_prefixed_as_the_scheme_says():
    own = published_scheme(SCHEMES["gpt2"], name="mine", normalizations=("NFC",), prefix=" ")
    tok = PublishedTokenizer(own, BYTES, [], [END])
    assert tok.decode(tok.encode("e\u0301")) == " é"
    assert tok.decode(tok.encode(f"a{END} e\u0301", allowed_special="all")) == f" a{END} é"
    assert tok.encode("") == []
    with pytest.raises(ValueError, match="position 2 "):
        PublishedTokenizer(own, [b" ", b"\xc3", b"\xa9"], []).encode("e\u0301a")
