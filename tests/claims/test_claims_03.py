"""Claims of notebook 03, recomputed."""

import random

import pytest
from common import CHARACTER_SCHEMES, Counted, elsewhere, trained

from bpe_teach import (
    Tokenizer,
    encode_by_rank,
    encode_by_replay,
    encode_steps,
    learn_merges_naive,
    load_corpus,
    merge_pair,
    spaced,
)
from bpe_teach.exercises import rank_based_encoding
from bpe_teach.exercises.word_boundaries import solve_bag_of_words as bag_of_words
from bpe_teach.exercises.word_boundaries import solve_split_words as split_words
from bpe_teach.fast.encode import merge_by_rank


def words_of(name, tok):
    known = set(map(str, tok.alphabet))
    words = sorted(set(load_corpus(name).split()))
    return [tok.scheme.symbols(word) for word in words if set(word) <= known]


OTHER = [("story", "second_story"), ("second_story", "story")]


def merged_by_hand(word, ranks, *, lowest=True, leftmost=True, rounds=99):
    """Return the symbols of a word after encoding by rank, as the summary says it, or otherwise."""
    symbols = list(word)
    for _ in range(rounds):
        places = [i for i in range(len(symbols) - 1) if (symbols[i], symbols[i + 1]) in ranks]
        if not places:
            break
        found = [(ranks[symbols[i], symbols[i + 1]], i) for i in places]
        rank = min(found)[0] if lowest else max(found)[0]
        here = [i for that, i in found if that == rank]
        i = here[0] if leftmost else here[-1]
        symbols[i : i + 2] = [symbols[i] + symbols[i + 1]]
    return tuple(symbols)


@pytest.mark.parametrize("seed", range(3))
def test_encoding_by_rank_takes_the_lowest_the_leftmost_until_none_is_left(seed, says):
    """03, By rank: a loop by hand, on lists that are learned or shuffled; other rules differ."""
    chance = random.Random(seed)
    others = {"highest": {"lowest": False}, "rightmost": {"leftmost": False}, "one": {"rounds": 1}}
    differ = set()
    for trial in range(200):
        learned = learn_merges_naive({tuple(chance.choices("ab", k=30)): 1}, 8)
        pairs = [merge.pair for merge in learned]
        if trial % 2:
            chance.shuffle(pairs)
        ranks = {pair: rank for rank, pair in enumerate(pairs)}
        word = tuple(chance.choices("ab", k=10))
        tokens = tuple(encode_by_rank(word, ranks))
        assert tokens == merged_by_hand(word, ranks)
        differ |= {n for n, rule in others.items() if merged_by_hand(word, ranks, **rule) != tokens}
    assert differ == set(others)
    says("merges the candidate with the lowest rank", "at its leftmost place first")
    says("until no candidate is left")
    says("for a new text nothing is counted any more")  # only ranks were given
    says("of the merges that fit, the merge that was learned first is made first")


def test_the_t_of_lamplighter_goes_to_er_because_of_one_merge(says):
    """03, "Whose fault is it?": each explanation tried by itself, with 300 merges of the story."""
    bag = bag_of_words(map(tuple, split_words(load_corpus("story"))))
    merges = [merge.pair for merge in learn_merges_naive(bag, 300, min_count=2)]
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    last, first = {("l", "ight"): 300}, {("l", "ight"): -1}
    without = {pair: rank for pair, rank in ranks.items() if pair != ("t", "er")}
    word = tuple("lamplighter")
    assert (ranks["t", "er"], ranks["h", "t"]) == (61, 68)
    for changed in [ranks, ranks | last, ranks | first]:
        assert spaced(encode_by_rank(word, changed)) == rank_based_encoding.lamplighter.right
    assert spaced(encode_by_rank(word, without)) == "l am p l ight er"
    assert spaced(encode_by_rank(word, without | last)) == "l am p light er"
    says("an explanation can be tested by changing the list")
    steps = list(encode_steps(word, ranks))
    (taken,) = [step for step in steps if step.winner == ("t", "er")]
    assert ranks["t", "er"] == min(taken.candidates.values()) < taken.candidates["h", "t"]
    says('a trace answers "why this split?"')


@pytest.mark.parametrize(("read", "met"), OTHER)
def test_merges_that_are_made_backwards_give_other_and_more_tokens(read, met, says):
    """03, "Where the last notebook broke": every word of a text that was not read."""
    tok = trained(load_corpus(read), 1000, "end_of_word")
    words = words_of(met, tok)
    forwards = backwards = 0
    for word in words:
        text = "".join(word)
        merges = [merge for merge in tok.merges if merge.token in text]  # the others do nothing
        forwards += len(encode_by_replay(word, merges))
        backwards += len(encode_by_replay(word, merges[::-1]))
    assert backwards > 1.2 * forwards
    says("in the order in which they were learned")


