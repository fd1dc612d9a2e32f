"""Whole programs with one slip each: their answers name the fault of somebody else's program.

A plain program is put together from the solutions of notebooks 01 to 04, and one part of it is
replaced by a slip of the exercises. So the exercises and the conformance kit, which tests programs
in any language, know the same slips. A few slips here are of whole programs and in no exercise.
"""

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import chain
from types import SimpleNamespace
from typing import NamedTuple

from bpe_teach.exercises import byte_level, char_bpe, rank_based_encoding, word_boundaries
from bpe_teach.exercises import misconception_lab as lab

FIRST = 256  # the character that stands for byte 0
LEAST = 1 / 3  # a slip that is named must explain this share of the failing cases of a group
MOST_WORDS = 1000  # that are put into a bag one by one


@dataclass(frozen=True, eq=False)
class Slip:
    """A misconception: its name, what is wrong, and the notebook that explains it."""

    name: str
    why: str
    notebook: str
    parts: Mapping[str, object]  # what it changes in the plain program


# The plain program. A byte is held as a character, because the slips are written for characters.
# None of these characters is white space, and they are in the order of the bytes.


def _count(words: list, parts: SimpleNamespace, counts: dict) -> dict:
    """Return the counts, after adding how often each pair occurs in words with their counts."""
    for word, times in words:
        for pair, places in parts.count(word).items():
            counts[pair] = counts.get(pair, 0) + times * places
    return counts


def _learn(words: list, num_merges: int, choose: Callable, parts: SimpleNamespace) -> list:
    """Return merges (left, right, count), learned from words with their counts."""
    merges = []
    counts = {}
    while len(merges) < num_merges:
        counts = _count(words, parts, counts if parts.keep_counts else {})
        if not counts:
            break
        pair = choose(counts)
        merges.append((*pair, counts[pair]))
        words = [(parts.merge(word, pair), times) for word, times in words]
    return merges


def _show_stream(tokens: list[bytes], errors: str = "replace") -> list[str]:
    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    return [*map(decoder.decode, tokens), decoder.decode(b"", final=True)]


def _decode_marking_each_byte(ids: list[int], vocab: dict) -> str:
    text = b"".join(vocab[i] for i in ids).decode("utf-8", "surrogateescape")
    return re.sub(
        "[\udc80-\udcff]", "\ufffd", text
    )  # each stands for a byte that is in no character


def _of_equals(key: Callable) -> Callable:
    """Return a rule for ties: among the most frequent pairs, the one with the greatest key."""
    return lambda counts, ids: max(counts, key=lambda pair: (counts[pair], key(pair, ids)))


PLAIN = {
    "first_ids": lab.solve_first_ids,
    "split": byte_level.solve_split_text,
    "split_new": None,  # splits the text to encode, if not as the training text is split
    "bag": word_boundaries.solve_bag_of_words,
    "count": char_bpe.solve_count_pairs,
    "first": lambda counts: max(counts, key=counts.get),
    "greatest": _of_equals(lambda pair, ids: pair),
    "lowest_id": _of_equals(lambda pair, ids: (-ids[pair[0]], -ids[pair[1]])),
    "keep_counts": False,  # of the round before
    "learn": _learn,
    "merge": char_bpe.solve_merge,
    "encode": rank_based_encoding.solve_encode,
    "vocab": dict,
    "decode": byte_level.solve_decode,
    "split_at": byte_level.solve_split_at,
    "recognized": lambda special, allow: [name for name in special if name in allow],
    "learned": lambda parts, special: [part for part in parts if part not in special],
    "rejoin": lambda pieces: ["".join(pieces)],
    "show_stream": _show_stream,
}


