"""Windowed ops over cut dimensions: fetch the halo, then run the op without padding there."""

from __future__ import annotations

from dataclasses import dataclass

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.numbers import neutral
from distc.dialect.rules.windows import is_cumulative, trivial_dims
from distc.runtime.layout import DimLayout
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.movement import fetch_dilated, zero
from distc.transforms.localize.registry import LocalOp, localizer


@dataclass(frozen=True, slots=True)
class _Walk:
    """A window along one dimension: result j reads [j * stride - low, … + reach)."""

    stride: int
    low: int
    reach: int
    dilation: int

    def fetched(
        self, ctx: LocalContext, x: ir.Value, dim: int, cut: DimLayout, result: DimLayout,
        filler: ir.Value,
    ) -> ir.Value:  # fmt: skip
        """What the windows of the rank's results read, `filler` outside the operand."""
        return fetch_dilated(
            ctx,
            x,
            dim,
            cut,
            lambda r: result.extent(r)[0] * self.stride - self.low,
            (result.local_size - 1) * self.stride + self.reach,
            filler,
            self.dilation,
        )

    def seen(
        self, ctx: LocalContext, x: ir.Value, dim: int, cut: DimLayout, taps: DimLayout, count: int
    ) -> ir.Value:
        """What the rank's taps, `reach` apart, read for `count` results, zero outside."""
        return fetch_dilated(
            ctx,
            x,
            dim,
            cut,
            lambda r: taps.extent(r)[0] * self.reach - self.low,
            (count - 1) * self.stride + (taps.local_size - 1) * self.reach + 1,
            zero(ctx, x),
            self.dilation,
        )


