"""The right answers of questions to vote on, where another test of a claim doesn't find them."""

import random
from collections import Counter
from itertools import pairwise, product

import numpy as np
import pytest
from common import (
    OURS,
    elsewhere,
    held_out,
    in_halves,
    lines,
    output_of,
    pages,
    trained,
)

from bpe_further import NgramCounter
from bpe_teach import (
    SCHEMES,
    Tokenizer,
    compression_curve,
    encode_by_rank,
    knee,
    learn_merges,
    load_corpus,
    merge_pair,
)

# bpe_further/exercises/votes.md


def test_of_a_page_in_thai_english_merges_make_many_short_tokens(story, says):
    """v00_thai, v04_greek: a Greek letter has two bytes, a Thai one three."""
    tok = trained(story)
    for name, size in (("Greek", 2), ("Thai", 3)):
        page = pages()[name]
        letters = "".join(letter for letter in page if letter.isalpha())
        assert tok.decode(tok.encode(page)) == page  # without an error, and nothing is unknown
        tokens = [token for word in tok.scheme.split(letters) for token in tok.tokens(word)]
        assert len(letters.encode()) / len(letters) > 0.99 * size
        assert all(len(token) == 1 for token in tokens)
        assert len(tok.encode(page)) > 2 * len(tok.encode(pages()["English"]))
    says("it writes the page with many short tokens")
    says("one token for each byte")


@pytest.mark.parametrize("seed", range(3))
def test_a_counter_says_the_same_if_the_ids_are_dealt_anew(story, seed, says):
    """v00_neighbours: so nothing in it depends on which ids are close."""
    tok, new = trained(story, 500), load_corpus("second_story")[:3000]
    other = list(range(len(tok)))
    random.Random(seed).shuffle(other)
    known, asked = tok.encode(story[:20_000]), tok.encode(new)
    one = NgramCounter(known, len(tok), 3)
    two = NgramCounter([other[i] for i in known], len(tok), 3)
    for i, after in pairwise(asked):
        assert one.probability((i,), after) == pytest.approx(
            two.probability((other[i],), other[after])
        )
    says("nothing says that it will")


def test_a_pair_that_is_counted_five_times_takes_away_at_most_five_symbols(says):
    """v01_overlap: all words of up to fourteen letters that are x or y."""
    fewer = set()
    for length in range(6, 15):
        for word in product("xy", repeat=length):
            if Counter(pairwise(word))["x", "x"] == 5:
                fewer.add(length - len(merge_pair(word, ("x", "x"))))
    assert fewer == {3, 4, 5}
    says(f"at most {['three', 'four', 'five'][max(fewer) - 3]}, depending on the text")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["story", "forum", "finnish"])
def test_in_a_shuffled_text_merges_are_the_same_up_to_the_first_tie(name, seed, says):
    """v02_shuffled: the text is shuffled; then a bag of its words without ties."""
    scheme = SCHEMES["gpt2"]
    words = [*scheme.split(elsewhere().get(name) or load_corpus(name))]
    shuffled = random.Random(seed).sample(words, len(words))
    bags = [
        {tuple(word): count for word, count in Counter(text).items()} for text in (words, shuffled)
    ]
    assert bags[0] == bags[1]
    one, other = (learn_merges(bag, 300) for bag in bags)
    rank = [a != b for a, b in zip(one, other, strict=True)].index(True)
    assert one[rank].count == other[rank].count  # a tie
    assert rank > 5
    counts = {("a", "b", "c"): 16, ("d", "e"): 8, ("c", "d"): 4, ("e", "e"): 2, ("e", "a"): 1}
    assert learn_merges(counts, 3)[1:] == learn_merges(dict(reversed(counts.items())), 3)[1:]
    no_ties = {("d", "e"): 8, ("c", "d"): 4, ("e", "a"): 2, ("b", "b"): 1}
    assert learn_merges(no_ties, 9) == learn_merges(dict(reversed(no_ties.items())), 9)
    says("the same, unless counts tie")


@pytest.mark.parametrize("name", ["story", "program", "finnish"])
def test_with_a_marker_no_token_contains_a_space(name, says):
    """v02_marker"""
    tok = trained(elsewhere().get(name) or load_corpus(name), 1000, "end_of_word")
    spaces = sum(any(character.isspace() for character in token) for token in tok.vocab.values())
    says(f'"b": {"no" if not spaces else "yes"}')


