"""When shards agree with the whole, and how much that is worth."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import torch
from torch import Tensor

from distc.dialect.sharding import Reduction

COMBINE: dict[Reduction, Callable[[Tensor, Tensor], Tensor]] = {
    Reduction.SUM: torch.add,
    Reduction.PROD: torch.mul,
    Reduction.MAX: torch.maximum,
    Reduction.MIN: torch.minimum,
    Reduction.AND: torch.bitwise_and,
    Reduction.OR: torch.bitwise_or,
}
NEEDED_BITS = 48
"""Evidence below which agreement may be an accident; see `evidence`."""


def neutral(kind: Reduction, dtype: torch.dtype) -> float | int | bool:
    """Return what `kind` leaves unchanged in a dtype."""
    match kind:
        case Reduction.SUM | Reduction.OR:
            return 0
        case Reduction.PROD:
            return 1
        case Reduction.AND:
            return True if dtype is torch.bool else -1
        case Reduction.MAX:
            return float("-inf") if dtype.is_floating_point else torch.iinfo(dtype).min
        case Reduction.MIN:
            return float("inf") if dtype.is_floating_point else torch.iinfo(dtype).max


def kinds_of(dtype: torch.dtype) -> tuple[Reduction, ...]:
    """Return the reductions that mean something for a dtype."""
    if dtype is torch.bool:
        return (Reduction.AND, Reduction.OR)
    if dtype.is_complex:
        return (Reduction.SUM, Reduction.PROD)
    if dtype in (torch.uint16, torch.uint32, torch.uint64):
        return ()
    arithmetic = (Reduction.SUM, Reduction.MAX, Reduction.MIN, Reduction.PROD)
    return arithmetic if dtype.is_floating_point else (*arithmetic, Reduction.AND, Reduction.OR)


def equal(found: Tensor, wanted: Tensor) -> bool:
    """Exactly equal for whole numbers and booleans, to rounding for floats; NaN equals NaN.

    A complex number is NaN when either part is: torch's sum of two spreads it to both.
    """
    if found.shape != wanted.shape:
        return False
    if found.is_complex():
        if not torch.equal(found.isnan(), wanted.isnan()):
            return False
        found, wanted = (torch.view_as_real(torch.where(x.isnan(), 0, x)) for x in (found, wanted))
    if not found.dtype.is_floating_point:
        return torch.equal(found, wanted)
    if torch.equal(found, wanted):
        return True
    tolerance = {torch.float64: 1e-11, torch.float32: 2e-5}.get(found.dtype, 1e-2)
    found, wanted = found.double(), wanted.double()
    finite = wanted[wanted.isfinite()]
    scale = float(finite.abs().max()) if finite.numel() else 0.0
    return bool(
        torch.allclose(found, wanted, rtol=tolerance, atol=tolerance * 0.1 * scale, equal_nan=True)
    )


def evidence(kind: Reduction | None, parts: Sequence[Tensor], wanted: Tensor) -> int:
    """Bits that agreement is worth: how unlikely it would be by accident.

    Where shards agree with each other a reduction says nothing; picking one of several values
    (max, min, and, or) is right by accident with probability 1/2 per element, a sum hardly ever.
    """
    known = ~wanted.isnan() if wanted.dtype.is_floating_point or wanted.is_complex() else None
    if kind is None:
        count = wanted.numel() if known is None else int(known.sum())
        return count if wanted.dtype is torch.bool else 6 * count
    first = parts[0]
    if all(torch.equal(first, p) for p in parts[1:]):
        return 0
    differing = reduce(torch.logical_or, [p != first for p in parts[1:]])
    differing = differing if known is None else differing & known
    count = int(differing.sum())
    return 6 * count if kind in (Reduction.SUM, Reduction.PROD) else count
