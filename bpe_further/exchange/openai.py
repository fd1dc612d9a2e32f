"""OpenAI: read GPT-2's two files; read and write the ranks of tiktoken.

A .tiktoken file holds tokens and ranks but no merges; `from_tiktoken` finds the merges again.
"""

import binascii
import os
from collections.abc import Iterator, Mapping
from hashlib import sha256
from itertools import chain, pairwise
from operator import itemgetter
from typing import TYPE_CHECKING

from bpe_further.exchange import kinds, schemes, shared
from bpe_further.exchange.check import check_against
from bpe_further.exchange.file import FLAGS
from bpe_further.exchange.huggingface import from_huggingface
from bpe_further.exchange.published import PublishedTokenizer, ordinary_ids
from bpe_further.exchange.schemes import PublishedScheme
from bpe_further.exchange.shared import raise_faults, require
from bpe_teach.corpora import CORPORA, corpus_path
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.files import errors_name, write_whole
from bpe_teach.learn import Merge
from bpe_teach.schemes import SCHEMES, Scheme, find_scheme
from bpe_teach.storage import field

if TYPE_CHECKING:
    import tiktoken

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
OLDER = shared.KNOWN["complete"]["as cl100k, but line ends cut from white space after"]
LLAMA3 = PublishedScheme("llama3", "much as cl100k", OLDER, bytes)
PUBLISHED = {}  # SHA-256 of the lines of a file of ranks -> its scheme and special tokens
for _row in shared.KNOWN["ranks"]:
    _digest = _row.get("sha256") or CORPORA[_row["corpus"]].sha256
    _scheme = LLAMA3 if _row["scheme"] == "llama3" else SCHEMES[_row["scheme"]]
    PUBLISHED[_digest] = (_scheme, _row["special_tokens"])
MAX_SQUARES = 150_000_000  # sum of (bytes of a token) squared: what finding merges may cost
NO_RANK = float("inf")


def from_gpt2() -> PublishedTokenizer:
    """Return GPT-2's tokenizer, with GPT-2's own ids. Its two files are downloaded once.

    ``from_gpt2().encode("low lower")`` is ``[9319, 2793]``.
    """
    return from_huggingface(corpus_path("gpt2_vocab"), corpus_path("gpt2_merges"))


def from_tiktoken(
    ranks: Mapping[bytes, int] | str | os.PathLike[str],
    scheme: str | Scheme | None = None,
    special_tokens: Mapping[str, int] | None = None,
    *,
    check: bool = False,
) -> PublishedTokenizer:
    """Turn a vocabulary of tiktoken, tokens with ranks but no merges, into a `Tokenizer`.

    ``ranks`` maps tokens to ranks, or is the path of a file: a .tiktoken file, in which each line
    holds a token in base64, a space and its rank (Llama 3's tokenizer.model is one), or Mistral's
    tekken.json. The rank of a token is its id; there may be gaps. A tekken.json says how to split a
    text, and the schemes of OpenAI's files and of Llama 3 are known; else give ``scheme``.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"ow": 256, b"low": 257}
    >>> [merge.pair for merge in from_tiktoken(ranks, "gpt2").merges]
    [(b'o', b'w'), (b'l', b'ow')]

    Ranks are enough if they come from training, as notebook 08d explains. Other tokens are found
    only as whole words, because tiktoken looks up whole words first: then ``whole_words`` is true,
    and ``notes`` says how many there are. ``check`` compares as in `from_huggingface`.

    >>> tok = from_tiktoken(ranks | {b"slower": 258}, "gpt2")
    >>> tok.encode("slower"), tok.encode("slowers")
    ([258], [115, 257, 101, 114, 115])

    Raises ValueError that says what the file is, if it is of another kind; that lists all lines of
    another form and all ranks shared by two tokens; for a pattern that tiktoken reads differently;
    and for tokens so long that finding their merges would take minutes.
    """
    where, names = "ranks", {}
    if not isinstance(ranks, Mapping):
        where = ranks
        wanted = "tokens with ranks (an Encoding has them in _mergeable_ranks) or a path"
        kinds.check_path(ranks, wanted)
        with errors_name(where):
            ranks, *known = _read_ranks_file(kinds.read_file(ranks))
            if scheme is None:
                scheme, names = known
                advice = "give a scheme: from_tiktoken(path, 'gpt2'), in a shell --scheme gpt2"
                require(scheme, f"it does not say how a text is split: {advice}")
    require(scheme is not None, "give a scheme, such as 'gpt2'")
    scheme = schemes.as_published(find_scheme(scheme))
    fault = f"scheme {scheme.name!r} is not of bytes; take one that is, as 'gpt2'"
    require(scheme.units is bytes, fault)
    schemes.check_portable(scheme.pattern)
    with errors_name(where):
        raise_faults(shared.id_faults(ranks, bytes))
        merges, unmerged = recover_merges(ranks)
    with errors_name("special_tokens"):
        names = names if special_tokens is None else special_tokens
        is_table = isinstance(names, Mapping)
        require(is_table, f"give names with their ids, not {type(names).__name__}")
        options = {"ids": ranks, "whole_words": bool(unmerged)}
        tok = PublishedTokenizer(scheme, None, merges, names, **options)
    if unmerged:
        some = ", ".join(f"{token!r:.40}" for token in unmerged[:3])
        number = f"{len(unmerged):,} of the tokens"
        what = f"no merge makes {number}, so they are found only as whole words: {some}"
        tok.notes.append(what)
    if check:
        with errors_name(where):
            check_against(tok, _encoding(scheme, ranks, tok.special_tokens))
    return tok


