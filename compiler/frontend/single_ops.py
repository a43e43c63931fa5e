"""Operators of ours that are one StableHLO operation each, where PyTorch's say less.

    kernel_gradient  a convolution whose groups lie in the batch: images stay a dimension
    pool_gradient    select_and_scatter: no positions are stored, windows meet at cut edges
    scatter_kind     a scatter that combines by a maximum, a minimum or a product
    running          a running product, maximum or minimum as one window

Each has a reference in PyTorch, which gives its shape, and an emitter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch_mlir import ir

from distc.dialect import build
from distc.dialect.sharding import Reduction
from distc.dialect.stablehlo import ConvDims, Convolution, ScatterDims, Window, shape

_NAMESPACE = "distc_export"
_library: Any = torch.library.Library(_NAMESPACE, "FRAGMENT")  # type: ignore[no-untyped-call]
_A = torch.ops.aten
_KINDS = {"amax": Reduction.MAX, "amin": Reduction.MIN, "prod": Reduction.PROD}

Emitter = Callable[[Sequence[ir.Value], Sequence[Any]], ir.Value]


def _kernel_gradient(
    large: Tensor,
    small: Tensor,
    strides: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Tensor:
    """Slide `small` [N, O, …] over `large` [N, groups * I, …]: `[O, I, …]`."""
    images, spatial = large.shape[0], list(large.shape[2:])
    inner, rank = large.shape[1] // groups, len(spatial)
    split = large.reshape(images, groups, inner, *spatial)
    rows = split.permute(2, 1, 0, *range(3, 3 + rank)).reshape(inner, groups * images, *spatial)
    made: Tensor = _A.convolution.default(
        rows, small.transpose(0, 1), None, strides, padding, dilation, False, [0] * rank, groups
    )
    return made.transpose(0, 1).contiguous()


def _emit_kernel_gradient(operands: Sequence[ir.Value], literals: Sequence[Any]) -> ir.Value:
    strides, padding, dilation, groups = literals
    spatial = tuple(range(2, len(shape(operands[0]))))
    conv = Convolution(
        ConvDims(1, 0, spatial, 0, 1, spatial, 1, 0, spatial),
        tuple(strides),
        tuple((p, p) for p in padding),
        (1,) * len(spatial),
        tuple(dilation),
        (False,) * len(spatial),
        1,
        groups,
    )
    return build.convolution(operands[0], operands[1], conv)


def _pool_gradient(
    g: Tensor, x: Tensor, kernel: Sequence[int], stride: Sequence[int], padding: Sequence[int]
) -> Tensor:
    """Add each element of `g` at the first maximum of its window of `x`."""
    ceil = g.shape[-2:] != _A.max_pool2d(x, kernel, stride, padding).shape[-2:]
    indices = _A.max_pool2d_with_indices(x, kernel, stride, padding, [1, 1], ceil)[1]
    zeros = torch.zeros_like(x).flatten(-2)
    return zeros.scatter_add(-1, indices.flatten(-2), g.flatten(-2)).reshape(x.shape)


def _emit_pool_gradient(operands: Sequence[ir.Value], literals: Sequence[Any]) -> ir.Value:
    g, x = operands
    kernel, stride, padding = literals
    sizes, counts = shape(x), shape(g)
    leading = len(sizes) - len(kernel)
    pads = [(0, 0)] * leading
    for i, (taps, step, low) in enumerate(zip(kernel, stride, padding, strict=True), leading):
        # As far as the last window reaches, which in ceil mode is beyond the padding.
        pads.append((low, max(0, (counts[i] - 1) * step + taps - sizes[i] - low)))
    ones = (1,) * leading
    undilated = (1,) * len(sizes)
    window = Window((*ones, *kernel), (*ones, *stride), tuple(pads), undilated, undilated)
    return build.select_and_scatter(x, g, window, "GE", Reduction.SUM)


def _scatter_kind(x: Tensor, index: Tensor, source: Tensor, dim: int, kind: str) -> Tensor:
    """`x` with `source` (of the shape of `index`) combined into it at `index` along `dim`."""
    return torch.scatter_reduce(x, dim, index, source, kind)


def _emit_scatter_kind(operands: Sequence[ir.Value], literals: Sequence[Any]) -> ir.Value:
    x, index, source = operands
    dim, kind = literals
    counts = shape(index)
    rank = len(counts)
    wide = ir.IntegerType.get_signless(64, x.context)
    columns = [
        build.reshape(index, (*counts, 1)) if d == dim else build.iota(d, (*counts, 1), wide)
        for d in range(rank)
    ]
    indices = columns[0] if rank == 1 else build.concatenate(columns, rank)
    every = tuple(range(rank))
    numbers = ScatterDims((), every, (), (), every, rank)
    return build.scatter(x, indices, source, numbers, _KINDS[kind])


def _running(x: Tensor, dim: int, kind: str) -> Tensor:
    """The product or extreme of all elements of `x` along `dim` up to each."""
    if kind == "prod":
        return torch.cumprod(x, dim, dtype=x.dtype)
    return (torch.cummax if kind == "amax" else torch.cummin)(x, dim)[0]


def _emit_running(operands: Sequence[ir.Value], literals: Sequence[Any]) -> ir.Value:
    dim, kind = literals
    sizes = shape(operands[0])
    ones = (1,) * len(sizes)
    reach = tuple(n if d == dim else 1 for d, n in enumerate(sizes))
    pads = tuple((n - 1, 0) for n in reach)
    return build.reduce_window(operands[0], Window(reach, ones, pads, ones, ones), _KINDS[kind])


_OPERATORS: dict[str, tuple[str, Callable[..., Tensor], Emitter]] = {
    "kernel_gradient": (
        "(Tensor large, Tensor small, int[] strides, int[] padding, int[] dilation, int groups)"
        " -> Tensor",
        _kernel_gradient,
        _emit_kernel_gradient,
    ),
    "pool_gradient": (
        "(Tensor g, Tensor x, int[] kernel, int[] stride, int[] padding) -> Tensor",
        _pool_gradient,
        _emit_pool_gradient,
    ),
    "scatter_kind": (
        "(Tensor x, Tensor index, Tensor source, int dim, str kind) -> Tensor",
        _scatter_kind,
        _emit_scatter_kind,
    ),
    "running": ("(Tensor x, int dim, str kind) -> Tensor", _running, _emit_running),
}


def _op(name: str) -> Any:
    return getattr(getattr(torch.ops, _NAMESPACE), name).default


for _name, (_schema, _reference, _) in _OPERATORS.items():
    _library.define(_name + _schema)
    _library.impl(_name, _reference, "CompositeExplicitAutograd")
    torch.library.register_fake(f"{_NAMESPACE}::{_name}", _reference, lib=_library)

KERNEL_GRADIENT, POOL_GRADIENT, SCATTER_KIND, RUNNING = map(_op, _OPERATORS)
EMITTERS: dict[Any, Emitter] = {_op(name): emit for name, (*_, emit) in _OPERATORS.items()}
"""Operator → what builds its operation from the tensors and from the other arguments."""
