"""Slices and look-ups: attributes that name sizes become local, cut tables are masked."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.numbers import neutral
from distc.dialect.sharding import Reduction
from distc.runtime.layout import DimLayout
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.registry import LocalOp, localizer
from distc.transforms.localize.steps import first_keeps

# No window reaches into the operand from here: elements of a window are skipped one by one.
_OUTSIDE = -(2**31)


@localizer("stablehlo.dynamic_slice")
def _dynamic_slice(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Of a cut dimension take what the shard holds of the (clamped) slice, nothing elsewhere."""
    sizes = list(stablehlo.slice_sizes(local.op))
    x, *starts = local.operands
    shape = local.operand_shape(0)
    element = stablehlo.element_type(x)
    for dim, taken in enumerate(sizes):
        if not local.is_cut(0, dim):
            continue
        if taken < shape[dim]:
            layout = local.operand_dim(0, dim)
            wanted = _positions(ctx, starts[dim], shape[dim] - taken, taken)
            inside, place = _in_shard(ctx, wanted, layout)
            x = ctx.take(x, dim, place)
            mask = build.broadcast_in_dim(inside, stablehlo.shape(x), (dim,))
            x = build.select(mask, x, build.splat(_nothing(element), stablehlo.shape(x), element))
        sizes[dim] = stablehlo.shape(x)[dim]
    attributes = {"slice_sizes": build.i64_array(sizes, ctx.context)}
    return local.copied((x, *starts), attributes)


