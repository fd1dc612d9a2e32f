"""The Declaration of Human Rights: thirty articles in each language, and their tokens as counted.

The table is counted again by the vocabularies' own libraries, where their packages are in the
folder ``packages`` of BPE_TEACH_DATA (count_declaration.py says which), and by ours.
"""

import os
from pathlib import Path
from unicodedata import normalize

import count_declaration
import pandas as pd
import pytest

from bpe_further import from_tiktoken
from bpe_teach import SCHEMES, corpus_path, load_languages
from bpe_teach.corpora import CORPORA, CorpusUnavailable

SEVERAL = [name for name, corpus in CORPORA.items() if corpus.languages > 1]
SAME_PATTERN = {"GPT-2": "gpt2", "GPT-4": "cl100k", "GPT-4o": "o200k", "Llama 4": "o200k"}
PACKAGES = Path(os.environ.get("BPE_TEACH_DATA", ".")) / "packages"


def stored(vocabulary: str) -> pd.DataFrame:
    table = pd.read_csv(corpus_path("declaration_tokens"), dtype=str, keep_default_na=False)
    return table[table.vocabulary == vocabulary].set_index("language")


@pytest.mark.parametrize("name", SEVERAL)
def test_each_language_has_a_page_of_as_many_lines(name):
    pages = load_languages(name)
    assert len(pages) == CORPORA[name].languages
    assert next(iter(pages)) == "English"
    lines = {language: page.split("\n") for language, page in pages.items()}
    assert len({len(page) for page in lines.values()}) == 1
    assert all(line == line.strip() != "" for page in lines.values() for line in page)


def test_other_texts_have_no_pages():
    several = ", ".join(SEVERAL)
    with pytest.raises(ValueError, match=f"'story' is in one language only; choose .* {several}"):
        load_languages("story")
    with pytest.raises(ValueError, match="there is no corpus 'udhr'"):
        load_languages("udhr")


def test_every_text_begins_with_the_first_article_and_has_thirty():
    pages = load_languages("declaration")
    assert len({page.split("\n")[0] for page in pages.values()}) == 58
    assert {page.count("\n") for page in pages.values()} == {29}
    assert pages["English"].startswith("All human beings are born free and equal in dignity")
    assert pages["French"].startswith("Tous les êtres humains naissent libres et égaux")
    assert "�" not in "".join(pages.values())


def test_the_table_has_every_vocabulary_in_every_language():
    table = pd.read_csv(corpus_path("declaration_tokens"))
    assert list(table.columns) == count_declaration.COLUMNS
    pages = load_languages("declaration")
    pairs = [(name, language) for name in count_declaration.VOCABULARIES for language in pages]
    assert list(zip(table.vocabulary, table.language, strict=True)) == pairs
    sizes = {language: len(page.encode()) for language, page in pages.items()}
    assert table.bytes.tolist() == [sizes[language] for _, language in pairs]
    assert (table.tokens <= table.bytes + 2).all()  # SentencePiece puts a space before the text
    assert list(dict.fromkeys(table.published)) == sorted(set(table.published))


@pytest.mark.parametrize("vocabulary", count_declaration.VOCABULARIES)
def test_its_own_library_counts_what_the_table_says(vocabulary):
    for library in ("tiktoken", "tokenizers", "sentencepiece"):
        pytest.importorskip(library)
    try:
        again = list(count_declaration.rows_of(vocabulary, PACKAGES))
    except (FileNotFoundError, CorpusUnavailable) as missing:
        pytest.skip(f"its file isn't here: {missing}")
    table = stored(vocabulary).reset_index()[count_declaration.COLUMNS]
    assert again == table.to_numpy().tolist()


@pytest.mark.parametrize("vocabulary", SAME_PATTERN)
def test_our_split_pattern_makes_as_many_words(vocabulary):
    split = SCHEMES[SAME_PATTERN[vocabulary]].split
    pages = load_languages("declaration")
    found = {language: len(split(page)) for language, page in pages.items()}
    assert found == stored(vocabulary).words.astype(int).to_dict()


def test_our_gpt2_takes_as_many_tokens(gpt2):
    pages = load_languages("declaration")
    found = {language: len(gpt2.encode(page)) for language, page in pages.items()}
    assert found == stored("GPT-2").tokens.astype(int).to_dict()


def test_hindi_pays_more_with_gpt2_than_with_gpt4o(says):
    """README; the tables themselves are compared with other libraries above."""
    price = {}
    for name in ("GPT-2", "GPT-4o"):
        tokens = stored(name).tokens
        price[name] = int(tokens["Hindi"]) / int(tokens["English"])
    says(f"takes {price['GPT-2']:.1f} times as many of GPT-2's as English")
    says(f"and {price['GPT-4o']:.1f} times as many of GPT-4o's")


@pytest.mark.slow
def test_our_gpt4o_takes_as_many_tokens_and_fewer_for_composed_vietnamese(corpus):
    corpus("gpt4o_ranks")  # skips if it is unavailable
    tok = from_tiktoken(corpus_path("gpt4o_ranks"), "o200k")
    pages = load_languages("declaration")
    for language in ("English", "Vietnamese", "Hindi", "Tibetan"):
        assert len(tok.encode(pages[language])) == int(stored("GPT-4o").tokens[language])
    composed = len(tok.encode(normalize("NFC", pages["Vietnamese"])))
    card = (Path(__file__).parents[1] / "data" / "README.md").read_text("utf-8")
    assert f"it takes {composed:,} of GPT-4o's tokens, not {5412:,}." in card
