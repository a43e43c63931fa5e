"""Attention and the layers around it: heads, batch and sequences cut; weights in shards."""

from __future__ import annotations

import torch.nn.functional as F
from executable.traffic_case import BYTES, TrafficCase, cut, normal, whole
from torch import Tensor

SCALAR = BYTES
BATCH, SEQUENCE, WIDTH, HEADS = 2, 6, 16, 4
X = normal(BATCH, SEQUENCE, WIDTH)
WEIGHTS = tuple(normal(WIDTH, WIDTH, seed=i) for i in range(4))
ACTIVATION, WEIGHT = X.numel() * BYTES, WIDTH * WIDTH * BYTES
Q = normal(2, 4, 12, 4)
QKV = (Q, Q + 1, Q - 1)
HEAD_BYTES = Q.numel() * BYTES
SMALL = normal(2, 2, 12, 4)
UP, DOWN = normal(WIDTH, 2 * WIDTH), normal(2 * WIDTH, WIDTH)
BLOCK = (X, UP, DOWN)


def _causal(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True).sin().sum()


def _full(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v).sin().sum()


def _grouped(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, enable_gqa=True).sin().sum()


def _layer(x: Tensor, wq: Tensor, wk: Tensor, wv: Tensor, wo: Tensor) -> Tensor:
    batch, length, width = x.shape

    def heads(y: Tensor) -> Tensor:
        return y.view(batch, length, HEADS, width // HEADS).transpose(1, 2)

    out = F.scaled_dot_product_attention(
        heads(x @ wq), heads(x @ wk), heads(x @ wv), is_causal=True
    )
    return (out.transpose(1, 2).reshape(batch, length, width) @ wo).sin().sum()


def _block(x: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.gelu(x @ up) @ down).sin().sum()


COLUMNS, ROWS = cut(2, 1), cut(2, 0)
FSDP = {"all_gather": 4, "all_reduce": 1, "reduce_scatter": 4}

CASES = (
    TrafficCase(
        "attention by heads", _causal, QKV, "x=2", (cut(4, 1),) * 3, SCALAR, {"all_reduce": 1}
    ),
    TrafficCase(
        "attention by batch", _causal, QKV, "x=2", (cut(4, 0),) * 3, SCALAR, {"all_reduce": 1}
    ),
    TrafficCase(
        "attention by batch and heads",
        _causal, QKV, "d=2,x=2", ("[S(d), S(x), R, R]",) * 3, SCALAR, {"all_reduce": 1},
    ),
    TrafficCase(
        "attention by queries",
        _full, QKV, "x=2", (cut(4, 2), whole(4), whole(4)), HEAD_BYTES, {"all_reduce": 3},
    ),
    TrafficCase(
        "attention by keys",
        _full, QKV, "x=2", (whole(4), cut(4, 2), cut(4, 2)), HEAD_BYTES, {"all_reduce": 6},
    ),
    TrafficCase(
        "causal attention by sequence: keys and values gathered",
        _causal, QKV, "x=2", (cut(4, 2),) * 3, HEAD_BYTES,
        {"all_gather": 2, "reduce_scatter": 2, "all_reduce": 1},
    ),
    TrafficCase(
        "grouped-query attention by heads",
        _grouped, (Q, SMALL, SMALL + 1), "x=2", (cut(4, 1),) * 3, SCALAR, {"all_reduce": 1},
    ),
    TrafficCase(
        "grouped-query attention by batch",
        _grouped, (Q, SMALL, SMALL + 1), "x=2", (cut(4, 0),) * 3, SCALAR, {"all_reduce": 1},
    ),
    TrafficCase(
        "grouped-query attention by uneven groups of heads",
        _grouped, (normal(2, 6, 6, 8), normal(2, 3, 6, 8), normal(2, 3, 6, 8, seed=1)), "x=2",
        ("[R, S(x)/2, R, R]", cut(4, 1), cut(4, 1)), SCALAR, {"all_reduce": 1},
    ),
    TrafficCase(
        "attention layer, tensor-parallel",
        _layer, (X, *WEIGHTS), "x=2", (whole(3), *(COLUMNS,) * 3, ROWS),
        ACTIVATION, {"all_reduce": 2}, (1, 2, 3, 4),
    ),
    TrafficCase(
        "attention layer, data-parallel",
        _layer, (X, *WEIGHTS), "x=2", (cut(3, 0), *(whole(2),) * 4),
        WEIGHT, {"all_reduce": 5}, (1, 2, 3, 4),
    ),
    TrafficCase(
        "attention layer, data- and tensor-parallel",
        _layer, (X, *WEIGHTS), "d=2,x=2", (cut(3, 0, axis="d"), *(COLUMNS,) * 3, ROWS),
        WEIGHT // 2, {"all_reduce": 7}, (1, 2, 3, 4),
    ),
    TrafficCase(
        "attention layer, weights in shards (FSDP)",
        _layer, (X, *WEIGHTS), "x=2", (cut(3, 0), *(ROWS,) * 4), WEIGHT, FSDP, (1, 2, 3, 4),
    ),
    TrafficCase(
        "attention layer, FSDP and tensor-parallel",
        _layer, (X, *WEIGHTS), "d=2,x=2",
        (cut(3, 0, axis="d"), *("[S(d), S(x)]",) * 3, "[S(x), S(d)]"),
        WEIGHT // 2, {**FSDP, "all_reduce": 3}, (1, 2, 3, 4),
    ),
    TrafficCase(
        "attention layer by sequence",
        _layer, (X, *WEIGHTS), "x=2", (cut(3, 1), *(whole(2),) * 4),
        WEIGHT, {"all_gather": 2, "reduce_scatter": 2, "all_reduce": 5}, (1, 2, 3, 4),
    ),
    TrafficCase(
        "feed-forward block, tensor-parallel",
        _block, BLOCK, "x=2", (whole(3), COLUMNS, ROWS), ACTIVATION, {"all_reduce": 2}, (1, 2),
    ),
    TrafficCase(
        "feed-forward block, weights in shards (FSDP)",
        _block, BLOCK, "x=2", (cut(3, 0), ROWS, ROWS), UP.numel() * BYTES,
        {"all_gather": 2, "all_reduce": 1, "reduce_scatter": 2}, (1, 2),
    ),
)  # fmt: skip