def _read_ranks_file(content: bytes) -> tuple[dict, Scheme | None, dict[str, int]]:
    """Return the ranks in a file, and its scheme and special tokens, if these are known."""
    if content[:100].removeprefix(BYTE_ORDER_MARK).lstrip().startswith(b"{"):
        return _read_tekken(kinds.read_json(content))
    what = kinds.name_file(content)
    require(not what or what.endswith(kinds.IS_RANKS), what)
    lines = b"\n".join(content.removeprefix(BYTE_ORDER_MARK).splitlines()) + b"\n"
    return read_ranks(lines), *PUBLISHED.get(sha256(lines).hexdigest(), (None, {}))


def _read_tekken(data) -> tuple[dict[bytes, int], Scheme, dict[str, int]]:
    """Return the ids in a tekken.json: first those of special tokens, then the ranks."""
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
    about = "as the pattern in a tekken.json says"
    scheme = PublishedScheme("tekken", about, field(config, "pattern", str), bytes)
    return ranks, scheme, names


def read_ranks(content: bytes) -> dict[bytes, int]:
    """Read lines of tiktoken: a token in base64, a space, its rank. All other lines are faults."""
    lines = content.splitlines()
    most = shared.MAX_TOKENS
    require(len(lines) <= most, f"it has {len(lines):,} lines, more than {most:,}")
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

    Its ``encode_ordinary(text)`` is ``tok.encode(text)``, and ``allowed_special`` means the same.

    >>> to_tiktoken(Tokenizer.train("low", scheme="words", num_merges=0))
    Traceback (most recent call last):
    ValueError: scheme 'words' cannot be carried over; those of bytes can

    Raises ValueError for schemes of characters, for added tokens and anything else that tiktoken
    can't do, for merges that ranks alone cannot express, and for a special token that begins with
    another one, because tiktoken may take either.
    """
    ranks = _find_ranks(tok)
    return _encoding(tok.scheme, ranks, tok.special_tokens)


def _encoding(scheme: Scheme, ranks: Mapping[bytes, int], special_tokens: Mapping[str, int]):
    """Return an Encoding of tiktoken; ValueError if the library is missing."""
    return shared.import_library("tiktoken").Encoding(
        scheme.name,
        pat_str=scheme.pattern or r"(?s:.+)",
        mergeable_ranks=dict(ranks),
        special_tokens=dict(special_tokens),
    )


def write_ranks(tok: Tokenizer, path: str | os.PathLike[str]) -> None:
    """Write a .tiktoken file, without special tokens and pattern; errors as in `to_tiktoken`."""
    ranks = sorted(_find_ranks(tok).items(), key=itemgetter(1))
    lines = (binascii.b2a_base64(token, newline=False) + b" %d\n" % rank for token, rank in ranks)
    write_whole(path, b"".join(lines))


def _find_ranks(tok: Tokenizer) -> dict[bytes, int]:
    """Return the ranks of a tokenizer; ValueError for what tiktoken can't do."""
    tok = PublishedTokenizer.of(tok)
    is_plain = tok.scheme.units is bytes and tok.scheme.prepare is None
    require(is_plain, f"scheme {tok.scheme.name!r} cannot be carried over; those of bytes can")
    ranks = ordinary_ids(tok)
    schemes.check_portable(tok.scheme.pattern)
    raise_faults(chain(_out_faults(tok), _merge_faults(tok)))
    return ranks


