"""`select_and_scatter` over cut dimensions: each rank selects in every window that it touches.

A filler in the place of what lies outside the operand could be selected: by a comparison with NaN,
or where elements are as extreme as the filler. So what is selected is computed as a reduction over
(value, place, whether NaN was seen), with place -1 for what is not there:

    sequential   best = compare(best, next) ? best : next      NaN compares false: next is taken,
                                                               and what follows NaN is taken too
    associative  what comes after the last NaN of a window decides, so the later part wins alone
                 where it has seen NaN or the earlier one ends in NaN

Then the sources are added at their places; places outside the shard belong to a neighbour, who
does the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from torch_mlir import ir

from distc.dialect import build, stablehlo
from distc.dialect.rules.windows import selects_extremum, trivial_dims
from distc.dialect.sharding import Reduction
from distc.runtime.layout import DimLayout
from distc.transforms.localize.context import LocalContext
from distc.transforms.localize.movement import zero
from distc.transforms.localize.registry import LocalOp, localizer
from distc.transforms.localize.window import Fact, fetch

_NOWHERE = -1


@localizer("stablehlo.select_and_scatter")
def _select_and_scatter(ctx: LocalContext, local: LocalOp) -> tuple[ir.Value, ...]:
    """Fetch every source whose window touches the shard, and all that those windows see."""
    window = stablehlo.window(local.op)
    cut = [d for d, plain in enumerate(trivial_dims(local.op)) if not plain and local.is_cut(0, d)]
    if not cut:
        return local.copied()
    x, source, initial = local.operands
    padding = [list(p) for p in window.padding]
    wanted = list(stablehlo.shape(x))
    starts = [ctx.per_rank(lambda _: 0)] * len(wanted)
    low, high = [0] * len(wanted), [0] * len(wanted)
    there: dict[int, ir.Value] = {}
    counted: dict[int, ir.Value] = {}
    for dim in cut:
        size, stride, pad = window.sizes[dim], window.strides[dim], padding[dim][0]
        held, sources = local.operand_dim(0, dim), local.operand_dim(1, dim)

        def first(
            rank: int, at: DimLayout = held, k: int = size, s: int = stride, p: int = pad
        ) -> int:
            return (at.extent(rank)[0] + p - k) // s + 1

        def seen(rank: int, s: int = stride, p: int = pad, f: Fact = first) -> int:
            return f(rank) * s - p

        def last(rank: int, at: DimLayout = held, s: int = stride, p: int = pad) -> int:
            return (sum(at.extent(rank)) - 1 + p) // s

        count = max(1, *(last(r) - first(r) + 1 for r in range(ctx.mesh.size)))
        reach = (count - 1) * stride + size
        source = fetch(ctx, source, dim, sources, first, count, zero(ctx, source))
        x = fetch(ctx, x, dim, held, seen, reach, zero(ctx, x))
        there[dim] = _inside(ctx, seen, reach, held.size)
        counted[dim] = _inside(ctx, first, count, sources.size)
        padding[dim] = [0, 0]
        low[dim], high[dim] = stride, held.local_size + stride
        starts[dim] = ctx.per_rank(
            lambda r, at=held, b=seen, s=stride: at.extent(r)[0] - b(r) + s  # type: ignore[misc]
        )
    seen_shape = stablehlo.shape(x)
    places = build.reshape(build.iota(0, (prod(seen_shape),), ctx.i64), seen_shape)
    places = _elsewhere(ctx, places, there)
    direction = selects_extremum(local.op)
    assert direction is not None  # the rule allows no other
    chosen = _chosen(ctx, local.op, x, places, padding, stablehlo.shape(source), direction)
    chosen = _elsewhere(ctx, chosen, counted)
    scattered = _scattered(ctx, initial, chosen, source, seen_shape)
    padded = build.pad(scattered, initial, low, high)
    return (build.dynamic_slice(padded, starts, wanted),)


def _inside(ctx: LocalContext, start: Fact, count: int, size: int) -> ir.Value:
    """i1 `[count]`: which of the positions from `start` on exist in a dimension of `size`."""
    offset = ctx.spread_scalar(ctx.per_rank(start), (count,))
    at = build.binary("add", build.iota(0, (count,), ctx.i64), offset)
    return build.binary(
        "and",
        build.compare(at, build.splat(0, (count,), ctx.i64), "GE"),
        build.compare(at, build.splat(size, (count,), ctx.i64), "LT"),
    )


def _elsewhere(ctx: LocalContext, places: ir.Value, inside: dict[int, ir.Value]) -> ir.Value:
    """Places, -1 where a dimension says that there is none."""
    shape = stablehlo.shape(places)
    for dim, mask in inside.items():
        along = build.broadcast_in_dim(mask, shape, (dim,))
        places = build.select(along, places, build.splat(_NOWHERE, shape, ctx.i64))
    return places


def _chosen(
    ctx: LocalContext,
    op: ir.Operation,
    x: ir.Value,
    places: ir.Value,
    padding: Sequence[Sequence[int]],
    counts: Sequence[int],
    direction: str,
) -> ir.Value:
    """The place that each window of `x` selects."""
    flag = ir.IntegerType.get_signless(1, ctx.context)
    window, element = stablehlo.window(op), stablehlo.element_type(x)
    operands = [x, places, build.compare(x, x, "NE")]
    inits = [
        build.splat(0, (), element),
        build.splat(_NOWHERE, (), ctx.i64),
        build.splat(False, (), flag),
    ]
    attributes = {
        "window_dimensions": build.i64_array(window.sizes, ctx.context),
        "window_strides": build.i64_array(window.strides, ctx.context),
        "padding": build.i64_matrix(tuple(map(tuple, padding)), 2, ctx.context),
    }
    kinds = [stablehlo.element_type(v) for v in operands]
    results = [build.tensor_type(counts, kind) for kind in kinds]
    made = build.create("reduce_window", [*operands, *inits], results, attributes, regions=1)
    scalars = [build.tensor_type((), kind) for kind in kinds] * 2
    block = made.regions[0].blocks.append(*scalars, arg_locs=[op.location] * len(scalars))
    with ir.InsertionPoint(block):
        build.create("return", _later_or_better(list(block.arguments), direction), [])
    return made.results[1]


def _later_or_better(arguments: list[ir.Value], direction: str) -> list[ir.Value]:
    """The combination of an earlier and a later part of a window."""
    value, place, nan, next_value, next_place, next_nan = arguments
    nowhere = build.splat(_NOWHERE, (), stablehlo.element_type(place))
    missing = build.compare(next_place, nowhere, "EQ")
    better = build.compare(value, next_value, direction)
    # A NaN at the end compares false; one further back says nothing about what follows it.
    over = build.unary("not", next_nan)
    kept = build.binary("and", build.binary("and", better, over), _is_there(place, nowhere))
    kept = build.binary("or", kept, missing)
    return [
        build.select(kept, value, next_value),
        build.select(kept, place, next_place),
        build.binary("or", build.binary("and", nan, _is_there(place, nowhere)),
                     build.binary("and", next_nan, _is_there(next_place, nowhere))),
    ]  # fmt: skip


def _is_there(place: ir.Value, nowhere: ir.Value) -> ir.Value:
    return build.compare(place, nowhere, "NE")


def _scattered(
    ctx: LocalContext,
    initial: ir.Value,
    places: ir.Value,
    source: ir.Value,
    shape: Sequence[int],
) -> ir.Value:
    """Zeros of `shape` with every source added at its place; those at -1 are dropped."""
    count = prod(stablehlo.shape(source))
    into = ctx.spread_scalar(initial, (prod(shape),))
    dims = stablehlo.ScatterDims((), (0,), (), (), (0,), 1)
    indices = build.reshape(places, (count, 1))
    added = build.scatter(into, indices, build.reshape(source, (count,)), dims, Reduction.SUM)
    return build.reshape(added, shape)
