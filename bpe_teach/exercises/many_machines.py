"""Exercises of notebook 07b: counts that are added in order, places where no word crosses."""

import random

from bpe_teach.exercises.exercise import Function, Hunt, Value
from bpe_teach.exercises.record import record as record
from bpe_teach.schemes import SCHEMES

# Counts that are added.


def solve_add_counts(left, right):
    total = dict(left)
    for word, count in right.items():
        total[word] = total.get(word, 0) + count
    return total


def _add_right_first(left, right):
    return solve_add_counts(right, left)


def _add_by_overwriting(left, right):
    return {**left, **right}


def _add_only_common(left, right):
    return {word: left[word] + right[word] for word in left if word in right}


def _add_only_known(left, right):
    return {word: count + right.get(word, 0) for word, count in left.items()}


def _add_sorted(left, right):
    total = solve_add_counts(left, right)
    return dict(sorted(total.items()))


def _add_most_frequent_first(left, right):
    total = solve_add_counts(left, right)
    return dict(sorted(total.items(), key=lambda item: -item[1]))


def _draw_counts(chance: random.Random) -> tuple:
    words = ["low", "lower", "new", "slow", "wider"]
    chance.shuffle(words)
    left = {word: chance.randint(1, 5) for word in words[: chance.randint(0, 4)]}
    chance.shuffle(words)
    right = {word: chance.randint(1, 5) for word in words[: chance.randint(0, 4)]}
    return left, right


add_counts = Function(
    "write add_counts(left, right): two dictionaries {word: count}, of a text and of the text "
    "after it. Return the counts of both together as a new dictionary, with the words in the "
    "order in which they are first met.",
    solve_add_counts,
    cases=[
        (({"low": 2, "slow": 1}, {"new": 1, "low": 1}), {"low": 3, "slow": 1, "new": 1}),
        (({}, {"low": 1}), {"low": 1}),
        (({"low": 1}, {}), {"low": 1}),
        (({"slow": 1, "low": 1}, {"low": 5, "slow": 1}), {"slow": 2, "low": 6}),
    ],
    slips=[
        (_add_right_first, "the sums are right, but the words of the second text come first."),
        (_add_by_overwriting, "a word that is in both occurs in both texts: add its counts."),
        (_add_only_common, "a word that only one of them has must not be lost."),
        (_add_only_known, "a word that only `right` has is new, and goes to the end."),
        (_add_sorted, "after sorting, nobody can tell which word was met first."),
        (_add_most_frequent_first, "after sorting, nobody can tell which word was met first."),
    ],
    draw=_draw_counts,
    in_order=True,
    hints=[
        "begin with a copy of left: dict(left).",
        "a dictionary puts a new key after all others. For each word of right, what is its count "
        "so far, and what if it has none?",
    ],
)

in_which_order = Value(
    "three workers count a third of the story each. You add their counts in the order in which "
    "they arrive, the last third first. What can differ from counting all of it in one pass?",
    "merges",
    [
        (
            "nothing",
            "the sums are the same in any order. But a dictionary has an order too, and on a tie "
            "the pair met first wins.",
        ),
        ("counts", "a sum does not depend on the order of what is added. What else has an order?"),
    ],
    choices={
        "counts": "the counts of some words",
        "merges": "not the counts, but the merges",
        "nothing": "nothing: a sum is a sum",
    },
    because="the words come in another order, so another pair wins the ties.",
    hints=["notebook 07 ended with ties. Which pair wins one?"],
)


# Places to cut.


def _words_of_lines(text):
    words = []
    for line in text.splitlines(keepends=True):
        words.extend(SCHEMES["gpt2"].split(line))
    return words


def _words_of_text(text):
    return list(SCHEMES["gpt2"].split(text))


line_by_line = Hunt(
    "many programs read a text line by line. Under the scheme gpt2, the words of its lines need "
    "not be the words of the text. Hand over a text where they differ, as short as you can.",
    _words_of_lines,
    _words_of_text,
    ("\n ",),
    call="line by line, {}",
    hints=[
        "a line ends in a line feed. Which characters can be in the same word as a line feed?",
        "several white-space characters in a row can be one word, if no letter follows.",
    ],
)


