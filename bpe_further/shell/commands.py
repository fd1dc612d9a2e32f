"""The shell: learn tokens from texts, encode, decode and measure.

Each command is a function whose docstring is its help; `options` lists its arguments.
"""

import json
import os
import sys
import warnings
from argparse import (
    Action,
    ArgumentParser,
    Namespace,
    RawDescriptionHelpFormatter,
    _SubParsersAction,
)
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from functools import partial
from io import BytesIO
from itertools import chain, islice, product
from operator import add
from pathlib import Path
from shlex import quote
from typing import NoReturn

from bpe_further.classroom.handed_in import find_handed
from bpe_further.exchange.check import NOBODY, check_against, joins_otherwise
from bpe_further.exchange.huggingface_notes import PADDING
from bpe_further.exchange.huggingface_write import save_huggingface, to_huggingface
from bpe_further.exchange.load import MODELS, OF_OPENAI, load_tokenizer
from bpe_further.exchange.openai import from_tiktoken, write_ranks
from bpe_further.exchange.published import (
    HOW_TO_NAME,
    HOW_TO_PUT,
    PublishedTokenizer,
    name_scheme,
)
from bpe_further.exchange.shared import GUESSED, OnIds, OnText, read_printed
from bpe_further.exchange.subword_nmt import to_subword_nmt
from bpe_further.shell.arguments import (
    Input,
    check_outputs,
    find_inputs,
    find_tokenizer,
    spool,
    writable,
)
from bpe_further.shell.completion import completion_script
from bpe_further.shell.options import ARGUMENTS, whole_number
from bpe_further.shell.sheet import as_csv
from bpe_further.shell.wording import in_shell, tell
from bpe_further.words import count_words, dask_map, map_in_processes
from bpe_teach.compression import compression_curve
from bpe_teach.display import label, printable, spaced
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.files import can_be_cut, errors_name, open_source, write_whole
from bpe_teach.schemes import SCHEMES
from bpe_teach.symbols import spell

OVERVIEW = Path(__file__).with_name("overview.txt").read_text("utf-8")
MAIN_COLUMNS = ["role", "text", "tokenizer", "merges", "vocab_size"]  # columns that are printed
MAIN_COLUMNS += ["tokens", "chars_per_token", "tokens_per_word", "price"]
MOST_SHOWN = 40  # tokens
SENTENCE = "She'll pay 1024 CROWNS!\n"  # the command `schemes` shows the words of this text


WRITERS = {  # kind of file -> the function that writes it
    "huggingface": lambda tok, path: write_whole(path, to_huggingface(tok).to_str().encode()),
    "tiktoken": write_ranks,  # without special tokens and the split pattern
    "subword-nmt": to_subword_nmt,
    "bpe-teach": PublishedTokenizer.save,
}


# The commands.


def _train(args: Namespace) -> None:
    """Learn a tokenizer and write it to a file."""
    inputs = find_inputs(args.files)
    check_outputs([args.output], [item.path for item in inputs])
    with spool(inputs) as inputs:
        tok = _learn(args, inputs)
    with writable(args.output) as path:
        tok.save(path)
    _say(f"{args.output}: {tok}", args.output)


def _learn(args: Namespace, inputs: list[Input]) -> Tokenizer:
    """Return a tokenizer trained according to the options, on files that can be read twice."""
    scheme = SCHEMES[args.scheme]
    if args.merges is not None and args.vocab_size is not None:
        raise ValueError("give either --merges or --vocab-size, not both")
    if args.unk is not None and scheme.units is bytes:
        raise ValueError(f"--unk {args.unk} is not needed: scheme {scheme.name} has all bytes")
    if args.vocab_size is None and args.merges is None:
        args.merges = 1000
    if not scheme.lossless:
        tell(f"scheme {scheme.name} loses {scheme.loses}; decoding does not bring that back")
    workers = nullcontext(map)  # workers count the words in parts: see `count_words`
    if args.dask is not None:
        workers = dask_map(None if args.dask == "local" else args.dask, args.workers)
    elif args.workers:
        workers = nullcontext(partial(map_in_processes, workers=args.workers))
    with workers as map_over:
        counts = count_words(
            [item.path for item in inputs],
            scheme,
            map=map_over,
            special_tokens=args.special + ([] if args.unk is None else [args.unk]),
            progress=sys.stderr.isatty(),
        )
    if not counts:
        raise ValueError(f"{', '.join(args.files)}: nothing to learn from, there are no words")
    tok = Tokenizer.train(
        word_counts=counts,
        scheme=scheme,
        num_merges=args.merges,
        vocab_size=args.vocab_size,
        min_count=args.min_count,
        special_tokens=args.special,
        unk_token=args.unk,
        tie_break=args.tie_break,
        progress=sys.stderr.isatty(),
    )
    if ":" in tok.stopped:  # training ended with fewer merges than wanted
        tell(f"training stopped {tok.stopped}")
    return tok


