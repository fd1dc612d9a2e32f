"""Use: a program is used as a user would: it learns once, is kept, and is asked with what it has.

Nothing is put into it. What it has learned is read, and decides what is right from then on, so that
a fault of learning doesn't hide a fault of encoding. First come texts that were chosen
(``use.json``), then two hundred that are made from a seed (``whole.json``). A request that fails
there is made smaller as long as it still fails.
"""

import json
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from bpe_further.conform.cases import FOLDER, Case
from bpe_further.conform.found import Found
from bpe_further.conform.judge import Result, answer_like
from bpe_further.conform.program import Interview
from bpe_further.conform.splits import SPLITS
from bpe_further.conform.tokens import count_distinct, make_vocab

SEED = 1
TEXTS = 200
MOST_CRASHES = 10  # after which it isn't asked for fewer merges
SHRUNK = 3  # failures of each kind to make smaller
TRIALS = 150  # requests with which to make one smaller
MOST_OF_THE_TIME = 0.6  # that may be used for texts from the seed
FOUND = json.loads((FOLDER / "whole.json").read_text("utf-8"))
ALPHABETS = FOUND["alphabets"]  # of what the texts are made
NAMES = FOUND["names"]  # of special tokens
ABOUT = FOUND["about"]  # what is asked -> what must hold
USES = json.loads((FOLDER / "use.json").read_text("utf-8"))["cases"]
STEPS = {  # how names of cases end -> what must hold, beside what the training is about
    "train": "each merge is a most frequent pair at its moment, and none is missing",
    "encode": "a text is encoded with what was learned",
    "back": "what was encoded is decoded again",
    "tokens": "each token that was learned is decoded",
    "beside": "an object encodes as before after a new one has learned",
    "again": "an object that learns again answers as a new one",
    "save": "what was learned is saved",
    "load": "what was saved is loaded in a new process",
}


