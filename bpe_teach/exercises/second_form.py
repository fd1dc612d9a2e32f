"""Second form: twelve other questions, form B, for after the course if form A came before it.

Each question tests the same concept as the question of form A with its number, in another setting.
"""

from bpe_teach.exercises.exercise import Value

overlaps = Value(
    "Somebody types hmmmmm: one h and five m. How often does the pair m m, two neighbouring "
    "letters, occur in it?",
    "a",
    [
        ("b", "the last m has nothing on its right, so it begins no pair."),
        ("c", "overlapping places count too: the third m ends one pair and begins another."),
        ("d", "it is one kind of pair; its count says at how many places that kind occurs."),
    ],
    choices={
        "a": "four times: neighbouring pairs share a letter",
        "b": "five times: each m begins a pair of its own",
        "c": "twice: each m can belong to one pair only",
        "d": "once: it is the same pair at all places",
    },
    because="there are four places where an m has an m on its right.",
    hints=["notebook 01 counts pairs by hand."],
)

recount = Value(
    "In a text, the pair (t, h) occurs 90 times, (h, e) 80 times, (a, n) 60 times, and every other "
    "pair less than 50 times. (t, h) is merged first, and 75 of the 90 new symbols th have an e on "
    "their right. Which pair is merged second?",
    "a",
    [
        ("b", "of the 80 places 75 are gone: their h is a part of th now."),
        ("c", "the new symbol has pairs as well, and (th, e) occurs more often."),
        ("d", "one merge takes all places of its pair, so no (t, h) is left."),
    ],
    choices={
        "a": "(th, e), which now occurs 75 times",
        "b": "(h, e), which was second with 80",
        "c": "(a, n), which has kept all its 60",
        "d": "(t, h), again until none is left",
    },
    because="a new count after the merge: (th, e) 75, (a, n) 60, (h, e) 5.",
    hints=["write down how often each pair is left after the first merge."],
)

ties = Value(
    "Two programs train on one text and learn the same merges, until two pairs are equally "
    "frequent. One program takes the pair that it met first, the other the one that comes first in "
    "the alphabet. What can be said of the tokens they end up with?",
    "c",
    [
        ("a", "the first of the two merges may take away symbols that the second would need."),
        ("b", "each step merges one pair, because that may change the count of the other."),
        ("d", "byte pair encoding does not say which; both rules are in use."),
    ],
    choices={
        "a": "the same: each program merges the other pair next",
        "b": "the same: both pairs are merged in a single step",
        "c": "they may differ: a merge changes what comes later",
        "d": "they differ, and only those of the first are right",
    },
    because="the rule for ties is as much a part of a tokenizer as its training text.",
    hints=["think of two equally frequent pairs that share a letter."],
)

ranks = Value(
    "Four merges were learned, in this order: t e, then a te, then w a, then wa t. How does byte "
    "pair encoding cut the new word water?",
    "c",
    [
        ("a", "that takes the longest token from the left. The order of learning decides instead."),
        ("b", "that goes from left to right. The merge that was learned first comes first: t e."),
        ("d", "wate was never learned: there is no merge of w and ate."),
    ],
    choices={"a": "wat e r", "b": "wa te r", "c": "w ate r", "d": "wate r"},
    because="t e comes first, then a te; the w finds no partner any more.",
    hints=["notebook 03 cuts words by rank."],
)

learned_or_applied = Value(
    "A tokenizer was trained on recipes. Now it is given a page about football, on which the word "
    "goal occurs forty times. What does it make of this word?",
    "d",
    [
        ("a", "that would be training. What is frequent on the new page plays no part."),
        ("b", "a word never seen before is put together from its letters, not given up."),
        ("c", "after training the vocabulary stays as it is, or ids would change their meaning."),
    ],
    choices={
        "a": "one token, as the word is so frequent on this page",
        "b": "an unknown token, as no recipe has this word in it",
        "c": "a new token, which is given the next id that is free",
        "d": "the tokens that the merges of the recipes make of it",
    },
    because="using a tokenizer is applying its list of merges; nothing is counted any more.",
    hints=["notebook 01 has a section for each: learning merges, and encoding."],
)

boundaries = Value(
    "A text is split at spaces before any merges are learned. No other pair of words is as "
    "frequent in it as New York. Into how many tokens is New York cut?",
    "b",
    [
        ("a", "pairs are counted inside words only, so no count can join two words."),
        ("c", "across a split no pair is counted at all, neither early nor late."),
        ("d", "rare words are still several tokens; the split is a limit, not a goal."),
    ],
    choices={
        "a": "one, as the two occur together so often",
        "b": "two or more, however often they occur",
        "c": "one, but it is learned after all words",
        "d": "exactly two, as words become one token",
    },
    because="no token can reach from one word into the next.",
    hints=["notebook 02 splits first and compares."],
)

