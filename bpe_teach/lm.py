"""A small language model on tokens: from a window of tokens it predicts the next one.

Every token of the window is looked up in a table, the rows found are put side by side, a layer of
tanh reads them, and a last layer gives every entry of the vocabulary a score (Bengio et al. 2003).
Nothing else in the package needs PyTorch.
"""

import io
import math
import os
import time
from pathlib import Path

from tqdm import tqdm

from bpe_teach.storage import write_whole
from bpe_teach.tokenizer import Tokenizer

try:
    import torch
    from torch import Tensor, nn
    from torch.nn.functional import cross_entropy
except ImportError as error:
    install = 'python -m pip install torch, or "bpe-teach[lm]" for both'
    raise ImportError(f"bpe_teach.lm needs PyTorch, which is missing: {install}") from error

AT_ONCE = 1024  # windows that are judged together, to bound the memory


class TokenLM(nn.Module):
    """A fixed-window model: embedding, flattened window, tanh layer, scores.

    Where a text begins, the empty places of the window hold the id ``padding``, whose row in the
    table is zero and stays zero.

    >>> model = TokenLM(vocab_size=300)
    >>> model(torch.zeros(5, 32, dtype=torch.long)).shape
    torch.Size([5, 300])
    >>> sum(weights.numel() for weights in model.parameters())
    349132
    """

    def __init__(self, vocab_size: int, window: int = 32, embedding: int = 32, hidden: int = 256):
        super().__init__()
        if min(vocab_size, window, embedding, hidden) < 1:
            raise ValueError("vocab_size, window, embedding and hidden must be at least 1")
        self.vocab_size, self.window, self.padding = vocab_size, window, vocab_size
        self.embedding = nn.Embedding(vocab_size + 1, embedding, padding_idx=self.padding)
        self.hidden = nn.Linear(window * embedding, hidden)
        self.scores = nn.Linear(hidden, vocab_size)
        # Small first rows: a token far back then disturbs little until its use has been learned.
        with torch.no_grad():
            self.embedding.weight.mul_(0.1)

    def forward(self, windows: Tensor) -> Tensor:
        """Turn ids (batch, window) into scores (batch, vocab_size)."""
        rows = self.embedding(windows)  # (batch, window, embedding)
        return self.scores(torch.tanh(self.hidden(rows.flatten(1))))

    def examples(self, ids: list[int]) -> Tensor:
        """List, for each token of a text, the window before it and then the token itself.

        >>> TokenLM(9, window=2).examples([3, 1, 4]).tolist()
        [[9, 9, 3], [9, 3, 1], [3, 1, 4]]

        Raises ValueError if there are no ids, or ids that the model does not have.
        """
        if not ids or not 0 <= min(ids) <= max(ids) < self.vocab_size:
            raise ValueError(f"this needs ids, one or more, from 0 to {self.vocab_size - 1}")
        padded = torch.tensor([self.padding] * self.window + ids, device=self.scores.weight.device)
        return padded.unfold(0, self.window + 1, 1)  # a view: nothing is copied


def train_lm(
    model: TokenLM,
    ids: list[int],
    *,
    steps: float = math.inf,
    seconds: float = math.inf,
    batch_size: int = 256,
    learning_rate: float = 0.008,
    seed: int = 0,
    progress: bool = False,
) -> list[float]:
    """Train a model on a text, on a GPU if there is one; return the loss of each step, in nats.

    Each step draws ``batch_size`` tokens at random, and AdamW (Loshchilov and Hutter 2019) makes
    them a little more probable. The learning rate falls to zero as the budget, ``steps`` or
    ``seconds``, is used up. The seed fixes what is drawn; ``torch.manual_seed``, called before the
    model is made, its first weights.

    >>> _ = torch.manual_seed(0)
    >>> losses = train_lm(TokenLM(3, window=4), [0, 1, 2] * 20, steps=50)
    >>> len(losses), losses[0] > 1 > 0.1 > losses[-1]
    (50, True)

    Raises ValueError without a budget, and as `TokenLM.examples` does.
    """
    if not 0 < min(steps, seconds) < math.inf:
        raise ValueError("give a budget above zero: steps, seconds, or both")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    examples = model.to(device).examples(ids)
    optimizer = torch.optim.AdamW(model.parameters(), lr=learning_rate)
    chance, start, losses = torch.Generator().manual_seed(seed), time.monotonic(), []
    with tqdm(total=steps, disable=not progress, unit=" steps") as bar:
        while (used := max(len(losses) / steps, (time.monotonic() - start) / seconds)) < 1:
            optimizer.param_groups[0]["lr"] = learning_rate * (1 - used)
            drawn = torch.randint(len(examples), (batch_size,), generator=chance)
            batch = examples[drawn.to(device)]
            loss = cross_entropy(model(batch[:, :-1]), batch[:, -1])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            bar.update()
    return losses


