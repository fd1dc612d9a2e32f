"""Values of the exam: the helpers with which the exam's page, exam.md, draws and computes values.

The page takes correct values from the course's own functions. This module makes the wrong values,
to which misconceptions lead.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from random import Random

from bpe_teach.corpora import load_corpus
from bpe_teach.encode import encode_by_rank, encode_by_replay
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.pairs import Pair, Word


def spell_pair(pair: Pair) -> str:
    """Return a pair as it is written on paper.

    >>> spell_pair(("lo", "w"))
    '(lo, w)'
    """
    return "({}, {})".format(*pair)


def visible(text: str) -> str:
    """Return a text with its spaces and line ends shown.

    >>> visible("two  words ")
    'two··words·'
    """
    return text.replace(" ", "·").replace("\n", "↵")


def walls(words: Iterable[str]) -> str:
    """Return words with vertical lines between them.

    >>> walls(["We", "'ll", " pay"])
    "We | 'll | ·pay"
    """
    return " | ".join(map(visible, words))


def table(rows: Sequence[Sequence[object]]) -> str:
    """Return the lines of a table as text.

    >>> print(table([["merges", 0, 100], ["tokens", "9,000", "6,000"]]))
    | merges | 0 | 100 |
    | tokens | 9,000 | 6,000 |
    """
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in rows)


@cache
def trained(name: str) -> Tokenizer:
    """Return a tokenizer with 1,000 merges, trained on a text of the course."""
    return Tokenizer.train(load_corpus(name), num_merges=1000)


def draw_ranks(chance: Random, word: Word) -> dict[Pair, int]:
    """Return the ranks of six merges that are possible in a word; most need the same letters.

    Each merge joins two parts of the word that exist already, so the list can be replayed.
    """
    stretches = {(i, i + 1) for i in range(len(word))}  # (begin, end) of a symbol in the word
    ranks = {}
    while len(ranks) < 6:
        neighbours = []
        for begin, middle in sorted(stretches):
            ends = [end for start, end in sorted(stretches) if start == middle]
            neighbours += [(begin, middle, end) for end in ends if (begin, end) not in stretches]
        begin, middle, end = chance.choice(neighbours)
        stretches.add((begin, end))
        ranks.setdefault(("".join(word[begin:middle]), "".join(word[middle:end])), len(ranks))
    if encode_by_rank(word, ranks) != encode_by_replay(word, ranks):
        return draw_ranks(chance, word)  # replay is correct, too, so it must give the same answer
    return ranks


def merge_leftmost(word: Word, ranks: Mapping[Pair, int]) -> Word:
    """Return the split of a word by somebody who ignores the ranks and merges from left to right.

    >>> merge_leftmost(tuple("tower"), {("o", "w"): 0, ("t", "o"): 1})
    ('to', 'w', 'e', 'r')
    """
    while True:
        found = [i for i, pair in enumerate(pairwise(word)) if pair in ranks]
        if not found:
            return word
        i = found[0]
        word = (*word[:i], word[i] + word[i + 1], *word[i + 2 :])


def match_longest(word: Word, known: Collection[str]) -> Word:
    """Return the split of a word by somebody who takes, from the left, the longest fitting token.

    >>> match_longest(tuple("tower"), {"to", "tow", "er"})
    ('tow', 'er')
    """
    text = "".join(word)
    tokens = []
    while text:
        fitting = [token for token in known if text.startswith(token)]
        tokens.append(max([text[0], *fitting], key=len))
        text = text[len(tokens[-1]) :]
    return tuple(tokens)
