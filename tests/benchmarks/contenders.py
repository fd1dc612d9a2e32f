"""Contenders: the texts of the benchmarks, and the same work for this package and for others.

A contender is a function that gets everything ready and returns the work to be timed, so that no
run profits from what an earlier one has cached. Each library is imported where it is used: one that
is missing loses only its rows.
"""

import sysconfig
from collections.abc import Callable, Iterator
from copy import copy
from functools import cache, partial
from itertools import accumulate, chain, takewhile
from pathlib import Path

import regex

from bpe_further import from_gpt2
from bpe_further.exchange.shared import printable_bytes
from bpe_teach import SCHEMES, Tokenizer
from bpe_teach.corpora import load_corpus
from bpe_teach.fast.encode import merge_by_rank
from bpe_teach.fast.patterns import split_fast

MIN_COUNT = 2
BYTES = {character: byte for byte, character in printable_bytes().items()}  # as GPT-2 orders them

Work = Callable[[], object]


@cache
def python_source(characters: int) -> str:
    """Join the Python files of the standard library, then of the installed packages, to a size.

    What is no UTF-8 is left out. The text is shorter if there is not as much.
    """
    texts = list(source_files())
    ends = accumulate(map(len, texts), initial=0)  # where each text begins
    needed = sum(1 for _ in takewhile(lambda begin: begin < characters, ends))
    return "".join(texts[:needed])[:characters]


def source_files() -> Iterator[str]:
    """Yield the text of every Python file once, in the order of the sorted paths."""
    library, packages = (Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib"))
    own = (file for file in sorted(library.rglob("*.py")) if "site-packages" not in file.parts)
    for file in chain(own, sorted(packages.rglob("*.py"))):
        try:
            yield file.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue


def typographic(text: str) -> str:
    """Return a text with typographic quotes and dashes, so that few lines are pure ASCII."""
    return text.replace("'", "’").replace("--", "—")


# splitting a text into words


def split_ours(scheme: str, text: str) -> Work:
    return lambda: list(split_fast(SCHEMES[scheme], text))  # as `Tokenizer` and `count_words` do


def split_plain(scheme: str, text: str) -> Work:
    """Split the text with one pass of the published pattern."""
    return partial(regex.compile(SCHEMES[scheme].pattern).findall, text)


# training, scheme gpt2: from the text to a tokenizer


def train_ours(text: str, size: int, scheme: str = "gpt2") -> Work:
    return partial(Tokenizer.train, text, scheme=scheme, vocab_size=size, min_count=MIN_COUNT)


def train_tokenizers(lines: list[str], size: int) -> Work:
    """Train Hugging Face's tokenizer on lines: it works through several at a time."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        min_frequency=MIN_COUNT,
        show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    return partial(tok.train_from_iterator, lines, trainer)


def train_rustbpe(lines: list[str], size: int) -> Work:
    import rustbpe

    tok = rustbpe.Tokenizer()
    pattern = SCHEMES["gpt2"].pattern
    return lambda: tok.train_from_iterator(iter(lines), size, pattern=pattern)


# encoding with GPT-2's vocabulary: 256 bytes in GPT-2's order, then 50,000 merges


@cache
def gpt2_merges() -> list[tuple[str, str]]:
    """Read GPT-2's merges as published: pairs of tokens, a character for every byte."""
    lines = load_corpus("gpt2_merges").split("\n")[1:-1]
    return [tuple(line.split()) for line in lines]


def gpt2_tokens() -> list[str]:
    """List GPT-2's ordinary tokens in the order of their ids, as published."""
    return [*BYTES, *map("".join, gpt2_merges())]


def to_bytes(token: str) -> bytes:
    return bytes(map(BYTES.__getitem__, token))


@cache
def gpt2_numbers() -> dict[bytes, int]:
    """Return the ids of GPT-2's ordinary tokens, by their bytes."""
    return {to_bytes(token): i for i, token in enumerate(gpt2_tokens())}


load_ours = cache(from_gpt2)  # of which only copies encode


def encode_ours(text: str) -> Work:
    """Encode the text with this package; no word has been met before."""
    tok = copy(load_ours())
    tok.encoder  # noqa: B018 - it is made when first asked for; that belongs to loading
    return partial(tok.encode, text)


def encode_plain(text: str) -> Work:
    """Encode the text the plain way: one pass of the pattern, then the queue for each new word."""
    number = gpt2_numbers()
    ranks = {}
    for rank, (left, right) in enumerate(gpt2_merges()):
        ranks[number[to_bytes(left)], number[to_bytes(right)]] = rank
    find_words = regex.compile(SCHEMES["gpt2"].pattern).findall
    byte_numbers = [number[bytes([byte])] for byte in range(256)]

    def work() -> list[int]:
        known = {}  # word -> its ids
        ids = []
        for word in find_words(text):
            if word not in known:
                known[word] = [byte_numbers[byte] for byte in word.encode("utf-8")]
                merge_by_rank(known[word], ranks, range(256, 256 + len(ranks)))
            ids += known[word]
        return ids

    return work


def encode_tokenizers(lines: list[str]) -> Work:
    """Encode the lines in one call of Hugging Face's tokenizer, its cache empty too."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    vocab = {token: i for i, token in enumerate(gpt2_tokens())}
    tok = Tokenizer(models.BPE(vocab=vocab, merges=gpt2_merges()))
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return partial(tok.encode_batch, lines)


def encode_tiktoken(text: str) -> Work:
    """Encode the text in one call of tiktoken, with the pattern it has for GPT-2."""
    import tiktoken
    from tiktoken_ext.openai_public import r50k_pat_str

    ranks = gpt2_numbers()
    encoding = tiktoken.Encoding(
        "gpt2", pat_str=r50k_pat_str, mergeable_ranks=ranks, special_tokens={}
    )
    return partial(encoding.encode_ordinary, text)
