"""Opening: what it takes to open a published vocabulary, here and in its own library.

Each measurement is a process of its own, and in processor time: from the file to a tokenizer, and
to the ids of ten words. Importing doesn't count, and a library's process imports nothing of ours:
the more is in memory, the longer Python looks for garbage.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from time import process_time

ROOT = Path(__file__).resolve().parents[2]
TEN_WORDS = "The quick brown fox jumps over the lazy dog today"
PIECES = 32_000  # of the model that is trained here, because none is at hand
Paths = tuple[str, ...]  # a file, or a vocab.json with its merges.txt


def published_vocabularies(folder: Path) -> dict[str, Paths]:
    """Return name -> files of the vocabularies in the folder that BPE_TEACH_DATA names.

    A model of SentencePiece is trained, and written to ``folder``.
    """
    data = Path(os.environ.get("BPE_TEACH_DATA", "."))
    files = [*data.glob("vocabularies/*.tiktoken"), *data.glob("vocabularies/*.json")]
    found = {file.name: (str(file),) for file in sorted(files) if "encoder" not in file.name}
    pairs = [("encoder.json", "vocab.bpe")]
    names = ("encoder_bpe_40000.json", "vocab_40000.bpe")
    pairs.append(tuple(f"vocabularies/gpt1_{name}" for name in names))
    for pair in pairs:
        paths = [data / name for name in pair]
        if all(path.is_file() for path in paths):
            found[" + ".join(path.name for path in paths)] = tuple(map(str, paths))
    found["trained.model"] = (train_sentencepiece(folder),)
    return found


def train_sentencepiece(folder: Path) -> str:
    """Write a model with as many pieces as a text has, up to 32,000; return its path."""
    from bpe_teach import load_corpus

    sentencepiece = import_module("sentencepiece")
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(load_corpus("tinyshakespeare").splitlines()),
        model_prefix=str(folder / "trained"),
        model_type="bpe",
        vocab_size=PIECES,
        hard_vocab_limit=False,
        normalization_rule_name="identity",
        byte_fallback=True,
        minloglevel=2,
    )
    return str(folder / "trained.model")


def library_of(paths: Paths) -> str:
    """Return the name of the library that reads files of this kind."""
    kinds = {".tiktoken": "tiktoken", ".model": "sentencepiece"}
    return kinds.get(Path(paths[0]).suffix, "tokenizers")


def open_here(paths: Paths, _pattern: str) -> Callable[[str], list[int]]:
    """Open a vocabulary with this package; return what encodes."""
    from bpe_further import from_huggingface, load_tokenizer

    if len(paths) > 1:
        return from_huggingface(*paths).encode
    is_known = Path(paths[0]).suffix != ".tiktoken" or "_base" in paths[0]
    return load_tokenizer(paths[0], None if is_known else "gpt2").encode


def open_with_tiktoken(paths: Paths, pattern: str) -> Callable[[str], list[int]]:
    from tiktoken import Encoding
    from tiktoken.load import load_tiktoken_bpe

    ranks = load_tiktoken_bpe(paths[0])
    tok = Encoding("measured", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    return tok.encode_ordinary


def open_with_tokenizers(paths: Paths, _pattern: str) -> Callable[[str], list[int]]:
    from tokenizers import Tokenizer, models, pre_tokenizers

    if len(paths) == 1:
        return Tokenizer.from_file(paths[0]).encode
    tok = Tokenizer(models.BPE.from_file(*paths))
    tok.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    return tok.encode


def open_with_sentencepiece(paths: Paths, _pattern: str) -> Callable[[str], list[int]]:
    from sentencepiece import SentencePieceProcessor

    return SentencePieceProcessor(model_file=paths[0]).encode


OPEN = {
    "bpe_teach": open_here,
    "tiktoken": open_with_tiktoken,
    "tokenizers": open_with_tokenizers,
    "sentencepiece": open_with_sentencepiece,
}
IMPORTED = {"bpe_teach": "bpe_further.exchange.load", "tiktoken": "tiktoken.load"}


def print_times(who: str, paths: Paths, pattern: str) -> None:
    """Print the seconds of the processor until a vocabulary is open, and until it has encoded."""
    import_module(IMPORTED.get(who, who))
    start = process_time()
    encode = OPEN[who](paths, pattern)
    opened = process_time()
    encode(TEN_WORDS)
    print(opened - start, process_time() - start)


def times_to_open(who: str, paths: Paths) -> list[float]:
    """Run `print_times` in a process of its own."""
    arguments = f"{who!r}, {paths!r}, {pattern_of(paths[0])!r}"
    code = f"from tests.benchmarks.opening import print_times; print_times({arguments})"
    run = [sys.executable, "-c", code]
    printed = subprocess.run(run, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    return list(map(float, printed.split()))


def pattern_of(ranks: str) -> str:
    """Return the split pattern of a file of ranks, by its name."""
    from bpe_teach import SCHEMES

    name = Path(ranks).name.split("_")[0]
    return SCHEMES[name if name in SCHEMES else "gpt2"].pattern


# counting the tokens of a file in a shell, from the start of the process on

COUNT_WITH_TIKTOKEN = """
import sys, tiktoken
from tiktoken.load import load_tiktoken_bpe
ranks = load_tiktoken_bpe(sys.argv[2])
tok = tiktoken.Encoding("counted", pat_str={pattern!r}, mergeable_ranks=ranks, special_tokens={{}})
print(len(tok.encode_ordinary(open(sys.argv[1], encoding="utf-8").read())))
"""


def seconds_to_count(who: str, text: Path, ranks: str) -> float:
    """Return the seconds of the processor that a process takes to count the tokens of a file."""
    run = [sys.executable, "-m", "bpe_further", "count", str(text), "-t", ranks]
    if who == "tiktoken":
        code = COUNT_WITH_TIKTOKEN.format(pattern=pattern_of(ranks))
        run = [sys.executable, "-c", code, str(text), ranks]
    before = getrusage(RUSAGE_CHILDREN)
    subprocess.run(run, cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
    after = getrusage(RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
