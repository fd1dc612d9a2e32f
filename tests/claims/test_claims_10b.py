"""Claims of notebook 10b, on other samples, other languages and the other articles."""

from functools import cache

import pytest

from bpe_further import cross_methods, split_premium
from bpe_further.variants.superwords import train_superwords
from bpe_teach import SCHEMES, Tokenizer, load_languages

PATTERNS = ("gpt2", "o200k")
# Scripts of several kinds: with spaces, with vowel signs, without spaces, with syllable marks.
OTHERS = ["English", "Spanish", "Russian", "Bengali", "Telugu", "Malayalam", "Sinhala", "Nepali"]
OTHERS += ["Lao", "Japanese", "Tibetan", "Korean", "Arabic", "Swahili"]


@cache
def declaration():
    return {name: page.splitlines() for name, page in load_languages("declaration").items()}


@cache
def others(num_merges):
    paragraphs = {name: declaration()[name] for name in OTHERS}
    return cross_methods(paragraphs, PATTERNS, num_merges=num_merges, samples=2)


def test_when_every_word_is_a_token_the_premium_is_the_ratio_of_the_words():
    """10b Two factors"""
    for scheme in PATTERNS:
        read = {name: "\n".join(lines[15:]) for name, lines in declaration().items()}
        tok = Tokenizer.train(read.values(), scheme=scheme, num_merges=10**6, min_count=1)
        table = split_premium(tok, read)
        assert (table["tokens_per_word"].round(6) == 1).all()
        assert (table["premium"].round(6) == table["floors"].round(6)).all()


def test_under_gpt2_the_premium_of_scripts_cut_at_marks_rises_with_merges_on_new_articles():
    """10b Two factors"""
    read = {name: "\n".join(declaration()[name][::2]) for name in OTHERS}
    new = {name: "\n".join(declaration()[name][1::2]) for name in OTHERS}
    full = Tokenizer.train(read.values(), num_merges=4000)
    premiums = []
    for merges in (250, 4000):
        tok = Tokenizer(full.scheme, full.alphabet, full.merges[:merges])
        premiums.append(split_premium(tok, new)["premium"])
    for language in ("Bengali", "Telugu", "Sinhala"):
        assert premiums[1][language] > premiums[0][language] + 0.2


@pytest.mark.parametrize("num_merges", [1000, 2000])
def test_most_of_what_superwords_save_under_gpt2_is_gone_under_o200k(num_merges):
    """10b Superwords cross the words"""
    table = others(num_merges)
    saved = {scheme: -table.loc[(scheme, "superwords"), "price"] for scheme in PATTERNS}
    assert saved["gpt2"] > 5
    assert saved["o200k"] < 0.25 * saved["gpt2"]


@pytest.mark.parametrize("num_merges", [1000, 2000])
def test_superwords_make_languages_more_equal_under_gpt2_and_hardly_under_o200k(num_merges):
    """10b Superwords cross the words"""
    gini = others(num_merges)["gini"]
    assert gini["gpt2", "superwords"] < 0.75 * gini["gpt2", "plain"]
    assert abs(gini["o200k", "superwords"] / gini["o200k", "plain"] - 1) < 0.15


def test_parity_costs_more_under_gpt2_and_makes_languages_more_equal_under_both():
    """10b Parity keeps the pattern"""
    table = others(1000)
    price, gini = table["price"], table["gini"]
    assert price["gpt2", "parity"] > 1.5 * price["o200k", "parity"] > 0
    for scheme in PATTERNS:
        assert gini[scheme, "parity"] < 0.6 * gini[scheme, "plain"]


def test_parity_gives_english_no_merge_while_pages_near_their_floor_take_most():
    """10b Parity keeps the pattern"""
    served = others(1000).loc[("gpt2", "parity"), "served"]
    assert "English" not in served
    cut = ("Bengali", "Telugu", "Malayalam", "Sinhala", "Nepali", "Tibetan", "Lao")
    assert all(part.startswith(cut) for part in served.split(", "))


def test_two_scripts_with_a_dot_between_syllables_keep_high_floors_under_o200k():
    """10b Break it"""
    words = {}
    for name, lines in declaration().items():
        words[name] = len(SCHEMES["o200k"].split("\n".join(lines)))
    high = {name for name, count in words.items() if count >= 1.5 * words["English"]}
    # Those of the Pacific have many short words, with spaces between them.
    assert high == {"Dzongkha", "Tibetan", "Hawaiian", "Maori"}


def test_crossing_words_from_the_beginning_sometimes_takes_fewer_tokens_than_two_stages():
    """10 Superwords"""
    wins = []
    for name in ("English", "Khmer", "Tamil", "Finnish", "German"):
        read, new = "\n".join(declaration()[name][:15]), "\n".join(declaration()[name][15:])
        early = len(train_superwords(read, 500, 0).encode(new))
        if early < len(train_superwords(read, 500, 250).encode(new)):
            wins.append(name)
    assert wins == ["Khmer", "Tamil", "Finnish"]