def _encode(args: Namespace) -> None:
    """Turn text into ids, or into tokens to look at; a token with a line end ends the line."""
    tok = find_tokenizer(args, args.tokenizer)
    special_tokens = _recognized(args, {"": tok})[""]
    if args.continuation is not None and not tok.scheme.marker:
        raise ValueError(f"--continuation: {name_scheme(tok.scheme)} doesn't mark where words end")
    if args.continuation is not None and tok.scheme.units is bytes:
        raise ValueError("--continuation: its tokens are bytes, which may not be whole characters")
    _tell_of_ids(args, {"": tok})
    before, after = _around(args, tok)
    printed = {}  # id -> its printed form, with the space or the line end after it
    for item in find_inputs(args.files):
        with errors_name(item.name):
            if args.lines or args.continuation is not None:
                _encode_lines(args, tok, special_tokens, item)
                continue
            texts = item.texts(tok.scheme, special_tokens, prints=True)
            pieces = (tok.encode(text, allowed_special=special_tokens) for text in texts)
            if args.truncate is not None:  # one more id shows whether the last id may be kept
                most = _room(args, tok)
                first = list(islice(chain.from_iterable(pieces), most + 1))
                pieces = [tok.truncate(first, most)]
            for ids in _put_around(pieces, before, after):
                for i in set(ids) - printed.keys():
                    token = tok.vocab[i]
                    printed[i] = label(token) if args.tokens else str(i)
                    printed[i] += "\n" if "\n" in spell(token) else " "
                if ids:
                    sys.stdout.write("".join(map(printed.get, ids))[:-1] + "\n")


def _tell_of_ids(args: Namespace, tokenizers: dict[str, Tokenizer]) -> None:
    """Print a note on everything that makes the ids, or their number, differ from expectations."""
    for name, tok in tokenizers.items():
        about = f"{name}: " if len(tokenizers) > 1 else ""
        for note in tok.notes_at_hand() if isinstance(tok, PublishedTokenizer) else ():
            is_put = getattr(args, "add_special_tokens", False)
            # Padding concerns the ids around a text, and not each count.
            is_idle = HOW_TO_PUT in note if is_put else note.startswith(PADDING)
            if isinstance(note, OnIds) and not is_idle:
                split, guessed, advice = note.partition(GUESSED)
                note = f"{split}{guessed}: show has the advice" if advice else note
                tell(f"note: {about}{note}")


def _around(args: Namespace, tok: Tokenizer) -> tuple[list[int], list[int]]:
    """Return the ids to put before and after a text, according to --add-special-tokens."""
    sides = getattr(tok, "around", None) if args.add_special_tokens else None
    before, after = sides or ([], [])
    return [i for _, i in before], [i for _, i in after]


def _room(args: Namespace, tok: Tokenizer) -> int:
    """Return the number of tokens of a text that may be kept.

    The number that follows --truncate includes the tokens around the text.
    """
    before, after = _around(args, tok)
    return max(args.truncate - len(before) - len(after), 0)


def _put_around(
    pieces: Iterable[list[int]], before: list[int], after: list[int]
) -> Iterator[list[int]]:
    """Yield the ids of a text piece by piece, with ``before`` in front and ``after`` at the end."""
    if not before and not after:
        yield from pieces
        return
    held = None  # a piece is held until it is known whether one more follows
    for ids in pieces:
        if held is None:
            held = before + ids
        else:
            yield held
            held = ids
    yield (before if held is None else held) + after


def _recognized(args: Namespace, tokenizers: dict[str, Tokenizer]) -> dict[str, list[str]]:
    """Return the special tokens that are to be recognized, for each tokenizer by its name.

    Tell the user if --special is given and a tokenizer has no special tokens.
    """
    found = {
        name: list(tok.special_tokens) if args.special else [] for name, tok in tokenizers.items()
    }
    for name, special_tokens in found.items():
        if args.special and not special_tokens:
            none = "--special finds nothing, since no special tokens are known"
            about = f"{name}: " if len(found) > 1 else ""
            tell(f"note: {about}{none}; a .tiktoken file holds none: {HOW_TO_NAME}")
    return found


