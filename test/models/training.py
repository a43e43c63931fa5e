"""Small models to train, of every kind of layer: (model, micro-batch, loss)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from models import bert, gpt2, llama, resnet18
from torch import Tensor, nn

Loss = Callable[..., Tensor]


@dataclass(frozen=True)
class Training:
    """A model in float64, a function that makes batches of `size` samples, and the loss."""

    model: nn.Module
    batch: Callable[[int, int], tuple[Tensor, ...]]
    loss: Loss


def _generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def classify(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """Cross-entropy of class scores."""
    return F.cross_entropy(model(x), y)


def next_token(model: nn.Module, tokens: Tensor) -> Tensor:
    """Cross-entropy of every token given those before it."""
    logits = model(tokens)[:, :-1]
    return F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten())


def _images(shape: tuple[int, ...], classes: int) -> Callable[[int, int], tuple[Tensor, ...]]:
    def batch(size: int, seed: int) -> tuple[Tensor, ...]:
        generator = _generator(seed)
        x = torch.randn(size, *shape, generator=generator, dtype=torch.float64)
        return x, torch.randint(0, classes, (size,), generator=generator)

    return batch


def _tokens(vocabulary: int, length: int) -> Callable[[int, int], tuple[Tensor, ...]]:
    def batch(size: int, seed: int) -> tuple[Tensor, ...]:
        return (torch.randint(0, vocabulary, (size, length), generator=_generator(seed)),)

    return batch


class Experts(nn.Module):
    """A mixture of experts, two of them for each token, written densely."""

    def __init__(self, width: int, hidden: int, experts: int) -> None:
        super().__init__()
        self.gate = nn.Linear(width, experts)
        self.up = nn.Parameter(torch.randn(experts, width, hidden) / width**0.5)
        self.down = nn.Parameter(torch.randn(experts, hidden, width) / hidden**0.5)

    def forward(self, x: Tensor) -> Tensor:
        """[batch, width] → the same."""
        chosen, places = self.gate(x).topk(2, dim=-1)
        share = torch.zeros_like(self.gate(x)).scatter(-1, places, chosen.softmax(-1))
        hidden = torch.einsum("bw,ewh->ebh", x, self.up).relu()
        return torch.einsum("ebh,ehw,be->bw", hidden, self.down, share)


class MixtureOfExperts(nn.Module):
    """A layer of experts between two linear ones."""

    def __init__(self) -> None:
        super().__init__()
        self.enter, self.experts, self.head = nn.Linear(6, 8), Experts(8, 12, 4), nn.Linear(8, 5)

    def forward(self, x: Tensor) -> Tensor:
        """Return class scores."""
        hidden = self.enter(x)
        return self.head(hidden + self.experts(hidden))


class GraphAttention(nn.Module):
    """One graph attention layer of two heads over a dense graph of 12 nodes, and a classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Linear(6, 2 * 5, bias=False)
        self.left, self.right = (nn.Parameter(torch.randn(2, 5)) for _ in range(2))
        self.head = nn.Linear(10, 4)
        near = torch.randint(0, 2, (12, 12), generator=_generator(3)).bool()
        self.register_buffer("near", near | torch.eye(12, dtype=torch.bool))

    def forward(self, x: Tensor) -> Tensor:
        """[12, 6] → class scores of every node."""
        nodes = self.project(x).unflatten(-1, (2, 5))
        sent, got = (nodes * self.left).sum(-1), (nodes * self.right).sum(-1)
        score = F.leaky_relu(got[:, None] + sent[None, :], 0.2)
        score = score.masked_fill(~self.near[:, :, None], float("-inf")).softmax(1)
        mixed = torch.einsum("ijh,jhf->ihf", score, nodes).flatten(1)
        return self.head(F.elu(mixed))


