"""Around: the special tokens that Hugging Face's library puts before and after a text.

A *post-processor* adds these tokens after encoding. So ``tokenizer(text)`` of transformers also
returns, for example, the ids of <s> and </s>. Here `encode` adds such tokens only if
``add_special_tokens`` is true. They must not stand inside a text that is later joined to other
texts or cut into pieces.
"""

from collections.abc import Mapping

from bpe_further.exchange.published import PublishedTokenizer, note_around
from bpe_further.exchange.shared import OnIds, require


def read_around(part) -> tuple[list[list], list[str]]:
    """Return the tokens that a post-processor puts around a text, and notes.

    ``part`` is the post-processor of a tokenizer.json. The tokens are returned as two lists of
    names with ids: those before the text, and those after it. If there are no such tokens, or if
    ``part`` is not a known post-processor, a single empty list is returned.

    >>> read_around({"type": "BertProcessing", "cls": ["<s>", 0], "sep": ["</s>", 2]})[0]
    [[['<s>', 0]], [['</s>', 2]]]
    """
    require(isinstance(part or {}, dict), f"post_processor is not an object: {part!r:.80}")
    try:
        before, after = _read_part(part or {})
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        return [], [OnIds(f"post_processor is not one that is known: left out: {part!r:.80}")]
    if not before and not after:
        return [], []
    return [before, after], [note_around(before, after)]


def _read_part(part: dict) -> tuple[list, list]:
    """Return the names and ids that a single post-processor puts before and after a text."""
    kind = part.get("type")
    if kind in (None, "ByteLevel"):
        return [], []
    if kind in ("BertProcessing", "RobertaProcessing"):
        return [_checked(*part["cls"])], [_checked(*part["sep"])]
    if kind == "Sequence":
        before, after = [], []
        for one in part["processors"]:  # each works on the result of the one before
            first, last = _read_part(one)
            before, after = first + before, after + last
        return before, after
    require(kind == "TemplateProcessing", "its type")
    sides = [[], []]  # before the text, after it
    seen = 0
    for step in part["single"]:
        [(what, value)] = step.items()
        if what == "Sequence":
            seen += 1
        else:
            token = part["special_tokens"][value["id"]]
            pairs = zip(token["tokens"], token["ids"], strict=True)
            sides[min(seen, 1)] += [_checked(*pair) for pair in pairs]
    require(seen == 1, "its text, which must occur in it once")
    return sides[0], sides[1]


def _checked(name: str, i: int) -> list:
    require(isinstance(name, str) and type(i) is int and i >= 0, "a name and its id")
    return [name, i]


def write_around(tok: PublishedTokenizer) -> dict | None:
    """Return a tokenizer's post-processor in the form of a tokenizer.json, or None."""
    if not tok.around:
        return None
    before, after = tok.around
    return write_template(
        [name for name, _ in before], [name for name, _ in after], dict(before + after)
    )


def write_template(before: list[str], after: list[str], ids: Mapping[str, int]) -> dict | None:
    """Return a post-processor that puts tokens around a text, or None if there are no tokens.

    ``before`` and ``after`` are the names of the tokens, and ``ids`` maps these names to ids.
    """
    if not before and not after:
        return None
    first, last = (
        [{"SpecialToken": {"id": name, "type_id": 0}} for name in side] for side in (before, after)
    )
    steps = [*first, {"Sequence": {"id": "A", "type_id": 0}}, *last]
    # Hugging Face's library also requires a template for a pair of texts.
    pair = [*steps, {"Sequence": {"id": "B", "type_id": 0}}]
    tokens = {name: {"id": name, "ids": [ids[name]], "tokens": [name]} for name in before + after}
    return {"type": "TemplateProcessing", "single": steps, "pair": pair, "special_tokens": tokens}
