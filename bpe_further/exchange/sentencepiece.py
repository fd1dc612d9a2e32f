"""SentencePiece: read a BPE from a .model file, such as those of Llama 1 and 2, Mistral and Gemma.

Such a file holds pieces with scores, but no merges. As with the ranks of tiktoken, this is enough.
The file is a message of protocol buffers, https://github.com/google/sentencepiece/blob/master/src/
sentencepiece_model.proto: it has numbered fields, and we read only those that we need.
"""

import os
import re
import struct
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, count, pairwise
from operator import gt
from pathlib import Path
from typing import NamedTuple

from bpe_further.exchange.check import check_against
from bpe_further.exchange.folder import WRITES_ONE, Beside, read_beside
from bpe_further.exchange.kinds import MODELS, OTHERWISE, PIECES, check_path, name_file, read_file
from bpe_further.exchange.published import OUR_FILE, PublishedTokenizer, note_around
from bpe_further.exchange.ranks import check_ranks
from bpe_further.exchange.schemes import PublishedScheme, cut_at_spaces, published_scheme
from bpe_further.exchange.shared import (
    OnIds,
    OnText,
    collector_paused,
    import_library,
    name_some,
    raise_faults,
    require,
)
from bpe_further.exchange.spelling import BYTE_TOKENS
from bpe_teach.files import errors_name

SPACE = "▁"
NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)  # types of pieces
FIELD_1, FIELD_2 = 0x0A, 0x15  # beginnings of a field of bytes and of a field of a float
KIND_OF_FIELD = {b"": NORMAL} | {bytes([0x18, kind]): kind for kind in range(1, 7)}
# A normal piece is 0a, the size of all that follows, 0a, the length of its text, the text, 15, and
# its score in four bytes. The pattern finds the bytes between two texts, and keeps all of them but
# the first.
BETWEEN = re.compile(rb"\x15(.{4}\n[\x07-\x7f]\n[\x00-\x78])", re.DOTALL)
MORE = 7  # bytes of a piece, after its size, besides its text
LLAMA = ("LlamaTokenizer", "LlamaTokenizerFast", "llama")  # its class, and the type of its model
LLAMA_ROLES = {"bos_token": "<s>", "eos_token": "</s>"}
KINDS = {1: "Unigram", 2: "BPE", 3: "WordLevel", 4: "a list of characters"}


class Run(NamedTuple):
    """Successive pieces of the same type."""

    kind: int
    pieces: list[bytes]
    scores: bytearray  # four bytes for each piece


@collector_paused()
def from_sentencepiece(path: str | os.PathLike[str], *, check: bool = False) -> PublishedTokenizer:
    """Read a BPE model of SentencePiece from its .model file.

    Ids are kept. Control symbols, such as <s>, become special tokens. User-defined symbols become
    added tokens, which are recognized in every text. If ``check`` is true, the package
    sentencepiece must encode and decode a few hundred texts in the same way.

    Raises ValueError for a file of a different kind, such as a Unigram model (the message says what
    it is), and for anything in the file that a `Tokenizer` can't do.
    """
    check_path(path, "the path of a .model file of SentencePiece")
    with errors_name(path):
        try:
            tok = _make_tokenizer(read_file(path))
        except (AttributeError, LookupError, TypeError, struct.error, UnicodeDecodeError):
            raise ValueError("it is an incomplete or broken SentencePiece model") from None
    beside = read_beside(Path(path).parent)
    tok.notes += beside.notes_on_names()
    tok.notes += _note_tokens_beside(beside, tok)
    tok.notes += _put_around(beside, tok)
    if check:
        with errors_name(path):
            library = import_library("sentencepiece")
            check_against(tok, library.SentencePieceProcessor(model_file=os.fspath(path)))
    return tok


