"""Notebooks 09 and 09b: what their prose concludes, recomputed from the package."""

import random
import re
from collections import Counter
from functools import cache
from math import log
from pydoc_data.topics import topics

import pytest
from common import OURS, elsewhere, held_out, in_halves, written_in

from bpe_further import NgramCounter
from bpe_further.exercises import misconception_lab as lab
from bpe_further.measure.quality import border_score, load_morphemes
from bpe_further.variants.encoders import fewest_tokens
from bpe_further.variants.unigram import (
    expected_counts,
    learn_unigram,
    prune,
    reestimate,
    sample,
    seed_scores,
    viterbi,
)
from bpe_further.variants.wordpiece import attraction, learn_wordpiece, longest_match
from bpe_teach import SCHEMES, encode_by_rank, learn_merges, load_corpus

MANUAL = "\n".join(topics.values()).encode("ascii", "ignore").decode()  # of Python
# what is read -> entries learned
SIZES = {
    "story": 1000,
    "story, o200k": 1000,
    "half": 700,
    "shakespeare": 700,
    "plays": 1000,
    "manual": 1000,
}
SISTER = "second_story"  # by the author of the story
OTHER = {  # texts of other scripts and kinds, of which a half is read, and how -> the texts
    f"{key}, {half} half, {pattern}": elsewhere()[key]
    for key in ("finnish", "hindi", "chinese", "code")
    for half in ("first", "second")
    for pattern in ("gpt2", "o200k")
}
SIZES |= {name: 2 * len(set(text)) + 400 for name, text in OTHER.items()}


HERE = written_in("09")
mistype = HERE["mistype"]


def scheme_of(name):
    """Return the scheme that cuts a text: the notebook's, if its name tells no other."""
    return SCHEMES["o200k" if name.endswith("o200k") else "gpt2"]


def cut_text(name, text, cut):
    HERE["scheme"] = scheme_of(name)  # which a cell sets
    return HERE["cut_text"](text, cut)


@pytest.fixture(params=["story", "half", "shakespeare", "story, o200k"])
def name(request, corpus):
    """Name a text to learn from; skip it if it is missing."""
    if request.param == "shakespeare":
        corpus("tinyshakespeare")
    return request.param


@cache
def halves(name):
    """Return the half of a text that is read, and the other one."""
    text = OTHER.get(name) or load_corpus("story")
    return in_halves(text)["second" in name]


@cache
def read(name):
    if name in ("shakespeare", "plays"):
        return load_corpus("tinyshakespeare")[:50_000]
    if name == "manual":
        return MANUAL[100_000:150_000]
    return load_corpus("story") if name.startswith("story") else halves(name)[0]


@cache
def new(name):
    """Return texts that were not read, by their names."""
    if name == "shakespeare":
        return {"other plays": load_corpus("tinyshakespeare")[500_000:512_000]}
    if name == "plays":
        return new("shakespeare") | {name: held_out()[name] for name in [*OURS, SISTER]}
    if name == "manual":
        return {"next": MANUAL[150_000:162_000]} | {name: held_out()[name] for name in OURS}
    return held_out() if name.startswith("story") else {"other half": halves(name)[1]}


def bag_of(text, more=(), scheme=SCHEMES["gpt2"]):
    counts = Counter(scheme.split(text))
    counts.update(more)
    return {tuple(word): count for word, count in counts.items()}


@cache
def bag(name):
    """Count the words of a text; if new ones have other characters, each is a word once."""
    missing = set("".join(new(name).values())) - set(read(name))
    return bag_of(read(name), sorted(missing), scheme_of(name))


@cache
def bpe(name):
    """Return the ranks and the entries of BPE."""
    letters = sorted(set().union(*bag(name)))
    merges = learn_merges(bag(name), SIZES[name] - len(letters))
    ranks = {merge.pair: rank for rank, merge in enumerate(merges)}
    return ranks, frozenset(letters) | {merge.token for merge in merges}


@cache
def scores(name, parts=3):
    """Return the pieces of Unigram, which begins with so many parts for each entry."""
    return learn_unigram(bag(name), SIZES[name], seed_size=parts * SIZES[name])


@cache
def wordpiece(name, **options):
    return frozenset(learn_wordpiece(bag(name), SIZES[name], **options))


def cutter(name, way):
    """Return what cuts a word; for Unigram the way is its number of parts for each entry."""
    cuts = {
        "BPE": lambda word: encode_by_rank(tuple(word), bpe(name)[0]),
        "longest": lambda word: longest_match(word, bpe(name)[1], prefix=""),
        "fewest": lambda word: fewest_tokens(word, bpe(name)[1]),
        "WordPiece": lambda word: longest_match(word, wordpiece(name)),
    }
    return cuts.get(way) or (lambda word: viterbi(word, scores(name, way)))


