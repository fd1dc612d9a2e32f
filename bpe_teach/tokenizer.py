"""Tokenizer: a scheme, an alphabet and a list of merges, with an id for every token.

Ids number the alphabet first, then the merges in rank order, then the special tokens. All that a
tokenizer does follows from these lists. One that others published brings a table of its own ids.
"""

from __future__ import annotations

import codecs
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

from bpe_teach.encode import trace_table
from bpe_teach.exchange.offsets import symbol_spans, token_spans, word_spans
from bpe_teach.fast.encode import FastEncoder, UnseenSymbol
from bpe_teach.fast.files import naming_file, read_blocks, read_pieces
from bpe_teach.fast.learn import learn_merges
from bpe_teach.learn import Merge
from bpe_teach.pairs import Pair, Symbol, Word
from bpe_teach.parts import (
    add_names,
    are_in_order,
    check_alphabet,
    check_lstrip,
    check_merges,
    check_names,
    check_options,
    check_sizes,
    check_words,
    is_whole,
    list_special,
    number_special,
    number_tokens,
    turn_around,
)
from bpe_teach.patterns import name_pattern
from bpe_teach.schemes import (
    Scheme,
    check_text,
    each_text,
    find_scheme,
    ordinary_parts,
    split_special,
)
from bpe_teach.storage import read_tokenizer, write_tokenizer
from bpe_teach.symbols import WordEnd

if TYPE_CHECKING:
    from pandas import DataFrame


