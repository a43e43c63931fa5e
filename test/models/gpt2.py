"""A GPT-2-shaped language model: fused q/k/v, learned positions, tied head."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

Example = tuple[nn.Module, tuple[torch.Tensor, ...]]


@dataclass(frozen=True)
class Gpt2Config:
    """Sizes of the model."""

    vocabulary: int
    positions: int
    width: int
    heads: int
    layers: int


class Projection(nn.Module):
    """A linear layer that stores its weight as [inputs, outputs], as GPT-2's checkpoints do."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(inputs, outputs))
        self.bias = nn.Parameter(torch.empty(outputs))
        nn.init.normal_(self.weight, std=0.02)
        nn.init.normal_(self.bias, std=0.02)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, sequence, inputs] → [batch, sequence, outputs]."""
        return torch.matmul(x, self.weight) + self.bias


class Attention(nn.Module):
    """Causal self-attention with one weight [width, 3 * width] for queries, keys and values."""

    def __init__(self, config: Gpt2Config) -> None:
        super().__init__()
        self.width, self.heads = config.width, config.heads
        self.c_attn = Projection(config.width, 3 * config.width)
        self.c_proj = Projection(config.width, config.width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, sequence, width] → the same."""
        batch, sequence, width = x.shape
        query, key, value = (
            part.view(batch, sequence, self.heads, -1).transpose(1, 2)
            for part in self.c_attn(x).split(self.width, dim=2)
        )
        mixed = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        return self.c_proj(mixed.transpose(1, 2).reshape(batch, sequence, width))


class Block(nn.Module):
    """Pre-norm attention and MLP, each with a residual connection."""

    def __init__(self, config: Gpt2Config) -> None:
        super().__init__()
        self.ln_1 = nn.LayerNorm(config.width)
        self.attn = Attention(config)
        self.ln_2 = nn.LayerNorm(config.width)
        self.c_fc = Projection(config.width, 4 * config.width)
        self.c_proj = Projection(4 * config.width, config.width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, sequence, width] → the same."""
        x = x + self.attn(self.ln_1(x))
        hidden = nn.functional.gelu(self.c_fc(self.ln_2(x)), approximate="tanh")
        return x + self.c_proj(hidden)


class Gpt2(nn.Module):
    """[batch, sequence] token ids → [batch, sequence, vocabulary] logits."""

    def __init__(self, config: Gpt2Config) -> None:
        super().__init__()
        self.wte = nn.Embedding(config.vocabulary, config.width)
        self.wpe = nn.Embedding(config.positions, config.width)
        self.h = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.ln_f = nn.LayerNorm(config.width)
        self.lm_head = nn.Linear(config.width, config.vocabulary, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return next-token logits."""
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.wte(tokens) + self.wpe(positions)
        for block in self.h:
            x = block(x)
        return self.lm_head(self.ln_f(x))


def _example(config: Gpt2Config, batch: int, sequence: int) -> Example:
    torch.manual_seed(0)
    tokens = torch.randint(0, config.vocabulary, (batch, sequence))
    return Gpt2(config).eval(), (tokens,)


def full() -> Example:
    """GPT-2 small: 12 layers of 768 with 12 heads, 50257 tokens; batch 2 of 32."""
    return _example(Gpt2Config(50257, 1024, 768, 12, 12), 2, 32)


def reduced() -> Example:
    """Two layers of 24 with 3 heads of 8, 61 tokens; batch 2 of 8."""
    return _example(Gpt2Config(61, 16, 24, 3, 2), 2, 8)
