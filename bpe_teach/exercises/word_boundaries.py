"""Exercises of notebook 02: a splitter, a bag of words, twins, a bug to find and to mend."""

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from bpe_teach.exercises.char_bpe import ENDS_TOO_EARLY, check_word_and_pair
from bpe_teach.exercises.exercise import Function, Hunt, Value
from bpe_teach.exercises.program import Part, program
from bpe_teach.exercises.record import record as record
from bpe_teach.pairs import merge_pair
from bpe_teach.schemes import SCHEMES, check_text

# Words with the space before them.

WHITE_SPACE_TOO = "tabs and line ends are white space too: a new word begins there."


def solve_split_words(text):
    words = []
    for character in text:
        if character.isspace() or not words:
            words.append("")
        words[-1] += character
    return words


def _split_and_drop(text):
    return text.split()


def _split_at_spaces(text):
    return text.split(" ")


def _split_with_space_behind(text):
    return re.findall(r"\S*\s|\S+", text)


def _split_all_with_space(text):
    return [" " + word for word in text.split()]


def _split_without_doubles(text):
    return re.findall(r" ?\S+", text)


def _split_at_spaces_only(text):
    return re.findall(" [^ ]*|[^ ]+", text)


def _split_at_spaces_and_put_them_back(text):
    first, *others = text.split(" ")
    return [first, *(" " + word for word in others)]


def _split_and_put_spaces_back(text):
    words = text.split()
    return words[:1] + [" " + word for word in words[1:]]


def _split_with_empty_words(text):
    words = [""]
    for character in text:
        if character.isspace():
            words.append("")
        words[-1] += character
    return words


def _split_runs_together(text):
    return re.findall(r"\s*\S+|\s+", text)


def _split_off_the_first(text):
    return [text[:1]] if text else None


split_words = Part(
    "write split_words(text): a list of words. Each white-space character begins a new word and "
    "belongs to it. Joined together, the words give the text back.",
    solve_split_words,
    cases=[
        (("the low tower",), ["the", " low", " tower"]),
        (("low  tower",), ["low", " ", " tower"]),
        (("low\ntower",), ["low", "\ntower"]),
        (("a\tb c",), ["a", "\tb", " c"]),
        ((" low ",), [" low", " "]),
        (("low, lower",), ["low,", " lower"]),
        (("low",), ["low"]),
    ],
    slips=[
        (_split_and_drop, "the spaces are gone, so the words don't give the text back."),
        (_split_at_spaces, "split throws the spaces away; keep each with its word."),
        (_split_with_space_behind, "the space belongs to the next word, not to the one before."),
        (
            _split_all_with_space,
            "the words should give the text back: a word without a space before it gets none.",
        ),
        (
            _split_without_doubles,
            "of two white-space characters in a row, one is lost; the first is a word of its own.",
        ),
        (_split_at_spaces_only, WHITE_SPACE_TOO),
        (_split_at_spaces_and_put_them_back, WHITE_SPACE_TOO),
        (
            _split_and_put_spaces_back,
            "split() forgets how much white space there was, and of which kind, so the one space "
            "put back is a guess. Go through the text character by character.",
        ),
        (
            _split_with_empty_words,
            "no word may be empty: when a text begins with a space, nothing comes before it.",
        ),
        (
            _split_runs_together,
            "nothing is lost. But of several white-space characters in a row, each begins a word "
            "of its own.",
        ),
        (_split_off_the_first, ENDS_TOO_EARLY),
    ],
    draw=lambda chance: ("".join(chance.choices("ab  \n", k=chance.randint(1, 12))),),
    hints=[
        "go through the text character by character; character.isspace() says whether it is white "
        "space.",
        "at white space, begin a new word: words.append(character). Otherwise add the character "
        "to the last word: words[-1] += character.",
        "what if there is no last word yet, because the text begins with a letter?",
    ],
)


# A bag of words.


def solve_bag_of_words(words):
    bag = {}
    for word in words:
        bag[word] = bag.get(word, 0) + 1
    return bag


