"""Hugging Face's habits: note what the library does to a text, but our tokenizers don't."""

from collections.abc import Collection, Iterator, Mapping
from itertools import chain

from bpe_further.exchange import schemes, shared
from bpe_further.exchange.around import read_around
from bpe_further.exchange.check import JOINS_OTHERWISE
from bpe_further.exchange.folder import OF_SENTENCEPIECE, Beside
from bpe_further.exchange.huggingface_write import decoders
from bpe_further.exchange.pipeline import Pipeline
from bpe_further.exchange.plain import PlainReading, find_difference, probe_texts
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.schemes import PublishedScheme
from bpe_further.exchange.shared import OnIds, OnText, name_some, require
from bpe_further.exchange.spelling import BYTE_TOKENS
from bpe_teach.symbols import WordEnd

PADDING = "padding"
NOTES = {  # field -> its effect, which doesn't change the ids of the text itself
    "truncation": "cuts long texts off",
    PADDING: "fills short texts up",
}


def note_class(beside: Beside, tok: PublishedTokenizer, data: dict) -> list[str]:
    """Return notes on where the files beside a tokenizer.json contradict this file.

    Ids follow the tokenizer.json, whose content is ``data``. But transformers may build the class
    that the other files name from the vocabulary alone, and then the class may read texts in a
    different way. So the class is compared with the tokenizer.json, on texts made for both.
    """
    known = [token["content"] for token in data.get("added_tokens") or []]
    notes = beside.notes_on_names() + beside.notes_on_tokens(known)
    notes += beside.notes_on_roles([*data["model"]["vocab"], *known, *beside.added])
    has_spaces = schemes.published_scheme(tok.scheme).space == "▁"
    built = beside.built(in_bytes=tok.scheme.units is bytes)
    kind = beside.other_kind if built is None else OF_SENTENCEPIECE
    if kind and not (kind == OF_SENTENCEPIECE and has_spaces):
        return [*notes, beside.note_other(f"builds {kind}")]
    if kind and built is None:
        notes.append(beside.note_other("may put tokens of its own around a text"))
    if built is None and (beside.is_generic or beside.row is None):
        return notes
    theirs = data | (beside.parts() if built is None else built)
    suffix = data["model"].get("end_of_word_suffix") or ""
    units = Pipeline.of(theirs).units
    if suffix != (beside.row or {}).get("suffix", "") or units is not tok.scheme.units:
        return [*notes, beside.note_other("builds another kind of BPE")]
    texts = chain(probe_texts(data, tok), probe_texts(theirs, tok))
    text = find_difference(tok, PlainReading(theirs), texts)
    if text is not None:
        notes.append(beside.note_other(f"reads a text such as {text!a:.40} in another way"))
    around, told = read_around(data.get("post_processor"))
    if around or not told:
        notes += beside.notes_on_around(around)
    return notes


def read_notes(data: dict, dead: Collection[str], unfound: int) -> list[str]:
    """Return notes on the parts of a file that are left out because they change no id of a text.

    ``dead`` are tokens that no text has, and ``unfound`` is the number of merges that make them.
    """
    notes = []
    for name, what in NOTES.items():
        part = data.get(name) or {}
        is_object = isinstance(part, dict)
        require(is_object, f"{name} {what}, and is not an object: {part!r:.80}")
        if part:
            notes.append(OnIds(f"{name} {what}: left out"))
    if dead:
        merges = f", with {unfound:,} merge{'s' if unfound > 1 else ''}" if unfound else ""
        number = "1 token is" if len(dead) == 1 else f"{len(dead):,} tokens are"
        what = f"{number} not printable bytes, so no text has them"
        notes.append(f"{what}: left out{merges}; decode refuses their ids")
    return notes


def note_numbers(added: Mapping[str, dict], vocab: Mapping[str, int]) -> Iterator[str]:
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
        keep = "keeps the id" if len(anew) == 1 else "keep the ids"
        yield OnIds(
            f"{name_some(anew)} {keep} of the file; the package tokenizers numbers added tokens "
            "anew, and decodes them in another way if other tokens have these ids"
        )


