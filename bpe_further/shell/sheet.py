"""Sheet: tables as CSV files, without a cell that a spreadsheet would run as a formula."""

import codecs
import csv
import re
from collections.abc import Iterable, Mapping
from io import StringIO

from bpe_teach.exercises.runner.parent import printable

# The beginning of a cell that a spreadsheet computes. It stands at the beginning of the text, or
# after a sign such as a semicolon, which a spreadsheet may take for the border between cells.
COMPUTED = re.compile(r"(^|[;|])([\s\"']*)(?=[=+\-@＝＋－＠])")


def as_csv(
    header: Iterable[str], rows: Iterable[Mapping[str, object]], *, for_spreadsheets: bool = False
) -> bytes:
    """Return a table as the content of a CSV file, in UTF-8.

    If ``for_spreadsheets`` is true, the file begins with the mark by which spreadsheets know UTF-8.

    >>> as_csv(["name", "tokens"], [{"name": "=1+1", "tokens": 3}]).decode()
    "name,tokens\\n'=1+1,3\\n"
    """
    file = StringIO()
    table = csv.writer(file, lineterminator="\n")
    header = list(header)
    table.writerow(map(_safe, header))
    for row in rows:
        table.writerow([_safe(row.get(name, "")) for name in header])
    mark = codecs.BOM_UTF8 if for_spreadsheets else b""
    return mark + file.getvalue().encode("utf-8", "backslashreplace")


def _safe(value: object) -> object:
    """Return a cell that no spreadsheet computes, without characters that a terminal obeys.

    >>> _safe("a;=1+1"), _safe("x\\x1b[2J"), _safe(-1), _safe(None)
    ("a;'=1+1", 'x\\\\x1b[2J', -1, '')
    """
    if not isinstance(value, str):
        return "" if value is None else value
    text = printable(value).replace("\t", " ").replace("\n", " ")
    return COMPUTED.sub(r"\1\2'", text)