def _bag_without_counts(words):
    return dict.fromkeys(words, 1)


def _bag_of_letters(words):
    return dict(Counter("".join(words)))


def _bag_in_alphabetical_order(words):
    return dict(sorted(Counter(words).items()))


def _bag_most_frequent_first(words):
    return dict(Counter(words).most_common())


def _bag_of_repeats(words):
    return {word: count - 1 for word, count in solve_bag_of_words(words).items()}


def _bag_of_the_first(words):
    return {words[0]: 1} if words else None


bag_of_words = Part(
    "write bag_of_words(words): a dictionary {word: how often it occurs}, with the words in the "
    "order in which they first appear.",
    solve_bag_of_words,
    cases=[
        ((["low", "low", "slow"],), {"low": 2, "slow": 1}),
        ((["slow", "low", "low"],), {"slow": 1, "low": 2}),
        ((["to", "be", "or", "to", "be"],), {"to": 2, "be": 2, "or": 1}),
        ((["low", "Low"],), {"low": 1, "Low": 1}),
        (([],), {}),
    ],
    slips=[
        (_bag_without_counts, "each word counts only once here, however often it occurs."),
        (_bag_of_letters, "that counts letters; the bag counts words."),
        (
            _bag_in_alphabetical_order,
            "the counts are right, but the words are in alphabetical order. Keep the order in "
            "which words are met: it decides ties.",
        ),
        (
            _bag_most_frequent_first,
            "the counts are right, but the bag has the frequent words first. Keep the order in "
            "which words are met: it decides ties.",
        ),
        (_bag_of_repeats, "the first time counts too: a new word begins with 1, not with 0."),
        (_bag_of_the_first, ENDS_TOO_EARLY),
    ],
    draw=lambda chance: (chance.choices(["low", "slow", "to", "be"], k=chance.randint(0, 9)),),
    in_order=True,
    long=([str(n % 1500) for n in range(3000)],),
    slow="Does it read all words again for each word? A story has 10,000 of them.",
    hints=[
        "begin with an empty dictionary; for each word, add 1 to its count.",
        "bag.get(word, 0) is the count so far, or 0 for a word that is new.",
    ],
)

lo_in_bag = Value(
    "how often does the pair (l, o) occur in the text that the bag was made from?",
    8,
    [
        (5, "the pair is in five distinct words, but a word of the bag may occur several times."),
        (4, "every word of the bag holds the pair, slow and slower included."),
        (1, "the pair occurs once in each word, and there is more than one word."),
    ],
    because="the pair occurs once in each word: 3 + 1 + 1 + 2 + 1.",
    hints=["which of the five words hold (l, o)? Add up their counts."],
)


# Do the conventions keep the neighbours out?

cured = Value(
    "under how many of the four schemes is light split in the same way in all four phrases? "
    "Answer with a number.",
    2,
    [
        (
            4,
            "no neighbour can reach in any more. But what marks the boundary is now part of the "
            "word: light! and ' light' are not light.",
        ),
        (
            3,
            "two schemes let something else into the word. One takes in the space before it. "
            "Which one takes in the exclamation mark?",
        ),
        (
            1,
            "the scheme that sets punctuation apart is right, but there is another: which one "
            "keeps only letters in a word?",
        ),
        (0, "some schemes do it: whose words hold neither a space nor an exclamation mark?"),
    ],
    because="under underscore and words. To gpt2, light with a space before it is another word; "
    "to end_of_word, the exclamation mark belongs to the word.",
    hints=["write down, for each scheme, the words in which the letters l i g h t end up."],
)


# What can be undone, and which texts become the same tokens.


