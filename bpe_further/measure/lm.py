"""A small language model on tokens, which predicts the next token from a window of tokens.

Each token of the window selects a row of a table. The rows, side by side, go through a tanh layer,
and a last layer gives every entry of the vocabulary a score (Bengio et al. 2003). No other module
of the package needs PyTorch.
"""

import math
from array import array

from bpe_further.measure.ngrams import check_fit, check_ids
from bpe_teach.fast.tokenizer import Tokenizer

try:
    import torch
    from torch import Tensor, nn
    from torch.nn.functional import cross_entropy
except ImportError as error:
    message = "bpe_further.measure.lm needs PyTorch: python -m pip install torch"
    raise ImportError(message) from error

LEARNING_RATE = 0.008  # at the first step
AT_ONCE = 1024  # windows to score together, to limit memory


class TokenLM(nn.Module):
    """A fixed-window model: embedding, flattened window, tanh layer, scores.

    At the beginning of a text, some places of the window are empty. They hold the id ``padding``,
    whose row in the table is zero and stays zero.

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
        self.vocab_size = vocab_size
        self.window = window
        self.padding = vocab_size  # the lowest id that no token has
        self.embedding = nn.Embedding(vocab_size + 1, embedding, padding_idx=self.padding)
        self.hidden = nn.Linear(window * embedding, hidden)
        self.scores = nn.Linear(hidden, vocab_size)
        # Small first rows: distant tokens disturb little until the model has learned to use them.
        with torch.no_grad():
            self.embedding.weight.mul_(0.1)

    def forward(self, windows: Tensor) -> Tensor:
        """Return the scores (batch, vocab_size) of windows of ids (batch, window)."""
        rows = self.embedding(windows)  # (batch, window, embedding)
        side_by_side = rows.flatten(1)  # (batch, window * embedding)
        hidden = torch.tanh(self.hidden(side_by_side))
        return self.scores(hidden)

    def examples(self, ids: list[int]) -> Tensor:
        """Return a row for each token of a text: the window before the token, then the token.

        >>> TokenLM(9, window=2).examples([3, 1, 4]).tolist()
        [[9, 9, 3], [9, 3, 1], [3, 1, 4]]

        Raises ValueError if there are no ids, and for ids that the model doesn't have.
        """
        check_ids(ids, self.vocab_size)
        padded = array("q", [self.padding] * self.window + ids)  # torch reads an array much faster
        numbers = torch.frombuffer(padded, dtype=torch.long).to(self.scores.weight.device)
        return numbers.unfold(0, self.window + 1, 1)  # copies nothing


def train_lm(
    model: TokenLM, ids: list[int], *, steps: int, batch_size: int = 256, seed: int = 0
) -> list[float]:
    """Train a model on a text and return the loss of each step in nats.

    The model is trained on a GPU if there is one. Each step samples ``batch_size`` tokens at
    random, and AdamW (Loshchilov and Hutter 2019) makes these tokens a little more probable. The
    learning rate falls to zero. ``seed`` determines which tokens are sampled. To determine the
    initial weights, call ``torch.manual_seed`` before you make the model.

    >>> _ = torch.manual_seed(0)
    >>> losses = train_lm(TokenLM(3, window=4), [0, 1, 2] * 20, steps=50)
    >>> len(losses), losses[0] > 1 > 0.1 > losses[-1]
    (50, True)

    Raises ValueError if there are no steps, and in the same cases as `TokenLM.examples`.
    """
    if steps < 1:
        raise ValueError(f"steps must be at least 1, not {steps}")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model.to(device)
    examples = model.examples(ids)
    # fused: the same results in fewer passes, and three times as fast on a CPU
    optimizer = torch.optim.AdamW(model.parameters(), fused=True)
    chance = torch.Generator().manual_seed(seed)
    losses = []
    for step in range(steps):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - step / steps)
        drawn = torch.randint(len(examples), (batch_size,), generator=chance)
        batch = examples[drawn.to(device)]
        loss = cross_entropy(model(batch[:, :-1]), batch[:, -1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def bits_per_character(model: TokenLM, tok: Tokenizer, text: str) -> float:
    """Return how many bits the model needs per character of a text.

    This number is a fair measure. To compute it, take -ln of the probability of each token,
    including the first tokens; add these logarithms up; and divide the sum by ln 2 and by the
    number of characters.

    >>> tok = Tokenizer("chars", "ab", [])
    >>> model = TokenLM(2)
    >>> for weights in model.scores.parameters():
    ...     _ = nn.init.zeros_(weights)  # now a and b are equally probable
    >>> bits_per_character(model, tok, "abba")
    1.0

    Raises ValueError if the text is empty, or if decoding loses a part of it.
    """
    check_fit(model, tok)
    ids = tok.encode(text)
    if tok.decode(ids) != text:
        raise ValueError(f"decoding must give the text back, but {tok} loses a part of it")
    nats = 0.0
    for batch in model.examples(ids).split(AT_ONCE):
        scores = model(batch[:, :-1]).double()  # sums of many small numbers need more digits
        nats += cross_entropy(scores, batch[:, -1], reduction="sum").item()
    return nats / math.log(2) / len(text)


@torch.no_grad()
def generate(
    model: TokenLM, tok: Tokenizer, *, length: int = 100, temperature: float = 1.0, seed: int = 0
) -> str:
    """Return a text of ``length`` tokens that the model writes.

    The scores are divided by ``temperature``. If it is below 1, likely tokens become more likely;
    if it is 0, the most likely token is always taken.

    >>> text = "a name, and a name"
    >>> tok = Tokenizer.train(text, scheme="chars", num_merges=4)
    >>> _ = torch.manual_seed(0)
    >>> model = TokenLM(len(tok), window=4)
    >>> _ = train_lm(model, tok.encode(text), steps=50)
    >>> generate(model, tok, length=4, temperature=0)
    'a name, '

    Raises ValueError for a ``temperature`` below 0.
    """
    check_fit(model, tok)
    if temperature < 0:
        raise ValueError("temperature must be 0 or more")
    chance = torch.Generator().manual_seed(seed)
    ids = []
    for _ in range(length):
        window = model.examples([*ids, 0])[-1:, :-1]  # 0: `examples` wants a token to predict
        scores = model(window)[0].cpu()
        gaps = scores - scores.max()  # 0 for the likeliest, so nothing overflows
        odds = torch.softmax(gaps / (temperature or 1e-9), dim=0)
        ids.append(torch.multinomial(odds, 1, generator=chance).item())
    return tok.decode(ids)
