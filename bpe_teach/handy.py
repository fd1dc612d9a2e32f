"""Handy: further methods that programs need, although the course does without them."""

import codecs
import os
from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from itertools import chain
from typing import Any

from bpe_teach.display import trace
from bpe_teach.files import LONGEST_CHARACTER, errors_name, read_blocks, read_pieces
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import as_texts, check_text
from bpe_teach.symbols import WordEnd
from bpe_teach.tokenizer import PlainTokenizer


class HandyTokenizer(PlainTokenizer):
    """Finds ids of tokens, reads long texts and many texts, can be copied, and can be a dict key.

    The method `trace` needs the encoder of `bpe_teach.Tokenizer`.
    """

    alphabet: list[Symbol]
    merges: list[Merge]

    trace = trace

    def __getstate__(self) -> dict:
        """Return the content of copies and pickles, without results that are kept to save time."""
        kind = type(self)
        found = [name for name in vars(self) if isinstance(getattr(kind, name, 0), cached_property)]
        return {name: value for name, value in vars(self).items() if name not in found}

    def __hash__(self) -> int:
        return hash((self.scheme.name, *self.vocab.values()))

    def encode_batch(self, texts: Iterable[str], **options: Any) -> list[list[int]]:
        """Return the ids of each of several texts, with the options of `encode`.

        >>> HandyTokenizer.train("low low", num_merges=2).encode_batch(["low", "lo"])
        [[257], [256]]
        """
        return [self.encode(text, **options) for text in texts]

    def decode_batch(self, lists: Iterable[Iterable[int]], errors: str = "replace") -> list[str]:
        """Return the text of each of several lists of ids, as `decode` does.

        >>> HandyTokenizer.train("low low", num_merges=2).decode_batch([[257], [256, 119]])
        ['low', 'low']
        """
        return [self.decode(ids, errors) for ids in lists]

    def count_tokens(self, text: str, **options: Any) -> int:
        """Return how many tokens a text has, with the options of `encode`.

        >>> HandyTokenizer.train("low low", num_merges=2).count_tokens("low low")
        3
        """
        return len(self.encode(text, **options))

    def encode_iterable(
        self, texts: Iterable[str], *, allowed_special: Collection[str] | str = ()
    ) -> Iterator[int]:
        r"""Yield the ids of texts, which are encoded separately, with one text in memory at a time.

        If the texts are the lines of a file, their ids need not be the ids of the whole file,
        because a word may continue on the next line. Use `encode_file` to encode a file as a whole.

        >>> tok = HandyTokenizer.train("a\n\n\nb", num_merges=1, min_count=1)
        >>> list(tok.encode_iterable(["a\n", "\n", "\n", "b"])), tok.encode("a\n\n\nb")
        ([97, 10, 10, 10, 98], [97, 256, 10, 98])

        Raises ValueError for a single str, and whatever `encode` raises.
        """
        if isinstance(texts, str):
            raise ValueError("encode_iterable takes several texts; use encode for a single one")
        self._find_names(allowed_special)  # raises now, not at the first id
        ids = (self.encode(text, allowed_special=allowed_special) for text in as_texts(texts))
        return chain.from_iterable(ids)

    def encode_file(
        self, path: str | os.PathLike, *, allowed_special: Collection[str] | str = ()
    ) -> Iterator[int]:
        """Yield the ids of a file in UTF-8, encoded as one text but read in pieces.

        If the scheme has a published split pattern, each piece ends where a word ends, so a larger
        file doesn't need more memory. In other schemes, the whole file is one piece. A file whose
        name ends in .gz is unpacked.

        >>> from bpe_teach.corpora import corpus_path, load_corpus
        >>> tok = HandyTokenizer.train("low low", num_merges=2)
        >>> list(tok.encode_file(corpus_path("story"))) == tok.encode(load_corpus("story"))
        True

        Raises ValueError if the file is not UTF-8, and whatever `encode` raises.
        """
        with errors_name(path):
            names = self._find_names(allowed_special)
            for piece in read_pieces(read_blocks(path), self.scheme, names):
                yield from self.encode(piece, allowed_special=allowed_special)

    def decode_stream(self, ids: Iterable[int], errors: str = "replace") -> Iterator[str]:
        """Yield the text of ids piece by piece, as soon as each piece is complete.

        A piece never ends within a character: bytes are held back until the character is complete.
        All pieces together are ``decode(ids)``.

        >>> tok = HandyTokenizer.train("low low", num_merges=2)
        >>> list(tok.decode_stream([257, 195, 169, 32, 195]))
        ['low', 'é', ' ', '�']

        Raises ValueError at an unknown id.
        """
        if self.scheme.units is bytes:
            return codecs.iterdecode(map(self.token_of, ids), "utf-8", errors)
        return filter(None, self._spell_out(ids, errors))  # leaves out the empty pieces

    def truncate(self, ids: list[int], max_tokens: int) -> list[int]:
        """Return the first ``max_tokens`` ids, or fewer if a character would be cut in two.

        A model may write bytes that belong to no character; such bytes are kept as they are.

        >>> tok = HandyTokenizer.train("low low", num_merges=2)
        >>> tok.truncate([257, 32, 195, 169], 3), tok.truncate([255, 97, 97, 97], 3)
        ([257, 32], [255, 97, 97])
        """
        kept = ids[:max_tokens]
        while kept and self._is_in_character(ids, len(kept)):
            kept.pop()
        return kept

    def _is_in_character(self, ids: list[int], border: int) -> bool:
        """Return whether a character begins before a border between ids and may go on after it."""
        before = after = b""
        place = border
        while place > 0 and len(before) < LONGEST_CHARACTER:
            place -= 1
            before = self._bytes_of(ids[place]) + before
        place = border
        while place < len(ids) and len(after) < LONGEST_CHARACTER:
            after += self._bytes_of(ids[place])
            place += 1
        # A decoder holds back the bytes at the end that begin a character but don't complete it.
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        decoder.decode(before)
        begun, _ = decoder.getstate()
        if not begun or not after:
            return False
        try:
            codecs.getincrementaldecoder("utf-8")("strict").decode(begun + after)
        except UnicodeDecodeError as error:
            return error.start > 0  # otherwise no character begins with these bytes
        return True

    def _bytes_of(self, i: int) -> bytes:
        """Return the bytes that a token stands for."""
        token = self.token_of(i)
        return token if isinstance(token, bytes) else token.encode("utf-8")

    def id_of(self, token: Symbol) -> int:
        """Return the id of a token; if the symbols are bytes, a str stands for its UTF-8 bytes.

        If a special token and an ordinary token are spelled the same, a str means the special
        token.

        >>> tok = HandyTokenizer.train("low low", num_merges=2, special_tokens=["<|end|>"])
        >>> tok.id_of("low"), tok.id_of(b"low"), tok.id_of("<|end|>")
        (257, 257, 258)

        Raises ValueError for anything that is not a token, such as a text of several tokens.
        """
        if not isinstance(token, str | bytes):
            raise ValueError(f"a token is a str or bytes, not {type(token).__name__}")
        if token in self._id_of_name:
            return self._id_of_name[token]
        spellings = [token]
        if isinstance(token, str):
            spellings = [self._symbol(token), WordEnd(token)]  # the second is not plain text
        for spelling in spellings:
            if spelling in self._id_of_token:
                return self._id_of_token[spelling]
        raise ValueError(
            f"{token!r:.80} is not a token; the tokens of a text are found by tokens(text), ids "
            "by encode(text)"
        )

    def _symbol(self, text: str) -> Symbol:
        """Return the token that is spelled as ``text``."""
        check_text(text)
        return text.encode("utf-8") if self.scheme.units is bytes else text

    @cached_property
    def _id_of_name(self) -> dict[str, int]:
        return self.special_tokens

    @cached_property
    def _id_of_token(self) -> dict[Symbol, int]:
        return {token: i for i, token in self.vocab.items()} | self.ids

    @cached_property
    def unknown(self) -> int | None:
        """Return the id for characters without an id of their own, or None if no such id exists.

        >>> HandyTokenizer.train("low", scheme="words", num_merges=0, unk_token="<unk>").unknown
        3
        """
        return self.special_tokens.get(self.unk_token)
