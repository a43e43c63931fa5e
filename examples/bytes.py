"""A small language model over bytes, and its loss: what `distc compile --train` takes."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Bytes(nn.Module):
    """Guess each byte from the eight before it."""

    def __init__(self, width: int = 64, reach: int = 8) -> None:
        super().__init__()
        self.embed = nn.Embedding(256, width)
        self.mix = nn.Conv1d(width, width, reach)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, 256)
        self.reach = reach

    def forward(self, ids: Tensor) -> Tensor:
        """Return scores of the bytes that follow: [batch, positions - reach + 1, 256]."""
        seen = self.mix(self.embed(ids).transpose(1, 2)).transpose(1, 2)
        scores: Tensor = self.down(F.gelu(self.up(seen)))
        return scores


def loss(model: Bytes, ids: Tensor) -> Tensor:
    """Mean cross-entropy of every byte given those before it."""
    scores = model(ids)[:, :-1]
    return F.cross_entropy(scores.flatten(0, 1), ids[:, model.reach :].flatten())


def make() -> tuple[Bytes, tuple[Tensor], Callable[[Bytes, Tensor], Tensor]]:
    """Return the model, an example batch and the loss."""
    torch.manual_seed(0)
    return Bytes(), (torch.zeros(4, 64, dtype=torch.int64),), loss
