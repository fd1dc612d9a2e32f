"""Byte pair encoding from a shell: learn tokens from texts, encode, decode and measure.

A FILE is a path, - for standard input (the default) or corpus:NAME for a text of the course.
Texts are UTF-8 in every locale; nothing is changed, neither line ends nor a byte order mark.

examples:
  bpe-teach train corpus:story -o story.json --merges 1000
  echo "She counted the lower lights" | bpe-teach encode -t story.json --tokens
  bpe-teach encode -t story.json README.md | bpe-teach decode -t story.json | cmp - README.md
  bpe-teach curve corpus:story --held-out corpus:second_story -o curve.png --csv curve.csv
"""

import os
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Iterator, Sequence
from io import BytesIO
from itertools import chain
from pathlib import Path

from bpe_teach import compression
from bpe_teach.corpora import list_corpora, load_corpus
from bpe_teach.fast import TIE_BREAKS
from bpe_teach.files import open_input, output, read
from bpe_teach.plots import plot_compression
from bpe_teach.schemes import SCHEMES
from bpe_teach.storage import write_whole
from bpe_teach.symbols import label, spaced, spell
from bpe_teach.tokenizer import Tokenizer

PICTURES = ("png", "svg", "pdf", "jpg")


def demo(args: Namespace) -> None:
    """Train on a short story and show what merges do."""
    tok, stages = Tokenizer.train(load_corpus("story"), num_merges=1000), {}
    print("The first tokens made of a story:\n\n ", spaced(m.token for m in tok.merges[:24]))
    print("\nA sentence that is not in it, after so many merges:\n")
    for n in (0, 10, 100, 1000):
        stages[f"{n} merges"] = stage = Tokenizer(tok.scheme, tok.alphabet, tok.merges[:n])
        print(f"{n:6} ", spaced(stage.tokens("A cello came home on the last bus.")))
    print("\nThe story, and a second one that it did not learn from:\n")
    show(compression.compare(stages, {t: load_corpus(t) for t in ("story", "second_story")}))


def train(args: Namespace) -> None:
    """Learn a tokenizer and write it to a file."""
    tok = learn(args, read(args.files, SCHEMES[args.scheme], args.special_tokens))
    tok.save(args.output)
    print(f"{args.output}: {len(tok)} tokens; training stopped {tok.stopped}")


def encode(args: Namespace) -> None:
    """Turn text into ids, or into tokens to look at; a token with a line end ends the line."""
    tok = Tokenizer.load(args.tokenizer[-1])
    special = tok.special_tokens if args.special else ()
    separator = ""
    for text in read(args.files, tok.scheme, special):
        for i in tok.encode(text, allowed_special=special):
            sys.stdout.write(f"{separator}{label(tok.vocab[i]) if args.tokens else i}")
            separator = "\n" if "\n" in spell(tok.vocab[i]) else " "
    sys.stdout.write("\n" if separator else "")


def decode(args: Namespace) -> None:
    """Turn ids, with white space between them, back into text."""
    tok = Tokenizer.load(args.tokenizer[-1])
    for name in args.files:
        with open_input(name) as file:
            # only bytes can be joined line by line: of words, one must be known to be the last
            for line in file if tok.scheme.units is bytes else [file.read()]:
                if wrong := [word for word in line.split() if not word.isdigit()]:
                    raise ValueError(f"{name}: {wrong[0]!r:.60} is no id: ids are whole numbers")
                sys.stdout.buffer.write(tok.decode_bytes(map(int, line.split())))


