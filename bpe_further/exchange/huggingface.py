"""Hugging Face: read a BPE from a tokenizer.json, and convert our tokenizers for its library.

A tokenizer.json can do much that a `Tokenizer` can't. The module `pipeline` reads the parts that
change and split a text. This module reads the rest: it has one function for each part, which
returns the meaning of the part.
"""

import json
import os
import re
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from operator import add
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import regex

from bpe_further.exchange import kinds, schemes, shared
from bpe_further.exchange.around import read_around, write_around, write_template
from bpe_further.exchange.check import JOINS_OTHERWISE, Renumbered, check_against, check_class
from bpe_further.exchange.file import FLAGS
from bpe_further.exchange.folder import (
    CLASSES,
    CONFIG,
    HOW_TO_SPLIT,
    IN_BYTES,
    ROLES,
    Beside,
    describe_token,
    read_beside,
)
from bpe_further.exchange.normalize import WHITE_SPACE, normalize
from bpe_further.exchange.pipeline import NAMED_CUTS, SIGN, Pipeline, write_steps
from bpe_further.exchange.plain import PlainReading, find_difference, probe_texts
from bpe_further.exchange.published import PublishedTokenizer, note_dropped, ordinary_ids
from bpe_further.exchange.schemes import PublishedScheme
from bpe_further.exchange.shared import OnIds, raise_faults, require
from bpe_further.exchange.spelling import BYTE_TOKENS, is_first_symbol
from bpe_teach.fast.encode import NumberedMerges
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.files import errors_name, write_whole
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.patterns import NO_WHITE_SPACE
from bpe_teach.schemes import SCHEMES, Scheme, find_scheme
from bpe_teach.symbols import WordEnd

if TYPE_CHECKING:
    import tokenizers

NOTES = {  # field -> its effect, which doesn't change the ids of the text itself
    "truncation": "cuts long texts off",
    "padding": "fills short texts up",
}
HABITS = {"whole_words": "ignore_merges", "byte_fallback": "byte_fallback", "fuse_unk": "fuse_unk"}
MARKER = "</w>"
# White space as Python's `re` has it, in ranges of a class
PYTHON_SPACE = "\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
MERGE = re.compile(r"([^ ]+) ([^ ]+)")
MIXED = regex.compile(rf"\p{{L}}{SIGN}|{SIGN}\p{{L}}")  # a letter beside punctuation
MOST_MIXED = 100  # GPT-1 has one such token in 180; a split at white space gives one in ten
GUESSED = (
    "which is guessed from its tokens (if you know its class, name it in a tokenizer_config.json "
    'beside it, as in {"tokenizer_class": "OpenAIGPTTokenizer"})'
)
MOST_NAMED = 3  # files of a folder that an error names
MOST_ODD = 10  # special tokens not spelled like <this> or [this]; published files have a few


BROKEN = "the file is broken, or its vocabulary and its merges are of two models: get it anew"
NOT_OF_BYTES = (
    "its tokens are characters, while schemes that can be given are of bytes: give no scheme, or "
    "name its class in a tokenizer_config.json beside it"
)
UNPRINTED = f"is not written in printable bytes, and words are bytes here; {kinds.OTHERWISE}"


class Found(NamedTuple):
    """A tokenizer as it was found: its place, its fields as in a tokenizer.json, and more."""

    where: Any
    data: dict
    notes: tuple[str, ...] = ()
    roles: Mapping[str, str] = MappingProxyType({})
    folder: Path | None = None  # the folder that names the class of the tokenizer


class Columns(NamedTuple):
    """The merges of a file as three lists: the left parts, the right parts, and the merged tokens.

    Tokens are written as in the file. Lists take less time to make and less memory than pairs.
    """

    lefts: list[str]
    rights: list[str]
    made: list[str]

    @classmethod
    def of(cls, lefts: list[str], rights: list[str]) -> "Columns":
        """Return the columns of merges."""
        return cls(lefts, rights, list(map(add, lefts, rights)))


@shared.collector_paused()
def from_huggingface(
    source: Any,
    merges: str | os.PathLike[str] | None = None,
    scheme: str | Scheme | None = None,
    *,
    check: bool = False,
) -> PublishedTokenizer:
    """Read a BPE of Hugging Face that works on bytes, on characters, or as SentencePiece does.

    ``source`` is a tokenizer.json, a folder of ``save_pretrained``, a `tokenizers.Tokenizer` or a
    fast tokenizer of transformers. It may also be a vocab.json, with its merges.txt as ``merges``.

    A vocab.json and a merges.txt do not say how to split a text. The files beside them say so if
    they name a known class (such as ``"tokenizer_class": "Qwen2Tokenizer"`` in
    tokenizer_config.json); these files also name the special and added tokens. If you give a
    ``scheme``, this scheme is used instead. If there is neither a scheme nor a known class, the
    split is guessed from the tokens, and ``notes`` say what was guessed. If the tokens are bytes
    written as printable characters, texts are split as by GPT-2, or as by CLIP if there are single
    characters that end in </w>. Other tokens that end in </w> show how punctuation was treated in
    training. If many of these tokens hold letters together with punctuation, texts are split only
    at white space. If only few tokens do, punctuation is split off, too, as by GPT-1 in
    transformers. GPT-1 also writes a text in lower case; this is not done if the alphabet has
    capital letters. In these cases, tokens that no merge makes are special.

    Ids are kept, whatever they are. Hugging Face recognizes special tokens in every text; to have
    them recognized here, say ``allowed_special="all"``. Added tokens that are not special are
    always recognized. Tokens of both kinds take the white space before them if they have
    ``lstrip``, and the white space after them if they have ``rstrip``. The tokens that Hugging Face
    puts around a text are left out unless you say ``encode(text, add_special_tokens=True)``.
    ``notes`` name these tokens. They also name truncation and padding, which are left out, too.

    >>> import json, pathlib, tempfile
    >>> model = {"vocab": {"l": 1, "o": 2, "lo": 7}, "merges": ["l o"]}
    >>> data = {"model": model, "truncation": {"max_length": 512}}
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tokenizer.json")
    >>> _ = path.write_text(json.dumps(data), "utf-8")
    >>> tok = from_huggingface(path)
    >>> tok.encode("lolo"), tok.notes[0]
    ([7, 7], 'truncation cuts long texts off: left out')

    If a file has no token for unknown characters, Hugging Face leaves these characters out. In this
    case `encode` leaves them out, too, and ``notes`` say so. Normal forms follow Python's version
    of Unicode. An added token keeps the id that it has in the file, even if Hugging Face would give
    it the next free id. Texts that are made for the file test whether its parts were understood.
    With ``check``, Hugging Face's library reads the file, too, and must encode and decode a few
    hundred texts in the same way. If a folder names a class and transformers is installed, the
    class must give the same results as well.

    Raises ValueError for a file of a different kind (the message says what it is), for anything in
    the file that a `Tokenizer` can't do, and for any difference that ``check`` finds.
    """
    found = _find_data(source, merges, scheme)
    with errors_name(found.where):
        tok = _make_tokenizer(found.data)
        tok.notes += found.notes
        tok.roles = {role: one for role, one in found.roles.items() if one in tok._id_of_name}
        if check:
            _check_with_library(tok, found.data)
            tok.notes += check_class(tok, found.folder) if found.folder else []
    return tok


