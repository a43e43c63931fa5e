"""Decompositions of gradients that neither PyTorch nor torch-mlir takes apart for us."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_A = torch.ops.aten


def gradients() -> dict[Any, Callable[..., Any]]:
    """Operator → its gradient written with operators that can be lowered."""
    return dict(_GRADIENTS)


def _slice_backward(
    g: Tensor, sizes: list[int], dim: int, start: int, end: int, step: int
) -> Tensor:
    """An end of INT64_MAX makes torch-mlir's lowering allocate without bound."""
    dim %= len(sizes)
    begin, _, _ = slice(start, end).indices(sizes[dim])
    if step > 1:
        spread = torch.stack([g, *[torch.zeros_like(g)] * (step - 1)], dim + 1)
        g = spread.flatten(dim, dim + 1).narrow(dim, 0, max(0, (g.shape[dim] - 1) * step + 1))
    after = sizes[dim] - begin - g.shape[dim]
    padding = [0, 0] * (len(sizes) - 1 - dim) + [begin, after]
    padded: Tensor = _A.constant_pad_nd.default(g, padding, 0)
    return padded


def _convolution_backward(
    g: Tensor, x: Tensor, w: Tensor, bias: list[int] | None, stride: list[int],
    padding: list[int], dilation: list[int], transposed: bool, output_padding: list[int],
    groups: int, mask: list[bool],
) -> tuple[Tensor | None, Tensor | None, Tensor | None]:  # fmt: skip
    """Both gradients are convolutions: with the kernel, and of the larger with the smaller image.

    torch-mlir's lowering knows neither groups nor one dimension.
    """
    rank, none = x.dim() - 2, [0] * (x.dim() - 2)
    to_x = to_w = None
    if mask[0]:
        extra = none
        if not transposed:
            extra = [
                n - ((m - 1) * s - 2 * p + d * (k - 1) + 1)
                for n, m, s, p, d, k in zip(
                    x.shape[2:], g.shape[2:], stride, padding, dilation, w.shape[2:], strict=True
                )
            ]
        to_x = _A.convolution.default(
            g, w, None, stride, padding, dilation, not transposed, extra, groups
        )
    if mask[1]:
        large, small = (g, x) if transposed else (x, g)
        images, spatial = large.shape[0], list(large.shape[2:])
        channels = large.shape[1] // groups
        split = large.reshape(images, groups, channels, *spatial)
        rows = split.permute(2, 1, 0, *range(3, 3 + rank)).reshape(
            channels, groups * images, *spatial
        )
        columns = small.transpose(0, 1)
        # Strides of the one are dilations of the other.
        made = _A.convolution.default(
            rows, columns, None, dilation, padding, stride, False, none, groups
        )
        for d in range(rank):
            made = made.narrow(2 + d, 0, w.shape[2 + d])
        to_w = made.transpose(0, 1)
    to_bias = g.sum([0, *range(2, 2 + rank)]) if mask[2] else None
    return to_x, to_w, to_bias


def _max_pool2d_backward(
    g: Tensor, x: Tensor, kernel: list[int], stride: list[int], padding: list[int],
    dilation: list[int], ceil_mode: bool, indices: Tensor,
) -> Tensor:  # fmt: skip
    """Sums at the places that the pool has taken."""
    zeros = torch.zeros_like(x).flatten(-2)
    return zeros.scatter_add(-1, indices.flatten(-2), g.flatten(-2)).reshape(x.shape)


def _avg_pool2d_backward(
    g: Tensor, x: Tensor, kernel: list[int], stride: list[int], padding: list[int],
    ceil_mode: bool, count_include_pad: bool, divisor: int | None,
) -> Any:  # fmt: skip
    """A transposed convolution with ones, channel by channel; without padding."""
    if any(padding) or ceil_mode or divisor:
        return NotImplemented
    tall, wide = kernel if len(kernel) == 2 else kernel * 2
    stride = list(stride) or [tall, wide]
    stride = stride if len(stride) == 2 else stride * 2
    _, channels, height, width = x.shape
    ones = torch.ones([channels, 1, tall, wide], dtype=g.dtype)
    spread = _A.convolution.default(
        g / (tall * wide), ones, None, stride, [0, 0], [1, 1], True, [0, 0], channels
    )
    below, right = height - spread.shape[2], width - spread.shape[3]
    return _A.constant_pad_nd.default(spread, [0, right, 0, below], 0)


_GRADIENTS: dict[Any, Callable[..., Any]] = {
    _A.slice_backward.default: _slice_backward,
    _A.convolution_backward.default: _convolution_backward,
    _A.max_pool2d_with_indices_backward.default: _max_pool2d_backward,
    _A.avg_pool2d_backward.default: _avg_pool2d_backward,
}
