"""Hugging Face: a byte-level BPE comes in from a tokenizer.json, and ours go out to one.

A tokenizer.json can do much that a `Tokenizer` does not. Each check below looks at one such thing;
to carry more over, teach the one check what else is welcome.
"""

import json
from collections.abc import Iterator
from itertools import chain

from bpe_teach.exchange.shared import (
    alphabet_faults,
    check_path,
    id_faults,
    import_library,
    numbering_faults,
    order_faults,
    ordinary_ids,
    print_token,
    put_together,
    raise_faults,
    read_file,
    read_json,
    read_merge,
    size_faults,
    spelling_faults,
)
from bpe_teach.files import naming_file
from bpe_teach.patterns import CL100K, GPT2, O200K
from bpe_teach.storage import field, require
from bpe_teach.tokenizer import Tokenizer

__all__ = ["from_huggingface", "to_huggingface"]

# Hugging Face runs patterns on Oniguruma, which reads {1,3}+ as a group {1,3} repeated. The + only
# forbids to give back what is matched; nothing follows that could ask for it, so it may go.
ONIGURUMA = {"gpt2": GPT2, "cl100k": CL100K.replace("{1,3}+", "{1,3}"), "o200k": O200K}
SPELLINGS = {pattern: name for name, pattern in ONIGURUMA.items()} | {
    # two more ways to write the cuts of GPT-2: as in its first code, and as in tiktoken
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "gpt2",
}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False}  # use_regex is true if left out
ONLY_BYTES = BYTE_LEVEL | {"use_regex": False}
SPLIT = {"type": "Split", "behavior": "Isolated", "invert": False}

UNSUPPORTED = {  # field -> what it does that a Tokenizer does not do
    "normalizer": "changes the text first",
    "truncation": "cuts long texts off",
    "padding": "fills short texts up",
}
UNSUPPORTED_IN_MODEL = {
    "dropout": "leaves merges out at random",
    "unk_token": "stands for what has no id",
    "continuing_subword_prefix": "marks what does not begin a word",
    "end_of_word_suffix": "marks what ends a word",
    "byte_fallback": "spells what has no id in bytes",
    "ignore_merges": "looks for whole words before it merges",
}


def from_huggingface(source) -> Tokenizer:
    """Read a byte-level BPE of Hugging Face, a tokenizer.json or a `tokenizers.Tokenizer`.

    Hugging Face recognises special tokens in every text; here that is ``allowed_special="all"``.

    >>> import pathlib, tempfile
    >>> from bpe_teach.exchange.shared import printable_bytes
    >>> vocab = {character: i for i, character in enumerate(printable_bytes().values())}
    >>> data = {
    ...     "added_tokens": [],
    ...     "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
    ...     "model": {"vocab": vocab | {"lo": 256}, "merges": ["l o"]},
    ... }
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tokenizer.json")
    >>> _ = path.write_text(json.dumps(data), "utf-8")
    >>> from_huggingface(path).tokens("low")
    [b'lo', b'w']

    Raises ValueError that lists all that a `Tokenizer` does not do: normalizers, other splits, …
    """
    if hasattr(source, "to_str"):
        with naming_file("tokenizer"):
            return _read_tokenizer(source.to_str().encode("utf-8"))
    check_path(source, "the path of a tokenizer.json, or a tokenizers.Tokenizer")
    with naming_file(source):
        return _read_tokenizer(read_file(source))


def _read_tokenizer(content: bytes) -> Tokenizer:
    """Make a tokenizer of what a tokenizer.json says.

    The numbering is looked at only once all that is numbered can be read. Faults that many tokens
    may share come late, to leave the others room among those that are shown.
    """
    data = read_json(content)
    require(isinstance(data, dict), "it is not a JSON object")
    raise_faults(_size_faults(data))
    general_faults = _run(WHAT_IT_DOES, data)
    special_faults = _run([_special_faults], data)
    unreadable = list(_run(WHAT_IT_HOLDS, data))
    if unreadable:
        raise_faults(chain(general_faults, unreadable, special_faults))

    merges = [read_merge(merge) for merge in data["model"]["merges"]]
    added = {name: token["id"] for _, name, token in _added_tokens(data)}
    names = sorted(added, key=added.get)
    ids = data["model"]["vocab"] | added
    misnumbered = list(order_faults(merges, "merge")) or numbering_faults(ids, merges, names)
    raise_faults(chain(general_faults, special_faults, misnumbered))
    return put_together(find_split(data["pre_tokenizer"]), ids, merges, names)


