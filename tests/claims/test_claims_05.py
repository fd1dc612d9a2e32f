"""Claims of notebooks 05 and 05b, recomputed from the package."""

import random
import re
from collections import Counter
from functools import cache
from math import comb, lgamma, log, log2

import numpy as np
import pytest
from common import held_out

from bpe_teach import (
    Tokenizer,
    compare,
    compression_curve,
    description_length,
    fertility,
    knee,
    learn_merges,
    load_corpus,
)
from bpe_teach.measure.ngrams import NgramCounter


@cache
def trained(min_count=2):
    story = load_corpus("story")
    return Tokenizer.train(story, scheme="gpt2", num_merges=5000, min_count=min_count)


@cache
def first_merges(n):
    tok = trained()
    return Tokenizer(tok.scheme, tok.alphabet, tok.merges[:n])


def stretches(text, size, step=None):
    starts = range(0, len(text) - size + 1, step or size)
    return [text[start : start + size] for start in starts]


def used_share(text, start):
    """How many per cent of 500 merges from rank ``start`` on a text uses."""
    used = set(trained().encode(text))
    return len(used & set(range(256 + start, 256 + start + 500))) / 5


def test_most_of_the_gap_in_used_tokens_is_length_and_some_is_not():
    """05, Our first mistake: unequal lengths."""
    story, second = load_corpus("story"), load_corpus("second_story")
    pieces = stretches(story, len(second))
    for start in (1000, 1500):
        equal = [used_share(piece, start) for piece in pieces]
        gap = used_share(story, start) - used_share(second, start)
        assert max(equal) - used_share(second, start) < 0.4 * gap
        assert min(equal) > 1.3 * used_share(second, start)
    early = [used_share(piece, 0) for piece in pieces]
    assert min(early) - 2 < used_share(second, 0) < max(early) + 2


def test_merges_of_single_pairs_save_two_thirds_as_much_in_another_story():
    """05, The same mistake once more."""
    story, second = load_corpus("story"), load_corpus("second_story")
    tok, to_the_end = trained(), trained(min_count=1)

    def gain(text):
        return len(tok.encode(text)) - len(to_the_end.encode(text))

    gains = [gain(piece) for piece in stretches(story, len(second))]
    assert gain(story) == len(to_the_end.merges) - len(tok.merges)
    assert 0.55 < gain(second) / np.mean(gains) < 0.8
    assert gain(second) < min(gains)


def slope(counts, first, last):
    return log2(counts[last - 1] / counts[first - 1]) / log2(last / first)


@pytest.mark.parametrize("name", ["story", "second_story"])
def test_the_top_of_the_ranks_is_flatter_with_punctuation_and_without(name):
    """05, How often is a token used?"""
    text = load_corpus(name)
    tokens = trained().tokens(text)
    letters = [token for token in tokens if token.strip().isalpha()]
    bends = []
    for items in (tokens, letters, text.split()):
        counts = sorted(Counter(items).values(), reverse=True)
        bends.append(slope(counts, 1, 10) - slope(counts, 10, 100))
    assert min(bends) > 0.1
    assert bends[1] < bends[0] - 0.1  # of letters only: punctuation is a part of it


def misfit(counts, b):
    ranks = np.unique(np.geomspace(1, len(counts), 40).astype(int))
    across, up = np.log2(ranks + b), np.log2(np.array(counts)[ranks - 1])
    line = np.polyval(np.polyfit(across, up, 1), across)
    return np.sqrt(np.mean((up - line) ** 2))


def test_mandelbrots_constant_helps_tokens_and_hardly_words():
    """05, How often is a token used?"""
    gain = {}
    for name in ("story", "second_story"):
        text = load_corpus(name)
        for kind, items in {"tokens": trained().encode(text), "words": text.split()}.items():
            counts = sorted(Counter(items).values(), reverse=True)
            best = min(misfit(counts, b) for b in np.arange(0, 5.1, 0.1))
            gain[name, kind] = 1 - best / misfit(counts, 0)
    assert gain["story", "tokens"] > 0.08
    assert gain["second_story", "tokens"] > 0.2
    assert max(gain["story", "words"], gain["second_story", "words"]) < 0.07


def test_many_tokens_are_never_used_on_their_own_training_text():
    """05, Entries that are never used."""
    story = load_corpus("story")
    shares = []
    for n in (250, 1000, 2001):
        counts = Counter(first_merges(n).encode(story))
        shares.append(sum(not counts[256 + rank] for rank in range(n)) / n)
    assert shares == sorted(shares)
    assert 0.14 < shares[-1] < 0.18


