"""Tokenizer: a scheme, an alphabet and a list of merges, with an id for every token.

Ids number the alphabet first, then the merges in rank order, then the special tokens. Everything
that a tokenizer does follows from these lists, and is done by the functions that the course
explains. `bpe_teach.Tokenizer`, in fast/tokenizer.py, is this class with faster algorithms for the
same answers.
"""

from __future__ import annotations  # a method of PlainTokenizer can name the class as its result

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cache, cached_property
from numbers import Integral

from bpe_teach.encode import encode_by_rank
from bpe_teach.files import errors_name
from bpe_teach.learn import Merge, learn_merges_naive
from bpe_teach.pairs import Pair, Symbol, Word
from bpe_teach.schemes import SCHEMES, Scheme, as_texts, check_text, find_scheme
from bpe_teach.storage import merge_rows, read_fields, read_parts, write_fields


class PlainTokenizer:
    """Turns text into ids and back. To make one, use `PlainTokenizer.train` or `.load`.

    Read its attributes, but don't change them: ``scheme``, ``alphabet``, ``merges``, ``ranks``
    (pair -> rank), ``vocab`` (id -> token), ``ids`` (token -> id), ``special_tokens`` (name -> id),
    ``unk_token``, ``stopped`` (why training ended).

    >>> PlainTokenizer.train("low lower lowest", scheme="words", num_merges=3).tokens("slow")
    ['s', 'low']
    """

    def __init__(
        self,
        scheme: str | Scheme,
        alphabet: Iterable[Symbol],
        merges: Iterable[tuple[Symbol, Symbol, int]],
        special_tokens: Collection[str] = (),
        *,
        unk_token: str | None = None,
        stopped: str = "",
    ):
        """Build a tokenizer from its parts; raise ValueError if they don't fit together."""
        self.scheme = find_scheme(scheme)
        self.alphabet, self.merges = self._check_parts(alphabet, merges)
        self.unk_token = unk_token
        check_text(stopped)  # it may come from a file
        self.stopped = stopped
        self._number(special_tokens)  # everything else follows from these parts

    def _check_parts(self, alphabet: Iterable[Symbol], merges: Iterable[tuple]) -> tuple:
        """Return the alphabet and the merges, checked, each as a list in the order of ids."""
        alphabet = check_alphabet(self.scheme, alphabet)
        if self.scheme.units is bytes and len(alphabet) < 256:
            raise ValueError(f"the alphabet of {self.scheme.name!r} must hold all 256 bytes")
        return alphabet, check_merges(alphabet, merges)

    def _number(self, special_tokens: Collection[str]) -> None:
        """Give an id to every token; the subclass for published tokenizers uses published ids."""
        tokens = [*self.alphabet, *(merge.token for merge in self.merges)]
        self.vocab = dict(enumerate(tokens))  # id -> token
        self.ids = {}  # token -> id
        for i, token in self.vocab.items():
            self.ids.setdefault(token, i)  # in a handmade list, two merges can make the same token
        self.special_tokens = {}  # name -> id
        for name in check_names(self.scheme, special_tokens, self.unk_token):
            i = len(self.vocab)  # the next free id
            self.special_tokens[name] = i
            self.vocab[i] = name.encode("utf-8") if self.scheme.units is bytes else name

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
        learn: Callable[..., list[Merge]] = learn_merges_naive,
    ) -> PlainTokenizer:
        """Return a tokenizer trained on one or more texts, or on ``word_counts``.

        Pass either ``num_merges`` or ``vocab_size`` (alphabet + merges + special tokens). Training
        ends early when every remaining pair occurs fewer than ``min_count`` times, and ``stopped``
        says so. The default of ``min_count`` is 2, because a pair that occurs only once isn't worth
        an entry. Nothing is merged inside a special token or across its borders.

        >>> PlainTokenizer.train("low low lower", scheme="chars", num_merges=9).stopped
        'after 3 of 9 merges: no pair is left that occurs at least 2 times'

        Raises ValueError if the size is missing, is given twice, or is too small for the alphabet.
        """
        if (text is None) == (word_counts is None):
            raise ValueError("pass either a text (a str or an iterable of str) or word_counts")
        if (vocab_size is None) == (num_merges is None):
            raise ValueError("pass either vocab_size or num_merges")
        sizes = {"vocab_size": vocab_size, "num_merges": num_merges, "min_count": min_count}
        for name, size in sizes.items():
            is_left_out = size is None and name != "min_count"
            is_number = isinstance(size, Integral) and not isinstance(size, bool)
            if not is_left_out and not is_number:
                raise ValueError(f"{name} must be a whole number, not {size!r:.80}")
        # numpy's numbers have a limit, and calculations may exceed it: int8 ends at 127.
        vocab_size = None if vocab_size is None else int(vocab_size)
        num_merges = None if num_merges is None else int(num_merges)
        min_count = int(min_count)
        scheme = find_scheme(scheme)
        names = check_names(scheme, special_tokens, unk_token)
        if word_counts is None:
            texts = text if isinstance(text, list | tuple) else [text]
            for one in texts:
                if isinstance(one, str) and os.path.isfile(one):  # to pass a path is a common slip
                    raise ValueError(f"{one!r} names a file; pass what it holds: path.read_text()")
            word_counts = cls._count_words(scheme, ordinary_parts(text, names))
        if any(isinstance(word, str) for word in word_counts):
            raise ValueError("each word of word_counts must be a tuple of symbols: tuple('low')")
        for symbol in set().union(*word_counts):
            if not isinstance(symbol, scheme.units):
                raise ValueError(
                    f"word_counts has {symbol!r:.80}; count the words with the same scheme"
                )
        # Counts made by hand may hold halves of surrogate pairs, which `check_alphabet` finds.
        alphabet = check_alphabet(scheme, scheme.alphabet(word_counts))
        if num_merges is None:
            num_merges = vocab_size - len(alphabet) - len(names)  # each merge makes one token
        if num_merges < 0:
            size = f"num_merges={num_merges}" if vocab_size is None else f"vocab_size={vocab_size}"
            needed = f"{len(alphabet)} symbols and {len(names)} special tokens come before merges"
            least = "" if vocab_size is None else f"; give {len(alphabet) + len(names)} or more"
            raise ValueError(f"{size} is too small: {needed}{least}")
        merges = learn(word_counts, num_merges, min_count=min_count)
        stopped = f"after {len(merges)} of {num_merges} merges"
        if len(merges) < num_merges:  # learning ended early
            stopped += f": no pair is left that occurs at least {min_count} times"
        return cls(scheme, alphabet, merges, names, unk_token=unk_token, stopped=stopped)

    @staticmethod
    def _count_words(scheme: Scheme, texts: Iterable[str]) -> dict[Word, int]:
        """Return the words of texts with their counts; the class in fast/ does this faster."""
        return scheme.word_counts(texts)

    @cached_property  # computed once, when it is first asked for: only encoding needs it
    def ranks(self) -> dict[Pair, int]:
        """Return a dictionary of all merges: pair -> rank."""
        return {merge.pair: rank for rank, merge in enumerate(self.merges)}

    def encode(self, text: str, *, allowed_special: Collection[str] | str = ()) -> list[int]:
        """Return the ids of a text.

        A special token is recognized only if ``allowed_special`` names it (or is "all");
        otherwise its text is ordinary text.

        >>> tok = PlainTokenizer.train("low low", num_merges=2, special_tokens=["<|end|>"])
        >>> tok.encode("low<|end|>", allowed_special="all"), tok.encode("<|end|>")
        ([257, 258], [60, 124, 101, 110, 100, 124, 62])

        Raises ValueError for an unknown special token, and for a character that was not in the
        training text; the message gives the position of the character. If the scheme's symbols are
        bytes, or if there is an ``unk_token``, no character raises this error.
        """
        ids = []
        for part, special, position in self.parts(text, allowed_special):
            ids += self._encode_part(part, position) if special is None else [special]
        return ids

    def _encode_part(self, text: str, position: int) -> list[int]:
        """Return the ids of a part, which begins at ``position`` and has no special tokens."""
        ids = []
        for word in self.scheme.split(text):
            for token in encode_by_rank(self.scheme.symbols(word), self.ranks):
                if token in self.ids:
                    ids.append(self.ids[token])
                elif self.unk_token is not None:
                    ids.append(self.special_tokens[self.unk_token])
                else:
                    raise self._unseen(token, text, position)
        return ids

    def parts(
        self, text: str, allowed_special: Collection[str] | str = ()
    ) -> Iterator[tuple[str, int | None, int]]:
        """Yield each part of a text, split at special tokens: (part, id or None, position)."""
        position = 0
        for part, name in split_special(text, self._find_names(allowed_special)):
            yield part, self.special_tokens.get(name), position  # None: ordinary text
            position += len(part)

    def tokens(self, text: str, *, allowed_special: Collection[str] | str = ()) -> list[Symbol]:
        """Return the tokens of a text, spelled as in ``vocab``.

        >>> PlainTokenizer.train("low low", scheme="chars", num_merges=2).tokens("low owl")
        ['low', ' ', 'o', 'w', 'l']
        """
        return [self.vocab[i] for i in self.encode(text, allowed_special=allowed_special)]

    def token_of(self, i: int) -> Symbol:
        """Return the token of an id; raise ValueError for an unknown id.

        >>> PlainTokenizer.train("low low", num_merges=2).token_of(257)
        b'low'
        """
        # Nearly every id is an int, and the first test is faster. The second admits ids of numpy.
        is_id = type(i) is int or (isinstance(i, Integral) and type(i) is not bool)
        if not is_id or i not in self.vocab:
            known = f"there are {len(self)} ids, the highest is {max(self.vocab, default=None)}"
            raise ValueError(f"{i!r:.80} is not a token id; {known}")
        return self.vocab[i]

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        r"""Return the text of ids as bytes, with nothing replaced.

        >>> PlainTokenizer.train("", num_merges=0).decode_bytes([195])
        b'\xc3'

        Raises ValueError for an unknown id.
        """
        if self.scheme.units is str:
            return self.decode(ids).encode("utf-8")
        return b"".join([self.token_of(i) for i in ids])

    def decode(self, ids: Iterable[int], errors: str = "replace") -> str:
        """Return the text of ids, as far as the scheme can restore it (see `Scheme.loses`).

        ``errors`` says how to decode bytes that don't form whole characters, as in `bytes.decode`.

        >>> tok = PlainTokenizer.train("low low", num_merges=2)
        >>> tok.decode([257, 32, 257]), tok.decode([195, 169]), tok.decode([195])
        ('low low', 'é', '�')

        Raises ValueError for an unknown id (see `token_of`).
        """
        if self.scheme.units is bytes:
            # First join the bytes, then decode: a character may be split between two tokens.
            return self.decode_bytes(ids).decode("utf-8", errors)
        return "".join(self._spell_out(ids, errors))

    def _spell_out(self, ids: Iterable[int], errors: str) -> Iterator[str]:
        """Yield the text of ids piece by piece; only a subclass needs ``errors``.

        The end of a word is decoded as a space, but a space is wanted only between two words. So
        this space is held back until the next word comes, and it is dropped before a special token
        and at the end of the text: the tokens low</w> low er</w> become "low", " low" and "er".
        """
        unknown = self.special_tokens.get(self.unk_token)
        held = ""  # the space after a word that has ended
        for i in ids:
            token = self.token_of(i)
            if i in self._ends_run:
                yield token
                held = ""
                continue
            text = token if i == unknown else self.scheme.plain(token)
            text = held + text
            held = ""
            if self.scheme.marker and text.endswith(" "):  # a word ends here
                text = text[:-1]
                held = " "
            yield text

    @cached_property
    def _ends_run(self) -> set[int]:
        """Return the ids around which words need no space: special tokens, but not ``unk_token``.

        So low</w><|end|>low</w> is decoded without a space. But the unknown token stands for a
        character of a word, so low</w><unk>w</w> is decoded with a space before <unk>.
        """
        return set(self.special_tokens.values()) - {self.special_tokens.get(self.unk_token)}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tokenizer to a readable JSON file, as a whole or not at all.

        >>> import pathlib, tempfile
        >>> tok = PlainTokenizer.train("low low", num_merges=2)
        >>> path = pathlib.Path(tempfile.mkdtemp(), "low.json")
        >>> tok.save(path)
        >>> PlainTokenizer.load(path) == tok
        True
        """
        if SCHEMES.get(self.scheme.name) != self.scheme:  # the file would load with another scheme
            raise ValueError(
                f"scheme {self.scheme.name!r} is not in SCHEMES, and this file has only its name; "
                "bpe_further.PublishedTokenizer.of(tok).save(path) writes the whole scheme"
            )
        is_bytes = self.scheme.units is bytes
        fields = {
            "version": 1,
            "scheme": self.scheme.name,
            "stopped": self.stopped,
            "special_tokens": list(self.special_tokens),
            "unk_token": self.unk_token,
            "alphabet": list(b"".join(self.alphabet)) if is_bytes else self.alphabet,
        }
        write_fields(path, fields, {"merges": merge_rows(self.merges, self.ids)})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PlainTokenizer:
        """Return the tokenizer that `save` wrote; raise ValueError for any other file."""
        with errors_name(path):  # puts the path before the message of an error
            return cls(**read_parts(read_fields(path)))

    def __len__(self) -> int:
        return len(self.vocab)

    def __eq__(self, other) -> bool:
        return isinstance(other, PlainTokenizer) and self._compared() == other._compared()

    def _compared(self) -> tuple:  # all that `save` writes except ``stopped``
        return (self.scheme, self.alphabet, self.merges, self.special_tokens, self.unk_token)

    def __repr__(self) -> str:
        return (
            f"Tokenizer(scheme={self.scheme.name!r}, tokens={len(self)}: {len(self.alphabet)} "
            f"symbols + {len(self.merges)} merges + {len(self.special_tokens)} special)"
        )

    def _find_names(self, names: Collection[str] | str) -> Collection[str]:
        """Return the names of special tokens, checked; "all" means all of them."""
        if isinstance(names, str):
            names = list(self.special_tokens) if names == "all" else [names]
        if not isinstance(names, Collection):
            raise ValueError(f"special tokens are named by 'all' or a list, not by {names!r:.80}")
        for name in names:
            if name not in self.special_tokens:
                known = ", ".join(self.special_tokens) or "none"
                raise ValueError(f"{name!r:.80} is not a special token; there are {known:.400}")
        return names

    def _unseen(self, symbol: Symbol, text: str, start: int) -> ValueError:
        """Return the error for a character without an id; ``text`` begins at ``start``."""
        position = start + self.scheme.find_character(symbol, text)
        character = symbol.removesuffix(self.scheme.marker) or symbol  # or: the marker itself
        return ValueError(
            f"character {character!r} at position {position} was not in the training text; "
            "train on a text that has it, with unk_token, or with a byte scheme such as 'gpt2'"
        )


def check_alphabet(scheme: Scheme, alphabet: Iterable[Symbol]) -> list[Symbol]:
    """Return the alphabet as a list; raise ValueError if it doesn't fit the scheme."""
    alphabet = list(alphabet)  # it may be an iterator
    for symbol in alphabet:
        if not isinstance(symbol, scheme.units) or (scheme.units is bytes and len(symbol) != 1):
            raise ValueError(f"the alphabet of {scheme.name!r} cannot hold {symbol!r:.80}")
    if len(set(alphabet)) < len(alphabet):  # a symbol has one id
        raise ValueError("the alphabet must hold each symbol once; it holds one twice")
    if scheme.units is str:
        check_text("".join(alphabet))  # finds halves of surrogate pairs
    return alphabet