@dataclass(frozen=True, repr=False)
class _Selection(Value):
    """A question whose answer is one or more of several names, in any order, as a list or a text.

    >>> asked = _Selection("which are vowels?", "AE", names="ABCDE")
    >>> [asked.check(answer).kind for answer in ("AE", "e, a", ["E", "A"], "AB")]
    ['right', 'right', 'right', 'wrong']
    """

    names: Sequence[str] = field(default=(), kw_only=True)

    def _judge(self, *parts):
        """Return whether the right names were selected."""
        answer = parts[0] if len(parts) == 1 else parts
        if isinstance(answer, str | list | tuple | set):
            text = answer if isinstance(answer, str) else " ".join(map(str, answer))
            pattern = "|".join(self.names)
            if not re.search(r"\w", re.sub(pattern, "", text, flags=re.IGNORECASE)):
                found = re.findall(pattern, text.lower(), re.IGNORECASE)
                chosen = [name for name in self.names if name.lower() in found]
                answer = "".join(chosen) if isinstance(self.right, str) else chosen
        return super()._judge(answer)


def _wrong_selections(right: Sequence[str], reasons: Mapping[str, str]) -> dict[tuple, str]:
    """Return every wrong selection, and what is wrong with its first wrong name."""
    slips = {}
    for size in range(len(reasons) + 1):
        for chosen in combinations(reasons, size):
            wrong = [name for name in reasons if (name in chosen) != (name in right)]
            if wrong:
                slips[chosen] = reasons[wrong[0]]
    return slips


NAMES = ("underscore", "words", "end_of_word", "gpt2")
BACK = _wrong_selections(
    ["end_of_word", "gpt2"],
    {
        "underscore": "underscore marks the ends of words, but it has put the T in lower case and "
        "a space before each comma.",
        "words": "the scheme words keeps nothing that says where a space was.",
        "end_of_word": "there is another one. Each gap of this text is a single space: which "
        "scheme puts one after each word?",
        "gpt2": "gpt2 keeps the space itself, so it has nothing to guess.",
    },
) | {
    NAMES: "how would the scheme words know that there was a space? And underscore has put the "
    "T in lower case.",
    ("gpt2",): "gpt2 gives every text back. But another scheme gives this text back too, because "
    "each of its gaps is a single space.",
    (): "two of them do it: look at what happens to the spaces under each scheme.",
}

comes_back = _Selection(
    'under which schemes is "The low light, lower still, is lowest." decoded exactly as it was? '
    "Answer with a list of names.",
    ["end_of_word", "gpt2"],
    [(list(chosen), why) for chosen, why in BACK.items()],
    names=NAMES,
    because="gpt2 keeps the spaces; end_of_word puts one after each </w>, which happens to be "
    "right here.",
    hints=["what does each scheme do with capital letters, and what with a space?"],
)


def _first_symbols(scheme: str, text: str) -> list:
    scheme = SCHEMES[scheme]
    return [symbol for word in scheme.split(text) for symbol in scheme.symbols(word)]


def _same_tokens(one, other):
    """Return whether two texts should have the same tokens: only equal texts should."""
    for text in (one, other):
        check_text(text)
        if not any(character.isalpha() for character in text):
            raise ValueError("each text must have a letter")
    return one == other


def _same_under_underscore(one, other):
    return _first_symbols("underscore", one) == _first_symbols("underscore", other)


def _same_under_words(one, other):
    return _first_symbols("words", one) == _first_symbols("words", other)


def _same_under_end_of_word(one, other):
    return _first_symbols("end_of_word", one) == _first_symbols("end_of_word", other)


TWINS = "find two different texts that become the same tokens under {}: check(one, other)."

twins_of_underscore = Hunt(
    TWINS.format("underscore"),
    _same_under_underscore,
    _same_tokens,
    ("a", "A"),
    hints=[
        "what does it lose? print(SCHEMES['underscore'].loses) tells you.",
        "write one of the texts in capitals. Then look for smaller twins: what happens to a space?",
    ],
)

twins_of_words = Hunt(
    TWINS.format("words"),
    _same_under_words,
    _same_tokens,
    ("a", " a"),
    hints=["nothing marks where a word ends. What if two words follow each other without a gap?"],
)

twins_of_end_of_word = Hunt(
    TWINS.format("end_of_word"),
    _same_under_end_of_word,
    _same_tokens,
    ("a", " a"),
    hints=["the marker says that there was a gap. Does it say what was in the gap?"],
)