class _Answers:
    """The plain program with some parts replaced; one method for each request."""

    def __init__(self, parts: Mapping[str, object]):
        self.parts = SimpleNamespace(**{**PLAIN, **parts})

    def train_words(self, words, merges, ties="first"):
        words = [(tuple(word), times) for word, times in words]
        if sum(times for _, times in words) <= MOST_WORDS:
            words = self.parts.bag([word for word, times in words for _ in range(times)]).items()
        return {"merges": [[*pair] for *pair, _ in self._learn(list(words), merges, ties)]}

    def train(self, text, split, merges, ties="first", special=()):
        parts = self.parts.split_at(text, special) if special else [text]
        cut = (lambda part: [part]) if split == "none" else self.parts.split
        words = [word for part in self.parts.learned(parts, special) for word in cut(part)]
        counts = [(self._symbols(word), times) for word, times in self.parts.bag(words).items()]
        ids = _Ids()
        learned = self._learn(counts, merges, ties, ids)
        return {"merges": [[ids[left], ids[right]] for left, right, _ in learned]}

    def _learn(self, words, num_merges, ties, ids=None):
        def choose(counts):
            if ties == "first":
                pair = self.parts.first(counts)
            else:
                pair = getattr(self.parts, ties)(counts, ids)
            if ids is not None:
                ids.setdefault("".join(pair), len(ids) + 256)
            return pair

        return self.parts.learn(words, num_merges, choose, self.parts)

    def encode_word(self, word, merges):
        ranks = {tuple(pair): rank for rank, pair in enumerate(merges)}
        return {"tokens": [*self.parts.encode(tuple(word), ranks)]}

    def encode(self, text, split, merges, special=None, allow=()):
        ids = _Ids()
        ranks = {}
        for rank, pair in enumerate(_pairs(merges)):
            ids.setdefault("".join(pair), 256 + rank)
            ranks[pair] = rank
        names = self.parts.recognized(special or {}, allow)
        cut = (lambda part: [part]) if split == "none" else self.parts.split_new or self.parts.split
        encoded = []
        for part in self.parts.split_at(text, names) if special else [text]:
            if part in names:
                encoded.append(special[part])
                continue
            for word in cut(part):
                encoded.extend(
                    ids[token] for token in self.parts.encode(self._symbols(word), ranks)
                )
        return {"ids": encoded}

    def encode_stream(self, pieces, **given):
        ids = []
        for piece in self.parts.rejoin(pieces):
            ids.extend(self.encode(piece, **given)["ids"])
        return {"ids": ids}

    def decode(self, ids, merges, special=None):
        text = self.parts.decode(ids, self._vocab(merges, special))
        return {"bytes": [*text]} if isinstance(text, bytes) else {"text": text}

    def decode_stream(self, ids, merges, special=None):
        vocab = self._vocab(merges, special)
        return {"pieces": self.parts.show_stream([vocab[i] for i in ids])}

    def _symbols(self, word: str) -> tuple[str, ...]:
        return tuple(chr(FIRST + i) for i in self.parts.first_ids(word))

    def _vocab(self, merges, special) -> dict[int, bytes]:
        tokens = [*map(chr, range(FIRST, FIRST + 256)), *map("".join, _pairs(merges))]
        vocab = {i: bytes(ord(byte) - FIRST for byte in token) for i, token in enumerate(tokens)}
        return self.parts.vocab(vocab | {i: name.encode() for name, i in (special or {}).items()})


class _Ids(dict):
    """The ids of tokens; a byte needs no entry."""

    def __bool__(self) -> bool:
        return True  # even without an entry

    def __missing__(self, token: str) -> int:
        return ord(token) - FIRST  # TypeError for a token that no merge makes


def _pairs(merges: list) -> list[tuple[str, str]]:
    """Return pairs of ids as pairs of tokens, whose characters stand for bytes.

    >>> [pair == (chr(256 + 108), chr(256 + 111)) for pair in _pairs([[108, 111]])]
    [True]
    """
    tokens = [*map(chr, range(FIRST, FIRST + 256))]
    pairs = []
    for left, right in merges:
        pairs.append((tokens[left], tokens[right]))
        tokens.append("".join(pairs[-1]))
    return pairs


# The slips.


def _merging(merge: Callable) -> dict:
    """Return the parts of a program that a faulty merge replaces: it learns and encodes with it."""

    def encode(word, ranks):
        for _ in word:  # a faulty merge may never end
            known = [pair for pair in zip(word, word[1:], strict=False) if pair in ranks]
            if not known:
                break
            word = merge(word, min(known, key=ranks.get))
        return word

    return {"merge": merge, "encode": encode}


