"""Parity: the same ids as tiktoken and Hugging Face's tokenizers, on texts and on odd strings.

The engines of regular expressions know different versions of Unicode, so the strings hold only
characters that all three know. Found with regex 2026.11, tiktoken 0.14 and tokenizers 0.23, over
all 1,112,064 code points: the two others agree with each other (Unicode 16); `regex` is newer and
knows 17,810 characters more, 17,144 letters, 336 numbers and 79 marks among them; and ʕ (U+0295),
once a small letter, is a letter without case for it, which matters to o200k alone.
"""

import json
import random
import unicodedata

import pytest

from bpe_teach import SCHEMES, Tokenizer
from bpe_teach.corpora import CORPORA, corpus_path, load_corpus
from bpe_teach.exchange.huggingface import (
    ONIGURUMA,
    SPELLINGS,
    from_huggingface,
    to_huggingface,
)
from bpe_teach.exchange.openai import from_gpt2, from_tiktoken, to_tiktoken
from bpe_teach.exchange.shared import BYTE_SCHEMES, printable_bytes
from bpe_teach.patterns import LOWER, UPPER

tiktoken = pytest.importorskip("tiktoken")
tokenizers = pytest.importorskip("tokenizers")
import regex  # noqa: E402

END, PAD = "<|endoftext|>", "<|pad|>"
PATTERN_SCHEMES = [name for name in BYTE_SCHEMES if SCHEMES[name].pattern]
BUNDLED = [name for name, corpus in CORPORA.items() if not corpus.url]
NUMBER_OF_STRINGS = 10_000
CLASSES = [r"\p{L}", r"\p{N}", r"\s", UPPER, LOWER, r"(?i:[sdmtlvre])"]
CHANGED = {0x295}  # ʕ: newer versions of Unicode have it in another class
EVERY = [chr(i) for i in range(0x110000) if not 0xD800 <= i < 0xE000]

ODD = "'s 'S 'll 'Ll 'LL 're 'RE 'vE 'd 'M 't 'ſ ’s '' don't WE'VE I'm x'y low Low LOW lowER "
ODD += "1 12 123 1234567 ٣٤٥٦ १२३४ ²³ ½ Ⅷ ๑๒๓๔ 𝟙𝟚𝟛𝟜 3.14 1e9 ! ... / // _ #! -> \\n é ǅ ʰ ß İ ŉ ﬆ "
ODD += (
    "中文 हिन्दी 한국어 العربية עברית ไทย 🙂 👩‍🚀 👨‍👩‍👧 🏳️‍🌈 🇫🇷 👍🏽 🐢 <|endoftext|> <|pad|> <| |>"
)
PIECES = ODD.split(" ")
PIECES += [" ", "  ", "   ", " " * 40, "\r", "\n", "\r\n", "\n\n", "\t", "\t\t", "\u00a0", "\x0b"]
PIECES += [" \n ", " \r", "\u2028", "\u2029", "\u3000", "\u200b", "\ufeff", "\x1c", "\x85", "\0"]
PIECES += [f"{a}\u0301\u0323" for a in "aZ1 !\n"]


# the strings


