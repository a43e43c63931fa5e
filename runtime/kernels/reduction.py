"""Reductions by an arbitrary region, and sorting by an arbitrary comparator.

A region is a program on scalars made of elementwise operators only, so it runs on whole tensors
at once: trees and networks of it need log(n) and log(n)^2 steps instead of n.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor

Region = Callable[..., tuple[Tensor, ...]]

_BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


def reduce_leading(
    values: Sequence[Tensor], inits: Sequence[Tensor], region: Region
) -> list[Tensor]:
    """Reduce dimension 0 of every value, keeping the order of the elements."""
    rest = list(values[0].shape[1:])
    current = list(values)
    while current[0].shape[0] > 1:
        count = current[0].shape[0]
        paired = count - count % 2
        left = [v[0:paired:2] for v in current]
        right = [v[1:paired:2] for v in current]
        joined = region(*left, *right)
        # A region may return a constant: give it the shape of what it stands for.
        joined = tuple(j.expand(v.shape) for j, v in zip(joined, left, strict=True))
        current = [
            torch.cat([j, v[paired:]]) if count % 2 else j
            for j, v in zip(joined, current, strict=True)
        ]
    start = [i.expand(rest) for i in inits]
    if current[0].shape[0] == 0:
        return start
    done = region(*start, *(v[0] for v in current))
    return [d.expand(rest) for d in done]


def largest(x: Tensor, dims: Sequence[int]) -> Tensor:
    """The maximum over `dims`, at least one element; NaN wins, +0.0 is larger than -0.0.

    As integers, floats whose sign bit is set are below all others: where the maximum is zero, the
    largest integer is +0.0 if there is one.
    """
    found = x.amax(list(dims))
    if not x.dtype.is_floating_point:
        return found
    bits = x.view(_BITS[x.element_size()]).amax(list(dims))
    return torch.where(found == 0, torch.where(bits == 0, 0.0, -0.0).to(x.dtype), found)


def smallest(x: Tensor, dims: Sequence[int]) -> Tensor:
    """The minimum over `dims`, at least one element; NaN wins, -0.0 is smaller than +0.0."""
    found = x.amin(list(dims))
    if not x.dtype.is_floating_point:
        return found
    integer = _BITS[x.element_size()]
    negative = x.view(integer).amin(list(dims)) == torch.iinfo(integer).min
    return torch.where(found == 0, torch.where(negative, -0.0, 0.0).to(x.dtype), found)


def reduce(
    values: Sequence[Tensor], inits: Sequence[Tensor], *, dims: Sequence[int], region: Region
) -> tuple[Tensor, ...]:
    """`stablehlo.reduce` by any associative region over `dims`."""
    shape = values[0].shape
    kept = [d for d in range(len(shape)) if d not in dims]
    count = prod([shape[d] for d in dims])
    rest = [shape[d] for d in kept]
    leading = [v.permute([*dims, *kept]).reshape([count, *rest]) for v in values]
    return tuple(reduce_leading(leading, inits, region))


def take_along(x: Tensor, dim: int, order: Tensor) -> Tensor:
    """Elements of `x` along `dim` in this order, bit for bit.

    torch's gather writes another NaN, of the other sign, for a bfloat16 NaN (torch 2.13, CPU): a
    later sort by total order would put it at the other end.
    """
    if x.dtype != torch.bfloat16:
        return torch.gather(x, dim, order)
    return torch.gather(x.view(torch.int16), dim, order).view(x.dtype)


def sort(
    values: Sequence[Tensor],
    *,
    dim: int,
    key: int = 0,
    descending: bool = False,
    region: Region | None = None,
) -> tuple[Tensor, ...]:
    """Stable sort of all values along `dim` by operand `key`, or by `region` as comparator."""
    if values[0].dim() == 0 or values[0].shape[dim] < 2:
        return tuple(v.clone() for v in values)
    if region is not None:
        order = _network_order([v.movedim(dim, 0) for v in values], region).movedim(0, dim)
    else:
        order = torch.argsort(values[key], dim=dim, descending=descending, stable=True)
    return tuple(take_along(v, dim, order) for v in values)


def sort_by_keys(
    values: Sequence[Tensor], keys: Sequence[Tensor], *, dim: int, descending: bool
) -> tuple[Tensor, ...]:
    """Stable sort of `values` along `dim` by separate `keys`, the first most significant."""
    if values[0].dim() == 0:
        return tuple(v.clone() for v in values)
    order: Tensor | None = None
    for key in reversed(keys):
        seen = key if order is None else take_along(key, dim, order)
        step = torch.argsort(seen, dim=dim, descending=descending, stable=True)
        order = step if order is None else torch.gather(order, dim, step)
    if order is None:
        return tuple(v.clone() for v in values)
    return tuple(take_along(v, dim, order) for v in values)


def _network_order(values: list[Tensor], region: Region) -> Tensor:
    """Order along dimension 0, by Batcher's odd-even merge sort; ties keep their order.

    Positions past the end of the padded power of two come last.
    """
    count = values[0].shape[0]
    size = 1 << (count - 1).bit_length()
    rest = list(values[0].shape[1:])
    index = torch.arange(size, device=values[0].device).reshape([-1] + [1] * len(rest))
    order = index.expand([size, *rest]).clone()
    padded = [torch.cat([v, v[:1].expand([size - count, *rest])]) for v in values]
    half = 1
    while half < size:
        step = half
        while step >= 1:
            low = [
                i + j
                for j in range(step % half, size - step, 2 * step)
                for i in range(min(step, size - j - step))
                if (i + j) // (half * 2) == (i + j + step) // (half * 2)
            ]
            if low:
                _exchange(padded, order, low, step, count, region)
            step //= 2
        half *= 2
    return order[:count]


def _exchange(
    values: list[Tensor], order: Tensor, low: list[int], step: int, count: int, region: Region
) -> None:
    """Compare elements `low` with those `step` above and swap where out of order, in place."""
    at = torch.tensor(low, device=order.device)
    first = [v.index_select(0, at) for v in values]
    second = [v.index_select(0, at + step) for v in values]
    here, there = order.index_select(0, at), order.index_select(0, at + step)
    after = region(*(v for pair in zip(second, first, strict=True) for v in pair))[0]
    before = region(*(v for pair in zip(first, second, strict=True) for v in pair))[0]
    swap = after | (~before & (there < here))
    swap = (swap & (here < count) & (there < count)) | ((here >= count) & (there < count))
    order.index_copy_(0, at, torch.where(swap, there, here))
    order.index_copy_(0, at + step, torch.where(swap, here, there))
    for value, a, b in zip(values, first, second, strict=True):
        value.index_copy_(0, at, torch.where(swap, b, a))
        value.index_copy_(0, at + step, torch.where(swap, a, b))


KERNELS: dict[str, Callable[..., Any]] = {
    "largest": largest,
    "reduce": reduce,
    "smallest": smallest,
    "sort": sort,
    "sort_by_keys": sort_by_keys,
}
