"""Exercises of notebook 00: unknown words, ids, one word cut in several ways."""

from bpe_teach.exercises.exercise import Function, Value
from bpe_teach.exercises.record import record as record

# Words.

WORDS = ["the", "lamp", "lamps", "light", "The", "a", "Ned", "Ned,"]


def solve_unknown_words(words, known):
    return [word for word in words if word not in known]


def _unknown_words_once(words, known):
    return list(dict.fromkeys(solve_unknown_words(words, known)))


def _known_words(words, known):
    return [word for word in words if word in known]


def _unknown_in_any_case(words, known):
    lower = {word.lower() for word in known}
    return [word for word in words if word.lower() not in lower]


def _unknown_as_a_part(words, known):
    return [word for word in words if not any(word in other for other in known)]


def _unknown_without_commas(words, known):
    return [word for word in words if word.strip(",") not in known]


def _count_unknown_words(words, known):
    return len(solve_unknown_words(words, known))


def _first_unknown_word(words, known):
    return solve_unknown_words(words, known)[:1]


def _unknown_by_removal(words, known):
    for word in words:
        if word in known:
            words.remove(word)
    return words


unknown_words = Function(
    "write unknown_words(words, known): a list of the words that are not in the set known, in "
    "their order, each as often as it occurs.",
    solve_unknown_words,
    cases=[
        ((["the", "the", "lamp"], {"the"}), ["lamp"]),
        ((["the", "lamp"], {"the"}), ["lamp"]),
        ((["lamp", "the", "lamp"], {"the"}), ["lamp", "lamp"]),
        ((["The"], {"the"}), ["The"]),
        ((["lamp"], {"lamps"}), ["lamp"]),
        ((["Ned,"], {"Ned"}), ["Ned,"]),
        (([], {"the"}), []),
    ],
    slips=[
        (_unknown_words_once, "a word that occurs twice leaves two holes: keep it twice."),
        (_known_words, "those are the known words; we want the unknown ones."),
        (
            _unknown_in_any_case,
            "The and the are two different words here: nobody told the tokenizer about capitals.",
        ),
        (_unknown_as_a_part, "a word is known only as a whole: lamp is not lamps."),
        (_unknown_without_commas, "the comma belongs to the word here: 'Ned,' is not 'Ned'."),
        (_count_unknown_words, "that is how many there are; we want the words themselves."),
        (
            _unknown_by_removal,
            "when a word is removed, the next one moves into its place, and the loop steps over "
            "it: build a new list.",
        ),
        (_first_unknown_word, "this stops after the first unknown word: return after the loop."),
    ],
    draw=lambda chance: (chance.choices(WORDS, k=chance.randint(0, 6)), {chance.choice(WORDS)}),
    hints=[
        "word not in known says whether a single word is unknown.",
        "begin with an empty list, go through the words, and append those that are unknown.",
    ],
)

unknown_share = Value(
    "what share of the words of the second story is not in the first? Give a number from 0 to 1; "
    "it may be off by 0.03.",
    0.25,
    [
        (0.5, "half of its distinct words are new, but the frequent words are not among them."),
        (0.75, "that is the share of the known words."),
        (25, "a share is a number from 0 to 1."),
        (0.01, "the same language is not the same words: each story has its own names and things."),
    ],
    because="606 of 2,379 words, each counted as often as it occurs.",
    within=0.03,
    hints=[
        "frequent words such as the and and are in both stories.",
        "it is more than a tenth, and less than a half.",
    ],
)


# Ids, and one word in four surroundings.

highest_id = Value(
    "the alphabet has 256 bytes, and a thousand merges were learned. What is the highest id?",
    1255,
    [
        (999, "the bytes of the alphabet have ids too: they come first."),
        (1000, "the bytes of the alphabet have ids too: they come first."),
        (1256, "that is the number of ids; the first of them is 0."),
        (1257, "the first id is 0, not 2."),
    ],
    because="1,256 tokens, numbered from 0.",
    hints=["how many tokens are there in all?", "the ids of three tokens would be 0, 1 and 2."],
)

single_token = Value(
    "which of the four is a single token? Answer with a letter.",
    "B",
    [
        (
            "A",
            "in the story a space always comes before this word, and it became part of the token. "
            "The word never occurs without it.",
        ),
        ("C", "the story writes the Upper Light with a capital, but never this word."),
        ("D", "the telegrams in the story write LIGHT, but never LIGHTHOUSE."),
    ],
    choices={
        "A": "lighthouse",
        "B": "·lighthouse, with a space",
        "C": "·Lighthouse, with a space and a capital",
        "D": "·LIGHTHOUSE, with a space, in capitals",
    },
    because="the story has it in exactly this form, eight times.",
    hints=[
        "which of the four occurs most often in the training story?",
        "look at the boxes of our sentence: the word is in it.",
    ],
)
