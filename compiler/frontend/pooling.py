"""Pools and nearest upsampling, forward and backward, where torch-mlir's own forms will not do."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from distc.compiler.frontend.single_ops import POOL_GRADIENT

_A = torch.ops.aten


def _pair(value: Sequence[int], default: Sequence[int] = ()) -> list[int]:
    """Two numbers, where one or none (the default) is given."""
    values = list(value) or list(default)
    return values * 2 if len(values) == 1 else values


def _max_pool2d(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    dilation: Sequence[int] = (1,),
    ceil_mode: bool = False,
) -> Any:
    """The stock lowering ignores ceil_mode: pad until floor mode gives the same windows.

    It also takes a stride that is not given for one.
    """
    if not stride:
        return _A.max_pool2d_with_indices.default(x, kernel, kernel, padding, dilation, ceil_mode)
    if not ceil_mode or _pair(dilation, (1,)) != [1, 1]:
        return NotImplemented
    kernel, padding = _pair(kernel), _pair(padding, (0,))
    stride = _pair(stride, kernel)
    wanted = _windows(x.shape, kernel, stride, padding, True)
    extra = [
        max(0, (n - 1) * step + taps - size - 2 * pad)
        for n, step, taps, size, pad in zip(
            wanted, stride, kernel, x.shape[-2:], padding, strict=True
        )
    ]
    padded = _A.constant_pad_nd.default(x, [0, extra[1], 0, extra[0]], -math.inf)
    return _A.max_pool2d_with_indices.default(padded, kernel, stride, padding, [1, 1], False)


def _avg_pool2d(
    x: Tensor,
    kernel: Sequence[int],
    stride: Sequence[int] = (),
    padding: Sequence[int] = (0,),
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    divisor: int | None = None,
) -> Any:
    """The stock lowering ignores ceil_mode and knows no divisor: sums of windows, then divide."""
    if not ceil_mode and divisor is None:
        return NotImplemented
    kernel, padding = _pair(kernel), _pair(padding)
    stride = _pair(stride, kernel)
    wanted = _windows(x.shape, kernel, stride, padding, ceil_mode)
    extra = [
        (n - 1) * step + reach - size - pad
        for n, step, reach, size, pad in zip(
            wanted, stride, kernel, x.shape[-2:], padding, strict=True
        )
    ]
    padded = _A.constant_pad_nd.default(x, [padding[1], extra[1], padding[0], extra[0]], 0)
    taps = kernel[0] * kernel[1]
    total = _A.avg_pool2d.default(padded, kernel, stride, [0, 0], False, True) * taps
    if divisor is not None:
        return total / divisor
    for axis in (-2, -1):
        counts = _counted(
            wanted[axis], kernel[axis], stride[axis], padding[axis], x.shape[axis],
            count_include_pad,
        )  # fmt: skip
        total = total / counts.to(x.dtype).reshape([-1] + [1] * (-1 - axis))
    return total


def _windows(
    shape: Sequence[int],
    kernel: Sequence[int],
    stride: Sequence[int],
    padding: Sequence[int],
    ceil_mode: bool,
) -> list[int]:
    """Windows along the last two dimensions; in ceil mode all that start before the end."""
    counts = []
    for axis in (0, 1):
        size = shape[axis - 2]
        room = size + 2 * padding[axis] - kernel[axis]
        windows = (-(-room // stride[axis]) if ceil_mode else room // stride[axis]) + 1
        if ceil_mode and (windows - 1) * stride[axis] >= size + padding[axis]:
            windows -= 1
        counts.append(windows)
    return counts


def _counted(windows: int, taps: int, step: int, pad: int, size: int, padded: bool) -> Tensor:
    """How many elements each window along one dimension is divided by."""
    start = torch.arange(windows) * step - pad
    end = (start + taps).clamp(max=size + pad)
    return end - start if padded else end.clamp(max=size) - start.clamp(min=0)


def _upsample_nearest_to(
    x: Tensor, size: Sequence[int], scales_h: float | None = None, scales_w: float | None = None
) -> Any:
    return _upsample_nearest(x, size, None)


def _upsample_nearest(x: Tensor, size: Sequence[int] | None, scales: Sequence[float] | None) -> Any:
    """Integer factors only: repeat by broadcast."""
    wanted = size or [int(d * s) for d, s in zip(x.shape[2:], scales or (), strict=True)]
    if any(o % i for o, i in zip(wanted, x.shape[2:], strict=True)):
        return NotImplemented
    (n, c, h, w), (tall, wide) = x.shape, wanted
    repeated = x.reshape(n, c, h, 1, w, 1).expand(n, c, h, tall // h, w, wide // w)
    return repeated.reshape(n, c, tall, wide)


def _max_pool2d_backward(
    g: Tensor, x: Tensor, kernel: list[int], stride: list[int], padding: list[int],
    dilation: list[int], ceil_mode: bool, indices: Tensor,
) -> Any:  # fmt: skip
    """Sums at the places that the pool has taken."""
    if all(d == 1 for d in dilation):
        kernel = _pair(kernel)
        return POOL_GRADIENT(g, x, kernel, _pair(stride, kernel), _pair(padding))
    zeros = torch.zeros_like(x).flatten(-2)
    return zeros.scatter_add(-1, indices.flatten(-2), g.flatten(-2)).reshape(x.shape)


def _avg_pool2d_backward(
    g: Tensor, x: Tensor, kernel: list[int], stride: list[int], padding: list[int],
    ceil_mode: bool, count_include_pad: bool, divisor: int | None,
) -> Any:  # fmt: skip
    """A transposed convolution with ones, channel by channel, of what each element gets."""
    if x.dim() == 3:
        return _avg_pool2d_backward(
            g[None], x[None], kernel, stride, padding, ceil_mode, count_include_pad, divisor
        )[0]
    kernel = _pair(kernel)
    stride, padding = _pair(stride, kernel), _pair(padding)
    if divisor:
        g = g / divisor
    else:
        for axis, (taps, step, pad) in enumerate(zip(kernel, stride, padding, strict=True), 2):
            counts = _counted(g.shape[axis], taps, step, pad, x.shape[axis], count_include_pad)
            g = g / counts.to(g.dtype).reshape([-1] + [1] * (3 - axis))
    channels = x.shape[1]
    ones = torch.ones([channels, 1, *kernel], dtype=g.dtype)
    spread = _A.convolution.default(g, ones, None, stride, [0, 0], [1, 1], True, [0, 0], channels)
    amounts: list[int] = []
    for axis in (3, 2):
        before = padding[axis - 2]
        amounts += [-before, before + x.shape[axis] - spread.shape[axis]]
    return _A.constant_pad_nd.default(spread, amounts, 0)


def _adaptive_avg_pool2d_backward(g: Tensor, x: Tensor) -> Any:
    """Whole windows only: every element of a window gets an equal part."""
    tall, wide = (x.shape[d] // max(1, g.shape[d]) for d in (-2, -1))
    if [g.shape[-2] * tall, g.shape[-1] * wide] != list(x.shape[-2:]):
        return NotImplemented
    return _repeated(g / (tall * wide), tall, wide)


def _repeated(g: Tensor, tall: int, wide: int) -> Tensor:
    *leading, rows, columns = g.shape
    spread = g.reshape(*leading, rows, 1, columns, 1).expand(*leading, rows, tall, columns, wide)
    return spread.reshape(*leading, rows * tall, columns * wide)


def _upsample_nearest2d_backward(
    g: Tensor, output_size: list[int], input_size: list[int],
    scales_h: float | None = None, scales_w: float | None = None,
) -> Any:  # fmt: skip
    """Integer factors only: sums over what was repeated."""
    images, channels, rows, columns = input_size
    if g.shape[2] % rows or g.shape[3] % columns:
        return NotImplemented
    tall, wide = g.shape[2] // rows, g.shape[3] // columns
    return g.reshape(images, channels, rows, tall, columns, wide).sum((3, 5))


POOLS: dict[Any, Callable[..., Any]] = {
    _A.max_pool2d_with_indices.default: _max_pool2d,
    _A.avg_pool2d.default: _avg_pool2d,
    _A.upsample_nearest2d.default: _upsample_nearest_to,
    _A.upsample_nearest2d.vec: _upsample_nearest,
}
"""Operator → its decomposition."""

POOL_GRADIENTS: dict[Any, Callable[..., Any]] = {
    _A.max_pool2d_with_indices_backward.default: _max_pool2d_backward,
    _A.avg_pool2d_backward.default: _avg_pool2d_backward,
    _A._adaptive_avg_pool2d_backward.default: _adaptive_avg_pool2d_backward,
    _A.upsample_nearest2d_backward.default: _upsample_nearest2d_backward,
}
"""Operator → its gradient."""
