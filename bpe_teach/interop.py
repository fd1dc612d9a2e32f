"""Interop: tokenizers of GPT-2, tiktoken and Hugging Face come in, and ours go out to them.

All of them hold what a `Tokenizer` of bytes holds: an alphabet, merges, special tokens. They differ
in how they write it down. What cannot be carried over exactly is refused with a ValueError.
"""

import os
from collections.abc import Mapping
from importlib import import_module
from itertools import pairwise

from bpe_teach.corpora import corpus_path
from bpe_teach.formats import (
    BYTE_OF,
    ONIGURUMA,
    blame,
    compare_ids,
    field,
    need_ids,
    print_token,
    read_added,
    read_file,
    read_json,
    read_merge,
    read_ranks,
    read_split,
    recover_merges,
    refuse_unlike,
)
from bpe_teach.schemes import SCHEMES, Scheme, find_scheme
from bpe_teach.storage import need
from bpe_teach.tokenizer import Tokenizer

__all__ = ["from_gpt2", "from_huggingface", "from_tiktoken"]
__all__ += ["to_huggingface", "to_tiktoken"]

BYTE_SCHEMES = [name for name, scheme in SCHEMES.items() if scheme.units is bytes]
END = "<|endoftext|>"


def from_gpt2(
    vocab_bpe: str | os.PathLike | None = None, encoder_json: str | os.PathLike | None = None
) -> Tokenizer:
    """Read GPT-2's tokenizer, with GPT-2's own ids, from the two files in which it was published.

    Without paths the files are the corpora ``gpt2_merges`` and ``gpt2_vocab``, downloaded once.
    ``from_gpt2().encode("low lower")`` is ``[9319, 2793]``.

    Raises ValueError if a file is broken, or if the two do not fit each other.
    """
    vocab_bpe = corpus_path("gpt2_merges") if vocab_bpe is None else vocab_bpe
    encoder_json = corpus_path("gpt2_vocab") if encoder_json is None else encoder_json
    with blame(vocab_bpe):
        version, *lines = read_file(vocab_bpe).decode("utf-8").removesuffix("\n").split("\n")
        need(version.startswith("#version"), "its first line does not begin with #version")
    with blame(encoder_json):
        ids = read_json(read_file(encoder_json))
        need_ids(ids, str)
    with blame(f"{os.fspath(vocab_bpe)} with {os.fspath(encoder_json)}"):
        return build("gpt2", ids, lines, [END])


def from_tiktoken(
    ranks: Mapping[bytes, int] | str | os.PathLike,
    scheme: str | Scheme,
    special_tokens: Mapping[str, int] | None = None,
) -> Tokenizer:
    """Turn a vocabulary of tiktoken, tokens with ranks but no merges, into a `Tokenizer`.

    ``ranks`` maps tokens to ranks, or is a .tiktoken file: in each line a token in base64, a space,
    its rank. The first 256 are the single bytes. Ids of special tokens must follow without a hole.

    Why ranks are enough: when the neighbours x and y are about to become a token of rank r, all
    that ranks below r can join is joined, and nothing was joined across the ends of xy. So x and y
    are what xy alone is encoded to with the ranks below r. That is one pair, and it is the merge.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ow": 256, b"low": 257}
    >>> [merge.pair for merge in from_tiktoken(ranks, "gpt2").merges]
    [(b'o', b'w'), (b'l', b'ow')]

    Raises ValueError if ranks or ids leave holes, or a token is not two tokens of lower rank.
    """
    scheme, specials = find_scheme(scheme), special_tokens or {}
    need(scheme.units is bytes, f"scheme {scheme.name!r} has no bytes; take one of {BYTE_SCHEMES}")
    given = isinstance(ranks, Mapping)
    with blame("ranks" if given else ranks):
        ranks = ranks if given else read_ranks(read_file(ranks))
        need_ids(ranks, bytes)
        need_ids(specials, str)
        tok = Tokenizer(scheme, *recover_merges(ranks), sorted(specials, key=specials.get))
        compare_ids(specials, tok.special_tokens)
    return tok


def from_huggingface(source) -> Tokenizer:
    """Read a byte-level BPE of Hugging Face, a tokenizer.json or a `tokenizers.Tokenizer`.

    Hugging Face recognises special tokens in every text; here that is ``allowed_special="all"``.

    Raises ValueError for whatever has no like here: normalizers, other splits, added spaces, …
    """
    given = hasattr(source, "to_str")
    with blame("tokenizer" if given else source):
        data = read_json(source.to_str().encode("utf-8") if given else read_file(source))
        model = field(data, "model", dict)
        refuse_unlike(data, model)
        scheme = read_split(field(data, "pre_tokenizer", dict))
        vocab, added = field(model, "vocab", dict), read_added(field(data, "added_tokens", list))
        need_ids(vocab | added, str)
        fault = "an added token has another id in the vocabulary"
        need(all(vocab.get(name, i) == i for name, i in added.items()), fault)
        names = sorted(added, key=added.get)
        return build(scheme, vocab | added, field(model, "merges", list), names)


