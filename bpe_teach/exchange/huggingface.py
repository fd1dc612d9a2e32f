"""Hugging Face: a byte-level BPE comes in from a tokenizer.json, and ours go out to one.

A tokenizer.json can do much that a `Tokenizer` does not. Each check below looks at one such thing;
to carry more over, teach the one check what else is welcome.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from bpe_teach.exchange.published import WHITE_SPACE, PublishedTokenizer
from bpe_teach.exchange.schemes import PublishedScheme, published_scheme, row_with_pattern
from bpe_teach.exchange.shared import (
    BYTE_OF,
    MAX_ID,
    check_path,
    id_faults,
    import_library,
    never_in_utf8,
    ordinary_ids,
    pattern_faults,
    print_token,
    raise_faults,
    read_file,
    read_json,
    read_merge,
    read_token,
    require,
    size_faults,
    spelling_faults,
)
from bpe_teach.fast.files import errors_name
from bpe_teach.learn import Merge
from bpe_teach.schemes import SCHEMES, Scheme
from bpe_teach.storage import field
from bpe_teach.tokenizer import Tokenizer

__all__ = ["from_huggingface", "to_huggingface"]

SPELLINGS = {scheme.oniguruma: scheme for scheme in SCHEMES.values() if scheme.oniguruma}
SPELLINGS |= {
    # two more ways to write the cuts of GPT-2: as in its first code, and as in tiktoken
    spelling: SCHEMES["gpt2"]
    for spelling in (
        r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
    )
}
# Many take cl100k's cuts in an older form, which leaves white space at the end of a text in other
# pieces; \p{N} stands in several ways for digits, by three, by two or one by one.
OLDER = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|DIGITS| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
COMPLETE = {  # patterns that find words in every part of a text, so that nothing lies between
    OLDER.replace("DIGITS", r"\p{N}{1,3}"): "as cl100k, but line ends cut from white space after",
    (
        r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}| ?[^\s\p{L}\p{N}]++[\r\n]*"
        r"|\s*[\r\n]|\s+(?!\S)|\s+"
    ): "as cl100k, but digits by two",
    OLDER.replace("DIGITS", r"\p{N}"): "as cl100k, but each digit by itself",
}

AROUND = ["ByteLevel", "RobertaProcessing", "BertProcessing", "TemplateProcessing", "Sequence"]
NOTES = {  # field -> what it does to the ids, but not to those of the text
    "truncation": "cuts long texts off",
    "padding": "fills short texts up",
    "post_processor": "puts special tokens around a text",
}
UNSUPPORTED_IN_MODEL = {
    "dropout": "leaves merges out at random",
    "continuing_subword_prefix": "marks what does not begin a word",
    "end_of_word_suffix": "marks what ends a word",
}
ONLY_WITHOUT_BYTES = {  # these never do anything where all bytes have ids
    "unk_token": "stands for what has no id",
    "byte_fallback": "spells what has no id in bytes",
}
LONGEST_NAME = 100  # characters; of longer ones it is not asked whether they could be a word
MERGES_A_TOKEN = 2  # some list a merge for each way to cut a token
FLAGS = ("rstrip", "single_word")


def from_huggingface(source) -> Tokenizer:
    """Read a byte-level BPE of Hugging Face, a tokenizer.json or a `tokenizers.Tokenizer`.

    Its ids are kept, whatever they are. Hugging Face recognises special tokens in every text; here
    that is ``allowed_special="all"``. Added tokens that are not special are recognised in every
    text here, too. Both kinds take the white space before them if they have ``lstrip``. What
    changes no id of a text is left out, and ``notes`` says so: that special tokens are put around
    it, or that it is cut off or filled up.

    >>> import json, pathlib, tempfile
    >>> from bpe_teach.exchange.shared import printable_bytes
    >>> vocab = {character: i for i, character in enumerate(printable_bytes().values())}
    >>> data = {
    ...     "added_tokens": [],
    ...     "truncation": {"max_length": 512},
    ...     "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
    ...     "model": {"vocab": vocab | {"lo": 300}, "merges": ["l o"]},
    ... }
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tokenizer.json")
    >>> _ = path.write_text(json.dumps(data), "utf-8")
    >>> tok = from_huggingface(path)
    >>> tok.tokens("low"), tok.ids[b"lo"], tok.notes
    ([b'lo', b'w'], 300, ['truncation cuts long texts off: left out'])

    Bytes without an id, which Hugging Face leaves out of a text, are an error in `encode`. NFC is
    that of Python's Unicode version; marks newer than the other library's can come in other order.

    Raises ValueError that lists all that a `Tokenizer` does not do: WordPiece and Unigram, lower
    case, tokens that swallow the space behind them, patterns that engines read in different ways, …
    """
    if hasattr(source, "to_str"):
        with errors_name("tokenizer"):
            return _read_tokenizer(source.to_str().encode("utf-8"))
    check_path(source, "the path of a tokenizer.json, or a tokenizers.Tokenizer")
    with errors_name(source):
        return _read_tokenizer(read_file(source))


def _read_tokenizer(content: bytes) -> Tokenizer:
    """Make a tokenizer of what a tokenizer.json says.

    Whether the ids fit together is looked at only once all that has an id can be read. Faults that
    many tokens may share come late, to leave the others room among those that are shown.
    """
    data = read_json(content)
    require(isinstance(data, dict), "it is not a JSON object")
    raise_faults(_size_faults(data))
    raise_faults(_run(CHECKS, data))

    model = data["model"]
    merges = [read_merge(merge) for merge in model["merges"]]
    whole_words = bool(model.get("ignore_merges"))
    special, added = {}, {}
    lstrip = []
    for _, name, token in _added_tokens(data):
        if token.get("lstrip"):
            lstrip.append(name)
        names = special if token["special"] else added
        names[name] = token["id"]
    scheme = find_scheme_of(data)
    used = set(BYTE_OF)  # what is a token by its bytes, even if it is added, too
    used.update(print_token(merge.token) for merge in merges)
    if whole_words:
        for name in (*special, *added):
            if len(name) <= LONGEST_NAME and list(scheme.split(name)) == [name]:
                used.add(name)
    ids = {}  # token -> id, in order
    for printed, i in sorted(model["vocab"].items(), key=lambda item: item[1]):
        if printed in used or not (printed in special or printed in added):
            ids[_read_printed(printed)] = i
    raise_faults(_merge_id_faults(ids, merges))
    alphabet = [token for token in ids if len(token) == 1]
    tok = PublishedTokenizer(
        scheme,
        alphabet,
        merges,
        special,
        ids=ids,
        added_tokens=added,
        lstrip=lstrip,
        whole_words=whole_words,
    )
    for name, what in NOTES.items():
        if data.get(name) and data[name].get("type") != "ByteLevel":
            tok.notes.append(f"{name} {what}: left out")
    return tok


def _read_printed(printed: str) -> bytes:
    """Read a token of the vocabulary, which may be empty."""
    return read_token(printed) if printed else b""


def _merge_id_faults(ids: Mapping[bytes, int], merges: list[Merge]) -> Iterator[str]:
    """Check that what is merged, and what that makes, has an id, and no pair is there twice."""
    known = set()
    for number, merge in enumerate(merges):
        for token in (*merge.pair, merge.token):
            if token not in ids:
                yield f"merge {number}: token {print_token(token)!r:.80} has no id"
        if merge.pair in known:
            yield f"merge {number}: {merge.pair!r:.80} is there twice"
        known.add(merge.pair)


def _run(checks: list, data: dict) -> Iterator[str]:
    """Yield the faults that checks yield, or raise where a part is missing."""
    for check in checks:
        try:
            yield from check(data)
        except ValueError as fault:
            yield str(fault)


def _size_faults(data: dict) -> Iterator[str]:
    """Check that no part has very many entries."""
    model = data.get("model")
    if not isinstance(model, dict):
        model = {}
    parts = {
        "tokens": (model.get("vocab"), 1),
        "merges": (model.get("merges"), MERGES_A_TOKEN),
        "added tokens": (data.get("added_tokens"), 1),
    }
    for name, (part, times) in parts.items():
        if isinstance(part, list | dict):
            yield from size_faults({name: part}, times)


# what it does


def _text_faults(data: dict) -> Iterator[str]:
    """Check that a text is at most normalized, and that other blocks leave its ids alone."""
    if _read_normalizer(data.get("normalizer")) is None:
        fault = "changes the text first, in a way that a Tokenizer does not do"
        yield f"normalizer {fault}: {data['normalizer']!r:.400}"
    for name, what in NOTES.items():
        part = data.get(name)
        if part and not isinstance(part, dict):
            yield f"{name} {what}, and is not an object: {part!r:.80}"


def _read_normalizer(normalizer) -> str | None:
    """Return the normalization a normalizer does: "" or "NFC"; None for any other.

    >>> _read_normalizer(None), _read_normalizer({"type": "NFC"}), _read_normalizer({"type": "NFD"})
    ('', 'NFC', None)
    """
    if not normalizer:
        return ""
    if not isinstance(normalizer, dict):
        return None
    if normalizer.get("type") == "Sequence":
        steps = normalizer.get("normalizers")
        if not isinstance(steps, list):
            return None
        done = {_read_normalizer(step) for step in steps}
        return None if None in done else max(done, default="")
    return "NFC" if normalizer.get("type") == "NFC" else None


def _model_faults(data: dict) -> Iterator[str]:
    """Check that the model is BPE and has no habits of its own."""
    model = field(data, "model", dict)
    kind = model.get("type", "BPE")
    if kind != "BPE":
        yield f"its model is not BPE: {kind!r:.80}"
    for name, what in UNSUPPORTED_IN_MODEL.items():
        if model.get(name):
            yield f"{name} {what}, which a Tokenizer does not do: {model[name]!r:.80}"
    if model.get("ignore_merges") and model["ignore_merges"] is not True:
        yield f"ignore_merges is {model['ignore_merges']!r:.80}, neither true nor false"
    vocab = model.get("vocab")
    if isinstance(vocab, dict):
        missing = {byte for printed, byte in BYTE_OF.items() if printed not in vocab}
        if missing - never_in_utf8():
            for name, what in ONLY_WITHOUT_BYTES.items():
                if model.get(name):
                    number = f"{len(missing)} of the 256 bytes have none"
                    yield f"{name} {what}, and {number}: {model[name]!r:.80}"


def _around_faults(data: dict) -> Iterator[str]:
    """Check that tokens are decoded as bytes, and at most something is put around them."""
    decoder = data.get("decoder")
    if decoder and (not isinstance(decoder, dict) or decoder.get("type") != "ByteLevel"):
        yield f"decoder is not ByteLevel: {decoder!r:.80}"
    around = data.get("post_processor")
    if isinstance(around, dict) and around and around.get("type") not in AROUND:
        yield f"post_processor is none of {', '.join(AROUND)}: {around!r:.80}"


def _split_faults(data: dict) -> Iterator[str]:
    """Check that a scheme cuts the text alike."""
    pre_tokenizer = field(data, "pre_tokenizer", dict)
    scheme = find_split(pre_tokenizer)
    if scheme is None:
        yield f"no scheme cuts like its pre_tokenizer: {pre_tokenizer!r:.400}"
    elif not scheme.source:
        faults = list(pattern_faults(scheme))
        yield from faults or pattern_faults(_fill_gaps(scheme))


def find_scheme_of(data: dict) -> Scheme:
    """Return the scheme that does what a tokenizer.json does to a text, which has been checked."""
    scheme = _fill_gaps(find_split(data["pre_tokenizer"]))
    normalization = _read_normalizer(data.get("normalizer"))
    if normalization:
        name, about = f"{scheme.name}_{normalization.lower()}", f"{normalization}, {scheme.about}"
        loses = "what NFC makes one" if scheme.lossless else scheme.loses
        changes = {"name": name, "about": about, "loses": loses, "normalizations": ("NFC",)}
        scheme = published_scheme(scheme, **changes)
    return scheme


def find_split(pre_tokenizer: dict) -> Scheme | None:
    """Return the scheme that cuts as a pre-tokenizer of Hugging Face does, if there is one.

    >>> find_split({"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}).name
    'gpt2'
    >>> find_split({"type": "Whitespace"})
    """
    steps = [pre_tokenizer]
    if pre_tokenizer.get("type") == "Sequence":
        steps = pre_tokenizer.get("pretokenizers")
    if not isinstance(steps, list) or len(steps) not in (1, 2):
        return None
    *first, last = steps
    if not isinstance(last, dict) or last.get("type") != "ByteLevel":
        return None
    prefixes, cuts = last.get("add_prefix_space"), last.get("use_regex", True)
    if type(prefixes) is not bool or type(cuts) is not bool or set(last) - BYTE_LEVEL:
        return None
    if first:
        return None if prefixes or cuts else _find_pattern(first[0])
    scheme = SCHEMES["gpt2" if cuts else "bytes"]
    if prefixes:
        about = f"{scheme.about}, with a space before the text"
        loses = "whether a text begins with a space"
        name = f"{scheme.name}_prefixed"
        scheme = published_scheme(scheme, name=name, about=about, prefix=" ", loses=loses)
    return scheme


BYTE_LEVEL = {"type", "add_prefix_space", "trim_offsets", "use_regex"}  # the fields it may have


def _find_pattern(split) -> Scheme | None:
    """Return the scheme that cuts as a Split does; one with a new pattern has no source."""
    if not isinstance(split, dict) or set(split) != {"type", "pattern", "behavior", "invert"}:
        return None
    pattern = split["pattern"]
    if not isinstance(pattern, dict) or list(pattern) != ["Regex"] or split["type"] != "Split":
        return None
    pattern = pattern["Regex"]
    how = (split["behavior"], split["invert"])
    if not isinstance(pattern, str) or how not in (("Isolated", False), ("Removed", True)):
        return None
    if type(split["invert"]) is not bool:
        return None
    if pattern in SPELLINGS:
        return SPELLINGS[pattern]
    if row_with_pattern(pattern):
        return None  # Oniguruma reads cl100k's as it was published in another way
    scheme = Scheme("own", "as its pattern says", pattern, bytes)
    if pattern in COMPLETE:
        return replace(scheme, about=COMPLETE[pattern])
    if how == ("Removed", True) and not _is_complete(pattern):
        return replace(scheme, loses="what its pattern leaves out")
    return scheme


def _fill_gaps(scheme: Scheme) -> Scheme:
    """Make words of what lies between matches, too, if it is kept."""
    if scheme.name == "own" and scheme.lossless and not _is_complete(scheme.pattern):
        return replace(scheme, pattern=_complete(scheme.pattern))
    return scheme


def _complete(pattern: str) -> str:
    r"""Make words of what lies between the words of a pattern, too.

    >>> _complete("[a-z]+")
    '[a-z]+|(?:(?![a-z]+)[\\s\\S])+'
    """
    return rf"{pattern}|(?:(?!{pattern})[\s\S])+"


def _is_complete(pattern: str) -> bool:
    """Say whether a pattern is known to find words in every part of a text."""
    length = (len(pattern) - len(_complete(""))) // 2  # of the pattern that was completed, if so
    return pattern in COMPLETE or pattern == _complete(pattern[: max(length, 0)])


def _order_faults(data: dict) -> Iterator[str]:
    """Check that added tokens can all be looked for together, in a text that is not normalized.

    Those that are "normalized" are looked for later than the others, in what is left of the text
    and after it was normalized. That makes no difference if no token of one kind touches one of
    the other kind, and if normalization neither makes its characters nor takes them away.
    """
    kinds = {True: set(), False: set()}
    spaced, lstrip = [], []
    for _, name, token in _added_tokens(data):
        kinds[bool(token.get("normalized"))].add(name)
        if set(name) & set(WHITE_SPACE):
            spaced.append(name)
        if token.get("lstrip"):
            lstrip.append(name)
    if kinds[True] and kinds[False] and spaced and lstrip:
        yield f"added tokens {lstrip!r:.80} may take white space that {spaced!r:.80} have"
    if _read_normalizer(data.get("normalizer")):
        for name in sorted(kinds[True]):
            if not set(name) <= INERT:
                yield f"added token {name!r:.80} is looked for in the normalized text"
    if len("".join(kinds[True])) * len("".join(kinds[False])) > MOST_COMPARED:
        yield "it has too many added tokens that are normalized, and too many that are not"
        return
    for name in sorted(kinds[True]):
        for other in sorted(kinds[False]):
            if _touch(name, other) or _touch(other, name):
                yield f"added token {name!r:.80} is looked for after {other!r:.80}, not beside it"


MOST_COMPARED = 10_000_000  # characters of some names times those of others
# ASCII that NFC never makes of other characters (as ; of the Greek question mark) nor changes
INERT = {chr(i) for i in range(128) if not chr(i).isalpha()} - set("<=>`;")


def _touch(left: str, right: str) -> bool:
    """Say whether one name holds another one, or ends as it begins.

    >>> _touch("<|", "|>"), _touch("a<|b", "<|"), _touch("<|", "<<")
    (True, True, False)
    """
    if right in left:
        return True
    shorter = min(len(left), len(right))
    return any(left.endswith(right[:length]) for length in range(1, shorter + 1))


def _special_faults(data: dict) -> Iterator[str]:
    """Check that nothing but its text is taken for an added token."""
    for place, _, token in _added_tokens(data):
        if type(token.get("special")) is not bool:
            yield f"{place} is neither special nor not: {token.get('special')!r:.80}"
        if token.get("lstrip") and token["lstrip"] is not True:
            yield f"{place} has lstrip {token['lstrip']!r:.80}, neither true nor false"
        for name in FLAGS:
            if token.get(name):
                yield f"{place} has {name}: more than its own text decides where it is"


# what it holds


def _id_faults(data: dict) -> Iterator[str]:
    """Check that tokens can be read and have one id each."""
    vocab = field(field(data, "model", dict), "vocab", dict)
    names = {name for _, name, _ in _added_tokens(data)}
    yield from id_faults(vocab, str)
    holders = {}  # id -> token
    for printed, i in vocab.items():
        if printed not in names:
            try:
                _read_printed(printed)
            except ValueError as fault:
                yield str(fault)
        if type(i) is int and i >= 0 and holders.setdefault(i, printed) != printed:
            yield f"{holders[i]!r:.80} and {printed!r:.80} have the same id, {i}"


def _merge_faults(data: dict) -> Iterator[str]:
    """Check that merges can be read."""
    return spelling_faults(field(field(data, "model", dict), "merges", list), "merge")


def _added_tokens(data: dict) -> Iterator[tuple[str, str, dict]]:
    """Yield of each added token that has a text where it stands, the text and all that is said."""
    for number, token in enumerate(field(data, "added_tokens", list)):
        if isinstance(token, dict) and isinstance(token.get("content"), str):
            name = token["content"]
            yield f"added token {number} ({name!r:.80})", name, token


def _content_faults(data: dict) -> Iterator[str]:
    """Check that added tokens are objects with a text."""
    for number, token in enumerate(field(data, "added_tokens", list)):
        if not isinstance(token, dict) or not isinstance(token.get("content"), str):
            yield f"added token {number} has no content that is a text: {token!r:.80}"


def _added_id_faults(data: dict) -> Iterator[str]:
    """Check that added tokens have one id each, that of the vocabulary if they are in it."""
    vocab = field(field(data, "model", dict), "vocab", dict)
    known = set()
    for place, name, token in _added_tokens(data):
        i = token.get("id")
        if type(i) is not int or not 0 <= i <= MAX_ID:
            yield f"{place} has the id {i!r:.80}, not a whole number from 0 to {MAX_ID:,}"
        elif vocab.get(name, i) != i:
            yield f"{place} has the id {i!r:.80}, but {vocab[name]!r:.80} in the vocabulary"
        if name in known:
            yield f"{place} is there twice"
        known.add(name)


CHECKS = [
    _text_faults,
    _model_faults,
    _around_faults,
    _split_faults,
    _content_faults,
    _added_id_faults,
    _order_faults,
    _special_faults,
    _merge_faults,
    _id_faults,
]


# out


def to_huggingface(tok: Tokenizer):
    """Turn a tokenizer of bytes into a `tokenizers.Tokenizer`, to ``save("tokenizer.json")``.

    Its ``encode(text).ids`` is ``tok.encode(text, allowed_special="all")``.

    >>> to_huggingface(Tokenizer.train("low", scheme="chars", num_merges=0))
    Traceback (most recent call last):
    ValueError: scheme 'chars' cannot be carried over; ['bytes', 'gpt2', 'cl100k', 'o200k'] can

    Raises ValueError for schemes of characters (Hugging Face leaves out what has no id, where here
    it is an error), for patterns that its engine reads in another way, and for special tokens
    spelled like printable tokens.
    """
    tok = PublishedTokenizer.of(tok)
    scheme = published_scheme(tok.scheme)  # which tells of a prefix, too
    ids = _printable_ids(tok)
    raise_faults(_out_faults(tok, scheme))
    merges = [(print_token(merge.left), print_token(merge.right)) for merge in tok.merges]
    tokenizers = import_library("tokenizers")
    model = tokenizers.models.BPE(vocab=ids, merges=merges, ignore_merges=tok.whole_words)
    theirs = tokenizers.Tokenizer(model)
    if scheme.normalizations:
        theirs.normalizer = tokenizers.normalizers.NFC()
    split = tokenizers.pre_tokenizers
    pattern = scheme.pattern
    if scheme.prefix:
        theirs.pre_tokenizer = split.ByteLevel(add_prefix_space=True, use_regex=bool(pattern))
    else:
        theirs.pre_tokenizer = split.ByteLevel(add_prefix_space=False, use_regex=False)
        if scheme.oniguruma:
            words = split.Split(tokenizers.Regex(scheme.oniguruma), "isolated")
            theirs.pre_tokenizer = split.Sequence([words, theirs.pre_tokenizer])
        elif pattern:  # only its matches are words
            words = split.Split(tokenizers.Regex(pattern), "removed", invert=True)
            theirs.pre_tokenizer = split.Sequence([words, theirs.pre_tokenizer])
    theirs.decoder = tokenizers.decoders.ByteLevel()
    for names, special in ((tok.special_tokens, True), (tok.added_tokens, False)):
        for name in names:
            options = {"normalized": False, "special": special, "lstrip": name in tok.lstrip}
            token = tokenizers.AddedToken(name, **options)
            theirs.add_special_tokens([token]) if special else theirs.add_tokens([token])
    return theirs


def _out_faults(tok: PublishedTokenizer, scheme: PublishedScheme) -> Iterator[str]:
    """Check that Hugging Face can do to a text what the scheme does."""
    by_itself = scheme.pattern in (None, SCHEMES["gpt2"].pattern)
    if scheme.prefix not in ("", " ") or (scheme.prefix and not by_itself):
        yield f"the prefix {scheme.prefix!r:.80} goes with the split of GPT-2 only, and is a space"
    yield from pattern_faults(scheme)
    known = set()
    for name, i in {**tok.special_tokens, **tok.added_tokens}.items():
        if i in known:
            yield f"{name!r:.80} has the id {i}, which another special or added token has"
        known.add(i)


def _printable_ids(tok: PublishedTokenizer) -> dict[str, int]:
    """Number all tokens as they are written in print, special and added tokens as they are."""
    ids = {print_token(token): i for token, i in ordinary_ids(tok).items()}
    names = {**tok.special_tokens, **tok.added_tokens}
    for name, i in names.items():
        fault = f"special token {name!r} is spelled like another token in print"
        require(ids.get(name, -1) in (-1, i) and (name not in ids or name.isascii()), fault)
    return ids | names
