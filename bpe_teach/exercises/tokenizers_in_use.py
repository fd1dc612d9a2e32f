"""Exercises of notebook 08b: sizes, chats, streams, tokens that nobody met."""

import codecs
import random

from bpe_teach.exercises.exercise import Function, Hunt, Value
from bpe_teach.exercises.record import record as record
from bpe_teach.tokenizer import Tokenizer

# Other vocabularies.

old_ids = Value(
    "GPT-2's tokenizer encodes a sentence, and GPT-4's decodes the ids. What comes out?",
    "nonsense",
    [
        ("same", "both have mostly the same words, but each numbered them in its own order."),
        ("error", "every id below 50,257 is an id of GPT-4's too."),
        ("bytes", "only the first 256 ids are bytes; the ids of words are higher."),
    ],
    because="an id is the number of a row in a table, and the two have different tables.",
    choices={
        "same": "the same sentence",
        "error": "an error: the ids are unknown",
        "nonsense": "other words that make no sense",
        "bytes": "the right letters, cut in other places",
    },
    hints=["what decides the id of a merged token?"],
)

most_gained = Value(
    "for which of these pages does GPT-4o need the smallest share of the tokens that GPT-4 needs?",
    "Hindi",
    [
        ("English", "GPT-4's tokens for English were already long: GPT-4o saves one of 196."),
        ("German", "GPT-4o saves a ninth there; on another page, almost two thirds."),
        ("Chinese", "GPT-4o saves more than a third there; on another page, almost two thirds."),
    ],
    because="919 tokens become 324.",
    choices={
        "English": "the English page",
        "German": "the German page",
        "Chinese": "the Chinese page",
        "Hindi": "the Hindi page",
    },
    hints=["on which page did GPT-4 need by far the most tokens?"],
)


def solve_embedding_share(entries, width, parameters, copies):
    return 100 * copies * entries * width / parameters


def _share_of_one_copy(entries, width, parameters, copies):
    return 100 * entries * width / parameters


def _share_of_entries(entries, width, parameters, copies):
    return 100 * copies * entries / parameters


def _share_as_a_fraction(entries, width, parameters, copies):
    return copies * entries * width / parameters


def _share_of_the_rest(entries, width, parameters, copies):
    vectors = copies * entries * width
    return 100 * vectors / (parameters - vectors) if vectors < parameters else 0.0


embedding_share = Function(
    "write embedding_share(entries, width, parameters, copies): what percentage of a model's "
    "parameters are the vectors of its tokens? Each entry has a vector of width numbers. copies "
    "is 2 if the model has one table to read tokens and another to write them, else 1.",
    solve_embedding_share,
    cases=[((1000, 10, 40_000, 1), 25.0), ((1000, 10, 40_000, 2), 50.0), ((64, 4, 1024, 1), 25.0)],
    slips=[
        (_share_of_one_copy, "with two tables there are two vectors for each entry."),
        (_share_of_entries, "each entry is a whole vector, not a single number."),
        (_share_as_a_fraction, "that is a share from 0 to 1; we want per cent."),
        (_share_of_the_rest, "the parameters are all those of the model, vectors included."),
    ],
    draw=lambda chance: (
        2 ** chance.randint(4, 10),
        2 ** chance.randint(2, 6),
        2 ** chance.randint(18, 24),
        chance.choice([1, 2]),
    ),
    hints=["how many numbers are there in one table?", "100 * part / whole"],
)

# Chats.

ROLES = ["system", "user", "assistant"]
TINY = Tokenizer.train("", num_merges=0, special_tokens=[f"<|{role}|>" for role in ROLES])


def solve_encode_chat(messages, tok):
    ids = []
    for role, content in messages:
        ids.append(tok.special_tokens[f"<|{role}|>"])
        ids += tok.encode(content)
    return ids


def _encode_one_string(messages, tok):
    text = "".join(f"<|{role}|>{content}" for role, content in messages)
    return tok.encode(text, allowed_special="all")


def _encode_nothing_special(messages, tok):
    return tok.encode("".join(f"<|{role}|>{content}" for role, content in messages))


