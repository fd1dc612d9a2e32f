"""Values as JSON: what a function is given, and what it returns, on its way between two processes.

A pickle may run code while it is read. Here a value is sent as numbers, texts and lists, and
reading makes nothing but data, whoever wrote the value. An object that isn't data, such as a
generator, arrives as the name of its type and its text (``repr``).
"""

import re
from fractions import Fraction

DEEPEST = 50  # lists within lists; more would fill the stack of Python, or of a browser
MOST_PLAIN = 200_000  # parts of a value that are looked at one by one
MOST_DIGITS = 4000  # Python refuses to write or read longer numbers in decimal
LONGEST_LOOKS = 200  # characters of the text (``repr``) of an object
AS_IT_IS = frozenset((str, bool, float, type(None)))  # types that JSON has
READ_AS_IT_IS = AS_IT_IS | {int}  # JSON has whole numbers as well, if they are not too long
PLAIN_NUMBERS = frozenset((int, float, bool))
KINDS = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
BYTES = {"bytes": bytes, "bytearray": bytearray}
NUMBERS_OF_ARRAYS = "biuf"  # kinds of numpy's numbers: truth values, whole ones, decimal ones
# How numpy writes the type of one number. But numpy also reads "<f8,(99999,99999)f8", which fills
# the memory.
TYPE_OF_ARRAY = re.compile(rf"[<>|=][{NUMBERS_OF_ARRAYS}]\d{{1,2}}")


def pack(value, names: dict | None = None, above: tuple = ()):
    """Return a value in a form that JSON can hold: itself, or a list that begins with its kind.

    ``names`` are the names of the functions that both processes know: id -> name. ``above`` holds
    the ids of the values that contain this value.

    >>> pack("low"), pack(("lo", b"w")), pack({1: 2.5}), pack(Fraction(1, 3))
    ('low', ['tuple', ['lo', ['bytes', 'w']]], ['dict', [1], [2.5]], ['fraction', 1, 3])
    >>> pack(iter([1]))[:2]
    ['object', 'list_iterator']
    """
    kind = type(value)
    if kind in AS_IT_IS:
        return value
    if kind is int:
        is_short = abs(value) < 10**MOST_DIGITS
        return value if is_short else ["int", hex(value)]
    if len(above) == DEEPEST:
        return ["object", kind.__name__, "nested too deeply", False]
    if id(value) in above:
        return ["object", kind.__name__, f"a {kind.__name__} that contains itself", False]
    above = (*above, id(value))
    # An object of a learner's class is sent as its base class: none of its own methods is called.
    for name, base in KINDS.items():
        if isinstance(value, base):
            parts = base.__iter__(value)
            if base in (set, frozenset):
                parts = sorted(parts, key=repr)  # a set has no order
            parts = _pack_all(parts, names, above)
            return [name, parts]
    if isinstance(value, dict):
        keys = _pack_all(dict.keys(value), names, above)
        return ["dict", keys, _pack_all(dict.values(value), names, above)]
    for name, base in BYTES.items():
        if isinstance(value, base):
            return [name, bytes(value).decode("latin-1")]
    if kind is range:
        return ["range", value.start, value.stop, value.step]
    if isinstance(value, Fraction):
        return ["fraction", value.numerator, value.denominator]
    for base in (str, int, float):
        if isinstance(value, base):
            return pack(base(value))
    if names and id(value) in names:
        return ["function", names[id(value)]]
    if kind.__module__ == "numpy" and hasattr(value, "tolist"):
        return _pack_of_numpy(value, above)
    return _pack_object(value)


def _pack_all(parts, names: dict | None, above: tuple) -> list | dict:
    """Return the parts of a value as a list, or in a short form if all are bytes or such tuples."""
    parts = list(parts)
    kinds = set(map(type, parts))
    if kinds <= AS_IT_IS:  # for example, all characters of a story
        return parts
    if kinds == {bytes}:
        return {"bytes": [part.decode("latin-1") for part in parts]}
    if kinds == {tuple} and {type(one) for part in parts for one in part} == {bytes}:
        return {"tuples": [[one.decode("latin-1") for one in part] for part in parts]}  # merges
    if kinds <= PLAIN_NUMBERS and max(map(abs, parts)) < 10**18:
        return parts
    return [pack(part, names, above) for part in parts]


def _pack_of_numpy(value, above: tuple):
    """Return a number of numpy as a Python number, and an array of numbers as an array."""
    if getattr(value, "shape", None) == ():
        return pack(value.tolist(), above=above)
    if getattr(getattr(value, "dtype", None), "kind", "") not in NUMBERS_OF_ARRAYS:
        return _pack_object(value)
    return ["array", value.dtype.str, pack(value.tolist(), above=above)]


