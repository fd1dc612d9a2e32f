"""Factors: what static/factors.js draws, a sentence in twelve languages as four tokenizers cut it.

Two split patterns and two training texts of equal size make four tokenizers. A merge of rank r is
made with the first n merges if and only if r < n; so for each place between two bytes it is enough
to know the first step of the slider at which a token covers it.
"""

import json

from bpe_teach import SCHEMES, Tokenizer, load_corpus, load_languages

STEPS = (0, 5, 10, 20, 35, 50, 75, 100, 150, 200, 250, 350, 500, 700, 1000, 1400, 2000, 2800, 4000)
# Of the languages, in the order of the file.
CODES = ("en", "es", "fi", "tr", "ru", "el", "ar", "hi", "bn", "th", "zh", "ko")
NEW = 4  # every fourth sentence is not trained on
SHOWN = (6, 11, 23)  # of the new sentences
PATTERNS = ("gpt2", "o200k")
FIRST = ord("A")  # the letter of step 0


def read_sentences() -> dict[str, list[str]]:
    """Return language -> its hundred sentences, line by line the same in each language."""
    return {name: page.split("\n") for name, page in load_languages("sentences").items()}


def training_texts(languages: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the two training texts: every language equally, and as many bytes of English."""
    equal = [line for page in languages.values() for i, line in enumerate(page) if i % NEW]
    size = len("\n".join(equal).encode())
    return {"equal": equal, "English": [load_corpus("story").encode()[:size].decode()]}


def covered(sentence: str, tokenizers: list[Tokenizer]) -> str:
    """Return, for each place between bytes, the letter of the first step that covers it."""
    places = len(sentence.encode()) - 1
    found = ["~"] * places  # no step does
    for step, tok in reversed(list(enumerate(tokenizers))):
        cuts, end = set(), 0
        for token in tok.tokens(sentence):
            end += len(token)
            cuts.add(end - 1)
        for place in set(range(places)) - cuts:
            found[place] = chr(FIRST + step)
    return "".join(found)


def premiums(pages: list[str], tokenizers: list[Tokenizer]) -> list[list[float]]:
    """Return for each language, at each step, its tokens as a multiple of English."""
    tokens = [[len(tok.encode(page)) for tok in tokenizers] for page in pages]
    return [[round(n / e, 2) for n, e in zip(row, tokens[0], strict=True)] for row in tokens]


def factors() -> str:
    """Return the constant FACTORS of factors.js, as a line of a script."""
    languages = read_sentences()
    new = [page[::NEW] for page in languages.values()]
    pages = ["\n".join(lines) for lines in new]
    drawn = {}
    for trained_on, text in training_texts(languages).items():
        for name in PATTERNS:
            tok = Tokenizer.train(text, scheme=name, num_merges=STEPS[-1])
            steps = [Tokenizer(tok.scheme, tok.alphabet, tok.merges[:n]) for n in STEPS]
            words = [len(list(SCHEMES[name].split(page))) for page in pages]
            drawn[f"{trained_on} {name}"] = {
                "merges": len(tok.merges),
                "premiums": premiums(pages, steps),
                "floors": [round(n / words[0], 2) for n in words],
                "covered": [[covered(lines[i], steps) for i in SHOWN] for lines in new],
            }
    shown = [[lines[i] for i in SHOWN] for lines in new]
    names = [list(pair) for pair in zip(languages, CODES, strict=True)]
    table = {"steps": STEPS, "languages": names, "sentences": shown, "drawn": drawn}
    line = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    return f"const FACTORS = {line};".replace("</", "<\\/")


if __name__ == "__main__":
    print(factors())
