"""Whole: a program learns from small texts, encodes with its own merges, and decodes again.

The cases of the files ask for one thing each. Here a program's own answers are asked on, over two
hundred texts drawn from a seed. What fails is made smaller as long as it still fails.
"""

import json
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise

from bpe_further.conform.cases import FOLDER, Case
from bpe_further.conform.judge import Result, answer_like
from bpe_further.conform.replay import count_distinct, make_vocab

SEED = 1
TEXTS = 200
SHRUNK = 3  # failures of each kind to make smaller
TRIALS = 150  # requests with which to make one smaller
FOUND = json.loads((FOLDER / "whole.json").read_text("utf-8"))
ALPHABETS = FOUND["alphabets"]  # of what the texts are made
NAMES = FOUND["names"]  # of special tokens
ABOUT = FOUND["about"]  # what is asked -> what must hold


def make_questions() -> Iterator[dict]:
    """Yield what to try: a text, how it is split, special tokens, and the number of merges."""
    chance = random.Random(SEED)
    for number in range(TEXTS):
        alphabet = "".join(chance.sample(ALPHABETS, chance.choice([1, 1, 2, 3])))
        names = []
        if number % 4 == 3:
            names = chance.sample(NAMES, chance.choice([1, 2]))
        text = _make_text(chance, number, alphabet, names)
        yield {
            "text": text,
            "split": chance.choice(["none", "gpt2"]),
            "merges": chance.choice([1, 3, 10, 200]),
            "special": {name: 1000 + i for i, name in enumerate(names)},
            "allow": names[: chance.randint(0, 2)],
            "pieces": _cut(chance, text),
        }


def _make_text(chance: random.Random, number: int, alphabet: str, names: list[str]) -> str:
    """Return a text of some parts, which repeat; the first texts are the shortest."""
    parts = []
    for _ in range(4):
        parts.append("".join(chance.choices(alphabet, k=chance.randint(1, 5))))
    parts += [*alphabet.split(), *names]
    few, many = chance.randint(2, 6), chance.randint(5, 25)
    if number == 0:
        return ""
    if number == 1:
        return alphabet[1]
    return "".join(chance.choices(parts, k=few if number == 2 else many))


def _cut(chance: random.Random, text: str) -> list[str]:
    """Return a text in up to five pieces, some of which may be empty."""
    places = sorted(chance.choices(range(len(text) + 1), k=chance.randint(0, 4)))
    borders = [0, *places, len(text)]
    return [text[start:end] for start, end in pairwise(borders)]


def run_whole(ask: Callable[[Case], Result]) -> list[Result]:
    """Ask a program to train, encode and decode what `make_questions` yields."""
    results = []
    failures = dict.fromkeys(ABOUT, 0)
    for number, question in enumerate(make_questions()):
        for result in _ask_on(ask, question, number):
            do = result.case.request["do"]
            if result.result == "failed" and failures[do] < SHRUNK:
                failures[do] += 1
                result = _shrink(ask, result)
            results.append(result)
    return results


def _ask_on(ask: Callable[[Case], Result], question: Mapping, number: int) -> Iterator[Result]:
    """Yield the result of each step; what follows a wrong answer is asked of the right one."""
    text, split, special = question["text"], question["split"], question["special"]
    named = {"special": special} if special else {}
    training = {"do": "train", "text": text, "split": split, "merges": question["merges"]}
    training["ties"] = "any"
    if special:
        training["special"] = [*special]
    trained = ask(_case(training, number))
    yield trained
    right = trained.got if trained.result == "passed" else trained.case.answer
    merges = right["merges"][: count_distinct(right["merges"])]
    encoding = {"do": "encode", "text": text, "split": split, "merges": merges, **named}
    if special:
        encoding["allow"] = question["allow"]
    encoded = ask(_case(encoding, number))
    yield encoded
    pieces = {key: value for key, value in encoding.items() if key != "text"}
    yield ask(_case(pieces | {"do": "encode_stream", "pieces": question["pieces"]}, number))
    ids = encoded.case.answer["ids"]
    if number % 2:  # in another order, where bytes may not make characters
        ids = ids[number % 5 :: 2] + ids[::-3]
    yield ask(_case({"do": "decode", "ids": ids, "merges": merges, **named}, number))


def _case(request: dict, number: int) -> Case:
    """Return a case with the answer of the plain program; the judge replays what is trained."""
    do = request["do"]
    case = Case("whole", f"{do}-{number}", ABOUT[do], request, {})
    right = dict(answer_like(case, {}))  # a copy: others are given the same answer
    if do == "decode":
        vocab = make_vocab(request["merges"], request.get("special", {}))
        right["bytes"] = list(b"".join(vocab[i] for i in request["ids"]))
    return replace(case, answer=right)


def _shrink(ask: Callable[[Case], Result], result: Result) -> Result:
    """Return the failing result of the smallest request that was found."""
    number = int(result.case.name.rpartition("-")[2])
    left = TRIALS
    smaller = _smaller(result.case.request)
    while left > 0 and (request := next(smaller, None)) is not None:
        left -= 1
        tried = ask(_case(request, number))
        if tried.result == "failed" and "silent" not in tried.got:
            result = tried
            smaller = _smaller(request)
    return result


def _smaller(request: Mapping) -> Iterator[dict]:
    """Yield requests that ask for less: halves first, then single characters, ids or merges."""
    key = {"decode": "ids", "encode_stream": "pieces"}.get(request["do"], "text")
    for shorter in _shorter(request[key]):
        yield {**request, key: shorter}
    if key == "pieces":
        for i, piece in enumerate(request["pieces"]):
            for shorter in _shorter(piece):
                pieces = list(request["pieces"])
                pieces[i] = shorter
                yield {**request, "pieces": pieces}
    merges = request["merges"]
    if isinstance(merges, int):
        for fewer in sorted({0, 1, merges // 2} - {merges}):
            yield {**request, "merges": fewer}
        return
    least = 0  # as many as the ids need
    for i in request.get("ids", []):
        if i < 256 + len(merges):
            least = max(least, i - 255)
    for size in (least, len(merges) // 2, len(merges) - 1):
        if least <= size < len(merges):
            yield {**request, "merges": merges[:size]}


def _shorter(items):
    """Yield a text or a list without a half, a quarter … an item of it.

    >>> list(_shorter("abc"))
    ['bc', 'ac', 'ab']
    """
    size = len(items) // 2
    while size > 0:
        for start in range(0, len(items), size):
            yield items[:start] + items[start + size :]
        size //= 2
