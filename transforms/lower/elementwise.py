"""Elementwise operations. A splat operand becomes a Python scalar where an overload takes one."""

from __future__ import annotations

from math import copysign

from torch_mlir import ir

from distc.dialect import stablehlo as hlo
from distc.runtime.program import Dtype, Ref, ValueType
from distc.transforms.lower.builder import (
    HIDDEN_UNSIGNED,
    WIDTH,
    Builder,
    Number,
    is_complex,
    is_float,
    is_integer,
    narrow_type,
    splat,
    value_type,
)
from distc.transforms.lower.narrow import bitcast_narrow, raw, unused_bits
from distc.transforms.lower.registry import lowering

_UNARY = {
    "stablehlo.ceil": "aten.ceil.default",
    "stablehlo.cosine": "aten.cos.default",
    "stablehlo.exponential": "aten.exp.default",
    "stablehlo.exponential_minus_one": "aten.expm1.default",
    "stablehlo.floor": "aten.floor.default",
    "stablehlo.imag": "aten.imag.default",
    "stablehlo.is_finite": "aten.isfinite.default",
    "stablehlo.log": "aten.log.default",
    "stablehlo.logistic": "aten.sigmoid.default",
    "stablehlo.negate": "aten.neg.default",
    "stablehlo.not": "aten.bitwise_not.default",
    "stablehlo.real": "aten.real.default",
    "stablehlo.round_nearest_even": "aten.round.default",
    "stablehlo.rsqrt": "aten.rsqrt.default",
    "stablehlo.sine": "aten.sin.default",
    "stablehlo.sqrt": "aten.sqrt.default",
    "stablehlo.tan": "aten.tan.default",
    "stablehlo.tanh": "aten.tanh.default",
}
_BITWISE = {
    "stablehlo.and": "aten.bitwise_and.Tensor",
    "stablehlo.or": "aten.bitwise_or.Tensor",
    "stablehlo.xor": "aten.bitwise_xor.Tensor",
}
_COMPARE = {"EQ": "eq", "NE": "ne", "GE": "ge", "GT": "gt", "LE": "le", "LT": "lt"}
_SWAPPED = {"EQ": "EQ", "NE": "NE", "GE": "LE", "GT": "LT", "LE": "GE", "LT": "GT"}


def _out(op: ir.Operation) -> ValueType:
    return value_type(op.results[0], op)


def scalar_or_ref(b: Builder, value: ir.Value) -> Ref:
    """A splat as a scalar tensor, which broadcasts; anything else as it is."""
    number = splat(value)
    if number is None:
        return b.ref(value)
    return b.full(number, ValueType((), value_type(value, b.op).dtype))


def _scalar(value: ir.Value) -> Number | None:
    """A splat that may stand as a Python scalar beside a tensor of its type."""
    number = splat(value)
    dtype = hlo.dtype(value)
    if number is None or not (is_float(dtype) or (is_integer(dtype) and not dtype.startswith("u"))):
        return None
    return number


def _with_scalar(b: Builder, op: ir.Operation, tensor: str, scalar: str) -> Ref:
    """A commutative operation with its splat operand, if any, as a scalar."""
    left, right = op.operands
    if _scalar(left) is not None and _scalar(right) is None:
        left, right = right, left
    number = _scalar(right)
    if number is not None and splat(left) is None:
        return b.emit(scalar, b.ref(left), number, out=_out(op))
    return b.emit(tensor, b.ref(left), b.ref(right), out=_out(op))


@lowering(*(name.removeprefix("stablehlo.") for name in _UNARY))
def lower_unary(b: Builder, op: ir.Operation) -> Ref:
    """Operations that one aten operator of one operand means exactly."""
    x = b.ref(op.operands[0])
    if op.name == "stablehlo.real" and not is_complex(b.type(x).dtype):
        return x
    if op.name == "stablehlo.imag" and not is_complex(b.type(x).dtype):
        return b.full(0.0, _out(op))
    return b.emit(_UNARY[op.name], x, out=_out(op))


@lowering("abs")
def lower_abs(b: Builder, op: ir.Operation) -> Ref:
    """`abs`; an unsigned value is its own."""
    x = b.ref(op.operands[0])
    if b.type(x).dtype.startswith("ui"):
        return x
    return b.emit("aten.abs.default", x, out=_out(op))