def check_merges(symbols: Iterable[Symbol], merges: Iterable[tuple]) -> list[Merge]:
    """Return the merges as a list; raise ValueError if a symbol is used before it is made."""
    known = set(symbols)  # grows with each merge
    checked = {}  # pair -> its merge
    for rank, (left, right, count) in enumerate(merges):  # plain tuples are welcome as well
        for part in (left, right):
            if part not in known:
                raise ValueError(f"merge {rank} uses {part!r:.80}, which isn't made before it")
        if (left, right) in checked:
            raise ValueError(f"merge {rank} repeats {(left, right)!r:.80}, which was merged before")
        checked[left, right] = Merge(left, right, count)
        known.add(left + right)
    return list(checked.values())


def check_names(scheme: Scheme, names: Collection[str], unk_token: str | None) -> list[str]:
    """Return special tokens and ``unk_token`` as one list; raise ValueError for a wrong name."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ValueError(f"special_tokens must be a list of texts, not {names!r:.80}")
    names = list(names)
    if unk_token is not None and scheme.units is bytes:
        raise ValueError(f"scheme {scheme.name!r} knows every byte: it needs no unk_token")
    if unk_token not in (None, *names):  # it is a special token as well
        names.append(unk_token)
    for name in names:
        check_text(name)
    if "" in names or len(set(names)) < len(names):
        raise ValueError(f"special tokens must be distinct and not empty: {names!r:.400}")
    return names


def split_special(text: str, names: Collection[str]) -> Iterator[tuple[str, str]]:
    """Yield each part of a text, split at special tokens, with the name of the token or "".

    Parts may be empty. If two special tokens begin at the same place, the longer token is taken.

    >>> list(split_special("a<|end|>b", ["<|end|>", "<|"]))
    [('a', ''), ('<|end|>', '<|end|>'), ('b', '')]
    """
    check_text(text)
    start = 0  # where the part begins that has not been yielded yet
    if names:
        for match in name_pattern(tuple(names)).finditer(text):
            yield text[start : match.start()], ""
            yield match.group(), match.group()
            start = match.end()
    yield text[start:], ""


@cache  # names are a tuple, because a list can't be a key of the cache
def name_pattern(names: tuple[str, ...]) -> re.Pattern:
    """Return a pattern that finds names in a text: the longer name if two begin at the same place.

    >>> name_pattern(("<|", "<|end|>")).findall("a<|end|>b")
    ['<|end|>']
    """
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))


def ordinary_parts(texts: str | Iterable[str], names: Collection[str]) -> Iterator[str]:
    """Yield the parts of one or more texts that lie between special tokens.

    >>> list(ordinary_parts(["a<|end|>b", "c"], ["<|end|>"]))
    ['a', 'b', 'c']
    """
    for text in as_texts(texts):
        for part, name in split_special(text, names):
            if not name:
                yield part
