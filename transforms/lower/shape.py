"""Operations that make constants or move elements."""

from __future__ import annotations

from torch_mlir import ir

from distc.dialect import stablehlo as hlo
from distc.runtime.program import Arg, Dtype, Ref, ValueType
from distc.transforms.lower.builder import Builder, is_float, splat, value_type
from distc.transforms.lower.constants import constant_values
from distc.transforms.lower.registry import lowering

CONSTANT_LIMIT = 1 << 16


def _out(op: ir.Operation) -> ValueType:
    return value_type(op.results[0], op)


@lowering("constant")
def lower_constant(b: Builder, op: ir.Operation) -> Ref:
    """`constant`: a splat is a scalar, expanded; the rest is a literal list of bounded length."""
    kind = _out(op)
    number = hlo.splat_value(op)
    if number is not None:
        return b.full(number, kind)
    count = 1
    for size in kind.shape:
        count *= size
    if count > CONSTANT_LIMIT:
        raise b.unsupported(
            f"a constant has {count} elements, a literal of a program at most {CONSTANT_LIMIT}",
            help="make it a buffer or an argument of the model",
        )
    values = constant_values(op, kind)
    literal: list[Arg] = list(values)
    return b.emit(
        "distc.constant", literal, out=kind, shape=list(kind.shape), dtype=Dtype(kind.dtype)
    )


@lowering("iota", "dynamic_iota")
def lower_iota(b: Builder, op: ir.Operation) -> Ref:
    """`iota`: positions along one dimension."""
    kind = _out(op)
    key = ("iota", kind, hlo.iota_dim(op))
    return b.remember(
        key,
        lambda: b.emit(
            "distc.iota",
            out=kind,
            shape=list(kind.shape),
            dim=hlo.iota_dim(op),
            dtype=Dtype(kind.dtype),
        ),
    )


@lowering("partition_id")
def lower_partition_id(b: Builder, op: ir.Operation) -> Ref:
    """`partition_id`: this rank's number."""
    return b.remember(("partition_id",), lambda: b.emit("distc.partition_id", out=_out(op)))


@lowering("replica_id")
def lower_replica_id(b: Builder, op: ir.Operation) -> Ref:
    """`replica_id`: a program is one replica of many partitions."""
    return b.full(0, _out(op))


@lowering("get_dimension_size")
def lower_get_dimension_size(b: Builder, op: ir.Operation) -> Ref:
    """`get_dimension_size`: shapes are static."""
    dim = int(ir.IntegerAttr(op.attributes["dimension"]).value)
    return b.full(hlo.shape(op.operands[0])[dim], _out(op))


@lowering("reshape", "dynamic_reshape")
def lower_reshape(b: Builder, op: ir.Operation) -> Ref:
    """`reshape`."""
    return b.reshape(b.ref(op.operands[0]), _out(op).shape)


@lowering("transpose")
def lower_transpose(b: Builder, op: ir.Operation) -> Ref:
    """`transpose`: a view."""
    return b.permute(b.ref(op.operands[0]), hlo.permutation(op))


@lowering("broadcast_in_dim", "dynamic_broadcast_in_dim")
def lower_broadcast_in_dim(b: Builder, op: ir.Operation) -> Ref:
    """`broadcast_in_dim`: a view."""
    number = splat(op.operands[0])
    if number is not None:
        return b.full(number, _out(op))
    return broadcast(b, b.ref(op.operands[0]), hlo.broadcast_dims(op), _out(op).shape)


def broadcast(b: Builder, x: Ref, dims: tuple[int, ...], shape: tuple[int, ...]) -> Ref:
    """`x` with dimension i as dimension dims[i] of `shape`."""
    order = sorted(range(len(dims)), key=lambda i: dims[i])
    x = b.permute(x, order)
    sizes = dict(zip(sorted(dims), b.type(x).shape, strict=True))
    return b.expand(b.reshape(x, [sizes.get(d, 1) for d in range(len(shape))]), shape)


@lowering("broadcast")
def lower_broadcast(b: Builder, op: ir.Operation) -> Ref:
    """`broadcast`: new dimensions in front."""
    return b.expand(b.ref(op.operands[0]), _out(op).shape)


@lowering("slice")
def lower_slice(b: Builder, op: ir.Operation) -> Ref:
    """`slice`: one view per dimension that is cut."""
    bounds = hlo.slice_bounds(op)
    return cut(b, b.ref(op.operands[0]), bounds.start, bounds.limit, bounds.strides)