@pytest.mark.parametrize("name", ["story", "second_story"])
def test_the_knee_moves_with_the_end_of_the_curve_and_with_its_axis(name):
    """05, Is it the knee?"""
    curve = compression_curve(trained(), load_corpus(name))
    for y in ("chars_per_token", "saved_percent"):
        ends = (250, 500, 1000, 2001)
        knees = [knee(curve[curve.merges <= end], y=y) for end in ends]
        assert knees == sorted(knees)
        assert knees[-1] > 3 * knees[0]
    assert knee(curve) > 1.2 * knee(curve, y="saved_percent")


def shortest(text):
    """Number of merges with the shortest description, and how much longer the two ends are."""
    tok = Tokenizer.train(text, scheme="gpt2", num_merges=5000)
    sizes = [*range(0, len(tok.merges), 100), len(tok.merges)]
    total = description_length(tok, text, sizes).set_index("merges").total
    return total.idxmin(), total.iloc[0] / total.min(), total.iloc[-1] / total.min()


def test_the_description_has_a_minimum_inside_and_it_grows_with_the_text():
    """05, The shortest description."""
    story = load_corpus("story")
    half = len(story) // 2
    whole, *ends = shortest(story)
    assert 1000 <= whole <= 1300
    assert min(ends) > 1.02
    for part in (story[:half], story[half:]):
        best, *ends = shortest(part)
        assert 500 <= best <= 0.8 * whole
        assert min(ends) > 1.02


def test_the_number_of_merges_worth_their_price_depends_on_the_price():
    """05, The shortest description."""
    story = load_corpus("story")
    sizes = [*range(0, 2001, 50), 2001]
    table = description_length(trained(), story, sizes).set_index("merges")
    best = [(table.for_text + price * table.for_merges).idxmin() for price in (1, 0.75, 0.5)]
    assert 1050 <= best[0] <= 1250 <= best[1] - 100
    assert best[2] == 2001
    # a code without order does send the list so cheaply: by depth, each depth a set of pairs
    assert 0.45 < bits_of_the_set(trained()) / table.for_merges[2001] < 0.6
    # the + 1 of the text's code matters little: Krichevsky and Trofimov have + 1/2
    half = {}
    for n in sizes[::2]:
        counts = Counter(first_merges(n).encode(story)).values()
        size = 256 + n
        bits = lgamma(sum(counts) + size / 2) - lgamma(size / 2)
        bits -= sum(lgamma(count + 0.5) - lgamma(0.5) for count in counts)
        half[n] = bits / log(2) + table.for_merges[n]
    assert abs(min(half, key=half.get) - best[0]) <= 150


def bits_of_the_set(tok):
    """Bits to name the merges of each depth, out of all pairs of the entries before."""
    depth = dict.fromkeys(tok.alphabet, 0)
    for merge in tok.merges:
        depth[merge.token] = 1 + max(depth[merge.left], depth[merge.right])
    entries, bits = len(tok.alphabet), 0
    for _, new in sorted(Counter(depth[merge.token] for merge in tok.merges).items()):
        bits += log2(comb(entries**2, new)) + 16
        entries += new
    return bits


def test_each_tokenizer_is_best_on_its_own_kind_of_text_and_names_are_worst_for_the_others():
    """05, Other texts, other tokenizers."""
    kinds = {name: load_corpus(name) for name in ("story", "program", "chat")}
    names = load_corpus("names").split()
    settings = [(100, 0, 0), (100, 1, 0), (100, 0, 1), (50, 0, 0), (50, 1, 1), (200, 0, 1)]
    for size, first, offset in settings:
        kinds["names"] = " ".join(names[offset::4])
        toks, test = {}, {}
        for name, text in kinds.items():
            parts = stretches(text[:2800], size)
            training = "".join(parts[first::2])
            toks[name] = Tokenizer.train(training, scheme="gpt2", num_merges=100)
            test[name] = "".join(parts[1 - first :: 2])
        table = compare(toks, test).pivot(
            index="tokenizer", columns="text", values="bytes_per_token"
        )
        for name in kinds:
            others = table.drop(index=name)[name]
            assert table.loc[name, name] > 1.05 * others.max()
            if name != "names":
                assert table.drop(index="names")["names"].mean() < others.mean() - 0.03
                assert table.drop(columns="names").loc[name].min() > table.loc[name, "names"]
        flat = re.sub("(?m)^ +", "", test["program"])
        lead = len(toks["story"].encode(flat)) / len(toks["program"].encode(flat))
        indented = table.loc["program", "program"] / table.loc["story", "program"]
        assert 1.1 < lead < indented
        assert lead - 1 > 0.5 * (indented - 1)


