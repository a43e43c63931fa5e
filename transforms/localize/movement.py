"""Ops that move elements along a cut dimension: each rank fetches what its result shard holds.

Result position j of a cut dimension reads operand position

    slice        start + j * stride
    pad          (j - low) / (interior + 1), where that is whole
    reverse      n - 1 - j
    concatenate  j - base of the operand that j falls into
"""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.runtime.layout import DimLayout
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.registry import LocalOp, localizer
from distc.transforms.localize.window import Fact, fetch


@localizer("stablehlo.slice")
def _slice(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    bounds = stablehlo.slice_bounds(local.op)
    start, limit, strides = list(bounds.start), list(bounds.limit), list(bounds.strides)
    x = local.operands[0]
    for dim in range(len(start)):
        if not local.is_cut(0, dim):
            continue
        result = local.result_dim(0, dim)
        if (start[dim], limit[dim], strides[dim]) == (0, local.operand_shape(0)[dim], 1):
            limit[dim] = stablehlo.shape(x)[dim]
            continue
        first, step = start[dim], strides[dim]
        size = (result.local_size - 1) * step + 1
        x = fetch(
            ctx,
            x,
            dim,
            local.operand_dim(0, dim),
            lambda r, at=result, a=first, s=step: a + at.extent(r)[0] * s,  # type: ignore[misc]
            size,
            zero(ctx, x),
        )
        start[dim], limit[dim] = 0, size
    return (build.slice_(x, start, limit, strides),)


@localizer("stablehlo.pad")
def _pad(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    pads = stablehlo.padding(local.op)
    low, high, interior = list(pads.low), list(pads.high), list(pads.interior)
    x, value = local.operands
    for dim in range(len(low)):
        if not local.is_cut(0, dim) or low[dim] == high[dim] == interior[dim] == 0:
            continue
        result = local.result_dim(0, dim)
        x = fetch_dilated(
            ctx,
            x,
            dim,
            local.operand_dim(0, dim),
            lambda r, at=result, a=low[dim]: at.extent(r)[0] - a,  # type: ignore[misc]
            result.local_size,
            value,
            interior[dim] + 1,
        )
        low[dim] = high[dim] = interior[dim] = 0
    return (build.pad(x, value, low, high, interior),)


@localizer("stablehlo.reverse")
def _reverse(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    x = local.operands[0]
    for dim in stablehlo.reverse_dims(local.op):
        if not local.is_cut(0, dim):
            continue
        layout, size = local.result_dim(0, dim), local.operand_shape(0)[dim]

        def start(rank: int, at: DimLayout = layout, n: int = size) -> int:
            return n - at.extent(rank)[0] - at.local_size

        x = fetch(ctx, x, dim, local.operand_dim(0, dim), start, layout.local_size, zero(ctx, x))
    return local.copied((x,))


@localizer("stablehlo.concatenate")
def _concatenate(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    dim = stablehlo.concatenate_dim(local.op)
    if not local.is_cut(0, dim):
        return local.copied()
    result = local.result_dim(0, dim)
    size = result.local_size
    positions = build.binary(
        "add",
        build.iota(0, (size,), ctx.i64),
        ctx.spread_scalar(ctx.per_rank(lambda r: result.extent(r)[0]), (size,)),
    )
    joined: ir.Value | None = None
    base = 0
    for index, x in enumerate(local.operands):
        piece = fetch(
            ctx,
            x,
            dim,
            local.operand_dim(index, dim),
            lambda r, b=base: result.extent(r)[0] - b,  # type: ignore[misc]
            size,
            zero(ctx, x),
        )
        if joined is None:
            joined = piece
        else:
            edge = ctx.spread_scalar(ctx.per_rank(lambda _, b=base: b), (size,))  # type: ignore[misc]
            after = build.compare(positions, edge, "GE")
            mask = build.broadcast_in_dim(after, stablehlo.shape(piece), (dim,))
            joined = build.select(mask, piece, joined)
        base += local.operand_shape(index)[dim]
    return (joined,) if joined is not None else ()


def zero(ctx: LocalContext, x: ir.Value) -> ir.Value:
    """Scalar zero of the element type of `x`."""
    return build.splat(0, (), stablehlo.element_type(x))


def fetch_dilated(
    ctx: LocalContext,
    x: ir.Value,
    dim: int,
    layout: DimLayout,
    start: Fact,
    size: int,
    filler: ir.Value,
    step: int,
) -> ir.Value:
    """As `fetch`, in positions of the dimension with `step - 1` fillers between elements."""
    if step == 1:
        return fetch(ctx, x, dim, layout, start, size, filler)

    def first(rank: int) -> int:
        return -(-start(rank) // step)

    def last(rank: int) -> int:
        return (start(rank) + size - 1) // step

    count = max(1, *(last(r) - first(r) + 1 for r in range(ctx.mesh.size)))
    x = fetch(ctx, x, dim, layout, first, count, filler)
    rank = len(stablehlo.shape(x))
    between = [step - 1 if d == dim else 0 for d in range(rank)]
    after = [max(0, size - 1 - (count - 1) * step) if d == dim else 0 for d in range(rank)]
    x = build.pad(x, filler, between, after, between)
    starts = [ctx.per_rank(lambda _: 0)] * rank
    starts[dim] = ctx.per_rank(lambda r: step - 1 - (first(r) * step - start(r)))
    sizes = [size if d == dim else n for d, n in enumerate(stablehlo.shape(x))]
    return build.dynamic_slice(x, starts, sizes)
