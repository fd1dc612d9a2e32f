"""Generated: tokenizer.json files put together at random from all that such a file may hold.

Most of them are odd: nobody would publish them. But each part is one that somebody uses, and a
reader that takes a familiar combination for another one is found out. `python -m tests.generated
SEED` prints a file.
"""

import json
import random
import sys
from collections.abc import Sequence

from bpe_further.exchange.shared import PRINTABLE

SIGNS = [
    *"aabbcdeAB 1 2'.,-_▁\n\t<>|\0\x7f$+~^`=\r\x1c\x85²٣।…—·…İſKΣςß",
    *("é", "e\u0301", "中", "文", "あ", "각", "ᄀ", "ﬁ", "Ⅷ", "ʼ", "’", "Ǆ", "\u0345"),
    *("\u00a0", "\u200b", "\u200d", "\u2028", "\u00ad", "\ufeff", "  ", "ก็", "नि"),
    *("🙂", "\U0001f468\u200d\U0001f469"),
]
LETTERS = [*"abcdeAB12'.▁Ġ _é中"]  # of which tokens are made
REGEXES = [
    *(r"\d", r"\s+", r"\p{L}+", r"[a-z]+", r"\p{N}{1,3}", r" ?\p{L}+", r"\s+(?!\S)", r"\S+"),
    *(r"[^\s\p{L}]+", r"a|b", r"'(?:s|t)", r"\p{Lu}?\p{Ll}+", r"[\p{L}\p{M}]+", r"a{2}", r"\n+"),
    *(r"[ ]", r"[^\r\n\p{L}\p{N}]?\p{L}+", r"(?i:'s|'t|'re|'ve|'m|'ll|'d)", r"[^a]", r"[^ ]+"),
    *(r"\p{P}", r"\p{Nd}+", r"a+?", r"\p{Zs}", r"(?=a)", r"a*", r"[A-Z]+|[a-z]+", r"\w+", r"."),
    *(r"^a", r"a$", r"\bab", r"\p{Han}+", r"\p{So}", r"(?<=a)b", r"[а-я]+", r"[\s]", r" +$"),
    *(r"[^\S\n]+", r"[ab&&[^b]]+", r"\n", r"\u200b", r"[\x00-\x08]", r"\t|\n", r" +"),
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
]
BEHAVIORS = ["Isolated", "Removed", "MergedWithPrevious", "MergedWithNext", "Contiguous"]
NAMES = [  # of added tokens
    *("<s>", "</s>", "<|e|>", "<|e|>x", "ab", "a", " ab", "abc ", "é", "e\u0301", "AB", "▁a", "b▁"),
    *("\n\n", "<", "[x]", "a.b", "$", "  ", "Ab", "<unk>", "bb", "文", "İ", "(", "\\d", "<0x41>"),
    *("ß", "<ab>", "[MASK]"),
]


