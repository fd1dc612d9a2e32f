"""Eight conventions: what each makes of a text, and what comes back."""

import re

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from bpe_teach import SCHEMES, Scheme, patterns
from bpe_teach.symbols import WordEnd

NAMES = ["chars", "underscore", "words", "end_of_word", "bytes", "gpt2", "cl100k", "o200k"]
LOSSLESS = ["chars", "bytes", "gpt2", "cl100k", "o200k"]
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def test_there_are_eight_schemes_in_the_order_of_the_course():
    assert list(SCHEMES) == NAMES
    assert [scheme.name for scheme in SCHEMES.values()] == NAMES


def test_five_schemes_lose_nothing_and_the_others_say_what_they_lose():
    assert [name for name in NAMES if SCHEMES[name].lossless] == LOSSLESS
    assert all(SCHEMES[name].loses for name in NAMES)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("chars", ["I'm so low -- 1234 lows!\n  End"]),
        ("bytes", ["I'm so low -- 1234 lows!\n  End"]),
        (
            "underscore",
            ["i", "'", "m", "so", "low", "-", "-", "1234", "lows", "!", "end"],
        ),
        ("words", ["I", "'", "m", "so", "low", "--", "1234", "lows", "!", "End"]),
        ("end_of_word", ["I'm", "so", "low", "--", "1234", "lows!", "End"]),
        (
            "gpt2",
            ["I", "'m", " so", " low", " --", " 1234", " lows", "!", "\n ", " End"],
        ),
        (
            "cl100k",
            ["I", "'m", " so", " low", " --", " ", "123", "4", " lows", "!\n", " ", " End"],
        ),
        (
            "o200k",
            ["I'm", " so", " low", " --", " ", "123", "4", " lows", "!\n", " ", " End"],
        ),
    ],
)
def test_each_scheme_splits_the_same_sentence_in_its_own_way(name, words):
    assert list(SCHEMES[name].split("I'm so low -- 1234 lows!\n  End")) == words


def test_underscore_sets_apart_exactly_its_nine_signs():
    text = "".join(f"x{sign}" for sign in ".,!?;:'\"-()&/")
    words = list(SCHEMES["underscore"].split(text))
    assert words == list("x.x,x!x?x;x:x'x\"x-") + ["x(x)x&x/"]


def test_words_tears_combining_marks_from_their_letters():
    assert list(SCHEMES["words"].split("हिन्दी")) == list("हिन्दी")


def test_the_case_of_a_contraction_matters_to_gpt2_only():
    assert list(SCHEMES["gpt2"].split("I'LL")) == ["I", "'", "LL"]
    assert list(SCHEMES["cl100k"].split("I'LL")) == ["I", "'LL"]
    assert list(SCHEMES["o200k"].split("I'LL")) == ["I'LL"]


def test_o200k_cuts_before_a_capital_and_keeps_marks_with_their_letters():
    assert list(SCHEMES["o200k"].split("camelCase हिन्दी")) == ["camel", "Case", " हिन्दी"]
    assert len(list(SCHEMES["gpt2"].split("हिन्दी"))) > 1


@pytest.mark.parametrize(
    ("name", "symbols"),
    [
        ("chars", ("é", "a")),
        ("underscore", ("é", "a", "_")),
        ("words", ("é", "a")),
        ("end_of_word", ("é", "a", WordEnd("</w>"))),
        ("bytes", (b"\xc3", b"\xa9", b"a")),
        ("gpt2", (b"\xc3", b"\xa9", b"a")),
    ],
)
def test_first_symbols_are_characters_or_bytes_and_a_marker(name, symbols):
    assert SCHEMES[name].symbols("éa") == symbols


def test_words_are_counted_in_order_of_first_appearance():
    counts = SCHEMES["words"].word_counts("so low, so so low")
    assert list(counts.items()) == [(tuple("so"), 3), (tuple("low"), 2), ((",",), 1)]


def test_the_parts_of_a_text_are_counted_together_but_split_apart():
    counts = SCHEMES["chars"].word_counts(["ab", "cd", "ab"])
    assert counts == {("a", "b"): 2, ("c", "d"): 1}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("nothing", ["", [], ["", ""]])
def test_an_empty_text_has_no_words(name, nothing):
    assert SCHEMES[name].word_counts(nothing) == {}


@pytest.mark.parametrize("name", ["underscore", "words", "end_of_word"])
def test_white_space_alone_has_no_words(name):
    assert SCHEMES[name].word_counts("  \n \n") == {}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", [b"low", None, 7])