number_of_ids = Value(
    "A tokenizer starts with the 256 bytes and learns 500 merges. At the end, 40 of its tokens are "
    "no longer found in the text it was trained on: later merges have taken every one of them. How "
    "many ids does it have?",
    "d",
    [
        ("a", "the bytes have ids too; and a token keeps its id, whether it is found or not."),
        ("b", "the bytes have ids too, not only the merges."),
        ("c", "a token that is gone from this text is needed for others: it keeps its id."),
    ],
    choices={"a": "460", "b": "500", "c": "716", "d": "756"},
    because="256 bytes and 500 merges have one id each.",
    hints=["which tokens does a text need that was not trained on?"],
)

special = Value(
    "<|end|> is the special token that ends a document. A web page explains it, so these seven "
    "signs are in its text. What should a tokenizer make of them, unless it is told otherwise?",
    "a",
    [
        ("b", "then anybody could end a document by writing these signs on a page."),
        ("c", "decoding should return what was written, and this page is about the signs."),
        ("d", "each of the signs is in the vocabulary, so none is unknown."),
    ],
    choices={
        "a": "ordinary tokens, as of any other seven signs",
        "b": "the special token, since it is written so",
        "c": "nothing: they are removed before encoding",
        "d": "the unknown token, as no text may hold them",
    },
    because="only the program may say that a document ends, not what a page says.",
    hints=["notebook 04 has a section on special tokens."],
)

bytes_of_characters = Value(
    "How many bytes does UTF-8, the usual way to store text, take for the five characters Zoë€😀?",
    "c",
    [
        ("a", "a byte has only 256 values, and there are far more characters than that."),
        ("b", "two bytes are enough for ë, but not for €, and not for 😀."),
        ("d", "that is another way to store text, UTF-32; UTF-8 saves space on common letters."),
    ],
    choices={
        "a": "5: each of the characters is one byte",
        "b": "8: one byte in English, otherwise two",
        "c": "11: between one and four for each one",
        "d": "20: each of the characters takes four",
    },
    because="Z and o take one byte each, ë two, € three, 😀 four.",
    hints=["notebook 04 looks at the bytes of characters."],
)

decoding = Value(
    "A chat program never stops with an error. It turns each token into text by itself, as soon as "
    "it arrives. Now é arrives as two tokens of one byte each. What is on the screen?",
    "d",
    [
        ("a", "the bytes would have to be joined before they are read; here nobody joins them."),
        ("b", "a byte above 127 is not a letter in UTF-8, but part of a longer character."),
        ("c", "a byte that is no character is not dropped; a mark shows that something was there."),
    ],
    choices={
        "a": "é, as soon as the second one is there",
        "b": "Ã©, as each of the bytes is a letter",
        "c": "nothing, as half an é is left out",
        "d": "��, as neither of the two is a letter",
    },
    because="neither byte is a character, so each becomes the replacement mark.",
    hints=["notebook 04 decodes token by token, once."],
)

quality = Value(
    "The vocabulary of a tokenizer is made twice as large, and all texts have a tenth fewer "
    "tokens. What does this say about a language model that is trained with it?",
    "b",
    [
        ("a", "fewer tokens save work, but each is rarer, and harder to learn and predict."),
        ("c", "long tokens are rarer, but a model sees more text at once: only a test can tell."),
        ("d", "both can give the text back; but a model learns other things from other pieces."),
    ],
    choices={
        "a": "it predicts text better, as a token holds more",
        "b": "it reads fewer tokens; the rest must be tested",
        "c": "it predicts text worse, as its tokens are rarer",
        "d": "it predicts text as well, since nothing is lost",
    },
    because="compression is one number, quality another; notebook 06 measures both.",
    hints=["notebooks 05 and 06 measure the two."],
)

premium = Value(
    "A byte-level tokenizer was trained on English. It makes one token of the word light, but six "
    "of φως, which is Greek for light and has three letters. Why?",
    "b",
    [
        ("a", "any text can be written in bytes, so nothing is unknown and no token says so."),
        ("c", "a tokenizer knows no grammar, only bytes and merges; a stem is split the same way."),
        ("d", "bytes are taken as they are; nothing is translated into other letters."),
    ],
    choices={
        "a": "each letter gets a second token, which says unknown",
        "b": "each letter is two bytes, which no merge has joined",
        "c": "each form of a Greek word is cut into its endings",
        "d": "each letter is written in English letters beforehand",
    },
    because="a Greek letter has two bytes, and the merges were learned from English pairs.",
    hints=["notebook 04 looks at the bytes of characters."],
)

QUESTIONS = [  # in the order of form A
    *(overlaps, ties, learned_or_applied, number_of_ids, bytes_of_characters, quality),
    *(recount, ranks, boundaries, special, decoding, premium),
]
