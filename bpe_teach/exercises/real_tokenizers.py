"""Exercises of notebook 08: GPT-2's files, prices, ranks without merges, code, digits."""

import random

from bpe_teach.exercises.exercise import Function, Hunt, Value
from bpe_teach.exercises.record import record as record
from bpe_teach.fast.learn import learn_merges

# GPT-2's files.


def solve_read_merge(line, byte_of):
    left, right = line.split(" ")
    return (
        bytes(byte_of[character] for character in left),
        bytes(byte_of[character] for character in right),
    )


def _read_as_utf8(line, byte_of):
    left, right = line.split(" ")
    return left.encode(), right.encode()


def _read_with_spaces_only(line, byte_of):
    left, right = line.replace(" ", "\n").replace("Ġ", " ").split("\n")
    return left.encode(), right.encode()


def _read_as_text(line, byte_of):
    left, right = line.split(" ")
    return (
        "".join(chr(byte_of[character]) for character in left),
        "".join(chr(byte_of[character]) for character in right),
    )


def _read_as_lists(line, byte_of):
    left, right = line.split(" ")
    return [byte_of[character] for character in left], [byte_of[character] for character in right]


def _read_as_one(line, byte_of):
    return bytes(byte_of[character] for character in line.replace(" ", ""))


BYTE_OF = {"Ġ": 32, "Ã": 195, "©": 169, "t": 116, "h": 104, "e": 101}  # a part of the alphabet


def _random_line(chance: random.Random) -> tuple:
    left, right = ["".join(chance.choices(list(BYTE_OF), k=chance.randint(1, 4))) for _ in "ab"]
    return f"{left} {right}", BYTE_OF


read_merge = Function(
    "write read_merge(line, byte_of): the two tokens of a line, each as bytes. byte_of says for "
    "each character of the printable alphabet which byte it stands for.",
    solve_read_merge,
    cases=[
        (("h e", BYTE_OF), (b"h", b"e")),
        (("Ġ t", BYTE_OF), (b" ", b"t")),
        (("Ġt he", BYTE_OF), (b" t", b"he")),
        (("Ã ©", BYTE_OF), (b"\xc3", b"\xa9")),
    ],
    slips=[
        (_read_as_utf8, "that is the UTF-8 of each character; here each stands for one byte."),
        (
            _read_with_spaces_only,
            "the space is not the only byte that is written differently: Ã and © stand for bytes "
            "of their own too.",
        ),
        (_read_as_text, "a token is bytes and need not be text: it may end inside a character."),
        (_read_as_lists, "those are the numbers; bytes(numbers) makes a token of them."),
        (_read_as_one, "a merge is two tokens, with the space of the line between them."),
    ],
    draw=_random_line,
    hints=[
        "line.split(' ') gives the two tokens as they are written.",
        "byte_of[character] is a number; bytes([32, 116]) is b' t'.",
    ],
)

merges_of_gpt2 = Value(
    "GPT-2 has 50,257 tokens. How many of them were made by merges?",
    50_000,
    [
        (50_257, "some tokens are there before the first merge, and one is added without a merge."),
        (50_256, "that leaves out the special token, but no merge makes the alphabet either."),
        (50_001, "that leaves out the 256 bytes, but no merge makes the special token either."),
    ],
    because="256 bytes + 50,000 merges + 1 special token.",
    hints=["it has the alphabet of our byte schemes, and it has one special token."],
)

longest_token = Value(
    "what is the longest token of GPT-2?",
    "mojibake",
    [
        ("word", "the longest words have less than half the bytes of the longest rows."),
        ("row", "close: rows of punctuation reach 66 bytes."),
        ("label", "names from programs and web pages reach 32 letters."),
    ],
    because="it has 128 bytes.",
    choices={
        "word": "a long English word",
        "row": "a row of punctuation, such as ------",
        "label": "a name from a program or a web page",
        "mojibake": "a text that was decoded wrongly, again and again",
    },
    hints=["counting finds what is frequent; it never asks what it is for."],
)

tokens_of_strawberry = Value(
    "in the middle of a sentence, how many tokens does GPT-2 make of the word strawberry?",
    1,
    [
        (10, "those are the letters, which the model never sees."),
        (2, "a grammar would split it into straw and berry."),
        (3, "that is the word without a space before it."),
    ],
    because="with the space before it, it is token 41236.",
    hints=["it is a frequent word, and in a sentence a space belongs to it."],
)

