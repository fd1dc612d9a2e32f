"""Byte pair encoding in plain Python, and the protocol of the conformance kit.

Standard library only. Run it: bpe-teach conform -- python bpe.py
"""

import codecs
import json
import sys
import unicodedata
from itertools import pairwise


def count_pairs(words):
    """Count the pairs of neighbours in words [(symbols, how often), ...]."""
    counts = {}
    for symbols, times in words:
        for pair in pairwise(symbols):
            counts[pair] = counts.get(pair, 0) + times
    return counts


def merge(symbols, pair, new):
    """Replace a pair by a new symbol, from left to right."""
    merged = []
    i = 0
    while i < len(symbols):
        if i + 1 < len(symbols) and (symbols[i], symbols[i + 1]) == pair:
            merged.append(new)
            i += 2
        else:
            merged.append(symbols[i])
            i += 1
    return merged


def learn(words, num_merges, choose, make):
    """Merge the best pair again and again. make(pair, rank) is the new symbol."""
    pairs = []
    while len(pairs) < num_merges:
        counts = count_pairs(words)
        if not counts:
            break
        most = max(counts.values())
        best = choose([pair for pair in counts if counts[pair] == most])
        new = make(best, len(pairs))
        words = [(merge(symbols, best, new), times) for symbols, times in words]
        pairs.append(best)
    return pairs


def apply(symbols, ranks, make):
    """Merge the pair of lowest rank, the leftmost of equals, until no pair has a rank."""
    symbols = list(symbols)
    while True:
        found = []
        for i, pair in enumerate(pairwise(symbols)):
            if pair in ranks:
                found.append((ranks[pair], i))
        if not found:
            return symbols
        rank, i = min(found)
        symbols[i : i + 2] = [make((symbols[i], symbols[i + 1]), rank)]


# Text to words, as GPT-2 cuts it.


def kind(character):
    """Return L for a letter, N for a number, S for white space, "" for anything else."""
    if character.isspace() and not "\x1c" <= character <= "\x1f":
        return "S"
    category = unicodedata.category(character)[0]
    return category if category in "LN" else ""


def cut(text):
    """Cut a text into contractions, runs of letters, of numbers, of signs, of white space."""
    words = []
    i = 0
    while i < len(text):
        found = [ending for ending in CONTRACTIONS if text.startswith(ending, i)]
        first = i + 1 if text[i] == " " else i  # a space belongs to the word after it
        if found:
            end = i + len(found[0])
        elif first < len(text) and kind(text[first]) != "S":
            end = end_of_run(text, first)
        else:
            end = end_of_run(text, i)
            if end < len(text) and end - i > 1:
                end -= 1  # the last one may belong to the next word
        words.append(text[i:end])
        i = end
    return words


def end_of_run(text, i):
    """Return where the run of characters of one kind that begins at i ends."""
    end = i
    while end < len(text) and kind(text[end]) == kind(text[i]):
        end += 1
    return end


CONTRACTIONS = ["'s", "'d", "'m", "'t", "'ll", "'ve", "'re"]


def cut_at(text, names):
    """Cut a text at special tokens, the longest first; they are parts, too."""
    parts = []
    start = i = 0
    while i < len(text):
        found = [name for name in names if text.startswith(name, i)]
        if found:
            name = max(found, key=len)
            parts += [text[start:i], name]
            start = i = i + len(name)
        else:
            i += 1
    return [part for part in [*parts, text[start:]] if part]


# What can be asked.


def token_table(merges, special=None):
    """Return {id: bytes}."""
    table = {i: bytes([i]) for i in range(256)}
    for rank, (left, right) in enumerate(merges):
        table[256 + rank] = table[left] + table[right]
    for name, i in (special or {}).items():
        table[i] = name.encode("utf-8")
    return table


def train(text, split, merges, ties="first", special=()):
    """Learn merges from a text."""
    words = {}
    for part in cut_at(text, special):
        if part not in special:
            for word in cut(part) if split == "gpt2" else [part]:
                words[word] = words.get(word, 0) + 1
    words = [(list(word.encode("utf-8")), times) for word, times in words.items()]
    table = token_table([])
    rules = {
        "any": lambda pairs: pairs[0],
        "first": lambda pairs: pairs[0],
        "lowest_id": min,
        "greatest": lambda pairs: max(pairs, key=lambda pair: (table[pair[0]], table[pair[1]])),
    }

    def make(pair, rank):
        table[256 + rank] = table[pair[0]] + table[pair[1]]
        return 256 + rank

    OWN["merges"] = learn(words, merges, rules[ties], make)
    return OWN


def encode(text, split, merges, special=None, allow=()):
    """Turn a text into ids."""
    ranks = {}
    for rank, pair in enumerate(merges):
        ranks.setdefault(tuple(pair), rank)
    ids = []
    for part in cut_at(text, allow):
        if part in allow:
            ids.append(special[part])
            continue
        for word in cut(part) if split == "gpt2" else [part]:
            ids += apply(word.encode("utf-8"), ranks, lambda pair, rank: 256 + rank)
    return {"ids": ids}


def decode(ids, merges, special=None):
    """Turn ids into a text."""
    table = token_table(merges, special)
    return {"text": b"".join(table[i] for i in ids).decode("utf-8", errors="replace")}


def train_words(words, merges, ties="first"):
    """Learn merges from words [[symbols, how often], ...]."""
    rules = {"any": max, "first": lambda pairs: pairs[0], "greatest": max}
    return {"merges": learn(words, merges, rules[ties], lambda pair, rank: pair[0] + pair[1])}


def encode_word(word, merges):
    """Cut a word."""
    ranks = {}
    for rank, pair in enumerate(merges):
        ranks.setdefault(tuple(pair), rank)
    return {"tokens": apply(word, ranks, lambda pair, rank: pair[0] + pair[1])}


def encode_stream(pieces, **others):
    """Turn pieces of a text into ids."""
    return encode("".join(pieces), **others)  # simple, and right: nothing is known before the end


def decode_stream(ids, merges, special=None):
    """Say what can be shown after each id."""
    table = token_table(merges, special)
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    return {"pieces": [decoder.decode(table[i]) for i in ids] + [decoder.decode(b"", True)]}


OWN = {"merges": []}  # what was learned last


def encode_own(text, split=None, special=None, allow=()):
    """Turn a text into ids, with what was learned last."""
    return encode(text, split, OWN["merges"], special, allow)


def decode_own(ids):
    """Turn ids into a text, with what was learned last."""
    return decode(ids, OWN["merges"])


KNOWN = [train, encode, decode, encode_own, decode_own, train_words, encode_word]
KNOWN += [encode_stream, decode_stream]


def main():
    """Answer requests until there are no more."""
    sys.stdin.reconfigure(encoding="utf-8")
    known = {function.__name__: function for function in KNOWN}
    for line in sys.stdin:
        request = json.loads(line)
        number = request.pop("id")
        do = request.pop("do")
        if do not in known:
            answer = {"skip": f"{do} is not offered"}
        else:
            try:
                answer = known[do](**request)
            except Exception as error:
                answer = {"error": repr(error)}
        print(json.dumps({"id": number, **answer}), flush=True)


if __name__ == "__main__":
    main()