def test_a_text_must_be_a_str(name, text):
    with pytest.raises(ValueError, match="str"):
        SCHEMES[name].split(text)


@pytest.mark.parametrize("name", NAMES)
def test_half_a_surrogate_pair_is_refused_with_its_position(name):
    with pytest.raises(ValueError, match="position 2") as error:
        SCHEMES[name].word_counts("lo\ud83d")
    assert "\\ud83d" in str(error.value)


@pytest.mark.parametrize("name", LOSSLESS)
@given(text=ANY_TEXT)
def test_the_words_of_a_lossless_scheme_are_the_text(name, text):
    scheme = SCHEMES[name]
    words = list(scheme.split(text))
    assert "".join(words) == text
    assert "" not in words
    joined = scheme.detokenize(symbol for word in words for symbol in scheme.symbols(word))
    assert joined == (text if scheme.units is str else text.encode())


@pytest.mark.parametrize("name", ["words", "end_of_word"])
@given(text=ANY_TEXT)
def test_the_words_of_a_lossy_scheme_are_the_text_without_its_white_space(name, text):
    words = "".join(SCHEMES[name].split(text))
    assert words == re.sub(r"\s", "", text)  # as `re` sees white space


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k"])
@settings(max_examples=300)
@given(text=st.text(st.characters(codec="ascii")) | st.text("aZ1'sSlL !/\n\r\t\x1c", max_size=20))
def test_ascii_text_is_split_as_the_published_pattern_splits_it(name, text):
    words = [match.group() for match in regex.finditer(SCHEMES[name].pattern, text)]
    assert list(SCHEMES[name].split(text)) == words


def test_detokenizing_puts_one_space_where_a_word_ended():
    end_of_word, underscore = SCHEMES["end_of_word"], SCHEMES["underscore"]
    assert end_of_word.detokenize([*end_of_word.symbols("in"), *end_of_word.symbols("a")]) == "in a"
    assert underscore.detokenize(["in_", "a", "_"]) == "in a"
    assert SCHEMES["words"].detokenize(["low", "low"]) == "lowlow"


def test_a_literal_marker_in_the_text_stays_text():
    scheme = SCHEMES["end_of_word"]
    assert scheme.detokenize(["</w>", "x", WordEnd("</w>"), WordEnd("y</w>")]) == "</w>x y"
    assert scheme.detokenize([WordEnd("</w></w>")]) == "</w>"


def test_the_underscore_scheme_cannot_tell_its_marker_from_text():
    scheme = SCHEMES["underscore"]
    spaced, literal = ([*map(scheme.symbols, scheme.split(t))] for t in ("a b", "a_b"))
    assert sum(spaced, ()) == sum(literal, ())


def test_the_alphabet_of_a_byte_scheme_is_every_byte_by_value():
    assert SCHEMES["gpt2"].alphabet([]) == [bytes([byte]) for byte in range(256)]


def test_the_alphabet_of_a_character_scheme_is_what_was_seen_sorted():
    scheme = SCHEMES["end_of_word"]
    alphabet = scheme.alphabet(scheme.word_counts("ox </w>"))
    assert alphabet == sorted(alphabet, key=str)
    assert set(alphabet) == {*"ox</w>", WordEnd("</w>")}


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k"])
@given(text=st.text(st.sampled_from("ab1.'é/ \n\r\t"), max_size=40))
def test_a_long_text_is_cut_where_no_word_runs_across(name, text):
    pattern = SCHEMES[name].pattern
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patterns, "CHUNK", 3)
        words = list(patterns.find_words(pattern, text))
    assert words == regex.findall(pattern, text)


def test_a_pattern_of_everything_but_letters_runs_on_regex_too():
    assert list(Scheme("others", "", r"\P{L}+", str).split("ab 1é2")) == [" 1", "2"]


def test_a_long_text_is_cut_into_many_chunks():
    text = "one line\nand 1 more\n" * 20_000
    chunks = list(patterns.cut_chunks(text))
    assert "".join(chunks) == text
    assert 5 < len(chunks) < 10


def test_a_long_text_that_cannot_be_cut_gives_the_same_words():
    text = "é 1,\n" * 30_000
    assert len(list(patterns.cut_chunks(text))) == 1
    words = list(patterns.find_words(patterns.CL100K, text))
    assert words == regex.findall(patterns.CL100K, text)


def test_half_a_surrogate_pair_far_into_a_text_is_named_with_its_position():
    with pytest.raises(ValueError, match="'\\\\ud83d' at position 1500000 is half"):
        SCHEMES["gpt2"].split("a" * 1_500_000 + "\ud83d")
