"""Spelling: characters that have no id are spelled in bytes that have one, or fused.

SentencePiece's tokenizers are of characters, and also have a token such as <0xE2> for each byte
(*byte fallback* elsewhere): a character without an id becomes up to four tokens.
"""

from bpe_teach.fast.encode import FastEncoder, UnseenSymbol
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import BYTES, Scheme
from bpe_teach.symbols import WordEnd

BYTE_TOKENS = {f"<0x{byte:02X}>": BYTES[byte] for byte in range(256)}  # name -> byte


def is_first_symbol(token: Symbol, scheme: Scheme) -> bool:
    """Return whether this is a symbol that words are made of before any merge."""
    if isinstance(token, WordEnd):
        return len(token) == len(scheme.marker) + scheme.marks_last
    return len(token) == 1


class SpellingEncoder(FastEncoder):
    """Encodes words as `FastEncoder` does, except for symbols that have no id.

    With ``byte_fallback`` these are spelled in bytes. Those that can't be are unknown; with
    ``fuse_unknown`` several unknown symbols in a row become one token.

    >>> from bpe_teach.schemes import SCHEMES
    >>> ids = {"l": 0, "<0xC3>": 1, "<0xA9>": 2}
    >>> encoder = SpellingEncoder(SCHEMES["chars"], ["l"], [], ids=ids, byte_fallback=True)
    >>> encoder.encode_word("lé")
    (0, 1, 2)
    """

    def __init__(self, *args, byte_fallback: bool = False, fuse_unknown: bool = False, **options):
        super().__init__(*args, **options)
        self.byte_fallback = byte_fallback
        self.fuse_unknown = fuse_unknown

    def spell_symbol(self, symbol: Symbol) -> list[Symbol] | None:
        """Return the symbols with ids that spell this one; None if it is unknown."""
        if symbol in self._made:
            return [symbol]
        if self.byte_fallback:
            names = [f"<0x{byte:02X}>" for byte in symbol.encode("utf-8")]
            if all(name in self._numbers for name in names):
                return names
        return None

    def _first_numbers(self, word: str) -> list[int]:
        """Return the numbers of the first symbols of a word, spelled by `spell_symbol`."""
        numbers = []
        for symbol in self._scheme.symbols(word):
            spelled = self.spell_symbol(symbol)
            if spelled is not None:
                numbers += [self._numbers[one] for one in spelled]
            elif self._unknown is None:
                raise UnseenSymbol(symbol)
            elif not (self.fuse_unknown and numbers and numbers[-1] == self._unknown):
                numbers.append(self._unknown)
        return numbers