def _run(checks: list, data: dict) -> Iterator[str]:
    """Yield the faults that checks yield, or raise where a part is missing."""
    for check in checks:
        try:
            yield from check(data)
        except ValueError as fault:
            yield str(fault)


def _size_faults(data: dict) -> Iterator[str]:
    """Check that no part has very many entries."""
    model = data.get("model")
    if not isinstance(model, dict):
        model = {}
    parts = {
        "tokens": model.get("vocab"),
        "merges": model.get("merges"),
        "added tokens": data.get("added_tokens"),
    }
    for name, part in parts.items():
        if isinstance(part, list | dict):
            yield from size_faults({name: part})


# what it does


def _text_faults(data: dict) -> Iterator[str]:
    """Check that nothing is done to the text or to the ids."""
    for name, what in UNSUPPORTED.items():
        if data.get(name):
            yield f"{name} {what}, which a Tokenizer does not do: {data[name]!r:.80}"


def _model_faults(data: dict) -> Iterator[str]:
    """Check that the model is BPE and has no habits of its own."""
    model = field(data, "model", dict)
    kind = model.get("type", "BPE")
    if kind != "BPE":
        yield f"its model is not BPE: {kind!r:.80}"
    for name, what in UNSUPPORTED_IN_MODEL.items():
        if model.get(name):
            yield f"{name} {what}, which a Tokenizer does not do: {model[name]!r:.80}"


def _byte_level_faults(data: dict) -> Iterator[str]:
    """Check that tokens are decoded as bytes and nothing is put around them."""
    for name in ("decoder", "post_processor"):
        part = data.get(name) or BYTE_LEVEL
        if not isinstance(part, dict) or part.get("type") != "ByteLevel":
            yield f"{name} is not ByteLevel: {part!r:.80}"


def _split_faults(data: dict) -> Iterator[str]:
    """Check that a scheme cuts the text alike."""
    pre_tokenizer = field(data, "pre_tokenizer", dict)
    if find_split(pre_tokenizer) is None:
        yield f"no scheme cuts like its pre_tokenizer: {pre_tokenizer!r:.400}"


def find_split(pre_tokenizer: dict) -> str | None:
    """Return the scheme that cuts as a pre-tokenizer of Hugging Face does, if there is one.

    >>> find_split({"type": "ByteLevel", "add_prefix_space": False, "use_regex": True})
    'gpt2'
    """
    steps = [pre_tokenizer]
    if pre_tokenizer.get("type") == "Sequence":
        steps = pre_tokenizer.get("pretokenizers")
    return SPLITS.get(_write_steps(steps))


def _write_steps(steps) -> str:
    """Write the steps of a pre-tokenizer so that they can be compared, true and 1 apart."""
    if not isinstance(steps, list):
        return ""
    compared = []
    for step in steps:
        if isinstance(step, dict):
            step = {name: value for name, value in step.items() if name != "trim_offsets"}
        compared.append(step)
    return json.dumps(compared, sort_keys=True)


def _list_splits() -> dict[str, str]:
    """List the ways to write each split, with the scheme that cuts like it."""
    splits = {
        _write_steps([BYTE_LEVEL]): "gpt2",
        _write_steps([BYTE_LEVEL | {"use_regex": True}]): "gpt2",
        _write_steps([ONLY_BYTES]): "bytes",
    }
    for pattern, name in SPELLINGS.items():
        split = SPLIT | {"pattern": {"Regex": pattern}}
        splits[_write_steps([split, ONLY_BYTES])] = name
    return splits


SPLITS = _list_splits()


def _normalized_faults(data: dict) -> Iterator[str]:
    """Check that added tokens are looked for together, not some before the others."""
    kinds = {bool(token.get("normalized")) for _, _, token in _added_tokens(data)}
    if len(kinds) > 1:
        yield "some added tokens are normalized and some are not"


