"""Found: what is known about a program, and what it is asked in terms of the cases."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from bpe_further.conform.judge import says_the_same
from bpe_further.conform.replay import highest_left
from bpe_further.conform.splits import SPLITS, without_doubt
from bpe_further.conform.texts import CHANGES, MARK
from bpe_further.exercises.whole_programs import answer

Ask = Callable[[dict], dict]  # a request -> the answer, or what happened instead
SPACES_BECOME = "white space becomes"
CONDITIONAL = "İΣ"  # capitals that become two characters, or one or the other
ONLY_LETTERS = ", so only words of letters are asked"
OFFERED = {  # by a program that speaks the protocol, unless it says otherwise
    "moved": False,
    "only_met": False,
    "shown_as": "",
    "splits": [],
    "train": "training",
    "asked": [],
    "text": "a text",
    "then": "",
    "takes_words": False,
    "number": "the number of merges",
    "number_name": "merges",
    "merges_in": "its answers",
    "gives": "text",
    "frame": "",
    "encodes": True,
    "decodes": True,
    "saves": False,
}
TWO_WORDS = "ab cd"


@dataclass
class Found:
    """What is known about a program: what its adapter says (``told``), and what asking shows."""

    told: Mapping = field(default_factory=dict)
    keeps: bool = False  # it encodes with what it has learned, without being given merges
    split: str | None = None  # the one that it has; None: not one that we know
    splits: list[str] = field(default_factory=list)  # those that can be asked for
    cut: str | None = None  # the split by which the kit makes words for a program that wants words
    twice: bool = False  # words that occur once aren't counted, so each text is given twice
    change: str = ""  # one of `CHANGES`, that is made to each text first
    learns: bool = True  # it offers training
    ties: str = "not found out"
    stop: str = "not found out"
    why_no_split: str = "in no way that we know"  # that is said if there is no split
    split_fits: bool = True  # it explains each training of the probe, not only most of them
    lowers_otherwise: bool = False  # it makes other letters of capitals than we do
    spaces_otherwise: bool = False  # it treats white space beyond ASCII otherwise than we do
    space: str = ""  # the character that stands for a space in words
    loses_space: bool = False  # decoding doesn't make a space of it again
    spaces_as: str = ""  # the token of white space in encoding, where training drops white space
    marks_empty: bool = False  # white space at an end of a text makes an empty word with marks
    encodes_otherwise: str = ""  # what it does to a text to encode, but not to one to learn from
    in_encoding: Mapping = field(default_factory=dict)  # those of these habits that are others then
    least: int = 1  # how often a pair must occur
    unknown: str = "not found out"
    notes: list[str] = field(default_factory=list)  # what no case asks, and readers should know
    why: str | None = None  # it can't be asked

    @property
    def by_characters(self) -> bool:
        """Whether its symbols are characters, not bytes."""
        return self.told.get("alphabet") == "characters"

    @property
    def is_marked(self) -> bool:
        """Whether there is something before or after the characters of each word."""
        return bool(self.told.get("before") or self.told.get("after"))

    @property
    def drops_spaces(self) -> bool:
        """Whether its split drops white space."""
        return "".join(self.words(TWO_WORDS, self.split)) != TWO_WORDS

    # ---- requests for the judge, which say what the program was asked in terms of the cases

    def symbols(self, word: str) -> list[str]:
        """Return the symbols of a word, with the marks that the program puts around it."""
        before, after = self.told.get("before", ""), self.told.get("after", "")
        symbols = list(word.replace(" ", self.space or " "))
        if self.told.get("is_joined"):
            symbols[0] = before + symbols[0]
            symbols[-1] += after
            return symbols
        return [one for one in [before, *symbols, after] if one]

    def words(self, text: str, split: str | None, to_learn: bool = False) -> list[str]:
        """Return the words of a text; with an unknown split, a word of letters is one word."""
        return SPLITS[self.known(split)].words(self.changed(text), to_learn)

    def training(self, text: str, split: str | None, merges: int, got: Mapping | None = None):
        """Return the request by which a training is judged.

        If a program learns as many merges as it likes, or no rare ones, it counts as asked for
        the merges that it ``got``.
        """
        text = self.given(text)
        asked = {"do": "train", "text": self.changed(text), "split": self.known(split)}
        if self.by_characters:
            words = [[self.symbols(word), 1] for word in self.words(text, split, to_learn=True)]
            asked = {"do": "train_words", "words": words}
        asked |= {"merges": merges, "ties": "any"}
        given = (got or {}).get("merges")
        least = self.least if self.least > 2 else 1  # of two, there is a convention
        if isinstance(given, list) and self.may_stop_after(asked, given, least):
            asked["merges"] = len(given)
        return asked

    def may_stop_after(self, asked: Mapping, given: list, least: int) -> bool:
        """Return whether a program that has its own rule may stop with these merges.

        ``least`` says how often a pair must occur for the program to go on.
        """
        if self.told and self.told["number_name"] is None:
            return True
        if least < 2 or len(given) >= asked["merges"]:
            return False
        try:
            return highest_left(asked, given) < least
        except (TypeError, ValueError, IndexError):  # these are no merges
            return False

    def encoding(self, text: str, split: str | None, merges: list) -> dict:
        """Return the request by which an encoding is judged."""
        if self.by_characters:
            words = [self.symbols(word) for word in self.words(text, split)]
            return {"do": "encode_words", "words": words, "merges": merges}
        text = self.changed(text)
        return {"do": "encode", "text": text, "split": self.known(split), "merges": merges}

    def encodes_so(self, text: str, split: str | None, merges: list, got: Mapping) -> bool:
        """Return whether an answer is what the other treatment of texts to encode gives."""
        if self.encodes_otherwise.startswith(SPACES_BECOME):
            mark = self.encodes_otherwise.removeprefix(f"{SPACES_BECOME} ")
            tokens = got.get("tokens") or []
            right = answer(self.encoding(text, split, merges))
            return mark in tokens and right == {"tokens": [one for one in tokens if one != mark]}
        other, split = replace(self, **self.in_encoding), self.in_encoding.get("split", split)
        if is_text(got.get("text")):
            right = "".join(other.words(text, split))
            return self._without_unchanged(got["text"]) == self._without_unchanged(right)
        right = answer(other.encoding(text, split, merges))
        given = got.get("tokens")
        if self.by_characters and isinstance(given, list) and all(map(is_text, given)):
            right = right["tokens"]
            return self._without_unchanged(given) == self._without_unchanged(right)
        return says_the_same(right, got)

    def _without_unchanged(self, parts: str | list) -> list:
        """Return characters or tokens, without those that training changes, and marks.

        If only training changes texts, encoding may give a mark for what training never met.
        """
        if self.in_encoding.get("change") != "":
            return [*parts]
        if isinstance(parts, str):
            parts = MARK.sub("", parts)
        return [one for one in parts if self.changed(one) == one and not MARK.fullmatch(one)]

    def known(self, split: str | None) -> str:
        """Return a split that does the same as an unknown one on the texts that are asked."""
        return split or ("white space" if self.twice else "none")

    def given(self, text: str) -> str:
        """Return the text that a program is given to learn from."""
        return f"{text} {text}" if self.twice else text

    def asking(self, text: str, split: str | None, merges: int) -> dict:
        """Return the request that asks a program to learn from a text."""
        request = {"do": "train", "text": self.given(text), "split": split, "merges": merges}
        request["ties"] = "any"
        return request | ({"cut": self.cut} if self.cut else {})

    def changed(self, text: str) -> str:
        """Return a text as the program changes it before it does anything else."""
        return CHANGES[self.change](text)

    def without_doubt(self, text: str, split: str | None) -> str:
        """Return a text without those characters whose treatment by the program isn't known."""
        return "".join(one for one in text if not self._is_doubtful(one, split or "none"))

    def _is_doubtful(self, character: str, split: str) -> bool:
        if character == self.space:  # it may become a space again
            return True
        if self.spaces_otherwise and character.isspace() and not character.isascii():
            return True
        if self.lowers_otherwise and character != character.lower():
            return True
        if "lower case" in self.change and character in CONDITIONAL:
            return True
        both = character + self.changed(character)
        return without_doubt(both, split) != both

    # ---- the report's first lines

    def lines(self) -> list[str]:
        """Return what was found in four lines, and a line for each note."""
        notes = [f"         {note}" for note in self.notes]
        if not self.told:
            offered = ", ".join(self.splits) or "none that we know"
            return [f"found    speaks the protocol; splits: {offered}", self._habits(), *notes]
        told = self.told
        split = self._split_in_words()
        takes = f"takes {told['text']}"
        if self.cut:
            split += f"; {told['train']} takes words, which the kit makes in this way"
            is_table = told["text"].startswith("a table")
            takes = f"takes {told['text']}" if is_table else "takes a list of words"
        if told["number_name"] is None:
            takes += ", and learns as many merges as it likes"
        else:
            takes += f", {told['number_name']} is {told['number']}"
        if told.get("number_guessed"):
            takes += " (a guess)"
        if told["then"]:
            takes += f", and then {told['then']}() is called"
        gives = f"decoding gives {told['gives']}"
        for what, offered in (("decodes", told["decodes"]), ("encodes", told["encodes"])):
            gives = gives if offered else f"there is nothing that {what}"
        if told["asked"]:
            gives += f"; asked as well: {', '.join(told['asked'])}"
        if told["frame"]:
            gives += f"; each text is framed: {told['frame']}, which is left out here"
        return [
            f"found    symbols: {self._symbols_in_words()}; merges in {told['merges_in']}",
            f"         split: {split}",
            f"         {told['train']} {takes}; {gives}",
            self._habits(),
            *self._otherwise(),
            *notes,
        ]

    def basis(self, do: str) -> str:
        """Return the habits on which the right answer to what is asked rests."""
        merges = f"merges: those in {self.told['merges_in']}"
        split = self._split_in_words() if self.split else "none, since a word of letters is asked"
        rests = [f"symbols: {self._symbols_in_words()}", f"split: {split}"]
        if do.startswith("decode"):
            rests = [merges]
        elif do.startswith("train"):
            rests.append("of equally frequent pairs, any may come first")
        else:
            rests.append(merges)
        return "; ".join(rests)

    def _symbols_in_words(self) -> str:
        """Return what the symbols are, and how words are marked."""
        told = self.told
        symbols = "bytes" if not self.by_characters else "characters"
        if told["only_met"]:
            symbols += " (only those that training met)"
        elif told["moved"]:
            symbols += " (whose ids are not their values)"
        if told["shown_as"]:
            symbols += f", shown as {told['shown_as']}"
        if self.space:
            symbols += f", a space is shown as {self.space}"
        if self.by_characters and self.is_marked:
            symbols += f", a word is marked: {told['before']}word{told['after']}"
        return symbols

    def _split_in_words(self) -> str:
        """Return how texts are changed and split."""
        if len(self.splits) > 1:
            return f"by the pattern that it is given ({' and '.join(self.splits)} are asked)"
        split = SPLITS[self.split].about if self.split else self.why_no_split + ONLY_LETTERS
        if not self.split_fits:
            split = f"most like this, but not always: {split}"
        if self.twice:
            split += "; words that occur once aren't counted, so each text is given twice"
        if self.change:
            split += f"; texts are changed first: {self.change}"
        if self.lowers_otherwise:
            split += ", in a way of its own, so only texts without capitals are asked"
        if self.spaces_otherwise:
            split += "; white space beyond ASCII is treated otherwise, and isn't asked"
        if self.marks_empty:
            split += "; no text, and white space at the ends of a text, make empty words with marks"
            split += ", and aren't asked"
        return split

    def _habits(self) -> str:
        """Return a line on how a program learns, and what it does with ids that it doesn't have."""
        learns = f"ties: {self.ties}; stops {self.stop}" if self.learns else "it offers no training"
        return f"         {learns}; unknown ids: {self.unknown}"

    def _otherwise(self) -> list[str]:
        """Return a line on texts to encode, if they aren't treated as texts to learn from are."""
        if self.spaces_as:
            only = "so only texts without white space are encoded here"
            return [f"         in encoding, {SPACES_BECOME} {self.spaces_as}, {only}"]
        if not self.encodes_otherwise:
            return []
        return [f"         but what it encodes is treated otherwise: {self.encodes_otherwise}"]


def train(ask: Ask, found: Found, text: str, merges: int, split: str | None = None) -> dict:
    """Ask a program to learn from a text, and return the answer."""
    return ask(found.asking(text, split or found.split, merges))


def pairs_of_texts(merges) -> list:
    """Return the merges of a program of characters, which should be pairs of texts."""
    if not isinstance(merges, list):
        return []
    return [pair for pair in merges if isinstance(pair, list) and all(map(is_text, pair))]


def is_text(value) -> bool:
    """Return whether a value is a text."""
    return isinstance(value, str)
