"""Builders of constants and iota."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from torch_mlir import ir

from distc.dialect.build.core import create, i64, tensor_type
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
