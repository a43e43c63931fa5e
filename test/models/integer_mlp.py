"""Networks that stay in the integers: distributed results must equal the original bit for bit."""

from __future__ import annotations

import torch
from torch import nn

Example = tuple[nn.Module, tuple[torch.Tensor, ...]]


def _weight(rows: int, columns: int, dtype: torch.dtype) -> nn.Parameter:
    values = torch.randint(-5, 6, (rows, columns), dtype=dtype)
    return nn.Parameter(values, requires_grad=False)


class IntegerMlp(nn.Module):
    """[batch, inputs] → [batch, classes] in one integer type; sums may wrap, as in torch."""

    def __init__(self, inputs: int, hidden: int, classes: int, dtype: torch.dtype) -> None:
        super().__init__()
        self.up = _weight(inputs, hidden, dtype)
        self.up_bias = nn.Parameter(
            torch.randint(-5, 6, (hidden,), dtype=dtype), requires_grad=False
        )
        self.down = _weight(hidden, classes, dtype)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return class scores."""
        hidden = torch.relu(torch.matmul(x, self.up) + self.up_bias)
        return torch.matmul(hidden, self.down)


class IntegerBag(nn.Module):
    """[batch, words] token ids → [batch, classes]: a table look-up, a sum, a linear layer."""

    def __init__(self, words: int, width: int, classes: int) -> None:
        super().__init__()
        self.table = _weight(words, width, torch.int64)
        self.head = _weight(width, classes, torch.int64)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return class scores."""
        bag = nn.functional.embedding(tokens, self.table).sum(dim=1)
        return torch.matmul(bag, self.head)


def full() -> Example:
    """int32, 96 → 250 → 30, batch 6."""
    torch.manual_seed(0)
    model = IntegerMlp(96, 250, 30, torch.int32).eval()
    return model, (torch.randint(-9, 10, (6, 96), dtype=torch.int32),)


def reduced() -> Example:
    """int32, 6 → 10 → 4, batch 3: uneven on every mesh."""
    torch.manual_seed(0)
    model = IntegerMlp(6, 10, 4, torch.int32).eval()
    return model, (torch.randint(-9, 10, (3, 6), dtype=torch.int32),)


def reduced_int64() -> Example:
    """As `reduced`, in int64."""
    torch.manual_seed(0)
    model = IntegerMlp(6, 10, 4, torch.int64).eval()
    return model, (torch.randint(-9, 10, (3, 6), dtype=torch.int64),)


def bag_full() -> Example:
    """1001 words of width 96, batch 6 of 12 tokens."""
    torch.manual_seed(0)
    return IntegerBag(1001, 96, 30).eval(), (torch.randint(0, 1001, (6, 12)),)


def bag_reduced() -> Example:
    """17 words of width 6, batch 3 of 5 tokens."""
    torch.manual_seed(0)
    return IntegerBag(17, 6, 4).eval(), (torch.randint(0, 17, (3, 5)),)