def _pack_object(value) -> list:
    """Return an object that isn't plain data as the name of its type, its text, and more."""
    kind = type(value)
    try:
        looks = str(repr(value))[:LONGEST_LOOKS]
    except Exception:  # somebody else's code may raise anything
        looks = "that cannot be shown"
    is_read_once = hasattr(kind, "__next__") and hasattr(kind, "__iter__")
    return ["object", kind.__name__, looks, is_read_once]


def unpack(sent, functions: dict | None = None):
    """Return the value that `pack` was given. Raises ValueError for what `pack` never writes.

    ``functions`` are the functions that both processes know, by name.

    >>> unpack(pack({"low": [1, (2.5, None)], b"w": {3}}))
    {'low': [1, (2.5, None)], b'w': {3}}
    >>> unpack(["pickle", "..."])
    Traceback (most recent call last):
    ValueError: there is no kind of value 'pickle'
    """
    if type(sent) in READ_AS_IT_IS:
        return sent
    if type(sent) is not list or not sent:
        raise ValueError("a value is a list that begins with its kind")
    name, *parts = sent
    try:
        return _unpack_kind(name, parts, functions or {})
    except (TypeError, IndexError, KeyError, OverflowError, ZeroDivisionError) as error:
        raise ValueError(f"this is no {name!r:.20}: {error}") from None


def _unpack_kind(name, parts: list, functions: dict):
    if name in KINDS:
        return KINDS[name](_unpack_all(parts[0], functions))
    if name == "dict":
        keys, values = (_unpack_all(part, functions) for part in parts)
        # Made like this, a dictionary often gets the place in memory of the dictionary of the call
        # before. So if an answer keeps a result under id(ranks), the mistake shows.
        return {key: value for key, value in zip(keys, values, strict=True)}
    if name in BYTES:
        return BYTES[name](parts[0], "latin-1")
    if name == "int":
        return int(parts[0], 16)
    if name == "range":
        return range(*parts)
    if name == "fraction":
        return Fraction(*parts)
    if name == "function":
        return functions[parts[0]]
    if name == "array":
        return _make_array(*parts)
    if name == "object":
        return make_object(*parts)
    raise ValueError(f"there is no kind of value {name!r:.40}")


def _unpack_all(parts: list | dict, functions: dict) -> list:
    if type(parts) is dict and "tuples" in parts:
        return [tuple([bytes(one, "latin-1") for one in part]) for part in parts["tuples"]]
    if type(parts) is dict:
        return [bytes(part, "latin-1") for part in parts["bytes"]]
    if type(parts) is not list:
        raise ValueError("parts are a list")
    if READ_AS_IT_IS.issuperset(map(type, parts)):
        return parts
    return [unpack(part, functions) for part in parts]


def _make_array(dtype: str, numbers):
    if not TYPE_OF_ARRAY.fullmatch(dtype):
        raise ValueError("an array holds numbers")
    import numpy  # a child that was lent this file may have none, and then makes no array

    return numpy.array(unpack(numbers), dtype=dtype)


def make_object(name: str, looks: str, is_read_once: bool):
    """Return a stand-in for an object of which only the type's name and the text are known.

    >>> make_object("generator", "<generator object>", True)
    <generator object>
    """
    methods = {"__repr__": lambda _self: str(looks)}
    if is_read_once is True:
        methods["__iter__"] = lambda self: self
        methods["__next__"] = lambda _self: None
    return type(str(name)[:60], (), methods)()


def is_data(value) -> bool:
    """Return whether a value, not one of its parts, arrives as data.

    >>> is_data([max]), is_data(max)
    (True, False)
    """
    return type(value).__module__ in ("builtins", "collections", "fractions") and not callable(
        value
    )


def is_plain(value) -> bool:
    """Return whether a value is Python's own data, so that looking at it runs nobody's code.

    A value that is deeply nested or very large isn't called plain either.

    >>> is_plain([1, ("a", {2: b"c"})]), is_plain([iter("a")]), is_plain(b"low")
    (True, False, True)
    """
    pending, looked_at = [(value, 0)], 0
    while pending:
        part, depth = pending.pop()
        kind = type(part)
        looked_at += 1
        if kind in READ_AS_IT_IS or kind is bytes:
            continue
        if kind not in (list, tuple, set, frozenset, dict):
            return False
        if depth == DEEPEST or looked_at > MOST_PLAIN:
            return False
        inside = [*part, *part.values()] if kind is dict else part
        pending += [(one, depth + 1) for one in inside]
    return True