@lowering("cbrt", "log_plus_one", "round_nearest_afz")
def lower_float_kernel(b: Builder, op: ir.Operation) -> Ref:
    """Operations that have a kernel of their own name."""
    name = op.name.removeprefix("stablehlo.")
    return b.emit(f"distc.{name}", b.ref(op.operands[0]), out=_out(op))


@lowering("sign")
def lower_sign(b: Builder, op: ir.Operation) -> Ref:
    """`sign`: of an unsigned value, whether it is not zero."""
    x = b.ref(op.operands[0])
    return b.emit("distc.sign", x, out=_out(op), dtype=Dtype(b.type(x).dtype))


@lowering("popcnt", "count_leading_zeros")
def lower_bit_count(b: Builder, op: ir.Operation) -> Ref:
    """Counts of bits, which the element type has so many of."""
    x, name = raw(b, op.operands[0]), op.name.removeprefix("stablehlo.")
    found = b.emit(f"distc.{name}", x, out=_out(op), dtype=Dtype(b.type(x).dtype))
    unused = unused_bits(op.operands[0])
    if unused and name == "count_leading_zeros":
        return b.emit("aten.sub.Scalar", found, unused, out=_out(op))
    return found


@lowering("add")
def lower_add(b: Builder, op: ir.Operation) -> Ref:
    """`add`; on i1 it is or."""
    return _with_scalar(b, op, "aten.add.Tensor", "aten.add.Scalar")


@lowering("multiply")
def lower_multiply(b: Builder, op: ir.Operation) -> Ref:
    """`multiply`; on i1 it is and."""
    return _with_scalar(b, op, "aten.mul.Tensor", "aten.mul.Scalar")


@lowering("subtract")
def lower_subtract(b: Builder, op: ir.Operation) -> Ref:
    """`subtract`; a splat on the left becomes a reversed subtraction."""
    left, right = op.operands
    number = _scalar(right)
    if number is not None and splat(left) is None:
        return b.emit("aten.sub.Scalar", b.ref(left), number, out=_out(op))
    number = _scalar(left)
    if number is not None and splat(right) is None:
        return b.emit("aten.rsub.Scalar", b.ref(right), number, out=_out(op))
    return b.emit("aten.sub.Tensor", b.ref(left), b.ref(right), out=_out(op))


@lowering("divide")
def lower_divide(b: Builder, op: ir.Operation) -> Ref:
    """`divide`: rounds toward zero in integers.

    Only a power of two divides as a scalar: accelerators multiply by a scalar's reciprocal.
    """
    left, right = op.operands
    kind = _out(op)
    if is_integer(kind.dtype):
        refs = b.refs(op.operands)
        return b.emit("distc.divide", *refs, out=kind, dtype=Dtype(kind.dtype))
    number = _scalar(right)
    if number is not None and splat(left) is None and _is_power_of_two(float(number)):
        return b.emit("aten.div.Scalar", b.ref(left), number, out=kind)
    right_ref = b.ref(right) if splat(left) is not None else scalar_or_ref(b, right)
    return b.emit("aten.div.Tensor", b.ref(left), right_ref, out=kind)


def _is_power_of_two(value: float) -> bool:
    if value == 0.0 or value != value or value in (float("inf"), float("-inf")):
        return False
    mantissa = abs(value).hex().partition("p")[0]
    return mantissa in ("0x1.0000000000000", "0x1")


@lowering("remainder")
def lower_remainder(b: Builder, op: ir.Operation) -> Ref:
    """`remainder`: the sign of the dividend."""
    kind = _out(op)
    if is_complex(kind.dtype):
        raise b.unsupported("remainder of complex values cannot run", help="use real values")
    refs = b.refs(op.operands)
    return b.emit("distc.remainder", *refs, out=kind, dtype=Dtype(kind.dtype))


@lowering("power")
def lower_power(b: Builder, op: ir.Operation) -> Ref:
    """`power`; squares and cubes as scalars, which multiply."""
    kind = _out(op)
    if is_integer(kind.dtype):
        refs = b.refs(op.operands)
        return b.emit("distc.power", *refs, out=kind, dtype=Dtype(kind.dtype))
    base, exponent = op.operands
    if splat(exponent) in (2.0, 3.0) and splat(base) is None:
        return b.emit("aten.pow.Tensor_Scalar", b.ref(base), splat(exponent), out=kind)
    return b.emit("aten.pow.Tensor_Tensor", *b.refs(op.operands), out=kind)