def _find_data(
    source: Any, merges: str | os.PathLike[str] | None, scheme: str | Scheme | None
) -> Found:
    """Find the files of a tokenizer, and read them."""
    roles = getattr(source, "special_tokens_map", {})  # of a tokenizer of transformers
    source = getattr(source, "backend_tokenizer", source)  # the tokenizer that it wraps
    if hasattr(source, "to_str"):
        with errors_name("tokenizer"):
            data = kinds.read_tokenizer_json(source.to_str().encode("utf-8"))
        roles = {role: str(name) for role, name in roles.items() if role in ROLES}
        return Found("tokenizer", data, roles=roles)
    wanted = "a tokenizer.json, its folder, a tokenizers.Tokenizer or a fast one of transformers"
    wanted = wanted if merges is None else "a vocab.json"
    kinds.check_path(source, f"the path of {wanted}")
    if merges is None and os.path.isdir(source):
        folder, source = source, Path(source, "tokenizer.json")
        if not source.exists():
            source, merges = Path(folder, "vocab.json"), Path(folder, "merges.txt")
            if not (source.exists() and merges.exists()):
                if Path(folder, "vocab.txt").exists():
                    what = f"a vocab.txt of {kinds.MODELS['WordPiece']}; {kinds.OTHERWISE}"
                    raise ValueError(f"{os.fspath(folder)}: it has {what}")
                expected = "a folder has a tokenizer.json, or a vocab.json and a merges.txt"
                raise ValueError(f"{os.fspath(folder)}: {expected}{_others_in(folder)}")
    if merges is not None:
        return _read_pair(source, merges, scheme)
    require(scheme is None, f"{os.fspath(source)}: it says itself how a text is split")
    with errors_name(source):
        data = kinds.read_tokenizer_json(kinds.read_file(source))
    roles = {}
    if Path(source).name == "tokenizer.json":  # in this case the files beside it are about it
        roles = read_beside(Path(source).parent).roles
    return Found(source, data, roles=roles)


def _others_in(folder: str | os.PathLike[str]) -> str:
    """Return advice that names any files in a folder that may be tokenizers, or ""."""
    endings = (".json", ".model", ".tiktoken")
    names = sorted(path.name for path in Path(folder).iterdir() if path.suffix in endings)
    names = [name for name in names if "config" not in name]
    if not names:
        return ""
    some = ", ".join(names[:MOST_NAMED]) + (" …" if names[MOST_NAMED:] else "")
    return f"; if one of its other files is a tokenizer ({some}), give the path of that file"


def _read_pair(vocab_json, merges_txt, scheme: str | Scheme | None) -> Found:
    """Read a vocab.json and a merges.txt, and the files beside them."""
    kinds.check_path(merges_txt, "the path of a merges.txt")
    with errors_name(merges_txt):
        text = kinds.read_text(kinds.read_file(merges_txt))
        header, _, rest = text.partition("\n")
        has_header = header.startswith("#version")
        merges = _split_usual_merges(rest if has_header else text)
        if merges is None:
            lines = text.split("\n")[has_header:]
            raise_faults(_line_faults(lines, 1 + has_header))
            merges = _read_merges(lines)
    with errors_name(vocab_json):
        vocab = kinds.read_json_file(kinds.read_file(vocab_json))
        raise_faults(shared.id_faults(vocab, str))
    where = f"{os.fspath(vocab_json)} with {os.fspath(merges_txt)}"
    made = merges.made
    beside = read_beside(Path(vocab_json).parent)
    model = {"type": "BPE", "vocab": vocab, "merges": merges}
    if scheme is not None and "Ġ" not in vocab:
        text = "".join(made)
        is_bytes = MARKER not in text and shared.is_printed(text)
        require(is_bytes, f"{where}: {NOT_OF_BYTES}")
    if scheme is None and not beside.kind:
        with errors_name(vocab_json):
            parts, how = _guess_parts(vocab, made)
    else:
        parts, how = _parts_of_class(beside, scheme)
    suffix = parts.pop("suffix", None)
    added, notes = _named_tokens(beside, vocab)
    if not beside.kind:
        others = _unmade_names(vocab, made)
        unmade = [name for name in others if len(name.removesuffix(suffix or "")) > 1]
        odd = [name for name in unmade if not (name[0] in "<[" and name[-1] in ">]")]
        if len(odd) > MOST_ODD:
            number = f"{len(odd):,} tokens of the first"
            raise ValueError(f"{where}: no merge of the second makes {number}: {odd!r:.80}")
        for name in unmade:
            added.setdefault(name, describe_token(name, vocab[name], {}, special=True))
        some = ", ".join(unmade[:3]) + (" …" if unmade[3:] else "")
        some = f"; special tokens are those that no merge makes: {some}" if some else ""
        notes.insert(0, OnIds(how + some) if scheme is None else how + some)
    else:
        notes.insert(0, how)
        notes += beside.notes(parts["pre_tokenizer"]) if scheme is None else []
    unk_token = beside.roles.get("unk_token", "<unk>")
    if suffix:
        model |= {"end_of_word_suffix": suffix}
        model |= {"unk_token": unk_token if unk_token in vocab else None}
    ids = {name: token["id"] for name, token in added.items()}
    data = {"added_tokens": list(added.values()), "model": model} | parts
    data["post_processor"] = write_template(
        *([name] if name in ids else [] for name in beside.around()), ids
    )
    folder = beside.folder if beside.kind and scheme is None else None
    return Found(where, data, notes, beside.roles, folder)


