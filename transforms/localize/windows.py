"""Windowed ops over cut dimensions: fetch the halo, then run the op without padding there."""

from __future__ import annotations

from dataclasses import dataclass

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.numbers import neutral
from distc.dialect.rules.windows import Running, running, trivial_dims
from distc.runtime.layout import DimLayout
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.movement import fetch_dilated, zero
from distc.transforms.localize.registry import LocalOp, localizer
from distc.transforms.localize.taps import Folded, fold, folded_type, unfold
from distc.transforms.localize.window import fetch


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
    """Input features are zeroed in the padding; images get their halo.

    Where taps hold padding, results stand as images (see `localize/taps.py`).
    """
    conv = stablehlo.convolution(local.op)
    dims = conv.dims
    taps = [local.operand_dim(1, d) for d in dims.kernel_spatial]
    padded = [d for d, at in zip(dims.kernel_spatial, taps, strict=True) if not at.is_even]
    x = local.masked(ctx, 0, [dims.input_feature], 0)
    kernel = local.masked(ctx, 1, [dims.kernel_input_feature, *padded], 0)
    padding = [list(p) for p in conv.padding]
    dilation, strides, spacing = (
        list(conv.lhs_dilation),
        list(conv.strides),
        list(conv.rhs_dilation),
    )
    groups = _local_groups(ctx, conv, x, kernel, local)
    folded: list[Folded] = []
    for i, (read, written) in enumerate(zip(dims.input_spatial, dims.output_spatial, strict=True)):
        count = stablehlo.shape(local.op.results[0])[written]
        if local.is_cut(1, dims.kernel_spatial[i]):
            part = _Walk(conv.strides[i], padding[i][0], conv.rhs_dilation[i], dilation[i])
            x = part.seen(ctx, x, read, local.operand_dim(0, read), taps[i], count)
            if not taps[i].is_even:
                folded.append(Folded(written, count))
                x = fold(ctx, x, dims.input_batch, read, taps[i], count, strides[i], spacing[i])
                strides[i] = spacing[i] = 1
        elif local.is_cut(0, read):
            reach = (local.operand_shape(1)[dims.kernel_spatial[i]] - 1) * spacing[i] + 1
            walk = _Walk(conv.strides[i], padding[i][0], reach, dilation[i])
            cut, result = local.operand_dim(0, read), local.result_dim(0, written)
            x = walk.fetched(ctx, x, read, cut, result, zero(ctx, x))
        else:
            continue
        padding[i], dilation[i] = [0, 0], 1
    attributes = {
        "padding": build.i64_matrix(tuple(map(tuple, padding)), 2, ctx.context),
        "lhs_dilation": build.i64_array(dilation, ctx.context),
        "rhs_dilation": build.i64_array(spacing, ctx.context),
        "window_strides": build.i64_array(strides, ctx.context),
    }
    attributes = attributes if dims.input_spatial else {}
    kind = folded_type(local.local_type(0), dims.output_batch, folded)
    (made,) = local.copied((x, kernel), attributes | groups, [kind])
    return (unfold(made, dims.output_batch, folded),)


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
    found = running(local.op, cut[0]) if alone and cut else None
    if found is not None:
        return (_running(ctx, local, cut[0], found),)
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


def _running(ctx: LocalContext, local: LocalOp, dim: int, runs: Running) -> ir.Value:
    """A running reduction: run within shards, then combine with the totals of shards before.

    Every rank gathers one total per rank, never elements. Where results stand beside the elements
    they reduce to, they are fetched from the neighbour; what reduces nothing is the start value.
    """
    kind = stablehlo.reducer(local.op)
    assert kind is not None  # the rule allows no other
    layout = local.operand_dim(0, dim)
    element = stablehlo.element_type(local.operands[0])
    start = neutral(kind, element)
    x = local.masked(ctx, 0, [dim], start)
    shape = stablehlo.shape(x)
    window = stablehlo.window(local.op)
    forward, size = runs.forward, layout.local_size
    sizes = [size if d == dim else n for d, n in enumerate(window.sizes)]
    pads = [list(p) for p in window.padding]
    pads[dim] = [size - 1, 0] if forward else [0, size - 1]
    attributes = {
        "window_dimensions": build.i64_array(sizes, ctx.context),
        "padding": build.i64_matrix(tuple(map(tuple, pads)), 2, ctx.context),
    }
    (inside,) = local.copied((x, local.operands[1]), attributes, [x.type])
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
    whole = build.combine(kind, build.broadcast_in_dim(carried, shape, kept), inside)
    result = local.result_dim(0, dim)
    if runs.shift == 0 and result.size == layout.size:
        return whole
    places = (lambda r: result.extent(r)[0] + runs.shift), result.local_size
    return fetch(ctx, whole, dim, layout, *places, initial)


def _position(layout: DimLayout, rank: int) -> int:
    """Which piece of the dimension a rank holds, counted from the first."""
    position = 0
    for split in layout.splits:
        position = position * split.size + split.coordinate(rank)
    return position
