"""Parity: the same ids as tiktoken and Hugging Face's tokenizers, on texts and on odd strings.

The engines of regular expressions know different versions of Unicode, so the strings hold only
characters that all three know. Found with regex 2026.11, tiktoken 0.14 and tokenizers 0.23, over
all 1,112,064 code points: the two others agree with each other (Unicode 16); `regex` is newer and
knows 17,810 characters more, 17,144 letters, 336 numbers and 79 marks among them; and ʕ (U+0295),
once a small letter, is a letter without case for it, which matters to o200k alone.
"""

import random
import unicodedata
from functools import partial
from itertools import islice

import pytest
from common import BYTE_SCHEMES, PATTERN_SCHEMES, pieces
from partners import SEND, check_alike, train_theirs

from bpe_further import from_huggingface
from bpe_further.exchange.pipeline import SPELLINGS
from bpe_teach import Tokenizer
from bpe_teach.corpora import CORPORA, load_corpus
from bpe_teach.patterns import LOWER, UPPER
from bpe_teach.schemes import SCHEMES

tiktoken = pytest.importorskip("tiktoken")
tokenizers = pytest.importorskip("tokenizers")
import regex  # noqa: E402

pytestmark = pytest.mark.slow

END, PAD = "<|endoftext|>", "<|pad|>"
NUMBER_OF_STRINGS = 10_000
CLASSES = [r"\p{L}", r"\p{N}", r"\s", UPPER, LOWER, r"(?i:[sdmtlvre])"]
CHANGED = {0x295}  # ʕ: newer versions of Unicode have it in another class
EVERY = [chr(i) for i in range(0x110000) if not 0xD800 <= i < 0xE000]

PIECES = pieces("parity")


# the strings


