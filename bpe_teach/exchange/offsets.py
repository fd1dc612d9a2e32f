"""Offsets: where in a text its words and the tokens of each word are.

A span is (start, end), in characters, as in ``text[start:end]``. Each first symbol has the span of
its character, and a token reaches from its first symbol to its last.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial

import regex

from bpe_teach.exchange.normalize import normalize
from bpe_teach.exchange.schemes import IN_PRINT, Normalized, PublishedScheme, Span
from bpe_teach.exchange.spelling import SpellingEncoder
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.pairs import Symbol, Word
from bpe_teach.patterns import compile_pattern
from bpe_teach.schemes import Scheme


def token_offsets(
    tok: Tokenizer, text: str, *, allowed_special: Collection[str] | str = ()
) -> list[Span]:
    """Return the position of each token of a text: (start, end) for each id that `encode` gives.

    A token is ``text[start:end]``, with two exceptions: tokens that share a character all have the
    whole character, and an end marker takes no room.

    >>> tok = Tokenizer.train("low low", num_merges=2)
    >>> tok.tokens("low é"), token_offsets(tok, "low é")
    ([b'low', b' ', b'\\xc3', b'\\xa9'], [(0, 3), (3, 4), (4, 5), (4, 5)])

    These are positions in the original text, even where the scheme changes the text before
    splitting: a prefix, which is not in the original, is at (0, 0), and a letter that was combined
    with its marks spans them all. (Hugging Face puts the prefix at (0, 1) and counts only the
    letter.) Raises what `encode` raises, and ValueError where a function ``prepare`` of your own
    changes more than one character at a time.
    """
    tok.encode(text, allowed_special=allowed_special)  # only for the errors it raises
    unknown = tok.special_tokens.get(tok.unk_token, tok.ids.get(tok.unk_token))
    found = []
    for part, special, position in tok.parts(text, allowed_special):
        if isinstance(part, Normalized):
            position = part.position
        if special is not None:
            is_changed = isinstance(part, Normalized)
            spans = changed_spans(tok.scheme, part) if is_changed else [(0, len(part))]
            found.append((position + spans[0][0], position + spans[-1][1]))
            continue
        for word, spans in word_spans(tok.scheme, part, position):
            ids = tok.encoder.encode_word(word)
            tokens = [None if i == unknown else tok.vocab[i] for i in ids]
            symbols = tok.scheme.symbols(word)
            if isinstance(tok.encoder, SpellingEncoder):
                symbols, spans = _spelled(tok.encoder, symbols, spans)
            for start, end in token_spans(tokens, symbols, spans):
                found.append((position + start, position + end))
    return found


def word_spans(scheme: Scheme, text: str, position: int = 0) -> Iterator[tuple[str, list[Span]]]:
    """Yield the words of a text, each with the spans of its first symbols.

    All bytes of a character have its span. A marker has the empty span after the word. ``position``
    is where the text begins, if it is part of a longer one.

    >>> from bpe_teach.schemes import SCHEMES
    >>> list(word_spans(SCHEMES["end_of_word"], "so I"))
    [('so', [(0, 1), (1, 2), (2, 2)]), ('I', [(3, 4), (4, 4)])]
    """
    own = isinstance(scheme, PublishedScheme)
    changed = scheme.change(text, position) if own else scheme.change(text)
    spans = []  # one for each first symbol of the whole text
    starts = [0]  # position in the changed text -> number of the first symbol there
    of_part = changed_spans(scheme, text)
    of_prefix = [(0, 0)] * (len(changed) - len(of_part))
    for character, span in zip(changed, of_prefix + of_part, strict=True):
        length = len(character.encode("utf-8")) if scheme.units is bytes else 1
        spans += [span] * length
        starts.append(len(spans))
    in_print = own and IN_PRINT in scheme.cuts
    if own:
        places = scheme.find_spans(changed)
    else:
        pattern = compile_pattern(scheme.pattern or r"(?s:.+)")
        places = [match.span() for match in pattern.finditer(changed)]
    words = scheme.split(text, position) if own else scheme.split(text)
    for word, (start, end) in zip(words, places, strict=True):
        if not in_print:  # otherwise they are positions of bytes already
            start, end = starts[start], starts[end]
        found = spans[start:end]
        if scheme.marker and not scheme.marks_last:
            last = found[-1][1]
            found.append((last, last))
        yield word, found


def _spelled(encoder: SpellingEncoder, symbols: Word, spans: list[Span]) -> tuple[list, list]:
    """Return symbols and spans as an encoder spells them: in bytes, unknown ones fused."""
    spelled, found = [], []
    for symbol, span in zip(symbols, spans, strict=True):
        names = encoder.spell_symbol(symbol)
        if names is None and encoder.fuse_unknown and spelled and spelled[-1] is None:
            found[-1] = (found[-1][0], span[1])
            continue
        spelled += [None] if names is None else names
        found += [span] * (1 if names is None else len(names))
    return [symbol or "?" for symbol in spelled], found


def changed_spans(scheme: Scheme, part: str) -> list[Span]:
    """Return, for each character after all changes but the prefix, the span of its origin."""
    text = getattr(part, "source", part)
    spans = [(i, i + 1) for i in range(len(text))]
    steps = [partial(Scheme.change, scheme)]
    if isinstance(scheme, PublishedScheme):
        steps += [partial(normalize, steps=(step,)) for step in scheme.normalizations]
    for number, step in enumerate(steps):
        new = step(text)
        if number and scheme.normalizations[number - 1][0] == "Prepend":
            spans = [(0, 0)] * (len(new) - len(text)) + spans
        elif new != text:
            spans = _follow(step, text, new, spans, scheme)
        text = new
    if isinstance(part, Normalized):
        return spans[part.start : part.start + len(part)]
    return spans


def _follow(
    step: Callable[[str], str], text: str, new: str, spans: list[Span], scheme: Scheme
) -> list[Span]:
    """Return the spans of the characters after a step, given the ``spans`` of those before it."""
    for parts in (text, regex.findall(r"\s+|\X", text)):  # characters; spaces, letters with marks
        pieces = list(map(step, parts))
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
    place = -1  # of the last character that was not left out
    for character in new:
        place = text.find(character, place + 1)
        if place < 0:
            raise ValueError(
                f"scheme {scheme.name!r} changes the text {text!r:.80} before it is split, and not "
                "character by character: its tokens have no offsets; scheme.change(text) is split"
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
        length = len(symbols[first])  # in characters or bytes, of the symbols up to here
        while token is not None and length < len(token):
            length += len(symbols[at])
            at += 1
        start, _ = spans[first]
        _, end = spans[at - 1]
        yield start, end
