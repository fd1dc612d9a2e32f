"""Published: tokenizers whose ids, tokens or schemes do not follow from training."""

from __future__ import annotations

import codecs
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from itertools import chain, count

import regex

from bpe_further.exchange.file import MORE_OF_TOKENIZER, read_version_2, write_fields
from bpe_further.exchange.normalize import IN_WORD, WHITE_SPACE, normalize
from bpe_further.exchange.ranks import merge_leftmost, recover_merges
from bpe_further.exchange.schemes import Normalized, PublishedScheme, as_published, published_scheme
from bpe_further.exchange.shared import (
    OnIds,
    OnText,
    id_faults,
    name_some,
    raise_faults,
    require,
    time_limit,
)
from bpe_further.exchange.spelling import BYTE_TOKENS, SpellingEncoder, first_symbols
from bpe_further.offsets import Span, place_words, token_offsets
from bpe_teach import storage, tokenizer
from bpe_teach.display import trace_table
from bpe_teach.fast.encode import FastEncoder, NumberedMerges, RanksOfTokens
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.files import errors_name
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol, Word
from bpe_teach.schemes import BYTES, SCHEMES, Scheme, check_text, find_scheme

LONGEST_NAME = 1000  # characters of a special or added token
LONGEST_NAMES = 1_000_000  # characters of all names together
MOST_NAMES = 20_000  # Gemma 3 has 6,415
HOW_TO_NAME = "in Python, from_tiktoken(path, …, special_tokens={…})"  # for ranks
HOW_TO_PUT = "encode does so with add_special_tokens=True"  # the tokens around a text
OUR_FILE = "our own file can hold it: tok.save, in a shell convert --to bpe-teach"
OTHERS_HOLD = "a tokenizer.json (to_huggingface) and our own file (tok.save) can hold this"
IN_TEXTS = {bytes([byte]) for byte in range(256) if byte not in (192, 193) and byte < 245}