def _encode_after_deleting(messages, tok):
    text = ""
    for role, content in messages:
        for name in tok.special_tokens:
            content = content.replace(name, "")
        text += f"<|{role}|>{content}"
    return tok.encode(text, allowed_special="all")


def _encode_content_only(messages, tok):
    ids = []
    for _, content in messages:
        ids += tok.encode(content)
    return ids


def _random_chat(chance: random.Random) -> tuple:
    contents = ["hi", "1 < 2", "<|system|>", "no<|user|>yes", "<|us<|user|>er|>", ""]
    messages = [
        (chance.choice(ROLES), chance.choice(contents)) for _ in range(chance.randint(1, 3))
    ]
    return messages, TINY


encode_chat = Function(
    "write encode_chat(messages, tok): the ids of a chat. messages is a list of (role, content). "
    "Each message begins with the id of the special token <|role|>, and its content is ordinary "
    "text, whatever it says.",
    solve_encode_chat,
    cases=[
        (([("user", "hi")], TINY), [257, 104, 105]),
        (([("system", "a"), ("user", "b")], TINY), [256, 97, 257, 98]),
        (([("user", "<|user|>")], TINY), [257, 60, 124, 117, 115, 101, 114, 124, 62]),
        (([], TINY), []),
    ],
    slips=[
        (
            _encode_one_string,
            "once all messages are in one string, nobody can tell what the program wrote from "
            "what the user wrote.",
        ),
        (
            _encode_nothing_special,
            "without allowed_special nothing is special: the marks of the roles become ordinary "
            "text as well.",
        ),
        (
            _encode_after_deleting,
            "deleting changes what the user said. And <|us<|user|>er|> becomes a mark only after "
            "you delete.",
        ),
        (_encode_content_only, "the ids of the roles are missing."),
    ],
    draw=_random_chat,
    hints=[
        "tok.special_tokens is a dictionary: name -> id.",
        "tok.encode(content), with nothing allowed, takes the content as ordinary text. Join the "
        "ids, not the texts.",
    ],
)


def _chat_ids(content):
    return solve_encode_chat([("system", "Be kind."), ("user", content)], TINY)


def _chat_ids_by_template(content):
    return _encode_one_string([("system", "Be kind."), ("user", content)], TINY)


injection = Hunt(
    "which user message does this program take for something else?",
    _chat_ids_by_template,
    _chat_ids,
    ("<|user|>",),
    call="by_template, with the message {},",
    hints=["three names mean more to the program than their letters say."],
)

stored_chat = Value(
    "encode_chat turned an attack into safe ids. The ids are decoded, and the text is stored. "
    "Later it is encoded again, with the special tokens allowed. How many messages are there now?",
    "more",
    [
        ("same", "decoding writes our marks and the typed marks in the same letters."),
        ("none", "the special tokens are allowed, so the marks in the text are found."),
    ],
    because="as text, nobody can tell the typed mark from ours.",
    choices={
        "same": "as many as there were",
        "more": "more: the typed marks have become real",
        "none": "none: all marks are ordinary text",
    },
    hints=["what does decode write for the id of <|user|>? And what for the letters <|user|>?"],
)

# A stream.


def solve_stream(ids, vocab):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")  # it keeps the waiting bytes
    return [decoder.decode(vocab[i]) for i in ids]


def _stream_one_by_one(ids, vocab):
    return [vocab[i].decode("utf-8", "replace") for i in ids]


def _stream_leaving_out(ids, vocab):
    return [vocab[i].decode("utf-8", "ignore") for i in ids]


def _stream_ignoring_errors(ids, vocab):
    decoder = codecs.getincrementaldecoder("utf-8")("ignore")
    return [decoder.decode(vocab[i]) for i in ids]


def _stream_until_all_is_well(ids, vocab):
    shown, waiting = [], b""
    for i in ids:
        waiting += vocab[i]
        try:
            shown.append(waiting.decode())
            waiting = b""
        except UnicodeDecodeError:
            shown.append("")
    return shown


def _stream_from_the_start(ids, vocab):
    shown, so_far = [], b""
    for i in ids:
        so_far += vocab[i]
        shown.append(so_far.decode("utf-8", "ignore"))
    return shown


def _stream_at_the_end(ids, vocab):
    whole = b"".join(vocab[i] for i in ids).decode("utf-8", "replace")
    return [""] * (len(ids) - 1) + [whole] if ids else []


