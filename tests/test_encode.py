"""Encoding a word: replay, lowest rank first, and the fast encoder that agrees with them."""

import random

import pytest
from common import NAMES, PATTERN_SCHEMES, examples, rows
from hypothesis import given
from hypothesis import strategies as st

from bpe_further.exchange.published import PublishedTokenizer
from bpe_teach import Tokenizer, encode_by_rank, encode_by_replay
from bpe_teach.corpora import load_corpus
from bpe_teach.display import trace_table
from bpe_teach.encode import encode_steps
from bpe_teach.fast import encode as fast_encode
from bpe_teach.fast.borders import Borders, cut_into_tokens, find_longest
from bpe_teach.fast.encode import (
    FastEncoder,
    NumberedMerges,
    _merge_by_queue,
    _merge_by_reading,
    merge_by_rank,
)
from bpe_teach.fast.learn import TIE_BREAKS
from bpe_teach.schemes import BYTES, Scheme
from bpe_teach.tokenizer import PlainTokenizer

SYMBOLS = ("a", "b", "ab", "ba", "aa", "c")


def encode_fast(word, ranks, merge):
    """Encode with numbers in place of symbols, as `Tokenizer` does; return tokens and ranks."""
    pairs = sorted(ranks, key=ranks.get)
    names = sorted({*word, *(part for pair in pairs for part in pair), *map("".join, pairs)})
    ids = [names.index(symbol) for symbol in word]
    id_ranks = {tuple(map(names.index, pair)): rank for rank, pair in enumerate(pairs)}
    used = merge(ids, id_ranks, [names.index("".join(pair)) for pair in pairs])
    return tuple(names[i] for i in ids), used


@pytest.mark.parametrize(("word", "pairs", "by_rank", "by_replay"), rows("encode/by_hand"))
def test_words_are_encoded_by_hand(word, pairs, by_rank, by_replay):
    pairs = [tuple(pair.split()) for pair in pairs]
    word = tuple(word.split())
    ranks = {pair: rank for rank, pair in enumerate(pairs)}
    assert encode_by_rank(word, ranks) == tuple(by_rank.split())
    assert encode_by_replay(word, pairs) == tuple(by_replay.split())


@examples(400)
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
    steps = [step for step in encode_steps(tuple(word), ranks) if step.winner]
    expected = (encode_by_rank(tuple(word), ranks), [ranks[step.winner] for step in steps])
    assert encode_fast(word, ranks, _merge_by_reading) == expected
    assert encode_fast(word, ranks, _merge_by_queue) == expected


def test_a_rank_may_come_again_when_its_places_were_used_up():
    chance = random.Random(1)  # lists in any order, in which tokens are made in several ways
    for _ in range(200):
        known, pairs = ["a", "b"], []
        for _ in range(14):
            pair = chance.choice(known), chance.choice(known)
            if len(pair[0] + pair[1]) <= 4 and pair not in pairs:
                pairs.append(pair)
                known.append(pair[0] + pair[1])
        chance.shuffle(pairs)
        ranks = {pair: rank for rank, pair in enumerate(pairs)}
        word = chance.choices("ab", k=60)
        assert encode_fast(word, ranks, _merge_by_queue)[0] == encode_by_rank(tuple(word), ranks)


def test_new_pairs_of_low_rank_are_merged_before_those_that_wait():
    ids = [0, 1, 2, 0, 1, 3, 4, 5, 6, 7]
    ranks = {(0, 1): 0, (8, 2): 1, (8, 3): 2, (4, 5): 3, (6, 7): 4}
    assert _merge_by_queue(ids, ranks, [8, 9, 10, 11, 12]) == [0, 0, 1, 2, 3, 4]


def test_a_pair_whose_right_half_was_merged_away_at_the_end_of_a_word_is_skipped():
    # 0 1 → 4, which leaves 4 2 waiting; 2 3 → 5; 4 5 → 6, and nothing stands to the right of it.
    ranks = {(0, 1): 0, (2, 3): 1, (4, 5): 2, (4, 2): 3}
    for merge in (_merge_by_queue, _merge_by_reading):
        ids = [0, 1, 2, 3]
        assert merge(ids, ranks, [4, 5, 6, 7]) == [0, 1, 2]
        assert ids == [6]


def test_a_whole_word_of_bytes_is_found_though_the_scheme_marks_ends():
    """In a tokenizer.json with ignore_merges, a word that is an entry isn't merged."""
    marking = Scheme("m", "", r"[a-z]+", bytes, marker="</w>", marks_last=True, loses="the rest")
    alphabet = [*BYTES, *(byte + b"</w>" for byte in BYTES)]
    ids = {token: i for i, token in enumerate([*alphabet, b"lo", b"low"])}
    merges = NumberedMerges.of([(b"l", b"o")], ids)
    encoder = FastEncoder(marking, alphabet, ids, merges, whole_words=True)
    assert encoder.encode_word("low") == (513,)
    assert encoder.encode_word("lo") == (512,)
    assert encoder.encode_word("ow") == (ord("o"), ord("w"))


