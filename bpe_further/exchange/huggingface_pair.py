"""Hugging Face's pairs: read a vocab.json with its merges.txt as if they were a tokenizer.json.

The files beside the pair may say how a text is split. If they don't, the split is guessed from the
tokens.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import regex

from bpe_further.exchange import kinds, schemes, shared
from bpe_further.exchange.around import write_template
from bpe_further.exchange.folder import (
    ADDED,
    CLASSES,
    CONFIG,
    HOW_TO_SPLIT,
    IN_BYTES,
    SPECIAL,
    WRITES_ONE,
    Beside,
    describe_token,
    read_beside,
)
from bpe_further.exchange.huggingface_merges import (
    MERGE,
    Columns,
    id_faults,
    read_merges,
    split_usual_merges,
    unmade_names,
)
from bpe_further.exchange.huggingface_write import write_cuts
from bpe_further.exchange.normalize import normalize
from bpe_further.exchange.pipeline import SIGN, write_steps
from bpe_further.exchange.shared import GUESSED, OnIds, name_some, raise_faults, require
from bpe_teach.files import errors_name
from bpe_teach.schemes import Scheme, find_scheme

MARKER = "</w>"
CHAR_BPE, SENTENCEPIECE_BPE = "CharBPETokenizer", "SentencePieceBPETokenizer"  # of tokenizers
MIXED = regex.compile(rf"\p{{L}}{SIGN}|{SIGN}\p{{L}}")  # a letter beside punctuation
MOST_MIXED = 100  # GPT-1 has one such token in 180; a split at white space gives one in ten
NAME_CLASS = "name its class in a tokenizer_config.json beside it"
AROUND_UNKNOWN = f"what belongs around a text isn't known, and left out: to have it, {NAME_CLASS}"
PAIRS = [("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe")]  # the second pair is GPT-2's
ENDINGS = (".json", ".model", ".tiktoken")  # of files that may be tokenizers
NO_TOKENIZERS = (ADDED, SPECIAL, "package.json", "package-lock.json")
MOST_NAMED = 3  # files of a folder that an error names
MOST_ODD = 10  # special tokens not spelled like <this> or [this]; published files have a few
NOT_OF_BYTES = (
    "its tokens are characters, while schemes that can be given are of bytes: give no scheme, or "
    f"{NAME_CLASS}"
)


class Found(NamedTuple):
    """A tokenizer as it was found: its place, its fields as in a tokenizer.json, and more."""

    where: Any
    data: dict
    notes: tuple[str, ...] = ()
    roles: Mapping[str, str] = MappingProxyType({})
    folder: Path | None = None  # the folder that names the class of the tokenizer
    beside: Beside | None = None  # what the files beside a tokenizer.json say


def find_pair(folder: Path) -> tuple[Path, Path] | None:
    """Return the paths of a vocabulary and its merges if a folder has both by their usual names."""
    pairs = [(folder / vocab, folder / merges) for vocab, merges in PAIRS]
    return next((pair for pair in pairs if pair[0].exists() and pair[1].exists()), None)


def possible_files(folder: Path) -> list[str]:
    """Return the names of the files in a folder that may be tokenizers."""
    names = sorted(path.name for path in folder.iterdir() if "config" not in path.name)
    return [name for name in names if name.endswith(ENDINGS) and name not in NO_TOKENIZERS]


def name_folder(folder: Path) -> str:
    """Say what a folder has instead of a tokenizer that can be read, and what to do."""
    vocab = folder / "vocab.txt"
    if vocab.exists() and Path(folder, "bpe.codes").exists():
        reads = "PhobertTokenizer of transformers reads it"
        return f"PhoBERT's vocab.txt with bpe.codes isn't read here; {reads}"
    if vocab.exists():
        content = kinds.read_file(vocab)
        what = kinds.name_file(content).removeprefix("it is ")
        what = what or kinds.name_lines(content.decode("utf-8", "replace"))
        if what:
            start = "it has" if what.startswith("a vocab.txt") else "its vocab.txt is"
            return f"{start} {what.replace(kinds.IF_BESIDE, kinds.OTHERWISE)}"
    lacks = _name_missing(folder)
    named = read_beside(folder).kind
    of_class = f"; the files in it name its class, {named:.80}" if named else ""
    return f"{lacks}{_advise_on_files(folder)}{of_class}"


def _name_missing(folder: Path) -> str:
    """Say which of the usual files of a tokenizer a folder lacks."""
    for vocab, merges in PAIRS:
        if Path(folder, vocab).exists():
            return f"it has no tokenizer.json, and no {merges} that goes with its {vocab}"
        if Path(folder, merges).exists():
            return f"it has no tokenizer.json, and no {vocab} that goes with its {merges}"
    return "it has no tokenizer.json, and no vocab.json with a merges.txt"


def _advise_on_files(folder: Path) -> str:
    """Say which other files of a folder may be tokenizers, and what to do; return "" if none may.

    The text continues a sentence.
    """
    names = sorted(path.name for path in folder.iterdir() if "config" not in path.name)
    vocabs = [name for name in names if re.search(r"(vocab|encoder).*\.json$", name)]
    merges = [name for name in names if re.search(r"merges.*\.txt$|\.bpe$", name)]
    if vocabs and merges:
        two = f"{' or '.join(vocabs)} and {' or '.join(merges)}"
        how = "name copies of them vocab.json and merges.txt"
        return f"; if {two} are such a pair, {how} (or in Python, give both to from_huggingface)"
    # codes of subword-nmt, and Mistral's models of SentencePiece, such as tokenizer.model.v3
    others = [name for name in names if re.search(r"(codes(\.\w+)?|\.model\.v\w+)$", name)]
    halves = {name for pair in PAIRS for name in pair}
    found = [name for name in possible_files(folder) + others if name not in halves]
    files = [name for name in names if Path(folder, name).is_file()]
    if not found:  # a file from a cache may have any name
        found = [name for name in files if kinds.begins_as_tokenizer(folder / name)]
    if found:
        some = ", ".join(found[:MOST_NAMED]) + (" …" if found[MOST_NAMED:] else "")
        return f"; if one of its other files is a tokenizer ({some}), give the path of that file"
    packed = [name for name in files if name.endswith(tuple(f"{one}.gz" for one in ENDINGS))]
    if packed:
        return f"; {packed[0]} is packed by gzip: unpack it first, as with gunzip"
    below = [name for name in names if _holds_tokenizer(folder / name)]
    if below:
        return f"; but its folder {' or '.join(below[:MOST_NAMED])} has: give the path of that"
    return ""


def _holds_tokenizer(folder: Path) -> bool:
    """Return whether a path is a folder with the usual files of a tokenizer."""
    usual = ("tokenizer.json", "tokenizer.model")
    return any(Path(folder, name).exists() for name in usual) or find_pair(folder) is not None


def read_pair(vocab_json, merges_txt, scheme: str | Scheme | None) -> Found:
    """Read a vocab.json and a merges.txt, and the files beside them.

    If ``scheme`` is None, the files beside them or, if need be, the tokens say how to split a text.
    """
    kinds.check_path(merges_txt, "the path of a merges.txt")
    with errors_name(merges_txt):
        merges = _read_merges_txt(merges_txt)
    with errors_name(vocab_json):
        vocab = kinds.read_json_file(kinds.read_file(vocab_json))
        raise_faults(id_faults(vocab))
    where = f"{os.fspath(vocab_json)} with {os.fspath(merges_txt)}"
    beside = read_beside(Path(vocab_json).parent)
    if scheme is not None and "Ġ" not in vocab:
        text = "".join(merges.made)
        is_bytes = MARKER not in text and shared.is_printed(text)
        require(is_bytes, f"{where}: {NOT_OF_BYTES}")
    if scheme is None and not beside.kind:
        with errors_name(vocab_json):
            parts, how = _guess_parts(vocab, merges.made)
    else:
        parts, how = _parts_of_class(beside, scheme, vocab)
    suffix = parts.pop("suffix", None)
    if suffix and not any(name.endswith(suffix) for name in vocab):
        raise ValueError(f"{where}: {_name_ends(beside.kind, suffix)}")
    added, notes = _named_tokens(beside, vocab)
    if beside.kind:
        notes.insert(0, how)
        notes += beside.notes(parts["pre_tokenizer"]) if scheme is None else []
    else:
        with errors_name(where):
            unmade = _special_by_merges(vocab, merges.made, suffix or "")
        for name in unmade:
            added.setdefault(name, describe_token(name, vocab[name], {}, special=True))
        if unmade:
            unmade.sort(key=_is_in_brackets)  # first the names that may be plain words
            some = ", ".join(unmade[:3]) + (" …" if unmade[3:] else "")
            how += f". Special tokens are those that no merge makes: {some}"
        notes.insert(0, OnIds(how) if scheme is None else how)
    model = {"type": "BPE", "vocab": vocab, "merges": merges}
    if suffix:
        unk_token = beside.roles.get("unk_token", "<unk>")
        model["end_of_word_suffix"] = suffix
        model["unk_token"] = unk_token if unk_token in vocab else None
    ids = {name: token["id"] for name, token in added.items()}
    raise_faults(shared.id_faults(ids, str, shared=True), where)
    around = [[name] if name in ids else [] for name in beside.around()]
    template = write_template(*around, ids)
    if template is None:
        notes += _notes_on_around(beside, scheme, ids)
    in_order = sorted(added.values(), key=lambda token: token["id"])  # as transformers adds them
    data = {"added_tokens": in_order, "model": model, "post_processor": template} | parts
    folder = beside.folder if beside.kind and scheme is None else None
    return Found(where, data, notes, beside.roles, folder)


def _read_merges_txt(path) -> Columns:
    """Return the merges of a merges.txt, which may begin with a line that names a version."""
    text = kinds.read_text(kinds.read_file(path))
    header, _, rest = text.partition("\n")
    has_header = header.startswith("#version")
    merges = split_usual_merges(rest if has_header else text)
    if merges is not None:
        return merges
    lines = text.split("\n")[has_header:]
    raise_faults(_line_faults(lines, 1 + has_header))
    return read_merges(lines)


def _special_by_merges(vocab: Mapping[str, int], made: list[str], suffix: str) -> list[str]:
    """Return the tokens that no merge makes: if no class is named, these must be special.

    ``made`` are the tokens that merges make, and ``suffix`` ends the last token of a word. Raises
    ValueError if many of the returned tokens don't look like special tokens.
    """
    others = unmade_names(vocab, made)
    if "Ġ" in vocab:  # printed bytes have no spaces, so such names are never found
        others = [name for name in others if not name.isspace()]
    unmade = [name for name in others if len(name.removesuffix(suffix)) > 1]
    odd = [name for name in unmade if not _is_in_brackets(name)]
    if len(odd) > MOST_ODD:
        number = f"{len(odd):,} tokens of the first"
        cure = f"if the two files are of one model, {NAME_CLASS}; if not, download both again"
        none = f"no merge of the second makes {number}: {name_some(odd)}"
        raise ValueError(f"{none}; {cure}")
    return unmade


def _is_in_brackets(name: str) -> bool:
    """Return whether a name is spelled as most special tokens are, like <this> or [this]."""
    return name[0] in "<[" and name[-1] in ">]"


def _notes_on_around(
    beside: Beside, scheme: str | Scheme | None, ids: Mapping[str, int]
) -> list[str]:
    """Return notes on the tokens that belong around a text, if none are put there."""
    if scheme is None and "around" in (beside.row or {}):
        return beside.notes_on_around(lacks="no file has ids for them")
    return [OnIds(AROUND_UNKNOWN)] if ids and not beside.kind else []


def _name_ends(kind: str, suffix: str) -> str:
    """Say that words of the class ``kind`` end in a suffix that no token has, and what to do."""
    return (
        f"words of {kind:.80}, its class, end in {suffix!r}, which no token here has: name "
        f"another class in {CONFIG} if you know it, or give a scheme such as 'gpt2', in a shell "
        "--scheme gpt2"
    )


def _line_faults(lines: list[str], first: int) -> Iterator[str]:
    """Yield a fault for each line that is not a merge; ``first`` is the first line's number."""
    faulty = [place for place, line in enumerate(lines) if not MERGE.fullmatch(line)]
    is_cut = faulty == [len(lines) - 1] and re.fullmatch(r"\S+ ?", lines[-1])
    for place in faulty:
        what = f"line {first + place}: {lines[place]!r:.80} is not a merge"
        if is_cut:
            yield f"{what}, but the last line: the file seems cut off: get it again"
        else:
            yield f"{what}, which is two symbols with a space between them"