@dataclass
class Session:
    """A program that learns and is kept, asked step by step; each step gives a result."""

    interview: Interview
    found: Found
    group: str
    split: str | None
    name: str
    about: str
    merges: list | None = None  # those it has, if they are known
    text: str = ""
    encodings: int = 0
    starts: int = 0  # of the program, when it learned

    def _judge(
        self, step: str, request: Mapping, got: Mapping | None, text: str | None = None
    ) -> Result:
        about = self.about
        if self.group == "whole":
            about = ABOUT[request["do"].removesuffix("_words")]
        case = _case(request, self.group, f"{self.name}-{step}", about)
        return self.interview.judge(replace(case, text=text), got)

    def train(self, text: str, merges: int, step: str = "train", do: str = "train") -> Result:
        """Let the program learn and return the result; keep its merges, if it gave any."""
        self.text = text
        got = self._train(do, text, merges)
        self.starts = self.interview.starts
        asked = self.found.training(text, self.split, merges, got)
        result = self._judge(step, asked, got, text)
        self.merges = self._usable(got)
        fewer = merges
        if self.merges is not None:
            fewer = count_distinct(self.merges)
        # After a failure, and where two tokens are spelled alike, it goes on with fewer merges.
        asked = merges
        while do == "train" and fewer > 0 and (self.merges is None or fewer < len(self.merges)):
            fewer = fewer // 4 if self.merges is None else fewer
            crashes = self.interview.crashes["train"] > MOST_CRASHES
            if got is None or "skip" in got or fewer == 0 or crashes:
                break
            if self.merges is not None and len(self.merges) > asked:
                self.merges = None  # it learns as many as it likes
                break
            asked = fewer
            self.merges = self._usable(self._train(do, text, fewer))
            if self.merges is not None and count_distinct(self.merges) == len(self.merges):
                break
            fewer = min(fewer, len(self.merges) - 1) if self.merges else fewer
        return result

    def _usable(self, got: Mapping | None) -> list | None:
        """Return the merges of an answer if all of them can be replayed; None if not."""
        merges = (got or {}).get("merges")
        if not isinstance(merges, list):
            return None
        kind = str if self.found.by_characters else int
        try:
            pairs = [[left, right] for left, right in merges]
            if not self.found.by_characters:
                make_vocab(pairs, {})
        except (TypeError, ValueError, IndexError):
            return None
        return pairs if all(type(part) is kind for pair in pairs for part in pair) else None

    def _train(self, do: str, text: str, merges: int) -> dict | None:
        request = self.found.asking(text, self.split, merges)
        if do == "train_again":
            del request["ties"]
        return self.interview.answer(request | {"do": do})

    def encode(self, text: str) -> Iterator[Result]:
        """Let the program encode a text, and decode the ids that it gave."""
        if self.merges is None or not self.can_be_asked(text):
            return
        if not self.found.told.get("encodes", True):
            return
        self.encodings += 1
        got = self._ask({"do": "encode_own", "text": text, "split": self.split})
        asked = self.found.encoding(text, self.split, self.merges)
        result = self._judge(f"encode-{self.encodings}", asked, got, text)
        yield self._with_advice(result, text)
        yield from self._decode(text, got)

    def _with_advice(self, result: Result, text: str) -> Result:
        """Return a result; it says so if texts to encode are known to be treated in this way."""
        if result.result != "failed" or not self.found.encodes_otherwise:
            return result
        is_so = self.found.encodes_so(text, self.split, self.merges, result.got)
        return replace(result, advice="otherwise" if is_so else None)

    def _decode(self, text: str, encoded: Mapping | None) -> Iterator[Result]:
        """Let the program decode the ids that it has just given, whether they are right or not."""
        ids = (encoded or {}).get("ids")
        own = range(256 + len(self.merges))
        are_own = isinstance(ids, list) and all(type(i) is int and i in own for i in ids)
        if are_own and not self.found.by_characters:
            request = {"do": "decode", "ids": ids, "merges": self.merges}
            if self.found.told.get("decodes", True):
                got = self._ask({"do": "decode_own", "ids": ids})
                yield self._judge(f"back-{self.encodings}", request, got, text)
        elif self.found.by_characters and self.gives_back(text):
            got = self._ask({"do": "round_trip", "text": text})
            request = {"do": "round_trip", "text": text, "learned": self.merges}
            right = {"text": self.found.changed(text)}
            result = self.interview.judge(self._step("back", request, right), got)
            yield self._with_advice(result, text)

    def _step(self, step: str, request: Mapping, answer: Mapping) -> Case:
        """Return a case whose answer doesn't come from the plain program."""
        name = f"{self.name}-{step}"
        if step == "back":
            name += f"-{self.encodings}"
        return Case(self.group, name, STEPS[step], request, answer)

    def _ask(self, request: dict) -> dict | None:
        """Ask the program; first it learns again what it has lost in a crash."""
        is_lost = self.interview.program is None or self.interview.starts != self.starts
        if is_lost and self.merges is not None:
            self._train("train", self.text, len(self.merges))
            self.starts = self.interview.starts
        return self.interview.answer(request)

    def beside(self, other: Mapping, text: str) -> Iterator[Result]:
        """Let a new object learn from another text; then the one that is kept encodes as before."""
        before = next(self.encode(text), None)
        self.encodings -= 1  # this one is only to compare with
        if before is None or before.result != "passed":
            return
        asked = self.found.asking(self.suited(other["text"]), self.split, other["merges"])
        more = {key: asked[key] for key in ("merges", "cut") if key in asked}
        told = {"do": "encode_beside", "text": text, "other": asked["text"], "split": self.split}
        got = self._ask(told | more)
        request = self.found.encoding(text, self.split, self.merges)
        result = self._judge("beside", request, got, text)
        about = f"{STEPS['beside']} from {asked['text']!r}"
        case = replace(result.case, about=about)
        yield replace(result, case=case, advice="shared")

    def recognize(self, text: str, special: Mapping, allow: list) -> Result:
        """Let the program encode a text with special tokens."""
        self.encodings += 1
        more = {"special": special, "allow": allow}
        got = self._ask({"do": "encode_own", "text": text, "split": self.split, **more})
        asked = self.found.encoding(text, self.split, self.merges) | more
        return self._judge(f"encode-{self.encodings}", asked, got, text)

    def tokens(self) -> Result:
        """Let the program decode each token that it has learned, and some bytes."""
        ids = [*range(97, 100), *range(256, 256 + len(self.merges)), 0, 10]
        got = self._ask({"do": "decode_own", "ids": ids})
        return self._judge("tokens", {"do": "decode", "ids": ids, "merges": self.merges}, got)

    def save(self, texts: list[str]) -> Iterator[Result]:
        """Let the program save, then load in a new process and encode."""
        with tempfile.TemporaryDirectory() as folder:
            got = self._ask({"do": "save_own", "path": folder})
            if got is None or "skip" in got:
                return
            request = {"do": "save_own", "learned": self.merges}
            case = self._step("save", request, {"saved": got.get("saved", ["a file"])})
            yield self.interview.judge(case, got)
            if "saved" not in got:
                return
            self.interview.close()
            asked = self.found.asking(self.text, self.split, len(self.merges))
            told = {key: asked[key] for key in ("text", "merges", "cut") if key in asked}
            got = self.interview.answer({"do": "load_own", "path": folder, **told})
            self.starts = self.interview.starts
            if got is None or "skip" in got:
                return
            request = {"do": "load_own", "saved": self.merges}
            yield self.interview.judge(self._step("load", request, {"merges": self.merges}), got)
            if "merges" in got:
                for text in texts:
                    yield from self.encode(text)

    def suited(self, text: str) -> str:
        """Return a text whose split is known: a single word, if the program's split isn't known."""
        text = self.found.without_doubt(text, self.split)
        return text if self.split is not None else "".join(c for c in text if c.isalpha())

    def can_be_asked(self, text: str) -> bool:
        """Return whether this program's conventions say what is right for a text."""
        if self.found.spaces_as and any(map(str.isspace, text)):
            return False
        if self.found.marks_empty and (not text or text != text.strip()):
            return False
        known = set(self.found.changed(self.text))
        if self.found.by_characters and not set(self.found.changed(text)) <= known:
            return False
        if self.found.told.get("is_joined") and not self._symbols(text) <= self._symbols(self.text):
            return False
        if self.found.told.get("only_met") and not set(text.encode()) <= set(self.text.encode()):
            return False
        return self.split is not None or text.isalpha()

    def _symbols(self, text: str) -> set[str]:
        """Return the symbols of a text, which a mark makes others at the borders of words."""
        words = self.found.words(text, self.split)
        return {symbol for word in words for symbol in self.found.symbols(word)}

    def gives_back(self, text: str) -> bool:
        """Return whether decoding must give back exactly this text."""
        if not self.found.told.get("decodes", True) or not text:
            return False
        if self.found.loses_space and " " in text:
            return False
        text = self.found.changed(text)
        words = SPLITS[self.split or "none"].cut(text)
        # Where white space is dropped, nobody can tell whether it was between two words.
        is_known = len(words) == 1 or not self.found.drops_spaces
        return is_known and "".join(words) == text and "\ufffd" not in text


