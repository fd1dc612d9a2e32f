"""Schemes: how a text becomes words, how a word becomes its first symbols, and the way back.

Everything in which the conventions of byte pair encoding differ stands in the table `SCHEMES`,
one row each; a new convention is a new row.
"""

import re
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass

from bpe_teach.pairs import Symbol, Word
from bpe_teach.patterns import (
    CL100K,
    GPT2,
    NO_SPACES,
    NO_WHITE_SPACE,
    O200K,
    WORDS,
    find_words,
    name_pattern,
)
from bpe_teach.symbols import WordEnd

BYTES = [bytes([byte]) for byte in range(256)]
PIECE = 1_000_000  # characters of a text that are checked at a time
# Unicode's property White_Space; Python's `str.isspace` holds four control characters more.
WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
WHITE_SPACE += "".join(map(chr, range(0x2000, 0x200B)))


def lower_and_space(text: str) -> str:
    """Lower the case, make newlines spaces and set the common punctuation apart.

    >>> lower_and_space('"Oh," I said.').split()
    ['"', 'oh', ',', '"', 'i', 'said', '.']
    """
    return re.sub(r"""([.,!?;:'"-])""", r" \1 ", text.lower().replace("\n", " "))


@dataclass(frozen=True)
class Scheme:
    """One convention. ``SCHEMES`` holds nine; the fields say all there is to know of each."""

    name: str
    about: str  # how a text becomes words, in one sentence
    pattern: str | None  # a match is a word; None: the whole text is one word
    units: type  # str or bytes: what the first symbols are
    marker: str = ""  # a symbol put at the end of every word
    marks_last: bool = False  # the marker is no symbol of its own: the last character carries it
    prepare: Callable[[str], str] | None = None  # what is done to the text first
    loses: str = "nothing"  # what decoding cannot bring back
    source: str = ""
    normalization: str = ""  # "NFC": equal characters, written in several ways, become one
    prefix: str = ""  # put before a text that does not begin with it

    @property
    def lossless(self) -> bool:
        """True if decoding gives back every text exactly."""
        return self.loses == "nothing"

    def split(self, text: str) -> Iterable[str]:
        """Cut a text into words, still as strings and without the marker.

        >>> list(SCHEMES["gpt2"].split("I'm low, lower"))
        ['I', "'m", ' low', ',', ' lower']

        Raises ValueError if the text is not a str, or holds half a surrogate pair.
        """
        check_text(text)
        return self.find_words(text)

    def find_words(self, text: str) -> Iterable[str]:
        """Do the work of `split` on a text that has been checked."""
        text = self.change(text)
        if self.pattern is None:
            return [text] if text else []
        return find_words(self.pattern, text)

    def change(self, text: str) -> str:
        r"""Do to a text what is done before it is cut into words.

        >>> SCHEMES["underscore"].change("Low, low")
        'low ,  low'
        >>> Scheme("mine", "", None, bytes, normalization="NFC", prefix=" ").change("e\u0301")
        ' é'
        """
        if self.prepare:
            text = self.prepare(text)
        if self.normalization:
            text = unicodedata.normalize(self.normalization, text)
        if self.prefix and text and not text.startswith(self.prefix):
            text = self.prefix + text
        return text

    def symbols(self, word: str) -> Word:
        """Spell a word in its first symbols: characters or single bytes, then the marker.

        >>> SCHEMES["end_of_word"].symbols("low"), SCHEMES["bytes"].symbols("é")
        (('l', 'o', 'w', '</w>'), (b'\\xc3', b'\\xa9'))
        >>> SCHEMES["last_character"].symbols("low")
        ('l', 'o', 'w</w>')
        """
        if self.units is bytes:
            return tuple(map(BYTES.__getitem__, word.encode("utf-8")))
        if not self.marker:
            return tuple(word)
        if self.marks_last:
            return (*word[:-1], word[-1] + self.marker) if word else ()
        return (*word, self.marker)

    def word_counts(self, text: str | Iterable[str]) -> dict[Word, int]:
        """Count the different words of a text (or of several), in order of first appearance.

        >>> SCHEMES["underscore"].word_counts("Low low.")
        {('l', 'o', 'w', '_'): 2, ('.', '_'): 1}
        """
        counts = Counter()  # word as a str -> number of occurrences
        for part in each_text(text):
            counts.update(self.split(part))
        return {self.symbols(word): count for word, count in counts.items()}

    def alphabet(self, word_counts: Iterable[Word]) -> list[Symbol]:
        """List the first symbols a tokenizer knows: all 256 bytes, or the sorted characters.

        >>> SCHEMES["words"].alphabet([("l", "o", "w"), ("s", "o")])
        ['l', 'o', 's', 'w']

        Where the last character carries the marker, each character is there without it and with
        it, because one that was seen only within words may end a word of the next text.

        >>> scheme = SCHEMES["last_character"]
        >>> scheme.alphabet(scheme.word_counts("low so"))
        ['l', 'o', 's', 'w', 'l</w>', 'o</w>', 's</w>', 'w</w>']
        """
        if self.units is bytes:
            return list(BYTES)
        symbols = set().union(*word_counts)
        if self.marks_last:
            characters = sorted({symbol.removesuffix(self.marker) for symbol in symbols})
            return characters + [character + self.marker for character in characters]
        return sorted(symbols, key=str)

    def detokenize(self, symbols: Iterable[Symbol]) -> Symbol:
        """Undo `symbols` and `split` as far as the scheme allows; bytes stay bytes.

        >>> SCHEMES["end_of_word"].detokenize(["in", WordEnd("</w>"), WordEnd("a</w>")])
        'in a'
        """
        if self.units is bytes:
            return b"".join(symbols)
        text = "".join(map(self.plain, symbols))
        return text.removesuffix(" ") if self.marker else text

    def plain(self, symbol: str) -> str:
        """Write one symbol of a character scheme as text: a marker becomes a space.

        >>> SCHEMES["underscore"].plain("low_"), SCHEMES["end_of_word"].plain(WordEnd("low</w>"))
        ('low ', 'low ')
        """
        if not self.marker:
            return symbol
        if isinstance(symbol, WordEnd):
            return symbol.removesuffix(self.marker) + " "
        if isinstance(self.marker, WordEnd):
            return symbol
        return symbol.replace(self.marker, " ")  # a plain marker hides among plain characters

    def find_symbol(self, symbol: Symbol, text: str) -> int:
        """Return where the first character stands, in a text as it came in, that became a symbol.

        >>> SCHEMES["underscore"].find_symbol("d", "Oh, LORD")
        7
        """
        changed = self.change(text)
        if self.units is bytes:
            held = [symbol in character.encode("utf-8") for character in changed]
            place = held.index(True) if True in held else 0
        elif self.marks_last:
            character = symbol.removesuffix(self.marker)
            what_follows = r"(?!\S)" if symbol.endswith(self.marker) else r"(?=\S)"
            found = re.search(re.escape(character) + what_follows, changed)
            place = found.start() if found else 0
        else:
            place = max(changed.find(symbol), 0)
        if changed == text:
            return place
        # the first character with which more than the place is filled
        ends = range(1, len(text))
        return bisect_right(ends, place, key=lambda end: len(self.change(text[:end])))


