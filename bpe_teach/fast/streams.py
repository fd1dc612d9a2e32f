"""Streams: encode and decode with little in memory at a time. Each is a method of `Tokenizer`."""

import codecs
import os
from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from bpe_teach.files import errors_name, read_blocks, read_pieces
from bpe_teach.schemes import as_texts
from bpe_teach.tokenizer import Tokenizer


def encode_iterable(
    tok: Tokenizer, texts: Iterable[str], *, allowed_special: Collection[str] | str = ()
) -> Iterator[int]:
    r"""Yield the ids of texts, each encoded by itself, with one text in memory at a time.

    The lines of a file need not give the ids of the whole file, because a word may continue
    on the next line; `encode_file` does.

    >>> from bpe_teach import Tokenizer
    >>> tok = Tokenizer.train("a\n\n\nb", num_merges=1, min_count=1)
    >>> list(tok.encode_iterable(["a\n", "\n", "\n", "b"])), tok.encode("a\n\n\nb")
    ([97, 10, 10, 10, 98], [97, 256, 10, 98])

    Raises ValueError for a single str, and whatever `encode` raises.
    """
    if isinstance(texts, str):
        raise ValueError("encode_iterable takes several texts; use encode for a single one")
    tok._find_names(allowed_special)  # raises now, not at the first id
    ids = (tok.encode(text, allowed_special=allowed_special) for text in as_texts(texts))
    return chain.from_iterable(ids)


def encode_file(
    tok: Tokenizer, path: str | os.PathLike, *, allowed_special: Collection[str] | str = ()
) -> Iterator[int]:
    """Yield the ids of a file of UTF-8, encoded as one text but read in pieces.

    With the published split patterns, a piece ends where a word ends, so memory doesn't grow
    with the file. With other schemes (as with ``chars`` and ``bytes``, where a text is one
    word), the file is one piece. A file that ends in .gz is unpacked.

    >>> from bpe_teach import Tokenizer, load_corpus
    >>> from bpe_teach.corpora import corpus_path
    >>> tok = Tokenizer.train("low low", num_merges=2)
    >>> list(tok.encode_file(corpus_path("story"))) == tok.encode(load_corpus("story"))
    True

    Raises ValueError if the file is not UTF-8, and whatever `encode` raises.
    """
    with errors_name(path):
        names = tok._find_names(allowed_special)
        for piece in read_pieces(read_blocks(path), tok.scheme, names):
            yield from tok.encode(piece, allowed_special=allowed_special)


def decode_stream(tok: Tokenizer, ids: Iterable[int], errors: str = "replace") -> Iterator[str]:
    """Yield the text of ids piece by piece, as soon as each piece is complete.

    A piece never ends within a character: bytes are held back until it is complete. All pieces
    together are ``decode(ids)``.

    >>> from bpe_teach import Tokenizer
    >>> tok = Tokenizer.train("low low", num_merges=2)
    >>> list(tok.decode_stream([257, 195, 169, 32, 195]))
    ['low', 'é', ' ', '�']

    Raises ValueError at an unknown id.
    """
    if tok.scheme.units is bytes:
        return codecs.iterdecode(map(tok.token_of, ids), "utf-8", errors)
    return filter(None, tok._spell_out(ids, errors))  # leaves out the empty pieces
