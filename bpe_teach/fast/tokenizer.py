"""Tokenizer: the class of `bpe_teach.tokenizer`, with faster ways to the same answers.

This is what ``from bpe_teach import Tokenizer`` gives. It also reads long texts in pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial, wraps
from typing import Any

from bpe_teach import tokenizer as plain
from bpe_teach.display import trace
from bpe_teach.fast import streams
from bpe_teach.fast.encode import FastEncoder, UnseenSymbol
from bpe_teach.fast.learn import learn_merges
from bpe_teach.fast.offsets import Span, place_words, token_offsets
from bpe_teach.fast.patterns import split_fast
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol, Word
from bpe_teach.schemes import Scheme, as_texts, check_text
from bpe_teach.symbols import WordEnd

ELSEWHERE = {  # name in another library -> what it is here
    **dict.fromkeys(["from_file", "from_pretrained", "from_str"], "load_tokenizer(path)"),
    **dict.fromkeys(["train_from_iterator", "train_new_from_iterator"], "Tokenizer.train(texts)"),
    **dict.fromkeys(["get_vocab_size", "n_vocab", "vocab_size"], "len(tok)"),
    **dict.fromkeys(["add_tokens", "add_special_tokens"], "bpe_teach.add_tokens(tok, names)"),
    **dict.fromkeys(["tokenize", "encode_as_pieces"], "tok.tokens(text)"),
    **dict.fromkeys(["token_to_id", "piece_to_id", "convert_tokens_to_ids"], "tok.id_of(token)"),
    **dict.fromkeys(["id_to_token", "id_to_piece", "convert_ids_to_tokens"], "tok.token_of(i)"),
    **dict.fromkeys(["save_pretrained", "to_str"], "to_huggingface(tok), which has it"),
    "encode_ordinary": "tok.encode(text)",
    "get_vocab": "tok.ids, and tok.special_tokens",
}
OPTIONS = {  # the same for options of `train` and `decode`
    "min_frequency": "give min_count",
    "skip_special_tokens": "leave out the ids in tok.special_tokens.values()",
}


class _Elsewhere:
    """An attribute that isn't there, and whose error says what has its place.

    >>> Tokenizer.from_file
    Traceback (most recent call last):
    AttributeError: there is no from_file here: use load_tokenizer(path)
    """

    def __init__(self, name: str):
        self.name = name

    def __get__(self, tok: Tokenizer | None, kind: type) -> None:
        raise AttributeError(f"there is no {self.name} here: use {ELSEWHERE[self.name]}")


def _with_hints(method: Callable) -> Callable:
    """Return a method that knows the names which its options have in other libraries."""

    @wraps(method)
    def told(*args, **options):
        for name in OPTIONS.keys() & options.keys():
            raise TypeError(f"there is no option {name} here: {OPTIONS[name]}")
        return method(*args, **options)

    return told


class Tokenizer(plain.Tokenizer):
    """Turns text into ids and back. Make one with `Tokenizer.train` or `Tokenizer.load`.

    Read its parts, but don't change them: ``scheme``, ``alphabet``, ``merges``,
    ``ranks`` (pair -> rank), ``vocab`` (id -> token), ``ids`` (token -> id, without special
    tokens), ``special_tokens`` (name -> id), ``unk_token``, ``stopped`` (why training ended).

    >>> tok = Tokenizer.train("low lower lowest", scheme="end_of_word", num_merges=3)
    >>> tok
    Tokenizer(scheme='end_of_word', tokens=11: 8 symbols + 3 merges + 0 special)
    >>> tok.tokens("slow"), tok.decode(tok.encode("slow")), tok.stopped
    (['s', 'low', '</w>'], 'slow', 'after 3 of 3 merges')
    """

    alphabet: list[Symbol]
    merges: list[Merge]

    trace = trace
    encode_iterable = streams.encode_iterable
    encode_file = streams.encode_file
    decode_stream = streams.decode_stream
    offsets = token_offsets

    @classmethod
    def train(
        cls,
        text: str | Iterable[str] | None = None,
        *,
        word_counts: Mapping[Word, int] | None = None,
        scheme: str | Scheme = "gpt2",
        vocab_size: int | None = None,
        num_merges: int | None = None,
        min_count: int = 2,
        special_tokens: Collection[str] = (),
        unk_token: str | None = None,
        tie_break: str = "first",
        progress: bool = False,
    ) -> Tokenizer:
        """Return a trained tokenizer, as in `bpe_teach.tokenizer.Tokenizer.train`.

        `learn_merges` explains ``tie_break`` and ``progress``.

        >>> tok = Tokenizer.train("low low lower", scheme="chars", num_merges=9)
        >>> [merge.token for merge in tok.merges], tok.stopped
        (['lo', 'low', 'low '], 'after 3 of 9 merges: no pair is left that occurs at least 2 times')
        """
        return super().train(
            text,
            word_counts=word_counts,
            scheme=scheme,
            vocab_size=vocab_size,
            num_merges=num_merges,
            min_count=min_count,
            special_tokens=special_tokens,
            unk_token=unk_token,
            learn=partial(learn_merges, tie_break=tie_break, progress=progress),
        )

    @staticmethod
    def _count_words(scheme: Scheme, texts: Iterable[str]) -> dict[Word, int]:
        counts = Counter()  # word as a str -> number of occurrences
        for text in as_texts(texts):
            counts.update(split_fast(scheme, text))
        return {scheme.symbols(word): count for word, count in counts.items()}

    def __getstate__(self) -> dict:
        """Return what copies and pickles hold: nothing that was found while texts were encoded."""
        kind = type(self)
        found = [name for name in vars(self) if isinstance(getattr(kind, name, 0), cached_property)]
        return {name: value for name, value in vars(self).items() if name not in found}

    def __hash__(self) -> int:
        return hash((self.scheme.name, len(self.vocab), *self.merges))

    def encode(
        self,
        text: str,
        *,
        allowed_special: Collection[str] | str = (),
        max_tokens: int | None = None,
    ) -> list[int]:
        """Return the ids of a text, shortened to ``max_tokens`` by `truncate` if that is given.

        >>> Tokenizer.train("low low", num_merges=2).encode("low é", max_tokens=3)
        [257, 32]

        Raises ValueError as in `bpe_teach.tokenizer.Tokenizer.encode`.
        """
        ids = super().encode(text, allowed_special=allowed_special)
        return ids if max_tokens is None else self.truncate(ids, max_tokens)

    def encode_batch(self, texts: Iterable[str], **options: Any) -> list[list[int]]:
        """Return the ids of each of several texts; options are those of `encode`.

        >>> Tokenizer.train("low low", num_merges=2).encode_batch(["low", "lo"])
        [[257], [256]]
        """
        return [self.encode(text, **options) for text in texts]

    def truncate(self, ids: list[int], max_tokens: int) -> list[int]:
        """Return the first ids: at most so many, and fewer if a character would be cut in two.

        >>> Tokenizer.train("low low", num_merges=2).truncate([257, 32, 195, 169], 3)
        [257, 32]
        """
        kept = ids[:max_tokens]
        while len(kept) < len(ids):  # what is whole needs no such care
            try:
                self.decode(kept, errors="strict")
                break
            except UnicodeDecodeError:
                kept.pop()
        return kept

    def id_of(self, token: Symbol) -> int:
        """Return the id of a token; where the symbols are bytes, a str stands for its UTF-8.

        If a special token is spelled like another token, a str means the special token.

        >>> tok = Tokenizer.train("low low", num_merges=2, special_tokens=["<|end|>"])
        >>> tok.id_of("low"), tok.id_of(b"low"), tok.id_of("<|end|>")
        (257, 257, 258)

        Raises ValueError for what is not a token, such as a text that becomes several.
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
        """Return the token that is spelled like a text."""
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
        """Return the id of characters that have none of their own, or None.

        >>> Tokenizer.train("low", scheme="words", num_merges=0, unk_token="<unk>").unknown
        3
        """
        return self.special_tokens.get(self.unk_token)

    @cached_property
    def encoder(self) -> FastEncoder:
        """Return the encoder of words, which notebook 07 looks into."""
        return FastEncoder(self.scheme, self.alphabet, self.merges, self.unknown)

    def _encode_part(self, text: str, position: int) -> list[int]:
        try:
            return self.encoder.encode_words(self._find_words(text, position))
        except UnseenSymbol as error:  # it doesn't know where in the text the symbol is
            raise self._unseen(error.symbol, text, position) from None

    def _find_words(self, text: str, _position: int) -> Iterable[str]:
        return split_fast(self.scheme, text)

    # what offsets ask; published tokenizers change texts and spell symbols

    def _place_words(self, part: str, _position: int) -> Iterator[tuple[str, Word, list[Span]]]:
        return place_words(self.scheme, part)

    def _special_span(self, part: str) -> Span:
        return 0, len(part)

    def _spell_symbols(self, symbols: Word, spans: list[Span]) -> tuple[Word, list[Span]]:
        return symbols, spans


# Set here, and not in the class, so that editors don't offer them.
for _name in ELSEWHERE:
    setattr(Tokenizer, _name, _Elsewhere(_name))
Tokenizer.train = classmethod(_with_hints(Tokenizer.train.__func__))
Tokenizer.decode = _with_hints(Tokenizer.decode)