def find_scheme(scheme: str | Scheme) -> Scheme:
    """Return the scheme of that name; ValueError, with the names there are, for any other."""
    if isinstance(scheme, Scheme):
        return scheme
    if not isinstance(scheme, str) or scheme not in SCHEMES:
        raise ValueError(f"scheme must be one of {', '.join(SCHEMES)}, not {scheme!r:.80}")
    return SCHEMES[scheme]


def check_text(text: str) -> None:
    """Raise ValueError unless ``text`` is a str that can be written as UTF-8."""
    if not isinstance(text, str):
        raise ValueError(f"a text must be a str, not {type(text).__name__}; decode bytes first")
    for start in range(0, len(text), PIECE):  # a copy of a large text as a whole takes much room
        try:
            text[start : start + PIECE].encode("utf-8")
        except UnicodeEncodeError as error:
            i = start + error.start
            raise ValueError(
                f"character {text[i]!r} at position {i} is half of a surrogate pair and not a "
                "character of its own; mend the text with "
                "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
            ) from None


def each_text(texts: str | Iterable[str]) -> Iterable[str]:
    """Return texts to go through: a single text counts as a list of one.

    >>> each_text("low"), each_text(["low", "lower"])
    (['low'], ['low', 'lower'])
    """
    if isinstance(texts, str):
        return [texts]
    if isinstance(texts, bytes) or not isinstance(texts, Iterable):
        raise ValueError(f"a text must be a str, or several of them, not {type(texts).__name__}")
    return texts


