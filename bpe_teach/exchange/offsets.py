"""Offsets: where the words of a text are that a published scheme changes before it splits it."""

from collections.abc import Iterator
from functools import partial

from bpe_teach.exchange.normalize import normalize
from bpe_teach.exchange.schemes import IN_PRINT, Normalized, PublishedScheme
from bpe_teach.fast.offsets import Span, follow_change, spans_of_symbols
from bpe_teach.pairs import Word
from bpe_teach.schemes import Scheme


def place_words(
    scheme: PublishedScheme, text: str, position: int
) -> Iterator[tuple[str, Word, list[Span]]]:
    """Yield each word with its symbols and their spans; the text begins at ``position``."""
    changed = scheme.change(text, position)
    spans = changed_spans(scheme, text)
    spans = [(0, 0)] * (len(changed) - len(spans)) + spans  # of the prefix
    starts, spans = spans_of_symbols(scheme, changed, spans)
    words = scheme.split(text, position)
    for word, (start, end) in zip(words, scheme.find_spans(changed), strict=True):
        if IN_PRINT not in scheme.cuts:  # otherwise they are positions of bytes already
            start, end = starts[start], starts[end]
        yield word, scheme.symbols(word), spans[start:end]


def changed_spans(scheme: PublishedScheme, part: str) -> list[Span]:
    """Return, for each character after all changes but the prefix, the span of its origin."""
    text = getattr(part, "source", part)
    spans = [(i, i + 1) for i in range(len(text))]
    changes = [partial(normalize, steps=(step,)) for step in scheme.normalizations]
    for step, change in zip(
        ["", *scheme.normalizations], [partial(Scheme.change, scheme), *changes], strict=True
    ):
        new = change(text)
        if step[:1] == ("Prepend",):
            spans = [(0, 0)] * (len(new) - len(text)) + spans
        else:
            spans = follow_change(change, text, new, spans)
        text = new
    if isinstance(part, Normalized):
        return spans[part.start : part.start + len(part)]
    return spans
