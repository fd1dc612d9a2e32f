"""Notebooks 07 and 07b: what their prose concludes, recomputed from the package."""

from collections import Counter
from itertools import pairwise, permutations

import numpy as np
import pytest
from common import elsewhere, held_out, in_halves, trained, written_in

from bpe_further.exercises import fast_bpe, many_machines
from bpe_teach import SCHEMES, count_pairs, encode_by_rank, learn_merges, load_corpus, merge_pair
from bpe_teach.fast.encode import merge_by_rank
from bpe_teach.fast.learn import TIE_BREAKS, Queue, Row
from bpe_teach.learn import merge_words

TEXTS = ["story", "second_story"]
STEPS = 300
SCHEME = SCHEMES["gpt2"]


def bag_of(name):
    return SCHEME.word_counts(load_corpus(name))


class Counted(dict):
    """A table that counts how often it is asked for something."""

    looks = 0

    def __getitem__(self, key):
        self.looks += 1
        return super().__getitem__(key)

    def __contains__(self, key):
        self.looks += 1
        return super().__contains__(key)

    def get(self, key, default=None):
        self.looks += 1
        return super().get(key, default)


@pytest.mark.parametrize("name", TEXTS)
def test_a_late_merge_changes_few_of_the_words(name):
    """07, measure first: the hundredth merge changes 3 of 2,068 words, the first 101."""
    words, changed = list(bag_of(name)), []
    for merge in learn_merges(bag_of(name), STEPS):
        found = [i for i, word in enumerate(words) if merge.pair in pairwise(word)]
        changed.append(len(found))
        for i in found:
            words[i] = merge_pair(words[i], merge.pair)
    assert changed[99] < 0.01 * len(words)
    assert max(changed) < 0.15 * len(words)
    assert sum(changed) < 0.02 * STEPS * len(words)
    assert changed.index(max(changed)) < 20


@pytest.mark.parametrize("name", ["second_story", "program"])
def test_a_row_reads_a_small_part_of_what_the_naive_loop_reads(name):
    """07, steps 1 to 4: 98,355 operations of the row, 5,757,160 of the loop: 1 to 59.

    Here the package's own `Row` is asked, by a table that counts every symbol that is read.
    """
    bag, reads = bag_of(name), 0
    merges = learn_merges(bag, STEPS)
    row = Row(bag)
    before = 4 * len(row.symbols)  # read four times when it is laid out
    row.symbols = Counted(enumerate(row.symbols))
    for merge in merges:
        row.merge((row.ids[merge.left], row.ids[merge.right]))
        reads += 2 * sum(map(len, bag))  # to count and to merge; choosing comes on top
        bag = merge_words(bag, merge.pair)
    assert before + row.symbols.looks < reads / 15


@pytest.mark.parametrize(("name", "gains"), [("story", True), ("program", False)])
def test_step_one_gains_on_a_long_text_and_loses_on_a_short_one(name, gains):
    """07, The four steps in one picture: pairs that are gone stay in the table."""
    bag = bag_of(name)
    naive = update = 0
    seen = set(count_pairs(bag))
    for merge in learn_merges(bag, STEPS):
        symbols, live = sum(map(len, bag)), count_pairs(bag)
        seen |= set(live)
        naive += 2 * symbols + len(live)
        update += symbols + 2 * len(seen)  # and, on top, the words that settle a tie
        bag = merge_words(bag, merge.pair)
    assert (update < naive) == gains


@pytest.mark.parametrize("name", TEXTS)
def test_ties_are_rare_at_the_top_and_the_rule_further_down(name):
    """07, break it: 26, 65 and 88 ties in the first, second and third hundred merges."""
    row, ties = Row(bag_of(name)), []
    for merge in learn_merges(bag_of(name), STEPS):
        ties.append(list(row.counts.values()).count(merge.count) > 1)
        row.merge((row.ids[merge.left], row.ids[merge.right]))
    assert name != "story" or [sum(ties[n : n + 100]) for n in (0, 100, 200)] == [26, 65, 88]
    assert sum(ties[:10]) <= 2
    assert sum(ties[200:]) > 70
    assert sum(ties[:100]) < sum(ties[200:])


@pytest.mark.parametrize("name", TEXTS)
def test_a_counter_that_is_updated_goes_wrong_at_a_tie_after_some_dozen_merges(name):
    """07, break it: 48 merges of the story are right, and the first wrong one is a tie."""
    bag = bag_of(name)
    reference = learn_merges(bag, STEPS)
    words, weights, counts, merges = list(bag), list(bag.values()), count_pairs(bag), []
    while len(merges) < STEPS:
        best = max(counts, key=counts.get)
        merges.append((*best, counts[best]))
        for i, word in enumerate(words):
            if best in pairwise(word):
                words[i] = merge_pair(word, best)
                for pair, change in fast_bpe.pair_changes.solve(word, words[i], weights[i]).items():
                    counts[pair] += change
    rank = [a == b for a, b in zip(merges, reference, strict=True)].index(False)
    assert 10 <= rank <= 100
    assert merges[rank][2] == reference[rank].count
    assert name != "story" or rank == 48


