"""Unigram: begin with far too many pieces, give each a probability, remove the useless pieces.

The probability of a cut is the product of the probabilities of its pieces. So each word has a most
probable cut (`viterbi`). The word also has a probability, which is the sum over all its cuts, and
it can be cut at random (`sample`). Kudo (2018, https://arxiv.org/abs/1804.10959) trains such a
model by expectation maximization and prunes it; SentencePiece (https://arxiv.org/abs/1808.06226)
made the method popular. This module follows the steps of the paper, as plainly as possible.
SentencePiece differs in details: it counts with the digamma function, and it estimates losses
differently when it prunes.

A *score* is the natural logarithm of a probability. So the score of a cut is a sum. If no pieces
spell a word, the word is refused with a ValueError.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from math import exp, inf, log
from random import Random

from bpe_further.measure.ngrams import add_logs
from bpe_teach.pairs import Word

WordCounts = Mapping[Word, int]
Scores = Mapping[str, float]
Placed = tuple[int, int, str, float]  # where a piece begins and ends in a word, piece, score

LONGEST_SEED = 16  # characters, at most, in a piece of the first vocabulary
ROUNDS = 2  # rounds of expectation maximization before each pruning
KEPT = 0.75  # share of the pieces that survive a pruning
LEAST = 0.5  # least expected count: characters are raised to it, rarer longer pieces removed


def learn_unigram(word_counts: WordCounts, vocab_size: int, *, seed_size: int = 10_000) -> Scores:
    """Return pieces and their scores: {piece: score}, beginning with the most probable piece.

    Training begins with the ``seed_size`` pieces of `seed_scores`. It then repeats two steps: two
    rounds of `reestimate`, and a `prune` that keeps three quarters of the pieces. Training ends
    when ``vocab_size`` pieces or fewer are left.

    >>> word_counts = {tuple("low"): 3, tuple("lower"): 2, tuple("newer"): 4}
    >>> scores = learn_unigram(word_counts, vocab_size=8)
    >>> list(scores)
    ['low', 'newer', 'e', 'r', 'l', 'n', 'o', 'w']
    >>> viterbi(tuple("lower"), scores)
    ('low', 'e', 'r')

    Raises ValueError if there are more than ``vocab_size`` characters.
    """
    characters = set().union(*word_counts)
    if len(characters) > vocab_size:
        needed = f"the characters alone need {len(characters)} pieces"
        raise ValueError(f"vocab_size is too small: {needed}, not {vocab_size}")
    scores = seed_scores(word_counts, max(seed_size, vocab_size))
    while True:
        for _ in range(ROUNDS):
            scores = reestimate(word_counts, scores)
        if len(scores) <= vocab_size:
            break
        size = max(int(len(scores) * KEPT), vocab_size)
        scores = prune(word_counts, scores, size)
    return {piece: scores[piece] for piece in _highest_first(scores)}


def seed_scores(word_counts: WordCounts, size: int) -> Scores:
    """Return the scores of all characters, and of the parts of words that cover most of the text.

    Each occurrence of a part covers as many characters as the part has. A part must occur at least
    twice.

    >>> list(seed_scores({tuple("low"): 2, tuple("so"): 1}, 9))
    ['l', 'o', 's', 'w', 'low', 'lo', 'ow']
    """
    counts = Counter()  # part -> number of occurrences
    for word, count in word_counts.items():
        text = "".join(word)
        for start in range(len(text)):
            last = min(start + LONGEST_SEED, len(text))
            for end in range(start + 1, last + 1):
                part = text[start:end]
                counts[part] += count
    covered = {}  # part of several characters -> how many characters it covers
    for part, count in counts.items():
        if len(part) > 1 and count > 1:
            covered[part] = len(part) * count
    characters = sorted(part for part in counts if len(part) == 1)
    room = max(size - len(characters), 0)
    weights = {character: counts[character] for character in characters}
    for part in _highest_first(covered)[:room]:
        weights[part] = covered[part]
    return _to_scores(weights)


def reestimate(word_counts: WordCounts, scores: Scores) -> Scores:
    """Return scores after a round of expectation maximization (EM), which fits them to the words.

    The expectation step asks how often each piece is expected over all cuts. In the maximization
    step, the shares of these counts become the new probabilities. A piece that is hardly ever
    expected is dropped, unless it is a single character.

    >>> scores = {"l": log(0.25), "o": log(0.25), "lo": log(0.5)}
    >>> new = reestimate({("l", "o"): 4}, scores)
    >>> {piece: round(exp(score), 3) for piece, score in new.items()}
    {'l': 0.11, 'o': 0.11, 'lo': 0.78}
    """
    counts, _ = expected_counts(word_counts, scores)
    kept = {}
    for piece in scores:
        if len(piece) == 1 or counts[piece] >= LEAST:
            kept[piece] = max(counts[piece], LEAST)
    return _to_scores(kept)


def _highest_first(numbers: Scores) -> list[str]:
    """Return pieces sorted by their numbers, beginning with the highest number.

    Pieces with equal numbers are in alphabetical order. The numbers are rounded, because the last
    digits of a logarithm differ between computers.
    """
    return sorted(numbers, key=lambda piece: (-round(numbers[piece], 9), piece))


def _to_scores(weights: Scores) -> Scores:
    """Return the logarithm of each weight's share of all weights."""
    total = sum(weights.values())
    return {piece: log(weight / total) for piece, weight in weights.items()}


