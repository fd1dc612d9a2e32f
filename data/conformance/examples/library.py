"""A library asked by the conformance kit: tokenizers or tiktoken, with the merges of each request.

Run it: bpe-teach conform -- python library.py tiktoken
"""

import json
import sys

from bpe_further import to_huggingface, to_tiktoken
from bpe_teach import Tokenizer

NAME = sys.argv[1]
BYTES = [bytes([byte]) for byte in range(256)]


def make(split, merges, names):
    """Return our tokenizer with these merges, and the library's."""
    tokens = list(BYTES)
    rows = []
    for left, right in merges:
        rows.append((tokens[left], tokens[right], 0))
        tokens.append(tokens[left] + tokens[right])
    ours = Tokenizer("gpt2" if split == "gpt2" else "bytes", BYTES, rows, list(names))
    return ours, {"tokenizers": to_huggingface, "tiktoken": to_tiktoken}[NAME](ours)


def encode(text, split, merges, special=None, allow=()):
    """Turn a text into ids."""
    ours, theirs = make(split, merges, allow)
    if NAME == "tiktoken":
        ids = theirs.encode(text, allowed_special=set(allow), disallowed_special=())
    else:
        ids = theirs.encode(text, add_special_tokens=False).ids
    as_asked = {i: special[name] for name, i in ours.special_tokens.items()}
    return {"ids": [as_asked.get(i, i) for i in ids]}


def decode(ids, merges, special=None):
    """Turn ids into a text."""
    ours, theirs = make("none", merges, special or ())
    theirs_of = {special[name]: i for name, i in ours.special_tokens.items()}
    options = {"skip_special_tokens": False} if NAME == "tokenizers" else {}
    return {"text": theirs.decode([theirs_of.get(i, i) for i in ids], **options)}


def main():
    """Answer requests until there are no more."""
    sys.stdin.reconfigure(encoding="utf-8")
    for line in sys.stdin:
        request = json.loads(line)
        number, do = request.pop("id"), request.pop("do")
        try:
            answer = {"encode": encode, "decode": decode}[do](**request)
        except KeyError as error:
            answer = (
                {"skip": f"{error} is not offered"} if do in str(error) else {"error": str(error)}
            )
        except ValueError as error:  # what to_tiktoken can't carry over
            answer = {"skip": str(error)}
        except BaseException as error:  # tiktoken's, written in Rust, is no Exception
            answer = {"error": str(error)}
        print(json.dumps({"id": number, **answer}), flush=True)


if __name__ == "__main__":
    main()