def members(pattern):
    """Return for each engine the set of characters that a class holds."""
    text = "".join(EVERY)
    ranks = {bytes([byte]): byte for byte in range(256)}
    theirs = tiktoken.Encoding("class", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    split = tokenizers.pre_tokenizers.Split(
        tokenizers.Regex(f"(?:{pattern})+"), "removed", invert=True
    )
    return {
        "regex": set(regex.findall(pattern, text)),
        "tiktoken": set(theirs.decode(theirs.encode_ordinary(text))),
        "tokenizers": {ch for piece, _ in split.pre_tokenize_str(text) for ch in piece},
    }


@pytest.fixture(scope="module")
def pool():
    """Characters that every engine knows, by plane."""
    unknown = set().union(*members(r"\p{Cn}").values())
    planes = {}
    for ch in EVERY:
        if ch not in unknown and ord(ch) not in CHANGED:
            planes.setdefault(ord(ch) >> 16, []).append(ch)
    return planes


@pytest.fixture(scope="module")
def strings(pool, story):
    """Ten thousand different strings, the same in every run."""
    chance = random.Random(17)
    words, planes = story.split(" "), list(pool)
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

    strings = {}  # string -> None, in order
    while len(strings) < NUMBER_OF_STRINGS:
        strings["".join(part() for _ in range(chance.randint(1, 12)))] = None
    return list(strings)


@pytest.fixture(scope="module")
def texts(strings):
    """The strings, and the bundled texts whole."""
    return [*map(load_corpus, BUNDLED), *strings]


def test_the_strings_hold_characters_of_all_planes_and_every_piece(pool, strings):
    assert len(set(strings)) == NUMBER_OF_STRINGS
    assert {0, 1, 2, 3, 14, 15, 16} <= set(pool)
    used = set("".join(strings))
    assert {ord(ch) >> 16 for ch in used} == set(pool)
    assert {unicodedata.category(ch) for ch in EVERY} - {"Cn"} <= {*map(unicodedata.category, used)}
    assert all(any(piece in string for string in strings) for piece in PIECES)


@pytest.mark.parametrize("pattern", CLASSES)
def test_all_engines_put_the_characters_they_know_into_the_same_classes(pattern, pool):
    sets = members(pattern)
    characters = {ch for plane in pool.values() for ch in plane}
    assert len(characters) > 280_000
    ours = sets["regex"] & characters
    assert ours
    assert ours == sets["tiktoken"] & characters
    assert ours == sets["tokenizers"] & characters


# GPT-2, built by the others from the published files


@pytest.fixture(scope="module")
def files(corpus):
    for name in ("gpt2_merges", "gpt2_vocab"):
        corpus(name)  # skips if it cannot be had
    return {name: corpus_path(name) for name in ("gpt2_merges", "gpt2_vocab")}


@pytest.fixture(scope="module")
def gpt2(files):
    return from_gpt2()


@pytest.fixture(scope="module")
def tiktoken_gpt2(files, published_pattern):
    """tiktoken's GPT-2: its own pattern, the ranks of the published vocabulary."""
    byte_of = {character: byte for byte, character in printable_bytes().items()}
    ids = json.loads(files["gpt2_vocab"].read_text("utf-8"))
    special = {END: ids.pop(END)}
    ranks = {bytes(map(byte_of.__getitem__, token)): i for token, i in ids.items()}
    return tiktoken.Encoding(
        "gpt2", pat_str=published_pattern("gpt2"), mergeable_ranks=ranks, special_tokens=special
    )


@pytest.fixture(scope="module")
def huggingface_gpt2(files):
    """Hugging Face's GPT-2: its own reader of the files, and its own pattern."""
    paths = str(files["gpt2_vocab"]), str(files["gpt2_merges"])
    theirs = tokenizers.ByteLevelBPETokenizer(*paths)
    theirs.add_special_tokens([END])
    return theirs


def differing(one, two, texts):
    """List the texts for which two functions give different ids."""
    return [text for text in texts if list(one(text)) != list(two(text))]


def allowing(tok):
    """Return a function that encodes with special tokens recognised."""
    return lambda text: tok.encode(text, allowed_special="all")


def test_gpt2_gives_the_ids_of_tiktoken(gpt2, tiktoken_gpt2, texts):
    assert differing(gpt2.encode, tiktoken_gpt2.encode_ordinary, texts) == []


def test_gpt2_with_special_tokens_gives_the_ids_of_tiktoken(gpt2, tiktoken_gpt2, strings):
    special = [string for string in strings if END in string]
    assert len(special) > 100
    assert differing(allowing(gpt2), allowing(tiktoken_gpt2), special) == []
    assert differing(gpt2.encode, allowing(gpt2), special) == special


def test_gpt2_gives_the_ids_of_hugging_face(gpt2, huggingface_gpt2, texts):
    found = [encoding.ids for encoding in huggingface_gpt2.encode_batch(texts)]
    ours = map(allowing(gpt2), texts)
    assert [text for text, a, b in zip(texts, ours, found, strict=True) if a != b] == []


def test_gpt2_decodes_as_the_others_do(gpt2, tiktoken_gpt2, texts):
    for text in texts:
        ids = gpt2.encode(text, allowed_special="all")
        assert gpt2.decode(ids) == text
        assert gpt2.decode_bytes(ids[1:]) == tiktoken_gpt2.decode_bytes(ids[1:])


def test_gpt2_out_and_in_again_is_the_same_tokenizer(gpt2, tiktoken_gpt2, huggingface_gpt2):
    ranks, special = tiktoken_gpt2._mergeable_ranks, tiktoken_gpt2._special_tokens
    assert from_tiktoken(ranks, "gpt2", special) == gpt2
    assert from_huggingface(huggingface_gpt2) == gpt2
    assert from_huggingface(to_huggingface(gpt2)) == gpt2


# our own merges, in every scheme of bytes


@pytest.fixture(scope="module")
def own(story):
    """A tokenizer for every scheme of bytes, trained on prose and on many scripts."""
    texts = [story[:20_000], load_corpus("mixed"), "👩‍🚀 don't WE'VE  \r\n\r\n12345 " * 9]
    options = {"num_merges": 1000, "special_tokens": [END, PAD]}
    return {name: Tokenizer.train(texts, scheme=name, **options) for name in BYTE_SCHEMES}


@pytest.mark.parametrize("name", PATTERN_SCHEMES)
def test_tiktoken_with_its_own_pattern_gives_the_same_ids(name, own, texts, published_pattern):
    ranks = {token: i for i, token in own[name].vocab.items()}
    pattern = published_pattern(name)
    theirs = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    texts = [text.replace(END, "").replace(PAD, "") for text in texts]  # they have ranks here
    assert differing(own[name].encode, theirs.encode_ordinary, texts) == []


@pytest.mark.parametrize("name", BYTE_SCHEMES)
def test_what_goes_to_tiktoken_encodes_the_same(name, own, texts):
    theirs = to_tiktoken(own[name])
    assert theirs.n_vocab == len(own[name])
    assert differing(own[name].encode, theirs.encode_ordinary, texts) == []
    assert differing(allowing(own[name]), allowing(theirs), texts) == []
    assert all(theirs.decode(own[name].encode(text)) == text for text in texts[:99])


@pytest.mark.parametrize("name", BYTE_SCHEMES)
def test_what_goes_to_hugging_face_encodes_the_same(name, own, texts, tmp_path):
    to_huggingface(own[name]).save(str(tmp_path / "tokenizer.json"))
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert theirs.get_vocab_size() == len(own[name])
    for allowed in ("all", ()):
        theirs.encode_special_tokens = not allowed
        found = [encoding.ids for encoding in theirs.encode_batch(texts)]
        ours = [own[name].encode(text, allowed_special=allowed) for text in texts]
        assert [text for text, a, b in zip(texts, ours, found, strict=True) if a != b] == []
    assert all(theirs.decode(own[name].encode(text)) == text for text in texts[:99])


@pytest.mark.parametrize("name", BYTE_SCHEMES)
def test_out_and_in_again_is_the_same_but_for_the_counts(name, own, tmp_path):
    tok, theirs = own[name], to_tiktoken(own[name])
    uncounted = [merge._replace(count=0) for merge in tok.merges]
    expected = Tokenizer(name, tok.alphabet, uncounted, tok.special_tokens)
    assert from_tiktoken(theirs._mergeable_ranks, name, theirs._special_tokens) == expected
    to_huggingface(tok).save(str(tmp_path / "tokenizer.json"))
    assert from_huggingface(tmp_path / "tokenizer.json") == expected
    assert expected.vocab == tok.vocab


def test_what_hugging_face_has_trained_is_read(story, strings):
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=1000, show_progress=False, initial_alphabet=alphabet
    )
    theirs.train_from_iterator(story.splitlines(keepends=True), trainer)
    theirs.add_special_tokens([END])
    tok = from_huggingface(theirs)
    assert len(tok) == theirs.get_vocab_size() == 1001
    found = [encoding.ids for encoding in theirs.encode_batch(strings)]
    assert [
        text for text, ids in zip(strings, found, strict=True) if allowing(tok)(text) != ids
    ] == []