def members(pattern, characters):
    """Yield, engine by engine, the set of those characters that a class holds."""
    text = "".join(characters)
    yield set(regex.findall(pattern, text))
    ranks = {bytes([byte]): byte for byte in range(256)}
    theirs = tiktoken.Encoding("class", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    yield set(theirs.decode(theirs.encode_ordinary(text)))
    found = tokenizers.Regex(f"(?:{pattern})+")
    split = tokenizers.pre_tokenizers.Split(found, "removed", invert=True)
    yield {ch for piece, _ in split.pre_tokenize_str(text) for ch in piece}


@pytest.fixture(scope="session")
def pool():
    """Characters that every engine knows, by plane."""
    known = set.intersection(*members(r"\P{Cn}", EVERY))
    planes = {}
    for ch in EVERY:
        if ch in known and ord(ch) not in CHANGED:
            planes.setdefault(ord(ch) >> 16, []).append(ch)
    return planes


def make_strings(pool, words):
    """Yield different strings without end, the same in every run."""
    chance = random.Random(17)
    planes = list(pool)
    marks = [ch for ch in pool[0] if unicodedata.category(ch)[0] == "M"]

    def part():
        kind = chance.random()
        if kind < 0.45:
            return chance.choice(PIECES)
        if kind < 0.65:
            return chance.choice(["", " "]) + chance.choice(words)
        if kind < 0.75:
            return chance.choice(pool[0][:0x250]) + chance.choice(marks)
        some = pool[0] if kind < 0.9 else pool[chance.choice(planes)]
        return "".join(chance.choices(some, k=chance.randint(1, 3)))

    seen = set()
    while True:
        string = "".join(part() for _ in range(chance.randint(1, 12)))
        if string not in seen:
            yield string
        seen.add(string)


@pytest.fixture(scope="session")
def strings(pool, story):
    return list(islice(make_strings(pool, story.split(" ")), NUMBER_OF_STRINGS))


@pytest.fixture(scope="session")
def texts(strings, story):
    """The strings, the bundled texts whole, and long runs of one piece."""
    long = [story[:length] for length in (99, 100, 101)]  # engines merge long words in another way
    for piece in [" ", "\n", "\t\n ", "a", "1", "!", "é", "\u0301", "Aa"]:
        long += [piece * 4000, piece * 4000 + "x", f"x{piece * 2000} {piece * 2000}"]
    bundled = [load_corpus(name) for name, corpus in CORPORA.items() if not corpus.url]
    return strings + bundled + long


def test_the_strings_hold_characters_of_all_planes_and_every_piece(pool, strings):
    used = set("".join(strings))
    assert {0, 1, 2, 3, 14, 15, 16} <= set(pool) == {ord(ch) >> 16 for ch in used}
    assert {unicodedata.category(ch) for ch in EVERY} - {"Cn"} <= {*map(unicodedata.category, used)}
    assert all(sum(piece in string for string in strings) > 50 for piece in PIECES)


@pytest.mark.parametrize("pattern", CLASSES)
def test_all_engines_put_the_characters_they_know_into_the_same_classes(pattern, pool):
    characters = [ch for plane in pool.values() for ch in plane]
    assert len(characters) > 280_000
    ours, *theirs = members(pattern, characters)
    assert 0 < len(ours) < len(characters)
    assert theirs == [ours, ours]


@pytest.mark.parametrize("pattern", SPELLINGS)
def test_every_pattern_that_is_read_cuts_as_the_scheme_does(pattern, strings):
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
    for text in strings:
        words = list(SPELLINGS[pattern].split(text))
        assert words == [word for word, _ in split.pre_tokenize_str(text)]


# the vocabularies


@pytest.fixture(scope="session")
def own(story):
    """A tokenizer for every scheme of bytes, trained on prose and on many scripts."""
    texts = [story[:20_000], load_corpus("mixed"), "👩‍🚀 don't WE'VE  \r\n\r\n12345 " * 9]
    options = {"num_merges": 1000, "special_tokens": [END, PAD]}
    return {name: Tokenizer.train(texts, scheme=name, **options) for name in BYTE_SCHEMES}


def sent(partner, name, get):
    tok = get("own")[name]
    return tok, SEND[partner](tok)


def with_published_pattern(name, get):
    """Send a tokenizer of our own merges; put tiktoken's own pattern in place of ours."""
    tok, theirs = sent("tiktoken", name, get)
    options = {"mergeable_ranks": theirs._mergeable_ranks, "special_tokens": tok.special_tokens}
    return tok, tiktoken.Encoding(name, pat_str=get("published_pattern")(name), **options)


def trained_by_huggingface(get):
    theirs = train_theirs(get("story").splitlines(keepends=True), 1000)
    theirs.add_special_tokens([END])
    assert theirs.get_vocab_size() == 1001
    return from_huggingface(theirs), theirs


# name -> how to make our tokenizer and theirs, given a way to get fixtures
VOCABULARIES = {"trained by tokenizers": trained_by_huggingface}
for name in BYTE_SCHEMES:
    for partner in SEND:
        VOCABULARIES[f"{name}, sent to {partner}"] = partial(sent, partner, name)
    if name in PATTERN_SCHEMES:
        VOCABULARIES[f"{name}, as tiktoken cuts"] = partial(with_published_pattern, name)


def may_be_refused(name):
    """Return whether a scheme's row doesn't say that the engine of tokenizers reads its pattern."""
    scheme, _, partner = name.partition(", sent to ")
    return partner == "tokenizers" and "oniguruma" not in SCHEMES[scheme].elsewhere


@pytest.mark.parametrize("name", VOCABULARIES)
def test_every_text_and_string_has_the_same_ids(name, texts, request):
    try:
        ours, theirs = VOCABULARIES[name](request.getfixturevalue)
    except ValueError as refusal:
        if may_be_refused(name) and "its pattern means something else there" in str(refusal):
            return
        raise
    check_alike(ours, theirs, texts)


def test_every_text_and_string_has_the_ids_of_gpt2(texts, gpt2, published_pattern):
    """Our reader of the published files; their pattern, and the ranks of the vocabulary."""
    special = gpt2.special_tokens
    ranks = {token: i for i, token in gpt2.vocab.items() if i not in special.values()}
    pattern = published_pattern("gpt2")
    parts = {"pat_str": pattern, "mergeable_ranks": ranks, "special_tokens": special}
    check_alike(gpt2, tiktoken.Encoding("gpt2", **parts), texts)