def _learning(wrong: Callable) -> dict:
    """Return the part of a program that a faulty loop replaces."""

    def learn(words, num_merges, choose, parts):
        return wrong(words, num_merges, lambda words, n: _learn(words, n, choose, parts))

    return {"learn": learn}


def _learn_without_an_end(words, num_merges, learn):
    merges = learn(words, num_merges)
    if len(merges) < num_merges:
        raise ValueError("the most frequent pair of none")
    return merges


def _learn_counting_once(words, num_merges, choose, parts):
    counts = Counter(_count(words, parts, {}))
    return [(*pair, count) for pair, count in counts.most_common(num_merges)]


def _cutting_out(wrong: Callable) -> dict:
    """Return the part that a faulty split_at replaces, in a program where a name is allowed."""
    if wrong is byte_level._split_at_nothing:
        return {"split_at": wrong}
    return {"split_at": lambda text, names: wrong(text, names) if names else [text]}


def _part(name: str) -> Callable:
    return lambda wrong: {name: wrong}


OF_EXERCISES = [  # exercise, notebook, the parts of a program that its slips replace
    (char_bpe.count_pairs, "01_char_bpe", _part("count")),
    (char_bpe.merge, "01_char_bpe", _merging),
    (char_bpe.learn, "01_char_bpe", lambda wrong: LEARN.get(wrong, {})),
    (word_boundaries.merge_in_a_string, "02_word_boundaries", _merging),
    (word_boundaries.bag_of_words, "02_word_boundaries", _part("bag")),
    (rank_based_encoding.encode, "03_rank_based_encoding", _part("encode")),
    (lab.encode, "further/09b_misconception_lab", _part("encode")),
    (lab.encode_text, "further/09b_misconception_lab", lambda wrong: SPLIT_NEW.get(wrong, {})),
    (lab.first_ids, "further/09b_misconception_lab", _part("first_ids")),
    (byte_level.split_text, "04_byte_level", _part("split")),
    (byte_level.decode, "04_byte_level", _part("decode")),
    (byte_level.split_at, "04_byte_level", _cutting_out),
]
LEARN = {  # slip of notebook 01's loop -> the same slip where words have counts
    char_bpe._learn_counting_once: {"learn": _learn_counting_once},
    char_bpe._learn_keeping_counts: {"keep_counts": True},
    char_bpe._learn_last_of_equals: {"first": char_bpe._last_of_equals},
    char_bpe._learn_greatest_of_equals: {"first": char_bpe._greatest_of_equals},
    char_bpe._learn_smallest_of_equals: {"first": char_bpe._smallest_of_equals},
    char_bpe._learn_without_an_end: _learning(_learn_without_an_end),
    char_bpe._learn_once_too_often: _learning(char_bpe._learn_once_too_often),
    char_bpe._learn_one_merge: _learning(char_bpe._learn_one_merge),
    char_bpe._learn_to_the_end: _learning(char_bpe._learn_to_the_end),
    char_bpe._learn_without_merging: _learning(char_bpe._learn_without_merging),
    char_bpe._learn_only_repeated: _learning(char_bpe._learn_only_repeated),
}
SPLIT_NEW = {
    lab._encode_text_uncut: {"split_new": lambda text: [text]},
    lab._encode_text_1: {"split_new": partial(re.findall, r"\w+|[^\w\s]+|\s+")},
}
LEFT_OUT = {  # meaningless or harmless in a whole program, or the same as another slip
    "count_joined",
    "count_in_the_order_of_a_set",
    "merge_with_join",
    "sloppy_merge",
    "bag_of_letters",
    "encode_with_join",
    "encode_2",
    "encode_last_first",
    "encode_once_each",
    "encode_whole_if_known",
    "decode_to_bytes",
    "split_with_empty_pieces",
    "split_with_several_faults",
    "merge_with_plain_re_sub",
    "merge_with_escaped_re_sub",
    "merge_with_plain_pattern_and_replacement",
    "encode_without_unpacking",
}
# Slips of whole programs, which are in no exercise.
B04, B07, B08 = "04_byte_level", "further/07_fast_bpe", "further/08b_tokenizers_in_use"
OF_PROGRAMS = [
    Slip(
        "ties_always_first",
        "on a tie this takes the pair met first, whatever rule is asked for. Skip a rule that your "
        "program doesn't offer.",
        B07,
        {"greatest": _of_equals(lambda pair, ids: 0), "lowest_id": _of_equals(lambda pair, ids: 0)},
    ),
    Slip(
        "greatest_by_joined_bytes",
        "compare the left tokens first, and the right ones only if the left ones are equal. This "
        "compares the joined tokens.",
        B07,
        {"greatest": _of_equals(lambda pair, ids: "".join(pair))},
    ),
    Slip(
        "greatest_by_utf16",
        "compare tokens by their UTF-8 bytes. In UTF-16, which JavaScript and Java use for texts, "
        "an emoji comes before \uff01.",
        B07,
        {"greatest": _of_equals(lambda pair, ids: [part.encode("utf-16-be") for part in pair])},
    ),
    Slip(
        "greatest_by_id",
        "the greatest pair is the one with the greatest bytes, not the one with the highest ids.",
        B07,
        {
            "greatest": _of_equals(
                lambda pair, ids: pair if ids is None else [ids[part] for part in pair]
            )
        },
    ),
    Slip(
        "lowest_by_bytes",
        "on a tie, take the pair with the lowest ids, not the one with the lowest bytes.",
        B07,
        {"lowest_id": lambda counts, ids: char_bpe._smallest_of_equals(counts)},
    ),
    Slip(
        "special_always",
        "this recognizes a special token that nobody allowed: then anybody can end a document by "
        "typing.",
        B04,
        {"recognized": lambda special, allow: list(special)},
    ),
    Slip(
        "special_never",
        "a special token that is allowed has one id, its own; here it is split like any text.",
        B04,
        {"recognized": lambda special, allow: []},
    ),
    Slip(
        "special_learned",
        "this learns from the text of special tokens: cut the training text there first.",
        B04,
        {"learned": lambda parts, special: ["".join(parts)]},
    ),
    Slip(
        "special_deleted",
        "special tokens are deleted before training, so the texts before and after one become "
        "neighbours: cut the text there.",
        B04,
        {"learned": lambda parts, special: ["".join(p for p in parts if p not in special)]},
    ),
    Slip(
        "special_not_decoded",
        "special tokens have ids too, and each stands for its text.",
        B04,
        {"vocab": lambda vocab: {i: token for i, token in vocab.items() if token[:2] != b"<|"}},
    ),
    Slip(
        "byte_255_missing",
        "a byte has 256 values; range(255) ends with 254.",
        B04,
        {"vocab": lambda vocab: {i: token for i, token in vocab.items() if i != 255}},
    ),
    Slip(
        "unknown_ids_skipped",
        "an id that does not exist is left out silently; it should be an error.",
        B04,
        {"decode": lambda ids, v: byte_level.solve_decode([i for i in ids if i in v], v)},
    ),
    Slip(
        "decode_marking_each_byte",
        "each byte that is in no character becomes a U+FFFD of its own. But bytes that together "
        "begin a character (a maximal subpart) share one.",
        B04,
        {"decode": _decode_marking_each_byte},
    ),
    Slip(
        "pieces_apart",
        "a piece of a stream may end inside a word: what comes next decides its tokens.",
        "further/07b_many_machines",
        {"rejoin": list},
    ),
    Slip(
        "stream_one_by_one",
        "this decodes each id by itself: hold back bytes that may begin a character.",
        B08,
        {"show_stream": lambda tokens: [t.decode("utf-8", "replace") for t in [*tokens, b""]]},
    ),
    Slip(
        "stream_dropping",
        "bytes that are not a character are dropped; they should leave a mark in a stream as well.",
        B08,
        {"show_stream": partial(_show_stream, errors="ignore")},
    ),
]
NAMES = {  # of functions whose names say little
    "encode_1": "encode_in_one_walk",
    "encode_3": "encode_without_rank_0",
    "encode_text_1": "encode_text_cut_otherwise",
    "first_ids_1": "first_ids_of_code_points",
}