def _encode_lines(args: Namespace, tok: Tokenizer, special_tokens: list[str], item: Input) -> None:
    """Print a line of ids, or of tokens, for every line of a file."""
    before, after = _around(args, tok)
    for number, line in enumerate(item.lines(), 1):
        with errors_name(f"line {number}"):
            ids = tok.encode(line, allowed_special=special_tokens)
        if args.truncate is not None:
            ids = tok.truncate(ids, _room(args, tok))
        if args.continuation is not None:
            touching = _touching(tok, line, special_tokens)
            shown = _continued(tok, ids, args.continuation, touching)
            names = [*map(tok.vocab.get, before), shown, *map(tok.vocab.get, after)]
            sys.stdout.write(" ".join(filter(None, names)) + "\n")
            continue
        ids = before + ids + after
        shown = spaced(map(tok.vocab.get, ids)) if args.tokens else " ".join(map(str, ids))
        sys.stdout.write(f"{shown}\n")


def _touching(tok: Tokenizer, text: str, special_tokens: list[str]) -> set[int]:
    """Return the numbers of tokens that touch the token before, if either is special or added.

    Tokens touch if there is no white space between them. If Edinburgh is an added token, the text
    "xEdinburgh" gives number 1: token 0 ends like a word, but no space follows.
    """
    found = set()
    number = 0  # number of tokens so far
    end = " "  # end of the part before
    for part, i, position in tok.parts(text, special_tokens):
        if not part:
            continue
        if not end.isspace() and not part[0].isspace():
            found.add(number)
        new = 1 if i is not None else len(tok._encode_part(part, position))
        number += new
        end = part[-1] if new else " "  # a part may become no tokens at all
    return found


def _continued(tok: Tokenizer, ids: list[int], sign: str, touching: set[int]) -> str:
    """Return tokens separated by spaces, with a sign after each token that doesn't end its word.

    Special and added tokens are written as ``apply_bpe`` of subword-nmt writes its glossaries.
    """
    marker = tok.scheme.marker
    alone = {*tok._id_of_name.values()} - {tok.unknown}
    pieces = []
    goes_on = []  # for each piece, whether its word continues
    for number, i in enumerate(ids):
        if number in touching:
            goes_on[-1] = True
        token = tok.vocab[i]
        # A plain text can have the same spelling as the marker.
        ends_word = token.endswith(marker) and type(token) is type(marker)
        if i in alone or not ends_word:
            pieces.append(token)
            goes_on.append(i not in alone)
        elif token != marker:
            pieces.append(token.removesuffix(marker))
            goes_on.append(False)
        elif pieces:  # the marker is a separate token
            goes_on[-1] = False
    signed = zip(pieces, goes_on, strict=True)
    return " ".join(piece + sign if more else piece for piece, more in signed)


def _decode(args: Namespace) -> None:
    """Turn ids, with white space between them, back into text."""
    tok = find_tokenizer(args, args.tokenizer)
    for note in tok.notes_at_hand():
        if isinstance(note, OnText):
            tell(f"note: {note}")
    write = sys.stdout.buffer.write
    for item in find_inputs(args.files):
        ids = []
        with errors_name(item.name), open_source(item.path) as file, item.bar(prints=True) as bar:
            for line in file:
                ids.extend(map(whole_number, line.decode("utf-8", "backslashreplace").split()))
                if args.lines:
                    write(tok.decode_bytes(ids) + b"\n")
                    ids = []
                elif tok.scheme.units is bytes:  # the last word looks like any other word
                    write(tok.decode_bytes(ids))
                    ids = []
                if bar is not None:
                    bar.update(len(line))
            write(tok.decode_bytes(ids))


