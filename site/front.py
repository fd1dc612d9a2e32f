"""The first page: what static/front.js and static/scenes.js are given.

How GPT-2 and GPT-4o cut the page's own sentences is stored in front.json, so that the site is built
without their vocabularies: python site/front.py writes it anew, and needs them.
"""

import json
from dataclasses import replace
from html import escape
from pathlib import Path

from bpe_further import load_tokenizer
from bpe_teach import SCHEMES, Tokenizer, load_corpus, load_languages
from bpe_teach.display import label
from bpe_teach.pictures.javascript import pattern_in_javascript
from bpe_teach.pictures.playground import tokenizer_data

FACTS = Path(__file__).with_name("front.json")
MODELS = {"GPT-2": "gpt2", "GPT-4o": "gpt-4o"}
# Characters that merge inside words; a space belongs to the word after it.
LETTERS = replace(SCHEMES["gpt2"], name="letters", units=str, source="")
WOODCHUCK = "How much wood would a woodchuck chuck if a woodchuck could chuck wood?"
SEA_SHELLS = "She sells sea shells by the sea shore, and the shells she sells are sea shells."
TWO_LANGUAGES = 51  # the line of the parallel sentences in which most merges are found
DAILY = 1  # the line about tea, short in all languages
SIGNS = ("A", "é", "한", "न", "🐢", "👩‍🚀")
BERRIES = ("strawberry", " strawberry", "Strawberry", "STRAWBERRY")
NAME_MERGES = 400
# However the merges are chosen, no fewer than 18 tokens are left.
GAME = {"text": "a banana and an ananas in a cabana", "merges": 5, "best": 18}
NOTES = {  # label -> what the comparison below the film shows
    "woodchuck": "A list that is learned from this sentence alone makes woodchuck one token, since "
    "it occurs twice. GPT-2’s and GPT-4o’s lists, learned from far more, leave it in three pieces.",
    "sea shells": "Both published lists have a token for each of these words, with the space "
    "before it, however rarely it comes here.",
    "two languages": "GPT-2’s list was learned from pages in English, so it has few pieces of "
    "Greek words that are longer than a letter; GPT-4o’s list has many.",
}


def sentences() -> dict[str, str]:
    """Return the examples for the film: label -> sentence."""
    languages = load_languages("sentences")
    both = [languages[name].split("\n")[TWO_LANGUAGES] for name in ("English", "Greek")]
    return {"woodchuck": WOODCHUCK, "sea shells": SEA_SHELLS, "two languages": " ".join(both)}


def measure_facts() -> dict:
    """Have GPT-2's and GPT-4o's tokenizers cut what the page shows."""
    tokenizers = [load_tokenizer(name) for name in MODELS.values()]

    def lengths(text: str) -> list[list[int]]:
        """Return the bytes of each token, for each tokenizer."""
        return [[len(token) for token in tok.tokens(text)] for tok in tokenizers]

    languages = load_languages("sentences").items()
    daily = {name: page.split("\n")[DAILY] for name, page in languages}
    return {
        "sentences": {text: lengths(text) for text in sentences().values()},
        "signs": {sign: lengths(sign) for sign in SIGNS},
        "languages": {name: [line, lengths(line)] for name, line in daily.items()},
        "berries": {
            text: [lengths(text), [tok.encode(text) for tok in tokenizers]] for text in BERRIES
        },
    }


def tokens_of_the_rule() -> int:
    """Return how many tokens the game ends with if the most frequent pair is merged each time."""
    text = GAME["text"]
    tok = Tokenizer.train(text, scheme=LETTERS, num_merges=GAME["merges"], min_count=1)
    return len(tok.encode(text))


def merges_of_names() -> list[list]:
    """Return [left, right, count] of each merge learned from given names: a short text has few."""
    names = load_corpus("names").split()
    tok = Tokenizer.train(names, scheme=LETTERS, num_merges=NAME_MERGES)
    return [[*merge.pair, merge.count] for merge in tok.merges]


def pack(name: str) -> str:
    """Return a script that adds a published vocabulary to VOCABULARIES, under its name in MODELS.

    Raises CorpusUnavailable if its files are not to be had.
    """
    data = tokenizer_data(load_tokenizer(MODELS[name]))
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return f"(window.VOCABULARIES ??= {{}})[{json.dumps(name)}] = {written};\n"


def front(story: Tokenizer, vocabularies: dict) -> str:
    """Return what the page is given, as JavaScript writes it.

    ``vocabularies``: name in MODELS -> file and kilobytes of a script that `pack` made.
    """
    data = json.loads(FACTS.read_text("utf-8"))
    data["labels"] = [[label, text, NOTES[label]] for label, text in sentences().items()]
    data["models"] = list(MODELS)
    data["vocabularies"] = vocabularies
    data["game"] = GAME | {"rule": tokens_of_the_rule()}
    data["letters"] = {"units": "str", "pattern": pattern_in_javascript(LETTERS)}
    data["names"] = merges_of_names()
    data["story"] = tokenizer_data(story)
    written = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return written.replace("</", "<\\/")


def first_boxes() -> str:
    """Draw what the film begins with, so that it is seen before any program runs."""
    drawn = ""
    for word in LETTERS.split(WOODCHUCK):
        boxes = (f'<span class="b">{escape(label(sign))}</span>' for sign in word)
        drawn += f'<span class="w">{"".join(boxes)}</span>'
    return drawn


def write_facts() -> None:
    """Write front.json, a line for each part of the page."""
    parts = measure_facts().items()
    lines = (f'"{name}": {json.dumps(part, ensure_ascii=False)}' for name, part in parts)
    FACTS.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


if __name__ == "__main__":
    write_facts()
