"""Spelling: characters without an id, spelled in bytes (which have ids) or fused into one token.

SentencePiece's tokenizers work on characters, but they also have a token for each byte, such as
<0xE2>. So a character without an id becomes up to four tokens. Other libraries call this *byte
fallback*.
"""

from collections.abc import Mapping

from bpe_teach.fast.encode import UNKNOWN, FastEncoder, UnseenSymbol
from bpe_teach.pairs import Symbol, Word
from bpe_teach.schemes import BYTES, Scheme
from bpe_teach.symbols import WordEnd

BYTE_TOKENS = {f"<0x{byte:02X}>": BYTES[byte] for byte in range(256)}  # name -> byte


def is_first_symbol(token: Symbol, scheme: Scheme) -> bool:
    """Return whether a token is a symbol of which words are made before any merge."""
    if isinstance(token, WordEnd):
        return len(token) == len(scheme.marker) + scheme.marks_last
    marker = scheme.marker.encode("utf-8") if isinstance(token, bytes) else scheme.marker
    return 1 in (len(token), len(token.removesuffix(marker)))


def first_symbols(tokens: Mapping[Symbol, int], scheme: Scheme) -> list[Symbol]:
    """Return the tokens that are first symbols, in any order."""
    if scheme.units is bytes:
        marker = scheme.marker.encode("utf-8")
        short = tokens.keys() & {*BYTES, *(byte + marker for byte in BYTES)}
    else:
        longest = 1 + len(scheme.marker)
        short = [token for token in tokens if len(token) <= longest]
    return [token for token in short if is_first_symbol(token, scheme)]


class SpellingEncoder(FastEncoder):
    """Encodes words as `FastEncoder` does, except for symbols that have no id.

    If ``byte_fallback`` is true, symbols without an id are spelled in bytes. A symbol that can't be
    spelled in this way is unknown. If ``fuse_unknown`` is true, several unknown symbols in a row
    become one token. If ``drops_unknown`` is true, unknown symbols are left out before anything is
    merged.

    >>> from bpe_teach.fast.encode import NumberedMerges
    >>> from bpe_teach.schemes import SCHEMES
    >>> ids = {"l": 0, "<0xC3>": 1, "<0xA9>": 2}
    >>> none = NumberedMerges.of([], ids)
    >>> encoder = SpellingEncoder(SCHEMES["chars"], ["l"], ids, none, byte_fallback=True)
    >>> encoder.encode_word("lé")
    (0, 1, 2)
    """

    def __init__(
        self,
        *args,
        byte_fallback: bool = False,
        fuse_unknown: bool = False,
        drops_unknown: bool = False,
        **options,
    ):
        super().__init__(*args, **options)
        self.drops_unknown = drops_unknown
        self.byte_fallback = byte_fallback
        self.fuse_unknown = fuse_unknown

    def spell_symbols(self, symbols: Word) -> list[tuple[Symbol | None, int]]:
        """Return the tokens that spell symbols, each with the place of its symbol.

        An unknown symbol has None instead of a token.
        """
        spelled = []
        unknown = []  # Hugging Face's library puts bytes that follow unknown symbols before them
        for place, symbol in enumerate(symbols):
            names = [symbol] if symbol in self._first else self._in_bytes(symbol)
            if names != [None]:
                if symbol in self._first:
                    spelled += unknown
                    unknown = []
                spelled += [(name, place) for name in names]
            elif not self.drops_unknown and not (unknown and self.fuse_unknown):
                spelled += unknown
                unknown = [(None, place)]
        return spelled + unknown

    def _in_bytes(self, symbol: Symbol) -> list[Symbol | None]:
        """Return the tokens of the bytes of a symbol, or [None] if a byte has no token."""
        if not self.byte_fallback:
            return [None]
        names = [f"<0x{byte:02X}>" for byte in symbol.encode("utf-8")]
        return names if all(name in self._ids for name in names) else [None]

    def _first_ids(self, word: str) -> list[int]:
        """Return the ids of the first symbols of a word, or of the tokens that spell them."""
        symbols = self._scheme.symbols(word)
        ids = list(map(self._first.get, symbols))
        if None not in ids:  # nothing has to be spelled in a different way
            return ids
        ids = []
        for name, place in self.spell_symbols(symbols):
            if name is None and self._unknown is None:
                raise UnseenSymbol(symbols[place])
            ids.append(UNKNOWN if name is None else self._ids[name])
        return ids
