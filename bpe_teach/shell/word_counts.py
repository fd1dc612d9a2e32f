"""Counts: word counts as a file, so that hours of counting are done once, and in parts."""

import json
from collections.abc import Collection, Iterable, Mapping

from bpe_teach.exchange.kinds import check_path
from bpe_teach.exchange.shared import require
from bpe_teach.fast.words import add_counts
from bpe_teach.files import errors_name, read_blocks, write_whole
from bpe_teach.pairs import Word
from bpe_teach.schemes import Scheme, check_text, find_scheme

FORMAT = "bpe_teach word counts"
FIELDS = ("scheme", "special_tokens", "counts")
BEGINNING = 1000  # bytes, which name the format


def write_counts(
    path: str, counts: Mapping[Word, int], scheme: Scheme, special_tokens: Collection[str]
) -> None:
    """Write word counts to a file of JSON."""
    spelled = {}  # word as a text -> count
    for word, count in counts.items():
        whole = b"".join(word).decode("utf-8") if scheme.units is bytes else "".join(word)
        spelled[str(whole).removesuffix(scheme.marker)] = count
    data = {"format": FORMAT, "scheme": scheme.name, "special_tokens": list(special_tokens)}
    write_whole(path, json.dumps(data | {"counts": spelled}, ensure_ascii=False).encode("utf-8"))


def read_counts(paths: Iterable[str]) -> tuple[dict[Word, int], Scheme, list[str]]:
    """Return the sum of files of word counts, with their scheme and special tokens.

    Raises ValueError for any other file, and if two were not counted in the same way.
    """
    total = {}  # word as a text -> count
    first = None  # scheme and special tokens of the first file
    for path in paths:
        check_path(path, "the path of a file of word counts")
        with errors_name(path):
            content = b"".join(read_blocks(path))
            is_ours = content.lstrip().startswith(b"{") and FORMAT.encode() in content[:BEGINNING]
            require(is_ours, "it holds no word counts: bpe-teach count-words writes them")
            data = json.loads(content, object_pairs_hook=_read_object)
            scheme, names, counts = (data.get(name) for name in FIELDS)
            is_whole = isinstance(names, list) and isinstance(counts, dict)
            is_whole = is_whole and all(type(n) is int and n > 0 for n in counts.values())
            is_whole = is_whole and "" not in counts  # which is no word
            require(is_whole, "it lacks counts or special tokens, or has broken ones")
            first = first or (find_scheme(scheme), names)
            if (scheme, names) != (first[0].name, first[1]):
                how = f"{scheme!r:.80} and {names!r:.80}"
                raise ValueError(f"counted with {how}, unlike the first file")
            check_text("".join(counts))
            add_counts(total, counts)
    scheme, names = first
    return {scheme.symbols(word): count for word, count in total.items()}, scheme, names


def _read_object(pairs: list[tuple]) -> dict:
    """Return an object of JSON as a dict; ValueError if it has a name twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        names = iter(values)  # in order, so the first that differs is the second of its kind
        twice = next(name for name, _ in pairs if name != next(names, None))
        raise ValueError(f"{twice!r:.80} occurs twice; add the counts of both")
    return values
