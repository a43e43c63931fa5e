"""Running reductions beside the running sum, which has a lowering of its own.

    cumprod         a running product
    cummax, cummin  a running extreme; its position is the running maximum of where it is met
    logcumsumexp    log2(n) steps, each adding what stands 2^k before (Hillis and Steele, 1986)

The stock form of logcumsumexp takes the logarithm of a running sum of exponentials, which is
infinite from e^89 on; no shift by one number is right for all prefixes at once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from distc.compiler.frontend.single_ops import RUNNING

_A = torch.ops.aten


def _product(x: Tensor, dim: int, *, dtype: torch.dtype | None = None) -> Tensor:
    whole = torch.int64 if not x.is_floating_point() and not x.is_complex() else x.dtype
    y = x.to(dtype or whole)
    return y.clone() if y.dim() == 0 else _run(y, dim, "prod")


def _run(x: Tensor, dim: int, kind: str) -> Tensor:
    dim %= x.dim()
    if x.shape[dim] < 2 or x.numel() == 0:
        return x.clone()
    made: Tensor = RUNNING(x, dim, kind)
    return made


def _extreme(x: Tensor, dim: int, kind: str) -> tuple[Tensor, Tensor]:
    """Values and positions; of equal elements the last, of NaN too, as torch."""
    if x.dim() == 0:
        return x.clone(), torch.zeros_like(x, dtype=torch.int64)
    dim %= x.dim()
    keys = x.to(torch.uint8) if x.dtype is torch.bool else x
    values = _run(keys, dim, kind)
    met = keys == values
    if x.is_floating_point():
        met = met | (keys != keys)
    size = x.shape[dim]
    places = torch.arange(size, device=x.device)
    places = places.reshape([size if d == dim else 1 for d in range(x.dim())])
    return values.to(x.dtype), _run(torch.where(met, places, 0), dim, "amax")


def _largest(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    return _extreme(x, dim, "amax")


def _smallest(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    return _extreme(x, dim, "amin")


def _log_sum_exp(x: Tensor, dim: int) -> Tensor:
    if x.dim() == 0:
        return x.clone()
    dim %= x.dim()
    y = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    step = 1
    while step < x.shape[dim]:
        pads = [0, 0] * (x.dim() - 1 - dim) + [step, 0]
        before = _A.constant_pad_nd.default(
            y.narrow(dim, 0, x.shape[dim] - step), pads, -float("inf")
        )
        y = _log_add(y, before)
        step *= 2
    return y.to(x.dtype)


def _log_add(a: Tensor, b: Tensor) -> Tensor:
    """log(e^a + e^b); a shift that is not finite would give NaN for two equal infinities."""
    top = torch.maximum(a, b)
    shift = torch.where(top.abs() == float("inf"), 0.0, top)
    return torch.log(torch.exp(a - shift) + torch.exp(b - shift)) + shift


RUNS: dict[Any, Callable[..., Any]] = {
    _A.cumprod.default: _product,
    _A.cummax.default: _largest,
    _A.cummin.default: _smallest,
    _A.logcumsumexp.default: _log_sum_exp,
}
"""Operator → its decomposition."""
