"""Superwords: first merge within words, then across the spaces between words.

A split pattern keeps every token inside a word, so `of the` is never one. SuperBPE (Liu et al.
2025, https://arxiv.org/abs/2503.13423) removes these walls when part of the vocabulary has been
learned. BoundlessBPE (Schmidt et al. 2025, https://arxiv.org/abs/2504.00178), published at the same
time, has no such moment: two neighbouring words may be merged as soon as each is a single token.
"""

from bpe_teach.fast.learn import learn_merges
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.symbols import spell


def train_superwords(text: str, num_merges: int, inside: int) -> Tokenizer:
    """Return a tokenizer with ``inside`` merges within the words of GPT-2, the rest across words.

    There are ``num_merges`` in all. It encodes without splitting: its scheme is "bytes".

    >>> text = "by the way, by the sea, by the by"
    >>> tok = train_superwords(text, num_merges=7, inside=4)
    >>> tok.tokens("by the tree")
    [b'by the', b' t', b'r', b'e', b'e']
    >>> Tokenizer.train(text, num_merges=7).tokens("by the tree")
    [b'by', b' the', b' t', b'r', b'e', b'e']

    Raises ValueError unless ``inside`` is between 0 and ``num_merges``.
    """
    if not 0 <= inside <= num_merges:
        raise ValueError(f"inside must be 0 to num_merges={num_merges}, not {inside}")
    within = Tokenizer.train(text, num_merges=inside)
    no_walls = Tokenizer("bytes", within.alphabet, within.merges)  # as the result will encode
    whole_text = tuple(no_walls.tokens(text))  # one word, in the tokens of the first stage
    across = learn_merges({whole_text: 1}, num_merges - inside, min_count=2)
    return Tokenizer("bytes", no_walls.alphabet, no_walls.merges + across)


def find_superwords(tok: Tokenizer) -> list[str]:
    """Return the merged tokens with white space between other characters, in order of rank.

    >>> text = "by the way, by the sea, by the by"
    >>> find_superwords(train_superwords(text, num_merges=7, inside=4))
    ['by the', 'by the ']
    """
    merged = [spell(merge.token) for merge in tok.merges]
    return [token for token in merged if len(token.split()) > 1]
