"""The shell: learn tokens from texts, encode, decode and measure.

A command is a row of the table `COMMANDS`: the function that runs it, whose docstring is its help,
and the function that adds its options.
"""

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import partial
from io import BytesIO
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from bpe_teach.corpora import corpus_path, list_corpora, load_corpus
from bpe_teach.fast.files import can_be_cut, errors_name, word_border, write_whole
from bpe_teach.fast.learn import TIE_BREAKS
from bpe_teach.fast.words import count_words, dask_map, map_in_processes
from bpe_teach.measure import compression
from bpe_teach.pairs import Word
from bpe_teach.schemes import SCHEMES, Scheme
from bpe_teach.shell.arguments import (
    Input,
    find_inputs,
    find_outputs,
    input_size,
    read_input,
    read_inputs,
    read_lines,
    reading_bar,
    spool,
)
from bpe_teach.symbols import label, spaced, spell
from bpe_teach.tokenizer import Tokenizer

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

    from bpe_teach.measure.report import ReportCard

ABOUT = """\
Byte pair encoding from a shell: learn tokens from texts, encode, decode and measure.

A FILE is a path, an address (https://…, s3://…), - for standard input (the default) or corpus:NAME
for a text of the course. Files that end in .gz or .zst are unpacked as they are read.
Texts are UTF-8 in every locale; nothing is changed, neither line ends nor a byte order mark."""

EXAMPLES = """\
examples:
  bpe-teach train corpus:story -o story.json --merges 1000
  echo "She counted the lower lights" | bpe-teach encode -t story.json --tokens
  bpe-teach encode -t story.json README.md | bpe-teach decode -t story.json | cmp - README.md
  bpe-teach curve corpus:story --held-out corpus:second_story -o curve.png --csv curve.csv
  bpe-teach report story.json --against gpt2 -o report.png"""

IN_PIECES = [name for name, scheme in SCHEMES.items() if can_be_cut(scheme)]
MEMORY = (
    f"Files are read in pieces with the schemes {', '.join(IN_PIECES)}; with the others each file "
    "is held in memory as a whole."
)
AS_A_WHOLE = [name for name, scheme in SCHEMES.items() if word_border(scheme) is None]
TRAINING_MEMORY = (
    f"{MEMORY} To learn from them, files are read in pieces with all schemes but "
    f"{' and '.join(AS_A_WHOLE)}; what is kept is a table of the different words."
)
LARGE = 50_000_000  # bytes; that such a file is held as a whole is worth a word

MAIN_COLUMNS = ["role", "text", "tokenizer", "merges", "vocab_size", "tokens", "chars_per_token"]
MAIN_COLUMNS += ["tokens_per_word"]
PICTURES = ("png", "svg", "pdf", "jpg")
PICTURE_WIDTH = 5.2  # inches
PICTURE_HEIGHT = 3.6
BATCH = 100_000  # ids that are written at a time
BATCH_OF_LINES = 1_000_000  # bytes of ids that are read at a time
SENTENCE = "She'll pay 1024 CROWNS!\n"  # on which `schemes` shows where words end

load_tokenizer = Tokenizer.load
ANY_TOKENIZER = "a file made by train, a tokenizer.json of Hugging Face, gpt2, gpt4 or gpt4o"
OF_OPENAI = {"gpt4": ("gpt4_ranks", "cl100k"), "gpt4o": ("gpt4o_ranks", "o200k")}  # corpus, scheme


# The commands, each with its options.


def _no_options(command: ArgumentParser) -> None:
    """Add nothing."""


def _demo(args: Namespace) -> None:
    """Train on a short story and show what merges do."""
    tok = Tokenizer.train(load_corpus("story"), num_merges=1000)
    print("The first tokens made of a story:\n")
    print(" ", spaced(merge.token for merge in tok.merges[:24]))
    print("\nA sentence that is not in it, after so many merges:\n")
    stages = {}  # name -> the tokenizer as it was after so many merges
    for n in (0, 10, 100, 1000):
        stage = Tokenizer(tok.scheme, tok.alphabet, tok.merges[:n])
        stages[f"{n} merges"] = stage
        print(f"{n:6} ", spaced(stage.tokens("A cello came home on the last bus.")))
    print("\nThe story, and a second one that it did not learn from:\n")
    texts = {name: load_corpus(name) for name in ("story", "second_story")}
    _print_table(compression.compare(stages, texts))


