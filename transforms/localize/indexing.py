"""Slices and look-ups: attributes that name sizes become local, cut tables are masked."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.numbers import neutral
from distc.dialect.sharding import Reduction
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.registry import LocalOp, localizer


@localizer("stablehlo.slice")
def _slice(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """A cut dimension is taken whole: its limit is the local size."""
    bounds = stablehlo.slice_bounds(local.op)
    here = stablehlo.shape(local.operands[0])
    limit = [here[d] if local.is_cut(0, d) else n for d, n in enumerate(bounds.limit)]
    attributes = {"limit_indices": build.i64_array(limit, ctx.context)}
    return local.copied(attributes=attributes)


@localizer("stablehlo.dynamic_slice")
def _dynamic_slice(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    sizes = stablehlo.slice_sizes(local.op)
    here = stablehlo.shape(local.operands[0])
    local_sizes = [here[d] if local.is_cut(0, d) else n for d, n in enumerate(sizes)]
    return local.copied(attributes={"slice_sizes": build.i64_array(local_sizes, ctx.context)})


@localizer("stablehlo.gather")
def _gather(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Whole windows follow the operand; an index into a cut dimension is looked up where it is.

    The index is clamped as on one device, moved into the shard, and what the shard does not hold
    becomes the neutral element of the pending sum.
    """
    dims = stablehlo.gather_dims(local.op)
    sizes = stablehlo.slice_sizes(local.op)
    here = stablehlo.shape(local.operands[0])
    looked_up = [
        d
        for d in dims.start_index_map
        if local.is_cut(0, d) and sizes[d] == 1 and d not in dims.operand_batching_dims
    ]
    local_sizes = [
        here[d]
        if local.is_cut(0, d) and d not in looked_up and n == local.operand_shape(0)[d]
        else n
        for d, n in enumerate(sizes)
    ]
    attributes = {"slice_sizes": build.i64_array(local_sizes, ctx.context)}
    if not looked_up:
        return local.copied(attributes=attributes)
    indices, held = _into_shard(ctx, local, dims, looked_up)
    (found,) = local.copied((local.operands[0], indices), attributes)
    shape = stablehlo.shape(found)
    batch = [d for d in range(len(shape)) if d not in dims.offset_dims]
    element = stablehlo.element_type(found)
    boolean = isinstance(element, ir.IntegerType) and element.width == 1
    filler = neutral(Reduction.OR if boolean else Reduction.SUM, element)
    mask = build.broadcast_in_dim(held, shape, batch)
    return (build.select(mask, found, build.splat(filler, shape, element)),)


def _into_shard(
    ctx: LocalContext, local: LocalOp, dims: stablehlo.GatherDims, looked_up: list[int]
) -> tuple[ir.Value, ir.Value]:
    """Return indices into the shard (i64) and which of them it holds, `[index batch]`."""
    indices = build.convert(local.operands[1], ctx.i64)
    vector = dims.index_vector_dim
    shape = stablehlo.shape(indices)
    has_vector = vector < len(shape)
    batch = tuple(n for d, n in enumerate(shape) if d != vector)
    layout = local.operand_shardings[0].layout(local.operand_shape(0)).dims
    columns: list[ir.Value] = []
    held: ir.Value | None = None
    for position, dim in enumerate(dims.start_index_map):
        column = _column(indices, vector, position) if has_vector else indices
        if dim in looked_up:
            size = local.operand_shape(0)[dim]
            flat = stablehlo.shape(column)
            low = build.splat(0, flat, ctx.i64)
            column = build.clamp(low, column, build.splat(size - 1, flat, ctx.i64))
            offset = ctx.per_rank(lambda r, d=dim: layout[d].extent(r)[0])  # type: ignore[misc]
            length = ctx.per_rank(lambda r, d=dim: layout[d].extent(r)[1])  # type: ignore[misc]
            column = build.binary("subtract", column, ctx.spread_scalar(offset, flat))
            inside = build.binary(
                "and",
                build.compare(column, low, "GE"),
                build.compare(column, ctx.spread_scalar(length, flat), "LT"),
            )
            inside = build.reshape(inside, batch)
            held = inside if held is None else build.binary("and", held, inside)
        columns.append(column)
    assert held is not None
    whole = columns[0] if len(columns) == 1 else build.concatenate(columns, vector)
    return whole, held


def _column(indices: ir.Value, vector: int, position: int) -> ir.Value:
    shape = stablehlo.shape(indices)
    start = [position if d == vector else 0 for d in range(len(shape))]
    limit = [position + 1 if d == vector else n for d, n in enumerate(shape)]
    return build.slice_(indices, start, limit)
