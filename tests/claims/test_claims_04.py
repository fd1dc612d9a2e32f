"""What notebook 04 concludes, recomputed."""

import pytest
import regex
from common import NUMBERS, elsewhere, trained

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


def test_what_was_never_seen_takes_more_tokens_and_nothing_is_unknown(story, says):
    """04, as on the site's first page: scripts and signs that the story doesn't have."""
    tok = trained(story, 1000, "gpt2")
    seen = len(tok.encode(story)) / len(story)  # tokens for each character
    for text in ("😀🎉", "Ωκεανός", "हिन्दी", "海と空"):
        ids = tok.encode(text)
        assert len(ids) / len(text) > 2 * seen
        assert tok.decode(ids) == text
    says("what was never seen in training takes more tokens, but nothing is unknown")


def test_every_character_has_one_to_four_bytes_and_256_symbols_write_every_text(says):
    """04, How many bytes? Of all characters there are."""
    characters = [chr(n) for n in (*range(0xD800), *range(0xE000, 0x110000))]
    lengths = {len(character.encode("utf-8")) for character in characters}
    shortest, longest = NUMBERS[min(lengths)], NUMBERS[max(lengths)]
    says(f"UTF-8 writes every character in {shortest} to {longest} bytes")
    says(f"a computer writes every character as {shortest} to {longest} bytes")
    for name in ("bytes", "gpt2"):
        tok = Tokenizer.train("", scheme=name, num_merges=0)
        for text in ("".join(characters[::50]), load_corpus("mixed"), *elsewhere().values()):
            assert tok.decode(tok.encode(text)) == text
        says(f"an alphabet of {len(set(tok.alphabet))} symbols can write every text")
        assert set(tok.vocab.values()) == {bytes([byte]) for byte in range(256)}
        says(f"all {len(tok)} bytes are tokens from the start")


BRANCHES = [  # of GPT-2's pattern, as the notebook builds them
    r"'(?:[sdmt]|ll|ve|re)",
    r" ?\p{L}+",
    r" ?\p{N}+",
    r" ?[^\s\p{L}\p{N}]+",
    r"\s+(?!\S)",
    r"\s+",
]


def cut_by_hand(branches, text, *, longest=False):
    """Return the words of a text and what is lost: of the branches that fit, the first is taken."""
    words, lost, place = [], "", 0
    while place < len(text):
        found = [regex.compile(branch).match(text, place) for branch in branches]
        found = [match[0] for match in found if match]
        if not found:
            lost += text[place]
            place += 1
            continue
        words.append(max(found, key=len) if longest else found[0])
        place += len(words[-1])
    return words, lost


def test_the_first_branch_that_fits_wins_and_what_none_matches_is_lost(says):
    """04, A split pattern, branch by branch: tried one after the other, at each place of a text."""
    texts = [load_corpus(name)[:3000] for name in ("mixed", "forum", "program")]
    for text in (*texts, *(text[:1000] for text in elsewhere().values())):
        words, lost = cut_by_hand(BRANCHES, text)
        assert words == list(SCHEMES["gpt2"].split(text))
        assert lost == ""
    says("a split pattern is a list of branches")
    text = "She'll   pay"
    assert cut_by_hand(BRANCHES, text)[0] == list(SCHEMES["gpt2"].split(text))
    assert cut_by_hand(BRANCHES, text, longest=True)[0] != cut_by_hand(BRANCHES, text)[0]
    assert cut_by_hand(BRANCHES[::-1], text)[0] != cut_by_hand(BRANCHES, text)[0]
    says("the first branch that fits wins")
    for n in (1, 2, 3, 5):
        fewer = [branch for branch in BRANCHES if branch != BRANCHES[n]]
        words, lost = cut_by_hand(fewer, text := texts[0])
        scheme = Scheme("fewer", "", "|".join(fewer), bytes, loses="what no branch matches")
        assert list(scheme.split(text)) == words
        assert lost
        assert len("".join(words)) == len(text) - len(lost)
    says("text that no branch matches is lost")


def test_the_package_recognizes_a_special_token_only_where_it_is_asked_to(says):
    """04, Only where the program asks for it: otherwise whoever types one ends the document."""
    text = "The end.<|end|>More."
    for name in ("gpt2", "bytes", "words"):
        known = [text, *"<|end|>"]
        tok = Tokenizer.train(known, scheme=name, num_merges=0, special_tokens=["<|end|>"])
        (end,) = tok.special_tokens.values()
        assert end not in tok.encode(text)
        assert tok.encode(text, allowed_special="all").count(end) == 1
    says("special tokens should be recognized only where the program asks for them")


def test_a_merge_on_bytes_need_not_stop_where_a_letter_stops(says):
    """04, BPE on bytes."""
    merges = Tokenizer.train("हिन्दी " * 6, scheme="bytes", num_merges=4).merges
    assert (merges[0].token, merges[0].count) == (b"\xe0\xa4", 24)
    assert merges[3].token == b"\xe0\xa4\xb9\xe0\xa4"  # a letter and the beginning of the next
    says("a token may hold only a part of a character, so join the bytes first")
    for name in ("mixed", "parallel"):
        tok, text = Tokenizer.train(load_corpus("story"), num_merges=100), load_corpus(name)
        tokens = tok.tokens(text)
        assert b"".join(tokens).decode("utf-8") == text
        assert "".join(token.decode("utf-8", "replace") for token in tokens) != text
    says("join the bytes first and decode afterwards")


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
def test_the_program_of_01_to_04_is_the_tokenizer_of_the_package(name, says):
    """04, A tokenizer of your own: as many merges and ids, on texts of many kinds and scripts."""
    program = ask.my_bpe.use(...)
    text, mixed = load_corpus(name)[:10_000], load_corpus("mixed")
    tok = Tokenizer.train(text, scheme="gpt2", num_merges=100)
    merges = program.train(text, 100)
    assert merges == [merge.pair for merge in tok.merges]
    ids = program.encode_text(mixed, merges)
    assert ids == tok.encode(mixed)
    assert program.decode(ids, program.make_vocab(merges)) == mixed
    for new in elsewhere().values():
        ids = program.encode_text(new[:500], merges)
        assert program.decode(ids, program.make_vocab(merges)) == new[:500]
    says("you write the program that makes them: a tokenizer, by byte pair encoding (BPE)")
    written = ("count_pairs", "merge", "split_text", "encode", "decode")
    assert all(callable(getattr(program, function)) for function in written)
    verbs = [function.partition("_")[0] for function in written]
    says(f"functions that {', '.join(verbs[:-1])} and {verbs[-1]} make a whole tokenizer")


def test_without_the_branch_of_digits_names_come_back_and_digits_do_not():
    """04, Your turn, 1."""
    split = SCHEMES["gpt2"].pattern.replace(r"| ?\p{N}+", "")
    faulty = Scheme("digits", "", split, bytes, loses="digits")
    names = load_corpus("names")
    assert "".join(faulty.split(names)) == names
    assert "".join(faulty.split("in 1887")) != "in 1887"
