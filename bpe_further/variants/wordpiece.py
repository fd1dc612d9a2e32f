"""WordPiece: merge pieces that attract each other, and encode with the longest piece that fits.

Like byte pair encoding, WordPiece begins with characters and merges one pair after another. But it
chooses the pair differently, and it keeps no merges: the encoder knows only the pieces, and always
takes the longest piece that fits. A piece that doesn't begin its word is written with ``##`` in
front.

The following facts are published. Schuster and Nakajima (2012,
https://doi.org/10.1109/ICASSP.2012.6289079) merge the pair that most raises the likelihood of the
training text under a language model. Wu et al. (2016, https://arxiv.org/abs/1609.08144) want few
pieces, and call their method similar to byte pair encoding. The program that made BERT's vocabulary
(https://arxiv.org/abs/1810.04805) isn't public. TensorFlow Text breaks words down instead of
merging, and says that BERT's program did so
(https://www.tensorflow.org/text/guide/subwords_tokenizer). The well-known formula is `attraction`,
which Hugging Face's course calls a best guess (https://huggingface.co/learn/llm-course/chapter6/6).
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from itertools import pairwise
from math import log2

from bpe_teach.pairs import Pair, Word

PREFIX = "##"  # in front of every piece that does not begin its word


def attraction(both: int, left: int, right: int, total: int) -> float:
    """Return the score of a pair by the well-known formula: count(ab) / (count(a) · count(b)).

    ``total``, the number of all symbols, makes no difference. Two symbols get the highest score if
    each of them occurs only once, and they stand side by side.

    >>> attraction(both=1, left=1, right=1, total=1000)
    1.0
    >>> attraction(both=90, left=100, right=300, total=1000)
    0.003
    """
    return both / (left * right)


def likelihood_gain(both: int, left: int, right: int, total: int) -> float:
    """Return the score of a pair: the bits that its merge saves in a model of independent symbols.

    Such a model spends log2(total / count) bits on a symbol. Wherever a merged pair occurs, it is
    one symbol instead of two; we ignore that all other counts change a little. The score is the
    count of the pair times the logarithm of `attraction` · ``total``.

    >>> likelihood_gain(both=1, left=1, right=1, total=1024)
    10.0
    >>> likelihood_gain(both=64, left=128, right=128, total=1024)
    128.0
    """
    return both * log2(both * total / (left * right))


def learn_wordpiece(
    word_counts: Mapping[Word, int],
    vocab_size: int,
    *,
    score: Callable[[int, int, int, int], float] = likelihood_gain,
    min_count: int = 1,
) -> list[str]:
    """Return a vocabulary: every character, with and without ``##``, then the merged pieces.

    ``score`` takes the counts of a pair, of its two symbols and of all symbols. The pair with the
    highest score is merged. If several pairs have this score, the most frequent of these pairs is
    merged; if several are equally frequent, the last in alphabetical order is merged. Pairs that
    occur fewer than ``min_count`` times aren't merged, so learning can end early.

    >>> word_counts = {tuple("low"): 9, tuple("lot"): 9, tuple("qz"): 1}
    >>> learn_wordpiece(word_counts, 15)[12:]
    ['lo', 'low', 'lot']
    >>> learn_wordpiece(word_counts, 15, score=attraction)[12:]
    ['qz', 'lo', 'low']

    Raises ValueError if the characters need more than ``vocab_size`` entries.
    """
    characters = sorted(set().union(*word_counts))
    inner = [PREFIX + character for character in characters]
    vocab = dict.fromkeys([*characters, *inner])  # a dict keeps the order, and is fast to search
    if len(vocab) > vocab_size:
        needed = f"the characters, with {PREFIX} and without, need {len(vocab)} entries"
        raise ValueError(f"vocab_size is too small: {needed}, not {vocab_size}")
    words = [mark_inner(word) for word in word_counts]
    weights = list(word_counts.values())
    pairs = Counter()  # pair -> number of occurrences
    symbols = Counter()  # symbol -> number of occurrences
    places = defaultdict(set)  # pair -> the numbers of the words that have or had it
    for i, word in enumerate(words):
        _count(word, weights[i], pairs, symbols)
        for pair in pairwise(word):
            places[pair].add(i)
    while len(vocab) < vocab_size:
        total = symbols.total()
        ranked = []
        for pair, both in pairs.items():
            if both >= min_count:
                left, right = pair
                ranked.append((score(both, symbols[left], symbols[right], total), both, pair))
        if not ranked:
            break
        _, _, best = max(ranked)
        vocab[merge_pieces(*best)] = None
        for i in places.pop(best):
            _count(words[i], -weights[i], pairs, symbols)
            words[i] = _merge(words[i], best)
            _count(words[i], weights[i], pairs, symbols)
            for pair in pairwise(words[i]):
                places[pair].add(i)
    return list(vocab)


def mark_inner(word: Word) -> Word:
    """Return a word with ``##`` in front of every symbol but the first.

    >>> mark_inner(("l", "o", "w"))
    ('l', '##o', '##w')
    """
    inner = [PREFIX + symbol for symbol in word[1:]]
    return (*word[:1], *inner)


def merge_pieces(left: str, right: str) -> str:
    """Return two neighbouring pieces as one piece, with the mark of the first piece only.

    >>> merge_pieces("l", "##o"), merge_pieces("##o", "##w")
    ('lo', '##ow')
    """
    return left + right.removeprefix(PREFIX)


def _count(word: Word, count: int, pairs: Counter, symbols: Counter) -> None:
    """Add a word to the counts, or subtract it if ``count`` is below zero."""
    for symbol in word:
        symbols[symbol] += count
    for pair in pairwise(word):
        pairs[pair] += count
        if pairs[pair] == 0:
            del pairs[pair]


def _merge(word: Word, pair: Pair) -> Word:
    """Return a word with each occurrence of a pair merged, like `merge_pair`, but with ``##``."""
    merged = []
    i = 0
    while i < len(word):
        if word[i : i + 2] == pair:
            merged.append(merge_pieces(*pair))
            i += 2
        else:
            merged.append(word[i])
            i += 1
    return tuple(merged)


def longest_match(
    word: Word, vocab: Collection[str], *, prefix: str = PREFIX, unknown: str | None = None
) -> Word:
    """Return a word cut from left to right into the longest pieces that fit.

    If no piece fits at some place, the result is ``unknown`` for the whole word, as in BERT. If
    ``prefix`` is "", the vocabulary of any tokenizer of characters can be used.

    >>> vocab = {"l", "##o", "##w", "lo", "##wer", "##e", "##r"}
    >>> longest_match(tuple("lower"), vocab)
    ('lo', '##wer')
    >>> longest_match(tuple("lows"), vocab, unknown="[UNK]")
    ('[UNK]',)

    Raises ValueError if no piece fits and there is no ``unknown``. The function is faster if
    ``vocab`` is a set or a dict, and slower if it is a list.
    """
    text = "".join(word)
    pieces = []
    start = 0
    while start < len(text):
        mark = prefix if start else ""
        end = len(text)
        while end > start and mark + text[start:end] not in vocab:
            end -= 1
        if end == start:
            if unknown is not None:
                return (unknown,)
            place = f"at {mark + text[start]!r}, position {start} of {text!r}"
            raise ValueError(f"no piece fits {place}; train on it, or pass a token as unknown")
        pieces.append(mark + text[start:end])
        start = end
    return tuple(pieces)
