"""Parts: what a tokenizer is put together from, checked, and the ids that follow from it.

The parts are a scheme, an alphabet, a list of merges, special and added tokens, and a table of ids
if others published it. Whatever is odd about them is said here.
"""

from collections.abc import Collection, Iterable, Mapping
from numbers import Integral

from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol, Word
from bpe_teach.schemes import BYTES, Scheme, check_text


def is_whole(number) -> bool:
    """Say whether something is a whole number, one of numpy's too; True and False are not.

    >>> is_whole(3), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    return type(number) is int or (isinstance(number, Integral) and not isinstance(number, bool))


def check_sizes(**sizes: int | None) -> None:
    """Raise ValueError unless all sizes that are given are whole numbers.

    >>> check_sizes(vocab_size=None, num_merges=3.5)
    Traceback (most recent call last):
    ValueError: num_merges must be a whole number, not 3.5
    """
    for name, size in sizes.items():
        if size is not None and not is_whole(size):
            raise ValueError(f"{name} must be a whole number, not {size!r:.80}")


def check_words(scheme: Scheme, word_counts: Mapping[Word, int]) -> None:
    """Raise ValueError unless all words are made of what the scheme makes words of."""
    for symbol in set().union(*word_counts):
        if not isinstance(symbol, scheme.units):
            raise ValueError(
                f"word_counts holds {symbol!r:.80}, but words of scheme {scheme.name!r} are tuples "
                f"of {scheme.units.__name__}; count them with the same scheme"
            )


def check_options(scheme: Scheme, unk_token: str | None, whole_words: bool) -> None:
    """Raise ValueError for an option that means nothing in the scheme."""
    if unk_token is not None and scheme.units is bytes:
        raise ValueError(f"scheme {scheme.name!r} knows every byte: it needs no unk_token")
    if whole_words and scheme.units is str:
        raise ValueError(f"scheme {scheme.name!r} has no bytes, which whole_words is for")


def check_alphabet(scheme: Scheme, alphabet: list[Symbol]) -> None:
    """Raise ValueError unless the alphabet is one that the scheme can have."""
    for symbol in alphabet:
        if not isinstance(symbol, scheme.units):
            raise ValueError(f"the alphabet of {scheme.name!r} cannot hold {symbol!r:.80}")
    if len(set(alphabet)) < len(alphabet):
        raise ValueError("the alphabet names a symbol twice")
    if scheme.units is str:
        check_text("".join(alphabet))
    elif not set(alphabet) <= set(BYTES):
        raise ValueError(f"the alphabet of {scheme.name!r} must be single bytes")


def check_merges(alphabet: list[Symbol], merges: list[Merge], ids: Iterable[Symbol]) -> None:
    """Raise ValueError unless every merge uses two symbols that are there before it.

    It may also use any token that has one of the ``ids``, and waits until there is one.
    """
    known = {*alphabet, *ids}
    merged = set()
    for rank, (left, right, _) in enumerate(merges):
        pair = (left, right)
        if not known.issuperset(pair):
            part = right if left in known else left
            raise ValueError(f"merge {rank} uses {part!r:.80}, which no earlier merge makes")
        if pair in merged:
            fault = f"merge {rank} repeats {pair!r:.80}, which an earlier one merged"
            raise ValueError(fault)
        merged.add(pair)
        known.add(left + right)


def are_in_order(alphabet: list[Symbol], merges: list[Merge]) -> bool:
    """Say whether every merge uses what the alphabet holds or an earlier merge makes.

    >>> are_in_order(["a"], [Merge("a", "a", 1), Merge("aa", "a", 1)])
    True
    >>> are_in_order(["a"], [Merge("aa", "a", 1), Merge("a", "a", 1)])
    False
    """
    known = set(alphabet)
    for merge in merges:
        if not known.issuperset(merge.pair):
            return False
        known.add(merge.token)
    return True


def number_tokens(tokens: Iterable[Symbol]) -> dict[Symbol, int]:
    """Number tokens from 0 on; one that is there twice has the lower id.

    >>> number_tokens(["a", "b", "aab", "aab", "b"])
    {'a': 0, 'b': 1, 'aab': 2}
    """
    ids = {}
    for i, token in enumerate(tokens):
        ids.setdefault(token, i)
    return ids


def turn_around(
    scheme: Scheme, ids: Mapping[Symbol, int], tokens: Iterable[Symbol]
) -> dict[int, Symbol]:
    """Make a vocabulary, id -> token, of published ids, token -> id.

    Raises ValueError for an odd token or id, for an id that two have, and if one of ``tokens`` has
    none.

    >>> from bpe_teach.schemes import SCHEMES
    >>> turn_around(SCHEMES["chars"], {"low": 7, "l": 0}, ["l"])
    {7: 'low', 0: 'l'}
    """
    vocab = {}
    for token, i in ids.items():
        if not isinstance(token, scheme.units):  # it may be empty: Whisper has such a one
            raise ValueError(f"{token!r:.80} is not a token of scheme {scheme.name!r}")
        _check_id(token, i)
        if i in vocab:
            raise ValueError(f"{vocab[i]!r:.80} and {token!r:.80} have the same id, {i}")
        vocab[i] = token
    for token in tokens:
        if token not in ids:
            raise ValueError(f"token {token!r:.80} has no id")
    return vocab


def _check_id(token: Symbol, i: int) -> None:
    if not is_whole(i) or i < 0:
        raise ValueError(f"the id of {token!r:.80} is {i!r:.80}, not a whole number from 0 on")


def check_names(names: Mapping[str, int], what: str) -> dict[str, int]:
    """Return names with their ids; ValueError if they are something else.

    >>> check_names({"<|end|>": 50256}, "added_tokens")
    {'<|end|>': 50256}
    """
    if not isinstance(names, Mapping):
        raise ValueError(f"{what} must give names with their ids, not {names!r:.80}")
    for name, i in names.items():
        check_text(name)
        if not name:
            raise ValueError(f"{what} must be different and not empty: {list(names)!r:.400}")
        _check_id(name, i)
    return dict(names)


def check_lstrip(lstrip: Iterable[str], names: Collection[str]) -> list[str]:
    """Return, sorted, the names that take the white space before them; ValueError if unknown.

    >>> check_lstrip(["<mask>"], {"<mask>": 7, "</s>": 2})
    ['<mask>']
    """
    if isinstance(lstrip, str) or not isinstance(lstrip, Iterable):
        raise ValueError(f"lstrip must be a list of names, not {lstrip!r:.80}")
    lstrip = list(lstrip)
    for name in lstrip:
        if not isinstance(name, str) or name not in names:
            raise ValueError(f"lstrip names {name!r:.80}, not a special or added token")
    return sorted(set(lstrip))


def list_special(special_tokens: Collection[str], unk_token: str | None) -> list[str]:
    """Return the special tokens as a list, the unknown token among them; ValueError if unfit.

    >>> list_special(["<|end|>"], unk_token="<unk>")
    ['<|end|>', '<unk>']
    """
    if isinstance(special_tokens, str) or not isinstance(special_tokens, Iterable):
        raise ValueError(f"special_tokens must be a list of texts, not {special_tokens!r:.80}")
    names = list(special_tokens)
    if unk_token is not None and unk_token not in names:
        names.append(unk_token)
    for name in names:
        check_text(name)
    if "" in names or len(set(names)) < len(names):
        raise ValueError(f"special tokens must be different and not empty: {names!r:.400}")
    return names


def number_special(
    special_tokens: Collection[str] | Mapping[str, int],
    unk_token: str | None,
    taken: Iterable[int],
) -> dict[str, int]:
    """Give special tokens their ids: those that they bring, or else the next after all others.

    >>> number_special({"<|end|>": 7}, "<unk>", taken=range(5)), number_special(["<a>"], None, [4])
    ({'<|end|>': 7, '<unk>': 8}, {'<a>': 5})
    """
    names = list_special(special_tokens, unk_token)
    numbered = {}
    if isinstance(special_tokens, Mapping):
        numbered = check_names(special_tokens, "special_tokens")
    following = max([-1, *taken, *numbered.values()]) + 1
    for name in names:
        if name not in numbered:
            numbered[name] = following
            following += 1
    return numbered


def add_names(
    scheme: Scheme, vocab: Mapping[int, Symbol], id_of_name: Mapping[str, int]
) -> dict[int, Symbol]:
    """Add special and added tokens to a vocabulary; of two with one id the first is decoded.

    >>> from bpe_teach.schemes import SCHEMES
    >>> add_names(SCHEMES["bytes"], {0: b"a", 2: b"b"}, {"<|end|>": 1, "<|stop|>": 1})
    {0: b'a', 1: b'<|end|>', 2: b'b'}

    Raises ValueError where another token has the id.
    """
    both = dict(vocab)
    for name, i in id_of_name.items():
        token = name.encode("utf-8") if scheme.units is bytes else name
        if vocab.get(i, token) != token:
            raise ValueError(f"{name!r:.80} has the id {i}, which {vocab[i]!r:.80} has already")
        both.setdefault(i, token)
    return {i: both[i] for i in sorted(both)}
