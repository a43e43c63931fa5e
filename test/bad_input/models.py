"""Three small models that the mistakes are made with, and functions that are mistakes."""

from __future__ import annotations

import torch
from torch import nn

Example = tuple[nn.Module, tuple[torch.Tensor, ...]]


class Mlp(nn.Module):
    """[batch, 8] → [batch, 4]."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(8, 12)
        self.down = nn.Linear(12, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores."""
        return self.down(torch.relu(self.up(x)))


class Words(nn.Module):
    """[batch, length] token ids → [batch, length, 6]."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Embedding(10, 8)
        self.norm = nn.LayerNorm(8)
        self.down = nn.Linear(8, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores."""
        return self.down(self.norm(self.up(x)))


class Image(nn.Module):
    """[batch, 3, 8, 8] → [batch, 5]."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Conv2d(3, 4, 3, padding=1)
        self.down = nn.Linear(4, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores."""
        return self.down(torch.relu(self.up(x)).mean(dim=(2, 3)))


def mlp() -> Example:
    """Dense layers."""
    torch.manual_seed(0)
    return Mlp().eval(), (torch.randn(4, 8),)


def words() -> Example:
    """An embedding and a norm."""
    torch.manual_seed(0)
    return Words().eval(), (torch.randint(0, 10, (4, 5)),)


def image() -> Example:
    """A convolution."""
    torch.manual_seed(0)
    return Image().eval(), (torch.randn(4, 3, 8, 8),)
