"""Encoding: replay, lowest rank first, and the independent encoders that agree with them."""

import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bpe_teach import SCHEMES, Merge, Tokenizer, encode_by_rank, encode_by_replay, learn_merges
from bpe_teach.corpora import load_corpus
from bpe_teach.encode import encode_steps, trace_by_rank
from bpe_teach.fast_encode import _merge_by_queue, _merge_by_reading, merge_by_rank

PATTERN_SCHEMES = ["gpt2", "cl100k", "o200k"]
SYMBOLS = ("a", "b", "ab", "ba", "aa", "c")


def encode_fast(word, ranks, merge=merge_by_rank):
    """Encode with numbers in place of symbols, as `Tokenizer` does; return the ranks used, too."""
    pairs = sorted(ranks, key=ranks.get)
    symbols = {*word, *(part for pair in pairs for part in pair), *map("".join, pairs)}
    names = sorted(symbols)
    ids = [names.index(symbol) for symbol in word]
    id_ranks = {tuple(map(names.index, pair)): rank for rank, pair in enumerate(pairs)}
    used = merge(ids, id_ranks, [names.index("".join(pair)) for pair in pairs])
    return tuple(names[i] for i in ids), used


def ranked(merges):
    """Return the rank of every pair."""
    return {merge.pair: rank for rank, merge in enumerate(merges)}


def test_replay_applies_the_merges_in_their_order():
    merges = [("l", "o"), ("lo", "w"), ("e", "r")]
    assert encode_by_replay(tuple("lower"), merges) == ("low", "er")
    assert encode_by_replay(tuple("lower"), merges[::-1]) == ("lo", "w", "er")


def test_replay_takes_merges_with_or_without_counts():
    assert encode_by_replay(tuple("lo"), [Merge("l", "o", 3)]) == ("lo",)


def test_the_lowest_rank_is_merged_first():
    word = tuple("abc")
    assert encode_by_rank(word, {("a", "b"): 0, ("b", "c"): 1}) == ("ab", "c")
    assert encode_by_rank(word, {("a", "b"): 1, ("b", "c"): 0}) == ("a", "bc")


def test_among_equal_ranks_the_leftmost_is_merged_first():
    assert encode_by_rank(tuple("aaa"), {("a", "a"): 0}) == ("aa", "a")
    assert encode_by_rank(tuple("aaaaa"), {("a", "a"): 0, ("aa", "aa"): 1}) == ("aaaa", "a")


def test_a_new_pair_of_lower_rank_goes_before_what_was_waiting():
    ranks = {("a", "b"): 1, ("ab", "c"): 0, ("c", "d"): 2}
    assert encode_by_rank(tuple("abcd"), ranks) == ("abc", "d")


def test_merging_does_not_reach_across_the_border_of_a_symbol():
    assert encode_by_rank(("es", "t", "a"), {("s", "t"): 0}) == ("es", "t", "a")


@pytest.mark.parametrize("word", [(), ("a",), (b"a",)])
def test_a_word_of_less_than_two_symbols_stays_as_it_is(word):
    assert encode_by_rank(word, {("a", "a"): 0}) == word
    assert encode_by_replay(word, [("a", "a")]) == word


def test_a_word_nothing_was_learned_of_stays_in_its_first_symbols():
    assert encode_by_rank(tuple("xyz"), {("a", "b"): 0}) == ("x", "y", "z")


def test_a_badly_ordered_list_splits_differently_by_replay_and_by_rank():
    merges = [("ab", "c"), ("a", "b")]
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    assert encode_by_replay(tuple("abc"), merges) == ("ab", "c")
    assert encode_by_rank(tuple("abc"), ranks) == ("abc",)


@settings(max_examples=400)
@given(
    word=st.lists(st.sampled_from(SYMBOLS), max_size=20),
    pairs=st.lists(
        st.tuples(st.sampled_from(SYMBOLS + ("aba", "abab")), st.sampled_from(SYMBOLS)),
        unique=True,
        max_size=12,
    ),
)
def test_the_fast_ways_agree_with_the_plain_loop_for_any_table_of_ranks(word, pairs):
    ranks = {pair: rank for rank, pair in enumerate(pairs)}
    steps = [step for step in encode_steps([tuple(word)], ranks) if step.winner]
    expected = (encode_by_rank(tuple(word), ranks), [ranks[step.winner] for step in steps])
    assert encode_fast(word, ranks, _merge_by_reading) == expected
    assert encode_fast(word, ranks, _merge_by_queue) == expected
    assert encode_fast(word, ranks) == expected


@given(
    corpus=st.lists(st.text("abc", max_size=12), max_size=8),
    text=st.text("abcd", max_size=25),
    tie_break=st.sampled_from(["first", "lowest_id", "greatest"]),
)
def test_replay_and_rank_agree_for_trained_merges(corpus, text, tie_break):
    words = SCHEMES["words"].word_counts(corpus)
    merges = learn_merges(words, 30, tie_break=tie_break)
    for word in [tuple(text), *words]:
        assert encode_by_rank(word, ranked(merges)) == encode_by_replay(word, merges)


