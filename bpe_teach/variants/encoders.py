"""Encoders: one vocabulary, several ways to cut a word with it.

A vocabulary does not say how a word is to be cut. The merges say it in one way (`encode_by_rank`);
these are others. All take the pieces of a tokenizer as they are, none trains anything.
"""

from collections.abc import Collection, Mapping
from itertools import pairwise
from random import Random

from bpe_teach.pairs import Pair, Word
from bpe_teach.variants.unigram import viterbi


def fewest_tokens(word: Word, vocab: Collection[str]) -> Word:
    """Cut a word into as few tokens as can be; among equals, with the longest last one.

    It is `viterbi` with the same score for all tokens. Schmidt et al. 2024 train a tokenizer for it
    (PathPiece, https://arxiv.org/abs/2402.18376).

    >>> fewest_tokens(tuple("lower"), ["l", "o", "w", "e", "r", "lo", "low", "we", "wer"])
    ('lo', 'wer')

    Raises ValueError for a word that no tokens spell.
    """
    return viterbi(word, dict.fromkeys(vocab, -1))


def count_cuts(word: Word, vocab: Collection[str]) -> int:
    """Count the ways to cut a word into tokens of the vocabulary.

    They grow with every character, so they are not listed: each cut of the first characters that
    ends in the same place goes on in the same ways. (`bits_of_all_cuts` adds up the chances of the
    same cuts.)

    >>> count_cuts(tuple("low"), {"l", "o", "w", "lo", "ow"})  # l o w, lo w, l ow
    3
    """
    text = "".join(word)
    cuts = [1] + [0] * len(text)  # place -> the number of cuts of what comes before it
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            if text[start:end] in vocab:
                cuts[end] += cuts[start]
    return cuts[-1]


def encode_with_dropout(
    word: Word, ranks: Mapping[Pair, int], dropout: float, chance: Random
) -> Word:
    """Encode by rank, but overlook each merge with the probability ``dropout`` (BPE-dropout).

    At every step each place where a pair could be merged is overlooked or not, anew. Of the others
    the lowest rank wins, the leftmost of equals; if none is left, the word is done. With 0 it is
    `encode_by_rank`, with 1 nothing is merged. Provilkov, Emelianenko and Voita 2020
    (https://arxiv.org/abs/1910.13267) train on such cuts, a new one each time a word is read.

    >>> ranks = {("l", "o"): 0, ("lo", "w"): 1, ("e", "r"): 2}
    >>> chance = Random(1)
    >>> for _ in range(3):
    ...     print(encode_with_dropout(tuple("lower"), ranks, 0.5, chance))
    ('lo', 'w', 'er')
    ('l', 'o', 'w', 'e', 'r')
    ('lo', 'w', 'e', 'r')

    Raises ValueError for a ``dropout`` that is not between 0 and 1.
    """
    if not 0 <= dropout <= 1:
        raise ValueError(f"dropout is {dropout}; it is a probability, from 0 to 1")
    while True:
        candidates = []  # the merges that are not overlooked: (rank, place)
        for i, pair in enumerate(pairwise(word)):
            if pair in ranks and chance.random() >= dropout:
                candidates.append((ranks[pair], i))
        if not candidates:
            return tuple(word)
        _, i = min(candidates)
        word = (*word[:i], word[i] + word[i + 1], *word[i + 2 :])