def _line_faults(lines: list[str], first: int) -> Iterator[str]:
    """Yield a fault for each line that is not a merge; ``first`` is the first line's number."""
    for number, line in enumerate(lines, first):
        if not MERGE.fullmatch(line):
            yield f"line {number}: {line!r:.80} is not a merge: two symbols, a space between them"


def _guess_parts(vocab: Mapping[str, int], made: Collection[str]) -> tuple[dict, str]:
    """Return the parts that a vocabulary seems to be made for, if no file says how it is used.

    ``made`` are the tokens that merges make.
    """
    in_bytes = "Ġ" in vocab
    may_end = vocab if MARKER in "".join(vocab) else ()  # a single search is nearly always enough
    ends_words = any(len(name) == 1 + len(MARKER) and name.endswith(MARKER) for name in may_end)
    if in_bytes and ends_words:
        row = CLASSES["clip"]
        parts = {name: row[name] for name in ("normalizer", "pre_tokenizer", "suffix")}
        return parts | {"decoder": IN_BYTES}, f"split as by CLIP, {GUESSED}"
    if in_bytes:
        parts = {"pre_tokenizer": IN_BYTES, "decoder": IN_BYTES}
        return parts, f"split as by GPT-2, {GUESSED}"
    if not any(name.endswith(MARKER) for name in may_end):
        if any(name.startswith("▁") and len(name) > 1 for name in vocab):
            how = "give the tokenizer.json, which says what is done to a text (tokenizer.save"
            raise ValueError(
                f"its tokens have ▁ for a space, as in SentencePiece: {how} writes one)"
            )
        raise ValueError(f"it does not say how to split a text: {HOW_TO_SPLIT}")
    parts = {"decoder": {"type": "BPEDecoder", "suffix": MARKER}, "suffix": MARKER}
    if _mixes_signs(made):
        parts["pre_tokenizer"] = {"type": "WhitespaceSplit"}
        return parts, f"split at white space only, {GUESSED}"
    characters = "".join(name[0] for name in vocab if len(name.removesuffix(MARKER)) == 1)
    lowers = characters == characters.lower() != characters.upper()
    row = CLASSES["openaigpt" if lowers else "herbert"]
    parts |= {name: row[name] for name in ("normalizer", "pre_tokenizer")}
    lowered = ", case lowered, as by GPT-1" if lowers else ""
    return parts, f"split at white space and punctuation{lowered}, {GUESSED}"


def _mixes_signs(made: Collection[str]) -> bool:
    """Return whether merged tokens show that punctuation was not split off before training.

    If punctuation was not split off, many tokens are like ``low,</w>``: after a few hundred merges,
    one token in ten. GPT-1 has a few such tokens, for example ``n't</w>``, because the words on
    which it was trained were split differently from the words that transformers gives it.
    """
    tokens = (name.removesuffix(MARKER) for name in made)
    mixed = [token for token in tokens if not token.isalpha() and MIXED.search(token)]
    return len(mixed) > len(made) / MOST_MIXED


def _parts_of_class(beside: Beside, scheme: str | Scheme | None) -> tuple[dict, str]:
    """Return the parts of the class that a folder names, or of the scheme that is given."""
    if scheme is None:
        suffix = beside.require_row().get("suffix")
        return beside.parts() | {"suffix": suffix}, f"split as by {beside.kind}, its class"
    scheme = schemes.published_scheme(find_scheme(scheme))
    if scheme.units is not bytes or scheme.prepare is not None:
        raise ValueError(f"scheme {scheme.name!r} is not of bytes; 'gpt2', say, is")
    steps = {"type": "Sequence", "normalizers": write_steps(scheme.before)}
    cuts = {"type": "Sequence", "pretokenizers": _write_cuts(scheme)}
    how = f"split by the scheme {scheme.name}, as asked for"
    return {"normalizer": steps, "pre_tokenizer": cuts, "decoder": IN_BYTES}, how


def _named_tokens(beside: Beside, vocab: Mapping[str, int]) -> tuple[dict[str, dict], list[str]]:
    """Return the special and added tokens that a folder's files name, and notes on other names."""
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


def _check_with_library(tok: PublishedTokenizer, data: dict) -> None:
    """Compare a tokenizer with that of Hugging Face's library for the same tokenizer.json."""
    library = shared.import_library("tokenizers")
    try:
        model = data["model"]
        merges = _read_merges(model["merges"])
        pairs = [[*pair] for pair in zip(merges.lefts, merges.rights, strict=True)]
        data = data | {"truncation": None, "padding": None, "model": model | {"merges": pairs}}
        theirs = library.Tokenizer.from_str(json.dumps(data))
    except Exception as error:  # its errors have no other class
        raise ValueError(f"the package tokenizers can't read it: {error}") from None
    check_against(tok, Renumbered.of(theirs, tok))


