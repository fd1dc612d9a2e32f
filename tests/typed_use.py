"""A script as people write it, which pyright reads in its strict mode."""

from pathlib import Path

from bpe_teach import (
    SCHEMES,
    Merge,
    PublishedTokenizer,
    Tokenizer,
    add_tokens,
    compression_curve,
    count_pairs,
    encode_by_rank,
    extend,
    from_gpt2,
    from_huggingface,
    from_sentencepiece,
    from_subword_nmt,
    from_tiktoken,
    label,
    learn_merges,
    load_corpus,
    load_tokenizer,
    merge_pair,
    most_frequent_pair,
    to_huggingface,
    to_subword_nmt,
    to_tiktoken,
    token_offsets,
    trim,
)


def use() -> None:  # it is read, never run
    text: str = load_corpus("story")
    tok = Tokenizer.train(text, num_merges=9, special_tokens=["<|end|>"])
    ids: list[int] = tok.encode(text, allowed_special="all")
    batch: list[list[int]] = [*tok.encode_batch([text]), ids]
    print(batch)
    places: list[tuple[int, int]] = tok.offsets("low") + token_offsets(tok, "low")
    print(places)
    tok.save(Path("low.json"))
    loaded: PublishedTokenizer = load_tokenizer(Path("low.json"), check=True)
    print(
        loaded.notes, loaded.added_tokens, loaded.whole_words, loaded.unknown, loaded.id_of("low")
    )
    print(loaded.encode("low", disallowed_special="all"), loaded.decode(ids), loaded.offsets("low"))
    for read in (from_huggingface("a.json"), from_tiktoken("b", "gpt2"), from_sentencepiece("c")):
        print(read.lstrip, read.notes, read.tokens("low"), len(read.merges))
    print(from_gpt2().encode("low"), from_subword_nmt("codes").vocab)
    theirs = to_huggingface(tok)
    print(theirs.encode("low").ids, theirs.decode(ids), to_tiktoken(tok).encode_ordinary("low"))
    to_subword_nmt(loaded, "codes")
    word = tuple("low")
    counts = count_pairs({word: 2})
    pair = most_frequent_pair(counts)
    merges: list[Merge] = learn_merges({word: 1}, 2)
    print(
        merge_pair(word, ("l", "o")), encode_by_rank(word, {("l", "o"): 0}), pair, merges[0].token
    )
    print(SCHEMES["gpt2"].split(text), label(merges[0].token))
    print(extend(tok, text, 3), trim(loaded, 3), trim(tok, texts=text), add_tokens(tok, ["graft"]))
    print(len(compression_curve(tok, text)))
