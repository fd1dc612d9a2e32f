"""Fold: a value that shows only after a click."""

from html import escape

from bpe_teach.pictures.boxes import Picture

PRE = "white-space:pre-wrap;margin:4px 0;font-family:monospace"


def fold(value, summary: str = "Show the answer", why: str = "") -> Picture:
    """Return a value folded away: a click shows it, and the reason below it.

    So it doesn't answer a question above it.

    >>> fold("9 symbols").html.startswith("<details><summary")
    True
    """
    if hasattr(value, "_repr_html_"):
        inner = value._repr_html_()
    else:
        text = value if isinstance(value, str) else repr(value)
        inner = f'<pre style="{PRE}">{escape(text)}</pre>'
    head = f'<summary style="cursor:pointer">{escape(summary)}</summary>'
    reason = f'<p style="margin:4px 0"><b>Why:</b> {escape(why)}</p>' if why else ""
    return Picture(f"<details>{head}{inner}{reason}</details>", repr(value))
