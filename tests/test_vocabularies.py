"""Vocabularies in use: each loads with its published ids, or is refused for what it does.

Their files are not part of the project: they are looked for in BPE_TEACH_DATA, and skipped by name.
Each is checked against its own library, on some hundred texts. To be quick, only the first merges
are kept; the one vocabulary that has nearly all that can be out of the ordinary is read whole.
"""

import base64
import json
from types import SimpleNamespace

import pytest
from common import published
from partners import check_equal

from bpe_further import to_tiktoken
from bpe_further.exchange.check import JOINS_OTHERWISE, check_against, sample_texts
from bpe_further.exchange.huggingface import from_huggingface
from bpe_further.exchange.huggingface_write import to_huggingface
from bpe_further.exchange.load import load_tokenizer
from bpe_further.exchange.openai import from_tiktoken
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.schemes import COMPLETE
from bpe_teach import SCHEMES, Tokenizer, load_corpus

END = "<|endoftext|>"
FILL = {"<|fim_prefix|>": 50281, "<|fim_middle|>": 50282, "<|fim_suffix|>": 50283}
RANKS = {  # file -> scheme, special tokens
    "p50k_base": ("gpt2", {END: 50256} | FILL),
    "cl100k_base": ("cl100k", {END: 100257, "<|endofprompt|>": 100276, "<|two|>": 100276}),
    "whisper_multilingual": ("gpt2", {END: 50257, "<|startoftranscript|>": 50258}),
}
KEPT = 5000  # merges or ranks, of the first ones
WHOLE = "gpt_neox_20B_tokenizer"
JSON = [WHOLE, "allenai_dolma2", "roberta_base_tokenizer"]  # <mask> of the last has lstrip


def keep_first_merges(model, added):
    """Take the later merges from a model, and the tokens that they make."""
    made = [merge.replace(" ", "") for merge in model["merges"]]
    for token in set(made[KEPT:]) - set(made[:KEPT]) - added:
        del model["vocab"][token]
    del model["merges"][KEPT:]


def test_the_check_finds_other_ids_and_texts_that_are_decoded_otherwise():
    ours = PublishedTokenizer.of(Tokenizer.train("low low lower", num_merges=3))
    assert check_against(ours, ours) > 300
    ids = ours.ids | {b"l": ours.ids[b"o"], b"o": ours.ids[b"l"]}
    other = PublishedTokenizer("gpt2", ours.alphabet, ours.merges, ids=ids)
    with pytest.raises(ValueError, match="'Low' has the ids .*, and there"):
        check_against(ours, other)
    shouting = SimpleNamespace(encode=ours.encode, decode=lambda ids: ours.decode(ids).upper())
    with pytest.raises(ValueError, match="'Low' is decoded to 'Low' here, and there to 'LOW'"):
        check_against(ours, shouting)