def _guess_parts(vocab: Mapping[str, int], made: Collection[str]) -> tuple[dict, str]:
    """Guess the parts of a tokenizer.json from a vocabulary; return the parts and a note on them.

    ``made`` are the tokens that merges make. Raises ValueError if the tokens don't show how a text
    is split.
    """
    in_bytes = "Ġ" in vocab
    may_end = vocab if MARKER in "".join(vocab) else ()  # a single search is nearly always enough
    ends_words = any(len(name) == 1 + len(MARKER) and name.endswith(MARKER) for name in may_end)
    if in_bytes and ends_words:
        row = CLASSES["clip"]
        parts = {name: row[name] for name in ("normalizer", "pre_tokenizer", "suffix")}
        return parts | {"decoder": IN_BYTES}, f"split as by CLIP, {_guessed('CLIP')}"
    if in_bytes:
        parts = {"pre_tokenizer": IN_BYTES, "decoder": IN_BYTES}
        likely = "Roberta" if {"<s>", "</s>"} <= vocab.keys() else "GPT2"
        return parts, f"split as by GPT-2, {_guessed(likely)}"
    if not any(name.endswith(MARKER) for name in may_end):
        if any(name.startswith("▁") and len(name) > 1 for name in vocab):
            what = "its tokens have ▁ for a space, as in SentencePiece"
            raise ValueError(f"{what}: {_how_to_split(vocab)}")
        raise ValueError(f"it does not say how to split a text: {HOW_TO_SPLIT}")
    parts = {"decoder": {"type": "BPEDecoder", "suffix": MARKER}, "suffix": MARKER}
    if _mixes_signs(made):
        parts["pre_tokenizer"] = {"type": "WhitespaceSplit"}
        return parts, f"split at white space only, {_guessed('OpenAIGPT', CHAR_BPE)}"
    characters = "".join(name[0] for name in vocab if len(name.removesuffix(MARKER)) == 1)
    lowers = characters == characters.lower() != characters.upper()
    row = CLASSES["openaigpt" if lowers else "herbert"]
    parts |= {name: row[name] for name in ("normalizer", "pre_tokenizer")}
    how = "split at white space and punctuation"
    if lowers:
        names = "".join(vocab)
        strips = normalize(names, ("NFD", "StripAccents")) == names  # so that no token is lost
        parts["normalizer"] = parts["normalizer"] | {"strip_accents": strips}
        how += ", case lowered, " + ("accents stripped, as by GPT-1" if strips else "accents kept")
    return parts, f"{how}, {_guessed('OpenAIGPT', CHAR_BPE)}"


