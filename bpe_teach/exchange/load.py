"""Load: one reader for tokenizers of all kinds, which detects the kind of a file."""

import os
import re
from errno import ENOENT
from pathlib import Path

from bpe_teach.corpora import corpus_path
from bpe_teach.exchange.huggingface import from_huggingface
from bpe_teach.exchange.kinds import PIECES, RANKS
from bpe_teach.exchange.openai import from_gpt2, from_tiktoken
from bpe_teach.exchange.published import PublishedTokenizer
from bpe_teach.exchange.sentencepiece import from_sentencepiece
from bpe_teach.exchange.shared import check_path
from bpe_teach.exchange.subword_nmt import from_subword_nmt
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.files import errors_name
from bpe_teach.schemes import Scheme
from bpe_teach.storage import FORMAT, read_fields, read_parts

OF_OPENAI = ("gpt2", "gpt4", "gpt4o")
IN_FOLDERS = ("tokenizer.json", "vocab.json", "tekken.json", "tokenizer.model")  # the first is read
BEGINNING = 100_000  # bytes, which show what a file is


def load_tokenizer(source: str | os.PathLike, scheme: str | Scheme | None = None) -> Tokenizer:
    """Read a tokenizer of any kind; nothing in its file is executed.

    ``source`` is ``gpt2``, ``gpt4`` or ``gpt4o`` (downloaded once), or the path of a file saved
    here, a tokenizer.json or folder of Hugging Face, a .tiktoken file, Mistral's tekken.json, a
    tokenizer.model of Llama or another BPE of SentencePiece, or codes of subword-nmt. ``scheme`` is
    for ranks whose file doesn't say how a text is split, such as Qwen's; no other file needs it.

    >>> import pathlib, tempfile
    >>> tok = Tokenizer.train("low low", num_merges=2)
    >>> path = pathlib.Path(tempfile.mkdtemp(), "low.json")
    >>> tok.save(path)
    >>> load_tokenizer(path)
    Tokenizer(scheme='gpt2', tokens=258: 256 symbols + 2 merges + 0 special)

    Raises ValueError that says what the file is and why it can't be read, for anything else.
    """
    if isinstance(source, str) and source in OF_OPENAI:
        is_gpt2 = source == "gpt2"
        return from_gpt2() if is_gpt2 else from_tiktoken(corpus_path(f"{source}_ranks"))
    wanted = f"the path of a tokenizer, or {', '.join(OF_OPENAI)}"
    check_path(source, wanted)
    if not os.path.exists(source):
        raise FileNotFoundError(ENOENT, f"there is no such file; give {wanted}", os.fspath(source))
    if os.path.isdir(source):
        names = [name for name in IN_FOLDERS if Path(source, name).exists()]
        if not names or names[0] == "vocab.json":
            return from_huggingface(source)  # with the merges beside it
        source = Path(source, names[0])
    with open(source, "rb") as file:
        start = file.read(BEGINNING)
    if f'"{FORMAT}"'.encode() in start[:1000]:  # a file of ours names its format first
        with errors_name(source):
            data = read_fields(source)
            if data.get("version") != 2:
                return Tokenizer(**read_parts(data))
        return PublishedTokenizer.load(source)
    if re.match(RANKS, start) or b'"token_bytes"' in start:
        return from_tiktoken(source, scheme)
    if re.match(PIECES, start):
        return from_sentencepiece(source)
    if b"</w>" in start and not start.lstrip().startswith(b"{"):
        return from_subword_nmt(source)
    return from_huggingface(source)
