"""Hints: names from other libraries, each with the name to use in this package."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from bpe_teach.tokenizer import PlainTokenizer

Kind = TypeVar("Kind", bound=PlainTokenizer)
ELSEWHERE = {  # name in another library -> what has its place here
    "from_file": "bpe_further.load_tokenizer(path)",
    "from_pretrained": "bpe_further.load_tokenizer(path)",
    "from_str": "bpe_further.load_tokenizer(path)",
    "train_from_iterator": "Tokenizer.train(texts)",
    "train_new_from_iterator": "Tokenizer.train(texts)",
    "get_vocab_size": "len(tok)",
    "n_vocab": "max(tok.vocab) + 1, as there may be ids that no token has",
    "vocab_size": "len(tok), or max(tok.vocab) + 1 for a table of all ids",
    "add_tokens": "bpe_further.add_tokens(tok, names)",
    "add_special_tokens": "bpe_further.add_tokens(tok, names)",
    "tokenize": "tok.tokens(text)",
    "encode_as_pieces": "tok.tokens(text)",
    "token_to_id": "tok.id_of(token)",
    "piece_to_id": "tok.id_of(token)",
    "convert_tokens_to_ids": "tok.id_of(token)",
    "id_to_token": "tok.token_of(i)",
    "id_to_piece": "tok.token_of(i)",
    "convert_ids_to_tokens": "tok.token_of(i)",
    "save_pretrained": "bpe_further.save_huggingface(tok, folder)",
    "to_str": "bpe_further.to_huggingface(tok), which has it",
    "encode_ordinary": "tok.encode(text)",
    "encode_ordinary_batch": "tok.encode_batch(texts)",
    "batch_decode": "tok.decode_batch(lists)",
    "count": "tok.count_tokens(text)",
    "num_special_tokens_to_add": "tok.encode(text, add_special_tokens=True)",
    "get_vocab": "tok.ids, and tok.special_tokens",
    "offsets": "bpe_further.token_offsets(tok, text)",
}
OPTIONS = {  # name of an option in another library -> what to do here
    "min_frequency": "give min_count",
    "skip_special_tokens": "leave out the ids in tok.special_tokens.values()",
}


class _Elsewhere:
    """An attribute that a tokenizer doesn't have; its error says which name to use instead.

    >>> from bpe_teach import Tokenizer
    >>> Tokenizer.from_file
    Traceback (most recent call last):
    AttributeError: there is no from_file here: use bpe_further.load_tokenizer(path)
    """

    def __init__(self, name: str):
        self.name = name

    def __get__(self, tok: PlainTokenizer | None, kind: type) -> None:
        raise AttributeError(f"there is no {self.name} here: use {ELSEWHERE[self.name]}")


def with_hints(kind: type[Kind]) -> type[Kind]:
    """Return a class of tokenizers that knows the names that other libraries use.

    These names are set by this function, and not in the class, so that editors don't offer them.
    """
    for name in ELSEWHERE:
        setattr(kind, name, _Elsewhere(name))
    kind.train = classmethod(_told(kind.train.__func__))
    kind.decode = _told(kind.decode)
    return kind


def _told(method: Callable) -> Callable:
    """Return a method that knows the names that other libraries give to its options."""

    @wraps(method)
    def told(*args, **options):
        for name in OPTIONS.keys() & options.keys():
            raise TypeError(f"there is no option {name} here: {OPTIONS[name]}")
        return method(*args, **options)

    return told