def solve_find_cut(data, at):
    for place in range(max(at, 1), len(data)):
        if data[place - 1].isalnum() and data[place].isspace():
            return place
    return len(data)


def _cut_at_once(data, at):
    return at


def _cut_at_white_space(data, at):
    for place in range(max(at, 1), len(data)):
        if data[place].isspace():
            return place
    return len(data)


def _cut_behind_white_space(data, at):
    place = solve_find_cut(data, at)
    return min(place + 1, len(data))


def _cut_from_the_start(data, at):
    return solve_find_cut(data, 1)


def _cut_at_the_last(data, at):
    for place in range(len(data) - 1, max(at, 1) - 1, -1):
        if data[place - 1].isalnum() and data[place].isspace():
            return place
    return len(data)


def _cut_without_an_end(data, at):
    place = solve_find_cut(data, at)
    return None if place == len(data) else place


def _draw_text(chance: random.Random) -> tuple:
    data = "".join(chance.choices(["a", "é", "7", " ", "\n", ".", "!"], k=chance.randint(0, 12)))
    return data, chance.randint(0, len(data))


find_cut = Function(
    "write find_cut(data, at): the first place in a text, from `at` on, with a letter or a digit "
    "before it and white space after it. If there is none, return the length of the text.",
    solve_find_cut,
    cases=[
        (("low, slow\n", 0), 9),
        (("low slow", 3), 3),
        (("low slow", 4), 8),
        (("a. b\n\nc", 1), 4),
        (("字 低", 0), 1),
        (("", 0), 0),
    ],
    slips=[
        (_cut_at_once, "look at the characters: the place `at` may be in the middle of a word."),
        (
            _cut_at_white_space,
            "white space is not enough: after other white space, or after punctuation, a word can "
            "go on.",
        ),
        (_cut_behind_white_space, "after the white space is too late: the next word may need it."),
        (_cut_from_the_start, "begin at the place `at`, not at the beginning of the text."),
        (_cut_at_the_last, "that is the last such place; we want the first."),
        (_cut_without_an_end, "if there is no such place, return the length of the text."),
    ],
    draw=_draw_text,
    hints=[
        "go through the places with range(at, len(data)). Which place has no character before it?",
        "a str has methods for both: isalnum and isspace.",
    ],
)


# Different words, and rare ones.

twice_the_text = Value(
    "the first half of the story has 1,378 different words. How many does the whole story have?",
    "half as many again",
    [
        ("twice", "most words of the second half have occurred in the first one."),
        ("a few more", "new words never end: names, numbers, rare words. There are many of them."),
    ],
    choices={
        "twice": "about 2,750",
        "half as many again": "about 2,050",
        "a few more": "about 1,500",
    },
    because="twice the text has about one and a half times the words.",
    hints=["of the words on a page of a book, how many were on the pages before?"],
)

rare_words_dropped = Value(
    "each part leaves out the words that occur in it only once, which are two thirds of its "
    "different words. How many of the first hundred merges are still among the first hundred?",
    "about 80",
    [
        (
            "all",
            "there are many rare words: together they are a fifth of the text, and they share "
            "their pairs with the frequent words.",
        ),
        (
            "about 30",
            "only a third of the different words is kept. But these are the frequent ones, and "
            "make four fifths of the text.",
        ),
    ],
    choices={"all": "all of them, or 99", "about 80": "about 80", "about 30": "about 30"},
    because="a fifth of the text is left out, and a fifth of its pairs with it.",
    hints=[
        "a merge is chosen by its count. What share of all words, counted as often as they occur, "
        "is still there?"
    ],
)

many_small_parts = Value(
    "cut the story into parts of 100 characters with find_cut, and add their counts in order. At "
    "which rank do 1,000 merges first differ from those of one pass?",
    "never",
    [
        ("early", "that is what a wrong order does. Here the parts are added in their order."),
        ("late", "small parts make more work, but they don't change the counts."),
    ],
    choices={"early": "before rank 100", "late": "after rank 100", "never": "they never differ"},
    because="the size of a part has nothing to do with the counts or with their order.",
    hints=["does the size of a part change the counts, or their order?"],
)
