"""Positions of extremes, from reductions that combine across ranks in any order.

    value     = the maximum, NaN where there is one
    position  = the least position that holds it

The stock form reduces pairs by a comparison that is false for NaN, so the answer depends on the
order of combination, and pairs of all ranks would have to be gathered. Two reductions of one
operand leave partial results (maximum, then minimum), which cost an all-reduce each.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

_A = torch.ops.aten


def _extreme(x: Tensor, dim: int, keepdim: bool, largest: bool) -> tuple[Tensor, Tensor]:
    """The value and the first position of the extreme along `dim`, ties and NaN as torch."""
    keys = x.to(torch.uint8) if x.dtype is torch.bool else x
    if x.dim() == 0:
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    dim %= x.dim()
    size = x.shape[dim]
    value = keys.amax([dim], True) if largest else keys.amin([dim], True)
    holds = keys == value
    if x.is_floating_point():
        # Where the extreme is NaN nothing equals it, and NaN elements alone are meant.
        holds = holds | (keys != keys)
    positions = torch.arange(size, device=x.device)
    positions = positions.reshape([size if d == dim else 1 for d in range(x.dim())])
    found = torch.where(holds, positions, size).amin([dim], True)
    value = value.to(x.dtype)
    return (value, found) if keepdim else (value.squeeze(dim), found.squeeze(dim))


def _position(x: Tensor, dim: int | None, keepdim: bool, largest: bool) -> Tensor:
    if dim is not None:
        return _extreme(x, dim, keepdim, largest)[1]
    found = _extreme(x.reshape(-1), 0, False, largest)[1]
    return found.reshape([1] * x.dim()) if keepdim else found


def _argmax(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return _position(x, dim, keepdim, True)


def _argmin(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return _position(x, dim, keepdim, False)


def _max(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return _extreme(x, dim, keepdim, True)


def _min(x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return _extreme(x, dim, keepdim, False)


EXTREMES: dict[Any, Callable[..., Any]] = {
    _A.argmax.default: _argmax,
    _A.argmin.default: _argmin,
    _A.max.dim: _max,
    _A.min.dim: _min,
}
"""Operator → its decomposition."""
