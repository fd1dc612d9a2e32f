"""Plain: the parts of a tokenizer.json, applied to a text one after the other, as they are written.

`pipeline` reads these parts as a scheme, which is faster. Often this scheme is a row of
``SCHEMES``. Here no scheme is recognized and no parts are combined. So this module can tell whether
the scheme of `pipeline` is correct: `find_difference` cuts texts made for the file with both
modules.

A text is cut at added tokens, normalized, cut at added tokens again, and then split by one
pre-tokenizer after the other, as Hugging Face's library does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

import regex

from bpe_further.exchange import schemes
from bpe_further.exchange.normalize import IN_WORD, WHITE_SPACE, normalize
from bpe_further.exchange.pipeline import SIGN, read_one_by_one
from bpe_further.exchange.shared import BYTE_OF, print_token
from bpe_teach.schemes import SCHEMES
from bpe_teach.tokenizer import name_pattern

if TYPE_CHECKING:
    from bpe_further.exchange.published import PublishedTokenizer

Spans = list[tuple[int, int, bool]]  # start, end, whether it is a match
MOST_TRIED = 6  # tokens of each kind that are used in probe texts
NAMING_SIGNS = ("content", "prepend", "replacement", "delimiter")  # fields of parts
AROUND = ["", " ", "a", "\n"]  # texts that stand beside a sign in a probe text
USUAL = [
    *(
        "",
        " ",
        "  ",
        "a b",
        " a  b ",
        "ab, c.d",
        "I'll we'LL",
        "x1 22 333 4444",
        "a\n\n b\r\n",
        "é",
    ),
    *(
        "e\u0301A\u030a",
        "中文 x",
        "▁a▁ b",
        "a\tb \t c",
        "\u00a0a\u3000b",
        "🙂 ok🙂",
        "Ab aB",
        "²٣Ⅷ",
    ),
    *("!?a", "a_b-c", "İß ﬁ", "</w>a", "<0x41>"),
]


# behaviors of a pre-tokenizer: each makes pieces of the matches and of the texts between them


def _isolated(spans: Spans) -> Spans:
    return spans


def _removed(spans: Spans) -> Spans:
    return [span for span in spans if not span[2]]


def _contiguous(spans: Spans) -> Spans:
    made = []
    for start, end, is_match in spans:
        if made and made[-1][2] == is_match:
            start = made.pop()[0]
        made.append((start, end, is_match))
    return made


def _merged_with_previous(spans: Spans) -> Spans:
    made = []
    after_match = False
    for start, end, is_match in spans:
        if is_match and not after_match and made:
            start = made.pop()[0]
        made.append((start, end, is_match))
        after_match = is_match
    return made


def _merged_with_next(spans: Spans) -> Spans:
    made = []
    before_match = False
    for start, end, is_match in reversed(spans):
        if is_match and not before_match and made:
            end = made.pop()[1]
        made.append((start, end, is_match))
        before_match = is_match
    return made[::-1]


BEHAVIORS = {
    "Isolated": _isolated,
    "Removed": _removed,
    "Contiguous": _contiguous,
    "MergedWithPrevious": _merged_with_previous,
    "MergedWithNext": _merged_with_next,
}


def cut(text: str, pattern: str, behavior: str, invert: bool = False) -> list[str]:
    """Return the pieces of a text that is split at the matches of a pattern.

    ``behavior`` and ``invert`` are fields of a Split in a tokenizer.json.

    >>> [cut("a-b", "-", behavior) for behavior in ("Removed", "MergedWithPrevious")]
    [['a', 'b'], ['a-', 'b']]
    """
    spans = []
    place = 0
    for match in regex.compile(pattern).finditer(text):
        start, end = match.span()
        if place < start:
            spans.append((place, start, invert))
        spans.append((start, end, not invert))
        place = end
    if place < len(text):
        spans.append((place, len(text), invert))
    return [text[start:end] for start, end, _ in BEHAVIORS[behavior](spans) if start < end]


class PlainReading:
    """What a tokenizer.json does to a text before any merge, part by part.

    This reading shares with `pipeline` the steps of a normalization (see `normalize`), because
    there is only one way to do each step.
    """

    def __init__(self, data: Mapping):
        self.steps = steps = read_one_by_one(data.get("normalizer"))
        self.parts = list(_flat(data.get("pre_tokenizer")))
        self.now = {}  # name that is looked for in the text -> its token
        self.later = {}  # name that is looked for in the normalized text -> its token
        # Of two entries with the same name, the last counts.
        added = {token["content"]: token for token in data.get("added_tokens") or []}
        for name, token in sorted(added.items(), key=lambda item: not item[1]["special"]):
            if token.get("normalized"):  # of two names that become the same, the first counts
                self.later.setdefault(normalize(name, steps), token)
            else:
                self.now[name] = token

    def words(self, text: str) -> Iterator[str | int]:
        """Yield the words of a text, printed if they are bytes, and the ids of added tokens."""
        for start, part, token in _split_at(text, self.now):
            if token:
                yield token["id"]
                continue
            is_first = start == 0 and not schemes.loses_first(part, self.steps)
            changed = normalize(part, self.steps)
            for inner_start, inner, inner_token in _split_at(changed, self.later):
                if inner_token:
                    yield inner_token["id"]
                else:
                    yield from self._cut(inner, is_first and inner_start == 0)

    def _cut(self, text: str, is_first: bool) -> Iterable[str]:
        """Return the words of a part of a text; ``is_first`` tells whether it is the first part."""
        pieces = [text]
        for part in self.parts:
            pieces = [
                piece
                for number, one in enumerate(pieces)
                for piece in self._do(part, one, is_first and number == 0)
                if piece
            ]
        return pieces

    def _do(self, part: Mapping, piece: str, is_first: bool) -> list[str]:
        """Return the pieces into which a single pre-tokenizer splits a piece."""
        kind = part["type"]
        if kind == "ByteLevel":
            if part["add_prefix_space"] and not piece.startswith(" "):
                piece = " " + piece
            is_cut = part.get("use_regex", True)
            pieces = cut(piece, SCHEMES["gpt2"].pattern, "Isolated") if is_cut else [piece]
            return [print_token(one.encode("utf-8")) for one in pieces]
        if kind == "Metaspace":
            sign = part["replacement"]
            older = "always" if part.get("add_prefix_space", True) else "never"
            prefixes = part.get("prepend_scheme", older)
            piece = piece.replace(" ", sign)
            wants = prefixes == "always" or (prefixes == "first" and is_first)
            if wants and not piece.startswith(sign):
                piece = sign + piece
            is_cut = part.get("split", True)
            return cut(piece, regex.escape(sign), "MergedWithNext") if is_cut else [piece]
        if kind == "Split":
            [(how, pattern)] = part["pattern"].items()
            if how == "Regex":  # compiling groups that capture could take hours
                pattern = schemes.without_captures(schemes.without_sets(pattern))
            else:
                pattern = regex.escape(pattern)
            return cut(piece, _known(pattern), part["behavior"], part["invert"])
        if kind == "Digits":
            behavior = "Isolated" if part["individual_digits"] else "Contiguous"
            return cut(piece, r"\p{N}", behavior)
        if kind == "Punctuation":
            return cut(piece, SIGN, part["behavior"])
        if kind == "CharDelimiterSplit":
            return cut(piece, regex.escape(part["delimiter"]), "Removed")
        if kind == "FixedLength":
            length = part["length"]
            return [piece[i : i + length] for i in range(0, len(piece), length)]
        if kind == "Whitespace":
            return cut(piece, r"[\w]+|[^\w\s]+", "Removed", invert=True)
        pieces = cut(piece, r"\s", "Removed")
        if kind == "BertPreTokenizer":
            pieces = [one for whole in pieces for one in cut(whole, SIGN, "Isolated")]
        return pieces


def _flat(part: Mapping | None) -> Iterator[Mapping]:
    """Yield a part, or the parts of a sequence of parts."""
    if part and part["type"] == "Sequence":
        for one in part["pretokenizers"]:
            yield from _flat(one)
    elif part:
        yield part


def _known(pattern: str) -> str:
    """Return a pattern as `regex` spells it; Hugging Face's engine may spell it differently."""
    for row in SCHEMES.values():
        if pattern == schemes.in_oniguruma(row):
            return row.pattern
    return pattern


