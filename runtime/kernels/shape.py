"""Kernels that create values or move them: constants, padding, slices at run-time positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import torch
from torch import Tensor

from distc.runtime.kernels.dtypes import BOUNDARY, STORAGE


def constant(
    values: Sequence[float], *, shape: Sequence[int], dtype: str, device: torch.device
) -> Tensor:
    """A literal, row-major; complex values come as alternating real and imaginary parts."""
    if dtype in ("c64", "c128"):
        part = torch.float32 if dtype == "c64" else torch.float64
        pairs = torch.tensor(list(values), dtype=part, device=device).reshape(*shape, 2)
        return torch.view_as_complex(pairs)
    # Unsigned literals do not fit signed storage: build, then view.
    value = torch.tensor(list(values), dtype=BOUNDARY[dtype], device=device)
    return value.view(STORAGE[dtype]).reshape(tuple(shape))


def iota(*, shape: Sequence[int], dim: int, dtype: str, device: torch.device) -> Tensor:
    """Positions along `dim`, the same along the others."""
    kind = STORAGE[dtype]
    count = torch.arange(shape[dim], dtype=torch.int64, device=device).to(kind)
    view = [1] * len(shape)
    view[dim] = shape[dim]
    return count.reshape(view).expand(tuple(shape))


def pad(
    x: Tensor, value: Tensor, *, low: Sequence[int], high: Sequence[int], interior: Sequence[int]
) -> Tensor:
    """Put `value` below, above and between elements; negative low or high cut."""
    spread = [max(0, n + (n - 1) * i) for n, i in zip(x.shape, interior, strict=True)]
    padded = [n + max(lo, 0) + max(hi, 0) for n, lo, hi in zip(spread, low, high, strict=True)]
    out = value.expand(padded).clone()
    inner = tuple(
        slice(max(lo, 0), max(lo, 0) + n, i + 1)
        for n, lo, i in zip(spread, low, interior, strict=True)
    )
    out[inner] = x
    cut = tuple(
        slice(max(-lo, 0), max(max(-lo, 0), n - max(-hi, 0)))
        for n, lo, hi in zip(padded, low, high, strict=True)
    )
    return out[cut]


def row_major(x: Tensor) -> Tensor:
    """`x` in row-major memory, strides of dimensions of size one included.

    torch's convolution on CPUs guesses the memory format from strides; where images or kernels have
    one channel, channels first and last look alike, and it has read beyond a tensor.
    """
    strides = [prod(x.shape[d + 1 :]) for d in range(x.dim())]
    return (
        x
        if list(x.stride()) == strides
        else torch.empty_strided(x.shape, strides, dtype=x.dtype, device=x.device).copy_(x)
    )


def _start(value: Tensor | int, limit: int) -> Tensor | int:
    if isinstance(value, int):
        return min(max(value, 0), limit)
    return value.to(torch.int64).clamp(0, limit)


def _known(start: Tensor | int, device: torch.device) -> int | None:
    """The start as a number where that needs no wait for an accelerator and no graph break."""
    if isinstance(start, int):
        return start
    if device.type == "cpu" and not torch.compiler.is_compiling():
        return int(start)
    return None


def dynamic_slice(x: Tensor, starts: Sequence[Tensor | int], *, sizes: Sequence[int]) -> Tensor:
    """The box of `sizes` at `starts`, moved inside where it would stick out."""
    for dim, (begin, size) in enumerate(zip(starts, sizes, strict=True)):
        if size == x.shape[dim]:
            continue
        start = _start(begin, x.shape[dim] - size)
        known = _known(start, x.device)
        if known is not None:
            x = x.narrow(dim, known, size)
            continue
        x = x.index_select(dim, start + torch.arange(size, device=x.device))
    return x


def dynamic_update_slice(x: Tensor, update: Tensor, starts: Sequence[Tensor | int]) -> Tensor:
    """`x` with the box at `starts` replaced, moved inside where it would stick out."""
    return dynamic_update_slice_(x.clone(), update, starts)


def dynamic_update_slice_(out: Tensor, update: Tensor, starts: Sequence[Tensor | int]) -> Tensor:
    """Replace the box at `starts` in `out` itself, which is returned."""
    if prod(update.shape) == 0:
        return out
    limits = [n - m for n, m in zip(out.shape, update.shape, strict=True)]
    clamped = [_start(s, limit) for s, limit in zip(starts, limits, strict=True)]
    known = [_known(s, out.device) for s in clamped]
    if all(k is not None for k in known):
        box = tuple(
            slice(k, k + n) for k, n in zip(known, update.shape, strict=True) if k is not None
        )
        out[box] = update
        return out
    index = []
    for dim, (start, size) in enumerate(zip(clamped, update.shape, strict=True)):
        view = [1] * out.dim()
        view[dim] = size
        index.append((torch.arange(size, device=out.device) + start).reshape(view))
    return out.index_put_(tuple(index), update) if index else out.copy_(update)


KERNELS: dict[str, Callable[..., Any]] = {
    "constant": constant,
    "dynamic_slice": dynamic_slice,
    "dynamic_update_slice": dynamic_update_slice,
    "iota": iota,
    "pad": pad,
    "row_major": row_major,
}
CREATES = ("constant", "iota")
