"""Hugging Face: read a BPE from a tokenizer.json, or from the files of its folder.

A tokenizer.json can do much that a `Tokenizer` can't. The module `pipeline` reads the parts that
change and split a text. This module reads the rest: it has one function for each part, which
returns the meaning of the part.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bpe_further.exchange import kinds, schemes, shared
from bpe_further.exchange.around import read_around
from bpe_further.exchange.check import Renumbered, check_against, check_class
from bpe_further.exchange.file import FLAGS
from bpe_further.exchange.folder import ROLES, read_beside
from bpe_further.exchange.huggingface_merges import (
    Columns,
    ends_by_chance,
    found_merges,
    id_faults,
    number_merges,
    read_merges,
)
from bpe_further.exchange.huggingface_notes import (
    note_class,
    note_decoder,
    note_numbers,
    read_notes,
)
from bpe_further.exchange.huggingface_pair import Found, find_pair, name_folder, read_pair
from bpe_further.exchange.huggingface_write import HABITS
from bpe_further.exchange.normalize import WHITE_SPACE, normalize
from bpe_further.exchange.pipeline import Pipeline
from bpe_further.exchange.plain import PlainReading, find_difference, probe_texts
from bpe_further.exchange.published import PublishedTokenizer, note_dropped
from bpe_further.exchange.shared import OnIds, OnText, raise_faults, require
from bpe_further.exchange.spelling import BYTE_TOKENS, is_first_symbol
from bpe_teach.files import errors_name
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import Scheme
from bpe_teach.symbols import WordEnd


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
    (GPT-2's own names for such a pair, encoder.json and vocab.bpe, are known in a folder, too.)

    A vocab.json and a merges.txt do not say how to split a text. The files beside them say how if
    they name a known class (such as ``"tokenizer_class": "Qwen2Tokenizer"`` in
    tokenizer_config.json). These files also name the special and added tokens. If no class is
    named, the tokens that no merge makes are special. If you give a ``scheme``, this scheme is used
    instead of the split of the class.

    If there is neither a scheme nor a class, the split is guessed from the tokens, and ``notes``
    say what was guessed. If the tokens are bytes written as printable characters, texts are split
    as by GPT-2, or as by CLIP if there are single characters that end in </w>. If the tokens are
    characters, those that end in </w> show how punctuation was treated in training. If many of
    these tokens hold letters together with punctuation, texts are split only at white space. If
    only a few do, punctuation is split off as well, as by GPT-1 in transformers. GPT-1 also writes
    a text in lower case and strips accents. Here a text is written in lower case only if the
    alphabet has no capital letters. In this case accents are stripped, too, unless that would
    change a token.

    Ids are kept, whatever they are. Hugging Face recognizes special tokens in every text; to have
    them recognized here, say ``allowed_special="all"``. Added tokens that are not special are
    always recognized. Tokens of both kinds take the white space before them if they have
    ``lstrip``, and the white space after them if they have ``rstrip``. The tokens that Hugging Face
    puts around a text are left out unless you say ``encode(text, add_special_tokens=True)``.
    ``notes`` name these tokens, or say that they aren't known, as for a vocab.json without a class.
    The notes also name truncation and padding, which are left out.

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

    If ``check`` is true, Hugging Face's package tokenizers reads the file, too, and must encode and
    decode a few hundred texts in the same way. If the folder of a vocab.json names a class, and
    transformers is installed, this class must also give the same ids. For a tokenizer.json, the
    class is not asked, although transformers may build it in a different way. If the class is known
    to read texts differently, ``notes`` say so.

    Raises ValueError for a file of a different kind (the message says what it is), for anything in
    the file that a `Tokenizer` can't do, and for any difference that ``check`` finds.
    """
    found = _find_data(source, merges, scheme)
    with errors_name(found.where):
        tok = _make_tokenizer(found.data)
        tok.notes += found.notes
        tok.notes += note_class(found.beside, tok, found.data) if found.beside else []
        tok.roles = {role: one for role, one in found.roles.items() if one in tok._id_of_name}
        if check:
            _check_with_library(tok, found.data)
            tok.notes += check_class(tok, found.folder) if found.folder else []
    return tok


def _find_data(
    source: Any, merges: str | os.PathLike[str] | None, scheme: str | Scheme | None
) -> Found:
    """Find the files of a tokenizer, and read them; `from_huggingface` explains the arguments."""
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
        folder, source = Path(source), Path(source, "tokenizer.json")
        if not source.exists():
            source, merges = find_pair(folder) or (None, None)
        if source is None:
            raise ValueError(f"{os.fspath(folder)}: {name_folder(folder)}")
    if merges is not None:
        return read_pair(source, merges, scheme)
    require(scheme is None, f"{os.fspath(source)}: it says itself how a text is split")
    with errors_name(source):
        is_half = Path(source) in (find_pair(Path(source).parent) or ())
        require(not is_half, "it is one file of a pair: give the folder that holds both")
        data = kinds.read_tokenizer_json(kinds.read_file(source))
    if Path(source).name != "tokenizer.json":
        return Found(source, data)
    beside = read_beside(Path(source).parent)  # the files beside it describe it
    return Found(source, data, roles=beside.roles, beside=beside)


