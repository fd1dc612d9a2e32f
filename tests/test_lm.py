"""The small language model: shapes, learning, the fair measure, writing, and keeping it.

All of it needs PyTorch, the extra `lm`, and is skipped without it.
"""

import math
import subprocess
import sys

import pytest

from bpe_teach import Tokenizer

torch = pytest.importorskip("torch")

from bpe_teach.lm import (  # noqa: E402
    TokenLM,
    bits_per_character,
    generate,
    load_lm,
    save_lm,
    token_nats,
    train_lm,
)

TINY = "a token is a name, and a name is a number.\n"


@pytest.fixture(autouse=True)
def one_core():
    """Small matrices are quicker on one core when the machine is busy."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def tok():
    return Tokenizer.train(TINY, scheme="chars", num_merges=6)


def make(tok, seed=0, **shape):
    """Return a new model for a tokenizer."""
    torch.manual_seed(seed)
    return TokenLM(len(tok), **{"window": 8, "embedding": 8, "hidden": 32} | shape)


@pytest.fixture(scope="module")
def trained(tok):
    """A model that knows the tiny text by heart; on the CPU, wherever it was trained."""
    model = make(tok)
    train_lm(model, tok.encode(TINY), steps=150)
    return model.cpu()


def same_weights(one, other):
    other = other.state_dict()
    return all(torch.equal(weights, other[name]) for name, weights in one.state_dict().items())


# the model


def test_defaults_are_the_published_model():
    shapes = {name: tuple(w.shape) for name, w in TokenLM(300).named_parameters()}
    assert shapes == {
        "embedding.weight": (301, 32),
        "hidden.weight": (256, 32 * 32),
        "hidden.bias": (256,),
        "scores.weight": (300, 256),
        "scores.bias": (300,),
    }


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


def test_every_token_is_an_example_and_padding_fills_what_is_missing():
    examples = TokenLM(9, window=3).examples([3, 1, 4, 1, 5])
    expected = [[9, 9, 9, 3], [9, 9, 3, 1], [9, 3, 1, 4], [3, 1, 4, 1], [1, 4, 1, 5]]
    assert examples.tolist() == expected


def test_gradients_reach_every_parameter_and_spare_the_padding(tok):
    model, ids = make(tok), tok.encode(TINY)
    examples = model.examples(ids)
    torch.nn.functional.cross_entropy(model(examples[:, :-1]), examples[:, -1]).backward()
    for name, weights in model.named_parameters():
        changed = weights.grad != 0
        if name == "embedding.weight":
            used = changed.any(dim=1)
            assert used[sorted(set(ids[:-1]))].all()
            assert not used[model.padding]
        elif "bias" in name:
            assert changed.all(), name
        else:
            assert changed.any(dim=1).all(), name


@pytest.mark.parametrize("ids", [[], [0, 9], [-1]])
def test_ids_that_the_model_does_not_have_are_refused(ids):
    for function in (token_nats, lambda model, ids: train_lm(model, ids, steps=1)):
        with pytest.raises(ValueError, match="from 0 to 8"):
            function(TokenLM(9, window=2), ids)


def test_a_model_has_at_least_one_of_everything():
    with pytest.raises(ValueError, match="at least 1"):
        TokenLM(9, window=0)


# learning


def test_a_tiny_text_is_memorised(tok, trained):
    assert token_nats(trained, tok.encode(TINY)).mean() < 0.05
    assert generate(trained, tok, length=len(tok.encode(TINY)), temperature=0) == TINY
    assert not trained.embedding.weight[trained.padding].any()


def test_the_first_loss_is_that_of_guessing(tok):
    (loss,) = train_lm(make(tok), tok.encode(TINY), steps=1)
    assert loss == pytest.approx(math.log(len(tok)), abs=0.2)


def test_training_is_reproducible_for_a_seed(tok):
    ids, models = tok.encode(TINY), [make(tok) for _ in range(3)]
    seeded = zip(models, (1, 1, 2), strict=True)
    losses = [train_lm(model, ids, steps=5, seed=seed) for model, seed in seeded]
    assert losses[0] == losses[1] != losses[2]
    assert same_weights(models[0], models[1])
    assert not same_weights(models[0], models[2])


def test_training_leaves_the_random_numbers_of_others_alone(tok):
    model = make(tok)
    before = torch.get_rng_state()
    train_lm(model, tok.encode(TINY), steps=2)
    generate(model, tok, length=2)
    assert torch.equal(before, torch.get_rng_state())


def test_training_stops_when_its_time_is_used_up(tok, monkeypatch):
    seconds = iter(range(100))
    monkeypatch.setattr("bpe_teach.lm.time.monotonic", lambda: next(seconds))
    # the clock is read at the start (0) and before each step (1, 2, 3, …)
    assert len(train_lm(make(tok), tok.encode(TINY), seconds=4)) == 3
    assert len(train_lm(make(tok), tok.encode(TINY), seconds=50, steps=2)) == 2


@pytest.mark.parametrize("budget", [{}, {"steps": 0}, {"seconds": -1}, {"steps": 5, "seconds": 0}])
def test_training_needs_a_budget(tok, budget):
    with pytest.raises(ValueError, match="budget"):
        train_lm(make(tok), tok.encode(TINY), **budget)


def test_progress_is_shown_only_when_asked_for(tok, capsys):
    train_lm(make(tok), tok.encode(TINY), steps=3)
    assert capsys.readouterr() == ("", "")
    train_lm(make(tok), tok.encode(TINY), steps=3, progress=True)
    out, err = capsys.readouterr()
    assert out == ""
    assert "3/3" in err


# the fair measure


def uniform(vocab_size):
    """Return a model that gives every token the same probability."""
    model = TokenLM(vocab_size, window=4)
    for weights in model.scores.parameters():
        torch.nn.init.zeros_(weights)
    return model


@pytest.mark.parametrize("scheme", ["chars", "bytes", "gpt2"])
def test_a_uniform_model_needs_log2_of_the_vocabulary_for_each_token(scheme, story):
    text = story[:3000]  # more tokens than are judged at once
    tok = Tokenizer.train(story, scheme=scheme, num_merges=5)
    expected = math.log2(len(tok)) * len(tok.encode(text)) / len(text)
    measured = bits_per_character(uniform(len(tok)), tok, text)
    assert measured == pytest.approx(expected, rel=1e-12)


def test_every_token_counts_the_first_ones_too(tok, trained):
    ids = tok.encode(TINY)
    nats = token_nats(trained, ids)
    odds = [trained(trained.examples(ids[: i + 1])[-1:, :-1])[0] for i in range(len(ids))]
    expected = [-torch.log_softmax(row, 0)[i].item() for row, i in zip(odds, ids, strict=True)]
    assert nats.tolist() == pytest.approx(expected, abs=1e-5)
    bits = sum(expected) / math.log(2) / len(TINY)
    assert bits_per_character(trained, tok, TINY) == pytest.approx(bits, abs=1e-5)


def test_tokens_that_lose_text_are_refused():
    tok = Tokenizer.train("low low", scheme="words", num_merges=1)
    with pytest.raises(ValueError, match="lose a part"):
        bits_per_character(uniform(len(tok)), tok, "low low")
    assert bits_per_character(uniform(len(tok)), tok, "low") > 0
    unk = Tokenizer.train("low", scheme="chars", num_merges=1, unk_token="<unk>")
    with pytest.raises(ValueError, match="lose a part"):
        bits_per_character(uniform(len(unk)), unk, "lows")


def test_an_empty_text_has_no_bits_per_character(tok, trained):
    with pytest.raises(ValueError, match="one or more"):
        bits_per_character(trained, tok, "")


def test_model_and_tokenizer_must_fit(tok):
    for function in (bits_per_character, generate):
        with pytest.raises(ValueError, match=f"3 tokens, the tokenizer {len(tok)}"):
            function(uniform(3), tok, "a")


# writing


def test_writing_is_reproducible_for_a_seed(tok):
    model = make(tok)
    one, again, other = (generate(model, tok, "a", seed=seed) for seed in (1, 1, 2))
    assert one == again != other


@pytest.mark.parametrize("known", [0, 2, 20])
def test_a_prompt_may_be_shorter_or_longer_than_the_window(tok, trained, known):
    ids = tok.encode(TINY)
    prompt, rest = tok.decode(ids[:known]), tok.decode(ids[known:])
    assert tok.encode(prompt) == ids[:known], "the prompt ends where a token ends"
    assert generate(trained, tok, prompt, length=len(ids) - known, temperature=0) == rest


def test_length_is_the_number_of_tokens(trained):
    tok = Tokenizer("chars", sorted(set(TINY)), [])
    model = make(tok)
    assert [len(generate(model, tok, length=n)) for n in (0, 1, 50)] == [0, 1, 50]


def test_writing_ends_before_the_stop(tok, trained):
    known, _, _ = TINY.partition(" name")
    assert generate(trained, tok, temperature=0, stop=" name") == known


def test_temperature_and_top_k_choose_among_the_likeliest():
    tok = Tokenizer("chars", "abc", [])
    model = uniform(3)
    with torch.no_grad():
        model.scores.bias.copy_(torch.tensor([2.0, 1.0, 0.0]))
    assert generate(model, tok, length=50, temperature=0) == "a" * 50
    assert generate(model, tok, length=50, temperature=1e-30) == "a" * 50
    assert generate(model, tok, length=50, top_k=1) == "a" * 50
    assert set(generate(model, tok, length=100, top_k=2)) == {"a", "b"}
    assert set(generate(model, tok, length=100, top_k=99)) == {"a", "b", "c"}
    shares = {t: generate(model, tok, length=2000, temperature=t).count("a") for t in (0.5, 2)}
    for temperature, count in shares.items():
        odds = [math.exp(score / temperature) for score in (2, 1, 0)]
        assert count / 2000 == pytest.approx(odds[0] / sum(odds), abs=0.04)  # 3.6 deviations


@pytest.mark.parametrize("wrong", [{"temperature": -1}, {"top_k": 0}, {"stop": ""}])
def test_settings_without_sense_are_refused(tok, trained, wrong):
    with pytest.raises(ValueError, match="temperature must be"):
        generate(trained, tok, **wrong)


def test_an_unseen_character_is_the_error_of_the_tokenizer(tok, trained):
    with pytest.raises(ValueError, match="'é' at position 2"):
        generate(trained, tok, "a é")


# keeping it


def test_a_model_comes_back_as_it_was_saved(tok, trained, tmp_path):
    path = tmp_path / "model.pt"
    save_lm(make(tok, seed=1), path)
    save_lm(trained, path)  # over the other one
    again = load_lm(path)
    assert (again.vocab_size, again.window) == (trained.vocab_size, trained.window)
    assert same_weights(trained, again)
    assert [file.name for file in tmp_path.iterdir()] == ["model.pt"]


def test_nothing_is_left_of_a_file_that_could_not_be_written(trained, tmp_path, monkeypatch):
    def fail(source, target):
        raise OSError(28, "the disk is full")

    (tmp_path / "model.pt").write_bytes(b"the one before")
    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="full"):
        save_lm(trained, tmp_path / "model.pt")
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"the one before"]


class Program:
    """What a checkpoint must not bring in: an object that runs something when it is read."""

    def __reduce__(self):
        return exec, ("import sys; sys.was_executed = True",)


@pytest.mark.parametrize(
    "content", [Program(), {"embedding.weight": torch.zeros(3, 2)}, [1, 2], "text"]
)
def test_only_weights_of_this_model_are_loaded(content, tmp_path):
    torch.save(content, tmp_path / "other.pt")
    with pytest.raises(ValueError, match=r"other\.pt was not written by save_lm"):
        load_lm(tmp_path / "other.pt")
    assert not hasattr(sys, "was_executed")


def test_other_files_are_refused_by_name(tmp_path):
    for content in (b"", b"no model", b"PK\x03\x04"):
        (tmp_path / "other.pt").write_bytes(content)
        with pytest.raises(ValueError, match=r"other\.pt was not written by save_lm"):
            load_lm(tmp_path / "other.pt")
    with pytest.raises(FileNotFoundError):
        load_lm(tmp_path / "missing.pt")


# without PyTorch


def test_without_torch_the_message_says_what_to_install():
    code = "import sys; sys.modules['torch'] = None; import bpe_teach; import bpe_teach.lm"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 1
    assert "ImportError: bpe_teach.lm needs PyTorch" in run.stderr
    assert "pip install torch" in run.stderr