def merged_as_text(word, pair):
    return tuple(" ".join(word).replace(" ".join(pair), "".join(pair)).split())


def test_two_programs_are_right_on_ten_words_and_one_of_them_fails_on_another(says):
    """v02_replace"""
    words = ["low", "lower", "newest", "widest", "slow", "root", "lowest", "wide", "new", "owl"]
    for word in map(tuple, words):
        for pair in pairwise(word):
            assert merged_as_text(word, pair) == merge_pair(word, pair)
    word, pair = ("ab", "c"), ("b", "c")
    assert merged_as_text(word, pair) != merge_pair(word, pair) == word
    says("we don't know yet")


def cut(word, merges):
    return encode_by_rank(tuple(word), {pair: rank for rank, pair in enumerate(merges)})


def test_how_tower_is_cut_depends_on_the_order_of_the_merges(says):
    """v03_tower, and 00b with the same merges in another order."""
    merges = [("o", "w"), ("ow", "e"), ("t", "o"), ("t", "ow")]
    says(f'"c": {" ".join(cut("tower", merges))}')
    merges = [("t", "o"), ("o", "w"), ("ow", "e"), ("t", "ow")]
    says(f"t o, o w, ow e, t ow. – {' '.join(cut('tower', merges))}")


def test_a_later_merge_changes_a_cut_only_if_its_symbols_are_left(says):
    """v03_later: for lists put together at random."""
    found = Counter()
    for seed in range(300):
        chance = random.Random(seed)
        tokens, merges = ["a", "b", "c"], []
        while len(merges) < 5:
            pair = tuple(chance.choices(tokens, k=2))
            if "".join(pair) not in tokens:
                merges.append(pair)
                tokens.append("".join(pair))
        for _ in range(10):
            word = chance.choices("abc", k=7)
            before, after = (cut(word, merges[:n]) for n in (4, 5))
            changed, left = before != after, merges[4] in pairwise(before)
            assert changed == left
            could = merges[4][0] + merges[4][1] in "".join(word)
            found[could, changed] += 1
    assert min(found[True, True], found[True, False]) > 100  # neither always nor never
    says("only if no earlier merge has used up its symbols")


def test_single_tokens_decode_to_a_sign_of_trouble_and_all_of_them_to_the_text(story, says):
    """v04_flash: the ids are right, so the program that shows them is at fault."""
    tok = trained(story)
    for name in ("Hindi", "Greek", "Chinese"):
        ids = tok.encode(pages()[name])
        assert tok.decode(ids) == pages()[name]
        assert "�" in "".join(tok.decode([i]) for i in ids)
    says('"d": in the program')


