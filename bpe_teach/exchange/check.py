"""Check: hold a tokenizer against the library of its file, on some hundred texts."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from typing import NamedTuple

from bpe_teach.exchange.published import PublishedTokenizer
from bpe_teach.exchange.shared import raise_faults

PIECES = [  # each has gone wrong in some tokenizer
    *("", "low", "lower", "Low", "LOWEST", "don't", "WE'LL", "x1y22z333", "12345678", "3.14", "²"),
    *("don’t", "'’'", "café", "cafe\u0301", "A\u030a", "ŉ", "ǆ", "ß", "ΑΣ", "İ", "ﬁ", "①", "½"),
    *("中文", "日本語テキスト", "한국어", "가", "हिन्दी", "ไทย", "עברית", "ا\u0644", "٣٤", "Ⅷ"),
    *("🙂", "👩\u200d🚀", "𝔘", "\u00ad", "\ufeff", "\u200b", "\ufffd", "\u0378", "\U0001fae9"),
    *("▁", "▁▁", "▁low", "Ġ", "Ġlow", "Ċ", "@@", "</w>", "##", "<0x0A>", "<unk>", "[UNK]", "<s>"),
    *("if x:\n    y = 1\n", "\tx\t", "a\r\nb", "\n\n\n", "http://a.b/c?d=e", "{}[]()", "!?!…"),
    *("__init__", "~^`", "$€", "a\x00b", "\x01\x1f\x7f", "\x1c\x1d", "\x85", "\ue000", "\u088e"),
]  # fmt: skip
SPACES = ["", " ", "  ", "\n", "\t", "\xa0", "\u2003", "\u3000", " \n "]
JOINS_OTHERWISE = "joins tokens in another way"  # in a note on decoding
MOST_NAMES = 20  # special and added tokens that are tried


def sample_texts(names: list[str]) -> Iterator[str]:
    """Yield some hundred texts that are out of the ordinary; the last hold these names."""
    for number, piece in enumerate(PIECES):
        space = SPACES[number % len(SPACES)]
        other = PIECES[(7 * number + 3) % len(PIECES)]
        yield from (piece, space + piece + space, piece + space + other)
        yield from (3 * other + piece, piece + "\n" + piece)
    for number, (name, space) in enumerate(product(names[:MOST_NAMES], SPACES)):
        yield PIECES[number % len(PIECES)] + space + name + space + "low"


def check_against(tok: PublishedTokenizer, theirs) -> int:
    """Return how many texts a tokenizer and a library encode and decode in the same way.

    ``theirs`` is a `tokenizers.Tokenizer`, a `tiktoken.Encoding`, a
    `sentencepiece.SentencePieceProcessor`, or a tokenizer of ours. Left out are texts that ``tok``
    refuses, because a character has no id, and decoding where ``tok.notes`` say that it differs.

    Raises ValueError, with the first differences, if there are any.
    """
    decodes = not any(JOINS_OTHERWISE in note for note in tok.notes)
    names = [*tok.special_tokens, *tok.added_tokens]
    number = 0
    faults = []
    for ours, other in zip(_ways(tok), _ways(theirs), strict=False):
        for text in sample_texts(names):
            try:
                ids = ours.encode(text)
            except ValueError:
                continue
            number += 1
            expected = other.encode(text)
            if ids != expected:
                faults.append(f"{text!r:.80} has the ids {ids!r:.80}, and there {expected!r:.80}")
            elif decodes and ours.decode(ids) != other.decode(ids):
                one, two = ours.decode(ids), other.decode(ids)
                faults.append(f"{text!r:.80} is decoded to {one!r:.80}, and there to {two!r:.80}")
    raise_faults(faults, "its own library differs")
    return number


class _Way(NamedTuple):
    """How a tokenizer is asked."""

    encode: Callable[[str], list[int]]
    decode: Callable[[list[int]], str]


def _ways(tok) -> list[_Way]:
    """Return how a tokenizer is asked for ordinary text, and then for one with special tokens."""
    if hasattr(tok, "id_to_piece"):  # SentencePiece recognizes special tokens in no text
        return [_Way(tok.encode, tok.decode)]
    if hasattr(tok, "encode_special_tokens"):  # Hugging Face's
        decode = partial(tok.decode, skip_special_tokens=False)
        return [_Way(partial(_encode_there, tok, reads), decode) for reads in (True, False)]
    encode = getattr(tok, "encode_ordinary", tok.encode)  # tiktoken's, or else ours
    return [_Way(encode, tok.decode), _Way(partial(tok.encode, allowed_special="all"), tok.decode)]


def _encode_there(theirs, reads_special: bool, text: str) -> list[int]:
    """Encode with the library of Hugging Face; special tokens may be read as ordinary text."""
    theirs.encode_special_tokens = reads_special
    return theirs.encode(text, add_special_tokens=False).ids
