"""Schemes: the words of each, and whether decoding gives the text back."""

import re
from itertools import chain

import pytest
import regex
from common import ANY_TEXT, LOSSLESS, NAMES, PATTERN_SCHEMES, examples, rows
from hypothesis import example, given
from hypothesis import strategies as st

from bpe_teach import SCHEMES, Scheme
from bpe_teach.fast import patterns as fast_patterns
from bpe_teach.patterns import CL100K
from bpe_teach.symbols import WordEnd


def test_the_schemes_of_the_course_are_there_and_say_what_they_lose():
    assert {"chars", "bytes", "gpt2", "cl100k", "o200k"} <= set(LOSSLESS)
    lossy = {"underscore", "words", "end_of_word", "last_character"}
    assert lossy <= set(NAMES) - set(LOSSLESS)
    assert all(name == scheme.name and scheme.loses for name, scheme in SCHEMES.items())


SENTENCE = "I'm so low -- 1234 lows!\n  End"


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        *rows("schemes/words", globals()),
        *((name, "", "") for name in NAMES),
        *((name, "  \n \n", "") for name in NAMES if name not in LOSSLESS),
    ],
)
def test_each_scheme_splits_a_text_in_its_own_way(name, text, words):
    assert list(SCHEMES[name].split(text)) == (words.split("|") if words else [])


@pytest.mark.parametrize(("name", "symbols"), rows("schemes/symbols", globals()))
def test_first_symbols_are_characters_or_bytes_and_a_marker(name, symbols):
    assert SCHEMES[name].symbols("éA") == symbols


@pytest.mark.parametrize(("name", "text", "counts"), rows("schemes/counts", globals()))
def test_words_are_counted_in_order_of_first_appearance(name, text, counts):
    expected = [(tuple(word), count) for word, count in counts]
    assert list(SCHEMES[name].word_counts(text).items()) == expected


def plain_text(scheme, symbols):
    """Return what symbols spell; nothing follows the last word."""
    if scheme.units is bytes:
        return b"".join(symbols)
    text = "".join(map(scheme.plain, symbols))
    return text.removesuffix(" ") if scheme.marker else text


@pytest.mark.parametrize("name", LOSSLESS)
@given(text=ANY_TEXT)
def test_the_words_of_a_lossless_scheme_are_the_text(name, text):
    scheme = SCHEMES[name]
    words = list(scheme.split(text))
    assert "".join(words) == text
    assert "" not in words
    whole = plain_text(scheme, (symbol for word in words for symbol in scheme.symbols(word)))
    assert whole == (text if scheme.units is str else text.encode())


@pytest.mark.parametrize("name", ["words", "end_of_word", "last_character"])
@given(text=ANY_TEXT)
def test_the_words_of_a_lossy_scheme_are_the_text_without_its_white_space(name, text):
    words = "".join(SCHEMES[name].split(text))
    assert words == re.sub(r"\s", "", text)  # as `re` sees white space


END = WordEnd("</w>")


@pytest.mark.parametrize(("name", "symbols", "text"), rows("schemes/detokenized", globals()))
def test_detokenizing_puts_one_space_where_a_word_ended(name, symbols, text):
    assert plain_text(SCHEMES[name], symbols) == text


def test_the_alphabet_is_every_byte_by_value_or_what_was_seen_sorted():
    assert SCHEMES["gpt2"].alphabet([]) == [bytes([byte]) for byte in range(256)]
    scheme = SCHEMES["end_of_word"]
    assert scheme.alphabet(scheme.word_counts("ox </w>")) == ["/", "<", END, ">", "o", "w", "x"]
    scheme = SCHEMES["last_character"]
    both = ["a", "o", "x", WordEnd("a</w>"), WordEnd("o</w>"), WordEnd("x</w>")]
    assert scheme.alphabet(scheme.word_counts("ox oa")) == both


# how patterns are run


