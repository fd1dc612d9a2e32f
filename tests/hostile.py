"""Hostile contents, for every reader of files: what a file may hold instead of what it should."""

from common import rows

EVIL = b"__import__('os').abort()"  # must never run

NESTED = rows("hostile/nested")
NO_TOKENIZER = [*rows("hostile/no_tokenizer"), EVIL, *NESTED]
TOO_MUCH = rows("hostile/too_much")

JSON_VALUES = [None, True, 7, 1.5, "", "x", [], [7], [[]], {}, {"x": 1}, {"type": "Other"}]

IDS = [None, True, False, -1, 1.0, 64.0, "64", [], {}, 2**70, float("nan"), float("inf")]

NO_PATHS = [None, True, 7, 1.5, b"file", [], {"a"}, print]


def places(data, path=()):
    """Yield the path of everything in a JSON value."""
    yield path
    if isinstance(data, list):
        data = dict(enumerate(data))
    for name, value in data.items() if isinstance(data, dict) else ():
        yield from places(value, (*path, name))


def changed(data, path, value):
    """Return a JSON value with another value at a place, which may be a new one."""
    if not path:
        return value
    data = data.copy()
    inner = data[path[0]] if path[1:] else None
    data[path[0]] = changed(inner, path[1:], value)
    return data
