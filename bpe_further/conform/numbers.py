"""Numbers: requests and answers as lines of whole numbers, for programs that read no JSON.

The README of the cases describes them. Ties fall as the program likes.
"""

from collections.abc import Mapping

KEYS = {"train": "merges", "encode": "ids", "decode": "bytes"}
KEYS |= {"encode_own": "ids", "decode_own": "bytes"}


def cannot_ask(request: Mapping) -> str | None:
    """Return why a request can't be written as such a line; None if it can."""
    if request["do"] not in KEYS:
        return f"lines of numbers don't ask for {request['do']}"
    if request.get("split", "none") != "none":
        return "lines of numbers don't split texts"
    if request.get("special"):
        return "lines of numbers know no special tokens"
    if request.get("ties", "any") != "any":
        return "lines of numbers let ties fall as the program likes"
    return None


def to_line(request: Mapping) -> str:
    """Return a request as a line.

    >>> to_line({"do": "train", "text": "low", "split": "none", "merges": 2, "ties": "any"})
    'train 2 108 111 119'
    """
    do = request["do"]
    if do.endswith("_own"):
        items = request["ids"] if do == "decode_own" else request["text"].encode("utf-8")
        return " ".join(map(str, [do, *items]))
    items = request["ids"] if do == "decode" else request["text"].encode("utf-8")
    if do == "train":
        return " ".join(map(str, [do, request["merges"], *items]))
    ids = [i for pair in request["merges"] for i in pair]
    return " ".join(map(str, [do, len(request["merges"]), *ids, *items]))


def read_line(line: bytes, do: str) -> dict:
    """Return the answer in a line; a line that begins with skip or error is an answer as well.

    >>> read_line(b"108 111 256 119", "train"), read_line(b"error: no id 999", "decode")
    ({'merges': [[108, 111], [256, 119]]}, {'error': 'no id 999'})
    """
    shown = line[:500].decode("utf-8", "backslashreplace").strip()
    for kind in ("skip", "error"):
        if shown.startswith(kind):
            return {kind: shown.removeprefix(kind).lstrip(": ")}
    try:
        numbers = [int(number) for number in line.split()]
    except ValueError:
        return {"garbage": f"not a line of numbers: {shown[:80]}"}
    if do == "train":
        if len(numbers) % 2:
            return {"garbage": f"not two ids for each merge: {shown[:80]}"}
        numbers = [numbers[i : i + 2] for i in range(0, len(numbers), 2)]
    return {KEYS[do]: numbers}
