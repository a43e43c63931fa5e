"""Reductions, windows and sorting."""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign, prod

from torch_mlir import ir

from distc.dialect import stablehlo as hlo
from distc.dialect.sharding import Reduction
from distc.runtime.program import Arg, Dtype, Program, Ref, ValueType
from distc.transforms.lower.builder import (
    HIDDEN_UNSIGNED,
    WIDTH,
    Builder,
    Number,
    is_complex,
    is_float,
    splat,
    value_type,
)
from distc.transforms.lower.elementwise import total_order
from distc.transforms.lower.registry import lowering
from distc.transforms.lower.scalar_region import scalar_region

_JOIN = {
    Reduction.SUM: "aten.add.Tensor",
    Reduction.PROD: "aten.mul.Tensor",
    Reduction.MAX: "aten.maximum.default",
    Reduction.MIN: "aten.minimum.default",
    Reduction.AND: "aten.bitwise_and.Tensor",
    Reduction.OR: "aten.bitwise_or.Tensor",
}


def neutral(kind: Reduction, dtype: str) -> Number | None:
    """The element that changes nothing under a reduction, None where there is none."""
    match kind:
        case Reduction.SUM:
            return 0
        case Reduction.PROD:
            return 1
        case Reduction.OR:
            return 0
        case Reduction.AND:
            return True if dtype == "i1" else _all_ones(dtype)
        case Reduction.MAX:
            return float("-inf") if is_float(dtype) else _least(dtype)
        case Reduction.MIN:
            return float("inf") if is_float(dtype) else _greatest(dtype)


def _all_ones(dtype: str) -> int | None:
    if dtype not in WIDTH:
        return None
    return (1 << WIDTH[dtype]) - 1 if dtype.startswith("u") else -1


def _least(dtype: str) -> int | None:
    if dtype not in WIDTH:
        return None
    return 0 if dtype.startswith("u") else -(1 << (WIDTH[dtype] - 1))


def _greatest(dtype: str) -> int | None:
    if dtype not in WIDTH:
        return None
    return (1 << (WIDTH[dtype] - (not dtype.startswith("u")))) - 1


def is_neutral(value: ir.Value, kind: Reduction) -> bool:
    """True where a value is a splat of the reduction's neutral element."""
    number = splat(value)
    return number is not None and number == neutral(kind, hlo.dtype(value))


def starts_below_zero(init: ir.Value) -> bool:
    """True for a splat of -0.0: torch's sums start from +0.0."""
    number = splat(init)
    return isinstance(number, float) and number == 0 and copysign(1.0, number) < 0


def ordered(kind: Reduction | None) -> bool:
    """True for reductions that compare, and so need the order of unsigned values."""
    return kind in (Reduction.MAX, Reduction.MIN)


