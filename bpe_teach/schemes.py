"""Schemes: how a text becomes words, how a word becomes its first symbols, and the way back.

A text is split into words before anything is merged; other programs call this step
*pre-tokenization*. There are several conventions for it. The table `SCHEMES` has a row for each
convention, so to add a convention is to add a row.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from bpe_teach import patterns
from bpe_teach.pairs import Symbol, Word
from bpe_teach.symbols import WordEnd

BYTES = [bytes([byte]) for byte in range(256)]  # made once, because every word needs them


def lower_and_space(text: str) -> str:
    """Return a text in lower case, with spaces for newlines and spaces around punctuation.

    >>> lower_and_space('"Oh," I said.').split()
    ['"', 'oh', ',', '"', 'i', 'said', '.']
    """
    return re.sub(r"""([.,!?;:'"-])""", r" \1 ", text.lower().replace("\n", " "))


@dataclass(frozen=True)
class Scheme:
    """One convention: a row of the table ``SCHEMES``."""

    name: str
    about: str  # how a text becomes words, in one sentence
    pattern: str | None  # a match is a word; None: the whole text is one word
    units: type  # str or bytes: what the first symbols are
    marker: str = ""  # a symbol put at the end of every word
    marks_last: bool = False  # whether the marker is part of the last character, not a symbol
    prepare: Callable[[str], str] | None = None  # changes the text before it is split
    loses: str = "nothing"  # says what decoding cannot restore
    source: str = ""
    # Skip these two fields at first: in the core, only files.py needs the first of them, and no
    # module needs the second. They are here because a scheme is one row.
    ends_words: str = ""  # a long file may be cut before this white space, after a letter or digit
    # Engines that find the same words with this pattern, once it is respelled for them: then the
    # playground (pictures/javascript.py) or Hugging Face's files can hold the scheme.
    elsewhere: tuple[str, ...] = ()

    def __post_init__(self):  # Python calls it when the fields are set
        # The published patterns are known to be correct, and compiling them at import takes time.
        if self.pattern and self.pattern not in patterns.PUBLISHED:
            patterns.compile_pattern(self.pattern)  # ValueError if the pattern can't be compiled

    @property
    def lossless(self) -> bool:
        """Return whether decoding gives back every text exactly, according to the scheme's row."""
        return self.loses == "nothing"

    def split(self, text: str) -> list[str]:
        """Return the words of a text as strings, without the marker.

        >>> SCHEMES["gpt2"].split("I'm low, lower")
        ['I', "'m", ' low', ',', ' lower']
        """
        check_text(text)
        text = self.change(text)
        if self.pattern is None:
            return [text] if text else []  # an empty text has no words
        words = patterns.find_words(self.pattern, text)
        if self.lossless and "".join(words) != text:
            raise ValueError(
                f"the pattern {self.pattern!r:.80} leaves out some of {text!r:.80}: say what the "
                "scheme loses (loses='…'), or let the pattern match every character"
            )
        return words

    def change(self, text: str) -> str:
        """Return a text as the scheme changes it before splitting (a step called *normalization*).

        >>> SCHEMES["underscore"].change("Low, low")
        'low ,  low'
        """
        return self.prepare(text) if self.prepare else text

    def symbols(self, word: str) -> Word:
        """Return the first symbols of a word: characters or single bytes, and the marker.

        >>> SCHEMES["end_of_word"].symbols("low"), SCHEMES["bytes"].symbols("é")
        (('l', 'o', 'w', WordEnd('</w>')), (b'\\xc3', b'\\xa9'))
        """
        if self.units is bytes:
            return tuple(BYTES[byte] for byte in word.encode("utf-8"))
        if not self.marker:
            return tuple(word)  # the characters of the word
        if self.marks_last:
            return (*word[:-1], word[-1] + self.marker)
        return (*word, self.marker)

    def word_counts(self, text: str | Iterable[str]) -> dict[Word, int]:
        """Return the distinct words of one or more texts with counts, in order of appearance.

        >>> SCHEMES["underscore"].word_counts("Low low.")
        {('l', 'o', 'w', '_'): 2, ('.', '_'): 1}
        """
        counts = Counter()  # word -> count; the word is a str, which counts faster than a tuple
        for part in as_texts(text):
            counts.update(self.split(part))
        return {self.symbols(word): count for word, count in counts.items()}

    def alphabet(self, words: Iterable[Word]) -> list[Symbol]:
        """Return the first symbols that a tokenizer knows: all 256 bytes, or sorted characters.

        >>> SCHEMES["words"].alphabet([("l", "o", "w"), ("s", "o")])
        ['l', 'o', 's', 'w']
        """
        if self.units is bytes:
            return list(BYTES)
        symbols = set().union(*words)
        if self.marks_last:
            # A character that was seen only inside words may end a word in the next text.
            characters = sorted({symbol.removesuffix(self.marker) for symbol in symbols})
            return characters + [character + self.marker for character in characters]
        return sorted(symbols)  # so that ids do not depend on the order of a set

    def plain(self, symbol: str) -> str:
        """Return one symbol of a character scheme as text: a marker becomes a space.

        >>> SCHEMES["underscore"].plain("low_"), SCHEMES["words"].plain("low_")
        ('low ', 'low_')
        >>> plain = SCHEMES["end_of_word"].plain
        >>> plain(WordEnd("low</w>")), plain("low</w>")  # the second was text that looks like it
        ('low ', 'low</w>')
        """
        if not self.marker:
            return symbol
        if isinstance(symbol, WordEnd):
            return symbol.removesuffix(self.marker) + " "
        if isinstance(self.marker, WordEnd):
            return symbol  # a plain str holds no marker, even if it is spelled like one
        # The marker is a plain character, such as "_". The same character of a text looks no
        # different, so a_b becomes "a b".
        return symbol.replace(self.marker, " ")

    def find_character(self, symbol: str, text: str) -> int:
        """Return the position of the first character that, changed alone, holds ``symbol``.

        If no character does, return the position of ``symbol`` in the changed text. The last letter
        of ΟΔΟΣ is such a case: alone it is changed to σ, but at the end of a word it is changed to
        ς.

        >>> SCHEMES["underscore"].find_character("d", "Oh, LORD")
        7
        """
        wanted = symbol.removesuffix(self.marker)
        found = (i for i, character in enumerate(text) if wanted in self.change(character))
        return next(found, self.change(text).find(wanted))  # the second, if neighbours matter


def find_scheme(scheme: str | Scheme) -> Scheme:
    """Return the scheme with the given name; if a scheme is given, return it unchanged."""
    if isinstance(scheme, Scheme):
        return scheme
    if not isinstance(scheme, str) or scheme not in SCHEMES:
        names = ", ".join(SCHEMES)
        raise ValueError(f"scheme must be one of {names}, not {scheme!r:.80}")
    return SCHEMES[scheme]


def check_text(text: str) -> None:
    """Raise ValueError unless ``text`` is a str that can be written as UTF-8."""
    if not isinstance(text, str):
        advice = "pass one str"
        if isinstance(text, bytes):
            advice = "decode it first: text.decode('utf-8')"
        elif isinstance(text, Iterable):
            advice = "take one text at a time: [tok.encode(text) for text in texts]"
        raise ValueError(f"a text must be a str, not {type(text).__name__}; {advice}")
    # UTF-16 writes an emoji as two numbers, a surrogate pair. If a program cuts between the two,
    # half a pair is left: a code point that stands for no character (notebook 04) and that UTF-8
    # cannot write.
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            f"character {text[error.start]!r} at position {error.start} is half of a surrogate "
            "pair and not a character of its own; mend the text with "
            "text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')"
        ) from None  # the error of `encode` would only confuse


def as_texts(texts: str | Iterable[str]) -> Iterator[str]:
    """Yield each of several texts; a single text counts as a list of one text.

    >>> list(as_texts("low")), list(as_texts(["low", "lower"]))
    (['low'], ['low', 'lower'])
    """
    if isinstance(texts, str):
        texts = [texts]  # otherwise its characters would be the texts
    if isinstance(texts, bytes) or not isinstance(texts, Iterable):
        raise ValueError(f"pass a text (a str) or several, not {type(texts).__name__}")
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise ValueError(f"text {number} must be a str, not {type(text).__name__}")
        yield text


WHITE = " \t\r\n"
EVERYWHERE = ("javascript", "oniguruma")  # the engines of browsers and of Hugging Face's library
# fmt: off
_ROWS = [
    Scheme("chars", "no split: merges may cross spaces", None, str),
    Scheme("underscore", "lower case, punctuation set apart, split at spaces, each word ends in _",
           patterns.NO_SPACES, str, marker="_", prepare=lower_and_space,
           loses="case, spacing, underscores",
           elsewhere=("javascript",), ends_words=" \n"),  # only these: a tab belongs to its word
    Scheme("words", "runs of word characters or of punctuation, no end marker",
           patterns.WORDS, str, loses="all spacing", ends_words=WHITE, elsewhere=("javascript",)),
    Scheme("end_of_word", "split at white space, each word ends in a symbol </w>",
           patterns.NO_WHITE_SPACE, str, marker=WordEnd("</w>"),
           loses="the kind and amount of white space", source="Sennrich, Haddow and Birch 2016",
           ends_words=WHITE, elsewhere=("javascript",)),
    Scheme("last_character", "split at white space, the last character of each word carries </w>",
           patterns.NO_WHITE_SPACE, str, marker=WordEnd("</w>"), marks_last=True,
           loses="the kind and amount of white space", source="subword-nmt 0.2; GPT-1 and CLIP",
           ends_words=WHITE, elsewhere=("javascript",)),
    Scheme("bytes", "no split: the UTF-8 bytes of the whole text", None, bytes),
    Scheme("gpt2", "letters, digits or signs with the space before them",
           patterns.GPT2, bytes, source="Radford et al. 2019",
           ends_words=WHITE, elsewhere=EVERYWHERE),
    Scheme("cl100k", "as gpt2, but digits by three, any case of 'll, a sign kept before letters",
           patterns.CL100K, bytes, source="tiktoken, cl100k_base (GPT-4)",
           ends_words=WHITE, elsewhere=EVERYWHERE),
    Scheme("o200k", "as cl100k, but camelCase is cut; marks and 'll stay with the word",
           patterns.O200K, bytes, source="tiktoken, o200k_base (GPT-4o)",
           ends_words=WHITE, elsewhere=EVERYWHERE),
]
# fmt: on
SCHEMES: dict[str, Scheme] = {scheme.name: scheme for scheme in _ROWS}