def note_decoder(decoder: dict, tok: PublishedTokenizer) -> Iterator[OnText]:
    """Yield notes on decoding, such as a note that Hugging Face joins tokens differently.

    ``decoder`` is the decoder of a tokenizer.json; it is empty if the file has none.
    """
    require(isinstance(decoder, dict), f"decoder is not an object: {decoder!r:.80}")
    steps = decoder.get("decoders")
    steps = steps if isinstance(steps, list) else [decoder]
    scheme = schemes.published_scheme(tok.scheme)
    theirs = [_decoding(step) for step in steps if isinstance(step, dict)]
    names = [tok.ids.keys(), tok._id_of_name.keys()]
    has_bytes = not all(map(BYTE_TOKENS.keys().isdisjoint, names))
    if not tok.byte_fallback and not has_bytes:  # if so, this decoder does nothing
        theirs = [one for one in theirs if one != ["ByteFallback"]]
    ours = [_decoding(step) for step in decoders(scheme, tok.byte_fallback)]
    is_same = theirs == ours or (ours[-1] == ["Fuse"] and theirs == ours[:-1])
    if scheme.marker and scheme.units is bytes:
        what = f"decoding writes {scheme.marker} after each word"
        yield OnText(f"{what}, as the package tokenizers does")
    loses_ends = scheme.units is str and scheme.marker
    if (loses_ends or not is_same) and not _joins_alike(decoder, tok):
        types = [str(step.get("type")) for step in steps if isinstance(step, dict)]
        how = f"the decoder is {', '.join(types)}" if decoder else "it has no decoder"
        yield OnText(f"{how}: Hugging Face {JOINS_OTHERWISE}")
    if scheme.units is bytes:
        spelled = [*tok._id_of_name, *tok.normalized]
        odd = [name for name in spelled if not name.isascii() and shared.is_printed(name)]
        if odd:
            how = "as printed bytes, and not as they are spelled"
            yield OnText(f"Hugging Face decodes {name_some(odd)} {how}")


def _joins_alike(decoder: Mapping, tok: PublishedTokenizer) -> bool:
    """Return whether a decoder of one step joins the tokens of ``tok`` as our `decode` does.

    It makes no difference how the decoder would join other tokens.
    """
    scheme = schemes.published_scheme(tok.scheme)
    if scheme.units is bytes or tok.byte_fallback:
        return False
    if decoder.get("type") == "BPEDecoder" and not scheme.space:
        return _joins_word_ends_alike(decoder, tok, scheme)
    if decoder.get("type") == "Metaspace" and not scheme.marker:
        return _joins_spaces_alike(decoder, tok, scheme)
    return False


def _joins_word_ends_alike(
    decoder: Mapping, tok: PublishedTokenizer, scheme: PublishedScheme
) -> bool:
    """Return whether a `BPEDecoder` joins the tokens of ``tok`` as `decode` does.

    A `BPEDecoder` writes a space for each </w>; `decode` leaves this space out before a special
    token.
    """
    marker = str(decoder.get("suffix"))
    for token in tok.vocab.values():
        plain = token.removesuffix(marker) if isinstance(token, WordEnd) else token
        if marker in plain or " " in plain:
            return False
    if not scheme.marker:
        return True
    names = tok._id_of_name.keys() - {tok.unk_token}
    return not names and str(scheme.marker) == marker


def _joins_spaces_alike(decoder: Mapping, tok: PublishedTokenizer, scheme: PublishedScheme) -> bool:
    """Return whether a `Metaspace` joins the tokens of ``tok`` as `decode` does.

    A `Metaspace` leaves out every ▁ of the first token; `decode` leaves out one space.
    """
    sign = decoder.get("replacement")
    tokens = list(tok.vocab.values())
    if sign != scheme.space or not BYTE_TOKENS.keys().isdisjoint(tokens):
        return False
    older = "always" if decoder.get("add_prefix_space", True) else "never"
    if decoder.get("prepend_scheme", older) == "never":
        return not scheme.put_before
    if scheme.put_before != sign or "OneSpace" in scheme.normalizations:
        return False
    return all(one and one[0] != " " and sign not in one[1:] for one in tokens)


def _decoding(step: Mapping) -> list:
    """Return the type of a decoder, and the values of the fields that this type reads."""
    fields = {"Replace": ("pattern", "content"), "Strip": ("content", "start", "stop")}
    fields["BPEDecoder"] = ("suffix",)
    kind = step.get("type")
    return [kind, *map(step.get, fields.get(kind, ()) if isinstance(kind, str) else ())]
