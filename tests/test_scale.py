"""Words counted in parts, anywhere: the same counts, the same order, the same merges."""

import pytest

from bpe_teach import SCHEMES, Tokenizer


@pytest.mark.parametrize("name", SCHEMES)
def test_counted_words_train_the_same_tokenizer(name, story):
    text = story[:3000]
    counts = SCHEMES[name].word_counts(text)
    tok = Tokenizer.train(word_counts=counts, scheme=name, num_merges=30)
    assert tok == Tokenizer.train(text, scheme=name, num_merges=30)


def test_training_takes_either_a_text_or_words_of_the_scheme():
    for given in ({}, {"text": "low", "word_counts": {}}):
        with pytest.raises(ValueError, match="give either word_counts or a text"):
            Tokenizer.train(**given, num_merges=1)
    for counts, scheme in [({("l", "o"): 2}, "gpt2"), ({(b"l", b"o"): 2}, "chars")]:
        with pytest.raises(ValueError, match="count them with the same scheme"):
            Tokenizer.train(word_counts=counts, scheme=scheme, num_merges=1)
