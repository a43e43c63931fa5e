"""One conversion step on local values: the collective and what uneven shards need around it.

Below a dimension's last axis of size p, ranks hold chunks of ceil(length / p); with uneven outer
axes `length` and so `chunk` differ between ranks, while the static size c of a piece does not.

    spread    [length padded] -> [p, c]: piece j starts at j * c; needed before splitting
    compact   [p, c] -> [length padded]: element i comes from piece i / chunk; needed after joining
"""

from __future__ import annotations

from math import prod

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.mesh import AxisRef
from distc.dialect.numbers import neutral
from distc.dialect.sharding import Reduction, Sharding
from distc.runtime.layout import DimLayout, ceil_div
from distc.solver.conversion import Step, StepKind, permutation
from distc.transforms.localize.context import LocalContext


def apply_step(
    ctx: LocalContext, x: ir.Value, step: Step, before: Sharding, shape: tuple[int, ...]
) -> ir.Value:
    """Emit one step on the local value `x` of a global value of `shape`."""
    old, new = before.layout(shape).dims, step.sharding.layout(shape).dims
    if prod(shape) == 0:
        local = step.sharding.local_shape(shape)
        return build.splat(0, local, stablehlo.element_type(x))
    moved = tuple(ctx.mesh.split(axis) for axis in step.axes)

    def finer(coarse: DimLayout, fine: DimLayout) -> DimLayout:
        # Normal forms merge parts of an axis: spell out which part this step moves.
        return DimLayout(coarse.size, coarse.splits + moved, fine.block)

    match step.kind:
        case StepKind.ALL_SLICE:
            dim = _given(step.target_dim)
            return _slice(ctx, x, dim, finer(old[dim], new[dim]))
        case StepKind.ALL_GATHER:
            dim = _given(step.source_dim)
            gathered = build.all_gather(x, dim, ctx.mesh.groups(step.axes), ctx.channel())
            layout = finer(new[dim], old[dim])
            return _compact(ctx, gathered, dim, layout, new[dim].local_size)
        case StepKind.ALL_TO_ALL:
            source, target = _given(step.source_dim), _given(step.target_dim)
            x = _spread(ctx, x, target, finer(old[target], new[target]))
            x = build.all_to_all(x, target, source, ctx.mesh.groups(step.axes), ctx.channel())
            layout = finer(new[source], old[source])
            return _compact(ctx, x, source, layout, new[source].local_size)
        case StepKind.ALL_REDUCE:
            kind = _kind(step)
            return build.all_reduce(x, kind, ctx.mesh.groups(step.axes), ctx.channel())
        case StepKind.REDUCE_SCATTER:
            dim = _given(step.target_dim)
            x = _spread(ctx, x, dim, finer(old[dim], new[dim]))
            groups = ctx.mesh.groups(step.axes)
            return build.reduce_scatter(x, _kind(step), dim, groups, ctx.channel())
        case StepKind.PERMUTE:
            pairs = permutation(before, step.sharding, shape)
            return build.collective_permute(x, pairs or (), ctx.channel())
        case StepKind.TO_PARTIAL:
            return first_keeps(ctx, x, step.axes, _kind(step))


def _given(dim: int | None) -> int:
    if dim is None:
        raise ValueError("a conversion step lacks its dimension")
    return dim


def _kind(step: Step) -> Reduction:
    if step.reduction is None:
        raise ValueError(f"a {step.kind} step lacks its reduction")
    return step.reduction


def _chunk(layout: DimLayout, rank: int) -> int:
    """Elements per piece under the last axis of `layout`, on `rank`."""
    length = layout.level_extents(rank)[-2][1]
    return ceil_div(length // layout.block, layout.splits[-1].size) * layout.block


def _chunk_is_static(ctx: LocalContext, layout: DimLayout) -> bool:
    return all(_chunk(layout, r) == layout.local_size for r in range(ctx.mesh.size))


def _slice(ctx: LocalContext, x: ir.Value, dim: int, layout: DimLayout) -> ir.Value:
    """Keep the rank's piece under the last axis of `layout`."""
    split, size = layout.splits[-1], layout.local_size
    shape = list(stablehlo.shape(x))
    high = [0] * len(shape)
    high[dim] = max(0, split.size * size - shape[dim])
    x = ctx.padded(x, high)
    zero = ctx.per_rank(lambda _: 0)
    starts = [zero] * len(shape)
    starts[dim] = ctx.per_rank(lambda r: split.coordinate(r) * _chunk(layout, r))
    shape[dim] = size
    return build.dynamic_slice(x, starts, shape)


def _spread(ctx: LocalContext, x: ir.Value, dim: int, layout: DimLayout) -> ir.Value:
    """Lay `dim` out as p pieces of the static size under the last axis of `layout`."""
    pieces, size = layout.splits[-1].size, layout.local_size
    shape = stablehlo.shape(x)
    if _chunk_is_static(ctx, layout):
        high = [0] * len(shape)
        high[dim] = pieces * size - shape[dim]
        return ctx.padded(x, high)
    positions = build.iota(0, (pieces * size,), ctx.i64)
    piece, inside = _divmod(ctx, positions, ctx.per_rank(lambda _: size))
    chunk = ctx.spread_scalar(ctx.per_rank(lambda r: _chunk(layout, r)), (pieces * size,))
    return ctx.take(x, dim, build.binary("add", build.binary("multiply", piece, chunk), inside))


def _compact(ctx: LocalContext, x: ir.Value, dim: int, layout: DimLayout, size: int) -> ir.Value:
    """Undo `_spread` after joining: `layout` has the axis that was taken off, `size` is wanted."""
    shape = stablehlo.shape(x)
    if layout.is_even and shape[dim] == size:
        return x
    if _chunk_is_static(ctx, layout):
        limit = [size if d == dim else n for d, n in enumerate(shape)]
        return build.slice_(x, [0] * len(shape), limit)
    positions = build.iota(0, (size,), ctx.i64)
    chunk = ctx.per_rank(lambda r: max(1, _chunk(layout, r)))
    piece, inside = _divmod(ctx, positions, chunk)
    width = ctx.spread_scalar(ctx.per_rank(lambda _: layout.local_size), (size,))
    return ctx.take(x, dim, build.binary("add", build.binary("multiply", piece, width), inside))


def _divmod(ctx: LocalContext, x: ir.Value, by: ir.Value) -> tuple[ir.Value, ir.Value]:
    divisor = ctx.spread_scalar(by, stablehlo.shape(x))
    quotient = build.binary("divide", x, divisor)
    return quotient, build.binary("subtract", x, build.binary("multiply", quotient, divisor))


def first_keeps(
    ctx: LocalContext, x: ir.Value, axes: tuple[AxisRef, ...], kind: Reduction
) -> ir.Value:
    """Keep `x` where all coordinates on `axes` are zero, the neutral element elsewhere."""
    splits = [ctx.mesh.split(a) for a in axes]
    first = ctx.per_rank(lambda r: int(all(s.coordinate(r) == 0 for s in splits)))
    if prod(s.size for s in splits) == 1:
        return x
    shape = stablehlo.shape(x)
    is_first = build.compare(first, ctx.per_rank(lambda _: 1), "EQ")
    filler = build.splat(neutral(kind, stablehlo.element_type(x)), shape, stablehlo.element_type(x))
    return build.select(ctx.spread_scalar(is_first, shape), x, filler)
