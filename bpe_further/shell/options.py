"""Options: the arguments of each command of the shell, as Python's argparse describes them."""

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Any, NamedTuple

from bpe_teach.fast.learn import TIE_BREAKS
from bpe_teach.schemes import SCHEMES

PICTURES = ("png", "svg", "pdf", "jpg")
KINDS_OF_FILE = ["huggingface", "tiktoken", "subword-nmt", "bpe-teach"]  # `convert` writes these


class Argument(NamedTuple):
    """The names of an argument and its settings, as ``add_argument`` of argparse takes them."""

    names: tuple[str, ...]
    settings: dict[str, Any]


def _argument(*names: str, **settings: Any) -> Argument:
    return Argument(names, settings)


def whole_number(text: str) -> int:
    """Return the whole number that a text spells: an id, or the value of an option."""
    if not text.isdecimal():
        raise ValueError(f"{text:.60} is not a whole number from 0 up")
    return int(text)


def number_given(text: str) -> int:
    """Return the whole number that follows an option."""
    try:
        return whole_number(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def picture_name(name: str) -> str:
    """Return the name of a picture's file; a name without an ending gets .png."""
    kind = Path(name).suffix[1:] or "png"
    if kind.lower() not in PICTURES:
        raise ArgumentTypeError(f"a picture is one of {', '.join(PICTURES)}, not {kind}")
    return name


# Arguments that several commands take.

WHICH = "gpt2, gpt4, gpt4o, a model such as gpt-4o-mini, or a file or folder, ours or another's"

FILES = _argument("files", metavar="FILE", nargs="*", default=["-"], help="path, - or corpus:NAME")
TOKENIZER = _argument("tokenizer", metavar="TOKENIZER", help=WHICH)
TOKENIZERS = _argument("tokenizers", metavar="TOKENIZER", nargs="+", help=WHICH)
GIVEN_TOKENIZER = _argument("-t", "--tokenizer", metavar="TOKENIZER", required=True, help=WHICH)
SCHEME = _argument(
    "--scheme", choices=list(SCHEMES), help="how a text is split, for ranks that do not say it"
)
PATTERN = _argument(
    "--pattern", metavar="PATTERN", help="the regular expression that splits a text, for such ranks"
)
CHARACTERS = _argument(
    "--characters", metavar="TEXT", default="", help="more characters, for codes of subword-nmt"
)
HOW_TO_READ = [SCHEME, PATTERN, CHARACTERS]
AROUND = _argument(
    "--add-special-tokens",
    action="store_true",
    help="put around each text what the library of the file does, such as <s>",
)
RECOGNIZED = _argument("--special", action="store_true", help="recognize special tokens")
LINES = _argument("--lines", action="store_true", help="a line in, a line out")
OUTPUT = _argument("-o", "--output", metavar="PATH", required=True, help="where to write, or -")
CSV = _argument("--csv", metavar="FILE", help="file to write the whole table to")
SPECIAL = _argument(
    "--special", metavar="TOKEN", action="append", default=[], help="a special token (repeatable)"
)
WORKERS = _argument(
    "--workers", metavar="N", type=number_given, help="count the words in N processes"
)
DASK = _argument(
    "--dask", metavar="ADDRESS", help="count on Dask: the address of its scheduler, or local"
)
MERGES = _argument(
    "--merges", metavar="N", type=number_given, help="how many merges to learn (1000)"
)
VOCAB_SIZE = _argument(
    "--vocab-size",
    metavar="N",
    type=number_given,
    help="how many tokens in all, instead of --merges",
)
MIN_COUNT = _argument(
    "--min-count",
    metavar="N",
    type=number_given,
    default=2,
    help="merge no pair that is less frequent (2)",
)
TIE_BREAK = _argument(
    "--tie-break", choices=TIE_BREAKS, default="first", help="for equal counts (first)"
)
UNK = _argument("--unk", metavar="TOKEN", help="for unseen characters, with a scheme of characters")
HOW_TO_SPLIT = _argument(
    "--scheme", choices=list(SCHEMES), default="gpt2", help="see `bpe-teach schemes` (gpt2)"
)
PICTURE = _argument(
    "-o", "--output", metavar="FILE", type=picture_name, help="picture: png, svg, pdf or jpg; or -"
)

HOW_TO_LEARN = [SPECIAL, WORKERS, DASK, MERGES, VOCAB_SIZE, MIN_COUNT, TIE_BREAK, UNK]

ARGUMENTS = {  # command -> its arguments, in the order of its help
    "train": [
        FILES,
        HOW_TO_SPLIT,
        *HOW_TO_LEARN,
        OUTPUT,
    ],
    "encode": [
        FILES,
        GIVEN_TOKENIZER,
        *HOW_TO_READ,
        _argument("--tokens", action="store_true", help="print tokens instead of ids"),
        LINES,
        _argument(
            "--continuation",
            metavar="SIGN",
            help="lines of tokens, a SIGN (@@) where a word goes on",
        ),
        _argument(
            "--truncate",
            metavar="N",
            type=number_given,
            help="at most N tokens of a file, or of each line with --lines",
        ),
        RECOGNIZED,
        AROUND,
    ],
    "decode": [
        FILES,
        GIVEN_TOKENIZER,
        *HOW_TO_READ,
        LINES,
    ],
    "curve": [
        FILES,
        HOW_TO_SPLIT,
        *HOW_TO_LEARN,
        _argument(
            "--held-out",
            metavar="FILE",
            action="append",
            default=[],
            help="a text that is measured, too (repeatable)",
        ),
        PICTURE,
        CSV,
    ],
    "count": [
        FILES,
        _argument(
            "-t",
            "--tokenizer",
            metavar="TOKENIZER",
            action="append",
            required=True,
            help=f"{WHICH} (repeatable)",
        ),
        *HOW_TO_READ,
        RECOGNIZED,
        AROUND,
        _argument("--price", metavar="RATE", type=float, help="what a million tokens cost"),
        _argument(
            "--json", action="store_true", help="print JSON: rows of files, and a total of each"
        ),
        CSV,
    ],
    "show": [
        TOKENIZER,
        _argument(
            "tokens", metavar="TOKEN", nargs="*", help="a token, or an id: show how it was made"
        ),
        *HOW_TO_READ,
        _argument("--vocab", action="store_true", help="print all ids and tokens, a line for each"),
    ],
    "convert": [
        TOKENIZER,
        *HOW_TO_READ,
        _argument(
            "--to",
            choices=KINDS_OF_FILE,
            help="kind of file (tokenizer.json, or ranks if PATH ends in .tiktoken)",
        ),
        _argument(
            "--check", action="store_true", help="compare both files with their own libraries"
        ),
        OUTPUT,
    ],
    "report": [
        TOKENIZERS,
        *HOW_TO_READ,
        _argument(
            "--against", metavar="TOKENIZER", help="one more tokenizer, with which all are compared"
        ),
        PICTURE,
    ],
    "floors": [
        _argument(
            "files",
            metavar="FILE",
            nargs="+",
            help="one for each language, a paragraph a line; English, or what all are compared "
            "with, comes first",
        ),
        _argument(
            "--scheme",
            metavar="SCHEME",
            action="append",
            choices=[name for name, scheme in SCHEMES.items() if scheme.lossless],
            help="how texts are split (repeatable; gpt2 and o200k)",
        ),
        _argument(
            "--merges",
            metavar="N",
            type=number_given,
            default=8000,
            help="how many merges each method learns (8000)",
        ),
        _argument(
            "--samples",
            metavar="N",
            type=number_given,
            default=3,
            help="how often the paragraphs are halved anew (3)",
        ),
        CSV,
    ],
    "schemes": [],
    "handout": [
        _argument("notebooks", metavar="NOTEBOOK", nargs="+", help="path of a notebook"),
        OUTPUT,
    ],
    "questions": [
        _argument("--to", choices=["moodle", "qti", "paper"], required=True, help="what to write"),
        OUTPUT,
    ],
    "exam": [
        _argument("--seed", help="a secret from which the exam is drawn; without it, one is made"),
        _argument(
            "--until",
            metavar="NOTEBOOK",
            default="05c",
            help="what the class has done, from 01 on (05c, for sixty minutes)",
        ),
        _argument(
            "--to", choices=["html", "docx"], default="html", help="pages to print, or to edit"
        ),
        OUTPUT,
    ],
    "class": [
        _argument(
            "records",
            metavar="FILE",
            nargs="+",
            help="a file of ask.record, a CSV file of a platform, a folder, a zip",
        ),
        _argument(
            "--id",
            metavar="COLUMN",
            default="",
            help="the column of a CSV file that says who answered; it is hashed",
        ),
        _argument(
            "--word", default="", help="the word of the class, which is hashed together with that"
        ),
        OUTPUT,
    ],
    "grade": [
        _argument(
            "files", metavar="FILE", nargs="+", help="my_bpe.py, notebooks, folders, archives"
        ),
        _argument(
            "--seed",
            type=number_given,
            metavar="N",
            help="choose the random inputs that N gives; without it, each run has others",
        ),
        OUTPUT,
    ],
    "playground": [
        _argument(
            "tokenizers",
            metavar="TOKENIZER",
            nargs="+",
            help=f"up to three: {WHICH}",
        ),
        *HOW_TO_READ,
        _argument("--text", default="", help="text to begin with"),
        OUTPUT,
    ],
    "conform": [
        _argument("program", nargs="*", help="a Python file or folder, or -- and a command"),
        _argument(
            "--only",
            metavar="GROUPS",
            help="separated by commas: train_words, encode_word, train, encode, decode, special, "
            "stream, gpt2, use, whole",
        ),
        _argument(
            "--class",
            metavar="NAME",
            dest="class_",
            help="one of several classes of a file or folder",
        ),
        _argument(
            "--case",
            metavar="NAME",
            action="append",
            default=[],
            help="only this case (repeatable)",
        ),
        _argument(
            "--known", metavar="FILE", help="cases known to fail: a name a line, # and the reason"
        ),
        _argument(
            "--pin", metavar="CASES", help="stop unless the cases have this version, or this hash"
        ),
        _argument(
            "--adapter", metavar="FILE", help="file to write an adapter to, if one is needed"
        ),
        _argument("--numbers", action="store_true", help="ask by lines of numbers instead of JSON"),
        _argument("--json", metavar="FILE", help="file to write all results to"),
        _argument("--junit", metavar="FILE", help="file to write all results to, as JUnit XML"),
    ],
    "completion": [
        _argument("shell", choices=["bash", "zsh"], help="the shell you use"),
    ],
}