@pytest.mark.parametrize(("read", "met"), OTHER)
def test_with_learned_merges_replay_and_rank_agree_and_winners_never_go_down(read, met, says):
    """03, "Do replay and rank always agree?": every word of a text that was not read."""
    tok = trained(load_corpus(read), 1000, "end_of_word")
    for word in words_of(met, tok)[:400]:
        assert encode_by_replay(word, tok.merges) == encode_by_rank(word, tok.ranks)
        steps = encode_steps(word, tok.ranks)
        winners = [tok.ranks[step.winner] for step in steps if step.winner]
        assert winners == sorted(winners)
    says("for learned merges replay and rank agree")
    made = set(tok.alphabet)
    for merge in tok.merges:
        assert {merge.left, merge.right} <= made  # so both parts were there before
        assert merge.token not in made
        made.add(merge.token)
    says("the parts of a merge are made before it, and no two merges make the same token")


@pytest.mark.parametrize("seed", range(3))
def test_no_learned_list_can_be_found_on_which_replay_and_rank_differ(seed, says):
    """03, the same: random small texts, where a token might come about in two ways."""
    chance = random.Random(seed)
    for _ in range(150):
        words = {tuple(chance.choices("abc", k=chance.randint(1, 15))): 1 for _ in range(4)}
        merges = learn_merges_naive(words, 15)
        assert len({merge.token for merge in merges}) == len(merges)  # none made in two ways
        ranks = {merge.pair: rank for rank, merge in enumerate(merges)}
        for _ in range(10):
            word = tuple(chance.choices("abc", k=12))
            assert encode_by_replay(word, merges) == encode_by_rank(word, ranks)
    says("for learned merges replay and rank agree", "no two merges make the same token")


@pytest.mark.parametrize(("read", "met"), OTHER)
def test_the_work_of_replay_grows_with_the_list_and_that_of_rank_hardly(read, met, says):
    """03, "Summary": pairs looked at, with 50 and with 1,000 merges."""
    tok = trained(load_corpus(read), 1000, "end_of_word")
    words = words_of(met, tok)[:150]
    replay, by_rank = [], []
    for size in (50, len(tok.merges)):
        ranks = {merge.pair: rank for rank, merge in enumerate(tok.merges[:size])}
        looked_at = 0
        for word in words:
            for merge in tok.merges[:size]:
                looked_at += len(word) - 1
                word = merge_pair(word, merge.pair)
        replay.append(looked_at)
        steps = [step.word for w in words for step in encode_steps(w, ranks)]
        by_rank.append(sum(len(word) - 1 for word in steps))
    assert replay[1] > 5 * replay[0]
    says("replay gets slower as the list grows")
    assert by_rank[1] < 2 * by_rank[0]
    says("encoding by rank hardly does")


def test_the_encoder_of_07_looks_up_fewer_pairs_of_a_long_word(says):
    """03, "Summary": and gives the same tokens."""
    tok = trained(load_corpus("story"), 1000, "bytes")
    ranks = {merge.pair: rank for rank, merge in enumerate(tok.merges)}
    for text in (load_corpus("second_story"), load_corpus("forum"), *elsewhere().values()):
        word = tok.scheme.symbols(text[:100])
        plain, fast, symbols = Counted(ranks), Counted(ranks), list(word)
        merge_by_rank(symbols, fast, [merge.token for merge in tok.merges])
        assert symbols == list(encode_by_rank(word, plain))
        says("07 Fast BPE", "makes it faster still" if fast.looks < plain.looks / 3 else "slower")


@pytest.mark.parametrize("scheme", CHARACTER_SCHEMES)
def test_only_characters_that_were_not_in_the_training_text_have_no_id(scheme, says):
    """03, "Break it": each character of texts of many scripts, encoded by itself."""
    texts = [load_corpus(name).lower() for name in ("story", "mixed", "parallel")]
    tok = Tokenizer.train(texts[0], scheme=scheme, num_merges=50)
    unseen = 0
    characters = {c for text in texts for c in text if not c.isspace()}
    for character in sorted(characters - {"_"}):  # which is a mark of one scheme
        if character in texts[0]:
            assert tok.decode(tok.encode(character)).strip() == character
        else:
            unseen += 1
            with pytest.raises(ValueError, match="training"):
                tok.encode(character)
    assert unseen > 100
    says("characters that were not in the training text have no id")