def expected_counts(word_counts: WordCounts, scores: Scores) -> tuple[Counter[str], float]:
    """Return how often each piece is expected, and the logarithm of the text's probability.

    Each cut of a word counts in proportion to its probability. The cuts are never listed. Instead,
    two sums are computed once for each place in the word: one over all cuts of the part before the
    place, and one over all cuts of the part after it (the forward-backward algorithm; Baum et al.
    1970, https://doi.org/10.1214/aoms/1177697196).

    >>> scores = {"l": log(0.25), "o": log(0.25), "lo": log(0.5)}
    >>> counts, _ = expected_counts({("l", "o"): 4}, scores)
    >>> {piece: round(count, 3) for piece, count in counts.items()}
    {'l': 0.444, 'lo': 3.556, 'o': 0.444}
    """
    counts = Counter()
    likelihood = 0.0
    for word, count in word_counts.items():
        steps = list(_pieces_of(word, scores))
        before = _sums_before(word, steps)
        whole = before[-1]
        after = [-inf] * len(word) + [0.0]  # place -> the sum over all cuts of the part after it
        for start, end, _, score in reversed(steps):
            after[start] = add_logs(after[start], score + after[end])
        likelihood += count * whole
        for start, end, piece, score in steps:
            share = exp(before[start] + score + after[end] - whole)
            counts[piece] += count * share
    return counts, likelihood


def _pieces_of(word: Word, scores: Scores) -> Iterator[Placed]:
    """Yield every piece in every place of a word, from left to right."""
    text = "".join(word)
    for start in range(len(text)):
        for end in range(start + 1, len(text) + 1):
            piece = text[start:end]
            if piece in scores:
                yield start, end, piece, scores[piece]


def _sums_before(word: Word, steps: list[Placed]) -> list[float]:
    """Return, for each place in a word, the sum over all cuts of the part before the place."""
    sums = [0.0] + [-inf] * len(word)  # logarithms; minus infinity if there is no cut
    for start, end, _, score in steps:
        sums[end] = add_logs(sums[end], sums[start] + score)
    if sums[-1] == -inf:
        raise ValueError(f"no pieces spell {''.join(word)!r}: every character must be a piece")
    return sums


def viterbi(word: Word, scores: Scores) -> Word:
    """Return the cut with the highest score; among equal scores, the longest last piece wins.

    The best cut up to a place ends in some last piece, and before this piece stands the best cut up
    to the place where the piece begins (Viterbi 1967, https://doi.org/10.1109/TIT.1967.1054010).

    >>> viterbi(tuple("lower"), {"l": -4, "o": -4, "w": -4, "lo": -5, "we": -4, "er": -3, "r": -4})
    ('lo', 'w', 'er')
    """
    best = [0.0] + [-inf] * len(word)  # place -> score of the best cut up to there
    last = [""] * (len(word) + 1)  # place -> the last piece of that cut
    for start, end, piece, score in _pieces_of(word, scores):
        reached = best[start] + score
        if reached > best[end]:
            best[end] = reached
            last[end] = piece
    if best[-1] == -inf:
        raise ValueError(f"no pieces spell {''.join(word)!r}: every character must be a piece")
    pieces = []
    end = len(word)
    while end > 0:
        pieces.append(last[end])
        end -= len(last[end])
    return tuple(reversed(pieces))


def sample(word: Word, scores: Scores, chance: Random, sharpness: float = 1.0) -> Word:
    """Return a cut of a word, sampled according to the probabilities of its cuts.

    ``sharpness`` (Kudo's α) multiplies the scores. If it is above 1, the best cut comes more often;
    if it is 0, all cuts come equally often. The last piece is sampled first, then the piece before
    the last, and so on.

    >>> scores = {"l": log(0.25), "o": log(0.25), "lo": log(0.5)}
    >>> Counter(sample(("l", "o"), scores, Random(n)) for n in range(90))
    Counter({('lo',): 80, ('l', 'o'): 10})
    """
    steps = []
    for start, end, piece, score in _pieces_of(word, scores):
        steps.append((start, end, piece, score * sharpness))
    before = _sums_before(word, steps)
    pieces = []
    place = len(word)
    while place > 0:
        shares = {}  # piece that ends here -> its share of all cuts before this place
        for start, end, piece, score in steps:
            if end == place:
                shares[piece] = exp(before[start] + score - before[end])
        (piece,) = chance.choices([*shares], [*shares.values()])
        pieces.append(piece)
        place -= len(piece)
    return tuple(reversed(pieces))


def prune(word_counts: WordCounts, scores: Scores, size: int) -> Scores:
    """Return the ``size`` pieces whose loss would cost most; single characters always stay.

    If a piece is lost, its occurrences are cut in the next best way. The estimated cost is the
    number of times that the piece is expected, times the difference between the score of the piece
    and the score of the next best cut.

    >>> scores = {"l": log(0.2), "o": log(0.2), "s": log(0.2), "lo": log(0.3), "so": log(0.1)}
    >>> list(prune({tuple("lo"): 3, tuple("so"): 1}, scores, 4))
    ['l', 'o', 's', 'lo']
    """
    counts, _ = expected_counts(word_counts, scores)
    losses = {}  # piece of several characters -> the cost of its loss
    others = dict(scores)
    for piece, score in scores.items():
        if len(piece) > 1:
            del others[piece]
            next_best = sum(others[part] for part in viterbi(tuple(piece), others))
            losses[piece] = counts[piece] * (score - next_best)
            others[piece] = score
    characters = {piece for piece in scores if len(piece) == 1}
    room = max(size - len(characters), 0)
    kept = characters | set(_highest_first(losses)[:room])
    return {piece: score for piece, score in scores.items() if piece in kept}