def _make_tokenizer(content: bytes) -> PublishedTokenizer:
    """Make a tokenizer from the content of a .model file: pieces, trainer and normalizer."""
    require(re.match(PIECES, content), name_file(content) or "it is not a SentencePiece model")
    runs, end = _usual_pieces(content)
    model = _fields(content, end)
    for piece in model.get(1, ()):
        _add_piece(runs, *_read_piece(piece))
    trainer, normalizer = _fields(model[2][0]), Normalizer.of(_fields(model[3][0]))
    kind = KINDS[_value(trainer, 3, 1)]
    require(kind == "BPE", f"its model is not BPE but {MODELS.get(kind, kind)}; {OTHERWISE}")
    of_type = _number_pieces(runs)
    faults = _faults(of_type, trainer, normalizer)
    raise_faults(faults, "it is a BPE of SentencePiece, but it does things that bpe_teach doesn't")
    tokens = of_type[NORMAL]
    defined = of_type[USER_DEFINED]
    ranks, ties = _rank(tokens, [run for run in runs if run.kind == NORMAL])
    check_ranks(ranks)
    [(unk_token, unknown)] = of_type[UNKNOWN].items()
    tok = PublishedTokenizer(
        cut_at_spaces(normalizer.scheme(defined), tokens),
        [piece for piece in tokens if len(piece) == 1],
        None,
        {unk_token: unknown} | of_type[CONTROL],
        ids=tokens | of_type[BYTE],
        token_ranks=ranks,
        added_tokens=defined,
        normalized={name: name for name in defined},
        byte_fallback=bool(of_type[BYTE]),
        fuse_unk=True,
        unk_token=unk_token,
    )
    _check_format(runs, of_type)
    if ties:
        tied = f"{len(ties)} pieces have the score of another one ({name_some(ties)})"
        tok.notes += [
            f"{tied}: of these, the leftmost in a text is merged first, as by SentencePiece",
            f"no list of merges can say which of these pieces is merged first; {OUR_FILE}",
            "SentencePiece 0.2.3 takes a score of -0 for less than 0; here the two are equal",
        ]
    if of_type[CONTROL]:
        some = name_some(of_type[CONTROL])
        tok.notes.append(OnText(f"decoding writes {some}, which SentencePiece leaves out"))
    if not of_type[BYTE]:
        decoded = f"what is unknown is decoded as {unk_token}, and by SentencePiece as ⁇"
        tok.notes.append(OnText(decoded))
    return tok


class Normalizer(NamedTuple):
    """What a model does to a text before it encodes the text."""

    name: str  # of the table
    table: str  # of characters that are replaced, in base64
    prefixes: bool  # whether a space is put before a text
    shrinks: bool  # whether several spaces become one
    escapes: bool  # whether spaces become ▁

    @classmethod
    def of(cls, fields: dict) -> "Normalizer":
        """Return the normalizer that the fields of its message describe."""
        return cls(
            _value(fields, 1, b"").decode("utf-8"),
            b64encode(_value(fields, 2, b"")).decode("ascii"),
            bool(_value(fields, 3, 1)),
            bool(_value(fields, 4, 1)),
            bool(_value(fields, 5, 1)),
        )

    def scheme(self, defined: Iterable[str]) -> PublishedScheme:
        """Return the scheme; ``defined`` are symbols that the table doesn't change."""
        steps = []
        loses = ["more than one space in a row" if self.shrinks else "whether a space was ▁"]
        if self.table:
            names = [*defined]
            table = ("TableBesideNames", self.table, *names) if names else ("Table", self.table)
            steps.append(table)
            loses.append(f"what {self.name} makes one")
        if self.shrinks:
            steps.append("OneSpace")
        steps.append(("Replace", " ", SPACE))
        if self.prefixes:
            steps.append(("Prepend", SPACE))
        more = {"normalizations": tuple(steps), "loses": ", ".join(loses)}
        return PublishedScheme("sentencepiece", "spaces written as ▁", None, str, **more)


def _number_pieces(runs: list[Run]) -> dict[int, dict[str, int]]:
    """Return the ids of pieces, in a table for each type: type -> piece -> id."""
    of_type = {kind: {} for kind in range(1, 7)}
    size = 0
    for run in runs:
        texts = [piece.decode("utf-8") for piece in run.pieces]
        of_type[run.kind].update(zip(texts, count(size)))
        size += len(run.pieces)
    return of_type