def curve(args: Namespace) -> None:
    """Train, and show how texts shrink with every merge: table, picture, CSV file."""
    import pandas as pd
    from matplotlib.figure import Figure

    kind = args.output.suffix[1:].lower() or "png" if args.output else "png"
    if kind not in PICTURES:
        raise ValueError(f"{args.output}: a picture is one of {', '.join(PICTURES)}, not {kind}")
    files = {"training": args.files, "held out": args.held_out}
    texts = {name: [*read(files[name])] for name in files if files[name]}
    tok = learn(args, iter(texts["training"]))
    curves = {name: compression.compression_curve(tok, text) for name, text in texts.items()}
    if args.output:
        figure = plot_compression(curves, ax=Figure().add_subplot()).figure
        picture = BytesIO()
        figure.savefig(picture, format=kind, dpi=200)
        write_whole(args.output, picture.getvalue())
    table = pd.concat(curves, names=["text"]).reset_index("text")
    show(table, args.csv, table.merges.isin([len(tok.merges) * n // 5 for n in range(6)]))


def compare(args: Namespace) -> None:
    """Measure tokenizers on the same texts."""
    tokenizers = {name: Tokenizer.load(name) for name in args.tokenizer}
    show(compression.compare(tokenizers, {name: [*read([name])] for name in args.files}), args.csv)


def corpora(args: Namespace) -> None:
    """List the texts that corpus:NAME stands for."""
    for name, row in list_corpora().iterrows():
        print(f"corpus:{name:16}{row.bytes:>10,} bytes  {row.about} ({row.source})")


def check_outputs(args: Namespace) -> None:
    """Raise ValueError, before any work is done, if a file to write is named a second time."""
    fields = [getattr(args, name, None) or [] for name in ("files", "held_out", "tokenizer")]
    taken = set(map(os.path.realpath, chain.from_iterable(fields)))
    for path in filter(None, [getattr(args, "output", None), getattr(args, "csv", None)]):
        if str(path) in taken:
            raise ValueError(f"{path} is named twice; name another file to write")
        taken.add(str(path))


def learn(args: Namespace, texts: Iterator[str]) -> Tokenizer:
    """Train as the options say; ValueError if there is no text."""
    if (first := next(texts, None)) is None:
        raise ValueError(f"{', '.join(args.files)}: nothing to learn from, the input is empty")
    size = "num_merges" if args.vocab_size is None else "vocab_size"
    names = ["scheme", size, "min_count", "special_tokens", "tie_break"]
    options = {name: getattr(args, name) for name in names}
    return Tokenizer.train(chain([first], texts), progress=sys.stderr.isatty(), **options)


def show(table, csv: Path | None = None, rows=slice(None)) -> None:
    """Write a table to a file, if one is named, and print the main columns of some rows."""
    if csv:
        content = table.to_csv(index=False, lineterminator="\n")
        write_whole(csv, content.encode("utf-8", "backslashreplace"))
    main = table[rows].filter(regex="text|merges|vocab_size|^token|chars_per_token")
    print(main.to_string(index=False, float_format="{:.2f}".format))


def parser() -> ArgumentParser:
    """Describe the commands; the docstring of each is its help."""
    top = ArgumentParser("bpe-teach", formatter_class=RawDescriptionHelpFormatter)
    top.description, top.epilog = __doc__.split("\n\n", 1)
    version = f"bpe-teach {sys.modules['bpe_teach'].__version__}"
    top.add_argument("--version", action="version", version=version)
    top.set_defaults(run=lambda args: top.print_help() or 2)
    commands = top.add_subparsers(title="commands", metavar="COMMAND")
    for run in (demo, train, encode, decode, curve, compare, corpora):
        command = commands.add_parser(run.__name__, help=run.__doc__, description=run.__doc__)
        command.set_defaults(run=run)
        add = command.add_argument
        if run not in (demo, corpora):
            add("files", nargs="*", default=["-"], metavar="FILE", help="path, - or corpus:NAME")
        if run in (encode, decode, compare):
            add("-t", "--tokenizer", required=True, action="append", help="a file made by train")
        if run is encode:
            add("--tokens", action="store_true", help="print tokens instead of ids")
            add("--special", action="store_true", help="recognise special tokens")
        if run in (train, curve):
            add("-o", "--output", required=run is train, type=output, help="file to write")
            add("--scheme", choices=SCHEMES, default="gpt2", help="how text becomes words (gpt2)")
            size = command.add_mutually_exclusive_group().add_argument
            number = {"type": int, "metavar": "N"}
            size(
                "--merges", dest="num_merges", default=1000, help="how many merges (1000)", **number
            )
            size("--vocab-size", help="how many tokens in all, instead of --merges", **number)
            add("--min-count", default=2, help="merge no pair that occurs less often (2)", **number)
            add("--tie-break", choices=TIE_BREAKS, default="first", help="of equal pairs (first)")
            special = {"dest": "special_tokens", "metavar": "TOKEN", "default": []}
            add("--special", action="append", help="a special token; repeatable", **special)
        if run is curve:
            add("--held-out", action="append", metavar="FILE", help="measured too; repeatable")
        if run in (curve, compare):
            add("--csv", type=output, help="file to write the whole table to")
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code (130: stopped by Ctrl-C, 141: nobody reads on)."""
    if sys.stderr is None:  # closed: print would write errors to standard output instead
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        sys.exit("bpe-teach: error: standard output is closed")
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    try:
        try:
            args = parser().parse_args(argv)
            check_outputs(args)
            return args.run(args) or 0
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except (OSError, ValueError) as error:
        name = getattr(error, "filename", None)
        if isinstance(error, OSError) and not name:  # standard output: forget what it still holds
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(error, BrokenPipeError):
            return 141
        print("bpe-teach: error:", f"{name}: {error.strerror}" if name else error, file=sys.stderr)
        return 1