def _make_tokenizer(data: dict) -> PublishedTokenizer:
    """Return the tokenizer that a tokenizer.json describes."""
    pipeline = Pipeline.of(data)  # first, because the tokens can't be read without it
    model = data["model"]
    vocab = model.get("vocab")  # token as the file writes it -> id
    if not isinstance(model.get("merges"), Columns):  # otherwise `_read_pair` has checked them
        raise_faults(shared.id_faults(vocab, str))
    suffix = model.get("end_of_word_suffix") or ""
    habits = _read_habits(model, vocab, pipeline)
    added = _read_added_tokens(data.get("added_tokens"), vocab)
    normalized, lost = _read_normalized(added, pipeline)
    added = {name: token for name, token in added.items() if name not in lost}
    if normalized and not pipeline.prefix:
        pipeline.spaces_last = _are_spaces_last(added, pipeline)
    scheme = pipeline.scheme(suffix)
    if scheme.units is bytes:
        tokens = shared.read_printed(vocab)
    else:
        tokens = dict(zip(vocab, vocab, strict=True))
        if suffix:
            # The suffix alone is plain text: in a word's last symbol, it follows a character.
            ends = [name for name in vocab if name.endswith(suffix) and name != suffix]
            tokens |= zip(ends, map(WordEnd, ends), strict=True)
        if not habits["whole_words"]:
            scheme = schemes.cut_at_spaces(scheme, tokens)
    merges = _read_merges(model.get("merges"))
    dead = len(vocab) - len(tokens)  # if this is 0, the names needn't be looked at
    notes = _read_notes(data, vocab.keys() - tokens.keys() - added.keys() if dead else ())
    by_chance = _ends_by_chance(merges, suffix if scheme.units is str else "")
    if by_chance:
        notes.append(
            f"merges also make {by_chance[0]!r:.40} where no word ends: it is decoded as the end "
            "of a word, and save can't write it, but to_huggingface can"
        )
    for name, other in lost.items():
        same = f"{name!r:.80} is the same as {other!r:.80} once normalized"
        notes.append(OnIds(f"{same}, and left out; the package tokenizers takes either"))
    notes += _note_numbers(added, vocab)
    around, told = read_around(data.get("post_processor"))
    notes += told

    both = added.keys() & tokens.keys()
    # A token that a merge makes stays an ordinary token, even if it is also added.
    made = both.intersection(merges.made) if both else set()
    gone = {}  # name -> token, for those that are added tokens and nothing else
    for name in both - made:
        if not _is_found(name, tokens[name], scheme, habits):
            gone[name] = tokens.pop(name)
    is_whole = len(tokens) == len(vocab)  # if so, they are in the same order
    numbers = vocab.values() if is_whole else map(vocab.get, tokens)
    tok = PublishedTokenizer(
        scheme,
        None,
        _number_merges(merges, vocab, tokens, gone),
        {name: token.get("id") for name, token in added.items() if token["special"]},
        ids=dict(zip(tokens.values(), numbers, strict=True)),
        added_tokens={name: one.get("id") for name, one in added.items() if not one["special"]},
        normalized=normalized,
        **{flag: [name for name, one in added.items() if one.get(flag)] for flag in FLAGS},
        **habits,
        around=around,
    )
    tok.notes += [*notes, *_note_decoder(data.get("decoder") or {}, tok)]
    theirs = "as by its library"
    if isinstance(model.get("unk_token"), str) and model["unk_token"]:
        missing = f"{model['unk_token']!r:.80}"
        theirs = f"and are an error in its library, since {missing} has no id"
    tok.notes += note_dropped(tok, theirs)
    _prove(tok, data)
    return tok


def _prove(tok: PublishedTokenizer, data: dict) -> None:
    """Raise ValueError unless a tokenizer and its file's parts cut texts in the same way.

    The texts are made for the file.
    """
    text = find_difference(tok, PlainReading(data), probe_texts(data, tok))
    if text is not None:
        how = "its parts, taken together, work differently from how they are read here"
        raise ValueError(f"{how}: {text!r:.80} would get other tokens; {kinds.OTHERWISE}")


def _is_found(name: str, token: Symbol, scheme: Scheme, habits: Mapping) -> bool:
    """Return whether an added token that no merge makes may also be found as an ordinary token."""
    if habits["byte_fallback"] and name in BYTE_TOKENS:
        return True
    if habits["whole_words"] and (scheme.units is str or name.isascii()):  # as it is printed
        return True
    return is_first_symbol(token, scheme)


def _read_notes(data: dict, dead: Collection[str]) -> list[str]:
    """Return notes on the fields that are left out because they change no id."""
    notes = []
    for name, what in NOTES.items():
        part = data.get(name) or {}
        is_object = isinstance(part, dict)
        require(is_object, f"{name} {what}, and is not an object: {part!r:.80}")
        if part:
            notes.append(OnIds(f"{name} {what}: left out"))
    if dead:
        number = "1 token is" if len(dead) == 1 else f"{len(dead):,} tokens are"
        notes.append(f"{number} not printable bytes, so no text has them: left out")
    return notes


def _note_numbers(added: Mapping[str, dict], vocab: Mapping[str, int]) -> Iterator[str]:
    """Yield a note if Hugging Face's library gives added tokens different ids from their file."""
    size = len(vocab)
    highest = -1
    anew = []
    for name, token in added.items():
        i = vocab.get(name, highest + 1 if highest >= size else size)
        highest = max(highest, i)
        if i != token.get("id"):
            anew.append(name)
    if anew:
        some = ", ".join(f"{name!r:.40}" for name in anew[:3]) + (" …" if anew[3:] else "")
        keep = "keeps the id" if len(anew) == 1 else "keep the ids"
        yield OnIds(
            f"{some} {keep} of the file; the package tokenizers numbers added tokens anew, and "
            "decodes them in another way if other tokens have these ids"
        )


def _note_decoder(decoder: dict, tok: PublishedTokenizer) -> Iterator[str]:
    """Yield a note if Hugging Face is known to join tokens differently."""
    require(isinstance(decoder, dict), f"decoder is not an object: {decoder!r:.80}")
    steps = decoder.get("decoders")
    steps = steps if isinstance(steps, list) else [decoder]
    scheme = schemes.published_scheme(tok.scheme)
    theirs = [_decoding(step) for step in steps if isinstance(step, dict)]
    names = [tok.ids.keys(), tok._id_of_name.keys()]
    has_bytes = not all(map(BYTE_TOKENS.keys().isdisjoint, names))
    if not tok.byte_fallback and not has_bytes:  # in this case it has nothing to do
        theirs = [one for one in theirs if one != ["ByteFallback"]]
    ours = [_decoding(step) for step in _decoders(scheme, tok.byte_fallback)]
    is_same = theirs == ours or (ours[-1] == ["Fuse"] and theirs == ours[:-1])
    if scheme.marker and scheme.units is bytes:
        yield f"decoding writes {scheme.marker} after each word, as the package tokenizers does"
    loses_ends = scheme.units is str and scheme.marker
    if (loses_ends or not is_same) and not _joins_alike(decoder, tok):
        types = [str(step.get("type")) for step in steps if isinstance(step, dict)]
        how = f"the decoder is {', '.join(types)}" if decoder else "it has no decoder"
        yield f"{how}: Hugging Face {JOINS_OTHERWISE}"
    spelled = [*tok._id_of_name, *tok.normalized]
    printed = [name for name in spelled if scheme.units is bytes and not name.isascii()]
    odd = [name for name in printed if shared.is_printed(name)]
    if odd:
        yield f"Hugging Face decodes {odd!r:.80} as printed bytes, and not as they are spelled"