def _faults(
    of_type: dict[int, dict[str, int]], trainer: dict, normalizer: Normalizer
) -> Iterator[str]:
    """Yield everything in a model that a `Tokenizer` can't do."""
    if _value(trainer, 24, 0) or not normalizer.escapes:
        yield "spaces are not written as ▁ before a word"
    if of_type[UNUSED]:
        yield f"some pieces are unused: {list(of_type[UNUSED])!r:.80}"
    spaced = [name for name in of_type[USER_DEFINED] if {" ", SPACE} & {*name}]
    if spaced and (normalizer.table or normalizer.shrinks):
        # some, but not all, of the spaces in them are changed, too
        yield f"some user_defined_symbols hold spaces: {spaced!r:.80}"
    if len(of_type[UNKNOWN]) != 1:
        yield "it must have one piece for what is unknown"


def _note_tokens_beside(beside: Beside, tok: PublishedTokenizer) -> Iterator[str]:
    """Yield a note on tokens that only the files beside a model have, if there are any."""
    known = {*tok.special_tokens, *tok.added_tokens, *tok.ids}
    more = sorted({*beside.tokens} - known)
    if more:
        number = f"{len(more)} token{'s' if len(more) > 1 else ''}"
        yield OnIds(
            f"the files beside it add {number}, which a tokenizer.json has: {name_some(more)}"
        )


def _put_around(beside: Beside, tok: PublishedTokenizer) -> Iterator[str]:
    """Set ``tok.around`` if the files beside a model say what Llama's class puts around a text.

    Yield a note if the class does otherwise than the model, and a note on the tokens around a text,
    or a note that these tokens aren't known. The model itself doesn't name them. If no file has the
    option ``add_bos_token``, transformers 4 puts <s> before a text, and transformers 5 doesn't.
    """
    if not beside.kind:
        return
    does = beside.does_to_pieces(prefixes=bool(published_scheme(tok.scheme).put_before))
    if does:
        yield beside.note_other(does)
    if does.startswith("builds"):
        return
    roles = LLAMA_ROLES | beside.roles
    names = []
    for role in ("bos", "eos"):
        is_added = beside.adds.get(f"add_{role}_token", False)
        names.append([roles[f"{role}_token"]] if is_added else [])
    is_told = beside.kind in LLAMA and "add_bos_token" in beside.adds
    if not is_told or not {*chain.from_iterable(names)} <= tok.special_tokens.keys():
        how = f"give the tokenizer.json, which says it ({WRITES_ONE})"
        what = f"what {beside.kind:.80} puts around a text, or else does to it"
        yield OnIds(f"{what}, isn't known, and left out: {how}")
    elif any(names):
        tok.around = [[[name, tok.special_tokens[name]] for name in side] for side in names]
        yield note_around(*tok.around)


def _rank(tokens: dict[str, int], runs: list[Run]) -> tuple[dict[str, int], list[str]]:
    """Return the ranks of tokens, and the tokens that share their score with a different token.

    The higher the score, the lower the rank. Tokens of equal score share a rank, except for single
    characters, because no merge makes them. ``runs`` hold the same tokens with their scores. Scores
    nearly always fall from id to id; in this case the ids are the ranks.
    """
    packed = b"".join(run.scores for run in runs)
    scores = struct.unpack(f"<{len(packed) // 4}f", packed)
    if len(scores) == len(tokens) and all(map(gt, scores, scores[1:])):
        return tokens, []
    texts = [piece.decode("utf-8") for run in runs for piece in run.pieces]
    score_of = dict(zip(texts, scores, strict=True))
    in_order = sorted(tokens, key=lambda piece: -score_of[piece])
    ranks = {piece: rank for rank, piece in enumerate(in_order)}
    ties = []
    for piece, following in pairwise(piece for piece in in_order if len(piece) > 1):
        if score_of[piece] == score_of[following]:
            ranks[following] = ranks[piece]
            ties.append(following)
    return ranks, ties


def _check_format(runs: list[Run], of_type: dict[int, dict[str, int]]) -> None:
    """Raise ValueError for a piece that is empty or comes twice, and for bytes that are missing."""
    normal, *others = of_type.values()
    rest = set(chain.from_iterable(others))
    size = sum(len(run.pieces) for run in runs)
    is_distinct = len(normal) + len(rest) == size and normal.keys().isdisjoint(rest)
    if not is_distinct or "" in normal or "" in rest:
        counts = Counter(chain.from_iterable(run.pieces for run in runs))
        odd = next(piece for piece in counts if not piece or counts[piece] > 1)
        some = f"{odd.decode('utf-8')!r:.80}"
        raise ValueError(f"it breaks its format: the piece {some} is empty or occurs twice")
    missing = BYTE_TOKENS.keys() - of_type[BYTE].keys()
    if of_type[BYTE] and missing:
        raise ValueError(f"it breaks its format: {len(missing)} of the 256 bytes have no piece")