@lowering("atan2")
def lower_atan2(b: Builder, op: ir.Operation) -> Ref:
    """`atan2`; complex as -i log((x + iy) / sqrt(x^2 + y^2))."""
    kind = _out(op)
    name = "distc.atan2" if is_complex(kind.dtype) else "aten.atan2.default"
    return b.emit(name, *b.refs(op.operands), out=kind)


@lowering("and", "or", "xor")
def lower_bitwise(b: Builder, op: ir.Operation) -> Ref:
    """Bitwise operations, logical on i1."""
    return b.emit(_BITWISE[op.name], *b.refs(op.operands), out=_out(op))


@lowering("shift_left", "shift_right_arithmetic", "shift_right_logical")
def lower_shift(b: Builder, op: ir.Operation) -> Ref:
    """Shifts, defined past the width too."""
    kind, name = _out(op), op.name.removeprefix("stablehlo.")
    x, amount = b.refs(op.operands)
    dtype = Dtype(kind.dtype)
    if name == "shift_right_logical":
        x = raw(b, op.operands[0])
    unused = unused_bits(op.operands[0])
    if name != "shift_right_arithmetic" or not (unused and kind.dtype == "ui8"):
        return b.emit(f"distc.{name}", x, amount, out=kind, dtype=dtype)
    # The highest bit of a narrow unsigned number is its sign here: move it to where it counts.
    places = b.full(unused, kind)
    high = b.emit("distc.shift_left", x, places, out=kind, dtype=dtype)
    shifted = b.emit("distc.shift_right_arithmetic", high, amount, out=kind, dtype=dtype)
    return b.emit("distc.shift_right_logical", shifted, places, out=kind, dtype=dtype)


@lowering("maximum", "minimum")
def lower_extremum(b: Builder, op: ir.Operation) -> Ref:
    """`maximum` and `minimum`; NaN wins, -0.0 is below +0.0; complex by real part, then imag."""
    kind = _out(op)
    largest = op.name == "stablehlo.maximum"
    left, right = op.operands
    if _scalar(left) is not None:
        left, right = right, left
    number = _scalar(right)
    if number is not None and number == number and splat(left) is None:
        return bounded(b, b.ref(left), number, kind, low=largest)
    keys = [b.flip_sign(r) for r in b.refs(op.operands)]
    return b.flip_sign(b.emit(_extremum(kind, largest=largest), *keys, out=kind))


def _extremum(kind: ValueType, *, largest: bool) -> str:
    family = "aten.{}.default" if kind.dtype in ("i1", *WIDTH) else "distc.{}"
    return family.format("maximum" if largest else "minimum")


def bounded(b: Builder, x: Ref, number: Number, kind: ValueType, *, low: bool) -> Ref:
    """`x`, at least (`low`) or at most `number`; of a zero bound the sign counts too."""
    if number != 0 or not is_float(kind.dtype):
        scalar = "aten.clamp_min.default" if low else "aten.clamp_max.default"
        return b.emit(scalar, x, number, out=kind)
    negative = copysign(1.0, number) < 0
    if low and not negative:
        # Everything up to +0.0, so -0.0 too, becomes +0.0; NaN stays.
        return b.emit("aten.threshold.default", x, 0.0, 0.0, out=kind)
    replaced = {(True, True): "lt", (False, True): "ge", (False, False): "gt"}[low, negative]
    flags = ValueType(kind.shape, "i1")
    outside = b.emit(f"aten.{replaced}.Scalar", x, 0.0, out=flags)
    return b.emit("aten.where.self", outside, b.full(number, kind), x, out=kind)


@lowering("clamp")
def lower_clamp(b: Builder, op: ir.Operation) -> Ref:
    """`clamp`: minimum(maximum(x, low), high); NaN stays; bounds may be scalars."""
    low, x, high = op.operands
    kind = _out(op)
    least, most = _scalar(low), _scalar(high)
    if least is not None and most is not None and least <= most and splat(x) is None:
        if 0 not in (least, most) or not is_float(kind.dtype):
            return b.emit("aten.clamp.default", b.ref(x), least, most, out=kind)
        return bounded(b, bounded(b, b.ref(x), least, kind, low=True), most, kind, low=False)
    refs = [b.flip_sign(r) for r in b.refs((x, low, high))]
    if kind.dtype == "i1":
        above = b.emit(_BITWISE["stablehlo.or"], refs[0], refs[1], out=kind)
        return b.emit(_BITWISE["stablehlo.and"], above, refs[2], out=kind)
    if kind.dtype in WIDTH:
        return b.flip_sign(b.emit("aten.clamp.Tensor", *refs, out=kind))
    refs = [b.expand(r, kind.shape) for r in refs]
    above = b.emit(_extremum(kind, largest=True), refs[0], refs[1], out=kind)
    return b.emit(_extremum(kind, largest=False), above, refs[2], out=kind)