def test_long_words_of_bytes_get_no_marker():
    """`Scheme.symbols` gives bytes none, so words that are cut into tokens must not have one."""
    scheme = Scheme("m", "", None, bytes, marker="_")
    plain = PlainTokenizer.train("low lower " * 9, scheme=scheme, num_merges=5)
    fast = Tokenizer(scheme, plain.alphabet, plain.merges)
    for text in ("low lower", "low lower" * 20):
        assert fast.encode(text) == plain.encode(text)


BYTE_TEXT = "ab é©的ń🙂"  # two and two of them end with the same byte


# Longer words are cut, unless that takes too much reading: then they are merged.
@pytest.mark.parametrize(("short", "most_read"), [(0, 100), (3, 100), (0, 2)])
@examples(150)
@given(
    pairs=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=12),
    corpus=st.text(BYTE_TEXT, max_size=60),
    text=st.text(BYTE_TEXT, max_size=60),
)
def test_any_merges_encode_as_the_plain_loop_does_however_long_the_word(
    short, most_read, pairs, corpus, text
):
    trained = Tokenizer.train([BYTE_TEXT, corpus], num_merges=20, min_count=1)
    known = [bytes([byte]) for byte in BYTE_TEXT.encode()]
    merges = {}  # pair -> merge; most such lists no training would make
    for left, right in pairs:
        pair = (known[left % len(known)], known[right % len(known)])
        merges[pair] = (*pair, 1)
        known.append(pair[0] + pair[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_encode, "SHORT", short)
        patch.setattr(fast_encode, "MOST_READ", most_read)
        for tok in (trained, Tokenizer("bytes", trained.alphabet, merges.values())):
            for word in tok.scheme.split(text):
                expected = encode_by_rank(tok.scheme.symbols(word), tok.ranks)
                assert tuple(tok.vocab[i] for i in tok.encoder.encode_word(word)) == expected


ODD = [("a", "b"), ("b", "a"), ("ab", "a"), ("a", "ba"), ("b", "ab"), ("aa", "b")]


@examples(150)
@given(st.lists(st.sampled_from(ODD), unique=True), st.text("ab", max_size=40))
def test_merges_in_any_order_even_wholes_before_parts_encode_as_the_plain_loop_does(merges, text):
    merges = [("a", "a"), *merges]
    names = dict.fromkeys(["b", "a", *(part for pair in merges for part in pair)])
    names |= dict.fromkeys(left + right for left, right in merges)
    ids = {name: number for number, name in enumerate(names)}
    tok = PublishedTokenizer("chars", ["a", "b"], [(*pair, 0) for pair in merges], ids=ids)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast_encode, "SHORT", 0)
        assert tuple(tok.tokens(text)) == encode_by_rank(tuple(text), tok.ranks)
        for word in ids:
            assert tuple(tok.tokens(word)) == encode_by_rank(tuple(word), tok.ranks)


@pytest.mark.parametrize(("merges", "is_as_trained"), rows("encode/merges"))
def test_it_is_found_whether_every_token_encodes_to_itself(merges, is_as_trained):
    merges = [(*merge.split(" "), 1) for merge in merges.split("|")]
    tok = Tokenizer("chars", ["a", "b", "c"], merges)
    last = []  # for each token, the merge that makes it when it is encoded
    for left, right, _ in merges:
        *_, step, _ = encode_steps(tuple(left + right), tok.ranks)
        last.append(step.winner)
    assert (last == [merge[:2] for merge in merges]) == is_as_trained
    whole = [tok.encoder._borders.is_whole(tok.ids[token]) for token in tok.ids]
    assert all(whole) == is_as_trained


class Counted(dict):
    """A table that counts the symbols read in all look-ups."""

    read = 0

    def get(self, key, default=None):
        self.read += len(key)
        return super().get(key, default)


def learned_by_heart():
    """Learn a passage of 2,000 bytes, which occurs four times, as one token."""
    chance = random.Random(1)
    passage = "th" + "".join(chance.choices("abcdefgh", k=1998))
    text = "".join(f"{number}{passage}" for number in range(4))
    return Tokenizer.train(text, scheme="bytes", num_merges=5000), "thqx" * 5000


def ladder():
    """Make the tokens ab, aab … of up to 2,000 bytes; none of them is in a text without b."""
    merges = [(b"a", b"a" * k + b"b", 2) for k in range(2000)]
    return Tokenizer("bytes", BYTES, merges), "a" * 20_000