RULES = ("first", "lowest_id", "greatest")


def tokens_by_rule(read, new):
    """Return the tokens of a new text for each rule, with 500 merges."""
    return {rule: len(trained(read, 500, tie_break=rule).encode(new)) for rule in RULES}


def test_the_rules_for_ties_part_early_and_none_compresses_better():
    """07, which of equals: parted by rank 32, less than one per cent of the tokens."""
    sizes = []
    for name, other in [TEXTS, TEXTS[::-1]]:
        first, *others = (
            trained(load_corpus(name), 500, tie_break=rule).merges[:50] for rule in RULES
        )
        assert first not in others
        tokens = tokens_by_rule(load_corpus(name), load_corpus(other))
        assert max(tokens.values()) < 1.01 * min(tokens.values())
        sizes.append(sorted(tokens, key=tokens.get))
    assert sizes[0] != sizes[1]


def test_on_a_very_short_training_text_the_rule_for_ties_matters_more():
    """07, Which of equals: three per cent, where it is below one for the stories."""
    sizes = tokens_by_rule(load_corpus("program"), load_corpus("story")).values()
    assert 1.02 < max(sizes) / min(sizes) < 1.05


@pytest.mark.parametrize(
    ("partner", "expected"), [("tiktoken", "first"), ("rustbpe", "lowest_byte")]
)
def test_the_rule_of_a_library_is_the_one_that_gives_its_merges(partner, expected):
    """07, which of equals: the first is its educational module. For `tokenizers` see test_learn."""
    library, text = pytest.importorskip(partner), load_corpus("second_story")
    if partner == "tiktoken":
        train = pytest.importorskip("tiktoken._educational").bpe_train
        tokens = list(train(text, 256 + 40, SCHEME.pattern, visualise=None))
    else:
        tok = library.Tokenizer()
        tok.train_from_iterator(iter([text]), 256 + 40, pattern=SCHEME.pattern)
        tokens = [bytes(token) for token, _ in tok.get_mergeable_ranks()]
    found = {
        rule: [merge.token for merge in learn_merges(bag_of("second_story"), 40, tie_break=rule)]
        for rule in TIE_BREAKS
    }
    assert [rule for rule in found if found[rule] == tokens[256:]] == [expected]


def test_another_tie_rule_changes_the_length_of_a_text_by_less_than_two_per_cent():
    """07, How are ties broken? Half of each text is read, and the other half is encoded."""
    for text in [*held_out().values(), *elsewhere().values()]:
        sizes = tokens_by_rule(*in_halves(text)[0]).values()
        assert max(sizes) < 1.02 * min(sizes)


@pytest.mark.parametrize("name", TEXTS)
def test_a_word_twice_as_long_costs_four_times_the_look_ups_and_in_the_fast_encoder_twice(name):
    """07, the encoder: 3,869 to 16,819 to 67,080, against 277 to 612 to 1,243."""
    tok = trained(load_corpus("story"), 1000, "bytes")
    ranks = {merge.pair: rank for rank, merge in enumerate(tok.merges)}
    made, slow, fast = [merge.token for merge in tok.merges], [], []
    for length in (100, 200):
        word = tok.scheme.symbols(load_corpus(name)[:length])
        asked = Counted(ranks)
        tokens = encode_by_rank(word, asked)
        slow.append(asked.looks)
        asked, symbols = Counted(ranks), list(word)
        merge_by_rank(symbols, asked, made)
        fast.append(asked.looks)
        assert symbols == list(tokens)
    assert 3.5 < slow[1] / slow[0] < 4.8
    assert 1.7 < fast[1] / fast[0] < 2.6


@pytest.mark.parametrize(("name", "share"), [("story", 0.22), ("second_story", 0.25)])
def test_a_memory_spares_three_quarters_of_the_words(name, share):
    """07, the encoder: 739 of 2,973 words of the second story are different."""
    counts = Counter(SCHEME.split(load_corpus(name)))
    assert len(counts) / counts.total() < share + 0.02
    assert name == "story" or (len(counts), counts.total()) == (739, 2973)


def test_in_chinese_little_of_a_text_is_in_words_that_come_again():
    """07, the encoder: a word of the pattern is a whole clause there. In English most of it is."""
    shares = {}  # text -> which share of its characters is in words that had come before
    for name, text in {"story": load_corpus("story"), **held_out(), **elsewhere()}.items():
        known, again = set(), 0
        for word in SCHEME.split(text[:12_000]):
            again += len(word) if word in known else 0
            known.add(word)
        shares[name] = again / 12_000
    assert shares.pop("chinese") < 0.2 < min(shares.values())


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(("num_merges", "least", "most"), [(300, 0.75, 0.95), (9_999, 0.28, 0.38)])
def test_many_pairs_never_have_the_highest_count(name, num_merges, least, most, monkeypatch):
    """07, step 4: most of a short training, a third of a long one."""
    pairs, in_the_heap = set(), set()
    put = Queue.put

    def note(queue, pair):
        pairs.add(pair)
        before = len(queue.ordered)
        put(queue, pair)
        if len(queue.ordered) > before:
            in_the_heap.add(pair)

    monkeypatch.setattr(Queue, "put", note)
    learn_merges(bag_of(name), num_merges)
    assert least < 1 - len(in_the_heap) / len(pairs) < most