PIECES = {0: b"a", 1: b"\xc3", 2: b"\xa9", 3: b" \xf0\x9f", 4: b"\x99\x82", 5: b"b\xc3"}


def _random_stream(chance: random.Random) -> tuple:
    return chance.choices(list(PIECES), k=chance.randint(0, 6)), PIECES


stream = Function(
    "write stream(ids, vocab): a list with a text for each id: the characters that are complete "
    "once the id has come. vocab is {id: bytes}. Show � for a byte that can no longer become part "
    "of a character; let a byte wait as long as it still can.",
    solve_stream,
    cases=[
        (([0, 0], PIECES), ["a", "a"]),
        (([1, 2], PIECES), ["", "é"]),
        (([5, 2, 0], PIECES), ["b", "é", "a"]),
        (([3, 4], PIECES), [" ", "🙂"]),
        (([1, 0, 0], PIECES), ["", "�a", "a"]),
        (([], PIECES), []),
    ],
    slips=[
        (_stream_one_by_one, "a token may end inside a character; keep the bytes that wait."),
        (_stream_ignoring_errors, "a byte that can never become a character is shown as �."),
        (_stream_leaving_out, "those bytes are half a character: they must wait, not vanish."),
        (
            _stream_until_all_is_well,
            "show what is complete at once. And after a byte that can never become a character, "
            "this would wait for ever.",
        ),
        (_stream_from_the_start, "that is all the text so far; show only what is new."),
        (_stream_at_the_end, "a reader wants each character as soon as it is complete."),
    ],
    draw=_random_stream,
    hints=[
        "import codecs: an incremental decoder keeps the waiting bytes from one call to the next.",
        "decoder = codecs.getincrementaldecoder('utf-8')('replace'); decoder.decode(some_bytes) "
        "gives the characters that are complete.",
    ],
)


def _stream_in_whole_texts(ids):
    return _stream_until_all_is_well(ids, PIECES)


def _stream_of_pieces(ids):
    return solve_stream(ids, PIECES)


late_stream = Hunt(
    "for which ids, a list of numbers from 0 to 5, does this program show less than it should?",
    _stream_in_whole_texts,
    _stream_of_pieces,
    ([5],),
    hints=["which token holds a whole character and part of another?"],
)

readable = Value(
    "GPT-2 makes 12 tokens of नमस्ते, a word of 6 characters. A program decodes each token by "
    "itself, as soon as it comes. How many of the 6 characters can you read?",
    0,
    [
        (6, "for that, tokens would have to hold whole characters; these hold one or two bytes."),
        (12, "that is the number of tokens."),
        (2, "each of these characters takes three bytes, and no token here has more than two."),
    ],
    because="no token holds a whole character.",
    hints=["a character of this script has three bytes. What must a token hold to be readable?"],
)

# Tokens that nobody met.


def solve_never_met(vocab, ids):
    met = set(ids)
    return [i for i in vocab if i not in met]


def _never_met_as_text(vocab, ids):
    text = b"".join(vocab[i] for i in ids)
    return [i for i in vocab if vocab[i] not in text]


def _met_once_at_most(vocab, ids):
    return [i for i in vocab if list(ids).count(i) < 2]


def _met(vocab, ids):
    met = set(ids)
    return [i for i in vocab if i in met]


def _never_met_sorted(vocab, ids):
    return sorted(solve_never_met(vocab, ids))


def _never_met_tokens(vocab, ids):
    met = set(ids)
    return [token for i, token in vocab.items() if i not in met]


WORDS = {0: b"l", 1: b"o", 2: b"w", 3: b"lo", 4: b"low"}

