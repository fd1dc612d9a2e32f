"""Exercises of notebook 04: bytes, split patterns, decoding, special tokens."""

import random
from itertools import product

import regex

from bpe_teach.exercises.exercise import Function, Hunt, Value
from bpe_teach.exercises.program import Part, program
from bpe_teach.exercises.record import record as record

# Characters and bytes.

bytes_of_hindi = Value(
    "how many bytes does UTF-8 take for दोस्त?",
    15,
    [
        (5, "that is the number of code points; each of them takes more than one byte."),
        (
            4,
            "four bytes are the most that one code point takes. The word has several, each of "
            "more than one byte.",
        ),
        (3, "that is how many characters you see; count the bytes."),
        (
            9,
            "that is three bytes for each letter. The vowel sign, and the sign that joins two "
            "letters, count too.",
        ),
        (12, "that is three bytes each, but one sign of the word is not counted yet."),
        (10, "two bytes each would be right for Greek or Russian. Look above: ह takes more."),
        (20, "four bytes are for code points from 65,536 on, such as those of emoji."),
    ],
    because="five code points (three letters and two signs) of three bytes each.",
    hints=[
        "len(text) counts code points, not what you see on the screen.",
        "ह, a letter of the same script, is among the four characters above.",
    ],
)


def solve_utf8_length(code_point):
    if code_point <= 127:
        return 1
    if code_point <= 2047:
        return 2
    if code_point <= 65535:
        return 3
    return 4


def _length_with_limits(*limits):
    """Make a function with other limits: the last number with one byte, with two, with three."""
    return lambda code_point: 1 + sum(code_point > limit for limit in limits)


def _random_code_point(chance: random.Random) -> tuple:
    ranges = [(0, 127), (128, 2047), (2048, 0xD7FF), (0xE000, 65535), (65536, 0x10FFFF)]
    return (chance.randint(*chance.choice(ranges)),)


utf8_length = Function(
    "write utf8_length(code_point): how many bytes does UTF-8 use for this number: 1, 2, 3 or 4?",
    solve_utf8_length,
    cases=[
        ((0,), 1),
        ((127,), 1),
        ((128,), 2),
        ((233,), 2),
        ((2047,), 2),
        ((2048,), 3),
        ((65535,), 3),
        ((65536,), 4),
        ((0x10FFFF,), 4),
    ],
    slips=[
        (
            _length_with_limits(255, 65535, 16777215),
            "a byte has room for numbers up to 255, but UTF-8 needs some of its bits to say where "
            "a character begins: one byte ends at 127.",
        ),
        (
            _length_with_limits(126, 2046, 65534),
            "127 still takes one byte: each limit belongs to the shorter length.",
        ),
        (
            _length_with_limits(128, 2048, 65536),
            "the next length begins right after the limit: at 128, 2,048 and 65,536.",
        ),
        (_length_with_limits(127, 2047), "numbers above 65,535 take a fourth byte."),
        (
            lambda code_point: 3 if code_point <= 65535 else 4,
            "a number up to 127 is also up to 65,535: test the smallest limit first, and use elif "
            "for the others.",
        ),
        (
            lambda code_point: 1 if code_point <= 127 else 2,
            "a number above 65,535 is also above 127: with >, test the largest limit first.",
        ),
        (
            lambda code_point: len(chr(code_point)),
            "that counts characters, and a code point is always one character.",
        ),
    ],
    draw=_random_code_point,
    hints=[
        "the table gives the last number for each length: 127, 2,047, 65,535.",
        "make three comparisons with <=, from the smallest limit to the largest.",
    ],
)


# BPE on bytes.

id_233 = Value(
    "what is the text of the token with id 233?",
    "�",
    [
        (
            "é",
            "233 is the code point of é. But an id below 256 is a byte, and é is written with two "
            "other bytes, 195 and 169.",
        ),
        ("error", "there is such an id: it is the byte E9. But that byte alone is not a text."),
    ],
    choices={
        "é": "the letter é, whose code point is 233",
        "�": "no text: a byte that is not a whole character",
        "error": "there is no such id",
    },
    because="the byte E9 begins a character, but the rest of the character never comes.",
    hints=["in the boxes above, which ids does the é of café have?"],
)

# A split pattern, branch by branch.

CONTRACTIONS = r"'(?:[sdmt]|ll|ve|re)"
LETTERS = r" ?\p{L}+"
DIGITS = r" ?\p{N}+"
PUNCTUATION = r" ?[^\s\p{L}\p{N}]+"
BEFORE_A_WORD = r"\s+(?!\S)"
SPACE = r"\s+"


