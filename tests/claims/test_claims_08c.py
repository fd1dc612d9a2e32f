"""What notebook 08c says, recomputed: other halves, other languages, texts of other hands."""

import random
from itertools import pairwise

import pytest
from common import elsewhere, halves, held_out, pages, trained

from bpe_teach import SCHEMES, Merge, PublishedTokenizer, Tokenizer, encode_by_rank, load_corpus
from bpe_teach.exercises import changed_tokenizers as ask


@pytest.fixture
def home(story):
    return trained(story)


def grow(tok, text, number):
    """Return a tokenizer with more merges, learned from a text."""
    words = tok.scheme.word_counts([text])
    pairs = ask.extend.solve([merge.pair for merge in tok.merges], words, number)
    return Tokenizer(tok.scheme, tok.alphabet, [Merge(*pair, 0) for pair in pairs])


@pytest.mark.parametrize("seed", range(5))
def test_a_list_is_canonical_if_and_only_if_all_its_neighbours_are(seed):
    """08c, Token in, token out: lists drawn at random, merges trained on random words."""
    chance = random.Random(seed)
    bag = {tuple(chance.choices("ab", k=chance.randint(1, 9))): 1 for _ in range(30)}
    tok = Tokenizer.train(["".join(word) for word in bag], scheme="words", num_merges=12)
    vocab = list(tok.vocab.values())

    def encode(text):
        return list(encode_by_rank(tuple(text), tok.ranks))

    canonical = 0
    for _ in range(2000):
        tokens = chance.choices(vocab, k=chance.randint(1, 4))
        right = encode("".join(tokens)) == tokens
        assert ask.neighbours_stay.solve(tokens, encode) == right
        canonical += right
    assert 200 < canonical < 1800  # both kinds were drawn


def test_what_follows_seen_neighbours_hardly_ever_drifts_and_what_does_not_does(home):
    """08c, Token in, token out: on texts of several hands, five times each.

    Inside a word it never does; between words a pattern may look further than two tokens.
    """

    def drifts(ids):
        return sum(home.encode(home.decode(two)) != list(two) for two in pairwise(ids))

    for text in held_out().values():
        ids, after = home.encode(text), {}
        for left, right in pairwise(ids):
            after.setdefault(left, []).append(right)
        for seed in range(5):
            chance, walk = random.Random(seed), ids[:1]
            while len(walk) < 2000:
                walk.append(chance.choice(after.get(walk[-1], ids[:1])))
            assert drifts(chance.choices(ids, k=2000)) > 10 * (1 + drifts(walk))


def test_trimming_to_a_text_keeps_its_ids_and_costs_more_the_farther_away_another_is(gpt2):
    """08c, Trim to a domain: the sibling pays a fifth, texts of other kinds and hands a third."""
    story = load_corpus("story")
    pairs = [merge.pair for merge in gpt2.merges]
    kept = ask.needed_merges.solve(pairs, set(gpt2.tokens(story)))
    made = {left + right for left, right in kept}
    ids = {t: i for i, t in gpt2.vocab.items() if t in made or len(t) == 1}
    merges = [Merge(left, right, 0) for left, right in kept]
    small = PublishedTokenizer("gpt2", gpt2.alphabet, merges, ids=ids)
    assert len(kept) < 0.1 * len(pairs)
    assert small.encode(story) == gpt2.encode(story)
    price = {n: len(small.encode(t)) / len(gpt2.encode(t)) for n, t in held_out().items()}
    sibling = price.pop("second_story")
    assert 1.1 < sibling < 1.25
    assert min(price.values()) > sibling + 0.1


@pytest.mark.parametrize(
    ("kind", "other"),
    [("manual", "forum"), ("forum", "manual"), ("finnish", "hindi"), ("chinese", "code")],
)
def test_a_vocabulary_trimmed_with_two_kinds_costs_less_elsewhere_than_with_one(kind, other):
    """08c, Summary: a vocabulary of both texts, trimmed with 6,000 characters."""
    texts = held_out() | elsewhere()
    one, two = texts[kind], texts[other]
    whole = Tokenizer.train([one[:12_000], two[:12_000]], num_merges=4000)
    prices = []
    for seen in (one[:6000], one[:3000] + two[:3000]):
        pairs = [merge.pair for merge in whole.merges]
        kept = ask.needed_merges.solve(pairs, set(whole.tokens(seen)))
        small = Tokenizer(whole.scheme, whole.alphabet, [Merge(*pair, 0) for pair in kept])
        assert small.tokens(seen) == whole.tokens(seen)
        price = [len(small.encode(t)) / len(whole.encode(t)) for t in (one[9000:], two[9000:])]
        prices.append(price)
    (alike, elsewhere_with_one), (_, elsewhere_with_two) = prices
    assert alike < elsewhere_with_one > elsewhere_with_two


def test_a_vocabulary_grows_by_another_script_without_a_change_at_home(home):
    """08c, Extend, three languages, both halves of each page."""
    story, second = load_corpus("story"), load_corpus("second_story")
    before = home.encode(second)
    for language in ("Greek", "Hindi", "Thai"):
        for read, unread in halves(language):
            grown = grow(home, read, 60)
            anew = Tokenizer.train([story, read], num_merges=1060)
            assert grown.encode(second) == before
            there = len(grown.encode(unread))
            assert there < 0.5 * len(home.encode(unread))
            assert there < 0.9 * len(anew.encode(unread))
            assert 0.98 < len(anew.encode(second)) / len(before) < 1
            kept = sum(home.vocab[i] == anew.vocab[i] for i in range(256, 1256))
            assert kept < 160


def test_a_vocabulary_grown_by_code_puts_new_tokens_into_old_prose(home):
    """08c, Break it, with both halves of the program."""
    program, second = load_corpus("program"), load_corpus("second_story")
    before = home.encode(second)
    for read in (program[:2600], program[2600:]):
        after = grow(home, read, 120).encode(second)
        assert len(after) < len(before)
        assert sum(i >= len(home) for i in after) > 15


@pytest.mark.parametrize("language", ["German", "Spanish", "French"])
def test_the_later_of_two_joined_lists_loses_tokens_and_its_text_pays(home, language):
    """08c, Join: German, and two other languages that share letters with English."""
    text = pages()[language]
    page, english = Tokenizer.train(text, num_merges=300), load_corpus("second_story")
    lost, count = [], []
    for one, other in [(home, page), (page, home)]:
        made = {merge.token for merge in one.merges}
        rest = [merge for merge in other.merges if merge.token not in made]
        tok = Tokenizer(SCHEMES["gpt2"], one.alphabet, one.merges + rest)
        tokens = [merge.token for merge in tok.merges if merge.token.isascii()]
        lost.append(sum(tok.tokens(token.decode()) != [token] for token in tokens))
        count.append((len(tok.encode(english)), len(tok.encode(text))))
    assert 0 < lost[0] < lost[1]
    assert count[1][0] > 1.05 * count[0][0]
    assert count[1][1] < count[0][1]
