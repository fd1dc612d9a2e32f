"""Kinds: what a file is that was given for a tokenizer, and what to do with it.

Where a file can't be read, the first thing to say is what it is.
"""

import re
from json import JSONDecodeError

from bpe_teach.exchange.shared import read_json, require
from bpe_teach.storage import FORMAT

RANKS = re.compile(rb"(?:\xef\xbb\xbf)?(?:[A-Za-z0-9+/]+=*|=) [0-9]+\r?\n")
PIECES = re.compile(rb"\n[\x04-\x7f]\n[^\n]", re.DOTALL)  # how a SentencePiece model begins
MERGE = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:#version.*|[^\s{\[\"]+ [^\s]+)\r?\n[^\s]+ [^\s]+\r?(?:\n|$)"
)
STARTS = [  # how a file begins, in small letters -> what it is and what to do
    (
        b"version https://git-lfs",
        "a pointer of Git LFS, which stands for a file that was not downloaded: run git lfs pull "
        "in its folder",
    ),
    (
        b"gguf",
        "a GGUF file, a whole model for llama.cpp: take the tokenizer.json, or tokenizer.model, "
        "that was published with the model",
    ),
    (b"<", "a web page: download the file that it shows (on GitHub: Raw)"),
    (b"pk\x03\x04", "a zip archive, or weights of a model: take its tokenizer.json"),
    (b"\x80", "a pickle of Python, which could run anything: take a tokenizer.json"),
]
MODELS = {  # type of a model -> what it is, and where it is explained
    "WordPiece": "WordPiece, which has no merges (bpe_teach.variants.wordpiece explains it)",
    "Unigram": "Unigram, pieces with probabilities (bpe_teach.variants.unigram explains it)",
    "WordLevel": "WordLevel, a list of whole words",
}
OTHERWISE = "use the library it was made with"
FROM_SENTENCEPIECE = "a SentencePiece model: read it with bpe_teach.from_sentencepiece"
FROM_TIKTOKEN = (
    "a table of ranks, as tiktoken has them: read it with bpe_teach.from_tiktoken, which needs to "
    "know the scheme, too"
)


def name_file(content: bytes) -> str:
    """Say what a file is that holds no JSON, and what to do; nothing if it may hold JSON.

    >>> name_file(b"<!doctype html>")
    'it is a web page: download the file that it shows (on GitHub: Raw)'
    """
    if not content.strip():
        return "it is empty"
    beginning = content[:100].removeprefix(b"\xef\xbb\xbf").lstrip()
    if RANKS.match(content):
        return f"it is {FROM_TIKTOKEN}"
    if PIECES.match(content):
        return f"it is {FROM_SENTENCEPIECE}"
    for start, what in STARTS:
        if beginning.lower().startswith(start):
            return f"it is {what}"
    if beginning.startswith(b"[PAD]") or b"\n##" in content[:1_000_000]:
        return f"it is a vocab.txt of {MODELS['WordPiece']}; {OTHERWISE}"
    if MERGE.match(content):
        return (
            "it is a list of merges, without ids: give the vocab.json first, as in "
            "from_huggingface('vocab.json', 'merges.txt')"
        )
    return ""


def read_json_file(content: bytes):
    """Read a file of JSON; ValueError that says what it is, if it is another one."""
    what = name_file(content)
    require(not what, what)
    try:
        return read_json(content)
    except UnicodeDecodeError:
        raise ValueError("it is neither text nor a model of SentencePiece") from None
    except JSONDecodeError as error:
        raise ValueError(f"it is no tokenizer: no JSON, nor another known file ({error})") from None


def name_json(data) -> str:
    """Say what a JSON file is that is not a BPE of Hugging Face, and what to do.

    >>> name_json({"model": {"type": "Unigram"}})[:68]
    'its model is not BPE but Unigram, pieces with probabilities (bpe_tea'
    """
    if "class_name" in (data if isinstance(data, dict) else str(data)[:20]):
        return f"it is a tokenizer of Keras, a list of whole words; {OTHERWISE}"
    if not isinstance(data, dict):
        return f"it is JSON, but a {type(data).__name__}: no tokenizer is"
    model = data.get("model")
    if isinstance(model, dict):
        kind = model.get("type") or _older_model(model)
        if kind != "BPE":
            known = MODELS.get(str(kind), repr(kind)[:80])
            return f"its model is not BPE but {known}; {OTHERWISE}"
        return ""
    if data.get("format") == FORMAT:
        return "it was saved by bpe_teach: read it with bpe_teach.load_tokenizer"
    if "bpe_ranks" in data or (isinstance(data.get("vocab"), list) and "config" in data):
        return f"it is {FROM_TIKTOKEN}" if "bpe_ranks" in data else f"it is Tekken, {FROM_TIKTOKEN}"
    if "tokenizer_class" in data or "added_tokens_decoder" in data:
        return "it is a tokenizer_config.json: give the tokenizer.json beside it, or the folder"
    if data.get("class_name") == "Tokenizer":
        return f"it is a tokenizer of Keras, a list of whole words; {OTHERWISE}"
    if len(data) > 1 and all(type(i) is int for i in data.values()):
        return (
            "it is a vocabulary without merges: give the merges, too, as in "
            "from_huggingface('vocab.json', 'merges.txt')"
        )
    return "it is JSON, but has neither a model, as a tokenizer.json has, nor our format"


def _older_model(model: dict) -> str:
    """Tell the type of a model in a file that is so old that it does not say it."""
    if isinstance(model.get("vocab"), list):
        return "Unigram"
    if "merges" in model:
        return "BPE"
    return "WordPiece" if "max_input_chars_per_word" in model else "WordLevel"