def _cut_with(*branches):
    """Make a function that splits a text with these branches."""
    return lambda text: regex.findall("|".join(branches), text)


run_of_spaces = Value(
    r"which words does the pattern ' ?\p{L}+|\s+' find in 'two   four'? (Three spaces.)",
    ["two", "   ", "four"],
    [
        (
            ["two", "  ", " four"],
            r"that is what we want. But \s+ begins at the first space and takes all the spaces it "
            "can get.",
        ),
        (["two", " ", " ", " four"], r"\s+ takes the whole run, not one space at a time."),
        (["two", " four"], "nothing may be lost: two of the spaces are missing."),
        (["two", "   four"], "' ?' takes one space at most."),
    ],
    because=r"at the first space the letters' branch does not fit, so \s+ takes the whole run.",
    hints=[
        "the pattern is tried at the first space. Does a letter follow that space?",
        "+ takes as many characters as fit.",
    ],
)


def solve_split_text(text):
    branches = [
        r"'(?:[sdmt]|ll|ve|re)",
        r" ?\p{L}+",
        r" ?\p{N}+",
        r" ?[^\s\p{L}\p{N}]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
    return regex.findall("|".join(branches), text)


def _random_text(chance: random.Random) -> tuple:
    pieces = ["a", "é", "B", "7", "½", " ", "  ", "\n", "\t", "'ll", "'S", "'s", ",", "'", "_"]
    return ("".join(chance.choices(pieces, k=chance.randint(0, 8))),)


VISIBLE = (LETTERS, DIGITS, PUNCTUATION)
WHITE = (BEFORE_A_WORD, SPACE)

split_text = Part(
    "write split_text(text): a list of words. A word is a contraction ('s 'd 'm 't 'll 've 're), "
    "a run of letters, digits or punctuation, with the space before it if there is one, or white "
    "space. Joined together, the words give the text back.",
    solve_split_text,
    cases=[
        (("She'll pay",), ["She", "'ll", " pay"]),
        (("two   four",), ["two", "  ", " four"]),
        (("if a:\n    b",), ["if", " a", ":", "\n   ", " b"]),
        (("a\nb ",), ["a", "\n", "b", " "]),
        (("WE'LL",), ["WE", "'", "LL"]),
        (("I'd I'm",), ["I", "'d", " I", "'m"]),
        (("he's don't",), ["he", "'s", " don", "'t"]),
        (("we've we're",), ["we", "'ve", " we", "'re"]),
        (("café 3 €!",), ["café", " 3", " €!"]),
        (("7³ ٣",), ["7³", " ٣"]),
        (("a_b",), ["a", "_", "b"]),
        (("हि",), ["ह", "ि"]),  # a vowel sign is not a letter: it goes with the punctuation
        (("",), []),
    ],
    slips=[
        (_cut_with(CONTRACTIONS, *VISIBLE), "white space is lost."),
        (
            _cut_with(CONTRACTIONS, *VISIBLE, SPACE),
            r"\s+ takes the whole run, so the word after it has lost its space: put a branch "
            r"\s+(?!\S) before the branch \s+.",
        ),
        (
            _cut_with(CONTRACTIONS, *VISIBLE, BEFORE_A_WORD),
            r"a single line end before a word is lost: \s+ must still come last.",
        ),
        (
            _cut_with(*VISIBLE, CONTRACTIONS, *WHITE),
            "the first branch that fits wins, and punctuation takes any apostrophe: contractions "
            "need a branch of their own, before the branch of the punctuation.",
        ),
        (_cut_with(CONTRACTIONS, DIGITS, PUNCTUATION, *WHITE), "the letters are lost."),
        (
            _cut_with(r"'([sdmt]|ll|ve|re)", *VISIBLE, *WHITE),
            "where a pattern has a group, findall returns only the group: write (?:…), not (…).",
        ),
        (
            _cut_with(r"'(?i:[sdmt]|ll|ve|re)", *VISIBLE, *WHITE),
            "that knows more than GPT-2's pattern, which has contractions in lower case only.",
        ),
        (
            _cut_with(CONTRACTIONS, LETTERS, PUNCTUATION, *WHITE),
            "digits are lost: they need a branch of their own.",
        ),
        (
            _cut_with(CONTRACTIONS, LETTERS, DIGITS, *WHITE),
            "punctuation is lost: it needs a branch of its own.",
        ),
        (
            _cut_with(CONTRACTIONS, r" ?\w+", r" ?[^\s\w]+", *WHITE),
            r"\w takes letters, digits and the underscore together.",
        ),
        (
            _cut_with(CONTRACTIONS, r" ?[A-Za-z]+", r" ?[0-9]+", r" ?[^\sA-Za-z0-9]+", *WHITE),
            r"A-Z has no é. A letter of any script is \p{L}, a digit of any script \p{N}.",
        ),
        (
            _cut_with(CONTRACTIONS, LETTERS, r" ?\d+", r" ?[^\s\p{L}\d]+", *WHITE),
            r"\d leaves out numbers such as ³ and ½; \p{N} takes them as well.",
        ),
        (
            _cut_with(CONTRACTIONS, LETTERS, DIGITS, r" ?[\p{P}\p{S}]+", *WHITE),
            "some characters are neither punctuation nor symbols, such as the vowel signs of "
            "Hindi. Take whatever is not white space, letter or digit.",
        ),
        (
            _cut_with(CONTRACTIONS, r"\p{L}+", r"\p{N}+", r"[^\s\p{L}\p{N}]+", *WHITE),
            "a space belongs to the word after it: begin each of the three branches with ' ?'.",
        ),
        (
            _cut_with(CONTRACTIONS, LETTERS, DIGITS, PUNCTUATION[2:], *WHITE),
            "punctuation takes the space before it as well.",
        ),
        (
            lambda text: [text] if text else [],
            "the text is not split: each match of a branch is a word.",
        ),
    ],
    draw=_random_text,
    hints=[
        "you need six branches: contractions, letters, digits, punctuation, and two for white "
        "space.",
        "all six are written above. Contractions must be tried before punctuation.",
        "of the two branches for white space, the narrower one comes first.",
    ],
)


# The digits' branch, deleted and mended.


def _join_words(text):
    return "".join(solve_split_text(text))


def _join_without_digits(text):
    return "".join(_cut_with(CONTRACTIONS, LETTERS, PUNCTUATION, BEFORE_A_WORD, SPACE)(text))


lost_digits = Hunt(
    "without the digits' branch, the words no longer give every text back. Find a text that "
    "loses something, as short as you can.",
    _join_without_digits,
    _join_words,
    ("1",),
    hints=[
        "which characters did only this branch take?",
        "they are neither letters nor punctuation, and not white space.",
    ],
)


def solve_split_digits(text):
    branches = [
        r"'(?:[sdmt]|ll|ve|re)",
        r" ?\p{L}+",
        r"\p{N}",
        r" ?[^\s\p{L}\p{N}]+",
        r"\s+(?!\S)",
        r"\s+",
    ]
    return regex.findall("|".join(branches), text)


split_digits = Function(
    "write split_digits(text): like split_text, but every digit is a word of its own, without the "
    "space before it.",
    solve_split_digits,
    cases=[
        (("pay 1234",), ["pay", " ", "1", "2", "3", "4"]),
        (("12p, 1887",), ["1", "2", "p", ",", " ", "1", "8", "8", "7"]),
        (("no digits here",), ["no", " digits", " here"]),
        (("٣ ½",), ["٣", " ", "½"]),
    ],
    slips=[
        (
            _cut_with(CONTRACTIONS, LETTERS, "[0-9]", PUNCTUATION, BEFORE_A_WORD, SPACE),
            "0-9 leaves out the digits of other scripts, and what no branch takes is lost: use "
            r"\p{N}.",
        ),
        (
            _cut_with(CONTRACTIONS, LETTERS, PUNCTUATION, BEFORE_A_WORD, SPACE),
            "the branch must be changed, not deleted: nothing else takes a digit.",
        ),
        (solve_split_text, "the + takes the whole run of digits."),
        (
            _cut_with(CONTRACTIONS, LETTERS, r"\p{N}{1,3}", PUNCTUATION, BEFORE_A_WORD, SPACE),
            "that is GPT-4's rule, up to three digits.",
        ),
        (
            _cut_with(CONTRACTIONS, LETTERS, r" ?\p{N}", PUNCTUATION, BEFORE_A_WORD, SPACE),
            "the first digit keeps its space, so 7 and 7 with a space before it are different "
            "words.",
        ),
    ],
    draw=lambda chance: ("".join(chance.choices("ab17٣ ,'\n", k=chance.randint(1, 9))),),
    hints=["begin with your split_text.", "remove two parts of the digits' branch."],
)

# Decoding.

one_by_one = Value(
    "the emoji has four tokens. Each is decoded by itself, and the results are joined. What comes "
    "out?",
    "����",
    [
        ("😀", "that would be right if every token were a text of its own."),
        ("error", "a decoder could stop there; this one puts a mark instead."),
        ("nothing", "bytes that are not a character are not dropped: that would hide the loss."),
    ],
    choices={
        "😀": "the emoji",
        "����": "four marks, one for each byte",
        "error": "an error, since a byte is not a character",
        "nothing": "an empty text",
    },
    because="none of the four bytes is a character.",
    hints=["what was the text of id 233?"],
)


def solve_decode(ids, vocab):
    joined = b"".join(vocab[i] for i in ids)
    return joined.decode("utf-8", errors="replace")


def _decode_one_by_one(ids, vocab):
    return "".join(vocab[i].decode("utf-8", errors="replace") for i in ids)


def _decode_one_by_one_strictly(ids, vocab):
    return "".join(vocab[i].decode("utf-8") for i in ids)


def _decode_strictly(ids, vocab):
    return b"".join(vocab[i] for i in ids).decode("utf-8")


def _decode_one_by_one_with_a_mark(ids, vocab):
    return "".join(_decode_all_or_nothing([i], vocab) for i in ids)


def _decode_one_by_one_or_nothing(ids, vocab):
    try:
        return _decode_one_by_one_strictly(ids, vocab)
    except UnicodeDecodeError:
        return "�"


def _decode_all_or_nothing(ids, vocab):
    try:
        return _decode_strictly(ids, vocab)
    except UnicodeDecodeError:
        return "�"


def _decode_dropping(ids, vocab):
    return b"".join(vocab[i] for i in ids).decode("utf-8", errors="ignore")


def _decode_as_code_points(ids, vocab):
    return "".join(chr(byte) for i in ids for byte in vocab[i])


def _decode_as_python_writes(ids, vocab):
    return "".join(str(vocab[i]) for i in ids)


def _decode_with_spaces(ids, vocab):
    return " ".join(vocab[i].decode("utf-8", errors="replace") for i in ids)


def _decode_to_bytes(ids, vocab):
    return b"".join(vocab[i] for i in ids)


ONE_BY_ONE = "this decodes each token by itself: join the bytes first, then decode once."
SMALL_VOCAB = {0: b"caf", 1: b"\xc3", 2: b"\xa9", 3: b" \xf0\x9f", 4: b"\x98\x80"}

decode = Part(
    "write decode(ids, vocab): the text of these ids. vocab gives the bytes of each id. Where "
    "bytes are not a character, the text has a �.",
    solve_decode,
    cases=[
        (([3, 4], SMALL_VOCAB), " 😀"),  # the lesson first: join the bytes, then decode
        (([0, 1, 2], SMALL_VOCAB), "café"),
        (([0], SMALL_VOCAB), "caf"),
        (([1], SMALL_VOCAB), "�"),
        (([], SMALL_VOCAB), ""),
    ],
    slips=[
        (_decode_one_by_one, ONE_BY_ONE),
        (_decode_one_by_one_strictly, ONE_BY_ONE),
        (_decode_one_by_one_with_a_mark, ONE_BY_ONE),
        (_decode_one_by_one_or_nothing, ONE_BY_ONE),
        (
            _decode_all_or_nothing,
            "one � stands for the whole text, though most of it is fine: errors='replace' marks "
            "only the bytes that are not a character.",
        ),
        (_decode_strictly, "there may be half a character at an edge: use errors='replace'."),
        (_decode_dropping, "half a character is dropped silently; it should leave a mark."),
        (_decode_as_code_points, "this takes each byte for a code point, but é has two bytes."),
        (_decode_as_python_writes, "that is how Python writes bytes; use .decode('utf-8')."),
        (_decode_with_spaces, "put nothing between tokens: a space is already part of a token."),
        (_decode_to_bytes, "these are the right bytes; now make a text of them."),
    ],
    draw=lambda chance: (chance.choices(range(5), k=chance.randint(0, 6)), SMALL_VOCAB),
    hints=[
        "b''.join(parts) joins bytes, as ''.join(parts) joins texts.",
        "bytes.decode('utf-8', errors='replace') puts � where bytes are not a character.",
    ],
)

# Special tokens.

typed_token = Value(
    "a user types <|endoftext|>. What does encode make of it?",
    "ordinary",
    [
        ("special", "then anybody could end a document by typing. A program has to ask for it."),
        ("error", "that is what tiktoken does by default; our tokenizer takes it for plain text."),
    ],
    choices={
        "special": "one token, the special one",
        "ordinary": "several tokens, as of any other text",
        "error": "an error",
    },
    because="special tokens are recognized only where the program allows them.",
    hints=["who decides that a document ends: the writer of the text, or the program?"],
)


def solve_split_at(text, names):
    if not names:  # an empty pattern would be found between all characters
        return [text] if text else []
    longest_first = sorted(names, key=len, reverse=True)
    pattern = "|".join(regex.escape(name) for name in longest_first)
    pieces = regex.split(f"({pattern})", text)
    return [piece for piece in pieces if piece]


def _split_in_given_order(text, names):
    pattern = "|".join(regex.escape(name) for name in names)
    return [piece for piece in regex.split(f"({pattern})", text) if piece]


def _split_unescaped(text, names):
    pattern = "|".join(sorted(names, key=len, reverse=True))
    return [piece for piece in regex.split(f"({pattern})", text) if piece]


def _split_and_lose(text, names):
    pattern = "|".join(regex.escape(name) for name in sorted(names, key=len, reverse=True))
    return [piece for piece in regex.split(pattern, text) if piece]


def _split_at_nothing(text, names):
    return solve_split_at(text, names) if names else list(text)


def _split_with_empty_pieces(text, names):
    pattern = "|".join(regex.escape(name) for name in sorted(names, key=len, reverse=True))
    return regex.split(f"({pattern})", text)


def _split_with(escaped, grouped, longest_first, no_empty, asking):
    """Make a function that leaves out some of the five things that the solution does."""

    def split_with_several_faults(text, names):
        if asking and not names:
            return [text] if text else []
        names = sorted(names, key=len, reverse=True) if longest_first else names
        pattern = "|".join(map(regex.escape, names) if escaped else names)
        pieces = regex.split(f"({pattern})" if grouped else pattern, text)
        return [piece for piece in pieces if piece or not no_empty]

    return split_with_several_faults


NOT_ESCAPED = "in a pattern, | means 'or', so <|end|> finds '<' or 'end' or '>': use regex.escape."
NOT_GROUPED = "the special tokens are lost; they are pieces too."
NOT_SORTED = "this takes the name that is listed first. Where two could begin, the longest wins."
EMPTY = "leave out empty pieces."


def _splits_with_several_faults():
    """List functions with two or more faults, each with the reason for the fault seen first."""
    reasons = [NOT_ESCAPED, NOT_GROUPED, NOT_SORTED, EMPTY, ""]
    slips = []
    for done in product([True, False], repeat=5):
        missing = [reason for reason, has in zip(reasons, done, strict=True) if not has]
        if missing[:2] == [NOT_ESCAPED, NOT_GROUPED]:
            why = "in a pattern, | means 'or': use regex.escape. And brackets keep the names."
            slips.append((_split_with(*done), why))
        elif len(missing) > 1:
            slips.append((_split_with(*done), missing[0]))
    return slips


END, END_AND_TEXT = "<|end|>", "<|end|><|text|>"


def _random_document(chance: random.Random) -> tuple:
    parts = ["a", "b ", END, END_AND_TEXT, "<|text|>", "<", "|>"]
    names = [END, END_AND_TEXT, "<|text|>"]
    chance.shuffle(names)
    text = "".join(chance.choices(parts, k=chance.randint(0, 6)))
    return (text, names[: chance.randint(1, 3)])


split_at = Function(
    "write split_at(text, names): cut the text at special tokens, which become pieces too. Where "
    "two of them could begin, take the longest. No piece is empty, and joined together, the "
    "pieces give the text back.",
    solve_split_at,
    cases=[
        (("a<|end|>b", [END]), ["a", END, "b"]),
        (("a<|end|><|text|>", [END, END_AND_TEXT]), ["a", END_AND_TEXT]),
        (("<|end|>", [END]), [END]),
        (("the end", [END]), ["the end"]),
        (("", [END]), []),
        (("the end", []), ["the end"]),
    ],
    slips=[
        (_split_in_given_order, NOT_SORTED),
        (_split_unescaped, NOT_ESCAPED),
        (_split_and_lose, NOT_GROUPED),
        (
            _split_at_nothing,
            "without names the pattern is empty, and an empty pattern is found between all "
            "characters. But then there is nothing to cut at.",
        ),
        (_split_with_empty_pieces, EMPTY),
        *_splits_with_several_faults(),
    ],
    draw=_random_document,
    hints=[
        "sorted(names, key=len, reverse=True) puts the longest first.",
        "regex.split with brackets around the pattern, regex.split('(x|y)', text), keeps what it "
        "cuts at.",
        "regex.escape(name) makes each character of a name stand for itself; join the names with "
        "|.",
    ],
)

# The learner's program.

brought = program("03")
my_bpe = program("04")