def to_tiktoken(tok: Tokenizer):
    """Turn a tokenizer of bytes into a `tiktoken.Encoding` with the same ids.

    Its ``encode_ordinary(text)`` is ``tok.encode(text)``, and ``allowed_special`` means the same.

    >>> to_tiktoken(Tokenizer.train("low", scheme="words", num_merges=0))
    Traceback (most recent call last):
    ValueError: scheme 'words' cannot be carried over; ['bytes', 'gpt2', 'cl100k', 'o200k'] can

    Raises ValueError for schemes of characters, for merges that ranks alone cannot express, and for
    a special token that begins with another one, because tiktoken takes either.
    """
    ranks = ordinary_ids(tok)
    for merge, found in zip(tok.merges, recover_merges(ranks)[1], strict=True):
        fault = f"{merge.token!r:.80} is made of {merge.pair}; by ranks it would be {found.pair}"
        need(merge.pair == found.pair, fault)
    for one, two in pairwise(sorted(tok.special_tokens)):
        need(not two.startswith(one), f"special token {two!r} begins with special token {one!r}")
    return library("tiktoken").Encoding(
        tok.scheme.name,
        pat_str=tok.scheme.pattern or r"(?s:.+)",
        mergeable_ranks=ranks,
        special_tokens=tok.special_tokens,
    )


def to_huggingface(tok: Tokenizer):
    """Turn a tokenizer of bytes into a `tokenizers.Tokenizer`, to ``save("tokenizer.json")``.

    Its ``encode(text).ids`` is ``tok.encode(text, allowed_special="all")``.

    >>> to_huggingface(Tokenizer.train("low", scheme="chars", num_merges=0))
    Traceback (most recent call last):
    ValueError: scheme 'chars' cannot be carried over; ['bytes', 'gpt2', 'cl100k', 'o200k'] can

    Raises ValueError for schemes of characters (Hugging Face leaves out what has no id, where here
    it is an error), and for special tokens spelled like printable tokens.
    """
    ids = printable_ids(tok)
    tokenizers = library("tokenizers")
    split = tokenizers.pre_tokenizers
    merges = [(print_token(merge.left), print_token(merge.right)) for merge in tok.merges]
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=ids, merges=merges))
    theirs.pre_tokenizer = split.ByteLevel(add_prefix_space=False, use_regex=False)
    if tok.scheme.pattern:
        words = split.Split(tokenizers.Regex(ONIGURUMA[tok.scheme.name]), "isolated")
        theirs.pre_tokenizer = split.Sequence([words, theirs.pre_tokenizer])
    theirs.decoder = tokenizers.decoders.ByteLevel()
    names = [tokenizers.AddedToken(n, normalized=False, special=True) for n in tok.special_tokens]
    theirs.add_special_tokens(names)
    return theirs


def ordinary_ids(tok: Tokenizer) -> dict[bytes, int]:
    """Number alphabet and merges; ValueError if others cannot have them."""
    name = tok.scheme.name
    carried = name in BYTE_SCHEMES and tok.scheme == SCHEMES[name]
    need(carried, f"scheme {name!r} cannot be carried over; {BYTE_SCHEMES} can")
    ids = {}  # token -> id
    for token in [*tok.alphabet, *(merge.token for merge in tok.merges)]:
        need(token not in ids, f"two merges make {token!r:.80}; elsewhere a token has one id")
        ids[token] = len(ids)
    return ids


def printable_ids(tok: Tokenizer) -> dict[str, int]:
    """Number all tokens as they are written in print, special tokens as they are."""
    ids = {print_token(token): i for token, i in ordinary_ids(tok).items()}
    for name in tok.special_tokens:
        need(name not in ids, f"special token {name!r} is spelled like another token in print")
    return ids | tok.special_tokens


def build(
    scheme: str, ids: dict[str, int], merges: list[str | list], special_tokens: list[str]
) -> Tokenizer:
    """Put a tokenizer together from what is in print; its ids must come out as those given."""
    missing = [byte for character, byte in BYTE_OF.items() if character not in ids]
    need(not missing, f"there are no ids for {len(missing)} of the 256 bytes: {missing[:3]} …")
    alphabet = [BYTE_OF[character] for character in sorted(BYTE_OF, key=ids.get)]
    number = len(alphabet) + len(merges) + len(special_tokens)
    fault = f"256 bytes, {len(merges):,} merges and {len(special_tokens)} special tokens need"
    need(number == len(ids), f"{fault} {number:,} ids, but there are {len(ids):,}")
    tok = Tokenizer(scheme, alphabet, map(read_merge, merges), special_tokens)
    compare_ids(ids, printable_ids(tok))
    return tok


def library(name: str):
    """Import a library that is not required; ValueError, with what to install, without it."""
    try:
        return import_module(name)
    except ImportError as error:
        install = "python -m pip install tiktoken tokenizers"
        raise ValueError(f"this needs the package {name}, which is missing: {install}") from error
