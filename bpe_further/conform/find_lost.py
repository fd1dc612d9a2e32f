"""Find lost: what a program doesn't give back, or makes something else of.

No case asks for it, so the report says it in notes.
"""

import json
from collections.abc import Mapping

from bpe_further.conform.found import TWO_WORDS, Ask, Found, is_text, pairs_of_texts, train
from bpe_further.exercises.whole_programs import answer

UNKNOWN = 999_999  # an id that no program has
UNSEEN = "low", "lowz"  # what is learned from, and what is encoded then: z was not seen
UNSEEN_INSIDE = "lzow"
UNMET = "lo", "low owl"  # what is encoded, and what is learned from: there, no o ends a word
BEYOND = "low語"  # with a character that is no letter of one byte
BESIDE_LETTERS = {"digits": "a1", "signs": "a+"}
SPACED = " ab  cd\nab\tcd"  # white space of several kinds
CUT_NAMES = "<e>", "<e>qq"  # of special tokens
NO_NAME = "<z>"  # of a special token that isn't in a text


def find_unknown(ask: Ask, found: Found) -> str:
    """Return what a program makes of an id that it doesn't have."""
    got = train(ask, found, "abab", 1)
    has_no_ids = found.by_characters and not found.told.get("has_ids")
    if has_no_ids or (found.learns and "merges" not in got):
        return "not found out"
    asked = {"do": "decode_own"} if found.keeps else {"do": "decode", "merges": []}
    alone, got = (ask({**asked, "ids": ids}) for ids in ([97], [97, UNKNOWN]))
    if "error" in got and "error" not in alone:
        return "an error"
    known, text = _text_in(alone), _text_in(got)
    if known is None or text is None or not text.startswith(known):
        return "not found out"
    if text == known:
        return "skipped"
    return f"become {json.dumps(text.removeprefix(known), ensure_ascii=False)}"


def _text_in(got: Mapping) -> str | None:
    """Return the text in an answer that is a text or bytes; None if it is something else."""
    if isinstance(got.get("bytes"), list) and "text" not in got:
        numbers = [byte % 256 for byte in got["bytes"] if isinstance(byte, int)]
        return bytes(numbers).decode("utf-8", "replace")
    return got["text"] if is_text(got.get("text")) else None


def find_unseen(ask: Ask, found: Found) -> str:
    """Return what a program makes of a character that it hasn't learned from."""
    seen, text = UNSEEN
    got = train(ask, found, seen, 1)
    if "merges" not in got:
        return "not found out"
    if other := _token_instead(ask, found, got["merges"]):
        back = ask({"do": "round_trip", "text": UNSEEN_INSIDE}).get("text")
        shown = f"{UNSEEN_INSIDE} is encoded as if z were {other}"
        if is_text(back):
            shown += f", and comes back as {json.dumps(back, ensure_ascii=False)}"
        return f"become another token, which is a fault: {shown}"
    got = ask({"do": "round_trip", "text": text})
    if "error" in got:
        return "an error"
    if not isinstance(got.get("text"), str):
        return "not found out"
    back = got["text"]
    if back == text:
        got = ask({"do": "round_trip", "text": BEYOND})
        if "error" in got:
            return f'come back, but not all beyond U+00FF: "{BEYOND}" gives an error'
        if not isinstance(got.get("text"), str) or got["text"] == BEYOND:
            return "come back"
        shown = json.dumps(got["text"], ensure_ascii=False)
        return f'come back, but not all beyond U+00FF: "{BEYOND}" comes back as {shown}'
    shown = f"{json.dumps(text)} comes back as {json.dumps(back, ensure_ascii=False)}"
    return f"left out: {shown}" if back == seen else f"replaced: {shown}"


def _token_instead(ask: Ask, found: Found, merges) -> str | None:
    """Return the token of other symbols that stands for an unseen character; None if none does."""
    pairs = pairs_of_texts(merges)
    right = answer(found.encoding(UNSEEN_INSIDE, found.split, pairs)).get("tokens", [])
    given = ask({"do": "encode_own", "text": UNSEEN_INSIDE, "split": None}).get("tokens")
    if not isinstance(given, list) or len(given) != len(right) or "z" not in right:
        return None
    known = {*found.symbols(UNSEEN[0]), *map("".join, pairs)}
    instead = given[right.index("z")]
    return instead if instead in known else None