def _guessed(likely: str, library: str = "") -> str:
    """Return the end of a note on a split that is guessed.

    The note says how to name a class, such as ``likely``. If ``library`` is given, the note also
    says how this class of the package tokenizers writes a tokenizer.json.
    """
    row = f'{{"tokenizer_class": "{likely}Tokenizer"}}'
    how = f"{NAME_CLASS}, as in {row}"
    if library:
        how += f", or write a tokenizer.json: {_written_by(library)}"
    return f"{GUESSED}. If you know better, {how}"


def _written_by(library: str) -> str:
    """Say how a class of the package tokenizers writes the tokenizer.json of a pair."""
    return (
        f'{library}("vocab.json", "merges.txt").save("tokenizer.json") of the package tokenizers '
        "does so for what it has trained"
    )


def _how_to_split(vocab: Mapping[str, int]) -> str:
    """Say what to do if it isn't known how a text is split for a vocabulary."""
    library = ""
    if "Ġ" not in vocab:
        if any(name.endswith(MARKER) for name in vocab):
            library = CHAR_BPE
        elif any(name.startswith("▁") for name in vocab):
            library = SENTENCEPIECE_BPE
    if not library:
        return HOW_TO_SPLIT
    says = f"which says what is done to a text ({WRITES_ONE})"
    return f"give the tokenizer.json, {says}; {_written_by(library)}"


