"""A script as people write it, which pyright reads in its strict mode."""

from pathlib import Path

import bpe_further as further
import bpe_teach as bpe


def use() -> None:  # it is read, never run
    text: str = bpe.load_corpus("story")
    tok = bpe.Tokenizer.train(text, num_merges=9, special_tokens=["<|end|>"])
    ids: list[int] = tok.encode(text, allowed_special="all")
    batch: list[list[int]] = [*tok.encode_batch([text]), ids]
    print(batch)
    places: list[tuple[int, int]] = further.token_offsets(tok, "low")
    print(places)
    tok.save(Path("low.json"))
    loaded: further.PublishedTokenizer = further.load_tokenizer(Path("low.json"), check=True)
    print(loaded.notes, loaded.added_tokens, loaded.whole_words, loaded.unknown)
    print(loaded.encode("low", disallowed_special="all"), loaded.decode(ids), loaded.offsets("low"))
    print(loaded.id_of("low"))
    theirs = [further.from_huggingface("a.json"), further.from_tiktoken("b", "gpt2")]
    for read in [*theirs, further.from_sentencepiece("c")]:
        print(read.lstrip, read.notes, read.tokens("low"), len(read.merges))
    print(further.from_gpt2().encode("low"), further.from_subword_nmt("codes").vocab)
    sent = further.to_huggingface(tok)
    print(sent.encode("low").ids, sent.decode(ids), further.to_tiktoken(tok).encode_ordinary("low"))
    further.to_subword_nmt(loaded, "codes")
    word = tuple("low")
    counts = bpe.count_pairs({word: 2})
    pair = bpe.most_frequent_pair(counts)
    merges: list[bpe.Merge] = bpe.learn_merges({word: 1}, 2)
    print(bpe.merge_pair(word, ("l", "o")), bpe.encode_by_rank(word, {("l", "o"): 0}))
    print(pair, merges[0].token)
    print(bpe.SCHEMES["gpt2"].split(text), bpe.label(merges[0].token))
    print(further.extend(tok, text, 3), further.trim(loaded, 3))
    print(further.trim(tok, texts=text), further.add_tokens(tok, ["graft"]))
    print(len(bpe.compression_curve(tok, text)))