class PublishedTokenizer(Tokenizer):
    """A tokenizer as others published it; every function `from_…` returns such a tokenizer.

    Training could not always have given this tokenizer. It has everything that a `Tokenizer` has,
    and also these attributes:

    - ``ids``: token -> id, without special tokens.
    - ``added_tokens``: name -> id. They are like special tokens, but recognized in every text.
    - ``lstrip`` and ``rstrip``: names that take the white space before or after them; decoding does
      not restore this white space.
    - ``single_word``: names that are found only if no letter or digit stands beside them.
    - ``normalized``: spelling that is looked for in the normalized text -> name of the token.
    - ``unknown``: the id for characters that have no id of their own.
    - ``whole_words``: whether a word that is a token is taken whole, before anything is merged.
    - ``byte_fallback``: whether a character without an id is spelled in bytes.
    - ``fuse_unk``: whether several unknown characters in a row become one token.
    - ``drops_unknown``: whether characters without a token are left out of a text; in other
      tokenizers they raise an error.
    - ``around``: the tokens that may be put before and after a text, as two lists of names with
      ids.
    - ``roles``: role -> name of the token; for example, ``bos_token`` begins a text.
    - ``notes``: notes on everything else that was in the file. Notes are not saved. But notes that
      follow from saved attributes are made again when the file is read.

    >>> ids = {"l": 7, "o": 0, "lo": 9, "w": 8}
    >>> merges, special = [("l", "o", 2)], {"<|end|>": 1}
    >>> tok = PublishedTokenizer("chars", ["l", "o", "w"], merges, special, ids=ids)
    >>> tok.encode("low<|end|>", allowed_special="all"), tok.decode([9, 8, 1])
    ([9, 8, 1], 'low<|end|>')
    """

    offsets = token_offsets

    def __init__(
        self,
        scheme: str | Scheme,
        alphabet: Iterable[Symbol] | None,
        merges: Iterable[Merge] | NumberedMerges | None,
        special_tokens: Collection[str] | Mapping[str, int] = (),
        *,
        ids: Mapping[Symbol, int] | None = None,
        token_ranks: Mapping[Symbol, int] | None = None,
        added_tokens: Mapping[str, int] | None = None,
        lstrip: Collection[str] = (),
        rstrip: Collection[str] = (),
        single_word: Collection[str] = (),
        normalized: Mapping[str, str] | None = None,
        whole_words: bool | None = False,
        byte_fallback: bool = False,
        fuse_unk: bool = False,
        drops_unknown: bool = False,
        unk_token: str | None = None,
        around: Collection | None = None,
        roles: Mapping[str, str] | None = None,
        stopped: str = "",
    ):
        """Put a tokenizer together from its parts; raise ValueError if the parts do not fit.

        The error lists all faults. ``ids`` gives an id to each token of the alphabet, to the token
        that each merge makes, and to tokens that no merge makes; without ``ids``, tokens are
        numbered as in training. If ``alphabet`` is None, it is made of the single bytes or
        characters that have ids, in the order of their ids.

        ``merges`` may also be `bpe_teach.fast.encode.NumberedMerges`, with numbers from ``ids``. Or
        ``merges`` is None, and ``token_ranks`` is a table: token -> rank. In this case a pair has
        the rank of the token that it makes (see `RanksOfTokens` in the same module), and the merges
        are found when somebody asks for them. If several tokens share a rank, the leftmost pair is
        merged first. If ``whole_words`` is None, it becomes true if there are tokens that no merge
        makes. If `NumberedMerges` or ``token_ranks`` are given, the ids are not checked again.

        ``special_tokens`` either come with ids or are numbered after all other tokens.
        ``unk_token`` is a token that has an id in ``ids``, ``added_tokens`` or ``special_tokens``;
        any other token becomes an additional special token.
        """
        self._whole_words = whole_words
        self._told = []  # notes on the file, which `notes` ends with
        self.byte_fallback = bool(byte_fallback)
        self.fuse_unk = bool(fuse_unk)
        self.drops_unknown = bool(drops_unknown)
        self.around = check_around(around or [])
        self.roles = dict(roles or {})
        self.added_tokens = {} if added_tokens is None else added_tokens
        self._given_ids = ids
        self.token_ranks = token_ranks
        parts = (as_published(find_scheme(scheme)), alphabet, merges, special_tokens)
        super().__init__(*parts, unk_token=unk_token, stopped=stopped)
        self.lstrip = self._check_known("lstrip", lstrip)
        self.rstrip = self._check_known("rstrip", rstrip)
        self.single_word = self._check_known("single_word", single_word)
        self.normalized = dict(normalized or {})
        self._check_known("normalized", list(self.normalized.values()))
        raise_faults(name_faults(self.normalized))
        for text, name in self.normalized.items():  # as in other libraries, decoding gives the text
            self.vocab[self._id_of_name[name]] = self._symbol(text)

    def _check_parts(self, alphabet: Iterable[Symbol] | None, merges) -> tuple:
        """Check the alphabet, which may lack bytes, and the merges; return both."""
        ids, units = self._given_ids, self.scheme.units
        if merges is None and (ids is None or self.token_ranks is None):
            raise ValueError("give merges, or both token_ranks and ids")
        if self.byte_fallback and units is not str:
            name = self.scheme.name
            raise ValueError(f"byte_fallback is for characters, and scheme {name!r} has bytes")
        if ids is None:
            alphabet = tokenizer.check_alphabet(self.scheme, alphabet)
            return alphabet, tokenizer.check_merges(alphabet, merges)
        alphabet = None if alphabet is None else list(alphabet)
        if merges is not None and not isinstance(merges, NumberedMerges):
            merges = [one if type(one) is Merge else Merge(*one) for one in merges]
            faults = list(id_faults(ids, units))
            raise_faults([*faults, *unnumbered_faults(alphabet or (), merges, ids)])
        if alphabet is None:
            alphabet = sorted(first_symbols(ids, self.scheme), key=ids.get)
        if not self._marks_bytes:  # otherwise bytes also occur with the marker
            alphabet = tokenizer.check_alphabet(self.scheme, alphabet)
        return alphabet, merges

    def _number(self, special_tokens: Collection[str] | Mapping[str, int]) -> None:
        """Give every token its published id or, if there is none, the id that training gives."""
        if self._given_ids is not None:
            self.ids = dict(self._given_ids)  # from now on, this copy is the only table
            if self.token_ranks is self._given_ids:
                self.token_ranks = self.ids
            self._given_ids = self.ids
            vocab = dict(zip(self.ids.values(), self.ids, strict=True))
        else:
            tokens = self.alphabet + [left + right for left, right, _ in self.merges]
            lowest = {token: i for i, token in reversed([*enumerate(tokens)])}
            self.ids = dict(reversed(lowest.items()))
            vocab = dict(enumerate(tokens))
        if not isinstance(self.added_tokens, Mapping):
            added = f"{self.added_tokens!r:.80}"
            raise ValueError(f"added_tokens must give names with their ids: {added}")
        self.added_tokens = number_special(self.scheme, self.added_tokens, None, vocab)
        taken = chain(vocab, self.added_tokens.values())
        unk_token = self.unk_token
        is_token = unk_token is not None and self._symbol(unk_token) in self.ids
        is_token = is_token or unk_token in self.added_tokens
        name = None if is_token else unk_token  # it becomes a special token
        self.special_tokens = number_special(self.scheme, special_tokens, name, taken)
        raise_faults(name_faults([*self.special_tokens, *self.added_tokens]))
        twice = sorted(self.special_tokens.keys() & self.added_tokens.keys())
        require(not twice, f"special tokens must not be added tokens as well: {twice!r:.400}")
        named = {}  # id -> token
        for name, i in self._id_of_name.items():
            token = self._symbol(name)
            holder = vocab.get(i, token)
            if holder != token:
                raise ValueError(f"{name!r:.80} has the id {i}, which {holder!r:.80} has already")
            named.setdefault(i, token)  # an id of two names is decoded as the first name
        vocab |= named
        in_order = sorted(vocab)
        self.vocab = vocab if in_order == list(vocab) else {i: vocab[i] for i in in_order}

    # Properties that follow from the merges, and are computed when somebody asks for them

    @cached_property
    def notes(self) -> list[str]:
        """Notes on everything in the file that is left out here, or done in a different way."""
        notes = self._note_names()
        if self._whole_words is None and self.whole_words:
            unmerged = self._recovered[1]
            number = f"{len(unmerged):,} of the tokens"
            some = name_some(unmerged)
            note = f"no merge makes {number}, so they are found only as whole words: {some}"
            names = [one.decode("utf-8", "replace") for one in unmerged]
            odd = [name for name in names if regex.fullmatch(r"<\|.+\|>", name)]
            unknown = [name for name in odd if name not in self.special_tokens]
            if unknown:
                note += f"; if {unknown[0]!r:.40} is a special token, say so: {HOW_TO_NAME}"
            notes.append(note)
        return [*notes, *self._told]

    def notes_at_hand(self) -> list[str]:
        """Return the notes that are known without a search for merges, which takes time."""
        return vars(self).get("notes") or [*self._note_names(), *self._told]

    def _note_names(self) -> list[str]:
        """Return a note if decoding can't tell whether a space is beside an added token."""
        if not self.added_tokens or not self._names_are_words:
            return []
        name = f"{next(iter(self.added_tokens))!r:.40}"
        return [
            OnText(
                f"decoding writes a space before and after an added token such as {name}, since "
                "ids don't tell whether a text has one there"
            )
        ]

    def __getstate__(self) -> dict:
        state = super().__getstate__()
        if "notes" in vars(self):  # somebody may have added notes, which stand nowhere else
            state["notes"] = self.notes
        return state

    @property
    def merges(self) -> list[Merge]:
        """The merges, beginning with the lowest rank."""
        return self._given_merges if isinstance(self._given_merges, list) else self._found_merges

    @merges.setter
    def merges(self, merges: list[Merge] | NumberedMerges | None) -> None:
        self._given_merges = merges

    @cached_property
    def _found_merges(self) -> list[Merge]:
        if self._given_merges is None:
            return self._recovered[0]
        symbols = dict(zip(self.ids.values(), self.ids, strict=True))
        return [Merge(symbols[left], symbols[right], 0) for left, right in self._given_merges.ranks]

    @cached_property
    def _recovered(self) -> tuple[list[Merge], list[Symbol]]:
        """The merges behind the ranks of tokens, and the tokens that no merge makes."""
        return recover_merges(self.token_ranks)

    @cached_property
    def shares_ranks(self) -> bool:
        """Whether tokens share a rank, so that no list of merges would give the same tokens."""
        ranks = self.token_ranks
        if ranks is None or ranks is self.ids:
            return False
        return len(set(ranks.values())) < len(ranks)

    def check_merges(self) -> None:
        """Raise ValueError if encoding with the merges would give different tokens."""
        require(
            not self.shares_ranks,
            "some of its tokens share a score: of these, the leftmost in a text is merged first, "
            "which no list of merges can say. It encodes, decodes and counts, and "
            f"{OUR_FILE}",
        )

    @cached_property
    def whole_words(self) -> bool:
        """Whether a word that is a token is taken whole, before anything is merged."""
        return bool(self._recovered[1]) if self._whole_words is None else bool(self._whole_words)

    @cached_property
    def own_ids(self) -> bool:
        """Whether the ids differ from those that training gives."""
        if self._given_ids is None:
            return False
        if self.shares_ranks:
            return True
        return self._marks_bytes or not is_as_trained(self.ids, self.alphabet, self.merges)

    @property
    def _marks_bytes(self) -> bool:
        """Whether the last byte of a word carries a marker, as in CLIP."""
        return self.scheme.units is bytes and bool(self.scheme.marker)

    @property
    def _names_are_words(self) -> bool:
        """Return whether decoding loses the information that a space is beside an added token."""
        scheme = published_scheme(self.scheme)
        marks_words = scheme.units is str and bool(scheme.marker) and not scheme.space
        return marks_words and not self.byte_fallback

    @cached_property
    def _id_of_name(self) -> dict[str, int]:
        return self.special_tokens | self.added_tokens

    @cached_property
    def unknown(self) -> int | None:
        """Return the id for characters without an id of their own, or None if no such id exists.

        Here it may also be the id of an ordinary token.
        """
        if self.unk_token is None:
            return None
        token = self._symbol(self.unk_token)
        return self._id_of_name.get(self.unk_token, self.ids.get(token))

    @cached_property
    def encoder(self) -> FastEncoder:
        """The encoder of words, made when it is first needed, because making it takes time."""
        self.check_merges()
        merges = self._given_merges
        if not isinstance(merges, NumberedMerges):
            merges = NumberedMerges.of(self.merges, self.ids)
        return self._make_encoder(merges, whole_words=self.whole_words)

    @cached_property
    def _word_encoder(self) -> FastEncoder:
        """The encoder of texts; if tokens have ranks, it needs no merges."""
        if self.token_ranks is None:
            return self.encoder
        ids = list(map(self.ids.__getitem__, self.token_ranks))
        ranks = RanksOfTokens(dict(zip(ids, self.token_ranks, strict=True)), self.token_ranks)
        if self.shares_ranks:
            made = RanksOfTokens(ranks.symbols, self.ids)
            return self._make_encoder(NumberedMerges(ranks, made), False, merge=merge_leftmost)
        made = range(max(ids, default=-1) + 1)  # rank -> id: nearly always they are the same
        if ids != list(self.token_ranks.values()):
            made = dict(zip(self.token_ranks.values(), ids, strict=True))
        # If words are taken whole, tokens that merges make are taken whole, too: the result is the
        # same.
        is_whole = self._whole_words is None or self._whole_words
        return self._make_encoder(NumberedMerges(ranks, made), whole_words=is_whole)

    def _make_encoder(
        self, merges: NumberedMerges, whole_words: bool, merge: Callable | None = None
    ) -> FastEncoder:
        parts = (self.scheme, self.alphabet, self.ids, merges, self.unknown)
        options = {"whole_words": whole_words, "merge": merge}
        habits = {"byte_fallback": self.byte_fallback, "fuse_unknown": self.fuse_unk}
        habits["drops_unknown"] = self.drops_unknown
        if any(habits.values()):
            return SpellingEncoder(*parts, **options, **habits)
        return FastEncoder(*parts, **options)

    def _encode_words(self, words: Iterable[str]) -> list[int]:
        return self._word_encoder.encode_words(words)

    def _check_known(self, option: str, names: Collection[str]) -> list[str]:
        """Return names of special and added tokens, in order and without repetitions.

        Raises ValueError, which names the ``option``, for names of other tokens.
        """
        is_list = isinstance(names, Collection) and not isinstance(names, str)
        require(is_list, f"{option} must be a list of names, not {names!r:.80}")
        for name in names:
            is_known = isinstance(name, str) and name in self._id_of_name
            require(is_known, f"{option} names {name!r:.80}, not a special or added token")
        return sorted(set(names))

    @classmethod
    def of(cls, tok: Tokenizer) -> PublishedTokenizer:
        """Return a trained tokenizer as a published one; a published one is returned unchanged.

        >>> PublishedTokenizer.of(Tokenizer.train("low low", num_merges=2)).id_of("low")
        257
        """
        require(isinstance(tok, Tokenizer), f"give a Tokenizer, not {type(tok).__name__}")
        if isinstance(tok, cls):
            return tok
        parts = (tok.scheme, tok.alphabet, tok.merges, tok.special_tokens)
        return cls(*parts, unk_token=tok.unk_token, stopped=tok.stopped)

    def __repr__(self) -> str:
        """Return the numbers of the tokens of each kind, which add up to the number of all tokens.

        Several merges may make one token, and some tokens may be made by no merge.
        """
        names = len(self.special_tokens) + len(self.added_tokens)
        if len(self.alphabet) + len(self.merges) + names == len(self):
            added = f" + {len(self.added_tokens)} added)" if self.added_tokens else ")"
            return super().__repr__().removesuffix(")") + added
        symbols = set(self.alphabet)
        merged = {merge.token for merge in self.merges} - symbols
        ordinary = set(self.ids.values())
        special = {*self.special_tokens.values()} - ordinary
        numbers = {
            "symbols": len(symbols),
            "merged": len(merged),
            "other": len(self.ids.keys() - symbols - merged),
            "special": len(special),
            "added": len({*self.added_tokens.values()} - ordinary - special),
        }
        parts = " + ".join(f"{number} {kind}" for kind, number in numbers.items() if number)
        start = f"Tokenizer(scheme={self.scheme.name!r}, tokens={len(self)}: {parts}"
        return f"{start}; {len(self.merges)} merges)"

    def _is_plain(self) -> bool:
        """Return whether training could have given this tokenizer, with these ids."""
        if self._does_more() or isinstance(self.scheme, PublishedScheme):
            return False
        is_short = self.scheme.units is bytes and len(self.alphabet) < len(BYTES)
        follow = range(len(self.alphabet) + len(self.merges), len(self.vocab))
        return not is_short and list(self.special_tokens.values()) == list(follow)

    def in_browser(self) -> dict:
        """Return more data for `playground`; raise ValueError if `playground` can't use them."""
        self.check_merges()
        if self.scheme.units is bytes and not IN_TEXTS.issubset(self.alphabet):
            raise ValueError("a playground needs an alphabet of all bytes; use show_tokens")
        later = {*self.normalized.values()} & {*self.lstrip, *self.rstrip}
        writes_space = isinstance(self.scheme, PublishedScheme) and self.scheme.space
        are_spaced = later or " " in "".join(self.normalized)
        if self.single_word or (writes_space and (are_spaced or self.scheme.spaces_last)):
            raise ValueError("a playground can't find such added tokens; use show_tokens")
        data = {"whole": self.whole_words, "fuse": self.fuse_unk, "added": self.added_tokens}
        data |= {"lstrip": self.lstrip, "rstrip": self.rstrip, "normalized": self.normalized}
        if self.byte_fallback:
            data["bytes"] = [self.ids.get(name, -1) for name in BYTE_TOKENS]
        return data

    def _find_words(self, text: str, position: int) -> Iterable[str]:
        if isinstance(self.scheme, PublishedScheme):
            return self.scheme.split(text, position)
        return super()._find_words(text, position)

    def _does_more(self) -> bool:
        """Return whether this tokenizer has or does more than a `Tokenizer` with the same lists."""
        return self.own_ids or any(getattr(self, name) for name in MORE_OF_TOKENIZER)

    def encode(
        self,
        text: str,
        *,
        allowed_special: Collection[str] | str = (),
        disallowed_special: Collection[str] | str = (),
        add_special_tokens: bool = False,
    ) -> list[int]:
        """Turn a text into ids, as `Tokenizer.encode` does.

        If ``add_special_tokens`` is true, the tokens that ``around`` names are put before and after
        the text. For a tokenizer.json, the result has the ids that the package tokenizers gives by
        default. (``AutoTokenizer`` of transformers gives the same ids unless the folder names a
        class that transformers builds in a different way.)

        A special token in a text that a user has typed may be a trick. So ``disallowed_special``
        names special tokens that must not occur in the text: they raise ValueError. "all" stands
        for all special tokens that are not in ``allowed_special``. (This is tiktoken's default.)

        >>> tok = PublishedTokenizer.train("low", num_merges=0, special_tokens=["<|end|>"])
        >>> tok.encode("<|end|>", disallowed_special="all")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ValueError: special token '<|end|>' at position 0 must not be in this text; ...
        """
        check_text(text)
        names = self._find_names(disallowed_special)
        if disallowed_special == "all":
            allowed = self._find_names(allowed_special)
            names = [name for name in names if name not in allowed]
        match = tokenizer.name_pattern(tuple(names)).search(text) if names else None
        if match:
            raise ValueError(
                f"special token {match.group()!r:.80} at position {match.start()} must not be in "
                "this text; name it in allowed_special, which gives it its id, or leave it out of "
                "disallowed_special, which reads it as ordinary text"
            )
        _ = (
            self._word_encoder
        )  # made before the time is measured: for a large vocabulary this takes seconds
        with time_limit(len(text)):
            ids = super().encode(text, allowed_special=allowed_special)
        if not add_special_tokens or not self.around:
            return ids
        before, after = ([i for _, i in side] for side in self.around)
        return before + ids + after

    def parts(
        self, text: str, allowed_special: Collection[str] | str = ()
    ) -> Iterator[tuple[str, int | None, int]]:
        """Split a text at special and added tokens; yield each part, its id and its position.

        The id is None if the part is ordinary text.
        """
        names = {*self._find_names(allowed_special), *self.added_tokens}
        looked_for = dict.fromkeys(names)
        # As in Hugging Face's library, no added token is found inside a special token.
        if self.added_tokens:
            looked_for |= dict.fromkeys(self.special_tokens)
        later = {text: name for text, name in self.normalized.items() if name in looked_for}
        at_once = {name: name for name in looked_for if name not in self._found_later}
        for part, name, position in self._split_at(text, at_once, names):
            if name or not later:
                yield part, self._id_of_name.get(name), position
                continue
            changes = isinstance(self.scheme, PublishedScheme) and self.scheme.before
            changed = normalize(part, changes) if changes else part
            for inner, inner_name, start in self._split_at(changed, later, names):
                if changes:
                    inner = Normalized(inner)
                    inner.source, inner.position, inner.start = part, position, start
                yield inner, self._id_of_name.get(inner_name), position + start

    @cached_property
    def _found_later(self) -> set[str]:
        """The names that are looked for in the normalized text."""
        return set(self.normalized.values())

    def _split_at(
        self, text: str, looked_for: Mapping[str, str], wanted: Collection[str]
    ) -> Iterator[tuple[str, str, int]]:
        """Split a text at spellings of names; yield each part, its name or "", and its position.

        ``looked_for`` maps each spelling to a name. Names that aren't in ``wanted`` are ordinary
        text, but no other name is found inside them.
        """
        check_text(text)
        place = 0  # beginning of the part that was not yielded yet
        pattern = tokenizer.name_pattern(tuple(looked_for))
        for match in pattern.finditer(text) if looked_for else ():
            start, end = match.span()
            name = looked_for[match.group()]
            if name not in wanted:
                continue
            around = text[max(start - 1, 0) : start] + text[end : end + 1]
            if name in self.single_word and regex.search(IN_WORD, around):
                continue
            if name in self.lstrip:
                start = max(len(text[:start].rstrip(WHITE_SPACE)), place)
            if name in self.rstrip:
                end = len(text) - len(text[end:].lstrip(WHITE_SPACE))
            if place < start:
                yield text[place:start], "", place
            if start < end:  # otherwise all of it was taken before
                yield text[start:end], name, start
            # As in Hugging Face's library, white space that was taken may be a token once more.
            place = end
        if place < len(text):
            yield text[place:], "", place

    def _spell_out(self, ids: Iterable[int], errors: str) -> Iterator[str]:
        """Yield the text of ids piece by piece; tokens may spell bytes or stand for spaces."""
        scheme = published_scheme(self.scheme)
        if not (self.byte_fallback or scheme.space):
            is_word = self.added_tokens and self._names_are_words
            yield from self._spell_words(ids) if is_word else super()._spell_out(ids, errors)
            return
        decoder = codecs.getincrementaldecoder("utf-8")(errors)
        strips_all = "OneSpace" in scheme.normalizations  # SentencePiece does so in this case
        is_first = bool(scheme.put_before) or strips_all  # may a space in front be left out?
        tells_spaces = scheme.marker and not scheme.space
        held = ""  # the space after a word
        for i in ids:
            token = self.token_of(i)
            if self.byte_fallback and token in BYTE_TOKENS:
                text = decoder.decode(BYTE_TOKENS[token])
            else:  # other libraries write spaces in special tokens as well
                text = decoder.decode(b"", final=True) + scheme.plain(token)
            shown = held + (text.removeprefix(" ") if is_first else text)
            held = " " if tells_spaces and shown.endswith(" ") else ""
            yield shown.removesuffix(held)
            is_first = is_first and not (shown if strips_all else text)
        yield decoder.decode(b"", final=True)

    def _spell_words(self, ids: Iterable[int]) -> Iterator[str]:
        """Yield the text of ids in pieces, where words have ends and a name counts as a word."""
        names = {*self.added_tokens.values()} - {self.unknown}
        held = ""  # the space of a word that has ended
        for i in ids:
            token = self.token_of(i)
            if i in names:
                held = "" if token[:1].isspace() else held
                yield held + token
                held = "" if token[-1:].isspace() else " "
            elif i in self._ends_run:
                yield token
                held = ""
            else:
                text = held + (token if i == self.unknown else self.scheme.plain(token))
                held = " " if text.endswith(" ") else ""
                yield text.removesuffix(held)

    def _bytes_of(self, i: int) -> bytes:
        token = self.token_of(i)
        if self.byte_fallback and token in BYTE_TOKENS:
            return BYTE_TOKENS[token]
        return super()._bytes_of(i)

    def _place_words(self, part: str, position: int) -> Iterator[tuple[str, Word, list[Span]]]:
        if isinstance(self.scheme, PublishedScheme):
            return self.scheme.place_words(part, position)
        return place_words(self.scheme, part)

    def _tokens_of(self, word: str) -> list[Symbol | None]:
        whole = self._word_encoder.find_whole(word)
        if whole is not None:
            return [self._spelled[whole]]
        ids = self._word_encoder.encode_word(word)
        return [None if i == self.unknown else self._spelled[i] for i in ids]

    @cached_property
    def _spelled(self) -> dict[int, Symbol]:
        """Id -> token for ordinary tokens, because an added token may be spelled differently."""
        return {i: token for token, i in self.ids.items()}

    def _special_span(self, part: str) -> Span:
        is_changed = isinstance(part, Normalized)
        spans = self.scheme.changed_spans(part) if is_changed else [(0, len(part))]
        return spans[0][0], spans[-1][1]

    def _spell_symbols(
        self, word: str, symbols: Word, spans: list[Span]
    ) -> tuple[Word, list[Span]]:
        is_whole = self._word_encoder.find_whole(word) is not None
        if is_whole or not isinstance(self._word_encoder, SpellingEncoder):
            return symbols, spans
        spelled = self._word_encoder.spell_symbols(symbols)
        places = [place for _, place in spelled]
        ends = [*places[1:], len(symbols)]  # fused symbols reach as far as the next token
        if self.drops_unknown:
            ends = [place + 1 for place in places]
        reach = [spans[max(place, end - 1)][1] for place, end in zip(places, ends, strict=True)]
        starts = [spans[place][0] for place in places]
        return [name or "?" for name, _ in spelled], list(zip(starts, reach, strict=True))

    def trace(self, word: str):
        """Return how one word is encoded, step by step; a word that is taken whole has no steps."""
        self.check_merges()
        whole = self._symbol(word)
        if self.whole_words and whole in self.ids and self.scheme.split(word) == [word]:
            return trace_table((whole,), self.ranks)
        return super().trace(word)

    @cached_property
    def _ends_run(self) -> set[int]:
        """The ids of special and added tokens, except the id for unseen characters."""
        return set(self._id_of_name.values()) - {self.unknown}

    def _unseen(self, symbol: Symbol, text: str, start: int) -> ValueError:
        """Make the error for a symbol without an id; ``start`` is where ``text`` begins."""
        if self.stopped:  # it was trained here
            return super()._unseen(symbol, text, start)
        if self.scheme.units is str:
            position = start + self.scheme.find_character(symbol, text)
            character = symbol.removesuffix(self.scheme.marker) or symbol
            return ValueError(
                f"character {character!r} at position {position} has no token, and there is none "
                "for unknown characters; read codes of subword-nmt with characters='…' (in a shell "
                "--characters) or with unk_token='<unk>'"
            )
        position = start + published_scheme(self.scheme).find_character(symbol, text)
        return ValueError(
            f"byte {symbol[0]:#04x} of the character at position {position} has no id: the "
            f"alphabet of this tokenizer holds {len(self.alphabet)} of the 256 bytes"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tokenizer to one readable JSON file, as a whole or not at all.

        Raises ValueError for a scheme of your own with a function ``prepare``, and for tokens of
        Hugging Face's library that end a word in one place but not in a different place.
        """
        numbered = self.merges if self.own_ids and self.token_ranks is None else []
        odd = next((merge.token for merge in numbered if merge.token not in self.ids), None)
        if odd is not None:
            what = f"{str(odd)!r:.80} is a token that ends words, and is also merged inside"
            raise ValueError(f"{what}; write it with to_huggingface")
        if self._is_plain():
            super().save(path)
        else:
            storage.write_fields(path, *write_fields(self))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> PublishedTokenizer:
        """Read a file that `save` wrote, here or in `Tokenizer`; nothing in it is executed.

        Raises ValueError for anything else; the message names the file and the fault.
        """
        with errors_name(path):
            data = storage.read_fields(path)
            if data.get("version") == 2:
                tok = cls(**read_version_2(data))
                tok.notes += [note_around(*tok.around)] if any(tok.around) else []
                tok.notes += note_dropped(tok, "as drops_unknown in the file says")
                return tok
            return cls.of(Tokenizer(**storage.read_parts(data)))

    def _compared(self) -> tuple:
        if not self._does_more():  # so that it can equal a trained tokenizer
            return super()._compared()
        more = [getattr(self, name) for name in MORE_OF_TOKENIZER]
        names = set(map(self._symbol, self._id_of_name))  # may be ordinary tokens as well
        ids = {token: i for token, i in self.ids.items() if token not in names}
        ranks = self.token_ranks if self.shares_ranks else None
        return (*super()._compared(), ids, ranks, *more)


# parts of a tokenizer, and the ids that follow from them


def is_as_trained(ids: Mapping[Symbol, int], alphabet: list[Symbol], merges: list[Merge]) -> bool:
    """Return whether tokens have the ids that training gives: in order, parts before wholes."""
    tokens = [*alphabet, *(merge.token for merge in merges)]
    if [ids.get(token) for token in tokens] != list(range(len(ids))):
        return False
    return all(ids[a] < ids[a + b] > ids[b] for a, b, _ in merges)


def unnumbered_faults(
    alphabet: Iterable[Symbol], merges: Collection[Merge], ids: Mapping[Symbol, int]
) -> Iterator[str]:
    """Yield a fault for each symbol, part of a merge or merged token that has no id."""
    for symbol in alphabet:
        if symbol not in ids:
            yield f"token {symbol!r:.80} has no id"
    known = set()
    for rank, (left, right, _) in enumerate(merges):
        for token in (left, right, left + right):
            if token not in ids:
                yield f"merge {rank}: token {token!r:.80} has no id"
        if (left, right) in known:
            yield f"merge {rank}: {(left, right)!r:.80} occurs twice"
        known.add((left, right))


def check_around(around: Collection) -> list[list]:
    """Return the tokens to put around a text, checked, as two lists of names with ids."""
    sides = [[list(pair) for pair in side] for side in around]
    pairs = [pair for side in sides for pair in side]
    is_named = all(list(map(type, pair)) == [str, int] for pair in pairs)
    is_known = len(sides) in (0, 2) and is_named
    require(is_known, f"'around' must be two lists of names with ids, not {around!r:.80}")
    return sides


def name_scheme(scheme: Scheme) -> str:
    """Return how a message names a scheme: by its name only if users know this name.

    >>> name_scheme(find_scheme("gpt2")), name_scheme(Scheme("own", "", None, str))
    ("scheme 'gpt2'", 'its scheme')
    """
    return f"scheme {scheme.name!r}" if scheme.name in SCHEMES else "its scheme"


def note_around(before: list[list], after: list[list]) -> OnIds:
    """Return a note on the names that may be put before and after a text.

    >>> note_around([["<s>", 0]], [])
    'post_processor puts <s> before a text: encode does so with add_special_tokens=True'
    """
    places = []
    for row, where in ((before, "before"), (after, "after")):
        if row:
            places.append(f"{' '.join(name for name, _ in row)} {where} a text")
    return OnIds(f"post_processor puts {' and '.join(places)}: {HOW_TO_PUT}")


def note_dropped(tok: PublishedTokenizer, theirs: str) -> Iterator[str]:
    """Yield a note if characters without a token may be left out of a text.

    ``theirs`` says what others do with such characters.
    """
    missing = BYTE_TOKENS.keys() - tok.ids.keys()
    if not tok.drops_unknown or (tok.byte_fallback and not missing):
        return
    note = f"characters without a token are left out of a text, {theirs}"
    if tok.byte_fallback:
        note += f"; unless each of their bytes has one, but {len(missing)} of the 256 have none"
    yield OnIds(note)


def name_faults(names: Collection[str]) -> Iterator[str]:
    """Yield a fault if names are so long, or so many, that finding them would take minutes."""
    for name in names:
        if len(name) > LONGEST_NAME:
            yield f"the name {name!r:.20}… has {len(name):,} characters, more than {LONGEST_NAME:,}"
    if len(names) > MOST_NAMES:
        yield f"there are {len(names):,} special and added tokens, more than {MOST_NAMES:,}"
    length = sum(map(len, names))
    if length > LONGEST_NAMES:
        yield f"all names together have {length:,} characters, more than {LONGEST_NAMES:,}"


def number_special(
    scheme: Scheme,
    special_tokens: Collection[str] | Mapping[str, int],
    unk_token: str | None,
    taken: Iterable[int],
) -> dict[str, int]:
    """Return special tokens with their ids: the given ids, or the next ids after all others.

    ``taken`` are the ids of all other tokens. ``unk_token``, if given, becomes a special token.
    """
    numbered = dict(special_tokens) if isinstance(special_tokens, Mapping) else {}
    raise_faults(id_faults(numbered, str, shared=True))
    names = tokenizer.check_names(scheme, special_tokens, None)
    if unk_token is not None and unk_token not in names:
        names.append(unk_token)
    unnumbered = [name for name in names if name not in numbered]
    if unnumbered:
        following = max([-1, *taken, *numbered.values()]) + 1
        numbered |= zip(unnumbered, count(following))
    return numbered


def ordinary_ids(tok: PublishedTokenizer) -> dict[Symbol, int]:
    """Return the ids of ordinary tokens; raise ValueError if other libraries cannot have them."""
    made = set(tok.alphabet)
    for merge in tok.merges:
        if merge.token in made and not tok.own_ids:
            token = f"{merge.token!r:.80}"
            raise ValueError(f"two merges make {token}; in other libraries a token has one id")
        made.add(merge.token)
    return tok.ids
