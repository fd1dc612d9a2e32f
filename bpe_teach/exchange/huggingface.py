"""Hugging Face: a byte-level BPE comes in from a tokenizer.json, and ours go out to one.

A tokenizer.json can do much that a `Tokenizer` does not. Each part of it is read by one function,
which returns what the part means and notes what is wrong with it; to carry more over, teach that
function. All faults are raised as one error.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import product

from bpe_teach.exchange.published import WHITE_SPACE, PublishedTokenizer, name_faults, ordinary_ids
from bpe_teach.exchange.schemes import (
    PublishedScheme,
    check_portable,
    published_scheme,
    row_with_pattern,
)
from bpe_teach.exchange.shared import (
    BYTE_OF,
    MAX_TOKENS,
    NEVER_IN_UTF8,
    check_path,
    id_faults,
    import_library,
    print_token,
    raise_faults,
    read_file,
    read_json,
    read_token,
    require,
)
from bpe_teach.fast.files import errors_name
from bpe_teach.learn import Merge
from bpe_teach.schemes import SCHEMES, Scheme
from bpe_teach.storage import field
from bpe_teach.tokenizer import Tokenizer

SPELLINGS = {scheme.oniguruma: scheme for scheme in SCHEMES.values() if scheme.oniguruma}
for _spelling in (  # two more ways to write the cuts of GPT-2: its first code's, and tiktoken's
    r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s",
):
    SPELLINGS[_spelling] = SCHEMES["gpt2"]
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

BYTE_LEVEL = {"type", "add_prefix_space", "trim_offsets", "use_regex"}  # the fields it may have
SPLIT = {"type", "pattern", "behavior", "invert"}  # the fields it has
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
    "unk_token": "stands for what has no id",
    "byte_fallback": "spells what has no id in bytes",
}
ONLY_WITHOUT_BYTES = {"unk_token", "byte_fallback"}  # where all have ids these never do anything
MOST_COMPARED = 10_000_000  # characters of some names times those of others
# ASCII that NFC never makes of other characters (as ; of the Greek question mark) nor changes
INERT = {chr(i) for i in range(128) if not chr(i).isalpha()} - set("<=>`;")


def from_huggingface(source) -> Tokenizer:
    """Read a byte-level BPE of Hugging Face, a tokenizer.json or a `tokenizers.Tokenizer`.

    Its ids are kept, whatever they are. Hugging Face recognises special tokens in every text; here
    that is ``allowed_special="all"``. Added tokens that are not special are always recognised, here
    as there. Both kinds take the white space before them if they have ``lstrip``. What changes no
    id of a text is left out, and ``notes`` says so: that special tokens are put around it, or that
    it is cut off or filled up.

    >>> import json, pathlib, tempfile
    >>> vocab = {character: i for i, character in enumerate(BYTE_OF)}
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
    case, tokens that take the space after them, patterns that engines read in different ways, …
    """
    if hasattr(source, "to_str"):
        with errors_name("tokenizer"):
            return _read_tokenizer(source.to_str().encode("utf-8"))
    check_path(source, "the path of a tokenizer.json, or a tokenizers.Tokenizer")
    with errors_name(source):
        return _read_tokenizer(read_file(source))


def _read_tokenizer(content: bytes) -> Tokenizer:
    """Make a tokenizer of what a tokenizer.json says.

    Faults that many tokens may share come late, to leave the others room among those that are
    shown. The ids are checked where the tokenizer is put together; only where that cannot be done
    are their faults told here, together with the others.
    """
    data = read_json(content)
    require(isinstance(data, dict), "it is not a JSON object")
    faults = []
    normalizations = _read_normalizer(data.get("normalizer"), faults)
    notes = _read_notes(data, faults)
    scheme = SCHEMES["bytes"]
    try:
        scheme = _read_pre_tokenizer(data.get("pre_tokenizer"))
    except ValueError as fault:
        faults.append(str(fault))
    model = _field(data, "model", dict, faults)
    vocab = _field(model, "vocab", dict, faults)  # token in print -> id
    whole_words = _read_habits(model, vocab, faults)
    added = _read_added_tokens(_field(data, "added_tokens", list, faults), vocab, faults)
    faults += _order_faults(added, normalizations)
    tokens = _read_tokens(vocab, added, faults)
    merges = _read_merges(_field(model, "merges", list, faults), tokens, faults)
    names = {name: token.get("id") for name, token in added.items()}
    if faults:
        faults += [*id_faults(names, str, shared=True), *id_faults(vocab, str)]
    raise_faults(faults)

    if normalizations:
        scheme = _normalized(scheme, normalizations)
    used = {merge.token for merge in merges}  # what is a token by its bytes, even if it is added
    for name in added.keys() & tokens.keys():
        is_word = whole_words and scheme.split(name) == [name]
        if len(tokens[name]) != 1 and tokens[name] not in used and not is_word:
            del tokens[name]
    tok = PublishedTokenizer(
        scheme,
        None,
        merges,
        {name: names[name] for name, token in added.items() if token["special"]},
        ids={token: vocab[printed] for printed, token in tokens.items()},
        added_tokens={name: names[name] for name, token in added.items() if not token["special"]},
        lstrip=[name for name, token in added.items() if token.get("lstrip")],
        whole_words=whole_words,
    )
    tok.notes += notes
    return tok


def _field(data: dict, name: str, kind: type, faults: list[str]):
    """Return a field, or an empty one if it is missing, which is a fault."""
    try:
        return field(data, name, kind)
    except ValueError as fault:
        faults.append(str(fault))
        return kind()


# what is done to a text


def _read_normalizer(part, faults: list[str]) -> tuple[str, ...]:
    """Return the forms of Unicode in which a normalizer writes a text.

    >>> _read_normalizer({"type": "NFC"}, faults=[])
    ('NFC',)
    """
    if not part:
        return ()
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "NFC":
        return ("NFC",)
    if kind == "Sequence" and isinstance(part.get("normalizers"), list):
        forms = []
        for step in part["normalizers"]:
            forms += _read_normalizer(step, faults)
        return tuple(dict.fromkeys(forms))  # what is done twice changes nothing
    fault = "changes the text first, in a way that a Tokenizer does not do"
    faults.append(f"normalizer {fault}: {part!r:.400}")
    return ()


def _read_notes(data: dict, faults: list[str]) -> list[str]:
    """Say which parts are left out, because they change no id of a text; check the decoder."""
    notes = []
    for name, what in NOTES.items():
        part = data.get(name)
        if not part:
            continue
        if not isinstance(part, dict):
            faults.append(f"{name} {what}, and is not an object: {part!r:.80}")
        elif name == "post_processor" and part.get("type") not in AROUND:
            faults.append(f"post_processor is none of {', '.join(AROUND)}: {part!r:.80}")
        elif part.get("type") != "ByteLevel":
            notes.append(f"{name} {what}: left out")
    decoder = data.get("decoder")
    if decoder and (not isinstance(decoder, dict) or decoder.get("type") != "ByteLevel"):
        faults.append(f"decoder is not ByteLevel: {decoder!r:.80}")
    return notes


def _read_pre_tokenizer(part) -> Scheme:
    """Return the scheme that splits a text as a pre-tokenizer does; ValueError if there is none.

    >>> _read_pre_tokenizer({"type": "ByteLevel", "add_prefix_space": False}).name
    'gpt2'
    """
    fault = f"no scheme cuts like its pre_tokenizer: {part!r:.400}"
    steps = [part]
    if isinstance(part, dict) and part.get("type") == "Sequence":
        steps = part.get("pretokenizers")
    require(isinstance(steps, list) and len(steps) in (1, 2), fault)
    *splits, last = steps
    require(isinstance(last, dict) and last.get("type") == "ByteLevel", fault)
    prefixes, splits_words = last.get("add_prefix_space"), last.get("use_regex", True)
    require(type(prefixes) is bool and type(splits_words) is bool, fault)
    require(set(last) <= BYTE_LEVEL, fault)
    if splits:
        require(not prefixes and not splits_words, fault)
        return _read_split(splits[0], fault)
    scheme = SCHEMES["gpt2" if splits_words else "bytes"]
    return _prefixed(scheme) if prefixes else scheme


def _read_split(split, fault: str) -> Scheme:
    """Return the scheme that splits a text as a Split does; ValueError if there is none."""
    require(isinstance(split, dict) and set(split) == SPLIT and split["type"] == "Split", fault)
    isolated = split["behavior"] == "Isolated" and split["invert"] is False
    removed = split["behavior"] == "Removed" and split["invert"] is True
    pattern = split["pattern"]
    require(isinstance(pattern, dict) and list(pattern) == ["Regex"], fault)
    pattern = pattern["Regex"]
    require(isinstance(pattern, str) and (isolated or removed), fault)
    if pattern in SPELLINGS:
        return SPELLINGS[pattern]
    row = row_with_pattern(pattern)
    # Oniguruma reads cl100k's pattern, spelled as in tiktoken, in another way.
    require(row is None or not row.oniguruma, fault)
    check_portable(pattern)
    if row and row.units is bytes and removed:
        return row
    about = COMPLETE.get(pattern, "as its pattern says")
    loses = "nothing"
    if removed and not _is_complete(pattern):
        loses = "what its pattern leaves out"
    elif not _is_complete(pattern):
        pattern = _complete(pattern)
    return PublishedScheme("own", about, pattern, bytes, loses=loses)


def _complete(pattern: str) -> str:
    r"""Make words of what lies between the words of a pattern.

    >>> _complete("[a-z]+")
    '[a-z]+|(?:(?![a-z]+)[\\s\\S])+'
    """
    return rf"{pattern}|(?:(?!{pattern})[\s\S])+"


def _is_complete(pattern: str) -> bool:
    """Return whether a pattern is known to find words in every part of a text."""
    length = (len(pattern) - len(_complete(""))) // 2  # of the pattern that was completed, if so
    return pattern in COMPLETE or pattern == _complete(pattern[: max(length, 0)])


def _prefixed(scheme: Scheme) -> PublishedScheme:
    """Return a scheme that splits a text after it has been given a space in front."""
    return published_scheme(
        scheme,
        name=f"{scheme.name}_prefixed",
        about=f"{scheme.about}, with a space before the text",
        loses="whether a text begins with a space",
        prefix=" ",
    )


def _normalized(scheme: Scheme, forms: tuple[str, ...]) -> PublishedScheme:
    """Return a scheme that splits a text after it has been written in these forms."""
    form = ", ".join(forms)
    return published_scheme(
        scheme,
        name=f"{scheme.name}_{'_'.join(forms).lower()}",
        about=f"{form}, {scheme.about}",
        loses=f"what {form} makes one" if scheme.lossless else scheme.loses,
        normalizations=forms,
    )


# what it holds


def _read_habits(model: dict, vocab: dict, faults: list[str]) -> bool:
    """Return whether a model takes words whole; a fault for all that a `Tokenizer` does not do."""
    if model.get("type", "BPE") != "BPE":
        faults.append(f"its model is not BPE: {model['type']!r:.80}")
    missing = {byte for printed, byte in BYTE_OF.items() if printed not in vocab}
    for name, what in UNSUPPORTED_IN_MODEL.items():
        fault = "which a Tokenizer does not do"
        if name in ONLY_WITHOUT_BYTES:
            fault = f"and {len(missing)} of the 256 bytes have none"
            if not vocab or missing <= NEVER_IN_UTF8:
                continue
        if model.get(name):
            faults.append(f"{name} {what}, {fault}: {model[name]!r:.80}")
    whole_words = model.get("ignore_merges") or False
    if type(whole_words) is not bool:
        faults.append(f"ignore_merges is {whole_words!r:.80}, neither true nor false")
    return bool(whole_words)


def _read_added_tokens(items: list, vocab: Mapping[str, int], faults: list[str]) -> dict[str, dict]:
    """Return added tokens by their names, each as the file has it."""
    added = {}
    for number, token in enumerate(items):
        if not isinstance(token, dict) or not isinstance(token.get("content"), str):
            faults.append(f"added token {number} has no content that is a text: {token!r:.80}")
            continue
        name, i = token["content"], token.get("id")
        place = f"added token {number} ({name!r:.80})"
        if name in added:
            faults.append(f"{place} is there twice")
        known = vocab.get(name, i)
        if known != i:
            faults.append(f"{place} has the id {i!r:.80}, but {known!r:.80} in the vocabulary")
        if type(token.get("special")) is not bool:
            faults.append(f"{place} is neither special nor not: {token.get('special')!r:.80}")
        if token.get("lstrip") and token["lstrip"] is not True:
            faults.append(f"{place} has lstrip {token['lstrip']!r:.80}, neither true nor false")
        for flag in ("rstrip", "single_word"):
            if token.get(flag):
                faults.append(f"{place} has {flag}: more than its own text decides where it is")
        added[name] = token
    return added


def _order_faults(added: Mapping[str, dict], normalizations: Collection[str]) -> Iterator[str]:
    """Yield a fault where added tokens cannot all be looked for together, in the text as it is.

    Those that are "normalized" are looked for later than the others, in what is left of the text
    and after it was normalized. That makes no difference if no token of one kind touches one of
    the other kind, and if normalization neither makes its characters nor takes them away.
    """
    later = sorted(name for name, token in added.items() if token.get("normalized"))
    first = sorted(added.keys() - set(later))
    lstrip = [name for name, token in added.items() if token.get("lstrip")]
    spaced = [name for name in added if set(name) & set(WHITE_SPACE)]
    if normalizations:
        for name in later:
            if not set(name) <= INERT:
                yield f"added token {name!r:.80} is looked for in the normalized text"
    if first and later and spaced and lstrip:
        yield f"added tokens {lstrip!r:.80} may take white space that {spaced!r:.80} have"
    yield from name_faults(added)
    if len("".join(first)) * len("".join(later)) > MOST_COMPARED:
        yield "it has too many added tokens that are normalized, and too many that are not"
        return
    for name, other in product(later, first):
        if _touch(name, other) or _touch(other, name):
            yield f"added token {name!r:.80} is looked for after {other!r:.80}, not beside it"


def _touch(left: str, right: str) -> bool:
    """Return whether one name holds another one, or ends as it begins.

    >>> _touch("<|", "|>"), _touch("a<|b", "<|"), _touch("<|", "<<")
    (True, True, False)
    """
    lengths = range(1, min(len(left), len(right)) + 1)
    return right in left or any(left.endswith(right[:length]) for length in lengths)


def _read_tokens(
    vocab: Mapping[str, int], added: Collection[str], faults: list[str]
) -> dict[str, bytes]:
    """Return the bytes of each token in print; the names of added tokens may be anything."""
    tokens = {}
    for printed in vocab:
        try:
            tokens[printed] = read_token(printed)  # Whisper has an empty one
        except ValueError as fault:
            if printed not in added:
                faults.append(str(fault))
    return tokens


def _read_merges(items: list, tokens: Mapping[str, bytes], faults: list[str]) -> list[Merge]:
    """Return the merges of tokens that have ids; the others are faults."""
    if len(items) > 2 * MAX_TOKENS:  # some list a merge for each way to cut a token
        faults.append(f"there are {len(items):,} merges, more than {2 * MAX_TOKENS:,}")
        return []
    merges = []
    for number, item in enumerate(items):
        pair = item.split(" ") if isinstance(item, str) else item
        is_pair = isinstance(pair, list) and len(pair) == 2
        if not is_pair or not all(isinstance(part, str) and part for part in pair):
            faults.append(f"merge {number}: {item!r:.80} is not a merge of two tokens")
            continue
        left, right = pair
        missing = [part for part in (left, right, left + right) if part not in tokens]
        if missing:
            faults.append(f"merge {number}: token {missing[0]!r:.80} has no id")
        else:
            merges.append(Merge(tokens[left], tokens[right], 0))
    return merges


# out


def to_huggingface(tok: Tokenizer):
    """Turn a tokenizer of bytes into a `tokenizers.Tokenizer`, to ``save("tokenizer.json")``.

    Its ``encode(text).ids`` is ``tok.encode(text, allowed_special="all")``.

    >>> to_huggingface(Tokenizer.train("low", scheme="chars", num_merges=0))
    Traceback (most recent call last):
    ValueError: scheme 'chars' cannot be carried over; those of bytes can

    Raises ValueError for schemes of characters (Hugging Face leaves out what has no id, where here
    it is an error), for patterns that its engine reads in another way, and for special tokens
    spelled like printable tokens.
    """
    tok = PublishedTokenizer.of(tok)
    scheme = published_scheme(tok.scheme)  # which has a prefix, if only an empty one
    ids = _printable_ids(tok)
    check_portable(scheme.pattern)
    by_itself = scheme.pattern in (None, SCHEMES["gpt2"].pattern)
    fault = f"the prefix {scheme.prefix!r:.80} goes with the split of GPT-2 only, and is a space"
    require(not scheme.prefix or (scheme.prefix == " " and by_itself), fault)
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
    for name in (*tok.special_tokens, *tok.added_tokens):
        add = theirs.add_special_tokens if name in tok.special_tokens else theirs.add_tokens
        add([tokenizers.AddedToken(name, normalized=False, lstrip=name in tok.lstrip)])
    return theirs


def _printable_ids(tok: PublishedTokenizer) -> dict[str, int]:
    """Number all tokens as they are written in print, special and added tokens as they are."""
    ids = {print_token(token): i for token, i in ordinary_ids(tok).items()}
    names = {**tok.special_tokens, **tok.added_tokens}
    known = set()
    for name, i in names.items():
        fault = f"special token {name!r} is spelled like another token in print"
        require(name not in ids or (ids[name] == i and name.isascii()), fault)
        fault = f"{name!r:.80} has the id {i}, which another special or added token has"
        require(i not in known, fault)
        known.add(i)
    return ids | names
