"""Builders of elementwise operations."""

from __future__ import annotations

from torch_mlir import ir
from torch_mlir._mlir_libs import _stablehlo

from distc.dialect.build.core import create, tensor_type
from distc.dialect.sharding import Reduction
from distc.dialect.stablehlo import element_type, shape

_REDUCER_OPS = {
    Reduction.SUM: "add",
    Reduction.MAX: "maximum",
    Reduction.MIN: "minimum",
    Reduction.PROD: "multiply",
    Reduction.AND: "and",
    Reduction.OR: "or",
}


def unary(
    name: str,
    x: ir.Value,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Elementwise `stablehlo.<name>` of one operand, of the operand's type."""
    return create(name, [x], [x.type], loc=loc, ip=ip).result


def binary(
    name: str,
    lhs: ir.Value,
    rhs: ir.Value,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Elementwise `stablehlo.<name>` of two operands of one type: add, multiply, and, …"""
    return create(name, [lhs, rhs], [lhs.type], loc=loc, ip=ip).result


def combine(
    kind: Reduction,
    lhs: ir.Value,
    rhs: ir.Value,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Combine two values as the reduction `kind` does."""
    return binary(_REDUCER_OPS[kind], lhs, rhs, loc, ip)


def convert(
    x: ir.Value,
    element: ir.Type,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Convert to another element type; the value itself where the type is the same."""
    if element_type(x) == element:
        return x
    return create("convert", [x], [tensor_type(shape(x), element)], loc=loc, ip=ip).result


def compare(
    lhs: ir.Value,
    rhs: ir.Value,
    direction: str,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Compare elementwise; `direction` is EQ, NE, GE, GT, LE or LT."""
    context, element = lhs.context, element_type(lhs)
    kind = "FLOAT"
    if isinstance(element, ir.IntegerType):
        kind = "UNSIGNED" if element.is_unsigned or element.width == 1 else "SIGNED"
    attributes = {
        "comparison_direction": _stablehlo.ComparisonDirectionAttr.get(direction, context=context),
        "compare_type": _stablehlo.ComparisonTypeAttr.get(kind, context=context),
    }
    result = tensor_type(shape(lhs), ir.IntegerType.get_signless(1, context))
    return create("compare", [lhs, rhs], [result], attributes, loc=loc, ip=ip).result


def select(
    predicate: ir.Value,
    on_true: ir.Value,
    on_false: ir.Value,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """`on_true` where the predicate holds; the predicate has their shape or is a scalar."""
    operands = [predicate, on_true, on_false]
    return create("select", operands, [on_true.type], loc=loc, ip=ip).result


def clamp(
    low: ir.Value,
    x: ir.Value,
    high: ir.Value,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Clamp to [low, high], which are scalars or of the shape of `x`."""
    return create("clamp", [low, x, high], [x.type], loc=loc, ip=ip).result
