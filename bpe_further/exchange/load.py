"""Load: one function that detects the kind of a tokenizer's file, and reads files of all kinds."""

import os
import re
import warnings
from codecs import BOM_UTF8
from collections.abc import Callable
from errno import ENOENT
from pathlib import Path

from bpe_further.exchange.check import NOBODY, check_against
from bpe_further.exchange.huggingface import from_huggingface
from bpe_further.exchange.huggingface_pair import find_pair, possible_files
from bpe_further.exchange.huggingface_write import to_huggingface
from bpe_further.exchange.kinds import (
    BEGINNING,
    NUMBERS,
    PIECES,
    RANKS,
    check_path,
    read_file,
    read_lines,
)
from bpe_further.exchange.openai import from_tiktoken, read_gpt2
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.schemes import PublishedScheme
from bpe_further.exchange.sentencepiece import from_sentencepiece
from bpe_further.exchange.shared import KNOWN, require
from bpe_further.exchange.subword_nmt import from_subword_nmt
from bpe_teach.corpora import corpus_path
from bpe_teach.files import errors_name
from bpe_teach.learn import Merge
from bpe_teach.schemes import BYTES, Scheme
from bpe_teach.storage import FORMAT

# The first of these that a folder has is read. If it has none of them, it may still have a
# vocab.json and a merges.txt.
IN_FOLDERS = ("tokenizer.json", "tekken.json", "tokenizer.model", "tiktoken.model")
NOT_TAKEN = {  # option -> why it can't be given
    "scheme": "it says itself how a text is split: give no scheme",
    "characters": "it isn't a file of subword-nmt's codes: give no characters",
}


def load_tokenizer(
    source: str | os.PathLike[str],
    scheme: str | Scheme | None = None,
    *,
    characters: str = "",
    check: bool = False,
) -> PublishedTokenizer:
    """Read a tokenizer of any kind; nothing in its file is executed.

    ``source`` may be a name: ``gpt2``, ``gpt4``, ``gpt4o`` or ``gpt-oss`` (the tokenizer is
    downloaded once), a model such as ``gpt-4o-mini``, or a name of tiktoken such as
    ``cl100k_base``. ``source`` may also be the path of one of these:

    - a file that ``save`` wrote here,
    - a tokenizer.json or a folder of Hugging Face,
    - a .tiktoken file, Mistral's tekken.json, or the JSON of js-tiktoken,
    - a tokenizer.model of Llama or of any other BPE of SentencePiece,
    - a .model file of minbpe,
    - the codes of subword-nmt.

    ``scheme`` says how a text is split. Give it for ranks, or for a vocab.json with a merges.txt,
    if neither the file nor its folder says how a text is split. ``characters`` are added to the
    characters in codes of subword-nmt, as in `from_subword_nmt`. For other kinds of files, both
    options are refused.

    >>> import pathlib, tempfile
    >>> tok = PublishedTokenizer.train("low low", num_merges=2)
    >>> path = pathlib.Path(tempfile.mkdtemp(), "low.json")
    >>> tok.save(path)
    >>> load_tokenizer(path)
    Tokenizer(scheme='gpt2', tokens=258: 256 symbols + 2 merges + 0 special)

    If ``check`` is true, the library for this kind of file reads the file, too, and must encode and
    decode a few hundred texts in the same way. If no library reads this kind, the tokenizer is
    compared with what `to_huggingface` makes of it. If `to_huggingface` can't convert the
    tokenizer, ``notes`` say so.

    Raises ValueError for any other source; the message says what it is and why it can't be read.
    Raises FileNotFoundError if a path leads to nothing.
    """
    path = find_file(source)
    read, names = _find_reader(path, name_known(source))
    options = {"scheme": scheme, "characters": characters}
    names_file = path.is_dir() and find_pair(path) is None  # its error says which file to give
    for name, value in options.items():
        require(not value or names_file or name in names, f"{os.fspath(source)}: {NOT_TAKEN[name]}")
    given = options | {"check": check}
    tok = read(path, **{name: given[name] for name in names})
    if check and "check" not in names:  # no library reads this kind, so we convert it for one
        _check_converted(tok)
    return tok


