"""Generated files: what loads gives the ids of *tokenizers*, and its texts, or a note says why not.

`python -m pytest tests/test_generated.py --generated 10000` tries more than the usual 300.
"""

import json
from contextlib import suppress

import pytest
from generated import Generator

from bpe_further import load_tokenizer, to_huggingface
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.shared import import_library

TEXTS = 14  # of each file
FOUND = [1213, 9042, 11110, 15940]  # files beyond the first ones in which a fault was found
PARTS = 20  # so many tests share the files
EITHER = "the package tokenizers takes either"  # which of two tokens, by chance
OTHERWISE = ("in another way", "printed bytes", "writes </w>")  # in notes on decoding


@pytest.fixture
def numbers(request) -> list[int]:
    """The numbers of the files that are tried."""
    return [*range(request.config.getoption("generated")), *FOUND]


@pytest.mark.parametrize("part", range(PARTS))
def test_what_loads_does_as_its_library_does_or_says_so(part, numbers, tmp_path):
    pytest.importorskip("tokenizers")
    loaded = 0
    for number in numbers[part::PARTS]:
        generator = Generator(number)
        data = generator.file()
        try:
            tok = load_file(data, tmp_path)
        except ValueError:
            continue  # any other error is a fault of ours
        loaded += 1
        names = [token["content"] for token in data["added_tokens"]]
        texts = [generator.text(names) for _ in range(TEXTS)]
        assert find_difference(data, tok, texts) is None, number
        assert find_loss(tok, texts, tmp_path) is None, number
    assert loaded > len(numbers[part::PARTS]) // 2


def load_file(data, folder) -> PublishedTokenizer:
    """Write a tokenizer.json, and read it."""
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(data), "utf-8")
    return load_tokenizer(path)


def find_difference(data, tok, texts) -> tuple | None:
    """Return the first text on which a tokenizer and its library differ, with both answers."""
    if any(EITHER in note for note in tok.notes):
        return None
    theirs = import_library("tokenizers").Tokenizer.from_str(json.dumps(data))
    added = data["added_tokens"]  # whose ids their library makes anew
    there = {token["id"]: theirs.token_to_id(token["content"]) for token in added}
    taken = {token["id"] for token in added} | set(data["model"]["vocab"].values())
    if any(i != new and new in taken for i, new in there.items()):
        return None  # two tokens have one id there, as a note says
    decodes = not any(sign in note for note in tok.notes for sign in OTHERWISE)
    for number, text in enumerate(texts):
        is_special = number % 3 > 0
        theirs.encode_special_tokens = not is_special
        ids = tok.encode(text, allowed_special="all" if is_special else ())
        try:
            expected = theirs.encode(text, add_special_tokens=False).ids
        except BaseException as error:  # it panics where two tokens take one white space
            assert type(error).__name__ == "PanicException"
            continue
        if [there.get(i, i) for i in ids] != expected:
            return text, is_special, ids, expected
        if decodes and tok.decode(ids) != theirs.decode(expected, skip_special_tokens=False):
            return text, "decoded", tok.decode(ids)
        if offsets_of(tok, text, is_special) not in (None, len(ids)):
            return text, "offsets"
    return None


def offsets_of(tok, text, is_special) -> int | None:
    """Return the number of spans of a text; None where a text is changed too much for them."""
    try:
        return len(tok.offsets(text, allowed_special="all" if is_special else ()))
    except ValueError:
        return None


def find_loss(tok, texts, folder) -> tuple | None:
    """Return a text that encodes otherwise after saving, or after going through their format."""
    tok.save(folder / "own.json")
    copies = [load_tokenizer(folder / "own.json")]
    with suppress(ValueError):  # what can't be carried over is refused
        copies.append(load_file(json.loads(to_huggingface(tok).to_str()), folder))
    for copy in copies:
        for text in texts:
            if copy.encode(text, allowed_special="all") != tok.encode(text, allowed_special="all"):
                return copy, text
    return None