def _check_with_library(tok: PublishedTokenizer, data: dict) -> None:
    """Compare ``tok`` with the tokenizer that Hugging Face's library makes of the same file.

    ``data`` is the content of the tokenizer.json. Raises ValueError if the two tokenizers differ,
    or if the library can't read the file.
    """
    library = shared.import_library("tokenizers")
    try:
        model = data["model"]
        merges = read_merges(model["merges"])
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
    if not isinstance(model.get("merges"), Columns):  # otherwise `read_pair` has checked them
        raise_faults(id_faults(vocab))
    habits = _read_habits(model, vocab, pipeline)
    added = _read_added_tokens(data.get("added_tokens"), vocab)
    normalized, lost = _read_normalized(added, pipeline)
    added = {name: token for name, token in added.items() if name not in lost}
    if normalized and not pipeline.prefix:
        pipeline.spaces_last = _are_spaces_last(added, pipeline)
    scheme, tokens = _read_tokens(model, pipeline, habits)
    all_merges = read_merges(model.get("merges"))
    unprinted = vocab.keys() - tokens.keys() if len(tokens) < len(vocab) else set()
    merges = found_merges(all_merges, vocab, tokens) if unprinted else all_merges
    around, notes_around = read_around(data.get("post_processor"))
    notes = [
        *read_notes(data, unprinted - added.keys(), len(all_merges.made) - len(merges.made)),
        *_note_ends(merges, scheme, model.get("end_of_word_suffix")),
        *_note_lost(lost),
        *note_numbers(added, vocab),
        *notes_around,
    ]
    only_added = _find_only_added(added, tokens, merges, scheme, habits)
    gone = {name: tokens.pop(name) for name in only_added}
    is_whole = len(tokens) == len(vocab)  # if so, both are in the same order
    numbers = vocab.values() if is_whole else map(vocab.get, tokens)
    tok = PublishedTokenizer(
        scheme,
        None,
        number_merges(merges, vocab, tokens, gone),
        {name: token.get("id") for name, token in added.items() if token["special"]},
        ids=dict(zip(tokens.values(), numbers, strict=True)),
        added_tokens={name: one.get("id") for name, one in added.items() if not one["special"]},
        normalized=normalized,
        **{flag: [name for name, one in added.items() if one.get(flag)] for flag in FLAGS},
        **habits,
        around=around,
    )
    tok.notes += [*notes, *note_decoder(data.get("decoder") or {}, tok)]
    tok.notes += note_dropped(tok, _what_theirs_does(model.get("unk_token")))
    _prove(tok, data)
    return tok


def _read_tokens(
    model: dict, pipeline: Pipeline, habits: Mapping
) -> tuple[Scheme, dict[str, Symbol]]:
    """Return the scheme of a model, and its tokens by the names that the file writes.

    If symbols are bytes, names that aren't printed bytes are left out.
    """
    vocab = model["vocab"]
    suffix = model.get("end_of_word_suffix") or ""
    scheme = pipeline.scheme(suffix)
    if scheme.units is bytes:
        return scheme, shared.read_printed(vocab)
    tokens = dict(zip(vocab, vocab, strict=True))
    if suffix:
        # The suffix alone is plain text: in a word's last symbol, it follows a character.
        ends = [name for name in vocab if name.endswith(suffix) and name != suffix]
        tokens |= zip(ends, map(WordEnd, ends), strict=True)
    if not habits["whole_words"]:
        scheme = schemes.cut_at_spaces(scheme, tokens)
    return scheme, tokens


def _find_only_added(
    added: Mapping[str, dict],
    tokens: Mapping[str, Symbol],
    merges: Columns,
    scheme: Scheme,
    habits: Mapping,
) -> list[str]:
    """Return the names of tokens that are added tokens and nothing else.

    A token that a merge makes stays an ordinary token, even if it is also added.
    """
    both = added.keys() & tokens.keys()
    if both:
        both = both.difference(merges.made)
    return [name for name in both if not _is_found(name, tokens[name], scheme, habits)]


def _note_ends(merges: Columns, scheme: Scheme, suffix: str | None) -> list[OnText]:
    """Return a note if merges make the end of a word where no word ends."""
    by_chance = ends_by_chance(merges, (suffix or "") if scheme.units is str else "")
    if not by_chance:
        return []
    where = f"merges also make {by_chance[0]!r:.40} where no word ends"
    what = "it is decoded as the end of a word, and save can't write it, but to_huggingface can"
    return [OnText(f"{where}: {what}")]


def _note_lost(lost: Mapping[str, str]) -> list[OnIds]:
    """Return a note for each added token that another one hides; it is the value in ``lost``."""
    notes = []
    for name, other in lost.items():
        same = f"{name!r:.80} is the same as {other!r:.80} once normalized"
        notes.append(OnIds(f"{same}, and left out; the package tokenizers takes either"))
    return notes


def _what_theirs_does(unk_token: Any) -> str:
    """Return what Hugging Face does with unknown characters if we drop them."""
    if isinstance(unk_token, str) and unk_token:
        return f"and are an error in its library, since {unk_token!r:.80} has no id"
    return "as by its library"


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


def _read_habits(model: dict, vocab: dict, pipeline: Pipeline) -> dict:
    """Return the options of a `PublishedTokenizer` for what a model does besides merging.

    ``model`` is the model of a tokenizer.json, and ``vocab`` is its vocabulary.

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
    """Return the added tokens by name, as in the file; if a name occurs twice, the last counts."""
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
            value = token.get(flag, False)
            require(flag in token or flag in FLAGS, f"{place} lacks {flag}, true or false")
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
    later.sort(key=lambda name: not added[name]["special"])  # of two equal texts, the first counts
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
