"""Ops that combine along a dimension: padding is replaced by what changes nothing."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.numbers import neutral
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.registry import LocalOp, localizer


@localizer("stablehlo.dot_general")
def _dot_general(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Both sides are zeroed: zero times a padding that is NaN is NaN."""
    dims = stablehlo.dot_dims(local.op)
    lhs = local.masked(ctx, 0, list(dims.lhs_contracting), 0)
    rhs = local.masked(ctx, 1, list(dims.rhs_contracting), 0)
    return local.copied((lhs, rhs))


@localizer("stablehlo.convolution")
def _convolution(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    dims = stablehlo.convolution(local.op).dims
    data = local.masked(ctx, 0, [dims.input_feature], 0)
    kernel = local.masked(ctx, 1, [dims.kernel_input_feature], 0)
    return local.copied((data, kernel))


@localizer("stablehlo.reduce")
def _reduce(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Only reductions of one operand by a known kind are cut along a reduced dimension."""
    kind = stablehlo.reducer(local.op)
    dims = [d for d in stablehlo.reduce_dims(local.op) if local.is_cut(0, d)]
    if kind is None or not dims:
        return local.copied()
    filler = neutral(kind, stablehlo.element_type(local.operands[0]))
    return local.copied((local.masked(ctx, 0, dims, filler), local.operands[1]))
