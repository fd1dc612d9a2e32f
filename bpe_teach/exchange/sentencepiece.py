"""SentencePiece: a BPE comes in from a .model file, as those of Llama 1 and 2, Mistral and Gemma.

Such a file holds pieces with scores, and no merges: like the ranks of tiktoken, it is enough. It is
a message of protocol buffers, https://github.com/google/sentencepiece/blob/master/src/
sentencepiece_model.proto: fields with numbers, which are read here as far as they are needed.
"""

import os
import struct
from collections.abc import Callable
from functools import partial

import numpy as np

from bpe_teach.exchange.kinds import MODELS, OTHERWISE, PIECES, name_file
from bpe_teach.exchange.openai import recover_merges
from bpe_teach.exchange.published import PublishedTokenizer
from bpe_teach.exchange.schemes import PublishedScheme, cut_at_spaces
from bpe_teach.exchange.shared import check_path, raise_faults, read_file, require
from bpe_teach.fast.files import errors_name
from bpe_teach.tokenizer import Tokenizer

SPACE = "▁"
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)  # types of pieces
MOST_VISITED = 300_000  # nodes of a trie; those in use have 30,000
KINDS = {1: "Unigram", 2: "BPE", 3: "WordLevel", 4: "Char"}


def from_sentencepiece(path: str | os.PathLike) -> Tokenizer:
    """Read a BPE of SentencePiece from its .model file.

    Ids are kept. Control symbols, such as <s>, are special tokens; symbols that users defined are
    added tokens, recognised in every text.

    Raises ValueError that says what the file is if it is another one (a Unigram model, for one),
    and what in it a `Tokenizer` does not do.
    """
    check_path(path, "the path of a .model file of SentencePiece")
    with errors_name(path):
        content = read_file(path)
        fault = name_file(content) or "it is no SentencePiece model"
        require(PIECES.match(content) is not None, fault)
        try:
            model = _fields(content)
            pieces = [_read_piece(one) for one in model[1]]
            trainer, normalizer = _fields(model[2][0]), _fields(model[3][0])
            return _make_tokenizer(pieces, partial(_value, trainer), partial(_value, normalizer))
        except (KeyError, IndexError, TypeError, struct.error, UnicodeDecodeError):
            raise ValueError("it is no SentencePiece model, or a part of one") from None


def _make_tokenizer(pieces: list[tuple], trained: Callable, normalized: Callable) -> Tokenizer:
    """Make a tokenizer of pieces; both functions return the value of a field, by its number."""
    kind = KINDS.get(trained(3, 1), "of a kind that is not known")
    require(kind == "BPE", f"its model is not BPE but {MODELS.get(kind, kind)}; {OTHERWISE}")
    of_type = {one: {} for one in range(1, 7)}  # type -> piece -> id
    scores = {}  # piece -> what comes first when sorted
    for i, (piece, score, type_) in enumerate(pieces):
        of_type[type_][piece] = i
        scores[piece] = (-score, i)
    defined = {}  # name -> id; they are looked for where spaces are written as ▁
    for name, i in of_type[USER_DEFINED].items():
        defined |= {name.replace(SPACE, " "): i, name: i}
    faults = []
    if trained(24, 0) or not normalized(5, 1):
        faults.append("spaces are not written as ▁ before a word")
    if of_type[UNUSED]:
        faults.append(f"some pieces are unused: {list(of_type[UNUSED])!r:.80}")
    if normalized(4, 1) and defined:
        faults.append(f"white space is taken away beside symbols of its own: {list(defined)!r:.80}")
    if normalized(3, 1) and any(" " in name for name in defined):
        faults.append(f"its own symbols begin with ▁, as the text does: {list(defined)!r:.80}")
    raise_faults(faults, "it is a BPE of SentencePiece, but does what is not done here")

    steps = []
    if normalized(2, b""):
        steps.append(("ReplaceAll", read_map(normalized(2, b""))))
    if normalized(4, 1):
        steps += [("ReplacePattern", " +", " "), ("ReplacePattern", "^ ", "")]
    steps.append(("Replace", " ", SPACE))
    if normalized(4, 1):
        steps.append(("ReplacePattern", rf"{SPACE}+\Z", ""))
    tokens = of_type[NORMAL]
    ranks = {piece: rank for rank, piece in enumerate(sorted(tokens, key=scores.get))}
    merges, _ = recover_merges(ranks)
    scheme = PublishedScheme(
        "sentencepiece",
        "spaces written as ▁, one more before the text",
        None,
        str,
        normalizations=tuple(steps),
        loses=f"what {'is normalized' if steps[1:] else 'was ▁ or a space'}",
        prefix=SPACE if normalized(3, 1) else "",
        always_prefixed=True,
        first_prefixed=True,
    )
    require(len(of_type[UNKNOWN]) == 1, "it has not one piece for what is unknown")
    [(unk_token, unknown)] = of_type[UNKNOWN].items()
    return PublishedTokenizer(
        cut_at_spaces(scheme, tokens),
        [piece for piece in tokens if len(piece) == 1],
        merges,
        {unk_token: unknown} | of_type[CONTROL],
        ids=tokens | of_type[BYTE],
        added_tokens=defined,
        byte_fallback=bool(of_type[BYTE]),
        fuse_unk=True,
        unk_token=unk_token,
    )


