"""A Llama-shaped language model: grouped-query attention, rotary positions, gated MLP."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn

Example = tuple[nn.Module, tuple[torch.Tensor, ...]]


@dataclass(frozen=True)
class LlamaConfig:
    """Sizes of the model."""

    vocabulary: int
    width: int
    heads: int
    groups: int
    head_width: int
    intermediate: int
    layers: int


class RmsNorm(nn.Module):
    """x / rms(x) * weight over the last dimension."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[…, width] → the same."""
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight


def rotate(x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
    """Turn [batch, heads, sequence, head_width] by the angles of its positions."""
    left, right = x.chunk(2, dim=-1)
    return x * cosine + torch.cat((-right, left), dim=-1) * sine


class Attention(nn.Module):
    """Causal attention; each key/value group serves heads / groups query heads."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.config = config
        queries, keys = config.heads * config.head_width, config.groups * config.head_width
        self.q_proj = nn.Linear(config.width, queries, bias=False)
        self.k_proj = nn.Linear(config.width, keys, bias=False)
        self.v_proj = nn.Linear(config.width, keys, bias=False)
        self.o_proj = nn.Linear(queries, config.width, bias=False)

    def _heads(self, x: torch.Tensor, heads: int) -> torch.Tensor:
        return x.view(x.shape[0], x.shape[1], heads, self.config.head_width).transpose(1, 2)

    def _repeat(self, x: torch.Tensor) -> torch.Tensor:
        batch, groups, sequence, width = x.shape
        repeats = self.config.heads // groups
        spread = x[:, :, None].expand(batch, groups, repeats, sequence, width)
        return spread.reshape(batch, groups * repeats, sequence, width)

    def forward(self, x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
        """[batch, sequence, width] → the same."""
        query = rotate(self._heads(self.q_proj(x), self.config.heads), cosine, sine)
        key = rotate(self._heads(self.k_proj(x), self.config.groups), cosine, sine)
        value = self._heads(self.v_proj(x), self.config.groups)
        mixed = nn.functional.scaled_dot_product_attention(
            query, self._repeat(key), self._repeat(value), is_causal=True
        )
        return self.o_proj(mixed.transpose(1, 2).reshape(x.shape[0], x.shape[1], -1))


class Mlp(nn.Module):
    """down(silu(gate(x)) * up(x))."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(config.width, config.intermediate, bias=False)
        self.up_proj = nn.Linear(config.width, config.intermediate, bias=False)
        self.down_proj = nn.Linear(config.intermediate, config.width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """[batch, sequence, width] → the same."""
        return self.down_proj(nn.functional.silu(self.gate_proj(x)) * self.up_proj(x))


class Layer(nn.Module):
    """Pre-norm attention and MLP, each with a residual connection."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.input_layernorm = RmsNorm(config.width)
        self.self_attn = Attention(config)
        self.post_attention_layernorm = RmsNorm(config.width)
        self.mlp = Mlp(config)

    def forward(self, x: torch.Tensor, cosine: torch.Tensor, sine: torch.Tensor) -> torch.Tensor:
        """[batch, sequence, width] → the same."""
        x = x + self.self_attn(self.input_layernorm(x), cosine, sine)
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    """[batch, sequence] token ids → [batch, sequence, vocabulary] logits, head tied."""

    def __init__(self, config: LlamaConfig) -> None:
        super().__init__()
        self.embed_tokens = nn.Embedding(config.vocabulary, config.width)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = RmsNorm(config.width)
        self.lm_head = nn.Linear(config.width, config.vocabulary, bias=False)
        self.lm_head.weight = self.embed_tokens.weight
        half = torch.arange(0, config.head_width, 2, dtype=torch.float32) / config.head_width
        self.register_buffer("inverse_frequency", 10000.0**-half, persistent=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Return next-token logits."""
        positions = torch.arange(tokens.shape[1], device=tokens.device, dtype=torch.float32)
        angles = positions[:, None] * self.inverse_frequency[None, :]
        angles = torch.cat((angles, angles), dim=-1)
        cosine, sine = angles.cos(), angles.sin()
        x = self.embed_tokens(tokens)
        for layer in self.layers:
            x = layer(x, cosine, sine)
        return self.lm_head(self.norm(x))


def _example(config: LlamaConfig, batch: int, sequence: int) -> Example:
    torch.manual_seed(0)
    tokens = torch.randint(0, config.vocabulary, (batch, sequence))
    return Llama(config).eval(), (tokens,)


def full() -> Example:
    """Four layers in SmolLM2-135M's sizes: 576 wide, 9 heads in 3 groups; batch 2 of 32."""
    return _example(LlamaConfig(49152, 576, 9, 3, 64, 1536, 4), 2, 32)


def reduced() -> Example:
    """Two layers of 36 with 9 heads in 3 groups, 97 tokens; batch 2 of 8."""
    return _example(LlamaConfig(97, 36, 9, 3, 4, 50, 2), 2, 8)
