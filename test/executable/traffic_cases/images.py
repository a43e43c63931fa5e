"""Convolutions: batch, channels and images cut; both gradients."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import torch.nn.functional as F
from executable.traffic_case import BYTES, TrafficCase, cut, normal, whole
from torch import Tensor

Convolution = Callable[[Tensor, Tensor], Tensor]
SCALAR = BYTES
SHAPE = (4, 6, 9, 10)
"""Of the images: nine rows do not divide, ten columns do."""

_WINDOWS: dict[str, tuple[dict[str, int], tuple[int, ...]]] = {
    "": ({"padding": 1}, (6, 6, 3, 3)),
    ", strides": ({"stride": 2, "padding": 1}, (8, 6, 3, 3)),
    ", dilation": ({"dilation": 2, "padding": 2}, (6, 6, 3, 3)),
    ", two groups": ({"groups": 2, "padding": 1}, (8, 3, 3, 3)),
    ", depthwise": ({"groups": 6, "padding": 1}, (6, 1, 3, 3)),
    ", even kernel": ({}, (5, 6, 2, 4)),
    ", strides as wide as the kernel": ({"stride": 3}, (4, 6, 3, 3)),
    ", strides over one": ({"stride": 2}, (4, 6, 1, 1)),
}


def _conv2d(options: dict[str, int]) -> Convolution:
    return lambda x, w: F.conv2d(x, w, **options).sin().sum()  # type: ignore[arg-type]


def _row(channels: int) -> int:
    """Bytes of one row of all images."""
    return SHAPE[0] * channels * SHAPE[3] * BYTES


def _windowed() -> list[TrafficCase]:
    found = []
    for name, (options, shape) in _WINDOWS.items():
        function, args = _conv2d(options), (normal(*SHAPE), normal(*shape, seed=2))
        kernel, grouped = prod(shape) * BYTES, options.get("groups", 1) > 1
        # What a window sees of a neighbour: of the images forward, of the results backward.
        reach = (max(shape[2:]) - 1) * options.get("dilation", 1)
        halo = max(reach, options.get("stride", 1)) * _row(max(SHAPE[1], shape[0]))
        summed = {"all_reduce": 2}
        moved = {**summed, "collective_permute": 3}
        found += [
            TrafficCase(
                f"convolution by batch{name}", function, args, "x=2",
                (cut(4, 0), whole(4)), kernel, summed,
            ),
            TrafficCase(
                f"convolution by image rows{name}", function, args, "x=2",
                (cut(4, 2), whole(4)), max(kernel, halo), moved,
            ),
            TrafficCase(
                f"convolution by image columns{name}", function, args, "x=2",
                (cut(4, 3), whole(4)), max(kernel, halo), moved,
            ),
            TrafficCase(
                f"convolution by image rows, three ranks{name}", function, args, "x=3",
                (cut(4, 2), whole(4)), max(kernel, halo), {**summed, "collective_permute": 4},
            ),
        ]  # fmt: skip
        if not grouped:
            results = prod(function_shape(options, shape)) * BYTES
            found += [
                TrafficCase(
                    f"convolution by input channels{name}", function, args, "x=2",
                    (cut(4, 1), cut(4, 1)), results, {"all_reduce": 1},
                ),
                TrafficCase(
                    f"convolution by output channels{name}", function, args, "x=2",
                    (whole(4), cut(4, 0)), (prod(SHAPE) + 4 * 6 * 4 * 11) * BYTES, summed,
                ),
            ]  # fmt: skip
    return found


def function_shape(options: dict[str, int], kernel: tuple[int, ...]) -> tuple[int, ...]:
    """Shape of the result of a convolution of `SHAPE`."""
    return tuple(F.conv2d(normal(*SHAPE), normal(*kernel), **options).shape)  # type: ignore[arg-type]


SEQUENCE, TAPS = normal(2, 4, 12), normal(6, 4, 3)
IMAGE, KERNEL = normal(2, 4, 8, 8), normal(6, 4, 3, 3, seed=2)
UP = normal(4, 6, 2, 2)

CASES = (
    *_windowed(),
    TrafficCase(
        "depthwise convolution by channels",
        _conv2d({"groups": 6, "padding": 1}), (normal(*SHAPE), normal(6, 1, 3, 3)), "x=2",
        (cut(4, 1), cut(4, 0)), SCALAR, {"all_reduce": 1},
    ),
    TrafficCase(
        "convolution with a bias, by batch",
        lambda x, w, b: F.conv2d(x, w, b, padding=1).sin().sum(),
        (IMAGE, KERNEL, normal(6)), "x=2", (cut(4, 0), whole(4), whole(1)),
        KERNEL.numel() * BYTES, {"all_reduce": 3},
    ),
    TrafficCase(
        "convolution by rows and columns",
        _conv2d({"padding": 1}), (IMAGE, KERNEL), "x=2,y=2",
        ("[R, R, S(x), S(y)]", whole(4)), KERNEL.numel() * BYTES,
        {"all_reduce": 2, "collective_permute": 5},
    ),
    TrafficCase(
        "convolution by rows and columns, uneven",
        _conv2d({"padding": 1}), (normal(2, 4, 7, 5), KERNEL), "x=2,y=2",
        ("[R, R, S(x), S(y)]", whole(4)), KERNEL.numel() * BYTES,
        {"all_reduce": 2, "collective_permute": 5},
    ),
    TrafficCase(
        "convolution by batch and rows",
        _conv2d({"padding": 1}), (IMAGE, KERNEL), "d=2,x=2",
        ("[S(d), R, S(x), R]", whole(4)), KERNEL.numel() * BYTES,
        {"all_reduce": 2, "collective_permute": 5},
    ),
    TrafficCase(
        "convolution in shards at rest (FSDP)",
        _conv2d({"padding": 1}), (IMAGE, KERNEL), "x=2", (cut(4, 0), cut(4, 0)),
        KERNEL.numel() * BYTES, {"all_gather": 1, "all_reduce": 1, "reduce_scatter": 1}, (1,),
    ),
    *(
        TrafficCase(
            f"sequence convolution by positions, {options}",
            lambda x, w, o=options: F.conv1d(x, w, **o).sin().sum(),  # type: ignore[misc]
            (SEQUENCE, TAPS), "x=2", (cut(3, 2), whole(3)), TAPS.numel() * BYTES,
            {"all_reduce": 2, "collective_permute": 3},
        )
        for options in ({"padding": 1}, {"stride": 2, "padding": 1}, {"dilation": 2})
    ),
    TrafficCase(
        "patches of images by rows",
        lambda x, w: F.conv2d(x, w, stride=4).sin().sum(),
        (normal(1, 3, 16, 16), normal(8, 3, 4, 4)), "x=2", (cut(4, 2), whole(4)),
        8 * 3 * 16 * BYTES, {"all_reduce": 2},
    ),
    TrafficCase(
        "transposed convolution by image rows",
        lambda x, w: F.conv_transpose2d(x, w, stride=2).sin().sum(),
        (IMAGE, UP), "x=2", (cut(4, 2), whole(4)), UP.numel() * BYTES, {"all_reduce": 2},
    ),
    TrafficCase(
        "transposed convolution by batch",
        lambda x, w: F.conv_transpose2d(x, w, stride=2).sin().sum(),
        (IMAGE, UP), "x=2", (cut(4, 0), whole(4)), UP.numel() * BYTES, {"all_reduce": 2},
    ),
)  # fmt: skip