@cache
def cut_read(name, way):
    return cut_text(name, read(name), cutter(name, way))


@cache
def cut_new(name, way):
    return {key: cut_text(name, text, cutter(name, way)) for key, text in new(name).items()}


def ratios(name, way, other="BPE"):
    """Divide the tokens of each new text by those that it takes in another way."""
    ours, theirs = cut_new(name, way), cut_new(name, other)
    return {key: len(ours[key]) / len(theirs[key]) for key in ours}


def bits(name, train, test):
    """Return the bits that a counter with one token of context takes."""
    ids = {token: i for i, token in enumerate(dict.fromkeys(train + test))}
    counter = NgramCounter([ids[token] for token in train], SIZES[name], 2)
    return counter.bits([ids[token] for token in test])


def borders(cut):
    def pieces(word):
        bare = [piece.removeprefix("##") for piece in cut(" " + word)]
        bare[0] = bare[0].removeprefix(" ")
        return [piece for piece in bare if piece]

    return border_score(pieces, load_morphemes()).f1


def test_the_formula_saves_hardly_anything_and_a_minimum_count_does_not_rescue_it(name):
    """09, WordPiece: a formula that many repeat."""
    tokens = {}  # new text -> tokens, for each minimum count
    for least in (1, 3, 12, 30):
        vocab = wordpiece(name, score=attraction, min_count=least)
        for key, text in new(name).items():
            found = cut_text(name, text, lambda word, vocab=vocab: longest_match(word, vocab))
            tokens.setdefault(key, []).append(len(found))
    for key, text in new(name).items():
        assert tokens[key][0] > 0.9 * len(text)
        assert min(tokens[key]) > 1.04 * len(cut_new(name, "BPE")[key])


def test_wordpiece_takes_a_few_per_cent_more_tokens_than_bpe(name):
    """09, What was published, and what is folklore: also of the text that was read."""
    assert len(cut_read(name, "BPE")) < len(cut_read(name, "WordPiece"))
    for ratio in ratios(name, "WordPiece").values():
        assert 1.02 < ratio < 1.08


def test_learned_from_plays_unigram_is_within_five_per_cent_of_bpe_and_wordpiece_is_behind(corpus):
    """09, So which is better? Unigram begins with 2,000 parts; on texts of four hands."""
    corpus("tinyshakespeare")
    for ratio in ratios("plays", 2).values():
        assert ratio == pytest.approx(1, abs=0.05)
    for ratio in ratios("plays", "WordPiece").values():
        assert 1.01 < ratio < 1.06


def test_learned_from_a_reference_manual_wordpiece_takes_clearly_more():
    """09, So which is better? On texts of three hands, the next pages of the manual among them."""
    for ratio in ratios("manual", "WordPiece").values():
        assert 1.03 < ratio < 1.08