def _joins_alike(decoder: Mapping, tok: PublishedTokenizer) -> bool:
    """Return whether a decoder of one step joins the tokens of ``tok`` as our `decode` does.

    The decoder may join other tokens differently.
    """
    scheme = schemes.published_scheme(tok.scheme)
    if scheme.units is bytes or tok.byte_fallback:
        return False
    tokens = list(tok.vocab.values())
    if decoder.get("type") == "BPEDecoder" and not scheme.space:
        # Theirs writes a space for each </w>; ours leaves it out before a special token.
        marker, names = str(decoder.get("suffix")), tok._id_of_name.keys() - {tok.unk_token}
        plain = [one.removesuffix(marker) if isinstance(one, WordEnd) else one for one in tokens]
        is_alone = not any(marker in one or " " in one for one in plain)
        return is_alone and not (scheme.marker and (names or str(scheme.marker) != marker))
    if decoder.get("type") == "Metaspace" and not scheme.marker:
        # Theirs leaves out every ▁ of the first token; ours leaves out one space.
        sign = decoder.get("replacement")
        older = "always" if decoder.get("add_prefix_space", True) else "never"
        if sign != scheme.space or not BYTE_TOKENS.keys().isdisjoint(tokens):
            return False
        if decoder.get("prepend_scheme", older) == "never":
            return not scheme.put_before
        is_first = all(one and one[0] != " " and sign not in one[1:] for one in tokens)
        return is_first and scheme.put_before == sign and "OneSpace" not in scheme.normalizations
    return False


def _decoding(step: Mapping) -> list:
    """Return the type of a decoder, and the values of the fields that it reads."""
    fields = {"Replace": ("pattern", "content"), "Strip": ("content", "start", "stop")}
    fields["BPEDecoder"] = ("suffix",)
    kind = step.get("type")
    return [kind, *map(step.get, fields.get(kind, ()) if isinstance(kind, str) else ())]


# vocabulary, merges, added tokens


def _read_habits(model: dict, vocab: dict, pipeline: Pipeline) -> dict:
    """Return what a model does besides merging.

    Raises ValueError for anything that a `Tokenizer` can't do.
    """
    dropout = model.get("dropout")
    if dropout:
        does = "dropout leaves merges out at random"
        how = "to have all merges, set it to null in a copy of the file"
        raise ValueError(f"{does}, which a Tokenizer cannot do: {dropout!r:.80}; {how}")
    habits = {}
    for ours, theirs in HABITS.items():
        does = model.get(theirs) or False
        require(type(does) is bool, f"{theirs} is {does!r:.80}, neither true nor false")
        habits[ours] = does
    in_bytes = pipeline.units is bytes
    sign = model.get("continuing_subword_prefix")
    if sign:
        none = f"and a Tokenizer has no signs inside words; {kinds.OTHERWISE}"
        raise ValueError(f"continuing_subword_prefix is {sign!r:.80}, {none}")
    suffix = model.get("end_of_word_suffix") or ""
    is_known = isinstance(suffix, str) and any(name.endswith(suffix) for name in vocab)
    require(is_known or not suffix, f"end_of_word_suffix is {suffix!r:.80}, which no token has")
    spelled = shared.BYTE_OF.items()
    missing = {byte for one, byte in spelled if not {one, one + suffix} <= vocab.keys()}
    is_whole = in_bytes and missing <= shared.NEVER_IN_UTF8  # if so, nothing is unknown
    unk_token = model.get("unk_token") or None
    if is_whole or not isinstance(unk_token, str) or unk_token not in vocab:
        unk_token = None
    habits["drops_unknown"] = unk_token is None and not is_whole
    if habits["byte_fallback"] and in_bytes:
        habits["byte_fallback"] = False
        if not is_whole and not BYTE_TOKENS.keys().isdisjoint(vocab):
            none = f"and {len(missing)} of the 256 bytes have none: True"
            raise ValueError(f"byte_fallback spells in bytes what has no id, {none}")
    habits["fuse_unk"] = habits["fuse_unk"] and unk_token is not None
    return habits | {"unk_token": unk_token}


def _read_added_tokens(items, vocab: Mapping[str, int]) -> dict[str, dict]:
    """Return the added tokens by name, as in the file; of two equal names, the first counts."""
    if not isinstance(items, list | None):
        raise ValueError(f"added_tokens is not a list: {items!r:.80}")
    added = {}
    for number, token in enumerate(items or []):
        if not isinstance(token, dict) or not isinstance(token.get("content"), str):
            raise ValueError(f"added token {number} has no content that is a text: {token!r:.80}")
        name, i = token["content"], token.get("id")
        place = f"added token {number} ({name!r:.80})"
        known = vocab.get(name, i)
        if added.get(name, token).get("id") != i:
            raise ValueError(f"{place} occurs twice, with two ids")
        if known != i:
            raise ValueError(f"{place} has the id {i!r:.80}, but {known!r:.80} in the vocabulary")
        for flag in ("special", *FLAGS):
            value = token.get(flag, False if flag in FLAGS else None)
            if type(value) is not bool:
                raise ValueError(f"{place} has {flag} {value!r:.80}, neither true nor false")
        added[name] = token
    return added


