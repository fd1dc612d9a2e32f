"""Offsets: the places of words and their tokens in a text.

A span is (start, end), counted in characters, as in ``text[start:end]``. Each first symbol has the
span of its character, and a token reaches from its first symbol to its last symbol.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import accumulate

import regex

from bpe_teach.encode import encode_by_rank
from bpe_teach.pairs import Symbol, Word
from bpe_teach.patterns import compile_pattern
from bpe_teach.schemes import Scheme
from bpe_teach.tokenizer import PlainTokenizer

Span = tuple[int, int]


def token_offsets(
    tok: PlainTokenizer, text: str, *, allowed_special: Collection[str] | str = ()
) -> list[Span]:
    """Return the position of each token of a text: (start, end) for each id that `encode` gives.

    A token is ``text[start:end]``, with two exceptions. If several tokens share a character, each
    of them has the span of the whole character. And an end marker takes no room in the text.

    >>> from bpe_teach import Tokenizer
    >>> tok = Tokenizer.train("low low", num_merges=2)
    >>> tok.tokens("low é"), token_offsets(tok, "low é")
    ([b'low', b' ', b'\\xc3', b'\\xa9'], [(0, 3), (3, 4), (4, 5), (4, 5)])

    All positions are positions in the original text, even if the scheme changes the text before
    splitting. A prefix, which is not in the original text, is at (0, 0). If a letter was combined
    with its marks, the letter's span includes the marks. Control characters that the scheme deletes
    are in the span of a token if they are inside it, and in no span otherwise.

    Other libraries give some spans differently. Hugging Face puts the prefix at (0, 1), and counts
    only the letter, not its marks. If characters without a token are left out of a word, Hugging
    Face counts as if these characters weren't in the text; here the span of a token includes the
    characters that the token reaches over. If a pattern makes several spaces one, Hugging Face
    gives it the span of the last; here it has the span of all. If ``trim_offsets`` is set, as in
    RoBERTa's files, Hugging Face leaves the space of " low" out of the span; here the space is
    included. SentencePiece puts the prefix behind spaces that begin the text. If a ▁ stands for
    several spaces, SentencePiece gives it the span of all these spaces; here it has the span of the
    first. If SentencePiece leaves out white space at the end of a text, this white space is in the
    span of the last piece; here it is in no span.

    Raises the same errors as `encode`, and ValueError if a function ``prepare`` of your own changes
    more than one character at a time.
    """
    tok.encode(text, allowed_special=allowed_special)  # only for the errors it raises
    way = tok if hasattr(tok, "_place_words") else _Plainly(tok)  # a published tokenizer has it
    found = []
    for part, special, position in tok.parts(text, allowed_special):
        start = getattr(part, "position", position)  # spans of a part are counted from here
        if special is not None:
            first, last = way._special_span(part)
            found.append((start + first, start + last))
            continue
        for word, symbols, spans in way._place_words(part, position):
            if len(symbols) > len(spans):  # the last symbol marks the end of the word
                spans.append((spans[-1][1], spans[-1][1]))
            symbols, spans = way._spell_symbols(word, symbols, spans)
            for first, last in token_spans(way._tokens_of(word), symbols, spans):
                found.append((start + first, start + last))
    return found


class _Plainly:
    """The methods for a tokenizer that changes no text and spells no symbols in bytes."""

    def __init__(self, tok: PlainTokenizer):
        self.tok = tok
        self.found = {}  # word -> its tokens, because words occur more than once

    def _place_words(self, part: str, _position: int) -> Iterator[tuple[str, Word, list[Span]]]:
        return place_words(self.tok.scheme, part)

    def _special_span(self, part: str) -> Span:
        return 0, len(part)

    def _spell_symbols(
        self, _word: str, symbols: Word, spans: list[Span]
    ) -> tuple[Word, list[Span]]:
        return symbols, spans

    def _tokens_of(self, word: str) -> list[Symbol | None]:
        if word not in self.found:
            tokens = encode_by_rank(self.tok.scheme.symbols(word), self.tok.ranks)
            self.found[word] = [token if token in self.tok.ids else None for token in tokens]
        return self.found[word]


def place_words(scheme: Scheme, text: str) -> Iterator[tuple[str, Word, list[Span]]]:
    """Yield the words of a text, each with its first symbols and their spans.

    All bytes of a character have the character's span. A marker has no span: it is not in the text.
    """
    changed = scheme.change(text)
    spans = follow_change(scheme.change, text, changed, [(i, i + 1) for i in range(len(text))])
    pattern = compile_pattern(scheme.pattern or r"(?s:.+)")
    starts, spans = spans_of_symbols(scheme, changed, spans)
    for match in pattern.finditer(changed):
        word = match.group()
        yield word, scheme.symbols(word), spans[starts[match.start()] : starts[match.end()]]


def spans_of_symbols(scheme: Scheme, text: str, spans: list[Span]) -> tuple[list[int], list[Span]]:
    """Return the number of the first symbol at each position of a text, and each symbol's span."""
    lengths = [len(one.encode("utf-8")) if scheme.units is bytes else 1 for one in text]
    repeated = []
    for span, length in zip(spans, lengths, strict=True):
        repeated += [span] * length
    return list(accumulate(lengths, initial=0)), repeated


def follow_change(
    change: Callable[[str], str], text: str, new: str, spans: list[Span]
) -> list[Span]:
    """Return the spans of the characters of ``new``, given the ``spans`` before the change."""
    if text == new:
        return spans
    for parts in (text, regex.findall(r"\s+|\X", text)):  # characters; spaces, letters with marks
        pieces = list(map(change, parts))
        if "".join(pieces) == new:
            found = []
            start = 0
            for part, piece in zip(parts, pieces, strict=True):
                own = spans[start : start + len(part)]
                start += len(part)
                is_alike = len(piece) == len(part)
                found += own if is_alike else [(own[0][0], own[-1][1])] * len(piece)
            return found
    found = []
    place = -1  # place of the last character that was not left out
    for character in new:
        place = text.find(character, place + 1)
        if place < 0:
            raise ValueError(
                f"the text {text!r:.80} is changed before it is split, and not character by "
                "character: its tokens have no offsets; scheme.change(text) is split"
            )
        found.append(spans[place])
    return found


def token_spans(
    tokens: Iterable[Symbol | None], symbols: Word, spans: Sequence[Span]
) -> Iterator[Span]:
    """Yield the spans of the tokens of a word, from its first symbols and their spans.

    None stands for the token of a symbol that has no id.

    >>> list(token_spans(["low", None, "r"], tuple("lower"), [(i, i + 1) for i in range(5)]))
    [(0, 3), (3, 4), (4, 5)]
    """
    at = 0  # the first symbol that no token has covered yet
    for token in tokens:
        first = at
        at += 1
        covered = symbols[first]
        while token is not None and len(covered) < len(token):
            covered += symbols[at]
            at += 1
        start, _ = spans[first]
        _, end = spans[at - 1]
        yield start, end
