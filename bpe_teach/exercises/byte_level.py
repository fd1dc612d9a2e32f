"""Exercises of notebook 04: bytes, split patterns, decoding, special tokens, prices."""

import random

import regex

from bpe_teach.exercises.exercise import Function, Hunt, Value
from bpe_teach.exercises.program import Part, program

# Characters and bytes.

bytes_of_hindi = Value(
    "how many bytes does UTF-8 take for दोस्त?",
    15,
    [
        (5, "that is the number of code points; each of them takes more than one byte."),
        (3, "that is what you see; here the bytes are counted."),
        (9, "three bytes each; but the vowel sign and the sign that joins two letters count, too."),
        (12, "three bytes each; one sign of the word is still not counted."),
        (10, "two bytes each would be Greek or Russian; look above: ह takes more."),
        (20, "four bytes are for numbers from 65,536 on, such as those of emoji."),
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
    """Make a function with other limits: the last number of one byte, of two, of three."""
    return lambda code_point: 1 + sum(code_point > limit for limit in limits)


def _random_code_point(chance: random.Random) -> tuple:
    ranges = [(0, 127), (128, 2047), (2048, 0xD7FF), (0xE000, 65535), (65536, 0x10FFFF)]
    return (chance.randint(*chance.choice(ranges)),)


utf8_length = Function(
    "write utf8_length(code_point): how many bytes does UTF-8 take for this number, 1, 2, 3 or 4?",
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
            "a limit belongs to the shorter side: 127 still takes one byte.",
        ),
        (
            _length_with_limits(128, 2048, 65536),
            "the next length begins right after the limit: at 128, 2,048 and 65,536.",
        ),
        (_length_with_limits(127, 2047), "numbers above 65,535 take a fourth byte."),
        (
            lambda code_point: len(chr(code_point)),
            "that counts characters, and one code point is always one.",
        ),
    ],
    draw=_random_code_point,
    hints=[
        "the table gives the last number for each length: 127, 2,047, 65,535.",
        "three comparisons with <=, from the smallest limit to the largest.",
    ],
)


def solve_utf8_bytes(code_point):
    if code_point <= 127:
        return bytes([code_point])
    length = solve_utf8_length(code_point)
    followers = []  # the bytes after the first, the last one first
    for _ in range(length - 1):
        followers.append(128 + code_point % 64)
        code_point //= 64
    first = {2: 192, 3: 224, 4: 240}[length] + code_point
    return bytes([first] + followers[::-1])