def run_use(interview: Interview, found: Found, wanted=None) -> list[Result]:
    """Use a program with the texts of ``use.json``; ``wanted`` holds the names of cases to ask."""
    results = []
    last_split = found.split
    for use in USES:
        if wanted is not None and not any(one.startswith(f"{use['name']}-") for one in wanted):
            continue
        if use.get("needs") == "bytes" and (found.by_characters or last_split is None):
            continue
        session = Session(interview, found, "use", last_split, use["name"], use["about"])
        results += _use_once(session, use)
    return results


def _use_once(session: Session, use: Mapping) -> Iterator[Result]:
    """Yield the results of one training and what follows from it."""
    found = session.found
    yield session.train(session.suited(use["text"]), use["merges"])
    if session.merges is None:
        return
    for text in use["encode"]:
        yield from session.encode(session.suited(text))
    has_all = not found.by_characters and not found.told.get("only_met")
    if has_all and session.merges and found.told.get("decodes", True):
        yield session.tokens()
    if found.told.get("special"):
        for text, allow in use.get("recognize", []):
            yield session.recognize(text, use["special"], allow)
    if use.get("save") and found.told.get("saves", True):
        yield from session.save([session.suited(text) for text in use["encode"]])
    if found.told.get("several") and use.get("again"):
        yield from session.beside(use["again"], session.suited(use["encode"][0]))
    if found.told and (again := use.get("again")):
        earlier = session.merges
        text = session.suited(again["text"])
        result = session.train(text, again["merges"], "again", "train_again")
        is_on_top = _is_still_there(earlier or [], result.got.get("merges"), text)
        yield replace(result, advice="on_top" if is_on_top else None)
        if session.merges is not None and not is_on_top:
            for text in again["encode"]:
                yield from session.encode(session.suited(text))


