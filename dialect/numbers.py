"""Neutral elements: what a reduction leaves unchanged, per element type."""

from __future__ import annotations

import math

from torch_mlir import ir

from distc.dialect import stablehlo
from distc.dialect.sharding import Reduction
from distc.runtime.narrow_types import FLOATS, Beyond, Format


def neutral(kind: Reduction, element: ir.Type) -> bool | int | float:
    """Return the element e with combine(e, x) = x for every x.

    For floating-point sums that is -0.0: adding +0.0 would turn -0.0 into +0.0.

    Raises:
        ValueError: there is none.
    """
    if isinstance(element, ir.IntegerType):
        return _neutral_integer(kind, element)
    if str(element) in FLOATS:
        return _neutral_narrow(kind, FLOATS[str(element)])
    match kind:
        case Reduction.SUM:
            return -0.0
        case Reduction.PROD:
            return 1.0
        case Reduction.MAX:
            return -math.inf
        case Reduction.MIN:
            return math.inf
    raise ValueError(f"{kind} has no neutral element in {element}")


def _neutral_narrow(kind: Reduction, format: Format) -> float:
    """Of a format without infinities the largest number, of one without -0.0 plain zero."""
    largest = math.inf if format.beyond is Beyond.INFINITY else format.largest
    match kind:
        case Reduction.SUM if not format.unsigned:
            return -0.0 if format.signed_zero else 0.0
        case Reduction.PROD:
            return 1.0
        case Reduction.MAX:
            return 2.0**-format.bias if format.unsigned else -largest
        case Reduction.MIN:
            return largest
    raise ValueError(f"{kind} has no neutral element in {format}")


def _neutral_integer(kind: Reduction, element: ir.IntegerType) -> bool | int:
    low, high = integer_range(element)
    match kind:
        case Reduction.SUM:
            return 0
        case Reduction.PROD:
            return 1
        case Reduction.MAX:
            return low
        case Reduction.MIN:
            return high
        case Reduction.OR:
            return 0
        case Reduction.AND:
            return high if element.is_unsigned or element.width == 1 else -1


def integer_range(element: ir.IntegerType) -> tuple[int, int]:
    """Return the least and the greatest value of an integer type; i1 is unsigned."""
    if element.is_unsigned or element.width == 1:
        return 0, 2**element.width - 1
    return -(2 ** (element.width - 1)), 2 ** (element.width - 1) - 1


def is_neutral(value: ir.Value, kind: Reduction) -> bool:
    """True for a splat constant that `kind` leaves unchanged (either zero for a sum)."""
    op = stablehlo.defining_op(value)
    found = stablehlo.splat_value(op) if op is not None else None
    if found is None:
        return False
    element = stablehlo.element_type(value)
    if isinstance(element, ir.IntegerType) and element.width == 1:
        return bool(found) == bool(neutral(kind, element))
    return found == neutral(kind, element)