PLAIN = st.text(st.characters(codec="latin-1")) | st.text("aZ1'sSlL !/\n\r\t\x1c’ä", max_size=20)
PIECES = "'s|'S|'ll|'LL|'re|'ſ| |  |\n|\r\n|\t|\x0b|\x1c|\x85|\u00a0|\u2028|\u3000|\ufeff|\0"
PIECES += "|low|Low|LOW|é|e\u0301|ǅ|ʰ|ß|İ|1|1234567|²|½|٣|!|...|/|_|中文|हिन्दी|🙂|👩‍🚀"
ASSIGNED = st.characters(exclude_categories=["Cs", "Cn"])  # engines differ on newer characters
SOME = st.lists(st.sampled_from(PIECES.split("|")) | ASSIGNED, min_size=1, max_size=8).map("".join)


@pytest.mark.parametrize("name", PATTERN_SCHEMES)
@examples(400)
@given(
    text=PLAIN | SOME | st.text("ab1.'é/🙂 \n\r\t", max_size=40),
    piece=st.sampled_from([1, 3, 50_000]),
)
def test_text_is_split_as_the_published_pattern_splits_it_in_pieces_or_whole(name, text, piece):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_patterns, "PIECE", piece)
        found = list(fast_patterns.split_fast(SCHEMES[name], text))
    assert found == SCHEMES[name].split(text) == regex.findall(SCHEMES[name].pattern, text)


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize("name", PATTERN_SCHEMES)
def test_every_character_is_split_off_as_the_published_pattern_does(name, plain, every):
    others = chain(range(0x250, 0xD800, every), range(0xE000, 0x10000, every))
    characters = map(chr, chain(range(0x250), others))
    if plain:
        characters = [c for c in characters if not fast_patterns.NOT_PLAIN.search(c)]
    text = "".join(f"a{c}b'{c}'s  {c}1{c}\n" for c in characters)
    found = list(fast_patterns.split_fast(SCHEMES[name], text))
    assert found == regex.findall(SCHEMES[name].pattern, text)


@pytest.mark.parametrize("name", PATTERN_SCHEMES)
def test_every_character_is_cut_as_by_the_pattern_of_tiktoken(name, published_pattern, every):
    later = chain(range(0x3000, 0xD800, every), range(0xE000, 0x20000, every))
    pattern = regex.compile(published_pattern(name))
    for character in map(chr, chain(range(0x3000), later)):
        text = f"a{character}b A{character} {character}1"
        assert SCHEMES[name].split(text) == pattern.findall(text), f"{ord(character):x}"


@pytest.mark.parametrize(("text", "can_be_cut"), rows("schemes/long", globals()))
def test_a_long_text_is_cut_if_it_can_be_and_gives_the_same_words(text, can_be_cut):
    parts = list(fast_patterns.cut_pieces(text))
    assert "".join(parts) == text
    assert (len(parts) > len(text) / fast_patterns.PIECE - 1) == can_be_cut
    assert list(fast_patterns.match_fast(CL100K, text)) == regex.findall(CL100K, text)


def test_a_pattern_of_ones_own_may_have_groups_and_name_classes_of_unicode():
    assert list(Scheme("others", "", r"\P{L}+", str, loses="letters").split("ab 1é2")) == [
        " 1",
        "2",
    ]
    assert list(Scheme("groups", "", r"(l)(ow)|x", str, loses="much").split("lowx")) == ["low", "x"]


@pytest.mark.slow
@pytest.mark.parametrize("name", PATTERN_SCHEMES)
@given(text=PLAIN.filter(len) | SOME)
@example("I'll'LL ./low!\n/low /\r\n")
@example("x \n \n  y\t z  \n")
@example(PIECES)
@example(PIECES.replace("|", "| "))
def test_tiktoken_cuts_any_text_into_the_same_words(name, published_pattern, text):
    """Where every substring has a rank, every word becomes one token of tiktoken."""
    tiktoken = pytest.importorskip("tiktoken")
    content = text.encode()
    starts = range(len(content))
    parts = {content[i:j] for i in starts for j in range(i + 1, len(content) + 1)}
    ranks = {part: i for i, part in enumerate(sorted(parts, key=lambda part: (len(part), part)))}
    pattern = published_pattern(name)
    encoding = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    words = map(encoding.decode_single_token_bytes, encoding.encode_ordinary(text))
    assert list(SCHEMES[name].split(text)) == [word.decode() for word in words]
