"""Tokens: a text as coloured boxes, one per token."""

import json
from collections.abc import Collection, Iterable

from bpe_teach.corpora import load_corpus
from bpe_teach.display import label
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.pairs import Symbol
from bpe_teach.pictures import boxes, colours
from bpe_teach.symbols import spell

Piece = tuple[Symbol, str, colours.Look]  # the str is a note, which may be empty


def show_tokens(
    tok: Tokenizer, text: str, *, allowed_special: Collection[str] | str = ()
) -> boxes.Picture:
    """Show the tokens of a text, each with its id, and the number of characters per token.

    >>> tok = Tokenizer.train("low low lower", scheme="chars", num_merges=3)
    >>> show_tokens(tok, "low lower")
    low· (8) | low (7) | e (1) | r (4)
    4 tokens, 9 characters, 2.25 characters per token

    Raises ValueError in the same cases as `Tokenizer.encode`.
    """
    ids = tok.encode(text, allowed_special=allowed_special)
    special_ids = set(tok.special_tokens.values())
    pieces = []
    for place, i in enumerate(ids):
        look = colours.DARK if i in special_ids else colours.tint(place)
        pieces.append((tok.vocab[i], str(i), look))
    caption = f"{boxes.pluralize(len(ids), 'token')}, {boxes.pluralize(len(text), 'character')}"
    if ids:
        caption += f", {len(text) / len(ids):.2f} characters per token"
    return _draw(pieces, caption)


def show_gpt4o(text: str) -> boxes.Picture:
    """Show GPT-4o's tokens, with their ids, for one of the few texts for which they are stored.

    >>> show_gpt4o("strawberry")
    st (302) | raw (1618) | berry (19772)
    3 tokens; GPT-2's tokenizer makes 3

    The tokens were computed with tiktoken. The whole vocabulary would be a download of 3.6 MB. So
    any other text raises ValueError, and the message says how to load the vocabulary.
    """
    stored = {row["text"]: row for row in json.loads(load_corpus("gpt4o_tokens"))}
    if text not in stored:
        raise ValueError(
            f"GPT-4o's tokens are stored for these texts only: {[*stored]}. For others, load the "
            'whole vocabulary: tok = bpe_further.from_tiktoken(corpus_path("gpt4o_ranks")), after '
            "from bpe_teach.corpora import corpus_path; then show_tokens(tok, text)"
        )
    row = stored[text]
    pieces = [
        (token, str(i), colours.tint(place))
        for place, (token, i) in enumerate(zip(row["tokens"], row["ids"], strict=True))
    ]
    number = boxes.pluralize(len(pieces), "token")
    return _draw(pieces, f"{number}; GPT-2's tokenizer makes {row['tokens_of_gpt2']}")


def show_pieces(pieces: Iterable[Symbol], caption: str = "") -> boxes.Picture:
    r"""Show any list of symbols (characters, bytes or words) as boxes without ids.

    >>> show_pieces(["a low", b"\xe0\xa4"], "two pieces")
    a·low | ⟨E0 A4⟩
    two pieces
    """
    without_ids = [(symbol, "", colours.tint(place)) for place, symbol in enumerate(pieces)]
    return _draw(without_ids, caption)


def _draw(pieces: list[Piece], caption: str) -> boxes.Picture:
    """Draw pieces in rows, with a caption below them."""
    html = []
    lines = []
    for row in boxes.break_rows(pieces, text_of=lambda piece: spell(piece[0])):
        html.append(boxes.row_html(boxes.token_html(*piece) for piece in row))
        shown = [f"{label(symbol)} ({note})" if note else label(symbol) for symbol, note, _ in row]
        lines.append(" | ".join(shown))
    if caption:
        html.append(boxes.caption_html(caption))
        lines.append(caption)
    return boxes.picture("\n".join(html), "\n".join(lines))
