"""Encoders: several ways to cut a word into tokens of one vocabulary.

A vocabulary doesn't say how a word should be cut. Merges are one way to decide on the cut
(`encode_by_rank`); this module has other ways. All these ways use the tokens of a trained
tokenizer, and none of them trains anything.
"""

from collections.abc import Collection, Mapping
from itertools import pairwise
from random import Random

from bpe_further.variants.unigram import viterbi
from bpe_teach.pairs import Pair, Word


def fewest_tokens(word: Word, vocab: Collection[str]) -> Word:
    """Return a word cut into as few tokens as possible.

    If several cuts have equally few tokens, the cut with the longest last token is returned. The
    method is `viterbi` with the same score for all tokens. Schmidt et al. 2024 train a tokenizer
    for this method (PathPiece, https://arxiv.org/abs/2402.18376).

    >>> fewest_tokens(tuple("lower"), ["l", "o", "w", "e", "r", "lo", "low", "we", "wer"])
    ('lo', 'wer')

    Raises ValueError for a word that no tokens spell.
    """
    return viterbi(word, dict.fromkeys(vocab, -1))


def count_cuts(word: Word, vocab: Collection[str]) -> int:
    """Return the number of ways to cut a word into tokens of the vocabulary.

    There are often too many ways to list. But all cuts that end in the same place can be continued
    in the same ways, so counting is quick. (`bits_of_all_cuts` adds up the cuts' probabilities.)

    >>> count_cuts(tuple("low"), {"l", "o", "w", "lo", "ow"})  # l o w, lo w, l ow
    3
    """
    text = "".join(word)
    cuts = [1] + [0] * len(text)  # place -> the number of cuts of the text before it
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            if text[start:end] in vocab:
                cuts[end] += cuts[start]
    return cuts[-1]


def encode_with_dropout(
    word: Word, ranks: Mapping[Pair, int], dropout: float, chance: Random
) -> Word:
    """Return the tokens of a word, but skip each merge with probability ``dropout`` (BPE-dropout).

    At every step, each place where a pair could be merged is skipped with this probability. Of the
    remaining places, the place with the lowest rank wins; if several have this rank, the leftmost
    wins. If no place remains, the word is done. If ``dropout`` is 0, the result is that of
    `encode_by_rank`; if ``dropout`` is 1, nothing is merged. Provilkov, Emelianenko and Voita 2020
    (https://arxiv.org/abs/1910.13267) train on such cuts, and cut a word anew each time it is read.

    >>> ranks = {("l", "o"): 0, ("lo", "w"): 1, ("e", "r"): 2}
    >>> chance = Random(1)
    >>> for _ in range(3):
    ...     print(encode_with_dropout(tuple("lower"), ranks, 0.5, chance))
    ('lo', 'w', 'er')
    ('l', 'o', 'w', 'e', 'r')
    ('lo', 'w', 'e', 'r')

    Raises ValueError for a ``dropout`` that isn't between 0 and 1.
    """
    if not 0 <= dropout <= 1:
        raise ValueError(f"dropout must be a probability from 0 to 1, not {dropout}")
    while True:
        candidates = []  # the merges that are not skipped: (rank, place)
        for i, pair in enumerate(pairwise(word)):
            if pair in ranks and chance.random() >= dropout:
                candidates.append((ranks[pair], i))
        if not candidates:
            return tuple(word)
        _, i = min(candidates)
        word = (*word[:i], word[i] + word[i + 1], *word[i + 2 :])
