"""Load: one reader for tokenizers of all kinds, which detects the kind of a file."""

import os
import re
from errno import ENOENT
from pathlib import Path

from bpe_teach.corpora import corpus_path
from bpe_teach.exchange.check import check_against
from bpe_teach.exchange.huggingface import from_huggingface, to_huggingface
from bpe_teach.exchange.kinds import PIECES, RANKS, check_path, read_file, read_lines
from bpe_teach.exchange.openai import from_gpt2, from_tiktoken
from bpe_teach.exchange.published import PublishedTokenizer
from bpe_teach.exchange.schemes import PublishedScheme
from bpe_teach.exchange.sentencepiece import from_sentencepiece
from bpe_teach.exchange.subword_nmt import from_subword_nmt
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.files import errors_name
from bpe_teach.learn import Merge
from bpe_teach.schemes import BYTES, Scheme
from bpe_teach.storage import FORMAT, read_fields

IN_FOLDERS = ("tokenizer.json", "tekken.json", "tokenizer.model")  # the first of these is read
BEGINNING = 100_000  # bytes, which show what a file is


def load_tokenizer(
    source: str | os.PathLike[str], scheme: str | Scheme | None = None, *, check: bool = False
) -> PublishedTokenizer:
    """Read a tokenizer of any kind; nothing in its file is executed.

    ``source`` is ``gpt2``, ``gpt4`` or ``gpt4o`` (downloaded once), or the path of a file saved
    here, a tokenizer.json or folder of Hugging Face, a .tiktoken file, Mistral's tekken.json, a
    tokenizer.model of Llama or another BPE of SentencePiece, a .model of minbpe, or codes of
    subword-nmt. ``scheme`` is for ranks whose file doesn't say how a text is split, such as Qwen's.

    >>> import pathlib, tempfile
    >>> tok = Tokenizer.train("low low", num_merges=2)
    >>> path = pathlib.Path(tempfile.mkdtemp(), "low.json")
    >>> tok.save(path)
    >>> load_tokenizer(path)
    Tokenizer(scheme='gpt2', tokens=258: 256 symbols + 2 merges + 0 special)

    With ``check`` the library of the file's kind reads it as well, and has to encode and decode
    some hundred texts in the same way. Kinds that have no such library are held against what
    `to_huggingface` makes of them.

    Raises ValueError that says what the file is and why it can't be read, for anything else.
    """
    if isinstance(source, str) and source in OF_OPENAI:
        return OF_OPENAI[source](check)
    path = find_file(source)
    if path.is_dir():  # it has a vocab.json and a merges.txt, or this says what is missing
        return from_huggingface(path, check=check)
    with open(path, "rb") as file:
        start = file.read(BEGINNING)
    read = next(read for is_so, read in READERS if is_so(start))
    return read(path, scheme, check)


def find_file(source: str | os.PathLike[str]) -> Path:
    """Return the path of a tokenizer's file, which may be in a folder."""
    wanted = f"the path of a tokenizer, or {', '.join(OF_OPENAI)}"
    check_path(source, wanted)
    path = Path(source)
    if not path.exists():
        raise FileNotFoundError(ENOENT, f"there is no such file; give {wanted}", os.fspath(source))
    names = [name for name in IN_FOLDERS if Path(path, name).exists()] if path.is_dir() else []
    return Path(path, names[0]) if names else path


def read_minbpe(path: Path) -> PublishedTokenizer:
    """Read a .model file of minbpe: a split pattern, special tokens with their ids, merges."""
    with errors_name(path):
        lines = read_lines(read_file(path))
        try:
            _, pattern, number, *rows = lines
            names = [row.rsplit(" ", 1) for row in rows[: int(number)]]
            special_tokens = {name: int(i) for name, i in names}
            tokens = list(BYTES)
            merges = []
            for row in rows[int(number) :]:
                if row.isdigit():
                    continue  # some versions write how many tokens there are
                left, right = row.split(" ")
                merges.append(Merge(tokens[int(left)], tokens[int(right)], 0))
                tokens.append(merges[-1].token)
        except (IndexError, ValueError):
            raise ValueError("it is an incomplete or broken model of minbpe") from None
        scheme = PublishedScheme("minbpe", "as its pattern says", pattern or None, bytes)
        return PublishedTokenizer(scheme, BYTES, merges, special_tokens)


def read_ours(path: Path) -> PublishedTokenizer:
    """Read a file that `Tokenizer.save` or `PublishedTokenizer.save` wrote."""
    with errors_name(path):
        is_published = read_fields(path).get("version") == 2
    return PublishedTokenizer.of((PublishedTokenizer if is_published else Tokenizer).load(path))


def _checked(tok: PublishedTokenizer, check: bool) -> PublishedTokenizer:
    """Return a tokenizer of a kind that no library reads, compared with what one makes of it."""
    if check:
        with errors_name("check"):
            check_against(tok, to_huggingface(tok))
    return tok


OF_OPENAI = {  # name -> what loads its tokenizer
    "gpt2": lambda check: _checked(from_gpt2(), check),
    "gpt4": lambda check: from_tiktoken(corpus_path("gpt4_ranks"), check=check),
    "gpt4o": lambda check: from_tiktoken(corpus_path("gpt4o_ranks"), check=check),
}
READERS = [  # has a file that begins so this kind? what reads it; the first that fits is taken
    (
        lambda start: f'"{FORMAT}"'.encode() in start[:1000],
        lambda path, _, check: _checked(read_ours(path), check),
    ),
    (
        lambda start: start.startswith(b"minbpe v1"),
        lambda path, _, check: _checked(read_minbpe(path), check),
    ),
    (
        lambda start: re.match(RANKS, start) or b'"token_bytes"' in start,
        lambda path, scheme, check: from_tiktoken(path, scheme, check=check),
    ),
    (
        lambda start: re.match(PIECES, start),
        lambda path, _, check: from_sentencepiece(path, check=check),
    ),
    (
        lambda start: b"</w>" in start and not start.lstrip().startswith(b"{"),
        lambda path, _, check: _checked(from_subword_nmt(path), check),
    ),
    (  # which says what it is, if not
        lambda start: True,
        lambda path, _, check: from_huggingface(path, check=check),
    ),
]
