"""Formats: how others write a tokenizer down, and how to read it without trusting it.

GPT-2 and Hugging Face write tokens in a printable alphabet of bytes; tiktoken writes them in base64
and leaves the merges out. A file is data: nothing in it is executed, and its size is limited.
"""

import base64
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from bpe_teach.encode import encode_by_rank
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.patterns import CL100K, GPT2, O200K
from bpe_teach.schemes import BYTES
from bpe_teach.storage import need

# Hugging Face runs patterns on Oniguruma, which reads {1,3}+ as a group {1,3} repeated. The + only
# forbids to give back what is matched; nothing follows that could ask for it, so it may go.
ONIGURUMA = {"gpt2": GPT2, "cl100k": CL100K.replace("{1,3}+", "{1,3}"), "o200k": O200K}
SPELLINGS = {pattern: name for name, pattern in ONIGURUMA.items()} | {
    # two more ways to write the cuts of GPT-2: as in its first code, and as in tiktoken
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+": "gpt2",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s": "gpt2",
}
BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False}
SPLIT = {"type": "Split", "behavior": "Isolated", "invert": False}
UNLIKE = ("dropout", "unk_token", "continuing_subword_prefix", "end_of_word_suffix")
UNLIKE += ("byte_fallback", "ignore_merges", "normalizer", "truncation", "padding")

MAX_FILE, MAX_TOKEN = 30_000_000, 10_000  # bytes; enough for 200,000 tokens


def printable_bytes() -> dict[int, str]:
    """Give every byte a printable character, in the order in which GPT-2 numbers the bytes.

    The 188 bytes that are visible characters of Latin-1 stand for themselves; the other 68, white
    space and controls, get the characters number 256, 257, … in order (Radford et al. 2019).

    >>> [printable_bytes()[byte] for byte in b"A \\n"]
    ['A', 'Ġ', 'Ċ']
    """
    visible = [byte for byte in range(256) if chr(byte).isprintable() and byte != ord(" ")]
    others = [byte for byte in range(256) if byte not in visible]
    return {byte: chr(byte) for byte in visible} | {b: chr(256 + n) for n, b in enumerate(others)}


PRINTABLE = printable_bytes()
BYTE_OF = {character: BYTES[byte] for byte, character in PRINTABLE.items()}


def print_token(token: bytes) -> str:
    """Write a token in printable characters, one for each byte: b" low" as "Ġlow"."""
    return "".join(map(PRINTABLE.__getitem__, token))


def read_token(token: str) -> bytes:
    """Read what `print_token` writes; ValueError for anything else."""
    if not isinstance(token, str) or not token or not all(map(BYTE_OF.__contains__, token)):
        raise ValueError(f"{token!r:.80} is not spelled in the printable characters of bytes")
    return b"".join(map(BYTE_OF.__getitem__, token))


def read_merge(merge: str | list) -> Merge:
    """Read a merge, written as "left right" or as [left, right]; no count comes with it.

    >>> read_merge("l ow"), read_merge(["Ġ", "low"])
    (Merge(left=b'l', right=b'ow', count=0), Merge(left=b' ', right=b'low', count=0))
    """
    parts = merge.split(" ") if isinstance(merge, str) else merge
    need(isinstance(parts, list) and len(parts) == 2, f"{merge!r:.80} is no merge of two tokens")
    return Merge(*map(read_token, parts), 0)


def read_ranks(content: bytes) -> dict[bytes, int]:
    """Read lines of tiktoken: a token in base64, a space, its rank.

    >>> read_ranks(b"bG93 257\\n")
    {b'low': 257}
    """
    ranks = {}  # token -> rank
    for line in filter(None, content.splitlines()):
        token, _, rank = line.partition(b" ")
        need(rank.isdigit(), f"{line!r:.80} is not a token in base64, a space and a rank")
        token = base64.b64decode(token, validate=True)
        need(token not in ranks, f"the token {token!r:.80} is there twice")
        ranks[token] = int(rank)
    return ranks


def recover_merges(ranks: Mapping[bytes, int]) -> tuple[list[Symbol], list[Merge]]:
    """Find the alphabet and the merges of a vocabulary that gives only ranks.

    A token encoded with the tokens of lower rank falls into two parts: those its merge joins.
    Raises ValueError for a token that falls into more, and if the ranks leave holes.
    """
    tokens = sorted(ranks, key=ranks.get)
    for place, token in enumerate(tokens):
        need(ranks[token] == place, f"ranks must be 0, 1, 2, …: {place} is missing or there twice")
    need(set(tokens[:256]) == set(BYTES), "the ranks 0 to 255 are not those of the single bytes")
    found = {}  # (left, right) -> rank of the merge
    for token in tokens[256:]:
        need(len(token) <= MAX_TOKEN, f"token {token[:20]!r}… has more than {MAX_TOKEN:,} bytes")
        parts = encode_by_rank(tuple(map(BYTES.__getitem__, token)), found)
        fault = f"token {token!r:.80} cannot be reached: the ranks below {ranks[token]} leave it in"
        need(len(parts) == 2, f"{fault} {len(parts)} parts, not 2")
        found[parts] = len(found)
    return tokens[:256], [Merge(left, right, 0) for left, right in found]