def _read_normalized(
    added: Mapping[str, dict], pipeline: Pipeline
) -> tuple[dict[str, str], dict[str, str]]:
    """Return two tables about the names that are looked for in the normalized text.

    The first maps each text that is looked for there, after all other tokens, to its name. The
    second maps each name that is never found to an earlier name, which normalization turns into the
    same text.
    """
    later = [name for name, token in added.items() if token.get("normalized")]
    before = pipeline.before
    if not before and len(later) == len(added):
        return {}, {}  # there is neither an order nor a normalization
    later.sort(key=lambda name: not added[name]["special"])  # if two are equal, the first counts
    made = {}
    lost = {}
    for name in later:
        first = made.setdefault(normalize(name, before), name)
        if first != name:
            lost[name] = first
    if "" in made:
        raise ValueError(f"nothing is left of added token {made['']!r:.80} in normalized text")
    return made, lost


def _are_spaces_last(added: Mapping[str, dict], pipeline: Pipeline) -> bool:
    """Return whether a token with spaces in or beside it is found before the spaces become ▁."""
    if len(pipeline.normalizations) == len(pipeline.before):
        return False
    spaces = {*WHITE_SPACE, schemes.space_of(pipeline.normalizations)}
    for name, token in added.items():
        is_beside = token.get("lstrip") or token.get("rstrip")
        if token.get("normalized") and (is_beside or not spaces.isdisjoint(name)):
            return True
    return False


def _read_merges(items) -> Columns:
    """Return merges in columns; raise ValueError for anything that is not a merge."""
    if isinstance(items, Columns):
        return items
    if not isinstance(items, list):
        raise ValueError(f"merges is not a list: {items!r:.80}")
    most = 2 * shared.MAX_TOKENS  # some files list a merge for each way to cut a token
    require(len(items) <= most, f"there are {len(items):,} merges, more than {most:,}")
    usual = None
    kinds_of_items = set(map(type, items))
    if kinds_of_items == {str}:
        usual = _split_usual_merges("\n".join(items), len(items))
    elif kinds_of_items == {list}:
        usual = _split_usual_pairs(items)
    if usual is not None:
        return usual
    lefts, rights = [], []
    for number, item in enumerate(items):
        pair = item
        if isinstance(item, str):
            found = MERGE.fullmatch(item)
            pair = found.groups() if found else ()
        is_pair = isinstance(pair, list | tuple) and [type(part) for part in pair] == [str, str]
        if not is_pair or not all(pair):
            raise ValueError(f"merge {number}: {item!r:.80} is not a merge of two tokens")
        left, right = pair
        lefts.append(left)
        rights.append(right)
    return Columns.of(lefts, rights)


def _split_usual_merges(text: str, number: int | None = None) -> Columns | None:
    """Return the merges of a text with one merge on each line.

    Return None if a line isn't written as merges usually are, or if a ``number`` of merges is given
    and the number of lines is different.
    """
    parts = text.replace("\n", " \n ").split(" ")
    lefts, rights, ends = parts[::3], parts[1::3], parts[2::3]
    lines = text.count("\n") + 1
    if number not in (None, lines) or ends != ["\n"] * (lines - 1):
        return None
    is_usual = len(lefts) == len(rights) == lines and all(lefts) and all(rights)
    return Columns.of(lefts, rights) if is_usual else None


def _split_usual_pairs(items: list[list]) -> Columns | None:
    """Return pairs of texts as columns of merges, or None if an item isn't a pair of texts."""
    parts = list(chain.from_iterable(items))
    if set(map(len, items)) != {2} or set(map(type, parts)) != {str} or not all(parts):
        return None
    return Columns.of(parts[::2], parts[1::2])


def _number_merges(
    columns: Columns,
    vocab: Mapping[str, int],
    tokens: Mapping[str, Symbol],
    gone: Mapping[str, Symbol],
) -> NumberedMerges | list[Merge]:
    """Return the merges as the file writes them; raise ValueError if a token has no id there.

    If there are unusual merges, such as those that use a token in ``gone``, the merges are returned
    one by one, so that `PublishedTokenizer` can tell what is wrong with them.
    """
    lefts, rights, made = columns
    dead = len(tokens) + len(gone) < len(vocab)  # whether some names are not tokens
    numbers = {name: vocab[name] for name in tokens} if dead else vocab
    with suppress(KeyError):
        merges = NumberedMerges.of_columns(lefts, rights, _ids_of_made(numbers, made), numbers)
        is_odd = len(merges.ranks) < len(lefts)
        if not is_odd and gone.keys().isdisjoint(lefts) and gone.keys().isdisjoint(rights):
            return merges
    tokens = tokens | gone
    merges = []
    for number, names in enumerate(zip(lefts, rights, made, strict=True)):
        for name in names:
            if name not in vocab:
                raise ValueError(f"merge {number}: token {name!r:.80} has no id; {BROKEN}")
            if name not in tokens:
                raise ValueError(f"merge {number}: token {name!r:.80} {UNPRINTED}")
        left, right, _ = names
        merges.append(Merge(tokens[left], tokens[right], 0))
    return merges


def _ends_by_chance(columns: Columns, suffix: str) -> list[str]:
    """Return the tokens that are merged from plain tokens but spelled like the end of a word.

    The vocabulary of Hugging Face's library holds texts, so there a plain token and a word end with
    the same spelling are one token.
    """
    found = []
    for right, made in zip(columns.rights, columns.made, strict=True) if suffix else ():
        is_end = right.endswith(suffix) and right != suffix
        if made.endswith(suffix) and made != suffix and not is_end:
            found.append(made)
    return found


def _place_of_made(vocab: Mapping[str, int], made: list[str]) -> slice | None:
    """Return where a vocabulary lists the merged tokens in the order of the merges, or None.

    After training, the vocabulary lists them in this order, one after the other. To compare one
    slice of the vocabulary takes less time than to look up each token.
    """
    names = list(vocab)
    if not made or made[0] not in vocab:
        return None
    start = names.index(made[0])
    place = slice(start, start + len(made))
    return place if names[place] == made else None


def _ids_of_made(vocab: Mapping[str, int], made: list[str]) -> list[int]:
    """Return the ids of the tokens that merges make; raise KeyError if a token has no id."""
    place = _place_of_made(vocab, made)
    return list(map(vocab.__getitem__, made)) if place is None else list(vocab.values())[place]


