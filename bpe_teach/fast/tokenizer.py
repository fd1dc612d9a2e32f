"""Tokenizer: the class of `bpe_teach.tokenizer`, with faster algorithms for the same answers.

``from bpe_teach import Tokenizer`` gives the class of this module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property, partial

from bpe_teach.fast.encode import FastEncoder, NumberedMerges, UnseenSymbol
from bpe_teach.fast.learn import learn_merges
from bpe_teach.fast.patterns import split_fast
from bpe_teach.handy import HandyTokenizer
from bpe_teach.hints import with_hints
from bpe_teach.pairs import Word
from bpe_teach.schemes import Scheme, as_texts


# Both can be read later. HandyTokenizer only adds methods, of which we use one: ``unknown`` is the
# id of ``unk_token``. And with_hints adds better errors for names that other libraries use.
@with_hints
class Tokenizer(HandyTokenizer):
    """Turns text into ids and back. Make a tokenizer with `Tokenizer.train` or `Tokenizer.load`.

    Read its attributes, but don't change them: ``scheme``, ``alphabet``, ``merges``,
    ``ranks`` (pair -> rank), ``vocab`` (id -> token), ``ids`` (token -> id, without special
    tokens), ``special_tokens`` (name -> id), ``unk_token``, ``stopped`` (why training ended).

    >>> tok = Tokenizer.train("low lower lowest", scheme="end_of_word", num_merges=3)
    >>> tok
    Tokenizer(scheme='end_of_word', tokens=11: 8 symbols + 3 merges + 0 special)
    >>> tok.tokens("slow"), tok.decode(tok.encode("slow")), tok.stopped
    (['s', 'low', WordEnd('</w>')], 'slow', 'after 3 of 3 merges')
    """

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
        """Return a trained tokenizer, as in `PlainTokenizer.train`.

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

    @cached_property
    def encoder(self) -> FastEncoder:
        """Return the encoder of words, which notebook 07 explains."""
        merges = NumberedMerges.of(self.merges, self.ids)
        return FastEncoder(self.scheme, self.alphabet, self.ids, merges, self.unknown)

    def _encode_part(self, text: str, position: int) -> list[int]:
        try:
            return self._encode_words(self._find_words(text, position))
        except UnseenSymbol as error:  # the error doesn't know where in the text the symbol is
            raise self._unseen(error.symbol, text, position) from None

    # These two are methods because a subclass for published tokenizers has its own versions.

    def _encode_words(self, words: Iterable[str]) -> list[int]:
        return self.encoder.encode_words(words)

    def _find_words(self, text: str, _position: int) -> Iterable[str]:
        # Only the subclass needs the position: it splits a text differently at its beginning.
        return split_fast(self.scheme, text)
