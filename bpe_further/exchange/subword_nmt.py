"""subword-nmt: read and write codes files, the first files that held the merges of a BPE for words.

A codes file holds merges and nothing else: no alphabet, no ids, no special tokens. There are two
versions (https://github.com/rsennrich/subword-nmt). In version 0.1 the end of a word is a separate
symbol </w> (scheme ``end_of_word``). In version 0.2 the last character carries the </w> (scheme
``last_character``).

GPT-1's merges are a file of version 0.2; `from_huggingface` reads them with GPT-1's ids.
"""

import os
import re
from collections.abc import Collection, Iterable, Iterator

from bpe_further.exchange.kinds import BOTH, OTHERWISE, check_path, read_file, read_lines
from bpe_further.exchange.published import (
    OTHERS_HOLD,
    OUR_FILE,
    PublishedTokenizer,
    name_scheme,
)
from bpe_further.exchange.shared import OnIds, raise_faults, require
from bpe_further.exchange.spelling import is_first_symbol
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.files import errors_name, write_whole
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import SCHEMES, Scheme, as_texts, check_text
from bpe_teach.symbols import WordEnd

SCHEME_OF_VERSION = {"0.1": "end_of_word", "0.2": "last_character"}
VERSION_OF_SCHEME = {name: version for version, name in SCHEME_OF_VERSION.items()}
VERSION_LINE = "#version: "
NEWER = f"{VERSION_LINE}0.2"
COUNTED = re.compile(r"([^ ]+ [^ ]+) [0-9]+")  # a line of fastBPE, which splits at spaces only
MARKER = "</w>"


def from_subword_nmt(
    codes: str | os.PathLike[str],
    characters: str | Iterable[str] = "",
    *,
    special_tokens: Collection[str] = (),
    unk_token: str | None = None,
) -> PublishedTokenizer:
    r"""Read the codes file of subword-nmt, version 0.1 or 0.2, into a `Tokenizer`.

    A file whose first line names no version is of version 0.1. The alphabet is made of the
    characters of the merges and of ``characters``, which may be one whole text or several.
    subword-nmt leaves a character that is in no merge as it is. But a tokenizer needs an id for it,
    so `Tokenizer.encode` raises ValueError at such a character, or gives the id of ``unk_token``.
    (If such a character ends a word in version 0.2, the end of the word is also lost.)

    The tokens are the same as those of ``apply_bpe``, which writes @@ after each token that does
    not end its word, with two exceptions, named in ``notes``. Here any white space ends a word,
    while ``apply_bpe`` ends words only at spaces and line ends. And in version 0.1 a </w> that is
    merged with nothing is a token here, so that decoding knows where words end, while ``apply_bpe``
    leaves it out: here a text may have more tokens.

    Codes of fastBPE, whose lines also have a count, are read as version 0.2. To learn the same
    merges as ``learn_bpe``, train with ``tie_break="greatest"``.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "codes")
    >>> _ = path.write_text("#version: 0.2\nl o\nlo w</w>\n")
    >>> from_subword_nmt(path, characters="slower").tokens("low slower")
    [WordEnd('low</w>'), 's', 'lo', 'w', 'e', WordEnd('r</w>')]

    Raises ValueError, with all faults, if a line is not a merge of symbols that are made before it.
    Also raises ValueError for GPT-2's merges, whose file begins with the same line.
    """
    check_path(codes, "the path of a codes file")
    known = set()  # the characters that are given
    for text in as_texts(characters):
        check_text(text)
        known.update(*text.split())
    with errors_name(codes):
        scheme, merges = _read_codes(read_file(codes))
    for merge in merges:
        for part in merge.pair:
            known.update(part.removesuffix(MARKER) if isinstance(part, WordEnd) else part)
    alphabet = scheme.alphabet([*map(scheme.symbols, known)])
    tok = PublishedTokenizer(scheme, alphabet, merges, special_tokens, unk_token=unk_token)
    what = "any white space ends a word; apply_bpe keeps all but spaces and line ends"
    tok.notes.append(OnIds(what))
    if not scheme.marks_last:
        what = f"a {MARKER} that is merged with nothing is a token; apply_bpe doesn't write it"
        tok.notes.append(OnIds(f"{what}, so its tokens may be fewer"))
    if unk_token is None:
        tok.notes.append("other characters than those of the merges: give them as characters=…")
    return tok