def _special_faults(data: dict) -> Iterator[str]:
    """Check that added tokens are special, and nothing but their text is taken for them."""
    for place, _, token in _added_tokens(data):
        if token.get("special") is not True:
            yield f"{place} is not special"
        for name in ("lstrip", "rstrip", "single_word"):
            if token.get(name):
                yield f"{place} has {name}: more than its own text decides where it is"


# what it holds


def _alphabet_faults(data: dict) -> Iterator[str]:
    """Check that every byte has an id."""
    return alphabet_faults(field(field(data, "model", dict), "vocab", dict))


def _id_faults(data: dict) -> Iterator[str]:
    """Check that tokens have ids."""
    return id_faults(field(field(data, "model", dict), "vocab", dict), str)


def _merge_faults(data: dict) -> Iterator[str]:
    """Check that merges can be read."""
    return spelling_faults(field(field(data, "model", dict), "merges", list), "merge")


def _added_tokens(data: dict) -> Iterator[tuple[str, str, dict]]:
    """Yield of each added token that has a text where it stands, the text and all that is said."""
    for number, token in enumerate(field(data, "added_tokens", list)):
        if isinstance(token, dict) and isinstance(token.get("content"), str):
            name = token["content"]
            yield f"added token {number} ({name!r:.80})", name, token


def _content_faults(data: dict) -> Iterator[str]:
    """Check that added tokens are objects with a text."""
    for number, token in enumerate(field(data, "added_tokens", list)):
        if not isinstance(token, dict) or not isinstance(token.get("content"), str):
            yield f"added token {number} has no content that is a text: {token!r:.80}"


def _added_id_faults(data: dict) -> Iterator[str]:
    """Check that added tokens have one id each, that of the vocabulary if they are in it."""
    vocab = field(field(data, "model", dict), "vocab", dict)
    known = set()
    for place, name, token in _added_tokens(data):
        i = token.get("id")
        if type(i) is not int or i < 0:
            yield f"{place} has the id {i!r:.80}, not a whole number from 0 on"
        elif vocab.get(name, i) != i:
            yield f"{place} has the id {i!r:.80}, but {vocab[name]!r:.80} in the vocabulary"
        if name in known:
            yield f"{place} is there twice"
        known.add(name)


WHAT_IT_DOES = [
    _text_faults,
    _model_faults,
    _byte_level_faults,
    _split_faults,
    _normalized_faults,
]
WHAT_IT_HOLDS = [
    _alphabet_faults,
    _content_faults,
    _added_id_faults,
    _merge_faults,
    _id_faults,
]


# out


def to_huggingface(tok: Tokenizer):
    """Turn a tokenizer of bytes into a `tokenizers.Tokenizer`, to ``save("tokenizer.json")``.

    Its ``encode(text).ids`` is ``tok.encode(text, allowed_special="all")``.

    >>> to_huggingface(Tokenizer.train("low", scheme="chars", num_merges=0))
    Traceback (most recent call last):
    ValueError: scheme 'chars' cannot be carried over; ['bytes', 'gpt2', 'cl100k', 'o200k'] can

    Raises ValueError for schemes of characters (Hugging Face leaves out what has no id, where here
    it is an error), and for special tokens spelled like printable tokens.
    """
    ids = _printable_ids(tok)
    merges = [(print_token(merge.left), print_token(merge.right)) for merge in tok.merges]
    tokenizers = import_library("tokenizers")
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=ids, merges=merges))
    split = tokenizers.pre_tokenizers
    theirs.pre_tokenizer = split.ByteLevel(add_prefix_space=False, use_regex=False)
    if tok.scheme.pattern:
        words = split.Split(tokenizers.Regex(ONIGURUMA[tok.scheme.name]), "isolated")
        theirs.pre_tokenizer = split.Sequence([words, theirs.pre_tokenizer])
    theirs.decoder = tokenizers.decoders.ByteLevel()
    names = [tokenizers.AddedToken(n, normalized=False, special=True) for n in tok.special_tokens]
    theirs.add_special_tokens(names)
    return theirs


def _printable_ids(tok: Tokenizer) -> dict[str, int]:
    """Number all tokens as they are written in print, special tokens as they are."""
    ids = {print_token(token): i for token, i in ordinary_ids(tok).items()}
    for name in tok.special_tokens:
        require(name not in ids, f"special token {name!r} is spelled like another token in print")
    return ids | tok.special_tokens