def _unmade_names(vocab: Mapping[str, int], made: list[str]) -> list[str]:
    """Return the names that no merge makes, in the order of the vocabulary."""
    names = list(vocab)
    place = _place_of_made(vocab, made)
    if place is not None:
        return names[: place.start] + names[place.stop :]
    unmade = set(names).difference(made)
    return [name for name in names if name in unmade]


# writing


def _without_names(ids: Mapping[str, int], tok: PublishedTokenizer) -> Mapping[str, int]:
    """Return ids without special and added tokens, if these tokens come last and leave no gap.

    In this case the ids of these tokens follow from the other ids. If such a token stayed, its name
    would also be found in other places whenever whole words are looked up, or the name is a single
    symbol.
    """
    ordinary = {_print(token) for token in tok.ids}
    found_elsewhere = [
        name
        for name in tok._id_of_name
        if name not in ordinary and (tok.whole_words or len(name) == 1)
    ]
    if not found_elsewhere:
        return ids
    left = {}
    for name, number in ids.items():
        if name in ordinary or name not in tok._id_of_name or name == tok.unk_token:
            left[name] = number
    names = [number for name, number in ids.items() if name not in left]
    if [*sorted(left.values()), *sorted(names)] == list(range(len(ids))):
        return left
    for name in found_elsewhere:
        if _may_be_left(name, tok):
            where = "where a normalization makes it, or within another name"
            warnings.warn(f"{name!r} may be an ordinary token there, {where}", stacklevel=3)
    return ids


def _may_be_left(name: str, tok: PublishedTokenizer) -> bool:
    """Return whether a name may still occur in a text from which all names were taken out."""
    scheme = schemes.published_scheme(tok.scheme)
    usual = [("Replace", " ", scheme.space), ("Prepend", scheme.space)]
    changes = [step for step in scheme.before if step not in usual]
    is_inside = any(name in other for other in tok.single_word)
    return bool(changes) or is_inside or name == scheme.space


def to_huggingface(tok: Tokenizer) -> "tokenizers.Tokenizer":
    r"""Turn a tokenizer into a `tokenizers.Tokenizer`, which ``save`` writes to a tokenizer.json.

    Its ``encode(text, add_special_tokens=False)`` gives the ids of ``tok.encode(text,
    allowed_special="all")``. (If ``add_special_tokens`` is not False, ``encode`` also puts the
    tokens that ``tok.around`` names before and after the text.) Both decode ids to the same text,
    with two exceptions:

    - If words of characters end in </w> and spaces have no sign (▁), Hugging Face's decoder writes
      spaces in different places, and it writes <0xC3> for a byte that spells a character.
    - If tokens such as <0x01> <0xB6> spell bytes, and not all of these bytes form whole characters,
      Hugging Face's decoder writes \ufffd for each byte. Ours keeps the bytes that form characters.

    If a character has no id and no token stands for it, our tokenizer raises an error, while
    Hugging Face's leaves the character out.

    >>> to_huggingface(Tokenizer.train("low", scheme="words", num_merges=0))
    Traceback (most recent call last):
    ValueError: scheme 'words' cannot be carried over: its pattern means something else there

    A normalization of SentencePiece is carried over with a warning: if a text writes one character
    as several code points, such as a letter and its accents, Hugging Face's library doesn't always
    join them.

    Raises ValueError, with the reason, for anything that can't be carried over: patterns that
    Hugging Face's engine reads differently, words that end in a symbol of their own, and special
    tokens that are spelled like the printable form of other tokens.
    """
    tok = PublishedTokenizer.of(tok)
    tok.check_merges()
    scheme = schemes.published_scheme(tok.scheme)  # so that it has a prefix, even if it is empty
    what = f"scheme {scheme.name!r} cannot be carried over"
    require(scheme.prepare is None, f"{what}: its function prepare changes a text")
    require(scheme.marks_last or not scheme.marker, f"{what}: the end of a word is a symbol")
    spellings = {name: text for text, name in tok.normalized.items()}
    for name, text in spellings.items():
        if normalize(name, scheme.before) != text:
            where = "in a text that has a space before it"
            raise ValueError(f"{what}: {name!r:.80} is looked for {where}")
    ids = _printable_ids(tok)
    added = []
    for name in sorted(tok._id_of_name, key=ids.get):
        flags = {flag: name in getattr(tok, flag) for flag in FLAGS}
        flags |= {"normalized": name in spellings, "special": name in tok.special_tokens}
        added.append({"id": ids[name], "content": name} | flags)
    data = {
        "version": "1.0",
        "added_tokens": added,
        "normalizer": {"type": "Sequence", "normalizers": write_steps(scheme.before)},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": _write_cuts(scheme)},
        "post_processor": write_around(tok),
        "decoder": {"type": "Sequence", "decoders": _decoders(scheme, tok.byte_fallback)},
        "model": {
            "type": "BPE",
            "unk_token": tok.unk_token,
            "end_of_word_suffix": str(scheme.marker) or None,
            **{theirs: getattr(tok, ours) for ours, theirs in HABITS.items()},
            "vocab": _without_names(ids, tok),
            "merges": [[_print(merge.left), _print(merge.right)] for merge in tok.merges],
        },
    }
    return shared.import_library("tokenizers").Tokenizer.from_str(json.dumps(data))


def save_huggingface(tok: Tokenizer, folder: str | os.PathLike[str]) -> None:
    """Write a folder for Hugging Face, as ``save_pretrained`` of transformers does.

    It holds a tokenizer.json (see `to_huggingface`) and a tokenizer_config.json, which keeps the
    roles of special tokens, such as ``bos_token``. ``AutoTokenizer.from_pretrained`` and
    `from_huggingface` read this folder.

    >>> save_huggingface(Tokenizer.train("low", scheme="words", num_merges=0), "folder")
    Traceback (most recent call last):
    ValueError: scheme 'words' cannot be carried over: its pattern means something else there

    Raises ValueError in the same cases as `to_huggingface`, before anything is written.
    """
    kinds.check_path(folder, "the path of a folder")
    for name, content in folder_files(tok).items():
        Path(folder).mkdir(parents=True, exist_ok=True)
        write_whole(Path(folder, name), content)


