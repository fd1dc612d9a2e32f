"""Hugging Face: read a BPE from a tokenizer.json, and convert ours of bytes for its library.

A tokenizer.json can do much that a `Tokenizer` can't. `pipeline` reads what is done to a text, and
this module the rest: one function for each part, which returns what the part means and notes what
is wrong with it. All faults are raised as one error.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import product, repeat
from pathlib import Path

from bpe_teach.exchange.dialects import pattern_for
from bpe_teach.exchange.kinds import (
    OTHERWISE,
    check_path,
    name_json,
    read_file,
    read_json_file,
    read_lines,
    without_collecting,
)
from bpe_teach.exchange.normalize import WHITE_SPACE, Step
from bpe_teach.exchange.pipeline import NORMALIZERS, PRE_TOKENIZERS, Pipeline
from bpe_teach.exchange.published import PublishedTokenizer, ordinary_ids
from bpe_teach.exchange.schemes import (
    IN_PRINT,
    check_portable,
    completed,
    cut_at_spaces,
    published_scheme,
    row_with_pattern,
)
from bpe_teach.exchange.shared import (
    BYTE_OF,
    MAX_TOKENS,
    NEVER_IN_UTF8,
    id_faults,
    import_library,
    print_token,
    raise_faults,
    require,
)
from bpe_teach.exchange.spelling import BYTE_TOKENS, is_first_symbol
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.files import errors_name
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol
from bpe_teach.schemes import SCHEMES
from bpe_teach.symbols import WordEnd

AROUND = ["ByteLevel", "RobertaProcessing", "BertProcessing", "TemplateProcessing", "Sequence"]
NOTES = {  # field -> what it does; the text itself keeps its ids
    "truncation": "cuts long texts off",
    "padding": "fills short texts up",
    "post_processor": "puts special tokens around a text",
}
UNSUPPORTED_IN_MODEL = {
    "dropout": "leaves merges out at random",
    "continuing_subword_prefix": "marks what does not begin a word",
}
HABITS = {"whole_words": "ignore_merges", "byte_fallback": "byte_fallback", "fuse_unk": "fuse_unk"}
MOST_ODD = 10  # special tokens that are not spelled like <this> or [this]
MOST_COMPARED = 10_000_000  # characters in one list of names × characters in the other
# ASCII that NFC neither changes nor makes from other characters (it makes ; from Greek U+037E)
INERT = {chr(i) for i in range(128) if not chr(i).isalpha()} - set("<=>`;")
OTHER_BYTE = re.compile(f"[^{re.escape(''.join(BYTE_OF))}]")  # no printable form of a byte
AS_BYTES = {ord(printed): byte[0] for printed, byte in BYTE_OF.items()}


def from_huggingface(source, merges: str | os.PathLike | None = None) -> Tokenizer:
    """Read a BPE of Hugging Face: of bytes, of characters, or of SentencePiece's kind.

    ``source`` is a tokenizer.json, a folder of ``save_pretrained``, a `tokenizers.Tokenizer` or a
    fast tokenizer of transformers; or a vocab.json, with its merges.txt as ``merges``. These two do
    not say how to split a text: it is split as by GPT-2. Tokens that no merge makes are special.

    Ids are kept, whatever they are. Hugging Face recognizes special tokens in every text; to do so
    here, say ``allowed_special="all"``. Added tokens that are not special are always recognized.
    Both kinds take the white space before and after them if they have ``lstrip`` and ``rstrip``.
    Parts that change no id of a text are left out, and ``notes`` lists them: special tokens around
    the text, truncation, padding.

    >>> import json, pathlib, tempfile
    >>> model = {"vocab": {"l": 1, "o": 2, "lo": 7}, "merges": ["l o"]}
    >>> data = {"model": model, "truncation": {"max_length": 512}}
    >>> path = pathlib.Path(tempfile.mkdtemp(), "tokenizer.json")
    >>> _ = path.write_text(json.dumps(data), "utf-8")
    >>> tok = from_huggingface(path)
    >>> tok.encode("lolo"), tok.notes[0]
    ([7, 7], 'truncation cuts long texts off: left out')

    Where Hugging Face has no token for unknown characters, it leaves them out; here `encode` raises
    an error. Normal forms follow Python's version of Unicode. An added token keeps the id it has in
    the file, even where Hugging Face would give it the next id instead.

    Raises ValueError that says what the file is, if it is of another kind, or else what it does
    that a `Tokenizer` can't.
    """
    source = getattr(source, "backend_tokenizer", source)  # what transformers wraps
    if hasattr(source, "to_str"):
        with errors_name("tokenizer"):
            return _read_tokenizer(source.to_str().encode("utf-8"))
    wanted = "a tokenizer.json, its folder, a tokenizers.Tokenizer or a fast one of transformers"
    check_path(source, f"the path of {wanted}")
    if merges is None and os.path.isdir(source):
        folder, source = source, Path(source, "tokenizer.json")
        if not source.exists():
            source, merges = Path(folder, "vocab.json"), Path(folder, "merges.txt")
            fault = "a folder has a tokenizer.json, or a vocab.json and a merges.txt"
            require(source.exists() and merges.exists(), f"{os.fspath(folder)}: {fault}")
    if merges is not None:
        return read_pair(source, merges)
    with errors_name(source), without_collecting():
        return _read_tokenizer(read_file(source))


def read_pair(vocab_json: str | os.PathLike, merges_txt: str | os.PathLike) -> Tokenizer:
    """Read a vocab.json and a merges.txt of bytes, such as those of GPT-2, RoBERTa and Whisper."""
    check_path(vocab_json, "the path of a vocab.json")
    check_path(merges_txt, "the path of a merges.txt")
    with errors_name(merges_txt):
        lines = read_lines(read_file(merges_txt))
        lines = lines[1:] if lines[0].startswith("#version") else lines
    with errors_name(vocab_json):
        vocab = read_json_file(read_file(vocab_json))
        require(isinstance(vocab, dict), "expected a vocab.json: tokens with their ids")
        raise_faults(id_faults(vocab, str, shared=True))
        fault = "its tokens are not printable bytes, and it does not say how to split text: give a"
        require("Ġ" in vocab, f"{fault} tokenizer.json (tokenizer.save writes one)")
    made = {line.replace(" ", "") for line in lines}
    special = [name for name in vocab if name and name not in made and name not in BYTE_OF]
    odd = [name for name in special if not (name[0] in "<[" and name[-1] in ">]")]
    fault = f"no merge of the second makes {len(odd):,} tokens of the first: {odd!r:.80}"
    data = {
        "added_tokens": [{"content": name, "id": vocab[name], "special": True} for name in special],
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False},
        "decoder": {"type": "ByteLevel"},
        "model": {"vocab": vocab, "merges": lines},
    }
    with errors_name(f"{os.fspath(vocab_json)} with {os.fspath(merges_txt)}"):
        require(len(odd) <= MOST_ODD, fault)  # published files have a few
        tok = _make_tokenizer(data)
    some = ", ".join(special[:3]) + (" …" if special[3:] else "")
    tok.notes.append(f"split as by GPT-2; special tokens are those that no merge makes: {some}")
    return tok


def _read_tokenizer(content: bytes) -> Tokenizer:
    """Return the tokenizer in a tokenizer.json; ValueError that says what any other file is."""
    data = read_json_file(content)
    what = name_json(data)
    require(not what, what)
    return _make_tokenizer(data)


def _make_tokenizer(data: dict) -> Tokenizer:
    """Return the tokenizer that a tokenizer.json describes.

    The pipeline is read first, because the tokens can't be read without it. `PublishedTokenizer`
    checks the ids; their faults are listed here only if it can't be made.
    """
    pipeline = Pipeline()
    pipeline.read(NORMALIZERS, data.get("normalizer") or None, "normalizer")
    # What is done to a text before Hugging Face looks for added tokens that are "normalized".
    before = [*pipeline.normalizations, *(["Prepend"] if pipeline.prefix else [])]
    pipeline.read(PRE_TOKENIZERS, data.get("pre_tokenizer"), "pre_tokenizer")
    faults = pipeline.faults
    model = _field(data, "model", dict, faults)
    vocab = _field(model, "vocab", dict, faults)  # token as the file writes it -> id
    habits = _read_habits(model, vocab, pipeline)
    notes = _read_notes(data, pipeline)
    items = _field(model, "merges", list, faults)
    added = _read_added_tokens(data.get("added_tokens"), vocab, faults)
    faults += [] if faults else _order_faults(added, before)
    raise_faults(faults, "it is a BPE, but it does things that bpe_teach doesn't")

    suffix = model.get("end_of_word_suffix") or ""
    scheme = pipeline.scheme(suffix)
    if scheme.units is bytes:
        tokens = _read_bytes(vocab)
        dead = len(vocab.keys() - tokens.keys() - added.keys())
        if dead:
            notes.append(f"{dead:,} tokens are not printable bytes, so no text has them: left out")
    else:
        tokens = {name: name for name in vocab}
        tokens |= {name: WordEnd(name) for name in vocab if suffix and name.endswith(suffix)}
        scheme = cut_at_spaces(scheme, tokens)
    merges = _read_merges(items, tokens, faults)
    names = {name: token.get("id") for name, token in added.items()}
    if faults:
        faults += [*id_faults(names, str, shared=True), *id_faults(vocab, str)]
    raise_faults(faults)

    made = {a + b for a, b, _ in merges}  # these stay ordinary tokens, even if also added
    for name in added.keys() & tokens.keys():
        is_word = habits["whole_words"] and scheme.split(name) == [name]
        if not (is_word or tokens[name] in made or is_first_symbol(tokens[name], scheme)):
            del tokens[name]
    of_kind = {True: {}, False: {}}  # is it special? -> name -> id
    for name, token in added.items():
        of_kind[token["special"]][name] = names[name]
    tok = PublishedTokenizer(
        scheme,
        None,
        merges,
        of_kind[True],
        ids={token: vocab[printed] for printed, token in tokens.items()},
        added_tokens=of_kind[False],
        lstrip=[name for name, token in added.items() if token.get("lstrip")],
        rstrip=[name for name, token in added.items() if token.get("rstrip")],
        **habits,
    )
    tok.notes += notes
    return tok


def _field(data: dict, name: str, kind: type, faults: list[str]):
    """Return a field; if it is missing, note a fault and return an empty one."""
    if isinstance(data.get(name), kind):
        return data[name]
    faults.append(f"{name!r} is missing or not a {kind.__name__}")
    return kind()


def _read_notes(data: dict, pipeline: Pipeline) -> list[str]:
    """Return notes on the decoder and on the parts that are left out because they change no id."""
    notes = []
    for name, what in NOTES.items():
        part = data.get(name)
        if not part:
            continue
        if not isinstance(part, dict):
            pipeline.faults.append(f"{name} {what}, and is not an object: {part!r:.80}")
        elif name == "post_processor" and part.get("type") not in AROUND:
            pipeline.faults.append(f"post_processor is none of {', '.join(AROUND)}: {part!r:.80}")
        elif part.get("type") != "ByteLevel":
            notes.append(f"{name} {what}: left out")
    decoder = data.get("decoder") or {}
    if not isinstance(decoder, dict):
        pipeline.faults.append(f"decoder is not an object: {decoder!r:.80}")
        return notes
    steps = [decoder, *(decoder.get("decoders") or [])]
    kinds = [step.get("type") for step in steps if isinstance(step, dict)]
    wanted = ["ByteLevel"] if pipeline.units is bytes else ["Replace", "Metaspace", "BPEDecoder"]
    if not any(kind in wanted for kind in kinds):
        kind = decoder.get("type")
        notes.append(f"its decoder is {kind}: Hugging Face joins tokens in another way")
    return notes


# vocabulary, merges, added tokens


def _read_habits(model: dict, vocab: dict, pipeline: Pipeline) -> dict:
    """Return what a model does besides merging; note a fault for all that a `Tokenizer` can't."""
    faults = pipeline.faults
    for name, what in UNSUPPORTED_IN_MODEL.items():
        if model.get(name):
            fault = "which a Tokenizer cannot do"
            faults.append(f"{name} {what}, {fault}: {model[name]!r:.80}")
    suffix = model.get("end_of_word_suffix")
    if suffix and (pipeline.units is bytes or pipeline.space or not isinstance(suffix, str)):
        fault = "end_of_word_suffix marks the end of a word of bytes, as in CLIP"
        faults.append(f"{fault}: {suffix!r:.80}; {OTHERWISE}")
    habits = {}
    for ours, theirs in HABITS.items():
        habits[ours] = model.get(theirs) or False
        if type(habits[ours]) is not bool:
            faults.append(f"{theirs} is {habits[ours]!r:.80}, neither true nor false")
    missing = {byte for printed, byte in BYTE_OF.items() if printed not in vocab}
    is_whole = pipeline.units is bytes and missing <= NEVER_IN_UTF8  # then nothing is unknown
    unk_token = model.get("unk_token") or None
    if is_whole or not isinstance(unk_token, str) or unk_token not in vocab:
        unk_token = None
    if habits["byte_fallback"] and pipeline.units is bytes:
        habits["byte_fallback"] = False
        if not is_whole and not BYTE_TOKENS.keys().isdisjoint(vocab):
            fault = f"and {len(missing)} of the 256 bytes have none"
            faults.append(f"byte_fallback spells in bytes what has no id, {fault}: True")
    habits["fuse_unk"] = habits["fuse_unk"] and unk_token is not None
    return habits | {"unk_token": unk_token}