class MarginHead(nn.Module):
    """Features and a head of many classes on the unit sphere (ArcFace)."""

    def __init__(self) -> None:
        super().__init__()
        self.features, self.classes = nn.Linear(6, 8), nn.Parameter(torch.randn(37, 8))

    def forward(self, x: Tensor) -> Tensor:
        """Return cosines with every class."""
        return F.normalize(self.features(x)) @ F.normalize(self.classes).t()


class LowRank(nn.Module):
    """A frozen linear layer and a trained correction of low rank (LoRA)."""

    def __init__(self, base: nn.Linear, rank: int) -> None:
        super().__init__()
        self.base = base.requires_grad_(False)
        self.down = nn.Linear(base.in_features, rank, bias=False)
        self.up = nn.Linear(rank, base.out_features, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """[…, in] → […, out]."""
        return self.base(x) + self.up(self.down(x))


def with_low_rank(model: nn.Module, rank: int) -> nn.Module:
    """Freeze `model` and put a correction beside each of its linear layers."""
    model.requires_grad_(False)
    for parent in list(model.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, nn.Linear):
                setattr(parent, name, LowRank(child, rank))
    return model


def with_margin(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """Cross-entropy after taking a margin from the right class."""
    cosine = model(x)
    right = y[:, None] == torch.arange(cosine.shape[1])
    return F.cross_entropy(8 * (cosine - 0.3 * right), y)


def _mlp() -> Training:
    model = nn.Sequential(
        nn.Linear(6, 16), nn.GELU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 5)
    )
    return Training(model, _images((6,), 5), classify)


def _resnet() -> Training:
    return Training(resnet18.ResNet18(4, 5), _images((3, 32, 32), 5), classify)


def _bert() -> Training:
    model, (tokens, _) = bert.reduced()

    def batch(size: int, seed: int) -> tuple[Tensor, ...]:
        generator = _generator(seed)
        words = torch.randint(0, 67, (size, tokens.shape[1]), generator=generator)
        mask = torch.ones_like(words)
        mask[::2, -2:] = 0
        return words, mask, torch.randn(size, 20, generator=generator, dtype=torch.float64)

    return Training(model, batch, lambda m, words, mask, y: F.mse_loss(m(words, mask), y))


def _gpt2() -> Training:
    model, (tokens,) = gpt2.reduced()
    return Training(model, _tokens(61, tokens.shape[1]), next_token)


def _llama() -> Training:
    model, (tokens,) = llama.reduced()
    return Training(model, _tokens(97, tokens.shape[1]), next_token)


def _low_rank() -> Training:
    training = _llama()
    return Training(with_low_rank(training.model, 4), training.batch, training.loss)


def _frozen() -> Training:
    """One block of the transformer is trained, the rest is frozen."""
    training = _llama()
    training.model.requires_grad_(False)
    training.model.get_submodule("layers.1").requires_grad_(True)
    return training


def _experts() -> Training:
    return Training(MixtureOfExperts(), _images((6,), 5), classify)


def _graph() -> Training:
    def batch(size: int, seed: int) -> tuple[Tensor, ...]:
        generator = _generator(seed)
        x = torch.randn(12, 6, generator=generator, dtype=torch.float64)
        return x, torch.randint(0, 4, (12,), generator=generator)

    return Training(GraphAttention(), batch, classify)


def _margin() -> Training:
    return Training(MarginHead(), _images((6,), 37), with_margin)


_MAKERS: dict[str, Callable[[], Training]] = {
    "mlp": _mlp,
    "resnet": _resnet,
    "bert": _bert,
    "gpt2": _gpt2,
    "llama": _llama,
    "moe": _experts,
    "gat": _graph,
    "arcface": _margin,
}
NAMES = tuple(_MAKERS)
_PARTLY: dict[str, Callable[[], Training]] = {"lora": _low_rank, "frozen": _frozen}
"""Models of which only a part is trained."""


def make(name: str) -> Training:
    """Return a model of float64 to train; the same every time."""
    torch.manual_seed(0)
    training = (_MAKERS | _PARTLY)[name]()
    return Training(training.model.double().train(), training.batch, training.loss)
