"""Builders of constants, iota and neutral elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from torch_mlir import ir

from distc.dialect.build.core import create, i64, tensor_type
from distc.dialect.sharding import Reduction
from distc.dialect.stablehlo import Number


def number_attribute(value: Number, element: ir.Type) -> ir.Attribute:
    """Attribute of one number in the type `element` (float, integer or i1)."""
    if isinstance(element, ir.IntegerType):
        if element.width == 1:
            return ir.IntegerAttr.get(element, int(bool(value)))
        return ir.IntegerAttr.get(element, _wrap(int(value), element))
    return ir.FloatAttr.get(element, float(value), loc=ir.Location.unknown(element.context))


def _wrap(value: int, element: ir.IntegerType) -> int:
    """Fold a value into the range of `element`, two's complement as the hardware does."""
    size = 1 << element.width
    low = value % size
    # The bindings take 64 bits with a sign, also for the upper half of an unsigned type.
    fits = low < size // 2 or (element.is_unsigned and element.width < 64)
    return low if fits else low - size


def splat(
    value: Number,
    dims: Sequence[int],
    element: ir.Type,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Constant with one value everywhere; of a complex type, that real part."""
    if isinstance(element, ir.ComplexType):
        kind = tensor_type(dims, element)
        zero = np.full(tuple(dims), complex(value, 0), dtype=np.complex128)
        part = np.complex64 if str(element.element_type) == "f32" else np.complex128
        attribute = ir.DenseElementsAttr.get(
            np.ascontiguousarray(zero.astype(part)), type=element, shape=list(dims)
        )
        return create("constant", [], [kind], {"value": attribute}, loc=loc, ip=ip).result
    return splat_attribute(number_attribute(value, element), dims, loc, ip)


def splat_attribute(
    value: ir.Attribute,
    dims: Sequence[int],
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Constant with one value everywhere, given as a typed number attribute, bits kept."""
    kind = tensor_type(dims, value.type)
    attribute = ir.DenseElementsAttr.get_splat(kind, value)
    return create("constant", [], [kind], {"value": attribute}, loc=loc, ip=ip).result


def constant(
    array: np.ndarray[Any, Any],
    element: ir.Type,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Constant of an array, each element converted to `element`."""
    kind = tensor_type(array.shape, element)
    if array.size == 0:
        attribute = ir.Attribute.parse(f"dense<> : {kind}", element.context)
    else:
        numbers = [number_attribute(v, element) for v in array.reshape(-1).tolist()]
        attribute = ir.DenseElementsAttr.get(numbers, kind, context=element.context)
    return create("constant", [], [kind], {"value": attribute}, loc=loc, ip=ip).result


def iota(
    dim: int,
    dims: Sequence[int],
    element: ir.Type,
    loc: ir.Location | None = None,
    ip: ir.InsertionPoint | None = None,
) -> ir.Value:
    """Counts 0, 1, … along dimension `dim`."""
    attributes = {"iota_dimension": i64(dim, element.context)}
    return create("iota", [], [tensor_type(dims, element)], attributes, loc=loc, ip=ip).result


def neutral(kind: Reduction, element: ir.Type) -> Number:
    """The value that changes nothing under `kind`: 0, -inf or the least integer, …"""
    match kind:
        case Reduction.SUM:
            return 0
        case Reduction.PROD:
            return 1
        case Reduction.OR:
            return 0
        case Reduction.AND:
            return True if _is_bool(element) else -1
        case Reduction.MAX:
            return _extreme(element, lowest=True)
        case Reduction.MIN:
            return _extreme(element, lowest=False)


def _is_bool(element: ir.Type) -> bool:
    return isinstance(element, ir.IntegerType) and element.width == 1


def _extreme(element: ir.Type, lowest: bool) -> Number:
    if not isinstance(element, ir.IntegerType):
        return float("-inf") if lowest else float("inf")
    return integer_range(element)[0 if lowest else 1]


def integer_range(element: ir.IntegerType) -> tuple[int, int]:
    """Least and greatest value of an integer type; signless counts as signed, i1 as 0 and 1."""
    if element.is_unsigned or element.width == 1:
        return 0, (1 << element.width) - 1
    half = 1 << (element.width - 1)
    return -half, half - 1