@pytest.mark.parametrize("pattern", SPELLINGS)
def test_every_pattern_that_is_read_cuts_as_the_scheme_does(pattern, own, strings):
    split = tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated")
    scheme = SCHEMES[SPELLINGS[pattern]]
    for text in strings:
        assert list(scheme.split(text)) == [word for word, _ in split.pre_tokenize_str(text)]


def test_only_the_pattern_of_cl100k_means_something_else_to_oniguruma():
    split = tokenizers.pre_tokenizers.Split
    for name in PATTERN_SCHEMES:
        as_is, ours = SCHEMES[name].pattern, ONIGURUMA[name]
        assert (as_is == ours) == (name != "cl100k")
    as_is = split(tokenizers.Regex(SCHEMES["cl100k"].pattern), "isolated")
    assert [word for word, _ in as_is.pre_tokenize_str("12345")] == ["12345"]
    assert list(SCHEMES["cl100k"].split("12345")) == ["123", "45"]


@pytest.mark.parametrize("length", [99, 100, 101, 10_000, 200_000])
def test_a_long_text_without_cuts_is_one_word_for_all(length, own, story):
    text = (story * 4)[:length]
    expected = own["bytes"].encode(text)
    assert to_tiktoken(own["bytes"]).encode_ordinary(text) == expected
    assert to_huggingface(own["bytes"]).encode(text).ids == expected


@pytest.mark.parametrize("name", PATTERN_SCHEMES)
@pytest.mark.parametrize(
    "piece", [" ", "\n", "\t\n ", "a", "1", "!", "é", "\u0301", "Aa"], ids=ascii
)
def test_long_runs_encode_the_same(name, piece, own):
    tiktok, hugging = to_tiktoken(own[name]), to_huggingface(own[name])
    for text in (piece * 10_000, piece * 10_000 + "x", f"x{piece * 5000} {piece * 5000}"):
        expected = own[name].encode(text)
        assert tiktok.encode_ordinary(text) == expected
        assert hugging.encode(text).ids == expected