class Generator:
    """Makes a tokenizer.json, and texts to try it on, from a number.

    >>> Generator(7).file() == Generator(7).file()
    True
    """

    def __init__(self, seed: int):
        self.random = random.Random(seed)

    def chance(self, share: float) -> bool:
        """Return true in this share of cases."""
        return self.random.random() < share

    def one(self, *values):
        """Return one of the values."""
        return self.random.choice(values)

    def flag(self) -> bool:
        """Return true or false."""
        return self.one(True, False)

    def file(self) -> dict:
        """Return what the file holds."""
        pre_tokenizer = self.pre_tokenizer() if self.chance(0.9) else None
        model = self.model(in_bytes='"ByteLevel"' in json.dumps(pre_tokenizer))
        return {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": self.added_tokens(model["vocab"]),
            "normalizer": self.normalizer() if self.chance(0.5) else None,
            "pre_tokenizer": pre_tokenizer,
            "post_processor": None,
            "decoder": self.decoder(),
            "model": model,
        }

    def text(self, names: Sequence[str]) -> str:
        """Return a text of odd signs, in which the names of added tokens occur."""
        length = self.one(1, 2, 5, 12, 30)
        parts = [
            self.one(*SIGNS) if self.chance(0.85) else self.one(*names, "a") for _ in range(length)
        ]
        return "".join(parts)

    # parts of the file

    def normalizer(self, depth: int = 0) -> dict:
        """Return a normalizer, which may be a sequence of others."""
        kinds = ["NFC", "Lowercase", "Replace"]
        if depth < 2:
            kinds += ["NFD", "NFKC", "NFKD", "StripAccents", "Strip", "Prepend", "Replace"]
            kinds += ["BertNormalizer", "Nmt", "Sequence"]
        part = {"type": self.one(*kinds)}
        if part["type"] == "Strip":
            part |= {"strip_left": self.flag(), "strip_right": self.flag()}
        elif part["type"] == "Prepend":
            part["prepend"] = self.one("▁", " ", "a", "ab")
        elif part["type"] == "Replace":
            strings = [" ", "a", "ab", "▁", "``", "é", "  ", "\n"]
            regexes = [*REGEXES, " +", r"\A +", r"[ ▁]+\z", " {2,}"]
            kind, values = self.one(("String", strings), ("Regex", regexes))
            part["pattern"] = {kind: self.one(*values)}
            part["content"] = self.one("▁", "", " ", "b", "aa", "é", "_", "__")
        elif part["type"] == "BertNormalizer":
            part |= {"clean_text": self.flag(), "handle_chinese_chars": self.flag()}
            part |= {"strip_accents": self.one(True, False, None), "lowercase": self.flag()}
        elif part["type"] == "Sequence":
            length = self.random.randrange(4)
            part["normalizers"] = [self.normalizer(depth + 1) for _ in range(length)]
        return part

    def pre_tokenizer(self, depth: int = 0) -> dict:
        """Return a pre-tokenizer, which may be a sequence of others."""
        kinds = ["Split", "ByteLevel", "Digits"]
        if depth < 2:
            kinds += ["Metaspace", "Split", "ByteLevel", "Punctuation", "CharDelimiterSplit"]
            kinds += ["FixedLength", "Whitespace", "WhitespaceSplit", "BertPreTokenizer"]
            kinds += ["UnicodeScripts", "Sequence", "Sequence"]
        part = {"type": self.one(*kinds)}
        if part["type"] == "ByteLevel":
            part |= {"add_prefix_space": self.chance(0.3), "trim_offsets": self.flag()}
            part["use_regex"] = self.flag()
        elif part["type"] == "Metaspace":
            part |= {"replacement": self.one("▁", "▁", "_", "a"), "split": self.flag()}
            part["prepend_scheme"] = self.one("always", "first", "never")
        elif part["type"] == "Split":
            strings = [" ", "a", "ab", ".", "▁", "\n", "+"]
            kind, values = self.one(("String", strings), *3 * [("Regex", REGEXES)])
            part["pattern"] = {kind: self.one(*values)}
            part |= {"behavior": self.one(*BEHAVIORS), "invert": self.chance(0.3)}
        elif part["type"] == "Digits":
            part["individual_digits"] = self.flag()
        elif part["type"] == "Punctuation":
            part["behavior"] = self.one(*BEHAVIORS)
        elif part["type"] == "CharDelimiterSplit":
            part["delimiter"] = self.one(*" a_.|")
        elif part["type"] == "FixedLength":
            part["length"] = self.one(1, 2, 3, 5)
        elif part["type"] == "Sequence":
            length = self.random.randrange(1, 4)
            part["pretokenizers"] = [self.pre_tokenizer(depth + 1) for _ in range(length)]
        return part

    def model(self, in_bytes: bool) -> dict:
        """Return a vocabulary with merges, and what the model does besides."""
        suffix = "</w>" if self.chance(0.1) else ""
        symbols = sorted({*"".join(SIGNS), "▁", " "})
        symbols = list(PRINTABLE.values()) if in_bytes else symbols
        if self.chance(0.2):
            symbols = [symbol for symbol in symbols if self.chance(0.9)]
        tokens = [*symbols, *(symbol + suffix for symbol in symbols if suffix)]
        if not in_bytes or self.chance(0.05):
            tokens.append("<unk>")
        falls_back = self.chance(0.35)
        if falls_back:
            tokens += [f"<0x{byte:02X}>" for byte in range(256) if self.chance(0.999)]
        merges = self.merges(symbols, suffix)
        tokens += ["".join(merge) for merge in merges]
        letters = [one for one in LETTERS if one in symbols] or symbols[:5]
        if self.chance(0.3):  # what no merge makes
            tokens.append("".join(self.one(*letters) for _ in range(3)))
        tokens = list(dict.fromkeys(tokens))
        if self.chance(0.3):
            self.random.shuffle(tokens)
        ids = range(len(tokens))
        if self.chance(0.1):
            ids = self.random.sample(range(3 * len(tokens)), len(tokens))
        if self.flag() and not any(" " in part for merge in merges for part in merge):
            merges = [" ".join(merge) for merge in merges]
        vocab = dict(zip(tokens, ids, strict=True))
        return {
            "type": "BPE",
            "dropout": None,
            "unk_token": "<unk>" if "<unk>" in vocab and self.chance(0.8) else None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": suffix or None,
            "fuse_unk": self.flag(),
            "byte_fallback": falls_back,
            "ignore_merges": self.chance(0.25),
            "vocab": vocab,
            "merges": merges,
        }

    def merges(self, symbols: list[str], suffix: str) -> list[list[str]]:
        """Return merges of a few letters, not always in an order that training would give."""
        pool = [one for one in LETTERS if one in symbols] or symbols[:5]
        merges = []
        for _ in range(self.random.randrange(25)):
            left, right = self.one(*pool), self.one(*pool)
            if suffix and left.endswith(suffix):
                continue
            if suffix and right in symbols and self.chance(0.4):
                right += suffix
            if [left, right] not in merges:
                merges.append([left, right])
                pool.append(left + right)
        if self.chance(0.1):
            self.random.shuffle(merges)
        return merges

    def added_tokens(self, vocab: dict[str, int]) -> list[dict]:
        """Return added tokens, some of which are special; some are tokens of the vocabulary."""
        tokens = []
        following = max(vocab.values()) + 1
        for name in self.random.sample(NAMES, self.random.randrange(6)):
            i = vocab.get(name, following)
            following += i == following
            is_special = self.flag()
            normalized = not is_special if self.chance(0.6) else self.flag()
            token = {"id": i, "content": name, "single_word": self.chance(0.12)}
            token |= {"lstrip": self.chance(0.2), "rstrip": self.chance(0.2)}
            tokens.append(token | {"normalized": normalized, "special": is_special})
        return tokens

    def decoder(self) -> dict | None:
        """Return a decoder, or none."""
        part = {"type": self.one("ByteLevel", "Metaspace", "Fuse", "BPEDecoder", "Sequence", None)}
        if part["type"] is None:
            return None
        if part["type"] == "ByteLevel":
            part |= {"add_prefix_space": True, "trim_offsets": True, "use_regex": True}
        elif part["type"] == "Metaspace":
            part |= {"replacement": "▁", "prepend_scheme": self.one("always", "first", "never")}
            part["split"] = True
        elif part["type"] == "BPEDecoder":
            part["suffix"] = "</w>"
        elif part["type"] == "Sequence":
            sign = {"String": self.one("▁", "▁", "_")}
            strip = {"type": "Strip", "content": " ", "start": self.one(0, 1, 1), "stop": 0}
            part["decoders"] = [
                {"type": "Replace", "pattern": sign, "content": " "},
                *self.one([], [{"type": "ByteFallback"}]),
                {"type": "Fuse"},
                *self.one([], [strip]),
            ]
        return part


if __name__ == "__main__":
    print(json.dumps(Generator(int(sys.argv[1])).file(), ensure_ascii=False))