def _read_added_tokens(items, vocab: Mapping[str, int], faults: list[str]) -> dict[str, dict]:
    """Return the added tokens by name, each as the file has it."""
    added = {}
    items = [] if items is None else items
    if not isinstance(items, list):
        faults.append(f"added_tokens is not a list: {items!r:.80}")
        return added
    for number, token in enumerate(items):
        if not isinstance(token, dict) or not isinstance(token.get("content"), str):
            faults.append(f"added token {number} has no content that is a text: {token!r:.80}")
            continue
        name, i = token["content"], token.get("id")
        place = f"added token {number} ({name!r:.80})"
        if name in added:
            faults.append(f"{place} occurs twice")
        known = vocab.get(name, i)
        if known != i:
            faults.append(f"{place} has the id {i!r:.80}, but {known!r:.80} in the vocabulary")
        if type(token.get("special")) is not bool:
            faults.append(f"{place} has special {token.get('special')!r:.80}, not true or false")
        for flag in ("lstrip", "rstrip"):
            if token.get(flag) and token[flag] is not True:
                faults.append(f"{place} has {flag} {token[flag]!r:.80}, neither true nor false")
        if token.get("single_word"):
            faults.append(f"{place} has single_word: its neighbours decide whether it is found")
        added[name] = token
    return added