def test_the_second_half_of_a_text_uses_many_of_the_same_tokens_and_some_others(story, says):
    """v05_longer: in English with the story's tokenizer, elsewhere with the text's own."""
    english = [story, *held_out().values()]
    for text in [*english, *elsewhere().values()]:
        tok = trained(story if text in english else text, 2000)
        half, whole = (len(set(tok.encode(text[: len(text) // part]))) for part in (2, 1))
        assert half < whole < 2 * half
    says("between 1,200 and 2,400")


def test_how_much_of_a_manuals_price_is_shift_needs_a_tokenizer_of_manuals(story, says):
    """v05_shift: with its own, the manual still takes more tokens, but by less."""
    (of_manual, manual), _ = in_halves(load_corpus("manual"))
    new = load_corpus("second_story")[: len(manual)]
    strange, own = (
        len(tok.encode(manual)) / len(trained(story[: len(of_manual)], 500).encode(new))
        for tok in (trained(story[: len(of_manual)], 500), trained(of_manual, 500))
    )
    assert 1.02 < own < strange - 0.05
    says("only a tokenizer trained on manuals can tell")


def test_the_knee_moves_in_one_and_the_same_text(story, says):
    """v05_knee: its merges are the same, too, as far as the shorter list goes."""
    for text in (story, elsewhere()["finnish"]):
        short, long = (trained(text, n) for n in (500, 1000))
        assert long.merges[:500] == short.merges
        knees = [knee(compression_curve(tok, text)) for tok in (short, long)]
        assert knees[1] > 1.5 * knees[0]
    says('"b": nothing')


def test_with_german_lines_for_english_ones_german_gets_cheaper_and_its_premium_can_rise(
    story, says
):
    """v05c_premium: it mostly falls. It rises where English gets cheaper, too."""
    moves = set()
    for num_merges, length in ((100, 17_500), (300, 17_500), (300, 6000)):
        tokens = {}
        for language in ("English", "German"):
            tok = trained((story[:length], lines(pages()[language], 0, 5)), num_merges)
            for name in ("English", "German"):
                tokens[language, name] = len(tok.encode(lines(pages()[name], 5, 10)))
        assert tokens["German", "German"] < tokens["English", "German"]
        before, after = (
            tokens[read, "German"] / tokens[read, "English"] for read in ("English", "German")
        )
        moves.add("rises" if after > before else "falls")
    says("may fall or rise" if len(moves) == 2 else f"must {moves}")


def test_under_gpt2s_pattern_hindi_may_pay_more_with_each_merge(says):
    """v05c_enough: of equal sentences, however many merges there are."""
    sentences = pages("sentences")
    read = tuple(lines(page, 0, 60) for page in sentences.values())
    premiums = []
    for num_merges in (250, 1000, 4000):
        tok = trained(read, num_merges)
        tokens = {name: len(tok.encode(lines(sentences[name], 0, 60))) for name in sentences}
        premiums.append(tokens["Hindi"] / tokens["English"])
    assert premiums == sorted(premiums) and premiums[0] > 1
    says("may rise with each merge")


# site/votes.md


def test_what_a_model_of_english_makes_of_zq_depends_on_its_merges(story, says):
    """00b: a text in which zq is by far the most frequent pair."""
    text = "zq zq lazq zqs " * 200
    found = b"zq" in trained(story).tokens(text)
    assert b"zq" in trained((story[:2000], text)).vocab.values()
    says(f"for a class that answers (a): – {'Yes' if found else 'No'}")


@pytest.mark.parametrize("name", ["story", *OURS])
def test_of_sentences_as_tokens_almost_each_occurs_once(name, says):
    """00b: so a model learns nothing about what follows, and another text has none of them."""
    halves = [text.replace("\n", " ").split(". ") for text in in_halves(load_corpus(name))[0]]
    counts = Counter(halves[0])
    assert sum(n == 1 for n in counts.values()) > 0.95 * len(counts)
    assert not [sentence for sentence in halves[1] if len(sentence) > 25 and sentence in counts]
    says("next to nothing")


def test_characters_per_token_change_with_vocabulary_text_and_whether_it_was_read(corpus, says):
    """01b"""
    plays = corpus("tinyshakespeare")
    read, new, manual = plays[:200_000], plays[-50_000:], load_corpus("manual")

    def reach(tok, text):
        known = "".join(letter for letter in text if letter in tok.alphabet)
        return len(known) / len(tok.encode(known))

    small, large = (trained(read, n, "chars") for n in (235, 1935))
    changes = {
        "its vocabulary": reach(large, new) - reach(small, new),
        "the text": reach(large, new) - reach(large, manual),
        "whether it was trained on that text": reach(large, read) - reach(large, new),
    }
    assert min(changes.values()) > 0.1
    says("what do you need to know", "d: all of these")


def test_which_of_two_programs_saves_more_depends_on_the_text(says):
    """02b: the same two tokenizers, and each is ahead on a text."""
    toks = {name: trained(load_corpus(name)[:12_000], 500) for name in ("second_story", "manual")}
    saved = {}
    for judge in ("second_story", "manual"):
        text = load_corpus(judge)[:12_000]
        for name, tok in toks.items():
            saved[name, judge] = 1 - len(tok.encode(text)) / len(text)
    assert saved["second_story", "second_story"] > saved["manual", "second_story"] + 0.08
    assert saved["manual", "manual"] > saved["second_story", "manual"] + 0.08
    says("65 % and 57 % fewer tokens than characters", "c: one cannot say")


def test_the_last_hundred_merges_are_used_in_the_book_and_a_third_of_them_elsewhere(says):
    """02b, the table."""
    row = output_of("02b_published_little_prince", "c12").splitlines()[-1]
    book, *others = map(int, row.split()[1:])
    assert row.startswith("400") and book > 60
    says("the last hundred merges", "Most of them are useful for this text")
    assert all(0.25 < used / 100 < 0.4 for used in others)
    says("and about a third of them elsewhere")


def test_bits_are_compared_by_the_character(says):
    """05b and 06: with the numbers of the questions, and with other lengths."""

    def better(bits, lengths):
        return min("AB", key=lambda name: bits[name] / lengths[name])

    says("A needs 8 bits a token, with 4 characters a token; model B needs 6 bits, with 2.5")
    says(f"a: {better({'A': 8, 'B': 6}, {'A': 4, 'B': 2.5})}")
    nats = {"A": 2.9, "B": 4.5}
    verdicts = {better(nats, {"A": 1.9, "B": length}) for length in np.arange(2, 4, 0.1)}
    says("a loss of 2.9 nats per token with a vocabulary of 300, and model B has 4.5 with 4,000")
    says("c: it can't be said" if len(verdicts) == 2 else f"it is {verdicts}")


def test_swapped_halves_of_a_program_reverse_who_takes_fewer_tokens(gpt2, says):
    """08: with the story read as well, and 1,500 merges."""
    program = load_corpus("program")
    halves = program[:2600], program[2600:]
    fewer = []
    for read, new in (halves, halves[::-1]):
        tok = Tokenizer.train([load_corpus("story"), read], num_merges=1500)
        fewer.append(len(tok.encode(new)) < len(gpt2.encode(new)))
    assert fewer[0]
    says("has read half of a program takes fewer tokens than GPT-2 for the other half")
    says("c: nothing yet" if not fewer[1] else "it is better for code")


def test_a_model_reads_ids_of_another_tokenizer_hardly_better_than_one_that_knows_nothing(says):
    """08b: the counter has read the story's ids; both tokenizers have 1,256 entries."""
    story, new = load_corpus("story"), load_corpus("second_story")
    own, better = trained(story), trained((story, *map(load_corpus, OURS)))
    assert len(own) == len(better)
    model = NgramCounter(own.encode(story), len(own), 3)
    bits = [model.bits(tok.encode(new)) / len(tok.encode(new)) for tok in (own, better)]
    assert bits[0] < 0.75 * np.log2(len(own)) < 0.9 * np.log2(len(own)) < bits[1]
    says("keeps the model, with all its vectors as they are", "c: the model talks nonsense")


def test_marks_that_were_typed_are_marks_once_the_text_is_encoded_with_special_tokens(says):
    """08b"""
    mark, typed = "<|user|>", "Say <|user|> twice."
    tok = Tokenizer.train(load_corpus("chat"), num_merges=200, special_tokens=[mark])
    number = tok.special_tokens[mark]
    safe = [number, *tok.encode(typed)]
    assert safe.count(number) == 1
    again = tok.encode(tok.decode(safe), allowed_special="all")
    says("the typed marks become special tokens" if again.count(number) == 2 else "it is safe")


def test_a_token_that_is_cut_alone_is_used_inside_longer_words(says):
    """08b: o200k's pattern parts I' alone, and keeps I'd together; here with a tiny text."""
    tok = Tokenizer.train("I'm " * 9 + "I'd " * 8 + "I'll " * 7, scheme="o200k", num_merges=4)
    cut_alone = {
        i for i, token in tok.vocab.items() if i > 255 and tok.encode(token.decode()) != [i]
    }
    assert cut_alone
    says("if you decode a token and encode its text again, you get different tokens")
    inside = cut_alone & set(tok.encode("we I've"))
    says("b: the token may be used inside longer words" if inside else "the token is never used")


def parts_of(token, ranks):
    """Return a token, cut with the tokens of lower rank, by a loop."""
    parts = list(token)
    while True:
        known = [(ranks[a + b], i) for i, (a, b) in enumerate(pairwise(parts)) if a + b in ranks]
        known = [(rank, i) for rank, i in known if rank < ranks[token]]
        if not known:
            return tuple(parts)
        _, i = min(known)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]


@pytest.mark.parametrize("name", ["story", "finnish", "program"])
def test_the_merges_of_a_list_that_was_learned_are_found_from_its_ranks(name, says):
    """08d: and not those of a list that nobody can have learned."""
    text = elsewhere().get(name) or load_corpus(name)
    merges = trained(text, 300, "chars").merges
    ranks = {merge.token: rank for rank, merge in enumerate(merges)}
    assert [parts_of(token, ranks) for token in ranks] == [merge.pair for merge in merges]
    never = [("b", "c"), ("a", "b"), ("ab", "c")]
    ranks = {"".join(pair): rank for rank, pair in enumerate(never)}
    assert len(ranks) == 3  # each token is made by exactly one merge
    assert [parts_of(token, ranks) for token in ranks] != never
    says("b: only if the list could have been learned by training")
