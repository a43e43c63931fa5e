"""Normalisations and statistics: batch, rows and the normalised dimension cut."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from executable.traffic_case import BYTES, TrafficCase, cut, normal, whole
from torch import Tensor

SCALAR = BYTES
WIDTH = 16
X, IMAGE = normal(8, WIDTH), normal(4, 6, 4, 4)
W, B = normal(WIDTH), normal(WIDTH, seed=1)
UNEVEN = X[:7]
ROW, CHANNELS = 8 * BYTES, 6 * BYTES

_STATISTICS: dict[str, tuple[Callable[[Tensor], Tensor], int]] = {
    "mean": (lambda x: x.mean(0).sin().sum(), 1),
    "variance": (lambda x: x.var(0).sin().sum(), 2),
    "standard deviation": (lambda x: x.std(0).sin().sum(), 2),
    "norm": (lambda x: x.norm(dim=0).sin().sum(), 1),
    "logsumexp": (lambda x: torch.logsumexp(x, 0).sin().sum(), 2),
    "maximum": (lambda x: x.amax(0).sin().sum(), 2),
    "softmax": (lambda x: (F.softmax(x, 0) ** 2).sum(), 4),
    "log-softmax": (lambda x: (F.log_softmax(x, 0) * x).sum(), 4),
}


def _batch_norm(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.batch_norm(x, None, None, w, b, training=True).sin().sum()


def _group_norm(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.group_norm(x, 2, w, b).sin().sum()


def _layer_norm(x: Tensor, w: Tensor, b: Tensor) -> Tensor:
    return F.layer_norm(x, (WIDTH,), w, b).sin().sum()


AFFINE = (IMAGE, W[:6], B[:6])

CASES = (
    *(
        TrafficCase(
            f"{name} of uneven shards, {mesh}", function, (UNEVEN,), mesh, (cut(2, 0),),
            WIDTH * BYTES, {"all_reduce": count},
        )
        for name, (function, count) in _STATISTICS.items()
        for mesh in ("x=2", "x=3")
    ),
    TrafficCase(
        "layer norm along the normalised dimension",
        _layer_norm, (X, W, B), "x=2", (cut(2, 1), cut(1, 0), cut(1, 0)), ROW, {"all_reduce": 5},
    ),
    TrafficCase(
        "layer norm by rows",
        _layer_norm, (X, W, B), "x=2", (cut(2, 0), whole(1), whole(1)),
        WIDTH * BYTES, {"all_reduce": 3},
    ),
    TrafficCase(
        "RMS norm along the normalised dimension",
        lambda x, w: F.rms_norm(x, (WIDTH,), w).sin().sum(),
        (X, W), "x=2", (cut(2, 1), cut(1, 0)), ROW, {"all_reduce": 3},
    ),
    TrafficCase(
        "batch norm by batch: statistics combined",
        _batch_norm, AFFINE, "x=2", (cut(4, 0), whole(1), whole(1)), CHANNELS, {"all_reduce": 5},
    ),
    TrafficCase(
        "batch norm by uneven batch",
        _batch_norm, (IMAGE[:3], W[:6], B[:6]), "x=2", (cut(4, 0), whole(1), whole(1)),
        CHANNELS, {"all_reduce": 5},
    ),
    TrafficCase(
        "batch norm by rows",
        _batch_norm, AFFINE, "x=2", (cut(4, 2), whole(1), whole(1)), CHANNELS, {"all_reduce": 5},
    ),
    TrafficCase(
        "batch norm by channels",
        _batch_norm, AFFINE, "x=2", (cut(4, 1), cut(1, 0), cut(1, 0)), SCALAR, {"all_reduce": 1},
    ),
    TrafficCase(
        "batch norm by batch and channels",
        _batch_norm, AFFINE, "d=2,x=2", ("[S(d), S(x), R, R]", cut(1, 0), cut(1, 0)),
        CHANNELS // 2, {"all_reduce": 5},
    ),
    TrafficCase(
        "group norm by batch",
        _group_norm, AFFINE, "x=2", (cut(4, 0), whole(1), whole(1)), CHANNELS, {"all_reduce": 3},
    ),
    TrafficCase(
        "group norm by channels, whole groups",
        _group_norm, AFFINE, "x=2", (cut(4, 1), cut(1, 0), cut(1, 0)), SCALAR, {"all_reduce": 1},
    ),
    TrafficCase(
        "group norm by rows",
        _group_norm, AFFINE, "x=2", (cut(4, 2), whole(1), whole(1)),
        4 * CHANNELS, {"all_reduce": 5},
    ),
)  # fmt: skip