def _mixes_signs(made: Collection[str]) -> bool:
    """Return whether merged tokens show that punctuation was not split off before training.

    If punctuation was not split off, many tokens are like ``low,</w>``: one token in ten after a
    few hundred merges. GPT-1 has a few such tokens, for example ``n't</w>``, because the words on
    which it was trained were split differently from the words that transformers gives it.
    """
    tokens = (name.removesuffix(MARKER) for name in made)
    mixed = [token for token in tokens if not token.isalpha() and MIXED.search(token)]
    return len(mixed) > len(made) / MOST_MIXED


def _parts_of_class(
    beside: Beside, scheme: str | Scheme | None, vocab: Mapping[str, int]
) -> tuple[dict, str]:
    """Return the parts of the given scheme or, if it is None, of the folder's class, and a note."""
    if scheme is None:
        suffix = beside.require_row(_how_to_split(vocab)).get("suffix")
        return beside.parts() | {"suffix": suffix}, f"split as by {beside.kind}, its class"
    scheme = schemes.published_scheme(find_scheme(scheme))
    if scheme.units is not bytes or scheme.prepare is not None:
        raise ValueError(f"scheme {scheme.name!r} is not of bytes; 'gpt2', say, is")
    steps = {"type": "Sequence", "normalizers": write_steps(scheme.before)}
    cuts = {"type": "Sequence", "pretokenizers": write_cuts(scheme)}
    how = f"split by the scheme {scheme.name}, as asked for"
    return {"normalizer": steps, "pre_tokenizer": cuts, "decoder": IN_BYTES}, how


def _named_tokens(beside: Beside, vocab: Mapping[str, int]) -> tuple[dict[str, dict], list[str]]:
    """Return the special and added tokens that files name, and notes on names without an id."""
    added = {}
    missing = []
    for name in [*beside.tokens, *beside.special]:
        token = beside.tokens.get(name) or describe_token(name, None, {}, special=True)
        i = token["id"] if token["id"] is not None else vocab.get(name)
        if i is None:
            missing.append(name)
        else:
            added[name] = token | {"id": i}
    named = [name for name in dict.fromkeys(missing) if name in beside.told]
    notes = []
    if named:
        notes.append(OnIds(f"no file gives an id to {', '.join(named[:3])}: left out"))
    return added, notes
