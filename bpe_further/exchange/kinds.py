"""Kinds: read a file that was given as a tokenizer, or say what kind it is and what to do with it.

A file from elsewhere is only data: its size is limited, and nothing in it is executed. If it can't
be read, the first thing that the user needs to know is what kind of file it is.
"""

import json
import os
import re
from codecs import BOM_UTF8
from itertools import pairwise
from json import JSONDecodeError

from bpe_further.exchange.shared import KNOWN, MAX_TOKENS, raise_faults, require
from bpe_teach.storage import FORMAT

MAX_FILE = 100_000_000  # bytes; the file of Gemma 3 has 33 million
BEGINNING = 100_000  # bytes, which show what a file is
MOST_COUNTS = 100  # lines, which show that a file holds counts
MAX_ENTRIES = 5_000_000  # brackets and commas of a JSON file; each entry can take 200 bytes
RANKS = rb"(?:[A-Za-z0-9+/]+=*|=) [0-9]+\r?\n"
NUMBERS = rb"(?:[0-9]+ [0-9]+\n){3}"  # how a model of YouTokenToMe begins: characters with ids
PIECES = rb"\n[\x04-\x7f]\n[^\n]"  # how a SentencePiece model begins
OTHERWISE = "use the library it was made with"
MODELS = KNOWN["models"]
TWICE = "most libraries take the last: leave the other out in a copy of the file"
IF_IT_IS_ONE = f"if it is a tokenizer, {OTHERWISE}"
IF_BESIDE = f"if a tokenizer.json is beside it, take that; if not, {OTHERWISE}"
COUNTED = (
    "a list of tokens with their counts, without merges: if it is a vocabulary of subword-nmt or "
    "fastBPE, give the file of codes"
)
LIST = f"a list of tokens without merges: {IF_BESIDE}"
IS_RANKS = "a table of ranks: read it with bpe_further.from_tiktoken, which also takes a scheme"
PAIR = "as in from_huggingface('vocab.json', 'merges.txt')"
BOTH = f"give the vocab.json first, {PAIR}"
KINDS = {  # how a file begins -> what it is and what to do
    NUMBERS: "YouTokenToMe's model: use its library",
    RANKS: IS_RANKS,
    PIECES: "a SentencePiece model: read it with bpe_further.from_sentencepiece",
    rb"<(?:unk|pad|s)>[^\S\t]": LIST,
    rb"\[PAD\]\s": f"a vocab.txt of {MODELS['WordPiece']}; {OTHERWISE}",
    **{start.encode("ascii"): what for start, what in KNOWN["kinds"].items()},
}


def check_path(source, wanted: str) -> None:
    """Raise ValueError, saying what is wanted, unless the source is a path."""
    is_path = isinstance(source, str | os.PathLike)
    require(is_path, f"give {wanted}, not {type(source).__name__} {source!r:.80}")


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file; if it is too large, raise ValueError before reading it all."""
    with open(path, "rb") as file:
        content = file.read(MAX_FILE + 1)
    require(len(content) <= MAX_FILE, f"it is larger than {MAX_FILE:,} bytes")
    return content


def read_text(content: bytes) -> str:
    """Return the text of a file of merges; raise ValueError if it has far too many lines."""
    text = content.decode("utf-8-sig").replace("\r\n", "\n").removesuffix("\n")
    number = text.count("\n") + 1
    require(number <= MAX_TOKENS, f"it has {number:,} lines, more than {MAX_TOKENS:,}")
    return text


def read_lines(content: bytes) -> list[str]:
    """Return the lines of a file of merges, with the same errors as `read_text`."""
    return read_text(content).split("\n")


def read_json(content: bytes):
    """Read JSON in UTF-8.

    Raises ValueError if there are very many entries, or if an object has the same name twice, with
    two values.
    """
    entries = content.count(b"{") + content.count(b"[") + content.count(b",")
    require(entries <= MAX_ENTRIES, f"it has {entries:,} entries, more than {MAX_ENTRIES:,}")
    text = content.decode("utf-8-sig")  # which leaves out a byte order mark
    return json.loads(text, object_pairs_hook=_read_object)


def _read_object(pairs: list[tuple]) -> dict:
    """Make a dict of the names and values of an object; no name may have two values."""
    values = dict(pairs)
    if len(values) < len(pairs):
        faulty = (name for name, value in pairs if value != values[name])
        raise_faults(
            f"the name {name!r:.80} occurs twice, with two values; {TWICE}" for name in faulty
        )
    return values


def name_file(content: bytes) -> str:
    """Say what a file that is not JSON is, and what to do; return "" if it may be JSON."""
    content = content.removeprefix(BOM_UTF8)
    if _has_counts(content):
        return f"it is {COUNTED}"
    for beginning, what in KINDS.items():
        if re.match(beginning, content):
            return f"it is {what}"
    return ""


def _has_counts(content: bytes) -> bool:
    """Return whether a file begins with tokens and their counts, the highest count first.

    A file of ranks looks alike, but its numbers rise, or fall one by one if its order is reversed.
    """
    numbers = []
    for line in content[:BEGINNING].splitlines()[:MOST_COUNTS]:
        found = re.fullmatch(rb"\S+ ([0-9]{1,18})", line)
        if not found:
            return False
        numbers.append(int(found.group(1)))
    steps = {count - following for count, following in pairwise(numbers)}
    return len(numbers) > 2 and min(steps) >= 0 and steps != {1}


def begins_as_tokenizer(path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins as ranks or as a SentencePiece model, whatever its name is."""
    with open(path, "rb") as file:
        start = file.read(BEGINNING)
    is_other = re.match(NUMBERS, start) or _has_counts(start)
    return not is_other and bool(re.match(RANKS, start) or re.match(PIECES, start))


