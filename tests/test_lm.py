"""The small language model: shapes, learning, the fair measure, and writing.

All of it needs PyTorch, the extra `lm`, and is skipped without it.
"""

import math
import subprocess
import sys
from functools import partial

import pytest

from bpe_teach import Tokenizer

torch = pytest.importorskip("torch")

from bpe_further.measure.lm import TokenLM, bits_per_character, generate, train_lm  # noqa: E402

TINY = "a token is a name, and a name is a number.\n"
TOK = Tokenizer.train(TINY, scheme="chars", num_merges=6)
IDS = TOK.encode(TINY)
torch.set_num_threads(1)  # it is faster for small matrices, and much faster on a busy machine


def make(seed=0):
    torch.manual_seed(seed)
    return TokenLM(len(TOK), window=8, embedding=8, hidden=32)


@pytest.fixture(scope="module")
def trained():
    """A model that knows the tiny text by heart; on the CPU, wherever it was trained."""
    model = make()
    train_lm(model, IDS, steps=150)
    return model.cpu()


def uniform(vocab_size):
    """Return a model that gives every token the same probability."""
    model = TokenLM(vocab_size, window=4)
    for weights in model.scores.parameters():
        torch.nn.init.zeros_(weights)
    return model


# the model


def test_scores_are_embedding_window_tanh_layer():
    model = TokenLM(2, window=2, embedding=1, hidden=1)
    with torch.no_grad():
        model.embedding.weight.copy_(torch.tensor([[1.0], [2.0], [0.0]]))
        model.hidden.weight.copy_(torch.tensor([[0.5, -0.25]]))
        model.hidden.bias.fill_(0.125)
        model.scores.weight.copy_(torch.tensor([[1.0], [-3.0]]))
        model.scores.bias.copy_(torch.tensor([0.0, 10.0]))
    inner = [math.tanh(0.5 * 1 - 0.25 * 2 + 0.125), math.tanh(0.5 * 0 - 0.25 * 2 + 0.125)]
    expected = [[h, 10 - 3 * h] for h in inner]
    assert torch.allclose(model(torch.tensor([[0, 1], [2, 1]])), torch.tensor(expected))


# learning


@pytest.mark.slow
def test_a_tiny_text_is_memorised(trained):
    assert bits_per_character(trained, TOK, TINY) < 0.05
    assert generate(trained, TOK, length=len(IDS), temperature=0) == TINY
    assert not trained.embedding.weight[trained.padding].any()


@pytest.mark.slow
def test_training_begins_with_guessing_and_is_reproducible_for_a_seed():
    losses = [train_lm(make(), IDS, steps=5, seed=seed) for seed in (1, 1, 2)]
    assert losses[0][0] == pytest.approx(math.log(len(TOK)), abs=0.2)
    assert losses[0] == losses[1] != losses[2]


def test_the_random_numbers_of_others_are_left_alone():
    model = make()
    before = torch.get_rng_state()
    train_lm(model, IDS, steps=2)
    generate(model, TOK, length=2)
    assert torch.equal(before, torch.get_rng_state())


def test_training_learns_less_and_less(monkeypatch):
    rates = []
    step = torch.optim.AdamW.step

    def note_rate(optimizer):
        rates.append(round(optimizer.param_groups[0]["lr"], 6))
        step(optimizer)

    monkeypatch.setattr(torch.optim.AdamW, "step", note_rate)
    assert len(train_lm(make(), IDS, steps=4)) == 4
    assert rates == [0.008, 0.006, 0.004, 0.002]


# the fair measure


@pytest.mark.parametrize("scheme", ["chars", "bytes", "gpt2"])
def test_a_uniform_model_needs_log2_of_the_vocabulary_for_each_token(scheme, story):
    text = story[:3000]  # more tokens than are scored at once
    tok = Tokenizer.train(story, scheme=scheme, num_merges=5)
    expected = math.log2(len(tok)) * len(tok.encode(text)) / len(text)
    measured = bits_per_character(uniform(len(tok)), tok, text)
    assert measured == pytest.approx(expected, rel=1e-12)


def test_every_token_counts_the_first_ones_too(trained):
    odds = [trained(trained.examples(IDS[: i + 1])[-1:, :-1])[0] for i in range(len(IDS))]
    expected = [-torch.log_softmax(row, 0)[i].item() for row, i in zip(odds, IDS, strict=True)]
    bits = sum(expected) / math.log(2) / len(TINY)
    assert bits_per_character(trained, TOK, TINY) == pytest.approx(bits, abs=1e-5)


# writing


def test_writing_is_reproducible_for_a_seed():
    one, again, other = (generate(make(), TOK, seed=seed) for seed in (1, 1, 2))
    assert one == again != other


def test_temperature_chooses_among_the_likeliest():
    tok = Tokenizer("chars", "abc", [])
    model = uniform(3)
    with torch.no_grad():
        model.scores.bias.copy_(torch.tensor([2.0, 1.0, 0.0]))
    write = partial(generate, model, tok)
    for length, temperature in ((0, 0), (1, 0), (50, 0), (50, 1e-30)):
        assert write(length=length, temperature=temperature) == "a" * length
    assert set(write(length=100)) == {"a", "b", "c"}
    for temperature in (0.5, 2):
        odds = [math.exp(score / temperature) for score in (2, 1, 0)]
        share = write(length=2000, temperature=temperature).count("a") / 2000
        assert share == pytest.approx(odds[0] / sum(odds), abs=0.04)  # 3.6 deviations


def test_a_lossy_scheme_is_measured_where_it_loses_nothing():
    words = Tokenizer.train("low low", scheme="words", num_merges=1)
    assert bits_per_character(uniform(len(words)), words, "low") > 0


def test_without_torch_the_message_says_what_to_install():
    code = "import sys; sys.modules['torch'] = None; import bpe_further.measure.lm"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 1
    assert "ImportError: bpe_further.measure.lm needs PyTorch" in run.stderr
    assert "pip install torch" in run.stderr