PAIRS = """
  A  'one\\ntwo'     'one two'
  B  'one\\r\\ntwo'   'one two'
  C  'one\\ttwo'     'one two'
  D  'One two'      'one two'
  E  'one, two'     'one , two'"""

UNDERSCORE_TWINS = _wrong_selections(
    "ADE",
    {
        "B": "a Windows line end is two characters, \\r and \\n. Only the \\n becomes a space; the "
        "\\r stays, as the last letter of its word.",
        "C": "underscore splits at spaces only; a tab stays inside its word, like a letter.",
        "A": r"what does the scheme do with a \n before it splits?",
        "D": "look at the first letter: is a capital still a capital under this scheme?",
        "E": "punctuation is set apart by spaces. Can you still tell whether there was one before?",
    },
) | {
    ("B", "C"): "those are the two that are not twins: \\r and tab stay inside words.",
    ("B", "C", "A", "D", "E"): "text.split() would split at all white space. This scheme splits "
    r"at spaces and \n only; \r and tab stay inside words.",
    (): "some are: which of these differences does the scheme wipe out?",
}
END_OF_WORD_TWINS = _wrong_selections(
    "ABC",
    {
        "D": "end_of_word changes no letter: a capital stays a capital.",
        "E": "a comma stays with its word here: 'one,' is a word, and so is ','.",
        "A": "a \\n is white space; does the marker say which white space it was?",
        "B": "\\r and \\n are white space too, and any amount of it ends one word.",
        "C": "a tab is white space too, and the marker does not say which it was.",
    },
) | {
    ("D", "E", "A"): "that is true for underscore. end_of_word changes no letter, and it splits "
    "at white space.",
    ("A",): "a tab and \\r\\n are white space too, and the marker does not say which it was.",
}

line_ends = _Selection(
    "which of these pairs are twins under underscore? Answer with their letters, as in 'BC'."
    + PAIRS,
    "ADE",
    [("".join(sorted(chosen)), why) for chosen, why in UNDERSCORE_TWINS.items()],
    names="ABCDE",
    because=r"\r and tab are not spaces to this scheme. So the same text, saved on Windows, "
    "becomes other tokens.",
    hints=[
        "write down, for each text, the words that underscore makes of it.",
        "list(SCHEMES['underscore'].split('one\\ttwo')) shows the words.",
    ],
)

line_ends_again = _Selection(
    "and which of these pairs are twins under end_of_word?" + PAIRS,
    "ABC",
    [("".join(sorted(chosen)), why) for chosen, why in END_OF_WORD_TWINS.items()],
    names="ABCDE",
    because="any white space, and any amount of it, becomes the end of a word.",
    hints=["list(SCHEMES['end_of_word'].split('one\\ttwo')) shows the words."],
)


# A bug to find, and to mend.


def _sloppy_merge(word, pair):
    return tuple(" ".join(word).replace(" ".join(pair), "".join(pair)).split())


def _merge_pair(word, pair):
    """Return a word with a pair merged, after checking both."""
    check_word_and_pair(word, pair)
    if any(symbol.split() != [symbol] for symbol in (*word, *pair)):
        raise ValueError("here a symbol must have no white space")
    return merge_pair(word, pair)


sloppy_merge = Hunt(
    "find a word and a pair for which sloppy_merge goes wrong: check(word, pair), both tuples.",
    _sloppy_merge,
    _merge_pair,
    (("ab", "c"), ("b", "c")),
    hints=[
        "a symbol can be longer than one character.",
        "print the string in which it replaces, for a word that has a symbol of two characters.",
        "what if a symbol ends in the same way as the pair begins?",
    ],
)


INSIDE_SYMBOLS = "this looks inside symbols: es t holds the text s t, but its symbols are es and t."
NOT_ESCAPED = (
    "some characters have a meaning in a pattern: a full stop stands for any character. re.escape "
    "makes them stand for themselves."
)


def solve_merge_in_a_string(word, pair):
    pattern = r"(?<!\S)" + re.escape(" ".join(pair)) + r"(?!\S)"
    merged = re.sub(pattern, lambda match: "".join(pair), " ".join(word))
    return tuple(merged.split())