@pytest.mark.parametrize("name", list(SCHEMES))
def test_replay_and_rank_agree_on_prose(name, small_tokenizers):
    tok = small_tokenizers[name]
    for word in tok.scheme.word_counts(load_corpus("second_story")[:2000]):
        assert encode_by_rank(word, ranked(tok.merges)) == encode_by_replay(word, tok.merges)


@given(text=st.text("abc", max_size=30))
def test_the_tokens_of_a_word_joined_are_the_word(text):
    ranks = ranked(learn_merges({tuple("abcabbcaab"): 1}, 6))
    assert "".join(encode_by_rank(tuple(text), ranks)) == text


def test_the_trace_shows_every_step_with_all_candidates():
    ranks = {("l", "o"): 0, ("lo", "w"): 1, ("w", "l"): 2}
    assert list(trace_by_rank([tuple("lowlo"), ("l", "o")], ranks)) == [
        ((tuple("lowlo"), ("l", "o")), {("l", "o"): 0, ("w", "l"): 2}, ("l", "o"), (0, 0)),
        ((("lo", "w", "lo"), ("lo",)), {("lo", "w"): 1}, ("lo", "w"), (0, 0)),
        ((("low", "lo"), ("lo",)), {}, None, None),
    ]


@given(text=st.text("abc ", max_size=20))
def test_the_trace_of_several_words_ends_where_encoding_each_ends(text):
    ranks = ranked(learn_merges({tuple("abcabbcaab"): 1}, 6))
    words = [tuple(word) for word in text.split()]
    *_, last = trace_by_rank(words, ranks)
    assert last.words == tuple(encode_by_rank(word, ranks) for word in words)


# Against tiktoken, with the split patterns that it publishes itself.

PIECES = [
    "'s",
    "'S",
    "'ll",
    "'LL",
    "'re",
    "'ſ",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "\x0b",
    "\x1c",
    "\x85",
]
PIECES += [
    "\u00a0",
    "\u2028",
    "\u3000",
    "\ufeff",
    "\0",
    "low",
    "Low",
    "LOW",
    "é",
    "e\u0301",
    "ǅ",
    "ʰ",
]
PIECES += [
    "ß",
    "İ",
    "1",
    "1234567",
    "²",
    "½",
    "٣",
    "!",
    "...",
    "/",
    "_",
    "中文",
    "हिन्दी",
    "🙂",
    "👩‍🚀",
]
ASSIGNED = st.characters(exclude_categories=["Cs", "Cn"])  # engines differ on newer characters
SOME = st.sampled_from(PIECES) | ASSIGNED
MIXED_TEXT = st.lists(SOME, max_size=20).map("".join)
ASCII = st.characters(codec="ascii")


@pytest.fixture(scope="module")
def byte_tokenizers(story, published_pattern):
    """For every split pattern, our tokenizer and tiktoken's with the same ranks."""
    tiktoken = pytest.importorskip("tiktoken")
    pairs = {}
    for name in PATTERN_SCHEMES:
        tok = Tokenizer.train(story, scheme=name, num_merges=800)
        ranks = {token: i for i, token in tok.vocab.items()}
        assert len(ranks) == len(tok)
        pattern = published_pattern(name)
        pairs[name] = (
            tok,
            tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={}),
        )
    return pairs


@pytest.mark.parametrize("name", PATTERN_SCHEMES)
@settings(max_examples=300)
@given(text=MIXED_TEXT)
def test_tiktoken_gives_the_same_ids_for_any_text(name, byte_tokenizers, text):
    ours, theirs = byte_tokenizers[name]
    assert ours.encode(text) == theirs.encode_ordinary(text)


@pytest.mark.parametrize("name", PATTERN_SCHEMES)
@pytest.mark.parametrize("piece", PIECES)
def test_tiktoken_splits_hard_cases_alike(name, piece, byte_tokenizers):
    ours, theirs = byte_tokenizers[name]
    for text in (piece, f"low{piece}", f"{piece}low", f" {piece} {piece}", f"I{piece}\n"):
        assert ours.encode(text) == theirs.encode_ordinary(text), repr(text)


def split_by_tiktoken(pattern, text):
    """Cut a text with tiktoken: where every substring has a rank, every word becomes one token."""
    import tiktoken

    content = text.encode()
    starts = range(len(content))
    parts = {content[i:j] for i in starts for j in range(i + 1, len(content) + 1)}
    ranks = {part: i for i, part in enumerate(sorted(parts, key=lambda part: (len(part), part)))}
    encoding = tiktoken.Encoding("split", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    ids = encoding.encode_ordinary(text)
    return [encoding.decode_single_token_bytes(i).decode() for i in ids]


@pytest.mark.parametrize("name", PATTERN_SCHEMES)
@settings(max_examples=150)
@given(text=st.text(ASCII, min_size=1) | st.lists(SOME, min_size=1, max_size=8).map("".join))
@example("I'll'LL ./low!\n/low /\r\n")
@example("x \n \n  y\t z  \n")
def test_tiktoken_cuts_any_text_into_the_same_words(name, published_pattern, text):
    assert list(SCHEMES[name].split(text)) == split_by_tiktoken(published_pattern(name), text)


def test_the_pieces_are_characters_that_every_engine_knows():
    assert not any(unicodedata.category(ch) == "Cn" for piece in PIECES for ch in piece)