def cut(
    b: Builder, x: Ref, start: tuple[int, ...], limit: tuple[int, ...], strides: tuple[int, ...]
) -> Ref:
    """Elements start, start + stride, … below limit, per dimension."""
    for dim, (low, high, step) in enumerate(zip(start, limit, strides, strict=True)):
        kind = b.type(x)
        if (low, high, step) == (0, kind.shape[dim], 1):
            continue
        size = max(0, -(-(high - low) // step))
        shape = (*kind.shape[:dim], size, *kind.shape[dim + 1 :])
        x = b.emit("aten.slice.Tensor", x, dim, low, high, step, out=ValueType(shape, kind.dtype))
    return x


@lowering("concatenate")
def lower_concatenate(b: Builder, op: ir.Operation) -> Ref:
    """`concatenate`."""
    parts: list[Arg] = list(b.refs(op.operands))
    return b.emit("aten.cat.default", parts, hlo.concatenate_dim(op), out=_out(op))


@lowering("reverse")
def lower_reverse(b: Builder, op: ir.Operation) -> Ref:
    """`reverse`."""
    return b.emit(
        "aten.flip.default", b.ref(op.operands[0]), list(hlo.reverse_dims(op)), out=_out(op)
    )


@lowering("pad")
def lower_pad(b: Builder, op: ir.Operation) -> Ref:
    """`pad`: plain padding by a known value in torch, the rest by the kernel."""
    amount = hlo.padding(op)
    return pad(b, b.ref(op.operands[0]), op.operands[1], amount, _out(op))


def pad(b: Builder, x: Ref, value: ir.Value, amount: hlo.Padding, kind: ValueType) -> Ref:
    """`x` padded by `amount`."""
    if not any(amount.low) and not any(amount.high) and not any(amount.interior):
        return x
    number = splat(value)
    plain = min((*amount.low, *amount.high), default=0) >= 0 and not any(amount.interior)
    simple = is_float(kind.dtype) or kind.dtype in ("i1", "i8", "i16", "i32", "i64", "ui8")
    if number is not None and plain and simple:
        pairs: list[Arg] = [
            n for pair in reversed(list(zip(amount.low, amount.high, strict=True))) for n in pair
        ]
        return b.emit("aten.constant_pad_nd.default", x, pairs, number, out=kind)
    return b.emit(
        "distc.pad",
        x,
        b.ref(value),
        out=kind,
        low=list(amount.low),
        high=list(amount.high),
        interior=list(amount.interior),
    )


@lowering("dynamic_slice")
def lower_dynamic_slice(b: Builder, op: ir.Operation) -> Ref:
    """`dynamic_slice`: starts are moved so that the box lies inside."""
    starts: list[Arg] = [_start(b, v) for v in list(op.operands)[1:]]
    sizes: list[Arg] = list(hlo.slice_sizes(op))
    return b.emit("distc.dynamic_slice", b.ref(op.operands[0]), starts, out=_out(op), sizes=sizes)


@lowering("dynamic_update_slice")
def lower_dynamic_update_slice(b: Builder, op: ir.Operation) -> Ref:
    """`dynamic_update_slice`: starts are moved so that the box lies inside."""
    starts: list[Arg] = [_start(b, v) for v in list(op.operands)[2:]]
    x, update = b.refs(list(op.operands)[:2])
    return b.emit("distc.dynamic_update_slice", x, update, starts, out=_out(op))


def _start(b: Builder, value: ir.Value) -> Arg:
    number = splat(value)
    return int(number) if number is not None else b.convert(b.ref(value), "i64")


@lowering("optimization_barrier", "dist.constraint")
def lower_optimization_barrier(b: Builder, op: ir.Operation) -> list[Ref]:
    """`optimization_barrier`, and a wish of where a value lies to one rank: nothing at run time."""
    return b.refs(op.operands)


@lowering("dynamic_pad")
def lower_dynamic_pad(b: Builder, op: ir.Operation) -> Ref:
    """`dynamic_pad` by constant amounts."""
    low, high, interior = (constant_ints(b, v) for v in list(op.operands)[2:])
    amount = hlo.Padding(low, high, interior)
    return pad(b, b.ref(op.operands[0]), op.operands[1], amount, _out(op))


@lowering("real_dynamic_slice")
def lower_real_dynamic_slice(b: Builder, op: ir.Operation) -> Ref:
    """`real_dynamic_slice` with constant bounds."""
    start, limit, strides = (constant_ints(b, v) for v in list(op.operands)[1:])
    return cut(b, b.ref(op.operands[0]), start, limit, strides)


def constant_ints(b: Builder, value: ir.Value) -> tuple[int, ...]:
    """Values of a constant operand, in order.

    Raises:
        UnsupportedOp: it is computed at run time.
    """
    source = hlo.defining_op(value)
    array = None if source is None else hlo.constant_array(source)
    if array is None:
        raise b.unsupported(
            "an amount that must be constant is computed at run time",
            help="export the program with static shapes",
        )
    return tuple(int(v) for v in array.reshape(-1))