def _split_at(
    text: str, tokens: Mapping[str, Mapping]
) -> Iterator[tuple[int, str, Mapping | None]]:
    """Split a text at added tokens; yield each part's start, the part, and its token or None."""
    place = 0
    names = tuple(name for name in tokens if name in text)  # a few names of perhaps thousands
    for match in name_pattern(names).finditer(text) if names else ():
        start, end = match.span()
        token = tokens[match.group()]
        if token.get("single_word"):
            around = text[max(start - 1, 0) : start] + text[end : end + 1]
            if regex.search(IN_WORD, around):
                continue
        if token.get("lstrip"):
            start = max(len(text[:start].rstrip(WHITE_SPACE)), place)
        if token.get("rstrip"):
            end = len(text) - len(text[end:].lstrip(WHITE_SPACE))
        if place < start:
            yield place, text[place:start], None
        if start < end:
            yield start, text[start:end], token
        place = end
    if place < len(text):
        yield place, text[place:], None


# showing that a scheme does the same


def probe_texts(data: Mapping, tok: PublishedTokenizer) -> Iterator[str]:
    """Yield texts that are likely to reveal a wrong reading of a tokenizer.json.

    The texts are made of the signs that the file's parts name, its tokens, and its added tokens.
    """
    yield from USUAL
    signs = dict.fromkeys(_signs(data))
    vocab = data["model"]["vocab"]
    tokens = islice(vocab, len(vocab) // 2, None, max(1, len(vocab) // 2 // MOST_TRIED))
    in_bytes = tok.scheme.units is bytes
    for name in tokens:
        if in_bytes and BYTE_OF.keys() >= set(name):
            name = b"".join(map(BYTE_OF.get, name)).decode("utf-8", "replace")
        signs[name] = None
    names = [token["content"] for token in data.get("added_tokens") or []]
    for name in [*names[:MOST_TRIED], *names[-MOST_TRIED:]]:
        signs[name] = None
    for number, sign in enumerate(signs):
        before, after = AROUND[number % 4], AROUND[number // 2 % 4]
        yield f"{before}{sign}{after} {sign}a"
        yield f"a{sign}{sign}  b{before}{sign}"


def _signs(part) -> Iterator[str]:
    """Yield the texts that normalizers and pre-tokenizers name, and signs from their patterns."""
    if isinstance(part, Mapping):
        wanted = part if "type" in part else {}
        if "model" in part:
            wanted = {name: part.get(name) for name in ("normalizer", "pre_tokenizer")}
        elif "String" in part:
            yield part["String"]
        elif "Regex" in part:
            yield from islice(
                dict.fromkeys(regex.findall(r"(?<!\\)[^\w\s\\]|\s", part["Regex"])), 8
            )
        for name, value in wanted.items():
            if isinstance(value, str) and name in (
                "content",
                "prepend",
                "replacement",
                "delimiter",
            ):
                yield value
            elif isinstance(value, Mapping | list):
                yield from _signs(value)
    elif isinstance(part, list):
        for one in part:
            yield from _signs(one)


def find_difference(
    tok: PublishedTokenizer, plain: PlainReading, texts: Iterable[str]
) -> str | None:
    """Return the first text that a tokenizer and a plain reading cut differently, or None.

    Different words count as the same if they are encoded as the same tokens. Texts that can't be
    encoded are skipped.
    """
    in_bytes = tok.scheme.units is bytes
    for text in texts:
        try:
            words = list(plain.words(text))
            ours = list(_words_of(tok, text))
            if in_bytes:
                ours = [one if type(one) is int else print_token(_bytes_of(one)) for one in ours]
            if words == ours or _ids(tok, words) == _ids(tok, ours):
                continue
        except ValueError:
            continue  # this text can't be encoded
        return text
    return None


def _words_of(tok: PublishedTokenizer, text: str) -> Iterator[str | int]:
    """Yield the words of a text, and the ids of special and added tokens."""
    for part, i, position in tok.parts(text, "all"):
        if i is None:
            yield from tok._find_words(part, position)
        else:
            yield i


def _bytes_of(word: str) -> bytes:
    return word.encode("utf-8", "surrogateescape")


def _ids(tok: PublishedTokenizer, words: list[str | int]) -> list[int]:
    """Return the ids of words, in which bytes are written as printable characters."""
    encode = tok._word_encoder.encode_word  # made only now, because it is rarely needed
    in_bytes = tok.scheme.units is bytes
    ids = []
    for word in words:
        if type(word) is int:
            ids.append(word)
            continue
        if in_bytes:
            word = b"".join(map(BYTE_OF.get, word)).decode("utf-8", "surrogateescape")
        ids += encode(word)
    return ids