def _curve(args: Namespace) -> None:
    """Train, and show how texts shrink with every merge, in a table, a picture or a CSV file."""
    import pandas as pd

    inputs = find_inputs([*args.files, *args.held_out])
    check_outputs([args.output, args.csv], [item.path for item in inputs])
    curves = {}  # (role, name) -> table
    with spool(inputs) as inputs:  # because every file is read twice
        training = inputs[: len(args.files)]
        tok = _learn(args, training)
        name = args.files[0] if len(training) == 1 else f"{len(training)} files"
        measured = [("training", name, training)]  # all files together are one training text
        for item in inputs[len(training) :]:
            measured.append(("held out", item.name, [item]))
        for role, name, items in measured:
            with errors_name(name):
                texts = chain.from_iterable(item.texts(tok.scheme) for item in items)
                curves[role, name] = compression_curve(tok, texts)
    table = pd.concat(curves, names=["role", "text"]).reset_index(["role", "text"])
    steps = [table.merges.max() * n // 5 for n in range(6)]
    _print_table(table[table.merges.isin(steps)], args.csv, args.output)
    _write_csv(args.csv, table)  # first, so that it isn't lost if the picture can't be written
    if args.output is not None:
        from bpe_teach.pictures.plots import plot_compression

        short = _short_names([text for _, text in curves])
        named = {f"{role}: {short[text]}": curve for (role, text), curve in curves.items()}
        ax = plot_compression(named, title="How many characters a token holds")
        _write_picture(args.output, ax.get_figure())


def _short_names(paths: Iterable[str]) -> dict[str, str]:
    """Return path -> short name: the file's name without .json, or the path if names are equal."""
    paths = list(dict.fromkeys(paths))
    short = [Path(path.removeprefix("corpus:")).name.removesuffix(".json") for path in paths]
    is_clear = len(set(short)) == len(short)
    return dict(zip(paths, short if is_clear else paths, strict=True))


def _count(args: Namespace) -> int:
    """Count the tokens of texts, or of all texts in a folder, and what they cost at your rate."""
    # This command does without pandas, which takes longer to load than most files to count.
    tokenizers = _load_all(args, args.tokenizer)
    recognized = _recognized(args, tokenizers)
    _tell_of_ids(args, tokenizers)
    faults = []
    inputs = []
    for name in args.files:
        with _going_on(faults):
            inputs += find_inputs([name])
    wanted = len(inputs) + len(faults)  # number of files
    check_outputs([args.csv], [item.path for item in inputs])
    rows = []
    totals = {}  # name of a tokenizer -> characters, tokens and number of all files
    with spool(inputs) as inputs:
        for item, (name, tok) in product(inputs, tokenizers.items()):
            with _going_on(faults), errors_name(item.name):
                characters = 0
                tokens = sum(map(len, _around(args, tok)))
                for text in item.texts(tok.scheme, recognized[name]):
                    characters += len(text)
                    tokens += len(tok.encode(text, allowed_special=recognized[name]))
                rows.append(_count_row(item.name, name, characters, tokens, args.price))
                sums = totals.get(name, (0, 0, 0))
                totals[name] = tuple(map(add, sums, (characters, tokens, 1)))
    total = []
    for name, (characters, tokens, number) in totals.items():
        left_out = wanted - number  # files that could not be counted
        files = f"{left_out} file{'s' if left_out > 1 else ''}"
        text = f"total without {files}" if left_out else "total"
        row = _count_row(text, name, characters, tokens, args.price)
        total.append(row | {"files_left_out": left_out} if left_out else row)
    if args.json:
        for row in total:
            del row["text"]
        print(f'{{"files": {_as_json(rows)},\n "total": {_as_json(total)}}}')
    elif rows:
        _say(_as_columns(rows + total if len(inputs) > 1 else rows), args.csv)
    if args.csv is not None:
        header = _count_row("", "", 0, 0, args.price).keys()
        _write(args.csv, as_csv(header, rows))
        tell(f"{args.csv}: the whole table, {len(rows):,} rows")
    return 1 if faults else 0


def _count_row(
    text: str, tokenizer: str, characters: int, tokens: int, price: float | None
) -> dict[str, str | int | float]:
    """Return a row of the table of `_count`: name of a column -> value."""
    row = {"text": text, "tokenizer": tokenizer, "characters": characters, "tokens": tokens}
    row["chars_per_token"] = characters / tokens if tokens else 0.0
    if price is not None:
        row["price"] = round(tokens * price / 1e6, 6)
    return row


def _as_json(rows: list[dict]) -> str:
    return json.dumps(rows, separators=(",", ":"))


def _as_columns(rows: list[dict]) -> str:
    """Return the main columns of `_count` as text, with the name of each column above it."""
    shown = {"chars_per_token": "{:.2f}", "price": "{:.6f}"}  # column -> how its numbers are shown
    columns = []
    for name in rows[0]:
        if name in MAIN_COLUMNS:
            cells = [name, *(shown.get(name, "{}").format(row[name]) for row in rows)]
            is_number = name in ("tokens", "chars_per_token")  # columns of numbers stand apart
            width = max(map(len, cells)) + is_number
            columns.append([cell.rjust(width) for cell in cells])
    return "\n".join(map(" ".join, zip(*columns, strict=True)))


@contextmanager
def _going_on(faults: list[Exception]) -> Iterator[None]:
    """Report an error that the block raises, add the error to ``faults``, and go on."""
    try:
        yield
    except (OSError, ValueError) as error:
        faults.append(error)
        tell(f"error: {_explain(error)}")


def _load_all(args: Namespace, paths: Iterable[str]) -> dict[str, Tokenizer]:
    """Return tokenizers by their short names."""
    names = _short_names(paths)
    return {name: find_tokenizer(args, path, others=[*names]) for path, name in names.items()}


def _show(args: Namespace) -> None:
    """Look into a tokenizer: its longest tokens, or how a token was made."""
    tok = PublishedTokenizer.of(find_tokenizer(args, args.tokenizer))
    if args.vocab:
        for i, token in tok.vocab.items():
            print(f"{i}\t{label(token)}")
        return
    ids = []
    for name in args.tokens:
        is_id = name.isdecimal() and int(name) in tok.vocab
        ids.append(int(name) if is_id else _find_id(tok, name))
    print(tok, *(f"note: {in_shell(note)}" for note in tok.notes), sep="\n")
    made_by = {merge.token: f" = {spaced(merge.pair)}" for merge in tok.merges}
    for i in ids:
        token = tok.vocab[i]
        print(f"{i}: {label(token)}{made_by.get(token, '')}")
    if not args.tokens:
        print(f"\n{len(tok.vocab):,} tokens")
        longest_first = sorted(tok.vocab, key=lambda i: (len(tok.vocab[i]), i), reverse=True)
        for i in longest_first[:MOST_SHOWN]:
            print(f"{i:8} {label(tok.vocab[i])}")


def _find_id(tok: PublishedTokenizer, name: str) -> int:
    """Return the id of a token; its ``name`` may be written as in Hugging Face's files: Ġlow."""
    try:
        return tok.id_of(name)
    except ValueError:
        printed = read_printed([name]).get(name)
        if printed not in tok.ids:
            raise
        return tok.ids[printed]


def _convert(args: Namespace) -> None:
    """Write a tokenizer in the format of another program, or in ours."""
    if args.to is None:
        args.to = "tiktoken" if args.output.endswith(".tiktoken") else "huggingface"
    is_folder = args.to == "huggingface" and _is_folder(args.output)
    check_outputs([] if is_folder else [args.output], [args.tokenizer])
    tok = PublishedTokenizer.of(find_tokenizer(args, args.tokenizer, check=args.check))
    for note in tok.notes:
        tell(f"note: {note}")
    if args.to == "huggingface" and _refuses_unknown(tok):
        tell("note: characters without a token, an error here, are left out of a text there")
    if is_folder:
        with _warnings_as_notes():
            save_huggingface(tok, args.output)
        if args.check:
            _check_written(tok, args.output, args)
        _say(f"{args.output}: {tok}", args.output)
        return
    with writable(args.output, late=args.check) as path:
        with _warnings_as_notes():
            WRITERS[args.to](tok, path)
        if args.check:
            _check_written(tok, path, args)
    if args.to == "tiktoken":
        tell(f"note: {_not_in_ranks(tok)}")
    _say(f"{args.output}: {tok}", args.output)


def _refuses_unknown(tok: PublishedTokenizer) -> bool:
    """Return whether a tokenizer raises an error at a character that has no token."""
    takes_all = tok.unk_token is not None or tok.drops_unknown or tok.byte_fallback
    return tok.scheme.units is str and not takes_all


def _not_in_ranks(tok: PublishedTokenizer) -> str:
    """Return a note on the parts of a tokenizer that a .tiktoken file lacks, and how to open it."""
    pattern = tok.scheme.pattern
    rows = [name for name, row in SCHEMES.items() if row.units is bytes and row.pattern == pattern]
    how = f"--scheme {rows[0]}" if rows else f"--pattern {quote(pattern)}"
    names = list(tok.special_tokens)
    lacks = "how a text is split"
    if names:
        number = f"{len(names):,} special tokens" if names[1:] else "special token"
        lacks += f" and the {number} ({', '.join(names[:3])}{' …' if names[3:] else ''})"
    return f"the file holds only ranks, and lacks {lacks}: open it with {how}"


def _check_written(tok: PublishedTokenizer, path: str, args: Namespace) -> None:
    """Compare a tokenizer with the file that was written; print on how many texts both agree."""
    with errors_name(args.output):
        again = _read_again(tok, path, args.to)
        number = check_against(tok, again, whose="the file that was written")
    does = "encoded and decoded in the same way"
    if joins_otherwise(tok) or joins_otherwise(again):
        does = "encoded in the same way; decoding was not compared"
    nobody = "; subword-nmt itself wasn't asked" if args.to == "subword-nmt" else ""
    if any(note.startswith(NOBODY) for note in again.notes):
        nobody = f"; {NOBODY}"
    tell(f"{number} texts are {does}{nobody}")


def _read_again(tok: PublishedTokenizer, path: str, kind: str) -> PublishedTokenizer:
    """Read the file that ``tok`` was written to, and check it with the library of its kind."""
    if kind == "tiktoken":  # such a file has no special tokens
        return from_tiktoken(path, tok.scheme, tok.special_tokens, check=True)
    if kind == "subword-nmt":  # such a file has no alphabet
        characters = [symbol.removesuffix(tok.scheme.marker) for symbol in tok.alphabet]
        return load_tokenizer(path, characters="".join(characters), check=True)
    return load_tokenizer(path, check=True)


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Print the warnings of a block as notes."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in told:
        tell(f"note: {warning.message}")


def _is_folder(path: str) -> bool:
    """Return whether a path is the path of a folder, even if the folder doesn't exist yet."""
    return path.endswith(("/", os.sep)) or os.path.isdir(path)


def _report(args: Namespace) -> None:
    """Print a report card of tokenizers on prose, code, names, numbers and sixteen languages."""
    from bpe_further.measure.report_card import report_card

    paths = list(args.tokenizers)
    if args.against is not None and args.against not in paths:
        paths.insert(0, args.against)
    check_outputs([args.output], paths)
    tokenizers = _load_all(args, paths)
    _tell_of_ids(args, tokenizers)
    card = report_card(tokenizers, against=_short_names(paths).get(args.against))
    _say(card, args.output)
    if args.output is not None:
        _write_picture(args.output, card.plot().get_figure())


def _floors(args: Namespace) -> None:
    """Compare methods under several split patterns on parallel files: what do patterns decide?"""
    from bpe_further.variants.floors import cross_methods

    inputs = find_inputs(args.files)
    check_outputs([args.csv], [item.path for item in inputs])
    names = _short_names([item.name for item in inputs])
    paragraphs = {}  # name of a language -> the lines of its file
    for item in inputs:
        with errors_name(item.name):
            paragraphs[names[item.name].removesuffix(".txt")] = list(item.lines())
    schemes = args.scheme or ["gpt2", "o200k"]
    table = cross_methods(paragraphs, schemes, num_merges=args.merges, samples=args.samples)
    table = table.rename_axis(["scheme", "method"]).reset_index()
    _say(_readable(table).to_string(index=False), args.csv)
    _write_csv(args.csv, table)


def _readable(table):
    """Return the table of `cross_methods` with each number followed by its interval in brackets."""
    shown = table[["scheme", "method"]].copy()
    columns = {"price": "tokens %", "first_pays": "first %", "gini": "Gini", "highest": "highest"}
    for column, heading in columns.items():
        digits = 1 if heading.endswith("%") else 3
        parts = [
            table[column + end].map(f"{{:.{digits}f}}".format) for end in ("", "_low", "_high")
        ]
        shown[heading] = parts[0] + " [" + parts[1] + ", " + parts[2] + "]"
    shown["whose"] = table["whose"]
    shown["floor"] = table["floor"].map("{:.2f}".format)
    shown["whose floor"] = table["floor_whose"]
    return shown


def _schemes(args: Namespace) -> None:
    """Explain the schemes: how a text becomes words, and which parts of a text are lost."""
    print(f"{SENTENCE.strip()} becomes these words; a space within a word is written ·")
    for name, scheme in SCHEMES.items():
        words = scheme.split(SENTENCE)
        if scheme.units is str:
            words = ["".join(scheme.symbols(word)) for word in words]  # with the end marker
        units = "bytes" if scheme.units is bytes else "characters"
        held = "in pieces" if can_be_cut(scheme) else "as a whole"
        print()
        print(f"{name:12} {scheme.about}")
        print(f"{'':12} {' | '.join(map(label, words))}")
        print(f"{'':12} symbols: {units}; files are read {held}; decoding loses {scheme.loses}")


def _handout(args: Namespace) -> None:
    """Write notebooks to hand out, on screen or paper, without outputs; solutions are separate."""
    from bpe_further.classroom import handout

    contents = {}  # path of a file to write -> its content
    for path in map(Path, args.notebooks):
        with errors_name(path):
            for name, content in handout.render(path).items():
                contents[str(Path(args.output, name))] = content
    Path(args.output).mkdir(parents=True, exist_ok=True)
    check_outputs(contents, args.notebooks)
    for name, content in contents.items():
        write_whole(name, content)
        print(name)


def _questions(args: Namespace) -> None:
    """Write the questions of the course for Moodle, as QTI 2.1, or the two forms on paper."""
    from bpe_further.classroom.questions import write_questions

    _write(args.output, write_questions(args.to))
    _say(f"{args.output}: the questions, with their answers", args.output)


def _exam(args: Namespace) -> None:
    """Write an exam of sixty minutes into a folder: two forms, and a separate key for both."""
    from bpe_further.classroom.exam import draw_seed, write_exam

    seed = draw_seed() if args.seed is None else args.seed
    contents = {}  # path of a file to write -> its content
    for name, content in write_exam(seed, args.until, args.to).items():
        contents[str(Path(args.output, name))] = content
    Path(args.output).mkdir(parents=True, exist_ok=True)
    check_outputs(contents, [])
    for name, content in contents.items():
        write_whole(name, content)
        print(name)
    print("The key holds the seed: keep it apart from the exam.")


def _class(args: Namespace) -> None:
    """Write a page about a class's answers before and after the course, from its records."""
    from bpe_further.classroom.class_report import write_page
    from bpe_further.classroom.records import read_class

    check_outputs([args.output], args.records)
    found = read_class(find_handed(args.records, args.output), args.id, args.word)
    for number, fault in found.faults.items():  # not the file's name: it may name a learner
        tell(f"file {number}: {fault}")
    _write(args.output, write_page(found).encode("utf-8"))
    for row in found.account.itertuples():
        remark = f" ({row[3]})" if row[3] else ""
        _say(f"{row[1]}: {row[2]}{remark}", args.output)
    for note in found.notes:
        _say(note, args.output)


def _grade(args: Namespace) -> None:
    """Judge a class's answers in sandboxes: a row for each learner, a column for each question."""
    from bpe_further.classroom.grades import grade_class

    check_outputs([args.output], args.files)
    as_it_goes = tell if sys.stderr.isatty() else (lambda _text: None)
    table = grade_class(args.files, args.output, seed=args.seed, tell=as_it_goes)
    _write(args.output, as_csv(table.header, table.rows, for_spreadsheets=True))
    for note in table.notes:
        tell(note)
    tell(f"{args.output}: the grades of {len(table.rows):,} learners")


def _playground(args: Namespace) -> None:
    """Write a web page for trying tokenizers and for training on texts without a network."""
    from bpe_teach.pictures.playground import playground

    check_outputs([args.output], args.tokenizers)
    named = _load_all(args, args.tokenizers)
    page = playground(named, args.text).page(title=" and ".join(named))
    _write(args.output, page.encode("utf-8"))
    about = f"a page to try {', '.join(named)}, {len(page):,} characters"
    _say(f"{args.output}: {about}", args.output)


def _conform(args: Namespace) -> int:
    """Test a BPE program of yours, in any language, and name its slips. The program is executed."""
    from bpe_further.conform.results import to_json, to_junit
    from bpe_further.conform.run import examine

    if not args.program:
        raise ValueError("give a Python file or folder, or -- and a command")
    _check_cases(args.pin)
    check_outputs([args.json, args.junit, args.adapter], args.program)
    reports = examine(
        args.program,
        args.only.split(",") if args.only else (),
        chosen=args.class_,
        names=args.case,
        known=_read_known(args.known) if args.known else (),
        by_numbers=args.numbers,
    )
    for report in reports:
        _say(f"{report}\n" if report is not reports[-1] else report, args.json, args.junit)
    for name, write in ((args.json, to_json), (args.junit, to_junit)):
        if name is not None:
            _write(name, write(reports))
    adapters = [report.adapter for report in reports if report.adapter]
    if args.adapter and adapters:
        _write(args.adapter, adapters[0].encode("utf-8"))
        tell(f"{args.adapter}: the adapter; look at its lines with an arrow, then ask this file")
    elif args.adapter:
        tell(f"{args.adapter}: not written, since no adapter is needed")
    is_asked = any(report.why is None for report in reports)
    return 0 if is_asked and all(report.is_good for report in reports) else 1


def _check_cases(pin: str | None) -> None:
    """Raise ValueError if the cases have changed since ``pin`` was written into a job."""
    from bpe_further.conform.cases import VERSION, hash_of_cases

    if pin not in (None, str(VERSION), hash_of_cases()):
        told = f"the cases are version {VERSION}, hash {hash_of_cases()}, not {pin}"
        raise ValueError(f"{told}: read what has changed, then pin these")


def _read_known(path: str) -> list[str]:
    """Return the names of cases that are known to fail.

    The file has one name on each line, and the reason after a #.
    """
    with errors_name(path):
        lines = Path(path).read_text("utf-8").splitlines()
    names = [line.partition("#")[0].strip() for line in lines]
    return [name for name in names if name]


def _completion(args: Namespace) -> None:
    """Print a script that lets the Tab key complete commands; its first line says how to use it."""
    print(completion_script(args.shell, ARGUMENTS, [*OF_OPENAI, *MODELS]), end="")


HEADINGS = {  # heading in --help -> the commands below it, in this order
    "tokenizers": ["count", "encode", "decode", "show", "convert", "train", "curve", "report"],
    "more on tokenizers": ["floors", "schemes", "playground", "completion"],
    "for teachers, and for programs of learners": [
        *("handout", "questions", "exam", "class", "grade", "conform"),
    ],
}
ELSEWHERE = {"check": "convert --check -o FILE", "truncate": "encode --truncate N"}
COMMANDS = {name: globals()[f"_{name}"] for names in HEADINGS.values() for name in names}


def _print_table(table, *outputs: str | None) -> None:
    """Print the main columns of a table; ``outputs`` are the files that the command also writes."""
    main = [name for name in table if name in MAIN_COLUMNS]
    _say(table[main].to_string(index=False, float_format="{:.2f}".format), *outputs)


def _write_picture(name: str, figure) -> None:
    """Write a figure to a file, in the format of the file's ending, and print a message."""
    picture = BytesIO()
    figure.savefig(picture, format=Path(name).suffix[1:] or "png", dpi=200)
    _write(name, picture.getvalue())
    tell(f"{name}: the picture")


def _write_csv(name: str | None, table) -> None:
    """Write a table to a file, and print a message; do nothing if there is no name."""
    if name is not None:
        columns = table.astype(object).where(table.notna(), "")
        _write(name, as_csv(table.columns, columns.to_dict("records")))
        tell(f"{name}: the whole table, {len(table):,} rows")


def _write(name: str, content: bytes) -> None:
    """Write content to the file ``name``, or to standard output if the name is -."""
    with writable(name) as path:
        write_whole(path, content)


def _say(message: object, *outputs: str | None) -> None:
    """Print a message: to standard error if one of the outputs goes to standard output."""
    print(printable(message), file=sys.stderr if "-" in outputs else sys.stdout)


class _Headings(RawDescriptionHelpFormatter):
    """Help in which commands stand below headings, beginning with those for tokenizers."""

    def _format_action(self, action: Action) -> str:
        shown = super()._format_action(action)
        if not isinstance(action, _SubParsersAction):
            return shown
        lines = shown.splitlines(keepends=True)
        for heading, names in HEADINGS.items():
            is_first = [line.split()[:1] == names[:1] for line in lines]
            at = is_first.index(True)
            lines.insert(at, f"{'' if at < 2 else chr(10)}  {heading}:\n")
        return "".join(lines)


class _Parser(ArgumentParser):
    """A parser that helps users who type something that isn't a command."""

    def error(self, message: str) -> NoReturn:
        for name, instead in ELSEWHERE.items():
            if f"invalid choice: {name!r}" in message:
                message = f"there is no command {name}; use {instead}"
        super().error(message)


def _make_parser() -> ArgumentParser:
    """Return the parser that knows all commands and their arguments."""
    about, _, examples = OVERVIEW.rpartition("\n\n")
    parser = _Parser("bpe-teach", description=about, epilog=examples)
    parser.suggest_on_error = True  # from Python 3.14 on: "maybe you meant"
    parser.formatter_class = _Headings
    version = sys.modules["bpe_teach"].__version__
    parser.add_argument("--version", action="version", version=f"bpe-teach {version}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    parser.set_defaults(run=lambda args: parser.print_help())  # if no command is given
    for name, run in COMMANDS.items():
        command = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        command.set_defaults(run=run)
        for names, settings in ARGUMENTS[name]:
            command.add_argument(*names, **settings)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    0: the command has done its work. 1: there was an error, reported in one line, or a program does
    not conform. 2: there is no such command or option. 141: nobody reads the output any more.
    """
    if sys.stderr is None:  # standard error is closed: print would write errors to standard output
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        sys.exit("bpe-teach: error: standard output is closed")
    # UTF-8 in every locale, and line ends as they are
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    args = _make_parser().parse_args(argv)
    try:
        try:
            return args.run(args) or 0
        finally:
            sys.stdout.flush()
    except OSError as error:
        message = _explain(error)
        if error.filename is None:  # the output is standard output, not an opened file
            message = f"standard output: {error.strerror}"
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # otherwise Python tries again at its end
        if isinstance(error, BrokenPipeError):
            return 141
    except MemoryError:
        message = "there is not enough memory; schemes that read files in pieces need the least"
    except ValueError as error:
        message = _explain(error)
    tell(f"error: {message}")
    return 1


def _explain(error: OSError | ValueError) -> str:
    """Return a description of an error in one line."""
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}"
    message = str(error)
    if "not UTF-8 at byte" in message:
        message += "; convert it, as by iconv -f latin1 -t utf-8, or -f utf-16"
    return message