def _of_exercises() -> Iterator[Slip]:
    for exercise, notebook, make_parts in OF_EXERCISES:
        for wrong, why in exercise.slips:
            name = wrong.__name__.strip("_")
            if "lambda" in name:  # named by the beginning of its reason
                words = re.findall("[a-z]+", why.lower())
                name = "_".join([exercise.name, *words[:5]])
            parts = make_parts(wrong)
            if name not in LEFT_OUT and parts:
                yield Slip(NAMES.get(name, name), why, notebook, parts)


SLIPS = {slip.name: slip for slip in [*_of_exercises(), *OF_PROGRAMS]}


def answer(request: Mapping, slip: Slip | None = None) -> dict:
    """Return what the plain program answers, or one with a slip.

    >>> answer({"do": "encode_word", "word": ["a", "b"], "merges": [["a", "b"]]})
    {'tokens': ['ab']}
    >>> answer({"do": "decode", "ids": [195], "merges": []}, SLIPS["decode_dropping"])
    {'text': ''}
    """
    program = _Answers(slip.parts if slip else {})
    given = {key: value for key, value in request.items() if key not in ("id", "do")}
    try:
        return getattr(program, request["do"])(**given)
    except Exception as error:  # a slip may fail in any way
        return {"error": f"{type(error).__name__}: {error}"}


