"""Exercises of notebook 09: the longest match, a score, the best cut, expected counts."""

import math
from itertools import combinations

from bpe_teach.exercises.exercise import Function, Hunt, Value
from bpe_teach.exercises.record import record as record
from bpe_teach.variants.wordpiece import longest_match as _longest_match_of_the_package

# WordPiece: the longest match.


def solve_longest_match(word, vocab):
    pieces = []
    start = 0
    while start < len(word):
        mark = "##" if start else ""
        end = len(word)
        while end > start and mark + word[start:end] not in vocab:
            end -= 1
        if end == start:
            return ("[UNK]",)
        pieces.append(mark + word[start:end])
        start = end
    return tuple(pieces)


def _match_by(list_ends, word, vocab, mark="##"):
    """Cut as above, but try the ends of a piece in the order of ``list_ends(start, length)``."""
    pieces = []
    start = 0
    while start < len(word):
        before = mark if start else ""
        ends = list_ends(start, len(word))
        end = next((end for end in ends if before + word[start:end] in vocab), None)
        if end is None:
            return ("[UNK]",)
        pieces.append(before + word[start:end])
        start = end
    return tuple(pieces)


def _match_without_marks(word, vocab):
    return _match_by(lambda start, length: range(length, start, -1), word, vocab, mark="")


def _match_shortest(word, vocab):
    return _match_by(lambda start, length: range(start + 1, length + 1), word, vocab)


def _match_with_holes(word, vocab):
    pieces = []
    start = 0
    while start < len(word):
        mark = "##" if start else ""
        end = len(word)
        while end > start and mark + word[start:end] not in vocab:
            end -= 1
        if end == start:
            pieces.append("[UNK]")
            start += 1
        else:
            pieces.append(mark + word[start:end])
            start = end
    return tuple(pieces)


def _match_until_a_hole(word, vocab):
    pieces = _match_with_holes(word, vocab)
    if "[UNK]" in pieces:
        pieces = pieces[: pieces.index("[UNK]") + 1]
    return pieces


def _match_longest_but_one(word, vocab):
    return _match_by(lambda start, length: range(length - 1, start, -1), word, vocab)


def _match_going_back(word, vocab, mark=""):
    for end in range(len(word), 0, -1):
        piece = mark + word[:end]
        if piece in vocab and end == len(word):
            return (piece,)
        if piece in vocab:
            rest = _match_going_back(word[end:], vocab, "##")
            if rest != ("[UNK]",):
                return (piece, *rest)
    return ("[UNK]",)


LOWER = ["l", "lo", "low", "e", "er", "##o", "##w", "##e", "##r", "##er", "##wer"]


def _draw_match(chance):
    word = "".join(chance.choices("ab", k=chance.randint(1, 6)))
    vocab = ["a", "b"]
    for _ in range(6):
        piece = "".join(chance.choices("ab", k=chance.randint(1, 3)))
        vocab.append(chance.choice(["", "##"]) + piece)
    return (word, vocab)


longest_match = Function(
    "write longest_match(word, vocab): cut a word (a str) from left to right, always taking the "
    "longest piece in vocab that fits. All pieces but the first begin with ##. Return a tuple of "
    'pieces; if nothing fits at some place, return ("[UNK]",).',
    solve_longest_match,
    [
        (("lower", LOWER), ("low", "##er")),
        (("low", LOWER), ("low",)),
        (("lowwer", LOWER), ("low", "##wer")),
        (("slow", LOWER), ("[UNK]",)),
        (("lows", LOWER), ("[UNK]",)),
    ],
    [
        (_match_without_marks, "inside a word, look up each piece with ## in front."),
        (_match_shortest, "that takes the shortest piece that fits."),
        (_match_with_holes, "where nothing fits, the whole word is unknown, not just one letter."),
        (
            _match_until_a_hole,
            "where nothing fits, the whole word is unknown, even the pieces before that place.",
        ),
        (_match_longest_but_one, "the longest piece may reach to the end of the word."),
        (
            _match_going_back,
            "that goes back and tries a shorter piece. Here the longest piece that fits is never "
            "taken back, even if nothing fits after it.",
        ),
    ],
    draw=_draw_match,
    hints=[
        "keep two places, start and end; begin with end at the end of the word, and move it left.",
        "when you have found a piece, the next one starts where it ended; from then on, add ## in "
        "front.",
    ],
)


