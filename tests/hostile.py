"""Hostile contents, for every reader of files: what a file may hold instead of what it should."""

EVIL = b"__import__('os').abort()"  # must never run

NESTED = [  # deeper than any reader of JSON goes
    b"[" * 200_000,
    b'{"a":' * 200_000,
    b'{"model": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
]

# nothing that any format begins with
NO_TOKENIZER = [b"", b"\n", b"{}", b"[]", b"null", b"true", b"7", b'"text"', b"NaN", b"-Infinity"]
NO_TOKENIZER += [b'{"model": NaN}', b"9" * 10_000, b"\xff\xfe{}", b"\xef\xbb\xbf{}", b"\xc3"]
NO_TOKENIZER += [b"\0" * 100, b"\x80\x04K\x01.", b"<html>404</html>", EVIL, *NESTED]  # a pickle

TOO_MUCH = [  # small enough for a file, and still more than any tokenizer holds
    b"\n" * 400_000,
    b"x\n" * 400_000,
    b"[" + b"[]," * 700_000 + b"[]]",
    b"[" + b"{}," * 700_000 + b"{}]",
    b"{" + b",".join(b'"%d":0' % i for i in range(400_000)) + b"}",
]

JSON_VALUES = [None, True, 7, 1.5, "", "x", [], [7], [[]], {}, {"x": 1}, {"type": "Other"}]

IDS = [None, True, False, -1, 1.0, 64.0, "64", [], {}, 2**70, float("nan"), float("inf")]

NO_PATHS = [None, True, 7, 1.5, b"file", [], {"a"}, print]
