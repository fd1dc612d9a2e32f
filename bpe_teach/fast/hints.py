"""Hints: names that other libraries have, each with the one that has its place here."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from bpe_teach.tokenizer import Tokenizer

Kind = TypeVar("Kind", bound=Tokenizer)
ELSEWHERE = {  # name in another library -> what it is here
    **dict.fromkeys(["from_file", "from_pretrained", "from_str"], "load_tokenizer(path)"),
    **dict.fromkeys(["train_from_iterator", "train_new_from_iterator"], "Tokenizer.train(texts)"),
    **dict.fromkeys(["get_vocab_size", "n_vocab", "vocab_size"], "len(tok)"),
    **dict.fromkeys(["add_tokens", "add_special_tokens"], "bpe_teach.add_tokens(tok, names)"),
    **dict.fromkeys(["tokenize", "encode_as_pieces"], "tok.tokens(text)"),
    **dict.fromkeys(["token_to_id", "piece_to_id", "convert_tokens_to_ids"], "tok.id_of(token)"),
    **dict.fromkeys(["id_to_token", "id_to_piece", "convert_ids_to_tokens"], "tok.token_of(i)"),
    **dict.fromkeys(["save_pretrained", "to_str"], "to_huggingface(tok), which has it"),
    "encode_ordinary": "tok.encode(text)",
    "get_vocab": "tok.ids, and tok.special_tokens",
}
OPTIONS = {  # the same for options of `train` and `decode`
    "min_frequency": "give min_count",
    "skip_special_tokens": "leave out the ids in tok.special_tokens.values()",
}


class _Elsewhere:
    """An attribute that isn't there, and whose error says what has its place.

    >>> from bpe_teach import Tokenizer
    >>> Tokenizer.from_file
    Traceback (most recent call last):
    AttributeError: there is no from_file here: use load_tokenizer(path)
    """

    def __init__(self, name: str):
        self.name = name

    def __get__(self, tok: Tokenizer | None, kind: type) -> None:
        raise AttributeError(f"there is no {self.name} here: use {ELSEWHERE[self.name]}")


def with_hints(kind: type[Kind]) -> type[Kind]:
    """Return a class of tokenizers that knows names which other libraries have.

    They are set here, and not in the class, so that editors don't offer them.
    """
    for name in ELSEWHERE:
        setattr(kind, name, _Elsewhere(name))
    kind.train = classmethod(_told(kind.train.__func__))
    kind.decode = _told(kind.decode)
    return kind


def _told(method: Callable) -> Callable:
    """Return a method that knows the names which its options have in other libraries."""

    @wraps(method)
    def told(*args, **options):
        for name in OPTIONS.keys() & options.keys():
            raise TypeError(f"there is no option {name} here: {OPTIONS[name]}")
        return method(*args, **options)

    return told