def _longest_match_spells(word, vocab):
    return solve_longest_match(word, vocab) != ("[UNK]",)


def _every_cut(word):
    """List all ways to cut a word, whatever the vocabulary."""
    cuts = []
    places = range(1, len(word))
    for number in range(len(word)):
        for ends in combinations(places, number):
            borders = [0, *ends, len(word)]
            cut = [word[start:end] for start, end in zip(borders, borders[1:], strict=False)]
            cuts.append(cut)
    return cuts


def _can_be_spelled(word, vocab):
    if not isinstance(word, str) or not 0 < len(word) < 12:
        raise ValueError("the word must be a str of 1 to 11 characters, such as 'low'")
    for first, *rest in _every_cut(word):
        if first in vocab and all("##" + piece in vocab for piece in rest):
            return True
    for cut in _every_cut(word):
        if all(piece in vocab for piece in cut):
            raise ValueError("a piece inside a word must have ## in front")
    return False


dead_end = Hunt(
    "find a word and a vocabulary (a list) for which the longest match gives [UNK] although the "
    'pieces could spell the word. Hand them over in this way: check("low", ["l", "##o", "##w"]).',
    _longest_match_spells,
    _can_be_spelled,
    ("abc", ["a", "ab", "##bc"]),
    call="can longest_match({}) spell the word? It",
    hints=[
        "the longest first piece must leave a rest that no piece fits.",
        "three letters are enough, with a first piece of one letter that works and a longer one "
        "that doesn't.",
    ],
)

# WordPiece: the score.


def solve_best_pair(pair_counts, symbol_counts):
    def score(pair):
        left, right = pair
        return pair_counts[pair] / (symbol_counts[left] * symbol_counts[right])

    return max(pair_counts, key=score)


def _best_most_frequent(pair_counts, symbol_counts):
    return max(pair_counts, key=pair_counts.get)


def _best_by(score):
    """Make a function that chooses by another score, of the counts of pair, left and right."""

    def best(pair_counts, symbol_counts):
        def score_of(pair):
            return score(pair_counts[pair], *(symbol_counts[symbol] for symbol in pair))

        return max(pair_counts, key=score_of)

    return best


def _judge_pair(result, pair_counts, symbol_counts):
    if result not in pair_counts:
        return "That is not one of the pairs."

    def score(pair):
        return pair_counts[pair] / (symbol_counts[pair[0]] * symbol_counts[pair[1]])

    best = solve_best_pair(pair_counts, symbol_counts)
    if score(result) < score(best):
        return f"The score of {best} is higher: {score(best):.4f}, not {score(result):.4f}."
    return ""


HUG_PAIRS = {
    ("h", "##u"): 15,
    ("##u", "##g"): 20,
    ("p", "##u"): 17,
    ("##u", "##n"): 16,
    ("b", "##u"): 4,
    ("##g", "##s"): 5,
}
HUG_SYMBOLS = {"h": 15, "p": 17, "b": 4, "##u": 36, "##g": 20, "##n": 16, "##s": 5}
SHORT_PAIRS = {("a", "##b"): 6, ("a", "##c"): 4, ("d", "##b"): 2}
SHORT_SYMBOLS = {"a": 10, "d": 40, "##b": 8, "##c": 4}


def _draw_pairs(chance):
    symbol_counts = {symbol: chance.randint(10, 99) for symbol in ("a", "b", "##c", "##d")}
    pair_counts = {}
    for left in ("a", "b"):
        for right in ("##c", "##d"):
            pair_counts[left, right] = chance.randint(1, 9)
    return (pair_counts, symbol_counts)