@torch.no_grad()
def token_nats(model: TokenLM, ids: list[int]) -> Tensor:
    """Return -ln of the probability of each token of a text, the first ones included."""
    batches = model.examples(ids).split(AT_ONCE)
    nats = [cross_entropy(model(b[:, :-1]).double(), b[:, -1], reduction="none") for b in batches]
    return torch.cat(nats).cpu()


def bits_per_character(model: TokenLM, tok: Tokenizer, text: str) -> float:
    """Return how many bits the model needs for a character of a text: a fair measure.

    It is the sum of `token_nats`, divided by ln 2 and by the number of characters.

    Raises ValueError if the text is empty, or if the tokens lose a part of it, which would be free.
    """
    check_fit(model, tok)
    ids = tok.encode(text)
    if tok.decode(ids) != text:
        raise ValueError(f"tokens of {tok} lose a part of this text, and what is lost is free")
    return token_nats(model, ids).sum().item() / math.log(2) / len(text)


@torch.no_grad()
def generate(
    model: TokenLM,
    tok: Tokenizer,
    prompt: str = "",
    *,
    length: int = 100,
    temperature: float = 1.0,
    top_k: int | None = None,
    stop: str | None = None,
    seed: int = 0,
) -> str:
    """Continue a text by ``length`` tokens, or until ``stop`` is written; return what is new.

    The scores are divided by ``temperature``: below 1 likely tokens become likelier, and at 0 the
    likeliest is always taken. ``top_k`` leaves only the k likeliest to choose from.

    Raises ValueError for a character of the prompt that the tokenizer does not know.
    """
    check_fit(model, tok)
    if temperature < 0 or (top_k is not None and top_k < 1) or stop == "":
        raise ValueError("temperature must be 0 or more, top_k 1 or more, and stop not empty")
    ids, new, chance = tok.encode(prompt), [], torch.Generator().manual_seed(seed)
    while len(new) < length and not (stop and stop in tok.decode(new)):
        place = [*ids, *new, 0][-model.window - 1 :]  # the 0 stands for the token to come
        window = model.examples(place)[-1:, :-1]
        best = model(window)[0].cpu().topk(min(top_k or len(tok), len(tok)))  # sorted
        odds = torch.softmax((best.values - best.values[0]) / (temperature or 1e-9), dim=0)
        new.append(best.indices[torch.multinomial(odds, 1, generator=chance)].item())
    text = tok.decode(new)
    return text.partition(stop)[0] if stop else text


def check_fit(model: TokenLM, tok: Tokenizer) -> None:
    """Raise ValueError unless model and tokenizer have a vocabulary of the same size."""
    if model.vocab_size != len(tok):
        raise ValueError(f"the model has {model.vocab_size} tokens, the tokenizer {len(tok)}")


def save_lm(model: TokenLM, path: str | os.PathLike) -> None:
    """Write the weights of a model to a file, as a whole or not at all."""
    content = io.BytesIO()
    torch.save(model.state_dict(), content)
    write_whole(Path(path), content.getvalue())


def load_lm(path: str | os.PathLike) -> TokenLM:
    """Read what `save_lm` wrote, weights and nothing else; ValueError for any other file."""
    content = io.BytesIO(Path(path).read_bytes())
    try:
        weights = torch.load(content, map_location="cpu", weights_only=True)
        rows, embedding = weights["embedding.weight"].shape
        hidden, inputs = weights["hidden.weight"].shape
        model = TokenLM(rows - 1, inputs // embedding, embedding, hidden)
        model.load_state_dict(weights)
    except Exception as error:  # torch.load has a dozen ways to refuse a file
        raise ValueError(f"{os.fspath(path)} is no file of save_lm: {error}") from error
    return model