def split_special(
    text: str, names: Collection[str], lstrip: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    """Cut a text at special tokens; say of each part which one it is, "" for none.

    Where two could begin at the same place, the longest is taken. Those in ``lstrip`` take the
    white space before them, too.

    >>> list(split_special("a<|end|>b", ("<|end|>", "<|")))
    [('a', ''), ('<|end|>', '<|end|>'), ('b', '')]
    >>> list(split_special("a  <mask>", ["<mask>"], lstrip=["<mask>"]))
    [('a', ''), ('  <mask>', '<mask>'), ('', '')]

    Raises ValueError as `check_text` does.
    """
    check_text(text)
    start = 0
    if names:
        for match in name_pattern(tuple(names)).finditer(text):
            name = match.group()
            before = text[start : match.start()]
            if name in lstrip:
                before = before.rstrip(WHITE_SPACE)
            yield before, ""
            yield text[start + len(before) : match.end()], name
            start = match.end()
    yield text[start:], ""


def ordinary_parts(texts: str | Iterable[str], names: Collection[str]) -> Iterator[str]:
    """Yield the parts of a text, or of several, that lie between special tokens.

    >>> list(ordinary_parts(["a<|end|>b", "c"], ["<|end|>"]))
    ['a', 'b', 'c']
    """
    for text in each_text(texts):
        for part, name in split_special(text, names):
            if not name:
                yield part


SCHEMES: dict[str, Scheme] = {
    scheme.name: scheme
    for scheme in [
        Scheme("chars", "no split: merges may cross spaces", None, str),
        Scheme(
            "underscore",
            "lower case, punctuation set apart, split at spaces, each word ends in _",
            NO_SPACES,
            str,
            marker="_",
            prepare=lower_and_space,
            loses="case, spacing, underscores",
        ),
        Scheme(
            "words",
            "runs of word characters or of punctuation, no end marker",
            WORDS,
            str,
            loses="all spacing",
        ),
        Scheme(
            "end_of_word",
            "split at white space, each word ends in a symbol </w>",
            NO_WHITE_SPACE,
            str,
            marker=WordEnd("</w>"),
            loses="the kind and amount of white space",
            source="Sennrich, Haddow and Birch 2016",
        ),
        Scheme(
            "last_character",
            "split at white space, the last character of each word carries </w>",
            NO_WHITE_SPACE,
            str,
            marker=WordEnd("</w>"),
            marks_last=True,
            loses="the kind and amount of white space",
            source="subword-nmt 0.2; GPT-1 and CLIP",
        ),
        Scheme("bytes", "no split: the UTF-8 bytes of the whole text", None, bytes),
        Scheme(
            "gpt2",
            "letters, digits or signs with the space before them",
            GPT2,
            bytes,
            source="Radford et al. 2019",
        ),
        Scheme(
            "cl100k",
            "as gpt2, but digits by three, any case of 'll, line ends apart",
            CL100K,
            bytes,
            source="tiktoken, cl100k_base (GPT-4)",
        ),
        Scheme(
            "o200k",
            "as cl100k, but cut before capitals, marks and 'll kept with the word",
            O200K,
            bytes,
            source="tiktoken, o200k_base (GPT-4o)",
        ),
    ]
}
