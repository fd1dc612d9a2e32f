"""Partners: ask tiktoken and tokenizers the same as a tokenizer of ours, and compare."""

import json
from functools import lru_cache

import pytest
from common import rows

from bpe_further import from_huggingface, from_tiktoken, to_huggingface, to_tiktoken
from bpe_further.exchange.check import check_against
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.shared import printable_bytes

BYTE_OF = {character: bytes([byte]) for byte, character in printable_bytes().items()}
BYTE_NAMES = [f"<0x{byte:02X}>" for byte in range(256)]
MADE = dict(rows("foreign/made"))
TRAINED = dict(rows("foreign/trained"))
SEND = {"tiktoken": to_tiktoken, "tokenizers": to_huggingface}


def train_theirs(texts, size, **options):
    """Train a tokenizer of bytes with the library of Hugging Face."""
    tokenizers = pytest.importorskip("tokenizers")
    byte_level = tokenizers.pre_tokenizers.ByteLevel
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = byte_level(add_prefix_space=False)
    theirs.decoder = tokenizers.decoders.ByteLevel()
    options |= {"show_progress": False, "initial_alphabet": byte_level.alphabet()}
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=size, **options)
    theirs.train_from_iterator(texts, trainer)
    return theirs


def make(name, texts, size=700):
    """Train a tokenizer of a kind in tables/foreign.txt with the library of Hugging Face."""
    tokenizers = pytest.importorskip("tokenizers")
    model = {"type": "BPE", "vocab": {}, "merges": []} | MADE[name].get("model", {})
    data = {"version": "1.0", "added_tokens": []} | MADE[name] | {"model": model}
    theirs = tokenizers.Tokenizer.from_str(json.dumps(data))
    has_all_bytes = "ByteLevel" in str(MADE[name]) and not model.get("fuse_unk")
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=["[UNK]", "<s>", "</s>"] + BYTE_NAMES * ("byte_fallback" in model),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet() if has_all_bytes else [],
        show_progress=False,
        **{sign: model[sign] for sign in ["end_of_word_suffix"] if sign in model},
    )
    theirs.train_from_iterator(texts, trainer)
    added = tokenizers.AddedToken
    theirs.add_special_tokens([added("<mask>", lstrip=True), added("<end>", rstrip=True)])
    theirs.add_tokens(["tower"])
    if "byte_fallback" in model:  # the trainer has no other way to give these tokens ids
        data = json.loads(theirs.to_str())
        kept = [token for token in data["added_tokens"] if token["content"] not in BYTE_NAMES]
        theirs = tokenizers.Tokenizer.from_str(json.dumps(data | {"added_tokens": kept}))
    return theirs


def train_sentencepiece(prefix, lines, size, options):
    """Train a model of SentencePiece, a BPE without normalization unless options say more."""
    sentencepiece = pytest.importorskip("sentencepiece")
    given = {"model_type": "bpe", "normalization_rule_name": "identity"} | options
    given |= {"model_prefix": str(prefix), "vocab_size": size, "minloglevel": 2}
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(lines), **given)
    return sentencepiece.SentencePieceProcessor(model_file=f"{prefix}.model")


def merges_of(theirs):
    """Return the merges of a tokenizer of theirs, in bytes."""
    merges = json.loads(theirs.to_str())["model"]["merges"]
    return [tuple(b"".join(map(BYTE_OF.get, part)) for part in merge) for merge in merges]


def encode_all(theirs, texts, recognize):
    """Encode texts, with special tokens recognized or read as ordinary text."""
    if hasattr(theirs, "encode_ordinary"):
        encode = theirs.encode if recognize else theirs.encode_ordinary
        options = {"allowed_special": "all"} if recognize else {}
        return [encode(text, **options) for text in texts]
    theirs.encode_special_tokens = not recognize
    return [encoding.ids for encoding in theirs.encode_batch(texts, add_special_tokens=False)]


def read_back(theirs, scheme):
    if hasattr(theirs, "encode_ordinary"):
        return from_tiktoken(theirs._mergeable_ranks, scheme, theirs._special_tokens)
    return from_huggingface(theirs)


def differing(texts, ids, others):
    return [text for text, one, two in zip(texts, ids, others, strict=True) if one != two]


@lru_cache(maxsize=2)  # so that several partners in turn are compared with the same ids
def our_ids(tok, texts, recognize):
    return [tok.encode(text, allowed_special="all" if recognize else ()) for text in texts]


def check_equal(ours, theirs, texts):
    """Check that both give all texts the same ids, without special tokens and with them."""
    for recognize in (False, True):
        ids = our_ids(ours, tuple(texts), recognize)
        assert differing(texts, ids, encode_all(theirs, texts, recognize)) == []


def check_alike(ours, theirs, texts):
    """Check that both give every text the same ids and those the same text; and read theirs."""
    ours = PublishedTokenizer.of(ours)
    assert check_against(ours, theirs) > 100
    check_equal(ours, theirs, texts)
    expected = PublishedTokenizer(
        ours.scheme,
        sorted(ours.alphabet, key=ours.ids.get),
        [merge._replace(count=0) for merge in ours.merges],
        ours.special_tokens,
        ids=ours.ids,
        added_tokens=ours.added_tokens,
        lstrip=ours.lstrip,
        whole_words=ours.whole_words,
    )
    assert read_back(theirs, ours.scheme) == expected