# Which slip do the answers of somebody else's program show?


class Finding(NamedTuple):
    """A slip that explains failures in a group of cases."""

    slip: Slip
    cases: set[str]  # their names
    is_sure: bool  # a wrong answer is the slip's; a program may crash for any reason


def find_slips(groups: Mapping[str, Sequence]) -> dict[str, list[Finding]]:
    """Return, for each group of results, the slips that its failures show, the likeliest first.

    A result has a ``case``, its outcome, ``result``, and the answer, ``got``. A case speaks for a
    slip if the slip gives the same wrong answer. It speaks against the slip if it passed, but would
    fail with the slip. Only cases with the same request count; on a tie, all cases do.
    """
    found = {group: [] for group in groups}  # group -> (weight here, weight in all groups, slip)
    for slip in SLIPS.values():
        weights = {one: _weigh(slip, one) for one in chain(*groups.values())}
        in_all = sum(weights.values())
        for group, results in groups.items():
            explained = [one for one in results if weights[one] > 0]
            asked = {one.case.request["do"] for one in explained}
            here = sum(weights[one] for one in results if one.case.request["do"] in asked)
            failed = sum(one.result == "failed" for one in results)
            if here > 0 and len(explained) >= LEAST * failed:
                is_sure = any(_says_the_same(_answer(slip, one.case), one.got) for one in explained)
                finding = Finding(slip, {one.case.name for one in explained}, is_sure)
                found[group].append((here, in_all, finding))
    for rows in found.values():
        rows.sort(key=lambda row: row[:2], reverse=True)
    return {group: [finding for *_, finding in rows] for group, rows in found.items()}


def _weigh(slip: Slip, result) -> int:
    """Return 1 if a result speaks for a slip, -1 if it speaks against it, else 0."""
    given = _answer(slip, result.case)
    if result.result not in ("passed", "failed") or result.case.judge(given) == "passed":
        return 0
    if result.result == "passed":
        return -1
    if "error" in given:  # which may also end a program
        return int("error" in result.got or "stopped" in result.got)
    return int(_says_the_same(given, result.got))


def _says_the_same(given: Mapping, got: Mapping) -> bool:
    """Return whether an answer is the slip's; for errors, whether the names are the same."""
    if "error" in given:
        name, _, _ = given["error"].partition(":")
        return name in str(got.get("error", ""))
    return any(got.get(key, ...) == value for key, value in given.items())


@cache
def _answer(slip: Slip, case) -> dict:
    return answer(case.request, slip)
