"""Claims of notebooks 02 and 02b, recomputed."""

from collections import Counter
from itertools import product

import pytest
from common import OURS, elsewhere, held_out, trained, written_in

from bpe_teach import (
    SCHEMES,
    Tokenizer,
    count_pairs,
    load_corpus,
    merge_pair,
    most_frequent_pair,
)
from bpe_teach.exercises import word_boundaries
from bpe_teach.exercises.word_boundaries import solve_split_words as split_words
from bpe_teach.symbols import WordEnd

sloppy_merge, adapt = written_in("02")["sloppy_merge"], written_in("02b")["adapt"]


@pytest.mark.parametrize("name", ["story", "forum", "program", "mixed"])
def test_no_merge_crosses_a_boundary_if_the_text_is_split_into_words_first(name, says):
    """02, Summary: a word begins at white space, so none stands inside a token, or at its end."""
    text, program = load_corpus(name)[:5000], word_boundaries.my_bpe.use(...)
    merges = program.train(text, 60)
    crossing = [left + right for left, right in merges if len((left + right).split()) > 1]
    inside = [left + right for left, right in merges if any(map(str.isspace, (left + right)[1:]))]
    says("no merge crosses a boundary" if not crossing + inside else "some merges cross it")
    without = trained(text, 60, "chars").merges
    assert any(any(map(str.isspace, merge.token[1:])) for merge in without)
    says("if the text is split into words first")


def test_a_librarys_splitters_are_called_pre_tokenizers(says):
    """02, Split first: the name elsewhere."""
    pre_tokenizers = pytest.importorskip("tokenizers").pre_tokenizers
    words = pre_tokenizers.WhitespaceSplit().pre_tokenize_str("the low tower")
    assert [word for word, _ in words] == ["the", "low", "tower"]
    says("is split into words", "which the field calls pre-tokenization")


@pytest.mark.parametrize("name", ["story", "second_story"])
def test_a_bag_gives_the_merges_of_the_whole_list(name, says):
    """02, "A bag of words": the same counts, met in the same order, to the last merge."""
    words = [*map(tuple, split_words(load_corpus(name)))][:1500]
    bag = Counter(words)
    for _ in range(12):
        listed = Counter()
        for word in words:
            listed.update(count_pairs({word: 1}))
        bagged = count_pairs(bag)
        assert list(listed.items()) == list(bagged.items())
        pair = most_frequent_pair(bagged)
        words = [merge_pair(word, pair) for word in words]
        bag = {merge_pair(word, pair): count for word, count in bag.items()}
    says("with boundaries, a bag of words gives the same merges as the whole text")


def test_the_bag_of_the_story_has_less_than_half_of_the_symbols(says):
    """02, "A bag of words": and where no word comes twice, as many."""
    words = split_words(load_corpus("story"))
    assert (len(words), len(set(words))) == (10_146, 2948)
    assert sum(map(len, words)) > 2.2 * sum(map(len, set(words)))
    says("a bag of words", "the bag also saves work")
    once = split_words(" ".join(set(load_corpus("story").split())))
    assert sum(map(len, once)) == sum(map(len, set(once)))
    says("if words repeat")


def test_under_two_of_four_schemes_light_is_written_alike_in_four_phrases():
    """02, "Four conventions"."""
    phrases = ["her light", "light the lamp", "daylight", "a light!"]
    cured = []
    for scheme in ["underscore", "words", "end_of_word", "gpt2"]:
        tok = trained(load_corpus("story"), 1000, scheme)
        tokens = [
            [t.decode() if isinstance(t, bytes) else t for t in tok.tokens(p)] for p in phrases
        ]
        whole = {"underscore": "light_", "words": "light"}.get(scheme, "light")
        if all(whole in pieces for pieces in tokens):
            cured.append(scheme)
    assert cured == ["underscore", "words"]
    assert word_boundaries.cured.right == len(cured)


CONVENTIONS = {
    "underscore": "an ordinary `_` after each word",
    "words": "no mark",
    "end_of_word": "a marker `</w>` that is a symbol of its own",
    "gpt2": "the space in front",
}


def added(name):
    """Return what a scheme adds to the second word of "a low", in the words of the notebook."""
    scheme = SCHEMES[name]
    first, *_, last = scheme.symbols(list(scheme.split("a low"))[1])
    if isinstance(last, WordEnd):
        return f"a marker `{last}` that is a symbol of its own"
    if last == "_":
        return "an ordinary `_` after each word"
    return "the space in front" if first == b" " else "no mark"


def test_of_four_conventions_only_that_with_the_space_in_front_has_no_twins(says):
    """02, "Two texts, one list of tokens": of all short texts of eight characters."""
    assert {name: added(name) for name in CONVENTIONS} == CONVENTIONS
    says("four conventions" if len(CONVENTIONS) == 4 else "other conventions")
    says(f"{', '.join([*CONVENTIONS.values()][:3])}, and {CONVENTIONS['gpt2']}")
    texts = ["".join(text) for length in range(5) for text in product("aA ._\n\té", repeat=length)]
    with_twins = []
    for name in CONVENTIONS:
        tok = Tokenizer.train(texts, scheme=name, num_merges=0)
        met = {tuple(tok.encode(text)) for text in texts}
        with_twins += [name] if len(met) < len(texts) else []
        if len(met) == len(texts):
            long = [load_corpus("mixed"), *elsewhere().values()]
            assert all(tok.decode(tok.encode(text)) == text for text in texts + long)
    assert with_twins == [*CONVENTIONS][:3]
    says("only the last is lossless; the others have twins")