def _order_faults(added: Mapping[str, dict], before: Collection[Step]) -> Iterator[str]:
    """Yield a fault unless all added tokens can be looked for at once, in the text as it is.

    Those that are "normalized" are looked for after all others, in the rest of the text and after
    it was normalized. That makes no difference if no token of one kind touches one of the other
    kind, and if normalization neither makes their characters nor takes them away.
    """
    later = sorted(name for name, token in added.items() if token.get("normalized"))
    first = sorted(added.keys() - set(later))
    strips = [name for name, token in added.items() if token.get("lstrip") or token.get("rstrip")]
    spaced = [name for name in added if set(name) & set(WHITE_SPACE)]
    inert = INERT if all(step in ("NFC", "Lowercase") for step in before) else set()
    for name in later if before else []:
        if not set(name) <= inert:
            yield f"added token {name!r:.80} is looked for in the normalized text"
    if spaced and strips:
        yield f"added tokens {strips!r:.80} may take white space that {spaced!r:.80} have"
    if len("".join(first)) * len("".join(later)) > MOST_COMPARED:
        yield "there are too many added tokens to compare those that are normalized with the others"
        return
    for name, other in product(later, first):
        if _touch(name, other) or _touch(other, name):
            yield f"added token {name!r:.80} is looked for after {other!r:.80}, not with it"