def _train_options(command: ArgumentParser) -> None:
    _add_files(command, "; several are one training text")
    command.add_argument("-o", "--output", required=True, metavar="FILE", help="file to write")
    _add_training_options(command)


def _train(args: Namespace) -> None:
    """Learn a tokenizer and write it to a file."""
    inputs = find_inputs(args.files)
    (output,) = find_outputs([args.output], [item.path for item in inputs])
    tok, read = _learn(args, inputs)
    tok.save(output)
    parts = f"{len(tok.alphabet):,} symbols + {len(tok.merges):,} merges"
    if tok.special_tokens:
        parts += f" + {len(tok.special_tokens):,} special"
    print(f"{args.output}: a tokenizer with {len(tok):,} tokens ({parts})")
    print(f"{read}; training stopped {tok.stopped}")


def _encode_options(command: ArgumentParser) -> None:
    _add_files(command)
    _add_tokenizer(command)
    command.add_argument("--tokens", action="store_true", help="print tokens instead of ids")
    command.add_argument("--special", action="store_true", help="recognise special tokens")
    command.epilog = MEMORY


def _encode(args: Namespace) -> None:
    """Turn text into ids, or into tokens to look at; a token with a line end ends the line."""
    tok = load_tokenizer(args.tokenizer)
    special_tokens = list(tok.special_tokens) if args.special else []
    inputs = find_inputs(args.files)
    _warn_of_large_files(inputs, tok.scheme)
    printed = {}  # id -> what is printed for it, with the space or the line end after it
    held_back = ""  # the last space or line end: whether more follows is not known yet
    for ids in _encode_inputs(tok, inputs, special_tokens):
        for i in set(ids) - printed.keys():
            printed[i] = _print_form(tok, i, args.tokens)
        for start in range(0, len(ids), BATCH):
            batch = "".join(map(printed.get, ids[start : start + BATCH]))
            sys.stdout.write(held_back + batch[:-1])
            held_back = batch[-1]
    if held_back:
        sys.stdout.write("\n")


def _encode_inputs(
    tok: Tokenizer, inputs: list[Input], special_tokens: list[str]
) -> Iterator[list[int]]:
    """Yield the ids of one piece of text after the other."""
    watched = not sys.stdout.isatty()  # among what is printed in a terminal a bar would disturb
    with reading_bar(inputs, "encoding", shown=watched) as bar:
        for item in inputs:
            with errors_name(item.name):
                for text in read_input(item, tok.scheme, special_tokens, bar):
                    yield tok.encode(text, allowed_special=special_tokens)


def _print_form(tok: Tokenizer, i: int, as_token: bool) -> str:
    """Write an id, or its token, and what stands between it and the next."""
    token = tok.vocab[i]
    text = label(token) if as_token else str(i)
    return text + ("\n" if "\n" in spell(token) else " ")


def _decode_options(command: ArgumentParser) -> None:
    _add_files(command)
    _add_tokenizer(command)


def _decode(args: Namespace) -> None:
    """Turn ids, with white space between them, back into text."""
    tok = load_tokenizer(args.tokenizer)
    for item in find_inputs(args.files):
        with errors_name(item.name):
            for ids in _read_ids(item, tok.scheme):
                sys.stdout.buffer.write(tok.decode_bytes(ids))


def _read_ids(item: Input, scheme: Scheme) -> Iterator[list[int]]:
    """Yield the ids of a file, a batch of lines at a time.

    Only bytes can be decoded batch by batch: of words, one must be known to be the last.
    """
    ids = []
    size = 0  # of the lines that hold them, in bytes
    for line in read_lines(item):
        for word in line.split():
            if not word.isdigit():
                typed = word.decode("utf-8", "backslashreplace")
                raise ValueError(f"{typed:.60} is not a token id; ids are whole numbers from 0")
            ids.append(int(word))
        size += len(line)
        if size >= BATCH_OF_LINES and scheme.units is bytes:
            yield ids
            ids = []
            size = 0
    yield ids