def find_unmet(ask: Ask, found: Found) -> list[str]:
    """Return a note on letters that training has met, but not at that place in a word.

    They are other symbols if the mark of words is a part of their first or last letter.
    """
    text, learned = UNMET
    if not found.told.get("is_joined"):
        return []
    train(ask, found, learned, 1)
    got = ask({"do": "round_trip", "text": text})
    if got.get("text") == text or not {"text", "error"} & {*got}:
        return []
    shown = "gives an error"
    if is_text(got.get("text")):
        shown = f"comes back as {json.dumps(got['text'], ensure_ascii=False)}"
    told = f"{json.dumps(text)} {shown} after {json.dumps(learned)}"
    return [f"letters that training saw only elsewhere in a word, which no case asks: {told}"]


def find_own_mark(ask: Ask, found: Found) -> list[str]:
    """Return a note on texts that hold the mark of a program's words, if such a text is changed."""
    mark = found.told.get("before") or found.told.get("after")
    if not mark:
        return []
    text = f"a{mark}b"
    if found.words(text, found.split) != [text]:  # it is split there, or dropped
        return []
    train(ask, found, f"{text} {text}", 1)
    back = ask({"do": "round_trip", "text": text}).get("text")
    if not isinstance(back, str) or back == found.changed(text):
        return []
    shown = f"{json.dumps(text, ensure_ascii=False)} comes back as {json.dumps(back)}"
    return [f"a text that holds the mark of words isn't given back, which no case asks: {shown}"]


def find_joined(ask: Ask, found: Found) -> list[str]:
    """Return a note on white space that is dropped or replaced, if decoding doesn't give it back.

    Where only a character that stands for a space comes back, no case asks for spaces then.
    """
    if not found.drops_spaces and not found.space:
        return []
    shown = _spaces_lost(ask, found, TWO_WORDS)
    found.loses_space = bool(found.space and shown)
    shown = shown or (found.drops_spaces and _spaces_lost(ask, found, SPACED))
    return [f"white space isn't given back, which no case asks: {shown}"] if shown else []


def _spaces_lost(ask: Ask, found: Found, text: str) -> str:
    """Return what a text comes back as, if its white space isn't given back; else ""."""
    train(ask, found, f"{text} {text}", 1)
    back = ask({"do": "round_trip", "text": text}).get("text")
    if not is_text(back) or back == found.changed(text):
        return ""
    return f"{json.dumps(text)} comes back as {json.dumps(back, ensure_ascii=False)}"


def find_lost(ask: Ask, found: Found) -> list[str]:
    """Return a note on what isn't given back, where only words of letters are asked."""
    lost = []
    for what, text in BESIDE_LETTERS.items():
        train(ask, found, f"{text} {text} {text}", 1)
        back = ask({"do": "round_trip", "text": text}).get("text")
        if isinstance(back, str) and text[-1] not in back:
            shown = json.dumps(back, ensure_ascii=False)
            lost.append(f"{what} ({json.dumps(text)} comes back as {shown})")
    if shown := _spaces_lost(ask, found, SPACED):
        lost.append(f"white space ({shown})")
    return [f"what isn't given back, which no case asks: {', '.join(lost)}"] if lost else []


def find_names_needed(ask: Ask, found: Found) -> list[str]:
    """Return a note if training learns nothing unless there is a special token."""
    asked = {"do": "train", "text": "ababab", "split": found.split, "merges": 1, "ties": "any"}
    if not found.learns or ask(asked).get("merges"):
        return []
    if not ask({**asked, "special": [NO_NAME]}).get("merges"):
        return []
    return [
        "without special tokens training learns nothing; with one that the text doesn't hold, it "
        "learns: does it split at the empty pattern if the list of special tokens is empty?"
    ]


def find_names_cut(ask: Ask) -> list[str]:
    """Return a note if training cuts a special token that begins with a shorter special token."""
    short, long = CUT_NAMES
    asked = {"do": "train", "text": long * 4, "split": "gpt2", "merges": 1, "ties": "any"}
    if ask({**asked, "special": [long]}).get("merges") != []:  # it cuts at no name
        return []
    # Nothing is left to learn from between the longer names; beside the shorter one, there is.
    left = [
        ask({**asked, "special": names}).get("merges") for names in ([short, long], [long, short])
    ]
    if left[0] and left[1] == []:
        return [
            "a special token that begins another: training takes the one that is listed first, "
            f"which no case asks ({short} and {long})"
        ]
    if left[0] and left[1]:
        return [f"training takes {short} where {long} is a special token, too; no case asks for it"]
    return []