def learn(word_counts, num_merges, merge):
    pairs = []
    for _ in range(num_merges):
        pair = most_frequent_pair(count_pairs(word_counts))
        pairs.append(pair)
        word_counts = {merge(word, pair): count for word, count in word_counts.items()}
    return pairs


@pytest.mark.parametrize("name", ["story", "second_story"])
def test_merging_in_a_string_changes_what_is_learned_from_a_real_text(name, says):
    """02, "A bug to find": the lists part within the first thirty merges."""
    word_counts = SCHEMES["words"].word_counts(load_corpus(name)[:30_000])
    sloppy, right = (learn(word_counts, 40, merge) for merge in (sloppy_merge, merge_pair))
    assert 5 < min(n for n in range(40) if sloppy[n] != right[n]) < 30
    assert "replace" in sloppy_merge.__code__.co_names
    says("a merge made with `replace` can go wrong without an error")


def test_merging_in_a_string_passes_the_four_words_of_its_book(says):
    """02, "A bug to find": the example of Dive into Deep Learning, ten merges."""
    four = {"fast_": 4, "faster_": 3, "tall_": 5, "taller_": 4}
    word_counts = {tuple(word): count for word, count in four.items()}
    assert learn(word_counts, 10, sloppy_merge) == learn(word_counts, 10, merge_pair)
    says("small examples may hide the fault")


# 02b

ALIKE_BUT_FOR = {
    "capitals": ("a Low light", "a low light"),
    "line ends": ("a low\nlight", "a low light"),
    "spacing": ("a  low light", "a low light"),
    "underscores": ("a low_light", "a low light"),
    "punctuation": ("a low light!", "a low light"),
    "the order of words": ("low a light", "a low light"),
}


def test_the_preparation_loses_four_things_and_keeps_punctuation_and_order(says):
    """02b, How the program prepares its text: two texts that differ only in this are decoded
    alike.
    """
    texts = [text for pair in ALIKE_BUT_FOR.values() for text in pair]
    tok = Tokenizer.train(texts, scheme="underscore", num_merges=0)
    lost = []
    for what, pair in ALIKE_BUT_FOR.items():
        decoded = {tok.decode(tok.encode(text)) for text in pair}
        lost += [what] if len(decoded) == 1 else []
    says(f"the preparation of the published run loses {', '.join(lost[:-1])} and {lost[-1]}")


def saving(tok, other):
    return 1 - len(tok.encode(other)) / len(other)


@pytest.mark.parametrize("name", ["story", "second_story", *OURS, "python", "shakespeare"])
def test_the_first_merges_serve_another_text_and_of_the_last_less_than_two_thirds(
    corpus, name, says
):
    """02b, "What are the last merges worth?": texts of equal length, of four hands.

    Other people's manuals and an old Bible use less, down to a sixth; jokes up to 0.61.
    """
    book = corpus("little_prince")
    tok = trained(book, 500, "underscore")

    def used(other, first):
        seen = set(tok.tokens(other))
        return sum(merge.token in seen for merge in tok.merges[first : first + 100])

    other = adapt(tok, (held_out() | {"story": load_corpus("story")})[name], len(book))
    assert used(other, 0) > 0.88 * used(book, 0)
    says("the tokens of the first merges serve another English text almost as well as the book")
    assert abs(len(other) - len(book)) < 0.02 * len(book)
    assert used(other, 400) < 2 / 3 * used(book, 400)
    says("of the tokens of the last hundred merges, an English text of equal length uses")
    says("fewer than two thirds as many as the book does")


def test_most_of_the_flattery_is_having_read_the_very_text(corpus, says):
    """02b, "How much shorter does a text get?": both halves; equal length; another story last."""
    book = corpus("little_prince")
    middle = book.index(" ", len(book) // 2)
    halves = book[:middle], book[middle:]
    for read, unread in [halves, halves[::-1]]:
        tok = trained(read, 500, "underscore")
        own = saving(tok, read[:3700])
        held_out = saving(tok, adapt(tok, unread, 3700))
        elsewhere = saving(tok, adapt(tok, load_corpus("second_story"), 3700))
        assert own - held_out > 0.1
        says("what a tokenizer saves on a text depends on whether it was trained on that text")
        assert 0.02 < held_out - elsewhere < 0.06
        says("if it wasn't, on how close the text is to the training text")


def test_every_piece_of_the_book_saves_more_than_every_piece_of_the_stories(corpus):
    """02b, "The published 65.2 %": pieces of 2,296 characters; the published figure is between."""
    book = corpus("little_prince")
    tok = trained(book, 500, "underscore")

    def pieces(other):
        other = adapt(tok, other, 3 * 2296)
        return [saving(tok, other[n : n + 2296]) for n in range(0, 3 * 2296, 2296)]

    others = pieces(load_corpus("story")) + pieces(load_corpus("second_story"))
    assert min(pieces(book)) > 0.655
    assert max(others) < 0.6