# Ranks without merges.


def solve_encode_by_token(word, ranks):
    word = list(word)
    while True:
        best = None  # the place of the neighbours whose merged token has the lowest rank
        for i in range(len(word) - 1):
            token = word[i] + word[i + 1]
            if token in ranks and (
                best is None or ranks[token] < ranks[word[best] + word[best + 1]]
            ):
                best = i
        if best is None:
            return tuple(word)
        word[best : best + 2] = [word[best] + word[best + 1]]


def _encode_choosing(word, ranks, choose):
    """Encode as above, but merge at the place that ``choose(places, word, ranks)`` returns."""
    word = list(word)
    while True:
        places = [i for i in range(len(word) - 1) if word[i] + word[i + 1] in ranks]
        if not places:
            return tuple(word)
        i = choose(places, word, ranks)
        word[i : i + 2] = [word[i] + word[i + 1]]


def _encode_leftmost(word, ranks):
    return _encode_choosing(word, ranks, lambda places, word, ranks: places[0])


def _encode_longest(word, ranks):
    def choose(places, word, ranks):
        lowest_first = sorted(places, key=lambda i: ranks[word[i] + word[i + 1]])
        return max(lowest_first, key=lambda i: len(word[i] + word[i + 1]))

    return _encode_choosing(word, ranks, choose)


def _encode_last_of_equals(word, ranks):
    return _encode_choosing(
        word,
        ranks,
        lambda places, word, ranks: min(places[::-1], key=lambda i: ranks[word[i] + word[i + 1]]),
    )


def _encode_once(word, ranks):
    places = [i for i in range(len(word) - 1) if word[i] + word[i + 1] in ranks]
    if not places:
        return tuple(word)
    i = min(places, key=lambda i: ranks[word[i] + word[i + 1]])
    return (*word[:i], word[i] + word[i + 1], *word[i + 2 :])


def _encode_by_pair(word, ranks):
    pairs = [pair for pair in zip(word, word[1:], strict=False) if pair in ranks]
    return tuple(word) if not pairs else ()


def _random_ranks(chance: random.Random) -> tuple:
    tokens = ["a", "b", "c"]
    for _ in range(chance.randint(1, 5)):
        token = "".join(chance.choices(tokens, k=2))
        if token not in tokens:
            tokens.append(token)
    word = tuple(chance.choices("abc", k=chance.randint(0, 8)))
    return word, {token: rank for rank, token in enumerate(tokens)}


encode_by_token = Function(
    "write encode_by_token(word, ranks): like encode in notebook 03, but ranks holds merged "
    "tokens, {token: rank}, not pairs. The answer is a tuple.",
    solve_encode_by_token,
    cases=[
        ((tuple("low"), {"ow": 3, "lo": 4, "low": 5}), ("low",)),
        ((tuple("abc"), {"bc": 3, "ab": 4}), ("a", "bc")),
        ((tuple("abcd"), {"bc": 3, "ab": 4, "cd": 5, "abc": 6, "bcd": 7}), ("abc", "d")),
        ((tuple("abcd"), {"ab": 4, "cd": 5, "abc": 6}), ("ab", "cd")),
        ((tuple("bcde"), {"bc": 3, "de": 4, "bcd": 5}), ("bc", "de")),
        ((tuple("aaa"), {"aa": 1}), ("aa", "a")),
        ((tuple("abab"), {"ab": 2}), ("ab", "ab")),
        (((), {}), ()),
    ],
    slips=[
        (_encode_leftmost, "the lowest rank comes first, wherever in the word it is."),
        (_encode_longest, "the lowest rank comes first, not the longest token."),
        (_encode_last_of_equals, "among equal ranks the leftmost comes first: aaa becomes aa a."),
        (_encode_once, "after a merge, look again, until no two neighbours make a token."),
        (_encode_by_pair, "ranks holds no pairs: look up left + right, the token they would make."),
    ],
    draw=_random_ranks,
    hints=[
        "word[i] + word[i + 1] is the token that two neighbours would make.",
        "find the place with the lowest rank, merge there, and begin again; stop when there is no "
        "such place.",
        "ranks.get(token, none), where none is a number above all ranks, saves you an if.",
    ],
)


def _symbols(token):
    return tuple(token[i : i + 1] for i in range(len(token)))


