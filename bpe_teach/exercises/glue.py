"""What joins the learner's functions into a program, for each notebook; nobody has to write it.

The notebooks show these functions word for word, and `exercises.program` writes them into the
learner's file. Here merges are pairs, in the order of their ranks.
"""

TRAIN = '''\
def train(text, num_merges, min_count=2):
    """Return the merges of a text, as pairs."""
    bag = bag_of_words(split_words(text))
    words = {tuple(word): count for word, count in bag.items()}
    merges = []
    while len(merges) < num_merges:
        totals = {}  # pair -> how often it occurs in all words
        for word, count in words.items():
            for pair, places in count_pairs(word).items():
                totals[pair] = totals.get(pair, 0) + count * places
        best = max(totals, key=totals.get, default=None)
        if best is None or totals[best] < min_count:
            break
        merges.append(best)
        words = {merge(word, best): count for word, count in words.items()}
    return merges
'''

TOKENIZE_BY_REPLAY = '''

def tokenize(text, merges):
    """Return the tokens of a text, word by word."""
    counted = [(left, right, 0) for left, right in merges]  # as encode expects
    tokens = []
    for word in split_words(text):
        tokens += encode(word, counted)
    return tokens
'''

TOKENIZE_BY_RANK = '''

def tokenize(text, merges):
    """Return the tokens of a text, word by word."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens = []
    for word in split_words(text):
        tokens += encode(tuple(word), ranks)
    return tokens
'''

TO_BYTES = '''\
def to_bytes(word):
    """Return the bytes of a word, each of them a symbol."""
    return tuple(bytes([byte]) for byte in word.encode("utf-8"))


'''

IDS = '''

def make_vocab(merges):
    """Return {id: token}: the 256 bytes, then what each merge makes."""
    tokens = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        tokens.append(left + right)
    return dict(enumerate(tokens))


def encode_text(text, merges):
    """Return the ids of the tokens of a text."""
    ids = {token: i for i, token in make_vocab(merges).items()}
    return [ids[token] for token in tokenize(text, merges)]
'''

ON_CHARACTERS = TRAIN + TOKENIZE_BY_RANK
ON_BYTES = ON_CHARACTERS.replace("split_words", "split_text").replace(
    "tuple(word)", "to_bytes(word)"
)

GLUE = {  # notebook -> functions
    "01": "",  # learn and encode are a program
    "02": TRAIN + TOKENIZE_BY_REPLAY,
    "03": ON_CHARACTERS,
    "04": TO_BYTES + ON_BYTES + IDS,
}