# Notebook 07b.

add_counts = many_machines.add_counts.solve
HERE = written_in("07b")
HERE |= {"scheme": SCHEME, "find_cut": many_machines.find_cut.solve}  # which its cells set
cut, different_words = HERE["cut"], HERE["different_words"]


def add(tables):
    total = {}
    for table in tables:
        total = add_counts(total, table)
    return total


def pairs(counts, n):
    return [merge.pair for merge in learn_merges(counts, n)]


@pytest.mark.parametrize("name", TEXTS)
def test_only_the_order_of_the_text_gives_the_merges_of_one_pass(name):
    """07b, The first fact, and Where no word crosses: six orders, one of them right."""
    text = load_corpus(name)
    counts = SCHEME.word_counts(text)
    tables = [SCHEME.word_counts(part) for part in cut(text, len(text) // 3 + 1)]
    assert len(tables) == 3
    for order in permutations(range(3)):
        total = add(tables[number] for number in order)
        assert total == counts
        assert (pairs(total, 1000) == pairs(counts, 1000)) == (order == (0, 1, 2))


def share_of_wrong_cuts(text, scheme, is_a_cut):
    whole = [*scheme.split(text)]
    places = [i for i in range(1, len(text)) if is_a_cut(text[i - 1], text[i])]
    wrong = [[*scheme.split(text[:i]), *scheme.split(text[i:])] != whole for i in places]
    return sum(wrong) / len(wrong)


@pytest.mark.parametrize("name", ["story", "program", "mixed"])
@pytest.mark.parametrize("scheme", ["gpt2", "cl100k"])
def test_a_line_end_is_no_safe_place_to_cut_and_a_letter_before_white_space_is(name, scheme):
    """07b, Where no word crosses: a third to a half of the line ends, none of the other places."""
    text, scheme = load_corpus(name)[:1000], SCHEMES[scheme]
    assert 0.25 < share_of_wrong_cuts(text, scheme, lambda before, behind: before == "\n") < 0.6
    assert share_of_wrong_cuts(text, scheme, lambda a, b: a.isalnum() and b.isspace()) == 0


def test_a_space_is_a_safe_place_in_prose_and_not_in_a_program():
    """07b, Where no word crosses: lines of a program begin with several spaces."""
    shares = {
        name: share_of_wrong_cuts(load_corpus(name)[:1000], SCHEME, lambda _, behind: behind == " ")
        for name in ("story", "program")
    }
    assert shares["story"] == 0 < shares["program"]


def test_twice_the_text_has_half_to_three_quarters_more_different_words():
    """07b, How many different words are there?: 1,378 and 2,068, in English."""
    for text in (load_corpus("story"), *held_out().values()):
        *_, half, whole = different_words(text)
        assert 1.4 < whole / half < 1.75


def test_in_finnish_they_grow_faster_and_in_chinese_nearly_as_fast_as_the_text():
    """07b, Summary: a word of the pattern reaches from one Chinese comma to the next."""
    growth = {}
    for name in ("finnish", "chinese"):
        *_, half, whole = different_words(elsewhere()[name])
        growth[name] = whole / half
    assert 1.65 < growth["finnish"] < 1.8 < 1.9 < growth["chinese"] < 2.05


@pytest.mark.parametrize("name", [*TEXTS, "program", "names"])
def test_a_power_law_fitted_to_the_beginning_guesses_too_high_for_running_text(name):
    """07b, How many different words are there?: 7 to 25 per cent; not for a list of names."""
    found = different_words(load_corpus(name))
    *sizes, size = found.index
    *found, whole = found
    slope, start = np.polyfit(np.log(sizes), np.log(found), 1)
    ratio = np.exp(start + slope * np.log(size)) / whole
    if name == "names":
        assert 0.98 < slope < 1.01
        assert 0.99 < ratio < 1.01
    else:
        assert 0.6 < slope < 0.8
        assert 1.03 < ratio < 1.35


def test_without_the_rare_words_of_each_part_the_first_merges_change_less_with_large_parts():
    """07b, When the table does not fit: two thirds of the words, a fifth of the text."""
    text = "".join(map(load_corpus, TEXTS))
    full = SCHEME.word_counts(text)
    reference = set(pairs(full, 100))
    stay = []
    for size in (5_500, 11_000, 33_000):
        tables = [SCHEME.word_counts(part) for part in cut(text, size)]
        kept = add({word: n for word, n in table.items() if n > 1} for table in tables)
        if size == 11_000:
            assert 0.3 < len(kept) / len(full) < 0.4
            assert 0.78 < sum(kept.values()) / sum(full.values()) < 0.86
        stay.append(len(reference & set(pairs(kept, 100))))
    assert 65 < stay[0] < stay[1] < stay[2] < 95