def solve_merges_from_ranks(ranks):
    merges = []
    known = {}  # the tokens of lower rank
    for token in sorted(ranks, key=ranks.get):
        if len(token) > 1:
            symbols = tuple(token[i : i + 1] for i in range(len(token)))
            merges.append(solve_encode_by_token(symbols, known))
        known[token] = ranks[token]
    return merges


def _lower(ranks, token):
    return {other: rank for other, rank in ranks.items() if rank < ranks[token]}


def _merged(ranks):
    return [token for token in sorted(ranks, key=ranks.get) if len(token) > 1]


def _merges_by_first_cut(ranks):
    merges = []
    for token in _merged(ranks):
        lower = _lower(ranks, token)
        cuts = [(token[:i], token[i:]) for i in range(1, len(token))]
        merges += [cut for cut in cuts if cut[0] in lower and cut[1] in lower][:1]
    return merges


def _merges_by_last_cut(ranks):
    merges = []
    for token in _merged(ranks):
        lower = _lower(ranks, token)
        cuts = [(token[:i], token[i:]) for i in range(1, len(token))]
        merges += [cut for cut in cuts if cut[0] in lower and cut[1] in lower][-1:]
    return merges


def _merges_with_themselves(ranks):
    return [solve_encode_by_token(_symbols(token), ranks) for token in _merged(ranks)]


def _merges_unsorted(ranks):
    tokens = [token for token in ranks if len(token) > 1]
    return [solve_encode_by_token(_symbols(token), _lower(ranks, token)) for token in tokens]


def _merges_of_the_alphabet(ranks):
    tokens = sorted(ranks, key=ranks.get)
    return [solve_encode_by_token(_symbols(token), _lower(ranks, token)) for token in tokens]


def _merges_of_numbers(ranks):
    merges = []
    for token in _merged(ranks):
        merges.append(solve_encode_by_token(tuple(token), _lower(ranks, token)))
    return merges


def _random_trained_ranks(chance: random.Random) -> tuple:
    """Return the ranks of learned merges, in a dictionary that is not in their order."""
    text = "".join(chance.choices("abc", k=chance.randint(6, 30)))
    tokens = ["a", "b", "c"]
    for merge in learn_merges({tuple(text): 1}, 6):
        tokens.append(merge.token)
    rows = list(enumerate(tokens))
    chance.shuffle(rows)
    return ({token: rank for rank, token in rows},)


