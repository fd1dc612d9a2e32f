"""Playground: a tokenizer in the browser, with a box to type in and a slider for the merges.

A playground is one piece of HTML that needs no other file. ``engine.js`` encodes and trains, and
tests make sure that it gives the same results as the package; ``playground.js`` draws. Both
programs are in event handlers of the box, not in a script, so that they work wherever a notebook
shows HTML. If a notebook isn't trusted, the stored tokens of the text can still be read.

For each tokenizer, the two programs are given this ``data``:

- the scheme, and the merges as pairs of ids;
- ``alphabet``, the first symbols, unless they are all bytes in order, and ``ids``, the id of each
  first symbol, if these are not simply the positions in the alphabet;
- ``made``, the id of the token that each merge makes, if these ids don't follow the alphabet;
- ``endId``, the id of the end-of-word symbol;
- the ids of special and added tokens, which of these tokens take the white space beside them, and
  which are looked for in the ``normalized`` text;
- ``unknown``, the id of unseen characters, ``fuse`` if several unseen characters become one token,
  and ``bytes``, the ids of the 256 bytes, which can spell such a character;
- ``whole``, whether a word that is a token is taken whole, and ``unmerged``, the ids and parts of
  the tokens that no merge makes.
"""

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from itertools import chain
from pathlib import Path

from bpe_teach.corpora import load_corpus
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.pictures.boxes import STYLES, Picture, caption_html, fill
from bpe_teach.pictures.colours import DARK, PLAIN, TINTS
from bpe_teach.pictures.javascript import pattern_in_javascript
from bpe_teach.pictures.tokens import show_tokens
from bpe_teach.schemes import BYTES, SCHEMES, Scheme, check_text, lower_and_space
from bpe_teach.symbols import WordEnd

MOST_DRAWN = 1000  # tokens
MOST_TOKENIZERS = 3
DIGITS = "".join(chr(code) for code in range(33, 127) if chr(code) not in "\"&'<>\\")  # 88
SMALL_NUMBERS = 48 * 88  # how many numbers have two digits
MOST_NUMBERS = SMALL_NUMBERS + 40 * 88 * 88
ADVICE = "If nothing changes as you type, run this cell first."


class Playground(Picture):
    """The result of `playground`: a notebook shows it live, a terminal shows it as text."""

    def _repr_html_(self) -> str:
        return f"{self.html}\n<div>{caption_html(ADVICE)}</div>"

    def page(self, title: str = "A tokenizer to play with") -> str:
        """Return a whole web page, which can be saved in a file and opened without a network."""
        return fill("playground_page.html", title=escape(title), box=self.html)


def playground(tok: Tokenizer | Mapping[str, Tokenizer], text: str = "") -> Playground:
    """Return a box to type in, with the tokens of one tokenizer, or of two or three by name.

    Tokens, ids and the compression curve change as the text is typed, and a slider sets the number
    of merges. A click on a token shows its bytes, the merges that made it, and why its word is
    split like this; the arrow keys go from token to token. Special tokens are recognized. The
    browser can also train on the text, merge by merge.

    >>> tok = Tokenizer.train("low low lower", scheme="gpt2", num_merges=3)
    >>> playground({"ours": tok}, "low low")
    low (257) | ·low (258)
    2 tokens, 7 characters, 3.50 characters per token

    Raises ValueError for more than three tokenizers, for a scheme that the browser's program can't
    run (see `is_offered`), for ids of 313,984 or more, and for any text that `Tokenizer.encode`
    refuses.
    """
    check_text(text)
    named = dict(tok) if isinstance(tok, Mapping) else {"": tok}
    if not 1 <= len(named) <= MOST_TOKENIZERS:
        raise ValueError(f"a playground holds 1 to {MOST_TOKENIZERS} tokenizers, not {len(named)}")
    drawn = ""  # the tokens of the text, shown where the programs of the box cannot run
    lines = []
    for name, one in named.items():
        if not isinstance(one, Tokenizer):
            whose = f" for {name}" if name else ""
            raise ValueError(f"give a Tokenizer, not {type(one).__name__}{whose}")
        shown = show_tokens(one, text, allowed_special="all")
        heading = f"<b>{escape(name)}</b>" if len(named) > 1 else ""
        drawn += heading + shown.html if text else ""
        lines += [f"{name}:", shown.text] if len(named) > 1 else [shown.text]
    most = max(len(one.merges) for one in named.values())
    return Playground(_box_html(_data(named), text, drawn, most), "\n".join(lines))


def _data(named: Mapping[str, Tokenizer]) -> dict:
    """Return all the data that the program in the browser is given."""
    offered = [scheme for scheme in SCHEMES.values() if is_offered(scheme)]
    return {
        "tokenizers": [(str(name), tokenizer_data(tok)) for name, tok in named.items()],
        "schemes": {scheme.name: _scheme_data(scheme) for scheme in offered},
        "most": MOST_DRAWN,
        "tints": TINTS,
        "dark": DARK,
        "plain": PLAIN,
        "box": STYLES["box"],
        "button": STYLES["button"],
        "example": _example(),
    }


def is_offered(scheme: Scheme) -> bool:
    """Return whether the program in the browser can do everything that a scheme does."""
    if scheme.marks_last or scheme.prepare not in (None, lower_and_space):
        return False
    if more_of(scheme) is None:
        return False
    return scheme.pattern is None or bool(pattern_in_javascript(scheme))


