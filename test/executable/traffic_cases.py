"""Programs of training, forward and backward, under the cuts people use, and what they may move.

Every case is a PyTorch function of float64 and integer tensors; its joint graph goes through the
front end. `most` bounds the largest operand of any collective, in bytes on one rank.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

D = torch.float64


@dataclass(frozen=True)
class TrafficCase:
    """A function, its arguments, how they and their gradients lie, the bound in bytes."""

    name: str
    function: Callable[..., Tensor]
    arguments: tuple[Tensor, ...]
    mesh: str
    lying: tuple[str, ...]
    most: int

    @property
    def gradients(self) -> dict[int, str]:
        """Result number → sharding: each gradient lies as its argument."""
        floats = [
            s for a, s in zip(self.arguments, self.lying, strict=True) if a.is_floating_point()
        ]
        return {i + 1: s for i, s in enumerate(floats)}


def _random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=D)


def _labels(count: int, *shape: int) -> Tensor:
    return torch.randint(0, count, shape, generator=torch.Generator().manual_seed(7))


def _one_hot(labels: Tensor) -> Tensor:
    return (labels[:, None] == torch.arange(CLASSES)).to(D)


ROWS, CLASSES, WIDTH = 8, 33, 16
LOGITS, TARGET = _random(ROWS, CLASSES), _labels(CLASSES, ROWS)
HIDDEN, TABLE = _random(ROWS, WIDTH), _random(CLASSES, WIDTH, seed=1)
TOKENS = _labels(CLASSES, 4, 5)
IMAGE, KERNEL = _random(2, 4, 8, 10), _random(6, 4, 3, 3, seed=2)
HEADS = _random(2, 4, 6, 8)
ONES, ZEROS = torch.ones(WIDTH, dtype=D), torch.zeros(WIDTH, dtype=D)
ROW_BYTES = ROWS * 8
WHOLE = "[R, R]"

CASES = (
    TrafficCase(
        "class-parallel cross-entropy",
        lambda x, t: F.cross_entropy(x, t),
        (LOGITS, TARGET), "x=2", ("[R, S(x)]", "[R]"), ROW_BYTES,
    ),
    TrafficCase(
        "class-parallel cross-entropy: ignored labels, smoothing, sum",
        lambda x, t: F.cross_entropy(
            x, t, ignore_index=3, label_smoothing=0.1, reduction="sum"
        ),
        (LOGITS, TARGET), "x=3", ("[R, S(x)]", "[R]"), ROW_BYTES,
    ),
    TrafficCase(
        "class-parallel cross-entropy, batch cut too",
        lambda x, t: F.cross_entropy(x, t),
        (LOGITS, TARGET), "d=2,x=2", ("[S(d), S(x)]", "[S(d)]"), ROW_BYTES,
    ),
    TrafficCase(
        "classifier head by classes and its loss",
        lambda h, w, t: F.cross_entropy(h @ w.t(), t),
        (HIDDEN, TABLE, TARGET), "x=2", (WHOLE, "[S(x), R]", "[R]"), ROWS * WIDTH * 8,
    ),
    TrafficCase(
        "margin head (ArcFace) by classes",
        lambda h, w, t: F.cross_entropy(
            8 * (F.normalize(h) @ F.normalize(w).t() - 0.2 * _one_hot(t)), t
        ),
        (HIDDEN, TABLE, TARGET), "x=2", (WHOLE, "[S(x), R]", "[R]"), ROWS * WIDTH * 8,
    ),
    TrafficCase(
        "vocabulary-parallel embedding",
        lambda w, i: F.embedding(i, w).sin().sum(),
        (TABLE, TOKENS), "x=2", ("[S(x), R]", WHOLE), TOKENS.numel() * WIDTH * 8,
    ),
    TrafficCase(
        "embedding tied to the head, by vocabulary",
        lambda w, i, t: F.cross_entropy((F.embedding(i, w).sin() @ w.t()).flatten(0, 1), t),
        (TABLE, TOKENS, _labels(CLASSES, 20)), "x=2",
        ("[S(x), R]", WHOLE, "[R]"), TOKENS.numel() * WIDTH * 8,
    ),
    TrafficCase(
        "convolution by image rows",
        lambda x, k: F.conv2d(x, k, padding=1).sin().sum(),
        (IMAGE, KERNEL), "x=2", ("[R, R, S(x), R]", "[R, R, R, R]"), KERNEL.numel() * 8,
    ),
    TrafficCase(
        "convolution by batch",
        lambda x, k: F.conv2d(x, k, padding=1).sin().sum(),
        (IMAGE, KERNEL), "x=2", ("[S(x), R, R, R]", "[R, R, R, R]"), KERNEL.numel() * 8,
    ),
    TrafficCase(
        "average pooling by image rows",
        lambda x: F.avg_pool2d(x, 2).sin().sum(),
        (IMAGE,), "x=2", ("[R, R, S(x), R]",), 2 * 4 * 10 * 8,
    ),
    TrafficCase(
        "layer norm along the normalised dimension",
        lambda x, w, b: F.layer_norm(x, (WIDTH,), w, b).sin().sum(),
        (HIDDEN, ONES, ZEROS), "x=2", ("[R, S(x)]", "[S(x)]", "[S(x)]"), ROW_BYTES,
    ),
    TrafficCase(
        "softmax along the normalised dimension",
        lambda x: (F.softmax(x, -1) ** 2).sum(),
        (HIDDEN,), "x=3", ("[R, S(x)]",), ROW_BYTES,
    ),
    TrafficCase(
        "batch norm by batch: statistics combined",
        lambda x, w, b: F.batch_norm(x, None, None, w, b, training=True).sin().sum(),
        (IMAGE, ONES[:4], ZEROS[:4]), "x=2", ("[S(x), R, R, R]", "[R]", "[R]"), 4 * 8,
    ),
    TrafficCase(
        "causal attention by heads",
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True).sin().sum(),
        (HEADS, HEADS + 1, HEADS - 1), "x=2", ("[R, S(x), R, R]",) * 3, 8,
    ),
    TrafficCase(
        "variance of uneven shards",
        lambda x: x.var(0).sum(), (HIDDEN[:7],), "x=2", ("[S(x), R]",), WIDTH * 8,
    ),
    TrafficCase(
        "logsumexp of uneven shards",
        lambda x: torch.logsumexp(x, 0).sum(), (HIDDEN[:7],), "x=2", ("[S(x), R]",), WIDTH * 8,
    ),
    TrafficCase(
        "mean of uneven shards",
        lambda x: x.mean(0).sin().sum(), (HIDDEN[:7],), "x=2", ("[S(x), R]",), WIDTH * 8,
    ),
    TrafficCase(
        "maximum along a cut dimension",
        lambda x: x.amax(1).sin().sum(), (HIDDEN,), "x=2", ("[R, S(x)]",), ROW_BYTES,
    ),
    TrafficCase(
        "roll along a cut dimension",
        lambda x: (torch.roll(x, 1, 0) * x).sum(), (HIDDEN,), "x=2", ("[S(x), R]",), WIDTH * 8,
    ),
    TrafficCase(
        "cumulative sum along a cut dimension",
        lambda x: torch.cumsum(x, 0).sin().sum(),
        (HIDDEN,), "x=2", ("[S(x), R]",), ROWS // 2 * WIDTH * 8,
    ),
    TrafficCase(
        "top-2 along a cut dimension",
        lambda x: torch.topk(x, 2, 1)[0].sin().sum(),
        (HIDDEN,), "x=2", ("[R, S(x)]",), ROWS * 2 * 8,
    ),
)  # fmt: skip