def _check_converted(tok: PublishedTokenizer) -> None:
    """Compare a tokenizer with what `to_huggingface` makes of it.

    If the tokenizer can't be converted, add a note to ``tok.notes`` instead.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the comparison shows what differs
            theirs = to_huggingface(tok)
    except ValueError as error:
        if isinstance(error.__cause__, ImportError):  # only the library is missing
            raise
        tok.notes.append(f"{NOBODY}: {error}")
        return
    loses_ends = tok.scheme.marker and tok.scheme.units is str  # see `to_huggingface`
    with errors_name("check"):
        check_against(tok, theirs, whose="the package tokenizers", decodes=not loses_ends)


def options_of(source: str | os.PathLike[str]) -> list[str]:
    """Return the names of those options of `load_tokenizer` that a source may need.

    >>> options_of("gpt-4o")
    ['check']
    """
    if name_known(source):
        return ["check"]
    return _find_reader(find_file(source), "")[1]


def _find_reader(path: Path, known: str) -> tuple[Callable, list[str]]:
    """Return the function that reads a file or a folder, and the names of its options.

    ``known`` is the name of a tokenizer of OpenAI, or "".
    """
    if known == "gpt2":
        return read_gpt2, ["check"]
    if known == "gpt-oss":
        return _read_gpt_oss, ["check"]
    if path.is_dir():  # with a vocab.json and a merges.txt; an error says if one is missing
        return from_huggingface, ["scheme", "check"]
    with open(path, "rb") as file:
        start = file.read(BEGINNING).removeprefix(BOM_UTF8)
    return next(row[1:] for row in READERS if re.match(row[0], start))


def find_file(source: str | os.PathLike[str]) -> Path:
    """Return the path of a tokenizer's file; the source may be the file or its folder."""
    known = name_known(source)
    if known:
        return corpus_path(OF_OPENAI[known])
    wanted = f"the path of a tokenizer, or {', '.join(OF_OPENAI)}, or a model such as gpt-4o-mini"
    check_path(source, wanted)
    require(os.fspath(source) != "", f"give {wanted}, not an empty text")
    path = Path(source)
    if not path.exists():
        raise FileNotFoundError(ENOENT, f"there is no such file; give {wanted}", os.fspath(source))
    if not path.is_dir():
        return path
    found = [Path(path, name) for name in IN_FOLDERS if Path(path, name).exists()]
    ranks = sorted(path.glob("*.tiktoken"))
    found += ranks if len(ranks) == 1 else []  # if there are several, the user has to choose
    others = possible_files(path)
    if len(others) == 1 and others[0].endswith(".model"):
        found.append(Path(path, others[0]))
    return found[0] if found else path


def name_known(source) -> str:
    """Return which tokenizer of `OF_OPENAI` a name stands for, or "" if it stands for none.

    If a file has this name, the file is meant.

    >>> name_known("gpt-4o-mini"), name_known("cl100k_base"), name_known("low.json")
    ('gpt4o', 'gpt4', '')
    """
    if not isinstance(source, str):
        return ""
    if source in OF_OPENAI:
        return source
    if os.path.exists(source):
        return ""
    for model, tokenizer in MODELS.items():
        if source == model or source.startswith(f"{model}-"):
            return tokenizer
    return ""


def _read_gpt_oss(path: Path, check: bool) -> PublishedTokenizer:
    """Read GPT-4o's ranks with the special tokens of gpt-oss."""
    names = KNOWN["harmony"] | {f"<|reserved_{i}|>": i for i in range(200013, 201088)}
    return from_tiktoken(path, "o200k", names, check=check)


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
                    continue  # some versions write the number of tokens here
                left, right = row.split(" ")
                merges.append(Merge(tokens[int(left)], tokens[int(right)], 0))
                tokens.append(merges[-1].token)
        except (IndexError, ValueError):
            raise ValueError("it is an incomplete or broken model of minbpe") from None
        scheme = PublishedScheme("minbpe", "as its pattern says", pattern or None, bytes)
        return PublishedTokenizer(scheme, BYTES, merges, special_tokens)


OF_OPENAI = {"gpt2": "gpt2_vocab", "gpt4": "gpt4_ranks", "gpt4o": "gpt4o_ranks"}  # -> its corpus
OF_OPENAI["gpt-oss"] = "gpt4o_ranks"  # with other special tokens
MODELS = {  # beginnings of models' names, and names of tiktoken -> their tokenizer
    "gpt-oss": "gpt-oss",
    "o200k_harmony": "gpt-oss",
    "o200k_base": "gpt4o",
    "chatgpt-4o": "gpt4o",
    "gpt-4o": "gpt4o",
    "gpt-4.1": "gpt4o",
    "gpt-4.5": "gpt4o",
    "gpt-5": "gpt4o",
    "o1": "gpt4o",
    "o3": "gpt4o",
    "o4": "gpt4o",
    "cl100k_base": "gpt4",
    "gpt-3.5": "gpt4",
    "gpt-4": "gpt4",
    "text-embedding-ada-002": "gpt4",
    "text-embedding-3": "gpt4",
    "gpt-2": "gpt2",
}
READERS = [  # how a file begins, its reader, and the reader's options; the first that fits is used
    (b'(?s).{,1000}"%b"' % FORMAT.encode(), PublishedTokenizer.load, []),
    (b"minbpe v1", read_minbpe, []),
    (NUMBERS, from_huggingface, ["check"]),  # the error names the kind
    (RANKS + b'|(?s:.*"(?:token_bytes|bpe_ranks)")', from_tiktoken, ["scheme", "check"]),
    (PIECES, from_sentencepiece, ["check"]),
    (rb'\x1f\x8b|"bpe_simple_vocab', from_huggingface, ["check"]),  # the error names the kind
    (rb"(?s)\s*[^{\s].*</w>", from_subword_nmt, ["characters"]),
    (b"", from_huggingface, ["check"]),  # if it can't read the file, it says what the file is
]
