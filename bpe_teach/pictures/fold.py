"""Fold: a value that shows only after a click."""

from html import escape

PRE = "white-space:pre-wrap;margin:4px 0;font-family:monospace"


class Fold:
    """A value that shows only after a click, so that it doesn't answer a question above it."""

    def __init__(self, value, summary: str = "Show the answer"):
        self.value = value
        self.summary = summary

    def __repr__(self) -> str:
        return repr(self.value)

    def _repr_html_(self) -> str:
        html = getattr(self.value, "_repr_html_", None)
        if html is None:
            text = self.value if isinstance(self.value, str) else repr(self.value)
            inner = f'<pre style="{PRE}">{escape(text)}</pre>'
        else:
            inner = html()
        summary = f'<summary style="cursor:pointer">{escape(self.summary)}</summary>'
        return f"<details>{summary}{inner}</details>"


def fold(value, summary: str = "Show the answer") -> Fold:
    """Return a value folded away: a click shows it.

    >>> fold("9 symbols")._repr_html_().startswith("<details><summary")
    True
    """
    return Fold(value, summary)