def _bytes_of_the_number(code_point):
    return code_point.to_bytes(max(1, (code_point.bit_length() + 7) // 8), "big")


def _bytes_backwards(code_point):
    encoded = chr(code_point).encode("utf-8")
    return encoded[:1] + encoded[:0:-1]


utf8_bytes = Function(
    "write utf8_bytes(code_point): the bytes of UTF-8, without the help of str.encode.",
    solve_utf8_bytes,
    cases=[
        ((65,), b"A"),
        ((233,), b"\xc3\xa9"),
        ((128,), b"\xc2\x80"),
        ((2361,), b"\xe0\xa4\xb9"),
        ((128512,), b"\xf0\x9f\x98\x80"),
    ],
    slips=[
        (_bytes_of_the_number, "that is the number itself; the marks in front are missing."),
        (_bytes_backwards, "the six bits that are taken off first belong in the last byte."),
    ],
    draw=_random_code_point,
    hints=[
        "number % 64 is its last six bits, number // 64 is what remains.",
        "every byte after the first is 128 + six bits; they come out in reverse order.",
        "the first byte begins with 192, 224 or 240, for two, three or four bytes.",
    ],
)

# BPE on bytes.

first_merge = Value(
    "which pair of bytes is merged first?",
    "E0 A4",
    [
        ("A4 B9", "it stands once in each word; another pair stands there four times."),
        ("E0 A4 B9", "these are three bytes, the letter ह; a merge takes two symbols."),
        ("20 E0", "it stands between the words only, five times; look inside them."),
    ],
    choices={
        "E0 A4": "two bytes with which letters begin",
        "A4 B9": "two bytes with which the letter ह ends",
        "E0 A4 B9": "the letter ह",
        "20 E0": "the space and the byte after it",
    },
    because="four of the six code points begin with it, so it stands 24 times in six words.",
    hints=["count each of them in the boxes above."],
)

id_233 = Value(
    "what is the text of the token with the id 233?",
    "�",
    [
        (
            "é",
            "233 is the code point of é. An id below 256 is a byte, and é is written with two "
            "others, 195 and 169.",
        ),
        ("error", "there is such an id: it is the byte E9. But that byte is not a text."),
    ],
    choices={
        "é": "the letter é, whose code point is 233",
        "�": "no text: a byte that is not a whole character",
        "error": "there is no such id",
    },
    because="the byte E9 by itself is the beginning of a character that never comes.",
    hints=["in the boxes above, which ids does the é of café have?"],
)

# A split pattern, branch by branch.

CONTRACTIONS = r"'(?:[sdmt]|ll|ve|re)"
LETTERS = r" ?\p{L}+"
DIGITS = r" ?\p{N}+"
SIGNS = r" ?[^\s\p{L}\p{N}]+"
BEFORE_A_WORD = r"\s+(?!\S)"
SPACE = r"\s+"


def _cut_with(*branches):
    """Make a function that cuts a text with these branches."""
    return lambda text: regex.findall("|".join(branches), text)


def solve_split_visible(text):
    branches = [
        r" ?\p{L}+",
        r" ?\p{N}+",
        r" ?[^\s\p{L}\p{N}]+",
    ]
    return regex.findall("|".join(branches), text)


def _random_line(chance: random.Random) -> tuple:
    words = ["".join(chance.choices("ab1é٣½,!_", k=chance.randint(1, 4))) for _ in range(3)]
    return (" ".join(words),)


split_visible = Function(
    "write split_visible(text): a list of words, each a run of letters, of digits or of signs, "
    "with the space before it if there is one.",
    solve_split_visible,
    cases=[
        (("a !",), ["a", " !"]),
        (("pay 12p",), ["pay", " 12", "p"]),
        (("low, lower",), ["low", ",", " lower"]),
        (("a_b",), ["a", "_", "b"]),
        (("café 3 €!",), ["café", " 3", " €!"]),
        (("7³ ½",), ["7³", " ½"]),
        (("हि",), ["ह", "ि"]),  # a vowel sign is not a letter: it goes with the signs
    ],
    slips=[
        (str.split, "the spaces are lost, and signs stick to the letters before them."),
        (_cut_with(LETTERS), "digits and signs are lost: each needs a branch."),
        (_cut_with(LETTERS, DIGITS), "the signs are still lost."),
        (
            _cut_with(r" ?\w+"),
            r"the signs are lost, and \w takes letters, digits and the underscore for one word.",
        ),
        (
            _cut_with(r" ?\w+", r" ?[^\s\w]+"),
            r"\w takes letters, digits and the underscore together.",
        ),
        (
            _cut_with(r" ?[A-Za-z]+", r" ?[0-9]+", r" ?[^\sA-Za-z0-9]+"),
            r"A-Z has no é. A letter of any script is \p{L}, a digit of any script \p{N}.",
        ),
        (
            _cut_with(LETTERS, r" ?\d+", r" ?[^\s\p{L}\d]+"),
            r"\d leaves out numbers such as ³ and ½; \p{N} takes them, too.",
        ),
        (
            _cut_with(LETTERS, DIGITS, r" ?[\p{P}\p{S}]+"),
            "punctuation and symbols are not all: the vowel signs of Hindi are lost. Take "
            "whatever is not white space, letter or digit.",
        ),
        (
            _cut_with(r"\p{L}+", r"\p{N}+", r"[^\s\p{L}\p{N}]+"),
            "the spaces are lost: each branch begins with ' ?', one space or none.",
        ),
        (_cut_with(LETTERS, DIGITS, SIGNS[2:]), "signs take the space before them, too."),
        (
            _cut_with(LETTERS, DIGITS, r" ?[^\p{L}\p{N}]+"),
            r"a space is taken for a sign here, and then the next word lacks it: leave out \s.",
        ),
        (_cut_with(LETTERS, DIGITS, SIGNS[:-1]), "a run of signs is one word: a + is missing."),
    ],
    draw=_random_line,
    hints=[
        'begin with branches = [r" ?\\p{L}+"] and end with '
        'return regex.findall("|".join(branches), text).',
        r"\p{N} is a digit of any script, as \p{L} is a letter of any script.",
        r"[^abc] is any character but a, b and c. A sign is not in \s, not in \p{L}, not in \p{N}.",
    ],
)

run_of_spaces = Value(
    r"which words does the pattern ' ?\p{L}+|\s+' find in 'two   four'? (Three spaces.)",
    ["two", "   ", "four"],
    [
        (
            ["two", "  ", " four"],
            r"that is what we want, but \s+ begins at the first space and takes all it can get.",
        ),
        (["two", " ", " ", " four"], r"\s+ takes the whole run, not one space at a time."),
        (["two", " four"], "nothing may be lost: two of the spaces are missing."),
        (["two", "   four"], "' ?' is one space at most."),
    ],
    because=r"at the first space the letters' branch does not fit, so \s+ takes the whole run.",
    hints=[
        "the pattern is tried at the first space: does a letter follow that space?",
        "+ takes as many as there are.",
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
    pieces = ["a", "é", "B", "7", "½", " ", "  ", "\n", "\t", "'ll", "'S", "'s", ",", "'"]
    return ("".join(chance.choices(pieces, k=chance.randint(0, 8))),)


VISIBLE = (LETTERS, DIGITS, SIGNS)

split_text = Part(
    "write split_text(text): as split_visible, but contractions ('s 'd 'm 't 'll 've 're) are "
    "words of their own, and white space is in some word, too.",
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
        (("7³ ٣",), ["7³", " ٣"]),
        (("",), []),
    ],
    slips=[
        (_cut_with(CONTRACTIONS, *VISIBLE), "white space is lost."),
        (
            _cut_with(CONTRACTIONS, *VISIBLE, SPACE),
            r"\s+ takes the whole run, so the word after it has lost its space: put "
            r"\s+(?!\S) before it.",
        ),
        (
            _cut_with(CONTRACTIONS, *VISIBLE, BEFORE_A_WORD),
            r"a single line end before a word is lost: \s+ must still come last.",
        ),
        (
            _cut_with(*VISIBLE, CONTRACTIONS, BEFORE_A_WORD, SPACE),
            "the first branch that fits wins, and the signs take any apostrophe: contractions need "
            "a branch of their own, before that of the signs.",
        ),
        (_cut_with(CONTRACTIONS, DIGITS, SIGNS, BEFORE_A_WORD, SPACE), "the letters are lost."),
        (_cut_with(CONTRACTIONS, LETTERS, SIGNS, BEFORE_A_WORD, SPACE), "the digits are lost."),
        (
            _cut_with(CONTRACTIONS, LETTERS, DIGITS, BEFORE_A_WORD, SPACE),
            "the signs are lost: a branch takes them, whatever is neither white space, letter nor "
            "digit.",
        ),
        (
            _cut_with(r"'([sdmt]|ll|ve|re)", *VISIBLE, BEFORE_A_WORD, SPACE),
            "where a pattern has a group, findall returns only the group: write (?:…), not (…).",
        ),
        (
            _cut_with(r"'(?i:[sdmt]|ll|ve|re)", *VISIBLE, BEFORE_A_WORD, SPACE),
            "that knows more than GPT-2's pattern, whose contractions are in small letters only.",
        ),
    ],
    draw=_random_text,
    hints=[
        "six branches: contractions, letters, digits, signs, and two for white space.",
        "the branch of the contractions is written above; it must be tried before the signs.",
        "of the two for white space, the narrower one comes first.",
    ],
)


# The digits' branch, deleted and mended.


def _join_words(text):
    return "".join(solve_split_text(text))


def _join_without_digits(text):
    return "".join(_cut_with(CONTRACTIONS, LETTERS, SIGNS, BEFORE_A_WORD, SPACE)(text))


lost_digits = Hunt(
    "give a text that does not come back when the digits' branch is deleted, as short as you can.",
    _join_without_digits,
    _join_words,
    ("1",),
    hints=["which characters did only this branch take?", "the names have none of them."],
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
    "write split_digits(text): as split_text, but every digit is a word by itself, without the "
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
            _cut_with(CONTRACTIONS, LETTERS, "[0-9]", SIGNS, BEFORE_A_WORD, SPACE),
            r"0-9 are not the digits of all scripts, and what no branch takes is lost: \p{N}.",
        ),
        (
            _cut_with(CONTRACTIONS, LETTERS, SIGNS, BEFORE_A_WORD, SPACE),
            "the branch must be changed, not deleted: nothing else takes a digit.",
        ),
        (solve_split_text, "a + takes the whole run of digits."),
        (
            _cut_with(CONTRACTIONS, LETTERS, r"\p{N}{1,3}", SIGNS, BEFORE_A_WORD, SPACE),
            "that is the rule of GPT-4, up to three digits.",
        ),
        (
            _cut_with(CONTRACTIONS, LETTERS, r" ?\p{N}", SIGNS, BEFORE_A_WORD, SPACE),
            "the first digit keeps its space, so 7 and space-7 are different words.",
        ),
    ],
    draw=lambda chance: ("".join(chance.choices("ab17٣ ,'\n", k=chance.randint(1, 9))),),
    hints=["begin with your split_text.", "two signs of the digits' branch are too much."],
)

# Decoding.

one_by_one = Value(
    "the emoji has four tokens; each is decoded by itself, and the results are joined. What comes "
    "out?",
    "����",
    [
        ("😀", "that would be so if every token were a text of its own."),
        ("error", "a decoder that stops would be possible; this one puts a mark instead."),
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


def _decode_dropping(ids, vocab):
    return b"".join(vocab[i] for i in ids).decode("utf-8", errors="ignore")


def _decode_as_code_points(ids, vocab):
    return "".join(chr(byte) for i in ids for byte in vocab[i])


def _decode_as_python_writes(ids, vocab):
    return "".join(str(vocab[i]) for i in ids)


def _decode_to_bytes(ids, vocab):
    return b"".join(vocab[i] for i in ids)


SMALL_VOCAB = {0: b"caf", 1: b"\xc3", 2: b"\xa9", 3: b" \xf0\x9f", 4: b"\x98\x80"}

decode = Part(
    "write decode(ids, vocab): the text of these ids. vocab holds the bytes of each id; where "
    "bytes are not a character, the text holds �.",
    solve_decode,
    cases=[
        (([3, 4], SMALL_VOCAB), " 😀"),  # the lesson first: join the bytes, then decode
        (([0, 1, 2], SMALL_VOCAB), "café"),
        (([0], SMALL_VOCAB), "caf"),
        (([1], SMALL_VOCAB), "�"),
        (([], SMALL_VOCAB), ""),
    ],
    slips=[
        (
            _decode_one_by_one,
            "each token is decoded by itself here; join the bytes first, then decode once.",
        ),
        (
            _decode_one_by_one_strictly,
            "each token is decoded by itself here; join the bytes first, then decode once.",
        ),
        (
            _decode_strictly,
            "bytes at the edge may be half a character: decode with errors='replace'.",
        ),
        (_decode_dropping, "half a character is dropped silently; it should leave a mark."),
        (
            _decode_as_code_points,
            "each byte is taken for a code point; é is two bytes, not two letters.",
        ),
        (_decode_as_python_writes, "that is how Python writes bytes; use .decode('utf-8')."),
        (_decode_to_bytes, "these are the right bytes; they still have to become a text."),
    ],
    draw=lambda chance: (chance.choices(range(5), k=chance.randint(0, 6)), SMALL_VOCAB),
    hints=[
        "b''.join(parts) joins bytes, as ''.join(parts) joins texts.",
        "bytes.decode('utf-8', errors='replace') puts � where bytes are not a character.",
    ],
)

bytes_of_nfd = Value(
    "how many bytes does é take when it is written as e and an accent (NFD)?",
    3,
    [
        (2, "that is é as one code point; here there are two code points."),
        (4, "the letter e is ASCII: one byte is enough for it."),
        (1, "what looks like one character may be two code points and more bytes."),
    ],
    because="one for e, two for the accent, whose number 769 is above 127 and below 2,048.",
    hints=["the accent has the code point 769; utf8_length knows the rest."],
)

# Special tokens.

typed_token = Value(
    "a user types <|endoftext|>. What does tok.encode make of it?",
    "ordinary",
    [
        ("special", "then anybody could end a document by typing; a program has to ask for it."),
        (
            "error",
            "that is what tiktoken does unless it is told otherwise; ours takes it for plain text.",
        ),
    ],
    choices={
        "special": "one token, the special one",
        "ordinary": "several tokens, as of any other text",
        "error": "an error",
    },
    because="special tokens are recognised only where the program allows them.",
    hints=["who may say that a document ends: the writer of the text, or the program?"],
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


END, END_AND_TEXT = "<|end|>", "<|end|><|text|>"


def _random_document(chance: random.Random) -> tuple:
    parts = ["a", "b ", END, END_AND_TEXT, "<|text|>", "<", "|>"]
    names = [END, END_AND_TEXT, "<|text|>"]
    chance.shuffle(names)
    text = "".join(chance.choices(parts, k=chance.randint(0, 6)))
    return (text, names[: chance.randint(1, 3)])


split_at = Function(
    "write split_at(text, names): the text cut at special tokens, which are pieces, too. Where two "
    "could begin, the longest is taken. No piece is empty; joined, the pieces are the text.",
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
        (
            _split_in_given_order,
            "the name that is listed first is taken; where two could begin, the longest counts.",
        ),
        (
            _split_unescaped,
            "in a pattern, | means 'or', so <|end|> finds '<' or 'end' or '>': use regex.escape.",
        ),
        (_split_and_lose, "the special tokens are lost; they are pieces, too."),
        (
            _split_at_nothing,
            "without names the pattern is empty, and that is found between all characters: there "
            "is nothing to cut at.",
        ),
        (_split_with_empty_pieces, "an empty piece is not a piece."),
    ],
    draw=_random_document,
    hints=[
        "sorted(names, key=len, reverse=True) puts the longest first.",
        "regex.split with brackets around the pattern, regex.split('(x|y)', text), keeps what it "
        "cuts at.",
        "regex.escape(name) makes a name mean just its characters; join the names with |.",
    ],
)

# Prices.

most_expensive = Value(
    "which of these languages pays the most tokens for the same lines?",
    "Hindi",
    [
        ("Chinese", "three bytes a character, but a third as many characters as English."),
        ("Greek", "two bytes a letter and no merges; one of the others needs three bytes."),
        ("Swahili", "its letters are those of English; it pays about double."),
        ("German", "its letters are those of English, nearly; it pays less than double."),
    ],
    choices={
        "Chinese": "thousands of characters",
        "German": "long words",
        "Greek": "an alphabet of its own",
        "Hindi": "an alphabet of its own, with vowel signs",
        "Swahili": "Latin letters, far from English",
    },
    because="it takes as many characters as English, three bytes for most, and no merge helps.",
    hints=["where no merge applies, there are as many tokens as bytes."],
)

hindi_pattern = Value(
    "with tokenizers trained on the English story, how much shorter is the Hindi text with the "
    "pattern o200k than with gpt2?",
    "nothing",
    [
        ("tenth", "a wall can only stop a merge, and here there is no merge that it could stop."),
        ("half", "there are fewer walls; but there is no merge of Hindi that they could stop."),
    ],
    choices={"nothing": "not at all", "tenth": "by about a tenth", "half": "by about a half"},
    because="a wall can only stop a merge, and an English story has no merge for Hindi.",
    hints=["what would be merged between the walls?"],
)

german_price = Value(
    "five lines of each language join the training text. What becomes of the price of German, "
    "English = 1?",
    "not lower",
    [
        ("half", "German takes fewer tokens than before; but so does English."),
        ("tenth", "German takes about a tenth fewer tokens; but English gains even more."),
    ],
    choices={
        "half": "it falls by about a half",
        "tenth": "it falls by about a tenth",
        "not lower": "it does not fall, or hardly",
    },
    because="German takes fewer tokens than before, but English gains even more.",
    hints=["a price is a ratio: look at both of its numbers."],
)


# The learner's program.

brought = program("03")
my_bpe = program("04")