def _touch(left: str, right: str) -> bool:
    """Return whether ``left`` holds ``right``, or ends with the beginning of ``right``."""
    lengths = range(1, min(len(left), len(right)) + 1)
    return right in left or any(left.endswith(right[:length]) for length in lengths)


def _read_bytes(vocab: Mapping[str, int]) -> dict[str, bytes]:
    """Return the bytes of each token that is written as printable bytes, by its printed form."""
    printed = "".join(vocab)
    tokens = vocab  # Whisper has an empty token
    if OTHER_BYTE.search(printed):
        tokens = [token for token in vocab if not OTHER_BYTE.search(token)]
        printed = "".join(tokens)
    content = printed.translate(AS_BYTES).encode("latin-1")  # all tokens at once, which is quick
    start = 0
    bytes_of = {}
    for token in tokens:
        end = start + len(token)
        bytes_of[token] = content[start:end]
        start = end
    return bytes_of


def _read_merges(items: list, tokens: Mapping[str, Symbol], faults: list[str]) -> list[Merge]:
    """Return the merges whose tokens have ids; note a fault for each other merge."""
    if len(items) > 2 * MAX_TOKENS:  # some files list a merge for each way to cut a token
        faults.append(f"there are {len(items):,} merges, more than {2 * MAX_TOKENS:,}")
        return []
    try:  # all at once, which is quick
        pairs = [item.split(" ") if type(item) is str else item for item in items]
        lefts = [tokens[left] for left, _ in pairs]
        rights = [tokens[right] for _, right in pairs]
        is_whole = all(left + right in tokens for left, right in pairs)
        if is_whole and all(lefts) and all(rights) and not any(type(pair) is str for pair in pairs):
            return list(map(Merge._make, zip(lefts, rights, repeat(0))))
    except (KeyError, TypeError, ValueError):
        pass  # one is not a merge; the loop below names it
    for number, item in enumerate(items):
        pair = item.split(" ") if isinstance(item, str) else item
        is_pair = isinstance(pair, list) and [type(part) for part in pair] == [str, str]
        if not is_pair or not all(pair):
            faults.append(f"merge {number}: {item!r:.80} is not a merge of two tokens")
            continue
        missing = [part for part in (*pair, "".join(pair)) if part not in tokens]
        faults += [f"merge {number}: token {part!r:.80} has no id" for part in missing[:1]]
    return []