@localizer("stablehlo.convolution")
def _convolution(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Input features are zeroed in the padding; images get their halo."""
    conv = stablehlo.convolution(local.op)
    dims = conv.dims
    x = local.masked(ctx, 0, [dims.input_feature], 0)
    kernel = local.masked(ctx, 1, [dims.kernel_input_feature], 0)
    padding = [list(p) for p in conv.padding]
    dilation = list(conv.lhs_dilation)
    sizes = [local.operand_shape(1)[d] for d in dims.kernel_spatial]
    for i, (read, written) in enumerate(zip(dims.input_spatial, dims.output_spatial, strict=True)):
        tap = dims.kernel_spatial[i]
        if local.is_cut(1, tap):
            part = _Walk(conv.strides[i], padding[i][0], conv.rhs_dilation[i], dilation[i])
            count = stablehlo.shape(local.op.results[0])[written]
            x = part.seen(
                ctx, x, read, local.operand_dim(0, read), local.operand_dim(1, tap), count
            )
            padding[i], dilation[i] = [0, 0], 1
            continue
        if not local.is_cut(0, read):
            continue
        reach = (sizes[i] - 1) * conv.rhs_dilation[i] + 1
        walk = _Walk(conv.strides[i], padding[i][0], reach, dilation[i])
        cut, result = local.operand_dim(0, read), local.result_dim(0, written)
        x = walk.fetched(ctx, x, read, cut, result, zero(ctx, x))
        padding[i], dilation[i] = [0, 0], 1
    attributes = {
        "padding": build.i64_matrix(tuple(map(tuple, padding)), 2, ctx.context),
        "lhs_dilation": build.i64_array(dilation, ctx.context),
    }
    attributes = attributes if dims.input_spatial else {}
    return local.copied((x, kernel), attributes | _local_groups(ctx, conv, x, kernel, local))


def _local_groups(
    ctx: LocalContext,
    conv: stablehlo.Convolution,
    x: ir.Value,
    kernel: ir.Value,
    local: LocalOp,
) -> dict[str, ir.Attribute]:
    """How many groups a rank has: what is left of channels or images over those of one group."""
    dims, shape = conv.dims, stablehlo.shape(x)
    if 0 in (*shape, *stablehlo.shape(kernel)):
        return {}  # runs on whole values, see is_degenerate
    if conv.feature_group_count > 1:
        each = stablehlo.shape(kernel)[dims.kernel_input_feature]
        count = shape[dims.input_feature] // each
        return {"feature_group_count": build.i64(count, ctx.context)}
    if conv.batch_group_count > 1:
        result = ir.RankedTensorType(local.local_type(0)).shape[dims.output_batch]
        return {"batch_group_count": build.i64(shape[dims.input_batch] // result, ctx.context)}
    return {}


@localizer("stablehlo.reduce_window")
def _reduce_window(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    count = len(local.op.results)
    window = stablehlo.window(local.op)
    wide = [d for d, plain in enumerate(trivial_dims(local.op)) if not plain]
    cut = [d for d in wide if local.is_cut(0, d)]
    # Totals carried from shard to shard are those of one dimension; windows over more fetch.
    alone = len(wide) == 1
    running = next((d for d in cut if alone and is_cumulative(local.op, d)), None)
    if running is not None:
        return (_running(ctx, local, running),)
    padding, dilation = [list(p) for p in window.padding], list(window.base_dilations)
    operands = list(local.operands)
    for dim in cut:
        reach = (window.sizes[dim] - 1) * window.window_dilations[dim] + 1
        walk = _Walk(window.strides[dim], padding[dim][0], reach, dilation[dim])
        for i in range(count):
            operands[i] = walk.fetched(
                ctx,
                operands[i],
                dim,
                local.operand_dim(i, dim),
                local.result_dim(i, dim),
                operands[count + i],
            )
        padding[dim], dilation[dim] = [0, 0], 1
    attributes = {
        "padding": build.i64_matrix(tuple(map(tuple, padding)), 2, ctx.context),
        "base_dilations": build.i64_array(dilation, ctx.context),
    }
    return local.copied(tuple(operands), attributes if cut else None)


def _running(ctx: LocalContext, local: LocalOp, dim: int) -> ir.Value:
    """A running reduction: run within shards, then combine with the totals of shards before."""
    kind = stablehlo.reducer(local.op)
    assert kind is not None  # the rule allows no other
    layout = local.operand_dim(0, dim)
    element = stablehlo.element_type(local.operands[0])
    start = neutral(kind, element)
    x = local.masked(ctx, 0, [dim], start)
    shape = stablehlo.shape(x)
    window = stablehlo.window(local.op)
    forward = window.padding[dim][0] > 0
    size = layout.local_size
    sizes = [size if d == dim else n for d, n in enumerate(window.sizes)]
    pads = [list(p) for p in window.padding]
    pads[dim] = [size - 1, 0] if forward else [0, size - 1]
    attributes = {
        "window_dimensions": build.i64_array(sizes, ctx.context),
        "padding": build.i64_matrix(tuple(map(tuple, pads)), 2, ctx.context),
    }
    (inside,) = local.copied((x, local.operands[1]), attributes)
    initial = local.operands[1]
    total = build.reduce(x, (dim,), kind, initial)
    total = build.reshape(total, [1 if d == dim else n for d, n in enumerate(shape)])
    axes = local.operand_shardings[0].dims[dim].axes
    totals = build.all_gather(total, dim, ctx.mesh.groups(axes), ctx.channel())
    pieces = stablehlo.shape(totals)[dim]
    place = ctx.spread_scalar(ctx.per_rank(lambda r: _position(layout, r)), (pieces,))
    before = build.compare(build.iota(0, (pieces,), ctx.i64), place, "LT" if forward else "GT")
    mask = build.broadcast_in_dim(before, stablehlo.shape(totals), (dim,))
    others = build.select(mask, totals, build.splat(start, stablehlo.shape(totals), element))
    carried = build.reduce(others, (dim,), kind, initial)
    kept = [d for d in range(len(shape)) if d != dim]
    return build.combine(kind, build.broadcast_in_dim(carried, shape, kept), inside)


def _position(layout: DimLayout, rank: int) -> int:
    """Which piece of the dimension a rank holds, counted from the first."""
    position = 0
    for split in layout.splits:
        position = position * split.size + split.coordinate(rank)
    return position
