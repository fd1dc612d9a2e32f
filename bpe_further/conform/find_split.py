"""Find split: how a program splits a text, when it learns and when it encodes."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from bpe_further.conform.find_order import TIES_TEXTS, learn_from_a_word, not_found_out
from bpe_further.conform.found import Ask, Found, is_text, pairs_of_texts, train
from bpe_further.conform.judge import says_the_same
from bpe_further.conform.replay import are_learned
from bpe_further.conform.splits import PUBLISHED, SPLITS
from bpe_further.exercises.whole_programs import answer

# Texts in which the splits that we know part: signs, digits, endings, capitals, runs of spaces.
SPLIT_TEXTS = [
    "b\na\nb\na\nb\na\nb\nb\n a b\n a b\n a b\n",
    "it's he's I'll it's he's I'll x's y's !'s !'s .'s .'s",
    "été été café cafés ab1ab1 ab1ab1 ab1 a_ba_b a_ba_b 1212 _1_1 a_b\n",
    "WE'D he'd WE'D he'd 12345 12345 12345 a.\n a.\n b.\n b.\nfooBar fooBar fooBar dooBar",
    "we'll WE'LL pay 12345 now,  pay 12345 now: fooBar fooBar\n\n  pay; pay don't pay \n12345\n",
    "the cat sat. the cat sat!  The cat, the  cat\nsat\nthe cat sat 2024 2024 cat's cat's\n",
    "one two three four †††† one two three four †††† five six †††† five six ††††",
]
LETTER_MORE = "q"  # which is in none of them
SPACED_TEXT = "ab ab x{0}y x{0}y x{0}y x{0}y"
WHITE_SPACE, A_SIGN = "\u2003\xa0", "†"  # beyond ASCII
MERGES = 12
NOT_TOLD = "not found out, since training fails with texts that would tell"
UNSPLIT = "training doesn't split, and encoding splits in no way that we know"


def spaces_otherwise(ask: Ask, found: Found) -> bool:
    """Return whether white space beyond ASCII is treated neither like a space nor as we do."""
    if found.split is None or found.split in PUBLISHED:
        return False
    others = [is_as_ours(ask, found, SPACED_TEXT.format(one), 1) for one in (" ", A_SIGN)]
    beyond = [is_as_ours(ask, found, SPACED_TEXT.format(one), 1) for one in WHITE_SPACE]
    return all(others) and False in beyond


def is_as_ours(ask: Ask, found: Found, text: str, merges: int) -> bool | None:
    """Return whether a program learns from a text what we do; None if it learns nothing."""
    got = train(ask, found, text, merges)
    if not isinstance(got.get("merges"), list) or not got["merges"]:
        return None
    return are_learned(found.training(text, found.split, merges, got), got["merges"])


@dataclass
class Seen:
    """What shows when a program learns from texts and encodes them."""

    learns: Counter = field(default_factory=Counter)  # split -> how many trainings it explains
    encodes: Counter = field(default_factory=Counter)  # split -> how many encodings it explains
    texts: int = 0  # from which it learned
    encoded: int = 0  # of these
    fails: bool = False  # whether training failed with a text
    differ: set = field(default_factory=set)  # splits by which other learned tokens are encoded
    last: Mapping = field(default_factory=dict)  # the answer to the last training

    def fits(self, split: str, other: str) -> bool:
        """Return whether one split explains all that was learned, another all that was encoded."""
        return self.learns[split] == self.texts and self.encodes[other] == self.encoded

    def are_alike(self, split: str, other: str) -> bool:
        """Return whether two splits explain as much."""
        same_learned = self.learns[split] == self.learns[other]
        return same_learned and self.encodes[split] == self.encodes[other]


def find_split(ask: Ask, found: Found) -> str | None:
    """Return the split that explains most of what a program learns, and how it encodes then.

    If one split explains all that it learns, and only a different split explains all that it
    encodes, the first of the two is meant.
    """
    seen = _learn_from_texts(ask, found)
    # Where a split and none encode alike, no merge crosses a border of the split. Without the
    # split, one of a dozen merges would.
    best = max(
        SPLITS,
        key=lambda split: (seen.learns[split] + 2 * seen.encodes[split], split != "none"),
    )
    if seen.fails and seen.texts and best != "none" and seen.are_alike(best, "none"):
        return _take_none(found, NOT_TOLD)  # the text that fails might tell
    unsplit_to_learn = seen.learns["none"] == seen.texts > 1
    if _may_take_words(found) and unsplit_to_learn and seen.encodes["none"] < seen.encoded:
        found.cut = find_cut(ask, found)
        if found.cut:
            return found.cut
        if _encodes_as_cut(ask, found, TIES_TEXTS[0], "none"):
            return _take_none(found, UNSPLIT)
    to_learn = max(SPLITS, key=lambda split: (seen.learns[split], seen.encodes[split]))
    to_encode = max(SPLITS, key=lambda split: seen.encodes[split])
    encodes_otherwise = seen.encodes[to_learn] < seen.encoded > 1
    if encodes_otherwise and seen.fits(to_learn, to_encode):
        if to_learn not in seen.differ:  # only characters that were never merged are treated so
            return _take_none(found, SPLITS[to_learn].about)
        found.encodes_otherwise = f"it is split {_in_words(to_encode)}"
        found.in_encoding = {"split": to_encode}
        return to_learn
    if seen.learns[best] + 2 * seen.encodes[best] >= max(2, seen.texts):
        return _judge_best(ask, found, seen, best)
    if seen.texts == 0:
        found.why_no_split = not_found_out(seen.last)
    elif (faulty := learn_from_a_word(ask, found)) is not None:
        found.why_no_split = faulty
    return None


def _judge_best(ask: Ask, found: Found, seen: Seen, best: str) -> str | None:
    """Return the split that explains most, or None if what it doesn't explain isn't known."""
    explains_learning = seen.learns[best] == seen.texts
    explains_encoding = seen.encodes[best] == seen.encoded > 0
    if not explains_learning and not explains_encoding:
        found.split_fits = False
        return _take_none(found, SPLITS[best].about)
    is_told_by_encoding = best == "none" or seen.encodes["none"] < seen.encoded
    found.split_fits = explains_learning or is_told_by_encoding
    if not found.split_fits and learn_from_a_word(ask, found) is None:
        return _take_none(found, SPLITS[best].about)  # learning is right, the split isn't
    return best


def _take_none(found: Found, why: str) -> None:
    """Note why no split is taken; the end of a longer note, after a semicolon, is left out."""
    found.why_no_split = why.partition(";")[0]


def _learn_from_texts(ask: Ask, found: Found) -> Seen:
    """Let a program learn from each text that parts splits, and compare it with each split."""
    seen = Seen()
    merges_some = False  # whether encoding merges anything
    for text in _texts_to_split(found):
        text, seen.last, given = _learn_and_encode(ask, found, text)
        merges = seen.last.get("merges")
        if not isinstance(merges, list):
            seen.fails = True
            continue
        seen.texts += 1
        seen.encoded += given is not None
        merges_some = merges_some or bool(_learned_in(given, merges)) or not merges
        for split in SPLITS:
            asked = found.training(text, split, MERGES, seen.last)
            if found.may_stop_after(asked, merges, found.least):
                asked["merges"] = len(merges)
            seen.learns[split] += are_learned(asked, merges)
            right = answer(found.encoding(text, split, merges))
            seen.encodes[split] += given is not None and given in right.values()
            if _learned_in(given, merges) != _learned_in(next(iter(right.values())), merges):
                seen.differ.add(split)
    if not merges_some:  # such an encoder tells nothing of its split
        seen.encoded, seen.encodes = 0, Counter()
    return seen


def _learn_and_encode(ask: Ask, found: Found, text: str) -> tuple[str, dict, list | None]:
    """Return a text, the answer to learning from it, and what it is encoded as; None for an error.

    Some programs fail at a merge at the end of a text: then a letter is put there.
    """
    for more in ("", LETTER_MORE):
        got = train(ask, found, text + more, MERGES)
        encoded = {}
        if isinstance(got.get("merges"), list):
            encoded = ask({"do": "encode_own", "text": text + more, "split": None})
        if "error" not in got and "error" not in encoded:
            break
    return text + more, got, encoded.get("ids", encoded.get("tokens"))


def _learned_in(tokens, merges: list) -> list | None:
    """Return those of the ids or tokens that merges made; None if there are no tokens."""
    if not isinstance(tokens, list):
        return None
    learned = {left + right for left, right in pairs_of_texts(merges)}
    texts = [one for one in tokens if is_text(one) and one in learned]
    return texts or [one for one in tokens if isinstance(one, int) and one > 255]


def _texts_to_split(found: Found) -> list[str]:
    return [found.without_doubt(text, None) for text in SPLIT_TEXTS]


def _may_take_words(found: Found) -> bool:
    """Return whether a list of texts, which training doesn't split, may be meant to hold words."""
    return found.told["text"].startswith("a list of") and found.told["encodes"]