def read_json_file(content: bytes):
    """Return the contents of a JSON file.

    Raises ValueError for any other file; the message says what kind of file it is.
    """
    what = name_file(content)
    require(not what, what)
    try:
        return read_json(content)
    except UnicodeDecodeError:
        raise ValueError("it is neither text nor a known kind of tokenizer file") from None
    except JSONDecodeError as error:
        raise ValueError(_name_without_json(error)) from None


def _name_without_json(error: JSONDecodeError) -> str:
    """Say what kind of file a text is if it can't be read as JSON, and what to do."""
    rest = error.doc[error.pos :]
    are_lines = error.msg == "Extra data" and rest[:1] in ("{", "[")  # JSON Lines, for example
    may_be_json = re.match(r"\s*[{\[](?!\w+\]\s)", error.doc)
    if may_be_json and not are_lines:
        return f"it is JSON, but broken: {error}; download or write it again"
    lines = name_lines(error.doc)
    return f"it is {lines}" if lines else f"it is of no kind that is read here; {IF_IT_IS_ONE}"


def name_lines(text: str) -> str:
    """Say what a text with a token on each line is, and what to do; return "" for other texts.

    >>> name_lines("[UNK]\\nlow\\n##er\\n").partition(",")[0]
    'a vocab.txt of WordPiece'
    """
    lines = text.removesuffix("\n").split("\n")
    if len(lines) < 2 or any(len(line) > 1 and re.search(r"\s", line) for line in lines):
        return ""
    if any(line in ("[UNK]", "[CLS]") or re.match("##.", line) for line in lines):
        return f"a vocab.txt of {MODELS['WordPiece']}; {OTHERWISE}"
    return LIST


def read_tokenizer_json(content: bytes) -> dict:
    """Return the contents of the tokenizer.json of a BPE; for any other file, raise ValueError.

    The message says what kind of file it is.
    """
    data = read_json_file(content)
    what = name_json(data)
    require(not what, what)
    return data


def name_value(data) -> str:
    """Name the kind of a JSON value that is not an object.

    >>> name_value([]), name_value(5)
    ('a list', 'a number')
    """
    names = {list: "a list", str: "a text", int: "a number", float: "a number"}
    return names.get(type(data)) or json.dumps(data)


def name_json(data) -> str:
    """Say what a JSON file is, and what to do; return "" for a BPE of Hugging Face."""
    if not isinstance(data, dict):
        return f"it is JSON, but {name_value(data)} is not read here; {IF_IT_IS_ONE}"
    model = data.get("model")
    if isinstance(model, dict):
        kind = model.get("type")
        if kind is None:  # an old file
            kind = "Unigram" if isinstance(model.get("vocab"), list) else "BPE"
            kind = "WordPiece" if "max_input_chars_per_word" in model else kind
        known = MODELS.get(str(kind), repr(kind)[:80])
        return "" if kind == "BPE" else f"its model is not BPE but {known}; {OTHERWISE}"
    if data.get("format") == FORMAT:
        return "it was saved by bpe_teach: read it with bpe_further.load_tokenizer"
    if "config" in data and isinstance(data.get("vocab"), list):
        return f"it is Tekken, {IS_RANKS}"
    if "bpe_ranks" in data:
        return f"it is js-tiktoken's, {IS_RANKS}"
    if "tokenizer_class" in data or "added_tokens_decoder" in data:
        return "it is a tokenizer_config.json: give its folder, or another file in it"
    if len(data) > 1 and all(type(i) is int for i in data.values()):
        if not any(len(name) == 1 or name.endswith("</w>") for name in data):
            return f"it is a table of names and numbers, without merges; {IF_IT_IS_ONE}"
        none = f"if it has none, as a list of whole words (WordLevel), {OTHERWISE}"
        return f"it is a vocabulary without merges: also give the merges, {PAIR}; {none}"
    what = "it is JSON, but has neither the model of a tokenizer.json nor bpe_teach's format"
    return f"{what}; {IF_IT_IS_ONE}"