merges_from_ranks = Function(
    "write merges_from_ranks(ranks): for each token that is longer than one symbol, the two "
    "tokens that were merged into it. Return a list of (left, right), lowest rank first. ranks is "
    "{token: rank}.",
    solve_merges_from_ranks,
    cases=[
        (({"a": 0, "b": 1, "c": 2, "ab": 3, "abc": 4},), [("a", "b"), ("ab", "c")]),
        (
            ({"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, "abc": 5},),
            [("a", "b"), ("b", "c"), ("ab", "c")],
        ),
        (
            ({"abc": 5, "ab": 4, "bc": 3, "c": 2, "b": 1, "a": 0},),
            [("b", "c"), ("a", "b"), ("a", "bc")],
        ),
        (({b"l": 0, b"o": 1, b"w": 2, b"ow": 3, b"low": 4},), [(b"o", b"w"), (b"l", b"ow")]),
        (({"a": 0},), []),
    ],
    slips=[
        (
            _merges_by_first_cut,
            "two parts that are tokens need not be the two that were merged: encode the token, "
            "and see what is left.",
        ),
        (
            _merges_by_last_cut,
            "the longest token at its beginning need not be the left part of the merge: encode "
            "the token, and see what is left.",
        ),
        (
            _merges_with_themselves,
            "encoded with its own rank, a token stays whole: use only the tokens of lower rank.",
        ),
        (_merges_unsorted, "put the merges in the order of their ranks, not of the dictionary."),
        (_merges_of_numbers, "a loop over bytes gives numbers: a symbol is token[i : i + 1]."),
        (_merges_of_the_alphabet, "a single symbol is not made by a merge: leave it out."),
    ],
    draw=_random_trained_ranks,
    hints=[
        "encode the token with the tokens of lower rank only. What is left are its two parts.",
        "go through the tokens in the order of their ranks, sorted(ranks, key=ranks.get), and put "
        "each into a dictionary of the known tokens when you have passed it.",
        "token[i : i + 1] is a symbol, whether token is a str or bytes.",
    ],
)

ODD_MERGES = [("b", "c"), ("a", "b"), ("ab", "c")]  # no training makes this list


def _encode_by_look_up(text):
    ranks = {pair: rank for rank, pair in enumerate(ODD_MERGES)}
    word = list(text)
    while True:
        places = [i for i in range(len(word) - 1) if (word[i], word[i + 1]) in ranks]
        if not places:
            return tuple(word)
        i = min(places, key=lambda i: ranks[word[i], word[i + 1]])
        word[i : i + 2] = [word[i] + word[i + 1]]


def _encode_by_token_look_up(text):
    ranks = {left + right: rank for rank, (left, right) in enumerate(ODD_MERGES)}
    return solve_encode_by_token(tuple(text), ranks)


odd_merges = Hunt(
    "for which text do the merges (b, c), (a, b), (ab, c) give other tokens when you look up "
    "tokens instead of pairs?",
    _encode_by_token_look_up,
    _encode_by_look_up,
    ("abc",),
    call="looked up as tokens, {}",
    hints=["the last merge makes abc of ab and c. What does encoding make of a b c before that?"],
)

whole_words_first = Value(
    "a vocabulary has the bytes and the tokens lo, we and lowest. A word that is a token stays "
    "whole; only other words are merged. How many tokens does lowests become?",
    5,
    [
        (2, "the word is lowests, which is not a token, and no merge makes lowest."),
        (1, "lowests itself is not a token."),
        (7, "those are its letters; two merges apply."),
        (4, "lo, we, s, t, and one more."),
    ],
    because="lo, we, s, t, s: the token lowest is out of reach inside a longer word.",
    hints=["the whole word is looked up once. After that there is only merging, pair by pair."],
)

# Code.

why_fewer = Value(
    "why might our tokenizer need fewer tokens for the rest of the program than GPT-2's? What "
    "would you change first, to find out?",
    "layout",
    [
        ("more", "with more merges ours would need even fewer tokens, but you wouldn't know why."),
        ("story", "we don't measure prose here."),
        ("believe", "it is one file, cut at one place, and ours has read one half: look again."),
    ],
    because="it is the one difference that we have seen so far: GPT-2 has no token for two spaces.",
    choices={
        "believe": "nothing: a number is a number",
        "more": "train with more merges",
        "layout": "take away the indentation, and nothing else",
        "story": "compare the two on the story",
    },
    hints=["what did GPT-2 spend more than a quarter of its tokens on?"],
)

# Digits.


def solve_group_digits(digits):
    first = len(digits) % 3 or 3
    groups = [digits[:first]] if digits else []
    for i in range(first, len(digits), 3):
        groups.append(digits[i : i + 3])
    return groups


def _group_from_the_left(digits):
    return [digits[i : i + 3] for i in range(0, len(digits), 3)]


def _group_backwards(digits):
    return solve_group_digits(digits)[::-1]


def _group_mirrored(digits):
    return _group_from_the_left(digits[::-1])


def _group_with_zeros(digits):
    width = -(-len(digits) // 3) * 3
    return _group_from_the_left(digits.zfill(width))


def _group_with_an_empty_one(digits):
    first = len(digits) % 3
    return [digits[:first], *_group_from_the_left(digits[first:])]


group_digits = Function(
    "write group_digits(digits): the digits of a number in groups of three, counted from the "
    "right, as in 1,259,712. The answer is a list of strings.",
    solve_group_digits,
    cases=[
        (("1259712",), ["1", "259", "712"]),
        (("12",), ["12"]),
        (("123",), ["123"]),
        (("1004",), ["1", "004"]),
        (("",), []),
    ],
    slips=[
        (_group_from_the_left, "that counts from the left, as cl100k does: 1259712 begins 125."),
        (_group_backwards, "the groups are right, but in reverse order."),
        (_group_mirrored, "the digits themselves are now read from right to left."),
        (_group_with_zeros, "the text has no zeros at the front; decoding would show them."),
        (_group_with_an_empty_one, "an empty group is not a token."),
    ],
    draw=lambda chance: ("".join(chance.choices("0123456789", k=chance.randint(1, 10))),),
    hints=[
        "how long is the first group? It takes what the others leave over: len(digits) % 3.",
        "if that is 0, the first group has three digits like the others.",
    ],
)
