"""Kernels of custom calls that other front ends emit. Attributes come as keywords."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from distc.runtime.kernels.reduction import take_along


def _same(x: Tensor, **_: Any) -> Tensor:
    return x


def _erf(x: Tensor, **_: Any) -> Tensor:
    return torch.erf(x)


def _combine(low: Tensor, high: Tensor, **_: Any) -> Tensor:
    """Two 32-bit halves as one 64-bit value."""
    return (high.to(torch.int64) << 32) | (low.to(torch.int64) & 0xFFFFFFFF)


def _high(x: Tensor, **_: Any) -> Tensor:
    return (x >> 32).to(torch.int32)


def _low(x: Tensor, **_: Any) -> Tensor:
    return x.to(torch.int32)


def _topk(x: Tensor, *, k: int, largest: bool = True, **_: Any) -> tuple[Tensor, Tensor]:
    """The first `k` of a stable sort along the last dimension, and where they were."""
    values, places = torch.sort(x, dim=-1, descending=largest, stable=True)
    return values[..., :k].contiguous(), places[..., :k].to(torch.int32).contiguous()


def _ordered(
    x: Tensor,
    payload: Tensor,
    *_: Tensor,
    reduction_dim: int,
    top_k: int,
    **__: Any,
) -> tuple[Tensor, Tensor]:
    """The `top_k` largest along a dimension with their payload: exact, so recall is one."""
    _values, places = torch.sort(x, dim=reduction_dim, descending=True, stable=True)
    places = places.narrow(reduction_dim, 0, top_k)
    return take_along(x, reduction_dim, places), take_along(payload, reduction_dim, places)


def _eigh(x: Tensor, **_: Any) -> tuple[Tensor, Tensor]:
    """Eigenvectors and eigenvalues of symmetric matrices, of which the lower half is read."""
    values, vectors = torch.linalg.eigh(x)
    return vectors.contiguous(), values


def _qr(x: Tensor, **_: Any) -> tuple[Tensor, Tensor]:
    """Packed reflectors with R, and their scales."""
    packed, scales = torch.geqrf(x)
    return packed.contiguous(), scales


def _reflectors(a: Tensor, scales: Tensor, **_: Any) -> Tensor:
    """The product of the reflectors packed below the diagonal, `[…, m, n]`."""
    rows, columns = a.shape[-2:]
    found = torch.eye(rows, columns, dtype=a.dtype, device=a.device).expand(a.shape).clone()
    for i in reversed(range(min(scales.shape[-1], columns, rows))):
        v = a[..., :, i].clone()
        v[..., :i] = 0
        v[..., i] = 1
        projected = torch.einsum("...m,...mn->...n", v, found)
        found -= (scales[..., i, None] * v).unsqueeze(-1) * projected.unsqueeze(-2)
    return found


KNOWN: dict[str, Callable[..., Any]] = {
    "ApproxTopK": _ordered,
    "Eigh": _eigh,
    "InspectSharding": _same,
    "LayoutConstraint": _same,
    "MoveToDevice": _same,
    "MoveToHost": _same,
    "PartialReduce": _ordered,
    "ProductOfElementaryHouseholderReflectors": _reflectors,
    "Qr": _qr,
    "QrDecompositionBlock": _qr,
    "X64Combine": _combine,
    "X64SplitHigh": _high,
    "X64SplitLow": _low,
    "mhlo.erf": _erf,
    "mhlo.topk": _topk,
    "xla.megascale.provide_metadata": _same,
}
