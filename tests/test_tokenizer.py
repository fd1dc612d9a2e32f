"""The tokenizer: training, ids, special tokens, unseen characters, odd texts, the trace."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_teach import SCHEMES, Tokenizer
from bpe_teach.corpora import CORPORA, load_corpus
from bpe_teach.symbols import WordEnd

NAMES = list(SCHEMES)
LOSSLESS = [name for name in NAMES if SCHEMES[name].lossless]
BYTE_SCHEMES = [name for name in NAMES if SCHEMES[name].units is bytes]
CHARACTER_SCHEMES = [name for name in NAMES if SCHEMES[name].units is str]
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
END = "<|end|>"


def symbols_joined(tok, text):
    """Return the first symbols of all words of a text, joined."""
    empty = tok.scheme.units()
    words = tok.scheme.split(text)
    return empty.join(empty.join(tok.scheme.symbols(word)) for word in words)


# training


def test_a_vocabulary_is_the_alphabet_then_the_merges_then_the_special_tokens():
    tok = Tokenizer.train("low lower", scheme="words", num_merges=2, special_tokens=[END])
    assert tok.vocab == dict(enumerate([*"elorw", "lo", "low", END]))
    assert tok.special_tokens == {END: 7}
    assert [merge.token for merge in tok.merges] == ["lo", "low"]
    assert len(tok) == 8


def test_byte_schemes_number_the_bytes_by_value():
    tok = Tokenizer.train("low low", scheme="gpt2", num_merges=1, special_tokens=[END])
    assert [tok.vocab[byte] for byte in range(256)] == [bytes([byte]) for byte in range(256)]
    assert tok.vocab[256] == b"lo"
    assert tok.vocab[257] == END.encode()


@pytest.mark.parametrize("name", NAMES)
def test_vocab_size_and_num_merges_are_two_ways_to_say_the_same(name, story):
    text = story[:2000]
    one = Tokenizer.train(text, scheme=name, num_merges=30, special_tokens=[END])
    two = Tokenizer.train(text, scheme=name, vocab_size=len(one), special_tokens=[END])
    assert len(one.merges) == 30
    assert one == two


def test_the_scheme_is_gpt2_unless_another_is_named():
    assert Tokenizer.train("low", num_merges=0).scheme is SCHEMES["gpt2"]
    assert Tokenizer.train("low", scheme=SCHEMES["words"], num_merges=0).scheme.name == "words"


@pytest.mark.parametrize("sizes", [{}, {"vocab_size": 300, "num_merges": 9}])
def test_neither_or_both_sizes_is_a_value_error(sizes):
    with pytest.raises(ValueError, match="vocab_size or num_merges"):
        Tokenizer.train("low", **sizes)


@pytest.mark.parametrize(("scheme", "needed"), [("gpt2", 257), ("words", 4)])
def test_a_vocabulary_too_small_for_its_alphabet_is_a_value_error(scheme, needed):
    options = {"scheme": scheme, "special_tokens": [END]}
    assert len(Tokenizer.train("low", vocab_size=needed, **options)) == needed
    with pytest.raises(ValueError, match="too small") as error:
        Tokenizer.train("low", vocab_size=needed - 1, **options)
    assert str(needed - 1) in str(error.value)


@pytest.mark.parametrize("size", [{"num_merges": -1}, {"vocab_size": 0}, {"vocab_size": -5}])
def test_a_negative_size_is_a_value_error(size):
    with pytest.raises(ValueError, match="too small"):
        Tokenizer.train("low", **size)


def test_an_unknown_scheme_is_a_value_error_that_names_those_there_are():
    with pytest.raises(ValueError, match="'gpt5'") as error:
        Tokenizer.train("low", scheme="gpt5", num_merges=1)
    assert all(name in str(error.value) for name in NAMES)


def test_an_unknown_tie_rule_is_a_value_error():
    with pytest.raises(ValueError, match="tie_break"):
        Tokenizer.train("low", num_merges=1, tie_break="last")


@pytest.mark.parametrize("text", [b"low", [b"low"], ["low", None]])
def test_training_on_anything_but_text_is_a_value_error(text):
    with pytest.raises(ValueError, match="str"):
        Tokenizer.train(text, num_merges=1)


def test_training_says_why_it_stopped():
    asked = Tokenizer.train("low low", scheme="words", num_merges=1)
    exhausted = Tokenizer.train("low low", scheme="words", num_merges=9)
    assert len(asked.merges) == 1
    assert "no pair" not in asked.stopped
    assert len(exhausted.merges) == 2
    assert "2 of 9" in exhausted.stopped
    assert "at least 2 times" in exhausted.stopped


def test_pairs_that_occur_once_are_not_learned_unless_asked_for():
    assert Tokenizer.train("low", scheme="words", num_merges=9).merges == []
    assert len(Tokenizer.train("low", scheme="words", num_merges=9, min_count=1).merges) == 2


def test_tie_rules_reach_the_trainer():
    text = "mn az xy mn az xy"
    firsts = {
        rule: Tokenizer.train(text, scheme="words", num_merges=1, tie_break=rule).merges[0].token
        for rule in ("first", "lowest_id", "greatest")
    }
    assert firsts == {"first": "mn", "lowest_id": "az", "greatest": "xy"}


def test_several_texts_are_trained_on_together_and_apart():
    tok = Tokenizer.train(iter(["ab", "ab", "cd", "cd"]), scheme="chars", num_merges=9)
    assert [merge.token for merge in tok.merges] == ["ab", "cd"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("nothing", ["", []])
def test_an_empty_corpus_gives_a_tokenizer_without_merges(name, nothing):
    tok = Tokenizer.train(nothing, scheme=name, num_merges=5, special_tokens=[END])
    assert tok.merges == []
    assert "0 of 5" in tok.stopped
    assert len(tok) == (257 if name in BYTE_SCHEMES else 1)
    assert tok.encode("") == []
    assert tok.encode(END, allowed_special="all") == [len(tok) - 1]


def test_training_shows_no_progress_unless_asked(capsys):
    Tokenizer.train("low low", num_merges=2)
    assert capsys.readouterr() == ("", "")
    Tokenizer.train("low low", num_merges=2, progress=True)
    assert "merges" in capsys.readouterr().err


# encode and decode


@pytest.mark.parametrize("name", LOSSLESS)
@given(text=ANY_TEXT)
def test_lossless_schemes_give_back_every_text(name, small_tokenizers, text):
    tok = small_tokenizers[name]
    if name == "chars":
        tok = Tokenizer.train([text, "low lower"], scheme=name, num_merges=10)
    ids = tok.encode(text)
    assert tok.decode(ids) == text
    assert tok.decode(ids, errors="strict") == text
    assert tok.decode_bytes(ids) == text.encode()


@pytest.mark.parametrize("name", NAMES)
@given(text=st.text("lower LOWEST.,\n'_-</w>é", max_size=40))
def test_tokens_joined_are_the_words_and_ids_are_in_range(name, text):
    tok = Tokenizer.train([text, "low lower"], scheme=name, num_merges=10, min_count=1)
    ids = tok.encode(text)
    assert all(0 <= i < len(tok) for i in ids)
    assert tok.tokens(text) == [tok.vocab[i] for i in ids]
    assert tok.scheme.units().join(tok.tokens(text)) == symbols_joined(tok, text)


@pytest.mark.parametrize("name", NAMES)
def test_encoding_twice_gives_the_same_ids_in_lists_of_their_own(name, small_tokenizers):
    tok = small_tokenizers[name]
    first = tok.encode("the sea")
    first.append(-1)
    assert tok.encode("the sea") == first[:-1] != []


@pytest.mark.parametrize("name", LOSSLESS)
@pytest.mark.parametrize("corpus_name", [name for name in CORPORA if not CORPORA[name].url])
def test_bundled_texts_come_back_exactly(name, corpus_name, small_tokenizers):
    text, tok = load_corpus(corpus_name), small_tokenizers[name]
    if name == "chars":
        tok = Tokenizer.train(text, scheme=name, num_merges=20)
    assert tok.decode(tok.encode(text)) == text


@pytest.mark.parametrize(
    ("name", "text", "back"),
    [
        ("underscore", "Low,\nlower  low_x", "low , lower low x"),
        ("words", "low low, lower", "lowlow,lower"),
        ("end_of_word", " low,\n\tlower ", "low, lower"),
    ],
)
def test_lossy_schemes_give_back_what_they_can(name, text, back):
    tok = Tokenizer.train(text, scheme=name, num_merges=5)
    assert tok.decode(tok.encode(text)) == back


def test_end_of_word_keeps_in_a_and_ina_apart_and_words_does_not():
    text = "in a ina in a"
    end_of_word = Tokenizer.train(text, scheme="end_of_word", num_merges=9)
    words = Tokenizer.train(text, scheme="words", num_merges=0)
    assert end_of_word.encode("in a") != end_of_word.encode("ina")
    assert words.encode("in a") == words.encode("ina")


@pytest.mark.parametrize("name", BYTE_SCHEMES)
@pytest.mark.parametrize(
    "text", ["\0", "a\0b", "\ufeffa", "\r\n\t\x0b\x85", "\U0010ffff", "हिन्दी 🙂"]
)
def test_byte_schemes_take_any_character(name, text, small_tokenizers):
    tok = small_tokenizers[name]
    assert tok.decode(tok.encode(text)) == text


def test_a_nul_and_a_byte_order_mark_are_characters_like_others():
    tok = Tokenizer.train("\ufeffa\0b\0", scheme="chars", num_merges=0)
    assert tok.tokens("\0\ufeff") == ["\0", "\ufeff"]
    assert tok.decode(tok.encode("\ufeffa\0")) == "\ufeffa\0"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("use", ["encode", "tokens", "trace", "train"])
def test_half_a_surrogate_pair_is_refused(name, use, small_tokenizers):
    tok = small_tokenizers[name]
    train = lambda text: Tokenizer.train(text, scheme=name, num_merges=1)  # noqa: E731
    with pytest.raises(ValueError, match="position 1.*surrogate"):
        (train if use == "train" else getattr(tok, use))("a\ud83d")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", [b"low", None, 7, ["low"]])
def test_encoding_anything_but_text_is_a_value_error(name, text, small_tokenizers):
    with pytest.raises(ValueError, match="str"):
        small_tokenizers[name].encode(text)


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_text_has_no_ids_and_no_ids_are_an_empty_text(name, small_tokenizers):
    tok = small_tokenizers[name]
    assert tok.encode("") == tok.tokens("") == []
    assert tok.decode([]) == ""
    assert tok.decode_bytes([]) == b""


def test_a_million_characters_without_a_space_come_back(story, small_tokenizers):
    text = (story.replace(" ", "").replace("\n", "") * 30)[:1_000_000]
    tok = small_tokenizers["bytes"]
    ids = tok.encode(text)
    assert len(ids) < len(text)
    assert tok.decode(ids) == text


@pytest.mark.parametrize("name", ["bytes", "words"])
@pytest.mark.parametrize("bad", [[-1], [10_000], [0, 10**30], ["a"], [None], [1.5], [[0]]])
def test_an_id_that_is_none_is_a_value_error_that_gives_the_range(name, bad, small_tokenizers):
    tok = small_tokenizers[name]
    for decode in (tok.decode, tok.decode_bytes):
        with pytest.raises(ValueError, match=f"0 to {len(tok) - 1}"):
            decode(bad)


def test_a_fragment_of_a_character_is_replaced_or_refused_as_asked():
    tok = Tokenizer.train("", scheme="bytes", num_merges=0)
    fragment = tok.encode("a🙂")[:-1]
    assert tok.decode(fragment) == "a\ufffd"
    assert tok.decode(fragment, errors="ignore") == "a"
    assert tok.decode_bytes(fragment) == b"a\xf0\x9f\x99"
    with pytest.raises(UnicodeDecodeError):
        tok.decode(fragment, errors="strict")


def test_the_bytes_of_a_character_scheme_are_its_text_in_utf_8():
    tok = Tokenizer.train("né", scheme="chars", num_merges=0)
    assert tok.decode_bytes(tok.encode("é")) == b"\xc3\xa9"


# a stream of texts


@pytest.mark.parametrize("name", NAMES)
def test_a_stream_gives_the_ids_of_one_encode_per_item(name, small_tokenizers):
    tok, lines = small_tokenizers[name], load_corpus("story")[:3000].splitlines(keepends=True)
    expected = [i for line in lines for i in tok.encode(line)]
    assert list(tok.encode_iterable(lines)) == expected
    assert list(tok.encode_iterable(iter(lines))) == expected


def test_a_stream_reads_no_further_than_it_must(small_tokenizers):
    tok, read = small_tokenizers["gpt2"], []

    def texts():
        for text in ["low", "", "lower", "lowest"]:
            read.append(text)
            yield text

    ids = tok.encode_iterable(texts())
    assert read == []
    for _ in tok.encode("low"):
        next(ids)
    assert read == ["low"]
    next(ids)
    assert read == ["low", "", "lower"]


def test_the_memory_of_a_stream_does_not_grow_with_the_text(small_tokenizers):
    tok, size, number = small_tokenizers["gpt2"], 5_000, 200
    texts = (" low lower" * (size // 10) for _ in range(number))
    tracemalloc.start()
    try:
        total = sum(1 for _ in tok.encode_iterable(texts))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert total > number * size / 10
    assert peak < number * size / 5


def test_a_stream_of_a_single_text_is_a_value_error(small_tokenizers):
    with pytest.raises(ValueError, match="encode"):
        small_tokenizers["gpt2"].encode_iterable("low")


def test_a_stream_that_holds_no_text_is_a_value_error(small_tokenizers):
    with pytest.raises(ValueError, match="str"):
        list(small_tokenizers["gpt2"].encode_iterable([b"low"]))


# special tokens


@pytest.mark.parametrize("name", ["chars", "bytes", "gpt2"])
def test_nothing_is_learned_from_special_tokens_or_across_them(name):
    tok = Tokenizer.train(f"ab{END}" * 9, scheme=name, num_merges=9, special_tokens=[END])
    empty = tok.scheme.units()
    assert [empty.join(merge.pair) for merge in tok.merges] == [empty.join(tok.tokens("ab"))]
    if name == "chars":
        assert tok.alphabet == ["a", "b"]


def test_text_with_spaces_at_a_special_token_is_split_on_each_side_alone():
    tok = Tokenizer.train(f"a {END} b", scheme="gpt2", num_merges=0, special_tokens=[END])
    words = tok.tokens(f"a {END} b", allowed_special="all")
    assert words == [b"a", b" ", END.encode(), b" ", b"b"]


def test_special_tokens_are_ordinary_text_unless_allowed():
    tok = Tokenizer.train("low", num_merges=0, special_tokens=[END, "<|pad|>"])
    text = f"{END}<|pad|>"
    assert tok.decode(tok.encode(text)) == text
    assert max(tok.encode(text)) < 256
    assert tok.encode(text, allowed_special="all") == [256, 257]
    assert tok.encode(text, allowed_special=[END]) == [256, *b"<|pad|>"]
    assert tok.encode(text, allowed_special={"<|pad|>"}) == [*END.encode(), 257]
    assert tok.encode(text, allowed_special=END) == [256, *b"<|pad|>"]
    assert tok.tokens(text, allowed_special="all") == [END.encode(), b"<|pad|>"]


def test_naming_no_special_token_is_a_value_error():
    tok = Tokenizer.train("low", num_merges=0, special_tokens=[END])
    with pytest.raises(ValueError, match="'<.pad.>'"):
        tok.encode("low", allowed_special=[END, "<|pad|>"])


@pytest.mark.parametrize("order", [1, -1])
def test_overlapping_special_tokens_are_matched_longest_first(order):
    names = ["<|", "<|end|>", "<|end|>!", "end|>x"][::order]
    tok = Tokenizer.train("low", scheme="bytes", num_merges=0, special_tokens=names)
    tokens = tok.tokens("<|end|>!<|end|><|endl<|end|>x", allowed_special="all")
    assert tokens == [b"<|end|>!", b"<|end|>", b"<|", b"e", b"n", b"d", b"l", b"<|end|>", b"x"]


def test_a_longer_special_token_that_is_not_allowed_does_not_hide_a_shorter_one():
    tok = Tokenizer.train("", scheme="bytes", num_merges=0, special_tokens=["<|", "<|end|>"])
    assert tok.encode("<|end|>", allowed_special=["<|"]) == [256, *b"end|>"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "special", ["<|a b|>", ".*", "[UNK]", "(a|b)+?", "\\d", "^$", " ", "\n", "हि"]
)
def test_a_special_token_may_hold_spaces_and_signs_of_regular_expressions(name, special):
    text = f"low{special}lower"
    tok = Tokenizer.train(text, scheme=name, num_merges=2, special_tokens=[special])
    ids = tok.encode(text, allowed_special="all")
    position = tok.special_tokens[special]
    assert ids == [*tok.encode("low"), position, *tok.encode("lower")]
    assert tok.decode(ids) == text


@settings(max_examples=50)
@given(parts=st.lists(st.sampled_from([END, "<|", "low", " ", "|>", "é"]), max_size=12))
def test_text_with_special_tokens_comes_back(parts):
    tok = Tokenizer.train("low", num_merges=0, special_tokens=[END, "<|"])
    text = "".join(parts)
    for allowed in ([], [END], "all"):
        assert tok.decode(tok.encode(text, allowed_special=allowed)) == text
    assert tok.encode(text, allowed_special="all").count(256) == text.count(END)


@pytest.mark.parametrize(
    "names", [END, [END, END], [""], [None], [b"x"], ["\ud800"]], ids=lambda names: ascii(names)
)
def test_unfit_special_tokens_are_a_value_error(names):
    with pytest.raises(ValueError, match=r"special|str|surrogate"):
        Tokenizer.train("low", num_merges=0, special_tokens=names)


# characters that were not in the training text


@pytest.mark.parametrize("name", CHARACTER_SCHEMES)
def test_an_unseen_character_is_named_with_its_position(name):
    tok = Tokenizer.train("low lower", scheme=name, num_merges=3, special_tokens=[END])
    with pytest.raises(ValueError, match="'x' at position 5"):
        tok.encode("low wx")
    with pytest.raises(ValueError, match="'x' at position 11"):
        tok.encode(f"low{END}wx", allowed_special="all")


def test_an_unseen_character_is_found_behind_lower_casing_and_spacing():
    tok = Tokenizer.train("low, lower", scheme="underscore", num_merges=3)
    with pytest.raises(ValueError, match="'x' at position 6"):
        tok.encode("LOW,\n\nXo")


def test_an_unseen_character_is_found_where_lower_casing_makes_two_of_one():
    tok = Tokenizer.train("i low", scheme="underscore", num_merges=0)
    with pytest.raises(ValueError, match="at position 4"):
        tok.encode("low İ")  # i and a combining dot


def test_an_unseen_character_is_found_where_lower_case_depends_on_its_place():
    tok = Tokenizer.train("α β", scheme="underscore", num_merges=0)
    with pytest.raises(ValueError, match="'ς' at position 1"):
        tok.encode("αΣ")


def test_an_unknown_token_stands_for_each_unseen_character():
    tok = Tokenizer.train("low lower", scheme="words", num_merges=3, unk_token="[?]")
    unknown = tok.special_tokens["[?]"]
    assert tok.unk_token == "[?]"
    assert unknown == len(tok) - 1
    assert tok.tokens("xlowyz") == ["[?]", "low", "[?]", "[?]"]
    assert tok.decode(tok.encode("xlow")) == "[?]low"


def test_an_unknown_token_may_be_among_the_special_tokens():
    names = ["[?]", END]
    tok = Tokenizer.train(
        "low", scheme="chars", num_merges=0, special_tokens=names, unk_token="[?]"
    )
    assert list(tok.special_tokens) == names
    assert tok.tokens("ox") == ["o", "[?]"]


@pytest.mark.parametrize("name", BYTE_SCHEMES)
def test_byte_schemes_refuse_an_unknown_token_they_never_need(name):
    with pytest.raises(ValueError, match="unk_token"):
        Tokenizer.train("low", scheme=name, num_merges=0, unk_token="[?]")


def test_the_error_for_an_unseen_character_says_what_to_do():
    tok = Tokenizer.train("low", scheme="chars", num_merges=0)
    with pytest.raises(ValueError, match="unk_token.*byte scheme"):
        tok.encode("é")


# the end-of-word marker


def test_a_literal_marker_in_the_text_never_becomes_the_marker():
    text = "a</w> a a</w> </w>"
    tok = Tokenizer.train(text, scheme="end_of_word", num_merges=20)
    tokens = tok.tokens(text)
    assert tok.decode(tok.encode(text)) == text
    assert tok.encode("a</w>") != tok.encode("a")
    assert all(isinstance(token, WordEnd) for token in (tokens[-1], tok.tokens("a")[-1]))


def test_tokens_spelled_alike_have_ids_of_their_own():
    tok = Tokenizer.train("a</w>b a a</w>b a", scheme="end_of_word", num_merges=20)
    spelled = [str(token) for token in tok.vocab.values()]
    assert spelled.count("a</w>") == 2  # the plain one inside a</w>b, and the end of "a"
    assert tok.decode(tok.encode("a a</w>b")) == "a a</w>b"


def test_of_two_ids_for_the_same_token_the_lower_is_used_and_both_are_decoded():
    merges = [("a", "b", 1), ("b", "c", 1), ("ab", "c", 1), ("a", "bc", 1)]
    tok = Tokenizer("chars", ["a", "b", "c"], merges)
    assert tok.encode("abc") == [5]
    assert tok.decode([5]) == tok.decode([6]) == "abc"


@given(text=st.text("a</w>", max_size=20))
def test_end_of_word_gives_back_literal_markers(text):
    tok = Tokenizer.train(text, scheme="end_of_word", num_merges=30, min_count=1)
    assert tok.decode(tok.encode(text)) == text
    assert len(set(tok.vocab.values())) == len(tok)


# looking inside


def test_the_trace_shows_every_step_by_hand():
    tok = Tokenizer.train("low low lower lower newer s", scheme="words", num_merges=3)
    assert [merge.token for merge in tok.merges] == ["lo", "low", "er"]
    steps = tok.trace("slower")
    assert list(steps.columns) == ["word", "candidates", "winner"]
    assert steps.to_numpy().tolist() == [
        ["s l o w e r", "0: l o, 2: e r", "l o"],
        ["s lo w e r", "1: lo w, 2: e r", "lo w"],
        ["s low e r", "2: e r", "e r"],
        ["s low er", "", ""],
    ]


@pytest.mark.parametrize("name", NAMES)
def test_the_trace_ends_with_the_tokens(name, small_tokenizers):
    tok = small_tokenizers[name]
    tokens = tok.tokens("there")
    last = tok.trace("there").iloc[-1]
    units = tok.scheme.units
    assert last["word"] == " ".join(str(t) if units is str else t.decode() for t in tokens)
    assert (last["candidates"], last["winner"]) == ("", "")


def test_the_trace_makes_white_space_and_bytes_visible():
    tok = Tokenizer.train("", num_merges=0)
    assert tok.trace(" é")["word"].tolist() == ["· ⟨C3⟩ ⟨A9⟩"]


@pytest.mark.parametrize("text", ["", "low lower"])
def test_the_trace_is_of_one_word(text, small_tokenizers):
    with pytest.raises(ValueError, match="words"):
        small_tokenizers["gpt2"].trace(text)


def test_the_trace_of_an_unseen_character_is_the_error_of_encode():
    tok = Tokenizer.train("low", scheme="words", num_merges=0)
    with pytest.raises(ValueError, match="'x' at position 2"):
        tok.trace("lox")


def test_a_tokenizer_tells_what_it_is():
    tok = Tokenizer.train("low low", scheme="words", num_merges=1, special_tokens=[END])
    for part in ("'words'", "5", "3 symbols", "1 merges", "1 special"):
        assert part in repr(tok)


def test_equal_parts_make_equal_tokenizers():
    options = {"scheme": "words", "num_merges": 1, "special_tokens": [END]}
    tok = Tokenizer.train("low low", **options)
    assert tok == Tokenizer.train("low low", **options)
    assert tok == Tokenizer("words", tok.alphabet, tok.merges, [END])
    assert tok != "low"
    for change in (
        {"scheme": "chars"},
        {"num_merges": 2},
        {"special_tokens": []},
        {"unk_token": END},
    ):
        assert tok != Tokenizer.train("low low", **(options | change))


@pytest.mark.parametrize(
    ("alphabet", "merges"),
    [
        (["a", "a"], []),
        (["a", b"b"], []),
        (["a"], [("a", "b", 1)]),
        (["a"], [("a", "a", 1), ("a", "a", 1)]),
        (["a"], [("aa", "a", 1), ("a", "a", 1)]),
    ],
    ids=["a symbol twice", "bytes", "unknown symbol", "a merge twice", "a part too early"],
)
def test_parts_that_do_not_fit_are_a_value_error(alphabet, merges):
    with pytest.raises(ValueError, match="alphabet|merge"):
        Tokenizer("chars", alphabet, merges)


def test_a_byte_scheme_needs_all_the_bytes():
    with pytest.raises(ValueError, match="256"):
        Tokenizer("bytes", [b"a"], [])


@pytest.mark.parametrize("scheme", ["underscore", "end_of_word"])
def test_the_spaces_around_an_unknown_character_come_back(scheme):
    tok = Tokenizer.train("the cat", scheme=scheme, num_merges=3, unk_token="<unk>")
    assert tok.decode(tok.encode("the é the é")) == "the <unk> the <unk>"
