"""Floors: premiums in two factors, and methods under several split patterns."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bpe_further.shell.commands import main
from bpe_further.variants.floors import METHODS, cross_methods, split_premium
from bpe_teach import SCHEMES, Tokenizer, learn_merges_naive, load_corpus


def sentences():
    sections = load_corpus("sentences").split("\n\n## ")[1:]
    pages = dict(section.split("\n", 1) for section in sections)
    return {language: page.splitlines() for language, page in pages.items()}


def test_the_two_factors_of_a_small_page_as_computed_by_hand():
    tok = Tokenizer("gpt2", SCHEMES["gpt2"].alphabet([]), [(b"l", b"o", 2), (b"lo", b"w", 2)])
    table = split_premium(tok, {"English": "low low", "other": "low ow ow x"})
    assert table.loc["English"].tolist() == [2, 3, 1, 1, 1]  # low, the space, low
    # low, and after each space: o w, o w, x
    assert table.loc["other"].tolist() == [4, 9, 2, (9 / 4) / (3 / 2), 3]


@given(st.lists(st.text("ab क्ा,", min_size=1, max_size=30), min_size=2, max_size=4))
def test_the_product_of_the_factors_is_the_premium_and_no_text_is_below_its_floor(pages):
    tok = Tokenizer.train(pages, scheme="gpt2", num_merges=20, min_count=1)
    table = split_premium(tok, {str(i): page for i, page in enumerate(pages)})
    assert np.allclose(table["floors"] * table["tokens_per_word"], table["premium"])
    assert (table["tokens"] >= table["words"]).all()


@pytest.mark.parametrize("scheme", ["gpt2", "o200k"])
def test_with_all_merges_the_premiums_of_what_was_read_are_the_ratios_of_floors(scheme):
    pages = {name: "\n".join(lines) for name, lines in sentences().items()}
    tok = Tokenizer.train(pages.values(), scheme=scheme, num_merges=10**6, min_count=1)
    table = split_premium(tok, pages)
    assert table["tokens"].tolist() == table["words"].tolist()
    assert np.allclose(table["premium"], table["floors"])


def test_methods_are_compared_on_paragraphs_that_were_not_read_and_computed_anew_by_hand():
    """The plain method and parity, with functions of the course that share nothing with it."""
    pages = {name: lines[:12] for name, lines in sentences().items()}
    pages = {name: pages[name] for name in ("English", "Hindi", "Finnish")}
    table = cross_methods(pages, ["gpt2"], methods=["plain", "parity"], num_merges=40, samples=1)
    order = list(range(12))
    random.Random(0).shuffle(order)
    read = {name: [lines[i] for i in order[:6]] for name, lines in pages.items()}
    new = {name: [lines[i] for i in order[6:]] for name, lines in pages.items()}
    scheme = SCHEMES["gpt2"]

    def tokens(merges):
        tok = Tokenizer(scheme, scheme.alphabet([]), merges)
        return {name: sum(len(tok.encode(line)) for line in new[name]) for name in new}

    everything = [line for lines in read.values() for line in lines]
    plain = tokens(learn_merges_naive(scheme.word_counts(everything), 40))
    row = table.loc[("gpt2", "plain")]
    assert row["highest"] == max(plain.values()) / plain["English"]
    for measure in ("price", "first_pays"):  # against itself, whatever is sampled
        assert row[f"{measure}_low"] == row[measure] == row[f"{measure}_high"] == 0
    differences = [abs(a - b) for a in plain.values() for b in plain.values()]
    assert row["gini"] == pytest.approx(sum(differences) / (2 * 3 * sum(plain.values())))

    counts = {name: scheme.word_counts(lines) for name, lines in read.items()}
    merges, served = [], []
    for _ in range(40):  # each time from the beginning: the page with the most tokens is served
        tok = Tokenizer(scheme, scheme.alphabet([]), merges)
        longest = max(read, key=lambda name: sum(len(tok.encode(line)) for line in read[name]))
        words = {}
        for word, count in counts[longest].items():
            cut = tuple(tok.tokens(b"".join(word).decode()))
            words[cut] = words.get(cut, 0) + count
        merges += learn_merges_naive(words, 1)
        served.append(longest)
    parity = tokens(merges)
    row = table.loc[("gpt2", "parity")]
    assert row["price"] == pytest.approx(100 * (sum(parity.values()) / sum(plain.values()) - 1))
    assert row["first_pays"] == pytest.approx(100 * (parity["English"] / plain["English"] - 1))
    assert f"Hindi {served.count('Hindi')}" in row["served"]


def test_floors_and_merges_are_those_of_each_pattern_and_of_all_samples():
    pages = {name: lines[12:24] for name, lines in sentences().items()}
    pages = {name: pages[name] for name in ("English", "Hindi", "Thai")}
    table = cross_methods(pages, methods=["plain"], num_merges=10**6, samples=4)
    for name in ("gpt2", "o200k"):
        scheme, floors, merges = SCHEMES[name], [], []
        for seed in range(4):
            order = list(range(12))
            random.Random(seed).shuffle(order)
            read = [lines[i] for lines in pages.values() for i in order[:6]]
            merges.append(len(learn_merges_naive(scheme.word_counts(read), 10**6, min_count=2)))
            words = [
                sum(len([*scheme.split(lines[i])]) for i in order[6:]) for lines in pages.values()
            ]
            floors.append(max(words) / words[0])
        row = table.loc[(name, "plain")]
        assert row["floor"] == pytest.approx(sum(floors) / 4)
        assert row["merges"] == min(merges) < merges[0]


@pytest.mark.parametrize(
    ("paragraphs", "options", "message"),
    [
        ({"one": ["a"] * 4}, {}, "two languages or more"),
        ({"one": ["a"] * 4, "other": ["b"] * 5}, {}, "one: 4, other: 5"),
        ({"one": ["a"] * 3, "other": ["b"] * 3}, {}, "at least 4, not one: 3"),
        ({"one": ["a"] * 4, "other": [b"b"] * 4}, {}, "must be a str"),
        ({"one": ["a"] * 4, "other": ["b"] * 4}, {"methods": ["dropout"]}, "methods must be among"),
        ({"one": ["a"] * 4, "other": ["b"] * 4}, {"schemes": ["words"]}, "keep all bytes"),
    ],
)
def test_what_cannot_be_compared_is_refused(paragraphs, options, message):
    with pytest.raises(ValueError, match=message):
        cross_methods(paragraphs, **options)


def test_the_shell_reads_a_file_for_each_language(tmp_path, capsys):
    pages = sentences()
    for name in ("English", "Hindi", "Thai"):
        (tmp_path / f"{name}.txt").write_text("\n".join(pages[name]) + "\n", "utf-8")
    paths = [str(tmp_path / f"{name}.txt") for name in ("English", "Hindi", "Thai")]
    table = tmp_path / "table.csv"
    options = ["--merges", "100", "--samples", "2", "--csv", str(table)]
    assert main(["floors", *paths, *options]) == 0
    said = capsys.readouterr().out
    assert len(said.splitlines()) == 1 + 2 * len(METHODS)
    assert "Hindi" in said and "superwords" in said
    expected = cross_methods(
        {Path.stem: pages[Path.stem] for Path in map(tmp_path.__class__, paths)},
        num_merges=100,
        samples=2,
    )
    assert len(table.read_text("utf-8").splitlines()) == 1 + len(expected)


def test_the_shell_names_the_files_whose_lines_do_not_fit(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("a\nb\nc\nd\n")
    (tmp_path / "b.txt").write_text("a\nb\nc\nd\ne\n")
    assert main(["floors", str(tmp_path / "a.txt"), str(tmp_path / "b.txt")]) == 1
    assert "not a: 4, b: 5" in capsys.readouterr().err
