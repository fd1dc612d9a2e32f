"""Superwords: first merge within words, then across the spaces between words.

A split pattern keeps every token inside a word, so `of the` is never a token. SuperBPE (Liu et al.
2025, https://arxiv.org/abs/2503.13423) removes the walls between words when part of the vocabulary
has been learned. BoundlessBPE (Schmidt et al. 2025, https://arxiv.org/abs/2504.00178), published at
the same time, has no such moment: two neighbouring words may be merged as soon as each of them is a
single token.
"""

from collections import Counter
from collections.abc import Iterable

from bpe_teach.fast.learn import learn_merges
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.schemes import Scheme, as_texts, find_scheme
from bpe_teach.symbols import spell


def train_superwords(
    texts: str | Iterable[str], num_merges: int, inside: int, scheme: str | Scheme = "gpt2"
) -> Tokenizer:
    """Return a tokenizer with ``inside`` merges within a scheme's words, and the rest across words.

    There are ``num_merges`` merges in total; none of them crosses from one text to the next. The
    tokenizer encodes without splitting a text: its own scheme is "bytes".

    >>> text = "by the way, by the sea, by the by"
    >>> tok = train_superwords(text, num_merges=7, inside=4)
    >>> tok.tokens("by the tree")
    [b'by the', b' t', b'r', b'e', b'e']
    >>> Tokenizer.train(text, num_merges=7).tokens("by the tree")
    [b'by', b' the', b' t', b'r', b'e', b'e']

    Raises ValueError unless ``inside`` is between 0 and ``num_merges``. Also raises ValueError for
    a scheme of characters, and for a scheme that changes texts before it splits them.
    """
    scheme = find_scheme(scheme)
    if scheme.units is not bytes or scheme.prepare or scheme.marker:
        raise ValueError(f"scheme must keep all bytes of a text, as gpt2 does, not {scheme.name!r}")
    texts = list(as_texts(texts))
    if not 0 <= inside <= num_merges:
        raise ValueError(f"inside must be 0 to num_merges={num_merges}, not {inside}")
    within = Tokenizer.train(texts, scheme=scheme, num_merges=inside)
    no_walls = Tokenizer("bytes", within.alphabet, within.merges)  # encodes as the result will
    # Each text is one word, in the tokens of the first stage.
    whole_texts = Counter(tuple(no_walls.tokens(text)) for text in texts)
    across = learn_merges(whole_texts, num_merges - inside, min_count=2)
    return Tokenizer("bytes", no_walls.alphabet, no_walls.merges + across)


def find_superwords(tok: Tokenizer) -> list[str]:
    """Return the merged tokens that have white space between other characters, in order of rank.

    >>> text = "by the way, by the sea, by the by"
    >>> find_superwords(train_superwords(text, num_merges=7, inside=4))
    ['by the', 'by the ']
    """
    merged = [spell(merge.token) for merge in tok.merges]
    return [token for token in merged if len(token.split()) > 1]
