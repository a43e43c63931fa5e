"""Pools and upsampling: windows over cut images, ties across the edge."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from executable.traffic_case import BYTES, FLOAT, TrafficCase, cut, normal
from torch import Tensor

SCALAR = BYTES
IMAGE = normal(2, 3, 8, 8)
TIES = torch.randint(0, 3, (2, 3, 8, 8), generator=torch.Generator().manual_seed(1)).to(FLOAT)
ROW = 2 * 3 * 8 * BYTES
PLAIN = {"all_reduce": 1}
NEAR = {"all_reduce": 1, "collective_permute": 6}

_POOLS: dict[str, Callable[[Tensor], Tensor]] = {
    "max pool 2": lambda x: F.max_pool2d(x, 2),
    "max pool 3, stride 2": lambda x: F.max_pool2d(x, 3, 2, 1),
    "max pool 3, stride 1": lambda x: F.max_pool2d(x, 3, 1, 1),
    "max pool 3 in ceil mode": lambda x: F.max_pool2d(x, 3, 2, 0, ceil_mode=True),
    "max pool of uneven windows": lambda x: F.max_pool2d(x, (3, 2), (1, 3), (1, 0)),
    "average pool 3, stride 2": lambda x: F.avg_pool2d(x, 3, 2, 1),
    "average pool without padding counted": lambda x: F.avg_pool2d(
        x, 3, 2, 1, count_include_pad=False
    ),
    "average pool in ceil mode": lambda x: F.avg_pool2d(x, 3, 2, 0, ceil_mode=True),
    "average pool with a divisor": lambda x: F.avg_pool2d(x, 2, divisor_override=3),
    "adaptive average pool to 4": lambda x: F.adaptive_avg_pool2d(x, 4),
    "nearest upsampling": lambda x: F.interpolate(x, scale_factor=2, mode="nearest"),
}


def _summed(pool: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    return lambda x: pool(x).sin().sum()


def _pooled() -> list[TrafficCase]:
    found = []
    for name, pool in _POOLS.items():
        function = _summed(pool)
        found += [
            TrafficCase(
                f"{name}, by batch", function, (IMAGE,), "x=2", (cut(4, 0),), SCALAR, PLAIN
            ),
            TrafficCase(
                f"{name}, by channels", function, (IMAGE,), "x=2", (cut(4, 1),), SCALAR, PLAIN
            ),
            TrafficCase(f"{name}, by rows", function, (TIES,), "x=2", (cut(4, 2),), 2 * ROW, NEAR),
        ]
        if "adaptive" not in name:
            found.append(
                TrafficCase(
                    f"{name}, by uneven rows",
                    function, (TIES,), "x=3", (cut(4, 2),), 4 * ROW, NEAR,
                )
            )  # fmt: skip
    return found


CASES = (
    *_pooled(),
    TrafficCase(
        "max pool 2 of aligned rows: no halo",
        _summed(_POOLS["max pool 2"]), (TIES,), "x=4", (cut(4, 2),), SCALAR, PLAIN,
    ),
    TrafficCase(
        "sequence max pool by positions",
        lambda x: F.max_pool1d(x, 3, 2, 1).sin().sum(),
        (normal(2, 4, 12),), "x=2", (cut(3, 2),), 2 * 2 * 4 * BYTES, NEAR,
    ),
    TrafficCase(
        "dilated max pool by batch",
        lambda x: F.max_pool2d(x, 2, 1, 0, dilation=2).sin().sum(),
        (IMAGE,), "x=2", (cut(4, 0),), SCALAR, PLAIN,
    ),
    TrafficCase(
        "global average pool by rows",
        lambda x: F.adaptive_avg_pool2d(x, 1).sin().sum(),
        (IMAGE,), "x=2", (cut(4, 2),), 2 * 3 * BYTES, PLAIN,
    ),
)  # fmt: skip