def _curve_options(command: ArgumentParser) -> None:
    _add_files(command, "; several are one training text")
    command.add_argument(
        "--held-out",
        action="append",
        default=[],
        metavar="FILE",
        help="measured too, with a curve of its own; may be given again",
    )
    command.add_argument(
        "-o", "--output", metavar="FILE", help=f"picture to write: {', '.join(PICTURES)}"
    )
    _add_csv(command)
    _add_training_options(command)


def _curve(args: Namespace) -> None:
    """Train, and show how texts shrink with every merge: table, picture, CSV file."""
    import pandas as pd

    kind = _picture_kind(args.output)
    inputs = find_inputs([*args.files, *args.held_out])
    picture, csv = find_outputs([args.output, args.csv], [item.path for item in inputs])
    with TemporaryDirectory() as folder:
        inputs = spool(inputs, folder)  # every file is read twice
        curves = _learn_curves(args, inputs[: len(args.files)], inputs[len(args.files) :])
    table = pd.concat(curves, names=["role", "text"]).reset_index(["role", "text"])
    last = table.merges.max()
    steps = [last * n // 5 for n in range(6)]
    _print_table(table[table.merges.isin(steps)])
    if picture:
        write_whole(picture, _draw(curves, kind))
        names = ", ".join(f"{text} ({role})" for role, text in curves)
        _note(f"{args.output}: a picture of the characters per token of {names}")
    _write_csv(csv, args.csv, table)


def _learn_curves(
    args: Namespace, training: list[Input], held_out: list[Input]
) -> dict[tuple[str, str], "DataFrame"]:
    """Train, and measure the training text and each held-out file; return (role, name) -> table."""
    tok, _ = _learn(args, training)
    _note(f"training stopped {tok.stopped}")
    name = args.files[0]
    if len(training) > 1:
        name = f"{len(training)} files"
        _note(f"{name} are one training text: {', '.join(args.files)}")
    curves = {("training", name): _measure(tok, training, name)}
    for item in held_out:
        _warn_of_large_files([item], tok.scheme)
        curves["held out", item.name] = _measure(tok, [item], item.name)
    return curves


def _measure(tok: Tokenizer, inputs: list[Input], name: str) -> "DataFrame":
    """Tabulate how the text of some files shrinks with every merge."""
    with errors_name(name), reading_bar(inputs, f"measuring {name}") as bar:
        texts = (read_input(item, tok.scheme, (), bar) for item in inputs)
        return compression.compression_curve(tok, chain.from_iterable(texts))


def _picture_kind(name: str | None) -> str:
    """Return the kind of picture that the ending of a name asks for, png if there is none."""
    kind = Path(name or "").suffix.removeprefix(".").lower() or "png"
    if kind not in PICTURES:
        raise ValueError(f"{name}: a picture is one of {', '.join(PICTURES)}, not {kind}")
    return kind


def _draw(curves: dict[tuple[str, str], "DataFrame"], kind: str) -> bytes:
    """Draw curves, by role and text, and return the picture."""
    from matplotlib.figure import Figure

    from bpe_teach.pictures.plots import plot_compression

    short = [f"{role}: {_short_name(text)}" for role, text in curves]
    full = [f"{role}: {text}" for role, text in curves]
    is_clear = len(set(short)) == len(short)  # no files of one name in different folders
    named = dict(zip(short if is_clear else full, curves.values(), strict=True))
    height = max(PICTURE_HEIGHT, 0.7 + 0.6 * len(curves))  # room for the label of every curve
    figure = Figure(figsize=(PICTURE_WIDTH, height))
    plot_compression(named, ax=figure.add_subplot())
    return _picture(figure, kind)


def _picture(figure: "Figure", kind: str) -> bytes:
    """Return a figure as the content of a file."""
    picture = BytesIO()
    figure.savefig(picture, format=kind, dpi=200)
    return picture.getvalue()


def _short_name(name: str) -> str:
    """Return the name of a file without its folder, or of a text of the course."""
    return Path(name.removeprefix("corpus:")).name


def _compare_options(command: ArgumentParser) -> None:
    _add_files(command)
    command.add_argument(
        "-t",
        "--tokenizer",
        action="append",
        required=True,
        metavar="FILE",
        help="a file made by train; may be given again",
    )
    _add_csv(command)
    command.epilog = MEMORY


def _compare(args: Namespace) -> None:
    """Measure tokenizers on the same texts."""
    import pandas as pd

    tokenizers = {name: load_tokenizer(name) for name in args.tokenizer}
    inputs = find_inputs(args.files)
    taken = [item.path for item in inputs]
    (csv,) = find_outputs([args.csv], [*taken, *args.tokenizer])
    tables = []
    with TemporaryDirectory() as folder:
        inputs = spool(inputs, folder)  # every tokenizer reads every file
        for name, tok in tokenizers.items():
            _warn_of_large_files(inputs, tok.scheme)
            with reading_bar(inputs, f"measuring {name}") as bar:
                texts = {item.name: read_input(item, tok.scheme, (), bar) for item in inputs}
                tables.append(compression.compare({name: tok}, texts))
    table = pd.concat(tables, ignore_index=True)
    _print_table(table)
    _write_csv(csv, args.csv, table)


def _report_options(command: ArgumentParser) -> None:
    add = command.add_argument
    add("tokenizers", nargs="+", metavar="TOKENIZER", help=ANY_TOKENIZER)
    add("--against", metavar="TOKENIZER", help="one more, with which all are compared")
    add(
        "--text",
        action="append",
        default=[],
        metavar="FILE",
        help="a text of yours, instead of the seven texts of the course; may be given again",
    )
    add("-o", "--output", metavar="FILE", help=f"picture to write: {', '.join(PICTURES)}")
    _add_csv(command)


def _report(args: Namespace) -> None:
    """Print a report card: how tokenizers do on prose, code, names, numbers, sixteen languages."""
    from bpe_teach.measure.report import report_card

    kind = _picture_kind(args.output)
    paths = list(dict.fromkeys(args.tokenizers))
    if args.against is not None and args.against not in paths:
        paths.insert(0, args.against)
    inputs = find_inputs(args.text)
    taken = [*paths, *(item.path for item in inputs)]
    picture, csv = find_outputs([args.output, args.csv], taken)
    names = _tokenizer_names(paths)  # path -> name
    tokenizers = {names[path]: _load_any(path) for path in paths}
    texts = {item.name: _read_whole(item) for item in inputs} or None
    card = report_card(tokenizers, texts, against=names.get(args.against))
    print(card)
    if picture:
        write_whole(picture, _draw_report(card, kind))
        _note(f"{args.output}: a picture of the texts and of the premium of each language")
    _write_csv(csv, args.csv, card.tables)


def _read_whole(item: Input) -> str:
    """Read an input as one text."""
    with errors_name(item.name):
        return "".join(read_input(item, SCHEMES["chars"]))  # a scheme that reads no pieces


def _load_any(name: str) -> Tokenizer:
    """Read a tokenizer of ours, of Hugging Face or of OpenAI, these without special tokens."""
    from bpe_teach.exchange.huggingface import from_huggingface
    from bpe_teach.exchange.openai import from_gpt2, from_tiktoken

    if name == "gpt2":
        return from_gpt2()
    if name in OF_OPENAI:
        corpus, scheme = OF_OPENAI[name]
        return from_tiktoken(corpus_path(corpus), scheme)
    with open(name, "rb") as file:
        start = file.read(1000)
    if b'"bpe_teach tokenizer"' in start:  # the format, which a file of ours names first
        return load_tokenizer(name)
    return from_huggingface(name)


def _draw_report(card: "ReportCard", kind: str) -> bytes:
    """Draw the texts of a report card, and the languages below them."""
    from matplotlib.figure import Figure

    texts = card.table.text.nunique()
    languages = card.languages.language.nunique()
    figure = Figure(figsize=(PICTURE_WIDTH, 2.3 + 0.27 * (texts + languages)))
    upper, lower = figure.subplots(2, 1, height_ratios=[texts, languages])
    card.plot("texts", ax=upper)
    card.plot("languages", ax=lower)
    return _picture(figure, kind)


def _schemes(args: Namespace) -> None:
    """Explain the schemes: how text becomes words, and what that loses."""
    print(f"{SENTENCE.strip()} becomes these words; a space within a word is written ·")
    for name, scheme in SCHEMES.items():
        words = [_whole_word(scheme, word) for word in scheme.split(SENTENCE)]
        units = "bytes" if scheme.units is bytes else "characters"
        held = "in pieces" if name in IN_PIECES else "as a whole"
        print()
        print(f"{name:12} {scheme.about}")
        print(f"{'':12} {' | '.join(map(label, words))}")
        print(f"{'':12} symbols: {units}; files are read {held}; decoding loses {scheme.loses}")


def _whole_word(scheme: Scheme, word: str) -> str:
    """Write a word with its end marker, if the scheme has one."""
    if scheme.units is bytes:
        return word
    return "".join(scheme.symbols(word))


def _corpora(args: Namespace) -> None:
    """List the texts that corpus:NAME stands for."""
    for name, row in list_corpora().iterrows():
        print(f"corpus:{name:16}{row.bytes:>10,} bytes  {row.about} ({row.source})")


def _handout_options(command: ArgumentParser) -> None:
    command.add_argument("notebooks", nargs="+", metavar="NOTEBOOK", help="path of a notebook")
    command.add_argument(
        "-o", "--output", required=True, metavar="FOLDER", help="folder to write to"
    )


def _handout(args: Namespace) -> None:
    """Write notebooks for a class: without outputs, the solutions apart; to use and to print."""
    from bpe_teach.shell import handout

    contents = {}  # name of a file to write -> its content
    for path in map(Path, args.notebooks):
        with errors_name(path):
            contents |= handout.render(path)
    Path(args.output).mkdir(parents=True, exist_ok=True)
    names = [str(Path(args.output, name)) for name in contents]
    outputs = find_outputs(names, args.notebooks)
    for name, output, content in zip(names, outputs, contents.values(), strict=True):
        write_whole(output, content)
        print(name)


def _playground_options(command: ArgumentParser) -> None:
    command.add_argument(
        "tokenizers", nargs="+", metavar="TOKENIZER", help="a file made by train; up to three"
    )
    command.add_argument("-o", "--output", required=True, metavar="FILE", help="page to write")
    command.add_argument("--text", default="", help="text that stands there at first")


def _playground(args: Namespace) -> None:
    """Write a web page in which tokenizers can be tried, and texts trained on, offline."""
    from bpe_teach.pictures.playground import playground

    (output,) = find_outputs([args.output], args.tokenizers)
    named = {}
    for path, name in _tokenizer_names(args.tokenizers).items():
        named[name] = load_tokenizer(path)
    page = playground(named, args.text).page(title=" and ".join(named))
    write_whole(output, page.encode("utf-8"))
    print(f"{args.output}: a page to try {', '.join(named)}, {len(page):,} characters")


def _tokenizer_names(paths: list[str]) -> dict[str, str]:
    """Return path -> name: without folder and ending if that leaves all of them different."""
    paths = list(dict.fromkeys(paths))
    short = [_short_name(path).removesuffix(".json") for path in paths]
    is_clear = len(set(short)) == len(short)
    return dict(zip(paths, short if is_clear else paths, strict=True))


def _help_options(command: ArgumentParser) -> None:
    command.add_argument(
        "about", nargs="?", choices=COMMANDS, metavar="COMMAND", help="what to explain"
    )


def _help(args: Namespace) -> None:
    """Explain a command, or list the commands."""
    parser = _make_parser()
    if args.about:
        parser.parse_args([args.about, "--help"])  # which ends the program
    parser.print_help()


class Command(NamedTuple):
    """A command: the function that runs it, and the one that adds its options."""

    run: Callable[[Namespace], None]
    add_options: Callable[[ArgumentParser], None] = _no_options


COMMANDS = {
    "demo": Command(_demo),
    "train": Command(_train, _train_options),
    "encode": Command(_encode, _encode_options),
    "decode": Command(_decode, _decode_options),
    "curve": Command(_curve, _curve_options),
    "compare": Command(_compare, _compare_options),
    "report": Command(_report, _report_options),
    "schemes": Command(_schemes),
    "corpora": Command(_corpora),
    "playground": Command(_playground, _playground_options),
    "handout": Command(_handout, _handout_options),
    "help": Command(_help, _help_options),
}


# Options and steps that several commands share.


def _add_files(command: ArgumentParser, more: str = "") -> None:
    command.add_argument(
        "files", nargs="*", default=["-"], metavar="FILE", help=f"path, - or corpus:NAME{more}"
    )


def _add_tokenizer(command: ArgumentParser) -> None:
    command.add_argument(
        "-t", "--tokenizer", required=True, metavar="FILE", help="a file made by train"
    )


def _add_csv(command: ArgumentParser) -> None:
    command.add_argument("--csv", metavar="FILE", help="file to write the whole table to")


def _add_training_options(command: ArgumentParser) -> None:
    """Add the options that say what is to be learned."""
    add = command.add_argument
    add(
        "--scheme",
        choices=SCHEMES,
        default="gpt2",
        help="how text becomes words: see `bpe-teach schemes` (gpt2)",
    )
    add_size = command.add_mutually_exclusive_group().add_argument
    add_size(
        "--merges",
        type=_whole_number(0),
        default=1000,
        metavar="N",
        help="how many merges to learn (1000)",
    )
    add_size(
        "--vocab-size",
        type=_whole_number(1),
        metavar="N",
        help="how many tokens in all, instead of --merges",
    )
    add(
        "--min-count",
        type=_whole_number(1),
        default=2,
        metavar="N",
        help="merge no pair that occurs less often (2)",
    )
    add(
        "--tie-break",
        choices=TIE_BREAKS,
        default="first",
        help="which of equally frequent pairs comes first (first)",
    )
    add(
        "--special",
        action="append",
        default=[],
        metavar="TOKEN",
        help="a special token; may be given again",
    )
    add("--unk", metavar="TOKEN", help="stands for unseen characters, with a scheme of characters")
    add("--workers", type=_whole_number(1), metavar="N", help="count the words in N processes")
    add(
        "--dask",
        metavar="ADDRESS",
        help="count the words on a Dask cluster: the address of its scheduler, or local",
    )
    command.epilog = TRAINING_MEMORY


def _whole_number(least: int) -> Callable[[str], int]:
    """Return a function that reads a whole number and refuses a lower one."""

    def read(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = None
        if number is None or number < least:
            raise ArgumentTypeError(f"{text} is not a whole number from {least} up")
        return number

    return read


def _learn(args: Namespace, inputs: list[Input]) -> tuple[Tokenizer, str]:
    """Train as the options say; return the tokenizer and what was read, in words."""
    scheme = SCHEMES[args.scheme]
    if args.unk is not None and scheme.units is bytes:
        raise ValueError(f"--unk {args.unk} is not needed: scheme {scheme.name} has all bytes")
    least = 256 + len(args.special)
    if args.vocab_size is not None and scheme.units is bytes and args.vocab_size < least:
        raise ValueError(
            f"--vocab-size {args.vocab_size} is too small: scheme {scheme.name} has 256 bytes, and "
            f"there are {len(args.special)} special tokens"
        )
    if not scheme.lossless:
        _note(f"scheme {scheme.name} loses {scheme.loses}; decoding does not bring that back")
    if word_border(scheme) is None:
        _warn_of_large_files(inputs, scheme)
    special_tokens = list(args.special)
    if args.unk is not None:
        special_tokens.append(args.unk)
    train = partial(
        Tokenizer.train,
        scheme=scheme,
        num_merges=args.merges if args.vocab_size is None else None,
        vocab_size=args.vocab_size,
        min_count=args.min_count,
        special_tokens=args.special,
        unk_token=args.unk,
        tie_break=args.tie_break,
        progress=sys.stderr.isatty(),
    )
    if args.workers or args.dask:
        counts = _count_in_parts(args, inputs, scheme, special_tokens)
        tok = train(word_counts=counts)
        read = f"{len(counts):,} different words counted" if counts else ""
    else:
        lengths = []  # of the pieces
        texts = read_inputs(inputs, scheme, special_tokens, "reading")
        tok = train(_noting_lengths(texts, lengths))
        read = f"{sum(lengths):,} characters read" if lengths else ""
    if not read:
        raise ValueError(f"{', '.join(args.files)}: nothing to learn from, the input is empty")
    return tok, read


def _count_in_parts(
    args: Namespace, inputs: list[Input], scheme: Scheme, special_tokens: list[str]
) -> dict[Word, int]:
    """Count the words of the inputs in processes or on a cluster, as the options say."""
    if args.dask is None:
        workers = nullcontext(partial(map_in_processes, workers=args.workers))
    elif args.dask == "local":
        workers = dask_map(workers=args.workers)
    else:
        workers = dask_map(args.dask)
    with TemporaryDirectory() as folder, workers as map_over:
        inputs = spool(inputs, folder)  # a worker opens its file by the name
        return count_words(
            [item.path for item in inputs],
            scheme,
            map=map_over,
            special_tokens=special_tokens,
            progress=sys.stderr.isatty(),
        )


def _noting_lengths(texts: Iterable[str], lengths: list[int]) -> Iterator[str]:
    """Hand texts on and note how long each is."""
    for text in texts:
        lengths.append(len(text))
        yield text


def _warn_of_large_files(inputs: Iterable[Input], scheme: Scheme) -> None:
    """Say which large files are held in memory as a whole, and why."""
    if can_be_cut(scheme):
        return
    if scheme.pattern is None:
        reason = f"to scheme {scheme.name} it is one word; that takes many times its size"
    else:
        reason = f"scheme {scheme.name} does not read in pieces"
    for item in inputs:
        size = input_size(item)
        if size is not None and size > LARGE:
            _note(f"{item.name} ({size / 1e6:,.0f} MB) is held in memory as a whole: {reason}")


def _print_table(table: "DataFrame") -> None:
    """Print the main columns of a table."""
    main = [name for name in table if name in MAIN_COLUMNS]
    print(table[main].to_string(index=False, float_format="{:.2f}".format))


def _write_csv(path: Path | None, name: str, table: "DataFrame") -> None:
    """Write a table to a file, if there is one to write, and say so."""
    if path:
        content = table.to_csv(index=False, lineterminator="\n")
        write_whole(path, content.encode("utf-8", "backslashreplace"))
        _note(f"{name}: the whole table, {len(table):,} rows")


def _note(message: str) -> None:
    """Tell the user something that does not belong to the output."""
    print(f"bpe-teach: {message}", file=sys.stderr)


# The program.


def _make_parser() -> ArgumentParser:
    """Describe the commands."""
    parser = ArgumentParser(
        "bpe-teach",
        description=ABOUT,
        epilog=EXAMPLES,
        formatter_class=RawDescriptionHelpFormatter,
    )
    version = sys.modules["bpe_teach"].__version__
    parser.add_argument("--version", action="version", version=f"bpe-teach {version}")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for name, (run, add_options) in COMMANDS.items():
        command = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        command.set_defaults(run=run)
        add_options(command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    0: done. 1: an error, said in one line. 2: no such command or option. 141: nobody reads the
    output any more.
    """
    _prepare_streams()
    try:
        try:
            return _run(argv)
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()
        return 141
    except OSError as error:
        if error.filename is None:  # not a file that was opened: standard output
            _drop_output()
            _note(f"error: {error}")
        else:
            _note(f"error: {error.filename}: {error.strerror}")
        return 1
    except MemoryError:
        _note("error: there is not enough memory; schemes that read files in pieces need least")
        return 1
    except ValueError as error:
        _note(f"error: {error}")
        return 1


def _prepare_streams() -> None:
    """Make standard output UTF-8 with line ends as they are, and standard error usable."""
    if sys.stderr is None:  # closed: print would write errors to standard output instead
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        sys.exit("bpe-teach: error: standard output is closed")
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")


def _run(argv: Sequence[str] | None) -> int:
    """Run the command that the arguments name."""
    parser = _make_parser()
    args = parser.parse_args(argv)
    if args.run is None:
        parser.print_help()
        return 2
    args.run(args)
    return 0


def _drop_output() -> None:
    """Forget what standard output still holds: at its end Python would try again to write it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
