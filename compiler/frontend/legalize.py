"""Rewrite what torch-mlir leaves beside StableHLO, and fold constants that are one value.

The wheel has no folder pass for StableHLO: scalars arrive as f64 or i64 constants with a
conversion, a reshape and a broadcast behind each.
"""

from __future__ import annotations

import math

from torch_mlir import ir

from distc.dialect.build.constants import number_attribute, splat_attribute
from distc.dialect.build.core import create
from distc.dialect.stablehlo import walk

_MOVES = ("stablehlo.reshape", "stablehlo.broadcast_in_dim", "stablehlo.transpose")


def legalize(module: ir.Module) -> None:
    """Replace `arith.constant` and fold conversions and movements of one-value constants."""
    for op in list(walk(module.operation)):
        _rewrite(op)


def _rewrite(op: ir.Operation) -> None:
    if op.name == "arith.constant":
        _replace(op, _arith_constant(op))
        return
    if op.name not in (*_MOVES, "stablehlo.convert"):
        return
    source = _splat(op.operands[0])
    if source is None:
        return
    kind = ir.RankedTensorType(op.results[0].type)
    number: ir.Attribute | None = source
    if op.name == "stablehlo.convert":
        number = _converted(source, kind.element_type)
    if number is not None and kind.has_static_shape:
        _replace(op, splat_attribute(number, kind.shape, op.location, ir.InsertionPoint(op)))


def _replace(op: ir.Operation, value: ir.Value) -> None:
    op.results[0].replace_all_uses_with(value)
    op.erase()


def _arith_constant(op: ir.Operation) -> ir.Value:
    attributes = {"value": op.attributes["value"]}
    results = [op.results[0].type]
    place = ir.InsertionPoint(op)
    return create("constant", [], results, attributes, loc=op.location, ip=place).result


def _splat(value: ir.Value) -> ir.Attribute | None:
    """Return the one value of a constant as a typed attribute, or None."""
    owner = value.owner
    if not isinstance(owner, ir.Operation | ir.OpView):
        return None
    operation = owner.operation
    if operation.name != "stablehlo.constant":
        return None
    attribute = operation.attributes["value"]
    if not isinstance(attribute, ir.DenseElementsAttr) or not attribute.is_splat:
        return None
    value_: ir.Attribute = attribute.get_splat_value()
    return value_


def _converted(number: ir.Attribute, element: ir.Type) -> ir.Attribute | None:
    """Return the number in another element type, as `stablehlo.convert` does it; None if unsure."""
    if not isinstance(number, ir.IntegerAttr | ir.FloatAttr | ir.BoolAttr):
        return None
    value = number.value
    source = number.type
    if isinstance(source, ir.IntegerType) and source.width == 1:
        value = int(bool(value))
    if isinstance(element, ir.IntegerType):
        if element.width == 1:
            return number_attribute(value != 0, element)
        if not math.isfinite(value) or abs(value) >= 1 << (element.width - 1):
            return None
        return number_attribute(int(value), element)
    return number_attribute(value, element) if isinstance(element, _FLOATS) else None


_FLOATS = (ir.F16Type, ir.BF16Type, ir.F32Type, ir.F64Type)