def _merge_with_plain_pattern(word, pair):
    pattern = r"(?<!\S)" + " ".join(pair) + r"(?!\S)"
    return tuple(re.sub(pattern, lambda match: "".join(pair), " ".join(word)).split())


def _merge_with_plain_re_sub(word, pair):
    return tuple(re.sub(" ".join(pair), "".join(pair), " ".join(word)).split())


def _merge_with_escaped_re_sub(word, pair):
    pattern = re.escape(" ".join(pair))
    return tuple(re.sub(pattern, "".join(pair), " ".join(word)).split())


def _merge_with_plain_pattern_and_replacement(word, pair):
    pattern = r"(?<!\S)" + " ".join(pair) + r"(?!\S)"
    return tuple(re.sub(pattern, "".join(pair), " ".join(word)).split())


def _merge_with_plain_replacement(word, pair):
    pattern = r"(?<!\S)" + re.escape(" ".join(pair)) + r"(?!\S)"
    return tuple(re.sub(pattern, "".join(pair), " ".join(word)).split())


def _merge_at_letter_borders(word, pair):
    pattern = r"\b" + re.escape(" ".join(pair)) + r"\b"
    return tuple(re.sub(pattern, lambda match: "".join(pair), " ".join(word)).split())


def _random_merge(chance: random.Random) -> tuple:
    symbols = ["s", "t", "es", "ta", ".", "\\", "\\d"]
    word = tuple(chance.choices(symbols, k=chance.randint(0, 6)))
    return word, tuple(chance.choices(symbols, k=2))


merge_in_a_string = Function(
    "write merge_in_a_string(word, pair): join the symbols with spaces, merge the pair with "
    "re.sub, and split again. It should give what merge gives, for every word.",
    solve_merge_in_a_string,
    cases=[
        ((("es", "t"), ("s", "t")), ("es", "t")),
        ((("s", "ta"), ("s", "t")), ("s", "ta")),
        ((("s", "t", "s", "t"), ("s", "t")), ("st", "st")),
        ((("s", "s", "s"), ("s", "s")), ("ss", "s")),
        ((("a", "b", "."), (".", "b")), ("a", "b", ".")),
        ((("a", "b", "c"), (".", "b")), ("a", "b", "c")),
        (((".", "."), (".", ".")), ("..",)),
        ((("\\", "d"), ("\\", "d")), ("\\d",)),
    ],
    slips=[
        (_sloppy_merge, INSIDE_SYMBOLS),
        (_merge_with_plain_re_sub, INSIDE_SYMBOLS),
        (_merge_with_escaped_re_sub, INSIDE_SYMBOLS),
        (_merge_with_plain_pattern, NOT_ESCAPED),
        (_merge_with_plain_pattern_and_replacement, NOT_ESCAPED),
        (
            _merge_with_plain_replacement,
            "a backslash has a meaning in the replacement too. Pass a function instead, lambda "
            "match: ….",
        ),
        (
            _merge_at_letter_borders,
            r"\b is a border between a letter and something else, so it finds none beside a full "
            "stop. Symbols are separated by spaces.",
        ),
    ],
    draw=_random_merge,
    hints=[
        r"(?<!\S) before a pattern means: no character but white space comes before it.",
        r"(?!\S) after a pattern means: no character but white space comes next.",
        "use re.escape(…) for the pattern, and a function for the replacement.",
    ],
)


# Break it.

useful_merges = Value(
    "2,400 merges are tried on the eight words. How many of them change their word?",
    "dozens",
    [
        ("half", "half of all learned merges? Each makes one of eight words one symbol shorter."),
        ("hundreds", "each useful merge takes away a symbol. How many symbols do the words have?"),
    ],
    choices={"half": "about 1,200", "hundreds": "about 300", "dozens": "about 30"},
    because="a useful merge makes its word shorter, and the words have 50 symbols in all.",
    hints=["how many symbols are there? Each useful merge turns two of them into one."],
)


# The learner's program.

brought = program("01")
my_bpe = program("02")