def _is_still_there(earlier: list, merges: list | None, text: str) -> bool:
    """Return whether merges hold an earlier merge that can't have been learned from a text.

    Only pairs of single bytes or characters are looked at: other ids may mean new tokens.

    >>> _is_still_there([[97, 98]], [[120, 121], [97, 98]], "xyxy")
    True
    """
    for pair in earlier:
        left, right = (chr(part) if isinstance(part, int) else part for part in pair)
        is_plain = len(left + right) == 2 and (left + right).isascii()
        if is_plain and left + right not in text and pair in (merges or []):
            return True
    return False


def make_questions() -> Iterator[dict]:
    """Yield what to try: a text, how it is split, special tokens, and the number of merges."""
    chance = random.Random(SEED)
    for number in range(TEXTS):
        alphabet = "".join(chance.sample(ALPHABETS, chance.choice([1, 1, 2, 3])))
        names = []
        if number % 4 == 3:
            names = chance.sample(NAMES, chance.choice([1, 2]))
        text = _make_text(chance, number, alphabet, names)
        yield {
            "text": text,
            "split": chance.choice(["none", "gpt2"]),
            "merges": chance.choice([1, 3, 10, 200]),
            "special": {name: 1000 + i for i, name in enumerate(names)},
            "allow": names[: chance.randint(0, 2)],
            "pieces": _cut(chance, text),
        }


def _make_text(chance: random.Random, number: int, alphabet: str, names: list[str]) -> str:
    """Return a text of some parts, which repeat; the first texts are the shortest."""
    parts = []
    for _ in range(4):
        parts.append("".join(chance.choices(alphabet, k=chance.randint(1, 5))))
    parts += [*alphabet.split(), *names]
    few, many = chance.randint(2, 6), chance.randint(5, 25)
    if number == 0:
        return ""
    if number == 1:
        return alphabet[1]
    return "".join(chance.choices(parts, k=few if number == 2 else many))


def _cut(chance: random.Random, text: str) -> list[str]:
    """Return a text in up to five pieces, some of which may be empty."""
    places = sorted(chance.choices(range(len(text) + 1), k=chance.randint(0, 4)))
    borders = [0, *places, len(text)]
    return [text[start:end] for start, end in pairwise(borders)]


def run_whole(interview: Interview, found: Found, wanted=None) -> list[Result]:
    """Ask a program to train, encode and decode what `make_questions` yields."""
    results = []
    failures = dict.fromkeys(ABOUT, 0)
    for number, question in enumerate(make_questions()):
        if wanted is not None and not any(one.endswith(f"-{number}") for one in wanted):
            continue
        if interview.used() > MOST_OF_THE_TIME:
            break  # it is slow, and has been asked much
        if found.told:
            results += _use_on(interview, found, question, number)
            continue
        for result in _ask_on(interview, found, question, number):
            do = result.case.request["do"]
            is_new = do in failures and failures[do] < SHRUNK
            if result.result == "failed" and is_new and "stopped" not in result.got:
                failures[do] += 1
                result = _shrink(interview.ask, result)
            results.append(result)
    return results


def _use_on(interview: Interview, found: Found, question: Mapping, number: int) -> Iterator[Result]:
    """Yield the results of a program that learns from a text, and encodes it and two others."""
    chance = random.Random(f"{SEED} {number}")
    text = question["text"]
    split = found.split
    if len(found.splits) > 1:
        split = question["split"]
    text = found.without_doubt(text, split)
    if split is None:
        text = "".join(chance.choices("abcde", k=len(text)))
    session = Session(interview, found, "whole", split, str(number), ABOUT["encode"])
    result = session.train(text, question["merges"])
    yield _renamed(result, number)
    others = ["".join(chance.sample(text, len(text))), "".join(chance.choices(text or "a", k=9))]
    for other in [text, *others]:
        for result in session.encode(other):
            yield _renamed(result, number)


def _renamed(result: Result, number: int) -> Result:
    """Return a result whose case is named after what is asked, and the number of the text."""
    _, _, step = result.case.name.partition("-")
    return replace(result, case=replace(result.case, name=f"{step}-{number}"))