def test_pieces_past_a_few_hundred_make_texts_of_another_kind_dearer():
    """09, Unigram: where do the scores come from? The story and its sister gain to the end."""
    texts = {"story": read("story"), **held_out()}
    costs = {key: [] for key in texts}  # bits per character, from many pieces to few
    now = seed_scores(bag("story"), 10_000)
    while len(now) > 110:
        now = reestimate(bag("story"), reestimate(bag("story"), now))
        for key, text in texts.items():
            likelihood = expected_counts(bag_of(text), now)[1]
            costs[key].append(-likelihood / log(2) / len(text))
        now = prune(bag("story"), now, len(now) // 2)  # about 2,000, 1,000, 500, 250, 120
    for key in ("story", SISTER):
        assert costs[key] == sorted(costs.pop(key))
    for cost in costs.values():
        assert min(cost) < cost[0] - 0.02
    for key in OURS:
        assert min(costs[key]) == min(costs[key][2:])


def test_unigram_takes_fewest_tokens_of_the_text_it_has_read(name):
    """09, Which is better?"""
    assert len(cut_read(name, 3)) < len(cut_read(name, "BPE"))


def test_unigram_takes_fewer_tokens_than_bpe_of_the_sister_only():
    """09, Which is better?: the fewest of any for the sister, more for every other text."""
    found = ratios("story", 3)
    assert found.pop(SISTER) < 1
    assert min(found.values()) > 1


def test_the_more_parts_unigram_begins_with_the_dearer_is_text_of_another_kind():
    """09, Which is better?: what if we had said something else?"""
    found = {key: [] for key in held_out()}
    for parts in (2, 3, 5, 10):
        for key, ratio in ratios("story", parts).items():
            found[key].append(ratio)
    for few, *_, most in found.values():
        assert few == pytest.approx(1, abs=0.015)
        assert most > 1.05
    del found[SISTER]
    for ratio in found.values():
        assert ratio == sorted(ratio)
        assert ratio[-1] > 1.1


def test_in_bits_bpe_wordpiece_and_unigram_are_within_a_few_per_cent(name):
    """09, Which is better? On ours BPE is ahead, by less than three."""
    for key in new(name):
        usual = bits(name, cut_read(name, "BPE"), cut_new(name, "BPE")[key])
        for way in ("WordPiece", 3):
            cost = bits(name, cut_read(name, way), cut_new(name, way)[key])
            assert 0.97 < cost / usual < 1.06
            if key in OURS:
                assert 1 < cost / usual < 1.03


def test_whether_unigram_meets_more_borders_than_bpe_hangs_on_its_seed(name):
    """09, Which is better?: ahead with three parts an entry; with all, behind or less ahead."""
    usual, enough, every = (borders(cutter(name, way)) for way in ("BPE", 3, 15))
    assert enough > usual + 0.01
    assert every < enough - 0.02
    assert (every < usual) == (name == "half")


DRAWN, ANYHOW = (1, 0.5), (0.05, 0)  # share of the words that are drawn, sharpness


@cache
def draw(name, seed, share, sharpness):
    """Cut a share of the words of a text at random, the others in the best way."""
    chance, pieces, best = random.Random(seed), [], cache(cutter(name, 3))
    for word in scheme_of(name).split(read(name)):
        drawn = chance.random() < share
        pieces += sample(word, scores(name), chance, sharpness) if drawn else best(word)
    return pieces


@cache
def mistyped(name, rate):
    """Cut new texts with typos in the best way; return for each its cuts and their bits."""
    found = {}
    for key, text in new(name).items():
        cuts = cut_text(name, mistype(text, rate, random.Random(7)), cutter(name, 3))
        found[key] = cuts, bits(name, cut_read(name, 3), cuts)
    return found


@cache
def beyond_best(name, rate, *drawn):
    """Return the bits a character that a counter of drawn cuts takes beyond one of the best."""
    train = draw(name, *drawn)
    return {
        key: (bits(name, train, test) - best) / len(new(name)[key])
        for key, (test, best) in mistyped(name, rate).items()
    }


@pytest.mark.parametrize("seed", range(3))
def test_drawn_cuts_help_with_typos_and_on_clean_text_the_sign_hangs_on_the_text(name, seed):
    """09, What sampling cuts is good for: they cost on the sister, and save on ours."""
    assert max(beyond_best(name, 0.2, seed, *DRAWN).values()) < -0.03
    clean = beyond_best(name, 0, seed, *DRAWN)
    for key in clean.keys() & {SISTER, "other half", "other plays"}:
        assert clean[key] > 0.03
    for key in clean.keys() & set(OURS):
        assert clean[key] < (0.01 if "o200k" in name else 0)


@pytest.mark.parametrize("seed", range(3))
def test_some_words_cut_anyhow_help_as_much_and_cost_next_to_nothing(name, seed):
    """09, What sampling cuts is good for: the control, one word in twenty, all cuts equally."""
    assert len(draw(name, seed, *ANYHOW)) < 1.01 * len(draw(name, seed, *DRAWN))
    for rate, most in ((0, 0.02), (0.2, -0.03)):
        theirs, ours = (beyond_best(name, rate, seed, *how) for how in (DRAWN, ANYHOW))
        for key, cost in ours.items():
            assert cost < most
            assert cost < theirs[key] + (0.03 if rate else 0)


def test_the_merges_are_not_the_shortest_use_of_their_own_entries(name):
    """09, One vocabulary, two encoders; the longest match, on the teachers' page, changes sides."""
    assert len(cut_read(name, "fewest")) < len(cut_read(name, "BPE"))
    for ratio in ratios(name, "fewest").values():
        assert 0.985 < ratio < 1
    for ratio in ratios(name, "longest").values():
        assert ratio == pytest.approx(1, abs=0.01)
    if name == "story":
        assert ratios(name, "longest")[SISTER] < 1 < ratios(name, "longest")["forum"]


@pytest.mark.parametrize("other", OTHER)
def test_in_other_scripts_unigram_is_within_six_per_cent_of_bpe_and_wordpiece_takes_more(other):
    """09, Summary: with three parts an entry; on a program Unigram takes up to an eighth more.

    On another Finnish text it took seven per cent more, on another licence than those that had been
    read twelve; so the summary says "mostly".
    """
    usual, longest, fewest, best, greedy = (
        len(cut_new(other, way)["other half"])
        for way in ("BPE", "longest", "fewest", 3, "WordPiece")
    )
    assert fewest <= min(usual, longest)
    assert 0.985 < longest / usual < 1.005  # 1.3 % in Finnish
    assert 0.98 < best / usual < (1.13 if "code" in other else 1.06)
    assert greedy > usual


def beyond_best_elsewhere(other, seed):
    """Return the bits beyond those of the best cuts: drawn and anyhow, clean; both with typos."""
    return [
        beyond_best(other, rate, seed, *how)["other half"]
        for rate in (0, 0.2)
        for how in (DRAWN, ANYHOW)
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("other", [name for name in OTHER if "finnish" in name])
def test_drawn_cuts_help_with_typos_in_finnish_under_both_patterns(other, seed):
    """09, Summary: on clean text they cost more than some words cut anyhow."""
    clean, clean_anyhow, drawn, anyhow = beyond_best_elsewhere(other, seed)
    assert clean > max(clean_anyhow, 0) + 0.02
    assert drawn < -0.05
    assert anyhow < -0.05


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("other", [name for name in OTHER if "hindi" in name])
def test_in_hindi_only_words_cut_anyhow_help_with_typos_and_only_if_words_are_whole(other, seed):
    """09, Summary: gpt2 cuts Hindi's words at vowel signs, o200k doesn't."""
    clean, clean_anyhow, drawn, anyhow = beyond_best_elsewhere(other, seed)
    if "gpt2" in other:
        assert clean > max(clean_anyhow, 0) + 0.02
        assert drawn > 0.01 > anyhow
        assert anyhow > -0.02
    else:
        assert clean > clean_anyhow + 0.015
        assert -0.05 < drawn < 0.01
        assert anyhow < drawn - 0.02
        assert anyhow < -0.03


def more_for_other_cuts(name):
    """Yield how many bits a character more a counter takes for the cuts of another encoder."""
    for way, other in (("BPE", "fewest"), ("fewest", "BPE")):
        train = cut_read(name, way)
        for key, text in new(name).items():
            own, theirs = (bits(name, train, cut_new(name, cut)[key]) for cut in (way, other))
            yield (theirs - own) / len(text)


def test_a_counter_expects_the_cuts_that_it_was_trained_on(name):
    """09, One vocabulary, two encoders."""
    assert min(more_for_other_cuts(name)) > 0.02


@pytest.mark.parametrize("other", [name for name in OTHER if "code" not in name])
def test_in_hindi_and_chinese_a_counter_hardly_minds_the_cuts_of_the_other_encoder(other):
    """09, One vocabulary, two encoders: in Finnish it does, as in English.

    In Hindi this holds under gpt2; under o200k, it hangs on what was read.
    """
    if other == "hindi, second half, o200k":
        assert min(more_for_other_cuts(other)) > 0.02
        return
    for more in more_for_other_cuts(other):
        assert more > 0.03 if "finnish" in other else abs(more) < 0.02


# Notebook 09b.

HIDDEN = {"best_pair_1", "merge_2", "first_ids_1", "decode_1", "cut_lines_1"}  # beside merge_1
OPEN = {"learn_1", "encode_1", "encode_2", "encode_3", "ranks_1", "encode_text_1"}


def lines_of(name: str) -> list[str]:
    return [line for line in load_corpus(name).split("\n") if len(line) > 1]


@pytest.mark.parametrize(
    ("training", "lines"),
    [("story", lines_of("second_story")[:30]), ("second_story", lines_of("story")[::6])],
)
def test_five_faults_never_show_on_english_lines_one_hardly_ever_and_six_on_most(training, lines):
    """09b, "Do tests on ordinary texts find such faults?"."""
    mistakes = lab.count_mistakes(lines, load_corpus(training))
    assert all(mistakes[name] == 0 for name in HIDDEN)
    assert mistakes["merge_1"] < 0.05 * len(lines)
    assert all(mistakes[name] > 0.6 * len(lines) for name in OPEN)


@pytest.mark.parametrize("text", ["story", "second_story"])
def test_a_round_trip_does_not_see_wrong_merges(text):
    """09b, "Do tests on ordinary texts find such faults?"."""
    text = load_corpus(text)[:5000]
    words = Counter(re.findall(lab.PATTERN, text))
    merges = [merge.pair for merge in learn_merges({tuple(w): n for w, n in words.items()}, 200)]
    ranks = lab.solve_ranks_of(merges)
    for word in words:
        for encode in (lab._encode_1, lab._encode_2, lab._encode_3):
            assert "".join(encode(word, ranks)) == word
        assert "".join(encode_by_rank(tuple(word), lab._ranks_1(merges))) == word
    assert "".join(lab._encode_text_1(text)) == text
