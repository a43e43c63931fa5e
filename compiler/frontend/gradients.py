"""Decompositions of gradients that neither PyTorch nor torch-mlir takes apart for us."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from distc.compiler.frontend.pooling import POOL_GRADIENTS
from distc.compiler.frontend.single_ops import KERNEL_GRADIENT

_A = torch.ops.aten


def gradients() -> dict[Any, Callable[..., Any]]:
    """Operator → its gradient written with operators that can be lowered."""
    return {**_GRADIENTS, **POOL_GRADIENTS}


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
        # Strides of the one are dilations of the other.
        to_w = KERNEL_GRADIENT(large, small, dilation, padding, stride, groups)
        for d in range(rank):
            to_w = to_w.narrow(2 + d, 0, w.shape[2 + d])
    to_bias = g.sum([0, *range(2, 2 + rank)]) if mask[2] else None
    return to_x, to_w, to_bias


_GRADIENTS: dict[Any, Callable[..., Any]] = {
    _A.slice_backward.default: _slice_backward,
    _A.convolution_backward.default: _convolution_backward,
}
