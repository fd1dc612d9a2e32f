"""What notebook 04 concludes, recomputed."""

import pytest

from bpe_teach import SCHEMES, Scheme, Tokenizer, list_corpora, load_corpus
from bpe_teach.exercises import byte_level as ask


def test_more_text_leaves_characters_without_an_id():
    """04, Break it first."""
    table = list_corpora()
    known = set()
    for name in table.index[table.source == "bundled"].drop("mixed"):
        known |= set(load_corpus(name))
    assert "é" in known
    assert set(load_corpus("mixed")) - known


def test_a_merge_on_bytes_need_not_stop_where_a_letter_stops():
    """04, BPE on bytes."""
    merges = Tokenizer.train("हिन्दी " * 6, scheme="bytes", num_merges=4).merges
    assert (merges[0].token, merges[0].count) == (b"\xe0\xa4", 24)
    assert merges[3].token == b"\xe0\xa4\xb9\xe0\xa4"  # a letter and the beginning of the next


@pytest.mark.parametrize("name", ["story", "manual", "forum"])
def test_characters_that_training_has_not_met_become_single_bytes(name):
    """04, Fragments."""
    tok = Tokenizer.train(load_corpus(name), num_merges=1000)
    for character in "éह😀":
        assert character not in load_corpus(name)
        ids = tok.encode(character)
        assert bytes(ids) == character.encode("utf-8")
        assert {tok.decode([i]) for i in ids} == {"�"}


@pytest.mark.parametrize("name", ["story", "manual", "forum", "program", "parallel"])
def test_the_program_of_01_to_04_is_the_tokenizer_of_the_package(name):
    """04, A tokenizer of your own: as many merges and ids, on texts of many kinds and scripts."""
    program = ask.my_bpe.use(...)
    text, mixed = load_corpus(name)[:10_000], load_corpus("mixed")
    tok = Tokenizer.train(text, scheme="gpt2", num_merges=100)
    merges = program.train(text, 100)
    assert merges == [merge.pair for merge in tok.merges]
    ids = program.encode_text(mixed, merges)
    assert ids == tok.encode(mixed)
    assert program.decode(ids, program.make_vocab(merges)) == mixed


def test_without_the_branch_of_digits_names_come_back_and_digits_do_not():
    """04, Your turn, 1."""
    split = SCHEMES["gpt2"].pattern.replace(r"| ?\p{N}+", "")
    faulty = Scheme("digits", "", split, bytes, loses="digits")
    names = load_corpus("names")
    assert "".join(faulty.split(names)) == names
    assert "".join(faulty.split("in 1887")) != "in 1887"