never_met = Function(
    "write never_met(vocab, ids): a list of the ids of vocab, {id: token}, that do not occur in "
    "ids, in the order of vocab.",
    solve_never_met,
    cases=[
        ((WORDS, [4, 4, 0]), [1, 2, 3]),
        ((WORDS, []), [0, 1, 2, 3, 4]),
        ((WORDS, [0, 1, 2, 3, 4]), []),
        (({4: b"low", 0: b"l", 3: b"lo"}, [3]), [4, 0]),
    ],
    slips=[
        (
            _never_met_as_text,
            "a text may hold the letters of a token without the token: low holds lo, but the "
            "model sees only low.",
        ),
        (_met_once_at_most, "a token that was met once has been met."),
        (_met, "those are the ones that do occur."),
        (_never_met_sorted, "the order is that of vocab, which need not be that of the ids."),
        (_never_met_tokens, "we want the ids, not the tokens."),
    ],
    draw=lambda chance: (WORDS, chance.choices(list(WORDS), k=chance.randint(0, 8))),
    hints=["with set(ids) you can quickly ask whether an id is there."],
)


def solve_unreached(vocab, encode):
    found = []
    for i, token in vocab.items():
        try:
            text = token.decode()
        except UnicodeDecodeError:
            continue
        if encode(text) != [i]:
            found.append(i)
    return found


def _unreached_with_halves(vocab, encode):
    return [i for i, token in vocab.items() if encode(token.decode("utf-8", "replace")) != [i]]


def _unreached_if_absent(vocab, encode):
    found = []
    for i, token in vocab.items():
        try:
            if i not in encode(token.decode()):
                found.append(i)
        except UnicodeDecodeError:
            pass
    return found


def _unreached_halves(vocab, encode):
    found = []
    for i, token in vocab.items():
        try:
            token.decode()
        except UnicodeDecodeError:
            found.append(i)
    return found


def _unreached_by_length(vocab, encode):
    found = []
    for i, token in vocab.items():
        try:
            if len(encode(token.decode())) > 1:
                found.append(i)
        except UnicodeDecodeError:
            pass
    return found


ODD = {97: b"a", 98: b"b", 99: b"c", 195: b"\xc3", 256: b"bc", 257: b"ab", 258: b"abc", 259: b"bc"}


def odd_encode(text):
    """Encode with the merges (b, c), (a, b), (ab, c); no text gives abc."""
    ids = []
    while text:
        for i, token in [(256, "bc"), (257, "ab"), (97, "a"), (98, "b"), (99, "c")]:
            is_ab_before_c = i == 257 and text.startswith("abc")  # b and c are merged first
            if text.startswith(token) and not is_ab_before_c:
                ids.append(i)
                text = text[len(token) :]
                break
        else:
            ids += text[0].encode()
            text = text[1:]
    return ids


def repeating_encode(text):
    """Encode each byte twice."""
    return [byte for byte in text.encode() for _ in range(2)]


unreached = Function(
    "write unreached(vocab, encode): a list of the ids whose token, {id: bytes}, is a whole text, "
    "but encode(text) is not [id]. Leave out tokens that are not whole characters.",
    solve_unreached,
    cases=[
        ((ODD, odd_encode), [258, 259]),
        (({97: b"a", 256: b"bc"}, odd_encode), []),
        (({97: b"a", 195: b"\xc3"}, repeating_encode), [97]),
        (({195: b"\xc3"}, odd_encode), []),
    ],
    slips=[
        (_unreached_with_halves, "half a character is not a text: leave such tokens out."),
        (_unreached_if_absent, "the text must give this id and nothing else."),
        (_unreached_halves, "those are the ids of half characters; we want the others."),
        (_unreached_by_length, "a text may become a single token, but another one."),
    ],
    hints=[
        "token.decode() raises a UnicodeDecodeError if the token is not a text: try, except, "
        "continue.",
        "compare encode(text) with the list [i].",
    ],
)

# The report card.

best_row = Value(
    "a vocabulary of 1,256 entries, learned from one English story, competes with those of GPT-2, "
    "GPT-4 and GPT-4o. Where is it the best of the four?",
    "sums",
    [
        ("prose", "it has read English prose, but the others have read far more of it."),
        ("code", "it has no tokens for runs of spaces and none for the words of programs."),
        ("names", "the names of one story don't help with other names."),
    ],
    because="it has learned hardly any numbers, so it keeps most digits apart.",
    choices={
        "prose": "in bytes per token, on English prose",
        "code": "in bytes per token, on a program",
        "names": "in bytes per token, on given names",
        "sums": "in sums where all numbers are split at the same places",
    },
    hints=["where could it help to have *fewer* tokens to choose from?"],
)