def refuse_unlike(data: dict, model: dict) -> None:
    """Raise ValueError if a tokenizer.json does more than byte-level BPE."""
    need(model.get("type", "BPE") == "BPE", f"its model is {model.get('type')!r:.80}, not BPE")
    for name in UNLIKE:
        value = data.get(name) or model.get(name)
        need(not value, f"{name} is {value!r:.80}, which has no like here")
    for name in ("decoder", "post_processor"):
        part = data.get(name) or BYTE_LEVEL
        need(field(part, "type", str) == "ByteLevel", f"{name} is {part!r:.80}, not ByteLevel")


def read_split(pre_tokenizer: dict) -> str:
    """Return the scheme that cuts as a pre-tokenizer of Hugging Face does, or raise ValueError."""
    steps = [pre_tokenizer]
    if pre_tokenizer.get("type") == "Sequence":
        steps = field(pre_tokenizer, "pretokenizers", list)
    need(all(isinstance(step, dict) for step in steps), "a step of its pre_tokenizer is no object")
    known = {_text([BYTE_LEVEL]): "gpt2", _text([BYTE_LEVEL | {"use_regex": True}]): "gpt2"}
    known[_text([last := BYTE_LEVEL | {"use_regex": False}])] = "bytes"
    for pattern, name in SPELLINGS.items():
        known[_text([SPLIT | {"pattern": {"Regex": pattern}}, last])] = name
    need(_text(steps) in known, f"no scheme cuts like its pre_tokenizer {pre_tokenizer!r:.400}")
    return known[_text(steps)]


def _text(steps: list[dict]) -> str:
    """Write the steps of a pre-tokenizer so that they can be compared, true and 1 apart."""
    parts = [{k: v for k, v in step.items() if k != "trim_offsets"} for step in steps]
    return json.dumps(parts, sort_keys=True)


def read_added(added: list) -> dict[str, int]:
    """Read the special tokens of Hugging Face and their ids; ValueError for any other kind."""
    ids = {}  # special token -> id
    for token in added:
        name = field(token, "content", str)
        odd = any(map(token.get, ("lstrip", "rstrip", "single_word")))
        need(token.get("special") is True and not odd, f"{token!r:.200} is no plain special token")
        need(name not in ids, f"the added token {name!r:.80} is there twice")
        ids[name] = token.get("id")
    kinds = {bool(token.get("normalized")) for token in added}
    need(len(kinds) < 2, "some added tokens are normalized and some are not")
    return ids


def need_ids(ids: Mapping, kind: type) -> None:
    """Raise ValueError unless ``ids`` maps tokens of that kind to whole numbers."""
    need(isinstance(ids, Mapping), f"ids must be a mapping, not {type(ids).__name__}")
    for token, i in ids.items():
        need(isinstance(token, kind), f"{token!r:.80} is no token: it must be {kind.__name__}")
        need(type(i) is int, f"the id of {token!r:.80} is {i!r:.80}, no whole number")


def compare_ids(given: Mapping, expected: Mapping) -> None:
    """Raise ValueError unless the ids given are those that a `Tokenizer` gives."""
    for token in [*expected, *given]:
        if given.get(token) != expected.get(token):
            raise ValueError(
                f"token {token!r:.80} has the id {given.get(token)}, but numbering first bytes, "
                f"then merges, then special tokens, without holes, gives {expected.get(token)}"
            )


def read_file(path: str | os.PathLike) -> bytes:
    """Read a file; ValueError, before the rest is read, if it is larger than any tokenizer's."""
    with open(path, "rb") as file:
        content = file.read(MAX_FILE + 1)
    need(len(content) <= MAX_FILE, f"it is larger than {MAX_FILE:,} bytes")
    return content


def read_json(content: bytes):
    """Read JSON as the standard has it: UTF-8, and no name twice in an object.

    >>> read_json(b'{"low": 1, "low": 2}')
    Traceback (most recent call last):
    ValueError: the name 'low' is there twice
    """
    return json.loads(content.decode("utf-8"), object_pairs_hook=_object)


def _object(pairs: list[tuple]) -> dict:
    if len(names := dict(pairs)) < len(pairs):
        [(name, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {name!r:.80} is there twice")
    return names


def field(data, name: str, kind: type):
    """Return a field of a JSON object; ValueError if it is missing or of another kind."""
    value = data.get(name) if isinstance(data, dict) else None
    need(isinstance(value, kind), f"{name!r} is missing or no {kind.__name__}")
    return value


@contextmanager
def blame(source) -> Iterator[None]:
    """Put the name of a file before every fault that is found in it."""
    try:
        yield
    except (ValueError, RecursionError) as error:  # deep nesting is a RecursionError
        raise ValueError(f"{os.fspath(source)}: {error}") from error