def test_names_take_more_tokens_than_new_words_but_not_three_times_as_many():
    """05, Are names so hard?"""
    tok = trained()

    def mean_tokens(words):
        return np.mean([len(tok.encode(" " + word)) for word in words])

    story = load_corpus("story")
    names = load_corpus("names").split()
    running = re.findall("[A-Za-z]+", load_corpus("second_story"))
    new = set(running) - set(re.findall("[A-Za-z]+", story))
    known = set(re.findall("[a-z]+", story.lower()))
    for part in (names[::2], names[1::2]):
        assert mean_tokens(part) > 3 * mean_tokens(running)
        assert 1.6 < mean_tokens(part) / mean_tokens(new) < 1.85
        for length in (4, 5, 6, 7):
            ours = [name for name in part if name.isascii() and len(name) == length]
            theirs = [word for word in new if word.lower() not in known and len(word) == length]
            ratios = []
            for write in (str, str.capitalize, str.lower):
                ratio = mean_tokens(map(write, ours)) / mean_tokens(map(write, theirs))
                ratios.append(ratio)
            assert 1.3 < ratios[0] < 1.65
            assert 1.1 < ratios[1] < 1.35
            assert ratios[1] < ratios[2] < ratios[0] < 1.1 + ratios[2]


def test_mixing_languages_into_training_lowers_the_premium_and_costs_english():
    """05, A mixed training text."""
    story = load_corpus("story")
    pages = dict(section.split("\n", 1) for section in load_corpus("parallel").split("\n\n## ")[1:])

    def lines(page, start, stop):
        return "\n".join(page.splitlines()[start:stop])

    for seen, tested in [((0, 6), (6, 10)), ((4, 10), (0, 4))]:
        english = [story[:17_500], lines(pages["English"], *seen)]
        mixture = [story[:6_000], *(lines(page, *seen) for page in pages.values())]
        tests = {name: lines(page, *tested) for name, page in pages.items()}
        before, after = (
            fertility(Tokenizer.train(text, scheme="gpt2", num_merges=1000), tests)
            for text in (english, mixture)
        )
        assert after.tokens["English"] > 1.08 * before.tokens["English"]
        assert (after.tokens < before.tokens).drop("English").all()
        assert before.relative.max() > 6.5
        assert after.relative.max() < 2.4
        assert after.relative.median() < 0.7 * before.relative.median()


def test_a_story_that_is_one_token_has_a_long_description():
    """05, Break it."""
    story = load_corpus("story")[:12_000]
    greedy = Tokenizer.train(story, scheme="chars", num_merges=50_000, min_count=1)
    last = len(greedy.merges)
    assert len(greedy.encode(story)) == 1
    total = description_length(greedy, story, [0, 400, last]).total
    assert total[1] < 0.9 * total[0] < 0.9 * total[2]


def test_only_a_text_of_the_same_hand_keeps_up_for_a_hundred_merges():
    """05, Held out: the others lie below the curve of the training text from the beginning."""
    known = compression_curve(trained(), load_corpus("story"), [100]).chars_per_token[0]
    for name, text in held_out().items():
        new = compression_curve(trained(), text, [100]).chars_per_token[0]
        assert (new > 0.98 * known) == (name == "second_story")
        assert new > 0.9 * known or name != "second_story"


def test_six_thousand_characters_of_its_own_kind_are_worth_a_whole_story():
    """05, Held out: a tokenizer on texts that it was not made for, and what mends it."""
    story = load_corpus("story")
    read_story = first_merges(1000)
    for name, text in held_out().items():
        read, new = text[:6000], text[6000:12_000]
        own = Tokenizer.train(read, num_merges=1000)
        both = Tokenizer.train([story] + 4 * [read], num_merges=1000)
        usual = len(read_story.encode(new))
        assert (len(own.encode(new)) < 1.02 * usual) == (name != "second_story")
        assert len(both.encode(new)) < 0.95 * min(usual, len(own.encode(new)))
        if name != "second_story":
            second = load_corpus("second_story")
            assert len(both.encode(second)) < 1.06 * len(read_story.encode(second))


# Notebook 05b.


def test_repetition_saves_nothing_and_common_words_save_much(corpus):
    """05b, Two explanations, both ours."""
    book = corpus("little_prince")
    tok = Tokenizer.train(book, scheme="underscore", num_merges=500)
    length = len(load_corpus("second_story"))
    for name in ("second_story", "story"):
        text = load_corpus(name).lower()[:length]
        text = "".join(c for c in text if c.isspace() or c in tok.alphabet)

        def saved(pieces):
            return np.mean([1 - len(tok.encode(piece)) / len(piece) for piece in pieces])

        def in_the_book(text):
            return np.mean(np.isin(re.findall("[a-z']+", text), re.findall("[a-z']+", book)))

        whole = saved(stretches(text, 2296, 100))
        assert 0.55 < whole < 0.585
        assert abs(saved([4 * piece for piece in stretches(text, 574, 100)]) - whole) < 0.01
        words = text.split()
        before, share = whole, in_the_book(text)
        assert share < 0.62
        for keep in (250, 100):
            common = {word for word, _ in Counter(words).most_common(keep)}
            thin = " ".join(word for word in words if word in common)
            assert saved(stretches(thin, 2296, 100)) > before + 0.025
            assert in_the_book(thin) > share + 0.08
            before, share = saved(stretches(thin, 2296, 100)), in_the_book(thin)
        assert before > 0.645