# protocol buffers


def _read_number(content: bytes, at: int) -> tuple[int, int]:
    """Read a number of seven bits a byte, the lowest first; return it and where it ends."""
    number = shift = 0
    while content[at] & 0x80 and shift < 63:
        number |= (content[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return number | content[at] << shift, at + 1


def _fields(content: bytes) -> dict[int, list]:
    """Return the values of a message by the numbers of its fields.

    >>> _fields(b"\\x0a\\x03low\\x18\\x07")
    {1: [b'low'], 3: [7]}
    """
    values = {}
    at = 0
    while at < len(content):
        key, at = _read_number(content, at)
        kind = key & 7
        if kind == 0:
            value, at = _read_number(content, at)
        else:
            length = {1: 8, 5: 4}.get(kind)
            if kind == 2:
                length, at = _read_number(content, at)
            value, at = content[at : at + length], at + length
        values.setdefault(key >> 3, []).append(value)
    if at > len(content):
        raise IndexError("the last field has no end")
    return values


def _value(values: dict[int, list], number: int, default):
    """Return the last value of a field of a message."""
    return values.get(number, [default])[-1]


def _read_piece(content: bytes) -> tuple[str, float, int]:
    """Return a piece, its score and its type."""
    values = _fields(content)
    (score,) = struct.unpack("<f", _value(values, 2, b"\0\0\0\0"))
    return _value(values, 1, b"").decode("utf-8"), score, _value(values, 3, NORMAL)


# normalization


def read_map(content: bytes) -> str:
    """Return what a normalization replaces by what, one after the other, from its trie.

    The trie is a double array (Aoe 1989): the children of a node lie together, each at the place
    that its byte gives, and each cell says whose child it is.
    """
    size = int.from_bytes(content[:4], "little")
    cells = np.frombuffer(content[4 : 4 + size], dtype="<u4")
    texts = content[4 + size :]
    found = []
    visits = 0
    nodes = [(b"", _children(cells, 0))]
    while nodes:
        spelled, start = nodes.pop()
        places = start ^ np.arange(1, 256)
        places = places[places < len(cells)]
        for place in places[(cells[places] & 0x800000FF) == (places ^ start)].tolist():
            visits += 1  # two nodes may have the same children: a circle would be without end
            require(visits <= MOST_VISITED, "its normalization is too large, or goes in a circle")
            name = spelled + bytes([place ^ start])
            below = _children(cells, place)
            nodes.append((name, below))
            if cells[place] & 0x100:  # a name ends here: the cell below says what it becomes
                begin = int(cells[below]) & 0x7FFFFFFF
                found.append(name + b"\0" + texts[begin : texts.index(b"\0", begin)])
    return b"\0".join(sorted(found)).decode("utf-8")


def _children(cells: np.ndarray, place: int) -> int:
    """Return the place from which the children of a node are found."""
    cell = int(cells[place])
    return place ^ (cell >> 10 << ((cell & 0x200) >> 6))