@localizer("stablehlo.dynamic_update_slice")
def _dynamic_update_slice(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Spread the update over the shard's part of each cut dimension, keep the rest."""
    x, update, *starts = local.operands
    shape, replaced = local.operand_shape(0), local.operand_shape(1)
    held: dict[int, ir.Value] = {}
    for dim, (size, count) in enumerate(zip(shape, replaced, strict=True)):
        if not local.is_cut(0, dim) or size == count:
            continue
        layout = local.operand_dim(0, dim)
        here = stablehlo.shape(x)[dim]
        first = _clamped(ctx, starts[dim], size - count)
        offset = ctx.per_rank(lambda r, at=layout: at.extent(r)[0])  # type: ignore[misc]
        shift = build.binary("subtract", offset, first)
        place = build.binary(
            "add", build.iota(0, (here,), ctx.i64), ctx.spread_scalar(shift, (here,))
        )
        held[dim] = _within(ctx, place, count)
        update = ctx.take(update, dim, place)
        starts[dim] = build.splat(0, (), stablehlo.element_type(starts[dim]))
    if held:
        window = stablehlo.shape(update)
        kept = build.dynamic_slice(x, starts, window)
        mask: ir.Value | None = None
        for dim, inside in held.items():
            along = build.broadcast_in_dim(inside, window, (dim,))
            mask = along if mask is None else build.binary("and", mask, along)
        assert mask is not None
        update = build.select(mask, update, kept)
    return local.copied((x, update, *starts))


def _nothing(element: ir.Type) -> bool | int | float:
    """What leaves the pending sum (or `or`) of a look-up unchanged."""
    boolean = isinstance(element, ir.IntegerType) and element.width == 1
    return neutral(Reduction.OR if boolean else Reduction.SUM, element)


def _clamped(ctx: LocalContext, start: ir.Value, last: int) -> ir.Value:
    """An i64 start index between 0 and `last`."""
    zero, limit = ctx.per_rank(lambda _: 0), ctx.per_rank(lambda _: last)
    return build.clamp(zero, build.convert(start, ctx.i64), limit)


def _positions(ctx: LocalContext, start: ir.Value, last: int, count: int) -> ir.Value:
    """The i64 global positions `[count]` of a slice."""
    first = ctx.spread_scalar(_clamped(ctx, start, last), (count,))
    return build.binary("add", build.iota(0, (count,), ctx.i64), first)


def _in_shard(
    ctx: LocalContext, positions: ir.Value, layout: DimLayout
) -> tuple[ir.Value, ir.Value]:
    """Which global positions a shard holds, and their places in it."""
    shape = stablehlo.shape(positions)
    offset = ctx.per_rank(lambda r: layout.extent(r)[0])
    place = build.binary("subtract", positions, ctx.spread_scalar(offset, shape))
    low = build.compare(place, build.splat(0, shape, ctx.i64), "GE")
    length = ctx.per_rank(lambda r: layout.extent(r)[1])
    high = build.compare(place, ctx.spread_scalar(length, shape), "LT")
    return build.binary("and", low, high), place


def _within(ctx: LocalContext, positions: ir.Value, count: int) -> ir.Value:
    shape = stablehlo.shape(positions)
    low = build.compare(positions, build.splat(0, shape, ctx.i64), "GE")
    return build.binary(
        "and", low, build.compare(positions, build.splat(count, shape, ctx.i64), "LT")
    )


@localizer("stablehlo.gather")
def _gather(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Whole windows follow the operand; an index into a cut dimension is looked up where it is.

    The index is clamped as on one device, moved into the shard, and what the shard does not hold
    becomes the neutral element of the pending sum.
    """
    dims = stablehlo.gather_dims(local.op)
    sizes = stablehlo.slice_sizes(local.op)
    here = stablehlo.shape(local.operands[0])
    batching = dims.operand_batching_dims
    looked_up = [
        d
        for d in dims.start_index_map
        if local.is_cut(0, d) and sizes[d] == 1 and d not in batching
    ]
    fixed = [
        d
        for d in dims.collapsed_slice_dims
        if local.is_cut(0, d) and d not in dims.start_index_map and d not in batching
    ]
    local_sizes = [
        here[d]
        if local.is_cut(0, d) and d not in looked_up and n == local.operand_shape(0)[d]
        else n
        for d, n in enumerate(sizes)
    ]
    attributes = {"slice_sizes": build.i64_array(local_sizes, ctx.context)}
    if not looked_up and not fixed:
        return local.copied(attributes=attributes)
    indices = local.operands[1]
    held: ir.Value | None = None
    if looked_up:
        indices, held = _into_shard(ctx, local, dims, looked_up)
    (found,) = local.copied((local.operands[0], indices), attributes)
    shape = stablehlo.shape(found)
    batch = [d for d in range(len(shape)) if d not in dims.offset_dims]
    mask = None if held is None else build.broadcast_in_dim(held, shape, batch)
    for dim in fixed:
        first = ctx.spread_scalar(_holds_first(ctx, local.operand_dim(0, dim)), shape)
        mask = first if mask is None else build.binary("and", mask, first)
    assert mask is not None
    element = stablehlo.element_type(found)
    return (build.select(mask, found, build.splat(_nothing(element), shape, element)),)


def _holds_first(ctx: LocalContext, layout: DimLayout) -> ir.Value:
    """The i1 scalar that says whether a shard holds the first row of a dimension."""
    holds = ctx.per_rank(lambda r: int(layout.extent(r)[0] == 0 and layout.extent(r)[1] > 0))
    return build.compare(holds, build.splat(1, (), ctx.i64), "EQ")


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
            inside, column = _in_shard(ctx, column, layout[dim])
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


@localizer("stablehlo.scatter")
def _scatter(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Ranks keep updates of their rows: other indices point outside and are skipped.

    Where indices are cut, padding rows are skipped too, and all but the first rank start from the
    neutral element of the pending reduction.
    """
    dims = stablehlo.scatter_dims(local.op)
    count = len(local.op.results)
    inputs, updates = local.operands[:count], local.operands[count + 1 :]
    rows = [
        d
        for d in dims.scatter_dims_to_operand_dims
        if local.is_cut(0, d) and d not in dims.input_batching_dims
    ]
    batching = dims.scatter_indices_batching_dims
    index_shape = local.operand_shape(count)
    pieces = [
        d
        for d in range(len(index_shape))
        if d != dims.index_vector_dim and local.is_cut(count, d) and d not in batching
    ]
    uneven = [d for d in pieces if not local.operand_dim(count, d).is_even]
    fixed = [
        d
        for d in dims.inserted_window_dims
        if local.is_cut(0, d) and d not in dims.scatter_dims_to_operand_dims
    ]
    if not rows and not pieces and not fixed:
        return local.copied()
    indices = build.convert(local.operands[count], ctx.i64)
    if rows:
        indices = _rows_in_shard(ctx, local, dims, indices, rows)
    for dim in fixed:
        first = _holds_first(ctx, local.operand_dim(0, dim))
        here = stablehlo.shape(indices)
        outside = build.splat(_OUTSIDE, here, ctx.i64)
        indices = build.select(ctx.spread_scalar(first, here), indices, outside)
    if uneven:
        sharding = local.operand_shardings[count]
        indices = ctx.masked(indices, sharding, index_shape, uneven, _OUTSIDE)
    if pieces:
        kind = stablehlo.reducers(local.op)[0]
        assert kind is not None  # the rule allows no other
        axes = tuple(a for d in pieces for a in local.operand_shardings[count].dims[d].axes)
        inputs = tuple(first_keeps(ctx, x, axes, kind) for x in inputs)
    return local.copied((*inputs, indices, *updates))


def _rows_in_shard(
    ctx: LocalContext,
    local: LocalOp,
    dims: stablehlo.ScatterDims,
    indices: ir.Value,
    rows: list[int],
) -> ir.Value:
    """Indices into the shard, far outside for rows that another rank holds."""
    vector = dims.index_vector_dim
    has_vector = vector < len(stablehlo.shape(indices))
    columns = []
    for position, dim in enumerate(dims.scatter_dims_to_operand_dims):
        column = _column(indices, vector, position) if has_vector else indices
        if dim in rows:
            inside, place = _in_shard(ctx, column, local.operand_dim(0, dim))
            outside = build.splat(_OUTSIDE, stablehlo.shape(place), ctx.i64)
            column = build.select(inside, place, outside)
        columns.append(column)
    return columns[0] if len(columns) == 1 else build.concatenate(columns, vector)