def _out_faults(tok: PublishedTokenizer) -> Iterator[str]:
    """Yield a fault for everything that tiktoken does not do to a text, or does differently."""
    scheme = schemes.published_scheme(tok.scheme)
    does_not_have = {
        "sign at the end of a word": str(scheme.marker),
        "token for unseen characters": tok.unk_token,
        "prefix": scheme.prefix,
        "normalization": list(scheme.normalizations),
        "tokens added for every text": list(tok.added_tokens),
        **{flag: getattr(tok, flag) for flag in FLAGS},
    }
    for what, ours in does_not_have.items():
        if ours:
            yield f"tiktoken has no {what}, which is {ours!r:.80} here"
    if scheme.cuts:
        yield "tiktoken splits a text in one step, this scheme in several"
    for one, two in pairwise(sorted(tok.special_tokens)):
        if two.startswith(one):  # tiktoken may take either
            yield f"special token {two!r} begins with special token {one!r}"


def _merge_faults(tok: PublishedTokenizer) -> Iterator[str]:
    """Yield a fault for each merge that does not follow from the ranks, and for whole words."""
    merges, unmerged = recover_merges(tok.ids)
    if unmerged and not tok.whole_words:
        yield f"tiktoken takes whole words that no merge makes, such as {unmerged[0]!r:.80}"
    expected = {merge.token: merge.pair for merge in merges}
    for merge in tok.merges:
        pair = expected.get(merge.token)
        if merge.pair != pair:
            yield f"{merge.token!r:.80} is made of {merge.pair}; by ranks it would be {pair}"
    for before, after in pairwise(tok.ids[merge.token] for merge in tok.merges):
        if before > after:
            yield f"the merge of token {after} comes after that of token {before}; ids are ranks"


# the merges behind the ranks


def recover_merges(ranks: Mapping[bytes, int]) -> tuple[list[Merge], list[bytes]]:
    """Find the merges behind ranks, and the longer tokens that no merge makes.

    >>> ranks = {b"l": 0, b"o": 1, b"w": 2, b"ow": 3, b"low": 4, b"slower": 5}
    >>> merges, unmerged = recover_merges(ranks)
    >>> [merge.pair for merge in merges], unmerged
    ([(b'o', b'w'), (b'l', b'ow')], [b'slower'])

    Raises ValueError, with all faults, if there are no single bytes, or if this would take minutes.
    """
    tokens = sorted(ranks, key=ranks.get)
    require(any(len(token) == 1 for token in tokens), "none of its tokens is a single byte")
    squares = sum(len(token) ** 2 for token in tokens)
    if squares > MAX_SQUARES:
        longest = max(tokens, key=len)
        raise ValueError(
            f"token {longest[:20]!r}… has {len(longest):,} bytes: with such tokens the squares of "
            f"all lengths come to {squares:,}, more than {MAX_SQUARES:,}"
        )
    merges = []
    unmerged = []
    faults = []
    for token in tokens:
        if len(token) < 2:
            continue  # a byte, or Whisper's empty token
        pair = find_merge(token, ranks)
        if pair is None:
            unmerged.append(token)
            continue
        merges.append(Merge(*pair, 0))
        for part in pair:
            if part not in ranks:  # tiktoken needs none for a single byte
                faults.append(f"token {token!r:.80} is merged from {part!r}, which has no rank")
    raise_faults(faults)
    return merges, unmerged


def find_merge(token: bytes, ranks: Mapping[bytes, int]) -> tuple[bytes, bytes] | None:
    """Encode a token by rank and return its last two parts; None if no merge makes it."""
    parts = [token[i : i + 1] for i in range(len(token))]
    rank_of = [ranks.get(left + right, NO_RANK) for left, right in pairwise(parts)]
    while len(parts) > 2:  # merges of higher rank take part as well, as in tiktoken
        lowest = min(rank_of)
        if lowest == NO_RANK:
            return None
        i = rank_of.index(lowest)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
        del rank_of[i]
        # Only the pairs on both sides of the merged part are new.
        if i > 0:
            rank_of[i - 1] = ranks.get(parts[i - 1] + parts[i], NO_RANK)
        if i < len(rank_of):
            rank_of[i] = ranks.get(parts[i] + parts[i + 1], NO_RANK)
    return tuple(parts) if len(parts) == 2 else None
