"""Check: compare a tokenizer with the library that reads its file, on a few hundred texts."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path

from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.shared import KNOWN, name_some, raise_faults

PIECES = KNOWN["texts"]["pieces"]
SPACES = KNOWN["texts"]["spaces"]
JOINS_OTHERWISE = "joins tokens in another way"  # in a note on decoding
NOBODY = "no other library can check it"  # in a note
NOT_COMPARED = "its class was not compared"
MOST_NAMES = 20  # special and added tokens that are tried


def sample_texts(names: list[str]) -> Iterator[str]:
    """Yield a few hundred unusual texts; the last of them contain the given names."""
    for number, piece in enumerate(PIECES):
        space = SPACES[number % len(SPACES)]
        other = PIECES[(7 * number + 3) % len(PIECES)]
        yield from (piece, space + piece + space, piece + space + other)
        yield from (3 * other + piece, piece + "\n" + piece)
    for number, (name, space) in enumerate(product(names[:MOST_NAMES], SPACES)):
        yield PIECES[number % len(PIECES)] + space + name + space + "low"


def check_against(
    tok: PublishedTokenizer, theirs, *, whose: str = "its own library", decodes: bool = True
) -> int:
    """Return how many texts a tokenizer and a library encode and decode in the same way.

    ``theirs`` is a `tokenizers.Tokenizer`, a `tiktoken.Encoding`, a
    `sentencepiece.SentencePieceProcessor`, or a tokenizer of ours. Texts that ``tok`` refuses,
    because a character has no id, are left out. Decoding is not compared if ``tok.notes`` say that
    it differs, or if ``decodes`` is False. Error messages call ``theirs`` by the name in ``whose``.

    Raises ValueError, with the first differences, if the tokenizer and the library differ.
    """
    decodes = decodes and not joins_otherwise(tok)
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
            try:
                expected = encode_there(text)
            except BaseException as error:
                if type(error).__name__ != "PanicException":  # not an `Exception`
                    raise
                raise ValueError(f"{whose} fails on {text!r:.80}: {error!s:.80}") from None
            if ids != expected:
                faults.append(
                    f"{text!r:.80} has the ids {ids!r:.80} here, and there {expected!r:.80}"
                )
            elif decodes and decode(ids) != decode_there(ids):
                one, two = decode(ids), decode_there(ids)
                faults.append(
                    f"{text!r:.80} is decoded to {one!r:.80} here, and there to {two!r:.80}"
                )
    raise_faults(faults, f"{whose} differs")
    return number


def joins_otherwise(tok: PublishedTokenizer) -> bool:
    """Return whether the notes of a tokenizer say that other libraries decode differently."""
    return any(JOINS_OTHERWISE in note for note in tok.notes)


def check_class(tok: PublishedTokenizer, folder: Path) -> list[str]:
    """Compare a tokenizer with the class that its folder names, and return notes.

    The notes say why the class was not compared, which special tokens it recognizes in every text,
    or which tokens it adds without an id in the files. The class comes from the package
    transformers, which nothing else here needs. Nothing from the folder is executed.

    Raises ValueError if the class gives different ids.
    """
    try:
        from transformers import AutoTokenizer
    except ImportError:
        return [f"{NOT_COMPARED}: that needs the package transformers (pip install transformers)"]
    try:
        theirs = AutoTokenizer.from_pretrained(folder, local_files_only=True).backend_tokenizer
    except Exception as error:  # errors of transformers have no class in common
        return [f"{NOT_COMPARED}: transformers can't make it ({str(error).strip()!r:.80})"]
    added = list(theirs.get_added_tokens_decoder().values())
    plain = [one for one in added if one.content in tok.special_tokens and not one.special]
    for one in plain:
        one.special = True
    theirs.add_special_tokens(plain)  # so that both find them only where they are allowed
    check_against(tok, Renumbered.of(theirs, tok), decodes=False)  # its decoding tidies texts up
    notes = []
    if plain:
        some = name_some([one.content for one in plain])
        notes.append(f"transformers finds {some} in every text, because to it none is special")
    known = {*tok.special_tokens, *tok.added_tokens}
    more = [one.content for one in added if one.content not in known]
    if more:
        notes.append(f"transformers also adds {', '.join(more)}, which no file gives an id")
    return notes


class Renumbered:
    """A `tokenizers.Tokenizer` with some of its ids replaced by different ids.

    ``ids`` maps an id of the library to the id that replaces this id.
    """

    def __init__(self, theirs, ids: Mapping[int, int]):
        self.theirs, self.ids = theirs, ids
        self.back = {here: there for there, here in ids.items()}

    @classmethod
    def of(cls, theirs, tok: PublishedTokenizer) -> "Renumbered":
        """Return a tokenizer of the library in which added tokens have the same ids as in ``tok``.

        The library itself numbers added tokens after its vocabulary, whatever ids the file gives.
        """
        here = tok.special_tokens | tok.added_tokens
        there = {name: theirs.token_to_id(name) for name in here}
        return cls(theirs, {i: here[name] for name, i in there.items() if i is not None})

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text, numbered as in our tokenizer."""
        ids = self.theirs.encode(text, add_special_tokens=False).ids
        return [self.ids.get(i, i) for i in ids]

    def decode(self, ids: list[int]) -> str:
        """Return the text of ids that are numbered as in our tokenizer."""
        return self.theirs.decode([self.back.get(i, i) for i in ids], skip_special_tokens=False)


def _ways(tok) -> Iterator[tuple[Callable, Callable]]:
    """Yield two pairs of functions, each of which encodes a text and decodes ids.

    The first pair reads special tokens in a text as ordinary text, and the second pair recognizes
    them. For SentencePiece there is only the first pair. Use each pair before you ask for the next,
    because the next pair changes settings of the tokenizer.
    """
    if hasattr(tok, "id_to_piece"):  # SentencePiece recognizes special tokens in no text
        name, shown = tok.id_to_piece(tok.unk_id()), tok.decode([tok.unk_id()])
        yield tok.encode, lambda ids: tok.decode(ids).replace(shown, name)  # shown is ⁇
    elif hasattr(tok, "encode_special_tokens"):  # Hugging Face's
        for is_ordinary in (True, False):
            tok.encode_special_tokens = is_ordinary
            decode = partial(tok.decode, skip_special_tokens=False)
            yield (lambda text: tok.encode(text, add_special_tokens=False).ids), decode
    elif isinstance(tok, Renumbered):
        for is_ordinary in (True, False):
            tok.theirs.encode_special_tokens = is_ordinary
            yield tok.encode, tok.decode
    else:  # tiktoken's, or else ours
        yield getattr(tok, "encode_ordinary", tok.encode), tok.decode
        yield partial(tok.encode, allowed_special="all"), tok.decode