@pytest.mark.parametrize("name", RANKS)
def test_published_ranks_give_the_ids_of_tiktoken(name, tmp_path):
    tiktoken = pytest.importorskip("tiktoken")
    scheme, special_tokens = RANKS[name]
    lines = published(f"{name}.tiktoken").read_bytes().splitlines()
    lines = [*lines[:KEPT], *lines[-KEPT // 10 :]]  # the last have holes before them, or are empty
    path = tmp_path / "some.tiktoken"
    path.write_bytes(b"\n".join(lines))
    ranks = {}
    for line in lines:
        token, rank = line.split()
        ranks[base64.b64decode(token)] = int(rank)
    pattern = SCHEMES[scheme].pattern
    theirs = tiktoken.Encoding(
        name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special_tokens
    )
    ours = from_tiktoken(path, scheme, special_tokens)
    ours.notes.append(JOINS_OTHERWISE)  # two names may have one id: either is decoded
    check_against(ours, theirs)
    # the last tokens: no merges make them any more, and they are found as whole words only
    check_equal(ours, theirs, [token.decode("utf-8", "ignore") for token in list(ranks)[-200:]])


@pytest.mark.slow
@pytest.mark.parametrize("name", JSON)
def test_a_published_json_gives_the_ids_of_tokenizers(name, tmp_path):
    pytest.importorskip("tokenizers")
    path = published(f"{name}.json")
    if name != WHOLE:
        data = json.loads(path.read_text("utf-8"))
        keep_first_merges(data["model"], {token["content"] for token in data["added_tokens"]})
        path = tmp_path / "tokenizer.json"
        path.write_text(json.dumps(data), "utf-8")
    ours = from_huggingface(path, check=True)
    for text in sample_texts([]):
        assert ours.decode(ours.encode(text)) == ours.scheme.change(text)
    if name == WHOLE:
        check_against(ours, to_huggingface(ours))
        ours.save(tmp_path / "tok.json")
        assert load_tokenizer(tmp_path / "tok.json") == ours


@pytest.mark.slow
def test_the_ends_of_words_of_bytes_are_as_in_clip(tmp_path):
    pytest.importorskip("tokenizers")
    ours = from_huggingface(published("clip_tokenizer.json"), check=True)
    assert ours.tokens("a photo") == [b"a</w>", b"photo</w>"]
    assert ours.notes[-1] == "decoding writes </w> after each word, as the package tokenizers does"
    assert check_against(ours, to_huggingface(ours)) > 300
    assert ours.offsets("a phôto")[-1][1] == 7
    ours.save(tmp_path / "tok.json")
    assert load_tokenizer(tmp_path / "tok.json") == ours
    with pytest.raises(ValueError, match="tiktoken has no sign at the end of a word"):
        to_tiktoken(ours)


# what people train with the library of Hugging Face


def train_as_the_course_of_hugging_face(tokenizers, text):
    """Train with the alphabet that is there, and the special token in front."""
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=700, special_tokens=[END], show_progress=False
    )
    theirs.train_from_iterator([text], trainer)
    theirs.post_processor = tokenizers.processors.ByteLevel(trim_offsets=False)
    theirs.decoder = tokenizers.decoders.ByteLevel()
    return theirs


def train_byte_level_class(tokenizers, text):
    """Train with the ready-made class, special tokens as in RoBERTa's recipe."""
    theirs = tokenizers.ByteLevelBPETokenizer()
    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    theirs.train_from_iterator([text], vocab_size=700, special_tokens=names, show_progress=False)
    return theirs._tokenizer


def train_with_a_space_before(tokenizers, text):
    """Train with ByteLevel() as it is by default."""
    theirs = train_as_the_course_of_hugging_face(tokenizers, text)
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel()
    return theirs


def train_as_nanochat(tokenizers, text):
    """Train with digits by two, the whole alphabet and special tokens of a chat."""
    pattern = next(one for one in COMPLETE if r"\p{N}{1,2}" in one and "?+" in one)
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(byte_fallback=True, fuse_unk=False))
    split = tokenizers.pre_tokenizers
    words = split.Split(tokenizers.Regex(pattern), behavior="isolated", invert=False)
    only_bytes = split.ByteLevel(add_prefix_space=False, use_regex=False)
    theirs.pre_tokenizer = split.Sequence([words, only_bytes])
    theirs.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=700,
        min_frequency=0,
        initial_alphabet=split.ByteLevel.alphabet(),
        special_tokens=["<|bos|>", "<|user_start|>", "<|user_end|>"],
        show_progress=False,
    )
    theirs.train_from_iterator([text], trainer)
    return theirs


RECIPES = [train_as_the_course_of_hugging_face, train_byte_level_class]
RECIPES += [train_with_a_space_before, train_as_nanochat]


@pytest.mark.parametrize("recipe", RECIPES)
def test_what_people_train_loads_with_its_ids(recipe):
    tokenizers = pytest.importorskip("tokenizers")
    story = load_corpus("story")
    theirs = recipe(tokenizers, story)
    ours = from_huggingface(theirs, check=True)
    check_equal(ours, theirs, story.splitlines())  # some have no more than its characters
    check_equal(ours, to_huggingface(ours), story.splitlines())
    assert ours.vocab.keys() == set(theirs.get_vocab().values())
    if len(ours.alphabet) < 256:
        check_equal(ours, theirs, ["low \u1234", "\u1234low"])  # bytes without an id are left out