@lowering("reduce")
def lower_reduce(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`reduce`: an aten reduction per operand where the region is one, else a tree of it."""
    count = len(op.results)
    operands = list(op.operands)
    values, inits = operands[:count], operands[count:]
    kinds = hlo.reducers(op)
    dims = hlo.reduce_dims(op)
    native = all(_is_native(b, v, k) for v, k in zip(values, kinds, strict=True))
    if native and not any(map(starts_below_zero, inits)):
        return [
            _reduce_native(b, v, i, k, dims, value_type(r, op))
            for v, i, k, r in zip(values, inits, kinds, op.results, strict=True)
            if k is not None
        ]
    value_refs: list[Arg] = list(b.refs(values))
    init_refs: list[Arg] = list(b.refs(inits))
    return b.call(
        "distc.reduce",
        value_refs,
        init_refs,
        types=[value_type(r, op) for r in op.results],
        dims=list(dims),
        regions=(scalar_region(b, op.regions[0], "reduce"),),
    )


def _is_native(b: Builder, value: ir.Value, kind: Reduction | None) -> bool:
    dtype = value_type(value, b.op).dtype
    if kind is None or (is_complex(dtype) and kind not in (Reduction.SUM, Reduction.PROD)):
        return False
    return kind not in (Reduction.AND, Reduction.OR) or dtype == "i1"


def _reduce_native(
    b: Builder,
    value: ir.Value,
    init: ir.Value,
    kind: Reduction,
    dims: tuple[int, ...],
    out: ValueType,
) -> Ref:
    x = b.ref(value)
    if prod(b.type(x).shape[d] for d in dims) == 0:
        return b.expand(b.ref(init), out.shape)
    result = reduce_all(b, x, kind, dims, out)
    if is_neutral(init, kind):
        return result
    if ordered(kind) and out.dtype in HIDDEN_UNSIGNED:
        pair = [b.flip_sign(result), b.flip_sign(b.ref(init))]
        return b.flip_sign(b.emit(_JOIN[kind], *pair, out=out))
    if ordered(kind) and is_float(out.dtype):
        name = "distc.maximum" if kind is Reduction.MAX else "distc.minimum"
        return b.emit(name, result, b.expand(b.ref(init), out.shape), out=out)
    return b.emit(_JOIN[kind], result, b.ref(init), out=out)


def reduce_all(b: Builder, x: Ref, kind: Reduction, dims: tuple[int, ...], out: ValueType) -> Ref:
    """`x` reduced over `dims`, at least one element each."""
    axes: list[Arg] = list(dims)
    if not dims:
        return x
    match kind:
        case Reduction.SUM:
            return b.emit("aten.sum.dim_IntList", x, axes, False, out=out, dtype=Dtype(out.dtype))
        case Reduction.AND:
            return b.emit("aten.all.dims", x, axes, False, out=out)
        case Reduction.OR:
            return b.emit("aten.any.dims", x, axes, False, out=out)
        case Reduction.MAX | Reduction.MIN if is_float(out.dtype):
            # torch takes either of the two zeros, depending on where they lie in memory.
            name = "largest" if kind is Reduction.MAX else "smallest"
            return b.emit(f"distc.{name}", x, axes, out=out)
        case Reduction.MAX:
            return b.flip_sign(b.emit("aten.amax.default", b.flip_sign(x), axes, False, out=out))
        case Reduction.MIN:
            return b.flip_sign(b.emit("aten.amin.default", b.flip_sign(x), axes, False, out=out))
        case Reduction.PROD:
            for dim in sorted(dims, reverse=True):
                shape = b.type(x).shape
                kind_out = ValueType((*shape[:dim], *shape[dim + 1 :]), out.dtype)
                x = b.emit("aten.prod.dim_int", x, dim, False, out=kind_out, dtype=Dtype(out.dtype))
            return x


@lowering("reduce_window")
def lower_reduce_window(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`reduce_window`: running sums and max pools in torch, every other window by the kernel."""
    count = len(op.results)
    operands = list(op.operands)
    values, inits = operands[:count], operands[count:]
    window = hlo.window(op)
    outs = [value_type(r, op) for r in op.results]
    kind = hlo.reducer(op) if count == 1 else None
    if kind is not None and (not is_neutral(inits[0], kind) or starts_below_zero(inits[0])):
        kind = None
    if kind is not None and not _is_native(b, values[0], kind):
        kind = None
    if kind is not None and (fast := _fast_window(b, b.ref(values[0]), kind, window, outs[0])):
        return [fast]
    hidden = ordered(kind) and outs[0].dtype in HIDDEN_UNSIGNED
    value_refs: list[Arg] = [b.flip_sign(r) if hidden else r for r in b.refs(values)]
    init_refs: list[Arg] = [b.flip_sign(r) if hidden else r for r in b.refs(inits)]
    regions: tuple[Program, ...] = ()
    if kind is None:
        regions = (scalar_region(b, op.regions[0], "reduce_window"),)
    results = b.call(
        "distc.reduce_window",
        value_refs,
        init_refs,
        types=outs,
        regions=regions,
        sizes=list(window.sizes),
        strides=list(window.strides),
        base_dilations=list(window.base_dilations),
        window_dilations=list(window.window_dilations),
        padding=[list(p) for p in window.padding],
        kind=None if kind is None else str(kind),
    )
    return [b.flip_sign(r) if hidden else r for r in results]


def _fast_window(
    b: Builder, x: Ref, kind: Reduction, window: hlo.Window, out: ValueType
) -> Ref | None:
    ones = (1,) * len(window.sizes)
    if window.base_dilations != ones:
        return None
    if window.window_dilations == ones and window.strides == ones:
        running = _running(b, x, kind, window, out)
        if running is not None:
            return running
    return _max_pool(b, x, kind, window, out)


def _running(b: Builder, x: Ref, kind: Reduction, window: hlo.Window, out: ValueType) -> Ref | None:
    """A window that sees all elements up to its own, along one dimension: a cumulative sum."""
    name = {Reduction.SUM: "aten.cumsum.default", Reduction.PROD: "aten.cumprod.default"}.get(kind)
    shape = b.type(x).shape
    wide = [d for d, size in enumerate(window.sizes) if size != 1]
    if name is None or len(wide) != 1 or out.dtype == "i1" or out.dtype in ("f16", "bf16"):
        return None
    dim = wide[0]
    reach = shape[dim] - 1
    expected = tuple((reach, 0) if d == dim else (0, 0) for d in range(len(shape)))
    if window.sizes[dim] != shape[dim] or window.padding != expected:
        return None
    return b.emit(name, x, dim, out=out, dtype=Dtype(out.dtype))


def _max_pool(
    b: Builder, x: Ref, kind: Reduction, window: hlo.Window, out: ValueType
) -> Ref | None:
    """Windows over the last two of four dimensions, as torch's max pool takes them."""
    plain = len(window.sizes) == 4 and window.sizes[:2] == (1, 1) and window.strides[:2] == (1, 1)
    if kind is not Reduction.MAX or not plain or out.dtype not in ("f32", "f64"):
        return None
    sizes, padding = window.sizes[2:], window.padding[2:]
    even = all(low == high and 2 * low <= n for (low, high), n in zip(padding, sizes, strict=True))
    if any(any(p) for p in window.padding[:2]) or not even or 0 in (*out.shape, *b.type(x).shape):
        return None
    return b.emit(
        "aten.max_pool2d.default",
        x,
        list(sizes),
        list(window.strides[2:]),
        [p[0] for p in padding],
        list(window.window_dilations[2:]),
        out=out,
    )


@lowering("select_and_scatter")
def lower_select_and_scatter(b: Builder, op: ir.Operation) -> Ref:
    """`select_and_scatter`: the gradient of a max pool, and whatever else its regions say."""
    window, out = hlo.window(op), value_type(op.results[0], op)
    operand, source, init = op.operands
    kind = hlo.reducer(op, 1)
    summed = kind is Reduction.SUM and out.dtype != "i1"
    return b.call(
        "distc.select_and_scatter",
        *b.refs((operand, source, init)),
        types=(out,),
        sizes=list(window.sizes),
        strides=list(window.strides),
        padding=[list(p) for p in window.padding],
        kind="sum" if summed else None,
        regions=(
            scalar_region(b, op.regions[0], "select"),
            scalar_region(b, op.regions[1], "scatter"),
        ),
    )[0]


@lowering("sort")
def lower_sort(b: Builder, op: ir.Operation) -> Sequence[Ref]:
    """`sort`: torch's stable sort for one comparison, a network for any other comparator."""
    order = hlo.sort(op)
    types = [value_type(r, op) for r in op.results]
    refs: list[Arg] = list(b.refs(op.operands))
    if order.keys is None:
        region = scalar_region(b, op.regions[0], "sort")
        return b.call("distc.sort", refs, types=types, dim=order.dim, regions=(region,))
    index, direction = order.keys[0]
    if direction not in ("LT", "GT"):
        region = scalar_region(b, op.regions[0], "sort")
        return b.call("distc.sort", refs, types=types, dim=order.dim, regions=(region,))
    key = b.ref(op.operands[index])
    if _compares_total(op) and is_float(types[index].dtype):
        key = total_order(b, key)
    keys: list[Arg] = [b.flip_sign(key)]
    return b.call(
        "distc.sort_by_keys", refs, keys, types=types, dim=order.dim, descending=direction == "GT"
    )


def _compares_total(op: ir.Operation) -> bool:
    return any(
        inner.name == "stablehlo.compare" and hlo.comparison_type(inner) == "TOTALORDER"
        for inner in hlo.walk(op)
    )