# protocol buffers


def _read_number(content: bytes, at: int) -> tuple[int, int]:
    """Read the number that begins at a place; return the number and the place where it ends.

    Each byte holds seven bits of the number; the lowest bits come first.
    """
    number = shift = 0
    while content[at] & 0x80 and shift < 63:
        number |= (content[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
    return number | content[at] << shift, at + 1


def _fields(content: bytes, at: int = 0) -> dict[int, list]:
    """Return the values in a message from a place on, as a table: number of a field -> values."""
    values = {}
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
        raise LookupError("the last field has no end")
    return values


def _value(values: dict[int, list], number: int, default):
    """Return the last value of a field, or ``default`` if there is no field of this number."""
    return values.get(number, [default])[-1]


def _read_piece(message: bytes) -> tuple[bytes, bytes, int]:
    """Return a piece, its score in four bytes, and its type."""
    fields = _fields(message)
    if len(_value(fields, 2, b"0000")) != 4:
        raise LookupError("its score isn't a float")
    return _value(fields, 1, b""), _value(fields, 2, b"\0\0\0\0"), _value(fields, 3, NORMAL)


def _add_piece(runs: list[Run], piece: bytes, score: bytes, kind: int) -> None:
    """Add a piece to the last run, or to a new run if the piece has a different type."""
    if not runs or runs[-1].kind != kind:
        runs.append(Run(kind, [], bytearray()))
    runs[-1].pieces.append(piece)
    runs[-1].scores.extend(score)


def _usual_pieces(content: bytes) -> tuple[list[Run], int]:
    """Return the usual pieces at the beginning of a file, in runs, and the place where they end.

    A usual piece is written in less than 128 bytes: the text, the score, and the type if it isn't a
    normal piece. Nearly all pieces are usual; this function stops at the first unusual piece. To
    read all pieces field by field, as `_read_piece` does, would take twice as long.
    """
    runs = []
    at = 0
    looks_ahead = True  # once: where the normal pieces begin; nearly all pieces are normal
    while content[at] == FIELD_1 and content[at + 1] < 128:
        end = at + 2 + content[at + 1]
        piece = content[at + 2 : end]
        score = 2 + piece[1]  # where its field begins
        kind = KIND_OF_FIELD.get(piece[score + 5 :])
        is_text = piece[0] == FIELD_1 and piece[1] < 128
        if not is_text or kind is None or len(piece) < score + 5 or piece[score] != FIELD_2:
            break
        if kind == NORMAL and looks_ahead:
            looks_ahead = False
            run, at = _normal_pieces(content, at)
            runs.append(run)
            continue
        _add_piece(runs, piece[2:score], piece[score + 1 : score + 5], kind)
        at = end
    return runs, at


def _normal_pieces(content: bytes, at: int) -> tuple[Run, int]:
    """Return the run of normal pieces from a place on, and where it ends.

    A pattern splits all these pieces at once, which takes half as long as reading them one by one.
    But a text may contain bytes that look like the bytes between two texts. So pieces are taken
    only as long as both sizes before them agree.
    """
    parts = BETWEEN.split(content[at + 4 :])
    texts, between = parts[::2], b"".join(parts[1::2])
    sizes = content[at + 1 : at + 2] + between[5::8]  # a byte for each piece: the size of the rest
    lengths = content[at + 3 : at + 4] + between[7::8]  # a byte for each piece: length of its text
    scores = bytearray(len(between) // 2)
    for place in range(4):
        scores[place::4] = between[place::8]
    rest = texts.pop()  # the last text, with all that follows it in the file
    length = lengths[-1]
    if rest[length : length + 1] == bytes([FIELD_2]) and len(rest) >= length + 5:
        texts.append(rest[:length])
        scores += rest[length + 1 : length + 5]
    number = 0  # number of pieces whose sizes agree
    for text, length, size in zip(texts, lengths, sizes, strict=False):
        if len(text) != length or size != length + MORE:
            break
        number += 1
        at += 2 + size
    return Run(NORMAL, texts[:number], scores[: 4 * number]), at