def judged(text, vocab_size, stages):
    """Characters per token, then bits per character with orders 1 to 3, for each first stage."""
    cut = len(text) * 9 // 10
    train, held_out = text[:cut], text[cut:]
    rows = []
    for inside in stages:
        one = Tokenizer.train(train, scheme="gpt2", vocab_size=inside)
        across = learn_merges({tuple(one.tokens(train)): 1}, vocab_size - len(one))
        tok = Tokenizer("bytes", one.alphabet, one.merges + across)
        ids = tok.encode(held_out)
        counter = NgramCounter(tok.encode(train), vocab_size, order=3)
        bits = [counter.bits(ids, order) / len(held_out) for order in (1, 2, 3)]
        rows.append([len(held_out) / len(ids), *bits])
    return rows


@pytest.mark.parametrize("start", [0, 400_000, 500_000])
def test_tokens_across_words_win_without_context_and_with_it_it_depends_on_the_first_stage(
    corpus, start
):
    """05b, Tokens across words: tried, not dismissed."""
    text = corpus("tinyshakespeare")[start : start + 200_000]
    half, late, inside = judged(text, 2000, (1000, 1800, 2000))
    for two_stages in (half, late):
        assert two_stages[0] > 1.07 * inside[0]
        assert two_stages[1] < inside[1] - 0.02
        assert two_stages[3] > inside[3] + 0.01
    assert half[2] > inside[2] + 0.05
    assert 0.01 < late[2] - inside[2] < 0.6 * (half[2] - inside[2])  # better, but still behind


@pytest.mark.parametrize("start", [0, 500_000])
def test_merging_across_words_from_the_beginning_is_worse_than_in_two_stages(corpus, start):
    """05b, Tokens across words: tried, not dismissed (there with twice as much text)."""
    text = corpus("tinyshakespeare")[start : start + 100_000]
    across, two_stages = judged(text, 1500, (256, 750))
    assert two_stages[0] > 1.02 * across[0]
    assert two_stages[1] < across[1] - 0.02
    assert two_stages[2] < across[2] - 0.02


def test_late_merges_across_words_save_more_on_new_text_and_keep_less_of_their_promise(corpus):
    """05b, Shakespeare: from 2,000 to 4,000 entries; kept is what new text has of the ratio."""
    text = corpus("tinyshakespeare")[500_000:800_000]
    read, new = text[:270_000] + "".join(sorted(set(text))), text[270_000:]
    per_entry, kept = {}, {}
    for scheme in ("chars", "gpt2"):
        tok = Tokenizer.train(read, scheme=scheme, vocab_size=4000)
        sizes = [size - len(tok.alphabet) for size in (2000, 4000)]
        unknown, known = (compression_curve(tok, part, sizes) for part in (new, read))
        per_entry[scheme] = (unknown.tokens[0] - unknown.tokens[1]) / 2000
        kept[scheme] = unknown.chars_per_token[1] / known.chars_per_token[1]
    assert per_entry["chars"] > 1.05 * per_entry["gpt2"]
    assert kept["chars"] < kept["gpt2"] - 0.01


def draw_lines(text, share, seed):
    chance = random.Random(seed)
    return "".join(line for line in text.splitlines(keepends=True) if chance.random() < share)


@pytest.mark.parametrize("seed", range(2))
def test_an_eighth_of_the_lines_drawn_costs_far_less_than_an_eighth_from_the_front(corpus, seed):
    """05b, How much text is enough?"""
    text = corpus("tinyshakespeare")
    cut = len(text) * 9 // 10
    read, new = text[:cut], text[cut:]
    parts = {"all": read, "front": read[: cut // 8], "drawn": draw_lines(read, 1 / 8, seed)}
    tokens, entries = {}, {}
    for name, part in parts.items():
        tok = Tokenizer.train(part, vocab_size=2000)
        tokens[name], entries[name] = len(tok.encode(new)), set(tok.vocab.values())
    assert 1 < tokens["drawn"] / tokens["all"] < 1.025
    assert tokens["front"] / tokens["all"] > 1.05
    shares = {name: len(entries[name] & entries["all"]) / 2000 for name in parts}
    assert shares["front"] + 0.1 < shares["drawn"] < 0.9
