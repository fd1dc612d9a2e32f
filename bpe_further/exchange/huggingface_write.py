"""Hugging Face's library: write our tokenizers for it."""

import json
import os
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_further.exchange import kinds, schemes, shared
from bpe_further.exchange.around import write_around
from bpe_further.exchange.file import FLAGS
from bpe_further.exchange.folder import CONFIG, IN_BYTES
from bpe_further.exchange.normalize import normalize
from bpe_further.exchange.pipeline import NAMED_CUTS, write_steps
from bpe_further.exchange.published import (
    OUR_FILE,
    PublishedTokenizer,
    name_scheme,
    ordinary_ids,
)
from bpe_further.exchange.schemes import PublishedScheme
from bpe_further.exchange.shared import require
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.files import write_whole
from bpe_teach.pairs import Symbol
from bpe_teach.patterns import NO_WHITE_SPACE
from bpe_teach.schemes import SCHEMES, Scheme

if TYPE_CHECKING:
    import tokenizers


HABITS = {"whole_words": "ignore_merges", "byte_fallback": "byte_fallback", "fuse_unk": "fuse_unk"}
# White space as Python's `re` has it, in ranges of a class
PYTHON_SPACE = "\t-\r\x1c- \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"


def _without_names(ids: Mapping[str, int], tok: PublishedTokenizer) -> Mapping[str, int]:
    """Return ids without special and added tokens, if these tokens come last and leave no gap.

    In this case the ids of these tokens follow from the other ids. If such a token stayed in the
    vocabulary, its name would also be found as an ordinary token. This can happen if whole words
    are looked up, or if the name is a single symbol. If the tokens have to stay, all ids are
    returned, with a warning about each name that may be found in this way.
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

    The new tokenizer's ``encode(text, add_special_tokens=False)`` gives the ids of
    ``tok.encode(text, allowed_special="all")``. (If ``add_special_tokens`` is not False, ``encode``
    also puts the tokens that ``tok.around`` names before and after the text.) Both tokenizers
    decode ids to the same text, with two exceptions:

    - If words of characters end in </w> and spaces have no sign (▁), Hugging Face's decoder writes
      spaces in different places, and it writes <0xC3> for a byte that spells a character.
    - If tokens such as <0x01> <0xB6> spell bytes, and not all of these bytes form whole characters,
      Hugging Face's decoder writes \ufffd for each byte. Our `decode` keeps the bytes that form
      characters.

    If a character has no id and no token stands for it, our tokenizer raises an error, while
    Hugging Face's tokenizer leaves the character out.

    >>> to_huggingface(Tokenizer.train("low", scheme="words", num_merges=0))
    Traceback (most recent call last):
    ValueError: scheme 'words' cannot be carried over: its pattern means something else there

    A normalization of SentencePiece is carried over with a warning: if a text writes one character
    as several code points, such as a letter and its accents, Hugging Face's library doesn't always
    join these code points.

    Raises ValueError, with the reason, for anything that can't be carried over: patterns that
    Hugging Face's engine reads differently, words that end in a symbol of their own, and special
    tokens that are spelled like the printable form of other tokens.
    """
    tok = PublishedTokenizer.of(tok)
    tok.check_merges()
    scheme = schemes.published_scheme(tok.scheme)  # so that it has a prefix, even if it is empty
    what = f"{name_scheme(scheme)} cannot be carried over"
    require(scheme.prepare is None, f"{what}: its function prepare changes a text")
    require(scheme.marks_last or not scheme.marker, f"{what}: the end of a word is a symbol")
    spellings = {name: text for text, name in tok.normalized.items()}
    for name, text in spellings.items():
        if normalize(name, scheme.before) != text:
            how = (
                f"SentencePiece finds its own symbol {name!r:.80} after it has put a space before "
            )
            raise ValueError(f"{what}: {how}the text, the package tokenizers before; {OUR_FILE}")
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
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": write_cuts(scheme)},
        "post_processor": write_around(tok),
        "decoder": {"type": "Sequence", "decoders": decoders(scheme, tok.byte_fallback)},
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

    The folder holds a tokenizer.json (see `to_huggingface`) and a tokenizer_config.json, which
    keeps the roles of special tokens, such as ``bos_token``. ``AutoTokenizer.from_pretrained`` and
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
    """Return the files that `save_huggingface` writes: name -> content."""
    tok = PublishedTokenizer.of(tok)
    # Without the last field, spaces before a comma would be lost when ids are decoded.
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False}
    files = {"tokenizer.json": to_huggingface(tok).to_str(), CONFIG: json.dumps(config | tok.roles)}
    return {name: content.encode("utf-8") for name, content in files.items()}


def _print(token: Symbol) -> str:
    """Return a token as a tokenizer.json spells it: with printable characters for bytes."""
    return shared.print_token(token) if isinstance(token, bytes) else str(token)


def write_cuts(scheme: PublishedScheme) -> list[dict]:
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
    """Return a pre-tokenizer for Hugging Face's engine that finds the same words as a pattern.

    Raises ValueError if the pattern means something else there.
    """
    if pattern in NAMED_CUTS:
        return {"type": NAMED_CUTS[pattern]}
    if pattern == NO_WHITE_SPACE:
        inner = f"[^{PYTHON_SPACE}]+"  # Python counts four more characters as white space
        return {"type": "Split", "pattern": {"Regex": inner}, "behavior": "Removed", "invert": True}
    row = schemes.row_with_pattern(pattern)
    inner = schemes.in_oniguruma(row) if row else schemes.completed(pattern)
    # Python's own engine has a different definition of white space.
    is_alike = not row or (row.units is bytes and schemes.PORTABLE.fullmatch(pattern))
    if not inner and not is_alike:
        what = f"{name_scheme(scheme)} cannot be carried over"
        raise ValueError(f"{what}: its pattern means something else there")
    if not row:
        schemes.check_portable(inner or schemes.left_out(pattern) or pattern)
    outer = schemes.left_out(pattern)
    # Without an inner pattern, the words are only the matches, or only the texts between them.
    how = {"behavior": "Isolated" if inner else "Removed", "invert": not inner and not outer}
    return {"type": "Split", "pattern": {"Regex": inner or outer or pattern}} | how


def decoders(scheme: PublishedScheme, byte_fallback: bool) -> list[dict]:
    """Return the decoders that turn the tokens of a scheme into a text, as our `decode` does."""
    if scheme.units is bytes:
        return [IN_BYTES]
    steps = []
    if scheme.marker and not scheme.space:
        return [{"type": "BPEDecoder", "suffix": str(scheme.marker)}]
    if scheme.marker:
        steps += write_steps([("ReplaceAll", f"{re.escape(scheme.marker)}$", "")])
    if scheme.space:
        steps += write_steps([("Replace", scheme.space, " ")])  # this step is also a decoder
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

    Special and added tokens keep their spelling. Raises ValueError if tokens can't be told apart in
    this table.
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
