"""Small modules the tests export."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn


class Apply(nn.Module):
    """forward is a function of the inputs."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> Any:
        """Return function(*inputs)."""
        return self.function(*inputs)


class WrittenRmsNorm(nn.Module):
    """RMSNorm as Hugging Face models write it, with casts to f32 and back."""

    def __init__(self, width: int, dtype: torch.dtype) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(0.5, 1.5, width, dtype=dtype))

    def forward(self, hidden_states: torch.Tensor) -> torch.Tensor:
        """[…, width] → the same."""
        input_dtype = hidden_states.dtype
        hidden_states = hidden_states.to(torch.float32)
        variance = hidden_states.pow(2).mean(-1, keepdim=True)
        hidden_states = hidden_states * torch.rsqrt(variance + 1e-6)
        return self.weight * hidden_states.to(input_dtype)


class Tied(nn.Module):
    """An embedding whose weight is the head's, a non-persistent buffer, an unused layer."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(11, 4)
        self.head = nn.Linear(4, 11, bias=False)
        self.head.weight = self.words.weight
        self.spare = nn.Linear(3, 3)
        self.register_buffer("steps", torch.arange(4.0), persistent=False)
        self.register_buffer("shift", torch.ones(4))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """[batch] ids → [batch, 11] scores."""
        return self.head(self.words(ids) * self.steps + self.shift)


class CausalByMask(nn.Module):
    """Attention with a causal mask it computes, boolean or additive."""

    def __init__(self, additive: bool, window: int | None = None) -> None:
        super().__init__()
        self.additive, self.window = additive, window

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, heads, sequence, width] → the same."""
        rows = torch.arange(x.shape[2])
        mask = rows[None, :] <= rows[:, None]
        if self.window is not None:
            mask = mask & (rows[:, None] - rows[None, :] < self.window)
        if self.additive:
            mask = torch.zeros(mask.shape).masked_fill(~mask, torch.finfo(torch.float32).min)
        return nn.functional.scaled_dot_product_attention(x, x, x, mask[None, None])


class PaddingMask(nn.Module):
    """Attention whose mask is read from a padding mask by index grids, as in transformers."""

    def forward(self, x: torch.Tensor, kept: torch.Tensor) -> torch.Tensor:
        """x [batch, heads, sequence, width], kept [batch, sequence] → as x."""
        batch, _, sequence, _ = x.shape
        rows = torch.arange(batch)[:, None, None, None]
        columns = torch.arange(sequence)[None, None, None, :]
        mask = kept.bool()[rows, columns].expand(batch, 1, sequence, sequence)
        return nn.functional.scaled_dot_product_attention(x, x, x, mask)