def _ask_on(interview: Interview, found: Found, question: Mapping, number: int) -> Iterator[Result]:
    """Yield the result of each step; the step after a wrong answer uses the right answer."""
    ask = interview.ask
    text, split, special = question["text"], question["split"], question["special"]
    named = {"special": special} if special else {}
    training = {"do": "train", "text": text, "split": split, "merges": question["merges"]}
    training["ties"] = "any"
    if special:
        training["special"] = [*special]
    trained = ask(_numbered(training, number))
    yield trained
    right = trained.got if trained.result == "passed" else trained.case.answer
    merges = right["merges"][: count_distinct(right["merges"])]
    encoding = {"do": "encode", "text": text, "split": split, "merges": merges, **named}
    if special:
        encoding["allow"] = question["allow"]
    encoded = ask(_numbered(encoding, number))
    yield encoded
    pieces = {key: value for key, value in encoding.items() if key != "text"}
    yield ask(_numbered(pieces | {"do": "encode_stream", "pieces": question["pieces"]}, number))
    ids = encoded.case.answer["ids"]
    if number % 2:  # in another order, where bytes may not make characters
        ids = ids[number % 5 :: 2] + ids[::-3]
    yield ask(_numbered({"do": "decode", "ids": ids, "merges": merges, **named}, number))
    if found.keeps and not special and trained.result == "passed":
        yield from _ask_on_others(interview, found, question, number, merges)


def _ask_on_others(
    interview: Interview, found: Found, question: Mapping, number: int, merges: list
) -> Iterator[Result]:
    """Yield the results of texts that the program encodes with what it has kept."""
    chance = random.Random(f"{SEED} {number}")
    text = question["text"]
    session = Session(interview, found, "whole", question["split"], str(number), ABOUT["encode"])
    session.text, session.merges = text, merges
    if len(merges) < question["merges"]:  # two tokens are spelled alike, or all pairs are merged
        session.train(text, len(merges))
    for other in (
        "".join(chance.sample(text, len(text))),
        "".join(chance.choices(text or "a", k=9)),
    ):
        for result in session.encode(other):
            yield _renamed(result, number)


def _numbered(request: dict, number: int) -> Case:
    """Return a case of a text from the seed."""
    return _case(request, "whole", f"{request['do']}-{number}", ABOUT[request["do"]])


def _case(request: Mapping, group: str, name: str, about: str) -> Case:
    """Return a case with the answer of the plain program; the judge replays what is trained."""
    case = Case(group, name, about, request, {})
    right = dict(answer_like(case, {}))  # a copy: others are given the same answer
    if request["do"] == "decode":
        vocab = make_vocab(request["merges"], request.get("special", {}))
        right["bytes"] = list(b"".join(vocab[i] for i in request["ids"]))
    return replace(case, answer=right)


def _shrink(ask: Callable[[Case], Result], result: Result) -> Result:
    """Return the failing result of the smallest request that was found to fail."""
    number = int(result.case.name.rpartition("-")[2])
    left = TRIALS
    smaller = _smaller(result.case.request)
    while left > 0 and (request := next(smaller, None)) is not None:
        left -= 1
        tried = ask(_numbered(request, number))
        if tried.result == "failed" and "silent" not in tried.got:
            result = tried
            smaller = _smaller(request)
    return result


def _smaller(request: Mapping) -> Iterator[dict]:
    """Yield requests that ask for less: halves first, then single characters, ids or merges."""
    key = {"decode": "ids", "encode_stream": "pieces"}.get(request["do"], "text")
    for shorter in _shorter(request[key]):
        yield {**request, key: shorter}
    if key == "pieces":
        for i, piece in enumerate(request["pieces"]):
            for shorter in _shorter(piece):
                pieces = list(request["pieces"])
                pieces[i] = shorter
                yield {**request, "pieces": pieces}
    merges = request["merges"]
    if isinstance(merges, int):
        for fewer in sorted({0, 1, merges // 2} - {merges}):
            yield {**request, "merges": fewer}
        return
    least = 0  # as many as the ids need
    for i in request.get("ids", []):
        if i < 256 + len(merges):
            least = max(least, i - 255)
    for size in (least, len(merges) // 2, len(merges) - 1):
        if least <= size < len(merges):
            yield {**request, "merges": merges[:size]}


def _shorter(items):
    """Yield a text or a list without a half, a quarter … an item of it.

    >>> list(_shorter("abc"))
    ['bc', 'ac', 'ab']
    """
    size = len(items) // 2
    while size > 0:
        for start in range(0, len(items), size):
            yield items[:start] + items[start + size :]
        size //= 2
