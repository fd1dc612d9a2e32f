"""Languages: what static/languages.js shows, the Declaration's tokens by language and tokenizer."""

import csv
import io
import json
from collections import defaultdict

from bpe_teach import load_corpus, load_languages

CODES = {  # language -> what browsers, and voices that read aloud, call it
    **{"English": "en", "Amharic": "am", "Arabic": "ar", "Armenian": "hy", "Basque": "eu"},
    **{
        "Bengali": "bn",
        "Bulgarian": "bg",
        "Burmese": "my",
        "Cherokee": "chr",
        "Chinese": "zh-Hans",
    },
    **{"Dzongkha": "dz", "Finnish": "fi", "French": "fr", "Georgian": "ka", "German": "de"},
    **{"Greek": "el", "Greenlandic": "kl", "Gujarati": "gu", "Hawaiian": "haw", "Hebrew": "he"},
    **{"Hindi": "hi", "Hungarian": "hu", "Icelandic": "is", "Indonesian": "id", "Irish": "ga"},
    **{"Italian": "it", "Japanese": "ja", "Kannada": "kn", "Khmer": "km", "Korean": "ko"},
    **{"Lao": "lo", "Malayalam": "ml", "Maori": "mi", "Marathi": "mr", "Navajo": "nv"},
    **{"Nepali": "ne", "Persian": "fa", "Polish": "pl", "Portuguese": "pt-PT", "Punjabi": "pa"},
    **{"Quechua": "quy", "Russian": "ru", "Sanskrit": "sa", "Sinhala": "si", "Spanish": "es"},
    **{"Swahili": "sw", "Tamil": "ta", "Telugu": "te", "Thai": "th", "Tibetan": "bo"},
    **{"Tigrinya": "ti", "Turkish": "tr", "Ukrainian": "uk", "Urdu": "ur", "Uyghur": "ug"},
    **{"Vietnamese": "vi", "Welsh": "cy", "Yoruba": "yo"},
}
FROM_THE_RIGHT = ("Arabic", "Hebrew", "Persian", "Urdu", "Uyghur")


def languages() -> str:
    """Return the constant LANGUAGES of languages.js, as a line of a script."""
    published = {}  # tokenizer -> month
    counts = defaultdict(list)  # language -> tokens and words, a pair for each tokenizer
    for row in csv.DictReader(io.StringIO(load_corpus("declaration_tokens"))):
        published[row["vocabulary"]] = row["published"]
        words = int(row["words"]) if row["words"] else None  # without a split pattern
        counts[row["language"]].append([int(row["tokens"]), words])
    listed = [
        {
            "name": name,
            "code": CODES[name],
            "dir": "rtl" if name in FROM_THE_RIGHT else "ltr",
            "bytes": len(page.encode()),
            "article": page.partition("\n")[0],
            "counts": counts[name],
        }
        for name, page in load_languages("declaration").items()
    ]
    table = {"tokenizers": list(published.items()), "languages": listed}
    line = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    return f"const LANGUAGES = {line};".replace("</", "<\\/")


if __name__ == "__main__":
    print(languages())