best_pair = Function(
    "write best_pair(pair_counts, symbol_counts): return the pair with the highest score. The "
    "score of a pair is its count, divided by the product of the counts of its two symbols.",
    solve_best_pair,
    [((HUG_PAIRS, HUG_SYMBOLS), ("##g", "##s")), ((SHORT_PAIRS, SHORT_SYMBOLS), ("a", "##c"))],
    [
        (_best_most_frequent, "that is the most frequent pair, the choice of BPE."),
        (
            _best_by(lambda both, left, right: both / (left + right)),
            "that divides by the sum of the two counts, not by their product.",
        ),
        (_best_by(lambda both, left, right: both / left), "that divides by the left count only."),
        (_best_by(lambda both, left, right: both / right), "that divides by the right count only."),
        (
            _best_by(lambda both, left, right: both / left * right),
            "a / b * c divides by b and then multiplies by c. Put the product in brackets.",
        ),
        (
            _best_by(lambda both, left, right: both // (left * right)),
            "// rounds down, and all scores are 0. Divide with a single /.",
        ),
        (_best_by(lambda both, left, right: -both / (left * right)), "that is the lowest score."),
    ],
    draw=_draw_pairs,
    judge=_judge_pair,
    hints=["max takes a key, a function that gives each pair its score."],
)

folk_tokens = Value(
    "BPE splits the second story, of 12,104 characters, into 4,408 tokens. The formula learns as "
    "many entries from the same story as BPE did. Into how many tokens does it split the second "
    "story?",
    "double",
    [
        (
            "fewer",
            "a score looks cleverer than a count. But look at the pieces it learned first: how "
            "often will a new text use them?",
        ),
        ("same", "pairs that attract each other may be rare, and only frequent ones save much."),
    ],
    choices={
        "fewer": "clearly fewer than 4,408",
        "same": "about as many, ten per cent more or less",
        "double": "more than twice as many",
    },
    because="the entries are spent on pairs that hardly ever occur.",
    hints=["what is the score of two symbols that occur once, side by side?"],
)

saved_bits = Value(
    "among 1,024 symbols, a and b occur 128 times each, and b comes right after a 64 times. How "
    "many bits does the merge of (a, b) save? A symbol that occurs n times takes log2(1024 / n) "
    "bits.",
    128,
    [
        (2, "that is what each place saves; there are 64 of them."),
        (6, "that is one pair before the merge: 3 bits for a, 3 for b. And after it?"),
        (4, "that is one pair after the merge. What did it take before?"),
        (256, "that is what the 64 pairs take after the merge."),
        (384, "that is what the 64 pairs take before the merge."),
        (64, "that is how often it happens. How much is saved each time?"),
    ],
    because="at each place, 3 + 3 bits become log2(1024 / 64) = 4. That saves 2 bits, 64 times.",
    within=0.001,
    hints=[
        "how many bits do a and b take, side by side? And how many a symbol that occurs 64 times?"
    ],
)

# Unigram.

best_of_three = Value(
    "the scores are lo −3, w −4, l −5, ow −3, o −5. Which cut of low is the most probable? Write "
    "its pieces with spaces between them.",
    "lo w",
    [
        ("l ow", "its score is −5 − 3 = −8."),
        ("l o w", "its score is −5 − 5 − 4 = −14: each further piece makes a cut less probable."),
        ("low", "low is not one of the pieces."),
    ],
    because="−3 − 4 = −7, and the others have −8 and −14. The nearer to zero a score is, the more "
    "probable the cut.",
    hints=["add up the scores of the pieces of each cut."],
)

cuts_of_ten = Value(
    "in how many ways can you cut a word of ten letters, if each part of it is a piece?",
    512,
    [
        (1024, "between ten letters there are nine gaps, not ten."),
        (55, "that is the number of its parts. A cut is a choice of places."),
        (45, "that is the number of its parts of two or more letters."),
        (10, "at each gap there is a choice, and the choices multiply."),
        (9, "that is the number of gaps. Each of them is either cut or not."),
        (18, "the choices at the nine gaps multiply; don't add them."),
        (511, "not cutting at all is one of the ways."),
    ],
    because="each of the nine gaps is cut or not: 2 to the power of 9.",
    hints=["how many ways are there for two letters, for three, for four?"],
)


def solve_viterbi(word, scores):
    best = {0: (0, ())}  # place -> (score, pieces) of the best cut of what comes before it
    for end in range(1, len(word) + 1):
        for start in range(end):
            piece = word[start:end]
            if piece in scores and start in best:
                score, pieces = best[start]
                score = score + scores[piece]
                if end not in best or score > best[end][0]:
                    best[end] = (score, (*pieces, piece))
    return best[len(word)][1]


def _take_the_highest(word, scores):
    pieces = []
    start = 0
    while start < len(word):
        ends = [end for end in range(start + 1, len(word) + 1) if word[start:end] in scores]
        end = max(ends, key=lambda end: scores[word[start:end]])
        pieces.append(word[start:end])
        start = end
    return tuple(pieces)


def _take_the_longest(word, scores):
    return _longest_match_of_the_package(word, scores, prefix="")


def _take_the_fewest(word, scores):
    return solve_viterbi(word, dict.fromkeys(scores, -1))


def _take_the_least_probable(word, scores):
    return solve_viterbi(word, {piece: -score for piece, score in scores.items()})


def _take_the_best_average(word, scores):
    return max(
        (tuple(cut) for cut in _every_cut(word) if all(piece in scores for piece in cut)),
        key=lambda cut: sum(scores[piece] for piece in cut) / len(cut),
    )


def _take_the_best_product(word, scores):
    return max(
        (tuple(cut) for cut in _every_cut(word) if all(piece in scores for piece in cut)),
        key=lambda cut: math.prod(scores[piece] for piece in cut),
    )


def _take_backwards(word, scores):
    return solve_viterbi(word, scores)[::-1]


def _judge_cut(result, word, scores):
    if not all(isinstance(piece, str) for piece in result):
        return "A cut must be a tuple of pieces, each a str."
    if "".join(result) != word or not all(piece in scores for piece in result):
        return "The pieces must spell the word, and each must have a score."
    best = solve_viterbi(word, scores)
    wanted = sum(scores[piece] for piece in best)
    got = sum(scores[piece] for piece in result)
    if got < wanted - 1e-9:
        return f"Its score is {got}; {best} has {wanted}."
    return ""


LOW_SCORES = {"l": -5, "o": -5, "w": -4, "e": -4, "r": -4, "lo": -3, "ow": -3, "wer": -9, "er": -3}
TRAP_SCORES = {"a": -1, "b": -9, "c": -2, "ab": -3, "bc": -8}


def _draw_scores(chance):
    word = "".join(chance.choices("abc", k=chance.randint(1, 6)))
    scores = {letter: -chance.randint(3, 9) for letter in "abc"}
    for _ in range(6):
        piece = "".join(chance.choices("abc", k=chance.randint(2, 4)))
        scores[piece] = -chance.randint(3, 15)
    return (word, scores)


viterbi = Function(
    "write viterbi(word, scores): return the cut of a word (a str) with the highest sum of scores, "
    "as a tuple of pieces. scores is a dictionary {piece: score}; every letter is a piece.",
    solve_viterbi,
    [
        (("low", LOW_SCORES), ("lo", "w")),
        (("abc", TRAP_SCORES), ("ab", "c")),
        (("lower", LOW_SCORES), ("lo", "w", "er")),
        (("r", LOW_SCORES), ("r",)),
    ],
    [
        (_take_the_highest, "that takes the best piece at each place, whatever comes after it."),
        (_take_the_longest, "that takes the longest piece at each place. Scores decide here."),
        (_take_the_fewest, "that takes as few pieces as possible. Their scores decide here."),
        (
            _take_the_least_probable,
            "that is the cut with the lowest sum. Scores are negative, so the highest sum is "
            "nearest to zero.",
        ),
        (_take_the_best_average, "that divides by the number of pieces. Here the sum decides."),
        (_take_the_best_product, "scores are logarithms: add them, don't multiply."),
        (_take_backwards, "the pieces are in reverse order."),
    ],
    draw=_draw_scores,
    judge=_judge_cut,
    hints=[
        "for each place of the word, keep the best cut of what comes before it, with its score.",
        "the best cut up to a place ends in some last piece. What comes before that piece is cut "
        "in the best way too. Try all last pieces.",
        "begin with best = {0: (0, ())}. Then go through every end from 1 on, and every start "
        "before it.",
    ],
)


def _best_cut(word, scores):
    if not isinstance(word, str) or not 0 < len(word) < 12:
        raise ValueError("the word must be a str of 1 to 11 characters, such as 'low'")
    if not set(word) <= set(scores) or max(scores.values()) > 0:
        raise ValueError("every letter needs a score, and no score may be above zero")
    cut = solve_viterbi(word, scores)
    return sum(scores[piece] for piece in cut)


def _score_of_highest_first(word, scores):
    cut = _take_the_highest(word, scores)
    return sum(scores[piece] for piece in cut)


highest_first = Hunt(
    "find a word and scores for which taking the piece with the highest score, place by place, "
    'misses the highest sum. Hand them over in this way: check("low", {"l": -5, "o": -5, "w": -4, '
    '"lo": -3}).',
    _score_of_highest_first,
    _best_cut,
    ("ab", {"a": 0, "b": -2, "ab": -1}),
    call="the sum for highest_first({})",
    hints=[
        "the first piece must look good, but the rest must cost a lot.",
        "let the piece with both letters cost a little more than the first letter alone.",
    ],
)


def solve_expect(cuts):
    total = sum(cuts.values())
    counts = {}
    for cut, probability in cuts.items():
        for piece in cut:
            counts[piece] = counts.get(piece, 0) + probability / total
    return counts


def _expect_without_shares(cuts):
    counts = {}
    for cut, probability in cuts.items():
        for piece in cut:
            counts[piece] = counts.get(piece, 0) + probability
    return counts


def _expect_each_once(cuts):
    total = sum(cuts.values())
    counts = {}
    for cut, probability in cuts.items():
        for piece in set(cut):
            counts[piece] = counts.get(piece, 0) + probability / total
    return counts


def _expect_the_best(cuts):
    counts = {}
    for piece in max(cuts, key=cuts.get):
        counts[piece] = counts.get(piece, 0) + 1.0
    return counts


def _expect_among_pieces(cuts):
    counts = _expect_without_shares(cuts)
    total = sum(counts.values())
    return {piece: count / total for piece, count in counts.items()}


def _expect_all_equally(cuts):
    counts = {}
    for cut in cuts:
        for piece in cut:
            counts[piece] = counts.get(piece, 0) + 1 / len(cuts)
    return counts


def _judge_counts(result, cuts):
    right = solve_expect(cuts)
    for piece in right:
        if piece not in result:
            return f"The piece {piece!r} is missing."
        if not math.isclose(result[piece], right[piece], abs_tol=1e-3):
            return f"The piece {piece!r} is expected {right[piece]:.3f} times."
    extra = [piece for piece in result if piece not in right]
    return f"The piece {extra[0]!r} is in no cut." if extra else ""


def _draw_cuts(chance):
    cuts = {}
    for _ in range(3):
        cut = tuple(chance.choices(["a", "b", "ab"], k=chance.randint(1, 3)))
        cuts[cut] = chance.randint(1, 9) / 16
    return (cuts,)


expect = Function(
    "write expect(cuts): cuts is a dictionary {cut: probability} of all the cuts of a word, each "
    "a tuple of pieces. Draw one of the cuts: how often do you expect each piece in it? Return "
    "{piece: number}. The probabilities don't add up to 1, because other words have cuts too: "
    "divide by their sum.",
    solve_expect,
    [
        (({("lo", "w"): 0.03, ("l", "ow"): 0.01},), {"lo": 0.75, "w": 0.75, "l": 0.25, "ow": 0.25}),
        (({("a", "a"): 0.25, ("aa",): 0.25},), {"a": 1.0, "aa": 0.5}),
    ],
    [
        (_expect_without_shares, "divide the probabilities by their sum."),
        (
            _expect_among_pieces,
            "divide by the sum over the cuts, not over the pieces: one cut is drawn, with all its "
            "pieces.",
        ),
        (_expect_each_once, "a piece that is in a cut twice counts twice."),
        (_expect_the_best, "this counts only the best cut. All cuts count, each by its share."),
        (_expect_all_equally, "this counts all cuts equally, whatever their probability."),
    ],
    draw=_draw_cuts,
    judge=_judge_counts,
    hints=[
        "first add up all probabilities. Then go through the cuts, and through the pieces of each "
        "cut.",
        "for each piece of a cut, add the probability of the cut, divided by the sum.",
    ],
)

# Which is better?

fewest_for_the_manual = Value(
    "with 1,000 entries each, Unigram needs the fewest tokens for the story that all three "
    "learned from, and for the second story. Which of the three needs the fewest for the manual?",
    "BPE",
    [
        ("Unigram", "it chose all its pieces for the story. How many of them will a manual use?"),
        (
            "WordPiece",
            "it spends entries on both forms of each piece, with ## and without, and its score "
            "prefers rarer pairs.",
        ),
    ],
    choices={
        "BPE": "BPE, which merges what is most frequent",
        "WordPiece": "WordPiece, which takes the longest piece that fits",
        "Unigram": "Unigram, which can take pieces away again",
    },
    because="what is best for one text need not be best for another. The second story has the "
    "same author as the first.",
    hints=["what does the manual have in common with the story? And the second story?"],
)

on_clean_text = Value(
    "one counter of order 2 is trained on cuts drawn at random, another on the best cuts. Which "
    "of them needs fewer bits for the second story in its best cuts?",
    "best",
    [
        (
            "drawn",
            "papers do recommend drawn cuts. But the second story is cut in the best way, and the "
            "other counter has seen nothing else.",
        ),
        ("same", "drawn cuts contain pieces that the best cuts hardly use, and those cost bits."),
    ],
    choices={
        "best": "the one that was trained on the best cuts",
        "drawn": "the one that was trained on drawn cuts",
        "same": "there is no difference to speak of",
    },
    because="the test looks just like the training. That is true for the second story; look at "
    "the other texts before you conclude anything.",
    hints=["how is the second story cut in the test?"],
)

any_cut = Value(
    "a third counter reads the best cuts, but cuts one word in twenty in any way, all ways "
    "equally likely. On mistyped text, does that help as much as drawing every cut by its "
    "probability?",
    "yes",
    [
        ("less", "why? Which of the two shows the counter more of the possible cuts?"),
        ("not", "this counter meets small pieces side by side too, as a mistyped word has them."),
    ],
    choices={
        "yes": "about as much, or more",
        "less": "it helps, but clearly less",
        "not": "it does not help: such cuts are just noise",
    },
    because="so it isn't the probabilities that help. With as many tokens to read, the counter "
    "meets more of the pieces that the best cuts hardly use.",
    hints=["how many of the 198 cuts of lamplighter came up in 500 draws?"],
)

# One vocabulary, several encoders.

mismatch = Value(
    "a counter was trained on the tokens that the merges make. Now cut the second story into the "
    "fewest tokens of the same vocabulary. How many bits does it take, compared with that story "
    "cut by the merges?",
    "more",
    [
        ("fewer", "there are fewer tokens, but the counter has not seen them in this order."),
        ("same", "many cuts are the same, but the others surprise the counter."),
    ],
    choices={
        "fewer": "fewer, since there are fewer tokens",
        "same": "as many, give or take two in a thousand",
        "more": "more",
    },
    because="a model expects the cuts that it was trained on.",
    hints=["what has the counter learned: characters, or which token follows which?"],
)
