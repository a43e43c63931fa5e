"""Ops that combine along a dimension: padding is replaced by what changes nothing."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.numbers import neutral
from distc.dialect.rules.reduction import separate_reduction
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.registry import LocalOp, localizer


@localizer("stablehlo.dot_general")
def _dot_general(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Both sides are zeroed: zero times a padding that is NaN is NaN."""
    dims = stablehlo.dot_dims(local.op)
    lhs = local.masked(ctx, 0, list(dims.lhs_contracting), 0)
    rhs = local.masked(ctx, 1, list(dims.rhs_contracting), 0)
    return local.copied((lhs, rhs))


@localizer("stablehlo.dot")
def _dot(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    lhs = local.masked(ctx, 0, [len(local.operand_shape(0)) - 1], 0)
    rhs = local.masked(ctx, 1, [0], 0)
    return local.copied((lhs, rhs))


@localizer("stablehlo.reduce")
def _reduce(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    count = len(local.op.results)
    dims = [d for d in stablehlo.reduce_dims(local.op) if local.is_cut(0, d)]
    if not dims:
        return local.copied()
    kind = separate_reduction(local.op)
    if kind is None:
        return _combined(ctx, local, dims)
    masked = tuple(
        local.masked(ctx, i, dims, neutral(kind, stablehlo.element_type(local.operands[i])))
        for i in range(count)
    )
    return local.copied((*masked, *local.operands[count:]))


def _combined(ctx: LocalContext, local: LocalOp, dims: list[int]) -> tuple[ir.Value, ...]:
    """Reduce the shard, gather one result per rank in shard order, reduce those alike."""
    count = len(local.op.results)
    starts = local.operands[count:]
    inputs = tuple(
        ctx.filled(local.operands[i], local.operand_shardings[i], local.operand_shape(i), dims, s)
        for i, s in enumerate(starts)
    )
    results = local.copied((*inputs, *starts))
    axes = tuple(a for d in dims for a in local.operand_shardings[0].dims[d].axes)
    groups = ctx.mesh.groups(axes)
    gathered = tuple(
        build.all_gather(build.reshape(r, (1, *stablehlo.shape(r))), 0, groups, ctx.channel())
        for r in results
    )
    attributes = {"dimensions": build.i64_array((0,), ctx.context)}
    return local.copied((*gathered, *starts), attributes)
