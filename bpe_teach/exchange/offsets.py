"""Offsets: the positions, in a text, of its words and of the tokens of each word.

A span is (start, end), in characters, as in ``text[start:end]``. Every character of a word has one,
every first symbol has that of its character, and a token reaches from its first symbol to its last.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

import regex

from bpe_teach.exchange.schemes import PublishedScheme
from bpe_teach.pairs import Symbol, Word
from bpe_teach.patterns import compile_pattern
from bpe_teach.schemes import Scheme
from bpe_teach.tokenizer import Tokenizer

Span = tuple[int, int]


def token_offsets(
    tok: Tokenizer, text: str, *, allowed_special: Collection[str] | str = ()
) -> list[Span]:
    """Return the position of each token of a text: (start, end) for each id that `encode` gives.

    A token is ``text[start:end]``, except that tokens which share a character all have the
    whole of it, and that an end marker takes no room.

    >>> tok = Tokenizer.train("low low", num_merges=2)
    >>> tok.tokens("low é"), token_offsets(tok, "low é")
    ([b'low', b' ', b'\\xc3', b'\\xa9'], [(0, 3), (3, 4), (4, 5), (4, 5)])

    These are positions in the original text, even where the scheme changes it before it splits it.
    Raises what `encode` raises, and ValueError where a function ``prepare`` of one's own changes
    more than a character at a time.
    """
    tok.encode(text, allowed_special=allowed_special)  # raises if there is a reason to
    unknown = tok.special_tokens.get(tok.unk_token)
    found = []
    for part, special, position in tok.parts(text, allowed_special):
        if special is not None:
            found.append((position, position + len(part)))
            continue
        for word, spans in word_spans(tok.scheme, part):
            ids = tok.encoder.encode_word(word)
            tokens = [None if i == unknown else tok.vocab[i] for i in ids]
            for start, end in token_spans(tokens, tok.scheme.symbols(word), spans):
                found.append((position + start, position + end))
    return found


def word_spans(scheme: Scheme, text: str) -> Iterator[tuple[str, list[Span]]]:
    """Yield the words of a text, each with the spans of its first symbols.

    The bytes of a character all have its span. A marker has the empty one after the word.

    >>> from bpe_teach.schemes import SCHEMES
    >>> list(word_spans(SCHEMES["end_of_word"], "so I"))
    [('so', [(0, 1), (1, 2), (2, 2)]), ('I', [(3, 4), (4, 4)])]
    """
    changed = scheme.change(text)
    spans = [(0, 0), *_spans_in(text, changed, scheme)]  # span i belongs to character i - 1
    for word, start in _find_words(scheme, text, changed):
        last = start + len(word)
        found = []
        for character, span in zip(word, spans[start + 1 : last + 1], strict=True):
            length = len(character.encode("utf-8")) if scheme.units is bytes else 1
            found += [span] * length
        if scheme.marker and not scheme.marks_last:
            _, end = spans[last]
            found.append((end, end))
        yield word, found


def _spans_in(text: str, changed: str, scheme: Scheme) -> list[Span]:
    """Return, for each character of the changed text, the span of what it came from."""
    if changed == text:
        return [(i, i + 1) for i in range(len(text))]
    spans = []
    parts = text
    if isinstance(scheme, PublishedScheme):
        without_prefix = replace(scheme, prefix="")
        spans = [(0, 0)] * (len(changed) - len(without_prefix.change(text)))
        if scheme.normalizations:  # a letter is changed together with its marks
            parts = regex.findall(r"\X", text)
        scheme = without_prefix
    start = 0
    for part in parts:
        end = start + len(part)
        new = scheme.change(part)
        if new == part:
            spans += [(i, i + 1) for i in range(start, end)]
        else:
            spans += [(start, end)] * len(new)
        start = end
    if len(spans) != len(changed):
        raise ValueError(
            f"scheme {scheme.name!r} changes the text {text!r:.80} before it is cut, and not a "
            "character at a time: tokens have no place in it; scheme.change(text) is what is cut"
        )
    return spans


def _find_words(scheme: Scheme, text: str, changed: str) -> Iterator[tuple[str, int]]:
    """Yield each word with the position, in the changed text, at which it begins."""
    words = scheme.split(text)  # with a pattern of one's own, in limited time
    if "".join(words) == changed:
        start = 0
        for word in words:
            yield word, start
            start += len(word)
        return
    compiled = compile_pattern(scheme.pattern)  # something lies between words
    if isinstance(scheme, PublishedScheme):
        compiled = regex.compile(scheme.pattern)
    for match in compiled.finditer(changed):
        yield match.group(), match.start()


def token_spans(
    tokens: Iterable[Symbol | None], symbols: Word, spans: Sequence[Span]
) -> Iterator[Span]:
    """Yield the spans of the tokens of a word, from its first symbols and their spans.

    None is a token for one symbol that has no id.

    >>> list(token_spans(["low", None, "r"], tuple("lower"), [(i, i + 1) for i in range(5)]))
    [(0, 3), (3, 4), (4, 5)]
    """
    at = 0  # the first symbol that no token has covered yet
    for token in tokens:
        first = at
        at += 1
        length = len(symbols[first])  # in characters or bytes, of the symbols up to here
        while token is not None and length < len(token):
            length += len(symbols[at])
            at += 1
        start, _ = spans[first]
        _, end = spans[at - 1]
        yield start, end
