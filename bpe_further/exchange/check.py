"""Check: hold a tokenizer against the library of its file, on some hundred texts."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.shared import KNOWN, raise_faults

PIECES = KNOWN["texts"]["pieces"]
SPACES = KNOWN["texts"]["spaces"]
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
    for (encode, decode), (encode_there, decode_there) in zip(
        _ways(tok), _ways(theirs), strict=False
    ):
        for text in sample_texts(names):
            try:
                ids = encode(text)
            except ValueError:
                continue
            number += 1
            expected = encode_there(text)
            if ids != expected:
                faults.append(f"{text!r:.80} has the ids {ids!r:.80}, and there {expected!r:.80}")
            elif decodes and decode(ids) != decode_there(ids):
                one, two = decode(ids), decode_there(ids)
                faults.append(f"{text!r:.80} is decoded to {one!r:.80}, and there to {two!r:.80}")
    raise_faults(faults, "its own library differs")
    return number


def _ways(tok) -> Iterator[tuple[Callable, Callable]]:
    """Yield how a tokenizer encodes and decodes ordinary text, and then one with special tokens."""
    if hasattr(tok, "id_to_piece"):  # SentencePiece recognizes special tokens in no text
        name, shown = tok.id_to_piece(tok.unk_id()), tok.decode([tok.unk_id()])
        yield tok.encode, lambda ids: tok.decode(ids).replace(shown, name)  # shown is ⁇
    elif hasattr(tok, "encode_special_tokens"):  # Hugging Face's
        for is_ordinary in (True, False):
            tok.encode_special_tokens = is_ordinary
            decode = partial(tok.decode, skip_special_tokens=False)
            yield (lambda text: tok.encode(text, add_special_tokens=False).ids), decode
    else:  # tiktoken's, or else ours
        yield getattr(tok, "encode_ordinary", tok.encode), tok.decode
        yield partial(tok.encode, allowed_special="all"), tok.decode