def _scheme_data(scheme: Scheme) -> dict:
    """Return the data of a scheme for the program in the browser."""
    if not is_offered(scheme):
        offered = [one.name for one in SCHEMES.values() if is_offered(one)]
        raise ValueError(
            f"scheme {scheme.name!r} is not offered in a playground; {', '.join(offered)} are; "
            "show_tokens draws the tokens of any"
        )
    data = {"units": scheme.units.__name__, "pattern": pattern_in_javascript(scheme) or None}
    data["prepare"] = bool(scheme.prepare)
    data |= more_of(scheme)
    if scheme.marker:
        data["marker"] = str(scheme.marker)
        data["isEnd"] = isinstance(scheme.marker, WordEnd)
    return data


def more_of(item: Scheme | Tokenizer) -> dict | None:
    """Return the data that a published item adds; None if the browser's program can't use it."""
    return item.in_browser() if hasattr(item, "in_browser") else {}


def tokenizer_data(tok: Tokenizer) -> dict:
    """Return the data of a tokenizer for the program in the browser."""
    ids = tok.ids
    data = {"scheme": _scheme_data(tok.scheme)}
    is_bytes = tok.scheme.units is bytes
    symbols = [*tok.alphabet, *(merge.token for merge in tok.merges)]
    unmerged = sorted(ids.keys() - set(symbols), key=ids.get)
    data |= {"unmerged": [[ids[token], list(token)] for token in unmerged]}
    data |= {"whole": False, "fuse": False, "lstrip": [], "rstrip": [], "normalized": {}}
    more = more_of(tok)
    added = more.pop("added", {})
    data |= more
    if tok.unk_token:
        data["unknown"] = tok.unknown
    data["special"] = tok.special_tokens | added
    data["merges"] = _write_numbers(ids[part] for merge in tok.merges for part in merge.pair)
    made = [ids[merge.token] for merge in tok.merges]
    if made != list(range(len(tok.alphabet), len(symbols))):
        data["made"] = _write_numbers(made)
    alphabet = sorted(tok.alphabet) if is_bytes else tok.alphabet
    first = [ids[symbol] for symbol in alphabet]
    if first != list(range(len(first))):
        data["ids"] = _write_numbers(first)
    if alphabet != BYTES:
        data["alphabet"] = list(b"".join(alphabet)) if is_bytes else list(map(str, alphabet))
    if isinstance(tok.scheme.marker, WordEnd):
        data["endId"] = ids.get(tok.scheme.marker, -1)
    return data


def _write_numbers(numbers: Iterable[int]) -> str:
    """Write numbers with characters that neither HTML nor JSON escapes.

    Numbers below 48 · 88 have two digits in base 88. Larger numbers are reduced by 48 · 88 and have
    three digits, the first of them 48 or more.

    >>> _write_numbers([0, 4223, 4224])
    '!!U~V!!'
    """
    written = []
    for number in numbers:
        if not 0 <= number < MOST_NUMBERS:
            raise ValueError(f"ids in a playground must be below {MOST_NUMBERS:,}, not {number:,}")
        if number < SMALL_NUMBERS:
            written.append(DIGITS[number // 88] + DIGITS[number % 88])
        else:
            high, low = divmod(number - SMALL_NUMBERS, 88)
            written.append(DIGITS[48 + high // 88] + DIGITS[high % 88] + DIGITS[low])
    return "".join(written)


def _example() -> str:
    """Return ten lines in five scripts to train on."""
    wanted = ("English", "Russian", "Arabic", "Hindi", "Chinese")
    languages = [part.splitlines() for part in load_corpus("parallel").split("## ")]
    lines = [lines[:2] for name, *lines in languages if name.startswith(wanted)]
    return "\n".join(chain(*lines))


@cache
def program(*names: str) -> str:
    """Return the named parts of the program, without comments and indentation."""
    lines = []
    for name in names or ("engine", "playground"):
        source = Path(__file__).with_name(f"{name}.js").read_text("utf-8")
        for line in source.splitlines():
            line = re.sub(r"(?:^|(?<=[{};,)\]] ))\s*// .*", "", line.strip())
            if line.strip():
                lines.append(line.strip())
    return "\n".join(lines)


def _attribute(value: str) -> str:
    r"""Write the value of an attribute in single quotes, which are rarer in programs than double.

    >>> print(_attribute('"low" isn\'t <b>'))
    '"low" isn&#39;t &lt;b>'
    """
    for sign, written in (("&", "&amp;"), ("'", "&#39;"), ("<", "&lt;")):
        value = value.replace(sign, written)
    return f"'{value}'"


def _box_html(data: dict, text: str, drawn: str, most: int) -> str:
    """Draw the box: the text, the slider, the tokens, the curve, and places for the rest.

    The first click starts the program of the box, and then acts as an ordinary click.
    """
    handler = _attribute(f"(function(){{{program()}\nif(!this.bpe)wake(this)}}).call(this)")
    content = _attribute(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    options = ""
    for name in data["schemes"]:
        selected = " selected" if name == "gpt2" else ""
        options += f"<option{selected}>{escape(name)}</option>"
    return fill(
        "playground.html",
        data=content,
        program=handler,
        text="\n" + escape(text),  # HTML drops the first newline of a textarea
        most=f"{most:,}",
        drawn=drawn,
        options=options,
    )
