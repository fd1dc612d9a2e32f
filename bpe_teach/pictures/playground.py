"""Playground: a tokenizer that runs in the browser: type a text, move the number of merges, train.

A playground is one piece of HTML with nothing to load. The program in it, ``playground.js``, is
written for this page; tests hold it equal to the package. It is in the handlers of the box, not in
a script, so that it works wherever a notebook shows HTML. Where a notebook is not trusted the
stored tokens of the text can still be read.

What the program is given for each tokenizer (``data``): the scheme, the merges as pairs of ids in
base64 (``width`` bytes an id, little end first), the alphabet in the order of its ids (characters,
or for bytes the id of each, if that is not the byte), ``endId`` for the end-of-word symbol, the ids
of special tokens, and ``made``: rank -> id where a merge makes a symbol that has an id already.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from html import escape
from itertools import chain
from pathlib import Path

from bpe_teach.exchange.published import PublishedTokenizer
from bpe_teach.exchange.schemes import PublishedScheme
from bpe_teach.pictures.boxes import BOX, CAPTION, DARK, FRAME, TINTS, Picture
from bpe_teach.pictures.tokens import show_tokens
from bpe_teach.schemes import BYTES, SCHEMES, Scheme, check_text, lower_and_space
from bpe_teach.symbols import WordEnd
from bpe_teach.tokenizer import Tokenizer

MOST_DRAWN = 1000  # tokens
MOST_TOKENIZERS = 3
ADVICE = "If nothing changes as you type, run this cell: a notebook that was only opened is still."

AREA = (
    "display:block;box-sizing:border-box;width:100%;font:inherit;color:#222;background:#fff;"
    "border:1px solid #767676;border-radius:4px;padding:4px"
)
FIELD = "font:inherit;color:#222;background:#fff;border:1px solid #767676;border-radius:4px"
ROW = "display:flex;gap:8px;align-items:center;flex-wrap:wrap;margin:6px 0"
SHEET = f"{FRAME};background:#fff;color:#222;padding:8px;border-radius:6px;max-width:860px"
DOCUMENT = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 0 auto; padding: 12px; max-width: 900px; background: #fff; color: #222;
  font: 16px/1.4 system-ui, sans-serif }}
@media (prefers-color-scheme: dark) {{ body {{ background: #1b1b1b; color: #eee }} }}
</style>
<body onload="document.querySelectorAll('[data-bpe]').forEach(box => box.oninput())">
<main><h1 style="font-size:1.3em">{title}</h1>
{html}
</main>
</body>
</html>
"""


class Playground(Picture):
    """What `playground` returns: shown live in a notebook, as text in a terminal.

    >>> tok = Tokenizer.train("low low lower", scheme="chars", num_merges=3)
    >>> playground(tok, "low")
    low (7)
    1 token, 3 characters, 3.00 characters per token
    """

    def _repr_html_(self) -> str:
        return f'{self.html}\n<div style="{CAPTION}">{ADVICE}</div>'

    def page(self, title: str = "A tokenizer to play with") -> str:
        """Return a whole web page, to be written to a file and opened without a network.

        >>> tok = Tokenizer.train("low low lower", num_merges=3)
        >>> playground(tok).page().startswith("<!doctype html>")
        True
        """
        return DOCUMENT.format(title=escape(title), html=self.html)


def playground(tok: Tokenizer | Mapping[str, Tokenizer], text: str = "") -> Playground:
    """Put a tokenizer, or two or three by name, into a box in which one can type.

    The tokens of what is typed are shown as it is typed, with a slider over the number of merges
    and the compression curve of that text. A click on a token tells its id, its bytes, the merges
    it is made of and why its word was split so; the arrow keys go from token to token. Special
    tokens are recognised. A text can be trained on, too, in the browser.

    >>> tok = Tokenizer.train("low low lower", scheme="gpt2", num_merges=3)
    >>> playground({"ours": tok}, "low low")
    low (257) | ·low (258)
    2 tokens, 7 characters, 3.50 characters per token

    Raises ValueError for more than three tokenizers, for a scheme that the program does not know
    (see `is_offered`), for ids that training would not give, and as `Tokenizer.encode` does for a
    text.
    """
    check_text(text)
    named = dict(tok) if isinstance(tok, Mapping) else {"": tok}
    if not 1 <= len(named) <= MOST_TOKENIZERS:
        raise ValueError(f"a playground holds 1 to {MOST_TOKENIZERS} tokenizers, not {len(named)}")
    for name, one in named.items():
        if not isinstance(one, Tokenizer):
            whose = f" for {name}" if name else ""
            raise ValueError(f"give a Tokenizer, not {type(one).__name__}{whose}")
    drawn = ""  # the tokens of the text, for where the box does not come to life
    lines = []
    for name, one in named.items():
        shown = show_tokens(one, text, allowed_special="all")
        heading = f"<b>{escape(name)}</b>" if len(named) > 1 else ""
        drawn += heading + shown.html if text else ""
        lines += [f"{name}:", shown.text] if len(named) > 1 else [shown.text]
    most = max(len(one.merges) for one in named.values())
    return Playground(_box_html(_data(named), text, drawn, most), "\n".join(lines))


def _data(named: Mapping[str, Tokenizer]) -> dict:
    """Return all that the program is given."""
    offered = [scheme for scheme in SCHEMES.values() if is_offered(scheme)]
    return {
        "tokenizers": [(str(name), _tokenizer_data(tok)) for name, tok in named.items()],
        "schemes": {scheme.name: _scheme_data(scheme) for scheme in offered},
        "most": MOST_DRAWN,
        "tints": TINTS,
        "dark": DARK,
        "box": BOX,
    }


