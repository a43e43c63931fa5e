"""A BERT-shaped sentence encoder: masked bidirectional attention, mean of the last layer."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

Example = tuple[nn.Module, tuple[torch.Tensor, ...]]


@dataclass(frozen=True)
class BertConfig:
    """Sizes of the model."""

    vocabulary: int
    positions: int
    width: int
    heads: int
    intermediate: int
    layers: int


class Layer(nn.Module):
    """Post-norm attention and MLP."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.query = nn.Linear(config.width, config.width)
        self.key = nn.Linear(config.width, config.width)
        self.value = nn.Linear(config.width, config.width)
        self.output = nn.Linear(config.width, config.width)
        self.attention_norm = nn.LayerNorm(config.width, eps=1e-12)
        self.intermediate = nn.Linear(config.width, config.intermediate)
        self.contract = nn.Linear(config.intermediate, config.width)
        self.output_norm = nn.LayerNorm(config.width, eps=1e-12)

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(x.shape[0], x.shape[1], self.heads, -1).transpose(1, 2)

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """[batch, sequence, width] → the same; `mask` [batch, 1, 1, sequence] is added."""
        mixed = nn.functional.scaled_dot_product_attention(
            self._heads(self.query(x)),
            self._heads(self.key(x)),
            self._heads(self.value(x)),
            attn_mask=mask,
        )
        mixed = mixed.transpose(1, 2).reshape(x.shape)
        x = self.attention_norm(x + self.output(mixed))
        hidden = nn.functional.gelu(self.intermediate(x))
        return self.output_norm(x + self.contract(hidden))


class Bert(nn.Module):
    """Token ids and a 0/1 mask, both [batch, sequence] → embeddings [batch, width]."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.words = nn.Embedding(config.vocabulary, config.width)
        self.positions = nn.Embedding(config.positions, config.width)
        self.norm = nn.LayerNorm(config.width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))

    def forward(self, tokens: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return the masked mean over the sequence."""
        order = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.norm(self.words(tokens) + self.positions(order))
        kept = attention_mask.to(x.dtype)
        mask = (1.0 - kept)[:, None, None, :] * torch.finfo(x.dtype).min
        for layer in self.layers:
            x = layer(x, mask)
        kept = kept[:, :, None]
        return (x * kept).sum(dim=1) / kept.sum(dim=1)


def _example(config: BertConfig, batch: int, sequence: int) -> Example:
    torch.manual_seed(0)
    tokens = torch.randint(0, config.vocabulary, (batch, sequence))
    mask = torch.ones(batch, sequence, dtype=torch.int64)
    mask[0, sequence // 2 :] = 0
    return Bert(config).eval(), (tokens, mask)


def full() -> Example:
    """MiniLM-L6 sizes: six layers of 384 with 12 heads, 30522 words; batch 4 of 32."""
    return _example(BertConfig(30522, 512, 384, 12, 1536, 6), 4, 32)


def reduced() -> Example:
    """Two layers of 20 with 5 heads, 67 words; batch 2 of 8."""
    return _example(BertConfig(67, 16, 20, 5, 30, 2), 2, 8)