@lowering("compare")
def lower_compare(b: Builder, op: ir.Operation) -> Ref:
    """`compare`; TOTALORDER orders floats by sign and bits."""
    left, right = op.operands
    direction, out = hlo.comparison_direction(op), _out(op)
    dtype = value_type(left, op).dtype
    total = hlo.comparison_type(op) == "TOTALORDER" and is_float(dtype)
    if not total and _scalar(left) is not None and splat(right) is None:
        left, right, direction = right, left, _SWAPPED[direction]
    number = None if total else _scalar(right)
    if number is not None and splat(left) is None:
        return b.emit(f"aten.{_COMPARE[direction]}.Scalar", b.ref(left), number, out=out)
    keys = [b.ref(left), b.ref(right)]
    if total:
        keys = [total_order(b, k) for k in keys]
    elif direction not in ("EQ", "NE"):
        keys = [b.flip_sign(k) for k in keys]
    return b.emit(f"aten.{_COMPARE[direction]}.Tensor", *keys, out=out)


def total_order(b: Builder, x: Ref) -> Ref:
    """Integers in the total order of the floats `x`."""
    kind = b.type(x)
    integer = {"f16": "i16", "bf16": "i16", "f32": "i32", "f64": "i64"}[kind.dtype]
    out = ValueType(kind.shape, integer)
    return b.emit("distc.total_order_key", x, out=out, dtype=Dtype(kind.dtype))


@lowering("select")
def lower_select(b: Builder, op: ir.Operation) -> Ref:
    """`select`; the predicate may be a scalar."""
    predicate, on_true, on_false = op.operands
    kind = _out(op)
    refs = [scalar_or_ref(b, on_true), scalar_or_ref(b, on_false)]
    condition = b.ref(predicate)
    if kind.shape not in [b.type(r).shape for r in (condition, *refs)]:
        refs[0] = b.expand(refs[0], kind.shape)
    return b.emit("aten.where.self", condition, *refs, out=kind)


@lowering("convert")
def lower_convert(b: Builder, op: ir.Operation) -> Ref:
    """`convert`: integers wrap, floats round, out of range gives the nearest value."""
    x, out, kind = b.ref(op.operands[0]), _out(op), narrow_type(op.results[0])
    if kind is None:
        return b.convert(x, out.dtype)
    source = Dtype(b.type(x).dtype)
    return b.emit("distc.convert_narrow", x, out=out, source=source, format=kind)


@lowering("bitcast_convert")
def lower_bitcast(b: Builder, op: ir.Operation) -> Ref:
    """`bitcast_convert`: the same bits as another type."""
    kind, x = _out(op), b.ref(op.operands[0])
    if narrow_type(op.operands[0]) or narrow_type(op.results[0]):
        return bitcast_narrow(b, op)
    source = b.type(x).dtype
    hidden = {"ui16": "i16", "ui32": "i32", "ui64": "i64"}
    if hidden.get(source, source) == hidden.get(kind.dtype, kind.dtype) and (
        source in HIDDEN_UNSIGNED or kind.dtype in HIDDEN_UNSIGNED
    ):
        # Both lie in the same bits of the same storage: only the name changes.
        return b.emit("aten.reshape.default", x, list(kind.shape), out=kind)
    return b.emit("distc.bitcast_convert", x, out=kind, target=Dtype(kind.dtype))


@lowering("complex")
def lower_complex(b: Builder, op: ir.Operation) -> Ref:
    """`complex` of real and imaginary parts."""
    return b.emit("aten.complex.default", *b.refs(op.operands), out=_out(op))


@lowering("reduce_precision")
def lower_reduce_precision(b: Builder, op: ir.Operation) -> Ref:
    """`reduce_precision`: rounds as a format of so many bits would."""
    kind = _out(op)
    return b.emit(
        "distc.reduce_precision",
        b.ref(op.operands[0]),
        out=kind,
        dtype=Dtype(kind.dtype),
        exponent_bits=hlo.integer(op, "exponent_bits"),
        mantissa_bits=hlo.integer(op, "mantissa_bits"),
    )