def folder_files(tok: Tokenizer) -> dict[str, bytes]:
    """Return the files that `save_huggingface` writes, by their names."""
    tok = PublishedTokenizer.of(tok)
    # Without the last field, spaces before a comma would be lost when ids are decoded.
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    files = {"tokenizer.json": to_huggingface(tok).to_str(), CONFIG: json.dumps(config | tok.roles)}
    return {name: content.encode("utf-8") for name, content in files.items()}


def _print(token: Symbol) -> str:
    return shared.print_token(token) if isinstance(token, bytes) else str(token)


def _write_cuts(scheme: PublishedScheme) -> list[dict]:
    """Return the pre-tokenizers that split a text as a scheme does."""
    patterns = list(scheme.patterns)
    if scheme.units is str:
        if patterns == [schemes.spaces_pattern(scheme.space)]:
            patterns = []  # the pattern only saves time, see `cut_at_spaces`
        cuts = [_write_cut(one, scheme) for one in patterns]
        if scheme.prefix:
            prefix = {"type": "Metaspace", "replacement": scheme.prefix, "split": False}
            prefix["prepend_scheme"] = "first" if scheme.first_prefixed else "always"
            cuts.insert(0, prefix)
        elif scheme.spaces_last:
            spaces = {"type": "Metaspace", "replacement": scheme.space, "split": False}
            cuts.insert(0, spaces | {"prepend_scheme": "never"})
        return cuts
    at = patterns.index(schemes.IN_PRINT) if schemes.IN_PRINT in patterns else len(patterns)
    patterns, after = patterns[:at], patterns[at + 1 :]  # `after` splits the printed bytes
    in_bytes = IN_BYTES | {"use_regex": False}
    if scheme.prefix:
        if scheme.prefix != " " or patterns not in ([], [SCHEMES["gpt2"].pattern]):
            prefix = f"{scheme.prefix!r:.80}"
            raise ValueError(f"the prefix {prefix} must be a space before the split of GPT-2")
        in_bytes |= {"add_prefix_space": True, "use_regex": bool(patterns)}
        patterns = []
    cuts = [_write_cut(one, scheme) for one in patterns]
    return [*cuts, in_bytes, *(_write_cut(one, scheme) for one in after)]


def _write_cut(pattern: str, scheme: Scheme) -> dict:
    """Return a pre-tokenizer that splits at a pattern, as Hugging Face's engine reads it."""
    if pattern in NAMED_CUTS:
        return {"type": NAMED_CUTS[pattern]}
    if pattern == NO_WHITE_SPACE:
        inner = f"[^{PYTHON_SPACE}]+"  # white space as Python has it, which knows four more
        return {"type": "Split", "pattern": {"Regex": inner}, "behavior": "Removed", "invert": True}
    row = schemes.row_with_pattern(pattern)
    inner = schemes.in_oniguruma(row) if row else schemes.completed(pattern)
    # Python's own engine has a different definition of white space.
    is_alike = not row or (row.units is bytes and schemes.PORTABLE.fullmatch(pattern))
    if not inner and not is_alike:
        what = f"scheme {scheme.name!r} cannot be carried over"
        raise ValueError(f"{what}: its pattern means something else there")
    if not row:
        schemes.check_portable(inner or schemes.left_out(pattern) or pattern)
    outer = schemes.left_out(pattern)
    # Without an inner pattern, the words are only its matches, or only the texts between them.
    how = {"behavior": "Isolated" if inner else "Removed", "invert": not inner and not outer}
    return {"type": "Split", "pattern": {"Regex": inner or outer or pattern}} | how


def _decoders(scheme: PublishedScheme, byte_fallback: bool) -> list[dict]:
    """Return the decoders that turn the tokens of a scheme into a text, as our `decode` does."""
    if scheme.units is bytes:
        return [IN_BYTES]
    steps = []
    if scheme.marker and not scheme.space:
        return [{"type": "BPEDecoder", "suffix": str(scheme.marker)}]
    if scheme.marker:
        steps += write_steps([("ReplaceAll", f"{re.escape(scheme.marker)}$", "")])
    if scheme.space:
        steps += write_steps([("Replace", scheme.space, " ")])  # also a decoder
    if byte_fallback:
        steps.append({"type": "ByteFallback"})
    steps.append({"type": "Fuse"})
    strips_all = "OneSpace" in scheme.normalizations
    if (scheme.put_before or strips_all) and (scheme.space or byte_fallback):
        most = kinds.MAX_FILE if strips_all else 1
        steps.append({"type": "Strip", "content": " ", "start": most, "stop": 0})
    return steps


def _printable_ids(tok: PublishedTokenizer) -> dict[str, int]:
    """Return a table for all tokens: printed token -> id.

    Special and added tokens keep their spelling.
    """
    ordinary = ordinary_ids(tok)
    ids = {_print(token): i for token, i in ordinary.items()}
    spellings = {name: text for text, name in tok.normalized.items()}
    require(len(ids) == len(ordinary), "two tokens have one spelling, but one of them ends a word")
    known = set()
    scheme = schemes.published_scheme(tok.scheme)
    for name, i in tok._id_of_name.items():
        is_own = tok.scheme.units is str or name.isascii()
        is_free = name not in ids or (ids[name] == i and is_own)
        require(is_free, f"special token {name!r} is spelled like another token as printed")
        # If something is put before a text, a name may be a word only in other places.
        is_word = scheme.put_before or scheme.split(name) == [name]
        is_symbol = len(name) == 1 and (tok.scheme.units is str or name in shared.BYTE_OF)
        is_word = is_symbol or (tok.whole_words and is_word)
        is_elsewhere = spellings.get(name, name) != name  # it is found in other places only
        may_stay = (
            is_elsewhere
            or name in tok.single_word
            or name in tok.special_tokens.keys() - {tok.unk_token}
        )
        is_found = name not in ids and is_word and may_stay
        require(not is_found, f"{name!r} would be an ordinary token there")
        if i in known:
            other = "another special or added token"
            raise ValueError(f"{name!r:.80} has the id {i}, which {other} has")
        known.add(i)
    return ids | tok._id_of_name
