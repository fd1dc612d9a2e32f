"""Tokenizer: a scheme, an alphabet and a list of merges, with an id for every token.

Ids number the alphabet first, then the merges in rank order, then the special tokens. All that a
tokenizer does follows from these lists.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, groupby
from numbers import Integral
from typing import TYPE_CHECKING

from bpe_teach.encode import trace_table
from bpe_teach.fast import learn_merges
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import Scheme, check_text, cut, find_scheme
from bpe_teach.storage import check_parts, check_special, read_tokenizer, write_tokenizer
from bpe_teach.words import WordEncoder

if TYPE_CHECKING:
    from pandas import DataFrame


class Tokenizer:
    """Text to ids and back. Make one with `Tokenizer.train` or `Tokenizer.load`.

    >>> tok = Tokenizer.train("low lower lowest", scheme="end_of_word", num_merges=3)
    >>> tok
    Tokenizer(scheme='end_of_word', tokens=11: 8 symbols + 3 merges + 0 special)
    >>> tok.tokens("slow"), tok.decode(tok.encode("slow"))
    (['s', 'low', '</w>'], 'slow')
    >>> tok.stopped
    'after 3 of 3 merges'
    """

    def __init__(
        self,
        scheme: str | Scheme,
        alphabet: Iterable[Symbol],
        merges: Iterable[Merge],
        special_tokens: Collection[str] = (),
        *,
        unk_token: str | None = None,
        stopped: str = "",
    ):
        """Put a tokenizer together from its parts; ValueError if they do not fit."""
        self.scheme = find_scheme(scheme)
        self.alphabet = list(alphabet)
        self.merges = [Merge(*merge) for merge in merges]
        self.unk_token = unk_token
        self.stopped = stopped  # why training ended
        specials = check_special(special_tokens, unk_token)
        if unk_token is not None and self.scheme.units is bytes:
            raise ValueError(f"scheme {self.scheme.name!r} knows every byte: it needs no unk_token")
        check_parts(self.scheme, self.alphabet, self.merges)
        tokens = [*self.alphabet, *(merge.token for merge in self.merges)]
        names = specials if self.scheme.units is str else [name.encode() for name in specials]
        self.vocab: dict[int, Symbol] = dict(enumerate([*tokens, *names]))
        self.special_tokens = {name: len(tokens) + i for i, name in enumerate(specials)}
        unknown = self.special_tokens.get(unk_token)
        self.words = WordEncoder(self.scheme, self.alphabet, self.merges, unknown)

    @classmethod
    def train(
        cls,
        text: str | Iterable[str],
        *,
        scheme: str | Scheme = "gpt2",
        vocab_size: int | None = None,
        num_merges: int | None = None,
        min_count: int = 2,
        special_tokens: Collection[str] = (),
        unk_token: str | None = None,
        tie_break: str = "first",
        progress: bool = False,
    ) -> Tokenizer:
        """Learn a tokenizer from a text, or from several (lines, documents).

        Give either ``num_merges`` or ``vocab_size`` (alphabet + merges + special tokens). When no
        pair is left that occurs ``min_count`` times there are fewer merges, and ``stopped`` says
        so. Special tokens bound the words: nothing is learned across or from them.

        Raises ValueError if the size is missing, given twice, or too small for the alphabet.
        """
        if (vocab_size is None) == (num_merges is None):
            raise ValueError("give either vocab_size or num_merges")
        scheme, specials = find_scheme(scheme), check_special(special_tokens, unk_token)
        texts = [text] if isinstance(text, str) else text
        word_counts = scheme.word_counts(part for t in texts for part in cut(t, specials)[::2])
        alphabet = scheme.alphabet(word_counts)
        if num_merges is None:
            num_merges = vocab_size - len(alphabet) - len(specials)
        if num_merges < 0:
            raise ValueError(
                f"vocab_size={vocab_size} or num_merges={num_merges} is too small: there are "
                f"{len(alphabet)} symbols in the alphabet and {len(specials)} special tokens"
            )
        merges = learn_merges(
            word_counts, num_merges, min_count=min_count, tie_break=tie_break, progress=progress
        )
        stopped = f"after {len(merges)} of {num_merges} merges"
        if len(merges) < num_merges:
            stopped += f": no pair is left that occurs at least {min_count} times"
        return cls(scheme, alphabet, merges, specials, unk_token=unk_token, stopped=stopped)

    def encode(self, text: str, *, allowed_special: Collection[str] | str = ()) -> list[int]:
        """Turn a text into ids.

        A special token is recognised only if ``allowed_special`` names it (or is "all");
        otherwise its text is ordinary text.

        Raises ValueError for a character that was not in the training text (with its position;
        byte schemes and ``unk_token`` avoid it) and for an unknown special token.
        """
        check_text(text)
        ids, position = [], 0
        for n, part in enumerate(cut(text, self._allowed(allowed_special))):
            if n % 2:
                ids.append(self.special_tokens[part])
            else:
                words = self.scheme.split(part)
                try:
                    ids += chain.from_iterable(map(self.words.__getitem__, words))
                except KeyError as error:
                    raise self.scheme.unseen(error.args[0], part, position) from None
            position += len(part)
        return ids

    def _allowed(self, allowed_special: Collection[str] | str) -> list[str]:
        """List the special tokens to recognise."""
        if allowed_special == "all":
            return list(self.special_tokens)
        names = [allowed_special] if isinstance(allowed_special, str) else list(allowed_special)
        if unknown := [name for name in names if name not in self.special_tokens]:
            raise ValueError(f"{unknown[0]!r} is no special token; {list(self.special_tokens)} are")
        return names

    def encode_iterable(self, texts: Iterable[str]) -> Iterator[int]:
        """Encode text after text, one in memory at a time; ValueError for a single str."""
        if isinstance(texts, str):
            raise ValueError("encode_iterable takes several texts; use encode for a single one")
        return chain.from_iterable(map(self.encode, texts))

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Turn ids into the bytes of the text, nothing replaced; ValueError for an unknown id."""
        if self.scheme.units is str:
            return self.decode(ids).encode("utf-8")
        return b"".join([self.vocab[self._index(i)] for i in ids])

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Turn ids into text, as far as the scheme can (`Scheme.loses` says what is lost).

        ``errors`` says what becomes of bytes that are no whole character, as in `bytes.decode`.
        """
        if self.scheme.units is bytes:
            return self.decode_bytes(ids).decode("utf-8", errors)
        breaks = {i for name, i in self.special_tokens.items() if name != self.unk_token}
        text = ""
        for special, run in groupby(map(self._index, ids), key=breaks.__contains__):
            symbols = [self.vocab[i] for i in run]
            text += "".join(symbols) if special else self.scheme.join(symbols)
        return text

    def _index(self, i: int) -> int:
        if not isinstance(i, Integral) or i not in self.vocab:
            raise ValueError(f"{i!r} is no id; ids run from 0 to {len(self) - 1}")
        return i

    def tokens(self, text: str, *, allowed_special: Collection[str] | str = ()) -> list[Symbol]:
        """Turn a text into its tokens, spelled out."""
        return [self.vocab[i] for i in self.encode(text, allowed_special=allowed_special)]

    def trace(self, word: str) -> DataFrame:
        """Show how one word is encoded: a row per step, with the pairs that have a rank.

        Columns: ``word`` (its symbols so far), ``candidates`` (rank: pair, lowest rank first),
        ``winner`` (the pair joined next; empty when the word is done).

        Raises ValueError if the scheme sees no word in the text, or more than one.
        """
        words = list(self.scheme.split(word))
        if len(words) != 1:
            raise ValueError(f"scheme {self.scheme.name!r} sees {len(words)} words in {word!r}")
        self.encode(word)  # raises the error for unseen characters
        ranks = {merge.pair: rank for rank, merge in enumerate(self.merges)}
        return trace_table(self.scheme.symbols(words[0]), ranks)

    def save(self, path: str | os.PathLike) -> None:
        """Write the tokenizer to one readable JSON file, as a whole or not at all."""
        write_tokenizer(path, **self._parts(), stopped=self.stopped)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Tokenizer:
        """Read what `save` wrote; ValueError, with the file and the fault, for anything else."""
        return read_tokenizer(path, cls)

    def __len__(self) -> int:
        return len(self.vocab)

    def _parts(self) -> dict:
        return {
            "scheme": self.scheme,
            "alphabet": self.alphabet,
            "merges": self.merges,
            "special_tokens": list(self.special_tokens),
            "unk_token": self.unk_token,
        }

    def __eq__(self, other) -> bool:
        return isinstance(other, Tokenizer) and self._parts() == other._parts()

    def __repr__(self) -> str:
        return (
            f"Tokenizer(scheme={self.scheme.name!r}, tokens={len(self)}: {len(self.alphabet)} "
            f"symbols + {len(self.merges)} merges + {len(self.special_tokens)} special)"
        )