def find_cut(ask: Ask, found: Found) -> str | None:
    """Return the split that makes words as encoding does; None if there is no such split.

    If a program doesn't encode, any split is right: then words end at white space.
    """
    if not found.told["encodes"]:
        return "white space"
    fitting = list(SPLITS)
    for text in _texts_to_split(found):
        fitting = [cut for cut in fitting if _encodes_as_cut(ask, found, text, cut)]
    return fitting[0] if fitting else None


def _encodes_as_cut(ask: Ask, found: Found, text: str, cut: str) -> bool:
    """Return whether encoding seems to cut a text in the way in which training cut it."""
    merges = train(ask, replace(found, cut=cut), text, MERGES, cut).get("merges")
    if not isinstance(merges, list):
        return False
    encoded = ask({"do": "encode_own", "text": text, "split": None})
    given = encoded.get("ids", encoded.get("tokens"))
    return given is not None and given in answer(found.encoding(text, cut, merges)).values()


def _in_words(split: str) -> str:
    """Return how a text is split, as the end of a sentence."""
    about = SPLITS[split].about
    return about if about.startswith("at ") else f"otherwise: {about}"


def encodes_unsplit(ask: Ask, found: Found) -> bool:
    """Return whether a program that learns with GPT-2's pattern doesn't split what it encodes."""
    is_told_apart = False
    for text in SPLIT_TEXTS:
        merges = train(ask, found, text, MERGES, "gpt2").get("merges")
        encoded = ask({"do": "encode_own", "text": text, "split": "gpt2"})
        if not isinstance(merges, list):
            return False
        right, unsplit = (answer(found.encoding(text, one, merges)) for one in ("gpt2", "none"))
        if not says_the_same(unsplit, encoded):
            return False
        is_told_apart = is_told_apart or not says_the_same(right, encoded)
    return is_told_apart