def _read_codes(content: bytes) -> tuple[Scheme, list[Merge]]:
    """Return the scheme and the merges of a codes file.

    Raises ValueError that lists all lines that are not merges.
    """
    lines = read_lines(content.rstrip(b"\r\n"))
    of_opennmt = f"it is of OpenNMT's Tokenizer, which marks words in its own way; {OTHERWISE}"
    require(not lines[0].startswith("v3;"), of_opennmt)
    version = "0.1"
    first = 1  # the number of the line with the first merge
    unsure = f"; line 1 gives no version, so {version} is assumed: for 0.2, put {NEWER!r} first"
    faults = []
    if lines[0].startswith(VERSION_LINE.strip()):
        version = lines.pop(0).removeprefix(VERSION_LINE.strip()).strip()
        first = 2
        unsure = "; is the version in line 1 right?"
    else:
        counted = [COUNTED.fullmatch(line) for line in lines]
        if 2 * counted.count(None) < len(lines):  # a file of fastBPE, which knows only version 0.2
            for number, line in enumerate(lines, 1):
                if not counted[number - 1]:
                    what = "is not a merge with its count: two symbols and a number, spaces between"
                    faults.append(f"line {number}: {line!r:.80} {what}")
            raise_faults(faults)
            lines = [found.group(1) for found in counted]
            version = "0.2"
            unsure = ""
    is_theirs = "huggingface" in version
    require(not is_theirs, f"it is a merges.txt of Hugging Face, without ids: {BOTH}")
    if version not in SCHEME_OF_VERSION:
        raise ValueError(f"line 1: the version {version!r:.80} is neither 0.1 nor 0.2")
    require(any(lines), "there is no merge in it")
    scheme = SCHEMES[SCHEME_OF_VERSION[version]]
    is_printed = MARKER.encode() not in content and "Ġ".encode() in content
    require(not is_printed, "it has merges of printable bytes, like GPT-2's: use from_huggingface")
    pairs = {}  # number of a line -> the two symbols in it
    for number, line in enumerate(lines, first):
        pairs[number] = line.strip(" ").split(" ")
        if len(pairs[number]) != 2 or not all(pairs[number]):
            what = "is not a merge, which is two symbols with a space between them"
            faults.append(f"line {number}: {line!r:.80} {what}")
    raise_faults(faults)
    merges = []
    made = set()
    for number, (left, right) in pairs.items():
        merge = Merge(left, WordEnd(right) if right.endswith(MARKER) else right, 0)
        for part in merge.pair:
            if part not in made and not is_first_symbol(part, scheme):
                advice = unsure if isinstance(part, WordEnd) else ""
                faults.append(f"line {number}: no earlier line makes {str(part)!r:.80}{advice}")
        faults += [f"line {number}: {fault}" for fault in _token_faults(merge, made)]
        made.add(merge.token)
        merges.append(merge)
    raise_faults(faults)
    return scheme, merges


def _token_faults(merge: Merge, made: set[Symbol]) -> Iterator[str]:
    """Yield a fault unless a merge makes a new symbol that isn't spelled like another symbol."""
    token = merge.token
    if token in made:
        yield f"an earlier merge makes {str(token)!r:.80}"
    for symbol in (merge.left, token):
        if symbol.endswith(MARKER) and not isinstance(symbol, WordEnd):
            yield f"{symbol!r:.80} does not end a word, though it is spelled as if it did"
            break


def to_subword_nmt(tok: Tokenizer, path: str | os.PathLike[str]) -> None:
    r"""Write the merges of a tokenizer to a codes file, which ``subword-nmt apply-bpe`` reads.

    The file has version 0.1 for the scheme ``end_of_word`` and 0.2 for ``last_character``. It
    cannot hold ids, special tokens or the alphabet.

    >>> import pathlib, tempfile
    >>> tok = Tokenizer.train("low low", scheme="last_character", num_merges=2)
    >>> path = pathlib.Path(tempfile.mkdtemp(), "codes")
    >>> to_subword_nmt(tok, path)
    >>> path.read_text()
    '#version: 0.2\nl o\nlo w</w>\n'

    Raises ValueError, with all reasons, for other schemes, and for merges that a codes file cannot
    express.
    """
    check_path(path, "the path of the file to write")
    tok = PublishedTokenizer.of(tok)
    name = tok.scheme.name
    if name not in VERSION_OF_SCHEME or tok.scheme != SCHEMES[name]:
        can = " and ".join(VERSION_OF_SCHEME)
        hold = OTHERS_HOLD if tok.scheme.units is bytes else OUR_FILE
        raise ValueError(f"{name_scheme(tok.scheme)} cannot be carried over; {can} can; {hold}")
    require(tok.merges, "the tokenizer has no merges, and subword-nmt reads no file without them")
    names = list(tok.added_tokens)
    none = "subword-nmt has no tokens recognized in every text"
    require(not names, f"{none}: {names!r:.80}; {OUR_FILE}")
    raise_faults(f"{fault}; {OUR_FILE}" for fault in _writing_faults(tok.merges))
    lines = [VERSION_LINE + VERSION_OF_SCHEME[name]]
    lines += [f"{merge.left} {merge.right}" for merge in tok.merges]
    write_whole(path, "".join(f"{line}\n" for line in lines).encode("utf-8"))


def _writing_faults(merges: list[Merge]) -> Iterator[str]:
    """Yield a fault for each merge that no line can express or that would be misread."""
    made = set()
    for rank, merge in enumerate(merges):
        if isinstance(merge.left, WordEnd):
            yield f"merge {rank} continues after {str(merge.left)!r:.80}, which ends a word"
        if any(sign in merge.token for sign in " \r\n"):
            yield f"merge {rank} has a space or the end of a line in {str(merge.token)!r:.80}"
        for fault in _token_faults(merge, made):
            yield f"merge {rank}: {fault}"
        made.add(merge.token)