@pytest.mark.parametrize("make", [learned_by_heart, ladder])
def test_a_long_word_takes_little_work_however_long_the_tokens(make):
    tok, text = make()
    encoder = tok.encoder
    assert max(map(len, tok.vocab.values())) >= 2000
    borders = encoder._borders
    assert all(map(borders.is_whole, tok.vocab))  # so that words are cut
    encoder._ranks, encoder._ids = Counted(encoder._ranks), Counted(encoder._ids)
    steps = borders.steps
    ids = tok.encode(text)
    work = encoder._ranks.read + encoder._ids.read + borders.steps - steps
    assert work < 210 * len(text)  # not 2,000, nor 2,000 * 2,000
    expected = encoder._first_ids(text)
    merge_by_rank(expected, encoder._ranks, encoder._made)
    assert ids == expected


@pytest.mark.parametrize("name", NAMES)
@examples(50)
@given(
    corpus=st.lists(st.text("abc </w>_.é", max_size=30), max_size=4),
    text=st.text("abc </w>_.é", max_size=120),
    tie_break=st.sampled_from(TIE_BREAKS),
)
def test_the_three_encoders_agree_for_trained_merges(name, corpus, text, tie_break):
    texts = ["abc </w>_.é", *corpus]
    tok = Tokenizer.train(texts, scheme=name, num_merges=30, min_count=1, tie_break=tie_break)
    for word in tok.scheme.split(text):
        first = tok.scheme.symbols(word)
        by_rank = encode_by_rank(first, tok.ranks)
        assert encode_by_replay(first, tok.merges) == by_rank
        assert tuple(tok.vocab[i] for i in tok.encoder.encode_word(word)) == by_rank
        steps = [step for step in encode_steps(first, tok.ranks) if step.winner]
        assert tok.encoder.merges_used(word) == [tok.ranks[step.winner] for step in steps]
        assert tok.encoder.count_symbols(word) == len(first)


@pytest.mark.parametrize("name", PATTERN_SCHEMES)
def test_words_that_are_not_remembered_are_encoded_alike(name, small_tokenizers, monkeypatch):
    tok, text = small_tokenizers[name], load_corpus("parallel")[:6000]
    expected = tok.encode(text)
    for limit in ("REMEMBERED_WORDS", "REMEMBERED_LENGTH"):
        with monkeypatch.context() as patch:
            patch.setattr(fast_encode, limit, 4)
            again = Tokenizer(name, tok.alphabet, tok.merges)
            assert again.encode(text) == again.encode(text) == expected
            for known in (again.encoder._known_words, again.encoder._known_pieces):
                assert known
                assert (len(known) if limit == "REMEMBERED_WORDS" else max(map(len, known))) <= 4


def test_a_long_word_beside_a_list_of_whole_words_is_merged_as_by_the_plain_loop():
    tok = Tokenizer.train("b bb bbb bbbb", scheme="underscore", num_merges=6, min_count=1)
    parts = ["underscore", tok.alphabet, tok.merges]
    whole = PublishedTokenizer(*parts, ids=tok.ids, whole_words=True)
    first = tok.scheme.symbols("b" * 60)
    assert tuple(whole.tokens("b" * 60)) == encode_by_rank(first, tok.ranks)


def test_a_token_of_many_last_bytes_costs_no_time():
    merges, token = [], b"\x80"
    for _ in range(17):  # finally 131,072 bytes long, which no text has
        merges.append((token, token, 1))
        token += token
    assert Tokenizer("bytes", BYTES, merges).encode("é") == [195, 169]


def test_every_step_names_all_candidates_and_the_first_place_of_the_winner():
    ranks = {("l", "o"): 0, ("lo", "w"): 1, ("w", "l"): 2}
    assert list(encode_steps(tuple("lowlo"), ranks)) == [
        (tuple("lowlo"), {("l", "o"): 0, ("w", "l"): 2}, ("l", "o"), 0),
        (("lo", "w", "l", "o"), {("lo", "w"): 1, ("w", "l"): 2, ("l", "o"): 0}, ("l", "o"), 2),
        (("lo", "w", "lo"), {("lo", "w"): 1}, ("lo", "w"), 0),
        (("low", "lo"), {}, None, None),
    ]
    assert trace_table(tuple("lowlo"), ranks).word.tolist() == ["l o w l o", "lo w lo", "low lo"]


@pytest.mark.parametrize("name", ["story", "second_story"])
def test_cutting_from_left_to_right_takes_work_in_proportion_to_the_length(name):
    tok = Tokenizer.train(load_corpus("story"), scheme="bytes", num_merges=1000)
    symbols = list(tok.vocab.values())
    number, work = {symbol: i for i, symbol in enumerate(symbols)}, []
    pairs = {(number[m.left], number[m.right]): rank for rank, m in enumerate(tok.merges)}
    for length in (200, 800):
        borders = Borders(range(256), pairs, range(256, len(symbols)))
        text = load_corpus(name)[:length]
        cut = cut_into_tokens(text.encode(), number, find_longest(symbols), borders)
        assert [symbols[i] for i in cut] == tok.tokens(text)
        work.append(borders.steps)
    assert work[1] < 5 * work[0]