# writing


def to_huggingface(tok: Tokenizer):
    """Turn a tokenizer of bytes into a `tokenizers.Tokenizer`, which ``save`` writes to a file.

    Its ``encode(text).ids`` is ``tok.encode(text, allowed_special="all")``.

    >>> to_huggingface(Tokenizer.train("low", scheme="chars", num_merges=0))
    Traceback (most recent call last):
    ValueError: scheme 'chars' cannot be carried over; those of bytes can

    Raises ValueError for schemes of characters (Hugging Face leaves out what has no id, which is an
    error here), for patterns that its engine reads differently, and for special tokens spelled like
    the printable form of other tokens.
    """
    tok = PublishedTokenizer.of(tok)
    scheme = published_scheme(tok.scheme)  # so that it has a prefix, if only an empty one
    ids = _printable_ids(tok)
    by_itself = scheme.patterns in ((), (SCHEMES["gpt2"].pattern,))
    fault = f"the prefix {scheme.prefix!r:.80} must be a space before the split of GPT-2"
    require(not scheme.prefix or (scheme.prefix == " " and by_itself), fault)
    require(IN_PRINT not in scheme.cuts, "patterns that cut printable bytes cannot be carried over")
    merges = [(print_token(merge.left), print_token(merge.right)) for merge in tok.merges]
    tokenizers = import_library("tokenizers")
    options = {"ignore_merges": tok.whole_words, "fuse_unk": tok.fuse_unk}
    model = tokenizers.models.BPE(ids, merges, unk_token=tok.unk_token, **options)
    theirs = tokenizers.Tokenizer(model)
    kinds = tokenizers.normalizers
    for step in scheme.normalizations:
        is_known = isinstance(step, str) and hasattr(kinds, step)
        require(is_known, f"the normalization {step!r:.80} cannot be carried over")
    steps = [getattr(kinds, step)() for step in scheme.normalizations]
    if steps:
        theirs.normalizer = kinds.Sequence(steps) if steps[1:] else steps[0]
    split = tokenizers.pre_tokenizers
    if scheme.prefix:
        cuts = [split.ByteLevel(add_prefix_space=True, use_regex=bool(scheme.pattern))]
    else:
        cuts = [_write_cut(pattern, tokenizers) for pattern in scheme.patterns]
        cuts.append(split.ByteLevel(add_prefix_space=False, use_regex=False))
    theirs.pre_tokenizer = split.Sequence(cuts) if cuts[1:] else cuts[0]
    theirs.decoder = tokenizers.decoders.ByteLevel()
    for name in (*tok.special_tokens, *tok.added_tokens):
        add = theirs.add_special_tokens if name in tok.special_tokens else theirs.add_tokens
        options = {"lstrip": name in tok.lstrip, "rstrip": name in tok.rstrip}
        add([tokenizers.AddedToken(name, normalized=False, **options)])
    return theirs


def _write_cut(pattern: str, tokenizers):
    """Return a pre-tokenizer that splits at a pattern, as Hugging Face's engine reads it."""
    row = row_with_pattern(pattern)
    inner = pattern_for("oniguruma", row) if row else completed(pattern)
    if not row:
        check_portable(inner or pattern)
    split, regex = tokenizers.pre_tokenizers.Split, tokenizers.Regex
    if inner:
        return split(regex(inner), "isolated")
    return split(regex(pattern), "removed", invert=True)  # only its matches are words


def _printable_ids(tok: PublishedTokenizer) -> dict[str, int]:
    """Return printed token -> id for all tokens; special and added tokens keep their spelling."""
    ids = {print_token(token): i for token, i in ordinary_ids(tok).items()}
    names = {**tok.special_tokens, **tok.added_tokens}
    known = set()
    for name, i in names.items():
        if not (name not in ids or (ids[name] == i and name.isascii())):
            raise ValueError(f"special token {name!r} is spelled like another token as printed")
        fault = f"{name!r:.80} has the id {i}, which another special or added token has"
        require(i not in known, fault)
        known.add(i)
    return ids | names
