"""Slices, pads, rolls, reverses, joins and reshapes along cut dimensions."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from executable.traffic_case import BYTES, TrafficCase, cut, normal, whole
from torch import Tensor

SCALAR = BYTES
X = normal(8, 16)
ROW, SHARD = 16 * BYTES, 4 * 16 * BYTES

_ALONG: dict[str, tuple[Callable[[Tensor], Tensor], int, dict[str, int]]] = {
    "pad": (lambda x: F.pad(x, (0, 0, 1, 2)).sin().sum(), ROW, {"collective_permute": 2}),
    "slices one apart": (
        lambda x: (x[1:7].sin() * x[2:8]).sum(), ROW, {"collective_permute": 4},
    ),
    "every second row": (lambda x: x[::2].sin().sum(), SCALAR, {}),
    "difference": (lambda x: torch.diff(x, dim=0).sin().sum(), ROW, {"collective_permute": 3}),
    "reverse": (lambda x: (x.flip(0) * x).sum(), SHARD, {"collective_permute": 1}),
    "roll by one": (lambda x: (torch.roll(x, 1, 0) * x).sum(), ROW, {"collective_permute": 6}),
    "roll by three": (
        lambda x: (torch.roll(x, 3, 0) * x).sum(), 2 * ROW, {"collective_permute": 8},
    ),
    "join": (lambda x: torch.cat([x, x.sin()]).sin().sum(), SHARD, {"collective_permute": 4}),
    "stack": (lambda x: torch.stack([x, x.sin()]).sin().sum(), SCALAR, {}),
    "repeat each": (lambda x: x.repeat_interleave(2, 0).sin().sum(), SCALAR, {}),
    "reflected pad elsewhere": (
        lambda x: F.pad(x[None], (2, 2), mode="reflect").sin().sum(), SCALAR, {},
    ),
    "cumulative sum": (
        lambda x: x.cumsum(0).sin().sum(), SHARD, {"all_gather": 2, "collective_permute": 2},
    ),
}  # fmt: skip


def _reshaped(name: str, shape: tuple[int, ...], lying: str, mesh: str, *to: int) -> TrafficCase:
    def function(x: Tensor) -> Tensor:
        return (x.reshape(to).sin() * 2).sum()

    return TrafficCase(
        f"reshape {name}", function, (normal(*shape),), mesh, (lying,), SCALAR, {"all_reduce": 1}
    )


def _patches(x: Tensor) -> Tensor:
    split = x.reshape(2, 3, 4, 2, 4, 2).permute(0, 2, 4, 1, 3, 5)
    return split.reshape(2, 16, 12).sin().sum()


CASES = (
    *(
        TrafficCase(
            f"{name} along a cut dimension", function, (X,), "x=2", (cut(2, 0),), most,
            {"all_reduce": 1, **counts},
        )
        for name, (function, most, counts) in _ALONG.items()
    ),
    _reshaped("that merges a cut minor dimension", (4, 5, 6), cut(3, 2), "x=2", 4, 30),
    _reshaped("that merges a cut major dimension", (4, 4, 6), cut(3, 1), "x=2", 4, 24),
    _reshaped("that merges uneven shards", (5, 6), cut(2, 0), "x=2", 30),
    _reshaped("that splits a cut dimension", (24,), cut(1, 0), "x=2", 6, 4),
    _reshaped("that splits between two axes", (24,), "[S(x,y)]", "x=2,y=2", 2, 12),
    _reshaped("that splits one axis in two", (24,), cut(1, 0), "x=4", 2, 12),
    TrafficCase(
        "merged heads times a matrix",
        lambda x, w: (x.reshape(8, 6, 4).transpose(0, 1).reshape(6, 32) @ w).sin().sum(),
        (normal(48, 4), normal(32, 5)), "x=2", (cut(2, 0), cut(2, 0)),
        6 * 5 * BYTES, {"all_reduce": 1},
    ),
    TrafficCase(
        "pixel shuffle by rows",
        lambda x: F.pixel_shuffle(x, 2).sin().sum(),
        (normal(2, 8, 4, 4),), "x=2", (cut(4, 2),), SCALAR, {"all_reduce": 1},
    ),
    TrafficCase(
        "patches by rows",
        _patches,
        (normal(2, 3, 8, 8),), "x=2", (cut(4, 2),), SCALAR, {"all_reduce": 1},
    ),
    TrafficCase(
        "top-2 along a cut dimension",
        lambda x: torch.topk(x, 2, 1)[0].sin().sum(),
        (X,), "x=2", (cut(2, 1),), 8 * 2 * BYTES, {"all_gather": 2},
    ),
    TrafficCase(
        "top-2 of cut rows",
        lambda x: torch.topk(x, 2, 1)[0].sin().sum(),
        (X,), "x=2", (cut(2, 0),), SCALAR, {"all_reduce": 1},
    ),
    TrafficCase(
        "maximum with its place along a cut dimension",
        lambda x: x.max(0)[0].sin().sum(), (X[:7],), "x=2", (cut(2, 0),), ROW, {"all_reduce": 2},
    ),
    TrafficCase(
        "whole values", lambda x: x.sin().sum(), (X,), "x=2", (whole(2),), 0, {}
    ),
)  # fmt: skip