def is_offered(scheme: Scheme) -> bool:
    """Return whether the program in the browser can do what a scheme does.

    >>> is_offered(SCHEMES["gpt2"]), is_offered(SCHEMES["last_character"])
    (True, False)
    """
    if scheme.marks_last or scheme.prepare not in (None, lower_and_space):
        return False
    if isinstance(scheme, PublishedScheme) and (scheme.normalizations or scheme.prefix):
        return False
    return scheme.pattern is None or bool(scheme.javascript)


def _scheme_data(scheme: Scheme) -> dict:
    """Describe a scheme."""
    if not is_offered(scheme):
        offered = [one.name for one in SCHEMES.values() if is_offered(one)]
        raise ValueError(
            f"scheme {scheme.name!r} is not offered in a playground; {', '.join(offered)} are"
        )
    data = {"units": scheme.units.__name__, "pattern": scheme.javascript or None}
    if scheme.prepare:
        data["prepare"] = True
    if scheme.marker:
        data["marker"] = str(scheme.marker)
        data["isEnd"] = isinstance(scheme.marker, WordEnd)
    return data


def _tokenizer_data(tok: Tokenizer) -> dict:
    """Describe a tokenizer."""
    first = len(tok.alphabet)
    ids = {}  # symbol -> id; of two ids of one symbol the lower, as in encoding
    made = {}
    for i, symbol in enumerate(chain(tok.alphabet, (merge.token for merge in tok.merges))):
        if ids.setdefault(symbol, i) != i:
            made[i - first] = ids[symbol]
    if isinstance(tok, PublishedTokenizer):
        lacks_bytes = tok.scheme.units is bytes and len(tok.alphabet) < len(BYTES)
        if ids != tok.ids or tok.added_tokens or tok.lstrip or tok.whole_words or lacks_bytes:
            raise ValueError(
                "a playground numbers tokens as `train` does, and knows neither other ids nor "
                "added tokens, whole words or an alphabet that lacks bytes; use show_tokens"
            )
    width = 2 if len(tok) <= 1 << 16 else 3
    pairs = bytearray()
    for merge in tok.merges:
        for part in merge.pair:
            pairs += ids[part].to_bytes(width, "little")
    data = {
        "scheme": _scheme_data(tok.scheme),
        "merges": b64encode(pairs).decode("ascii"),
        "width": width,
        "special": {name: i for name, i in tok.special_tokens.items() if name != tok.unk_token},
    }
    if made:
        data["made"] = made
    if tok.unk_token:
        data["unknown"] = tok.special_tokens[tok.unk_token]
    if tok.scheme.units is str:
        data["alphabet"] = list(map(str, tok.alphabet))
        if isinstance(tok.scheme.marker, WordEnd):
            data["endId"] = ids.get(tok.scheme.marker, -1)
    elif list(tok.alphabet) != BYTES:
        data["bytes"] = [ids[byte] for byte in BYTES]
    return data


@cache
def _program() -> str:
    """Return the program, without comments and indentation."""
    source = Path(__file__).with_suffix(".js").read_text("utf-8")
    lines = []
    for line in source.splitlines():
        line = re.sub(r"(?:^|(?<=[{};,)\]] ))\s*// .*", "", line.strip())
        if line.strip():
            lines.append(line.strip())
    return "\n".join(lines)


def _box_html(data: dict, text: str, drawn: str, most: int) -> str:
    """Draw the box: the text, the slider, the tokens, the curve, what was clicked, training."""
    program = escape(f"(function(){{{_program()}\nif(!this.bpe)wake(this)}}).call(this)")
    content = escape(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
    typed = "\n" + escape(text)  # HTML drops the first newline of a textarea
    options = ""
    for name in data["schemes"]:
        selected = " selected" if name == "gpt2" else ""
        options += f"<option{selected}>{escape(name)}</option>"
    handlers = (
        f'oninput="{program}" onclick="this.bpe||this.oninput&amp;&amp;this.oninput()" '
        'onkeydown="event.stopPropagation()"'
    )
    button = f'<button type="button" style="{FIELD};padding:3px 10px;cursor:pointer"'
    return f"""\
<div style="{SHEET}" data-bpe="{content}" {handlers}>
<label style="display:block">Type a text:
<textarea data-role="text" rows="3" spellcheck="false" style="{AREA}">{typed}</textarea>
</label>
<label style="{ROW}"><span>merges: <b data-role="k">{most:,}</b> of <span data-role="of">{most:,}\
</span></span><input data-role="merges" type="range" min="0" max="1000" value="1000" \
aria-label="number of merges" style="flex:1 1 180px"></label>
<div data-role="out">{drawn}</div>
<div data-role="caption" role="status" style="{CAPTION}"></div>
<div data-role="detail" role="status" style="{CAPTION};overflow-wrap:anywhere"></div>
<div data-role="curve" style="margin:6px 0"></div>
<details style="{CAPTION}"><summary style="cursor:pointer">Train on this text, here in the browser\
</summary><div style="{ROW}"><label>scheme <select data-role="scheme" style="{FIELD}">{options}\
</select></label><label>merges <input data-role="wanted" type="number" min="0" max="20000" \
value="300" style="{FIELD};width:6em"></label>{button} data-role="train">train</button>\
{button} data-role="original">back</button></div><div data-role="progress" role="status"></div>
<ol data-role="learned" start="0" style="max-height:160px;overflow:auto;margin:4px 0"></ol>\
</details>
</div>"""
