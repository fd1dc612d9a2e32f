"""Change: extend or trim a tokenizer, join two tokenizers, or add tokens; the old ids stay."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import count, groupby

from bpe_further.exchange.file import MORE_OF_TOKENIZER
from bpe_further.exchange.published import PublishedTokenizer
from bpe_further.exchange.shared import require
from bpe_further.exchange.spelling import BYTE_TOKENS
from bpe_teach.fast.learn import learn_merges
from bpe_teach.fast.tokenizer import Tokenizer
from bpe_teach.learn import Merge
from bpe_teach.pairs import Symbol, Word
from bpe_teach.schemes import as_texts


def extend(tok: Tokenizer, texts: str | Iterable[str], number: int) -> PublishedTokenizer:
    """Return a tokenizer with at most ``number`` more merges, learned from texts.

    The old merges are applied first, because their ranks are lower. So a word keeps its tokens if
    and only if no new merge joins two of its tokens that stand side by side. (If ``whole_words`` is
    true, the word must not be a new token either.) All old ids stay, and new tokens get ids after
    all others. Special tokens, and characters that are spelled in bytes, are not merged.

    >>> tok = Tokenizer.train("low low", num_merges=2)
    >>> more = extend(tok, "lower lower", 1)
    >>> more.tokens("lower"), more.encode("low") == tok.encode("low")
    ([b'lowe', b'r'], True)

    Raises ValueError for characters without an id.
    """
    tok = PublishedTokenizer.of(tok)
    learned = learn_merges(_count_tokens(tok, texts), number)
    ids = dict(tok.ids)
    free = _free_ids(tok)
    for merge in learned:
        if merge.token not in ids:  # the token may be there already, made by no merge
            ids[merge.token] = next(free)
    return _with(tok, merges=[*tok.merges, *learned], ids=ids)


def trim(
    tok: Tokenizer, number: int | None = None, *, texts: str | Iterable[str] | None = None
) -> PublishedTokenizer:
    """Return a tokenizer with the first merges only, or with the merges that some texts need.

    If a ``number`` of merges is given, the tokens of all later merges are replaced by their parts,
    and each text has the tokens that it had after this number of merges in training. If ``texts``
    are given, these texts keep all their tokens: a merge stays if it makes one of these tokens or a
    part of such a token, and no other merge is used in encoding the texts. Other texts may have
    more tokens than before. The remaining tokens keep their ids, so the ids have gaps. Tokens that
    no merge makes stay.

    >>> tok = Tokenizer.train("low low wide wide wide", num_merges=9)
    >>> [merge.token for merge in trim(tok, 2).merges]
    [b' w', b' wi']
    >>> small = trim(tok, texts="low")
    >>> [merge.token for merge in small.merges], small.encode("low") == tok.encode("low")
    ([b'lo', b'low'], True)

    Raises ValueError if neither a number nor texts are given, and for characters without an id.
    """
    tok = PublishedTokenizer.of(tok)
    require((number is None) != (texts is None), "give either a number of merges or texts")
    if texts is None:
        require(type(number) is int and number >= 0, f"{number!r:.80} is not a number of merges")
        kept = tok.merges[:number]
    else:
        kept = needed_merges(tok.merges, set().union(*_count_tokens(tok, texts)))
    gone = {merge.token for merge in tok.merges} - {merge.token for merge in kept}
    gone -= {*tok.alphabet, *map(tok._symbol, tok._id_of_name)}
    ids = {token: i for token, i in tok.ids.items() if token not in gone}
    return _with(tok, merges=kept, ids=ids)


def needed_merges(merges: list[Merge], tokens: Collection[Symbol]) -> list[Merge]:
    """Return the merges that make the given tokens or parts of them, in the order of the merges.

    >>> needed_merges([Merge("l", "o", 2), Merge("e", "r", 1), Merge("lo", "w", 2)], {"low"})
    [Merge(left='l', right='o', count=2), Merge(left='lo', right='w', count=2)]
    """
    ways = {}  # token -> all merges that make it
    for merge in merges:
        ways.setdefault(merge.token, []).append(merge)
    needed = set()
    waiting = list(tokens)
    while waiting:
        token = waiting.pop()
        if token not in needed:
            needed.add(token)
            waiting += [part for merge in ways.get(token, []) for part in merge.pair]
    return [merge for merge in merges if merge.token in needed]


def join(tok: Tokenizer, other: Tokenizer) -> PublishedTokenizer:
    """Return ``tok`` with all tokens of ``other`` added; the merges of ``other`` come last.

    Every token of both tokenizers is in the result, including special tokens; tokens that ``tok``
    lacks get ids after all others. As in `extend`, a word keeps the tokens that ``tok`` gives it if
    and only if no additional merge joins two of these tokens that stand side by side. For
    ``other``, there is no such rule. In the example below, " slow" is a token of ``other``, but the
    result doesn't find this token, because *l* is merged with *o* first.

    >>> tok = Tokenizer.train("low low", num_merges=2)
    >>> both = join(tok, Tokenizer.train("owl owl slow slow", num_merges=9))
    >>> both.encode("low") == tok.encode("low"), both.tokens("owl"), both.tokens(" slow")
    (True, [b'owl'], [b' s', b'low'])

    Raises ValueError if the schemes differ, or if ``other`` has added tokens or does anything else
    that ``tok`` doesn't do.
    """
    tok, other = PublishedTokenizer.of(tok), PublishedTokenizer.of(other)
    require(tok.scheme == other.scheme, f"schemes differ: {tok.scheme.name}, {other.scheme.name}")
    for name in MORE_OF_TOKENIZER:
        is_same = getattr(other, name) in (getattr(tok, name), MORE_OF_TOKENIZER[name])
        require(is_same, f"only the second has {name}={getattr(other, name)!r:.80}")
    known = {merge.pair for merge in tok.merges}
    ids, special_tokens = dict(tok.ids), dict(tok.special_tokens)
    free = _free_ids(tok)
    for table, others in ((ids, other.ids), (special_tokens, other.special_tokens)):
        for token in others:
            if token not in table:
                table[token] = next(free)
    alphabet = dict.fromkeys([*tok.alphabet, *other.alphabet])
    merges = [*tok.merges, *(merge for merge in other.merges if merge.pair not in known)]
    return _with(tok, alphabet=alphabet, merges=merges, special_tokens=special_tokens, ids=ids)


def add_tokens(tok: Tokenizer, names: Collection[str]) -> PublishedTokenizer:
    """Return a tokenizer that cuts every text at the given names, before splitting it into words.

    The names become added tokens, as in Hugging Face's library: a name is found anywhere, even
    inside a longer word. A text without these names keeps its ids. All old ids stay. A name that is
    spelled like an ordinary token has the id of this token; other names get ids after all others.

    >>> tok = add_tokens(Tokenizer.train("low low", num_merges=2), ["slow"])
    >>> tok.tokens("slowly low"), tok.encode("slow")
    ([b'slow', b'l', b'y', b' ', b'low'], [258])

    Raises ValueError for names that are special or added tokens already.
    """
    tok = PublishedTokenizer.of(tok)
    require(not isinstance(names, str), f"give a list of names, not {names!r:.80}")
    added = dict(tok.added_tokens)
    free = _free_ids(tok)
    for name in names:
        require(name not in tok._id_of_name, f"{name!r:.80} is a special or added token already")
        i = tok.ids.get(tok._symbol(name))
        added[name] = next(free) if i is None else i
    return _with(tok, added_tokens=added)


def _free_ids(tok: PublishedTokenizer) -> Iterator[int]:
    """Yield ids that no token has, from the one after the highest id on."""
    return count(max(tok.vocab, default=-1) + 1)


def _count_tokens(tok: PublishedTokenizer, texts: str | Iterable[str]) -> dict[Word, int]:
    """Return word counts of texts; words are written as tokens, cut at tokens that never merge."""
    words = Counter()
    for text in as_texts(texts):
        for part, i, position in tok.parts(text, "all"):
            if i is None:  # not a special token
                words.update(tok._find_words(part, position))
    counts = Counter()
    for word, times in words.items():
        tokens = [tok.vocab[i] for i in tok.encoder.encode_word(word)]
        for is_merged, run in groupby(tokens, lambda token: _is_merged(tok, token)):
            if is_merged:
                counts[tuple(run)] += times
    return counts


def _is_merged(tok: PublishedTokenizer, token: Symbol) -> bool:
    is_byte = tok.byte_fallback and token in BYTE_TOKENS
    return token in tok.ids and not is_byte and token != tok.unk_token


def _with(tok: PublishedTokenizer, **changes) -> PublishedTokenizer:
    """Return a tokenizer with the same parts as the given tokenizer, except for some changes."""
    tok.check_merges()
    names = ["scheme", "alphabet", "merges", "special_tokens", "ids", "unk_token"]
    parts = {name: getattr(tok, name) for name in [*names, *MORE_OF_TOKENIZER]}
    return PublishedTokenizer(**(parts | changes))
