"""A plain multi-layer perceptron: three linear layers with ReLU and GELU between them."""

from __future__ import annotations

import torch
from torch import nn

Example = tuple[nn.Module, tuple[torch.Tensor, ...]]


class Mlp(nn.Module):
    """[batch, inputs] → [batch, classes]."""

    def __init__(self, inputs: int, hidden: int, classes: int) -> None:
        super().__init__()
        self.up = nn.Linear(inputs, hidden)
        self.middle = nn.Linear(hidden, hidden)
        self.head = nn.Linear(hidden, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return class scores."""
        hidden = torch.relu(self.up(x))
        return self.head(nn.functional.gelu(self.middle(hidden)))


def full() -> Example:
    """Digits-sized: 784 → 1024 → 1024 → 10, batch 8."""
    torch.manual_seed(0)
    return Mlp(784, 1024, 10).eval(), (torch.randn(8, 784),)


def reduced() -> Example:
    """12 → 32 → 32 → 7, batch 4."""
    torch.manual_seed(0)
    return Mlp(12, 32, 7).eval(), (torch.randn(4, 12),)
