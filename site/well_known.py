"""Adapters: well-known implementations as a program that learns, encodes and decodes.

``conventions.py`` probes each class here as the conformance kit probes anybody's. A library that
isn't installed is told so when its class is made.
"""

import os
import re
import sys
import tempfile
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

MINBPE = os.environ.get("MINBPE")  # a folder that holds its package
HF_COURSE = os.environ.get("HF_COURSE")  # the file chapters/en/chapter6/5.mdx of its repository
if MINBPE:
    sys.path.insert(0, MINBPE)


class Ours:
    """bpe-teach, with the scheme gpt2 and merges of pairs that occur once."""

    def train(self, text, num_merges):
        """Learn merges from a text."""
        from bpe_teach import Tokenizer

        self.tok = Tokenizer.train(text, scheme="gpt2", num_merges=num_merges)

    def encode(self, text):
        """Return ids."""
        return self.tok.encode(text)

    def decode(self, ids):
        """Return a text."""
        return self.tok.decode(ids)


class MinbpeBasic(Ours):
    """minbpe's BasicTokenizer."""

    def train(self, text, num_merges):
        """Learn merges from a text."""
        from minbpe import BasicTokenizer

        self.tok = BasicTokenizer()
        self.tok.train(text, 256 + num_merges)


class MinbpeRegex(Ours):
    """minbpe's RegexTokenizer, as it is made by default."""

    def train(self, text, num_merges):
        """Learn merges from a text."""
        from minbpe import RegexTokenizer

        self.tok = RegexTokenizer()
        self.tok.train(text, 256 + num_merges)


class TiktokenEducational(Ours):
    """tiktoken's educational module, with GPT-2's pattern."""

    def train(self, text, num_merges):
        """Learn merges from a text."""
        from tiktoken._educational import SimpleBytePairEncoding, bpe_train

        from bpe_teach.patterns import GPT2

        ranks = bpe_train(text, 256 + num_merges, GPT2, visualise=None)
        self.tok = SimpleBytePairEncoding(pat_str=GPT2, mergeable_ranks=ranks)

    def encode(self, text):
        """Return ids."""
        return self.tok.encode(text, visualise=None)


class Rustbpe(Ours):
    """rustbpe, as it is made by default."""

    def train(self, text, num_merges):
        """Learn merges from a text."""
        import rustbpe

        self.tok = rustbpe.Tokenizer()
        self.tok.train_from_iterator([text], 256 + num_merges)
        ranks = self.tok.get_mergeable_ranks()
        self.vocab = {i: bytes(token) for token, i in ranks}

    def decode(self, ids):
        """Return a text; the library leaves this to tiktoken."""
        return b"".join(self.vocab[i] for i in ids).decode("utf-8", "replace")


class HuggingFaceTokenizers(Ours):
    """Tokenizers of Hugging Face, byte-level with its own pattern of GPT-2."""

    def train(self, text, num_merges):
        """Learn merges from a text."""
        from tokenizers import ByteLevelBPETokenizer

        self.tok = ByteLevelBPETokenizer()
        size = 256 + num_merges
        self.tok.train_from_iterator([text], size, min_frequency=0, show_progress=False)
        self.vocab = self.tok.get_vocab()

    def encode(self, text):
        """Return ids."""
        return self.tok.encode(text).ids


class SentencePiece(Ours):
    """SentencePiece with model_type bpe, and every character of the text kept."""

    def train(self, text, num_merges):
        """Learn merges from a text."""
        import sentencepiece

        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "text.txt")
            path.write_text(text, "utf-8")
            characters = len(set(text.replace(" ", "▁").replace("\n", "")) | {"▁"})
            sentencepiece.SentencePieceTrainer.train(
                input=str(path),
                model_prefix=str(Path(folder, "m")),
                model_type="bpe",
                vocab_size=3 + characters + num_merges,
                character_coverage=1.0,
                hard_vocab_limit=False,
                minloglevel=2,
            )
            self.tok = sentencepiece.SentencePieceProcessor(model_file=str(Path(folder, "m.model")))
        self.vocab = {self.tok.id_to_piece(i): i for i in range(self.tok.vocab_size())}


class SubwordNmt(Ours):
    """subword-nmt, whose tokens are texts."""

    def train(self, text, num_merges):
        """Learn merges from a text."""
        from subword_nmt.apply_bpe import BPE
        from subword_nmt.learn_bpe import learn_bpe

        codes = StringIO()
        learn_bpe(StringIO(text), codes, num_merges, min_frequency=1)
        lines = codes.getvalue().splitlines()[1:]
        self.merges = [tuple(line.split(" ")) for line in lines]
        codes.seek(0)
        self.tok = BPE(codes)

    def encode(self, text):
        """Return tokens, written without the mark @@."""
        words = [word.split("@@ ") for word in self.tok.process_line(text).split(" ")]
        return [token for word in self._joined(words) for token in word]

    def _joined(self, words):
        pieces = []
        for word in " ".join("@@ ".join(word) for word in words).split(" "):
            pieces.append([word[:-2]] if word.endswith("@@") else [f"{word}</w>"])
        return pieces

    def decode(self, ids):
        """Return a text."""
        return "".join(ids).replace("</w>", " ").strip()


class HuggingFaceCourse(Ours):
    """The program of Hugging Face's course, read from its chapter; its tokens are texts."""

    PARTS = (  # how its cells begin, or what they hold
        "word_freqs = defaultdict",
        "alphabet = []",
        "vocab = [",
        "splits = {",
        "def compute_pair_freqs",
        "def merge_pair",
        "while len(vocab)",
        "def tokenize",
    )

    def train(self, text, num_merges):
        """Learn merges from a text, as the cells of the chapter do when they are run in order."""
        from tokenizers.pre_tokenizers import ByteLevel

        if HF_COURSE is None:
            raise NotImplementedError("its chapter isn't at hand")
        backend = SimpleNamespace(pre_tokenizer=ByteLevel(add_prefix_space=False))
        tokenizer = SimpleNamespace(backend_tokenizer=backend, _tokenizer=backend)
        space = {"corpus": [text], "tokenizer": tokenizer, "merges": {}, "print": lambda *_: None}
        cells = re.findall(r"```py\w*\n(.*?)```", Path(HF_COURSE).read_text("utf-8"), re.DOTALL)
        exec("from collections import defaultdict", space)
        for part in self.PARTS:
            code = next(cell for cell in cells if part in cell)
            if part.startswith("while"):
                space["vocab_size"] = len(space["vocab"]) + num_merges
                code = code.partition("vocab_size = 50")[2]
            exec(code, space)
        self.merges = list(space["merges"])
        self.vocab = dict(enumerate(space["vocab"][1:]))
        self.tok = SimpleNamespace(encode=space["tokenize"])

    def decode(self, ids):
        """Return a text; the chapter leaves this out."""
        raise NotImplementedError