class Tokenizer:
    """Text to ids and back. Make one with `Tokenizer.train` or `Tokenizer.load`.

    Its parts are there to be read, not to be changed: ``scheme``, ``alphabet``, ``merges``,
    ``vocab`` (id -> token), ``ids`` (token -> id, without special tokens), ``special_tokens``
    (name -> id), ``added_tokens`` (name -> id), ``lstrip`` (names), ``whole_words``, ``unk_token``,
    ``stopped`` (why training ended), ``notes`` (what else stood in a file that others wrote; not
    saved).

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
        special_tokens: Collection[str] | Mapping[str, int] = (),
        *,
        ids: Mapping[Symbol, int] | None = None,
        added_tokens: Mapping[str, int] | None = None,
        lstrip: Collection[str] = (),
        whole_words: bool = False,
        unk_token: str | None = None,
        stopped: str = "",
    ):
        """Put a tokenizer together from its parts; ValueError if they do not fit.

        >>> Tokenizer("chars", ["l", "o", "w"], [("l", "o", 2), ("lo", "w", 2)]).encode("low")
        [4]

        What others published has ids of its own: ``ids`` gives one to each token of the alphabet,
        to what each merge makes, and to tokens that no merge makes. These are in use only with
        ``whole_words``, where a word that is a token is taken whole, before anything is merged.
        Special tokens may bring their ids, too. Added tokens are like special tokens, but are
        recognised in every text. Those of both kinds that ``lstrip`` names take the white space
        before them, which decoding does not bring back.

        >>> ids = {"l": 7, "o": 0, "lo": 9, "w": 8}
        >>> merges, special = [("l", "o", 2)], {"<|end|>": 1}
        >>> tok = Tokenizer("chars", ["l", "o", "w"], merges, special, ids=ids)
        >>> tok.encode("low<|end|>", allowed_special="all"), tok.decode([9, 8, 1])
        ([9, 8, 1], 'low<|end|>')
        """
        self.scheme = find_scheme(scheme)
        self.alphabet = list(alphabet)
        self.merges = [Merge(*merge) for merge in merges]
        self.whole_words = bool(whole_words)
        self.unk_token = unk_token
        self.stopped = stopped
        self.notes = []
        check_options(self.scheme, unk_token, self.whole_words)
        check_alphabet(self.scheme, self.alphabet)
        check_merges(self.alphabet, self.merges, ids or ())

        tokens = self.alphabet + [left + right for left, right, _ in self.merges]
        vocab = dict(enumerate(tokens))
        self.ids = number_tokens(tokens)
        # Ids may be given and yet be those that training gives.
        are_numbered = ids == self.ids and len(ids) == len(tokens)
        are_learned = are_numbered and are_in_order(self.alphabet, self.merges)
        self._own_ids = ids is not None and not are_learned
        if self._own_ids:
            vocab = turn_around(self.scheme, ids, tokens)
            self.ids = dict(ids)

        self.added_tokens = check_names(added_tokens or {}, "added_tokens")
        taken = chain(vocab, self.added_tokens.values())
        self.special_tokens = number_special(special_tokens, unk_token, taken)
        self._id_of_name = self.special_tokens | self.added_tokens
        twice = sorted(self.special_tokens.keys() & self.added_tokens.keys())
        if twice:
            raise ValueError(f"special tokens must not be added tokens, too: {twice!r:.400}")
        self.lstrip = check_lstrip(lstrip, self._id_of_name)
        self.vocab = add_names(self.scheme, vocab, self._id_of_name)
        unknown = self.special_tokens.get(unk_token)
        # A special token ends a run of words; the one for unseen characters stands within a word.
        self._ends_run = set(self._id_of_name.values()) - {unknown}
        self.encoder = FastEncoder(
            self.scheme,
            self.alphabet,
            self.merges,
            unknown,
            ids=self.ids if self._own_ids or whole_words else None,
            whole_words=self.whole_words,
        )

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
        """Learn a tokenizer from a text, from several (lines, documents), or from counted words.

        ``word_counts`` is what `Scheme.word_counts` or `count_words` has counted.

        Give either ``num_merges`` or ``vocab_size`` (alphabet + merges + special tokens). When no
        pair is left that occurs ``min_count`` times there are fewer merges, and ``stopped`` says
        so. Special tokens bound the words: nothing is learned across or from them.

        >>> tok = Tokenizer.train("low low lower", scheme="chars", num_merges=9)
        >>> [merge.token for merge in tok.merges], tok.stopped
        (['lo', 'low', 'low '], 'after 3 of 9 merges: no pair is left that occurs at least 2 times')

        Raises ValueError if the size is missing, given twice, or too small for the alphabet, or if
        there is not one of a text and counted words.
        """
        if (text is None) == (word_counts is None):
            raise ValueError("give either word_counts or a text, which must be a str or several")
        if (vocab_size is None) == (num_merges is None):
            raise ValueError("give either vocab_size or num_merges")
        check_sizes(vocab_size=vocab_size, num_merges=num_merges, min_count=min_count)
        scheme = find_scheme(scheme)
        specials = list_special(special_tokens, unk_token)
        if word_counts is None:
            word_counts = scheme.word_counts(ordinary_parts(text, specials))
        else:
            check_words(scheme, word_counts)
        alphabet = scheme.alphabet(word_counts)
        if num_merges is None:
            num_merges = vocab_size - len(alphabet) - len(specials)
        if num_merges < 0:
            given = f"num_merges={num_merges}" if vocab_size is None else f"vocab_size={vocab_size}"
            raise ValueError(
                f"{given} is too small: there are {len(alphabet)} symbols in the alphabet and "
                f"{len(specials)} special tokens"
            )
        merges = learn_merges(
            word_counts, num_merges, min_count=min_count, tie_break=tie_break, progress=progress
        )
        stopped = f"after {len(merges)} of {num_merges} merges"
        if len(merges) < num_merges:
            stopped += f": no pair is left that occurs at least {min_count} times"
        return cls(scheme, alphabet, merges, specials, unk_token=unk_token, stopped=stopped)

    @cached_property
    def ranks(self) -> dict[Pair, int]:
        """The merges as a table: pair -> rank.

        >>> Tokenizer.train("low low", scheme="chars", num_merges=2).ranks
        {('l', 'o'): 0, ('lo', 'w'): 1}
        """
        return {merge.pair: rank for rank, merge in enumerate(self.merges)}

    def id_of(self, token: Symbol) -> int:
        """Return the id of a token; where the symbols are bytes, a str stands for its UTF-8.

        Where a special token is spelled like another token, its name is the str.

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
        if self.scheme.units is bytes and isinstance(token, str):
            check_text(token)
            spellings = [token.encode("utf-8")]
        elif isinstance(self.scheme.marker, WordEnd):
            spellings.append(WordEnd(token))  # which is not plain text
        for spelling in spellings:
            if spelling in self.ids:
                return self.ids[spelling]
        for name, i in self._id_of_name.items():
            if name.encode("utf-8") == token:
                return i
        raise ValueError(
            f"{token!r:.80} is not a token; the tokens of a text are found by tokens(text), ids "
            "by encode(text)"
        )

    def token_of(self, i: int) -> Symbol:
        """Return the token of an id; ValueError if it is not one.

        >>> Tokenizer.train("low low", num_merges=2).token_of(257)
        b'low'
        """
        if not is_whole(i) or i not in self.vocab:
            raise ValueError(
                f"{i!r:.80} is not a token id; ids run from {min(self.vocab)} to {max(self.vocab)}"
                + " with holes" * (max(self.vocab) - min(self.vocab) >= len(self))
            )
        return self.vocab[i]

    def encode(
        self,
        text: str,
        *,
        allowed_special: Collection[str] | str = (),
        disallowed_special: Collection[str] | str = (),
    ) -> list[int]:
        """Turn a text into ids.

        A special token is recognised only if ``allowed_special`` names it (or is "all");
        otherwise its text is ordinary text. Where that could be a trick, as in what a user has
        typed, ``disallowed_special`` names those that must not be there ("all": all that are not
        allowed, which is the default of tiktoken).

        >>> tok = Tokenizer.train("low low", num_merges=2, special_tokens=["<|end|>"])
        >>> tok.encode("low<|end|>", allowed_special="all")
        [257, 258]
        >>> tok.encode("<|end|>")
        [60, 124, 101, 110, 100, 124, 62]

        Raises ValueError for a character that was not in the training text (with its position;
        byte schemes and ``unk_token`` avoid it), for an unknown special token and for one that
        must not be there.
        """
        self._refuse_special(text, allowed_special, disallowed_special)
        ids = []
        position = 0
        for part, name in split_special(text, self._names_in_text(allowed_special), self.lstrip):
            if name:
                ids.append(self._id_of_name[name])
            else:
                try:
                    ids += self.encoder.encode_words(self.scheme.find_words(part))
                except UnseenSymbol as error:
                    raise self._unseen(error.symbol, part, position) from None
            position += len(part)
        return ids

    def offsets(
        self, text: str, *, allowed_special: Collection[str] | str = ()
    ) -> list[tuple[int, int]]:
        """Tell where the tokens of a text stand: (start, end) for each id that `encode` gives.

        A token is ``text[start:end]``, except that tokens which share a character all have the
        whole of it, and that an end mark takes no room.

        >>> tok = Tokenizer.train("low low", num_merges=2)
        >>> tok.tokens("low é"), tok.offsets("low é")
        ([b'low', b' ', b'\\xc3', b'\\xa9'], [(0, 3), (3, 4), (4, 5), (4, 5)])

        They are places in the text as it is given, also where the scheme changes it before it is
        cut. Raises what `encode` raises, and ValueError where a function ``prepare`` of one's own
        changes more than a character at a time.
        """
        found = []
        position = 0
        for part, name in split_special(text, self._names_in_text(allowed_special), self.lstrip):
            if name:
                found.append((position, position + len(part)))
            else:
                for start, end in self._offsets_in_part(part, position):
                    found.append((position + start, position + end))
            position += len(part)
        return found

    def _offsets_in_part(self, part: str, position: int) -> Iterator[tuple[int, int]]:
        """Yield the offsets in a part of a text without special tokens; it stands at a position."""
        unknown = self.special_tokens.get(self.unk_token)
        try:
            for word, spans in word_spans(self.scheme, part):
                ids = self.encoder.encode_word(word)
                tokens = [None if i == unknown else self.vocab[i] for i in ids]
                symbols = self.scheme.symbols(word)
                yield from token_spans(tokens, symbols, symbol_spans(self.scheme, word, spans))
        except UnseenSymbol as error:
            raise self._unseen(error.symbol, part, position) from None

    def encode_iterable(
        self, texts: Iterable[str], *, allowed_special: Collection[str] | str = ()
    ) -> Iterator[int]:
        r"""Encode text after text, with one in memory at a time.

        Each is encoded by itself. The lines of a file need not give the ids of the whole file,
        because a word may run from one line into the next; `encode_file` gives those.

        >>> tok = Tokenizer.train("a\n\n\nb", num_merges=1, min_count=1)
        >>> list(tok.encode_iterable(["a\n", "\n", "\n", "b"])), tok.encode("a\n\n\nb")
        ([97, 10, 10, 10, 98], [97, 256, 10, 98])

        Raises ValueError for a single str, and whatever `encode` raises.
        """
        if isinstance(texts, str):
            raise ValueError("encode_iterable takes several texts; use encode for a single one")
        allowed = self._allowed(allowed_special)
        return chain.from_iterable(
            self.encode(text, allowed_special=allowed) for text in each_text(texts)
        )

    def encode_file(
        self, path: str | os.PathLike, *, allowed_special: Collection[str] | str = ()
    ) -> Iterator[int]:
        """Encode a file of UTF-8 into the ids of its whole text, reading it in pieces.

        With the published split patterns a piece ends where no word crosses, so memory does not
        grow with the file. With other schemes (``chars`` and ``bytes``, for which a text is one
        word) the file is one piece. A file that ends in .gz or .zst is unpacked.

        >>> import pathlib, tempfile
        >>> tok = Tokenizer.train("low low", num_merges=2)
        >>> path = pathlib.Path(tempfile.mkdtemp(), "low.txt")
        >>> _ = path.write_text("low low")
        >>> list(tok.encode_file(path))
        [257, 32, 257]

        Raises ValueError where the file is not UTF-8, and whatever `encode` raises.
        """
        allowed = self._allowed(allowed_special)
        with naming_file(path):
            pieces = read_pieces(read_blocks(path), self.scheme, self._names_in_text(allowed))
            yield from self.encode_iterable(pieces, allowed_special=allowed)

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        r"""Turn ids into the bytes of the text, nothing replaced; ValueError for an unknown id.

        >>> Tokenizer.train("", num_merges=0).decode_bytes([195])
        b'\xc3'
        """
        if self.scheme.units is str:
            return self.decode(ids).encode("utf-8")
        return b"".join([self.token_of(i) for i in ids])

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Turn ids into text, as far as the scheme can (`Scheme.loses` says what is lost).

        ``errors`` says what becomes of bytes that are not whole characters, as in `bytes.decode`.

        >>> tok = Tokenizer.train("low low", num_merges=2)
        >>> tok.decode([257, 32, 257]), tok.decode([195, 169]), tok.decode([195])
        ('low low', 'é', '�')

        Raises ValueError for an unknown id.
        """
        if self.scheme.units is bytes:
            return self.decode_bytes(ids).decode("utf-8", errors)
        text = ""
        run = []  # the symbols since the last special token
        for i in ids:
            symbol = self.token_of(i)
            if i in self._ends_run:
                text += self.scheme.detokenize(run) + symbol
                run = []
            else:
                run.append(symbol)
        return text + self.scheme.detokenize(run)

    def decode_stream(self, ids: Iterable[int], errors: str = "replace") -> Iterator[str]:
        """Decode ids as they come in, and yield each piece of text as soon as it is whole.

        A piece never ends within a character: bytes are held back until it is complete. All pieces
        together are ``decode(ids)``.

        >>> tok = Tokenizer.train("low low", num_merges=2)
        >>> list(tok.decode_stream([257, 195, 169, 32, 195]))
        ['low', 'é', ' ', '�']

        Raises ValueError for an unknown id, when its turn comes.
        """
        stream = self._stream_bytes if self.scheme.units is bytes else self._stream_symbols
        return filter(None, stream(ids, errors))  # a piece is not empty

    def _stream_bytes(self, ids: Iterable[int], errors: str) -> Iterator[str]:
        decoder = codecs.getincrementaldecoder("utf-8")(errors)
        for i in ids:
            yield decoder.decode(self.token_of(i))
        yield decoder.decode(b"", final=True)

    def _stream_symbols(self, ids: Iterable[int], errors: str) -> Iterator[str]:
        held = ""  # the space that ends a word: none follows the last word
        for i in ids:
            symbol = self.token_of(i)
            if i in self._ends_run:
                yield symbol
                held = ""
                continue
            text = held + self.scheme.plain(symbol)
            held = ""
            if self.scheme.marker and text.endswith(" "):
                text = text.removesuffix(" ")
                held = " "
            yield text

    def tokens(self, text: str, *, allowed_special: Collection[str] | str = ()) -> list[Symbol]:
        """Turn a text into its tokens, spelled out.

        >>> Tokenizer.train("low low", scheme="chars", num_merges=2).tokens("low owl")
        ['low', ' ', 'o', 'w', 'l']
        """
        return [self.vocab[i] for i in self.encode(text, allowed_special=allowed_special)]

    def split(self, text: str, start: int = 0) -> list[str]:
        """Cut a text into words as the scheme does, and check that all their symbols have ids.

        >>> Tokenizer.train("low low", num_merges=2).split("low owl")
        ['low', ' owl']

        Raises ValueError for an unseen character; ``start`` is added to its position.
        """
        words = list(self.scheme.split(text))
        if len(self.alphabet) == 256 and self.scheme.units is bytes:
            return words  # every byte has an id
        # A word that is taken whole needs no ids of its bytes.
        check = self.encoder.encode_word if self.whole_words else self.encoder.count_symbols
        try:
            for word in dict.fromkeys(words):
                check(word)
        except UnseenSymbol as error:
            raise self._unseen(error.symbol, text, start) from None
        return words

    def trace(self, word: str) -> DataFrame:
        """Show how one word is encoded: a row per step, with the pairs that have a rank.

        Columns: ``word`` (its symbols so far), ``candidates`` (rank: pair, lowest rank first),
        ``winner`` (the pair merged next; empty when the word is done).

        >>> tok = Tokenizer.train("low lower", scheme="chars", num_merges=2)
        >>> tok.trace("lowl")[["word", "winner"]].values.tolist()
        [['l o w l', 'l o'], ['lo w l', 'lo w'], ['low l', '']]

        Raises ValueError if the scheme sees no word in the text, or more than one.
        """
        words = self.split(word)
        if len(words) != 1:
            raise ValueError(
                f"scheme {self.scheme.name!r} sees {len(words)} words in {word!r:.80}, not one"
            )
        symbols = self.scheme.symbols(words[0])
        whole = words[0].encode("utf-8")
        if self.whole_words and whole in self.ids:
            symbols = (whole,)
        return trace_table(symbols, self.ranks)

    def save(self, path: str | os.PathLike) -> None:
        """Write the tokenizer to one readable JSON file, as a whole or not at all.

        >>> import pathlib, tempfile
        >>> tok = Tokenizer.train("low low", num_merges=2)
        >>> path = pathlib.Path(tempfile.mkdtemp(), "low.json")
        >>> tok.save(path)
        >>> Tokenizer.load(path) == tok
        True

        Raises ValueError for a scheme of one's own with a function ``prepare``.
        """
        parts = self._parts() | {"stopped": self.stopped}
        if not self._own_ids:
            parts["ids"] = None
            names = list(self.special_tokens)
            learned = range(len(self.alphabet) + len(self.merges))
            taken = chain(learned, self.added_tokens.values())
            if self.special_tokens == number_special(names, None, taken):
                parts["special_tokens"] = names
        write_tokenizer(path, **parts)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Tokenizer:
        """Read what `save` wrote (see the example there).

        Raises ValueError, with the file and the fault, for anything else.
        """
        parts = read_tokenizer(path)
        with naming_file(path):
            return cls(**parts)

    def __len__(self) -> int:
        return len(self.vocab)

    def __eq__(self, other) -> bool:
        return isinstance(other, Tokenizer) and self._parts() == other._parts()

    def __repr__(self) -> str:
        return (
            f"Tokenizer(scheme={self.scheme.name!r}, tokens={len(self)}: {len(self.alphabet)} "
            f"symbols + {len(self.merges)} merges + {len(self.special_tokens)} special)"
        )

    def _parts(self) -> dict:
        return {
            "scheme": self.scheme,
            "alphabet": self.alphabet,
            "merges": self.merges,
            "special_tokens": self.special_tokens,
            "ids": self.ids,
            "added_tokens": self.added_tokens,
            "lstrip": self.lstrip,
            "whole_words": self.whole_words,
            "unk_token": self.unk_token,
        }

    def _allowed(
        self, names: Collection[str] | str, option: str = "allowed_special"
    ) -> Collection[str]:
        """Return the special tokens that are named; ``option`` says what asked for them."""
        if isinstance(names, str):
            if names == "all":
                return tuple(self.special_tokens)
            names = (names,)
        if not isinstance(names, Collection):
            raise ValueError(f"{option} must be 'all' or a list of names, not {names!r:.80}")
        for name in names:
            if name not in self.special_tokens:
                raise ValueError(
                    f"{name!r:.80} is not a special token; {list(self.special_tokens)!r:.400} are"
                )
        return names

    def _names_in_text(self, allowed_special: Collection[str] | str) -> tuple[str, ...]:
        """Return all that is recognised in a text: special tokens to recognise, added tokens."""
        return (*self._allowed(allowed_special), *self.added_tokens)

    def _refuse_special(
        self, text: str, allowed: Collection[str] | str, disallowed: Collection[str] | str
    ) -> None:
        """Raise ValueError if a special token stands in a text that must not be there."""
        names = self._allowed(disallowed, "disallowed_special")
        if isinstance(disallowed, str) and disallowed == "all":
            allowed = self._allowed(allowed)
            names = [name for name in names if name not in allowed]
        if not names:
            return
        check_text(text)
        match = name_pattern(tuple(names)).search(text)
        if match:
            raise ValueError(
                f"special token {match.group()!r:.80} at position {match.start()} must not be in "
                "this text; name it in allowed_special, which gives it its id, or leave it out of "
                "disallowed_special, which reads it as ordinary text"
            )

    def _unseen(self, symbol: Symbol, text: str, start: int) -> ValueError:
        """Make the error for a symbol without an id; ``start`` is where the text began."""
        position = start + self.scheme.find_symbol(symbol, text)
        if self.scheme.units is bytes:
            return ValueError(
                f"byte {symbol[0]:#04x} of the character at position {position} has no id: the "
                f"alphabet of this tokenizer holds {len(self.alphabet)} of the 256 bytes"
            )
        character = symbol.removesuffix(self.scheme.marker) if self.scheme.marks_last else symbol
        return ValueError(
            f"character {character!r} at position {position} was not in the training "
            "text; train on one that has it, with unk_token, or with a byte scheme such as 'gpt2'"
        )
