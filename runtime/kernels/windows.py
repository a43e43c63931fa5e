"""Windowed kernels: reduce_window in all its generality and select_and_scatter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from math import prod
from typing import Any

import torch
from torch import Tensor

from distc.runtime.kernels.elementwise import maximum, minimum
from distc.runtime.kernels.indexing import combine_by_region
from distc.runtime.kernels.reduction import largest, reduce_leading, smallest
from distc.runtime.kernels.shape import pad

Region = Callable[..., tuple[Tensor, ...]]


def _windows(
    x: Tensor,
    sizes: Sequence[int],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Tensor:
    """Every window of `x` as a view [windows..., window...]; no window where none fits."""
    reach = [(n - 1) * d + 1 for n, d in zip(sizes, dilations, strict=True)]
    if any(n < r for n, r in zip(x.shape, reach, strict=True)):
        spans = zip(x.shape, reach, strides, strict=True)
        return x.new_empty([*(max(0, (n - r) // s + 1) for n, r, s in spans), *sizes])
    for dim, (span, stride, dilation) in enumerate(zip(reach, strides, dilations, strict=True)):
        x = x.unfold(dim, span, stride)[..., ::dilation]
    return x


def _simple(view: Tensor, dims: list[int], kind: str) -> Tensor:
    match kind:
        case "sum":
            return view.sum(dims, dtype=view.dtype)
        case "max":
            return largest(view, dims)
        case "min":
            return smallest(view, dims)
        case "or":
            return view.any(dims)
        case "and":
            return view.all(dims)
        case _:
            for dim in reversed(dims):
                view = view.prod(dim, dtype=view.dtype)
            return view


_IDEMPOTENT: dict[str | None, Callable[[Tensor, Tensor], Tensor]] = {
    "max": maximum,
    "min": minimum,
    "or": torch.logical_or,
    "and": torch.logical_and,
}
_LARGE = 8


def _doubled(
    x: Tensor, sizes: Sequence[int], strides: Sequence[int], combine: Callable[..., Tensor]
) -> Tensor:
    """Windows of `x` by an idempotent reduction, in log2(size) passes per dimension.

    A window is two overlapping ones of the largest power of two in it. What a running maximum of n
    elements would take as n windows of n takes n log n.
    """
    for dim, (size, stride) in enumerate(zip(sizes, strides, strict=True)):
        width = 1
        while 2 * width <= size:
            count = x.shape[dim] - width
            x = combine(x.narrow(dim, 0, count), x.narrow(dim, width, count))
            width *= 2
        if width < size:
            count = x.shape[dim] - (size - width)
            x = combine(x.narrow(dim, 0, count), x.narrow(dim, size - width, count))
        if stride > 1:
            at = torch.arange(0, x.shape[dim], stride, device=x.device)
            x = x.index_select(dim, at)
    return x


def reduce_window(
    values: Sequence[Tensor],
    inits: Sequence[Tensor],
    *,
    sizes: Sequence[int],
    strides: Sequence[int],
    base_dilations: Sequence[int],
    window_dilations: Sequence[int],
    padding: Sequence[Sequence[int]],
    kind: str | None = None,
    region: Region | None = None,
) -> tuple[Tensor, ...]:
    """`stablehlo.reduce_window`: padding holds the initial value.

    `kind` names a reduction whose initial value is neutral; otherwise `region` runs.
    """
    low, high = [p[0] for p in padding], [p[1] for p in padding]
    interior = [d - 1 for d in base_dilations]
    plain = not any(low) and not any(high) and not any(interior)
    padded = [
        v if plain else pad(v, i, low=low, high=high, interior=interior)
        for v, i in zip(values, inits, strict=True)
    ]
    combine = _IDEMPOTENT.get(kind) if region is None else None
    fits = all(n >= size for n, size in zip(padded[0].shape, sizes, strict=True))
    solid = all(d == 1 for d in window_dilations)
    if combine is not None and fits and solid and 0 not in sizes and max(sizes) > _LARGE:
        return tuple(_doubled(v, sizes, strides, combine) for v in padded)
    views = [_windows(v, sizes, strides, window_dilations) for v in padded]
    rank = len(sizes)
    counts = list(views[0].shape[:rank])
    inside = list(range(rank, 2 * rank))
    if region is None and kind is not None:
        if views[0].numel() == 0:
            return tuple(i.expand(counts).clone() for i in inits)
        return tuple(_simple(v, inside, kind) for v in views)
    if region is None:
        raise ValueError("reduce_window needs a kind or a region")
    order = [*inside, *range(rank)]
    leading = [v.permute(order).reshape([prod(sizes), *counts]) for v in views]
    return tuple(reduce_leading(leading, inits, region))


def select_and_scatter(
    operand: Tensor,
    source: Tensor,
    init: Tensor,
    *,
    sizes: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[Sequence[int]],
    select: Region,
    kind: str | None,
    scatter: Region,
) -> Tensor:
    """`stablehlo.select_and_scatter`: each source element goes to the selected place of its window.

    Of equal candidates the comparison in `select` decides: `GE` keeps the first.
    """
    shape, counts = operand.shape, source.shape
    device = operand.device
    best = torch.zeros(counts, dtype=operand.dtype, device=device)
    place = torch.full(counts, -1, dtype=torch.int64, device=device)
    for offset in product(*(range(n) for n in sizes)):
        positions, inside = _positions(offset, strides, padding, shape, counts, device)
        candidate = operand.reshape(-1).index_select(0, positions.reshape(-1)).reshape(counts)
        keep = (place >= 0) & select(best, candidate)[0]
        take = inside & ~keep
        best = torch.where(take, candidate, best)
        place = torch.where(take, positions, place)
    count = prod(shape)
    target = torch.where(place < 0, count, place).reshape(-1)
    table = init.expand([count + 1]).clone()
    if kind == "sum":
        return table.index_add(0, target, source.reshape(-1))[:count].reshape(shape)
    done = combine_by_region([table], target, [source.reshape(-1)], scatter)
    return done[0][:count].reshape(shape)


def _positions(
    offset: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[Sequence[int]],
    shape: Sequence[int],
    counts: Sequence[int],
    device: torch.device,
) -> tuple[Tensor, Tensor]:
    """Flat operand position of one cell of every window, and whether it is not padding."""
    rank = len(shape)
    flat = torch.zeros([1] * rank, dtype=torch.int64, device=device)
    inside = torch.ones([1] * rank, dtype=torch.bool, device=device)
    for dim in range(rank):
        view = [1] * rank
        view[dim] = counts[dim]
        at = torch.arange(counts[dim], device=device) * strides[dim] + offset[dim]
        at = (at - padding[dim][0]).reshape(view)
        inside = inside & (at >= 0) & (at < shape[dim])
        flat = flat * shape[dim] + at.clamp(0, max(shape[dim] - 1, 0))
    return flat.expand(counts).contiguous(), inside.expand(counts)


KERNELS: dict[str, Callable[..., Any]] = {
    "reduce_window": reduce_window,
    "select_and_scatter": select_and_scatter,
}
