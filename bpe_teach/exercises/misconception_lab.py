"""Exercises of notebook 09b: twelve programs with a fault to find and to mend, and one more.

The programs whose names end in a number are faulty on purpose. The notebook shows them word for
word, and a test compares the two.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import wraps
from itertools import pairwise

from bpe_teach.encode import encode_by_rank
from bpe_teach.exercises import char_bpe
from bpe_teach.exercises.byte_level import _decode_dropping, _decode_strictly, solve_decode
from bpe_teach.exercises.char_bpe import _learn_from, solve_merge
from bpe_teach.exercises.exercise import Function, Hunt, Value
from bpe_teach.exercises.rank_based_encoding import (
    _encode_choosing,
    _encode_in_one_pass,
    _encode_whole_if_known,
    solve_encode,
)
from bpe_teach.exercises.record import record as record
from bpe_teach.exercises.word_boundaries import _random_merge
from bpe_teach.fast.learn import learn_merges
from bpe_teach.learn import learn_merges_naive
from bpe_teach.pairs import merge_pair
from bpe_teach.tokenizer import Tokenizer

NUM_MERGES = 600  # that are learned from a whole text
WIKIPEDIA = "aaabdaaabac"  # the example of the article on byte pair encoding


def _need(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(what)


def _need_text(text, *_) -> None:
    _need(isinstance(text, str), "a text must be a str")


def _need_pair(text) -> None:
    _need_text(text)
    _need(len(text) > 1, "a text of fewer than two characters has no pair")


def _need_symbols(word, pair) -> None:
    _need(isinstance(word, tuple) and isinstance(pair, tuple), "a word and a pair must be tuples")
    _need(len(pair) == 2, "a pair must have two symbols")
    for symbol in (*word, *pair):
        _need(
            isinstance(symbol, str) and symbol.split() == [symbol],
            "a symbol must be a text without white space",
        )


def _need_number(text, num_merges) -> None:
    _need_text(text)
    _need(
        type(num_merges) is int and 0 <= num_merges <= 100,
        "num_merges must be a whole number from 0 to 100",
    )


def _need_lines(text) -> None:
    _need_text(text)
    _need(text.endswith("\n") or not text, "the text must end with \\n, as a file does")


def _checked(solve: Callable, need: Callable) -> Callable:
    """Return a solution that refuses wrong inputs."""

    @wraps(solve)
    def checked(*given):
        need(*given)
        return solve(*given)

    return checked


# Count.


def _best_pair_1(text):
    pairs = [text[i : i + 2] for i in range(len(text) - 1)]
    return max(pairs, key=text.count)


def solve_best_pair(text):
    pairs = [text[i : i + 2] for i in range(len(text) - 1)]
    return max(pairs, key=pairs.count)


def _best_pair_of_equals_last(text):
    counts = Counter(pairwise(text))
    return "".join(max(reversed(counts), key=counts.get))


def _best_pair_by_letters(text):
    letters = Counter(text)
    pairs = [text[i : i + 2] for i in range(len(text) - 1)]
    return max(pairs, key=lambda pair: letters[pair[0]] + letters[pair[1]])


aa_in_wikipedia = Value(
    f"how often does the pair (a, a) occur in {WIKIPEDIA}?",
    4,
    [
        (
            2,
            "text.count('aa') says 2, because it goes on after each place it finds. But aaa holds "
            "the pair twice: its middle a belongs to both.",
        ),
        (6, "that is the number of a before the last b; a pair is an a with an a on its right."),
        (3, "there are two runs of three a, and both hold the pair equally often."),
        (7, "that counts the letter a; a pair is an a with an a on its right."),
    ],
    because="each run of three holds it twice.",
    hints=["point at each a that has an a on its right."],
)

second_merge = Value(
    f"aa has been merged in {WIKIPEDIA}. Which pair is merged next, by the rule of this course?",
    "aa a",
    [
        ("a b", "it has the same count, 2, and Wikipedia takes it. Here the pair met first wins."),
        ("a a", "it is gone: each run of three has only one single a left."),
        ("aa ab", "a merge takes two neighbouring symbols, and ab is not a symbol yet."),
    ],
    choices={
        "a b": "the pair (a, b)",
        "aa a": "the pair (aa, a)",
        "a a": "the pair (a, a), again",
        "aa ab": "the pair (aa, ab)",
    },
    because="(aa, a) and (a, b) both occur twice, and (aa, a) is met first. Wikipedia takes "
    "(a, b), which is no mistake: after one more merge both have the tokens aaab d aaab a c.",
    hints=["write the text as symbols: aa a b d aa a b a c. Count its pairs."],
)

best_pair_1 = Hunt(
    "find a text for which best_pair_1 chooses the wrong pair.",
    _best_pair_1,
    _checked(solve_best_pair, _need_pair),
    ("baaa",),
    hints=[
        "in which texts do pairs overlap?",
        "print('aaa'.count('aa')).",
        "make a pair that overlaps itself the winner, and put a rival before it.",
    ],
)

best_pair = Function(
    "write best_pair(text): the most frequent pair of neighbours, as a text of two characters. On "
    "a tie, take the pair met first.",
    solve_best_pair,
    cases=[
        (("baaa",), "aa"),
        ((WIKIPEDIA,), "aa"),
        (("abab",), "ab"),
        (("abc",), "ab"),
        (("xy",), "xy"),
    ],
    slips=[
        (
            _best_pair_1,
            "str.count leaves out what overlaps: 'aaa'.count('aa') is 1, but the pair occurs "
            "there twice.",
        ),
        (_best_pair_of_equals_last, "on a tie the pair met first wins; this takes the last."),
        (_best_pair_by_letters, "frequent letters need not be neighbours: count pairs."),
    ],
    draw=lambda chance: ("".join(chance.choices("aab", k=chance.randint(2, 9))),),
    hints=[
        "text.count looks for a text in a text. What would count in a list?",
        "change one word of the last line.",
    ],
)


# Merge.


def _merge_1(word, pair):
    text = " ".join(word)
    text = text.replace(" ".join(pair), "".join(pair))
    return tuple(text.split())


def _merge_2(word, pair):
    pattern = r"(?<!\S)" + re.escape(" ".join(pair)) + r"(?!\S)"
    text = re.sub(pattern, "".join(pair), " ".join(word))
    return tuple(text.split())


def _merge_from_the_right(word, pair):
    merged = []
    for symbol in reversed(word):
        if merged and (symbol, merged[0]) == pair:
            merged[0] = symbol + merged[0]
        else:
            merged.insert(0, symbol)
    return tuple(merged)


def _merge_by_token(word, pair):
    merged = []
    for symbol in word:
        if merged and merged[-1] + symbol == "".join(pair):
            merged[-1] += symbol
        else:
            merged.append(symbol)
    return tuple(merged)


MERGE_CASES = [
    ((("ab", "c"), ("b", "c")), ("ab", "c")),
    ((("s", "ta"), ("s", "t")), ("s", "ta")),
    ((("s", "t", "s", "t"), ("s", "t")), ("st", "st")),
    ((("s", "s", "s"), ("s", "s")), ("ss", "s")),
    ((("es", "t"), ("e", "st")), ("es", "t")),
    ((("a", "."), ("a", "b")), ("a", ".")),
    ((("\\", "d"), ("\\", "d")), ("\\d",)),
    ((("\\", "n"), ("\\", "n")), ("\\n",)),
]


merge_1 = Hunt(
    "find a word and a pair that merge_1 gets wrong: check(word, pair), two tuples of symbols.",
    _merge_1,
    _checked(solve_merge, _need_symbols),
    (("ab", "c"), ("b", "c")),
    hints=[
        "a symbol may be longer than a character, and most symbols are.",
        "print ' '.join(word) for a word with a symbol of two characters.",
    ],
)

merge_2 = Hunt(
    "find a word and a pair that merge_2 gets wrong: check(word, pair), two tuples of symbols.",
    _merge_2,
    _checked(solve_merge, _need_symbols),
    ((), ("\\", "d")),
    hints=[
        "the pattern is safe. What else does re.sub take?",
        r"in a replacement one character has a meaning of its own: \1 is the first group.",
        "the word does not matter at all. Must there be one?",
    ],
)

merge = Function(
    "write merge(word, pair): the word, a tuple, with the pair merged from left to right wherever "
    "it occurs, whatever its characters are.",
    solve_merge,
    cases=MERGE_CASES,
    slips=[
        (
            _merge_1,
            "merging in a string looks inside symbols: 'ab c' holds the text 'b c', but not the "
            "symbols b and c.",
        ),
        (
            _merge_2,
            "a backslash has a meaning in the replacement of re.sub. Pass a function instead, "
            "lambda match: …, or use no strings at all.",
        ),
        (_merge_from_the_right, "that reads from right to left: it makes (s, ss) of s s s."),
        (_merge_by_token, "joined, the texts are the same, but (e, st) is not the pair (es, t)."),
    ],
    draw=_random_merge,
    hints=[
        "don't make a string of it: go through the tuple with a position i.",
        "if word[i : i + 2] == pair, add the two as one symbol and go on by 2; if not, add word[i] "
        "and go on by 1.",
    ],
)


# Learn.


def _learn_1(text, num_merges):
    word = tuple(text)
    merges = []
    while len(merges) < num_merges and len(word) > 1:
        counts = Counter(pairwise(word))
        for pair, _ in counts.most_common(2):
            merges.append(pair)
            word = merge_pair(word, pair)
    return merges[:num_merges]


def solve_learn(text, num_merges):
    word = tuple(text)
    merges = []
    while len(merges) < num_merges and len(word) > 1:
        counts = Counter(pairwise(word))
        pair = max(counts, key=counts.get)
        merges.append(pair)
        word = merge_pair(word, pair)
    return merges


def _learn_counting_once(text, num_merges):
    counts = Counter(pairwise(text))
    return [pair for pair, _ in counts.most_common(num_merges)]


def _learn_the_first(text, num_merges):
    return [(left, right) for left, right, _ in _learn_from(tuple(text), num_merges, _first_met)]


def _first_met(counts):
    return next(iter(counts))


def _learn_last_of_equals(text, num_merges):
    merges = char_bpe._learn_last_of_equals(text, num_merges)
    return [(left, right) for left, right, _ in merges]


learn_1 = Hunt(
    "find a text and a number of merges for which learn_1 goes wrong: check(text, num_merges).",
    _learn_1,
    _checked(solve_learn, _need_number),
    ("aab", 2),
    hints=[
        "the counts are made once for two merges. What does the first merge do to the second?",
        "try two pairs that share a symbol.",
    ],
)

learn = Function(
    "write learn(text, num_merges): learn the merges of a text, taken as a single word. The "
    "answer is a list of pairs, in the order in which they are learned. On a tie, take the pair "
    "met first.",
    solve_learn,
    cases=[
        (("aab", 2), [("a", "a"), ("aa", "b")]),
        ((WIKIPEDIA, 3), [("a", "a"), ("aa", "a"), ("aaa", "b")]),
        (("low lower", 3), [("l", "o"), ("lo", "w"), ("low", " ")]),
        (("ab", 5), [("a", "b")]),
        (("", 2), []),
    ],
    slips=[
        (
            _learn_1,
            "the second pair was counted before the first was merged, and may be gone: make one "
            "merge, then count again.",
        ),
        (
            _learn_counting_once,
            "all merges come from one count, but each merge changes the pairs.",
        ),
        (_learn_the_first, "that takes the first pair of the text, not the most frequent."),
        (_learn_last_of_equals, "on a tie the pair met first wins; this takes the last."),
    ],
    draw=lambda chance: ("".join(chance.choices("abc", k=chance.randint(0, 12))), 3),
    hints=[
        "most_common(1) would give one pair a pass.",
        "max(counts, key=counts.get) is the most frequent pair, and on a tie the pair met first.",
    ],
)


# Encode.

LINE = "father leather this roots brought lot"
MERGES = [
    merge.pair
    for merge in learn_merges_naive({tuple(word): 1 for word in LINE.split()}, 6, min_count=2)
]
RANKS = {pair: rank for rank, pair in enumerate(MERGES)}


def _encode_1(word, ranks):
    pieces = []
    for symbol in word:
        if pieces and (pieces[-1], symbol) in ranks:
            pieces[-1] += symbol
        else:
            pieces.append(symbol)
    return tuple(pieces)


def _encode_2(word, ranks):
    tokens = {left + right for left, right in ranks}
    pieces = []
    while word:
        end = len(word)
        while end > 1 and word[:end] not in tokens:
            end -= 1
        pieces.append(word[:end])
        word = word[end:]
    return tuple(pieces)


def _encode_3(word, ranks):
    word = list(word)
    while True:
        known = []
        for i, pair in enumerate(pairwise(word)):
            if ranks.get(pair):
                known.append((ranks[pair], i))
        if not known:
            return tuple(word)
        _, i = min(known)
        word[i : i + 2] = [word[i] + word[i + 1]]


def _ranks_1(merges):
    return {pair: rank for rank, pair in enumerate(sorted(merges))}


@wraps(solve_encode)
def _encode_word(word):
    _need_text(word)
    return solve_encode(word, RANKS)


def _encode_in_passes(word, ranks):
    word = tuple(word)
    while True:
        pieces = []
        i = 0
        while i < len(word):
            step = 2 if word[i : i + 2] in ranks else 1
            pieces.append("".join(word[i : i + step]))
            i += step
        if len(pieces) == len(word):
            return word
        word = tuple(pieces)


def _encode_last_first(word, ranks):
    return _encode_choosing(lambda candidates: max(candidates)[1], word, ranks)


def _encode_once_each(word, ranks):
    return _encode_in_one_pass(tuple(word), ranks)


def _cutting(name: str, encode: Callable, ranks: dict) -> Callable:
    """Return a program that splits words with these ranks, under the name that verdicts show."""

    def cut(word):
        return encode(word, ranks)

    cut.__name__ = name
    return cut


SORTED_RANKS = _ranks_1(MERGES)
ENCODE_HUNT = "find a word that {} splits differently from encode_by_rank: check(word)."

encode_1 = Hunt(
    ENCODE_HUNT.format("encode_1"),
    _cutting("encode_1", _encode_1, RANKS),
    _encode_word,
    ("oth",),
    hints=[
        "it never looks back. Which token can merge with what is on its left?",
        "(a, th): what has happened to the a when th is made?",
    ],
)

encode_2 = Hunt(
    ENCODE_HUNT.format("encode_2"),
    _cutting("encode_2", _encode_2, RANKS),
    _encode_word,
    ("oth",),
    hints=[
        "which two tokens share a letter, one at its end, the other at its beginning?",
        "the longest match gives the shared letter to the left token. What do ranks do?",
    ],
)

encode_3 = Hunt(
    ENCODE_HUNT.format("encode_3"),
    _cutting("encode_3", _encode_3, RANKS),
    _encode_word,
    ("th",),
    hints=["does it find every pair that has a rank?", "which number counts as false in an if?"],
)

ranks_1 = Hunt(
    "find a word that is split differently with the ranks of ranks_1: check(word).",
    _cutting("encode_with_ranks_1", solve_encode, SORTED_RANKS),
    _encode_word,
    ("rot",),
    call="with the ranks of ranks_1, {}",
    hints=[
        "print both dictionaries. Which pairs have changed places?",
        "find two pairs that share a letter, and whose order in the list is not alphabetical.",
    ],
)


def _random_word(chance: random.Random) -> tuple:
    words = ["oth", "ath", "rot", "th", "er", "athe", "throt", "b"]
    return ("".join(chance.choices(words, k=chance.randint(0, 3))), RANKS)


encode = Function(
    "write encode(word, ranks): merge the pair of lowest rank, at its leftmost place, until no "
    "pair has a rank. word is a text; the answer is a tuple.",
    solve_encode,
    cases=[
        (("oth", RANKS), ("o", "th")),
        (("ath", RANKS), ("ath",)),
        (("th", RANKS), ("th",)),
        (("rot", RANKS), ("ro", "t")),
        (("father", RANKS), ("f", "ather")),
        (("abc", {("b", "c"): 0, ("a", "bc"): 1, ("a", "b"): 2}), ("abc",)),
        (("b", RANKS), ("b",)),
        (("", RANKS), ()),
        (("abc", {("b", "c"): 0, ("a", "b"): 1, ("ab", "c"): 2}), ("a", "bc")),
    ],
    slips=[
        (
            _encode_1,
            "one walk from left to right is not enough: a merge may make a pair with a symbol "
            "that you have already passed.",
        ),
        (
            _encode_2,
            "this takes the longest token, whenever it was learned. Ranks take the merge learned "
            "first, even if its token is short.",
        ),
        (_encode_3, "rank 0 counts as false, so the first merge is not made: ask 'pair in ranks'."),
        (
            _encode_in_passes,
            "this merges every known pair as it meets it, from the left. The lowest rank of the "
            "whole word comes first.",
        ),
        (_encode_last_first, "that merges the highest rank first; early merges have low ranks."),
        (_encode_once_each, "a merge makes new pairs, and they may have ranks: look again."),
        (
            _encode_whole_if_known,
            "this keeps a word whole if it is a token. But merges of lower rank may split it "
            "differently: (b, c) takes the b before (a, b) can.",
        ),
    ],
    draw=_random_word,
    hints=[
        "which of all pairs with a rank is merged first? After that, look at the whole word again.",
        "min of a list of (rank, position) is the lowest rank, at its leftmost place.",
    ],
)


def solve_ranks_of(merges):
    return {pair: rank for rank, pair in enumerate(merges)}


def _ranks_from_one(merges):
    return {pair: rank for rank, pair in enumerate(merges, 1)}


def _ranks_backwards(merges):
    return {pair: rank for rank, pair in enumerate(reversed(merges))}


def _ranks_without_header(merges):
    return {pair: rank for rank, pair in enumerate(merges[1:])}


ranks_of = Function(
    "write ranks_of(merges): a dictionary {pair: rank}, where the rank is the place of the pair "
    "in the list.",
    solve_ranks_of,
    cases=[
        (([("r", "o"), ("o", "t")],), {("r", "o"): 0, ("o", "t"): 1}),
        (([("t", "h"), ("a", "th"), ("b", "c")],), {("t", "h"): 0, ("a", "th"): 1, ("b", "c"): 2}),
        (([],), {}),
    ],
    slips=[
        (_ranks_1, "sorted gives alphabetical order; a rank says when the merge was learned."),
        (
            _ranks_from_one,
            "the order is right, but the first rank is 0. Words are split as before, but every id "
            "made from a rank is off by one.",
        ),
        (_ranks_backwards, "the merge that was learned first has the lowest rank."),
        (
            _ranks_without_header,
            "the first merge is left out. A file may begin with a line '#version'; this list has "
            "no such line.",
        ),
    ],
    hints=["enumerate(merges) counts from 0 in the order of the list."],
)


# Bytes.


def _first_ids_1(text):
    return [ord(character) for character in text]


def solve_first_ids(text):
    return list(text.encode("utf-8"))


def _first_ids_in_a_byte(text):
    return [ord(character) % 256 for character in text]


def _first_ids_known(text):
    return [ord(character) for character in text if ord(character) < 256]


def _first_ids_of_utf16(text):
    return list(text.encode("utf-16-le"))


first_ids_1 = Hunt(
    "find a text for which first_ids_1 does not give its bytes.",
    _first_ids_1,
    _checked(solve_first_ids, _need_text),
    ("é",),
    hints=["ord gives the code point of a character. For which characters is that the only byte?"],
)

first_ids = Function(
    "write first_ids(text): the bytes of the text in UTF-8, as a list of numbers from 0 to 255.",
    solve_first_ids,
    cases=[
        (("low",), [108, 111, 119]),
        (("é",), [195, 169]),
        (("Ā",), [196, 128]),
        (("\t",), [9]),
        (("ह",), [224, 164, 185]),
        (("",), []),
    ],
    slips=[
        (_first_ids_1, "those are code points; é has the number 233 and the bytes 195 and 169."),
        (
            _first_ids_in_a_byte,
            "the numbers fit into bytes now. But é is still not 195 169, and Ā and the byte 0 "
            "have become the same.",
        ),
        (_first_ids_known, "characters with a number above 255 are dropped, and nobody is told."),
        (_first_ids_of_utf16, "those are the bytes of UTF-16; low has no zeros in UTF-8."),
    ],
    draw=lambda chance: ("".join(chance.choices("loéĀह😀\t", k=chance.randint(0, 6))),),
    hints=["a text knows how to turn itself into bytes: text.encode(…).", "what is list(b'low')?"],
)

FRENCH = "un café, un thé, une idée d'été"
FRENCH_TOKENIZER = Tokenizer.train(FRENCH, scheme="gpt2", num_merges=3)


def _decode_1(ids, vocab):
    parts = [vocab[i].decode("utf-8", errors="replace") for i in ids]
    return "".join(parts)


def _decode_as_latin(ids, vocab):
    return b"".join(vocab[i] for i in ids).decode("latin-1")


def _there_and_back(text):
    return solve_decode(FRENCH_TOKENIZER.encode(text), FRENCH_TOKENIZER.vocab)


def _encode_and_decode_1(text):
    return _decode_1(FRENCH_TOKENIZER.encode(text), FRENCH_TOKENIZER.vocab)


decode_1 = Hunt(
    "find a text that decode_1 does not give back after tok.encode.",
    _encode_and_decode_1,
    _checked(_there_and_back, _need_text),
    ("è",),
    call="decode_1, after tok.encode({}),",
    hints=[
        "why is é given back? print(tok.encode('é')).",
        "which characters has this tokenizer never seen?",
    ],
)

SMALL_VOCAB = {0: b"caf", 1: b"\xc3", 2: b"\xa9", 3: b"\xc3\xa9", 4: b" \xf0\x9f", 5: b"\x98\x80"}

decode = Function(
    "write decode(ids, vocab): the text of these ids; vocab gives the bytes of each. Bytes that "
    "are not a character become �.",
    solve_decode,
    cases=[
        (([0, 3], SMALL_VOCAB), "café"),
        (([0, 1, 2], SMALL_VOCAB), "café"),
        (([4, 5], SMALL_VOCAB), " 😀"),
        (([1], SMALL_VOCAB), "�"),
        (([], SMALL_VOCAB), ""),
    ],
    slips=[
        (
            _decode_1,
            "this decodes each token by itself, but a token may hold half a character: join the "
            "bytes first.",
        ),
        (_decode_dropping, "bytes that are not a character are left out; they should become �."),
        (_decode_strictly, "a stray byte should become �: use errors='replace'."),
        (_decode_as_latin, "latin-1 takes each byte for a character; the bytes are UTF-8."),
    ],
    draw=lambda chance: (chance.choices(range(6), k=chance.randint(0, 5)), SMALL_VOCAB),
    hints=["b''.join(…) joins bytes. Do it before anything is decoded."],
)


# Cut.

TRAINING_TEXT = "the low tower, the slow tower"
PATTERN = r" ?\w+| ?[^\w\s]+|\s+"


def _learn_text_ranks() -> dict:
    words = Counter(re.findall(PATTERN, TRAINING_TEXT))
    merges = learn_merges_naive({tuple(word): count for word, count in words.items()}, 7)
    return {merge.pair: rank for rank, merge in enumerate(merges)}


TEXT_RANKS = _learn_text_ranks()


def _encode_words(words) -> list:
    tokens = []
    for word in words:
        tokens.extend(encode_by_rank(tuple(word), TEXT_RANKS))
    return tokens


def _encode_text_1(text):
    tokens = []
    for word in re.findall(r"\w+|[^\w\s]+|\s+", text):
        tokens.extend(encode_by_rank(tuple(word), TEXT_RANKS))
    return tokens


def solve_encode_text(text):
    tokens = []
    for word in re.findall(PATTERN, text):
        tokens.extend(encode_by_rank(tuple(word), TEXT_RANKS))
    return tokens


def _encode_text_uncut(text):
    return _encode_words([text])


def _encode_text_at_spaces(text):
    return _encode_words(text.split())


def _encode_text_with_one_more_space(text):
    return _encode_words(" " + word for word in text.split())


encode_text_1 = Hunt(
    "find a text that encode_text_1 splits differently from the pattern of training.",
    _encode_text_1,
    _checked(solve_encode_text, _need_text),
    (" t",),
    hints=[
        "compare the two patterns, character by character.",
        "to which word does a space belong in training, and to which here?",
    ],
)

encode_text = Function(
    "write encode_text(text): a list of the tokens of a text, with words split as in training.",
    solve_encode_text,
    cases=[
        ((" t",), [" t"]),
        (
            (TRAINING_TEXT,),
            ["t", "he", " ", "low", " tower", ",", " t", "he", " ", "s", "low", " tower"],
        ),
        (("tower  the",), ["t", "ow", "e", "r", " ", " ", "t", "he"]),
        (("",), []),
    ],
    slips=[
        (
            _encode_text_1,
            "the space is a word of its own here. In training it belonged to the next word, so "
            "tokens such as ' tower' are never made.",
        ),
        (
            _encode_text_uncut,
            "if the text is not split into words, a merge may take symbols from two of them: of "
            "two spaces, the second would join the t.",
        ),
        (_encode_text_at_spaces, "split drops white space: the tokens don't give the text back."),
        (
            _encode_text_with_one_more_space,
            "the first word of a text has no space before it, and two spaces are not one.",
        ),
    ],
    draw=lambda chance: (
        "".join(chance.choices(["the", "low", " ", " ", "tower", ","], k=chance.randint(0, 7))),
    ),
    hints=["re.findall(pattern, text) splits it; encode(word, ranks) does the rest."],
)


def _cut_lines_1(text):
    lines = text.expandtabs(4).splitlines()
    return [line + "\n" for line in lines]


def solve_cut_lines(text):
    lines = text.split("\n")[:-1]  # after the last \n there is no line
    return [line + "\n" for line in lines]


def _cut_lines_without_tabs(text):
    return solve_cut_lines(text.expandtabs(4))


def _cut_lines_of_every_kind(text):
    return [line + "\n" for line in text.splitlines()]


def _cut_lines_keeping(text):
    return text.splitlines(keepends=True)


def _cut_lines_and_one_more(text):
    return [line + "\n" for line in text.split("\n")]


cut_lines_1 = Hunt(
    r"find a text, ending with \n, that cut_lines_1 does not give back.",
    _cut_lines_1,
    _checked(solve_cut_lines, _need_lines),
    ("\r\n",),
    hints=[
        "what does splitlines take for the end of a line? Which character never comes out again?",
        r"how does a file from Windows end its lines? And what does expandtabs do to \t?",
    ],
)

cut_lines = Function(
    r"write cut_lines(text): a list of the lines, each with its \n. Joined together, they give "
    r"the text back. Only \n ends a line; the text ends with one, or is empty.",
    solve_cut_lines,
    cases=[
        (("low\nlower\n",), ["low\n", "lower\n"]),
        (("low\r\n",), ["low\r\n"]),
        (("\tlow\n",), ["\tlow\n"]),
        (("a\x0cb\n",), ["a\x0cb\n"]),
        (("\n\n",), ["\n", "\n"]),
        (("",), []),
    ],
    slips=[
        (_cut_lines_1, "two things are lost: tabs, and every \\r before a \\n."),
        (_cut_lines_without_tabs, "tabs become spaces, but a Python program may need its tabs."),
        (
            _cut_lines_of_every_kind,
            r"splitlines removes \r\n, form feeds and others, and each of them becomes \n.",
        ),
        (
            _cut_lines_keeping,
            "nothing is lost, but splitlines also ends a line at \\r, at a form feed, and at some "
            "others.",
        ),
        (_cut_lines_and_one_more, r"after the last \n there is no line; this makes one."),
    ],
    draw=lambda chance: ("".join(chance.choices("ab\t\r\n", k=chance.randint(0, 6))) + "\n",),
    hints=[
        r"text.split('\n') splits at \n and at nothing else. What is its last piece?",
        "give each line its \\n back: line + '\\n'.",
    ],
)


# Do tests on ordinary texts find them?

seen_in_english = Value(
    "each program gets the 224 lines of the story, which is plain English. How many of the twelve "
    "are right on at least 19 of every 20 lines?",
    "half",
    [
        ("none", "some faults need a backslash, a tab or an accent, and the story has none."),
        ("few", "think of the smallest inputs again: how many of them could occur in a story?"),
        ("most", "splitting a word goes wrong on common words too: no rare character is needed."),
    ],
    choices={
        "none": "not one of them",
        "few": "one or two",
        "half": "about half of them",
        "most": "ten or more",
    },
    because="six are, and the other six are wrong on most lines.",
    hints=["for each program: could its smallest input occur in a story?"],
)


def count_mistakes(texts: Iterable[str], training: str) -> dict[str, int]:
    """Return, for each of the twelve programs, the number of texts on which it makes a mistake.

    If a program needs merges or a tokenizer, these are learned from ``training``. A program that
    learns is given each text, and ten merges to learn.

    >>> mistakes = count_mistakes(["low", "é"], "low lower")
    >>> mistakes["first_ids_1"], mistakes["encode_1"]
    (1, 0)
    """
    programs = _programs(training)
    mistakes = dict.fromkeys(programs, 0)
    for text in texts:
        for name, (faulty, right) in programs.items():
            mistakes[name] += _outcome(faulty, text) != _outcome(right, text)
    return mistakes


def _outcome(program: Callable, text: str):
    try:
        return program(text)
    except Exception as error:  # a faulty program may raise anything
        return type(error)


def _programs(training: str) -> dict[str, tuple[Callable, Callable]]:
    """Return {name: (faulty program, right program)}; both take a text."""
    words = Counter(re.findall(PATTERN, training))
    merges = [
        merge.pair
        for merge in learn_merges({tuple(word): n for word, n in words.items()}, NUM_MERGES)
    ]
    ranks = solve_ranks_of(merges)
    tok = Tokenizer.train(training, scheme="gpt2", num_merges=NUM_MERGES)

    def each_word(encode, ranks=ranks, pattern=PATTERN):
        return lambda text: [encode(word, ranks) for word in re.findall(pattern, text)]

    def joined(pattern):
        return lambda text: sum(each_word(solve_encode, pattern=pattern)(text), ())

    def ten_merges(merge):
        return lambda text: _learn_words(merge, text, 10)

    right = each_word(solve_encode)
    return {
        "best_pair_1": (_best_pair_1, solve_best_pair),
        "merge_1": (ten_merges(_merge_1), ten_merges(merge_pair)),
        "merge_2": (ten_merges(_merge_2), ten_merges(merge_pair)),
        "learn_1": (lambda text: _learn_1(text, 10), lambda text: solve_learn(text, 10)),
        "encode_1": (each_word(_encode_1), right),
        "encode_2": (each_word(_encode_2), right),
        "encode_3": (each_word(_encode_3), right),
        "ranks_1": (each_word(solve_encode, _ranks_1(merges)), right),
        "first_ids_1": (_first_ids_1, solve_first_ids),
        "decode_1": (
            lambda text: _decode_1(tok.encode(text), tok.vocab),
            lambda text: solve_decode(tok.encode(text), tok.vocab),
        ),
        "encode_text_1": (joined(r"\w+|[^\w\s]+|\s+"), joined(PATTERN)),
        "cut_lines_1": (
            lambda text: _cut_lines_1(text + "\n"),
            lambda text: solve_cut_lines(text + "\n"),
        ),
    }


def _learn_words(merge, text, num_merges):
    """Return merges learned from the words of a text, each with _ at its end."""
    words = [(*word, "_") for word in text.split()]
    merges = []
    while len(merges) < num_merges:
        counts = Counter()
        for word in words:
            counts.update(pairwise(word))
        if not counts:
            break
        merges.append(max(counts, key=counts.get))
        words = [merge(word, merges[-1]) for word in words]
    return merges


def _learn_2(text, num_merges):
    words = [" ".join(word + "_") for word in text.split()]
    merges = []
    while len(merges) < num_merges:
        counts = Counter()
        for word in words:
            counts.update(pairwise(word.split()))
        if not counts:
            break
        pair = max(counts, key=counts.get)
        merges.append(pair)
        old, new = " ".join(pair), "".join(pair)
        words = [word.replace(old, new) for word in words]
    return merges


def _learn_from_words(text, num_merges):
    return _learn_words(merge_pair, text, num_merges)


learn_2 = Hunt(
    "find a text and a number of merges for which learn_2 learns the wrong merges: "
    "check(text, num_merges). A text may have several words.",
    _learn_2,
    _checked(_learn_from_words, _need_number),
    ("a baba", 3),
    hints=[
        "you know a word and a pair that go wrong. Which text gives such a word, and then merges "
        "such a pair?",
        "use two words: one makes a pair frequent, the other has it across the border of a symbol.",
        "two different letters are enough, and five letters in all.",
    ],
)
